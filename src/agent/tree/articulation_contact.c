// What contact asks of articulations: see sn_agent_contact.
//
// In the step an impulse on a part is one more wrench on its link at the middle c, so that the tree
// moves as a whole by it when it advances; ties, limits, friction and drives answer in the same
// solve. `push` brings in what joints feel of all of them; `bear` then turns what it can into the
// wrenches they are, for which joints bear another load.
//
// At its end velocities alone change, by M^-1 of the state there and through all ties.
#include <math.h>
#include <string.h>

#include "agent/tree/articulation.h"
#include "agent/tree/tie_contact.h"
#include "agent/tree/tie_project.h"
#include "agent/tree/tree_joint.h"
#include "agent/tree/tree_root.h"

// The time at the end of the step, or of the state of integrators of their own; and the step that
// limits look ahead by.
static double end_of(const sn_agent_set *set, int agent)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    return sn_integrator_is_staged(set->agents[agent].integrator) ? set->agents[agent].time
                                                                  : item->last_time + item->step.h;
}

static double ahead_of(const sn_agent_set *set, int agent)
{
    bool staged = sn_integrator_is_staged(set->agents[agent].integrator);
    return staged ? 0.0 : sn_articulation_of(set, agent)->last_step;
}

// ---- at the end of the step ----

static void contact_strike(sn_agent_set *set, int agent)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    const double *q = sn_agent_q(set, agent);
    item->ended = true;
    item->midway = item->moving = false;
    if (item->ties != NULL) {
        item->loose = sn_tie_contact_strike(item->ties, &item->tree, q);
    } else {
        sn_tree_place(&item->tree, q);
        item->loose = sn_tree_factorise(&item->tree, NULL);
    }
    item->placed = true;
    item->turns_known = false;
}

// The impulses that joints pass on to their links where v changes by dv and ties do `wrench`:
// momentum gained less that, of all that hangs on a joint.
static void note_struck(sn_articulation *item, const sn_spatial *wrench, const double *dv)
{
    const sn_tree *tree = &item->tree;
    sn_tree_velocity(tree, dv, item->velocity);
    item->moving = false;
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        sn_vec3 w = item->velocity[i].angular;
        sn_vec3 p =
            sn_vec3_scale(body->mass, sn_velocity_at(item->velocity[i].linear, w, body->reach));
        sn_vec3 spin = sn_vec3_add(sn_sym3_apply(&body->inertia, w), sn_cross(body->reach, p));
        sn_spatial rest = sn_spatial_sub(sn_spatial_make(spin, p), wrench[i]);
        item->velocity[i] = rest; // done with
        item->struck[i] = sn_spatial_add(item->struck[i], rest);
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        if (body->parent >= 0) {
            sn_spatial up = SN_SPATIAL_ZERO;
            sn_tree_add_wrench(body, &item->velocity[i], &up);
            item->velocity[body->parent] = sn_spatial_add(item->velocity[body->parent], up);
            item->struck[body->parent] = sn_spatial_add(item->struck[body->parent], up);
        }
    }
}

static void push_struck(sn_agent_set *set, int agent, const double *impulse)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    sn_tree *tree = &item->tree;
    double *v = sn_agent_v(set, agent), *dv = item->force;
    for (int j = 0; j < tree->v_count; ++j) {
        dv[j] = -v[j];
    }
    double *answer = item->force + tree->v_count;
    sn_tree_solve(tree, impulse, answer);
    for (int j = 0; j < tree->v_count; ++j) {
        v[j] += answer[j];
    }
    memset(item->wrench, 0, (size_t)tree->count * sizeof *item->wrench);
    if (item->ties != NULL &&
        !sn_tie_struck_settle(item->ties, tree, end_of(set, agent), ahead_of(set, agent),
                              sn_agent_q(set, agent), item->wrench, v)) {
        set->agents[agent].failed = SN_FAILURE_MEMORY;
    }
    for (int j = 0; j < tree->v_count; ++j) {
        dv[j] += v[j];
    }
    note_struck(item, item->wrench, dv);
}

// ---- what there is without contact ----

static void contact_velocity(sn_agent_set *set, int agent, double *v)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    sn_tree *tree = &item->tree;
    if (sn_integrator_is_staged(set->agents[agent].integrator) && !item->ended) {
        contact_strike(set, agent);
    }
    if (item->ended || !item->loose) {
        memcpy(v, sn_agent_v(set, agent), (size_t)tree->v_count * sizeof *v);
        return;
    }
    if (item->ties != NULL) {
        item->loose = sn_tie_step_open(item->ties, &item->step, tree, item->last_time, v);
        if (!item->loose) { // out of memory: the advance will tell
            memcpy(v, sn_agent_v(set, agent), (size_t)tree->v_count * sizeof *v);
        }
        return;
    }
    sn_tree_step_guess(&item->step, tree);
    // A turn of one freedom is linear where it is small. A drive may whirl a light link round that
    // a bond holds to a heavy rod: how a large turn differs from a linear one would then be put on
    // the small one that is left of it.
    if (item->bonded || !sn_tree_step_search(&item->step, tree)) { // or the step will go in parts
        sn_tree_step_free_velocity(&item->step, tree, v);
        return;
    }
    sn_tree_step_moved(&item->step, tree, v);
    for (int j = 0; j < tree->v_count; ++j) {
        v[j] /= item->step.h;
    }
}

static int contact_rows(sn_agent_set *set, int agent, sn_agent_row *rows, int capacity)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    if (item->ties == NULL || !item->loose) {
        return 0;
    }
    int count = item->ended ? sn_tie_struck_rows(item->ties, &item->tree, end_of(set, agent),
                                                 ahead_of(set, agent), sn_agent_q(set, agent), rows,
                                                 capacity)
                            : sn_tie_contact_rows(item->ties, &item->step, &item->tree,
                                                  item->last_time, rows, capacity);
    item->loose = count >= 0;
    return count >= 0 ? count : 0;
}

// ---- impulses ----

// A wrench on a part about its centre of mass as one on its link, about the link's origin.
static sn_spatial on_link(const sn_articulation *item, int part, const sn_spatial *f)
{
    const sn_tree_pose *pose = &item->tree.pose[item->parts[part].link];
    sn_vec3 arm = sn_vec3_sub(sn_articulation_centre(item, part), pose->origin);
    return sn_spatial_make(sn_vec3_add(f->angular, sn_cross(arm, f->linear)), f->linear);
}

// What the joints from a link inwards feel of a wrench on it, added times `scale`.
static void feel(const sn_tree *tree, int link, sn_spatial wrench, double scale, double *row)
{
    while (link >= 0) {
        const sn_tree_body *body = &tree->body[link];
        double own[3];
        sn_tree_joint_write(body, &tree->pose[link].rotation, sn_tree_joint_felt(body, &wrench),
                            own);
        for (int k = 0; k < sn_tree_joint_v(body->joint); ++k) {
            row[body->v + k] += scale * own[k];
        }
        sn_spatial up = SN_SPATIAL_ZERO;
        sn_tree_add_wrench(body, &wrench, &up);
        wrench = up;
        link = body->parent;
    }
}

static void contact_project(const sn_agent_set *set, int agent, int part, const sn_spatial *f,
                            double *row)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    memset(row, 0, (size_t)item->tree.v_count * sizeof *row);
    feel(&item->tree, item->parts[part].link, on_link(item, part, f), 1.0, row);
}

// Of an impulse that ties hold up, projecting leaves rounding, which is not to be taken for a way
// out: what keeps less than this share of its energy is held.
static const double held_share = 1e-10;

static void contact_inverse(const sn_agent_set *set, int agent, double *x)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    int count = item->tree.v_count;
    double *row = item->force + count, free = 0.0, left = 0.0;
    if (!item->loose) {
        memset(x, 0, (size_t)count * sizeof *x);
        return;
    }
    if (item->ties == NULL || item->ties->held_rows == 0) {
        sn_tree_solve(&item->tree, x, x);
        return;
    }
    memcpy(row, x, (size_t)count * sizeof *x);
    sn_tree_solve(&item->tree, x, x);
    for (int j = 0; j < count; ++j) {
        free += row[j] * x[j];
    }
    sn_tie_contact_project(item->ties, &item->tree, x);
    for (int j = 0; j < count; ++j) {
        left += row[j] * x[j];
    }
    if (!(left > held_share * free)) {
        memset(x, 0, (size_t)count * sizeof *x);
    }
}

// Ties that hold are not in the tree's factor.
static bool contact_normalise(sn_agent_set *set, int agent, const double *v, double *z)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    if (!item->loose || (item->ties != NULL && item->ties->held_rows > 0)) {
        return false;
    }
    sn_tree_root_begin(&item->tree);
    sn_tree_normalise(&item->tree, v, z);
    return true;
}

static void contact_half_inverse(const sn_agent_set *set, int agent, double *x)
{
    sn_tree_half_solve(&sn_articulation_of(set, agent)->tree, x, x);
}

static void contact_half_project(const sn_agent_set *set, int agent, int part, const sn_spatial *f,
                                 int count, double *rows, double *x)
{
    const sn_articulation *item = sn_articulation_of(set, agent);
    sn_spatial wrench[SN_TREE_ROWS] = {SN_SPATIAL_ZERO};
    for (int a = 0; a < count && a < SN_TREE_ROWS; ++a) {
        wrench[a] = on_link(item, part, &f[a]);
    }
    sn_tree_half_rows(&item->tree, item->parts[part].link, wrench, count, rows, x);
}

static void contact_denormalise(const sn_agent_set *set, int agent, double *z)
{
    sn_tree_denormalise(&sn_articulation_of(set, agent)->tree, z, z);
}

static void contact_push(sn_agent_set *set, int agent, const double *impulse)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    if (!item->loose) {
        return;
    }
    item->touched = true;
    item->summed = false;
    if (item->ended) {
        push_struck(set, agent, impulse);
        return;
    }
    sn_tree_step_add_impulse(&item->step, &item->tree, impulse);
    for (int j = 0; j < item->tree.v_count; ++j) {
        item->pushed[j] += impulse[j];
    }
}

static void contact_bear(sn_agent_set *set, int agent, int part, const sn_spatial *f)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    sn_tree_step *step = &item->step;
    int link = item->parts[part].link;
    sn_spatial wrench = on_link(item, part, f);
    if (!item->loose) {
        return;
    }
    if (item->ended) {
        while (link >= 0) {
            const sn_tree_body *body = &item->tree.body[link];
            sn_spatial up = SN_SPATIAL_ZERO;
            item->struck[link] = sn_spatial_sub(item->struck[link], wrench);
            sn_tree_add_wrench(body, &wrench, &up);
            wrench = up;
            link = body->parent;
        }
        return;
    }
    step->due[link] = sn_spatial_add_scaled(step->due[link], step->h, wrench);
    item->borne[link] = sn_spatial_add(item->borne[link], wrench);
    feel(&item->tree, link, wrench, -step->h, step->impulse);
    feel(&item->tree, link, wrench, -1.0, item->pushed);
}

// ---- moving without velocity ----

// Hard limits are not gone beyond.
static void keep_limits(const sn_articulation *item, const double *before, double *q)
{
    for (int i = 0; i < item->tree.count; ++i) {
        const sn_tree_link *link = &item->tree.links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint) && link->joint != SN_TREE_BALL; ++k) {
            const sn_limit_def *limit = &item->freedoms[link->v + k].limit;
            double *at = q + link->q + k, from = before[link->q + k];
            if (limit->stiffness == 0.0 && *at > limit->upper && *at > from) {
                *at = from > limit->upper ? from : limit->upper;
            } else if (limit->stiffness == 0.0 && *at < limit->lower && *at < from) {
                *at = from < limit->lower ? from : limit->lower;
            }
        }
    }
}

static void forget(sn_articulation *item)
{
    item->placed = false;
    item->moving = false;
}

// How long it may go along v for its links to turn no further than they should.
static double displaced_time(sn_articulation *item, const double *v, double h)
{
    double fastest = 0.0;
    sn_tree_velocity(&item->tree, v, item->velocity);
    item->moving = false;
    for (int i = 0; i < item->tree.count; ++i) {
        fastest = fmax(fastest, sn_length(item->velocity[i].angular));
    }
    return h * fastest > SN_DISPLACE_TURN ? SN_DISPLACE_TURN / fastest : h;
}

static void contact_slow(sn_agent_set *set, int agent, double share)
{
    double *v = sn_agent_v(set, agent);
    for (int j = 0; j < set->agents[agent].v_count; ++j) {
        v[j] *= share;
    }
    sn_articulation_of(set, agent)->moving = false;
}

// The same velocities of joints may be any energy where links stand otherwise.
static void contact_displace(sn_agent_set *set, int agent, const double *v, double h)
{
    sn_articulation *item = sn_articulation_of(set, agent);
    double *q = sn_agent_q(set, agent), before = sn_agent_kinetic(set, agent);
    h = displaced_time(item, v, h);
    sn_tree_move(&item->tree, q, v, h, item->step.trial);
    keep_limits(item, q, item->step.trial);
    memcpy(q, item->step.trial, (size_t)item->tree.q_count * sizeof *q);
    forget(item);
    if (item->ties != NULL && item->ties->held_rows > 0) {
        double left;
        sn_tie_close(item->ties, &item->tree, end_of(set, agent), q, sn_agent_v(set, agent), &left);
        forget(item);
    }
    double now = sn_agent_kinetic(set, agent);
    if (now > before && !item->prescribed) {
        contact_slow(set, agent, sqrt(before / now));
    }
}

const sn_agent_contact sn_articulation_contact = {
    .velocity = contact_velocity,
    .project = contact_project,
    .inverse = contact_inverse,
    .normalise = contact_normalise,
    .half_inverse = contact_half_inverse,
    .half_project = contact_half_project,
    .denormalise = contact_denormalise,
    .rows = contact_rows,
    .push = contact_push,
    .bear = contact_bear,
    .strike = contact_strike,
    .displace = contact_displace,
    .slow = contact_slow,
};
