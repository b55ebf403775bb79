// Colliders: shapes as collision sees them, one of few kinds, with what is asked of them again and
// again worked out once. A body's shapes become colliders when the body is added; several bodies
// may share one (meshes and hulls are shared and immutable).
//
//     sphere        a point, rounded
//     capsule       a stretch of the z axis, rounded
//     cylinder      radius, half_height; axis z
//     cone          radius of the base, half_height; axis z, tip at +half_height
//     box           half (half edge lengths of the core), rounded by `rounding` (0: sharp edges)
//     hull          convex polyhedron, rounded likewise
//     triangle      three corners of somebody's mesh; lives on the stack while its mesh is tested
//     plane         the half space z <= 0; static bodies only
//     height_field  the ground below a grid of heights over (x, y); static bodies only
//     mesh          any triangle mesh, static or moving; that of a torus also knows its ring and
//                   tube, and is a torus, exactly, to planes, to what is convex and to tori
//
// All convex kinds are a core and a ball of radius `rounding` about each of its points: capsules
// and spheres too. Collision of the cores by distance (GJK), less both roundings, is then exact
// and needs no depth unless cores overlap.
#ifndef SN_COLLIDE_COLLIDER_H
#define SN_COLLIDE_COLLIDER_H

#include "sinew/shape.h"

typedef enum sn_collider_type {
    SN_COLLIDER_SPHERE,
    SN_COLLIDER_CAPSULE,
    SN_COLLIDER_CYLINDER,
    SN_COLLIDER_CONE,
    SN_COLLIDER_BOX,
    SN_COLLIDER_HULL,
    SN_COLLIDER_TRIANGLE,
    SN_COLLIDER_PLANE,
    SN_COLLIDER_HEIGHT_FIELD,
    SN_COLLIDER_MESH,
    SN_COLLIDER_TYPE_COUNT
} sn_collider_type;

typedef struct sn_hull sn_hull;                 // hull_shape.h
typedef struct sn_mesh_tree sn_mesh_tree;       // mesh_tree.h
typedef struct sn_height_field sn_height_field; // height_field.h

typedef struct sn_collider {
    sn_collider_type type;
    double radius;      // cylinder, cone: of the core; mesh of a torus: of its ring
    double tube;        // mesh of a torus: radius of its tube; 0: any other
    double half_height; // capsule, cylinder, cone
    sn_vec3 half;       // box: of the core
    double rounding;    // sphere and capsule: their radius
    union {
        const sn_hull *hull;
        const sn_vec3 *triangle; // 3 corners, counter-clockwise seen from outside; not owned
        const sn_mesh_tree *mesh;
        const sn_height_field *field;
    };
    sn_aabb bounds; // in its own frame, rounding included; a plane's is unbounded
    double size;    // the smallest extent of its bounds: what "small" is measured by
    sn_vec3 heart;  // a point well inside of what is convex
    double inner;   // radius of a ball about it that is inside; 0 for meshes and fields: what may
                    // move without skipping anything
} sn_collider;

static inline bool sn_collider_is_convex(const sn_collider *collider)
{
    return collider->type <= SN_COLLIDER_TRIANGLE;
}

SN_API sn_collider sn_collider_sphere(double radius);
SN_API sn_collider sn_collider_capsule(double radius, double half_height);
SN_API sn_collider sn_collider_cylinder(double radius, double half_height);
SN_API sn_collider sn_collider_cone(double radius, double half_height);
SN_API sn_collider sn_collider_box(sn_vec3 half, double rounding);            // half of the core
SN_API sn_collider sn_collider_hull(const sn_hull *hull, double rounding);    // borrows the hull
SN_API sn_collider sn_collider_triangle(const sn_vec3 *corners, double size); // borrows 3 corners
SN_API sn_collider sn_collider_plane(void);

// The collider of a shape, in the shape's own frame. It holds references to what it shares with
// the shape: free it with sn_collider_free. A mesh that is convex becomes a hull.
SN_API sn_status sn_collider_make(const sn_shape *shape, sn_collider *collider, sn_error *error);
SN_API void sn_collider_free(sn_collider *collider);

// The smallest box with the world's axes around a collider; a mesh's is that of its own box.
SN_API sn_aabb sn_collider_bounds(const sn_collider *collider, const sn_transform *place);

// The farthest that any of its points is from `centre` (own frame).
SN_API double sn_collider_reach(const sn_collider *collider, sn_vec3 centre);

// The same of its core's points: what a turn about `centre` brings it nearer to others by, as balls
// may turn about their own middles for ever.
static inline double sn_collider_swing(const sn_collider *collider, sn_vec3 centre)
{
    return sn_collider_reach(collider, centre) - collider->rounding;
}

// The point of a convex collider's core that lies farthest along `direction` (own frame, any
// length), and its corner's number: boxes, hulls, triangles and capsules have corners, the others
// give SN_NO_CORNER. A mesh (one with triangles) has that of its convex hull.
enum { SN_NO_CORNER = 0xffff };
SN_API sn_vec3 sn_collider_support(const sn_collider *collider, sn_vec3 direction, int *corner);

// Where corner `corner` of the core is.
SN_API sn_vec3 sn_collider_corner(const sn_collider *collider, int corner);

#endif
