// Springs and dampers of fields in a step of single-stage agents: rows that the solver takes with
// contacts, bonds and the agents' own limits and drives (solve/soft_row.h).
//
// A row beside A is the same as S w w^T in A: (A + S w w^T)^-1 by Woodbury's formula is what the
// solver finds. So one way serves free bodies, links of mechanisms, elastic bodies, two ends in one
// agent or in two, and what is in common to both ends is not resisted. Springs between free bodies
// that steps resolve well take a shorter way to the same answer (spring_sweep.h).
#ifndef SN_WORLD_FIELD_SPRING_H
#define SN_WORLD_FIELD_SPRING_H

#include "base/array.h"
#include "solve/exact.h"
#include "world/spring_sweep.h"

// Below this k h^2 / m, the stiffness across a spring may as well act as a force.
#define SN_SPRING_SLACK 1e-3
// A spring is not resolved, and damped by its law, from this share on, that of K = 0.9: soft_row.h.
#define SN_SPRING_UNRESOLVED 3e-3
// The same of tension times arm by the least moment of inertia. It bounds what turning ends feel,
// in any direction, and makes of what is resolved an error ten times the midpoint rule's.
#define SN_SPRING_TURNING 0.1

typedef struct sn_field_spring {
    uint32_t field;
    int first, count;    // rows: along it,
    int across, turning; // then so many across it, and for the turning of its ends
    double arm;          // m: how far the ends are from what they turn about, in sum
    double length;       // m, at the start of the step
    int terms;           // ends that move,
    int ends[2];         // which: 0 is a, 1 is b
    sn_contact_side side[2];
    bool middle; // all ends are at the middle of the step when forces are asked for
} sn_field_spring;

typedef struct sn_field_springs {
    SN_ARRAY(sn_field_spring) springs; // of the step under way, like all that follows
    SN_ARRAY(sn_exact_bond) rows;
    SN_ARRAY(sn_soft_row) laws; // of the rows
    SN_ARRAY(int) owners;       // of the rows: the spring
    bool solved;                // they are rows in the evaluation of forces under way
    bool lost;                  // the tension of one is no number
    sn_spring_sweep sweep;      // those that need no exact solver, and are not among the above
} sn_field_springs;

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
