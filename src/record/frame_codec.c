#include "record/frame_codec.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sn_status sn_frame_codec_start(sn_frame_codec *codec, size_t state_size, sn_error *error)
{
    *codec = (sn_frame_codec){.state_size = state_size, .words = state_size / 8};
    codec->words += state_size % 8 != 0;
    if (codec->words > SIZE_MAX / (SN_FRAME_ORDERS * sizeof(uint64_t))) {
        return sn_fail_memory(error, SIZE_MAX);
    }
    size_t bytes = codec->words * SN_FRAME_ORDERS * sizeof(uint64_t);
    codec->past = sn_allocate_zero(bytes);
    return codec->past ? SN_OK : sn_fail_memory(error, bytes);
}

void sn_frame_codec_free(sn_frame_codec *codec)
{
    sn_free(codec->past);
    *codec = (sn_frame_codec){0};
}

// The value that continues p[0] (newest), p[1], p[2] as a polynomial of degree order - 1:
// backward differences, x = p0, 2 p0 - p1, 3 p0 - 3 p1 + p2.
static uint64_t predict(const uint64_t *p, int order)
{
    switch (order) {
    case 0:
        return 0;
    case 1:
        return p[0];
    case 2:
        return 2 * p[0] - p[1];
    default:
        return 3 * (p[0] - p[1]) + p[2];
    }
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

// The order that would have predicted the newest value p[0] best from those before it.
static int choose_order(const uint64_t *p, int known)
{
    int best = known > 0 ? 1 : 0;
    uint64_t least = UINT64_MAX;
    for (int order = 1; order < known; ++order) {
        uint64_t size = zigzag(p[0] - predict(p + 1, order));
        if (size < least) {
            least = size;
            best = order;
        }
    }
    return best;
}

static void remember(uint64_t *p, uint64_t word)
{
    p[3] = p[2];
    p[2] = p[1];
    p[1] = p[0];
    p[0] = word;
}

static unsigned byte_length(uint64_t code)
{
    unsigned length = 0;
    while (code != 0) {
        length += 1;
        code >>= 8;
    }
    return length;
}

// Bytes of the state that belong to word w: 8, less at the end.
static size_t word_size(size_t state_size, size_t w)
{
    size_t rest = state_size - 8 * w;
    return rest < 8 ? rest : 8;
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
    for (size_t w = 0; w < codec->words; ++w) {
        uint64_t *p = codec->past + SN_FRAME_ORDERS * w;
        uint8_t place[8] = {0};
        memcpy(place, (const uint8_t *)state + 8 * w, word_size(codec->state_size, w));
        uint64_t word = sn_fetch_u64(place);
        uint64_t code = zigzag(word - predict(p, choose_order(p, codec->since_key)));
        unsigned length = byte_length(code);
        lengths[w / 2] |= (uint8_t)(length << (4 * (w % 2)));
        for (unsigned i = 0; i < length; ++i) {
            *body++ = (uint8_t)(code >> (8 * i));
        }
        remember(p, word);
    }
    codec->since_key += codec->since_key < SN_FRAME_ORDERS;
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

bool sn_frame_decode(sn_frame_codec *codec, const void *packed, size_t length, bool key,
                     void *state)
{
    if ((!key && codec->since_key == 0) || !sn_frame_check(packed, length, codec->state_size)) {
        return false;
    }
    const uint8_t *lengths = packed;
    const uint8_t *body = lengths + codec->words / 2 + codec->words % 2;
    codec->since_key = key ? 0 : codec->since_key;
    for (size_t w = 0; w < codec->words; ++w) {
        uint64_t *p = codec->past + SN_FRAME_ORDERS * w;
        unsigned count = (lengths[w / 2] >> (4 * (w % 2))) & 15;
        uint64_t code = 0;
        for (unsigned i = 0; i < count; ++i) {
            code |= (uint64_t)*body++ << (8 * i);
        }
        uint64_t word = zigzag_back(code) + predict(p, choose_order(p, codec->since_key));
        uint8_t place[8];
        sn_store_u64(place, word);
        memcpy((uint8_t *)state + 8 * w, place, word_size(codec->state_size, w));
        remember(p, word);
    }
    codec->since_key += codec->since_key < SN_FRAME_ORDERS;
    return true;
}
