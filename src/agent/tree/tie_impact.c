// Impacts: velocities that change at once, by impulses through M and all ties.
//
// Newton's law of restitution, for several limits at once as Moreau has it (Unilateral Contact and
// Dry Friction in Finite Freedom Dynamics, 1988): with impulses x that only push, the velocity away
// from each limit after the impact is at least -restitution times that before, and exactly that
// where x is not zero. What stands on a limit beforehand may leave it.
#include <math.h>
#include <string.h>

#include "agent/tree/tie_mode_part.h"
#include "agent/tree/tie_project.h"

static const double next_to_nothing = 1e-10; // m/s, rad/s

// Which limit a freedom has reached, whatever its velocity.
static uint8_t touches(const sn_limit_def *limit, sn_tie_reach reach)
{
    reach.rate = 0.0;
    return limit->stiffness > 0.0 ? SN_MODE_FREE : sn_tie_rests_on(limit, &reach);
}

static bool is_limited(const sn_tie_work *work, const sn_tree_link *link, int k)
{
    return link->joint == SN_TREE_BALL ? k == 0 : !sn_tie_is_moved(&work->freedoms[link->v + k]);
}

static bool is_stiff_drive(const sn_drive_def *drive)
{
    return drive->type == SN_DRIVE_VELOCITY && drive->force_limit == INFINITY;
}

// ---- exact values ----

// What holds a freedom lets go at the end of what it can give that is nearer: a force upwards lets
// it go back.
static uint8_t lets_go(const sn_tie_work *work, const sn_tree_link *link, int k)
{
    sn_tie_hold hold = sn_tie_mode_hold(work, link, k);
    double force = work->modes.force[link->v + k];
    return force - hold.lower < hold.upper - force ? 1 : 2;
}

static void take_switch(sn_tie_work *work, const sn_tree *tree, const sn_tie_switch *at,
                        double time, double *q, double *v)
{
    sn_tie_modes *modes = &work->modes;
    const sn_tree_link *link = &tree->links[at->link];
    int j = link->v + at->own;
    const sn_freedom_def *freedom = &work->freedoms[j];
    bool ball = link->joint == SN_TREE_BALL;
    if (at->kind == SN_SWITCH_FRICTION) {
        if (modes->friction[j] == SN_MODE_STICKS) {
            modes->hint[j] = lets_go(work, link, at->own);
        } else {
            memset(v + j, 0, (ball ? 3 : 1) * sizeof *v);
        }
    } else if (at->kind == SN_SWITCH_DRIVE) {
        if (freedom->drive.type == SN_DRIVE_VELOCITY && modes->drive[j] == SN_MODE_HOLDS) {
            modes->hint[j] = lets_go(work, link, at->own);
        } else if (freedom->drive.type == SN_DRIVE_VELOCITY) {
            v[j] = sn_tie_target(&freedom->drive, time).value;
        }
    } else if (freedom->limit.stiffness == 0.0) {
        bool upper = at->kind == SN_SWITCH_UPPER;
        if (modes->limit[j] == (upper ? SN_MODE_UPPER : SN_MODE_LOWER)) {
            modes->hint[j] = ball ? 2 : lets_go(work, link, at->own);
        } else if (ball) {
            sn_tie_set_angle(q + link->q, freedom->limit.upper);
        } else {
            q[link->q + at->own] = upper ? freedom->limit.upper : freedom->limit.lower;
        }
    }
}

// ---- impulses ----

static void add_row(sn_tie_work *work, const sn_tree *tree, int tag, int link, int k, sn_vec3 local,
                    sn_tie_law *law)
{
    sn_tie_work_own(work, tree, tag, link, k, local);
    int count = work->rows.rows.count;
    if (work->rows.failed || !sn_array_reserve(&work->bounds, count)) {
        work->rows.failed = true;
        return;
    }
    sn_tie_law_finish(law);
    work->bounds.data[count - 1] = (sn_tie_bound){.law = *law};
}

static void add_limit(const sn_tie_work *work, const sn_freedom_def *freedom, int j,
                      const sn_tie_reach *reach, sn_tie_law *law)
{
    uint8_t on = touches(&freedom->limit, *reach);
    if (on == SN_MODE_FREE) {
        return;
    }
    bool upper = on == SN_MODE_UPPER;
    bool locked = freedom->limit.lower == freedom->limit.upper && !reach->ball;
    double into = upper ? reach->rate : -reach->rate, target = 0.0;
    if (into > 0.0 && !work->modes.still[j] && !locked) {
        target = -freedom->limit.restitution * reach->rate;
        target = fabs(target) < next_to_nothing ? 0.0 : target;
    }
    sn_tie_law_add(law, (sn_tie_piece){SN_PIECE_LIMIT, target, INFINITY,
                                       upper || locked ? -INFINITY : 0.0,
                                       upper && !locked ? 0.0 : INFINITY});
}

static void add_impact(void *user, sn_tie_work *work, sn_tree *tree, int link)
{
    const sn_tie_state *state = user;
    const sn_tree_link *at = &tree->links[link];
    bool ball = at->joint == SN_TREE_BALL;
    const sn_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < sn_tree_joint_v(at->joint); ++k) {
        const sn_freedom_def *freedom = &work->freedoms[at->v + k];
        sn_tie_law law = {0}, angle = {0};
        if (is_stiff_drive(&freedom->drive)) {
            sn_tie_law_add(&law, (sn_tie_piece){SN_PIECE_DRIVE,
                                                sn_tie_target(&freedom->drive, state->time).value,
                                                INFINITY, -INFINITY, INFINITY});
        }
        sn_tie_reach reach = sn_tie_reach_of(tree, link, k, state->q, state->v);
        if (is_limited(work, at, k)) {
            add_limit(work, freedom, at->v + k, &reach, ball ? &angle : &law);
        }
        if (law.piece_count > 0) {
            add_row(work, tree, SN_ROW_FREEDOM, link, k, axes[k], &law);
        }
        if (angle.piece_count > 0) {
            add_row(work, tree, SN_ROW_LIMIT, link, k, reach.along, &angle);
        }
    }
}

// J v less what ties and motions want, into work->rest.
static void find_excess(sn_tie_work *work, const sn_tree *tree, double time, const double *v)
{
    sn_tree_velocity(tree, v, work->velocity);
    sn_tie_rows_rate(&work->rows, tree, work->velocity, v, work->rest);
    sn_tie_work_rates(work, tree, time, work->y);
    for (int r = 0; r < work->rows.rows.count; ++r) {
        work->rest[r] -= work->rows.rows.data[r].tag <= SN_ROW_MOTION ? work->y[r] : 0.0;
    }
}

// What rows hold has exactly the velocity they want.
static void set_velocities(sn_tie_work *work, const sn_tree *tree, double *v)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        if (row->tag <= SN_ROW_MOTION || sn_tie_box_is_fixed(work, r)) {
            continue;
        }
        const sn_tie_law *law = &work->bounds.data[r].law;
        int j = tree->links[row->source].v + row->part;
        double velocity = law->node[work->states.data[r] / 2];
        for (int i = 0; i < law->piece_count; ++i) {
            bool thrown = law->pieces[i].kind == SN_PIECE_LIMIT && law->pieces[i].at == velocity;
            work->modes.struck[j] = work->modes.struck[j] || (thrown && velocity != 0.0);
        }
        if (row->tag == SN_ROW_FREEDOM) {
            v[j] = velocity;
        }
    }
}

void sn_tie_throw(sn_tie_work *work, sn_tree *tree, double time, sn_spatial *wrench, double *v)
{
    find_excess(work, tree, time, v);
    for (int r = 0; r < work->rows.rows.count; ++r) {
        if (work->rows.rows.data[r].tag > SN_ROW_MOTION) {
            work->states.data[r] = (uint8_t)sn_tie_law_step_at(
                &work->bounds.data[r].law, work->rest[r] / work->rows.rows.data[r].scale);
        }
    }
    sn_tie_box_solve(work, work->rest, work->x, work->y, work->z, SN_GRIP_FIRM);
    sn_tie_answer(work, tree, work->x, v);
    if (wrench != NULL) {
        sn_tie_rows_push(&work->rows, tree, work->x, wrench, work->force);
    }
    for (int turn = 0; turn < 2; ++turn) { // what the first left of rows that hold
        find_excess(work, tree, time, v);
        for (int r = 0; r < work->rows.rows.count; ++r) {
            double wanted = work->bounds.data[r].law.node[work->states.data[r] / 2];
            work->rest[r] = sn_tie_box_is_fixed(work, r)
                                ? 0.0
                                : work->rows.rows.data[r].scale * wanted - work->rest[r];
        }
        sn_tie_rows_solve(&work->rows, work->rest, work->x);
        sn_tie_answer(work, tree, work->x, v);
        set_velocities(work, tree, v);
    }
}

static bool push_off(sn_tie_work *work, sn_tree *tree, double time, const double *q, double *v)
{
    sn_tie_state state = {time, q, work->modes.v_before};
    int nv = tree->v_count;
    memcpy(work->modes.v_before, v, (size_t)nv * sizeof *v);
    memset(work->modes.struck, 0, (size_t)nv);
    for (int i = 0; i < work->tie_count; ++i) {
        work->guides[i] = (sn_tie_guide){NAN, -1};
    }
    sn_tree_place(tree, q);
    if (!sn_tree_factorise(tree, NULL) || !sn_tie_work_rows(work, tree, q, add_impact, &state)) {
        return false;
    }
    sn_tie_throw(work, tree, time, NULL, v);
    return true;
}

// ---- what comes into play ----

// Does anything run into a limit, or have to jump to its drive's velocity? What is beyond its limit
// is put back onto it.
static bool has_impact(const sn_tie_work *work, const sn_tree *tree, double time, double *q,
                       double *v, bool *moved)
{
    bool any = false;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            const sn_freedom_def *freedom = &work->freedoms[link->v + k];
            const sn_drive_def *drive = &freedom->drive;
            if (drive->type == SN_DRIVE_VELOCITY &&
                sn_tie_is_at_speed(drive, time, v[link->v + k])) {
                v[link->v + k] = sn_tie_target(drive, time).value;
            } else {
                any = any || is_stiff_drive(drive);
            }
            if (!is_limited(work, link, k)) {
                continue;
            }
            sn_tie_reach reach = sn_tie_reach_of(tree, i, k, q, v);
            uint8_t on = touches(&freedom->limit, reach);
            if (on == SN_MODE_FREE) {
                continue;
            }
            double edge = on == SN_MODE_UPPER ? freedom->limit.upper : freedom->limit.lower;
            any = any || (on == SN_MODE_UPPER ? reach.rate > 0.0 : reach.rate < 0.0);
            *moved = *moved || fabs(reach.at - edge) > 1e-12 * (1.0 + fabs(edge));
            if (reach.ball && reach.at != edge) {
                sn_tie_set_angle(q + link->q, edge);
            } else if (!reach.ball) {
                q[link->q + k] = edge;
            }
        }
    }
    return any;
}

// Closes ties that the exact values may have opened by roundings, with what touches a limit held
// there.
static void close_touching(sn_tie_work *work, sn_tree *tree, double time, double *q, double *v)
{
    size_t nv = (size_t)tree->v_count;
    double left;
    memcpy(work->modes.v_before, v, nv * sizeof *v);
    memset(work->modes.friction, SN_MODE_FORWARD, nv);
    memset(work->modes.drive, SN_MODE_MOST, nv);
    memset(work->modes.limit, SN_MODE_FREE, nv);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            if (is_limited(work, link, k)) {
                work->modes.limit[link->v + k] = touches(&work->freedoms[link->v + k].limit,
                                                         sn_tie_reach_of(tree, i, k, q, NULL));
            }
        }
    }
    work->modes.held = true;
    sn_tie_close(work, tree, time, q, v, &left);
    sn_tie_mode_snap(work, tree, time, q, v);
    work->modes.held = false;
    memcpy(v, work->modes.v_before, nv * sizeof *v);
}

bool sn_tie_strike(sn_tie_work *work, sn_tree *tree, double time, const int *found, bool jump,
                   double *q, double *v)
{
    bool moved = false;
    size_t nv = (size_t)tree->v_count;
    memset(work->modes.hint, 0, nv);
    memset(work->modes.still, 0, nv);
    memset(work->modes.struck, 0, nv);
    for (int i = 0; i < work->modes.switch_count && found != NULL; ++i) {
        if (found[i] != 0) {
            take_switch(work, tree, &work->modes.switches[i], time, q, v);
        }
    }
    bool strikes = has_impact(work, tree, time, q, v, &moved);
    if ((moved || strikes) && work->held_rows > 0) {
        close_touching(work, tree, time, q, v);
    }
    return (!strikes && !(jump && work->held_rows > 0)) || push_off(work, tree, time, q, v);
}

bool sn_tie_calm(sn_tie_work *work, sn_tree *tree, double time, const double *a, double *q,
                 double *v)
{
    bool any = false;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            int j = link->v + k;
            if (!work->modes.struck[j]) {
                continue;
            }
            sn_tie_reach reach = sn_tie_reach_of(tree, i, k, q, v);
            double back = reach.ball ? sn_dot(reach.along, sn_vec3_at(a + j)) : a[j];
            double size = work->modes.height * (1.0 + fabs(reach.at)), speed = reach.rate;
            bool falls = back * speed < 0.0 && speed * speed < 2.0 * fabs(back) * size;
            work->modes.still[j] = falls || work->modes.still[j];
            any = any || falls;
        }
    }
    if (any) {
        memcpy(v, work->modes.v_before, (size_t)tree->v_count * sizeof *v);
        any = push_off(work, tree, time, q, v);
    }
    return any;
}
