// Bytes of a file in memory: a buffer that grows, and a reader that never leaves its bounds.
// Numbers are little-endian whatever the machine is.
//
//     sn_bytes payload = {0};
//     sn_bytes_put_u32(&payload, count);
//     sn_bytes_put_f64(&payload, time);
//     if (payload.failed) { return sn_fail_memory(error, payload.count); }
//
// Both are sticky: after the first failure every further call does nothing (a reader gives zeros),
// so that a caller checks once, at the end.
#ifndef SN_RECORD_BYTES_H
#define SN_RECORD_BYTES_H

#include "sinew/base.h"

typedef struct sn_bytes {
    uint8_t *data;
    size_t count, capacity;
    bool failed; // memory ran out
} sn_bytes;

SN_API void sn_bytes_free(sn_bytes *bytes);
SN_API void sn_bytes_clear(sn_bytes *bytes); // keeps the room, forgets the failure
SN_API bool sn_bytes_reserve(sn_bytes *bytes, size_t more);
SN_API void sn_bytes_put(sn_bytes *bytes, const void *data, size_t count);
SN_API void sn_bytes_put_u8(sn_bytes *bytes, uint8_t value);
SN_API void sn_bytes_put_u32(sn_bytes *bytes, uint32_t value);
SN_API void sn_bytes_put_u64(sn_bytes *bytes, uint64_t value);
SN_API void sn_bytes_put_f64(sn_bytes *bytes, double value);
SN_API void sn_bytes_put_f32(sn_bytes *bytes, float value);

typedef struct sn_byte_reader {
    const uint8_t *data;
    size_t count, at;
    bool failed; // asked for more than there is
} sn_byte_reader;

// A pointer to the next `count` bytes, or NULL.
SN_API const uint8_t *sn_read_bytes(sn_byte_reader *reader, uint64_t count);
SN_API uint8_t sn_read_u8(sn_byte_reader *reader);
SN_API uint32_t sn_read_u32(sn_byte_reader *reader);
SN_API uint64_t sn_read_u64(sn_byte_reader *reader);
SN_API double sn_read_f64(sn_byte_reader *reader);

// The same numbers at a fixed place.
static inline void sn_store_u32(uint8_t *place, uint32_t value)
{
    place[0] = (uint8_t)value;
    place[1] = (uint8_t)(value >> 8);
    place[2] = (uint8_t)(value >> 16);
    place[3] = (uint8_t)(value >> 24);
}

static inline void sn_store_u64(uint8_t *place, uint64_t value)
{
    sn_store_u32(place, (uint32_t)value);
    sn_store_u32(place + 4, (uint32_t)(value >> 32));
}

static inline uint32_t sn_fetch_u32(const uint8_t *place)
{
    return (uint32_t)place[0] | (uint32_t)place[1] << 8 | (uint32_t)place[2] << 16 |
           (uint32_t)place[3] << 24;
}

static inline uint64_t sn_fetch_u64(const uint8_t *place)
{
    return (uint64_t)sn_fetch_u32(place) | (uint64_t)sn_fetch_u32(place + 4) << 32;
}

// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) of the bytes, continuing `crc` (0 at the
// start). It finds every burst of up to 32 bits, so every single flipped bit.
SN_API uint32_t sn_crc32c(uint32_t crc, const void *data, size_t count);

#endif
