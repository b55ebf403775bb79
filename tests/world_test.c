// The world as its users see it: bodies, fields, policies, events, state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "field/drag.h"
#include "field/spring.h"
#include "sinew/world.h"
#include "world_steps.h"

static const sn_integrator all_integrators[] = {
    SN_INTEGRATOR_LIE_MIDPOINT, SN_INTEGRATOR_SYMPLECTIC_EULER,
    SN_INTEGRATOR_RK4,          SN_INTEGRATOR_FEHLBERG45,
    SN_INTEGRATOR_ADAMS,        SN_INTEGRATOR_BDF};
enum { INTEGRATORS = 6 };

static sn_world *make_world(sn_policy policy, sn_vec3 gravity)
{
    sn_world_def def = sn_default_world_def();
    def.policy = policy;
    def.gravity = gravity;
    sn_world *world = NULL;
    sn_error error = {0};
    assert_int_equal(sn_world_create(&def, &world, &error), SN_OK);
    return world;
}

static sn_body add_ball(sn_world *world, const char *name, sn_vec3 position, sn_vec3 velocity,
                        sn_integrator integrator)
{
    sn_body_def def = sn_default_body_def();
    def.name = name;
    def.frame.position = position;
    def.velocity = velocity;
    def.mass.mass = 1.0;
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, 0.15, 0.2));
    def.integrator = integrator;
    def.angular_velocity = sn_vec3_make(1.0, 2.0, 3.0);
    sn_body body;
    sn_error error = {0};
    if (sn_world_add_body(world, &def, &body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return body;
}

static double read(const sn_world *world, sn_body body, sn_quantity quantity)
{
    sn_probe probe = {.body = body, .quantity = quantity};
    return sn_probe_read(world, &probe);
}

// ---- motion ----

static void a_thrown_ball_follows_its_parabola(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; ++i) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, sn_vec3_make(0, 0, -9.81));
        sn_body ball = add_ball(world, "ball", sn_vec3_make(0, 0, 1), sn_vec3_make(3, 0, 4),
                                all_integrators[i]);
        assert_int_equal(sn_body_integrator(world, ball), all_integrators[i]);
        advance(world, 0.01, 100);
        assert_true(sn_world_time(world) == 1.0);
        sn_vec3 p = sn_body_transform(world, ball).position;
        double limit =
            all_integrators[i] == SN_INTEGRATOR_SYMPLECTIC_EULER ? 0.5 * 9.81 * 0.01 + 1e-9 : 1e-10;
        assert_true(fabs(p.x - 3.0) < 1e-12 && fabs(p.z - (1 + 4 - 0.5 * 9.81)) < limit);
        assert_true(fabs(sn_body_velocity(world, ball).z - (4 - 9.81)) < 1e-10);
        sn_world_destroy(world);
    }
}

// Two bodies on a spring in a plane with gravity off: centre of mass at rest, energy and angular
// momentum kept, and every integrator tends to the same motion at its own order.
static double spring_pair(sn_integrator integrator, double h, sn_vec3 *end, double *energy_error)
{
    sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
    sn_body a =
        add_ball(world, "a", sn_vec3_make(-0.5, 0, 0), sn_vec3_make(0, 0.4, 0.1), integrator);
    sn_body b =
        add_ball(world, "b", sn_vec3_make(0.5, 0, 0), sn_vec3_make(0, -0.4, -0.1), integrator);
    sn_spring_def spring = sn_default_spring_def();
    spring.body_a = a;
    spring.body_b = b;
    spring.point_a = sn_vec3_make(0.1, 0.05, 0);
    spring.point_b = sn_vec3_make(-0.1, 0, 0.02);
    spring.stiffness = 8.0;
    spring.rest_length = 0.6;
    sn_field field;
    assert_int_equal(sn_world_add_spring(world, &spring, &field, NULL), SN_OK);
    double before = sn_world_energy(world).total;
    sn_vec3 momentum = sn_world_angular_momentum(world);
    advance(world, h, (int)lround(2.0 / h));
    *energy_error = fabs(sn_world_energy(world).total / before - 1.0);
    *end = sn_body_transform(world, a).position;
    double drift =
        sn_length(sn_vec3_sub(sn_world_angular_momentum(world), momentum)) / sn_length(momentum);
    assert_true(sn_length(sn_world_momentum(world)) < 1e-9);
    sn_world_destroy(world);
    return drift;
}

static void springs_keep_what_they_should_at_their_order(void **state)
{
    (void)state;
    sn_vec3 exact, end[2];
    double energy, unused;
    spring_pair(SN_INTEGRATOR_FEHLBERG45, 0.1, &exact, &energy);
    assert_true(energy < 1e-8);
    for (int i = 3; i < INTEGRATORS; ++i) {
        double drift = spring_pair(all_integrators[i], 0.1, &end[0], &energy);
        double limit = all_integrators[i] == SN_INTEGRATOR_BDF ? 1e-5 : 1e-6;
        assert_true(energy < limit && drift < limit);
        assert_true(sn_distance(end[0], exact) < limit);
    }
    const double orders[3] = {2.0, 1.0, 4.0};
    for (int i = 0; i < 3; ++i) {
        double drift = spring_pair(all_integrators[i], 0.02, &end[0], &energy);
        spring_pair(all_integrators[i], 0.01, &end[1], &unused);
        double order = log2(sn_distance(end[0], exact) / sn_distance(end[1], exact));
        if (fabs(order - orders[i]) > 0.25) {
            fail_msg("%s: order %.2f, expected %.0f", sn_integrator_word(all_integrators[i]), order,
                     orders[i]);
        }
        // Kicks along the line between two points and free flights both keep the angular momentum
        // exactly.
        assert_true(drift < (i < 2 ? 1e-13 : 1e-6));
    }
}

static void strong_drag_is_stable_and_second_order(void **state)
{
    (void)state;
    // linear drag so strong that an explicit step would blow up: h c / m = 500
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, sn_vec3_make(0, 0, -9.81));
    sn_body ball =
        add_ball(world, "ball", SN_VEC3_ZERO, sn_vec3_make(5, 0, 0), SN_INTEGRATOR_DEFAULT);
    sn_drag_def drag = sn_default_drag_def();
    drag.linear = 5e4;
    drag.angular_linear = 5e3;
    sn_field field;
    assert_int_equal(sn_world_add_drag(world, &drag, &field, NULL), SN_OK);
    advance(world, 0.01, 2000);
    assert_true(fabs(sn_body_velocity(world, ball).z + 9.81 / 5e4) < 1e-6);
    assert_true(fabs(sn_body_velocity(world, ball).x) < 1e-2);
    sn_world_destroy(world);
    // quadratic drag from rest: v = vt tanh(g t / vt), z = vt^2/g ln cosh(g t / vt)
    double error[2];
    for (int level = 0; level < 2; ++level) {
        world = make_world(SN_POLICY_LOCKSTEP, sn_vec3_make(0, 0, -9.81));
        ball = add_ball(world, "ball", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
        drag = sn_default_drag_def();
        drag.body = ball;
        drag.quadratic = 0.5;
        assert_int_equal(sn_world_add_drag(world, &drag, &field, NULL), SN_OK);
        advance(world, 0.01 / (1 << level), 100 << level);
        double terminal = sqrt(9.81 / 0.5),
               fall = terminal * terminal / 9.81 * log(cosh(9.81 / terminal));
        error[level] = fabs(-read(world, ball, SN_QUANTITY_POSITION_Z) - fall);
        sn_world_destroy(world);
    }
    assert_true(fabs(log2(error[0] / error[1]) - 2.0) < 0.1);
}

static void force_kernels_match_their_derivatives(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    for (int trial = 0; trial < 100; ++trial) {
        double k = sn_random_range(&random, 1, 100), rest = sn_random_range(&random, 0, 2),
               eps = 1e-6;
        sn_vec3 a = sn_vec3_make(0, 0, 0), b, u;
        b = sn_vec3_make(sn_random_range(&random, 0.2, 2), sn_random_range(&random, -1, 1),
                         sn_random_range(&random, -1, 1));
        u = sn_vec3_make(sn_random_range(&random, -2, 2), sn_random_range(&random, -2, 2),
                         sn_random_range(&random, -2, 2));
        sn_spring_state spring = sn_spring_evaluate(k, 0.0, rest, a, SN_VEC3_ZERO, b, SN_VEC3_ZERO);
        double c1 = sn_random_range(&random, 0, 3), c2 = sn_random_range(&random, 0, 3);
        sn_vec3 force, plus, minus;
        sn_mat3 damping, unused;
        sn_drag_evaluate(c1, c2, u, &force, &damping);
        for (int i = 0; i < 3; ++i) {
            sn_vec3 e = {i == 0 ? eps : 0, i == 1 ? eps : 0, i == 2 ? eps : 0};
            double up = sn_spring_energy(k, rest, sn_distance(a, sn_vec3_add(b, e)));
            double down = sn_spring_energy(k, rest, sn_distance(a, sn_vec3_sub(b, e)));
            double direction =
                i == 0 ? spring.direction.x : (i == 1 ? spring.direction.y : spring.direction.z);
            assert_true(fabs((up - down) / (2 * eps) - spring.tension * direction) <
                        1e-6 * (1 + fabs(spring.tension)));
            sn_drag_evaluate(c1, c2, sn_vec3_add(u, e), &plus, &unused);
            sn_drag_evaluate(c1, c2, sn_vec3_sub(u, e), &minus, &unused);
            sn_vec3 slope = sn_vec3_scale(-0.5 / eps, sn_vec3_sub(plus, minus));
            assert_true(fabs(slope.x - damping.m[0][i]) < 1e-7 &&
                        fabs(slope.y - damping.m[1][i]) < 1e-7 &&
                        fabs(slope.z - damping.m[2][i]) < 1e-7);
        }
    }
    sn_vec3 still;
    sn_mat3 damping;
    sn_drag_evaluate(2.0, 3.0, SN_VEC3_ZERO, &still, &damping);
    assert_true(sn_length(still) == 0.0 && damping.m[1][1] == 2.0 && damping.m[0][1] == 0.0);
    sn_spring_state meeting =
        sn_spring_evaluate(10, 1, 0.5, still, still, still, sn_vec3_make(1, 0, 0));
    assert_true(meeting.length == 0.0 && isfinite(meeting.tension) &&
                sn_length(meeting.direction) == 0.0);
}

// ---- user forces ----

typedef struct pull {
    sn_body body;
    double strength;
    int calls;
} pull;

static void pull_to_origin(void *user, sn_world *world, double time)
{
    (void)time;
    pull *p = user;
    sn_vec3 centre = sn_body_centre(world, p->body);
    sn_body_add_force(world, p->body, sn_vec3_scale(-p->strength, centre), centre);
    p->calls += 1;
}

static double pull_energy(void *user, const sn_world *world)
{
    pull *p = user;
    sn_vec3 centre = sn_body_centre(world, p->body);
    return 0.5 * p->strength * sn_dot(centre, centre);
}

static void callbacks_act_in_every_integrator(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; ++i) {
        sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
        pull p = {.body = add_ball(world, "ball", sn_vec3_make(1, 0, 0), SN_VEC3_ZERO,
                                   all_integrators[i]),
                  .strength = 4.0};
        sn_callback_def def = sn_default_callback_def();
        def.apply = pull_to_origin;
        def.potential = pull_energy;
        def.user = &p;
        sn_field field;
        assert_int_equal(sn_world_add_callback(world, &def, &field, NULL), SN_OK);
        double before = sn_world_energy(world).total;
        advance(world, 1e-3, 1000); // x = cos 2t
        double limit = i < 2 ? 2e-3 : 1e-6;
        assert_true(fabs(read(world, p.body, SN_QUANTITY_CENTRE_X) - cos(2.0)) < limit);
        assert_true(fabs(sn_world_energy(world).total - before) < 4 * limit);
        assert_true(p.calls >= 50);
        sn_world_destroy(world);
    }
}

static void added_forces_last_one_step(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; ++i) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
        sn_body ball = add_ball(world, "ball", SN_VEC3_ZERO, SN_VEC3_ZERO, all_integrators[i]);
        assert_int_equal(sn_body_set_velocity(world, ball, SN_VEC3_ZERO, SN_VEC3_ZERO, NULL),
                         SN_OK);
        sn_body_add_force(world, ball, sn_vec3_make(10, 0, 0), sn_vec3_make(0, 0.5, 0));
        sn_body_add_torque(world, ball, sn_vec3_make(0, 2, 0));
        advance(world, 0.01, 1);
        assert_true(fabs(sn_body_velocity(world, ball).x - 0.1) < 1e-9);
        // torque (0, 2, 0) + (0, 0.5, 0) x (10, 0, 0) = (0, 2, -5), inertia 0.15 and 0.2
        sn_vec3 w = sn_body_angular_velocity(world, ball);
        assert_true(fabs(w.y - 0.01 * 2 / 0.15) < 1e-3 && fabs(w.z + 0.01 * 5 / 0.2) < 1e-3);
        sn_vec3 spin = sn_world_angular_momentum(world);
        advance(world, 0.01, 5);
        assert_true(fabs(sn_body_velocity(world, ball).x - 0.1) < 1e-9);
        assert_true(sn_distance(sn_world_angular_momentum(world), spin) < 1e-7);
        sn_world_destroy(world);
    }
}

// ---- events ----

static sn_event add_event(sn_world *world, sn_body body, sn_quantity quantity, double threshold,
                          sn_direction direction, sn_event_action action)
{
    sn_event_def def = sn_default_event_def();
    def.probe = (sn_probe){.body = body, .quantity = quantity};
    def.threshold = threshold;
    def.direction = direction;
    def.action = action;
    sn_event event;
    assert_int_equal(sn_world_add_event(world, &def, &event, NULL), SN_OK);
    return event;
}

static void precise_events_are_located(void **state)
{
    (void)state;
    // up at 5 m/s from z = 0: passes z = 1 rising and falling, then z = 0 falling at 2 v / g
    double v = 5.0, g = 9.81, root = sqrt(v * v - 2 * g * 1.0);
    const double times[3] = {(v - root) / g, (v + root) / g, 2 * v / g};
    for (int i = 3; i < INTEGRATORS; ++i) {
        sn_world *world = make_world(SN_POLICY_PRECISE, sn_vec3_make(0, 0, -g));
        sn_body ball =
            add_ball(world, "ball", SN_VEC3_ZERO, sn_vec3_make(0, 0, v), all_integrators[i]);
        sn_body other = add_ball(world, "other", sn_vec3_make(9, 0, 0), sn_vec3_make(1, 0, 0),
                                 SN_INTEGRATOR_LIE_MIDPOINT);
        add_event(world, ball, SN_QUANTITY_POSITION_Z, 1.0, SN_DIRECTION_BOTH, SN_EVENT_MARK);
        sn_event landing = add_event(world, ball, SN_QUANTITY_POSITION_Z, 0.0, SN_DIRECTION_FALLING,
                                     SN_EVENT_STOP);
        int steps = 0;
        while (!sn_world_stopped(world) && steps < 100) {
            advance(world, 0.1, 1);
            steps += 1;
        }
        assert_int_equal(sn_world_event_count(world), 3);
        for (int e = 0; e < 3; ++e) {
            sn_event_entry entry = sn_world_event_entry(world, e);
            if (!(fabs(entry.time - times[e]) < 1e-8)) {
                fail_msg("%s: event %d at %.12g, expected %.12g",
                         sn_integrator_word(all_integrators[i]), e, entry.time, times[e]);
            }
            assert_int_equal(entry.direction, e == 0 ? 1 : -1);
        }
        assert_int_equal(sn_world_event_entry(world, 2).event.index, landing.index);
        // the whole world stands at the event, also bodies of another integrator
        assert_true(fabs(sn_world_time(world) - times[2]) < 1e-8);
        assert_true(fabs(read(world, ball, SN_QUANTITY_POSITION_Z)) < 1e-8);
        assert_true(fabs(read(world, other, SN_QUANTITY_POSITION_X) - (9 + times[2])) < 1e-8);
        advance(world, 0.1, 1); // goes on, without finding the same event again
        assert_int_equal(sn_world_event_count(world), 3);
        assert_false(sn_world_stopped(world));
        sn_world_destroy(world);
    }
}

static void lockstep_events_are_seen_from_step_to_step(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_body ball =
        add_ball(world, "ball", SN_VEC3_ZERO, sn_vec3_make(2, 0, 0), SN_INTEGRATOR_DEFAULT);
    add_event(world, ball, SN_QUANTITY_CENTRE_X, 0.25, SN_DIRECTION_RISING, SN_EVENT_STOP);
    add_event(world, ball, SN_QUANTITY_CENTRE_X, 0.1, SN_DIRECTION_FALLING, SN_EVENT_MARK);
    advance(world, 0.02, 6);
    assert_false(sn_world_stopped(world));
    advance(world, 0.02, 1);
    assert_true(sn_world_stopped(world));
    assert_int_equal(sn_world_event_count(world), 1);
    assert_true(fabs(sn_world_event_entry(world, 0).time - 0.125) < 1e-12);
    assert_true(sn_world_time(world) == 0.14);
    sn_world_destroy(world);
}

// ---- state ----

// A busy world with everything in it.
static sn_world *make_zoo(int threads, bool multistep)
{
    sn_world_def def = sn_default_world_def();
    def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_random random = {.seed = 5};
    sn_body bodies[400];
    for (int i = 0; i < 400; ++i) {
        sn_vec3 p = {sn_random_range(&random, -5, 5), sn_random_range(&random, -5, 5),
                     sn_random_range(&random, -5, 5)};
        sn_vec3 v = {sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                     sn_random_range(&random, -1, 1)};
        sn_integrator integrator =
            i < 380 ? (i % 3 == 0 ? SN_INTEGRATOR_SYMPLECTIC_EULER : SN_INTEGRATOR_LIE_MIDPOINT)
                    : (i < 390 ? SN_INTEGRATOR_RK4 : SN_INTEGRATOR_FEHLBERG45);
        if (multistep && i >= 395) {
            integrator = SN_INTEGRATOR_ADAMS;
        }
        bodies[i] = add_ball(world, NULL, p, v, integrator);
    }
    for (int i = 0; i + 1 < 400; i += 2) {
        if (sn_body_integrator(world, bodies[i]) >= SN_INTEGRATOR_RK4 &&
            sn_body_integrator(world, bodies[i]) != sn_body_integrator(world, bodies[i + 1])) {
            continue;
        }
        sn_spring_def spring = sn_default_spring_def();
        spring.body_a = bodies[i];
        spring.body_b = bodies[i + 1];
        spring.damping = 0.1;
        spring.point_a = sn_vec3_make(0.1, 0, 0);
        sn_field field;
        assert_int_equal(sn_world_add_spring(world, &spring, &field, NULL), SN_OK);
    }
    sn_drag_def drag = sn_default_drag_def();
    drag.linear = 0.05;
    drag.quadratic = 0.02;
    drag.angular_linear = 0.01;
    drag.medium_velocity = sn_vec3_make(1, 0, 0);
    sn_field field;
    assert_int_equal(sn_world_add_drag(world, &drag, &field, NULL), SN_OK);
    return world;
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (int threads = 1; threads <= 4; ++threads) {
        sn_world *world = make_zoo(threads, true);
        advance(world, 0.005, 100);
        uint64_t hash = sn_world_hash(world);
        expected = threads == 1 ? hash : expected;
        assert_true(hash == expected);
        sn_world_destroy(world);
    }
}

static void a_saved_state_goes_on_to_the_bit(void **state)
{
    (void)state;
    sn_world *world = make_zoo(1, false), *copy = NULL, *fresh = make_zoo(2, false);
    advance(world, 0.01, 20);
    size_t size = sn_world_state_size(world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    assert_int_equal(sn_world_load_state(fresh, bytes, size, NULL), SN_OK);
    uint64_t here = sn_world_hash(world);
    assert_true(sn_world_hash(copy) == here);
    assert_true(sn_world_hash(fresh) == here);
    advance(world, 0.01, 20);
    advance(copy, 0.01, 20);
    advance(fresh, 0.01, 20);
    assert_true(sn_world_hash(world) != here);
    assert_true(sn_world_hash(copy) == sn_world_hash(world));
    assert_true(sn_world_hash(fresh) == sn_world_hash(world));
    // and back again
    assert_int_equal(sn_world_load_state(world, bytes, size, NULL), SN_OK);
    assert_true(sn_world_hash(world) == here);
    advance(world, 0.01, 20);
    assert_true(sn_world_hash(copy) == sn_world_hash(world));
    sn_error error = {0};
    assert_int_equal(sn_world_save_state(world, bytes, size - 1, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_load_state(world, bytes, size - 1, &error), SN_ERROR_FORMAT);
    ((unsigned char *)bytes)[0] ^= 1;
    assert_int_equal(sn_world_load_state(world, bytes, size, &error), SN_ERROR_FORMAT);
    free(bytes);
    sn_world_destroy(world);
    sn_world_destroy(copy);
    sn_world_destroy(fresh);
}

static void the_hash_sees_every_number(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_body body = add_ball(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    uint64_t hash = sn_world_hash(world);
    sn_transform frame = sn_body_transform(world, body);
    frame.position.y = nextafter(frame.position.y, 1.0);
    assert_int_equal(sn_body_set_transform(world, body, frame, NULL), SN_OK);
    assert_true(sn_world_hash(world) != hash);
    hash = sn_world_hash(world);
    assert_int_equal(
        sn_body_set_velocity(world, body, sn_vec3_make(0, 0, 5e-324), sn_vec3_make(1, 2, 3), NULL),
        SN_OK);
    assert_true(sn_world_hash(world) != hash);
    sn_world_destroy(world);
}

static void a_running_world_allocates_nothing(void **state)
{
    (void)state;
    sn_world *world = make_zoo(1, true);
    advance(world, 0.01, 10);
    uint64_t before = sn_allocation_count();
    advance(world, 0.01, 50);
    assert_int_equal(sn_allocation_count(), before);
    sn_world_destroy(world);
}

// ---- things that go wrong ----

static void bad_definitions_are_refused_by_name(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    add_ball(world, "twin", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_body_def good = sn_default_body_def();
    good.mass.mass = 1.0;
    good.mass.inertia = SN_MAT3_IDENTITY;
    good.name = "bad";
    for (int i = 0; i < 11; ++i) {
        sn_body_def def = good;
        switch (i) {
        case 0:
            def.name = "twin";
            break;
        case 1:
            def.mass.mass = -1.0;
            break;
        case 2:
            def.mass.mass = NAN;
            break;
        case 3:
            def.mass.mass = 0.0;
            break; // and no shapes
        case 4:
            def.mass.inertia.m[2][2] = 3.0;
            break; // more than 1 + 1
        case 5:
            def.mass.inertia.m[0][1] = 0.5;
            break; // not symmetric
        case 6:
            def.frame.position.x = INFINITY;
            break;
        case 7:
            def.frame.rotation.w = 2.0;
            break;
        case 8:
            def.velocity.y = NAN;
            break;
        case 9:
            def.integrator = (sn_integrator)77;
            break;
        case 10:
            def.relative_tolerance = -1.0;
            break;
        default:
            break;
        }
        sn_body body;
        sn_error error = {0};
        sn_status status = sn_world_add_body(world, &def, &body, &error);
        if (status == SN_OK || strstr(error.place, def.name) == NULL || strlen(error.text) < 10) {
            fail_msg("case %d: status %s, '%s'", i, sn_status_name(status),
                     sn_error_message(&error));
        }
        assert_int_equal(body.index, 0);
    }
    assert_int_equal(sn_world_body_count(world), 1);
    sn_world_destroy(world);
    sn_world_def def = sn_default_world_def();
    def.relative_tolerance = 0.0;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_ERROR_ARGUMENT);
    def = sn_default_world_def();
    def.gravity.x = NAN;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_ERROR_ARGUMENT);
}

// Shapes that give no mass are looked at all the same: what is drawn and touched must have a size.
static void shapes_are_checked_whatever_gives_the_mass(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    for (int i = 0; i < 10; ++i) {
        sn_shape shapes[2] = {sn_default_shape(), sn_default_shape()};
        sn_body_def def = sn_default_body_def();
        def.name = "bad";
        def.shapes = shapes;
        def.shape_count = 2;
        def.type = i % 2 == 0 ? SN_BODY_STATIC : SN_BODY_RIGID;
        def.mass.mass = i % 2 == 0 ? 0.0 : 1.0;
        def.mass.inertia = SN_MAT3_IDENTITY;
        shapes[1].radius = i / 2 == 0 ? -1.0 : 1.0;
        shapes[1].type = i / 2 == 1 ? (sn_shape_type)99 : SN_SHAPE_SPHERE;
        shapes[1].type = i / 2 == 2 ? SN_SHAPE_MESH : shapes[1].type;
        shapes[1].frame.position.x = i / 2 == 3 ? NAN : 0.0;
        sn_body body;
        sn_error error = {0};
        sn_status status = sn_world_add_body(world, &def, &body, &error);
        if (i / 2 == 4) {
            assert_int_equal(status, SN_OK); // nothing wrong with these
            assert_int_equal(sn_world_remove_body(world, body, NULL), SN_OK);
        } else {
            assert_int_equal(status, SN_ERROR_ARGUMENT);
            assert_string_equal(error.place, "bad");
            assert_non_null(strstr(error.text, "shape 1: "));
        }
    }
    sn_world_destroy(world);
}

static void bad_fields_events_and_steps_are_refused(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_PRECISE, SN_VEC3_ZERO);
    sn_body a = add_ball(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_body b = add_ball(world, "b", sn_vec3_make(1, 0, 0), SN_VEC3_ZERO, SN_INTEGRATOR_BDF);
    sn_error error = {0};
    sn_field field;
    sn_event event;
    sn_spring_def spring = sn_default_spring_def();
    spring.body_a = spring.body_b = a;
    assert_int_equal(sn_world_add_spring(world, &spring, &field, &error), SN_ERROR_ARGUMENT);
    spring.body_b = (sn_body){77, 1};
    assert_int_equal(sn_world_add_spring(world, &spring, &field, &error), SN_ERROR_HANDLE);
    spring.body_b = b;
    spring.stiffness = -1.0;
    assert_int_equal(sn_world_add_spring(world, &spring, &field, &error), SN_ERROR_ARGUMENT);
    sn_drag_def drag = sn_default_drag_def();
    drag.quadratic = NAN;
    assert_int_equal(sn_world_add_drag(world, &drag, &field, &error), SN_ERROR_ARGUMENT);
    sn_callback_def callback = sn_default_callback_def();
    assert_int_equal(sn_world_add_callback(world, &callback, &field, &error), SN_ERROR_ARGUMENT);
    sn_event_def def = sn_default_event_def();
    def.probe.quantity = SN_QUANTITY_LENGTH;
    assert_int_equal(sn_world_add_event(world, &def, &event, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_step(world, 0.0, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_step(world, NAN, &error), SN_ERROR_ARGUMENT);
    // a spring between two integrators is refused when the world sets out, with both names
    spring.stiffness = 1.0;
    spring.name = "tie";
    assert_int_equal(sn_world_add_spring(world, &spring, &field, &error), SN_OK);
    assert_int_equal(sn_world_step(world, 0.1, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(sn_error_message(&error), "tie"));
    assert_non_null(strstr(error.text, "'b'"));
    assert_int_equal(sn_world_remove_field(world, field, &error), SN_OK);
    assert_int_equal(sn_world_step(world, 0.1, &error), SN_OK);
    sn_world_destroy(world);
}

static void push_to_infinity(void *user, sn_world *world, double time)
{
    sn_body *body = user;
    if (time > 0.055) {
        sn_body_add_force(world, *body, sn_vec3_make(INFINITY, 0, 0), SN_VEC3_ZERO);
    }
}

static void a_diverging_body_stops_the_world_whole(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; ++i) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
        add_ball(world, "calm", SN_VEC3_ZERO, sn_vec3_make(1, 0, 0), SN_INTEGRATOR_DEFAULT);
        sn_body wild = add_ball(world, "wild", SN_VEC3_ZERO, SN_VEC3_ZERO, all_integrators[i]);
        sn_callback_def def = {.apply = push_to_infinity, .user = &wild};
        sn_field field;
        assert_int_equal(sn_world_add_callback(world, &def, &field, NULL), SN_OK);
        advance(world, 0.01, 5);
        uint64_t good = sn_world_hash(world);
        sn_error error = {0};
        sn_status status = SN_OK;
        for (int k = 0; k < 3 && status == SN_OK; ++k) {
            good = sn_world_hash(world);
            status = sn_world_step(world, 0.01, &error);
        }
        assert_true(status == SN_ERROR_DIVERGED || status == SN_ERROR_INTEGRATOR);
        assert_non_null(strstr(error.place, "wild"));
        assert_non_null(strstr(error.place, "step "));
        assert_true(sn_world_hash(world) == good);
        assert_int_equal(sn_world_remove_field(world, field, NULL), SN_OK);
        advance(world, 0.01, 5); // with the cause gone it goes on
        sn_world_destroy(world);
    }
}

static void stale_handles_do_no_harm(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_body a = add_ball(world, "a", sn_vec3_make(1, 2, 3), SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_body b = add_ball(world, "b", sn_vec3_make(4, 5, 6), SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_body c = add_ball(world, "c", sn_vec3_make(7, 8, 9), SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_spring_def spring = sn_default_spring_def();
    spring.name = "tie";
    spring.body_a = a;
    spring.body_b = b;
    sn_field field;
    assert_int_equal(sn_world_add_spring(world, &spring, &field, NULL), SN_OK);
    add_event(world, a, SN_QUANTITY_POSITION_X, 0.0, SN_DIRECTION_BOTH, SN_EVENT_MARK);
    sn_probe length = {.field = field, .quantity = SN_QUANTITY_LENGTH};
    assert_true(fabs(sn_probe_read(world, &length) - sqrt(27.0)) < 1e-12);
    assert_int_equal(sn_world_remove_body(world, a, NULL), SN_OK);
    assert_int_equal(sn_world_field_count(world), 0);
    assert_true(isnan(sn_probe_read(world, &length)));
    assert_false(sn_body_is_valid(world, a));
    assert_string_equal(sn_body_name(world, a), "");
    assert_true(sn_length(sn_body_transform(world, a).position) == 0.0);
    assert_int_equal(sn_world_remove_body(world, a, NULL), SN_ERROR_HANDLE);
    assert_int_equal(sn_body_set_velocity(world, a, SN_VEC3_ZERO, SN_VEC3_ZERO, NULL),
                     SN_ERROR_HANDLE);
    sn_body_add_force(world, a, sn_vec3_make(1, 0, 0), SN_VEC3_ZERO);
    // the others kept their places, though storage moved
    assert_true(sn_body_transform(world, b).position.y == 5.0);
    assert_true(sn_body_transform(world, c).position.z == 9.0);
    sn_body again =
        add_ball(world, "a", sn_vec3_make(-1, 0, 0), SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    assert_false(sn_body_is_valid(world, a));
    assert_true(sn_world_find_body(world, "a").index == again.index);
    assert_true(sn_world_body(world, 2).index == again.index);
    assert_int_equal(sn_world_find_body(world, "nobody").index, 0);
    advance(world, 0.01, 3);
    sn_world_destroy(world);
}

static void lack_of_memory_is_reported_and_harmless(void **state)
{
    (void)state;
    for (int n = 0; n < 80; ++n) {
        sn_world_def world_def = sn_default_world_def();
        world_def.policy = SN_POLICY_PRECISE;
        sn_world *world = NULL, *copy = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status = sn_world_create(&world_def, &world, &error);
        sn_body bodies[12] = {{0}};
        for (int i = 0; i < 12 && status == SN_OK; ++i) {
            sn_body_def def = sn_default_body_def();
            def.mass.mass = 1.0;
            def.mass.inertia = SN_MAT3_IDENTITY;
            status = sn_world_add_body(world, &def, &bodies[i], &error);
        }
        for (int i = 0; i < 10 && status == SN_OK; ++i) {
            sn_spring_def spring = sn_default_spring_def();
            spring.body_a = bodies[i];
            spring.body_b = bodies[i + 1];
            spring.rest_length = 1.0;
            sn_field field;
            status = sn_world_add_spring(world, &spring, &field, &error);
        }
        if (status == SN_OK) {
            sn_event_def def = sn_default_event_def();
            def.probe.body = bodies[0];
            def.threshold = -0.01;
            sn_event event;
            status = sn_world_add_event(world, &def, &event, &error);
        }
        status = status == SN_OK ? sn_world_step(world, 0.1, &error) : status;
        status = status == SN_OK ? sn_world_copy(world, &copy, &error) : status;
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        assert_true(status == SN_OK || strlen(error.text) > 0);
        if (status == SN_OK) {
            assert_true(sn_world_hash(copy) == sn_world_hash(world));
        } else if (world != NULL) { // the world is whole all the same
            assert_int_equal(sn_world_step(world, 0.1, &error), SN_OK);
        }
        sn_world_destroy(copy);
        sn_world_destroy(world);
    }
}

#if defined(__has_feature)
#define UNDER_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#else
#define UNDER_SANITIZER 0
#endif

// What ten thousand bodies take, by the account of the allocator.
static size_t used_bytes(void)
{
    char line[200];
    FILE *file = fopen("/proc/self/statm", "r");
    const char *read_line = file != NULL ? fgets(line, sizeof line, file) : NULL;
    if (file != NULL) {
        fclose(file);
    }
    const char *second = read_line != NULL ? strchr(line, ' ') : NULL; // pages in memory
    return second != NULL ? (size_t)strtoull(second, NULL, 10) * 4096 : 0;
}

// Bytes for each of many bodies apart from each other, after some steps.
static size_t bytes_of_a_body(sn_contact_method method)
{
    size_t before = used_bytes();
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_contact_def contact = sn_default_contact_def();
    contact.method = method;
    assert_int_equal(sn_world_set_contact_def(world, &contact, NULL), SN_OK);
    sn_shape ball = sn_default_shape();
    enum { COUNT = 10000 };
    for (int i = 0; i < COUNT; ++i) {
        sn_body_def def = sn_default_body_def();
        def.shapes = &ball;
        def.shape_count = 1;
        def.frame.position = (sn_vec3){3.0 * (i % 100), 3.0 * (i / 100), 0.0};
        sn_body body;
        assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    }
    advance(world, 0.001, 2);
    size_t each = (used_bytes() - before) / COUNT;
    sn_world_destroy(world);
    return each;
}

static void a_body_takes_less_than_a_kibibyte(void **state)
{
    (void)state;
    if (UNDER_SANITIZER) {
        skip(); // a sanitizer's own memory would be counted too
    }
    size_t free_body = bytes_of_a_body(SN_CONTACT_NONE);
    size_t that_meets = bytes_of_a_body(SN_CONTACT_SOLVER);
    print_message("%zu bytes a body, %zu of one that may meet others\n", free_body, that_meets);
    assert_in_range(free_body, 300, 1024);
    assert_in_range(that_meets, 300, 1280);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_takes_less_than_a_kibibyte),
        cmocka_unit_test(a_thrown_ball_follows_its_parabola),
        cmocka_unit_test(springs_keep_what_they_should_at_their_order),
        cmocka_unit_test(strong_drag_is_stable_and_second_order),
        cmocka_unit_test(force_kernels_match_their_derivatives),
        cmocka_unit_test(callbacks_act_in_every_integrator),
        cmocka_unit_test(added_forces_last_one_step),
        cmocka_unit_test(precise_events_are_located),
        cmocka_unit_test(lockstep_events_are_seen_from_step_to_step),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_saved_state_goes_on_to_the_bit),
        cmocka_unit_test(the_hash_sees_every_number),
        cmocka_unit_test(a_running_world_allocates_nothing),
        cmocka_unit_test(bad_definitions_are_refused_by_name),
        cmocka_unit_test(shapes_are_checked_whatever_gives_the_mass),
        cmocka_unit_test(bad_fields_events_and_steps_are_refused),
        cmocka_unit_test(a_diverging_body_stops_the_world_whole),
        cmocka_unit_test(stale_handles_do_no_harm),
        cmocka_unit_test(lack_of_memory_is_reported_and_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
