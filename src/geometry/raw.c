#include "geometry/raw.h"

#include <string.h>

static const struct {
    unsigned char size;
    bool sign;
} kinds[] = {
    [SN_RAW_INT8] = {1, true},    [SN_RAW_UINT8] = {1, false},  [SN_RAW_INT16] = {2, true},
    [SN_RAW_UINT16] = {2, false}, [SN_RAW_INT32] = {4, true},   [SN_RAW_UINT32] = {4, false},
    [SN_RAW_INT64] = {8, true},   [SN_RAW_UINT64] = {8, false}, [SN_RAW_FLOAT32] = {4, true},
    [SN_RAW_FLOAT64] = {8, true},
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

static bool is_whole(sn_raw_kind kind)
{
    return kind != SN_RAW_FLOAT32 && kind != SN_RAW_FLOAT64;
}

bool sn_raw_integer(const char *bytes, sn_raw_kind kind, bool big_endian, int64_t *value)
{
    size_t size = kinds[kind].size;
    uint64_t bits = bits_of(bytes, size, big_endian), top = UINT64_C(1) << (8 * size - 1);
    bool negative = kinds[kind].sign && (bits & top) != 0;
    // Two's complement: the highest bit counts for -top, so a negative number is -1 less the bits
    // that are not set, each of which fits.
    *value = negative ? -1 - (int64_t)(~bits & (top - 1)) : (int64_t)(bits & INT64_MAX);
    return is_whole(kind) && (negative || bits <= INT64_MAX);
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
