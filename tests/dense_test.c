// Small dense linear algebra: residuals on ordinary and on nasty matrices, LAPACK as the
// independent oracle.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <lapacke.h>

#include "math/dense.h"

#define MAX  14
#define SIZE (MAX * MAX)

static double next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1.0;
}

static double largest_entry(int count, const double *a)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

static double largest_difference(int count, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

// |Q^T Q - 1| for rows x columns.
static double orthogonality(int rows, int columns, const double *q)
{
    double worst = 0.0;
    for (int i = 0; i < columns; ++i) {
        for (int j = 0; j < columns; ++j) {
            double sum = i == j ? -1.0 : 0.0;
            for (int k = 0; k < rows; ++k) {
                sum += q[k * columns + i] * q[k * columns + j];
            }
            worst = fmax(worst, fabs(sum));
        }
    }
    return worst;
}

enum { RANDOM, HILBERT, RANK_TWO, ONES, ZERO, IDENTITY, TINY, HUGE_SCALE, GRADED, KINDS };

static double kind_entry(int kind, int i, int j, uint64_t *seed)
{
    switch (kind) {
    case HILBERT:
        return 1.0 / (i + j + 1);
    case RANK_TWO:
        return (i + 1.0) * (j + 2.0) + (i % 3 - 1.0) * (j % 4 - 1.5);
    case ONES:
        return 1.0;
    case ZERO:
        return 0.0;
    case IDENTITY:
        return i == j ? 3.0 : 0.0;
    case TINY:
        return 1e-300 * next_random(seed);
    case HUGE_SCALE:
        return 1e300 * next_random(seed);
    case GRADED:
        return next_random(seed) * pow(10.0, -2.0 * j);
    default:
        return next_random(seed);
    }
}

static void make_matrix(int kind, int rows, int columns, uint64_t *seed, double *a)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            a[i * columns + j] = kind_entry(kind, i, j, seed);
        }
    }
}

static void make_symmetric(int kind, int n, uint64_t *seed, double *a)
{
    make_matrix(kind, n, n, seed, a);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            a[i * n + j] = a[j * n + i] = 0.5 * a[i * n + j] + 0.5 * a[j * n + i];
        }
    }
}

// B B^T + shift, times scale.
static void make_positive(int n, double shift, double scale, uint64_t *seed, double *a)
{
    double b[SIZE], t[SIZE];
    make_matrix(RANDOM, n, n, seed, b);
    sn_dense_transpose(n, n, b, t);
    sn_dense_multiply(n, n, n, b, t, a);
    for (int i = 0; i < n * n; ++i) {
        a[i] = scale * (a[i] + (i % (n + 1) == 0 ? shift : 0.0));
    }
}

// ---- factorisations ----

// max |A x - b| / (|A| |x| n), the backward error.
static double backward_error(int n, const double *a, const double *x, const double *b)
{
    double product[MAX];
    sn_dense_apply(n, n, a, x, product);
    double size = largest_entry(n * n, a) * largest_entry(n, x) * n;
    return largest_difference(n, product, b) / size;
}

static void positive_systems_are_solved_to_round_off(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const double scales[] = {1.0, 1e-150, 1e150, 1e-300, 1e300};
    for (int round = 0; round < 400; ++round) {
        int n = 1 + round % MAX;
        double a[SIZE], l[SIZE], b[MAX], x[MAX], y[MAX], scratch[MAX];
        int bad, order[MAX];
        make_positive(n, 0.1, scales[round % 5], &seed, a);
        make_matrix(RANDOM, n, 1, &seed, b);
        for (int i = 0; i < n; ++i) {
            b[i] *= scales[round % 5];
        }
        memcpy(x, b, sizeof x);
        memcpy(l, a, sizeof l);
        assert_true(sn_cholesky_factor(n, l, &bad));
        assert_int_equal(bad, -1);
        sn_cholesky_solve(n, l, x);
        assert_true(backward_error(n, a, x, b) < 1e-15);

        memcpy(y, b, sizeof y);
        memcpy(l, a, sizeof l);
        assert_true(sn_ldl_factor(n, l, NULL));
        sn_ldl_solve(n, l, y);
        assert_true(backward_error(n, a, y, b) < 1e-15);

        memcpy(y, b, sizeof y);
        memcpy(l, a, sizeof l);
        assert_int_equal(sn_ldl_factor_pivoted(n, l, order, 0.0), n);
        sn_ldl_solve_pivoted(n, l, order, n, y, scratch);
        assert_true(backward_error(n, a, y, b) < 1e-15);

        // LAPACK's factor has the same entries (both triangles are unique).
        double theirs[SIZE], ours[SIZE];
        memcpy(theirs, a, sizeof theirs);
        memcpy(ours, a, sizeof ours);
        assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, theirs, n), 0);
        assert_true(sn_cholesky_factor(n, ours, NULL));
        assert_true(largest_difference(n * n, ours, theirs) <=
                    1e-12 * sqrt(largest_entry(n * n, a)));
    }
}

static void bad_pivots_are_named(void **state)
{
    (void)state;
    int bad = 7, order[3];
    double indefinite[9] = {2, 0, 0, 0, 3, 0, 0, 0, -1};
    assert_false(sn_cholesky_factor(3, indefinite, &bad));
    assert_int_equal(bad, 2);
    double semi[9] = {1, 0, 0, 1, 1, 0, 1, 1, 5};
    assert_false(sn_cholesky_factor(3, semi, &bad));
    assert_int_equal(bad, 1);
    double regular[9] = {2, 0, 0, 1, -3, 0, 4, 5, 6};
    assert_true(sn_ldl_factor(3, regular, &bad));
    assert_int_equal(bad, -1);
    double zero_minor[9] = {1, 0, 0, 2, 4, 0, 0, 1, 1};
    assert_false(sn_ldl_factor(3, zero_minor, &bad));
    assert_int_equal(bad, 1);
    double with_nan[4] = {1, 0, NAN, 1};
    assert_false(sn_ldl_factor(2, with_nan, &bad));
    double with_nan_too[4] = {1, 0, NAN, 1};
    assert_false(sn_cholesky_factor(2, with_nan_too, &bad));
    double nothing[9] = {0};
    assert_int_equal(sn_ldl_factor_pivoted(3, nothing, order, 0.0), 0);
    double infinite[4] = {INFINITY, 0, 0, 1};
    assert_false(sn_lu_factor(2, infinite, order));
    double singular[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_false(sn_lu_factor(3, singular, order));
}

// Rank-deficient but consistent: A = B B^T with B n x r, b = A c.
static void semidefinite_systems_give_rank_and_a_solution(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int round = 0; round < 200; ++round) {
        int n = 2 + round % (MAX - 1), r = 1 + round % (n - 1);
        double b[SIZE], t[SIZE], a[SIZE], f[SIZE], c[MAX], right[MAX], x[MAX], scratch[MAX];
        int order[MAX];
        make_matrix(RANDOM, n, r, &seed, b);
        sn_dense_transpose(n, r, b, t);
        sn_dense_multiply(n, r, n, b, t, a);
        make_matrix(RANDOM, n, 1, &seed, c);
        sn_dense_apply(n, n, a, c, right);
        memcpy(f, a, sizeof f);
        memcpy(x, right, sizeof x);
        int rank = sn_ldl_factor_pivoted(n, f, order, 1e-10);
        assert_int_equal(rank, r);
        sn_ldl_solve_pivoted(n, f, order, rank, x, scratch);
        double back[MAX];
        sn_dense_apply(n, n, a, x, back);
        assert_true(largest_difference(n, back, right) < 1e-10 * (1.0 + largest_entry(n, x)));
    }
}

static void lu_solves_inverts_and_agrees_with_lapack(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 400; ++round) {
        int n = 1 + round % MAX;
        double scale = round % 3 == 0 ? 1.0 : (round % 3 == 1 ? 1e-300 : 1e300);
        double a[SIZE], lu[SIZE], b[MAX], x[MAX], inverse[SIZE], product[SIZE];
        int swaps[MAX];
        make_matrix(RANDOM, n, n, &seed, a);
        make_matrix(RANDOM, n, 1, &seed, b);
        for (int i = 0; i < n * n; ++i) {
            a[i] *= scale;
        }
        memcpy(lu, a, sizeof lu);
        memcpy(x, b, sizeof x);
        assert_true(sn_lu_factor(n, lu, swaps));
        for (int i = 0; i < n; ++i) {
            b[i] *= scale;
            x[i] *= scale;
        }
        sn_lu_solve(n, lu, swaps, x);
        assert_true(backward_error(n, a, x, b) < 1e-14);

        double theirs[SIZE];
        lapack_int pivots[MAX];
        memcpy(theirs, a, sizeof theirs);
        assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, theirs, n, pivots), 0);
        assert_true(largest_difference(n * n, lu, theirs) <= 1e-11 * fmax(scale, 1.0));
        double expected = 1.0, ours = sn_lu_determinant(n, lu, swaps);
        for (int i = 0; i < n; ++i) {
            expected *= pivots[i] == i + 1 ? theirs[i * n + i] : -theirs[i * n + i];
        }
        assert_true(ours == expected || fabs(ours - expected) <= 1e-10 * fabs(expected));

        sn_lu_inverse(n, lu, swaps, inverse);
        sn_dense_multiply(n, n, n, a, inverse, product);
        double worst = 0.0;
        for (int i = 0; i < n * n; ++i) {
            worst = fmax(worst, fabs(product[i] - (i % (n + 1) == 0 ? 1.0 : 0.0)));
        }
        assert_true(worst <= 1e-14 * n * largest_entry(n * n, a) * largest_entry(n * n, inverse));
    }
}

// ---- eigenvalues ----

static void eigenvalues_of_every_kind(void **state)
{
    (void)state;
    uint64_t seed = 4;
    double worst_orthogonality = 0.0, worst_values = 0.0, worst_residual = 0.0;
    for (int round = 0; round < 40 * KINDS; ++round) {
        int n = 1 + round / KINDS % MAX, kind = round % KINDS;
        double a[SIZE], work[SIZE], values[MAX], vectors[SIZE], theirs[MAX], copy[SIZE];
        make_symmetric(kind, n, &seed, a);
        memcpy(work, a, sizeof work);
        memcpy(copy, a, sizeof copy);
        assert_true(sn_eigen_symmetric(n, work, values, vectors));
        double size = largest_entry(n * n, a);
        size = size > 0.0 ? size : 1.0;
        double unit = 1.0 / size; // all checks on A / |A|, so that 1e300 does not overflow
        for (int i = 0; i < n * n; ++i) {
            copy[i] *= unit;
        }
        double scaled[SIZE];
        memcpy(scaled, copy, sizeof scaled);
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, copy, n, theirs), 0);
        for (int k = 0; k < n; ++k) {
            assert_true(k == 0 || values[k - 1] <= values[k]);
            worst_values = fmax(worst_values, fabs(values[k] * unit - theirs[k]) / n);
            for (int i = 0; i < n; ++i) {
                double sum = -values[k] * unit * vectors[i * n + k];
                for (int j = 0; j < n; ++j) {
                    sum += scaled[i * n + j] * vectors[j * n + k];
                }
                worst_residual = fmax(worst_residual, fabs(sum) / n);
            }
        }
        worst_orthogonality = fmax(worst_orthogonality, orthogonality(n, n, vectors));
    }
    print_message("eigen: |V^T V - 1| %.1e, residual %.1e, against LAPACK %.1e\n",
                  worst_orthogonality, worst_residual, worst_values);
    assert_true(worst_orthogonality < 1e-14);
    assert_true(worst_residual < 2e-15);
    assert_true(worst_values < 2e-15);
    double bad[4] = {1, NAN, NAN, 1}, values[2], vectors[4];
    assert_false(sn_eigen_symmetric(2, bad, values, vectors));
}

// ---- singular values ----

static void singular_values_of_every_kind_and_shape(void **state)
{
    (void)state;
    uint64_t seed = 5;
    double worst_u = 0.0, worst_v = 0.0, worst_residual = 0.0, worst_values = 0.0;
    for (int round = 0; round < 60 * KINDS; ++round) {
        int m = 1 + round / KINDS % MAX, n = 1 + round / (2 * KINDS) * 5 % MAX,
            kind = round % KINDS;
        int k = m < n ? m : n;
        double a[SIZE], u[SIZE], s[MAX], v[SIZE], copy[SIZE], theirs[MAX], super[MAX];
        make_matrix(kind, m, n, &seed, a);
        assert_true(sn_svd(m, n, a, u, s, v));
        double size = largest_entry(m * n, a), unit = size > 0.0 ? 1.0 / size : 1.0;
        for (int i = 0; i < m * n; ++i) {
            copy[i] = a[i] * unit;
        }
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = -copy[i * n + j];
                for (int p = 0; p < k; ++p) {
                    sum += u[i * k + p] * (s[p] * unit) * v[j * k + p];
                }
                worst_residual = fmax(worst_residual, fabs(sum) / (m + n));
            }
        }
        assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, n, copy, n, theirs, NULL, 1,
                                        NULL, 1, super),
                         0);
        for (int p = 0; p < k; ++p) {
            assert_true(s[p] >= 0.0 && (p == 0 || s[p - 1] >= s[p]));
            worst_values = fmax(worst_values, fabs(s[p] * unit - theirs[p]) / (m + n));
        }
        worst_u = fmax(worst_u, orthogonality(m, k, u));
        worst_v = fmax(worst_v, orthogonality(n, k, v));
    }
    print_message("svd: |U^T U - 1| %.1e, |V^T V - 1| %.1e, residual %.1e, against LAPACK %.1e\n",
                  worst_u, worst_v, worst_residual, worst_values);
    assert_true(worst_u < 1e-14);
    assert_true(worst_v < 1e-14);
    assert_true(worst_residual < 1e-15);
    assert_true(worst_values < 1e-15);
}

// diag(1, 1e-8, .., 1e-40) times a rotation: LAPACK loses the small values, one-sided Jacobi must
// not.
static void small_singular_values_keep_their_digits(void **state)
{
    (void)state;
    double c = 0.6, t = 0.8, a[9], u[9], s[3], v[9];
    const double q[9] = {c, -t, 0.0, t, c, 0.0, 0.0, 0.0, 1.0};
    const double r[9] = {1.0, 0.0, 0.0, 0.0, c, -t, 0.0, t, c};
    double qr[9];
    sn_dense_multiply(3, 3, 3, q, r, qr);
    const double d[3] = {1.0, 1e-20, 1e-40};
    for (int i = 0; i < 9; ++i) {
        a[i] = qr[i] * d[i % 3];
    }
    assert_true(sn_svd(3, 3, a, u, s, v));
    for (int i = 0; i < 3; ++i) {
        assert_true(fabs(s[i] - d[i]) < 1e-14 * d[i]);
    }
}

static void least_squares_agree_with_lapack(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int round = 0; round < 300; ++round) {
        int m = 1 + round % MAX, n = 1 + round * 5 / 3 % MAX, k = m < n ? m : n, r = 1 + round % k;
        double left[SIZE], right[SIZE], a[SIZE], b[MAX] = {0}, x[MAX], scratch[2 * SIZE + MAX];
        assert_true(sn_svd_scratch(m, n) <= sizeof scratch / sizeof *scratch);
        make_matrix(RANDOM, m, r, &seed, left);
        make_matrix(RANDOM, r, n, &seed, right);
        sn_dense_multiply(m, r, n, left, right, a);
        make_matrix(RANDOM, m, 1, &seed, b);
        assert_int_equal(sn_least_squares(m, n, a, b, 1e-11, x, scratch), r);

        double copy[SIZE], theirs[MAX] = {0}, s[MAX];
        lapack_int rank;
        memcpy(copy, a, sizeof copy);
        memcpy(theirs, b, sizeof theirs);
        assert_int_equal(
            LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m, n, 1, copy, n, theirs, 1, s, 1e-11, &rank), 0);
        assert_int_equal(rank, r);
        double condition = s[0] / s[r - 1];
        assert_true(largest_difference(n, x, theirs) <=
                    1e-13 * condition * condition * (1.0 + largest_entry(n, theirs)));

        // Penrose's conditions A A+ A = A and (A+ A)^T = A+ A.
        double inverse[SIZE], product[SIZE], back[SIZE], transpose[SIZE];
        assert_int_equal(sn_pseudo_inverse(m, n, a, 1e-11, inverse, scratch), r);
        sn_dense_multiply(n, m, n, inverse, a, product);
        sn_dense_multiply(m, n, n, a, product, back);
        sn_dense_transpose(n, n, product, transpose);
        assert_true(largest_difference(m * n, a, back) < 1e-13 * condition);
        assert_true(largest_difference(n * n, product, transpose) < 1e-13 * condition);
    }
    double bad[2] = {INFINITY, 1}, b[1] = {1}, x[2], scratch[8];
    assert_int_equal(sn_least_squares(1, 2, bad, b, 0.0, x, scratch), -1);
    double zero[4] = {0}, two[2] = {1, 2};
    assert_int_equal(sn_least_squares(2, 2, zero, two, 0.0, x, (double[10]){0}), 0);
    assert_true(x[0] == 0.0 && x[1] == 0.0);
}

// ---- 3 x 3 ----

static sn_mat3 mat3_from(const double *a)
{
    sn_mat3 m;
    memcpy(m.m, a, sizeof m.m);
    return m;
}

static double mat3_difference(sn_mat3 a, sn_mat3 b)
{
    return largest_difference(9, &a.m[0][0], &b.m[0][0]);
}

static void assert_proper_rotation(sn_mat3 r)
{
    assert_true(mat3_difference(sn_mat3_multiply(sn_mat3_transpose(r), r), SN_MAT3_IDENTITY) <
                5e-15);
    assert_true(fabs(sn_mat3_determinant(r) - 1.0) < 5e-15);
}

static void mat3_eigenvalues_of_every_kind(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 3000 * KINDS; ++round) {
        double a[9], theirs[3], copy[9];
        make_symmetric(round % KINDS, 3, &seed, a);
        if (round % 7 == 0) { // two equal eigenvalues
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    copy[3 * i + j] = (i == j ? 1.0 : 0.0) + a[i] * (a[j] / largest_entry(9, a));
                }
            }
            if (largest_entry(9, a) > 0.0 && largest_entry(9, a) < 1e10) {
                memcpy(a, copy, sizeof a);
            }
        }
        double size = largest_entry(9, a), unit = size > 0.0 ? 1.0 / size : 1.0;
        sn_vec3 values;
        sn_mat3 vectors;
        sn_mat3_eigen_symmetric(mat3_from(a), &values, &vectors);
        assert_proper_rotation(vectors);
        assert_true(values.x <= values.y && values.y <= values.z);
        sn_mat3 back = sn_mat3_multiply(
            sn_mat3_multiply(vectors, sn_mat3_diagonal(sn_vec3_scale(unit, values))),
            sn_mat3_transpose(vectors));
        for (int i = 0; i < 9; ++i) {
            copy[i] = a[i] * unit;
        }
        assert_true(mat3_difference(back, mat3_from(copy)) < 4e-15);
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', 3, copy, 3, theirs), 0);
        double ours[3] = {values.x * unit, values.y * unit, values.z * unit};
        assert_true(largest_difference(3, ours, theirs) < 3e-15);
    }
    // A diagonal matrix in order is left alone: no needless turning of bodies that are already
    // principal.
    sn_vec3 values;
    sn_mat3 vectors;
    sn_mat3_eigen_symmetric(sn_mat3_diagonal(sn_vec3_make(1.0, 2.0, 3.0)), &values, &vectors);
    assert_memory_equal(&vectors, &SN_MAT3_IDENTITY, sizeof vectors);
}

// Columns of which only two are not at right angles, in every order of their lengths: exchanges
// alone must not end the sweeps before those two have met.
static void singular_values_of_motions_in_a_plane(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int round = 0; round < 3000; ++round) {
        double small[4], a[9] = {0}, u[9], s[3], v[9];
        make_matrix(0, 2, 2, &seed, small);
        int alone = round % 3, p = (alone + 1) % 3, q = (alone + 2) % 3;
        a[4 * alone] = 0.5 + 0.001 * (double)(round / 3);
        a[3 * p + p] = 1.0 + 0.3 * small[0];
        a[3 * p + q] = 0.3 * small[1];
        a[3 * q + p] = 0.3 * small[2];
        a[3 * q + q] = 1.0 + 0.3 * small[3];
        sn_mat3 u3, v3;
        sn_vec3 s3;
        sn_mat3_svd(mat3_from(a), &u3, &s3, &v3);
        sn_mat3 back =
            sn_mat3_multiply(sn_mat3_multiply(u3, sn_mat3_diagonal(s3)), sn_mat3_transpose(v3));
        assert_true(mat3_difference(back, mat3_from(a)) < 4e-15);
        assert_true(sn_svd(3, 3, a, u, s, v));
        for (int i = 0; i < 9; ++i) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += u[3 * (i / 3) + k] * s[k] * v[3 * (i % 3) + k];
            }
            assert_true(fabs(sum - a[i]) < 4e-15);
        }
        assert_true(orthogonality(3, 3, u) < 1e-14 && orthogonality(3, 3, v) < 1e-14);
    }
}

static void mat3_singular_values_and_polar(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int round = 0; round < 3000 * KINDS; ++round) {
        double a[9], copy[9], theirs[3], super[3];
        make_matrix(round % KINDS, 3, 3, &seed, a);
        double size = largest_entry(9, a), unit = size > 0.0 ? 1.0 / size : 1.0;
        sn_mat3 f = mat3_from(a), u, v, r, stretch;
        sn_vec3 s;
        sn_mat3_svd(f, &u, &s, &v);
        assert_proper_rotation(u);
        assert_proper_rotation(v);
        assert_true(s.x >= s.y && s.y * (1.0 + 1e-14) >= fabs(s.z));
        for (int i = 0; i < 9; ++i) {
            copy[i] = a[i] * unit;
        }
        sn_mat3 scaled = mat3_from(copy);
        sn_mat3 back = sn_mat3_multiply(
            sn_mat3_multiply(u, sn_mat3_diagonal(sn_vec3_scale(unit, s))), sn_mat3_transpose(v));
        assert_true(mat3_difference(back, scaled) < 4e-15);
        assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', 3, 3, copy, 3, theirs, NULL, 1,
                                        NULL, 1, super),
                         0);
        double ours[3] = {s.x * unit, s.y * unit, fabs(s.z) * unit};
        assert_true(largest_difference(3, ours, theirs) < 4e-15);

        sn_mat3_polar(f, &r, &stretch);
        assert_proper_rotation(r);
        stretch = sn_mat3_scale(unit, stretch);
        assert_true(mat3_difference(stretch, sn_mat3_transpose(stretch)) == 0.0);
        assert_true(mat3_difference(sn_mat3_multiply(r, stretch), scaled) < 5e-15);

        // R is the closest rotation: trace(R^T F) is not less than for turns nearby.
        double best = 0.0;
        for (int i = 0; i < 9; ++i) {
            best += (&r.m[0][0])[i] * (&scaled.m[0][0])[i];
        }
        for (int axis = 0; axis < 3; ++axis) {
            double cosine = sqrt(1.0 - 1e-6), trace = 0.0;
            sn_mat3 turn = SN_MAT3_IDENTITY;
            int p = (axis + 1) % 3, q = (axis + 2) % 3;
            turn.m[p][p] = turn.m[q][q] = cosine;
            turn.m[p][q] = round % 2 ? 1e-3 : -1e-3;
            turn.m[q][p] = -turn.m[p][q];
            sn_mat3 other = sn_mat3_multiply(r, turn);
            for (int i = 0; i < 9; ++i) {
                trace += (&other.m[0][0])[i] * (&scaled.m[0][0])[i];
            }
            assert_true(trace <= best + 1e-14);
        }
    }
}

// ---- 6 x 6 ----

static void ldl6_solves_and_refuses(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int round = 0; round < 2000; ++round) {
        double a[36], f[36], b[6], x[6];
        double scale = round % 3 == 0 ? 1.0 : (round % 3 == 1 ? 1e-250 : 1e250);
        make_positive(6, 0.05, scale, &seed, a);
        make_matrix(RANDOM, 6, 1, &seed, b);
        for (int i = 0; i < 6; ++i) {
            b[i] *= scale;
        }
        memcpy(f, a, sizeof f);
        memcpy(x, b, sizeof x);
        for (int i = 0; i < 6; ++i) {
            for (int j = i + 1; j < 6; ++j) {
                f[6 * i + j] = NAN; // the upper triangle is not read
            }
        }
        assert_true(sn_ldl6_factor(f));
        sn_ldl6_solve(f, x);
        assert_true(backward_error(6, a, x, b) < 1e-15);
        a[35] = a[35] - 1.01 / f[35];
        assert_false(sn_ldl6_factor(a));
    }
    double zero[36] = {0};
    assert_false(sn_ldl6_factor(zero));
}

// ---- beyond a few dozen ----

enum { LARGE = 120 };

static double *large_matrix(void)
{
    double *a = test_malloc(LARGE * LARGE * sizeof *a);
    memset(a, 0, LARGE * LARGE * sizeof *a);
    return a;
}

// Random, a chain's stiffness, many equal values, all zero, and one far above the rest.
static void fill_symmetric(int kind, int n, uint64_t *seed, double *a)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double entry = next_random(seed);
            entry = kind == 1 ? (i == j ? 2.0 : (i == j + 1 ? -1.0 : 0.0)) : entry;
            entry = kind == 2 ? 1.0 + (i == j ? 3.0 : 0.0) : entry;
            entry = kind == 3 ? 0.0 : entry;
            entry = kind == 4 && i == 0 ? 1e9 * entry : entry;
            a[i * n + j] = a[j * n + i] = entry;
        }
    }
}

static void eigenvalues_of_large_matrices(void **state)
{
    (void)state;
    uint64_t seed = 51;
    double *a = large_matrix(), *work = large_matrix(), *vectors = large_matrix(),
           *product = large_matrix();
    double values[LARGE], expected[LARGE];
    const int sizes[] = {33, 34, 71, LARGE};
    for (int kind = 0; kind < 5; ++kind) {
        for (int s = 0; s < 4; ++s) {
            int n = sizes[s];
            fill_symmetric(kind, n, &seed, a);
            double size = largest_entry(n * n, a) + 1e-300, limit = 2e-15 * n * size;
            memcpy(work, a, (size_t)(n * n) * sizeof *a);
            assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, work, n, expected), 0);
            memcpy(work, a, (size_t)(n * n) * sizeof *a);
            assert_true(sn_eigen_symmetric(n, work, values, vectors));
            assert_true(largest_difference(n, values, expected) <= limit);
            assert_true(orthogonality(n, n, vectors) < 1e-13);
            sn_dense_multiply(n, n, n, a, vectors, product);
            for (int i = 0; i < n * n; ++i) {
                product[i] -= values[i % n] * vectors[i];
            }
            assert_true(largest_entry(n * n, product) <= limit);
        }
    }
    test_free(a);
    test_free(work);
    test_free(vectors);
    test_free(product);
}

// ---- LQ ----

static void lq_finds_rank_null_space_and_solutions(void **state)
{
    (void)state;
    uint64_t seed = 52;
    for (int run = 0; run < 300; ++run) {
        int m = 1 + (int)(7.0 * fabs(next_random(&seed))),
            n = 1 + (int)(12.0 * fabs(next_random(&seed)));
        int most = m < n ? m : n, rank = 1 + (int)(most * 0.999 * fabs(next_random(&seed)));
        double left[SIZE], right[SIZE], a[SIZE], lq[SIZE], beta[MAX], null[MAX], image[MAX];
        for (int i = 0; i < SIZE; ++i) {
            left[i] = next_random(&seed);
            right[i] = next_random(&seed);
        }
        sn_dense_multiply(m, rank, n, left, right, a);
        memcpy(lq, a, sizeof a);
        int order[MAX];
        assert_int_equal(sn_lq_factor(m, n, lq, order, beta, 1e-10), rank);
        for (int k = rank; k < n; ++k) {
            memset(null, 0, sizeof null);
            null[k] = 1.0;
            sn_lq_apply_transpose(n, lq, beta, rank, null);
            sn_dense_apply(m, n, a, null, image);
            assert_true(largest_entry(m, image) < 1e-12);
            sn_lq_apply(n, lq, beta, rank, null);
            assert_true(fabs(null[k] - 1.0) < 1e-14);
        }
        // The shortest solution of a x = a y is no longer than y, and solves it.
        double y[MAX], b[MAX], x[MAX], again[MAX], x_square = 0.0, y_square = 0.0;
        for (int j = 0; j < n; ++j) {
            y[j] = next_random(&seed);
        }
        sn_dense_apply(m, n, a, y, b);
        sn_lq_solve(n, lq, beta, order, rank, b, x);
        sn_dense_apply(m, n, a, x, again);
        double worth = 1e-9 * (1.0 + largest_entry(n, x));
        assert_true(largest_difference(m, b, again) < worth);
        for (int j = 0; j < n; ++j) {
            x_square += x[j] * x[j];
            y_square += y[j] * y[j];
        }
        assert_true(x_square <= y_square * (1.0 + 1e-9));
        // c - a^T y is at right angles to every row of a.
        double c[MAX], rest[MAX], multiplier[MAX], transposed[SIZE];
        memcpy(c, y, sizeof c);
        sn_lq_solve_transpose(m, n, lq, beta, order, rank, c, multiplier);
        sn_dense_transpose(m, n, a, transposed);
        sn_dense_apply(n, m, transposed, multiplier, rest);
        for (int j = 0; j < n; ++j) {
            rest[j] -= y[j];
        }
        sn_dense_apply(m, n, a, rest, image);
        assert_true(largest_entry(m, image) < 1e-9 * (1.0 + largest_entry(m, multiplier)));
    }
    double zero[6] = {0}, beta[2];
    int order[2];
    assert_int_equal(sn_lq_factor(2, 3, zero, order, beta, 0.0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positive_systems_are_solved_to_round_off),
        cmocka_unit_test(bad_pivots_are_named),
        cmocka_unit_test(semidefinite_systems_give_rank_and_a_solution),
        cmocka_unit_test(lu_solves_inverts_and_agrees_with_lapack),
        cmocka_unit_test(eigenvalues_of_every_kind),
        cmocka_unit_test(eigenvalues_of_large_matrices),
        cmocka_unit_test(lq_finds_rank_null_space_and_solutions),
        cmocka_unit_test(singular_values_of_every_kind_and_shape),
        cmocka_unit_test(small_singular_values_keep_their_digits),
        cmocka_unit_test(least_squares_agree_with_lapack),
        cmocka_unit_test(mat3_eigenvalues_of_every_kind),
        cmocka_unit_test(singular_values_of_motions_in_a_plane),
        cmocka_unit_test(mat3_singular_values_and_polar),
        cmocka_unit_test(ldl6_solves_and_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
