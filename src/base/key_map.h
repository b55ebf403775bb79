// Whole numbers by 64-bit keys: numbers of things that are named by what they are made of, such as
// edges by their ends.
//
//     sn_key_map map = {0};
//     int *value = sn_key_map_put(&map, key, map.count); // the one that it has, or the new one
//     sn_key_map_free(&map);
//
// Zero is an empty map. Keys may be any but UINT64_MAX.
#ifndef SN_BASE_KEY_MAP_H
#define SN_BASE_KEY_MAP_H

#include "sinew/base.h"

typedef struct sn_key_map_slot {
    uint64_t key;
    int value;
} sn_key_map_slot;

typedef struct sn_key_map {
    sn_key_map_slot *slots;
    int count, capacity; // capacity: 0 or a power of 2
} sn_key_map;

// The value of a key, put there if there was none; NULL when memory runs out.
SN_API int *sn_key_map_put(sn_key_map *map, uint64_t key, int value);

// -1: there is none.
SN_API int sn_key_map_find(const sn_key_map *map, uint64_t key);
SN_API void sn_key_map_free(sn_key_map *map);

#endif
