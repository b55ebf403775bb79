// Eigenvalues of symmetric matrices too large for Jacobi rotations: reflections make the matrix
// tridiagonal, implicit QL turns diagonalise that (Parlett, The Symmetric Eigenvalue Problem, 1980,
// chapters 7 and 8).
#ifndef SN_MATH_TRIDIAGONAL_H
#define SN_MATH_TRIDIAGONAL_H

#include <stdbool.h>

// a: n x n, symmetric, finite, its largest entry near 1; overwritten. values: n, in no order;
// vectors: n x n, column k belongs to values[k].
void sn_eigen_tridiagonal(int n, double *a, double *values, double *vectors);

#endif
