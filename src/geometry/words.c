#include "geometry/words.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"

sn_words sn_words_of(const char *name, const char *text, size_t length, sn_error *error)
{
    return (sn_words){.name = name,
                      .start = text,
                      .at = text,
                      .end = text + length,
                      .line_start = text,
                      .line = 1,
                      .word_line = 1,
                      .word_column = 1,
                      .error = error};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

static void step(sn_words *w)
{
    if (*w->at++ == '\n') {
        w->line += 1;
        w->line_start = w->at;
    }
}

bool sn_words_next(sn_words *w)
{
    while (w->status == SN_OK && w->at < w->end &&
           (is_blank(*w->at) || (w->comment != 0 && *w->at == w->comment))) {
        if (is_blank(*w->at)) {
            step(w);
        } else {
            sn_words_skip_line(w);
        }
    }
    w->word = w->at;
    w->raw = false;
    w->word_line = w->line;
    w->word_column = 1 + (int)(w->at - w->line_start);
    w->length = 0;
    if (w->status != SN_OK || w->at == w->end) {
        return false;
    }
    while (w->at < w->end && !is_blank(*w->at)) {
        ++w->at;
    }
    w->length = (size_t)(w->at - w->word);
    return true;
}

bool sn_words_quoted(sn_words *w, const char *what)
{
    if (!sn_words_next(w) || w->word[0] != '"') {
        sn_words_fail(w, "%s in quotes was expected", what);
        return false;
    }
    const char *end = w->word + 1;
    while (end < w->end && *end != '"' && *end != '\n') {
        ++end;
    }
    if (end == w->end || *end != '"') {
        sn_words_fail(w, "the quote that ends %s was expected in this line", what);
        return false;
    }
    w->at = end + 1;
    w->word += 1;
    w->length = (size_t)(end - w->word);
    return true;
}

void sn_words_skip_line(sn_words *w)
{
    while (w->at < w->end && *w->at != '\n') {
        ++w->at;
    }
    if (w->at < w->end) {
        step(w);
    }
}

bool sn_words_line_goes_on(const sn_words *w)
{
    const char *at = w->at;
    while (at < w->end && *at != '\n' && is_blank(*at)) {
        ++at;
    }
    return at < w->end && *at != '\n' && !(w->comment != 0 && *at == w->comment);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool sn_words_is(const sn_words *w, const char *word)
{
    size_t length = strlen(word);
    if (w->length != length) {
        return false;
    }
    for (size_t i = 0; i < length; ++i) {
        if (lower(w->word[i]) != lower(word[i])) {
            return false;
        }
    }
    return true;
}

// What stands at the last word, as an error shows it: nothing, a number, or the word itself, of
// which bytes that are no letters are not shown.
static void show_word(const sn_words *w, char *shown, size_t size)
{
    int length = w->length > 40 ? 40 : (int)w->length;
    int64_t whole;
    bool letters = true;
    for (int i = 0; w->binary && i < length; ++i) {
        letters = letters && w->word[i] >= ' ' && w->word[i] <= '~';
    }
    if (length == 0) {
        snprintf(shown, size, "the file ends here");
    } else if (w->raw && sn_raw_integer(w->word, w->kind, w->big_endian, &whole)) {
        snprintf(shown, size, "'%lld'", (long long)whole);
    } else if (w->raw) {
        snprintf(shown, size, "'%g'", sn_raw_number(w->word, w->kind, w->big_endian));
    } else if (!letters) {
        snprintf(shown, size, "no word, but other bytes");
    } else {
        snprintf(shown, size, "'%.*s'", length, w->word);
    }
}

sn_status sn_words_fail(sn_words *w, const char *format, ...)
{
    if (w->status != SN_OK) {
        return w->status;
    }
    char place[256], text[400], shown[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (w->binary) {
        snprintf(place, sizeof place, "%.220s, byte %zu", w->name, (size_t)(w->word - w->start));
    } else {
        snprintf(place, sizeof place, "%.220s:%d:%d", w->name, w->word_line, w->word_column);
    }
    show_word(w, shown, sizeof shown);
    w->status = sn_fail(w->error, SN_ERROR_SYNTAX, place, "%s; %s", shown, text);
    return w->status;
}

// Bounds beyond what anybody counts to are the reader's own, and are not told.
static void fail_integer(sn_words *w, const char *what, int64_t least, int64_t most)
{
    if (least >= 0 && most <= INT_MAX) {
        sn_words_fail(w, "%s, %lld to %lld, was expected", what, (long long)least, (long long)most);
    } else {
        sn_words_fail(w, "%s, a whole number, was expected", what);
    }
}

int64_t sn_words_integer(sn_words *w, const char *what, int64_t least, int64_t most)
{
    if (w->status != SN_OK) {
        return 0;
    }
    sn_words_next(w);
    size_t i = w->length > 0 && (w->word[0] == '-' || w->word[0] == '+') ? 1 : 0;
    bool sound = i < w->length && w->length - i <= 18;
    int64_t value = 0;
    for (; sound && i < w->length; ++i) {
        sound = w->word[i] >= '0' && w->word[i] <= '9';
        value = 10 * value + (w->word[i] - '0');
    }
    value = w->length > 0 && w->word[0] == '-' ? -value : value;
    if (!sound || value < least || value > most) {
        fail_integer(w, what, least, most);
        return 0;
    }
    return value;
}

// Digits beyond the nineteenth do not change the nearest double by more than their own rounding.
static bool read_decimal(const char *word, size_t length, sn_decimal *decimal, bool *negative)
{
    size_t i = length > 0 && (word[0] == '-' || word[0] == '+') ? 1 : 0;
    int digits = 0, any = 0;
    bool point = false;
    *negative = length > 0 && word[0] == '-';
    *decimal = (sn_decimal){0, 0};
    for (; i < length && (word[i] == '.' || (word[i] >= '0' && word[i] <= '9')); ++i) {
        if (word[i] == '.') {
            if (point) {
                return false;
            }
            point = true;
            continue;
        }
        any = 1;
        if (digits < 19) {
            decimal->digits = 10 * decimal->digits + (uint64_t)(word[i] - '0');
            digits += decimal->digits > 0;
            decimal->exponent -= point;
        } else {
            decimal->exponent += !point;
        }
        if (decimal->exponent > 100000 || decimal->exponent < -100000) {
            return false;
        }
    }
    if (!any || i == length) {
        return any && i == length;
    }
    if (word[i] != 'e' && word[i] != 'E' && word[i] != 'd' && word[i] != 'D') {
        return false;
    }
    ++i;
    bool minus = i < length && word[i] == '-';
    i += i < length && (word[i] == '-' || word[i] == '+');
    int exponent = 0;
    if (i == length || length - i > 5) {
        return false;
    }
    for (; i < length; ++i) {
        if (word[i] < '0' || word[i] > '9') {
            return false;
        }
        exponent = 10 * exponent + (word[i] - '0');
    }
    decimal->exponent += minus ? -exponent : exponent;
    return true;
}

double sn_words_number(sn_words *w, const char *what)
{
    if (w->status != SN_OK) {
        return 0.0;
    }
    sn_words_next(w);
    sn_decimal decimal;
    bool negative = false;
    double value = 0.0;
    if (!read_decimal(w->word, w->length, &decimal, &negative)) {
        sn_words_fail(w, "%s was expected", what);
        return 0.0;
    }
    if (decimal.digits != 0 && !sn_decimal_value(decimal, &value)) {
        char text[48]; // no point in it, so that the locale has no say
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)decimal.digits,
                 decimal.exponent);
        value = strtod(text, NULL);
    }
    if (!isfinite(value)) {
        sn_words_fail(w, "%s in the range of numbers was expected", what);
        return 0.0;
    }
    return negative ? -value : value;
}

// ---- stored numbers ----

void sn_words_begin_binary(sn_words *w, bool big_endian)
{
    w->binary = true;
    w->big_endian = big_endian;
}

void sn_words_start_values(sn_words *w)
{
    if (w->binary) {
        sn_words_skip_line(w);
    }
}

// The bytes of a number become the last word; false, with a word of no length, when the file ends
// before or has failed.
static bool take_bytes(sn_words *w, sn_raw_kind kind)
{
    size_t size = sn_raw_size(kind);
    if (w->status != SN_OK) {
        return false;
    }
    w->word = w->at;
    w->raw = true;
    w->kind = kind;
    w->length = (size_t)(w->end - w->at) < size ? 0 : size;
    w->at += w->length;
    return w->length > 0;
}

int64_t sn_words_stored_integer(sn_words *w, sn_raw_kind kind, const char *what, int64_t least,
                                int64_t most)
{
    if (!w->binary) {
        return sn_words_integer(w, what, least, most);
    }
    int64_t value;
    if (!take_bytes(w, kind) || !sn_raw_integer(w->word, kind, w->big_endian, &value) ||
        value < least || value > most) {
        fail_integer(w, what, least, most);
        return 0;
    }
    return value;
}

double sn_words_stored_number(sn_words *w, sn_raw_kind kind, const char *what)
{
    if (!w->binary) {
        return sn_words_number(w, what);
    }
    if (!take_bytes(w, kind)) {
        sn_words_fail(w, "%s was expected", what);
        return 0.0;
    }
    double value = sn_raw_number(w->word, kind, w->big_endian);
    if (!isfinite(value)) {
        sn_words_fail(w, "%s in the range of numbers was expected", what);
        return 0.0;
    }
    return value;
}

void sn_words_skip_stored(sn_words *w, sn_raw_kind kind, int64_t count, const char *what)
{
    if (w->binary && w->status == SN_OK) {
        int64_t left = (w->end - w->at) / (ptrdiff_t)sn_raw_size(kind);
        int64_t skipped = count < left ? count : left;
        w->at += skipped * (int64_t)sn_raw_size(kind);
        if (count > left) {
            w->word = w->at;
            w->length = 0;
            sn_words_fail(w, "%s was expected", what);
        }
    }
    for (int64_t k = 0; k < count && !w->binary && w->status == SN_OK; ++k) {
        if (!sn_words_next(w)) {
            sn_words_fail(w, "%s was expected", what);
        }
    }
}
