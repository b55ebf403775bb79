// One walk over the state of something: the function that lists its numbers once serves to count,
// save, load and hash them, so that these four cannot disagree.
//
//     void walk_pendulum(pendulum *p, sn_state_walk *walk)
//     {
//         sn_state_numbers(walk, &p->angle, 1);
//         sn_state_flag(walk, &p->broken);
//     }
//
// Everything is a double in the order of the calls. Only a walk that loads writes to what it is
// given. Loaded numbers are not checked here.
#ifndef SN_BASE_STATE_WALK_H
#define SN_BASE_STATE_WALK_H

#include "sinew/base.h"

typedef enum sn_state_mode {
    SN_STATE_COUNT,
    SN_STATE_SAVE,
    SN_STATE_LOAD,
    SN_STATE_HASH
} sn_state_mode;

typedef struct sn_state_walk {
    sn_state_mode mode;
    size_t size; // bytes passed so far
    uint64_t hash;
    unsigned char *bytes; // to save to, or to load from
    size_t room;          // of these; what does not fit is counted only
    sn_status status;     // why something could not be loaded; the walk goes on to its end
    sn_error *error;
} sn_state_walk;

SN_API void sn_state_numbers(sn_state_walk *walk, double *numbers, size_t count);
SN_API void sn_state_flag(sn_state_walk *walk, bool *flag);   // 0 or 1; anything else loads as 1
SN_API void sn_state_whole(sn_state_walk *walk, int *number); // loads as 0 where it is no int
SN_API void sn_state_count(sn_state_walk *walk, uint64_t *number); // exact below 2^53

static inline sn_state_walk sn_state_saving(void *bytes, size_t room)
{
    return (sn_state_walk){.mode = SN_STATE_SAVE, .bytes = bytes, .room = room};
}

// Bytes that are loaded stay as they are; one kind of walk serves both directions.
static inline sn_state_walk sn_state_loading(const void *bytes, size_t room)
{
    return (sn_state_walk){.mode = SN_STATE_LOAD, .bytes = (unsigned char *)bytes, .room = room};
}

#endif
