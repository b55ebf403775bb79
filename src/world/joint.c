// Joints of a world: adding, finding, reading. What they do to bodies is in assemble.c.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "world/world.h"

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
    if (child->type == SN_BODY_STATIC) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the joint's child '%s' is static; make it the parent", child->name);
    }
    if (!is_placement(def->parent_frame) || !is_placement(def->child_frame)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "a frame of the joint is not finite or its rotation not a unit quaternion");
    }
    if (!isfinite(def->pitch)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "the pitch is not finite");
    }
    for (int i = 0; i < sn_joint_type_freedoms(def->type); ++i) {
        const sn_freedom_def *freedom = &def->freedom[i];
        if (!(freedom->stiffness >= 0.0) || !isfinite(freedom->stiffness) ||
            !(freedom->damping >= 0.0) || !isfinite(freedom->damping) || !isfinite(freedom->rest)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "freedom %d has stiffness %g, damping %g, rest %g; expected 0 or more, "
                           "and a finite rest",
                           i + 1, freedom->stiffness, freedom->damping, freedom->rest);
        }
    }
    return SN_OK;
}

sn_status sn_world_add_joint(sn_world *world, const sn_joint_def *def, sn_joint *joint,
                             sn_error *error)
{
    *joint = (sn_joint){0};
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_joint(world, def, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_joint_record record = {.def = *def, .agent = -1};
    record.def.name = NULL;
    sn_id id = sn_id_pool_take(&world->joint_ids);
    if (id.index == 0) {
        return sn_fail_memory(error, sizeof record);
    }
    int old = world->joints.count;
    record.name = sn_world_make_name(world, &world->joint_names, def->name, "joint");
    bool made = record.name != NULL &&
                ((int)id.index < old || sn_array_resize(&world->joints, (int)id.index + 1));
    if (made && (int)id.index >= old) {
        memset(&world->joints.data[old], 0, (size_t)((int)id.index + 1 - old) * sizeof record);
    }
    made = made && sn_array_reserve(&world->joint_order, world->joint_order.count + 1) &&
           sn_name_table_put(&world->joint_names, record.name, id.index);
    if (!made) {
        sn_free(record.name);
        sn_id_pool_give(&world->joint_ids, id);
        return sn_fail_memory(error, sizeof record);
    }
    world->joints.data[id.index] = record;
    world->joint_order.data[world->joint_order.count++] = id.index;
    world->assembled = false;
    *joint = (sn_joint){id.index, id.generation};
    return SN_OK;
}

// ---- removing and copying ----

void sn_world_remove_joints_of(sn_world *world, sn_body body)
{
    for (int i = world->joint_order.count - 1; i >= 0; --i) {
        uint32_t index = world->joint_order.data[i];
        sn_joint_record *record = &world->joints.data[index];
        if (record->def.parent.index != body.index && record->def.child.index != body.index) {
            continue;
        }
        sn_world_remove_events_of_joint(world, joint_at(world, index));
        sn_name_table_remove(&world->joint_names, record->name);
        sn_free(record->name);
        *record = (sn_joint_record){0};
        sn_world_drop_index(world->joint_order.data, &world->joint_order.count, index);
        sn_id_pool_give(&world->joint_ids, (sn_id){index, world->joint_ids.generation.data[index]});
        world->assembled = false;
    }
}

void sn_world_free_joints(sn_world *world)
{
    for (int i = 0; i < world->joints.count; ++i) {
        sn_free(world->joints.data[i].name);
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
    if (count == 0) {
        return true;
    }
    if (!sn_id_pool_copy(&world->joint_ids, &copy->joint_ids) ||
        !sn_array_reserve(&copy->joints, count) ||
        !sn_array_resize(&copy->joint_order, world->joint_order.count)) {
        return false;
    }
    copy->joints.count = count;
    memset(copy->joints.data, 0, (size_t)count * sizeof *copy->joints.data);
    for (int i = 0; i < world->joint_order.count; ++i) {
        uint32_t index = world->joint_order.data[i];
        sn_joint_record *record = &copy->joints.data[index];
        *record = world->joints.data[index];
        record->name = sn_copy_text(world->joints.data[index].name);
        copy->joint_order.data[i] = index;
        if (record->name == NULL || !sn_name_table_put(&copy->joint_names, record->name, index)) {
            return false;
        }
    }
    return true;
}

// ---- reading ----

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
    return record != NULL ? record->def.type : SN_JOINT_FREE;
}

sn_body sn_joint_parent(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL ? record->def.parent : (sn_body){0};
}

sn_body sn_joint_child(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL ? record->def.child : (sn_body){0};
}

int sn_world_freedom_count(const sn_world *world)
{
    int count = 0;
    for (int s = 0; s < world->set_count; ++s) {
        count += world->sets[s]->v_count;
    }
    return count;
}

// The elementary joint that holds a freedom, and which of its own freedoms that is. NULL when there
// is none.
static const sn_tree_link *find_link(const sn_world *world, const sn_joint_record *record,
                                     int freedom, int *own)
{
    int freedoms = record != NULL ? sn_joint_type_freedoms(record->def.type) : 0;
    if (freedom < 0 || freedom >= freedoms || record->agent < 0 || !world->assembled) {
        return NULL;
    }
    const sn_tree *tree = &world->articulations.items[record->agent]->tree;
    const sn_tree_link *link = &tree->links[record->first_link];
    int wanted = freedom;
    while (wanted >= sn_tree_joint_v(link->joint)) {
        wanted -= sn_tree_joint_v(link->joint);
        link += 1;
    }
    *own = wanted;
    return link;
}

static double component(sn_vec3 v, int index)
{
    return index == 0 ? v.x : (index == 1 ? v.y : v.z);
}

double sn_joint_position(const sn_world *world, sn_joint joint, int freedom)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    int own = 0;
    const sn_tree_link *link = find_link(world, record, freedom, &own);
    if (link == NULL) {
        return NAN;
    }
    const double *q = sn_agent_q(&world->articulations.agents, record->agent) + link->q;
    return link->joint == SN_TREE_BALL
               ? component(sn_quat_log((sn_quat){q[0], q[1], q[2], q[3]}), own)
               : q[own];
}

double sn_joint_velocity(const sn_world *world, sn_joint joint, int freedom)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    int own = 0;
    const sn_tree_link *link = find_link(world, record, freedom, &own);
    if (link == NULL) {
        return NAN;
    }
    return (sn_agent_v(&world->articulations.agents, record->agent) + link->v)[own];
}
