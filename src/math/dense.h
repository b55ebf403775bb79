// Small dense linear algebra on plain arrays.
//
//     double a[9] = {4, 1, 0, 1, 3, 1, 0, 1, 2}; // 3 x 3, by rows
//     double x[3] = {1, 2, 3};                   // right-hand side in, solution out
//     if (sn_cholesky_factor(3, a, NULL)) {
//         sn_cholesky_solve(3, a, x);
//     }
//
// Matrices are stored by rows: a[row * columns + column]. Sizes come first, outputs last. Nothing
// allocates; what needs scratch says how much. Meant for sizes up to a few dozen, usable up to a
// thousand or two: no blocking, no threads, a fixed order of operations and so the same bits
// everywhere. Outputs must not overlap inputs unless a function works in place.
//
// What this does not do: sparse or banded matrices, complex eigenvalues, eigenvalues of
// unsymmetric matrices.
#ifndef SN_MATH_DENSE_H
#define SN_MATH_DENSE_H

#include "sinew/math.h"

// ---- products ----

// c = a b, with a: rows x inner, b: inner x columns.
SN_API void sn_dense_multiply(int rows, int inner, int columns, const double *a, const double *b,
                              double *c);

// t = transpose of a, with a: rows x columns.
SN_API void sn_dense_transpose(int rows, int columns, const double *a, double *t);

// y = a x
SN_API void sn_dense_apply(int rows, int columns, const double *a, const double *x, double *y);

// ---- Cholesky: a = L L^T, symmetric positive definite ----

// In place, from and to the lower triangle; the upper is neither read nor written. False when a
// pivot is not above n eps times its diagonal entry: the matrix is then not positive definite to
// working precision, and `bad_pivot` (may be NULL) names the row; it is -1 otherwise.
SN_API bool sn_cholesky_factor(int n, double *a, int *bad_pivot);
SN_API void sn_cholesky_solve(int n, const double *l, double *x);

// The halves of that: x <- L^-1 x, x <- L^-T x.
SN_API void sn_cholesky_solve_lower(int n, const double *l, double *x);
SN_API void sn_cholesky_solve_upper(int n, const double *l, double *x);

// ---- LDL^T: symmetric, also indefinite ----

// In place: unit L below the diagonal, D on it. Without exchanges, so made for matrices whose
// leading minors are regular. False, and the row in `bad_pivot`, when a pivot is no larger than n
// eps times the largest number it came from.
SN_API bool sn_ldl_factor(int n, double *a, int *bad_pivot);
SN_API void sn_ldl_solve(int n, const double *ldl, double *x);

// Positive semi-definite matrices, the largest remaining diagonal entry first: row order[i] of a
// becomes row i. Reads the lower triangle, works in place, and returns the rank: the pivots above
// `tolerance` times the largest diagonal entry (0: n eps). A matrix that is not semi-definite
// counts up to its first bad pivot.
SN_API int sn_ldl_factor_pivoted(int n, double *a, int *order, double tolerance);

// A solution when b is in the range of a (the unknowns that were not pivots are zero). scratch: n.
SN_API void sn_ldl_solve_pivoted(int n, const double *ldl, const int *order, int rank, double *x,
                                 double *scratch);

// ---- LU with row exchanges: a = P L U ----

// In place; row k was exchanged with row swaps[k] >= k. False when a column has no pivot above n
// eps times the largest entry of the matrix: singular to working precision.
SN_API bool sn_lu_factor(int n, double *a, int *swaps);
SN_API void sn_lu_solve(int n, const double *lu, const int *swaps, double *x);

// `columns` right-hand sides at once, side by side in b: n x columns.
SN_API void sn_lu_solve_many(int n, const double *lu, const int *swaps, int columns, double *b);
SN_API void sn_lu_inverse(int n, const double *lu, const int *swaps, double *inverse);
SN_API double sn_lu_determinant(int n, const double *lu, const int *swaps);

// ---- LQ with row exchanges: a's rows in `order` = [L 0] Q, with orthogonal Q (n x n) ----

// In place, a: m x n by rows, the longest remaining row first: L on and below the diagonal, right
// of it the reflections that Q is made of; beta: min(m, n). Returns the rank: rows of which more
// than `tolerance` times the longest is left (0: max(m, n) eps).
SN_API int sn_lq_factor(int m, int n, double *a, int *order, double *beta, double tolerance);

// x <- Q x and x <- Q^T x. The last n - rank columns of Q^T span what a turns into zero.
SN_API void sn_lq_apply(int n, const double *lq, const double *beta, int rank, double *x);
SN_API void sn_lq_apply_transpose(int n, const double *lq, const double *beta, int rank, double *x);

// The shortest x (n) with a x = b (m) where b is in the range of a; b is as it was. x: n.
SN_API void sn_lq_solve(int n, const double *lq, const double *beta, const int *order, int rank,
                        const double *b, double *x);

// The y (m) that makes |a^T y - c| least, zero for rows that the others make up; c (n) becomes Q c.
SN_API void sn_lq_solve_transpose(int m, int n, const double *lq, const double *beta,
                                  const int *order, int rank, double *c, double *y);

// ---- eigenvalues and singular values ----

// Symmetric a = V diag(values) V^T; values ascend, column k of the n x n `vectors` belongs to
// values[k]. a (both triangles) is overwritten. Up to 32 by cyclic Jacobi rotations, beyond by QL
// on a tridiagonal matrix. False when a is not finite.
SN_API bool sn_eigen_symmetric(int n, double *a, double *values, double *vectors);

// Thin singular value decomposition by one-sided Jacobi rotations: a = U diag(s) V^T with k =
// min(m, n), U: m x k, V: n x k, both with orthonormal columns also where s is zero; s: k,
// descending. Small singular values are as accurate as large ones when the columns (rows for m < n)
// are well scaled. False when a is not finite.
SN_API bool sn_svd(int m, int n, const double *a, double *u, double *s, double *v);

// Doubles of scratch for the next two: k (m + n + 1).
SN_API size_t sn_svd_scratch(int m, int n);

// The shortest x that minimises |a x - b|, singular values below tolerance times the largest
// counted as zero (0: max(m, n) eps). Returns the rank, or -1 when a is not finite. b: m, x: n.
SN_API int sn_least_squares(int m, int n, const double *a, const double *b, double tolerance,
                            double *x, double *scratch);

// Moore and Penrose's inverse, n x m, with the same tolerance and answer.
SN_API int sn_pseudo_inverse(int m, int n, const double *a, double tolerance, double *inverse,
                             double *scratch);

// ---- 3 x 3 ----

// Symmetric a = V diag(values) V^T; values ascend, V is a proper rotation, its columns the vectors.
SN_API void sn_mat3_eigen_symmetric(sn_mat3 a, sn_vec3 *values, sn_mat3 *vectors);

// a = U diag(s) V^T with proper rotations U and V, s.x >= s.y >= |s.z|; s.z has the sign of the
// determinant, as inverted elements need it (Irving, Teran, Fedkiw 2004).
SN_API void sn_mat3_svd(sn_mat3 a, sn_mat3 *u, sn_vec3 *s, sn_mat3 *v);

// a = R S with R the proper rotation closest to a, also for inverted and rank-deficient a, and S
// symmetric.
SN_API void sn_mat3_polar(sn_mat3 a, sn_mat3 *r, sn_mat3 *s);

// ---- 6 x 6 ----

// LDL^T of a symmetric positive definite matrix in place, from the lower triangle: unit L below the
// diagonal, the reciprocal of D on it. False when a pivot is not above 6 eps times its diagonal
// entry.
SN_API bool sn_ldl6_factor(double a[36]);
SN_API void sn_ldl6_solve(const double a[36], double x[6]);

#endif
