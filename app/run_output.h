// The files a run leaves: state.csv, energy.csv and recording.snrec while it goes, state.svg,
// energy.svg and summary.json at its end. The first three are valid however the run ends; the
// summary appears complete or not at all.
#ifndef SN_APP_RUN_OUTPUT_H
#define SN_APP_RUN_OUTPUT_H

#include "files.h"
#include "run_result.h"
#include "sinew/record.h"

enum { SN_DRAWN_NUMBER_LIMIT = 20000000 }; // rows times columns of a table: 160 MB

typedef struct sn_run_output {
    char folder[SN_PATH_LIMIT];
    sn_csv *state, *energy;
    sn_recorder *recorder;
    int lock; // the folder, open and locked; 0: not
} sn_run_output;

// Makes the folder and keeps other runs out of it, removes the summary of an earlier run, opens the
// files.
sn_status sn_run_output_open(sn_run_output *output, const char *folder, const sn_scene *scene,
                             const sn_world *world, const sn_run_result *result, sn_error *error);

// One row of measured values (column_count of them).
sn_status sn_run_output_row(sn_run_output *output, const sn_run_result *result,
                            const sn_world *world, const double *values, sn_error *error);

// After each step of the world.
sn_status sn_run_output_step(sn_run_output *output, const sn_world *world, sn_error *error);

// Gives the recording its last frame, the world as it is now (unless NULL), and closes it and the
// tables; `error` keeps the first failure.
sn_status sn_run_output_close(sn_run_output *output, const sn_world *world, sn_error *error);

// state.svg and energy.svg, each only when its table is below SN_DRAWN_NUMBER_LIMIT.
sn_status sn_run_output_draw(const sn_run_output *output, sn_run_result *result, sn_error *error);

// summary.json, with the list of files; then the folder is free for other runs.
sn_status sn_run_output_summarise(sn_run_output *output, sn_run_result *result,
                                  const sn_scene *scene, const sn_world *world, sn_error *error);

#endif
