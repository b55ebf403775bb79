#include "agent/tree/tie_mode.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tie_mode_part.h"
#include "agent/tree/tie_rate.h"
#include "base/memory.h"

// ---- making ----

bool sn_tie_modes_allocate(sn_tie_modes *modes, const sn_tree *tree)
{
    size_t nv = (size_t)tree->v_count, nq = (size_t)tree->q_count;
    *modes = (sn_tie_modes){0};
    modes->limit = sn_allocate_zero(6 * nv);
    modes->row = sn_allocate_zero(3 * nv * sizeof *modes->row);
    modes->force = sn_allocate_zero((2 * nv + nq) * sizeof *modes->force);
    modes->switches = sn_allocate_zero(4 * nv * sizeof *modes->switches);
    if (modes->limit == NULL || modes->row == NULL || modes->force == NULL ||
        modes->switches == NULL) {
        sn_tie_modes_free(modes);
        return false;
    }
    modes->friction = modes->limit + nv;
    modes->drive = modes->friction + nv;
    modes->struck = modes->drive + nv;
    modes->still = modes->struck + nv;
    modes->hint = modes->still + nv;
    modes->v_before = modes->force + nv;
    modes->q_held = modes->v_before + nv;
    return true;
}

void sn_tie_modes_free(sn_tie_modes *modes)
{
    sn_free(modes->limit);
    sn_free(modes->row);
    sn_free(modes->force);
    sn_free(modes->switches);
    *modes = (sn_tie_modes){0};
}

static void add_switch(sn_tie_modes *modes, bool there, int kind, int link, int own)
{
    if (there) {
        modes->switches[modes->switch_count++] = (sn_tie_switch){kind, link, own};
    }
}

void sn_tie_modes_arrange(sn_tie_work *work, const sn_tree *tree)
{
    work->modes.switch_count = 0;
    work->modes.jumps = false;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        bool ball = link->joint == SN_TREE_BALL;
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            const sn_freedom_def *own = &work->freedoms[link->v + k];
            const sn_drive_def *drive = &own->drive;
            bool moved = sn_tie_is_moved(own), first = !ball || k == 0;
            bool limited = ball ? k == 0 : !moved;
            work->modes.jumps =
                work->modes.jumps || drive->type == SN_DRIVE_VELOCITY || drive->motion != NULL;
            add_switch(&work->modes, limited && !ball && own->limit.lower > -INFINITY,
                       SN_SWITCH_LOWER, i, k);
            add_switch(&work->modes, limited && own->limit.upper < INFINITY, SN_SWITCH_UPPER, i, k);
            add_switch(&work->modes, sn_tie_rubs(work, link, k) && first, SN_SWITCH_FRICTION, i, k);
            add_switch(&work->modes,
                       drive->force_limit < INFINITY &&
                           (drive->type == SN_DRIVE_VELOCITY || drive->type == SN_DRIVE_POSITION),
                       SN_SWITCH_DRIVE, i, k);
        }
    }
    work->modes.jumps = work->modes.jumps || work->modes.switch_count > 0;
}

// ---- rows ----

static void add_row(sn_tie_work *work, const sn_tree *tree, int tag, int link, int k, sn_vec3 local,
                    sn_tie_bound bound)
{
    sn_tie_work_own(work, tree, tag, link, k, local);
    int count = work->rows.rows.count;
    if (work->rows.failed || !sn_array_reserve(&work->bounds, count)) {
        work->rows.failed = true;
        return;
    }
    work->bounds.data[count - 1] = bound;
    work->modes.row[3 * (tree->links[link].v + k) + tag - SN_ROW_FREEDOM] = count - 1;
}

static const sn_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static bool rests(const sn_tie_work *work, const sn_tree_link *link, int k)
{
    const sn_freedom_def *freedom = &work->freedoms[link->v + k];
    return (link->joint == SN_TREE_BALL ? k == 0 : !sn_tie_is_moved(freedom)) &&
           freedom->limit.stiffness == 0.0 && work->modes.limit[link->v + k] != SN_MODE_FREE;
}

static bool sticks(const sn_tie_work *work, const sn_tree_link *link, int k)
{
    int j = link->joint == SN_TREE_BALL ? link->v : link->v + k;
    return sn_tie_rubs(work, link, k) && work->modes.friction[j] == SN_MODE_STICKS;
}

sn_tie_hold sn_tie_mode_hold(const sn_tie_work *work, const sn_tree_link *link, int k)
{
    const sn_freedom_def *freedom = &work->freedoms[link->v + k];
    bool ball = link->joint == SN_TREE_BALL;
    sn_tie_hold hold = {.sticks = !ball && sticks(work, link, k),
                        .drives = freedom->drive.type == SN_DRIVE_VELOCITY &&
                                  work->modes.drive[link->v + k] == SN_MODE_HOLDS,
                        .rests = !ball && rests(work, link, k)};
    hold.upper =
        (hold.sticks ? freedom->friction : 0.0) + (hold.drives ? freedom->drive.force_limit : 0.0);
    hold.lower = -hold.upper;
    if (hold.rests) {
        bool locked = freedom->limit.lower == freedom->limit.upper;
        bool upper = work->modes.limit[link->v + k] == SN_MODE_UPPER;
        hold.lower = upper || locked ? -INFINITY : hold.lower;
        hold.upper = !upper || locked ? INFINITY : hold.upper;
    }
    return hold;
}

void sn_tie_mode_rows(void *user, sn_tie_work *work, sn_tree *tree, int link)
{
    const sn_tie_state *state = user;
    const sn_tree_link *at = &tree->links[link];
    bool ball = at->joint == SN_TREE_BALL;
    for (int k = 0; k < sn_tree_joint_v(at->joint); ++k) {
        sn_tie_hold hold = sn_tie_mode_hold(work, at, k);
        sn_tie_bound bound = {.law = sn_tie_law_hold()};
        if (hold.sticks || hold.drives || hold.rests) {
            add_row(work, tree, SN_ROW_FREEDOM, link, k, axes[k], bound);
        }
        if (ball && sticks(work, at, k)) {
            add_row(work, tree, SN_ROW_CONE, link, k, axes[k], bound);
        }
        if (ball && rests(work, at, k)) {
            sn_vec3 along = sn_tie_reach_of(tree, link, k, state->q, NULL).along;
            add_row(work, tree, SN_ROW_LIMIT, link, k, along, bound);
        }
    }
}

static void add_limit(const sn_limit_def *limit, const sn_tie_reach *reach, sn_tie_law *law)
{
    uint8_t on = limit->stiffness > 0.0 ? SN_MODE_FREE : sn_tie_rests_on(limit, reach);
    bool locked = limit->lower == limit->upper && !reach->ball;
    if (on != SN_MODE_FREE) {
        sn_tie_law_add(law, (sn_tie_piece){SN_PIECE_LIMIT, 0.0, INFINITY,
                                           on == SN_MODE_UPPER || locked ? -INFINITY : 0.0,
                                           on == SN_MODE_LOWER || locked ? INFINITY : 0.0});
    }
}

static void add_laws(sn_tie_work *work, const sn_tree *tree, int link, int k,
                     const sn_tie_state *state, sn_tie_law *law)
{
    const sn_tree_link *at = &tree->links[link];
    const sn_freedom_def *freedom = &work->freedoms[at->v + k];
    const sn_drive_def *drive = &freedom->drive;
    bool ball = at->joint == SN_TREE_BALL;
    if (!ball && sn_tie_rubs(work, at, k) && sn_tie_stands(at, k, state->v)) {
        sn_tie_law_add(law, (sn_tie_piece){SN_PIECE_FRICTION, 0.0, INFINITY, -freedom->friction,
                                           freedom->friction});
    }
    if (drive->type == SN_DRIVE_VELOCITY &&
        (drive->force_limit == INFINITY ||
         sn_tie_is_at_speed(drive, state->time, state->v[at->v + k]))) {
        sn_tie_law_add(law, (sn_tie_piece){SN_PIECE_DRIVE, sn_tie_target(drive, state->time).rate,
                                           INFINITY, -drive->force_limit, drive->force_limit});
    }
    if (!ball && !sn_tie_is_moved(freedom)) {
        sn_tie_reach reach = sn_tie_reach_of(tree, link, k, state->q, state->v);
        add_limit(&freedom->limit, &reach, law);
    }
}

void sn_tie_mode_candidates(void *user, sn_tie_work *work, sn_tree *tree, int link)
{
    const sn_tie_state *state = user;
    const sn_tree_link *at = &tree->links[link];
    bool ball = at->joint == SN_TREE_BALL;
    for (int k = 0; k < sn_tree_joint_v(at->joint); ++k) {
        sn_tie_bound bound = {0};
        add_laws(work, tree, link, k, state, &bound.law);
        if (bound.law.piece_count > 0) {
            sn_tie_law_finish(&bound.law);
            add_row(work, tree, SN_ROW_FREEDOM, link, k, axes[k], bound);
        }
    }
    for (int k = 0; k < 3 && ball; ++k) { // the three rows of a cone follow each other
        if (sn_tie_rubs(work, at, k) && sn_tie_stands(at, k, state->v)) {
            // What has just been found to slip must not stick for a rounding.
            double most = work->freedoms[at->v].friction;
            double cone = work->modes.hint[at->v] != 0 ? most * (1.0 - 1e-9) : most;
            add_row(work, tree, SN_ROW_CONE, link, k, axes[k],
                    (sn_tie_bound){.law = sn_tie_law_hold(), .cone = k == 0 ? cone : -1.0});
        }
    }
    if (ball) {
        sn_tie_bound bound = {0};
        sn_tie_reach reach = sn_tie_reach_of(tree, link, 0, state->q, state->v);
        add_limit(&work->freedoms[at->v].limit, &reach, &bound.law);
        if (bound.law.piece_count > 0) {
            sn_tie_law_finish(&bound.law);
            add_row(work, tree, SN_ROW_LIMIT, link, 0, reach.along, bound);
        }
    }
}

// ---- forces ----

// What friction gives where it is not a row.
static void slip(const sn_tie_work *work, const sn_tree_link *link, const double *v, double *force)
{
    const sn_tie_modes *modes = &work->modes;
    if (link->joint == SN_TREE_BALL) {
        sn_vec3 w = sn_vec3_at(v + link->v);
        double speed = sn_length(w), most = work->freedoms[link->v].friction;
        bool slips = modes->held ? modes->friction[link->v] != SN_MODE_STICKS : speed > 0.0;
        if (slips && sn_tie_rubs(work, link, 0)) {
            // As it begins to slip it does so along its acceleration.
            sn_vec3 push =
                speed > 0.0 ? sn_vec3_scale(-most / speed, w) : sn_vec3_at(modes->force + link->v);
            sn_vec3_put(force + link->v, sn_vec3_add(sn_vec3_at(force + link->v), push));
        }
        return;
    }
    for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
        int j = link->v + k;
        double way = (v[j] > 0.0) - (v[j] < 0.0);
        if (modes->held) {
            way = (modes->friction[j] == SN_MODE_FORWARD) - (modes->friction[j] == SN_MODE_BACK);
        }
        if (sn_tie_rubs(work, link, k)) {
            force[j] -= way * work->freedoms[j].friction;
        }
    }
}

void sn_tie_mode_forces(const sn_tie_work *work, const sn_tree *tree, const sn_tie_state *state,
                        double *drive, double *friction)
{
    const sn_tie_modes *modes = &work->modes;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        slip(work, link, state->v, friction);
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            int j = link->v + k;
            const sn_drive_def *own = &work->freedoms[j].drive;
            if (own->type != SN_DRIVE_VELOCITY || own->force_limit == INFINITY) {
                continue;
            }
            double lack = sn_tie_target(own, state->time).value - state->v[j], way = 0.0;
            if (modes->held) {
                way = (modes->drive[j] == SN_MODE_MOST) - (modes->drive[j] == SN_MODE_LEAST);
            } else if (!sn_tie_is_at_speed(own, state->time, state->v[j])) {
                way = (lack > 0.0) - (lack < 0.0);
            }
            drive[j] += way * own->force_limit;
        }
    }
}

// ---- exact values ----

static void snap_limit(const sn_tie_work *work, const sn_tree_link *link, int k, double *q,
                       double *v)
{
    const sn_limit_def *limit = &work->freedoms[link->v + k].limit;
    uint8_t mode = work->modes.limit[link->v + k];
    if (limit->stiffness > 0.0 || mode == SN_MODE_FREE) {
        return;
    }
    if (link->joint == SN_TREE_BALL) {
        sn_vec3 along = sn_tie_set_angle(q + link->q, limit->upper), w = sn_vec3_at(v + link->v);
        sn_vec3_put(v + link->v, sn_vec3_add_scaled(w, -sn_dot(along, w), along));
        return;
    }
    q[link->q + k] = mode == SN_MODE_UPPER ? limit->upper : limit->lower;
    v[link->v + k] = 0.0;
}

void sn_tie_mode_snap(const sn_tie_work *work, const sn_tree *tree, double time, double *q,
                      double *v)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        bool ball = link->joint == SN_TREE_BALL;
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            int j = link->v + k;
            const sn_drive_def *drive = &work->freedoms[j].drive;
            if (drive->type == SN_DRIVE_VELOCITY && work->modes.drive[j] == SN_MODE_HOLDS) {
                v[j] = sn_tie_target(drive, time).value;
            }
            if (sn_tie_rubs(work, link, k) &&
                work->modes.friction[ball ? link->v : j] == SN_MODE_STICKS) {
                int from = ball ? link->q : link->q + k;
                memcpy(q + from, work->modes.q_held + from, (ball ? 4 : 1) * sizeof *q);
                v[j] = 0.0;
            }
            if (ball ? k == 0 : !sn_tie_is_moved(&work->freedoms[j])) {
                snap_limit(work, link, k, q, v);
            }
        }
    }
}

double sn_tie_mode_error(const sn_tie_work *work, const sn_tree *tree, int tag, int link, int own,
                         const double *q)
{
    const sn_tree_link *at = &tree->links[link];
    const sn_limit_def *limit = &work->freedoms[at->v + own].limit;
    if (tag == SN_ROW_CONE || (tag == SN_ROW_FREEDOM && !sn_tie_mode_hold(work, at, own).rests)) {
        return 0.0;
    }
    bool lower = work->modes.limit[at->v + own] == SN_MODE_LOWER;
    return sn_tie_reach_of(tree, link, own, q, NULL).at - (lower ? limit->lower : limit->upper);
}

double sn_tie_mode_velocity(const sn_tie_work *work, const sn_tree *tree, int link, int own,
                            double time)
{
    const sn_tree_link *at = &tree->links[link];
    sn_tie_hold hold = sn_tie_mode_hold(work, at, own);
    return hold.drives && !hold.sticks && !hold.rests
               ? sn_tie_target(&work->freedoms[at->v + own].drive, time).value
               : 0.0;
}

// ---- values ----

static double row_force(const sn_tie_work *work, int j, int kind)
{
    int r = work->modes.row[3 * j + kind];
    return r >= 0 ? work->rows.rows.data[r].scale * work->x[r] : 0.0;
}

bool sn_tie_mode_asks_forces(const sn_tie_work *work, const sn_tree *tree)
{
    const sn_tie_modes *modes = &work->modes;
    for (int i = 0; i < modes->switch_count; ++i) {
        const sn_tie_switch *at = &modes->switches[i];
        int j = tree->links[at->link].v + at->own;
        const sn_freedom_def *freedom = &work->freedoms[j];
        bool asks =
            at->kind == SN_SWITCH_FRICTION ? modes->friction[j] == SN_MODE_STICKS
            : at->kind == SN_SWITCH_DRIVE
                ? freedom->drive.type == SN_DRIVE_VELOCITY && modes->drive[j] == SN_MODE_HOLDS
                : freedom->limit.stiffness == 0.0 && modes->limit[j] != SN_MODE_FREE;
        if (asks) {
            return true;
        }
    }
    return false;
}

// Of what holds a freedom: how far its force is from what it can give.
static double hold_value(const sn_tie_work *work, const sn_tree_link *link, int k, double most)
{
    int j = link->v + k, r = work->modes.row[3 * j];
    sn_tie_hold hold = sn_tie_mode_hold(work, link, k);
    if (r < 0) {
        return 1.0;
    }
    double force = work->rows.rows.data[r].scale * work->x[r];
    double room = fmin(force - hold.lower, hold.upper - force);
    double least = fmin(fabs(hold.lower), fabs(hold.upper));
    if (room == INFINITY) {
        return 1.0;
    }
    return least > 0.0 ? 0.1 * room / least
                       : 0.01 * room / (work->rows.rows.data[r].scale * (1.0 + most));
}

// A limit's: how far it is, or how it presses.
static double limit_value(const sn_tie_work *work, const sn_tree *tree, const sn_tie_switch *at,
                          const sn_tie_state *state, double most)
{
    int j = tree->links[at->link].v + at->own;
    const sn_limit_def *limit = &work->freedoms[j].limit;
    sn_tie_reach reach = sn_tie_reach_of(tree, at->link, at->own, state->q, state->v);
    double side = at->kind == SN_SWITCH_UPPER ? 1.0 : -1.0;
    double edge = side > 0.0 ? limit->upper : limit->lower;
    // Where ties are closed to roundings, so far are positions known.
    double near = side * (edge - reach.at);
    double size = (work->held_rows > 0 ? 2.0 : 0.01) * (1.0 + fabs(edge));
    uint8_t mode = work->modes.limit[j];
    bool here = mode == (side > 0.0 ? SN_MODE_UPPER : SN_MODE_LOWER);
    if (limit->stiffness > 0.0) {
        double press = side * limit->damping * reach.rate / limit->stiffness - near;
        bool off = mode == (side > 0.0 ? SN_MODE_OFF_UPPER : SN_MODE_OFF_LOWER);
        return (here ? press : (off ? fmin(-near, -press) : near)) / size;
    }
    if (limit->lower == limit->upper && !reach.ball) {
        return 1.0; // locked
    }
    if (!here) {
        return near / size;
    }
    return reach.ball ? -0.01 * work->x[work->modes.row[3 * j + 1]] / (1.0 + most)
                      : hold_value(work, &tree->links[at->link], at->own, most);
}

static double friction_value(const sn_tie_work *work, const sn_tree_link *link, int k,
                             const double *v, double most)
{
    int j = link->v + k;
    uint8_t mode = work->modes.friction[j];
    if (mode != SN_MODE_STICKS) {
        return link->joint == SN_TREE_BALL ? sn_length(sn_vec3_at(v + j)) - work->modes.slow
                                           : (mode == SN_MODE_FORWARD ? v[j] : -v[j]);
    }
    if (link->joint != SN_TREE_BALL) {
        return hold_value(work, link, k, most);
    }
    double one = row_force(work, j, 2), two = row_force(work, j + 1, 2),
           three = row_force(work, j + 2, 2);
    return 0.1 * (1.0 - sqrt(one * one + two * two + three * three) / work->freedoms[j].friction);
}

static double drive_value(const sn_tie_work *work, const sn_tree_link *link, int k,
                          const sn_tie_state *state, double most)
{
    int j = link->v + k;
    const sn_drive_def *drive = &work->freedoms[j].drive;
    double way = work->modes.drive[j] == SN_MODE_MOST ? 1.0 : -1.0;
    if (drive->type == SN_DRIVE_VELOCITY) {
        double lack = sn_tie_target(drive, state->time).value - state->v[j];
        return work->modes.drive[j] == SN_MODE_HOLDS ? hold_value(work, link, k, most) : way * lack;
    }
    double share = sn_tie_drive_wish(work->freedoms, link, k, state->time, state->q, state->v) /
                   drive->force_limit;
    return work->modes.drive[j] == SN_MODE_HOLDS ? 1.0 - fabs(share) : way * share - 1.0;
}

void sn_tie_mode_values(const sn_tie_work *work, const sn_tree *tree, const sn_tie_state *state,
                        double *values)
{
    double most = 0.0;
    for (int r = 0; r < work->rows.rows.count; ++r) {
        most = fmax(most, fabs(work->x[r]));
    }
    for (int i = 0; i < work->modes.switch_count; ++i) {
        const sn_tie_switch *at = &work->modes.switches[i];
        const sn_tree_link *link = &tree->links[at->link];
        values[i] = at->kind == SN_SWITCH_FRICTION
                        ? friction_value(work, link, at->own, state->v, most)
                    : at->kind == SN_SWITCH_DRIVE ? drive_value(work, link, at->own, state, most)
                                                  : limit_value(work, tree, at, state, most);
    }
}

void sn_tie_mode_sides(const sn_tie_work *work, const sn_tree *tree, const double *v, int *sides)
{
    for (int i = 0; i < work->modes.switch_count; ++i) {
        const sn_tie_switch *at = &work->modes.switches[i];
        const sn_tree_link *link = &tree->links[at->link];
        bool starts = at->kind == SN_SWITCH_FRICTION && link->joint == SN_TREE_BALL &&
                      work->modes.friction[link->v] != SN_MODE_STICKS &&
                      sn_length(sn_vec3_at(v + link->v)) <= work->modes.slow + SN_SWITCH_BAND;
        sides[i] = starts ? 0 : 1;
    }
}

// ---- finding them ----

// Where a row is on a law: before a movement, at the jump there, or beyond it.
static int side_of(const sn_tie_law *law, int step, double at)
{
    int k = step / 2;
    if (step % 2 != 0) {
        return (law->node[k] > at) - (law->node[k] < at);
    }
    return k > 0 && law->node[k - 1] >= at ? 1 : -1;
}

static const sn_tie_piece *find_piece(const sn_tie_work *work, int r, int kind)
{
    const sn_tie_law *law = r >= 0 ? &work->bounds.data[r].law : NULL;
    for (int i = 0; law != NULL && i < law->piece_count; ++i) {
        if (law->pieces[i].kind == kind) {
            return &law->pieces[i];
        }
    }
    return NULL;
}

// Where a row of the freedom is on the piece of its law; `none`: it has none.
static int side_on(const sn_tie_work *work, int r, int kind, int none)
{
    const sn_tie_piece *piece = find_piece(work, r, kind);
    return piece != NULL ? side_of(&work->bounds.data[r].law, work->states.data[r], piece->at)
                         : none;
}

static uint8_t soft_mode(const sn_limit_def *limit, const sn_tie_reach *reach)
{
    if (reach->at > limit->upper) {
        double press = limit->stiffness * (reach->at - limit->upper) + limit->damping * reach->rate;
        return press > 0.0 ? SN_MODE_UPPER : SN_MODE_OFF_UPPER;
    }
    if (reach->at < limit->lower && !reach->ball) {
        double press = limit->stiffness * (limit->lower - reach->at) - limit->damping * reach->rate;
        return press > 0.0 ? SN_MODE_LOWER : SN_MODE_OFF_LOWER;
    }
    return SN_MODE_FREE;
}

static void note_limit(sn_tie_work *work, const sn_tree *tree, int link, int k,
                       const sn_tie_state *state)
{
    int j = tree->links[link].v + k;
    const sn_limit_def *limit = &work->freedoms[j].limit;
    sn_tie_reach reach = sn_tie_reach_of(tree, link, k, state->q, state->v);
    int r = work->modes.row[3 * j + (reach.ball ? SN_ROW_LIMIT - SN_ROW_FREEDOM : 0)];
    if (limit->stiffness > 0.0) {
        work->modes.limit[j] = soft_mode(limit, &reach);
    } else {
        bool on = side_on(work, r, SN_PIECE_LIMIT, 1) == 0;
        work->modes.limit[j] = on ? sn_tie_rests_on(limit, &reach) : SN_MODE_FREE;
    }
}

static void note_drive(sn_tie_work *work, const sn_tree_link *link, int k,
                       const sn_tie_state *state)
{
    int j = link->v + k;
    const sn_drive_def *drive = &work->freedoms[j].drive;
    double way = 0.0;
    if (drive->type == SN_DRIVE_POSITION && drive->force_limit < INFINITY) {
        double wish = sn_tie_drive_wish(work->freedoms, link, k, state->time, state->q, state->v);
        way = (wish > drive->force_limit) - (wish < -drive->force_limit);
    } else if (drive->type == SN_DRIVE_VELOCITY) {
        double lack = sn_tie_target(drive, state->time).value - state->v[j];
        way = -side_on(work, work->modes.row[3 * j], SN_PIECE_DRIVE, (lack < 0.0) - (lack > 0.0));
    }
    work->modes.drive[j] = way > 0.0 ? SN_MODE_MOST : (way < 0.0 ? SN_MODE_LEAST : SN_MODE_HOLDS);
}

static void note_friction(sn_tie_work *work, const sn_tree_link *link, int k, const double *v)
{
    sn_tie_modes *modes = &work->modes;
    int j = link->v + k, cone = modes->row[3 * j + SN_ROW_CONE - SN_ROW_FREEDOM];
    int way = (v[j] > 0.0) - (v[j] < 0.0);
    if (link->joint == SN_TREE_BALL) {
        modes->force[j] = row_force(work, j, SN_ROW_CONE - SN_ROW_FREEDOM);
        way = cone < 0 || work->states.data[cone] != 1; // or it slides
    } else {
        way = side_on(work, modes->row[3 * j], SN_PIECE_FRICTION, way);
    }
    modes->friction[j] = way > 0 ? SN_MODE_FORWARD : (way < 0 ? SN_MODE_BACK : SN_MODE_STICKS);
}

void sn_tie_mode_note(sn_tie_work *work, const sn_tree *tree, const sn_tie_state *state)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            note_limit(work, tree, i, k, state);
            note_drive(work, link, k, state);
            if (sn_tie_rubs(work, link, k)) {
                note_friction(work, link, k, state->v);
            }
            if (link->joint == SN_TREE_BALL && k > 0) {
                work->modes.limit[link->v + k] = SN_MODE_FREE; // its first freedom has it
            }
        }
    }
    memcpy(work->modes.q_held, state->q, (size_t)tree->q_count * sizeof(double));
    memset(work->modes.hint, 0, (size_t)tree->v_count);
}
