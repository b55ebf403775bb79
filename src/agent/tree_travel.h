// How a link travels from the middle of a step to another configuration, and the momentum that this
// takes; see tree_step.h for the formulas.
#ifndef SN_AGENT_TREE_TRAVEL_H
#define SN_AGENT_TREE_TRAVEL_H

#include "agent/tree_joint.h"
#include "agent/tree_step.h"
#include "math/elementary.h"

#define SN_TREE_AT_REST                                                                            \
    {                                                                                              \
        1.0, {0.0, 0.0, 0.0}, 2.0,                                                                 \
        {                                                                                          \
            0.0, 0.0, 0.0                                                                          \
        }                                                                                          \
    }

// (T - 1) x
SN_TREE_INLINE sn_vec3 sn_tree_displaced(const sn_tree_travel *travel, sn_vec3 x)
{
    sn_vec3 across = sn_cross(travel->turn, x);
    return sn_vec3_scale(travel->bend, sn_vec3_add(sn_vec3_scale(travel->w, across),
                                                   sn_cross(travel->turn, across)));
}

// The turn of `first` after one by the quaternion (w, x): their product.
SN_TREE_INLINE void sn_tree_turn_on(const sn_tree_travel *first, double w, sn_vec3 x,
                                    sn_tree_travel *travel)
{
    sn_vec3 u = first->turn;
    travel->w = first->w * w - sn_dot(u, x);
    travel->turn =
        sn_vec3_add(sn_vec3_add(sn_vec3_scale(first->w, x), sn_vec3_scale(w, u)), sn_cross(u, x));
}

SN_TREE_INLINE double sn_tree_bend(double w, sn_vec3 u)
{
    return 2.0 / (w * w + sn_dot(u, u));
}

// A turn by an angle about the link's axis; its quaternion has unit length and leaves bend as it
// is.
SN_TREE_INLINE void sn_tree_turn_about(const sn_tree_body *body, const sn_tree_travel *parent,
                                       double angle, sn_tree_travel *travel)
{
    double half = 0.5 * angle, sine, cosine;
    if (fabs(half) <= 0.75) {
        sn_sincos_small(half, &sine, &cosine);
    } else {
        sn_sincos(half, &sine, &cosine);
    }
    sn_tree_turn_on(parent, cosine, sn_vec3_scale(sine, body->axis), travel);
    travel->bend = parent->bend;
}

// The travel of a link from that of its parent and from its joint's own movement; of balls only the
// shift.
SN_TREE_INLINE void sn_tree_travel_on(const sn_tree_body *body, const sn_tree_travel *parent,
                                      sn_vec3 own, sn_tree_travel *travel)
{
    sn_vec3 slide = own;
    switch (body->joint) {
    case SN_TREE_HINGE:
        sn_tree_turn_about(body, parent, own.x, travel); // falls through
    case SN_TREE_BALL:
        travel->shift = sn_vec3_add(parent->shift, sn_tree_displaced(parent, body->arm));
        return;
    case SN_TREE_SCREW:
        sn_tree_turn_about(body, parent, own.x, travel);
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
                                sn_tree_displaced(parent, sn_vec3_add(body->arm, slide)));
}

// h times the momentum of a link from c to where it travels, about its origin at c.
SN_TREE_INLINE sn_spatial sn_tree_momentum(const sn_tree_body *body, const sn_tree_travel *travel)
{
    sn_vec3 p = sn_vec3_scale(body->mass,
                              sn_vec3_add(travel->shift, sn_tree_displaced(travel, body->reach)));
    sn_vec3 spin = sn_sym3_apply(&body->inertia, travel->turn);
    sn_vec3 l = sn_vec3_scale(
        travel->bend, sn_vec3_add(sn_vec3_scale(travel->w, spin), sn_cross(travel->turn, spin)));
    return sn_spatial_make(sn_vec3_add(l, sn_cross(body->reach, p)), p);
}

#endif
