// The recording file as it is written: chunks of plain bytes, with no idea of worlds or scenes. The
// format is described in docs/recording-format.md; this header holds its numbers.
//
//     sn_tape *tape = NULL;
//     sn_tape_open("run.snrec", &header, &tape, error);
//     sn_tape_frame(tape, 0.0, 0, state, error);
//     sn_tape_step(tape, 0.001, hash, error); // after every step
//     sn_tape_close(tape, error);
//
// Only whole chunks are handed to the operating system, at least every 16 ms. After a failure
// every call reports it again, writes nothing, and sn_tape_close still releases everything.
#ifndef SN_RECORD_TAPE_H
#define SN_RECORD_TAPE_H

#include "record/bytes.h"

// A text file that is opened as such, or went through a text-mode transfer, loses this mark.
#define SN_TAPE_MAGIC        "\x89SNREC\r\n"
#define SN_TAPE_MAGIC_SIZE   8
#define SN_TAPE_VERSION      2
#define SN_TAPE_PREFIX_SIZE  16   // magic, u32 version, u32 CRC-32C of both
#define SN_TAPE_CHUNK_SIZE   16   // u32 type, u32 CRC-32C of type, length and payload, u64 length
#define SN_TAPE_KEY_INTERVAL 64   // frames
#define SN_TAPE_BATCH        4096 // steps in a chunk of hashes, at most
#define SN_TAPE_TYPE(a, b, c, d)                                                                   \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define SN_TAPE_HEADER SN_TAPE_TYPE('H', 'E', 'A', 'D')
#define SN_TAPE_FRAME  SN_TAPE_TYPE('F', 'R', 'A', 'M')
#define SN_TAPE_HASHES SN_TAPE_TYPE('H', 'A', 'S', 'H')
#define SN_TAPE_JUMP   SN_TAPE_TYPE('J', 'U', 'M', 'P')
#define SN_TAPE_END    SN_TAPE_TYPE('D', 'O', 'N', 'E')

typedef struct sn_tape sn_tape;

typedef struct sn_tape_header {
    uint64_t seed;
    uint64_t state_size; // bytes of every frame's state
    uint64_t start_step; // the world's step count at the first frame
    uint64_t start_hash;
    const char *scene_text; // NULL: none
    size_t scene_length;
    const char *const *body_names; // body_count
    int body_count;
} sn_tape_header;

SN_API sn_status sn_tape_open(const char *path, const sn_tape_header *header, sn_tape **tape,
                              sn_error *error);
// The same into memory; see sn_output_open_memory.
SN_API sn_status sn_tape_open_memory(sn_bytes *sink, const sn_tape_header *header, sn_tape **tape,
                                     sn_error *error);
SN_API sn_status sn_tape_frame(sn_tape *tape, double time, uint64_t step, const void *state,
                               sn_error *error);
SN_API sn_status sn_tape_step(sn_tape *tape, double step_size, uint64_t hash, sn_error *error);

// What the next step starts from, where that is not what the step before has left.
typedef struct sn_tape_start {
    const void *state;  // state_size bytes
    const void *memory; // of contacts
    size_t memory_size;
    bool wakes; // something was changed from outside, so nothing sleeps in that step
} sn_tape_start;

SN_API sn_status sn_tape_jump(sn_tape *tape, const sn_tape_start *start, sn_error *error);
SN_API sn_status sn_tape_flush(sn_tape *tape, sn_error *error);
SN_API sn_status sn_tape_close(sn_tape *tape, sn_error *error);

// The CRC-32C that belongs into a chunk's header.
SN_API uint32_t sn_tape_checksum(const uint8_t *chunk_header, const uint8_t *payload,
                                 size_t length);

#endif
