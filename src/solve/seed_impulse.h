// The simultaneous impulse of the virtual mobile (seed 000): all contacts that are struck get their
// impulses from one linear system, with sticking or sliding of each told beforehand instead of
// found by trying.
//
// With K = J A^-1 J^T of one contact and k_ij the entries of K^-1, the normal being axis 3, an
// impact slides when (Mirtich's test)
//
//     k13^2 + k23^2 > friction^2 k33^2
//
// that is, when the impulse that stops a blow along the normal and keeps the point from moving
// sideways lies outside the friction cone. A sliding contact has P_T = -friction P_N against the
// direction in which it slides before; a sticking one stops sideways as well.
//
// What it does not do: check the prediction, so that impulses of sticking contacts may leave the
// cone; find the direction anew; ask agents' own rows, which answer by themselves. The exact solver
// does all three, and is the default.
#ifndef SN_SOLVE_SEED_IMPULSE_H
#define SN_SOLVE_SEED_IMPULSE_H

#include "solve/exact_system.h"

// Mirtich's test; x is the normal of k.
SN_API bool sn_seed_impulse_slides(const sn_sym3 *k, double friction);

// In place of sn_exact_system_solve: contacts whose impulse would pull are let go, others that the
// impulses drive together come in, and all is solved again, a bounded number of times. The residual
// is that of the exact laws: how far off it is. False when memory runs out.
SN_API bool sn_seed_impulse_solve(sn_exact_system *system, sn_exact_effort *effort);

#endif
