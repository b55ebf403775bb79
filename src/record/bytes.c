#include "record/bytes.h"

#include <string.h>

#include "base/memory.h"

void sn_bytes_free(sn_bytes *bytes)
{
    sn_free(bytes->data);
    *bytes = (sn_bytes){0};
}

void sn_bytes_clear(sn_bytes *bytes)
{
    bytes->count = 0;
    bytes->failed = false;
}

bool sn_bytes_reserve(sn_bytes *bytes, size_t more)
{
    if (bytes->failed || more > SIZE_MAX / 2 - bytes->count) {
        bytes->failed = true;
        return false;
    }
    size_t wanted = bytes->count + more;
    if (wanted <= bytes->capacity && bytes->data != NULL) {
        return true;
    }
    size_t room = bytes->capacity + bytes->capacity / 2;
    room = room < 64 ? 64 : room;
    room = room < wanted ? wanted : room;
    uint8_t *grown = sn_reallocate(bytes->data, room);
    if (grown == NULL) {
        bytes->failed = true;
        return false;
    }
    bytes->data = grown;
    bytes->capacity = room;
    return true;
}

void sn_bytes_put(sn_bytes *bytes, const void *data, size_t count)
{
    if (count > 0 && sn_bytes_reserve(bytes, count)) {
        memcpy(bytes->data + bytes->count, data, count);
        bytes->count += count;
    }
}

void sn_bytes_put_u8(sn_bytes *bytes, uint8_t value)
{
    sn_bytes_put(bytes, &value, 1);
}

void sn_bytes_put_u32(sn_bytes *bytes, uint32_t value)
{
    uint8_t place[4];
    sn_store_u32(place, value);
    sn_bytes_put(bytes, place, sizeof place);
}

void sn_bytes_put_u64(sn_bytes *bytes, uint64_t value)
{
    uint8_t place[8];
    sn_store_u64(place, value);
    sn_bytes_put(bytes, place, sizeof place);
}

void sn_bytes_put_f64(sn_bytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sn_bytes_put_u64(bytes, bits);
}

void sn_bytes_put_f32(sn_bytes *bytes, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sn_bytes_put_u32(bytes, bits);
}

const uint8_t *sn_read_bytes(sn_byte_reader *reader, uint64_t count)
{
    if (reader->failed || count > reader->count - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *place = reader->data + reader->at;
    reader->at += (size_t)count;
    return place;
}

uint8_t sn_read_u8(sn_byte_reader *reader)
{
    const uint8_t *place = sn_read_bytes(reader, 1);
    return place ? *place : 0;
}

uint32_t sn_read_u32(sn_byte_reader *reader)
{
    const uint8_t *place = sn_read_bytes(reader, 4);
    return place ? sn_fetch_u32(place) : 0;
}

uint64_t sn_read_u64(sn_byte_reader *reader)
{
    const uint8_t *place = sn_read_bytes(reader, 8);
    return place ? sn_fetch_u64(place) : 0;
}

double sn_read_f64(sn_byte_reader *reader)
{
    uint64_t bits = sn_read_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void sn_store_u32(uint8_t *place, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        place[i] = (uint8_t)(value >> (8 * i));
    }
}

void sn_store_u64(uint8_t *place, uint64_t value)
{
    for (int i = 0; i < 8; ++i) {
        place[i] = (uint8_t)(value >> (8 * i));
    }
}

uint32_t sn_fetch_u32(const uint8_t *place)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        value |= (uint32_t)place[i] << (8 * i);
    }
    return value;
}

uint64_t sn_fetch_u64(const uint8_t *place)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
        value |= (uint64_t)place[i] << (8 * i);
    }
    return value;
}

// One step of the division by the polynomial for each of the 16 values of four bits.
static const uint32_t crc_nibble[16] = {
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
    0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};

uint32_t sn_crc32c(uint32_t crc, const void *data, size_t count)
{
    const uint8_t *bytes = data;
    crc = ~crc;
    for (size_t i = 0; i < count; ++i) {
        crc = (crc >> 4) ^ crc_nibble[(crc ^ bytes[i]) & 15];
        crc = (crc >> 4) ^ crc_nibble[(crc ^ (bytes[i] >> 4)) & 15];
    }
    return ~crc;
}
