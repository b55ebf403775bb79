// Light that reaches a point, and what stands in its way: depth maps of the model as seen from many
// directions, drawn by the rasteriser.
//
//     sn_light light = {0};
//     sn_light_make(&light, &model, towards_key, &settings, threads, error);
//     sn_light_receive(&light, points, count);   // key, above and below of each point
//     sn_light_free(&light);
//
// The key light is a disc in the sky: a set of directions close to each other. The sky and the
// ground are directions spread evenly over the whole sphere. What share of a set sees a point is
// its light: shadows get their true soft edges, corners and undersides their shade, and no noise.
#ifndef SN_DRAW_LIGHT_H
#define SN_DRAW_LIGHT_H

#include "base/threads.h"
#include "draw/model.h"

typedef struct sn_light_map {
    sn_vec3 direction;           // towards the light
    float x[4], y[4], height[4]; // of a point: column, row, and height in steps of the map
    float toward[3];             // the direction once more
    uint16_t *heights;           // size * size: of the highest surface towards the light; 0: none
    int size;
} sn_light_map;

typedef struct sn_light {
    SN_ARRAY(sn_light_map) maps; // of the key light, then of sky and ground
    int key_count;
    sn_vec3 origin;              // that points are given from, the middle of the model
    double key_texel, sky_texel; // m
    uint16_t *heights;           // of all maps
    size_t room;
} sn_light;

typedef struct sn_light_def {
    sn_vec3 key;       // towards its middle
    double key_radius; // rad
    int key_maps, sky_maps;
    int key_size, sky_size; // of a map, in texels
} sn_light_def;

// Points that are lit together, in single precision and seen from light->origin; the results are
// shares, 0 .. 1.
enum { SN_LIGHT_BATCH = 1024 };
typedef struct sn_light_points {
    float x[SN_LIGHT_BATCH], y[SN_LIGHT_BATCH], z[SN_LIGHT_BATCH];
    float nx[SN_LIGHT_BATCH], ny[SN_LIGHT_BATCH], nz[SN_LIGHT_BATCH];
    float key[SN_LIGHT_BATCH], above[SN_LIGHT_BATCH], below[SN_LIGHT_BATCH];
    int count;
} sn_light_points;

// Room is kept from call to call.
SN_API sn_status sn_light_make(sn_light *light, const sn_model *model, const sn_light_def *def,
                               sn_threads *threads, sn_error *error);
SN_API void sn_light_free(sn_light *light);
SN_API void sn_light_receive(const sn_light *light, sn_light_points *points);

#endif
