// Eigenvalues and singular values by Jacobi rotations; declared in math/dense.h. Slower than QR
// iterations for large matrices, but for small ones simple, accurate to the last digits, and free
// of special cases.
#include <float.h>

#include "math/dense.h"
#include "math/double_double.h"
#include "math/tridiagonal.h"

#define MAX_SWEEPS 60 // quadratic convergence needs about ten

enum { JACOBI_LIMIT = 32 }; // above this size a sweep costs more than it gains in digits

// A power of two s such that s times the largest entry is near 1, so that squares neither overflow
// nor vanish; 0 when an entry is not finite.
static double scale_for(int count, const double *a)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        if (!isfinite(a[i])) {
            return 0.0;
        }
        largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
    }
    int exponent = largest > 0.0 ? sn_double_exponent(largest) : 0;
    return sn_power_of_two(exponent > 1022 ? -1022 : (exponent < -1022 ? 1022 : -exponent));
}

static void identity(int n, double *a)
{
    for (int i = 0; i < n * n; ++i) {
        a[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
}

// Columns p and q of an array with `rows` rows and `stride` columns: (p, q) <- (c p - s q, s p + c
// q).
static void rotate_columns(int rows, int stride, double *a, int p, int q, double c, double s)
{
    for (int k = 0; k < rows; ++k) {
        double x = a[k * stride + p], y = a[k * stride + q];
        a[k * stride + p] = c * x - s * y;
        a[k * stride + q] = s * x + c * y;
    }
}

static void swap_columns(int rows, int stride, double *a, int p, int q)
{
    for (int k = 0; k < rows; ++k) {
        double x = a[k * stride + p];
        a[k * stride + p] = a[k * stride + q];
        a[k * stride + q] = x;
    }
}

// The smaller root t = tan of t^2 + 2 theta t - 1 = 0, theta = difference / (2 product) (Golub, Van
// Loan 8.5).
static void rotation_angle(double difference, double product, double *c, double *s)
{
    double theta = difference / (2.0 * product);
    double t = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
    t = theta < 0.0 ? -t : t;
    *c = 1.0 / sqrt(t * t + 1.0);
    *s = t * *c;
}

// ---- symmetric eigenvalues ----

// One pass over all pairs; true when nothing was left to rotate.
static bool eigen_sweep(int n, double *a, double *vectors)
{
    bool done = true;
    for (int p = 0; p < n - 1; ++p) {
        for (int q = p + 1; q < n; ++q) {
            double product = a[p * n + q];
            // Nothing that would still change a diagonal entry in its last bit.
            if (fabs(product) <=
                    0.25 * DBL_EPSILON * sqrt(fabs(a[p * n + p])) * sqrt(fabs(a[q * n + q])) ||
                fabs(product) < 0x1p-600) {
                continue;
            }
            done = false;
            double c, s;
            rotation_angle(a[q * n + q] - a[p * n + p], product, &c, &s);
            rotate_columns(n, n, a, p, q, c, s);
            for (int k = 0; k < n; ++k) {
                double x = a[p * n + k], y = a[q * n + k];
                a[p * n + k] = c * x - s * y;
                a[q * n + k] = s * x + c * y;
            }
            a[p * n + q] = a[q * n + p] = 0.0;
            rotate_columns(n, n, vectors, p, q, c, s);
        }
    }
    return done;
}

bool sn_eigen_symmetric(int n, double *a, double *values, double *vectors)
{
    double scale = scale_for(n * n, a);
    if (scale == 0.0) {
        return false;
    }
    for (int i = 0; i < n * n; ++i) {
        a[i] *= scale;
    }
    if (n > JACOBI_LIMIT) {
        sn_eigen_tridiagonal(n, a, values, vectors);
    } else {
        identity(n, vectors);
        for (int sweep = 0; sweep < MAX_SWEEPS && !eigen_sweep(n, a, vectors); ++sweep) {
        }
        for (int i = 0; i < n; ++i) {
            values[i] = a[i * n + i];
        }
    }
    for (int i = 0; i < n; ++i) {
        values[i] /= scale;
    }
    for (int i = 0; i < n - 1; ++i) {
        int least = i;
        for (int k = i + 1; k < n; ++k) {
            least = values[k] < values[least] ? k : least;
        }
        if (least != i) {
            double swap = values[i];
            values[i] = values[least];
            values[least] = swap;
            swap_columns(n, n, vectors, i, least);
        }
    }
    return true;
}

// ---- singular values ----

static double column_product(int rows, int stride, const double *a, int p, int q)
{
    double sum = 0.0;
    for (int k = 0; k < rows; ++k) {
        sum += a[k * stride + p] * a[k * stride + q];
    }
    return sum;
}

// Makes every pair of columns of w (rows x n) orthogonal, longer ones first (de Rijk 1989), and
// does the same to v (n x n). True when nothing was left to do; columns that were exchanged may not
// have met all others in this sweep.
static bool svd_sweep(int rows, int n, double *w, double *v)
{
    bool done = true;
    for (int p = 0; p < n - 1; ++p) {
        for (int q = p + 1; q < n; ++q) {
            double pp = column_product(rows, n, w, p, p), qq = column_product(rows, n, w, q, q);
            double pq = column_product(rows, n, w, p, q);
            if (pp < qq) {
                done = false;
                swap_columns(rows, n, w, p, q);
                swap_columns(n, n, v, p, q);
                double swap = pp;
                pp = qq;
                qq = swap;
            }
            if (fabs(pq) <= 0.5 * DBL_EPSILON * sqrt(rows) * sqrt(pp) * sqrt(qq) || qq < 0x1p-900) {
                continue;
            }
            done = false;
            double c, s;
            rotation_angle(qq - pp, pq, &c, &s);
            rotate_columns(rows, n, w, p, q, c, s);
            rotate_columns(n, n, v, p, q, c, s);
        }
    }
    return done;
}

// A unit column at right angles to the columns before it: the unit vector that keeps most of its
// length, twice purged.
static void complete_column(int rows, int stride, double *w, int column)
{
    double best_length = -1.0;
    int best = 0;
    for (int e = 0; e < rows; ++e) {
        double length = 1.0;
        for (int p = 0; p < column; ++p) {
            length -= w[e * stride + p] * w[e * stride + p];
        }
        if (length > best_length) {
            best_length = length;
            best = e;
        }
    }
    for (int k = 0; k < rows; ++k) {
        w[k * stride + column] = k == best ? 1.0 : 0.0;
    }
    for (int pass = 0; pass < 3; ++pass) {
        for (int p = 0; p < column; ++p) {
            double along = column_product(rows, stride, w, p, column);
            for (int k = 0; k < rows; ++k) {
                w[k * stride + column] -= along * w[k * stride + p];
            }
        }
        double length = sqrt(column_product(rows, stride, w, column, column));
        for (int k = 0; k < rows; ++k) {
            w[k * stride + column] /= length;
        }
    }
}

// rows >= n: w (rows x n) holds the scaled matrix and becomes U.
static void svd_tall(int rows, int n, double *w, double *s, double *v)
{
    identity(n, v);
    for (int sweep = 0; sweep < MAX_SWEEPS && !svd_sweep(rows, n, w, v); ++sweep) {
    }
    for (int p = 0; p < n; ++p) {
        s[p] = sqrt(column_product(rows, n, w, p, p));
    }
    for (int p = 0; p < n - 1; ++p) {
        int largest = p;
        for (int q = p + 1; q < n; ++q) {
            largest = s[q] > s[largest] ? q : largest;
        }
        if (largest != p) {
            double swap = s[p];
            s[p] = s[largest];
            s[largest] = swap;
            swap_columns(rows, n, w, p, largest);
            swap_columns(n, n, v, p, largest);
        }
    }
    for (int p = 0; p < n; ++p) {
        if (s[p] < 0x1p-450) {
            s[p] = 0.0; // below the squares' range, and below any meaning beside entries near 1
            complete_column(rows, n, w, p);
            continue;
        }
        for (int k = 0; k < rows; ++k) {
            w[k * n + p] /= s[p];
        }
    }
}

bool sn_svd(int m, int n, const double *a, double *u, double *s, double *v)
{
    double scale = scale_for(m * n, a);
    if (scale == 0.0) {
        return false;
    }
    int k = m < n ? m : n;
    if (m >= n) {
        for (int i = 0; i < m * n; ++i) {
            u[i] = a[i] * scale;
        }
        svd_tall(m, n, u, s, v);
    } else {
        sn_dense_transpose(m, n, a, v);
        for (int i = 0; i < m * n; ++i) {
            v[i] *= scale;
        }
        svd_tall(n, m, v, s, u);
    }
    for (int i = 0; i < k; ++i) {
        s[i] /= scale;
    }
    return true;
}

// ---- least squares ----

size_t sn_svd_scratch(int m, int n)
{
    return (size_t)(m < n ? m : n) * ((size_t)m + (size_t)n + 1);
}

// Decomposes into scratch and counts the singular values that matter; -1 when a is not finite.
static int svd_rank(int m, int n, const double *a, double tolerance, double *scratch, double **u,
                    double **s, double **v)
{
    int k = m < n ? m : n;
    *u = scratch;
    *v = *u + m * k;
    *s = *v + n * k;
    if (!sn_svd(m, n, a, *u, *s, *v)) {
        return -1;
    }
    double relative = tolerance > 0.0 ? tolerance : (m > n ? m : n) * DBL_EPSILON;
    int rank = 0;
    while (rank < k && (*s)[rank] > relative * (*s)[0]) {
        rank += 1;
    }
    return rank;
}

int sn_least_squares(int m, int n, const double *a, const double *b, double tolerance, double *x,
                     double *scratch)
{
    double *u, *s, *v;
    int k = m < n ? m : n;
    int rank = svd_rank(m, n, a, tolerance, scratch, &u, &s, &v);
    for (int j = 0; j < n; ++j) {
        x[j] = 0.0;
    }
    for (int p = 0; p < rank; ++p) {
        double along = 0.0;
        for (int i = 0; i < m; ++i) {
            along += u[i * k + p] * b[i];
        }
        along /= s[p];
        for (int j = 0; j < n; ++j) {
            x[j] += along * v[j * k + p];
        }
    }
    return rank;
}

int sn_pseudo_inverse(int m, int n, const double *a, double tolerance, double *inverse,
                      double *scratch)
{
    double *u, *s, *v;
    int k = m < n ? m : n;
    int rank = svd_rank(m, n, a, tolerance, scratch, &u, &s, &v);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            double sum = 0.0;
            for (int p = 0; p < rank; ++p) {
                sum += v[j * k + p] * (u[i * k + p] / s[p]);
            }
            inverse[j * m + i] = sum;
        }
    }
    return rank;
}
