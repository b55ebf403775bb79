// Curves in space that points of bodies are kept on: cubic splines through given points, and the
// surfaces of sinew/joint.h. Both answer for a point what a constraint asks: how far off it is, and
// along which directions that changes.
#ifndef SN_GEOMETRY_CURVE_H
#define SN_GEOMETRY_CURVE_H

#include "math/symmetric.h"
#include "sinew/joint.h"

typedef struct sn_curve sn_curve;

// A spline with continuous second derivatives through the points, its parameter the length of the
// chords from the first point on (|first| is near 1); open ones end without curvature and go on
// straight, closed ones go round and round: their parameter counts on past the first point, in both
// directions. Counts references. Errors count points from 1; points that would make the curve turn
// round on the spot are refused.
SN_API sn_status sn_curve_create(const sn_curve_def *def, const char *place, sn_curve **curve,
                                 sn_error *error);
SN_API sn_curve *sn_curve_retain(sn_curve *curve); // NULL gives NULL
SN_API void sn_curve_release(sn_curve *curve);
SN_API double sn_curve_length(const sn_curve *curve); // m, first point to last, or once round
SN_API double sn_curve_extent(const sn_curve *curve); // the same for the parameter

typedef struct sn_curve_point {
    double parameter; // m
    sn_vec3 position;
    sn_vec3 first, second; // derivatives by the parameter
} sn_curve_point;

SN_API sn_curve_point sn_curve_at(const sn_curve *curve, double parameter);

// The nearest point: of the whole curve when `start` is NaN (its parameter on a closed one is then
// 0 .. extent), else the one that is reached from `start` downhill, so that a bead does not jump
// where the curve comes near itself, and its parameter does not where the curve closes.
SN_API sn_curve_point sn_curve_nearest(const sn_curve *curve, sn_vec3 point, double start);

// A surface as a function f(x), zero on it, with |gradient| = 1 there: value, gradient and Hessian.
// f is the distance, negative inside (below a plane); of an ellipsoid it is that only to first
// order near the surface, and exactly when it is a sphere. Where the gradient has no direction
// (centres, axes, the core of a torus, the tip of a cone) the answer is that of a point 1e-9 of the
// size (of a cone: 1e-9 m) away, so that all numbers are finite: from the axis along x, from
// centres along z, from the core outwards, from the tip downwards.
typedef struct sn_surface_point {
    double value; // m
    sn_vec3 gradient;
    sn_sym3 hessian; // 1/m
} sn_surface_point;

SN_API sn_status sn_surface_check(const sn_surface_def *def, const char *place, sn_error *error);
SN_API sn_surface_point sn_surface_at(const sn_surface_def *def, sn_vec3 point);

#endif
