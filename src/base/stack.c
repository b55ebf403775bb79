#include "base/stack.h"

#include <assert.h>
#include <stdint.h>

#include "base/memory.h"

enum { ALIGNMENT = 64 };

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// The first aligned address in a heap block that has ALIGNMENT spare bytes.
static unsigned char *align(unsigned char *memory)
{
    return memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
}

void *sn_stack_push(sn_stack *stack, size_t bytes, const char *name)
{
    if (stack->count == SN_STACK_DEPTH || bytes > SIZE_MAX - 2 * (size_t)ALIGNMENT) {
        return NULL;
    }
    sn_stack_entry entry = {.name = name, .bytes = round_up(bytes > 0 ? bytes : 1)};
    if (stack->capacity - stack->used >= entry.bytes) {
        entry.memory = align(stack->base) + stack->used;
        stack->used += entry.bytes;
    } else {
        entry.from_heap = true;
        entry.memory = sn_allocate(entry.bytes + ALIGNMENT);
        if (entry.memory == NULL) {
            return NULL;
        }
    }
    stack->wanted += entry.bytes;
    stack->most_wanted = stack->wanted > stack->most_wanted ? stack->wanted : stack->most_wanted;
    stack->entries[stack->count++] = entry;
    return entry.from_heap ? align(entry.memory) : entry.memory;
}

void sn_stack_pop(sn_stack *stack, void *memory)
{
    assert(stack->count > 0);
    sn_stack_entry entry = stack->entries[--stack->count];
    assert(memory == (entry.from_heap ? align(entry.memory) : entry.memory));
    (void)memory;
    stack->wanted -= entry.bytes;
    if (entry.from_heap) {
        sn_free(entry.memory);
    } else {
        stack->used -= entry.bytes;
    }
}

void sn_stack_settle(sn_stack *stack)
{
    assert(stack->count == 0);
    if (stack->most_wanted <= stack->capacity) {
        return;
    }
    size_t capacity = round_up(stack->most_wanted + stack->most_wanted / 2);
    // Nothing of it is needed, but its pages stay where they are, or go along: new ones cost.
    unsigned char *grown = sn_reallocate(stack->base, capacity + ALIGNMENT);
    if (grown != NULL) {
        stack->base = grown;
        stack->capacity = capacity;
    }
}

void sn_stack_free(sn_stack *stack)
{
    assert(stack->count == 0);
    sn_free(stack->base);
    *stack = (sn_stack){0};
}
