// What can be read of joints: coordinates, and where they are in their mechanism.
#include <math.h>

#include "base/error.h"
#include "math/rotation.h"
#include "mechanism/joint.h"
#include "mechanism/joint_read.h"
#include "mechanism/joint_run.h"
#include "model/world.h"

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
    double turn = sn_vec3_component(sn_quat_log((sn_quat){q[0], q[1], q[2], q[3]}), own);
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
    return -sn_vec3_component(in_child, own);
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

bool sn_joint_is_broken(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL && record->broken;
}
