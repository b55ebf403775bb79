#include "sinew/breath.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/elementary.h"
#include "sinew/math.h"

#define BAND_LOW     20.0 // Hz
#define BAND_HIGH    200.0
#define VOICE_LOW    300.0
#define MEAN_TIME    0.02 // s, of the mean squares
#define CLIPPED      0.9995
#define CLIPPED_MOST 0.01 // share of samples that a calibration may have clipped

sn_breath_def sn_default_breath_def(void)
{
    return (sn_breath_def){.full_speed = 1.0,
                           .full_level = 0.2,
                           .floor = 0.002,
                           .attack = 0.05,
                           .release = 0.3,
                           .voice_ratio = 1.0,
                           .wind_ratio = 2.0};
}

// ---- filters ----

// Butterworth filters of second order by the bilinear transform, k = tan(pi f / rate):
// 1 / (s^2 + sqrt(2) s + 1) and s^2 / (s^2 + sqrt(2) s + 1).
static sn_biquad make_filter(double frequency, double rate, bool low_pass)
{
    double k = sn_tan(SN_PI * frequency / rate), k2 = k * k;
    double scale = 1.0 / (1.0 + sqrt(2.0) * k + k2);
    double b = low_pass ? k2 * scale : scale;
    return (sn_biquad){.b0 = b,
                       .b1 = low_pass ? 2.0 * b : -2.0 * b,
                       .b2 = b,
                       .a1 = 2.0 * (k2 - 1.0) * scale,
                       .a2 = (1.0 - sqrt(2.0) * k + k2) * scale};
}

static double filter(sn_biquad *f, double x)
{
    double y = f->b0 * x + f->z1;
    f->z1 = f->b1 * x - f->a1 * y + f->z2;
    f->z2 = f->b2 * x - f->a2 * y;
    return y;
}

// The share of the way that a first-order lag goes in one sample.
static double lag_share(double time, double rate)
{
    return -sn_expm1(-1.0 / (time * rate));
}

static void listen_anew(sn_breath *breath)
{
    double rate = breath->rate;
    breath->low[0] = make_filter(BAND_LOW, rate, false);
    breath->low[1] = breath->low[2] = make_filter(BAND_HIGH, rate, true);
    breath->high[0] = breath->high[1] = make_filter(VOICE_LOW, rate, false);
    breath->low_mean = breath->high_mean = breath->speed = 0.0;
    breath->heard = breath->clipped = breath->broken = 0;
    breath->noted[0] = 0.0;
    breath->ticks = 1;
}

// ---- listening ----

static sn_status check(const sn_breath_def *def, double rate, sn_error *error)
{
    if (!(rate >= 2000.0 && rate <= 1e6)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "breath",
                       "the rate is %g samples per second, expected 2000 to 1000000", rate);
    }
    if (!(def->attack > 0.0) || !(def->release > 0.0) || !isfinite(def->attack) ||
        !isfinite(def->release)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "breath",
                       "attack is %g s and release %g s, expected more than 0", def->attack,
                       def->release);
    }
    if (!(def->floor >= 0.0) || !(def->full_level > def->floor) || !isfinite(def->full_level)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "breath",
                       "silence has the level %g and a full blow %g, expected 0 or more and more "
                       "than that",
                       def->floor, def->full_level);
    }
    if (!(def->full_speed >= 0.0) || !isfinite(def->full_speed) || !(def->voice_ratio >= 0.0) ||
        !(def->wind_ratio > def->voice_ratio) || !isfinite(def->wind_ratio)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "breath",
                       "the full speed is %g m/s and the ratios %g and %g, expected 0 or more, and "
                       "rising ratios",
                       def->full_speed, def->voice_ratio, def->wind_ratio);
    }
    return SN_OK;
}

sn_status sn_breath_start(sn_breath *breath, sn_breath_def def, double rate, sn_error *error)
{
    sn_status status = check(&def, rate, error);
    if (status == SN_OK) {
        *breath = (sn_breath){.def = def,
                              .rate = rate,
                              .mean_share = lag_share(MEAN_TIME, rate),
                              .attack_share = lag_share(def.attack, rate),
                              .release_share = lag_share(def.release, rate)};
        listen_anew(breath);
    }
    return status;
}

// The speed that the sound of this moment stands for.
static double target_speed(const sn_breath *breath)
{
    const sn_breath_def *def = &breath->def;
    double low = sqrt(breath->low_mean), high = sqrt(breath->high_mean);
    if (!(low > def->floor)) {
        return 0.0;
    }
    double share = (low - def->voice_ratio * high) / ((def->wind_ratio - def->voice_ratio) * high);
    share = !(share < 1.0) ? 1.0 : share > 0.0 ? share : 0.0;
    return share * def->full_speed * sqrt((low - def->floor) / (def->full_level - def->floor));
}

static void hear(sn_breath *breath, double x)
{
    breath->heard += 1;
    if (!isfinite(x)) {
        breath->broken += 1;
        x = 0.0;
    }
    if (fabs(x) >= CLIPPED) {
        breath->clipped += 1;
        x = x > 0.0 ? 1.0 : -1.0;
    }
    double low = x, high = x;
    for (int i = 0; i < 3; ++i) {
        low = filter(&breath->low[i], low);
    }
    for (int i = 0; i < 2; ++i) {
        high = filter(&breath->high[i], high);
    }
    breath->low_mean += breath->mean_share * (low * low - breath->low_mean);
    breath->high_mean += breath->mean_share * (high * high - breath->high_mean);
}

void sn_breath_feed(sn_breath *breath, const float *samples, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        hear(breath, (double)samples[i]);
        double target = target_speed(breath);
        double share = target > breath->speed ? breath->attack_share : breath->release_share;
        breath->speed += share * (target - breath->speed);
        if ((double)breath->heard * SN_BREATH_TICKS >= (double)breath->ticks * breath->rate) {
            breath->noted[breath->ticks % SN_BREATH_NOTED] = breath->speed;
            breath->ticks += 1;
        }
    }
}

double sn_breath_speed(const sn_breath *breath)
{
    return breath->speed;
}

double sn_breath_speed_at(const sn_breath *breath, double time)
{
    double last = (double)(breath->ticks - 1);
    double first = fmax(last - (SN_BREATH_NOTED - 1), 0.0);
    double place = fmin(fmax(time * SN_BREATH_TICKS, first), last); // NaN: the first
    // The time of a tick is that tick, whatever became of it in rounding.
    double nearest = floor(place + 0.5);
    place = fabs(place - nearest) < 1e-6 ? nearest : place;
    double whole = floor(place);
    uint64_t at = (uint64_t)whole;
    double from = breath->noted[at % SN_BREATH_NOTED];
    double to = whole < last ? breath->noted[(at + 1) % SN_BREATH_NOTED] : from;
    return from + (place - whole) * (to - from);
}

double sn_breath_level(const sn_breath *breath)
{
    return sqrt(breath->low_mean);
}

// ---- a whole recording ----

#define FALL 2.0 // s, of silence after the end of a recording

typedef struct course_points {
    double *times, *values; // room for all
    int count;
} course_points;

// Points in the midst of what stays the same say nothing.
static void put_point(course_points *points, double time, double value)
{
    int n = points->count;
    if (n >= 2 && points->values[n - 1] == value && points->values[n - 2] == value) {
        n -= 1;
    }
    points->times[n] = time;
    points->values[n] = value;
    points->count = n + 1;
}

// All notes that were made since the last call.
static void put_notes(course_points *points, const sn_breath *breath, uint64_t *next)
{
    for (; *next < breath->ticks; *next += 1) {
        put_point(points, (double)*next / SN_BREATH_TICKS, breath->noted[*next % SN_BREATH_NOTED]);
    }
}

static void hear_all(sn_breath *breath, const float *samples, size_t count, course_points *points,
                     uint64_t *next)
{
    enum { PART = 1000 };
    for (size_t at = 0; at < count; at += PART) {
        sn_breath_feed(breath, samples + at, count - at < PART ? count - at : PART);
        put_notes(points, breath, next);
    }
}

sn_status sn_breath_course(sn_breath_def def, double rate, const float *samples, size_t count,
                           sn_motion **course, sn_breath *heard, sn_error *error)
{
    *course = NULL;
    sn_breath breath;
    sn_status status = sn_breath_start(&breath, def, rate, error);
    if (status == SN_OK && count == 0) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, "breath", "there are no samples in it");
    }
    double seconds = (double)count / rate + FALL;
    if (status == SN_OK && !(seconds * SN_BREATH_TICKS < 1e8)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, "breath",
                         "the recording has %g s, expected less than five days", seconds);
    }
    if (status != SN_OK) {
        return status;
    }
    size_t room = (size_t)(seconds * SN_BREATH_TICKS) + 8;
    course_points points = {.times = sn_allocate(2 * room * sizeof(double))};
    if (points.times == NULL) {
        return sn_fail_memory(error, 2 * room * sizeof(double));
    }
    points.values = points.times + room;
    uint64_t next = 0;
    hear_all(&breath, samples, count, &points, &next);
    if (heard != NULL) {
        *heard = breath;
    }
    const float silence[1000] = {0};
    for (double left = FALL * rate; left >= 1.0; left -= 1000.0) {
        hear_all(&breath, silence, left < 1000.0 ? (size_t)left : 1000, &points, &next);
    }
    put_point(&points, (double)next / SN_BREATH_TICKS, 0.0);
    sn_motion_def motion = sn_default_motion_def();
    motion.type = SN_MOTION_LINEAR;
    motion.times = points.times;
    motion.values = points.values;
    motion.count = points.count;
    status = sn_motion_create(&motion, course, error);
    sn_free(points.times);
    return status;
}

// ---- calibration ----

// Hears all of it with a copy; `*mean` is the effective value of the band after the filters have
// settled, `*most` the highest level.
static sn_status measure(const sn_breath *breath, const float *samples, size_t count,
                         const char *what, double *mean, double *most, sn_error *error)
{
    sn_breath ear = *breath;
    listen_anew(&ear);
    size_t settled = (size_t)(0.1 * ear.rate), needed = (size_t)(0.5 * ear.rate);
    if (count < needed) {
        return sn_fail(error, SN_ERROR_ARGUMENT, what,
                       "the recording has %.3g s, expected 0.5 s or more",
                       (double)count / ear.rate);
    }
    double sum = 0.0;
    *most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        hear(&ear, (double)samples[i]);
        if (i >= settled) {
            sum += ear.low_mean;
            *most = fmax(*most, sqrt(ear.low_mean));
        }
    }
    if (ear.broken > 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, what,
                       "%llu samples of the recording are no numbers",
                       (unsigned long long)ear.broken);
    }
    if ((double)ear.clipped > CLIPPED_MOST * (double)count) {
        return sn_fail(error, SN_ERROR_ARGUMENT, what,
                       "%.0f %% of the recording is clipped; turn the microphone down",
                       100.0 * (double)ear.clipped / (double)count);
    }
    *mean = sqrt(sum / (double)(count - settled));
    return SN_OK;
}

sn_status sn_breath_hear_silence(sn_breath *breath, const float *samples, size_t count,
                                 sn_error *error)
{
    double mean, most;
    sn_status status = measure(breath, samples, count, "silence", &mean, &most, error);
    if (status == SN_OK) {
        // The highest level, so that nothing moves in a room like this one.
        breath->def.floor = most;
        breath->def.full_level = fmax(breath->def.full_level, 2.0 * most + 1e-9);
        listen_anew(breath);
    }
    return status;
}

sn_status sn_breath_hear_blow(sn_breath *breath, const float *samples, size_t count,
                              sn_error *error)
{
    double mean, most;
    sn_status status = measure(breath, samples, count, "blow", &mean, &most, error);
    if (status == SN_OK && !(most > 2.0 * breath->def.floor)) {
        status = sn_fail(error, SN_ERROR_ARGUMENT, "blow",
                         "the blow reaches the level %.3g, expected more than twice the %.3g of "
                         "silence; blow at the microphone, and turn noise suppression off",
                         most, breath->def.floor);
    }
    if (status == SN_OK) {
        breath->def.full_level = fmax(mean, 1.5 * breath->def.floor);
        listen_anew(breath);
    }
    return status;
}
