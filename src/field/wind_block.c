#include "field/wind_block.h"

#include "field/jet.h"

SN_WIDE void load(sn_wide3 *result, const double from[3][SN_LANES])
{
    result->x = *(const sn_lanes_row *)from[0];
    result->y = *(const sn_lanes_row *)from[1];
    result->z = *(const sn_lanes_row *)from[2];
}

SN_WIDE void store(sn_air_stream *stream, const sn_wide3 *velocity)
{
    *(sn_lanes_row *)stream->velocity[0] = velocity->x;
    *(sn_lanes_row *)stream->velocity[1] = velocity->y;
    *(sn_lanes_row *)stream->velocity[2] = velocity->z;
}

SN_WIDE void spread(sn_wide3 *result, sn_vec3 v)
{
    wide_spread(result, v.x, v.y, v.z);
}

// ---- uniform, cone, jet and fan ----

// A wind as the body sees it.
typedef struct wide_wind {
    const sn_wind_def *def;
    sn_wide3 along, source;
} wide_wind;

// speed (length / l)^2 away from the vertex, inside the cone and beyond the disc
SN_WIDE void cone_velocity(const wide_wind *wind, const sn_wide3 *point, sn_wide3 *velocity)
{
    double l0 = wind->def->length, r0 = wind->def->radius;
    const sn_lanes minus = {-1.0, -1.0, -1.0, -1.0}, length = {l0, l0, l0, l0};
    sn_wide3 reach = *point;
    wide_add_scaled(&reach, &minus, &wind->source);
    wide_add_scaled(&reach, &length, &wind->along);
    sn_lanes depth, square, distance;
    wide_dot(&depth, &reach, &wind->along);
    wide_dot(&square, &reach, &reach);
    wide_sqrt(&distance, &square);
    sn_lane_mask in = (depth >= l0) & (depth * depth * (l0 * l0 + r0 * r0) >= square * (l0 * l0));
    sn_lanes factor = (wind->def->speed * l0 * l0) / (square * distance);
    wide_mask(&factor, &in);
    *velocity = reach;
    wide_scale(velocity, &factor);
}

// sn_jet_at for four points.
SN_WIDE void jet_velocity(const wide_wind *wind, const sn_wide3 *point, sn_wide3 *velocity)
{
    const double radius = wind->def->radius, core_length = SN_JET_CORE * radius;
    const sn_lanes zero = {0.0, 0.0, 0.0, 0.0}, one = {1.0, 1.0, 1.0, 1.0};
    const sn_lanes minus = {-1.0, -1.0, -1.0, -1.0};
    sn_wide3 arm = *point;
    sn_lanes x, square, r;
    wide_add_scaled(&arm, &minus, &wind->source);
    wide_dot(&x, &arm, &wind->along);
    wide_sub_scaled(&arm, &x, &wind->along);
    wide_dot(&square, &arm, &arm);
    wide_sqrt(&r, &square);
    sn_lane_mask before = x >= zero, far = x > core_length;
    sn_lanes axis = core_length / x, core = radius * (1.0 - x / core_length);
    wide_select(&axis, &far, &axis, &one);
    wide_select(&core, &far, &zero, &core);
    sn_lanes whole = (radius * radius) / (axis * axis), rest = whole - core * core, root;
    sn_lanes under = (4.0 * SN_JET_Q * SN_JET_Q) * (core * core) + 2.0 * rest;
    wide_sqrt(&root, &under);
    sn_lanes b = 2.0 * rest / ((2.0 * SN_JET_Q) * core + root);
    sn_lanes beyond = r - core, ratio = beyond / b, exponent = -(ratio * ratio), profile;
    wide_exp(&exponent, &profile);
    sn_lane_mask outside = beyond > zero, spread_out = b > zero;
    wide_mask(&profile, &spread_out);
    wide_select(&profile, &outside, &profile, &one);
    sn_lanes speed = (wind->def->speed * axis) * profile;
    wide_mask(&speed, &before);
    *velocity = wind->along;
    wide_scale(velocity, &speed);
    if (wind->def->kind != SN_WIND_FAN) {
        return;
    }
    sn_lanes c2 = core * core, b2 = b * b;
    sn_lanes third = 0.25 * (c2 * c2) + SN_JET_Q * (c2 * core * b) + 0.75 * (c2 * b2) +
                     (0.75 * SN_JET_Q) * (core * b2 * b) + 0.125 * (b2 * b2);
    sn_lanes turning =
        wind->def->swirl * speed * ((radius * radius * radius) / (4.0 * third * (axis * axis)));
    wide_mask(&turning, &before);
    sn_wide3 about;
    wide_cross(&about, &wind->along, &arm);
    wide_add_scaled(velocity, &turning, &about);
}

// ---- natural ----

typedef struct wide_nature {
    const sn_wind *wind;
    sn_mat3 turn;          // from the body's frame to the wind's: along, across, up
    sn_vec3 middle, start; // of the body's patches; the middle in the wind's frame, eddies at rest
    int long_count;
    bool far; // phases of the other waves may be beyond SN_WIDE_ANGLE_LIMIT
    sn_gust_expansion near;
    double log_scale; // log profile: 1 / ln(height / roughness)
} wide_nature;

static void prepare_nature(const sn_wind *wind, const sn_wind_place *place, double time,
                           wide_nature *nature)
{
    const sn_wind_def *def = &wind->def;
    const sn_vec3 axes[3] = {wind->along, wind->across, wind->up};
    sn_vec3 middle = sn_vec3_add(place->position, sn_mat3_apply(place->rotation, place->middle));
    sn_vec3 from = sn_vec3_sub(middle, def->position);
    nature->wind = wind;
    for (int i = 0; i < 3; ++i) {
        sn_vec3 row = sn_mat3_apply_transpose(place->rotation, axes[i]);
        nature->turn.m[i][0] = row.x;
        nature->turn.m[i][1] = row.y;
        nature->turn.m[i][2] = row.z;
    }
    nature->middle = place->middle;
    nature->start = sn_vec3_make(sn_dot(from, axes[0]) - wind->carry * time, sn_dot(from, axes[1]),
                                 sn_dot(from, axes[2]));
    nature->long_count = sn_gust_count_long(wind->modes, wind->mode_count, place->radius);
    nature->near = sn_gust_expand(wind->modes, nature->long_count, nature->start);
    double reach = sn_length(nature->start) + place->radius;
    nature->far = wind->mode_count > 0 &&
                  !(sn_length(wind->modes[wind->mode_count - 1].wave) * reach + 2.0 * SN_PI <
                    0.99 * SN_WIDE_ANGLE_LIMIT);
    nature->log_scale =
        def->profile == SN_WIND_PROFILE_LOG ? 1.0 / sn_log(def->height / def->roughness) : 0.0;
}

SN_WIDE void mean_speed(const wide_nature *nature, const sn_lanes *height, sn_lanes *speed)
{
    const sn_wind_def *def = &nature->wind->def;
    double floor = def->profile == SN_WIND_PROFILE_LOG ? def->roughness : 0.0;
    double unit = def->profile == SN_WIND_PROFILE_LOG ? def->roughness : def->height;
    const sn_lanes whole = {def->speed, def->speed, def->speed, def->speed};
    *speed = whole;
    if (def->profile == SN_WIND_PROFILE_FLAT) {
        return;
    }
    sn_lane_mask above = *height > floor;
    sn_lanes share = *height / unit, one = {1.0, 1.0, 1.0, 1.0};
    wide_select(&share, &above, &share, &one);
    wide_log(&share, &share);
    if (def->profile == SN_WIND_PROFILE_POWER) {
        share *= def->exponent;
        wide_exp(&share, &share);
    } else {
        share *= nature->log_scale;
    }
    *speed *= share;
    wide_mask(speed, &above);
}

SN_WIDE void expanded_gust(const sn_gust_expansion *near, const sn_wide3 *d, sn_lanes gust[3])
{
    const sn_lanes square[6] = {d->x * d->x, d->y * d->y, d->z * d->z,
                                d->x * d->y, d->x * d->z, d->y * d->z};
    for (int i = 0; i < 3; ++i) {
        const double *s = near->slope[i], *b = near->bend[i];
        gust[i] = (near->value[i] + (s[0] * d->x + s[1] * d->y + s[2] * d->z)) +
                  ((b[0] * square[0] + b[1] * square[1] + b[2] * square[2]) +
                   (b[3] * square[3] + b[4] * square[4] + b[5] * square[5]));
    }
}

SN_WIDE void nature_velocity(const wide_nature *nature, const sn_wide3 *point, sn_wide3 *velocity)
{
    const sn_wind *wind = nature->wind;
    const sn_lanes minus = {-1.0, -1.0, -1.0, -1.0};
    sn_wide3 from = *point, middle, d, own;
    spread(&middle, nature->middle);
    wide_add_scaled(&from, &minus, &middle);
    const double(*m)[3] = nature->turn.m;
    d.x = m[0][0] * from.x + m[0][1] * from.y + m[0][2] * from.z;
    d.y = m[1][0] * from.x + m[1][1] * from.y + m[1][2] * from.z;
    d.z = m[2][0] * from.x + m[2][1] * from.y + m[2][2] * from.z;
    spread(&own, nature->start);
    wide_add(&own, &d);
    sn_lanes gust[3], mean;
    expanded_gust(&nature->near, &d, gust);
    for (int i = nature->long_count; i < wind->mode_count; ++i) {
        const sn_gust_mode *mode = &wind->modes[i];
        sn_lanes phase =
            (mode->wave.x * own.x + mode->wave.y * own.y + mode->wave.z * own.z) + mode->phase;
        sn_lanes sine, cosine;
        if (nature->far) {
            wide_sincos(&phase, &sine, &cosine);
        } else {
            wide_sincos_within(&phase, &sine, &cosine);
        }
        gust[0] += mode->swing.x * cosine;
        gust[1] += mode->swing.y * cosine;
        gust[2] += mode->swing.z * cosine;
    }
    mean_speed(nature, &own.z, &mean);
    double strength = wind->def.intensity * wind->def.speed;
    sn_lanes u = mean + strength * gust[0], v = strength * gust[1], w = strength * gust[2];
    velocity->x = m[0][0] * u + m[1][0] * v + m[2][0] * w;
    velocity->y = m[0][1] * u + m[1][1] * v + m[2][1] * w;
    velocity->z = m[0][2] * u + m[1][2] * v + m[2][2] * w;
}

// ---- all ----

typedef struct blow_run {
    const sn_wind *wind;
    sn_vec3 along, source; // in the body's frame
    wide_nature nature;
    const sn_air_block *blocks;
    int count;
    double strength;
    sn_air_stream *stream;
} blow_run;

SN_WIDE void blow(const blow_run *run)
{
    wide_wind wind = {.def = &run->wind->def};
    spread(&wind.along, run->along);
    spread(&wind.source, run->source);
    const sn_lanes strength = {run->strength, run->strength, run->strength, run->strength};
    for (int i = 0; i < run->count; ++i) {
        sn_wide3 point, velocity;
        load(&point, run->blocks[i].centre);
        switch (wind.def->kind) {
        case SN_WIND_CONE:
            cone_velocity(&wind, &point, &velocity);
            break;
        case SN_WIND_JET:
        case SN_WIND_FAN:
            jet_velocity(&wind, &point, &velocity);
            break;
        case SN_WIND_NATURAL:
            nature_velocity(&run->nature, &point, &velocity);
            break;
        default: {
            double speed = wind.def->speed;
            const sn_lanes whole = {speed, speed, speed, speed};
            velocity = wind.along;
            wide_scale(&velocity, &whole);
        }
        }
        wide_scale(&velocity, &strength);
        store(&run->stream[i], &velocity);
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void blow_avx2(const blow_run *run)
{
    blow(run);
}
#endif

void sn_wind_blow(const sn_wind *wind, const sn_wind_place *place, double time, double strength,
                  const sn_air_block *blocks, int count, sn_air_stream *stream)
{
    blow_run run = {
        .wind = wind, .blocks = blocks, .count = count, .strength = strength, .stream = stream};
    sn_vec3 from = sn_vec3_sub(wind->def.position, place->position);
    run.along = sn_mat3_apply_transpose(place->rotation, wind->along);
    run.source = sn_mat3_apply_transpose(place->rotation, from);
    if (wind->def.kind == SN_WIND_NATURAL) {
        prepare_nature(wind, place, time, &run.nature);
    }
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        blow_avx2(&run);
        return;
    }
#endif
    blow(&run);
}
