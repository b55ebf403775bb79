// Spatial vectors: rotation and translation in one, after Featherstone, Rigid Body Dynamics
// Algorithms (2008).
//
//     sn_frame joint = sn_frame_from_transform(placement);      // child in parent
//     sn_spatial v = sn_motion_to_local(&joint, parent_velocity);
//     sn_spatial_inertia body = sn_spatial_inertia_make(mass, centre, inertia_at_centre);
//     sn_spatial momentum = sn_spatial_inertia_apply(&body, v);
//     sn_spatial bias = sn_cross_force(v, momentum);
//     double energy = sn_spatial_inertia_energy(&body, v);
//
// A motion vector holds the angular velocity and the velocity of the body-fixed point that is at
// the frame's origin. A force vector holds the moment about the origin and the force. They are one
// type, and only functions tell them apart: motions and forces change frames differently, so that
// their product, power, does not change at all.
//
// What this does not do: joints, trees and algorithms, which are in src/agent.
#ifndef SN_MATH_SPATIAL_H
#define SN_MATH_SPATIAL_H

#include "sinew/math.h"

typedef struct sn_spatial {
    sn_vec3 angular; // angular velocity, or moment
    sn_vec3 linear;  // velocity at the origin, or force
} sn_spatial;

#define SN_SPATIAL_ZERO ((sn_spatial){SN_VEC3_ZERO, SN_VEC3_ZERO})

// Where a local frame is in its parent: x_parent = position + rotation x_local. sn_transform with
// the matrix at hand.
typedef struct sn_frame {
    sn_mat3 rotation;
    sn_vec3 position;
} sn_frame;

#define SN_FRAME_IDENTITY ((sn_frame){SN_MAT3_IDENTITY, SN_VEC3_ZERO})

// A rigid body's inertia about a frame's origin: ten numbers (of the nine in `inertia`, six
// differ).
typedef struct sn_spatial_inertia {
    double mass;     // kg
    sn_vec3 moment;  // mass times centre of mass, kg m
    sn_mat3 inertia; // about the origin, kg m^2
} sn_spatial_inertia;

// A symmetric 6 x 6 matrix from motions to forces, [[angular, coupling], [coupling^T, linear]]:
// articulated inertias, and everything else that maps accelerations to forces. `angular` and
// `linear` are symmetric.
typedef struct sn_mat6 {
    sn_mat3 angular, coupling, linear;
} sn_mat6;

#define SN_MAT6_ZERO ((sn_mat6){SN_MAT3_ZERO, SN_MAT3_ZERO, SN_MAT3_ZERO})

// ---- vectors ----

static inline sn_spatial sn_spatial_make(sn_vec3 angular, sn_vec3 linear)
{
    sn_spatial a = {angular, linear};
    return a;
}

static inline sn_spatial sn_spatial_add(sn_spatial a, sn_spatial b)
{
    return sn_spatial_make(sn_vec3_add(a.angular, b.angular), sn_vec3_add(a.linear, b.linear));
}

static inline sn_spatial sn_spatial_sub(sn_spatial a, sn_spatial b)
{
    return sn_spatial_make(sn_vec3_sub(a.angular, b.angular), sn_vec3_sub(a.linear, b.linear));
}

static inline sn_spatial sn_spatial_scale(double s, sn_spatial a)
{
    return sn_spatial_make(sn_vec3_scale(s, a.angular), sn_vec3_scale(s, a.linear));
}

// a + s b
static inline sn_spatial sn_spatial_add_scaled(sn_spatial a, double s, sn_spatial b)
{
    return sn_spatial_make(sn_vec3_add_scaled(a.angular, s, b.angular),
                           sn_vec3_add_scaled(a.linear, s, b.linear));
}

static inline bool sn_spatial_is_zero(const sn_spatial *a)
{
    return a->angular.x == 0.0 && a->angular.y == 0.0 && a->angular.z == 0.0 &&
           a->linear.x == 0.0 && a->linear.y == 0.0 && a->linear.z == 0.0;
}

// The power of a force on a motion.
static inline double sn_spatial_dot(sn_spatial motion, sn_spatial force)
{
    return sn_dot(motion.angular, force.angular) + sn_dot(motion.linear, force.linear);
}

// crm(v) m: how fast a motion vector m changes that is carried along with v (Featherstone 2.31).
static inline sn_spatial sn_cross_motion(sn_spatial v, sn_spatial m)
{
    return sn_spatial_make(
        sn_cross(v.angular, m.angular),
        sn_vec3_add(sn_cross(v.angular, m.linear), sn_cross(v.linear, m.angular)));
}

// crf(v) f: the same for a force vector; crf(v) = -crm(v)^T (2.32).
static inline sn_spatial sn_cross_force(sn_spatial v, sn_spatial f)
{
    return sn_spatial_make(
        sn_vec3_add(sn_cross(v.angular, f.angular), sn_cross(v.linear, f.linear)),
        sn_cross(v.angular, f.linear));
}

// The velocity of a point of a rigid body, `arm` away from the one that has `velocity`.
static inline sn_vec3 sn_velocity_at(sn_vec3 velocity, sn_vec3 angular_velocity, sn_vec3 arm)
{
    return sn_vec3_add(velocity, sn_cross(angular_velocity, arm));
}

// The kinetic energy of a rigid body: the velocity of its centre of mass and its momentum, its
// angular velocity w and its spin I w, the latter two in the same axes.
static inline double sn_kinetic_energy(sn_vec3 velocity, sn_vec3 momentum, sn_vec3 angular_velocity,
                                       sn_vec3 spin)
{
    return 0.5 * sn_dot(momentum, velocity) + 0.5 * sn_dot(angular_velocity, spin);
}

// ---- frames ----

static inline sn_frame sn_frame_from_transform(sn_transform t)
{
    sn_frame frame = {sn_quat_to_mat3(t.rotation), t.position};
    return frame;
}

// The placement of c in a, when b places c in b's frame and a places b.
static inline sn_frame sn_frame_multiply(const sn_frame *a, const sn_frame *b)
{
    sn_frame c = {sn_mat3_multiply(a->rotation, b->rotation),
                  sn_vec3_add(a->position, sn_mat3_apply(a->rotation, b->position))};
    return c;
}

// The parent, placed in the local frame.
static inline sn_frame sn_frame_inverse(const sn_frame *a)
{
    sn_frame b = {sn_mat3_transpose(a->rotation),
                  sn_vec3_negate(sn_mat3_apply_transpose(a->rotation, a->position))};
    return b;
}

// X m: a motion given in the parent, seen in the local frame (2.24).
static inline sn_spatial sn_motion_to_local(const sn_frame *frame, sn_spatial m)
{
    sn_vec3 linear = sn_vec3_sub(m.linear, sn_cross(frame->position, m.angular));
    return sn_spatial_make(sn_mat3_apply_transpose(frame->rotation, m.angular),
                           sn_mat3_apply_transpose(frame->rotation, linear));
}

// X^-1 m: and back.
static inline sn_spatial sn_motion_to_parent(const sn_frame *frame, sn_spatial m)
{
    sn_vec3 angular = sn_mat3_apply(frame->rotation, m.angular);
    sn_vec3 linear = sn_mat3_apply(frame->rotation, m.linear);
    return sn_spatial_make(angular, sn_vec3_add(linear, sn_cross(frame->position, angular)));
}

// X^T f: a force given in the local frame, seen in the parent.
static inline sn_spatial sn_force_to_parent(const sn_frame *frame, sn_spatial f)
{
    sn_vec3 moment = sn_mat3_apply(frame->rotation, f.angular);
    sn_vec3 force = sn_mat3_apply(frame->rotation, f.linear);
    return sn_spatial_make(sn_vec3_add(moment, sn_cross(frame->position, force)), force);
}

// X^-T f: and back (2.25).
static inline sn_spatial sn_force_to_local(const sn_frame *frame, sn_spatial f)
{
    sn_vec3 moment = sn_vec3_sub(f.angular, sn_cross(frame->position, f.linear));
    return sn_spatial_make(sn_mat3_apply_transpose(frame->rotation, moment),
                           sn_mat3_apply_transpose(frame->rotation, f.linear));
}

// X and X^-T as 6 x 6 matrices by rows, angular part first.
SN_API void sn_frame_motion_matrix(const sn_frame *frame, double x[36]);
SN_API void sn_frame_force_matrix(const sn_frame *frame, double x[36]);

// crm(v) and crf(v) as 6 x 6 matrices by rows.
SN_API void sn_cross_motion_matrix(sn_spatial v, double x[36]);
SN_API void sn_cross_force_matrix(sn_spatial v, double x[36]);

// ---- rigid bodies ----

// From mass, centre of mass and inertia about that centre, all in the frame's coordinates (2.63).
SN_API sn_spatial_inertia sn_spatial_inertia_make(double mass, sn_vec3 centre, sn_mat3 inertia);

// The same three back; a massless body has its centre at the origin.
SN_API void sn_spatial_inertia_split(const sn_spatial_inertia *a, double *mass, sn_vec3 *centre,
                                     sn_mat3 *inertia);

// Both bodies, welded together.
SN_API sn_spatial_inertia sn_spatial_inertia_add(const sn_spatial_inertia *a,
                                                 const sn_spatial_inertia *b);
SN_API sn_spatial_inertia sn_spatial_inertia_to_parent(const sn_frame *frame,
                                                       const sn_spatial_inertia *local);
SN_API sn_spatial_inertia sn_spatial_inertia_to_local(const sn_frame *frame,
                                                      const sn_spatial_inertia *parent);
SN_API void sn_spatial_inertia_matrix(const sn_spatial_inertia *a, double x[36]);

// Momentum of a motion.
static inline sn_spatial sn_spatial_inertia_apply(const sn_spatial_inertia *a, sn_spatial v)
{
    return sn_spatial_make(
        sn_vec3_add(sn_mat3_apply(a->inertia, v.angular), sn_cross(a->moment, v.linear)),
        sn_vec3_sub(sn_vec3_scale(a->mass, v.linear), sn_cross(a->moment, v.angular)));
}

static inline double sn_spatial_inertia_energy(const sn_spatial_inertia *a, sn_spatial v)
{
    return 0.5 * sn_spatial_dot(v, sn_spatial_inertia_apply(a, v));
}

// ---- symmetric 6 x 6 matrices ----

SN_API sn_mat6 sn_mat6_from_inertia(const sn_spatial_inertia *a);
SN_API void sn_mat6_to_array(const sn_mat6 *a, double x[36]);

// From the lower triangle of x.
SN_API sn_mat6 sn_mat6_from_array(const double x[36]);
SN_API sn_mat6 sn_mat6_add(const sn_mat6 *a, const sn_mat6 *b);

// a + s u u^T, u a force: with s = -1/D what a joint of one degree of freedom takes from an
// articulated inertia (7.24).
SN_API sn_mat6 sn_mat6_add_outer(const sn_mat6 *a, double s, sn_spatial u);

// X^T a X: a matrix of the local frame, seen in the parent; and back.
SN_API sn_mat6 sn_mat6_to_parent(const sn_frame *frame, const sn_mat6 *local);
SN_API sn_mat6 sn_mat6_to_local(const sn_frame *frame, const sn_mat6 *parent);

// The motion m with a m = f; false when a is not positive definite.
SN_API bool sn_mat6_solve(const sn_mat6 *a, sn_spatial f, sn_spatial *m);

// a m
static inline sn_spatial sn_mat6_apply(const sn_mat6 *a, sn_spatial m)
{
    return sn_spatial_make(
        sn_vec3_add(sn_mat3_apply(a->angular, m.angular), sn_mat3_apply(a->coupling, m.linear)),
        sn_vec3_add(sn_mat3_apply_transpose(a->coupling, m.angular),
                    sn_mat3_apply(a->linear, m.linear)));
}

#endif
