#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local uint64_t allocations;
static _Thread_local int64_t fail_after = -1;

// Counts one request; false when a test has asked for it to fail.
static bool may_allocate(void)
{
    allocations += 1;
    if (fail_after < 0) {
        return true;
    }
    if (fail_after == 0) {
        return false;
    }
    fail_after -= 1;
    return true;
}

void *sn_allocate(size_t bytes)
{
    return may_allocate() ? malloc(bytes > 0 ? bytes : 1) : NULL;
}

void *sn_allocate_zero(size_t bytes)
{
    return may_allocate() ? calloc(1, bytes > 0 ? bytes : 1) : NULL;
}

void *sn_reallocate(void *memory, size_t bytes)
{
    return may_allocate() ? realloc(memory, bytes > 0 ? bytes : 1) : NULL;
}

void *sn_reallocate_aligned(void *memory, size_t kept, size_t bytes, size_t alignment)
{
    size_t room = bytes > 0 ? bytes : 1, over = room % alignment;
    if (over > 0 && room > SIZE_MAX - (alignment - over)) {
        return NULL;
    }
    room += over > 0 ? alignment - over : 0; // aligned_alloc wants whole multiples
    void *grown = may_allocate() ? aligned_alloc(alignment, room) : NULL;
    if (grown != NULL && kept > 0) {
        memcpy(grown, memory, kept < bytes ? kept : bytes);
    }
    if (grown != NULL) {
        free(memory);
    }
    return grown;
}

void sn_free(void *memory)
{
    free(memory);
}

char *sn_copy_text(const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    size_t bytes = strlen(text) + 1;
    char *copy = sn_allocate(bytes);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

uint64_t sn_allocation_count(void)
{
    return allocations;
}

void sn_allocation_fail_after(int64_t count)
{
    fail_after = count;
}
