// Ties: what restricts a tree beyond its joints. Loops are closed by welds between links (a body
// that two joints hold is two links, each with its share of the mass, welded together), so that
// every joint of a mechanism, in a loop or not, has coordinates of its own and is treated alike.
//
// | tie      | rows | holds                                                                |
// |----------|------|----------------------------------------------------------------------|
// | weld     | 6    | frame b on frame a                                                   |
// | rod      | 1    | the distance of the origins of both frames                           |
// | curve    | 2    | the origin of frame b on a curve in frame a                          |
// | surface  | 1    | the origin of frame b on a surface in frame a                        |
// | coupling | 1    | sum of factor * coordinate over its terms, which are not of balls    |
//
// Drives of the type motion are ties as well: one row for each freedom they take over.
//
// A row is a force and a moment on b, at one point, and the opposite on a. It does no work when the
// tie holds, and its power is the rate at which the tie's error grows: J v = d(error)/dt. That is
// exact where the error is zero, and for all but the turns of welds everywhere.
#ifndef SN_AGENT_TREE_TIE_H
#define SN_AGENT_TREE_TIE_H

#include "agent/tree/tree.h"
#include "geometry/curve.h"

typedef enum sn_tie_type {
    SN_TIE_WELD,
    SN_TIE_ROD,
    SN_TIE_CURVE,
    SN_TIE_SURFACE,
    SN_TIE_COUPLING,
} sn_tie_type;

typedef struct sn_tie {
    sn_tie_type type;
    int a, b;            // links; -1: the world
    sn_frame on_a, on_b; // in link axes, from the link's origin
    double length;       // rods, m
    sn_curve *curve;     // shared
    sn_surface_def surface;
    int term, term_count; // couplings: in the mechanism's list of terms
    double sum;           // couplings
} sn_tie;

typedef struct sn_tie_term {
    int link; // of the tree, and which of its own freedoms; not a ball's
    int own;
    double factor;
} sn_tie_term;

// Which of several answers a curve gives: a bead stays on its branch, and its rows keep their
// directions within a step.
typedef struct sn_tie_guide {
    double parameter; // NaN: the nearest point of the whole curve
    int axis;         // of frame a, that the first row is across; -1: not chosen
} sn_tie_guide;

// A tie at a configuration. Welds: moments along the axes of frame a first, then forces.
typedef struct sn_tie_place {
    int rows;
    double error[6];    // m, rad
    sn_spatial row[6];  // moment and force on b at `at_b`, world axes; the opposite on a at `at_a`
    sn_vec3 at_a, at_b; // world; couplings have neither rows nor places
    sn_mat3 axes;       // of frame a, world
    sn_vec3 bend;       // curves: second derivative by the parameter, in frame a
    double pace;        // curves: |first derivative|
    sn_surface_point surface;
} sn_tie_place;

SN_API int sn_tie_row_count(sn_tie_type type);

// The tie for poses of the links (count) and coordinates q. The guide is followed, and completed.
SN_API void sn_tie_locate(const sn_tie *tie, const sn_tie_term *terms, const sn_tree *tree,
                          const sn_tree_pose *pose, const double *q, sn_tie_guide *guide,
                          sn_tie_place *place);

// How a link moves and accelerates, world axes, at its origin. The world's is at rest, and its
// acceleration whatever counts as none.
typedef struct sn_tie_motion {
    sn_vec3 angular, linear, angular_rate, acceleration;
} sn_tie_motion;

// The acceleration of each row's error for motions of both links.
SN_API void sn_tie_acceleration(const sn_tie *tie, const sn_tie_place *place,
                                const sn_tree_pose *pose, const sn_tie_motion *a,
                                const sn_tie_motion *b, double acceleration[6]);

#endif
