// The per-step stack: scratch memory taken and given back in order within one step of a world.
// Between steps it is empty; if a step needed more than it held, the overflow came from the heap
// and the stack is enlarged before the next step, so that after the first steps a world allocates
// nothing.
#ifndef SN_BASE_STACK_H
#define SN_BASE_STACK_H

#include "sinew/base.h"

enum { SN_STACK_DEPTH = 64 };

typedef struct sn_stack_entry {
    const char *name; // who holds it, for the assertion at the end of the step
    void *memory;
    size_t bytes;
    bool from_heap;
} sn_stack_entry;

// Zero is an empty stack.
typedef struct sn_stack {
    unsigned char *base;
    size_t capacity, used, wanted, most_wanted; // `wanted` counts heap overflow as well
    sn_stack_entry entries[SN_STACK_DEPTH];
    int count;
} sn_stack;

// Uninitialised memory aligned to 64 bytes, or NULL when memory runs out (or 64 pieces are held).
SN_API void *sn_stack_push(sn_stack *stack, size_t bytes, const char *name);

// Gives back the piece pushed last, which must be `memory`.
SN_API void sn_stack_pop(sn_stack *stack, void *memory);

// At the end of a step, with everything given back: makes room for what this step needed. A failure
// to enlarge is not an error, only slower.
SN_API void sn_stack_settle(sn_stack *stack);

SN_API void sn_stack_free(sn_stack *stack);

#endif
