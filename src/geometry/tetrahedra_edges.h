// The edges between corners of tetrahedra, each once.
#ifndef SN_GEOMETRY_TETRAHEDRA_EDGES_H
#define SN_GEOMETRY_TETRAHEDRA_EDGES_H

#include "geometry/tetrahedra.h"

typedef struct sn_tetrahedra_edges {
    int count;
    int *corners; // 2 * count: ascending; edges by their first corner, then by their second
    int *of;      // 6 * element_count: the edges 01, 12, 02, 03, 13, 23 of every element
} sn_tetrahedra_edges;

SN_API sn_status sn_tetrahedra_edges_find(const sn_tetrahedra *tetrahedra,
                                          sn_tetrahedra_edges *edges, sn_error *error);
SN_API void sn_tetrahedra_edges_free(sn_tetrahedra_edges *edges);

#endif
