// Bodies of a scene placed as they stand in a world.
#include "base/error.h"
#include "math/rotation.h"
#include "scene/joint_def.h"
#include "scene/model.h"

static void give(sn_item *item, const char *key)
{
    sn_item_mark_given(item, sn_object_find_key(item->table, key));
}

static void leave_out(sn_item *item, const char *key)
{
    item->places[sn_object_find_key(item->table, key)] = (sn_place){0};
}

// ---- what the bodies' places at the start have decided ----

static void put_frame(sn_frame_item *item, sn_transform frame)
{
    item->position = frame.position;
    item->rotation = sn_rotation_value_from(frame.rotation);
    give(&item->item, "position");
    give(&item->item, "rotation");
}

// A joint that was placed in the world is given by its frames.
static void keep_joint(sn_scene *scene, sn_joint_item *joint)
{
    sn_transform parent, child;
    sn_joint_item_frames(scene, joint, &parent, &child);
    put_frame(&joint->parent_frame, parent);
    put_frame(&joint->child_frame, child);
    give(&joint->item, "parent_frame");
    give(&joint->item, "child_frame");
    leave_out(&joint->item, "at");
    leave_out(&joint->item, "axis");
    leave_out(&joint->item, "second_axis");
}

static sn_vec3 place_of(const sn_scene *scene, int body, sn_vec3 local)
{
    if (body < 0) {
        return local;
    }
    const sn_body_item *item = SN_BODY(scene, body);
    return sn_transform_point(
        (sn_transform){item->position, sn_rotation_value_quat(&item->rotation)}, local);
}

static void keep_rod(const sn_scene *scene, sn_joint_item *joint)
{
    sn_transform parent, child;
    sn_joint_item_frames(scene, joint, &parent, &child);
    joint->length = sn_distance(place_of(scene, joint->parent_body, parent.position),
                                place_of(scene, joint->child_body, child.position));
    give(&joint->item, "length");
}

static void keep_spring(const sn_scene *scene, sn_field_item *field)
{
    field->rest_length = sn_distance(place_of(scene, field->body_a, field->point_a),
                                     place_of(scene, field->body_b, field->point_b));
    give(&field->item, "rest_length");
}

static void keep_structure(sn_scene *scene)
{
    for (int i = 0; i < scene->root.joints.count; ++i) {
        sn_joint_item *joint = SN_JOINT(scene, i);
        if (joint->type == SN_JOINT_DISTANCE && !sn_item_gives(&joint->item, "length")) {
            keep_rod(scene, joint);
        }
        keep_joint(scene, joint);
    }
    for (int i = 0; i < scene->root.fields.count; ++i) {
        sn_field_item *field = SN_FIELD(scene, i);
        if (field->item.table->id == SN_SCENE_SPRING &&
            !sn_item_gives(&field->item, "rest_length")) {
            keep_spring(scene, field);
        }
    }
}

// ---- the bodies ----

static void place_body(sn_body_item *item, const sn_world *world, sn_body body)
{
    sn_transform frame = sn_body_transform(world, body);
    item->position = frame.position;
    item->rotation = sn_rotation_value_from(frame.rotation);
    item->velocity = sn_body_velocity(world, body);
    item->angular_velocity = sn_body_angular_velocity(world, body);
    item->body_angular_velocity = SN_VEC3_ZERO;
    give(&item->item, "position");
    give(&item->item, "rotation");
    give(&item->item, "velocity");
    give(&item->item, "angular_velocity");
    leave_out(&item->item, "body_angular_velocity");
}

// False when memory runs out.
static bool place_vertices(sn_scene *scene, sn_body_item *item, const sn_world *world, sn_body body)
{
    int count = sn_body_vertex_count(world, body);
    sn_vec3 *data = sn_arena_allocate(&scene->arena, 2 * (size_t)count * sizeof *data);
    if (data == NULL) {
        return false;
    }
    item->positions = (sn_vector_list){data, count};
    item->velocities = (sn_vector_list){data + count, count};
    sn_body_read_vertices(world, body, item->positions.data, item->velocities.data);
    give(&item->item, "positions");
    give(&item->item, "velocities");
    return true;
}

sn_status sn_scene_place_bodies(sn_scene *scene, const sn_world *world, sn_error *error)
{
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        const char *name = SN_BODY(scene, i)->name;
        if (sn_world_find_body(world, name).index == 0) {
            return sn_fail(error, SN_ERROR_MISMATCH, name,
                           "the world has no body of this name; is it of another scene?");
        }
    }
    keep_structure(scene);
    for (int i = 0; i < scene->root.bodies.count; ++i) {
        sn_body_item *item = SN_BODY(scene, i);
        sn_body body = sn_world_find_body(world, item->name);
        if (sn_body_get_type(world, body) == SN_BODY_RIGID) {
            place_body(item, world, body);
        } else if (sn_body_get_type(world, body) == SN_BODY_ELASTIC &&
                   !place_vertices(scene, item, world, body)) {
            return sn_fail_memory(error, sizeof(sn_vec3));
        }
    }
    return SN_OK;
}
