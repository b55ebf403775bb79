// Sinew motions: a number as a function of time, given by points. Drives of joints follow them.
//
//     double times[] = {0.0, 1.0, 3.0}, values[] = {0.0, 0.5, 0.2};
//     sn_motion_def def = sn_default_motion_def();
//     def.times = times;
//     def.values = values;
//     def.count = 3;
//     sn_motion *motion = NULL;
//     sn_motion_create(&def, &motion, &error);
//     sn_motion_state now = sn_motion_at(motion, 0.4);
//     sn_motion_release(motion);
//
// A motion is immutable and counts its references, so that worlds and their copies share it. Before
// its first point and after its last it holds their values, or it repeats.
//
// What it does not do: motions of several numbers; a path in space is three motions. Units: s, and
// those of whatever follows it.
#ifndef SINEW_MOTION_H
#define SINEW_MOTION_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_motion sn_motion;

#define SN_MOTION_TYPE_LIST(X)                                                                     \
    X(SN_MOTION_SPLINE, "spline", "a cubic spline through the points: acceleration has no jumps")  \
    X(SN_MOTION_SMOOTH, "smooth", "rests at every point, and goes between with least jerk")        \
    X(SN_MOTION_LINEAR, "linear", "straight from point to point: velocity jumps there")            \
    X(SN_MOTION_STEP, "step", "holds each value up to the next point; for set-points only")

#define X(name, word, text) name,
typedef enum sn_motion_type { SN_MOTION_TYPE_LIST(X) SN_MOTION_TYPE_COUNT } sn_motion_type;
#undef X

SN_API int sn_motion_type_find(const char *word); // -1 when there is none
SN_API const char *sn_motion_type_word(sn_motion_type type);

typedef struct sn_motion_def {
    sn_motion_type type;
    const double *times, *values; // count each, copied; times ascend
    int count;                    // 1 and up
    bool repeats;                 // the last time is the first one of the next round, for ever both
                                  // ways; a single point rests
    // Of a spline at its first and its last point. NaN (default): without curvature there, or, when
    // it repeats with equal values at both ends and neither rate is given, smooth across.
    double start_rate, end_rate;
} sn_motion_def;

typedef struct sn_motion_state {
    double value, rate, acceleration;
} sn_motion_state;

SN_API sn_motion_def sn_default_motion_def(void);

// Errors name the point that is wrong, counted from 1.
SN_API sn_status sn_motion_create(const sn_motion_def *def, sn_motion **motion, sn_error *error);
SN_API sn_motion *sn_motion_retain(sn_motion *motion); // NULL gives NULL
SN_API void sn_motion_release(sn_motion *motion);

// Where it jumps, what holds from then on; nextafter(time, -INFINITY) tells what held before. The
// rate of a step motion is zero. A time that is NaN gives NaN.
SN_API sn_motion_state sn_motion_at(const sn_motion *motion, double time);

// The first time after `time` at which value, rate or acceleration jumps: points of linear and step
// motions, ends of splines, the start of a new round; INFINITY: never. Smooth motions rest at their
// points, so only a new round with another value is a jump. sn_motion_at at the time that comes
// back is beyond the jump, to the bit.
SN_API double sn_motion_next_jump(const sn_motion *motion, double time);

// The points as they were given; arrays belong to the motion.
SN_API sn_motion_def sn_motion_points(const sn_motion *motion);

#ifdef __cplusplus
}
#endif

#endif
