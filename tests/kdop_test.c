// k-DOPs: never smaller than the body, tight in every direction, apart only when bodies are; as a
// filter of the broad phase they drop pairs and lose none.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "collide/broad.h"
#include "collide/kdop.h"
#include "collide/mesh_tree.h"
#include "collide/query.h"
#include "math/rotation.h"
#include "random_collider.h"
#include "random_vector.h"

static const int kinds[4] = {6, 14, 18, 26};

static void test_bounds(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    for (int run = 0; run < 600; ++run) {
        sn_collider body = random_long_body(&random, run % 6, 1.0, 1.0);
        sn_transform place = {random_vector(&random, run % 7 == 0 ? 1e4 : 1.0),
                              random_rotation(&random)};
        for (int kind = 0; kind < 4; ++kind) {
            sn_kdop kdop;
            sn_kdop_make(&body, &place, kinds[kind], &kdop);
            assert_int_equal(kdop.count, kinds[kind] / 2);
            // Points of the body, by supports in many directions, are inside.
            for (int k = 0; k < 40; ++k) {
                sn_vec3 d = sn_normalize(random_vector(&random, 1.0));
                int corner = 0;
                sn_vec3 own = sn_rotate_inverse(place.rotation, d);
                sn_vec3 x = sn_transform_point(place, sn_collider_support(&body, own, &corner));
                x = sn_vec3_add_scaled(x, body.rounding, d);
                for (int i = 0; i < kdop.count; ++i) {
                    double along = sn_dot(sn_kdop_direction(kdop.count, i), x);
                    assert_true(kdop.lower[i] <= along && along <= kdop.upper[i]);
                }
            }
            // Tight: each plane touches the body.
            for (int i = 0; i < kdop.count; ++i) {
                sn_vec3 d = sn_kdop_direction(kdop.count, i);
                int corner = 0;
                sn_vec3 own = sn_rotate_inverse(place.rotation, d);
                sn_vec3 x = sn_transform_point(place, sn_collider_support(&body, own, &corner));
                double along = sn_dot(d, x) + body.rounding * sn_length(d);
                assert_true(fabs(kdop.upper[i] - along) < 1e-12 * (1.0 + sn_length(x)));
            }
            // Moved and made there are the same; enlarged holds both ends of the way.
            sn_vec3 travel = random_vector(&random, 1.0);
            sn_kdop moved = kdop, there, large = kdop;
            sn_kdop_move(&moved, travel);
            sn_transform next = {sn_vec3_add(place.position, travel), place.rotation};
            sn_kdop_make(&body, &next, kinds[kind], &there);
            sn_kdop_enlarge(&large, 0.01, travel);
            for (int i = 0; i < kdop.count; ++i) {
                assert_true(fabs(moved.lower[i] - there.lower[i]) < 1e-12 * 1e4);
                assert_true(fabs(moved.upper[i] - there.upper[i]) < 1e-12 * 1e4);
            }
            assert_true(sn_kdop_holds(&large, &kdop) && sn_kdop_holds(&large, &there));
            assert_false(sn_kdop_holds(&kdop, &large));
        }
    }
}

// Bodies that touch have k-DOPs that overlap; and the more planes, the fewer false alarms.
static void test_overlap(void **state)
{
    (void)state;
    sn_random random = {.seed = 2};
    int overlaps[4] = {0}, touching = 0;
    for (int run = 0; run < 3000; ++run) {
        sn_collider a = random_long_body(&random, run % 6, 1.0, 1.0),
                    b = random_long_body(&random, run / 6 % 6, 1.0, 1.0);
        sn_transform at = {random_vector(&random, 0.7), random_rotation(&random)};
        sn_transform place = {random_vector(&random, 0.7), random_rotation(&random)};
        sn_vec3 p, q;
        bool touch = sn_collide_distance(&a, &at, &b, &place, NULL, &p, &q) <= 0.0;
        touching += touch;
        for (int kind = 0; kind < 4; ++kind) {
            sn_kdop one, other;
            sn_kdop_make(&a, &at, kinds[kind], &one);
            sn_kdop_make(&b, &place, kinds[kind], &other);
            bool overlap = sn_kdop_overlap(&one, &other);
            assert_true(overlap || !touch);
            assert_int_equal(overlap, sn_kdop_overlap(&other, &one));
            overlaps[kind] += overlap;
        }
    }
    assert_true(touching > 300);
    assert_true(overlaps[0] > overlaps[1] && overlaps[0] > overlaps[2]);
    assert_true(overlaps[1] > overlaps[3] && overlaps[2] > overlaps[3]);
    // Half of the false alarms of boxes, or more, are gone.
    assert_true(2 * (overlaps[3] - touching) < overlaps[0] - touching);
}

static void test_grounds(void **state)
{
    (void)state;
    sn_collider plane = sn_collider_plane(), ball = sn_collider_sphere(1.0);
    const sn_transform far = {{100.0, 0.0, 1000.0}, {1.0, 0.0, 0.0, 0.0}};
    sn_kdop a, b;
    sn_kdop_make(&plane, &far, 26, &a);
    sn_kdop_make(&ball, &far, 26, &b);
    assert_true(sn_kdop_overlap(&a, &b));
    sn_mesh *mesh = NULL;
    sn_mesh_tree *tree = NULL;
    sn_mesh_torus(1.0, 0.2, 12, &mesh, NULL);
    assert_int_equal(sn_mesh_tree_create(mesh, &tree, NULL), SN_OK);
    sn_random random = {.seed = 3};
    sn_collider ring = sn_mesh_tree_collider(tree);
    sn_transform place = {random_vector(&random, 1.0), random_rotation(&random)};
    sn_kdop_make(&ring, &place, 18, &a);
    for (int v = 0; v < sn_mesh_vertex_count(mesh); ++v) {
        sn_vec3 x = sn_transform_point(place, sn_mesh_positions(mesh)[v]);
        for (int i = 0; i < a.count; ++i) {
            double along = sn_dot(sn_kdop_direction(a.count, i), x);
            assert_true(a.lower[i] <= along && along <= a.upper[i]);
        }
    }
    sn_mesh_release(mesh);
    sn_mesh_tree_release(tree);
}

// Rods that drift and turn: the pairs that a broad phase with k-DOPs gives and has not ended are
// those whose fat bounds overlap, hold all that touch, and are fewer than with boxes alone.
static void test_filter(void **state)
{
    (void)state;
    enum { COUNT = 120 };
    int sums[2] = {0, 0};
    for (int with = 0; with < 2; ++with) {
        sn_broad *broad = NULL;
        assert_int_equal(sn_broad_create(0.05, &broad, NULL), SN_OK);
        if (with) {
            assert_int_equal(sn_broad_use_kdops(broad, 15, NULL), SN_ERROR_ARGUMENT);
            assert_int_equal(sn_broad_use_kdops(broad, 26, NULL), SN_OK);
        }
        sn_random random = {.seed = 4};
        sn_collider rod = sn_collider_capsule(0.02, 0.4);
        sn_transform places[COUNT];
        int proxies[COUNT];
        static uint8_t near[COUNT][COUNT];
        memset(near, 0, sizeof near);
        for (int i = 0; i < COUNT; ++i) {
            places[i] = (sn_transform){random_vector(&random, 1.0), random_rotation(&random)};
            proxies[i] =
                sn_broad_add(broad, sn_collider_bounds(&rod, &places[i]), (uint32_t)i, true);
        }
        for (int step = 0; step < 60; ++step) {
            for (int i = 0; i < COUNT; ++i) {
                sn_vec3 travel = random_vector(&random, 0.02);
                places[i].position = sn_vec3_add(places[i].position, travel);
                sn_quat turn = sn_quat_exp(random_vector(&random, 0.02));
                places[i].rotation = sn_quat_multiply(turn, places[i].rotation);
                sn_kdop kdop;
                sn_kdop_make(&rod, &places[i], 26, &kdop);
                if (with) {
                    sn_broad_move_kdop(broad, proxies[i], &kdop, travel);
                } else {
                    sn_broad_move(broad, proxies[i], sn_kdop_box(&kdop), travel);
                }
            }
            const sn_broad_pair *pairs = NULL;
            int count = 0;
            assert_int_equal(sn_broad_pairs(broad, NULL, NULL, NULL, &pairs, &count, NULL), SN_OK);
            for (int k = 0; k < count; ++k) {
                assert_false(near[pairs[k].user_a][pairs[k].user_b]);
                near[pairs[k].user_a][pairs[k].user_b] = 1;
            }
            for (int a = 0; a < COUNT; ++a) {
                for (int b = a + 1; b < COUNT; ++b) {
                    bool overlap = sn_broad_overlaps(broad, proxies[a], proxies[b]);
                    near[a][b] = overlap ? near[a][b] : 0;
                    assert_int_equal(near[a][b], overlap);
                    sums[with] += overlap;
                    sn_vec3 p, q;
                    if (!overlap && step % 20 == 0) {
                        assert_true(sn_collide_distance(&rod, &places[a], &rod, &places[b], NULL,
                                                        &p, &q) > 0.0);
                    }
                }
            }
        }
        sn_broad_destroy(broad);
    }
    assert_true(2 * sums[1] < sums[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_grounds),
        cmocka_unit_test(test_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
