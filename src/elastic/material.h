// Elastic materials: energy density as a function of the deformation gradient F, with its first and
// second derivatives.
//
//     sn_elastic rubber = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 2e6, 0.45);
//     double energy = sn_elastic_energy(&rubber, &f);        // J/m^3 of the body at rest
//     sn_elastic_stress(&rubber, &f, &p);                    // P = d energy / dF
//     sn_elastic_hessian(&rubber, &f, SN_HESSIAN_EXACT, h);  // dP / dF
//
// All laws have the same two moduli, and agree with Hooke's law for small strains: bulk modulus K
// and shear modulus G. All energies are zero at rest and unchanged by turning the body. In terms of
// singular values s of F, J = s1 s2 s3, Gamma = s1^2 + s2^2 + s3^2, lambda = K - 2/3 G:
//
//   Liesenfeld      K/32 (J^4 + J^-4 - 2) + G/6 (Gamma^2 - 3 Sigma), Sigma = sum (si sj)^2: the law
//                   of R. L. W. Liesenfeld's thesis (UNICAMP 1997), (4.13). Infinite where J = 0,
//                   but it does not tell J from -J.
//   corotational    G |F - R|^2 + lambda/2 (tr(R^T F) - 3)^2, R the rotation nearest to F: Hooke's
//                   law in turned axes (M. Mueller, M. Gross 2004).
//   Neo-Hookean     m/2 (Gamma - 3) + l/2 (J - a)^2 - m/2 log(Gamma + 1) + constant, with m = 4/3
//   G,
//                   l = lambda + 5/6 G, a = 1 + 3/4 m/l: stable through inversion (B. Smith, F. de
//                   Goes, T. Kim 2018).
//   St. Venant      G |E|^2 + lambda/2 tr(E)^2, E = (F^T F - 1)/2. Softens under compression and
//                   gives way altogether below s = 1/sqrt 3.
//
// A fibre along the unit vector a of the body at rest adds k/2 (|F a| - 1)^2 (T. Kim, F. de Goes,
// H. Iben 2019, the inversion-safe form).
//
// Second derivatives are 9 x 9 by rows, F's entries in the order of its rows: h[9 (3i+j) + (3k+l)]
// = dP_ij / dF_kl. They come from the modes in which isotropic laws stretch, twist and flip: in
// axes of the singular value decomposition, with p = d energy / ds, twists have the values (pi +
// pj)/(si + sj), flips (pi - pj)/(si - sj), in closed form without the quotients, and stretches the
// 3 x 3 matrix dpi/dsj. Projected ones have their negative values set to zero.
//
// What this does not do: plastic flow (plastic.h), heat, and laws that depend on the direction
// otherwise than by fibres.
#ifndef SN_ELASTIC_MATERIAL_H
#define SN_ELASTIC_MATERIAL_H

#include "sinew/elastic.h"

// Moduli finite and above 0, fibre of unit length; `place` names the material.
SN_API sn_status sn_elastic_check(const sn_elastic *material, const char *place, sn_error *error);

typedef enum sn_hessian {
    SN_HESSIAN_EXACT,
    SN_HESSIAN_PROJECTED // positive semi-definite
} sn_hessian;

SN_API double sn_elastic_energy(const sn_elastic *material, const sn_mat3 *f);
SN_API void sn_elastic_stress(const sn_elastic *material, const sn_mat3 *f, sn_mat3 *stress);
SN_API void sn_elastic_hessian(const sn_elastic *material, const sn_mat3 *f, sn_hessian kind,
                               double hessian[81]);

// ---- dilatation ----

// The measure of volume that a law's bulk modulus acts on, 0 at rest: J - 1 of Liesenfeld's and
// the Neo-Hookean law, tr(R^T F - 1) of corotational bodies, tr(E) of St. Venant's. Adding k to the
// bulk modulus adds k/2 d^2 to the energy density; in Liesenfeld's law k/32 (J^4 + J^-4 - 2), J = 1
// + d.
SN_API double sn_elastic_dilatation(sn_elastic_law law, const sn_mat3 *f);

// As sn_elastic_hessian, with `pull` times the second derivative of the dilatation added before
// projecting.
SN_API void sn_elastic_hessian_pulled(const sn_elastic *material, const sn_mat3 *f, double pull,
                                      sn_hessian kind, double hessian[81]);

// ---- viscosity ----

// The thesis' law (4.14): power density eta1/2 Pi^2 + 2/3 eta2 (Pi^2 - 3 Xi) of the metric's rate
// T' = F'^T F + F^T F', Pi its trace, Xi the sum of its principal minors; per volume at rest. For
// small strains a fluid of bulk viscosity 2 eta1 and shear viscosity 2 eta2 (Pa s).

SN_API double sn_viscosity_power(const sn_viscosity *viscosity, const sn_mat3 *f,
                                 const sn_mat3 *rate);

// Half of the power's derivative by the rate: stress . rate = power. Linear in the rate.
SN_API void sn_viscosity_stress(const sn_viscosity *viscosity, const sn_mat3 *f,
                                const sn_mat3 *rate, sn_mat3 *stress);

// d stress / d rate: symmetric, positive semi-definite, independent of the rate.
SN_API void sn_viscosity_hessian(const sn_viscosity *viscosity, const sn_mat3 *f,
                                 double hessian[81]);

#endif
