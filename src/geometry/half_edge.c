#include "geometry/half_edge.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"

void sn_counting_sort(const int *keys, int stride, const int *order, int count, int key_count,
                      int *starts, int *sorted)
{
    memset(starts, 0, ((size_t)key_count + 1) * sizeof *starts);
    for (int i = 0; i < count; ++i) {
        starts[keys[(size_t)order[i] * (size_t)stride] + 1] += 1;
    }
    for (int k = 0; k < key_count; ++k) {
        starts[k + 1] += starts[k];
    }
    for (int i = 0; i < count; ++i) {
        sorted[starts[keys[(size_t)order[i] * (size_t)stride]]++] = order[i];
    }
}

static int lower_vertex(const int *triangles, int edge)
{
    int a = triangles[edge], b = triangles[sn_half_edge_next(edge)];
    return a < b ? a : b;
}

static int upper_vertex(const int *triangles, int edge)
{
    int a = triangles[edge], b = triangles[sn_half_edge_next(edge)];
    return a > b ? a : b;
}

static bool runs_upward(const int *triangles, int edge)
{
    return triangles[edge] < triangles[sn_half_edge_next(edge)];
}

// Pairs the half-edges by_edge[first..end), all between the same two vertices.
static void pair_up(const int *triangles, sn_half_edges *edges, int first, int end)
{
    int down = first;
    for (int up = first; up < end; ++up) {
        if (!runs_upward(triangles, edges->by_edge[up])) {
            continue;
        }
        while (down < end && runs_upward(triangles, edges->by_edge[down])) {
            ++down;
        }
        if (down == end) {
            return;
        }
        edges->twin[edges->by_edge[up]] = edges->by_edge[down];
        edges->twin[edges->by_edge[down]] = edges->by_edge[up];
        ++down;
    }
}

// Two stable counting sorts order all half-edges by (lower, upper) vertex in linear time.
static void sort_by_edge(const sn_mesh *mesh, sn_half_edges *edges, int *keys, int *order,
                         int *starts)
{
    for (int e = 0; e < edges->count; ++e) {
        order[e] = e;
        keys[e] = upper_vertex(mesh->triangles, e);
    }
    sn_counting_sort(keys, 1, order, edges->count, mesh->vertex_count, starts, edges->by_edge);
    memcpy(order, edges->by_edge, (size_t)edges->count * sizeof *order);
    for (int e = 0; e < edges->count; ++e) {
        keys[e] = lower_vertex(mesh->triangles, e);
    }
    sn_counting_sort(keys, 1, order, edges->count, mesh->vertex_count, starts, edges->by_edge);
}

sn_status sn_half_edges_build(const sn_mesh *mesh, sn_half_edges *edges, sn_error *error)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    size_t starts_count = (size_t)mesh->vertex_count + 1;
    edges->count = (int)count;
    edges->twin = sn_allocate(count * sizeof(int));
    edges->by_edge = sn_allocate(count * sizeof(int));
    int *scratch = sn_allocate((2 * count + starts_count) * sizeof(int));
    if (edges->twin == NULL || edges->by_edge == NULL || scratch == NULL) {
        sn_half_edges_free(edges);
        sn_free(scratch);
        return sn_fail_memory(error, (4 * count + starts_count) * sizeof(int));
    }
    sort_by_edge(mesh, edges, scratch, scratch + count, scratch + 2 * count);
    sn_free(scratch);

    const int *triangles = mesh->triangles;
    for (int e = 0; e < edges->count; ++e) {
        edges->twin[e] = -1;
    }
    int end = 0;
    for (int first = 0; first < edges->count; first = end) {
        int lower = lower_vertex(triangles, edges->by_edge[first]);
        int upper = upper_vertex(triangles, edges->by_edge[first]);
        for (end = first + 1; end < edges->count; ++end) {
            int e = edges->by_edge[end];
            if (lower_vertex(triangles, e) != lower || upper_vertex(triangles, e) != upper) {
                break;
            }
        }
        pair_up(triangles, edges, first, end);
    }
    return SN_OK;
}

void sn_half_edges_free(sn_half_edges *edges)
{
    sn_free(edges->twin);
    sn_free(edges->by_edge);
    edges->twin = NULL;
    edges->by_edge = NULL;
    edges->count = 0;
}
