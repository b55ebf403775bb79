#include "scene_list.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "builtin.h"
#include "scene/json.h"

static const char gallery[] = "docs/gallery.md";

// A string of the scene's outermost object, without building the scene; "" when it has none.
static const char *title_of(sn_scene_list *list, const sn_json *json, const char *key_name)
{
    for (int key = sn_json_first(json, 0); key >= 0; key = sn_json_next(json, key)) {
        const sn_json_node *value = &json->nodes[key + 1];
        if (sn_json_is(json, key, key_name) && value->type == SN_JSON_STRING) {
            char *text = sn_arena_allocate(&list->texts, (size_t)(value->end - value->start) + 1);
            if (text != NULL) {
                sn_json_string(json, key + 1, text);
            }
            return text;
        }
    }
    return "";
}

static bool add(sn_scene_list *list, const sn_embedded_file *file, const char *group)
{
    char name[128];
    sn_builtin_name(file, name, sizeof name);
    for (int i = 0; i < list->count; ++i) {
        if (strcmp(list->entries[i].name, name) == 0) {
            return true;
        }
    }
    sn_json *json = NULL;
    sn_status status = sn_json_parse(file->name, (const char *)file->data, file->size, &json, NULL);
    if (status != SN_OK) {
        return status != SN_ERROR_MEMORY; // a broken scene is left out
    }
    sn_live_entry entry = {
        .name = sn_arena_text(&list->texts, name, strlen(name)),
        .title = title_of(list, json, "name"),
        .description = title_of(list, json, "description"),
        .group = group,
    };
    sn_json_destroy(json);
    if (entry.name == NULL || entry.title == NULL || entry.description == NULL) {
        return false;
    }
    entry.title = entry.title[0] != '\0' ? entry.title : entry.name;
    list->entries[list->count++] = entry;
    return true;
}

// Headings "## Group" and rows with "](../scenes/NAME.json)" between them.
static bool add_gallery(sn_scene_list *list, const char *text)
{
    static const char link[] = "](../scenes/";
    const char *group = "";
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *found = strstr(line, link);
        if (strncmp(line, "## ", 3) == 0) {
            group = sn_arena_text(&list->texts, line + 3, length - 3);
            if (group == NULL) {
                return false;
            }
        } else if (found != NULL && found < line + length) {
            char name[128];
            size_t letters = strcspn(found + sizeof link - 1, ".)\n");
            snprintf(name, sizeof name, "%.*s", (int)(letters < 127 ? letters : 127),
                     found + sizeof link - 1);
            const sn_embedded_file *file = sn_builtin_find(name);
            if (file != NULL && !add(list, file, group)) {
                return false;
            }
        }
        line += length + (line[length] == '\n');
    }
    return true;
}

static bool fill(sn_scene_list *list)
{
    const sn_embedded_file *page = sn_embedded_find(gallery), *file = NULL;
    int count = 0;
    while (sn_builtin_scene(count) != NULL) {
        ++count;
    }
    list->entries = sn_allocate_zero(((size_t)count + 1) * sizeof *list->entries); // and an own one
    bool good = list->entries != NULL;
    if (good && page != NULL) {
        good = add_gallery(list, (const char *)page->data);
    }
    for (int i = 0; good && (file = sn_builtin_scene(i)) != NULL; ++i) {
        good = add(list, file, "");
    }
    return good;
}

bool sn_scene_list_make(sn_scene_list *list)
{
    *list = (sn_scene_list){0};
    if (!fill(list)) {
        sn_scene_list_free(list);
        return false;
    }
    return true;
}

bool sn_scene_list_put_own(sn_scene_list *list, const char *name, const char *path)
{
    sn_live_entry own = {.name = sn_arena_text(&list->texts, name, strlen(name)),
                         .description = sn_arena_text(&list->texts, path, strlen(path)),
                         .group = "Your file",
                         .own = true};
    own.title = own.name;
    if (own.name == NULL || own.description == NULL) {
        return false;
    }
    memmove(list->entries + 1, list->entries, (size_t)list->count * sizeof *list->entries);
    list->entries[0] = own;
    list->count += 1;
    return true;
}

void sn_scene_list_free(sn_scene_list *list)
{
    sn_free(list->entries);
    sn_arena_free(&list->texts);
    *list = (sn_scene_list){0};
}

const char *sn_scene_list_find(void *user, const char *name, char path[1024], size_t *length)
{
    (void)user;
    const sn_embedded_file *file = sn_builtin_find(name);
    if (file == NULL) {
        return NULL;
    }
    snprintf(path, 1024, "%s", file->name);
    *length = file->size;
    return (const char *)file->data;
}

const char *sn_scene_list_find_file(void *user, const char *path, size_t *length)
{
    (void)user;
    const sn_embedded_file *file = sn_embedded_find(path);
    if (file == NULL) {
        return NULL;
    }
    *length = file->size;
    return (const char *)file->data;
}
