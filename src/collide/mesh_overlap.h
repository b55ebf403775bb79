// Do two solids overlap, though no contact says how deep? Plates in one plane whose outlines cross
// have their largest faces in common and walls that meet at edges only, so that neither the
// distance of surfaces (0) nor a crossing of edges with facets tells them from plates that merely
// touch.
//
// Each solid is therefore shrunk a little in turn, every vertex by `depth` along its normal
// (weighed by angles). What touches comes apart. What overlaps by more still does, and then
// surfaces cross properly, with an edge of one through a facet of the other, or one is inside the
// other.
#ifndef SN_COLLIDE_MESH_OVERLAP_H
#define SN_COLLIDE_MESH_OVERLAP_H

#include "collide/mesh_tree.h"

// Does an edge of one of them, shrunk, go through a facet of the other? `place`: of b in a's frame.
// Open meshes have no inside, and never do.
SN_API bool sn_mesh_overlaps(const sn_mesh_tree *a, const sn_mesh_tree *b,
                             const sn_transform *place, double depth);

#endif
