// The point of a convex core that is nearest to a given one, inside and outside.
//
// Spheres, capsules, cylinders, cones, boxes and triangles are closed forms. Of hulls the face that
// the point is highest over is the nearest if it is below; beside that, GJK knows.
#ifndef SN_COLLIDE_CORE_POINT_H
#define SN_COLLIDE_CORE_POINT_H

#include "collide/collider.h"

typedef struct sn_core_point {
    double distance; // signed: negative inside, by how far it is to the surface
    sn_vec3 normal;  // unit, from the core: point - distance * normal is on its surface
    int face;        // the flat side that is nearest, numbered from 0; -1: an edge, a corner, a
                     // curved side
} sn_core_point;

// Roundings are not looked at; all in the core's frame. What has no inside has the normal of one of
// its sides where the point is on it.
SN_API sn_core_point sn_core_point_find(const sn_collider *core, sn_vec3 point);

#endif
