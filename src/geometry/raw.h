// Numbers as binary files hold them: what bytes of a kind and an order mean, whatever the order of
// the machine is.
#ifndef SN_GEOMETRY_RAW_H
#define SN_GEOMETRY_RAW_H

#include "sinew/base.h"

typedef enum sn_raw_kind {
    SN_RAW_INT8,
    SN_RAW_UINT8,
    SN_RAW_INT16,
    SN_RAW_UINT16,
    SN_RAW_INT32,
    SN_RAW_UINT32,
    SN_RAW_INT64,
    SN_RAW_UINT64,
    SN_RAW_FLOAT32,
    SN_RAW_FLOAT64,
} sn_raw_kind;

// In bytes.
SN_API size_t sn_raw_size(sn_raw_kind kind);

// The whole number that the bytes say; false when the kind is none of whole numbers, or the number
// is beyond those of 64 bits with a sign.
SN_API bool sn_raw_integer(const char *bytes, sn_raw_kind kind, bool big_endian, int64_t *value);

// The number that the bytes say, not a number and infinities included.
SN_API double sn_raw_number(const char *bytes, sn_raw_kind kind, bool big_endian);

#endif
