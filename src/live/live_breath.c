// A client's breath: from the microphone or from a key held down to a wind at the place it is aimed
// at.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "field/jet.h"
#include "live/live.h"
#include "math/elementary.h"

#define RATE_MINIMUM 8000.0
#define RATE_MAXIMUM 192000.0
#define SILENCE_TIME 2.0  // s that a calibration hears
#define FULL_TIME    1.0  // s
#define ATTACK       0.05 // s, time constants of a breath by hand, as those of the microphone
#define RELEASE      0.3
#define SAMPLES_GONE 0.5 // s without samples: nobody is there any more

void sn_live_breath_start(sn_live_breath *breath)
{
    *breath = (sn_live_breath){.kind = SN_WIND_JET, .spread = 0.15, .full_speed = 2.0};
}

void sn_live_breath_free(sn_live_breath *breath)
{
    sn_array_free(&breath->taken);
}

void sn_live_breath_advance(sn_live_breath *breath, double seconds)
{
    double time = breath->strength > breath->blown ? ATTACK : RELEASE;
    breath->blown += (breath->strength - breath->blown) * (1.0 - sn_exp(-seconds / time));
    if (breath->strength == 0.0 && breath->blown < 1e-3) {
        breath->blown = 0.0;
    }
    breath->silent_for += seconds;
}

double sn_live_breath_speed(const sn_live_breath *breath)
{
    double heard = 0.0;
    if (breath->microphone == SN_MICROPHONE_ON && breath->silent_for < SAMPLES_GONE) {
        heard = sn_breath_speed(&breath->heard);
    }
    return fmax(heard, breath->blown * breath->full_speed);
}

bool sn_live_breath_is_heard(const sn_live_breath *breath)
{
    return breath->microphone != SN_MICROPHONE_OFF && breath->silent_for < SAMPLES_GONE;
}

// ---- aiming ----

// The speed is meant at the place aimed at. A cone's falls with the square of the distance: its
// disc stands half way, with four times the speed. A jet's falls with the distance after its core
// of six diameters, which ends half way, with twice the speed.
static bool aim(sn_vec3 from, sn_vec3 towards, const sn_live_breath *breath, sn_live_input *input)
{
    sn_vec3 way = sn_vec3_sub(towards, from);
    double distance = sn_length(way), speed = sn_live_breath_speed(breath);
    if (!(distance > 0.0)) {
        return false;
    }
    input->kind = (uint32_t)breath->kind;
    input->direction = sn_vec3_scale(1.0 / distance, way);
    if (breath->kind == SN_WIND_CONE) {
        input->position = sn_vec3_add(from, sn_vec3_scale(0.5, way));
        input->length = 0.5 * distance;
        input->radius = input->length * sn_tan(breath->spread);
        input->speed = 4.0 * speed;
    } else {
        input->position = from;
        input->length = 0.0;
        input->radius = distance / 24.0;
        input->speed = 2.0 * speed;
    }
    return true;
}

static sn_vec3 middle(const sn_live *live)
{
    return sn_vec3_scale(0.5, sn_vec3_add(live->lower, live->upper));
}

// Out of the mouth that the scene has for a breath, beside what it does by itself: as fast as it
// takes to be meant where the mouth's axis passes the middle of what moves.
static void blow_from_mouth(const sn_live *live, const sn_wind_def *mouth, double speed,
                            sn_live_input *input)
{
    sn_vec3 along = sn_vec3_scale(1.0 / sn_length(mouth->direction), mouth->direction);
    double depth = fmax(sn_dot(sn_vec3_sub(middle(live), mouth->position), along), 0.0);
    double gain = 1.0;
    if (mouth->kind == SN_WIND_CONE) {
        gain = (mouth->length + depth) / mouth->length;
        gain *= gain;
    } else if (mouth->kind == SN_WIND_JET) {
        gain = fmax(depth / (SN_JET_CORE * mouth->radius), 1.0);
    }
    input->kind = (uint32_t)mouth->kind;
    input->position = mouth->position;
    input->direction = along;
    input->radius = mouth->radius;
    input->length = mouth->length;
    input->speed = gain * speed;
}

// What bodies shelter each other from the scene's breath, they do from this one as well.
static void shelter(const sn_wind_def *mouth, sn_live_input *input)
{
    input->occlusion = (uint32_t)mouth->occlusion;
    input->occlusion_pixels = (uint32_t)mouth->occlusion_pixels;
    input->occlusion_period = mouth->occlusion_period;
}

bool sn_live_breath_input(const sn_live *live, const sn_live_breath *breath, sn_live_input *input)
{
    sn_field field = sn_world_find_breath(live->world);
    const sn_wind *wind = field.index != 0 ? sn_world_wind(live->world, field) : NULL;
    sn_wind_def mouth = wind != NULL ? sn_wind_def_of(wind) : sn_default_wind_def();
    shelter(&mouth, input);
    if (breath->aimed) {
        return aim(breath->from, breath->towards, breath, input);
    }
    if (wind != NULL && (mouth.kind == SN_WIND_CONE || mouth.kind == SN_WIND_JET ||
                         mouth.kind == SN_WIND_UNIFORM)) {
        blow_from_mouth(live, &mouth, sn_live_breath_speed(breath), input);
        return true;
    }
    sn_camera camera = sn_scene_camera(live->scene);
    double size = sn_distance(live->lower, live->upper);
    sn_vec3 before = sn_vec3_sub(middle(live), sn_vec3_make(0.0, size, 0.0));
    return aim(camera.given ? camera.position : before, camera.given ? camera.target : middle(live),
               breath, input);
}

// ---- the microphone ----

const char *sn_microphone_word(sn_microphone_state state)
{
    static const char *const words[] = {"off", "on", "calibrating", "full"};
    return words[state];
}

sn_status sn_live_microphone(sn_live_breath *breath, sn_microphone_state state, double rate,
                             sn_error *error)
{
    bool was_on = breath->microphone != SN_MICROPHONE_OFF;
    if (state == SN_MICROPHONE_ON && !was_on) {
        if (!(rate >= RATE_MINIMUM) || !(rate <= RATE_MAXIMUM)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, "microphone",
                           "\"rate\" is %g Hz, expected %g to %g", rate, RATE_MINIMUM,
                           RATE_MAXIMUM);
        }
        sn_breath_def def = sn_default_breath_def();
        def.full_speed = breath->full_speed;
        sn_status status = sn_breath_start(&breath->heard, def, rate, error);
        if (status != SN_OK) {
            return status;
        }
        breath->calibrated = false;
    }
    if (state > SN_MICROPHONE_ON && !was_on) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "microphone",
                       "it is off; switch it on before it can be calibrated");
    }
    double seconds = state == SN_MICROPHONE_SILENCE ? SILENCE_TIME : FULL_TIME;
    sn_array_clear(&breath->taken);
    if (state > SN_MICROPHONE_ON &&
        !sn_array_reserve(&breath->taken, (int)(seconds * breath->heard.rate))) {
        return sn_fail_memory(error, sizeof(float));
    }
    breath->microphone = state;
    return SN_OK;
}

// Takes samples until there are enough, then has the breath hear them together.
static sn_status calibrate(sn_live_breath *breath, const float *samples, size_t count,
                           sn_error *error)
{
    bool silence = breath->microphone == SN_MICROPHONE_SILENCE;
    int wanted = (int)((silence ? SILENCE_TIME : FULL_TIME) * breath->heard.rate);
    for (size_t i = 0; i < count && breath->taken.count < wanted; ++i) {
        breath->taken.data[breath->taken.count++] = samples[i];
    }
    if (breath->taken.count < wanted) {
        return SN_OK;
    }
    sn_status status =
        silence ? sn_breath_hear_silence(&breath->heard, breath->taken.data, (size_t)wanted, error)
                : sn_breath_hear_blow(&breath->heard, breath->taken.data, (size_t)wanted, error);
    sn_array_clear(&breath->taken);
    breath->microphone = SN_MICROPHONE_ON;
    breath->calibrated = breath->calibrated || (silence && status == SN_OK);
    return status;
}

sn_status sn_live_hear(sn_live_breath *breath, double rate, const float *samples, size_t count,
                       sn_error *error)
{
    if (breath->microphone == SN_MICROPHONE_OFF) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "microphone",
                       "samples came while the microphone is off");
    }
    if (rate != breath->heard.rate) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "microphone",
                       "samples at %g Hz came, expected %g as it was switched on with", rate,
                       breath->heard.rate);
    }
    breath->silent_for = 0.0;
    if (breath->microphone != SN_MICROPHONE_ON) {
        return calibrate(breath, samples, count, error);
    }
    sn_breath_feed(&breath->heard, samples, count);
    return SN_OK;
}
