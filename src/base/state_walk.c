#include "base/state_walk.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"

void sn_state_numbers(sn_state_walk *walk, double *numbers, size_t count)
{
    size_t size = count * sizeof *numbers;
    if (size == 0) {
        return;
    }
    bool fits = walk->size + size <= walk->room;
    if (walk->mode == SN_STATE_SAVE && fits) {
        memcpy(walk->bytes + walk->size, numbers, size);
    } else if (walk->mode == SN_STATE_LOAD && fits) {
        memcpy(numbers, walk->bytes + walk->size, size);
    } else if (walk->mode == SN_STATE_HASH) {
        walk->hash = sn_hash64(numbers, size, walk->hash);
    }
    walk->size += size;
}

void sn_state_flag(sn_state_walk *walk, bool *flag)
{
    double number = *flag ? 1.0 : 0.0;
    sn_state_numbers(walk, &number, 1);
    if (walk->mode == SN_STATE_LOAD) {
        *flag = number != 0.0;
    }
}

void sn_state_whole(sn_state_walk *walk, int *number)
{
    double value = *number;
    sn_state_numbers(walk, &value, 1);
    if (walk->mode == SN_STATE_LOAD) {
        *number = fabs(value) <= INT_MAX ? (int)value : 0;
    }
}

void sn_state_count(sn_state_walk *walk, uint64_t *number)
{
    double value = (double)*number;
    sn_state_numbers(walk, &value, 1);
    if (walk->mode == SN_STATE_LOAD) {
        *number = value >= 0.0 && value < 0x1p63 ? (uint64_t)value : 0;
    }
}
