// Accelerations of a tree with ties, for integrators that ask for rates: M a = push + J^T lambda
// with J a + dJ/dt v = what motions want. Position drives and soft limits are forces, and so is
// what slips or has come to its force limit; what rests on a hard limit, sticks, or holds its
// velocity drive's target is a row. Which does what is said by modes while they are held
// (tie_mode.h), else by the boxed problem at the state.
#ifndef SN_AGENT_TREE_TIE_RATE_H
#define SN_AGENT_TREE_TIE_RATE_H

#include "agent/tree/tie_work.h"

// Forces of drives and soft limits at a state and time, added to `force` (v_count). modes: NULL:
// none are held.
SN_API void sn_tie_forces(const sn_freedom_def *freedoms, const sn_tie_modes *modes,
                          const sn_tree *tree, double time, const double *q, const double *v,
                          double *force);

// Of these what belongs to drives and to limits, instead (v_count each).
SN_API void sn_tie_force_loads(const sn_freedom_def *freedoms, const sn_tie_modes *modes,
                               const sn_tree *tree, double time, const double *q, const double *v,
                               double *drive, double *limit);

// What a position drive would give without a force limit.
SN_API double sn_tie_drive_wish(const sn_freedom_def *freedoms, const sn_tree_link *link, int own,
                                double time, const double *q, const double *v);

// At the placed pose of q, with the tree's motion that of v and no joint accelerations under
// `gravity` (of sn_tree_inverse): `a` (v_count), which is M^-1 push, becomes the acceleration with
// ties, and work's loads of rows what they do. The tree must be factored. False when memory runs
// out.
SN_API bool sn_tie_rate(sn_tie_work *work, sn_tree *tree, double time, sn_vec3 gravity,
                        const double *q, const double *v, double *a);

// The loads of the rows, 1 / measure of their forces, into work's arrays.
SN_API void sn_tie_note_rows(sn_tie_work *work, const sn_tree *tree, double measure);

// After that: a prescribed motion moves its freedom whatever friction and a limit do, so that its
// row has all of them together. Gives each its own, and the drive what is left: of a step from
// `time` on, or at an instant (h = 0), where soft limits are forces and not in the row. Friction of
// what stands takes as much as it can.
SN_API void sn_tie_note_motions(sn_tie_work *work, const sn_tree *tree, double time, double h);

#endif
