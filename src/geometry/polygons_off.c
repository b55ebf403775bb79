#include <limits.h>

#include "base/error.h"
#include "geometry/polygons.h"

// Normals and colours follow in the same line.
static void skip_rest(sn_words *w)
{
    while (sn_words_line_goes_on(w) && sn_words_next(w)) {
    }
}

sn_status sn_polygons_parse_off(const char *name, const char *text, size_t length,
                                sn_polygons *polygons, sn_error *error)
{
    sn_words w = sn_words_of(name, text, length, error);
    w.comment = '#';
    sn_words_next(&w);
    if (!sn_words_is(&w, "OFF") && !sn_words_is(&w, "COFF") && !sn_words_is(&w, "NOFF") &&
        !sn_words_is(&w, "CNOFF")) {
        sn_words_fail(&w, "OFF, COFF, NOFF or CNOFF was expected as the first word of an OFF file");
    }
    int vertices = (int)sn_words_integer(&w, "a number of vertices", 0, INT_MAX);
    int faces = (int)sn_words_integer(&w, "a number of faces", 0, INT_MAX);
    skip_rest(&w); // the number of edges
    for (int i = 0; i < vertices && w.status == SN_OK; ++i) {
        double x = sn_polygons_coordinate(&w, SN_RAW_FLOAT64);
        double y = sn_polygons_coordinate(&w, SN_RAW_FLOAT64);
        double z = sn_polygons_coordinate(&w, SN_RAW_FLOAT64);
        sn_polygons_vertex(&w, polygons, sn_vec3_make(x, y, z));
        skip_rest(&w);
    }
    for (int i = 0; i < faces && w.status == SN_OK; ++i) {
        int size = (int)sn_words_integer(&w, "a number of corners", 0, INT_MAX);
        for (int k = 0; k < size && w.status == SN_OK; ++k) {
            int most = vertices > 0 ? vertices - 1 : 0;
            int vertex = (int)sn_words_integer(&w, "the index of a vertex", 0, most);
            if (w.status == SN_OK && vertex >= polygons->positions.count) {
                sn_words_fail(&w, "vertices were expected before faces");
            }
            sn_polygons_corner(&w, polygons, vertex);
        }
        sn_polygons_end(&w, polygons, size);
        skip_rest(&w);
    }
    return w.status;
}
