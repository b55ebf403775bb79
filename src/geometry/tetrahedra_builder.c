#include "geometry/tetrahedra_builder.h"

#include <limits.h>

#include "base/error.h"
#include "geometry/tetrahedra.h"

int sn_tetrahedra_builder_vertex(sn_tetrahedra_builder *builder, sn_vec3 position)
{
    if (builder->failed || builder->positions.count == INT_MAX ||
        !sn_array_push(&builder->positions, position)) {
        builder->failed = true;
        return 0;
    }
    return builder->positions.count - 1;
}

void sn_tetrahedra_builder_element(sn_tetrahedra_builder *builder, int a, int b, int c, int d)
{
    if (a == b || a == c || a == d || b == c || b == d || c == d) {
        return;
    }
    if (builder->failed || builder->elements.count > INT_MAX - 4 ||
        !sn_array_reserve(&builder->elements, builder->elements.count + 4)) {
        builder->failed = true;
        return;
    }
    int *corner = builder->elements.data + builder->elements.count;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    corner[3] = d;
    builder->elements.count += 4;
}

void sn_tetrahedra_builder_prism(sn_tetrahedra_builder *builder, const int bottom[3],
                                 const int top[3])
{
    sn_tetrahedra_builder_element(builder, bottom[0], bottom[1], bottom[2], top[2]);
    sn_tetrahedra_builder_element(builder, bottom[0], bottom[1], top[1], top[2]);
    sn_tetrahedra_builder_element(builder, bottom[0], top[0], top[1], top[2]);
}

sn_status sn_tetrahedra_builder_finish(sn_tetrahedra_builder *builder, sn_tetrahedra **tetrahedra,
                                       sn_error *error)
{
    sn_status status;
    *tetrahedra = NULL;
    if (builder->failed) {
        status = sn_fail_memory(error, (size_t)builder->positions.count * sizeof(sn_vec3) +
                                           (size_t)builder->elements.count * sizeof(int));
    } else {
        sn_tetrahedra_def def = sn_default_tetrahedra_def();
        def.positions = builder->positions.data;
        def.vertex_count = builder->positions.count;
        def.elements = builder->elements.data;
        def.element_count = builder->elements.count / 4;
        status = sn_tetrahedra_create(&def, tetrahedra, error);
    }
    if (status == SN_OK) {
        (*tetrahedra)->turned_count = 0; // the builder takes either order
    }
    sn_tetrahedra_builder_free(builder);
    return status;
}

void sn_tetrahedra_builder_free(sn_tetrahedra_builder *builder)
{
    sn_array_free(&builder->positions);
    sn_array_free(&builder->elements);
}
