// Elastic bodies that explode: what is told, what ends a step, and what is no explosion however
// wild it looks; and the longest explicit step, held against steps on both sides of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/sinew.h"

typedef struct block {
    sn_elastic_law law;
    sn_integrator integrator;
    sn_elastic_mass mass;
    double mass_damping, fibre;
    int nodes;
    sn_vec3 velocity, spin;
    double pull; // its length, by its length at rest; 0: as it is
} block;

static sn_world *make_world(const block *b, sn_body *body)
{
    sn_world *world = NULL;
    sn_error error = {0};
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = SN_VEC3_ZERO;
    assert_int_equal(sn_world_create(&world_def, &world, NULL), SN_OK);
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = (sn_vec3){0.1, 0.1, 0.1};
    box.cells[0] = box.cells[1] = box.cells[2] = 2;
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    if (b->nodes == 10) {
        sn_tetrahedra *bent = NULL;
        assert_int_equal(sn_tetrahedra_quadratic(mesh, &bent, NULL), SN_OK);
        sn_tetrahedra_release(mesh);
        mesh = bent;
    }
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(b->law, 2e5, 0.4);
    material.elastic.fibre_stiffness = b->fibre;
    material.elastic.fibre = (sn_vec3){1.0, 0.0, 0.0};
    sn_elastic_def def = sn_default_elastic_def();
    def.name = "block";
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.integrator = b->integrator;
    def.mass = b->mass;
    def.mass_damping = b->mass_damping;
    def.velocity = b->velocity;
    def.angular_velocity = b->spin;
    if (sn_world_add_elastic(world, &def, body, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_tetrahedra_release(mesh);
    if (b->pull > 0.0) {
        sn_vec3 x[200];
        int count = sn_body_vertex_count(world, *body);
        assert_true(count <= 200 && sn_body_read_vertices(world, *body, x, NULL));
        for (int i = 0; i < count; ++i) {
            x[i].x *= b->pull;
        }
        assert_int_equal(sn_body_write_vertices(world, *body, x, NULL, NULL), SN_OK);
    }
    return world;
}

// ---- what ends a step ----

// Every law under steps that are much too long: none goes on with numbers that mean nothing, the
// thesis' own neither, whose elements stay as long as they are and are pressed flat.
static void every_law_is_told(void **state)
{
    (void)state;
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        block b = {.law = (sn_elastic_law)law,
                   .integrator = SN_INTEGRATOR_SYMPLECTIC_EULER,
                   .spin = {1.0, 2.0, 3.0}};
        sn_body body;
        sn_world *world = make_world(&b, &body);
        sn_error error = {0};
        sn_status status = SN_OK;
        double end = 0.0;
        for (int i = 0; i < 200 && status == SN_OK; ++i) {
            end = sn_world_time(world);
            status = sn_world_step(world, 1.0 / 240.0, &error);
        }
        const char *text = sn_error_message(&error);
        assert_int_equal(status, SN_ERROR_DIVERGED);
        assert_non_null(strstr(text, "body 'block', step "));
        assert_non_null(strstr(text, "it has exploded at 0.0"));
        assert_non_null(strstr(text, "too long for symplectic_euler, which bears 0.0018 s"));
        assert_true(sn_world_time(world) == end); // undone
        assert_true(isfinite(sn_world_energy(world).total));
        sn_world_destroy(world);
    }
}

// ---- what is told ----

static void what_no_material_holds_is_told(void **state)
{
    (void)state;
    static const double pulls[] = {1.0, 12.0, 100.0, 900.0, 3000.0};
    for (int i = 0; i < 5; ++i) {
        block b = {.law = SN_ELASTIC_COROTATIONAL,
                   .integrator = SN_INTEGRATOR_IMPLICIT_EULER,
                   .pull = pulls[i]};
        sn_body body;
        sn_world *world = make_world(&b, &body);
        sn_error error = {0};
        sn_status status = sn_world_step(world, 1e-6, &error);
        sn_step_report report = sn_world_report(world);
        assert_int_equal(status, i == 4 ? SN_ERROR_DIVERGED : SN_OK);
        if (i == 4) {
            assert_non_null(strstr(sn_error_message(&error), "what acts on it is too strong"));
        } else {
            assert_int_equal(report.exploding, i >= 2);
            assert_int_equal(report.worst[SN_COUNTER_EXPLODING].body.index,
                             i >= 2 ? body.index : 0);
        }
        sn_world_destroy(world);
    }
}

// Speed alone is none, nor is a spin that pulls a body long, nor stiff fibres in soft flesh.
static void what_is_only_fast_is_not_told(void **state)
{
    (void)state;
    const block blocks[] = {
        {.law = SN_ELASTIC_COROTATIONAL, .velocity = {1e6, 0.0, 0.0}},
        {.law = SN_ELASTIC_NEO_HOOKEAN, .spin = {0.0, 0.0, 300.0}},
        {.law = SN_ELASTIC_NEO_HOOKEAN, .fibre = 1e9, .pull = 1.5},
        {.law = SN_ELASTIC_NEO_HOOKEAN, .pull = 0.01},
        {.law = SN_ELASTIC_NEO_HOOKEAN, .pull = -1.0},
        {.law = SN_ELASTIC_LIESENFELD, .pull = 0.05},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        sn_body body;
        sn_world *world = make_world(&blocks[i], &body);
        for (int k = 0; k < 20; ++k) {
            sn_error error = {0};
            if (sn_world_step(world, 1.0 / 240.0, &error) != SN_OK) {
                fail_msg("block %zu: %s", i, sn_error_message(&error));
            }
            assert_int_equal(sn_world_report(world).exploding, 0);
        }
        sn_world_destroy(world);
    }
}

// ---- the longest step ----

// Whether energy stays of the order it had over so many steps: near the bound it swings.
static bool keeps(const block *b, double share, int steps)
{
    sn_body body;
    sn_world *world = make_world(b, &body);
    double h = share * sn_body_longest_step(world, body);
    double energy = sn_world_energy(world).total;
    bool kept = true;
    for (int i = 0; i < steps && kept; ++i) {
        kept =
            sn_world_step(world, h, NULL) == SN_OK && sn_world_energy(world).total < 100.0 * energy;
    }
    sn_world_destroy(world);
    return kept;
}

static void the_longest_step_divides_good_from_bad(void **state)
{
    (void)state;
    const block blocks[] = {
        {.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER},
        {.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER, .mass = SN_ELASTIC_MASS_CONSISTENT},
        {.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER, .mass_damping = 300.0},
        {.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER, .nodes = 10},
        {.integrator = SN_INTEGRATOR_SYMPLECTIC_EULER, .fibre = 1e6},
        {.integrator = SN_INTEGRATOR_RK4},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        block b = blocks[i];
        b.law = b.fibre > 0.0 ? SN_ELASTIC_NEO_HOOKEAN : SN_ELASTIC_COROTATIONAL;
        b.pull = 1.0001;
        b.spin = (sn_vec3){0.01, 0.02, 0.03}; // so that no mode is left out
        if (!keeps(&b, 0.9, 2000) || keeps(&b, 1.03, 5000)) {
            fail_msg("block %zu: energy %s", i, keeps(&b, 0.9, 2000) ? "stays" : "grows");
        }
    }
}

static void other_bodies_bear_any_step(void **state)
{
    (void)state;
    static const sn_integrator rules[] = {SN_INTEGRATOR_DEFAULT, SN_INTEGRATOR_IMPLICIT_EULER,
                                          SN_INTEGRATOR_FEHLBERG45};
    for (int i = 0; i < 3; ++i) {
        block b = {.law = SN_ELASTIC_COROTATIONAL, .integrator = rules[i]};
        sn_body body;
        sn_world *world = make_world(&b, &body);
        assert_true(sn_body_longest_step(world, body) == INFINITY);
        assert_true(sn_body_longest_step(world, (sn_body){0}) == INFINITY);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_told),
        cmocka_unit_test(what_no_material_holds_is_told),
        cmocka_unit_test(what_is_only_fast_is_not_told),
        cmocka_unit_test(the_longest_step_divides_good_from_bad),
        cmocka_unit_test(other_bodies_bear_any_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
