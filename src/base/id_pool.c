#include "base/id_pool.h"

#include <assert.h>
#include <string.h>

sn_id sn_id_pool_take(sn_id_pool *pool)
{
    sn_id id = {0};
    if (pool->free.count > 0) {
        id.index = pool->free.data[--pool->free.count];
        id.generation = ++pool->generation.data[id.index];
        pool->count += 1;
        return id;
    }
    // The free list always has room for every slot, so that giving back cannot fail.
    int slots = pool->generation.count > 0 ? pool->generation.count : 1;
    if (!sn_array_reserve(&pool->free, slots + 1) ||
        !sn_array_reserve(&pool->generation, slots + 1)) {
        return id;
    }
    if (pool->generation.count == 0) {
        pool->generation.data[pool->generation.count++] = 0;
    }
    id.index = (uint32_t)pool->generation.count;
    id.generation = 1;
    pool->generation.data[pool->generation.count++] = id.generation;
    pool->count += 1;
    return id;
}

void sn_id_pool_give(sn_id_pool *pool, sn_id id)
{
    assert(sn_id_pool_has(pool, id));
    pool->generation.data[id.index] += 1;
    pool->free.data[pool->free.count++] = id.index;
    pool->count -= 1;
}

bool sn_id_pool_has(const sn_id_pool *pool, sn_id id)
{
    return id.index != 0 && id.index < (uint32_t)pool->generation.count && id.generation % 2 == 1 &&
           pool->generation.data[id.index] == id.generation;
}

bool sn_id_pool_copy(const sn_id_pool *pool, sn_id_pool *copy)
{
    *copy = (sn_id_pool){0};
    int slots = pool->generation.count;
    if (!sn_array_reserve(&copy->free, slots) || !sn_array_reserve(&copy->generation, slots)) {
        sn_id_pool_free(copy);
        return false;
    }
    if (slots > 0) {
        memcpy(copy->generation.data, pool->generation.data,
               (size_t)slots * sizeof *pool->generation.data);
        memcpy(copy->free.data, pool->free.data,
               (size_t)pool->free.count * sizeof *pool->free.data);
    }
    copy->generation.count = slots;
    copy->free.count = pool->free.count;
    copy->count = pool->count;
    return true;
}

void sn_id_pool_free(sn_id_pool *pool)
{
    sn_array_free(&pool->generation);
    sn_array_free(&pool->free);
    pool->count = 0;
}
