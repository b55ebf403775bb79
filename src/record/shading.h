// A mesh made ready for drawing: corners of one vertex share a normal where the surface is smooth,
// and have their own along creases. Single precision, as pictures need it.
#ifndef SN_RECORD_SHADING_H
#define SN_RECORD_SHADING_H

#include "sinew/geometry.h"

typedef struct sn_shaded_vertex {
    float position[3], normal[3];
} sn_shaded_vertex;

typedef struct sn_shading {
    sn_shaded_vertex *vertices;
    uint32_t *indices; // 3 * triangle_count
    int *origins;      // vertex_count: the mesh's vertex that each was
    int vertex_count, triangle_count;
} sn_shading;

SN_API sn_status sn_shading_make(const sn_mesh *mesh, sn_shading *shading, sn_error *error);
SN_API void sn_shading_free(sn_shading *shading);

#endif
