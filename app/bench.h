// The benchmark table: what the engine costs, beside what peers cost on the same work, with a
// measure of quality.
//
// A case is run by a function that does the work once and tells its cost; the frame repeats it,
// interleaved with the peers, and takes medians. A peer is a program in the folder given by
// --peers. It is called as
//
//     PEER --case NAME --size N --steps S --step H
//
// and prints one line of JSON with "value" (in the case's unit) and the same quality members as
// ours; or it exits with a code other than 0 when it does not know the case or cannot do it at this
// size. bench_<group>.c, bench/free_bodies.h, bench/linkages.h and bench/boxes.h say for each case
// exactly what the work is.
//
// Besides what the case names, `quality` carries `minimum` and `peer_minimum`, the least of the
// repeated costs: on a busy machine the best guess at what the work itself takes; and `spread` and
// `peer_spread`, the greatest less the least over the median.
//
// A case may promise something: its bars are printed below it with what came out. A bar that does
// not hold does not change the exit code, as neighbours on the machine can be the reason.
#ifndef SN_APP_BENCH_H
#define SN_APP_BENCH_H

#include "json_writer.h"
#include "options.h"
#include "sinew/base.h"

enum { SN_BENCH_QUALITY_LIMIT = 8, SN_BENCH_BAR_LIMIT = 4 };

typedef struct sn_bench_result {
    double value;
    double quality[SN_BENCH_QUALITY_LIMIT];
} sn_bench_result;

// What a case promises. All zero: nothing.
typedef struct sn_bench_bar {
    const char *peer;    // the ratio of ours to this peer's; NULL: ours alone
    const char *quality; // of this measure; NULL: of the cost
    double limit;
    bool least; // at least the limit, not at most
} sn_bench_bar;

typedef struct sn_bench_case {
    const char *name;  // what a peer knows it by
    const char *title; // for people
    const char *unit;
    int size, steps;
    double step;                                 // s
    int repeats;                                 // at most; 0: as many as asked for
    int parameter;                               // what it means, the case's function knows
    const char *quality[SN_BENCH_QUALITY_LIMIT]; // names; NULL-terminated unless full
    sn_status (*run)(const struct sn_bench_case *bench, sn_bench_result *result, sn_error *error);
    sn_bench_bar bars[SN_BENCH_BAR_LIMIT]; // up to the first without a limit
} sn_bench_case;

typedef struct sn_bench_group {
    const char *name, *doc;
    const sn_bench_case *cases;
    int count;
} sn_bench_group;

extern const sn_bench_group sn_bench_rigid, sn_bench_collide, sn_bench_articulated,
    sn_bench_contact, sn_bench_humanoid, sn_bench_elastic, sn_bench_mobile, sn_bench_precise,
    sn_bench_files;

const sn_bench_group *sn_bench_group_at(int index); // NULL beyond the last

typedef struct sn_bench_options {
    const char *only;        // one group; NULL: all
    const char *peer_folder; // NULL: no peers
    int repeats;
    bool quick;         // a twentieth of the steps
    FILE *table, *json; // where to print; either may be NULL
} sn_bench_options;

// Returns an exit code.
int sn_bench_run(const sn_arguments *arguments, const sn_bench_options *options);

#endif
