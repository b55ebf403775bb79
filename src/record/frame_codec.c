#include "record/frame_codec.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sn_status sn_frame_codec_start(sn_frame_codec *codec, size_t state_size, sn_error *error)
{
    *codec = (sn_frame_codec){.state_size = state_size, .words = state_size / 8};
    codec->words += state_size % 8 != 0;
    if (codec->words > SIZE_MAX / (SN_FRAME_PAST * sizeof(uint64_t))) {
        return sn_fail_memory(error, SIZE_MAX);
    }
    size_t bytes = codec->words * SN_FRAME_PAST * sizeof(uint64_t);
    codec->block = sn_allocate_zero(bytes);
    if (codec->block == NULL) {
        return sn_fail_memory(error, bytes);
    }
    for (int i = 0; i < SN_FRAME_PAST; ++i) {
        codec->past[i] = codec->block + (size_t)i * codec->words;
    }
    return SN_OK;
}

void sn_frame_codec_free(sn_frame_codec *codec)
{
    sn_free(codec->block);
    *codec = (sn_frame_codec){0};
}

// Small errors of either sign become small numbers: 0, -1, 1, -2 ... -> 0, 1, 2, 3 ...
static uint64_t zigzag(uint64_t error)
{
    return (error << 1) ^ (0 - (error >> 63));
}

static uint64_t zigzag_back(uint64_t code)
{
    return (code >> 1) ^ (0 - (code & 1));
}

// The next value after p0 (newest), p1, p2, p3, of which the first `known` count: the polynomial of
// that order which would have predicted p0 best. Backward differences: the continuation of order 1
// is p0, of order 2 is 2 p0 - p1, of order 3 is 3 p0 - 3 p1 + p2.
static uint64_t predict(int known, uint64_t p0, uint64_t p1, uint64_t p2, uint64_t p3)
{
    if (known < 3) {
        return known > 0 ? p0 : 0;
    }
    uint64_t least = zigzag(p0 - p1), prediction = p0;
    uint64_t second = zigzag(p0 - (2 * p1 - p2));
    if (second < least) {
        least = second;
        prediction = 2 * p0 - p1;
    }
    uint64_t third = known > 3 ? zigzag(p0 - (3 * (p1 - p2) + p3)) : UINT64_MAX;
    return third < least ? 3 * (p0 - p1) + p2 : prediction;
}

static unsigned byte_length(uint64_t code)
{
    return (code != 0) + (code >> 8 != 0) + (code >> 16 != 0) + (code >> 24 != 0) +
           (code >> 32 != 0) + (code >> 40 != 0) + (code >> 48 != 0) + (code >> 56 != 0);
}

// The newest state, whose words have taken the oldest one's place, comes to the front.
static void turn_past(sn_frame_codec *codec)
{
    uint64_t *newest = codec->past[SN_FRAME_PAST - 1];
    for (int i = SN_FRAME_PAST - 1; i > 0; --i) {
        codec->past[i] = codec->past[i - 1];
    }
    codec->past[0] = newest;
    codec->since_key += codec->since_key < SN_FRAME_PAST;
}

// Word w of a state, zeros filling the last.
static uint64_t state_word(const uint8_t *state, size_t size, size_t w)
{
    if (size - 8 * w >= 8) {
        return sn_fetch_u64(state + 8 * w);
    }
    uint8_t place[8] = {0};
    memcpy(place, state + 8 * w, size - 8 * w);
    return sn_fetch_u64(place);
}

void sn_frame_encode(sn_frame_codec *codec, const void *state, bool key, sn_bytes *out)
{
    size_t halves = codec->words / 2 + codec->words % 2;
    if (!sn_bytes_reserve(out, halves + 8 * codec->words)) {
        return;
    }
    uint8_t *lengths = out->data + out->count;
    uint8_t *body = lengths + halves;
    memset(lengths, 0, halves);
    codec->since_key = key ? 0 : codec->since_key;
    const uint64_t *p0 = codec->past[0], *p1 = codec->past[1], *p2 = codec->past[2];
    uint64_t *p3 = codec->past[3];
    for (size_t w = 0; w < codec->words; ++w) {
        uint64_t word = state_word(state, codec->state_size, w);
        uint64_t code = zigzag(word - predict(codec->since_key, p0[w], p1[w], p2[w], p3[w]));
        unsigned length = byte_length(code);
        lengths[w / 2] |= (uint8_t)(length << (4 * (w % 2)));
        sn_store_u64(body, code); // what is too much is overwritten by the next; the last has room
        body += length;
        p3[w] = word;
    }
    turn_past(codec);
    out->count = (size_t)(body - out->data);
}

bool sn_frame_check(const void *packed, size_t length, size_t state_size)
{
    size_t words = state_size / 8 + (state_size % 8 != 0);
    size_t halves = words / 2 + words % 2;
    if (halves > length) {
        return false;
    }
    const uint8_t *lengths = packed;
    size_t total = halves; // at most 17 halves: no overflow
    for (size_t i = 0; i < halves; ++i) {
        unsigned low = lengths[i] & 15, high = lengths[i] >> 4;
        if (low > 8 || high > 8 || (2 * i + 1 == words && high != 0)) {
            return false;
        }
        total += low + high;
    }
    return total == length;
}

// The low `count` bytes at `body`; eight are read at once where there are as many.
static uint64_t packed_code(const uint8_t *body, const uint8_t *end, unsigned count)
{
    if (end - body >= 8) {
        uint64_t code = sn_fetch_u64(body);
        return count == 8 ? code : code & ((UINT64_C(1) << (8 * count)) - 1);
    }
    uint8_t place[8] = {0};
    memcpy(place, body, count);
    return sn_fetch_u64(place);
}

static void put_state_word(uint8_t *state, size_t size, size_t w, uint64_t word)
{
    if (size - 8 * w >= 8) {
        sn_store_u64(state + 8 * w, word);
        return;
    }
    uint8_t place[8];
    sn_store_u64(place, word);
    memcpy(state + 8 * w, place, size - 8 * w);
}

bool sn_frame_decode(sn_frame_codec *codec, const void *packed, size_t length, bool key,
                     void *state)
{
    if ((!key && codec->since_key == 0) || !sn_frame_check(packed, length, codec->state_size)) {
        return false;
    }
    const uint8_t *lengths = packed;
    const uint8_t *body = lengths + codec->words / 2 + codec->words % 2;
    const uint8_t *end = lengths + length;
    codec->since_key = key ? 0 : codec->since_key;
    const uint64_t *p0 = codec->past[0], *p1 = codec->past[1], *p2 = codec->past[2];
    uint64_t *p3 = codec->past[3];
    for (size_t w = 0; w < codec->words; ++w) {
        unsigned count = (lengths[w / 2] >> (4 * (w % 2))) & 15;
        uint64_t code = packed_code(body, end, count);
        body += count;
        uint64_t word = zigzag_back(code) + predict(codec->since_key, p0[w], p1[w], p2[w], p3[w]);
        p3[w] = word;
        put_state_word(state, codec->state_size, w, word);
    }
    turn_past(codec);
    return true;
}
