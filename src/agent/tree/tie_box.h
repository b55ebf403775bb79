// Rows with bounded forces, solved together with those that always hold: x with, row by row, the
// movement a + Y x and the force x on the row's law (tie_law.h; both in the row's own measures
// there).
//
// Each row is on one step of its law, which makes all of them linear. Rows that find themselves
// beyond the ends of their step go to the next one: all of them at once as long as their number
// falls, else the last of them alone (block principal pivoting; Judice and Pires, Computers & OR
// 21, 1994). Should rounding make it wander, sweeps over the rows have the last word.
//
// Three rows may share a bound on the norm of their forces (`cone`): the friction of a ball. While
// it turns they oppose the movement s with that norm, force = -cone s / |s|; taken as softness |s|
// / cone of the turn before, the law is linear, and the turns settle.
#ifndef SN_AGENT_TREE_TIE_BOX_H
#define SN_AGENT_TREE_TIE_BOX_H

#include "agent/tree/tie_work.h"

// x for a (rows), from the steps that work->states has, which are then those of the solution. w:
// rows, becomes the movements; z: rows, scratch.
SN_API void sn_tie_box_solve(sn_tie_work *work, const double *a, double *x, double *w, double *z,
                             sn_tie_grip grip);

// Is a row's force given by its step, and so not to be solved for?
SN_API bool sn_tie_box_is_fixed(const sn_tie_work *work, int row);

#endif
