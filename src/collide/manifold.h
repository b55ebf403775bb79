// Manifolds: where and how two colliders touch, as up to four points in one plane.
//
//     normal   unit, world axes, from a to b: b is pushed along it
//     on_a     on the surface of a, world; on_b: on that of b
//     gap      (on_b - on_a) . normal: negative where they overlap
//     feature  names the corner, edge or face of both that made the point, so that the next step
//              finds the same point again and starts from its impulse; the lower half is a's, the
//              upper b's: 0 inside a face, even a corner, odd an edge or anything else
//
// Two convex colliders have one manifold; meshes and height fields give one for each patch of like
// normals. Points with a gap up to the margin asked for are given too: things about to touch.
#ifndef SN_COLLIDE_MANIFOLD_H
#define SN_COLLIDE_MANIFOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/math.h"

enum { SN_MANIFOLD_POINTS = 4 };

typedef struct sn_manifold_point {
    sn_vec3 on_a, on_b;
    double gap;
    uint32_t feature;
} sn_manifold_point;

static inline bool sn_manifold_is_corner_of_a(uint32_t feature)
{
    return (feature & 0xffffu) != 0 && (feature & 1u) == 0;
}

static inline bool sn_manifold_is_corner_of_b(uint32_t feature)
{
    return sn_manifold_is_corner_of_a(feature >> 16);
}

typedef struct sn_manifold {
    sn_vec3 normal;
    int count;
    uint32_t patch; // of a mesh or field: names the triangle the manifold was begun with; else 0
    sn_manifold_point points[SN_MANIFOLD_POINTS];
} sn_manifold;

// Fills a manifold with at most four of `count` points, which must be at least one: the deepest,
// the one farthest from it, and the one farthest to each side of the line between them. Points
// whose gaps differ by less than `level`, or by less than `share` of the deepest overlap, count as
// equally deep, and of these the first along a fixed direction in the plane is taken, so that noise
// does not change the choice. A point counts as nearer by `steep` times what it is higher than the
// deepest: 0 for faces, which are flat; of rounded things the rim of the contact comes before what
// only looks over it.
SN_API void sn_manifold_reduce(sn_manifold *manifold, const sn_manifold_point *points, int count,
                               double level, double share, double steep);

#define SN_STEEP 25.0 // 1/0.04 rad, within which features are flat

// For faces of convex things: what carries others sinks in a little, more here, less there, and
// shall keep its points all the same.
#define SN_FACE_LEVEL 2e-3 // of the size
#define SN_FACE_SHARE 0.75

// The same contact seen from b.
SN_API void sn_manifold_swap(sn_manifold *manifold);

#endif
