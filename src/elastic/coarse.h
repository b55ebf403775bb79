// A coarse picture of a solid's linear system, for preconditioning: a grid of cells with a few
// dozen vertices each, between whose nodes motions are trilinear. The small matrix of the nodes is
// put together at rest, with the elements as points of integration, and factored once; nodes then
// turn with the body (the idea of H. Courtecuisse, J. Allard, C. Duriez and S. Cotin 2010 for whole
// factors), so that a step only needs their rotations.
//
//     status = sn_coarse_create(&def, &coarse, error);
//     status = sn_coarse_set(coarse, threads, m, k, fixed, error); // factors when these changed
//     sn_coarse_turn(coarse, x);                                   // nodes' rotations at x
//     gain = sn_coarse_add(coarse, threads, r, z);                 // z += P A_c^-1 P^T r
//
// What it does not do: blocks that callers add, plastic or fibre stiffness. It knows less of these
// systems then, and solutions take more iterations.
#ifndef SN_ELASTIC_COARSE_H
#define SN_ELASTIC_COARSE_H

#include "base/threads.h"
#include "elastic/mass.h"
#include "elastic/solid.h"

typedef struct sn_coarse sn_coarse;

typedef struct sn_coarse_def {
    const sn_tetrahedra *mesh;
    const sn_solid *solid; // its volumes and moduli are copied
    const sn_mass *mass;   // copied
    int cell_size;         // vertices of a cell, about; 0: a choice of its own
    const char *place;     // may be NULL
} sn_coarse_def;

SN_API sn_status sn_coarse_create(const sn_coarse_def *def, sn_coarse **coarse, sn_error *error);
SN_API void sn_coarse_destroy(sn_coarse *coarse); // NULL is allowed

SN_API sn_status sn_coarse_set(sn_coarse *coarse, sn_threads *threads, double mass_scale,
                               double stiffness_scale, const uint8_t *fixed, sn_error *error);

// Rotations of all nodes for vertices at x; NULL: at rest.
SN_API void sn_coarse_turn(sn_coarse *coarse, const double *x);

// z += P A_c^-1 P^T r; returns what r . z gains by that. r must be 0 where coordinates are fixed; z
// is not afterwards.
SN_API double sn_coarse_add(sn_coarse *coarse, sn_threads *threads, const double *r, double *z);

SN_API int sn_coarse_node_count(const sn_coarse *coarse);

#endif
