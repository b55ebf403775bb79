// Joints between bodies as they stand, for the tests of mechanisms.
#ifndef SN_TESTS_JOINT_AT_H
#define SN_TESTS_JOINT_AT_H

#include "math/rotation.h"
#include "sinew/joint.h"

// A joint at a point of the world with z along an axis, between bodies as they stand now.
static inline sn_joint_def joint_at(const sn_world *world, const char *name, sn_joint_type type,
                                    sn_body parent, sn_body child, sn_vec3 at, sn_vec3 axis)
{
    sn_joint_def def = sn_default_joint_def();
    sn_transform place = {at, sn_quat_between(sn_vec3_make(0, 0, 1), axis)};
    def.name = name;
    def.type = type;
    def.parent = parent;
    def.child = child;
    def.parent_frame =
        sn_transform_multiply(sn_transform_inverse(sn_body_transform(world, parent)), place);
    def.child_frame =
        sn_transform_multiply(sn_transform_inverse(sn_body_transform(world, child)), place);
    return def;
}

static inline sn_joint add(sn_world *world, const sn_joint_def *def)
{
    sn_joint joint;
    sn_error error = {0};
    if (sn_world_add_joint(world, def, &joint, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return joint;
}

#endif
