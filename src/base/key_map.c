#include "base/key_map.h"

#include "base/hash.h"
#include "base/memory.h"

#define EMPTY UINT64_MAX

// The slot of a key, or the empty one where it would be: the next in line (linear probing).
static sn_key_map_slot *slot_of(const sn_key_map *map, uint64_t key)
{
    size_t mask = (size_t)map->capacity - 1, i = (size_t)sn_mix64(key) & mask;
    while (map->slots[i].key != key && map->slots[i].key != EMPTY) {
        i = (i + 1) & mask;
    }
    return &map->slots[i];
}

static bool grow(sn_key_map *map)
{
    sn_key_map larger = {.capacity = map->capacity > 0 ? 2 * map->capacity : 64};
    if (larger.capacity <= 0) {
        return false;
    }
    larger.slots = sn_allocate((size_t)larger.capacity * sizeof *larger.slots);
    if (larger.slots == NULL) {
        return false;
    }
    for (int i = 0; i < larger.capacity; ++i) {
        larger.slots[i] = (sn_key_map_slot){EMPTY, 0};
    }
    for (int i = 0; i < map->capacity; ++i) {
        if (map->slots[i].key != EMPTY) {
            *slot_of(&larger, map->slots[i].key) = map->slots[i];
        }
    }
    larger.count = map->count;
    sn_free(map->slots);
    *map = larger;
    return true;
}

int *sn_key_map_put(sn_key_map *map, uint64_t key, int value)
{
    if (map->count >= map->capacity / 2 && !grow(map)) {
        return NULL;
    }
    sn_key_map_slot *slot = slot_of(map, key);
    if (slot->key == EMPTY) {
        *slot = (sn_key_map_slot){key, value};
        map->count += 1;
    }
    return &slot->value;
}

int sn_key_map_find(const sn_key_map *map, uint64_t key)
{
    if (map->count == 0) {
        return -1;
    }
    const sn_key_map_slot *slot = slot_of(map, key);
    return slot->key == key ? slot->value : -1;
}

void sn_key_map_free(sn_key_map *map)
{
    sn_free(map->slots);
    *map = (sn_key_map){0};
}
