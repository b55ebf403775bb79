// Who is next to whom in a triangle mesh.
//
// Half-edge 3 t + k runs from corner k of triangle t to its corner k + 1 (mod 3). Its twin runs the
// other way in the neighbouring triangle. Where more than two triangles meet in an edge, those that
// run one way are paired with those that run the other way in order of index; what finds no partner
// (holes, triangles turned over) has twin -1.
#ifndef SN_GEOMETRY_HALF_EDGE_H
#define SN_GEOMETRY_HALF_EDGE_H

#include "sinew/geometry.h"

typedef struct sn_half_edges {
    int count;    // 3 * triangle_count
    int *twin;    // count
    int *by_edge; // count: half-edges sorted by their two vertices, so that one edge's are adjacent
} sn_half_edges;

SN_API sn_status sn_half_edges_build(const sn_mesh *mesh, sn_half_edges *edges, sn_error *error);
SN_API void sn_half_edges_free(sn_half_edges *edges);

// The following half-edge of the same triangle, and the one before.
static inline int sn_half_edge_next(int edge)
{
    return edge % 3 == 2 ? edge - 2 : edge + 1;
}

static inline int sn_half_edge_previous(int edge)
{
    return edge % 3 == 0 ? edge + 2 : edge - 1;
}

// Stable counting sort: `order` (count indices) by keys[index * stride] in 0..key_count-1, into
// `sorted`. `starts` is scratch of key_count + 1.
void sn_counting_sort(const int *keys, int stride, const int *order, int count, int key_count,
                      int *starts, int *sorted);

#endif
