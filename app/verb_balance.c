// sinew balance SCENE: makes mobiles hang true, and writes what is needed to build them.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exit_code.h"
#include "files.h"
#include "json_writer.h"
#include "scene_source.h"
#include "sinew/mobile.h"
#include "terminal.h"
#include "verbs.h"

static const double DEGREES = 57.295779513082320877;

static const char *const ways[] = {
#define X(name, word, text) word,
    SN_BALANCE_LIST(X)
#undef X
        NULL};

// ---- text ----

static void print_arm(const sn_mobile_part *part)
{
    const sn_hanging *h = &part->hanging;
    printf("%-28s %9.2f %10.3f %9.2f %9.2f %9.3f %10.2g  %s\n", part->name, 1000.0 * part->hook,
           1000.0 * h->load, 1000.0 * h->depth, DEGREES * h->tilt_per_gram, h->period, h->torque,
           !h->stable                ? "topples"
           : h->tilt * DEGREES > 0.1 ? "tilts"
                                     : "stable");
}

static void print_piece(const sn_mobile_part *part)
{
    printf("%-28s %-6s %8.2f %8.3f %9.3f %8.4f %7.1f  %s\n", part->name, part->kind,
           1000.0 * part->length, 1000.0 * part->thickness, 1000.0 * part->mass, part->size,
           1000.0 * part->string, part->fixed ? "fixed" : "hangs");
}

static void print_text(const sn_scene *scene, int mobile)
{
    int count = sn_scene_mobile_part_count(scene, mobile);
    printf("%s: %d parts, %.2f g\n\n", sn_scene_mobile_name(scene, mobile), count,
           1000.0 * sn_scene_mobile_part(scene, mobile, 0).hanging.load);
    printf("%-28s %9s %10s %9s %9s %9s %10s\n", "arm", "hook[mm]", "carries[g]", "below[mm]",
           "deg/gram", "period[s]", "left[N m]");
    for (int i = 0; i < count; ++i) {
        sn_mobile_part part = sn_scene_mobile_part(scene, mobile, i);
        if (strcmp(part.kind, "arm") == 0) {
            print_arm(&part);
        }
    }
    printf("\n%-28s %-6s %8s %8s %9s %8s %7s\n", "piece", "kind", "long[mm]", "mm", "mass[g]",
           "size", "string");
    for (int i = 0; i < count; ++i) {
        sn_mobile_part part = sn_scene_mobile_part(scene, mobile, i);
        if (strcmp(part.kind, "arm") != 0) {
            print_piece(&part);
        }
    }
}

// ---- JSON ----

static void json_part(sn_json_writer *json, const sn_mobile_part *part)
{
    sn_json_write_open_flat(json, NULL, '{');
    sn_json_write_text(json, "name", part->name);
    sn_json_write_text(json, "kind", part->kind);
    sn_json_write_text(json, "parent", part->parent);
    sn_json_write_bool(json, "fixed", part->fixed);
    sn_json_write_number(json, "mass", part->mass);
    sn_json_write_number(json, "length", part->length);
    sn_json_write_number(json, "thickness", part->thickness);
    sn_json_write_number(json, "size", part->size);
    sn_json_write_number(json, "string", part->string);
    if (strcmp(part->kind, "arm") == 0) {
        sn_json_write_number(json, "hook", part->hook);
        sn_json_write_number(json, "tilt_per_gram", part->hanging.tilt_per_gram);
    }
    if (!part->fixed) {
        sn_json_write_number(json, "load", part->hanging.load);
        sn_json_write_bool(json, "stable", part->hanging.stable);
        sn_json_write_number(json, "depth", part->hanging.depth);
        sn_json_write_number(json, "torque", part->hanging.torque);
        sn_json_write_number(json, "tilt", part->hanging.tilt);
        sn_json_write_number(json, "frequency", part->hanging.frequency);
        sn_json_write_number(json, "period", part->hanging.period);
    }
    sn_json_write_close(json);
}

static void print_json(const sn_scene *scene)
{
    sn_json_writer json = {.stream = stdout};
    sn_json_write_open(&json, NULL, '{');
    sn_json_write_open(&json, "mobiles", '[');
    for (int m = 0; m < sn_scene_mobile_count(scene); ++m) {
        sn_json_write_open(&json, NULL, '{');
        sn_json_write_text(&json, "name", sn_scene_mobile_name(scene, m));
        sn_json_write_open(&json, "parts", '[');
        for (int i = 0; i < sn_scene_mobile_part_count(scene, m); ++i) {
            sn_mobile_part part = sn_scene_mobile_part(scene, m, i);
            json_part(&json, &part);
        }
        sn_json_write_close(&json);
        sn_json_write_close(&json);
    }
    sn_json_write_close(&json);
    sn_json_write_close(&json);
}

// ---- files ----

static int fail(const sn_arguments *arguments, const sn_error *error, int code)
{
    sn_error copy = *error;
    sn_complain(arguments, "%s", sn_error_message(&copy));
    return code;
}

static int write_output(const sn_arguments *arguments, const char *path, char *text, size_t length,
                        const char *what)
{
    sn_error error = {0};
    sn_status status = sn_write_file(path, text, length, &error);
    sn_scene_free_text(text);
    if (status != SN_OK) {
        return fail(arguments, &error, SN_EXIT_OUTPUT);
    }
    sn_say(arguments, "%s: %s", path, what);
    return SN_EXIT_OK;
}

// The scene as its author wrote it, with other numbers.
static int write_scene(const sn_arguments *arguments, const sn_scene *scene,
                       const sn_scene_source *source, const char *path)
{
    char *owned = NULL, *balanced = NULL;
    const char *text = source->text;
    size_t length = source->length;
    sn_error error = {0};
    sn_status status = SN_OK;
    if (text == NULL) {
        status = sn_read_file(source->name, &owned, &length, &error);
        text = owned;
    }
    if (status == SN_OK) {
        status = sn_scene_balanced_text(scene, text, length, &balanced, &length, &error);
    }
    sn_free(owned);
    if (status != SN_OK) {
        return fail(arguments, &error, sn_exit_for(status));
    }
    return write_output(arguments, path, balanced, length, "the balanced scene");
}

// "sheet.html", or "sheet-NAME.html" where there are several mobiles.
static void sheet_path(const sn_scene *scene, int mobile, const char *path, char *result,
                       size_t size)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    size_t stem =
        dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - path) : strlen(path);
    if (sn_scene_mobile_count(scene) == 1 || strcmp(path, "-") == 0) {
        snprintf(result, size, "%s", path);
    } else {
        snprintf(result, size, "%.*s-%s%s", (int)stem, path, sn_scene_mobile_name(scene, mobile),
                 path + stem);
    }
}

static int write_sheets(const sn_arguments *arguments, const sn_scene *scene, const char *path)
{
    int code = SN_EXIT_OK;
    for (int m = 0; m < sn_scene_mobile_count(scene) && code == SN_EXIT_OK; ++m) {
        char *text = NULL, place[SN_PATH_LIMIT];
        size_t length = 0;
        sn_error error = {0};
        sn_status status = sn_scene_build_sheet(scene, m, &text, &length, &error);
        sheet_path(scene, m, path, place, sizeof place);
        code = status == SN_OK ? write_output(arguments, place, text, length, "the build sheet")
                               : fail(arguments, &error, sn_exit_for(status));
    }
    return code;
}

typedef sn_status (*cut_writer)(const sn_scene *scene, int mobile, int part, char **text,
                                size_t *length, sn_error *error);

static int write_cuts(const sn_arguments *arguments, const sn_scene *scene, const char *folder,
                      cut_writer write, const char *ending)
{
    sn_error error = {0};
    int written = 0;
    sn_status status = sn_make_folders(folder, &error);
    for (int m = 0; m < sn_scene_mobile_count(scene) && status == SN_OK; ++m) {
        for (int i = 0; i < sn_scene_mobile_part_count(scene, m) && status == SN_OK; ++i) {
            char *text = NULL, name[256], path[SN_PATH_LIMIT];
            size_t length = 0;
            status = write(scene, m, i, &text, &length, &error);
            snprintf(name, sizeof name, "%.200s%s", sn_scene_mobile_part(scene, m, i).name, ending);
            for (char *c = name; *c != '\0'; ++c) {
                *c = *c == '/' ? '-' : *c;
            }
            if (status == SN_OK && text != NULL) {
                status = sn_folder_join(folder, name, path, &error);
                status = status == SN_OK ? sn_write_file(path, text, length, &error) : status;
                written += status == SN_OK;
            }
            sn_scene_free_text(text);
        }
    }
    if (status != SN_OK) {
        return fail(arguments, &error, SN_EXIT_OUTPUT);
    }
    sn_say(arguments, "%s: %d outlines in millimetres", folder, written);
    return SN_EXIT_OK;
}

// ---- the verb ----

static int balance_all(const sn_arguments *arguments, sn_scene *scene)
{
    const char *way = sn_option_text(arguments, "for", NULL);
    for (int m = 0; way != NULL && m < sn_scene_mobile_count(scene); ++m) {
        int what = 0;
        while (strcmp(ways[what], way) != 0) {
            what += 1;
        }
        sn_error error = {0};
        sn_status status = sn_scene_balance(scene, m, (sn_balance_for)what, &error);
        if (status != SN_OK) {
            return fail(arguments, &error, sn_exit_for(status));
        }
    }
    return SN_EXIT_OK;
}

static int write_all(const sn_arguments *arguments, const sn_scene *scene,
                     const sn_scene_source *source)
{
    const char *output = sn_option_text(arguments, "out", NULL);
    const char *sheet = sn_option_text(arguments, "sheet", NULL);
    const char *dxf = sn_option_text(arguments, "dxf", NULL);
    const char *svg = sn_option_text(arguments, "svg", NULL);
    int code = output != NULL ? write_scene(arguments, scene, source, output) : SN_EXIT_OK;
    if (code == SN_EXIT_OK && sheet != NULL) {
        code = write_sheets(arguments, scene, sheet);
    }
    if (code == SN_EXIT_OK && dxf != NULL) {
        code = write_cuts(arguments, scene, dxf, sn_scene_cut_dxf, ".dxf");
    }
    if (code == SN_EXIT_OK && svg != NULL) {
        code = write_cuts(arguments, scene, svg, sn_scene_cut_svg, ".svg");
    }
    return code;
}

static bool writes_to_stdout(const sn_arguments *arguments)
{
    return strcmp(sn_option_text(arguments, "out", ""), "-") == 0 ||
           strcmp(sn_option_text(arguments, "sheet", ""), "-") == 0;
}

static int run(const sn_arguments *arguments)
{
    sn_scene_source source;
    if (!sn_scene_source_find(arguments, arguments->operands[0], &source)) {
        return SN_EXIT_INPUT;
    }
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    int code = sn_exit_for(sn_scene_source_read(&source, &scene, &errors));
    if (code != SN_EXIT_OK) {
        sn_scene_source_explain(arguments, &source, &errors);
    } else if (sn_scene_mobile_count(scene) == 0) {
        sn_complain(arguments, "%s has no mobiles, expected the key \"mobiles\"", source.name);
        code = SN_EXIT_INPUT;
    } else {
        const sn_error_list *notes = sn_scene_notes(scene);
        for (int i = 0; i < notes->count; ++i) {
            sn_say(arguments, "%s: note: %s", notes->items[i].place, notes->items[i].text);
        }
        code = balance_all(arguments, scene);
    }
    if (code == SN_EXIT_OK && !writes_to_stdout(arguments)) {
        if (sn_option_given(arguments, "json")) {
            print_json(scene);
        }
        for (int m = 0; m < sn_scene_mobile_count(scene) && !sn_option_given(arguments, "json");
             ++m) {
            printf(m > 0 ? "\n" : "");
            print_text(scene, m);
        }
    }
    if (code == SN_EXIT_OK) {
        code = write_all(arguments, scene, &source);
    }
    sn_error_list_free(&errors);
    sn_scene_destroy(scene);
    sn_scene_source_free(&source);
    return code;
}

static const sn_option options[] = {
    {.name = "for",
     .type = SN_OPTION_WORD,
     .value = "WHAT",
     .fallback = "what the mobile asks for",
     .words = ways,
     .doc = "what may change"},
    SN_OPTION_OUT(SN_OPTION_FILE, "FILE", NULL,
                  "write the scene with the numbers that were found; - is standard output"),
    {.name = "sheet",
     .type = SN_OPTION_FILE,
     .value = "FILE.html",
     .doc = "write the build sheet, an HTML page to print on A4 (or into a PDF) from a browser",
     .endings = ".html .htm"},
    {.name = "dxf",
     .type = SN_OPTION_FOLDER,
     .value = "FOLDER",
     .doc = "write the outline of every sheet for a cutter, as DXF"},
    {.name = "svg",
     .type = SN_OPTION_FOLDER,
     .value = "FOLDER",
     .doc = "write the outline of every sheet for a cutter, as SVG"},
    {.name = "json", .doc = "print JSON"},
};

static const sn_example examples[] = {
    {"sinew balance steel-fish", "how every arm hangs, how lively it is"},
    {"sinew balance my.json --for pivots -o true.json", "move the hooks until it hangs true"},
    {"sinew balance my.json --for sizes --sheet sheet.html", "the sheet to build it from"},
};

const sn_verb sn_verb_balance = {
    .name = "balance",
    .operands = "SCENE",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 1,
    .maximum_operands = 1,
    .summary = "make mobiles hang true, and write what is needed to build them",
    .description =
        "Changes hooks, masses, sizes or thicknesses of the scene's mobiles as little as\n"
        "may be, until every arm rests in its wanted pose, and tells how each one hangs:\n"
        "what it carries, how far one gram tilts it, how slowly it swings.",
    SN_VERB_TABLES,
    .run = run,
};
