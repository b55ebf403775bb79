// sinew check SCENE...: every mistake, with its place.
#include <inttypes.h>

#include "elastic_info.h"
#include "exit_code.h"
#include "json_writer.h"
#include "scene/error_list.h"
#include "scene_source.h"
#include "terminal.h"
#include "verbs.h"

typedef struct check_result {
    sn_status status;
    sn_error_list errors;
    sn_error_list notes; // copies of the scene's
    int bodies, joints, fields, params, probes;
} check_result;

static void note_elastic(const sn_world *world, const char *name, sn_error_list *notes)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        char text[SN_INVERTED_TEXT], doubts[SN_DOUBT_LIMIT][SN_DOUBT_TEXT];
        sn_body body = sn_world_body(world, i);
        int count = sn_body_get_type(world, body) == SN_BODY_ELASTIC
                        ? sn_elastic_doubts(world, body, doubts)
                        : 0;
        for (int k = 0; k < count; ++k) {
            sn_error_list_add(notes, SN_OK, name, "body '%.60s': %s", sn_body_name(world, body),
                              doubts[k]);
        }
        if (sn_inverted_text(world, body, text)) {
            sn_error_list_add(notes, SN_OK, name, "body '%.60s' at the start: %s",
                              sn_body_name(world, body), text);
        }
    }
}

// Reads the scene and builds its world, since some mistakes (an inertia that no body can have) only
// show there, and asks whether it could step.
static void check(sn_scene_source *source, check_result *result)
{
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    result->status = sn_scene_source_read(source, &scene, &result->errors);
    if (result->status != SN_OK) {
        return;
    }
    const sn_error_list *notes = sn_scene_notes(scene);
    for (int i = 0; i < notes->count; ++i) {
        sn_error_list_add_error(&result->notes, &notes->items[i]);
    }
    result->notes.left_out += notes->left_out;
    sn_error error = {0};
    result->status = sn_scene_build(scene, &world, &error);
    if (result->status == SN_OK) {
        result->bodies = sn_world_body_count(world);
        result->joints = sn_world_joint_count(world);
        result->fields = sn_world_field_count(world);
        result->params = sn_scene_param_count(scene);
        result->probes = sn_scene_probe_count(scene);
        note_elastic(world, source->name, &result->notes);
        result->status = sn_world_check_step(world, &error);
        if (result->status == SN_OK) {
            result->status = sn_scene_check_start(scene, world, &result->notes, &error);
        }
        if (result->status != SN_OK) {
            sn_error_list_add(&result->errors, result->status, source->name, "%s",
                              sn_error_message(&error));
        }
    } else {
        sn_error_list_add_error(&result->errors, &error);
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void print_places(sn_json_writer *json, const char *name, const sn_error_list *list,
                         bool with_code)
{
    sn_json_write_open(json, name, '[');
    for (int i = 0; i < list->count; ++i) {
        sn_json_write_open(json, NULL, '{');
        if (with_code) {
            sn_json_write_text(json, "code", sn_status_name(list->items[i].code));
        }
        sn_json_write_text(json, "place", list->items[i].place);
        sn_json_write_text(json, "text", list->items[i].text);
        sn_json_write_close(json);
    }
    sn_json_write_close(json);
}

static void print_json(sn_json_writer *json, const sn_scene_source *source,
                       const check_result *result)
{
    sn_json_write_open(json, NULL, '{');
    sn_json_write_text(json, "scene", source->name);
    sn_json_write_bool(json, "ok", result->status == SN_OK);
    print_places(json, "errors", &result->errors, true);
    print_places(json, "notes", &result->notes, false);
    if (result->status == SN_OK) {
        sn_json_write_integer(json, "bodies", (uint64_t)result->bodies);
        sn_json_write_integer(json, "joints", (uint64_t)result->joints);
        sn_json_write_integer(json, "fields", (uint64_t)result->fields);
        sn_json_write_integer(json, "params", (uint64_t)result->params);
        sn_json_write_integer(json, "probes", (uint64_t)result->probes);
    }
    sn_json_write_close(json);
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

static void print_ok(const sn_arguments *arguments, const sn_scene_source *source,
                     const check_result *result)
{
    printf("%s: %sok%s (%d bod%s, %d joint%s, %d field%s, %d param%s, %d probe%s)\n", source->name,
           sn_style_on(arguments, stdout, SN_STYLE_GREEN), sn_style_off(arguments, stdout),
           result->bodies, result->bodies == 1 ? "y" : "ies", result->joints,
           plural(result->joints), result->fields, plural(result->fields), result->params,
           plural(result->params), result->probes, plural(result->probes));
    for (int i = 0; i < result->notes.count; ++i) {
        sn_say(arguments, "%s: note: %s", result->notes.items[i].place,
               result->notes.items[i].text);
    }
    if (result->notes.left_out > 0) {
        sn_say(arguments, "and %d more notes", result->notes.left_out);
    }
}

static int run(const sn_arguments *arguments)
{
    bool as_json = sn_option_given(arguments, "json");
    sn_json_writer json = {.stream = stdout};
    if (as_json) {
        sn_json_write_open(&json, NULL, '[');
    }
    int code = SN_EXIT_OK;
    for (int i = 0; i < arguments->operand_count; ++i) {
        sn_scene_source source;
        if (!sn_scene_source_find(arguments, arguments->operands[i], &source)) {
            code = SN_EXIT_INPUT;
            continue;
        }
        check_result result = {0};
        check(&source, &result);
        if (as_json) {
            print_json(&json, &source, &result);
        } else if (result.status == SN_OK) {
            print_ok(arguments, &source, &result);
        } else {
            sn_scene_source_explain(arguments, &source, &result.errors);
            sn_say(arguments, "%s: %d error%s", source.name, result.errors.count,
                   plural(result.errors.count));
        }
        code = result.status == SN_OK ? code : SN_EXIT_INPUT;
        sn_error_list_free(&result.errors);
        sn_error_list_free(&result.notes);
        sn_scene_source_free(&source);
    }
    if (as_json) {
        sn_json_write_close(&json);
    }
    return code;
}

static const sn_option options[] = {
    {.name = "json", .doc = "print a JSON array, one object for each scene"},
    SN_OPTIONS_ROBOT,
};

static const sn_example examples[] = {
    {"sinew check my-scene.json", "all errors, each with its line and column"},
    {"sinew check scenes/*.json", "many at once"},
    {"generate | sinew check -", "standard input"},
};

const sn_verb sn_verb_check = {
    .name = "check",
    .operands = "SCENE...",
    .operand_kind = SN_OPERAND_SCENE,
    .minimum_operands = 1,
    .maximum_operands = SN_OPERAND_LIMIT,
    .summary = "find every mistake in a scene",
    .description = "Reads each scene, builds its world, and tells every error as\n"
                   "file:line:column: what is wrong, and what was expected.",
    SN_VERB_TABLES,
    .run = run,
};
