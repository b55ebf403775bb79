// Events in their corner cases: on the border of a step, stopped at and gone on from, of the whole
// world, of several integrators at once, several in one step.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "small_world.h"

enum { FIRST_ADAPTIVE = SN_INTEGRATOR_FEHLBERG45, LAST_ADAPTIVE = SN_INTEGRATOR_BDF };

static sn_event add_event(sn_world *world, sn_body body, sn_quantity quantity, double threshold,
                          sn_event_action action)
{
    sn_event_def def = sn_default_event_def();
    def.probe = (sn_probe){.body = body, .quantity = quantity};
    def.threshold = threshold;
    def.action = action;
    sn_event event;
    assert_int_equal(sn_world_add_event(world, &def, &event, NULL), SN_OK);
    return event;
}

// A method that stops at an event has already looked beyond it; the world may go on by less than
// that.
static void a_stop_can_be_followed_by_any_step(void **state)
{
    (void)state;
    for (int i = FIRST_ADAPTIVE; i <= LAST_ADAPTIVE; ++i) {
        sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0, 0, -9.81));
        sn_body body = add_body(world, "a", SN_VEC3_ZERO, sn_vec3_make(1, 2, 3), (sn_integrator)i);
        double start = read(world, body, SN_QUANTITY_CENTRE_Z);
        add_event(world, body, SN_QUANTITY_CENTRE_Z, start - 0.5, SN_EVENT_STOP);
        for (int k = 0; k < 10 && !sn_world_stopped(world); ++k) {
            advance(world, 0.1, 1);
        }
        assert_true(fabs(sn_world_time(world) - sqrt(1.0 / 9.81)) < 1e-7);
        advance(world, 1e-4, 5);
        double t = sn_world_time(world), z = read(world, body, SN_QUANTITY_CENTRE_Z);
        assert_true(fabs(z - (start - 0.5 * 9.81 * t * t)) < 1e-7);
        sn_world_destroy(world);
    }
}

// Rotations are brought back to unit length when a stopped world goes on, which may put the value
// back before the threshold by a rounding: still one event. Crossings must alternate in direction.
static void no_crossing_is_told_twice(void **state)
{
    (void)state;
    const sn_quantity quantities[] = {SN_QUANTITY_ROTATION_X, SN_QUANTITY_ROTATION_W,
                                      SN_QUANTITY_ANGULAR_VELOCITY_X,
                                      SN_QUANTITY_BODY_ANGULAR_VELOCITY_Y, SN_QUANTITY_POSITION_X};
    sn_random random = {.seed = 9};
    int total = 0;
    for (int trial = 0; trial < 200; ++trial) {
        sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0.1, 0, 0));
        sn_integrator integrator = (sn_integrator)(FIRST_ADAPTIVE + (trial % 10 == 0));
        sn_body body = add_body(world, "a", SN_VEC3_ZERO, sn_vec3_make(1, 2, 3), integrator);
        sn_quantity quantity = quantities[trial % 5];
        double threshold = sn_random_range(&random, -0.6, 0.6);
        // some start exactly on the threshold
        threshold = trial % 20 < 5 ? read(world, body, quantity) : threshold;
        add_event(world, body, quantity, threshold, SN_EVENT_STOP);
        advance(world, 0.05, 60);
        int count = sn_world_event_count(world);
        for (int i = 1; i < count; ++i) {
            sn_event_entry last = sn_world_event_entry(world, i - 1),
                           next = sn_world_event_entry(world, i);
            assert_int_equal(next.direction, -last.direction);
            assert_true(next.time - last.time > 1e-9);
        }
        total += count;
        sn_world_destroy(world);
    }
    assert_true(total > 200);
}

// x = v t reaches its threshold within a rounding of the end of a step: told once, by either step.
static void an_event_on_the_border_of_steps_is_told_once(void **state)
{
    (void)state;
    for (int trial = 1; trial < 100; ++trial) {
        for (int i = FIRST_ADAPTIVE; i <= LAST_ADAPTIVE; ++i) {
            sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
            double v = 1.0 + 0.01 * trial;
            sn_body body = add_body(world, "a", sn_vec3_make(v, 0, 0), sn_vec3_make(0, 0, 0),
                                    (sn_integrator)i);
            double threshold = read(world, body, SN_QUANTITY_CENTRE_X) + v * (trial % 9 * 0.1);
            threshold = trial % 3 == 0 ? threshold : nextafter(threshold, trial % 3 == 1 ? -9 : 9);
            add_event(world, body, SN_QUANTITY_CENTRE_X, threshold,
                      trial % 2 == 0 ? SN_EVENT_MARK : SN_EVENT_STOP);
            advance(world, 0.1, 14);
            // on the threshold at the start, or a rounding beyond it: no crossing
            assert_true(sn_world_event_count(world) == 1 || trial % 9 == 0);
            sn_world_destroy(world);
        }
    }
}

static sn_vec3 motion_with_marks(int marks, uint64_t *steps)
{
    sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
    sn_body body =
        add_body(world, "a", SN_VEC3_ZERO, sn_vec3_make(3, 0.2, 0.5), SN_INTEGRATOR_FEHLBERG45);
    for (int i = 0; i < marks; ++i) {
        add_event(world, body, SN_QUANTITY_ANGULAR_VELOCITY_Y, 0.02 * i, SN_EVENT_MARK);
    }
    advance(world, 0.5, 20);
    assert_true(marks == 0 || sn_world_event_count(world) > 50);
    *steps = sn_world_report(world).internal_steps;
    sn_vec3 result = sn_body_angular_velocity(world, body);
    sn_world_destroy(world);
    return result;
}

static void marks_do_not_disturb_the_motion(void **state)
{
    (void)state;
    uint64_t steps, marked_steps;
    sn_vec3 plain = motion_with_marks(0, &steps), marked = motion_with_marks(10, &marked_steps);
    assert_int_equal(steps, marked_steps);
    assert_true(sn_distance(plain, marked) < 1e-12);
}

static void the_clock_is_located(void **state)
{
    (void)state;
    for (int bodies = 0; bodies < 3; ++bodies) {
        sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
        for (int i = 0; i < bodies; ++i) {
            add_body(world, NULL, SN_VEC3_ZERO, sn_vec3_make(1, 2, 3),
                     i == 0 ? SN_INTEGRATOR_DEFAULT : SN_INTEGRATOR_RK4);
        }
        add_event(world, (sn_body){0}, SN_QUANTITY_TIME, 0.25, SN_EVENT_STOP);
        advance(world, 0.1, 3);
        assert_true(sn_world_stopped(world));
        assert_int_equal(sn_world_event_count(world), 1);
        assert_true(fabs(sn_world_event_entry(world, 0).time - 0.25) < 1e-12);
        assert_true(fabs(sn_world_time(world) - (bodies == 0 ? 0.3 : 0.25)) < 1e-12);
        sn_world_destroy(world);
    }
}

// The energy of a world in which only one of two bodies is integrated adaptively: nobody can locate
// it, and it must not be lost between the two.
static void events_of_a_mixed_world_are_not_lost(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0, 0, -10));
    add_body(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_FEHLBERG45);
    add_body(world, "b", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_LIE_MIDPOINT);
    add_event(world, (sn_body){0}, SN_QUANTITY_KINETIC_ENERGY, 70.0, SN_EVENT_MARK);
    advance(world, 0.1, 20); // 2 * 1/2 (10 t)^2 passes 70 J at t = 0.84
    assert_int_equal(sn_world_event_count(world), 1);
    assert_true(fabs(sn_world_event_entry(world, 0).time - sqrt(0.7)) < 0.01);
    sn_world_destroy(world);
}

// A body that steps by RK4 cannot locate its event; that must not keep others from locating theirs.
static void fixed_steps_do_not_stand_in_the_way(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
    sn_vec3 along = {1, 0, 0};
    sn_body fixed = add_body(world, "fixed", along, SN_VEC3_ZERO, SN_INTEGRATOR_RK4);
    sn_body one = add_body(world, "one", along, SN_VEC3_ZERO, SN_INTEGRATOR_FEHLBERG45);
    sn_body two = add_body(world, "two", along, SN_VEC3_ZERO, SN_INTEGRATOR_FEHLBERG45);
    add_event(world, fixed, SN_QUANTITY_POSITION_X, 9.0, SN_EVENT_MARK);
    add_event(world, one, SN_QUANTITY_POSITION_X, 0.15, SN_EVENT_MARK);
    add_event(world, two, SN_QUANTITY_POSITION_X, 0.23, SN_EVENT_STOP);
    advance(world, 0.1, 3);
    assert_true(sn_world_stopped(world));
    assert_true(fabs(sn_world_time(world) - 0.23) < 1e-9);
    sn_world_destroy(world);
}

// Whoever finds them, and in whatever order they were added.
static void the_log_is_in_order_of_time(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
    sn_vec3 along = {1, 0, 0};
    sn_body located = add_body(world, "a", along, SN_VEC3_ZERO, SN_INTEGRATOR_FEHLBERG45);
    sn_body watched = add_body(world, "b", along, SN_VEC3_ZERO, SN_INTEGRATOR_LIE_MIDPOINT);
    for (int i = 9; i >= 0; --i) {
        add_event(world, i % 2 == 0 ? located : watched, SN_QUANTITY_POSITION_X, 0.05 + 0.1 * i,
                  SN_EVENT_MARK);
    }
    advance(world, 0.5, 1);
    size_t size = sn_world_state_size(world);
    void *half = malloc(size);
    assert_int_equal(sn_world_save_state(world, half, size, NULL), SN_OK);
    advance(world, 0.5, 1);
    // gone back and done again, the later half is there once
    assert_int_equal(sn_world_event_count(world), 10);
    assert_int_equal(sn_world_load_state(world, half, size, NULL), SN_OK);
    assert_int_equal(sn_world_event_count(world), 5);
    advance(world, 0.5, 1);
    assert_int_equal(sn_world_event_count(world), 10);
    for (int i = 0; i < 10; ++i) {
        assert_true(fabs(sn_world_event_entry(world, i).time - (0.05 + 0.1 * i)) < 1e-9);
    }
    free(half);
    sn_world_destroy(world);
}

// A body goes, and with it its located events; the log still tells of them, and the rest goes on.
static void events_go_with_their_body(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
    sn_vec3 along = {1, 0, 0};
    sn_body gone = add_body(world, "gone", along, SN_VEC3_ZERO, SN_INTEGRATOR_ADAMS);
    sn_body kept = add_body(world, "kept", along, SN_VEC3_ZERO, SN_INTEGRATOR_ADAMS);
    sn_event first = add_event(world, gone, SN_QUANTITY_POSITION_X, 0.05, SN_EVENT_MARK);
    add_event(world, gone, SN_QUANTITY_POSITION_X, 0.15, SN_EVENT_STOP);
    add_event(world, kept, SN_QUANTITY_POSITION_X, 0.25, SN_EVENT_STOP);
    advance(world, 0.1, 1);
    sn_world *copy = NULL;
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    assert_int_equal(sn_world_remove_body(world, gone, NULL), SN_OK);
    advance(world, 0.1, 2);
    assert_int_equal(sn_world_event_count(world), 2);
    assert_int_equal(sn_world_event_entry(world, 0).event.index, first.index);
    assert_string_equal(sn_event_name(world, first), "");
    assert_true(fabs(sn_world_time(world) - 0.25) < 1e-8);
    // the copy has lost nothing
    advance(copy, 0.1, 1);
    assert_true(sn_world_stopped(copy) && fabs(sn_world_time(copy) - 0.15) < 1e-8);
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

// ---- values on the threshold ----

static sn_event add_length_event(sn_world *world, sn_body a, sn_body b)
{
    sn_spring_def def = sn_default_spring_def();
    def.body_a = a;
    def.body_b = b;
    def.point_b = sn_vec3_make(0, 0, 1);
    def.stiffness = 100.0;
    sn_field spring;
    assert_int_equal(sn_world_add_spring(world, &def, &spring, NULL), SN_OK);
    sn_event_def event = sn_default_event_def();
    event.probe = (sn_probe){.field = spring, .quantity = SN_QUANTITY_LENGTH};
    event.threshold = 1.0;
    sn_event length;
    assert_int_equal(sn_world_add_event(world, &event, &length, NULL), SN_OK);
    return length;
}

// Two bodies fall together, the spring between them at its rest length throughout: the value is
// exactly zero all the way, while another event is told.
static void a_value_may_stay_on_its_threshold(void **state)
{
    (void)state;
    for (int i = FIRST_ADAPTIVE; i <= LAST_ADAPTIVE; ++i) {
        for (int action = SN_EVENT_MARK; action <= SN_EVENT_STOP; ++action) {
            sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0, 0, -8));
            sn_body a = add_body(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, (sn_integrator)i);
            sn_body b = add_body(world, "b", SN_VEC3_ZERO, SN_VEC3_ZERO, (sn_integrator)i);
            sn_event length = add_length_event(world, a, b);
            add_event(world, a, SN_QUANTITY_POSITION_Z, -1.0, (sn_event_action)action);
            advance(world, 0.1, 8);
            assert_int_equal(sn_world_event_count(world), 1);
            sn_event_entry entry = sn_world_event_entry(world, 0);
            assert_int_not_equal(entry.event.index, length.index);
            assert_int_equal(entry.direction, -1);
            assert_true(fabs(entry.time - 0.5) < 1e-6); // 4 t^2 = 1
            sn_world_destroy(world);
        }
    }
}

// Thrown up from the threshold, and let fall from it: only the return is a crossing. Watched and
// located, in steps so long that one holds the whole flight and in short ones.
static void to_leave_the_threshold_is_no_crossing(void **state)
{
    (void)state;
    for (int i = SN_INTEGRATOR_LIE_MIDPOINT; i <= LAST_ADAPTIVE; ++i) {
        for (int k = 0; k < 4; ++k) {
            double speed = k % 2 == 0 ? 4.0 : 0.0, h = k / 2 == 0 ? 0.01 : 2.0;
            sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0, 0, -8));
            sn_body body =
                add_body(world, "a", sn_vec3_make(0, 0, speed), SN_VEC3_ZERO, (sn_integrator)i);
            add_event(world, body, SN_QUANTITY_POSITION_Z, 0.0, SN_EVENT_MARK);
            advance(world, h, (int)(2.0 / h));
            bool seen = speed > 0.0 && (h < 1.0 || i >= FIRST_ADAPTIVE);
            assert_int_equal(sn_world_event_count(world), seen);
            if (seen) {
                assert_int_equal(sn_world_event_entry(world, 0).direction, -1);
                assert_true(fabs(sn_world_event_entry(world, 0).time - 1.0) <
                            (i >= FIRST_ADAPTIVE ? 1e-6 : 0.02));
            }
            sn_world_destroy(world);
        }
    }
}

static sn_world *make_walk(sn_body *body)
{
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    *body = add_body(world, "a", sn_vec3_make(1, 0, 0), SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    add_event(world, *body, SN_QUANTITY_POSITION_X, 0.5, SN_EVENT_STOP);
    advance(world, 0.25, 2); // all numbers are binary fractions
    assert_true(read(world, *body, SN_QUANTITY_POSITION_X) == 0.5);
    assert_int_equal(sn_world_event_count(world), 0);
    return world;
}

// A step may end on the threshold: what the next one does decides.
static void a_watched_value_crosses_when_it_is_beyond(void **state)
{
    (void)state;
    sn_body body;
    sn_world *world = make_walk(&body);
    advance(world, 0.25, 1);
    assert_int_equal(sn_world_event_count(world), 1);
    assert_true(sn_world_stopped(world));
    assert_true(sn_world_event_entry(world, 0).time == 0.5);
    assert_int_equal(sn_world_event_entry(world, 0).direction, 1);
    advance(world, 0.25, 3);
    assert_int_equal(sn_world_event_count(world), 1);
    sn_world_destroy(world);

    world = make_walk(&body);
    assert_int_equal(sn_body_set_velocity(world, body, sn_vec3_make(-1, 0, 0), SN_VEC3_ZERO, NULL),
                     SN_OK);
    advance(world, 0.25, 3);
    assert_int_equal(sn_world_event_count(world), 0);
    sn_world_destroy(world);
}

static void push_too_hard(void *user, sn_world *world, double time)
{
    (void)time;
    if (*(bool *)user) {
        sn_body_add_force(world, sn_world_body(world, 0), sn_vec3_make(NAN, 0, 0), SN_VEC3_ZERO);
    }
}

// On the threshold, a step fails and is taken again; or the world is copied there.
static void sides_outlive_failures_and_copies(void **state)
{
    (void)state;
    sn_body body;
    sn_world *world = make_walk(&body), *copy = NULL;
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    advance(copy, 0.25, 1);
    assert_int_equal(sn_world_event_count(copy), 1);
    sn_world_destroy(copy);

    bool push = true;
    sn_callback_def def = sn_default_callback_def();
    def.apply = push_too_hard;
    def.user = &push;
    sn_field field;
    assert_int_equal(sn_world_add_callback(world, &def, &field, NULL), SN_OK);
    assert_int_not_equal(sn_world_step(world, 0.25, NULL), SN_OK);
    assert_int_equal(sn_world_event_count(world), 0);
    push = false;
    advance(world, 0.25, 1);
    assert_int_equal(sn_world_event_count(world), 1);
    sn_world_destroy(world);
}

// Put onto the threshold or beyond it by the user, not by the motion.
static void changes_from_outside_are_no_crossings(void **state)
{
    (void)state;
    for (int i = SN_INTEGRATOR_LIE_MIDPOINT; i <= LAST_ADAPTIVE; ++i) {
        for (int k = 0; k < 2; ++k) {
            sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
            sn_body body =
                add_body(world, "a", sn_vec3_make(1, 0, 0), SN_VEC3_ZERO, (sn_integrator)i);
            add_event(world, body, SN_QUANTITY_POSITION_X, 5.0, SN_EVENT_MARK);
            advance(world, 0.1, 3);
            sn_transform frame = sn_body_transform(world, body);
            frame.position.x = k == 0 ? 5.0 : 6.0;
            assert_int_equal(sn_body_set_transform(world, body, frame, NULL), SN_OK);
            advance(world, 0.1, 3);
            assert_int_equal(sn_world_event_count(world), 0);
            assert_int_equal(
                sn_body_set_velocity(world, body, sn_vec3_make(-9, 0, 0), SN_VEC3_ZERO, NULL),
                SN_OK);
            advance(world, 0.1, 3);
            assert_int_equal(sn_world_event_count(world), 1);
            assert_int_equal(sn_world_event_entry(world, 0).direction, -1);
            sn_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_can_be_followed_by_any_step),
        cmocka_unit_test(no_crossing_is_told_twice),
        cmocka_unit_test(an_event_on_the_border_of_steps_is_told_once),
        cmocka_unit_test(marks_do_not_disturb_the_motion),
        cmocka_unit_test(the_clock_is_located),
        cmocka_unit_test(events_of_a_mixed_world_are_not_lost),
        cmocka_unit_test(fixed_steps_do_not_stand_in_the_way),
        cmocka_unit_test(the_log_is_in_order_of_time),
        cmocka_unit_test(events_go_with_their_body),
        cmocka_unit_test(a_value_may_stay_on_its_threshold),
        cmocka_unit_test(to_leave_the_threshold_is_no_crossing),
        cmocka_unit_test(a_watched_value_crosses_when_it_is_beyond),
        cmocka_unit_test(sides_outlive_failures_and_copies),
        cmocka_unit_test(changes_from_outside_are_no_crossings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
