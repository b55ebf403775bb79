// Piles whose weight is much for their size, at 1/60 s. Walls of bricks, thin, high, and of more
// contacts than the exact solver takes: they stand, come to rest and hardly sink in. And heaps of
// small things, and of stones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../bench/boxes.h"
#include "random_shape.h"
#include "sanitized.h"

enum { MOST = 1000 };

static const double length = 0.21, width = 0.1, height = 0.06, joint = 5e-4; // m

static sn_world *world;
static sn_body bricks[MOST];
static sn_vec3 starts[MOST];
static int brick_count;

static void add_box(sn_vec3 at, sn_vec3 size)
{
    sn_error error = {0};
    sn_shape box = sn_default_shape();
    sn_body_def def = sn_default_body_def();
    box.type = SN_SHAPE_BOX;
    box.size = size;
    box.density = 1900.0;
    box.surface.friction = 0.6;
    def.shapes = &box;
    def.shape_count = 1;
    def.frame.position = starts[brick_count] = at;
    random_ok(sn_world_add_body(world, &def, &bricks[brick_count++], &error), &error);
}

static void add_brick(double x, double z, double long_by)
{
    add_box(sn_vec3_make(x, 0.0, z), sn_vec3_make(long_by - joint, width, height));
}

static void build_ground(void)
{
    sn_error error = {0};
    sn_world_def def = sn_default_world_def();
    sn_body_def ground = sn_default_body_def();
    sn_shape plane = sn_default_shape();
    sn_body floor;
    random_ok(sn_world_create(&def, &world, &error), &error);
    plane.type = SN_SHAPE_PLANE;
    plane.surface.friction = 0.6;
    ground.type = SN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    random_ok(sn_world_add_body(world, &ground, &floor, &error), &error);
    brick_count = 0;
}

// Stretcher bond, with half bricks at both ends of every second course.
static void build_wall(int courses, int along)
{
    build_ground();
    for (int k = 0; k < courses; ++k) {
        double z = (k + 0.5) * height;
        if (k % 2 == 0) {
            for (int i = 0; i < along; ++i) {
                add_brick((i + 0.5) * length, z, length);
            }
            continue;
        }
        add_brick(0.25 * length, z, 0.5 * length);
        for (int i = 1; i < along; ++i) {
            add_brick(i * length, z, length);
        }
        add_brick((along - 0.25) * length, z, 0.5 * length);
    }
}

static void run(double seconds)
{
    sn_error error = {0};
    for (int i = 0; i < 60 * seconds; ++i) {
        random_ok(sn_world_step(world, 1.0 / 60.0, &error), &error);
    }
}

// The farthest that a brick has come, aside and down.
static void find_shift(double *aside, double *down)
{
    *aside = *down = 0.0;
    for (int i = 0; i < brick_count; ++i) {
        sn_vec3 shift = sn_vec3_sub(sn_body_transform(world, bricks[i]).position, starts[i]);
        *aside = fmax(*aside, fmax(fabs(shift.x), fabs(shift.y)));
        *down = fmax(*down, fabs(shift.z));
    }
}

static void check_wall(int courses, int along)
{
    double aside, down, later, lower;
    build_wall(courses, along);
    // Under sanitizers large walls only begin to settle: small ones come to rest there.
    bool whole = !is_sanitized() || courses * along < 100;
    run(whole ? 5.0 : 0.25);
    find_shift(&aside, &down);
    // A column of bricks that overlap by a share of their height each.
    if (!(aside < 2e-3 && down < 0.005 * courses * height)) {
        fail_msg("%d courses of %d: %g m aside, %g down", courses, along, aside, down);
    }
    run(whole ? 1.0 : 0.0);
    find_shift(&later, &lower);
    if (whole && !(later == aside && lower == down && sn_world_energy(world).kinetic == 0.0)) {
        fail_msg("%d courses of %d move after 5 s", courses, along);
    }
    sn_world_destroy(world);
}

static void walls_stand(void **state)
{
    (void)state;
    static const int courses[] = {6, 8, 12, 16, 24, 40};
    for (size_t i = 0; i < sizeof courses / sizeof *courses; ++i) {
        check_wall(courses[i], 8);
    }
}

static void a_long_wall_stands(void **state)
{
    (void)state;
    check_wall(16, 40);
}

// What stands next to it changes nothing.
static void a_wall_stands_in_a_collapse(void **state)
{
    (void)state;
    double aside, down;
    build_wall(12, 8);
    int own = brick_count;
    for (int i = 0; i < 100; ++i) {
        add_brick(5.0 + 0.3 * (i % 4), 1.0 + 0.1 * (i / 4), length);
    }
    brick_count = own;
    run(is_sanitized() ? 0.5 : 5.0);
    find_shift(&aside, &down);
    assert_true(aside < 2e-3 && down < 0.005 * 12 * height);
    sn_world_destroy(world);
}

// Dice of 1 cm: a step is for them what a sixth of a second is for boxes of a metre. Those of a
// thousand overlapped by half of their size once.
static void small_things_do_not_sink_in(void **state)
{
    (void)state;
    enum { SIDE = 5, LAYERS = 8, COUNT = SIDE * SIDE * LAYERS };
    static sn_boxes_body seen[COUNT];
    static const sn_boxes_body *sorted[COUNT];
    const double size = 0.01;
    build_ground();
    for (int i = 0; i < COUNT; ++i) {
        int layer = i / (SIDE * SIDE);
        double shift = layer % 2 == 0 ? 0.0 : 0.3;
        sn_vec3 at = {1.1 * (i % SIDE) + shift, 1.1 * (i / SIDE % SIDE) + shift, 0.5 + 1.1 * layer};
        add_box(sn_vec3_scale(size, at), sn_vec3_make(size, size, size));
    }
    run(is_sanitized() ? 0.3 : 1.5);
    for (int i = 0; i < COUNT; ++i) {
        sn_transform place = sn_body_transform(world, bricks[i]);
        sn_mat3 rotation = sn_quat_to_mat3(place.rotation);
        sn_vec3_put(seen[i].position, sn_vec3_scale(1.0 / size, place.position));
        for (int k = 0; k < 9; ++k) {
            seen[i].rotation[k] = rotation.m[k / 3][k % 3];
        }
    }
    double deepest = sn_boxes_deepest(seen, COUNT, sorted);
    if (!(deepest < 0.01)) {
        fail_msg("dice overlap by %g of their size", deepest);
    }
    sn_world_destroy(world);
}

// Stones that tumble over each other in some large steps: those that got into others used to stay
// there, whirling, for good.
static void rubble_comes_to_rest(void **state)
{
    (void)state;
    enum { SIDE = 4, COUNT = 96 };
    sn_random random = {.seed = 85};
    sn_error error = {0};
    build_ground();
    for (int i = 0; i < COUNT; ++i) {
        sn_shape stone = random_shape(&random, RANDOM_HULL, sn_vec3_make(0.15, 0.14, 0.13));
        sn_body_def def = sn_default_body_def();
        sn_body body;
        double x = sn_random_range(&random, -0.02, 0.02), y = sn_random_range(&random, -0.02, 0.02);
        stone.density = 2500.0;
        stone.surface.friction = 0.7;
        def.shapes = &stone;
        def.shape_count = 1;
        def.frame.position = sn_vec3_make(0.2 * (i % SIDE) + x, 0.2 * (i / SIDE % SIDE) + y,
                                          0.15 + 0.2 * (i / (SIDE * SIDE)));
        def.frame.rotation = random_turn(&random);
        random_ok(sn_world_add_body(world, &def, &body, &error), &error);
        sn_shape_release(&stone);
    }
    double before = sn_world_energy(world).potential;
    run(is_sanitized() ? 0.5 : 4.0);
    double kinetic = sn_world_energy(world).kinetic;
    if (!is_sanitized() && !(kinetic < 1e-4 * before)) {
        fail_msg("%g J of %g after 4 s", kinetic, before);
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_stand),
        cmocka_unit_test(a_long_wall_stands),
        cmocka_unit_test(a_wall_stands_in_a_collapse),
        cmocka_unit_test(small_things_do_not_sink_in),
        cmocka_unit_test(rubble_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
