// One contact by itself: Coulomb's laws hold at the answer, whatever the matrix, and a search over
// all sliding directions by brute force knows no other answer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/elementary.h"
#include "solve/cone.h"

// W = sum of g g^T over `rank` random vectors, its sizes spread over `decades`.
static sn_sym3 random_matrix(sn_random *random, int rank, double decades)
{
    sn_sym3 w = SN_SYM3_ZERO;
    for (int i = 0; i < rank; ++i) {
        sn_vec3 g = {sn_random_range(random, -1, 1), sn_random_range(random, -1, 1),
                     sn_random_range(random, -1, 1)};
        double size = sn_exp(-2.302585 * decades * sn_random_unit(random));
        w = sn_sym3_add_outer(&w, size, g);
    }
    return w;
}

static sn_vec3 random_vector(sn_random *random)
{
    return sn_vec3_make(sn_random_range(random, -1, 1), sn_random_range(random, -1, 1),
                        sn_random_range(random, -1, 1));
}

static double matrix_size(const sn_sym3 *w)
{
    return w->xx + w->yy + w->zz;
}

// How far p is from Coulomb's laws, as a share of the velocities there are.
static double law_error(const sn_sym3 *w, sn_vec3 b, double friction, sn_vec3 p)
{
    sn_vec3 u = sn_vec3_add(sn_sym3_apply(w, p), b);
    double scale = sn_length(b) + matrix_size(w) * sn_length(p);
    double p_t = sqrt(p.y * p.y + p.z * p.z), u_t = sqrt(u.y * u.y + u.z * u.z);
    double error = fmax(0.0, -u.x);
    error = fmax(error, -p.x * matrix_size(w));
    error = fmax(error, p.x > 0.0 ? fabs(u.x) : 0.0);
    error = fmax(error, (p_t - friction * p.x) * matrix_size(w));
    if (u_t > 1e-12 * scale) { // slides: p_t = -friction p_n u_t / |u_t|
        double y = p.y + friction * p.x * u.y / u_t, z = p.z + friction * p.x * u.z / u_t;
        error = fmax(error, fmin(u_t, sqrt(y * y + z * z) * matrix_size(w)));
    }
    return scale > 0.0 ? error / scale : 0.0;
}

static void test_laws_hold(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    int count[3] = {0, 0, 0};
    for (int i = 0; i < 100000; ++i) {
        sn_sym3 w = random_matrix(&random, 3 + sn_random_below(&random, 4), (i % 4) * 1.5);
        sn_vec3 b = random_vector(&random);
        double friction = i % 5 == 0 ? 5.0 * sn_random_unit(&random) : sn_random_unit(&random);
        sn_vec3 p = random_vector(&random);
        sn_cone_state found = sn_cone_solve(&w, b, friction, &p);
        ++count[found];
        assert_true(sn_vec3_is_finite(p));
        double error = law_error(&w, b, friction, p);
        if (!(error < 1e-9)) {
            print_message("case %d state %d error %g\n", i, (int)found, error);
        }
        assert_true(error < 1e-9);
    }
    assert_true(count[SN_CONE_OPEN] > 10000);
    assert_true(count[SN_CONE_STICK] > 5000);
    assert_true(count[SN_CONE_SLIDE] > 10000);
}

// For each angle of sliding the normal impulse follows; the angle whose velocity is nearest to it
// must be the one that was found (or as good: several may be right).
static void test_sliding_against_brute_force(void **state)
{
    (void)state;
    enum { ANGLES = 20000 };
    sn_random random = {.seed = 2};
    int compared = 0;
    for (int i = 0; i < 200; ++i) {
        sn_sym3 w = random_matrix(&random, 4, 1.0);
        sn_vec3 b = random_vector(&random), p = SN_VEC3_ZERO;
        double friction = 0.6 * sn_random_unit(&random);
        if (sn_cone_solve(&w, b, friction, &p) != SN_CONE_SLIDE) {
            continue;
        }
        double best = 1e300, nearest = 1e300;
        for (int k = 0; k < ANGLES; ++k) {
            double angle = 2.0 * SN_PI * k / ANGLES, c = sn_cos(angle), s = sn_sin(angle);
            double divisor = w.xx - friction * (w.xy * c + w.xz * s);
            if (!(divisor > 0.0)) {
                continue;
            }
            double p_n = -b.x / divisor;
            sn_vec3 q = {p_n, -friction * p_n * c, -friction * p_n * s};
            sn_vec3 u = sn_vec3_add(sn_sym3_apply(&w, q), b);
            if (u.y * c + u.z * s < 0.0) {
                continue;
            }
            double miss = fabs(u.y * s - u.z * c);
            best = fmin(best, miss);
            if (miss < 2e-3 * sn_length(b)) {
                nearest = fmin(nearest, sn_distance(p, q));
            }
        }
        assert_true(best < 2e-3 * sn_length(b));
        assert_true(nearest < 5e-3 * (1.0 + sn_length(p)));
        ++compared;
    }
    assert_true(compared > 40);
}

static void test_edges(void **state)
{
    (void)state;
    sn_sym3 unit = {1.0, 0.0, 0.0, 1.0, 0.0, 1.0};
    sn_vec3 p = SN_VEC3_ZERO;
    // Nothing moves, nothing presses.
    assert_int_equal(sn_cone_solve(&unit, SN_VEC3_ZERO, 0.5, &p), SN_CONE_OPEN);
    assert_true(p.x == 0.0 && p.y == 0.0 && p.z == 0.0);
    // At the bound it sticks, just beyond it slides.
    assert_int_equal(sn_cone_solve(&unit, sn_vec3_make(-1.0, 0.5, 0.0), 0.5, &p), SN_CONE_STICK);
    assert_int_equal(sn_cone_solve(&unit, sn_vec3_make(-1.0, 0.5001, 0.0), 0.5, &p), SN_CONE_SLIDE);
    assert_true(fabs(p.x - 1.0) < 1e-15 && fabs(p.y + 0.5) < 1e-15 && p.z == 0.0);
    // No friction, and endless friction.
    assert_int_equal(sn_cone_solve(&unit, sn_vec3_make(-2.0, 1.0, 0.0), 0.0, &p), SN_CONE_SLIDE);
    assert_true(p.x == 2.0 && p.y == 0.0 && p.z == 0.0);
    assert_int_equal(sn_cone_solve(&unit, sn_vec3_make(-1.0, 9.0, 7.0), 1e9, &p), SN_CONE_STICK);
    // A point that cannot move, and one that moves along its normal only.
    sn_sym3 none = SN_SYM3_ZERO, normal_only = {2.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    assert_int_equal(sn_cone_solve(&none, sn_vec3_make(-1.0, 1.0, 1.0), 0.5, &p), SN_CONE_OPEN);
    assert_int_equal(sn_cone_solve(&normal_only, sn_vec3_make(-1.0, 1.0, 0.0), 0.5, &p),
                     SN_CONE_SLIDE);
    assert_true(p.x == 0.5);
}

// Singular matrices: the laws where they can hold, and always a finite answer in the cone.
static void test_singular(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    int held = 0;
    for (int i = 0; i < 20000; ++i) {
        sn_sym3 w = random_matrix(&random, 1 + i % 2, 0.0);
        sn_vec3 b = random_vector(&random), p = random_vector(&random);
        double friction = 2.0 * sn_random_unit(&random);
        sn_cone_solve(&w, b, friction, &p);
        assert_true(sn_vec3_is_finite(p));
        assert_true(p.x >= 0.0);
        assert_true(sqrt(p.y * p.y + p.z * p.z) <= friction * p.x * (1.0 + 1e-9));
        held += law_error(&w, b, friction, p) < 1e-6;
    }
    assert_true(held > 12000);
}

static void test_ball(void **state)
{
    (void)state;
    sn_random random = {.seed = 4};
    int bound = 0;
    for (int i = 0; i < 5000; ++i) {
        sn_sym3 w = random_matrix(&random, 1 + i % 5, 3.0 * (i % 3));
        sn_vec3 b = random_vector(&random), p;
        if (i % 7 == 0) { // in a plane
            b.z = w.xz = w.yz = 0.0;
        }
        double radius = (i % 2 == 0 ? 3.0 : 300.0) * sn_random_unit(&random);
        bool inside = sn_ball_solve(&w, b, radius, &p);
        bound += !inside;
        assert_true(sn_length(p) <= radius * (1.0 + 1e-9));
        double energy = 0.5 * sn_dot(p, sn_sym3_apply(&w, p)) + sn_dot(b, p);
        for (int k = 0; k < 50; ++k) {
            sn_vec3 q = random_vector(&random);
            if (k % 2 == 0) {
                q = sn_vec3_add_scaled(p, 1e-3, q);
            }
            double length = sn_length(q);
            q = sn_vec3_scale(length > radius || k % 4 == 1 ? radius / length : 1.0, q);
            double other = 0.5 * sn_dot(q, sn_sym3_apply(&w, q)) + sn_dot(b, q);
            assert_true(energy <= other + 1e-9 * (1.0 + fabs(energy)));
        }
        if (!inside) {
            assert_true(fabs(sn_length(p) - radius) < 1e-9 * radius);
        } else {
            sn_vec3 u = sn_vec3_add(sn_sym3_apply(&w, p), b);
            assert_true(sn_length(u) < 1e-6 * sn_length(b));
        }
    }
    assert_true(bound > 1000 && bound < 4800);
    sn_vec3 p = {1.0, 1.0, 1.0};
    sn_sym3 unit = {1.0, 0.0, 0.0, 1.0, 0.0, 1.0};
    assert_true(sn_ball_solve(&unit, SN_VEC3_ZERO, 0.0, &p));
    assert_true(sn_length(p) == 0.0);
    assert_false(sn_ball_solve(&unit, sn_vec3_make(1.0, 0.0, 0.0), 0.0, &p));
    assert_true(sn_length(p) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_hold), cmocka_unit_test(test_sliding_against_brute_force),
        cmocka_unit_test(test_edges),     cmocka_unit_test(test_singular),
        cmocka_unit_test(test_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
