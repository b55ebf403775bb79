// Mechanisms as statics, modes and inverse dynamics see them: the coordinates of their joints.
#include <string.h>

#include "agent/tree/articulation.h"
#include "math/rotation.h"

static void articulation_turns(const sn_agent_set *set, int agent, bool *turns)
{
    const sn_tree *tree = &sn_articulation_of(set, agent)->tree;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            turns[link->v + k] =
                link->joint != SN_TREE_SLIDER && link->joint != SN_TREE_TRANSLATION;
        }
    }
}

static void articulation_move(const sn_agent_set *set, int agent, const double *q, const double *d,
                              double scale, double *moved)
{
    sn_tree_move(&sn_articulation_of(set, agent)->tree, q, d, scale, moved);
}

static sn_quat quat_at(const double *q)
{
    return (sn_quat){q[0], q[1], q[2], q[3]};
}

static void articulation_difference(const sn_agent_set *set, int agent, const double *from,
                                    const double *to, double *d)
{
    const sn_tree *tree = &sn_articulation_of(set, agent)->tree;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        if (link->joint == SN_TREE_BALL) {
            sn_vec3_put(d + link->v,
                        sn_turn_between(quat_at(from + link->q), quat_at(to + link->q)));
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            d[link->v + k] = to[link->q + k] - from[link->q + k];
        }
    }
}

// With the links' own inertia: what steps add to them is not theirs.
static sn_tree *place(const sn_agent_set *set, int agent)
{
    sn_tree *tree = &sn_articulation_of(set, agent)->tree;
    tree->added = NULL;
    sn_tree_place(tree, sn_agent_q(set, agent));
    return tree;
}

static void articulation_mass_matrix(const sn_agent_set *set, int agent, double *m)
{
    sn_tree_mass_matrix(place(set, agent), m);
}

// One column at a time: J^T J summed over the links.
static void articulation_motion_metric(const sn_agent_set *set, int agent, double size, double *m)
{
    sn_tree *tree = place(set, agent);
    size_t n = (size_t)tree->v_count;
    for (size_t j = 0; j < n; ++j) {
        double *row = m + j * n; // symmetric: a column may be written as a row
        memset(row, 0, n * sizeof *row);
        row[j] = 1.0;
        sn_spatial *motion = tree->scratch;
        sn_tree_velocity(tree, row, motion);
        for (int i = 0; i < tree->count; ++i) {
            motion[i].linear = sn_vec3_scale(1.0 / (size * size), motion[i].linear);
        }
        sn_tree_gather(tree, motion, row);
    }
}

const sn_agent_chart sn_articulation_chart = {
    .size = sn_agent_half_diagonal,
    .turns = articulation_turns,
    .move = articulation_move,
    .difference = articulation_difference,
    .push = sn_articulation_push,
    .mass_matrix = articulation_mass_matrix,
    .motion_metric = articulation_motion_metric,
};
