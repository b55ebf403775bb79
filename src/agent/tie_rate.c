#include "agent/tie_rate.h"

#include <math.h>
#include <string.h>

#include "agent/tie_box.h"
#include "agent/tie_project.h"
#include "agent/tree_joint.h"
#include "math/rotation.h"

static const double settling = 0.01; // s, of velocity drives

static sn_vec3 ball_turn(const double *q)
{
    return sn_quat_log(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}));
}

// ---- forces ----

static double drive_force(const sn_freedom_def *freedoms, const sn_tree_link *link, int k,
                          double time, const double *q, const double *v)
{
    const sn_drive_def *drive = &freedoms[link->v + k].drive;
    if (drive->type == SN_DRIVE_FORCE) {
        return sn_tie_target(drive, time).value;
    }
    if (drive->type != SN_DRIVE_POSITION) {
        return 0.0;
    }
    double lack = sn_tie_lack(freedoms, link, k, q, time);
    double force = drive->stiffness * lack +
                   drive->damping * (sn_tie_target(drive, time).rate - v[link->v + k]);
    return fmin(fmax(force, -drive->force_limit), drive->force_limit);
}

static double soft_limit_force(const sn_limit_def *limit, double position, double velocity)
{
    if (position > limit->upper) {
        double force = -limit->stiffness * (position - limit->upper) - limit->damping * velocity;
        return fmin(force, 0.0);
    }
    if (position < limit->lower) {
        double force = -limit->stiffness * (position - limit->lower) - limit->damping * velocity;
        return fmax(force, 0.0);
    }
    return 0.0;
}

static void add_limit_forces(const sn_freedom_def *freedoms, const sn_tree_link *link,
                             const double *q, const double *v, double *force)
{
    if (link->joint != SN_TREE_BALL) {
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            const sn_limit_def *limit = &freedoms[link->v + k].limit;
            if (limit->stiffness > 0.0) {
                force[link->v + k] += soft_limit_force(limit, q[link->q + k], v[link->v + k]);
            }
        }
        return;
    }
    sn_limit_def limit = freedoms[link->v].limit;
    sn_vec3 turn = ball_turn(q + link->q);
    double angle = sn_length(turn);
    limit.lower = -INFINITY;
    if (limit.stiffness > 0.0 && angle > limit.upper) {
        sn_vec3 along = sn_vec3_scale(1.0 / angle, turn);
        double back = soft_limit_force(&limit, angle, sn_dot(along, sn_vec3_at(v + link->v)));
        sn_vec3_put(force + link->v, sn_vec3_add_scaled(sn_vec3_at(force + link->v), back, along));
    }
}

void sn_tie_force_loads(const sn_freedom_def *freedoms, const sn_tree *tree, double time,
                        const double *q, const double *v, double *drive, double *limit)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            drive[link->v + k] += drive_force(freedoms, link, k, time, q, v);
        }
        add_limit_forces(freedoms, link, q, v, limit);
    }
}

void sn_tie_forces(const sn_freedom_def *freedoms, const sn_tree *tree, double time,
                   const double *q, const double *v, double *force)
{
    sn_tie_force_loads(freedoms, tree, time, q, v, force, force);
}

// ---- bounded rows ----

typedef struct rate_context {
    double time;
    const double *q, *v;
} rate_context;

static void add_row(sn_tie_work *work, const sn_tree *tree, int tag, int link, int part,
                    sn_vec3 local, sn_tie_law *law)
{
    sn_tie_work_own(work, tree, tag, link, part, local);
    int count = work->rows.rows.count;
    if (work->rows.failed || !sn_array_reserve(&work->bounds, count)) {
        work->rows.failed = true;
        return;
    }
    sn_tie_law_finish(law);
    work->bounds.data[count - 1] = (sn_tie_bound){*law, 0.0};
}

// A freedom at a hard limit that does not leave it: 1 at the upper, 2 at the lower, 0 neither.
static int rests_on(const sn_limit_def *limit, double position, double velocity)
{
    const double near = 1e-9;
    if (limit->stiffness > 0.0) {
        return 0;
    }
    if (position >= limit->upper - near && velocity >= -near) {
        return 1;
    }
    return position <= limit->lower + near && velocity <= near ? 2 : 0;
}

static void add_limit(int side, sn_tie_law *law)
{
    if (side != 0) {
        sn_tie_law_add(law,
                       (sn_tie_piece){SN_PIECE_LIMIT, 0.0, INFINITY, side == 1 ? -INFINITY : 0.0,
                                      side == 1 ? 0.0 : INFINITY});
    }
}

// Dry friction has no rows here: a force that jumps with the velocity's sign is no rate that these
// integrators can follow.
static void add_friction(sn_tie_work *work, const sn_tree *tree, int link)
{
    (void)work;
    (void)tree;
    (void)link;
}

static void add_bounded(void *user, sn_tie_work *work, sn_tree *tree, int link)
{
    const rate_context *context = user;
    const sn_tree_link *at = &tree->links[link];
    bool ball = at->joint == SN_TREE_BALL;
    add_friction(work, tree, link);
    for (int k = 0; k < sn_tree_joint_v(at->joint); ++k) {
        const sn_freedom_def *freedom = &work->freedoms[at->v + k];
        double velocity = context->v[at->v + k];
        sn_tie_law law = {0};
        if (freedom->drive.type == SN_DRIVE_MOTION) {
            continue;
        }
        if (!ball) {
            add_limit(rests_on(&freedom->limit, context->q[at->q + k], velocity), &law);
        }
        if (freedom->drive.type == SN_DRIVE_VELOCITY) {
            sn_motion_state target = sn_tie_target(&freedom->drive, context->time);
            double most = freedom->drive.force_limit;
            sn_tie_law_add(&law, (sn_tie_piece){SN_PIECE_DRIVE,
                                                target.rate + (target.value - velocity) / settling,
                                                INFINITY, -most, most});
        }
        if (law.piece_count > 0) {
            add_row(work, tree, SN_ROW_FREEDOM, link, k, sn_vec3_make(k == 0, k == 1, k == 2),
                    &law);
        }
    }
    if (ball && work->freedoms[at->v].limit.upper < INFINITY) {
        sn_limit_def limit = work->freedoms[at->v].limit;
        sn_vec3 turn = ball_turn(context->q + at->q);
        double angle = sn_length(turn);
        sn_vec3 along = angle > 0.0 ? sn_vec3_scale(1.0 / angle, turn) : SN_VEC3_ZERO;
        limit.lower = -INFINITY;
        sn_tie_law law = {0};
        add_limit(rests_on(&limit, angle, sn_dot(along, sn_vec3_at(context->v + at->v))), &law);
        if (law.piece_count > 0) {
            add_row(work, tree, SN_ROW_LIMIT, link, 0, along, &law);
        }
    }
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
static double row_bias(const sn_tie_work *work, const sn_tree *tree, const rate_context *context,
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
        turn = ball_turn(context->q + link->q);
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

bool sn_tie_rate(sn_tie_work *work, sn_tree *tree, double time, sn_vec3 gravity, const double *q,
                 const double *v, double *a)
{
    rate_context context = {time, q, v};
    for (int i = 0; i < work->tie_count; ++i) {
        work->guides[i] = (sn_tie_guide){NAN, -1};
    }
    if (!sn_tie_work_rows(work, tree, q, add_bounded, &context)) {
        return false;
    }
    sn_tree_velocity(tree, v, work->velocity);
    tie_biases(work, tree, gravity);
    sn_tree_velocity(tree, a, work->velocity);
    sn_tie_rows_rate(&work->rows, tree, work->velocity, a, work->rest);
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        work->rest[r] += row->scale * row_bias(work, tree, &context, r);
        if (row->tag > SN_ROW_MOTION) {
            work->states.data[r] =
                (uint8_t)sn_tie_law_step_at(&work->bounds.data[r].law, work->rest[r] / row->scale);
        }
    }
    sn_tie_box_solve(work, work->rest, work->x, work->y, work->z, SN_GRIP_EVEN);
    sn_tie_answer(work, tree, work->x, a);
    return true;
}

// ---- loads ----

// What the pieces of a law do, of a row's force.
static void note_freedom(sn_tie_work *work, const sn_tree_link *link, int r, double force,
                         double measure)
{
    const sn_tie_row *row = &work->rows.rows.data[r];
    const sn_tie_bound *bound = &work->bounds.data[r];
    int j = link->v + row->part;
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
        note_freedom(work, &tree->links[row->source], r, force, measure);
    }
}
