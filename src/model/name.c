// Names of things in a world, and their order.
#include <stdio.h>

#include "base/memory.h"
#include "model/world.h"

void sn_world_place(const sn_world *world, uint32_t body, char *place, size_t size)
{
    snprintf(place, size, "body '%s', step %llu", world->bodies.data[body].name,
             (unsigned long long)world->steps + 1);
}

char *sn_world_make_name(sn_world *world, const sn_name_table *names, const char *wanted,
                         const char *kind)
{
    if (wanted != NULL && wanted[0] != '\0') {
        return sn_copy_text(wanted);
    }
    char name[64];
    do {
        world->next_number += 1;
        snprintf(name, sizeof name, "%s %u", kind, world->next_number);
    } while (sn_name_table_find(names, name) != 0);
    return sn_copy_text(name);
}

void sn_world_drop_index(uint32_t *order, int *count, uint32_t index)
{
    int at = 0;
    while (at < *count && order[at] != index) {
        at += 1;
    }
    memmove(&order[at], &order[at + 1], (size_t)(*count - at - 1) * sizeof *order);
    *count -= 1;
}
