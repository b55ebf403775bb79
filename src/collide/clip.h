// Clipping: what a face and another face or line have in common, seen along a normal.
#ifndef SN_COLLIDE_CLIP_H
#define SN_COLLIDE_CLIP_H

#include "collide/feature.h"
#include "collide/manifold.h"

enum { SN_CLIP_POINTS = 2 * SN_FEATURE_CORNERS };

// Points of contact of feature a (of the lower body) and b along the unit normal n from a to b,
// each on both cores; gaps are those of the cores. At least one of them is a face, or both are
// lines: lines that are not parallel give nothing. Points within `slack` of an edge are on it.
// Returns how many.
SN_API int sn_feature_clip(const sn_feature *a, const sn_feature *b, sn_vec3 normal, double slack,
                           sn_manifold_point *points);

#endif
