#include "base/array.h"

#include <limits.h>
#include <stdint.h>

#include "base/memory.h"

bool sn_array_grow(void **data, int *capacity, size_t element_size, int wanted)
{
    if (wanted <= *capacity) {
        return true;
    }
    // Half as much again, so that n pushes cost O(n) and freed blocks can be reused by later
    // growth.
    int64_t room = (int64_t)*capacity + *capacity / 2;
    room = room < 8 ? 8 : room;
    room = room < wanted ? wanted : room;
    room = room > INT_MAX ? INT_MAX : room;
    if ((uint64_t)room > SIZE_MAX / element_size) {
        return false;
    }
    void *grown = sn_reallocate(*data, (size_t)room * element_size);
    if (grown == NULL) {
        return false;
    }
    *data = grown;
    *capacity = (int)room;
    return true;
}

void sn_array_release(void **data)
{
    sn_free(*data);
    *data = NULL;
}
