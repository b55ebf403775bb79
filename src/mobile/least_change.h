// The least change that makes linear equations true within bounds:
//
//     minimise |x - wanted|^2 / 2   subject to   A x = b,  lower <= x <= upper.
//
// Its dual has one unknown per equation, no constraints, and the gradient b - A x(l) with x(l) =
// wanted + A^T l cut to the bounds: piecewise linear, so that Newton's method with a line search
// ends after finitely many turns, exact to rounding.
#ifndef SN_MOBILE_LEAST_CHANGE_H
#define SN_MOBILE_LEAST_CHANGE_H

#include "sinew/base.h"

// a: rows x n, by rows, each row scaled to about 1; x: n, out. False in *solved where the bounds
// leave no solution: x is then the nearest that was found and *worst the row that fails most.
SN_API sn_status sn_least_change(int rows, int n, const double *a, const double *b,
                                 const double *wanted, const double *lower, const double *upper,
                                 double *x, bool *solved, int *worst, sn_error *error);

#endif
