// What one joint of a tree does: how it moves its link, what it feels of a force, and its part in a
// solve with the factor. Shared by the passes over links in tree.c and tree_step.c.
//
// A joint's own quantity (movement, felt force) is a vector here: one freedom uses x alone, three
// freedoms have it in world axes.
#ifndef SN_AGENT_TREE_TREE_JOINT_H
#define SN_AGENT_TREE_TREE_JOINT_H

#include "agent/tree/tree.h"

// A pass over links is fast only when what it does to each is part of it: called as functions, the
// structs go through memory, a tenth of a step.
#if defined(__GNUC__)
#define SN_TREE_INLINE static inline __attribute__((always_inline))
#else
#define SN_TREE_INLINE static inline
#endif

// S v: what the joint adds to the link's velocity, at the link's origin.
SN_TREE_INLINE sn_spatial sn_tree_joint_motion(const sn_tree_body *body, sn_vec3 own)
{
    switch (body->joint) {
    case SN_TREE_HINGE:
        return sn_spatial_make(sn_vec3_scale(own.x, body->axis), SN_VEC3_ZERO);
    case SN_TREE_SLIDER:
        return sn_spatial_make(SN_VEC3_ZERO, sn_vec3_scale(own.x, body->axis));
    case SN_TREE_SCREW:
        return sn_spatial_make(sn_vec3_scale(own.x, body->axis),
                               sn_vec3_scale(body->pitch * own.x, body->axis));
    case SN_TREE_BALL:
        return sn_spatial_make(own, SN_VEC3_ZERO);
    case SN_TREE_TRANSLATION:
        break;
    }
    return sn_spatial_make(SN_VEC3_ZERO, own);
}

// S^T f: what the joint feels of a force on the link.
SN_TREE_INLINE sn_vec3 sn_tree_joint_felt(const sn_tree_body *body, const sn_spatial *f)
{
    switch (body->joint) {
    case SN_TREE_HINGE:
        return sn_vec3_make(sn_dot(body->axis, f->angular), 0.0, 0.0);
    case SN_TREE_SLIDER:
        return sn_vec3_make(sn_dot(body->axis, f->linear), 0.0, 0.0);
    case SN_TREE_SCREW:
        return sn_vec3_make(
            sn_dot(body->axis, f->angular) + body->pitch * sn_dot(body->axis, f->linear), 0.0, 0.0);
    case SN_TREE_BALL:
        return f->angular;
    case SN_TREE_TRANSLATION:
        break;
    }
    return f->linear;
}

// A joint's numbers in an array by freedom, and back. Those of three freedoms are in link axes
// there.
SN_TREE_INLINE sn_vec3 sn_tree_joint_read(const sn_tree_body *body, const sn_mat3 *rotation,
                                          const double *x)
{
    return body->joint < SN_TREE_BALL ? sn_vec3_make(x[0], 0.0, 0.0)
                                      : sn_mat3_apply(*rotation, sn_vec3_make(x[0], x[1], x[2]));
}

SN_TREE_INLINE void sn_tree_joint_write(const sn_tree_body *body, const sn_mat3 *rotation,
                                        sn_vec3 own, double *x)
{
    x[0] = own.x;
    if (body->joint >= SN_TREE_BALL) {
        sn_vec3 local = sn_mat3_apply_transpose(*rotation, own);
        x[0] = local.x;
        x[1] = local.y;
        x[2] = local.z;
    }
}

// A wrench about a link's origin, added to one about its parent's.
SN_TREE_INLINE void sn_tree_add_wrench(const sn_tree_body *body, const sn_spatial *f,
                                       sn_spatial *up)
{
    up->angular = sn_vec3_add(up->angular, sn_vec3_add(f->angular, sn_cross(body->arm, f->linear)));
    up->linear = sn_vec3_add(up->linear, f->linear);
}

// A parent's motion, as it carries the link's origin along.
SN_TREE_INLINE sn_spatial sn_tree_carried(const sn_tree_body *body, const sn_spatial *parent)
{
    return sn_spatial_make(parent->angular,
                           sn_velocity_at(parent->linear, parent->angular, body->arm));
}

// Inwards: U D^-1 u, the force that a joint's share u passes on to the link. `armature`: of three
// freedoms, or NULL; U is then less by it on the half that the joint frees.
SN_TREE_INLINE sn_spatial sn_tree_pass_on(const sn_tree_body *body, const sn_tree_factor *factor,
                                          const sn_sym3 *armature, sn_vec3 u)
{
    if (body->joint < SN_TREE_BALL) {
        return sn_spatial_scale(factor->one.inverse_d * u.x, factor->one.u);
    }
    sn_vec3 other = sn_mat3_apply_transpose(factor->three.gain, u);
    if (armature != NULL) {
        u = sn_vec3_sub(u, sn_sym3_apply(armature, sn_sym3_apply(&factor->three.inverse, u)));
    }
    return body->joint == SN_TREE_BALL ? sn_spatial_make(u, other) : sn_spatial_make(other, u);
}

// Outwards: adds the joint's own movement to how its parent carries the link, D^-1 (u - U^T
// carried); gives that movement.
SN_TREE_INLINE sn_vec3 sn_tree_accelerate(const sn_tree_body *body, const sn_tree_factor *factor,
                                          const sn_sym3 *armature, sn_vec3 u, sn_spatial *carried)
{
    if (body->joint < SN_TREE_BALL) {
        double own = factor->one.inverse_d * (u.x - sn_spatial_dot(*carried, factor->one.u));
        sn_vec3 movement = sn_vec3_make(own, 0.0, 0.0);
        *carried = sn_spatial_add(*carried, sn_tree_joint_motion(body, movement));
        return movement;
    }
    // Without armature D is the freed half of I itself, and what the parent does there is undone.
    sn_vec3 *freed = body->joint == SN_TREE_BALL ? &carried->angular : &carried->linear;
    sn_vec3 other = body->joint == SN_TREE_BALL ? carried->linear : carried->angular;
    sn_vec3 before = *freed;
    if (armature != NULL) {
        u = sn_vec3_add(u, sn_sym3_apply(armature, before));
    }
    *freed = sn_vec3_sub(sn_sym3_apply(&factor->three.inverse, u),
                         sn_mat3_apply(factor->three.gain, other));
    return sn_vec3_sub(*freed, before);
}

#endif
