#include <limits.h>

#include "base/error.h"
#include "geometry/polygons.h"

// A line goes on behind a backslash at its end.
static bool line_goes_on(sn_words *w)
{
    while (sn_words_line_goes_on(w)) {
        const char *at = w->at;
        while (*at == ' ' || *at == '\t' || *at == '\r') {
            ++at;
        }
        const char *behind = at + 1;
        while (behind < w->end && (*behind == ' ' || *behind == '\t' || *behind == '\r')) {
            ++behind;
        }
        if (*at != '\\' || (behind < w->end && *behind != '\n')) {
            return true;
        }
        w->at = at + 1;
        sn_words_skip_line(w);
    }
    return false;
}

static void read_vertex(sn_words *w, sn_polygons *polygons)
{
    double x[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3 && w->status == SN_OK; ++k) {
        if (!line_goes_on(w)) {
            sn_words_fail(w, "three coordinates were expected behind it, got %d", k);
            return;
        }
        x[k] = sn_polygons_coordinate(w, SN_RAW_FLOAT64);
    }
    sn_polygons_vertex(w, polygons, sn_vec3_make(x[0], x[1], x[2]));
}

// "7", "7/1", "7//2" or "7/1/2": from 1 on, or from the last vertex back with -1.
static int read_corner(sn_words *w, const sn_polygons *polygons)
{
    sn_words_next(w);
    size_t i = w->length > 0 && w->word[0] == '-' ? 1 : 0, first = i;
    int64_t index = 0;
    while (i < w->length && i < 12 && w->word[i] >= '0' && w->word[i] <= '9') {
        index = 10 * index + (w->word[i++] - '0');
    }
    if (i == first || (i < w->length && w->word[i] != '/')) {
        sn_words_fail(w, "the index of a vertex, such as 3 or 3/1/2, was expected");
        return 0;
    }
    index = first == 1 ? polygons->positions.count - index : index - 1;
    if (index < 0 || index >= polygons->positions.count) {
        sn_words_fail(w, "the index of one of the %d vertices before this line was expected",
                      polygons->positions.count);
        return 0;
    }
    return (int)index;
}

static void read_face(sn_words *w, sn_polygons *polygons)
{
    int size = 0;
    while (w->status == SN_OK && line_goes_on(w)) {
        sn_polygons_corner(w, polygons, read_corner(w, polygons));
        size += 1;
    }
    sn_polygons_end(w, polygons, size);
}

static void skip_statement(sn_words *w)
{
    while (line_goes_on(w) && sn_words_next(w)) {
    }
}

sn_status sn_polygons_parse_obj(const char *name, const char *text, size_t length,
                                sn_polygons *polygons, sn_error *error)
{
    sn_words w = sn_words_of(name, text, length, error);
    w.comment = '#';
    while (sn_words_next(&w)) {
        if (sn_words_is(&w, "v")) {
            read_vertex(&w, polygons);
            skip_statement(&w); // weights, colours
        } else if (sn_words_is(&w, "f") || sn_words_is(&w, "fo")) {
            read_face(&w, polygons);
        } else {
            skip_statement(&w);
        }
    }
    if (w.status == SN_OK && polygons->positions.count == 0) {
        sn_words_fail(&w, "lines such as \"v 0 0 1\" were expected in an OBJ file");
    }
    return w.status;
}
