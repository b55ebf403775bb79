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

// ---- freedoms ----

static double freedom_number(const sn_quantity_list *list, int freedom)
{
    return list->single ? list->data[0].number
                        : (freedom < list->count ? list->data[freedom].number : 0.0);
}

static sn_limit_def limit_def(const sn_limit_item *limit)
{
    sn_limit_def def = sn_default_freedom_def().limit;
    if (limit == NULL) {
        return def;
    }
    def.lower = sn_item_gives(&limit->item, "lower") ? limit->lower.number : def.lower;
    def.upper = sn_item_gives(&limit->item, "upper") ? limit->upper.number : def.upper;
    def.restitution = limit->restitution;
    def.stiffness = limit->stiffness.number;
    def.damping = limit->damping.number;
    return def;
}

static sn_drive_def drive_def(const sn_drive_item *drive, sn_motion *const *motions)
{
    sn_drive_def def = sn_default_freedom_def().drive;
    if (drive == NULL || drive->type == SN_DRIVE_NONE) {
        return def;
    }
    def.type = (sn_drive_type)drive->type;
    def.target = drive->target.number;
    def.motion = drive->motion_item != NULL ? motions[drive->motion_item->order] : NULL;
    def.stiffness = drive->stiffness.number;
    def.damping = drive->damping.number;
    if (sn_item_gives(&drive->item, "force_limit")) {
        def.force_limit = drive->force_limit.number;
    }
    return def;
}

static sn_freedom_def freedom_def(const sn_joint_item *joint, int freedom,
                                  sn_motion *const *motions)
{
    sn_freedom_def def = sn_default_freedom_def();
    def.stiffness = freedom_number(&joint->stiffness, freedom);
    def.damping = freedom_number(&joint->damping, freedom);
    def.rest = freedom_number(&joint->rest, freedom);
    def.friction = freedom_number(&joint->friction, freedom);
    def.limit = limit_def((const sn_limit_item *)sn_item_of_freedom(&joint->limit, freedom));
    def.drive =
        drive_def((const sn_drive_item *)sn_item_of_freedom(&joint->drive, freedom), motions);
    return def;
}

// ---- the joint ----

// Joints without coordinates hold the child's own origin; the others stand where both frames meet.
static sn_transform child_frame(const sn_joint_item *joint, sn_transform child, sn_transform place)
{
    if (joint->type >= SN_JOINT_DISTANCE) {
        return SN_TRANSFORM_IDENTITY;
    }
    return sn_transform_multiply(sn_transform_inverse(child), place);
}

void sn_joint_item_frames(const sn_scene *scene, const sn_joint_item *joint,
                          sn_transform *parent_frame, sn_transform *child_side)
{
    if (sn_item_gives(&joint->item, "parent_frame") || sn_item_gives(&joint->item, "child_frame")) {
        *parent_frame = given_frame(&joint->parent_frame);
        *child_side = given_frame(&joint->child_frame);
        return;
    }
    sn_transform parent = body_frame(scene, joint->parent_body);
    sn_transform child = body_frame(scene, joint->child_body);
    sn_transform place = {sn_item_gives(&joint->item, "at") ? joint->at : child.position,
                          turn_of(joint)};
    *parent_frame = sn_transform_multiply(sn_transform_inverse(parent), place);
    *child_side = child_frame(joint, child, place);
}

sn_joint_def sn_joint_item_def(const sn_scene *scene, const sn_joint_item *joint,
                               sn_motion *const *motions)
{
    sn_joint_def def = sn_default_joint_def();
    def.name = joint->name;
    def.type = (sn_joint_type)joint->type;
    def.pitch = joint->pitch;
    def.length = joint->length;
    def.curve =
        (sn_curve_def){joint->curve.points.data, joint->curve.points.count, joint->curve.closed};
    if (joint->surface.count > 0) {
        const sn_surface_item *surface = (const sn_surface_item *)joint->surface.data[0];
        def.surface = (sn_surface_def){(sn_surface_type)surface->item.table->id, surface->radius,
                                       surface->tube_radius, surface->angle, surface->size};
    }
    if (sn_item_gives(&joint->item, "break_force")) {
        def.break_force = joint->break_force;
    }
    if (sn_item_gives(&joint->item, "break_torque")) {
        def.break_torque = joint->break_torque;
    }
    def.breakable = joint->breakable;
    def.contact = joint->contact;
    sn_joint_item_frames(scene, joint, &def.parent_frame, &def.child_frame);
    for (int i = 0; i < sn_joint_type_freedoms(def.type); ++i) {
        def.freedom[i] = freedom_def(joint, i, motions);
        if (joint->start.count > 0 && sn_joint_type_turns(def.type, i)) {
            def.start[i] = freedom_number(&joint->start, i);
        }
    }
    return def;
}
