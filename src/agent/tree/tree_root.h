// The square root of a tree's mass matrix, from its factor: M = L L^T, with L^-1 the way of forces
// inwards over the links and L^-T the way of accelerations outwards (Rodriguez, Jain and
// Kreutz-Delgado, "A spatial operator algebra for manipulator modeling and control", 1991).
//
//     z = L^T v              mass-normalised velocities: their square is twice the kinetic energy
//     x = L^-1 J^T           a row of theirs: u = x . z, dz = x p, and J M^-1 J^T = x . x
//
// A force on a link is felt from there to the root alone, so that x has few numbers that are not 0,
// where M^-1 J^T is full. That is why contact works with z.
#ifndef SN_AGENT_TREE_TREE_ROOT_H
#define SN_AGENT_TREE_TREE_ROOT_H

#include "agent/tree/tree.h"

// After sn_tree_factorise: the roots of the joints' own parts. All others ask for it.
SN_API void sn_tree_root_begin(sn_tree *tree);

// z (v_count) = L^T v.
SN_API void sn_tree_normalise(sn_tree *tree, const double *v, double *z);

// v (v_count) = L^-T z; the same array is allowed.
SN_API void sn_tree_denormalise(sn_tree *tree, const double *z, double *v);

// x (v_count) = L^-1 force; the same array is allowed.
SN_API void sn_tree_half_solve(sn_tree *tree, const double *force, double *x);

// Of `count` wrenches on one link (about its origin, world axes), at most SN_TREE_ROWS: J^T f in
// `felt` and L^-1 J^T f in x, rows of v_count one after another, in one walk to the root.
enum { SN_TREE_ROWS = 3 };
SN_API void sn_tree_half_rows(const sn_tree *tree, int link, const sn_spatial *f, int count,
                              double *felt, double *x);

#endif
