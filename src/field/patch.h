// Patches: the surface of a body cut into small flat pieces, for forces that act on surfaces.
//
//     sn_patches patches = {0};
//     sn_patches_add(&patches, shapes, shape_count, 0.0, error);
//     for (int i = 0; i < patches.count; ++i) { ... patches.data[i].area ... }
//     sn_array_free(&patches);
//
// Every triangle of a shape's mesh is halved until its edges are at most `size`; pieces that lie in
// one cell of a grid of that size and face nearly the same way are then one patch. The vector areas
// of patches, and the first moments of area on a flat face, add up to those of the mesh.
//
// What it does not do: what one shape of a body hides of another is counted.
#ifndef SN_FIELD_PATCH_H
#define SN_FIELD_PATCH_H

#include "base/array.h"
#include "sinew/geometry.h"

typedef struct sn_patch {
    sn_vec3 centre, normal; // in the body's frame; outward, unit
    double area;
    int sides; // that the air meets: 2 on an open surface
} sn_patch;

typedef SN_ARRAY(sn_patch) sn_patches;

// Adds the patches of a body. Size 0: a sixth of the longest edge of the box around its shapes;
// less than a 64th of that is taken for it.
SN_API sn_status sn_patches_add(sn_patches *patches, const sn_shape *shapes, int count, double size,
                                sn_error *error);

#endif
