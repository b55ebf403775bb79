// Fuzzes the recording reader: opens the bytes, decodes every frame in two orders and asks
// everything. The first byte decides whether the checksums are made right first, so that the fuzzer
// gets past them.
#include <stdlib.h>
#include <string.h>

#include "record/bytes.h"
#include "record/tape.h"
#include "sinew/record.h"

static void repair_checksums(uint8_t *data, size_t size)
{
    if (size < SN_TAPE_PREFIX_SIZE) {
        return;
    }
    sn_store_u32(data + 12, sn_crc32c(0, data, 12));
    for (size_t at = SN_TAPE_PREFIX_SIZE; size - at >= SN_TAPE_CHUNK_SIZE;) {
        uint64_t length = sn_fetch_u64(data + at + 8);
        if (length > size - at - SN_TAPE_CHUNK_SIZE) {
            return;
        }
        uint8_t *payload = data + at + SN_TAPE_CHUNK_SIZE;
        sn_store_u32(data + at + 4, sn_tape_checksum(data + at, payload, (size_t)length));
        at += SN_TAPE_CHUNK_SIZE + (size_t)length;
    }
}

// The state is read to its last byte, so that the sanitizers see whether it is all there.
static uint64_t decode(sn_recording *recording, int frame)
{
    const void *state = NULL;
    size_t size = 0;
    sn_error error = {0};
    if (sn_recording_frame_state(recording, frame, &state, &size, &error) != SN_OK) {
        abort(); // a frame that was listed must decode
    }
    return sn_crc32c(0, state, size);
}

static void ask_everything(sn_recording *recording)
{
    sn_recording_info info = sn_recording_get_info(recording);
    if (strlen(info.version) == SIZE_MAX || info.scene_text[info.scene_length] != '\0') {
        abort();
    }
    for (int i = 0; i < sn_recording_body_count(recording); ++i) {
        if (strlen(sn_recording_body_name(recording, i)) == SIZE_MAX) {
            abort();
        }
    }
    for (uint64_t step = 0; step <= info.step_count; ++step) {
        sn_recording_hash(recording, step);
        sn_recording_step_size(recording, step);
    }
    // Forward, then backward (from the key frames): both must give the same states.
    uint64_t forward = 0, backward = 0;
    for (int i = 0; i < info.frame_count; ++i) {
        forward += decode(recording, i) * (uint64_t)(2 * i + 1);
    }
    for (int i = info.frame_count - 1; i >= 0 && info.frame_count <= 256; --i) {
        backward += decode(recording, i) * (uint64_t)(2 * i + 1);
    }
    if (info.frame_count <= 256 && forward != backward) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    uint8_t *copy = malloc(size);
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, data + 1, size - 1);
    if (data[0] % 2 == 0) {
        repair_checksums(copy, size - 1);
    }
    sn_recording *recording = NULL;
    sn_error error = {0};
    if (sn_recording_open_bytes("fuzz", copy, size - 1, &recording, &error) == SN_OK) {
        ask_everything(recording);
        sn_recording_close(recording);
    }
    free(copy);
    return 0;
}
