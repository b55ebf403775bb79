// What can be read of joints: coordinates, what acts in them, what they carry.
#include <math.h>

#include "base/error.h"
#include "math/rotation.h"
#include "world/joint_run.h"
#include "world/world.h"

int sn_joint_find_link(const sn_joint_record *joint, int freedom, int *own)
{
    if (joint == NULL || joint->agent < 0 || joint->first_link < 0) {
        return -1;
    }
    sn_joint_run run = sn_joint_run_of(joint->type, joint->reversed);
    for (int i = 0; i < run.count; ++i) {
        *own = freedom - run.freedom[i];
        if (*own >= 0 && *own < sn_tree_joint_v(run.joint[i])) {
            return joint->first_link + i;
        }
    }
    return -1;
}

const char *sn_mechanism_fastest_joint(const sn_world *world, sn_agent_ref ref)
{
    int link = sn_articulation_of(world->sets[ref.set], ref.agent)->step.fastest;
    for (int i = 0; i < world->joints.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[i];
        if (joint->name != NULL && joint->agent == ref.agent && joint->first_link >= 0 &&
            joint->first_link <= link &&
            link < joint->first_link + sn_joint_run_of(joint->type, joint->reversed).count) {
            return joint->name;
        }
    }
    return NULL;
}

// ---- coordinates ----

static double component(sn_vec3 v, int index)
{
    return index == 0 ? v.x : (index == 1 ? v.y : v.z);
}

double sn_joint_position(const sn_world *world, sn_joint joint, int freedom)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    int own = 0, link = sn_joint_find_link(record, freedom, &own);
    if (link < 0) {
        return NAN;
    }
    const sn_agent_set *set = world->sets[sn_joint_agent(record).set];
    const sn_tree_link *at = &sn_articulation_of(set, record->agent)->tree.links[link];
    const double *q = sn_agent_q(set, record->agent) + at->q;
    if (at->joint != SN_TREE_BALL) {
        return q[own];
    }
    double turn = component(sn_quat_log((sn_quat){q[0], q[1], q[2], q[3]}), own);
    return record->reversed ? -turn : turn;
}

double sn_joint_velocity(const sn_world *world, sn_joint joint, int freedom)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    int own = 0, link = sn_joint_find_link(record, freedom, &own);
    if (link < 0) {
        return NAN;
    }
    const sn_agent_set *set = world->sets[sn_joint_agent(record).set];
    const sn_tree_link *at = &sn_articulation_of(set, record->agent)->tree.links[link];
    const double *v = sn_agent_v(set, record->agent) + at->v;
    if (at->joint != SN_TREE_BALL || !record->reversed) {
        return v[own];
    }
    // The parent turns against the child at v, in its own axes.
    const double *q = sn_agent_q(set, record->agent) + at->q;
    sn_vec3 in_child = sn_rotate((sn_quat){q[0], q[1], q[2], q[3]}, sn_vec3_at(v));
    return -component(in_child, own);
}

int sn_world_freedom_count(const sn_world *world)
{
    int count = 0;
    for (int s = 0; s < world->set_count; ++s) {
        const sn_agent_set *set = world->sets[s];
        bool soft = set->type->traits.deformable;
        count += soft ? 0 : set->v_count;
        for (int i = 0; i < set->count && soft; ++i) {
            const sn_elastic_item *item = sn_elastic_item_of(set, i);
            count += 3 * (sn_tetrahedra_vertex_count(item->mesh) - item->fixed_count);
        }
    }
    sn_mechanism_info info = sn_world_mechanism_info(world);
    return count - (info.rows - info.redundant);
}

sn_mechanism_info sn_world_mechanism_info(const sn_world *world)
{
    sn_mechanism_info info = {0};
    // Reading moves nothing, but places trees where their coordinates say.
    for (sn_agent_ref at = SN_BEFORE_AGENTS; sn_world_next_jointed(world, &at);) {
        sn_articulation_set *set = (sn_articulation_set *)world->sets[at.set];
        int rows = sn_articulation_rows(set, at.agent);
        info.mechanisms += 1;
        info.coordinates += set->agents.agents[at.agent].v_count;
        info.rows += rows;
        info.redundant += rows > 0 ? rows - sn_articulation_rank(set, at.agent, world->time) : 0;
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        info.loops += joint->closes;
        bool again = joint->closes && joint->tie < 0; // two bodies of one link, welded once more
        info.rows += again ? 6 : 0;
        info.redundant += again ? 6 : 0;
    }
    return info;
}

// ---- loads ----

// The mechanism of a joint, with its loads known; NULL: there are none. Integrators of their own
// leave none behind: they are found for the state as it is.
static sn_articulation_set *loaded(const sn_world *world, const sn_joint_record *joint)
{
    if (joint == NULL || joint->agent < 0 || world->stepping) {
        return NULL;
    }
    sn_world *asked = (sn_world *)world;
    sn_agent_ref ref = sn_joint_agent(joint);
    sn_articulation_set *set = (sn_articulation_set *)world->sets[ref.set];
    bool staged = sn_integrator_is_staged(set->agents.agents[joint->agent].integrator);
    if (staged && world->steps > 0 && world->groups_current &&
        !sn_articulation_knows_loads(set, joint->agent)) {
        sn_world_evaluate_forces(asked, world->time, world->group_of[ref.set].data[ref.agent]);
        sn_articulation_find_loads(set, joint->agent, world->gravity);
    }
    return sn_articulation_knows_loads(set, joint->agent) ? set : NULL;
}

static sn_freedom_load freedom_load(const sn_world *world, sn_joint joint, int freedom)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    int own = 0, link = sn_joint_find_link(record, freedom, &own);
    sn_articulation_set *set = loaded(world, record);
    if (link < 0 || set == NULL) {
        return (sn_freedom_load){NAN, NAN, NAN};
    }
    const sn_tree_link *at = &set->items[record->agent]->tree.links[link];
    sn_freedom_load load = sn_articulation_freedom_load(set, record->agent, at->v + own);
    if (at->joint == SN_TREE_BALL && record->reversed) {
        // As a torque on the child, in its axes: the opposite, turned.
        sn_freedom_load all[3];
        for (int k = 0; k < 3; ++k) {
            all[k] = sn_articulation_freedom_load(set, record->agent, at->v + k);
        }
        // Loads of a step are of its middle.
        const sn_agent *agent = &set->agents.agents[record->agent];
        const double *q = sn_integrator_is_staged(agent->integrator)
                              ? sn_agent_q(&set->agents, record->agent)
                              : set->items[record->agent]->step.c;
        q += at->q;
        sn_quat turn = sn_quat_normalize((sn_quat){-q[0], -q[1], -q[2], -q[3]});
        load.drive = -component(
            sn_rotate(turn, sn_vec3_make(all[0].drive, all[1].drive, all[2].drive)), own);
        load.limit = -component(
            sn_rotate(turn, sn_vec3_make(all[0].limit, all[1].limit, all[2].limit)), own);
        load.friction = -component(
            sn_rotate(turn, sn_vec3_make(all[0].friction, all[1].friction, all[2].friction)), own);
    }
    return load;
}

double sn_joint_drive_force(const sn_world *world, sn_joint joint, int freedom)
{
    return freedom_load(world, joint, freedom).drive;
}

double sn_joint_limit_force(const sn_world *world, sn_joint joint, int freedom)
{
    return freedom_load(world, joint, freedom).limit;
}

double sn_joint_friction_force(const sn_world *world, sn_joint joint, int freedom)
{
    return freedom_load(world, joint, freedom).friction;
}

// A wrench about one point, about another.
static sn_joint_load move_load(sn_joint_load load, sn_vec3 from, sn_vec3 to)
{
    load.torque = sn_vec3_add(load.torque, sn_cross(sn_vec3_sub(from, to), load.force));
    return load;
}

// What a tie that is a joint did to the child, at the child's frame.
static sn_joint_load tie_reaction(const sn_world *world, sn_articulation_set *set, sn_joint joint,
                                  const sn_joint_record *record)
{
    double x[6];
    sn_articulation_tie_load(set, record->agent, record->tie, x);
    sn_joint_load load = {0};
    if (record->type == SN_JOINT_FIXED) {
        load.torque = sn_vec3_at(x);
        load.force = sn_vec3_at(x + 3);
    } else if (record->type == SN_JOINT_DISTANCE) {
        sn_vec3 along = sn_vec3_sub(sn_joint_child_transform(world, joint).position,
                                    sn_joint_parent_transform(world, joint).position);
        load.force = sn_vec3_scale(x[0], sn_normalize(along));
    } else {
        load.force = sn_vec3_at(x);
    }
    return load;
}

sn_joint_load sn_joint_reaction(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    sn_articulation_set *set = loaded(world, record);
    sn_vec3 nothing = {NAN, NAN, NAN};
    bool still = record != NULL && world->assembled && !record->broken && record->agent < 0;
    if (set == NULL && !still) {
        return (sn_joint_load){nothing, nothing};
    }
    if (still || record->first_link < 0) {
        return !still && record->tie >= 0 ? tie_reaction(world, set, joint, record)
                                          : sn_world_weld_reaction(world, joint);
    }
    sn_joint_run run = sn_joint_run_of(record->type, record->reversed);
    int link = record->first_link + run.count - 1;
    sn_spatial on_far = sn_articulation_load(set, record->agent, link);
    sn_joint_load load = {on_far.linear, on_far.angular};
    if (record->reversed) {
        load.force = sn_vec3_negate(load.force);
        load.torque = sn_vec3_negate(load.torque);
        load = move_load(load, sn_joint_parent_transform(world, joint).position,
                         sn_joint_child_transform(world, joint).position);
    }
    return load;
}

bool sn_joint_is_broken(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL && record->broken;
}
