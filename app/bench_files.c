// What scenes cost to read and recordings to write.
//
// Case `load`: a scene text of N boxes with a name, a position and an angular velocity each, in
// memory, is read and built into a world; us of processor time per body. Peers with a scene format
// of their own read the same bodies in it.
//
// Case `record`: N free bodies step with a recorder (a hash every step, a frame when one is due),
// in turns with the same world without one; ns of processor time per body and step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "bench.h"
#include "bench_world.h"
#include "files.h"
#include "progress.h"
#include "sinew/record.h"

// ---- load ----

// Freed with free.
static char *write_scene(int count, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    if (stream == NULL) {
        return NULL;
    }
    fputs("{\n  \"sinew\": 1,\n  \"materials\": { \"foam\": { \"density\": 33.3 } },\n"
          "  \"bodies\": [\n",
          stream);
    for (int i = 0; i < count; ++i) {
        sn_free_body start = sn_free_body_start(i);
        fprintf(stream,
                "    { \"name\": \"box %d\", \"material\": \"foam\", \"position\": [%.17g, %.17g, "
                "%.17g],\n      \"body_angular_velocity\": [%.17g, %.17g, %.17g],\n"
                "      \"shape\": { \"type\": \"box\", \"size\": [%g, %g, %g] } },\n",
                i, start.position[0], start.position[1], start.position[2], start.spin[0],
                start.spin[1], start.spin[2], sn_free_size[0], sn_free_size[1], sn_free_size[2]);
    }
    fputs("  ]\n}\n", stream);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static sn_status load(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    size_t length = 0;
    char *text = write_scene(bench->size, &length);
    if (text == NULL) {
        return sn_fail_memory(error, length);
    }
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_error_list errors = {0};
    double started = sn_processor_time();
    sn_status status = sn_scene_load_text("bench.json", text, length, NULL, &scene, &errors);
    double read = sn_processor_time();
    if (status == SN_OK) {
        status = sn_scene_build(scene, &world, error);
    } else if (errors.count > 0) {
        *error = errors.items[0];
    }
    double built = sn_processor_time();
    result->value = 1e6 * (built - started) / bench->size;
    result->quality[0] = 1e6 * (read - started) / bench->size;
    result->quality[1] = 1e6 * (built - read) / bench->size;
    result->quality[2] = (double)length / bench->size;
    sn_error_list_free(&errors);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    free(text);
    return status;
}

// ---- record ----

static sn_status record_steps(sn_world *world, sn_recorder *recorder, double h, int steps,
                              double *seconds, sn_error *error)
{
    double started = sn_processor_time();
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        status = sn_world_step(world, h, error);
        if (status == SN_OK) {
            status = sn_recorder_step(recorder, world, error);
        }
    }
    *seconds += sn_processor_time() - started;
    return status;
}

// Two worlds of the same bodies, in turns: with and without a recorder.
static sn_status record_world(const sn_bench_case *bench, const char *path, sn_bench_result *result,
                              sn_error *error)
{
    enum { TURNS = 4 };
    sn_world *world = NULL, *plain = NULL;
    sn_recorder *recorder = NULL;
    double with = 0.0, without = 0.0;
    sn_status status = sn_bench_world_create(bench->size, 1, &world, error);
    if (status == SN_OK) {
        status = sn_bench_world_create(bench->size, 1, &plain, error);
    }
    sn_recorder_def def = {
        .path = path, .world = world, .frame_step = bench->step * bench->parameter};
    if (status == SN_OK) {
        status = sn_recorder_open(&def, &recorder, error);
    }
    int steps = bench->steps / TURNS;
    for (int i = 0; i < TURNS && status == SN_OK; ++i) {
        double turn = 0.0;
        status = sn_bench_time_processor(plain, bench->step, steps, &turn, error);
        without += turn;
        if (status == SN_OK) {
            status = record_steps(world, recorder, bench->step, steps, &with, error);
        }
    }
    if (recorder != NULL) {
        double started = sn_processor_time();
        sn_status closed = sn_recorder_close(recorder, status == SN_OK ? error : NULL);
        status = status == SN_OK ? closed : status;
        with += sn_processor_time() - started;
    }
    double body_steps = (double)bench->size * steps * TURNS;
    struct stat file;
    double bytes = stat(path, &file) == 0 ? (double)file.st_size : NAN;
    result->value = 1e9 * with / body_steps;
    result->quality[0] = 1e9 * without / body_steps;
    result->quality[1] = with / without - 1.0;
    result->quality[2] = bytes / (body_steps / bench->parameter);
    sn_world_destroy(world);
    sn_world_destroy(plain);
    return status;
}

static sn_status record(const sn_bench_case *bench, sn_bench_result *result, sn_error *error)
{
    const char *temporary = getenv("TMPDIR");
    char folder[SN_PATH_LIMIT], path[SN_PATH_LIMIT];
    sn_status status =
        sn_folder_join(temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp",
                       "sinew-bench-XXXXXX", folder, error);
    if (status != SN_OK) {
        return status;
    }
    if (mkdtemp(folder) == NULL) {
        return sn_fail(error, SN_ERROR_FILE, folder, "a temporary folder cannot be made there");
    }
    status = sn_folder_join(folder, "run.snrec", path, error);
    if (status == SN_OK) {
        status = record_world(bench, path, result, error);
        unlink(path);
    }
    rmdir(folder);
    return status;
}

#define RECORD(text, steps_per_frame, step_count)                                                  \
    {                                                                                              \
        .name = "record", .title = text, .unit = "ns/body/step", .size = 1000,                     \
        .steps = step_count, .step = 1e-3, .parameter = (steps_per_frame),                         \
        .quality = {"without", "overhead", "bytes_per_body_and_frame"}, .run = record              \
    }

static const sn_bench_case cases[] = {
    {.name = "load",
     .title = "scene of 1,000 bodies, read and built",
     .unit = "us/body",
     .size = 1000,
     .steps = 1,
     .step = 1e-3,
     .quality = {"read", "build", "bytes_per_body"},
     .run = load},
    {.name = "load",
     .title = "scene of 10,000 bodies",
     .unit = "us/body",
     .size = 10000,
     .steps = 1,
     .step = 1e-3,
     .quality = {"read", "build", "bytes_per_body"},
     .run = load},
    RECORD("recording 1,000 bodies, 60 frames/s", 16, 1600),
    RECORD("recording 1,000 bodies, every step", 1, 400),
};

const sn_bench_group sn_bench_files = {"files", "scenes read and recordings written", cases,
                                       sizeof cases / sizeof cases[0]};
