// Distance between two convex cores: Gilbert, Johnson and Keerthi's algorithm (1988) on supports,
// with the nearest point of a simplex found by signs of volumes and not by recursion on rounded
// differences (Montanari, Petrinic, Barbieri 2017).
//
//     sn_core_pair pair = sn_core_pair_make(&a, &place_a, &b, &place_b);
//     sn_gjk gjk;
//     sn_gjk_run(&pair, INFINITY, &cache, &gjk);
//     double gap = gjk.distance - a.rounding - b.rounding; // if not gjk.overlap
//
// Everything is in a's axes, relative to a's origin, and scales with the cores. Roundings are not
// looked at. What it does not do: depth of overlapping cores (epa.h).
#ifndef SN_COLLIDE_GJK_H
#define SN_COLLIDE_GJK_H

#include "collide/collide.h"

typedef struct sn_core_pair {
    const sn_collider *a, *b;
    sn_mat3 rotation; // x_a = offset + rotation x_b
    sn_vec3 offset;
} sn_core_pair;

SN_API sn_core_pair sn_core_pair_make(const sn_collider *a, const sn_transform *place_a,
                                      const sn_collider *b, const sn_transform *place_b);

// A point of the difference a - b: the farthest one in some direction.
typedef struct sn_gjk_corner {
    sn_vec3 a, b, w; // w = a - b
    double weight;   // in the nearest point of the simplex
    uint16_t corner_a, corner_b;
} sn_gjk_corner;

typedef struct sn_gjk {
    bool overlap;       // the cores meet, or come within 1e-9 of their extent: epa.h goes on
    bool beyond;        // stopped early: farther than the limit
    double distance;    // of the cores; if beyond, a lower bound above the limit
    sn_vec3 normal;     // unit, from a to b; zero where the origin is inside the simplex
    sn_vec3 on_a, on_b; // the nearest points; without meaning if beyond
    double extent;      // largest length among the supports seen: what rounding is measured by
    int turns;
    int count; // corners of the last simplex
    sn_gjk_corner corners[4];
} sn_gjk;

// `cache` (may be NULL) gives the start and takes the end. Stops as soon as the cores are surely
// farther apart than `limit`.
SN_API void sn_gjk_run(const sn_core_pair *pair, double limit, sn_collide_cache *cache,
                       sn_gjk *gjk);

// The support of a - b along `direction` (a's axes).
SN_API sn_gjk_corner sn_core_pair_support(const sn_core_pair *pair, sn_vec3 direction);

// How far apart the cores are along the unit direction n, from a to b: -(support of a - b).
// Negative: they overlap by that much.
SN_API double sn_core_pair_separation(const sn_core_pair *pair, sn_vec3 normal);

#endif
