#include "geometry/tetrahedra_surface.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/tetrahedra_faces.h"

// A face of ten-node elements becomes four triangles between its corners and the nodes between.
static const int quarters[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

// The triangles of a face in vertices of the tetrahedra.
static int put_face(const sn_tetrahedra *t, int face, bool flat, int *triangles)
{
    const int *v = t->elements + (size_t)(face / 4) * (size_t)t->nodes;
    int nodes[6];
    for (int k = 0; k < 3; ++k) {
        nodes[k] = v[sn_tetrahedron_faces[face % 4][k]];
        nodes[3 + k] = flat ? -1 : v[sn_tetrahedron_face_middles[face % 4][k]];
    }
    if (flat) {
        memcpy(triangles, nodes, 3 * sizeof *nodes);
        return 1;
    }
    for (int q = 0; q < 4; ++q) {
        for (int k = 0; k < 3; ++k) {
            triangles[3 * q + k] = nodes[quarters[q][k]];
        }
    }
    return 4;
}

// Gives the vertices that triangles name new numbers, in their old order.
static int renumber(int *triangles, int triangle_count, int vertex_count, int *number, int *old)
{
    memset(number, 0, (size_t)vertex_count * sizeof *number);
    for (size_t k = 0; k < 3 * (size_t)triangle_count; ++k) {
        number[triangles[k]] = 1;
    }
    int count = 0;
    for (int i = 0; i < vertex_count; ++i) {
        if (number[i]) {
            old[count] = i;
            number[i] = count++;
        }
    }
    for (size_t k = 0; k < 3 * (size_t)triangle_count; ++k) {
        triangles[k] = number[triangles[k]];
    }
    return count;
}

static int mark_open_faces(const sn_tetrahedra_faces *faces, unsigned char *open)
{
    int count = 0;
    for (int first = 0, last; first < faces->count; first = last) {
        last = sn_tetrahedra_faces_group(faces, first);
        if (last == first + 1) {
            open[faces->order[first]] = 1;
            ++count;
        }
    }
    return count;
}

// Triangles in the order of their elements.
static sn_status collect(const sn_tetrahedra *t, const unsigned char *open, int face_count,
                         bool flat, sn_tetrahedra_surface *surface, sn_error *error)
{
    int triangle_count = flat ? face_count : 4 * face_count, put = 0;
    size_t corners = 3 * (size_t)triangle_count, vertices = (size_t)t->vertex_count;
    int *triangles = sn_allocate(corners * sizeof *triangles);
    int *number = sn_allocate(vertices * sizeof *number);
    surface->vertices = sn_allocate(vertices * sizeof(int));
    surface->elements = sn_allocate((size_t)triangle_count * sizeof(int));
    sn_status status = SN_OK;
    if (triangles == NULL || number == NULL || surface->vertices == NULL ||
        surface->elements == NULL) {
        status = sn_fail_memory(error, (corners + 2 * vertices) * sizeof *triangles);
    }
    for (int f = 0; status == SN_OK && f < 4 * t->element_count; ++f) {
        int made = open[f] ? put_face(t, f, flat, triangles + 3 * (size_t)put) : 0;
        for (int k = 0; k < made; ++k) {
            surface->elements[put++] = f / 4;
        }
    }
    if (status == SN_OK) {
        int count = renumber(triangles, triangle_count, t->vertex_count, number, surface->vertices);
        surface->mesh = sn_mesh_allocate(count, triangle_count);
        if (surface->mesh == NULL) {
            status = sn_fail_memory(error, corners * sizeof(int));
        } else {
            memcpy(surface->mesh->triangles, triangles, corners * sizeof *triangles);
            for (int i = 0; i < count; ++i) {
                surface->mesh->positions[i] = t->positions[surface->vertices[i]];
            }
        }
    }
    sn_free(number);
    sn_free(triangles);
    return status;
}

static sn_status find(const sn_tetrahedra *t, bool flat, sn_tetrahedra_surface *surface,
                      sn_error *error)
{
    *surface = (sn_tetrahedra_surface){0};
    sn_tetrahedra_faces faces;
    sn_status status = sn_tetrahedra_faces_find(t, &faces, error);
    if (status != SN_OK) {
        return status;
    }
    unsigned char *open = sn_allocate_zero((size_t)faces.count);
    if (open == NULL) {
        status = sn_fail_memory(error, (size_t)faces.count);
    } else {
        int count = mark_open_faces(&faces, open);
        status = collect(t, open, count, flat, surface, error);
    }
    sn_free(open);
    sn_tetrahedra_faces_free(&faces);
    if (status != SN_OK) {
        sn_tetrahedra_surface_free(surface);
    }
    return status;
}

sn_status sn_tetrahedra_flat_surface(const sn_tetrahedra *tetrahedra,
                                     sn_tetrahedra_surface *surface, sn_error *error)
{
    return find(tetrahedra, true, surface, error);
}

sn_status sn_tetrahedra_find_surface(const sn_tetrahedra *tetrahedra,
                                     sn_tetrahedra_surface *surface, sn_error *error)
{
    return find(tetrahedra, tetrahedra->nodes == 4, surface, error);
}

void sn_tetrahedra_surface_free(sn_tetrahedra_surface *surface)
{
    sn_mesh_release(surface->mesh);
    sn_free(surface->vertices);
    sn_free(surface->elements);
    *surface = (sn_tetrahedra_surface){0};
}
