// Statics, modes, forward and inverse dynamics of worlds, against closed forms and each other.
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
#include "mechanics_world.h"

// ---- pendulums ----

// Points of mass a and b on rods: w^4 a L1 L2 - w^2 (a + b) g (L1 + L2) + (a + b) g^2 = 0. The
// published values are those of reference tables to seven digits.
static void hanging_double_pendulums_swing_at_published_frequencies(void **state)
{
    (void)state;
    const double table[3][6] = {{1, 1, 1, 1, 2.397199, 5.787351},
                                {600, 10000, 20, 3, 0.655207, 8.124420},
                                {300, 300, 20, 2, 0.682668, 3.213248}};
    for (int i = 0; i < 3; ++i) {
        double a = table[i][0], b = table[i][1], l1 = table[i][2], l2 = table[i][3];
        sn_world *world = make_world(down);
        sn_body hook = add_bob(world, "hook", a, sn_vec3_make(0, 0, -l1)),
                load = add_bob(world, "load", b, sn_vec3_make(0, 0, -l1 - l2));
        add_joint(world, "upper", SN_JOINT_HINGE, ground, hook, SN_VEC3_ZERO, along_y);
        add_joint(world, "lower", SN_JOINT_HINGE, hook, load, sn_vec3_make(0, 0, -l1), along_y);
        sn_modes modes = find_modes(world);
        assert_int_equal(modes.count, 2);
        double p = (a + b) * g * (l1 + l2), root = sqrt(p * p - 4 * a * l1 * l2 * (a + b) * g * g);
        double slow = sqrt(2 * (a + b) * g * g / (p + root)),
               fast = sqrt((p + root) / (2 * a * l1 * l2));
        close_to(modes.list[0].angular_frequency, slow, 1e-9);
        close_to(modes.list[1].angular_frequency, fast, 1e-9);
        close_to(modes.list[0].angular_frequency, table[i][4], 1e-6);
        close_to(modes.list[1].angular_frequency, table[i][5], 1e-6);
        close_to(modes.list[1].frequency, fast / (2 * SN_PI), 1e-9);
        assert_int_equal(modes.list[0].type, SN_MODE_SWINGS);
        // phi^T M phi = 1: the kinetic energy of the shape taken as velocities is a half.
        for (int m = 0; m < 2; ++m) {
            sn_vec3 shift, turn;
            double twice = 0.0;
            sn_modes_body(world, &modes, m, hook, &shift, &turn);
            twice += a * sn_dot(shift, shift);
            sn_modes_body(world, &modes, m, load, &shift, &turn);
            twice += b * sn_dot(shift, shift);
            close_to(twice, 1.0, 1e-9);
        }
        sn_modes_free(&modes);
        sn_world_destroy(world);
    }
}

static sn_world *pendulum(double angle, sn_body *bob, sn_joint *hinge)
{
    sn_world *world = make_world(down);
    sn_body made = add_bob(world, "bob", 2.0, sn_vec3_make(0, 0, -1));
    sn_joint joint = add_joint(world, "pivot", SN_JOINT_HINGE, ground, made, SN_VEC3_ZERO, along_y);
    sn_quat turn = sn_quat_from_axis_angle(along_y, angle);
    sn_transform frame = {sn_rotate(turn, sn_vec3_make(0, 0, -1)), turn};
    assert_int_equal(sn_body_set_transform(world, made, frame, NULL), SN_OK);
    *bob = made;
    *hinge = joint;
    return world;
}

static void inverted_pendulums_are_told_and_left(void **state)
{
    (void)state;
    sn_body bob;
    sn_joint hinge;
    sn_world *world = pendulum(SN_PI, &bob, &hinge);
    sn_equilibrium_def def = sn_default_equilibrium_def();
    def.accept_unstable = true;
    sn_equilibrium rest = settle(world, &def);
    assert_false(rest.stable);
    assert_int_equal(rest.unstable_count, 1);
    assert_int_equal(rest.free_count, 0);
    assert_true(rest.unstable_directions[0] == 1.0);
    close_to(rest.potential, 2.0 * g, 1e-12);
    assert_true(sn_body_transform(world, bob).position.z > 0.999);
    sn_modes modes = find_modes(world);
    assert_int_equal(modes.list[0].type, SN_MODE_UNSTABLE);
    close_to(modes.list[0].angular_frequency, -sqrt(g), 1e-9);
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);

    rest = settle(world, NULL);
    assert_true(rest.stable && rest.unstable_count == 0);
    assert_true(rest.torque < 1e-12);
    close_to(rest.potential, -2.0 * g, 1e-12);
    assert_true(fabs(sn_body_transform(world, bob).position.x) < 1e-12);
    assert_true(sn_joint_velocity(world, hinge, 0) == 0.0);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);

    for (int i = 0; i < 20; ++i) { // from anywhere
        world = pendulum(-3.1 + 0.31 * i, &bob, &hinge);
        assert_int_equal(sn_world_step(world, 0.01, NULL), SN_OK);
        rest = settle(world, NULL);
        assert_true(rest.stable);
        assert_true(fabs(sn_body_transform(world, bob).position.x) < 1e-12);
        assert_true(sn_joint_velocity(world, hinge, 0) == 0.0);
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
}

// A point on a ball joint: two swings of sqrt(g/L) and a free spin, from any start.
static void ball_joints_hang_straight_and_spin_freely(void **state)
{
    (void)state;
    sn_random random = {.seed = 7};
    for (int trial = 0; trial < 20; ++trial) {
        sn_world *world = make_world(down);
        sn_body bob = add_body(world, "bob", 3.0, sn_vec3_make(0.01, 0.01, 0.02),
                               (sn_transform){{0, 0, -2}, SN_QUAT_IDENTITY});
        add_joint(world, "ball", SN_JOINT_BALL, ground, bob, SN_VEC3_ZERO, sn_vec3_make(0, 0, 1));
        sn_quat turn = sn_quat_exp(random_vec3(&random, 2.0));
        sn_transform frame = {sn_rotate(turn, sn_vec3_make(0, 0, -2)), turn};
        assert_int_equal(sn_body_set_transform(world, bob, frame, NULL), SN_OK);
        sn_equilibrium rest = settle(world, NULL);
        assert_true(rest.stable);
        assert_int_equal(rest.free_count, 1);
        sn_vec3 at = sn_body_transform(world, bob).position;
        assert_true(hypot(at.x, at.y) < 1e-11 && at.z < 0.0);
        // the spin is about the vertical, which is the child's z by now
        assert_true(fabs(rest.free_directions[0]) < 1e-7 && fabs(rest.free_directions[1]) < 1e-7);
        sn_modes modes = find_modes(world);
        assert_int_equal(modes.list[0].type, SN_MODE_FREE);
        double expected = sqrt(3.0 * g * 2.0 / (0.01 + 3.0 * 4.0));
        close_to(modes.list[1].angular_frequency, expected, 1e-9);
        close_to(modes.list[2].angular_frequency, expected, 1e-9);
        sn_modes_free(&modes);
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
}

// ---- springs ----

// A body in three pairs of springs along the axes, each spring attached at the centre: k_x = 2 k
// along, and across by the tension; turns are free.
static void a_mass_between_springs_has_the_textbook_frequencies(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_VEC3_ZERO);
    sn_body body = add_body(world, "body", 2.0, sn_vec3_make(0.1, 0.2, 0.3),
                            (sn_transform){{0.3, -0.2, 0.1}, SN_QUAT_IDENTITY});
    // stretched springs of stiffness 50 and rest length 0.6 to x = +-1
    add_spring(world, body, SN_VEC3_ZERO, ground, sn_vec3_make(1, 0, 0), 50.0, 0.6);
    add_spring(world, body, SN_VEC3_ZERO, ground, sn_vec3_make(-1, 0, 0), 50.0, 0.6);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable && sn_length(sn_body_centre(world, body)) < 1e-12);
    assert_int_equal(rest.free_count, 3);
    for (int i = 0; i < 3; ++i) { // the three turns, each by itself
        int others = 0;
        for (int j = 0; j < 6; ++j) {
            others += rest.free_directions[i * 6 + j] != 0.0;
        }
        assert_int_equal(others, 1);
    }
    close_to(rest.potential, 2 * 0.5 * 50.0 * 0.16, 1e-12);
    sn_modes modes = find_modes(world);
    double across = sqrt(2 * 50.0 * 0.4 / 1.0 / 2.0), along = sqrt(2 * 50.0 / 2.0);
    close_to(modes.list[3].angular_frequency, across, 1e-10);
    close_to(modes.list[4].angular_frequency, across, 1e-10);
    close_to(modes.list[5].angular_frequency, along, 1e-10);
    assert_true(modes.asymmetry < 1e-9);
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

// A plate that hangs on three vertical springs: heave by all three, and pendulum-like and twisting
// motions by the springs' tension m g / 3 over their length; with it, from any nearby start.
static void a_plate_on_three_springs_settles_and_bobs(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    double m = 3.0, r = 0.5, k = 400.0, l = 1.0;
    for (int trial = 0; trial < 10; ++trial) {
        sn_world *world = make_world(down);
        sn_transform start = {random_vec3(&random, 0.4), sn_quat_exp(random_vec3(&random, 0.6))};
        sn_body plate = add_body(world, "plate", m, sn_vec3_make(0.2, 0.2, 0.4), start);
        for (int i = 0; i < 3; ++i) {
            double c = cos(2 * SN_PI * i / 3), s = sin(2 * SN_PI * i / 3);
            add_spring(world, plate, sn_vec3_make(r * c, r * s, 0), ground,
                       sn_vec3_make(r * c, r * s, l), k, l - m * g / (3 * k));
        }
        sn_equilibrium rest = settle(world, NULL);
        assert_true(rest.stable);
        assert_int_equal(rest.free_count, 0);
        assert_true(sn_length(sn_body_centre(world, plate)) < 1e-10);
        assert_true(rest.force < 1e-10 && rest.torque < 1e-10);
        sn_modes modes = find_modes(world);
        double heave = sqrt(3 * k / m), twist = sqrt(m * g * r * r / l / 0.4);
        int found = 0;
        for (int i = 0; i < 6; ++i) {
            double w = modes.list[i].angular_frequency;
            found += fabs(w / heave - 1) < 1e-9;
            found += fabs(w / twist - 1) < 1e-9;
        }
        assert_int_equal(found, 2);
        sn_modes_free(&modes);
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
}

static void what_floats_is_free_and_what_falls_is_named(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_VEC3_ZERO);
    sn_body body = add_body(world, "satellite", 5.0, sn_vec3_make(1, 2, 2.5),
                            (sn_transform){{1, 2, 3}, sn_quat_exp(sn_vec3_make(1, 0.5, 0.2))});
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable);
    assert_int_equal(rest.free_count, 6);
    assert_true(rest.force == 0.0 && rest.torque == 0.0);
    sn_equilibrium_free(&rest);
    sn_modes modes = find_modes(world);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(modes.list[i].type, SN_MODE_FREE);
        assert_true(modes.list[i].frequency == 0.0);
    }
    sn_modes_free(&modes);
    sn_freedom freedom = sn_world_freedom(world, 4);
    assert_true(freedom.joint.index == 0 && freedom.body.index == body.index);
    assert_true(freedom.turns && freedom.freedom == 4);
    assert_true(sn_world_freedom(world, 6).body.index == 0);

    // a hinged pair floats: six and the hinge
    sn_body second = add_bob(world, "panel", 1.0, sn_vec3_make(2, 2, 3));
    sn_joint hinge = add_joint(world, "hinge", SN_JOINT_HINGE, body, second,
                               sn_vec3_make(1.5, 2, 3), sn_vec3_make(0, 0, 1));
    rest = settle(world, NULL);
    assert_int_equal(rest.coordinates, 7);
    assert_int_equal(rest.free_count, 7);
    int coordinate = sn_joint_coordinate(world, hinge, 0);
    freedom = sn_world_freedom(world, coordinate);
    assert_true(freedom.joint.index == hinge.index && freedom.freedom == 0 && freedom.turns);
    for (int i = 0; i < 7; ++i) {
        assert_true((sn_world_freedom(world, i).joint.index != 0) == (i == coordinate));
    }
    sn_equilibrium_free(&rest);

    sn_vec3 before = sn_body_centre(world, second);
    sn_world_set_gravity(world, down);
    sn_error error = {0};
    assert_int_equal(sn_world_equilibrium(world, NULL, &rest, &error), SN_ERROR_DIVERGED);
    assert_non_null(strstr(error.place, "satellite"));
    assert_non_null(strstr(error.text, "falls"));
    sn_vec3 after = sn_body_centre(world, second);
    assert_memory_equal(&before, &after, sizeof before);
    sn_world_destroy(world);
}

// ---- limits ----

static void arms_rest_on_their_limits(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    sn_body arm = add_bob(world, "arm", 1.0, sn_vec3_make(1, 0, 0)),
            hand = add_bob(world, "hand", 0.5, sn_vec3_make(2, 0, 0));
    sn_joint_def def =
        joint_at(world, "shoulder", SN_JOINT_HINGE, ground, arm, SN_VEC3_ZERO, along_y);
    def.freedom[0].limit.lower = -0.5;
    def.freedom[0].limit.upper = 0.3; // turns downwards about +y
    add(world, &def);
    def = joint_at(world, "elbow", SN_JOINT_HINGE, arm, hand, sn_vec3_make(1, 0, 0), along_y);
    def.freedom[0].limit.lower = -2.5;
    def.freedom[0].limit.upper = 2.5;
    add(world, &def);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable);
    assert_int_equal(rest.resting_count, 1);
    assert_int_equal(rest.resting[0], 0);
    assert_int_equal(rest.freedoms, 1);
    close_to(sn_joint_position(world, sn_world_find_joint(world, "shoulder"), 0), 0.3, 1e-12);
    close_to(sn_joint_position(world, sn_world_find_joint(world, "elbow"), 0), SN_PI / 2 - 0.3,
             1e-10);
    sn_modes modes = find_modes(world);
    assert_int_equal(modes.count, 1); // the shoulder is pressed against its limit
    close_to(modes.list[0].angular_frequency, sqrt(g), 1e-9);
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);

    sn_world_set_gravity(world, sn_vec3_make(g, 0, 0)); // straight out: it lets go
    rest = settle(world, NULL);
    assert_int_equal(rest.resting_count, 0);
    assert_true(fabs(sn_joint_position(world, sn_world_find_joint(world, "elbow"), 0)) < 1e-10);
    sn_equilibrium_free(&rest);
    sn_world_set_gravity(world, sn_vec3_make(0, 0, g)); // and up: the other end
    rest = settle(world, NULL);
    assert_int_equal(rest.resting_count, 1);
    close_to(sn_joint_position(world, sn_world_find_joint(world, "shoulder"), 0), -0.5, 1e-12);
    close_to(sn_joint_position(world, sn_world_find_joint(world, "elbow"), 0), 0.5 - SN_PI / 2,
             1e-10);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

// A ball that may turn by 0.5 rad, gravity across: it leans on its limit, free to go round it only
// as gravity says.
static void a_ball_leans_on_its_limit(void **state)
{
    (void)state;
    sn_world *world = make_world(sn_vec3_make(g, 0, 0));
    sn_body bob = add_body(world, "bob", 1.0, sn_vec3_make(0.01, 0.01, 0.01),
                           (sn_transform){{0, 0, -1}, SN_QUAT_IDENTITY});
    sn_joint_def def =
        joint_at(world, "ball", SN_JOINT_BALL, ground, bob, SN_VEC3_ZERO, sn_vec3_make(0, 0, 1));
    def.freedom[0].limit.upper = 0.5;
    add(world, &def);
    sn_quat turn = sn_quat_exp(sn_vec3_make(0.3, 0.1, -0.2));
    sn_transform frame = {sn_rotate(turn, sn_vec3_make(0, 0, -1)), turn};
    assert_int_equal(sn_body_set_transform(world, bob, frame, NULL), SN_OK);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable);
    assert_int_equal(rest.resting_count, 1);
    assert_int_equal(rest.freedoms, 2);
    sn_vec3 at = sn_body_centre(world, bob);
    close_to(at.x, sin(0.5), 1e-10);
    assert_true(fabs(at.y) < 1e-9);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

// ---- joint springs, callbacks ----

// theta (k) = m g L cos(theta) for a horizontal arm on a spiral spring.
static void a_sprung_arm_sags(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    sn_body arm = add_bob(world, "arm", 1.0, sn_vec3_make(1, 0, 0));
    sn_joint_def def = joint_at(world, "hinge", SN_JOINT_HINGE, ground, arm, SN_VEC3_ZERO, along_y);
    def.freedom[0].stiffness = 20.0;
    sn_joint joint = add(world, &def);
    sn_equilibrium rest = settle(world, NULL);
    double angle = sn_joint_position(world, joint, 0);
    close_to(20.0 * angle, g * cos(angle), 1e-11);
    sn_modes modes = find_modes(world);
    close_to(modes.list[0].angular_frequency, sqrt(20.0 + g * sin(angle)), 1e-9);
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

typedef struct swirl {
    sn_body body;
    double strength;
} swirl;

// A pull to the centre and a force across it: balanced only at the centre, and with no potential.
static void swirl_push(void *user, sn_world *world, double time)
{
    (void)time;
    const swirl *own = user;
    sn_vec3 at = sn_body_centre(world, own->body);
    sn_vec3 force = sn_vec3_scale(-10.0, at);
    force.x -= own->strength * at.y;
    force.y += own->strength * at.x;
    sn_body_add_force(world, own->body, force, at);
}

static void forces_without_potential_are_balanced(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_VEC3_ZERO);
    swirl own = {.strength = 4.0};
    own.body = add_bob(world, "bob", 1.0, sn_vec3_make(0.7, -0.4, 0.2));
    sn_callback_def def = sn_default_callback_def();
    def.apply = swirl_push;
    def.user = &own;
    sn_field field;
    assert_int_equal(sn_world_add_callback(world, &def, &field, NULL), SN_OK);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(sn_length(sn_body_centre(world, own.body)) < 1e-8);
    sn_equilibrium_free(&rest);
    sn_modes modes = find_modes(world);
    close_to(modes.asymmetry, 0.4, 1e-6);
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

// ---- forward and inverse ----

// Bodies on random joints, on each other, the ground, or floating; springs and dampers between.
static sn_world *random_tree(sn_random *random)
{
    static const sn_joint_type types[] = {SN_JOINT_HINGE,       SN_JOINT_SLIDER,    SN_JOINT_SCREW,
                                          SN_JOINT_CYLINDRICAL, SN_JOINT_UNIVERSAL, SN_JOINT_BALL,
                                          SN_JOINT_PLANAR,      SN_JOINT_FREE};
    sn_world *world = make_world(random_vec3(random, 10.0));
    int count = 1 + (int)sn_random_below(random, 8);
    sn_body bodies[8];
    for (int i = 0; i < count; ++i) {
        sn_vec3 inertia =
            sn_vec3_make(sn_random_range(random, 0.3, 0.5), sn_random_range(random, 0.3, 0.5), 0.0);
        inertia.z = sn_random_range(random, 0.2, 0.6);
        sn_transform frame = {random_vec3(random, 1.0), sn_quat_exp(random_vec3(random, 2.0))};
        double mass = sn_random_range(random, 0.5, 3.0);
        bodies[i] = add_body(world, NULL, mass, inertia, frame);
        int parent = (int)sn_random_below(random, (uint64_t)(i + 2)) - 2; // -2: none
        if (parent == -2 && i % 3 == 1) {
            continue;
        }
        sn_joint_type type = types[sn_random_below(random, 8)];
        sn_vec3 at = random_vec3(random, 1.0), axis = sn_normalize(random_vec3(random, 1.0));
        sn_joint_def def =
            joint_at(world, NULL, type, parent < 0 ? ground : bodies[parent], bodies[i], at, axis);
        for (int k = 0; k < 6; ++k) {
            def.freedom[k].stiffness = sn_random_range(random, 0.0, 5.0);
            def.freedom[k].damping = sn_random_range(random, 0.0, 2.0);
        }
        def.pitch = 0.1;
        add(world, &def);
        sn_vec3 v = random_vec3(random, 1.0), w = random_vec3(random, 1.0);
        assert_int_equal(sn_body_set_velocity(world, bodies[i], v, w, NULL), SN_OK);
    }
    add_spring(world, bodies[0], sn_vec3_make(0.1, 0, 0), count > 1 ? bodies[count - 1] : ground,
               sn_vec3_make(0, 0.3, 0), 30.0, 0.2);
    return world;
}

static void forward_of_inverse_gives_the_accelerations(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    double worst = 0.0;
    for (int trial = 0; trial < 1000; ++trial) {
        sn_world *world = random_tree(&random);
        int n = 0;
        sn_error error = {0};
        if (sn_world_coordinate_count(world, &n, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        double wanted[64], force[64], got[64];
        assert_true(n <= 64);
        for (int i = 0; i < n; ++i) {
            wanted[i] = random_in(&random, 5.0);
        }
        if (sn_world_inverse_dynamics(world, wanted, NULL, force, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        assert_int_equal(sn_world_accelerations(world, force, got, NULL), SN_OK);
        for (int i = 0; i < n; ++i) {
            worst = fmax(worst, fabs(got[i] - wanted[i]));
        }
        sn_world_destroy(world);
    }
    print_message("forward(inverse) off by %.1e\n", worst);
    assert_true(worst < 1e-10);
}

// The torque that holds an arm out is its weight's; what no driven freedom can do is refused.
static void inverse_dynamics_knows_what_is_driven(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    sn_body arm = add_bob(world, "arm", 1.0, sn_vec3_make(1, 0, 0)),
            hand = add_bob(world, "hand", 0.5, sn_vec3_make(2, 0, 0));
    add_joint(world, "shoulder", SN_JOINT_HINGE, ground, arm, SN_VEC3_ZERO, along_y);
    add_joint(world, "elbow", SN_JOINT_HINGE, arm, hand, sn_vec3_make(1, 0, 0), along_y);
    double still[2] = {0, 0}, force[2], got[2];
    assert_int_equal(sn_world_inverse_dynamics(world, still, NULL, force, NULL), SN_OK);
    close_to(force[0], -g * (1.0 + 0.5 * 2.0), 1e-12);
    close_to(force[1], -g * 0.5, 1e-12);
    bool only[2] = {true, false};
    sn_error error = {0};
    assert_int_equal(sn_world_inverse_dynamics(world, still, only, force, &error),
                     SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.place, "elbow"));
    // an acceleration that the shoulder alone can give
    double torque[2] = {3.0, 0.0};
    assert_int_equal(sn_world_accelerations(world, torque, got, NULL), SN_OK);
    assert_int_equal(sn_world_inverse_dynamics(world, got, only, force, NULL), SN_OK);
    close_to(force[0], 3.0, 1e-10);
    assert_true(force[1] == 0.0);
    // a limit at which it stands: it can be left, not passed
    sn_freedom_def stop = sn_joint_freedom(world, sn_world_find_joint(world, "shoulder"), 0);
    stop.limit.upper = 0.0;
    assert_int_equal(
        sn_joint_set_freedom(world, sn_world_find_joint(world, "shoulder"), 0, &stop, NULL), SN_OK);
    double leave[2] = {-2.0, 0.5}, pass[2] = {2.0, 0.0};
    assert_int_equal(sn_world_inverse_dynamics(world, leave, NULL, force, NULL), SN_OK);
    assert_int_equal(sn_world_accelerations(world, force, got, NULL), SN_OK);
    close_to(got[0], -2.0, 1e-11);
    close_to(got[1], 0.5, 1e-11);
    assert_int_equal(sn_world_inverse_dynamics(world, pass, NULL, force, &error),
                     SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.place, "shoulder"));
    double bad[2] = {NAN, 0};
    assert_int_equal(sn_world_inverse_dynamics(world, bad, NULL, force, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_world_accelerations(world, bad, got, &error), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

static void modes_of_random_trees_agree_with_energy(void **state)
{
    (void)state;
    sn_random random = {.seed = 31};
    int settled = 0;
    for (int trial = 0; trial < 40; ++trial) {
        sn_world *world = random_tree(&random);
        sn_equilibrium rest;
        if (sn_world_equilibrium(world, NULL, &rest, NULL) == SN_OK) { // some float and fall
            settled += 1;
            assert_true(rest.stable);
            check_modes_by_energy(world);
            sn_equilibrium_free(&rest);
        }
        sn_world_destroy(world);
    }
    assert_true(settled > 10);
}

// ---- failure ----

static void lack_of_memory_is_told_and_leaves_the_world(void **state)
{
    (void)state;
    sn_body bob;
    sn_joint hinge;
    sn_world *world = pendulum(1.0, &bob, &hinge);
    int n = 0;
    assert_int_equal(sn_world_coordinate_count(world, &n, NULL), SN_OK);
    sn_vec3 before = sn_body_centre(world, bob);
    int failures = 0;
    for (int kind = 0; kind < 4; ++kind) {
        sn_status status = SN_ERROR_MEMORY;
        for (int after = 0; status != SN_OK; ++after) {
            sn_equilibrium rest = {0};
            sn_modes modes = {0};
            sn_error error = {0};
            double a[1] = {0.5}, force[1];
            sn_allocation_fail_after(after);
            if (kind == 0) {
                status = sn_world_modes(world, &modes, &error);
            } else if (kind == 1) {
                status = sn_world_inverse_dynamics(world, a, NULL, force, &error);
            } else if (kind == 2) {
                status = sn_world_accelerations(world, NULL, a, &error);
            } else {
                status = sn_world_equilibrium(world, NULL, &rest, &error);
            }
            sn_allocation_fail_after(-1);
            if (status != SN_OK) {
                failures += 1;
                assert_int_equal(status, SN_ERROR_MEMORY);
                assert_null(modes.list);
                sn_vec3 now = sn_body_centre(world, bob);
                assert_memory_equal(&before, &now, sizeof now);
            }
            sn_modes_free(&modes);
            sn_equilibrium_free(&rest);
        }
    }
    assert_true(failures > 40);
    sn_equilibrium_def def = sn_default_equilibrium_def();
    def.tolerance = 0.0;
    sn_equilibrium rest;
    assert_int_equal(sn_world_equilibrium(world, &def, &rest, NULL), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_double_pendulums_swing_at_published_frequencies),
        cmocka_unit_test(inverted_pendulums_are_told_and_left),
        cmocka_unit_test(ball_joints_hang_straight_and_spin_freely),
        cmocka_unit_test(a_mass_between_springs_has_the_textbook_frequencies),
        cmocka_unit_test(a_plate_on_three_springs_settles_and_bobs),
        cmocka_unit_test(what_floats_is_free_and_what_falls_is_named),
        cmocka_unit_test(arms_rest_on_their_limits),
        cmocka_unit_test(a_ball_leans_on_its_limit),
        cmocka_unit_test(a_sprung_arm_sags),
        cmocka_unit_test(forces_without_potential_are_balanced),
        cmocka_unit_test(forward_of_inverse_gives_the_accelerations),
        cmocka_unit_test(inverse_dynamics_knows_what_is_driven),
        cmocka_unit_test(modes_of_random_trees_agree_with_energy),
        cmocka_unit_test(lack_of_memory_is_told_and_leaves_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
