// The counters of a whole run: in how many steps each mechanism of sinew/counter.h acted, on what
// most, and the lines and JSON that say so.
#ifndef SN_APP_RUN_COUNTERS_H
#define SN_APP_RUN_COUNTERS_H

#include <stdio.h>

#include "json_writer.h"
#include "sinew/world.h"

typedef struct sn_run_counter {
    uint64_t steps;          // with any
    uint64_t count;          // of agents, or what is counted, over these steps
    double first_time;       // s: the first of them,
    char first[128];         // and what had it
    double amount, time;     // the most in one step, and when, s
    char most[128];          // what had that
    char other[128];         // solver: the other body of the row; "" when there is none
    uint32_t *steps_by_body; // body_count, in the world's order; NULL: not counted
} sn_run_counter;

typedef struct sn_run_counters {
    sn_run_counter each[SN_COUNTER_COUNT];
    int body_count;
} sn_run_counters;

// After each step.
sn_status sn_run_counters_note(sn_run_counters *counters, const sn_world *world, sn_error *error);
void sn_run_counters_free(sn_run_counters *counters);

// A line for each counter that is not 0; nothing where nothing happened.
void sn_run_counters_print(const sn_run_counters *counters, const sn_world *world, uint64_t steps,
                           FILE *stream);
// "counters": {"euler": {"steps": 0}, ..}: of those that are not 0 more than that.
void sn_run_counters_json(const sn_run_counters *counters, const sn_world *world,
                          sn_json_writer *json);

#endif
