// The pile solver against closed forms of single bodies, and what must hold of many.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "math/rotation.h"
#include "pile_scene.h"
#include "sanitized.h"

static scene world; // large

static const sn_vec3 zero;

static sn_transform at(double x, double y, double z)
{
    return (sn_transform){{x, y, z}, SN_QUAT_IDENTITY};
}

static void run(int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(scene_step(&world), SN_OK);
    }
}

// A block that slides stops after v^2 / (2 friction g).
static void test_sliding_block(void **state)
{
    (void)state;
    scene_init(&world, 1.0 / 240);
    int box = scene_box(&world, sn_vec3_make(0.5, 0.3, 0.1), 2.0, at(0.0, 0.0, 0.1),
                        sn_vec3_make(3.0, 1.0, 0.0), zero);
    run(480);
    double way = 10.0 / (2.0 * 0.5 * 9.81);
    sn_vec3 end = scene_position(&world, box);
    assert_true(fabs(sqrt(end.x * end.x + end.y * end.y) / way - 1.0) < 5e-3);
    assert_true(fabs(end.y / end.x - 1.0 / 3.0) < 1e-3);
    assert_true(fabs(end.z - 0.1) < 1e-4);
    run(960); // its anchors let go of what they were off when it stopped
    assert_true(sn_length(sn_rigid_velocity(&world.set, box)) < 1e-9);
    scene_free(&world);
}

// A block that spins on four corners at distance d: I dw/dt = -friction m g d.
static void test_spinning_block(void **state)
{
    (void)state;
    scene_init(&world, 1.0 / 240);
    int box = scene_box(&world, sn_vec3_make(0.4, 0.3, 0.02), 3.0, at(0.0, 0.0, 0.02), zero,
                        sn_vec3_make(0.0, 0.0, 4.0));
    double d = 0.5, inertia = (0.16 + 0.09) / 3.0, rate = 0.5 * 9.81 * d / inertia;
    double angle = 16.0 / (2.0 * rate);
    run(240);
    sn_vec3 axis;
    double turned;
    sn_quat_to_axis_angle(sn_rigid_frame(&world.set, box).rotation, &axis, &turned);
    assert_true(fabs(turned / angle - 1.0) < 2e-2);
    assert_true(fabs(scene_position(&world, box).x) < 1e-3);
    scene_free(&world);
}

// On a slope at 0.98 of the friction angle nothing moves once it is at rest.
static void test_slope(void **state)
{
    (void)state;
    scene_init(&world, 1.0 / 240);
    double angle = atan(0.98 * 0.5);
    sn_quat tilt = sn_quat_from_axis_angle(sn_vec3_make(0.0, 1.0, 0.0), angle);
    world.up = sn_rotate(tilt, sn_vec3_make(0.0, 0.0, 1.0));
    int box = scene_box(&world, sn_vec3_make(0.5, 0.3, 0.1), 2.0,
                        (sn_transform){sn_vec3_scale(0.1, world.up), tilt}, zero, zero);
    run(2400);
    sn_vec3 start = scene_position(&world, box);
    run(rounds_of(60 * 240, 240));
    double moved = sn_distance(start, scene_position(&world, box));
    assert_true(moved < 1e-9);
    scene_free(&world);
}

// A ball that bounces comes to rest after sqrt(2 h / g) (1 + e) / (1 - e).
static void test_bouncing_ball(void **state)
{
    (void)state;
    scene_init(&world, 1.0 / 240);
    world.restitution = 0.5;
    world.margin = 0.1;
    int ball = scene_ball(&world, 0.1, 1.0, sn_vec3_make(0.0, 0.0, 1.1), zero, zero);
    double total = sqrt(2.0 / 9.81) * 3.0, last = 0.0;
    for (int i = 0; i < 960; ++i) {
        run(1);
        if (fabs(sn_rigid_velocity(&world.set, ball).z) > 1e-6) {
            last = (i + 1) / 240.0;
        }
    }
    assert_true(fabs(last / total - 1.0) < 0.015);
    assert_true(fabs(scene_position(&world, ball).z - 0.1) < 1e-3);
    scene_free(&world);
}

// A ball that rolls: dv/dt = -(5/7) rolling g / r; and a belt that carries a box along.
static void test_rolling_and_belt(void **state)
{
    (void)state;
    scene_init(&world, 1.0 / 240);
    world.rolling = 0.01;
    world.belt = sn_vec3_make(0.0, 0.0, 0.0);
    int ball = scene_ball(&world, 0.1, 1.0, sn_vec3_make(0.0, 0.0, 0.1),
                          sn_vec3_make(1.0, 0.0, 0.0), sn_vec3_make(0.0, 10.0, 0.0));
    double way = 1.0 / (2.0 * 5.0 / 7.0 * 0.1 * 9.81);
    run(480);
    sn_vec3 end = scene_position(&world, ball);
    assert_true(fabs(end.x / way - 1.0) < 5e-3);
    run(960);
    assert_true(sn_length(sn_rigid_velocity(&world.set, ball)) < 1e-9);
    scene_free(&world);

    scene_init(&world, 1.0 / 240);
    world.belt = sn_vec3_make(2.0, 0.0, 0.0);
    int box = scene_box(&world, sn_vec3_make(0.2, 0.2, 0.1), 2.0, at(0.0, 0.0, 0.1), zero, zero);
    run(480);
    double slid = 4.0 / (2.0 * 0.5 * 9.81), time = 2.0 / (0.5 * 9.81);
    end = scene_position(&world, box);
    assert_true(fabs(end.x / (slid + 2.0 * (2.0 - time)) - 1.0) < 5e-3);
    run(960);
    assert_true(fabs(sn_rigid_velocity(&world.set, box).x - 2.0) < 1e-9);
    scene_free(&world);
}

// A tower stands, and does not sink.
static void test_tower(void **state)
{
    (void)state;
    enum { BOXES = 10 };
    scene_init(&world, 1.0 / 60);
    world.stacked = true;
    for (int i = 0; i < BOXES; ++i) {
        scene_box(&world, sn_vec3_make(0.5, 0.5, 0.5), 1000.0, at(0.0, 0.0, 0.5 + i), zero, zero);
    }
    run(600);
    sn_vec3 middle = scene_position(&world, BOXES - 1);
    run(600);
    sn_vec3 end = scene_position(&world, BOXES - 1);
    assert_true(fabs(end.z - 9.5) < 0.02);
    assert_true(fabs(end.x) < 1e-3 && fabs(end.y) < 1e-3);
    assert_true(sn_distance(middle, end) < 1e-3);
    scene_free(&world);
}

// A light body carries a thousand times its mass.
static void test_heavy_load(void **state)
{
    (void)state;
    scene_init(&world, 1.0 / 60);
    world.stacked = true;
    scene_box(&world, sn_vec3_make(0.5, 0.5, 0.5), 1.0, at(0.0, 0.0, 0.5), zero, zero);
    int top = scene_box(&world, sn_vec3_make(0.5, 0.5, 0.5), 1000.0, at(0.0, 0.0, 1.5), zero, zero);
    double deepest = 0.0;
    for (int i = 0; i < 600; ++i) {
        run(1);
        deepest = fmax(deepest, 1.5 - scene_position(&world, top).z);
    }
    assert_true(deepest < 0.03);
    assert_true(1.5 - scene_position(&world, top).z < 0.02);
    scene_free(&world);
}

// A box that is thrown down spinning, in lengths of another unit: all is the same in that unit, to
// the last bit where numbers are rounded alike, which they are in powers of two.
static sn_vec3 thrown(double unit)
{
    scene_init(&world, 1.0 / 120);
    world.margin *= 5.0 * unit;
    world.restitution = 0.3;
    world.def.gravity = sn_vec3_scale(unit, world.def.gravity);
    sn_quat tilt = sn_quat_from_axis_angle(sn_vec3_make(0.6, 0.8, 0.0), 0.3);
    int box =
        scene_box(&world, sn_vec3_scale(unit, sn_vec3_make(0.5, 0.4, 0.3)), 2.0,
                  (sn_transform){sn_vec3_scale(unit, sn_vec3_make(0.0, 0.0, 0.8)), tilt},
                  sn_vec3_scale(unit, sn_vec3_make(2.0, 1.0, -1.0)), sn_vec3_make(0.5, -1.0, 2.0));
    run(240);
    sn_vec3 end = sn_vec3_scale(1.0 / unit, scene_position(&world, box));
    scene_free(&world);
    return end;
}

static void test_scale(void **state)
{
    (void)state;
    sn_vec3 own = thrown(1.0);
    assert_true(sn_distance(own, thrown(0x1p-20)) == 0.0);
    assert_true(sn_distance(own, thrown(0x1p12)) == 0.0);
    assert_true(sn_distance(own, thrown(0.01)) < 1e-4);
    assert_true(sn_distance(own, thrown(100.0)) < 1e-4);
    assert_true(own.x > 0.1 && own.z < 0.52);
}

static void total_motion(sn_vec3 *momentum, sn_vec3 *angular, double *scale)
{
    *momentum = *angular = SN_VEC3_ZERO;
    scale[0] = scale[1] = 0.0;
    for (int i = 0; i < world.set.agents.count; ++i) {
        sn_measure measure;
        sn_rigid_type.measure(&world.set.agents, i, zero, &measure);
        *momentum = sn_vec3_add(*momentum, measure.momentum);
        *angular = sn_vec3_add(*angular, measure.angular_momentum);
        scale[0] += sn_length(measure.momentum);
        scale[1] += sn_length(measure.angular_momentum);
    }
}

// A cloud of balls with the inertia of odd things, falling together: they pull at each other in
// pairs, so that nothing from outside acts.
static void make_cloud(int count)
{
    sn_random random = {.seed = 8};
    scene_init(&world, 1.0 / 60);
    world.up = SN_VEC3_ZERO;
    world.rolling = 0.01;
    world.spinning = 0.02;
    world.restitution = 0.2;
    world.margin = 0.3;
    world.def.gravity = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        double x = sn_random_range(&random, -3.0, 3.0), y = sn_random_range(&random, -3.0, 3.0);
        double z = sn_random_range(&random, -3.0, 3.0);
        sn_vec3 spin = {sn_random_range(&random, -3.0, 3.0), sn_random_range(&random, -3.0, 3.0),
                        1};
        sn_vec3 moments = {2.0, sn_random_range(&random, 2.0, 3.0), 4.0};
        int agent = scene_add(&world, 10.0, moments, at(x, y, z), sn_vec3_make(-y, x, 0.3), spin);
        world.radius[agent] = sn_random_range(&random, 0.4, 0.7);
    }
}

static void pull_together(void)
{
    sn_vec3 centre = SN_VEC3_ZERO;
    int count = world.set.agents.count;
    for (int i = 0; i < count; ++i) {
        centre = sn_vec3_add_scaled(centre, 1.0 / count, scene_position(&world, i));
    }
    for (int i = 0; i < count; ++i) { // forces along the way to the centre, linear: no moment
        sn_vec3 way = sn_vec3_sub(centre, scene_position(&world, i));
        world.set.agents.force[i].linear = sn_vec3_scale(60.0, way);
    }
}

static void test_momentum(void **state)
{
    (void)state;
    sn_vec3 momentum[2], angular[2];
    double scale[2], last[2];
    int touching = 0;
    make_cloud(60);
    total_motion(&momentum[0], &angular[0], scale);
    int steps = rounds_of(300, 60);
    for (int i = 0; i < steps; ++i) {
        pull_together();
        run(1);
        touching += world.contact_count;
    }
    for (int i = 0; i < world.set.agents.count; ++i) {
        world.set.agents.force[i] = (sn_spatial){0};
    }
    total_motion(&momentum[0], &angular[0], last);
    run(rounds_of(1000, 60));
    total_motion(&momentum[1], &angular[1], last);
    double p = sn_distance(momentum[0], momentum[1]) / scale[0];
    double l = sn_distance(angular[0], angular[1]) / scale[1];
    assert_true(touching > steps * 60);
    assert_true(p < 1e-12 && l < 1e-12);
    scene_free(&world);
}

static void test_threads(void **state)
{
    (void)state;
    double first[SCENE_BODIES * SN_RIGID_Q];
    for (int count = 1; count <= 4; count *= 2) {
        make_cloud(200);
        assert_int_equal(sn_threads_create(count, &world.threads, NULL), SN_OK);
        for (int i = 0; i < rounds_of(60, 15); ++i) {
            pull_together();
            run(1);
        }
        size_t bytes = (size_t)world.set.agents.q_count * sizeof *first;
        if (count == 1) {
            memcpy(first, world.set.agents.q, bytes);
        }
        assert_memory_equal(first, world.set.agents.q, bytes);
        scene_free(&world);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    for (int fail = 0;; ++fail) {
        make_cloud(20);
        scene_collide(&world);
        double before = world.set.agents.q[0];
        sn_error error;
        sn_allocation_fail_after(fail);
        sn_status status = sn_pile_step(
            &world.pile, &world.set, world.agents, world.set.agents.count, world.contacts, NULL,
            world.contact_count, &world.def, NULL, &world.stack, &error);
        sn_allocation_fail_after(-1);
        bool moved = world.set.agents.q[0] != before;
        assert_int_equal(world.stack.count, 0);
        scene_free(&world);
        assert_int_equal(moved, status == SN_OK);
        if (status == SN_OK) {
            assert_true(fail > 5);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    // After the first steps nothing is allocated.
    make_cloud(60);
    for (int i = 0; i < 200; ++i) {
        pull_together();
        run(1);
    }
    uint64_t count = sn_allocation_count();
    run(1);
    assert_int_equal(sn_allocation_count(), count);
    // A contact with someone who is not there.
    world.contacts[0].b.agent = 1000;
    sn_error error;
    assert_int_equal(sn_pile_step(&world.pile, &world.set, world.agents, world.set.agents.count,
                                  world.contacts, NULL, world.contact_count, &world.def, NULL,
                                  &world.stack, &error),
                     SN_ERROR_ARGUMENT);
    assert_int_equal(world.stack.count, 0);
    scene_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sliding_block),
        cmocka_unit_test(test_spinning_block),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_rolling_and_belt),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_heavy_load),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
