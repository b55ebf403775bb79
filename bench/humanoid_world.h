// The humanoid of humanoid.h as a world of Sinew: for the benchmark, the probe of costs and tests.
#ifndef SN_BENCH_HUMANOID_WORLD_H
#define SN_BENCH_HUMANOID_WORLD_H

#include "humanoid.h"
#include "sinew/contact.h"
#include "sinew/geometry.h"
#include "sinew/joint.h"
#include "sinew/world.h"

static inline sn_status sn_humanoid_add_ground(sn_world *world, sn_error *error)
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

static inline sn_status sn_humanoid_add_link(sn_world *world, const sn_humanoid_link *link,
                                             int index, sn_transform frame, sn_body *body,
                                             sn_error *error)
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
static inline sn_quat sn_humanoid_axis_frame(char axis)
{
    double half = sqrt(0.5);
    return axis == 'x'   ? (sn_quat){half, 0.0, half, 0.0}
           : axis == 'y' ? (sn_quat){half, -half, 0.0, 0.0}
                         : SN_QUAT_IDENTITY;
}

static inline sn_status sn_humanoid_add_hinge(sn_world *world, const sn_humanoid_link *link,
                                              sn_body parent, sn_body child, sn_error *error)
{
    sn_joint_def def = sn_default_joint_def();
    sn_joint joint;
    def.parent = parent;
    def.child = child;
    def.parent_frame = (sn_transform){link->anchor, sn_humanoid_axis_frame(link->axis)};
    def.child_frame = (sn_transform){SN_VEC3_ZERO, sn_humanoid_axis_frame(link->axis)};
    def.freedom[0].damping = SN_HUMANOID_DAMPING;
    def.freedom[0].limit.lower = link->lower;
    def.freedom[0].limit.upper = link->upper;
    return sn_world_add_joint(world, &def, &joint, error);
}

// The ground is the first body. Destroy the world whatever the status.
static inline sn_status sn_humanoid_world(sn_world **world, sn_error *error)
{
    sn_humanoid_link links[SN_HUMANOID_LINKS];
    sn_transform frames[SN_HUMANOID_LINKS];
    sn_body bodies[SN_HUMANOID_LINKS];
    sn_world_def def = sn_default_world_def();
    def.gravity = sn_vec3_make(0.0, 0.0, -SN_HUMANOID_GRAVITY);
    def.contact.sleep = false;
    sn_status status = sn_world_create(&def, world, error);
    status = status == SN_OK ? sn_humanoid_add_ground(*world, error) : status;
    sn_humanoid_make(links);
    for (int i = 0; i < SN_HUMANOID_LINKS && status == SN_OK; ++i) {
        int parent = links[i].parent;
        sn_transform root = {{0.0, 0.0, sn_humanoid_height(links)}, sn_humanoid_turn()};
        frames[i] = parent < 0
                        ? root
                        : sn_transform_multiply(frames[parent],
                                                (sn_transform){links[i].anchor, SN_QUAT_IDENTITY});
        status = sn_humanoid_add_link(*world, &links[i], i, frames[i], &bodies[i], error);
        if (status == SN_OK && parent >= 0) {
            status = sn_humanoid_add_hinge(*world, &links[i], bodies[parent], bodies[i], error);
        }
    }
    return status == SN_OK ? sn_world_assemble(*world, error) : status;
}

#endif
