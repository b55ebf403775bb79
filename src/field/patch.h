// Patches: the surface of a body cut into small pieces, for forces that act on surfaces.
//
//     sn_patches patches = {0};
//     sn_patches_add(&patches, shapes, shape_count, 0.0, error);
//     for (int i = 0; i < patches.count; ++i) { ... patches.data[i].area ... }
//     sn_array_free(&patches);
//
// Every triangle of a shape's mesh is halved until its edges are at most half of `size`; pieces
// that lie in one cell of a grid of that size and face nearly the same way are then one patch.
// Scraps, such as rims of sheets, are joined over three cells. Both faces of a sheet are one patch
// with two sides; those of a flat one are spread a little, so that they have its second moments of
// area. The vector areas of one-sided patches, and the first moments of area on a flat face, add up
// to those of the mesh. Round bars of a radius below a quarter of a cell are pieces of wire,
// without ends.
//
// What it does not do: what one shape of a body hides of another is counted.
#ifndef SN_FIELD_PATCH_H
#define SN_FIELD_PATCH_H

#include "base/array.h"
#include "math/symmetric.h"
#include "sinew/geometry.h"

typedef struct sn_patch {
    sn_vec3 centre, normal; // in the body's frame; outward, unit; of a wire its axis
    // A rectangle that has the patch's second moments of area: its points are middle + u across[0]
    // + v across[1], |u| and |v| below sqrt(3). A wire's first is along it. The middle is the
    // centre before those of a sheet are spread.
    sn_vec3 middle, across[2];
    sn_sym3 second; // while it is being made: moments of area; afterwards by area, about its centre
    double area;    // of one side; all around a wire
    int sides;      // that the air meets: 2 on an open surface, a sheet or a wire
    bool wire;
} sn_patch;

typedef SN_ARRAY(sn_patch) sn_patches;

// Adds the patches of a body. Size 0: a seventh of the longest edge of the box around each shape,
// but no less than a 21st of that around all; bars are cut into 14ths of the latter. A size below a
// 64th of a shape is taken for that.
SN_API sn_status sn_patches_add(sn_patches *patches, const sn_shape *shapes, int count, double size,
                                sn_error *error);

#endif
