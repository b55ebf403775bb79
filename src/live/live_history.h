// Where a live world has been: its states, with all it takes to come there again to the bit.
//
//     sn_history_add(&history, &moment, &error);     // after some steps
//     int index = sn_history_find(&history, step);   // the first moment at or after a step
//     sn_history_moment(&history, index, &moment);
//     sn_history_cut(&history, index);               // forgets what comes after it
//
// A moment is the state after the steps that led to it from the moment before, with what acted in
// these steps. Any step between two moments is found by taking steps again from the first of them.
// Bytes stay within a budget. A history that has reached it is thinned: older moments lie ever
// farther apart, up to SN_HISTORY_STRETCH steps, so that it reaches four to six times as far back
// as one that keeps them all. Moments give way only to others in whose steps the same acted. Then
// the oldest moments go, never the newest. Blocks are used again, so that a full history allocates
// no more.
#ifndef SN_LIVE_HISTORY_H
#define SN_LIVE_HISTORY_H

#include "base/array.h"
#include "sinew/counter.h"

enum { SN_HISTORY_STRETCH = 64 }; // steps to be taken again, at most, to find one that was thinned

// One step that was taken.
typedef struct sn_history_step {
    double size, time; // s; at its end
    uint64_t hash;     // of the state at its end
} sn_history_step;

// Where the plan of steps is: the next full step ends at base + (planned + 1) step.
typedef struct sn_history_plan {
    double base, left; // left: what an event has left of the step under way
    uint64_t planned;
} sn_history_plan;

// Steps since the world began in which a counter of sinew/counter.h was not 0.
typedef struct sn_history_counters {
    uint32_t steps; // of any of these
    uint32_t each[SN_COUNTER_COUNT];
} sn_history_counters;

typedef struct sn_history_part {
    const void *data;
    size_t size; // bytes
} sn_history_part;

enum {
    SN_HISTORY_STATE,
    SN_HISTORY_MEMORY, // of contacts
    SN_HISTORY_INPUTS, // what clients did in the steps that led here
    SN_HISTORY_PARAMS, // doubles, in those steps
    SN_HISTORY_ROW,    // doubles, measured here
    SN_HISTORY_STEPS,  // sn_history_step, those that led here
    SN_HISTORY_PLACED, // where hands have put things after the moment before: the state and the
                       // memory of contacts with which these steps began; empty: with those of the
                       // moment before
    SN_HISTORY_PARTS
};

typedef struct sn_history_moment {
    uint64_t step; // taken by the world in all
    double time;
    bool touched; // a change of inputs or params woke everything before the first of its steps
    sn_history_plan plan;
    sn_history_counters counters;
    sn_history_part parts[SN_HISTORY_PARTS];
} sn_history_moment;

typedef struct sn_history_block {
    unsigned char *data;
    size_t size, used;
    int moments; // that begin in it
    int level;   // how often they were thinned
    bool single; // its last moment is still to be joined with the next one, when that comes here
} sn_history_block;

// Zero with a budget is an empty history.
typedef struct sn_history {
    size_t budget, bytes;              // bytes: of all blocks
    SN_ARRAY(unsigned char *) moments; // oldest first from `first` on
    int first;
    SN_ARRAY(sn_history_block) blocks; // oldest first; their levels never rise towards newer ones
    SN_ARRAY(sn_history_block) spare;
    sn_history_block empty; // kept for thinning, which needs room before it gives some back
} sn_history;

SN_API void sn_history_free(sn_history *history);
SN_API void sn_history_clear(sn_history *history); // keeps the blocks

// Copies everything. When memory runs out, old moments go as if the budget were smaller; fails only
// where not even one moment fits.
SN_API sn_status sn_history_add(sn_history *history, const sn_history_moment *moment,
                                sn_error *error);

SN_API int sn_history_count(const sn_history *history);
// Its parts point into the history, until something is added or forgotten.
SN_API void sn_history_moment_at(const sn_history *history, int index, sn_history_moment *moment);

// The first moment at or after a step, by binary search; the count when there is none.
SN_API int sn_history_find(const sn_history *history, uint64_t step);
SN_API int sn_history_find_time(const sn_history *history, double time);

// Forgets the moments after this one.
SN_API void sn_history_cut(sn_history *history, int index);

// How many steps can be gone to, the present one included.
SN_API uint64_t sn_history_steps(const sn_history *history);

#endif
