// sinew export: a recording for other programs, or a scene resolved to plain numbers.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exit_code.h"
#include "files.h"
#include "recording_source.h"
#include "run_result.h"
#include "scene_source.h"
#include "terminal.h"
#include "verbs.h"

// ---- CSV: what every body does, frame by frame ----

enum { BODY_COLUMNS = 13 };

static const sn_quantity body_quantities[BODY_COLUMNS] = {
    SN_QUANTITY_POSITION_X,         SN_QUANTITY_POSITION_Y,         SN_QUANTITY_POSITION_Z,
    SN_QUANTITY_ROTATION_W,         SN_QUANTITY_ROTATION_X,         SN_QUANTITY_ROTATION_Y,
    SN_QUANTITY_ROTATION_Z,         SN_QUANTITY_VELOCITY_X,         SN_QUANTITY_VELOCITY_Y,
    SN_QUANTITY_VELOCITY_Z,         SN_QUANTITY_ANGULAR_VELOCITY_X, SN_QUANTITY_ANGULAR_VELOCITY_Y,
    SN_QUANTITY_ANGULAR_VELOCITY_Z,
};

typedef struct frame_table {
    sn_run_column *columns;
    const char **names; // count + 1
    double *row;        // count + 1
    int count;
} frame_table;

static void table_free(frame_table *table)
{
    sn_free(table->columns);
    sn_free(table->names);
    sn_free(table->row);
}

static sn_status table_make(frame_table *table, const sn_world *world, sn_error *error)
{
    int moving = 0, bodies = sn_world_body_count(world);
    for (int i = 0; i < bodies; ++i) {
        moving += sn_body_get_type(world, sn_world_body(world, i)) == SN_BODY_RIGID ? 1 : 0;
    }
    size_t count = (size_t)moving * BODY_COLUMNS + 1;
    table->columns = sn_allocate_zero(count * sizeof *table->columns);
    table->names = sn_allocate(count * sizeof *table->names);
    table->row = sn_allocate(count * sizeof *table->row);
    if (table->columns == NULL || table->names == NULL || table->row == NULL) {
        return sn_fail_memory(error, count * sizeof *table->columns);
    }
    table->names[0] = "time[s]";
    for (int i = 0; i < bodies; ++i) {
        sn_body body = sn_world_body(world, i);
        if (sn_body_get_type(world, body) != SN_BODY_RIGID) {
            continue;
        }
        for (int j = 0; j < BODY_COLUMNS; ++j) {
            sn_run_column *column = &table->columns[table->count];
            column->probe = (sn_probe){.body = body, .quantity = body_quantities[j]};
            snprintf(column->name, sizeof column->name, "%.120s.%s[%s]", sn_body_name(world, body),
                     sn_quantity_word(body_quantities[j]), sn_quantity_unit(body_quantities[j]));
            table->names[++table->count] = column->name;
        }
    }
    return SN_OK;
}

static sn_status write_frames(sn_recording *recording, sn_world *world, frame_table *table,
                              sn_csv *csv, sn_error *error)
{
    sn_status status = SN_OK;
    int frames = sn_recording_get_info(recording).frame_count;
    for (int i = 0; i < frames && status == SN_OK; ++i) {
        status = sn_recording_frame(recording, i, world, error);
        table->row[0] = sn_recording_frame_time(recording, i);
        for (int j = 0; j < table->count; ++j) {
            table->row[j + 1] = sn_probe_read(world, &table->columns[j].probe);
        }
        if (status == SN_OK) {
            status = sn_csv_row(csv, table->row, error);
        }
    }
    return status;
}

static sn_status export_csv(sn_recording *recording, const char *path, sn_error *error)
{
    sn_world *world = NULL;
    frame_table table = {0};
    sn_csv *csv = NULL;
    sn_status status = sn_recording_build_world(recording, 1, &world, error);
    if (status == SN_OK) {
        status = table_make(&table, world, error);
    }
    if (status == SN_OK) {
        status = sn_csv_open(path, table.names, table.count + 1, &csv, error);
    }
    if (status == SN_OK) {
        status = write_frames(recording, world, &table, csv, error);
        sn_status closed = sn_csv_close(csv, status == SN_OK ? error : NULL);
        status = status == SN_OK ? closed : status;
    }
    table_free(&table);
    sn_world_destroy(world);
    return status;
}

// ---- the verb ----

static int export_recording(const sn_arguments *arguments, const char *operand)
{
    const char *vtk = sn_option_text(arguments, "vtk", NULL);
    const char *gltf = sn_option_text(arguments, "gltf", NULL);
    const char *csv = sn_option_text(arguments, "csv", NULL);
    sn_recording *recording = NULL;
    int code = sn_recording_load(arguments, operand, &recording);
    if (code != SN_EXIT_OK) {
        return code;
    }
    sn_error error = {0};
    sn_status status = SN_OK;
    char name[128];
    sn_path_stem(operand, name, sizeof name);
    int frames = sn_recording_get_info(recording).frame_count;
    if (vtk != NULL) {
        status = sn_make_folders(vtk, &error);
        if (status == SN_OK) {
            status = sn_export_vtk(recording, vtk, name, &error);
        }
        if (status == SN_OK) {
            sn_say(arguments, "%s/%s.pvd: %d frames for ParaView", vtk, name, frames);
        }
    }
    if (status == SN_OK && gltf != NULL) {
        status = sn_export_gltf(recording, sn_path_for_output(gltf), &error);
        if (status == SN_OK) {
            sn_say(arguments, "%s: %d frames as glTF animation", gltf, frames);
        }
    }
    if (status == SN_OK && csv != NULL) {
        status = export_csv(recording, sn_path_for_output(csv), &error);
        if (status == SN_OK) {
            sn_say(arguments, "%s: %d rows", csv, frames);
        }
    }
    sn_recording_close(recording);
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
        return status == SN_ERROR_FILE ? SN_EXIT_OUTPUT : sn_exit_for(status);
    }
    return SN_EXIT_OK;
}

static int export_scene(const sn_arguments *arguments, const char *operand, const char *path)
{
    sn_scene *scene = NULL;
    int code = sn_scene_source_load(arguments, operand, &scene);
    if (code != SN_EXIT_OK) {
        return code;
    }
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    sn_status status = sn_scene_resolved_text(scene, &text, &length, &error);
    code = sn_exit_for(status);
    if (status == SN_OK) {
        status = sn_write_file(path, text, length, &error);
        code = status == SN_OK ? SN_EXIT_OK : SN_EXIT_OUTPUT;
    }
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
    }
    sn_scene_free_text(text);
    sn_scene_destroy(scene);
    return code;
}

static int run(const sn_arguments *arguments)
{
    const char *operand = arguments->operands[0];
    const char *resolved = sn_option_text(arguments, "resolved", NULL);
    bool of_recording = sn_option_given(arguments, "vtk") || sn_option_given(arguments, "gltf") ||
                        sn_option_given(arguments, "csv");
    if (resolved == NULL && !of_recording) {
        return sn_usage_error(&sn_verb_export,
                              "say into what: --vtk, --gltf, --csv (of a recording) or --resolved "
                              "(of a scene)");
    }
    if (resolved != NULL && of_recording) {
        return sn_usage_error(&sn_verb_export,
                              "--resolved is for scenes; --vtk, --gltf and --csv for recordings");
    }
    return resolved != NULL ? export_scene(arguments, operand, resolved)
                            : export_recording(arguments, operand);
}

static const sn_option options[] = {
    {.name = "vtk",
     .type = SN_OPTION_FOLDER,
     .value = "FOLDER",
     .doc = "a recording as a VTK series for ParaView"},
    {.name = "gltf",
     .type = SN_OPTION_FILE,
     .value = "FILE.glb",
     .doc = "a recording as an animated glTF 2.0 file"},
    {.name = "csv",
     .type = SN_OPTION_FILE,
     .value = "FILE",
     .doc = "a recording as CSV: pose and velocity of every body, a row per frame"},
    {.name = "resolved",
     .type = SN_OPTION_FILE,
     .value = "FILE",
     .doc = "a scene as one self-contained file of SI numbers; - is standard output"},
};

static const sn_example examples[] = {
    {"sinew export out/tumbling-racket --gltf racket.glb", "to look at in any 3D viewer"},
    {"sinew export out/tumbling-racket --vtk frames", "for ParaView"},
    {"sinew export run.snrec --csv poses.csv", "for a spreadsheet or a script"},
    {"sinew export my.json --resolved plain.json", "without includes, units, expressions"},
};

const sn_verb sn_verb_export = {
    .name = "export",
    .operands = "RECORDING|SCENE",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "write a recording or a scene for other programs",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .run = run,
};
