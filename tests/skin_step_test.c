// How far skins may go: the least of all pairs, nothing crosses on the way, threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/skin_step.h"
#include "skin_body.h"

static void place(skin_body *bodies, int count, sn_skin **skins)
{
    for (int i = 0; i < count; ++i) {
        skins[i] = bodies[i].skin;
        sn_skin_place(skins[i], bodies[i].x, bodies[i].y, 0.0);
    }
}

static sn_skin_step find(sn_skin *const *skins, int count, double keep)
{
    sn_skin_pairs pairs = {0};
    assert_int_equal(sn_skin_pairs_find(&pairs, skins, count, SN_SKIN_ALL, NULL, NULL), SN_OK);
    sn_skin_step step = sn_skin_step_find(skins, &pairs, (sn_skin_keep){keep, 0.0}, NULL);
    sn_skin_pairs_free(&pairs);
    return step;
}

// Both ends become the place at this share of the way.
static void go(skin_body *body, double share)
{
    for (int i = 0; i < SKIN_STRIDE * body->count; ++i) {
        body->x[i] += share * (body->y[i] - body->x[i]);
        body->y[i] = body->x[i];
    }
}

static void test_closed_forms(void **state)
{
    (void)state;
    const double scales[3] = {1.0, 0.01, 100.0};
    for (int s = 0; s < 3; ++s) {
        double scale = scales[s];
        skin_body bodies[2] = {skin_body_box(sn_vec3_make(scale, scale, scale), 2),
                               skin_body_box(sn_vec3_make(scale, scale, scale), 3)};
        sn_skin *skins[2];
        skin_body_move(&bodies[1], sn_vec3_make(0.1 * scale, 0.2 * scale, 1.5 * scale));
        for (int v = 0; v < bodies[1].count; ++v) {
            bodies[1].y[SKIN_STRIDE * (size_t)v + 2] -= 2.0 * scale; // through half of the other
        }
        place(bodies, 2, skins);
        sn_skin_step step = find(skins, 2, 0.0);
        assert_true(step.meets && step.share <= 0.25 && step.share > 0.25 - 1e-9);
        assert_int_equal(step.touching, 0);
        step = find(skins, 2, 0.2);
        assert_true(step.meets && step.share <= 0.2 && step.share > 0.2 - 1e-3);
        // Straight through and far out at the other side: just the same.
        for (int v = 0; v < bodies[1].count; ++v) {
            bodies[1].y[SKIN_STRIDE * (size_t)v + 2] -= 18.0 * scale;
        }
        place(bodies, 2, skins);
        step = find(skins, 2, 0.0);
        assert_true(step.meets && step.share <= 0.025 && step.share > 0.025 - 1e-9);
        // Past it.
        for (int v = 0; v < bodies[1].count; ++v) {
            bodies[1].y[SKIN_STRIDE * (size_t)v] += 200.0 * scale;
            bodies[1].y[SKIN_STRIDE * (size_t)v + 2] += 18.0 * scale;
        }
        place(bodies, 2, skins);
        step = find(skins, 2, 0.0);
        assert_true(!step.meets && step.share == 1.0);
        // One on the other: they touch, which is counted.
        skin_body_move(&bodies[1], sn_vec3_make(0.0, 0.0, -0.5 * scale));
        place(bodies, 2, skins);
        step = find(skins, 2, 0.0);
        assert_true(step.touching > 0);
        skin_body_free(&bodies[0]);
        skin_body_free(&bodies[1]);
    }
}

// All pairs, without boxes.
static double least_of_all(sn_skin *const *skins, int count, double keep)
{
    double least = 2.0;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k) {
            const sn_skin *a = skins[i], *b = skins[k];
            for (int kind = SN_VERTEX_FACE; kind <= SN_EDGE_EDGE; ++kind) {
                int n = kind == SN_VERTEX_FACE ? a->vertex_count : a->edge_count;
                int m = kind == SN_VERTEX_FACE ? b->face_count : b->edge_count;
                for (int32_t p = 0; p < n * m; ++p) {
                    sn_skin_pair pair = {i, k, p / m, p % m};
                    const int *of_a = kind == SN_VERTEX_FACE ? &pair.a : a->edges + 2 * pair.a;
                    const int *of_b =
                        kind == SN_VERTEX_FACE ? b->faces + 3 * pair.b : b->edges + 2 * pair.b;
                    bool near = false;
                    for (int q = 0; q < (kind == SN_VERTEX_FACE ? 3 : 4); ++q) {
                        near = near ||
                               (a == b && (kind == SN_VERTEX_FACE ? of_a[0] == of_b[q]
                                                                  : of_a[q / 2] == of_b[q % 2]));
                    }
                    sn_vec3 start[4], end[4];
                    double time;
                    sn_skin_pair_points(skins, (sn_pair_kind)kind, &pair, start, end);
                    double square = sn_pair_find_nearest((sn_pair_kind)kind, start).square;
                    if (!near && sn_pair_meets((sn_pair_kind)kind, start, end, keep * sqrt(square),
                                               1.0, &time)) {
                        least = fmin(least, time);
                    }
                }
            }
        }
    }
    return least;
}

static void test_against_all(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        sn_random random = {.seed = seed};
        skin_body bodies[2] = {skin_body_ball(0.5, 1),
                               skin_body_box(sn_vec3_make(0.5, 0.7, 0.6), 1)};
        sn_skin *skins[2];
        skin_body_move(&bodies[1], sn_vec3_make(0.0, 0.9, 0.6));
        sn_vec3 travel = {0.1, seed % 2 == 0 ? -0.6 : -0.2, -0.5};
        skin_body_shake(&bodies[0], &random, 0.05, SN_VEC3_ZERO);
        skin_body_shake(&bodies[1], &random, 0.05, travel);
        place(bodies, 2, skins);
        double keep = seed % 2 == 0 ? 0.0 : 0.1;
        double least = least_of_all(skins, 2, keep);
        sn_skin_step step = find(skins, 2, keep);
        assert_true(step.meets == (least <= 1.0));
        // Limits that other pairs set change where planes begin, and so the last digits.
        assert_true(!step.meets || fabs(step.share - least) < (keep > 0.0 ? 1e-3 : 1e-9));
        skin_body_free(&bodies[0]);
        skin_body_free(&bodies[1]);
    }
}

// Wild motions, step after step as far as they may go: nothing ever crosses, and often would have.
static void test_nothing_crosses(void **state)
{
    (void)state;
    bool soak = getenv("SINEW_SOAK") != NULL;
    const char *seed = getenv("SINEW_SEED");
    int stopped = 0, crossed = 0;
    sn_random random = {.seed = seed != NULL ? strtoull(seed, NULL, 10) : 21};
    for (int run = 0; run < (soak ? 400 : 6); ++run) {
        skin_body bodies[3] = {skin_body_ball(0.5, 2),
                               skin_body_box(sn_vec3_make(1.0, 0.8, 0.1), 2),
                               skin_body_ball(0.3, 2)};
        sn_skin *skins[3];
        skin_body_move(&bodies[1], sn_vec3_make(0.0, 0.0, 0.7));
        skin_body_move(&bodies[2], sn_vec3_make(0.0, 0.1, 1.2));
        for (int turn = 0; turn < 12; ++turn) {
            for (int i = 0; i < 3; ++i) {
                sn_vec3 travel = {sn_random_range(&random, -0.1, 0.1), 0.0, i == 2 ? -0.5 : 0.1};
                for (int k = 0; k < SKIN_STRIDE * bodies[i].count; ++k) {
                    double by = k % SKIN_STRIDE < 3 ? (&travel.x)[k % SKIN_STRIDE] : 0.0;
                    by += k % SKIN_STRIDE < 3 ? sn_random_range(&random, -0.15, 0.15) : 0.0;
                    bodies[i].y[k] = bodies[i].x[k] + by;
                }
            }
            place(bodies, 3, skins);
            sn_skin_step step = find(skins, 3, 0.2);
            assert_int_equal(step.touching, 0);
            assert_true(step.share > 0.0);
            for (int i = 0; i < 3; ++i) {
                sn_skin_place(skins[i], bodies[i].y, NULL, 0.0);
            }
            bool crosses = sn_skin_crossings(skins, 3, SN_SKIN_ALL, NULL) > 0;
            assert_true(step.meets || !crosses);
            stopped += step.meets;
            crossed += crosses;
            for (int i = 0; i < 3; ++i) {
                go(&bodies[i], step.share);
            }
            place(bodies, 3, skins);
            assert_int_equal(sn_skin_crossings(skins, 3, SN_SKIN_ALL, NULL), 0);
        }
        for (int i = 0; i < 3; ++i) {
            skin_body_free(&bodies[i]);
        }
    }
    assert_true(stopped > 20 && crossed > 20);
}

static void test_threads(void **state)
{
    (void)state;
    sn_random random = {.seed = 4};
    skin_body bodies[2] = {skin_body_ball(0.5, 4), skin_body_ball(0.4, 3)};
    sn_skin *skins[2];
    skin_body_move(&bodies[1], sn_vec3_make(0.0, 0.6, 0.8));
    skin_body_shake(&bodies[0], &random, 0.02, SN_VEC3_ZERO);
    skin_body_shake(&bodies[1], &random, 0.02, sn_vec3_make(0.0, -0.2, -0.2));
    place(bodies, 2, skins);
    sn_skin_pairs pairs = {0};
    assert_int_equal(sn_skin_pairs_find(&pairs, skins, 2, SN_SKIN_ALL, NULL, NULL), SN_OK);
    sn_skin_step first = sn_skin_step_find(skins, &pairs, (sn_skin_keep){0.1, 0.0}, NULL);
    assert_true(first.meets);
    for (int n = 2; n <= 4; n += 2) {
        sn_threads *threads = NULL;
        assert_int_equal(sn_threads_create(n, &threads, NULL), SN_OK);
        uint64_t asked = sn_allocation_count();
        sn_skin_step step = sn_skin_step_find(skins, &pairs, (sn_skin_keep){0.1, 0.0}, threads);
        assert_true(sn_allocation_count() == asked);
        assert_true(step.share == first.share && step.kind == first.kind &&
                    step.pair.a == first.pair.a && step.pair.b == first.pair.b);
        sn_threads_destroy(threads);
    }
    sn_skin_pairs_free(&pairs);
    skin_body_free(&bodies[0]);
    skin_body_free(&bodies[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_against_all),
        cmocka_unit_test(test_nothing_crosses),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
