// A coarse picture of a solid's linear system, for preconditioning: vertices in groups of a few
// dozen, each of which moves and turns (or strains evenly, too) as one. Its small matrix is
// factored at rest; groups then turn with the body (the idea of H. Courtecuisse, J. Allard, C.
// Duriez and S. Cotin 2010 for whole factors), so that a step only needs the groups' rotations.
//
//     status = sn_coarse_create(&def, &coarse, error);
//     status = sn_coarse_set(coarse, threads, m, k, fixed, error); // factors when these changed
//     sn_coarse_turn(coarse, x);                                   // groups' rotations at x
//     sn_coarse_add(coarse, r, z);                                 // z += P (P^T A P)^-1 P^T r
#ifndef SN_ELASTIC_COARSE_H
#define SN_ELASTIC_COARSE_H

#include "elastic/sparse.h"

typedef struct sn_coarse sn_coarse;

typedef struct sn_coarse_def {
    sn_solid *solid; // linearised at rest when this is made, frozen
    const sn_mass *mass;
    const sn_vec3 *positions; // at rest
    int group_size;           // vertices, about; 0: a choice of its own
    int modes;                // 3: translations, 6: and rotations, 12: and strains; 0: 6
    const char *place;        // may be NULL
} sn_coarse_def;

SN_API sn_status sn_coarse_create(const sn_coarse_def *def, sn_coarse **coarse, sn_error *error);
SN_API void sn_coarse_destroy(sn_coarse *coarse); // NULL is allowed

SN_API sn_status sn_coarse_set(sn_coarse *coarse, sn_threads *threads, double mass_scale,
                               double stiffness_scale, const uint8_t *fixed, sn_error *error);

// Rotations of all groups for vertices at x; NULL: at rest.
SN_API void sn_coarse_turn(sn_coarse *coarse, const double *x);

SN_API void sn_coarse_add(sn_coarse *coarse, const double *r, double *z);

SN_API int sn_coarse_group_count(const sn_coarse *coarse);

#endif
