#include "field/wind.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "field/jet.h"
#include "math/elementary.h"

#define X(name, word, text) word,
static const char *const kind_words[] = {SN_WIND_KIND_LIST(X)};
#undef X

int sn_wind_kind_find(const char *word)
{
    for (int i = 0; word != NULL && i < SN_WIND_KIND_COUNT; ++i) {
        if (strcmp(word, kind_words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

const char *sn_wind_kind_word(sn_wind_kind kind)
{
    return (unsigned)kind < SN_WIND_KIND_COUNT ? kind_words[kind] : "";
}

sn_wind_def sn_default_wind_def(void)
{
    return (sn_wind_def){.direction = {1.0, 0.0, 0.0},
                         .speed = 1.0,
                         .radius = 0.1,
                         .length = 0.3,
                         .swirl = 0.4,
                         .occlusion_period = 1.0 / 20.0,
                         .up = {0.0, 0.0, 1.0},
                         .height = 10.0,
                         .roughness = 0.03,
                         .exponent = 1.0 / 7.0,
                         .intensity = 0.15,
                         .scale = 30.0,
                         .modes = 48};
}

// ---- checks ----

static sn_status check_aim(sn_vec3 position, sn_vec3 direction, double speed, const char *name,
                           sn_error *error)
{
    if (!sn_vec3_is_finite(position)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "the position of the wind is not finite");
    }
    double length = sn_length(direction);
    if (!(length > 0.0) || !isfinite(length)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the direction of the wind has the length %g, expected more than 0", length);
    }
    if (!(speed >= 0.0) || !isfinite(speed)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "speed is %g m/s, expected 0 or more",
                       speed);
    }
    return SN_OK;
}

static sn_status check_positive(double value, const char *what, const char *name, sn_error *error)
{
    if (!(value > 0.0) || !isfinite(value)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "%s is %g, expected more than 0", what,
                       value);
    }
    return SN_OK;
}

static sn_status check_profile(const sn_wind_def *def, const char *name, sn_error *error)
{
    if ((unsigned)def->profile >= SN_WIND_PROFILE_COUNT ||
        (unsigned)def->spectrum >= SN_WIND_SPECTRUM_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "there is no such profile or spectrum of wind");
    }
    sn_status status = check_positive(def->height, "height", name, error);
    if (status == SN_OK && def->profile == SN_WIND_PROFILE_LOG &&
        !(def->roughness > 0.0 && def->roughness < def->height)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "roughness is %g m, expected more than 0 and less than the height of %g m",
                       def->roughness, def->height);
    }
    if (status == SN_OK && def->profile == SN_WIND_PROFILE_POWER &&
        !(def->exponent >= 0.0 && def->exponent <= 1.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "exponent is %g, expected 0 to 1",
                       def->exponent);
    }
    return status;
}

static sn_status check_gusts(const sn_wind_def *def, const char *name, sn_error *error)
{
    if (!(def->intensity >= 0.0) || !isfinite(def->intensity)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "intensity is %g, expected 0 or more",
                       def->intensity);
    }
    if (def->modes < 1 || def->modes > SN_WIND_MODE_LIMIT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "modes is %d, expected 1 to %d", def->modes,
                       SN_WIND_MODE_LIMIT);
    }
    return check_positive(def->scale, "the scale of the eddies", name, error);
}

static sn_status check_occlusion(const sn_wind_def *def, const char *name, sn_error *error)
{
    if ((unsigned)def->occlusion >= SN_WIND_OCCLUSION_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "there is no such kind of occlusion");
    }
    if ((def->occlusion_pixels != 0 && def->occlusion_pixels < 8) ||
        def->occlusion_pixels > SN_WIND_PIXEL_LIMIT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "occlusion has %d pixels, expected 8 to %d, or 0", def->occlusion_pixels,
                       SN_WIND_PIXEL_LIMIT);
    }
    if (!(def->occlusion_period >= 0.0) || !isfinite(def->occlusion_period)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the period of occlusion is %g s, expected 0 or more",
                       def->occlusion_period);
    }
    return SN_OK;
}

static sn_status check(const sn_wind_def *def, sn_error *error)
{
    const char *name = def->name != NULL ? def->name : "unnamed wind";
    if ((unsigned)def->kind >= SN_WIND_KIND_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "there is no such kind of wind");
    }
    sn_status status = check_aim(def->position, def->direction, def->speed, name, error);
    bool has_disc =
        def->kind == SN_WIND_CONE || def->kind == SN_WIND_JET || def->kind == SN_WIND_FAN;
    if (status == SN_OK && has_disc) {
        status = check_positive(def->radius, "radius", name, error);
    }
    if (status == SN_OK && def->kind == SN_WIND_CONE) {
        status = check_positive(def->length, "length", name, error);
    }
    if (status == SN_OK && ((unsigned)def->law >= SN_WIND_LAW_COUNT ||
                            !(def->random_share >= 0.0) || !isfinite(def->random_share))) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, name,
                         "there is no such law, or the random share of %g is not 0 or more",
                         def->random_share);
    }
    status = status == SN_OK ? check_occlusion(def, name, error) : status;
    if (status == SN_OK && def->kind == SN_WIND_FAN && !isfinite(def->swirl)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, name, "swirl is not finite");
    }
    if (status == SN_OK && def->kind == SN_WIND_NATURAL) {
        status = check_profile(def, name, error);
        status = status == SN_OK ? check_gusts(def, name, error) : status;
    }
    return status;
}

// ---- making ----

// Lays the axes of a wind along its direction; a natural wind's along the ground.
static sn_status lay_axes(sn_wind *wind, const char *name, sn_error *error)
{
    sn_vec3 along = sn_normalize(wind->def.direction);
    sn_vec3 up = sn_perpendicular(along);
    if (wind->def.kind == SN_WIND_NATURAL) {
        up = sn_normalize(wind->def.up);
        sn_vec3 level = sn_vec3_add_scaled(along, -sn_dot(along, up), up);
        // What rounding leaves of a vertical direction says nothing.
        if (!(sn_length(up) > 0.5) || !(sn_length(level) > 1e-6)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "a natural wind needs a direction along the ground, and one upwards");
        }
        along = sn_normalize(level);
    }
    wind->along = along;
    wind->up = up;
    wind->across = sn_cross(up, along);
    return SN_OK;
}

sn_status sn_wind_create(const sn_wind_def *def, sn_wind **wind, sn_error *error)
{
    *wind = NULL;
    sn_status status = check(def, error);
    if (status != SN_OK) {
        return status;
    }
    bool gusty = def->kind == SN_WIND_NATURAL && def->intensity > 0.0;
    size_t size = sizeof(sn_wind) + (gusty ? (size_t)def->modes : 0) * sizeof(sn_gust_mode);
    sn_wind *made = sn_allocate_zero(size);
    if (made == NULL) {
        return sn_fail_memory(error, size);
    }
    made->def = *def;
    made->def.name = NULL;
    made->def.strength = NULL;
    made->carry = def->speed;
    status = lay_axes(made, def->name != NULL ? def->name : "unnamed wind", error);
    if (status != SN_OK) {
        sn_free(made);
        return status;
    }
    if (gusty) {
        sn_gust_fill(def->spectrum, def->scale, def->seed, made->modes, def->modes);
        made->mode_count = def->modes;
    }
    made->def.strength = sn_motion_retain(def->strength);
    *wind = made;
    return SN_OK;
}

sn_wind *sn_wind_copy(const sn_wind *wind)
{
    size_t size = sizeof *wind + (size_t)wind->mode_count * sizeof *wind->modes;
    sn_wind *copy = sn_allocate(size);
    if (copy != NULL) {
        memcpy(copy, wind, size);
        sn_motion_retain(copy->def.strength);
    }
    return copy;
}

void sn_wind_destroy(sn_wind *wind)
{
    if (wind != NULL) {
        sn_motion_release(wind->def.strength);
    }
    sn_free(wind);
}

void sn_wind_take_strength(sn_wind *wind, sn_motion *strength)
{
    sn_motion_retain(strength);
    sn_motion_release(wind->def.strength);
    wind->def.strength = strength;
}

sn_status sn_wind_aim(sn_wind *wind, sn_vec3 position, sn_vec3 direction, double speed,
                      sn_error *error)
{
    sn_status status = check_aim(position, direction, speed, "wind", error);
    if (status == SN_OK) {
        sn_wind aimed = *wind; // without its waves
        aimed.def.position = position;
        aimed.def.direction = direction;
        aimed.def.speed = speed;
        status = lay_axes(&aimed, "wind", error);
        if (status == SN_OK) {
            memcpy(wind, &aimed, sizeof aimed);
        }
    }
    return status;
}

sn_wind_def sn_wind_def_of(const sn_wind *wind)
{
    return wind->def;
}

// Three widths of the far jet, r = 3 x / (6 sqrt 2), beyond which less than e^-9 of it blows.
#define JET_SLOPE 0.35355339059327373

sn_wind_source sn_wind_source_of(const sn_wind *wind)
{
    const sn_wind_def *def = &wind->def;
    sn_wind_source source = {.vertex = def->position};
    if (def->kind == SN_WIND_UNIFORM || def->kind == SN_WIND_NATURAL) {
        return source;
    }
    bool cone = def->kind == SN_WIND_CONE;
    source.is_cone = true;
    source.slope = cone ? def->radius / def->length : JET_SLOPE;
    source.length = cone ? def->length : def->radius / JET_SLOPE;
    source.vertex = sn_vec3_add_scaled(def->position, -source.length, wind->along);
    return source;
}

// ---- velocity ----

// v1 = v0 (l0 / l1)^2 away from the vertex at the distance l1 from it, inside the cone
// and beyond the disc.
static sn_vec3 cone_velocity(const sn_wind *wind, sn_vec3 point)
{
    const sn_wind_def *def = &wind->def;
    sn_vec3 reach = sn_vec3_add_scaled(sn_vec3_sub(point, def->position), def->length, wind->along);
    double depth = sn_dot(reach, wind->along), distance2 = sn_dot(reach, reach);
    double l0 = def->length, r0 = def->radius;
    if (depth < l0 || depth * depth * (l0 * l0 + r0 * r0) < distance2 * l0 * l0) {
        return SN_VEC3_ZERO;
    }
    return sn_vec3_scale(def->speed * l0 * l0 / (distance2 * sqrt(distance2)), reach);
}

static sn_vec3 jet_velocity(const sn_wind *wind, sn_vec3 point)
{
    const sn_wind_def *def = &wind->def;
    sn_vec3 reach = sn_vec3_sub(point, def->position);
    double x = sn_dot(reach, wind->along);
    sn_vec3 arm = sn_vec3_add_scaled(reach, -x, wind->along);
    double r = sn_length(arm);
    sn_jet_state jet = sn_jet_at(def->radius, x, r);
    sn_vec3 velocity = sn_vec3_scale(def->speed * jet.along, wind->along);
    if (def->kind == SN_WIND_FAN && r > 0.0) {
        double turning = def->swirl * def->speed * jet.about / r;
        velocity = sn_vec3_add_scaled(velocity, turning, sn_cross(wind->along, arm));
    }
    return velocity;
}

static double mean_speed(const sn_wind_def *def, double z)
{
    if (def->profile == SN_WIND_PROFILE_FLAT) {
        return def->speed;
    }
    if (def->profile == SN_WIND_PROFILE_POWER) {
        return z > 0.0 ? def->speed * sn_pow(z / def->height, def->exponent) : 0.0;
    }
    return z > def->roughness
               ? def->speed * sn_log(z / def->roughness) / sn_log(def->height / def->roughness)
               : 0.0;
}

// Mean and gusts. Eddies are carried along unchanged at the speed of the mean (G. I. Taylor, Proc.
// R. Soc. A 164, 1938).
static sn_vec3 natural_velocity(const sn_wind *wind, sn_vec3 point, double time)
{
    const sn_wind_def *def = &wind->def;
    sn_vec3 reach = sn_vec3_sub(point, def->position);
    double z = sn_dot(reach, wind->up);
    sn_vec3 own = {sn_dot(reach, wind->along) - wind->carry * time, sn_dot(reach, wind->across), z};
    sn_vec3 gust = sn_gust_velocity(wind->modes, wind->mode_count, own);
    double strength = def->intensity * def->speed;
    sn_vec3 velocity = sn_vec3_scale(mean_speed(def, z) + strength * gust.x, wind->along);
    velocity = sn_vec3_add_scaled(velocity, strength * gust.y, wind->across);
    return sn_vec3_add_scaled(velocity, strength * gust.z, wind->up);
}

double sn_wind_strength(const sn_wind *wind, double time)
{
    if (wind->def.strength == NULL) {
        return 1.0;
    }
    double share = sn_motion_at(wind->def.strength, time).value;
    return share > 0.0 ? share : 0.0;
}

sn_vec3 sn_wind_velocity(const sn_wind *wind, sn_vec3 point, double time)
{
    return sn_vec3_scale(sn_wind_strength(wind, time), sn_wind_full_velocity(wind, point, time));
}

sn_vec3 sn_wind_full_velocity(const sn_wind *wind, sn_vec3 point, double time)
{
    switch (wind->def.kind) {
    case SN_WIND_CONE:
        return cone_velocity(wind, point);
    case SN_WIND_JET:
    case SN_WIND_FAN:
        return jet_velocity(wind, point);
    case SN_WIND_NATURAL:
        return natural_velocity(wind, point, time);
    default:
        return sn_vec3_scale(wind->def.speed, wind->along);
    }
}
