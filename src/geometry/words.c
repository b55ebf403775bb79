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

sn_status sn_words_fail(sn_words *w, const char *format, ...)
{
    if (w->status != SN_OK) {
        return w->status;
    }
    char place[256], text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(place, sizeof place, "%.220s:%d:%d", w->name, w->word_line, w->word_column);
    if (w->length == 0) {
        w->status = sn_fail(w->error, SN_ERROR_SYNTAX, place, "the file ends here; %s", text);
    } else {
        int shown = w->length > 40 ? 40 : (int)w->length;
        w->status = sn_fail(w->error, SN_ERROR_SYNTAX, place, "'%.*s'; %s", shown, w->word, text);
    }
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
