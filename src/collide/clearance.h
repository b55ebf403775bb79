// Clearances of the thesis (Liesenfeld, "Animação dinâmica de corpos elásticos", UNICAMP 1997,
// 7.1.5 and 7.2): functions of where a vertex and a face or two edges are, whose signs say whether
// they may be so. Over a step each is the cubic that has its values and derivatives at both ends.
//
//     sn_clearance_state a = {x_a, v_a}, b = {x_b, v_b}; // six points and velocities at most
//     double u;
//     if (sn_clearance_event(SN_VERTEX_FACE, &a, &b, h, &u)) { ... u h after the start ... }
//
// A vertex meets a face from outside when it comes through its plane within its prism. Two edges
// meet when the volume of their four ends vanishes while each crosses the plane of the other and
// its body; the two bodies must lie on opposite sides, and the volume must lose the sign that goes
// with that. The cubics are those of the clearances and not of the motion: what they say is off by
// the fourth power of the step.
//
// Against simplex_pair.h it has the thesis' motion (positions and velocities at both ends), knows
// inside from outside, and gives a time that is neither early nor late; but it may miss what grazes
// or is degenerate.
#ifndef SN_COLLIDE_CLEARANCE_H
#define SN_COLLIDE_CLEARANCE_H

#include "collide/simplex_pair.h"

enum { SN_CLEARANCE_POINTS = 6, SN_CLEARANCES = 5 };

// Bernstein coefficients over 0 .. 1.
typedef struct sn_cubic {
    double b[4];
} sn_cubic;

// Values g and derivatives d at both ends of a step h.
SN_API sn_cubic sn_cubic_hermite(double g_a, double d_a, double g_b, double d_b, double h);
SN_API double sn_cubic_at(const sn_cubic *cubic, double u);

// All places where it changes sign, ascending; at most three. By halving, until the rest is as
// straight as `flat` times its largest coefficient: 7.1.5.
SN_API int sn_cubic_roots(const sn_cubic *cubic, double flat, double roots[3]);

// Points and their velocities. A vertex and a face: vertex, then corners in outward order. Two
// edges: their four ends, then a point of the body of each, to tell its inner side.
typedef struct sn_clearance_state {
    sn_vec3 x[SN_CLEARANCE_POINTS], v[SN_CLEARANCE_POINTS];
} sn_clearance_state;

// The clearances G1, G2, ... and their time derivatives; how many there are (4 or 5).
SN_API int sn_clearances(sn_pair_kind kind, const sn_clearance_state *state,
                         double values[SN_CLEARANCES], double rates[SN_CLEARANCES]);

// The first meeting within a step h between two states: its share of the step.
SN_API bool sn_clearance_event(sn_pair_kind kind, const sn_clearance_state *a,
                               const sn_clearance_state *b, double h, double *u);

// Where on them a meeting is, by weights: appendix to 7.4. Of faces without area the first corner.
SN_API void sn_clearance_weights(sn_pair_kind kind, const sn_vec3 x[4], double weights[4]);

#endif
