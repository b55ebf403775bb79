// The main program of every peer, which owns the options, the clock and the line of JSON. A peer's
// source says what it can do, defines the functions for it and includes this file; app/bench.h says
// how it is called, bench/free_bodies.h and bench/linkages.h what the work is.
//
//     PEER --case free --size 10000 --steps 2000 --step 1e-3
//
//   PEER_FREE      `free` (ns/body/step, processor time), `memory` (bytes of heap per body, after a
//                  step), `load` (us/body to read and build a scene text; peers that have a scene
//                  format)
//   PEER_LINKAGES  `chain`, `tree`, `robot` (ns/joint/step, processor time)
//   PEER_BOXES     `boxes`, `heights` (ns/box/step, processor time)
//   PEER_HUMANOID  `humanoid` (us/step, processor time)
//   PEER_VARIANT   another integrator of a peer: no `memory`, no `load`
//
// Exit code 2: the peer does not know the case; 1: it cannot do it at this size. Linux with glibc.
#ifndef SN_BENCH_PEER_H
#define SN_BENCH_PEER_H

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double peer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void peer_print(double value, const char *const *names, const double *quality,
                              int count)
{
    printf("{\"value\": %.9g", value);
    for (int i = 0; i < count; ++i) {
        printf(", \"%s\": %.9g", names[i], quality[i]);
    }
    printf("}\n");
}

// ---- free bodies ----

#ifdef PEER_FREE
#include "../free_bodies.h"

// Makes the engine and an empty world. False: impossible.
static bool peer_start(double step);
// Adds `count` bodies as sn_free_body_start says.
static bool peer_add(int count);
static void peer_advance(int steps);
static void peer_read(int count, sn_free_body *bodies);
// Seconds to load a text of `count` bodies; negative when the peer has no scene format.
static double peer_load(int count);

static inline double peer_heap(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static inline int peer_run_free(int size, int steps, double step)
{
    sn_free_body *bodies = (sn_free_body *)calloc((size_t)size, sizeof *bodies);
    double quality[SN_FREE_QUALITIES];
    if (bodies == NULL || !peer_start(step) || !peer_add(size)) {
        free(bodies);
        return 1;
    }
    peer_advance(SN_FREE_WARM_UP);
    double started = peer_seconds();
    peer_advance(steps);
    double seconds = peer_seconds() - started;
    peer_read(size, bodies);
    sn_free_judge(bodies, size, step * (steps + SN_FREE_WARM_UP), quality);
    peer_print(1e9 * seconds / ((double)size * steps), sn_free_quality_names, quality,
               SN_FREE_QUALITIES);
    free(bodies);
    return 0;
}

static inline int peer_run_memory(int size, double step)
{
    if (!peer_start(step)) {
        return 1;
    }
    double empty = peer_heap();
    if (!peer_add(size)) {
        return 1;
    }
    peer_advance(1);
    printf("{\"value\": %.9g}\n", (peer_heap() - empty) / size);
    return 0;
}

static inline int peer_run_load(int size)
{
    double seconds = peer_load(size);
    printf("{\"value\": %.9g}\n", 1e6 * seconds / size);
    return seconds >= 0.0 ? 0 : 2;
}
#endif

// ---- linkages ----

#ifdef PEER_LINKAGES
#include "../linkages.h"

// Makes the engine and the linkage. False: it cannot, or would take minutes.
static bool peer_linkage_build(const char *name, const sn_linkage *linkage, double step);
// How many joints times steps it takes at most; 0: any number.
static double peer_linkage_most(void);
static int peer_linkage_advance(void *context, int steps);
static void peer_linkage_read(void *context, sn_linkage_body *bodies);
static int peer_linkage_resets(void);

static inline int peer_run_linkage(const char *name, int size, int steps, double step)
{
    sn_linkage linkage;
    sn_linkage_engine engine = {NULL, peer_linkage_advance, peer_linkage_read, peer_seconds};
    double cost = 0.0, quality[SN_LINKAGE_QUALITIES];
    if (!sn_linkage_make(&linkage, name, size)) {
        return 2;
    }
    double work = (double)linkage.count * steps, most = peer_linkage_most();
    bool done = (most == 0.0 || work <= most) && peer_linkage_build(name, &linkage, step) &&
                sn_linkage_run(&linkage, &engine, steps, &cost, quality);
    if (done) {
        quality[SN_LINKAGE_QUALITIES - 1] = peer_linkage_resets();
        peer_print(cost, sn_linkage_quality_names, quality, SN_LINKAGE_QUALITIES);
    }
    sn_linkage_free(&linkage);
    return done ? 0 : 1;
}
#endif

// ---- piles of boxes ----

#ifdef PEER_BOXES
#include "../boxes.h"

// Makes the engine and the pile anew. False: it cannot.
static bool peer_boxes_build(int count, double height, double step);
static void peer_boxes_advance(int steps);
static void peer_boxes_read(int count, sn_boxes_body *bodies);

typedef struct peer_boxes {
    int count;
    double step;
} peer_boxes;

static inline bool peer_boxes_start(void *context, int count, double height)
{
    peer_boxes *boxes = (peer_boxes *)context;
    boxes->count = count;
    return peer_boxes_build(count, height, boxes->step);
}

static inline bool peer_boxes_go(void *context, int steps)
{
    (void)context;
    peer_boxes_advance(steps);
    return true;
}

static inline void peer_boxes_look(void *context, sn_boxes_body *bodies)
{
    peer_boxes_read(((peer_boxes *)context)->count, bodies);
}

static inline int peer_run_boxes(int size, int steps, double step, int heights)
{
    peer_boxes boxes = {size, step};
    sn_boxes_engine engine = {&boxes, peer_boxes_start, peer_boxes_go, peer_boxes_look,
                              peer_seconds};
    double cost = 0.0, quality[SN_BOXES_QUALITIES];
    if (!sn_boxes_run(&engine, size, steps, heights, &cost, quality)) {
        return 1;
    }
    peer_print(cost, sn_boxes_quality_names, quality, SN_BOXES_QUALITIES);
    return 0;
}
#endif

// ---- a humanoid on a plane ----

#ifdef PEER_HUMANOID
#include "../humanoid.h"

// Makes the engine and the humanoid. False: it cannot.
static bool peer_humanoid_build(double step);
static bool peer_humanoid_advance(void *context, int steps);
static void peer_humanoid_read(void *context, sn_humanoid_body *bodies);

static inline int peer_run_humanoid(int steps, double step)
{
    sn_humanoid_engine engine = {NULL, peer_humanoid_advance, peer_humanoid_read, peer_seconds};
    double cost = 0.0, quality[SN_HUMANOID_QUALITIES];
    if (!peer_humanoid_build(step) || !sn_humanoid_run(&engine, steps, &cost, quality)) {
        return 1;
    }
    peer_print(cost, sn_humanoid_quality_names, quality, SN_HUMANOID_QUALITIES);
    return 0;
}
#endif

// ---- the program ----

static inline int peer_run(const char *name, int size, int steps, double step)
{
#ifdef PEER_FREE
    if (strcmp(name, "free") == 0) {
        return peer_run_free(size, steps, step);
    }
#ifdef PEER_VARIANT
    (void)peer_run_memory;
    (void)peer_run_load;
#else
    if (strcmp(name, "memory") == 0) {
        return peer_run_memory(size, step);
    }
    if (strcmp(name, "load") == 0) {
        return peer_run_load(size);
    }
#endif
#endif
#ifdef PEER_BOXES
    if (strcmp(name, "boxes") == 0 || strcmp(name, "heights") == 0) {
        return peer_run_boxes(size, steps, step, name[0] == 'h' ? SN_BOXES_HEIGHTS : 1);
    }
#endif
#ifdef PEER_HUMANOID
    if (strcmp(name, "humanoid") == 0) {
        return peer_run_humanoid(steps, step);
    }
#endif
#ifdef PEER_LINKAGES
    return peer_run_linkage(name, size, steps, step);
#else
    return 2;
#endif
}

int main(int argc, char **argv)
{
    const char *name = "";
    int size = 1, steps = 1;
    double step = 1e-3;
    for (int i = 1; i + 1 < argc; i += 2) {
        name = strcmp(argv[i], "--case") == 0 ? argv[i + 1] : name;
        size = strcmp(argv[i], "--size") == 0 ? atoi(argv[i + 1]) : size;
        steps = strcmp(argv[i], "--steps") == 0 ? atoi(argv[i + 1]) : steps;
        step = strcmp(argv[i], "--step") == 0 ? atof(argv[i + 1]) : step;
    }
    return size < 1 || steps < 1 || !(step > 0.0) ? 2 : peer_run(name, size, steps, step);
}

#endif
