// Springs of fields between free bodies, or a free body and the world, that steps resolve and
// nothing else is at: the same rows as those of the exact solver (field_spring.h), solved by
// Gauss-Seidel sweeps without it.
//
// Rows p = push - S (u1 - u0) give (I + N) p = b, N = S^(1/2) W S^(1/2), W = J A^-1 J^T. With
//
//     load of a body = sum of S w over the ends of springs at it,    w = 1/m + arm^2 / I_min,
//
// a body's part of N is a Gram matrix whose trace is at most its load, and each spring has two
// bodies, so that |N| is at most the largest sum of the loads at the two ends of a spring. This is
// by how much an error shrinks in a sweep: by half or more at the limit of 1/4 a body, to a
// hundredth in a lattice of k h^2 / m = 0.01. Rows of one spring are solved together, so that a
// single one needs no second sweep. Loads are of masses, arms in the bodies and the step, not of
// where bodies are: what is swept now is so in the next step.
//
// Springs that are joined through moving bodies are a cluster. Where one of its bodies touches
// something, is bonded, or has a spring to a mechanism or an elastic body, all of its springs are
// rows of the exact solver: contact and springs must know of each other.
#ifndef SN_ISLAND_SPRING_SWEEP_H
#define SN_ISLAND_SPRING_SWEEP_H

#include "model/spring_sweep_state.h"

void sn_spring_sweep_free(sn_spring_sweep *sweep);

// At the start of the step, after contacts and bonds have been found: which springs are swept.
// False when memory runs out.
bool sn_world_find_swept(sn_world *world, double h);
bool sn_spring_is_swept(const sn_spring_sweep *sweep, const sn_sweep_spring *spring);
// In the middle of the step, with the velocities of its start: the rows. False when memory runs
// out; `lost`: the tension of one is no number.
bool sn_world_renew_swept(sn_world *world, double h, bool *lost);
// After the free step: impulses, into the bodies' velocities.
void sn_world_sweep_springs(sn_world *world, double h);

#endif
