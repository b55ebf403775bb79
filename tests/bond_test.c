// Bonds of elastic bodies: their equations against differences, that they hold in every rule, their
// times, forces, and what breaks.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/elastic/elastic_bond.h"
#include "base/memory.h"
#include "base/random.h"
#include "elastic/solid.h"
#include "shortage.h"
#include "sinew/sinew.h"

enum { STRIDE = SN_SOLID_STRIDE, VERTICES = 8 };

// ---- equations ----

static sn_bond_item random_bond(sn_bond_type type, sn_random *random, int *vertices,
                                sn_vec3 *starts, sn_bond_end *anchors, int *nodes, double *lengths)
{
    sn_bond_item bond = {.type = type,
                         .coordinates = 5,
                         .vertices = vertices,
                         .starts = starts,
                         .vertex_count = 2,
                         .normal = {0.6, 0.0, 0.8},
                         .offset = 0.3,
                         .linear = {0.1, -0.2, 0.3},
                         .constant = -0.4};
    for (int i = 0; i < 9; ++i) {
        bond.quadric.m[i / 3][i % 3] = i / 3 == i % 3 ? 1.0 + 0.2 * i : 0.1;
    }
    bond.anchors = anchors;
    bond.nodes = nodes;
    bond.lengths = lengths;
    bond.part_count = type == SN_BOND_JUNCTION ? 1 : 2;
    for (int i = 0; i < 8; ++i) {
        nodes[i] = i % 4 + (i < 4 ? 0 : 2);
    }
    for (int i = 0; i < 16; ++i) {
        bond.weights[i] = sn_random_range(random, -1.0, 1.0);
    }
    lengths[0] = lengths[1] = 0.5;
    bond.ends[0] =
        (sn_bond_end){.count = 4, .vertices = {0, 1, 2, 3}, .weights = {0.1, 0.2, 0.3, 0.4}};
    bond.ends[1] =
        (sn_bond_end){.count = 4, .vertices = {4, 5, 6, 7}, .weights = {0.4, 0.3, 0.2, 0.1}};
    anchors[0] = anchors[1] = bond.ends[1];
    anchors[1].weights[0] = -0.7;
    bond.along = (sn_bond_along){type == SN_BOND_PATH ? 0.7 : 0.0, 0.9, 0.1, -5.0};
    return bond;
}

// Along a straight line in time, value, first and second derivative of each equation.
static void equations_have_their_derivatives(void **state)
{
    (void)state;
    sn_random random = {.seed = 71};
    for (int type = 0; type < SN_BOND_TYPE_COUNT; ++type) {
        double x[2][STRIDE * VERTICES], v[2][STRIDE * VERTICES], moved[2][STRIDE * VERTICES];
        for (int i = 0; i < 2 * STRIDE * VERTICES; ++i) {
            x[i % 2][i / 2] = sn_random_range(&random, -1.0, 1.0);
            v[i % 2][i / 2] = sn_random_range(&random, -1.0, 1.0);
        }
        int vertices[2] = {3, 5};
        sn_vec3 starts[2] = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
        int nodes[8];
        double lengths[2];
        sn_bond_end anchors[2];
        sn_bond_item bond =
            random_bond((sn_bond_type)type, &random, vertices, starts, anchors, nodes, lengths);
        const double times[4] = {0.0, 0.3, 0.8, 1.0}, values[4] = {0.0, 1.0, -1.0, 2.0};
        sn_motion_def path = sn_default_motion_def();
        path.times = times;
        path.values = values;
        path.count = 4;
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(sn_motion_create(&path, &bond.path[k], NULL), SN_OK);
        }
        const double t = 0.5, h = 1e-4;
        for (int row = 0; row < sn_bond_row_count(&bond); ++row) {
            double g[3];
            sn_bond_row now;
            for (int k = 0; k < 3; ++k) {
                for (int i = 0; i < 2 * STRIDE * VERTICES; ++i) {
                    moved[i % 2][i / 2] = x[i % 2][i / 2] + (k - 1) * h * v[i % 2][i / 2];
                }
                sn_bond_view view = {moved[0],     v[0],         moved[1],     v[1],
                                     SN_VEC3_ZERO, SN_VEC3_ZERO, SN_VEC3_ZERO, t + (k - 1) * h};
                sn_bond_row out;
                sn_bond_read_row(&bond, row, &view, &out);
                g[k] = out.value;
                now = k == 1 ? out : now;
            }
            double rate = now.rate;
            for (int i = 0; i < now.count; ++i) {
                const double *u = v[now.terms[i].end] + STRIDE * now.terms[i].vertex;
                rate += sn_dot(now.terms[i].gradient, sn_vec3_at(u));
            }
            double first = (g[2] - g[0]) / (2.0 * h), second = (g[2] - 2.0 * g[1] + g[0]) / (h * h);
            if (!(fabs(first - rate) < 1e-6) || !(fabs(second - now.acceleration) < 1e-5)) {
                fail_msg("%s, row %d: %g and %g instead of %g and %g",
                         sn_bond_type_word((sn_bond_type)type), row, rate, now.acceleration, first,
                         second);
            }
        }
        for (int k = 0; k < 3; ++k) {
            sn_motion_release(bond.path[k]);
        }
    }
}

// ---- in worlds ----

static sn_world *make_world(void)
{
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static sn_body add_bar(sn_world *world, const char *name, sn_vec3 place, sn_integrator rule)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = (sn_vec3){0.3, 0.1, 0.1};
    box.cells[0] = 3;
    box.cells[1] = box.cells[2] = 1;
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 1e5, 0.4);
    sn_elastic_def def = sn_default_elastic_def();
    def.name = name;
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.integrator = rule;
    def.frame.position = place;
    def.stiffness_damping = 0.002;
    sn_body body;
    assert_int_equal(sn_world_add_elastic(world, &def, &body, NULL), SN_OK);
    sn_tetrahedra_release(mesh);
    return body;
}

static sn_bond add(sn_world *world, const sn_bond_def *def)
{
    sn_bond bond;
    sn_error error = {0};
    if (sn_world_add_bond(world, def, &bond, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return bond;
}

static void run(sn_world *world, int steps)
{
    for (int i = 0; i < steps; ++i) {
        sn_error error = {0};
        if (sn_world_step(world, 1.0 / 240.0, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
    }
}

// One bond of each kind, half a second under gravity: the worst error of each, by the bar's length.
static void every_kind_holds(void **state)
{
    (void)state;
    const sn_integrator rules[] = {SN_INTEGRATOR_LIE_MIDPOINT, SN_INTEGRATOR_IMPLICIT_EULER};
    for (int i = 0; i < 2 * SN_BOND_TYPE_COUNT; ++i) {
        sn_bond_type type = (sn_bond_type)(i / 2);
        sn_world *world = make_world();
        sn_body bar = add_bar(world, "bar", SN_VEC3_ZERO, rules[i % 2]);
        bool tied = type == SN_BOND_POINT || type == SN_BOND_JUNCTION ||
                    type == SN_BOND_ATTACHED; // they do not touch then
        sn_body other =
            add_bar(world, "other", (sn_vec3){0.301, tied ? 0.0 : 1.0, 0.0}, rules[i % 2]);
        sn_vec3 places[16];
        assert_int_equal(sn_body_vertex_count(world, bar), 16);
        sn_body_read_vertices(world, bar, places, NULL);
        int some[3] = {0, 1, 5};
        const double times[3] = {0.0, 0.25, 0.5};
        sn_bond_def def = sn_default_bond_def();
        def.type = type;
        def.body = bar;
        def.vertices = some;
        def.vertex_count = type == SN_BOND_QUADRIC ? 1 : 3;
        def.offset = places[0].z;
        def.vertex_count = type == SN_BOND_PLANE ? 1 : def.vertex_count;
        def.quadric = SN_MAT3_IDENTITY;
        def.constant = -sn_dot(places[0], places[0]);
        def.point = (sn_vec3){0.15, 0.0, 0.0};
        def.other = other;
        def.other_point = (sn_vec3){-0.15, 0.0, 0.0};
        def.other_element = 1;
        for (int k = 0; k < 3; ++k) {
            double from = k == 0 ? places[0].x : k == 1 ? places[0].y : places[0].z;
            const double values[3] = {from, from + 0.05, from - 0.05 * k};
            sn_motion_def path = sn_default_motion_def();
            path.times = times;
            path.values = values;
            path.count = 3;
            assert_int_equal(sn_motion_create(&path, &def.path[k], NULL), SN_OK);
        }
        sn_bond bond = add(world, &def);
        double worst = 0.0;
        for (int step = 0; step < 115; ++step) { // the path ends at once after 120
            run(world, 1);
            if (step > 10) { // attachments begin a millimetre apart
                worst = fmax(worst, sn_bond_read(world, bond).error);
            }
        }
        // A vertex that slides at 2 m/s round a ball of 0.17 m bends by 0.4 mm a step.
        if (!(worst < (type == SN_BOND_QUADRIC ? 2e-3 : 3e-4) * 0.3)) {
            fail_msg("%s under %s: %g m", sn_bond_type_word(type), sn_integrator_word(rules[i % 2]),
                     worst);
        }
        assert_true(isfinite(sn_bond_read(world, bond).force));
        for (int k = 0; k < 3; ++k) {
            sn_motion_release(def.path[k]);
        }
        sn_world_destroy(world);
    }
}

// A bar that hangs from its end carries its weight there; beyond a force the bond breaks, beyond
// its time it lets go.
static void bonds_carry_end_and_break(void **state)
{
    (void)state;
    const double weight = 0.3 * 0.1 * 0.1 * 1000.0 * 9.81;
    for (int i = 0; i < 3; ++i) {
        sn_world *world = make_world();
        sn_body bar = add_bar(world, "bar", SN_VEC3_ZERO, SN_INTEGRATOR_IMPLICIT_EULER);
        sn_bond_def def = sn_default_bond_def();
        def.type = SN_BOND_POINT;
        def.body = bar;
        def.point = SN_VEC3_ZERO;
        def.end = i == 1 ? 0.5 : INFINITY;
        def.break_force = i == 2 ? 0.5 * weight : INFINITY;
        sn_bond bond = add(world, &def);
        run(world, 480);
        sn_bond_state now = sn_bond_read(world, bond);
        double height = sn_body_centre(world, bar).z;
        if (i == 0) {
            assert_true(now.active && !now.broken);
            assert_true(fabs(now.force - weight) < 1e-3 * weight);
            assert_true(fabs(height) < 0.05);
        } else {
            assert_false(now.active);
            assert_int_equal(now.broken, i == 2);
            assert_true(height < -1.0);
        }
        sn_world_destroy(world);
    }
}

// A rigid ball on a bar, the bar on the ceiling: both ways, with a copy and a saved state that go
// on alike.
static void rigid_bodies_hang_on_elastic_ones(void **state)
{
    (void)state;
    sn_world *world = make_world(), *copy = NULL;
    sn_body bar = add_bar(world, "bar", SN_VEC3_ZERO, SN_INTEGRATOR_IMPLICIT_EULER);
    sn_shape ball = sn_default_shape();
    ball.radius = 0.05;
    sn_body_def body_def = sn_default_body_def();
    body_def.shapes = &ball;
    body_def.shape_count = 1;
    body_def.frame.position.x = 0.2;
    sn_body hung;
    assert_int_equal(sn_world_add_body(world, &body_def, &hung, NULL), SN_OK);
    sn_bond_def def = sn_default_bond_def();
    def.type = SN_BOND_POINT;
    def.body = bar;
    def.point = (sn_vec3){-0.15, 0.0, 0.0};
    add(world, &def);
    def.point = (sn_vec3){0.15, 0.0, 0.0};
    def.other = hung;
    sn_bond bond = add(world, &def);
    run(world, 120);
    assert_true(sn_bond_read(world, bond).error < 1e-3);
    assert_true(sn_body_centre(world, hung).z < -0.05);
    assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
    assert_int_equal(sn_world_bond_count(copy), 2);
    run(world, 30);
    run(copy, 30);
    assert_true(sn_world_hash(world) == sn_world_hash(copy));
    // What it was tied to goes, and the bond with it.
    assert_int_equal(sn_world_remove_body(world, hung, NULL), SN_OK);
    assert_int_equal(sn_world_bond_count(world), 1);
    assert_false(sn_bond_is_valid(world, bond));
    run(world, 10);
    sn_world_destroy(copy);
    sn_world_destroy(world);
}

// With error control equations hold to the tolerance, and an error dies out as is said.
static void bonds_hold_under_error_control(void **state)
{
    (void)state;
    for (int type = 0; type < SN_BOND_JUNCTION; ++type) {
        sn_world_def world_def = sn_default_world_def();
        world_def.policy = SN_POLICY_PRECISE;
        world_def.relative_tolerance = 1e-7;
        world_def.absolute_tolerance = 1e-9;
        sn_world *world = NULL;
        assert_int_equal(sn_world_create(&world_def, &world, NULL), SN_OK);
        sn_body bar = add_bar(world, "bar", SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
        sn_vec3 places[16];
        sn_body_read_vertices(world, bar, places, NULL);
        int some[2] = {0, 1};
        sn_bond_def def = sn_default_bond_def();
        def.type = (sn_bond_type)type;
        def.body = bar;
        def.vertices = some;
        def.vertex_count = type == SN_BOND_COORDINATES || type == SN_BOND_PATH ? 2 : 1;
        def.offset = places[0].z + (type == SN_BOND_PLANE ? 1e-3 : 0.0);
        def.quadric = SN_MAT3_IDENTITY;
        def.constant = -sn_dot(places[0], places[0]);
        for (int k = 0; k < 3; ++k) {
            double from = k == 0 ? places[0].x : k == 1 ? places[0].y : places[0].z;
            const double times[2] = {0.0, 1.0}, values[2] = {from, from + 0.1};
            sn_motion_def path = sn_default_motion_def();
            path.type = SN_MOTION_SMOOTH;
            path.times = times;
            path.values = values;
            path.count = 2;
            assert_int_equal(sn_motion_create(&path, &def.path[k], NULL), SN_OK);
        }
        sn_bond bond = add(world, &def);
        double worst = 0.0;
        for (int i = 1; i <= 24; ++i) {
            run(world, 1);
            double error = sn_bond_read(world, bond).error, s = 50.0, t = i / 240.0;
            // (A + B t) exp(-s t) with A = 1 mm, no velocity: B = s A
            error -= type == SN_BOND_PLANE ? 1e-3 * (1.0 + s * t) * exp(-s * t) : 0.0;
            worst = fmax(worst, fabs(error));
        }
        if (!(worst < 1e-6)) {
            fail_msg("%s: %g m", sn_bond_type_word((sn_bond_type)type), worst);
        }
        for (int k = 0; k < 3; ++k) {
            sn_motion_release(def.path[k]);
        }
        sn_world_destroy(world);
    }
}

static void wrong_bonds_are_told(void **state)
{
    (void)state;
    sn_world *world = make_world();
    sn_body bar = add_bar(world, "bar", SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    int outside = 99, inside = 0;
    for (int i = 0; i < 8; ++i) {
        sn_bond_def def = sn_default_bond_def();
        sn_bond bond;
        sn_error error = {0};
        def.body = i == 0 ? (sn_body){0} : bar;
        def.vertices = i == 1 ? NULL : i == 2 ? &outside : &inside;
        def.vertex_count = 1;
        def.coordinates = i == 3 ? 0 : 7;
        def.type = i == 4 ? SN_BOND_PATH : i == 5 ? SN_BOND_VOLUME : SN_BOND_COORDINATES;
        def.element = i == 5 ? -1 : 0;
        def.end = i == 6 ? -1.0 : INFINITY;
        def.break_force = i == 7 ? 0.0 : INFINITY;
        assert_int_not_equal(sn_world_add_bond(world, &def, &bond, &error), SN_OK);
        assert_true(strlen(sn_error_message(&error)) > 20);
        assert_int_equal(sn_world_bond_count(world), 0);
    }
    for (shortage s = {.most = 200}; shortage_goes_on(&s);) {
        sn_bond_def def = sn_default_bond_def();
        sn_bond bond;
        def.body = bar;
        def.vertices = &inside;
        def.vertex_count = 1;
        shortage_begin(&s);
        sn_status status = sn_world_add_bond(world, &def, &bond, NULL);
        shortage_end(&s, status);
    }
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_have_their_derivatives),
        cmocka_unit_test(every_kind_holds),
        cmocka_unit_test(bonds_carry_end_and_break),
        cmocka_unit_test(rigid_bodies_hang_on_elastic_ones),
        cmocka_unit_test(bonds_hold_under_error_control),
        cmocka_unit_test(wrong_bonds_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
