// Where a recording is read from: bytes in memory or a file, of which only the part in use is held.
#ifndef SN_RECORD_SOURCE_H
#define SN_RECORD_SOURCE_H

#include "record/bytes.h"

typedef struct sn_source {
    const uint8_t *bytes; // NULL: a file
    int descriptor;       // -1: none
    uint64_t length;
    sn_bytes buffer; // the part last read from a file
} sn_source;

SN_API sn_status sn_source_open(sn_source *source, const char *path, sn_error *error);
SN_API void sn_source_close(sn_source *source);

// `count` bytes from `offset`, which lie inside the source; they stay until the next call. `name`
// is for the error.
SN_API sn_status sn_source_read(sn_source *source, const char *name, uint64_t offset,
                                uint64_t count, const uint8_t **data, sn_error *error);

#endif
