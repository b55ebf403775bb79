// The work of the benchmark cases about piles of boxes, and how the outcome is judged: one
// definition for Sinew and for every peer, so that nobody measures itself. Plain C that is C++ as
// well.
//
// N cubes of 1 m and 1000 kg fall on the plane z = 0 under gravity (0, 0, -9.81), friction 0.5, no
// rebound, and nothing sleeps. They start at rest in square layers, 1.25 m from centre to centre
// and from layer to layer, the lowest centres at the start height; every second layer is shifted by
// 0.3 m along x and y. A layer has ten by ten of them up to N = 1000, and isqrt(N / 10) each way
// beyond, so that larger piles are wider, not higher.
//
//   boxes    from a start height of 0.625 m
//   heights  from each of eight start heights, one after the other: the way one start ends is
//            chance, the mean over eight says something of the engine
//
// The first step, which allocates, is not timed; the others are: ns of processor time per box and
// step. Poses are read and judged every ten steps. Quality:
//
//   deepest         m, the deepest overlap over the run (heights: over all of them)
//   deepest_end     m, the same at the end (heights: the greatest)
//   mean_height     m, of the centres at the end (heights: mean)
//   energy_rise     the largest rise of the energy from one look to the next, over the energy at
//                   the start: contact without rebound only takes energy
#ifndef SN_BENCH_BOXES_H
#define SN_BENCH_BOXES_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SN_BOXES_QUALITIES = 4, SN_BOXES_STEPS_BETWEEN = 10, SN_BOXES_HEIGHTS = 8 };

#define SN_BOXES_GRAVITY  9.81
#define SN_BOXES_MASS     1000.0
#define SN_BOXES_FRICTION 0.5

static const char *const sn_boxes_quality_names[SN_BOXES_QUALITIES] = {
    "deepest", "deepest_end", "mean_height", "energy_rise"};
// The first is that of the case `boxes`.
static const double sn_boxes_heights[SN_BOXES_HEIGHTS] = {0.625, 0.501, 0.55, 0.6,
                                                          0.7,   0.75,  0.85, 1.0};

typedef struct sn_boxes_body {
    double position[3], velocity[3]; // of the centre
    double rotation[9];              // body axes to world axes, row by row
    double spin[3];                  // angular velocity, world axes
} sn_boxes_body;

static inline int sn_boxes_side(int count)
{
    int side = (int)sqrt(0.1 * count);
    return side > 10 ? side : 10;
}

static inline void sn_boxes_start(int index, int count, double height, double position[3])
{
    int side = sn_boxes_side(count), layer = index / (side * side);
    int row = index / side % side, column = index % side;
    double shift = layer % 2 != 0 ? 0.3 : 0.0, middle = 0.5 * (side - 1);
    position[0] = (column - middle) * 1.25 + shift;
    position[1] = (row - middle) * 1.25 + shift;
    position[2] = height + 1.25 * layer;
}

// ---- measures ----

static inline double sn_boxes_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The inertia of a cube is that of a ball: m/6 about every axis.
static inline double sn_boxes_energy(const sn_boxes_body *bodies, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        const sn_boxes_body *one = &bodies[i];
        sum += 0.5 * SN_BOXES_MASS * sn_boxes_dot(one->velocity, one->velocity) +
               SN_BOXES_MASS / 12.0 * sn_boxes_dot(one->spin, one->spin) +
               SN_BOXES_MASS * SN_BOXES_GRAVITY * one->position[2];
    }
    return sum;
}

static inline double sn_boxes_mean_height(const sn_boxes_body *bodies, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += bodies[i].position[2];
    }
    return sum / count;
}

static inline void sn_boxes_axis(const sn_boxes_body *body, int index, double axis[3])
{
    for (int k = 0; k < 3; ++k) {
        axis[k] = body->rotation[3 * k + index];
    }
}

// How far two boxes overlap along a direction.
static inline double sn_boxes_overlap_along(const double axes[6][3], const double *apart,
                                            const double *along)
{
    double reach = -fabs(sn_boxes_dot(along, apart));
    for (int i = 0; i < 6; ++i) {
        reach += 0.5 * fabs(sn_boxes_dot(along, axes[i]));
    }
    return reach;
}

// How deep two cubes are in each other: the least overlap over the 15 axes that can part them.
static inline double sn_boxes_overlap(const sn_boxes_body *a, const sn_boxes_body *b)
{
    double apart[3], axes[6][3], least = 0.0;
    for (int k = 0; k < 3; ++k) {
        apart[k] = b->position[k] - a->position[k];
        sn_boxes_axis(a, k, axes[k]);
        sn_boxes_axis(b, k, axes[3 + k]);
    }
    if (sn_boxes_dot(apart, apart) > 3.0) {
        return 0.0;
    }
    for (int i = 0; i < 15; ++i) {
        double along[3];
        if (i < 6) {
            memcpy(along, axes[i], sizeof along);
        } else {
            const double *p = axes[(i - 6) / 3], *q = axes[3 + (i - 6) % 3];
            double cross[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                               p[0] * q[1] - p[1] * q[0]};
            double length = sqrt(sn_boxes_dot(cross, cross));
            if (!(length > 1e-3)) {
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                along[k] = cross[k] / length;
            }
        }
        double overlap = sn_boxes_overlap_along(axes, apart, along);
        if (overlap <= 0.0) {
            return 0.0;
        }
        least = i == 0 || overlap < least ? overlap : least;
    }
    return least;
}

static inline int sn_boxes_by_x(const void *a, const void *b)
{
    double x = (*(const sn_boxes_body *const *)a)->position[0],
           y = (*(const sn_boxes_body *const *)b)->position[0];
    return x < y ? -1 : x > y ? 1 : 0;
}

// Of boxes in each other and in the ground. sorted[count] is scratch.
static inline double sn_boxes_deepest(const sn_boxes_body *bodies, int count,
                                      const sn_boxes_body **sorted)
{
    double worst = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *row = &bodies[i].rotation[6];
        double low = bodies[i].position[2] - 0.5 * (fabs(row[0]) + fabs(row[1]) + fabs(row[2]));
        worst = fmax(worst, -low);
        sorted[i] = &bodies[i];
    }
    qsort((void *)sorted, (size_t)count, sizeof *sorted, sn_boxes_by_x);
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count && sorted[j]->position[0] - sorted[i]->position[0] < 1.7321;
             ++j) {
            worst = fmax(worst, sn_boxes_overlap(sorted[i], sorted[j]));
        }
    }
    return worst;
}

// ---- the run ----

typedef struct sn_boxes_engine {
    void *context;
    bool (*build)(void *context, int count, double height); // anew, whatever was before
    bool (*advance)(void *context, int steps);
    void (*read)(void *context, sn_boxes_body *bodies);
    double (*seconds)(void); // of processor time
} sn_boxes_engine;

// From one start height. bodies[count], sorted[count]: scratch. False: the engine refused.
static inline bool sn_boxes_run_one(const sn_boxes_engine *engine, int count, int steps,
                                    double height, sn_boxes_body *bodies,
                                    const sn_boxes_body **sorted, double *seconds,
                                    double quality[SN_BOXES_QUALITIES])
{
    memset(quality, 0, SN_BOXES_QUALITIES * sizeof *quality);
    if (!engine->build(engine->context, count, height)) {
        return false;
    }
    engine->read(engine->context, bodies);
    double start = sn_boxes_energy(bodies, count), energy = start;
    if (!engine->advance(engine->context, 1)) {
        return false;
    }
    *seconds = 0.0;
    for (int done = 1; done < steps;) {
        int next = SN_BOXES_STEPS_BETWEEN - done % SN_BOXES_STEPS_BETWEEN;
        next = next < steps - done ? next : steps - done;
        double began = engine->seconds();
        bool taken = engine->advance(engine->context, next);
        *seconds += engine->seconds() - began;
        if (!taken) {
            return false;
        }
        done += next;
        engine->read(engine->context, bodies);
        double now = sn_boxes_energy(bodies, count);
        quality[1] = sn_boxes_deepest(bodies, count, sorted);
        quality[0] = fmax(quality[0], quality[1]);
        quality[3] = fmax(quality[3], (now - energy) / start);
        energy = now;
    }
    quality[2] = sn_boxes_mean_height(bodies, count);
    return true;
}

// From `heights` start heights: ns per box and step, and the qualities. False: it refused, or there
// is no memory.
static inline bool sn_boxes_run(const sn_boxes_engine *engine, int count, int steps, int heights,
                                double *cost, double quality[SN_BOXES_QUALITIES])
{
    sn_boxes_body *bodies = (sn_boxes_body *)calloc((size_t)count, sizeof *bodies);
    const sn_boxes_body **sorted = (const sn_boxes_body **)calloc((size_t)count, sizeof *sorted);
    double total = 0.0;
    bool done = bodies != NULL && sorted != NULL && steps > 1;
    memset(quality, 0, SN_BOXES_QUALITIES * sizeof *quality);
    for (int i = 0; i < heights && done; ++i) {
        double seconds = 0.0, one[SN_BOXES_QUALITIES];
        done = sn_boxes_run_one(engine, count, steps, sn_boxes_heights[i], bodies, sorted, &seconds,
                                one);
        total += seconds;
        quality[0] = fmax(quality[0], one[0]);
        quality[1] = fmax(quality[1], one[1]);
        quality[2] += one[2] / heights;
        quality[3] = fmax(quality[3], one[3]);
    }
    *cost = 1e9 * total / ((double)count * (steps - 1) * heights);
    free((void *)sorted);
    free(bodies);
    return done;
}

#endif
