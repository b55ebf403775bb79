// The manifold of two convex colliders of any kind, by distance or depth of their cores.
//
// The normal is GJK's or EPA's, unless a face of either does as well to within a small share of
// their size: then it is that face's, exactly. The features of both along the normal are clipped
// against each other.
#ifndef SN_COLLIDE_CONVEX_H
#define SN_COLLIDE_CONVEX_H

#include "collide/gjk.h"

// One row of sn_collide's table: 1 when they are nearer than `margin`, else 0. a's type is not
// after b's.
typedef int (*sn_collide_pair)(const sn_collider *a, const sn_transform *place_a,
                               const sn_collider *b, const sn_transform *place_b, double margin,
                               sn_collide_cache *cache, sn_manifold *manifold);

// Triangles are convex colliders too (sn_collider_triangle): meshes call this for each.
SN_API int sn_collide_convex(const sn_collider *a, const sn_transform *place_a,
                             const sn_collider *b, const sn_transform *place_b, double margin,
                             sn_collide_cache *cache, sn_manifold *manifold);

// Signed distance with roundings, its direction from a to b and the two points, in a's axes. Stops
// at `limit` (true: farther than that, `gap` is a lower bound).
typedef struct sn_convex_gap {
    double gap; // negative: depth
    sn_vec3 normal, on_a, on_b;
    sn_vec3 core_a; // on_a without a's rounding
} sn_convex_gap;

SN_API bool sn_convex_gap_find(const sn_core_pair *pair, double limit, sn_collide_cache *cache,
                               sn_convex_gap *found);

// The length that tolerances are shares of: the smaller of the two largest extents.
SN_API double sn_collide_scale(const sn_collider *a, const sn_collider *b);

// The manifold at a known normal: what the features along it have in common. `found` holds the
// normal and the deepest points.
SN_API int sn_collide_features(const sn_core_pair *pair, const sn_transform *place_a,
                               const sn_convex_gap *found, double margin, sn_manifold *manifold);

#endif
