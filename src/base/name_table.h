// Finds things by name in constant time: an open-addressed table from text to a number.
#ifndef SN_BASE_NAME_TABLE_H
#define SN_BASE_NAME_TABLE_H

#include "sinew/base.h"

typedef struct sn_name_slot {
    const char *name; // NULL: never used; owned by whoever put it in, must outlive the slot
    uint32_t value;   // 0: removed
} sn_name_slot;

// Zero is an empty table.
typedef struct sn_name_table {
    sn_name_slot *slots;
    int capacity; // a power of two
    int used;     // slots with a name, removed ones included
} sn_name_table;

// Puts a new name in, for a value other than 0; false when memory runs out. The name must not be
// there already.
SN_API bool sn_name_table_put(sn_name_table *table, const char *name, uint32_t value);
SN_API uint32_t sn_name_table_find(const sn_name_table *table, const char *name); // 0: not there
SN_API void sn_name_table_remove(sn_name_table *table, const char *name);
SN_API void sn_name_table_free(sn_name_table *table);

#endif
