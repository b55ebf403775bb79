// Contact by springs and dampers: sinking, damping, the friction bound and the tangential spring
// against closed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solve/penalty.h"

static const sn_vec3 up = {0.0, 0.0, 1.0};

static void test_normal(void **state)
{
    (void)state;
    sn_penalty law = {
        .stiffness = 1e4, .damping = 0.5, .friction = 0.4, .mass = 2.0, .tangential = 2.0 / 7.0};
    sn_vec3 spring;
    // Nothing touches.
    sn_vec3 f =
        sn_penalty_force(&law, 1e-6, up, sn_vec3_make(0, 0, -1), SN_VEC3_ZERO, 0.01, &spring);
    assert_true(sn_length(f) == 0.0 && sn_length(spring) == 0.0);
    // k overlap, and with 2 zeta sqrt(k m) u.
    f = sn_penalty_force(&law, -1e-3, up, SN_VEC3_ZERO, SN_VEC3_ZERO, 0.0, &spring);
    assert_true(fabs(f.z - 10.0) < 1e-12);
    f = sn_penalty_force(&law, -1e-3, up, sn_vec3_make(0, 0, -0.1), SN_VEC3_ZERO, 0.0, &spring);
    assert_true(fabs(f.z - 10.0 - 0.1 * sqrt(2e4)) < 1e-9);
    // It does not pull.
    f = sn_penalty_force(&law, -1e-3, up, sn_vec3_make(0, 0, 5.0), SN_VEC3_ZERO, 0.0, &spring);
    assert_true(sn_length(f) == 0.0);
}

// A mass that falls onto it sinks in by m g / k in the end.
static void test_rest(void **state)
{
    (void)state;
    double h = 1e-4, z = 0.01, v = 0.0, m = 3.0;
    sn_penalty law = {.stiffness = 5e4, .damping = 0.3, .mass = m, .tangential = 0.3};
    sn_vec3 spring;
    for (int i = 0; i < 50000; ++i) {
        sn_vec3 f = sn_penalty_force(&law, z, up, sn_vec3_make(0, 0, v), SN_VEC3_ZERO, 0, &spring);
        v += h * (f.z / m - 9.81);
        z += h * v;
    }
    assert_true(fabs(z + m * 9.81 / 5e4) < 1e-9);
    assert_true(fabs(v) < 1e-6);
    // The default stiffness is one that the step follows.
    assert_true(fabs(sqrt(sn_penalty_stiffness(m, h) / m) * h - 0.5) < 1e-12);
}

// A mass pushed sideways is held by the spring up to friction, and slides beyond it.
static void test_friction(void **state)
{
    (void)state;
    double h = 1e-4, m = 1.0, k = 1e4, overlap = m * 9.81 / k;
    for (int push = 0; push < 2; ++push) {
        sn_penalty law = {
            .stiffness = k, .damping = 1.0, .friction = 0.5, .mass = m, .tangential = 0.5};
        double force = push == 0 ? 0.4 * 9.81 : 0.6 * 9.81, x = 0.0, v = 0.0;
        sn_vec3 spring = SN_VEC3_ZERO;
        for (int i = 0; i < 20000; ++i) {
            sn_vec3 now, u = {v, 0, 0};
            sn_vec3 f = sn_penalty_force(&law, -overlap, up, u, spring, h, &now);
            spring = now;
            assert_true(fabs(f.x) <= 0.5 * f.z * (1.0 + 1e-12));
            assert_true(now.z == 0.0);
            v += h * (force + f.x) / m;
            x += h * v;
        }
        if (push == 0) {
            assert_true(fabs(v) < 1e-9);
            assert_true(fabs(x - force / (0.5 * k)) < 1e-6);
        } else {
            assert_true(fabs(v - (0.6 - 0.5) * 9.81 * 2.0) < 0.01 * v);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
