#include "agent/tree/tie_rate.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tie_mode_part.h"
#include "agent/tree/tie_project.h"
#include "agent/tree/tree_joint.h"

// ---- forces ----

double sn_tie_drive_wish(const sn_freedom_def *freedoms, const sn_tree_link *link, int k,
                         double time, const double *q, const double *v)
{
    const sn_drive_def *drive = &freedoms[link->v + k].drive;
    double lack = sn_tie_lack(freedoms, link, k, q, time);
    return drive->stiffness * lack +
           drive->damping * (sn_tie_target(drive, time).rate - v[link->v + k]);
}

// Velocity drives are rows, or at their force limit: see sn_tie_mode_forces.
static double drive_force(const sn_freedom_def *freedoms, const sn_tie_modes *modes,
                          const sn_tree_link *link, int k, double time, const double *q,
                          const double *v)
{
    const sn_drive_def *drive = &freedoms[link->v + k].drive;
    double most = drive->force_limit;
    if (drive->type == SN_DRIVE_FORCE) {
        return sn_tie_target(drive, time).value;
    }
    if (drive->type != SN_DRIVE_POSITION) {
        return 0.0;
    }
    if (modes != NULL && modes->drive[link->v + k] != SN_MODE_HOLDS) {
        return modes->drive[link->v + k] == SN_MODE_MOST ? most : -most;
    }
    double force = sn_tie_drive_wish(freedoms, link, k, time, q, v);
    return modes != NULL ? force : fmin(fmax(force, -most), most);
}

// Without modes it only pushes.
static double soft_limit_force(const sn_limit_def *limit, const sn_tie_reach *reach,
                               const uint8_t *mode)
{
    bool upper = mode != NULL ? *mode == SN_MODE_UPPER : reach->at > limit->upper;
    bool lower = mode != NULL ? *mode == SN_MODE_LOWER : !reach->ball && reach->at < limit->lower;
    if (!upper && !lower) {
        return 0.0;
    }
    double edge = upper ? limit->upper : limit->lower;
    double force = -limit->stiffness * (reach->at - edge) - limit->damping * reach->rate;
    return mode != NULL ? force : (upper ? fmin(force, 0.0) : fmax(force, 0.0));
}

static void add_limit_forces(const sn_freedom_def *freedoms, const sn_tie_modes *modes,
                             const sn_tree *tree, int link, const double *q, const double *v,
                             double *force)
{
    const sn_tree_link *at = &tree->links[link];
    bool ball = at->joint == SN_TREE_BALL;
    for (int k = 0; k < (ball ? 1 : sn_tree_joint_v(at->joint)); ++k) {
        int j = at->v + k;
        const sn_limit_def *limit = &freedoms[j].limit;
        if (!(limit->stiffness > 0.0)) {
            continue;
        }
        sn_tie_reach reach = sn_tie_reach_of(tree, link, k, q, v);
        double back = soft_limit_force(limit, &reach, modes != NULL ? &modes->limit[j] : NULL);
        if (ball) {
            sn_vec3_put(force + j, sn_vec3_add_scaled(sn_vec3_at(force + j), back, reach.along));
        } else {
            force[j] += back;
        }
    }
}

void sn_tie_force_loads(const sn_freedom_def *freedoms, const sn_tie_modes *modes,
                        const sn_tree *tree, double time, const double *q, const double *v,
                        double *drive, double *limit)
{
    modes = modes != NULL && modes->held ? modes : NULL;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            drive[link->v + k] += drive_force(freedoms, modes, link, k, time, q, v);
        }
        add_limit_forces(freedoms, modes, tree, i, q, v, limit);
    }
}

void sn_tie_forces(const sn_freedom_def *freedoms, const sn_tie_modes *modes, const sn_tree *tree,
                   double time, const double *q, const double *v, double *force)
{
    sn_tie_force_loads(freedoms, modes, tree, time, q, v, force, force);
}

// ---- accelerations of the rows without joint accelerations ----

// How a link moves; tree->motion has accelerations less gravity, and so has the world here.
static sn_tie_motion motion_of(const sn_tie_work *work, const sn_tree *tree, int link,
                               sn_vec3 gravity)
{
    if (link < 0) {
        return (sn_tie_motion){SN_VEC3_ZERO, SN_VEC3_ZERO, SN_VEC3_ZERO, sn_vec3_negate(gravity)};
    }
    const sn_tree_motion *motion = &tree->motion[link];
    return (sn_tie_motion){motion->angular, work->velocity[link].linear, motion->angular_rate,
                           motion->acceleration};
}

static void tie_biases(sn_tie_work *work, const sn_tree *tree, sn_vec3 gravity)
{
    for (int i = 0; i < work->tie_count; ++i) {
        const sn_tie *tie = &work->ties[i];
        if (tie->type != SN_TIE_COUPLING) {
            sn_tie_motion a = motion_of(work, tree, tie->a, gravity),
                          b = motion_of(work, tree, tie->b, gravity);
            sn_tie_acceleration(tie, &work->places[i], tree->pose, &a, &b, work->ahead[i].error);
        }
    }
}

// d/dt of the rows of a ball's rotation vector r along its own motion w, times w: d/dt (1 + [r]x /
// 2
// + k [r]x^2) w with r' = that matrix w.
static double ball_bias(sn_vec3 r, sn_vec3 w, int part)
{
    double square = sn_dot(r, r), k, k_rate; // k_rate: dk / d(r^2)
    sn_tie_turn_factor(square, &k, &k_rate);
    sn_vec3 across = sn_cross(r, w), twice = sn_cross(r, across);
    sn_vec3 r_rate = sn_vec3_add_scaled(sn_vec3_add_scaled(w, 0.5, across), k, twice);
    sn_vec3 sum = sn_vec3_scale(0.5, sn_cross(r_rate, w));
    sum = sn_vec3_add_scaled(sum, 2.0 * k_rate * sn_dot(r, r_rate), twice);
    sum = sn_vec3_add_scaled(
        sum, k, sn_vec3_add(sn_cross(r_rate, across), sn_cross(r, sn_cross(r_rate, w))));
    return part == 0 ? sum.x : (part == 1 ? sum.y : sum.z);
}

// What the row's error would accelerate by without joint accelerations, less what is wanted.
static double row_bias(const sn_tie_work *work, const sn_tree *tree, const sn_tie_state *context,
                       int r)
{
    const sn_tie_row *row = &work->rows.rows.data[r];
    if (row->tag == SN_ROW_TIE) {
        return work->ties[row->source].type == SN_TIE_COUPLING
                   ? 0.0
                   : work->ahead[row->source].error[row->part];
    }
    const sn_tree_link *link = &tree->links[row->source];
    sn_vec3 turn = SN_VEC3_ZERO, w = SN_VEC3_ZERO;
    if (link->joint == SN_TREE_BALL) {
        turn = sn_tie_turn_of(context->q + link->q);
        w = sn_vec3_at(context->v + link->v);
    }
    if (row->tag == SN_ROW_MOTION) {
        const sn_drive_def *drive = &work->freedoms[link->v + row->part].drive;
        double bias = link->joint == SN_TREE_BALL ? ball_bias(turn, w, row->part) : 0.0;
        return bias - sn_tie_target(drive, context->time).acceleration;
    }
    if (row->tag == SN_ROW_LIMIT) {
        // |r|' = n . w, n' = (r' - n (n . r')) / |r|
        double angle = sn_length(turn), k, k_rate;
        sn_vec3 n = sn_vec3_scale(1.0 / angle, turn);
        sn_tie_turn_factor(angle * angle, &k, &k_rate);
        sn_vec3 across = sn_cross(turn, w);
        sn_vec3 rate =
            sn_vec3_add_scaled(sn_vec3_add_scaled(w, 0.5, across), k, sn_cross(turn, across));
        rate = sn_vec3_add_scaled(rate, -sn_dot(n, rate), n);
        return sn_dot(w, rate) / angle;
    }
    return 0.0; // its law has what is wanted
}

// What modes hold in a freedom accelerates exactly as they say.
static double held_target(const sn_tie_work *work, const sn_tree *tree, const sn_tie_row *row,
                          double time)
{
    const sn_tree_link *link = &tree->links[row->source];
    if (row->tag != SN_ROW_FREEDOM) {
        return 0.0;
    }
    sn_tie_hold hold = sn_tie_mode_hold(work, link, row->part);
    return hold.drives && !hold.sticks && !hold.rests
               ? sn_tie_target(&work->freedoms[link->v + row->part].drive, time).rate
               : 0.0;
}

static void note_held(sn_tie_work *work, const sn_tree *tree, double time, double *a)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        if (row->tag == SN_ROW_FREEDOM || row->tag == SN_ROW_CONE) {
            int j = tree->links[row->source].v + row->part;
            work->modes.force[j] = row->scale * work->x[r];
            a[j] = held_target(work, tree, row, time);
        }
    }
}

// With modes held, all rows hold.
static void solve_held(sn_tie_work *work, const sn_tree *tree, double time)
{
    if (!work->ready) {
        sn_tie_rows_factorise(&work->rows, NULL, SN_GRIP_EVEN);
    }
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        double target = row->tag > SN_ROW_MOTION ? held_target(work, tree, row, time) : 0.0;
        work->rest[r] = row->scale * target - work->rest[r];
    }
    sn_tie_rows_solve(&work->rows, work->rest, work->x);
}

static void solve_bounded(sn_tie_work *work, const sn_tree *tree, double time)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        const sn_tie_law *law = &work->bounds.data[r].law;
        if (row->tag <= SN_ROW_MOTION || row->tag == SN_ROW_CONE) {
            continue;
        }
        int j = tree->links[row->source].v + row->part;
        int step = sn_tie_law_step_at(law, work->rest[r] / row->scale);
        if (work->modes.hint[j] != 0) { // lets go of what it held
            step = sn_tie_law_step_at(law, held_target(work, tree, row, time));
            step += work->modes.hint[j] == 1 ? 1 : -1;
        }
        work->states.data[r] = (uint8_t)step;
    }
    sn_tie_box_solve(work, work->rest, work->x, work->y, work->z,
                     work->modes.smooth ? SN_GRIP_EVEN : SN_GRIP_FIRM);
}

static bool make_rows(sn_tie_work *work, sn_tree *tree, sn_tie_state *state)
{
    for (int i = 0; i < work->tie_count; ++i) {
        work->guides[i] = (sn_tie_guide){NAN, -1};
    }
    return sn_tie_work_rows(work, tree, state->q,
                            work->modes.held ? sn_tie_mode_rows : sn_tie_mode_candidates, state);
}

bool sn_tie_rate(sn_tie_work *work, sn_tree *tree, double time, sn_vec3 gravity, const double *q,
                 const double *v, double *a)
{
    sn_tie_state state = {time, q, v};
    if (!work->ready && !make_rows(work, tree, &state)) {
        return false;
    }
    if (work->rows.rows.count == 0) {
        return true;
    }
    sn_tree_velocity(tree, v, work->velocity);
    tie_biases(work, tree, gravity);
    sn_tree_velocity(tree, a, work->velocity);
    sn_tie_rows_rate(&work->rows, tree, work->velocity, a, work->rest);
    for (int r = 0; r < work->rows.rows.count; ++r) {
        work->rest[r] += work->rows.rows.data[r].scale * row_bias(work, tree, &state, r);
    }
    if (work->modes.held) {
        solve_held(work, tree, time);
    } else {
        solve_bounded(work, tree, time);
    }
    sn_tie_answer(work, tree, work->x, a);
    if (work->modes.held) {
        note_held(work, tree, time, a);
    }
    return true;
}

// ---- loads ----

// A row of a ball that is not along one of its axes: its moment is, in all three of them.
static void note_ball(const sn_tie_work *work, const sn_tree *tree, int r, double force,
                      double *loads)
{
    const sn_tie_row *row = &work->rows.rows.data[r];
    sn_vec3 along = sn_mat3_apply_transpose(tree->pose[row->source].rotation,
                                            work->rows.ends.data[row->end].push.angular);
    double *sum = loads + tree->links[row->source].v;
    sn_vec3_put(sum, sn_vec3_add_scaled(sn_vec3_at(sum), force / row->scale, along));
}

// What the pieces of a law do, of a row's force.
static void note_freedom(sn_tie_work *work, const sn_tree *tree, int r, double force,
                         double measure)
{
    const sn_tie_row *row = &work->rows.rows.data[r];
    const sn_tie_bound *bound = &work->bounds.data[r];
    const sn_tree_link *link = &tree->links[row->source];
    bool ball = link->joint == SN_TREE_BALL;
    int j = link->v + row->part;
    if (ball && (row->tag == SN_ROW_MOTION || row->tag == SN_ROW_LIMIT)) {
        note_ball(work, tree, r, force,
                  row->tag == SN_ROW_MOTION ? work->drive_load : work->limit_load);
        return;
    }
    if (row->tag == SN_ROW_MOTION) {
        work->drive_load[j] += force;
        return;
    }
    if (row->tag == SN_ROW_CONE) {
        work->friction_load[j] += force;
        return;
    }
    double scale = row->scale, moved = work->y[r] / scale;
    for (int i = 0; i < bound->law.piece_count; ++i) {
        double share = measure * sn_tie_law_share(&bound->law, work->states.data[r], i, moved,
                                                  scale * work->x[r]);
        int kind = bound->law.pieces[i].kind;
        double *loads = kind == SN_PIECE_LIMIT
                            ? work->limit_load
                            : (kind == SN_PIECE_FRICTION ? work->friction_load : work->drive_load);
        loads[j] += share;
    }
}

void sn_tie_note_rows(sn_tie_work *work, const sn_tree *tree, double measure)
{
    size_t nv = (size_t)tree->v_count;
    memset(work->drive_load, 0, nv * sizeof(double));
    memset(work->limit_load, 0, nv * sizeof(double));
    memset(work->friction_load, 0, nv * sizeof(double));
    memset(work->tie_load, 0, 6 * (size_t)work->tie_count * sizeof(double));
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        double force = measure * row->scale * work->x[r];
        if (row->tag == SN_ROW_TIE) {
            const sn_tie *tie = &work->ties[row->source];
            double *load = work->tie_load + 6 * (size_t)row->source;
            if (tie->type == SN_TIE_ROD || tie->type == SN_TIE_COUPLING) {
                load[0] = force;
                continue;
            }
            const sn_spatial *push = &work->places[row->source].row[row->part];
            double *linear = load + (tie->type == SN_TIE_WELD ? 3 : 0);
            sn_vec3_put(linear, sn_vec3_add_scaled(sn_vec3_at(linear), force, push->linear));
            if (tie->type == SN_TIE_WELD) {
                sn_vec3_put(load, sn_vec3_add_scaled(sn_vec3_at(load), force, push->angular));
            }
            continue;
        }
        note_freedom(work, tree, r, force, measure);
    }
}

// Mean position and velocity that a motion prescribes over a step, or at an instant (h = 0).
static sn_motion_state prescribed(const sn_drive_def *drive, double time, double h)
{
    if (h == 0.0) {
        return sn_tie_target(drive, time);
    }
    sn_motion_state mean = sn_tie_target(drive, time + 0.5 * h);
    mean.rate = (sn_tie_target(drive, time + h).value - sn_tie_target(drive, time).value) / h;
    return mean;
}

// What is below it comes of rounding.
static bool stands(const sn_motion_state *at, double h)
{
    double rounding = h > 0.0 ? 1e-15 * fabs(at->value) / h : 0.0;
    return fabs(at->rate) <= 1e-12 + rounding;
}

static void note_motion(sn_tie_work *work, int j, const sn_motion_state *at, double h)
{
    const sn_freedom_def *own = &work->freedoms[j];
    double limit = 0.0, most = own->friction;
    if (h > 0.0 && own->limit.stiffness > 0.0) { // at an instant it is a force of its own
        sn_tie_reach reach = {at->value, at->rate, SN_VEC3_ZERO, false};
        limit = soft_limit_force(&own->limit, &reach, NULL);
    }
    double rest = work->drive_load[j] - limit;
    double friction = at->rate > 0.0 ? -most : most;
    if (stands(at, h)) {
        friction = fmin(fmax(rest, -most), most);
    }
    work->limit_load[j] += limit;
    work->friction_load[j] += friction;
    work->drive_load[j] = rest - friction;
}

// A ball that is prescribed altogether and stands: its friction has no direction of its own.
static void note_standing_ball(sn_tie_work *work, const sn_tree_link *link)
{
    double *drive = work->drive_load + link->v, *friction = work->friction_load + link->v;
    sn_vec3 rest = sn_vec3_add(sn_vec3_at(drive), sn_vec3_at(friction));
    double size = sn_length(rest), most = work->freedoms[link->v].friction;
    sn_vec3 held = sn_vec3_scale(size > most ? most / size : 1.0, rest);
    sn_vec3_put(friction, held);
    sn_vec3_put(drive, sn_vec3_sub(rest, held));
}

void sn_tie_note_motions(sn_tie_work *work, const sn_tree *tree, double time, double h)
{
    for (int b = 0; b < work->block_count; ++b) {
        int i = work->order[b].link;
        if (i < 0) {
            continue;
        }
        const sn_tree_link *link = &tree->links[i];
        bool ball = link->joint == SN_TREE_BALL, standing = ball;
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            const sn_drive_def *drive = &work->freedoms[link->v + k].drive;
            if (drive->type != SN_DRIVE_MOTION) {
                standing = false;
                continue;
            }
            sn_motion_state at = prescribed(drive, time, h);
            standing = standing && stands(&at, h);
            if (!ball) {
                note_motion(work, link->v + k, &at, h);
            }
        }
        if (standing) {
            note_standing_ball(work, link);
        }
    }
}
