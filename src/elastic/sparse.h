// Symmetric sparse matrices of 3 x 3 blocks over the vertices of a solid: A = m M + k K + whatever
// the caller adds, put together straight from the elements.
//
//     sn_sparse_def def = {.solid = solid, .mass = &mass};
//     status = sn_sparse_create(&def, &sparse, error);
//     sn_sparse_assemble(sparse, threads, 1.0, h * h); // A = M + h^2 K, as linearised last
//     sn_sparse_add_block(sparse, a, b, tie);          // and more
//     sn_sparse_fix(sparse, fixed);                    // rows and columns become unit
//     sn_sparse_product(sparse, v, y);                 // y = A v
//
// Only the lower triangle is kept. Where the blocks of each element go is looked up once, so that
// assembling again neither searches nor allocates. Elements go through in the solid's chunks and
// colours: sums are the same to the bit for any number of threads.
//
// Vectors have SN_SOLID_STRIDE numbers a vertex, the fourth 0.
//
// What it does not do: other pairs of vertices than those of elements and of the definition.
#ifndef SN_ELASTIC_SPARSE_H
#define SN_ELASTIC_SPARSE_H

#include "elastic/mass.h"
#include "elastic/solid.h"

typedef struct sn_sparse_def {
    const sn_solid *solid; // outlives the matrix
    const sn_mass *mass;   // outlives the matrix; NULL: none
    const int *pairs;      // 2 * pair_count: further vertices that blocks may tie
    int pair_count;
    const char *place; // the body's name for errors; may be NULL
} sn_sparse_def;

typedef struct sn_sparse {
    const sn_solid *solid;
    const sn_mass *mass;
    int vertex_count, block_count;
    int *starts;     // vertex_count + 1: the first block of each row
    int *columns;    // block_count: ascending in each row, the diagonal last
    double *values;  // 9 * block_count, blocks by rows
    int *scatter;    // solid block, pair of nodes, lane: 2 block + 1 where it goes transposed
    int *mass_place; // mass->pair_count: block
} sn_sparse;

SN_API sn_status sn_sparse_create(const sn_sparse_def *def, sn_sparse **sparse, sn_error *error);
SN_API void sn_sparse_destroy(sn_sparse *sparse); // NULL is allowed

// Values become m M + k K.
SN_API void sn_sparse_assemble(sn_sparse *sparse, sn_threads *threads, double mass_scale,
                               double stiffness_scale);

// The block of row a and column b is added, and its transpose to (b, a). Of a = b the block must be
// symmetric. False when the pattern has no such pair.
SN_API bool sn_sparse_add_block(sn_sparse *sparse, int a, int b, const double block[9]);

// A symmetric 12 x 12 or 30 x 30 of one element is added: as sn_solid_stiffness gives it.
SN_API void sn_sparse_add_element(sn_sparse *sparse, int element, double scale,
                                  const double *matrix);

// Coordinates whose bit (1 x, 2 y, 4 z) is set get a unit row and column. NULL: none.
SN_API void sn_sparse_fix(sn_sparse *sparse, const uint8_t *fixed);

// y = A v
SN_API void sn_sparse_product(const sn_sparse *sparse, const double *v, double *y);

// The block of row a and column b <= a, or -1.
SN_API int sn_sparse_find(const sn_sparse *sparse, int a, int b);

#endif
