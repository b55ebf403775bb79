#include "record/recording.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/world.h"
#include "record/bytes.h"
#include "record/frame_codec.h"
#include "record/source.h"
#include "record/tape.h"

typedef struct frame_entry {
    uint64_t offset; // of the chunk
    uint64_t length; // of its payload
    double time;
    uint64_t step;
    bool key;
} frame_entry;

// Steps from `first` on have this size, until the next run.
typedef struct size_run {
    uint64_t first;
    double size;
} size_run;

typedef struct jump_entry {
    uint64_t offset; // of the chunk
    uint64_t length; // of its payload
    uint64_t step;   // the last one before it
} jump_entry;

#define FRAME_HEAD 17 // time, step, key: what stands before the packed state
#define JUMP_HEAD  9  // step, wakes: what stands before the state

struct sn_recording {
    char *name;
    sn_source source;
    uint64_t seed, state_size, start_step, start_hash;
    char *version, *scene_text;
    size_t scene_length;
    SN_ARRAY(char *) bodies;
    SN_ARRAY(frame_entry) frames;
    SN_ARRAY(uint64_t) hashes; // of step 1 and up
    SN_ARRAY(size_run) sizes;
    SN_ARRAY(jump_entry) jumps;
    bool complete;
    uint64_t sound; // bytes up to the end of the last sound chunk
    sn_frame_codec codec;
    uint8_t *state; // the frame last unpacked
    int decoded;    // its number, -1: none
};

// What came of looking at one chunk. Damage is no failure: it ends the sound part.
typedef enum chunk_verdict {
    CHUNK_SOUND,
    CHUNK_DAMAGED,
    CHUNK_FAILED, // memory or the disk; the error is filled in
} chunk_verdict;

typedef struct chunk_view {
    uint32_t type;
    uint64_t offset; // of the chunk
    uint64_t length; // of the payload
    const uint8_t *payload;
} chunk_view;

// ---- chunks ----

// Reads and checks the chunk at `offset`.
static chunk_verdict read_chunk(sn_recording *recording, uint64_t offset, chunk_view *chunk,
                                sn_error *error)
{
    sn_source *source = &recording->source;
    if (source->length - offset < SN_TAPE_CHUNK_SIZE) {
        return CHUNK_DAMAGED;
    }
    const uint8_t *data;
    if (sn_source_read(source, recording->name, offset, SN_TAPE_CHUNK_SIZE, &data, error) !=
        SN_OK) {
        return CHUNK_FAILED;
    }
    chunk->offset = offset;
    chunk->type = sn_fetch_u32(data);
    chunk->length = sn_fetch_u64(data + 8);
    if (chunk->length > source->length - offset - SN_TAPE_CHUNK_SIZE) {
        return CHUNK_DAMAGED;
    }
    uint64_t whole = SN_TAPE_CHUNK_SIZE + chunk->length;
    if (sn_source_read(source, recording->name, offset, whole, &data, error) != SN_OK) {
        return CHUNK_FAILED;
    }
    chunk->payload = data + SN_TAPE_CHUNK_SIZE;
    uint32_t checksum = sn_tape_checksum(data, chunk->payload, (size_t)chunk->length);
    return checksum == sn_fetch_u32(data + 4) ? CHUNK_SOUND : CHUNK_DAMAGED;
}

static sn_byte_reader payload_reader(const chunk_view *chunk)
{
    return (sn_byte_reader){.data = chunk->payload, .count = (size_t)chunk->length};
}

static chunk_verdict out_of_memory(sn_error *error, size_t bytes)
{
    sn_fail_memory(error, bytes);
    return CHUNK_FAILED;
}

// A length and that many characters, copied with a zero behind them.
static chunk_verdict read_text(sn_byte_reader *reader, char **text, size_t *length, sn_error *error)
{
    uint64_t count = sn_read_u64(reader);
    const uint8_t *characters = sn_read_bytes(reader, count);
    if (characters == NULL) {
        return CHUNK_DAMAGED;
    }
    *text = sn_allocate((size_t)count + 1);
    if (*text == NULL) {
        return out_of_memory(error, (size_t)count + 1);
    }
    memcpy(*text, characters, (size_t)count);
    (*text)[count] = '\0';
    *length = (size_t)count;
    return CHUNK_SOUND;
}

static chunk_verdict read_header(sn_recording *recording, const chunk_view *chunk, sn_error *error)
{
    sn_byte_reader reader = payload_reader(chunk);
    recording->seed = sn_read_u64(&reader);
    recording->state_size = sn_read_u64(&reader);
    recording->start_step = sn_read_u64(&reader);
    recording->start_hash = sn_read_u64(&reader);
    size_t length;
    chunk_verdict verdict = read_text(&reader, &recording->version, &length, error);
    if (verdict == CHUNK_SOUND) {
        verdict = read_text(&reader, &recording->scene_text, &recording->scene_length, error);
    }
    uint64_t count = sn_read_u64(&reader);
    for (uint64_t i = 0; i < count && verdict == CHUNK_SOUND; ++i) {
        char *name = NULL;
        verdict = read_text(&reader, &name, &length, error);
        if (verdict == CHUNK_SOUND && !sn_array_push(&recording->bodies, name)) {
            sn_free(name);
            return out_of_memory(error, sizeof name);
        }
    }
    bool whole = !reader.failed && reader.at == reader.count && recording->state_size <= SIZE_MAX;
    return verdict == CHUNK_SOUND && !whole ? CHUNK_DAMAGED : verdict;
}

static chunk_verdict read_frame(sn_recording *recording, const chunk_view *chunk, sn_error *error)
{
    sn_byte_reader reader = payload_reader(chunk);
    frame_entry entry = {.offset = chunk->offset, .length = chunk->length};
    entry.time = sn_read_f64(&reader);
    entry.step = sn_read_u64(&reader);
    uint8_t key = sn_read_u8(&reader);
    entry.key = key == 1;
    if (reader.failed || key > 1 || !isfinite(entry.time) ||
        !sn_frame_check(chunk->payload + FRAME_HEAD, (size_t)chunk->length - FRAME_HEAD,
                        (size_t)recording->state_size)) {
        return CHUNK_DAMAGED;
    }
    if (recording->frames.count == 0) {
        if (!entry.key || entry.step != recording->start_step) {
            return CHUNK_DAMAGED;
        }
    } else {
        const frame_entry *last = &recording->frames.data[recording->frames.count - 1];
        if (entry.step <= last->step || !(entry.time >= last->time)) {
            return CHUNK_DAMAGED;
        }
    }
    return sn_array_push(&recording->frames, entry) ? CHUNK_SOUND
                                                    : out_of_memory(error, sizeof entry);
}

static bool push_size(sn_recording *recording, uint64_t step, double size)
{
    if (recording->sizes.count > 0) {
        const size_run *last = &recording->sizes.data[recording->sizes.count - 1];
        if (memcmp(&last->size, &size, sizeof size) == 0) {
            return true;
        }
    }
    size_run run = {step, size};
    return sn_array_push(&recording->sizes, run);
}

static chunk_verdict read_hashes(sn_recording *recording, const chunk_view *chunk, sn_error *error)
{
    sn_byte_reader reader = payload_reader(chunk);
    uint64_t first = sn_read_u64(&reader);
    uint64_t count = sn_read_u32(&reader);
    uint8_t mode = sn_read_u8(&reader);
    uint64_t size_count = mode == 0 ? 1 : count;
    if (reader.failed || mode > 1 || count == 0 || first != (uint64_t)recording->hashes.count + 1 ||
        reader.count - reader.at != 8 * (size_count + count) ||
        count > (uint64_t)(INT_MAX - recording->hashes.count)) {
        return CHUNK_DAMAGED;
    }
    sn_byte_reader check = reader;
    for (uint64_t i = 0; i < size_count; ++i) {
        if (!isfinite(sn_read_f64(&check))) {
            return CHUNK_DAMAGED;
        }
    }
    if (!sn_array_reserve(&recording->hashes, recording->hashes.count + (int)count)) {
        return out_of_memory(error, 8 * (size_t)count);
    }
    for (uint64_t i = 0; i < size_count; ++i) {
        if (!push_size(recording, first + i, sn_read_f64(&reader))) {
            return out_of_memory(error, sizeof(size_run));
        }
    }
    for (uint64_t i = 0; i < count; ++i) {
        recording->hashes.data[recording->hashes.count++] = sn_read_u64(&reader);
    }
    return CHUNK_SOUND;
}

// Comes behind the hashes of all steps before it.
static chunk_verdict read_jump(sn_recording *recording, const chunk_view *chunk, sn_error *error)
{
    sn_byte_reader reader = payload_reader(chunk);
    jump_entry entry = {.offset = chunk->offset, .length = chunk->length};
    entry.step = sn_read_u64(&reader);
    uint8_t wakes = sn_read_u8(&reader);
    if (reader.failed || wakes > 1 || entry.step != (uint64_t)recording->hashes.count ||
        reader.count - reader.at < recording->state_size) {
        return CHUNK_DAMAGED;
    }
    return sn_array_push(&recording->jumps, entry) ? CHUNK_SOUND
                                                   : out_of_memory(error, sizeof entry);
}

static chunk_verdict read_end(sn_recording *recording, const chunk_view *chunk)
{
    sn_byte_reader reader = payload_reader(chunk);
    bool right = sn_read_u64(&reader) == (uint64_t)recording->frames.count;
    right = sn_read_u64(&reader) == (uint64_t)recording->hashes.count && right;
    for (int i = 0; i < recording->frames.count && right; ++i) {
        right = sn_read_u64(&reader) == recording->frames.data[i].offset;
    }
    recording->complete = right && !reader.failed && reader.at == reader.count;
    return recording->complete ? CHUNK_SOUND : CHUNK_DAMAGED;
}

// ---- opening ----

static sn_status check_prefix(sn_recording *recording, sn_error *error)
{
    const uint8_t *data = NULL;
    if (recording->source.length >= SN_TAPE_PREFIX_SIZE) {
        sn_status status = sn_source_read(&recording->source, recording->name, 0,
                                          SN_TAPE_PREFIX_SIZE, &data, error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (data == NULL || memcmp(data, SN_TAPE_MAGIC, SN_TAPE_MAGIC_SIZE) != 0 ||
        sn_fetch_u32(data + 12) != sn_crc32c(0, data, 12)) {
        return sn_fail(error, SN_ERROR_FORMAT, recording->name, "is not a Sinew recording");
    }
    uint32_t version = sn_fetch_u32(data + 8);
    if (version != SN_TAPE_VERSION) {
        return sn_fail(error, SN_ERROR_FORMAT, recording->name,
                       "is a recording of format version %u, expected %d%s", (unsigned)version,
                       SN_TAPE_VERSION,
                       version < SN_TAPE_VERSION
                           ? "; its states lack what bodies remember: run its scene again"
                           : "");
    }
    recording->sound = SN_TAPE_PREFIX_SIZE;
    return SN_OK;
}

// Files away one chunk whose checksum is right. Types of a later minor version are passed over.
static chunk_verdict take_chunk(sn_recording *recording, const chunk_view *chunk, sn_error *error)
{
    switch (chunk->type) {
    case SN_TAPE_FRAME:
        return read_frame(recording, chunk, error);
    case SN_TAPE_HASHES:
        return read_hashes(recording, chunk, error);
    case SN_TAPE_JUMP:
        return read_jump(recording, chunk, error);
    case SN_TAPE_END:
        return read_end(recording, chunk);
    case SN_TAPE_HEADER:
        return CHUNK_DAMAGED;
    default:
        return CHUNK_SOUND;
    }
}

static sn_status scan(sn_recording *recording, sn_error *error)
{
    sn_status status = check_prefix(recording, error);
    if (status != SN_OK) {
        return status;
    }
    sn_error failure = {0};
    chunk_view chunk;
    chunk_verdict verdict = read_chunk(recording, recording->sound, &chunk, &failure);
    if (verdict == CHUNK_SOUND) {
        verdict =
            chunk.type == SN_TAPE_HEADER ? read_header(recording, &chunk, &failure) : CHUNK_DAMAGED;
    }
    if (verdict == CHUNK_DAMAGED) {
        return sn_fail(error, SN_ERROR_FORMAT, recording->name,
                       "its header is damaged or cut short, nothing can be read");
    }
    while (verdict == CHUNK_SOUND && !recording->complete) {
        recording->sound = chunk.offset + SN_TAPE_CHUNK_SIZE + chunk.length;
        verdict = read_chunk(recording, recording->sound, &chunk, &failure);
        if (verdict == CHUNK_SOUND) {
            verdict = take_chunk(recording, &chunk, &failure);
        }
    }
    if (verdict == CHUNK_FAILED) {
        return sn_fail(error, failure.code, failure.place, "%s", failure.text);
    }
    if (recording->complete) {
        recording->sound = chunk.offset + SN_TAPE_CHUNK_SIZE + chunk.length;
    }
    return SN_OK;
}

// Takes over the source, and closes it on failure.
static sn_status open_source(const char *name, sn_source source, sn_recording **recording,
                             sn_error *error)
{
    *recording = NULL;
    sn_recording *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        sn_source_close(&source);
        return sn_fail_memory(error, sizeof *made);
    }
    made->source = source;
    made->decoded = -1;
    made->name = sn_copy_text(name);
    sn_status status = made->name ? scan(made, error) : sn_fail_memory(error, strlen(name) + 1);
    if (status != SN_OK) {
        sn_recording_close(made);
        return status;
    }
    *recording = made;
    return SN_OK;
}

sn_status sn_recording_open(const char *path, sn_recording **recording, sn_error *error)
{
    *recording = NULL;
    sn_source source;
    sn_status status = sn_source_open(&source, path, error);
    return status == SN_OK ? open_source(path, source, recording, error) : status;
}

sn_status sn_recording_open_bytes(const char *name, const void *bytes, size_t length,
                                  sn_recording **recording, sn_error *error)
{
    sn_source source = {.descriptor = -1, .bytes = bytes, .length = bytes ? length : 0};
    return open_source(name ? name : "recording", source, recording, error);
}

void sn_recording_close(sn_recording *recording)
{
    if (recording == NULL) {
        return;
    }
    sn_source_close(&recording->source);
    for (int i = 0; i < recording->bodies.count; ++i) {
        sn_free(recording->bodies.data[i]);
    }
    sn_array_free(&recording->bodies);
    sn_array_free(&recording->frames);
    sn_array_free(&recording->hashes);
    sn_array_free(&recording->sizes);
    sn_array_free(&recording->jumps);
    sn_frame_codec_free(&recording->codec);
    sn_free(recording->state);
    sn_free(recording->name);
    sn_free(recording->version);
    sn_free(recording->scene_text);
    sn_free(recording);
}

// ---- asking ----

sn_recording_info sn_recording_get_info(const sn_recording *recording)
{
    int frames = recording->frames.count;
    return (sn_recording_info){
        .version = recording->version,
        .scene_text = recording->scene_text,
        .scene_length = recording->scene_length,
        .seed = recording->seed,
        .frame_count = frames,
        .step_count = (uint64_t)recording->hashes.count,
        .start_time = sn_recording_frame_time(recording, 0),
        .end_time = sn_recording_frame_time(recording, frames - 1),
        .complete = recording->complete,
        .lost_bytes = recording->source.length - recording->sound,
    };
}

int sn_recording_body_count(const sn_recording *recording)
{
    return recording->bodies.count;
}

const char *sn_recording_body_name(const sn_recording *recording, int body)
{
    return body >= 0 && body < recording->bodies.count ? recording->bodies.data[body] : NULL;
}

double sn_recording_frame_time(const sn_recording *recording, int frame)
{
    return frame >= 0 && frame < recording->frames.count ? recording->frames.data[frame].time : 0.0;
}

uint64_t sn_recording_hash(const sn_recording *recording, uint64_t step)
{
    if (step == 0) {
        return recording->start_hash;
    }
    return step <= (uint64_t)recording->hashes.count ? recording->hashes.data[step - 1] : 0;
}

double sn_recording_step_size(const sn_recording *recording, uint64_t step)
{
    if (step == 0 || step > (uint64_t)recording->hashes.count) {
        return 0.0;
    }
    int low = 0, high = recording->sizes.count; // the run that holds the step is in [low, high)
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (recording->sizes.data[middle].first <= step) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return recording->sizes.data[low].size;
}

// ---- frames ----

static sn_status start_decoder(sn_recording *recording, sn_error *error)
{
    if (recording->state != NULL) {
        return SN_OK;
    }
    size_t size = (size_t)recording->state_size;
    sn_status status = sn_frame_codec_start(&recording->codec, size, error);
    if (status != SN_OK) {
        return status;
    }
    recording->state = sn_allocate(size);
    if (recording->state == NULL) {
        sn_frame_codec_free(&recording->codec);
        return sn_fail_memory(error, size);
    }
    return SN_OK;
}

static sn_status decode(sn_recording *recording, int frame, sn_error *error)
{
    const frame_entry *entry = &recording->frames.data[frame];
    chunk_view chunk = {0};
    sn_error failure = {0};
    chunk_verdict verdict = read_chunk(recording, entry->offset, &chunk, &failure);
    if (verdict == CHUNK_FAILED) {
        return sn_fail(error, failure.code, failure.place, "%s", failure.text);
    }
    if (verdict == CHUNK_DAMAGED || chunk.length != entry->length ||
        !sn_frame_decode(&recording->codec, chunk.payload + FRAME_HEAD,
                         (size_t)chunk.length - FRAME_HEAD, entry->key, recording->state)) {
        return sn_fail(error, SN_ERROR_FORMAT, recording->name,
                       "frame %d changed after the recording was opened", frame);
    }
    return SN_OK;
}

sn_status sn_recording_frame_state(sn_recording *recording, int frame, const void **state,
                                   size_t *size, sn_error *error)
{
    if (frame < 0 || frame >= recording->frames.count) {
        return sn_fail(error, SN_ERROR_ARGUMENT, recording->name,
                       "frame %d does not exist, expected 0 to %d", frame,
                       recording->frames.count - 1);
    }
    sn_status status = start_decoder(recording, error);
    // From where we are, or from the last key frame when that is nearer or behind us.
    int from = frame;
    while (!recording->frames.data[from].key && from != recording->decoded + 1) {
        from -= 1;
    }
    from = recording->decoded == frame ? frame + 1 : from;
    for (int i = from; i <= frame && status == SN_OK; ++i) {
        status = decode(recording, i, error);
        recording->decoded = status == SN_OK ? i : -1;
    }
    if (status == SN_OK) {
        *state = recording->state;
        *size = (size_t)recording->state_size;
    }
    return status;
}

sn_status sn_recording_frame(sn_recording *recording, int frame, sn_world *world, sn_error *error)
{
    const void *state;
    size_t size;
    sn_status status = sn_recording_frame_state(recording, frame, &state, &size, error);
    if (status != SN_OK) {
        return status;
    }
    if (size != sn_world_state_size(world)) {
        return sn_fail(error, SN_ERROR_MISMATCH, recording->name,
                       "its states have %zu bytes, the world's have %zu: not the same bodies", size,
                       sn_world_state_size(world));
    }
    return sn_world_load_state(world, state, size, error);
}

// ---- jumps ----

static sn_status load_jump(sn_recording *recording, const jump_entry *entry, sn_world *world,
                           sn_error *error)
{
    chunk_view chunk = {0};
    sn_error failure = {0};
    chunk_verdict verdict = read_chunk(recording, entry->offset, &chunk, &failure);
    if (verdict == CHUNK_FAILED) {
        return sn_fail(error, failure.code, failure.place, "%s", failure.text);
    }
    if (verdict == CHUNK_DAMAGED || chunk.length != entry->length) {
        return sn_fail(error, SN_ERROR_FORMAT, recording->name,
                       "the jump after step %llu changed after the recording was opened",
                       (unsigned long long)entry->step);
    }
    const uint8_t *state = chunk.payload + JUMP_HEAD;
    size_t size = (size_t)recording->state_size;
    sn_status status = sn_world_load_state(world, state, size, error);
    if (status == SN_OK) {
        status = sn_world_load_contact_memory(world, state + size,
                                              (size_t)chunk.length - JUMP_HEAD - size, error);
    }
    if (status == SN_OK && chunk.payload[JUMP_HEAD - 1] == 1) {
        sn_world_touch(world);
    }
    return status;
}

sn_status sn_recording_jump(sn_recording *recording, uint64_t step, sn_world *world,
                            sn_error *error)
{
    int low = 0, high = recording->jumps.count; // the first jump at or after the step
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (recording->jumps.data[middle].step < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    sn_status status = SN_OK;
    for (; status == SN_OK && low < recording->jumps.count; ++low) {
        const jump_entry *entry = &recording->jumps.data[low];
        if (entry->step != step) {
            break;
        }
        status = load_jump(recording, entry, world, error);
    }
    return status;
}
