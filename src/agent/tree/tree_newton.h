// The exact derivative of a tree's momentum by the configuration at the end of a step, factored
// leaves to root: for steps in which the mass matrix of the middle is too poor a derivative.
//
// Let (dphi, dxi) be how a link's guess turns and shifts. Its momentum times h, about its origin at
// c, changes by
//
//     G = [ tr B - B - m [r]x [r']x,  m [r]x ]      B = T J,  J = 1/2 trace(I) 1 - I,
//         [ -m [r']x,                 m      ]      r' = T r,
//
// with the reach r at c. Movements go outwards by arms a' = T_parent a and joint axes S' of the
// guess, forces inwards by those of c: the recursion of articulated bodies, but unsymmetric.
#ifndef SN_AGENT_TREE_TREE_NEWTON_H
#define SN_AGENT_TREE_TREE_NEWTON_H

#include "agent/tree/tree_step.h"

// At the present guess; false when a joint's part is singular.
SN_API bool sn_tree_newton_factorise(sn_tree_step *step, const sn_tree *tree);

// Moves the guess by one turn of Newton's method. Gives the size of the change.
SN_API double sn_tree_newton_turn(sn_tree_step *step, const sn_tree *tree);

#endif
