// What bodies hide of each other from winds with occlusion: how much of every patch each of these
// winds reaches. A part of the air, made with it, and looked at anew on a clock of the world's own
// time.
//
// Depth: the bodies inside the wind's cone are drawn from its vertex into a small picture of ids
// and depths, and 16 points of every patch look themselves up in it. Rays: the same points
// are looked at along rays from the vertex, through the broad phase and the colliders.
//
// A patch with one side that faces away is hidden. What is nearer to the source hides what is
// behind it; of its own body a patch is hidden only by what stands out from its plane by more than
// a share of its size.
#ifndef SN_FORCE_SHADE_H
#define SN_FORCE_SHADE_H

#include "model/shade_state.h"

sn_status sn_world_make_shade(sn_world *world, sn_error *error); // after the rest of the air
void sn_shade_forget(sn_shade *shade); // what sn_world_make_shade made but the forms
void sn_shade_free(sn_shade *shade);

// Looks at the winds that are due and blow at some time from `start` to `end`.
SN_API sn_status sn_world_draw_shades(sn_world *world, double start, double end, sn_error *error);

// Pixels of the longer side of a wind's picture.
int sn_shade_pixels(const sn_shade *shade, const sn_wind *wind);

// Looks at one wind of the air: 0 .. 16 for all patches.
sn_status sn_shade_look(sn_world *world, int wind, uint8_t *lit, sn_error *error);

// Of the patches of a body of the air, in their order, the points (0 .. 16) that a wind of the air
// reaches; NULL: all.
const uint8_t *sn_shade_lit(const sn_shade *shade, int wind, int air_body);

#endif
