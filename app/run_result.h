// What a run gave: the numbers behind the table on stdout and summary.json.
#ifndef SN_APP_RUN_RESULT_H
#define SN_APP_RUN_RESULT_H

#include "json_writer.h"
#include "options.h"
#include "sinew/scene.h"

// Without probes joints (position, velocity and drive force of each freedom) and the positions of
// bodies that move are measured, up to this many of each.
enum { SN_UNPROBED_LIMIT = 100, SN_RUN_FILE_LIMIT = 8 };

typedef struct sn_run_column {
    char name[192]; // "height[m]"
    sn_probe probe;
    double start, end, minimum, maximum; // over the rows
} sn_run_column;

// Something that went wrong in some steps.
typedef struct sn_run_trouble {
    uint64_t steps;
    char first[128]; // what had it first
    double time;     // s, when
} sn_run_trouble;

typedef struct sn_run_result {
    const char *scene; // short name
    sn_run run;        // as it was run
    sn_run_column *columns;
    int column_count;
    bool has_probes;
    int unmeasured_bodies, unmeasured_joints; // beyond SN_UNPROBED_LIMIT

    uint64_t steps, rows;
    uint64_t slowed, stalled; // steps in which contact took energy out, or something stood still
    uint64_t gained;          // steps in which something gained energy and kept it
    uint64_t divided, damped; // steps that mechanisms made in parts; that were damped in any
    uint64_t stiff;           // steps that contact by springs was too stiff for
    uint64_t inverted;        // steps that left elements inside out
    int most_inverted;        // elements, in one of them
    char inverted_body[128];  // the first body of the first of them
    uint64_t spared;          // steps that were cut short before that
    sn_run_trouble exploding; // elastic bodies that were left with more energy than can be
    sn_run_trouble torn;      // bonds that had been kept from holding for a while
    uint64_t mechanisms_taken_back; // steps in which mechanisms were, where a link met something
    uint64_t slowed_swings;         // steps in which mechanisms swung too fast for them
    int swing_count;                // such mechanisms
    sn_fast_swing swing;            // of the first
    char swing_body[128];
    uint64_t taken_back;    // steps in which elastic bodies stopped before surfaces crossed
    double time, wall_time; // s
    sn_energy start_energy, end_energy;
    double largest_energy_change, largest_kinetic_energy; // J, over the rows
    sn_vec3 start_momentum, end_momentum, start_angular_momentum, end_angular_momentum;
    uint64_t hash;
    bool interrupted;
    char stopped_by[128]; // the event that ended it, or ""
    char failure[800];    // "" when all went well
    bool state_drawn, energy_drawn;
    const char *files[SN_RUN_FILE_LIMIT];
    int file_count;
} sn_run_result;

sn_status sn_run_result_start(sn_run_result *result, const sn_scene *scene, const sn_world *world,
                              sn_error *error);
void sn_run_result_free(sn_run_result *result);

// Reads every column and the balances; `values` has column_count numbers.
void sn_run_result_row(sn_run_result *result, const sn_world *world, double *values);

// Largest change of the total energy over the run, relative to the larger of the energy at the
// start and the largest kinetic energy (the zero of potential energy is arbitrary).
double sn_run_result_energy_change(const sn_run_result *result);

// After each step: elements that are inside out, or would have been.
void sn_run_result_note_inverted(sn_run_result *result, const sn_world *world,
                                 const sn_step_report *report);

// After each step: elastic bodies that hold more energy than any material can, and bonds that
// something keeps from holding.
void sn_run_result_note_troubles(sn_run_result *result, const sn_world *world,
                                 const sn_step_report *report);

// After the run: mechanisms whose swings were slowed.
void sn_run_result_note_swings(sn_run_result *result, sn_world *world);

// A body that is faster than light has long been lost, whatever its numbers are: SN_ERROR_DIVERGED.
sn_status sn_run_result_check_speeds(const sn_world *world, double step, sn_error *error);

void sn_run_result_json(const sn_run_result *result, const sn_scene *scene, const sn_world *world,
                        FILE *stream);
void sn_run_result_table(const sn_run_result *result, const sn_world *world, FILE *stream);

#endif
