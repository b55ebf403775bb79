// Packs a series of equally long states. Every 8 bytes of a state are one word; each word is
// predicted from the words at the same place in earlier states, and only the bytes of the error are
// kept.
//
//     sn_frame_codec codec = {0};
//     sn_frame_codec_start(&codec, state_size, error);
//     for each frame: sn_frame_encode(&codec, state, key, &payload);
//
// The prediction is a polynomial through the last 0, 1, 2 or 3 values, taken on the bit patterns as
// integers modulo 2^64: exact, so the packing loses nothing and is the same on every machine. Among
// these orders each word uses the one that would have been best for the state before; packer and
// unpacker both know it. A key frame starts afresh (order 0: the word itself).
//
// Packed form: one half byte per word (its number of bytes, 0 to 8; two words to a byte, low half
// first), then those low bytes of the zigzag-coded errors. A state whose size is no multiple of 8
// is taken as if followed by zeros.
#ifndef SN_RECORD_FRAME_CODEC_H
#define SN_RECORD_FRAME_CODEC_H

#include "record/bytes.h"

#define SN_FRAME_PAST 4

typedef struct sn_frame_codec {
    size_t state_size; // bytes
    size_t words;
    uint64_t *block;
    uint64_t *past[SN_FRAME_PAST]; // in the block, words each: the states before, newest first
    int since_key;                 // how many of them count, those since the last key frame
} sn_frame_codec;

SN_API sn_status sn_frame_codec_start(sn_frame_codec *codec, size_t state_size, sn_error *error);
SN_API void sn_frame_codec_free(sn_frame_codec *codec);

// Appends the packed state to `out`; out->failed says when memory ran out.
SN_API void sn_frame_encode(sn_frame_codec *codec, const void *state, bool key, sn_bytes *out);

// True when `packed` has exactly the length that its half bytes say, for states of `state_size`.
SN_API bool sn_frame_check(const void *packed, size_t length, size_t state_size);

// Unpacks what sn_frame_check has accepted; `state` has state_size bytes. A first frame that is no
// key gives false.
SN_API bool sn_frame_decode(sn_frame_codec *codec, const void *packed, size_t length, bool key,
                            void *state);

#endif
