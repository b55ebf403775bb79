// An arena: many small pieces, freed all at once. For what lives as long as its owner, such as the
// parts of a scene.
#ifndef SN_BASE_ARENA_H
#define SN_BASE_ARENA_H

#include "sinew/base.h"

typedef struct sn_arena_block sn_arena_block;

// Zero is an empty arena.
typedef struct sn_arena {
    sn_arena_block *first; // the block being filled
    size_t used;           // bytes handed out
} sn_arena;

// Zeroed memory aligned for any type, or NULL when memory runs out.
SN_API void *sn_arena_allocate(sn_arena *arena, size_t bytes);

// A zero-terminated copy of `length` characters.
SN_API char *sn_arena_text(sn_arena *arena, const char *text, size_t length);

SN_API void sn_arena_free(sn_arena *arena);

#endif
