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
//     plane         the half space z <= 0; static bodies only
//     height_field  the ground below a grid of heights over (x, y); static bodies only
//     mesh          any triangle mesh, static or moving
//
// All convex kinds are a core and a ball of radius `rounding` about each of its points: capsules
// and spheres too. Collision of the cores by distance (GJK), less both roundings, is then exact
// and needs no depth unless cores overlap.
#ifndef SN_COLLIDE_COLLIDER_H
#define SN_COLLIDE_COLLIDER_H

#include "sinew/math.h"

typedef enum sn_collider_type {
    SN_COLLIDER_SPHERE,
    SN_COLLIDER_CAPSULE,
    SN_COLLIDER_CYLINDER,
    SN_COLLIDER_CONE,
    SN_COLLIDER_BOX,
    SN_COLLIDER_HULL,
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
    double radius;      // cylinder, cone: of the core
    double half_height; // capsule, cylinder, cone
    sn_vec3 half;       // box: of the core
    double rounding;    // sphere and capsule: their radius
    union {
        const sn_hull *hull;
        const sn_mesh_tree *mesh;
        const sn_height_field *field;
    };
    sn_aabb bounds; // in its own frame, rounding included; a plane's is unbounded
    double size;    // the smallest extent of its bounds: what "small" is measured by
    double inner;   // radius of a ball about the bounds' middle that is inside; 0 for meshes and
                    // fields: what may move without skipping anything
} sn_collider;

static inline bool sn_collider_is_convex(const sn_collider *collider)
{
    return collider->type <= SN_COLLIDER_HULL;
}

#endif
