// What else touches where a flat side lies on something round and large.
//
// A ball touches a face in one point, which runs from corner to corner as the face rocks: on a ball
// much larger than the face the corner that comes next would be found only when it is already in.
// So the corners of the face are points too, each with its own gap to the round surface.
#ifndef SN_COLLIDE_CROWN_H
#define SN_COLLIDE_CROWN_H

#include "collide/collider.h"
#include "collide/manifold.h"

// Adds corners that are within the margin to the one manifold of two convex colliders, where one of
// them is round and larger than the other.
void sn_crown_add(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                  const sn_transform *place_b, double margin, sn_manifold *manifold);

#endif
