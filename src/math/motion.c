// Motions by points. A motion that repeats is a row of rounds; point i of round k is at
// edge(k, i) = times[i] + k * period, and everything that asks where a time lies compares with that
// one expression, so that sn_motion_at at a jump that sn_motion_next_jump gave is already beyond
// it.
#include "sinew/motion.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/spline.h"

struct sn_motion {
    atomic_int references;
    sn_motion_def def; // times and values point into `numbers`
    double period;     // s; 0: does not repeat
    SN_ARRAY(double) numbers;
    const double *curvatures; // of splines, at the points
    SN_ARRAY(int) next;       // the first point from each one on where something jumps, or -1
};

sn_motion_def sn_default_motion_def(void)
{
    return (sn_motion_def){.type = SN_MOTION_SPLINE, .start_rate = NAN, .end_rate = NAN};
}

// ---- checks ----

static sn_status check_points(const sn_motion_def *def, sn_error *error)
{
    for (int i = 0; i < def->count; ++i) {
        if (!isfinite(def->times[i]) || !isfinite(def->values[i])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, "motion",
                           "point %d is %g at %g s; finite numbers were expected", i + 1,
                           def->values[i], def->times[i]);
        }
        if (i > 0 && !(def->times[i] > def->times[i - 1])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, "motion",
                           "point %d is at %g s, not after point %d at %g s; times must ascend",
                           i + 1, def->times[i], i, def->times[i - 1]);
        }
    }
    return SN_OK;
}

static sn_status check(const sn_motion_def *def, sn_error *error)
{
    if ((unsigned)def->type >= SN_MOTION_TYPE_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "motion",
                       "type %d; one of sn_motion_type was expected", (int)def->type);
    }
    if (def->count < 1 || def->times == NULL || def->values == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "motion",
                       "%d points; times and values of at least 1 were expected", def->count);
    }
    if (def->type == SN_MOTION_SPLINE && (isinf(def->start_rate) || isinf(def->end_rate))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "motion",
                       "rates %g and %g at the ends; finite numbers were expected, or NaN for "
                       "straight ends",
                       def->start_rate, def->end_rate);
    }
    return check_points(def, error);
}

// ---- pieces ----

// Between points i and i + 1, at x seconds after the first of them.
static sn_motion_state between(const sn_motion *motion, int i, double x)
{
    const double *times = motion->def.times, *values = motion->def.values;
    double y0 = values[i], y1 = values[i + 1];
    double width = times[i + 1] - times[i];
    switch (motion->def.type) {
    case SN_MOTION_SPLINE: {
        const double *m = motion->curvatures;
        sn_spline_value now = sn_spline_between(width, x, y0, y1, m[i], m[i + 1]);
        return (sn_motion_state){now.value, now.first, now.second};
    }
    case SN_MOTION_SMOOTH: {
        // s = 10 b^3 - 15 b^4 + 6 b^5: least integral of squared jerk from rest to rest (Flash and
        // Hogan 1985).
        double b = x / width, a = (width - x) / width;
        double s = b * b * b * (10.0 + b * (6.0 * b - 15.0));
        double slope = (y1 - y0) / width;
        return (sn_motion_state){(1.0 - s) * y0 + s * y1, 30.0 * (a * a) * (b * b) * slope,
                                 60.0 * (a * b) * (a - b) * (slope / width)};
    }
    case SN_MOTION_LINEAR: {
        double b = x / width, a = (width - x) / width;
        return (sn_motion_state){a * y0 + b * y1, (y1 - y0) / width, 0.0};
    }
    default: // SN_MOTION_STEP
        return (sn_motion_state){y0, 0.0, 0.0};
    }
}

static sn_motion_state resting(double value)
{
    return (sn_motion_state){value, 0.0, 0.0};
}

// ---- jumps ----

static bool differ(sn_motion_state a, sn_motion_state b)
{
    return a.value != b.value || a.rate != b.rate || a.acceleration != b.acceleration;
}

static bool is_periodic(const sn_motion_def *def)
{
    return def->type == SN_MOTION_SPLINE && def->repeats && isnan(def->start_rate) &&
           isnan(def->end_rate) && def->values[0] == def->values[def->count - 1];
}

// Does anything jump at point i? Compares what is before with what is after, but for places where
// a spline is smooth by its equations, though not to the last bit. In a motion that repeats, the
// last point is the first one of the next round.
static bool jumps_at(const sn_motion *motion, int i)
{
    const sn_motion_def *def = &motion->def;
    int last = def->count - 1;
    bool inner = i > 0 && i < last;
    if (last == 0 || (def->repeats && i == last) ||
        (def->type == SN_MOTION_SPLINE && (inner || is_periodic(def)))) {
        return false;
    }
    int before = i > 0 ? i - 1 : last - 1; // the piece that ends here
    sn_motion_state left = resting(def->values[0]), right = resting(def->values[last]);
    if (i > 0 || def->repeats) {
        left = between(motion, before, def->times[before + 1] - def->times[before]);
    }
    if (i < last) {
        right = between(motion, i, 0.0);
    }
    return differ(left, right);
}

static void find_jumps(sn_motion *motion)
{
    int next = -1;
    for (int i = motion->def.count - 1; i >= 0; --i) {
        next = jumps_at(motion, i) ? i : next;
        motion->next.data[i] = next;
    }
}

// ---- life ----

static sn_status out_of_memory(const sn_motion_def *def, sn_error *error)
{
    return sn_fail_memory(error, (size_t)def->count * (3 * sizeof(double) + sizeof(int)));
}

static sn_status fill(sn_motion *motion, const sn_motion_def *def, sn_error *error)
{
    int count = def->count;
    size_t n = (size_t)count;
    // Times, values, curvatures, and scratch of twice their size.
    if (count > INT32_MAX / 5 || !sn_array_resize(&motion->numbers, 5 * count) ||
        !sn_array_resize(&motion->next, count)) {
        return out_of_memory(def, error);
    }
    double *times = motion->numbers.data, *values = times + n, *curvatures = values + n;
    memcpy(times, def->times, n * sizeof *times);
    memcpy(values, def->values, n * sizeof *values);
    memset(curvatures, 0, n * sizeof *curvatures);
    motion->def = *def;
    motion->def.times = times;
    motion->def.values = values;
    motion->curvatures = curvatures;
    motion->period = def->repeats ? times[count - 1] - times[0] : 0.0;
    if (def->type == SN_MOTION_SPLINE && count > 1) {
        sn_spline_ends ends = {is_periodic(def), def->start_rate, def->end_rate};
        sn_spline_solve(times, values, count, &ends, curvatures, curvatures + n);
    }
    for (int i = 0; i + 1 < count; ++i) {
        // A quarter is where the acceleration of a smooth piece is near its greatest.
        double width = times[i + 1] - times[i];
        sn_motion_state a = between(motion, i, 0.25 * width), b = between(motion, i, width);
        if (!isfinite(a.value + a.rate + a.acceleration) || !isfinite(b.rate) ||
            !isfinite(motion->period)) {
            return sn_fail(error, SN_ERROR_ARGUMENT, "motion",
                           "from point %d to point %d the motion leaves the range of numbers",
                           i + 1, i + 2);
        }
    }
    find_jumps(motion);
    return SN_OK;
}

sn_status sn_motion_create(const sn_motion_def *def, sn_motion **motion, sn_error *error)
{
    *motion = NULL;
    sn_status status = check(def, error);
    if (status != SN_OK) {
        return status;
    }
    sn_motion *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    atomic_init(&made->references, 1);
    status = fill(made, def, error);
    if (status != SN_OK) {
        sn_motion_release(made);
        return status;
    }
    *motion = made;
    return SN_OK;
}

sn_motion *sn_motion_retain(sn_motion *motion)
{
    if (motion != NULL) {
        atomic_fetch_add_explicit(&motion->references, 1, memory_order_relaxed);
    }
    return motion;
}

void sn_motion_release(sn_motion *motion)
{
    // Release and acquire: what other threads read from the motion happens before it is freed.
    if (motion != NULL &&
        atomic_fetch_sub_explicit(&motion->references, 1, memory_order_acq_rel) == 1) {
        sn_array_free(&motion->numbers);
        sn_array_free(&motion->next);
        sn_free(motion);
    }
}

sn_motion_def sn_motion_points(const sn_motion *motion)
{
    return motion->def;
}

// ---- places in time ----

typedef struct place {
    double round; // a whole number, 0 for what does not repeat
    int point;    // the last one that is not after the time; -1: before the first one
} place;

static double edge(const sn_motion *motion, double round, int point)
{
    return motion->def.times[point] + round * motion->period;
}

static place locate(const sn_motion *motion, double time)
{
    const sn_motion_def *def = &motion->def;
    place found = {0.0, -1};
    if (motion->period > 0.0) {
        found.round = floor((time - def->times[0]) / motion->period);
        if (time < edge(motion, found.round, 0)) {
            found.round -= 1.0;
        } else if (time >= edge(motion, found.round + 1.0, 0)) {
            found.round += 1.0;
        }
    }
    int low = -1, high = motion->period > 0.0 ? def->count - 1 : def->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (edge(motion, found.round, middle) <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    found.point = low;
    return found;
}

// Beyond 2^52 rounds a double no longer tells where in its round a time is.
static bool has_phase(const sn_motion *motion, double time)
{
    return !(motion->period > 0.0) || fabs((time - motion->def.times[0]) / motion->period) < 0x1p52;
}

sn_motion_state sn_motion_at(const sn_motion *motion, double time)
{
    const sn_motion_def *def = &motion->def;
    int last = def->count - 1;
    if (isnan(time)) {
        return (sn_motion_state){NAN, NAN, NAN};
    }
    if (!has_phase(motion, time)) {
        return between(motion, 0, 0.0);
    }
    place at = locate(motion, time);
    if (at.point < 0 || at.point >= last) {
        return resting(def->values[at.point < 0 ? 0 : last]);
    }
    double width = def->times[at.point + 1] - def->times[at.point];
    double x = time - edge(motion, at.round, at.point);
    return between(motion, at.point, x < width ? x : width);
}

double sn_motion_next_jump(const sn_motion *motion, double time)
{
    const int *next = motion->next.data;
    int count = motion->def.count;
    if (isnan(time) || next[0] < 0) {
        return INFINITY;
    }
    if (!has_phase(motion, time)) {
        return nextafter(time, INFINITY);
    }
    place at = locate(motion, time);
    int point = at.point + 1 < count ? next[at.point + 1] : -1;
    if (point >= 0) {
        return edge(motion, at.round, point);
    }
    if (!(motion->period > 0.0)) {
        return INFINITY;
    }
    double jump = edge(motion, at.round + 1.0, next[0]);
    return jump > time ? jump : nextafter(time, INFINITY);
}
