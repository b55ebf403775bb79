#include "math/tridiagonal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_TURNS = 60 }; // per eigenvalue; two or three are usual

// The reflection I - beta v v^T, v[0] = 1, that turns x (count) into (result, 0, ...): x[1 ..]
// becomes v[1 ..]. Gives beta, 0 where nothing needs turning.
static double make_reflection(int count, double *x, double *result)
{
    double rest = 0.0, head = x[0];
    for (int i = 1; i < count; ++i) {
        rest += x[i] * x[i];
    }
    if (rest == 0.0) {
        *result = head;
        return 0.0;
    }
    double length = sqrt(head * head + rest);
    *result = head > 0.0 ? -length : length; // the sign that does not cancel
    double first = head - *result;
    for (int i = 1; i < count; ++i) {
        x[i] /= first;
    }
    return -first / *result;
}

// Row k of a keeps its reflection right of the first off-diagonal place; the diagonal and the
// off-diagonal go to d (n) and e (n - 1), the factors to beta (n), which is scratch for products
// until then.
static void make_tridiagonal(int n, double *a, double *d, double *e, double *beta, double *product)
{
    for (int k = 0; k < n - 1; ++k) {
        double *v = a + (size_t)k * (size_t)n + k + 1;
        int count = n - 1 - k;
        d[k] = a[(size_t)k * (size_t)n + (size_t)k];
        beta[k] = make_reflection(count, v, &e[k]);
        v[0] = 1.0;
        if (beta[k] == 0.0) {
            continue;
        }
        double along = 0.0;
        for (int i = 0; i < count; ++i) {
            const double *row = a + (size_t)(k + 1 + i) * (size_t)n + k + 1;
            double sum = 0.0;
            for (int j = 0; j < count; ++j) {
                sum += row[j] * v[j];
            }
            product[i] = beta[k] * sum;
            along += product[i] * v[i];
        }
        for (int i = 0; i < count; ++i) {
            product[i] -= 0.5 * beta[k] * along * v[i];
        }
        for (int i = 0; i < count; ++i) { // A - v w^T - w v^T
            double *row = a + (size_t)(k + 1 + i) * (size_t)n + k + 1;
            double vi = v[i], wi = product[i];
            for (int j = 0; j < count; ++j) {
                row[j] -= vi * product[j] + wi * v[j];
            }
        }
    }
    d[n - 1] = a[(size_t)(n - 1) * (size_t)n + (size_t)(n - 1)];
}

// Rows of `rows` become the transpose of H_0 H_1 ...: built from the last reflection, which touches
// least.
static void gather_reflections(int n, const double *a, const double *beta, double *rows)
{
    memset(rows, 0, (size_t)n * (size_t)n * sizeof *rows);
    for (int i = 0; i < n; ++i) {
        rows[(size_t)i * (size_t)n + (size_t)i] = 1.0;
    }
    for (int k = n - 2; k >= 0; --k) {
        const double *v = a + (size_t)k * (size_t)n + k + 1;
        for (int i = k + 1; i < n && beta[k] != 0.0; ++i) {
            double *row = rows + (size_t)i * (size_t)n + k + 1, sum = 0.0;
            for (int j = 0; j < n - 1 - k; ++j) {
                sum += row[j] * v[j];
            }
            sum *= beta[k];
            for (int j = 0; j < n - 1 - k; ++j) {
                row[j] -= sum * v[j];
            }
        }
    }
}

static void rotate_rows(int n, double *low, double *high, double c, double s)
{
    for (int k = 0; k < n; ++k) {
        double x = low[k], y = high[k];
        low[k] = c * x - s * y;
        high[k] = s * x + c * y;
    }
}

// One implicit QL turn on the block first .. last with Wilkinson's shift: a bulge is chased from
// its lower end to its upper.
static void ql_turn(int n, double *d, double *e, int first, int last, double *rows)
{
    double half = (d[first + 1] - d[first]) / (2.0 * e[first]);
    double root = sqrt(half * half + 1.0);
    double bulge = d[last] - d[first] + e[first] / (half + (half < 0.0 ? -root : root));
    double c = 1.0, s = 1.0, moved = 0.0;
    for (int i = last - 1; i >= first; --i) {
        double off = s * e[i], kept = c * e[i];
        double length = sqrt(off * off + bulge * bulge);
        e[i + 1] = length;
        if (length == 0.0) { // the block falls in two
            d[i + 1] -= moved;
            e[last] = 0.0;
            return;
        }
        s = off / length;
        c = bulge / length;
        double upper = d[i + 1] - moved, mixed = (d[i] - upper) * s + 2.0 * c * kept;
        moved = s * mixed;
        d[i + 1] = upper + moved;
        bulge = c * mixed - kept;
        rotate_rows(n, rows + (size_t)i * (size_t)n, rows + (size_t)(i + 1) * (size_t)n, c, s);
    }
    d[first] -= moved;
    e[first] = bulge;
    e[last] = 0.0;
}

static void transpose_in_place(int n, double *a)
{
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            double *upper = a + (size_t)i * (size_t)n + j, *lower = a + (size_t)j * (size_t)n + i;
            double swap = *upper;
            *upper = *lower;
            *lower = swap;
        }
    }
}

void sn_eigen_tridiagonal(int n, double *a, double *values, double *vectors)
{
    // Scratch until the reflections are gathered in it: three rows.
    double *beta = vectors, *product = vectors + n, *e = vectors + 2 * (size_t)n;
    make_tridiagonal(n, a, values, e, beta, product);
    // Column 0 and the diagonal of `a` are free now, but scattered; its last row is free as a whole
    // up to the diagonal.
    double *keep = a + (size_t)(n - 1) * (size_t)n;
    for (int k = 0; k < n - 1; ++k) {
        keep[k] = beta[k];
        a[(size_t)k * (size_t)n + (size_t)k] = e[k];
    }
    gather_reflections(n, a, keep, vectors);
    e = a; // what was reflections is no longer needed
    for (int k = 0; k < n - 1; ++k) {
        e[k] = a[(size_t)k * (size_t)n + (size_t)k];
    }
    e[n - 1] = 0.0;
    for (int first = 0; first < n; ++first) {
        for (int turn = 0; turn < MAX_TURNS; ++turn) {
            int last = first;
            while (last < n - 1 &&
                   fabs(e[last]) > DBL_EPSILON * (fabs(values[last]) + fabs(values[last + 1]))) {
                last += 1;
            }
            if (last == first) {
                break;
            }
            ql_turn(n, values, e, first, last, vectors);
        }
    }
    transpose_in_place(n, vectors);
}
