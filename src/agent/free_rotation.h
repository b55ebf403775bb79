// The rotation of a free rigid body over a finite time, keeping angular momentum to round-off and
// energy bounded for ever.
//
// A free body obeys Euler's equations, the flow of H = L1^2/2I1 + L2^2/2I2 + L3^2/2I3 in body axes.
// H is split into parts that each turn about a known axis and are therefore solved exactly
// (McLachlan 1993; Touma and Wisdom 1994; the choice of parts after Fasso, "Comparison of splitting
// algorithms for the rigid body", J. Comput. Phys. 189, 2003):
//
//     H = A + B,   A = |L|^2/2I2 + (1/2I3 - 1/2I2) L3^2,   B = (1/2I1 - 1/2I2) L1^2,   I1 <= I2 <=
//     I3
//
//     step(h) = B(h/2) A(h) B(h/2)
//
// A is a symmetric top: a turn about the fixed L by |L| h/I2 and one about body axis 3. B is a turn
// about body axis 1. Every part is a rotation, so L in the world is kept exactly (to round-off) and
// the whole is symplectic and time-reversible: second order, the energy error stays bounded.
// Spheres, discs and rods (two equal moments) come out exact. It is explicit and works for any h
// |omega|, where the discrete Moser-Veselov and midpoint rules have no solution.
#ifndef SN_AGENT_FREE_ROTATION_H
#define SN_AGENT_FREE_ROTATION_H

#include "math/elementary.h"
#include "sinew/math.h"

// Sine and cosine; the polynomial alone for the small angles of an ordinary step, and the same bits
// either way.
static inline void sn_turn_sincos(double angle, double *sine, double *cosine)
{
    if (fabs(angle) <= 0.25 * SN_PI) {
        sn_sincos_small(angle, sine, cosine);
    } else {
        sn_sincos(angle, sine, cosine);
    }
}

// Turns the body about its own axis 1 by twice the half angle: R <- R exp(2 half e1), L <- exp(-2
// half e1) L. With cos = 1 - 2 s^2 an error of s^2 + c^2 enters |L| only as 4 s^2 times itself.
static inline void sn_turn_axis_1(double half, sn_quat *q, sn_vec3 *l)
{
    double s, c;
    sn_turn_sincos(half, &s, &c);
    double cosine_less_1 = -2.0 * (s * s), sine = 2.0 * (s * c);
    *l = sn_vec3_make(l->x, l->y + (cosine_less_1 * l->y + sine * l->z),
                      l->z + (cosine_less_1 * l->z - sine * l->y));
    *q = (sn_quat){q->w * c - q->x * s, q->x * c + q->w * s, q->y * c + q->z * s,
                   q->z * c - q->y * s};
}

// The same about axis 3.
static inline void sn_turn_axis_3(double half, sn_quat *q, sn_vec3 *l)
{
    double s, c;
    sn_turn_sincos(half, &s, &c);
    double cosine_less_1 = -2.0 * (s * s), sine = 2.0 * (s * c);
    *l = sn_vec3_make(l->x + (cosine_less_1 * l->x + sine * l->y),
                      l->y + (cosine_less_1 * l->y - sine * l->x), l->z);
    *q = (sn_quat){q->w * c - q->z * s, q->x * c + q->y * s, q->y * c - q->x * s,
                   q->z * c + q->w * s};
}

// Turns about the direction of L, which L does not notice: R <- R exp(2 half L/|L|).
static inline void sn_turn_momentum(double h_over_2i, sn_quat *q, sn_vec3 l)
{
    double length = sn_length(l);
    if (!(length > 0.0)) {
        return;
    }
    double s, c;
    sn_turn_sincos(length * h_over_2i, &s, &c);
    double scale = s / length;
    *q = sn_quat_multiply(*q, (sn_quat){c, scale * l.x, scale * l.y, scale * l.z});
}

// Moves rotation q (principal axes to world) and angular velocity w (principal axes) on by h
// seconds without torque. `inertia` holds the principal moments in ascending order, all positive.
static inline void sn_free_rotation(sn_vec3 inertia, double h, sn_quat *rotation, sn_vec3 *w)
{
    sn_quat q = *rotation;
    sn_vec3 l = sn_vec3_multiply(inertia, *w);
    double inverse_2 = 1.0 / inertia.y;
    double b = inertia.x < inertia.y ? 0.25 * h * (1.0 / inertia.x - inverse_2) : 0.0;
    double a = inertia.y < inertia.z ? 0.5 * h * (1.0 / inertia.z - inverse_2) : 0.0;
    if (b != 0.0) {
        sn_turn_axis_1(b * l.x, &q, &l);
    }
    if (a != 0.0) {
        sn_turn_axis_3(a * l.z, &q, &l);
    }
    sn_turn_momentum(0.5 * h * inverse_2, &q, l);
    if (b != 0.0) {
        sn_turn_axis_1(b * l.x, &q, &l);
    }
    // One Newton step towards unit length: q is there to 1e-15 already.
    double scale = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    *rotation = (sn_quat){scale * q.w, scale * q.x, scale * q.y, scale * q.z};
    // Divided, not multiplied by a stored inverse: I (1/I) is not quite 1, and a million steps
    // would add that up.
    *w = sn_vec3_make(l.x / inertia.x, l.y / inertia.y, l.z / inertia.z);
}

#endif
