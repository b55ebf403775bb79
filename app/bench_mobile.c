// What mobiles cost in the wind, one thread, with collisions.
//
// `steel-fish`, `flurry`: a built-in mobile in a steady jet that blows at it from the side, with
// occlusion; us of processor time per step, and how many times faster than real time that is.
// `steel-fish` a second time without that jet, in the breaths of its own scene, for all of its 20
// s.
//
// `step`, `load`: mobiles of 10 to 1,000 leaves in a natural wind with occlusion; the slope of the
// straight line through log(cost of a step) over log(leaves): 1 is linear. A tree divides its
// leaves in halves on every level, over a square grid of 15 cm. A cascade is a chain: each arm
// carries a leaf and, on a cord of 1 m, the next arm. Shorter cords would be another matter: a
// hanging chain swings at up to 2 sqrt(g n / l) rad/s, and beyond 2 / h no step of h can follow.
// Cases `step` are of a step, with us per leaf; cases `load` of reading and building.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/mobiles.h"
#include "base/error.h"
#include "bench.h"
#include "bench_world.h"
#include "builtin.h"
#include "progress.h"
#include "sinew/scene.h"
#include "sinew/wind.h"

// ---- worlds ----

// Destroy the world whatever the status.
static sn_status build_text(const char *name, const char *text, size_t length, sn_world **world,
                            sn_error *error)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text(name, text, length, NULL, &scene, &errors);
    if (status != SN_OK && errors.count > 0) {
        *error = errors.items[0];
    }
    sn_error_list_free(&errors);
    status = status == SN_OK ? sn_scene_build(scene, world, error) : status;
    sn_scene_destroy(scene);
    return status;
}

static sn_status build_mobile(int kind, int leaves, sn_world **world, sn_error *error)
{
    size_t length = 0;
    char *text = sn_mobile_write(kind, leaves, &length);
    sn_status status = text != NULL ? build_text("mobile", text, length, world, error)
                                    : sn_fail_memory(error, length);
    free(text);
    return status;
}

// ---- scene ----

// Steady, and away from every leaf's edge: 10 m/s out of a mouth of 40 mm, a metre off; in the
// place of the breath that the scene may have.
static sn_status add_jet(sn_world *world, sn_error *error)
{
    sn_field breath = sn_world_find_breath(world);
    if (sn_world_wind(world, breath) != NULL) {
        sn_status status = sn_world_remove_field(world, breath, error);
        if (status != SN_OK) {
            return status;
        }
    }
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = sn_vec3_negate(low);
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_vec3 centre = sn_body_centre(world, sn_world_body(world, i));
        low = sn_vec3_min(low, centre);
        high = sn_vec3_max(high, centre);
    }
    sn_wind_def jet = sn_default_wind_def();
    sn_field field;
    jet.kind = SN_WIND_JET;
    jet.name = "bench jet";
    jet.radius = 0.02;
    jet.occlusion = SN_WIND_OCCLUSION_DEPTH;
    jet.speed = 10.0;
    jet.position = sn_vec3_scale(0.5, sn_vec3_add(low, high));
    jet.position.x = low.x - 1.0;
    return sn_world_add_wind(world, &jet, &field, error);
}

enum { IN_JET, AS_IT_IS };

static sn_status scene(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    const sn_embedded_file *file = sn_builtin_find(bench->name);
    sn_world *world = NULL;
    double seconds = 0.0, field = 0.0, collide = 0.0, total = 0.0;
    sn_status status =
        file != NULL ? build_text(bench->name, (const char *)file->data, file->size, &world, error)
                     : sn_fail(error, SN_ERROR_FILE, bench->name, "no such built-in scene");
    status = status == SN_OK && bench->parameter == IN_JET ? add_jet(world, error) : status;
    status = status == SN_OK ? sn_bench_advance(world, bench->step, 10, error) : status;
    double started = sn_processor_time();
    for (int i = 0; i < bench->steps && status == SN_OK; ++i) {
        status = sn_world_step(world, bench->step, error);
        sn_step_report report = sn_world_report(world);
        field += report.field_seconds;
        collide += report.collide_seconds;
        total += report.total_seconds;
    }
    seconds = sn_processor_time() - started;
    if (status == SN_OK) {
        result->value = 1e6 * seconds / bench->steps;
        result->quality[0] = bench->steps * bench->step / seconds;
        result->quality[1] = field / total;
        result->quality[2] = collide / total;
    }
    sn_world_destroy(world);
    return status;
}

// ---- growth ----

enum { SIZES = 5 };

static const int sizes[SIZES] = {10, 30, 100, 300, 1000};

static sn_status measure(const sn_bench_case *bench, int kind, int leaves, double *seconds,
                         sn_error *error)
{
    sn_world *world = NULL;
    double started = sn_processor_time();
    sn_status status = build_mobile(kind, leaves, &world, error);
    *seconds = sn_processor_time() - started;
    if (status == SN_OK && bench->name[0] == 's') {
        // As many steps as make up the same number of leaves.
        int steps = bench->steps * sizes[SIZES - 1] / leaves;
        status = sn_bench_advance(world, bench->step, 2, error);
        status = status == SN_OK
                     ? sn_bench_time_processor(world, bench->step, steps, seconds, error)
                     : status;
        *seconds /= steps;
    }
    sn_world_destroy(world);
    return status;
}

static sn_status growth(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    double x[SIZES], y[SIZES], x_mean = 0.0, y_mean = 0.0, xy = 0.0, xx = 0.0;
    for (int i = 0; i < SIZES; ++i) {
        double seconds = 0.0;
        sn_status status = measure(bench, bench->parameter, sizes[i], &seconds, error);
        if (status != SN_OK) {
            return status;
        }
        result->quality[i] = 1e6 * seconds / sizes[i];
        x[i] = log((double)sizes[i]);
        y[i] = log(seconds);
        x_mean += x[i] / SIZES;
        y_mean += y[i] / SIZES;
    }
    for (int i = 0; i < SIZES; ++i) {
        xy += (x[i] - x_mean) * (y[i] - y_mean);
        xx += (x[i] - x_mean) * (x[i] - x_mean);
    }
    result->value = xy / xx;
    return SN_OK;
}

// ---- the cases ----

#define SCENE(word, text, count, factor, wind)                                                     \
    {                                                                                              \
        .name = word, .title = text, .unit = "us/step", .size = 1, .steps = count,                 \
        .step = 1.0 / 240.0, .parameter = wind, .quality = {"real_time", "field", "collide"},      \
        .run = scene, .bars = {                                                                    \
            {.quality = "real_time", .limit = factor, .least = true}                               \
        }                                                                                          \
    }
#define GROWTH(word, text, kind)                                                                   \
    {                                                                                              \
        .name = word, .title = text, .unit = "1", .size = 1000, .steps = 8, .step = 1.0 / 240.0,   \
        .repeats = 1, .parameter = kind,                                                           \
        .quality = {"us_at_10", "us_at_30", "us_at_100", "us_at_300", "us_at_1000"},               \
        .run = growth, .bars = {                                                                   \
            {.limit = 1.1}                                                                         \
        }                                                                                          \
    }

static const sn_bench_case cases[] = {
    SCENE("steel-fish", "Steel Fish in its own breaths", 4800, 50.0, AS_IT_IS),
    SCENE("steel-fish", "Steel Fish in a jet", 2400, 50.0, IN_JET),
    SCENE("flurry", "Flurry, 60 leaves, in a jet", 240, 10.0, IN_JET),
    GROWTH("step", "growth of a tree, exponent 10..1,000", SN_MOBILE_TREE),
    GROWTH("step", "growth of a cascade, exponent 10..1,000", SN_MOBILE_CASCADE),
    GROWTH("load", "growth of loading a tree", SN_MOBILE_TREE),
    GROWTH("load", "growth of loading a cascade", SN_MOBILE_CASCADE),
};

const sn_bench_group sn_bench_mobile = {"mobile", "mobiles in the wind", cases,
                                        sizeof cases / sizeof cases[0]};
