#include "agent/tree_newton.h"

#include <math.h>
#include <string.h>

#include "agent/tree_joint.h"
#include "agent/tree_travel.h"

static const sn_tree_travel at_rest = SN_TREE_AT_REST;

// ---- the derivative of a link's own momentum ----

static sn_vec3 turned(const sn_tree_travel *travel, sn_vec3 x)
{
    return sn_vec3_add(x, sn_tree_displaced(travel, x));
}

static sn_mat3 rotation_of(const sn_tree_travel *travel)
{
    sn_vec3 x = turned(travel, sn_vec3_make(1.0, 0.0, 0.0));
    sn_vec3 y = turned(travel, sn_vec3_make(0.0, 1.0, 0.0));
    sn_vec3 z = turned(travel, sn_vec3_make(0.0, 0.0, 1.0));
    return (sn_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

static void add_block(double g[6][6], int row, int column, double s, sn_mat3 a)
{
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            g[row + k][column + l] += s * a.m[k][l];
        }
    }
}

static void own_derivative(const sn_tree_body *body, const sn_tree_travel *travel, double g[6][6])
{
    const sn_sym3 *i = &body->inertia;
    double half = 0.5 * (i->xx + i->yy + i->zz);
    sn_mat3 spread = {{{half - i->xx, -i->xy, -i->xz},
                       {-i->xy, half - i->yy, -i->yz},
                       {-i->xz, -i->yz, half - i->zz}}};
    sn_mat3 b = sn_mat3_multiply(rotation_of(travel), spread);
    sn_mat3 r = sn_mat3_cross(body->reach), ahead = sn_mat3_cross(turned(travel, body->reach));
    double trace = b.m[0][0] + b.m[1][1] + b.m[2][2];
    memset(g, 0, 36 * sizeof(double));
    add_block(g, 0, 0, trace, SN_MAT3_IDENTITY);
    add_block(g, 0, 0, -1.0, b);
    add_block(g, 0, 0, -body->mass, sn_mat3_multiply(r, ahead));
    add_block(g, 0, 3, body->mass, r);
    add_block(g, 3, 0, -body->mass, ahead);
    add_block(g, 3, 3, body->mass, SN_MAT3_IDENTITY);
}

// ---- joints ----

// The columns of S, or of S' when axes are turned along; gives their number. Balls turn about world
// axes, so that theirs are the same.
static int joint_columns(const sn_tree_body *body, const sn_tree_travel *travel, double s[6][3])
{
    int count = sn_tree_joint_v(body->joint);
    memset(s, 0, 18 * sizeof(double));
    for (int k = 0; k < count; ++k) {
        sn_vec3 own = {k == 0, k == 1, k == 2};
        sn_spatial motion = sn_tree_joint_motion(body, own);
        if (body->joint != SN_TREE_BALL && travel != NULL) {
            motion = sn_spatial_make(turned(travel, motion.angular), turned(travel, motion.linear));
        }
        const double column[6] = {motion.angular.x, motion.angular.y, motion.angular.z,
                                  motion.linear.x,  motion.linear.y,  motion.linear.z};
        for (int row = 0; row < 6; ++row) {
            s[row][k] = column[row];
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

// Adds X^T rest X', with arms a at c and a' at the guess.
static void add_to_parent(double parent[6][6], double rest[6][6], sn_vec3 arm, sn_vec3 ahead)
{
    const double a[3] = {arm.x, arm.y, arm.z}, b[3] = {ahead.x, ahead.y, ahead.z};
    for (int k = 0; k < 6; ++k) { // columns: motion of the parent's origin to that of the link's
        double *row = rest[k], x = row[3], y = row[4], z = row[5];
        row[0] -= y * b[2] - z * b[1];
        row[1] -= z * b[0] - x * b[2];
        row[2] -= x * b[1] - y * b[0];
    }
    for (int k = 0; k < 6; ++k) { // rows: force at the link's origin to the parent's
        double x = rest[3][k], y = rest[4][k], z = rest[5][k];
        parent[0][k] += rest[0][k] + (a[1] * z - a[2] * y);
        parent[1][k] += rest[1][k] + (a[2] * x - a[0] * z);
        parent[2][k] += rest[2][k] + (a[0] * y - a[1] * x);
        parent[3][k] += x;
        parent[4][k] += y;
        parent[5][k] += z;
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

// D = S^T G S', its inverse and the two products with it; G becomes what the joint leaves of it.
static bool factor_joint(const sn_tree_body *body, const sn_tree_travel *travel,
                         double armature[3][3], sn_tree_newton *f, double rest[6][6])
{
    double s[6][3], ahead[6][3], right[6][3] = {{0}}, left[3][6] = {{0}}, d[3][3];
    memcpy(d, f->drag.m, sizeof d);
    int count = joint_columns(body, NULL, s);
    joint_columns(body, travel, ahead);
    for (int k = 0; k < count; ++k) {
        for (int row = 0; row < 6; ++row) {
            for (int l = 0; l < 6; ++l) {
                right[row][k] += f->derivative[row][l] * ahead[l][k];
                left[k][row] += s[l][k] * f->derivative[l][row];
            }
        }
    }
    for (int k = 0; k < count; ++k) {
        for (int l = 0; l < count; ++l) {
            for (int row = 0; row < 6; ++row) {
                d[k][l] += s[row][k] * right[row][l];
            }
            d[k][l] += armature[k][l];
        }
    }
    bool sound = invert(count, d, f->inverse);
    memset(f->inward, 0, sizeof f->inward);
    memset(f->outward, 0, sizeof f->outward);
    for (int k = 0; k < count; ++k) {
        for (int row = 0; row < 6; ++row) {
            for (int l = 0; l < count; ++l) {
                f->inward[row][k] += right[row][l] * f->inverse[l][k];
                f->outward[k][row] += f->inverse[k][l] * left[l][row];
            }
        }
    }
    memcpy(rest, f->derivative, sizeof f->derivative);
    for (int row = 0; row < 6; ++row) {
        for (int column = 0; column < 6; ++column) {
            for (int k = 0; k < count; ++k) {
                rest[row][column] -= f->inward[row][k] * left[k][column];
            }
        }
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
    for (int i = 0; i < tree->count; ++i) {
        own_derivative(&tree->body[i], &step->search[i].travel, step->newton[i].derivative);
        if (step->resistance != NULL) {
            add_resistance(&step->resistance[i], step->newton[i].derivative);
        }
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_newton *f = &step->newton[i];
        const sn_tree_travel *parent =
            body->parent >= 0 ? &step->search[body->parent].travel : &at_rest;
        double rest[6][6], armature[3][3];
        own_armature(step, tree, i, armature);
        f->drag = joint_drag(step, tree, i);
        sound = factor_joint(body, parent, armature, f, rest) && sound;
        if (body->parent >= 0) {
            sn_vec3 slide = SN_VEC3_ZERO;
            if (body->joint != SN_TREE_BALL) {
                slide = sn_tree_joint_motion(body, step->search[i].moved).linear;
            }
            f->arm = turned(parent, sn_vec3_add(body->arm, slide));
            add_to_parent(step->newton[body->parent].derivative, rest, body->arm, f->arm);
        }
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
        sn_spatial has = sn_tree_momentum(body, &at->travel);
        at->has = has.linear;
        sn_spatial beyond = sn_spatial_add(at->wrench, sn_spatial_sub(has, step->due[i]));
        sn_vec3 impulse = at->impulse;
        if (step->armature != NULL || step->resistance != NULL) { // found before the turn
            beyond = sn_spatial_add(beyond, step->resisted[i].dragged);
            impulse = sn_vec3_sub(impulse, step->resisted[i].held);
        }
        at->share = sn_vec3_sub(impulse, sn_tree_joint_felt(body, &beyond));
        if (step->drag > 0.0) {
            sn_vec3 movement = own_movement(step, body, at);
            at->share = sn_vec3_sub(at->share, sn_mat3_apply(step->newton[i].drag, movement));
        }
        if (body->parent >= 0) {
            beyond = sn_spatial_add(beyond, times_inward(&step->newton[i], at->share));
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
        const sn_tree_travel *parent = &at_rest;
        sn_spatial motion = SN_SPATIAL_ZERO;
        if (body->parent >= 0) {
            parent = &step->search[body->parent].travel;
            motion = step->search[body->parent].motion;
            motion.linear = sn_vec3_add(motion.linear, sn_cross(motion.angular, f->arm));
        }
        sn_vec3 own = sn_vec3_sub(times_inverse(f, at->share), times_outward(f, &motion));
        sn_spatial by = sn_tree_joint_motion(body, own);
        if (body->joint != SN_TREE_BALL) {
            by = sn_spatial_make(turned(parent, by.angular), turned(parent, by.linear));
        }
        at->motion = sn_spatial_add(motion, by);
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
            const sn_tree_travel further = {1.0, sn_vec3_scale(0.5, at->made), 0.0, SN_VEC3_ZERO};
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
