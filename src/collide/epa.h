// Depth of two overlapping convex cores: the expanding polytope algorithm (van den Bergen 2001).
//
// The answer is always that of a direction whose depth was measured by supports, so it is an upper
// bound of the true depth whatever became of the polytope; flat, needle-like and coincident cores
// give depth 0 along their thin direction. For polyhedra the bound is the depth itself.
#ifndef SN_COLLIDE_EPA_H
#define SN_COLLIDE_EPA_H

#include "collide/gjk.h"

typedef struct sn_epa {
    double depth;   // may be slightly negative when the cores just do not touch
    sn_vec3 normal; // unit, from a to b: b moved by depth * normal is free
    sn_vec3 on_a, on_b;
    int turns;
} sn_epa;

// From where sn_gjk_run ended with `overlap`.
SN_API void sn_epa_run(const sn_core_pair *pair, const sn_gjk *gjk, sn_epa *epa);

#endif
