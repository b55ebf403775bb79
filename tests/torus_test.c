// A torus over a plane is round, exactly: heights in closed form, and rolling without loss.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/query.h"
#include "random_vector.h"
#include "sinew/contact.h"

static sn_shape torus_shape(double radius, double tube)
{
    sn_shape shape = sn_default_shape();
    shape.type = SN_SHAPE_TORUS;
    shape.radius = radius;
    shape.tube_radius = tube;
    return shape;
}

// The lowest point of a ring with the axis z over the plane of normal n is radius sqrt(1 - (z .
// n)^2) below its middle, and the tube's below that.
static void test_height(void **state)
{
    (void)state;
    sn_random random = {.seed = 7};
    for (int i = 0; i < 200; ++i) {
        double scale = i % 2 == 0 ? 1.0 : 1e-3, tube = scale * sn_random_range(&random, 0.02, 0.9);
        sn_shape shape = torus_shape(scale, tube);
        sn_collider torus, plane = sn_collider_plane();
        assert_int_equal(sn_collider_make(&shape, &torus, NULL), SN_OK);
        sn_transform at = {random_vector(&random, scale), random_rotation(&random)},
                     floor = {random_vector(&random, scale), random_rotation(&random)};
        sn_vec3 n = sn_rotate(floor.rotation, sn_vec3_make(0, 0, 1)), on_a, on_b,
                axis = sn_rotate(at.rotation, sn_vec3_make(0, 0, 1));
        double height = sn_dot(n, sn_vec3_sub(at.position, floor.position));
        double gap = height - scale * sn_length(sn_cross(n, axis)) - tube;
        double told = sn_collide_distance(&torus, &at, &plane, &floor, NULL, &on_a, &on_b);
        assert_true(fabs(told - gap) < 1e-12 * scale);
        assert_true(fabs(sn_distance(on_a, on_b) - fabs(gap)) < 1e-12 * scale);
        sn_manifold manifolds[2];
        sn_collide_cache cache = {0};
        double margin = gap + 1e-3 * scale;
        int count = sn_collide(&plane, &floor, &torus, &at, margin, &cache, manifolds, 2, NULL);
        assert_int_equal(count, 1);
        assert_true(sn_distance(manifolds[0].normal, n) < 1e-12);
        double least = INFINITY;
        for (int k = 0; k < manifolds[0].count; ++k) {
            const sn_manifold_point *point = &manifolds[0].points[k];
            least = fmin(least, point->gap);
            assert_true(fabs(sn_dot(n, sn_vec3_sub(point->on_b, point->on_a)) - point->gap) <
                        1e-12 * scale);
        }
        assert_true(fabs(least - gap) < 1e-12 * scale);
        assert_int_equal(
            sn_collide(&plane, &floor, &torus, &at, gap - 1e-9 * scale, &cache, manifolds, 2, NULL),
            0);
        // Bounds hold it: along n it reaches as far below its middle as above.
        sn_aabb box = sn_collider_bounds(&torus, &at);
        double across = scale * sqrt(1.0 - axis.x * axis.x) + tube;
        assert_true(fabs(box.upper.x - at.position.x - across) < 1e-9 * scale);
        sn_collider_free(&torus);
    }
}

// Down 20 degrees: a = g sin / (1 + I / (m r^2)), r the outer radius, and no energy is lost.
static void test_rolling(void **state)
{
    (void)state;
    double slope = 20.0 * SN_PI / 180.0, h = 1.0 / 240.0, outer = 0.12;
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    sn_shape plane = sn_default_shape(), ring = torus_shape(0.1, 0.02);
    plane.type = SN_SHAPE_PLANE;
    ring.frame.rotation = (sn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0}; // its axis along y
    sn_quat leaning = {cos(0.5 * slope), 0.0, sin(0.5 * slope), 0.0};
    sn_body_def floor = sn_default_body_def(), body = sn_default_body_def();
    sn_body unused, rolls;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    floor.type = SN_BODY_STATIC;
    floor.shapes = &plane;
    floor.shape_count = 1;
    floor.frame.rotation = leaning;
    assert_int_equal(sn_world_add_body(world, &floor, &unused, NULL), SN_OK);
    body.shapes = &ring;
    body.shape_count = 1;
    body.frame.position = sn_rotate(leaning, sn_vec3_make(0.0, 0.0, outer));
    assert_int_equal(sn_world_add_body(world, &body, &rolls, NULL), SN_OK);
    sn_mass_properties mass = sn_body_mass_properties(world, rolls);
    double before = sn_world_energy(world).total, weight = mass.mass * 9.81 * outer;
    for (int i = 0; i < 480; ++i) {
        assert_int_equal(sn_world_step(world, h, NULL), SN_OK);
    }
    double pull = 9.81 * sin(slope) / (1.0 + mass.inertia.m[1][1] / (mass.mass * outer * outer));
    assert_true(fabs(sn_length(sn_body_velocity(world, rolls)) - 2.0 * pull) < 1e-6 * pull);
    assert_true(fabs(sn_world_energy(world).total - before) < 1e-9 * weight);
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_height),
        cmocka_unit_test(test_rolling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
