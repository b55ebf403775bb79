// The broad phase against brute force over all pairs: random motions, removals, half spaces, any
// number of threads, queries and rays, memory that runs out, and trees that keep their quality.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "collide/broad.h"
#include "random_vector.h"

enum { MOST = 1200 };

typedef struct thing {
    int proxy; // -1: not there
    bool moving, plane;
    sn_vec3 at, half, velocity;
} thing;

typedef struct crowd {
    sn_broad *broad;
    sn_random random;
    int count;
    thing things[MOST];
    uint8_t near[MOST][MOST]; // as the owner of the pairs has them
    double scale;
} crowd;

static sn_aabb box_of(const thing *one)
{
    sn_aabb box = {sn_vec3_sub(one->at, one->half), sn_vec3_add(one->at, one->half)};
    return box;
}

static void add_thing(crowd *all, int index, bool moving)
{
    thing *one = &all->things[index];
    double size = 0.2 * all->scale;
    one->moving = moving;
    one->plane = false;
    one->at = random_vector(&all->random, 2.0 * all->scale);
    one->half = sn_vec3_make(sn_random_range(&all->random, 0.1, 1.0) * size,
                             sn_random_range(&all->random, 0.1, 1.0) * size,
                             sn_random_range(&all->random, 0.0, 1.0) * size);
    one->velocity = random_vector(&all->random, size);
    one->proxy = sn_broad_add(all->broad, box_of(one), (uint32_t)index, moving);
    assert_true(one->proxy >= 0);
}

static crowd *make_crowd(int count, int still, uint64_t seed, double scale)
{
    crowd *all = calloc(1, sizeof *all);
    all->random.seed = seed;
    all->count = count;
    all->scale = scale;
    assert_int_equal(sn_broad_create(0.05, &all->broad, NULL), SN_OK);
    for (int i = 0; i < count; ++i) {
        add_thing(all, i, i >= still);
    }
    return all;
}

static void free_crowd(crowd *all)
{
    sn_broad_destroy(all->broad);
    free(all);
}

static void move_crowd(crowd *all, double h)
{
    for (int i = 0; i < all->count; ++i) {
        thing *one = &all->things[i];
        if (one->proxy < 0 || !one->moving) {
            continue;
        }
        one->at = sn_vec3_add_scaled(one->at, h, one->velocity);
        // Back towards the middle at the border, in another direction.
        if (sn_length(one->at) > 3.0 * all->scale) {
            double speed = sn_length(one->velocity);
            sn_vec3 to = sn_vec3_sub(random_vector(&all->random, all->scale), one->at);
            one->velocity = sn_vec3_scale(speed, sn_normalize(to));
        }
        sn_broad_move(all->broad, one->proxy, box_of(one), sn_vec3_scale(2.0 * h, one->velocity));
    }
}

// Takes the new pairs in, drops ended ones, and compares with all pairs.
static void check_pairs(crowd *all, sn_threads *threads)
{
    const sn_broad_pair *pairs = NULL;
    int count = 0;
    assert_int_equal(sn_broad_pairs(all->broad, threads, NULL, NULL, &pairs, &count, NULL), SN_OK);
    for (int i = 0; i < count; ++i) {
        uint32_t a = pairs[i].user_a, b = pairs[i].user_b;
        assert_true(a < b);
        assert_true(i == 0 || pairs[i - 1].user_a < a ||
                    (pairs[i - 1].user_a == a && pairs[i - 1].user_b < b));
        assert_int_equal(all->things[a].proxy, pairs[i].proxy_a);
        assert_int_equal(all->things[b].proxy, pairs[i].proxy_b);
        assert_false(all->near[a][b]); // each once
        all->near[a][b] = 1;
    }
    int overlaps = 0;
    for (int a = 0; a < all->count; ++a) {
        for (int b = a + 1; b < all->count; ++b) {
            const thing *one = &all->things[a], *other = &all->things[b];
            bool wanted = one->proxy >= 0 && other->proxy >= 0 && (one->moving || other->moving) &&
                          sn_broad_overlaps(all->broad, one->proxy, other->proxy);
            if (!wanted) {
                all->near[a][b] = 0;
            }
            assert_int_equal(all->near[a][b], wanted);
            if (one->proxy < 0 || other->proxy < 0 || one->plane || other->plane) {
                continue;
            }
            // Whatever the fat boxes are, boxes that overlap are a pair.
            sn_vec3 apart = sn_vec3_sub(one->at, other->at);
            sn_vec3 reach = sn_vec3_add(one->half, other->half);
            bool touch =
                fabs(apart.x) <= reach.x && fabs(apart.y) <= reach.y && fabs(apart.z) <= reach.z;
            assert_true(!touch || wanted || !(one->moving || other->moving));
            overlaps += touch;
        }
    }
    assert_true(overlaps > 0);
    assert_true(sn_broad_is_sound(all->broad));
}

static void test_random_motion(void **state)
{
    (void)state;
    for (int run = 0; run < 3; ++run) {
        const double scales[3] = {1.0, 0.01, 100.0};
        crowd *all = make_crowd(300, 60, 11 + (uint64_t)run, scales[run]);
        for (int step = 0; step < 150; ++step) {
            check_pairs(all, NULL);
            move_crowd(all, 0.05);
        }
        // Nothing moves: nothing is new.
        const sn_broad_pair *pairs = NULL;
        int count = 0;
        sn_broad_pairs(all->broad, NULL, NULL, NULL, &pairs, &count, NULL);
        move_crowd(all, 0.0);
        sn_broad_pairs(all->broad, NULL, NULL, NULL, &pairs, &count, NULL);
        move_crowd(all, 0.0);
        sn_broad_pairs(all->broad, NULL, NULL, NULL, &pairs, &count, NULL);
        assert_int_equal(count, 0);
        free_crowd(all);
    }
}

static void forget(crowd *all, int index)
{
    for (int i = 0; i < all->count; ++i) {
        all->near[i][index] = 0;
        all->near[index][i] = 0;
    }
    all->things[index].proxy = -1;
}

static void test_adding_and_removing(void **state)
{
    (void)state;
    crowd *all = make_crowd(200, 40, 21, 1.0);
    for (int step = 0; step < 300; ++step) {
        for (int k = 0; k < 12; ++k) {
            int index = sn_random_below(&all->random, all->count);
            thing *one = &all->things[index];
            if (one->proxy >= 0) {
                sn_broad_remove(all->broad, one->proxy);
                forget(all, index);
            }
            int kind = sn_random_below(&all->random, 8);
            if (kind == 0 && index < 3) {
                sn_vec3 normal = sn_normalize(random_vector(&all->random, 1.0));
                one->proxy = sn_broad_add_half_space(all->broad, normal, -1.0, (uint32_t)index);
                one->moving = false;
                one->plane = true;
            } else if (kind < 6) {
                add_thing(all, index, kind > 1);
            }
        }
        // Jumps, and still things put elsewhere.
        int index = sn_random_below(&all->random, all->count);
        if (all->things[index].proxy >= 0 && !all->things[index].plane) {
            all->things[index].at = random_vector(&all->random, 2.0);
            sn_broad_move(all->broad, all->things[index].proxy, box_of(&all->things[index]),
                          SN_VEC3_ZERO);
        }
        move_crowd(all, 0.05);
        if (step % 3 != 0) {
            check_pairs(all, NULL);
        }
    }
    free_crowd(all);
}

static bool odd_only(void *context, uint32_t user_a, uint32_t user_b)
{
    (void)context;
    return ((user_a + user_b) & 1) == 1;
}

static void test_filter_and_renewal(void **state)
{
    (void)state;
    crowd *all = make_crowd(200, 0, 31, 1.0);
    const sn_broad_pair *pairs = NULL;
    int count = 0, odd = 0;
    sn_broad_pairs(all->broad, NULL, odd_only, NULL, &pairs, &count, NULL);
    assert_true(count > 10);
    uint32_t chosen = pairs[0].user_a;
    for (int i = 0; i < count; ++i) {
        assert_true(((pairs[i].user_a + pairs[i].user_b) & 1) == 1);
        odd += pairs[i].user_a == chosen || pairs[i].user_b == chosen;
    }
    sn_broad_pairs(all->broad, NULL, NULL, NULL, &pairs, &count, NULL);
    assert_int_equal(count, 0);
    sn_broad_renew(all->broad, all->things[chosen].proxy);
    sn_broad_pairs(all->broad, NULL, NULL, NULL, &pairs, &count, NULL);
    assert_true(count >= odd && count > 0);
    for (int i = 0; i < count; ++i) {
        assert_true(pairs[i].user_a == chosen || pairs[i].user_b == chosen);
    }
    free_crowd(all);
}

// The same pairs in the same order for any number of threads, equal users too.
static void test_threads(void **state)
{
    (void)state;
    enum { STEPS = 25, COUNT = 1200, SAVED = 200000 };
    sn_broad_pair *first = malloc(SAVED * sizeof *first);
    int saved = 0;
    for (int threads_count = 1; threads_count <= 4; threads_count *= 2) {
        sn_threads *threads = NULL;
        assert_int_equal(sn_threads_create(threads_count, &threads, NULL), SN_OK);
        crowd *all = make_crowd(COUNT, 200, 41, 1.0);
        for (int i = 0; i < 100; ++i) {
            assert_true(sn_broad_add(all->broad, box_of(&all->things[i]), 5000, true) >= 0);
        }
        int at = 0;
        for (int step = 0; step < STEPS; ++step) {
            const sn_broad_pair *pairs = NULL;
            int count = 0;
            sn_broad_pairs(all->broad, threads, NULL, NULL, &pairs, &count, NULL);
            assert_true(at + count <= SAVED);
            if (threads_count == 1) {
                memcpy(first + at, pairs, (size_t)count * sizeof *pairs);
                saved += count;
            } else {
                assert_memory_equal(first + at, pairs, (size_t)count * sizeof *pairs);
            }
            at += count;
            move_crowd(all, 0.05);
        }
        assert_int_equal(at, saved);
        free_crowd(all);
        sn_threads_destroy(threads);
    }
    free(first);
}

typedef struct found {
    uint8_t seen[MOST];
    const crowd *all;
    sn_vec3 origin, direction, half;
    double nearest;
    int calls;
} found;

static bool mark(void *context, int proxy, uint32_t user)
{
    found *to = context;
    assert_int_equal(to->all->things[user].proxy, proxy);
    assert_false(to->seen[user]);
    to->seen[user] = 1;
    return true;
}

// Where the line enters the box of a thing, or infinity.
static double entry(const found *to, const thing *one)
{
    double o[3], d[3], c[3], h[3], from = 0.0, till = INFINITY;
    sn_vec3_put(o, to->origin);
    sn_vec3_put(d, to->direction);
    sn_vec3_put(c, one->at);
    sn_vec3_put(h, sn_vec3_add(one->half, to->half));
    for (int k = 0; k < 3; ++k) {
        if (d[k] == 0.0) {
            till = fabs(o[k] - c[k]) <= h[k] ? till : -1.0;
            continue;
        }
        double a = (c[k] - h[k] - o[k]) / d[k], b = (c[k] + h[k] - o[k]) / d[k];
        from = fmax(from, fmin(a, b));
        till = fmin(till, fmax(a, b));
    }
    return from <= till ? from : INFINITY;
}

static double strike(void *context, int proxy, uint32_t user, double limit)
{
    found *to = context;
    (void)proxy;
    to->calls += 1;
    to->seen[user] = 1;
    double at = entry(to, &to->all->things[user]);
    to->nearest = fmin(to->nearest, at);
    return fmin(limit, at);
}

static void test_queries(void **state)
{
    (void)state;
    crowd *all = make_crowd(600, 200, 51, 1.0);
    int calls = 0, hits = 0;
    for (int run = 0; run < 300; ++run) {
        move_crowd(all, 0.02);
        sn_broad_update(all->broad);
        thing probe = {.at = random_vector(&all->random, 2.0),
                       .half = {0.1 * (run % 5), 0.2, 0.05}};
        found to = {.all = all};
        sn_broad_query(all->broad, box_of(&probe), mark, &to);
        to.origin = random_vector(&all->random, 4.0);
        to.direction = random_vector(&all->random, 1.0);
        to.direction.x = run % 4 == 0 ? 0.0 : to.direction.x;
        to.direction.y = run % 8 == 0 ? 0.0 : to.direction.y;
        to.half = run % 2 == 0 ? SN_VEC3_ZERO : probe.half;
        double wanted = INFINITY;
        for (int i = 0; i < all->count; ++i) {
            sn_vec3 apart = sn_vec3_sub(all->things[i].at, probe.at);
            sn_vec3 reach = sn_vec3_add(all->things[i].half, probe.half);
            bool touch =
                fabs(apart.x) <= reach.x && fabs(apart.y) <= reach.y && fabs(apart.z) <= reach.z;
            assert_true(!touch || to.seen[i]);
            hits += touch;
            wanted = fmin(wanted, entry(&to, &all->things[i]));
        }
        to.nearest = INFINITY;
        sn_broad_ray(all->broad, to.origin, to.direction, to.half, INFINITY, strike, &to);
        assert_true(to.nearest == wanted);
        calls += to.calls;
    }
    assert_true(hits > 100);
    assert_true(calls < 300 * 25); // near ones first, far ones not at all
    free_crowd(all);
}

// A gas that mixes for thousands of steps: what a search costs, measured in areas, stays near that
// of a tree built anew.
static void test_quality(void **state)
{
    (void)state;
    crowd *all = make_crowd(400, 0, 61, 1.0);
    double worst = 0.0;
    for (int step = 0; step < 3000; ++step) {
        move_crowd(all, 0.05);
        sn_broad_update(all->broad);
        worst = fmax(worst, sn_broad_wear(all->broad));
    }
    assert_true(worst < 1.35);
    assert_true(sn_broad_is_sound(all->broad));
    assert_true(sn_broad_rebuilds(all->broad) < 600); // one in five steps
    free_crowd(all);
}

// Equal boxes, boxes without size and boxes in a line: the height stays small.
static void test_degenerate_boxes(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        sn_broad *broad = NULL;
        sn_broad_create(0.05, &broad, NULL);
        for (int i = 0; i < 2000; ++i) {
            double x = kind == 2 ? ldexp(1.0, i % 50) : 1.0, half = kind == 0 ? 0.0 : 0.5;
            sn_aabb box = {{x - half, -half, -half}, {x + half, half, half}};
            assert_true(sn_broad_add(broad, box, (uint32_t)i, true) >= 0);
            if (i % 7 == 0) {
                sn_broad_update(broad);
            }
        }
        sn_broad_update(broad);
        assert_true(sn_broad_is_sound(broad));
        // Numbers that are none are ignored.
        sn_aabb none = {{NAN, 0.0, 0.0}, {1.0, 1.0, INFINITY}};
        assert_false(sn_broad_move(broad, 3, none, SN_VEC3_ZERO));
        sn_broad_update(broad);
        assert_true(sn_broad_is_sound(broad));
        sn_broad_destroy(broad);
    }
}

static void test_memory(void **state)
{
    (void)state;
    bool done = false;
    for (int after = 0; !done; ++after) {
        assert_true(after < 400);
        sn_allocation_fail_after(after);
        sn_broad *broad = NULL;
        sn_error error = {0};
        sn_status status = sn_broad_create(0.05, &broad, &error);
        done = status == SN_OK;
        sn_random random = {.seed = 71};
        for (int i = 0; i < 100 && done; ++i) {
            sn_vec3 at = random_vector(&random, 1.0);
            sn_aabb box = {at, sn_vec3_add(at, sn_vec3_make(0.3, 0.3, 0.3))};
            int proxy = i % 10 == 0 ? sn_broad_add_half_space(broad, at, 0.0, (uint32_t)i)
                                    : sn_broad_add(broad, box, (uint32_t)i, i % 3 != 0);
            done = proxy >= 0;
        }
        const sn_broad_pair *pairs = NULL;
        int count = 0;
        if (done) {
            status = sn_broad_pairs(broad, NULL, NULL, NULL, &pairs, &count, &error);
            done = status == SN_OK;
            assert_true(done || error.code == SN_ERROR_MEMORY);
        }
        sn_allocation_fail_after(-1);
        if (broad != NULL) {
            // What failed can be tried again.
            sn_broad_pairs(broad, NULL, NULL, NULL, &pairs, &count, NULL);
            assert_true(sn_broad_is_sound(broad));
        }
        sn_broad_destroy(broad);
    }
    // A running one allocates nothing.
    crowd *all = make_crowd(300, 50, 81, 1.0);
    const sn_broad_pair *pairs = NULL;
    int count = 0;
    for (int step = 0; step < 100; ++step) {
        sn_broad_pairs(all->broad, NULL, NULL, NULL, &pairs, &count, NULL);
        move_crowd(all, 0.05);
    }
    uint64_t before = sn_allocation_count();
    for (int step = 0; step < 300; ++step) {
        sn_broad_pairs(all->broad, NULL, NULL, NULL, &pairs, &count, NULL);
        move_crowd(all, 0.05);
    }
    assert_true(sn_allocation_count() == before);
    free_crowd(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_motion),
        cmocka_unit_test(test_adding_and_removing),
        cmocka_unit_test(test_filter_and_renewal),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_quality),
        cmocka_unit_test(test_degenerate_boxes),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
