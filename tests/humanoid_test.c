// The humanoid of the benchmarks on the ground: contact laws are met to the last digits, although
// links stick at more points than they need and their anchors contradict each other in the last
// ones; nothing sinks in, and nothing gains energy.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../bench/humanoid_world.h"

static void read_bodies(const sn_world *world, sn_humanoid_body *bodies)
{
    for (int i = 0; i < SN_HUMANOID_LINKS; ++i) {
        sn_body body = sn_world_body(world, i + 1);
        sn_transform frame = sn_body_transform(world, body);
        bodies[i] = (sn_humanoid_body){frame.position, sn_quat_to_mat3(frame.rotation),
                                       sn_body_velocity(world, body),
                                       sn_body_angular_velocity(world, body)};
    }
}

// Steps in which an island gains energy by the laws alone are solved otherwise and are not counted
// as met; there are no more than three of those.
static void laws_are_met_on_the_ground(void **state)
{
    (void)state;
    enum { STEPS = 240, MOST_MISSED = 3 };
    static sn_humanoid_judge judge;
    sn_world *world = NULL;
    int missed = 0;
    assert_int_equal(sn_humanoid_world(&world, NULL), SN_OK);
    sn_humanoid_judge_start(&judge);
    for (int i = 0; i < STEPS; ++i) {
        sn_humanoid_body bodies[SN_HUMANOID_LINKS];
        assert_int_equal(sn_world_step(world, 1.0 / 240.0, NULL), SN_OK);
        missed += sn_world_report(world).worst_residual > 1e-10;
        if (i % SN_HUMANOID_STEPS_BETWEEN == 0) {
            read_bodies(world, bodies);
            sn_humanoid_judge_look(&judge, bodies);
        }
    }
    sn_world_destroy(world);
    if (missed > MOST_MISSED) {
        print_message("laws missed in %d steps\n", missed);
    }
    assert_true(missed <= MOST_MISSED);
    assert_true(judge.quality[0] < 2e-3);  // deepest, m
    assert_true(judge.quality[4] <= 1e-9); // largest rise of energy, J
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(laws_are_met_on_the_ground)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
