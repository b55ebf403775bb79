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
#ifndef SN_WORLD_SPRING_SWEEP_H
#define SN_WORLD_SPRING_SWEEP_H

#include "base/array.h"
#include "sinew/world.h"
#include "solve/soft_row.h"

typedef struct sn_sweep_body {
    int agent;          // of the free bodies
    int parent;         // in the cluster's tree; itself at the root
    int first, last;    // at the root: the cluster's springs, -1: none
    int rows, rows_end; // at the root: the cluster's rows
    double load;        // of its springs
    double norm;        // at the root: |N| of the cluster, at most
    bool refused;       // at the root: the exact solver has the cluster, whatever it touches
    bool elsewhere;     // at the root: it has it in this step
    sn_vec3 centre;     // in the middle of the step, as the rest
    sn_mat3 rotation;
} sn_sweep_body;

typedef struct sn_sweep_spring {
    uint32_t field;
    int next;         // of its cluster, -1: none
    int body[2];      // -1: the end does not move
    sn_vec3 arm[2];   // from the body's centre, in principal axes; or where the end stands
    double answer[2]; // w of the ends
    double turn;      // 1 / I_min of both
    double reach;     // the arms' lengths, in sum
    int root;         // of its cluster, -1: it is none's
    bool possible;    // both ends are free bodies' or the world's, and it is resolved
} sn_sweep_spring;

// A direction of a spring. v of a body is (velocity, angular velocity in principal axes).
typedef struct sn_sweep_row {
    double *v[2];   // of the bodies; an end that does not move has zeros
    double j[2][6]; // rate = j . v over both ends
    double y[2][6]; // A^-1 j
    sn_soft_row law;
    double rate; // u0
    double push, resistance;
    double answer; // W
    double impulse;
    int width;        // 3: nothing turns, else 6
    int count;        // rows of the spring from here on; 0: it is not the first
    double factor[6]; // of I + S W of the spring's rows, L and U in one: this row of it
} sn_sweep_row;

typedef struct sn_spring_sweep {
    SN_ARRAY(sn_sweep_spring) springs; // all of single-stage agents, swept or not
    SN_ARRAY(sn_sweep_body) bodies;
    SN_ARRAY(int) of_agent; // of each free body: in `bodies`, -1: none
    SN_ARRAY(sn_sweep_row) rows;
    int count;       // of the clusters that are swept in this step
    double still[6]; // zeros
    bool current;    // what does not change from step to step is known, for this step:
    double h;
} sn_spring_sweep;

void sn_spring_sweep_free(sn_spring_sweep *sweep);

// Something was changed from outside.
void sn_world_forget_swept(sn_world *world);
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
