// What a run gave: the numbers behind the table on stdout and summary.json.
#ifndef SN_APP_RUN_RESULT_H
#define SN_APP_RUN_RESULT_H

#include "json_writer.h"
#include "options.h"
#include "run_counters.h"
#include "sinew/scene.h"

// Without probes joints (position, velocity and drive force of each freedom) and the positions of
// bodies that move are measured, up to this many of each.
enum { SN_UNPROBED_LIMIT = 100, SN_RUN_FILE_LIMIT = 8 };

typedef struct sn_run_column {
    char name[192]; // "height[m]"
    sn_probe probe;
    double start, end, minimum, maximum; // over the rows
} sn_run_column;

typedef struct sn_run_result {
    const char *scene; // short name
    sn_run run;        // as it was run
    sn_run_column *columns;
    int column_count;
    bool has_probes;
    int unmeasured_bodies, unmeasured_joints; // beyond SN_UNPROBED_LIMIT

    uint64_t steps, rows;
    sn_run_counters counters;
    int swing_count;     // such mechanisms
    sn_fast_swing swing; // of the first
    char swing_body[128];
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

// After the run: mechanisms whose swings are too fast for the step.
void sn_run_result_note_swings(sn_run_result *result, sn_world *world);

// A body that is faster than light has long been lost, whatever its numbers are: SN_ERROR_DIVERGED.
sn_status sn_run_result_check_speeds(const sn_world *world, double step, sn_error *error);

void sn_run_result_json(const sn_run_result *result, const sn_scene *scene, const sn_world *world,
                        FILE *stream);
void sn_run_result_table(const sn_run_result *result, const sn_world *world, FILE *stream);

#endif
