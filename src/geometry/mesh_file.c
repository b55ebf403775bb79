#include "geometry/mesh_file.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra_file.h"

typedef struct list_kind {
    const char *tag;
    bool whole; // indices and counts, not coordinates
} list_kind;

static const list_kind kinds[] = {{"p", true},       {"v", true},          {"h", true},
                                  {"vcount", true},  {"int_array", true},  {"float_array", false},
                                  {"matrix", false}, {"translate", false}, {"rotate", false},
                                  {"scale", false},  {"lookat", false},    {"skew", false}};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The kind of list that begins at '<'; NULL: none.
static const list_kind *list_at(const char *at, const char *end)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        size_t length = strlen(kinds[i].tag);
        if ((size_t)(end - at) > length + 1 && memcmp(at + 1, kinds[i].tag, length) == 0 &&
            (at[length + 1] == '>' || is_blank(at[length + 1]))) {
            return &kinds[i];
        }
    }
    return NULL;
}

// "-12", or for numbers that need not be whole also "1.5e-3", "NaN", "INF".
static bool word_is_sound(const char *word, size_t length, bool whole)
{
    size_t i = word[0] == '-' || word[0] == '+' ? 1 : 0;
    if (whole) {
        size_t digits = 0;
        while (i < length && word[i] >= '0' && word[i] <= '9') {
            ++i;
            ++digits;
        }
        return digits > 0 && digits < 11 && i == length;
    }
    if (length - i == 3 && (memcmp(word + i, "NaN", 3) == 0 || memcmp(word + i, "INF", 3) == 0)) {
        return true;
    }
    bool digit = false;
    for (; i < length; ++i) {
        char c = word[i];
        digit = digit || (c >= '0' && c <= '9');
        if (!((c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E')) {
            return false;
        }
    }
    return digit;
}

static sn_status fail_word(const char *path, const char *text, const char *word, size_t length,
                           const list_kind *kind, sn_error *error)
{
    int line = 1, column = 1;
    for (const char *at = text; at < word; ++at) {
        line += *at == '\n';
        column = *at == '\n' ? 1 : column + 1;
    }
    char place[256];
    snprintf(place, sizeof place, "%.220s:%d:%d", path, line, column);
    return sn_fail(error, SN_ERROR_FORMAT, place, "'%.*s' in <%s>; a %snumber was expected",
                   (int)(length < 40 ? length : 40), word, kind->tag, kind->whole ? "whole " : "");
}

static sn_status check_lists(const char *path, const char *text, size_t size, sn_error *error)
{
    const char *at = text, *end = text + size;
    while (at < end) {
        const list_kind *kind = *at == '<' ? list_at(at, end) : NULL;
        if (kind == NULL) {
            ++at;
            continue;
        }
        while (at < end && *at != '>') {
            ++at;
        }
        at += at < end;
        while (at < end && *at != '<') {
            const char *word = at;
            while (at < end && *at != '<' && !is_blank(*at)) {
                ++at;
            }
            if (at > word && !word_is_sound(word, (size_t)(at - word), kind->whole)) {
                return fail_word(path, text, word, (size_t)(at - word), kind, error);
            }
            while (at < end && is_blank(*at)) {
                ++at;
            }
        }
    }
    return SN_OK;
}

sn_status sn_dae_file_check(const char *path, sn_error *error)
{
    char *text = NULL;
    size_t length = 0;
    sn_status status = sn_file_read_text(path, &text, &length, error);
    if (status == SN_OK) {
        status = check_lists(path, text, length, error);
    }
    sn_free(text);
    return status;
}
