// Springs and dampers of fields in a step of single-stage agents: rows that the solver takes with
// contacts, bonds and the agents' own limits and drives (solve/soft_row.h).
//
// A row beside A is the same as S w w^T in A: (A + S w w^T)^-1 by Woodbury's formula is what the
// solver finds. So one way serves free bodies, links of mechanisms, elastic bodies, two ends in one
// agent or in two, and what is in common to both ends is not resisted. Springs between free bodies
// that steps resolve well take a shorter way to the same answer (spring_sweep.h).
#ifndef SN_ISLAND_FIELD_SPRING_H
#define SN_ISLAND_FIELD_SPRING_H

#include "model/field_spring_state.h"

void sn_field_springs_free(sn_field_springs *springs);

// The rows of a step of h, for islands and solver: at its start, after contacts and bonds have been
// found.
sn_status sn_world_find_field_springs(sn_world *world, double h, sn_error *error);
// What they are where agents are now, in the middle of the step, with the velocities of its start.
sn_status sn_world_renew_field_springs(sn_world *world, double h, sn_error *error);
// At the end of the step: what their rows gave that they have not lost is to be taken out by the
// second pass of the solver.
void sn_world_settle_field_springs(sn_world *world, double h);
// The same: what the spring of a row has given off, J; 0 of all its rows but the
// first. What it holds and held is added to `sum`.
double sn_world_field_spring_work(const sn_world *world, int row, double *sum);

// The stiffness across a spring: its tension by its length, as long as it is under tension.
double sn_spring_across(const sn_spring_def *def, double length);
// Along the spring (0), which reaches from a to b, and across it: 1 or 3 of them. Ends that
// coincide pull nowhere; but where there is no length at rest they resist to part in all directions
// alike.
void sn_spring_axes(const sn_spring_def *def, sn_vec3 reach, double length, int count,
                    sn_vec3 axes[3]);

#endif
