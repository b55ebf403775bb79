// Equilibrium and small vibrations of worlds in which rigid and elastic bodies move together.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "elastic_bar.h"
#include "mechanics_world.h"
#include "sinew/sinew.h"
#include "statics/elastic_rest.h"
#include "statics/rest.h"

// Poisson's ratio is 0 in these, so that what is clamped does not stiffen them.
static bar cantilever(void)
{
    return (bar){.size = {0.4, 0.04, 0.04},
                 .cells = {8, 1, 1},
                 .young = 2e8,
                 .density = 50.0,
                 .clamped = 0,
                 .fine = true,
                 .frame = SN_TRANSFORM_IDENTITY};
}

// All vertices of a bar's end (side -1 or 1 along an axis) are attached to another body.
static sn_bond attach_end(sn_world *world, sn_body body, const bar *b, int axis, int side,
                          sn_body other)
{
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, body);
    int vertices[BAR_VERTICES], count = 0;
    for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
        sn_vec3 p = sn_tetrahedra_positions(mesh)[i];
        if (fabs((&p.x)[axis] - 0.5 * side * (&b->size.x)[axis]) < 1e-9) {
            vertices[count++] = i;
        }
    }
    sn_bond_def def = sn_default_bond_def();
    def.type = SN_BOND_ATTACHED;
    def.body = body;
    def.other = other;
    def.vertices = vertices;
    def.vertex_count = count;
    sn_bond bond;
    sn_error error = {0};
    if (sn_world_add_bond(world, &def, &bond, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return bond;
}

static sn_bond pin(sn_world *world, sn_body body, sn_vec3 point, sn_body other)
{
    sn_bond_def def = sn_default_bond_def();
    sn_bond bond;
    def.type = SN_BOND_POINT;
    def.body = body;
    def.point = point;
    def.other = other;
    assert_int_equal(sn_world_add_bond(world, &def, &bond, NULL), SN_OK);
    return bond;
}

// ---- closed forms ----

// A weight at the end of a light cantilever (Timoshenko's beam, shear factor 5/6): the compliance
// of its end by a force and a moment, and with the weight's own two freedoms its frequencies.
static void weights_bend_a_cantilever(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    bar b = cantilever();
    double mass = 2.0, turning = 4e-3, arm = 0.03, length = b.size.x, a = b.size.y * b.size.z,
           ei = b.young * a * b.size.z * b.size.z / 12.0, ga = 5.0 / 6.0 * 0.5 * b.young * a;
    sn_body beam = add_bar(world, "beam", &b);
    sn_transform place = {{0.5 * length + arm, 0, 0}, SN_QUAT_IDENTITY};
    sn_body weight =
        add_body(world, "weight", mass, sn_vec3_make(turning, turning, turning), place);
    attach_end(world, beam, &b, 0, 1, weight);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable && rest.free_count == 0 && rest.force < 1e-6);
    double p = mass * g, c11 = length * length * length / (3.0 * ei) + length / ga,
           c12 = length * length / (2.0 * ei), c22 = length / ei;
    sn_vec3 end = sn_body_point(world, beam, sn_vec3_make(0.5 * length, 0, 0));
    double own = b.density * a * g * length * length * length * length / (8.0 * ei);
    close_to(-end.z, p * c11 + p * arm * c12 + own, 5e-3);
    close_to(-(sn_body_transform(world, weight).position.z - end.z) / arm, p * c12 + p * arm * c22,
             5e-3);
    sn_equilibrium_free(&rest);
    // C M, with the centre at `arm` beyond the end: 1/omega^2 are its eigenvalues
    double m12 = mass * arm, m22 = turning + mass * arm * arm,
           m11 = mass + 33.0 / 140.0 * b.density * a * length;
    double trace = c11 * m11 + 2.0 * c12 * m12 + c22 * m22,
           determinant = (c11 * c22 - c12 * c12) * (m11 * m22 - m12 * m12);
    double slow = 0.5 * (trace + sqrt(trace * trace - 4.0 * determinant));
    sn_modes modes = find_modes(world);
    close_to(modes.list[0].angular_frequency, 1.0 / sqrt(slow), 5e-3);
    close_to(modes.list[1].angular_frequency, 1.0 / sqrt(slow), 5e-3); // the other way
    assert_true(modes.force < 1e-6 && modes.torque < 1e-6 && modes.asymmetry < 1e-6);
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

// A stiff rod on a point of the world with a rigid bob: a physical pendulum, whose frequency is in
// the geometric stiffness of material and bonds alone.
static void stiff_rods_swing_as_pendulums(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    double length = 0.6, width = 0.04, mass = 0.5, turning = 2e-4, lean = 0.9;
    bar b = {.size = {width, width, length},
             .cells = {1, 1, 4},
             .young = 1e9,
             .density = 300.0,
             .clamped = -1,
             .fine = true,
             .frame = {{0, 0, 0}, sn_quat_from_axis_angle(along_y, lean)}};
    sn_body rod = add_bar(world, "rod", &b);
    sn_vec3 low = sn_rotate(b.frame.rotation, sn_vec3_make(0, 0, -0.5 * length - 0.05));
    sn_body bob = add_body(world, "bob", mass, sn_vec3_make(turning, turning, turning),
                           (sn_transform){low, b.frame.rotation});
    attach_end(world, rod, &b, 2, -1, bob);
    pin(world, rod, sn_vec3_make(0, 0, 0.5 * length), ground);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable && rest.free_count == 1); // about the vertical
    sn_vec3 top = sn_body_point(world, rod, sn_vec3_make(0, 0, 0.5 * length));
    sn_vec3 centre = sn_body_centre(world, bob);
    assert_true(fabs(top.x - centre.x) < 1e-7 && fabs(top.y - centre.y) < 1e-7);
    close_to(top.z - centre.z, length + 0.05, 1e-4);
    sn_equilibrium_free(&rest);
    double own = b.density * width * width * length, d = length + 0.05;
    double moment = own * 0.5 * length + mass * d,
           inertia = own * (length * length / 3.0 + width * width / 12.0) + turning + mass * d * d;
    sn_modes modes = find_modes(world);
    assert_int_equal(modes.list[0].type, SN_MODE_FREE);
    for (int i = 1; i < 3; ++i) {
        close_to(modes.list[i].angular_frequency, sqrt(moment * g / inertia), 2e-4);
    }
    assert_true(modes.list[3].angular_frequency > 20.0 * modes.list[2].angular_frequency);
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

// A plate on a soft block that stands: pressed by its weight, and up and down on E A/h.
static void plates_stand_on_soft_blocks(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    bar b = {.size = {0.1, 0.1, 0.1},
             .cells = {2, 2, 2},
             .young = 1e5,
             .density = 20.0,
             .clamped = 2,
             .frame = SN_TRANSFORM_IDENTITY};
    double mass = 1.0, area = b.size.x * b.size.y, h = b.size.z, stiff = b.young * area / h;
    sn_body block = add_bar(world, "block", &b);
    sn_body plate = add_body(world, "plate", mass, sn_vec3_make(1e-3, 1e-3, 2e-3),
                             (sn_transform){{0, 0, 0.06}, SN_QUAT_IDENTITY});
    attach_end(world, block, &b, 2, 1, plate);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable);
    double sunk = 0.06 - sn_body_transform(world, plate).position.z;
    close_to(sunk, (mass + 0.5 * b.density * area * h) * g / stiff, 1e-6);
    sn_equilibrium_free(&rest);
    sn_modes modes = find_modes(world);
    double w = sqrt(stiff / (mass + b.density * area * h / 3.0)), upright = 0.0;
    for (int i = 0; i < modes.count && upright == 0.0; ++i) {
        sn_vec3 shift, turn;
        sn_modes_body(world, &modes, i, plate, &shift, &turn);
        upright = fabs(shift.z) * sqrt(mass) > 0.9 ? modes.list[i].angular_frequency : 0.0;
    }
    close_to(upright, w, 2e-3);
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

// Two bars that are bonded end to end are one bar.
static void bonded_bars_are_one(void **state)
{
    (void)state;
    double ends[2], first[2];
    for (int k = 0; k < 2; ++k) {
        sn_world *world = make_world(down);
        bar b = cantilever();
        b.density = 800.0;
        b.young = 1e7;
        b.fine = false; // else midside nodes would be held to corners
        b.cells[0] = k == 0 ? 4 : 2;
        b.size.x = k == 0 ? 0.4 : 0.2;
        b.frame.position.x = 0.5 * b.size.x;
        sn_body last = add_bar(world, "one", &b);
        if (k == 1) {
            bar c = b;
            c.clamped = -1;
            c.frame.position.x = 0.3;
            sn_body held = last;
            last = add_bar(world, "two", &c);
            attach_end(world, last, &c, 0, -1, held);
        }
        sn_equilibrium rest = settle(world, NULL);
        assert_true(rest.stable);
        ends[k] = sn_body_point(world, last, sn_vec3_make(0.5 * b.size.x, 0, 0)).z;
        sn_equilibrium_free(&rest);
        sn_modes modes = find_modes(world);
        first[k] = modes.list[0].frequency;
        sn_modes_free(&modes);
        sn_world_destroy(world);
    }
    assert_true(ends[0] < -0.001);
    close_to(ends[1], ends[0], 1e-7);
    close_to(first[1], first[0], 1e-7);
}

static void what_floats_has_six_free_modes(void **state)
{
    (void)state;
    sn_world *world = make_world(sn_vec3_make(0, 0, 0));
    bar b = cantilever();
    b.clamped = -1;
    b.density = 500.0;
    sn_body beam = add_bar(world, "beam", &b);
    sn_body weight = add_body(world, "weight", 0.3, sn_vec3_make(1e-3, 2e-3, 1.5e-3),
                              (sn_transform){{0.25, 0, 0.01}, SN_QUAT_IDENTITY});
    attach_end(world, beam, &b, 0, 1, weight);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable && rest.free_count == 6);
    sn_equilibrium_free(&rest);
    sn_modes modes = find_modes(world);
    for (int i = 0; i < 12; ++i) {
        assert_int_equal(modes.list[i].type, i < 6 ? SN_MODE_FREE : SN_MODE_SWINGS);
    }
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

// ---- against runs ----

// Put into a mode and let go, it swings with its frequency.
static void modes_swing_as_they_say(void **state)
{
    (void)state;
    sn_world *world = make_world(down);
    bar b = {.size = {0.2, 0.03, 0.02},
             .cells = {4, 1, 1},
             .young = 1e6,
             .density = 300.0,
             .clamped = 0,
             .frame = SN_TRANSFORM_IDENTITY};
    sn_body beam = add_bar(world, "beam", &b);
    sn_body weight = add_body(world, "weight", 0.05, sn_vec3_make(1e-5, 2e-5, 3e-5),
                              (sn_transform){{0.11, 0, 0}, SN_QUAT_IDENTITY});
    attach_end(world, beam, &b, 0, 1, weight);
    sn_equilibrium rest = settle(world, NULL);
    sn_modes modes = find_modes(world);
    double period = 1.0 / modes.list[0].frequency;
    assert_int_equal(sn_modes_swing(world, &modes, 0, 0.0, 0.25 * period, NULL), SN_OK);
    sn_vec3 still = sn_body_centre(world, weight);
    assert_int_equal(sn_modes_swing(world, &modes, 0, 2e-4, 0.25 * period, NULL), SN_OK);
    sn_vec3 out = sn_vec3_sub(sn_body_centre(world, weight), still);
    assert_true(sn_length(out) > 1e-4);
    for (int i = 0; i < 120; ++i) {
        assert_int_equal(sn_world_step(world, period / 120.0, NULL), SN_OK);
    }
    sn_vec3 back = sn_vec3_sub(sn_body_centre(world, weight), still);
    assert_true(sn_distance(out, back) < 1e-2 * sn_length(out));
    sn_equilibrium_free(&rest);
    sn_modes_free(&modes);
    sn_world_destroy(world);
}

// An arm on a hinge that a joint damps, with a soft tongue on it.
static sn_world *make_tongue(double upper, sn_body *arm, sn_body *tongue)
{
    sn_world *world = make_world(down);
    sn_transform place = {{0.1, 0, 0}, SN_QUAT_IDENTITY};
    *arm = add_body(world, "arm", 0.05, sn_vec3_make(1e-5, 4e-5, 4e-5), place);
    sn_joint_def def =
        joint_at(world, "hinge", SN_JOINT_HINGE, ground, *arm, sn_vec3_make(0, 0, 0), along_y);
    def.freedom[0].damping = 0.03;
    def.freedom[0].limit.upper = upper;
    add(world, &def);
    bar b = {.size = {0.2, 0.03, 0.02},
             .cells = {4, 1, 1},
             .young = 1e5,
             .density = 300.0,
             .clamped = -1,
             .damping = 0.03,
             .frame = {{0.25, 0, 0.01}, SN_QUAT_IDENTITY}};
    *tongue = add_bar(world, "tongue", &b);
    attach_end(world, *tongue, &b, 0, -1, *arm);
    return world;
}

static void damped_runs_end_at_equilibrium(void **state)
{
    (void)state;
    sn_body arm, tongue;
    sn_world *world = make_tongue(INFINITY, &arm, &tongue);
    sn_world *copy = make_tongue(INFINITY, &arm, &tongue);
    sn_vec3 tip = sn_vec3_make(0.1, 0, 0);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable && rest.free_count == 0);
    sn_equilibrium_free(&rest);
    for (int i = 0; i < 500; ++i) {
        assert_int_equal(sn_world_step(copy, 0.01, NULL), SN_OK);
    }
    sn_vec3 a = sn_body_point(world, tongue, tip), b = sn_body_point(copy, tongue, tip);
    assert_true(a.z < -0.2);
    assert_true(sn_distance(a, b) < 1e-5);
    assert_true(sn_distance(sn_body_centre(world, arm), sn_body_centre(copy, arm)) < 1e-5);
    for (int i = 0; i < 20; ++i) { // and nothing moves from there
        assert_int_equal(sn_world_step(world, 0.01, NULL), SN_OK);
    }
    assert_true(sn_distance(sn_body_point(world, tongue, tip), a) < 1e-6);
    sn_world_destroy(world);
    sn_world_destroy(copy);
}

static void limits_hold_what_rests_on_them(void **state)
{
    (void)state;
    sn_body arm, tongue;
    sn_world *world = make_tongue(0.4, &arm, &tongue);
    sn_equilibrium rest = settle(world, NULL);
    assert_true(rest.stable && rest.resting_count == 1 && rest.resting[0] == 0);
    close_to(-sn_body_centre(world, arm).z, 0.1 * sin(0.4), 1e-9);
    assert_true(rest.freedoms == rest.coordinates - 1 - (rest.coordinates - 1) / 4 - 12);
    sn_equilibrium_free(&rest);
    sn_modes held = find_modes(world);
    sn_world *free_world = make_tongue(INFINITY, &arm, &tongue);
    rest = settle(free_world, NULL);
    sn_modes modes = find_modes(free_world);
    assert_true(held.list[0].frequency > 1.2 * modes.list[0].frequency);
    sn_equilibrium_free(&rest);
    sn_modes_free(&held);
    sn_modes_free(&modes);
    sn_world_destroy(world);
    sn_world_destroy(free_world);
}

// ---- the stiffness ----

// F(z) = f + B^T lambda with lambda held, along d: its component and change along d.
static double pushed_along(sn_rest *rest, const double *pose, const double *d, double by)
{
    static double moved[8 * BAR_VERTICES];
    sn_rest_move(rest, pose, d, by, moved);
    sn_rest_write(rest, moved);
    assert_int_equal(sn_rest_look(rest, NULL), SN_OK);
    sn_rest_add_rows(rest, rest->lambda, rest->force);
    double sum = 0.0;
    for (size_t i = 0; i < rest->size; ++i) {
        sum += rest->force[i] * d[i];
    }
    return sum;
}

static void add_curved(sn_world *world, sn_body body)
{
    static const int vertices[] = {3};
    static const int elements[] = {4, 9};
    for (int type = SN_BOND_QUADRIC; type <= SN_BOND_VOLUME; ++type) {
        sn_bond_def def = sn_default_bond_def();
        sn_bond bond;
        def.type = (sn_bond_type)type;
        def.body = body;
        def.vertices = vertices;
        def.vertex_count = 1;
        def.quadric = (sn_mat3){{{1.0, 0.2, 0.0}, {0.2, 2.0, 0.1}, {0.0, 0.1, 0.5}}};
        def.linear = sn_vec3_make(0.3, 0.1, 1.0);
        def.element = elements[type == SN_BOND_VOLUME];
        if (type == SN_BOND_QUADRIC || type == SN_BOND_RIGID || type == SN_BOND_VOLUME) {
            assert_int_equal(sn_world_add_bond(world, &def, &bond, NULL), SN_OK);
        }
    }
}

// With bonds of every kind that curves or turns, springs between all kinds of bodies and a pull, at
// a place that is not at rest: second derivatives along random directions against differences.
static void stiffness_is_the_change_of_forces(void **state)
{
    (void)state;
    sn_body arm, tongue;
    sn_world *world = make_tongue(INFINITY, &arm, &tongue);
    sn_transform place = {{0.45, 0.02, 0.05},
                          sn_quat_from_axis_angle(sn_vec3_make(0.6, 0.0, 0.8), 0.7)};
    sn_body ball = add_body(world, "ball", 0.2, sn_vec3_make(1e-4, 2e-4, 2.5e-4), place);
    pin(world, tongue, sn_vec3_make(0.1, 0.01, 0.0), ball);
    add_curved(world, tongue);
    add_spring(world, tongue, sn_vec3_make(0.05, 0, 0), ground, sn_vec3_make(0.3, 0.1, 0.4), 20.0,
               0.2);
    add_spring(world, tongue, sn_vec3_make(0.02, 0, 0), ball, sn_vec3_make(0.01, 0.05, 0), 30.0,
               0.3);
    add_spring(world, ball, sn_vec3_make(0.01, 0.0, 0.03), arm, sn_vec3_make(0, 0.02, 0), 15.0,
               0.1);
    sn_pull_def pull = {.body = tongue, .point = {0.08, 0, 0}, .target = {0, 1, 0}};
    pull.stiffness = 12.0;
    sn_field field;
    assert_int_equal(sn_world_add_pull(world, &pull, &field, NULL), SN_OK);
    sn_rest rest;
    assert_int_equal(sn_rest_open(world, &rest, NULL), SN_OK);
    static double pose[8 * BAR_VERTICES], d[8 * BAR_VERTICES], y[8 * BAR_VERTICES];
    assert_true(sn_rest_pose_size(&rest) < 8 * BAR_VERTICES);
    sn_random random = {.seed = 5};
    sn_rest_read(&rest, pose);
    for (size_t i = 0; i < rest.size; ++i) {
        d[i] =
            (i < (size_t)rest.n || (i - (size_t)rest.n) % 4 < 3) ? random_in(&random, 0.003) : 0.0;
    }
    sn_rest_move(&rest, pose, d, 1.0, pose);
    sn_rest_write(&rest, pose);
    for (int i = 0; i < rest.rows; ++i) {
        rest.lambda[i] = random_in(&random, 3.0);
    }
    assert_int_equal(sn_rest_look(&rest, NULL), SN_OK);
    assert_int_equal(sn_rest_linearise(&rest, SN_STIFFNESS_EXACT, 4, NULL), SN_OK);
    for (int k = 0; k < 6; ++k) {
        for (size_t i = 0; i < rest.size; ++i) {
            bool rigid = i < (size_t)rest.n, soft = !rigid && (i - (size_t)rest.n) % 4 < 3;
            d[i] =
                (rigid && k != 1) || (soft && k > 1) ? random_in(&random, rigid ? 1.0 : 0.02) : 0.0;
            d[i] = soft && k == 1 ? random_in(&random, 0.02) : d[i];
        }
        double h = 1e-3, sum = 0.0, change;
        sn_rest_product(&rest, d, y);
        for (size_t i = 0; i < rest.size; ++i) {
            sum += d[i] * y[i];
        }
        change =
            (8.0 * (pushed_along(&rest, pose, d, -h) - pushed_along(&rest, pose, d, h)) -
             (pushed_along(&rest, pose, d, -2.0 * h) - pushed_along(&rest, pose, d, 2.0 * h))) /
            (12.0 * h);
        close_to(sum, change, 1e-7);
    }
    sn_rest_write(&rest, pose);
    sn_rest_close(&rest);
    sn_world_destroy(world);
}

static void solutions_meet_their_equations(void **state)
{
    (void)state;
    sn_body arm, tongue;
    sn_world *world = make_tongue(INFINITY, &arm, &tongue);
    sn_rest rest;
    assert_int_equal(sn_rest_open(world, &rest, NULL), SN_OK);
    static double b[8 * BAR_VERTICES], d[8 * BAR_VERTICES], y[8 * BAR_VERTICES],
        m[8 * BAR_VERTICES];
    double c[64], lambda[64] = {0}, most = 0.0, size = 0.0, shift = 50.0;
    sn_random random = {.seed = 9};
    assert_int_equal(sn_rest_look(&rest, NULL), SN_OK);
    assert_int_equal(sn_rest_linearise(&rest, SN_STIFFNESS_EXACT, 4, NULL), SN_OK);
    assert_int_equal(sn_rest_factor(&rest, SN_REST_SHIFTED, shift, NULL), SN_OK);
    assert_true(rest.rows == rest.rank && rest.rows == 12);
    for (size_t i = 0; i < rest.size; ++i) {
        b[i] = random_in(&random, 1.0);
    }
    sn_rest_clear_fixed(&rest, b);
    for (int i = 0; i < rest.rows; ++i) {
        c[i] = random_in(&random, 1e-3);
    }
    sn_rest_solve(&rest, b, c, d, lambda);
    sn_rest_product(&rest, d, y);
    sn_rest_mass(&rest, d, m);
    for (size_t i = 0; i < rest.size; ++i) {
        y[i] += shift * m[i] - b[i];
    }
    for (int i = 0; i < rest.rows; ++i) {
        lambda[i] = -lambda[i];
    }
    sn_rest_add_rows(&rest, lambda, y); // K d + shift M d - B^T lambda - b
    for (size_t i = 0; i < rest.size; ++i) {
        most = fmax(most, fabs(y[i]));
        size = fmax(size, fabs(b[i]));
    }
    assert_true(most < 1e-8 * size);
    sn_rest_close(&rest);
    sn_world_destroy(world);
}

// ---- what cannot be ----

static void what_falls_has_a_name(void **state)
{
    (void)state;
    sn_body arm, tongue;
    sn_world *world = make_tongue(INFINITY, &arm, &tongue);
    bar b = {.size = {0.1, 0.1, 0.1},
             .cells = {1, 1, 1},
             .young = 1e4,
             .density = 100.0,
             .clamped = -1,
             .frame = {{2, 0, 0}, SN_QUAT_IDENTITY}};
    sn_body loose = add_bar(world, "pudding", &b);
    sn_body lid = add_body(world, "lid", 0.1, sn_vec3_make(1e-4, 1e-4, 1e-4),
                           (sn_transform){{2, 0, 0.06}, SN_QUAT_IDENTITY});
    attach_end(world, loose, &b, 2, 1, lid);
    sn_vec3 before = sn_body_centre(world, arm);
    sn_equilibrium rest;
    sn_error error = {0};
    assert_int_equal(sn_world_equilibrium(world, NULL, &rest, &error), SN_ERROR_DIVERGED);
    assert_non_null(strstr(sn_error_message(&error), "it falls"));
    assert_true(strstr(sn_error_message(&error), "pudding") != NULL ||
                strstr(sn_error_message(&error), "lid") != NULL);
    sn_vec3 after = sn_body_centre(world, arm);
    assert_memory_equal(&before, &after, sizeof before);
    pin(world, loose, sn_vec3_make(0, 0, 0), ground); // held, it hangs
    rest = settle(world, NULL);
    assert_true(rest.stable);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

static void lack_of_memory_is_told(void **state)
{
    (void)state;
    bool passed = false;
    for (int n = 0; n < 4000 && !passed; n += 1 + n / 2) {
        sn_body arm, tongue;
        sn_world *world = make_tongue(0.1, &arm, &tongue);
        sn_equilibrium rest;
        sn_modes modes;
        sn_error error = {0};
        sn_allocation_fail_after(n);
        sn_status first = sn_world_equilibrium(world, NULL, &rest, &error);
        sn_status second = sn_world_modes(world, &modes, &error);
        sn_allocation_fail_after(-1);
        assert_true(first == SN_OK || first == SN_ERROR_MEMORY);
        assert_true(second == SN_OK || second == SN_ERROR_MEMORY);
        passed = first == SN_OK && second == SN_OK;
        sn_equilibrium_free(&rest);
        sn_modes_free(&modes);
        sn_world_destroy(world);
    }
    assert_true(passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_bend_a_cantilever),
        cmocka_unit_test(stiff_rods_swing_as_pendulums),
        cmocka_unit_test(plates_stand_on_soft_blocks),
        cmocka_unit_test(bonded_bars_are_one),
        cmocka_unit_test(what_floats_has_six_free_modes),
        cmocka_unit_test(modes_swing_as_they_say),
        cmocka_unit_test(damped_runs_end_at_equilibrium),
        cmocka_unit_test(limits_hold_what_rests_on_them),
        cmocka_unit_test(stiffness_is_the_change_of_forces),
        cmocka_unit_test(solutions_meet_their_equations),
        cmocka_unit_test(what_falls_has_a_name),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
