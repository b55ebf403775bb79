// What acts in joints and what they carry.
#include <math.h>

#include "base/error.h"
#include "force/forces.h"
#include "math/rotation.h"
#include "mechanism/joint.h"
#include "mechanism/joint_read.h"
#include "mechanism/joint_run.h"
#include "model/world.h"
#include "probe/joint_load.h"

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
        load.drive = -sn_vec3_component(
            sn_rotate(turn, sn_vec3_make(all[0].drive, all[1].drive, all[2].drive)), own);
        load.limit = -sn_vec3_component(
            sn_rotate(turn, sn_vec3_make(all[0].limit, all[1].limit, all[2].limit)), own);
        load.friction = -sn_vec3_component(
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
