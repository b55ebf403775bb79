// Narrow matrices without symmetry: LU with row exchanges in place, by panels.
//
//     sn_band band = {.n = n, .a = a, .first = f, .last = l, .deepest = d, .swaps = s};
//     sn_band_measure(&band);             // columns, from the ends of rows, which are given
//     if (sn_band_factor(&band)) { sn_band_solve(&band, x); }
//
// Rows are whole, n numbers each, with zeros outside the band: they are exchanged within it. What
// is computed does not depend on the machine: every entry goes through the same steps in the same
// order as without panels.
#ifndef SN_SOLVE_BAND_H
#define SN_SOLVE_BAND_H

#include <stdbool.h>

#include "sinew/base.h"

// Rows of the matrix are 0 before `first`, which is at most their own number, and after `last`;
// below row `deepest[j]` column j is.
typedef struct sn_band {
    int n;
    double *a; // n x n
    int *first, *last, *deepest, *swaps;
} sn_band;

SN_API void sn_band_measure(sn_band *band);

// Multiplications that factoring takes, about.
SN_API double sn_band_work(const sn_band *band);

// False when a pivot is nothing, by entries of scaled rows, which are about 1.
SN_API bool sn_band_factor(sn_band *band);

SN_API void sn_band_solve(const sn_band *band, double *x);

#endif
