#include "pose_source.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "blow.h"
#include "exit_code.h"
#include "files.h"
#include "interrupt.h"
#include "recording_source.h"
#include "scene_source.h"
#include "setting.h"
#include "terminal.h"

void sn_pose_source_close(sn_pose_source *source)
{
    sn_free(source->frames);
    sn_free(source->points);
    sn_world_destroy(source->world);
    sn_recording_close(source->recording);
    sn_scene_destroy(source->scene);
    *source = (sn_pose_source){0};
}

static sn_status make_room(sn_pose_source *source, sn_error *error)
{
    source->count = sn_world_body_count(source->world);
    size_t count = (size_t)source->count + 1;
    source->frames = sn_allocate(3 * count * sizeof *source->frames);
    if (source->frames == NULL) {
        return sn_fail_memory(error, 3 * count * sizeof *source->frames);
    }
    source->before = source->frames + count;
    source->after = source->before + count;
    source->point_count = sn_world_point_count(source->world);
    size_t points = (size_t)source->point_count + 1;
    source->points = sn_allocate(3 * points * sizeof *source->points);
    if (source->points == NULL) {
        return sn_fail_memory(error, 3 * points * sizeof *source->points);
    }
    source->points_before = source->points + points;
    source->points_after = source->points_before + points;
    return SN_OK;
}

static int complain(const sn_arguments *arguments, sn_status status, sn_error *error)
{
    sn_complain(arguments, "%s", sn_error_message(error));
    return sn_exit_for(status);
}

static int open_recording(sn_pose_source *source, const sn_arguments *arguments,
                          const char *operand)
{
    int code = sn_recording_load(arguments, operand, &source->recording);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_error error = {0};
    sn_recording_info info = sn_recording_get_info(source->recording);
    if (info.frame_count == 0) {
        sn_complain(arguments, "%s holds no frame to draw", operand);
        return SN_EXIT_INPUT;
    }
    sn_path_stem(operand, source->name, sizeof source->name);
    source->start_time = info.start_time;
    source->end_time = info.end_time;
    sn_error_list errors = {0};
    sn_status status = sn_recording_build_world(source->recording, 1, &source->world, &error);
    if (status == SN_OK) {
        // Only its camera is wanted: a scene without one, or from another version, will do.
        (void)sn_scene_load_text(operand, info.scene_text, info.scene_length, NULL, &source->scene,
                                 &errors);
        status = sn_recording_frame(source->recording, 0, source->world, &error);
    }
    sn_error_list_free(&errors);
    return status == SN_OK ? SN_EXIT_OK : complain(arguments, status, &error);
}

static int open_scene(sn_pose_source *source, const sn_arguments *arguments, const char *operand)
{
    sn_scene_source text;
    if (!sn_scene_source_find(arguments, operand, &text)) {
        return SN_EXIT_INPUT;
    }
    sn_error_list errors = {0};
    sn_status status = sn_scene_source_read(&text, &source->scene, &errors);
    if (status != SN_OK) {
        sn_scene_source_explain(arguments, &text, &errors);
    } else {
        sn_scene_source_say_notes(arguments, &text, source->scene);
    }
    snprintf(source->name, sizeof source->name, "%s", text.short_name);
    sn_error_list_free(&errors);
    sn_scene_source_free(&text);
    if (status != SN_OK) {
        return sn_exit_for(status);
    }
    int code = sn_apply_settings(arguments, source->scene);
    code = code == SN_EXIT_OK ? sn_apply_blow(arguments, source->scene) : code;
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_error error = {0};
    status = sn_scene_build(source->scene, &source->world, &error);
    source->end_time = sn_scene_run(source->scene).time;
    return status == SN_OK ? SN_EXIT_OK : complain(arguments, status, &error);
}

int sn_pose_source_open(sn_pose_source *source, const sn_arguments *arguments, const char *operand)
{
    *source = (sn_pose_source){0};
    bool recorded = sn_operand_is_recording(operand);
    if (recorded && arguments->setting_count > 0) {
        return sn_usage_error(arguments->verb, "--set is for scenes; a recording has happened");
    }
    if (recorded && sn_option_given(arguments, "blow")) {
        return sn_usage_error(arguments->verb, "--blow is for scenes; a recording has happened");
    }
    int code = recorded ? open_recording(source, arguments, operand)
                        : open_scene(source, arguments, operand);
    sn_error error = {0};
    if (code == SN_EXIT_OK && make_room(source, &error) != SN_OK) {
        code = complain(arguments, error.code, &error);
    }
    if (code != SN_EXIT_OK) {
        sn_pose_source_close(source);
        return code;
    }
    source->time = source->before_time = source->after_time = source->start_time;
    sn_world_frames(source->world, source->after);
    memcpy(source->before, source->after, sizeof *source->after * (size_t)source->count);
    memcpy(source->frames, source->after, sizeof *source->after * (size_t)source->count);
    size_t bytes = sizeof *source->points * (size_t)source->point_count;
    sn_world_points(source->world, source->points_after);
    memcpy(source->points_before, source->points_after, bytes);
    memcpy(source->points, source->points_after, bytes);
    return SN_EXIT_OK;
}

// One step of the world, or one frame of the recording, further.
static sn_status go_on(sn_pose_source *source, sn_error *error)
{
    sn_status status = SN_OK;
    double time = source->after_time;
    if (source->recording == NULL) {
        source->ended = sn_world_stopped(source->world);
        if (!source->ended) {
            status = sn_world_step(source->world, sn_scene_run(source->scene).step, error);
            time = sn_world_time(source->world);
        }
    } else {
        source->ended = source->frame + 1 >= sn_recording_get_info(source->recording).frame_count;
        if (!source->ended) {
            source->frame += 1;
            status = sn_recording_frame(source->recording, source->frame, source->world, error);
            time = sn_recording_frame_time(source->recording, source->frame);
        }
    }
    if (status != SN_OK || source->ended) {
        return status;
    }
    sn_transform *room = source->before;
    source->before = source->after;
    source->before_time = source->after_time;
    source->after = room;
    source->after_time = time;
    sn_world_frames(source->world, source->after);
    sn_vec3 *points = source->points_before;
    source->points_before = source->points_after;
    source->points_after = points;
    sn_world_points(source->world, source->points_after);
    return SN_OK;
}

sn_status sn_pose_source_seek(sn_pose_source *source, double time, sn_error *error)
{
    while (source->after_time < time && !source->ended) {
        if (sn_interrupted()) {
            return sn_fail(error, SN_ERROR_STOPPED, NULL, "stopped");
        }
        sn_status status = go_on(source, error);
        if (status != SN_OK) {
            return status;
        }
    }
    double way = source->after_time - source->before_time;
    double share = way > 0.0 ? (time - source->before_time) / way : 1.0;
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    source->time = source->before_time + share * way;
    sn_frames_between(source->before, source->after, source->count, share, source->frames);
    sn_points_between(source->points_before, source->points_after, source->point_count, share,
                      source->points);
    return SN_OK;
}
