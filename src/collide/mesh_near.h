// The nearest facets of two meshes, through both of their trees at once.
//
//     sn_mesh_near near = {.facet_a = -1};
//     if (sn_mesh_near_find(a, b, &place, limit, &near)) { ... near.gap, on_a, on_b }
//     // a little later, from the pair that was nearest
//     sn_mesh_near_find(a, b, &moved, limit, &near);
//
// Nodes whose boxes are farther apart than the nearest pair so far, or than `limit`, are left out
// with all that is in them: what is far apart costs a few tests of boxes, whatever the number of
// triangles. A limit is worth more than anything else here.
#ifndef SN_COLLIDE_MESH_NEAR_H
#define SN_COLLIDE_MESH_NEAR_H

#include "collide/mesh_tree.h"

typedef struct sn_mesh_near {
    double gap;           // 0 or below: they cross, and `gap` is of the first pair found that does
    sn_vec3 on_a, on_b;   // in a's frame
    int facet_a, facet_b; // of the nearest; a guess to begin with, -1: none
} sn_mesh_near;

// `place`: of b in a's frame. False, and only the guess gone: all are farther apart than `limit`.
SN_API bool sn_mesh_near_find(const sn_mesh_tree *a, const sn_mesh_tree *b,
                              const sn_transform *place, double limit, sn_mesh_near *near);

#endif
