// The volume that a surface encloses, whether it is closed or not.
#ifndef SN_GEOMETRY_SURFACE_VOLUME_H
#define SN_GEOMETRY_SURFACE_VOLUME_H

#include "geometry/surface_tree.h"

// By the divergence theorem, about the middle of its bounds: exact for a closed surface that does
// not overlap itself, and negative for one that is inside out.
SN_API double sn_mesh_signed_volume(const sn_mesh *mesh);

// Of all points with `turn` times the winding number above 1/2, along some 4,000 lines: within
// a thousandth or so. False when memory runs out.
SN_API bool sn_surface_tree_volume(const sn_surface_tree *tree, sn_aabb bounds, double turn,
                                   double *volume);

#endif
