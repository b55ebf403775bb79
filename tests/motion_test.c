// Motions by points: closed forms, splines against a dense solve of their definition, derivatives
// against finite differences, jumps and rounds to the bit, bad input, memory.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "math/dense.h"
#include "sinew/motion.h"

enum { MOST = 12 };

static sn_motion *create(const sn_motion_def *def)
{
    sn_motion *motion = NULL;
    sn_error error = {0};
    if (sn_motion_create(def, &motion, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return motion;
}

static sn_motion *make(sn_motion_type type, int count, const double *times, const double *values,
                       bool repeats)
{
    sn_motion_def def = sn_default_motion_def();
    def.type = type;
    def.times = times;
    def.values = values;
    def.count = count;
    def.repeats = repeats;
    return create(&def);
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("%.17g, but %.17g within %g was expected", found, expected, tolerance);
    }
}

static void random_points(sn_random *random, int count, double *times, double *values)
{
    double t = sn_random_range(random, -5.0, 5.0);
    for (int i = 0; i < count; ++i) {
        times[i] = t;
        values[i] = sn_random_range(random, -3.0, 3.0);
        t += sn_random_range(random, 0.1, 2.0);
    }
}

// ---- closed forms ----

static void test_spline_reproduces_lines_and_cubics(void **state)
{
    (void)state;
    double times[] = {-1.0, 0.5, 0.75, 2.0, 5.0}, line[5], cubic[5];
    for (int i = 0; i < 5; ++i) {
        double t = times[i];
        line[i] = 3.0 - 2.0 * t;
        cubic[i] = 1.0 + t - 2.0 * t * t + 0.5 * t * t * t;
    }
    sn_motion *straight = make(SN_MOTION_SPLINE, 5, times, line, false);
    sn_motion_def def = sn_default_motion_def();
    def.times = times;
    def.values = cubic;
    def.count = 5;
    def.start_rate = 1.0 + 4.0 + 1.5;
    def.end_rate = 1.0 - 20.0 + 37.5;
    sn_motion *clamped = create(&def);
    for (int k = 0; k < 600; ++k) {
        double t = -1.0 + 0.01 * k;
        sn_motion_state now = sn_motion_at(straight, t);
        assert_near(now.value, 3.0 - 2.0 * t, 1e-14);
        assert_near(now.rate, -2.0, 1e-14);
        assert_near(now.acceleration, 0.0, 1e-13);
        now = sn_motion_at(clamped, t);
        assert_near(now.value, 1.0 + t - 2.0 * t * t + 0.5 * t * t * t, 1e-13);
        assert_near(now.rate, 1.0 - 4.0 * t + 1.5 * t * t, 1e-13);
        assert_near(now.acceleration, -4.0 + 3.0 * t, 1e-12);
    }
    sn_motion_release(straight);
    sn_motion_release(clamped);
}

// A natural spline through (0, 0), (1, 1), (2, 0) has the curvature -3 in the middle.
static void test_natural_spline_by_hand(void **state)
{
    (void)state;
    double times[] = {0.0, 1.0, 2.0}, values[] = {0.0, 1.0, 0.0};
    sn_motion *motion = make(SN_MOTION_SPLINE, 3, times, values, false);
    assert_near(sn_motion_at(motion, 1.0).acceleration, -3.0, 1e-15);
    assert_near(sn_motion_at(motion, 0.0).rate, 1.5, 1e-15);
    assert_near(sn_motion_at(motion, 0.5).value, 0.6875, 1e-15);
    assert_true(sn_motion_at(motion, 0.0).acceleration == 0.0);
    assert_near(sn_motion_at(motion, nextafter(2.0, 0.0)).acceleration, 0.0, 1e-14);
    // Beyond its ends it rests.
    for (int side = 0; side < 2; ++side) {
        sn_motion_state now = sn_motion_at(motion, side == 0 ? -0.1 : 2.0);
        assert_true(now.value == 0.0 && now.rate == 0.0 && now.acceleration == 0.0);
    }
    sn_motion_release(motion);
}

static void test_smooth_is_least_jerk(void **state)
{
    (void)state;
    double times[] = {1.0, 3.0, 4.0}, values[] = {2.0, 6.0, 6.0};
    sn_motion *motion = make(SN_MOTION_SMOOTH, 3, times, values, false);
    for (int k = 0; k < 200; ++k) {
        double t = 1.0 + 0.01 * k;
        double b = (t - 1.0) / 2.0;
        sn_motion_state now = sn_motion_at(motion, t);
        assert_near(now.value, 2.0 + 4.0 * (10.0 * pow(b, 3) - 15.0 * pow(b, 4) + 6.0 * pow(b, 5)),
                    1e-13);
        assert_near(now.rate, 2.0 * (30.0 * b * b - 60.0 * pow(b, 3) + 30.0 * pow(b, 4)), 1e-13);
        assert_near(now.acceleration, 60.0 * b - 180.0 * b * b + 120.0 * pow(b, 3), 1e-12);
    }
    sn_motion_state top = sn_motion_at(motion, 2.0);
    assert_true(top.value == 4.0 && top.rate == 3.75 && top.acceleration == 0.0);
    sn_motion_state rest = sn_motion_at(motion, 3.5);
    assert_true(rest.value == 6.0 && rest.rate == 0.0 && rest.acceleration == 0.0);
    assert_true(isinf(sn_motion_next_jump(motion, -INFINITY)));
    sn_motion_release(motion);
}

static void test_linear_and_step(void **state)
{
    (void)state;
    double times[] = {0.0, 1.0, 3.0}, values[] = {1.0, 3.0, -1.0};
    sn_motion *linear = make(SN_MOTION_LINEAR, 3, times, values, false);
    sn_motion *step = make(SN_MOTION_STEP, 3, times, values, false);
    assert_true(sn_motion_at(linear, -7.0).value == 1.0 && sn_motion_at(linear, -7.0).rate == 0.0);
    assert_true(sn_motion_at(linear, 0.0).rate == 2.0 && sn_motion_at(linear, 0.5).value == 2.0);
    assert_true(sn_motion_at(linear, 1.0).rate == -2.0 && sn_motion_at(linear, 2.0).value == 1.0);
    assert_true(sn_motion_at(linear, nextafter(1.0, 0.0)).rate == 2.0);
    assert_true(sn_motion_at(linear, 3.0).rate == 0.0 && sn_motion_at(linear, 3.0).value == -1.0);
    double at[] = {-1.0, 0.0, 0.99, 1.0, 2.99, 3.0, 9.0};
    double held[] = {1.0, 1.0, 1.0, 3.0, 3.0, -1.0, -1.0};
    for (int i = 0; i < 7; ++i) {
        sn_motion_state now = sn_motion_at(step, at[i]);
        assert_true(now.value == held[i] && now.rate == 0.0 && now.acceleration == 0.0);
    }
    sn_motion_release(linear);
    sn_motion_release(step);
}

static void test_single_point_rests(void **state)
{
    (void)state;
    double time = 2.0, value = -4.0;
    for (int type = 0; type < SN_MOTION_TYPE_COUNT; ++type) {
        sn_motion *motion = make((sn_motion_type)type, 1, &time, &value, type % 2 == 0);
        for (int t = 0; t < 4; ++t) {
            sn_motion_state now = sn_motion_at(motion, t);
            assert_true(now.value == -4.0 && now.rate == 0.0 && now.acceleration == 0.0);
            assert_true(isinf(sn_motion_next_jump(motion, t)));
        }
        sn_motion_release(motion);
    }
}

// ---- splines against their definition ----

// The same spline from a dense system in the coefficients of each piece, y = sum c[k] x^k: values
// at both ends, first and second derivatives equal at inner points, and two conditions for the
// ends.
static void oracle(int count, const double *t, const double *y, bool periodic, double start,
                   double end, double *c)
{
    int pieces = count - 1, size = 4 * pieces, row = 0;
    static double a[4 * MOST * 4 * MOST];
    int pivots[4 * MOST];
    memset(a, 0, sizeof a);
#define A(r, p, k) a[(size_t)(r) * (size_t)size + 4 * (size_t)(p) + (size_t)(k)]
    for (int p = 0; p < pieces; ++p) {
        double h = t[p + 1] - t[p];
        A(row, p, 0) = 1.0;
        c[row++] = y[p];
        for (int k = 0; k < 4; ++k) {
            A(row, p, k) = pow(h, k);
        }
        c[row++] = y[p + 1];
        int q = p + 1 < pieces ? p + 1 : 0;
        if (q > 0 || periodic) {
            A(row, p, 1) += 1.0, A(row, p, 2) += 2.0 * h, A(row, p, 3) += 3.0 * h * h;
            A(row, q, 1) -= 1.0;
            c[row++] = 0.0;
            A(row, p, 2) += 2.0, A(row, p, 3) += 6.0 * h;
            A(row, q, 2) -= 2.0;
            c[row++] = 0.0;
        }
    }
    if (!periodic) {
        double h = t[pieces] - t[pieces - 1];
        A(row, 0, isnan(start) ? 2 : 1) = 1.0;
        c[row++] = isnan(start) ? 0.0 : start;
        if (isnan(end)) {
            A(row, pieces - 1, 2) = 2.0, A(row, pieces - 1, 3) = 6.0 * h;
        } else {
            A(row, pieces - 1, 1) = 1.0, A(row, pieces - 1, 2) = 2.0 * h;
            A(row, pieces - 1, 3) = 3.0 * h * h;
        }
        c[row++] = isnan(end) ? 0.0 : end;
    }
#undef A
    assert_int_equal(row, size);
    assert_true(sn_lu_factor(size, a, pivots));
    sn_lu_solve(size, a, pivots, c);
}

static void test_splines_against_dense_solve(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    for (int trial = 0; trial < 400; ++trial) {
        int count = 2 + sn_random_below(&random, MOST - 1), kind = trial % 5;
        double times[MOST + 1], values[MOST + 1], c[4 * MOST];
        random_points(&random, count, times, values);
        sn_motion_def def = sn_default_motion_def();
        def.times = times;
        def.values = values;
        def.count = count;
        def.repeats = kind == 4;
        def.start_rate = kind == 1 || kind == 3 ? sn_random_range(&random, -3.0, 3.0) : NAN;
        def.end_rate = kind == 2 || kind == 3 ? sn_random_range(&random, -3.0, 3.0) : NAN;
        if (kind == 4) {
            values[count - 1] = values[0];
        }
        sn_motion *motion = create(&def);
        // A periodic piece alone leaves its linear system singular: it is constant.
        if (kind == 4 && count == 2) {
            assert_near(sn_motion_at(motion, times[0] + 0.05).value, values[0], 1e-15);
            assert_near(sn_motion_at(motion, times[0] + 0.05).rate, 0.0, 1e-15);
            sn_motion_release(motion);
            continue;
        }
        oracle(count, times, values, kind == 4, def.start_rate, def.end_rate, c);
        for (int p = 0; p + 1 < count; ++p) {
            for (int k = 0; k < 8; ++k) {
                double x = (times[p + 1] - times[p]) * k / 8.0;
                const double *q = c + 4 * p;
                sn_motion_state now = sn_motion_at(motion, times[p] + x);
                assert_near(now.value, q[0] + x * (q[1] + x * (q[2] + x * q[3])), 1e-9);
                assert_near(now.rate, q[1] + x * (2.0 * q[2] + 3.0 * x * q[3]), 1e-8);
                assert_near(now.acceleration, 2.0 * q[2] + 6.0 * x * q[3], 1e-7);
            }
        }
        sn_motion_release(motion);
    }
}

// ---- derivatives and continuity ----

static void test_rates_are_derivatives(void **state)
{
    (void)state;
    sn_random random = {.seed = 12};
    for (int trial = 0; trial < 400; ++trial) {
        int count = 2 + sn_random_below(&random, MOST - 1);
        double times[MOST + 1], values[MOST + 1];
        random_points(&random, count, times, values);
        sn_motion_type type = (sn_motion_type)(trial % 3);
        sn_motion *motion = make(type, count, times, values, sn_random_below(&random, 2) == 1);
        for (int p = 0; p + 1 < count; ++p) {
            double width = times[p + 1] - times[p], h = 1e-4 * width;
            double t = times[p] + width * sn_random_range(&random, 0.01, 0.99);
            sn_motion_state before = sn_motion_at(motion, t - h), now = sn_motion_at(motion, t),
                            after = sn_motion_at(motion, t + h);
            double scale = 1.0 + fabs(now.rate) + fabs(now.acceleration) * width;
            assert_near((after.value - before.value) / (2.0 * h), now.rate, 1e-6 * scale / width);
            assert_near((after.rate - before.rate) / (2.0 * h), now.acceleration,
                        1e-6 * scale / (width * width));
        }
        sn_motion_release(motion);
    }
}

static void test_splines_pass_knots_smoothly(void **state)
{
    (void)state;
    sn_random random = {.seed = 13};
    for (int trial = 0; trial < 200; ++trial) {
        int count = 3 + sn_random_below(&random, MOST - 2);
        double times[MOST + 1], values[MOST + 1];
        random_points(&random, count, times, values);
        bool repeats = trial % 2 == 1;
        if (repeats) {
            values[count - 1] = values[0];
        }
        sn_motion *motion = make(SN_MOTION_SPLINE, count, times, values, repeats);
        for (int i = repeats ? 0 : 1; i + 1 < count; ++i) {
            sn_motion_state before = sn_motion_at(motion, nextafter(times[i], -INFINITY)),
                            after = sn_motion_at(motion, times[i]);
            assert_true(after.value == values[i]);
            assert_near(before.value, after.value, 1e-13);
            assert_near(before.rate, after.rate, 1e-11);
            assert_near(before.acceleration, after.acceleration, 1e-10);
        }
        if (repeats) {
            assert_true(isinf(sn_motion_next_jump(motion, -20.0)));
        } else {
            assert_true(sn_motion_next_jump(motion, -20.0) == times[0]);
            assert_true(sn_motion_next_jump(motion, times[0]) == times[count - 1]);
            assert_true(isinf(sn_motion_next_jump(motion, times[count - 1])));
        }
        sn_motion_release(motion);
    }
}

// ---- rounds and jumps ----

static void test_repeats_both_ways(void **state)
{
    (void)state;
    sn_random random = {.seed = 14};
    for (int trial = 0; trial < 200; ++trial) {
        int count = 2 + sn_random_below(&random, MOST - 1);
        double times[MOST + 1], values[MOST + 1];
        random_points(&random, count, times, values);
        sn_motion *motion =
            make((sn_motion_type)(trial % SN_MOTION_TYPE_COUNT), count, times, values, true);
        double period = times[count - 1] - times[0];
        for (int k = -5; k <= 5; ++k) {
            double share = sn_random_range(&random, 0.001, 0.999);
            double t = times[0] + share * period;
            // Away from jumps, where a last bit of time does not matter.
            double next = sn_motion_next_jump(motion, t - 1e-9);
            if (next < t + 1e-9) {
                continue;
            }
            sn_motion_state a = sn_motion_at(motion, t), b = sn_motion_at(motion, t + k * period);
            assert_near(b.value, a.value, 1e-11);
            assert_near(b.rate, a.rate, 1e-9);
            assert_near(b.acceleration, a.acceleration, 1e-8);
        }
        sn_motion_release(motion);
    }
}

static bool same(sn_motion_state a, sn_motion_state b, double tolerance)
{
    return fabs(a.value - b.value) <= tolerance && fabs(a.rate - b.rate) <= tolerance &&
           fabs(a.acceleration - b.acceleration) <= tolerance;
}

// From jump to jump: each is one, what comes back is already beyond it, and between two there is
// none.
static void test_jumps_are_where_they_are(void **state)
{
    (void)state;
    sn_random random = {.seed = 15};
    for (int trial = 0; trial < 400; ++trial) {
        int count = 2 + sn_random_below(&random, MOST - 1);
        double times[MOST + 1], values[MOST + 1];
        random_points(&random, count, times, values);
        bool repeats = trial % 2 == 1;
        sn_motion_type type = (sn_motion_type)((trial / 2) % SN_MOTION_TYPE_COUNT);
        sn_motion *motion = make(type, count, times, values, repeats);
        double t = sn_random_range(&random, -40.0, 5.0);
        for (int k = 0; k < 40; ++k) {
            double jump = sn_motion_next_jump(motion, t);
            assert_true(jump > t);
            if (isinf(jump)) {
                assert_true(!repeats || (type == SN_MOTION_STEP && count == 2));
                break;
            }
            sn_motion_state before = sn_motion_at(motion, nextafter(jump, -INFINITY)),
                            at = sn_motion_at(motion, jump),
                            after = sn_motion_at(motion, nextafter(jump, INFINITY));
            assert_false(same(before, at, 1e-4));
            assert_true(same(at, after, 1e-9));
            // Nearly there, still none: strictly between, small steps change little.
            double low = fmax(t, jump - 10.0), h = (jump - low) * 1e-9;
            for (int j = 1; j < 20; ++j) {
                double s = low + (jump - low) * j / 20.0;
                assert_true(sn_motion_next_jump(motion, s) == jump);
                assert_true(same(sn_motion_at(motion, s), sn_motion_at(motion, s + h), 1e-2));
            }
            t = jump;
        }
        sn_motion_release(motion);
    }
}

// Points in one line and equal steps are no jumps; the first point of a step motion is none.
static void test_what_does_not_jump(void **state)
{
    (void)state;
    double times[] = {0.0, 1.0, 2.0, 4.0}, line[] = {0.0, 1.0, 2.0, 0.0}, flat[] = {3, 3, 3, 5};
    sn_motion *linear = make(SN_MOTION_LINEAR, 4, times, line, false);
    assert_true(sn_motion_next_jump(linear, -1.0) == 0.0);
    assert_true(sn_motion_next_jump(linear, 0.0) == 2.0);
    assert_true(sn_motion_next_jump(linear, 2.0) == 4.0);
    sn_motion *step = make(SN_MOTION_STEP, 4, times, flat, false);
    assert_true(sn_motion_next_jump(step, -1.0) == 4.0);
    // Of a step motion that repeats the last value is never seen.
    sn_motion *rounds = make(SN_MOTION_STEP, 4, times, flat, true);
    assert_true(isinf(sn_motion_next_jump(rounds, -1.0)));
    assert_true(sn_motion_at(rounds, 4.0).value == 3.0);
    sn_motion_release(linear);
    sn_motion_release(step);
    sn_motion_release(rounds);
}

static void test_times_out_of_all_range(void **state)
{
    (void)state;
    double times[] = {0.1, 0.4}, values[] = {0.0, 1.0};
    double far[] = {1e300, -1e300, INFINITY, -INFINITY, 1e16, -1e16, 1e15};
    for (int type = 0; type < SN_MOTION_TYPE_COUNT; ++type) {
        sn_motion *motion = make((sn_motion_type)type, 2, times, values, true);
        for (int i = 0; i < 7; ++i) {
            sn_motion_state now = sn_motion_at(motion, far[i]);
            assert_true(now.value >= 0.0 && now.value <= 1.0);
            assert_true(isfinite(now.rate) && isfinite(now.acceleration));
            if (type != SN_MOTION_STEP && isfinite(far[i])) {
                assert_true(sn_motion_next_jump(motion, far[i]) > far[i]);
            }
        }
        sn_motion_state none = sn_motion_at(motion, NAN);
        assert_true(isnan(none.value) && isnan(none.rate) && isnan(none.acceleration));
        assert_true(isinf(sn_motion_next_jump(motion, NAN)));
        sn_motion_release(motion);
    }
}

// ---- life ----

static void test_points_are_copied_and_shared(void **state)
{
    (void)state;
    double times[] = {0.0, 1.0, 3.0}, values[] = {0.0, 0.5, 0.2};
    sn_motion_def def = sn_default_motion_def();
    def.times = times;
    def.values = values;
    def.count = 3;
    def.end_rate = 2.0;
    sn_motion *motion = create(&def);
    memset(times, 0, sizeof times);
    assert_ptr_equal(sn_motion_retain(motion), motion);
    sn_motion_release(motion);
    sn_motion_def back = sn_motion_points(motion);
    assert_true(back.type == SN_MOTION_SPLINE && back.count == 3 && !back.repeats);
    assert_true(back.times[2] == 3.0 && back.values[1] == 0.5);
    assert_true(isnan(back.start_rate) && back.end_rate == 2.0);
    assert_near(sn_motion_at(motion, 1.0).value, 0.5, 0.0);
    sn_motion_release(motion);
    assert_null(sn_motion_retain(NULL));
    sn_motion_release(NULL);
}

static void assert_refused(const sn_motion_def *def, const char *text)
{
    sn_error error = {0};
    sn_motion *motion = (sn_motion *)&error;
    assert_int_equal(sn_motion_create(def, &motion, &error), SN_ERROR_ARGUMENT);
    assert_null(motion);
    if (strstr(sn_error_message(&error), text) == NULL) {
        fail_msg("'%s' does not say '%s'", sn_error_message(&error), text);
    }
    assert_int_equal(sn_motion_create(def, &motion, NULL), SN_ERROR_ARGUMENT);
}

static void test_bad_points_are_named(void **state)
{
    (void)state;
    double times[] = {0.0, 1.0, 3.0}, values[] = {0.0, 0.5, 0.2};
    sn_motion_def good = sn_default_motion_def();
    good.times = times;
    good.values = values;
    good.count = 3;

    sn_motion_def def = good;
    def.count = 0;
    assert_refused(&def, "motion: 0 points");
    def = good;
    def.values = NULL;
    assert_refused(&def, "times and values");
    def = good;
    def.type = SN_MOTION_TYPE_COUNT;
    assert_refused(&def, "type 4");
    def = good;
    def.end_rate = INFINITY;
    assert_refused(&def, "rates nan and inf");
    def.type = SN_MOTION_LINEAR; // rates are a spline's
    sn_motion_release(create(&def));

    times[2] = 1.0;
    assert_refused(&good, "point 3 is at 1 s, not after point 2 at 1 s; times must ascend");
    times[2] = NAN;
    assert_refused(&good, "point 3 is 0.2 at nan s; finite numbers");
    times[2] = 3.0;
    values[1] = INFINITY;
    assert_refused(&good, "point 2 is inf at 1 s");
    values[1] = 0.5;
    times[1] = 5e-324;
    assert_refused(&good, "from point 1 to point 2 the motion leaves the range of numbers");
    times[1] = 1.0;
    times[0] = -1e308;
    times[2] = 1e308;
    def = good;
    def.repeats = true;
    def.type = SN_MOTION_STEP;
    assert_refused(&def, "range of numbers");
}

static void test_out_of_memory(void **state)
{
    (void)state;
    double times[] = {0.0, 1.0, 3.0}, values[] = {0.0, 0.5, 0.0};
    sn_motion_def def = sn_default_motion_def();
    def.times = times;
    def.values = values;
    def.count = 3;
    def.repeats = true;
    int failures = 0;
    for (int k = 0;; ++k) {
        sn_motion *motion = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(k);
        sn_status status = sn_motion_create(&def, &motion, &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            sn_motion_release(motion);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(motion);
        ++failures;
    }
    assert_true(failures >= 2);
}

static void test_reading_allocates_nothing(void **state)
{
    (void)state;
    double times[] = {0.0, 1.0, 3.0}, values[] = {0.0, 0.5, 0.1};
    sn_motion *motion = make(SN_MOTION_SPLINE, 3, times, values, true);
    uint64_t before = sn_allocation_count();
    double sum = 0.0;
    for (int k = -50; k < 50; ++k) {
        double t = 0.1 * k;
        sum += sn_motion_at(motion, t).value + sn_motion_next_jump(motion, t);
    }
    assert_true(isfinite(sum));
    assert_true(sn_allocation_count() == before);
    sn_motion_release(motion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spline_reproduces_lines_and_cubics),
        cmocka_unit_test(test_natural_spline_by_hand),
        cmocka_unit_test(test_smooth_is_least_jerk),
        cmocka_unit_test(test_linear_and_step),
        cmocka_unit_test(test_single_point_rests),
        cmocka_unit_test(test_splines_against_dense_solve),
        cmocka_unit_test(test_rates_are_derivatives),
        cmocka_unit_test(test_splines_pass_knots_smoothly),
        cmocka_unit_test(test_repeats_both_ways),
        cmocka_unit_test(test_jumps_are_where_they_are),
        cmocka_unit_test(test_what_does_not_jump),
        cmocka_unit_test(test_times_out_of_all_range),
        cmocka_unit_test(test_points_are_copied_and_shared),
        cmocka_unit_test(test_bad_points_are_named),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_reading_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
