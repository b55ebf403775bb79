#include "mobile/outline_preset.h"

#include <math.h>

#include "math/elementary.h"

static const struct {
    double width, direction;
} presets[] = {
#define X(name, word, width, direction, text) {width, (direction) * (SN_PI / 180.0)},
    SN_OUTLINE_PRESET_LIST(X)
#undef X
};

double sn_preset_width(sn_outline_preset preset)
{
    return presets[preset].width;
}

double sn_preset_direction(sn_outline_preset preset)
{
    return presets[preset].direction;
}

// ---- splines ----

int sn_spline_point_count(int count, bool closed, int steps)
{
    return closed ? count * steps : (count - 1) * steps + 1;
}

static sn_vec2 mix(sn_vec2 a, sn_vec2 b, double ta, double tb, double t)
{
    double w = tb > ta ? (t - ta) / (tb - ta) : 0.0;
    return (sn_vec2){a.x + w * (b.x - a.x), a.y + w * (b.y - a.y)};
}

// Knots as far apart as the roots of the distances (Catmull and Rom; Lee's centripetal choice,
// which neither loops nor overshoots); evaluated by Barry and Goldman's pyramid.
static sn_vec2 spline_at(const sn_vec2 p[4], double share)
{
    double t[4] = {0.0};
    for (int i = 1; i < 4; ++i) {
        t[i] = t[i - 1] + sqrt(sn_hypot(p[i].x - p[i - 1].x, p[i].y - p[i - 1].y));
    }
    double at = t[1] + share * (t[2] - t[1]);
    sn_vec2 a1 = mix(p[0], p[1], t[0], t[1], at), a2 = mix(p[1], p[2], t[1], t[2], at);
    sn_vec2 a3 = mix(p[2], p[3], t[2], t[3], at);
    sn_vec2 b1 = mix(a1, a2, t[0], t[2], at), b2 = mix(a2, a3, t[1], t[3], at);
    return mix(b1, b2, t[1], t[2], at);
}

// The point beyond an open end is the mirror image of the one before it.
static sn_vec2 point_at(const sn_vec2 *points, int count, bool closed, int i)
{
    if (closed) {
        return points[(i + count) % count];
    }
    if (i < 0) {
        return (sn_vec2){2.0 * points[0].x - points[1].x, 2.0 * points[0].y - points[1].y};
    }
    if (i >= count) {
        sn_vec2 a = points[count - 1], b = points[count - 2];
        return (sn_vec2){2.0 * a.x - b.x, 2.0 * a.y - b.y};
    }
    return points[i];
}

void sn_spline_points(const sn_vec2 *points, int count, bool closed, int steps, sn_vec2 *curve)
{
    int spans = closed ? count : count - 1, at = 0;
    for (int i = 0; i < spans; ++i) {
        sn_vec2 p[4];
        for (int k = 0; k < 4; ++k) {
            p[k] = point_at(points, count, closed, i - 1 + k);
        }
        curve[at++] = p[1];
        for (int k = 1; k < steps; ++k) {
            curve[at++] = spline_at(p, (double)k / steps);
        }
    }
    if (!closed) {
        curve[at] = points[count - 1];
    }
}

// ---- presets ----

// Some are curves of a formula, of SAMPLES points; the others a few points with splines between.
enum { SAMPLES = 48, STEPS = 6 };

// A regular pentagram, stretched to a length and a width of 1.
static const sn_vec2 star[] = {{0, 0},
                               {0.3819660113, -0.1180339887},
                               {0.3819660113, -0.5},
                               {0.6180339888, -0.1909830056},
                               {1, -0.3090169944},
                               {0.7639320225, 0},
                               {1, 0.3090169944},
                               {0.6180339888, 0.1909830056},
                               {0.3819660113, 0.5},
                               {0.3819660113, 0.1180339887}};
static const sn_vec2 fish[] = {{0.0, 0.0},   {0.12, -0.26}, {0.32, -0.46}, {0.52, -0.4},
                               {0.7, -0.16}, {0.8, -0.1},   {1.0, -0.42},  {0.93, 0.0},
                               {1.0, 0.42},  {0.8, 0.1},    {0.7, 0.16},   {0.52, 0.4},
                               {0.32, 0.46}, {0.12, 0.26}};
static const sn_vec2 triangle[] = {{0.0, 0.0},   {0.35, -0.2}, {0.75, -0.42}, {0.93, -0.47},
                                   {1.0, -0.36}, {1.0, 0.0},   {1.0, 0.36},   {0.93, 0.47},
                                   {0.75, 0.42}, {0.35, 0.2}};
static const sn_vec2 heart[] = {{0.0, 0.0},   {0.28, -0.22}, {0.6, -0.46}, {0.85, -0.46},
                                {1.0, -0.25}, {0.92, -0.06}, {0.8, 0.0},   {0.92, 0.06},
                                {1.0, 0.25},  {0.85, 0.46},  {0.6, 0.46},  {0.28, 0.22}};

typedef struct knots {
    const sn_vec2 *points;
    int count, steps;
} knots;

static knots preset_knots(sn_outline_preset preset)
{
#define KNOTS(list, steps) ((knots){(list), (int)(sizeof(list) / sizeof *(list)), (steps)})
    switch (preset) {
    case SN_PRESET_STAR:
        return KNOTS(star, 1);
    case SN_PRESET_FISH:
        return KNOTS(fish, STEPS);
    case SN_PRESET_TRIANGLE:
        return KNOTS(triangle, STEPS);
    case SN_PRESET_HEART:
        return KNOTS(heart, STEPS);
    default:
        return (knots){0};
    }
#undef KNOTS
}

// Around the outline from the stem, counter-clockwise: turn 0 .. 2 pi; the lower edge comes first.
static sn_vec2 curve_point(sn_outline_preset preset, int index)
{
    double s, c, half;
    sn_sincos(2.0 * SN_PI * index / SAMPLES, &s, &c);
    double x = 0.5 * (1.0 - c);
    switch (preset) {
    case SN_PRESET_LEAF: {
        // Two edges of y = sin(pi x^0.8)/2, pointed at both ends.
        double edge = x > 0.0 ? 0.5 * sn_sin(SN_PI * sn_pow(x, 0.8)) : 0.0;
        return (sn_vec2){x, index * 2 < SAMPLES ? -edge : edge};
    }
    case SN_PRESET_DROP:
        // A teardrop: y = sin t sin(t/2) / (2 max), whose maximum is 4/(3 sqrt 3).
        half = sn_sin(SN_PI * index / SAMPLES);
        return (sn_vec2){x, -0.5 * s * half / 0.76980035891950105};
    case SN_PRESET_FIN:
        // A lens whose middle line is a parabola: 0.65 of the width for the sweep, 0.7 for the
        // lens.
        half = 4.0 * x * (1.0 - x);
        return (sn_vec2){x, 0.65 * half + (index * 2 < SAMPLES ? 0.0 : 0.35 * half)};
    case SN_PRESET_MOON: {
        // The back is half an ellipse from tip to tip, the inside a flatter one.
        double turn = 2.0 * SN_PI * index / SAMPLES;
        double a = index * 2 < SAMPLES ? 0.5 * SN_PI + turn : 2.5 * SN_PI - turn;
        sn_sincos(a, &s, &c);
        double depth = index * 2 < SAMPLES ? 1.0 : 0.45;
        return (sn_vec2){1.0 + c * depth, 0.5 * s};
    }
    default: // an oval
        return (sn_vec2){x, -0.5 * s};
    }
}

int sn_preset_point_count(sn_outline_preset preset)
{
    knots k = preset_knots(preset);
    return k.count > 0 ? sn_spline_point_count(k.count, true, k.steps) : SAMPLES;
}

void sn_preset_points(sn_outline_preset preset, double length, double width, sn_vec2 *points)
{
    knots k = preset_knots(preset);
    int count = sn_preset_point_count(preset);
    if (k.count > 0) {
        sn_spline_points(k.points, k.count, true, k.steps, points);
    } else {
        for (int i = 0; i < count; ++i) {
            points[i] = curve_point(preset, i);
        }
    }
    for (int i = 0; i < count; ++i) {
        points[i] = (sn_vec2){points[i].x * length, points[i].y * width};
    }
}
