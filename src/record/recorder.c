#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/world.h"
#include "record/tape.h"
#include "sinew/record.h"

struct sn_recorder {
    sn_tape *tape;
    char *path;
    size_t state_size;
    uint8_t *state;
    double start_time;
    double frame_step; // s; 0: a frame every step
    double next_frame; // number of the next frame due: at start_time + next_frame * frame_step
    uint64_t step;     // the world's step count when last seen
    uint64_t framed;   // and at the last frame
};

static void recorder_free(sn_recorder *recorder)
{
    sn_free(recorder->path);
    sn_free(recorder->state);
    sn_free(recorder);
}

// Opens the tape with all that the header tells about scene and world.
static sn_status open_tape(sn_recorder *recorder, const sn_recorder_def *def, sn_error *error)
{
    sn_tape_header header = {.state_size = recorder->state_size,
                             .start_step = recorder->step,
                             .start_hash = sn_world_hash(def->world),
                             .body_count = sn_world_body_count(def->world)};
    size_t names_size = sizeof(char *) * (size_t)(header.body_count + 1);
    const char **names = sn_allocate(names_size);
    if (names == NULL) {
        return sn_fail_memory(error, names_size);
    }
    for (int i = 0; i < header.body_count; ++i) {
        names[i] = sn_body_name(def->world, sn_world_body(def->world, i));
    }
    header.body_names = names;

    char *text = NULL;
    sn_status status = SN_OK;
    if (def->scene != NULL) {
        header.seed = sn_scene_run(def->scene).seed;
        status = sn_scene_resolved_text(def->scene, &text, &header.scene_length, error);
        header.scene_text = text;
    }
    if (status == SN_OK) {
        status = sn_tape_open(def->path, &header, &recorder->tape, error);
    }
    if (text != NULL) {
        sn_scene_free_text(text);
    }
    sn_free(names);
    return status;
}

static sn_status write_frame(sn_recorder *recorder, const sn_world *world, sn_error *error)
{
    sn_status status = sn_world_save_state(world, recorder->state, recorder->state_size, error);
    if (status == SN_OK) {
        status = sn_tape_frame(recorder->tape, sn_world_time(world), recorder->step,
                               recorder->state, error);
    }
    recorder->framed = status == SN_OK ? recorder->step : recorder->framed;
    return status;
}

static sn_status write_jump(sn_recorder *recorder, const sn_world *world, sn_error *error)
{
    size_t size = sn_world_contact_memory_size(world);
    uint8_t *memory = sn_allocate(size);
    if (memory == NULL) {
        return sn_fail_memory(error, size);
    }
    sn_tape_start start = {.state = recorder->state,
                           .memory = memory,
                           .memory_size = size,
                           .wakes = world->touch.wake};
    sn_status status = sn_world_save_state(world, recorder->state, recorder->state_size, error);
    status = status == SN_OK ? sn_world_save_contact_memory(world, memory, size, error) : status;
    status = status == SN_OK ? sn_tape_jump(recorder->tape, &start, error) : status;
    sn_free(memory);
    return status;
}

sn_status sn_recorder_open(const sn_recorder_def *def, sn_recorder **recorder, sn_error *error)
{
    if (recorder == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "a recorder needs a place to be put");
    }
    *recorder = NULL;
    if (def == NULL || def->path == NULL || def->world == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "a recorder needs a path and a world");
    }
    if (!(def->frame_step >= 0.0) || isinf(def->frame_step)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, def->path,
                       "frame_step is %g, expected 0 or a positive number of seconds",
                       def->frame_step);
    }
    sn_recorder *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    made->step = sn_world_step_count(def->world);
    made->start_time = sn_world_time(def->world);
    made->frame_step = def->frame_step;
    if (made->frame_step == 0.0 && def->scene != NULL) {
        made->frame_step = sn_scene_run(def->scene).record_step;
    }
    made->next_frame = 1.0;
    made->state_size = sn_world_state_size(def->world);
    made->state = sn_allocate(made->state_size);
    made->path = sn_copy_text(def->path);
    sn_status status = made->state && made->path ? SN_OK : sn_fail_memory(error, made->state_size);
    if (status == SN_OK) {
        status = open_tape(made, def, error);
    }
    if (status == SN_OK) {
        status = write_frame(made, def->world, error);
    }
    if (status == SN_OK && made->step > 0) { // contacts remember the steps before
        status = write_jump(made, def->world, error);
    }
    if (status != SN_OK) {
        sn_tape_close(made->tape, NULL);
        recorder_free(made);
        return status;
    }
    *recorder = made;
    return SN_OK;
}

// Is it time for a frame? Times are sums of many steps: a millionth of a frame early counts as on
// time.
static bool frame_due(sn_recorder *recorder, double time)
{
    if (recorder->frame_step <= 0.0) {
        return true;
    }
    double passed = (time - recorder->start_time) / recorder->frame_step + 1e-6;
    if (passed < recorder->next_frame) {
        return false;
    }
    recorder->next_frame = floor(passed) + 1.0;
    return true;
}

// The world must be the one that is recorded, at the step expected of it.
static sn_status check_world(const sn_recorder *recorder, const sn_world *world, uint64_t expected,
                             sn_error *error)
{
    uint64_t step = sn_world_step_count(world);
    if (step != expected) {
        return sn_fail(error, SN_ERROR_ARGUMENT, recorder->path,
                       "the world is at step %llu, expected step %llu: the recorder must see every "
                       "step once",
                       (unsigned long long)step, (unsigned long long)expected);
    }
    if (sn_world_state_size(world) != recorder->state_size) {
        return sn_fail(error, SN_ERROR_ARGUMENT, recorder->path,
                       "the state has %zu bytes, expected %zu: bodies must not come or go while a "
                       "recording runs",
                       sn_world_state_size(world), recorder->state_size);
    }
    return SN_OK;
}

sn_status sn_recorder_step(sn_recorder *recorder, const sn_world *world, sn_error *error)
{
    if (recorder == NULL || world == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "a recorder and a world are needed");
    }
    sn_status status = check_world(recorder, world, recorder->step + 1, error);
    if (status != SN_OK) {
        return status;
    }
    recorder->step += 1;
    status = sn_tape_step(recorder->tape, sn_world_step_size(world), sn_world_hash(world), error);
    if (status == SN_OK && frame_due(recorder, sn_world_time(world))) {
        status = write_frame(recorder, world, error);
    }
    return status;
}

sn_status sn_recorder_frame(sn_recorder *recorder, const sn_world *world, sn_error *error)
{
    if (recorder == NULL || world == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "a recorder and a world are needed");
    }
    sn_status status = check_world(recorder, world, recorder->step, error);
    if (status == SN_OK && recorder->framed != recorder->step) {
        status = write_frame(recorder, world, error);
    }
    return status;
}

sn_status sn_recorder_jump(sn_recorder *recorder, const sn_world *world, sn_error *error)
{
    if (recorder == NULL || world == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "a recorder and a world are needed");
    }
    sn_status status = check_world(recorder, world, recorder->step, error);
    return status == SN_OK ? write_jump(recorder, world, error) : status;
}

sn_status sn_recorder_close(sn_recorder *recorder, sn_error *error)
{
    if (recorder == NULL) {
        return SN_OK;
    }
    sn_status status = sn_tape_close(recorder->tape, error);
    recorder_free(recorder);
    return status;
}
