#include "agent/tree/tree_newton.h"

#include <math.h>
#include <string.h>

#include "agent/tree/tree_joint.h"
#include "agent/tree/tree_travel.h"

static const sn_tree_travel at_rest = SN_TREE_AT_REST;

// ---- the derivative of a link's own momentum ----

static sn_vec3 turned(const sn_tree_travel *travel, sn_vec3 x)
{
    return sn_vec3_add(x, sn_tree_displaced(travel, x));
}

static void add_block(double g[6][6], int row, int column, double s, sn_mat3 a)
{
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            g[row + k][column + l] += s * a.m[k][l];
        }
    }
}

static sn_mat3 outer(double s, sn_vec3 a, sn_vec3 b)
{
    return (sn_mat3){{{s * a.x * b.x, s * a.x * b.y, s * a.x * b.z},
                      {s * a.y * b.x, s * a.y * b.y, s * a.y * b.z},
                      {s * a.z * b.x, s * a.z * b.y, s * a.z * b.z}}};
}

// The way d = s (T - 1) x of what a link carries at x, by the link's turn: X' = kappa d phi^T - s
// [T x]; without arcs s = 1 and kappa = 0.
static sn_mat3 carried_way(const sn_tree_travel *travel, bool arcs, sn_vec3 x)
{
    sn_mat3 cross = sn_mat3_cross(turned(travel, x));
    if (!arcs) {
        return sn_mat3_scale(-1.0, cross);
    }
    double s = 1.0 + travel->over;
    sn_vec3 d = sn_vec3_scale(s, sn_tree_displaced(travel, x));
    return sn_mat3_add(outer(travel->round, d, travel->angle), sn_mat3_scale(-s, cross));
}

// What the link feels of a momentum there: Z = kappa phi d^T + s [x].
static sn_mat3 felt_moment(const sn_tree_travel *travel, bool arcs, sn_vec3 x)
{
    sn_mat3 cross = sn_mat3_cross(x);
    if (!arcs) {
        return cross;
    }
    double s = 1.0 + travel->over;
    sn_vec3 d = sn_vec3_scale(s, sn_tree_displaced(travel, x));
    return sn_mat3_add(outer(travel->round, travel->angle, d), sn_mat3_scale(s, cross));
}

// How phi changes by a further turn: J = 1 - [phi] / 2 + kappa [phi]^2.
static sn_mat3 angle_derivative(sn_vec3 phi, double kappa)
{
    sn_mat3 cross = sn_mat3_cross(phi);
    return sn_mat3_add(sn_mat3_add(SN_MAT3_IDENTITY, sn_mat3_scale(-0.5, cross)),
                       sn_mat3_scale(kappa, sn_mat3_multiply(cross, cross)));
}

// (1 / a) d kappa / da
static double round_slope(const sn_tree_travel *travel)
{
    double a2 = sn_dot(travel->angle, travel->angle);
    if (a2 < 0.01) {
        return 1.0 / 360.0 + a2 / 7560.0;
    }
    return (travel->over * (travel->over + 2.0) / a2 - travel->round) / a2;
}

// Of the spin I phi + phi x I phi / 2 + kappa phi x (phi x I phi), and of what the link feels of
// all that it carries, F held, by its turn.
static sn_mat3 arc_derivative(const sn_tree_body *body, const sn_tree_travel *travel,
                              const sn_tree_newton *f)
{
    const sn_sym3 *i = &body->inertia;
    sn_vec3 phi = travel->angle, spin = sn_sym3_apply(i, phi), across = sn_cross(phi, spin);
    double k = travel->round, slope = round_slope(travel), along = k * f->along;
    double s = 1.0 + travel->over;
    sn_mat3 inertia = {{{i->xx, i->xy, i->xz}, {i->xy, i->yy, i->yz}, {i->xz, i->yz, i->zz}}};
    sn_mat3 cross = sn_mat3_cross(phi);
    sn_mat3 once =
        sn_mat3_add(sn_mat3_multiply(cross, inertia), sn_mat3_scale(-1.0, sn_mat3_cross(spin)));
    sn_mat3 twice =
        sn_mat3_add(sn_mat3_multiply(cross, once), sn_mat3_scale(-1.0, sn_mat3_cross(across)));
    sn_mat3 by_angle =
        sn_mat3_add(sn_mat3_add(inertia, sn_mat3_scale(0.5, once)), sn_mat3_scale(k, twice));
    by_angle = sn_mat3_add(by_angle, sn_mat3_diagonal(sn_vec3_make(along, along, along)));
    sn_vec3 by_size = sn_vec3_scale(slope, sn_cross(phi, across));
    by_size = sn_vec3_add_scaled(by_size, k * s, f->moment);
    by_size = sn_vec3_add_scaled(by_size, slope * f->along, phi);
    sn_vec3 way = sn_vec3_add_scaled(sn_vec3_scale(along, phi), s, f->ahead);
    return sn_mat3_add(sn_mat3_multiply(by_angle, angle_derivative(phi, k)),
                       sn_mat3_add(outer(1.0, by_size, phi), outer(k, phi, way)));
}

// d/dy of b / sin(b), y = sin^2(b / 2)
static double sine_slope(double y, double arc)
{
    return y < 1e-3 ? 2.0 / 3.0 + y * (16.0 / 15.0 + y * (48.0 / 35.0))
                    : (1.0 - (1.0 - 2.0 * y) * arc) / (2.0 * y * fmax(1.0 - y, 1e-12));
}

// Of the spin 2 e phi + sum_k d_k g_k r_k x T r_k, g = b / sin(b): with w = (T - 1) r it is 2 e J +
// sum_k d_k (g' / 2 (r x w) (T r x w)^T - g [r] [T r]).
static sn_mat3 swing_derivative(const sn_tree_spread *spread, const sn_mat3 *rotation,
                                const sn_tree_travel *travel)
{
    double over, round;
    sn_tree_arc(travel->w, sn_dot(travel->turn, travel->turn), travel->bend, &over, &round);
    sn_vec3 phi = sn_vec3_scale(sn_tree_angle_scale(travel->bend, over), travel->turn);
    sn_mat3 sum = sn_mat3_scale(2.0 * spread->middle, angle_derivative(phi, round));
    for (int k = 0; k < spread->count; ++k) {
        sn_vec3 r = sn_tree_spread_axis(spread, rotation, k), way = sn_tree_displaced(travel, r);
        double y = 0.25 * sn_dot(way, way), g = sn_tree_arc_by_sine(y);
        double beyond = spread->beyond[k], slope = sine_slope(y, g);
        sn_vec3 ahead = sn_vec3_add(r, way);
        sum = sn_mat3_add(sum, outer(0.5 * beyond * slope, sn_cross(r, way), sn_cross(ahead, way)));
        sum = sn_mat3_add(sum, sn_mat3_scale(-beyond * g, sn_mat3_multiply(sn_mat3_cross(r),
                                                                           sn_mat3_cross(ahead))));
    }
    return sum;
}

static void own_derivative(const sn_tree *tree, int i, const sn_tree_travel *travel,
                           const sn_tree_newton *f, double g[6][6])
{
    const sn_tree_body *body = &tree->body[i];
    sn_mat3 moved = carried_way(travel, body->arcs, body->reach);
    sn_mat3 felt = felt_moment(travel, body->arcs, body->reach);
    memset(g, 0, 36 * sizeof(double));
    add_block(g, 0, 0, 1.0,
              body->arcs
                  ? arc_derivative(body, travel, f)
                  : swing_derivative(sn_tree_spread_at(tree, i), &tree->pose[i].rotation, travel));
    add_block(g, 0, 0, body->mass, sn_mat3_multiply(felt, moved));
    add_block(g, 0, 3, body->mass, felt);
    add_block(g, 3, 0, body->mass, moved);
    add_block(g, 3, 3, body->mass, SN_MAT3_IDENTITY);
}

// Adds to a parent by arcs what a link on it passes on, F held.
static void sum_on_parent(const sn_tree_body *body, const sn_tree_travel *parent, sn_vec3 moved,
                          sn_vec3 force, sn_tree_newton *up)
{
    sn_vec3 arm = body->arm;
    if (sn_tree_slides(body)) {
        arm = sn_vec3_add_scaled(arm, 0.5, sn_tree_joint_motion(body, moved).linear);
    }
    sn_vec3 way = sn_tree_displaced(parent, arm);
    up->moment = sn_vec3_add(up->moment, sn_cross(arm, force));
    up->ahead = sn_vec3_add(up->ahead, sn_cross(sn_vec3_add(arm, way), force));
    up->along += (1.0 + parent->over) * sn_dot(way, force);
}

// What the links carry at the guess, and how.
static void sum_up(sn_tree_step *step, const sn_tree *tree)
{
    for (int i = 0; i < tree->count; ++i) {
        sn_tree_newton *f = &step->newton[i];
        f->force = f->moment = f->ahead = SN_VEC3_ZERO;
        f->along = 0.0;
        f->passed = SN_SPATIAL_ZERO;
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        const sn_tree_travel *travel = &step->search[i].travel;
        sn_tree_newton *f = &step->newton[i];
        if (!body->gathers) {
            continue;
        }
        double s = body->arcs ? 1.0 + travel->over : 1.0;
        sn_vec3 swung = sn_tree_displaced(travel, body->reach);
        sn_vec3 p = sn_vec3_scale(body->mass, sn_vec3_add_scaled(travel->shift, s, swung));
        f->force = sn_vec3_add(f->force, p);
        f->moment = sn_vec3_add(f->moment, sn_cross(body->reach, p));
        f->ahead = sn_vec3_add(f->ahead, sn_cross(sn_vec3_add(body->reach, swung), p));
        f->along += s * sn_dot(swung, p);
        if (body->parent >= 0) {
            sn_tree_newton *up = &step->newton[body->parent];
            up->force = sn_vec3_add(up->force, f->force);
            if (body->on_arcs) {
                sum_on_parent(body, &step->search[body->parent].travel, step->search[i].moved,
                              f->force, up);
            }
        }
    }
}

// ---- joints ----

// The columns of S and of S'; gives their number. Balls turn about world axes, so that theirs are
// the same. What slides along e on a parent by arcs has H e -+ s/2 (T - 1) e.
static int joint_columns(const sn_tree_body *body, const sn_tree_travel *parent, sn_tree_newton *f)
{
    int count = sn_tree_joint_v(body->joint);
    memset(f->row, 0, sizeof f->row);
    memset(f->column, 0, sizeof f->column);
    for (int k = 0; k < count; ++k) {
        sn_vec3 own = {k == 0, k == 1, k == 2};
        sn_spatial at = sn_tree_joint_motion(body, own), ahead = at;
        if (body->joint != SN_TREE_BALL) {
            ahead = sn_spatial_make(turned(parent, at.angular), turned(parent, at.linear));
        }
        if (body->on_arcs && sn_tree_slides(body)) {
            sn_vec3 half = sn_tree_half_turned(sn_tree_half_tangent(parent), at.linear);
            sn_vec3 swung = sn_tree_displaced(parent, at.linear);
            ahead.linear = sn_vec3_add_scaled(half, 0.5 * (1.0 + parent->over), swung);
            at.linear = sn_vec3_add_scaled(half, -0.5 * (1.0 + parent->over), swung);
        }
        const double row[6] = {at.angular.x, at.angular.y, at.angular.z,
                               at.linear.x,  at.linear.y,  at.linear.z};
        const double column[6] = {ahead.angular.x, ahead.angular.y, ahead.angular.z,
                                  ahead.linear.x,  ahead.linear.y,  ahead.linear.z};
        for (int l = 0; l < 6; ++l) {
            f->row[l][k] = row[l];
            f->column[l][k] = column[l];
        }
    }
    return count;
}

static bool invert(int count, double d[3][3], double inverse[3][3])
{
    memset(inverse, 0, 9 * sizeof(double));
    if (count == 1) {
        inverse[0][0] = 1.0 / d[0][0];
        return isfinite(inverse[0][0]);
    }
    sn_mat3 matrix;
    memcpy(matrix.m, d, sizeof matrix.m);
    matrix = sn_mat3_inverse(matrix);
    memcpy(inverse, matrix.m, sizeof matrix.m);
    return isfinite(inverse[0][0]);
}

// What only slides along a parent by arcs have, of which H turns along: how the moment on the
// parent, momentum held, changes by its turn (bent) and by the slide (by_own), and what the slide
// feels by the turn (by_turn).
typedef struct slide_terms {
    sn_mat3 bent;
    double by_own[3][3];  // moment by freedom
    double by_turn[3][3]; // freedom by turn
} slide_terms;

// How t = tan(a / 4) n changes by a further turn: with t = m phi it is m J + n phi phi^T.
static sn_mat3 tangent_derivative(const sn_tree_travel *travel, sn_vec3 t)
{
    sn_vec3 phi = travel->angle;
    double a2 = sn_dot(phi, phi), z = sn_dot(t, t);
    double m = a2 > 0.0 ? sqrt(z / a2) : 0.25;
    double n = a2 > 0.01 ? (0.25 * (1.0 + z) - m) / a2 : 1.0 / 96.0 + a2 / 3840.0;
    return sn_mat3_add(sn_mat3_scale(m, angle_derivative(phi, travel->round)), outer(n, phi, phi));
}

static void find_slide_terms(const sn_tree_body *body, const sn_tree_travel *parent, sn_vec3 slide,
                             sn_tree_newton *f, slide_terms *terms)
{
    double s = 1.0 + parent->over;
    sn_vec3 t = sn_tree_half_tangent(parent), force = f->force;
    sn_vec3 way = sn_tree_half_turned(t, slide), moment = sn_cross(way, force);
    // 1 - [t]: twice the turn of the half way by that of the whole
    sn_mat3 half = sn_mat3_add(SN_MAT3_IDENTITY, sn_mat3_scale(-1.0, sn_mat3_cross(t)));
    sn_mat3 lever = sn_mat3_cross(way);
    f->moved = sn_mat3_add(f->moved, sn_mat3_scale(-0.5, sn_mat3_multiply(lever, half)));
    f->felt = sn_mat3_add(f->felt, sn_mat3_scale(-0.5, sn_mat3_multiply(half, lever)));
    sn_mat3 turned_on = sn_mat3_multiply(sn_mat3_cross(moment), tangent_derivative(parent, t));
    sn_mat3 twice = sn_mat3_multiply(sn_mat3_multiply(half, sn_mat3_cross(force)),
                                     sn_mat3_multiply(lever, half));
    terms->bent = sn_mat3_add(sn_mat3_scale(-0.5, turned_on), sn_mat3_scale(-0.25, twice));
    for (int l = 0; l < sn_tree_joint_v(body->joint); ++l) {
        sn_vec3 e = sn_tree_joint_motion(body, sn_vec3_make(l == 0, l == 1, l == 2)).linear;
        sn_vec3 he = sn_tree_half_turned(t, e);
        double along = 0.5 * s * sn_dot(sn_tree_displaced(parent, e), force);
        sn_vec3 own = sn_vec3_scale(0.5 * s, sn_cross(e, force));
        own = sn_vec3_add_scaled(own, parent->round * along, parent->angle);
        own = sn_vec3_add_scaled(own, -0.5, sn_mat3_apply(half, sn_cross(he, force)));
        sn_mat3 by =
            sn_mat3_add(sn_mat3_multiply(sn_mat3_cross(he), half), carried_way(parent, true, e));
        sn_vec3 felt = sn_vec3_scale(-0.5, sn_mat3_apply_transpose(by, force));
        const double moments[3] = {own.x, own.y, own.z}, forces[3] = {felt.x, felt.y, felt.z};
        for (int k = 0; k < 3; ++k) {
            terms->by_own[k][l] = moments[k];
            terms->by_turn[l][k] = forces[k];
        }
    }
}

// From the link's motion to the parent's, rows of a matrix: X'.
static void shift_row(const sn_tree_newton *f, double row[6])
{
    for (int l = 0; l < 3; ++l) {
        row[l] += row[3] * f->moved.m[0][l] + row[4] * f->moved.m[1][l] + row[5] * f->moved.m[2][l];
    }
}

// What drag a joint has, by the inertia that it feels at c. None where the tree floats: what holds
// it there holds nothing, and its momentum is its own.
static sn_mat3 joint_drag(const sn_tree_step *step, const sn_tree *tree, int i)
{
    if (step->drag == 0.0 || sn_tree_floats(tree, i)) {
        return SN_MAT3_ZERO;
    }
    const sn_tree_body *body = &tree->body[i];
    double fast = 25.0 * sn_dot(step->search[i].past, step->search[i].past); // 1 at 0.2 a part
    double drag = step->drag * fmin(1.0, fast + step->share);
    if (body->joint < SN_TREE_BALL) {
        double d = 1.0 / tree->factor[i].one.inverse_d;
        return sn_mat3_diagonal(sn_vec3_make(drag * d, 0.0, 0.0));
    }
    const sn_sym3 *d =
        body->joint == SN_TREE_BALL ? &tree->inertia[i].angular : &tree->inertia[i].linear;
    return sn_mat3_scale(
        drag, (sn_mat3){{{d->xx, d->xy, d->xz}, {d->xy, d->yy, d->yz}, {d->xz, d->yz, d->zz}}});
}

// What the joint leaves of G, for its parent: Z-shifted Z^T G X' less what the joint's own movement
// takes up, added to the parent's derivative; and the two products with D^-1 there.
static void pass_to_parent(const sn_tree_body *body, const sn_tree_travel *parent, sn_vec3 slide,
                           int count, double right[6][3], double left[3][6], sn_tree_newton *f,
                           double up[6][6])
{
    slide_terms terms = {SN_MAT3_ZERO, {{0}}, {{0}}};
    bool arcs = body->on_arcs;
    sn_vec3 arm = sn_vec3_add_scaled(body->arm, arcs ? 0.5 : 1.0, slide);
    f->felt = felt_moment(parent, arcs, arcs ? arm : body->arm);
    f->moved = carried_way(parent, arcs, arm);
    if (body->on_arcs && sn_tree_slides(body)) {
        find_slide_terms(body, parent, slide, f, &terms);
    }
    double rest[6][6];
    memcpy(rest, f->derivative, sizeof rest);
    for (int row = 0; row < 6; ++row) {
        shift_row(f, rest[row]);
    }
    for (int k = 0; k < 6; ++k) {
        for (int l = 0; l < 3; ++l) {
            rest[l][k] += f->felt.m[l][0] * rest[3][k] + f->felt.m[l][1] * rest[4][k] +
                          f->felt.m[l][2] * rest[5][k];
        }
    }
    for (int k = 0; k < count; ++k) {
        shift_row(f, left[k]);
        for (int l = 0; l < 3; ++l) {
            left[k][l] += terms.by_turn[k][l];
            right[l][k] += f->felt.m[l][0] * right[3][k] + f->felt.m[l][1] * right[4][k] +
                           f->felt.m[l][2] * right[5][k] + terms.by_own[l][k];
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int row = 0; row < 6; ++row) {
            for (int l = 0; l < count; ++l) {
                f->inward[row][k] += right[row][l] * f->inverse[l][k];
                f->outward[k][row] += f->inverse[k][l] * left[l][row];
            }
        }
    }
    add_block(rest, 0, 0, 1.0, terms.bent);
    for (int row = 0; row < 6; ++row) {
        for (int column = 0; column < 6; ++column) {
            for (int k = 0; k < count; ++k) {
                rest[row][column] -= f->inward[row][k] * left[k][column];
            }
            up[row][column] += rest[row][column];
        }
    }
}

// D = S^T G S' with its inverse, and the parent's derivative with what the joint leaves of G; up:
// NULL for roots.
static bool factor_joint(const sn_tree_body *body, const sn_tree_travel *parent, sn_vec3 slide,
                         double armature[3][3], sn_tree_newton *f, double up[6][6])
{
    double right[6][3] = {{0}}, left[3][6] = {{0}}, d[3][3];
    int count = joint_columns(body, parent, f);
    memcpy(d, f->drag.m, sizeof d);
    for (int k = 0; k < count; ++k) {
        for (int row = 0; row < 6; ++row) {
            for (int l = 0; l < 6; ++l) {
                right[row][k] += f->derivative[row][l] * f->column[l][k];
                left[k][row] += f->row[l][k] * f->derivative[l][row];
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int l = 0; l < count; ++l) {
            for (int row = 0; row < 6; ++row) {
                d[k][l] += f->row[row][k] * right[row][l];
            }
            d[k][l] += armature[k][l];
        }
    }
    bool sound = invert(count, d, f->inverse);
    memset(f->inward, 0, sizeof f->inward);
    memset(f->outward, 0, sizeof f->outward);
    if (up != NULL) {
        pass_to_parent(body, parent, slide, count, right, left, f, up);
    }
    return sound;
}

// Of three freedoms in world axes.
static void own_armature(const sn_tree_step *step, const sn_tree *tree, int i, double a[3][3])
{
    memset(a, 0, 9 * sizeof(double));
    if (step->armature != NULL && tree->body[i].joint < SN_TREE_BALL) {
        a[0][0] = step->armature[tree->body[i].v];
    } else if (step->armature != NULL) {
        const sn_sym3 *p = &tree->armature[i];
        const double full[3][3] = {
            {p->xx, p->xy, p->xz}, {p->xy, p->yy, p->yz}, {p->xz, p->yz, p->zz}};
        memcpy(a, full, sizeof full);
    }
}

static void add_resistance(const sn_tree_inertia *b, double g[6][6])
{
    const sn_sym3 *p = &b->angular, *q = &b->linear;
    add_block(g, 0, 0, 1.0,
              (sn_mat3){{{p->xx, p->xy, p->xz}, {p->xy, p->yy, p->yz}, {p->xz, p->yz, p->zz}}});
    add_block(g, 0, 3, 1.0, b->coupling);
    add_block(g, 3, 0, 1.0, sn_mat3_transpose(b->coupling));
    add_block(g, 3, 3, 1.0,
              (sn_mat3){{{q->xx, q->xy, q->xz}, {q->xy, q->yy, q->yz}, {q->xz, q->yz, q->zz}}});
}

bool sn_tree_newton_factorise(sn_tree_step *step, const sn_tree *tree)
{
    bool sound = true;
    sum_up(step, tree);
    for (int i = 0; i < tree->count; ++i) {
        own_derivative(tree, i, &step->search[i].travel, &step->newton[i],
                       step->newton[i].derivative);
        if (step->resistance != NULL) {
            add_resistance(&step->resistance[i], step->newton[i].derivative);
        }
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_newton *f = &step->newton[i];
        const sn_tree_travel *parent =
            body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
        double armature[3][3];
        own_armature(step, tree, i, armature);
        f->drag = joint_drag(step, tree, i);
        sn_vec3 slide = SN_VEC3_ZERO;
        if (sn_tree_slides(body)) {
            slide = sn_tree_joint_motion(body, step->search[i].moved).linear;
        }
        sound = factor_joint(body, parent, slide, armature, f,
                             body->parent >= 0 ? step->newton[body->parent].derivative : NULL) &&
                sound;
    }
    return sound;
}

// ---- a turn ----

static sn_vec3 times_inverse(const sn_tree_newton *f, sn_vec3 u)
{
    const double(*d)[3] = f->inverse;
    return sn_vec3_make(d[0][0] * u.x + d[0][1] * u.y + d[0][2] * u.z,
                        d[1][0] * u.x + d[1][1] * u.y + d[1][2] * u.z,
                        d[2][0] * u.x + d[2][1] * u.y + d[2][2] * u.z);
}

static sn_spatial times_inward(const sn_tree_newton *f, sn_vec3 u)
{
    double x[6];
    for (int k = 0; k < 6; ++k) {
        x[k] = f->inward[k][0] * u.x + f->inward[k][1] * u.y + f->inward[k][2] * u.z;
    }
    return sn_spatial_make(sn_vec3_make(x[0], x[1], x[2]), sn_vec3_make(x[3], x[4], x[5]));
}

static sn_vec3 times_row(const sn_tree_newton *f, const sn_spatial *force)
{
    const double m[6] = {force->angular.x, force->angular.y, force->angular.z,
                         force->linear.x,  force->linear.y,  force->linear.z};
    double x[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 6; ++l) {
            x[k] += f->row[l][k] * m[l];
        }
    }
    return sn_vec3_make(x[0], x[1], x[2]);
}

static sn_spatial times_column(const sn_tree_newton *f, sn_vec3 own)
{
    double x[6];
    for (int k = 0; k < 6; ++k) {
        x[k] = f->column[k][0] * own.x + f->column[k][1] * own.y + f->column[k][2] * own.z;
    }
    return sn_spatial_make(sn_vec3_make(x[0], x[1], x[2]), sn_vec3_make(x[3], x[4], x[5]));
}

static sn_vec3 times_outward(const sn_tree_newton *f, const sn_spatial *motion)
{
    const double m[6] = {motion->angular.x, motion->angular.y, motion->angular.z,
                         motion->linear.x,  motion->linear.y,  motion->linear.z};
    double x[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 6; ++l) {
            x[k] += f->outward[k][l] * m[l];
        }
    }
    return sn_vec3_make(x[0], x[1], x[2]);
}

// The joint's own movement from c to the guess; of balls what the link turns beyond its parent, as
// twice the sine of half the angle.
static sn_vec3 own_movement(const sn_tree_step *step, const sn_tree_body *body,
                            const sn_tree_search *at)
{
    if (body->joint != SN_TREE_BALL) {
        return at->moved;
    }
    sn_tree_travel turn = at->travel;
    if (body->parent >= 0) {
        sn_tree_travel back = step->search[body->parent].travel;
        back.turn = sn_vec3_negate(back.turn);
        sn_tree_turn_on(&back, at->travel.w, at->travel.turn, &turn);
    }
    return sn_vec3_scale(2.0 / sqrt(turn.w * turn.w + sn_dot(turn.turn, turn.turn)), turn.turn);
}

static void look(sn_tree_step *step, const sn_tree *tree)
{
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_search *at = &step->search[i];
        const sn_tree_travel *parent =
            body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
        sn_vec3 third;
        sn_spatial has = sn_tree_momentum(tree, i, tree->arcs, parent, &at->travel, at->moved,
                                          step->search, &third);
        at->has = has.linear;
        sn_spatial beyond = sn_spatial_add(at->wrench, sn_spatial_sub(has, step->due[i]));
        sn_vec3 impulse = at->impulse;
        if (step->armature != NULL || step->resistance != NULL) { // found before the turn
            beyond = sn_spatial_add(beyond, step->resisted[i].dragged);
            impulse = sn_vec3_sub(impulse, step->resisted[i].held);
        }
        sn_tree_newton *f = &step->newton[i];
        at->share = sn_vec3_sub(impulse, sn_tree_joint_felt(body, &beyond));
        at->share = sn_vec3_sub(at->share, times_row(f, &f->passed));
        if (step->drag > 0.0) {
            sn_vec3 movement = own_movement(step, body, at);
            at->share = sn_vec3_sub(at->share, sn_mat3_apply(step->newton[i].drag, movement));
        }
        if (body->parent >= 0) {
            sn_tree_newton *up = &step->newton[body->parent];
            sn_spatial asked = f->passed;
            asked.angular = sn_vec3_add(asked.angular, sn_mat3_apply(f->felt, asked.linear));
            asked = sn_spatial_add(asked, times_inward(f, at->share));
            up->passed = sn_spatial_add(up->passed, asked);
            sn_tree_add_wrench(body, &beyond, &step->search[body->parent].wrench);
        }
    }
}

// What is to be changed: of balls the link's turn about world axes, else the joint's movement.
static void correct(sn_tree_step *step, const sn_tree *tree)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        const sn_tree_newton *f = &step->newton[i];
        sn_tree_search *at = &step->search[i];
        sn_spatial motion = SN_SPATIAL_ZERO;
        sn_vec3 own = times_inverse(f, at->share);
        if (body->parent >= 0) {
            motion = step->search[body->parent].motion;
            own = sn_vec3_sub(own, times_outward(f, &motion));
            motion.linear = sn_vec3_add(motion.linear, sn_mat3_apply(f->moved, motion.angular));
        }
        at->motion = sn_spatial_add(motion, times_column(f, own));
        at->made = body->joint == SN_TREE_BALL ? at->motion.angular : own;
    }
}

double sn_tree_newton_turn(sn_tree_step *step, const sn_tree *tree)
{
    double size = 0.0;
    look(step, tree);
    correct(step, tree);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_search *at = &step->search[i];
        if (body->joint == SN_TREE_BALL) {
            const sn_tree_travel further = {.w = 1.0, .turn = sn_vec3_scale(0.5, at->made)};
            sn_tree_travel old = at->travel;
            sn_tree_turn_on(&further, old.w, old.turn, &at->travel);
            at->travel.bend = sn_tree_bend(at->travel.w, at->travel.turn);
        } else {
            at->moved = sn_vec3_add(at->moved, at->made);
        }
        at->wrench = SN_SPATIAL_ZERO;
        sn_tree_travel_on(body, body->parent >= 0 ? &step->search[body->parent].travel : &at_rest,
                          at->moved, &at->travel);
        size += fabs(at->made.x) + fabs(at->made.y) + fabs(at->made.z);
    }
    return size;
}
