// GJK and EPA: closed forms, brute force over triangles, warm starts, and degenerate cores.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/epa.h"
#include "collide/hull_shape.h"
#include "math/rotation.h"

static const sn_transform identity = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static sn_vec3 random_vector(sn_random *r)
{
    return sn_vec3_make(sn_random_range(r, -1, 1), sn_random_range(r, -1, 1),
                        sn_random_range(r, -1, 1));
}

static sn_quat random_rotation(sn_random *r)
{
    return sn_quat_from_axis_angle(random_vector(r), sn_random_range(r, 0, 2 * SN_PI));
}

// ---- distance of triangles, the long way ----

static double point_triangle(sn_vec3 x, const sn_vec3 *t)
{
    sn_vec3 n = sn_normalize(sn_cross(sn_vec3_sub(t[1], t[0]), sn_vec3_sub(t[2], t[0])));
    bool over = true;
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        sn_vec3 p = t[k], e = sn_vec3_sub(t[(k + 1) % 3], p), d = sn_vec3_sub(x, p);
        over = over && sn_dot(sn_cross(e, d), n) >= 0.0;
        double s = fmin(1.0, fmax(0.0, sn_dot(d, e) / sn_dot(e, e)));
        best = fmin(best, sn_distance(x, sn_vec3_add_scaled(p, s, e)));
    }
    return over ? fabs(sn_dot(n, sn_vec3_sub(x, t[0]))) : best;
}

static double segment_segment(sn_vec3 p, sn_vec3 u, sn_vec3 q, sn_vec3 v)
{
    sn_vec3 w = sn_vec3_sub(q, p);
    double uu = sn_dot(u, u), vv = sn_dot(v, v), uv = sn_dot(u, v), d = uu * vv - uv * uv;
    double s = d > 0.0 ? (sn_dot(w, u) * vv - sn_dot(w, v) * uv) / d : 0.0;
    s = fmin(1.0, fmax(0.0, s));
    double t = fmin(1.0, fmax(0.0, (s * uv - sn_dot(w, v)) / vv));
    s = fmin(1.0, fmax(0.0, (t * uv + sn_dot(w, u)) / uu));
    return sn_distance(sn_vec3_add_scaled(p, s, u), sn_vec3_add_scaled(q, t, v));
}

// Of triangles that do not cut each other: corner to face, or edge to edge.
static double triangle_triangle(const sn_vec3 *a, const sn_vec3 *b)
{
    double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        best = fmin(best, fmin(point_triangle(a[i], b), point_triangle(b[i], a)));
        for (int j = 0; j < 3; ++j) {
            best = fmin(best, segment_segment(a[i], sn_vec3_sub(a[(i + 1) % 3], a[i]), b[j],
                                              sn_vec3_sub(b[(j + 1) % 3], b[j])));
        }
    }
    return best;
}

static void test_triangles(void **state)
{
    (void)state;
    sn_random r = {.seed = 1};
    int apart = 0;
    for (int i = 0; i < 20000; ++i) {
        sn_vec3 p[3], q[3];
        double thin = i % 4 == 0 ? 1e-3 : 1.0;
        for (int k = 0; k < 3; ++k) {
            p[k] = sn_vec3_multiply(random_vector(&r), sn_vec3_make(1.0, 1.0, thin));
            q[k] = sn_vec3_add_scaled(sn_vec3_make(0.0, 0.0, 1.2), 1.0, random_vector(&r));
        }
        sn_collider a = sn_collider_triangle(p, 1.0), b = sn_collider_triangle(q, 1.0);
        sn_core_pair pair = sn_core_pair_make(&a, &identity, &b, &identity);
        sn_gjk gjk;
        sn_gjk_run(&pair, INFINITY, NULL, &gjk);
        double expected = triangle_triangle(p, q);
        if (gjk.overlap) {
            continue; // they cut each other, which the long way does not see
        }
        ++apart;
        assert_true(fabs(gjk.distance - expected) < 1e-12);
        assert_true(fabs(sn_distance(gjk.on_a, gjk.on_b) - expected) < 1e-12);
        assert_true(gjk.turns < 40);
        sn_gjk limited;
        sn_gjk_run(&pair, 0.5 * expected, NULL, &limited);
        assert_true(limited.beyond && limited.distance > 0.5 * expected &&
                    limited.distance <= expected + 1e-12);
    }
    assert_true(apart > 10000);
}

// ---- warm starts ----

static void test_warm_start(void **state)
{
    (void)state;
    sn_random r = {.seed = 2};
    sn_vec3 points[60];
    for (int i = 0; i < 60; ++i) {
        points[i] = sn_normalize(random_vector(&r));
    }
    sn_hull *hull = NULL;
    assert_int_equal(sn_hull_from_points(points, 60, &hull, NULL), SN_OK);
    sn_collider body = sn_collider_hull(hull, 0.0);
    sn_transform at = {{2.3, 0.4, 0.5}, random_rotation(&r)};
    sn_collide_cache cache = {0};
    int warm = 0, cold = 0;
    for (int i = 0; i < 1000; ++i) {
        at.rotation = sn_quat_multiply(sn_quat_exp(sn_vec3_make(1e-3, 2e-3, -1e-3)), at.rotation);
        sn_core_pair pair = sn_core_pair_make(&body, &identity, &body, &at);
        sn_gjk first, second;
        sn_gjk_run(&pair, INFINITY, &cache, &first);
        sn_gjk_run(&pair, INFINITY, NULL, &second);
        warm += first.turns;
        cold += second.turns;
        assert_true(fabs(first.distance - second.distance) < 1e-12);
    }
    assert_true(warm < 1300); // one look to see that nothing has changed
    assert_true(cold > 2 * warm);
    sn_collide_cache foreign = {.count = 4, .corner_a = {500, 2, 3, 4}, .corner_b = {1, 2, 3, 9}};
    sn_core_pair pair = sn_core_pair_make(&body, &identity, &body, &at);
    sn_gjk gjk, fresh;
    sn_gjk_run(&pair, INFINITY, &foreign, &gjk); // of another hull: not to be trusted
    sn_gjk_run(&pair, INFINITY, NULL, &fresh);
    assert_true(fabs(gjk.distance - fresh.distance) < 1e-12);
    sn_hull_release(hull);
}

// ---- depth ----

static double depth_of(const sn_collider *a, const sn_transform *pa, const sn_collider *b,
                       const sn_transform *pb, sn_vec3 *normal)
{
    sn_core_pair pair = sn_core_pair_make(a, pa, b, pb);
    sn_gjk gjk;
    sn_gjk_run(&pair, INFINITY, NULL, &gjk);
    assert_true(gjk.overlap);
    sn_epa epa;
    sn_epa_run(&pair, &gjk, &epa);
    assert_true(isfinite(epa.depth) && fabs(sn_length(epa.normal) - 1.0) < 1e-12);
    assert_true(sn_vec3_is_finite(epa.on_a) && sn_vec3_is_finite(epa.on_b));
    assert_true(epa.turns <= 100);
    *normal = epa.normal;
    return epa.depth;
}

static void test_depth(void **state)
{
    (void)state;
    sn_random r = {.seed = 3};
    sn_vec3 n;
    for (int i = 0; i < 2000; ++i) {
        // Boxes with common axes: the least of six ways out.
        sn_vec3 p = {sn_random_range(&r, 0.1, 1), sn_random_range(&r, 0.1, 1),
                     sn_random_range(&r, 0.1, 1)};
        sn_vec3 q = {sn_random_range(&r, 0.1, 1), sn_random_range(&r, 0.1, 1),
                     sn_random_range(&r, 0.1, 1)};
        sn_vec3 reach = sn_vec3_add(p, q), d = sn_vec3_multiply(reach, random_vector(&r));
        double expected = fmin(reach.x - fabs(d.x), fmin(reach.y - fabs(d.y), reach.z - fabs(d.z)));
        sn_collider a = sn_collider_box(p, 0.0), b = sn_collider_box(q, 0.0);
        sn_transform at = {d, SN_QUAT_IDENTITY};
        assert_true(fabs(depth_of(&a, &identity, &b, &at, &n) - expected) < 1e-12);
        // A cylinder and a point: the nearer of side and caps.
        sn_collider c = sn_collider_cylinder(p.x, p.y), dot = sn_collider_sphere(0.0);
        double angle = sn_random_range(&r, 0, 6), rho = p.x * sn_random_unit(&r);
        at.position =
            sn_vec3_make(rho * cos(angle), rho * sin(angle), p.y * sn_random_range(&r, -1, 1));
        expected = fmin(p.x - rho, p.y - fabs(at.position.z));
        assert_true(fabs(depth_of(&c, &identity, &dot, &at, &n) - expected) < 1e-4 * p.x);
    }
}

// Flat, needle-like and coincident cores have a depth of nothing, along a way that is open.
static void test_degenerate(void **state)
{
    (void)state;
    sn_vec3 n;
    sn_collider flat = sn_collider_box(sn_vec3_make(1.0, 1.0, 0.0), 0.0);
    assert_true(fabs(depth_of(&flat, &identity, &flat, &identity, &n)) < 1e-12);
    assert_true(fabs(fabs(n.z) - 1.0) < 1e-9);
    sn_collider needle = sn_collider_box(sn_vec3_make(1.0, 0.0, 0.0), 0.0);
    assert_true(fabs(depth_of(&needle, &identity, &needle, &identity, &n)) < 1e-12);
    assert_true(fabs(n.x) < 1e-9);
    sn_collider dot = sn_collider_sphere(0.0);
    assert_true(fabs(depth_of(&dot, &identity, &dot, &identity, &n)) < 1e-12);
    sn_collider disc = sn_collider_cylinder(1.0, 0.0), line = sn_collider_capsule(0.0, 1.0);
    assert_true(fabs(depth_of(&disc, &identity, &disc, &identity, &n)) < 1e-12);
    assert_true(fabs(depth_of(&line, &identity, &line, &identity, &n)) < 1e-12);
    assert_true(fabs(n.z) < 1e-9);
    // A line through the middle of a disc: all ways out are equally long, the worst there is.
    assert_true(fabs(depth_of(&disc, &identity, &line, &identity, &n) - 1.0) < 3e-3);
    sn_vec3 none[3] = {{0.3, 0.0, 0.0}, {0.3, 0.0, 0.0}, {0.3, 0.0, 0.0}};
    sn_collider point = sn_collider_triangle(none, 1.0);
    assert_true(fabs(depth_of(&flat, &identity, &point, &identity, &n)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
