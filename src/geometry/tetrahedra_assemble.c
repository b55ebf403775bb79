// Tetrahedra put together and taken apart: union by gluing, removal, regions.
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra.h"
#include "geometry/weld.h"
#include "math/spatial.h"

// ---- union ----

typedef struct assembly {
    sn_vec3 *positions;
    int *elements, *regions, *sizes, *map;
    int vertex_count, element_count;
} assembly;

static void assembly_free(assembly *a)
{
    sn_free(a->positions);
    sn_free(a->elements);
    sn_free(a->regions);
    sn_free(a->sizes);
    sn_free(a->map);
}

static sn_status assembly_make(assembly *a, const sn_tetrahedra *const *meshes, int count,
                               sn_error *error)
{
    int64_t vertices = 0, elements = 0;
    for (int i = 0; i < count; ++i) {
        if (meshes[i]->nodes != 4) {
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "mesh %d has elements of %d nodes; 4 were expected", i,
                           meshes[i]->nodes);
        }
        vertices += meshes[i]->vertex_count;
        elements += meshes[i]->element_count;
    }
    if (count < 1 || vertices > INT_MAX / 4 || elements > INT_MAX / 16) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%d meshes of %lld elements; at least one mesh was expected, and at most %d "
                       "elements",
                       count, (long long)elements, INT_MAX / 16);
    }
    a->positions = sn_allocate((size_t)vertices * sizeof *a->positions);
    a->elements = sn_allocate(4 * (size_t)elements * sizeof *a->elements);
    a->regions = sn_allocate((size_t)elements * sizeof *a->regions);
    a->sizes = sn_allocate((size_t)count * sizeof *a->sizes);
    a->map = sn_allocate((size_t)vertices * sizeof *a->map);
    bool made = a->positions != NULL && a->elements != NULL && a->regions != NULL &&
                a->sizes != NULL && a->map != NULL;
    return made ? SN_OK : sn_fail_memory(error, 4 * (size_t)elements * sizeof(int));
}

static void assembly_add(assembly *a, const sn_tetrahedra *mesh)
{
    size_t elements = (size_t)mesh->element_count;
    memcpy(a->positions + a->vertex_count, mesh->positions,
           (size_t)mesh->vertex_count * sizeof *a->positions);
    memcpy(a->regions + a->element_count, mesh->regions, elements * sizeof *a->regions);
    for (size_t k = 0; k < 4 * elements; ++k) {
        a->elements[4 * (size_t)a->element_count + k] = mesh->elements[k] + a->vertex_count;
    }
    a->vertex_count += mesh->vertex_count;
    a->element_count += mesh->element_count;
}

static double shortest_edge(const assembly *a)
{
    double shortest = INFINITY;
    for (int e = 0; e < a->element_count; ++e) {
        const int *v = a->elements + 4 * (size_t)e;
        for (int k = 0; k < 6; ++k) {
            const int *edge = sn_tetrahedron_edges[k];
            shortest =
                fmin(shortest, sn_distance(a->positions[v[edge[0]]], a->positions[v[edge[1]]]));
        }
    }
    return shortest;
}

static sn_status assembly_glue(assembly *a, int count, double tolerance, sn_error *error)
{
    int kept = 0;
    if (!sn_weld_groups(a->positions, a->sizes, count, tolerance * shortest_edge(a), a->map,
                        &kept)) {
        return sn_fail_memory(error, 3 * (size_t)a->vertex_count * sizeof(int));
    }
    for (size_t k = 0; k < 4 * (size_t)a->element_count; ++k) {
        a->elements[k] = a->map[a->elements[k]];
    }
    a->vertex_count = kept;
    return SN_OK;
}

static sn_status assembly_create(const assembly *a, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_def def = {.positions = a->positions,
                             .vertex_count = a->vertex_count,
                             .elements = a->elements,
                             .element_count = a->element_count,
                             .nodes = 4,
                             .regions = a->regions};
    return sn_tetrahedra_create(&def, mesh, error);
}

sn_status sn_tetrahedra_joined(const sn_tetrahedra *const *meshes, int count, double tolerance,
                               sn_tetrahedra **joined, int *glued, sn_error *error)
{
    *joined = NULL;
    if (!(tolerance <= 0.4)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "a tolerance of %g; at most 0.4 of the shortest edge was expected",
                       tolerance);
    }
    assembly a = {0};
    sn_status status = assembly_make(&a, meshes, count, error);
    for (int i = 0; status == SN_OK && i < count; ++i) {
        a.sizes[i] = meshes[i]->vertex_count;
        assembly_add(&a, meshes[i]);
    }
    int before = a.vertex_count;
    if (status == SN_OK && tolerance >= 0.0) {
        status = assembly_glue(&a, count, tolerance, error);
    }
    if (status == SN_OK) {
        status = assembly_create(&a, joined, error);
    }
    if (status == SN_OK && glued != NULL) {
        *glued = before - a.vertex_count;
    }
    assembly_free(&a);
    return status;
}

// ---- removal ----

// New numbers of the vertices that stay, and their old ones.
static int number_vertices(const sn_tetrahedra *t, const bool *removed, int *number, int *old)
{
    for (int i = 0; i < t->vertex_count; ++i) {
        number[i] = -1;
    }
    for (size_t k = 0; k < (size_t)t->nodes * (size_t)t->element_count; ++k) {
        if (!removed[k / (size_t)t->nodes]) {
            number[t->elements[k]] = 0;
        }
    }
    int count = 0;
    for (int i = 0; i < t->vertex_count; ++i) {
        if (number[i] == 0) {
            old[count] = i;
            number[i] = count++;
        }
    }
    return count;
}

sn_status sn_tetrahedra_without(const sn_tetrahedra *t, const bool *removed, sn_tetrahedra **rest,
                                int *vertices, sn_error *error)
{
    *rest = NULL;
    size_t nodes = (size_t)t->nodes, elements = (size_t)t->element_count;
    size_t points = (size_t)t->vertex_count;
    sn_tetrahedra_def def = {.nodes = t->nodes,
                             .region_names = t->region_names,
                             .region_name_count = t->region_name_count};
    int *number = sn_allocate(2 * points * sizeof *number);
    int *kept = sn_allocate((nodes + 1) * elements * sizeof *kept);
    sn_vec3 *positions = sn_allocate(points * sizeof *positions);
    sn_status status = SN_OK;
    if (number == NULL || kept == NULL || positions == NULL) {
        status = sn_fail_memory(error, (nodes + 1) * elements * sizeof *kept);
    } else {
        int *old = number + points, *regions = kept + nodes * elements;
        def.vertex_count = number_vertices(t, removed, number, old);
        for (int i = 0; i < def.vertex_count; ++i) {
            positions[i] = t->positions[old[i]];
        }
        for (size_t e = 0; e < elements; ++e) {
            for (size_t k = 0; !removed[e] && k < nodes; ++k) {
                kept[nodes * (size_t)def.element_count + k] = number[t->elements[nodes * e + k]];
            }
            if (!removed[e]) {
                regions[def.element_count++] = t->regions[e];
            }
        }
        def.positions = positions;
        def.elements = kept;
        def.regions = regions;
        status = def.element_count > 0
                     ? sn_tetrahedra_create(&def, rest, error)
                     : sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                               "all elements are to be removed; one at least must stay");
        if (status == SN_OK && vertices != NULL) {
            memcpy(vertices, old, (size_t)def.vertex_count * sizeof *vertices);
        }
    }
    sn_free(number);
    sn_free(kept);
    sn_free(positions);
    return status;
}

// ---- regions ----

sn_status sn_tetrahedra_with_regions(const sn_tetrahedra *t, int region, const int *regions,
                                     sn_tetrahedra **copy, sn_error *error)
{
    sn_tetrahedra_def def = {.positions = t->positions,
                             .vertex_count = t->vertex_count,
                             .elements = t->elements,
                             .element_count = t->element_count,
                             .nodes = t->nodes,
                             .regions = regions};
    sn_status status = sn_tetrahedra_create(&def, copy, error);
    for (int e = 0; status == SN_OK && regions == NULL && e < t->element_count; ++e) {
        (*copy)->regions[e] = region;
    }
    if (status == SN_OK) {
        (*copy)->turned_count = t->turned_count;
    }
    return status;
}

// ---- motion ----

void sn_add_rigid_velocity(const sn_vec3 *points, int count, sn_vec3 linear, sn_vec3 angular,
                           sn_vec3 about, sn_vec3 *velocities)
{
    for (int i = 0; i < count; ++i) {
        sn_vec3 own = sn_velocity_at(linear, angular, sn_vec3_sub(points[i], about));
        velocities[i] = sn_vec3_add(velocities[i], own);
    }
}
