// The files a run leaves: state.csv, energy.csv and recording.snrec while it goes, energy.svg and
// summary.json at its end. The first three are valid however the run ends; the last two appear
// complete or not at all.
#ifndef SN_APP_RUN_OUTPUT_H
#define SN_APP_RUN_OUTPUT_H

#include "files.h"
#include "run_result.h"
#include "sinew/record.h"

typedef struct sn_run_output {
    char folder[SN_PATH_LIMIT];
    sn_csv *state, *energy;
    sn_recorder *recorder;
} sn_run_output;

// Makes the folder, removes the summary of an earlier run, opens the files.
sn_status sn_run_output_open(sn_run_output *output, const char *folder, const sn_scene *scene,
                             const sn_world *world, const sn_run_result *result, sn_error *error);

// One row of measured values (column_count of them).
sn_status sn_run_output_row(sn_run_output *output, const sn_run_result *result,
                            const sn_world *world, const double *values, sn_error *error);

// After each step of the world.
sn_status sn_run_output_step(sn_run_output *output, const sn_world *world, sn_error *error);

// Closes what is open; `error` keeps the first failure.
sn_status sn_run_output_close(sn_run_output *output, sn_error *error);

// energy.svg, then summary.json with the list of files.
sn_status sn_run_output_finish(sn_run_output *output, sn_run_result *result, const sn_scene *scene,
                               const sn_world *world, sn_error *error);

#endif
