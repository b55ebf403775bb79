// The slowest vibrations of a system about a place: K phi = lambda M phi on what constraints leave
// free, by subspace iteration with solutions of (K + shift M) y = M x (K.-J. Bathe, Finite element
// procedures, 1996, 11.6).
//
//     sn_spectrum_def def = {.length = size, .freedoms = freedoms, .count = 10, .context = system,
//                            .mass = mass, .solve = solve};
//     sn_spectrum spectrum;
//     status = sn_spectrum_find(&def, &spectrum, error);
//     double frequency = sqrt(spectrum.values[0] - shift) / (2.0 * SN_PI);
//     sn_spectrum_free(&spectrum);
//
// Everything starts from the same vectors, so results are the same for any number of threads.
#ifndef SN_ELASTIC_SPECTRUM_H
#define SN_ELASTIC_SPECTRUM_H

#include "sinew/base.h"

typedef struct sn_spectrum_def {
    size_t length; // of a vector
    int freedoms;  // of the system
    int count;     // wanted; there may be fewer
    void *context;
    // y = M x, zero where nothing can move.
    void (*mass)(void *context, const double *x, double *y);
    // y = (K + shift M)^-1 x on what constraints leave free: of y' A y = y' x for all y' there.
    void (*solve)(void *context, const double *x, double *y);
    const char *place; // for errors
} sn_spectrum_def;

typedef struct sn_spectrum {
    int count;
    double *values;  // count, ascending: lambda + shift, 1/s^2
    double *vectors; // count * length: phi^T M phi = 1
    int iterations;
} sn_spectrum;

SN_API sn_status sn_spectrum_find(const sn_spectrum_def *def, sn_spectrum *spectrum,
                                  sn_error *error);
SN_API void sn_spectrum_free(sn_spectrum *spectrum);

#endif
