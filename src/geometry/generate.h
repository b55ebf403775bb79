// What the generators share.
#ifndef SN_GEOMETRY_GENERATE_H
#define SN_GEOMETRY_GENERATE_H

#include "sinew/geometry.h"

sn_status sn_check_segments(int segments, sn_error *error);

// "<name> -1 m; a finite length above 0 was expected".
sn_status sn_check_length(const char *name, double value, sn_error *error);

// Point `index` of `count` on the unit circle, from +x counter-clockwise.
sn_vec2 sn_circle_point(int index, int count);

// A body of revolution from a profile that is known to be simple, counter-clockwise in the
// (distance from the axis, z) half plane, without repeated points.
sn_status sn_revolve(const sn_vec2 *profile, int count, int segments, sn_mesh **mesh,
                     sn_error *error);

#endif
