// Polygons as mesh files list them, and readers of the formats that are read without assimp: PLY,
// STL, OBJ and OFF. Coordinates keep the precision that the file has.
//
//     sn_polygons polygons = {0};
//     sn_status status = sn_polygons_parse_ply("scan.ply", text, length, &polygons, &error);
//     ...
//     sn_polygons_free(&polygons); // in both cases
//
// Errors have their place as file:line:column, or as a byte of binary files. Coordinates that are
// not finite are kept; the caller says what becomes of them.
#ifndef SN_GEOMETRY_POLYGONS_H
#define SN_GEOMETRY_POLYGONS_H

#include "base/array.h"
#include "geometry/words.h"
#include "sinew/geometry.h"

typedef struct sn_polygons {
    SN_ARRAY(sn_vec3) positions;
    SN_ARRAY(int) sizes;   // of the polygons
    SN_ARRAY(int) corners; // of all polygons, one after the other; indices into positions
} sn_polygons;

SN_API void sn_polygons_free(sn_polygons *polygons);

typedef sn_status sn_polygons_parser(const char *name, const char *text, size_t length,
                                     sn_polygons *polygons, sn_error *error);

// Text and binary of both orders; elements "face" (lists of vertices) and "tristrips" (lists in
// which -1 starts a new strip). Other elements and properties are passed over. G. Turk, "The PLY
// polygon file format" (1994).
SN_API sn_polygons_parser sn_polygons_parse_ply;

// Text, also of several solids, and binary, also where its heading begins with "solid". Normals do
// not matter.
SN_API sn_polygons_parser sn_polygons_parse_stl;

// Vertices and faces (with negative indices, too); all else is passed over.
SN_API sn_polygons_parser sn_polygons_parse_obj;

// OFF, COFF, NOFF and CNOFF in text (Geomview).
SN_API sn_polygons_parser sn_polygons_parse_off;

// ---- for the readers ----

// Out of memory, as a failure of the words.
void sn_polygons_no_memory(sn_words *words, const sn_polygons *polygons);

void sn_polygons_vertex(sn_words *words, sn_polygons *polygons, sn_vec3 position);

// A corner of the polygon that is being read, and its end.
void sn_polygons_corner(sn_words *words, sn_polygons *polygons, int vertex);
void sn_polygons_end(sn_words *words, sn_polygons *polygons, int size);

// A coordinate; not a number and infinities are accepted.
double sn_polygons_coordinate(sn_words *words, sn_raw_kind kind);

#endif
