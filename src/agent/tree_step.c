#include "agent/tree_step.h"

#include <math.h>
#include <string.h>

#include "agent/tree_joint.h"
#include "base/memory.h"
#include "math/elementary.h"

enum { MOST_TURNS = 50 };

bool sn_tree_step_allocate(sn_tree_step *step, const sn_tree *tree)
{
    size_t n = (size_t)tree->count, nq = (size_t)tree->q_count, nv = (size_t)tree->v_count;
    *step = (sn_tree_step){.tolerance = 1e-8};
    step->back = sn_allocate_zero(n * sizeof *step->back);
    step->search = sn_allocate_zero(n * sizeof *step->search);
    step->arrived = sn_allocate_zero(2 * n * sizeof *step->arrived);
    step->c = sn_allocate_zero((nq + 2 * nv) * sizeof *step->c);
    if (step->back == NULL || step->search == NULL || step->arrived == NULL || step->c == NULL) {
        sn_tree_step_free(step);
        return false;
    }
    step->due = step->arrived + n;
    step->impulse = step->c + nq;
    step->rest = step->impulse + nv;
    return true;
}

void sn_tree_step_free(sn_tree_step *step)
{
    sn_free(step->back);
    sn_free(step->search);
    sn_free(step->arrived);
    sn_free(step->c);
    *step = (sn_tree_step){0};
}

static sn_vec3 vec3_at(const double *x)
{
    return sn_vec3_make(x[0], x[1], x[2]);
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

// ---- travels ----

static const sn_tree_travel at_rest = {1.0, {0.0, 0.0, 0.0}, 2.0, {0.0, 0.0, 0.0}};

// (T - 1) x
SN_TREE_INLINE sn_vec3 displaced(const sn_tree_travel *travel, sn_vec3 x)
{
    sn_vec3 across = sn_cross(travel->turn, x);
    return sn_vec3_scale(travel->bend, sn_vec3_add(sn_vec3_scale(travel->w, across),
                                                   sn_cross(travel->turn, across)));
}

// The turn of `first` after one by the quaternion (w, x): their product.
SN_TREE_INLINE void turn_on(const sn_tree_travel *first, double w, sn_vec3 x,
                            sn_tree_travel *travel)
{
    sn_vec3 u = first->turn;
    travel->w = first->w * w - sn_dot(u, x);
    travel->turn =
        sn_vec3_add(sn_vec3_add(sn_vec3_scale(first->w, x), sn_vec3_scale(w, u)), sn_cross(u, x));
}

SN_TREE_INLINE double bend_of(double w, sn_vec3 u)
{
    return 2.0 / (w * w + sn_dot(u, u));
}

// A turn by an angle about the link's axis; its quaternion has unit length and leaves bend as it
// is.
SN_TREE_INLINE void turn_about(const sn_tree_body *body, const sn_tree_travel *parent, double angle,
                               sn_tree_travel *travel)
{
    double half = 0.5 * angle, sine, cosine;
    if (fabs(half) <= 0.75) {
        sn_sincos_small(half, &sine, &cosine);
    } else {
        sn_sincos(half, &sine, &cosine);
    }
    turn_on(parent, cosine, sn_vec3_scale(sine, body->axis), travel);
    travel->bend = parent->bend;
}

// The travel of a link from that of its parent and from its joint's own movement; of balls only the
// shift.
SN_TREE_INLINE void travel_on(const sn_tree_body *body, const sn_tree_travel *parent, sn_vec3 own,
                              sn_tree_travel *travel)
{
    sn_vec3 slide = own;
    switch (body->joint) {
    case SN_TREE_HINGE:
        turn_about(body, parent, own.x, travel); // falls through
    case SN_TREE_BALL:
        travel->shift = sn_vec3_add(parent->shift, displaced(parent, body->arm));
        return;
    case SN_TREE_SCREW:
        turn_about(body, parent, own.x, travel);
        slide = sn_vec3_scale(body->pitch * own.x, body->axis);
        break;
    case SN_TREE_SLIDER:
        slide = sn_vec3_scale(own.x, body->axis); // falls through
    case SN_TREE_TRANSLATION:
        travel->w = parent->w;
        travel->turn = parent->turn;
        travel->bend = parent->bend;
        break;
    }
    travel->shift = sn_vec3_add(sn_vec3_add(parent->shift, slide),
                                displaced(parent, sn_vec3_add(body->arm, slide)));
}

// h times the momentum of a link from c to where it travels, about its origin at c.
SN_TREE_INLINE sn_spatial momentum(const sn_tree_body *body, const sn_tree_travel *travel)
{
    sn_vec3 p =
        sn_vec3_scale(body->mass, sn_vec3_add(travel->shift, displaced(travel, body->reach)));
    sn_vec3 spin = sn_sym3_apply(&body->inertia, travel->turn);
    sn_vec3 l = sn_vec3_scale(
        travel->bend, sn_vec3_add(sn_vec3_scale(travel->w, spin), sn_cross(travel->turn, spin)));
    return sn_spatial_make(sn_vec3_add(l, sn_cross(body->reach, p)), p);
}

// ---- to the middle of the step ----

void sn_tree_step_begin(sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                        double h)
{
    step->h = h;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const double *from = q + link->q, *by = v + link->v;
        double *to = step->c + link->q;
        if (link->joint == SN_TREE_BALL) {
            sn_vec3 x = sn_vec3_scale(0.25 * h, vec3_at(by));
            quat_put(to, sn_quat_multiply(quat_at(from), (sn_quat){1.0, x.x, x.y, x.z}));
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            to[k] = from[k] + 0.5 * h * by[k];
        }
    }
    sn_tree_place(tree, step->c);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_vec3 own = sn_tree_joint_read(body, &tree->pose[i].rotation, v + body->v);
        sn_tree_travel *back = &step->back[i];
        const sn_tree_travel *parent = body->parent >= 0 ? &step->back[body->parent] : &at_rest;
        own = sn_vec3_scale(-h, own);
        if (body->joint == SN_TREE_BALL) { // (1, x / 4)^2
            turn_on(parent, 1.0 - 0.0625 * sn_dot(own, own), sn_vec3_scale(0.5, own), back);
            back->bend = bend_of(back->w, back->turn);
        }
        step->search[i].moved = own;
        travel_on(body, parent, own, back);
    }
}

// ---- what the joints are to have ----

bool sn_tree_step_push(sn_tree_step *step, sn_tree *tree, sn_vec3 gravity, const sn_spatial *wrench,
                       const double *force)
{
    double h2 = step->h * step->h;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_vec3 weight = sn_vec3_scale(h2 * body->mass, gravity);
        sn_spatial push = sn_spatial_make(sn_cross(body->reach, weight), weight);
        if (wrench != NULL) {
            push = sn_spatial_add_scaled(push, h2, wrench[i]);
        }
        step->arrived[i] = sn_spatial_scale(-1.0, momentum(body, &step->back[i]));
        step->due[i] = sn_spatial_add(step->arrived[i], push);
    }
    for (int j = 0; j < tree->v_count; ++j) {
        step->impulse[j] = force != NULL ? h2 * force[j] : 0.0;
    }
    return sn_tree_factorise(tree, NULL);
}

void sn_tree_step_free_velocity(sn_tree_step *step, sn_tree *tree, double *v)
{
    memcpy(tree->scratch, step->due, (size_t)tree->count * sizeof *step->due);
    sn_tree_solve_wrench(tree, step->impulse, v);
    for (int j = 0; j < tree->v_count; ++j) {
        v[j] /= step->h;
    }
}

void sn_tree_step_add_impulse(sn_tree_step *step, const sn_tree *tree, const double *impulse)
{
    for (int j = 0; j < tree->v_count; ++j) {
        step->impulse[j] += step->h * impulse[j];
    }
}

// ---- to the end of the step ----

static double size_of(sn_vec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

// The first guess, from the sum of the last movement and this one in rest and in the tree's
// scratch. Gives the size of the whole movement.
static double guess(sn_tree_step *step, const sn_tree *tree)
{
    double size = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        const sn_mat3 *rotation = &tree->pose[i].rotation;
        const sn_tree_travel *back = &step->back[i];
        sn_tree_search *at = &step->search[i];
        const sn_tree_travel *parent =
            body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
        at->impulse = sn_tree_joint_read(body, rotation, step->impulse + body->v);
        at->wrench = SN_SPATIAL_ZERO;
        at->wanted = SN_VEC3_ZERO;
        at->made = SN_VEC3_ZERO;
        if (body->joint == SN_TREE_BALL) {
            // s = axis sin(angle), of which (1 + cos(angle), s) is the quaternion
            sn_vec3 sine =
                sn_vec3_add_scaled(tree->scratch[i].angular, back->bend * back->w, back->turn);
            double cosine2 = 1.0 - sn_dot(sine, sine);
            at->travel.w = 1.0 + (cosine2 > 0.0 ? sqrt(cosine2) : 0.0);
            at->travel.turn = sine;
            at->travel.bend = bend_of(at->travel.w, sine);
            travel_on(body, parent, SN_VEC3_ZERO, &at->travel);
            size += size_of(sine);
            continue;
        }
        at->moved = sn_vec3_add(at->moved, // which is -h v since the beginning
                                sn_tree_joint_read(body, rotation, step->rest + body->v));
        travel_on(body, parent, at->moved, &at->travel);
        size += size_of(at->moved);
    }
    return size;
}

// Inwards: what every joint lacks at the present guess, and the first half of the solve for it.
static void look(sn_tree_step *step, const sn_tree *tree)
{
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_search *at = &step->search[i];
        sn_spatial total =
            sn_spatial_add(at->wrench, sn_spatial_sub(momentum(body, &at->travel), step->due[i]));
        at->share = sn_vec3_sub(at->impulse, sn_tree_joint_felt(body, &total));
        if (body->parent >= 0) {
            total = sn_spatial_add(total, sn_tree_pass_on(body, &tree->factor[i], NULL, at->share));
            sn_tree_add_wrench(body, &total, &step->search[body->parent].wrench);
        }
    }
}

// Outwards: the second half of the solve. Gives Anderson's weight of the turn before: the best
// that a mix of both turns can do, were the map linear (Walker and Ni, SIAM J. Numer. Anal. 49,
// 2011). Where one direction converges badly, as near a gimbal's lock, it alone is left, and goes.
static double correct(sn_tree_step *step, const sn_tree *tree)
{
    double along = 0.0, square = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_search *at = &step->search[i];
        at->motion = body->parent >= 0 ? sn_tree_carried(body, &step->search[body->parent].motion)
                                       : SN_SPATIAL_ZERO;
        sn_vec3 own = sn_tree_accelerate(body, &tree->factor[i], NULL, at->share, &at->motion);
        own = body->joint == SN_TREE_BALL ? at->motion.angular : own;
        sn_vec3 grown = sn_vec3_sub(own, at->wanted);
        along += sn_dot(own, grown);
        square += sn_dot(grown, grown);
        at->wanted = own;
        at->before = sn_vec3_add(at->made, grown);
    }
    double weight = square > 0.0 ? along / square : 0.0;
    return step->turns > 0 && fabs(weight) < 10.0 ? weight : 0.0;
}

// Moves the guess. Gives the size of the change.
static double move(sn_tree_step *step, const sn_tree *tree, double weight)
{
    double size = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_search *at = &step->search[i];
        const sn_tree_travel *parent =
            body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
        at->made = sn_vec3_add_scaled(at->wanted, -weight, at->before);
        at->wrench = SN_SPATIAL_ZERO;
        if (body->joint == SN_TREE_BALL) {
            sn_tree_travel old = at->travel;
            turn_on(&old, 1.0, sn_vec3_scale(0.5, at->made), &at->travel);
            at->travel.bend = bend_of(at->travel.w, at->travel.turn);
        } else {
            at->moved = sn_vec3_add(at->moved, at->made);
        }
        travel_on(body, parent, at->moved, &at->travel);
        size += size_of(at->made);
    }
    return size;
}

// The state half way between c and c'.
static void finish(const sn_tree_step *step, const sn_tree *tree, double *q, double *v)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const sn_tree_search *at = &step->search[i];
        const sn_mat3 *rotation = &tree->pose[i].rotation;
        const double *c = step->c + link->q;
        if (link->joint != SN_TREE_BALL) {
            double moved[3];
            sn_tree_joint_write(&tree->body[i], rotation, at->moved, moved);
            for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
                q[link->q + k] = c[k] + 0.5 * moved[k];
                v[link->v + k] = moved[k] / step->h;
            }
            continue;
        }
        // The joint's own turn is what the link's has beyond the parent's: T = T_parent T_joint.
        // Half of it has the quaternion (|t| + w, x) for (w, x) of the whole.
        sn_tree_travel turn = at->travel;
        if (link->parent >= 0) {
            sn_tree_travel back = step->search[link->parent].travel;
            back.turn = sn_vec3_negate(back.turn);
            turn_on(&back, at->travel.w, at->travel.turn, &turn);
        }
        sn_vec3 x = sn_mat3_apply_transpose(*rotation, turn.turn);
        double length = sqrt(turn.w * turn.w + sn_dot(x, x));
        sn_vec3 half = sn_vec3_scale(1.0 / (length + turn.w), x);
        quat_put(q + link->q, sn_quat_normalize(sn_quat_multiply(
                                  quat_at(c), (sn_quat){1.0, half.x, half.y, half.z})));
        double rate = 4.0 / step->h;
        v[link->v] = rate * half.x;
        v[link->v + 1] = rate * half.y;
        v[link->v + 2] = rate * half.z;
    }
}

bool sn_tree_step_advance(sn_tree_step *step, sn_tree *tree, double *q, double *v)
{
    for (int i = 0; i < tree->count; ++i) {
        tree->scratch[i] = sn_spatial_add(step->arrived[i], step->due[i]);
    }
    sn_tree_solve_wrench(tree, step->impulse, step->rest);
    double size = guess(step, tree), before = 0.0;
    bool done = false;
    for (step->turns = 0; step->turns < MOST_TURNS && !done; ++step->turns) {
        look(step, tree);
        double moved = move(step, tree, correct(step, tree));
        step->change = moved > 0.0 ? moved / (size + moved) : 0.0;
        // The error left is the change times the rate of convergence.
        done = step->change <= step->tolerance ||
               step->change * step->change <= step->tolerance * before;
        before = step->change;
    }
    if (done) {
        finish(step, tree, q, v);
    }
    return done;
}
