// What exact tests of two colliders cost, in ns of processor time a call.
//
// Cases `touch`: N pairs that touch, one resting on the other: turned at random about the common
// normal, shifted by up to 0.3 of an edge, tilted by up to a thousandth, overlapping by a
// thousandth; each as it is found again in the next step, with what is remembered of it. `points`
// is the mean number of points. Cases `part`: N pairs whose bounding boxes overlap and which do not
// touch, cold or as found again. Cases `distance`: GJK alone, of hulls of forty corners, likewise.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/random.h"
#include "bench.h"
#include "collide/gjk.h"
#include "collide/hull_shape.h"
#include "math/rotation.h"
#include "progress.h"

enum { BOX, BRICK, STONE, CYLINDER, CAPSULE, KINDS }; // a brick is a box as a hull

enum { WARM = 64 }; // flag of a case's parameter: 8 * kind of the upper + kind of the lower | WARM

typedef struct pairs {
    sn_hull *brick, *stone;
    sn_collider kinds[KINDS];
    int count;
    sn_transform *lower, *upper;
    sn_collide_cache *caches;
} pairs;

static sn_vec3 random_vector(sn_random *random)
{
    double x = sn_random_range(random, -1.0, 1.0), y = sn_random_range(random, -1.0, 1.0);
    return sn_vec3_make(x, y, sn_random_range(random, -1.0, 1.0));
}

static sn_status make_kinds(pairs *p, sn_error *error)
{
    sn_random random = {.seed = 1};
    sn_vec3 corners[40];
    for (int i = 0; i < 8; ++i) {
        corners[i] = sn_vec3_make((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5,
                                  (i & 4) != 0 ? 0.5 : -0.5);
    }
    sn_status status = sn_hull_from_points(corners, 8, &p->brick, error);
    for (int i = 0; i < 40; ++i) {
        corners[i] = sn_vec3_scale(0.6, sn_normalize(random_vector(&random)));
    }
    if (status == SN_OK) {
        status = sn_hull_from_points(corners, 40, &p->stone, error);
    }
    if (status == SN_OK) {
        p->kinds[BOX] = sn_collider_box(sn_vec3_make(0.5, 0.5, 0.5), 0.0);
        p->kinds[BRICK] = sn_collider_hull(p->brick, 0.0);
        p->kinds[STONE] = sn_collider_hull(p->stone, 0.0);
        p->kinds[CYLINDER] = sn_collider_cylinder(0.5, 0.5);
        p->kinds[CAPSULE] = sn_collider_capsule(0.25, 0.25);
    }
    return status;
}

static sn_transform resting(sn_random *random, const sn_transform *lower)
{
    sn_quat yaw = sn_quat_exp(sn_vec3_make(0.0, 0.0, sn_random_range(random, -3.0, 3.0)));
    sn_vec3 tilt = sn_vec3_scale(1e-3, random_vector(random));
    double x = sn_random_range(random, -0.3, 0.3), y = sn_random_range(random, -0.3, 0.3);
    sn_transform over = {{x, y, 0.999}, sn_quat_multiply(sn_quat_exp(tilt), yaw)};
    return sn_transform_multiply(*lower, over);
}

static sn_transform apart(sn_random *random, const sn_transform *lower)
{
    sn_transform beside = {lower->position, sn_quat_exp(random_vector(random))};
    sn_vec3 away = sn_normalize(random_vector(random));
    beside.position = sn_vec3_add_scaled(beside.position, 1.6, away);
    return beside;
}

static sn_status make_pairs(pairs *p, int count, bool touching, sn_error *error)
{
    size_t number = (size_t)count;
    p->count = count;
    p->lower = calloc(number, sizeof *p->lower);
    p->upper = calloc(number, sizeof *p->upper);
    p->caches = calloc(number, sizeof *p->caches);
    if (p->lower == NULL || p->upper == NULL || p->caches == NULL) {
        return sn_fail_memory(error, number * sizeof *p->lower);
    }
    sn_random random = {.seed = 2};
    for (int i = 0; i < count; ++i) {
        p->lower[i] = (sn_transform){random_vector(&random), sn_quat_exp(random_vector(&random))};
        p->upper[i] = touching ? resting(&random, &p->lower[i]) : apart(&random, &p->lower[i]);
    }
    return make_kinds(p, error);
}

static void free_pairs(pairs *p)
{
    sn_hull_release(p->brick);
    sn_hull_release(p->stone);
    free(p->lower);
    free(p->upper);
    free(p->caches);
}

// All pairs once; gives the number of points.
static int collide_all(pairs *p, const sn_collider *lower, const sn_collider *upper, bool warm)
{
    int points = 0;
    for (int i = 0; i < p->count; ++i) {
        sn_manifold manifold;
        sn_collide_cache *cache = warm ? &p->caches[i] : NULL;
        if (sn_collide(lower, &p->lower[i], upper, &p->upper[i], 0.02, cache, &manifold, 1, NULL) >
            0) {
            points += manifold.count;
        }
    }
    return points;
}

static sn_status collide(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    pairs p = {0};
    bool warm = (bench->parameter & WARM) != 0, touching = bench->name[0] == 't';
    sn_status status = make_pairs(&p, bench->size, touching, error);
    if (status == SN_OK) {
        const sn_collider *lower = &p.kinds[bench->parameter & 7];
        const sn_collider *upper = &p.kinds[bench->parameter >> 3 & 7];
        int points = collide_all(&p, lower, upper, warm);
        double started = sn_processor_time();
        for (int i = 0; i < bench->steps; ++i) {
            points = collide_all(&p, lower, upper, warm);
        }
        double calls = (double)bench->steps * bench->size;
        result->value = 1e9 * (sn_processor_time() - started) / calls;
        result->quality[0] = (double)points / bench->size;
    }
    free_pairs(&p);
    return status;
}

static sn_status distance(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    pairs p = {0};
    bool warm = (bench->parameter & WARM) != 0;
    sn_status status = make_pairs(&p, bench->size, false, error);
    double turns = 0.0, started = 0.0;
    for (int i = -1; status == SN_OK && i < bench->steps; ++i) {
        started = i == 0 ? sn_processor_time() : started;
        for (int k = 0; k < p.count; ++k) {
            sn_core_pair pair =
                sn_core_pair_make(&p.kinds[STONE], &p.lower[k], &p.kinds[STONE], &p.upper[k]);
            sn_gjk gjk;
            sn_gjk_run(&pair, INFINITY, warm ? &p.caches[k] : NULL, &gjk);
            turns += i >= 0 ? gjk.turns : 0;
        }
    }
    double calls = (double)bench->steps * bench->size;
    result->value = 1e9 * (sn_processor_time() - started) / calls;
    result->quality[0] = turns / calls;
    free_pairs(&p);
    return status;
}

#define COLLIDE(kind, text, of, number, function)                                                  \
    {                                                                                              \
        .name = kind, .title = text, .unit = "ns/pair", .size = 1000, .steps = 400,                \
        .parameter = (number), .quality = {of}, .run = function                                    \
    }

static const sn_bench_case cases[] = {
    COLLIDE("touch", "box on box", "points", 8 * BOX + BOX + WARM, collide),
    COLLIDE("touch", "brick on brick (hulls)", "points", 8 * BRICK + BRICK + WARM, collide),
    COLLIDE("touch", "cylinder on box", "points", 8 * CYLINDER + BOX + WARM, collide),
    COLLIDE("part", "boxes apart, seen before", "points", 8 * BOX + BOX + WARM, collide),
    COLLIDE("part", "boxes apart, not seen before", "points", 8 * BOX + BOX, collide),
    COLLIDE("part", "capsules and boxes apart", "points", 8 * CAPSULE + BOX + WARM, collide),
    COLLIDE("distance", "stones of 40 corners, seen before", "turns", WARM, distance),
    COLLIDE("distance", "stones of 40 corners, not seen before", "turns", 0, distance),
};

const sn_bench_group sn_bench_collide = {"collide", "exact tests of pairs of colliders", cases,
                                         sizeof cases / sizeof cases[0]};
