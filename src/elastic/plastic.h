// Plastic flow of one point of a material: the part Fp of F = Fe Fp that stays when the load goes.
// Elastic laws see Fe = F Fp^-1 only, so the shape at rest follows what has flowed.
//
//     double state[SN_PLASTIC_STATE];
//     sn_plastic_start(state);
//     sn_mat3 elastic = sn_mat3_multiply(f, sn_plastic_inverse(state));
//     sn_plastic_flow(&steel, &mild, h, &elastic, state); // once a step
//
// In axes of the singular value decomposition Fe = U diag(s) V^T the stress of Kirchhoff has the
// values t_i = s_i d energy / ds_i, and von Mises' stress is sigma = sqrt(3/2) |dev t|. Above the
// yield stress Y = yield_stress + hardening * strain the material flows along n = 3/2 dev t /
// sigma, ln s -> ln s - gamma n, which keeps volumes (the exponential return of J. C. Simo 1992; on
// meshes of animated bodies by A. W. Bargteil et al. 2007). sigma(gamma) is t along n; Gamma, where
// it meets Y(strain + gamma), is the flow that is due. In a time h there flows the share 1 -
// exp(-creep_rate h) of it, so that stress above yield goes with the rate creep_rate however long
// the steps are, or all of it at once. d energy / d gamma = -sigma(gamma) along the way: energy
// only falls, and what it loses is `heat`.
//
// What this does not do: flow of inverted points (they wait until they have recovered), of fibres,
// of volume; hardening that remembers directions. Where a strong squeeze turns the stress of
// corotational and St. Venant's bodies against their strain, nothing flows either.
#ifndef SN_ELASTIC_PLASTIC_H
#define SN_ELASTIC_PLASTIC_H

#include "elastic/material.h"

// A yield stress of 0 with a creep rate is a fluid that flows under any stress.
static inline bool sn_plastic_flows(const sn_plastic *plastic)
{
    return plastic->yield_stress > 0.0 || plastic->creep_rate > 0.0;
}

// Numbers finite, 0 or more; no fibres in a material that flows. `place` names the material.
SN_API sn_status sn_plastic_check(const sn_plastic *plastic, const sn_elastic *material,
                                  const char *place, sn_error *error);

// Fp^-1 by rows; the plastic strain summed up over time, sqrt(2/3) |dev d ln s|; the energy density
// that became heat, by the shear modulus: a number like a strain, so that one tolerance of adaptive
// integrators fits all of them.
enum { SN_PLASTIC_STRAIN = 9, SN_PLASTIC_HEAT = 10, SN_PLASTIC_STATE = 11 };

SN_API void sn_plastic_start(double state[SN_PLASTIC_STATE]);
SN_API sn_mat3 sn_plastic_inverse(const double state[SN_PLASTIC_STATE]);

// sqrt(2/3) |ln of Fp's singular values|: what `limit` bounds.
SN_API double sn_plastic_total(const double state[SN_PLASTIC_STATE]);

// von Mises' stress of the isotropic law under Fe.
SN_API double sn_plastic_stress(const sn_elastic *material, const sn_mat3 *elastic);

// `state` after a time h with F held; `elastic` is Fe at its start. False: nothing flowed.
SN_API bool sn_plastic_flow(const sn_elastic *material, const sn_plastic *plastic, double h,
                            const sn_mat3 *elastic, double state[SN_PLASTIC_STATE]);

// The time derivative of `state`, of materials with a creep rate and without a limit.
SN_API void sn_plastic_rate(const sn_elastic *material, const sn_plastic *plastic,
                            const sn_mat3 *elastic, const double state[SN_PLASTIC_STATE],
                            double rate[SN_PLASTIC_STATE]);

#endif
