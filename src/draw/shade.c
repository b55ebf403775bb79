#include "draw/shade.h"

#include <math.h>

#include "math/elementary.h"

#define KEY_SPREAD 0.06f // added to the roughness that the key light sees, for its size

static sn_colour colour_scale(float s, sn_colour a)
{
    return (sn_colour){s * a.r, s * a.g, s * a.b};
}

static sn_colour colour_add(sn_colour a, sn_colour b)
{
    return (sn_colour){a.r + b.r, a.g + b.g, a.b + b.b};
}

static sn_colour colour_multiply(sn_colour a, sn_colour b)
{
    return (sn_colour){a.r * b.r, a.g * b.g, a.b * b.b};
}

static sn_colour colour_mix(sn_colour a, sn_colour b, float share)
{
    return colour_add(colour_scale(1.0f - share, a), colour_scale(share, b));
}

static float dot3(sn_direction3 a, sn_direction3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static float smooth_step(float from, float to, float x)
{
    float t = (x - from) / (to - from);
    t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
    return t * t * (3.0f - 2.0f * t);
}

static double linear_of(double c)
{
    return c <= 0.04045 ? c / 12.92 : sn_pow((c + 0.055) / 1.055, 2.4);
}

void sn_shade_make(sn_shade *shade, sn_vec3 key, uint32_t ground)
{
    for (int i = 0; i < 256; ++i) {
        shade->linear[i] = (float)linear_of(i / 255.0);
        shade->limits[i] = (float)linear_of((i + 0.5) / 255.0);
    }
    shade->key = (sn_direction3){(float)key.x, (float)key.y, (float)key.z};
    shade->key_light = (sn_colour){1.05f, 0.99f, 0.90f};
    shade->sky_light = (sn_colour){0.30f, 0.34f, 0.40f};
    sn_colour floor = sn_shade_linear(shade, ground);
    shade->ground_light = colour_scale(0.55f, floor);
    // What the floor looks like in full light, a little darker and cooler; more so further up.
    sn_colour light = colour_add(colour_scale(shade->key.z, shade->key_light), shade->sky_light);
    sn_colour lit = colour_multiply(floor, light);
    shade->horizon = colour_multiply(lit, (sn_colour){0.87f, 0.90f, 0.945f});
    shade->zenith = colour_multiply(lit, (sn_colour){0.26f, 0.34f, 0.46f});
    shade->nadir = colour_multiply(lit, (sn_colour){0.55f, 0.56f, 0.58f});
}

sn_colour sn_shade_linear(const sn_shade *shade, uint32_t colour)
{
    return (sn_colour){shade->linear[colour >> 16 & 255], shade->linear[colour >> 8 & 255],
                       shade->linear[colour & 255]};
}

sn_colour sn_shade_backdrop(const sn_shade *shade, sn_direction3 d)
{
    return d.z > 0.0f ? colour_mix(shade->horizon, shade->zenith, smooth_step(0.0f, 0.5f, d.z))
                      : colour_mix(shade->horizon, shade->nadir, smooth_step(0.0f, 0.9f, -d.z));
}

// What is mirrored: a bright ceiling, a wide lamp around the key light, the ground. Rough surfaces
// see it blurred.
static sn_colour surroundings(const sn_shade *shade, sn_direction3 d, float roughness, float above,
                              float below)
{
    float blur = 0.08f + 0.9f * roughness;
    float up = smooth_step(-blur, blur, d.z);
    float lamp = smooth_step(0.80f - 0.5f * roughness, 0.97f, dot3(d, shade->key));
    float wall = 0.62f + 0.65f * smooth_step(0.0f, 0.9f, d.z);
    sn_colour sky =
        colour_scale(wall + (1.0f - roughness) * 1.1f * lamp, (sn_colour){0.93f, 0.97f, 1.02f});
    return colour_mix(colour_scale(below, shade->horizon), colour_scale(above, sky), up);
}

static float power5(float x)
{
    float x2 = x * x;
    return x2 * x2 * x;
}

// D, V and F of one light (Walter et al., "Microfacet models for refraction", 2007; Schlick 1994),
// times pi, as light is counted here.
static sn_colour highlight(const sn_shade *shade, const sn_lit_surface *s, sn_colour base,
                           float facing, float toward_eye)
{
    sn_direction3 h = {shade->key.x + s->eye.x, shade->key.y + s->eye.y, shade->key.z + s->eye.z};
    float length = sqrtf(dot3(h, h));
    if (!(length > 1e-6f)) {
        return (sn_colour){0.0f, 0.0f, 0.0f};
    }
    h = (sn_direction3){h.x / length, h.y / length, h.z / length};
    float alpha = s->roughness * s->roughness + KEY_SPREAD;
    float a2 = alpha * alpha, nh = dot3(s->normal, h), vh = dot3(s->eye, h);
    nh = nh > 0.0f ? nh : 0.0f;
    vh = vh > 0.0f ? vh : 0.0f;
    float d = nh * nh * (a2 - 1.0f) + 1.0f;
    float spread = a2 / (d * d);
    float hidden = facing * sqrtf(toward_eye * toward_eye * (1.0f - a2) + a2) +
                   toward_eye * sqrtf(facing * facing * (1.0f - a2) + a2);
    float strength = spread * 0.5f / hidden * facing;
    strength = strength < 8.0f ? strength : 8.0f;
    float grazing = power5(1.0f - vh);
    sn_colour mirrored =
        colour_add(colour_scale(1.0f - grazing, base), (sn_colour){grazing, grazing, grazing});
    return colour_scale(strength * s->key, colour_multiply(mirrored, shade->key_light));
}

sn_colour sn_shade_surface(const sn_shade *shade, const sn_lit_surface *s)
{
    float facing = dot3(s->normal, shade->key), toward_eye = dot3(s->normal, s->eye);
    facing = facing > 0.0f ? facing : 0.0f;
    toward_eye = toward_eye > 0.02f ? toward_eye : 0.02f;
    const sn_colour glass = {0.04f, 0.04f, 0.04f};
    sn_colour base = colour_mix(glass, s->colour, s->metallic);
    sn_colour light = colour_scale(facing * s->key, shade->key_light);
    light =
        colour_add(light, colour_scale((0.5f + 0.5f * s->normal.z) * s->above, shade->sky_light));
    light = colour_add(light,
                       colour_scale((0.5f - 0.5f * s->normal.z) * s->below, shade->ground_light));
    sn_colour seen = colour_multiply(colour_scale(1.0f - s->metallic, s->colour), light);
    if (facing > 0.0f) {
        seen = colour_add(seen, highlight(shade, s, base, facing, toward_eye));
    }
    float twice = 2.0f * dot3(s->normal, s->eye);
    sn_direction3 mirror = {twice * s->normal.x - s->eye.x, twice * s->normal.y - s->eye.y,
                            twice * s->normal.z - s->eye.z};
    sn_colour around = surroundings(shade, mirror, s->roughness, s->above, s->below);
    // Schlick's law with less at grazing angles for rough surfaces.
    float most = 1.0f - s->roughness, grazing = power5(1.0f - toward_eye);
    sn_colour more = {most > base.r ? most - base.r : 0.0f, most > base.g ? most - base.g : 0.0f,
                      most > base.b ? most - base.b : 0.0f};
    sn_colour mirrored = colour_add(base, colour_scale(grazing, more));
    return colour_add(seen, colour_multiply(mirrored, around));
}

static float tone(float x)
{
    const float straight = 0.68f, rest = 1.0f - straight;
    if (!(x > straight)) {
        return x > 0.0f ? x : 0.0f;
    }
    float u = (x - straight) / rest;
    return straight + rest * u / (1.0f + u);
}

// The strongest of the three is drawn in and takes the others along, so that hues stay; what is far
// too bright turns white.
sn_colour sn_shade_tone(sn_colour light)
{
    float most = light.r > light.g ? light.r : light.g;
    most = most > light.b ? most : light.b;
    if (!(most > 0.0f)) {
        return (sn_colour){0.0f, 0.0f, 0.0f};
    }
    float toned = tone(most);
    float white = 0.7f * smooth_step(0.8f, 3.0f, most);
    return colour_mix(colour_scale(toned / most, light), (sn_colour){toned, toned, toned}, white);
}

// The byte whose light is next, and how far the light is on the way from one limit to the other:
// the dither's share decides between two neighbours.
static uint8_t byte_of(const sn_shade *shade, float light, float dither)
{
    int lower = 0, upper = 255; // the first place whose limit is above the light
    while (lower < upper) {
        int middle = (lower + upper) / 2;
        if (light > shade->limits[middle]) {
            lower = middle + 1;
        } else {
            upper = middle;
        }
    }
    float from = lower > 0 ? shade->limits[lower - 1] : 0.0f, to = shade->limits[lower];
    float share = (light - from) / (to - from) + dither;
    return (uint8_t)(share < 0.0f && lower > 0     ? lower - 1
                     : share > 1.0f && lower < 255 ? lower + 1
                                                   : lower);
}

// Bayer, "An optimum method for two-level rendition of continuous-tone pictures", 1973: bits of x ^
// y and y, interleaved from the lowest up. Regular, so that files stay small.
static float dither_at(int x, int y)
{
    int value = 0;
    for (int bit = 0; bit < 3; ++bit) {
        value = value << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1);
    }
    return ((float)value + 0.5f) / 64.0f - 0.5f;
}

void sn_shade_bytes(const sn_shade *shade, sn_colour light, int x, int y, uint8_t bytes[3])
{
    float dither = dither_at(x, y);
    bytes[0] = byte_of(shade, light.r, dither);
    bytes[1] = byte_of(shade, light.g, dither);
    bytes[2] = byte_of(shade, light.b, dither);
}
