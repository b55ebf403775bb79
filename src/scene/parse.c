#include "scene/parse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "scene/error_list.h"
#include "scene/parse_value.h"
#include "scene/text.h"

// ---- errors and places ----

sn_place sn_reader_place(const sn_reader *reader, int node)
{
    sn_place place = {.source = reader->source};
    sn_json_node_place(reader->json, node, &place.line, &place.column);
    return place;
}

// Nobody will read it: nobody listens, or a hundred errors are kept already.
static bool is_unheard(const sn_reader *reader)
{
    return reader->errors == NULL || reader->errors->count >= SN_ERROR_LIST_LIMIT;
}

bool sn_reader_stopped(const sn_reader *reader)
{
    return reader->out_of_memory || reader->mistakes >= SN_MISTAKE_LIMIT;
}

void sn_reader_fail(sn_reader *reader, int node, const char *format, ...)
{
    reader->mistakes += 1;
    if (is_unheard(reader)) {
        if (reader->errors != NULL) {
            reader->errors->left_out += 1;
        }
        return;
    }
    char text[512], place[SN_PLACE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_place_text(reader->scene, sn_reader_place(reader, node), place);
    if (sn_error_list_add(reader->errors, SN_ERROR_SCENE, place, "%s", text) == SN_ERROR_MEMORY) {
        reader->out_of_memory = true;
    }
}

void sn_reader_note(sn_reader *reader, int node, const char *format, ...)
{
    char text[320], place[SN_PLACE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_place_text(reader->scene, sn_reader_place(reader, node), place);
    if (sn_error_list_add(&reader->scene->notes, SN_OK, place, "%s", text) == SN_ERROR_MEMORY) {
        reader->out_of_memory = true;
    }
}

const char *sn_reader_string(sn_reader *reader, int node)
{
    const sn_json_node *n = &reader->json->nodes[node];
    char *text = sn_arena_allocate(&reader->scene->arena, (size_t)(n->end - n->start) + 1);
    if (text == NULL) {
        reader->out_of_memory = true;
        return NULL;
    }
    sn_json_string(reader->json, node, text);
    return text;
}

// ---- objects ----

// Bytes that a row's member takes where a later file may override it; 0 for lists, which are
// joined.
static size_t member_size(const sn_key *key)
{
    switch (key->type) {
    case SN_KEY_NUMBER:
    case SN_KEY_WHOLE:
        return sizeof(double);
    case SN_KEY_QUANTITY:
        return sizeof(sn_quantity_value);
    case SN_KEY_VECTOR:
        return sizeof(sn_vec3);
    case SN_KEY_ROTATION:
        return sizeof(sn_rotation_value);
    default:
        return 0;
    }
}

// An overridden number is no longer computed by the expression it had.
static void forget_bindings(sn_scene *scene, const char *member, size_t size)
{
    int kept = 0;
    for (int i = 0; i < scene->bindings.count; ++i) {
        sn_binding *binding = &scene->bindings.data[i];
        const char *target = (const char *)binding->target;
        if (target < member || target >= member + size) {
            scene->bindings.data[kept++] = *binding;
        }
    }
    scene->bindings.count = kept;
}

static void set_default(const sn_key *key, char *member)
{
    switch (key->type) {
    case SN_KEY_NUMBER:
    case SN_KEY_WHOLE:
        *(double *)member = key->standard[0];
        break;
    case SN_KEY_BOOLEAN:
        *(bool *)member = key->standard[0] != 0.0;
        break;
    case SN_KEY_VECTOR:
        *(sn_vec3 *)member = sn_vec3_make(key->standard[0], key->standard[1], key->standard[2]);
        break;
    default:
        break; // zero is right for everything else
    }
}

bool sn_item_prepare(sn_scene *scene, const sn_object *table, sn_item *item)
{
    if (item->places != NULL) {
        return true;
    }
    int count = sn_object_key_count(table);
    item->table = table;
    item->places = sn_arena_allocate(&scene->arena, (size_t)count * sizeof *item->places);
    if (item->places == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const sn_key *key = sn_object_key(table, i);
        set_default(key, (char *)item + key->offset);
        if (key->type == SN_KEY_OBJECT &&
            !sn_item_prepare(scene, key->object, (sn_item *)((char *)item + key->offset))) {
            return false;
        }
    }
    return true;
}

// "body" -> "a body", "event" -> "an event".
static const char *article(const char *name)
{
    return strchr("aeiou", name[0]) != NULL ? "an" : "a";
}

static void fail_unknown_key(sn_reader *reader, int key_node, const sn_object *table, bool has_type)
{
    if (is_unheard(reader)) {
        sn_reader_fail(reader, key_node, "unknown key");
        return;
    }
    const char *known[72];
    int count = 0;
    if (has_type) {
        known[count++] = "type";
    }
    for (int i = 0; i < sn_object_key_count(table) && count < 72; ++i) {
        known[count++] = sn_object_key(table, i)->name;
    }
    char list[360];
    size_t at = 0;
    for (int i = 0; i < count && at < sizeof list; ++i) {
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    const char *wrong = sn_reader_string(reader, key_node);
    if (wrong == NULL) {
        return;
    }
    const char *near = sn_suggest(wrong, known, count);
    sn_reader_fail(reader, key_node, "unknown key \"%.40s\" in %s %s%s%s%s one of: %s", wrong,
                   article(table->name), table->name, near ? "; did you mean \"" : "",
                   near ? near : "", near ? "\"? Expected" : ", expected", list);
}

static void parse_member(sn_reader *reader, int key_node, int index, sn_item *item)
{
    const sn_key *key = sn_object_key(item->table, index);
    char *member = (char *)item + key->offset;
    if (item->places[index].line != 0 && member_size(key) > 0) {
        forget_bindings(reader->scene, member, member_size(key));
    }
    item->places[index] = sn_reader_place(reader, key_node + 1);
    sn_parse_value(reader, key_node + 1, key, member);
}

static void check_required(sn_reader *reader, int node, const sn_object *table, const bool *seen)
{
    for (int i = 0; i < sn_object_key_count(table); ++i) {
        const sn_key *key = sn_object_key(table, i);
        if (key->required && !seen[i]) {
            sn_reader_fail(reader, node, "%s %s needs the key \"%s\": %s", article(table->name),
                           table->name, key->name, key->text);
        }
    }
}

void sn_parse_object(sn_reader *reader, int node, const sn_object *table, sn_item *item)
{
    const sn_json *json = reader->json;
    if (json->nodes[node].type != SN_JSON_OBJECT) {
        sn_reader_fail(reader, node, "expected %s %s, that is an object in { }, got %s",
                       article(table->name), table->name,
                       sn_json_type_text(json->nodes[node].type));
        return;
    }
    if (!sn_item_prepare(reader->scene, table, item)) {
        reader->out_of_memory = true;
        return;
    }
    item->place = sn_reader_place(reader, node);
    bool has_type = table->word != NULL;
    bool seen[64] = {false};
    for (int key = sn_json_first(json, node); key >= 0; key = sn_json_next(json, key)) {
        if (sn_reader_stopped(reader)) {
            return;
        }
        int index = -1;
        for (int i = 0; i < sn_object_key_count(table) && index < 0; ++i) {
            index = sn_json_is(json, key, sn_object_key(table, i)->name) ? i : -1;
        }
        if (index >= 0) {
            seen[index] = true;
            parse_member(reader, key, index, item);
        } else if (!has_type || !sn_json_is(json, key, "type")) {
            fail_unknown_key(reader, key, table, has_type);
        }
    }
    check_required(reader, node, table, seen);
}
