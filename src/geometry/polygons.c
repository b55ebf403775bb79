#include "geometry/polygons.h"

#include <math.h>

#include "base/error.h"

void sn_polygons_free(sn_polygons *polygons)
{
    sn_array_free(&polygons->positions);
    sn_array_free(&polygons->sizes);
    sn_array_free(&polygons->corners);
}

void sn_polygons_no_memory(sn_words *words, const sn_polygons *polygons)
{
    if (words->status == SN_OK) {
        size_t bytes = (size_t)polygons->positions.count * sizeof *polygons->positions.data +
                       (size_t)polygons->corners.count * sizeof *polygons->corners.data;
        words->status = sn_fail_memory(words->error, 2 * bytes);
    }
}

void sn_polygons_vertex(sn_words *words, sn_polygons *polygons, sn_vec3 position)
{
    if (words->status == SN_OK && !sn_array_push(&polygons->positions, position)) {
        sn_polygons_no_memory(words, polygons);
    }
}

void sn_polygons_corner(sn_words *words, sn_polygons *polygons, int vertex)
{
    if (words->status == SN_OK && !sn_array_push(&polygons->corners, vertex)) {
        sn_polygons_no_memory(words, polygons);
    }
}

void sn_polygons_end(sn_words *words, sn_polygons *polygons, int size)
{
    if (words->status == SN_OK && !sn_array_push(&polygons->sizes, size)) {
        sn_polygons_no_memory(words, polygons);
    }
}

// "nan", "-inf", "1.#QNAN" and their kin, as programs print them.
static bool is_no_number(const sn_words *words)
{
    const char *at = words->at, *end = words->end;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        ++at;
    }
    at += at < end && (*at == '-' || *at == '+');
    return end - at >= 3 && ((at[0] | 32) == 'n' || (at[0] | 32) == 'i' ||
                             (at[0] == '1' && at[1] == '.' && at[2] == '#'));
}

double sn_polygons_coordinate(sn_words *words, sn_raw_kind kind)
{
    size_t size = sn_raw_size(kind);
    if (words->status == SN_OK && words->binary && (size_t)(words->end - words->at) >= size) {
        double value = sn_raw_number(words->at, kind, words->big_endian);
        words->at += size;
        return value;
    }
    if (words->status == SN_OK && !words->binary && is_no_number(words)) {
        sn_words_next(words);
        return NAN;
    }
    return sn_words_stored_number(words, kind, "a coordinate");
}
