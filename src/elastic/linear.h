// The linear systems of an elastic body, A x = b with A = m M + k K + what the caller adds, some
// coordinates fixed: by a sparse factor or by conjugate gradients, behind one face.
//
//     sn_linear_def def = {.mesh = mesh, .solid = solid, .mass = &mass};
//     status = sn_linear_create(&def, &linear, error);
//     // every step, after sn_solid_linearise:
//     sn_linear_begin(linear, threads, 1.0, h * h);
//     status = sn_linear_finish(linear, threads, fixed, x, error);
//     status = sn_linear_solve(linear, threads, b, dv, error);
//     status = sn_linear_compliance(linear, threads, &rows, w, error);
//
// Fixed coordinates have a unit row and column: they come out as b has them and act on nobody. In
// compliance they do not move.
//
// Direct systems are exact to round-off and cheap to solve again, for contacts say, but the factor
// grows faster than the mesh. Conjugate ones take some 30 products whatever the mesh, and a
// solution each for every row of a compliance. An automatic system of more than some hundred
// vertices is conjugate until a compliance has so many rows that a factor costs less; its matrix is
// then factored once, for these rows and for whatever is solved before the next begin. The choice
// is by sizes and the number of rows alone. Memory for that factor, up to 1 GiB, is taken when it
// is first needed; SN_ERROR_MEMORY when there is none.
//
// All are the same to the bit for any number of threads, and depend on nothing but what they are
// given: no step hands anything to the next.
//
// Vectors have SN_SOLID_STRIDE numbers a vertex, the fourth 0. What it does not do: indefinite
// matrices, which are told, with the vertex.
#ifndef SN_ELASTIC_LINEAR_H
#define SN_ELASTIC_LINEAR_H

#include "elastic/conjugate.h"
#include "elastic/factor.h"

typedef struct sn_linear sn_linear;

typedef enum sn_linear_kind {
    SN_LINEAR_AUTOMATIC, // direct for small bodies, and for compliances of many rows
    SN_LINEAR_DIRECT,
    SN_LINEAR_CONJUGATE
} sn_linear_kind;

typedef struct sn_linear_def {
    const sn_tetrahedra *mesh;
    const sn_solid *solid; // outlives the system
    const sn_mass *mass;   // outlives the system
    const int *pairs;      // 2 * pair_count: further vertices that blocks may tie
    int pair_count;
    sn_linear_kind kind;
    double tolerance;    // of conjugate solutions, relative to b; 0: 1e-8
    int most_iterations; // 0: 1000
    const char *place;   // the body's name for errors; may be NULL
} sn_linear_def;

SN_API sn_status sn_linear_create(const sn_linear_def *def, sn_linear **linear, sn_error *error);
SN_API void sn_linear_destroy(sn_linear *linear); // NULL is allowed

SN_API void sn_linear_set_tolerance(sn_linear *linear, double tolerance, int most_iterations);

// Conjugate solutions may also end where |b - A x|, in the preconditioner's norm, is not more than
// `enough` (`size` of another solution's statistics times what of it matters), with `loosest` of b
// left at most. 0, 0 at first: the tolerance alone counts.
SN_API void sn_linear_set_enough(sn_linear *linear, double enough, double loosest);

// ---- the matrix ----

// A = m M + k K, with K as linearised last.
SN_API void sn_linear_begin(sn_linear *linear, sn_threads *threads, double mass_scale,
                            double stiffness_scale);

// More terms, as of sn_sparse_add_block and sn_sparse_add_element. With these a conjugate system
// puts its matrix together. SN_ERROR_ARGUMENT when the pattern has no such pair.
SN_API sn_status sn_linear_add_block(sn_linear *linear, sn_threads *threads, int a, int b,
                                     const double block[9], sn_error *error);
SN_API sn_status sn_linear_add_element(sn_linear *linear, sn_threads *threads, int element,
                                       double scale, const double *matrix, sn_error *error);

// Fixes coordinates (bits 1, 2, 4 of a vertex for x, y, z; NULL: none) and factors A, or makes the
// preconditioner for vertices at x. `fixed` must stay as it is until the next begin.
SN_API sn_status sn_linear_finish(sn_linear *linear, sn_threads *threads, const uint8_t *fixed,
                                  const double *x, sn_error *error);

// ---- solutions ----

// A x = b. Conjugate: x is a first guess, too; SN_ERROR_INTEGRATOR when the tolerance is not
// reached (x is then what there was) or A is not positive definite.
SN_API sn_status sn_linear_solve(sn_linear *linear, sn_threads *threads, const double *b, double *x,
                                 sn_error *error);

// So many rows of compliance will be asked for: A is factored at once if that costs less than
// conjugate gradients for each of them, so that solutions before them have the factor, too. SN_OK
// without one: conjugate gradients do it, also where A is not positive definite as a whole, which
// they need not meet.
SN_API sn_status sn_linear_expect(sn_linear *linear, sn_threads *threads, int rows,
                                  sn_error *error);

// w = J A^-1 J^T, count x count; three numbers a node.
SN_API sn_status sn_linear_compliance(sn_linear *linear, sn_threads *threads,
                                      const sn_factor_rows *rows, double *w, sn_error *error);

// y = A v, fixed coordinates included.
SN_API void sn_linear_product(sn_linear *linear, sn_threads *threads, const double *v, double *y);

typedef struct sn_linear_statistics {
    sn_linear_kind kind;
    int iterations;  // of the last solution
    double residual; // of the last conjugate solution, in the preconditioner's norm, relative to b
    double size;     // of its b in that norm; 0 for direct ones
    int node_count;  // of the coarse system
    sn_factor_statistics factor;
} sn_linear_statistics;

SN_API sn_linear_statistics sn_linear_statistics_of(const sn_linear *linear);

#endif
