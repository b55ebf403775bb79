// Elastic materials: the thesis' table of energies, derivatives against differences at mild and at
// extreme deformations, Hooke's law as the limit, projections against a full eigenvalue problem.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "elastic/material.h"
#include "math/dense.h"
#include "math/rotation.h"

static const char *const names[SN_ELASTIC_LAW_COUNT] = {"Liesenfeld", "corotational", "Neo-Hookean",
                                                        "St. Venant"};

// ---- deformations ----

static sn_mat3 random_rotation(sn_random *random)
{
    sn_quat q = {sn_random_range(random, -1, 1), sn_random_range(random, -1, 1),
                 sn_random_range(random, -1, 1), sn_random_range(random, -1, 1)};
    return sn_quat_to_mat3(sn_quat_normalize(q));
}

static sn_mat3 with_stretches(sn_random *random, double a, double b, double c)
{
    sn_mat3 u = random_rotation(random), v = random_rotation(random);
    sn_mat3 s = sn_mat3_diagonal((sn_vec3){a, b, c});
    return sn_mat3_multiply(sn_mat3_multiply(u, s), sn_mat3_transpose(v));
}

typedef struct deformation {
    const char *name;
    sn_mat3 f;
    double step;  // of differences: small against the distance to the next singularity
    bool nothing; // volume zero: the thesis' law has no value there
} deformation;

enum { KINDS = 10 };

static deformation make_deformation(sn_random *random, int kind)
{
    double a = sn_random_range(random, 0.6, 1.6), b = sn_random_range(random, 0.6, 1.6);
    double c = sn_random_range(random, 0.6, 1.6), e = sn_random_range(random, 0.5, 1.0);
    switch (kind) {
    case 0:
        return (deformation){"near a rotation",
                             with_stretches(random, 1 + 1e-4 * a, 1 - 1e-4 * b, 1 + 1e-4 * c), 1e-3,
                             false};
    case 1:
        return (deformation){"a rotation", random_rotation(random), 1e-3, false};
    case 2:
        return (deformation){"mild", with_stretches(random, a, b, c), 1e-3, false};
    case 3:
        return (deformation){"two alike", with_stretches(random, a, a, c), 1e-3, false};
    case 4:
        return (deformation){"inverted", with_stretches(random, 2 + a, 1 + b, -0.3 * e), 3e-4,
                             false};
    case 5:
        return (deformation){"inverted through", with_stretches(random, 2.5 * a, 1.2 + b, -e), 1e-3,
                             false};
    case 6:
        return (deformation){"thin", with_stretches(random, a, b, 1e-2 * e), 3e-6, false};
    case 7:
        return (deformation){"flat", with_stretches(random, 1 + a, b, 0.0), 1e-3, true};
    case 8:
        return (deformation){"huge", with_stretches(random, 900 * a, 700 * b, 800 * c), 0.3, false};
    default:
        return (deformation){"long and thin", with_stretches(random, 80 * a, 0.1 * b, 0.2 * c),
                             1e-5, false};
    }
}

static sn_elastic make_material(sn_random *random, int law, bool fibre)
{
    sn_elastic m = {.law = (sn_elastic_law)law,
                    .bulk = sn_random_range(random, 0.5, 5.0),
                    .shear = sn_random_range(random, 0.5, 2.0)};
    if (fibre) {
        m.fibre_stiffness = sn_random_range(random, 1.0, 4.0);
        m.fibre =
            sn_normalize((sn_vec3){sn_random_range(random, -1, 1), sn_random_range(random, -1, 1),
                                   sn_random_range(random, 0.1, 1)});
    }
    return m;
}

static sn_mat3 random_direction(sn_random *random)
{
    sn_mat3 d;
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        d.m[k / 3][k % 3] = sn_random_range(random, -1, 1);
        sum += d.m[k / 3][k % 3] * d.m[k / 3][k % 3];
    }
    return sn_mat3_scale(1.0 / sqrt(sum), d);
}

static sn_mat3 moved(const sn_mat3 *f, double step, const sn_mat3 *d)
{
    return sn_mat3_add(*f, sn_mat3_scale(step, *d));
}

static double inner(const sn_mat3 *a, const sn_mat3 *b)
{
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += a->m[k / 3][k % 3] * b->m[k / 3][k % 3];
    }
    return sum;
}

// ---- the thesis' table ----

// Digest 2.2, with both moduli 1: a change of volume, of shape, and a simple shear.
static void test_energies_of_the_thesis(void **state)
{
    (void)state;
    const double table[][4] = {{0.25, 7.937622070, 39.990234375, 0.031901042},
                               {0.5, 0.439453125, 1.968750000, 0.135416667},
                               {0.75, 0.046153127, 0.189437050, 0.333984375},
                               {1, 0, 0, 0.666666667},
                               {1.25, 0.026593945, 0.108084375, 1.188151042},
                               {1.5, 0.101875965, 0.427597737, 1.968750000},
                               {2, 0.439453125, 1.968750000, 4.666666667},
                               {3, 2.469135802, 11.983539095, 18.0},
                               {4, 7.937622070, 39.990234375, 50.666666667}};
    sn_elastic m = {.law = SN_ELASTIC_LIESENFELD, .bulk = 1.0, .shear = 1.0};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        double s = table[i][0], root = cbrt(s);
        sn_mat3 volume = sn_mat3_diagonal((sn_vec3){root, root, root});
        sn_mat3 shape = sn_mat3_diagonal((sn_vec3){s, 1.0, 1.0 / s});
        sn_mat3 shear = SN_MAT3_IDENTITY;
        shear.m[1][0] = s;
        assert_true(fabs(sn_elastic_energy(&m, &volume) - table[i][1]) < 5.1e-10);
        assert_true(fabs(sn_elastic_energy(&m, &shape) - table[i][2]) < 5.1e-10);
        assert_true(fabs(sn_elastic_energy(&m, &shear) - table[i][3]) < 5.1e-10);
    }
}

// ---- derivatives ----

// Five points: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h.
static void test_stress_is_the_energy_s_derivative(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    for (int round = 0; round < 400; ++round) {
        for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
            deformation x = make_deformation(&random, round % KINDS);
            sn_elastic m = make_material(&random, law, round % 3 == 0);
            if (law == SN_ELASTIC_LIESENFELD && x.nothing) {
                continue;
            }
            sn_mat3 d = random_direction(&random), p;
            double h = x.step, e[4];
            const double at[4] = {-2, -1, 1, 2};
            for (int k = 0; k < 4; ++k) {
                sn_mat3 f = moved(&x.f, at[k] * h, &d);
                e[k] = sn_elastic_energy(&m, &f);
            }
            sn_elastic_stress(&m, &x.f, &p);
            double slope = (8.0 * (e[2] - e[1]) - (e[3] - e[0])) / (12.0 * h);
            double size = sqrt(inner(&p, &p)) + m.shear + 2e-9 * fabs(e[1]) / h;
            if (!(fabs(slope - inner(&p, &d)) < 1e-7 * size)) {
                fail_msg("%s, %s: slope %.12g, stress %.12g of %g", names[law], x.name, slope,
                         inner(&p, &d), size);
            }
        }
    }
}

static void test_hessian_is_the_stress_s_derivative(void **state)
{
    (void)state;
    sn_random random = {.seed = 4};
    for (int round = 0; round < 400; ++round) {
        for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
            deformation x = make_deformation(&random, round % KINDS);
            sn_elastic m = make_material(&random, law, round % 3 == 0);
            if (law == SN_ELASTIC_LIESENFELD && x.nothing) {
                continue;
            }
            sn_mat3 d = random_direction(&random), p[4];
            const double at[4] = {-2, -1, 1, 2};
            for (int k = 0; k < 4; ++k) {
                sn_mat3 f = moved(&x.f, at[k] * x.step, &d);
                sn_elastic_stress(&m, &f, &p[k]);
            }
            double h[81], size = 0.0, worst = 0.0;
            sn_elastic_hessian(&m, &x.f, SN_HESSIAN_EXACT, h);
            for (int a = 0; a < 9; ++a) {
                double sum = 0.0;
                for (int b = 0; b < 9; ++b) {
                    sum += h[9 * a + b] * d.m[b / 3][b % 3];
                    size = fmax(size, fabs(h[9 * a + b]));
                    assert_true(h[9 * a + b] == h[9 * b + a]);
                }
                int i = a / 3, j = a % 3;
                double slope =
                    (8.0 * (p[2].m[i][j] - p[1].m[i][j]) - (p[3].m[i][j] - p[0].m[i][j])) /
                    (12.0 * x.step);
                worst = fmax(worst, fabs(slope - sum));
            }
            if (!(worst < 1e-7 * size)) {
                fail_msg("%s, %s: off by %g of %g", names[law], x.name, worst, size);
            }
        }
    }
}

// ---- limits ----

static void test_small_strains_follow_hooke(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        sn_elastic m = make_material(&random, law, false);
        sn_mat3 one = SN_MAT3_IDENTITY, p;
        double h[81], lambda = m.bulk - 2.0 / 3.0 * m.shear;
        assert_true(fabs(sn_elastic_energy(&m, &one)) < 1e-15);
        sn_elastic_stress(&m, &one, &p);
        assert_true(inner(&p, &p) < 1e-28);
        sn_elastic_hessian(&m, &one, SN_HESSIAN_EXACT, h);
        for (int a = 0; a < 9; ++a) {
            for (int b = 0; b < 9; ++b) {
                int i = a / 3, j = a % 3, k = b / 3, l = b % 3;
                double hooke = m.shear * ((i == k && j == l) + (i == l && j == k)) +
                               lambda * (i == j && k == l);
                assert_true(fabs(h[9 * a + b] - hooke) < 1e-13);
            }
        }
    }
    // The demonstrations' materials (digest 12.2): Young's modulus and Poisson's ratio.
    const double demos[][4] = {{220000, 160000, 386341, 0.2073}, {20000, 20000, 45000, 0.125},
                               {100000, 80000, 189474, 0.1842},  {10000, 9000, 20769, 0.1538},
                               {40000, 25000, 62069, 0.2414},    {8000, 8000, 18000, 0.125}};
    for (size_t i = 0; i < sizeof demos / sizeof *demos; ++i) {
        sn_elastic m = sn_elastic_from_young(SN_ELASTIC_LIESENFELD, demos[i][2], demos[i][3]);
        assert_true(fabs(m.bulk / demos[i][0] - 1.0) < 3e-4);
        assert_true(fabs(m.shear / demos[i][1] - 1.0) < 1e-4);
    }
}

static void test_turning_changes_nothing(void **state)
{
    (void)state;
    sn_random random = {.seed = 6};
    for (int round = 0; round < 200; ++round) {
        int law = round % SN_ELASTIC_LAW_COUNT;
        deformation x = make_deformation(&random, round / SN_ELASTIC_LAW_COUNT % 6);
        sn_elastic m = make_material(&random, law, round % 3 == 0);
        sn_mat3 r = random_rotation(&random), turned = sn_mat3_multiply(r, x.f), p, q;
        double e = sn_elastic_energy(&m, &x.f);
        assert_true(fabs(sn_elastic_energy(&m, &turned) - e) < 1e-11 * (e + 1.0));
        sn_elastic_stress(&m, &x.f, &p);
        sn_elastic_stress(&m, &turned, &q);
        sn_mat3 expected = sn_mat3_multiply(r, p);
        sn_mat3 gap = sn_mat3_add(q, sn_mat3_scale(-1.0, expected));
        assert_true(inner(&gap, &gap) < 1e-20 * (1.0 + inner(&p, &p)));
        // P F^T is symmetric: elements get no moment of themselves.
        sn_mat3 k = sn_mat3_multiply(p, sn_mat3_transpose(x.f));
        assert_true(fabs(k.m[0][1] - k.m[1][0]) < 1e-10 * (1.0 + inner(&p, &p)));
    }
    sn_elastic barrier = {.law = SN_ELASTIC_LIESENFELD, .bulk = 1.0, .shear = 1.0};
    sn_mat3 flat = sn_mat3_diagonal((sn_vec3){1.0, 1.0, 1e-200});
    assert_true(isinf(sn_elastic_energy(&barrier, &flat)));
}

// ---- projections ----

static void test_projection_clamps_eigenvalues(void **state)
{
    (void)state;
    sn_random random = {.seed = 7};
    int negative = 0;
    for (int round = 0; round < 300; ++round) {
        int law = round % SN_ELASTIC_LAW_COUNT, kind = round / SN_ELASTIC_LAW_COUNT % KINDS;
        deformation x = make_deformation(&random, kind);
        sn_elastic m = make_material(&random, law, false);
        if (law == SN_ELASTIC_LIESENFELD && x.nothing) {
            continue;
        }
        double h[81], projected[81], copy[81], values[9], vectors[81], clamped[81] = {0};
        sn_elastic_hessian(&m, &x.f, SN_HESSIAN_EXACT, h);
        sn_elastic_hessian(&m, &x.f, SN_HESSIAN_PROJECTED, projected);
        memcpy(copy, h, sizeof copy);
        assert_true(sn_eigen_symmetric(9, copy, values, vectors));
        double size = fmax(fabs(values[0]), fabs(values[8]));
        negative += values[0] < -1e-6 * size;
        for (int k = 0; k < 9; ++k) {
            for (int a = 0; a < 9; ++a) {
                for (int b = 0; b < 9; ++b) {
                    clamped[9 * a + b] +=
                        fmax(values[k], 0.0) * vectors[9 * a + k] * vectors[9 * b + k];
                }
            }
        }
        for (int k = 0; k < 81; ++k) {
            assert_true(fabs(projected[k] - clamped[k]) < 1e-11 * size);
        }
    }
    assert_true(negative > 50);
    for (int round = 0; round < 100; ++round) { // with fibres
        sn_elastic m = make_material(&random, round % SN_ELASTIC_LAW_COUNT, true);
        deformation x = make_deformation(&random, 2 + round % 4);
        double h[81], values[9], vectors[81];
        sn_elastic_hessian(&m, &x.f, SN_HESSIAN_PROJECTED, h);
        assert_true(sn_eigen_symmetric(9, h, values, vectors));
        assert_true(values[0] > -1e-13 * values[8]);
    }
}

// Twists of the corotational law have a pole where singular values cancel: the projected Hessian
// stays finite and positive.
static void test_projection_at_the_pole(void **state)
{
    (void)state;
    sn_elastic m = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 1.0, 0.3);
    const double low[] = {-0.5, -0.5 + 1e-16, -0.5 - 1e-12, 0.0};
    for (int k = 0; k < 4; ++k) {
        sn_mat3 f = sn_mat3_diagonal((sn_vec3){1.0, k < 3 ? 0.5 : 0.0, low[k]});
        double h[81], values[9], vectors[81];
        sn_elastic_hessian(&m, &f, SN_HESSIAN_PROJECTED, h);
        assert_true(sn_eigen_symmetric(9, h, values, vectors));
        assert_true(values[0] > -1e-12 * values[8] && isfinite(values[8]));
    }
}

// ---- viscosity ----

static void test_viscosity(void **state)
{
    (void)state;
    sn_random random = {.seed = 8};
    for (int round = 0; round < 100; ++round) {
        sn_viscosity v = {sn_random_range(&random, 0.1, 3.0), sn_random_range(&random, 0.1, 3.0)};
        deformation x = make_deformation(&random, round % KINDS);
        sn_mat3 rate = random_direction(&random), d = random_direction(&random), p;
        double power = sn_viscosity_power(&v, &x.f, &rate), size = inner(&x.f, &x.f);
        sn_viscosity_stress(&v, &x.f, &rate, &p);
        assert_true(power >= 0.0);
        assert_true(fabs(inner(&p, &rate) - power) < 1e-13 * size * 10.0);
        // The formula of the thesis, with Xi from cofactors.
        sn_mat3 half = sn_mat3_multiply(sn_mat3_transpose(x.f), rate);
        sn_mat3 t = sn_mat3_add(half, sn_mat3_transpose(half));
        double pi = t.m[0][0] + t.m[1][1] + t.m[2][2], xi = 0.0;
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            xi += t.m[j][j] * t.m[k][k] - t.m[j][k] * t.m[k][j];
        }
        double thesis = 0.5 * v.volume * pi * pi + 2.0 / 3.0 * v.shape * (pi * pi - 3.0 * xi);
        assert_true(fabs(power - thesis) < 1e-12 * size * 10.0);
        // Half the slope of the power; quadratic, so that one central difference is exact.
        double h = 1e-2;
        sn_mat3 up = moved(&rate, h, &d), down = moved(&rate, -h, &d);
        double slope =
            (sn_viscosity_power(&v, &x.f, &up) - sn_viscosity_power(&v, &x.f, &down)) / (2.0 * h);
        assert_true(fabs(0.5 * slope - inner(&p, &d)) < 1e-11 * size * 10.0);
        // Rigid motion costs nothing.
        sn_vec3 w = {0.3, -1.2, 0.7};
        sn_mat3 rigid = sn_mat3_multiply(sn_mat3_cross(w), x.f);
        assert_true(sn_viscosity_power(&v, &x.f, &rigid) < 1e-24 * size * size);
        double hessian[81], values[9], vectors[81];
        sn_viscosity_hessian(&v, &x.f, hessian);
        for (int a = 0; a < 9; ++a) {
            double sum = 0.0;
            for (int b = 0; b < 9; ++b) {
                sum += hessian[9 * a + b] * rate.m[b / 3][b % 3];
            }
            assert_true(fabs(sum - p.m[a / 3][a % 3]) < 1e-13 * size * 10.0);
        }
        assert_true(sn_eigen_symmetric(9, hessian, values, vectors));
        assert_true(values[0] > -1e-13 * values[8]);
    }
}

static void test_wrong_materials_are_refused(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_elastic m = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 1e6, 0.3);
    assert_int_equal(sn_elastic_check(&m, "rubber", &error), SN_OK);
    m.bulk = 0.0;
    assert_int_equal(sn_elastic_check(&m, "rubber", &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.place, "rubber");
    m = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 1e6, 0.5);
    assert_int_equal(sn_elastic_check(&m, "rubber", &error), SN_ERROR_ARGUMENT);
    m = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 1e6, 0.3);
    m.fibre_stiffness = 1.0;
    m.fibre = (sn_vec3){2, 0, 0};
    assert_int_equal(sn_elastic_check(&m, "rubber", &error), SN_ERROR_ARGUMENT);
    m.fibre_stiffness = NAN;
    assert_int_equal(sn_elastic_check(&m, "rubber", &error), SN_ERROR_ARGUMENT);
    m.law = SN_ELASTIC_LAW_COUNT;
    assert_int_equal(sn_elastic_check(&m, "rubber", &error), SN_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energies_of_the_thesis),
        cmocka_unit_test(test_stress_is_the_energy_s_derivative),
        cmocka_unit_test(test_hessian_is_the_stress_s_derivative),
        cmocka_unit_test(test_small_strains_follow_hooke),
        cmocka_unit_test(test_turning_changes_nothing),
        cmocka_unit_test(test_projection_clamps_eigenvalues),
        cmocka_unit_test(test_projection_at_the_pole),
        cmocka_unit_test(test_viscosity),
        cmocka_unit_test(test_wrong_materials_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
