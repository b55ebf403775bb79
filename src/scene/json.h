// Reading JSON with places: where every key and value stands, in lines and columns.
//
//     sn_json *json = NULL;
//     sn_json_parse("mobile.json", text, length, &json, &error);
//     for (int key = sn_json_first(json, 0); key >= 0; key = sn_json_next(json, key)) {
//         if (sn_json_is(json, key, "name")) { use(json, key + 1); } // the value follows its key
//     }
//     sn_json_destroy(json);
//
// The text is JSON (RFC 8259) plus // and /* */ comments and trailing commas; it must be valid
// UTF-8, its outermost value an object. Keys may not repeat. The text itself is not copied and must
// outlive the sn_json. jsmn cuts the text into tokens, but it is lenient: a strict check
// (json_check.c) runs before it and does all the complaining.
#ifndef SN_SCENE_JSON_H
#define SN_SCENE_JSON_H

#include "sinew/base.h"

#define SN_JSON_SIZE_LIMIT  (256u << 20) // bytes
#define SN_JSON_VALUE_LIMIT 8000000      // keys and values
#define SN_JSON_DEPTH_LIMIT 2100         // a mobile of a thousand arms, each on the one above

typedef enum sn_json_type {
    SN_JSON_NULL,
    SN_JSON_BOOLEAN,
    SN_JSON_NUMBER,
    SN_JSON_STRING,
    SN_JSON_ARRAY,
    SN_JSON_OBJECT,
} sn_json_type;

typedef struct sn_json_node {
    sn_json_type type;
    int start, end; // bytes; of a string: without its quotes
    int size;       // elements, or pairs of an object
    int next;       // sibling: the next element or key; -1 at the end
} sn_json_node;

// Line and column at every 256th byte, so that any place is found in constant time.
typedef struct sn_json_mark {
    int line, column;
} sn_json_mark;

typedef struct sn_json {
    const char *name;
    const char *text;
    size_t length;
    sn_json_node *nodes; // [0] is the outermost object
    int count;
    sn_json_mark *marks;
} sn_json;

// `name` and `text` must outlive the result.
SN_API sn_status sn_json_parse(const char *name, const char *text, size_t length, sn_json **json,
                               sn_error *error);
SN_API void sn_json_destroy(sn_json *json);

SN_API int sn_json_first(const sn_json *json, int node); // element or key; -1 when there is none
SN_API int sn_json_next(const sn_json *json, int node);

SN_API bool sn_json_is(const sn_json *json, int node, const char *text); // a string, equal to text
SN_API bool sn_json_boolean(const sn_json *json, int node);
SN_API bool sn_json_number(const sn_json *json, int node, double *value); // false: out of range

// Writes the string without escapes and zero-terminated; at most end - start + 1 bytes. Gives its
// length.
SN_API size_t sn_json_string(const sn_json *json, int node, char *buffer);

// Line and column, from 1, of a node (a string's opening quote) or of any byte; columns count
// characters.
SN_API void sn_json_node_place(const sn_json *json, int node, int *line, int *column);
SN_API void sn_json_byte_place(const sn_json *json, size_t offset, int *line, int *column);

// "an object", "a number", ... for messages.
SN_API const char *sn_json_type_text(sn_json_type type);

// Inside: the strict check. `clean` receives the text with comments and trailing commas blanked.
sn_status sn_json_check(const sn_json *json, char *clean, int *value_count, sn_error *error);
sn_status sn_json_fail(const sn_json *json, size_t offset, sn_error *error, const char *format, ...)
    SN_PRINTF(4, 5);

#endif
