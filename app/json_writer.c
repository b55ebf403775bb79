#include "json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "scene/text.h"

// Bytes of the UTF-8 character at `c` (RFC 3629), or 0 when it is none: names of files may hold
// anything.
static int character_length(const unsigned char *c)
{
    int length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    for (int i = 1; i < length; ++i) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xED && c[1] > 0x9F;
    bool beyond = c[0] > 0xF4 || (c[0] == 0xF4 && c[1] > 0x8F);
    return overlong || surrogate || beyond ? 0 : length;
}

static void write_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        int length = character_length(c);
        if (length == 0) {
            fputs("\\ufffd", stream);
        } else if (*c == '"' || *c == '\\') {
            fprintf(stream, "\\%c", *c);
        } else if (*c == '\n') {
            fputs("\\n", stream);
        } else if (*c < 32 || *c == 127) {
            fprintf(stream, "\\u%04x", *c);
        } else {
            fwrite(c, 1, (size_t)length, stream);
        }
        c += length > 0 ? length : 1;
    }
    fputc('"', stream);
}

static bool is_flat(const sn_json_writer *json)
{
    return json->flat_depth > 0 && json->depth >= json->flat_depth;
}

// Comma, new line, indentation and key before a value.
static void begin_value(sn_json_writer *json, const char *key)
{
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];
        if (*filled) {
            fputc(',', json->stream);
        }
        if (is_flat(json)) {
            fputs(*filled ? " " : "", json->stream);
        } else {
            fprintf(json->stream, "\n%*s", 2 * json->depth, "");
        }
        *filled = true;
    }
    if (key != NULL) {
        write_text(json->stream, key);
        fputs(": ", json->stream);
    }
}

void sn_json_write_open(sn_json_writer *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->stream);
    json->closers[json->depth] = bracket == '{' ? '}' : ']';
    json->filled[json->depth] = false;
    json->depth++;
}

void sn_json_write_open_flat(sn_json_writer *json, const char *key, char bracket)
{
    sn_json_write_open(json, key, bracket);
    if (json->flat_depth == 0) {
        json->flat_depth = json->depth;
    }
}

void sn_json_write_close(sn_json_writer *json)
{
    bool flat = is_flat(json);
    if (json->flat_depth == json->depth) {
        json->flat_depth = 0;
    }
    json->depth--;
    if (json->filled[json->depth] && !flat) {
        fprintf(json->stream, "\n%*s", 2 * json->depth, "");
    }
    fputc(json->closers[json->depth], json->stream);
    if (json->depth == 0) {
        fputc('\n', json->stream);
    }
}

void sn_json_write_null(sn_json_writer *json, const char *key)
{
    begin_value(json, key);
    fputs("null", json->stream);
}

void sn_json_write_text(sn_json_writer *json, const char *key, const char *text)
{
    if (text == NULL) {
        sn_json_write_null(json, key);
        return;
    }
    begin_value(json, key);
    write_text(json->stream, text);
}

void sn_json_write_number(sn_json_writer *json, const char *key, double number)
{
    char text[32];
    if (!isfinite(number)) {
        sn_json_write_null(json, key);
        return;
    }
    begin_value(json, key);
    sn_number_to_text(number, text);
    fputs(text, json->stream);
}

void sn_json_write_integer(sn_json_writer *json, const char *key, uint64_t number)
{
    begin_value(json, key);
    fprintf(json->stream, "%" PRIu64, number);
}

void sn_json_write_bool(sn_json_writer *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->stream);
}

void sn_json_write_vec3(sn_json_writer *json, const char *key, sn_vec3 v)
{
    sn_json_write_open_flat(json, key, '[');
    sn_json_write_number(json, NULL, v.x);
    sn_json_write_number(json, NULL, v.y);
    sn_json_write_number(json, NULL, v.z);
    sn_json_write_close(json);
}

void sn_json_write_hash(sn_json_writer *json, const char *key, uint64_t hash)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    sn_json_write_text(json, key, text);
}
