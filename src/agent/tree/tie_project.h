// Bringing a tree onto its ties, and the symmetric way between a state (q, v) and the two
// configurations half a step before and after it.
//
// With y_c the displacement from q to a configuration c, and J, M those of q,
//
//     y_+- = +-h/2 v + M^-1 J^T mu_+-,      g(c_+-, t +- h/2) = 0,      g(q, t) = 0,  J v = -dg/dt
//
// is a map from (q, v) to (c-, c+) that can be undone: q is where the mean of both displacements is
// M^-1 J^T of something, and v what is left of (y+ - y-) / h along the ties. So a step that goes
// from (c-, c) to (c, c') on the ties is one from state to state, on the ties as well, that differs
// from it only by a change of variables. Displacements of balls are 2 tan(angle / 2) along the
// axis.
#ifndef SN_AGENT_TREE_TIE_PROJECT_H
#define SN_AGENT_TREE_TIE_PROJECT_H

#include "agent/tree/tie_work.h"

// Moves q to the nearest place where everything holds at `time`, from however far, and takes from v
// what it forbids. False: it did not get there, and q is where errors are least. `largest`: m or
// rad.
SN_API bool sn_tie_close(sn_tie_work *work, sn_tree *tree, double time, double *q, double *v,
                         double *largest);

// The same for a state nearly there, as stages of an integrator are, at next to no cost beyond that
// of accelerations: leaves the tree and rows at q as sn_tie_rate wants them. False: it is not near,
// or memory ran out.
SN_API bool sn_tie_follow(sn_tie_work *work, sn_tree *tree, double time, double *q, double *v);

// c-, c (q_count) for a state at `time`; false when there are none. Leaves the tree at q.
SN_API bool sn_tie_spread(sn_tie_work *work, sn_tree *tree, double time, double h, const double *q,
                          const double *v, double *before, double *c);

// And back: the state between c and c' at `time`.
SN_API bool sn_tie_gather(sn_tie_work *work, sn_tree *tree, double time, double h, const double *c,
                          const double *ahead, double *q, double *v);

// Places, factors and makes rows of all that always holds, at q.
SN_API bool sn_tie_prepare(sn_tie_work *work, sn_tree *tree, const double *q);

// y (v_count) += M^-1 J^T x at the prepared place.
SN_API void sn_tie_answer(sn_tie_work *work, sn_tree *tree, const double *x, double *y);

// Takes from v, a rate, what the prepared rows forbid, beyond `rate` (rows; NULL: none) that they
// want; and beyond what motions want at `time`.
SN_API void sn_tie_take_from(sn_tie_work *work, sn_tree *tree, const double *rate, double *v);
SN_API void sn_tie_hold_velocity(sn_tie_work *work, sn_tree *tree, double time, double *v);

#endif
