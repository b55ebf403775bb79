// The precise policy where forces jump: limits, friction and bounded drives, against closed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"

#include "jointed_world.h"

static const double g = 9.81, pi = 3.14159265358979323846;
static const sn_integrator all[] = {SN_INTEGRATOR_RK4, SN_INTEGRATOR_FEHLBERG45,
                                    SN_INTEGRATOR_ADAMS, SN_INTEGRATOR_BDF};

static sn_world *make(sn_integrator integrator, sn_vec3 gravity, double tolerance)
{
    sn_world_def def = sn_default_world_def();
    def.policy = SN_POLICY_PRECISE;
    def.gravity = gravity;
    def.integrator = integrator;
    def.relative_tolerance = tolerance;
    def.absolute_tolerance = 0.1 * tolerance;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

// A block on a slider along an axis through the origin, with what acts in it.
static sn_joint add_block(sn_world *world, sn_vec3 axis, double mass, double speed,
                          const sn_freedom_def *freedom)
{
    sn_body_def def = sn_default_body_def();
    def.name = "block";
    def.mass.mass = mass;
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(1, 1, 1));
    def.velocity = sn_vec3_scale(speed, axis);
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    sn_joint_def joint =
        joint_at(world, "slider", SN_JOINT_SLIDER, (sn_body){0}, body, SN_VEC3_ZERO, axis);
    joint.freedom[0] = *freedom;
    return add(world, &joint);
}

static sn_motion *line(double t0, double x0, double t1, double x1)
{
    double times[] = {t0, t1}, values[] = {x0, x1};
    sn_motion_def def = sn_default_motion_def();
    def.type = SN_MOTION_LINEAR;
    def.times = times;
    def.values = values;
    def.count = 2;
    sn_motion *motion = NULL;
    assert_int_equal(sn_motion_create(&def, &motion, NULL), SN_OK);
    return motion;
}

static const sn_vec3 up = {0, 0, 1}, along = {1, 0, 0};

static double q_of(const sn_world *world, sn_joint joint)
{
    return sn_joint_position(world, joint, 0);
}

static double v_of(const sn_world *world, sn_joint joint)
{
    return sn_joint_velocity(world, joint, 0);
}

// ---- limits ----

// Dropped from one metre onto a limit with restitution e: height above it at a time.
static double bounce(double t, double e)
{
    double fall = sqrt(2.0 / g), speed = g * fall;
    if (t <= fall) {
        return 1.0 - 0.5 * g * t * t;
    }
    t -= fall;
    while (speed > 1e-9) {
        speed *= e;
        if (t <= 2.0 * speed / g) {
            return speed * t - 0.5 * g * t * t;
        }
        t -= 2.0 * speed / g;
    }
    return 0.0;
}

static void a_mass_bounces_to_rest(void **state)
{
    (void)state;
    const double e = 0.8;
    for (int i = 0; i < 4; ++i) {
        sn_world *world = make(all[i], down, 1e-11);
        sn_freedom_def freedom = sn_default_freedom_def();
        freedom.limit.lower = -1.0;
        freedom.limit.restitution = e;
        sn_joint joint = add_block(world, up, 2.0, 0.0, &freedom);
        double worst = 0.0, total = sqrt(2.0 / g) * (1.0 + e) / (1.0 - e);
        while (sn_world_time(world) < total + 1e-4) {
            advance(world, 0.01, 1);
            double lack = fabs(q_of(world, joint) + 1.0 - bounce(sn_world_time(world), e));
            worst = fmax(worst, lack);
        }
        print_message("%s: bounces within %.1e m\n", sn_integrator_word(all[i]), worst);
        assert_true(worst < 1e-8);
        advance(world, 0.1, 10);
        assert_true(q_of(world, joint) == -1.0 && v_of(world, joint) == 0.0);
        assert_true(fabs(sn_joint_limit_force(world, joint, 0) - 2.0 * g) < 1e-9);
        sn_world_destroy(world);
    }
}

// An event of the velocity sees the impacts, one of the position that they happen at the limit.
static void events_see_impacts(void **state)
{
    (void)state;
    const double e = 0.8;
    sn_world *world = make(SN_INTEGRATOR_FEHLBERG45, down, 1e-11);
    sn_freedom_def freedom = sn_default_freedom_def();
    freedom.limit.lower = -1.0;
    freedom.limit.restitution = e;
    add_block(world, up, 2.0, 0.0, &freedom);
    sn_event_def def = sn_default_event_def();
    def.probe =
        (sn_probe){.body = sn_world_find_body(world, "block"), .quantity = SN_QUANTITY_VELOCITY_Z};
    def.direction = SN_DIRECTION_RISING;
    sn_event rising, touching;
    assert_int_equal(sn_world_add_event(world, &def, &rising, NULL), SN_OK);
    def.probe.quantity = SN_QUANTITY_POSITION_Z;
    def.threshold = -1.0;
    def.direction = SN_DIRECTION_FALLING;
    assert_int_equal(sn_world_add_event(world, &def, &touching, NULL), SN_OK);
    advance(world, 0.05, 60);
    double fall = sqrt(2.0 / g), expected = fall, speed = g * fall * e;
    int seen[2] = {0, 0};
    for (int i = 0; i < sn_world_event_count(world) && seen[0] < 4; ++i) {
        sn_event_entry entry = sn_world_event_entry(world, i);
        if (entry.event.index == rising.index) {
            assert_true(fabs(entry.time - expected) < 1e-8);
            expected += 2.0 * speed / g;
            speed *= e;
            seen[0] += 1;
        } else {
            seen[1] += 1;
        }
    }
    assert_int_equal(seen[0], 4);
    assert_true(seen[1] >= 3);
    sn_world_destroy(world);
}

// A pendulum swings against a stop, comes back with e^2 of its kinetic energy, and ends on the
// stop.
static void a_pendulum_strikes_a_stop(void **state)
{
    (void)state;
    for (int i = 1; i < 4; ++i) {
        sn_world *world = make(all[i], down, 1e-11);
        sn_body bob =
            add_mass(world, "bob", sn_vec3_make(1, 0, 0), 1.5, sn_vec3_make(0.01, 0.01, 0.01));
        sn_joint_def def = joint_at(world, "hinge", SN_JOINT_HINGE, (sn_body){0}, bob, SN_VEC3_ZERO,
                                    sn_vec3_make(0, 1, 0));
        def.freedom[0].limit.upper = 0.3 * pi;
        def.freedom[0].limit.restitution = 0.5;
        sn_joint hinge = add(world, &def);
        do {
            advance(world, 0.01, 1);
        } while (v_of(world, hinge) >= 0.0);
        double drop = 1.5 * g * sin(0.3 * pi), off = sn_world_energy(world).total + 0.75 * drop;
        print_message("%s: energy after the stop off by %.1e J\n", sn_integrator_word(all[i]), off);
        assert_true(fabs(off) < 1e-8);
        advance(world, 0.05, 200);
        assert_true(q_of(world, hinge) == 0.3 * pi && v_of(world, hinge) == 0.0);
        sn_world_destroy(world);
    }
}

// A ball's limit bounds the angle of its turn. Gravity pulls outwards here: what is thrown against
// the limit comes back with e^2 of its kinetic energy, and ends on it.
static void a_ball_strikes_its_cone(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_world *world = make(all[i], sn_vec3_make(0, 0, g), 1e-11); // the pendulum stands up
        sn_body_def def = sn_default_body_def();
        def.name = "bob";
        def.frame.position = sn_vec3_make(0, 0, -1);
        def.velocity = sn_vec3_make(1.5, 0, 0);
        def.angular_velocity = sn_vec3_make(0, -1.5, 0);
        def.mass.mass = 2.0;
        def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, 0.1, 0.1));
        sn_body bob;
        assert_int_equal(sn_world_add_body(world, &def, &bob, NULL), SN_OK);
        sn_joint_def joint =
            joint_at(world, "ball", SN_JOINT_BALL, (sn_body){0}, bob, SN_VEC3_ZERO, up);
        joint.freedom[0].limit.upper = 0.5;
        joint.freedom[0].limit.restitution = 0.6;
        sn_joint ball = add(world, &joint);
        double most = 0.0, start = NAN, after = NAN;
        for (int k = 0; k < 1000; ++k) {
            advance(world, 0.01, 1);
            double angle = 0.0, energy = sn_world_energy(world).total;
            for (int m = 0; m < 3; ++m) {
                angle += pow(sn_joint_position(world, ball, m), 2.0);
            }
            most = fmax(most, sqrt(angle));
            start = isnan(start) ? energy : start;
            after = isnan(after) && fabs(energy - start) > 1e-3 ? energy : after;
        }
        // Kinetic energy at the cone: that of the start and what 1 - cos of the angle gives.
        double arrives = 0.5 * (2.0 + 0.1) * 2.25 + 2.0 * g * (1.0 - cos(0.5));
        print_message("%s: cone passed by %.1e rad, impact off by %.1e J\n",
                      sn_integrator_word(all[i]), most - 0.5, after - start + 0.64 * arrives);
        assert_true(most < 0.5 + 1e-9);
        assert_true(fabs(after - start + 0.64 * arrives) < (i == 0 ? 1e-6 : 1e-8));
        double angle = 0.0, speed = 0.0;
        for (int m = 0; m < 3; ++m) {
            angle += pow(sn_joint_position(world, ball, m), 2.0);
            speed += pow(sn_joint_velocity(world, ball, m), 2.0);
        }
        assert_true(fabs(sqrt(angle) - 0.5) < 1e-12 && sqrt(speed) < 1e-9);
        sn_world_destroy(world);
    }
}

// A soft limit is a spring and a damper as long as they push.
static void soft_limits_push_only(void **state)
{
    (void)state;
    sn_world *world = make(SN_INTEGRATOR_FEHLBERG45, SN_VEC3_ZERO, 1e-11);
    sn_freedom_def freedom = sn_default_freedom_def();
    freedom.limit.upper = 0.5;
    freedom.limit.stiffness = 400.0;
    freedom.limit.damping = 12.0;
    sn_joint joint = add_block(world, along, 1.0, 2.0, &freedom);
    advance(world, 0.05, 20);
    // x'' = -400 x - 12 x' from (0, 2): the force is zero where x'' is.
    double a = 6.0, b = sqrt(364.0), end = 0.0;
    double low = 0.05, high = 0.16;
    for (int k = 0; k < 200; ++k) {
        end = 0.5 * (low + high);
        double s = sin(b * end), c = cos(b * end);
        double second = (a * a - b * b) * s - 2.0 * a * b * c;
        *(second < 0.0 ? &low : &high) = end;
    }
    double leaves = 2.0 / b * exp(-a * end) * (b * cos(b * end) - a * sin(b * end));
    assert_true(fabs(v_of(world, joint) - leaves) < 1e-9);
    sn_world_destroy(world);
}

// ---- friction ----

static void a_thrown_block_stops(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_world *world = make(all[i], SN_VEC3_ZERO, 1e-11);
        sn_freedom_def freedom = sn_default_freedom_def();
        freedom.friction = 3.0;
        sn_joint joint = add_block(world, along, 2.0, 4.0, &freedom);
        const double stop = 2.0 * 4.0 / 3.0;
        advance(world, 0.1, 26);
        double t = sn_world_time(world);
        assert_true(fabs(q_of(world, joint) - (4.0 * t - 0.75 * t * t)) < 1e-8);
        assert_true(fabs(sn_joint_friction_force(world, joint, 0) + 3.0) < 1e-12);
        advance(world, 0.1, 2);
        double there = q_of(world, joint);
        assert_true(fabs(there - 2.0 * stop) < 1e-8 && v_of(world, joint) == 0.0);
        advance(world, 0.5, 120);
        assert_true(q_of(world, joint) == there && v_of(world, joint) == 0.0);
        assert_true(sn_joint_friction_force(world, joint, 0) == 0.0);
        sn_world_destroy(world);
    }
}

// A spring and dry friction: amplitudes fall by 2 friction / stiffness in every half turn.
static void a_rubbing_oscillator_stops(void **state)
{
    (void)state;
    for (int i = 1; i < 4; ++i) {
        sn_world *world = make(all[i], SN_VEC3_ZERO, 1e-11);
        sn_freedom_def freedom = sn_default_freedom_def();
        freedom.stiffness = 100.0;
        freedom.rest = -1.0;
        freedom.friction = 13.0;
        sn_joint joint = add_block(world, along, 1.0, 0.0, &freedom);
        double worst = 0.0;
        for (int k = 0; k < 150; ++k) {
            advance(world, 0.01, 1);
            double t = sn_world_time(world), half = pi / 10.0, x = -0.04;
            int turn = (int)(t / half);
            if (turn < 4) {
                double side = turn % 2 == 0 ? 1.0 : -1.0, start = 1.0 - 0.26 * turn;
                x = side * (0.13 + (start - 0.13) * cos(10.0 * (t - turn * half)));
            }
            worst = fmax(worst, fabs(q_of(world, joint) + 1.0 - x));
        }
        print_message("%s: oscillator within %.1e m\n", sn_integrator_word(all[i]), worst);
        assert_true(worst < 1e-8 && v_of(world, joint) == 0.0);
        assert_true(fabs(sn_joint_friction_force(world, joint, 0) + 4.0) < 1e-6);
        sn_world_destroy(world);
    }
}

// Pulled by a spring whose end moves at constant speed V: sticks until the spring pulls as much as
// friction holds, and then moves as V t - V / w sin(w t), standing still for an instant each turn.
static void a_spring_pulls_a_block_in_jerks(void **state)
{
    (void)state;
    sn_world *world = make(SN_INTEGRATOR_FEHLBERG45, SN_VEC3_ZERO, 1e-11);
    sn_freedom_def freedom = sn_default_freedom_def();
    sn_motion *pull = line(0.0, 0.0, 1000.0, 500.0);
    freedom.friction = 3.0;
    freedom.drive.type = SN_DRIVE_POSITION;
    freedom.drive.stiffness = 16.0;
    freedom.drive.motion = pull;
    sn_joint joint = add_block(world, along, 1.0, 0.0, &freedom);
    const double start = 3.0 / 16.0 / 0.5, w = 4.0, v = 0.5;
    double worst = 0.0;
    for (int k = 0; k < 500; ++k) {
        advance(world, 0.01, 1);
        double t = sn_world_time(world) - start;
        double x = t > 0.0 ? v * t - v / w * sin(w * t) : 0.0;
        worst = fmax(worst, fabs(q_of(world, joint) - x));
        assert_true(t > 0.0 || q_of(world, joint) == 0.0);
    }
    print_message("pulled block within %.1e m\n", worst);
    assert_true(worst < 1e-7);
    sn_motion_release(pull);
    sn_world_destroy(world);
}

static void a_growing_force_sets_a_block_going(void **state)
{
    (void)state;
    for (int i = 1; i < 4; ++i) {
        sn_world *world = make(all[i], SN_VEC3_ZERO, 1e-11);
        sn_freedom_def freedom = sn_default_freedom_def();
        sn_motion *push = line(0.0, 0.0, 100.0, 100.0);
        freedom.friction = 1.234567;
        freedom.drive.type = SN_DRIVE_FORCE;
        freedom.drive.motion = push;
        sn_joint joint = add_block(world, along, 2.0, 0.0, &freedom);
        for (int k = 0; k < 30; ++k) {
            advance(world, 0.1, 1);
            double t = sn_world_time(world) - 1.234567;
            double x = t > 0.0 ? t * t * t / 12.0 : 0.0;
            assert_true(fabs(q_of(world, joint) - x) < 1e-8);
            assert_true(t > 0.0 || q_of(world, joint) == 0.0);
        }
        sn_motion_release(push);
        sn_world_destroy(world);
    }
}

static void a_ball_rubs_to_a_stop(void **state)
{
    (void)state;
    sn_world *world = make(SN_INTEGRATOR_FEHLBERG45, SN_VEC3_ZERO, 1e-11);
    sn_body_def def = sn_default_body_def();
    def.name = "globe";
    def.mass.mass = 1.0;
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.4, 0.4, 0.4));
    def.angular_velocity = sn_vec3_make(1, 2, 2);
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    sn_joint_def joint =
        joint_at(world, "ball", SN_JOINT_BALL, (sn_body){0}, body, SN_VEC3_ZERO, up);
    joint.freedom[0].friction = 1.2;
    sn_joint ball = add(world, &joint);
    advance(world, 0.11, 8); // 0.88 s of 0.4 * 3 / 1.2 = 1 s
    double speed = 0.0, force = 0.0;
    for (int k = 0; k < 3; ++k) {
        speed += pow(sn_joint_velocity(world, ball, k), 2.0);
        force += pow(sn_joint_friction_force(world, ball, k), 2.0);
    }
    assert_true(fabs(sqrt(speed) - 0.36) < 1e-8 && fabs(sqrt(force) - 1.2) < 1e-9);
    advance(world, 0.11, 3);
    double turn = 0.0;
    for (int k = 0; k < 3; ++k) {
        turn += pow(sn_joint_position(world, ball, k), 2.0);
        assert_true(sn_joint_velocity(world, ball, k) == 0.0);
    }
    assert_true(fabs(sqrt(turn) - 1.5) < 1e-8);
    sn_world_destroy(world);
}

// ---- drives ----

static void a_velocity_drive_saturates(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_world *world = make(all[i], SN_VEC3_ZERO, 1e-11);
        sn_freedom_def freedom = sn_default_freedom_def();
        freedom.drive.type = SN_DRIVE_VELOCITY;
        freedom.drive.target = 3.0;
        freedom.drive.force_limit = 4.0;
        sn_joint joint = add_block(world, along, 2.0, 0.0, &freedom);
        advance(world, 0.1, 13);
        assert_true(fabs(q_of(world, joint) - 1.69) < 1e-9);
        assert_true(fabs(sn_joint_drive_force(world, joint, 0) - 4.0) < 1e-12);
        advance(world, 0.1, 7);
        assert_true(fabs(q_of(world, joint) - (2.25 + 1.5)) < 1e-8);
        assert_true(v_of(world, joint) == 3.0 && sn_joint_drive_force(world, joint, 0) == 0.0);
        sn_world_destroy(world);
    }
}

static void a_position_drive_saturates(void **state)
{
    (void)state;
    for (int i = 1; i < 4; ++i) {
        sn_world *world = make(all[i], SN_VEC3_ZERO, 1e-11);
        sn_freedom_def freedom = sn_default_freedom_def();
        freedom.drive.type = SN_DRIVE_POSITION;
        freedom.drive.target = -1.0;
        freedom.drive.stiffness = 100.0;
        freedom.drive.force_limit = 5.0;
        sn_joint joint = add_block(world, along, 1.0, 0.0, &freedom);
        const double near = sqrt(2.0 * 0.95 / 5.0), speed = 5.0 * near;
        double worst = 0.0;
        for (int k = 0; k < 60; ++k) {
            advance(world, 0.01, 1);
            double t = sn_world_time(world);
            double x = t < near
                           ? 1.0 - 2.5 * t * t
                           : 0.05 * cos(10.0 * (t - near)) - 0.1 * speed * sin(10.0 * (t - near));
            if (x > -0.05) {
                worst = fmax(worst, fabs(q_of(world, joint) + 1.0 - x));
            } else {
                break;
            }
        }
        assert_true(worst < 1e-8);
        sn_world_destroy(world);
    }
}

// A motion of straight pieces throws its block at each knot, and needs no force between them but
// what carries it.
static void motions_pass_their_knots(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_world *world = make(all[i], down, 1e-11);
        double times[] = {0.25, 1.0, 1.777, 2.5}, values[] = {0.0, 0.5, 0.2, 0.2};
        sn_motion_def points = sn_default_motion_def();
        points.type = SN_MOTION_LINEAR;
        points.times = times;
        points.values = values;
        points.count = 4;
        sn_motion *motion = NULL;
        assert_int_equal(sn_motion_create(&points, &motion, NULL), SN_OK);
        sn_freedom_def freedom = sn_default_freedom_def();
        freedom.drive.type = SN_DRIVE_MOTION;
        freedom.drive.motion = motion;
        sn_joint joint = add_block(world, up, 2.0, 0.0, &freedom);
        for (int k = 0; k < 30; ++k) {
            advance(world, 0.1, 1);
            sn_motion_state wanted = sn_motion_at(motion, sn_world_time(world));
            assert_true(fabs(q_of(world, joint) - wanted.value) < 1e-12);
            assert_true(fabs(v_of(world, joint) - wanted.rate) < 1e-12);
            assert_true(fabs(sn_joint_drive_force(world, joint, 0) - 2.0 * g) < 1e-9);
        }
        sn_motion_release(motion);
        sn_world_destroy(world);
    }
}

// ---- loops ----

static sn_world *make_loop(sn_integrator integrator, double restitution, double friction)
{
    sn_world *world = make(integrator, down, 1e-11);
    sn_vec3 a = {0, 0, 0}, b = {0, 0, 1}, c = {1, 0, 1.5}, d = {1.2, 0, 0};
    sn_body one = add_rod(world, "one", a, b, 1.0), two = add_rod(world, "two", b, c, 1.0),
            three = add_rod(world, "three", c, d, 2.0);
    sn_joint_def foot =
        joint_at(world, "foot", SN_JOINT_HINGE, (sn_body){0}, one, a, sn_vec3_make(0, 1, 0));
    foot.freedom[0].limit.lower = -0.3;
    foot.freedom[0].limit.upper = 0.4;
    foot.freedom[0].limit.restitution = restitution;
    foot.freedom[0].friction = friction;
    add(world, &foot);
    add_hinge(world, "left", one, two, b);
    add_hinge(world, "right", two, three, c);
    add_hinge(world, "far", (sn_body){0}, three, d);
    return world;
}

static void loops_are_thrown_back(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_world *world = make_loop(all[i], 0.7, 0.0);
        sn_joint foot = sn_world_find_joint(world, "foot");
        sn_body two = sn_world_find_body(world, "two"), three = sn_world_find_body(world, "three");
        double before = 0.0;
        int turned = 0;
        for (int k = 0; k < 100; ++k) {
            advance(world, 0.02, 1);
            sn_transform at = sn_joint_parent_transform(world, sn_world_find_joint(world, "right"));
            sn_vec3 slip = sn_vec3_sub(sn_body_point_velocity(world, two, at.position),
                                       sn_body_point_velocity(world, three, at.position));
            double q = q_of(world, foot), v = v_of(world, foot);
            assert_true(sn_length(slip) < 1e-12);
            assert_true(gap(world, sn_world_find_joint(world, "right")) < 1e-12);
            assert_true(q >= -0.3 && q <= 0.4);
            turned += v * before < 0.0;
            before = v;
        }
        assert_true(turned > 2);
        advance(world, 0.1, 100);
        double q = q_of(world, foot);
        assert_true((q == -0.3 || q == 0.4) && v_of(world, foot) == 0.0);
        sn_world_destroy(world);
    }
}

static void loops_stick(void **state)
{
    (void)state;
    sn_world *world = make_loop(SN_INTEGRATOR_FEHLBERG45, 0.0, 60.0);
    sn_joint foot = sn_world_find_joint(world, "foot");
    advance(world, 0.1, 20);
    assert_true(q_of(world, foot) == 0.0 && v_of(world, foot) == 0.0);
    assert_true(fabs(sn_joint_friction_force(world, foot, 0)) > 0.1);
    sn_world_destroy(world);
}

// ---- the two policies ----

static double swing(sn_policy policy, double h)
{
    sn_world *world = make_world(policy, down, 1e-11);
    sn_body bob =
        add_mass(world, "bob", sn_vec3_make(1, 0, 0), 1.0, sn_vec3_make(0.02, 0.02, 0.02));
    sn_joint_def def = joint_at(world, "hinge", SN_JOINT_HINGE, (sn_body){0}, bob, SN_VEC3_ZERO,
                                sn_vec3_make(0, 1, 0));
    def.freedom[0].friction = 0.4;
    def.freedom[0].limit.upper = 2.0;
    def.freedom[0].limit.restitution = 0.6;
    sn_joint hinge = add(world, &def);
    advance(world, h, (int)(1.5 / h + 0.5));
    double q = q_of(world, hinge);
    sn_world_destroy(world);
    return q;
}

static void lockstep_tends_to_precise(void **state)
{
    (void)state;
    double exact = swing(SN_POLICY_PRECISE, 0.01), before = 0.0, first = 0.0;
    for (int k = 0; k < 5; ++k) {
        double off = fabs(swing(SN_POLICY_LOCKSTEP, 0.01 / (1 << k)) - exact);
        print_message("lockstep at %g ms: off by %.2e, order %.2f\n", 10.0 / (1 << k), off,
                      k > 0 ? log2(before / off) : NAN);
        first = k == 1 ? off : first;
        before = off;
    }
    assert_true(before < 0.4 * first && before < 1e-2);
}

// ---- states and memory ----

static sn_world *make_everything(sn_integrator integrator)
{
    sn_world *world = make_loop(integrator, 0.6, 0.3);
    sn_freedom_def freedom = sn_default_freedom_def();
    freedom.limit.lower = -1.0;
    freedom.limit.restitution = 0.8;
    freedom.friction = 0.5;
    add_block(world, up, 1.0, 0.0, &freedom);
    return world;
}

static void saved_states_go_on_to_the_bit(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_world *world = make_everything(all[i]), *other = make_everything(all[i]);
        assert_int_equal(sn_world_assemble(other, NULL), SN_OK);
        advance(world, 0.013, 60);
        for (int k = 0; k < 20; ++k) {
            unsigned char bytes[4000];
            size_t size = sn_world_state_size(world);
            assert_true(size <= sizeof bytes);
            assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
            assert_int_equal(sn_world_load_state(other, bytes, size, NULL), SN_OK);
            advance(world, 0.013, 3);
            advance(other, 0.013, 3);
            assert_true(sn_world_hash(world) == sn_world_hash(other));
        }
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

static void running_asks_for_no_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_world *world = make_everything(all[i]);
        advance(world, 0.01, 2);
        uint64_t before = sn_allocation_count();
        advance(world, 0.01, 300);
        assert_true(sn_allocation_count() == before);
        sn_world_destroy(world);
    }
}

static void lack_of_memory_is_told(void **state)
{
    (void)state;
    int failed = 0;
    for (int n = 0; n < 300; n += 2) {
        sn_world *world = make_everything(SN_INTEGRATOR_FEHLBERG45);
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status status = sn_world_step(world, 1e-2, &error);
        sn_allocation_fail_after(-1);
        if (status != SN_OK && status != SN_ERROR_MEMORY) {
            fail_msg("%d: %s: %s", n, error.place, error.text);
        }
        failed += status != SN_OK;
        advance(world, 1e-2, 2);
        sn_world_destroy(world);
    }
    assert_true(failed > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_bounces_to_rest),
        cmocka_unit_test(events_see_impacts),
        cmocka_unit_test(a_pendulum_strikes_a_stop),
        cmocka_unit_test(a_ball_strikes_its_cone),
        cmocka_unit_test(soft_limits_push_only),
        cmocka_unit_test(a_thrown_block_stops),
        cmocka_unit_test(a_rubbing_oscillator_stops),
        cmocka_unit_test(a_spring_pulls_a_block_in_jerks),
        cmocka_unit_test(a_growing_force_sets_a_block_going),
        cmocka_unit_test(a_ball_rubs_to_a_stop),
        cmocka_unit_test(a_velocity_drive_saturates),
        cmocka_unit_test(a_position_drive_saturates),
        cmocka_unit_test(motions_pass_their_knots),
        cmocka_unit_test(loops_are_thrown_back),
        cmocka_unit_test(loops_stick),
        cmocka_unit_test(lockstep_tends_to_precise),
        cmocka_unit_test(saved_states_go_on_to_the_bit),
        cmocka_unit_test(running_asks_for_no_memory),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
