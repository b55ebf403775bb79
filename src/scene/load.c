#include "scene/load.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "scene/error_list.h"
#include "scene/mobile_item.h"
#include "scene/parse.h"
#include "scene/path.h"
#include "scene/urdf_scene.h"

typedef struct loader {
    sn_scene *scene;
    const sn_scene_options *options;
    sn_error_list *errors;
    const char *chain[SN_INCLUDE_DEPTH_LIMIT]; // files being read, outermost first
    int depth;
    sn_status status; // first failure
} loader;

static void note(loader *l, sn_status status)
{
    l->status = l->status == SN_OK || status == SN_ERROR_MEMORY ? status : l->status;
}

static void load_document(loader *l, const char *name, const char *folder, const char *text,
                          size_t length);

static void fail_cycle(loader *l, sn_reader *reader, int node, const char *path)
{
    char chain[400];
    size_t at = 0;
    int start = 0;
    while (start < l->depth && strcmp(l->chain[start], path) != 0) {
        start += 1;
    }
    for (int i = start; i < l->depth && at < sizeof chain; ++i) {
        at += (size_t)snprintf(chain + at, sizeof chain - at, "%s -> ", l->chain[i]);
    }
    sn_reader_fail(reader, node, "files include each other in a circle: %s%s",
                   at < sizeof chain ? chain : "", path);
}

// The text of an included file: from the caller's own store if it has it, else from the disk (then
// *owned is to be freed).
static sn_status fetch(const loader *l, const char *path, const char **text, char **owned,
                       size_t *length, sn_error *error)
{
    *owned = NULL;
    if (l->options != NULL && l->options->find != NULL) {
        *text = l->options->find(l->options->user, path, length);
        if (*text != NULL) {
            return SN_OK;
        }
    }
    if (l->scene->sealed) {
        return sn_fail(error, SN_ERROR_FILE, path, "a text from elsewhere reads no files");
    }
    sn_status status = sn_path_read(path, SN_JSON_SIZE_LIMIT, owned, length, error);
    *text = *owned;
    return status;
}

static bool find_near(const loader *l, const char *path, char near[SN_PATH_NEAR_SIZE])
{
    near[0] = '\0';
    return !l->scene->sealed && sn_path_near(path, near);
}

static void load_include(loader *l, sn_reader *reader, int node)
{
    const char *name = sn_reader_string(reader, node);
    const char *folder = l->scene->sources.data[reader->source].folder;
    char *joined = name != NULL ? sn_path_join(folder, name) : NULL;
    const char *path =
        joined != NULL ? sn_arena_text(&l->scene->arena, joined, strlen(joined)) : NULL;
    sn_free(joined);
    if (path == NULL) {
        note(l, SN_ERROR_MEMORY);
        return;
    }
    for (int i = 0; i < l->depth; ++i) {
        if (strcmp(l->chain[i], path) == 0) {
            fail_cycle(l, reader, node, path);
            return;
        }
    }
    for (int i = 0; i < l->scene->sources.count; ++i) {
        if (strcmp(l->scene->sources.data[i].name, path) == 0) {
            return; // met before: counts once
        }
    }
    if (l->depth >= SN_INCLUDE_DEPTH_LIMIT) {
        sn_reader_fail(reader, node, "includes are nested more than %d deep, expected fewer",
                       SN_INCLUDE_DEPTH_LIMIT);
        return;
    }
    const char *text;
    char *owned;
    size_t length = 0;
    sn_error error = {0};
    sn_status status = fetch(l, path, &text, &owned, &length, &error);
    if (status == SN_ERROR_MEMORY) {
        note(l, status);
    } else if (status != SN_OK) {
        char near[SN_PATH_NEAR_SIZE];
        bool found = find_near(l, path, near);
        sn_reader_fail(reader, node, "cannot include \"%.200s\": %s%s%s%s", path, error.text,
                       found ? "; did you mean \"" : "", near, found ? "\"?" : "");
    } else {
        const char *inner = sn_arena_text(&l->scene->arena, path, sn_path_folder_length(path));
        if (inner != NULL) {
            load_document(l, path, inner, text, length);
        } else {
            note(l, SN_ERROR_MEMORY);
        }
    }
    sn_free(owned);
}

static void load_includes(loader *l, sn_reader *reader)
{
    const sn_json *json = reader->json;
    for (int key = sn_json_first(json, 0); key >= 0; key = sn_json_next(json, key)) {
        if (!sn_json_is(json, key, "include")) {
            continue;
        }
        if (json->nodes[key + 1].type == SN_JSON_STRING) {
            load_include(l, reader, key + 1);
        } else if (json->nodes[key + 1].type == SN_JSON_ARRAY) {
            for (int e = sn_json_first(json, key + 1);
                 e >= 0 && l->status != SN_ERROR_MEMORY && !sn_reader_stopped(reader);
                 e = sn_json_next(json, e)) {
                if (json->nodes[e].type == SN_JSON_STRING) {
                    load_include(l, reader, e);
                }
            }
        }
    }
}

// Name and description belong to one file and are not handed on to the file that includes it.
static void forget_titles(sn_root_item *root)
{
    static const char *const titles[] = {"$schema", "name", "description"};
    for (int i = 0; i < 3 && root->item.places != NULL; ++i) {
        root->item.places[sn_object_find_key(root->item.table, titles[i])] = (sn_place){0};
    }
    root->schema = root->name = root->description = NULL;
}

static void load_document(loader *l, const char *name, const char *folder, const char *text,
                          size_t length)
{
    sn_scene *scene = l->scene;
    if (!sn_array_push(&scene->sources, (sn_source){name, folder})) {
        note(l, SN_ERROR_MEMORY);
        return;
    }
    sn_json *json = NULL;
    sn_error error = {0};
    sn_status status = sn_json_parse(name, text, length, &json, &error);
    if (status != SN_OK) {
        note(l, status == SN_ERROR_MEMORY ? status : sn_error_list_add_error(l->errors, &error));
        return;
    }
    sn_reader reader = {
        .scene = scene, .json = json, .source = scene->sources.count - 1, .errors = l->errors};
    l->chain[l->depth++] = name;
    load_includes(l, &reader);
    l->depth -= 1;
    forget_titles(&scene->root);
    if (l->status != SN_ERROR_MEMORY) {
        sn_parse_object(&reader, 0, sn_scene_table(), &scene->root.item);
    }
    if (reader.out_of_memory) {
        note(l, SN_ERROR_MEMORY);
    } else if (reader.mistakes > 0) {
        note(l, SN_ERROR_SCENE);
    }
    sn_json_destroy(json);
}

// ---- robots ----

static void note_reader(loader *l, const sn_urdf_reader *reader)
{
    if (reader->out_of_memory) {
        note(l, SN_ERROR_MEMORY);
    } else if (reader->mistakes > 0) {
        note(l, SN_ERROR_SCENE);
    }
}

// The text of a robot's file, which becomes one more source of the scene.
static void load_robot(loader *l, sn_robot_item *robot)
{
    sn_scene *scene = l->scene;
    sn_place place = sn_item_place(&robot->item, "file");
    char *joined = sn_path_join(scene->sources.data[place.source].folder, robot->file);
    const char *path = joined != NULL ? sn_arena_text(&scene->arena, joined, strlen(joined)) : NULL;
    const char *folder =
        joined != NULL ? sn_arena_text(&scene->arena, joined, sn_path_folder_length(joined)) : NULL;
    sn_free(joined);
    if (path == NULL || folder == NULL ||
        !sn_array_push(&scene->sources, (sn_source){path, folder})) {
        note(l, SN_ERROR_MEMORY);
        return;
    }
    sn_urdf_reader reader = {.scene = scene,
                             .source = scene->sources.count - 1,
                             .errors = l->errors,
                             .strict = scene->strict};
    const char *text;
    char *owned;
    size_t length = 0;
    sn_error error = {0};
    sn_status status = fetch(l, path, &text, &owned, &length, &error);
    if (status == SN_OK) {
        (void)sn_robot_load(&reader, robot, text, length);
    } else if (status == SN_ERROR_MEMORY) {
        reader.out_of_memory = true;
    } else {
        char near[SN_PATH_NEAR_SIZE];
        bool found = find_near(l, path, near);
        sn_urdf_fail(&reader, place, "cannot read \"%.200s\": %s%s%s%s", path, error.text,
                     found ? "; did you mean \"" : "", near, found ? "\"?" : "");
    }
    sn_free(owned);
    note_reader(l, &reader);
}

static void load_robots(loader *l)
{
    for (int i = 0; i < l->scene->root.robots.count && l->status != SN_ERROR_MEMORY; ++i) {
        sn_robot_item *robot = SN_ROBOT(l->scene, i);
        if (!robot->item.faulty) {
            load_robot(l, robot);
        }
    }
}

// A word of the options as the table has it: its index, or -1 with an error.
static int find_word(loader *l, const char *key, const char *word)
{
    enum { WORDS = 16 };
    const sn_word *words =
        sn_object_key(&sn_table_robots, sn_object_find_key(&sn_table_robots, key))->words;
    const char *known[WORDS];
    int count = 0;
    for (; words[count].word != NULL && count < WORDS; ++count) {
        if (strcmp(words[count].word, word) == 0) {
            return count;
        }
        known[count] = words[count].word;
    }
    const char *near = sn_suggest(word, known, count);
    char all[200] = "";
    for (int i = 0; i < count; ++i) {
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    note(l, sn_error_list_add(l->errors, SN_ERROR_SCENE, NULL,
                              "\"%s\" of a robot: got \"%.60s\"%s%s%s; expected %s", key, word,
                              near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                              near != NULL ? "\"?" : "", all));
    return -1;
}

static bool choose_words(loader *l, sn_robot_item *robot)
{
    const char *base = l->options != NULL ? l->options->base : NULL;
    const char *geometry = l->options != NULL ? l->options->geometry : NULL;
    if (base != NULL) {
        robot->base = find_word(l, "base", base);
    }
    if (geometry != NULL) {
        robot->geometry = find_word(l, "geometry", geometry);
    }
    return robot->base >= 0 && robot->geometry >= 0;
}

// A URDF file by itself, as if a scene named it.
static void load_lone_robot(loader *l, const char *name, const char *folder, const char *text,
                            size_t length)
{
    sn_scene *scene = l->scene;
    sn_robot_item *robot = sn_arena_allocate(&scene->arena, sizeof *robot);
    sn_item_list *robots = &scene->root.robots;
    if (robot == NULL || !sn_array_push(&scene->sources, (sn_source){name, folder}) ||
        !sn_array_grow((void **)&robots->data, &robots->capacity, sizeof(void *), 1)) {
        note(l, SN_ERROR_MEMORY);
        return;
    }
    robots->data[robots->count++] = &robot->item;
    robot->file = name;
    robot->item.place = scene->root.item.place = (sn_place){0, 1, 1};
    scene->root.version = 1;
    sn_place *places = scene->root.item.places;
    places[sn_object_find_key(scene->root.item.table, "sinew")] = robot->item.place;
    if (!sn_item_prepare(scene, &sn_table_robots, &robot->item)) {
        note(l, SN_ERROR_MEMORY);
        return;
    }
    if (!choose_words(l, robot)) {
        return;
    }
    sn_urdf_reader reader = {.scene = scene, .errors = l->errors, .strict = scene->strict};
    const sn_urdf *urdf = sn_robot_load(&reader, robot, text, length);
    if (urdf != NULL && urdf->name != NULL && urdf->name[0] != '\0') {
        scene->root.name = urdf->name;
        places[sn_object_find_key(scene->root.item.table, "name")] = urdf->place;
    }
    note_reader(l, &reader);
}

// JSON cannot begin with "<", XML begins with nothing else.
static bool is_xml(const char *text, size_t length)
{
    size_t at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < length && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) {
        at += 1;
    }
    return at < length && text[at] == '<';
}

sn_status sn_load_text(sn_scene *scene, const char *name, const char *folder, const char *text,
                       size_t length, const sn_scene_options *options, sn_error_list *errors)
{
    loader l = {.scene = scene, .options = options, .errors = errors};
    if (is_xml(text, length)) {
        load_lone_robot(&l, name, folder, text, length);
    } else {
        load_document(&l, name, folder, text, length);
        load_robots(&l);
        if (l.status != SN_ERROR_MEMORY) {
            note(&l, sn_mobiles_load(scene, errors));
        }
    }
    return l.status;
}
