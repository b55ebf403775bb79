// What ties and bounded rows do while a tree takes impulses of contact: between the push and the
// advance of a step, at its middle c; and after it, at the state (q, v) at its end.
//
// In the step, rows are those of tie_step.h. At its end, where velocities alone change:
//
//     ties, motions           hold
//     hard limit              the next middle q + h/2 v is not beyond it: v <= 2/h (limit - q)
//     velocity drive          holds its target, when its force has no limit
//
// Friction, springs and drives with a force limit give no impulse at an instant.
#ifndef SN_AGENT_TREE_TIE_CONTACT_H
#define SN_AGENT_TREE_TIE_CONTACT_H

#include "agent/agent.h"
#include "agent/tree/tie_step.h"

// x (v_count), a velocity, without what ties and motions forbid of it: their rows must be factored.
SN_API void sn_tie_contact_project(sn_tie_work *work, sn_tree *tree, double *x);

// The bounded rows of the step after sn_tie_step_open, at most `capacity`. Leaves rows as that did.
// Gives their number; -1: memory ran out. Limits that nothing can reach in the step are left out.
SN_API int sn_tie_contact_rows(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time,
                               sn_agent_row *rows, int capacity);

// Goes to the state at the end of a step: places and factors the tree, and rows of ties and
// motions. False when memory runs out.
SN_API bool sn_tie_contact_strike(sn_tie_work *work, sn_tree *tree, const double *q);

// The bounded rows there; h: of the coming step, 0: limits hold at q itself.
SN_API int sn_tie_struck_rows(sn_tie_work *work, sn_tree *tree, double time, double h,
                              const double *q, sn_agent_row *rows, int capacity);

// Brings v, to which impulses were added, back to what all rows there allow; what rows do to links
// goes into `wrench` (link count, about their origins), which is 0 before.
SN_API bool sn_tie_struck_settle(sn_tie_work *work, sn_tree *tree, double time, double h,
                                 const double *q, sn_spatial *wrench, double *v);

#endif
