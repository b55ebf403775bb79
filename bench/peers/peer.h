// The main program of every peer. A peer's source defines the four functions below and includes
// this file, which owns the options, the clock and the line of JSON; see app/bench.h for how it is
// called and bench/free_bodies.h for the work.
//
//     PEER --case free --size 10000 --steps 2000 --step 1e-3
//
// Cases: `free` (ns/body/step, processor time), `memory` (bytes of heap per body, after a step),
// `load` (us/body to read and build a scene text; peers that have a scene format). Exit code 2: the
// peer does not know the case; 1: it cannot do it at this size. A variant of another peer defines
// PEER_FREE_ONLY. Linux with glibc.
#ifndef SN_BENCH_PEER_H
#define SN_BENCH_PEER_H

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../free_bodies.h"

// Makes the engine and an empty world. False: impossible.
static bool peer_start(double step);
// Adds `count` bodies as sn_free_body_start says.
static bool peer_add(int count);
static void peer_advance(int steps);
static void peer_read(int count, sn_free_body *bodies);
// Seconds to load a text of `count` bodies; negative when the peer has no scene format.
static double peer_load(int count);

static inline double peer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double peer_heap(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static inline int peer_free(int size, int steps, double step)
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
    printf("{\"value\": %.9g", 1e9 * seconds / ((double)size * steps));
    for (int i = 0; i < SN_FREE_QUALITIES; ++i) {
        printf(", \"%s\": %.9g", sn_free_quality_names[i], quality[i]);
    }
    printf("}\n");
    free(bodies);
    return 0;
}

static inline int peer_memory(int size, double step)
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
    if (size < 1 || steps < 1 || !(step > 0.0)) {
        return 2;
    }
    if (strcmp(name, "free") == 0) {
        return peer_free(size, steps, step);
    }
#ifdef PEER_FREE_ONLY
    (void)peer_load;
#else
    if (strcmp(name, "memory") == 0) {
        return peer_memory(size, step);
    }
    if (strcmp(name, "load") == 0) {
        double seconds = peer_load(size);
        printf("{\"value\": %.9g}\n", 1e6 * seconds / size);
        return seconds >= 0.0 ? 0 : 2;
    }
#endif
    return 2;
}

#endif
