// Sinew recordings: what a run leaves behind, and what can be made of it.
//
//     sn_recorder *recorder = NULL;
//     sn_recorder_def def = {.path = "out/run.snrec", .scene = scene, .world = world};
//     sn_recorder_open(&def, &recorder, &error);
//     while (sn_world_time(world) < 10.0) {
//         sn_world_step(world, 0.001, &error);
//         sn_recorder_step(recorder, world, &error); // a hash every step, a frame when one is due
//     }
//     sn_recorder_close(recorder, &error);
//
// A recording is a binary file of checksummed chunks: the resolved scene, version and seed, then
// frames (the whole state) and one state hash per step. It is readable up to the last complete
// chunk however the run ended: killed, crashed or on a full disk. docs/recording-format.md
// describes it.
//
// From a recording come a replay that proves it bit for bit, a VTK series for ParaView and an
// animated glTF file. CSV files and SVG plots of them stand on their own.
//
// What it does not do: bodies must not come or go while a recording runs. Where a program changes
// the state between steps (places, velocities) it says so by sn_recorder_jump, and a replay goes on
// from there; other changes (forces, params) are in the frames but not in a replay.
// Nothing here is locked: one thread at a time per recorder or recording. Units are SI.
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
    const sn_scene *scene; // may be NULL: then frames and hashes only
    const sn_world *world;
    double frame_step; // s between frames; 0: the scene's record_step, every step without a scene
} sn_recorder_def;

// Starts a recording and writes the first frame, the state as it is now.
SN_API sn_status sn_recorder_open(const sn_recorder_def *def, sn_recorder **recorder,
                                  sn_error *error);

// After each sn_world_step: keeps the step's hash, and the frame when one is due. After a failure
// (a full disk, say) the recorder stays safe to call and tells the same failure again.
SN_API sn_status sn_recorder_step(sn_recorder *recorder, const sn_world *world, sn_error *error);

// A frame of the state as it is now, due or not; nothing when this step has one already. Before the
// close, it makes the end of the run part of the recording.
SN_API sn_status sn_recorder_frame(sn_recorder *recorder, const sn_world *world, sn_error *error);

// After the state was changed between two steps: what the next step starts from, with what contacts
// remember. A replay loads it there.
SN_API sn_status sn_recorder_jump(sn_recorder *recorder, const sn_world *world, sn_error *error);

// Writes what is pending and the index, and waits for the disk. The recorder is gone afterwards,
// whatever the status.
SN_API sn_status sn_recorder_close(sn_recorder *recorder, sn_error *error);

// ---- reading ----

SN_API sn_status sn_recording_open(const char *path, sn_recording **recording, sn_error *error);

// The bytes must outlive the recording.
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
SN_API int sn_recording_body_count(const sn_recording *recording);
SN_API const char *sn_recording_body_name(const sn_recording *recording, int body); // NULL: no such
SN_API double sn_recording_frame_time(const sn_recording *recording, int frame);

// Loads a frame into a world of the same structure. Frames in rising order are quickest.
SN_API sn_status sn_recording_frame(sn_recording *recording, int frame, sn_world *world,
                                    sn_error *error);

// The same as bytes for sn_world_load_state; they stay until the next call.
SN_API sn_status sn_recording_frame_state(sn_recording *recording, int frame, const void **state,
                                          size_t *size, sn_error *error);

// State hash after step 1, 2, ... step_count of the recording; step 0: the start. Beyond: 0.
SN_API uint64_t sn_recording_hash(const sn_recording *recording, uint64_t step);

// The h of that step; 0 for step 0 and beyond the end.
SN_API double sn_recording_step_size(const sn_recording *recording, uint64_t step);

// A world built from the recorded scene, in its first state. SN_ERROR_UNSUPPORTED for a recording
// without a scene.
SN_API sn_status sn_recording_build_world(const sn_recording *recording, int threads,
                                          sn_world **world, sn_error *error);

// Runs the recorded scene again and compares every step's hash. SN_ERROR_MISMATCH names the first
// step that differs. `progress` (may be NULL) is told the share done and may return false to stop.
typedef struct sn_replay {
    uint64_t compared;        // steps that agree
    uint64_t first_different; // 0: none; 0 with SN_ERROR_MISMATCH: the start itself
} sn_replay;

SN_API sn_status sn_recording_replay(sn_recording *recording, int threads,
                                     bool (*progress)(void *user, double share), void *user,
                                     sn_replay *replay, sn_error *error);

// The same with a world of the caller's, which is first set to the recording's first frame: for
// recordings without a scene, and for worlds with callbacks.
SN_API sn_status sn_recording_replay_world(sn_recording *recording, sn_world *world,
                                           bool (*progress)(void *user, double share), void *user,
                                           sn_replay *replay, sn_error *error);

// ---- exports ----

// Rows of numbers with columns "name[unit]". Numbers are written with the fewest digits that read
// back as the same double; "nan", "inf" and "-inf" stand for what they are.
typedef struct sn_csv sn_csv;
SN_API sn_status sn_csv_open(const char *path, const char *const *columns, int count, sn_csv **csv,
                             sn_error *error);
SN_API sn_status sn_csv_row(sn_csv *csv, const double *values, sn_error *error);
SN_API sn_status sn_csv_close(sn_csv *csv, sn_error *error);

// The frames as a VTK series for ParaView: folder/<name>.pvd and one .vtp file a frame, with every
// body's surface in place. Cell data: body (its number) and colour; point data: velocity. Where
// bodies bend, also folder/<name>_solid.pvd and one .vtu file a frame with their tetrahedra: point
// data displacement (since the first frame) and velocity, cell data stretch (volume by that at
// rest), body and region. The _world form takes a world of the recording's structure, whose state
// it changes.
SN_API sn_status sn_export_vtk(sn_recording *recording, const char *folder, const char *name,
                               sn_error *error);
SN_API sn_status sn_export_vtk_world(sn_recording *recording, sn_world *world, const char *folder,
                                     const char *name, sn_error *error);

// The frames as one animated binary glTF 2.0 file (.glb), y up as glTF wants it. Its time starts at
// 0. Bodies that bend have morph targets, at most 240 of them.
SN_API sn_status sn_export_gltf(sn_recording *recording, const char *path, sn_error *error);
SN_API sn_status sn_export_gltf_world(sn_recording *recording, sn_world *world, const char *path,
                                      sn_error *error);

// A line plot of columns of a CSV file as SVG. The first column is the abscissa. Columns of one
// unit share a panel; panels stand one above the other.
typedef struct sn_plot_def {
    const char *csv_path, *svg_path;
    const char *title;          // NULL or "": none
    const char *const *columns; // names with or without "[unit]"; NULL: every column but the first
    int column_count;
    int width, height; // pixels; 0: 800, and 450 or more as the panels need
    bool log_scale;    // of the ordinates; values that are not positive leave gaps
} sn_plot_def;

SN_API sn_plot_def sn_default_plot_def(void);
// Of a table with kinetic[J] and total[J], potential[J] is drawn from its first row on, total[J]
// with it, and round-off as zero; as they are with a logarithmic scale.
SN_API sn_status sn_plot_csv(const sn_plot_def *def, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
