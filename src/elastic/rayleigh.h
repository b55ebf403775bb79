// Rayleigh's damping: forces -(a M + b K) v, with K as it was linearised last. A mode of angular
// frequency w loses the share a/(2 w) + b w/2 of critical damping.
#ifndef SN_ELASTIC_RAYLEIGH_H
#define SN_ELASTIC_RAYLEIGH_H

#include "elastic/mass.h"
#include "elastic/solid.h"

typedef struct sn_rayleigh {
    double mass_rate;      // a, 1/s
    double stiffness_time; // b, s
} sn_rayleigh;

// The coefficients that give modes of two different frequencies (Hz) these shares of critical
// damping. One may come out negative when the shares differ more than the frequencies.
SN_API sn_rayleigh sn_rayleigh_from_ratios(double first_frequency, double first_ratio,
                                           double second_frequency, double second_ratio);

// Adds the forces to f; vectors have SN_SOLID_STRIDE numbers a vertex.
SN_API void sn_rayleigh_add_forces(const sn_rayleigh *damping, const sn_mass *mass,
                                   const sn_solid *solid, sn_threads *threads, const double *v,
                                   double *f);

#endif
