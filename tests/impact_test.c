// Impacts that rebound: timing within the step, energy, chains of impacts, and what comes to rest.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "contact_problem.h"
#include "touching_bodies.h"

static double kinetic(const touching *t)
{
    const sn_agent_set *set = &t->set.agents;
    double sum = 0.0;
    for (int i = 0; i < set->count; ++i) {
        sn_measure measure;
        set->type->measure(set, i, SN_VEC3_ZERO, &measure);
        sum += measure.kinetic;
    }
    return sum;
}

// All strikes of a moment, on random bodies that touch everywhere: the kinetic energy never grows,
// and nothing approaches afterwards but what is slow.
static void test_energy_of_random_impacts(void **state)
{
    (void)state;
    enum { MOST = 32 };
    int strikes = 0;
    for (int i = 0; i < 300; ++i) {
        contact_problem_def def = {.bodies = 2 + i % 6,
                                   .contacts = 2 + i % 9,
                                   .repeats = 1,
                                   .decades = i % 3,
                                   .friction = 1.5};
        sn_exact_system system = {0};
        contact_problem_make(&system, &def, (uint64_t)i);
        assert_true(sn_exact_system_order(&system));
        sn_impact_spot spots[MOST];
        double change[6 * MOST], h = 0.01;
        for (int k = 0; k < system.blocks.count; ++k) {
            sn_vec3 u = sn_exact_velocity(&system, &system.blocks.data[k]);
            spots[k] = (sn_impact_spot){.block = k,
                                        .touching = 1e-6,
                                        .start = u,
                                        .restitution = 0.2 * (k % 6),
                                        .after = 0.5 * h};
        }
        int made = sn_impact_run(&system, spots, system.blocks.count, h, change);
        strikes += made; // none where nothing that approaches rebounds
        // Work of the impulses: p (u before + u after) / 2, all at the same moment.
        double work = 0.0, size = 0.0;
        for (int k = 0; k < system.blocks.count; ++k) {
            sn_vec3 after = sn_vec3_add(spots[k].start,
                                        sn_exact_along(&system, &system.blocks.data[k], change));
            work += 0.5 * sn_dot(spots[k].strike, sn_vec3_add(spots[k].start, after));
            size += sn_length(spots[k].strike) * sn_length(spots[k].start);
            assert_true(made == 0 || after.x > -1e-3);
            assert_true(sn_distance(spots[k].later, sn_vec3_negate(spots[k].strike)) <
                        1e-9 * (1.0 + sn_length(spots[k].strike))); // at t = 0: 2 p, then -p
        }
        assert_true(work <= 1e-9 * (1.0 + size));
        sn_exact_system_free(&system);
    }
    assert_true(strikes > 1000);
}

// The time of the impact within the step does not matter: after it the ball is where a ball is that
// turned round there.
static void test_timing(void **state)
{
    (void)state;
    double r = 0.05, e = 0.7, h = 1.0 / 100.0, speed = 2.0;
    for (int i = 0; i < 10; ++i) {
        touching t;
        touching_open(&t);
        t.gravity = SN_VEC3_ZERO;
        double height = speed * h * (0.05 + 0.1 * i);
        int ball = touching_add_sphere(&t, r, 1.0, sn_vec3_make(0.0, 0.0, r + height));
        sn_rigid_set_velocity(&t.set, ball, sn_vec3_make(0.3, 0.0, -speed), SN_VEC3_ZERO);
        touching_join(&t, -1, ball, 0.0, e);
        touching_step(&t, h);
        double expected = r + e * speed * (h - height / speed);
        assert_int_equal(t.report.strikes, 1);
        assert_true(fabs(touching_position(&t, ball).z - expected) < 1e-12);
        assert_true(fabs(touching_velocity(&t, ball).z - e * speed) < 1e-12);
        assert_true(fabs(touching_velocity(&t, ball).x - 0.3) < 1e-12);
        touching_close(&t);
    }
}

// A bouncing ball on a box that stands on the ground: both come to rest, nothing gains energy.
static void test_ball_on_box(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    int box = touching_add(&t, (touching_body){.box = true, .half = {0.2, 0.2, 0.1}}, 5.0,
                           sn_vec3_make(0.0, 0.0, 0.1), SN_QUAT_IDENTITY);
    int ball = touching_add_sphere(&t, 0.05, 0.5, sn_vec3_make(0.03, 0.02, 0.2 + 0.05 + 0.3));
    touching_join(&t, -1, box, 0.5, 0.0);
    touching_join(&t, box, ball, 0.5, 0.6);
    double energy = 0.5 * 9.81 * (0.55 - 0.25);
    for (int i = 0; i < 240 * 4; ++i) {
        touching_step(&t, 1.0 / 240.0);
        double now = kinetic(&t) + 0.5 * 9.81 * (touching_position(&t, ball).z - 0.25) +
                     5.0 * 9.81 * (touching_position(&t, box).z - 0.1);
        assert_true(now < energy * (1.0 + 1e-6) + 1e-9);
    }
    // It may roll on, slowly.
    assert_true(sn_length(touching_velocity(&t, box)) < 1e-9);
    assert_true(fabs(touching_velocity(&t, ball).z) < 1e-9);
    assert_true(sn_length(touching_velocity(&t, ball)) < 1e-2);
    assert_true(fabs(touching_position(&t, ball).z - 0.25) < 1e-6);
    touching_close(&t);
}

// Unequal balls in a row, e = 1: momentum and energy pass through to the last digit, and the light
// one at the end is thrown faster than what came in.
static void test_unequal_row(void **state)
{
    (void)state;
    touching t;
    touching_open(&t);
    t.gravity = SN_VEC3_ZERO;
    const double masses[4] = {2.0, 1.0, 0.5, 0.25};
    for (int i = 0; i < 4; ++i) {
        int ball = touching_add_sphere(&t, 0.05, masses[i],
                                       sn_vec3_make(0.1 * i - (i == 0 ? 0.02 : 0.0), 0.0, 0.0));
        if (i > 0) {
            touching_join(&t, i - 1, ball, 0.0, 1.0);
        }
    }
    sn_rigid_set_velocity(&t.set, 0, sn_vec3_make(1.0, 0.0, 0.0), SN_VEC3_ZERO);
    double before = kinetic(&t), momentum = 0.0;
    for (int i = 0; i < 20; ++i) {
        touching_step(&t, 1.0 / 240.0);
    }
    double expected = 1.0;
    for (int i = 0; i < 3; ++i) {
        expected *= 2.0 * masses[i] / (masses[i] + masses[i + 1]);
    }
    for (int i = 0; i < 4; ++i) {
        momentum += masses[i] * touching_velocity(&t, i).x;
    }
    assert_true(fabs(touching_velocity(&t, 3).x - expected) < 1e-9);
    assert_true(fabs(kinetic(&t) - before) < 1e-9);
    assert_true(fabs(momentum - 2.0) < 1e-12);
    touching_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_of_random_impacts),
        cmocka_unit_test(test_timing),
        cmocka_unit_test(test_ball_on_box),
        cmocka_unit_test(test_unequal_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
