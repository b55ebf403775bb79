// What mechanisms cost, in the default integrator at 1 ms, put together by sn_world_add_joint as
// users do. The work and the measures of quality of `chain`, `tree` and `robot` are those of
// bench/linkages.h; `growth`, `four-bars` and `order` are ours alone.
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "bench_linkage.h"
#include "bench_world.h"

// ---- chain, tree, robot: beside peers ----

// Once, from where the world stands. `followed` tells of a refusal on the way.
static sn_status measure(const sn_linkage *made, sn_world *world, const sn_bench_case *bench,
                         int steps, sn_bench_result *result, sn_error *error)
{
    sn_bench_linkage_run run = {.world = world, .step = bench->step, .error = error};
    sn_linkage_engine engine = sn_bench_linkage_engine(&run);
    bool done = sn_linkage_run(made, &engine, steps, &result->value, result->quality);
    return done                  ? SN_OK
           : run.status != SN_OK ? run.status
                                 : sn_fail_memory(error, sizeof(sn_linkage_body));
}

static sn_status linkage(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    sn_linkage made;
    sn_world *world = NULL;
    if (!sn_linkage_make(&made, bench->name, bench->size)) {
        return sn_fail_memory(error, sizeof *made.links * (size_t)bench->size);
    }
    sn_status status = sn_bench_linkage_create(&made, &world, error);
    if (status == SN_OK) {
        status = measure(&made, world, bench, bench->steps, result, error);
    }
    sn_world_destroy(world);
    sn_linkage_free(&made);
    return status;
}

// ---- growth ----

enum {
    GROWTH_SIZES = 5,
    GROWTH_STEPS = 20,
    GROWTH_WORK = 20000 // joints times steps at each size, for each of the case's steps
};
static const int growth_sizes[GROWTH_SIZES] = {10, 100, 1000, 10000, 100000};

// The same first steps of a world, `rounds` times: the mean cost, the greatest drift and gap.
static sn_status measure_rounds(const sn_linkage *made, sn_world *world, const sn_bench_case *bench,
                                int rounds, sn_bench_result *mean, sn_error *error)
{
    size_t size = sn_world_state_size(world);
    void *state = sn_allocate(size);
    sn_status status = state != NULL ? sn_world_save_state(world, state, size, error)
                                     : sn_fail_memory(error, size);
    *mean = (sn_bench_result){0};
    for (int i = 0; i < rounds && status == SN_OK; ++i) {
        sn_bench_result one = {0};
        status = sn_world_load_state(world, state, size, error);
        if (status == SN_OK) {
            status = measure(made, world, bench, GROWTH_STEPS, &one, error);
        }
        mean->value += one.value / rounds;
        mean->quality[0] = fmax(mean->quality[0], one.quality[0]);
        mean->quality[1] = fmax(mean->quality[1], one.quality[1]);
    }
    sn_free(state);
    return status;
}

// What is small goes over the same few steps again and again, so that all sizes move alike: later
// steps of a few links are livelier, and dearer, than the first steps of many.
static sn_status growth_at(const char *name, int size, const sn_bench_case *bench,
                           sn_bench_result *result, sn_error *error)
{
    sn_linkage made;
    sn_world *world = NULL;
    if (!sn_linkage_make(&made, name, size)) {
        return sn_fail_memory(error, sizeof *made.links * (size_t)size);
    }
    int rounds = GROWTH_WORK / GROWTH_STEPS * bench->steps / size;
    sn_status status = sn_bench_linkage_create(&made, &world, error);
    if (status == SN_OK) {
        status = measure_rounds(&made, world, bench, rounds > 1 ? rounds : 1, result, error);
    }
    sn_world_destroy(world);
    sn_linkage_free(&made);
    return status;
}

// The slope of the straight line through log(y) over log(x).
static double fitted_exponent(const double *x, const double *y, int count)
{
    double x_mean = 0.0, y_mean = 0.0, xy = 0.0, xx = 0.0;
    for (int i = 0; i < count; ++i) {
        x_mean += log(x[i]) / count;
        y_mean += log(y[i]) / count;
    }
    for (int i = 0; i < count; ++i) {
        xy += (log(x[i]) - x_mean) * (log(y[i]) - y_mean);
        xx += (log(x[i]) - x_mean) * (log(x[i]) - x_mean);
    }
    return xy / xx;
}

// The exponent of a step's cost over the number of joints: 1 is linear. --quick leaves out the
// largest, whose building alone takes longer than all the rest.
static sn_status growth(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    const char *name = bench->parameter == 't' ? "tree" : "chain";
    double sizes[GROWTH_SIZES], costs[GROWTH_SIZES], drift = 0.0, gap = 0.0;
    int count = 0;
    while (count < GROWTH_SIZES && growth_sizes[count] <= GROWTH_WORK * bench->steps) {
        count++;
    }
    for (int i = 0; i < GROWTH_SIZES; ++i) {
        result->quality[i] = NAN;
    }
    for (int i = 0; i < count; ++i) {
        sn_bench_result one = {0};
        sn_status status = growth_at(name, growth_sizes[i], bench, &one, error);
        if (status != SN_OK) {
            return status;
        }
        result->quality[i] = one.value;
        sizes[i] = growth_sizes[i];
        costs[i] = sizes[i] * one.value;
        drift = fmax(drift, one.quality[0]);
        gap = fmax(gap, one.quality[1]);
    }
    result->value = fitted_exponent(sizes, costs, count);
    result->quality[GROWTH_SIZES] = drift;
    result->quality[GROWTH_SIZES + 1] = gap;
    return SN_OK;
}

// ---- loops ----

// Relative to the energy between all rods lying level and standing upright: m g (n + 1) / 2 + m g
// n.
static double four_bars_scale(int loops)
{
    return 9.81 * (0.5 * (loops + 1) + loops);
}

static sn_status four_bars(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    sn_world *world = NULL;
    sn_status status = sn_bench_four_bars_create(bench->size, &world, error);
    double seconds = 0.0, start = status == SN_OK ? sn_world_energy(world).total : 0.0;
    double *drift = &result->quality[0], *gap = &result->quality[1];
    int turn = bench->steps / SN_LINKAGE_LOOKS > 0 ? bench->steps / SN_LINKAGE_LOOKS : 1;
    *drift = *gap = 0.0;
    for (int done = 0; done < bench->steps && status == SN_OK; done += turn) {
        double spent = 0.0;
        status = sn_bench_time_processor(world, bench->step, turn, &spent, error);
        seconds += spent;
        double change = fabs(sn_world_energy(world).total - start);
        *drift = fmax(*drift, change / four_bars_scale(bench->size));
        *gap = fmax(*gap, sn_bench_widest_gap(world));
    }
    if (status == SN_OK) {
        sn_mechanism_info info = sn_world_mechanism_info(world);
        result->value = 1e9 * seconds / ((double)sn_world_joint_count(world) * bench->steps);
        result->quality[2] = info.rows;
        result->quality[3] = info.redundant;
    }
    sn_world_destroy(world);
    return status;
}

// ---- order ----

// Positions after bench->steps steps of bench->step, taken in `parts` parts each.
static sn_status end_positions(const sn_linkage *made, const sn_bench_case *bench, int parts,
                               sn_vec3 *positions, sn_error *error)
{
    sn_world *world = NULL;
    sn_status status = sn_bench_linkage_create(made, &world, error);
    if (status == SN_OK) {
        status = sn_bench_advance(world, bench->step / parts, bench->steps * parts, error);
    }
    for (int i = 0; i < made->count && status == SN_OK; ++i) {
        positions[i] = sn_body_centre(world, sn_world_body(world, i));
    }
    sn_world_destroy(world);
    return status;
}

// With a step halved twice, log2 of how the change of the robot's end positions shrinks: a method
// of order p gives p.
static sn_status order(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    sn_linkage made;
    sn_vec3 ends[3][SN_LINKAGE_HINGES];
    if (!sn_linkage_make(&made, "robot", SN_LINKAGE_HINGES)) {
        return sn_fail_memory(error, sizeof *made.links * SN_LINKAGE_HINGES);
    }
    sn_status status = SN_OK;
    for (int i = 0; i < 3 && status == SN_OK; ++i) {
        status = end_positions(&made, bench, 1 << i, ends[i], error);
    }
    sn_linkage_free(&made);
    if (status == SN_OK) {
        double change[2] = {0.0, 0.0};
        for (int i = 0; i < SN_LINKAGE_HINGES; ++i) {
            change[0] = fmax(change[0], sn_distance(ends[0][i], ends[1][i]));
            change[1] = fmax(change[1], sn_distance(ends[1][i], ends[2][i]));
        }
        result->value = log2(change[0] / change[1]);
        result->quality[0] = change[0];
        result->quality[1] = change[1];
    }
    return status;
}

// ---- the cases ----

#define LINKAGE(word, number, text, step_count, most, ...)                                         \
    {                                                                                              \
        .name = word, .title = text, .unit = "ns/joint/step", .size = number, .steps = step_count, \
        .step = 1e-3, .repeats = most,                                                             \
        .quality = {"energy_drift", "joint_gap", "centre_height", "followed", "resets"},           \
        .run = linkage, .bars = {                                                                  \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define BESIDE_BULLET                                                                              \
    {                                                                                              \
        .peer = "bullet64_bare", .limit = 0.7                                                      \
    }
#define BESIDE_MUJOCO                                                                              \
    {                                                                                              \
        .peer = "mujoco", .limit = 1.0                                                             \
    }
#define SOUND                                                                                      \
    {                                                                                              \
        .quality = "energy_drift", .limit = 0.01                                                   \
    }
#define FOLLOWED                                                                                   \
    {                                                                                              \
        .quality = "followed", .limit = 1.0, .least = true                                         \
    }
#define CLOSED                                                                                     \
    {                                                                                              \
        .quality = "joint_gap", .limit = 1e-10                                                     \
    }
#define GROWTH(letter, text)                                                                       \
    {                                                                                              \
        .name = "growth", .title = text, .unit = "1", .size = 100000, .steps = 20, .step = 1e-3,   \
        .repeats = 3, .parameter = letter,                                                         \
        .quality = {"ns_at_10",     "ns_at_100",    "ns_at_1000", "ns_at_10000",                   \
                    "ns_at_100000", "energy_drift", "joint_gap"},                                  \
        .run = growth, .bars = {                                                                   \
            {.limit = 1.05}                                                                        \
        }                                                                                          \
    }
#define FOUR_BARS(loops, text, step_count)                                                         \
    {                                                                                              \
        .name = "four-bars", .title = text, .unit = "ns/joint/step", .size = loops,                \
        .steps = step_count, .step = 1e-3,                                                         \
        .quality = {"energy_drift", "joint_gap", "rows", "redundant"}, .run = four_bars, .bars = { \
            SOUND,                                                                                 \
            CLOSED                                                                                 \
        }                                                                                          \
    }

static const sn_bench_case cases[] = {
    LINKAGE("chain", 10, "chain of 10", 5000, 0, CLOSED),
    LINKAGE("chain", 100, "chain of 100", 1000, 0, BESIDE_BULLET, CLOSED),
    LINKAGE("chain", 1000, "chain of 1,000", 200, 0, BESIDE_BULLET, CLOSED),
    LINKAGE("chain", 10000, "chain of 10,000", 30, 2, BESIDE_BULLET, CLOSED),
    LINKAGE("tree", 100, "tree of 100", 1000, 0, BESIDE_BULLET, CLOSED),
    LINKAGE("tree", 1000, "tree of 1,000", 200, 0, BESIDE_BULLET, CLOSED),
    LINKAGE("tree", 10000, "tree of 10,000", 30, 2, BESIDE_BULLET, CLOSED),
    LINKAGE("robot", SN_LINKAGE_HINGES, "robot of 27 hinges", 5000, 0, BESIDE_MUJOCO, CLOSED),
    LINKAGE("robot", SN_LINKAGE_HINGES, "robot, 100 s", 100000, 1, SOUND, CLOSED, FOLLOWED),
    LINKAGE("chain", 10, "chain of 10, 100 s", 100000, 1, SOUND, CLOSED, FOLLOWED),
    LINKAGE("tree", 100, "tree of 100, 100 s", 100000, 1, SOUND, CLOSED, FOLLOWED),
    LINKAGE("chain", 100, "chain of 100, 100 s", 100000, 1, SOUND, CLOSED, FOLLOWED),
    GROWTH('c', "growth of a chain, exponent"),
    GROWTH('t', "growth of a tree, exponent"),
    {.name = "order",
     .title = "order of the step: robot to 0.5 s",
     .unit = "1",
     .size = SN_LINKAGE_HINGES,
     .steps = 500,
     .step = 1e-3,
     .repeats = 1,
     .quality = {"change_by_half_step", "change_by_quarter_step"},
     .run = order,
     .bars = {{.limit = 1.9, .least = true}}},
    FOUR_BARS(10, "four-bars, 10 loops", 1000),
    FOUR_BARS(100, "four-bars, 100 loops", 100),
};

const sn_bench_group sn_bench_articulated = {"articulated", "mechanisms: trees of joints and loops",
                                             cases, sizeof cases / sizeof cases[0]};
