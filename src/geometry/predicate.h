// Signs of determinants that are right whatever the rounding.
//
// Exact while coordinates and their products stay in the range of normal numbers: zero, or about
// 1e-140 to 1e140 in size in the plane, 1e-90 to 1e90 in space.
#ifndef SN_GEOMETRY_PREDICATE_H
#define SN_GEOMETRY_PREDICATE_H

#include "sinew/geometry.h"

// 1 when a, b, c turn left (counter-clockwise), -1 when they turn right, 0 when they are in line.
SN_API int sn_orient2d(sn_vec2 a, sn_vec2 b, sn_vec2 c);

// The sign of (b - a) . ((c - a) x (d - a)): 1 for tetrahedra in positive order, 0 in one plane.
SN_API int sn_orient3d(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 d);

// Do the segment from p to q and the triangle a, b, c have a point in common?
SN_API bool sn_segment_meets_triangle(sn_vec3 p, sn_vec3 q, sn_vec3 a, sn_vec3 b, sn_vec3 c);

#endif
