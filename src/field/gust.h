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

// What is near a point, to the second order: the component i of the velocity at the point + d is
// value[i] + slope[i] . d + d . bend[i] d, with the bend by xx, yy, zz, xy + yx, xz + zx, yz + zy.
typedef struct sn_gust_expansion {
    double value[3], slope[3][3], bend[3][6];
} sn_gust_expansion;

// How many of the waves, which come in order of their lengths, change so little within the radius
// of a point that they may be expanded: |k| radius <= 0.4. The third order, which is left out, is
// then 1 % of a wave at most.
SN_API int sn_gust_count_long(const sn_gust_mode *modes, int count, double radius);
SN_API sn_gust_expansion sn_gust_expand(const sn_gust_mode *modes, int count, sn_vec3 point);

#endif
