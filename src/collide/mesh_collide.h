// Contact with meshes and height fields ("grounds"): facet by facet, without bumps at the edges
// between them.
//
// Each facet near the other body is a triangle that GJK and EPA know (convex.h). The normal they
// find holds only if the ground admits it there (facet.h); one that would point over a neighbour is
// turned into the facet's own, and the features are clipped anew. So a box or a ball that slides
// over a flat floor of a thousand triangles has the floor's normal, exactly, everywhere. Points of
// like normals make one manifold, and the four of it that span the most are kept.
//
// A body whose middle is inside a solid ground leaves it through one facet: the nearest of a mesh,
// the one above of a height field. Sheets (open meshes) push a convex body to the side of each
// facet on which it reaches farther, and another mesh to the side of its middle.
//
// What it does not do: a moving open mesh has no inside to push out of; where two meshes cut
// through each other by more than half of the smaller one's size, points are left out.
#ifndef SN_COLLIDE_MESH_COLLIDE_H
#define SN_COLLIDE_MESH_COLLIDE_H

#include "collide/collider.h"
#include "collide/manifold.h"

// How deep corners of one mesh are looked for below facets of another, as a share of the smaller.
#define SN_MESH_SUNK 0.1

// As sn_collide, with a ground for b and anything whose type is not after b's for a: convex, a
// plane, or another ground. Two that cannot move (plane or height field and height field) give 0.
SN_API int sn_collide_with_ground(const sn_collider *a, const sn_transform *place_a,
                                  const sn_collider *b, const sn_transform *place_b, double margin,
                                  sn_manifold *manifolds, int capacity, int *left_out);

#endif
