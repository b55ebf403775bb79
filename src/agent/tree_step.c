#include "agent/tree_step.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/rotation.h"

// A turn that changes the movement by less than this is the last: the next would change it by h |v|
// times as much.
static const double good_enough = 1e-11;
enum { MOST_TURNS = 50 };

bool sn_tree_step_allocate(sn_tree_step *step, const sn_tree *tree)
{
    size_t n = (size_t)tree->count, nq = (size_t)tree->q_count, nv = (size_t)tree->v_count;
    *step = (sn_tree_step){0};
    step->last = sn_allocate_zero(n * sizeof *step->last);
    step->next = sn_allocate_zero(n * sizeof *step->next);
    step->turn = sn_allocate_zero(n * sizeof *step->turn);
    step->spread = sn_allocate_zero(n * sizeof *step->spread);
    step->wrench = sn_allocate_zero(n * sizeof *step->wrench);
    step->c = sn_allocate_zero((2 * nq + 5 * nv) * sizeof *step->c);
    if (step->last == NULL || step->next == NULL || step->turn == NULL || step->spread == NULL ||
        step->wrench == NULL || step->c == NULL) {
        sn_tree_step_free(step);
        return false;
    }
    step->trial = step->c + nq;
    step->target = step->trial + nq;
    step->push = step->target + nv;
    step->arrived = step->push + nv;
    step->delta = step->arrived + nv;
    step->rest = step->delta + nv;
    return true;
}

void sn_tree_step_free(sn_tree_step *step)
{
    sn_free(step->last);
    sn_free(step->next);
    sn_free(step->turn);
    sn_free(step->spread);
    sn_free(step->wrench);
    sn_free(step->c);
    *step = (sn_tree_step){0};
}

static sn_vec3 vec3_at(const double *x)
{
    return sn_vec3_make(x[0], x[1], x[2]);
}

static void vec3_put(double *x, sn_vec3 value)
{
    x[0] = value.x;
    x[1] = value.y;
    x[2] = value.z;
}

static sn_quat quat_at(const double *x)
{
    return (sn_quat){x[0], x[1], x[2], x[3]};
}

static void quat_put(double *x, sn_quat value)
{
    x[0] = value.w;
    x[1] = value.x;
    x[2] = value.y;
    x[3] = value.z;
}

// The turn whose quaternion lies along (1, x): by 2 atan |x| about x.
static sn_quat turn_along(sn_vec3 x)
{
    double s = 1.0 / sqrt(1.0 + sn_dot(x, x));
    return (sn_quat){s, s * x.x, s * x.y, s * x.z};
}

// sum_k a_k x b_k over the columns of two matrices.
static sn_vec3 cross_columns(const sn_mat3 *a, const sn_mat3 *b)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int k = 0; k < 3; ++k) {
        sum.x += a->m[1][k] * b->m[2][k] - a->m[2][k] * b->m[1][k];
        sum.y += a->m[2][k] * b->m[0][k] - a->m[0][k] * b->m[2][k];
        sum.z += a->m[0][k] * b->m[1][k] - a->m[1][k] * b->m[0][k];
    }
    return sum;
}

// ---- to the middle of the step ----

// The configuration half a step before (half_h negative) or after a state.
static void half_step(const sn_tree *tree, const double *q, const double *v, double half_h,
                      double *moved)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const double *from = q + link->q, *by = v + link->v;
        double *to = moved + link->q;
        if (link->joint == SN_TREE_BALL) {
            quat_put(to, sn_quat_multiply(quat_at(from),
                                          turn_along(sn_vec3_scale(0.5 * half_h, vec3_at(by)))));
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            to[k] = from[k] + half_h * by[k];
        }
    }
}

void sn_tree_step_begin(sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                        double h)
{
    step->h = h;
    half_step(tree, q, v, -0.5 * h, step->trial);
    sn_tree_place_into(tree, step->trial, step->last);
    half_step(tree, q, v, 0.5 * h, step->c);
    sn_tree_place(tree, step->c);
    for (int i = 0; i < tree->count; ++i) {
        step->spread[i] = sn_mat3_multiply(tree->pose[i].rotation, tree->links[i].spread);
    }
    for (int j = 0; j < tree->v_count; ++j) {
        step->arrived[j] = h * v[j];
    }
}

// ---- what the joints are to have ----

// The momentum of every link between c and another configuration, about the link's origin at c.
// sign +1: the other one comes later.
static void momenta(const sn_tree_step *step, const sn_tree *tree, const sn_tree_pose *other,
                    double sign, sn_spatial *wrench)
{
    double rate = sign / step->h;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_pose *pose = &tree->pose[i];
        sn_vec3 p =
            sn_vec3_scale(rate * tree->links[i].mass, sn_vec3_sub(other[i].centre, pose->centre));
        sn_vec3 l = sn_vec3_scale(rate, cross_columns(&step->spread[i], &other[i].rotation));
        wrench[i] = sn_spatial_make(
            sn_vec3_add(l, sn_cross(sn_vec3_sub(pose->centre, pose->origin), p)), p);
    }
}

bool sn_tree_step_push(sn_tree_step *step, sn_tree *tree, sn_vec3 gravity, const sn_spatial *wrench,
                       const double *force)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_pose *pose = &tree->pose[i];
        sn_vec3 weight = sn_vec3_scale(step->h * tree->links[i].mass, gravity);
        step->wrench[i] =
            sn_spatial_make(sn_cross(sn_vec3_sub(pose->centre, pose->origin), weight), weight);
        if (wrench != NULL) {
            step->wrench[i] = sn_spatial_add_scaled(step->wrench[i], step->h, wrench[i]);
        }
    }
    sn_tree_gather(tree, step->wrench, step->push);
    momenta(step, tree, step->last, -1.0, step->wrench);
    sn_tree_gather(tree, step->wrench, step->target);
    for (int j = 0; j < tree->v_count; ++j) {
        step->push[j] += force != NULL ? step->h * force[j] : 0.0;
        step->target[j] += step->push[j];
    }
    return sn_tree_factorise(tree, NULL);
}

void sn_tree_step_free_velocity(sn_tree_step *step, sn_tree *tree, double *v)
{
    sn_tree_solve(tree, step->target, v);
}

void sn_tree_step_add_impulse(sn_tree_step *step, const sn_tree *tree, const double *impulse)
{
    for (int j = 0; j < tree->v_count; ++j) {
        step->push[j] += impulse[j];
        step->target[j] += impulse[j];
    }
}

// ---- to the end of the step ----

// Moves the guess by a solution of M d = rhs that is still in the tree's scratch: joints by d,
// balls' links by their own turn. `mirror`: less what the last step moved. Gives the size of the
// change.
static double move_guess(sn_tree_step *step, const sn_tree *tree, const double *d, bool mirror)
{
    double size = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const sn_tree_pose *pose = &tree->pose[i];
        if (link->joint == SN_TREE_BALL) {
            sn_vec3 turn = tree->scratch[i].angular;
            if (mirror) { // sin(angle) axis stands for the turn of the last step, good to third
                          // order
                turn = sn_vec3_add_scaled(turn, -0.5,
                                          cross_columns(&step->last[i].rotation, &pose->rotation));
            }
            turn = sn_mat3_apply_transpose(pose->rotation, turn);
            step->turn[i] = sn_quat_multiply(step->turn[i], turn_along(sn_vec3_scale(0.5, turn)));
            size += fabs(turn.x) + fabs(turn.y) + fabs(turn.z);
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            double move = d[link->v + k] - (mirror ? step->arrived[link->v + k] : 0.0);
            step->trial[link->q + k] += move;
            size += fabs(move);
        }
    }
    return size;
}

// The state half way between c and c'.
static void finish(const sn_tree_step *step, const sn_tree *tree, double *q, double *v)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        if (link->joint != SN_TREE_BALL) {
            for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
                double move = step->trial[link->q + k] - step->c[link->q + k];
                q[link->q + k] = step->c[link->q + k] + 0.5 * move;
                v[link->v + k] = move / step->h;
            }
            continue;
        }
        // The joint's own turn d: what the link's turn has beyond the parent's, which is carried
        // over into link axes.
        sn_quat d = step->turn[i];
        if (link->parent >= 0) {
            const sn_tree_pose *parent = &tree->pose[link->parent];
            sn_quat p = step->turn[link->parent];
            if (tree->links[link->parent].joint != SN_TREE_BALL) {
                p = sn_quat_from_mat3(sn_mat3_multiply(sn_mat3_transpose(parent->rotation),
                                                       step->next[link->parent].rotation));
            }
            sn_vec3 carried = sn_mat3_apply_transpose(
                tree->pose[i].rotation,
                sn_mat3_apply(parent->rotation, sn_vec3_make(p.x, p.y, p.z)));
            d = sn_quat_multiply((sn_quat){p.w, -carried.x, -carried.y, -carried.z}, d);
        }
        double side = d.w < 0.0 ? -1.0 : 1.0;
        sn_vec3 half = sn_vec3_scale(1.0 / (1.0 + side * d.w),
                                     sn_vec3_make(side * d.x, side * d.y, side * d.z));
        quat_put(q + link->q,
                 sn_quat_normalize(sn_quat_multiply(quat_at(step->c + link->q), turn_along(half))));
        vec3_put(v + link->v, sn_vec3_scale(4.0 / step->h, half));
    }
}

bool sn_tree_step_advance(sn_tree_step *step, sn_tree *tree, double *q, double *v)
{
    int n = tree->v_count;
    memcpy(step->trial, step->c, (size_t)tree->q_count * sizeof *step->trial);
    for (int i = 0; i < tree->count; ++i) {
        step->turn[i] = SN_QUAT_IDENTITY;
    }
    for (int j = 0; j < n; ++j) {
        step->rest[j] = step->h * (2.0 * step->target[j] - step->push[j]);
    }
    sn_tree_solve(tree, step->rest, step->rest);
    double size = move_guess(step, tree, step->rest, true);
    step->change = INFINITY;
    for (step->turns = 0; step->turns < MOST_TURNS && !(step->change <= good_enough);
         ++step->turns) {
        sn_tree_place_turned(tree, step->trial, step->turn, step->next);
        momenta(step, tree, step->next, 1.0, step->wrench);
        sn_tree_gather(tree, step->wrench, step->rest);
        for (int j = 0; j < n; ++j) {
            step->rest[j] = step->h * (step->target[j] - step->rest[j]);
        }
        sn_tree_solve(tree, step->rest, step->rest);
        double moved = move_guess(step, tree, step->rest, false), before = step->change;
        step->change = moved > 0.0 ? moved / (size + moved) : 0.0;
        if (step->change < 1e-5 && step->change > 0.5 * before) {
            step->change = 0.0; // as near as rounding lets it come
        }
    }
    finish(step, tree, q, v);
    return step->change <= good_enough;
}
