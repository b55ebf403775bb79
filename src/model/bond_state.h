// What a world keeps of bonds; what is done with it: bond/bond.h.
#ifndef SN_MODEL_BOND_STATE_H
#define SN_MODEL_BOND_STATE_H

#include "agent/elastic/elastic_bond.h"
#include "base/array.h"
#include "base/id_pool.h"
#include "base/name_table.h"
#include "base/state_walk.h"
#include "solve/exact.h"

// What a bond carries and what has become of it, as sn_bond_state tells.
typedef struct sn_bond_load {
    double force;
    sn_vec3 total;
    bool broken;
    double break_time, break_force; // 0 before
} sn_bond_load;

typedef struct sn_bond_record {
    char *name;
    sn_bond_item item;
    sn_body body, other;
    double break_force; // N: its bound
    sn_bond_load load;
    bool was_broken;       // at the start of the step under way
    int first_row;         // in the rows of the step under way; -1: it does not act
    double *impulses;      // by rows, N s: of the last step
    double *gaps;          // by rows: their values when it began
    double began, closing; // s: when that was, and for how long they are closed
    bool holds;            // it acted in the last step
    double violated_time;  // s, for which it has not held
} sn_bond_record;

// A row of a bond under an integrator with stages, with what it does to both of its ends.
typedef struct sn_held_row {
    sn_bond_row row;
    sn_agent_ref refs[2]; // agent -1: it does not move
    int places[2];        // of accelerations in the group's; -1: it does not move
    int answers[2];       // where M^-1 J^T is
    double projected[6];  // J of the other end, if it is a rigid body
} sn_held_row;

typedef struct sn_bond_set {
    sn_id_pool ids;
    SN_ARRAY(sn_bond_record) records; // by id index; entry 0 unused
    SN_ARRAY(uint32_t) order;
    sn_name_table names;
    SN_ARRAY(sn_exact_bond) rows; // of the step under way
    SN_ARRAY(uint32_t) owners;    // of the rows: index of the bond
    bool ties_groups;             // bodies that move are tied under integrators with stages
    SN_ARRAY(sn_held_row) held;   // of an evaluation, like those that follow
    SN_ARRAY(double) answers, numbers;
    SN_ARRAY(int) pivots;
    bool starved; // memory ran out there
} sn_bond_set;

#endif
