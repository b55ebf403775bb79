// The free turbulent jet out of a round mouth, as a function of the distance from the mouth and
// from the axis.
#ifndef SN_FIELD_JET_H
#define SN_FIELD_JET_H

#include "sinew/base.h"

#define SN_JET_CORE 12.0                   // length of the core in radii of the mouth: 6 d
#define SN_JET_Q    0.62665706865775012560 // sqrt(pi / 8)

typedef struct sn_jet_state {
    double along; // speed along the axis, as a share of that in the mouth
    double about; // speed about the axis, as a share of that of a rim that turns with the mouth
} sn_jet_state;

// On the axis the speed is that in the mouth up to 6 diameters d, and 6 d / x of it beyond. Across,
// it is even in a core of radius c = R (1 - x / 6 d), and beyond the core exp(-(r - c)^2 / b^2),
// with b such that every cross section carries the same momentum. The turning speed is that
// profile times r g, with g such that every cross section carries the same angular momentum.
// Nothing moves before the mouth, x < 0.
SN_API sn_jet_state sn_jet_at(double radius, double x, double r);

// The cross section at x >= 0.
typedef struct sn_jet_profile {
    double axis;  // speed on the axis, as a share of that in the mouth
    double core;  // radius c of the core
    double width; // b
} sn_jet_profile;

SN_API sn_jet_profile sn_jet_profile_at(double radius, double x);

#endif
