#include "record/tape.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "record/bytes.h"
#include "record/frame_codec.h"
#include "record/output.h"

struct sn_tape {
    sn_output output;
    sn_frame_codec codec;
    uint64_t state_size;
    sn_bytes chunk;            // the chunk being built, its header in front
    SN_ARRAY(uint64_t) frames; // offset of every frame's chunk
    uint64_t steps;            // all steps told, pending ones included
    int pending;
    double sizes[SN_TAPE_BATCH];
    uint64_t hashes[SN_TAPE_BATCH];
    sn_error failure; // code SN_OK while all is well
};

uint32_t sn_tape_checksum(const uint8_t *chunk_header, const uint8_t *payload, size_t length)
{
    uint32_t crc = sn_crc32c(0, chunk_header, 4);
    crc = sn_crc32c(crc, chunk_header + 8, 8);
    return sn_crc32c(crc, payload, length);
}

// Remembers the first failure, so that later calls can tell it again.
static sn_status tape_fail(sn_tape *tape, sn_status status, sn_error *error)
{
    if (tape->failure.code == SN_OK) {
        tape->failure.code = status;
    }
    if (error != NULL) {
        *error = tape->failure;
    }
    return tape->failure.code;
}

static void chunk_begin(sn_tape *tape, uint32_t type)
{
    sn_bytes_clear(&tape->chunk);
    sn_bytes_put_u32(&tape->chunk, type);
    sn_bytes_put_u32(&tape->chunk, 0);
    sn_bytes_put_u64(&tape->chunk, 0);
}

// Fills in length and checksum, and appends the chunk.
static sn_status chunk_end(sn_tape *tape, sn_error *error)
{
    sn_bytes *chunk = &tape->chunk;
    if (chunk->failed) {
        return tape_fail(tape, sn_fail_memory(&tape->failure, chunk->count), error);
    }
    size_t length = chunk->count - SN_TAPE_CHUNK_SIZE;
    sn_store_u64(chunk->data + 8, length);
    sn_store_u32(chunk->data + 4,
                 sn_tape_checksum(chunk->data, chunk->data + SN_TAPE_CHUNK_SIZE, length));
    sn_status status = sn_output_put(&tape->output, chunk->data, chunk->count, &tape->failure);
    return status == SN_OK ? SN_OK : tape_fail(tape, status, error);
}

static void put_long_text(sn_bytes *bytes, const char *text, size_t length)
{
    sn_bytes_put_u64(bytes, length);
    sn_bytes_put(bytes, text, length);
}

static sn_status write_header(sn_tape *tape, const sn_tape_header *header, sn_error *error)
{
    uint8_t prefix[SN_TAPE_PREFIX_SIZE];
    memcpy(prefix, SN_TAPE_MAGIC, SN_TAPE_MAGIC_SIZE);
    sn_store_u32(prefix + 8, SN_TAPE_VERSION);
    sn_store_u32(prefix + 12, sn_crc32c(0, prefix, 12));
    sn_status status = sn_output_put(&tape->output, prefix, sizeof prefix, &tape->failure);
    if (status != SN_OK) {
        return tape_fail(tape, status, error);
    }

    chunk_begin(tape, SN_TAPE_HEADER);
    sn_bytes *chunk = &tape->chunk;
    sn_bytes_put_u64(chunk, header->seed);
    sn_bytes_put_u64(chunk, header->state_size);
    sn_bytes_put_u64(chunk, header->start_step);
    sn_bytes_put_u64(chunk, header->start_hash);
    put_long_text(chunk, sn_version(), strlen(sn_version()));
    put_long_text(chunk, header->scene_text, header->scene_text ? header->scene_length : 0);
    sn_bytes_put_u64(chunk, (uint64_t)header->body_count);
    for (int i = 0; i < header->body_count; ++i) {
        put_long_text(chunk, header->body_names[i], strlen(header->body_names[i]));
    }
    return chunk_end(tape, error);
}

// Onto a file, or where `path` is NULL into memory.
static sn_status open_tape(const char *path, sn_bytes *sink, const sn_tape_header *header,
                           sn_tape **tape, sn_error *error)
{
    *tape = NULL;
    sn_tape *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    made->state_size = header->state_size;
    sn_status status = sn_frame_codec_start(&made->codec, (size_t)header->state_size, error);
    if (status == SN_OK) {
        status = path != NULL ? sn_output_open(&made->output, path, error)
                              : sn_output_open_memory(&made->output, sink, error);
    }
    if (status == SN_OK) {
        status = write_header(made, header, error);
    }
    // A disk that is full from the start shows now, before hours of work are recorded to nowhere.
    if (status == SN_OK) {
        status = sn_tape_flush(made, error);
    }
    if (status != SN_OK) {
        sn_output_close(&made->output, false, NULL);
        sn_frame_codec_free(&made->codec);
        sn_bytes_free(&made->chunk);
        sn_free(made);
        return status;
    }
    *tape = made;
    return SN_OK;
}

sn_status sn_tape_open(const char *path, const sn_tape_header *header, sn_tape **tape,
                       sn_error *error)
{
    return open_tape(path, NULL, header, tape, error);
}

sn_status sn_tape_open_memory(sn_bytes *sink, const sn_tape_header *header, sn_tape **tape,
                              sn_error *error)
{
    return open_tape(NULL, sink, header, tape, error);
}

sn_status sn_tape_frame(sn_tape *tape, double time, uint64_t step, const void *state,
                        sn_error *error)
{
    if (tape->failure.code != SN_OK) {
        return tape_fail(tape, SN_OK, error);
    }
    if (!sn_array_push(&tape->frames, tape->output.length)) {
        return tape_fail(tape, sn_fail_memory(&tape->failure, 8), error);
    }
    bool key = (tape->frames.count - 1) % SN_TAPE_KEY_INTERVAL == 0;
    chunk_begin(tape, SN_TAPE_FRAME);
    sn_bytes_put_f64(&tape->chunk, time);
    sn_bytes_put_u64(&tape->chunk, step);
    sn_bytes_put_u8(&tape->chunk, key);
    sn_frame_encode(&tape->codec, state, key, &tape->chunk);
    sn_status status = chunk_end(tape, error);
    return status == SN_OK && sn_output_due(&tape->output) ? sn_tape_flush(tape, error) : status;
}

// The pending steps as one chunk. Most runs have one step size, which is then written once.
static sn_status write_hashes(sn_tape *tape, sn_error *error)
{
    if (tape->pending == 0) {
        return SN_OK;
    }
    bool same = true;
    for (int i = 1; i < tape->pending; ++i) {
        same = same && memcmp(&tape->sizes[i], &tape->sizes[0], sizeof tape->sizes[0]) == 0;
    }
    chunk_begin(tape, SN_TAPE_HASHES);
    sn_bytes_put_u64(&tape->chunk, tape->steps - (uint64_t)tape->pending + 1);
    sn_bytes_put_u32(&tape->chunk, (uint32_t)tape->pending);
    sn_bytes_put_u8(&tape->chunk, !same);
    for (int i = 0; i < (same ? 1 : tape->pending); ++i) {
        sn_bytes_put_f64(&tape->chunk, tape->sizes[i]);
    }
    for (int i = 0; i < tape->pending; ++i) {
        sn_bytes_put_u64(&tape->chunk, tape->hashes[i]);
    }
    tape->pending = 0;
    return chunk_end(tape, error);
}

sn_status sn_tape_step(sn_tape *tape, double step_size, uint64_t hash, sn_error *error)
{
    if (tape->failure.code != SN_OK) {
        return tape_fail(tape, SN_OK, error);
    }
    tape->sizes[tape->pending] = step_size;
    tape->hashes[tape->pending] = hash;
    tape->pending += 1;
    tape->steps += 1;
    if (sn_output_due(&tape->output)) {
        return sn_tape_flush(tape, error);
    }
    return tape->pending == SN_TAPE_BATCH ? write_hashes(tape, error) : SN_OK;
}

// Behind the hashes of all steps before it. Not packed: frames are predicted from frames alone.
sn_status sn_tape_jump(sn_tape *tape, const sn_tape_start *start, sn_error *error)
{
    if (tape->failure.code != SN_OK) {
        return tape_fail(tape, SN_OK, error);
    }
    sn_status status = write_hashes(tape, error);
    if (status != SN_OK) {
        return status;
    }
    chunk_begin(tape, SN_TAPE_JUMP);
    sn_bytes_put_u64(&tape->chunk, tape->steps);
    sn_bytes_put_u8(&tape->chunk, start->wakes);
    sn_bytes_put(&tape->chunk, start->state, (size_t)tape->state_size);
    sn_bytes_put(&tape->chunk, start->memory, start->memory_size);
    return chunk_end(tape, error);
}

sn_status sn_tape_flush(sn_tape *tape, sn_error *error)
{
    if (tape->failure.code != SN_OK) {
        return tape_fail(tape, SN_OK, error);
    }
    sn_status status = write_hashes(tape, error);
    if (status != SN_OK) {
        return status;
    }
    status = sn_output_flush(&tape->output, &tape->failure);
    return status == SN_OK ? SN_OK : tape_fail(tape, status, error);
}

static sn_status write_end(sn_tape *tape, sn_error *error)
{
    chunk_begin(tape, SN_TAPE_END);
    sn_bytes_put_u64(&tape->chunk, (uint64_t)tape->frames.count);
    sn_bytes_put_u64(&tape->chunk, tape->steps);
    for (int i = 0; i < tape->frames.count; ++i) {
        sn_bytes_put_u64(&tape->chunk, tape->frames.data[i]);
    }
    return chunk_end(tape, error);
}

sn_status sn_tape_close(sn_tape *tape, sn_error *error)
{
    if (tape == NULL) {
        return SN_OK;
    }
    sn_status status = tape->failure.code;
    if (status != SN_OK) {
        tape_fail(tape, status, error);
    } else {
        status = write_hashes(tape, error);
        status = status == SN_OK ? write_end(tape, error) : status;
    }
    sn_status closed = sn_output_close(&tape->output, true, status == SN_OK ? error : NULL);
    sn_frame_codec_free(&tape->codec);
    sn_bytes_free(&tape->chunk);
    sn_array_free(&tape->frames);
    sn_free(tape);
    return status == SN_OK ? closed : status;
}
