// Rows that close loops, bordered on the tree's factor.
//
// Let P be the tree's answer to forces, a = P f (sn_maximal_solve_tree), and L the rows of all
// closures. What they make of multipliers is the Schur complement
//
//     X = L P L^T,      X x = target - L a,
//
// dense in the number of closure rows, each column one solve with the tree. Loops repeat what the
// tree forbids already (a planar four-bar: three of a hinge's five rows), so X has a rank below its
// size as a rule, and in singular positions it falls further. Rows are measured in what they would
// be on free bodies, (L W L^T)_rr = 1: then X's diagonal is the share of a row's freedom that the
// tree has left, without units, and pivots below `tolerance` are taken for zero. With N the
// directions without effect, X^+ is found from the pivoted LDL: both sides are cleared of N, and
// the rest is solved with the good pivots. Multipliers are the shortest in those measures.
//
// What this does not do: sparse X. Many separate loops cost as their number's cube.
#ifndef SN_REFERENCE_MAXIMAL_LOOP_H
#define SN_REFERENCE_MAXIMAL_LOOP_H

#include "reference/maximal.h"

bool sn_maximal_loops_allocate(sn_maximal *m);
void sn_maximal_loops_free(sn_maximal_loops *loops);

// X and its rank, after the tree's factor.
void sn_maximal_loops_factorise(sn_maximal *m);

// The rank anew, with another tolerance.
void sn_maximal_loops_rank(sn_maximal_loops *loops, double tolerance);

// The closures' multipliers, into m->lambda, for what the tree alone answers, a (body_count).
void sn_maximal_loops_solve(sn_maximal *m, const double *target, const sn_spatial *a);

// The tree's answer to `force` and these multipliers.
void sn_maximal_loops_push(sn_maximal *m, const sn_spatial *force, const double *target,
                           sn_spatial *a);

// For steps: the same for rows at another pose, with joints placed `there` (joint_count). What
// multipliers do to the bodies here is taken there as rates of the tree's joints, so that it is a
// motion of the tree in both places: a row near a singular position is as small as the change of
// the axes on the way, and nothing less would leave anything of it. The matrix is then not
// symmetric, and changes sign where a loop passes such a position. First its factor; false when
// that is singular.
bool sn_maximal_loops_between(sn_maximal *m, const sn_maximal_joint *there,
                              const sn_maximal_pose *pose);
void sn_maximal_loops_solve_between(sn_maximal *m, const sn_maximal_joint *there,
                                    const sn_maximal_pose *pose, const double *target,
                                    const sn_spatial *a);

// Rates (v_count) of the tree's joints, here, for motions of the bodies.
void sn_maximal_rates(const sn_maximal *m, const sn_spatial *a, double *rates);

#endif
