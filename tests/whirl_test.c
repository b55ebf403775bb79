// Bodies that turn by radians in a step: free flight keeps their energy and momentum, contacts are
// carried along with them, and what strikes them gains nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/rigid/rigid.h"
#include "math/rotation.h"
#include "random_shape.h"
#include "solve/contact.h"

typedef struct spinner {
    sn_rigid_mass mass;
    sn_quat rotation;
    sn_vec3 w;
} spinner;

static double energy_of(const spinner *s)
{
    return 0.5 * sn_dot(s->w, sn_vec3_multiply(s->mass.inertia, s->w));
}

static sn_vec3 momentum_of(const spinner *s)
{
    return sn_rotate(s->rotation, sn_vec3_multiply(s->mass.inertia, s->w));
}

// Principal moments of a body with these second moments of mass: ascending for descending ones.
static spinner spinner_of(sn_random *random, double x, double y, double z)
{
    return (spinner){.mass = sn_rigid_mass_make(1.0, sn_vec3_make(y + z, x + z, x + y)),
                     .rotation = random_turn(random),
                     .w = random_direction(random)};
}

static spinner random_spinner(sn_random *random)
{
    double z = random_decade(random, 0.0, 1.0), y = z + random_decade(random, -2.0, 1.0),
           x = y + random_decade(random, -2.0, 1.0);
    return spinner_of(random, x, y, z);
}

static void free_flight_keeps_energy_and_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 300; ++i) {
        sn_random random = {.seed = 81, .stream = (uint64_t)i};
        spinner s = random_spinner(&random);
        double h = random_decade(&random, 0.7, 4.0); // up to 10,000 rad at once
        double energy = energy_of(&s);
        sn_vec3 momentum = momentum_of(&s);
        for (int k = 0; k < 10; ++k) {
            sn_free_rotation(&s.mass, h, &s.rotation, &s.w);
            double off = fabs(energy_of(&s) / energy - 1.0);
            double turned = sn_distance(momentum_of(&s), momentum) / sn_length(momentum);
            if (!(off < 1e-2 && turned < 1e-12)) {
                fail_msg("body %d, h %g: energy off by %g, momentum by %g", i, h, off, turned);
            }
        }
    }
}

static void parts_of_a_long_flight_add_up(void **state)
{
    (void)state;
    for (int i = 0; i < 50; ++i) {
        sn_random random = {.seed = 82, .stream = (uint64_t)i};
        bool even = i % 2 == 0; // two equal moments: exact
        spinner s = even ? spinner_of(&random, 3.0, 3.0, 1.0) : spinner_of(&random, 3.0, 2.0, 1.0);
        spinner fine = s;
        double h = even ? 200.0 : 12.0;
        int parts = even ? 100 : 4000;
        sn_free_rotation(&s.mass, h, &s.rotation, &s.w);
        for (int k = 0; k < parts; ++k) {
            sn_free_rotation(&fine.mass, h / parts, &fine.rotation, &fine.w);
        }
        sn_quat apart = sn_quat_multiply(sn_quat_conjugate(s.rotation), fine.rotation);
        double angle = 2.0 * sn_length(sn_vec3_make(apart.x, apart.y, apart.z));
        if (!(angle < (even ? 1e-10 : 0.05))) {
            fail_msg("body %d: %g rad apart", i, angle);
        }
    }
}

// A ball that flies and spins touches the ground below its middle, a corner goes round with its
// body, what nobody knows the owner of (edges that cross) half the way: wherever they have come to
// since the middle of the step.
static void contacts_go_along(void **state)
{
    (void)state;
    const double t = 0.3, radius = 0.5;
    for (int i = 0; i < 60; ++i) {
        sn_random random = {.seed = 83, .stream = (uint64_t)i};
        bool round = i % 3 == 0, corner = i % 3 == 1;
        const uint32_t own_corner = 2u << 16, crossing = 3u | 3u << 16; // see manifold.h
        sn_rigid_set set;
        sn_rigid_set_init(&set);
        sn_rigid_def def = {.mass = {.mass = 1.0, .inertia = sn_mat3_diagonal((sn_vec3){1, 1, 1})},
                            .frame = {random_vec3(&random, 1.0), random_turn(&random)},
                            .velocity = random_vec3(&random, 10.0),
                            .angular_velocity = random_vec3(&random, 20.0),
                            .radius = radius};
        assert_int_equal(sn_rigid_add(&set, &def), 0);
        sn_vec3 before = sn_vec3_add_scaled(def.frame.position, -t, def.velocity);
        sn_vec3 arm =
            sn_vec3_scale(radius, round ? sn_vec3_make(0.0, 0.0, -1.0) : random_direction(&random));
        sn_vec3 at = sn_vec3_add(before, arm);
        sn_contact contact = {
            .a = {-1, -1, 0},
            .b = {0, 0, 0},
            .normal = {0.0, 0.0, 1.0},
            .round_b = round ? radius : 0.0,
            .count = 1,
            .points = {{.on_a = at, .on_b = at, .feature = corner ? own_corner : crossing}}};
        sn_agent_set *sets[1] = {&set.agents};
        sn_contact_carry(&contact, sets, t);
        sn_quat turn = sn_quat_exp(sn_vec3_scale(t, def.angular_velocity));
        sn_vec3 now = sn_vec3_add(def.frame.position, round ? arm : sn_rotate(turn, arm));
        sn_vec3 due = round || corner ? now : sn_vec3_scale(0.5, sn_vec3_add(at, now));
        assert_true(sn_distance(contact.points[0].on_b, due) < 1e-12 * (1.0 + sn_length(due)));
        assert_true(sn_distance(contact.normal, sn_vec3_make(0.0, 0.0, 1.0)) < 1e-15);
        sn_rigid_set_free(&set);
    }
}

// Boxes, capsules and hulls that whirl a little above the ground, and come down on it.
static void whirling_bodies_gain_nothing(void **state)
{
    (void)state;
    const double h = 1.0 / 60.0;
    int struck = 0, slowed = 0;
    for (int i = 0; i < 60; ++i) {
        sn_random random = {.seed = 84, .stream = (uint64_t)i};
        sn_world_def def = sn_default_world_def();
        sn_body_def body = sn_default_body_def(), ground = sn_default_body_def();
        sn_shape shape = random_shape(&random, (random_kind)(i % RANDOM_CONVEX_KINDS),
                                      sn_vec3_make(0.1, 0.2, 0.3));
        sn_shape plane = sn_default_shape();
        sn_error error = {0};
        sn_world *world;
        sn_body own, floor;
        def.gravity = SN_VEC3_ZERO;
        random_ok(sn_world_create(&def, &world, &error), &error);
        plane.type = SN_SHAPE_PLANE;
        plane.surface.restitution = i % 3 == 0 ? 0.0 : 0.8;
        ground.type = SN_BODY_STATIC;
        ground.shapes = &plane;
        body.shapes = &shape;
        body.shape_count = ground.shape_count = 1;
        body.frame = (sn_transform){{0.0, 0.0, 0.4}, random_turn(&random)};
        body.velocity = sn_vec3_make(1.0, 0.0, -sn_random_range(&random, 1.0, 20.0));
        body.angular_velocity =
            sn_vec3_scale(random_decade(&random, 1.0, 3.0), random_direction(&random));
        random_ok(sn_world_add_body(world, &ground, &floor, &error), &error);
        random_ok(sn_world_add_body(world, &body, &own, &error), &error);
        double first = sn_world_energy(world).kinetic, energy = first;
        bool gained = false;
        for (int k = 0; k < 20; ++k) {
            random_ok(sn_world_step(world, h, &error), &error);
            double now = sn_world_energy(world).kinetic;
            if (!(now <= 1.02 * energy + 1e-4 * first)) {
                fail_msg("body %d, step %d: %g J after %g", i, k, now, energy);
            }
            energy = now;
            struck += sn_length(sn_body_contact_force(world, own, NULL)) > 0.0;
            gained = gained || sn_world_report(world).velocity_scaled > 0;
        }
        slowed += gained;
        sn_shape_release(&shape);
        sn_world_destroy(world);
    }
    assert_true(struck >= 60);
    assert_int_equal(slowed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_flight_keeps_energy_and_momentum),
        cmocka_unit_test(parts_of_a_long_flight_add_up),
        cmocka_unit_test(contacts_go_along),
        cmocka_unit_test(whirling_bodies_gain_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
