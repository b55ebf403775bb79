// What a weld between bodies of one link carries. The tree knows the link only as a whole, so the
// load is found from the balance of what the weld holds, by d'Alembert: of all bodies W beyond it,
//
//     load = sum over W of (rate of momentum - weight - forces) - what other joints do to W.
//
// Velocities are compared at the start and at the end of the last step; for integrators of their
// own a little before and after the present state, along the present accelerations.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/rotation.h"
#include "mechanism/joint.h"
#include "model/world.h"
#include "probe/joint_load.h"

typedef struct balance {
    const sn_world *world;
    sn_vec3 about; // the point of the weld
    sn_vec3 force, torque;
} balance;

static void add(balance *sum, double sign, sn_vec3 force, sn_vec3 torque, sn_vec3 at)
{
    sn_vec3 moment = sn_vec3_add(torque, sn_cross(sn_vec3_sub(at, sum->about), force));
    sum->force = sn_vec3_add_scaled(sum->force, sign, force);
    sum->torque = sn_vec3_add_scaled(sum->torque, sign, moment);
}

static bool is_weld(const sn_joint_record *joint)
{
    return joint->type == SN_JOINT_FIXED && !joint->broken && joint->tie < 0 && !joint->closes;
}

// Marks the bodies beyond a weld, on the side of `start`.
static void mark_beyond(const sn_world *world, const sn_joint_record *weld, uint32_t start,
                        bool *beyond)
{
    beyond[start] = true;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < world->joint_order.count; ++i) {
            const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
            uint32_t a = joint->parent.index, b = joint->child.index;
            if (joint == weld || !is_weld(joint) || beyond[a] == beyond[b] || a == 0) {
                continue;
            }
            beyond[a] = beyond[b] = true;
            more = true;
        }
    }
}

// ---- how a link's velocity changes ----

// Velocity of a link for a state of its tree: angular, and linear at its origin.
static void link_velocity(sn_articulation *item, const double *q, const double *v, int link,
                          sn_spatial *velocity, sn_tree_pose *pose)
{
    sn_tree_place(&item->tree, q);
    sn_tree_velocity(&item->tree, v, item->velocity);
    *velocity = item->velocity[link];
    *pose = item->tree.pose[link];
}

// Momentum of a body on a link, and its spin about the world's origin's parallel through its
// centre.
static void body_momentum(const sn_mass_properties *mass, sn_transform on_link,
                          const sn_tree_pose *pose, const sn_spatial *velocity, sn_vec3 *momentum,
                          sn_vec3 *spin)
{
    sn_transform link = {pose->origin, sn_quat_from_mat3(pose->rotation)};
    sn_transform frame = sn_transform_multiply(link, on_link);
    sn_vec3 centre = sn_transform_point(frame, mass->centre);
    *momentum = sn_vec3_scale(mass->mass, sn_velocity_at(velocity->linear, velocity->angular,
                                                         sn_vec3_sub(centre, pose->origin)));
    sn_vec3 turning = sn_rotate_inverse(frame.rotation, velocity->angular);
    *spin = sn_rotate(frame.rotation, sn_mat3_apply(mass->inertia, turning));
}

// The two states that are compared: q and v of both, and the time between.
typedef struct pair {
    double *q[2], *v[2];
    double *rates; // q_count + v_count
    double between;
} pair;

static bool make_pair(sn_world *world, int agent, pair *two)
{
    sn_agent_set *set = &world->articulations.agents;
    const sn_agent *head = &set->agents[agent];
    size_t nq = (size_t)head->q_count, nv = (size_t)head->v_count;
    double *memory = sn_allocate_zero(3 * (nq + nv) * sizeof *memory);
    if (memory == NULL) {
        return false;
    }
    *two = (pair){{memory, memory + nq}, {memory + 2 * nq, memory + 2 * nq + nv}, NULL, 0.0};
    two->rates = memory + 2 * (nq + nv);
    const double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    if (!sn_integrator_is_staged(head->integrator)) {
        two->between = world->last_step;
        memcpy(two->q[0], set->q_last + head->q_first, nq * sizeof *q);
        memcpy(two->v[0], set->v_last + head->v_first, nv * sizeof *v);
        memcpy(two->q[1], q, nq * sizeof *q);
        memcpy(two->v[1], v, nv * sizeof *v);
        return true;
    }
    const double small = 1e-5; // errors of its square against rounding over it
    set->type->rate(set, agent, world->gravity, two->rates, two->rates + nq);
    two->between = 2.0 * small;
    for (int side = 0; side < 2; ++side) {
        double step = side == 0 ? -small : small;
        for (size_t i = 0; i < nq; ++i) {
            two->q[side][i] = q[i] + step * two->rates[i];
        }
        for (size_t i = 0; i < nv; ++i) {
            two->v[side][i] = v[i] + step * two->rates[nq + i];
        }
    }
    return true;
}

// Adds what the bodies beyond the weld gain in momentum.
static bool add_inertia(sn_world *world, balance *sum, const bool *beyond, int agent)
{
    sn_agent_set *set = &world->articulations.agents;
    sn_articulation *item = sn_articulation_of(set, agent);
    pair two;
    bool known = item->known; // looking at other states leaves the loads of this one as they are
    if (!make_pair(world, agent, &two)) {
        return false;
    }
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t index = world->body_order.data[i];
        const sn_body_record *record = &world->bodies.data[index];
        if (!beyond[index] || record->agent.agent < 0) {
            continue;
        }
        const sn_articulation_part *part = &item->parts[record->agent.part];
        sn_vec3 momentum[2], spin[2];
        for (int side = 0; side < 2; ++side) {
            sn_spatial velocity;
            sn_tree_pose pose;
            link_velocity(item, two.q[side], two.v[side], part->link, &velocity, &pose);
            body_momentum(&record->own->mass, part->frame, &pose, &velocity, &momentum[side],
                          &spin[side]);
        }
        sn_body body = {index, world->body_ids.generation.data[index]};
        set->type->touch(set, agent);
        item->known = known;
        add(sum, 1.0 / two.between, sn_vec3_sub(momentum[1], momentum[0]),
            sn_vec3_sub(spin[1], spin[0]), sn_body_centre(world, body));
    }
    sn_free(two.q[0]);
    return true;
}

// Takes off weight, and forces on the parts.
static void take_forces(const sn_world *world, balance *sum, const bool *beyond)
{
    for (int i = 0; i < world->body_order.count; ++i) {
        uint32_t index = world->body_order.data[i];
        const sn_body_record *record = &world->bodies.data[index];
        if (!beyond[index] || record->own == NULL || record->type != SN_BODY_RIGID) {
            continue;
        }
        sn_body body = {index, world->body_ids.generation.data[index]};
        sn_vec3 centre = sn_body_centre(world, body);
        add(sum, -1.0, sn_vec3_scale(record->own->mass.mass, world->gravity), SN_VEC3_ZERO, centre);
        if (record->agent.agent >= 0) {
            const sn_spatial *force =
                sn_agent_force(world->sets[record->agent.set], record->agent.agent) +
                record->agent.part;
            add(sum, -1.0, force->linear, force->angular, centre);
        }
    }
}

// Takes off what other joints do to the bodies beyond.
static void take_joints(const sn_world *world, balance *sum, const sn_joint_record *weld,
                        const bool *beyond)
{
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *joint = &world->joints.data[world->joint_order.data[i]];
        bool on_parent = beyond[joint->parent.index] && joint->parent.index != 0,
             on_child = beyond[joint->child.index];
        if (joint == weld || joint->broken || on_parent == on_child || is_weld(joint)) {
            continue;
        }
        sn_joint handle = sn_world_joint(world, i);
        sn_joint_load load = sn_joint_reaction(world, handle);
        add(sum, on_child ? -1.0 : 1.0, load.force, load.torque,
            sn_joint_child_transform(world, handle).position);
    }
}

sn_joint_load sn_world_weld_reaction(const sn_world *world, sn_joint joint)
{
    sn_vec3 nothing = {NAN, NAN, NAN};
    const sn_joint_record *weld = sn_world_joint_record(world, joint);
    bool *beyond = sn_allocate_zero((size_t)world->bodies.count + 1);
    if (beyond == NULL || !is_weld(weld)) {
        sn_free(beyond);
        return (sn_joint_load){nothing, nothing};
    }
    balance sum = {.world = world, .about = sn_joint_child_transform(world, joint).position};
    mark_beyond(world, weld, weld->child.index, beyond);
    bool other_side =
        weld->reversed; // towards the ground: what is beyond the parent is what is held
    if (other_side) {
        memset(beyond, 0, (size_t)world->bodies.count + 1);
        mark_beyond(world, weld, weld->parent.index, beyond);
    }
    int agent = world->bodies.data[weld->child.index].agent.agent;
    bool made = agent < 0 || add_inertia((sn_world *)world, &sum, beyond, agent);
    take_forces(world, &sum, beyond);
    take_joints(world, &sum, weld, beyond);
    sn_free(beyond);
    if (!made) {
        return (sn_joint_load){nothing, nothing};
    }
    return other_side ? (sn_joint_load){sn_vec3_negate(sum.force), sn_vec3_negate(sum.torque)}
                      : (sn_joint_load){sum.force, sum.torque};
}
