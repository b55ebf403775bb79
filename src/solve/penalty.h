// Contact by springs and dampers, for comparison with the solvers: a force at each point, from its
// overlap and velocity alone.
//
//     normal      f_n = max(0, k overlap - c u_n),   c = 2 damping sqrt(k m)
//     tangential  f_t = -k_t s - c_t u_t, at most friction f_n: a spring s that goes along with the
//                 slip while it holds, and is dragged behind where the bound is reached
//
// m is the mass that the point moves (of both bodies together), shared with all other points of the
// body that has more of them, so that `damping` is a share of the critical one. Bodies sink in by
// weight / k. Nothing pulls: where the damper would, there is no force.
//
// What it does not do: keep overlaps small without stiff springs and small steps, or stick for ever
// at large steps; the solvers are for that.
#ifndef SN_SOLVE_PENALTY_H
#define SN_SOLVE_PENALTY_H

#include <math.h>

#include "sinew/math.h"

typedef struct sn_penalty {
    double stiffness; // k, N/m
    double damping;   // share of critical
    double friction;
    double mass;       // m, kg
    double tangential; // k_t / k; 2/7 is that of two equal spheres
} sn_penalty;

// A stiffness that steps of h follow: a period takes four pi steps. With m = 1 / (n a), a how much
// the point answers to 1 N and n at least the number of points on either body, this holds for any
// number of points and bodies together. In M-normalised velocities x a point adds k (j_a . x_a +
// j_b . x_b)^2 <= k a (|x_a|^2 + |x_b|^2) to x K x, and k a = 1 / (4 n h^2): the n points of a body
// add |x|^2 / (4 h^2) at most, so that no frequency of M^-1 K is above 1 / (2 h). Joints only take
// away ways to move.
static inline double sn_penalty_stiffness(double mass, double h)
{
    return 0.25 * mass / (h * h);
}

// (omega h)^2, below which an explicit midpoint step is stable with its damper: z^2 - (2 - 2 d w -
// w^2) z + 1 - 2 d w has roots within the unit circle for w < 2 (sqrt(1 + d^2) - d).
static inline double sn_penalty_limit(double damping)
{
    double w = 2.0 * (sqrt(1.0 + damping * damping) - damping);
    return w * w;
}

// The force on b (a gets the opposite). normal: from a to b; u: velocity of b's point against a's.
// spring: the slip held, as it was `elapsed` s ago; it is not written, so that integrators may ask
// several times a step. spring_now: as it is now, zero where nothing touches.
SN_API sn_vec3 sn_penalty_force(const sn_penalty *law, double gap, sn_vec3 normal, sn_vec3 u,
                                sn_vec3 spring, double elapsed, sn_vec3 *spring_now);

#endif
