#include "base/name_table.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

// The slot of `name`, or the first free one where it would go; NULL only for an empty table.
static sn_name_slot *probe(const sn_name_table *table, const char *name)
{
    if (table->capacity == 0) {
        return NULL;
    }
    uint32_t mask = (uint32_t)table->capacity - 1;
    uint32_t at = (uint32_t)sn_hash64(name, strlen(name), 0) & mask;
    while (table->slots[at].name != NULL) {
        if (table->slots[at].value != 0 && strcmp(table->slots[at].name, name) == 0) {
            break;
        }
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

static bool grow(sn_name_table *table)
{
    int live = 0;
    for (int i = 0; i < table->capacity; ++i) {
        live += table->slots[i].value != 0;
    }
    sn_name_table grown = {.capacity = 16};
    while (grown.capacity < 4 * (live + 1)) {
        grown.capacity *= 2;
    }
    grown.slots = sn_allocate_zero((size_t)grown.capacity * sizeof *grown.slots);
    if (grown.slots == NULL) {
        return false;
    }
    for (int i = 0; i < table->capacity; ++i) {
        if (table->slots[i].value != 0) {
            *probe(&grown, table->slots[i].name) = table->slots[i];
            grown.used += 1;
        }
    }
    sn_free(table->slots);
    *table = grown;
    return true;
}

bool sn_name_table_put(sn_name_table *table, const char *name, uint32_t value)
{
    if (2 * (table->used + 1) > table->capacity && !grow(table)) {
        return false;
    }
    *probe(table, name) = (sn_name_slot){name, value};
    table->used += 1;
    return true;
}

uint32_t sn_name_table_find(const sn_name_table *table, const char *name)
{
    sn_name_slot *slot = probe(table, name);
    return slot != NULL && slot->name != NULL ? slot->value : 0;
}

// The slot keeps a name so that later probes walk past it, but not the caller's text, which may go
// away.
void sn_name_table_remove(sn_name_table *table, const char *name)
{
    sn_name_slot *slot = probe(table, name);
    if (slot != NULL && slot->name != NULL) {
        *slot = (sn_name_slot){"", 0};
    }
}

void sn_name_table_free(sn_name_table *table)
{
    sn_free(table->slots);
    *table = (sn_name_table){0};
}
