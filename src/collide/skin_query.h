// Questions about skins: how far from a rigid shape or from each other, and what a shape meets on
// its way.
//
//     sn_skin_place(skin, x, NULL, 0.0);
//     double gap = sn_skin_shape_distance(skin, &collider, &place, INFINITY, &on_skin, &on_shape);
//
// All are about the start of the skins' motion; boxes may be enlarged and swept. A closed skin is
// solid: what is inside it overlaps it.
//
// Overlap is as deep as the deepest face of the skin is in the shape, or the deepest vertex of one
// skin in the other: what a contact there sees. Something that is inside a skin as a whole, without
// touching it, is as deep as the first of its points lies below the surface.
//
// What it does not do: open skins have no inside, and overlap only what they cut.
#ifndef SN_COLLIDE_SKIN_QUERY_H
#define SN_COLLIDE_SKIN_QUERY_H

#include "collide/query.h"
#include "collide/skin.h"

// Distance and nearest points; negative: overlap. INFINITY beyond `limit`, which may be 0: do they
// overlap?
SN_API double sn_skin_shape_distance(const sn_skin *skin, const sn_collider *shape,
                                     const sn_transform *place, double limit, sn_vec3 *on_skin,
                                     sn_vec3 *on_shape);
SN_API double sn_skin_distance(const sn_skin *a, const sn_skin *b, double limit, sn_vec3 *on_a,
                               sn_vec3 *on_b);

// Where a convex collider, moved by fraction * translation without turning, first meets the skin;
// the normal is against its way.
SN_API bool sn_skin_cast(const sn_collider *convex, const sn_transform *place, sn_vec3 translation,
                         const sn_skin *skin, double *fraction, sn_vec3 *point, sn_vec3 *normal);

#endif
