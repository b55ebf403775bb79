#include "agent/tree/tree_root.h"

#include <string.h>

#include "agent/tree/tree_joint.h"

// D^-1 = R R^T with R lower triangular. One freedom: R in xx.
void sn_tree_root_begin(sn_tree *tree)
{
    for (int i = 0; i < tree->count; ++i) {
        sn_sym3 *root = &tree->root[i];
        if (tree->body[i].joint < SN_TREE_BALL) {
            root->xx = sqrt(tree->factor[i].one.inverse_d);
            continue;
        }
        const sn_sym3 *a = &tree->factor[i].three.inverse;
        root->xx = sqrt(a->xx);
        root->xy = a->xy / root->xx;
        root->xz = a->xz / root->xx;
        root->yy = sqrt(a->yy - root->xy * root->xy);
        root->yz = (a->yz - root->xy * root->xz) / root->yy;
        root->zz = sqrt(a->zz - root->xz * root->xz - root->yz * root->yz);
    }
}

static sn_vec3 root_apply(const sn_sym3 *r, sn_vec3 z)
{
    return sn_vec3_make(r->xx * z.x, r->xy * z.x + r->yy * z.y,
                        r->xz * z.x + r->yz * z.y + r->zz * z.z);
}

static sn_vec3 root_apply_transpose(const sn_sym3 *r, sn_vec3 u)
{
    return sn_vec3_make(r->xx * u.x + r->xy * u.y + r->xz * u.z, r->yy * u.y + r->yz * u.z,
                        r->zz * u.z);
}

static sn_vec3 root_solve(const sn_sym3 *r, sn_vec3 y)
{
    double a = y.x / r->xx, b = (y.y - r->xy * a) / r->yy;
    return sn_vec3_make(a, b, (y.z - r->xz * a - r->yz * b) / r->zz);
}

// D^-1 U^T carried: the movement of the joint that would undo how its parent carries the link, of
// three freedoms.
static sn_vec3 undone(const sn_tree *tree, int link, const sn_spatial *carried)
{
    bool ball = tree->body[link].joint == SN_TREE_BALL;
    sn_vec3 freed = ball ? carried->angular : carried->linear;
    sn_vec3 other = ball ? carried->linear : carried->angular, sum = freed;
    if (tree->armed) {
        sn_vec3 armature = sn_sym3_apply(&tree->armature[link], freed);
        sum = sn_vec3_sub(sum, sn_sym3_apply(&tree->factor[link].three.inverse, armature));
    }
    return sn_vec3_add(sum, sn_mat3_apply(tree->factor[link].three.gain, other));
}

void sn_tree_normalise(sn_tree *tree, const double *v, double *z)
{
    sn_spatial *motion = tree->scratch;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_vec3 own = sn_tree_joint_read(body, &tree->pose[i].rotation, v + body->v);
        sn_spatial carried =
            body->parent >= 0 ? sn_tree_carried(body, &motion[body->parent]) : SN_SPATIAL_ZERO;
        if (body->joint < SN_TREE_BALL) {
            const sn_tree_factor *factor = &tree->factor[i];
            double more = factor->one.inverse_d * sn_spatial_dot(carried, factor->one.u);
            z[body->v] = (own.x + more) / tree->root[i].xx;
        } else {
            sn_vec3 sum = sn_vec3_add(own, undone(tree, i, &carried));
            sn_vec3_put(z + body->v, root_solve(&tree->root[i], sum));
        }
        motion[i] = sn_spatial_add(carried, sn_tree_joint_motion(body, own));
    }
}

void sn_tree_denormalise(sn_tree *tree, const double *z, double *v)
{
    sn_spatial *motion = tree->scratch;
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_body *body = &tree->body[i];
        sn_spatial carried =
            body->parent >= 0 ? sn_tree_carried(body, &motion[body->parent]) : SN_SPATIAL_ZERO;
        sn_vec3 own;
        if (body->joint < SN_TREE_BALL) {
            const sn_tree_factor *factor = &tree->factor[i];
            double less = factor->one.inverse_d * sn_spatial_dot(carried, factor->one.u);
            own = sn_vec3_make(tree->root[i].xx * z[body->v] - less, 0.0, 0.0);
        } else {
            own = sn_vec3_sub(root_apply(&tree->root[i], sn_vec3_at(z + body->v)),
                              undone(tree, i, &carried));
        }
        sn_tree_joint_write(body, &tree->pose[i].rotation, own, v + body->v);
        motion[i] = sn_spatial_add(carried, sn_tree_joint_motion(body, own));
    }
}

static bool is_zero(const sn_spatial *f)
{
    return f->angular.x == 0.0 && f->angular.y == 0.0 && f->angular.z == 0.0 &&
           f->linear.x == 0.0 && f->linear.y == 0.0 && f->linear.z == 0.0;
}

void sn_tree_half_solve(sn_tree *tree, const double *force, double *x)
{
    sn_spatial *wrench = tree->scratch;
    memset(wrench, 0, (size_t)tree->count * sizeof *wrench);
    for (int i = tree->count - 1; i >= 0; --i) {
        const sn_tree_body *body = &tree->body[i];
        const double *f = force + body->v;
        bool three = body->joint >= SN_TREE_BALL;
        double *out = x + body->v;
        if (f[0] == 0.0 && (!three || (f[1] == 0.0 && f[2] == 0.0)) && is_zero(&wrench[i])) {
            memset(out, 0, (three ? 3 : 1) * sizeof *out);
            continue;
        }
        sn_vec3 given = sn_tree_joint_read(body, &tree->pose[i].rotation, f);
        sn_vec3 u = sn_vec3_add(given, sn_tree_joint_felt(body, &wrench[i]));
        if (three) {
            sn_vec3_put(out, root_apply_transpose(&tree->root[i], u));
        } else {
            out[0] = tree->root[i].xx * u.x;
        }
        if (body->parent >= 0) {
            sn_spatial passed = sn_spatial_sub(
                wrench[i], sn_tree_pass_on(body, &tree->factor[i],
                                           tree->armed ? &tree->armature[i] : NULL, u));
            sn_tree_add_wrench(body, &passed, &wrench[body->parent]);
        }
    }
}

// `full` is what the link gets of the wrench, `left` what joints outside of it have not taken.
void sn_tree_half_rows(const sn_tree *tree, int link, const sn_spatial *f, int count, double *felt,
                       double *x)
{
    sn_spatial full[SN_TREE_ROWS], left[SN_TREE_ROWS];
    size_t size = (size_t)count * (size_t)tree->v_count * sizeof *x;
    memset(felt, 0, size);
    memset(x, 0, size);
    for (int a = 0; a < count && a < SN_TREE_ROWS; ++a) {
        full[a] = left[a] = f[a];
    }
    for (const sn_tree_body *body; link >= 0; link = body->parent) {
        body = &tree->body[link];
        const sn_sym3 *armature = tree->armed ? &tree->armature[link] : NULL;
        for (int a = 0; a < count && a < SN_TREE_ROWS; ++a) {
            int at = a * tree->v_count + body->v;
            sn_vec3 u = sn_tree_joint_felt(body, &left[a]);
            sn_tree_joint_write(body, &tree->pose[link].rotation,
                                sn_tree_joint_felt(body, &full[a]), felt + at);
            if (body->joint < SN_TREE_BALL) {
                x[at] = tree->root[link].xx * u.x;
            } else {
                sn_vec3_put(x + at, root_apply_transpose(&tree->root[link], u));
            }
            sn_spatial passed =
                sn_spatial_sub(left[a], sn_tree_pass_on(body, &tree->factor[link], armature, u));
            sn_spatial whole = full[a];
            full[a] = left[a] = SN_SPATIAL_ZERO;
            sn_tree_add_wrench(body, &whole, &full[a]);
            sn_tree_add_wrench(body, &passed, &left[a]);
        }
    }
}
