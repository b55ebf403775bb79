// Puts tetrahedra together piece by piece. Running out of memory is remembered and told once, by
// finish, so that generators read as geometry.
#ifndef SN_GEOMETRY_TETRAHEDRA_BUILDER_H
#define SN_GEOMETRY_TETRAHEDRA_BUILDER_H

#include "base/array.h"
#include "sinew/tetrahedra.h"

typedef struct sn_tetrahedra_builder {
    SN_ARRAY(sn_vec3) positions;
    SN_ARRAY(int) elements; // 4 each
    bool failed;
} sn_tetrahedra_builder;

// The new vertex's index; 0 after a failure.
int sn_tetrahedra_builder_vertex(sn_tetrahedra_builder *builder, sn_vec3 position);

// In either order; one that names a vertex twice is left out, which lets sweeps end in a point.
void sn_tetrahedra_builder_element(sn_tetrahedra_builder *builder, int a, int b, int c, int d);

// The prism with bottom a b c and top u v w, cut along the diagonals from a to v and w and from b
// to w: neighbours agree when edges of the base run the same way for both.
void sn_tetrahedra_builder_prism(sn_tetrahedra_builder *builder, const int bottom[3],
                                 const int top[3]);

// Frees the builder, too.
sn_status sn_tetrahedra_builder_finish(sn_tetrahedra_builder *builder, sn_tetrahedra **tetrahedra,
                                       sn_error *error);
void sn_tetrahedra_builder_free(sn_tetrahedra_builder *builder);

#endif
