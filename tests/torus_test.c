// A torus is round, exactly, to planes and to what is round: distances in closed form or as found
// by looking everywhere, rolling without loss, and rest on top of each other.
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

// ---- spheres, capsules and other tori ----

// The core of what is round: a point, a stretch or a ring, at a share of its length.
static sn_vec3 core_at(const sn_collider *round, const sn_transform *at, double share)
{
    double angle = 2.0 * SN_PI * share;
    sn_vec3 p = round->tube > 0.0
                    ? sn_vec3_make(round->radius * cos(angle), round->radius * sin(angle), 0.0)
                    : sn_vec3_make(0.0, 0.0, (2.0 * share - 1.0) * round->half_height);
    return sn_transform_point(*at, p);
}

static double ring_distance(const sn_collider *torus, const sn_transform *at, sn_vec3 p)
{
    sn_vec3 own = sn_transform_point_inverse(*at, p);
    double across = sqrt(own.x * own.x + own.y * own.y) - torus->radius;
    return sqrt(across * across + own.z * own.z);
}

// By looking at the other's core everywhere, and closer and closer where it is nearest.
static double brute_distance(const sn_collider *torus, const sn_transform *at,
                             const sn_collider *other, const sn_transform *place)
{
    enum { LOOKS = 4000 };
    double best = INFINITY, where = 0.0, step = 1.0 / LOOKS;
    for (int i = 0; i <= LOOKS; ++i) {
        double distance = ring_distance(torus, at, core_at(other, place, i * step));
        where = distance < best ? i * step : where;
        best = fmin(best, distance);
    }
    for (; step > 1e-12; step *= 0.5) {
        for (int side = -1; side <= 1; side += 2) {
            double share = where + side * step;
            share = other->tube > 0.0 ? share : fmin(1.0, fmax(0.0, share));
            double distance = ring_distance(torus, at, core_at(other, place, share));
            where = distance < best ? share : where;
            best = fmin(best, distance);
        }
    }
    return best - torus->tube - (other->tube > 0.0 ? other->tube : other->rounding);
}

static sn_collider random_round(sn_random *random, int kind, double scale)
{
    sn_shape shape = torus_shape(scale * sn_random_range(random, 0.1, 2.0), 0.0);
    shape.tube_radius = shape.radius * sn_random_range(random, 0.05, 0.9);
    sn_collider made;
    switch (kind) {
    case 0:
        return sn_collider_sphere(scale * sn_random_range(random, 0.05, 0.5));
    case 1:
        return sn_collider_capsule(scale * sn_random_range(random, 0.05, 0.3),
                                   scale * sn_random_range(random, 0.05, 2.0));
    default:
        assert_int_equal(sn_collider_make(&shape, &made, NULL), SN_OK);
        return made;
    }
}

static void test_round_distance(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    for (int i = 0; i < 240; ++i) {
        double scale = i % 2 == 0 ? 1.0 : 1e-3;
        sn_collider torus = random_round(&random, 2, scale),
                    other = random_round(&random, i % 3, scale);
        sn_transform at = {random_vector(&random, scale), random_rotation(&random)},
                     place = {random_vector(&random, 2.0 * scale), random_rotation(&random)};
        double gap = brute_distance(&torus, &at, &other, &place);
        sn_vec3 on_a, on_b;
        double told = sn_collide_distance(&torus, &at, &other, &place, NULL, &on_a, &on_b);
        assert_true(fabs(told - gap) < 1e-9 * scale);
        assert_true(fabs(sn_distance(on_a, on_b) - fabs(gap)) < 1e-9 * scale);
        told = sn_collide_distance(&other, &place, &torus, &at, NULL, &on_b, &on_a);
        assert_true(fabs(told - gap) < 1e-9 * scale);
        sn_manifold manifolds[16];
        sn_collide_cache cache = {0};
        double margin = gap + 1e-3 * scale, least = INFINITY;
        int count = sn_collide(&other, &place, &torus, &at, margin, &cache, manifolds, 16, NULL);
        assert_true(count >= 1);
        for (int m = 0; m < count; ++m) {
            for (int k = 0; k < manifolds[m].count; ++k) {
                const sn_manifold_point *point = &manifolds[m].points[k];
                sn_vec3 apart = sn_vec3_sub(point->on_b, point->on_a);
                assert_true(fabs(sn_dot(manifolds[m].normal, apart) - point->gap) < 1e-12 * scale);
                // No farther than asked for, and of both surfaces or inside: never outside.
                assert_true(point->gap <= margin + 1e-12 * scale);
                assert_true(ring_distance(&torus, &at, point->on_b) <= torus.tube + 1e-9 * scale);
                least = fmin(least, point->gap);
            }
        }
        assert_true(fabs(least - gap) < 1e-9 * scale);
        assert_int_equal(sn_collide(&other, &place, &torus, &at, gap - 1e-6 * scale, &cache,
                                    manifolds, 16, NULL),
                         0);
        sn_collider_free(&torus);
        sn_collider_free(&other);
    }
}

static sn_world *world_with_floor(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    sn_body_def floor = sn_default_body_def();
    sn_body unused;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    floor.type = SN_BODY_STATIC;
    floor.shapes = &plane;
    floor.shape_count = 1;
    assert_int_equal(sn_world_add_body(world, &floor, &unused, NULL), SN_OK);
    return world;
}

static sn_body add_body(sn_world *world, sn_shape shape, sn_vec3 position, sn_vec3 velocity)
{
    sn_body_def def = sn_default_body_def();
    sn_body body;
    def.shapes = &shape;
    def.shape_count = 1;
    def.frame.position = position;
    def.velocity = velocity;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

// Rings on top of each other, and a ball in the hole of the last, where it touches all around.
static void test_stack(void **state)
{
    (void)state;
    enum { RINGS = 5 };
    sn_world *world = world_with_floor();
    double radius = 0.1, tube = 0.03, ball = 0.09;
    sn_body bodies[RINGS + 1];
    for (int i = 0; i < RINGS; ++i) {
        bodies[i] = add_body(world, torus_shape(radius, tube),
                             sn_vec3_make(0.0, 0.0, (2 * i + 1) * tube), SN_VEC3_ZERO);
    }
    sn_shape sphere = sn_default_shape();
    sphere.type = SN_SHAPE_SPHERE;
    sphere.radius = ball;
    double reach = ball + tube, above = sqrt(reach * reach - radius * radius);
    double top = (2 * RINGS - 1) * tube + above;
    bodies[RINGS] = add_body(world, sphere, sn_vec3_make(0.0, 0.0, top + 1e-3), SN_VEC3_ZERO);
    for (int i = 0; i < 480; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 240.0, NULL), SN_OK);
    }
    for (int i = 0; i <= RINGS; ++i) {
        sn_vec3 p = sn_body_transform(world, bodies[i]).position;
        double z = i < RINGS ? (2 * i + 1) * tube : top;
        assert_true(fabs(p.z - z) < 1e-4 * radius);
        assert_true(fabs(p.x) < 0.02 * radius && fabs(p.y) < 0.02 * radius);
        assert_true(sn_length(sn_body_velocity(world, bodies[i])) < 1e-6);
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_height),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_round_distance),
        cmocka_unit_test(test_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
