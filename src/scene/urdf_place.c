// Where robots stand: from poses to the places of bodies.
#include <math.h>

#include "math/rotation.h"
#include "scene/urdf_scene.h"

sn_transform sn_urdf_axis_frame(const sn_urdf_joint *joint)
{
    bool has_axis = joint->type != SN_JOINT_FIXED && joint->type != SN_JOINT_FREE;
    return (sn_transform){SN_VEC3_ZERO, has_axis
                                            ? sn_quat_between(sn_vec3_make(0, 0, 1), joint->axis)
                                            : SN_QUAT_IDENTITY};
}

double sn_urdf_rest_position(const sn_urdf_joint *joint)
{
    if (joint->lower <= 0.0 && joint->upper >= 0.0) {
        return 0.0;
    }
    return isfinite(joint->lower) && isfinite(joint->upper)
               ? joint->lower + 0.5 * (joint->upper - joint->lower)
           : isfinite(joint->lower) ? joint->lower
                                    : joint->upper;
}

// A joint that follows another stands where that one puts it.
double sn_urdf_start(const sn_robot *robot, int index)
{
    double multiplier = 1.0, offset = 0.0;
    const sn_urdf_joint *joint = &robot->urdf->joints[index];
    while (joint->mimic >= 0) {
        offset += multiplier * joint->offset;
        multiplier *= joint->multiplier;
        index = joint->mimic;
        joint = &robot->urdf->joints[index];
    }
    const sn_named_quantities *pose = robot->pose[index];
    double position = pose != NULL ? pose->values.data[0].number : sn_urdf_rest_position(joint);
    return multiplier * position + offset;
}

// The child's joint frame in its parent's, by the type's freedoms.
static sn_transform motion_at(sn_joint_type type, const double q[6])
{
    sn_transform motion = SN_TRANSFORM_IDENTITY;
    sn_vec3 z = sn_vec3_make(0, 0, 1);
    switch (type) {
    case SN_JOINT_HINGE:
        motion.rotation = sn_quat_from_axis_angle(z, q[0]);
        break;
    case SN_JOINT_SLIDER:
        motion.position.z = q[0];
        break;
    case SN_JOINT_PLANAR:
        motion.position = sn_vec3_make(q[0], q[1], 0.0);
        motion.rotation = sn_quat_from_axis_angle(z, q[2]);
        break;
    case SN_JOINT_FREE:
        motion.position = sn_vec3_make(q[0], q[1], q[2]);
        motion.rotation = sn_quat_exp(sn_vec3_make(q[3], q[4], q[5]));
        break;
    default:
        break;
    }
    return motion;
}

// The child's link frame in its parent's.
static sn_transform moved_frame(const sn_urdf_joint *joint, const double q[6])
{
    sn_transform axis = sn_urdf_axis_frame(joint);
    sn_transform moved = sn_transform_multiply(axis, motion_at(joint->type, q));
    moved = sn_transform_multiply(moved, sn_transform_inverse(axis));
    return sn_transform_multiply(joint->origin, moved);
}

sn_transform sn_urdf_rest_frame(const sn_urdf_joint *joint)
{
    double q[6] = {0};
    if (sn_joint_type_freedoms(joint->type) == 1) {
        q[0] = sn_urdf_rest_position(joint);
    }
    return moved_frame(joint, q);
}

static void joint_positions(const sn_robot *robot, int index, double q[6])
{
    const sn_urdf_joint *joint = &robot->urdf->joints[index];
    if (sn_joint_type_freedoms(joint->type) == 1) {
        q[0] = sn_urdf_start(robot, index);
    } else if (robot->pose[index] != NULL) {
        for (int i = 0; i < robot->pose[index]->values.count; ++i) {
            q[i] = robot->pose[index]->values.data[i].number;
        }
    }
}

// Bodies do not show whole turns.
static void start_joint(const sn_robot *robot, int index, const double q[6])
{
    const sn_joint_item *joint = robot->joints[index];
    if (joint != NULL && joint->start.count > 0) {
        joint->start.data[0].number = joint->type == SN_JOINT_PLANAR ? q[2] : q[0];
    }
}

static void place_frame(sn_frame_item *frame, sn_transform transform)
{
    frame->position = transform.position;
    frame->rotation = sn_rotation_value_from(transform.rotation);
}

static void place_robot(const sn_robot_item *item)
{
    const sn_robot *robot = item->robot;
    const sn_urdf *urdf = robot->urdf;
    sn_transform *frames = robot->frames;
    sn_transform root = {item->position, sn_rotation_value_quat(&item->rotation)};
    frames[urdf->root] = root;
    for (int i = 0; i < urdf->joint_count; ++i) {
        int index = urdf->order[i];
        const sn_urdf_joint *joint = &urdf->joints[index];
        sn_transform axis = sn_urdf_axis_frame(joint);
        double q[6] = {0};
        joint_positions(robot, index, q);
        start_joint(robot, index, q);
        frames[joint->child] = sn_transform_multiply(frames[joint->parent], moved_frame(joint, q));
        frames[joint->child].rotation = sn_quat_normalize(frames[joint->child].rotation);
        if (robot->joints[index] != NULL &&
            robot->links[robot->links[joint->parent].host].kind == SN_LINK_WORLD) {
            sn_transform in_root = sn_transform_multiply(
                robot->links[joint->parent].in_host, sn_transform_multiply(joint->origin, axis));
            place_frame(&robot->joints[index]->parent_frame, sn_transform_multiply(root, in_root));
        }
    }
    if (robot->mount != NULL) {
        place_frame(&robot->mount->parent_frame, root);
    }
    for (int i = 0; i < urdf->link_count; ++i) {
        sn_body_item *body = robot->links[i].body;
        if (body != NULL) {
            body->position = frames[i].position;
            body->rotation = sn_rotation_value_from(frames[i].rotation);
        }
    }
}

void sn_robots_place(const sn_scene *scene, bool again)
{
    for (int i = 0; i < scene->root.robots.count; ++i) {
        const sn_robot_item *item = SN_ROBOT(scene, i);
        if (item->robot != NULL && (item->bound || !again)) {
            place_robot(item);
        }
    }
}

void sn_check_robot_values(sn_checker *c, const sn_robot_item *item)
{
    sn_checker_rotation(c, &item->item, &item->rotation);
    const sn_robot *robot = item->robot;
    for (int i = 0; robot != NULL && i < robot->urdf->joint_count; ++i) {
        const sn_urdf_joint *joint = &robot->urdf->joints[i];
        const sn_named_quantities *pose = robot->pose[i];
        if (pose == NULL || !joint->has_limit) {
            continue;
        }
        double position = pose->values.data[0].number;
        if (position < joint->lower || position > joint->upper) {
            sn_checker_fail(c, pose->values.places[0],
                            "\"%.60s\" stands at %g, beyond its limits %g and %g", joint->name,
                            position, joint->lower, joint->upper);
        }
    }
}
