// Features: the corner, line or flat face with which a convex core touches in a given direction.
//
// What lies within 0.04 rad of flat counts as flat: a box that stands almost upright touches with
// its face's four corners, each with its own gap. Discs are polygons of 16 corners on the rim; the
// first is the one that reaches farthest, unless the disc is flat on to 1e-4 rad: then it is on the
// x axis, so that a disc at rest keeps its points.
// Faces of hulls with more than SN_FEATURE_CORNERS corners give every second, third, ... of them.
#ifndef SN_COLLIDE_FEATURE_H
#define SN_COLLIDE_FEATURE_H

#include "collide/collider.h"

enum { SN_FEATURE_CORNERS = 32 };

typedef struct sn_feature {
    int count;                           // 1: a corner, 2: a line, more: a face
    sn_vec3 normal;                      // of a face: unit, outward
    sn_vec3 corners[SN_FEATURE_CORNERS]; // of a face: counter-clockwise about the normal
    uint16_t names[SN_FEATURE_CORNERS];  // of corners: below 0x4000, the same from call to call
} sn_feature;

// Along the unit direction, in the core's own frame.
SN_API void sn_collider_feature(const sn_collider *collider, sn_vec3 direction,
                                sn_feature *feature);

// Directions near `direction` in which the core is flat across or straight along: the normals of
// its faces and sides. Returns how many (at most 2).
SN_API int sn_collider_flats(const sn_collider *collider, sn_vec3 direction, sn_vec3 *flats);

// Is the point p, at the signed distance s over the flat whose normal sn_collider_flats gave, so
// placed that this flat is the nearest of all? Then s is the distance (s >= 0: p is straight over
// it) or the depth (s < 0: the ball of radius -s about p is in the core, so that p has at least as
// far to go in any other direction). Curved sides and triangles never tell.
SN_API bool sn_collider_flat_is_nearest(const sn_collider *collider, sn_vec3 flat, sn_vec3 p,
                                        double s);

#endif
