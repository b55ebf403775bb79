// Triangles for a closed loop of points in space: a hole, or a face that crosses itself.
#ifndef SN_GEOMETRY_LOOP_FILL_H
#define SN_GEOMETRY_LOOP_FILL_H

#include "sinew/geometry.h"

// Is there an edge between points i and j of the loop already? Such chords are avoided where
// others will do.
typedef bool sn_loop_chord_taken(const void *context, int i, int j);

// Exactly count - 2 triangles (count >= 3) that run along the loop in its own direction. A loop
// that is nearly flat and simple is cut in its plane (sn_triangulate_polygon). Others get the
// triangulation of least area (Barequet and Sharir, "Filling gaps in the boundary of a polyhedron",
// Computer Aided Geometric Design 12, 1995), which costs n^3; loops of more than 160 points are
// first divided along short chords. `taken` may be NULL. False when memory runs out.
SN_API bool sn_loop_fill(const sn_vec3 *points, int count, sn_loop_chord_taken *taken,
                         const void *context,
                         int *triangles); // 3 * (count - 2)

#endif
