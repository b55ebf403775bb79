// Convex polyhedra for collision: flat faces as whole polygons, and who is next to whom.
//
//     sn_hull *hull = NULL;
//     if (sn_hull_from_points(points, count, &hull, &error) == SN_OK) {
//         sn_collider collider = sn_collider_hull(hull, 0.0);
//         ...
//         sn_hull_release(hull);
//     }
//
// A hull is made once, never changes, and is shared by counting references from any thread.
// Triangles that lie in one plane (within 4e-7 of the hull's size) are one face, so that a face
// rests on all its corners. Half edges run counter-clockwise around their face seen from outside.
#ifndef SN_COLLIDE_HULL_SHAPE_H
#define SN_COLLIDE_HULL_SHAPE_H

#include <stdatomic.h>

#include "collide/collider.h"
#include "sinew/geometry.h"

typedef struct sn_hull_face {
    sn_vec3 normal; // unit, outward
    double offset;  // all corners have normal . x <= offset
    int first;      // of its half edges, which are in order
    int count;
} sn_hull_face;

typedef struct sn_hull_edge {
    int corner; // where it starts
    int twin;   // the half edge that runs the other way, in the neighbouring face
    int face;
} sn_hull_edge;

struct sn_hull {
    atomic_int references;
    int corner_count, face_count, edge_count;
    sn_vec3 *corners;    // corner_count
    sn_hull_face *faces; // face_count
    sn_hull_edge *edges; // edge_count: half edges, face by face
    int *first_edge;     // corner_count: some half edge that starts there
    sn_aabb bounds;
    sn_vec3 heart; // the centre of its volume
    double inner;  // radius of a ball about that which is inside
};

// From points: their convex hull (SN_ERROR_UNSUPPORTED in builds without qhull). From a mesh that
// is closed and convex: SN_ERROR_GEOMETRY names the edge that is not.
SN_API sn_status sn_hull_from_points(const sn_vec3 *points, int count, sn_hull **hull,
                                     sn_error *error);
SN_API sn_status sn_hull_from_mesh(const sn_mesh *mesh, sn_hull **hull, sn_error *error);

SN_API const sn_hull *sn_hull_retain(const sn_hull *hull); // NULL is allowed
SN_API void sn_hull_release(const sn_hull *hull);          // NULL is allowed

// The corner farthest along `direction`: the first of equals for small hulls, by climbing from
// corner to corner for large ones.
SN_API int sn_hull_support(const sn_hull *hull, sn_vec3 direction);

// The face at `corner` whose normal is nearest to `direction`.
SN_API int sn_hull_face_at(const sn_hull *hull, int corner, sn_vec3 direction);

#endif
