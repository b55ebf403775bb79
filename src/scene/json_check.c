// The strict check of a JSON text: grammar, UTF-8, depth, comments, trailing commas.
#include <stdio.h>
#include <string.h>

#include "scene/json.h"
#include "scene/text.h"

typedef enum state {
    STATE_VALUE,        // a value must come
    STATE_VALUE_OR_END, // inside [ or after its comma
    STATE_KEY_OR_END,   // inside { or after its comma
    STATE_COLON,
    STATE_COMMA_OR_END,
    STATE_DONE,
} state;

typedef struct checker {
    const sn_json *json;
    const unsigned char *text;
    char *clean;
    size_t length, at;
    sn_error *error;
    state state;
    int depth;
    size_t opened[SN_JSON_DEPTH_LIMIT]; // where each bracket stands
    size_t comma;                       // the last one, while nothing has followed it
    bool after_comma;
    int values;
} checker;

// Length of the well-formed UTF-8 character at `text` (Unicode 15, table 3-7), 0 when there is
// none.
static size_t utf8_length(const unsigned char *text, size_t length)
{
    unsigned char lead = text[0];
    if (lead < 0x80) {
        return 1;
    }
    size_t count = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || count > length) {
        return 0;
    }
    unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < low || text[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < count; ++i) {
        if (text[i] < 0x80 || text[i] > 0xbf) {
            return 0;
        }
    }
    return count;
}

static sn_status check_bytes(checker *c)
{
    if (c->length >= 2 && ((c->text[0] == 0xff && c->text[1] == 0xfe) ||
                           (c->text[0] == 0xfe && c->text[1] == 0xff))) {
        return sn_json_fail(c->json, 0, c->error, "this file is UTF-16, expected UTF-8");
    }
    for (size_t i = 0; i < c->length;) {
        size_t count = utf8_length(c->text + i, c->length - i);
        if (count == 0) {
            return sn_json_fail(c->json, i, c->error,
                                "byte 0x%02x is not valid UTF-8, expected a text file in UTF-8",
                                c->text[i]);
        }
        if (c->text[i] == 0) {
            return sn_json_fail(c->json, i, c->error,
                                "a zero byte: this looks like a binary file, expected a text");
        }
        i += count;
    }
    return SN_OK;
}

// Names what stands at the present place, for messages.
static void describe(const checker *c, char text[48])
{
    if (c->at >= c->length) {
        snprintf(text, 48, "the end of the text");
        return;
    }
    unsigned char first = c->text[c->at];
    if (first < 0x20 || first == 0x7f) {
        snprintf(text, 48, "the control character 0x%02x", first);
        return;
    }
    size_t count = 0;
    bool word = first == '_' || first == '-' || (first >= 'A' && first <= 'Z') ||
                (first >= 'a' && first <= 'z') || (first >= '0' && first <= '9');
    while (word && count < 24 && c->at + count < c->length) {
        unsigned char next = c->text[c->at + count];
        if (next <= ' ' || strchr(",:[]{}\"/'", next) != NULL) {
            break;
        }
        size_t step = utf8_length(c->text + c->at + count, c->length - c->at - count);
        count += step > 0 ? step : 1;
    }
    count = count > 0 ? count : utf8_length(c->text + c->at, c->length - c->at);
    snprintf(text, 48, "'%.*s'", (int)(count > 0 ? count : 1), (const char *)c->text + c->at);
}

static sn_status fail_expected(checker *c, const char *expected)
{
    char found[48];
    describe(c, found);
    if (c->at >= c->length && c->depth > 0) {
        size_t open = c->opened[c->depth - 1];
        int line, column;
        sn_json_byte_place(c->json, open, &line, &column);
        return sn_json_fail(c->json, c->at, c->error,
                            "the text ends, but the '%c' at %d:%d is not closed; expected %s",
                            c->text[open], line, column, expected);
    }
    return sn_json_fail(c->json, c->at, c->error, "expected %s, found %s", expected, found);
}

static void blank(checker *c, size_t from, size_t to)
{
    for (size_t i = from; i < to; ++i) {
        if (c->clean[i] != '\n') {
            c->clean[i] = ' ';
        }
    }
}

static sn_status skip_comment(checker *c)
{
    size_t start = c->at;
    unsigned char second = c->at + 1 < c->length ? c->text[c->at + 1] : 0;
    if (second == '/') {
        while (c->at < c->length && c->text[c->at] != '\n') {
            c->at += 1;
        }
    } else if (second == '*') {
        c->at += 2;
        while (c->at + 1 < c->length && !(c->text[c->at] == '*' && c->text[c->at + 1] == '/')) {
            c->at += 1;
        }
        if (c->at + 1 >= c->length) {
            return sn_json_fail(c->json, start, c->error,
                                "this comment is not closed, expected */ after it");
        }
        c->at += 2;
    } else {
        return sn_json_fail(c->json, start, c->error,
                            "expected // or /* to start a comment, found a single '/'");
    }
    blank(c, start, c->at);
    return SN_OK;
}

static int hex_digit(unsigned char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// The code unit of the \uXXXX at `offset`, or -1.
static int unicode_escape(const checker *c, size_t offset)
{
    if (offset + 6 > c->length || c->text[offset] != '\\' || c->text[offset + 1] != 'u') {
        return -1;
    }
    int unit = 0;
    for (size_t i = 2; i < 6; ++i) {
        int digit = hex_digit(c->text[offset + i]);
        if (digit < 0) {
            return -1;
        }
        unit = 16 * unit + digit;
    }
    return unit;
}

static sn_status check_escape(checker *c)
{
    unsigned char letter = c->at + 1 < c->length ? c->text[c->at + 1] : 0;
    if (letter != 'u') {
        if (letter == 0 || strchr("\"\\/bfnrt", letter) == NULL) {
            return sn_json_fail(c->json, c->at, c->error,
                                "unknown escape, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t "
                                "\\uXXXX");
        }
        c->at += 2;
        return SN_OK;
    }
    int unit = unicode_escape(c, c->at);
    if (unit < 0) {
        return sn_json_fail(c->json, c->at, c->error, "expected four hexadecimal digits after \\u");
    }
    if (unit == 0) {
        return sn_json_fail(c->json, c->at, c->error, "\\u0000 cannot be part of a text");
    }
    if (unit >= 0xd800 && unit <= 0xdfff) {
        int low = unicode_escape(c, c->at + 6);
        if (unit >= 0xdc00 || low < 0xdc00 || low > 0xdfff) {
            return sn_json_fail(c->json, c->at, c->error,
                                "half of a surrogate pair, expected \\uD800..\\uDBFF followed by "
                                "\\uDC00..\\uDFFF");
        }
        c->at += 6;
    }
    c->at += 6;
    return SN_OK;
}

static sn_status check_string(checker *c)
{
    size_t start = c->at++;
    while (c->at < c->length && c->text[c->at] != '"') {
        if (c->text[c->at] == '\\') {
            sn_status status = check_escape(c);
            if (status != SN_OK) {
                return status;
            }
        } else if (c->text[c->at] == '\n' || c->text[c->at] == '\r') {
            return sn_json_fail(c->json, start, c->error,
                                "this string is not closed on its line, expected a '\"' (a line "
                                "break inside is written \\n)");
        } else if (c->text[c->at] < 0x20) {
            return sn_json_fail(c->json, c->at, c->error,
                                "control character 0x%02x in a string, expected it as \\u%04x",
                                c->text[c->at], c->text[c->at]);
        } else {
            c->at += 1;
        }
    }
    if (c->at >= c->length) {
        return sn_json_fail(c->json, start, c->error, "this string is not closed, expected a '\"'");
    }
    c->at += 1;
    return SN_OK;
}

static bool is_delimiter(const checker *c, size_t offset)
{
    return offset >= c->length || strchr(" \t\r\n,:[]{}\"/", c->text[offset]) != NULL;
}

static bool starts_with_word(const checker *c, const char *word)
{
    size_t count = strlen(word);
    return c->length - c->at >= count && memcmp(c->text + c->at, word, count) == 0 &&
           is_delimiter(c, c->at + count);
}

static sn_status check_number(checker *c)
{
    size_t count = sn_number_length((const char *)c->text + c->at, c->length - c->at);
    if (count == 0 || !is_delimiter(c, c->at + count)) {
        return fail_expected(c, "a number such as -1.5e-3 (digits before and after the point, no "
                                "leading zeros or '+'; units only in strings: \"5mm\")");
    }
    if (count > SN_NUMBER_LENGTH_LIMIT) {
        return sn_json_fail(c->json, c->at, c->error,
                            "a number of %zu characters, expected at most %d", count,
                            SN_NUMBER_LENGTH_LIMIT);
    }
    c->at += count;
    return SN_OK;
}

// true, false, null; and the words people bring from other languages.
static sn_status check_word(checker *c)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; ++i) {
        if (starts_with_word(c, words[i])) {
            c->at += strlen(words[i]);
            return SN_OK;
        }
    }
    static const char *const infinities[] = {"NaN", "nan",       "NAN",       "Infinity",
                                             "inf", "-Infinity", "-infinity", "-inf",
                                             "Inf", "-Inf",      "-NaN",      "-nan"};
    for (size_t i = 0; i < sizeof infinities / sizeof *infinities; ++i) {
        if (starts_with_word(c, infinities[i])) {
            return sn_json_fail(c->json, c->at, c->error,
                                "%s is not a number a scene can hold, expected a finite number",
                                infinities[i]);
        }
    }
    static const char *const others[][2] = {{"True", "true"},
                                            {"False", "false"},
                                            {"None", "null"},
                                            {"TRUE", "true"},
                                            {"FALSE", "false"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (starts_with_word(c, others[i][0])) {
            return sn_json_fail(c->json, c->at, c->error,
                                "expected a value, found '%s'; did you mean %s?", others[i][0],
                                others[i][1]);
        }
    }
    if (c->text[c->at] == '-') {
        return check_number(c);
    }
    return fail_expected(c, c->text[c->at] == '\'' ? "a string in double quotes" : "a value");
}

static sn_status count_value(checker *c)
{
    c->values += 1;
    if (c->values > SN_JSON_VALUE_LIMIT) {
        return sn_json_fail(c->json, c->at, c->error,
                            "more than %d keys and values; expected fewer (put large meshes into "
                            "mesh files)",
                            SN_JSON_VALUE_LIMIT);
    }
    return SN_OK;
}

static sn_status open_bracket(checker *c)
{
    if (c->depth >= SN_JSON_DEPTH_LIMIT) {
        return sn_json_fail(c->json, c->at, c->error,
                            "nested more than %d deep, expected fewer levels", SN_JSON_DEPTH_LIMIT);
    }
    c->opened[c->depth++] = c->at;
    c->state = c->text[c->at] == '{' ? STATE_KEY_OR_END : STATE_VALUE_OR_END;
    c->after_comma = false;
    c->at += 1;
    return SN_OK;
}

static void value_done(checker *c)
{
    c->state = c->depth > 0 ? STATE_COMMA_OR_END : STATE_DONE;
    c->after_comma = false;
}

static void close_bracket(checker *c)
{
    if (c->after_comma) {
        blank(c, c->comma, c->comma + 1);
    }
    c->depth -= 1;
    c->at += 1;
    value_done(c);
}

static sn_status check_value(checker *c)
{
    sn_status status = count_value(c);
    if (status != SN_OK) {
        return status;
    }
    unsigned char first = c->text[c->at];
    if (first == '{' || first == '[') {
        return open_bracket(c);
    }
    if (first == '"') {
        status = check_string(c);
    } else if ((first >= '0' && first <= '9') || first == '+' || first == '.') {
        status = check_number(c);
    } else {
        status = check_word(c);
    }
    value_done(c);
    return status;
}

static sn_status check_token(checker *c)
{
    unsigned char first = c->text[c->at];
    unsigned char closer = c->depth > 0 && c->text[c->opened[c->depth - 1]] == '{' ? '}' : ']';
    switch (c->state) {
    case STATE_VALUE_OR_END:
        if (first == ']') {
            close_bracket(c);
            return SN_OK;
        }
        if (first == '}' || first == ',' || first == ':') {
            return fail_expected(c, "a value or ']'");
        }
        return check_value(c);
    case STATE_VALUE:
        if (first == '}' || first == ']' || first == ',' || first == ':') {
            return fail_expected(c, "a value");
        }
        return check_value(c);
    case STATE_KEY_OR_END:
        if (first == '}') {
            close_bracket(c);
            return SN_OK;
        }
        if (first != '"') {
            return fail_expected(c, "a key in double quotes or '}'");
        }
        c->state = STATE_COLON;
        c->after_comma = false;
        return count_value(c) == SN_OK ? check_string(c) : SN_ERROR_SYNTAX;
    case STATE_COLON:
        if (first != ':') {
            return fail_expected(c, "':' after the key");
        }
        c->at += 1;
        c->state = STATE_VALUE;
        return SN_OK;
    case STATE_COMMA_OR_END:
        if (first == closer) {
            close_bracket(c);
            return SN_OK;
        }
        if (first != ',') {
            return fail_expected(c, closer == '}' ? "',' or '}'" : "',' or ']'");
        }
        c->comma = c->at++;
        c->after_comma = true;
        c->state = closer == '}' ? STATE_KEY_OR_END : STATE_VALUE_OR_END;
        return SN_OK;
    case STATE_DONE:
        break;
    }
    return fail_expected(c, "nothing after the scene's closing '}'");
}

sn_status sn_json_check(const sn_json *json, char *clean, int *value_count, sn_error *error)
{
    checker c = {.json = json,
                 .text = (const unsigned char *)json->text,
                 .clean = clean,
                 .length = json->length,
                 .error = error,
                 .state = STATE_VALUE};
    sn_status status = check_bytes(&c);
    if (status == SN_OK && c.length >= 3 && memcmp(c.text, "\xef\xbb\xbf", 3) == 0) {
        blank(&c, 0, 3); // a byte order mark
        c.at = 3;
    }
    while (status == SN_OK) {
        while (c.at < c.length && strchr(" \t\r\n", c.text[c.at]) != NULL) {
            c.at += 1;
        }
        if (c.at >= c.length) {
            break;
        }
        if (c.text[c.at] == '/') {
            status = skip_comment(&c);
        } else if (c.state == STATE_VALUE && c.depth == 0 && c.text[c.at] != '{') {
            status = fail_expected(&c, "'{' to start the scene");
        } else {
            status = check_token(&c);
        }
    }
    if (status == SN_OK && c.state == STATE_VALUE && c.depth == 0) {
        return sn_json_fail(json, c.at, error,
                            "the text is empty, expected '{' to start the scene");
    }
    if (status == SN_OK && c.state != STATE_DONE) {
        static const char *const expected[] = {"a value", "a value or ']'", "a key or '}'",
                                               "':' after the key", "',' or a closing bracket"};
        return fail_expected(&c, expected[c.state]);
    }
    *value_count = c.values;
    return status;
}
