// Mass matrices of tetrahedra. Every 3 x 3 block is a multiple of the unit matrix, so one number a
// pair of vertices is enough.
//
//     status = sn_mass_create(mesh, &density, 1, SN_MASS_CONSISTENT, NULL, &mass, error);
//     sn_mass_add_product(&mass, 4, 1.0, v, y); // y += M v, four numbers a vertex
//     sn_mass_free(&mass);
//
// Consistent ones integrate the products of shape functions; lumped ones have the sum of each row
// on the diagonal, or for elements of ten nodes the diagonal scaled to the element's mass (E.
// Hinton, T. Rock, O. C. Zienkiewicz 1976), because there the sums of the corners' rows are
// negative. For ten nodes the matrix is that of straight edges, with the mass of the curved
// element.
#ifndef SN_ELASTIC_MASS_H
#define SN_ELASTIC_MASS_H

#include "sinew/tetrahedra.h"

typedef enum sn_mass_kind { SN_MASS_LUMPED, SN_MASS_CONSISTENT } sn_mass_kind;

typedef struct sn_mass {
    int vertex_count;
    double *diagonal; // vertex_count, kg
    int pair_count;   // 0 when lumped
    int *pairs;       // 2 * pair_count: lower vertex first, in order
    double *entries;  // pair_count, kg
    double total;
} sn_mass;

// Densities (kg/m^3) by region, or one for all. `volumes` at rest, of elements; NULL: the mesh's.
SN_API sn_status sn_mass_create(const sn_tetrahedra *mesh, const double *densities, int count,
                                sn_mass_kind kind, const double *volumes, sn_mass *mass,
                                sn_error *error);
SN_API void sn_mass_free(sn_mass *mass);

// y += scale M v for vectors of `stride` (3 or more) numbers a vertex, of which three count.
SN_API void sn_mass_add_product(const sn_mass *mass, int stride, double scale, const double *v,
                                double *y);

// Non-zeros of the whole matrix, three rows a vertex.
SN_API int64_t sn_mass_nonzeros(const sn_mass *mass);

#endif
