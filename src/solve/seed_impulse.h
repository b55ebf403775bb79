// The simultaneous impulse of the virtual mobile (seed 000): all contacts that are struck get their
// impulses from one linear system, with sticking or sliding of each found beforehand.
//
// The virtual mobile asks Mirtich's test alone, which says whether what has stopped sliding stays:
// it cannot know how fast something slides, so that a ball that slides along a smooth wall would
// stick to it. Here the blow at each contact is followed as if it were alone (point_impact.h). One
// that ends sticking has no velocity along the surface afterwards; one that ends sliding has P_T in
// that proportion to P_N, at most `friction`. For a single contact the answer is that of
// point_impact.h. Where contacts strike together, predictions are checked: what sticks outside the
// friction cone slides, what slides backwards sticks, and all is solved again.
//
// What it does not do: find the direction of sliding anew for contacts that strike together; ask
// agents' own rows, which answer by themselves. The exact solver does both, and is the default.
#ifndef SN_SOLVE_SEED_IMPULSE_H
#define SN_SOLVE_SEED_IMPULSE_H

#include "solve/exact_system.h"

// In place of sn_exact_system_solve: contacts whose impulse would pull are let go, others that the
// impulses drive together come in, and all is solved again, a bounded number of times. The residual
// is that of the exact laws: how far off it is. False when memory runs out.
SN_API bool sn_seed_impulse_solve(sn_exact_system *system, sn_exact_effort *effort);

// At the end of a step: have the impulses of the whole step done work, against surfaces that may
// move? Those of its middle alone may be up to twice as large, where what falls lands early in the
// step: then the end takes back some of them, and of their friction.
SN_API bool sn_seed_impulse_gained(const sn_exact_system *system);

#endif
