#include "geometry/raw.h"

#include <string.h>

static const struct {
    size_t size;
    uint64_t sign; // the highest bit of whole numbers that may be negative, or none
} kinds[] = {
    [SN_RAW_INT8] = {1, UINT64_C(1) << 7},
    [SN_RAW_UINT8] = {1, 0},
    [SN_RAW_INT16] = {2, UINT64_C(1) << 15},
    [SN_RAW_UINT16] = {2, 0},
    [SN_RAW_INT32] = {4, UINT64_C(1) << 31},
    [SN_RAW_UINT32] = {4, 0},
    [SN_RAW_INT64] = {8, UINT64_C(1) << 63},
    [SN_RAW_UINT64] = {8, 0},
    [SN_RAW_FLOAT32] = {4, 0},
    [SN_RAW_FLOAT64] = {8, 0},
};

size_t sn_raw_size(sn_raw_kind kind)
{
    return kinds[kind].size;
}

static uint64_t bits_of(const char *bytes, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        bits = bits << 8 | (unsigned char)bytes[big_endian ? i : size - 1 - i];
    }
    return bits;
}

bool sn_raw_integer(const char *bytes, sn_raw_kind kind, bool big_endian, int64_t *value)
{
    uint64_t bits = bits_of(bytes, kinds[kind].size, big_endian), sign = kinds[kind].sign;
    bool negative = (bits & sign) != 0;
    // Two's complement: a negative number is -1 less what the bits under the sign lack.
    *value = negative ? -1 - (int64_t)(~bits & (sign - 1)) : (int64_t)(bits & INT64_MAX);
    return kind != SN_RAW_FLOAT32 && kind != SN_RAW_FLOAT64 && (negative || bits <= INT64_MAX);
}

double sn_raw_number(const char *bytes, sn_raw_kind kind, bool big_endian)
{
    uint64_t bits = bits_of(bytes, kinds[kind].size, big_endian);
    if (kind == SN_RAW_FLOAT64) {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    if (kind == SN_RAW_FLOAT32) {
        uint32_t half = (uint32_t)bits;
        float number;
        memcpy(&number, &half, sizeof number);
        return (double)number;
    }
    int64_t whole;
    return sn_raw_integer(bytes, kind, big_endian, &whole) ? (double)whole : (double)bits;
}
