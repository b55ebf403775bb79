// Heap memory. All of the library allocates through these five, so that tests can make any
// allocation fail and count what a running world asks for. They return NULL instead of aborting.
#ifndef SN_BASE_MEMORY_H
#define SN_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/base.h"

SN_API void *sn_allocate(size_t bytes);      // uninitialised
SN_API void *sn_allocate_zero(size_t bytes); // zeroed
SN_API void *sn_reallocate(void *memory, size_t bytes);
SN_API void sn_free(void *memory);

// The same for what must begin at a multiple of `alignment`, a power of 2: a copy of the first
// `kept` bytes, in memory of its own, which sn_free gives back like any other.
SN_API void *sn_reallocate_aligned(void *memory, size_t kept, size_t bytes, size_t alignment);

// A copy of `text` (NULL stays NULL).
SN_API char *sn_copy_text(const char *text);

// Per-thread test instruments, never used by the library itself: how many allocations this thread
// has made, and after how many more the next one fails (negative: never). Thread-local, so that
// nothing is shared between worlds.
SN_API uint64_t sn_allocation_count(void);
SN_API void sn_allocation_fail_after(int64_t count);

#endif
