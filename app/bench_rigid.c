// What free rigid bodies cost. The work and the measures of quality of `free` are those of
// bench/free_bodies.h; `memory` is the heap that one more body takes in a world that has stepped.
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "bench_world.h"

static double per_body(double seconds, double count, double steps)
{
    return 1e9 * seconds / (count * steps);
}

// ---- free: beside peers ----

static sn_status free_bodies(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    sn_world *world = NULL;
    size_t bytes = sizeof(sn_free_body) * (size_t)bench->size;
    sn_free_body *bodies = sn_allocate(bytes);
    double seconds = 0.0;
    sn_status status = bodies != NULL ? sn_bench_world_create(bench->size, 1, &world, error)
                                      : sn_fail_memory(error, bytes);
    if (status == SN_OK) {
        status = sn_bench_advance(world, bench->step, SN_FREE_WARM_UP, error);
    }
    if (status == SN_OK) {
        status = sn_bench_time_processor(world, bench->step, bench->steps, &seconds, error);
    }
    if (status == SN_OK) {
        sn_bench_read(world, bodies);
        sn_free_judge(bodies, bench->size, sn_world_time(world), result->quality);
        result->value = per_body(seconds, bench->size, bench->steps);
    }
    sn_world_destroy(world);
    sn_free(bodies);
    return status;
}

// ---- memory ----

static sn_status memory(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    sn_world *empty = NULL, *world = NULL;
    double before = sn_bench_heap();
    sn_status status = sn_bench_world_create(0, 1, &empty, error);
    double with_empty = sn_bench_heap();
    if (status == SN_OK) {
        status = sn_bench_world_create(bench->size, 1, &world, error);
    }
    if (status == SN_OK) {
        status = sn_bench_advance(world, bench->step, 1, error);
    }
    double with_both = sn_bench_heap();
    result->value = (with_both - with_empty - (with_empty - before)) / bench->size;
    sn_world_destroy(world);
    sn_world_destroy(empty);
    return status;
}

// ---- growth ----

// The slope of the straight line through log(cost per body and step) over log(bodies): 0 is flat.
static sn_status growth(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    enum { SIZES = 4 };
    static const int sizes[SIZES] = {100, 1000, 10000, 100000};
    double x[SIZES], y[SIZES], x_mean = 0.0, y_mean = 0.0, xy = 0.0, xx = 0.0;
    for (int i = 0; i < SIZES; ++i) {
        sn_world *world = NULL;
        double seconds = 0.0;
        int steps = bench->size / sizes[i] * bench->steps;
        sn_status status = sn_bench_world_create(sizes[i], 1, &world, error);
        if (status == SN_OK) {
            status = sn_bench_advance(world, bench->step, SN_FREE_WARM_UP, error);
        }
        if (status == SN_OK) {
            status = sn_bench_time_processor(world, bench->step, steps, &seconds, error);
        }
        sn_world_destroy(world);
        if (status != SN_OK) {
            return status;
        }
        result->quality[i] = per_body(seconds, sizes[i], steps);
        x[i] = log((double)sizes[i]);
        y[i] = log(result->quality[i]);
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

// ---- threads ----

// Wall time of the same world on one and on two threads, in turns; their states must agree.
static sn_status threads(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    enum { TURNS = 4 };
    sn_world *worlds[2] = {NULL, NULL};
    double seconds[2] = {0.0, 0.0};
    sn_status status = SN_OK;
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        status = sn_bench_world_create(bench->size, i + 1, &worlds[i], error);
        if (status == SN_OK) {
            status = sn_bench_advance(worlds[i], bench->step, SN_FREE_WARM_UP, error);
        }
    }
    int steps = bench->steps / TURNS;
    for (int i = 0; i < 2 * TURNS && status == SN_OK; ++i) {
        double turn = 0.0;
        status = sn_bench_time_wall(worlds[i % 2], bench->step, steps, &turn, error);
        seconds[i % 2] += turn;
    }
    if (status == SN_OK) {
        double step_count = (double)steps * TURNS;
        result->value = per_body(seconds[1], bench->size, step_count);
        result->quality[0] = per_body(seconds[0], bench->size, step_count);
        result->quality[1] = seconds[0] / seconds[1];
        result->quality[2] = sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]) ? 1.0 : 0.0;
    }
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
    return status;
}

#define FREE_BODIES(number, text, step_count)                                                      \
    {                                                                                              \
        .name = "free", .title = text, .unit = "ns/body/step", .size = number,                     \
        .steps = step_count, .step = 1e-3,                                                         \
        .quality = {"energy_drift", "spin_energy_drift", "angular_momentum_drift",                 \
                    "attitude_error"},                                                             \
        .run = free_bodies                                                                         \
    }

static const sn_bench_case cases[] = {
    FREE_BODIES(10000, "10,000 free bodies", 300),
    FREE_BODIES(100, "100 free bodies", 5000),
    FREE_BODIES(1000, "1,000 free bodies", 1000),
    FREE_BODIES(100000, "100,000 free bodies", 20),
    {.name = "growth",
     .title = "growth, exponent over 100..100,000",
     .unit = "1",
     .size = 100000, // bodies times steps at each size, for each of `steps`
     .steps = 20,
     .step = 1e-3,
     .quality = {"ns_at_100", "ns_at_1000", "ns_at_10000", "ns_at_100000"},
     .run = growth},
    {.name = "threads",
     .title = "10,000 bodies on 2 threads, wall",
     .unit = "ns/body/step",
     .size = 10000,
     .steps = 400,
     .step = 1e-3,
     .quality = {"one_thread", "speedup", "same_hash"},
     .run = threads},
    {.name = "memory",
     .title = "heap, 10,000 bodies",
     .unit = "B/body",
     .size = 10000,
     .steps = 1,
     .step = 1e-3,
     .run = memory},
    {.name = "memory",
     .title = "heap, 1,000 bodies",
     .unit = "B/body",
     .size = 1000,
     .steps = 1,
     .step = 1e-3,
     .run = memory},
};

const sn_bench_group sn_bench_rigid = {"rigid", "free rigid bodies", cases,
                                       sizeof cases / sizeof cases[0]};
