// Roots of the adaptive integrators: values that are zero at the start, over a stretch, or at the
// end of a call. A root is where a value gets strictly to the other side.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/memory.h"
#include "stage/ode.h"

enum { FIRST_ADAPTIVE = SN_INTEGRATOR_FEHLBERG45, LAST_ADAPTIVE = SN_INTEGRATOR_BDF };

// y = (sin t, cos t), so that steps have a size of their own.
static void turn(void *context, double t, const double *y, double *rate)
{
    (void)context, (void)t;
    rate[0] = y[1];
    rate[1] = -y[0];
}

// Below zero until t = 1, zero until t = 2, and then above it, or below it again.
static void stretches(void *context, double t, const double *y, double *values)
{
    (void)context, (void)y;
    values[0] = t < 1.0 ? t - 1.0 : (t <= 2.0 ? 0.0 : t - 2.0);
    values[1] = t < 1.0 ? t - 1.0 : (t <= 2.0 ? 0.0 : 2.0 - t);
    values[2] = -values[0];
}

typedef struct found {
    int count, root, direction;
    double time;
} found;

static sn_ode *make(sn_integrator method, int roots, const sn_ode_root *root,
                    void (*values)(void *, double, const double *, double *))
{
    sn_ode_def def = {.method = method,
                      .size = 2,
                      .relative_tolerance = 1e-9,
                      .absolute_tolerance = 1e-12,
                      .root_count = roots,
                      .root = root,
                      .rate = turn,
                      .roots = values};
    sn_ode *ode = NULL;
    assert_int_equal(sn_ode_create(&def, &ode, NULL), SN_OK);
    return ode;
}

// Goes to `end` in calls of h, gathering the roots; `anew`: each call starts from y alone.
static found go(sn_ode *ode, double h, double end, bool anew, int roots)
{
    found last = {0};
    double y[2] = {0.0, 1.0}, t = 0.0, next = 0.0;
    for (int k = 1; t < end; ++k) {
        while (t < k * h) {
            sn_ode_result result;
            sn_error error = {0};
            if (sn_ode_advance(ode, t, k * h, next, y, &result, &error) != SN_OK) {
                fail_msg("%s", sn_error_message(&error));
            }
            assert_true(result.time > t);
            t = result.time;
            next = result.next_step;
            assert_true(fabs(y[0] - sin(t)) < 1e-6);
            for (int i = 0; result.at_root && i < roots; ++i) {
                if (sn_ode_roots_found(ode)[i] != 0) {
                    last = (found){last.count + 1, i, sn_ode_roots_found(ode)[i], t};
                }
            }
            if (anew && result.at_root) {
                sn_ode_forget(ode);
            }
        }
        if (anew) {
            sn_ode_forget(ode);
        }
    }
    return last;
}

// Wherever calls end: before, on the border of and inside the stretch of zeros.
static void zeros_over_a_stretch_are_passed_at_their_end(void **state)
{
    (void)state;
    const double sizes[] = {4.0, 2.0, 1.0, 0.5, 0.3, 0.01};
    for (int method = FIRST_ADAPTIVE; method <= LAST_ADAPTIVE; ++method) {
        for (int k = 0; k < 12; ++k) {
            const sn_ode_root each[3] = {{0, 0.0}, {0, 0.0}, {1, 0.0}};
            sn_ode *ode = make((sn_integrator)method, 3, each, stretches);
            sn_ode_sides(ode)[0] = sn_ode_sides(ode)[1] = -1;
            sn_ode_sides(ode)[2] = 1;
            found root = go(ode, sizes[k / 2], 4.0, k % 2 == 0, 3);
            assert_int_equal(root.count, 1);
            assert_int_equal(root.root, 0);
            assert_int_equal(root.direction, 1);
            assert_true(root.time > 2.0 && root.time - 2.0 < 1e-12);
            assert_int_equal(sn_ode_sides(ode)[0], 1);
            assert_int_equal(sn_ode_sides(ode)[1], -1);
            assert_int_equal(sn_ode_sides(ode)[2], -1); // it fell, which nobody wanted to know
            sn_ode_destroy(ode);
        }
    }
}

// All begin at zero: one leaves it at once and comes back in the same step, one stays there until t
// = 1, one for ever.
static void starts_at_zero(void *context, double t, const double *y, double *values)
{
    (void)context;
    values[0] = y[0] - 0.5 * t; // back at zero at t = 1.895494
    values[1] = t > 1.0 ? 1.0 - t : 0.0;
    values[2] = 0.0;
}

static void to_leave_zero_is_no_root(void **state)
{
    (void)state;
    const double sizes[] = {2.0, 0.5, 0.01};
    for (int method = FIRST_ADAPTIVE; method <= LAST_ADAPTIVE; ++method) {
        for (int k = 0; k < 6; ++k) {
            const sn_ode_root each[3] = {{0, 0.0}};
            sn_ode *ode = make((sn_integrator)method, 3, each, starts_at_zero);
            found root = go(ode, sizes[k / 2], 2.0, k % 2 == 0, 3);
            assert_int_equal(root.count, 1);
            assert_int_equal(root.root, 0);
            assert_int_equal(root.direction, -1);
            assert_true(fabs(root.time - 1.8954942670339809) < 1e-6);
            assert_int_equal(sn_ode_sides(ode)[1], -1);
            assert_int_equal(sn_ode_sides(ode)[2], 0);
            sn_ode_destroy(ode);
        }
    }
}

// Value k passes zero at t = 1 + k/1000, every other one upwards; the last two at the same time.
static void many(void *context, double t, const double *y, double *values)
{
    (void)context, (void)y;
    for (int i = 0; i < 10; ++i) {
        double d = t - 1.0 - 0.001 * (i < 9 ? i : 8);
        values[i] = i % 2 == 0 ? d : -d * d * d;
    }
}

static void many_roots_of_one_step_come_in_order(void **state)
{
    (void)state;
    for (int method = FIRST_ADAPTIVE; method <= LAST_ADAPTIVE; ++method) {
        const sn_ode_root each[10] = {{0, 0.0}};
        sn_ode *ode = make((sn_integrator)method, 10, each, many);
        for (int i = 0; i < 10; ++i) {
            sn_ode_sides(ode)[i] = i % 2 == 0 ? -1 : 1;
        }
        double y[2] = {0.0, 1.0}, t = 0.0;
        int seen = 0;
        while (t < 2.0) {
            sn_ode_result result;
            assert_int_equal(sn_ode_advance(ode, t, 2.0, 0.0, y, &result, NULL), SN_OK);
            t = result.time;
            for (int i = 0; result.at_root && i < 10; ++i) {
                int direction = sn_ode_roots_found(ode)[i];
                if (direction != 0) {
                    assert_int_equal(direction, i % 2 == 0 ? 1 : -1);
                    assert_true(fabs(t - 1.0 - 0.001 * (i < 9 ? i : 8)) < 1e-12);
                    seen += 1 << i;
                }
            }
        }
        assert_int_equal(seen, 1023);
        sn_ode_destroy(ode);
    }
}

// Roundings about zero until t = 1, then a way through: passed where it is zero, not where it
// leaves the band.
static void trembles(void *context, double t, const double *y, double *values)
{
    (void)context, (void)y;
    double tremble = 1e-13 * sin(1e5 * t);
    values[0] = t < 1.0 ? tremble : t - 1.0;
    values[1] = t < 1.0 ? tremble : 1.0 - t;
    values[2] = t < 1.0 ? tremble : (t - 1.0) * (t - 1.5);
}

static void roundings_within_the_band_are_no_roots(void **state)
{
    (void)state;
    const double sizes[] = {2.0, 0.5, 0.01};
    for (int method = FIRST_ADAPTIVE; method <= LAST_ADAPTIVE; ++method) {
        for (int k = 0; k < 6; ++k) {
            const sn_ode_root each[3] = {{0, 1e-12}, {0, 1e-12}, {0, 1e-12}};
            sn_ode *ode = make((sn_integrator)method, 3, each, trembles);
            found root = go(ode, sizes[k / 2], 2.0, k % 2 == 0, 3);
            assert_int_equal(root.count, 1);
            assert_int_equal(root.root, 2);
            assert_int_equal(root.direction, 1);
            assert_true(fabs(root.time - 1.5) < 2.2e-12);
            assert_int_equal(sn_ode_sides(ode)[0], 1);
            assert_int_equal(sn_ode_sides(ode)[1], -1);
            sn_ode_destroy(ode);
        }
    }
}

static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    const sn_ode_root each[3] = {{0, 0.0}};
    sn_ode_def def = {.method = SN_INTEGRATOR_FEHLBERG45,
                      .size = 2,
                      .relative_tolerance = 1e-9,
                      .absolute_tolerance = 1e-12,
                      .root_count = 3,
                      .root = each,
                      .rate = turn,
                      .roots = stretches};
    for (int after = 0; after < 5; ++after) {
        sn_ode *ode = NULL;
        sn_allocation_fail_after(after);
        sn_status status = sn_ode_create(&def, &ode, NULL);
        sn_allocation_fail_after(-1);
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(ode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_over_a_stretch_are_passed_at_their_end),
        cmocka_unit_test(to_leave_zero_is_no_root),
        cmocka_unit_test(many_roots_of_one_step_come_in_order),
        cmocka_unit_test(roundings_within_the_band_are_no_roots),
        cmocka_unit_test(running_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
