// Pairs of simple colliders in closed form, as rows of sn_collide's table (convex.h has the type).
#ifndef SN_COLLIDE_PAIRS_H
#define SN_COLLIDE_PAIRS_H

#include "collide/convex.h"

#define SN_COLLIDE_PAIR(name)                                                                      \
    SN_API int name(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,       \
                    const sn_transform *place_b, double margin, sn_collide_cache *cache,           \
                    sn_manifold *manifold)

// round_pairs.c: spheres and capsules
SN_COLLIDE_PAIR(sn_collide_sphere_sphere);
SN_COLLIDE_PAIR(sn_collide_sphere_capsule);
SN_COLLIDE_PAIR(sn_collide_sphere_cylinder);
SN_COLLIDE_PAIR(sn_collide_sphere_box);
SN_COLLIDE_PAIR(sn_collide_capsule_capsule);

// plane_pairs.c: anything convex over the half space b
SN_COLLIDE_PAIR(sn_collide_with_plane);

// plane_pairs.c: a mesh over a half space, as sn_collide
SN_API int sn_collide_plane_mesh(const sn_transform *place_plane, const sn_collider *mesh,
                                 const sn_transform *place_mesh, double margin,
                                 sn_manifold *manifolds, int capacity, int *left_out);

// box_pair.c
SN_COLLIDE_PAIR(sn_collide_box_box);

#endif
