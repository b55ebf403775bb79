// What contact asks of free rigid bodies. Coordinates as in rigid.h: velocities of the world, turns
// in principal axes.
#include "agent/rigid/rigid.h"
#include "math/dense.h"
#include "math/rotation.h"

static const sn_rigid_mass *mass_of(const sn_agent_set *set, int agent)
{
    return &((const sn_rigid_set *)set)->mass[agent]; // the agent set is its first member
}

static sn_quat rotation_of(const sn_agent_set *set, int agent)
{
    return sn_rigid_pose(sn_agent_q(set, agent)).rotation;
}

static void rigid_velocity(sn_agent_set *set, int agent, double *v)
{
    const double *now = sn_agent_v(set, agent);
    for (int i = 0; i < SN_RIGID_V; ++i) {
        v[i] = now[i];
    }
}

static void rigid_project(const sn_agent_set *set, int agent, int part, const sn_spatial *f,
                          double *row)
{
    (void)part;
    sn_vec3_put(row, f->linear);
    sn_vec3_put(row + 3, sn_rotate_inverse(rotation_of(set, agent), f->angular));
}

static void rigid_inverse(const sn_agent_set *set, int agent, double *x)
{
    if (sn_agent_is_damped(set, agent, 0)) {
        // The damped factor is in world axes: see rigid.c.
        sn_quat rotation = rotation_of(set, agent);
        sn_vec3_put(x + 3, sn_rotate(rotation, sn_vec3_at(x + 3)));
        sn_ldl6_solve(set->damping + (size_t)agent * SN_DAMPING_SIZE, x);
        sn_vec3_put(x + 3, sn_rotate_inverse(rotation, sn_vec3_at(x + 3)));
        return;
    }
    const sn_rigid_mass *mass = mass_of(set, agent);
    x[0] /= mass->mass;
    x[1] /= mass->mass;
    x[2] /= mass->mass;
    x[3] /= mass->inertia.x;
    x[4] /= mass->inertia.y;
    x[5] /= mass->inertia.z;
}

static void rigid_push(sn_agent_set *set, int agent, const double *impulse)
{
    double dv[SN_RIGID_V], *v = sn_agent_v(set, agent);
    for (int i = 0; i < SN_RIGID_V; ++i) {
        dv[i] = impulse[i];
    }
    rigid_inverse(set, agent, dv);
    for (int i = 0; i < SN_RIGID_V; ++i) {
        v[i] += dv[i];
    }
}

// An impulse at the end of a step knows of no damping over the step.
static void rigid_strike(sn_agent_set *set, int agent)
{
    if (set->damped != NULL) {
        set->damped[set->agents[agent].part_first] = 0;
    }
}

static void rigid_displace(sn_agent_set *set, int agent, const double *v, double h)
{
    double *q = sn_agent_q(set, agent);
    double fast = sn_length(sn_vec3_at(v + 3));
    h = h * fast > SN_DISPLACE_TURN ? SN_DISPLACE_TURN / fast : h;
    sn_vec3 turn = sn_vec3_scale(h, sn_vec3_at(v + 3));
    sn_transform pose = sn_rigid_pose(q);
    // The turn is in principal axes, which its rotation keeps: it comes first.
    pose.rotation = sn_quat_multiply(pose.rotation, sn_quat_exp(turn));
    pose.rotation = sn_quat_normalize(pose.rotation);
    q[0] += h * v[0];
    q[1] += h * v[1];
    q[2] += h * v[2];
    q[3] = pose.rotation.w;
    q[4] = pose.rotation.x;
    q[5] = pose.rotation.y;
    q[6] = pose.rotation.z;
}

static void rigid_slow(sn_agent_set *set, int agent, double share)
{
    double *v = sn_agent_v(set, agent);
    for (int i = 0; i < SN_RIGID_V; ++i) {
        v[i] *= share;
    }
}

const sn_agent_contact sn_rigid_contact = {
    .velocity = rigid_velocity,
    .project = rigid_project,
    .inverse = rigid_inverse,
    .push = rigid_push,
    .strike = rigid_strike,
    .displace = rigid_displace,
    .slow = rigid_slow,
};
