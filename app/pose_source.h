// Poses over time, out of a scene that is simulated on the way or out of a recording. Between two
// steps or frames bodies are where the straight way between them is, so that what is simulated does
// not depend on which poses are asked for.
//
//     sn_pose_source source = {0};
//     code = sn_pose_source_open(&source, arguments, operand);
//     sn_pose_source_seek(&source, 2.5, &error);   // times only go forward
//     ... source.frames, source.points ...
//     sn_pose_source_close(&source);
#ifndef SN_APP_POSE_SOURCE_H
#define SN_APP_POSE_SOURCE_H

#include "options.h"
#include "sinew/draw.h"
#include "sinew/record.h"

typedef struct sn_pose_source {
    char name[128]; // of the scene, for files
    sn_scene *scene;
    sn_recording *recording; // NULL: the scene is simulated
    sn_world *world;
    int count;                    // bodies
    sn_transform *frames;         // where bodies are at `time`, count of them
    sn_transform *before, *after; // at the step or frame before and after
    int point_count;
    sn_vec3 *points; // of what bends, likewise
    sn_vec3 *points_before, *points_after;
    double time, before_time, after_time;
    double start_time, end_time; // of the run
    int frame;                   // of the recording, that `after` is
    bool ended;                  // nothing comes after `after`
} sn_pose_source;

// An exit code, after telling stderr what is wrong.
int sn_pose_source_open(sn_pose_source *source, const sn_arguments *arguments, const char *operand);
void sn_pose_source_close(sn_pose_source *source);

// The pose at a time, or the last one there is before it. SN_ERROR_STOPPED on Ctrl-C.
sn_status sn_pose_source_seek(sn_pose_source *source, double time, sn_error *error);

#endif
