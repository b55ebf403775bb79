// sinew scenes [NAME]: what is built in.
#include <string.h>

#include "builtin.h"
#include "exit_code.h"
#include "files.h"
#include "json_writer.h"
#include "scene_source.h"
#include "terminal.h"
#include "verbs.h"

enum { DESCRIPTION_LIMIT = 512 };

typedef struct scene_entry {
    char name[128], title[128], description[DESCRIPTION_LIMIT];
} scene_entry;

static void describe(const sn_arguments *arguments, const sn_embedded_file *file,
                     scene_entry *entry)
{
    sn_builtin_name(file, entry->name, sizeof entry->name);
    entry->title[0] = entry->description[0] = '\0';
    sn_scene *scene = NULL;
    if (sn_scene_source_load(arguments, entry->name, &scene) == SN_EXIT_OK) {
        snprintf(entry->title, sizeof entry->title, "%s", sn_scene_name(scene));
        snprintf(entry->description, sizeof entry->description, "%s", sn_scene_description(scene));
        sn_scene_destroy(scene);
    }
}

static int list(const sn_arguments *arguments)
{
    bool as_json = sn_option_given(arguments, "json");
    sn_json_writer json = {.stream = stdout};
    if (as_json) {
        sn_json_write_open(&json, NULL, '[');
    }
    const sn_embedded_file *file = NULL;
    for (int i = 0; (file = sn_builtin_scene(i)) != NULL; ++i) {
        scene_entry entry;
        describe(arguments, file, &entry);
        if (as_json) {
            sn_json_write_open(&json, NULL, '{');
            sn_json_write_text(&json, "scene", entry.name);
            sn_json_write_text(&json, "name", entry.title);
            sn_json_write_text(&json, "description", entry.description);
            sn_json_write_close(&json);
        } else {
            // The list shows the first sentence; the scene itself has the rest.
            const char *stop = strstr(entry.description, ". ");
            int length =
                stop != NULL ? (int)(stop - entry.description) + 1 : (int)strlen(entry.description);
            const char *text = length > 0 ? entry.description : entry.title;
            printf("%s%-24s%s %.*s\n", sn_style_on(arguments, stdout, SN_STYLE_BOLD), entry.name,
                   sn_style_off(arguments, stdout), length > 0 ? length : 128, text);
        }
    }
    if (as_json) {
        sn_json_write_close(&json);
    }
    return SN_EXIT_OK;
}

static int unknown(const char *name)
{
    char near[128];
    if (sn_builtin_suggest(name, near, sizeof near) != NULL) {
        sn_usage_error(&sn_verb_scenes, "no built-in scene '%s'; did you mean '%s'?", name, near);
    } else {
        sn_usage_error(&sn_verb_scenes, "no built-in scene '%s'", name);
    }
    return SN_EXIT_INPUT;
}

// Does the scene name this file of its folder, such as a robot's?
static bool refers_to(const sn_embedded_file *scene, const sn_embedded_file *file)
{
    const char *slash = strrchr(file->name, '/');
    char quoted[SN_PATH_LIMIT];
    snprintf(quoted, sizeof quoted, "\"%s\"", slash != NULL ? slash + 1 : file->name);
    return strstr((const char *)scene->data, quoted) != NULL;
}

// All embedded files, or those of one scene, with the folders they stand in, so that includes,
// robots and "$schema" keep working.
static int copy_to(const sn_arguments *arguments, const char *folder, const sn_embedded_file *only)
{
    sn_error error = {0};
    int copied = 0;
    for (int i = 0; i < sn_embedded_file_count; ++i) {
        const sn_embedded_file *file = &sn_embedded_files[i];
        char path[SN_PATH_LIMIT], above[SN_PATH_LIMIT];
        bool wanted = only == NULL || file == only || strncmp(file->name, "schema/", 7) == 0 ||
                      refers_to(only, file);
        if (!wanted || strncmp(file->name, "docs/", 5) == 0) {
            continue;
        }
        sn_status status = sn_folder_join(folder, file->name, path, &error);
        if (status == SN_OK) {
            snprintf(above, sizeof above, "%.*s", (int)(strrchr(path, '/') - path), path);
            status = sn_make_folders(above, &error);
        }
        if (status == SN_OK && sn_path_exists(path) && !sn_option_given(arguments, "force")) {
            sn_complain(arguments, "%s exists; --force writes over it", path);
            return SN_EXIT_OUTPUT;
        }
        if (status == SN_OK) {
            status = sn_write_file(path, (const char *)file->data, file->size, &error);
        }
        if (status != SN_OK) {
            sn_complain(arguments, "%s", sn_error_message(&error));
            return SN_EXIT_OUTPUT;
        }
        ++copied;
    }
    sn_say(arguments, "copied %d file%s to %s", copied, copied == 1 ? "" : "s", folder);
    return SN_EXIT_OK;
}

// What it is and what can be turned.
static int introduce(const sn_arguments *arguments, const sn_embedded_file *file)
{
    char name[128];
    sn_builtin_name(file, name, sizeof name);
    sn_scene *scene = NULL;
    int code = sn_scene_source_load(arguments, name, &scene);
    if (code != SN_EXIT_OK) {
        return code;
    }
    printf("%s%s%s\n", sn_style_on(arguments, stdout, SN_STYLE_BOLD), sn_scene_name(scene),
           sn_style_off(arguments, stdout));
    if (sn_scene_description(scene)[0] != '\0') {
        printf("%s\n", sn_scene_description(scene));
    }
    int count = sn_scene_param_count(scene);
    printf("%s", count > 0 ? "\nTurn with --set NAME=VALUE:\n" : "");
    for (int i = 0; i < count; ++i) {
        sn_param param = sn_scene_param(scene, i);
        printf("  %s=%g  %s%s%s%s\n", param.name, param.value,
               param.label != NULL ? param.label : "",
               param.unit != NULL && param.unit[0] != '\0' ? " [" : "",
               param.unit != NULL ? param.unit : "",
               param.unit != NULL && param.unit[0] != '\0' ? "]" : "");
    }
    printf("\nsinew run %s\n", name);
    sn_scene_destroy(scene);
    return SN_EXIT_OK;
}

static int run(const sn_arguments *arguments)
{
    const sn_embedded_file *file = NULL;
    if (arguments->operand_count == 1) {
        file = sn_builtin_find(arguments->operands[0]);
        if (file == NULL) {
            return unknown(arguments->operands[0]);
        }
    }
    const char *folder = sn_option_text(arguments, "copy", NULL);
    if (folder != NULL) {
        return copy_to(arguments, folder, file);
    }
    if (file == NULL) {
        return list(arguments);
    }
    if (sn_option_given(arguments, "json")) {
        scene_entry entry;
        describe(arguments, file, &entry);
        sn_json_writer json = {.stream = stdout};
        sn_json_write_open(&json, NULL, '{');
        sn_json_write_text(&json, "scene", entry.name);
        sn_json_write_text(&json, "name", entry.title);
        sn_json_write_text(&json, "description", entry.description);
        sn_json_write_text(&json, "text", (const char *)file->data);
        sn_json_write_close(&json);
        return SN_EXIT_OK;
    }
    if (sn_option_given(arguments, "show")) {
        fwrite(file->data, 1, file->size, stdout);
        return SN_EXIT_OK;
    }
    return introduce(arguments, file);
}

static const sn_option options[] = {
    {.name = "show", .letter = 's', .doc = "print the named scene's text"},
    {.name = "json", .doc = "print JSON"},
    {.name = "copy",
     .type = SN_OPTION_FOLDER,
     .value = "FOLDER",
     .doc = "copy the named scene, or all, with the schema, as a start for your own"},
    {.name = "force", .doc = "with --copy: write over files that exist"},
};

static const sn_example examples[] = {
    {"sinew scenes", "list the built-in scenes"},
    {"sinew scenes tumbling-racket", "what it is, and what can be turned"},
    {"sinew scenes tumbling-racket --show", "print its text"},
    {"sinew scenes --copy my-scenes", "copy them all, to change and run"},
};

const sn_verb sn_verb_scenes = {
    .name = "scenes",
    .operands = "[NAME]",
    .operand_kind = SN_OPERAND_SCENE,
    .maximum_operands = 1,
    .summary = "list, print or copy the built-in scenes",
    SN_VERB_TABLES,
    .run = run,
};
