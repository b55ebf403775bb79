#include "bench_linkage.h"

#include "base/error.h"
#include "base/memory.h"
#include "progress.h"

// ---- linkages ----

// Joints turn about z: the turn that takes z to the hinge's axis.
static sn_quat axis_frame(char axis)
{
    return axis == 'x'   ? sn_linkage_turn('y', 0.5 * SN_PI)
           : axis == 'y' ? sn_linkage_turn('x', -0.5 * SN_PI)
                         : SN_QUAT_IDENTITY;
}

static sn_status add_link(sn_world *world, const sn_linkage_link *link, sn_error *error)
{
    sn_body_def body_def = sn_default_body_def();
    sn_joint_def joint_def = sn_default_joint_def();
    joint_def.parent_frame = (sn_transform){link->anchor, link->rest};
    body_def.frame = joint_def.parent_frame;
    if (link->parent >= 0) {
        joint_def.parent = sn_world_body(world, link->parent);
        body_def.frame =
            sn_transform_multiply(sn_body_transform(world, joint_def.parent), body_def.frame);
    }
    body_def.mass.mass = link->mass;
    body_def.mass.centre = link->centre;
    body_def.mass.inertia = sn_mat3_diagonal(link->inertia);
    sn_quat axis = axis_frame(link->axis);
    joint_def.type = link->axis != 0 ? SN_JOINT_HINGE : SN_JOINT_BALL;
    joint_def.parent_frame.rotation = sn_quat_multiply(link->rest, axis);
    joint_def.child_frame.rotation = axis;
    sn_joint joint;
    sn_status status = sn_world_add_body(world, &body_def, &joint_def.child, error);
    return status == SN_OK ? sn_world_add_joint(world, &joint_def, &joint, error) : status;
}

sn_status sn_bench_linkage_create(const sn_linkage *linkage, sn_world **world, sn_error *error)
{
    sn_world_def def = sn_default_world_def();
    def.gravity = sn_vec3_make(0.0, 0.0, -SN_LINKAGE_GRAVITY);
    sn_status status = sn_world_create(&def, world, error);
    for (int i = 0; i < linkage->count && status == SN_OK; ++i) {
        status = add_link(*world, &linkage->links[i], error);
    }
    return status == SN_OK ? sn_world_assemble(*world, error) : status;
}

// ---- four-bars ----

// A rod of 1 kg and 1 m, its frame in the middle.
static sn_status add_rod(sn_world *world, sn_vec3 middle, bool upright, sn_body *body,
                         sn_error *error)
{
    sn_body_def def = sn_default_body_def();
    double across = 1.0 / 12.0, along = 1e-4;
    def.frame.position = middle;
    def.velocity = sn_vec3_make(upright ? 0.5 : 1.0, 0.0, 0.0);
    def.angular_velocity = sn_vec3_make(0.0, upright ? 1.0 : 0.0, 0.0);
    def.mass.mass = 1.0;
    def.mass.inertia = sn_mat3_diagonal(upright ? sn_vec3_make(across, across, along)
                                                : sn_vec3_make(along, across, across));
    return sn_world_add_body(world, &def, body, error);
}

static sn_status add_hinge(sn_world *world, sn_body parent, sn_vec3 on_parent, sn_body child,
                           sn_vec3 on_child, sn_error *error)
{
    sn_joint_def def = sn_default_joint_def();
    sn_joint joint;
    def.type = SN_JOINT_HINGE;
    def.parent = parent;
    def.child = child;
    def.parent_frame = (sn_transform){on_parent, axis_frame('y')};
    def.child_frame = (sn_transform){on_child, axis_frame('y')};
    return sn_world_add_joint(world, &def, &joint, error);
}

sn_status sn_bench_four_bars_create(int loops, sn_world **out, sn_error *error)
{
    const sn_vec3 top = {0.0, 0.0, 0.5}, foot = {0.0, 0.0, -0.5};
    const sn_vec3 left = {-0.5, 0.0, 0.0}, right = {0.5, 0.0, 0.0};
    sn_world_def def = sn_default_world_def();
    sn_status status = sn_world_create(&def, out, error);
    sn_world *world = *out;
    sn_body before = {0};
    for (int i = 0; i <= loops && status == SN_OK; ++i) {
        sn_body rocker, coupler;
        status = add_rod(world, sn_vec3_make(i, 0.0, 0.5), true, &rocker, error);
        if (status == SN_OK) {
            status = add_hinge(world, (sn_body){0}, sn_vec3_make(i, 0.0, 0.0), rocker, foot, error);
        }
        if (status == SN_OK && i > 0) {
            status = add_rod(world, sn_vec3_make(i - 0.5, 0.0, 1.0), false, &coupler, error);
            if (status == SN_OK) {
                status = add_hinge(world, before, top, coupler, left, error);
            }
            if (status == SN_OK) {
                status = add_hinge(world, coupler, right, rocker, top, error);
            }
        }
        before = rocker;
    }
    return status == SN_OK ? sn_world_assemble(world, error) : status;
}

// ---- running ----

static int advance(void *context, int steps)
{
    sn_bench_linkage_run *run = context;
    int taken = 0;
    while (taken < steps && run->status == SN_OK) {
        run->status = sn_world_step(run->world, run->step, run->error);
        taken += run->status == SN_OK ? 1 : 0;
    }
    return taken;
}

static void read(void *context, sn_linkage_body *bodies)
{
    const sn_world *world = ((const sn_bench_linkage_run *)context)->world;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        bodies[i].position = sn_body_centre(world, body);
        bodies[i].velocity = sn_body_velocity(world, body);
        bodies[i].rotation = sn_quat_to_mat3(sn_body_transform(world, body).rotation);
        bodies[i].spin = sn_body_angular_velocity(world, body);
    }
}

sn_linkage_engine sn_bench_linkage_engine(sn_bench_linkage_run *run)
{
    return (sn_linkage_engine){run, advance, read, sn_processor_time};
}

double sn_bench_widest_gap(const sn_world *world)
{
    double gap = 0.0;
    for (int i = 0; i < sn_world_joint_count(world); ++i) {
        sn_joint joint = sn_world_joint(world, i);
        gap = fmax(gap, sn_distance(sn_joint_parent_transform(world, joint).position,
                                    sn_joint_child_transform(world, joint).position));
    }
    return gap;
}
