// Accelerations of a tree with ties, for integrators that ask for rates: M a = push + J^T lambda
// with J a + dJ/dt v = what motions want. Drives and soft limits are forces. A freedom that rests
// on a hard limit, or would go on beyond it, is held there as long as that only pushes. A velocity
// drive comes to its target as exp(-t / 10 ms), within its force limit.
#ifndef SN_AGENT_TIE_RATE_H
#define SN_AGENT_TIE_RATE_H

#include "agent/tie_work.h"

// Forces of drives and soft limits at a state and time, added to `force` (v_count).
SN_API void sn_tie_forces(const sn_freedom_def *freedoms, const sn_tree *tree, double time,
                          const double *q, const double *v, double *force);

// Of these what belongs to drives and to limits, instead (v_count each).
SN_API void sn_tie_force_loads(const sn_freedom_def *freedoms, const sn_tree *tree, double time,
                               const double *q, const double *v, double *drive, double *limit);

// At the placed pose of q, with the tree's motion that of v and no joint accelerations under
// `gravity` (of sn_tree_inverse): `a` (v_count), which is M^-1 push, becomes the acceleration with
// ties, and work's loads of rows what they do. The tree must be factored. False when memory runs
// out.
SN_API bool sn_tie_rate(sn_tie_work *work, sn_tree *tree, double time, sn_vec3 gravity,
                        const double *q, const double *v, double *a);

// The loads of the rows, 1 / measure of their forces, into work's arrays.
SN_API void sn_tie_note_rows(sn_tie_work *work, const sn_tree *tree, double measure);

#endif
