// Contact by springs and dampers, for comparison with the solvers: a force at each point, from its
// overlap and velocity alone.
//
//     normal      f_n = max(0, k overlap - c u_n),   c = 2 damping sqrt(k m)
//     tangential  f_t = -k_t s - c_t u_t, at most friction f_n: a spring s that goes along with the
//                 slip while it holds, and is dragged behind where the bound is reached
//
// m is the mass that the point moves (of both bodies together), so that `damping` is a share of the
// critical one. Bodies sink in by weight / k. Nothing pulls: where the damper would, there is no
// force.
//
// What it does not do: keep overlaps small without stiff springs and small steps, or stick for ever
// at large steps; the solvers are for that.
#ifndef SN_SOLVE_PENALTY_H
#define SN_SOLVE_PENALTY_H

#include "sinew/math.h"

typedef struct sn_penalty {
    double stiffness; // k, N/m
    double damping;   // share of critical
    double friction;
    double mass;       // m, kg
    double tangential; // k_t / k; 2/7 is that of two equal spheres
} sn_penalty;

// A stiffness that steps of h follow: a period takes four pi steps.
static inline double sn_penalty_stiffness(double mass, double h)
{
    return 0.25 * mass / (h * h);
}

// The force on b (a gets the opposite). normal: from a to b; u: velocity of b's point against a's.
// spring: the slip held, as it was `elapsed` s ago; it is not written, so that integrators may ask
// several times a step. spring_now: as it is now, zero where nothing touches.
SN_API sn_vec3 sn_penalty_force(const sn_penalty *law, double gap, sn_vec3 normal, sn_vec3 u,
                                sn_vec3 spring, double elapsed, sn_vec3 *spring_now);

#endif
