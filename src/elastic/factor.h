// Sparse Cholesky factors A = L L^T of symmetric positive definite matrices of small dense blocks.
// The order of elimination, the pattern of L and all memory are settled once; factoring again with
// other numbers allocates nothing. A deferred factor tells what it would cost, and allocates its
// numbers, which are nearly all of its memory, in the first update.
//
//     sn_factor_def def = {.count = vertices, .block = 3, .starts = sparse->starts,
//                          .columns = sparse->columns, .positions = positions};
//     status = sn_factor_create(&def, &factor, error);
//     status = sn_factor_update(factor, threads, sparse->values, error); // L of these numbers
//     sn_factor_solve(factor, 4, x);                                     // x <- A^-1 x
//     status = sn_factor_compliance(factor, &rows, w, error);            // w = J A^-1 J^T
//
// Multifrontal (I. Duff, J. Reid 1983): nodes of a like pattern are eliminated together as a dense
// front, whose remainder goes into the front of its parent in the elimination tree. Subtrees are
// factored by different threads, the fronts above them one after the other with their columns
// shared out; children are added in their order, so L is the same to the bit for any number of
// threads. Sparse right sides only touch fronts on their way to the root.
//
// What it does not do: indefinite matrices. They are reported with the node where it shows.
#ifndef SN_ELASTIC_FACTOR_H
#define SN_ELASTIC_FACTOR_H

#include "base/threads.h"
#include "sinew/math.h"

typedef struct sn_factor sn_factor;

typedef struct sn_factor_def {
    int count;                // nodes
    int block;                // rows of a node: 1 to 12
    const int *starts;        // count + 1: rows of the lower triangle, by node
    const int *columns;       // ascending in each row, the diagonal last
    const sn_vec3 *positions; // count: guide the order; may be NULL
    bool deferred;            // no memory for numbers before the first update
    const char *place;        // the body's name for errors; may be NULL
} sn_factor_def;

SN_API sn_status sn_factor_create(const sn_factor_def *def, sn_factor **factor, sn_error *error);
SN_API void sn_factor_destroy(sn_factor *factor); // NULL is allowed

// The factor of these numbers: block^2 each, by rows, in the order of `columns`.
// SN_ERROR_INTEGRATOR when they are not positive definite to working precision, with the node and
// its row; the factor is then of no use until the next update. SN_ERROR_MEMORY: deferred ones.
SN_API sn_status sn_factor_update(sn_factor *factor, sn_threads *threads, const double *values,
                                  sn_error *error);

// x <- A^-1 x, `stride` numbers a node of which the first `block` count.
SN_API void sn_factor_solve(sn_factor *factor, int stride, double *x);

// The halves of that: y = L^-1 P x and x = P^T L^-T y, with the order of elimination P; y: count *
// block, in that order. y . y = x . A^-1 x.
SN_API void sn_factor_half_solve(sn_factor *factor, int stride, const double *x, double *y);
SN_API void sn_factor_half_solve_back(sn_factor *factor, int stride, const double *y, double *x);

// Rows with few non-zeros, those of contacts and joints.
typedef struct sn_factor_rows {
    int count;
    const int *starts;     // count + 1
    const int *nodes;      // starts[count]; a row may name a node more than once
    const double *numbers; // block * starts[count]
} sn_factor_rows;

// w = J A^-1 J^T, count x count, both triangles. Allocates when more is needed than ever before.
SN_API sn_status sn_factor_compliance(sn_factor *factor, const sn_factor_rows *rows, double *w,
                                      sn_error *error);

typedef struct sn_factor_statistics {
    int front_count;
    int widest_front; // rows eliminated at once
    int tallest_front;
    double entries;    // of L's lower triangle, zeros that fronts keep included
    double operations; // additions and multiplications of an update
    double bytes;
} sn_factor_statistics;

SN_API sn_factor_statistics sn_factor_statistics_of(const sn_factor *factor);

#endif
