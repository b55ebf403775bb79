#include "agent/tree/tie_step.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tie_box.h"
#include "agent/tree/tie_project.h"
#include "agent/tree/tie_rate.h"
#include "math/rotation.h"

enum { MOST_TURNS = 30 };

// What a loose grip may leave, at positions so near a singular one that nothing else is found: m;
// and a firm one, in parts of rounding.
static const double good_enough = 1e-3, settled = 1e3;

// How fast a freedom is brought back that was put beyond its limit: rad/s, m/s.
static const double coming_back = 0.01;

// Of its energy, by which a step may differ from the work of what acts.
static const double most_gain = 0.005;
// Of its jump (tree_step.h): what bends on a curve need not turn to be off.
static const double doubtful = 5e-4;

bool sn_tie_step_begin(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time, double h,
                       const double *q, const double *v)
{
    step->tolerance = 1e-12;
    if (work->held_rows == 0) {
        sn_tree_step_begin(step, tree, q, v, h);
        return true;
    }
    bool found = sn_tie_spread(work, tree, time, h, q, v, work->before, work->c);
    sn_tree_step_begin_between(step, tree, work->before, work->c, h);
    return found;
}

// ---- springs and dampers ----

static sn_vec3 ball_turn(const double *q)
{
    return sn_quat_log(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}));
}

static bool is_plain_drive(const sn_drive_def *drive)
{
    return drive->type == SN_DRIVE_FORCE ||
           (drive->type == SN_DRIVE_POSITION && drive->force_limit == INFINITY);
}

bool sn_freedom_is_sprung(const sn_freedom_def *freedom)
{
    return freedom->stiffness != 0.0 || freedom->damping != 0.0 || is_plain_drive(&freedom->drive);
}

// The law f = stiffness (lack - (s' + s-) / 4) + damping (rate - (w s' - (1 - w) s-) / h) without
// what s' does.
static double spring_force(double stiffness, double damping, double lack, double rate, double past,
                           double weight, double h)
{
    return stiffness * (lack - 0.25 * past) + damping * (rate + (1.0 - weight) * past / h);
}

static double spring_armature(double stiffness, double damping, double weight, double h)
{
    return 0.25 * h * h * stiffness + weight * h * damping;
}

static double weight_of(double damping, double mass, double h)
{
    return h * damping > 2.0 * mass ? 1.0 - mass / (h * damping) : 0.5;
}

// What a freedom moves, with the tree's factor; of three, the least.
static double mass_moved(const sn_tree *tree, int link)
{
    const sn_tree_factor *factor = &tree->factor[link];
    if (tree->links[link].joint < SN_TREE_BALL) {
        return 1.0 / factor->one.inverse_d;
    }
    const sn_sym3 *inverse = &factor->three.inverse;
    return 1.0 / fmax(inverse->xx, fmax(inverse->yy, inverse->zz));
}

// At least what a freedom moves: the link alone.
static double mass_of(const sn_tree *tree, int link)
{
    const sn_tree_body *body = &tree->body[link];
    const sn_sym3 *i = &body->inertia;
    if (body->joint == SN_TREE_SLIDER || body->joint == SN_TREE_TRANSLATION) {
        return body->mass;
    }
    if (body->joint == SN_TREE_BALL) {
        return fmin(i->xx, fmin(i->yy, i->zz)) - fabs(i->xy) - fabs(i->xz) - fabs(i->yz);
    }
    return sn_dot(body->axis, sn_sym3_apply(i, body->axis));
}

static double damping_in(const sn_freedom_def *freedoms, const sn_tree_link *link, int k)
{
    const sn_drive_def *drive = &freedoms[link->v + k].drive;
    double sum = freedoms[link->joint == SN_TREE_BALL ? link->v : link->v + k].damping;
    return drive->type == SN_DRIVE_POSITION && is_plain_drive(drive) ? sum + drive->damping : sum;
}

static void find_weights(const sn_freedom_def *freedoms, sn_tree *tree, double h, double *weight)
{
    bool strong = false;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            weight[link->v + k] = 0.5;
            double damping = damping_in(freedoms, link, k);
            strong = strong || (damping > 0.0 && h * damping > 2.0 * mass_of(tree, i));
        }
    }
    if (!strong || !sn_tree_factorise(tree, NULL)) {
        return;
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            weight[link->v + k] = weight_of(damping_in(freedoms, link, k), mass_moved(tree, i), h);
        }
    }
}

bool sn_tie_springs(const sn_freedom_def *freedoms, sn_tree *tree, const sn_tree_step *step,
                    double time, double *past, double *weight, double *force, double *armature)
{
    bool any = false;
    double h = step->h, middle = time + 0.5 * h;
    sn_tree_step_past(step, tree, past);
    find_weights(freedoms, tree, h, weight);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const double *q = step->c + link->q;
        bool ball = link->joint == SN_TREE_BALL;
        sn_vec3 turn = ball && freedoms[link->v].stiffness != 0.0 ? ball_turn(q) : SN_VEC3_ZERO;
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            int j = link->v + k;
            const sn_freedom_def *own = &freedoms[ball ? link->v : j];
            const sn_drive_def *drive = &freedoms[j].drive;
            double lack = ball ? -sn_vec3_component(turn, k) : own->rest - q[k], w = weight[j];
            force[j] += spring_force(own->stiffness, own->damping, lack, 0.0, past[j], w, h);
            armature[j] = spring_armature(own->stiffness, own->damping, w, h);
            if (drive->type == SN_DRIVE_FORCE) {
                force[j] += sn_tie_target(drive, middle).value;
            } else if (is_plain_drive(drive)) {
                double far = sn_tie_lack(freedoms, link, k, step->c, middle);
                force[j] += spring_force(drive->stiffness, drive->damping, far,
                                         sn_tie_target(drive, middle).rate, past[j], w, h);
                armature[j] += spring_armature(drive->stiffness, drive->damping, w, h);
            }
            any = any || armature[j] != 0.0;
        }
    }
    return any;
}

void sn_tie_drive_loads(const sn_freedom_def *freedoms, const sn_tree *tree, const double *c,
                        double time, double h, const double *past, const double *moved,
                        const double *weight, double *drive_load)
{
    double middle = time + 0.5 * h;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            int j = link->v + k;
            const sn_drive_def *drive = &freedoms[j].drive;
            if (drive->type == SN_DRIVE_FORCE) {
                drive_load[j] += sn_tie_target(drive, middle).value;
            } else if (is_plain_drive(drive)) {
                double far = sn_tie_lack(freedoms, link, k, c, middle), w = weight[j];
                double mass = spring_armature(drive->stiffness, drive->damping, w, h);
                drive_load[j] += spring_force(drive->stiffness, drive->damping, far,
                                              sn_tie_target(drive, middle).rate, past[j], w, h) -
                                 mass * moved[j] / (h * h);
            }
        }
    }
}

// ---- bounded rows ----

typedef struct step_context {
    sn_tree_step *step;
    double time; // of the start of the step
} step_context;

// Adds a row in the freedoms of a link with its law.
static void add_row(sn_tie_work *work, const sn_tree *tree, int tag, int link, int part,
                    sn_vec3 local, sn_tie_law *law, double cone)
{
    sn_tie_work_own(work, tree, tag, link, part, local);
    int count = work->rows.rows.count;
    if (work->rows.failed || !sn_array_reserve(&work->bounds, count)) {
        work->rows.failed = true;
        return;
    }
    sn_tie_law_finish(law);
    work->bounds.data[count - 1] = (sn_tie_bound){*law, cone};
}

// An implicit spring and damper whose force is bounded.
static void add_spring(sn_tie_law *law, const sn_tree *tree, int link, double stiffness,
                       double damping, double lack, double rate, double past, double h,
                       sn_tie_piece piece)
{
    double w = weight_of(damping, mass_moved(tree, link), h);
    piece.slope = spring_armature(stiffness, damping, w, h);
    if (piece.slope > 0.0) {
        double force = h * h * spring_force(stiffness, damping, lack, rate, past, w, h);
        piece.at = force / piece.slope;
        sn_tie_law_add(law, piece);
    }
}

// A limit `room` ahead of a freedom that came by `past` backwards and would go on by `guessed`:
// upwards, or downwards with all signs changed.
static double limit_target(double room, double past, double guessed, double restitution, double h)
{
    double target = room >= 0.0 ? room : fmax(room, -coming_back * h);
    double arriving = -past, gained = fabs(guessed + past);
    if (restitution > 0.0 && arriving > 2.0 * gained && guessed > room) {
        target = fmin(target, -restitution * arriving);
    }
    return target;
}

// Both limits of a freedom; soft ones only where they are gone beyond.
static void add_limits(const step_context *context, const sn_tie_work *work, const sn_tree *tree,
                       int link, int part, double position, double past, double guessed,
                       sn_tie_law *law)
{
    const sn_limit_def *limit = &work->freedoms[tree->links[link].v + part].limit;
    uint8_t near = work->limit[tree->links[link].v + part];
    double h = context->step->h;
    for (int lower = 0; lower < 2; ++lower) {
        double end = lower ? limit->lower : limit->upper, side = lower ? -1.0 : 1.0;
        sn_tie_piece piece = {SN_PIECE_LIMIT, 0.0, INFINITY, lower ? 0.0 : -INFINITY,
                              lower ? INFINITY : 0.0};
        if (!isfinite(end) || (lower && tree->links[link].joint == SN_TREE_BALL)) {
            continue;
        }
        if (limit->stiffness > 0.0) {
            if (near == (lower ? 2 : 1)) {
                add_spring(law, tree, link, limit->stiffness, limit->damping, end - position, 0.0,
                           past, h, piece);
            }
            continue;
        }
        piece.at = side * limit_target(side * (end - position), side * past, side * guessed,
                                       limit->restitution, h);
        sn_tie_law_add(law, piece);
    }
}

static void add_drive(const step_context *context, const sn_tie_work *work, const sn_tree *tree,
                      int link, int k, sn_tie_law *law)
{
    int j = tree->links[link].v + k;
    const sn_drive_def *drive = &work->freedoms[j].drive;
    double h = context->step->h, most = h * h * drive->force_limit;
    sn_tie_piece piece = {SN_PIECE_DRIVE, 0.0, INFINITY, -most, most};
    if (drive->type == SN_DRIVE_VELOCITY) {
        piece.at = h * sn_tie_target(drive, context->time + h).value;
        sn_tie_law_add(law, piece);
    } else if (drive->type == SN_DRIVE_POSITION && drive->force_limit < INFINITY) {
        double middle = context->time + 0.5 * h;
        double lack = sn_tie_lack(work->freedoms, &tree->links[link], k, context->step->c, middle);
        add_spring(law, tree, link, drive->stiffness, drive->damping, lack,
                   sn_tie_target(drive, middle).rate, work->past[j], h, piece);
    }
}

// Friction as three rows, drives in each freedom, and the angle's limit.
static void add_ball(const step_context *context, sn_tie_work *work, const sn_tree *tree, int link)
{
    int v = tree->links[link].v;
    double friction = context->step->h * context->step->h * work->freedoms[v].friction;
    for (int k = 0; k < 3 && friction > 0.0; ++k) {
        sn_tie_law law = {0};
        sn_vec3 local = {k == 0, k == 1, k == 2};
        sn_tie_law_add(&law, (sn_tie_piece){SN_PIECE_FRICTION, 0.0, INFINITY, -friction, friction});
        add_row(work, tree, SN_ROW_CONE, link, k, local, &law, k == 0 ? friction : -1.0);
    }
    for (int k = 0; k < 3; ++k) {
        sn_tie_law law = {0};
        sn_vec3 local = {k == 0, k == 1, k == 2};
        add_drive(context, work, tree, link, k, &law);
        if (law.piece_count > 0) {
            add_row(work, tree, SN_ROW_FREEDOM, link, k, local, &law, 0.0);
        }
    }
    sn_vec3 turn = ball_turn(context->step->c + tree->links[link].q);
    double angle = sn_length(turn);
    if (work->limit[v] != 0 && angle > 0.0) {
        sn_tie_law law = {0};
        sn_vec3 along = sn_vec3_scale(1.0 / angle, turn);
        add_limits(context, work, tree, link, 0, angle, sn_dot(along, sn_vec3_at(work->past + v)),
                   sn_dot(along, sn_vec3_at(work->guessed + v)), &law);
        add_row(work, tree, SN_ROW_LIMIT, link, 0, along, &law, 0.0);
    }
}

// All that is bounded in the freedoms of one link.
static void add_bounded(void *user, sn_tie_work *work, sn_tree *tree, int link)
{
    const step_context *context = user;
    const sn_tree_link *at = &tree->links[link];
    if (at->joint == SN_TREE_BALL) {
        add_ball(context, work, tree, link);
        return;
    }
    for (int k = 0; k < sn_tree_joint_v(at->joint); ++k) {
        const sn_freedom_def *freedom = &work->freedoms[at->v + k];
        double friction = context->step->h * context->step->h * freedom->friction;
        sn_tie_law law = {0};
        if (freedom->drive.type == SN_DRIVE_MOTION) { // nothing left to act on
            continue;
        }
        if (friction > 0.0) {
            sn_tie_law_add(&law,
                           (sn_tie_piece){SN_PIECE_FRICTION, 0.0, INFINITY, -friction, friction});
        }
        add_drive(context, work, tree, link, k, &law);
        if (law.piece_count > 0 || work->limit[at->v + k] != 0) {
            add_limits(context, work, tree, link, k, context->step->c[at->q + k],
                       work->past[at->v + k], work->guessed[at->v + k], &law);
            add_row(work, tree, SN_ROW_FREEDOM, link, k, sn_vec3_make(k == 0, k == 1, k == 2), &law,
                    0.0);
        }
    }
}

// ---- limits that come into play ----

// Where a limited freedom would be on the mean of the step (soft limits) or at its end.
static double reached(const sn_tie_work *work, const sn_tree *tree, const sn_tree_step *step,
                      int link, int k, const double *ahead, bool soft)
{
    int j = tree->links[link].v + k, at = tree->links[link].q;
    bool ball = tree->links[link].joint == SN_TREE_BALL;
    double end = ball ? sn_length(ball_turn(ahead + at)) : ahead[at + k];
    if (!soft) {
        return end;
    }
    double middle = ball ? sn_length(ball_turn(step->c + at)) : step->c[at + k];
    return ball ? 0.5 * (middle + end) : middle + 0.25 * (work->past[j] + end - middle);
}

// Notes limits that the guess goes beyond; true when there are new ones.
static bool note_limits(sn_tie_work *work, const sn_tree *tree, const sn_tree_step *step,
                        const double *ahead, double slack)
{
    bool any = false;
    for (int b = 0; b < work->block_count; ++b) {
        int i = work->order[b].link;
        if (i < 0) {
            continue;
        }
        const sn_tree_link *link = &tree->links[i];
        int count = link->joint == SN_TREE_BALL ? 1 : sn_tree_joint_v(link->joint);
        for (int k = 0; k < count; ++k) {
            const sn_limit_def *limit = &work->freedoms[link->v + k].limit;
            if (work->limit[link->v + k] != 0 ||
                (limit->lower == -INFINITY && limit->upper == INFINITY)) {
                continue;
            }
            double at = reached(work, tree, step, i, k, ahead, limit->stiffness > 0.0);
            uint8_t near = at > limit->upper + slack ? 1 : 0;
            if (link->joint != SN_TREE_BALL && at < limit->lower - slack) {
                near = 2;
            }
            work->limit[link->v + k] = near;
            any = any || near != 0;
        }
    }
    return any;
}

// ---- the turns ----

// How far a bounded row moves to the guess.
static double row_movement(const sn_tie_work *work, const sn_tree *tree, const sn_tree_step *step,
                           const sn_tie_row *row, const double *ahead)
{
    const sn_tree_link *link = &tree->links[row->source];
    if (row->tag == SN_ROW_LIMIT && link->joint == SN_TREE_BALL) {
        return sn_length(ball_turn(ahead + link->q)) - sn_length(ball_turn(step->c + link->q));
    }
    return work->moved[link->v + row->part];
}

// Where the search for a row's step of its law starts: where its last movement was, but behind a
// wall that it would go beyond.
static int first_step(const sn_tie_work *work, const sn_tree *tree, const sn_tree_step *step, int r)
{
    const sn_tie_row *row = &work->rows.rows.data[r];
    const sn_tie_law *law = &work->bounds.data[r].law;
    int ahead = sn_tie_law_step_at(law, row_movement(work, tree, step, row, work->c));
    if (row->tag == SN_ROW_LIMIT ||
        (ahead % 2 != 0 && (isinf(law->left[ahead / 2]) || isinf(law->right[ahead / 2])))) {
        return ahead;
    }
    return sn_tie_law_step_at(law, -work->past[tree->links[row->source].v + row->part]);
}

// Rows at c with their laws; rows that were there before keep their forces.
static bool make_rows(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time)
{
    step_context context = {step, time};
    int kept = work->rows.rows.count;
    if (!sn_array_resize(&work->kept_rows, kept) || !sn_array_resize(&work->kept_x, kept)) {
        return false;
    }
    for (int r = 0; r < kept; ++r) {
        work->kept_rows.data[r] = work->rows.rows.data[r];
        work->kept_x.data[r] = work->x[r] * work->rows.rows.data[r].scale;
    }
    if (!sn_tie_work_rows(work, tree, step->c, work->open ? NULL : add_bounded, &context)) {
        return false;
    }
    int at = 0; // both are in one order
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        if (row->tag > SN_ROW_MOTION && work->bounds.data[r].cone == 0.0) {
            work->states.data[r] = (uint8_t)first_step(work, tree, step, r);
        }
        if (at < kept && work->kept_rows.data[at].tag == row->tag &&
            work->kept_rows.data[at].source == row->source &&
            work->kept_rows.data[at].part == row->part) {
            work->x[r] = work->kept_x.data[at++] / row->scale;
        }
    }
    return true;
}

// Errors of ties and motions, and movements of the other rows, into work->rest. Gives how far the
// worst row is from its law.
static double look(sn_tie_work *work, const sn_tree *tree, const sn_tree_step *step, double time)
{
    double largest = sn_tie_work_errors(work, tree, work->c, time, work->rest);
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        if (row->tag <= SN_ROW_MOTION) {
            continue;
        }
        double moved = row_movement(work, tree, step, row, work->c), target = 0.0, softness = 0.0;
        work->rest[r] = row->scale * moved;
        const sn_tie_law *law = &work->bounds.data[r].law;
        double off = 0.0;
        if (row->tag == SN_ROW_CONE) {
            off = fabs(moved + row->softness * work->x[r] / row->scale);
        } else if (sn_tie_law_known(law, work->states.data[r], &target, &softness)) {
            off = fabs(moved + softness * row->scale * work->x[r] - target);
        }
        largest = off <= largest ? largest : off;
    }
    return largest;
}

// Corrects the rows' forces by what is left open, and gives the change to the step.
static bool correct(sn_tie_work *work, sn_tree_step *step, const sn_tree *tree, sn_tie_grip grip,
                    bool mixed)
{
    int count = work->rows.rows.count;
    sn_tie_rows_apply(&work->rows, work->x, work->y);
    for (int r = 0; r < count; ++r) { // what would be without any of their forces
        work->sum[r] = work->rest[r] - work->y[r] + work->rows.rows.data[r].softness * work->x[r];
        work->kept_x.data[r] = work->x[r];
    }
    sn_tie_box_solve(work, work->sum, work->x, work->y, work->z, grip);
    for (int r = 0; r < count; ++r) {
        work->z[r] = work->x[r] - work->kept_x.data[r];
    }
    if (!sn_tie_mix_step(&work->mix, count, work->kept_x.data, work->rest, mixed, work->z)) {
        return false;
    }
    for (int r = 0; r < count; ++r) {
        if (!sn_tie_box_is_fixed(work, r)) {
            work->x[r] = work->kept_x.data[r] + work->z[r];
        }
        work->z[r] = work->x[r] - work->kept_x.data[r];
    }
    step->driven = true;
    sn_tie_rows_push(&work->rows, tree, work->z, step->due, step->impulse);
    return true;
}

// Rows that only hold back move nothing further than it went anyway, as masses measure it, nor
// twice as far when they throw it back; drives may.
static bool is_plausible(sn_tie_work *work, const sn_tree *tree)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_law *law = &work->bounds.data[r].law;
        bool driven = work->rows.rows.data[r].tag == SN_ROW_MOTION;
        for (int i = 0; i < law->piece_count; ++i) {
            driven = driven || law->pieces[i].kind == SN_PIECE_DRIVE;
        }
        if (driven) {
            return true;
        }
    }
    double going = sn_tie_work_norm(work, tree, work->guessed);
    double coming = sn_tie_work_norm(work, tree, work->past);
    return sn_tie_work_reach(work, work->x) <= 9.0 * (going + coming);
}

// Finds c' and the forces of the rows.
static bool search(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time,
                   sn_tie_grip grip)
{
    double before = INFINITY, least = INFINITY, there = time + 1.5 * step->h;
    int idle = 0;
    bool make = true;
    for (int turn = 0; turn < MOST_TURNS; ++turn) {
        if (make && !make_rows(work, step, tree, time)) {
            return false;
        }
        if (make) {
            sn_tie_mix_start(&work->mix);
            least = INFINITY;
            idle = 0;
        }
        sn_tree_step_moved(step, tree, work->moved);
        double left = look(work, tree, step, there), tolerance = sn_tie_work_tolerance(work);
        idle = left < 0.5 * least ? 0 : idle + 1;
        least = fmin(left, least);
        bool done = left <= tolerance || (idle > 2 && left <= settled * tolerance) ||
                    (idle > 1 && left < good_enough && grip == SN_GRIP_LOOSE);
        if (turn > 0 && !make && done) {
            work->miss = left > settled * tolerance ? left : 0.0;
            return grip == SN_GRIP_LOOSE || turn < 5 || is_plausible(work, tree);
        }
        bool mixed = left > 0.2 * before && grip == SN_GRIP_FIRM;
        if (!isfinite(left) || !sn_array_resize(&work->kept_x, work->rows.rows.count) ||
            !correct(work, step, tree, grip, mixed) || !sn_tree_step_search(step, tree)) {
            return false;
        }
        before = left;
        sn_tree_step_ahead(step, tree, work->c);
        make = note_limits(work, tree, step, work->c, 1e-13) && !work->open;
    }
    return false;
}

static void start_search(sn_tie_work *work, sn_tree_step *step, const sn_tree *tree)
{
    memset(work->limit, 0, (size_t)tree->v_count);
    sn_tie_rows_clear(&work->rows);
    sn_tree_step_guess(step, tree);
    sn_tree_step_past(step, tree, work->past);
    sn_tree_step_moved(step, tree, work->guessed);
    sn_tree_step_ahead(step, tree, work->c);
    note_limits(work, tree, step, work->c, 0.0);
}

// Takes back what the rows were found to do.
static void take_back(sn_tie_work *work, sn_tree_step *step, const sn_tree *tree)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        work->z[r] = -work->x[r];
    }
    sn_tie_rows_push(&work->rows, tree, work->z, step->due, step->impulse);
}

// ---- the end ----

// The shortest of all multipliers that do the same: turns leave rounding, h^-2 times as large, in
// what redundant rows do to each other.
static void shorten(sn_tie_work *work)
{
    int count = work->rows.rows.count;
    for (int r = 0; r < count; ++r) {
        work->out.data[r] = sn_tie_box_is_fixed(work, r);
        work->sum[r] = work->out.data[r] ? 0.0 : work->x[r];
    }
    sn_tie_rows_apply(&work->rows, work->sum, work->rest);
    sn_tie_rows_factorise(&work->rows, work->out.data, SN_GRIP_FIRM);
    sn_tie_rows_solve(&work->rows, work->rest, work->sum);
    for (int r = 0; r < count; ++r) {
        work->x[r] = work->out.data[r] ? work->x[r] : work->sum[r];
    }
}

// Freedoms that stick do not move at all, not even by rounding, and those that are stopped end
// where they are stopped. True: nothing moves.
static bool settle(const sn_tie_work *work, sn_tree_step *step, const sn_tree *tree)
{
    double most = 0.0;
    for (int r = 0; r < work->rows.rows.count; ++r) {
        const sn_tie_row *row = &work->rows.rows.data[r];
        int at = work->states.data[r];
        if (row->tag == SN_ROW_FREEDOM && at % 2 != 0 &&
            tree->links[row->source].joint < SN_TREE_BALL) {
            step->search[row->source].moved.x = work->bounds.data[r].law.node[at / 2];
        }
    }
    for (int j = 0; j < tree->v_count; ++j) {
        most = fmax(most, fabs(work->moved[j]));
    }
    return most <= 1e-15;
}

// Rounding may leave a freedom an ulp beyond its hard limit.
static void keep_limits(const sn_tie_work *work, const sn_tree *tree, double *q)
{
    for (int b = 0; b < work->block_count; ++b) {
        int i = work->order[b].link;
        if (i < 0 || tree->links[i].joint == SN_TREE_BALL) {
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(tree->links[i].joint); ++k) {
            const sn_limit_def *limit = &work->freedoms[tree->links[i].v + k].limit;
            double *at = q + tree->links[i].q + k;
            if (limit->stiffness == 0.0 && fabs(*at - limit->upper) < 1e-12) {
                *at = fmin(*at, limit->upper);
            } else if (limit->stiffness == 0.0 && fabs(*at - limit->lower) < 1e-12) {
                *at = fmax(*at, limit->lower);
            }
        }
    }
}

// Ties do no work, and are left out of what was pushed; their rows are made anew when the state is
// gathered.
static void leave_ties_out(sn_tie_work *work, sn_tree_step *step, const sn_tree *tree)
{
    for (int r = 0; r < work->rows.rows.count; ++r) {
        work->z[r] = work->rows.rows.data[r].tag == SN_ROW_TIE ? -work->x[r] : 0.0;
    }
    sn_tie_rows_push(&work->rows, tree, work->z, step->due, step->impulse);
}

static double limit_energy(const sn_limit_def *limit, double at)
{
    double beyond = fmax(fmax(at - limit->upper, limit->lower - at), 0.0);
    return 0.5 * limit->stiffness * beyond * beyond;
}

// By how much the work of soft limits is off from what they hold: their force is that of the mean
// of a step, which is a step's difference of energies only where all of the step is beyond the
// limit, not where it is entered or left on the way. Dampers may take more. Balls are not looked
// at.
static double limit_misfit(const sn_tie_work *work, const sn_tree *tree, const double *q,
                           const double *next_q)
{
    double sum = 0.0;
    for (int b = 0; b < work->block_count; ++b) {
        int i = work->order[b].link;
        int count = i < 0 || tree->links[i].joint == SN_TREE_BALL
                        ? 0
                        : sn_tree_joint_v(tree->links[i].joint);
        for (int k = 0; k < count; ++k) {
            int j = tree->links[i].v + k, at = tree->links[i].q + k;
            const sn_limit_def *limit = &work->freedoms[j].limit;
            if (limit->stiffness > 0.0) {
                double held = limit_energy(limit, next_q[at]) - limit_energy(limit, q[at]);
                double gain = held + work->limit_load[j] * (next_q[at] - q[at]);
                sum += limit->damping > 0.0 ? fmax(gain, 0.0) : fabs(gain);
            }
        }
    }
    return sum;
}

// The step ends at (next_q, next_v), unless its energy is off: then it is too long for the motion.
// What even the smallest part gains is taken out.
static bool accept(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double *q, double *v,
                   double *next_q, double *next_v)
{
    double entered = work->smallest ? 0.0 : limit_misfit(work, tree, q, next_q);
    work->off = 0.0;
    if (step->turn > step->sure || step->jump > doubtful || work->smallest || entered > 0.0) {
        double scale, surplus = sn_tree_step_surplus(step, tree, q, v, next_q, next_v, &scale),
                      limit = fmin(step->limit, most_gain) * scale;
        double off = surplus > 0.0 && step->uneven ? 10.0 * surplus : fabs(surplus);
        off = fmax(off, entered);
        work->off = off / limit;
        if (!(off <= limit)) {
            if (!work->smallest || !isfinite(surplus)) {
                return false;
            }
            sn_tree_step_take_out(step, tree, surplus, next_q, next_v);
            work->damped = true;
        }
    }
    memcpy(q, next_q, (size_t)tree->q_count * sizeof *q);
    memcpy(v, next_v, (size_t)tree->v_count * sizeof *v);
    work->residual = fmax(work->residual, work->miss);
    return true;
}

bool sn_tie_step_advance(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time,
                         double *q, double *v)
{
    start_search(work, step, tree);
    if (!search(work, step, tree, time, SN_GRIP_FIRM)) {
        if (work->rows.failed) {
            return false;
        }
        take_back(work, step, tree);
        start_search(work, step, tree);
        if (!search(work, step, tree, time, SN_GRIP_LOOSE)) {
            return false;
        }
    }
    sn_tree_step_loads(step, tree, work->load);
    if (work->held_rows > 0) {
        shorten(work);
    }
    sn_tie_note_rows(work, tree, 1.0 / (step->h * step->h));
    sn_tie_note_motions(work, tree, time, step->h);
    bool rests = settle(work, step, tree);
    double *next_q = step->trial, *next_v = step->trial + tree->q_count;
    if (work->held_rows == 0) {
        sn_tree_step_finish(step, tree, next_q, next_v);
        keep_limits(work, tree, next_q);
        return accept(work, step, tree, q, v, next_q, next_v);
    }
    if (rests) {
        memcpy(q, step->c, (size_t)tree->q_count * sizeof *q);
        memset(v, 0, (size_t)tree->v_count * sizeof *v);
        return true;
    }
    sn_tree_step_ahead(step, tree, work->before);
    leave_ties_out(work, step, tree);
    return sn_tie_gather(work, tree, time + step->h, step->h, step->c, work->before, next_q,
                         next_v) &&
           accept(work, step, tree, q, v, next_q, next_v);
}

// ---- for contact ----

static bool search_open(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time,
                        sn_tie_grip grip)
{
    start_search(work, step, tree);
    bool found = search(work, step, tree, time, grip);
    memcpy(step->due, step->pushed, (size_t)tree->count * sizeof *step->due);
    memcpy(step->impulse, step->held, (size_t)tree->v_count * sizeof *step->impulse);
    return found;
}

bool sn_tie_step_open(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time, double *v)
{
    memcpy(step->pushed, step->due, (size_t)tree->count * sizeof *step->due);
    memcpy(step->held, step->impulse, (size_t)tree->v_count * sizeof *step->impulse);
    work->open = true;
    bool found = search_open(work, step, tree, time, SN_GRIP_FIRM) ||
                 (!work->rows.failed && search_open(work, step, tree, time, SN_GRIP_LOOSE));
    work->open = false;
    if (work->rows.failed) {
        return false;
    }
    sn_tie_rows_factorise(&work->rows, NULL, SN_GRIP_FIRM);
    if (found) {
        for (int j = 0; j < tree->v_count; ++j) {
            v[j] = work->moved[j] / step->h;
        }
    } else { // as the first of the parts that it will go in would begin
        sn_tree_step_free_velocity(step, tree, v);
        sn_tie_hold_velocity(work, tree, time + step->h, v);
    }
    return true;
}

bool sn_tie_step_rows(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time)
{
    step_context context = {step, time};
    return sn_tie_work_list(work, tree, step->c, add_bounded, &context);
}
