// The inside of a mesh, for the sources of this folder and for hot loops elsewhere.
#ifndef SN_GEOMETRY_MESH_H
#define SN_GEOMETRY_MESH_H

#include <stdatomic.h>

#include "sinew/geometry.h"

struct sn_mesh {
    atomic_int references;
    int vertex_count;
    int triangle_count;
    sn_vec3 *positions; // vertex_count
    int *triangles;     // 3 * triangle_count, counter-clockwise from outside
};

// Room for so many vertices and triangles, contents left to the caller; NULL when memory runs out.
sn_mesh *sn_mesh_allocate(int vertex_count, int triangle_count);

// Twice the area, along the normal: (b - a) x (c - a).
static inline sn_vec3 sn_triangle_area_vector(sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    return sn_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
}

static inline sn_vec3 sn_mesh_area_vector(const sn_mesh *mesh, int triangle)
{
    const int *v = mesh->triangles + 3 * (size_t)triangle;
    return sn_triangle_area_vector(mesh->positions[v[0]], mesh->positions[v[1]],
                                   mesh->positions[v[2]]);
}

#endif
