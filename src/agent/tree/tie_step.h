// A fixed step of a tree with ties, and with limits, friction and drives in its freedoms: the step
// of tree_step.h with forces J^T lambda at the middle c, and for ties g = 0 at its end c',
//
//     S^T (P(c, c') - P(c-, c) - h f) = h J(c)^T lambda,      g(c', t + 3/2 h) = 0,
//
// which is RATTLE on the tree: symplectic and second order. The state lies on the ties as well; see
// tie_project.h. Bounded rows are solved with them, in movements s' = c' - c:
//
//     hard limit       s' <= limit - c, or after an impact s' <= -restitution (c - c-)
//     soft limit       a spring and a damper, implicit, that only push
//     friction         s' = 0, force within +-friction; of balls its norm
//     velocity drive   s' = h velocity, force within +-force_limit
//     position drive   a spring and a damper, implicit, force within +-force_limit
//
// Both are corrected in turns until the nonlinear c' has them: x = h^2 lambda from Y(c) and what is
// left open at c', then c' anew.
#ifndef SN_AGENT_TREE_TIE_STEP_H
#define SN_AGENT_TREE_TIE_STEP_H

#include "agent/tree/tie_work.h"
#include "agent/tree/tree_step.h"

// Goes to the middle of the step from a state at `time`. False: no such place is found.
SN_API bool sn_tie_step_begin(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time,
                              double h, const double *q, const double *v);

// Does it have any of the next?
SN_API bool sn_freedom_is_sprung(const sn_freedom_def *freedom);

// Springs, dampers and drives without a limit that act in the freedoms: adds their forces at the
// middle of the step to `force` (v_count), and gives what they add to the mass (v_count). False:
// nothing does.
//
// A spring takes the position (c- + 2 c + c') / 4, a damper the velocity (w s' - (1 - w) s-) / h.
// With the weight w = 1/2 that is of second order; but a damper that would stop its freedom within
// a step would throw it back and forth instead, and gets w = 1 - m / (h damping), with m the mass
// that the freedom moves: it then stops it. weight: v_count.
SN_API bool sn_tie_springs(const sn_freedom_def *freedoms, sn_tree *tree, const sn_tree_step *step,
                           double time, double *past, double *weight, double *force,
                           double *armature);

// What the drives among them did in a step: added to drive (v_count). past, moved: movements from
// the middle c to c- and to c'.
SN_API void sn_tie_drive_loads(const sn_freedom_def *freedoms, const sn_tree *tree, const double *c,
                               double time, double h, const double *past, const double *moved,
                               const double *weight, double *drive);

// After the push: finds c' and the state at the end. False: the step is too long.
SN_API bool sn_tie_step_advance(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time,
                                double *q, double *v);

// ---- for contact, after the push ----

// What v (v_count) would be at the end of the step with ties and motions alone. Leaves the step as
// it was, and their rows at its middle, factored. False when memory runs out.
SN_API bool sn_tie_step_open(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time,
                             double *v);

// After that: rows at the middle of ties, motions and, with their laws, of all that is bounded;
// limits as work->limit says, which has those that the open step goes beyond.
SN_API bool sn_tie_step_rows(sn_tie_work *work, sn_tree_step *step, sn_tree *tree, double time);

#endif
