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

// What each half byte of a 32-bit word contributes to the remainder after the whole word: row k for
// the half byte at bit 4 k. The division is linear, so that the eight can be looked up
// independently.
static const uint32_t crc_nibble[8][16] = {
    {0x00000000, 0xDD45AAB8, 0xBF672381, 0x62228939, 0x7B2231F3, 0xA6679B4B, 0xC4451272, 0x1900B8CA,
     0xF64463E6, 0x2B01C95E, 0x49234067, 0x9466EADF, 0x8D665215, 0x5023F8AD, 0x32017194,
     0xEF44DB2C},
    {0x00000000, 0xE964B13D, 0xD725148B, 0x3E41A5B6, 0xABA65FE7, 0x42C2EEDA, 0x7C834B6C, 0x95E7FA51,
     0x52A0C93F, 0xBBC47802, 0x8585DDB4, 0x6CE16C89, 0xF90696D8, 0x106227E5, 0x2E238253,
     0xC747336E},
    {0x00000000, 0xA541927E, 0x4F6F520D, 0xEA2EC073, 0x9EDEA41A, 0x3B9F3664, 0xD1B1F617, 0x74F06469,
     0x38513EC5, 0x9D10ACBB, 0x773E6CC8, 0xD27FFEB6, 0xA68F9ADF, 0x03CE08A1, 0xE9E0C8D2,
     0x4CA15AAC},
    {0x00000000, 0x70A27D8A, 0xE144FB14, 0x91E6869E, 0xC76580D9, 0xB7C7FD53, 0x26217BCD, 0x56830647,
     0x8B277743, 0xFB850AC9, 0x6A638C57, 0x1AC1F1DD, 0x4C42F79A, 0x3CE08A10, 0xAD060C8E,
     0xDDA47104},
    {0x00000000, 0x13A29877, 0x274530EE, 0x34E7A899, 0x4E8A61DC, 0x5D28F9AB, 0x69CF5132, 0x7A6DC945,
     0x9D14C3B8, 0x8EB65BCF, 0xBA51F356, 0xA9F36B21, 0xD39EA264, 0xC03C3A13, 0xF4DB928A,
     0xE7790AFD},
    {0x00000000, 0x3FC5F181, 0x7F8BE302, 0x404E1283, 0xFF17C604, 0xC0D23785, 0x809C2506, 0xBF59D487,
     0xFBC3FAF9, 0xC4060B78, 0x844819FB, 0xBB8DE87A, 0x04D43CFD, 0x3B11CD7C, 0x7B5FDFFF,
     0x449A2E7E},
    {0x00000000, 0xF26B8303, 0xE13B70F7, 0x1350F3F4, 0xC79A971F, 0x35F1141C, 0x26A1E7E8, 0xD4CA64EB,
     0x8AD958CF, 0x78B2DBCC, 0x6BE22838, 0x9989AB3B, 0x4D43CFD0, 0xBF284CD3, 0xAC78BF27,
     0x5E133C24},
    {0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3, 0x61C69362, 0x7198540D,
     0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9, 0xC38D26C4, 0xD3D3E1AB, 0xE330A81A,
     0xF36E6F75},
};

uint32_t sn_crc32c(uint32_t crc, const void *data, size_t count)
{
    const uint8_t *bytes = data;
    crc = ~crc;
    for (; count >= 4; count -= 4, bytes += 4) {
        crc ^= sn_fetch_u32(bytes);
        crc = crc_nibble[0][crc & 15] ^ crc_nibble[1][crc >> 4 & 15] ^
              crc_nibble[2][crc >> 8 & 15] ^ crc_nibble[3][crc >> 12 & 15] ^
              crc_nibble[4][crc >> 16 & 15] ^ crc_nibble[5][crc >> 20 & 15] ^
              crc_nibble[6][crc >> 24 & 15] ^ crc_nibble[7][crc >> 28];
    }
    for (; count > 0; --count, ++bytes) {
        // One byte is the last two half bytes of a word: rows 6 and 7.
        crc ^= *bytes;
        crc = crc >> 8 ^ crc_nibble[6][crc & 15] ^ crc_nibble[7][crc >> 4 & 15];
    }
    return ~crc;
}
