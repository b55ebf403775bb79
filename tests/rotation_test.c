// Rotations: round trips near zero and near a half turn, and every derivative against finite
// differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "math/rotation.h"

static double next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1.0;
}

static sn_vec3 random_vector(uint64_t *seed)
{
    double x = next_random(seed), y = next_random(seed), z = next_random(seed);
    return sn_vec3_make(x, y, z);
}

static sn_vec3 random_direction(uint64_t *seed)
{
    return sn_normalize(random_vector(seed));
}

static sn_quat random_rotation(uint64_t *seed)
{
    double w = next_random(seed), x = next_random(seed), y = next_random(seed),
           z = next_random(seed);
    return sn_quat_normalize((sn_quat){w, x, y, z});
}

// Largest difference of components, q and -q being the same rotation.
static double quat_distance(sn_quat a, sn_quat b)
{
    double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0 ? -1.0 : 1.0;
    return fmax(fmax(fabs(a.w - sign * b.w), fabs(a.x - sign * b.x)),
                fmax(fabs(a.y - sign * b.y), fabs(a.z - sign * b.z)));
}

static double unit_error(sn_quat q)
{
    return fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0);
}

static double mat3_distance(sn_mat3 a, sn_mat3 b)
{
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            worst = fmax(worst, fabs(a.m[i][j] - b.m[i][j]));
        }
    }
    return worst;
}

// Angles that matter: none, tiny, around the switch of formulas, near and at a half turn.
static const double ANGLES[] = {0.0,  1e-300,  1e-160,      1e-20,           1e-9,
                                1e-5, 0.1,     1.5707,      1.5709,          2.0,
                                3.0,  3.14159, 3.141592653, 3.14159265358979};
#define ANGLE_COUNT (int)(sizeof ANGLES / sizeof *ANGLES)

static void exponential_and_logarithm_are_inverse(void **state)
{
    (void)state;
    uint64_t seed = 1;
    double worst = 0.0, worst_unit = 0.0;
    for (int i = 0; i < 5000; ++i) {
        double angle = i % 2 ? ANGLES[i / 2 % ANGLE_COUNT] : 3.14159 * fabs(next_random(&seed));
        sn_vec3 v = sn_vec3_scale(angle, random_direction(&seed));
        sn_quat q = sn_quat_exp(v);
        worst_unit = fmax(worst_unit, unit_error(q));
        sn_vec3 back = sn_quat_log(q), negative = sn_quat_log((sn_quat){-q.w, -q.x, -q.y, -q.z});
        double size = fmax(sn_length(v), 1e-300);
        worst = fmax(worst, sn_distance(back, v) / size);
        worst = fmax(worst, sn_distance(negative, v) / size);
    }
    print_message("log(exp(v)): relative error %.1e; |q|^2 - 1: %.1e\n", worst, worst_unit);
    assert_true(worst < 2e-15);
    assert_true(worst_unit < 1e-15);
}

// Against sin and cos themselves, also beyond a full turn.
static void exponential_is_the_rotation(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 5000; ++i) {
        sn_vec3 axis = random_direction(&seed);
        double angle = 20.0 * next_random(&seed);
        sn_quat q = sn_quat_exp(sn_vec3_scale(angle, axis));
        sn_quat expected = {cos(0.5 * angle), sin(0.5 * angle) * axis.x, sin(0.5 * angle) * axis.y,
                            sin(0.5 * angle) * axis.z};
        assert_true(fabs(q.w - expected.w) < 4e-15 && fabs(q.x - expected.x) < 4e-15);
        assert_true(fabs(q.y - expected.y) < 4e-15 && fabs(q.z - expected.z) < 4e-15);
        sn_quat same = sn_quat_from_axis_angle(sn_vec3_scale(1e-200, axis), angle);
        assert_true(quat_distance(same, expected) < 2e-15);
    }
    // A quarter turn about z takes x to y.
    sn_vec3 y = sn_rotate(sn_quat_from_axis_angle(sn_vec3_make(0, 0, 5), 0.5 * SN_PI),
                          sn_vec3_make(1, 0, 0));
    assert_true(sn_distance(y, sn_vec3_make(0, 1, 0)) < 1e-15);
    sn_quat none = sn_quat_from_axis_angle(SN_VEC3_ZERO, 1.0);
    assert_true(none.w == 1.0 && none.x == 0.0 && none.y == 0.0 && none.z == 0.0);
}

static void axis_and_angle_come_back(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 3000; ++i) {
        sn_vec3 axis = random_direction(&seed), axis_back;
        double angle = i % 3 == 0 ? 1e-12 : 3.14159 * fabs(next_random(&seed)), angle_back;
        sn_quat_to_axis_angle(sn_quat_from_axis_angle(axis, angle), &axis_back, &angle_back);
        assert_true(fabs(angle - angle_back) < 4e-15 * (angle + 1e-3));
        assert_true(sn_distance(axis, axis_back) < 1e-14 + 1e-15 / fmax(angle, 0.1));
    }
    sn_vec3 axis;
    double angle;
    sn_quat_to_axis_angle(SN_QUAT_IDENTITY, &axis, &angle);
    assert_true(angle == 0.0 && axis.x == 1.0 && axis.y == 0.0 && axis.z == 0.0);
}

static void matrices_come_back(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 10000; ++i) {
        sn_quat q = random_rotation(&seed);
        if (i % 3 == 0) { // half turns, where the trace is -1
            sn_vec3 axis = random_direction(&seed);
            q = sn_quat_from_axis_angle(axis, 3.1415926535 + 1e-9 * next_random(&seed));
        }
        sn_quat back = sn_quat_from_mat3(sn_quat_to_mat3(q));
        assert_true(quat_distance(q, back) < 2e-15);
        assert_true(back.w >= 0.0);
    }
    const sn_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; ++i) {
        sn_quat turn = {0.0, axes[i].x, axes[i].y, axes[i].z};
        assert_true(quat_distance(turn, sn_quat_from_mat3(sn_quat_to_mat3(turn))) == 0.0);
    }
}

static sn_mat3 axis_matrix(int axis, double angle)
{
    sn_mat3 r = SN_MAT3_IDENTITY;
    int p = (axis + 1) % 3, q = (axis + 2) % 3;
    r.m[p][p] = r.m[q][q] = cos(angle);
    r.m[q][p] = sin(angle);
    r.m[p][q] = -sin(angle);
    return r;
}

static void euler_angles_have_the_documented_order(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 2000; ++i) {
        sn_vec3 a = sn_vec3_scale(3.0, random_vector(&seed));
        sn_mat3 x = axis_matrix(0, a.x), y = axis_matrix(1, a.y), z = axis_matrix(2, a.z);
        sn_mat3 xyz = sn_mat3_multiply(sn_mat3_multiply(x, y), z);
        sn_mat3 zyx = sn_mat3_multiply(sn_mat3_multiply(z, y), x);
        assert_true(mat3_distance(sn_quat_to_mat3(sn_quat_from_euler_xyz(a)), xyz) < 2e-15);
        assert_true(mat3_distance(sn_quat_to_mat3(sn_quat_from_euler_zyx(a)), zyx) < 2e-15);
    }
}

// The rotation comes back everywhere, also at gimbal lock; the angles themselves come back away
// from it.
static void euler_angles_come_back(void **state)
{
    (void)state;
    uint64_t seed = 6;
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        sn_vec3 a = sn_vec3_make(3.1 * next_random(&seed), 1.5 * next_random(&seed),
                                 3.1 * next_random(&seed));
        if (i % 2 == 0) {
            double offsets[] = {0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-4};
            a.y = (i % 4 ? 1.0 : -1.0) * (0.5 * SN_PI - offsets[i / 4 % 6]);
        }
        sn_quat xyz = sn_quat_from_euler_xyz(a), zyx = sn_quat_from_euler_zyx(a);
        sn_vec3 b = sn_quat_to_euler_xyz(xyz), c = sn_quat_to_euler_zyx(zyx);
        worst = fmax(worst, quat_distance(xyz, sn_quat_from_euler_xyz(b)));
        worst = fmax(worst, quat_distance(zyx, sn_quat_from_euler_zyx(c)));
        assert_true(fabs(b.y) <= 0.5 * SN_PI + 1e-15 && fabs(c.y) <= 0.5 * SN_PI + 1e-15);
        if (i % 2) {
            assert_true(sn_distance(a, b) < 1e-13 && sn_distance(a, c) < 1e-13);
        }
    }
    print_message("Euler round trip: %.1e\n", worst);
    assert_true(worst < 4e-15);
}

static void slerp_turns_evenly(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 3000; ++i) {
        sn_quat a = random_rotation(&seed), b = random_rotation(&seed);
        if (i % 3 == 0) {
            b = sn_quat_multiply(a, sn_quat_exp(sn_vec3_scale(1e-9, random_vector(&seed))));
        }
        double t = fabs(next_random(&seed));
        sn_quat middle = sn_quat_slerp(a, b, t);
        double whole = sn_length(sn_quat_log(sn_quat_multiply(sn_quat_conjugate(a), b)));
        double part = sn_length(sn_quat_log(sn_quat_multiply(sn_quat_conjugate(a), middle)));
        double rest = sn_length(sn_quat_log(sn_quat_multiply(sn_quat_conjugate(middle), b)));
        assert_true(fabs(part - t * whole) < 5e-15);
        assert_true(fabs(rest - (1.0 - t) * whole) < 5e-15);
        assert_true(whole <= SN_PI * (1.0 + 1e-15));
        assert_true(quat_distance(sn_quat_slerp(a, b, 0.0), a) < 5e-16);
        assert_true(quat_distance(sn_quat_slerp(a, b, 1.0), b) < 2e-15);
        assert_true(unit_error(middle) < 1e-15);
    }
}

static void between_is_the_smallest_rotation(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int i = 0; i < 20000; ++i) {
        sn_vec3 u = random_direction(&seed), v = random_direction(&seed);
        if (i % 2) { // nearly equal and nearly opposite
            double distances[] = {0.0, 1e-16, 1e-12, 1e-8, 1e-7, 1e-3};
            sn_vec3 shifted = sn_vec3_add_scaled(u, distances[i / 4 % 6], v);
            v = sn_normalize(i % 4 == 1 ? shifted : sn_vec3_negate(shifted));
        }
        double stretch = i % 3 == 0 ? 1e-200 : (i % 3 == 1 ? 1e200 : 1.0);
        sn_quat q = sn_quat_between(sn_vec3_scale(stretch, u), sn_vec3_scale(3.0, v));
        assert_true(unit_error(q) < 2e-15);
        assert_true(sn_distance(sn_rotate(q, u), v) < 3e-15);
        double expected = 2.0 * atan2(sn_distance(u, v), sn_length(sn_vec3_add(u, v)));
        assert_true(fabs(sn_length(sn_quat_log(q)) - expected) < 4e-8);
        if (sn_dot(u, v) > -0.999999) {
            assert_true(fabs(sn_length(sn_quat_log(q)) - expected) < 1e-14);
        }
    }
    sn_quat none = sn_quat_between(SN_VEC3_ZERO, sn_vec3_make(1, 0, 0));
    assert_true(none.w == 1.0 && none.x == 0.0 && none.y == 0.0 && none.z == 0.0);
}

// exp(v + d) exp(v)^-1 = exp(J d): central differences, Richardson-extrapolated once.
static sn_vec3 left_difference(sn_vec3 v, sn_vec3 d, double step)
{
    sn_quat ahead = sn_quat_exp(sn_vec3_add_scaled(v, step, d));
    sn_quat behind = sn_quat_exp(sn_vec3_add_scaled(v, -step, d));
    return sn_vec3_scale(0.5 / step,
                         sn_quat_log(sn_quat_multiply(ahead, sn_quat_conjugate(behind))));
}

static void jacobian_matches_differences(void **state)
{
    (void)state;
    uint64_t seed = 9;
    double worst = 0.0, worst_inverse = 0.0;
    for (int i = 0; i < 4000; ++i) {
        double angle = i % 2 ? ANGLES[i / 2 % ANGLE_COUNT] : 6.0 * fabs(next_random(&seed));
        sn_vec3 v = sn_vec3_scale(angle, random_direction(&seed)), d = random_direction(&seed);
        sn_mat3 j = sn_rotation_jacobian(v);
        sn_vec3 coarse = left_difference(v, d, 2e-3), fine = left_difference(v, d, 1e-3);
        sn_vec3 expected = sn_vec3_add_scaled(fine, 1.0 / 3.0, sn_vec3_sub(fine, coarse));
        worst = fmax(worst, sn_distance(sn_mat3_apply(j, d), expected));
        // The right Jacobian is the transpose, and J^-1 is the inverse.
        assert_true(mat3_distance(sn_mat3_transpose(j), sn_rotation_jacobian(sn_vec3_negate(v))) <
                    1e-16);
        sn_mat3 product = sn_mat3_multiply(j, sn_rotation_jacobian_inverse(v));
        double near_singular = 2.0 * SN_PI - angle;
        worst_inverse = fmax(worst_inverse,
                             mat3_distance(product, SN_MAT3_IDENTITY) * fmin(near_singular, 1.0));
        // J v = v: turning on about the same axis.
        assert_true(sn_distance(sn_mat3_apply(j, v), v) <= 4e-15 * angle);
    }
    print_message("Jacobian: against differences %.1e, J J^-1 - 1 %.1e\n", worst, worst_inverse);
    assert_true(worst < 1e-11);
    assert_true(worst_inverse < 2e-14);
}

// exp(v) = J(v) J(v)^-T: the left and the right Jacobian differ by the rotation itself; no
// differences involved.
static void jacobian_matches_the_rotation(void **state)
{
    (void)state;
    uint64_t seed = 10;
    for (int i = 0; i < 3000; ++i) {
        double angle = 6.0 * fabs(next_random(&seed)) * (i % 3 ? 1.0 : 1e-4);
        sn_vec3 v = sn_vec3_scale(angle, random_direction(&seed));
        sn_mat3 right = sn_rotation_jacobian(sn_vec3_negate(v));
        sn_mat3 turned = sn_mat3_multiply(sn_quat_to_mat3(sn_quat_exp(v)), right);
        assert_true(mat3_distance(turned, sn_rotation_jacobian(v)) < 3e-15);
    }
}

static void quaternion_derivatives_match_differences(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 2000; ++i) {
        sn_quat q = random_rotation(&seed);
        sn_vec3 w = sn_vec3_scale(5.0, random_vector(&seed));
        double h = 1e-4;
        sn_quat world = sn_quat_derivative_world(q, w), body = sn_quat_derivative_body(q, w);
        sn_quat a = sn_quat_multiply(sn_quat_exp(sn_vec3_scale(h, w)), q);
        sn_quat b = sn_quat_multiply(sn_quat_exp(sn_vec3_scale(-h, w)), q);
        sn_quat c = sn_quat_multiply(q, sn_quat_exp(sn_vec3_scale(h, w)));
        sn_quat d = sn_quat_multiply(q, sn_quat_exp(sn_vec3_scale(-h, w)));
        double s = 0.5 / h;
        assert_true(fabs(s * (a.w - b.w) - world.w) < 1e-6 &&
                    fabs(s * (a.x - b.x) - world.x) < 1e-6);
        assert_true(fabs(s * (a.y - b.y) - world.y) < 1e-6 &&
                    fabs(s * (a.z - b.z) - world.z) < 1e-6);
        assert_true(fabs(s * (c.w - d.w) - body.w) < 1e-6 && fabs(s * (c.x - d.x) - body.x) < 1e-6);
        assert_true(fabs(s * (c.y - d.y) - body.y) < 1e-6 && fabs(s * (c.z - d.z) - body.z) < 1e-6);
        // The same motion described in the body gives the same derivative.
        sn_quat same = sn_quat_derivative_body(q, sn_rotate_inverse(q, w));
        assert_true(fabs(same.w - world.w) + fabs(same.x - world.x) + fabs(same.y - world.y) <
                    3e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_and_logarithm_are_inverse),
        cmocka_unit_test(exponential_is_the_rotation),
        cmocka_unit_test(axis_and_angle_come_back),
        cmocka_unit_test(matrices_come_back),
        cmocka_unit_test(euler_angles_have_the_documented_order),
        cmocka_unit_test(euler_angles_come_back),
        cmocka_unit_test(slerp_turns_evenly),
        cmocka_unit_test(between_is_the_smallest_rotation),
        cmocka_unit_test(jacobian_matches_differences),
        cmocka_unit_test(jacobian_matches_the_rotation),
        cmocka_unit_test(quaternion_derivatives_match_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
