// Curves in space that points of bodies are kept on: cubic splines through given points, and the
// surfaces of sinew/joint.h. Both answer for a point what a constraint asks: how far off it is, and
// along which directions that changes.
#ifndef SN_GEOMETRY_CURVE_H
#define SN_GEOMETRY_CURVE_H

#include "math/symmetric.h"
#include "sinew/joint.h"

typedef struct sn_curve sn_curve;

// A spline with continuous second derivatives through the points, by chord length; open ones end
// without curvature and go on straight. Counts references.
SN_API sn_status sn_curve_create(const sn_curve_def *def, const char *place, sn_curve **curve,
                                 sn_error *error);
SN_API sn_curve *sn_curve_retain(sn_curve *curve);
SN_API void sn_curve_release(sn_curve *curve);
SN_API double sn_curve_length(const sn_curve *curve); // m, from the first point to the last

typedef struct sn_curve_point {
    double parameter; // grows with chord length; m
    sn_vec3 position;
    sn_vec3 first, second; // derivatives by the parameter
} sn_curve_point;

SN_API sn_curve_point sn_curve_at(const sn_curve *curve, double parameter);

// The nearest point: of the whole curve when `start` is NaN, else the one that is reached from
// `start` downhill, so that a bead does not jump where the curve comes near itself.
SN_API sn_curve_point sn_curve_nearest(const sn_curve *curve, sn_vec3 point, double start);

// A surface as a function f(x), zero on it, with |gradient| = 1 there: value, gradient and Hessian.
typedef struct sn_surface_point {
    double value; // m
    sn_vec3 gradient;
    sn_sym3 hessian; // 1/m
} sn_surface_point;

SN_API sn_status sn_surface_check(const sn_surface_def *def, const char *place, sn_error *error);
SN_API sn_surface_point sn_surface_at(const sn_surface_def *def, sn_vec3 point);

#endif
