// Worlds of mechanisms that benchmark cases run: the linkages of bench/linkages.h, and four-bars in
// a row.
#ifndef SN_APP_BENCH_LINKAGE_H
#define SN_APP_BENCH_LINKAGE_H

#include "../bench/linkages.h"
#include "sinew/joint.h"

// A world with the linkage's bodies in its order, a joint for each. Destroy it whatever the status.
sn_status sn_bench_linkage_create(const sn_linkage *linkage, sn_world **world, sn_error *error);

// Rockers of 1 m and 1 kg on a line of hinges 1 m apart, neighbours joined at their tips by rods of
// the same kind: `loops` loops of four hinges, each with three rows too many. Upright, every tip
// moving at 1 m/s. Destroy it whatever the status.
sn_status sn_bench_four_bars_create(int loops, sn_world **world, sn_error *error);

// The world as an engine that sn_linkage_run can run.
typedef struct sn_bench_linkage_run {
    sn_world *world;
    double step;
    sn_status status; // of its last step
    sn_error *error;
} sn_bench_linkage_run;

sn_linkage_engine sn_bench_linkage_engine(sn_bench_linkage_run *run);

// The largest distance between the two sides of a joint.
double sn_bench_widest_gap(const sn_world *world);

#endif
