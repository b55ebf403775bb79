// A text that grows: for everything the scene reader writes (resolved scenes, schema, reference).
//
//     sn_text text = {0};
//     sn_text_format(&text, "{\"name\": ");
//     sn_text_json_string(&text, name);
//     if (text.failed) { sn_text_free(&text); return sn_fail_memory(error, text.length); }
//
// Running out of memory is remembered in `failed` and makes every later call do nothing.
#ifndef SN_SCENE_TEXT_H
#define SN_SCENE_TEXT_H

#include "sinew/base.h"

typedef struct sn_text {
    char *data; // zero-terminated once anything was added
    size_t length, capacity;
    bool failed;
} sn_text;

SN_API void sn_text_add(sn_text *text, const char *piece);
SN_API void sn_text_add_bytes(sn_text *text, const char *bytes, size_t length);
SN_API void sn_text_format(sn_text *text, const char *format, ...) SN_PRINTF(2, 3);
SN_API void sn_text_json_string(sn_text *text, const char *string); // quoted and escaped
SN_API void sn_text_number(sn_text *text,
                           double value); // shortest that reads back to the same bits
SN_API void sn_text_free(sn_text *text);

// The shortest decimal of a finite number that reads back to the same bits, "." whatever the
// locale.
SN_API void sn_number_to_text(double value, char text[32]);

// Reads a number of the JSON grammar, correctly rounded, in any locale, times 10^decimal_shift.
// False when `length` characters are not such a number or it is out of range.
SN_API bool sn_number_from_text(const char *text, size_t length, int decimal_shift, double *value);

// Characters of the JSON number that starts `text`; 0 when none does.
SN_API size_t sn_number_length(const char *text, size_t length);

#define SN_NUMBER_LENGTH_LIMIT 1000 // characters

#endif
