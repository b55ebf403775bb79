#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_BYTES = 16 * 1024, ALIGNMENT = alignof(max_align_t) };

struct sn_arena_block {
    sn_arena_block *next;
    size_t used, capacity;
    alignas(max_align_t) unsigned char bytes[];
};

void *sn_arena_allocate(sn_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - ALIGNMENT - sizeof(sn_arena_block)) {
        return NULL;
    }
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    sn_arena_block *block = arena->first;
    if (block == NULL || block->capacity - block->used < rounded) {
        size_t capacity = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
        block = sn_allocate_zero(sizeof *block + capacity);
        if (block == NULL) {
            return NULL;
        }
        block->capacity = capacity;
        block->next = arena->first;
        arena->first = block;
    }
    void *piece = block->bytes + block->used;
    block->used += rounded;
    arena->used += rounded;
    return piece;
}

char *sn_arena_text(sn_arena *arena, const char *text, size_t length)
{
    char *copy = sn_arena_allocate(arena, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

void sn_arena_free(sn_arena *arena)
{
    while (arena->first != NULL) {
        sn_arena_block *next = arena->first->next;
        sn_free(arena->first);
        arena->first = next;
    }
    arena->used = 0;
}
