// Puts a mesh together piece by piece. Running out of memory is remembered and told once, by
// finish, so that generators read as geometry.
//
//     sn_mesh_builder builder = {0};
//     int a = sn_mesh_builder_vertex(&builder, p), b = ..., c = ...;
//     sn_mesh_builder_triangle(&builder, a, b, c);
//     return sn_mesh_builder_finish(&builder, &mesh, error); // frees the builder, too
#ifndef SN_GEOMETRY_MESH_BUILDER_H
#define SN_GEOMETRY_MESH_BUILDER_H

#include "base/array.h"
#include "sinew/geometry.h"

typedef struct sn_mesh_builder {
    SN_ARRAY(sn_vec3) positions;
    SN_ARRAY(int) triangles;
    bool failed;
} sn_mesh_builder;

// The new vertex's index; 0 after a failure.
int sn_mesh_builder_vertex(sn_mesh_builder *builder, sn_vec3 position);

void sn_mesh_builder_triangle(sn_mesh_builder *builder, int a, int b, int c);

// Two triangles, a b c and a c d.
void sn_mesh_builder_quad(sn_mesh_builder *builder, int a, int b, int c, int d);

sn_status sn_mesh_builder_finish(sn_mesh_builder *builder, sn_mesh **mesh, sn_error *error);
void sn_mesh_builder_free(sn_mesh_builder *builder);

#endif
