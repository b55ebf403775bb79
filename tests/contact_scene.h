// Scenes in which much touches, built without random numbers or outside functions: a pile of
// boxes, ragdolls on stairs, a stone arch. For tests of determinism and for hash_probe.
#ifndef SN_TESTS_CONTACT_SCENE_H
#define SN_TESTS_CONTACT_SCENE_H

#include <stdio.h>
#include <stdlib.h>

#include "math/elementary.h"
#include "math/rotation.h"
#include "sinew/sinew.h"

static inline void scene_must(sn_status status, sn_error *error)
{
    if (status != SN_OK) {
        fprintf(stderr, "contact scene: %s\n", sn_error_message(error));
        exit(2);
    }
}

static inline sn_body scene_add(sn_world *world, sn_shape shape, sn_body_type type,
                                sn_transform frame)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    sn_error error = {0};
    def.type = type;
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame = frame;
    scene_must(sn_world_add_body(world, &def, &body, &error), &error);
    return body;
}

static inline sn_shape scene_box(sn_vec3 size)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_BOX;
    shape.size = size;
    return shape;
}

static inline sn_transform scene_at(double x, double y, double z)
{
    return (sn_transform){sn_vec3_make(x, y, z), SN_QUAT_IDENTITY};
}

static inline sn_body scene_floor(sn_world *world)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_PLANE;
    return scene_add(world, shape, SN_BODY_STATIC, SN_TRANSFORM_IDENTITY);
}

// Boxes of three proportions, in layers of 10 x 10, each a little beside the one below.
static inline void scene_pile(sn_world *world, int count)
{
    scene_floor(world);
    for (int i = 0; i < count; ++i) {
        double beside = 0.03 * (i / 100 % 3);
        sn_vec3 size = {0.2, i % 3 == 0 ? 0.15 : 0.2, i % 5 == 0 ? 0.12 : 0.2};
        scene_add(world, scene_box(size), SN_BODY_RIGID,
                  scene_at(0.22 * (i % 10) + beside, 0.22 * (i / 10 % 10) - beside,
                           0.15 + 0.22 * (i / 100)));
    }
}

static inline sn_joint scene_join(sn_world *world, sn_body parent, sn_body child, sn_vec3 point,
                                  sn_joint_type type)
{
    sn_joint_def def = sn_default_joint_def();
    sn_joint joint;
    sn_error error = {0};
    // A hinge turns about the world's y.
    sn_transform at = {point,
                       sn_quat_between(sn_vec3_make(0.0, 0.0, 1.0), sn_vec3_make(0.0, 1.0, 0.0))};
    def.type = type;
    def.parent = parent;
    def.child = child;
    def.parent_frame =
        sn_transform_multiply(sn_transform_inverse(sn_body_transform(world, parent)), at);
    def.child_frame =
        sn_transform_multiply(sn_transform_inverse(sn_body_transform(world, child)), at);
    def.freedom[0].friction = 0.2;
    if (type == SN_JOINT_HINGE) {
        def.freedom[0].limit.lower = -2.0;
        def.freedom[0].limit.upper = 0.1;
    } else if (type == SN_JOINT_BALL) {
        def.freedom[0].limit.upper = 1.2;
    }
    scene_must(sn_world_add_joint(world, &def, &joint, &error), &error);
    return joint;
}

static inline sn_body scene_limb(sn_world *world, sn_vec3 top, double length, double radius)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_CAPSULE;
    shape.radius = radius;
    shape.height = length - 2.0 * radius;
    return scene_add(world, shape, SN_BODY_RIGID, scene_at(top.x, top.y, top.z - 0.5 * length));
}

// Ten bodies that hang together in balls and hinges, upright, feet 1.6 m below `head`. Gives the
// trunk.
static inline sn_body scene_ragdoll(sn_world *world, sn_vec3 head)
{
    sn_shape ball = sn_default_shape();
    ball.radius = 0.1;
    double x = head.x, y = head.y, z = head.z;
    sn_body trunk = scene_add(world, scene_box(sn_vec3_make(0.18, 0.34, 0.55)), SN_BODY_RIGID,
                              scene_at(x, y, z - 0.5));
    sn_body skull = scene_add(world, ball, SN_BODY_RIGID, scene_at(x, y, z - 0.1));
    scene_join(world, trunk, skull, sn_vec3_make(x, y, z - 0.21), SN_JOINT_BALL);
    for (int side = -1; side <= 1; side += 2) {
        sn_vec3 shoulder = {x, y + side * 0.24, z - 0.25}, hip = {x, y + side * 0.1, z - 0.8};
        sn_body upper = scene_limb(world, shoulder, 0.3, 0.05);
        sn_vec3 elbow = {x, shoulder.y, shoulder.z - 0.32};
        sn_body fore = scene_limb(world, elbow, 0.28, 0.04);
        scene_join(world, trunk, upper, shoulder, SN_JOINT_BALL);
        scene_join(world, upper, fore, elbow, SN_JOINT_HINGE);
        sn_body thigh = scene_limb(world, hip, 0.4, 0.07);
        sn_vec3 knee = {x, hip.y, hip.z - 0.42};
        sn_body shin = scene_limb(world, knee, 0.38, 0.05);
        scene_join(world, trunk, thigh, hip, SN_JOINT_BALL);
        scene_join(world, thigh, shin, knee, SN_JOINT_HINGE);
    }
    return trunk;
}

static inline void scene_stairs(sn_world *world, int ragdolls)
{
    scene_floor(world);
    for (int i = 0; i < 8; ++i) {
        double height = 0.2 * (8 - i);
        scene_add(world, scene_box(sn_vec3_make(0.3, 3.0, height)), SN_BODY_STATIC,
                  scene_at(0.3 * i, 0.0, 0.5 * height));
    }
    for (int i = 0; i < ragdolls; ++i) {
        scene_ragdoll(world, sn_vec3_make(0.1 + 0.4 * i, 0.9 * (i % 3 - 1), 3.4 + 0.1 * i));
    }
}

// A half circle of stones about the origin, `thick` by its mean radius of 1 m.
static inline void scene_arch(sn_world *world, int stones, double thick)
{
    scene_floor(world);
    double step = 3.14159265358979323846 / stones;
    for (int i = 0; i < stones; ++i) {
        double middle = (i + 0.5) * step;
        sn_vec3 centre = {sn_cos(middle), 0.0, sn_sin(middle)}, points[8];
        sn_error error = {0};
        sn_shape shape = sn_default_shape();
        for (int k = 0; k < 8; ++k) {
            double angle = (i + (k & 1)) * step, radius = 1.0 + (k & 2 ? 0.5 : -0.5) * thick;
            sn_vec3 corner = {radius * sn_cos(angle), k & 4 ? 0.2 : -0.2, radius * sn_sin(angle)};
            points[k] = sn_vec3_sub(corner, centre);
        }
        shape.type = SN_SHAPE_HULL;
        shape.density = 2500.0;
        shape.surface.friction = 0.7;
        scene_must(sn_mesh_convex_hull(points, 8, &shape.mesh, &error), &error);
        scene_add(world, shape, SN_BODY_RIGID, (sn_transform){centre, SN_QUAT_IDENTITY});
        sn_shape_release(&shape);
    }
}

#endif
