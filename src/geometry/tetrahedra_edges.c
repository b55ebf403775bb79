#include "geometry/tetrahedra_edges.h"

#include "base/error.h"
#include "base/memory.h"
#include "geometry/half_edge.h"

// Numbers equal pairs, which are side by side in `order`, alike.
static void number_edges(const int *keys, const int *order, size_t count,
                         sn_tetrahedra_edges *edges)
{
    const int *last = NULL;
    for (size_t k = 0; k < count; ++k) {
        const int *key = keys + 2 * (size_t)order[k];
        if (last == NULL || key[0] != last[0] || key[1] != last[1]) {
            edges->corners[2 * (size_t)edges->count] = key[0];
            edges->corners[2 * (size_t)edges->count + 1] = key[1];
            edges->count += 1;
        }
        edges->of[order[k]] = edges->count - 1;
        last = key;
    }
}

sn_status sn_tetrahedra_edges_find(const sn_tetrahedra *t, sn_tetrahedra_edges *edges,
                                   sn_error *error)
{
    size_t count = 6 * (size_t)t->element_count, starts_size = (size_t)t->vertex_count + 1;
    int *keys = sn_allocate(2 * count * sizeof *keys);
    int *order = sn_allocate((2 * count + starts_size) * sizeof *order);
    *edges = (sn_tetrahedra_edges){.corners = sn_allocate(2 * count * sizeof(int)),
                                   .of = sn_allocate(count * sizeof(int))};
    if (keys == NULL || order == NULL || edges->corners == NULL || edges->of == NULL) {
        sn_free(order);
        sn_free(keys);
        sn_tetrahedra_edges_free(edges);
        return sn_fail_memory(error, (7 * count + starts_size) * sizeof(int));
    }
    for (size_t k = 0; k < count; ++k) {
        const int *v = t->elements + k / 6 * (size_t)t->nodes;
        int a = v[sn_tetrahedron_edges[k % 6][0]], b = v[sn_tetrahedron_edges[k % 6][1]];
        keys[2 * k] = a < b ? a : b;
        keys[2 * k + 1] = a < b ? b : a;
        order[k] = (int)k;
    }
    int *sorted = order + count, *starts = order + 2 * count;
    sn_counting_sort(keys + 1, 2, order, (int)count, t->vertex_count, starts, sorted);
    sn_counting_sort(keys, 2, sorted, (int)count, t->vertex_count, starts, order);
    number_edges(keys, order, count, edges);
    sn_free(order);
    sn_free(keys);
    return SN_OK;
}

void sn_tetrahedra_edges_free(sn_tetrahedra_edges *edges)
{
    sn_free(edges->corners);
    sn_free(edges->of);
    *edges = (sn_tetrahedra_edges){0};
}
