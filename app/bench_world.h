// Worlds that several benchmark cases run: the free bodies of bench/free_bodies.h.
#ifndef SN_APP_BENCH_WORLD_H
#define SN_APP_BENCH_WORLD_H

#include "../bench/free_bodies.h"
#include "sinew/world.h"

// A world of `count` free bodies as sn_free_body_start says. Destroy it whatever the status.
sn_status sn_bench_world_create(int count, int threads, sn_world **world, sn_error *error);

sn_status sn_bench_advance(sn_world *world, double h, int steps, sn_error *error);

// The same, and the seconds of processor or wall time that it took.
sn_status sn_bench_time_processor(sn_world *world, double h, int steps, double *seconds,
                                  sn_error *error);
sn_status sn_bench_time_wall(sn_world *world, double h, int steps, double *seconds,
                             sn_error *error);

// What the judge needs: bodies[sn_world_body_count].
void sn_bench_read(const sn_world *world, sn_free_body *bodies);

// Bytes of heap in use by this process; NaN where the C library does not tell.
double sn_bench_heap(void);

#endif
