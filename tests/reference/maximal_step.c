#include "reference/maximal_step.h"

#include <float.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "reference/maximal_joint.h"
#include "reference/maximal_loop.h"

// A turn that changes the movement by less than this is the last: the next would change it by h |v|
// times as much.
static const double good_enough = 1e-12;
enum { MOST_TURNS = 50 };

// What a loop's row must have left to be used: first all that rounding allows, then less and less.
static const double leverage[] = {1e-11, 1e-7, 1e-4, 1e-2};
enum { ATTEMPTS = sizeof leverage / sizeof leverage[0] };

bool sn_maximal_step_allocate(sn_maximal_step *step, const sn_maximal *m)
{
    size_t n = (size_t)m->body_count, nq = (size_t)m->all_q, j = (size_t)m->joint_count;
    *step = (sn_maximal_step){0};
    step->next = sn_allocate_zero(n * sizeof *step->next);
    step->travel = sn_allocate_zero(n * sizeof *step->travel);
    step->arrived = sn_allocate_zero(5 * n * sizeof *step->arrived);
    step->q_last = sn_allocate_zero((2 * nq + 6 * j) * sizeof *step->q_last);
    step->there = sn_allocate_zero((m->closure_count > 0 ? j : 1) * sizeof *step->there);
    if (step->next == NULL || step->travel == NULL || step->arrived == NULL ||
        step->q_last == NULL || step->there == NULL) {
        sn_maximal_step_free(step);
        return false;
    }
    step->momentum = step->arrived + n;
    step->due = step->momentum + n;
    step->rest = step->due + n;
    step->move = step->rest + n;
    step->q_next = step->q_last + nq;
    step->lambda = step->q_next + nq;
    if (m->closure_count > 0) {
        memcpy(step->there, m->joints, j * sizeof *step->there);
    }
    return true;
}

void sn_maximal_step_free(sn_maximal_step *step)
{
    sn_free(step->next);
    sn_free(step->travel);
    sn_free(step->arrived);
    sn_free(step->q_last);
    sn_free(step->there);
    *step = (sn_maximal_step){0};
}

// ---- turns and momenta ----

// The turn whose quaternion lies along (1, x): by 2 atan |x| about x.
static sn_quat turn_along(sn_vec3 x)
{
    double s = 1.0 / sqrt(1.0 + sn_dot(x, x));
    return (sn_quat){s, s * x.x, s * x.y, s * x.z};
}

static void move_travel(sn_maximal_travel *travel, sn_spatial by)
{
    sn_quat turn = turn_along(sn_vec3_scale(0.5, by.angular));
    travel->turn = sn_quat_normalize(sn_quat_multiply(turn, travel->turn));
    travel->shift = sn_vec3_add(travel->shift, by.linear);
}

static void arrive(const sn_maximal_pose *from, const sn_maximal_travel *travel,
                   sn_maximal_pose *to)
{
    to->turn = sn_quat_normalize(sn_quat_multiply(travel->turn, from->turn));
    to->frame.rotation = sn_quat_to_mat3(to->turn);
    to->frame.position = sn_vec3_add(from->frame.position, travel->shift);
}

static sn_maximal_travel way_between(const sn_maximal_pose *from, const sn_maximal_pose *to)
{
    sn_quat turn = sn_quat_multiply(to->turn, sn_quat_conjugate(from->turn));
    if (turn.w < 0.0) {
        turn = (sn_quat){-turn.w, -turn.x, -turn.y, -turn.z};
    }
    return (sn_maximal_travel){turn, sn_vec3_sub(to->frame.position, from->frame.position)};
}

// The movement, with the turn as axis sin(angle) = 2 w u.
static sn_spatial movement(const sn_maximal_travel *travel)
{
    const sn_quat *t = &travel->turn;
    return sn_spatial_make(sn_vec3_scale(2.0 * t->w, sn_vec3_make(t->x, t->y, t->z)),
                           travel->shift);
}

// h P of a body at `pose` that goes a way.
static sn_spatial momentum(const sn_maximal_body *body, const sn_maximal_pose *pose,
                           const sn_maximal_travel *travel)
{
    const sn_quat *t = &travel->turn;
    sn_vec3 u = sn_vec3_make(t->x, t->y, t->z);
    sn_vec3 local = sn_mat3_apply_transpose(pose->frame.rotation, u);
    sn_vec3 iu = sn_mat3_apply(pose->frame.rotation, sn_mat3_apply(body->inertia, local));
    return sn_spatial_make(
        sn_vec3_scale(2.0, sn_vec3_add(sn_vec3_scale(t->w, iu), sn_cross(u, iu))),
        sn_vec3_scale(body->mass, travel->shift));
}

// ---- between joint coordinates and configurations ----

static void half_step(const sn_maximal *m, const double *q, const double *v, double half_h,
                      double *moved)
{
    for (int k = 0; k < m->link_count; ++k) {
        const sn_maximal_part *part = &m->parts[k];
        const double *from = q + part->q, *by = v + part->v;
        double *to = moved + part->q;
        if (part->joint != SN_TREE_BALL) {
            for (int c = 0; c < sn_tree_joint_v(part->joint); ++c) {
                to[c] = from[c] + half_h * by[c];
            }
            continue;
        }
        sn_quat turn = turn_along(sn_vec3_scale(0.5 * half_h, sn_vec3_make(by[0], by[1], by[2])));
        turn = sn_quat_normalize(
            sn_quat_multiply((sn_quat){from[0], from[1], from[2], from[3]}, turn));
        to[0] = turn.w;
        to[1] = turn.x;
        to[2] = turn.y;
        to[3] = turn.z;
    }
}

static sn_status go_to(sn_maximal *m, const double *q, const double *v, double half_h,
                       sn_error *error)
{
    half_step(m, q, v, half_h, m->q);
    sn_maximal_put_tree(m, m->q, m->pose);
    memset(m->velocity, 0, (size_t)m->body_count * sizeof *m->velocity);
    return m->closure_count > 0 ? sn_maximal_project(m, NULL, error) : SN_OK;
}

sn_status sn_maximal_step_begin(sn_maximal_step *step, sn_maximal *m, const double *q,
                                const double *v, double h, sn_error *error)
{
    step->h = h;
    sn_status status = go_to(m, q, v, -0.5 * h, error);
    if (status != SN_OK) {
        return status;
    }
    memcpy(step->next, m->pose, (size_t)m->body_count * sizeof *m->pose);
    memcpy(step->q_last, m->q, (size_t)m->all_q * sizeof *m->q);
    status = go_to(m, q, v, 0.5 * h, error);
    if (status != SN_OK) {
        return status;
    }
    for (int b = 0; b < m->body_count; ++b) {
        const sn_maximal_pose *from = &step->next[b], *to = &m->pose[b];
        sn_maximal_travel way = way_between(from, to);
        step->arrived[b] = movement(&way);
        step->momentum[b] = sn_spatial_scale(1.0 / h, momentum(&m->bodies[b], from, &way));
    }
    return SN_OK;
}

void sn_maximal_step_state(const sn_maximal_step *step, const sn_maximal *m, double *q, double *v)
{
    for (int k = 0; k < m->link_count; ++k) {
        const sn_maximal_part *part = &m->parts[k];
        const double *from = step->q_last + part->q, *to = m->q + part->q;
        if (part->joint != SN_TREE_BALL) {
            for (int c = 0; c < sn_tree_joint_v(part->joint); ++c) {
                q[part->q + c] = from[c] + 0.5 * (to[c] - from[c]);
                v[part->v + c] = (to[c] - from[c]) / step->h;
            }
            continue;
        }
        sn_quat start = {from[0], from[1], from[2], from[3]}, end = {to[0], to[1], to[2], to[3]};
        sn_quat d = sn_quat_multiply(sn_quat_conjugate(start), end);
        double side = d.w < 0.0 ? -1.0 : 1.0;
        sn_vec3 half = sn_vec3_scale(side / (1.0 + side * d.w), sn_vec3_make(d.x, d.y, d.z));
        sn_quat middle = sn_quat_normalize(sn_quat_multiply(start, turn_along(half)));
        half = sn_vec3_scale(4.0 / step->h, half);
        memcpy(q + part->q, (double[]){middle.w, middle.x, middle.y, middle.z}, 4 * sizeof *q);
        memcpy(v + part->v, (double[]){half.x, half.y, half.z}, 3 * sizeof *v);
    }
}

// ---- the step ----

sn_status sn_maximal_step_push(sn_maximal_step *step, sn_maximal *m, sn_vec3 gravity,
                               const sn_spatial *wrench, const double *force, sn_error *error)
{
    sn_maximal_place(m);
    sn_status status = sn_maximal_factorise(m, error);
    if (status != SN_OK) {
        return status;
    }
    sn_maximal_gather(m, gravity, wrench, force);
    double h = step->h;
    for (int b = 0; b < m->body_count; ++b) {
        step->due[b] =
            sn_spatial_add_scaled(sn_spatial_scale(h, step->momentum[b]), h * h, m->force[b]);
    }
    return SN_OK;
}

// With loops: what the guess's joints say is where the bodies are.
static void back_onto_tree(sn_maximal_step *step, sn_maximal *m)
{
    sn_maximal_put_tree(m, step->q_next, step->next);
    for (int b = 0; b < m->body_count; ++b) {
        step->travel[b] = way_between(&m->pose[b], &step->next[b]);
    }
    for (int j = 0; j < m->joint_count; ++j) {
        sn_maximal_joint *there = &step->there[j];
        sn_maximal_place_joint(m, there, step->next, step->q_next);
        for (int r = 0; r < there->rows; ++r) {
            m->target[6 * j + r] =
                j < m->body_count
                    ? 0.0
                    : -sn_spatial_dot(there->error, there->basis[there->freedoms + r]);
        }
    }
}

// Where the guess leads, and the gaps there in the rows that joints have at c.
static void look(sn_maximal_step *step, sn_maximal *m)
{
    for (int b = 0; b < m->body_count; ++b) {
        arrive(&m->pose[b], &step->travel[b], &step->next[b]);
    }
    for (int j = 0; j < m->body_count; ++j) {
        const sn_maximal_joint *joint = &m->joints[j];
        sn_spatial motion[6];
        sn_frame end;
        sn_spatial error = sn_maximal_settle(m, joint, step->next, step->q_next, &end, motion);
        for (int r = 0; r < joint->rows; ++r) {
            m->target[6 * j + r] = -sn_spatial_dot(error, joint->basis[joint->freedoms + r]);
        }
    }
}

// h (2 P + h f) without constraints, less the way that led to c. Gives the size of it all.
static double first_guess(sn_maximal_step *step, sn_maximal *m)
{
    double size = 0.0;
    for (int b = 0; b < m->body_count; ++b) {
        step->rest[b] = sn_spatial_add_scaled(step->due[b], step->h, step->momentum[b]);
    }
    sn_maximal_solve(m, step->rest, NULL, step->move);
    memcpy(step->lambda, m->lambda, 6 * (size_t)m->joint_count * sizeof *m->lambda);
    for (int b = 0; b < m->body_count; ++b) {
        sn_spatial by = sn_spatial_sub(step->move[b], step->arrived[b]);
        step->travel[b] = (sn_maximal_travel){SN_QUAT_IDENTITY, SN_VEC3_ZERO};
        move_travel(&step->travel[b], by);
        size += sn_length(by.angular) + sn_length(by.linear);
    }
    memcpy(step->q_next, m->q, (size_t)m->all_q * sizeof *m->q);
    if (m->loops.rows > 0) {
        look(step, m);
        back_onto_tree(step, m);
    }
    return size;
}

static void move_guess(sn_maximal_step *step, sn_maximal *m)
{
    if (m->loops.rows == 0) {
        for (int b = 0; b < m->body_count; ++b) {
            move_travel(&step->travel[b], step->move[b]);
        }
        return;
    }
    sn_maximal_rates(m, step->move, m->rate);
    for (int j = 0; j < m->body_count; ++j) {
        double own[6];
        sn_maximal_collect(m, &m->joints[j], m->rate, own);
        sn_maximal_move_joint(m, &m->joints[j], own, step->q_next);
    }
    back_onto_tree(step, m);
}

// One turn: how far the guess moves, or infinity when loops have no answer.
static double newton_turn(sn_maximal_step *step, sn_maximal *m)
{
    double moved = 0.0;
    if (m->loops.rows == 0) {
        look(step, m);
    }
    for (int b = 0; b < m->body_count; ++b) {
        step->rest[b] =
            sn_spatial_sub(step->due[b], momentum(&m->bodies[b], &m->pose[b], &step->travel[b]));
    }
    for (int j = 0; j < m->joint_count; ++j) {
        sn_maximal_add_reaction(m, j, step->lambda + 6 * (size_t)j, step->rest);
    }
    sn_maximal_solve_tree(m, step->rest, m->target, step->move);
    if (m->loops.rows > 0) {
        if (!sn_maximal_loops_between(m, step->there, step->next)) {
            return INFINITY;
        }
        sn_maximal_loops_solve_between(m, step->there, step->next, m->target, step->move);
        sn_maximal_loops_push(m, step->rest, m->target, step->move);
    }
    for (int j = 0; j < m->joint_count; ++j) {
        for (int r = 0; r < m->joints[j].rows; ++r) {
            step->lambda[6 * j + r] += m->lambda[6 * j + r];
        }
    }
    for (int b = 0; b < m->body_count; ++b) {
        moved += sn_length(step->move[b].angular) + sn_length(step->move[b].linear);
    }
    move_guess(step, m);
    return moved;
}

// What rounding of places and turns can make of a turn.
static double rounding(const sn_maximal *m)
{
    double sum = 0.0;
    for (int b = 0; b < m->body_count; ++b) {
        sum += 1.0 + sn_length(m->pose[b].frame.position);
    }
    return 16.0 * DBL_EPSILON * sum;
}

static bool search(sn_maximal_step *step, sn_maximal *m)
{
    double size = first_guess(step, m), least = rounding(m), before = INFINITY;
    for (step->turns = 0; step->turns < MOST_TURNS;) {
        double moved = newton_turn(step, m);
        step->turns += 1;
        if (!(moved < INFINITY)) {
            return false;
        }
        step->change = moved > 0.0 ? moved / (size + moved) : 0.0;
        // Near a singular position rounding counts for more: there a turn is the last when it no
        // longer shrinks.
        if (step->change <= good_enough || moved <= least ||
            (step->change < 1e-9 && step->change > 0.5 * before)) {
            return true;
        }
        before = step->change;
    }
    return false;
}

sn_status sn_maximal_step_advance(sn_maximal_step *step, sn_maximal *m, sn_error *error)
{
    bool found = search(step, m);
    int full = m->loops.rank;
    for (int attempt = 1; !found && m->loops.rows > 0 && attempt < ATTEMPTS; ++attempt) {
        sn_maximal_loops_rank(&m->loops, leverage[attempt]);
        found = search(step, m);
    }
    step->let_go = full - m->loops.rank;
    if (!found) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, NULL,
                       "no configuration %g s on after %d turns, the last by %.2g: the step is too "
                       "long for the motion",
                       step->h, step->turns, step->change);
    }
    if (m->loops.rows == 0) {
        look(step, m);
    }
    for (int b = 0; b < m->body_count; ++b) {
        step->momentum[b] =
            sn_spatial_scale(1.0 / step->h, momentum(&m->bodies[b], &m->pose[b], &step->travel[b]));
        step->arrived[b] = movement(&step->travel[b]);
        m->velocity[b] = sn_spatial_scale(1.0 / step->h, step->arrived[b]);
    }
    memcpy(m->pose, step->next, (size_t)m->body_count * sizeof *m->pose);
    memcpy(step->q_last, m->q, (size_t)m->all_q * sizeof *m->q);
    memcpy(m->q, step->q_next, (size_t)m->all_q * sizeof *m->q);
    double per_force = 1.0 / (step->h * step->h);
    for (int k = 0; k < 6 * m->joint_count; ++k) {
        m->lambda[k] = per_force * step->lambda[k];
    }
    return SN_OK;
}
