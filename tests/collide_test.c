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
#include "math/rotation.h"

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
    for (double stride = 0.1; stride > 1e-5; stride *= 0.5) {
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

static void fuzz_pair(sn_random *r, zoo *z, int ta, int tb, bool odd, double *worst)
{
    sn_collider a = random_collider(r, z, (sn_collider_type)ta, odd, 0);
    sn_collider b = random_collider(r, z, (sn_collider_type)tb, odd, 1);
    sn_transform pa = {random_vector(r), random_rotation(r)};
    sn_transform pb = random_place(r, &a, &b, &pa);
    double size = extent(&a) + extent(&b) + sn_distance(pa.position, pb.position);
    double margin = 0.05 * size;
    sn_manifold m;
    sn_collide_cache cache = {0};
    int count = sn_collide(&a, &pa, &b, &pb, margin, &cache, &m, 1, NULL);
    if (count == 0) {
        return;
    }
    check_manifold(&m, margin, size);
    double least = least_gap(&m);
    // Never deeper than along its own normal, nor than the deepest there is.
    double own = apart(&a, &pa, &b, &pb, m.normal);
    double scale = sn_collide_scale(&a, &b);
    worst[0] = fmax(worst[0], (own - least) / size);
    worst[1] = fmax(worst[1], (least - own - 2.1e-3 * scale) / size);
    double sampled = sampled_gap(&a, &pa, &b, &pb, m.normal);
    // Faces are preferred by a little where things touch.
    double bias = sampled < 1e-4 * scale ? 2.1e-3 * scale : 0.0;
    worst[2] = fmax(worst[2], (sampled - own - bias) / size);
}

static void test_random_pairs(void **state)
{
    (void)state;
    zoo z;
    zoo_make(&z);
    int rounds = getenv("SINEW_SANITIZED") != NULL ? 60 : 600;
    for (int ta = 0; ta <= SN_COLLIDER_TRIANGLE; ++ta) {
        for (int tb = 0; tb <= SN_COLLIDER_TRIANGLE; ++tb) {
            sn_random r = {.seed = 11, .stream = (uint64_t)(16 * ta + tb)};
            double worst[3] = {0.0, 0.0, 0.0};
            for (int i = 0; i < rounds; ++i) {
                fuzz_pair(&r, &z, ta, tb, i % 3 == 0, worst);
            }
            if (worst[0] > 1e-6 || worst[1] > 1e-10 || worst[2] > 1e-9) {
                fail_msg("kinds %d and %d: deeper than they are by %g, less deep by %g; another "
                         "direction is better by %g",
                         ta, tb, worst[0], worst[1], worst[2]);
            }
        }
    }
    zoo_free(&z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
