// Anderson's mixing for turns that converge badly (Walker and Ni, SIAM J. Numer. Anal. 49, 2011).
//
// Multipliers act along J(c), errors are measured at c', and both are corrected with Y(c): that
// converges by O(h |v|) a turn, but where a loop passes a singular position the leverage changes
// its sign in between, and the turns go away from the solution along that direction. What the last
// turns did to the errors tells how much of them to take back.
#ifndef SN_AGENT_TREE_TIE_MIX_H
#define SN_AGENT_TREE_TIE_MIX_H

#include "base/array.h"

enum { SN_MIX_DEPTH = 4 };

typedef struct sn_tie_mix {
    int size, count, next;   // numbers in a vector; samples kept, and where the next goes
    SN_ARRAY(double) memory; // of each sample: x, step, error
} sn_tie_mix;

SN_API void sn_tie_mix_start(sn_tie_mix *mix);
SN_API void sn_tie_mix_free(sn_tie_mix *mix);

// Notes that x with the step `step` had `error` (size each), and with `mixed` gives a better step
// in place. False when memory runs out.
SN_API bool sn_tie_mix_step(sn_tie_mix *mix, int size, const double *x, const double *error,
                            bool mixed, double *step);

#endif
