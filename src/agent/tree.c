#include "agent/tree.h"

#include <string.h>

#include "base/memory.h"
#include "math/elementary.h"
#include "math/rotation.h"

// ---- making ----

bool sn_tree_allocate(sn_tree *tree, int count)
{
    size_t n = (size_t)count;
    *tree = (sn_tree){.count = count};
    tree->links = sn_allocate_zero(n * sizeof *tree->links);
    tree->pose = sn_allocate_zero(n * sizeof *tree->pose);
    tree->factor = sn_allocate_zero(n * sizeof *tree->factor);
    tree->motion = sn_allocate_zero(n * sizeof *tree->motion);
    tree->scratch = sn_allocate_zero(n * sizeof *tree->scratch);
    if (tree->links == NULL || tree->pose == NULL || tree->factor == NULL || tree->motion == NULL ||
        tree->scratch == NULL) {
        sn_tree_free(tree);
        return false;
    }
    return true;
}

void sn_tree_free(sn_tree *tree)
{
    sn_free(tree->links);
    sn_free(tree->pose);
    sn_free(tree->factor);
    sn_free(tree->motion);
    sn_free(tree->scratch);
    *tree = (sn_tree){0};
}

bool sn_tree_copy(const sn_tree *tree, sn_tree *copy)
{
    if (!sn_tree_allocate(copy, tree->count)) {
        return false;
    }
    size_t n = (size_t)tree->count;
    memcpy(copy->links, tree->links, n * sizeof *tree->links);
    memcpy(copy->pose, tree->pose, n * sizeof *tree->pose);
    memcpy(copy->factor, tree->factor, n * sizeof *tree->factor);
    copy->q_count = tree->q_count;
    copy->v_count = tree->v_count;
    return true;
}

void sn_tree_finish(sn_tree *tree)
{
    tree->q_count = 0;
    tree->v_count = 0;
    for (int i = 0; i < tree->count; ++i) {
        sn_tree_link *link = &tree->links[i];
        link->q = tree->q_count;
        link->v = tree->v_count;
        tree->q_count += sn_tree_joint_q(link->joint);
        tree->v_count += sn_tree_joint_v(link->joint);
        double half_trace =
            0.5 * (link->inertia.m[0][0] + link->inertia.m[1][1] + link->inertia.m[2][2]);
        link->spread = sn_mat3_scale(-1.0, link->inertia);
        for (int k = 0; k < 3; ++k) {
            link->spread.m[k][k] += half_trace;
        }
    }
}

void sn_tree_zero(const sn_tree *tree, double *q)
{
    memset(q, 0, (size_t)tree->q_count * sizeof *q);
    for (int i = 0; i < tree->count; ++i) {
        if (tree->links[i].joint == SN_TREE_BALL) {
            q[tree->links[i].q] = 1.0;
        }
    }
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

void sn_tree_move(const sn_tree *tree, const double *q, const double *d, double scale,
                  double *moved)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const double *from = q + link->q, *by = d + link->v;
        double *to = moved + link->q;
        if (link->joint == SN_TREE_BALL) {
            sn_quat start = {from[0], from[1], from[2], from[3]};
            sn_quat end = sn_quat_multiply(start, sn_quat_exp(sn_vec3_scale(scale, vec3_at(by))));
            double unit =
                1.5 - 0.5 * (end.w * end.w + end.x * end.x + end.y * end.y + end.z * end.z);
            to[0] = unit * end.w;
            to[1] = unit * end.x;
            to[2] = unit * end.y;
            to[3] = unit * end.z;
            continue;
        }
        for (int k = 0; k < sn_tree_joint_v(link->joint); ++k) {
            to[k] = from[k] + scale * by[k];
        }
    }
}

// ---- where the links are ----

// r turned about its own z by an angle: columns x and y mix.
static void turn_about_z(sn_mat3 *r, double angle)
{
    double s, c;
    sn_sincos(angle, &s, &c);
    for (int k = 0; k < 3; ++k) {
        double x = r->m[k][0], y = r->m[k][1];
        r->m[k][0] = c * x + s * y;
        r->m[k][1] = c * y - s * x;
    }
}

static sn_vec3 column(const sn_mat3 *r, int k)
{
    return sn_vec3_make(r->m[0][k], r->m[1][k], r->m[2][k]);
}

// `turned`: the rotation a ball's link is known to have, whatever its parent's; NULL for all else.
static void place_link(const sn_tree_link *link, const double *q, const sn_mat3 *turned,
                       const sn_tree_pose *parent, sn_tree_pose *pose)
{
    pose->rotation = link->frame.rotation;
    pose->origin = link->frame.position;
    if (parent != NULL) {
        pose->origin = sn_vec3_add(parent->origin, sn_mat3_apply(parent->rotation, pose->origin));
    }
    if (turned != NULL) {
        pose->rotation = *turned;
        pose->centre = sn_vec3_add(pose->origin, sn_mat3_apply(pose->rotation, link->centre));
        return;
    }
    if (parent != NULL) {
        pose->rotation = sn_mat3_multiply(parent->rotation, link->frame.rotation);
    }
    switch (link->joint) {
    case SN_TREE_HINGE:
        turn_about_z(&pose->rotation, q[0]);
        break;
    case SN_TREE_SLIDER:
        pose->origin = sn_vec3_add_scaled(pose->origin, q[0], column(&pose->rotation, 2));
        break;
    case SN_TREE_SCREW:
        pose->origin =
            sn_vec3_add_scaled(pose->origin, link->pitch * q[0], column(&pose->rotation, 2));
        turn_about_z(&pose->rotation, q[0]);
        break;
    case SN_TREE_BALL:
        pose->rotation =
            sn_mat3_multiply(pose->rotation, sn_quat_to_mat3((sn_quat){q[0], q[1], q[2], q[3]}));
        break;
    case SN_TREE_TRANSLATION:
        pose->origin = sn_vec3_add(pose->origin, sn_mat3_apply(pose->rotation, vec3_at(q)));
        break;
    }
    pose->centre = sn_vec3_add(pose->origin, sn_mat3_apply(pose->rotation, link->centre));
}

void sn_tree_place_into(const sn_tree *tree, const double *q, sn_tree_pose *pose)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        place_link(link, q + link->q, NULL, link->parent >= 0 ? &pose[link->parent] : NULL,
                   &pose[i]);
    }
}

void sn_tree_place_turned(const sn_tree *tree, const double *q, const sn_quat *turn,
                          sn_tree_pose *pose)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        sn_mat3 turned;
        if (link->joint == SN_TREE_BALL) {
            turned = sn_mat3_multiply(tree->pose[i].rotation, sn_quat_to_mat3(turn[i]));
        }
        place_link(link, q + link->q, link->joint == SN_TREE_BALL ? &turned : NULL,
                   link->parent >= 0 ? &pose[link->parent] : NULL, &pose[i]);
    }
}

void sn_tree_place(sn_tree *tree, const double *q)
{
    sn_tree_place_into(tree, q, tree->pose);
}

// ---- motion of a link relative to its parent ----

// S v: what the joint adds to the link's velocity, at the link's origin.
static sn_spatial joint_motion(const sn_tree_link *link, const sn_tree_pose *pose, const double *v)
{
    sn_vec3 z = column(&pose->rotation, 2);
    switch (link->joint) {
    case SN_TREE_HINGE:
        return sn_spatial_make(sn_vec3_scale(v[0], z), SN_VEC3_ZERO);
    case SN_TREE_SLIDER:
        return sn_spatial_make(SN_VEC3_ZERO, sn_vec3_scale(v[0], z));
    case SN_TREE_SCREW:
        return sn_spatial_make(sn_vec3_scale(v[0], z), sn_vec3_scale(link->pitch * v[0], z));
    case SN_TREE_BALL:
        return sn_spatial_make(sn_mat3_apply(pose->rotation, vec3_at(v)), SN_VEC3_ZERO);
    case SN_TREE_TRANSLATION:
        break;
    }
    return sn_spatial_make(SN_VEC3_ZERO, sn_mat3_apply(pose->rotation, vec3_at(v)));
}

// S^T f: what the joint feels of a force on the link.
static void joint_force(const sn_tree_link *link, const sn_tree_pose *pose, const sn_spatial *f,
                        double *force)
{
    sn_vec3 z = column(&pose->rotation, 2);
    switch (link->joint) {
    case SN_TREE_HINGE:
        force[0] = sn_dot(z, f->angular);
        return;
    case SN_TREE_SLIDER:
        force[0] = sn_dot(z, f->linear);
        return;
    case SN_TREE_SCREW:
        force[0] = sn_dot(z, f->angular) + link->pitch * sn_dot(z, f->linear);
        return;
    case SN_TREE_BALL:
        vec3_put(force, sn_mat3_apply_transpose(pose->rotation, f->angular));
        return;
    case SN_TREE_TRANSLATION:
        vec3_put(force, sn_mat3_apply_transpose(pose->rotation, f->linear));
        return;
    }
}

// From the parent's origin to the link's.
static sn_vec3 arm_of(const sn_tree *tree, int i)
{
    int parent = tree->links[i].parent;
    return parent >= 0 ? sn_vec3_sub(tree->pose[i].origin, tree->pose[parent].origin)
                       : tree->pose[i].origin;
}

void sn_tree_velocity(const sn_tree *tree, const double *v, sn_spatial *velocity)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        velocity[i] = joint_motion(link, &tree->pose[i], v + link->v);
        if (link->parent >= 0) {
            sn_spatial carried = velocity[link->parent];
            carried.linear =
                sn_vec3_add(carried.linear, sn_cross(carried.angular, arm_of(tree, i)));
            velocity[i] = sn_spatial_add(velocity[i], carried);
        }
    }
}

// Passes what acts on each link on to its parent, leaves to root, and tells each joint its share.
void sn_tree_gather(const sn_tree *tree, sn_spatial *wrench, double *force)
{
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_link *link = &tree->links[i];
        joint_force(link, &tree->pose[i], &wrench[i], force + link->v);
        if (link->parent >= 0) {
            sn_spatial *up = &wrench[link->parent];
            up->angular =
                sn_vec3_add(up->angular, sn_vec3_add(wrench[i].angular,
                                                     sn_cross(arm_of(tree, i), wrench[i].linear)));
            up->linear = sn_vec3_add(up->linear, wrench[i].linear);
        }
    }
}

// ---- inverse dynamics: recursive Newton-Euler ----

// What the motion of link i (velocity w, acceleration at the origin) asks for as a wrench about its
// origin.
static sn_spatial newton_euler(const sn_tree_link *link, const sn_tree_pose *pose, sn_vec3 w,
                               sn_vec3 w_rate, sn_vec3 acceleration)
{
    sn_vec3 c = sn_vec3_sub(pose->centre, pose->origin);
    sn_vec3 at_centre =
        sn_vec3_add(acceleration, sn_vec3_add(sn_cross(w_rate, c), sn_cross(w, sn_cross(w, c))));
    sn_vec3 force = sn_vec3_scale(link->mass, at_centre);
    sn_vec3 local_w = sn_mat3_apply_transpose(pose->rotation, w);
    sn_vec3 local_rate = sn_mat3_apply_transpose(pose->rotation, w_rate);
    sn_vec3 moment = sn_vec3_add(sn_mat3_apply(link->inertia, local_rate),
                                 sn_cross(local_w, sn_mat3_apply(link->inertia, local_w)));
    return sn_spatial_make(sn_vec3_add(sn_mat3_apply(pose->rotation, moment), sn_cross(c, force)),
                           force);
}

void sn_tree_inverse(sn_tree *tree, const double *v, const double *a, sn_vec3 gravity,
                     const sn_spatial *wrench, double *force)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const sn_tree_pose *pose = &tree->pose[i];
        sn_spatial joint_v = joint_motion(link, pose, v + link->v),
                   joint_a = joint_motion(link, pose, a + link->v);
        sn_vec3 w = SN_VEC3_ZERO, w_rate = SN_VEC3_ZERO, acceleration = sn_vec3_negate(gravity);
        if (link->parent >= 0) {
            const sn_tree_motion *parent = &tree->motion[link->parent];
            sn_vec3 arm = arm_of(tree, i);
            w = parent->angular;
            w_rate = parent->angular_rate;
            acceleration =
                sn_vec3_add(parent->acceleration,
                            sn_vec3_add(sn_cross(w_rate, arm), sn_cross(w, sn_cross(w, arm))));
        }
        // The joint's axes are carried by the parent for shifts; its turns add their own gyration.
        acceleration =
            sn_vec3_add(acceleration, sn_vec3_add(joint_a.linear,
                                                  sn_vec3_scale(2.0, sn_cross(w, joint_v.linear))));
        w_rate = sn_vec3_add(w_rate, sn_vec3_add(joint_a.angular, sn_cross(w, joint_v.angular)));
        w = sn_vec3_add(w, joint_v.angular);
        tree->motion[i] = (sn_tree_motion){w, w_rate, acceleration};
        tree->scratch[i] = newton_euler(link, pose, w, w_rate, acceleration);
        if (wrench != NULL) {
            tree->scratch[i] = sn_spatial_sub(tree->scratch[i], wrench[i]);
        }
    }
    sn_tree_gather(tree, tree->scratch, force);
}

// ---- the factor: articulated inertias, leaves to root ----

static sn_mat3 outer(sn_vec3 a, sn_vec3 b)
{
    return (sn_mat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                      {a.y * b.x, a.y * b.y, a.y * b.z},
                      {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

// The link's own inertia about its origin, in world axes.
static void rigid_inertia(const sn_tree_link *link, const sn_tree_pose *pose, sn_mat6 *inertia)
{
    sn_vec3 c = sn_vec3_sub(pose->centre, pose->origin);
    sn_mat3 turned = sn_mat3_multiply(sn_mat3_multiply(pose->rotation, link->inertia),
                                      sn_mat3_transpose(pose->rotation));
    double cc = link->mass * sn_dot(c, c);
    sn_mat3 steiner = outer(sn_vec3_scale(-link->mass, c), c);
    inertia->angular = sn_mat3_add(turned, steiner);
    inertia->coupling = sn_mat3_cross(sn_vec3_scale(link->mass, c));
    inertia->linear = SN_MAT3_ZERO;
    for (int k = 0; k < 3; ++k) {
        inertia->angular.m[k][k] += cc;
        inertia->linear.m[k][k] = link->mass;
    }
}

// b - u w^T s
static void subtract_outer(sn_mat3 *b, sn_vec3 u, sn_vec3 w, double s)
{
    sn_vec3 x = sn_vec3_scale(s, u);
    const double row[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; ++k) {
        b->m[k][0] -= row[k] * w.x;
        b->m[k][1] -= row[k] * w.y;
        b->m[k][2] -= row[k] * w.z;
    }
}

// [r]x m
static sn_mat3 cross_matrix(sn_vec3 r, const sn_mat3 *m)
{
    sn_mat3 c;
    for (int k = 0; k < 3; ++k) {
        c.m[0][k] = r.y * m->m[2][k] - r.z * m->m[1][k];
        c.m[1][k] = r.z * m->m[0][k] - r.x * m->m[2][k];
        c.m[2][k] = r.x * m->m[1][k] - r.y * m->m[0][k];
    }
    return c;
}

// m [r]x
static sn_mat3 matrix_cross(const sn_mat3 *m, sn_vec3 r)
{
    sn_mat3 c;
    for (int k = 0; k < 3; ++k) {
        c.m[k][0] = m->m[k][1] * r.z - m->m[k][2] * r.y;
        c.m[k][1] = m->m[k][2] * r.x - m->m[k][0] * r.z;
        c.m[k][2] = m->m[k][0] * r.y - m->m[k][1] * r.x;
    }
    return c;
}

// Adds an inertia about the link's origin to the parent's, about the parent's origin, r away: X^T I
// X with X = [1 0; -[r]x 1].
static void add_to_parent(sn_mat6 *parent, const sn_mat6 *i, sn_vec3 r)
{
    sn_mat3 lifted = cross_matrix(r, &i->linear);
    sn_mat3 coupling = sn_mat3_add(i->coupling, lifted);
    sn_mat3 transposed = sn_mat3_transpose(i->coupling);
    sn_mat3 left = cross_matrix(r, &transposed), right = matrix_cross(&coupling, r);
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            parent->angular.m[k][l] += i->angular.m[k][l] + left.m[k][l] - right.m[k][l];
            parent->coupling.m[k][l] += coupling.m[k][l];
            parent->linear.m[k][l] += i->linear.m[k][l];
        }
    }
}

// One freedom: I S, 1/D, and what the parent feels of the link, I - U U^T / D.
static bool factor_single(const sn_tree_link *link, sn_vec3 z, double armature, sn_tree_factor *f,
                          sn_mat6 *rest)
{
    const sn_mat6 *i = &f->inertia;
    double turn = link->joint == SN_TREE_SLIDER ? 0.0 : 1.0;
    double shift =
        link->joint == SN_TREE_HINGE ? 0.0 : (link->joint == SN_TREE_SLIDER ? 1.0 : link->pitch);
    sn_vec3 angular = SN_VEC3_ZERO, linear = SN_VEC3_ZERO;
    if (turn != 0.0) {
        angular = sn_mat3_apply(i->angular, z);
        linear = sn_mat3_apply_transpose(i->coupling, z);
    }
    if (shift != 0.0) {
        angular = sn_vec3_add_scaled(angular, shift, sn_mat3_apply(i->coupling, z));
        linear = sn_vec3_add_scaled(linear, shift, sn_mat3_apply(i->linear, z));
    }
    f->u = sn_spatial_make(angular, linear);
    double d = turn * sn_dot(z, angular) + shift * sn_dot(z, linear) + armature;
    f->inverse_d = 1.0 / d;
    *rest = *i;
    subtract_outer(&rest->angular, angular, angular, f->inverse_d);
    subtract_outer(&rest->coupling, angular, linear, f->inverse_d);
    subtract_outer(&rest->linear, linear, linear, f->inverse_d);
    return d > 0.0;
}

// Three freedoms in world axes: a ball takes the angular half of I, a translation the linear half.
static bool factor_triple(const sn_tree_link *link, const sn_tree_pose *pose,
                          const double *armature, sn_tree_factor *f, sn_mat6 *rest)
{
    const sn_mat6 *i = &f->inertia;
    bool ball = link->joint == SN_TREE_BALL;
    sn_mat3 d = ball ? i->angular : i->linear;
    if (armature != NULL) {
        d = sn_mat3_add(d, sn_mat3_multiply(sn_mat3_multiply(pose->rotation,
                                                             sn_mat3_diagonal(vec3_at(armature))),
                                            sn_mat3_transpose(pose->rotation)));
    }
    f->inverse = sn_mat3_inverse(d);
    sn_mat3 coupling_transposed = sn_mat3_transpose(i->coupling);
    f->gain_angular = sn_mat3_multiply(f->inverse, ball ? i->angular : coupling_transposed);
    f->gain_linear = sn_mat3_multiply(f->inverse, ball ? i->coupling : i->linear);
    // I - U D^-1 U^T; without armature the half that the joint frees is zero and is set so, not
    // computed.
    *rest = (sn_mat6){SN_MAT3_ZERO, SN_MAT3_ZERO, SN_MAT3_ZERO};
    if (ball || armature != NULL) {
        rest->linear = sn_mat3_add(
            i->linear, sn_mat3_scale(-1.0, sn_mat3_multiply(ball ? coupling_transposed : i->linear,
                                                            f->gain_linear)));
    }
    if (!ball || armature != NULL) {
        rest->angular = sn_mat3_add(
            i->angular, sn_mat3_scale(-1.0, sn_mat3_multiply(ball ? i->angular : i->coupling,
                                                             f->gain_angular)));
    }
    if (armature != NULL) {
        rest->coupling = sn_mat3_add(
            i->coupling,
            sn_mat3_scale(-1.0, sn_mat3_multiply(ball ? i->angular : i->coupling, f->gain_linear)));
    }
    return sn_mat3_determinant(d) > 0.0;
}

bool sn_tree_factorise(sn_tree *tree, const double *armature)
{
    bool sound = true;
    for (int i = 0; i < tree->count; ++i) {
        rigid_inertia(&tree->links[i], &tree->pose[i], &tree->factor[i].inertia);
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_link *link = &tree->links[i];
        const sn_tree_pose *pose = &tree->pose[i];
        const double *extra = armature != NULL ? armature + link->v : NULL;
        sn_mat6 rest;
        bool good = link->joint < SN_TREE_BALL
                        ? factor_single(link, column(&pose->rotation, 2),
                                        extra != NULL ? extra[0] : 0.0, &tree->factor[i], &rest)
                        : factor_triple(link, pose, extra, &tree->factor[i], &rest);
        sound = sound && good;
        if (link->parent >= 0) {
            add_to_parent(&tree->factor[link->parent].inertia, &rest, arm_of(tree, i));
        }
    }
    return sound;
}

// ---- solving with the factor ----

// The force that a joint's share u of force passes on to the link: U D^-1 u.
static sn_spatial pass_on(const sn_tree_link *link, const sn_tree_factor *f, const double *u)
{
    if (link->joint < SN_TREE_BALL) {
        return sn_spatial_scale(f->inverse_d * u[0], f->u);
    }
    sn_vec3 y = sn_mat3_apply(f->inverse, vec3_at(u));
    if (link->joint == SN_TREE_BALL) {
        return sn_spatial_make(sn_mat3_apply(f->inertia.angular, y),
                               sn_mat3_apply_transpose(f->inertia.coupling, y));
    }
    return sn_spatial_make(sn_mat3_apply(f->inertia.coupling, y),
                           sn_mat3_apply(f->inertia.linear, y));
}

// Outwards: the joint's acceleration from what is left of its force and from how its parent carries
// the link.
static void accelerate(const sn_tree_link *link, const sn_tree_pose *pose, const sn_tree_factor *f,
                       sn_spatial *carried, double *a)
{
    if (link->joint < SN_TREE_BALL) {
        a[0] = f->inverse_d * (a[0] - sn_spatial_dot(*carried, f->u));
        *carried = sn_spatial_add(*carried, joint_motion(link, pose, a));
        return;
    }
    sn_vec3 own = sn_vec3_sub(sn_mat3_apply(f->inverse, vec3_at(a)),
                              sn_vec3_add(sn_mat3_apply(f->gain_angular, carried->angular),
                                          sn_mat3_apply(f->gain_linear, carried->linear)));
    sn_vec3 *half = link->joint == SN_TREE_BALL ? &carried->angular : &carried->linear;
    *half = sn_vec3_add(*half, own);
    vec3_put(a, sn_mat3_apply_transpose(pose->rotation, own));
}

void sn_tree_solve(sn_tree *tree, const double *force, double *a)
{
    sn_spatial *bias = tree->scratch;
    memset(bias, 0, (size_t)tree->count * sizeof *bias);
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_link *link = &tree->links[i];
        const sn_tree_pose *pose = &tree->pose[i];
        double *u = a + link->v, felt[3] = {0.0, 0.0, 0.0};
        if (link->joint < SN_TREE_BALL) {
            joint_force(link, pose, &bias[i], felt);
            u[0] = force[link->v] - felt[0];
        } else {
            sn_vec3 given = sn_mat3_apply(pose->rotation, vec3_at(force + link->v));
            vec3_put(u, sn_vec3_sub(given, link->joint == SN_TREE_BALL ? bias[i].angular
                                                                       : bias[i].linear));
        }
        if (link->parent >= 0) {
            sn_spatial passed = sn_spatial_add(bias[i], pass_on(link, &tree->factor[i], u));
            sn_spatial *up = &bias[link->parent];
            up->angular = sn_vec3_add(
                up->angular, sn_vec3_add(passed.angular, sn_cross(arm_of(tree, i), passed.linear)));
            up->linear = sn_vec3_add(up->linear, passed.linear);
        }
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        sn_spatial carried = SN_SPATIAL_ZERO;
        if (link->parent >= 0) {
            carried = bias[link->parent];
            carried.linear =
                sn_vec3_add(carried.linear, sn_cross(carried.angular, arm_of(tree, i)));
        }
        accelerate(link, &tree->pose[i], &tree->factor[i], &carried, a + link->v);
        bias[i] = carried;
    }
}

// Column j of M is the force for unit acceleration j without velocity and gravity.
void sn_tree_mass_matrix(sn_tree *tree, double *m)
{
    int n = tree->v_count;
    for (int j = 0; j < n; ++j) {
        double *row = m + (size_t)j * (size_t)n; // M is symmetric: a column may be written as a row
        memset(row, 0, (size_t)n * sizeof *row);
        sn_spatial *motion = tree->scratch;
        for (int i = 0; i < tree->count; ++i) {
            const sn_tree_link *link = &tree->links[i];
            double unit[3] = {link->v == j, link->v + 1 == j, link->v + 2 == j};
            motion[i] = joint_motion(link, &tree->pose[i], unit);
            if (link->parent >= 0) {
                sn_spatial carried = motion[link->parent];
                carried.linear =
                    sn_vec3_add(carried.linear, sn_cross(carried.angular, arm_of(tree, i)));
                motion[i] = sn_spatial_add(motion[i], carried);
            }
        }
        for (int i = 0; i < tree->count; ++i) {
            motion[i] = newton_euler(&tree->links[i], &tree->pose[i], SN_VEC3_ZERO,
                                     motion[i].angular, motion[i].linear);
        }
        sn_tree_gather(tree, motion, row);
    }
}
