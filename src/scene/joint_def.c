#include "scene/joint_def.h"

#include "math/rotation.h"

static sn_transform body_frame(const sn_scene *scene, int index)
{
    if (index < 0) {
        return SN_TRANSFORM_IDENTITY;
    }
    const sn_body_item *body = SN_BODY(scene, index);
    return (sn_transform){body->position, sn_rotation_value_quat(&body->rotation)};
}

static sn_transform given_frame(const sn_frame_item *frame)
{
    return (sn_transform){frame->position, sn_rotation_value_quat(&frame->rotation)};
}

// z along `axis`, x along `second_axis` if there is one. Both are brought to length 1 first, so
// that neither very long nor very short ones overflow.
static sn_quat turn_of(const sn_joint_item *joint)
{
    sn_vec3 z = sn_normalize(joint->axis);
    if (!sn_item_gives(&joint->item, "second_axis")) {
        return sn_quat_between(sn_vec3_make(0, 0, 1), z);
    }
    sn_vec3 x = sn_normalize(joint->second_axis);
    x = sn_normalize(sn_vec3_add_scaled(x, -sn_dot(x, z), z));
    sn_vec3 y = sn_cross(z, x);
    sn_mat3 m = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return sn_quat_normalize(sn_quat_from_mat3(m));
}

static double freedom_number(const sn_quantity_list *list, int freedom)
{
    return list->single ? list->data[0].number
                        : (freedom < list->count ? list->data[freedom].number : 0.0);
}

sn_joint_def sn_joint_item_def(const sn_scene *scene, const sn_joint_item *joint)
{
    sn_joint_def def = sn_default_joint_def();
    def.name = joint->name;
    def.type = (sn_joint_type)joint->type;
    def.pitch = joint->pitch;
    if (sn_item_gives(&joint->item, "parent_frame") || sn_item_gives(&joint->item, "child_frame")) {
        def.parent_frame = given_frame(&joint->parent_frame);
        def.child_frame = given_frame(&joint->child_frame);
    } else {
        sn_transform parent = body_frame(scene, joint->parent_body);
        sn_transform child = body_frame(scene, joint->child_body);
        sn_transform place = {sn_item_gives(&joint->item, "at") ? joint->at : child.position,
                              turn_of(joint)};
        def.parent_frame = sn_transform_multiply(sn_transform_inverse(parent), place);
        def.child_frame = sn_transform_multiply(sn_transform_inverse(child), place);
    }
    for (int i = 0; i < sn_joint_type_freedoms(def.type); ++i) {
        def.freedom[i].stiffness = freedom_number(&joint->stiffness, i);
        def.freedom[i].damping = freedom_number(&joint->damping, i);
        def.freedom[i].rest = freedom_number(&joint->rest, i);
    }
    return def;
}
