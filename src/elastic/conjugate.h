// Conjugate gradients for A x = b of a solid, without a matrix: A = m M + k K, K as linearised
// last, some coordinates fixed.
//
//     status = sn_conjugate_create(vertices, &conjugate, error);
//     sn_conjugate_system system = {.solid = solid, .mass = &mass, .mass_scale = 1.0,
//                                   .stiffness_scale = h * h, .fixed = fixed};
//     status = sn_conjugate_prepare(conjugate, threads, &system, place, error);
//     sn_conjugate_goal goal = {.tolerance = 1e-8, .most = 500};
//     sn_conjugate_result result = sn_conjugate_solve(conjugate, threads, &goal, b, x);
//
// Preconditioned by the inverse 3 x 3 blocks of the diagonal, and by a coarse solution where the
// system has one (coarse.h). An iteration is one product and three passes over the vectors, each of
// which does all that can be done in it. Sums go by chunks of vertices in their order, so results
// are the same to the bit for any number of threads.
//
// Vectors have SN_SOLID_STRIDE numbers a vertex, the fourth 0.
#ifndef SN_ELASTIC_CONJUGATE_H
#define SN_ELASTIC_CONJUGATE_H

#include "elastic/coarse.h"
#include "elastic/sparse.h"

typedef struct sn_conjugate sn_conjugate;

typedef struct sn_conjugate_system {
    const sn_solid *solid;
    const sn_mass *mass;
    double mass_scale, stiffness_scale;
    const sn_sparse *sparse; // not NULL: A itself, fixed coordinates included, in place of the four
    const uint8_t *fixed;    // bits 1, 2, 4 for x, y, z; NULL: none
    sn_coarse *coarse;       // set to the same; NULL: none
} sn_conjugate_system;

typedef struct sn_conjugate_result {
    int iterations;
    double residual; // |b - A x| / |b|, by the preconditioner's norm, as the recurrence has it
    double size;     // |b| by that norm
    bool converged;
    bool definite; // false: a direction had no positive energy, and the iteration stopped there
} sn_conjugate_result;

SN_API sn_status sn_conjugate_create(int vertex_count, sn_conjugate **conjugate, sn_error *error);
SN_API void sn_conjugate_destroy(sn_conjugate *conjugate); // NULL is allowed

// Keeps the system and inverts its diagonal. SN_ERROR_INTEGRATOR names a vertex whose block is not
// positive definite.
SN_API sn_status sn_conjugate_prepare(sn_conjugate *conjugate, sn_threads *threads,
                                      const sn_conjugate_system *system, const char *place,
                                      sn_error *error);

// When a solution is good enough.
typedef struct sn_conjugate_goal {
    double tolerance; // residual that is wanted
    double enough;    // |b - A x| by the preconditioner's norm that will do, but for
    double loosest;   // a residual that is wanted all the same; of no use while `enough` is 0
    int most;         // iterations
} sn_conjugate_goal;

// x: a first guess in, the solution out. Fixed coordinates get b's numbers.
SN_API sn_conjugate_result sn_conjugate_solve(sn_conjugate *conjugate, sn_threads *threads,
                                              const sn_conjugate_goal *goal, const double *b,
                                              double *x);

// y = A v, with unit rows and columns where coordinates are fixed.
SN_API void sn_conjugate_product(sn_conjugate *conjugate, sn_threads *threads, const double *v,
                                 double *y);

#endif
