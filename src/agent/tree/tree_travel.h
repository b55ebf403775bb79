// How a link travels from the middle of a step to another configuration, and the momentum that this
// takes; see tree_step.h for the formulas.
#ifndef SN_AGENT_TREE_TREE_TRAVEL_H
#define SN_AGENT_TREE_TREE_TRAVEL_H

#include <math.h>

#include "agent/tree/tree_joint.h"
#include "agent/tree/tree_step.h"
#include "math/elementary.h"

#define SN_TREE_AT_REST                                                                            \
    {                                                                                              \
        1.0, {0.0, 0.0, 0.0}, 2.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 2.0, 0.0, 1.0 / 12.0          \
    }

// ---- arcs ----

// The following for turns that are not small; out of the way, so that passes over links stay short.
SN_API void sn_tree_arc_large(double w, double square, double *over, double *round);
SN_API double sn_tree_arc_by_sine_large(double y);
SN_API double sn_tree_arc_by_tangent_large(double z);
SN_API double sn_tree_tangent_large(double z);

// Of sin^2(a / 2): turns of up to 0.063 rad are small, and Taylor series exact to rounding.
#define SN_TREE_SMALL_TURN 1e-3

// s - 1 for y = sin^2(a / 2) of a small turn.
SN_TREE_INLINE double sn_tree_arc_series(double y)
{
    return y * (1.0 / 6.0 + y * (3.0 / 40.0 + y * (5.0 / 112.0 + y * (35.0 / 1152.0))));
}

// s - 1 and kappa of a turn by a, from its quaternion.
SN_TREE_INLINE void sn_tree_arc(double w, double square, double bend, double *over, double *round)
{
    double y = 0.5 * bend * square;
    if (!(y < SN_TREE_SMALL_TURN && w > 0.0)) {
        sn_tree_arc_large(w, square, over, round);
        return;
    }
    *over = sn_tree_arc_series(y);
    *round = 1.0 / 12.0 + y * (1.0 / 180.0 + y * (1.0 / 420.0 + y * (79.0 / 56700.0)));
}

// phi of a turn by its quaternion is this times u, with s - 1.
SN_TREE_INLINE double sn_tree_angle_scale(double bend, double over)
{
    return (2.0 + 2.0 * over) * sqrt(0.5 * bend);
}

// b / sin(b) for y = sin^2(b / 2).
SN_TREE_INLINE double sn_tree_arc_by_sine_series(double y)
{
    return 1.0 +
           y * (2.0 / 3.0 +
                y * (8.0 / 15.0 + y * (16.0 / 35.0 + y * (128.0 / 315.0 + y * (256.0 / 693.0)))));
}

SN_TREE_INLINE double sn_tree_arc_by_sine(double y)
{
    return y < SN_TREE_SMALL_TURN ? sn_tree_arc_by_sine_series(y) : sn_tree_arc_by_sine_large(y);
}

// atan(x) / x for z = x^2.
SN_TREE_INLINE double sn_tree_arc_by_tangent(double z)
{
    if (!(z < SN_TREE_SMALL_TURN)) {
        return sn_tree_arc_by_tangent_large(z);
    }
    return 1.0 - z * (1.0 / 3.0 - z * (1.0 / 5.0 - z * (1.0 / 7.0 - z * (1.0 / 9.0))));
}

// tan(x) / x for z = x^2.
SN_TREE_INLINE double sn_tree_tangent(double z)
{
    if (!(z < SN_TREE_SMALL_TURN)) {
        return sn_tree_tangent_large(z);
    }
    return 1.0 + z * (1.0 / 3.0 + z * (2.0 / 15.0 + z * (17.0 / 315.0 + z * (62.0 / 2835.0))));
}

// ---- turns ----

// (T - 1) x
SN_TREE_INLINE sn_vec3 sn_tree_displaced(const sn_tree_travel *travel, sn_vec3 x)
{
    sn_vec3 across = sn_cross(travel->turn, x);
    return sn_vec3_scale(travel->bend, sn_vec3_add(sn_vec3_scale(travel->w, across),
                                                   sn_cross(travel->turn, across)));
}

// s (T - 1) x, of links that are measured by arcs.
SN_TREE_INLINE sn_vec3 sn_tree_arc_way(const sn_tree_travel *travel, sn_vec3 x)
{
    sn_vec3 across = sn_cross(travel->turn, x);
    return sn_vec3_scale(travel->stretch, sn_vec3_add(sn_vec3_scale(travel->w, across),
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

// A turn by an angle about the link's axis, with its arc; its quaternion has unit length and leaves
// bend as it is.
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
    sn_tree_arc(travel->w, sn_dot(travel->turn, travel->turn), travel->bend, &travel->over,
                &travel->round);
    travel->angle = sn_vec3_scale(sn_tree_angle_scale(travel->bend, travel->over), travel->turn);
    travel->stretch = travel->bend * (1.0 + travel->over);
}

// t = tan(a / 4) n of a turn: (1, t) is the quaternion of half of it.
SN_TREE_INLINE sn_vec3 sn_tree_half_tangent(const sn_tree_travel *travel)
{
    double length = sqrt(travel->w * travel->w + sn_dot(travel->turn, travel->turn));
    return sn_vec3_scale(1.0 / (length + travel->w), travel->turn);
}

// x turned by the quaternion (1, t).
SN_TREE_INLINE sn_vec3 sn_tree_half_turned(sn_vec3 t, sn_vec3 x)
{
    sn_vec3 across = sn_cross(t, x);
    return sn_vec3_add_scaled(x, 2.0 / (1.0 + sn_dot(t, t)),
                              sn_vec3_add(across, sn_cross(t, across)));
}

// ---- the travel of a link ----

SN_TREE_INLINE bool sn_tree_slides(const sn_tree_body *body)
{
    return body->joint != SN_TREE_HINGE && body->joint != SN_TREE_BALL;
}

// How far a link's origin travels beyond its parent's, along an arc or straight.
SN_TREE_INLINE sn_vec3 sn_tree_way(const sn_tree_body *body, const sn_tree_travel *parent,
                                   sn_vec3 own)
{
    if (!sn_tree_slides(body)) {
        return body->on_arcs ? sn_tree_arc_way(parent, body->arm)
                             : sn_tree_displaced(parent, body->arm);
    }
    sn_vec3 slide = sn_tree_joint_motion(body, own).linear;
    if (!body->on_arcs) {
        return sn_vec3_add(slide, sn_tree_displaced(parent, sn_vec3_add(body->arm, slide)));
    }
    return sn_vec3_add(sn_tree_half_turned(sn_tree_half_tangent(parent), slide),
                       sn_tree_arc_way(parent, sn_vec3_add_scaled(body->arm, 0.5, slide)));
}

// The travel of a link from that of its parent and from its joint's own movement; of balls only the
// shift.
SN_TREE_INLINE void sn_tree_travel_on(const sn_tree_body *body, const sn_tree_travel *parent,
                                      sn_vec3 own, sn_tree_travel *travel)
{
    if (body->joint == SN_TREE_HINGE || body->joint == SN_TREE_SCREW) {
        sn_tree_turn_about(body, parent, own.x, travel);
    } else if (body->joint != SN_TREE_BALL) {
        *travel = *parent;
    }
    travel->shift = sn_vec3_add(parent->shift, sn_tree_way(body, parent, own));
}

// ---- the momentum of a link ----

// The second moments of a link, with what the placed tree adds to it.
SN_TREE_INLINE const sn_tree_spread *sn_tree_spread_at(const sn_tree *tree, int i)
{
    return tree->added != NULL ? &tree->added[i].spread : &tree->links[i].spread;
}

// An axis that they differ along, in world axes.
SN_TREE_INLINE sn_vec3 sn_tree_spread_axis(const sn_tree_spread *spread, const sn_mat3 *rotation,
                                           int k)
{
    int column = spread->column[k];
    return column >= 0 ? sn_vec3_make(rotation->m[0][column], rotation->m[1][column],
                                      rotation->m[2][column])
                       : sn_mat3_apply(*rotation, spread->axis[k]);
}

// The following for any link and turn.
SN_API sn_vec3 sn_tree_swing_spin_any(const sn_tree_spread *spread, const sn_mat3 *rotation,
                                      const sn_tree_travel *travel);

// h L of a link that turns in any way: 2 e phi + sum_k d_k (b_k / sin b_k) r_k x T r_k, with r x T
// r = f (w (u - c r) + c r x u), c = r . u, and sin^2(b / 2) = f (u^2 - c^2) / 2. Here for small
// turns of what is round about one of its axes, as most links are.
SN_TREE_INLINE sn_vec3 sn_tree_swing_spin(const sn_tree_spread *spread, const sn_mat3 *rotation,
                                          const sn_tree_travel *travel)
{
    sn_vec3 u = travel->turn;
    double w = travel->w, half = 0.5 * travel->bend, square = sn_dot(u, u);
    int column = spread->round;
    if (column < 0 || !(half * square < SN_TREE_SMALL_TURN && w > 0.0)) {
        return sn_tree_swing_spin_any(spread, rotation, travel);
    }
    sn_vec3 r = {rotation->m[0][column], rotation->m[1][column], rotation->m[2][column]};
    double along = sn_dot(r, u), over = sn_tree_arc_series(half * square);
    double arc = sn_tree_arc_by_sine_series(half * (square - along * along));
    double scale = spread->beyond[0] * travel->bend * arc;
    double by_turn = 2.0 * spread->middle * sn_tree_angle_scale(travel->bend, over);
    sn_vec3 across = sn_vec3_add_scaled(sn_cross(r, u), -w, r);
    return sn_vec3_add_scaled(sn_vec3_scale(scale * along, across), by_turn + scale * w, u);
}

// h L of a link by arcs, I phi + phi x I phi / 2 + kappa phi x (phi x I phi), and what its turn
// feels of p beyond the moment: (s - 1) moment + kappa (way . p) phi. All but I phi + phi x I phi /
// 2 is of third order: `third`.
SN_TREE_INLINE sn_vec3 sn_tree_arc_spin(const sn_tree_body *body, const sn_tree_travel *travel,
                                        sn_vec3 moment, double along, sn_vec3 *third)
{
    sn_vec3 phi = travel->angle, spin = sn_sym3_apply(&body->inertia, phi);
    double inside = travel->round * (sn_dot(phi, spin) + along);
    double outside = -travel->round * sn_dot(phi, phi);
    *third = sn_vec3_add_scaled(sn_vec3_scale(travel->over, moment), inside, phi);
    *third = sn_vec3_add_scaled(*third, outside, spin);
    return sn_vec3_add(sn_vec3_add_scaled(spin, 0.5, sn_cross(phi, spin)), *third);
}

// Passes F, the momentum of a link and of all that hangs on it, on to a parent by arcs along which
// it does not slide: beyond arm x F this one feels (s - 1) arm x F + kappa (d . F) phi, d = way.
SN_TREE_INLINE void sn_tree_pass_force(const sn_tree_body *body, const sn_tree_travel *parent,
                                       sn_vec3 way, sn_vec3 force, sn_tree_search *up)
{
    sn_vec3 turned = sn_vec3_scale(parent->over, sn_cross(body->arm, force));
    turned = sn_vec3_add_scaled(turned, parent->round * sn_dot(way, force), parent->angle);
    up->carried = sn_vec3_add(up->carried, force);
    up->wrench.angular = sn_vec3_add(up->wrench.angular, turned);
}

// The momentum of any link in a tree that has arcs.
SN_API sn_spatial sn_tree_momentum_any(const sn_tree *tree, int i, const sn_tree_travel *parent,
                                       const sn_tree_travel *travel, sn_vec3 own,
                                       sn_tree_search *search, sn_vec3 *third);

// h times the momentum of a link from c to where it travels, about its origin at c, as its joint
// and those before it feel it; to be asked from the last link to the first. own: the joint's
// movement. arcs: the tree's, as a constant. What the link feels of those that hang on it is not in
// it, but by then in its wrench. third: the part of its spin that is of third order in turns, of
// trees that have arcs.
SN_TREE_INLINE sn_spatial sn_tree_momentum(const sn_tree *tree, int i, bool arcs,
                                           const sn_tree_travel *parent,
                                           const sn_tree_travel *travel, sn_vec3 own,
                                           sn_tree_search *search, sn_vec3 *third)
{
    const sn_tree_body *body = &tree->body[i];
    if (!arcs) {
        sn_vec3 way = sn_tree_displaced(travel, body->reach);
        sn_vec3 p = sn_vec3_scale(body->mass, sn_vec3_add(travel->shift, way));
        sn_vec3 spin =
            sn_tree_swing_spin(sn_tree_spread_at(tree, i), &tree->pose[i].rotation, travel);
        return sn_spatial_make(sn_vec3_add(spin, sn_cross(body->reach, p)), p);
    }
    if (body->joint != SN_TREE_HINGE) {
        return sn_tree_momentum_any(tree, i, parent, travel, own, search, third);
    }
    sn_vec3 way = sn_tree_arc_way(travel, body->reach);
    sn_vec3 p = sn_vec3_scale(body->mass, sn_vec3_add(travel->shift, way));
    sn_vec3 moment = sn_cross(body->reach, p), force = sn_vec3_add(search[i].carried, p);
    sn_vec3 spin = sn_tree_arc_spin(body, travel, moment, sn_dot(way, p), third);
    search[i].carried = SN_VEC3_ZERO;
    if (body->on_arcs) {
        sn_tree_pass_force(body, parent, sn_vec3_sub(travel->shift, parent->shift), force,
                           &search[body->parent]);
    } else if (body->parent >= 0) {
        search[body->parent].carried = sn_vec3_add(search[body->parent].carried, force);
    }
    return sn_spatial_make(sn_vec3_add(spin, moment), p);
}

#endif
