// Colours: what a surface looks like in the light that reaches it, what is behind everything, and
// how the result becomes bytes.
//
// Light is linear, in units in which a white sheet that faces the key light is close to 1. The
// surface is Lambert's with a coat that reflects by the microfacets of Trowbridge and Reitz (GGX);
// metals have the coat alone, in their own colour.
#ifndef SN_DRAW_SHADE_H
#define SN_DRAW_SHADE_H

#include "draw/model.h"

typedef struct sn_colour {
    float r, g, b;
} sn_colour;

typedef struct sn_direction3 {
    float x, y, z;
} sn_direction3;

typedef struct sn_shade {
    float linear[256]; // of a byte (IEC 61966-2-1)
    float limits[256]; // light from which on a byte is more than its place in the list
    sn_direction3 key; // towards the light
    sn_colour key_light, sky_light, ground_light;
    sn_colour horizon, zenith, nadir; // of the backdrop
} sn_shade;

// `ground` is the colour of the floor, with which the backdrop merges at the horizon.
SN_API void sn_shade_make(sn_shade *shade, sn_vec3 key, uint32_t ground);

typedef struct sn_lit_surface {
    sn_colour colour; // linear
    float roughness, metallic;
    sn_direction3 normal, eye; // unit; towards the eye
    float key, above, below;   // shares of light, see light.h
} sn_lit_surface;

SN_API sn_colour sn_shade_surface(const sn_shade *shade, const sn_lit_surface *surface);
SN_API sn_colour sn_shade_backdrop(const sn_shade *shade, sn_direction3 d); // seen there
SN_API sn_colour sn_shade_linear(const sn_shade *shade, uint32_t colour);   // 0xRRGGBB

// Lights above about 0.7 are drawn together, so that highlights keep their shape instead of turning
// into flat white.
SN_API sn_colour sn_shade_tone(sn_colour light);
// For the pixel at (x, y): smooth surfaces are dithered by less than a byte, against bands.
SN_API void sn_shade_bytes(const sn_shade *shade, sn_colour light, int x, int y, uint8_t bytes[3]);

#endif
