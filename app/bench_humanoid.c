// What a humanoid that lies on a plane costs, one thread, beside MuJoCo. The work and the measures
// of quality are those of bench/humanoid.h; everything else is at its default, but nothing sleeps.
//
// `contacts` counts those with points in the last step; `narrow` and `solve` are the shares of the
// steps' wall time in which pairs were tested and contacts solved.
#include <math.h>

#include "../bench/humanoid.h"
#include "base/error.h"
#include "bench.h"
#include "progress.h"
#include "sinew/contact.h"
#include "sinew/geometry.h"
#include "sinew/joint.h"
#include "sinew/world.h"

// ---- the world ----

static sn_status add_ground(sn_world *world, sn_error *error)
{
    sn_shape ground = sn_default_shape();
    ground.type = SN_SHAPE_PLANE;
    ground.surface.friction = SN_HUMANOID_FRICTION;
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = SN_BODY_STATIC;
    def.shapes = &ground;
    def.shape_count = 1;
    return sn_world_add_body(world, &def, &body, error);
}

static sn_status add_link(sn_world *world, const sn_humanoid_link *link, int index,
                          sn_transform frame, sn_body *body, sn_error *error)
{
    sn_body_def def = sn_default_body_def();
    sn_shape shape = sn_default_shape();
    sn_status status = SN_OK;
    def.name = link->name;
    def.frame = frame;
    def.mass.mass = link->mass;
    def.mass.centre = link->centre;
    def.mass.inertia = sn_mat3_diagonal(sn_humanoid_inertia(link));
    if (link->hull) {
        sn_vec3 corners[SN_HUMANOID_CORNERS];
        sn_humanoid_hull(link, index, corners);
        shape.type = SN_SHAPE_HULL;
        shape.surface.friction = SN_HUMANOID_FRICTION;
        status = sn_mesh_convex_hull(corners, SN_HUMANOID_CORNERS, &shape.mesh, error);
        def.shapes = &shape;
        def.shape_count = 1;
    }
    status = status == SN_OK ? sn_world_add_body(world, &def, body, error) : status;
    sn_mesh_release(shape.mesh);
    return status;
}

// A hinge's axis is z of its frames.
static sn_quat axis_frame(char axis)
{
    double half = sqrt(0.5);
    return axis == 'x'   ? (sn_quat){half, 0.0, half, 0.0}
           : axis == 'y' ? (sn_quat){half, -half, 0.0, 0.0}
                         : SN_QUAT_IDENTITY;
}

static sn_status add_hinge(sn_world *world, const sn_humanoid_link *link, sn_body parent,
                           sn_body child, sn_error *error)
{
    sn_joint_def def = sn_default_joint_def();
    sn_joint joint;
    def.parent = parent;
    def.child = child;
    def.parent_frame = (sn_transform){link->anchor, axis_frame(link->axis)};
    def.child_frame = (sn_transform){SN_VEC3_ZERO, axis_frame(link->axis)};
    def.freedom[0].damping = SN_HUMANOID_DAMPING;
    def.freedom[0].limit.lower = link->lower;
    def.freedom[0].limit.upper = link->upper;
    return sn_world_add_joint(world, &def, &joint, error);
}

// The ground is the first body. Destroy it whatever the status.
static sn_status create(sn_world **world, sn_error *error)
{
    sn_humanoid_link links[SN_HUMANOID_LINKS];
    sn_transform frames[SN_HUMANOID_LINKS];
    sn_body bodies[SN_HUMANOID_LINKS];
    sn_world_def def = sn_default_world_def();
    def.gravity = sn_vec3_make(0.0, 0.0, -SN_HUMANOID_GRAVITY);
    def.contact.sleep = false;
    sn_status status = sn_world_create(&def, world, error);
    status = status == SN_OK ? add_ground(*world, error) : status;
    sn_humanoid_make(links);
    for (int i = 0; i < SN_HUMANOID_LINKS && status == SN_OK; ++i) {
        int parent = links[i].parent;
        sn_transform root = {{0.0, 0.0, sn_humanoid_height(links)}, sn_humanoid_turn()};
        frames[i] = parent < 0
                        ? root
                        : sn_transform_multiply(frames[parent],
                                                (sn_transform){links[i].anchor, SN_QUAT_IDENTITY});
        status = add_link(*world, &links[i], i, frames[i], &bodies[i], error);
        if (status == SN_OK && parent >= 0) {
            status = add_hinge(*world, &links[i], bodies[parent], bodies[i], error);
        }
    }
    return status == SN_OK ? sn_world_assemble(*world, error) : status;
}

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
    run.status = create(&run.world, error);
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
