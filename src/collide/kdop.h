// k-DOPs: bounds between k / 2 pairs of parallel planes in fixed directions. A box is the 6-DOP;
// with edges and corners cut off (14, 18, 26 planes) slanted and long things are held much tighter.
//
//     sn_kdop fence;
//     sn_kdop_make(&collider, &place, 18, &fence);
//     if (sn_kdop_overlap(&fence, &other)) { ... } // else they surely do not touch
//     sn_kdop_move(&fence, travel); // the same body, moved without turning
//
// Planes are normal to the axes (6), and to (1, 1, 1) and its mirror images (14), or to (1, 1, 0)
// and the like (18), or to all of them (26). Directions are not of unit length: a slab is an
// interval of d . x.
#ifndef SN_COLLIDE_KDOP_H
#define SN_COLLIDE_KDOP_H

#include "collide/collider.h"

enum { SN_KDOP_SLABS = 13 };

typedef struct sn_kdop {
    int count; // of slabs, k / 2: 3, 7, 9 or 13; the first three are a box
    double lower[SN_KDOP_SLABS], upper[SN_KDOP_SLABS];
} sn_kdop;

SN_API bool sn_kdop_is_kind(int k); // 6, 14, 18 or 26

// The direction of one slab of a k-DOP of so many slabs.
SN_API sn_vec3 sn_kdop_direction(int slab_count, int slab);

// The tightest around a convex collider, by its supports; around the box of a mesh or height field;
// without bounds around a plane. k must be one of the four.
SN_API void sn_kdop_make(const sn_collider *collider, const sn_transform *place, int k,
                         sn_kdop *kdop);

// Of the same body moved, without asking it anew.
SN_API void sn_kdop_move(sn_kdop *kdop, sn_vec3 travel);

// Holds every point within `margin` of the body, and its way by `travel`.
SN_API void sn_kdop_enlarge(sn_kdop *kdop, double margin, sn_vec3 travel);

// Both must have the same number of slabs.
SN_API bool sn_kdop_overlap(const sn_kdop *a, const sn_kdop *b);
SN_API bool sn_kdop_holds(const sn_kdop *outer, const sn_kdop *inner);

static inline sn_aabb sn_kdop_box(const sn_kdop *kdop)
{
    sn_aabb box = {sn_vec3_at(kdop->lower), sn_vec3_at(kdop->upper)};
    return box;
}

#endif
