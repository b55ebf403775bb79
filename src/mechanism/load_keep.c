// Forces that were added for the coming step, kept while mechanisms are taken apart and put
// together anew: bodies and joints outlive their agents.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/joint.h"
#include "mechanism/joint_read.h"
#include "model/world.h"
#include "sinew/math.h"

static sn_spatial *body_load(const sn_world *world, uint32_t body)
{
    sn_agent_ref ref = world->bodies.data[body].agent;
    return ref.agent >= 0
               ? &world->sets[ref.set]
                      ->external[world->sets[ref.set]->agents[ref.agent].part_first + ref.part]
               : NULL;
}

// What sn_joint_add_force was given, summed up.
static void read_joint(const sn_world *world, const sn_joint_record *joint, double forces[6])
{
    const sn_agent_set *set = world->sets[sn_joint_agent(joint).set];
    for (int k = 0; k < sn_joint_type_freedoms(joint->type); ++k) {
        int own = 0, link = sn_joint_find_link(joint, k, &own);
        if (link < 0) {
            continue;
        }
        const sn_tree_link *at = &sn_articulation_of(set, joint->agent)->tree.links[link];
        const double *sum = set->joint_external + set->agents[joint->agent].v_first + at->v;
        forces[k] = sum[own];
        if (at->joint == SN_TREE_BALL && joint->reversed) {
            // It is kept on the parent and in its axes.
            const double *q = sn_agent_q(set, joint->agent) + at->q;
            sn_vec3 torque = sn_vec3_negate(
                sn_rotate(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}), sn_vec3_at(sum)));
            forces[k] = own == 0 ? torque.x : (own == 1 ? torque.y : torque.z);
        }
    }
}

sn_status sn_world_keep_loads(const sn_world *world, sn_load_keep *keep, sn_error *error)
{
    *keep = (sn_load_keep){0};
    bool any = false;
    for (int s = 0; s < world->set_count; ++s) {
        any = any || world->sets[s]->has_external;
    }
    size_t bodies = (size_t)world->body_order.count, joints = (size_t)world->joint_order.count;
    if (!any) {
        return SN_OK;
    }
    keep->bodies = sn_allocate_zero((bodies + 1) * sizeof *keep->bodies);
    keep->joints = sn_allocate_zero((joints + 1) * sizeof *keep->joints);
    if (keep->bodies == NULL || keep->joints == NULL) {
        sn_load_keep_free(keep);
        return sn_fail_memory(error, (bodies + 1) * sizeof *keep->bodies);
    }
    for (size_t i = 0; i < bodies; ++i) {
        const sn_spatial *load = body_load(world, world->body_order.data[i]);
        keep->bodies[i] = load != NULL ? *load : (sn_spatial){0};
    }
    for (size_t i = 0; i < joints; ++i) {
        read_joint(world, &world->joints.data[world->joint_order.data[i]], keep->joints[i]);
    }
    return SN_OK;
}

void sn_world_put_loads(sn_world *world, const sn_load_keep *keep)
{
    for (int i = 0; keep->bodies != NULL && i < world->body_order.count; ++i) {
        uint32_t body = world->body_order.data[i];
        sn_spatial *load = body_load(world, body);
        if (load != NULL) {
            *load = keep->bodies[i];
            world->sets[world->bodies.data[body].agent.set]->has_external = true;
        }
    }
    for (int i = 0; keep->joints != NULL && i < world->joint_order.count; ++i) {
        for (int k = 0; k < 6; ++k) {
            if (keep->joints[i][k] != 0.0) {
                sn_joint_add_force(world, sn_world_joint(world, i), k, keep->joints[i][k]);
            }
        }
    }
}

void sn_load_keep_free(sn_load_keep *keep)
{
    sn_free(keep->bodies);
    sn_free(keep->joints);
    *keep = (sn_load_keep){0};
}
