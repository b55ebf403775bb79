// Elastic bodies that nothing touches, in steps too long for how they move: momentum and angular
// momentum stay, energy does not grow, and a hand's spring keeps to its rule.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "sinew/sinew.h"

static const double h = 1.0 / 60.0;

typedef struct flight {
    sn_world *world;
    sn_body body;
    double mass;
    sn_vec3 momentum, angular_momentum; // at the start, like energy
    double energy, kinetic;
} flight;

// The mesh is given away.
static flight launch(sn_elastic_def *def, sn_tetrahedra *mesh, sn_elastic_law law, double modulus,
                     double gravity)
{
    flight f;
    sn_error error = {0};
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = (sn_vec3){0.0, 0.0, -gravity};
    assert_int_equal(sn_world_create(&world_def, &f.world, NULL), SN_OK);
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(law, modulus, 0.3);
    def->mesh = mesh;
    def->materials = &material;
    def->material_count = 1;
    assert_int_equal(sn_world_add_elastic(f.world, def, &f.body, &error), SN_OK);
    sn_tetrahedra_release(mesh);
    f.mass = sn_body_mass_properties(f.world, f.body).mass;
    f.momentum = sn_world_momentum(f.world);
    f.angular_momentum = sn_world_angular_momentum(f.world);
    f.energy = sn_world_energy(f.world).total;
    f.kinetic = sn_world_energy(f.world).kinetic;
    return f;
}

// p = p0 + m g t, L = L0 + (p0 t^2 / 2) x g for what starts at the origin, E <= E0 but for a share.
static void fly(flight *f, double gravity, int steps, double share, double radius)
{
    sn_vec3 down = {0.0, 0.0, -gravity};
    double scale = sn_length(f->momentum) + f->mass * gravity * h * steps +
                   sqrt(2.0 * f->mass * f->kinetic),
           reach = radius + scale / f->mass * h * steps;
    for (int i = 1; i <= steps; ++i) {
        double t = i * h;
        sn_error error = {0};
        assert_int_equal(sn_world_step(f->world, h, &error), SN_OK);
        sn_vec3 p = sn_vec3_add_scaled(f->momentum, f->mass * t, down);
        sn_vec3 l =
            sn_vec3_add_scaled(f->angular_momentum, 0.5 * t * t, sn_cross(f->momentum, down));
        sn_vec3 off = sn_vec3_sub(sn_world_momentum(f->world), p),
                turned = sn_vec3_sub(sn_world_angular_momentum(f->world), l);
        assert_true(sn_length(off) <= 1e-11 * scale);
        assert_true(sn_length(turned) <= 1e-11 * scale * reach);
        assert_true(sn_world_energy(f->world).total <= f->energy + share * f->kinetic);
    }
}

// A stiff bar that turns by a third of a radian in a step: Euler's rule loses angular momentum,
// and what brings it back does not strain the bar.
static void a_turning_bar_is_not_strained(void **state)
{
    (void)state;
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        sn_tetrahedra_box box = sn_default_tetrahedra_box();
        box.size = (sn_vec3){0.5, 0.05, 0.03};
        box.cells[0] = 10;
        box.cells[1] = box.cells[2] = 1;
        sn_tetrahedra *mesh = NULL;
        assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
        sn_elastic_def def = sn_default_elastic_def();
        def.integrator = SN_INTEGRATOR_IMPLICIT_EULER;
        def.velocity = (sn_vec3){1.0, 2.0, 3.0};
        def.angular_velocity = (sn_vec3){0.0, 12.0, 16.0};
        flight f = launch(&def, mesh, (sn_elastic_law)law, 1e7, 0.0);
        fly(&f, 0.0, 30, 0.01, 0.25);
        assert_true(sn_world_energy(f.world).potential <= 1e-2 * f.kinetic);
        sn_world_destroy(f.world);
    }
}

// Every vertex has a velocity of its own, and steps are as long as the vibrations.
static void violent_vibrations_do_not_grow(void **state)
{
    (void)state;
    for (int i = 0; i < 4 * SN_ELASTIC_LAW_COUNT; ++i) {
        sn_random random = {.seed = 11, .stream = (uint64_t)i};
        sn_tetrahedra *mesh = NULL;
        assert_int_equal(sn_tetrahedra_make_sphere(0.1, 1, &mesh, NULL), SN_OK);
        int count = sn_tetrahedra_vertex_count(mesh);
        sn_vec3 *velocities = calloc((size_t)count, sizeof *velocities);
        for (int k = 0; k < count; ++k) {
            velocities[k] =
                (sn_vec3){sn_random_range(&random, -8.0, 8.0), sn_random_range(&random, -8.0, 8.0),
                          sn_random_range(&random, -8.0, 8.0)};
        }
        sn_elastic_def def = sn_default_elastic_def();
        def.integrator = i % 2 == 0 ? SN_INTEGRATOR_LIE_MIDPOINT : SN_INTEGRATOR_IMPLICIT_EULER;
        def.positions = sn_tetrahedra_positions(mesh);
        def.velocities = velocities;
        def.stiffness_damping = i % 4 < 2 ? 0.0 : 0.002;
        double gravity = i % 2 == 0 ? 9.81 : 0.0; // of which Euler's rule falls behind
        flight f = launch(&def, mesh, (sn_elastic_law)(i / 4), 1e6, gravity);
        free(velocities);
        fly(&f, gravity, 60, 0.01, 0.1);
        sn_world_destroy(f.world);
    }
}

// A stiff cube on a hand's spring is a mass on one: m x'' = -k (x - d). The midpoint rule turns its
// phase by 2 atan(w h / 2) a step, at any step.
static void a_hand_is_a_spring(void **state)
{
    (void)state;
    const double turns[] = {3.0, 1.0, 0.1};
    for (int i = 0; i < 3; ++i) {
        sn_tetrahedra_box box = sn_default_tetrahedra_box();
        box.size = (sn_vec3){0.05, 0.05, 0.05};
        box.cells[0] = box.cells[1] = box.cells[2] = 1;
        sn_tetrahedra *mesh = NULL;
        assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
        sn_elastic_def def = sn_default_elastic_def();
        def.integrator = SN_INTEGRATOR_LIE_MIDPOINT;
        flight f = launch(&def, mesh, SN_ELASTIC_COROTATIONAL, 1e9, 0.0);
        sn_vec3 start = sn_body_centre(f.world, f.body);
        double w = turns[i] / h, reach = 0.1, step = 2.0 * atan(0.5 * turns[i]);
        sn_pull_def hand = {.name = "hand",
                            .body = f.body,
                            .point = start,
                            .target = {start.x + reach, start.y, start.z},
                            .stiffness = f.mass * w * w};
        sn_field field;
        assert_int_equal(sn_world_add_pull(f.world, &hand, &field, NULL), SN_OK);
        for (int k = 1; k <= 60; ++k) {
            sn_error error = {0};
            assert_int_equal(sn_world_step(f.world, h, &error), SN_OK);
            double x = sn_body_centre(f.world, f.body).x - start.x;
            assert_true(fabs(x - reach * (1.0 - cos(k * step))) <= 1e-3 * reach);
        }
        sn_world_destroy(f.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turning_bar_is_not_strained),
        cmocka_unit_test(violent_vibrations_do_not_grow),
        cmocka_unit_test(a_hand_is_a_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
