// Four points: a vertex and a face, or two edges. Where they are nearest, and when they meet while
// all four move in straight lines.
//
//     sn_vec3 start[4] = {vertex, a, b, c}, end[4] = {...};
//     double time;
//     if (sn_pair_meets(SN_VERTEX_FACE, start, end, nearness, 1.0, &time)) { ... }
//
// Meeting is found by planes and not by the roots of the cubic that all four in one plane make. At
// a time and a later one the lines between the nearest points are normals of planes; the plane
// whose normal goes from the one to the other in a straight line has the points at heights that are
// quadratic in time, so it parts the two until a time that is known in closed form, and there the
// next plane begins. This is conservative: all time that was passed over was parted by a plane,
// with a bound for every rounding, so no meeting is ever missed, whatever is degenerate (parallel
// edges, all in one plane all the time, faces without area); and since the plane turns with the
// points, one or two do for most pairs, and near a meeting each leaves a sixteenth or less. Weighed
// against it: intervals in time and weights (B. Wang et al., "A large-scale benchmark and an
// inclusion-based algorithm for continuous collision detection", ACM TOG 2021), whose boxes are
// many where motions graze and whose nearness is that of a cube; and steps by distance over
// greatest speed (M. Li et al., "Codimensional incremental potential contact", ACM TOG 2021), which
// are small where things slide along each other.
//
// Roundings are shares of the distances among the points, not of their distance from the origin.
#ifndef SN_COLLIDE_SIMPLEX_PAIR_H
#define SN_COLLIDE_SIMPLEX_PAIR_H

#include "sinew/math.h"

typedef enum sn_pair_kind {
    SN_VERTEX_FACE, // points: the vertex, three corners
    SN_EDGE_EDGE    // points: two ends, two ends
} sn_pair_kind;

typedef struct sn_pair_nearest {
    double weights[4]; // on each side they add up to 1
    sn_vec3 apart;     // from the second's nearest point to the first's
    double square;     // of the distance
} sn_pair_nearest;

// Weights of what is not touched are 0, exactly: three of a face's are not if its inside is
// nearest.
SN_API sn_pair_nearest sn_pair_find_nearest(sn_pair_kind kind, const sn_vec3 p[4]);

// The first time from 0 to limit at which they come as near as `nearness`, or a little before,
// never after; 0 if they start nearer.
SN_API bool sn_pair_meets(sn_pair_kind kind, const sn_vec3 start[4], const sn_vec3 end[4],
                          double nearness, double limit, double *time);

#endif
