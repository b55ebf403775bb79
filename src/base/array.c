#include "base/array.h"

#include <limits.h>
#include <stdint.h>

#include "base/memory.h"

bool sn_array_grow(void **data, int *capacity, size_t element_size, int wanted)
{
    return sn_array_grow_aligned(data, capacity, element_size, 1, wanted);
}

bool sn_array_grow_aligned(void **data, int *capacity, size_t element_size, size_t alignment,
                           int wanted)
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
    size_t bytes = (size_t)room * element_size;
    void *grown =
        alignment <= _Alignof(max_align_t)
            ? sn_reallocate(*data, bytes)
            : sn_reallocate_aligned(*data, (size_t)*capacity * element_size, bytes, alignment);
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
