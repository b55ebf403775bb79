// Recordings of real worlds: frames load back to the bit, replay agrees step by step, and names the
// first step that does not.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "record/bytes.h"
#include "record/output.h"
#include "record/tape.h"
#include "recorded_world.h"

static char path[64];

static void test_frames_load(void **unused)
{
    (void)unused;
    sn_recording *recording = recorded_world_open(path);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_true(info.complete);
    assert_int_equal(info.frame_count, RECORDED_FRAMES);
    assert_int_equal(info.step_count, RECORDED_STEPS);
    assert_string_equal(info.scene_text, "");
    assert_int_equal(sn_recording_body_count(recording), 4);
    assert_string_equal(sn_recording_body_name(recording, 2), "dumbbell");

    // A frame every ten steps; a second run goes through the same states.
    sn_world *world = recorded_world_make(), *loaded = recorded_world_make();
    for (int i = 0; i < RECORDED_FRAMES; ++i) {
        assert_int_equal(sn_recording_frame(recording, i, loaded, NULL), SN_OK);
        assert_true(sn_world_hash(loaded) == sn_world_hash(world));
        assert_true(sn_world_time(loaded) == sn_recording_frame_time(recording, i));
        assert_true(sn_recording_hash(recording, 10 * (uint64_t)i) == sn_world_hash(world));
        for (int k = 0; k < 10; ++k) {
            assert_int_equal(sn_world_step(world, RECORDED_STEP, NULL), SN_OK);
        }
    }
    assert_true(sn_recording_step_size(recording, 17) == RECORDED_STEP);
    sn_world_destroy(world);
    sn_world_destroy(loaded);

    // Another structure is refused.
    sn_world_def def = sn_default_world_def();
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_error error = {0};
    assert_int_equal(sn_recording_frame(recording, 0, world, &error), SN_ERROR_MISMATCH);
    sn_world_destroy(world);
    assert_int_equal(sn_recording_replay(recording, 1, NULL, NULL, NULL, &error),
                     SN_ERROR_UNSUPPORTED);
    sn_recording_close(recording);
}

// What the packing is worth on real states, never below what is promised.
static void test_compression(void **unused)
{
    (void)unused;
    sn_recording *recording = recorded_world_open(path);
    const void *state;
    size_t size = 0;
    assert_int_equal(sn_recording_frame_state(recording, 0, &state, &size, NULL), SN_OK);
    sn_recording_close(recording);
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    double frames = (double)file.st_size - 8.0 * RECORDED_STEPS;
    double ratio = frames / ((double)size * RECORDED_FRAMES);
    print_message("frames take %.0f %% of the states' %zu bytes\n", 100.0 * ratio, size);
    assert_true(ratio < 0.75);
}

static bool count_progress(void *user, double share)
{
    int *calls = user;
    assert_true(share > 0.0 && share <= 1.0);
    *calls += 1;
    return *calls != 100;
}

static void test_replay_agrees(void **unused)
{
    (void)unused;
    sn_recording *recording = recorded_world_open(path);
    sn_world *world = recorded_world_make();
    sn_replay replay;
    sn_error error = {0};
    assert_int_equal(sn_recording_replay_world(recording, world, NULL, NULL, &replay, &error),
                     SN_OK);
    assert_int_equal(replay.compared, RECORDED_STEPS);
    assert_int_equal(replay.first_different, 0);
    // The world now stands elsewhere; a second replay starts over all the same, and can be stopped.
    int calls = 0;
    assert_int_equal(
        sn_recording_replay_world(recording, world, count_progress, &calls, &replay, &error),
        SN_ERROR_STOPPED);
    assert_int_equal(replay.compared, 100);
    assert_int_equal(replay.first_different, 0);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

// Steps of changing size, and a start in the middle of a run.
static void test_replay_odd_steps(void **unused)
{
    (void)unused;
    sn_world *world = recorded_world_make();
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(sn_world_step(world, 0.003, NULL), SN_OK);
    }
    sn_recorder_def def = {.path = path, .world = world};
    sn_recorder *recorder = NULL;
    assert_int_equal(sn_recorder_open(&def, &recorder, NULL), SN_OK);
    for (int i = 0; i < 200; ++i) {
        assert_int_equal(sn_world_step(world, 0.001 * (1.0 + 0.37 * (i % 5)), NULL), SN_OK);
        assert_int_equal(sn_recorder_step(recorder, world, NULL), SN_OK);
    }
    assert_int_equal(sn_recorder_close(recorder, NULL), SN_OK);
    sn_world_destroy(world);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    assert_int_equal(sn_recording_get_info(recording).frame_count,
                     201); // no frame_step: every step
    world = recorded_world_make();
    sn_replay replay;
    assert_int_equal(sn_recording_replay_world(recording, world, NULL, NULL, &replay, NULL), SN_OK);
    assert_int_equal(replay.compared, 200);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

// One bit of one stored hash, its checksum made right again: exactly that step is named.
static void test_replay_names_changed_hash(void **unused)
{
    (void)unused;
    sn_recording_close(recorded_world_open(path));
    sn_bytes file = {0};
    assert_int_equal(sn_input_file(path, SIZE_MAX, &file, NULL), SN_OK);
    size_t at = SN_TAPE_PREFIX_SIZE;
    while (sn_fetch_u32(file.data + at) != SN_TAPE_HASHES) {
        at += SN_TAPE_CHUNK_SIZE + (size_t)sn_fetch_u64(file.data + at + 8);
    }
    uint8_t *payload = file.data + at + SN_TAPE_CHUNK_SIZE;
    assert_int_equal(sn_fetch_u64(payload), 1);
    payload[13 + 8 + 8 * (123 - 1)] ^= 0x10; // first, count, mode, one size, hashes
    sn_store_u32(file.data + at + 4, sn_tape_checksum(file.data + at, payload,
                                                      (size_t)sn_fetch_u64(file.data + at + 8)));
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open_bytes("r", file.data, file.count, &recording, NULL), SN_OK);
    assert_true(sn_recording_get_info(recording).complete);
    sn_world *world = recorded_world_make();
    sn_replay replay;
    sn_error error = {0};
    assert_int_equal(sn_recording_replay_world(recording, world, NULL, NULL, &replay, &error),
                     SN_ERROR_MISMATCH);
    assert_int_equal(replay.first_different, 123);
    assert_int_equal(replay.compared, 122);
    assert_non_null(strstr(sn_error_message(&error), "step 123: the first step that differs"));
    sn_world_destroy(world);
    sn_recording_close(recording);
    sn_bytes_free(&file);
}

// A world that is not the recorded one differs from the first step on.
static void test_replay_names_changed_world(void **unused)
{
    (void)unused;
    sn_recording *recording = recorded_world_open(path);
    sn_world *world = recorded_world_make();
    sn_world_set_gravity(world, sn_vec3_make(0.0, 0.0, -9.80665));
    sn_replay replay;
    sn_error error = {0};
    assert_int_equal(sn_recording_replay_world(recording, world, NULL, NULL, &replay, &error),
                     SN_ERROR_MISMATCH);
    assert_int_equal(replay.first_different, 1);
    assert_int_equal(replay.compared, 0);
    sn_world_destroy(world);
    sn_recording_close(recording);
}

// ---- with a scene ----

static const char scene_text[] =
    "{\"sinew\": 1, \"name\": \"fall\", \"params\": {\"pull\": {\"value\": 3}},"
    " \"gravity\": [0, 0, \"=-pull\"],"
    " \"bodies\": [{\"name\": \"bob\", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.2, 0.3]},"
    " \"position\": [0, 0, 2], \"angular_velocity\": [1, 5, 0.1]}],"
    " \"run\": {\"time\": 1, \"step\": \"2ms\", \"seed\": 9}}";

static void run_scene(double pull)
{
    sn_error_list errors = {0};
    sn_scene *scene = NULL;
    sn_status status =
        sn_scene_load_text("fall", scene_text, strlen(scene_text), NULL, &scene, &errors);
    if (status != SN_OK && errors.count > 0) {
        print_error("%s\n", sn_error_message(&errors.items[0]));
    }
    assert_int_equal(status, SN_OK);
    sn_error_list_free(&errors);
    assert_int_equal(sn_scene_set_param(scene, "pull", pull, NULL), SN_OK);
    sn_world *world = NULL;
    assert_int_equal(sn_scene_build(scene, &world, NULL), SN_OK);
    sn_recorder_def def = {.path = path, .scene = scene, .world = world};
    sn_recorder *recorder = NULL;
    assert_int_equal(sn_recorder_open(&def, &recorder, NULL), SN_OK);
    for (int i = 0; i < 500; ++i) {
        assert_int_equal(sn_world_step(world, 0.002, NULL), SN_OK);
        assert_int_equal(sn_recorder_step(recorder, world, NULL), SN_OK);
    }
    assert_int_equal(sn_recorder_close(recorder, NULL), SN_OK);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// The recording carries all that a replay needs, a param turned by hand included.
static void test_replay_scene(void **unused)
{
    (void)unused;
    run_scene(7.5);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_int_equal(info.seed, 9);
    assert_int_equal(info.frame_count, 61); // 1 s at 60 a second, and the start
    assert_true(info.scene_length > 0 && strlen(info.scene_text) == info.scene_length);
    for (int threads = 1; threads <= 2; ++threads) {
        sn_replay replay;
        sn_error error = {0};
        sn_status status = sn_recording_replay(recording, threads, NULL, NULL, &replay, &error);
        if (status != SN_OK) {
            print_error("%s\n", sn_error_message(&error));
        }
        assert_int_equal(status, SN_OK);
        assert_int_equal(replay.compared, 500);
    }
    sn_recording_close(recording);
}

// The recorded scene text exchanged for that of another run, with the checksum made right.
static void test_replay_changed_scene(void **unused)
{
    (void)unused;
    run_scene(7.5);
    sn_bytes file = {0};
    assert_int_equal(sn_input_file(path, SIZE_MAX, &file, NULL), SN_OK);
    uint8_t *head = file.data + SN_TAPE_PREFIX_SIZE;
    size_t length = (size_t)sn_fetch_u64(head + 8);
    uint8_t *payload = head + SN_TAPE_CHUNK_SIZE;
    int changed = 0;
    for (size_t i = 0; i + 4 <= length; ++i) {
        if (memcmp(payload + i, "-7.5", 4) == 0) {
            payload[i + 3] = '4';
            changed += 1;
        }
    }
    assert_true(changed > 0);
    sn_store_u32(head + 4, sn_tape_checksum(head, payload, length));
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open_bytes("r", file.data, file.count, &recording, NULL), SN_OK);
    sn_replay replay;
    sn_error error = {0};
    assert_int_equal(sn_recording_replay(recording, 1, NULL, NULL, &replay, &error),
                     SN_ERROR_MISMATCH);
    assert_int_equal(replay.first_different, 1);
    sn_recording_close(recording);
    sn_bytes_free(&file);
}

// ---- misuse and misfortune ----

// ---- with jumps ----

static const char stack_text[] =
    "{\"sinew\": 1, \"bodies\": ["
    " {\"name\": \"ground\", \"type\": \"static\", \"shape\": {\"type\": \"plane\"}},"
    " {\"name\": \"low\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]},"
    "  \"position\": [0, 0, 0.11], \"velocity\": [0.3, 0, 0]},"
    " {\"name\": \"high\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.2, 0.2]},"
    "  \"position\": [0.03, 0, 0.33]}],"
    " \"run\": {\"time\": 1, \"step\": \"=1/240\"}}";

// Recorded from step 50 on, when the boxes touch; after 30 steps the upper one is placed elsewhere.
static sn_recording *record_stack(bool jumps)
{
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_recorder *recorder = NULL;
    assert_int_equal(
        sn_scene_load_text("stack", stack_text, strlen(stack_text), NULL, &scene, NULL), SN_OK);
    assert_int_equal(sn_scene_build(scene, &world, NULL), SN_OK);
    for (int i = 0; i < 110; ++i) {
        if (i == 50) {
            sn_recorder_def def = {.path = path, .scene = scene, .world = world};
            assert_int_equal(sn_recorder_open(&def, &recorder, NULL), SN_OK);
        } else if (i == 80) {
            assert_int_equal(sn_body_place_point(world, sn_world_find_body(world, "high"),
                                                 sn_vec3_make(0.0, 0.0, 0.0),
                                                 sn_vec3_make(0.1, 0.05, 0.5), NULL),
                             SN_OK);
            assert_true(!jumps || sn_recorder_jump(recorder, world, NULL) == SN_OK);
        }
        assert_int_equal(sn_world_step(world, 1.0 / 240.0, NULL), SN_OK);
        assert_true(i < 50 || sn_recorder_step(recorder, world, NULL) == SN_OK);
    }
    assert_int_equal(sn_recorder_jump(NULL, world, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_step(world, 1.0 / 240.0, NULL), SN_OK);
    assert_int_equal(sn_recorder_jump(recorder, world, NULL), SN_ERROR_ARGUMENT); // a step unseen
    assert_int_equal(sn_recorder_close(recorder, NULL), SN_OK);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    assert_true(sn_recording_get_info(recording).complete);
    return recording;
}

static void test_replay_jumps(void **unused)
{
    (void)unused;
    sn_replay replay;
    sn_error error = {0};
    sn_recording *recording = record_stack(true);
    if (sn_recording_replay(recording, 1, NULL, NULL, &replay, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(replay.compared, 60);
    sn_recording_close(recording);
    // The start among contacts agrees; where something was placed and nobody said so, it does not.
    recording = record_stack(false);
    assert_int_equal(sn_recording_replay(recording, 1, NULL, NULL, &replay, &error),
                     SN_ERROR_MISMATCH);
    assert_int_equal(replay.first_different, 31);
    sn_recording_close(recording);
}

// A jump that contradicts the format ends the sound part of the file, though its checksum is right.
static void test_damaged_jumps(void **unused)
{
    (void)unused;
    sn_recording_close(record_stack(true));
    sn_bytes file = {0};
    assert_int_equal(sn_input_file(path, SIZE_MAX, &file, NULL), SN_OK);
    size_t at = SN_TAPE_PREFIX_SIZE;
    for (int found = 0; found < 2;) { // the second one is that of step 30
        at += SN_TAPE_CHUNK_SIZE + (size_t)sn_fetch_u64(file.data + at + 8);
        found += sn_fetch_u32(file.data + at) == SN_TAPE_JUMP;
    }
    uint8_t *payload = file.data + at + SN_TAPE_CHUNK_SIZE;
    size_t length = (size_t)sn_fetch_u64(file.data + at + 8);
    assert_int_equal(sn_fetch_u64(payload), 30);
    static const struct {
        size_t at;
        uint8_t flip;
    } damages[] = {{0, 1}, {8, 2}};
    for (int i = 0; i < 2; ++i) {
        payload[damages[i].at] ^= damages[i].flip;
        sn_store_u32(file.data + at + 4, sn_tape_checksum(file.data + at, payload, length));
        sn_recording *recording = NULL;
        assert_int_equal(sn_recording_open_bytes("r", file.data, file.count, &recording, NULL),
                         SN_OK);
        sn_recording_info info = sn_recording_get_info(recording);
        assert_true(!info.complete && info.step_count == 30);
        assert_int_equal(info.lost_bytes, file.count - at);
        sn_replay replay;
        assert_int_equal(sn_recording_replay(recording, 1, NULL, NULL, &replay, NULL), SN_OK);
        assert_int_equal(replay.compared, 30);
        sn_recording_close(recording);
        payload[damages[i].at] ^= damages[i].flip;
    }
    // Sound as a chunk, but not what contacts of this world remember.
    payload[length - 1] ^= 1;
    sn_store_u32(file.data + at + 4, sn_tape_checksum(file.data + at, payload, length));
    sn_recording *recording = NULL;
    sn_error error = {0};
    assert_int_equal(sn_recording_open_bytes("r", file.data, file.count, &recording, NULL), SN_OK);
    assert_int_equal(sn_recording_replay(recording, 1, NULL, NULL, NULL, &error), SN_ERROR_FORMAT);
    sn_recording_close(recording);
    sn_bytes_free(&file);
}

// The end of a run between two due frames becomes a frame, once, and is the state it ended in.
static void test_last_frame(void **unused)
{
    (void)unused;
    sn_world *world = recorded_world_make();
    sn_recorder_def def = {.path = path, .world = world, .frame_step = 0.02};
    sn_recorder *recorder = NULL;
    assert_int_equal(sn_recorder_open(&def, &recorder, NULL), SN_OK);
    assert_int_equal(sn_recorder_frame(recorder, world, NULL), SN_OK); // the start is there already
    for (int i = 0; i < 25; ++i) {
        assert_int_equal(sn_world_step(world, RECORDED_STEP, NULL), SN_OK);
        sn_error error = {0};
        assert_int_equal(sn_recorder_frame(recorder, world, &error), SN_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "must see every step"));
        assert_int_equal(sn_recorder_step(recorder, world, NULL), SN_OK);
    }
    uint64_t hash = sn_world_hash(world);
    assert_int_equal(sn_recorder_frame(recorder, world, NULL), SN_OK);
    assert_int_equal(sn_recorder_frame(recorder, world, NULL), SN_OK);
    assert_int_equal(sn_recorder_frame(NULL, world, NULL), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_recorder_close(recorder, NULL), SN_OK);
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_int_equal(info.frame_count, 4); // 0, 20, 40 and 50 ms
    assert_true(fabs(info.end_time - 0.05) < 1e-12);
    sn_world *other = recorded_world_make();
    assert_int_equal(sn_recording_frame(recording, 3, other, NULL), SN_OK);
    assert_true(sn_world_hash(other) == hash);
    sn_replay replay;
    assert_int_equal(sn_recording_replay_world(recording, other, NULL, NULL, &replay, NULL), SN_OK);
    assert_int_equal(replay.compared, 25);
    sn_recording_close(recording);
    sn_world_destroy(other);
    sn_world_destroy(world);
}

static void test_misuse(void **unused)
{
    (void)unused;
    sn_error error = {0};
    sn_recorder *recorder = NULL;
    sn_world *world = recorded_world_make();
    sn_recorder_def def = {.path = path, .world = world, .frame_step = NAN};
    assert_int_equal(sn_recorder_open(&def, &recorder, &error), SN_ERROR_ARGUMENT);
    def.frame_step = -1.0;
    assert_int_equal(sn_recorder_open(&def, &recorder, &error), SN_ERROR_ARGUMENT);
    def = (sn_recorder_def){.path = path};
    assert_int_equal(sn_recorder_open(&def, &recorder, &error), SN_ERROR_ARGUMENT);
    def = (sn_recorder_def){.path = "/dev/full", .world = world};
    assert_int_equal(sn_recorder_open(&def, &recorder, &error), SN_ERROR_FILE);
    assert_null(recorder);
    assert_int_equal(sn_recorder_close(NULL, &error), SN_OK);

    def.path = path;
    assert_int_equal(sn_recorder_open(&def, &recorder, NULL), SN_OK);
    assert_int_equal(sn_recorder_step(recorder, world, &error), SN_ERROR_ARGUMENT); // no step yet
    assert_non_null(strstr(error.text, "step 0, expected step 1"));
    assert_int_equal(sn_world_step(world, 0.001, NULL), SN_OK);
    assert_int_equal(sn_recorder_step(recorder, world, &error), SN_OK);
    sn_body_def body_def = sn_default_body_def();
    sn_shape shape = sn_default_shape();
    body_def.shapes = &shape;
    body_def.shape_count = 1;
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &body_def, &body, NULL), SN_OK);
    assert_int_equal(sn_world_step(world, 0.001, NULL), SN_OK);
    assert_int_equal(sn_recorder_step(recorder, world, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "must not come or go"));
    assert_int_equal(sn_recorder_close(recorder, NULL), SN_OK);
    sn_world_destroy(world);
}

// A simulation killed in mid-run leaves every frame that reached the system, each of them right.
static void test_killed_simulation(void **unused)
{
    (void)unused;
    unlink(path);
    pid_t child = fork();
    if (child == 0) {
        sn_world *world = recorded_world_make();
        sn_recorder_def def = {.path = path, .world = world};
        sn_recorder *recorder = NULL;
        if (sn_recorder_open(&def, &recorder, NULL) != SN_OK) {
            _exit(1);
        }
        for (;;) {
            if (sn_world_step(world, RECORDED_STEP, NULL) != SN_OK ||
                sn_recorder_step(recorder, world, NULL) != SN_OK) {
                _exit(2);
            }
        }
    }
    struct stat file = {0};
    while (file.st_size < 300000) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        stat(path, &file);
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    }
    kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    assert_true(WIFSIGNALED(status));
    sn_recording *recording = NULL;
    assert_int_equal(sn_recording_open(path, &recording, NULL), SN_OK);
    sn_recording_info info = sn_recording_get_info(recording);
    assert_false(info.complete);
    assert_true(info.frame_count > 300);
    sn_world *world = recorded_world_make(), *loaded = recorded_world_make();
    for (int i = 0; i < 300; ++i) {
        assert_int_equal(sn_recording_frame(recording, i, loaded, NULL), SN_OK);
        assert_true(sn_world_hash(loaded) == sn_world_hash(world));
        assert_int_equal(sn_world_step(world, RECORDED_STEP, NULL), SN_OK);
    }
    sn_world_destroy(world);
    sn_world_destroy(loaded);
    sn_recording_close(recording);
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    sn_status status = SN_ERROR_MEMORY;
    int tries = 0;
    for (; status != SN_OK; ++tries) {
        sn_world *world = recorded_world_make();
        sn_error error = {0};
        sn_allocation_fail_after(tries);
        status = recorded_world_run(world, path, 50, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
        sn_world_destroy(world);
    }
    assert_true(tries > 10);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/sinew-replay-XXXXXX");
    int descriptor = mkstemp(path);
    if (descriptor < 0) {
        return 1;
    }
    close(descriptor);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_load),
        cmocka_unit_test(test_compression),
        cmocka_unit_test(test_replay_agrees),
        cmocka_unit_test(test_replay_odd_steps),
        cmocka_unit_test(test_replay_names_changed_hash),
        cmocka_unit_test(test_replay_names_changed_world),
        cmocka_unit_test(test_replay_scene),
        cmocka_unit_test(test_replay_changed_scene),
        cmocka_unit_test(test_replay_jumps),
        cmocka_unit_test(test_damaged_jumps),
        cmocka_unit_test(test_last_frame),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_killed_simulation),
        cmocka_unit_test(test_out_of_memory),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failures;
}
