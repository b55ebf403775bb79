#include <stdio.h>
#include <string.h>

#include "record/thesis.h"

const char *const sn_thesis_type_words[SN_THESIS_KIND_COUNT] = {
    "state", "topology", "textures", "surface", "constraints", "lights", "energies", "drags"};
const char *const sn_thesis_count_words[SN_THESIS_KIND_COUNT] = {
    "vertices", "tetrahedrons", "textures", "faces", "constraints", "lights", "states", "drags"};

// The thesis' own date; it gives none for the formats.
#define FORMAT_DATE "97-04-14"

// ---- reading ----

// Only the first letters of the last word count; what follows them is the next word.
static void give_back(sn_words *w, size_t kept)
{
    w->length = kept;
    w->at = w->word + kept;
}

static bool starts_with(const sn_words *w, const char *text)
{
    size_t length = strlen(text);
    return w->length >= length && memcmp(w->word, text, length) == 0;
}

void sn_thesis_take(sn_words *w, const char *text)
{
    sn_words_next(w);
    if (starts_with(w, text)) {
        give_back(w, strlen(text));
    } else {
        sn_words_fail(w, "'%s' was expected", text);
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void take_date(sn_words *w)
{
    sn_words_next(w);
    bool sound = w->length >= 8;
    for (int i = 0; sound && i < 8; ++i) {
        sound = i % 3 == 2 ? w->word[i] == '-' : is_digit(w->word[i]);
    }
    if (sound) {
        give_back(w, 8);
    } else {
        sn_words_fail(w, "the date of a format, YY-MM-DD, was expected");
    }
}

void sn_thesis_take_header(sn_words *w, sn_thesis_kind kind)
{
    sn_thesis_take(w, "begin");
    sn_thesis_take(w, sn_thesis_type_words[kind]);
    sn_words_next(w);
    bool early = starts_with(w, "(");
    if (w->status == SN_OK) {
        give_back(w, early ? 1 : 0);
    }
    sn_thesis_take(w, "format");
    sn_thesis_take(w, "of");
    if (!early) {
        sn_thesis_take(w, "(");
    }
    take_date(w);
    sn_thesis_take(w, ")");
}

int sn_thesis_take_count(sn_words *w, sn_thesis_kind kind)
{
    sn_thesis_take(w, sn_thesis_count_words[kind]);
    sn_thesis_take(w, "=");
    char what[64];
    snprintf(what, sizeof what, "a number of %s", sn_thesis_count_words[kind]);
    return (int)sn_words_integer(w, what, 0, 100000000);
}

void sn_thesis_take_footer(sn_words *w, sn_thesis_kind kind)
{
    sn_thesis_take(w, "end");
    sn_thesis_take(w, sn_thesis_type_words[kind]);
}

void sn_thesis_take_number(sn_words *w, int number)
{
    sn_words_next(w);
    size_t digits = 0;
    int64_t value = 0;
    while (digits < w->length && digits < 12 && is_digit(w->word[digits])) {
        value = 10 * value + (w->word[digits] - '0');
        ++digits;
    }
    if (digits == 0 || value != number) {
        sn_words_fail(w, "the number %d was expected", number);
        return;
    }
    give_back(w, digits);
    sn_thesis_take(w, ":");
}

// ---- writing ----

void sn_thesis_put_header(sn_text *text, sn_thesis_kind kind, int count)
{
    sn_text_format(text, "begin %s (format of " FORMAT_DATE ")\n%s = %d\n",
                   sn_thesis_type_words[kind], sn_thesis_count_words[kind], count);
}

void sn_thesis_put_numbers(sn_text *text, const double *numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        if (i > 0) {
            sn_text_add(text, " ");
        }
        sn_text_number(text, numbers[i]);
    }
}

void sn_thesis_put_footer(sn_text *text, sn_thesis_kind kind)
{
    sn_text_format(text, "end %s\n", sn_thesis_type_words[kind]);
}
