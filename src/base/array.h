// Growable arrays of any element type.
//
//     SN_ARRAY(double) samples = {0};
//     if (!sn_array_push(&samples, 1.5)) { return sn_fail_memory(...); }
//     for (int i = 0; i < samples.count; ++i) { use(samples.data[i]); }
//     sn_array_free(&samples);
//
// Zero is an empty array. What may allocate gives false when memory runs out, and the array is then
// unchanged. Elements stand as their type wants it, such as one with _Alignas(64).
#ifndef SN_BASE_ARRAY_H
#define SN_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/base.h"

#define SN_ARRAY(type)                                                                             \
    struct {                                                                                       \
        type *data;                                                                                \
        int count;                                                                                 \
        int capacity;                                                                              \
    }

// Bytes of an element, which may be a pointer.
#define SN_ARRAY_ELEMENT(array) sizeof *(array)->data // NOLINT(bugprone-sizeof-expression)

// Room for at least `wanted` elements in all.
#define sn_array_reserve(array, wanted)                                                            \
    sn_array_grow_aligned((void **)&(array)->data, &(array)->capacity, SN_ARRAY_ELEMENT(array),    \
                          __alignof__(*(array)->data), (wanted))

// Appends one element; false when memory runs out.
#define sn_array_push(array, ...)                                                                  \
    (sn_array_reserve((array), (array)->count + 1)                                                 \
         ? ((array)->data[(array)->count++] = (__VA_ARGS__), true)                                 \
         : false)

// Sets the count; new elements are uninitialised.
#define sn_array_resize(array, wanted)                                                             \
    (sn_array_reserve((array), (wanted)) ? ((array)->count = (wanted), true) : false)

#define sn_array_clear(array) ((array)->count = 0)

#define sn_array_free(array)                                                                       \
    (sn_array_release((void **)&(array)->data), (array)->count = 0, (array)->capacity = 0)

SN_API bool sn_array_grow(void **data, int *capacity, size_t element_size, int wanted);
SN_API bool sn_array_grow_aligned(void **data, int *capacity, size_t element_size, size_t alignment,
                                  int wanted);
SN_API void sn_array_release(void **data);

#endif
