// `contact.method: impulse` in whole worlds: balls, rods and leaves that strike a floor once, by
// closed forms and by the blow at their point; and energy.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "random_vector.h"
#include "sanitized.h"
#include "solve/point_impact.h"
#include "world_steps.h"

typedef struct surfaces {
    double friction, restitution;
} surfaces;

static sn_world *make_world(surfaces of, sn_vec3 gravity)
{
    sn_world_def def = sn_default_world_def();
    def.gravity = gravity;
    def.contact.method = SN_CONTACT_IMPULSE;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    sn_shape plane = sn_default_shape();
    plane.type = SN_SHAPE_PLANE;
    plane.surface.friction = of.friction;
    plane.surface.restitution = of.restitution;
    sn_body_def floor = sn_default_body_def();
    floor.name = "floor";
    floor.type = SN_BODY_STATIC;
    floor.shapes = &plane;
    floor.shape_count = 1;
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &floor, &body, NULL), SN_OK);
    return world;
}

static sn_body add_body(sn_world *world, const sn_shape *shape, sn_transform frame,
                        sn_vec3 velocity, sn_vec3 turning)
{
    sn_body_def def = sn_default_body_def();
    def.shapes = shape;
    def.shape_count = 1;
    def.frame = frame;
    def.velocity = velocity;
    def.angular_velocity = turning;
    sn_body body;
    assert_int_equal(sn_world_add_body(world, &def, &body, NULL), SN_OK);
    return body;
}

// Until it has struck and left, or is at rest on the floor: at most so many steps.
static void strike(sn_world *world, sn_body body, double h, int most)
{
    bool struck = false;
    for (int i = 0; i < most; ++i) {
        sn_vec3 before = sn_body_velocity(world, body);
        advance(world, h, 1);
        bool hit = sn_distance(before, sn_body_velocity(world, body)) > 1e-9;
        if (struck && !hit) {
            return;
        }
        struck = struck || hit;
    }
    assert_true(struck);
}

// ---- balls ----

// P_N = m (1 + e) |u_n|; P_T stops the point of contact (2/7 m |u_t| of a full ball) or is friction
// P_N.
static void balls_bounce_by_closed_forms(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    double worst = 0.0;
    for (int i = 0; i < rounds_of(200, 20); ++i) {
        double r = sn_random_range(&random, 0.02, 0.3);
        surfaces of = {i % 4 == 0 ? 0.0 : sn_random_range(&random, 0.0, 1.0),
                       i % 3 == 0 ? 0.0 : sn_random_unit(&random)};
        sn_shape ball = sn_default_shape();
        ball.type = SN_SHAPE_SPHERE;
        ball.radius = r;
        ball.density = 1000.0;
        ball.surface.friction = of.friction;
        ball.surface.restitution = of.restitution;
        sn_vec3 v = random_vector(&random, 3.0), w = random_vector(&random, 5.0);
        v.z = -fabs(v.z) - 0.3;
        sn_world *world = make_world(of, SN_VEC3_ZERO);
        sn_transform frame = SN_TRANSFORM_IDENTITY;
        frame.position.z = r + 1e-4;
        sn_body body = add_body(world, &ball, frame, v, w);
        double m = sn_body_mass_properties(world, body).mass;
        strike(world, body, 1e-6, 400);
        // The point of contact, and what the closed form makes of its velocity.
        sn_vec3 arm = {0, 0, -r}, u = sn_vec3_add(v, sn_cross(w, arm));
        double normal = -m * (1.0 + of.restitution) * v.z, slip = sqrt(u.x * u.x + u.y * u.y);
        double along = fmin(of.friction * normal, 2.0 / 7.0 * m * slip) / slip;
        sn_vec3 p = {-along * u.x, -along * u.y, normal};
        sn_vec3 expected = sn_vec3_add_scaled(v, 1.0 / m, p);
        sn_vec3 turning = sn_vec3_add_scaled(w, 2.5 / (m * r * r), sn_cross(arm, p));
        double size = sn_length(v) + r * sn_length(w);
        double off = sn_distance(sn_body_velocity(world, body), expected) +
                     r * sn_distance(sn_body_angular_velocity(world, body), turning);
        worst = fmax(worst, off / size);
        if (of.friction == 0.0) {
            sn_vec3 now = sn_body_velocity(world, body);
            assert_true(fabs(now.x - v.x) < 1e-12 && fabs(now.y - v.y) < 1e-12);
        }
        sn_world_destroy(world);
    }
    print_message("balls: off by up to %.1e\n", worst);
    assert_true(worst < 1e-4); // a ball falls by h v while it is struck
}

// ---- rods and leaves ----

// How a body answers at a point: K, with the normal up along the first axis.
static sn_sym3 answer_at(const sn_world *world, sn_body body, sn_vec3 point)
{
    sn_mass_properties mass = sn_body_mass_properties(world, body);
    sn_mat3 rotation = sn_quat_to_mat3(sn_body_transform(world, body).rotation), inverse;
    sn_mat3 inertia =
        sn_mat3_multiply(sn_mat3_multiply(rotation, mass.inertia), sn_mat3_transpose(rotation));
    inverse = sn_mat3_inverse(inertia);
    sn_mat3 arm = sn_mat3_cross(sn_vec3_sub(point, sn_body_centre(world, body)));
    sn_mat3 k = sn_mat3_scale(-1.0, sn_mat3_multiply(sn_mat3_multiply(arm, inverse), arm));
    for (int i = 0; i < 3; ++i) {
        k.m[i][i] += 1.0 / mass.mass;
    }
    return (sn_sym3){k.m[2][2], k.m[2][0], k.m[2][1], k.m[0][0], k.m[0][1], k.m[1][1]};
}

// The lowest corner of a box.
static sn_vec3 lowest_corner(sn_transform frame, sn_vec3 size)
{
    sn_vec3 best = {0, 0, INFINITY};
    for (int i = 0; i < 8; ++i) {
        sn_vec3 corner = {(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y,
                          (i & 4 ? 0.5 : -0.5) * size.z};
        sn_vec3 at = sn_transform_point(frame, corner);
        best = at.z < best.z ? at : best;
    }
    return best;
}

static void rods_and_leaves_strike_as_their_point_does(void **state)
{
    (void)state;
    sn_random random = {.seed = 12};
    double worst = 0.0;
    int stuck = 0;
    for (int i = 0; i < rounds_of(200, 20); ++i) {
        bool rod = i % 2 == 0;
        sn_shape shape = sn_default_shape();
        shape.type = SN_SHAPE_BOX;
        shape.size = sn_vec3_make(sn_random_range(&random, 0.2, 0.6),
                                  rod ? 0.02 : sn_random_range(&random, 0.2, 0.6), 0.02);
        shape.density = 700.0;
        surfaces of = {sn_random_range(&random, 0.0, 1.2),
                       i % 3 == 0 ? 0.0 : sn_random_unit(&random)};
        shape.surface.friction = of.friction;
        shape.surface.restitution = of.restitution;
        sn_transform frame = {SN_VEC3_ZERO, random_rotation(&random)};
        frame.position.z = 5e-6 - lowest_corner(frame, shape.size).z;
        sn_vec3 v = random_vector(&random, 2.0), w = random_vector(&random, 3.0);
        v.z = -fabs(v.z) - 1.0;
        sn_world *world = make_world(of, SN_VEC3_ZERO);
        sn_body body = add_body(world, &shape, frame, v, w);
        double mass = sn_body_mass_properties(world, body).mass;
        sn_vec3 point = lowest_corner(frame, shape.size), arm = sn_vec3_sub(point, frame.position);
        sn_vec3 u = sn_vec3_add(v, sn_cross(w, arm));
        if (u.z < -0.3) {
            sn_sym3 k = answer_at(world, body, point);
            sn_point_impact hit =
                sn_point_impact_find(&k, sn_vec3_make(u.z, u.x, u.y), of.friction, of.restitution);
            sn_vec3 p = {hit.impulse.y, hit.impulse.z, hit.impulse.x};
            sn_vec3 expected = sn_vec3_add_scaled(v, 1.0 / mass, p);
            double before = sn_world_energy(world).kinetic;
            strike(world, body, 1e-7, 600);
            double off = sn_distance(sn_body_velocity(world, body), expected);
            worst = fmax(worst, off / sn_length(v));
            stuck += hit.sticks;
            assert_true(sn_world_energy(world).kinetic <= before * (1.0 + 1e-9));
        }
        sn_world_destroy(world);
    }
    print_message("rods and leaves: %d stick, off by up to %.1e\n", stuck, worst);
    assert_true(stuck > 0 && worst < 1e-3);
}

// ---- energy ----

// Balls, rods and leaves fall on a floor and on each other, at the default step.
static void heaps_do_not_gain_energy(void **state)
{
    (void)state;
    for (int run = 0; run < rounds_of(12, 2); ++run) {
        sn_random random = {.seed = (uint64_t)(100 + run)};
        surfaces of = {sn_random_range(&random, 0.0, 1.0), sn_random_range(&random, 0.0, 0.8)};
        sn_world *world = make_world(of, sn_vec3_make(0, 0, -9.81));
        for (int i = 0; i < 6; ++i) {
            sn_shape shape = sn_default_shape();
            shape.type = i % 3 == 0 ? SN_SHAPE_SPHERE : SN_SHAPE_BOX;
            shape.radius = 0.1;
            shape.size = sn_vec3_make(0.4, i % 3 == 1 ? 0.03 : 0.3, 0.03);
            shape.surface.friction = of.friction;
            shape.surface.restitution = of.restitution;
            sn_vec3 place = random_vector(&random, 0.3);
            place.z = 0.5 + 0.6 * i;
            add_body(world, &shape, (sn_transform){place, random_rotation(&random)},
                     random_vector(&random, 1.0), random_vector(&random, 3.0));
        }
        double least = sn_world_energy(world).total, stake = least, rise = 0.0;
        for (int i = 0; i < 720; ++i) {
            advance(world, 1.0 / 240.0, 1);
            double energy = sn_world_energy(world).total;
            rise = fmax(rise, energy - least);
            least = fmin(least, energy);
        }
        print_message("run %d: friction %.2f, restitution %.2f: rises by %.1e of %.0f J\n", run,
                      of.friction, of.restitution, rise / stake, stake);
        assert_true(rise < 0.01 * stake);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_bounce_by_closed_forms),
        cmocka_unit_test(rods_and_leaves_strike_as_their_point_does),
        cmocka_unit_test(heaps_do_not_gain_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
