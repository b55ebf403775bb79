// What a world keeps of springs of fields; what is done with it: island/field_spring.h.
#ifndef SN_MODEL_FIELD_SPRING_STATE_H
#define SN_MODEL_FIELD_SPRING_STATE_H

#include "base/array.h"
#include "model/spring_sweep_state.h"
#include "solve/exact.h"

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

#endif
