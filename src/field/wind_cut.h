// How finely a wind wants patches to be cut: into so many points that what changes from one edge of
// a patch to the other is felt. Patches are as fine as their bodies' forms want them (patch.h);
// this is for the few that lie in a narrow jet or across the rim of a cone.
//
//     sn_patch_cut cuts[...] = {{{0}}};
//     if (sn_wind_cut(wind, &place, patches, count, size, cuts)) {
//         ... patch i has points[0] * points[1] points, along across[0] and across[1]; 0: one ...
//     }
//
// Jets and fans: points no farther apart than 0.4 of the length b over which the profile
// exp(-(r/b)^2) falls; what is then left comes from patches being taken for rectangles, 1 to 2 % at
// the outlines of leaves. Rims of cones and mouths: four points from edge to edge. The law `face`,
// which is one of patches, and winds that are even wherever a body is, want none.
#ifndef SN_FIELD_WIND_CUT_H
#define SN_FIELD_WIND_CUT_H

#include "field/patch.h"
#include "field/wind_block.h"

enum { SN_PATCH_CUT_MOST = 8 };

typedef struct sn_patch_cut {
    uint8_t points[2]; // 0: the patch is one point
} sn_patch_cut;

// Could it want any, wherever it blows?
SN_API bool sn_wind_may_cut(const sn_wind *wind);

// Raises the cuts of `count` patches of a body to what the wind wants; true if any is wanted.
// `size` is the longest that any patch is.
SN_API bool sn_wind_cut(const sn_wind *wind, const sn_wind_place *place, const sn_patch *patches,
                        int count, double size, sn_patch_cut *cuts);

// The length of a patch along across[0] or across[1], as a rectangle.
SN_API double sn_patch_length(const sn_patch *patch, int way);

#endif
