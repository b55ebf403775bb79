// The net under contact: islands that gained energy are slowed down, what is no longer a number
// stands still, and what has a reason to be fast is left alone.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/world.h"
#include "sinew/sinew.h"
#include "touch/touch.h"

static const double H = 1.0 / 240.0;

// A floor, whose surface moves by itself, and a box on it.
static sn_world *make_world(sn_vec3 belt, sn_vec3 velocity, sn_body *box)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.contact.sleep = false;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_shape plane = sn_default_shape(), cube = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    plane.surface.velocity = belt;
    cube.type = SN_SHAPE_BOX;
    cube.size = sn_vec3_make(0.2, 0.2, 0.2);
    sn_body_def body_def = sn_default_body_def();
    sn_body floor;
    body_def.type = SN_BODY_STATIC;
    body_def.shapes = &plane;
    body_def.shape_count = 1;
    assert_int_equal(sn_world_add_body(world, &body_def, &floor, NULL), SN_OK);
    body_def = sn_default_body_def();
    body_def.name = "box";
    body_def.shapes = &cube;
    body_def.shape_count = 1;
    body_def.frame.position.z = 0.1;
    body_def.velocity = velocity;
    assert_int_equal(sn_world_add_body(world, &body_def, box, NULL), SN_OK);
    return world;
}

static int scaled_in(sn_world *world, int steps)
{
    int scaled = 0;
    for (int i = 0; i < steps; ++i) {
        sn_error error = {0};
        if (sn_world_step(world, H, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        scaled += sn_world_report(world).velocity_scaled;
    }
    return scaled;
}

// Whether the guard has done this to the box since the last look.
static bool guard_did(sn_world *world, sn_counter counter)
{
    sn_agent *agent = &world->rigid.agents.agents[0];
    bool did = sn_agent_is_counted(agent, counter);
    agent->counted = 0;
    return did;
}

static void gains_are_taken_out(void **state)
{
    (void)state;
    sn_body box;
    sn_world *world = make_world(SN_VEC3_ZERO, sn_vec3_make(9.0, 0.0, 0.0), &box);
    assert_int_equal(scaled_in(world, 3), 0);
    double *v = world->rigid.agents.v, before = world->rigid.agents.v_last[0];
    for (int i = 0; i < SN_RIGID_V; ++i) { // as if it had rebounded in the last step
        v[i] *= -1.005;
    }
    double fine = v[0];
    sn_world_check_energies(world, H);
    assert_true(v[0] == fine && !guard_did(world, SN_COUNTER_VELOCITY_SCALED));
    for (int i = 0; i < SN_RIGID_V; ++i) {
        v[i] *= 5.0;
    }
    v[2] = 7.0;
    sn_world_check_energies(world, H);
    assert_true(guard_did(world, SN_COUNTER_VELOCITY_SCALED));
    // It is named, with the energy that was taken out: 25 (1.005 v)^2 and more.
    const sn_counter_worst *worst = &world->report.worst[SN_COUNTER_VELOCITY_SCALED];
    double mass = sn_body_mass_properties(world, box).mass;
    assert_true(worst->body.index == box.index && worst->amount > 10.0 * mass * before * before);
    // What it had at the start of the step, in the direction that it has now.
    double speed = sn_length(sn_body_velocity(world, box));
    assert_true(speed > 0.95 * before && speed <= (1.0 + 1e-9) * before);
    assert_true(fabs(v[2] / v[0] - 7.0 / (5.0 * fine)) < 1e-12);
    // Momentum that nothing took is not at stake: no integrator is off by that.
    v[0] = 1.005 * before;
    v[2] = 0.0;
    sn_world_check_energies(world, H);
    assert_true(guard_did(world, SN_COUNTER_VELOCITY_SCALED));
    // With a thousand times its speed it did not come to where it is in any way that is a motion.
    v[0] = 1e3 * before;
    double place = world->rigid.agents.q_last[0];
    sn_world_check_energies(world, H);
    assert_true(world->rigid.agents.q[0] == place && guard_did(world, SN_COUNTER_STOPPED));
    // What is slow, below a twentieth of its radius a step, may gain.
    for (int i = 0; i < SN_RIGID_V; ++i) {
        v[i] = world->rigid.agents.v_last[i] = 0.0;
    }
    v[0] = 0.04 * world->rigid.radius[0] / H;
    sn_world_check_energies(world, H);
    assert_false(guard_did(world, SN_COUNTER_VELOCITY_SCALED));
    sn_world_destroy(world);
}

// Heights are energy too: what was thrown up without a velocity goes back.
static void what_was_moved_too_far_stands_still(void **state)
{
    (void)state;
    sn_body box;
    sn_world *world = make_world(SN_VEC3_ZERO, SN_VEC3_ZERO, &box);
    assert_int_equal(scaled_in(world, 3), 0);
    double *q = world->rigid.agents.q, height = world->rigid.agents.q_last[2];
    world->rigid.agents.v[0] = world->rigid.radius[0] / H; // else nobody asks
    q[2] = height + 100.0 * world->rigid.radius[0];
    sn_world_check_energies(world, H);
    assert_true(q[2] == height && guard_did(world, SN_COUNTER_STOPPED));
    sn_world_destroy(world);
}

static void push_on(void *user, sn_world *world, double time)
{
    (void)time;
    const sn_body *box = user;
    sn_vec3 force = {5e3 * sn_body_mass_properties(world, *box).mass, 0.0, 0.0};
    sn_body_add_force(world, *box, force, sn_body_centre(world, *box));
}

static void work_is_no_gain(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) { // a belt of 100 m/s, a push of 500 g
        sn_body box;
        sn_world *world =
            make_world(sn_vec3_make(i == 0 ? 100.0 : 0.0, 0.0, 0.0), SN_VEC3_ZERO, &box);
        sn_callback_def def = {.apply = push_on, .user = &box};
        sn_field field;
        if (i == 1) {
            assert_int_equal(sn_world_add_callback(world, &def, &field, NULL), SN_OK);
        }
        assert_int_equal(scaled_in(world, i == 0 ? 400 : 60), 0);
        assert_true(sn_length(sn_body_velocity(world, box)) > 5.0);
        sn_world_destroy(world);
    }
}

static void what_is_lost_stands_still(void **state)
{
    (void)state;
    sn_body box;
    sn_world *world = make_world(SN_VEC3_ZERO, sn_vec3_make(2.0, 0.0, 0.0), &box);
    assert_int_equal(scaled_in(world, 3), 0);
    sn_agent_set *set = &world->rigid.agents;
    set->v[1] = NAN;
    set->q[2] = INFINITY;
    sn_world_stand_lost(world);
    assert_memory_equal(set->q, set->q_last, SN_RIGID_Q * sizeof(double));
    for (int i = 0; i < SN_RIGID_V; ++i) {
        assert_true(set->v[i] == 0.5 * set->v_last[i]);
    }
    assert_true(sn_agent_is_counted(&set->agents[0], SN_COUNTER_STOPPED));
    assert_int_equal(sn_body_contact_force(world, box, NULL).z > 0.0, 0);
    assert_int_equal(scaled_in(world, 3), 0); // and it goes on
    assert_int_equal(sn_world_report(world).stopped, 0);
    sn_world_destroy(world);
}

static void push_to_infinity(void *user, sn_world *world, double time)
{
    const sn_body *box = user;
    if (time > 2.5 * H) {
        sn_body_add_force(world, *box, sn_vec3_make(INFINITY, 0.0, 0.0), SN_VEC3_ZERO);
    }
}

static void forces_that_are_no_numbers_are_told(void **state)
{
    (void)state;
    sn_body box;
    sn_world *world = make_world(SN_VEC3_ZERO, SN_VEC3_ZERO, &box);
    sn_callback_def def = {.apply = push_to_infinity, .user = &box};
    sn_field field;
    assert_int_equal(sn_world_add_callback(world, &def, &field, NULL), SN_OK);
    assert_int_equal(scaled_in(world, 2), 0);
    uint64_t good = sn_world_hash(world);
    sn_error error = {0};
    sn_status status = SN_OK;
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        good = sn_world_hash(world);
        status = sn_world_step(world, H, &error);
    }
    assert_int_equal(status, SN_ERROR_DIVERGED);
    assert_non_null(strstr(error.place, "box"));
    assert_true(sn_world_hash(world) == good);
    sn_world_destroy(world);
}

static void add_round(sn_world *world, sn_body_type type, const sn_shape *shape, sn_vec3 at)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = type;
    def.shapes = shape;
    def.shape_count = 1;
    def.frame.position = at;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
}

// A ball that rebounds with all its speed, and one that does not, are never slowed, near the origin
// or high above it: all of what happens is that height and motion cancel.
static void test_what_falls_and_rebounds_is_not_slowed(void **state)
{
    (void)state;
    const double steps[3] = {1.0 / 60.0, 1.0 / 240.0, 1e-3}, heights[2] = {0.0, 300.0};
    for (int i = 0; i < 6; ++i) {
        double h = steps[i % 3], floor = heights[i / 3];
        sn_world_def def = sn_default_world_def();
        def.contact.sleep = false;
        sn_world *world = NULL;
        assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
        sn_shape plane = sn_default_shape(), ball = sn_default_shape();
        plane.type = SN_SHAPE_PLANE;
        add_round(world, SN_BODY_STATIC, &plane, sn_vec3_make(0.0, 0.0, floor));
        ball.radius = 0.1;
        add_round(world, SN_BODY_RIGID, &ball, sn_vec3_make(1.0, 0.0, floor + 1.1));
        ball.surface.restitution = 1.0;
        add_round(world, SN_BODY_RIGID, &ball, sn_vec3_make(0.0, 0.0, floor + 1.1));
        double first = sn_world_energy(world).total, last = 0.0;
        for (int k = 0; k < 8.0 / h; ++k) {
            assert_int_equal(sn_world_step(world, h, NULL), SN_OK);
            assert_int_equal(sn_world_report(world).velocity_scaled, 0);
            last = sn_world_energy(world).total;
        }
        assert_true(last <= first);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_taken_out),
        cmocka_unit_test(what_was_moved_too_far_stands_still),
        cmocka_unit_test(work_is_no_gain),
        cmocka_unit_test(what_is_lost_stands_still),
        cmocka_unit_test(forces_that_are_no_numbers_are_told),
        cmocka_unit_test(test_what_falls_and_rebounds_is_not_slowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
