#include "scene/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#define JSMN_STRICT
#include <jsmn.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "scene/text.h"

#define MARK_STEP 256 // bytes

// ---- places ----

static bool make_marks(sn_json *json)
{
    size_t count = json->length / MARK_STEP + 1;
    json->marks = sn_allocate(count * sizeof *json->marks);
    if (json->marks == NULL) {
        return false;
    }
    sn_json_mark now = {1, 1};
    for (size_t i = 0; i < json->length; ++i) {
        if (i % MARK_STEP == 0) {
            json->marks[i / MARK_STEP] = now;
        }
        unsigned char byte = (unsigned char)json->text[i];
        if (byte == '\n') {
            now.line += 1;
            now.column = 1;
        } else if ((byte & 0xc0) != 0x80) { // continuation bytes belong to their character
            now.column += 1;
        }
    }
    if (json->length % MARK_STEP == 0) {
        json->marks[json->length / MARK_STEP] = now;
    }
    return true;
}

void sn_json_byte_place(const sn_json *json, size_t offset, int *line, int *column)
{
    offset = offset > json->length ? json->length : offset;
    sn_json_mark now = json->marks[offset / MARK_STEP];
    for (size_t i = offset - offset % MARK_STEP; i < offset; ++i) {
        unsigned char byte = (unsigned char)json->text[i];
        if (byte == '\n') {
            now.line += 1;
            now.column = 1;
        } else if ((byte & 0xc0) != 0x80) {
            now.column += 1;
        }
    }
    *line = now.line;
    *column = now.column;
}

void sn_json_node_place(const sn_json *json, int node, int *line, int *column)
{
    const sn_json_node *n = &json->nodes[node];
    sn_json_byte_place(json, (size_t)n->start - (n->type == SN_JSON_STRING), line, column);
}

sn_status sn_json_fail(const sn_json *json, size_t offset, sn_error *error, const char *format, ...)
{
    int line, column;
    sn_json_byte_place(json, offset, &line, &column);
    char place[300];
    snprintf(place, sizeof place, "%s:%d:%d", json->name, line, column);
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sn_fail(error, SN_ERROR_SYNTAX, place, "%s", text);
}

// ---- nodes ----

static sn_json_type node_type(const sn_json *json, const jsmntok_t *token)
{
    switch (token->type) {
    case JSMN_OBJECT:
        return SN_JSON_OBJECT;
    case JSMN_ARRAY:
        return SN_JSON_ARRAY;
    case JSMN_STRING:
        return SN_JSON_STRING;
    default:
        break;
    }
    char first = json->text[token->start];
    return first == 'n'                   ? SN_JSON_NULL
           : first == 't' || first == 'f' ? SN_JSON_BOOLEAN
                                          : SN_JSON_NUMBER;
}

// Tokens come in reading order with their parent; siblings are chained from the last one back, so
// that each finds its successor already waiting at the parent.
static void link_nodes(sn_json *json, const jsmntok_t *tokens, int *successor)
{
    for (int i = 0; i < json->count; ++i) {
        successor[i] = -1;
    }
    for (int i = json->count - 1; i >= 0; --i) {
        json->nodes[i] = (sn_json_node){.type = node_type(json, &tokens[i]),
                                        .start = tokens[i].start,
                                        .end = tokens[i].end,
                                        .size = tokens[i].size,
                                        .next = -1};
        int parent = tokens[i].parent;
        if (parent >= 0 && tokens[parent].type != JSMN_STRING) {
            json->nodes[i].next = successor[parent];
            successor[parent] = i;
        }
    }
}

static sn_status make_nodes(sn_json *json, const char *clean, int value_count, sn_error *error)
{
    size_t bytes = (size_t)value_count * (sizeof(jsmntok_t) + sizeof(int));
    jsmntok_t *tokens = sn_allocate(bytes);
    json->nodes = sn_allocate((size_t)value_count * sizeof *json->nodes);
    if (tokens == NULL || json->nodes == NULL) {
        sn_free(tokens);
        return sn_fail_memory(error, bytes);
    }
    jsmn_parser parser;
    jsmn_init(&parser);
    int count = jsmn_parse(&parser, clean, json->length, tokens, (unsigned)value_count);
    if (count != value_count) {
        sn_free(tokens);
        return sn_json_fail(json, parser.pos, error, "not JSON, expected a scene");
    }
    json->count = count;
    link_nodes(json, tokens, (int *)(tokens + value_count));
    sn_free(tokens);
    return SN_OK;
}

int sn_json_first(const sn_json *json, int node)
{
    return json->nodes[node].size > 0 ? node + 1 : -1;
}

int sn_json_next(const sn_json *json, int node)
{
    return json->nodes[node].next;
}

// ---- duplicate keys ----

typedef struct key_table {
    int *slots; // node + 1, 0: free
    char *text; // two keys without escapes, one after the other
    size_t slot_room, text_room;
} key_table;

static bool key_table_reserve(key_table *table, size_t slots, size_t text)
{
    if (slots > table->slot_room) {
        int *grown = sn_reallocate(table->slots, slots * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        table->slots = grown;
        table->slot_room = slots;
    }
    if (text > table->text_room) {
        char *grown = sn_reallocate(table->text, text);
        if (grown == NULL) {
            return false;
        }
        table->text = grown;
        table->text_room = text;
    }
    memset(table->slots, 0, slots * sizeof *table->slots);
    return true;
}

static sn_status fail_duplicate(const sn_json *json, int key, int earlier, const char *text,
                                sn_error *error)
{
    int line, column;
    sn_json_node_place(json, earlier, &line, &column);
    return sn_json_fail(json, (size_t)json->nodes[key].start - 1, error,
                        "the key \"%.60s\" stands here again, first at %d:%d; expected it once",
                        text, line, column);
}

static sn_status check_keys(const sn_json *json, int object, key_table *table, sn_error *error)
{
    size_t longest = 0;
    for (int key = sn_json_first(json, object); key >= 0; key = sn_json_next(json, key)) {
        size_t length = (size_t)(json->nodes[key].end - json->nodes[key].start);
        longest = length > longest ? length : longest;
    }
    size_t slots = 16;
    while (slots < 2 * (size_t)json->nodes[object].size) {
        slots *= 2;
    }
    if (!key_table_reserve(table, slots, 2 * (longest + 1))) {
        return sn_fail_memory(error, slots * sizeof(int) + 2 * longest);
    }
    char *text = table->text, *other = table->text + longest + 1;
    for (int key = sn_json_first(json, object); key >= 0; key = sn_json_next(json, key)) {
        size_t length = sn_json_string(json, key, text);
        size_t slot = sn_hash64(text, length, 0) & (slots - 1);
        while (table->slots[slot] != 0) {
            int earlier = table->slots[slot] - 1;
            if (sn_json_string(json, earlier, other) == length &&
                memcmp(text, other, length) == 0) {
                return fail_duplicate(json, key, earlier, text, error);
            }
            slot = (slot + 1) & (slots - 1);
        }
        table->slots[slot] = key + 1;
    }
    return SN_OK;
}

static sn_status check_all_keys(const sn_json *json, sn_error *error)
{
    key_table table = {0};
    sn_status status = SN_OK;
    for (int i = 0; i < json->count && status == SN_OK; ++i) {
        if (json->nodes[i].type == SN_JSON_OBJECT && json->nodes[i].size > 1) {
            status = check_keys(json, i, &table, error);
        }
    }
    sn_free(table.slots);
    sn_free(table.text);
    return status;
}

// ---- values ----

// Bytes of one code point in UTF-8.
static size_t put_utf8(unsigned code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

static unsigned hex4(const char *text)
{
    unsigned value = 0;
    for (int i = 0; i < 4; ++i) {
        char c = text[i];
        value = 16 * value + (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return value;
}

// The escape at `from` (checked already); gives its length in the source.
static size_t put_escape(const char *from, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (from[1] != 'u') {
        *(*to)++ = meanings[strchr(letters, from[1]) - letters];
        return 2;
    }
    unsigned code = hex4(from + 2);
    size_t used = 6;
    if (code >= 0xd800 && code <= 0xdbff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (hex4(from + 8) - 0xdc00);
        used = 12;
    }
    *to += put_utf8(code, *to);
    return used;
}

size_t sn_json_string(const sn_json *json, int node, char *buffer)
{
    const char *from = json->text + json->nodes[node].start;
    const char *end = json->text + json->nodes[node].end;
    char *to = buffer;
    while (from < end) {
        if (*from == '\\') {
            from += put_escape(from, &to);
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return (size_t)(to - buffer);
}

bool sn_json_is(const sn_json *json, int node, const char *text)
{
    const sn_json_node *n = &json->nodes[node];
    size_t length = strlen(text), raw = (size_t)(n->end - n->start);
    if (n->type != SN_JSON_STRING || raw < length || raw > 6 * length) {
        return false;
    }
    if (memchr(json->text + n->start, '\\', raw) == NULL) {
        return raw == length && memcmp(json->text + n->start, text, length) == 0;
    }
    char buffer[256];
    return raw < sizeof buffer && sn_json_string(json, node, buffer) == length &&
           memcmp(buffer, text, length) == 0;
}

bool sn_json_boolean(const sn_json *json, int node)
{
    return json->text[json->nodes[node].start] == 't';
}

bool sn_json_number(const sn_json *json, int node, double *value)
{
    const sn_json_node *n = &json->nodes[node];
    return sn_number_from_text(json->text + n->start, (size_t)(n->end - n->start), 0, value);
}

const char *sn_json_type_text(sn_json_type type)
{
    static const char *const texts[] = {"null",     "true or false", "a number",
                                        "a string", "a list",        "an object"};
    return texts[type];
}

// ---- whole texts ----

static sn_status parse_into(sn_json *json, sn_error *error)
{
    char *clean = sn_allocate(json->length + 1);
    if (clean == NULL || !make_marks(json)) {
        sn_free(clean);
        return sn_fail_memory(error, json->length);
    }
    if (json->length > 0) {
        memcpy(clean, json->text, json->length);
    }
    clean[json->length] = '\0';
    int value_count = 0;
    sn_status status = sn_json_check(json, clean, &value_count, error);
    if (status == SN_OK) {
        status = make_nodes(json, clean, value_count, error);
    }
    sn_free(clean);
    return status == SN_OK ? check_all_keys(json, error) : status;
}

sn_status sn_json_parse(const char *name, const char *text, size_t length, sn_json **result,
                        sn_error *error)
{
    *result = NULL;
    if (length > SN_JSON_SIZE_LIMIT) {
        return sn_fail(error, SN_ERROR_SYNTAX, name,
                       "%zu MB of text, expected at most %u MB (put large meshes into mesh files)",
                       length >> 20, SN_JSON_SIZE_LIMIT >> 20);
    }
    sn_json *json = sn_allocate_zero(sizeof *json);
    if (json == NULL) {
        return sn_fail_memory(error, sizeof *json);
    }
    json->name = name;
    json->text = text;
    json->length = length;
    sn_status status = parse_into(json, error);
    if (status != SN_OK) {
        sn_json_destroy(json);
        return status;
    }
    *result = json;
    return SN_OK;
}

void sn_json_destroy(sn_json *json)
{
    if (json != NULL) {
        sn_free(json->nodes);
        sn_free(json->marks);
        sn_free(json);
    }
}
