// Gusts: a turbulent velocity that is random in space, the same for the same seed, and free of
// divergence.
//
// It is a sum of N waves sqrt(6 / N) e cos(k . x + phase) with unit vectors e at right angles to
// their wave vectors k (R. H. Kraichnan, Phys. Fluids 13, 1970): each is the curl of (k x e)/k^2
// sin(...), up to its sign. Directions of k are spread evenly, and the lengths share out the energy
// E(k) equally, so that every component has the variance 1 and the wanted spectrum along a line.
#ifndef SN_FIELD_GUST_H
#define SN_FIELD_GUST_H

#include "sinew/wind.h"

typedef struct sn_gust_mode {
    sn_vec3 wave;  // k, rad/m
    sn_vec3 swing; // sqrt(6 / N) e
    double phase;
} sn_gust_mode;

SN_API void sn_gust_fill(sn_wind_spectrum spectrum, double scale, uint64_t seed,
                         sn_gust_mode *modes, int count);
SN_API sn_vec3 sn_gust_velocity(const sn_gust_mode *modes, int count, sn_vec3 point);

#endif
