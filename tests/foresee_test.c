// Ground that curves: what slides and rolls in troughs and bowls made of facets keeps its energy,
// and swings as a pendulum does.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sanitized.h"
#include "sinew/contact.h"
#include "sinew/geometry.h"
#include "sinew/world.h"

static const double GRAVITY = 9.81, R = 1.0; // of troughs and bowls

// ---- grounds ----

// Strips across x, from -span to span radians: a trough (bend 1) or a hill (-1) about y.
static sn_shape strips(int count, double span, double bend)
{
    sn_vec3 *positions = malloc((size_t)(2 * count + 2) * sizeof *positions);
    int *triangles = malloc((size_t)(6 * count) * sizeof *triangles);
    for (int i = 0; i <= count; ++i) {
        double a = span * (2.0 * i / count - 1.0);
        sn_vec3 at = {R * sin(a), -0.2, bend * R * (1.0 - cos(a))};
        positions[2 * i] = positions[2 * i + 1] = at;
        positions[2 * i + 1].y = 0.2;
    }
    for (int i = 0; i < count; ++i) {
        const int own[6] = {2 * i, 2 * i + 2, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 1};
        for (int k = 0; k < 6; ++k) {
            triangles[6 * i + k] = own[k];
        }
    }
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_MESH;
    assert_int_equal(
        sn_mesh_create(positions, 2 * count + 2, triangles, 2 * count, &shape.mesh, NULL), SN_OK);
    free(positions);
    free(triangles);
    return shape;
}

// The same trough, or a bowl, as a height field of a metre's width.
static sn_shape heights(int columns, int rows, double size_y)
{
    double *z = malloc((size_t)(columns * rows) * sizeof *z);
    for (int i = 0; i < columns * rows; ++i) {
        double x = (double)(i % columns) / (columns - 1) - 0.5;
        double y = rows > 3 ? (double)(i / columns) / (rows - 1) - 0.5 : 0.0;
        z[i] = R - sqrt(R * R - x * x - y * y);
    }
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_HEIGHT_FIELD;
    assert_int_equal(sn_height_field_create(z, columns, rows, 1.0, size_y, &shape.field, NULL),
                     SN_OK);
    free(z);
    return shape;
}

// ---- worlds ----

typedef struct run {
    sn_world *world;
    sn_body body;
    double mass;
    double swing; // J, between the start and the lowest place
} run;

static void add(sn_world *world, sn_body_def *def, sn_shape *shape, double friction, sn_body *body)
{
    shape->surface.friction = friction;
    def->shapes = shape;
    def->shape_count = 1;
    assert_int_equal(sn_world_add_body(world, def, body, NULL), SN_OK);
}

// What moves begins at an angle from the lowest place, its middle at `radius` from the axis.
static run start(sn_shape ground, sn_shape mover, double friction, double radius, double angle,
                 bool ground_last)
{
    run made = {0};
    sn_world_def def = sn_default_world_def();
    def.contact.sleep = false;
    assert_int_equal(sn_world_create(&def, &made.world, NULL), SN_OK);
    sn_body_def floor = sn_default_body_def(), own = sn_default_body_def();
    sn_body other;
    floor.type = SN_BODY_STATIC;
    own.frame.position = sn_vec3_make(radius * sin(angle), 0.0, R - radius * cos(angle));
    own.frame.rotation = (sn_quat){cos(0.5 * angle), 0.0, -sin(0.5 * angle), 0.0};
    if (!ground_last) {
        add(made.world, &floor, &ground, friction, &other);
    }
    add(made.world, &own, &mover, friction, &made.body);
    if (ground_last) {
        add(made.world, &floor, &ground, friction, &other);
    }
    sn_shape_release(&ground);
    made.mass = sn_body_mass_properties(made.world, made.body).mass;
    made.swing = made.mass * GRAVITY * radius * (1.0 - cos(angle));
    return made;
}

static sn_shape ball(double radius)
{
    sn_shape shape = sn_default_shape();
    shape.radius = radius;
    return shape;
}

static double energy(const run *r)
{
    return sn_world_energy(r->world).total;
}

static void step(run *r, double h)
{
    assert_int_equal(sn_world_step(r->world, h, NULL), SN_OK);
    assert_int_equal(sn_world_report(r->world).velocity_scaled, 0);
}

// Runs for a time; the most energy above that of the start, and the change in all, by the swing's.
static double follow(run *r, double h, double time, double *change)
{
    double first = energy(r), most = 0.0;
    for (int i = 0; i < (is_sanitized() ? 0.1 : 1.0) * time / h; ++i) {
        step(r, h);
        most = fmax(most, (energy(r) - first) / r->swing);
    }
    *change = (energy(r) - first) / r->swing;
    sn_world_destroy(r->world);
    return most;
}

// ---- tests ----

// An edge of angle c, struck without rebound, takes c^2 of the energy of motion, and there are
// (way in radians) / c of them: the loss of all impacts is the most that may be lost.
static void assert_kept(run r, double h, double time, double edge, double angle)
{
    double period = 2.0 * SN_PI * sqrt(R / GRAVITY), change;
    double bound = edge * 4.0 * angle * (time / period + 1.0);
    double most = follow(&r, h, time, &change);
    assert_true(most < 1e-3);
    assert_true(change > -bound);
}

static const double steps[3] = {1.0 / 60.0, 1.0 / 240.0, 1e-3};

static void test_balls_keep_their_energy_in_a_trough(void **state)
{
    (void)state;
    const double angle = 0.22;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 4; ++k) {
            double friction = k % 2 == 0 ? 0.0 : 2.0;
            sn_shape ground = k < 2 ? strips(400, 1.0, 1.0) : heights(401, 3, 0.2);
            run r = start(ground, ball(0.1), friction, R - 0.1 - 1e-5, angle, k % 2 == 1);
            assert_kept(r, steps[i], 3.0, k < 2 ? 0.005 : 0.0029, angle);
        }
    }
}

// At the speed in the middle a step comes over many strips, over one, and over a tenth of one.
static void test_strips_of_any_width_will_do(void **state)
{
    (void)state;
    const int counts[3] = {40, 100, 2000};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            double edge = 2.0 / counts[k], above = 0.13 * edge * edge;
            run r =
                start(strips(counts[k], 1.0, 1.0), ball(0.1), 0.0, R - 0.1 - above, 0.22, false);
            assert_kept(r, steps[i], 2.0, edge, 0.22);
        }
    }
}

static void test_small_balls_capsules_and_cylinders_do_too(void **state)
{
    (void)state;
    sn_shape movers[3] = {ball(0.04), ball(0.04), ball(0.04)};
    movers[1].type = SN_SHAPE_CAPSULE;
    movers[2].type = SN_SHAPE_CYLINDER;
    for (int k = 1; k < 3; ++k) {
        movers[k].height = 0.2;
        movers[k].frame.rotation = (sn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 6; ++k) {
            double friction = k < 3 ? 0.0 : 1.0;
            run r =
                start(strips(400, 1.0, 1.0), movers[k % 3], friction, R - 0.04 - 1e-5, 0.6, false);
            assert_kept(r, steps[i], 2.0, 0.005, 0.6);
        }
    }
}

// What stands on two edges turns as it goes: it loses no more than what strikes all edges would,
// and what a step does to its turning, with the step.
static void test_boxes_keep_most_of_their_energy(void **state)
{
    (void)state;
    const double angle = 0.5, time = 2.0, lost_a_second = 0.5; // of the energy, by the step
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    box.size = sn_vec3_make(0.4, 0.2, 2.0 * (sqrt(R * R - 0.04) - 0.9));
    for (int i = 0; i < 3; ++i) {
        double period = 2.0 * SN_PI * sqrt(R / GRAVITY), change;
        double edges = 0.005 * 4.0 * angle * (time / period + 1.0);
        run r = start(strips(400, 1.0, 1.0), box, 0.0, 0.9 - 1e-5, angle, false);
        assert_true(follow(&r, steps[i], time, &change) < 1e-3);
        assert_true(change > -edges - lost_a_second * steps[i] * time);
    }
}

// Under these lie more facets than a pair can have planes of its own: strips of 2 mm, then cells of
// a bowl. A single plane for all within 10 degrees took four fifths of the energy of either.
static void test_boxes_slide_over_fine_ground(void **state)
{
    (void)state;
    const double angle = 0.25, bounds[2] = {0.02, 0.02};
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    for (int k = 0; k < 2; ++k) {
        double half = 0.1, below = k == 0 ? half * half : 2.0 * half * half;
        box.size = sn_vec3_make(2.0 * half, 2.0 * half, 2.0 * (sqrt(R * R - below) - 0.9));
        sn_shape ground = k == 0 ? heights(501, 3, 1.0) : heights(201, 201, 1.0);
        run r = start(ground, box, 0.0, 0.9 - 1e-4, angle, false);
        double change, most = follow(&r, 1.0 / 240.0, 4.0, &change);
        assert_true(most < 1e-3);
        assert_true(change > -bounds[k]);
    }
}

// A ball that goes round in a bowl as a conical pendulum does: T = 2 pi sqrt(L cos(angle) / g).
static void test_a_ball_goes_round_in_a_bowl(void **state)
{
    (void)state;
    const double angle = 0.3, length = R - 0.1 - 2e-6;
    double rate = sqrt(GRAVITY / (length * cos(angle)));
    for (int i = 0; i < 3; ++i) {
        run r = start(heights(301, 301, 1.0), ball(0.1), 0.0, length, angle, false);
        sn_vec3 velocity = {0.0, rate * length * sin(angle), 0.0};
        sn_body_set_velocity(r.world, r.body, velocity, SN_VEC3_ZERO, NULL);
        double first = energy(&r), turned = 0.0, before = 0.0;
        int count = (int)((is_sanitized() ? 0.2 : 2.0) / steps[i]);
        for (int k = 0; k < count; ++k) {
            step(&r, steps[i]);
            sn_vec3 at = sn_body_transform(r.world, r.body).position;
            double now = atan2(at.y, at.x);
            turned += remainder(now - before, 2.0 * SN_PI);
            before = now;
            assert_true(energy(&r) - first < 1e-3 * r.swing);
        }
        assert_true(energy(&r) - first > -0.03 * r.swing);
        assert_true(fabs(turned / (rate * count * steps[i]) - 1.0) < 3e-3);
        sn_world_destroy(r.world);
    }
}

// The time of so many whole swings, from rest at one side.
static double time_of_swings(run *r, double h, int swings)
{
    double time = 0.0, last = 1.0;
    for (int found = 0; found < 2 * swings + 1;) {
        step(r, h);
        double x = sn_body_transform(r->world, r->body).position.x;
        if ((x < 0.0) != (last < 0.0)) {
            ++found;
        }
        time += found < 2 * swings + 1 ? h : h * last / (last - x);
        last = x;
    }
    sn_world_destroy(r->world);
    return time * swings / (swings + 0.25) / swings; // to the middle: a quarter more
}

// T = 2 pi sqrt(L / g) / agm(1, cos(angle / 2)), times sqrt(7/5) for what rolls.
static void test_a_ball_swings_as_a_pendulum(void **state)
{
    (void)state;
    const double length = R - 0.1, angle = SN_PI / 6.0;
    double a = 1.0, b = cos(0.5 * angle);
    for (int i = 0; i < 5; ++i) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    double period = 2.0 * SN_PI * sqrt(length / GRAVITY) / a;
    for (int k = 0; k < 2; ++k) {
        run r = start(strips(4000, 1.0, 1.0), ball(0.1), k == 0 ? 0.0 : 2.0, length - 1e-7, angle,
                      false);
        double expected = period * (k == 0 ? 1.0 : sqrt(1.4));
        double found = time_of_swings(&r, 1.0 / 240.0, 2);
        assert_true(fabs(found / expected - 1.0) < 1e-4);
    }
}

// Over a hill nothing rises: a ball that slides from the top leaves it where cos(angle) = 2/3.
static void test_a_ball_leaves_a_hill(void **state)
{
    (void)state;
    const double radius = 0.1, h = 1.0 / 960.0;
    run r = start(strips(1200, 1.2, -1.0), ball(radius), 0.0, 0.0, 0.0, false);
    sn_transform place = SN_TRANSFORM_IDENTITY;
    place.position = sn_vec3_make(0.0, 0.0, radius);
    sn_body_set_transform(r.world, r.body, place, NULL);
    sn_body_set_velocity(r.world, r.body, sn_vec3_make(0.2, 0.0, 0.0), SN_VEC3_ZERO, NULL);
    double first = energy(&r), cosine = 1.0;
    // v^2 = v0^2 + 2 g L (1 - cos), leaves at v^2 = g L cos.
    double length = R + radius, leaves = (0.04 / (GRAVITY * length) + 2.0) / 3.0;
    for (int i = 0; i < 1500 && sn_body_transform(r.world, r.body).position.x < 0.9; ++i) {
        step(&r, h);
        sn_vec3 at = sn_body_transform(r.world, r.body).position;
        bool touches = sn_world_contact_count(r.world) > 0;
        cosine = touches ? (at.z + R) / hypot(at.x, at.z + R) : cosine;
        assert_true(energy(&r) - first < 1e-9 * r.mass);
    }
    assert_true(fabs(cosine - leaves) < 0.04);
    assert_true(energy(&r) - first > -0.02 * r.mass * GRAVITY * length);
    sn_world_destroy(r.world);
}

// A copy goes on to the bit.
static void test_copies_swing_alike(void **state)
{
    (void)state;
    run r = start(strips(400, 1.0, 1.0), ball(0.1), 0.5, R - 0.1 - 1e-5, 0.3, false);
    for (int i = 0; i < 100; ++i) {
        step(&r, 1.0 / 240.0);
    }
    run other = r;
    assert_int_equal(sn_world_copy(r.world, &other.world, NULL), SN_OK);
    for (int i = 0; i < 100; ++i) {
        step(&r, 1.0 / 240.0);
        step(&other, 1.0 / 240.0);
    }
    assert_true(sn_world_hash(r.world) == sn_world_hash(other.world));
    sn_world_destroy(r.world);
    sn_world_destroy(other.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls_keep_their_energy_in_a_trough),
        cmocka_unit_test(test_strips_of_any_width_will_do),
        cmocka_unit_test(test_small_balls_capsules_and_cylinders_do_too),
        cmocka_unit_test(test_boxes_keep_most_of_their_energy),
        cmocka_unit_test(test_boxes_slide_over_fine_ground),
        cmocka_unit_test(test_a_ball_goes_round_in_a_bowl),
        cmocka_unit_test(test_a_ball_swings_as_a_pendulum),
        cmocka_unit_test(test_a_ball_leaves_a_hill),
        cmocka_unit_test(test_copies_swing_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
