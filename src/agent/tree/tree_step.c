#include "agent/tree/tree_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "agent/tree/tree_joint.h"
#include "agent/tree/tree_newton.h"
#include "agent/tree/tree_travel.h"
#include "base/memory.h"

// Turns of a link in a step, as squares of the tangent of half the angle.
static const double FARTHEST = 1.0 / 3.0; // a sixth of a turn
static const double MOST_RELATIVE = 2.1;  // of two links that each turn by that
static const double SURE = 0.01;          // 0.2 rad: no doubt about the energy of even links
static const double STIRRED = 2e-4;       // 0.03

static const double ROTOR = 2e-6; // 0.003, of hinges and screws: 30 rpm at 1 ms
static const double ROTOR_TOLERANCE = 1e-13;
static const double EVEN = 0.1; // limit of `jump` of trees that are neither uneven nor deep

enum { MOST_SIMPLE_TURNS = 20, MOST_EXACT_TURNS = 20, MOST_FINER_TURNS = 6 };

// How far a link hangs from the one before it; where the root hangs in the world says nothing.
static double arm_of(const sn_tree_link *link)
{
    return link->parent >= 0 ? sn_length(link->frame.position) : 0.0;
}

// Uses `search` to note distances.
static double moment_of(const sn_tree *tree, sn_tree_search *search)
{
    double sum = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        double depth = link->parent >= 0 ? search[link->parent].past.x : 0.0;
        search[i].past.x = depth + arm_of(link);
        sum += link->mass * (search[i].past.x + sn_length(link->centre));
    }
    return sum;
}

// The largest ratio of two links' masses, or of two arms.
static double unevenness(const sn_tree *tree)
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {0.0, 0.0};
    for (int i = 0; i < tree->count; ++i) {
        double size[2] = {tree->links[i].mass, arm_of(&tree->links[i])};
        for (int k = 0; k < 2; ++k) {
            least[k] = size[k] > 0.0 ? fmin(least[k], size[k]) : least[k];
            most[k] = fmax(most[k], size[k]);
        }
    }
    return fmax(most[0] / least[0], most[1] > 0.0 ? most[1] / least[1] : 0.0);
}

// Links from the root to the farthest one. Uses `search` to note them.
static double depth_of(const sn_tree *tree, sn_tree_search *search)
{
    double most = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        search[i].past.y = 1.0 + (link->parent >= 0 ? search[link->parent].past.y : 0.0);
        most = fmax(most, search[i].past.y);
    }
    return most;
}

bool sn_tree_step_allocate(sn_tree_step *step, const sn_tree *tree)
{
    size_t n = (size_t)tree->count, nq = (size_t)tree->q_count, nv = (size_t)tree->v_count;
    *step = (sn_tree_step){.tolerance = 2e-8};
    step->back = sn_allocate_zero(n * sizeof *step->back);
    step->search = sn_allocate_zero(n * sizeof *step->search);
    step->newton = sn_allocate_zero(n * sizeof *step->newton);
    step->resisted = sn_allocate_zero(n * sizeof *step->resisted);
    step->arrived = sn_allocate_zero(3 * n * sizeof *step->arrived);
    step->c = sn_allocate_zero((3 * nq + 4 * nv) * sizeof *step->c);
    if (step->back == NULL || step->search == NULL || step->newton == NULL ||
        step->resisted == NULL || step->arrived == NULL || step->c == NULL) {
        sn_tree_step_free(step);
        return false;
    }
    // What hangs at rest moves by rounding alone, which no turn makes smaller.
    for (int i = 0; i < tree->count; ++i) {
        int joint = (int)tree->links[i].joint;
        step->still += joint == SN_TREE_SLIDER || joint == SN_TREE_TRANSLATION ? 0.0 : 1e-9;
    }
    step->due = step->arrived + n;
    step->pushed = step->due + n;
    step->impulse = step->c + nq;
    step->held = step->impulse + nv;
    step->trial = step->held + nv;
    step->start = step->trial + nq + nv;
    step->moment = moment_of(tree, step->search);
    for (int i = 0; i < tree->count; ++i) {
        step->balls = step->balls || tree->links[i].joint == SN_TREE_BALL;
    }
    // Each change between whole steps and parts shifts the energy that the motion keeps by up to
    // the limit, at random: where whole steps are sound, they are best left alone.
    double uneven = unevenness(tree), deep = depth_of(tree, step->search);
    step->uneven = uneven > 100.0;
    step->limit = step->uneven ? 3e-3 : deep > 30.0 ? 1e-3 : EVEN;
    step->sure = SURE * fmin(1.0, fmin(100.0 / uneven, 10.0 / deep));
    step->lively = step->limit < EVEN ? 1e-6 : 1e-4;
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
            sn_vec3 x = sn_vec3_scale(0.25 * h, sn_vec3_at(by)); // (1, x) with tan(|x|) along x
            double tangent = sn_tree_tangent(sn_dot(x, x));
            step->back[i].stretch = tangent; // for the turn back, below
            x = sn_vec3_scale(tangent, x);
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
        if (body->joint == SN_TREE_BALL) { // (1, x)^2 = (1 - x^2, 2 x), x = t own / 4
            double z = 0.0625 * sn_dot(own, own), t = back->stretch, square = t * t * z;
            sn_tree_turn_on(parent, 1.0 - square, sn_vec3_scale(0.5 * t, own), back);
            back->bend = parent->bend / ((1.0 + square) * (1.0 + square));
        }
        step->search[i].past = own;
        step->search[i].wrench = SN_SPATIAL_ZERO;
        sn_tree_travel_on(body, parent, own, back);
    }
}

// The movement of a ball by the quaternion (w, x): the turn as a vector.
static sn_vec3 ball_movement(double w, sn_vec3 x)
{
    double length = sqrt(w * w + sn_dot(x, x));
    double side = w < 0.0 ? -1.0 : 1.0; // the shorter way
    sn_vec3 t = sn_vec3_scale(side / (length + fabs(w)), x);
    return sn_vec3_scale(4.0 * sn_tree_arc_by_tangent(sn_dot(t, t)), t);
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

static bool is_resisted(const sn_tree_step *step)
{
    return step->armature != NULL || step->resistance != NULL;
}

// What a link arrives with, and what it is to have.
SN_TREE_INLINE void push_link(sn_tree_step *step, const sn_tree *tree, int i, bool arcs,
                              const sn_spatial *wrench)
{
    const sn_tree_body *body = &tree->body[i];
    const sn_tree_travel *parent = body->parent >= 0 ? &step->back[body->parent] : &at_rest;
    sn_tree_search *at = &step->search[i];
    double h2 = step->h * step->h;
    sn_vec3 third;
    sn_spatial had =
        sn_tree_momentum(tree, i, arcs, parent, &step->back[i], at->past, step->search, &third);
    if (arcs) {
        had = sn_spatial_add(had, at->wrench);
        at->third = sn_vec3_add(third, at->wrench.angular);
        at->wrench = SN_SPATIAL_ZERO;
    }
    sn_vec3 weight = sn_vec3_scale(h2 * body->mass, step->gravity);
    sn_spatial push = sn_spatial_make(sn_cross(body->reach, weight), weight);
    if (wrench != NULL) {
        push = sn_spatial_add_scaled(push, h2, wrench[i]);
    }
    step->arrived[i] = sn_spatial_scale(-1.0, had);
    step->due[i] = sn_spatial_sub(push, had);
}

bool sn_tree_step_push(sn_tree_step *step, sn_tree *tree, sn_vec3 gravity, const sn_spatial *wrench,
                       const double *force)
{
    double h2 = step->h * step->h;
    step->weight = step->moment * sn_length(gravity);
    step->gravity = gravity;
    step->fastest = -1;
    if (tree->arcs) {
        for (int i = tree->count - 1; i >= 0; --i) {
            push_link(step, tree, i, true, wrench);
        }
    } else {
        for (int i = tree->count - 1; i >= 0; --i) {
            push_link(step, tree, i, false, wrench);
        }
    }
    step->driven = false;
    for (int j = 0; j < tree->v_count; ++j) {
        step->impulse[j] = force != NULL ? h2 * force[j] : 0.0;
        step->driven = step->driven || step->impulse[j] != 0.0;
    }
    step->alone = wrench == NULL && !step->driven && !is_resisted(step);
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
    step->alone = false;
    for (int j = 0; j < tree->v_count; ++j) {
        step->impulse[j] += step->h * impulse[j];
    }
}

// ---- to the end of the step ----

static double size_of(sn_vec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

// The joint's own turn of a ball, by its quaternion, is what the link's has beyond the parent's: T
// = T_parent T_joint. World axes at c.
SN_TREE_INLINE sn_quat joint_turn(const sn_tree_step *step, const sn_tree *tree, int i)
{
    const sn_tree_travel *travel = &step->search[i].travel;
    double w = travel->w;
    sn_vec3 x = travel->turn;
    if (tree->body[i].parent >= 0) {
        const sn_tree_travel *parent = &step->search[tree->body[i].parent].travel;
        sn_vec3 u = parent->turn, across = sn_cross(u, x);
        double along = sn_dot(u, x);
        x = sn_vec3_sub(sn_vec3_sub(sn_vec3_scale(parent->w, x), sn_vec3_scale(w, u)), across);
        w = parent->w * w + along;
    }
    return (sn_quat){w, x.x, x.y, x.z};
}

static sn_vec3 joint_movement(const sn_tree_step *step, const sn_tree *tree, int i)
{
    if (tree->body[i].joint != SN_TREE_BALL) {
        return step->search[i].moved;
    }
    sn_quat turn = joint_turn(step, tree, i);
    return ball_movement(turn.w, sn_vec3_make(turn.x, turn.y, turn.z));
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

// -2 P(c-, c) - h f, with the sign of what is of third order in it changed: this is what the
// mirrored movement has of it.
SN_TREE_INLINE sn_spatial mirrored(const sn_tree_step *step, const sn_tree *tree, int i)
{
    sn_spatial both = sn_spatial_scale(-1.0, sn_spatial_add(step->arrived[i], step->due[i]));
    if (tree->body[i].gathers) {
        both.angular = sn_vec3_add_scaled(both.angular, -2.0, step->search[i].third);
    }
    return both;
}

static void look_back(sn_tree_step *step, const sn_tree *tree)
{
    if (is_resisted(step)) {
        resist(step, tree, true);
        for (int i = tree->count - 1; i >= 0; --i) {
            read_impulse(step, tree, i);
            lack(step, tree, i, mirrored(step, tree, i), &step->resisted[i]);
        }
        return;
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        read_impulse(step, tree, i);
        lack(step, tree, i, mirrored(step, tree, i), NULL);
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
    step->behind = false;
    double size =
        tree->armed ? guess_movement(step, tree, true) : guess_movement(step, tree, false);
    step->size = fmax(size, step->still);
    return step->size;
}

// h times the momentum at the guess, from the last link to the first.
SN_TREE_INLINE sn_spatial momentum_ahead(sn_tree_step *step, const sn_tree *tree, int i, bool arcs)
{
    const sn_tree_body *body = &tree->body[i];
    sn_tree_search *at = &step->search[i];
    const sn_tree_travel *parent =
        body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
    sn_vec3 third;
    sn_spatial has =
        sn_tree_momentum(tree, i, arcs, parent, &at->travel, at->moved, step->search, &third);
    at->has = has.linear;
    return has;
}

SN_TREE_INLINE void look_links(sn_tree_step *step, const sn_tree *tree, bool arcs, bool resisted)
{
    for (int i = tree->count - 1; i >= 0; --i) {
        sn_spatial has = momentum_ahead(step, tree, i, arcs);
        lack(step, tree, i, sn_spatial_sub(has, step->due[i]),
             resisted ? &step->resisted[i] : NULL);
    }
}

static void look(sn_tree_step *step, const sn_tree *tree)
{
    if (is_resisted(step)) {
        resist(step, tree, false);
        if (tree->arcs) {
            look_links(step, tree, true, true);
        } else {
            look_links(step, tree, false, true);
        }
    } else if (tree->arcs) {
        look_links(step, tree, true, false);
    } else {
        look_links(step, tree, false, false);
    }
}

// Moves the guess at a link by at->made.
SN_TREE_INLINE void move_link(sn_tree_step *step, const sn_tree *tree, int i)
{
    const sn_tree_body *body = &tree->body[i];
    sn_tree_search *at = &step->search[i];
    const sn_tree_travel *parent =
        body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
    if (body->joint == SN_TREE_BALL) {
        sn_tree_travel old = at->travel;
        sn_tree_turn_on(&old, 1.0, sn_vec3_scale(0.5, at->made), &at->travel);
        at->travel.bend = sn_tree_bend(at->travel.w, at->travel.turn);
    } else {
        at->moved = sn_vec3_add(at->moved, at->made);
    }
    sn_tree_travel_on(body, parent, at->moved, &at->travel);
}

// The first turn makes what it finds right. Gives the size of the change.
SN_TREE_INLINE double turn_first(sn_tree_step *step, const sn_tree *tree, bool armed)
{
    double size = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        sn_tree_search *at = &step->search[i];
        at->wanted = follow(step, tree, i, armed);
        at->made = at->wanted;
        size += size_of(at->made);
        move_link(step, tree, i);
    }
    return size;
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
    return fabs(weight) < 10.0 ? weight : 0.0;
}

// What a turn makes of it. Gives the size of the change.
static double mix(sn_tree_step *step, const sn_tree *tree, double weight)
{
    double size = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        sn_tree_search *at = &step->search[i];
        at->made = sn_vec3_add_scaled(at->wanted, -weight, at->before);
        size += size_of(at->made);
    }
    return size;
}

// brief: only the joints, and their links stay behind, where nobody asks for them any more. Links
// on balls tell how those have turned, and are moved.
static void move(sn_tree_step *step, const sn_tree *tree, bool brief)
{
    if (brief && !step->balls) {
        for (int i = 0; i < tree->count; ++i) {
            sn_tree_search *at = &step->search[i];
            at->moved = sn_vec3_add(at->moved, at->made);
        }
        step->behind = true;
        return;
    }
    for (int i = 0; i < tree->count; ++i) {
        move_link(step, tree, i);
    }
}

// Brings links to where their joints are.
static void catch_up(sn_tree_step *step, const sn_tree *tree)
{
    for (int i = 0; i < tree->count && step->behind; ++i) {
        const sn_tree_body *body = &tree->body[i];
        const sn_tree_travel *parent =
            body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
        sn_tree_travel_on(body, parent, step->search[i].moved, &step->search[i].travel);
    }
    step->behind = false;
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
            double moved[3] = {0.0};
            sn_tree_joint_write(&tree->body[i], rotation, at->moved, moved);
            for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
                q[link->q + k] = c[k] + 0.5 * moved[k];
                v[link->v + k] = moved[k] / step->h;
            }
            continue;
        }
        // Half of a turn has the quaternion (|t| + w, x) for (w, x) of the whole.
        sn_quat turn = joint_turn(step, tree, i);
        sn_vec3 x = sn_mat3_apply_transpose(*rotation, sn_vec3_make(turn.x, turn.y, turn.z));
        double length = sqrt(turn.w * turn.w + sn_dot(x, x));
        sn_vec3 half = sn_vec3_scale(1.0 / (length + turn.w), x);
        quat_put(q + link->q, sn_quat_normalize(sn_quat_multiply(
                                  quat_at(c), (sn_quat){1.0, half.x, half.y, half.z})));
        double rate = 4.0 * sn_tree_arc_by_tangent(sn_dot(half, half)) / step->h;
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
            sn_quat turn = joint_turn(step, tree, i);
            sn_vec3 x = sn_mat3_apply_transpose(*rotation, sn_vec3_make(turn.x, turn.y, turn.z));
            quat_put(c + link->q, sn_quat_normalize(sn_quat_multiply(
                                      quat_at(from), (sn_quat){turn.w, x.x, x.y, x.z})));
            continue;
        }
        double moved[3] = {0.0};
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
    catch_up(step, tree);
    if (is_resisted(step)) {
        resist(step, tree, false);
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        sn_spatial has =
            sn_spatial_add(momentum_ahead(step, tree, i, tree->arcs), step->search[i].wrench);
        step->search[i].wrench = SN_SPATIAL_ZERO;
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

// Does a link turn as a rotor does?
static bool is_rotor(const sn_tree_step *step, const sn_tree *tree)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_travel *travel = &step->search[i].travel;
        double least = tree->body[i].arcs ? ROTOR : STIRRED;
        if (sn_dot(travel->turn, travel->turn) > least * (travel->w * travel->w)) {
            return true;
        }
    }
    return false;
}

// Turns with the factor of M(c), as long as they converge well. False: they do not. brief: see
// move.
static bool search_simply(sn_tree_step *step, const sn_tree *tree, bool brief)
{
    double size = step->size, before = INFINITY;
    int finer = 0;
    for (step->turns = 0; step->turns < MOST_SIMPLE_TURNS;) {
        bool first = step->turns == 0;
        double moved;
        look(step, tree);
        if (first) {
            moved = tree->armed ? turn_first(step, tree, true) : turn_first(step, tree, false);
        } else {
            double weight = tree->armed ? correct_movement(step, tree, true)
                                        : correct_movement(step, tree, false);
            moved = mix(step, tree, weight);
        }
        step->turns += 1;
        step->change = moved > 0.0 ? moved / (size + moved) : 0.0;
        double rate = step->change / before; // 0 at first: not known
        bool done = step->change <= step->tolerance ||
                    (rate > 0.0 && rate * step->change <= step->tolerance);
        // What the search leaves open is lost to the momentum. That adds up in rotors that
        // something drives: a few turns more, as long as they do something.
        if (done && finer < MOST_FINER_TURNS && step->driven && rate < 0.5 &&
            rate * step->change > ROTOR_TOLERANCE && is_rotor(step, tree)) {
            finer += 1;
            done = false;
        }
        if (!first) {
            move(step, tree, done && brief);
        }
        if (done || !(rate < 0.5)) {
            return done || finer > 0;
        }
        before = step->change;
    }
    return false;
}

// Newton's method with the derivative at each guess, from the first guess again.
static bool search_exactly(sn_tree_step *step, const sn_tree *tree)
{
    double size = guess(step, tree), before = 0.0;
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
        if (turn >= 5 && step->change > 0.3) {
            return false; // it wanders
        }
        // It converges quadratically: the next change is the square of this one, or rounding. Of
        // rotors that something drives the next change is wanted small at the rate of this one.
        double next = step->change * step->change, tolerance = step->tolerance;
        if (step->driven && is_rotor(step, tree)) {
            next = turn > 0 ? next / before : step->change;
            tolerance = fmin(tolerance, ROTOR_TOLERANCE);
        }
        if (step->change <= tolerance || next <= tolerance) {
            return true;
        }
        before = step->change;
    }
    return false;
}

// Do a joint or its link turn so far, to either side of c, that a quaternion does not tell by how
// much? With parents within half a turn and joints within MOST_RELATIVE, w > 0 does.
SN_TREE_INLINE bool is_around(const sn_tree_step *step, const sn_tree *tree, int i)
{
    const sn_tree_search *at = &step->search[i];
    sn_tree_joint joint = tree->body[i].joint;
    double past = sn_dot(at->past, at->past), moved = at->moved.x * at->moved.x; // balls: 0
    double most = joint == SN_TREE_SLIDER || joint == SN_TREE_TRANSLATION
                      ? INFINITY
                      : MOST_RELATIVE * MOST_RELATIVE;
    return !(past <= most && moved <= most && at->travel.w > 0.0 && step->back[i].w > 0.0);
}

// Looks back on a step. False: a link turns by more than a sixth of a turn (beyond a quarter the
// momentum falls as it turns further, and what is found there is another motion's end; the margin
// is for what comes next), or the energy may be wrong by more than the limit.
//
// The motion keeps a neighbouring energy, which differs from the energy of (q, v) by about 1/8 sum
// m |dv|^2, dv the change of a link's velocity at c (on a circle m |dv|^2 = (h omega)^2 2 T, and a
// quarter of (h omega)^2 T is what the chord is short of). Where dv comes from setting off, little
// has turned, and it says nothing.
static bool examine(sn_tree_step *step, const sn_tree *tree)
{
    double turn = 0.0, jump = 0.0, kinetic = 0.0;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_search *at = &step->search[i];
        double square = sn_dot(at->travel.turn, at->travel.turn), w2 = at->travel.w * at->travel.w;
        turn = is_around(step, tree, i) ? INFINITY : turn;
        turn = square > turn * w2 ? square / w2 : turn;
        sn_vec3 change = sn_vec3_sub(at->has, step->arrived[i].linear);
        double lightness = tree->body[i].mass > 0.0 ? 1.0 / tree->body[i].mass : 0.0;
        jump += lightness * sn_dot(change, change);
        kinetic += lightness * sn_dot(at->has, at->has);
    }
    step->turn = turn;
    step->jump = 0.125 * jump / (0.5 * kinetic + step->h * step->h * step->weight + DBL_MIN);
    return turn <= FARTHEST && !(step->jump > step->limit && turn > STIRRED);
}

void sn_tree_step_guess(sn_tree_step *step, const sn_tree *tree)
{
    guess(step, tree);
}

bool sn_tree_step_search(sn_tree_step *step, const sn_tree *tree)
{
    for (int i = 0; i < tree->count; ++i) {
        read_impulse(step, tree, i);
    }
    bool found = search_simply(step, tree, false) || search_exactly(step, tree);
    examine(step, tree);
    return found && step->turn <= FARTHEST;
}

// The end of a step that may be refused for its energy, or must keep it to rounding.
static bool finish_warily(sn_tree_step *step, sn_tree *tree, bool keeps, double *q, double *v)
{
    double *next_q = step->trial, *next_v = step->trial + tree->q_count;
    finish(step, tree, next_q, next_v);
    if (step->turn > step->sure) {
        double gain = sn_tree_step_gain(step, tree, q, v, next_q, next_v);
        gain = gain > 0.0 && step->uneven ? 10.0 * gain : fabs(gain);
        // What springs and dampers do to velocities says nothing: the work of all is in `gain`.
        step->jump = is_resisted(step) ? gain : fmax(step->jump, gain);
        if (!(step->jump <= step->limit)) {
            return false;
        }
    }
    if (keeps && step->limit < EVEN) {
        double energy = sn_tree_step_energy(step, tree, q, v);
        sn_tree_step_restore(step, tree, energy, next_q, next_v);
    } else if (keeps) {
        catch_up(step, tree);
        sn_tree_step_keep(step, tree, next_q, next_v);
    }
    memcpy(q, next_q, (size_t)tree->q_count * sizeof *q);
    memcpy(v, next_v, (size_t)tree->v_count * sizeof *v);
    return true;
}

bool sn_tree_step_advance(sn_tree_step *step, sn_tree *tree, double *q, double *v)
{
    step->jump = INFINITY;
    guess(step, tree);
    bool found = search_simply(step, tree, true) || search_exactly(step, tree);
    found = found && (examine(step, tree) || (is_resisted(step) && step->turn <= FARTHEST));
    if (!found) {
        return false;
    }
    bool keeps = step->keeps && step->alone && step->jump > step->lively;
    bool doubted = step->turn > step->sure;
    if (doubted || (keeps && step->limit < EVEN)) {
        return finish_warily(step, tree, keeps, q, v);
    }
    finish(step, tree, q, v);
    if (keeps) {
        catch_up(step, tree);
        sn_tree_step_keep(step, tree, q, v);
    }
    return true;
}

// The guess that nothing moves.
static void set_out(sn_tree_step *step, const sn_tree *tree)
{
    for (int i = 0; i < tree->count; ++i) {
        sn_tree_search *at = &step->search[i];
        at->impulse = sn_tree_joint_read(&tree->body[i], &tree->pose[i].rotation,
                                         step->impulse + tree->body[i].v);
        at->wrench = SN_SPATIAL_ZERO;
        at->moved = SN_VEC3_ZERO;
        at->travel = at_rest;
    }
}

bool sn_tree_step_advance_damped(sn_tree_step *step, sn_tree *tree, double drag, double share,
                                 double *q, double *v)
{
    bool found = false;
    step->drag = drag;
    step->share = share;
    double before = 0.0;
    set_out(step, tree);
    for (int turn = 0; turn < MOST_EXACT_TURNS && !found; ++turn) {
        if (!sn_tree_newton_factorise(step, tree)) {
            break;
        }
        double moved = sn_tree_newton_turn(step, tree);
        found = turn > 0 && moved <= step->tolerance * before;
        before = fmax(before, moved);
    }
    step->drag = 0.0;
    examine(step, tree);
    found = found && step->turn <= FARTHEST;
    if (found) {
        finish(step, tree, q, v);
    }
    return found;
}
