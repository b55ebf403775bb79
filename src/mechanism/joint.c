// Joints of a world: adding, removing, finding. What they do to bodies is in assemble.c, what acts
// in them in joint_steer.c, what can be read of them in joint_read.c.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "mechanism/joint.h"
#include "model/world.h"

sn_freedom_def sn_default_freedom_def(void)
{
    return (sn_freedom_def){.limit = {.lower = -INFINITY, .upper = INFINITY},
                            .drive = {.force_limit = INFINITY}};
}

sn_joint_def sn_default_joint_def(void)
{
    sn_joint_def def = {.type = SN_JOINT_HINGE,
                        .parent_frame = SN_TRANSFORM_IDENTITY,
                        .child_frame = SN_TRANSFORM_IDENTITY,
                        .length = -1.0,
                        .break_force = INFINITY,
                        .break_torque = INFINITY};
    for (int i = 0; i < 6; ++i) {
        def.freedom[i] = sn_default_freedom_def();
        def.start[i] = NAN;
    }
    return def;
}

sn_joint_record *sn_world_joint_record(const sn_world *world, sn_joint joint)
{
    sn_id id = {joint.index, joint.generation};
    return sn_id_pool_has(&world->joint_ids, id) ? &world->joints.data[joint.index] : NULL;
}

static sn_joint joint_at(const sn_world *world, uint32_t index)
{
    return (sn_joint){index, world->joint_ids.generation.data[index]};
}

// ---- adding ----

static bool is_placement(sn_transform t)
{
    sn_quat r = t.rotation;
    double length = r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z;
    return sn_vec3_is_finite(t.position) && fabs(length - 1.0) < 1e-6;
}

static sn_status check_bodies(const sn_world *world, const sn_joint_def *def, const char *name,
                              sn_error *error)
{
    const sn_body_record *child = sn_world_body_record(world, def->child);
    if (child == NULL ||
        (def->parent.index != 0 && sn_world_body_record(world, def->parent) == NULL)) {
        return sn_fail(error, SN_ERROR_HANDLE, name, "the joint's %s does not exist",
                       child == NULL ? "child" : "parent");
    }
    if (def->parent.index == def->child.index) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "the joint joins body '%s' to itself",
                       child->name);
    }
    const sn_body_record *parent = sn_world_body_record(world, def->parent);
    if (child->type == SN_BODY_ELASTIC || (parent != NULL && parent->type == SN_BODY_ELASTIC)) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, name,
                       "joints join rigid bodies, and '%s' is elastic; attach it",
                       child->type == SN_BODY_ELASTIC ? child->name : parent->name);
    }
    if (child->type == SN_BODY_STATIC) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the joint's child '%s' is static; make it the parent", child->name);
    }
    return SN_OK;
}

static sn_status check_joint(const sn_world *world, const sn_joint_def *def, sn_error *error)
{
    const char *name = def->name != NULL && def->name[0] != '\0' ? def->name : "unnamed joint";
    if (sn_name_table_find(&world->joint_names, name) != 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "there is a joint of this name already; names must be unique");
    }
    if ((unsigned)def->type >= SN_JOINT_TYPE_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "joint type %d is none of the %d there are",
                       (int)def->type, (int)SN_JOINT_TYPE_COUNT);
    }
    sn_status status = check_bodies(world, def, name, error);
    if (status != SN_OK) {
        return status;
    }
    if (!is_placement(def->parent_frame) || !is_placement(def->child_frame)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "a frame of the joint is not finite or its rotation not a unit quaternion");
    }
    if (!isfinite(def->pitch) || !isfinite(def->length)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "the pitch or the length is not finite");
    }
    if (!(def->break_force > 0.0) || !(def->break_torque > 0.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "it would break at %g N and %g N m, expected above 0", def->break_force,
                       def->break_torque);
    }
    for (int i = 0; i < sn_joint_type_freedoms(def->type) && status == SN_OK; ++i) {
        status = sn_freedom_check(&def->freedom[i], def->type, i, name, error);
        if (status == SN_OK && isinf(def->start[i])) {
            status = sn_fail(error, SN_ERROR_ARGUMENT, name,
                             "freedom %d is to start at an infinite angle", i + 1);
        }
    }
    if (status == SN_OK && def->type == SN_JOINT_SURFACE) {
        status = sn_surface_check(&def->surface, name, error);
    }
    return status;
}

static void free_record(sn_joint_record *record)
{
    for (int i = 0; record->freedoms != NULL && i < sn_joint_type_freedoms(record->type); ++i) {
        sn_motion_release(record->freedoms[i].drive.motion);
    }
    sn_free(record->freedoms);
    sn_free(record->name);
    sn_curve_release(record->curve);
    *record = (sn_joint_record){0};
}

// The record's own copy of what acts in its freedoms; false when memory runs out.
static bool copy_freedoms(sn_joint_record *record, const sn_freedom_def *freedoms)
{
    size_t count = (size_t)sn_joint_type_freedoms(record->type);
    record->freedoms = sn_allocate((count > 0 ? count : 1) * sizeof *freedoms);
    for (size_t i = 0; record->freedoms != NULL && i < count; ++i) {
        record->freedoms[i] = freedoms[i];
        sn_motion_retain(freedoms[i].drive.motion);
    }
    return record->freedoms != NULL;
}

// A distance joint without a length keeps the one it has at the start.
static double length_of(const sn_world *world, const sn_joint_def *def)
{
    if (def->type != SN_JOINT_DISTANCE || def->length >= 0.0) {
        return def->length;
    }
    sn_vec3 parent =
        sn_transform_point(sn_body_transform(world, def->parent), def->parent_frame.position);
    sn_vec3 child =
        sn_transform_point(sn_body_transform(world, def->child), def->child_frame.position);
    return sn_length(sn_vec3_sub(child, parent));
}

static sn_status make_record(sn_world *world, const sn_joint_def *def, sn_joint_record *record,
                             sn_error *error)
{
    *record = (sn_joint_record){
        .type = def->type,
        .parent = def->parent,
        .child = def->child,
        .parent_frame = def->parent_frame,
        .child_frame = def->child_frame,
        .pitch = def->pitch,
        .length = length_of(world, def),
        .surface = def->surface,
        .break_force = def->break_force,
        .break_torque = def->break_torque,
        .breakable = def->breakable || isfinite(def->break_force) || isfinite(def->break_torque),
        .contact = def->contact,
        .agent = -1,
        .first_link = -1,
        .tie = -1,
    };
    memcpy(record->kept, def->start, sizeof record->kept);
    if (def->type == SN_JOINT_CURVE) {
        sn_status status = sn_curve_create(&def->curve, def->name != NULL ? def->name : "joint",
                                           &record->curve, error);
        if (status != SN_OK) {
            return status;
        }
    }
    record->name = sn_world_make_name(world, &world->joint_names, def->name, "joint");
    if (record->name == NULL || !copy_freedoms(record, def->freedom)) {
        free_record(record);
        return sn_fail_memory(error, sizeof *record);
    }
    return SN_OK;
}

// Puts a record under a new id; false when memory runs out.
static bool enter(sn_world *world, const sn_joint_record *record, sn_joint *joint)
{
    sn_id id = sn_id_pool_take(&world->joint_ids);
    if (id.index == 0) {
        return false;
    }
    int old = world->joints.count;
    bool made = (int)id.index < old || sn_array_resize(&world->joints, (int)id.index + 1);
    if (made && (int)id.index >= old) {
        memset(&world->joints.data[old], 0, (size_t)((int)id.index + 1 - old) * sizeof *record);
    }
    made = made && sn_array_reserve(&world->joint_order, world->joint_order.count + 1) &&
           sn_name_table_put(&world->joint_names, record->name, id.index);
    if (!made) {
        sn_id_pool_give(&world->joint_ids, id);
        return false;
    }
    world->joints.data[id.index] = *record;
    world->joint_order.data[world->joint_order.count++] = id.index;
    *joint = (sn_joint){id.index, id.generation};
    return true;
}

sn_status sn_world_add_joint(sn_world *world, const sn_joint_def *def, sn_joint *joint,
                             sn_error *error)
{
    *joint = (sn_joint){0};
    sn_joint_record record;
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_joint(world, def, error);
    }
    for (int i = 0; status == SN_OK && i < sn_joint_type_freedoms(def->type); ++i) {
        sn_motion *motion = def->freedom[i].drive.motion;
        status = motion != NULL ? sn_world_add_motion(world, motion, error) : SN_OK;
    }
    if (status == SN_OK) {
        status = make_record(world, def, &record, error);
    }
    if (status != SN_OK) {
        return status;
    }
    if (!enter(world, &record, joint)) {
        free_record(&record);
        return sn_fail_memory(error, sizeof record);
    }
    world->assembled = false;
    world->breakable_joints += record.breakable;
    world->any_break_limit =
        world->any_break_limit || isfinite(record.break_force) || isfinite(record.break_torque);
    return SN_OK;
}

// ---- removing and copying ----

static void remove_joint(sn_world *world, uint32_t index)
{
    sn_joint_record *record = &world->joints.data[index];
    sn_world_remove_events_of_joint(world, joint_at(world, index));
    sn_world_remove_couplings_of(world, joint_at(world, index));
    sn_name_table_remove(&world->joint_names, record->name);
    world->breakable_joints -= record->breakable;
    free_record(record);
    sn_world_drop_index(world->joint_order.data, &world->joint_order.count, index);
    sn_id_pool_give(&world->joint_ids, (sn_id){index, world->joint_ids.generation.data[index]});
    world->assembled = false;
}

void sn_world_remove_joints_of(sn_world *world, sn_body body)
{
    for (int i = world->joint_order.count - 1; i >= 0; --i) {
        uint32_t index = world->joint_order.data[i];
        const sn_joint_record *record = &world->joints.data[index];
        if (record->parent.index == body.index || record->child.index == body.index) {
            remove_joint(world, index);
        }
    }
}

sn_status sn_world_remove_joint(sn_world *world, sn_joint joint, sn_error *error)
{
    if (sn_world_joint_record(world, joint) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, "joint", "there is no such joint");
    }
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = sn_world_take_apart(world, error);
    }
    if (status == SN_OK) {
        remove_joint(world, joint.index);
    }
    return status;
}

void sn_world_free_joints(sn_world *world)
{
    for (int i = 0; i < world->joint_order.count; ++i) {
        free_record(&world->joints.data[world->joint_order.data[i]]);
    }
    sn_array_free(&world->joints);
    sn_array_free(&world->joint_order);
    sn_name_table_free(&world->joint_names);
    sn_id_pool_free(&world->joint_ids);
}

bool sn_world_copy_joints(const sn_world *world, sn_world *copy)
{
    int count = world->joints.count;
    copy->assembled = world->assembled;
    copy->breakable_joints = world->breakable_joints;
    copy->any_break_limit = world->any_break_limit;
    if (count == 0) {
        return true;
    }
    if (!sn_id_pool_copy(&world->joint_ids, &copy->joint_ids) ||
        !sn_array_reserve(&copy->joints, count) ||
        !sn_array_reserve(&copy->joint_order, world->joint_order.count)) {
        return false;
    }
    copy->joints.count = count;
    memset(copy->joints.data, 0, (size_t)count * sizeof *copy->joints.data);
    for (int i = 0; i < world->joint_order.count; ++i) {
        uint32_t index = world->joint_order.data[i];
        const sn_joint_record *from = &world->joints.data[index];
        sn_joint_record *record = &copy->joints.data[index];
        *record = *from;
        record->curve = sn_curve_retain(from->curve);
        record->freedoms = NULL;
        record->name = sn_copy_text(from->name);
        copy->joint_order.data[copy->joint_order.count++] = index;
        if (record->name == NULL || !copy_freedoms(record, from->freedoms) ||
            !sn_name_table_put(&copy->joint_names, record->name, index)) {
            return false;
        }
    }
    return true;
}

// ---- finding ----

int sn_world_joint_count(const sn_world *world)
{
    return world->joint_order.count;
}

sn_joint sn_world_joint(const sn_world *world, int order)
{
    bool there = order >= 0 && order < world->joint_order.count;
    return there ? joint_at(world, world->joint_order.data[order]) : (sn_joint){0};
}

sn_joint sn_world_find_joint(const sn_world *world, const char *name)
{
    uint32_t index = sn_name_table_find(&world->joint_names, name);
    return index != 0 ? joint_at(world, index) : (sn_joint){0};
}

bool sn_joint_is_valid(const sn_world *world, sn_joint joint)
{
    return sn_world_joint_record(world, joint) != NULL;
}

const char *sn_joint_name(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL ? record->name : "";
}

sn_joint_type sn_joint_get_type(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL ? record->type : SN_JOINT_FREE;
}

sn_body sn_joint_parent(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL ? record->parent : (sn_body){0};
}

sn_body sn_joint_child(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL ? record->child : (sn_body){0};
}

sn_transform sn_joint_parent_transform(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL ? sn_transform_multiply(sn_body_transform(world, record->parent),
                                                  record->parent_frame)
                          : SN_TRANSFORM_IDENTITY;
}

sn_transform sn_joint_child_transform(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL
               ? sn_transform_multiply(sn_body_transform(world, record->child), record->child_frame)
               : SN_TRANSFORM_IDENTITY;
}
