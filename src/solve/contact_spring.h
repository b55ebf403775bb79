// The thesis' contact springs (R. L. W. Liesenfeld, "Animação dinâmica de corpos elásticos",
// UNICAMP 1997, 7.4): a vertex and a face, or two edges, that have come through each other are held
// by a spring without length between the two places where they meet,
//
//     f = k (b - a)
//
//     sn_spring_law law = {.stiffness = 1e4};
//     sn_spring_forces forces;
//     sn_contact_spring_edges(&law, x, v, sign, &forces);
//
// There the ends are particles, so that bodies roll but cannot slide, springs outlast the contact,
// and what they store is lost when they go. Here the ends are the nearest places, found anew
// wherever an integrator asks: a vertex is pulled to the nearest point of the surface it has come
// through, and two edges along the line at right angles to both. So a spring has a potential that
// depends on positions alone and is nothing where it begins and ends:
//
//     vertex and face   U = k/2 d^2
//     two edges         U = k/2 d^2 w(s) w(t) e(sin^2)
//
// s and t, from 0 to 1, are where on the edges the line is; w falls smoothly to 0 in the last
// quarter before each end, where vertices take over, and e where edges come to be parallel and no
// longer tell a direction. Forces are minus the derivatives of U, and so conserve energy, momentum
// and angular momentum.
//
// On the way back a share may be lost, and along the surface friction acts, regularised:
//
//     normal       f_n = max(0, k d - c d/(d + d0) u_n)
//     tangential   f_t = -friction f_n u_t / |u_t|, where |u_t| >= u0; else
//                  f_t = -friction f_n x (3 - x^2) / 2 u_t / |u_t|,  x = |u_t| / u0
//
// What it does not do: stick. A body on a slope below the angle of friction creeps, at less than
// u0: friction is full there. (With u_t / sqrt(u_t^2 + u0^2) it never is, and near the angle of
// friction there is no bound.)
#ifndef SN_SOLVE_CONTACT_SPRING_H
#define SN_SOLVE_CONTACT_SPRING_H

#include "sinew/math.h"

typedef struct sn_spring_law {
    double stiffness; // k, N/m
    double damping;   // c, N s/m
    double ramp;      // d0, m; needed with damping
    double friction;
    double creep; // u0, m/s; needed with friction
} sn_spring_law;

typedef struct sn_spring_forces {
    sn_vec3 force[4]; // on the four points
    double energy;    // U, J
    double depth;     // d; 0 or below: nothing acts
} sn_spring_forces;

// The force on the first of two things that overlap by `depth` (above 0). normal: unit, to where
// the first is pushed; u: its velocity against the second. `share` of the full spring acts.
SN_API sn_vec3 sn_contact_spring_force(const sn_spring_law *law, double depth, double share,
                                       sn_vec3 normal, sn_vec3 u);

// A vertex (point 0) that is `inside`, and the nearest point of a face by the weights of its
// corners (points 1 to 3).
SN_API void sn_contact_spring_vertex(const sn_spring_law *law, const sn_vec3 x[4],
                                     const sn_vec3 v[4], const double weights[3], bool inside,
                                     sn_spring_forces *out);

// Two edges, points 0 to 1 and 2 to 3. The sign of (p1 - p0) . ((p2 - p0) x (p3 - p0)) while they
// are apart: +1 or -1.
SN_API void sn_contact_spring_edges(const sn_spring_law *law, const sn_vec3 x[4],
                                    const sn_vec3 v[4], int sign, sn_spring_forces *out);

#endif
