#include "field/wind_cut.h"

#include <math.h>

#include "field/jet.h"

#define STEP  0.4 // between points, as a share of a jet's b
#define REACH 2.0 // where a jet ends: exp(-4) of its speed, in b
enum { RIM_POINTS = 4 };

double sn_patch_length(const sn_patch *patch, int way)
{
    return 3.46410161513775459 * sn_length(patch->across[way]); // sqrt(12)
}

// A wind as the body sees it.
typedef struct seen_wind {
    const sn_wind *wind;
    sn_vec3 along, source;
} seen_wind;

// Along the axis from the source, and away from it.
static void find_place(const seen_wind *seen, sn_vec3 point, double *x, double *r)
{
    sn_vec3 arm = sn_vec3_sub(point, seen->source);
    *x = sn_dot(arm, seen->along);
    *r = sn_length(sn_vec3_add_scaled(arm, -*x, seen->along));
}

// How far apart the points of what lies within `half` of (x, r) may be; infinite: anything goes.
static double jet_step(double radius, double x, double r, double half)
{
    if (x + half < 0.0) {
        return INFINITY;
    }
    sn_jet_profile near = sn_jet_profile_at(radius, fmax(x - half, 0.0));
    if (STEP * near.width >= 2.0 * half && x - half > 0.0) {
        return INFINITY; // wide enough where it is narrowest
    }
    sn_jet_profile far = sn_jet_profile_at(radius, x + half);
    if (r - half > near.core + REACH * far.width || (r + half < far.core && x - half > 0.0)) {
        return INFINITY;
    }
    double step = STEP * sn_jet_profile_at(radius, fmax(x, 0.0)).width;
    return x - half < 0.0 ? fmin(step, 2.0 * half / RIM_POINTS) : step;
}

static double cone_step(const sn_wind_def *def, double x, double r, double half)
{
    double l0 = def->length, r0 = def->radius, depth = x + l0;
    double beside = (r * l0 - depth * r0) / sqrt(l0 * l0 + r0 * r0);
    bool rim = fabs(beside) < half && x > -half, disc = fabs(x) < half && beside < half;
    return rim || disc ? 2.0 * half / RIM_POINTS : INFINITY;
}

static double find_step(const seen_wind *seen, sn_vec3 point, double half)
{
    const sn_wind_def *def = &seen->wind->def;
    double x, r;
    find_place(seen, point, &x, &r);
    return def->kind == SN_WIND_CONE ? cone_step(def, x, r, half)
                                     : jet_step(def->radius, x, r, half);
}

// Nothing in the ball around the body wants its patches finer. A jet is narrowest where it comes to
// the ball; rims may be anywhere in it.
static bool is_even(const seen_wind *seen, const sn_wind_place *place, double size)
{
    const sn_wind_def *def = &seen->wind->def;
    double half = place->radius + 0.5 * size, x, r;
    find_place(seen, place->middle, &x, &r);
    if (def->kind == SN_WIND_CONE) {
        return isinf(cone_step(def, x, r, half));
    }
    if (isinf(jet_step(def->radius, x, r, half))) {
        return true;
    }
    return x > half && STEP * sn_jet_profile_at(def->radius, x - half).width >= size;
}

bool sn_wind_may_cut(const sn_wind *wind)
{
    sn_wind_kind kind = wind->def.kind;
    return (kind == SN_WIND_CONE || kind == SN_WIND_JET || kind == SN_WIND_FAN) &&
           wind->def.law == SN_WIND_LAW_AIR;
}

bool sn_wind_cut(const sn_wind *wind, const sn_wind_place *place, const sn_patch *patches,
                 int count, double size, sn_patch_cut *cuts)
{
    const sn_wind_def *def = &wind->def;
    if (!sn_wind_may_cut(wind) || def->speed == 0.0) {
        return false;
    }
    seen_wind seen = {.wind = wind};
    sn_vec3 from = sn_vec3_sub(def->position, place->position);
    seen.along = sn_mat3_apply_transpose(place->rotation, wind->along);
    seen.source = sn_mat3_apply_transpose(place->rotation, from);
    if (is_even(&seen, place, size)) {
        return false;
    }
    bool any = false;
    for (int i = 0; i < count; ++i) {
        double step = find_step(&seen, patches[i].centre, 0.5 * sn_patch_length(&patches[i], 0));
        for (int k = 0; k < 2; ++k) {
            double wanted = fmin(ceil(sn_patch_length(&patches[i], k) / step), SN_PATCH_CUT_MOST);
            if (wanted > 1.0 && wanted > cuts[i].points[k]) {
                cuts[i].points[k] = (uint8_t)wanted;
                any = true;
            }
        }
    }
    return any;
}
