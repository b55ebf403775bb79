// One fixed step of a tree in joint coordinates: second order, symplectic, with one evaluation of
// forces and one factorisation.
//
// The step is the leapfrog of discrete mechanics. Let c and c' be two configurations h apart.
// Between them each link has the momentum and the angular momentum about its centre of mass (world
// axes)
//
//     p = m (x' - x) / h,      L = 1/h sum_kl E_kl r_k x r'_l,      E = 1/2 trace(I) 1 - I,
//
// with r_k, r'_k the link's axes in c and c': the momentum of its second moments of mass moved from
// there to here (Moser and Veselov 1991). At each configuration the joints see the change of
// momentum and the forces balance,
//
//     S(c)^T (P(c, c') - P(c-, c) - h f) = 0,
//
// the discrete Euler-Lagrange equation of the constrained tree: the same map as RATTLE with
// multipliers, but joints cannot come apart. State (q, v) of a step's start stands half way between
// c- and c, and the next one half way between c and c': c = q + h/2 v, c- = q - h/2 v; on balls the
// half turn has the quaternion (1, h v/4) before it is made unit, which differs from exp only at
// third order and needs no sine. So forces, contacts and the factor are all taken at c, in the
// middle of the step, as for free bodies.
//
// c' is found by Newton's method with the factor of M(c), which is the derivative up to O(h). Balls
// are turned link by link, each in its own axes at the present guess: a thin rod's twist then moves
// nothing else, and the error of a turn is O(h |v|) in every direction, however small its inertia.
// The first guess mirrors the last step, c' = c + M^-1 (2 h target - h^2 S^T f) - (c - c-), and is
// off by O(h^3).
#ifndef SN_AGENT_TREE_STEP_H
#define SN_AGENT_TREE_STEP_H

#include "agent/tree.h"

typedef struct sn_tree_step {
    double h;
    sn_tree_pose *last, *next; // count each: poses at c- and c'
    sn_quat *turn;             // count: of balls' links from c to c', in link axes at c
    sn_mat3 *spread;           // count: R E at c
    sn_spatial *wrench;        // count
    double *c, *trial;         // q_count each: coordinates at c and c'; those of balls only at c
    double *target;            // v_count: what S(c)^T P(c, c') must be
    double *push;              // v_count: h S^T f, the part of target that forces give
    double *arrived;           // v_count: h v, from c- to c
    double *delta;             // v_count: from c to c'; of balls only a measure
    double *rest;              // v_count
    int turns;                 // of Newton's method in the last step
    double change;             // of the last turn, relative to the whole movement
} sn_tree_step;

SN_API bool sn_tree_step_allocate(sn_tree_step *step, const sn_tree *tree);
SN_API void sn_tree_step_free(sn_tree_step *step);

// Goes to the middle of the step from (q, v): places the tree there.
SN_API void sn_tree_step_begin(sn_tree_step *step, sn_tree *tree, const double *q, const double *v,
                               double h);

// Factors M(c) and sums up what the joints are to have: momentum that arrives, gravity, `wrench` on
// links (count, world axes, about their origins; NULL: none) and joint forces `force` (v_count;
// NULL: none). False: see sn_tree_factorise.
SN_API bool sn_tree_step_push(sn_tree_step *step, sn_tree *tree, sn_vec3 gravity,
                              const sn_spatial *wrench, const double *force);

// The velocity (v_count) that this gives if nothing is in the way: M^-1 target.
SN_API void sn_tree_step_free_velocity(sn_tree_step *step, sn_tree *tree, double *v);

// Adds an impulse (v_count, generalised) found by a solver.
SN_API void sn_tree_step_add_impulse(sn_tree_step *step, const sn_tree *tree,
                                     const double *impulse);

// Finds c' and gives the state at the end. False when Newton's method does not get there: the step
// is too long.
SN_API bool sn_tree_step_advance(sn_tree_step *step, sn_tree *tree, double *q, double *v);

#endif
