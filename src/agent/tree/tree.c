#include "agent/tree/tree.h"

#include <string.h>

#include "agent/tree/tree_joint.h"
#include "base/memory.h"
#include "math/elementary.h"
#include "math/rotation.h"
#include "sinew/shape.h"

// ---- making ----

bool sn_tree_allocate(sn_tree *tree, int count)
{
    size_t n = (size_t)count;
    *tree = (sn_tree){.count = count};
    tree->links = sn_allocate_zero(n * sizeof *tree->links);
    tree->pose = sn_allocate_zero(n * sizeof *tree->pose);
    tree->body = sn_allocate_zero(n * sizeof *tree->body);
    tree->inertia = sn_allocate_zero(n * sizeof *tree->inertia);
    tree->factor = sn_allocate_zero(n * sizeof *tree->factor);
    tree->armature = sn_allocate_zero(n * sizeof *tree->armature);
    tree->motion = sn_allocate_zero(n * sizeof *tree->motion);
    tree->scratch = sn_allocate_zero(n * sizeof *tree->scratch);
    tree->root = sn_allocate_zero(n * sizeof *tree->root);
    if (tree->links == NULL || tree->pose == NULL || tree->body == NULL || tree->inertia == NULL ||
        tree->factor == NULL || tree->armature == NULL || tree->motion == NULL ||
        tree->scratch == NULL || tree->root == NULL) {
        sn_tree_free(tree);
        return false;
    }
    return true;
}

void sn_tree_free(sn_tree *tree)
{
    sn_free(tree->links);
    sn_free(tree->pose);
    sn_free(tree->body);
    sn_free(tree->inertia);
    sn_free(tree->factor);
    sn_free(tree->armature);
    sn_free(tree->motion);
    sn_free(tree->scratch);
    sn_free(tree->root);
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
    memcpy(copy->body, tree->body, n * sizeof *tree->body);
    memcpy(copy->inertia, tree->inertia, n * sizeof *tree->inertia);
    memcpy(copy->factor, tree->factor, n * sizeof *tree->factor);
    memcpy(copy->armature, tree->armature, n * sizeof *tree->armature);
    copy->armed = tree->armed;
    copy->q_count = tree->q_count;
    copy->v_count = tree->v_count;
    copy->arcs = tree->arcs;
    return true;
}

static bool is_diagonal(const sn_mat3 *a)
{
    return a->m[0][1] == 0.0 && a->m[0][2] == 0.0 && a->m[1][0] == 0.0 && a->m[1][2] == 0.0 &&
           a->m[2][0] == 0.0 && a->m[2][1] == 0.0;
}

static bool is_identity(const sn_mat3 *a)
{
    return is_diagonal(a) && a->m[0][0] == 1.0 && a->m[1][1] == 1.0 && a->m[2][2] == 1.0;
}

// The axis across which a diagonal inertia has one value.
static int round_axis(const sn_mat3 *a)
{
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        if (a->m[l][l] == a->m[m][m]) {
            return k;
        }
    }
    return -1;
}

sn_tree_spread sn_tree_spread_of(const sn_mat3 *inertia)
{
    double moment[3] = {inertia->m[0][0], inertia->m[1][1], inertia->m[2][2]};
    bool principal = is_diagonal(inertia);
    sn_mat3 axes = SN_MAT3_IDENTITY;
    if (!principal) {
        sn_vec3 moments;
        sn_quat turn;
        sn_principal_axes(inertia, &moments, &turn);
        axes = sn_quat_to_mat3(turn);
        sn_vec3_put(moment, moments);
    }
    int least = 0;
    for (int k = 1; k < 3; ++k) {
        least = moment[k] < moment[least] ? k : least;
    }
    int next = (least + 1) % 3, last = (least + 2) % 3;
    int middle = moment[next] < moment[last] ? next : last, most = 3 - least - middle;
    const int outer[2] = {least, most};
    sn_tree_spread spread = {.count = 0};
    double upper = 0.0;
    for (int k = 0; k < 2; ++k) {
        int at = outer[k];
        double beyond = moment[middle] - moment[at]; // E = trace / 2 - I
        if (fabs(beyond) > 1e-14 * moment[most]) {   // else it is rounding
            upper = k == 1 ? -beyond : 0.0;
            spread.beyond[spread.count] = beyond;
            spread.axis[spread.count] = sn_vec3_make(axes.m[0][at], axes.m[1][at], axes.m[2][at]);
            spread.column[spread.count] = principal ? at : -1;
            spread.count += 1;
        }
    }
    spread.middle = 0.5 * (moment[least] + upper);
    spread.round = spread.count == 1 ? spread.column[0] : -1;
    return spread;
}

// What of its travel is by arcs.
static void note_arcs(sn_tree *tree, int i)
{
    sn_tree_body *body = &tree->body[i];
    const sn_tree_body *parent = body->parent >= 0 ? &tree->body[body->parent] : NULL;
    bool turns = body->joint == SN_TREE_HINGE || body->joint == SN_TREE_SCREW;
    body->on_arcs = parent != NULL && parent->arcs;
    body->arcs = turns || (body->on_arcs && body->joint != SN_TREE_BALL);
    body->gathers = body->arcs || (parent != NULL && parent->gathers);
    tree->arcs = tree->arcs || body->arcs;
}

void sn_tree_finish(sn_tree *tree)
{
    tree->q_count = 0;
    tree->v_count = 0;
    tree->arcs = false;
    for (int i = 0; i < tree->count; ++i) {
        sn_tree_link *link = &tree->links[i];
        link->q = tree->q_count;
        link->v = tree->v_count;
        tree->q_count += sn_tree_joint_q(link->joint);
        tree->v_count += sn_tree_joint_v(link->joint);
        link->parallel = is_identity(&link->frame.rotation);
        link->principal = is_diagonal(&link->inertia);
        link->round = link->principal ? round_axis(&link->inertia) : -1;
        link->spread = sn_tree_spread_of(&link->inertia);
        tree->body[i] = (sn_tree_body){.parent = link->parent,
                                       .joint = link->joint,
                                       .v = link->v,
                                       .pitch = link->pitch,
                                       .mass = link->mass};
        note_arcs(tree, i);
    }
}

bool sn_tree_floats(const sn_tree *tree, int link)
{
    bool loose = false;
    for (int i = link; i >= 0; i = tree->links[i].parent) {
        if (i != link && tree->links[i].mass > 0.0) {
            return false;
        }
        loose = loose || tree->links[i].joint == SN_TREE_TRANSLATION ||
                tree->links[i].joint == SN_TREE_SLIDER;
    }
    return loose;
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

void sn_tree_move(const sn_tree *tree, const double *q, const double *d, double scale,
                  double *moved)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const double *from = q + link->q, *by = d + link->v;
        double *to = moved + link->q;
        if (link->joint == SN_TREE_BALL) {
            sn_quat start = {from[0], from[1], from[2], from[3]};
            sn_quat end =
                sn_quat_multiply(start, sn_quat_exp(sn_vec3_scale(scale, sn_vec3_at(by))));
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

static const sn_tree_pose world_pose = {
    .rotation = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}};

// r turned about its own z by an angle: columns x and y mix.
SN_TREE_INLINE void turn_about_z(const sn_mat3 *r, double angle, sn_mat3 *turned)
{
    double s, c;
    sn_sincos(angle, &s, &c);
    *turned =
        (sn_mat3){{{c * r->m[0][0] + s * r->m[0][1], c * r->m[0][1] - s * r->m[0][0], r->m[0][2]},
                   {c * r->m[1][0] + s * r->m[1][1], c * r->m[1][1] - s * r->m[1][0], r->m[1][2]},
                   {c * r->m[2][0] + s * r->m[2][1], c * r->m[2][1] - s * r->m[2][0], r->m[2][2]}}};
}

SN_TREE_INLINE sn_vec3 column(const sn_mat3 *r, int k)
{
    return sn_vec3_make(r->m[0][k], r->m[1][k], r->m[2][k]);
}

// The rotation along a quaternion of any length: 1 + 2 / |q|^2 (w [x]x + [x]x^2).
SN_TREE_INLINE sn_mat3 mat3_along(const double *q)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double s = 2.0 / (w * w + x * x + y * y + z * z);
    double sx = s * x, sy = s * y, sz = s * z;
    double xx = sx * x, yy = sy * y, zz = sz * z, xy = sx * y, xz = sx * z, yz = sy * z;
    double wx = sx * w, wy = sy * w, wz = sz * w;
    return (sn_mat3){{{1.0 - (yy + zz), xy - wz, xz + wy},
                      {xy + wz, 1.0 - (xx + zz), yz - wx},
                      {xz - wy, yz + wx, 1.0 - (xx + yy)}}};
}

// Gives the link's arm and reach beside its pose.
SN_TREE_INLINE void place_link(const sn_tree_link *link, const double *q,
                               const sn_tree_pose *parent, sn_tree_pose *pose, sn_vec3 *arm,
                               sn_vec3 *reach)
{
    sn_vec3 at = sn_mat3_apply(parent->rotation, link->frame.position);
    if (link->joint == SN_TREE_BALL && link->parallel) { // spares a product, as in chains of rods
        sn_mat3 turn = mat3_along(q);
        sn_mat3_product(&parent->rotation, &turn, &pose->rotation);
    } else {
        sn_mat3 joint;
        sn_mat3_product(&parent->rotation, &link->frame.rotation, &joint);
        switch (link->joint) {
        case SN_TREE_HINGE:
            turn_about_z(&joint, q[0], &pose->rotation);
            break;
        case SN_TREE_SLIDER:
            at = sn_vec3_add_scaled(at, q[0], column(&joint, 2));
            pose->rotation = joint;
            break;
        case SN_TREE_SCREW:
            at = sn_vec3_add_scaled(at, link->pitch * q[0], column(&joint, 2));
            turn_about_z(&joint, q[0], &pose->rotation);
            break;
        case SN_TREE_BALL: {
            sn_mat3 turn = mat3_along(q);
            sn_mat3_product(&joint, &turn, &pose->rotation);
            break;
        }
        case SN_TREE_TRANSLATION:
            at = sn_vec3_add(at, sn_mat3_apply(joint, sn_vec3_at(q)));
            pose->rotation = joint;
            break;
        }
    }
    *arm = at;
    *reach = sn_mat3_apply(pose->rotation, link->centre);
    pose->origin = sn_vec3_add(parent->origin, at);
    pose->centre = sn_vec3_add(pose->origin, *reach);
}

void sn_tree_place_into(const sn_tree *tree, const double *q, sn_tree_pose *pose)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        sn_vec3 arm, reach;
        place_link(link, q + link->q, link->parent >= 0 ? &pose[link->parent] : &world_pose,
                   &pose[i], &arm, &reach);
    }
}

// R I R^T
SN_TREE_INLINE sn_sym3 turned_inertia(const sn_tree_link *link, const sn_mat3 *rotation)
{
    const double(*i)[3] = link->inertia.m;
    if (link->round >= 0) {
        int k = link->round, l = k > 0 ? 0 : 1;
        double along = i[k][k], across = i[l][l];
        const sn_sym3 even = {across, 0.0, 0.0, across, 0.0, across};
        return sn_sym3_add_outer(&even, along - across, column(rotation, k));
    }
    if (link->principal) {
        return sn_sym3_turned_diagonal(rotation, sn_vec3_make(i[0][0], i[1][1], i[2][2]));
    }
    sn_sym3 local = sn_sym3_from_mat3(&link->inertia);
    return sn_sym3_turned(rotation, &local);
}

void sn_tree_place(sn_tree *tree, const double *q)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_link *link = &tree->links[i];
        const sn_tree_pose *parent = link->parent >= 0 ? &tree->pose[link->parent] : &world_pose;
        sn_tree_pose *pose = &tree->pose[i];
        sn_tree_body *body = &tree->body[i];
        place_link(link, q + link->q, parent, pose, &body->arm, &body->reach);
        body->axis = column(&pose->rotation, 2);
        body->inertia = turned_inertia(link, &pose->rotation);
        if (tree->added != NULL) {
            sn_sym3 added = sn_sym3_turned(&pose->rotation, &tree->added[i].inertia);
            body->inertia = sn_sym3_add(&body->inertia, &added);
        }
    }
}

// ---- motions and forces ----

void sn_tree_velocity(const sn_tree *tree, const double *v, sn_spatial *velocity)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        velocity[i] = sn_tree_joint_motion(
            body, sn_tree_joint_read(body, &tree->pose[i].rotation, v + body->v));
        if (body->parent >= 0) {
            velocity[i] =
                sn_spatial_add(velocity[i], sn_tree_carried(body, &velocity[body->parent]));
        }
    }
}

// Passes what acts on each link on to its parent, leaves to root, and tells each joint its share.
void sn_tree_gather(const sn_tree *tree, sn_spatial *wrench, double *force)
{
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        sn_tree_joint_write(body, &tree->pose[i].rotation, sn_tree_joint_felt(body, &wrench[i]),
                            force + body->v);
        if (body->parent >= 0) {
            sn_tree_add_wrench(body, &wrench[i], &wrench[body->parent]);
        }
    }
}

// ---- inverse dynamics: recursive Newton-Euler ----

// What the motion of a link (velocity w, acceleration at the origin) asks for as a wrench about its
// origin.
static sn_spatial newton_euler(const sn_tree_body *body, sn_vec3 w, sn_vec3 w_rate,
                               sn_vec3 acceleration)
{
    sn_vec3 c = body->reach;
    sn_vec3 at_centre =
        sn_vec3_add(acceleration, sn_vec3_add(sn_cross(w_rate, c), sn_cross(w, sn_cross(w, c))));
    sn_vec3 force = sn_vec3_scale(body->mass, at_centre);
    sn_vec3 moment = sn_vec3_add(sn_sym3_apply(&body->inertia, w_rate),
                                 sn_cross(w, sn_sym3_apply(&body->inertia, w)));
    return sn_spatial_make(sn_vec3_add(moment, sn_cross(c, force)), force);
}

void sn_tree_inverse(sn_tree *tree, const double *v, const double *a, sn_vec3 gravity,
                     const sn_spatial *wrench, double *force)
{
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        const sn_mat3 *rotation = &tree->pose[i].rotation;
        sn_spatial joint_v =
            sn_tree_joint_motion(body, sn_tree_joint_read(body, rotation, v + body->v));
        sn_spatial joint_a =
            sn_tree_joint_motion(body, sn_tree_joint_read(body, rotation, a + body->v));
        sn_vec3 w = SN_VEC3_ZERO, w_rate = SN_VEC3_ZERO, acceleration = sn_vec3_negate(gravity);
        if (body->parent >= 0) {
            const sn_tree_motion *parent = &tree->motion[body->parent];
            w = parent->angular;
            w_rate = parent->angular_rate;
            acceleration =
                sn_vec3_add(parent->acceleration, sn_vec3_add(sn_cross(w_rate, body->arm),
                                                              sn_cross(w, sn_cross(w, body->arm))));
        }
        // The joint's axes are carried by the parent for shifts; its turns add their own gyration.
        acceleration =
            sn_vec3_add(acceleration, sn_vec3_add(joint_a.linear,
                                                  sn_vec3_scale(2.0, sn_cross(w, joint_v.linear))));
        w_rate = sn_vec3_add(w_rate, sn_vec3_add(joint_a.angular, sn_cross(w, joint_v.angular)));
        w = sn_vec3_add(w, joint_v.angular);
        tree->motion[i] = (sn_tree_motion){w, w_rate, acceleration};
        tree->scratch[i] = newton_euler(body, w, w_rate, acceleration);
        if (wrench != NULL) {
            tree->scratch[i] = sn_spatial_sub(tree->scratch[i], wrench[i]);
        }
    }
    sn_tree_gather(tree, tree->scratch, force);
}

// ---- the factor: articulated inertias, leaves to root ----

// The link's own inertia about its origin, r before the centre: I + m (r^2 - r r^T), m [r]x, m.
SN_TREE_INLINE void rigid_inertia(const sn_tree_body *body, sn_tree_inertia *inertia)
{
    sn_vec3 r = body->reach, mr = sn_vec3_scale(body->mass, r);
    double rr = sn_dot(mr, r);
    inertia->angular = sn_sym3_add_outer(&body->inertia, -body->mass, r);
    inertia->angular.xx += rr;
    inertia->angular.yy += rr;
    inertia->angular.zz += rr;
    inertia->coupling = sn_mat3_cross(mr);
    inertia->linear = (sn_sym3){body->mass, 0.0, 0.0, body->mass, 0.0, body->mass};
}

// a - [b]x with b given by its rows times [r]x: the upper triangle of a + [r]x left^T - right [r]x.
SN_TREE_INLINE void add_crossed(sn_sym3 *a, const sn_mat3 *left, const sn_mat3 *right, sn_vec3 r)
{
    const double(*l)[3] = left->m, (*k)[3] = right->m;
    a->xx += (r.y * l[0][2] - r.z * l[0][1]) - (k[0][1] * r.z - k[0][2] * r.y);
    a->xy += (r.y * l[1][2] - r.z * l[1][1]) - (k[0][2] * r.x - k[0][0] * r.z);
    a->xz += (r.y * l[2][2] - r.z * l[2][1]) - (k[0][0] * r.y - k[0][1] * r.x);
    a->yy += (r.z * l[1][0] - r.x * l[1][2]) - (k[1][2] * r.x - k[1][0] * r.z);
    a->yz += (r.z * l[2][0] - r.x * l[2][2]) - (k[1][0] * r.y - k[1][1] * r.x);
    a->zz += (r.x * l[2][1] - r.y * l[2][0]) - (k[2][0] * r.y - k[2][1] * r.x);
}

// -lifted [r]x, which is symmetric, with lifted = [r]x linear.
SN_TREE_INLINE void add_lifted(sn_sym3 *a, const sn_mat3 *lifted, sn_vec3 r)
{
    const double(*l)[3] = lifted->m;
    a->xx += l[0][2] * r.y - l[0][1] * r.z;
    a->xy += l[0][0] * r.z - l[0][2] * r.x;
    a->xz += l[0][1] * r.x - l[0][0] * r.y;
    a->yy += l[1][0] * r.z - l[1][2] * r.x;
    a->yz += l[1][1] * r.x - l[1][0] * r.y;
    a->zz += l[2][1] * r.x - l[2][0] * r.y;
}

SN_TREE_INLINE void add_mat3(sn_mat3 *a, const sn_mat3 *b)
{
    for (int k = 0; k < 3; ++k) {
        a->m[k][0] += b->m[k][0];
        a->m[k][1] += b->m[k][1];
        a->m[k][2] += b->m[k][2];
    }
}

// Adds an inertia about the link's origin to the parent's, about the parent's origin, r away: X^T I
// X with X = [1 0; -[r]x 1].
SN_TREE_INLINE void add_to_parent(sn_tree_inertia *parent, const sn_tree_inertia *i, sn_vec3 r)
{
    sn_mat3 coupling;
    sn_sym3_lifted(r, &i->linear, &coupling);
    add_mat3(&coupling, &i->coupling);
    parent->angular = sn_sym3_add(&parent->angular, &i->angular);
    add_crossed(&parent->angular, &i->coupling, &coupling, r);
    add_mat3(&parent->coupling, &coupling);
    parent->linear = sn_sym3_add(&parent->linear, &i->linear);
}

// The same for what a ball without armature leaves: nothing but a linear part.
SN_TREE_INLINE void add_force_to_parent(sn_tree_inertia *parent, const sn_sym3 *linear, sn_vec3 r)
{
    sn_mat3 lifted;
    sn_sym3_lifted(r, linear, &lifted);
    add_lifted(&parent->angular, &lifted, r);
    add_mat3(&parent->coupling, &lifted);
    parent->linear = sn_sym3_add(&parent->linear, linear);
}

// b - s u w^T
SN_TREE_INLINE void subtract_outer(sn_mat3 *b, double s, sn_vec3 u, sn_vec3 w)
{
    sn_vec3 x = sn_vec3_scale(s, u);
    b->m[0][0] -= x.x * w.x;
    b->m[0][1] -= x.x * w.y;
    b->m[0][2] -= x.x * w.z;
    b->m[1][0] -= x.y * w.x;
    b->m[1][1] -= x.y * w.y;
    b->m[1][2] -= x.y * w.z;
    b->m[2][0] -= x.z * w.x;
    b->m[2][1] -= x.z * w.y;
    b->m[2][2] -= x.z * w.z;
}

// One freedom: U = I S, 1/D, and what the parent feels of the link, I - U U^T / D.
SN_TREE_INLINE bool factor_single(const sn_tree_body *body, const sn_tree_inertia *i,
                                  double armature, sn_tree_factor *f, sn_tree_inertia *parent)
{
    sn_vec3 z = body->axis, angular = SN_VEC3_ZERO, linear = SN_VEC3_ZERO;
    if (body->joint != SN_TREE_SLIDER) {
        angular = sn_sym3_apply(&i->angular, z);
        linear = sn_mat3_apply_transpose(i->coupling, z);
    }
    if (body->joint != SN_TREE_HINGE) {
        double shift = body->joint == SN_TREE_SLIDER ? 1.0 : body->pitch;
        angular = sn_vec3_add_scaled(angular, shift, sn_mat3_apply(i->coupling, z));
        linear = sn_vec3_add_scaled(linear, shift, sn_sym3_apply(&i->linear, z));
    }
    f->one.u = sn_spatial_make(angular, linear);
    double d = sn_tree_joint_felt(body, &f->one.u).x + armature;
    f->one.inverse_d = 1.0 / d;
    if (parent != NULL) {
        sn_tree_inertia rest;
        rest.angular = sn_sym3_add_outer(&i->angular, -f->one.inverse_d, angular);
        rest.linear = sn_sym3_add_outer(&i->linear, -f->one.inverse_d, linear);
        rest.coupling = i->coupling;
        subtract_outer(&rest.coupling, f->one.inverse_d, angular, linear);
        add_to_parent(parent, &rest, body->arm);
    }
    return d > 0.0;
}

SN_TREE_INLINE sn_sym3 sym3_sub(const sn_sym3 *a, const sn_sym3 *b)
{
    return (sn_sym3){a->xx - b->xx, a->xy - b->xy, a->xz - b->xz,
                     a->yy - b->yy, a->yz - b->yz, a->zz - b->zz};
}

// Three freedoms: the joint frees one half of I, with D that half plus armature P. What it leaves
// is of the other half Schur's complement, of the freed half P - P D^-1 P, and between them P gain.
static bool factor_triple(const sn_tree_body *body, const sn_tree_inertia *i,
                          const sn_sym3 *armature, sn_tree_factor *f, sn_tree_inertia *parent)
{
    bool ball = body->joint == SN_TREE_BALL;
    const sn_sym3 *freed = ball ? &i->angular : &i->linear,
                  *other = ball ? &i->linear : &i->angular;
    sn_mat3 coupling = ball ? i->coupling : sn_mat3_transpose(i->coupling); // freed by other
    sn_sym3 d = armature != NULL ? sn_sym3_add(freed, armature) : *freed;
    bool sound = sn_sym3_inverse(&d, &f->three.inverse);
    sn_sym3_product(&f->three.inverse, &coupling, &f->three.gain);
    if (parent == NULL) {
        return sound;
    }
    sn_sym3 taken = sn_sym3_transpose_product(&coupling, &f->three.gain);
    sn_sym3 rest = sym3_sub(other, &taken);
    if (ball && armature == NULL) {
        add_force_to_parent(parent, &rest, body->arm);
        return sound;
    }
    sn_sym3 kept = SN_SYM3_ZERO;
    sn_mat3 between = SN_MAT3_ZERO;
    if (armature != NULL) {
        const sn_sym3 *p = armature;
        const sn_mat3 full = {
            {{p->xx, p->xy, p->xz}, {p->xy, p->yy, p->yz}, {p->xz, p->yz, p->zz}}};
        sn_sym3 lost = sn_sym3_turned(&full, &f->three.inverse);
        kept = sym3_sub(armature, &lost);
        sn_sym3_product(armature, &f->three.gain, &between);
    }
    const sn_tree_inertia left = {ball ? kept : rest, ball ? between : sn_mat3_transpose(between),
                                  ball ? rest : kept};
    add_to_parent(parent, &left, body->arm);
    return sound;
}

bool sn_tree_factorise(sn_tree *tree, const double *armature)
{
    return sn_tree_factorise_with(tree, armature, NULL);
}

bool sn_tree_factorise_with(sn_tree *tree, const double *armature, const sn_tree_inertia *extra)
{
    bool sound = true;
    tree->armed = armature != NULL;
    for (int i = 0; i < tree->count; ++i) {
        rigid_inertia(&tree->body[i], &tree->inertia[i]);
    }
    for (int i = 0; i < tree->count && extra != NULL; ++i) {
        sn_tree_inertia *inertia = &tree->inertia[i];
        inertia->angular = sn_sym3_add(&inertia->angular, &extra[i].angular);
        add_mat3(&inertia->coupling, &extra[i].coupling);
        inertia->linear = sn_sym3_add(&inertia->linear, &extra[i].linear);
    }
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        const double *own = armature != NULL ? armature + body->v : NULL;
        sn_tree_inertia *parent = body->parent >= 0 ? &tree->inertia[body->parent] : NULL;
        bool good;
        if (body->joint < SN_TREE_BALL) {
            good = factor_single(body, &tree->inertia[i], own != NULL ? own[0] : 0.0,
                                 &tree->factor[i], parent);
        } else {
            if (own != NULL) {
                tree->armature[i] =
                    sn_sym3_turned_diagonal(&tree->pose[i].rotation, sn_vec3_at(own));
            }
            good = factor_triple(body, &tree->inertia[i], own != NULL ? &tree->armature[i] : NULL,
                                 &tree->factor[i], parent);
        }
        sound = sound && good;
    }
    return sound;
}

// ---- solving with the factor ----

void sn_tree_solve(sn_tree *tree, const double *force, double *a)
{
    memset(tree->scratch, 0, (size_t)tree->count * sizeof *tree->scratch);
    sn_tree_solve_wrench(tree, force, a);
}

static bool is_zero(const sn_spatial *f)
{
    return f->angular.x == 0.0 && f->angular.y == 0.0 && f->angular.z == 0.0 &&
           f->linear.x == 0.0 && f->linear.y == 0.0 && f->linear.z == 0.0;
}

// Contact pushes one link at a time: what hangs beside the way from there to the root feels
// nothing on the way in.
static bool feels_nothing(const sn_tree_body *body, const sn_spatial *wrench, const double *force)
{
    bool three = body->joint >= SN_TREE_BALL;
    return force[0] == 0.0 && (!three || (force[1] == 0.0 && force[2] == 0.0)) && is_zero(wrench);
}

void sn_tree_solve_wrench(sn_tree *tree, const double *force, double *a)
{
    sn_spatial *wrench = tree->scratch;
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        if (feels_nothing(body, &wrench[i], force + body->v)) {
            memset(a + body->v, 0, (size_t)sn_tree_joint_v(body->joint) * sizeof *a);
            continue;
        }
        sn_vec3 given = sn_tree_joint_read(body, &tree->pose[i].rotation, force + body->v);
        sn_vec3 u = sn_vec3_add(given, sn_tree_joint_felt(body, &wrench[i]));
        double *kept = a + body->v; // until the way out
        kept[0] = u.x;
        if (body->joint >= SN_TREE_BALL) {
            kept[1] = u.y;
            kept[2] = u.z;
        }
        if (body->parent >= 0) {
            sn_spatial passed = sn_spatial_sub(
                wrench[i], sn_tree_pass_on(body, &tree->factor[i],
                                           tree->armed ? &tree->armature[i] : NULL, u));
            sn_tree_add_wrench(body, &passed, &wrench[body->parent]);
        }
    }
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        double *kept = a + body->v;
        sn_vec3 u = {kept[0], 0.0, 0.0};
        if (body->joint >= SN_TREE_BALL) {
            u = sn_vec3_at(kept);
        }
        sn_spatial motion =
            body->parent >= 0 ? sn_tree_carried(body, &wrench[body->parent]) : SN_SPATIAL_ZERO;
        sn_vec3 own = sn_tree_accelerate(body, &tree->factor[i],
                                         tree->armed ? &tree->armature[i] : NULL, u, &motion);
        wrench[i] = motion;
        sn_tree_joint_write(body, &tree->pose[i].rotation, own, kept);
    }
}

// Column j of M is the force for unit acceleration j without velocity and gravity.
void sn_tree_mass_matrix(sn_tree *tree, double *m)
{
    int n = tree->v_count;
    for (int j = 0; j < n; ++j) {
        double *row = m + (size_t)j * (size_t)n; // M is symmetric: a column may be written as a row
        memset(row, 0, (size_t)n * sizeof *row);
        row[j] = 1.0;
        sn_spatial *motion = tree->scratch;
        sn_tree_velocity(tree, row, motion);
        for (int i = 0; i < tree->count; ++i) {
            motion[i] =
                newton_euler(&tree->body[i], SN_VEC3_ZERO, motion[i].angular, motion[i].linear);
        }
        sn_tree_gather(tree, motion, row);
    }
}
