// The inside of a tetrahedral mesh, for the sources of this folder and for hot loops elsewhere.
#ifndef SN_GEOMETRY_TETRAHEDRA_H
#define SN_GEOMETRY_TETRAHEDRA_H

#include <stdatomic.h>

#include "sinew/tetrahedra.h"

struct sn_tetrahedra {
    atomic_int references;
    int vertex_count;
    int element_count;
    int nodes; // per element
    int turned_count;
    sn_vec3 *positions; // vertex_count
    int *elements;      // nodes * element_count
    int *regions;       // element_count
    int region_name_count;
    sn_region_name *region_names; // in one block with their letters; NULL: none
};

// Corners of the edges that nodes 4 to 9 lie on, and of the faces, turned outward: those opposite
// to corners 3, 2, 0, 1.
static const int sn_tetrahedron_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
static const int sn_tetrahedron_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

// Nodes in the middle of a face's edges 01, 12, 20.
static const int sn_tetrahedron_face_middles[4][3] = {{6, 5, 4}, {4, 8, 7}, {5, 9, 8}, {7, 9, 6}};

// Six times the volume, positive for corners in positive order.
static inline double sn_tetrahedron_determinant(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 d)
{
    return sn_dot(sn_vec3_sub(b, a), sn_cross(sn_vec3_sub(c, a), sn_vec3_sub(d, a)));
}

static inline double sn_tetrahedra_determinant(const sn_tetrahedra *t, int element)
{
    const int *v = t->elements + (size_t)element * (size_t)t->nodes;
    return sn_tetrahedron_determinant(t->positions[v[0]], t->positions[v[1]], t->positions[v[2]],
                                      t->positions[v[3]]);
}

// Three times the radius of the inscribed by that of the circumscribed sphere: 0 to 1.
double sn_tetrahedron_ratio(const sn_vec3 corners[4]);

// Looks for problems as sn_tetrahedra_check does, with a limit for slivers; and only for those that
// a mesh must not have.
sn_status sn_tetrahedra_examine(const sn_tetrahedra *tetrahedra, double least_quality,
                                sn_tetrahedra_report *report, sn_error *error);
sn_status sn_tetrahedra_refuse(const sn_tetrahedra *tetrahedra, double least_quality,
                               sn_error *error);

// Of which of its nodes (4 or 10, which are at x) the point p of an element is made, as if it went
// on outside: they add up to 1.
SN_API void sn_tetrahedron_weights(int nodes, const sn_vec3 *x, sn_vec3 p, double *weights);

// Turns an element over.
void sn_tetrahedron_turn(int *element, int nodes);

#endif
