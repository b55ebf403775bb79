// What a humanoid that lies on a plane costs, one thread, beside MuJoCo. The work and the measures
// of quality are those of bench/humanoid.h; everything else is at its default, but nothing sleeps.
//
// `contacts` counts those with points in the last step; `narrow` and `solve` are the shares of the
// steps' wall time in which pairs were tested and contacts solved.
#include "../bench/humanoid_world.h"
#include "base/error.h"
#include "bench.h"
#include "progress.h"

// ---- the run ----

typedef struct humanoid_run {
    sn_world *world;
    double step;
    double total, narrow, solve; // s, of all steps
    sn_status status;
    sn_error *error;
} humanoid_run;

static bool advance(void *context, int steps)
{
    humanoid_run *run = context;
    for (int i = 0; i < steps && run->status == SN_OK; ++i) {
        run->status = sn_world_step(run->world, run->step, run->error);
        sn_step_report report = sn_world_report(run->world);
        run->total += report.total_seconds;
        run->narrow += report.narrow_seconds;
        run->solve += report.solve_seconds;
    }
    return run->status == SN_OK;
}

static void read(void *context, sn_humanoid_body *bodies)
{
    const sn_world *world = ((humanoid_run *)context)->world;
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        sn_body body = sn_world_body(world, i + 1);
        sn_transform frame = sn_body_transform(world, body);
        bodies[i] = (sn_humanoid_body){frame.position, sn_quat_to_mat3(frame.rotation),
                                       sn_body_velocity(world, body),
                                       sn_body_angular_velocity(world, body)};
    }
}

static sn_status humanoid(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    humanoid_run run = {.step = bench->step, .error = error};
    sn_humanoid_engine engine = {&run, advance, read, sn_processor_time};
    run.status = sn_humanoid_world(&run.world, error);
    bool done = run.status == SN_OK &&
                sn_humanoid_run(&engine, bench->steps, &result->value, result->quality);
    if (done) {
        result->quality[SN_HUMANOID_QUALITIES] = run.narrow / run.total;
        result->quality[SN_HUMANOID_QUALITIES + 1] = run.solve / run.total;
        result->quality[SN_HUMANOID_QUALITIES + 2] = sn_world_report(run.world).contacts;
    }
    sn_world_destroy(run.world);
    return run.status;
}

// ---- the cases ----

#define HUMANOID(text, steps_, step_)                                                              \
    {                                                                                              \
        .name = "humanoid", .title = text, .unit = "us/step", .size = SN_HUMANOID_LINKS,           \
        .steps = steps_, .step = step_,                                                            \
        .quality = {"deepest",     "deepest_end", "trunk", "kinetic_end",                          \
                    "energy_rise", "narrow",      "solve", "contacts"},                            \
        .run = humanoid, .bars = {                                                                 \
            {.peer = "mujoco", .limit = 2.0},                                                      \
            {.quality = "deepest", .limit = 2e-3}                                                  \
        }                                                                                          \
    }

static const sn_bench_case cases[] = {
    HUMANOID("humanoid of 29 hinges on its back, a second in steps of 2 ms", 500, 2e-3),
    HUMANOID("the same in steps of 1/240 s", 240, 1.0 / 240.0),
};

const sn_bench_group sn_bench_humanoid = {"humanoid", "a robot that lies on a plane", cases,
                                          sizeof cases / sizeof cases[0]};
