#include "agent/tree_step.h"

#include <math.h>
#include <string.h>

#include "agent/tree_joint.h"
#include "agent/tree_newton.h"
#include "agent/tree_travel.h"
#include "base/memory.h"

enum { MOST_SIMPLE_TURNS = 20, MOST_EXACT_TURNS = 20 };

bool sn_tree_step_allocate(sn_tree_step *step, const sn_tree *tree)
{
    size_t n = (size_t)tree->count, nq = (size_t)tree->q_count, nv = (size_t)tree->v_count;
    *step = (sn_tree_step){.tolerance = 1e-8};
    step->back = sn_allocate_zero(n * sizeof *step->back);
    step->search = sn_allocate_zero(n * sizeof *step->search);
    step->newton = sn_allocate_zero(n * sizeof *step->newton);
    step->resisted = sn_allocate_zero(n * sizeof *step->resisted);
    step->arrived = sn_allocate_zero(2 * n * sizeof *step->arrived);
    step->c = sn_allocate_zero((nq + nv) * sizeof *step->c);
    if (step->back == NULL || step->search == NULL || step->newton == NULL ||
        step->resisted == NULL || step->arrived == NULL || step->c == NULL) {
        sn_tree_step_free(step);
        return false;
    }
    step->due = step->arrived + n;
    step->impulse = step->c + nq;
    return true;
}

void sn_tree_step_free(sn_tree_step *step)
{
    sn_free(step->back);
    sn_free(step->search);
    sn_free(step->newton);
    sn_free(step->resisted);
    sn_free(step->arrived);
    sn_free(step->c);
    *step = (sn_tree_step){0};
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

static const sn_tree_travel at_rest = SN_TREE_AT_REST;

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
            sn_vec3 x = sn_vec3_scale(0.25 * h, sn_vec3_at(by));
            quat_put(to, sn_quat_multiply(quat_at(from), (sn_quat){1.0, x.x, x.y, x.z}));
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            to[k] = from[k] + 0.5 * h * by[k];
        }
    }
    sn_tree_place(tree, step->c);
    sn_tree_step_resist(step, NULL, NULL);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_vec3 own = sn_tree_joint_read(body, &tree->pose[i].rotation, v + body->v);
        sn_tree_travel *back = &step->back[i];
        const sn_tree_travel *parent = body->parent >= 0 ? &step->back[body->parent] : &at_rest;
        own = sn_vec3_scale(-h, own);
        if (body->joint == SN_TREE_BALL) { // (1, x / 4)^2
            sn_tree_turn_on(parent, 1.0 - 0.0625 * sn_dot(own, own), sn_vec3_scale(0.5, own), back);
            back->bend = sn_tree_bend(back->w, back->turn);
        }
        step->search[i].past = own;
        step->search[i].wrench = SN_SPATIAL_ZERO;
        sn_tree_travel_on(body, parent, own, back);
    }
}

// The movement of a ball by the quaternion (w, x): 4 tan(angle / 4) along its axis.
static sn_vec3 ball_movement(double w, sn_vec3 x)
{
    double length = sqrt(w * w + sn_dot(x, x));
    double side = w < 0.0 ? -1.0 : 1.0; // the shorter way
    return sn_vec3_scale(4.0 * side / (length + fabs(w)), x);
}

void sn_tree_step_begin_between(sn_tree_step *step, sn_tree *tree, const double *before,
                                const double *c, double h)
{
    step->h = h;
    memmove(step->c, c, (size_t)tree->q_count * sizeof *c);
    sn_tree_place(tree, step->c);
    sn_tree_step_resist(step, NULL, NULL);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        const sn_tree_link *link = &tree->links[i];
        const sn_mat3 *rotation = &tree->pose[i].rotation;
        const sn_tree_travel *parent = body->parent >= 0 ? &step->back[body->parent] : &at_rest;
        sn_tree_travel *back = &step->back[i];
        const double *from = before + link->q, *to = c + link->q;
        sn_vec3 own;
        if (body->joint == SN_TREE_BALL) {
            sn_quat turn = sn_quat_multiply(sn_quat_conjugate(quat_at(to)), quat_at(from));
            sn_vec3 x = sn_mat3_apply(*rotation, sn_vec3_make(turn.x, turn.y, turn.z));
            own = ball_movement(turn.w, x);
            sn_tree_turn_on(parent, turn.w, x, back);
            back->bend = sn_tree_bend(back->w, back->turn);
        } else {
            double moved[3] = {0.0, 0.0, 0.0};
            for (int k = 0; k < sn_tree_joint_v(body->joint); ++k) {
                moved[k] = from[k] - to[k];
            }
            own = sn_tree_joint_read(body, rotation, moved);
        }
        step->search[i].past = own;
        step->search[i].wrench = SN_SPATIAL_ZERO;
        sn_tree_travel_on(body, parent, own, back);
    }
}

void sn_tree_step_past(const sn_tree_step *step, const sn_tree *tree, double *moved)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_joint_write(body, &tree->pose[i].rotation, step->search[i].past, moved + body->v);
    }
}

void sn_tree_step_resist(sn_tree_step *step, const double *armature,
                         const sn_tree_inertia *resistance)
{
    step->armature = armature;
    step->resistance = resistance;
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
        step->arrived[i] = sn_spatial_scale(-1.0, sn_tree_momentum(body, &step->back[i]));
        step->due[i] = sn_spatial_add(step->arrived[i], push);
    }
    step->driven = force != NULL;
    for (int j = 0; j < tree->v_count; ++j) {
        step->impulse[j] = force != NULL ? h2 * force[j] : 0.0;
    }
    return sn_tree_factorise_with(tree, step->armature, step->resistance);
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
    step->driven = true;
    for (int j = 0; j < tree->v_count; ++j) {
        step->impulse[j] += step->h * impulse[j];
    }
}

// ---- to the end of the step ----

static double size_of(sn_vec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

// The joint's own turn of a ball is what the link's has beyond the parent's: T = T_parent T_joint.
// World axes at c.
static sn_tree_travel joint_turn(const sn_tree_step *step, const sn_tree *tree, int i)
{
    const sn_tree_travel *travel = &step->search[i].travel;
    if (tree->body[i].parent < 0) {
        return *travel;
    }
    sn_tree_travel back = step->search[tree->body[i].parent].travel, turn;
    back.turn = sn_vec3_negate(back.turn);
    sn_tree_turn_on(&back, travel->w, travel->turn, &turn);
    return turn;
}

static sn_vec3 joint_movement(const sn_tree_step *step, const sn_tree *tree, int i)
{
    if (tree->body[i].joint != SN_TREE_BALL) {
        return step->search[i].moved;
    }
    sn_tree_travel turn = joint_turn(step, tree, i);
    return ball_movement(turn.w, turn.turn);
}

static bool is_resisted(const sn_tree_step *step)
{
    return step->armature != NULL || step->resistance != NULL;
}

// What resists the movements to the guess, or from c to c-.
static void resist(sn_tree_step *step, const sn_tree *tree, bool past)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_search *at = &step->search[i];
        sn_tree_resisted *resisted = &step->resisted[i];
        sn_vec3 own = past ? at->past : joint_movement(step, tree, i);
        resisted->held = SN_VEC3_ZERO;
        resisted->dragged = SN_SPATIAL_ZERO;
        if (step->armature != NULL) {
            resisted->held = body->joint < SN_TREE_BALL
                                 ? sn_vec3_scale(step->armature[body->v], own)
                                 : sn_sym3_apply(&tree->armature[i], own);
        }
        if (step->resistance != NULL) {
            const sn_tree_inertia *b = &step->resistance[i];
            at->motion = sn_tree_joint_motion(body, own);
            if (body->parent >= 0) {
                at->motion = sn_spatial_add(
                    at->motion, sn_tree_carried(body, &step->search[body->parent].motion));
            }
            sn_vec3 w = at->motion.angular, v = at->motion.linear;
            resisted->dragged = sn_spatial_make(
                sn_vec3_add(sn_sym3_apply(&b->angular, w), sn_mat3_apply(b->coupling, v)),
                sn_vec3_add(sn_mat3_apply_transpose(b->coupling, w), sn_sym3_apply(&b->linear, v)));
        }
    }
}

// Inwards: what a joint lacks when its link and all that hangs on it have so much beyond their due,
// and the first half of the solve for it.
SN_TREE_INLINE void lack(sn_tree_step *step, const sn_tree *tree, int i, sn_spatial beyond,
                         const sn_tree_resisted *resisted)
{
    const sn_tree_body *body = &tree->body[i];
    sn_tree_search *at = &step->search[i];
    sn_vec3 impulse = at->impulse;
    beyond = sn_spatial_add(at->wrench, beyond);
    if (resisted != NULL) {
        beyond = sn_spatial_add(beyond, resisted->dragged);
        impulse = sn_vec3_sub(impulse, resisted->held);
    }
    at->share = sn_vec3_sub(impulse, sn_tree_joint_felt(body, &beyond));
    if (body->parent >= 0) {
        const sn_sym3 *armature = resisted != NULL && tree->armed ? &tree->armature[i] : NULL;
        beyond =
            sn_spatial_add(beyond, sn_tree_pass_on(body, &tree->factor[i], armature, at->share));
        sn_tree_add_wrench(body, &beyond, &step->search[body->parent].wrench);
    }
}

// Outwards: the second half. Gives the joint's movement, of balls the link's turn.
SN_TREE_INLINE sn_vec3 follow(sn_tree_step *step, const sn_tree *tree, int i, bool armed)
{
    const sn_tree_body *body = &tree->body[i];
    sn_tree_search *at = &step->search[i];
    at->motion = body->parent >= 0 ? sn_tree_carried(body, &step->search[body->parent].motion)
                                   : SN_SPATIAL_ZERO;
    at->wrench = SN_SPATIAL_ZERO; // done with
    const sn_sym3 *armature = armed ? &tree->armature[i] : NULL;
    sn_vec3 own = sn_tree_accelerate(body, &tree->factor[i], armature, at->share, &at->motion);
    return body->joint == SN_TREE_BALL ? at->motion.angular : own;
}

SN_TREE_INLINE void read_impulse(sn_tree_step *step, const sn_tree *tree, int i)
{
    step->search[i].impulse = SN_VEC3_ZERO;
    if (step->driven) {
        step->search[i].impulse = sn_tree_joint_read(&tree->body[i], &tree->pose[i].rotation,
                                                     step->impulse + tree->body[i].v);
    }
}

static void look_back(sn_tree_step *step, const sn_tree *tree)
{
    if (is_resisted(step)) {
        resist(step, tree, true);
        for (int i = tree->count - 1; i >= 0; --i) {
            read_impulse(step, tree, i);
            lack(step, tree, i,
                 sn_spatial_scale(-1.0, sn_spatial_add(step->arrived[i], step->due[i])),
                 &step->resisted[i]);
        }
        return;
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        read_impulse(step, tree, i);
        lack(step, tree, i, sn_spatial_scale(-1.0, sn_spatial_add(step->arrived[i], step->due[i])),
             NULL);
    }
}

// The first guess: the sum of the last movement and this one, solved for, less the last. Gives the
// size of the whole movement.
SN_TREE_INLINE double guess_movement(sn_tree_step *step, const sn_tree *tree, bool armed)
{
    double size = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        const sn_tree_travel *back = &step->back[i];
        sn_tree_search *at = &step->search[i];
        const sn_tree_travel *parent =
            body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
        sn_vec3 both = follow(step, tree, i, armed);
        at->wanted = SN_VEC3_ZERO;
        at->made = SN_VEC3_ZERO;
        if (body->joint == SN_TREE_BALL) {
            // s = axis sin(angle), of which (1 + cos(angle), s) is the quaternion
            sn_vec3 sine = sn_vec3_add_scaled(both, back->bend * back->w, back->turn);
            double cosine2 = 1.0 - sn_dot(sine, sine);
            at->travel.w = 1.0 + (cosine2 > 0.0 ? sqrt(cosine2) : 0.0);
            at->travel.turn = sine;
            at->travel.bend = sn_tree_bend(at->travel.w, sine);
            size += size_of(sine);
        } else {
            at->moved = sn_vec3_add(at->past, both);
            size += size_of(at->moved);
        }
        sn_tree_travel_on(body, parent, at->moved, &at->travel);
    }
    return size;
}

static double guess(sn_tree_step *step, const sn_tree *tree)
{
    look_back(step, tree);
    step->size = tree->armed ? guess_movement(step, tree, true) : guess_movement(step, tree, false);
    return step->size;
}

static void look(sn_tree_step *step, const sn_tree *tree)
{
    if (is_resisted(step)) {
        resist(step, tree, false);
        for (int i = tree->count - 1; i >= 0; --i) {
            sn_spatial has = sn_tree_momentum(&tree->body[i], &step->search[i].travel);
            lack(step, tree, i, sn_spatial_sub(has, step->due[i]), &step->resisted[i]);
        }
        return;
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        sn_spatial has = sn_tree_momentum(&tree->body[i], &step->search[i].travel);
        lack(step, tree, i, sn_spatial_sub(has, step->due[i]), NULL);
    }
}

// Finds what is to be changed. Gives Anderson's weight of the turn before: the best
// that a mix of both turns can do, were the map linear (Walker and Ni, SIAM J. Numer. Anal. 49,
// 2011). Where one direction converges badly, as near a gimbal's lock, it alone is left, and goes.
SN_TREE_INLINE double correct_movement(sn_tree_step *step, const sn_tree *tree, bool armed)
{
    double along = 0.0, square = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        sn_tree_search *at = &step->search[i];
        sn_vec3 own = follow(step, tree, i, armed);
        sn_vec3 grown = sn_vec3_sub(own, at->wanted);
        along += sn_dot(own, grown);
        square += sn_dot(grown, grown);
        at->wanted = own;
        at->before = sn_vec3_add(at->made, grown);
    }
    double weight = square > 0.0 ? along / square : 0.0;
    return step->turns > 0 && fabs(weight) < 10.0 ? weight : 0.0;
}

static double correct(sn_tree_step *step, const sn_tree *tree)
{
    return tree->armed ? correct_movement(step, tree, true) : correct_movement(step, tree, false);
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
        if (body->joint == SN_TREE_BALL) {
            sn_tree_travel old = at->travel;
            sn_tree_turn_on(&old, 1.0, sn_vec3_scale(0.5, at->made), &at->travel);
            at->travel.bend = sn_tree_bend(at->travel.w, at->travel.turn);
        } else {
            at->moved = sn_vec3_add(at->moved, at->made);
        }
        sn_tree_travel_on(body, parent, at->moved, &at->travel);
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
        // Half of a turn has the quaternion (|t| + w, x) for (w, x) of the whole.
        sn_tree_travel turn = joint_turn(step, tree, i);
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

void sn_tree_step_ahead(const sn_tree_step *step, const sn_tree *tree, double *c)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const sn_mat3 *rotation = &tree->pose[i].rotation;
        const double *from = step->c + link->q;
        if (link->joint == SN_TREE_BALL) {
            sn_tree_travel turn = joint_turn(step, tree, i);
            sn_vec3 x = sn_mat3_apply_transpose(*rotation, turn.turn);
            quat_put(c + link->q, sn_quat_normalize(sn_quat_multiply(
                                      quat_at(from), (sn_quat){turn.w, x.x, x.y, x.z})));
            continue;
        }
        double moved[3];
        sn_tree_joint_write(&tree->body[i], rotation, step->search[i].moved, moved);
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            c[link->q + k] = from[k] + moved[k];
        }
    }
}

void sn_tree_step_moved(const sn_tree_step *step, const sn_tree *tree, double *moved)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_joint_write(body, &tree->pose[i].rotation, joint_movement(step, tree, i),
                            moved + body->v);
    }
}

void sn_tree_step_finish(const sn_tree_step *step, const sn_tree *tree, double *q, double *v)
{
    finish(step, tree, q, v);
}

void sn_tree_step_loads(sn_tree_step *step, const sn_tree *tree, sn_spatial *load)
{
    double per_step = 1.0 / (step->h * step->h);
    if (is_resisted(step)) {
        resist(step, tree, false);
    }
    for (int i = 0; i < tree->count; ++i) {
        sn_spatial has = sn_tree_momentum(&tree->body[i], &step->search[i].travel);
        load[i] = sn_spatial_sub(has, step->due[i]);
        if (is_resisted(step)) {
            load[i] = sn_spatial_add(load[i], step->resisted[i].dragged);
        }
        load[i] = sn_spatial_scale(per_step, load[i]);
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        if (tree->body[i].parent >= 0) {
            sn_tree_add_wrench(&tree->body[i], &load[i], &load[tree->body[i].parent]);
        }
    }
}

// Turns with the factor of M(c), as long as they converge well. False: they do not.
static bool search_simply(sn_tree_step *step, const sn_tree *tree)
{
    double size = step->size, before = INFINITY;
    for (step->turns = 0; step->turns < MOST_SIMPLE_TURNS;) {
        look(step, tree);
        double moved = move(step, tree, correct(step, tree));
        step->turns += 1;
        step->change = moved > 0.0 ? moved / (size + moved) : 0.0;
        double rate = step->change / before; // 0 at first: not known
        if (step->change <= step->tolerance ||
            (rate > 0.0 && rate * step->change <= step->tolerance)) {
            return true;
        }
        if (!(rate < 0.5)) {
            return false;
        }
        before = step->change;
    }
    return false;
}

// Newton's method with the derivative at each guess, from the first guess again.
static bool search_exactly(sn_tree_step *step, const sn_tree *tree)
{
    double size = guess(step, tree);
    for (int turn = 0; turn < MOST_EXACT_TURNS; ++turn) {
        if (!sn_tree_newton_factorise(step, tree)) {
            return false;
        }
        if (is_resisted(step)) {
            resist(step, tree, false);
        }
        double moved = sn_tree_newton_turn(step, tree);
        step->turns += 1;
        step->change = moved / (size + moved);
        // It converges quadratically: the next change is the square of this one, or rounding.
        if (step->change * step->change <= step->tolerance) {
            return true;
        }
    }
    return false;
}

// A link turns by more than a sixth of a turn. Beyond a quarter the momentum falls as a link turns
// further, and what is found there is another motion's end; the margin is for what comes next.
static bool too_far(const sn_tree_step *step, const sn_tree *tree)
{
    bool far = false;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_travel *travel = &step->search[i].travel;
        far = far || travel->w * travel->w < 3.0 * sn_dot(travel->turn, travel->turn);
    }
    return far;
}

void sn_tree_step_guess(sn_tree_step *step, const sn_tree *tree)
{
    guess(step, tree);
}

bool sn_tree_step_search(sn_tree_step *step, const sn_tree *tree)
{
    for (int i = 0; i < tree->count; ++i) {
        read_impulse(step, tree, i);
        step->search[i].wanted = SN_VEC3_ZERO;
        step->search[i].made = SN_VEC3_ZERO;
    }
    bool found = search_simply(step, tree) || search_exactly(step, tree);
    return found && !too_far(step, tree);
}

bool sn_tree_step_advance(sn_tree_step *step, sn_tree *tree, double *q, double *v)
{
    guess(step, tree);
    bool found = search_simply(step, tree) || search_exactly(step, tree);
    found = found && !too_far(step, tree);
    if (found) {
        finish(step, tree, q, v);
    }
    return found;
}

bool sn_tree_step_take(sn_tree_step *step, sn_tree *tree, double h, sn_vec3 gravity,
                       const sn_spatial *wrench, const double *force, double *q, double *v)
{
    const int whole = 1024;
    int part = whole, done = 0; // in units of h / whole
    step->parts = 0;
    while (done < whole) {
        sn_tree_step_begin(step, tree, q, v, h * part / whole);
        if (!sn_tree_step_push(step, tree, gravity, wrench, force)) {
            return false;
        }
        if (!sn_tree_step_advance(step, tree, q, v)) {
            if (part == 1) {
                return false;
            }
            part /= 2;
            continue;
        }
        step->parts += 1;
        done += part;
        while (part < whole && done % (2 * part) == 0 && step->turns <= 4) {
            part *= 2; // it went easily
        }
    }
    return true;
}
