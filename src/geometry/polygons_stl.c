#include <string.h>

#include "base/error.h"
#include "geometry/polygons.h"

// A binary file has 80 bytes of anything, a count, and 50 bytes a triangle: a normal, three corners
// and two bytes of anything.
enum { HEADING = 84, RECORD = 50 };

static uint64_t binary_count(const char *text)
{
    int64_t count = 0;
    sn_raw_integer(text + HEADING - 4, SN_RAW_UINT32, false, &count);
    return (uint64_t)count;
}

static bool has_word(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; ++i) {
        size_t k = 0;
        while (k < size && (text[i + k] | 32) == word[k]) {
            ++k;
        }
        if (k == size) {
            return true;
        }
    }
    return false;
}

// Some programs begin binary files with "solid", too: those have no facets in words.
static bool is_binary(const char *text, size_t length)
{
    if (length >= HEADING && length == HEADING + RECORD * binary_count(text)) {
        return true;
    }
    bool solid = length >= 5 && has_word(text, 5, "solid");
    size_t first = length < 4096 ? length : 4096;
    return length >= HEADING &&
           !(solid && (has_word(text, first, "facet") || has_word(text, first, "endsolid")));
}

// Where the count does not fit, but whole triangles follow, all of them are read; bytes behind the
// last one do not matter.
static void read_binary(sn_words *w, const char *text, size_t length, sn_polygons *polygons)
{
    uint64_t count = binary_count(text), there = (length - HEADING) / RECORD;
    sn_words_begin_binary(w, false);
    w->word = text + HEADING - 4;
    w->length = 4;
    w->raw = true;
    w->kind = SN_RAW_UINT32;
    if (count > there) {
        sn_words_fail(w, "triangles are announced, and %llu follow: the file breaks off",
                      (unsigned long long)there);
        return;
    }
    if ((length - HEADING) % RECORD == 0) {
        count = there;
    }
    w->at = text + HEADING;
    for (uint64_t t = 0; t < count && w->status == SN_OK; ++t) {
        w->at += 12;
        for (int k = 0; k < 3; ++k) {
            double x = sn_polygons_coordinate(w, SN_RAW_FLOAT32);
            double y = sn_polygons_coordinate(w, SN_RAW_FLOAT32);
            double z = sn_polygons_coordinate(w, SN_RAW_FLOAT32);
            sn_polygons_corner(w, polygons, polygons->positions.count);
            sn_polygons_vertex(w, polygons, sn_vec3_make(x, y, z));
        }
        sn_polygons_end(w, polygons, 3);
        w->at += 2;
    }
}

// Words other than vertex, endloop and solid tell nothing that matters.
static void read_text(sn_words *w, sn_polygons *polygons)
{
    int size = 0;
    while (sn_words_next(w)) {
        if (sn_words_is(w, "solid") || sn_words_is(w, "endsolid")) {
            sn_words_skip_line(w);
        } else if (sn_words_is(w, "vertex")) {
            double x = sn_polygons_coordinate(w, SN_RAW_FLOAT32);
            double y = sn_polygons_coordinate(w, SN_RAW_FLOAT32);
            double z = sn_polygons_coordinate(w, SN_RAW_FLOAT32);
            sn_polygons_corner(w, polygons, polygons->positions.count);
            sn_polygons_vertex(w, polygons, sn_vec3_make(x, y, z));
            size += 1;
        } else if (sn_words_is(w, "endloop")) {
            if (size < 3) {
                sn_words_fail(w, "three lines \"vertex x y z\" were expected before it, got %d",
                              size);
            }
            sn_polygons_end(w, polygons, size);
            size = 0;
        }
    }
    if (size > 0) {
        sn_words_fail(w, "endloop was expected: the file breaks off");
    }
}

sn_status sn_polygons_parse_stl(const char *name, const char *text, size_t length,
                                sn_polygons *polygons, sn_error *error)
{
    sn_words words = sn_words_of(name, text, length, error);
    if (is_binary(text, length)) {
        read_binary(&words, text, length, polygons);
    } else if (length < 5 || !has_word(text, length < 1024 ? length : 1024, "solid")) {
        sn_words_next(&words);
        sn_words_fail(&words, "solid, or a heading of 84 bytes, was expected in an STL file");
    } else {
        read_text(&words, polygons);
    }
    return words.status;
}
