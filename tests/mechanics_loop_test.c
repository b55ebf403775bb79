// Statics, modes and inverse dynamics of mechanisms with loops, rods, couplings and prescribed
// motions, against closed forms and kinematics solved by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "mechanics_world.h"
#include "sanitized.h"

// ---- four-bars ----

// A planar four-bar in the x-z plane, ground pivots at (0, 0) and (d, 0): crank a, coupler b,
// rocker c, point masses at the middle of each. The coupler's far end is the upper crossing of two
// circles.
typedef struct four_bar {
    double a, b, c, d;
    double mass[3];
    double spring; // N m/rad at the crank, rest at zero
} four_bar;

// Ends of the crank and of the coupler for a crank angle measured from x upwards.
static void four_bar_points(const four_bar *f, double angle, sn_vec3 *p, sn_vec3 *q)
{
    *p = sn_vec3_make(f->a * cos(angle), 0, f->a * sin(angle));
    sn_vec3 to = sn_vec3_sub(sn_vec3_make(f->d, 0, 0), *p);
    double l = sn_length(to), along = (f->b * f->b - f->c * f->c + l * l) / (2 * l);
    double up = sqrt(f->b * f->b - along * along);
    sn_vec3 u = sn_vec3_scale(1 / l, to), n = sn_vec3_make(-u.z, 0, u.x);
    *q = sn_vec3_add(*p, sn_vec3_add(sn_vec3_scale(along, u), sn_vec3_scale(up, n)));
}

static void four_bar_middles(const four_bar *f, double angle, sn_vec3 m[3])
{
    sn_vec3 p, q;
    four_bar_points(f, angle, &p, &q);
    m[0] = sn_vec3_scale(0.5, p);
    m[1] = sn_vec3_scale(0.5, sn_vec3_add(p, q));
    m[2] = sn_vec3_scale(0.5, sn_vec3_add(q, sn_vec3_make(f->d, 0, 0)));
}

static double four_bar_energy(const four_bar *f, double angle)
{
    sn_vec3 m[3];
    four_bar_middles(f, angle, m);
    double energy = 0.5 * f->spring * angle * angle;
    for (int i = 0; i < 3; ++i) {
        energy += f->mass[i] * g * m[i].z;
    }
    return energy;
}

static sn_world *make_four_bar(const four_bar *f, double angle, sn_joint *crank)
{
    static const char *const names[3] = {"crank", "coupler", "rocker"};
    sn_world *world = make_world(down);
    sn_vec3 p, q, m[3], axis = {0, -1, 0}; // turns from x to z
    four_bar_points(f, angle, &p, &q);
    four_bar_middles(f, angle, m);
    sn_body body[3];
    for (int i = 0; i < 3; ++i) {
        body[i] = add_bob(world, names[i], f->mass[i], m[i]);
    }
    sn_joint_def def =
        joint_at(world, "crank", SN_JOINT_HINGE, ground, body[0], SN_VEC3_ZERO, axis);
    // the joint is at zero where the crank lies along x
    def.parent_frame.rotation =
        sn_quat_multiply(sn_quat_from_axis_angle(axis, -angle), def.parent_frame.rotation);
    def.freedom[0].stiffness = f->spring;
    *crank = add(world, &def);
    add_joint(world, "knee", SN_JOINT_HINGE, body[0], body[1], p, axis);
    add_joint(world, "elbow", SN_JOINT_HINGE, body[1], body[2], q, axis);
    add_joint(world, "rocker", SN_JOINT_HINGE, ground, body[2], sn_vec3_make(f->d, 0, 0), axis);
    return world;
}

// d/dx and d2/dx2 of a function of one number, fourth order.
static double derivative(const double y[5], double h)
{
    return (y[0] - 8 * y[1] + 8 * y[3] - y[4]) / (12 * h);
}

static double second_derivative(const double y[5], double h)
{
    return (-y[0] + 16 * y[1] - 30 * y[2] + 16 * y[3] - y[4]) / (12 * h * h);
}

static void four_bars_settle_and_swing_as_their_kinematics_say(void **state)
{
    (void)state;
    const four_bar f = {1.0, 2.2, 1.7, 2.5, {1.0, 2.0, 1.5}, 30.0};
    const double starts[] = {0.2, 0.5, 0.9, 1.2};
    for (int trial = 0; trial < 4; ++trial) {
        sn_joint crank;
        sn_world *world = make_four_bar(&f, starts[trial], &crank);
        sn_equilibrium rest = settle(world, NULL);
        assert_true(rest.stable);
        assert_int_equal(rest.freedoms, 1);
        assert_true(rest.torque < 1e-10);
        double angle = sn_joint_position(world, crank, 0), h = 1e-3, v[5], square = 0.0;
        for (int i = 0; i < 5; ++i) {
            v[i] = four_bar_energy(&f, angle + (i - 2) * h);
        }
        assert_true(fabs(derivative(v, h)) < 1e-8);
        for (int body = 0; body < 3; ++body) { // mass that the crank's angle feels
            double x[5], z[5];
            for (int i = 0; i < 5; ++i) {
                sn_vec3 m[3];
                four_bar_middles(&f, angle + (i - 2) * h, m);
                x[i] = m[body].x;
                z[i] = m[body].z;
            }
            double dx = derivative(x, h), dz = derivative(z, h);
            square += f.mass[body] * (dx * dx + dz * dz);
        }
        sn_modes modes = find_modes(world);
        assert_int_equal(modes.count, 1);
        close_to(modes.list[0].angular_frequency, sqrt(second_derivative(v, h) / square), 1e-7);
        close_to(rest.potential, v[2], 1e-9);
        check_modes_by_energy(world);
        sn_modes_free(&modes);
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
}

// Two equal cranks carry a beam like a pendulum, also from standing on its head.
static void a_parallelogram_swings_like_a_pendulum(void **state)
{
    (void)state;
    const four_bar f = {0.7, 1.5, 0.7, 1.5, {1e-9, 3.0, 1e-9}, 0.0};
    sn_joint crank;
    sn_world *world = make_four_bar(&f, 0.5 * SN_PI, &crank);
    sn_equilibrium_def def = sn_default_equilibrium_def();
    def.accept_unstable = true;
    sn_equilibrium rest = settle(world, &def);
    assert_int_equal(rest.unstable_count, 1);
    sn_equilibrium_free(&rest);
    rest = settle(world, NULL);
    assert_true(rest.stable);
    sn_modes modes = find_modes(world);
    assert_int_equal(modes.count, 1);
    close_to(modes.list[0].angular_frequency, sqrt(g / 0.7), 1e-8);
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

// ---- rods ----

// A bar on two rods: it swings both ways like a pendulum, twists, and is free about its own line.
static void a_bifilar_pendulum_twists(void **state)
{
    (void)state;
    double m = 2.0, d = 0.4, length = 1.3, about_z = 0.15;
    sn_world *world = make_world(down);
    sn_body bar = add_body(world, "bar", m, sn_vec3_make(0.01, 0.15, about_z),
                           (sn_transform){{0.1, 0.2, -length}, SN_QUAT_IDENTITY});
    for (int side = -1; side <= 1; side += 2) {
        sn_joint_def def = sn_default_joint_def();
        def.type = SN_JOINT_DISTANCE;
        def.child = bar;
        def.parent_frame.position = sn_vec3_make(side * d, 0, 0);
        def.child_frame.position = sn_vec3_make(side * d, 0, 0);
        def.length = length;
        add(world, &def);
    }
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable);
    assert_int_equal(rest.freedoms, 4);
    assert_int_equal(rest.free_count, 1);
    sn_vec3 at = sn_body_centre(world, bar);
    assert_true(sn_distance(at, sn_vec3_make(0, 0, -length)) < 1e-9);
    sn_modes modes = find_modes(world);
    assert_int_equal(modes.count, 4);
    assert_int_equal(modes.list[0].type, SN_MODE_FREE);
    double swing = sqrt(g / length), twist = sqrt(m * g * d * d / (about_z * length));
    close_to(modes.list[1].angular_frequency, fmin(swing, twist), 1e-8);
    close_to(modes.list[2].angular_frequency, swing, 1e-8);
    close_to(modes.list[3].angular_frequency, fmax(swing, twist), 1e-8);
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

// ---- the catenary ----

enum { LINKS = 50 };

// Angles of the links of a chain of `count` equal ones between pins apart by `span`: tan of each
// rises evenly, by w / H.
static double catenary_span(double rise, double length)
{
    double sum = 0.0;
    for (int i = 0; i < LINKS; ++i) {
        double slope = rise * (i - 0.5 * (LINKS - 1));
        sum += length / sqrt(1 + slope * slope);
    }
    return sum;
}

static double catenary_rise(double span, double length)
{
    double low = 0.0, high = 10.0;
    for (int turn = 0; turn < 200; ++turn) {
        double middle = 0.5 * (low + high);
        if (catenary_span(middle, length) > span) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

// Points of a chain wandering at random from one pin to the other.
static void wander(sn_random *random, double span, double length, sn_vec3 points[LINKS + 1])
{
    sn_vec3 target = {span, 0, 0};
    points[0] = SN_VEC3_ZERO;
    for (int i = 0; i < LINKS - 2; ++i) {
        double left = (LINKS - 1 - i) * length;
        do {
            double angle = random_in(random, SN_PI);
            points[i + 1] =
                sn_vec3_add(points[i], sn_vec3_make(length * cos(angle), 0, length * sin(angle)));
        } while (sn_distance(points[i + 1], target) > 0.98 * left ||
                 (i == LINKS - 3 && sn_distance(points[i + 1], target) < 0.1 * length));
    }
    sn_vec3 to = sn_vec3_sub(target, points[LINKS - 2]);
    double l = sn_length(to), up = sqrt(length * length - 0.25 * l * l);
    sn_vec3 across = sn_vec3_make(-to.z / l, 0, to.x / l);
    points[LINKS - 1] = sn_vec3_add(points[LINKS - 2],
                                    sn_vec3_add(sn_vec3_scale(0.5, to), sn_vec3_scale(up, across)));
    points[LINKS] = target;
}

static void chains_hang_in_the_catenary_from_any_start(void **state)
{
    (void)state;
    double span = 1.0, length = 2.0 / LINKS, most = 0.0;
    double rise = catenary_rise(span, length);
    sn_random random = {.seed = 17};
    int iterations = 0, largest = 0;
    int trials = rounds_of(50, 4);
    for (int trial = 0; trial < trials; ++trial) {
        sn_vec3 points[LINKS + 1], at = SN_VEC3_ZERO;
        wander(&random, span, length, points);
        sn_world *world = make_world(down);
        sn_body links[LINKS];
        double m = 1.0 / LINKS, i0 = m * length * length / 12;
        for (int i = 0; i < LINKS; ++i) {
            sn_vec3 d = sn_vec3_sub(points[i + 1], points[i]);
            sn_transform frame = {sn_vec3_scale(0.5, sn_vec3_add(points[i], points[i + 1])),
                                  sn_quat_from_axis_angle(along_y, atan2(-d.z, d.x))};
            links[i] = add_body(world, NULL, m, sn_vec3_make(i0, i0, i0), frame);
            add_joint(world, NULL, SN_JOINT_HINGE, i > 0 ? links[i - 1] : ground, links[i],
                      points[i], along_y);
        }
        add_joint(world, NULL, SN_JOINT_HINGE, ground, links[LINKS - 1], points[LINKS], along_y);
        sn_equilibrium rest = settle(world, NULL);
        assert_true(rest.stable);
        assert_int_equal(rest.freedoms, LINKS - 2);
        iterations += rest.iterations;
        largest = rest.iterations > largest ? rest.iterations : largest;
        for (int i = 0; i < LINKS; ++i) {
            double slope = rise * (i - 0.5 * (LINKS - 1)), c = 1 / sqrt(1 + slope * slope);
            sn_vec3 step = sn_vec3_make(length * c, 0, length * c * slope);
            sn_vec3 middle = sn_vec3_add_scaled(at, 0.5, step);
            most = fmax(most, sn_distance(middle, sn_body_centre(world, links[i])));
            at = sn_vec3_add(at, step);
        }
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
    print_message("catenaries off by %.1e m, %d iterations on average, %d at most\n", most,
                  iterations / trials, largest);
    assert_true(most < 1e-9);
}

// ---- redundant loops, couplings, motions ----

// A door on three hinges about a leaning axis: one freedom, m g r sin(lean) against its inertia.
static void a_door_on_three_hinges_has_one_freedom(void **state)
{
    (void)state;
    double lean = 0.3, r = 0.5, m = 20.0;
    sn_world *world = make_world(down);
    sn_vec3 axis = {sin(lean), 0, cos(lean)}, out = {cos(lean), 0, -sin(lean)};
    sn_quat turn = sn_quat_from_axis_angle(along_y, lean); // x to out, z to axis
    sn_body door = add_body(world, "door", m, sn_vec3_make(3, 4, 1.5),
                            (sn_transform){sn_vec3_scale(r, out), turn});
    for (int i = -1; i <= 1; ++i) {
        add_joint(world, NULL, SN_JOINT_HINGE, ground, door, sn_vec3_scale(0.8 * i, axis), axis);
    }
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable);
    assert_int_equal(rest.freedoms, 1);
    sn_modes modes = find_modes(world);
    assert_int_equal(modes.count, 1);
    close_to(modes.list[0].angular_frequency, sqrt(m * g * r * sin(lean) / (1.5 + m * r * r)),
             1e-8);
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

// Two pendulums on gears of 20 and 40 teeth: the second turns half as far, the other way.
static void geared_pendulums_swing_as_one(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    sn_body a = add_bob(world, "a", 1.0, sn_vec3_make(0, 0, -1)),
            b = add_bob(world, "b", 3.0, sn_vec3_make(5, 0, -2));
    sn_joint first = add_joint(world, "first", SN_JOINT_HINGE, ground, a, SN_VEC3_ZERO, along_y),
             second = add_joint(world, "second", SN_JOINT_HINGE, ground, b, sn_vec3_make(5, 0, 0),
                                along_y);
    sn_coupling_term terms[2] = {{first, 0, 20.0}, {second, 0, 40.0}};
    sn_coupling_def def = sn_default_coupling_def();
    def.terms = terms;
    def.term_count = 2;
    sn_coupling coupling;
    assert_int_equal(sn_world_add_coupling(world, &def, &coupling, NULL), SN_OK);
    sn_modes modes = find_modes(world);
    assert_int_equal(modes.count, 1);
    double k = 1.0 * g * 1.0 + 0.25 * 3.0 * g * 2.0, inertia = 1.0 + 0.25 * 3.0 * 4.0;
    close_to(modes.list[0].angular_frequency, sqrt(k / inertia), 1e-9);
    int i = sn_joint_coordinate(world, first, 0), j = sn_joint_coordinate(world, second, 0);
    close_to(modes.shapes[j], -0.5 * modes.shapes[i], 1e-9);
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

static void prescribed_motions_hold(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    sn_body upper = add_bob(world, "upper", 1.0, sn_vec3_make(1, 0, 0)),
            lower = add_bob(world, "lower", 2.0, sn_vec3_make(3, 0, 0));
    sn_joint_def def =
        joint_at(world, "upper", SN_JOINT_HINGE, ground, upper, SN_VEC3_ZERO, along_y);
    def.freedom[0].drive.type = SN_DRIVE_MOTION;
    def.freedom[0].drive.target = 0.0;
    sn_joint held = add(world, &def);
    sn_joint joint =
        add_joint(world, "lower", SN_JOINT_HINGE, upper, lower, sn_vec3_make(1, 0, 0), along_y);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable);
    assert_int_equal(rest.freedoms, 1);
    assert_true(fabs(sn_joint_position(world, held, 0)) < 1e-12);
    close_to(sn_joint_position(world, joint, 0), 0.5 * SN_PI, 1e-9);
    sn_modes modes = find_modes(world);
    assert_int_equal(modes.count, 1);
    close_to(modes.list[0].angular_frequency, sqrt(g / 2.0), 1e-9);
    sn_modes_free(&modes);
    sn_equilibrium_free(&rest);
    double a[2] = {1.0, 0.0}, force[2];
    sn_error error = {0};
    assert_int_equal(sn_world_inverse_dynamics(world, a, NULL, force, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.place, "upper"));
    sn_world_destroy(world);
}

// A spring of a position drive, and its saturation.
static void position_drives_are_springs(void **state)
{
    (void)state;
    for (int saturated = 0; saturated < 2; ++saturated) {
        sn_world *world = make_world(down);
        sn_body arm = add_bob(world, "arm", 1.0, sn_vec3_make(1, 0, 0));
        sn_joint_def def =
            joint_at(world, "hinge", SN_JOINT_HINGE, ground, arm, SN_VEC3_ZERO, along_y);
        def.freedom[0].drive.type = SN_DRIVE_POSITION;
        def.freedom[0].drive.target = -0.4;
        def.freedom[0].drive.stiffness = 50.0;
        def.freedom[0].drive.damping = 5.0;
        def.freedom[0].drive.force_limit = saturated ? 3.0 : INFINITY;
        def.freedom[0].friction = 2.0; // counts for nothing
        sn_joint joint = add(world, &def);
        sn_equilibrium rest = settle(world, NULL);
        double angle = sn_joint_position(world, joint, 0);
        double drive = saturated ? -3.0 : 50.0 * (-0.4 - angle);
        close_to(g * cos(angle), -drive, 1e-9);
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
}

// ---- forward and inverse ----

// A run of bodies from the ground back to the ground: closed, and with freedoms to spare.
static sn_world *random_loop(sn_random *random)
{
    static const sn_joint_type types[] = {SN_JOINT_BALL, SN_JOINT_UNIVERSAL, SN_JOINT_CYLINDRICAL,
                                          SN_JOINT_HINGE, SN_JOINT_PLANAR};
    sn_world *world = make_world(random_vec3(random, 10.0));
    int count = 3 + (int)sn_random_below(random, 4);
    sn_body last = ground;
    for (int i = 0; i <= count; ++i) {
        sn_body next = ground;
        if (i < count) {
            sn_vec3 inertia = sn_vec3_make(sn_random_range(random, 0.3, 0.5),
                                           sn_random_range(random, 0.3, 0.5), 0.0);
            inertia.z = sn_random_range(random, 0.2, 0.6);
            sn_transform frame = {random_vec3(random, 1.0), sn_quat_exp(random_vec3(random, 2.0))};
            next = add_body(world, NULL, sn_random_range(random, 0.5, 3.0), inertia, frame);
        }
        sn_joint_type type = i % 2 == 0 ? SN_JOINT_BALL : types[sn_random_below(random, 5)];
        sn_vec3 at = random_vec3(random, 1.0), axis = sn_normalize(random_vec3(random, 1.0));
        sn_joint_def def = i < count ? joint_at(world, NULL, type, last, next, at, axis)
                                     : joint_at(world, NULL, type, next, last, at, axis);
        for (int k = 0; k < 6; ++k) {
            def.freedom[k].stiffness = sn_random_range(random, 0.0, 5.0);
            def.freedom[k].damping = sn_random_range(random, 0.0, 2.0);
        }
        add(world, &def);
        last = next;
    }
    return world;
}

static void modes_of_random_loops_agree_with_energy(void **state)
{
    (void)state;
    sn_random random = {.seed = 29};
    int swings = 0;
    for (int trial = 0; trial < 20; ++trial) {
        sn_world *world = random_loop(&random);
        sn_equilibrium rest = settle(world, NULL);
        assert_true(rest.stable);
        swings += rest.freedoms - rest.free_count;
        check_modes_by_energy(world);
        sn_equilibrium_free(&rest);
        sn_world_destroy(world);
    }
    assert_true(swings > 60);
}

static void forward_of_inverse_gives_the_accelerations_of_loops(void **state)
{
    (void)state;
    sn_random random = {.seed = 23};
    double worst = 0.0;
    for (int trial = 0; trial < rounds_of(1000, 60); ++trial) {
        sn_world *world = random_loop(&random);
        sn_error error = {0};
        int n = 0;
        // some way into its motion, so that velocities matter
        sn_status status = SN_OK;
        for (int i = 0; i < 5 && status == SN_OK; ++i) {
            status = sn_world_step(world, 0.01, &error);
        }
        if (status != SN_OK || sn_world_coordinate_count(world, &n, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        double push[64], wanted[64], force[64], got[64];
        bool driven[64];
        assert_true(n <= 64);
        for (int i = 0; i < n; ++i) { // the numbering goes both ways
            sn_freedom own = sn_world_freedom(world, i);
            assert_int_equal(sn_joint_coordinate(world, own.joint, own.freedom), i);
        }
        for (int i = 0; i < n; ++i) {
            push[i] = random_in(&random, 5.0);
            driven[i] = i != n / 2; // one freedom of a loop is always to spare
        }
        assert_int_equal(sn_world_accelerations(world, push, wanted, NULL), SN_OK);
        if (sn_world_inverse_dynamics(world, wanted, trial % 2 == 0 ? NULL : driven, force,
                                      &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        assert_int_equal(sn_world_accelerations(world, force, got, NULL), SN_OK);
        double shorter = 0.0, longer = 0.0;
        for (int i = 0; i < n; ++i) {
            worst = fmax(worst, fabs(got[i] - wanted[i]));
            shorter += force[i] * force[i];
            longer += push[i] * push[i];
        }
        if (trial % 2 == 0) {
            assert_true(shorter <= longer * (1 + 1e-9));
        } else {
            assert_true(force[n / 2] == 0.0);
        }
        sn_world_destroy(world);
    }
    print_message("forward(inverse) of loops off by %.1e\n", worst);
    assert_true(worst < 1e-10);
}

static void lack_of_memory_is_told_in_loops(void **state)
{
    (void)state;
    const four_bar f = {1.0, 2.2, 1.7, 2.5, {1.0, 2.0, 1.5}, 30.0};
    int failures = 0;
    for (int kind = 0; kind < 2; ++kind) {
        sn_status status = SN_ERROR_MEMORY;
        for (int after = 0; status != SN_OK; ++after) {
            sn_joint crank;
            sn_world *world = make_four_bar(&f, 0.7, &crank);
            sn_equilibrium rest = {0};
            sn_modes modes = {0};
            sn_allocation_fail_after(after);
            status = kind == 0 ? sn_world_equilibrium(world, NULL, &rest, NULL)
                               : sn_world_modes(world, &modes, NULL);
            sn_allocation_fail_after(-1);
            assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
            failures += status != SN_OK;
            sn_modes_free(&modes);
            sn_equilibrium_free(&rest);
            sn_world_destroy(world);
        }
    }
    assert_true(failures > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bars_settle_and_swing_as_their_kinematics_say),
        cmocka_unit_test(a_parallelogram_swings_like_a_pendulum),
        cmocka_unit_test(a_bifilar_pendulum_twists),
        cmocka_unit_test(chains_hang_in_the_catenary_from_any_start),
        cmocka_unit_test(a_door_on_three_hinges_has_one_freedom),
        cmocka_unit_test(geared_pendulums_swing_as_one),
        cmocka_unit_test(prescribed_motions_hold),
        cmocka_unit_test(position_drives_are_springs),
        cmocka_unit_test(modes_of_random_loops_agree_with_energy),
        cmocka_unit_test(forward_of_inverse_gives_the_accelerations_of_loops),
        cmocka_unit_test(lack_of_memory_is_told_in_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
