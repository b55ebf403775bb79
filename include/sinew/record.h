// Sinew recordings: what a run leaves behind, and what can be made of it.
//
//     sn_recorder *recorder = NULL;
//     sn_recorder_open("out/run.snrec", scene, world, &error);
//     while (sn_world_time(world) < 10.0) {
//         sn_world_step(world, 0.001, &error);
//         sn_recorder_step(recorder, world, &error); // a hash every step, a frame when one is due
//     }
//     sn_recorder_close(recorder, &error);
//
// A recording is a binary file of checksummed chunks: the resolved scene, version and seed, then
// frames (the whole state) and one state hash per step. It is readable up to the last complete
// chunk however the run ended: killed, crashed or on a full disk.
#ifndef SINEW_RECORD_H
#define SINEW_RECORD_H

#include "sinew/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_recorder sn_recorder;
typedef struct sn_recording sn_recording;

// ---- writing ----

typedef struct sn_recorder_def {
    const char *path;
    const sn_scene *scene; // may be NULL: then frames and hashes only, no replay
    const sn_world *world;
    double frame_step; // s between frames; 0: the scene's record_step
} sn_recorder_def;

// Starts a recording and writes the first frame, the state as it is now.
SN_API sn_status sn_recorder_open(const sn_recorder_def *def, sn_recorder **recorder,
                                  sn_error *error);

// After each sn_world_step: keeps the step's hash, and the frame when one is due.
SN_API sn_status sn_recorder_step(sn_recorder *recorder, const sn_world *world, sn_error *error);

// Writes what is pending and the index. The recorder is gone afterwards, whatever the status.
SN_API sn_status sn_recorder_close(sn_recorder *recorder, sn_error *error);

// ---- reading ----

SN_API sn_status sn_recording_open(const char *path, sn_recording **recording, sn_error *error);
SN_API sn_status sn_recording_open_bytes(const char *name, const void *bytes, size_t length,
                                         sn_recording **recording, sn_error *error);
SN_API void sn_recording_close(sn_recording *recording);

typedef struct sn_recording_info {
    const char *version;    // of the library that wrote it
    const char *scene_text; // resolved scene, zero-terminated; "" when it has none
    size_t scene_length;
    uint64_t seed;
    int frame_count;
    uint64_t step_count;         // hashes kept
    double start_time, end_time; // s, of the first and last frame
    bool complete; // false: the run was cut short; everything listed here is sound all the same
    uint64_t lost_bytes; // after the last complete chunk
} sn_recording_info;

SN_API sn_recording_info sn_recording_get_info(const sn_recording *recording);
SN_API double sn_recording_frame_time(const sn_recording *recording, int frame);
SN_API sn_status sn_recording_frame(sn_recording *recording, int frame, sn_world *world,
                                    sn_error *error); // loads it into a world
SN_API uint64_t
sn_recording_hash(const sn_recording *recording,
                  uint64_t step); // state hash after step 1, 2, ...; step 0: the start
SN_API double sn_recording_step_size(const sn_recording *recording,
                                     uint64_t step); // the h of that step

// Runs the recorded scene again and compares every step's hash. SN_ERROR_MISMATCH names the first
// step that differs. `progress` (may be NULL) is told the share done and may return false to stop.
typedef struct sn_replay {
    uint64_t compared;        // steps that agree
    uint64_t first_different; // 0: none
} sn_replay;

SN_API sn_status sn_recording_replay(sn_recording *recording, int threads,
                                     bool (*progress)(void *user, double share), void *user,
                                     sn_replay *replay, sn_error *error);

// ---- exports ----

// Rows of numbers with columns "name[unit]".
typedef struct sn_csv sn_csv;
SN_API sn_status sn_csv_open(const char *path, const char *const *columns, int count, sn_csv **csv,
                             sn_error *error);
SN_API sn_status sn_csv_row(sn_csv *csv, const double *values, sn_error *error);
SN_API sn_status sn_csv_close(sn_csv *csv, sn_error *error);

// The frames as a VTK series for ParaView: folder/<name>.pvd and one .vtp file a frame.
SN_API sn_status sn_export_vtk(sn_recording *recording, const char *folder, const char *name,
                               sn_error *error);

// The frames as one animated binary glTF 2.0 file (.glb).
SN_API sn_status sn_export_gltf(sn_recording *recording, const char *path, sn_error *error);

// A line plot of columns of a CSV file as SVG. `columns` NULL: every column but the first, which is
// the abscissa.
typedef struct sn_plot_def {
    const char *csv_path, *svg_path, *title;
    const char *const *columns; // names with or without "[unit]"
    int column_count;
    int width, height; // pixels, default 800 x 450
} sn_plot_def;

SN_API sn_plot_def sn_default_plot_def(void);
SN_API sn_status sn_plot_csv(const sn_plot_def *def, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
