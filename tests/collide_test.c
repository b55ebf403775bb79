// Exact tests of convex colliders: closed forms, and brute force over directions as oracle.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "collide/convex.h"
#include "collide/epa.h"
#include "collide/hull_shape.h"
#include "collide/query.h"
#include "math/rotation.h"
#include "sanitized.h"

// ---- random things ----

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

// Everyday sizes, or flat and needle-like ones.
static double random_size(sn_random *r, bool odd)
{
    int kind = odd ? sn_random_below(r, 4) : 3;
    return kind == 0 ? 0.0 : kind == 1 ? 1e-6 : kind == 2 ? 1e-3 : sn_random_range(r, 0.2, 1.0);
}

enum { HULLS = 6 };

typedef struct zoo {
    const sn_hull *hulls[HULLS];
    sn_vec3 triangle[2][3];
} zoo;

static void zoo_make(zoo *z)
{
    sn_random r = {.seed = 7};
    for (int h = 0; h < HULLS; ++h) {
        sn_vec3 points[200];
        int count = h == 0 ? 4 : h == 1 ? 8 : h == 2 ? 200 : 12 * h;
        for (int i = 0; i < count; ++i) {
            points[i] =
                h == 1 ? sn_vec3_make(i & 1 ? 0.5 : -0.5, i & 2 ? 0.4 : -0.4, i & 4 ? 0.3 : -0.3)
                       : random_vector(&r);
            if (h == 2) {
                points[i] = sn_normalize(points[i]);
            }
        }
        sn_hull *hull = NULL;
        sn_error error = {0};
        if (sn_hull_from_points(points, count, &hull, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        z->hulls[h] = hull;
    }
}

static void zoo_free(zoo *z)
{
    for (int h = 0; h < HULLS; ++h) {
        sn_hull_release(z->hulls[h]);
    }
}

// Any convex kind; `slot` tells which triangle's memory it may use.
static sn_collider random_collider(sn_random *r, zoo *z, sn_collider_type type, bool odd, int slot)
{
    double rounding = sn_random_below(r, 2) == 0 ? 0.0 : sn_random_range(r, 0.0, 0.3);
    switch (type) {
    case SN_COLLIDER_SPHERE:
        return sn_collider_sphere(random_size(r, odd));
    case SN_COLLIDER_CAPSULE:
        return sn_collider_capsule(random_size(r, odd), random_size(r, odd));
    case SN_COLLIDER_CYLINDER:
        return sn_collider_cylinder(random_size(r, odd), random_size(r, odd));
    case SN_COLLIDER_CONE:
        return sn_collider_cone(random_size(r, odd), random_size(r, odd));
    case SN_COLLIDER_BOX: {
        double x = random_size(r, odd), y = random_size(r, odd);
        return sn_collider_box(sn_vec3_make(x, y, random_size(r, odd)), rounding);
    }
    case SN_COLLIDER_HULL:
        return sn_collider_hull(z->hulls[sn_random_below(r, HULLS)], rounding);
    default:
        for (int k = 0; k < 3; ++k) {
            z->triangle[slot][k] = random_vector(r);
        }
        if (odd && sn_random_below(r, 3) == 0) {
            z->triangle[slot][2] = z->triangle[slot][sn_random_below(r, 2)];
        }
        return sn_collider_triangle(z->triangle[slot], 1.0);
    }
}

static double extent(const sn_collider *c)
{
    return sn_distance(c->bounds.lower, c->bounds.upper);
}

// ---- oracle ----

// How far apart they are along a world direction, roundings included.
static double apart(const sn_collider *a, const sn_transform *pa, const sn_collider *b,
                    const sn_transform *pb, sn_vec3 n)
{
    int corner;
    sn_vec3 sa = sn_collider_support(a, sn_rotate_inverse(pa->rotation, n), &corner);
    sn_vec3 back = sn_vec3_negate(n);
    sn_vec3 sb = sn_collider_support(b, sn_rotate_inverse(pb->rotation, back), &corner);
    sn_vec3 d = sn_vec3_sub(sn_transform_point(*pb, sb), sn_transform_point(*pa, sa));
    return sn_dot(d, n) - a->rounding - b->rounding;
}

// The largest over directions: 400 spread ones, then a walk uphill from the best with shrinking
// strides. A lower bound of the signed distance, near to it.
static double sampled_gap(const sn_collider *a, const sn_transform *pa, const sn_collider *b,
                          const sn_transform *pb, sn_vec3 start)
{
    sn_vec3 best_n = start;
    double best = apart(a, pa, b, pb, start);
    for (int i = 0; i < 400; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / 400.0, rho = sqrt(1.0 - z * z);
        sn_vec3 n = {rho * cos(2.399963 * i), rho * sin(2.399963 * i), z};
        double gap = apart(a, pa, b, pb, n);
        if (gap > best) {
            best = gap;
            best_n = n;
        }
    }
    for (int halving = 0; halving < 14; ++halving) {
        double stride = 0.1 / (1 << halving);
        for (int turn = 0; turn < 2; ++turn) {
            sn_vec3 u = sn_perpendicular(best_n), v = sn_cross(best_n, u), from = best_n;
            for (int k = 0; k < 8; ++k) {
                double c = cos(k * SN_PI / 4), s = sin(k * SN_PI / 4);
                sn_vec3 n = sn_vec3_add_scaled(from, stride * c, u);
                n = sn_normalize(sn_vec3_add_scaled(n, stride * s, v));
                double gap = apart(a, pa, b, pb, n);
                if (gap > best) {
                    best = gap;
                    best_n = n;
                }
            }
        }
    }
    return best;
}

// What every manifold must be, whoever made it.
static void check_manifold(const sn_manifold *m, double margin, double size)
{
    assert_true(m->count >= 1 && m->count <= 4);
    assert_true(fabs(sn_length(m->normal) - 1.0) < 1e-12);
    for (int i = 0; i < m->count; ++i) {
        const sn_manifold_point *p = &m->points[i];
        assert_true(sn_vec3_is_finite(p->on_a) && sn_vec3_is_finite(p->on_b));
        assert_true(p->gap <= margin);
        double gap = sn_dot(sn_vec3_sub(p->on_b, p->on_a), m->normal);
        assert_true(fabs(gap - p->gap) <= 1e-9 * size);
        for (int j = 0; j < i; ++j) {
            assert_true(m->points[j].feature != p->feature);
        }
    }
}

static double least_gap(const sn_manifold *m)
{
    double least = m->points[0].gap;
    for (int i = 1; i < m->count; ++i) {
        least = fmin(least, m->points[i].gap);
    }
    return least;
}

// How b is put beside a: apart or overlapping, coincident, nested, touching.
static sn_transform random_place(sn_random *r, const sn_collider *a, const sn_collider *b,
                                 const sn_transform *pa)
{
    sn_transform pb = *pa;
    int kind = sn_random_below(r, 8);
    if (kind == 0) {
        return pb; // coincident
    }
    pb.rotation = kind == 1 ? pa->rotation : random_rotation(r);
    double reach = kind == 2 ? 0.0 : 0.5 * (extent(a) + extent(b));
    sn_vec3 away = random_vector(r);
    pb.position = sn_vec3_add_scaled(pb.position, reach, away);
    if (kind == 3) { // touching along some axis
        sn_vec3 n = sn_normalize(away);
        double gap = apart(a, pa, b, &pb, n);
        pb.position = sn_vec3_add_scaled(pb.position, -gap, n);
    }
    return pb;
}

// ---- the same contact seen otherwise ----

static sn_transform moved(sn_transform t, sn_transform place, double scale)
{
    t = sn_transform_multiply(t, place);
    t.position = sn_vec3_scale(scale, t.position);
    return t;
}

static sn_collider scaled(const sn_collider *c, double scale, sn_vec3 *triangle)
{
    switch (c->type) {
    case SN_COLLIDER_SPHERE:
        return sn_collider_sphere(scale * c->rounding);
    case SN_COLLIDER_CAPSULE:
        return sn_collider_capsule(scale * c->rounding, scale * c->half_height);
    case SN_COLLIDER_CYLINDER:
        return sn_collider_cylinder(scale * c->radius, scale * c->half_height);
    case SN_COLLIDER_CONE:
        return sn_collider_cone(scale * c->radius, scale * c->half_height);
    case SN_COLLIDER_BOX:
        return sn_collider_box(sn_vec3_scale(scale, c->half), scale * c->rounding);
    default:
        for (int k = 0; k < 3; ++k) {
            triangle[k] = sn_vec3_scale(scale, c->triangle[k]);
        }
        return sn_collider_triangle(triangle, scale);
    }
}

// By what share of the size faces are preferred to better directions near them: a little where
// things touch, and more for boxes that are about to.
static double preference(const sn_collider *a, const sn_collider *b)
{
    return a->type == SN_COLLIDER_BOX && b->type == SN_COLLIDER_BOX ? 5.1e-2 : 2.2e-3;
}

// Another place, another scale, the other order: the same depth to within the preference for faces.
static void check_views(sn_random *r, const sn_collider *a, const sn_transform *pa,
                        const sn_collider *b, const sn_transform *pb, const sn_manifold *m,
                        double margin, double size, double scale)
{
    sn_transform away = {sn_vec3_scale(10.0, random_vector(r)), random_rotation(r)};
    double tolerance = preference(a, b) * scale + 1e-9 * size, least = least_gap(m);
    if (least > margin - tolerance) {
        return;
    }
    sn_manifold other;
    sn_transform qa = moved(away, *pa, 1.0), qb = moved(away, *pb, 1.0);
    assert_int_equal(sn_collide(b, &qb, a, &qa, margin, NULL, &other, 1, NULL), 1);
    check_manifold(&other, margin, size);
    assert_true(fabs(least_gap(&other) - least) <= tolerance);
    double own = apart(b, &qb, a, &qa, other.normal);
    assert_true(fabs(own - apart(a, pa, b, pb, m->normal)) <= tolerance);
    for (int k = 0; k < 2 && a->type != SN_COLLIDER_HULL && b->type != SN_COLLIDER_HULL; ++k) {
        double factor = k == 0 ? 0.0078125 : 128.0; // exact, so that nothing but size changes
        sn_vec3 corners[2][3];
        sn_collider ca = scaled(a, factor, corners[0]), cb = scaled(b, factor, corners[1]);
        qa = moved(SN_TRANSFORM_IDENTITY, *pa, factor);
        qb = moved(SN_TRANSFORM_IDENTITY, *pb, factor);
        assert_int_equal(sn_collide(&ca, &qa, &cb, &qb, factor * margin, NULL, &other, 1, NULL), 1);
        assert_int_equal(other.count, m->count);
        for (int i = 0; i < m->count; ++i) {
            assert_true(fabs(other.points[i].gap / factor - m->points[i].gap) <= 1e-9 * size);
            assert_int_equal(other.points[i].feature, m->points[i].feature);
        }
    }
}

static void fuzz_pair(sn_random *r, zoo *z, int ta, int tb, bool odd, bool deep, double *worst)
{
    sn_collider a = random_collider(r, z, (sn_collider_type)ta, odd, 0);
    sn_collider b = random_collider(r, z, (sn_collider_type)tb, odd, 1);
    sn_transform pa = {random_vector(r), random_rotation(r)};
    sn_transform pb = random_place(r, &a, &b, &pa);
    double size = extent(&a) + extent(&b) + sn_distance(pa.position, pb.position);
    double margin = 0.05 * size, scale = sn_collide_scale(&a, &b);
    sn_manifold m;
    sn_collide_cache cache = {0};
    int count = sn_collide(&a, &pa, &b, &pb, margin, &cache, &m, 1, NULL);
    if (count == 0) {
        if (deep) { // nobody else finds them nearer
            assert_true(sampled_gap(&a, &pa, &b, &pb, sn_vec3_make(0, 0, 1)) > 0.9 * margin);
        }
        return;
    }
    check_manifold(&m, margin, size);
    double least = least_gap(&m);
    // No deeper than it is along the normal, nor much less deep.
    double own = apart(&a, &pa, &b, &pb, m.normal);
    double tolerance = preference(&a, &b) * scale;
    worst[0] = fmax(worst[0], (own - least) / size);
    worst[1] = fmax(worst[1], (least - own - tolerance) / size);
    if (deep) {
        double sampled = sampled_gap(&a, &pa, &b, &pb, m.normal);
        bool both = a.type == SN_COLLIDER_BOX && b.type == SN_COLLIDER_BOX;
        double bias = both || sampled < 1e-4 * scale ? tolerance : 0.0;
        worst[2] = fmax(worst[2], (sampled - own - bias) / size);
        if (!odd) {
            check_views(r, &a, &pa, &b, &pb, &m, margin, size, scale);
        }
    }
}

static void test_random_pairs(void **state)
{
    (void)state;
    zoo z;
    zoo_make(&z);
    int rounds = rounds_of(2100, 120); // of 49 combinations
    for (int ta = 0; ta <= SN_COLLIDER_TRIANGLE; ++ta) {
        for (int tb = 0; tb <= SN_COLLIDER_TRIANGLE; ++tb) {
            sn_random r = {.seed = 11, .stream = (uint64_t)(16 * ta + tb)};
            double worst[3] = {0.0, 0.0, 0.0};
            for (int i = 0; i < rounds; ++i) {
                fuzz_pair(&r, &z, ta, tb, i % 3 == 0, i % 7 == 0 || i % 7 == 3, worst);
            }
            if (worst[0] > 5e-6 || worst[1] > 1e-10 || worst[2] > 1e-9) {
                fail_msg("kinds %d and %d: deeper than they are by %g, less deep by %g; another "
                         "direction is better by %g",
                         ta, tb, worst[0], worst[1], worst[2]);
            }
        }
    }
    zoo_free(&z);
}

// ---- closed forms ----

static const sn_transform identity = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static sn_transform put(double x, double y, double z, sn_vec3 axis, double angle)
{
    return (sn_transform){{x, y, z}, sn_quat_from_axis_angle(axis, angle)};
}

static const sn_vec3 x_axis = {1.0, 0.0, 0.0}, y_axis = {0.0, 1.0, 0.0}, z_axis = {0.0, 0.0, 1.0};

// Collides b over a; expects so many points, all with this gap and the normal up.
static sn_manifold expect(const sn_collider *a, const sn_collider *b, sn_transform pb, int count,
                          double gap)
{
    sn_manifold m;
    assert_int_equal(sn_collide(a, &identity, b, &pb, 0.01, NULL, &m, 1, NULL), 1);
    assert_int_equal(m.count, count);
    assert_true(sn_distance(m.normal, z_axis) < 1e-12);
    for (int i = 0; i < count; ++i) {
        if (fabs(m.points[i].gap - gap) > 1e-12) {
            fail_msg("point %d: gap %.17g", i, m.points[i].gap);
        }
    }
    return m;
}

// Twice the area of the points' outline, seen from above: they are its corners.
static double spread(const sn_manifold *m)
{
    double most = 0.0;
    for (int i = 0; i < m->count; ++i) {
        for (int j = 0; j < m->count; ++j) {
            for (int k = 0; k < m->count; ++k) {
                sn_vec3 u = sn_vec3_sub(m->points[j].on_a, m->points[i].on_a);
                sn_vec3 v = sn_vec3_sub(m->points[k].on_a, m->points[i].on_a);
                most = fmax(most, sn_cross(u, v).z);
            }
        }
    }
    return most;
}

static void test_rests_on_box(void **state)
{
    (void)state;
    sn_collider floor = sn_collider_box(sn_vec3_make(2.0, 2.0, 0.5), 0.0);
    for (int k = -1; k <= 1; ++k) {
        double g = 1e-3 * k, top = 0.5 + g;
        sn_collider ball = sn_collider_sphere(0.3);
        expect(&floor, &ball, put(0.1, 0.2, top + 0.3, x_axis, 1.0), 1, g);
        sn_collider box = sn_collider_box(sn_vec3_make(0.3, 0.4, 0.2), 0.0);
        sn_manifold m = expect(&floor, &box, put(0.1, 0.2, top + 0.2, z_axis, 0.7), 4, g);
        assert_true(fabs(spread(&m) - 0.6 * 0.8) < 1e-12);
        box = sn_collider_box(sn_vec3_make(0.3, 0.4, 0.2), 0.05);
        expect(&floor, &box, put(0.1, 0.2, top + 0.25, z_axis, 0.7), 4, g);
        sn_collider cylinder = sn_collider_cylinder(0.3, 0.4);
        m = expect(&floor, &cylinder, put(0.1, 0.2, top + 0.4, z_axis, 0.7), 4, g);
        assert_true(fabs(spread(&m) - 2.0 * 0.09) < 1e-12); // a square in the circle
        m = expect(&floor, &cylinder, put(0.1, 0.2, top + 0.3, x_axis, 0.5 * SN_PI), 2, g);
        assert_true(fabs(sn_distance(m.points[0].on_a, m.points[1].on_a) - 0.8) < 1e-12);
        sn_collider cone = sn_collider_cone(0.3, 0.4);
        m = expect(&floor, &cone, put(0.1, 0.2, top + 0.4, z_axis, 0.7), 4, g);
        assert_true(fabs(spread(&m) - 2.0 * 0.09) < 1e-12);
        expect(&floor, &cone, put(0.1, 0.2, top + 0.4, x_axis, SN_PI), 1, g); // on its tip
        sn_collider capsule = sn_collider_capsule(0.3, 0.4);
        m = expect(&floor, &capsule, put(0.1, 0.2, top + 0.3, y_axis, 0.5 * SN_PI), 2, g);
        assert_true(fabs(sn_distance(m.points[0].on_a, m.points[1].on_a) - 0.8) < 1e-12);
        expect(&floor, &capsule, put(0.1, 0.2, top + 0.7, z_axis, 0.5), 1, g);
    }
    // A cone on its side: its tip and the rim, with a side that slopes by asin(r / slant).
    sn_collider cone = sn_collider_cone(0.3, 0.4);
    double slant = sqrt(0.09 + 0.64), tilt = asin(0.3 / slant), height = 0.3 * 0.4 / slant;
    sn_manifold m =
        expect(&floor, &cone, put(0.1, 0.2, 0.5 + height, y_axis, 0.5 * SN_PI + tilt), 2, 0.0);
    assert_true(fabs(sn_distance(m.points[0].on_a, m.points[1].on_a) - slant) < 1e-12);
}

// The same on a plane, whose pairs have code of their own; and tilted ones.
static void test_rests_on_plane(void **state)
{
    (void)state;
    sn_collider floor = sn_collider_plane();
    sn_collider cylinder = sn_collider_cylinder(0.3, 0.4), cone = sn_collider_cone(0.3, 0.4);
    for (int k = -1; k <= 1; ++k) {
        double g = 1e-3 * k;
        sn_collider ball = sn_collider_sphere(0.3);
        expect(&floor, &ball, put(5.0, 2.0, 0.3 + g, x_axis, 1.0), 1, g);
        sn_collider box = sn_collider_box(sn_vec3_make(0.3, 0.4, 0.2), 0.05);
        expect(&floor, &box, put(5.0, 2.0, 0.25 + g, z_axis, 0.7), 4, g);
        double corner = sqrt(0.5) * (0.4 + 0.2) + 0.05;
        expect(&floor, &box, put(5.0, 2.0, corner + g, x_axis, 0.25 * SN_PI), 2, g);
        sn_manifold m = expect(&floor, &cylinder, put(5.0, 2.0, 0.4 + g, z_axis, 0.7), 4, g);
        assert_true(fabs(spread(&m) - 2.0 * 0.09) < 1e-12);
        expect(&floor, &cylinder, put(5.0, 2.0, 0.3 + g, x_axis, 0.5 * SN_PI), 2, g);
        expect(&floor, &cylinder, put(5.0, 2.0, sqrt(0.5) * 0.7 + g, x_axis, 0.25 * SN_PI), 1, g);
        expect(&floor, &cone, put(5.0, 2.0, 0.4 + g, z_axis, 0.7), 4, g);
        expect(&floor, &cone, put(5.0, 2.0, 0.4 + g, y_axis, SN_PI), 1, g);
        sn_collider capsule = sn_collider_capsule(0.3, 0.4);
        expect(&floor, &capsule, put(5.0, 2.0, 0.3 + g, x_axis, 0.5 * SN_PI), 2, g);
        expect(&floor, &capsule, put(5.0, 2.0, sqrt(0.5) * 0.4 + 0.3 + g, x_axis, 0.25 * SN_PI), 1,
               g);
    }
    zoo z;
    zoo_make(&z);
    sn_collider hull = sn_collider_hull(z.hulls[1], 0.0); // a brick
    expect(&floor, &hull, put(1.0, 2.0, 0.3, z_axis, 0.2), 4, 0.0);
    expect(&floor, &hull, put(1.0, 2.0, 0.4, x_axis, 0.5 * SN_PI), 4, 0.0);
    sn_collider round = sn_collider_hull(z.hulls[2], 0.0); // 200 corners on a sphere
    sn_transform place = put(0.0, 0.0, 0.995, x_axis, 0.3);
    sn_manifold m;
    assert_int_equal(sn_collide(&floor, &identity, &round, &place, 0.02, NULL, &m, 1, NULL), 1);
    assert_true(fabs(least_gap(&m) - apart(&floor, &identity, &round, &place, z_axis) - 0.0) <
                1e-12);
    zoo_free(&z);
}

// Spheres beside and inside simple things, by distances anyone can work out.
static void test_spheres(void **state)
{
    (void)state;
    sn_manifold m;
    sn_collider ball = sn_collider_sphere(0.5), box = sn_collider_box(sn_vec3_make(1, 2, 3), 0.25);
    sn_transform at = put(1.0 + 3.0 * 0.1, 2.0 + 4.0 * 0.1, 1.0, z_axis, 0.0); // 0.5 from the edge
    assert_int_equal(sn_collide(&box, &identity, &ball, &at, 0.1, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap - (0.5 - 0.75)) < 1e-15);
    assert_true(sn_distance(m.normal, sn_vec3_make(0.6, 0.8, 0.0)) < 1e-15);
    at = put(0.2, 1.9, 0.3, x_axis, 0.0); // inside, nearest to the face y = 2
    assert_int_equal(sn_collide(&ball, &at, &box, &identity, 0.1, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap - (-0.1 - 0.75)) < 1e-15);
    assert_true(sn_distance(m.normal, sn_vec3_make(0.0, -1.0, 0.0)) < 1e-15);
    sn_collider cylinder = sn_collider_cylinder(1.0, 2.0);
    at = put(0.6 * 1.3, 0.8 * 1.3, 2.4, x_axis, 0.0); // 0.3 and 0.4 past the rim
    assert_int_equal(sn_collide(&cylinder, &identity, &ball, &at, 0.1, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap) < 1e-15);
    assert_true(sn_distance(m.normal, sn_vec3_make(0.36, 0.48, 0.8)) < 1e-15);
    at = put(0.0, 0.0, 0.0, x_axis, 0.0); // on the axis: any way across
    assert_int_equal(sn_collide(&cylinder, &identity, &ball, &at, 0.1, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap + 1.5) < 1e-15 && fabs(m.normal.z) < 1e-15);
    sn_collider capsule = sn_collider_capsule(0.25, 1.0);
    at = put(0.0, 0.6, 1.8, x_axis, 0.0);
    assert_int_equal(sn_collide(&capsule, &identity, &ball, &at, 0.5, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap - (1.0 - 0.75)) < 1e-15);
    at = put(0.3, 0.0, 0.0, y_axis, 0.0);
    assert_int_equal(sn_collide(&ball, &identity, &ball, &at, 0.1, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap + 0.7) < 1e-15);
    assert_int_equal(sn_collide(&ball, &identity, &ball, &identity, 0.1, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap + 1.0) < 1e-15);
}

// Capsules crossing, parallel, end to end.
static void test_capsules(void **state)
{
    (void)state;
    sn_manifold m;
    sn_collider a = sn_collider_capsule(0.2, 1.0), b = sn_collider_capsule(0.3, 0.5);
    sn_transform at = put(0.6, 0.1, 0.3, x_axis, 0.5 * SN_PI); // along y
    assert_int_equal(sn_collide(&a, &identity, &b, &at, 0.2, NULL, &m, 1, NULL), 1);
    assert_int_equal(m.count, 1);
    assert_true(fabs(m.points[0].gap - 0.1) < 1e-15);
    assert_true(sn_distance(m.points[0].on_a, sn_vec3_make(0.2, 0.0, 0.3)) < 1e-12);
    at = put(0.5, 0.0, 0.7, x_axis, 0.0); // parallel: from 0.2 to 1
    assert_int_equal(sn_collide(&a, &identity, &b, &at, 0.2, NULL, &m, 1, NULL), 1);
    assert_int_equal(m.count, 2);
    assert_true(fabs(m.points[0].gap) < 1e-15 && fabs(m.points[1].gap) < 1e-15);
    assert_true(fabs(fabs(m.points[0].on_a.z - m.points[1].on_a.z) - 0.8) < 1e-12);
    at = put(0.0, 0.0, 2.1, x_axis, 0.0); // end to end
    assert_int_equal(sn_collide(&a, &identity, &b, &at, 0.2, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap - 0.1) < 1e-15 && m.count == 1);
    at = put(0.0, 0.0, 0.0, y_axis, 1.0); // axes that cross
    assert_int_equal(sn_collide(&a, &identity, &b, &at, 0.2, NULL, &m, 1, NULL), 1);
    assert_true(fabs(m.points[0].gap + 0.5) < 1e-15 && fabs(fabs(m.normal.y) - 1.0) < 1e-12);
}

// Two edges that cross: the normal is their common perpendicular.
static void test_edges(void **state)
{
    (void)state;
    sn_collider box = sn_collider_box(sn_vec3_make(1.0, 1.0, 1.0), 0.0);
    sn_quat tip = sn_quat_from_axis_angle(x_axis, 0.25 * SN_PI); // an edge along x on top
    sn_transform low = {{0.0, 0.0, 0.0}, tip}, high;
    high.rotation = sn_quat_multiply(sn_quat_from_axis_angle(z_axis, 1.0), tip);
    for (int k = -1; k <= 1; ++k) {
        double g = 0.01 * k;
        high.position = sn_vec3_make(0.1, 0.2, 2.0 * sqrt(2.0) + g);
        sn_manifold m;
        assert_int_equal(sn_collide(&box, &low, &box, &high, 0.02, NULL, &m, 1, NULL), 1);
        assert_int_equal(m.count, 1);
        assert_true(sn_distance(m.normal, z_axis) < 1e-12);
        assert_true(fabs(m.points[0].gap - g) < 1e-12);
        assert_true(fabs(m.points[0].on_a.y) < 1e-12);
    }
}

// ---- persistence ----

static bool same_features(const sn_manifold *a, const sn_manifold *b)
{
    if (a->count != b->count) {
        return false;
    }
    int found = 0;
    for (int i = 0; i < a->count; ++i) {
        for (int j = 0; j < b->count; ++j) {
            found += a->points[i].feature == b->points[j].feature;
        }
    }
    return found == a->count;
}

// Things at rest that tremble by rounding keep their points.
static void test_features_hold(void **state)
{
    (void)state;
    zoo z;
    zoo_make(&z);
    sn_collider box = sn_collider_box(sn_vec3_make(0.5, 0.5, 0.5), 0.0);
    sn_collider brick = sn_collider_hull(z.hulls[1], 0.0);
    sn_collider plate = sn_collider_box(sn_vec3_make(2.0, 2.0, 0.5), 0.0);
    sn_collider cylinder = sn_collider_cylinder(0.5, 0.5), cone = sn_collider_cone(0.5, 0.5);
    const sn_collider *lower[] = {&box, &box, &box, &plate, &plate, &plate, &brick, &box};
    const sn_collider *upper[] = {&box, &box, &box, &box, &cylinder, &cone, &brick, &brick};
    double offset[] = {0.0, 0.5, 0.2, 0.3, 0.1, 0.2, 0.0, 0.0};
    double yaw[] = {0.0, 0.0, 0.25 * SN_PI, 0.5, 0.3, 0.1, 0.0, 0.0};
    double height[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.6, 0.8};
    sn_random r = {.seed = 5};
    for (int c = 0; c < 8; ++c) {
        sn_manifold first;
        sn_collide_cache cache = {0};
        sn_transform at = put(offset[c], 0.0, height[c] - 1e-4, z_axis, yaw[c]);
        assert_int_equal(
            sn_collide(lower[c], &identity, upper[c], &at, 0.01, &cache, &first, 1, NULL), 1);
        assert_int_equal(first.count, 4);
        for (int i = 0; i < 300; ++i) {
            sn_transform place = at;
            place.position = sn_vec3_add_scaled(at.position, 1e-6, random_vector(&r));
            sn_quat turn = sn_quat_exp(sn_vec3_scale(1e-6, random_vector(&r)));
            place.rotation = sn_quat_multiply(turn, at.rotation);
            sn_manifold m;
            assert_int_equal(
                sn_collide(lower[c], &identity, upper[c], &place, 0.01, &cache, &m, 1, NULL), 1);
            if (!same_features(&first, &m)) {
                fail_msg("case %d: points changed under a tremble of 1e-6", c);
            }
        }
    }
    zoo_free(&z);
}

// Boxes about to land nearly flat have the points of a face, whichever parts are nearest, and none
// deeper than they are.
static void test_landing(void **state)
{
    (void)state;
    zoo z;
    zoo_make(&z);
    sn_collider kinds[] = {sn_collider_box(sn_vec3_make(0.5, 0.4, 0.3), 0.0),
                           sn_collider_hull(z.hulls[1], 0.0)};
    sn_random r = {.seed = 31};
    for (int i = 0; i < 4000; ++i) {
        const sn_collider *a = &kinds[i % 2], *b = &kinds[i / 2 % 2];
        sn_transform at = put(sn_random_range(&r, -0.4, 0.4), sn_random_range(&r, -0.4, 0.4), 0.7,
                              z_axis, sn_random_range(&r, 0, 6));
        sn_quat tilt = sn_quat_exp(sn_vec3_scale(0.01, random_vector(&r)));
        at.rotation = sn_quat_multiply(tilt, at.rotation);
        sn_vec3 p, q;
        double gap = sn_collide_distance(a, &identity, b, &at, NULL, &p, &q);
        at.position.z += 1e-3 - gap;
        gap = sn_collide_distance(a, &identity, b, &at, NULL, &p, &q);
        sn_manifold m;
        assert_int_equal(sn_collide(a, &identity, b, &at, 0.05, NULL, &m, 1, NULL), 1);
        check_manifold(&m, 0.05, 1.0);
        if (m.count < 3) {
            fail_msg("kinds %d and %d, round %d: %d points", a->type, b->type, i, m.count);
        }
        assert_true(least_gap(&m) > gap - 1e-9);
    }
    zoo_free(&z);
}

// What is remembered never changes whether, and hardly where, things touch.
static void test_cache(void **state)
{
    (void)state;
    zoo z;
    zoo_make(&z);
    sn_random r = {.seed = 21};
    for (int round = 0; round < 60; ++round) {
        sn_collider a = random_collider(&r, &z, (sn_collider_type)sn_random_below(&r, 7), false, 0);
        sn_collider b = random_collider(&r, &z, (sn_collider_type)sn_random_below(&r, 7), false, 1);
        sn_collide_cache cache = {0};
        sn_transform pa = identity, pb = {random_vector(&r), random_rotation(&r)};
        sn_vec3 v = random_vector(&r), w = random_vector(&r);
        double scale = sn_collide_scale(&a, &b);
        for (int i = 0; i < 100; ++i) {
            pb.position = sn_vec3_add_scaled(pb.position, 0.02, v);
            pb.rotation = sn_quat_multiply(sn_quat_exp(sn_vec3_scale(0.05, w)), pb.rotation);
            sn_manifold warm, cold;
            int kept = sn_collide(&a, &pa, &b, &pb, 0.05, &cache, &warm, 1, NULL);
            int fresh = sn_collide(&a, &pa, &b, &pb, 0.05, NULL, &cold, 1, NULL);
            if (kept != fresh) { // only at the margin itself
                assert_true(least_gap(kept > 0 ? &warm : &cold) > 0.05 - 1e-6 * scale);
            } else if (kept > 0) {
                assert_true(fabs(least_gap(&warm) - least_gap(&cold)) <=
                            preference(&a, &b) * scale);
            }
        }
    }
    zoo_free(&z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rests_on_box), cmocka_unit_test(test_rests_on_plane),
        cmocka_unit_test(test_spheres),      cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_edges),        cmocka_unit_test(test_features_hold),
        cmocka_unit_test(test_landing),      cmocka_unit_test(test_cache),
        cmocka_unit_test(test_random_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
