// The slowest vibrations of an elastic body about a place: K phi = lambda M phi, by subspace
// iteration with a sparse factor of K + shift M (K.-J. Bathe, Finite element procedures, 1996,
// 11.6).
//
//     sn_spectrum_def def = {.mesh = mesh, .solid = solid, .mass = &mass, .fixed = fixed, .x = x,
//                            .count = 10};
//     sn_spectrum spectrum;
//     status = sn_spectrum_find(&def, &spectrum, error);
//     double frequency = sqrt(spectrum.values[0]) / (2.0 * SN_PI);
//     sn_spectrum_free(&spectrum);
//
// Negative values are unstable directions, zeros ways to move without strain. Everything starts
// from the same vectors, so results are the same for any number of threads.
#ifndef SN_ELASTIC_SPECTRUM_H
#define SN_ELASTIC_SPECTRUM_H

#include "elastic/linear.h"

typedef struct sn_spectrum_def {
    const sn_tetrahedra *mesh;
    sn_solid *solid; // its linearisation becomes the law's own at x
    const sn_mass *mass;
    const uint8_t *fixed; // as of sn_linear_finish
    const double *x;
    int count;   // wanted; there may be fewer
    double unit; // 1/s^2: how stiff by how heavy the body is over its own size
    sn_threads *threads;
    const char *place; // for errors
} sn_spectrum_def;

typedef struct sn_spectrum {
    int count;
    double *values;  // count, ascending: lambda, 1/s^2
    double *vectors; // count * SN_SOLID_STRIDE * vertices: phi^T M phi = 1
    int iterations;
} sn_spectrum;

SN_API sn_status sn_spectrum_find(const sn_spectrum_def *def, sn_spectrum *spectrum,
                                  sn_error *error);
SN_API void sn_spectrum_free(sn_spectrum *spectrum);

#endif
