// LQ factorisation with row exchanges; declared in math/dense.h. Householder's reflections from the
// right, so that all work runs along rows (Golub, Van Loan 5.2 and 5.4.1, transposed).
#include <float.h>

#include "math/dense.h"

static double *row_of(int n, const double *a, int row)
{
    return (double *)a + (size_t)row * (size_t)n;
}

static double square_from(int n, const double *row, int first)
{
    double sum = 0.0;
    for (int j = first; j < n; ++j) {
        sum += row[j] * row[j];
    }
    return sum;
}

static void swap_rows(int n, double *a, int p, int q, int *order)
{
    double *x = row_of(n, a, p), *y = row_of(n, a, q);
    for (int j = 0; j < n; ++j) {
        double swap = x[j];
        x[j] = y[j];
        y[j] = swap;
    }
    int swap = order[p];
    order[p] = order[q];
    order[q] = swap;
}

// x <- (I - beta v v^T) x on entries `first` and up, where v is 1 there and then as in
// `reflection`.
static void reflect(int n, const double *reflection, double beta, int first, double *x)
{
    double sum = x[first];
    for (int j = first + 1; j < n; ++j) {
        sum += reflection[j] * x[j];
    }
    sum *= beta;
    x[first] -= sum;
    for (int j = first + 1; j < n; ++j) {
        x[j] -= sum * reflection[j];
    }
}

int sn_lq_factor(int m, int n, double *a, int *order, double *beta, double tolerance)
{
    double relative = tolerance > 0.0 ? tolerance : (m > n ? m : n) * DBL_EPSILON;
    double longest_first = 0.0;
    int most = m < n ? m : n;
    for (int i = 0; i < m; ++i) {
        order[i] = i;
    }
    for (int k = 0; k < most; ++k) {
        int best = k;
        double longest = -1.0;
        for (int i = k; i < m; ++i) {
            double square = square_from(n, row_of(n, a, i), k);
            if (square > longest) {
                longest = square;
                best = i;
            }
        }
        longest_first = k == 0 ? longest : longest_first;
        if (!(longest > relative * relative * longest_first)) {
            return k;
        }
        if (best != k) {
            swap_rows(n, a, k, best, order);
        }
        double *row = row_of(n, a, k), length = sqrt(longest);
        double result = row[k] > 0.0 ? -length : length, head = row[k] - result;
        for (int j = k + 1; j < n; ++j) {
            row[j] /= head;
        }
        beta[k] = -head / result;
        row[k] = result;
        for (int i = k + 1; i < m; ++i) {
            reflect(n, row, beta[k], k, row_of(n, a, i));
        }
    }
    return most;
}

void sn_lq_apply(int n, const double *lq, const double *beta, int rank, double *x)
{
    for (int k = 0; k < rank; ++k) {
        reflect(n, row_of(n, lq, k), beta[k], k, x);
    }
}

void sn_lq_apply_transpose(int n, const double *lq, const double *beta, int rank, double *x)
{
    for (int k = rank - 1; k >= 0; --k) {
        reflect(n, row_of(n, lq, k), beta[k], k, x);
    }
}

void sn_lq_solve(int n, const double *lq, const double *beta, const int *order, int rank,
                 const double *b, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] = i < rank ? b[order[i]] : 0.0;
    }
    for (int i = 0; i < rank; ++i) {
        const double *row = row_of(n, lq, i);
        for (int k = 0; k < i; ++k) {
            x[i] -= row[k] * x[k];
        }
        x[i] /= row[i];
    }
    sn_lq_apply_transpose(n, lq, beta, rank, x);
}

void sn_lq_solve_transpose(int m, int n, const double *lq, const double *beta, const int *order,
                           int rank, double *c, double *y)
{
    sn_lq_apply(n, lq, beta, rank, c);
    for (int i = 0; i < m; ++i) {
        y[i] = 0.0;
    }
    for (int k = rank - 1; k >= 0; --k) {
        double sum = c[k];
        for (int i = k + 1; i < rank; ++i) {
            sum -= row_of(n, lq, i)[k] * y[order[i]];
        }
        y[order[k]] = sum / row_of(n, lq, k)[k];
    }
}
