// Collision of two colliders wherever they are: the one door to all exact tests.
//
// Results are in world axes, do not depend on where the world's origin is beyond rounding, and
// scale with the colliders: every tolerance is a share of their sizes, none is a length.
#ifndef SN_COLLIDE_COLLIDE_H
#define SN_COLLIDE_COLLIDE_H

#include "collide/collider.h"
#include "collide/manifold.h"

// What a pair remembers from one call to the next; zero at the start. It makes calls faster, and
// never changes whether or where things touch beyond rounding.
typedef struct sn_collide_cache {
    uint8_t count;        // corners of the last simplex (GJK)
    uint8_t kind;         // of the separating axis that held last (boxes, hulls)
    uint16_t corner_a[4]; // support corners of a and b
    uint16_t corner_b[4];
    sn_vec3 axis; // the last direction between them, in a's axes
} sn_collide_cache;

// Where they touch or come nearer than `margin`: the number of manifolds, at most `capacity`. A
// pair that would have more gives the deepest ones, and *left_out (may be NULL) counts the rest.
// Planes, height fields and meshes may be a or b.
SN_API int sn_collide(const sn_collider *a, const sn_transform *place_a, const sn_collider *b,
                      const sn_transform *place_b, double margin, sn_collide_cache *cache,
                      sn_manifold *manifolds, int capacity, int *left_out);

#endif
