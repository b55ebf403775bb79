// What a body hides of others from a wind. Made once for the shapes of a body, in the body's frame.
//
//     sn_occluder occluder = {0};
//     sn_occluder_make(&occluder, shapes, shape_count, patches, patch_count, error);
//     ... occluder.faces, occluder.bars: to be drawn ...
//     sn_occluder_free(&occluder);
//
// Bars, which wires are made of, are drawn as bands that turn to the eye. The rims of thin flat
// sheets are left out. Sensors and half spaces hide nothing.
#ifndef SN_FIELD_OCCLUDER_H
#define SN_FIELD_OCCLUDER_H

#include "field/patch.h"

// A triangle; seen from its outer side alone unless it is of an open surface.
typedef struct sn_occluder_face {
    int corners[3];
    bool open;
    sn_vec3 normal; // of any length
    double offset;  // normal . x in its plane
} sn_occluder_face;

typedef struct sn_occluder_bar {
    sn_vec3 ends[2]; // moved out so that the band has the area of the bar's picture
    double radius;
} sn_occluder_bar;

typedef struct sn_occluder {
    SN_ARRAY(sn_vec3) corners;
    SN_ARRAY(sn_occluder_face) faces;
    SN_ARRAY(sn_occluder_bar) bars;
    sn_vec3 centre; // of a ball around all of it
    double radius;  // negative: there is nothing
} sn_occluder;

SN_API sn_status sn_occluder_make(sn_occluder *occluder, const sn_shape *shapes, int shape_count,
                                  const sn_patch *patches, int patch_count, sn_error *error);
SN_API bool sn_occluder_is_bar(const sn_shape *shape); // slender and round, as wires are
SN_API void sn_occluder_free(sn_occluder *occluder);

#endif
