// Contact by springs and dampers: sinking, damping, the friction bound and the tangential spring
// against closed forms; bodies on many points at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sinew/contact.h"
#include "solve/penalty.h"

static const sn_vec3 up = {0.0, 0.0, 1.0};

static void test_normal(void **state)
{
    (void)state;
    sn_penalty law = {
        .stiffness = 1e4, .damping = 0.5, .friction = 0.4, .mass = 2.0, .tangential = 2.0 / 7.0};
    sn_vec3 spring;
    // Nothing touches.
    sn_vec3 f =
        sn_penalty_force(&law, 1e-6, up, sn_vec3_make(0, 0, -1), SN_VEC3_ZERO, 0.01, &spring);
    assert_true(sn_length(f) == 0.0 && sn_length(spring) == 0.0);
    // k overlap, and with 2 zeta sqrt(k m) u.
    f = sn_penalty_force(&law, -1e-3, up, SN_VEC3_ZERO, SN_VEC3_ZERO, 0.0, &spring);
    assert_true(fabs(f.z - 10.0) < 1e-12);
    f = sn_penalty_force(&law, -1e-3, up, sn_vec3_make(0, 0, -0.1), SN_VEC3_ZERO, 0.0, &spring);
    assert_true(fabs(f.z - 10.0 - 0.1 * sqrt(2e4)) < 1e-9);
    // It does not pull.
    f = sn_penalty_force(&law, -1e-3, up, sn_vec3_make(0, 0, 5.0), SN_VEC3_ZERO, 0.0, &spring);
    assert_true(sn_length(f) == 0.0);
}

// A mass that falls onto it sinks in by m g / k in the end.
static void test_rest(void **state)
{
    (void)state;
    double h = 1e-4, z = 0.01, v = 0.0, m = 3.0;
    sn_penalty law = {.stiffness = 5e4, .damping = 0.3, .mass = m, .tangential = 0.3};
    sn_vec3 spring;
    for (int i = 0; i < 50000; ++i) {
        sn_vec3 f = sn_penalty_force(&law, z, up, sn_vec3_make(0, 0, v), SN_VEC3_ZERO, 0, &spring);
        v += h * (f.z / m - 9.81);
        z += h * v;
    }
    assert_true(fabs(z + m * 9.81 / 5e4) < 1e-9);
    assert_true(fabs(v) < 1e-6);
    // The default stiffness is one that the step follows.
    assert_true(fabs(sqrt(sn_penalty_stiffness(m, h) / m) * h - 0.5) < 1e-12);
}

// A mass pushed sideways is held by the spring up to friction, and slides beyond it.
static void test_friction(void **state)
{
    (void)state;
    double h = 1e-4, m = 1.0, k = 1e4, overlap = m * 9.81 / k;
    for (int push = 0; push < 2; ++push) {
        sn_penalty law = {
            .stiffness = k, .damping = 1.0, .friction = 0.5, .mass = m, .tangential = 0.5};
        double force = push == 0 ? 0.4 * 9.81 : 0.6 * 9.81, x = 0.0, v = 0.0;
        sn_vec3 spring = SN_VEC3_ZERO;
        for (int i = 0; i < 20000; ++i) {
            sn_vec3 now, u = {v, 0, 0};
            sn_vec3 f = sn_penalty_force(&law, -overlap, up, u, spring, h, &now);
            spring = now;
            assert_true(fabs(f.x) <= 0.5 * f.z * (1.0 + 1e-12));
            assert_true(now.z == 0.0);
            v += h * (force + f.x) / m;
            x += h * v;
        }
        if (push == 0) {
            assert_true(fabs(v) < 1e-9);
            assert_true(fabs(x - force / (0.5 * k)) < 1e-6);
        } else {
            assert_true(fabs(v - (0.6 - 0.5) * 9.81 * 2.0) < 0.01 * v);
        }
    }
}

// ---- many points ----

#define H (1.0 / 240.0)

static sn_world *press_world(double stiffness, double damping)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    def.contact.method = SN_CONTACT_PENALTY;
    def.contact.stiffness = stiffness;
    def.contact.damping = damping;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static sn_body put(sn_world *world, const sn_shape *shapes, int count, sn_body_type type,
                   sn_transform frame)
{
    sn_body_def def = sn_default_body_def();
    sn_body body = {0};
    def.type = type;
    def.shapes = shapes;
    def.shape_count = count;
    def.frame = frame;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

// A round table on legs of four points each, on a plane that leans about y.
static sn_body put_table(sn_world *world, int legs, double slope, double friction)
{
    sn_shape plane = sn_default_shape(), parts[25];
    plane.type = SN_SHAPE_PLANE;
    plane.surface.friction = friction;
    sn_transform leaning = {SN_VEC3_ZERO, {cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0}};
    put(world, &plane, 1, SN_BODY_STATIC, leaning);
    for (int i = 0; i <= legs; ++i) {
        double angle = 2.0 * SN_PI * i / legs;
        parts[i] = sn_default_shape();
        parts[i].type = SN_SHAPE_CYLINDER;
        parts[i].radius = i < legs ? 0.03 : 0.5;
        parts[i].height = i < legs ? 0.4 : 0.04;
        parts[i].surface.friction = friction;
        parts[i].frame.position = i < legs ? sn_vec3_make(0.4 * cos(angle), 0.4 * sin(angle), 0.2)
                                           : (sn_vec3){0, 0, 0.42};
    }
    return put(world, parts, legs + 1, SN_BODY_RIGID, leaning);
}

// However many legs a table has, it stands: put down without overlap it sinks to where it rests, at
// first to twice that, and does not hop. Its points together are as stiff as one, 1/(4 h^2) of the
// mass for what each moves, so that it rests between 4 g h^2 and the 6 for points whose bodies
// turn.
static void test_many_legs(void **state)
{
    (void)state;
    for (int legs = 4; legs <= 24; legs += 4) {
        sn_world *world = press_world(0.0, 0.5);
        sn_body table = put_table(world, legs, 0.0, 0.5);
        double highest = -1.0, lowest = 1.0, unit = 9.81 * H * H;
        for (int i = 0; i < 480; ++i) {
            assert_int_equal(sn_world_step(world, H, NULL), SN_OK);
            double z = sn_body_transform(world, table).position.z;
            highest = fmax(highest, z);
            lowest = fmin(lowest, z);
            assert_int_equal(sn_world_report(world).stiff, 0);
        }
        double rest = -sn_body_transform(world, table).position.z;
        assert_true(highest <= 0.0 && lowest > -24.0 * unit);
        assert_true(rest > 3.9 * unit && rest < 24.0 * unit);
        assert_true(sn_length(sn_body_velocity(world, table)) < 1e-9);
        sn_world_destroy(world);
    }
}

// Down a slope they get faster by g (sin - friction cos) once they slide: at first the springs
// along the plane are drawn.
static void test_legs_slide(void **state)
{
    (void)state;
    double slope = atan(0.3), friction = 0.25;
    for (int legs = 12; legs <= 24; legs += 12) {
        sn_world *world = press_world(0.0, 0.5);
        sn_body table = put_table(world, legs, slope, friction);
        double speed[2];
        for (int k = 0; k < 2; ++k) {
            for (int i = 0; i < 240; ++i) {
                assert_int_equal(sn_world_step(world, H, NULL), SN_OK);
            }
            speed[k] = sn_length(sn_body_velocity(world, table));
        }
        double expected = 9.81 * (sin(slope) - friction * cos(slope));
        assert_true(fabs(speed[1] - speed[0] - expected) < 1e-3 * expected);
        sn_world_destroy(world);
    }
}

// Boxes between others have points on both sides: a tower is put down, swings in its soft springs
// without ever rising, and comes to rest.
static void test_tower(void **state)
{
    (void)state;
    enum { BOXES = 3 };
    sn_world *world = press_world(0.0, 0.5);
    sn_shape plane = sn_default_shape(), box = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    box.type = SN_SHAPE_BOX;
    box.size = sn_vec3_make(0.2, 0.2, 0.2);
    sn_body bodies[BOXES];
    put(world, &plane, 1, SN_BODY_STATIC, SN_TRANSFORM_IDENTITY);
    for (int i = 0; i < BOXES; ++i) {
        sn_transform frame = {{0.0, 0.0, 0.1 + 0.2 * i}, SN_QUAT_IDENTITY};
        bodies[i] = put(world, &box, 1, SN_BODY_RIGID, frame);
    }
    for (int i = 0; i < 1920; ++i) {
        assert_int_equal(sn_world_step(world, H, NULL), SN_OK);
        for (int k = 0; k < BOXES; ++k) {
            sn_vec3 centre = sn_body_centre(world, bodies[k]);
            assert_true(centre.z < 0.1 + 0.2 * k && fabs(centre.x) < 1e-9);
            assert_true(i < 1900 || sn_length(sn_body_velocity(world, bodies[k])) < 1e-3);
        }
    }
    sn_world_destroy(world);
}

// A stiffness of the user's own is told of where the step cannot follow it. A ball of mass m on one
// point is stable below k = w^2 m / h^2, w = 2 (sqrt(1 + d^2) - d), and flies off above it.
static void test_stiff(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        double damping = i < 2 ? 0.5 : 0.05, share = i % 2 == 0 ? 0.95 : 1.2;
        double w = 2.0 * (sqrt(1.0 + damping * damping) - damping), radius = 0.1;
        double mass = 4.0 / 3.0 * SN_PI * radius * radius * radius * 1000.0;
        double k = share * w * w * mass / (H * H);
        sn_world *world = press_world(k, damping);
        sn_shape plane = sn_default_shape(), ball = sn_default_shape();
        plane.type = SN_SHAPE_PLANE;
        ball.radius = radius;
        ball.density = 1000.0;
        put(world, &plane, 1, SN_BODY_STATIC, SN_TRANSFORM_IDENTITY);
        // A little off from where it rests.
        double sink = mass * 9.81 / k;
        sn_transform frame = {{0.0, 0.0, radius - 0.999 * sink}, SN_QUAT_IDENTITY};
        sn_body body = put(world, &ball, 1, SN_BODY_RIGID, frame);
        int told = 0;
        double off = 0.0;
        for (int n = 0; n < 480; ++n) {
            assert_int_equal(sn_world_step(world, H, NULL), SN_OK);
            told += sn_world_report(world).stiff > 0;
            off = fmax(off, fabs(sn_body_centre(world, body).z - radius + sink));
        }
        assert_true((told > 0) == (share > 1.0));
        assert_true((off > 0.1 * sink) == (share > 1.0));
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal),     cmocka_unit_test(test_rest),
        cmocka_unit_test(test_friction),   cmocka_unit_test(test_many_legs),
        cmocka_unit_test(test_legs_slide), cmocka_unit_test(test_tower),
        cmocka_unit_test(test_stiff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
