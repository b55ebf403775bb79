// Tori against what is convex and against other tori, exactly.
//
// A torus is a ball of its tube's radius about each point of a ring, so contact is where the ring
// is nearest to the other's core (ring_view.h). Those minima are what must not overlap. What rests
// needs more: where a flat side is nearest, both ends and the middle of each arc of the ring that
// is over it, and four balls a quarter apart; beside what is curved, those a quarter from the
// nearest. Each ball is part of the torus, so that no point holds the other off where there is
// nothing.
//
// Planes have their own (pairs.h). To meshes, height fields, rays, casts and the skins of elastic
// bodies a torus is its mesh.
#ifndef SN_COLLIDE_TORUS_PAIRS_H
#define SN_COLLIDE_TORUS_PAIRS_H

#include "collide/collider.h"
#include "collide/manifold.h"

// Is one a torus and the other a torus or convex?
SN_API bool sn_is_torus_pair(const sn_collider *a, const sn_collider *b);

// As sn_collide, for two that sn_is_torus_pair tells of, in any order.
SN_API int sn_collide_torus(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                            const sn_transform *place_b, double margin, sn_manifold *manifolds,
                            int capacity, int *left_out);

// As sn_collide_distance, for the same; infinite if that is surely more than `limit`.
SN_API double sn_torus_distance(const sn_collider *a, const sn_transform *place_a,
                                const sn_collider *b, const sn_transform *place_b, double limit,
                                sn_vec3 *on_a, sn_vec3 *on_b);

#endif
