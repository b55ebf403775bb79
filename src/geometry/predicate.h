// Signs of determinants that are right whatever the rounding.
//
// Exact while coordinates and their products stay in the range of normal numbers: zero, or about
// 1e-140 to 1e140 in size.
#ifndef SN_GEOMETRY_PREDICATE_H
#define SN_GEOMETRY_PREDICATE_H

#include "sinew/geometry.h"

// 1 when a, b, c turn left (counter-clockwise), -1 when they turn right, 0 when they are in line.
SN_API int sn_orient2d(sn_vec2 a, sn_vec2 b, sn_vec2 c);

#endif
