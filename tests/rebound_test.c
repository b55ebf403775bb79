// Impacts in a world at every phase of the step: what falls flat rebounds flat, balls that meet
// aslant part along the line of their centres, friction gives the spin that it takes, corners lose
// nothing.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sinew/sinew.h"

static const double H = 1.0 / 240.0;
enum { PHASES = 9 };

// A world without weight, with or without a ground.
static sn_world *open_world(bool ground, double friction, double restitution)
{
    sn_world *world = NULL;
    sn_world_def def = sn_default_world_def();
    def.gravity = (sn_vec3){0.0, 0.0, 0.0};
    def.contact.sleep = false;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    if (ground) {
        sn_shape plane = sn_default_shape();
        sn_body_def body = sn_default_body_def();
        sn_body made;
        plane.type = SN_SHAPE_PLANE;
        plane.surface.friction = friction;
        plane.surface.restitution = restitution;
        body.type = SN_BODY_STATIC;
        body.shapes = &plane;
        body.shape_count = 1;
        assert_int_equal(sn_world_add_body(world, &body, &made, NULL), SN_OK);
    }
    return world;
}

static sn_shape shape_of(sn_shape_type type, double friction, double restitution)
{
    sn_shape shape = sn_default_shape();
    shape.type = type;
    shape.surface.friction = friction;
    shape.surface.restitution = restitution;
    return shape;
}

static sn_body add(sn_world *world, const sn_shape *shapes, int count, sn_vec3 at, sn_vec3 velocity,
                   sn_vec3 spin)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.shapes = shapes;
    def.shape_count = count;
    def.frame.position = at;
    def.velocity = velocity;
    def.angular_velocity = spin;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

static void run(sn_world *world, double h, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(sn_world_step(world, h, NULL), SN_OK);
    }
}

// What stands on the ground with its flat side, 2 m/s: v -> e v, and it does not turn.
static void check_flat(const sn_shape *shapes, int count, double half, double restitution)
{
    const double speed = 2.0;
    for (int i = 0; i < PHASES; ++i) {
        sn_world *world = open_world(true, shapes->surface.friction, restitution);
        double height = speed * H * (4.0 + (i + 0.5) / PHASES);
        sn_body body = add(world, shapes, count, (sn_vec3){0.013, 0.017, half + height},
                           (sn_vec3){0.0, 0.0, -speed}, (sn_vec3){0.0, 0.0, 0.0});
        run(world, H, 8);
        double up = sn_body_velocity(world, body).z / speed;
        double turns = sn_length(sn_body_angular_velocity(world, body));
        if (fabs(up - restitution) > 1e-6 || turns > 1e-6) {
            fail_msg("phase %d: leaves at %g, expected %g, and turns by %g rad/s", i, up,
                     restitution, turns);
        }
        sn_world_destroy(world);
    }
}

static void test_flat(void **state)
{
    (void)state;
    static const double restitutions[] = {1.0, 0.5};
    for (int k = 0; k < 2; ++k) {
        double e = restitutions[k], friction = k == 0 ? 0.0 : 0.5;
        sn_shape box = shape_of(SN_SHAPE_BOX, friction, e);
        box.size = (sn_vec3){0.2, 0.3, 0.1};
        check_flat(&box, 1, 0.05, e);
        sn_shape cylinder = shape_of(SN_SHAPE_CYLINDER, friction, e);
        cylinder.radius = 0.1;
        cylinder.height = 0.1;
        check_flat(&cylinder, 1, 0.05, e);
        sn_shape coin = cylinder; // fast by its size: stopped where it meets the ground
        coin.radius = 0.012;
        coin.height = 0.005;
        check_flat(&coin, 1, 0.0025, e);
        sn_shape capsule = shape_of(SN_SHAPE_CAPSULE, friction, e);
        capsule.radius = 0.05;
        capsule.height = 0.3;
        capsule.frame.rotation = (sn_quat){sqrt(0.5), 0.0, sqrt(0.5), 0.0};
        check_flat(&capsule, 1, 0.05, e);
        sn_shape legs[4]; // shapes of their own, each a pair with the ground
        for (int i = 0; i < 4; ++i) {
            legs[i] = shape_of(SN_SHAPE_BOX, friction, e);
            legs[i].size = (sn_vec3){0.05, 0.05, 0.2};
            legs[i].frame.position = (sn_vec3){i % 2 == 0 ? 0.2 : -0.2, i < 2 ? 0.3 : -0.3, 0.0};
        }
        check_flat(legs, 4, 0.1, e);
    }
}

// A ball of restitution e that slides through its bounce: it loses friction (1 + e) v along the
// ground, and that times r by its moment of inertia is its spin.
static void test_spin_of_bounce(void **state)
{
    (void)state;
    const double friction = 0.05, e = 0.8, speed = 2.0;
    static const double radii[] = {0.1, 0.02};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < PHASES; ++i) {
            double r = radii[k], height = speed * H * (4.0 + (i + 0.5) / PHASES);
            sn_world *world = open_world(true, friction, e);
            sn_shape ball = shape_of(SN_SHAPE_SPHERE, friction, e);
            ball.radius = r;
            sn_body body = add(world, &ball, 1, (sn_vec3){0.0, 0.0, r + height},
                               (sn_vec3){3.0, 0.0, -speed}, (sn_vec3){0.0, 0.0, 0.0});
            run(world, H, 8);
            double along = friction * (1.0 + e) * speed, spin = along / (0.4 * r);
            assert_true(fabs(sn_body_velocity(world, body).x - (3.0 - along)) < 1e-7);
            assert_true(fabs(sn_body_angular_velocity(world, body).y - spin) < 1e-6 * spin);
            sn_world_destroy(world);
        }
    }
}

// Of two like smooth balls, e = 1, one at rest, the other comes with its centre off the line by b:
// the struck one leaves along the line of centres at the moment of the impact, sin a = b / 2r, with
// v cos a, the other across it with v sin a; neither turns.
static void test_oblique_balls(void **state)
{
    (void)state;
    const double r = 0.0286, speed = 3.0;
    for (int i = 0; i < PHASES; ++i) {
        double sine = 0.6, cosine = 0.8, offset = 2.0 * r * sine;
        double way = speed * H * (4.0 + (i + 0.5) / PHASES) + 2.0 * r * cosine;
        sn_world *world = open_world(false, 0.0, 0.0);
        sn_shape shape = shape_of(SN_SHAPE_SPHERE, 0.0, 1.0);
        shape.radius = r;
        sn_body cue = add(world, &shape, 1, (sn_vec3){-way, offset, 0.0},
                          (sn_vec3){speed, 0.0, 0.0}, (sn_vec3){0.0, 0.0, 0.0});
        sn_body ball = add(world, &shape, 1, (sn_vec3){0.0, 0.0, 0.0}, (sn_vec3){0.0, 0.0, 0.0},
                           (sn_vec3){0.0, 0.0, 0.0});
        run(world, H, 8);
        sn_vec3 u = sn_body_velocity(world, cue), v = sn_body_velocity(world, ball);
        double left = speed * cosine, angle = atan2(-v.y, v.x) - atan2(sine, cosine);
        if (fabs(angle) > 2e-3 || fabs(sn_length(v) - left) > 2e-3 * speed ||
            fabs(sn_length(u) - speed * sine) > 2e-3 * speed ||
            sn_length(sn_body_angular_velocity(world, ball)) * r > 2e-3 * speed) {
            fail_msg("phase %d: leaves at %g m/s, expected %g, %g rad aside, turns %g rad/s", i,
                     sn_length(v), left, angle, sn_length(sn_body_angular_velocity(world, ball)));
        }
        sn_world_destroy(world);
    }
}

// Two boxes that tumble into each other: momentum and angular momentum to round-off, energy within
// what an impact away from the middle of a step is off by.
static void test_tumbling_boxes(void **state)
{
    (void)state;
    for (int i = 0; i < PHASES; ++i) {
        sn_world *world = open_world(false, 0.0, 0.0);
        sn_shape shape = shape_of(SN_SHAPE_BOX, 0.3, 0.7);
        shape.size = (sn_vec3){0.3, 0.2, 0.1};
        add(world, &shape, 1, (sn_vec3){-0.4 - 0.001 * i, 0.03, 0.02}, (sn_vec3){1.5, 0.0, 0.1},
            (sn_vec3){1.0, 2.0, -3.0});
        shape.size = (sn_vec3){0.2, 0.2, 0.25};
        add(world, &shape, 1, (sn_vec3){0.3, -0.05, 0.0}, (sn_vec3){-1.0, 0.1, 0.0},
            (sn_vec3){-2.0, 1.0, 2.0});
        double before = sn_world_energy(world).kinetic;
        sn_vec3 p = sn_world_momentum(world), l = sn_world_angular_momentum(world);
        int met = 0;
        for (int k = 0; k < 120; ++k) {
            run(world, H, 1);
            met += sn_world_contact_count(world) > 0;
        }
        assert_true(met > 0);
        assert_true(sn_distance(sn_world_momentum(world), p) < 1e-12 * (1.0 + sn_length(p)));
        assert_true(sn_distance(sn_world_angular_momentum(world), l) <
                    1e-12 * (1.0 + sn_length(l)));
        assert_true(sn_world_energy(world).kinetic < 1.001 * before);
        sn_world_destroy(world);
    }
}

// A box that tumbles between two smooth walls, e = 1. Each step with an impact keeps the energy.
static void test_corners(void **state)
{
    (void)state;
    sn_world *world = open_world(true, 0.0, 1.0);
    sn_shape wall = shape_of(SN_SHAPE_PLANE, 0.0, 1.0);
    sn_body_def def = sn_default_body_def();
    sn_body made;
    def.type = SN_BODY_STATIC;
    def.shapes = &wall;
    def.shape_count = 1;
    def.frame.position.z = 3.0;
    def.frame.rotation = (sn_quat){0.0, 1.0, 0.0, 0.0};
    assert_int_equal(sn_world_add_body(world, &def, &made, NULL), SN_OK);
    sn_shape box = shape_of(SN_SHAPE_BOX, 0.0, 1.0);
    box.size = (sn_vec3){0.3, 0.4, 0.5};
    add(world, &box, 1, (sn_vec3){0.0, 0.0, 1.0}, (sn_vec3){0.0, 0.0, -3.0},
        (sn_vec3){1.0, 2.0, 3.0});
    int impacts = 0;
    for (int i = 0; i < 2400; ++i) {
        double before = sn_world_energy(world).kinetic;
        run(world, H, 1);
        double change = sn_world_energy(world).kinetic / before - 1.0;
        impacts += sn_world_contact_count(world) > 0;
        if (fabs(change) > 0.02) {
            fail_msg("step %d: energy changes by %g", i, change);
        }
    }
    assert_true(impacts > 8);
    sn_world_destroy(world);
}

// With weight, and so small that each time of impact lies within a step: nothing acts along a floor
// without friction, so that the velocity along it stays. Without loss the energy stays as well.
static void test_marbles(void **state)
{
    (void)state;
    static const double radii[] = {0.05, 0.005, 0.002, 0.001, 0.0005};
    for (int i = 0; i < 10; ++i) {
        double radius = radii[i % 5], restitution = i < 5 ? 1.0 : 0.5;
        sn_world *world = open_world(true, 0.0, restitution);
        sn_shape ball = shape_of(SN_SHAPE_SPHERE, 0.0, restitution);
        ball.radius = radius;
        sn_world_set_gravity(world, (sn_vec3){0.0, 0.0, -9.81});
        sn_vec3 velocity = {0.3, -0.1, 0.0};
        sn_body body =
            add(world, &ball, 1, (sn_vec3){0.0, 0.0, 4.0 * radius}, velocity, SN_VEC3_ZERO);
        double energy = sn_world_energy(world).total;
        run(world, H, 480);
        sn_vec3 now = sn_body_velocity(world, body);
        if (hypot(now.x - velocity.x, now.y - velocity.y) > 1e-9) {
            fail_msg("radius %g, restitution %g: %.9g and %.9g m/s along the floor, expected 0.3 "
                     "and -0.1",
                     radius, restitution, now.x, now.y);
        }
        if (restitution == 1.0) {
            assert_true(fabs(sn_world_energy(world).total / energy - 1.0) < 1e-9);
        }
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),          cmocka_unit_test(test_spin_of_bounce),
        cmocka_unit_test(test_oblique_balls), cmocka_unit_test(test_tumbling_boxes),
        cmocka_unit_test(test_corners),       cmocka_unit_test(test_marbles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
