// Points of contact on their way into manifolds: gathered by like normals, each group thinned to
// what spans the most.
#ifndef SN_COLLIDE_PATCH_SET_H
#define SN_COLLIDE_PATCH_SET_H

#include "collide/manifold.h"

enum { SN_PATCH_SET_MOST = 24, SN_PATCH_SET_POINTS = 24 };

typedef struct sn_patch {
    sn_vec3 normal; // unit
    uint32_t name;  // the lowest that its points came with
    int count;
    sn_manifold_point points[SN_PATCH_SET_POINTS];
} sn_patch;

typedef struct sn_patch_set {
    double scale;  // what tolerances are shares of
    double steep;  // of sn_manifold_reduce, 0
    double cosine; // of the angle within which normals are alike
    int count;
    int left_out; // patches that found no place
    sn_patch patches[SN_PATCH_SET_MOST];
} sn_patch_set;

void sn_patch_set_init(sn_patch_set *set, double scale);

// Normals within 1e-4 are alike, and gaps are measured along the first of them; within more, up to
// 10 degrees, once there is no room. A point that is there already is kept once.
void sn_patch_set_add(sn_patch_set *set, sn_vec3 normal, uint32_t name,
                      const sn_manifold_point *point);

// Drops all patches whose normals point away from n.
void sn_patch_set_drop_against(sn_patch_set *set, sn_vec3 n);

// At most `capacity` manifolds, by name, in world axes, for a set whose own frame is at `place`. If
// there are more patches, those within an angle become one that grows to 10 degrees; if that is not
// enough, the deepest are given and *left_out (may be NULL) counts the rest.
int sn_patch_set_give(sn_patch_set *set, const sn_transform *place, sn_manifold *manifolds,
                      int capacity, int *left_out);

#endif
