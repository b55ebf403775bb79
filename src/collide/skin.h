// The skin of a body that deforms: its faces, edges and vertices, and a tree of boxes over the
// faces that follows the vertices from step to step.
//
//     sn_skin_def def = {.faces = faces, .face_count = n, .positions = x, .vertex_count = m,
//                        .stride = 4};
//     status = sn_skin_create(&def, &skin, error);
//     sn_skin_place(skin, x, x_next, 0.5 * margin); // each step: boxes swept from x to x_next
//     ... skin_pairs.h, skin_contact.h, skin_step.h, skin_shape.h ask
//     sn_skin_destroy(skin);
//
// "Body's vertices" are those of the positions that a skin is given; its own vertices are the ones
// that faces have, in the same order. One skin may hold several bodies or a sheet with rims. The
// tree is made once, of the first positions: a body that deforms keeps its neighbours, so boxes are
// refitted only, from the last node to the first.
//
// Each vertex and each edge is owned by one of its faces, the lowest (Curtis, Tamstorf and Manocha,
// "Fast collision detection for deformable models using representative-triangles", I3D 2008). So
// a tree of faces alone finds every pair of features, and each once.
//
// What it does not do: faces do not appear or go.
#ifndef SN_COLLIDE_SKIN_H
#define SN_COLLIDE_SKIN_H

#include "collide/box_tree.h"
#include "sinew/tetrahedra.h"

enum { SN_SKIN_BLOCK = 64 }; // the most faces of a block, the unit of work for threads

typedef struct sn_skin_def {
    const int *faces; // 3 * face_count: body's vertices, counter-clockwise seen from outside
    int face_count;
    const double *positions; // stride * vertex_count: at rest
    int vertex_count;        // of the body
    int stride;              // numbers a vertex: 3 or more
    const char *place;       // the body's name for errors; may be NULL
} sn_skin_def;

// A corner of a box takes four floats, of which three count.
typedef struct sn_skin_box {
    sn_float4 lower, upper;
} sn_skin_box;

typedef struct sn_skin {
    int stride;
    bool closed; // every edge has as many faces that run one way as the other: it has an inside
    int face_count, edge_count, vertex_count;
    int *faces;              // 3 * face_count: own vertices
    int *face_edges;         // 3 * face_count: edge k runs from corner k to the next
    int *edges;              // 2 * edge_count: own vertices, the lower first
    int *vertices;           // vertex_count: body's vertices, ascending
    int *edge_starts;        // edge_count + 1: into edge_faces
    int *edge_faces;         // 3 * face_count: faces of each edge, ascending
    int *vertex_starts;      // vertex_count + 1: into vertex_faces
    int *vertex_faces;       // 3 * face_count: faces of each vertex, ascending
    uint8_t *owns;           // face_count: bit k: corner k, bit 3 + k: edge k
    sn_vec3 *rest;           // vertex_count
    int block_count;         // subtrees of at most SN_SKIN_BLOCK faces, which make up the tree
    int *blocks;             // block_count: nodes
    sn_box_tree tree;        // items are faces; children come after their parents
    int *tree_ends;          // of the tree's nodes: the first node after the subtree's
    const double *from, *to; // borrowed since sn_skin_place
    double reach;
    sn_skin_box *boxes; // vertex_count: swept and enlarged by reach
} sn_skin;

SN_API sn_status sn_skin_create(const sn_skin_def *def, sn_skin **skin, sn_error *error);
SN_API void sn_skin_destroy(sn_skin *skin); // NULL is allowed

// The surface of a mesh of tetrahedra, with SN_SOLID_STRIDE or another stride.
SN_API sn_status sn_skin_of_tetrahedra(const sn_tetrahedra *tetrahedra, int stride,
                                       const char *place, sn_skin **skin, sn_error *error);

// Where it is: the vertices move in straight lines from `from` to `to` (NULL: they stay), which
// stay the caller's and must last as long as questions are asked. Boxes are enlarged by `reach` on
// all sides: two skins find what comes nearer than the sum of their reaches.
SN_API void sn_skin_place(sn_skin *skin, const double *from, const double *to, double reach);

// Where an own vertex is, at the start and at the end.
static inline sn_vec3 sn_skin_from(const sn_skin *skin, int vertex)
{
    return sn_vec3_at(skin->from + (size_t)skin->vertices[vertex] * (size_t)skin->stride);
}

static inline sn_vec3 sn_skin_to(const sn_skin *skin, int vertex)
{
    return sn_vec3_at(skin->to + (size_t)skin->vertices[vertex] * (size_t)skin->stride);
}

static inline void sn_skin_face(const sn_skin *skin, int face, sn_vec3 corners[3])
{
    for (int k = 0; k < 3; ++k) {
        corners[k] = sn_skin_from(skin, skin->faces[3 * (size_t)face + (size_t)k]);
    }
}

// Unit normals at the start: of a face (zero without area), and of an edge or vertex the sum of its
// faces' (weighed by angles at a vertex), not unit: Baerentzen and Aanaes, "Signed distance
// computation using the angle weighted pseudonormal", 2005.
SN_API sn_vec3 sn_skin_face_normal(const sn_skin *skin, int face);
SN_API sn_vec3 sn_skin_edge_normal(const sn_skin *skin, int edge);
SN_API sn_vec3 sn_skin_vertex_normal(const sn_skin *skin, int vertex);

// How an edge looks from where the unit direction u points, at the start. Sines of angles up to
// `flat` count as none.
typedef enum sn_ridge {
    SN_RIDGE_OVER,   // its faces fall away from u, or it is a rim
    SN_RIDGE_FLAT,   // they are level
    SN_RIDGE_INSIDE, // they rise towards u: a ridge seen from the other side
    SN_RIDGE_BESIDE  // one rises
} sn_ridge;

SN_API sn_ridge sn_skin_ridge_under(const sn_skin *skin, int edge, sn_vec3 u, double flat);

// Is what is `apart` from a point of a closed skin, given by the weights of a face's corners (0 is
// none), outside? It must be the skin's nearest point.
SN_API bool sn_skin_is_outside(const sn_skin *skin, int face, const double weights[3],
                               sn_vec3 apart);

// The nearest point at the start to `point`, if within `limit`: its face and weights of the
// corners, or -1. The distance is negative inside a closed skin.
SN_API int sn_skin_nearest(const sn_skin *skin, sn_vec3 point, double limit, double weights[3],
                           double *distance);

#endif
