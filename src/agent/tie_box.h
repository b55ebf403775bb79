// Rows with bounded forces, solved together with those that always hold: x with lower <= x <= upper
// and, row by row,
//
//     w = a + (Y + softness) x,      w = 0 between the bounds, w <= 0 at the upper, w >= 0 at the
//     lower
//
// by block principal pivoting (Judice and Pires, Computers & OR 21, 1994): all rows that are wrong
// change sides at once as long as their number falls, else the last of them alone, which ends after
// finitely many turns. Should rounding make it wander, sweeps over the rows have the last word.
//
// Three rows may share a bound on the norm of their forces (`cone`): the friction of a ball. While
// it turns they oppose the movement s with that norm, force = -cone s / |s|; taken as softness |s|
// / cone of the turn before, the law is linear, and the turns settle.
#ifndef SN_AGENT_TIE_BOX_H
#define SN_AGENT_TIE_BOX_H

#include "agent/tie_work.h"

enum { SN_BOX_FREE, SN_BOX_LOWER, SN_BOX_UPPER, SN_BOX_SLIDING };

// From a (rows) and the bounds of `work` into x, with states. z: rows, scratch.
SN_API void sn_tie_box_solve(sn_tie_work *work, const double *a, double *x, double *w, double *z,
                             sn_tie_grip grip);

#endif
