// The way of an articulation through the step that ends: its joints go from where the step found
// them to where they are now, each at a constant rate, balls the shorter way about. It is a way
// that the joints allow, though loops may be open on it by what is quadratic in the step; and every
// place on it has a way of the same kind behind it, so that what was found to be free stays free
// when the mechanism is taken back.
#include <math.h>
#include <string.h>

#include "agent/tree/articulation.h"
#include "agent/tree/tie_project.h"
#include "agent/tree/tie_work.h"
#include "math/rotation.h"

static sn_quat quat_at(const double *x)
{
    return (sn_quat){x[0], x[1], x[2], x[3]};
}

static void coordinates_at(const sn_agent_set *set, int agent, double share, double *q)
{
    const sn_tree *tree = &sn_articulation_of(set, agent)->tree;
    const double *from = set->q_last + set->agents[agent].q_first, *to = sn_agent_q(set, agent);
    for (int i = 0; i < tree->count; ++i) {
        int first = tree->links[i].q;
        if (tree->links[i].joint == SN_TREE_BALL) {
            sn_quat turn = sn_quat_slerp(quat_at(from + first), quat_at(to + first), share);
            q[first] = turn.w;
            sn_vec3_put(q + first + 1, sn_vec3_make(turn.x, turn.y, turn.z));
            continue;
        }
        for (int k = first; k < first + sn_tree_joint_q(tree->links[i].joint); ++k) {
            q[k] = from[k] + share * (to[k] - from[k]);
        }
    }
}

sn_transform sn_articulation_on_way(const sn_agent_set *set, int agent, int part, double share)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    coordinates_at(set, agent, share, item->step.trial);
    sn_tree_place_into(&item->tree, item->step.trial, item->way);
    const sn_tree_pose *pose = &item->way[item->parts[part].link];
    sn_transform in_world = {pose->origin, sn_quat_from_mat3(pose->rotation)};
    return sn_transform_multiply(in_world, item->parts[part].frame);
}

// How far each link turns at most, all links at once from the root outwards: a link's turn is its
// parent's and its own joint's, so that links of a deep tree cost what those of a flat one do.
static void find_turns(const sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    const double *from = set->q_last + set->agents[agent].q_first, *to = sn_agent_q(set, agent);
    for (int i = 0; i < item->tree.count; ++i) {
        const sn_tree_link *link = &item->tree.links[i];
        double turn = link->parent >= 0 ? item->turns[link->parent] : 0.0;
        if (link->joint == SN_TREE_BALL) {
            sn_quat by =
                sn_quat_multiply(sn_quat_conjugate(quat_at(from + link->q)), quat_at(to + link->q));
            turn += sn_length(sn_quat_log(by));
        } else if (link->joint != SN_TREE_SLIDER && link->joint != SN_TREE_TRANSLATION) {
            turn += fabs(to[link->q] - from[link->q]);
        }
        item->turns[i] = turn;
    }
    item->turns_known = true;
}

double sn_articulation_way_turn(const sn_agent_set *set, int agent, int part)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    sn_articulation_place(set, agent);
    if (!item->turns_known) {
        find_turns(set, agent);
    }
    return item->turns[item->parts[part].link];
}

bool sn_articulation_may_turn_back(const sn_agent_set *set, int agent)
{
    const sn_agent *head = &set->agents[agent];
    return !sn_integrator_is_staged(head->integrator) && !head->held && !head->failed &&
           !sn_articulation_of(set, agent)->prescribed;
}

// How far each joint goes on the way; balls by a rotation vector in the axes of their link.
static void find_movement(const sn_agent_set *set, int agent, double *moved)
{
    const sn_tree *tree = &sn_articulation_of(set, agent)->tree;
    const double *from = set->q_last + set->agents[agent].q_first, *to = sn_agent_q(set, agent);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        if (link->joint == SN_TREE_BALL) {
            sn_quat by =
                sn_quat_multiply(sn_quat_conjugate(quat_at(from + link->q)), quat_at(to + link->q));
            sn_vec3_put(moved + link->v, sn_quat_log(by));
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            moved[link->v + k] = to[link->q + k] - from[link->q + k];
        }
    }
}

double sn_articulation_way_work(const sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    const sn_agent *head = &set->agents[agent];
    const sn_spatial *force = sn_agent_force(set, agent);
    double *moved = item->force + item->tree.v_count, work = 0.0;
    bool pushed = false;
    find_movement(set, agent, moved);
    for (int j = 0; j < item->tree.v_count; ++j) {
        work += set->joint_force[head->v_first + j] * moved[j];
    }
    for (int i = 0; i < head->part_count; ++i) {
        pushed = pushed || !sn_spatial_is_zero(&force[i]);
    }
    if (!pushed) {
        return work;
    }
    for (int end = -1; end <= 1; end += 2) { // f . (x1 - x0)
        sn_tree_place(&item->tree, end < 0 ? set->q_last + head->q_first : sn_agent_q(set, agent));
        for (int i = 0; i < head->part_count; ++i) {
            work += end * sn_dot(force[i].linear, sn_articulation_centre(item, i));
        }
    }
    coordinates_at(set, agent, 0.5, item->step.trial);
    sn_tree_place(&item->tree, item->step.trial);
    sn_tree_velocity(&item->tree, moved, item->velocity);
    for (int i = 0; i < head->part_count; ++i) {
        work += sn_dot(force[i].angular, item->velocity[item->parts[i].link].angular);
    }
    item->placed = item->moving = false;
    return work;
}

// What forces that are held over the step have done up to here, but for a constant.
static double work_so_far(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    const sn_agent *head = &set->agents[agent];
    const double *q = sn_agent_q(set, agent), *force = set->joint_force + head->v_first;
    double work = 0.0;
    sn_articulation_place(set, agent);
    for (int i = 0; i < head->part_count; ++i) {
        work += sn_dot(sn_agent_force(set, agent)[i].linear, sn_articulation_centre(item, i));
    }
    for (int i = 0; i < item->tree.count; ++i) {
        const sn_tree_link *link = &item->tree.links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint) && link->joint != SN_TREE_BALL; ++k) {
            work += force[link->v + k] * q[link->q + k];
        }
    }
    return work;
}

// Velocities at a share of the way: between those at its ends, which tells what gravity, forces and
// inertia have done up to there. An impulse of contact acted at some time in the step or after it,
// and is not to be undone in part: velocities are then those of the end.
static void velocities_at(sn_agent_set *set, int agent, double share)
{
    const double *from = set->v_last + set->agents[agent].v_first;
    double *v = sn_agent_v(set, agent);
    for (int j = 0; j < set->agents[agent].v_count && !sn_articulation_of(set, agent)->touched;
         ++j) {
        v[j] = from[j] + share * (v[j] - from[j]);
    }
}

bool sn_articulation_is_moved(const sn_agent_set *set, int agent)
{
    const sn_agent *head = &set->agents[agent];
    return memcmp(sn_agent_q(set, agent), set->q_last + head->q_first,
                  (size_t)head->q_count * sizeof(double)) != 0;
}

// No more energy than it has at the end of its way, less what forces did since: the same velocities
// of joints may be any energy where links stand otherwise.
void sn_articulation_take_back(sn_agent_set *set, int agent, sn_vec3 gravity, double share)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    double *q = sn_agent_q(set, agent), *v = sn_agent_v(set, agent);
    sn_measure before, now;
    sn_agent_count(&set->agents[agent], SN_COUNTER_RESTORED_MECHANISMS);
    set->type->measure(set, agent, gravity, &before);
    double work = work_so_far(set, agent);
    velocities_at(set, agent, share);
    coordinates_at(set, agent, share, item->step.trial);
    const double *to = share > 0.0 ? item->step.trial : set->q_last + set->agents[agent].q_first;
    memcpy(q, to, (size_t)item->tree.q_count * sizeof *q);
    item->placed = item->moving = false;
    if (item->ties != NULL && item->ties->held_rows > 0) {
        double left;
        sn_tie_close(item->ties, &item->tree, item->last_time + item->step.h, q, v, &left);
        item->placed = item->moving = false;
    }
    set->type->measure(set, agent, gravity, &now);
    work -= work_so_far(set, agent);
    double has = now.kinetic + now.added;
    double may = fmax(
        before.kinetic + before.added + before.potential - now.potential - fmax(work, 0.0), 0.0);
    if (has > may) {
        set->type->contact->slow(set, agent, sqrt(may / has));
    }
}
