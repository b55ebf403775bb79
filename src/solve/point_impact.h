// The impact of two bodies at one point with Coulomb friction, followed through the blow (Routh
// 1905; Keller, J. Applied Mechanics 53, 1986; Stronge, Proc. R. Soc. A 431, 1990).
//
//     sn_point_impact hit = sn_point_impact_find(&k, u, friction, restitution);
//
// With P the impulse so far, x the normal and K = J A^-1 J^T the velocity at the point changes by
// du = K dP. The normal impulse p grows like time:
//
//     slips     dP_t = -friction d dp,  d = u_t / |u_t|
//     sticks    dP_t = -K_tt^-1 K_tn dp, which has to be within friction dp
//
// What slips along a line stops where its velocity along it is used up, and then sticks if it can.
// Else it slips again, along the one direction in which it speeds up: K_tn - friction K_tt d = l d
// with l > 0, or d = (friction K_tt + l)^-1 K_tn with |d| = 1. That there is such an l is the same
// as that sticking asks for more than friction (Mirtich's test: k13^2 + k23^2 > friction^2 k33^2 in
// the entries of K^-1, 3 the normal).
//
// Compression ends where u_n = 0. Restitution gives back its square of the work done until then
// (Stronge): so energy never grows, and where K_tn = 0 the point leaves at restitution times the
// speed it came at.
#ifndef SN_SOLVE_POINT_IMPACT_H
#define SN_SOLVE_POINT_IMPACT_H

#include "math/symmetric.h"

typedef struct sn_point_impact {
    sn_vec3 impulse;  // normal, tangential
    sn_vec3 velocity; // at the end
    bool sticks;      // there
} sn_point_impact;

// u: before; nothing happens unless u.x < 0.
SN_API sn_point_impact sn_point_impact_find(const sn_sym3 *k, sn_vec3 u, double friction,
                                            double restitution);

// Mirtich's test: would a point that has stopped sliding slide on? x is the normal of k.
SN_API bool sn_point_impact_slides_on(const sn_sym3 *k, double friction);

#endif
