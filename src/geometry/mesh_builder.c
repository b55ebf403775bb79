#include "geometry/mesh_builder.h"

#include <limits.h>

#include "base/error.h"

int sn_mesh_builder_vertex(sn_mesh_builder *builder, sn_vec3 position)
{
    if (builder->failed || builder->positions.count == INT_MAX ||
        !sn_array_push(&builder->positions, position)) {
        builder->failed = true;
        return 0;
    }
    return builder->positions.count - 1;
}

void sn_mesh_builder_triangle(sn_mesh_builder *builder, int a, int b, int c)
{
    if (builder->failed || builder->triangles.count > INT_MAX - 3 ||
        !sn_array_reserve(&builder->triangles, builder->triangles.count + 3)) {
        builder->failed = true;
        return;
    }
    int *corner = builder->triangles.data + builder->triangles.count;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    builder->triangles.count += 3;
}

void sn_mesh_builder_quad(sn_mesh_builder *builder, int a, int b, int c, int d)
{
    sn_mesh_builder_triangle(builder, a, b, c);
    sn_mesh_builder_triangle(builder, a, c, d);
}

sn_status sn_mesh_builder_finish(sn_mesh_builder *builder, sn_mesh **mesh, sn_error *error)
{
    sn_status status;
    *mesh = NULL;
    if (builder->failed) {
        status = sn_fail_memory(error, (size_t)builder->positions.count * sizeof(sn_vec3) +
                                           (size_t)builder->triangles.count * sizeof(int));
    } else {
        status = sn_mesh_create(builder->positions.data, builder->positions.count,
                                builder->triangles.data, builder->triangles.count / 3, mesh, error);
    }
    sn_mesh_builder_free(builder);
    return status;
}

void sn_mesh_builder_free(sn_mesh_builder *builder)
{
    sn_array_free(&builder->positions);
    sn_array_free(&builder->triangles);
}
