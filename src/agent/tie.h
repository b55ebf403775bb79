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
#ifndef SN_AGENT_TIE_H
#define SN_AGENT_TIE_H

#include "agent/tree.h"
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

#endif
