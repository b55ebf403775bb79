// What a world keeps of springs that are swept; what is done with it: island/spring_sweep.h.
#ifndef SN_MODEL_SPRING_SWEEP_STATE_H
#define SN_MODEL_SPRING_SWEEP_STATE_H

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

#endif
