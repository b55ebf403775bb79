#include "geometry/mesh.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/sum.h"

sn_mesh *sn_mesh_allocate(int vertex_count, int triangle_count)
{
    sn_mesh *mesh = sn_allocate(sizeof *mesh);
    sn_vec3 *positions = sn_allocate((size_t)vertex_count * sizeof *positions);
    int *triangles = sn_allocate((size_t)triangle_count * 3 * sizeof *triangles);
    if (mesh == NULL || positions == NULL || triangles == NULL) {
        sn_free(triangles);
        sn_free(positions);
        sn_free(mesh);
        return NULL;
    }
    atomic_init(&mesh->references, 1);
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    mesh->positions = positions;
    mesh->triangles = triangles;
    return mesh;
}

static sn_status check_arrays(const sn_vec3 *positions, int vertex_count, const int *triangles,
                              int triangle_count, sn_error *error)
{
    if (vertex_count < 3 || triangle_count < 1 || triangle_count > INT_MAX / 3) {
        return sn_fail(
            error, SN_ERROR_GEOMETRY, NULL,
            "a mesh of %d vertices and %d triangles; at least 3 and 1 were expected, and "
            "at most %d triangles",
            vertex_count, triangle_count, INT_MAX / 3);
    }
    for (int i = 0; i < vertex_count; ++i) {
        if (!sn_vec3_is_finite(positions[i])) {
            return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                           "vertex %d of the mesh is at (%g, %g, %g); finite numbers were expected",
                           i, positions[i].x, positions[i].y, positions[i].z);
        }
    }
    for (int t = 0; t < triangle_count; ++t) {
        const int *v = triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            if (v[k] < 0 || v[k] >= vertex_count) {
                return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                               "triangle %d names vertex %d; 0 to %d were expected", t, v[k],
                               vertex_count - 1);
            }
        }
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            return sn_fail(
                error, SN_ERROR_GEOMETRY, NULL,
                "triangle %d has vertices %d, %d, %d; three different ones were expected", t, v[0],
                v[1], v[2]);
        }
    }
    return SN_OK;
}

sn_status sn_mesh_create(const sn_vec3 *positions, int vertex_count, const int *triangles,
                         int triangle_count, sn_mesh **mesh, sn_error *error)
{
    *mesh = NULL;
    sn_status status = check_arrays(positions, vertex_count, triangles, triangle_count, error);
    if (status != SN_OK) {
        return status;
    }
    size_t position_bytes = (size_t)vertex_count * sizeof *positions;
    size_t triangle_bytes = (size_t)triangle_count * 3 * sizeof *triangles;
    sn_mesh *made = sn_mesh_allocate(vertex_count, triangle_count);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made + position_bytes + triangle_bytes);
    }
    memcpy(made->positions, positions, position_bytes);
    memcpy(made->triangles, triangles, triangle_bytes);
    *mesh = made;
    return SN_OK;
}

sn_mesh *sn_mesh_retain(sn_mesh *mesh)
{
    if (mesh != NULL) {
        atomic_fetch_add_explicit(&mesh->references, 1, memory_order_relaxed);
    }
    return mesh;
}

void sn_mesh_release(sn_mesh *mesh)
{
    // Release and acquire: what other threads read from the mesh happens before it is freed.
    if (mesh != NULL &&
        atomic_fetch_sub_explicit(&mesh->references, 1, memory_order_acq_rel) == 1) {
        sn_free(mesh->positions);
        sn_free(mesh->triangles);
        sn_free(mesh);
    }
}

int sn_mesh_vertex_count(const sn_mesh *mesh)
{
    return mesh->vertex_count;
}

int sn_mesh_triangle_count(const sn_mesh *mesh)
{
    return mesh->triangle_count;
}

const sn_vec3 *sn_mesh_positions(const sn_mesh *mesh)
{
    return mesh->positions;
}

const int *sn_mesh_triangles(const sn_mesh *mesh)
{
    return mesh->triangles;
}

sn_aabb sn_mesh_bounds(const sn_mesh *mesh)
{
    sn_aabb bounds = {mesh->positions[0], mesh->positions[0]};
    for (int i = 1; i < mesh->vertex_count; ++i) {
        bounds.lower = sn_vec3_min(bounds.lower, mesh->positions[i]);
        bounds.upper = sn_vec3_max(bounds.upper, mesh->positions[i]);
    }
    return bounds;
}

double sn_mesh_area(const sn_mesh *mesh)
{
    sn_sum area = {0};
    for (int t = 0; t < mesh->triangle_count; ++t) {
        sn_sum_add(&area, 0.5 * sn_length(sn_mesh_area_vector(mesh, t)));
    }
    return sn_sum_value(&area);
}

sn_vec3 sn_mesh_triangle_normal(const sn_mesh *mesh, int triangle)
{
    return sn_normalize(sn_mesh_area_vector(mesh, triangle));
}

void sn_mesh_vertex_normals(const sn_mesh *mesh, sn_vec3 *normals)
{
    for (int i = 0; i < mesh->vertex_count; ++i) {
        normals[i] = SN_VEC3_ZERO;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        sn_vec3 area = sn_mesh_area_vector(mesh, t);
        for (int k = 0; k < 3; ++k) {
            int v = mesh->triangles[3 * (size_t)t + k];
            normals[v] = sn_vec3_add(normals[v], area);
        }
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        normals[i] = sn_normalize(normals[i]);
    }
}

sn_status sn_mesh_transformed(const sn_mesh *mesh, sn_vec3 scale, sn_transform place,
                              sn_mesh **copy, sn_error *error)
{
    *copy = NULL;
    if (!sn_vec3_is_finite(scale) || scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "scale (%g, %g, %g); finite factors other than 0 were expected", scale.x,
                       scale.y, scale.z);
    }
    sn_status status = sn_mesh_create(mesh->positions, mesh->vertex_count, mesh->triangles,
                                      mesh->triangle_count, copy, error);
    if (status != SN_OK) {
        return status;
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        sn_vec3 scaled = sn_vec3_multiply(scale, mesh->positions[i]);
        (*copy)->positions[i] = sn_transform_point(place, scaled);
        if (!sn_vec3_is_finite((*copy)->positions[i])) {
            sn_mesh_release(*copy);
            *copy = NULL;
            return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                           "vertex %d leaves the range of numbers when scaled and placed", i);
        }
    }
    bool mirrored = ((scale.x < 0.0) ^ (scale.y < 0.0) ^ (scale.z < 0.0)) != 0;
    for (int t = 0; mirrored && t < mesh->triangle_count; ++t) {
        int *v = (*copy)->triangles + 3 * (size_t)t;
        int swap = v[1];
        v[1] = v[2];
        v[2] = swap;
    }
    return SN_OK;
}

sn_status sn_mesh_join(const sn_mesh *const *meshes, int count, sn_mesh **joined, sn_error *error)
{
    *joined = NULL;
    int64_t vertices = 0;
    int64_t triangles = 0;
    for (int m = 0; m < count; ++m) {
        vertices += meshes[m]->vertex_count;
        triangles += meshes[m]->triangle_count;
    }
    if (count < 1 || vertices > INT_MAX || triangles > INT_MAX / 3) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%d meshes with %lld triangles to join; at least one mesh and at most %d "
                       "triangles were expected",
                       count, (long long)triangles, INT_MAX / 3);
    }
    sn_mesh *made = sn_mesh_allocate((int)vertices, (int)triangles);
    if (made == NULL) {
        return sn_fail_memory(error, (size_t)(vertices * 24 + triangles * 12));
    }
    int vertex = 0;
    size_t corner = 0;
    for (int m = 0; m < count; ++m) {
        const sn_mesh *mesh = meshes[m];
        memcpy(made->positions + vertex, mesh->positions,
               (size_t)mesh->vertex_count * sizeof *mesh->positions);
        for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; ++k) {
            made->triangles[corner++] = vertex + mesh->triangles[k];
        }
        vertex += mesh->vertex_count;
    }
    *joined = made;
    return SN_OK;
}
