// Worlds of rods, bobs and joints, shared by the tests of mechanisms.
#ifndef SN_TESTS_JOINTED_WORLD_H
#define SN_TESTS_JOINTED_WORLD_H

#include "joint_at.h"
#include "world_steps.h"

static const sn_vec3 down = {0, 0, -9.81};

static inline sn_world *make_world(sn_policy policy, sn_vec3 gravity, double tolerance)
{
    sn_world_def def = sn_default_world_def();
    def.policy = policy;
    def.gravity = gravity;
    def.relative_tolerance = tolerance;
    def.absolute_tolerance = 0.1 * tolerance;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

// A body of three moments about its origin.
static inline sn_body add_mass(sn_world *world, const char *name, sn_vec3 position, double mass,
                               sn_vec3 moments)
{
    sn_body_def def = sn_default_body_def();
    def.name = name;
    def.frame.position = position;
    def.mass.mass = mass;
    def.mass.inertia = sn_mat3_diagonal(moments);
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

// A slender rod from a to b in the plane y = 0, its frame in the middle, x along it.
static inline sn_body add_rod(sn_world *world, const char *name, sn_vec3 a, sn_vec3 b, double mass)
{
    sn_body_def def = sn_default_body_def();
    double length = sn_distance(a, b), moment = mass * length * length / 12.0;
    def.name = name;
    def.frame.position = sn_vec3_scale(0.5, sn_vec3_add(a, b));
    def.frame.rotation = sn_quat_between(sn_vec3_make(1, 0, 0), sn_normalize(sn_vec3_sub(b, a)));
    def.mass.mass = mass;
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(1e-3 * moment, moment, moment));
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

static inline sn_joint add_hinge(sn_world *world, const char *name, sn_body parent, sn_body child,
                                 sn_vec3 at)
{
    sn_joint_def def =
        joint_at(world, name, SN_JOINT_HINGE, parent, child, at, sn_vec3_make(0, 1, 0));
    return add(world, &def);
}

// How far the two frames of a hinge or ball are apart.
static inline double gap(const sn_world *world, sn_joint joint)
{
    return sn_distance(sn_joint_parent_transform(world, joint).position,
                       sn_joint_child_transform(world, joint).position);
}

#endif
