// What modes and impacts ask of a freedom.
#ifndef SN_AGENT_TREE_TIE_MODE_PART_H
#define SN_AGENT_TREE_TIE_MODE_PART_H

#include <math.h>

#include "agent/tree/tie_box.h"
#include "agent/tree/tie_mode.h"
#include "math/rotation.h"

// Position and velocity that a limit looks at: of balls, angle and its rate.
typedef struct sn_tie_reach {
    double at, rate;
    sn_vec3 along; // the row, in link axes
    bool ball;
} sn_tie_reach;

static inline sn_vec3 sn_tie_turn_of(const double *q)
{
    return sn_quat_log(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}));
}

// v may be NULL.
static inline sn_tie_reach sn_tie_reach_of(const sn_tree *tree, int link, int k, const double *q,
                                           const double *v)
{
    const sn_tree_link *at = &tree->links[link];
    if (at->joint != SN_TREE_BALL) {
        return (sn_tie_reach){
            q[at->q + k], v != NULL ? v[at->v + k] : 0.0, {k == 0, k == 1, k == 2}, false};
    }
    sn_vec3 turn = sn_tie_turn_of(q + at->q);
    double angle = sn_length(turn);
    sn_vec3 along = angle > 0.0 ? sn_vec3_scale(1.0 / angle, turn) : SN_VEC3_ZERO;
    return (sn_tie_reach){angle, v != NULL ? sn_dot(along, sn_vec3_at(v + at->v)) : 0.0, along,
                          true};
}

// Turns a ball to an angle about the axis of its turn, which it gives.
static inline sn_vec3 sn_tie_set_angle(double *q, double angle)
{
    sn_vec3 turn = sn_tie_turn_of(q);
    double length = sn_length(turn);
    sn_vec3 along = length > 0.0 ? sn_vec3_scale(1.0 / length, turn) : SN_VEC3_ZERO;
    sn_quat to = sn_quat_exp(sn_vec3_scale(angle, along));
    q[0] = to.w;
    q[1] = to.x;
    q[2] = to.y;
    q[3] = to.z;
    return along;
}

static inline bool sn_tie_is_moved(const sn_freedom_def *freedom)
{
    return freedom->drive.type == SN_DRIVE_MOTION;
}

// Is there friction in a freedom? A ball has that of its first in all.
static inline bool sn_tie_rubs(const sn_tie_work *work, const sn_tree_link *link, int k)
{
    bool ball = link->joint == SN_TREE_BALL;
    return work->freedoms[ball ? link->v : link->v + k].friction > 0.0 &&
           (ball || !sn_tie_is_moved(&work->freedoms[link->v + k]));
}

static inline bool sn_tie_stands(const sn_tree_link *link, int k, const double *v)
{
    const double *own = v + link->v;
    return link->joint == SN_TREE_BALL ? own[0] == 0.0 && own[1] == 0.0 && own[2] == 0.0
                                       : own[k] == 0.0;
}

// Has a velocity drive come to its target?
static inline bool sn_tie_is_at_speed(const sn_drive_def *drive, double time, double velocity)
{
    double target = sn_tie_target(drive, time).value;
    return fabs(velocity - target) <= 1e-9 * (1.0 + fabs(target));
}

// A freedom at a hard limit that does not leave it.
static inline uint8_t sn_tie_rests_on(const sn_limit_def *limit, const sn_tie_reach *reach)
{
    const double near = 1e-12, slow = 1e-10;
    if (limit->upper < INFINITY && reach->at >= limit->upper - near * (1.0 + fabs(limit->upper)) &&
        reach->rate >= -slow) {
        return SN_MODE_UPPER;
    }
    return !reach->ball && limit->lower > -INFINITY &&
                   reach->at <= limit->lower + near * (1.0 + fabs(limit->lower)) &&
                   reach->rate <= slow
               ? SN_MODE_LOWER
               : SN_MODE_FREE;
}

#endif
