// What piles cost, one thread, beside peers. The work and the measures of quality of `boxes` and
// `heights` are those of bench/boxes.h; `growth` and `threads` are ours alone.
//
// `broad`, `narrow` and `solve` are the shares of a step's wall time in which pairs were found,
// exactly tested, and piles solved; `contacts` counts those with points in the last step.
#include <math.h>

#include "../bench/boxes.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "bench_world.h"
#include "progress.h"

// ---- worlds ----

static sn_status add_ground(sn_world *world, sn_error *error)
{
    sn_shape ground = sn_default_shape();
    ground.type = SN_SHAPE_PLANE;
    ground.surface.friction = SN_BOXES_FRICTION;
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = SN_BODY_STATIC;
    def.shapes = &ground;
    def.shape_count = 1;
    return sn_world_add_body(world, &def, &body, error);
}

// The ground is the first body. Destroy it whatever the status.
static sn_status create_pile(int count, double height, int threads, sn_world **world,
                             sn_error *error)
{
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = sn_vec3_make(0.0, 0.0, -SN_BOXES_GRAVITY);
    world_def.threads = threads;
    world_def.contact.sleep = false;
    sn_status status = sn_world_create(&world_def, world, error);
    status = status == SN_OK ? add_ground(*world, error) : status;
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    box.size = sn_vec3_make(1.0, 1.0, 1.0);
    box.density = SN_BOXES_MASS;
    box.surface.friction = SN_BOXES_FRICTION;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        double at[3];
        sn_boxes_start(i, count, height, at);
        sn_body_def def = sn_default_body_def();
        sn_body body;
        def.shapes = &box;
        def.shape_count = 1;
        def.frame.position = sn_vec3_make(at[0], at[1], at[2]);
        status = sn_world_add_body(*world, &def, &body, error);
    }
    return status;
}

static void put(sn_vec3 v, double *x)
{
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

static void read_pile(const sn_world *world, sn_boxes_body *bodies)
{
    for (int i = 0; i + 1 < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i + 1);
        sn_mat3 rotation = sn_quat_to_mat3(sn_body_transform(world, body).rotation);
        put(sn_body_centre(world, body), bodies[i].position);
        put(sn_body_velocity(world, body), bodies[i].velocity);
        put(sn_body_angular_velocity(world, body), bodies[i].spin);
        for (int k = 0; k < 9; ++k) {
            bodies[i].rotation[k] = rotation.m[k / 3][k % 3];
        }
    }
}

// ---- boxes, heights: beside peers ----

typedef struct pile_run {
    sn_world *world;
    double step;
    double total, broad, narrow, solve; // s, of all steps
    sn_status status;
    sn_error *error;
} pile_run;

static bool build(void *context, int count, double height)
{
    pile_run *run = context;
    sn_world_destroy(run->world);
    run->world = NULL;
    run->status = create_pile(count, height, 1, &run->world, run->error);
    return run->status == SN_OK;
}

static bool advance(void *context, int steps)
{
    pile_run *run = context;
    for (int i = 0; i < steps && run->status == SN_OK; ++i) {
        run->status = sn_world_step(run->world, run->step, run->error);
        sn_step_report report = sn_world_report(run->world);
        run->total += report.total_seconds;
        run->broad += report.broad_seconds;
        run->narrow += report.narrow_seconds;
        run->solve += report.solve_seconds;
    }
    return run->status == SN_OK;
}

static void look(void *context, sn_boxes_body *bodies)
{
    read_pile(((pile_run *)context)->world, bodies);
}

static sn_status boxes(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    pile_run run = {.step = bench->step, .error = error};
    sn_boxes_engine engine = {&run, build, advance, look, sn_processor_time};
    int heights = bench->name[0] == 'h' ? SN_BOXES_HEIGHTS : 1;
    bool done =
        sn_boxes_run(&engine, bench->size, bench->steps, heights, &result->value, result->quality);
    if (done) {
        result->quality[SN_BOXES_QUALITIES] = run.broad / run.total;
        result->quality[SN_BOXES_QUALITIES + 1] = run.narrow / run.total;
        result->quality[SN_BOXES_QUALITIES + 2] = run.solve / run.total;
        result->quality[SN_BOXES_QUALITIES + 3] = sn_world_report(run.world).contacts;
    }
    sn_world_destroy(run.world);
    return done                  ? SN_OK
           : run.status != SN_OK ? run.status
                                 : sn_fail_memory(error, sizeof(sn_boxes_body));
}

// ---- growth ----

// The slope of the straight line through log(cost per box and step) over log(boxes): 0 is flat. All
// sizes fall for the same time, so that they do the same things.
static sn_status growth(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    enum { SIZES = 4 };
    static const int sizes[SIZES] = {1000, 3000, 10000, 30000};
    double x[SIZES], y[SIZES], x_mean = 0.0, y_mean = 0.0, xy = 0.0, xx = 0.0, deepest = 0.0;
    for (int i = 0; i < SIZES; ++i) {
        pile_run run = {.step = bench->step, .error = error};
        sn_boxes_engine engine = {&run, build, advance, look, sn_processor_time};
        double quality[SN_BOXES_QUALITIES];
        bool done = sn_boxes_run(&engine, sizes[i], bench->steps, 1, &result->quality[i], quality);
        sn_world_destroy(run.world);
        if (!done) {
            return run.status != SN_OK ? run.status : sn_fail_memory(error, sizeof(sn_boxes_body));
        }
        deepest = fmax(deepest, quality[0]);
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
    result->quality[SIZES] = deepest;
    return SN_OK;
}

// ---- threads ----

// Wall time of the same pile on one and on two threads, in turns; their states must agree.
static sn_status threads(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    enum { TURN = 5 };
    sn_world *worlds[2] = {NULL, NULL};
    double seconds[2] = {0.0, 0.0};
    int turns = bench->steps / TURN > 0 ? bench->steps / TURN : 1;
    sn_boxes_body *bodies = sn_allocate(sizeof *bodies * (size_t)bench->size);
    const sn_boxes_body **sorted = sn_allocate(sizeof *sorted * (size_t)bench->size);
    sn_status status = bodies != NULL && sorted != NULL
                           ? SN_OK
                           : sn_fail_memory(error, sizeof *bodies * (size_t)bench->size);
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        status = create_pile(bench->size, sn_boxes_heights[0], i + 1, &worlds[i], error);
        status = status == SN_OK ? sn_bench_advance(worlds[i], bench->step, 1, error) : status;
    }
    for (int i = 0; i < 2 * turns && status == SN_OK; ++i) {
        double spent = 0.0;
        status = sn_bench_time_wall(worlds[i % 2], bench->step, TURN, &spent, error);
        seconds[i % 2] += spent;
    }
    if (status == SN_OK) {
        double work = 1e-9 * bench->size * turns * TURN;
        read_pile(worlds[1], bodies);
        result->value = seconds[1] / work;
        result->quality[0] = seconds[0] / work;
        result->quality[1] = seconds[0] / seconds[1];
        result->quality[2] = sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]) ? 1.0 : 0.0;
        result->quality[3] = sn_boxes_deepest(bodies, bench->size, sorted);
    }
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
    sn_free((void *)sorted);
    sn_free(bodies);
    return status;
}

// ---- the cases ----

#define BOXES(word, text, most, ...)                                                               \
    {                                                                                              \
        .name = word, .title = text, .unit = "ns/box/step", .size = 1000, .steps = 300,            \
        .step = 1.0 / 60.0, .repeats = most,                                                       \
        .quality = {"deepest", "deepest_end", "mean_height", "energy_rise",                        \
                    "broad",   "narrow",      "solve",       "contacts"},                          \
        .run = boxes, .bars = {                                                                    \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define SHALLOW                                                                                    \
    {                                                                                              \
        .quality = "deepest", .limit = 0.02                                                        \
    }
#define SETTLED                                                                                    \
    {                                                                                              \
        .quality = "deepest_end", .limit = 0.01                                                    \
    }
#define HIGHER_THAN(name)                                                                          \
    {                                                                                              \
        .peer = name, .quality = "mean_height", .limit = 1.0, .least = true                        \
    }

static const sn_bench_case cases[] = {
    BOXES("boxes", "pile of 1,000 boxes", 0, {.peer = "bullet", .limit = 0.8}, SHALLOW, SETTLED),
    BOXES("heights", "the same from eight heights", 1, SHALLOW, HIGHER_THAN("bullet"),
          HIGHER_THAN("bullet64"), HIGHER_THAN("ode")),
    {.name = "growth",
     .title = "growth, exponent over 1,000..30,000",
     .unit = "1",
     .size = 30000,
     .steps = 60,
     .step = 1.0 / 60.0,
     .repeats = 1,
     .quality = {"ns_at_1000", "ns_at_3000", "ns_at_10000", "ns_at_30000", "deepest"},
     .run = growth,
     .bars = {{.limit = 0.05}}},
    {.name = "threads",
     .title = "pile of 1,000 on 2 threads, wall",
     .unit = "ns/box/step",
     .size = 1000,
     .steps = 300,
     .step = 1.0 / 60.0,
     .quality = {"one_thread", "speedup", "same_hash", "deepest_end"},
     .run = threads,
     .bars = {{.quality = "speedup", .limit = 1.6, .least = true},
              {.quality = "same_hash", .limit = 1.0, .least = true}}},
    {.name = "threads",
     .title = "pile of 10,000 on 2 threads, wall",
     .unit = "ns/box/step",
     .size = 10000,
     .steps = 60,
     .step = 1.0 / 60.0,
     .repeats = 1,
     .quality = {"one_thread", "speedup", "same_hash", "deepest_end"},
     .run = threads,
     .bars = {{.quality = "speedup", .limit = 1.6, .least = true},
              {.quality = "same_hash", .limit = 1.0, .least = true}}},
};

const sn_bench_group sn_bench_contact = {"contact", "piles: collision and contact", cases,
                                         sizeof cases / sizeof cases[0]};
