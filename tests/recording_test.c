// The recording file on plain bytes: what is written comes back, and nothing that happens to the
// file (cut anywhere, any bit flipped, full disk, killed writer, hostile lengths) does worse than
// shorten it.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "record/bytes.h"
#include "record/frame_codec.h"
#include "record/output.h"
#include "record/tape.h"
#include "sinew/record.h"

#define STATE_DOUBLES 5
#define STATE_SIZE    (8 * STATE_DOUBLES + 3) // a size that is no multiple of a word

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// The state of frame i: smooth, with a few values that no prediction likes.
static void make_state(int i, uint8_t *state)
{
    double t = i / 60.0;
    double x[STATE_DOUBLES] = {t, sin(3.0 * t), -9.81 * t * t / 2.0,
                               i % 7 == 3 ? NAN : 1.0 / (1 + i), i % 5 == 0 ? -0.0 : 1e300};
    memcpy(state, x, sizeof x);
    memcpy(state + sizeof x, (uint8_t[]){(uint8_t)i, (uint8_t)(i * i), 255}, 3);
}

static uint64_t make_hash(uint64_t step)
{
    return step * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static double make_step_size(uint64_t step)
{
    return step % 10 == 0 ? 0.5e-3 : 1e-3;
}

static sn_tape_header make_header(void)
{
    static const char *const names[] = {"bob", "the \"other\" one", ""};
    return (sn_tape_header){.seed = 42,
                            .state_size = STATE_SIZE,
                            .start_hash = make_hash(0),
                            .scene_text = "{\"sinew\": 1}",
                            .scene_length = 12,
                            .body_names = names,
                            .body_count = 3};
}

// Three steps to a frame.
static sn_status write_tape(const char *path, int frames, sn_error *error)
{
    sn_tape_header header = make_header();
    sn_tape *tape = NULL;
    sn_status status = sn_tape_open(path, &header, &tape, error);
    uint64_t step = 0;
    uint8_t state[STATE_SIZE];
    for (int i = 0; i < frames && status == SN_OK; ++i) {
        make_state(i, state);
        status = sn_tape_frame(tape, i / 60.0, step, state, error);
        for (int k = 0; k < 3 && status == SN_OK; ++k) {
            step += 1;
            status = sn_tape_step(tape, make_step_size(step), make_hash(step), error);
        }
    }
    sn_status closed = sn_tape_close(tape, status == SN_OK ? error : NULL);
    return status == SN_OK ? closed : status;
}

static sn_bytes read_all(const char *path)
{
    sn_bytes bytes = {0};
    assert_int_equal(sn_input_file(path, SIZE_MAX, &bytes, NULL), SN_OK);
    return bytes;
}

// Everything that the recording offers is what write_tape put in.
static void check_sound(sn_recording *recording)
{
    sn_recording_info info = sn_recording_get_info(recording);
    assert_string_equal(info.version, sn_version());
    assert_string_equal(info.scene_text, "{\"sinew\": 1}");
    assert_int_equal(info.seed, 42);
    assert_int_equal(sn_recording_body_count(recording), 3);
    assert_string_equal(sn_recording_body_name(recording, 1), "the \"other\" one");
    assert_null(sn_recording_body_name(recording, 3));
    for (uint64_t step = 0; step <= info.step_count; ++step) {
        assert_true(sn_recording_hash(recording, step) == make_hash(step));
        assert_true(step == 0 || sn_recording_step_size(recording, step) == make_step_size(step));
    }
    for (int i = 0; i < info.frame_count; ++i) {
        uint8_t expected[STATE_SIZE];
        make_state(i, expected);
        const void *state = NULL;
        size_t size = 0;
        assert_int_equal(sn_recording_frame_state(recording, i, &state, &size, NULL), SN_OK);
        assert_int_equal(size, STATE_SIZE);
        assert_memory_equal(state, expected, STATE_SIZE);
        assert_true(sn_recording_frame_time(recording, i) == i / 60.0);
    }
}

// ---- codec ----

static void test_checksum(void **unused)
{
    (void)unused;
    // The check value of CRC-32C (RFC 3720, appendix B.4, and the CRC catalogue).
    assert_int_equal(sn_crc32c(0, "123456789", 9), 0xE3069283);
    uint8_t zeros[32] = {0};
    assert_int_equal(sn_crc32c(0, zeros, 32), 0x8A9136AA);
    assert_int_equal(sn_crc32c(sn_crc32c(0, "1234", 4), "56789", 5), 0xE3069283);
}

// Any bytes, any size, any key pattern: unpacking gives the same bits.
static void test_codec_round_trip(void **unused)
{
    (void)unused;
    uint64_t seed = 7;
    for (size_t size = 0; size < 40; ++size) {
        sn_frame_codec pack, unpack;
        assert_int_equal(sn_frame_codec_start(&pack, size, NULL), SN_OK);
        assert_int_equal(sn_frame_codec_start(&unpack, size, NULL), SN_OK);
        uint8_t state[40] = {0}, back[40];
        for (int frame = 0; frame < 60; ++frame) {
            for (size_t i = 0; i < size; ++i) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
                // Mostly small changes in low bytes, now and then anything.
                state[i] = frame % 9 == 8 ? (uint8_t)(seed >> 56)
                                          : (uint8_t)(state[i] + (i % 8 == 0 ? seed >> 62 : 0));
            }
            bool key = frame == 0 || seed >> 60 == 0;
            sn_bytes packed = {0};
            sn_frame_encode(&pack, state, key, &packed);
            assert_true(sn_frame_check(packed.data, packed.count, size));
            assert_true(size == 0 || !sn_frame_check(packed.data, packed.count - 1, size));
            assert_true(sn_frame_decode(&unpack, packed.data, packed.count, key, back));
            assert_memory_equal(state, back, size);
            sn_bytes_free(&packed);
        }
        sn_frame_codec_free(&pack);
        sn_frame_codec_free(&unpack);
    }
}

// A delta without the frame before it is refused, not guessed.
static void test_codec_needs_key(void **unused)
{
    (void)unused;
    sn_frame_codec codec;
    assert_int_equal(sn_frame_codec_start(&codec, 8, NULL), SN_OK);
    uint8_t state[8], packed[2] = {1, 5};
    assert_false(sn_frame_decode(&codec, packed, 2, false, state));
    assert_true(sn_frame_decode(&codec, packed, 2, true, state));
    packed[0] = 9; // nine bytes of a word
    assert_false(sn_frame_check(packed, 2, 8));
    packed[0] = 0x10; // a length for a word that is not there
    assert_false(sn_frame_check(packed, 2, 8));
    sn_frame_codec_free(&codec);
}

// A body that moves uniformly accelerated: the prediction must earn its keep.
static void test_codec_packs_smooth_motion(void **unused)
{
    (void)unused;
    sn_frame_codec codec;
    assert_int_equal(sn_frame_codec_start(&codec, 13 * 8, NULL), SN_OK);
    size_t packed_size = 0;
    for (int i = 0; i < 640; ++i) {
        double t = i / 60.0, state[13] = {t, 0.3 * t, 2.0 - 4.905 * t * t, cos(t), 0, sin(t), 0};
        state[7] = 1.0;
        state[9] = -9.81 * t;
        state[11] = 2.0;
        sn_bytes packed = {0};
        sn_frame_encode(&codec, state, i % 64 == 0, &packed);
        packed_size += packed.count;
        sn_bytes_free(&packed);
    }
    assert_true(packed_size < 640 * 13 * 8 * 45 / 100);
    sn_frame_codec_free(&codec);
}

// ---- the file ----

static void test_round_trip(void **unused)
{
    (void)unused;
    const char *path = in_folder("round.snrec");
    assert_int_equal(write_tape(path, 300, NULL), SN_OK);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_true(info.complete);
    assert_int_equal(info.frame_count, 300);
    assert_int_equal(info.step_count, 900);
    assert_int_equal(info.lost_bytes, 0);
    assert_true(info.start_time == 0.0 && info.end_time == 299 / 60.0);
    check_sound(recording);

    // In any order, too.
    uint64_t seed = 3;
    for (int k = 0; k < 300; ++k) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        int frame = (int)((seed >> 33) % 300);
        uint8_t expected[STATE_SIZE];
        make_state(frame, expected);
        const void *state;
        size_t size;
        assert_int_equal(sn_recording_frame_state(recording, frame, &state, &size, NULL), SN_OK);
        assert_memory_equal(state, expected, STATE_SIZE);
    }
    sn_error error = {0};
    const void *state;
    size_t size;
    assert_int_equal(sn_recording_frame_state(recording, 300, &state, &size, &error),
                     SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "0 to 299"));
    assert_int_equal(sn_recording_frame_state(recording, -1, &state, &size, &error),
                     SN_ERROR_ARGUMENT);
    assert_true(sn_recording_hash(recording, 901) == 0);
    assert_true(sn_recording_step_size(recording, 0) == 0.0);
    assert_true(sn_recording_step_size(recording, 901) == 0.0);
    sn_recording_close(recording);
}

// More steps than a chunk of hashes holds, with and without changing sizes.
static void test_many_hashes(void **unused)
{
    (void)unused;
    const char *path = in_folder("hashes.snrec");
    sn_tape_header header = make_header();
    sn_tape *tape = NULL;
    assert_int_equal(sn_tape_open(path, &header, &tape, NULL), SN_OK);
    for (uint64_t step = 1; step <= 10000; ++step) {
        double h = step < 9000 ? 1e-3 : make_step_size(step);
        assert_int_equal(sn_tape_step(tape, h, make_hash(step), NULL), SN_OK);
    }
    assert_int_equal(sn_tape_close(tape, NULL), SN_OK);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_true(info.complete && info.step_count == 10000 && info.frame_count == 0);
    for (uint64_t step = 1; step <= 10000; ++step) {
        assert_true(sn_recording_hash(recording, step) == make_hash(step));
        assert_true(sn_recording_step_size(recording, step) ==
                    (step < 9000 ? 1e-3 : make_step_size(step)));
    }
    sn_recording_close(recording);
}

// Opens a copy in a block of exactly this length, so that the sanitizer sees any step outside.
static int open_copy(const uint8_t *bytes, size_t length, sn_recording **recording, uint8_t **copy)
{
    *copy = malloc(length + 1);
    memcpy(*copy + 1, bytes, length); // odd address: nothing may rely on alignment
    return sn_recording_open_bytes("copy", *copy + 1, length, recording, NULL);
}

static void test_cut_anywhere(void **unused)
{
    (void)unused;
    const char *path = in_folder("cut.snrec");
    assert_int_equal(write_tape(path, 70, NULL), SN_OK);
    sn_bytes file = read_all(path);
    int last_frames = 0;
    for (size_t length = 0; length <= file.count; ++length) {
        sn_recording *recording = NULL;
        uint8_t *copy;
        int status = open_copy(file.data, length, &recording, &copy);
        if (status == SN_OK) {
            sn_recording_info info = sn_recording_get_info(recording);
            assert_int_equal(info.complete, length == file.count);
            assert_true(info.frame_count >= last_frames); // a longer file never holds less
            last_frames = info.frame_count;
            if (length % 16 == 0 || length == file.count) {
                check_sound(recording);
            }
            sn_recording_close(recording);
        } else {
            assert_int_equal(status, SN_ERROR_FORMAT);
            assert_null(recording);
            assert_int_equal(last_frames, 0);
        }
        free(copy);
    }
    assert_int_equal(last_frames, 70);
    sn_bytes_free(&file);
}

static void test_flip_any_bit(void **unused)
{
    (void)unused;
    const char *path = in_folder("flip.snrec");
    assert_int_equal(write_tape(path, 6, NULL), SN_OK);
    sn_bytes file = read_all(path);
    for (size_t bit = 0; bit < 8 * file.count; ++bit) {
        file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        sn_recording *recording = NULL;
        uint8_t *copy;
        int status = open_copy(file.data, file.count, &recording, &copy);
        if (status == SN_OK) {
            sn_recording_info info = sn_recording_get_info(recording);
            assert_false(info.complete);
            assert_true(info.lost_bytes > 0);
            check_sound(recording);
            sn_recording_close(recording);
        } else {
            assert_int_equal(status, SN_ERROR_FORMAT);
        }
        free(copy);
        file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    sn_bytes_free(&file);
}

static uint8_t *find_chunk(sn_bytes *file, uint32_t type, int which)
{
    for (size_t at = SN_TAPE_PREFIX_SIZE; at + SN_TAPE_CHUNK_SIZE <= file->count;) {
        if (sn_fetch_u32(file->data + at) == type && which-- == 0) {
            return file->data + at;
        }
        at += SN_TAPE_CHUNK_SIZE + sn_fetch_u64(file->data + at + 8);
    }
    return NULL;
}

static void seal(uint8_t *chunk)
{
    sn_store_u32(chunk + 4, sn_tape_checksum(chunk, chunk + SN_TAPE_CHUNK_SIZE,
                                             (size_t)sn_fetch_u64(chunk + 8)));
}

// One number overwritten, checksum made right: the reader must not believe it.
static void check_hostile(uint32_t type, int which, size_t at, uint64_t value, int frames,
                          uint64_t steps)
{
    const char *path = in_folder("hostile.snrec");
    assert_int_equal(write_tape(path, 6, NULL), SN_OK);
    sn_bytes file = read_all(path);
    uint8_t *chunk = find_chunk(&file, type, which);
    assert_non_null(chunk);
    sn_store_u64(chunk + SN_TAPE_CHUNK_SIZE + at, value);
    seal(chunk);
    sn_recording *recording = NULL;
    sn_error error = {0};
    sn_status status = sn_recording_open_bytes("h", file.data, file.count, &recording, &error);
    if (frames < 0) {
        assert_int_equal(status, SN_ERROR_FORMAT);
        assert_non_null(strstr(error.text, "header"));
    } else {
        assert_int_equal(status, SN_OK);
        sn_recording_info info = sn_recording_get_info(recording);
        assert_int_equal(info.frame_count, frames);
        assert_int_equal(info.step_count, steps);
        assert_false(info.complete);
        check_sound(recording);
        sn_recording_close(recording);
    }
    sn_bytes_free(&file);
}

static void test_hostile_numbers(void **unused)
{
    (void)unused;
    check_hostile(SN_TAPE_HEADER, 0, 8, UINT64_MAX, 0, 0);                  // state size
    check_hostile(SN_TAPE_HEADER, 0, 8, 1u << 30, 0, 0);                    // state size
    check_hostile(SN_TAPE_HEADER, 0, 16, 5, 0, 0);                          // start step
    check_hostile(SN_TAPE_HEADER, 0, 32, UINT64_MAX, -1, 0);                // length of the version
    check_hostile(SN_TAPE_HEADER, 0, 45, UINT64_MAX - 7, -1, 0);            // length of the scene
    check_hostile(SN_TAPE_HEADER, 0, 65, 1000000, -1, 0);                   // bodies
    check_hostile(SN_TAPE_FRAME, 3, 0, UINT64_C(0x7ff8000000000000), 3, 0); // time not a number
    check_hostile(SN_TAPE_FRAME, 3, 8, 0, 3, 0);                            // step goes back
    check_hostile(SN_TAPE_FRAME, 3, 16, 7, 3, 0);                           // neither key nor not
    check_hostile(SN_TAPE_FRAME, 3, 17, UINT64_MAX, 3, 0);                  // lengths of words
    check_hostile(SN_TAPE_HASHES, 0, 0, 2, 6, 0);                           // first step
    check_hostile(SN_TAPE_HASHES, 0, 8, UINT64_MAX, 6, 0);                  // count
    check_hostile(SN_TAPE_END, 0, 0, UINT64_MAX, 6, 18);                    // frames
    check_hostile(SN_TAPE_END, 0, 16, 0, 6, 18);                            // index
}

static void test_other_files(void **unused)
{
    (void)unused;
    sn_error error = {0};
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(in_folder("none"), &recording, &error), SN_ERROR_FILE);
    assert_non_null(strstr(sn_error_message(&error), "none: cannot open the file: No such file"));
    assert_int_equal(sn_recording_open(folder, &recording, &error), SN_ERROR_FILE);
    assert_int_equal(sn_recording_open("/dev/zero", &recording, &error), SN_ERROR_FILE);
    assert_int_equal(sn_recording_open_bytes("x", NULL, 0, &recording, &error), SN_ERROR_FORMAT);
    assert_int_equal(
        sn_recording_open_bytes("x", "{\"sinew\": 1, \"name\"}", 20, &recording, &error),
        SN_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "not a Sinew recording"));

    uint8_t prefix[SN_TAPE_PREFIX_SIZE] = SN_TAPE_MAGIC;
    sn_store_u32(prefix + 8, SN_TAPE_VERSION + 1);
    sn_store_u32(prefix + 12, sn_crc32c(0, prefix, 12));
    assert_int_equal(sn_recording_open_bytes("x", prefix, sizeof prefix, &recording, &error),
                     SN_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "format version 3, expected 2"));
    assert_null(recording);
    sn_store_u32(prefix + 8, 1); // whose states had another list of numbers
    sn_store_u32(prefix + 12, sn_crc32c(0, prefix, 12));
    assert_int_equal(sn_recording_open_bytes("x", prefix, sizeof prefix, &recording, &error),
                     SN_ERROR_FORMAT);
    assert_non_null(strstr(error.text, "format version 1, expected 2; its states lack"));
    assert_null(recording);
}

// ---- disks and signals ----

static void test_full_disk(void **unused)
{
    (void)unused;
    sn_error error = {0};
    assert_int_equal(write_tape("/dev/full", 10, &error), SN_ERROR_FILE);
    assert_string_equal(sn_error_message(&error),
                        "/dev/full: cannot write: No space left on device");
    assert_int_equal(write_tape(in_folder("no/such/folder"), 10, &error), SN_ERROR_FILE);
    assert_non_null(strstr(error.text, "cannot create the file: No such file or directory"));
}

// In a child with a limit on file size: the write that passes it is short, the next says EFBIG.
// Gives an exit code, 0 when all went as promised.
static int write_under_limit(const char *path)
{
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {200000, 200000};
    setrlimit(RLIMIT_FSIZE, &limit);
    sn_tape_header header = make_header();
    sn_tape *tape = NULL;
    sn_error error = {0};
    if (sn_tape_open(path, &header, &tape, &error) != SN_OK) {
        return 1;
    }
    uint8_t state[STATE_SIZE];
    int failed_at = -1;
    for (int i = 0; i < 20000; ++i) {
        make_state(i, state);
        sn_status status = sn_tape_frame(tape, i / 60.0, (uint64_t)i, state, &error);
        if (status != SN_OK && failed_at < 0) {
            failed_at = i;
            if (status != SN_ERROR_FILE || strstr(error.text, "File too large") == NULL) {
                return 2;
            }
        }
        // After the failure every call is safe and tells the same again.
        if (failed_at >= 0 && (status != SN_ERROR_FILE || strcmp(error.place, path) != 0)) {
            return 3;
        }
        if (failed_at >= 0 && sn_tape_step(tape, 1e-3, 1, NULL) != SN_ERROR_FILE) {
            return 4;
        }
    }
    if (failed_at < 0 || sn_tape_flush(tape, NULL) != SN_ERROR_FILE) {
        return 5;
    }
    return sn_tape_close(tape, &error) == SN_ERROR_FILE ? 0 : 6;
}

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static void test_size_limit(void **unused)
{
    (void)unused;
    const char *path = in_folder("limit.snrec");
    pid_t child = fork();
    if (child == 0) {
        _exit(write_under_limit(path));
    }
    int status = wait_for(child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_false(info.complete);
    assert_true(info.frame_count > 1000);
    assert_true(info.lost_bytes < 200);
    check_sound(recording);
    sn_recording_close(recording);
}

// A run killed in the middle of writing: everything that had reached the system is there.
static void test_killed_run(void **unused)
{
    (void)unused;
    const char *path = in_folder("killed.snrec");
    pid_t child = fork();
    if (child == 0) {
        sn_tape_header header = make_header();
        sn_tape *tape = NULL;
        if (sn_tape_open(path, &header, &tape, NULL) != SN_OK) {
            _exit(1);
        }
        uint8_t state[STATE_SIZE];
        for (int i = 0; i < 50000000; ++i) {
            make_state(i, state);
            sn_tape_frame(tape, i / 60.0, (uint64_t)i, state, NULL);
            sn_tape_step(tape, make_step_size((uint64_t)i + 1), make_hash((uint64_t)i + 1), NULL);
        }
        _exit(2);
    }
    struct stat stat_now = {0};
    while (stat_now.st_size < 600000) {
        pause_for(1000000);
        stat(path, &stat_now);
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    }
    kill(child, SIGKILL);
    assert_true(WIFSIGNALED(wait_for(child)));
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_false(info.complete);
    assert_true(info.frame_count > 5000);
    assert_true(info.lost_bytes < 300000);
    check_sound(recording);
    sn_recording_close(recording);
}

// A slow simulation loses at most a second: the file is readable while the tape is still open.
static void test_flush_by_clock(void **unused)
{
    (void)unused;
    const char *path = in_folder("clock.snrec");
    sn_tape_header header = make_header();
    sn_tape *tape = NULL;
    uint8_t state[STATE_SIZE];
    make_state(0, state);
    assert_int_equal(sn_tape_open(path, &header, &tape, NULL), SN_OK);
    assert_int_equal(sn_tape_frame(tape, 0.0, 0, state, NULL), SN_OK);
    assert_int_equal(sn_tape_step(tape, make_step_size(1), make_hash(1), NULL), SN_OK);
    nanosleep(&(struct timespec){1, 50000000}, NULL);
    assert_int_equal(sn_tape_step(tape, make_step_size(2), make_hash(2), NULL), SN_OK);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_true(!info.complete && info.lost_bytes == 0);
    assert_int_equal(info.frame_count, 1);
    assert_int_equal(info.step_count, 2);
    check_sound(recording);
    sn_recording_close(recording);
    assert_int_equal(sn_tape_close(tape, NULL), SN_OK);
}

static void on_alarm(int number)
{
    (void)number;
}

// A slow pipe and a timer whose signal interrupts every write: short writes and EINTR without end.
static void test_interrupted_writes(void **unused)
{
    (void)unused;
    const char *path = in_folder("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    int sum[2];
    assert_int_equal(pipe(sum), 0);
    pid_t child = fork();
    if (child == 0) {
        int descriptor = open(path, O_RDONLY);
        uint32_t crc = 0;
        uint64_t total = 0;
        uint8_t block[3000];
        for (ssize_t got; (got = read(descriptor, block, sizeof block)) > 0;) {
            crc = sn_crc32c(crc, block, (size_t)got);
            total += (uint64_t)got;
            pause_for(20000);
        }
        uint64_t result[2] = {crc, total};
        _exit(write(sum[1], result, sizeof result) == sizeof result ? 0 : 1);
    }
    struct sigaction action = {.sa_handler = on_alarm}, before;
    sigaction(SIGALRM, &action, &before); // no SA_RESTART
    sn_output output;
    assert_int_equal(sn_output_open(&output, path, NULL), SN_OK);
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    uint32_t crc = 0;
    int failures = 0;
    for (uint32_t i = 0; i < 200000; ++i) {
        uint8_t word[8];
        sn_store_u64(word, make_hash(i));
        crc = sn_crc32c(crc, word, 8);
        failures += sn_output_put(&output, word, 8, NULL) != SN_OK;
    }
    failures += sn_output_close(&output, true, NULL) != SN_OK;
    setitimer(ITIMER_REAL, &never, NULL);
    assert_int_equal(failures, 0);
    uint64_t result[2] = {0};
    assert_int_equal(wait_for(child), 0);
    assert_int_equal(read(sum[0], result, sizeof result), sizeof result);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(result[1], 1600000);
    assert_int_equal(result[0], crc);
    close(sum[0]);
    close(sum[1]);
}

// ---- memory ----

// Every allocation fails once: reported as such, nothing lost (the sanitizer watches).
static void test_out_of_memory(void **unused)
{
    (void)unused;
    const char *path = in_folder("memory.snrec");
    sn_status status = SN_ERROR_MEMORY;
    int tries = 0;
    for (; status != SN_OK; ++tries) {
        sn_error error = {0};
        sn_allocation_fail_after(tries);
        status = write_tape(path, 20, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
    }
    assert_true(tries > 5);
    status = SN_ERROR_MEMORY;
    for (tries = 0; status != SN_OK; ++tries) {
        sn_error error = {0};
        sn_recording *recording = NULL;
        sn_allocation_fail_after(tries);
        status = sn_recording_open(path, &recording, &error);
        if (status == SN_OK) {
            const void *state;
            size_t size;
            status = sn_recording_frame_state(recording, 7, &state, &size, &error);
        }
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
        if (recording != NULL) { // and it still works once there is memory again
            check_sound(recording);
        }
        sn_recording_close(recording);
    }
    assert_true(tries > 8);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/sinew-recording-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checksum),           cmocka_unit_test(test_codec_round_trip),
        cmocka_unit_test(test_codec_needs_key),    cmocka_unit_test(test_codec_packs_smooth_motion),
        cmocka_unit_test(test_round_trip),         cmocka_unit_test(test_many_hashes),
        cmocka_unit_test(test_cut_anywhere),       cmocka_unit_test(test_flip_any_bit),
        cmocka_unit_test(test_hostile_numbers),    cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_full_disk),          cmocka_unit_test(test_size_limit),
        cmocka_unit_test(test_killed_run),         cmocka_unit_test(test_flush_by_clock),
        cmocka_unit_test(test_interrupted_writes), cmocka_unit_test(test_out_of_memory),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {
        "round.snrec", "hashes.snrec", "cut.snrec", "flip.snrec",  "hostile.snrec",
        "limit.snrec", "killed.snrec", "pipe",      "clock.snrec", "memory.snrec"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        unlink(in_folder(files[i]));
    }
    rmdir(folder);
    return failures;
}
