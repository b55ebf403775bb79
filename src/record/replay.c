#include <stdio.h>

#include "base/error.h"
#include "record/recording.h"

sn_status sn_recording_build_world(const sn_recording *recording, int threads, sn_world **world,
                                   sn_error *error)
{
    *world = NULL;
    sn_recording_info info = sn_recording_get_info(recording);
    if (info.scene_length == 0) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                       "the recording holds no scene to build a world from");
    }
    sn_error_list errors = {0};
    sn_scene *scene = NULL;
    sn_status status = sn_scene_load_text("recorded scene", info.scene_text, info.scene_length,
                                          NULL, &scene, &errors);
    if (status != SN_OK && error != NULL) {
        if (errors.count > 0) {
            *error = errors.items[0];
        } else {
            sn_fail(error, status, NULL, "the recorded scene cannot be read");
        }
    }
    sn_error_list_free(&errors);
    if (status == SN_OK) {
        status = sn_scene_build(scene, world, error);
    }
    sn_scene_destroy(scene);
    if (status == SN_OK && threads > 0) {
        status = sn_world_set_threads(*world, threads, error);
        if (status != SN_OK) {
            sn_world_destroy(*world);
            *world = NULL;
        }
    }
    return status;
}

static sn_status check_start(const sn_recording *recording, const sn_world *world, sn_error *error)
{
    uint64_t expected = sn_recording_hash(recording, 0), found = sn_world_hash(world);
    if (found != expected) {
        return sn_fail(error, SN_ERROR_MISMATCH, "start",
                       "the first state differs: hash %016llx, recorded %016llx",
                       (unsigned long long)found, (unsigned long long)expected);
    }
    return SN_OK;
}

// Steps the world through the recorded steps until a hash differs.
static sn_status compare_steps(sn_recording *recording, sn_world *world,
                               bool (*progress)(void *user, double share), void *user,
                               sn_replay *replay, sn_error *error)
{
    uint64_t steps = sn_recording_get_info(recording).step_count;
    for (uint64_t step = 1; step <= steps; ++step) {
        double h = sn_recording_step_size(recording, step);
        sn_status status = sn_recording_jump(recording, step - 1, world, error);
        status = status == SN_OK ? sn_world_step(world, h, error) : status;
        if (status != SN_OK) {
            return status;
        }
        uint64_t expected = sn_recording_hash(recording, step), found = sn_world_hash(world);
        if (found != expected) {
            replay->first_different = step;
            char place[64];
            snprintf(place, sizeof place, "step %llu", (unsigned long long)step);
            return sn_fail(error, SN_ERROR_MISMATCH, place,
                           "the first step that differs, at time %.9g s: hash %016llx, recorded "
                           "%016llx",
                           sn_world_time(world), (unsigned long long)found,
                           (unsigned long long)expected);
        }
        replay->compared = step;
        if (progress != NULL && !progress(user, (double)step / (double)steps)) {
            return sn_fail(error, SN_ERROR_STOPPED, NULL, "stopped after %llu of %llu steps",
                           (unsigned long long)step, (unsigned long long)steps);
        }
    }
    return SN_OK;
}

sn_status sn_recording_replay_world(sn_recording *recording, sn_world *world,
                                    bool (*progress)(void *user, double share), void *user,
                                    sn_replay *replay, sn_error *error)
{
    sn_replay scratch;
    replay = replay ? replay : &scratch;
    *replay = (sn_replay){0};
    sn_status status = sn_recording_frame(recording, 0, world, error);
    if (status == SN_OK) {
        status = check_start(recording, world, error);
    }
    return status == SN_OK ? compare_steps(recording, world, progress, user, replay, error)
                           : status;
}

sn_status sn_recording_replay(sn_recording *recording, int threads,
                              bool (*progress)(void *user, double share), void *user,
                              sn_replay *replay, sn_error *error)
{
    sn_replay scratch;
    replay = replay ? replay : &scratch;
    *replay = (sn_replay){0};
    sn_world *world = NULL;
    sn_status status = sn_recording_build_world(recording, threads, &world, error);
    // A scene starts at time 0; a recording begun later goes on from its first frame.
    if (status == SN_OK && sn_recording_get_info(recording).start_time != 0.0) {
        status = sn_recording_frame(recording, 0, world, error);
    }
    if (status == SN_OK) {
        status = check_start(recording, world, error);
    }
    if (status == SN_OK) {
        status = compare_steps(recording, world, progress, user, replay, error);
    }
    sn_world_destroy(world);
    return status;
}
