// Free bodies as statics, modes and inverse dynamics see them: translation in the world, rotation
// in principal axes.
#include <math.h>
#include <string.h>

#include "agent/rigid/rigid.h"
#include "math/rotation.h"

// Of a body without a shape by its inertia.
static double rigid_size(const sn_agent_set *set, int agent)
{
    double size = sn_agent_half_diagonal(set, agent);
    if (!(size > 0.0)) {
        sn_vec3 moments = sn_rigid_mass_of(set, agent)->inertia;
        size = sqrt((moments.x + moments.y + moments.z) / sn_rigid_mass_of(set, agent)->mass);
    }
    return size;
}

static void rigid_turns(const sn_agent_set *set, int agent, bool *turns)
{
    (void)set;
    (void)agent;
    for (int k = 0; k < SN_RIGID_V; ++k) {
        turns[k] = k >= 3;
    }
}

static void rigid_move(const sn_agent_set *set, int agent, const double *q, const double *d,
                       double scale, double *moved)
{
    (void)set;
    (void)agent;
    sn_vec3_put(moved, sn_vec3_add_scaled(sn_vec3_at(q), scale, sn_vec3_at(d)));
    sn_quat turn = sn_quat_exp(sn_vec3_scale(scale, sn_vec3_at(d + 3)));
    sn_quat end = sn_quat_normalize(sn_quat_multiply(sn_rigid_pose(q).rotation, turn));
    moved[3] = end.w;
    moved[4] = end.x;
    moved[5] = end.y;
    moved[6] = end.z;
}

static void rigid_difference(const sn_agent_set *set, int agent, const double *from,
                             const double *to, double *d)
{
    (void)set;
    (void)agent;
    sn_vec3_put(d, sn_vec3_sub(sn_vec3_at(to), sn_vec3_at(from)));
    sn_vec3_put(d + 3, sn_turn_between(sn_rigid_pose(from).rotation, sn_rigid_pose(to).rotation));
}

static void rigid_push(const sn_agent_set *set, int agent, sn_vec3 gravity, double *push)
{
    const sn_rigid_mass *mass = sn_rigid_mass_of(set, agent);
    const sn_spatial *f = sn_agent_force(set, agent);
    sn_vec3 w = sn_vec3_at(sn_agent_v(set, agent) + 3);
    sn_vec3 gyroscopic = sn_cross(w, sn_vec3_multiply(mass->inertia, w));
    sn_vec3 moment = sn_rotate_inverse(sn_rigid_pose(sn_agent_q(set, agent)).rotation, f->angular);
    sn_vec3_put(push, sn_vec3_add_scaled(f->linear, mass->mass, gravity));
    sn_vec3_put(push + 3, sn_vec3_sub(moment, gyroscopic));
}

static void put_diagonal(sn_vec3 linear, sn_vec3 angular, double *m)
{
    memset(m, 0, SN_RIGID_V * SN_RIGID_V * sizeof *m);
    for (int k = 0; k < 3; ++k) {
        m[k * SN_RIGID_V + k] = (&linear.x)[k];
        m[(3 + k) * SN_RIGID_V + 3 + k] = (&angular.x)[k];
    }
}

static void rigid_mass_matrix(const sn_agent_set *set, int agent, double *m)
{
    const sn_rigid_mass *mass = sn_rigid_mass_of(set, agent);
    put_diagonal(sn_vec3_make(mass->mass, mass->mass, mass->mass), mass->inertia, m);
}

static void rigid_motion_metric(const sn_agent_set *set, int agent, double size, double *m)
{
    (void)set;
    (void)agent;
    double square = size * size;
    put_diagonal(sn_vec3_make(1.0 / square, 1.0 / square, 1.0 / square),
                 sn_vec3_make(1.0, 1.0, 1.0), m);
}

const sn_agent_chart sn_rigid_chart = {
    .size = rigid_size,
    .turns = rigid_turns,
    .move = rigid_move,
    .difference = rigid_difference,
    .push = rigid_push,
    .mass_matrix = rigid_mass_matrix,
    .motion_metric = rigid_motion_metric,
};
