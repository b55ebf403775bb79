// The simultaneous impulse with predicted sticking and sliding: impulses of a blow in closed form,
// many at once, and whole steps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "contact_problem.h"
#include "solve/point_impact.h"
#include "solve/seed_impulse.h"
#include "touching_bodies.h"

// One body struck at one point: the impulse is that of the blow there, sticking or sliding, on or
// back.
static void test_one_blow(void **state)
{
    (void)state;
    const double inverse[1][2] = {{0.5, 4.0}};
    const sn_vec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    const struct {
        double friction, speed;
        bool sticks;
        double way; // P_T / P_N by friction
    } cases[] = {{2.0, 0.7, true, NAN},
                 {0.05, 0.7, false, NAN},
                 {0.05, -0.7, false, 1.0},
                 {0.0, 0.7, false, 0.0}};
    for (int k = 0; k < 4; ++k) {
        sn_exact_system system = {0};
        double friction = cases[k].friction;
        sn_random random = {.seed = 1};
        contact_problem_body(&system, &random);
        const double v[6] = {cases[k].speed, 0.0, -2.0, 0.0, 0.0, 0.0};
        memcpy(system.v.data, v, sizeof v);
        contact_problem_point(&system, inverse, -1, 0, axes, SN_VEC3_ZERO,
                              sn_vec3_make(-0.4, 0.0, -0.3), friction);
        sn_exact_system_prepare(&system);
        sn_vec3 start = sn_exact_velocity(&system, &system.blocks.data[0]);
        sn_point_impact hit = sn_point_impact_find(&system.blocks.data[0].w, start, friction, 0.0);
        assert_int_equal(hit.sticks, cases[k].sticks);
        sn_exact_effort effort;
        assert_true(sn_seed_impulse_solve(&system, &effort));
        assert_true(effort.converged);
        sn_vec3 u = sn_exact_velocity(&system, &system.blocks.data[0]);
        sn_vec3 p = sn_exact_impulse(&system, &system.blocks.data[0]);
        assert_true(p.x > 0.0 && fabs(u.x) < 1e-8);
        assert_true(sn_distance(p, hit.impulse) < 1e-8);
        assert_true(!hit.sticks || sn_length(u) < 1e-8);
        if (!isnan(cases[k].way)) {
            assert_true(fabs(p.y - cases[k].way * friction * p.x) < 1e-12 && fabs(p.z) < 1e-12);
        }
        sn_exact_system_free(&system);
    }
}

// Many bodies at once: nothing pulls, nothing that was struck goes on into its neighbour.
static void test_simultaneous(void **state)
{
    (void)state;
    contact_problem_def def = {.bodies = 5, .contacts = 7, .repeats = 1, .friction = 0.6};
    int struck = 0;
    for (int i = 0; i < 200; ++i) {
        sn_exact_system system = {0};
        contact_problem_make(&system, &def, (uint64_t)i);
        sn_exact_effort effort;
        assert_true(sn_seed_impulse_solve(&system, &effort));
        assert_true(effort.converged);
        for (int k = 0; k < system.blocks.count; ++k) {
            sn_vec3 u = sn_exact_velocity(&system, &system.blocks.data[k]);
            sn_vec3 p = sn_exact_impulse(&system, &system.blocks.data[k]);
            assert_true(p.x >= 0.0);
            assert_true(p.x == 0.0 || fabs(u.x) < 1e-6);
            struck += p.x > 0.0;
        }
        sn_exact_system_free(&system);
    }
    assert_true(struck > 400);
}

// A ball falls, bounces and comes to rest; its speed after the first bounce is e times that before.
static void test_ball_in_steps(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    t.predict = true;
    double r = 0.05, h = 1.0 / 1000.0, e = 0.5, before = 0.0, after = 0.0;
    int ball = touching_add_sphere(&t, r, 1.0, sn_vec3_make(0.0, 0.0, r + 0.2));
    touching_join(&t, -1, ball, 0.3, e);
    for (int i = 0; i < 3000; ++i) {
        touching_step(&t, h);
        double v = touching_velocity(&t, ball).z;
        before = after == 0.0 ? fmin(before, v) : before;
        after = after == 0.0 && v > 0.0 ? v : after;
        assert_true(touching_position(&t, ball).z > r - 1e-6);
    }
    assert_true(fabs(after + e * before) < 0.01 * after);
    assert_true(fabs(touching_velocity(&t, ball).z) < 1e-9);
    assert_true(fabs(touching_position(&t, ball).z - r) < 1e-6);
    touching_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_blow),
        cmocka_unit_test(test_simultaneous),
        cmocka_unit_test(test_ball_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
