// How far a skin and a rigid shape may go along their motions until they meet: skin_step.h's
// question.
//
//     sn_skin_place(skin, x, x_next, 0.0);
//     sn_sweep sweep = {centre, place, next_place};
//     sn_skin_shape_step step = sn_skin_shape_step_find(skin, &collider, &sweep, keep);
//
// Every face, and with it its edges and vertices, goes as far as the plane between it and the shape
// surely parts them, and looks again there (conservative advancement: Mirtich 1996). Meshes and
// height fields are taken facet by facet.
#ifndef SN_COLLIDE_SKIN_SHAPE_STEP_H
#define SN_COLLIDE_SKIN_SHAPE_STEP_H

#include "collide/query.h"
#include "collide/skin_step.h"

typedef struct sn_skin_shape_step {
    double share; // of both motions, at which the gap of every face is still what is to be kept
    int face;     // the one that keeps it from going on, or -1
    int touching; // pairs of a face and the shape, or one of its facets, that touch at the start:
                  // left out
} sn_skin_shape_step;

SN_API sn_skin_shape_step sn_skin_shape_step_find(const sn_skin *skin, const sn_collider *shape,
                                                  const sn_sweep *sweep, sn_skin_keep keep);

#endif
