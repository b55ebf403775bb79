// Tori against what is round: spheres, capsules and other tori, exactly.
//
// A torus is a ball of its tube's radius about each point of a ring, the others are balls about a
// point, a stretch and a ring. So contact is where a ring is nearest to these, and gaps are closed
// forms of one angle. Planes have their own (pairs.h). To everything else, rays, casts and the
// skins of elastic bodies included, a torus is its mesh.
#ifndef SN_COLLIDE_TORUS_PAIRS_H
#define SN_COLLIDE_TORUS_PAIRS_H

#include "collide/collider.h"
#include "collide/manifold.h"

// Is one a torus and the other a torus, a sphere or a capsule?
SN_API bool sn_torus_is_round_to(const sn_collider *a, const sn_collider *b);

// As sn_collide, for two that sn_torus_is_round_to tells of, in any order.
SN_API int sn_collide_torus(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                            const sn_transform *place_b, double margin, sn_manifold *manifolds,
                            int capacity, int *left_out);

// As sn_collide_distance, for the same.
SN_API double sn_torus_distance(const sn_collider *a, const sn_transform *place_a,
                                const sn_collider *b, const sn_transform *place_b, sn_vec3 *on_a,
                                sn_vec3 *on_b);

#endif
