// sinew thesis model: the thesis' demonstrations as files.
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "exit_code.h"
#include "terminal.h"
#include "thesis_operand.h"
#include "verbs.h"

enum { FILES = 7 }; // the last one, .dr, only where vertices are dragged

static const char *const demo_words[] = {"torus", "elast", "loop", "gizmo"};

// A light from the upper left, at infinity.
static sn_status write_looks(const char *textures_path, const char *lights_path, sn_error *error)
{
    sn_thesis_light light = {{-0.5, -0.7, 1.0, 0.0}, {1.0, 1.0, 1.0}};
    sn_thesis_file lights = {SN_THESIS_LIGHTS, 1, {&light}}, textures = {0};
    sn_status status = sn_thesis_default_textures(&textures, error);
    if (status == SN_OK) {
        status = sn_thesis_write(&textures, textures_path, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_write(&lights, lights_path, error);
    }
    sn_thesis_file_free(&textures);
    return status;
}

static sn_status write_model(const sn_thesis_model *model, const char *folder, const char *name,
                             char paths[FILES][SN_PATH_LIMIT], sn_error *error)
{
    static const sn_thesis_kind kinds[FILES] = {
        SN_THESIS_STATE,    SN_THESIS_TOPOLOGY, SN_THESIS_SURFACE, SN_THESIS_CONSTRAINTS,
        SN_THESIS_TEXTURES, SN_THESIS_LIGHTS,   SN_THESIS_DRAGS};
    int count = model->drag_count > 0 ? FILES : FILES - 1;
    sn_status status = sn_make_folders(folder, error);
    for (int k = 0; k < count && status == SN_OK; ++k) {
        char file[64];
        snprintf(file, sizeof file, "%s.%s", name, sn_thesis_ending(kinds[k]));
        status = sn_folder_join(folder, file, paths[k], error);
    }
    if (status == SN_OK) {
        sn_thesis_paths five = {paths[0], paths[1], paths[2], paths[3],
                                count == FILES ? paths[6] : NULL};
        status = sn_thesis_model_write(model, &five, error);
    }
    return status == SN_OK ? write_looks(paths[4], paths[5], error) : status;
}

static int run(const sn_arguments *arguments)
{
    const char *name = arguments->operands[0];
    sn_thesis_demo demo;
    if (!sn_thesis_demo_find(name, &demo)) {
        const char *near = sn_suggest(name, demo_words, SN_THESIS_DEMO_COUNT);
        return sn_usage_error(arguments->verb,
                              "there is no demonstration %.60s%s%s%s; expected torus, elast, loop "
                              "or gizmo",
                              name, near != NULL ? "; did you mean '" : "",
                              near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    char(*paths)[SN_PATH_LIMIT] = sn_allocate_zero(FILES * sizeof *paths);
    if (paths == NULL) {
        sn_complain(arguments, "out of memory");
        return SN_EXIT_SIMULATION;
    }
    sn_error error = {0};
    sn_thesis_model model = {0};
    const char *folder = sn_option_text(arguments, "out", ".");
    sn_status status = sn_thesis_demo_make(demo, &model, &error);
    bool made = status == SN_OK;
    if (made) {
        status = write_model(&model, folder, name, paths, &error);
    }
    if (status == SN_OK) {
        for (int k = 0; k < FILES && paths[k][0] != '\0'; ++k) {
            printf("%s\n", paths[k]);
        }
        sn_say(arguments,
               "%d tetrahedra, %d vertices, %d faces, %d fixed vertices; gravity %g cm/s^2",
               sn_tetrahedra_element_count(model.mesh), sn_tetrahedra_vertex_count(model.mesh),
               model.face_count, model.fixed_count, sn_thesis_demo_gravity(demo));
    } else {
        sn_complain(arguments, "%s", sn_error_message(&error));
    }
    sn_thesis_model_free(&model);
    sn_free(paths);
    return status == SN_OK ? SN_EXIT_OK : made ? SN_EXIT_OUTPUT : sn_exit_for(status);
}

static const sn_option options[] = {
    SN_OPTION_OUT(SN_OPTION_FOLDER, "FOLDER", "here", "where the files go"),
};

static const sn_example examples[] = {
    {"sinew thesis model torus", "torus.st, .tp, .su, .co, .tx and .li, here"},
    {"sinew thesis model gizmo -o doll", "into a folder"},
};

const sn_verb sn_verb_thesis_model = {
    .name = "thesis model",
    .operands = "torus|elast|loop|gizmo",
    .operand_kind = SN_OPERAND_NONE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "write a demonstration of the thesis as its files",
    .description = "In CGS units; counts, materials and fixed vertices are those of the thesis, "
                   "sizes and places ours.",
    SN_VERB_TABLES,
    .run = run,
};
