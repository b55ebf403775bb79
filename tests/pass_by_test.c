// What passes flush does not touch: things slide and roll over tiles as over one floor, and what
// stands in the way, be it little, is struck all the same.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sanitized.h"
#include "sinew/contact.h"

static const double TILE = 0.1, STEP = 1.0 / 240.0;

static sn_body add(sn_world *world, sn_body_type type, sn_shape shape, sn_vec3 position,
                   sn_vec3 velocity, sn_vec3 turning)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.type = type;
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame.position = position;
    def.velocity = velocity;
    def.angular_velocity = turning;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

static sn_shape box_of(double x, double y, double z, double friction)
{
    sn_shape box = sn_default_shape();
    box.type = SN_SHAPE_BOX;
    box.size = sn_vec3_make(x, y, z);
    box.surface.friction = friction;
    return box;
}

// Twenty rows of tiles along x and four along y, their tops at z = 0.
static sn_world *tiled_world(double friction)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    for (int i = 0; i < 80; ++i) {
        sn_vec3 middle = {TILE * (i % 20), TILE * (i / 20 - 1), -0.5 * TILE};
        add(world, SN_BODY_STATIC, box_of(TILE, TILE, TILE, friction), middle, SN_VEC3_ZERO,
            SN_VEC3_ZERO);
    }
    return world;
}

static void run(sn_world *world, double time)
{
    for (int i = 0; i < (int)(time / STEP + 0.5); ++i) {
        assert_int_equal(sn_world_step(world, STEP, NULL), SN_OK);
    }
}

// A box of 1 kg without friction, straight and askew to the seams.
static void test_sliding(void **state)
{
    (void)state;
    static const double speeds[] = {0.01, 0.05, 0.1, 0.3, 0.5, 1.5, 4.0};
    for (int i = 0; i < 14; ++i) {
        double speed = speeds[i / 2], aside = i % 2 == 0 ? 0.0 : 0.1, time = 1.5 / speed;
        double most = rounds_of(20, 1);
        time = time > most ? most : time;
        sn_world *world = tiled_world(0.0);
        sn_vec3 from = {0.03, 0.01, 0.05}, velocity = {speed, aside * speed, 0.0};
        sn_body body =
            add(world, SN_BODY_RIGID, box_of(0.1, 0.1, 0.1, 0.0), from, velocity, SN_VEC3_ZERO);
        run(world, time);
        sn_vec3 end = sn_vec3_add_scaled(from, time, velocity);
        assert_true(sn_distance(sn_body_velocity(world, body), velocity) < 1e-6 * speed);
        assert_true(sn_distance(sn_body_transform(world, body).position, end) < 1e-6);
        sn_world_destroy(world);
    }
}

// With friction a box stops after v^2 / (2 friction g).
static void test_stopping(void **state)
{
    (void)state;
    static const double speeds[] = {0.5, 1.0, 1.5};
    for (int i = 0; i < 3; ++i) {
        sn_world *world = tiled_world(0.1);
        sn_body body =
            add(world, SN_BODY_RIGID, box_of(0.1, 0.1, 0.1, 0.1), sn_vec3_make(0.03, 0.01, 0.05),
                sn_vec3_make(speeds[i], 0.0, 0.0), SN_VEC3_ZERO);
        run(world, 2.0);
        double way = sn_body_transform(world, body).position.x - 0.03;
        assert_true(fabs(way - speeds[i] * speeds[i] / (2.0 * 0.1 * 9.81)) < 1e-5);
        assert_true(sn_length(sn_body_velocity(world, body)) < 1e-9);
        sn_world_destroy(world);
    }
}

// Balls and capsules roll on.
static void test_rolling(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        double speed = i % 2 == 0 ? 0.05 : 0.5, radius = 0.05;
        sn_world *world = tiled_world(0.5);
        sn_shape shape = sn_default_shape();
        shape.type = i < 2 ? SN_SHAPE_SPHERE : SN_SHAPE_CAPSULE;
        shape.radius = radius;
        shape.height = 0.1;
        shape.frame.rotation = (sn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0}; // its axis along y
        sn_body body = add(world, SN_BODY_RIGID, shape, sn_vec3_make(0.03, 0.0, radius),
                           sn_vec3_make(speed, 0.0, 0.0), sn_vec3_make(0.0, speed / radius, 0.0));
        run(world, i % 2 == 0 ? rounds_of(20, 1) : rounds_of(3, 1));
        assert_true(fabs(sn_body_velocity(world, body).x - speed) < 1e-6 * speed);
        sn_world_destroy(world);
    }
}

// A step of a thousandth of the size is an obstacle, and so is all that is higher.
static void test_striking(void **state)
{
    (void)state;
    static const double speeds[] = {0.05, 0.5, 4.0};
    for (int i = 0; i < 6; ++i) {
        double speed = speeds[i / 2], height = i % 2 == 0 ? 1e-3 * TILE : TILE;
        sn_world *world = tiled_world(0.0);
        sn_vec3 middle = {0.5, 0.0, height - 0.5 * TILE};
        add(world, SN_BODY_STATIC, box_of(TILE, 4.0 * TILE, TILE, 0.0), middle, SN_VEC3_ZERO,
            SN_VEC3_ZERO);
        sn_body body =
            add(world, SN_BODY_RIGID, box_of(0.1, 0.1, 0.1, 0.0), sn_vec3_make(0.31, 0.0, 0.05),
                sn_vec3_make(speed, 0.0, 0.0), SN_VEC3_ZERO);
        run(world, 0.2 / speed);
        if (height == TILE) {
            assert_true(sn_body_transform(world, body).position.x < 0.4 + 1e-4 * TILE);
        }
        assert_true(sn_body_velocity(world, body).x < 0.9 * speed);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_striking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
