// One picture, from triangles in place to bytes: tile by tile the rasteriser says what is seen at
// each sample; samples of a pixel that see the same triangle are lit and shaded once, in the middle
// of them; a pixel is the mean of its samples.
#ifndef SN_DRAW_PAINTER_H
#define SN_DRAW_PAINTER_H

#include "draw/light.h"
#include "draw/shade.h"
#include "draw/stage.h"

typedef struct sn_painter {
    const sn_model *model;
    const sn_stage *stage;
    const sn_light *light;
    const sn_shade *shade;
    const sn_raster *raster;  // of `positions`
    const sn_vec3 *positions; // of the model, thin things made thicker
    uint8_t *pixels;
    bool (*stop)(void *user); // may be NULL
    void *user;
} sn_painter;

SN_API sn_status sn_paint(const sn_painter *painter, sn_threads *threads, sn_error *error);

#endif
