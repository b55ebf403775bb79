// Triangle meshes as collision sees them: a tree of boxes over the triangles, their normals, and
// who is next to whom.
//
//     sn_mesh_tree *tree = NULL;
//     if (sn_mesh_tree_create(mesh, &tree, &error) == SN_OK) {
//         sn_collider collider = sn_mesh_tree_collider(tree);
//         ...
//         sn_mesh_tree_release(tree);
//     }
//
// It is made once, never changes and is shared by counting references from any thread; it holds a
// reference to its mesh. A closed mesh is a solid: its triangles push outward only. An open one is
// a sheet without thickness that pushes to the side on which the other body's middle is.
//
// Triangles that lie in one plane and are connected form a patch, named by its lowest triangle, and
// have its normal.
#ifndef SN_COLLIDE_MESH_TREE_H
#define SN_COLLIDE_MESH_TREE_H

#include <stdatomic.h>

#include "collide/box_tree.h"
#include "collide/collider.h"
#include "sinew/geometry.h"

struct sn_mesh_tree {
    atomic_int references;
    sn_mesh *mesh;
    bool closed;
    int triangle_count;
    const sn_vec3 *positions; // of the mesh
    const int *triangles;     // 3 * triangle_count, of the mesh
    sn_box_tree boxes;        // items are triangles
    int *twins;               // 3 * triangle_count: half edges (geometry/half_edge.h)
    sn_vec3 *normals;         // triangle_count: unit; zero without area
    int *patches;             // triangle_count
    uint8_t *levels;          // triangle_count: bit k: the plane goes on across edge k
    sn_vec3 *corner_normals;  // by vertex, weighed by angles, not unit; NULL for open meshes
    int *shells;              // shell_count: the lowest triangle of each connected part
    int shell_count;
    sn_aabb bounds;
};

// SN_ERROR_MEMORY only: every mesh can be one.
SN_API sn_status sn_mesh_tree_create(sn_mesh *mesh, sn_mesh_tree **tree, sn_error *error);
SN_API const sn_mesh_tree *sn_mesh_tree_retain(const sn_mesh_tree *tree); // NULL is allowed
SN_API void sn_mesh_tree_release(const sn_mesh_tree *tree);               // NULL is allowed

// A collider that borrows the tree.
SN_API sn_collider sn_mesh_tree_collider(const sn_mesh_tree *tree);

// The nearest point of the surface to `point`, if within `limit`: its triangle, or -1. The distance
// is negative inside a closed mesh (the sign by normals weighed by angles: Baerentzen and Aanaes,
// "Signed distance computation using the angle weighted pseudonormal", 2005).
SN_API int sn_mesh_tree_nearest(const sn_mesh_tree *tree, sn_vec3 point, double limit,
                                sn_vec3 *nearest, double *distance);

// The vertex that lies farthest along `direction` (any length): the support of its convex hull. Of
// a mesh that has triangles.
SN_API int sn_mesh_tree_support(const sn_mesh_tree *tree, sn_vec3 direction);

// The unit normal of a triangle, zero without area; exact along the axes, where 1 / length is not.
static inline sn_vec3 sn_triangle_normal(const sn_vec3 p[3])
{
    sn_vec3 area = sn_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[2], p[0]));
    double length = sn_length(area);
    return length > 0.0 ? sn_vec3_make(area.x / length, area.y / length, area.z / length)
                        : SN_VEC3_ZERO;
}

// The nearest point of triangle p to x; *feature 0, 1, 2: that corner, 3, 4, 5: the edge from that
// corner less 3, 6: inside.
SN_API sn_vec3 sn_triangle_nearest(const sn_vec3 p[3], sn_vec3 x, int *feature);

// Where origin + t direction meets the triangle from either side; negative: not at all. Watertight:
// a ray through a common edge of two triangles meets one of them (Woop, Benthin, Wald 2013).
SN_API double sn_triangle_ray(const sn_vec3 p[3], sn_vec3 origin, sn_vec3 direction);

#endif
