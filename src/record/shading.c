#include "record/shading.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define CREASE 0.766 // cosine of 40 degrees: faces that meet at more keep their edge

typedef struct corner_lists {
    sn_vec3 *normals; // of triangles, unit
    double *areas;    // of triangles, doubled
    int *first;       // vertex_count + 1: where a vertex's corners start
    int *corners;     // 3 * triangle_count: corner numbers, vertex by vertex
} corner_lists;

static void corner_lists_free(corner_lists *lists)
{
    sn_free(lists->normals);
    sn_free(lists->areas);
    sn_free(lists->first);
    sn_free(lists->corners);
}

// Counting sort of the corners by vertex.
static sn_status corner_lists_make(const sn_mesh *mesh, corner_lists *lists, sn_error *error)
{
    int vertices = sn_mesh_vertex_count(mesh), triangles = sn_mesh_triangle_count(mesh);
    const int *corners = sn_mesh_triangles(mesh);
    const sn_vec3 *x = sn_mesh_positions(mesh);
    size_t room = sizeof(sn_vec3) * ((size_t)triangles + 1);
    lists->normals = sn_allocate(room);
    lists->areas = sn_allocate(sizeof(double) * ((size_t)triangles + 1));
    lists->first = sn_allocate_zero(sizeof(int) * ((size_t)vertices + 2));
    lists->corners = sn_allocate(sizeof(int) * (3 * (size_t)triangles + 1));
    if (!lists->normals || !lists->areas || !lists->first || !lists->corners) {
        return sn_fail_memory(error, room);
    }
    for (int t = 0; t < triangles; ++t) {
        const int *c = corners + 3 * t;
        sn_vec3 normal = sn_cross(sn_vec3_sub(x[c[1]], x[c[0]]), sn_vec3_sub(x[c[2]], x[c[0]]));
        lists->areas[t] = sn_length(normal);
        lists->normals[t] = sn_normalize(normal);
    }
    // first[v + 2] counts; after the sums first[v + 1] is where v starts, and filling moves it on.
    for (int k = 0; k < 3 * triangles; ++k) {
        lists->first[corners[k] + 2] += 1;
    }
    for (int v = 2; v <= vertices + 1; ++v) {
        lists->first[v] += lists->first[v - 1];
    }
    for (int k = 0; k < 3 * triangles; ++k) {
        lists->corners[lists->first[corners[k] + 1]++] = k;
    }
    return SN_OK;
}

// Mean normal of those triangles around a vertex that continue `triangle` smoothly, by area.
static sn_vec3 smooth_normal(const corner_lists *lists, int vertex, int triangle)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = lists->first[vertex]; i < lists->first[vertex + 1]; ++i) {
        int other = lists->corners[i] / 3;
        if (sn_dot(lists->normals[triangle], lists->normals[other]) > CREASE) {
            sum = sn_vec3_add_scaled(sum, lists->areas[other], lists->normals[other]);
        }
    }
    sum = sn_normalize(sum);
    bool flat = sum.x == 0.0 && sum.y == 0.0 && sum.z == 0.0; // a triangle without area
    return flat ? sn_vec3_make(0.0, 0.0, 1.0) : sum;
}

static sn_shaded_vertex shaded_vertex(sn_vec3 p, sn_vec3 n)
{
    return (sn_shaded_vertex){{(float)p.x, (float)p.y, (float)p.z},
                              {(float)n.x, (float)n.y, (float)n.z}};
}

// Corners of a vertex with equal normals become one vertex.
static void split_vertex(const sn_mesh *mesh, const corner_lists *lists, int vertex,
                         sn_shading *shading)
{
    int start = shading->vertex_count;
    for (int i = lists->first[vertex]; i < lists->first[vertex + 1]; ++i) {
        int corner = lists->corners[i];
        sn_shaded_vertex made = shaded_vertex(sn_mesh_positions(mesh)[vertex],
                                              smooth_normal(lists, vertex, corner / 3));
        int found = start;
        while (found < shading->vertex_count &&
               memcmp(&shading->vertices[found], &made, sizeof made) != 0) {
            found += 1;
        }
        if (found == shading->vertex_count) {
            shading->origins[shading->vertex_count] = vertex;
            shading->vertices[shading->vertex_count++] = made;
        }
        shading->indices[corner] = (uint32_t)found;
    }
}

sn_status sn_shading_make(const sn_mesh *mesh, sn_shading *shading, sn_error *error)
{
    *shading = (sn_shading){.triangle_count = sn_mesh_triangle_count(mesh)};
    if (shading->triangle_count > INT_MAX / 3 - 1) {
        return sn_fail(error, SN_ERROR_UNSUPPORTED, NULL,
                       "a mesh has %d triangles, too many to draw", shading->triangle_count);
    }
    size_t corners = 3 * (size_t)shading->triangle_count;
    corner_lists lists = {0};
    sn_status status = corner_lists_make(mesh, &lists, error);
    if (status == SN_OK) {
        shading->vertices = sn_allocate(sizeof(sn_shaded_vertex) * (corners + 1));
        shading->indices = sn_allocate(sizeof(uint32_t) * (corners + 1));
        shading->origins = sn_allocate(sizeof(int) * (corners + 1));
        if (shading->vertices == NULL || shading->indices == NULL || shading->origins == NULL) {
            status = sn_fail_memory(error, sizeof(sn_shaded_vertex) * corners);
        }
    }
    for (int v = 0; v < sn_mesh_vertex_count(mesh) && status == SN_OK; ++v) {
        split_vertex(mesh, &lists, v, shading);
    }
    corner_lists_free(&lists);
    if (status != SN_OK) {
        sn_shading_free(shading);
    }
    return status;
}

void sn_shading_free(sn_shading *shading)
{
    sn_free(shading->vertices);
    sn_free(shading->indices);
    sn_free(shading->origins);
    *shading = (sn_shading){0};
}
