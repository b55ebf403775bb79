// Products, triangular factorisations and their solves; the rotations' methods are in
// math/jacobi.c, the fixed sizes in math/dense_small.c.
#include "math/dense.h"

#include <float.h>

// ---- products ----

void sn_dense_multiply(int rows, int inner, int columns, const double *a, const double *b,
                       double *c)
{
    // Along rows of b and c, so that large ones stream; each sum still runs in the order of k.
    for (int i = 0; i < rows; ++i) {
        double *row = c + (size_t)i * (size_t)columns;
        for (int j = 0; j < columns; ++j) {
            row[j] = 0.0;
        }
        for (int k = 0; k < inner; ++k) {
            double factor = a[(size_t)i * (size_t)inner + (size_t)k];
            const double *from = b + (size_t)k * (size_t)columns;
            for (int j = 0; j < columns; ++j) {
                row[j] += factor * from[j];
            }
        }
    }
}

void sn_dense_transpose(int rows, int columns, const double *a, double *t)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            t[j * rows + i] = a[i * columns + j];
        }
    }
}

void sn_dense_apply(int rows, int columns, const double *a, const double *x, double *y)
{
    sn_dense_multiply(rows, columns, 1, a, x, y);
}

// ---- Cholesky ----

static bool report_pivot(int *bad_pivot, int row)
{
    if (bad_pivot) {
        *bad_pivot = row;
    }
    return row < 0;
}

bool sn_cholesky_factor(int n, double *a, int *bad_pivot)
{
    for (int j = 0; j < n; ++j) {
        double diagonal = a[j * n + j], pivot = diagonal;
        for (int k = 0; k < j; ++k) {
            pivot -= a[j * n + k] * a[j * n + k];
        }
        if (!(pivot > n * DBL_EPSILON * diagonal && pivot > 0.0 && isfinite(pivot))) {
            return report_pivot(bad_pivot, j);
        }
        a[j * n + j] = sqrt(pivot);
        for (int i = j + 1; i < n; ++i) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = sum / a[j * n + j];
        }
    }
    return report_pivot(bad_pivot, -1);
}

void sn_cholesky_solve_lower(int n, const double *l, double *x)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
}

void sn_cholesky_solve_upper(int n, const double *l, double *x)
{
    for (int k = n - 1; k >= 0; --k) {
        x[k] /= l[k * n + k];
        for (int i = 0; i < k; ++i) {
            x[i] -= l[k * n + i] * x[k];
        }
    }
}

void sn_cholesky_solve(int n, const double *l, double *x)
{
    sn_cholesky_solve_lower(n, l, x);
    sn_cholesky_solve_upper(n, l, x);
}

// ---- LDL^T ----

// Row by row: L_ij D_j first, kept in place until the row's pivot is known.
bool sn_ldl_factor(int n, double *a, int *bad_pivot)
{
    for (int i = 0; i < n; ++i) {
        double *row = a + i * n;
        for (int j = 0; j < i; ++j) {
            for (int k = 0; k < j; ++k) {
                row[j] -= row[k] * a[j * n + k];
            }
        }
        double pivot = row[i], largest = fabs(pivot);
        for (int j = 0; j < i; ++j) {
            double scaled = row[j];
            row[j] = scaled / a[j * n + j];
            double part = scaled * row[j];
            pivot -= part;
            largest = fabs(part) > largest ? fabs(part) : largest;
        }
        if (!(fabs(pivot) > n * DBL_EPSILON * largest && isfinite(pivot))) {
            return report_pivot(bad_pivot, i);
        }
        row[i] = pivot;
    }
    return report_pivot(bad_pivot, -1);
}

// x = L^-1 x, then x = D^-1 x, then x = L^-T x, for the leading `rank` rows.
static void ldl_solve_leading(int n, int rank, const double *ldl, double *x)
{
    for (int i = 0; i < rank; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= ldl[i * n + k] * x[k];
        }
    }
    for (int i = 0; i < rank; ++i) {
        x[i] /= ldl[i * n + i];
    }
    for (int i = rank - 1; i >= 0; --i) {
        for (int k = i + 1; k < rank; ++k) {
            x[i] -= ldl[k * n + i] * x[k];
        }
    }
}

void sn_ldl_solve(int n, const double *ldl, double *x)
{
    ldl_solve_leading(n, n, ldl, x);
}

static void swap_doubles(double *a, double *b)
{
    double swap = *a;
    *a = *b;
    *b = swap;
}

// Exchanges rows and columns p < q of a symmetric matrix of which only the lower triangle exists.
static void swap_symmetric(int n, double *a, int p, int q)
{
    for (int k = 0; k < p; ++k) {
        swap_doubles(&a[p * n + k], &a[q * n + k]);
    }
    swap_doubles(&a[p * n + p], &a[q * n + q]);
    for (int k = p + 1; k < q; ++k) {
        swap_doubles(&a[k * n + p], &a[q * n + k]);
    }
    for (int k = q + 1; k < n; ++k) {
        swap_doubles(&a[k * n + p], &a[k * n + q]);
    }
}

// Right-looking, so that the remaining diagonal is always up to date for the choice of the next
// pivot.
int sn_ldl_factor_pivoted(int n, double *a, int *order, double tolerance)
{
    double limit = 0.0;
    for (int i = 0; i < n; ++i) {
        order[i] = i;
    }
    for (int j = 0; j < n; ++j) {
        int best = j;
        for (int i = j + 1; i < n; ++i) {
            best = a[i * n + i] > a[best * n + best] ? i : best;
        }
        double pivot = a[best * n + best];
        if (j == 0) {
            limit = (tolerance > 0.0 ? tolerance : n * DBL_EPSILON) * pivot;
        }
        if (!(pivot > limit && pivot > 0.0 && isfinite(pivot))) {
            return j;
        }
        if (best != j) {
            swap_symmetric(n, a, j, best);
            int swap = order[j];
            order[j] = order[best];
            order[best] = swap;
        }
        for (int i = j + 1; i < n; ++i) {
            double factor = a[i * n + j] / pivot;
            for (int k = j + 1; k <= i; ++k) {
                // a[k][j] of rows above i is already divided by the pivot.
                a[i * n + k] -= factor * (k < i ? a[k * n + j] * pivot : a[i * n + j]);
            }
            a[i * n + j] = factor;
        }
    }
    return n;
}

void sn_ldl_solve_pivoted(int n, const double *ldl, const int *order, int rank, double *x,
                          double *scratch)
{
    for (int i = 0; i < n; ++i) {
        scratch[i] = i < rank ? x[order[i]] : 0.0;
    }
    ldl_solve_leading(n, rank, ldl, scratch);
    for (int i = 0; i < n; ++i) {
        x[order[i]] = scratch[i];
    }
}

// ---- LU ----

bool sn_lu_factor(int n, double *a, int *swaps)
{
    double largest = 0.0;
    for (int i = 0; i < n * n; ++i) {
        largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
    }
    for (int j = 0; j < n; ++j) {
        int best = j;
        for (int i = j + 1; i < n; ++i) {
            best = fabs(a[i * n + j]) > fabs(a[best * n + j]) ? i : best;
        }
        swaps[j] = best;
        if (!(fabs(a[best * n + j]) > n * DBL_EPSILON * largest && isfinite(a[best * n + j]))) {
            return false;
        }
        for (int k = 0; k < n && best != j; ++k) {
            swap_doubles(&a[j * n + k], &a[best * n + k]);
        }
        for (int i = j + 1; i < n; ++i) {
            double factor = a[i * n + j] / a[j * n + j];
            a[i * n + j] = factor;
            for (int k = j + 1; k < n; ++k) {
                a[i * n + k] -= factor * a[j * n + k];
            }
        }
    }
    return true;
}

void sn_lu_solve_many(int n, const double *lu, const int *swaps, int columns, double *b)
{
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < columns && swaps[i] != i; ++c) {
            swap_doubles(&b[i * columns + c], &b[swaps[i] * columns + c]);
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            for (int c = 0; c < columns; ++c) {
                b[i * columns + c] -= lu[i * n + k] * b[k * columns + c];
            }
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            for (int c = 0; c < columns; ++c) {
                b[i * columns + c] -= lu[i * n + k] * b[k * columns + c];
            }
        }
        for (int c = 0; c < columns; ++c) {
            b[i * columns + c] /= lu[i * n + i];
        }
    }
}

void sn_lu_solve(int n, const double *lu, const int *swaps, double *x)
{
    sn_lu_solve_many(n, lu, swaps, 1, x);
}

void sn_lu_inverse(int n, const double *lu, const int *swaps, double *inverse)
{
    for (int i = 0; i < n * n; ++i) {
        inverse[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    sn_lu_solve_many(n, lu, swaps, n, inverse);
}

double sn_lu_determinant(int n, const double *lu, const int *swaps)
{
    double product = 1.0;
    for (int i = 0; i < n; ++i) {
        product *= swaps[i] == i ? lu[i * n + i] : -lu[i * n + i];
    }
    return product;
}
