// sinew export: a recording for other programs, or a scene resolved to plain numbers.
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exit_code.h"
#include "files.h"
#include "recording_source.h"
#include "run_result.h"
#include "scene/path.h"
#include "scene/text.h"
#include "scene_source.h"
#include "sinew/geometry.h"
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
        moving += sn_body_get_type(world, sn_world_body(world, i)) != SN_BODY_STATIC ? 1 : 0;
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
        if (sn_body_get_type(world, body) == SN_BODY_STATIC) {
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

// Every thing that URDF has no word for, on stderr.
static void tell_left_out(const sn_arguments *arguments, const sn_error_list *left_out)
{
    for (int i = 0; i < left_out->count; ++i) {
        const sn_error *error = &left_out->items[i];
        sn_say(arguments, "%s%sleft out: %s", error->place, error->place[0] != '\0' ? ": " : "",
               error->text);
    }
    if (left_out->left_out > 0) {
        sn_say(arguments, "and %d more left out", left_out->left_out);
    }
}

// Meshes stand beside the URDF: arm.urdf has arm-0.obj, arm-1.obj, ...
typedef struct mesh_folder {
    const char *path; // of the URDF
    char name[160];
} mesh_folder;

static sn_status keep_mesh(void *user, const char *body, int number, const sn_mesh *mesh,
                           const char **file_name, sn_error *error)
{
    mesh_folder *folder = user;
    char stem[128], path[SN_PATH_LIMIT];
    snprintf(folder->name, sizeof folder->name, "%s-%d.obj",
             sn_path_stem(folder->path, stem, sizeof stem), number);
    size_t length = sn_path_folder_length(folder->path);
    if (length + strlen(folder->name) + 2 > sizeof path) {
        return sn_fail(error, SN_ERROR_FILE, folder->path, "the path is too long");
    }
    snprintf(path, sizeof path, "%.*s%s%s", (int)length, folder->path, length > 0 ? "/" : "",
             folder->name);
    sn_text text = {0};
    sn_text_format(&text, "# %.100s\n", body);
    for (int i = 0; i < sn_mesh_vertex_count(mesh); ++i) {
        const double *p = &sn_mesh_positions(mesh)[i].x;
        sn_text_add(&text, "v");
        for (int k = 0; k < 3; ++k) {
            sn_text_add(&text, " ");
            sn_text_number(&text, p[k]);
        }
        sn_text_add(&text, "\n");
    }
    for (int i = 0; i < sn_mesh_triangle_count(mesh); ++i) {
        const int *t = &sn_mesh_triangles(mesh)[3 * i];
        sn_text_format(&text, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    sn_status status = text.failed ? sn_fail_memory(error, text.length)
                                   : sn_write_file(path, text.data, text.length, error);
    sn_text_free(&text);
    *file_name = folder->name;
    return status;
}

static int export_scene(const sn_arguments *arguments, const char *operand, const char *path,
                        bool urdf)
{
    sn_scene *scene = NULL;
    int code = sn_scene_source_load(arguments, operand, &scene);
    if (code != SN_EXIT_OK) {
        return code;
    }
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    sn_error_list left_out = {0};
    mesh_folder folder = {.path = path};
    sn_urdf_options keep = {keep_mesh, &folder}, none = {0};
    const sn_urdf_options *how = strcmp(path, "-") != 0 ? &keep : &none;
    sn_status status = urdf ? sn_scene_urdf_text(scene, how, &text, &length, &left_out, &error)
                            : sn_scene_resolved_text(scene, &text, &length, &error);
    code = status == SN_ERROR_FILE ? SN_EXIT_OUTPUT : sn_exit_for(status);
    if (status == SN_OK) {
        status = sn_write_file(path, text, length, &error);
        code = status == SN_OK ? SN_EXIT_OK : SN_EXIT_OUTPUT;
    }
    if (status != SN_OK) {
        sn_complain(arguments, "%s", sn_error_message(&error));
    } else {
        tell_left_out(arguments, &left_out);
    }
    sn_error_list_free(&left_out);
    sn_scene_free_text(text);
    sn_scene_destroy(scene);
    return code;
}

static int run(const sn_arguments *arguments)
{
    const char *operand = arguments->operands[0];
    const char *resolved = sn_option_text(arguments, "resolved", NULL);
    const char *urdf = sn_option_text(arguments, "urdf", NULL);
    bool of_recording = sn_option_given(arguments, "vtk") || sn_option_given(arguments, "gltf") ||
                        sn_option_given(arguments, "csv");
    bool of_scene = resolved != NULL || urdf != NULL;
    if (!of_scene && !of_recording) {
        return sn_usage_error(&sn_verb_export,
                              "say into what: --vtk, --gltf, --csv (of a recording), --resolved "
                              "or --urdf (of a scene)");
    }
    if (of_scene && of_recording) {
        return sn_usage_error(&sn_verb_export, "--resolved and --urdf are for scenes; --vtk, "
                                               "--gltf and --csv for recordings");
    }
    if (of_recording) {
        return export_recording(arguments, operand);
    }
    int code = resolved != NULL ? export_scene(arguments, operand, resolved, false) : SN_EXIT_OK;
    return code == SN_EXIT_OK && urdf != NULL ? export_scene(arguments, operand, urdf, true) : code;
}

static const sn_option options[] = {
    {.name = "vtk",
     .type = SN_OPTION_FOLDER,
     .value = "FOLDER",
     .doc = "a recording as a VTK series for ParaView"},
    {.name = "gltf",
     .type = SN_OPTION_FILE,
     .value = "FILE.glb",
     .doc = "a recording as an animated glTF 2.0 file",
     .endings = ".glb"},
    {.name = "csv",
     .type = SN_OPTION_FILE,
     .value = "FILE",
     .doc = "a recording as CSV: pose and velocity of every body, a row per frame"},
    {.name = "resolved",
     .type = SN_OPTION_FILE,
     .value = "FILE",
     .doc = "a scene as one self-contained file of SI numbers; - is standard output"},
    {.name = "urdf",
     .type = SN_OPTION_FILE,
     .value = "FILE.urdf",
     .doc = "a scene's mechanism as URDF, meshes beside it; what URDF cannot say is told on "
            "stderr"},
    SN_OPTIONS_ROBOT,
};

static const sn_example examples[] = {
    {"sinew export out/tumbling-racket --gltf racket.glb", "to look at in any 3D viewer"},
    {"sinew export out/tumbling-racket --vtk frames", "for ParaView"},
    {"sinew export run.snrec --csv poses.csv", "for a spreadsheet or a script"},
    {"sinew export my.json --resolved plain.json", "without includes, units, expressions"},
    {"sinew export my.json --urdf my.urdf", "bodies and joints for robot software"},
};

const sn_verb sn_verb_export = {
    .name = "export",
    .operands = "RECORDING|SCENE",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "write a recording or a scene for other programs",
    SN_VERB_TABLES,
    .run = run,
};
