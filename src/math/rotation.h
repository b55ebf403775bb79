// Rotations: how to make them, read them, and differentiate them.
//
//     sn_quat q = sn_quat_from_axis_angle(sn_vec3_make(0.0, 0.0, 1.0), 0.5 * SN_PI);
//     q = sn_quat_multiply(sn_quat_exp(sn_vec3_scale(h, omega)), q); // a step with world angular
//     velocity sn_vec3 turned = sn_quat_log(sn_quat_multiply(q, sn_quat_conjugate(start)));
//
// A rotation is a unit quaternion that takes local to world coordinates; q and -q are the same
// rotation. A rotation vector is axis times angle in radians. Functions that read a quaternion
// expect unit length up to round-off; those that make one return it so.
#ifndef SN_MATH_ROTATION_H
#define SN_MATH_ROTATION_H

#include "math/elementary.h"
#include "sinew/math.h"

// ---- exponential and logarithm ----

// For angles above pi/2.
SN_API sn_quat sn_quat_exp_large(sn_vec3 v);

// The rotation by |v| about v: (cos(a/2), sin(a/2) / a v), a = |v|. Up to a = pi/2 both factors are
// polynomials in a^2: no root, no division, nothing special at zero.
static inline sn_quat sn_quat_exp(sn_vec3 v)
{
    double z = 0.25 * sn_dot(v, v);
    if (!(z <= 0.6168)) { // (pi/4)^2
        return sn_quat_exp_large(v);
    }
    double half = 0.5 * z, near_one = 1.0 - half;
    double s = 0.5 + 0.5 * (z * sn_sin_polynomial(z));
    double c = near_one + (((1.0 - near_one) - half) + z * (z * sn_cos_polynomial(z)));
    sn_quat q = {c, s * v.x, s * v.y, s * v.z};
    return q;
}

// The shortest rotation vector of q: its length is at most pi.
SN_API sn_vec3 sn_quat_log(sn_quat q);

// The rotation vector from one orientation to another, in the axes of the first; both may be off
// unit length.
static inline sn_vec3 sn_turn_between(sn_quat from, sn_quat to)
{
    return sn_quat_log(
        sn_quat_multiply(sn_quat_conjugate(sn_quat_normalize(from)), sn_quat_normalize(to)));
}

// An axis of any length but zero (which gives the identity).
SN_API sn_quat sn_quat_from_axis_angle(sn_vec3 axis, double angle);

// A unit axis and an angle in [0, pi]; the identity has the axis x.
SN_API void sn_quat_to_axis_angle(sn_quat q, sn_vec3 *axis, double *angle);

// ---- other forms ----

// From an orthogonal matrix of determinant 1, up to round-off. w is not negative.
SN_API sn_quat sn_quat_from_mat3(sn_mat3 r);

// Angles about x, y and z in .x, .y and .z; each turn is about an axis that the turns before it
// have moved (intrinsic). xyz: first x, then y, then z: R = Rx Ry Rz. zyx: yaw z, pitch y, roll x:
// R = Rz Ry Rx. Read back, the middle angle is in [-pi/2, pi/2], the others in (-pi, pi]; where the
// middle angle is a right angle only the sum or difference of the others is determined, and any
// split of it may be returned.
SN_API sn_quat sn_quat_from_euler_xyz(sn_vec3 angles);
SN_API sn_quat sn_quat_from_euler_zyx(sn_vec3 angles);
SN_API sn_vec3 sn_quat_to_euler_xyz(sn_quat q);
SN_API sn_vec3 sn_quat_to_euler_zyx(sn_quat q);

// ---- between rotations ----

// At constant angular velocity from a (t = 0) the short way to b (t = 1); t may be outside [0, 1].
SN_API sn_quat sn_quat_slerp(sn_quat a, sn_quat b, double t);

// The smallest rotation that takes the direction of `from` to that of `to`. Opposite directions
// turn about some perpendicular axis; a zero vector gives the identity.
SN_API sn_quat sn_quat_between(sn_vec3 from, sn_vec3 to);

// ---- derivatives ----

// The left Jacobian J of SO(3): exp(v + d) = exp(J d) exp(v) to first order in d. World angular
// velocity is J dv/dt. The right one, for body angular velocity, is J(-v) = J(v)^T.
SN_API sn_mat3 sn_rotation_jacobian(sn_vec3 v);

// Its inverse; for |v| < 2 pi, where J becomes singular.
SN_API sn_mat3 sn_rotation_jacobian_inverse(sn_vec3 v);

// dq/dt for an angular velocity in world coordinates: (0, w) q / 2.
static inline sn_quat sn_quat_derivative_world(sn_quat q, sn_vec3 angular_velocity)
{
    sn_quat half = {0.0, 0.5 * angular_velocity.x, 0.5 * angular_velocity.y,
                    0.5 * angular_velocity.z};
    return sn_quat_multiply(half, q);
}

// dq/dt for an angular velocity in body coordinates: q (0, w) / 2.
static inline sn_quat sn_quat_derivative_body(sn_quat q, sn_vec3 angular_velocity)
{
    sn_quat half = {0.0, 0.5 * angular_velocity.x, 0.5 * angular_velocity.y,
                    0.5 * angular_velocity.z};
    return sn_quat_multiply(q, half);
}

#endif
