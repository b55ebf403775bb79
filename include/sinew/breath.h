// Sinew breath: a breath heard by a microphone, as the speed of a wind.
//
//     float samples[480] = {0};                                     // 10 ms, from -1 to 1
//     sn_breath breath;
//     sn_breath_start(&breath, sn_default_breath_def(), 48000.0, &error);
//     sn_breath_feed(&breath, samples, 480);                        // as they come
//     sn_field mouth = sn_world_find_breath(world);
//     sn_wind_def wind = sn_wind_def_of(sn_world_wind(world, mouth));
//     wind.speed = 10.0 * sn_breath_speed(&breath);                 // full blow: 10 m/s
//     sn_world_set_wind(world, mouth, &wind, &error);
//
// The noise of wind on a microphone lies below some hundred hertz, and its level grows as the speed
// squared: speed = c sqrt(level - floor), with the level the effective value of the band from 20 to
// 200 Hz. A voice has as much above that band as in it, and is not taken for wind. The speed rises
// and falls with two time constants.
//
// What it does not do: sound whose low tones were removed, as by the noise suppression of a
// telephone, carries no wind any more. Anything that is no number is taken for silence, and
// counted.
//
// Same samples, same bits, however they are divided: live, or from a recording (sn_breath_course,
// and sinew/wave.h for files). Units: s, m/s; samples are numbers from -1 to 1, 2 to 1000 thousand
// a second.
#ifndef SINEW_BREATH_H
#define SINEW_BREATH_H

#include "sinew/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_breath_def {
    double full_speed;      // m/s, of a full blow
    double full_level;      // effective value of the band at a full blow
    double floor;           // and in silence
    double attack, release; // s
    double voice_ratio;     // level of the band / level above it: below this, no wind at all;
    double wind_ratio;      // above this, nothing but wind
} sn_breath_def;

// 1 m/s at a level of 0.2, silence at 0.002, 50 ms and 300 ms, ratios of 1 and 2.
SN_API sn_breath_def sn_default_breath_def(void);

// Two poles and two zeros, in transposed direct form II.
typedef struct sn_biquad {
    double b0, b1, b2, a1, a2, z1, z2;
} sn_biquad;

enum {
    SN_BREATH_TICKS = 200, // per second of sound: how often the speed is noted
    SN_BREATH_NOTED = 256, // notes that are kept
};

typedef struct sn_breath {
    sn_breath_def def;
    double rate; // 1/s
    double mean_share, attack_share, release_share;
    sn_biquad low[3], high[2];  // 20 to 200 Hz; 300 Hz and up
    double low_mean, high_mean; // of the squares
    double speed;
    uint64_t heard, clipped, broken; // samples; at the limits of the range; no numbers
    uint64_t ticks;                  // noted so far: the first at the start
    double noted[SN_BREATH_NOTED];   // speeds at tick k in k % SN_BREATH_NOTED
} sn_breath;

SN_API sn_status sn_breath_start(sn_breath *breath, sn_breath_def def, double rate,
                                 sn_error *error);
SN_API void sn_breath_feed(sn_breath *breath, const float *samples, size_t count);
SN_API double sn_breath_speed(const sn_breath *breath); // m/s, now

// The speed at a time, in seconds of sound since the start: straight between notes. Before those
// that are kept (1.28 s) it is the oldest one's, after the last that one's.
SN_API double sn_breath_speed_at(const sn_breath *breath, double time);
SN_API double sn_breath_level(const sn_breath *breath); // of the band, now

// Calibration: the floor from half a second of silence or more, then the full level from a blow.
// Both start to listen anew afterwards. Refused, with nothing changed, where samples are no numbers
// or clipped, where the silence is too short, and where the blow is not clearly above it.
SN_API sn_status sn_breath_hear_silence(sn_breath *breath, const float *samples, size_t count,
                                        sn_error *error);
SN_API sn_status sn_breath_hear_blow(sn_breath *breath, const float *samples, size_t count,
                                     sn_error *error);

// What a recording makes of a whole course, for a wind's strength: a linear motion through the
// notes, which falls to 0 within two seconds after the end. With full_speed 1 its values are
// shares. `heard` (may be NULL) is left as it was at the end of the recording. Refuses a recording
// without samples.
SN_API sn_status sn_breath_course(sn_breath_def def, double rate, const float *samples,
                                  size_t count, sn_motion **course, sn_breath *heard,
                                  sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
