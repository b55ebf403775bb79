// Meshes that are near each other, but apart: what is known of the gap between them lasts as long
// as they move by less than it.
//
//     sn_mesh_apart known = {0}; // of a pair
//     if (sn_mesh_apart_hold(a, b, &place, margin, &known)) { ... nothing to test ... }
//
// The gap is found through both trees at once (mesh_near.h) and kept with the place it was found
// at. Points of b have moved since by no more than |p - p0| + 2 |q - q0| r, with the farthest point
// of b at r from its origin: rotations q0 and q by an angle t from each other have |q - q0| = 2
// sin(t/4), and move a point by at most 2 sin(t/2) r. While the gap exceeds the margin by more than
// that, nothing is looked at. So nine meshes that lie beside each other cost nine times one.
//
// It never changes contacts: it says only what the tests of all facets would find, with a billionth
// of the size to spare. A mesh inside the other is not apart.
#ifndef SN_COLLIDE_MESH_APART_H
#define SN_COLLIDE_MESH_APART_H

#include "collide/collider.h"

typedef struct sn_mesh_apart {
    sn_transform place;   // of b in a's frame, where the gap was found
    double gap;           // m, at least; 0: nothing is known
    int facet_a, facet_b; // 1 + the nearest ones; 0: none
} sn_mesh_apart;

// Are the surfaces of two meshes farther apart than the margin, and neither inside the other?
// `place`: of b in a's frame.
SN_API bool sn_mesh_apart_hold(const sn_collider *a, const sn_collider *b,
                               const sn_transform *place, double margin, sn_mesh_apart *known);

#endif
