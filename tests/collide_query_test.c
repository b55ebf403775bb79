// Distance, rays, casts and impacts of convex colliders: closed forms, and marching as oracle.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/hull_shape.h"
#include "collide/query.h"
#include "math/rotation.h"
#include "sanitized.h"

static sn_vec3 random_vector(sn_random *r)
{
    for (;;) {
        sn_vec3 v = {sn_random_range(r, -1, 1), sn_random_range(r, -1, 1),
                     sn_random_range(r, -1, 1)};
        double n = sn_dot(v, v);
        if (n <= 1.0 && n > 1e-4) {
            return v;
        }
    }
}

static sn_quat random_rotation(sn_random *r)
{
    return sn_quat_from_axis_angle(random_vector(r), sn_random_range(r, 0, 2 * SN_PI));
}

enum { KINDS = 10 };

typedef struct kinds {
    sn_hull *hull;
    sn_vec3 triangle[3];
    sn_collider all[KINDS];
} kinds;

static void kinds_make(kinds *k)
{
    sn_random r = {.seed = 3};
    sn_vec3 points[40];
    for (int i = 0; i < 40; ++i) {
        points[i] = random_vector(&r);
    }
    assert_int_equal(sn_hull_from_points(points, 40, &k->hull, NULL), SN_OK);
    k->triangle[0] = sn_vec3_make(-1.0, -0.5, 0.1);
    k->triangle[1] = sn_vec3_make(1.0, -0.5, -0.1);
    k->triangle[2] = sn_vec3_make(0.0, 1.0, 0.2);
    k->all[0] = sn_collider_sphere(0.7);
    k->all[1] = sn_collider_capsule(0.3, 0.6);
    k->all[2] = sn_collider_cylinder(0.5, 0.8);
    k->all[3] = sn_collider_cone(0.6, 0.7);
    k->all[4] = sn_collider_box(sn_vec3_make(0.4, 0.6, 0.8), 0.0);
    k->all[5] = sn_collider_box(sn_vec3_make(0.3, 0.5, 0.7), 0.1);
    k->all[6] = sn_collider_hull(k->hull, 0.0);
    k->all[7] = sn_collider_hull(k->hull, 0.2);
    k->all[8] = sn_collider_triangle(k->triangle, 1.0);
    k->all[9] = sn_collider_plane();
}

static double distance_to_point(const sn_collider *c, const sn_transform *place, sn_vec3 point)
{
    sn_collider dot = sn_collider_sphere(0.0);
    sn_transform at = {point, SN_QUAT_IDENTITY};
    sn_vec3 p, q;
    return sn_collide_distance(c, place, &dot, &at, NULL, &p, &q);
}

// ---- distance ----

static void test_distance(void **state)
{
    (void)state;
    kinds k;
    kinds_make(&k);
    sn_random r = {.seed = 9};
    for (int i = 0; i < 20000; ++i) {
        int first = sn_random_below(&r, KINDS - 1), second = sn_random_below(&r, KINDS);
        const sn_collider *a = &k.all[first], *b = &k.all[second];
        sn_transform pa = {random_vector(&r), random_rotation(&r)};
        sn_transform pb = {sn_vec3_scale(3.0, random_vector(&r)), random_rotation(&r)};
        sn_vec3 on_a, on_b, back_a, back_b;
        double d = sn_collide_distance(a, &pa, b, &pb, NULL, &on_a, &on_b);
        double back = sn_collide_distance(b, &pb, a, &pa, NULL, &back_b, &back_a);
        assert_true(fabs(d - back) < 1e-5 || d < 0.0);
        assert_true(fabs(fabs(d) - sn_distance(on_a, on_b)) < 1e-7);
        if (d > 0.0) { // the points are on both, so no distance is shorter
            assert_true(fabs(distance_to_point(a, &pa, on_a)) < 1e-6);
            assert_true(fabs(distance_to_point(b, &pb, on_b)) < 1e-6);
            assert_true(fabs(distance_to_point(a, &pa, on_b) - d) < 1e-6);
        }
    }
    sn_vec3 p, q;
    sn_collider plane = sn_collider_plane();
    sn_transform at = {{0, 0, 1}, {1, 0, 0, 0}};
    assert_true(sn_collide_distance(&plane, &at, &plane, &at, NULL, &p, &q) == INFINITY);
    sn_hull_release(k.hull);
}

// ---- rays ----

static void check_ray(const sn_collider *c, const sn_transform *place, sn_vec3 from, sn_vec3 way,
                      int *hits)
{
    double fraction = -1.0;
    sn_vec3 point, normal;
    bool met = sn_collide_ray(c, place, from, way, 1.0, &fraction, &point, &normal);
    double until = met ? fraction : 1.0;
    // Nothing is met before.
    for (int i = 0; i < 40; ++i) {
        sn_vec3 x = sn_vec3_add_scaled(from, until * i / 40.0, way);
        double d = distance_to_point(c, place, x);
        assert_true(d > -1e-7 || (met && fraction == 0.0));
    }
    if (!met) {
        return;
    }
    *hits += 1;
    assert_true(fraction >= 0.0 && fraction <= 1.0);
    assert_true(fabs(sn_length(normal) - 1.0) < 1e-9);
    assert_true(sn_distance(point, sn_vec3_add_scaled(from, fraction, way)) < 1e-7);
    if (fraction > 0.0) {
        assert_true(fabs(distance_to_point(c, place, point)) < 1e-7);
        assert_true(sn_dot(normal, way) <= 1e-7);
        // Just outside along the normal, the nearest point is the one that was met.
        sn_vec3 x = sn_vec3_add_scaled(point, 1e-3, normal);
        assert_true(fabs(distance_to_point(c, place, x) - 1e-3) < 1e-7);
    } else {
        assert_true(distance_to_point(c, place, from) < 1e-7);
    }
}

static void test_rays(void **state)
{
    (void)state;
    kinds k;
    kinds_make(&k);
    sn_random r = {.seed = 13};
    int rounds = rounds_of(20000, 1000), hits = 0;
    for (int i = 0; i < rounds; ++i) {
        sn_transform place = {random_vector(&r), random_rotation(&r)};
        sn_vec3 from = sn_vec3_scale(2.5, random_vector(&r));
        sn_vec3 to = sn_vec3_add_scaled(place.position, 1.0, random_vector(&r));
        sn_vec3 way = sn_vec3_scale(2.0, sn_vec3_sub(to, from));
        if (i % 20 == 0) { // along one of its axes
            way = sn_rotate(place.rotation, sn_vec3_make(0.0, 0.0, i % 40 == 0 ? 4.0 : -4.0));
        }
        check_ray(&k.all[i % KINDS], &place, from, way, &hits);
    }
    assert_true(hits > rounds / 3);
    sn_hull_release(k.hull);
}

// From a thousand kilometres away, to the micrometre.
static void test_ray_from_afar(void **state)
{
    (void)state;
    sn_collider ball = sn_collider_sphere(0.5), box = sn_collider_box(sn_vec3_make(1, 1, 1), 0.0);
    sn_transform at = {{0, 0, 0}, {1, 0, 0, 0}};
    double fraction;
    sn_vec3 point, normal;
    sn_vec3 from = {-1e6, 0.3, 0.0}, way = {1.0, 0.0, 0.0};
    assert_true(sn_collide_ray(&ball, &at, from, way, 2e6, &fraction, &point, &normal));
    assert_true(fabs(point.x + 0.4) < 1e-9 && fabs(fraction - (1e6 - 0.4)) < 1e-9);
    assert_true(sn_distance(normal, sn_vec3_make(-0.8, 0.6, 0.0)) < 1e-9);
    assert_true(sn_collide_ray(&box, &at, from, way, 2e6, &fraction, &point, &normal));
    assert_true(fabs(point.x + 1.0) < 1e-9 && normal.x == -1.0);
    assert_false(sn_collide_ray(&box, &at, from, way, 9e5, &fraction, &point, &normal));
    assert_false(sn_collide_ray(&box, &at, from, SN_VEC3_ZERO, 1.0, &fraction, &point, &normal));
}

// ---- casts ----

static void test_casts(void **state)
{
    (void)state;
    kinds k;
    kinds_make(&k);
    sn_random r = {.seed = 17};
    int rounds = rounds_of(10000, 500), hits = 0;
    for (int i = 0; i < rounds; ++i) {
        const sn_collider *a = &k.all[i % (KINDS - 1)], *b = &k.all[i / KINDS % KINDS];
        sn_transform pb = {random_vector(&r), random_rotation(&r)};
        sn_transform pa = {sn_vec3_scale(4.0, random_vector(&r)), random_rotation(&r)};
        sn_vec3 to = sn_vec3_add_scaled(pb.position, 1.5, random_vector(&r)), point, normal, p, q;
        sn_vec3 way = sn_vec3_sub(to, pa.position);
        double fraction;
        bool met = sn_collide_cast(a, &pa, way, b, &pb, &fraction, &point, &normal);
        sn_transform place = pa;
        for (int n = 0; n < 20; ++n) {
            double s = (met ? fraction : 1.0) * n / 20.0;
            place.position = sn_vec3_add_scaled(pa.position, s, way);
            double d = sn_collide_distance(a, &place, b, &pb, NULL, &p, &q);
            assert_true(d > -1e-6 || (met && fraction == 0.0));
        }
        if (met && fraction > 0.0) {
            ++hits;
            place.position = sn_vec3_add_scaled(pa.position, fraction, way);
            assert_true(fabs(sn_collide_distance(a, &place, b, &pb, NULL, &p, &q)) < 1e-6);
            assert_true(fabs(distance_to_point(b, &pb, point)) < 1e-6);
            assert_true(sn_dot(normal, way) < 1e-6);
        }
    }
    assert_true(hits > rounds / 3);
    sn_hull_release(k.hull);
}

// ---- impacts ----

static void test_impacts(void **state)
{
    (void)state;
    kinds k;
    kinds_make(&k);
    sn_random r = {.seed = 19};
    int rounds = rounds_of(4000, 300), hits = 0;
    const double nearness = 0.01;
    for (int i = 0; i < rounds; ++i) {
        const sn_collider *a = &k.all[i % (KINDS - 1)], *b = &k.all[i / KINDS % KINDS];
        sn_sweep sa = {.centre = sn_vec3_scale(0.2, random_vector(&r))}, sb = {{0, 0, 0}};
        sa.start = (sn_transform){sn_vec3_scale(4.0, random_vector(&r)), random_rotation(&r)};
        sa.end = (sn_transform){random_vector(&r), random_rotation(&r)};
        sb.start = (sn_transform){random_vector(&r), random_rotation(&r)};
        sb.end = sb.start;
        if (b->type != SN_COLLIDER_PLANE) {
            sb.end = (sn_transform){random_vector(&r), random_rotation(&r)};
        }
        double fraction = 1.0;
        bool met = sn_collide_impact(a, &sa, b, &sb, nearness, &fraction);
        double until = met ? fraction : 1.0;
        sn_vec3 p, q;
        for (int n = 0; n <= 40; ++n) {
            double s = until * n / 40.0;
            sn_transform pa = sn_sweep_at(&sa, s), pb = sn_sweep_at(&sb, s);
            double d = sn_collide_distance(a, &pa, b, &pb, NULL, &p, &q);
            assert_true(d > 0.999 * nearness || (met && fraction == 0.0));
            if (met && fraction > 0.0 && n == 40) { // and there they are as near as that
                ++hits;
                assert_true(d < 1.011 * nearness);
            }
        }
    }
    assert_true(hits > rounds / 4);
    sn_hull_release(k.hull);
}

// Small bodies at up to 500 m/s, spinning, through a plate of a millimetre in a step of 1/60 s: not
// one is missed.
static void test_thin_plate(void **state)
{
    (void)state;
    sn_random r = {.seed = 23};
    sn_collider plate = sn_collider_box(sn_vec3_make(2.0, 2.0, 5e-4), 0.0);
    int rounds = rounds_of(10000, 500);
    for (int i = 0; i < rounds; ++i) {
        double size = sn_random_range(&r, 1e-3, 2e-2);
        sn_collider bodies[] = {sn_collider_sphere(size),
                                sn_collider_box(sn_vec3_make(size, 0.5 * size, 0.1 * size), 0.0),
                                sn_collider_cylinder(size, 0.2 * size),
                                sn_collider_capsule(0.3 * size, size),
                                sn_collider_cone(size, size)};
        sn_sweep ball = {.centre = {0, 0, 0}}, still = {.centre = {0, 0, 0}};
        still.start = (sn_transform){random_vector(&r), random_rotation(&r)};
        still.end = still.start;
        // Through a point of the plate, from one side to the other.
        sn_vec3 through = {sn_random_range(&r, -1, 1), sn_random_range(&r, -1, 1), 0.0};
        sn_vec3 way =
            sn_vec3_scale(sn_random_range(&r, 50, 500) / 60.0, sn_normalize(random_vector(&r)));
        way.z = way.z < 0.0 ? way.z - 0.2 : way.z + 0.2;
        double when = sn_random_range(&r, 0.2, 0.8);
        sn_vec3 from = sn_vec3_add_scaled(through, -when, way);
        ball.start.position = sn_transform_point(still.start, from);
        ball.end.position = sn_transform_point(still.start, sn_vec3_add(from, way));
        ball.start.rotation = random_rotation(&r);
        ball.end.rotation = random_rotation(&r);
        double fraction;
        assert_true(sn_collide_impact(&bodies[i % 5], &ball, &plate, &still, 1e-5, &fraction));
        assert_true(fraction <= when);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),      cmocka_unit_test(test_rays),
        cmocka_unit_test(test_ray_from_afar), cmocka_unit_test(test_casts),
        cmocka_unit_test(test_impacts),       cmocka_unit_test(test_thin_plate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
