// Curves and surfaces in space: closed forms, derivatives against finite differences, nearest
// points against brute force, degenerate places, bad input, memory.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/curve.h"
#include "random_vector.h"

enum { MOST = 14 };

static sn_curve *make(const sn_vec3 *points, int count, bool closed)
{
    sn_curve_def def = {points, count, closed};
    sn_curve *curve = NULL;
    sn_error error = {0};
    if (sn_curve_create(&def, "joint 'bead'", &curve, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return curve;
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("%.17g, but %.17g within %g was expected", found, expected, tolerance);
    }
}

static void assert_close(sn_vec3 found, sn_vec3 expected, double tolerance)
{
    if (!(sn_distance(found, expected) <= tolerance)) {
        fail_msg("(%.17g, %.17g, %.17g), but (%.17g, %.17g, %.17g) within %g was expected", found.x,
                 found.y, found.z, expected.x, expected.y, expected.z, tolerance);
    }
}

static sn_curve *random_curve(sn_random *random, bool closed)
{
    sn_vec3 points[MOST];
    int count = (closed ? 3 : 2) + sn_random_below(random, MOST - 2);
    for (int i = 0; i < count; ++i) {
        points[i] = random_vector(random, 2.0);
    }
    return make(points, count, closed);
}

static void circle_points(int count, double radius, sn_vec3 *points)
{
    for (int i = 0; i < count; ++i) {
        double angle = 2.0 * SN_PI * i / count;
        points[i] = sn_vec3_make(radius * cos(angle), radius * sin(angle), 0.0);
    }
}

// ---- curves ----

static void test_two_points_are_a_line(void **state)
{
    (void)state;
    sn_vec3 points[] = {{1.0, 0.0, 0.0}, {1.0, 3.0, 4.0}};
    sn_curve *curve = make(points, 2, false);
    assert_near(sn_curve_length(curve), 5.0, 1e-14);
    assert_true(sn_curve_extent(curve) == 5.0);
    for (int i = -16; i < 36; ++i) {
        double u = 0.25 * i;
        sn_curve_point point = sn_curve_at(curve, u);
        assert_close(point.position, sn_vec3_make(1.0, 0.6 * u, 0.8 * u), 1e-14);
        assert_close(point.first, sn_vec3_make(0.0, 0.6, 0.8), 1e-15);
        assert_close(point.second, SN_VEC3_ZERO, 0.0);
        sn_vec3 beside = sn_vec3_add(point.position, sn_vec3_make(7.0, 0.8, -0.6));
        double start[] = {NAN, 0.0, 8.0};
        for (int k = 0; k < 3; ++k) {
            sn_curve_point nearest = sn_curve_nearest(curve, beside, start[k]);
            assert_near(nearest.parameter, u, 1e-13);
            assert_close(nearest.position, point.position, 1e-13);
        }
    }
    sn_curve_release(curve);
}

// Splines through n points of a circle come near it as n^-4.
static void test_circle(void **state)
{
    (void)state;
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
        int count = fine == 0 ? 32 : 64;
        sn_vec3 points[64];
        circle_points(count, 2.0, points);
        sn_curve *curve = make(points, count, true);
        error[fine] = fabs(sn_curve_length(curve) - 4.0 * SN_PI);
        double extent = sn_curve_extent(curve);
        assert_near(extent, 4.0 * count * sin(SN_PI / count), 1e-13);
        for (int i = 0; i < 1000; ++i) {
            double u = extent * i / 1000.0;
            sn_curve_point point = sn_curve_at(curve, u);
            assert_near(sn_length(point.position), 2.0, 1e-4);
            assert_near(sn_dot(point.position, point.first), 0.0, 1e-3);
            assert_near(point.position.z, 0.0, 0.0);
        }
        sn_curve_release(curve);
    }
    assert_true(error[1] < 1e-5);
    assert_near(error[0] / error[1], 16.0, 1.0);
}

// Simpson's rule in many parts, in extended precision, knows nothing of spans.
static void test_length_against_simpson(void **state)
{
    (void)state;
    sn_random random = {.seed = 21};
    for (int trial = 0; trial < 20; ++trial) {
        sn_vec3 points[7];
        for (int i = 0; i < 7; ++i) {
            points[i] = sn_vec3_make(i, sn_random_range(&random, -0.5, 0.5),
                                     sn_random_range(&random, -0.5, 0.5));
        }
        sn_curve *curve = make(points, 7, trial % 2 == 1);
        int parts = 20000;
        double h = sn_curve_extent(curve) / parts;
        long double sum = 0.0L;
        for (int i = 0; i <= parts; ++i) {
            int weight = i == 0 || i == parts ? 1 : (i % 2 == 1 ? 4 : 2);
            sum += weight * (long double)sn_length(sn_curve_at(curve, i * h).first);
        }
        assert_near(sn_curve_length(curve), (double)(sum * h / 3.0L), 1e-8);
        sn_curve_release(curve);
    }
}

static void test_derivatives_of_curves(void **state)
{
    (void)state;
    sn_random random = {.seed = 22};
    for (int trial = 0; trial < 200; ++trial) {
        sn_curve *curve = random_curve(&random, trial % 2 == 1);
        double extent = sn_curve_extent(curve), h = 1e-5;
        for (int k = 0; k < 20; ++k) {
            double u = sn_random_range(&random, -1.5, 2.5) * extent;
            sn_curve_point before = sn_curve_at(curve, u - h), now = sn_curve_at(curve, u),
                           after = sn_curve_at(curve, u + h);
            sn_vec3 first = sn_vec3_scale(0.5 / h, sn_vec3_sub(after.position, before.position));
            sn_vec3 second = sn_vec3_scale(0.5 / h, sn_vec3_sub(after.first, before.first));
            assert_true(now.parameter == u);
            assert_close(now.first, first, 1e-7 * (1.0 + sn_length(first)));
            // Third derivatives jump at knots: h times the jump remains.
            assert_close(now.second, second, 1e-2 * (1.0 + sn_length(second)));
        }
        sn_curve_release(curve);
    }
}

// Within a span the second derivative is straight, and central differences of the first are exact.
static void test_second_derivatives_of_curves(void **state)
{
    (void)state;
    sn_random random = {.seed = 23};
    for (int trial = 0; trial < 100; ++trial) {
        sn_vec3 points[5];
        double knots[6] = {0.0};
        for (int i = 0; i < 5; ++i) {
            points[i] = random_vector(&random, 2.0);
        }
        for (int i = 0; i < 5; ++i) {
            knots[i + 1] = knots[i] + sn_distance(points[i], points[(i + 1) % 5]);
        }
        sn_curve *curve = make(points, 5, true);
        for (int i = 0; i < 5; ++i) {
            double h = 0.01 * (knots[i + 1] - knots[i]);
            double u = knots[i] + sn_random_range(&random, 0.02, 0.98) * 100.0 * h;
            sn_vec3 second = sn_vec3_scale(0.5 / h, sn_vec3_sub(sn_curve_at(curve, u + h).first,
                                                                sn_curve_at(curve, u - h).first));
            assert_close(sn_curve_at(curve, u).second, second, 1e-9 * (1.0 + sn_length(second)));
            assert_close(sn_curve_at(curve, knots[i]).position, points[i], 1e-12);
        }
        sn_curve_release(curve);
    }
}

static void assert_smooth_at(const sn_curve *curve, double u)
{
    double h = 1e-12;
    sn_curve_point before = sn_curve_at(curve, u - h), after = sn_curve_at(curve, u + h);
    assert_close(before.position, after.position, 1e-10);
    assert_close(before.first, after.first, 1e-8);
    assert_close(before.second, after.second, 1e-6);
}

static void test_curves_pass_knots_smoothly(void **state)
{
    (void)state;
    sn_random random = {.seed = 24};
    for (int trial = 0; trial < 200; ++trial) {
        sn_vec3 points[6];
        double knot = 0.0;
        for (int i = 0; i < 6; ++i) {
            points[i] = random_vector(&random, 2.0);
        }
        bool closed = trial % 2 == 1;
        sn_curve *curve = make(points, 6, closed);
        double extent = sn_curve_extent(curve);
        for (int i = 0; i < 6; ++i) {
            assert_smooth_at(curve, knot);
            if (closed) {
                assert_smooth_at(curve, knot - 3.0 * extent);
                assert_close(sn_curve_at(curve, knot + 2.0 * extent).position, points[i], 1e-11);
            }
            knot += i < 5 ? sn_distance(points[i], points[i + 1]) : 0.0;
        }
        // Beyond open ends: straight.
        if (!closed) {
            sn_curve_point tip = sn_curve_at(curve, extent), on = sn_curve_at(curve, extent + 3.0);
            assert_close(on.position, sn_vec3_add_scaled(tip.position, 3.0, tip.first), 1e-12);
            assert_close(on.second, SN_VEC3_ZERO, 0.0);
            sn_curve_point start = sn_curve_at(curve, 0.0), back = sn_curve_at(curve, -3.0);
            assert_close(back.position, sn_vec3_add_scaled(start.position, -3.0, start.first),
                         1e-12);
        }
        sn_curve_release(curve);
    }
}

// ---- nearest points ----

static void assert_stationary(const sn_curve *curve, sn_curve_point nearest, sn_vec3 point)
{
    sn_curve_point there = sn_curve_at(curve, nearest.parameter);
    assert_close(there.position, nearest.position, 1e-12);
    sn_vec3 r = sn_vec3_sub(nearest.position, point);
    double speed = sn_length(nearest.first);
    // In the parameter; far from centres of curvature, where the bottom is flat.
    double bend = speed * speed + sn_dot(r, nearest.second);
    if (bend > 0.01 * speed * speed) {
        assert_near(sn_dot(r, nearest.first) / (speed * speed), 0.0,
                    1e-13 * (1.0 + sn_length(r) / speed));
    }
}

static void test_nearest_against_brute_force(void **state)
{
    (void)state;
    sn_random random = {.seed = 25};
    for (int trial = 0; trial < 100; ++trial) {
        bool closed = trial % 2 == 1;
        sn_curve *curve = random_curve(&random, closed);
        double extent = sn_curve_extent(curve);
        for (int k = 0; k < 20; ++k) {
            sn_vec3 point = random_vector(&random, 4.0);
            sn_curve_point nearest = sn_curve_nearest(curve, point, NAN);
            double distance = sn_distance(nearest.position, point), least = INFINITY;
            double low = closed ? 0.0 : -10.0, high = closed ? extent : extent + 10.0;
            for (int i = 0; i <= 4000; ++i) {
                double u = low + (high - low) * i / 4000.0;
                least = fmin(least, sn_distance(sn_curve_at(curve, u).position, point));
            }
            assert_true(distance <= least + 1e-14);
            assert_true(distance >= least - (high - low) / 4000.0 * 20.0);
            assert_stationary(curve, nearest, point);
            assert_true(!closed || (nearest.parameter >= 0.0 && nearest.parameter < extent));
            // From there downhill is where it is.
            sn_curve_point again = sn_curve_nearest(curve, point, nearest.parameter);
            assert_near(again.parameter, nearest.parameter, 1e-9 * extent);
            assert_true(sn_distance(again.position, point) <= distance + 1e-15);
        }
        sn_curve_release(curve);
    }
}

// Points beside the curve, nearer than any curvature: the foot is known, and found from afar.
static void test_feet_are_found(void **state)
{
    (void)state;
    sn_random random = {.seed = 26};
    for (int trial = 0; trial < 100; ++trial) {
        bool closed = trial % 2 == 1;
        sn_curve *curve = random_curve(&random, closed);
        double extent = sn_curve_extent(curve);
        for (int k = 0; k < 20; ++k) {
            double u = sn_random_range(&random, -2.0, 3.0) * extent;
            sn_curve_point foot = sn_curve_at(curve, u);
            double speed = sn_length(foot.first), bend = sn_length(foot.second);
            sn_vec3 side = sn_normalize(sn_cross(foot.first, random_vector(&random, 1.0)));
            double off = 0.01 * fmin(1.0, speed * speed / (bend + 1e-9));
            sn_vec3 point = sn_vec3_add_scaled(foot.position, off, side);
            double near = u + 0.02 * speed * speed / (bend + 1.0) * (k % 2 == 0 ? 1.0 : -1.0);
            sn_curve_point found = sn_curve_nearest(curve, point, near);
            assert_near(found.parameter, u, 1e-12 * (1.0 + fabs(u)) / fmin(1.0, speed * speed));
            assert_stationary(curve, found, point);
        }
        sn_curve_release(curve);
    }
}

// A bead goes round a closed curve many times: its parameter counts on, both ways.
static void test_bead_counts_rounds(void **state)
{
    (void)state;
    sn_vec3 points[12];
    circle_points(12, 1.0, points);
    sn_curve *curve = make(points, 12, true);
    double extent = sn_curve_extent(curve);
    for (int way = -1; way <= 1; way += 2) {
        double parameter = 0.0;
        for (int k = 1; k <= 500; ++k) {
            double angle = way * 0.1 * k;
            sn_vec3 point = sn_vec3_make(1.1 * cos(angle), 1.1 * sin(angle), 0.3);
            sn_curve_point found = sn_curve_nearest(curve, point, parameter);
            assert_true(fabs(found.parameter - parameter) < 0.15);
            parameter = found.parameter;
        }
        assert_near(parameter / extent, way * 50.0 / (2.0 * SN_PI), 1e-3);
    }
    sn_curve_release(curve);
}

// Two straight stretches a hand's breadth apart, joined far away: downhill stays on its own one.
static void test_bead_does_not_jump_across(void **state)
{
    (void)state;
    sn_vec3 points[15] = {{0}};
    for (int i = 0; i < 15; ++i) {
        points[i] = i < 7 ? sn_vec3_make(i, 0.0, 0.0) : sn_vec3_make(14 - i, 0.05, 0.0);
    }
    points[7] = sn_vec3_make(7.0, 0.025, 1.0);
    sn_curve *curve = make(points, 15, false);
    sn_vec3 point = {1.5, 0.04, 0.0};
    sn_curve_point near = sn_curve_nearest(curve, point, 1.4);
    sn_curve_point best = sn_curve_nearest(curve, point, NAN);
    assert_near(near.parameter, 1.5, 0.05);
    assert_true(best.parameter > 10.0);
    assert_true(sn_distance(best.position, point) < sn_distance(near.position, point));
    sn_curve_release(curve);
}

// A wave has a valley for each of its crests when looked at from above. From wherever it starts,
// the search ends at the bottom of its own valley: where small steps downhill lead.
static void test_descent_stays_in_its_valley(void **state)
{
    (void)state;
    sn_vec3 points[61];
    for (int i = 0; i < 61; ++i) {
        points[i] = sn_vec3_make(0.125 * i, 0.5 * sin(SN_PI * 0.25 * i), 0.0);
    }
    sn_curve *curve = make(points, 61, false);
    double extent = sn_curve_extent(curve), h = extent / 20000.0;
    int valleys = 0;
    double last = -1.0;
    for (int k = 1; k < 400; ++k) {
        double start = extent * k / 400.0, u = start;
        sn_vec3 point = {3.0, 4.0, 0.5};
        sn_vec3 off = sn_vec3_sub(sn_curve_at(curve, u).position, point);
        double way = sn_dot(off, sn_curve_at(curve, u).first) < 0.0 ? h : -h;
        while (sn_distance(sn_curve_at(curve, u + way).position, point) <
               sn_distance(sn_curve_at(curve, u).position, point)) {
            u += way;
        }
        sn_curve_point found = sn_curve_nearest(curve, point, start);
        assert_near(found.parameter, u, 2.0 * h);
        valleys += found.parameter > last + 0.1 ? 1 : 0;
        last = found.parameter;
    }
    assert_true(valleys >= 7);
    sn_curve_release(curve);
}

// Feet at the closing point, a last bit to either side: the parameter is still that of one round.
static void test_nearest_at_the_closing_point(void **state)
{
    (void)state;
    sn_vec3 points[10];
    circle_points(10, 1.0, points);
    sn_curve *curve = make(points, 10, true);
    double extent = sn_curve_extent(curve);
    for (int k = -200; k <= 200; ++k) {
        sn_vec3 point = {1.3, 1e-17 * k * k * k, 0.1};
        sn_curve_point found = sn_curve_nearest(curve, point, NAN);
        assert_true(found.parameter >= 0.0 && found.parameter < extent);
        assert_close(found.position, points[0], 1e-9);
    }
    sn_curve_release(curve);
}

// Centres of circles, where every point is as near: any of them, and finite.
static void test_nearest_of_centre(void **state)
{
    (void)state;
    sn_vec3 points[24];
    circle_points(24, 1.0, points);
    sn_curve *curve = make(points, 24, true);
    double start[] = {NAN, 0.0, 3.3, -40.0};
    for (int k = 0; k < 4; ++k) {
        sn_curve_point found = sn_curve_nearest(curve, SN_VEC3_ZERO, start[k]);
        assert_near(sn_length(found.position), 1.0, 1e-4);
        assert_true(isfinite(found.parameter));
    }
    assert_true(isnan(sn_curve_nearest(curve, sn_vec3_make(NAN, 0.0, 0.0), NAN).parameter) ||
                sn_curve_nearest(curve, sn_vec3_make(NAN, 0.0, 0.0), NAN).parameter == 0.0);
    sn_curve_release(curve);
}

static void test_curves_are_shared(void **state)
{
    (void)state;
    sn_vec3 points[] = {{0, 0, 0}, {1, 1, 0}, {2, 0, 1}};
    sn_curve *curve = make(points, 3, false);
    assert_ptr_equal(sn_curve_retain(curve), curve);
    sn_curve_release(curve);
    points[1] = SN_VEC3_ZERO;
    assert_close(sn_curve_at(curve, sqrt(2.0)).position, sn_vec3_make(1.0, 1.0, 0.0), 1e-15);
    uint64_t before = sn_allocation_count();
    assert_true(isfinite(sn_curve_nearest(curve, SN_VEC3_ZERO, NAN).parameter));
    assert_true(isfinite(sn_curve_nearest(curve, SN_VEC3_ZERO, 1.0).parameter));
    assert_true(sn_allocation_count() == before);
    sn_curve_release(curve);
    sn_curve_release(NULL);
    assert_null(sn_curve_retain(NULL));
}

static void assert_refused(const sn_vec3 *points, int count, bool closed, const char *text)
{
    sn_curve_def def = {points, count, closed};
    sn_error error = {0};
    sn_curve *curve = (sn_curve *)&error;
    assert_int_equal(sn_curve_create(&def, "joint 'bead'", &curve, &error), SN_ERROR_ARGUMENT);
    assert_null(curve);
    assert_string_equal(error.place, "joint 'bead'");
    if (strstr(error.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", error.text, text);
    }
}

static void test_bad_curves_are_refused(void **state)
{
    (void)state;
    sn_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}};
    assert_refused(points, 1, false, "through 1 points; at least 2");
    assert_refused(points, 2, true, "through 2 points; at least 3");
    assert_refused(NULL, 4, true, "at least 3");
    assert_refused(points, 4, true, "points 4 and 1 of the closed curve coincide");
    sn_vec3 twice[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    assert_refused(twice, 3, false, "points 2 and 3 of the curve coincide");
    twice[2].y = NAN;
    assert_refused(twice, 3, false, "point 3 of the curve is (1, nan, 0)");
    sn_vec3 back[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    assert_refused(back, 3, false, "turns round on the spot between points 1 and 2");
    sn_vec3 far[] = {{0, 0, 0}, {1e300, 0, 0}, {0, 1e300, 0}};
    assert_refused(far, 3, false, "too far apart");
}

static void test_curves_without_memory(void **state)
{
    (void)state;
    sn_vec3 points[] = {{0, 0, 0}, {1, 1, 0}, {2, 0, 1}};
    sn_curve_def def = {points, 3, true};
    int failures = 0;
    for (int k = 0;; ++k) {
        sn_curve *curve = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(k);
        sn_status status = sn_curve_create(&def, "joint 'bead'", &curve, &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            sn_curve_release(curve);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(curve);
        ++failures;
    }
    assert_int_equal(failures, 5);
}

// ---- surfaces ----

static sn_surface_def some_surface(int type)
{
    return (sn_surface_def){.type = (sn_surface_type)type,
                            .radius = 1.5,
                            .tube_radius = 0.4,
                            .angle = 0.6,
                            .size = {1.0, 0.7, 1.6}};
}

// A point of the surface by its two coordinates.
static sn_vec3 on_surface(const sn_surface_def *def, double s, double t)
{
    double r = def->radius, ring = r + def->tube_radius * cos(s);
    switch (def->type) {
    case SN_SURFACE_PLANE:
        return sn_vec3_make(s, t, 0.0);
    case SN_SURFACE_SPHERE:
        return sn_vec3_make(r * cos(s) * cos(t), r * cos(s) * sin(t), r * sin(s));
    case SN_SURFACE_CYLINDER:
        return sn_vec3_make(r * cos(t), r * sin(t), s);
    case SN_SURFACE_CONE: {
        double rho = fabs(s) * sin(def->angle);
        return sn_vec3_make(rho * cos(t), rho * sin(t), fabs(s) * cos(def->angle));
    }
    case SN_SURFACE_TORUS:
        return sn_vec3_make(ring * cos(t), ring * sin(t), def->tube_radius * sin(s));
    default:
        return sn_vec3_make(def->size.x * cos(s) * cos(t), def->size.y * cos(s) * sin(t),
                            def->size.z * sin(s));
    }
}

// Zero on the surface, with a unit gradient at right angles to it, along which it grows as fast as
// one goes: exactly where f is the distance, to first order on the ellipsoid.
static void test_surfaces_are_zero_sets(void **state)
{
    (void)state;
    sn_random random = {.seed = 27};
    for (int type = 0; type < SN_SURFACE_TYPE_COUNT; ++type) {
        sn_surface_def def = some_surface(type);
        assert_int_equal(sn_surface_check(&def, "joint 'slide'", NULL), SN_OK);
        for (int k = 0; k < 500; ++k) {
            double s = sn_random_range(&random, -3.0, 3.0), t = sn_random_range(&random, -3.0, 3.0);
            double h = 1e-6;
            sn_vec3 point = on_surface(&def, s, t);
            sn_surface_point f = sn_surface_at(&def, point);
            assert_near(f.value, 0.0, 1e-15);
            assert_near(sn_length(f.gradient), 1.0, 1e-14);
            sn_vec3 along = sn_vec3_sub(on_surface(&def, s + h, t), on_surface(&def, s - h, t));
            sn_vec3 across = sn_vec3_sub(on_surface(&def, s, t + h), on_surface(&def, s, t - h));
            assert_near(sn_dot(f.gradient, along) / h, 0.0, 1e-8);
            assert_near(sn_dot(f.gradient, across) / h, 0.0, 1e-8);
            double off = sn_random_range(&random, 0.0, 0.5);
            double beside = sn_surface_at(&def, sn_vec3_add_scaled(point, off, f.gradient)).value;
            assert_near(beside, off, type == SN_SURFACE_ELLIPSOID ? 2.0 * off * off : 1e-15);
        }
    }
}

static double component(sn_vec3 a, int axis)
{
    double numbers[3];
    sn_vec3_put(numbers, a);
    return numbers[axis];
}

static void test_derivatives_of_surfaces(void **state)
{
    (void)state;
    sn_random random = {.seed = 28};
    for (int type = 0; type < SN_SURFACE_TYPE_COUNT; ++type) {
        sn_surface_def def = some_surface(type);
        for (int k = 0; k < 500; ++k) {
            sn_vec3 point = random_vector(&random, 2.5);
            double rho = sqrt(point.x * point.x + point.y * point.y);
            // Away from axes and cores, and from where a cone's two distances meet.
            double core = hypot(rho - def.radius, point.z);
            double meet = rho * sin(def.angle) + point.z * cos(def.angle);
            if (rho < 0.1 || core < 0.1 || fabs(meet) < 1e-3) {
                continue;
            }
            sn_surface_point f = sn_surface_at(&def, point);
            double h = 1e-4;
            for (int axis = 0; axis < 3; ++axis) {
                sn_vec3 e = {axis == 0, axis == 1, axis == 2};
                sn_surface_point a1 = sn_surface_at(&def, sn_vec3_add_scaled(point, h, e)),
                                 b1 = sn_surface_at(&def, sn_vec3_add_scaled(point, -h, e)),
                                 a2 = sn_surface_at(&def, sn_vec3_add_scaled(point, 2.0 * h, e)),
                                 b2 = sn_surface_at(&def, sn_vec3_add_scaled(point, -2.0 * h, e));
                // Fourth-order central differences.
                double slope = (8.0 * (a1.value - b1.value) - (a2.value - b2.value)) / (12.0 * h);
                assert_near(component(f.gradient, axis), slope, 1e-9);
                sn_vec3 column = sn_sym3_apply(&f.hessian, e);
                sn_vec3 found =
                    sn_vec3_sub(sn_vec3_scale(8.0, sn_vec3_sub(a1.gradient, b1.gradient)),
                                sn_vec3_sub(a2.gradient, b2.gradient));
                assert_close(column, sn_vec3_scale(1.0 / (12.0 * h), found), 1e-8);
            }
        }
    }
}

// The distance below a cone's tip is that of the tip; both parts meet without a jump.
static void test_cone_below_its_tip(void **state)
{
    (void)state;
    sn_surface_def def = some_surface(SN_SURFACE_CONE);
    assert_near(sn_surface_at(&def, sn_vec3_make(0.3, 0.0, -4.0)).value, hypot(0.3, 4.0), 1e-15);
    for (int i = 0; i < 12; ++i) {
        double t = 0.5 * i;
        // Along the normals of the tip, a bit above and a bit below.
        double rho = 2.0 * cos(def.angle), z = -2.0 * sin(def.angle), h = 1e-9;
        sn_vec3 n = {cos(t) * sin(def.angle), sin(t) * sin(def.angle), cos(def.angle)};
        sn_vec3 point = sn_vec3_make(rho * cos(t), rho * sin(t), z);
        sn_surface_point above = sn_surface_at(&def, sn_vec3_add_scaled(point, h, n));
        sn_surface_point below = sn_surface_at(&def, sn_vec3_add_scaled(point, -h, n));
        assert_near(above.value, 2.0, 1e-15);
        assert_near(below.value, 2.0, 1e-15);
        assert_close(above.gradient, below.gradient, 1e-8);
    }
}

// A sphere is an ellipsoid, at any size.
static void test_ellipsoid_of_equal_axes(void **state)
{
    (void)state;
    sn_random random = {.seed = 29};
    double sizes[] = {1e-90, 1e-3, 1.0, 1e60};
    for (int k = 0; k < 100; ++k) {
        double r = sizes[k % 4];
        sn_surface_def ball = {.type = SN_SURFACE_SPHERE, .radius = r};
        sn_surface_def same = {.type = SN_SURFACE_ELLIPSOID, .size = {r, r, r}};
        sn_vec3 point = random_vector(&random, 2.0 * r);
        sn_surface_point a = sn_surface_at(&ball, point), b = sn_surface_at(&same, point);
        assert_near(a.value / r, b.value / r, 1e-14);
        assert_close(a.gradient, b.gradient, 1e-14);
        assert_near(a.hessian.xx * r, b.hessian.xx * r, 1e-12);
        assert_near(a.hessian.xy * r, b.hessian.xy * r, 1e-12);
        assert_near(a.hessian.xz * r, b.hessian.xz * r, 1e-12);
        assert_near(a.hessian.yy * r, b.hessian.yy * r, 1e-12);
        assert_near(a.hessian.yz * r, b.hessian.yz * r, 1e-12);
        assert_near(a.hessian.zz * r, b.hessian.zz * r, 1e-12);
    }
}

static bool is_sound(const sn_surface_point *f)
{
    return isfinite(f->value) && sn_vec3_is_finite(f->gradient) && isfinite(f->hessian.xx) &&
           isfinite(f->hessian.xy) && isfinite(f->hessian.xz) && isfinite(f->hessian.yy) &&
           isfinite(f->hessian.yz) && isfinite(f->hessian.zz);
}

static void test_degenerate_places(void **state)
{
    (void)state;
    double shift[] = {0.0, -0.0, 1e-300, 1e-12, -1e-9, 1e-8};
    for (int type = 0; type < SN_SURFACE_TYPE_COUNT; ++type) {
        sn_surface_def def = some_surface(type);
        sn_vec3 places[] = {{0, 0, 0}, {0, 0, 1.2}, {0, 0, -1.2}, {1.5, 0, 0}, {-1.5, 0, 0}};
        for (int i = 0; i < 5; ++i) {
            for (int k = 0; k < 6; ++k) {
                sn_vec3 point = sn_vec3_add(places[i], sn_vec3_make(shift[k], 0.0, shift[5 - k]));
                sn_surface_point f = sn_surface_at(&def, point);
                assert_true(is_sound(&f));
                if (type != SN_SURFACE_ELLIPSOID) {
                    assert_near(sn_length(f.gradient), 1.0, 1e-14);
                    // Distances do not jump.
                    sn_surface_point at = sn_surface_at(&def, places[i]);
                    assert_near(f.value, at.value, 2e-8);
                }
            }
        }
    }
    sn_surface_def cone = some_surface(SN_SURFACE_CONE), torus = some_surface(SN_SURFACE_TORUS);
    assert_close(sn_surface_at(&cone, SN_VEC3_ZERO).gradient, sn_vec3_make(0.0, 0.0, -1.0), 1e-15);
    assert_near(sn_surface_at(&torus, sn_vec3_make(0.0, 1.5, 0.0)).value, -0.4, 1e-9);
    assert_close(sn_surface_at(&torus, sn_vec3_make(0.0, 1.5, 0.0)).gradient,
                 sn_vec3_make(0.0, 1.0, 0.0), 0.0);
}

static void assert_bad_surface(sn_surface_def def, const char *text)
{
    sn_error error = {0};
    assert_int_equal(sn_surface_check(&def, "joint 'slide'", &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.place, "joint 'slide'");
    if (strstr(error.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", error.text, text);
    }
}

static void test_bad_surfaces_are_refused(void **state)
{
    (void)state;
    for (int type = 0; type < SN_SURFACE_TYPE_COUNT; ++type) {
        sn_surface_def def = some_surface(type);
        def.radius = type == SN_SURFACE_CONE || type == SN_SURFACE_ELLIPSOID ? NAN : 0.0;
        bool has_radius =
            type == SN_SURFACE_SPHERE || type == SN_SURFACE_CYLINDER || type == SN_SURFACE_TORUS;
        if (has_radius) {
            assert_bad_surface(def, "radius of the surface is 0 m; a positive number");
        } else {
            assert_int_equal(sn_surface_check(&def, NULL, NULL), SN_OK);
        }
    }
    sn_surface_def def = some_surface(SN_SURFACE_TORUS);
    def.tube_radius = 1.5;
    assert_bad_surface(def, "tube radius of the torus is 1.5 m; between 0 and its radius, 1.5 m");
    def = some_surface(SN_SURFACE_CONE);
    def.angle = 2.0;
    assert_bad_surface(def, "angle of the cone is 2;");
    def = some_surface(SN_SURFACE_ELLIPSOID);
    def.size.y = INFINITY;
    assert_bad_surface(def, "half axes of the ellipsoid are (1, inf, 1.6) m");
    def.type = SN_SURFACE_TYPE_COUNT;
    assert_bad_surface(def, "surface type 6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_points_are_a_line),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_length_against_simpson),
        cmocka_unit_test(test_derivatives_of_curves),
        cmocka_unit_test(test_second_derivatives_of_curves),
        cmocka_unit_test(test_curves_pass_knots_smoothly),
        cmocka_unit_test(test_nearest_against_brute_force),
        cmocka_unit_test(test_feet_are_found),
        cmocka_unit_test(test_bead_counts_rounds),
        cmocka_unit_test(test_bead_does_not_jump_across),
        cmocka_unit_test(test_descent_stays_in_its_valley),
        cmocka_unit_test(test_nearest_at_the_closing_point),
        cmocka_unit_test(test_nearest_of_centre),
        cmocka_unit_test(test_curves_are_shared),
        cmocka_unit_test(test_bad_curves_are_refused),
        cmocka_unit_test(test_curves_without_memory),
        cmocka_unit_test(test_surfaces_are_zero_sets),
        cmocka_unit_test(test_derivatives_of_surfaces),
        cmocka_unit_test(test_cone_below_its_tip),
        cmocka_unit_test(test_ellipsoid_of_equal_axes),
        cmocka_unit_test(test_degenerate_places),
        cmocka_unit_test(test_bad_surfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
