// The 3 x 3 and 6 x 6 cases of math/dense.h, with fixed sizes for speed.
#include <float.h>

#include "math/dense.h"
#include "math/double_double.h"

#define MAX_SWEEPS 20 // quadratic convergence needs four or five

// A power of two that brings the largest entry near 1.
static double mat3_scale(const sn_mat3 *a)
{
    double largest = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            largest = fabs(a->m[i][j]) > largest ? fabs(a->m[i][j]) : largest;
        }
    }
    int exponent = largest > 0.0 ? sn_double_exponent(largest) : 0;
    return sn_power_of_two(exponent > 1022 ? -1022 : (exponent < -1022 ? 1022 : -exponent));
}

// tan of the smaller rotation that makes `product` vanish, as cosine and sine.
static inline void rotation_angle(double difference, double product, double *c, double *s)
{
    double theta = difference / (2.0 * product);
    double t = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
    t = theta < 0.0 ? -t : t;
    *c = 1.0 / sqrt(t * t + 1.0);
    *s = t * *c;
}

static inline void rotate_columns(sn_mat3 *a, int p, int q, double c, double s)
{
    for (int k = 0; k < 3; ++k) {
        double x = a->m[k][p], y = a->m[k][q];
        a->m[k][p] = c * x - s * y;
        a->m[k][q] = s * x + c * y;
    }
}

// An exchange that is also a rotation: (p, q) <- (q, -p).
static inline void exchange_columns(sn_mat3 *a, int p, int q)
{
    for (int k = 0; k < 3; ++k) {
        double x = a->m[k][p];
        a->m[k][p] = a->m[k][q];
        a->m[k][q] = -x;
    }
}

// ---- symmetric eigenvalues ----

// Takes a[p][q] to zero; r is the third index. False when it already was, to working precision.
static inline bool eigen_rotate(sn_mat3 *a, sn_mat3 *vectors, int p, int q, int r)
{
    double product = a->m[p][q];
    if (fabs(product) <= 0.25 * DBL_EPSILON * sqrt(fabs(a->m[p][p] * a->m[q][q])) ||
        fabs(product) < 0x1p-300) {
        return false;
    }
    double c, s;
    rotation_angle(a->m[q][q] - a->m[p][p], product, &c, &s);
    double t = s / c;
    a->m[p][p] -= t * product;
    a->m[q][q] += t * product;
    a->m[p][q] = a->m[q][p] = 0.0;
    double x = a->m[p][r], y = a->m[q][r];
    a->m[p][r] = a->m[r][p] = c * x - s * y;
    a->m[q][r] = a->m[r][q] = s * x + c * y;
    rotate_columns(vectors, p, q, c, s);
    return true;
}

static inline void eigen_order(double d[3], sn_mat3 *vectors, int p, int q)
{
    if (d[q] < d[p]) {
        double swap = d[p];
        d[p] = d[q];
        d[q] = swap;
        exchange_columns(vectors, p, q);
    }
}

void sn_mat3_eigen_symmetric(sn_mat3 a, sn_vec3 *values, sn_mat3 *vectors)
{
    double scale = mat3_scale(&a);
    a = sn_mat3_scale(scale, a);
    sn_mat3 v = SN_MAT3_IDENTITY;
    bool active = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && active; ++sweep) {
        active = eigen_rotate(&a, &v, 0, 1, 2);
        active = eigen_rotate(&a, &v, 0, 2, 1) || active;
        active = eigen_rotate(&a, &v, 1, 2, 0) || active;
    }
    double d[3] = {a.m[0][0], a.m[1][1], a.m[2][2]};
    eigen_order(d, &v, 0, 1);
    eigen_order(d, &v, 0, 2);
    eigen_order(d, &v, 1, 2);
    *values = sn_vec3_make(d[0] / scale, d[1] / scale, d[2] / scale);
    *vectors = v;
}

// ---- singular values ----

static inline sn_vec3 column(const sn_mat3 *a, int p)
{
    return sn_vec3_make(a->m[0][p], a->m[1][p], a->m[2][p]);
}

static inline void set_column(sn_mat3 *a, int p, sn_vec3 x)
{
    a->m[0][p] = x.x;
    a->m[1][p] = x.y;
    a->m[2][p] = x.z;
}

// Makes columns p and q of w orthogonal, the longer first.
static inline bool svd_rotate(sn_mat3 *w, sn_mat3 *v, int p, int q)
{
    sn_vec3 x = column(w, p), y = column(w, q);
    double xx = sn_dot(x, x), yy = sn_dot(y, y), xy = sn_dot(x, y);
    if (xx < yy) {
        exchange_columns(w, p, q);
        exchange_columns(v, p, q);
        double swap = xx;
        xx = yy;
        yy = swap;
        xy = -xy;
    }
    if (fabs(xy) <= DBL_EPSILON * sqrt(xx) * sqrt(yy) || yy < 0x1p-900) {
        return false;
    }
    double c, s;
    rotation_angle(yy - xx, xy, &c, &s);
    rotate_columns(w, p, q, c, s);
    rotate_columns(v, p, q, c, s);
    return true;
}

// Exchanges can keep two columns from meeting in a sweep that turns nothing: (short, middle, long)
// becomes (long, middle, short) without a look at the first and the last. Ten times the rounding of
// those that have met is far less than what such a pair is off.
static bool are_orthogonal(const sn_mat3 *w)
{
    const double enough = 1e-13;
    for (int p = 0; p < 3; ++p) {
        sn_vec3 x = column(w, p), y = column(w, (p + 1) % 3);
        double xx = sn_dot(x, x), yy = sn_dot(y, y);
        if (fabs(sn_dot(x, y)) > enough * sqrt(xx) * sqrt(yy) && fmin(xx, yy) >= 0x1p-900) {
            return false;
        }
    }
    return true;
}

// One-sided Jacobi: W = A V has orthogonal columns, so A = (W / s) s V^T. The third direction of U
// is the cross product of the others, and s.z what is left along it.
void sn_mat3_svd(sn_mat3 a, sn_mat3 *u, sn_vec3 *s, sn_mat3 *v)
{
    double scale = mat3_scale(&a);
    sn_mat3 w = sn_mat3_scale(scale, a), turned = SN_MAT3_IDENTITY;
    bool active = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && active; ++sweep) {
        active = svd_rotate(&w, &turned, 0, 1);
        active = svd_rotate(&w, &turned, 0, 2) || active;
        active = svd_rotate(&w, &turned, 1, 2) || active;
        active = active || !are_orthogonal(&w);
    }
    sn_vec3 w0 = column(&w, 0), w1 = column(&w, 1), w2 = column(&w, 2);
    double s0 = sn_length(w0), s1 = sn_length(w1);
    sn_vec3 u0 = s0 > 0x1p-450 ? sn_vec3_scale(1.0 / s0, w0) : sn_vec3_make(1.0, 0.0, 0.0);
    sn_vec3 u1 = s1 > 0x1p-450 ? sn_vec3_scale(1.0 / s1, w1) : sn_perpendicular(u0);
    sn_vec3 u2 = sn_normalize(sn_cross(u0, u1));
    *s = sn_vec3_make(s0 / scale, s1 / scale, sn_dot(u2, w2) / scale);
    set_column(u, 0, u0);
    set_column(u, 1, u1);
    set_column(u, 2, u2);
    *v = turned;
}

void sn_mat3_polar(sn_mat3 a, sn_mat3 *r, sn_mat3 *s)
{
    sn_mat3 u, v;
    sn_vec3 d;
    sn_mat3_svd(a, &u, &d, &v);
    *r = sn_mat3_multiply(u, sn_mat3_transpose(v));
    sn_mat3 vd = sn_mat3_multiply(v, sn_mat3_diagonal(d));
    *s = sn_mat3_multiply(vd, sn_mat3_transpose(v));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            s->m[i][j] = s->m[j][i] = 0.5 * (s->m[i][j] + s->m[j][i]);
        }
    }
}

// ---- 6 x 6 ----

bool sn_ldl6_factor(double a[36])
{
    for (int i = 0; i < 6; ++i) {
        double *row = a + 6 * i;
        for (int j = 0; j < i; ++j) {
            for (int k = 0; k < j; ++k) {
                row[j] -= row[k] * a[6 * j + k];
            }
        }
        double diagonal = row[i], pivot = diagonal;
        for (int j = 0; j < i; ++j) {
            double scaled = row[j];
            row[j] = scaled * a[6 * j + j];
            pivot -= scaled * row[j];
        }
        if (!(pivot > 6.0 * DBL_EPSILON * diagonal && pivot > 0.0)) {
            return false;
        }
        row[i] = 1.0 / pivot;
    }
    return true;
}

void sn_ldl6_solve(const double a[36], double x[6])
{
    for (int i = 1; i < 6; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= a[6 * i + k] * x[k];
        }
    }
    for (int i = 5; i >= 0; --i) {
        x[i] *= a[6 * i + i];
        for (int k = i + 1; k < 6; ++k) {
            x[i] -= a[6 * k + i] * x[k];
        }
    }
}
