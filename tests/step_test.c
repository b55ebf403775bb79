// Steps that fail, steps that are interfered with, and what a user adds to them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "small_world.h"

// ---- going back ----

// A step that cannot even set out leaves everything where it stands, not where the last step began.
static void a_step_that_cannot_begin_changes_nothing(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
    sn_vec3 along = {1, 0, 0}, spin = {1, 2, 3};
    sn_body gone = add_body(world, "gone", along, spin, SN_INTEGRATOR_FEHLBERG45);
    sn_body a = add_body(world, "a", along, spin, SN_INTEGRATOR_FEHLBERG45);
    sn_body b = add_body(world, "b", along, spin, SN_INTEGRATOR_BDF);
    advance(world, 0.1, 2);
    sn_transform there = SN_TRANSFORM_IDENTITY;
    there.position.y = 7.0;
    assert_int_equal(sn_body_set_transform(world, b, there, NULL), SN_OK);
    assert_int_equal(sn_world_remove_body(world, gone, NULL), SN_OK);
    uint64_t good = sn_world_hash(world);
    // no memory for the new groups
    sn_allocation_fail_after(0);
    sn_status status = sn_world_step(world, 0.1, NULL);
    sn_allocation_fail_after(-1);
    assert_int_equal(status, SN_ERROR_MEMORY);
    assert_true(sn_world_hash(world) == good);
    // no meaning
    sn_spring_def spring = sn_default_spring_def();
    spring.body_a = a;
    spring.body_b = b;
    sn_field field;
    assert_int_equal(sn_world_add_spring(world, &spring, &field, NULL), SN_OK);
    assert_int_equal(sn_world_step(world, 0.1, NULL), SN_ERROR_ARGUMENT);
    assert_true(sn_world_hash(world) == good);
    sn_world_destroy(world);
}

static void push_to_infinity(void *user, sn_world *world, double time)
{
    if (time > 2.05) {
        sn_body_add_force(world, *(sn_body *)user, sn_vec3_make(INFINITY, 0, 0), SN_VEC3_ZERO);
    }
}

// Agents of other groups had gone on already when one failed: all come back, their next steps too,
// and the world ends as one that never failed.
static void a_failed_step_leaves_no_trace(void **state)
{
    (void)state;
    sn_world *worlds[2];
    for (int i = 0; i < 2; ++i) {
        sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0, 0, -9.81));
        worlds[i] = world;
        sn_body calm = add_body(world, "calm", SN_VEC3_ZERO, sn_vec3_make(0.1, 2, 0.1),
                                SN_INTEGRATOR_FEHLBERG45);
        sn_body wild = add_body(world, "wild", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_RK4);
        sn_event_def event_def = sn_default_event_def();
        event_def.probe.body = calm;
        event_def.threshold = -22.0;
        sn_event event;
        assert_int_equal(sn_world_add_event(world, &event_def, &event, NULL), SN_OK);
        sn_callback_def def = {.apply = push_to_infinity, .user = &wild};
        sn_field field;
        assert_int_equal(sn_world_add_callback(world, &def, &field, NULL), SN_OK);
        advance(world, 0.5, 4);
        uint64_t good = sn_world_hash(world);
        for (int k = 0; k < (i == 0 ? 3 : 0); ++k) {
            sn_error error = {0};
            assert_int_equal(sn_world_step(world, 0.5, &error), SN_ERROR_DIVERGED);
            assert_non_null(strstr(error.place, "wild"));
            assert_true(sn_world_hash(world) == good);
            assert_int_equal(sn_world_event_count(world), 0);
            assert_true(sn_world_step_size(world) == 0.5 && sn_world_step_count(world) == 4);
        }
        assert_int_equal(sn_world_remove_field(world, field, NULL), SN_OK);
        advance(world, 0.5, 2);
        assert_int_equal(sn_world_event_count(world), 1);
    }
    assert_true(sn_world_hash(worlds[0]) == sn_world_hash(worlds[1]));
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
}

// ---- callbacks that reach too far ----

typedef struct meddler {
    sn_body body;
    sn_field field, spring, drag;
    int refused, wanted;
    double clock_error;
} meddler;

static void expect(meddler *m, sn_status status)
{
    m->wanted += 1;
    m->refused += status == SN_ERROR_UNSUPPORTED;
}

static void meddle(void *user, sn_world *world, double time)
{
    meddler *m = user;
    sn_body_def body_def = sn_default_body_def();
    body_def.mass.mass = 1.0;
    body_def.mass.inertia = SN_MAT3_IDENTITY;
    sn_spring_def spring_def = sn_default_spring_def();
    spring_def.body_a = m->body;
    sn_drag_def drag_def = sn_default_drag_def();
    sn_callback_def callback_def = {.apply = meddle, .user = user};
    sn_event_def event_def = sn_default_event_def();
    event_def.probe.body = m->body;
    sn_body body;
    sn_field field;
    sn_event event;
    sn_world *copy = NULL;
    unsigned char bytes[4096];
    size_t size = sn_world_state_size(world);
    assert_true(size <= sizeof bytes);
    assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
    expect(m, sn_world_add_body(world, &body_def, &body, NULL));
    expect(m, sn_world_remove_body(world, m->body, NULL));
    expect(m, sn_body_set_transform(world, m->body, SN_TRANSFORM_IDENTITY, NULL));
    expect(m, sn_body_set_velocity(world, m->body, SN_VEC3_ZERO, SN_VEC3_ZERO, NULL));
    expect(m, sn_world_add_spring(world, &spring_def, &field, NULL));
    expect(m, sn_world_add_drag(world, &drag_def, &field, NULL));
    expect(m, sn_world_add_callback(world, &callback_def, &field, NULL));
    expect(m, sn_world_remove_field(world, m->field, NULL));
    expect(m, sn_world_set_spring(world, m->spring, &spring_def, NULL));
    expect(m, sn_world_set_drag(world, m->drag, &drag_def, NULL));
    expect(m, sn_world_add_event(world, &event_def, &event, NULL));
    expect(m, sn_world_load_state(world, bytes, size, NULL));
    expect(m, sn_world_set_threads(world, 2, NULL));
    expect(m, sn_world_copy(world, &copy, NULL));
    expect(m, sn_world_step(world, 0.1, NULL));
    sn_world_set_gravity(world, sn_vec3_make(5, 5, 5));
    assert_null(copy);
    sn_body_add_force(world, m->body, sn_vec3_make(0, 0, 10), sn_body_centre(world, m->body));
    double off = fabs(sn_world_time(world) - time);
    m->clock_error = off > m->clock_error ? off : m->clock_error;
}

static void callbacks_can_only_add_forces(void **state)
{
    (void)state;
    for (int i = SN_INTEGRATOR_LIE_MIDPOINT; i <= SN_INTEGRATOR_BDF; ++i) {
        sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0, 0, -10));
        meddler m = {.body = add_body(world, "a", sn_vec3_make(1, 0, 0), sn_vec3_make(1, 2, 3),
                                      (sn_integrator)i)};
        sn_spring_def spring = sn_default_spring_def();
        spring.body_a = m.body;
        spring.stiffness = 0.0;
        sn_drag_def drag = sn_default_drag_def();
        assert_int_equal(sn_world_add_spring(world, &spring, &m.spring, NULL), SN_OK);
        assert_int_equal(sn_world_add_drag(world, &drag, &m.drag, NULL), SN_OK);
        sn_callback_def def = {.apply = meddle, .user = &m};
        assert_int_equal(sn_world_add_callback(world, &def, &m.field, NULL), SN_OK);
        advance(world, 0.1, 5);
        assert_true(m.wanted >= 75);
        assert_int_equal(m.refused, m.wanted);
        assert_true(m.clock_error == 0.0);
        assert_int_equal(sn_world_body_count(world), 1);
        assert_int_equal(sn_world_field_count(world), 3);
        // its force against gravity's is all that came of it
        assert_true(sn_distance(sn_body_velocity(world, m.body), sn_vec3_make(1, 0, 0)) < 1e-9);
        sn_world_destroy(world);
    }
}

typedef struct witness {
    sn_body body;
    double worst;
    int calls;
} witness;

static void compare_with_clock(void *user, sn_world *world, double time)
{
    witness *w = user;
    double off = fabs(sn_body_centre(world, w->body).x - 0.1 - 2.0 * time);
    w->worst = off > w->worst ? off : w->worst;
    w->calls += 1;
}

// A callback is asked where the body stands at the time it is told, and never for nothing.
static void callbacks_see_time_and_place_together(void **state)
{
    (void)state;
    const sn_integrator integrators[] = {SN_INTEGRATOR_LIE_MIDPOINT, SN_INTEGRATOR_RK4,
                                         SN_INTEGRATOR_FEHLBERG45, SN_INTEGRATOR_ADAMS,
                                         SN_INTEGRATOR_BDF};
    for (int i = 0; i < 5; ++i) {
        sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
        witness w = {.body = add_body(world, "a", sn_vec3_make(2, 0, 0), sn_vec3_make(1, 2, 3),
                                      integrators[i])};
        sn_callback_def def = {.apply = compare_with_clock, .user = &w};
        sn_field field;
        assert_int_equal(sn_world_add_callback(world, &def, &field, NULL), SN_OK);
        advance(world, 0.1, 10);
        assert_true(w.calls >= 10);
        if (!(w.worst < 1e-6)) {
            fail_msg("%s: off by %.3g", sn_integrator_word(integrators[i]), w.worst);
        }
        sn_world_destroy(world);
    }
}

// ---- added forces ----

// A torque held in the world for a time t adds torque * t to the angular momentum, however fast the
// body turns; a force at a point adds force * t to the momentum.
static void added_torques_keep_their_direction(void **state)
{
    (void)state;
    const double limit[] = {0, 1e-12, 1e-12, 1e-12, 1e-3, 1e-7, 1e-6, 1e-5};
    const sn_vec3 torque = {1.0, 0.5, 0.0};
    for (int i = SN_INTEGRATOR_LIE_MIDPOINT; i <= SN_INTEGRATOR_BDF; ++i) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
        sn_body body = add_body(world, "a", SN_VEC3_ZERO, sn_vec3_make(1, 2, 30), (sn_integrator)i);
        sn_vec3 start = sn_world_angular_momentum(world);
        for (int k = 0; k < 100; ++k) {
            sn_body_add_torque(world, body, torque);
            advance(world, 0.01, 1);
        }
        sn_vec3 gained = sn_vec3_sub(sn_world_angular_momentum(world), start);
        if (!(sn_distance(gained, torque) < limit[i])) {
            fail_msg("%s: off by %.3g", sn_integrator_word((sn_integrator)i),
                     sn_distance(gained, torque));
        }
        // in the copy of a world too, and only once
        sn_world *copy = NULL;
        sn_body_add_force(world, body, sn_vec3_make(0, 0, 3), sn_vec3_make(0.5, 0, 0));
        assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        advance(copy, 0.01, 2);
        assert_true(fabs(sn_body_velocity(copy, body).z - 0.03) < 1e-9);
        sn_world_destroy(copy);
        sn_world_destroy(world);
    }
}

// ---- definitions and states that cannot move ----

static void bodies_that_cannot_turn_are_refused(void **state)
{
    (void)state;
    const double moments[][3] = {
        {0, 0, 0}, {0, 1, 1}, {1e-200, 1e-200, 1e-200}, {1e200, 1e200, 1e200}};
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_body_def good = sn_default_body_def();
    good.mass.mass = 1.0;
    good.mass.inertia = SN_MAT3_IDENTITY;
    sn_error error = {0};
    sn_body body;
    for (int i = 0; i < 4; ++i) {
        sn_body_def def = good;
        def.mass.inertia =
            sn_mat3_diagonal(sn_vec3_make(moments[i][0], moments[i][1], moments[i][2]));
        assert_int_equal(sn_world_add_body(world, &def, &body, &error), SN_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "moments"));
    }
    sn_body_def def = good;
    def.type = (sn_body_type)7;
    assert_int_equal(sn_world_add_body(world, &def, &body, &error), SN_ERROR_ARGUMENT);
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_MESH;
    def = good;
    def.type = SN_BODY_STATIC;
    def.shapes = &shape;
    def.shape_count = 1;
    assert_int_equal(sn_world_add_body(world, &def, &body, &error), SN_ERROR_ARGUMENT);
    // a thin rod and a molecule turn well
    for (int i = 0; i < 2; ++i) {
        double size = i == 0 ? 1.0 : 1e-47;
        def = good;
        def.mass.mass = i == 0 ? 1.0 : 1e-26;
        def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(1e-12 * size, size, size));
        def.angular_velocity = sn_vec3_make(1, 2, 3);
        assert_int_equal(sn_world_add_body(world, &def, &body, &error), SN_OK);
        double spin = sn_length(sn_body_angular_velocity(world, body));
        advance(world, 0.01, 100);
        assert_true(fabs(sn_length(sn_body_angular_velocity(world, body)) / spin - 1.0) < 1e-9);
    }
    sn_world_destroy(world);
}

static void given_names_and_made_names_do_not_clash(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_body named = add_body(world, "body 1", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_body numbered = add_body(world, NULL, SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    assert_string_not_equal(sn_body_name(world, named), sn_body_name(world, numbered));
    assert_int_equal(sn_world_find_body(world, "body 1").index, named.index);
    sn_world_destroy(world);
}

static void states_with_holes_are_refused(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    add_body(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    size_t size = sn_world_state_size(world), count = size / sizeof(double);
    double *numbers = malloc(size);
    uint64_t hash = sn_world_hash(world);
    for (size_t i = 2; i < count; ++i) {
        assert_int_equal(sn_world_save_state(world, numbers, size, NULL), SN_OK);
        numbers[i] = i % 2 == 0 ? NAN : INFINITY;
        assert_int_equal(sn_world_load_state(world, numbers, size, NULL), SN_ERROR_FORMAT);
        assert_true(sn_world_hash(world) == hash);
    }
    free(numbers);
    sn_world_destroy(world);
}

// Late in a long run, steps of a single rounding of the clock: every integrator takes them.
static void the_shortest_steps_are_taken(void **state)
{
    (void)state;
    const double late = 1e9, h = 1.25e-7;
    for (int i = SN_INTEGRATOR_LIE_MIDPOINT; i <= SN_INTEGRATOR_BDF; ++i) {
        sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
        sn_body body =
            add_body(world, "a", sn_vec3_make(1, 0, 0), sn_vec3_make(1, 2, 3), (sn_integrator)i);
        size_t size = sn_world_state_size(world);
        double *numbers = malloc(size);
        assert_int_equal(sn_world_save_state(world, numbers, size, NULL), SN_OK);
        size_t count = size / sizeof *numbers;
        numbers[2] = numbers[count - 6] = late; // the agent's clock and the world's
        assert_int_equal(sn_world_load_state(world, numbers, size, NULL), SN_OK);
        free(numbers);
        double start = read(world, body, SN_QUANTITY_CENTRE_X);
        advance(world, h, 100);
        assert_true(fabs(sn_world_time(world) - late - 100 * h) < 1.2e-7);
        assert_true(fabs(read(world, body, SN_QUANTITY_CENTRE_X) - start - 100 * h) < 1.2e-7);
        sn_world_destroy(world);
    }
}

// ---- worlds with nothing in them ----

static void empty_worlds_go_on(void **state)
{
    (void)state;
    for (int policy = 0; policy < SN_POLICY_COUNT; ++policy) {
        sn_world *world = make_world((sn_policy)policy, sn_vec3_make(0, 0, -9.81)), *copy = NULL;
        sn_drag_def drag = sn_default_drag_def();
        drag.linear = 1.0;
        sn_field field;
        assert_int_equal(sn_world_add_drag(world, &drag, &field, NULL), SN_OK);
        advance(world, 0.1, 3);
        sn_body_def def = sn_default_body_def();
        def.type = SN_BODY_STATIC;
        sn_body wall;
        assert_int_equal(sn_world_add_body(world, &def, &wall, NULL), SN_OK);
        sn_spring_def spring = sn_default_spring_def();
        spring.body_a = wall;
        spring.point_b = sn_vec3_make(1, 0, 0);
        assert_int_equal(sn_world_add_spring(world, &spring, &field, NULL), SN_OK);
        sn_body_add_force(world, wall, sn_vec3_make(1, 0, 0), SN_VEC3_ZERO);
        // a force on a body that is gone when the world sets out, here and in a copy
        sn_body brief = add_body(world, "brief", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
        sn_body_add_force(world, brief, sn_vec3_make(1, 0, 0), SN_VEC3_ZERO);
        assert_int_equal(sn_world_remove_body(world, brief, NULL), SN_OK);
        assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        advance(copy, 0.1, 1);
        sn_world_destroy(copy);
        assert_int_equal(sn_world_set_threads(world, 3, NULL), SN_OK);
        advance(world, 0.1, 3);
        assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        add_body(world, "late", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
        advance(world, 0.1, 4);
        assert_true(sn_world_time(world) == 1.0);
        assert_true(sn_world_time(copy) < 0.7 && sn_world_body_count(copy) == 1);
        sn_world_destroy(copy);
        sn_world_destroy(world);
    }
}

// Copies and loaded states go on to the bit after steps of any length: the integrator remembers
// nothing that is not in the state.
static void copies_go_on_to_the_bit(void **state)
{
    (void)state;
    const double lengths[] = {1e-7, 0.2, 1e-3, 1.0, 1e-5, 0.5};
    for (int i = SN_INTEGRATOR_LIE_MIDPOINT; i <= SN_INTEGRATOR_FEHLBERG45; ++i) {
        sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0, 0, -9.81));
        add_body(world, "slow", SN_VEC3_ZERO, sn_vec3_make(0.01, 0.02, 0.01), (sn_integrator)i);
        add_body(world, "fast", SN_VEC3_ZERO, sn_vec3_make(1, 2, 3), (sn_integrator)i);
        size_t size = sn_world_state_size(world);
        void *bytes = malloc(size);
        sn_world *loaded = NULL;
        assert_int_equal(sn_world_copy(world, &loaded, NULL), SN_OK);
        for (int k = 0; k < 6; ++k) {
            advance(world, lengths[k], 1);
            sn_world *copy = NULL;
            assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
            assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
            assert_int_equal(sn_world_load_state(loaded, bytes, size, NULL), SN_OK);
            advance(world, 0.3, 1);
            advance(copy, 0.3, 1);
            advance(loaded, 0.3, 1);
            assert_true(sn_world_hash(copy) == sn_world_hash(world));
            assert_true(sn_world_hash(loaded) == sn_world_hash(world));
            sn_world_destroy(copy);
        }
        free(bytes);
        sn_world_destroy(loaded);
        sn_world_destroy(world);
    }
}

// Every allocation of a copy, failing in turn.
static void a_copy_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO), *copy = NULL;
    sn_body a = add_body(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_body b = add_body(world, "b", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    for (int i = 0; i < 3; ++i) {
        sn_spring_def spring = sn_default_spring_def();
        spring.body_a = a;
        spring.body_b = b;
        sn_field field;
        assert_int_equal(sn_world_add_spring(world, &spring, &field, NULL), SN_OK);
    }
    sn_event_def def = sn_default_event_def();
    def.probe.body = a;
    sn_event event;
    assert_int_equal(sn_world_add_event(world, &def, &event, NULL), SN_OK);
    sn_status status = SN_ERROR_MEMORY;
    int allocations = 0;
    for (; status != SN_OK && allocations < 200; ++allocations) {
        sn_allocation_fail_after(allocations);
        copy = world;
        status = sn_world_copy(world, &copy, NULL);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && copy == NULL));
    }
    assert_true(status == SN_OK && allocations > 20);
    assert_true(sn_world_hash(copy) == sn_world_hash(world));
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_cannot_begin_changes_nothing),
        cmocka_unit_test(a_failed_step_leaves_no_trace),
        cmocka_unit_test(callbacks_can_only_add_forces),
        cmocka_unit_test(callbacks_see_time_and_place_together),
        cmocka_unit_test(added_torques_keep_their_direction),
        cmocka_unit_test(bodies_that_cannot_turn_are_refused),
        cmocka_unit_test(given_names_and_made_names_do_not_clash),
        cmocka_unit_test(states_with_holes_are_refused),
        cmocka_unit_test(the_shortest_steps_are_taken),
        cmocka_unit_test(empty_worlds_go_on),
        cmocka_unit_test(copies_go_on_to_the_bit),
        cmocka_unit_test(a_copy_that_fails_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
