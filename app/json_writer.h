// JSON to a stream, indented, commas and escapes done. Numbers have the fewest digits that read
// back to the same bits; what JSON cannot say (NaN, infinities) becomes null.
//
//     sn_json_writer json = {.stream = stdout};
//     sn_json_write_open(&json, NULL, '{');
//     sn_json_write_number(&json, "time", 1.5);
//     sn_json_write_close(&json);
//
// The key is NULL inside arrays and for the outermost value. Write errors stay on the stream.
#ifndef SN_APP_JSON_WRITER_H
#define SN_APP_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sinew/math.h"

typedef struct sn_json_writer {
    FILE *stream;
    int depth;
    char closers[16];
    bool filled[16]; // an element has been written at that depth
    int flat_depth;  // elements at this depth or deeper share a line; 0: none do
} sn_json_writer;

void sn_json_write_open(sn_json_writer *json, const char *key, char bracket);      // '{' or '['
void sn_json_write_open_flat(sn_json_writer *json, const char *key, char bracket); // on one line
void sn_json_write_close(sn_json_writer *json);
void sn_json_write_text(sn_json_writer *json, const char *key, const char *text); // NULL: null
void sn_json_write_number(sn_json_writer *json, const char *key, double number);
void sn_json_write_integer(sn_json_writer *json, const char *key, uint64_t number);
void sn_json_write_bool(sn_json_writer *json, const char *key, bool value);
void sn_json_write_null(sn_json_writer *json, const char *key);
void sn_json_write_vec3(sn_json_writer *json, const char *key, sn_vec3 v);
void sn_json_write_hash(sn_json_writer *json, const char *key,
                        uint64_t hash); // sixteen hexadecimal digits, as text

#endif
