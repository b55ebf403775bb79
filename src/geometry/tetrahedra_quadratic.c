#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra_edges.h"

// Corners keep their numbers; the node of edge k is vertex vertex_count + k.
static sn_status put_nodes(const sn_tetrahedra *t, const sn_tetrahedra_edges *edges,
                           sn_tetrahedra **quadratic, sn_error *error)
{
    size_t vertices = (size_t)t->vertex_count + (size_t)edges->count;
    sn_vec3 *positions = sn_allocate(vertices * sizeof *positions);
    int *elements = sn_allocate(10 * (size_t)t->element_count * sizeof *elements);
    sn_status status;
    if (positions == NULL || elements == NULL) {
        status = sn_fail_memory(error, vertices * sizeof *positions);
    } else {
        memcpy(positions, t->positions, (size_t)t->vertex_count * sizeof *positions);
        for (int k = 0; k < edges->count; ++k) {
            const int *v = edges->corners + 2 * (size_t)k;
            positions[t->vertex_count + k] =
                sn_vec3_scale(0.5, sn_vec3_add(t->positions[v[0]], t->positions[v[1]]));
        }
        for (int e = 0; e < t->element_count; ++e) {
            int *nodes = elements + 10 * (size_t)e;
            memcpy(nodes, t->elements + 4 * (size_t)e, 4 * sizeof *nodes);
            for (int k = 0; k < 6; ++k) {
                nodes[4 + k] = t->vertex_count + edges->of[6 * (size_t)e + (size_t)k];
            }
        }
        sn_tetrahedra_def def = {.positions = positions,
                                 .vertex_count = (int)vertices,
                                 .elements = elements,
                                 .element_count = t->element_count,
                                 .nodes = 10,
                                 .regions = t->regions,
                                 .region_names = t->region_names,
                                 .region_name_count = t->region_name_count};
        status = sn_tetrahedra_create(&def, quadratic, error);
    }
    sn_free(elements);
    sn_free(positions);
    return status;
}

sn_status sn_tetrahedra_quadratic(const sn_tetrahedra *tetrahedra, sn_tetrahedra **quadratic,
                                  sn_error *error)
{
    *quadratic = NULL;
    if (tetrahedra->nodes != 4) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "elements of %d nodes; 4 were expected, to be given nodes between",
                       tetrahedra->nodes);
    }
    sn_tetrahedra_edges edges;
    sn_status status = sn_tetrahedra_edges_find(tetrahedra, &edges, error);
    if (status == SN_OK) {
        status = put_nodes(tetrahedra, &edges, quadratic, error);
        sn_tetrahedra_edges_free(&edges);
    }
    if (status == SN_OK) {
        (*quadratic)->turned_count = tetrahedra->turned_count;
    }
    return status;
}
