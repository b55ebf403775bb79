// Merging vertices that are in the same place.
#ifndef SN_GEOMETRY_WELD_H
#define SN_GEOMETRY_WELD_H

#include "geometry/mesh_builder.h"

// Every vertex within `distance` (0: exactly there) of an earlier kept one becomes that one.
// Triangles that lose a corner go, and so do vertices without a triangle; the order of the rest
// stays. Negative distance merges nothing. False when memory runs out.
SN_API bool sn_weld(sn_mesh_builder *builder, double distance);

// The same for points of groups, of which only those of different groups become one. Kept points
// move up in `positions`; map[i] says which one point i is. False when memory runs out.
SN_API bool sn_weld_groups(sn_vec3 *positions, const int *group_sizes, int group_count,
                           double distance, int *map, int *kept);

#endif
