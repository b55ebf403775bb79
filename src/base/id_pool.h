// Ids with generations. An id names a slot; when the slot is freed and used again its generation
// has changed, so that an old id is known to be stale. Index 0 is never given out: a zero id is
// null.
#ifndef SN_BASE_ID_POOL_H
#define SN_BASE_ID_POOL_H

#include "base/array.h"

typedef struct sn_id {
    uint32_t index, generation;
} sn_id;

// Zero is an empty pool.
typedef struct sn_id_pool {
    SN_ARRAY(uint32_t) generation; // odd: in use, even: free; slot 0 unused
    SN_ARRAY(uint32_t) free;       // indices to give out again, last freed first
    int count;                     // ids in use
} sn_id_pool;

// A new id, or the null id when memory runs out. Freed slots are used again first.
SN_API sn_id sn_id_pool_take(sn_id_pool *pool);

// Gives back a valid id. Never fails: taking reserves the room.
SN_API void sn_id_pool_give(sn_id_pool *pool, sn_id id);

SN_API bool sn_id_pool_has(const sn_id_pool *pool, sn_id id);
SN_API bool sn_id_pool_copy(const sn_id_pool *pool, sn_id_pool *copy);
SN_API void sn_id_pool_free(sn_id_pool *pool);

#endif
