// Plastic bodies in worlds: relaxation under every integrator, what springs back and what stays,
// energy, copies, saved states, threads, failed steps, what is refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "shortage.h"
#include "sinew/elastic.h"
#include "sinew/sinew.h"
#include "world_steps.h"

static sn_world *make_world(double gravity, int threads)
{
    sn_world_def def = sn_default_world_def();
    def.gravity = (sn_vec3){0.0, 0.0, -gravity};
    def.threads = threads;
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(&def, &world, NULL), SN_OK);
    return world;
}

static sn_tetrahedra *box_mesh(sn_vec3 size, int x, int y, int z, int nodes)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.size = size;
    box.cells[0] = x;
    box.cells[1] = y;
    box.cells[2] = z;
    sn_tetrahedra *mesh = NULL, *quadratic = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    if (nodes == 10) {
        assert_int_equal(sn_tetrahedra_quadratic(mesh, &quadratic, NULL), SN_OK);
        sn_tetrahedra_release(mesh);
        return quadratic;
    }
    return mesh;
}

static sn_elastic_material clay(double young, double yield, double creep)
{
    sn_elastic_material material = sn_default_elastic_material();
    material.elastic = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, young, 0.3);
    material.plastic = (sn_plastic){.yield_stress = yield, .creep_rate = creep};
    return material;
}

// ---- relaxation ----

// A block of which every vertex is held where a stretch along x has brought it: what has flowed
// after 0.4 s does not depend on the integrator, and the stress above yield has gone with exp(-r
// t).
static sn_elastic_report relaxed(sn_integrator integrator, int nodes, double h)
{
    sn_world *world = make_world(0.0, 1);
    sn_tetrahedra *mesh = box_mesh((sn_vec3){1.0, 1.0, 1.0}, 1, 1, 1, nodes);
    sn_elastic_material material = clay(1e5, 500.0, 5.0);
    sn_elastic_def def = sn_default_elastic_def();
    int count = sn_tetrahedra_vertex_count(mesh), *fixed = malloc((size_t)count * sizeof *fixed);
    sn_vec3 *positions = malloc((size_t)count * sizeof *positions);
    for (int i = 0; i < count; ++i) {
        fixed[i] = i;
        positions[i] = sn_tetrahedra_positions(mesh)[i];
        positions[i].x *= 1.02;
    }
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.fixed = fixed;
    def.fixed_count = count;
    def.positions = positions;
    def.integrator = integrator;
    def.relative_tolerance = 1e-9;
    sn_body body;
    assert_int_equal(sn_world_add_elastic(world, &def, &body, NULL), SN_OK);
    double before = sn_body_elastic_report(world, body).elastic_energy;
    advance(world, h, (int)(0.4 / h + 0.5));
    sn_elastic_report report = sn_body_elastic_report(world, body);
    assert_true(fabs(before - report.elastic_energy - report.plastic_heat) < 1e-5 * before);
    free(fixed);
    free(positions);
    sn_tetrahedra_release(mesh);
    sn_world_destroy(world);
    return report;
}

static void stress_goes_alike_under_all_integrators(void **state)
{
    (void)state;
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        sn_elastic_report first = relaxed(SN_INTEGRATOR_LIE_MIDPOINT, nodes, 0.4);
        const sn_integrator others[] = {
            SN_INTEGRATOR_LIE_MIDPOINT,     SN_INTEGRATOR_IMPLICIT_EULER,
            SN_INTEGRATOR_SYMPLECTIC_EULER, SN_INTEGRATOR_RK4,
            SN_INTEGRATOR_FEHLBERG45,       SN_INTEGRATOR_BDF};
        // Hooke's stress of the stretch is 2 G 0.02 = 1538 Pa: the strain due is (1538 - 500)/3 G
        double shear = 1e5 / 2.6, due = (2.0 * shear * 0.02 - 500.0) / (3.0 * shear);
        assert_true(fabs(first.plastic_strain / (due * (1.0 - exp(-2.0))) - 1.0) < 0.03);
        for (int k = 0; k < 6; ++k) {
            sn_elastic_report other = relaxed(others[k], nodes, 0.02);
            assert_true(fabs(other.plastic_strain - first.plastic_strain) < 1e-5 * due);
            assert_true(fabs(other.plastic_heat - first.plastic_heat) < 1e-5 * first.plastic_heat);
        }
    }
}

// ---- a bar that is bent ----

static sn_body add_bar(sn_world *world, const char *name, sn_elastic_material material,
                       sn_integrator integrator)
{
    sn_tetrahedra *mesh = box_mesh((sn_vec3){1.0, 0.2, 0.2}, 5, 1, 1, 4);
    sn_elastic_def def = sn_default_elastic_def();
    int fixed[4], count = 0;
    for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
        if (sn_tetrahedra_positions(mesh)[i].x < -0.499) {
            fixed[count++] = i;
        }
    }
    def.name = name;
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    def.fixed = fixed;
    def.fixed_count = count;
    def.integrator = integrator;
    def.newton = 4;
    def.mass_damping = 20.0;
    def.frame.position.y = name[0] == 'b' ? 1.0 : name[0] == 'c' ? 2.0 : 0.0; // apart
    sn_body body;
    assert_int_equal(sn_world_add_elastic(world, &def, &body, NULL), SN_OK);
    sn_tetrahedra_release(mesh);
    return body;
}

// How far the bar hangs under its weight, and how far it stays down without.
static void bend(double yield, double *down, double *left)
{
    sn_world *world = make_world(9.81, 1);
    sn_elastic_material material = clay(1e7, yield, 0.0);
    material.plastic.hardening = 3e6;
    sn_body bar = add_bar(world, "bar", material, SN_INTEGRATOR_IMPLICIT_EULER);
    double start = sn_body_centre(world, bar).z;
    advance(world, 0.02, 60);
    *down = start - sn_body_centre(world, bar).z;
    sn_world_set_gravity(world, SN_VEC3_ZERO);
    advance(world, 0.02, 60);
    *left = start - sn_body_centre(world, bar).z;
    sn_world_destroy(world);
}

static void only_what_yielded_stays_bent(void **state)
{
    (void)state;
    double strong, left, weak, bent;
    bend(1e9, &strong, &left);
    assert_true(fabs(left) < 1e-3 * strong);
    bend(3e4, &weak, &bent);
    assert_true(weak > 1.1 * strong && bent > 0.1 * weak);
    assert_true(fabs((weak - bent) / strong - 1.0) < 1e-3); // the elastic part comes back
}

static void energy_never_grows(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        sn_world *world = make_world(9.81, 1);
        sn_elastic_material material = clay(1e6, k == 1 ? 0.0 : 2e4, k == 0 ? 0.0 : 20.0);
        material.plastic.hardening = k == 2 ? 1e5 : 0.0;
        sn_body bar = add_bar(world, "bar", material, SN_INTEGRATOR_IMPLICIT_EULER);
        sn_energy energy = sn_world_energy(world);
        double last = energy.kinetic + energy.potential, first = last, heat = 0.0, scale = 0.0;
        for (int i = 0; i < 30; ++i) {
            advance(world, 0.01, 1);
            energy = sn_world_energy(world);
            double now = energy.kinetic + energy.potential;
            sn_elastic_report report = sn_body_elastic_report(world, bar);
            scale = fmax(scale, fabs(now - first));
            assert_true(now <= last + 1e-9 * scale);
            assert_true(report.plastic_heat >= heat);
            assert_true(fabs(report.least_stretch) > 0.2);
            heat = report.plastic_heat;
            last = now;
        }
        assert_true(heat > 0.0 && heat < 1.001 * scale);
        sn_world_destroy(world);
    }
}

// A bar that bends in its plane of symmetry under an adaptive integrator: where points begin to
// flow, their rates have kinks and no jumps, so the step stays long, and what energy goes is heat.
static void adaptive_steps_pass_where_flow_sets_in(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        sn_world *world = make_world(9.81, 1);
        sn_elastic_material material = clay(1e5, 2e3, 5.0);
        material.elastic.law = law == 0 ? SN_ELASTIC_COROTATIONAL : SN_ELASTIC_NEO_HOOKEAN;
        sn_tetrahedra *mesh = box_mesh((sn_vec3){0.4, 0.1, 0.1}, 4, 2, 2, 4);
        int fixed[9], count = 0;
        for (int i = 0; i < sn_tetrahedra_vertex_count(mesh); ++i) {
            if (sn_tetrahedra_positions(mesh)[i].x < -0.199) {
                fixed[count++] = i;
            }
        }
        sn_elastic_def def = sn_default_elastic_def();
        def.mesh = mesh;
        def.materials = &material;
        def.material_count = 1;
        def.fixed = fixed;
        def.fixed_count = count;
        def.integrator = SN_INTEGRATOR_FEHLBERG45;
        def.relative_tolerance = 1e-9;
        def.absolute_tolerance = 1e-11;
        sn_body bar;
        assert_int_equal(sn_world_add_elastic(world, &def, &bar, NULL), SN_OK);
        sn_energy start = sn_world_energy(world);
        advance(world, 0.01, 8);
        sn_energy now = sn_world_energy(world);
        double heat = sn_body_elastic_report(world, bar).plastic_heat;
        assert_true(heat > 1e-3 * now.kinetic);
        assert_true(fabs(now.total + heat - start.total) < 1e-6 * heat);
        sn_tetrahedra_release(mesh);
        sn_world_destroy(world);
    }
}

// ---- state ----

static void step_badly(sn_world *world)
{
    sn_body bar = sn_world_find_body(world, "bar");
    sn_body_add_vertex_force(world, bar, sn_body_vertex_count(world, bar) - 1,
                             (sn_vec3){NAN, 0.0, 0.0});
    assert_int_not_equal(sn_world_step(world, 0.01, NULL), SN_OK);
}

static void flow_is_state(void **state)
{
    (void)state;
    uint64_t hashes[3], ends[3];
    for (int k = 0; k < 3; ++k) {
        sn_world *world = make_world(9.81, 1 << k), *copy = NULL;
        add_bar(world, "bar", clay(1e6, 2e4, 10.0), SN_INTEGRATOR_DEFAULT);
        advance(world, 0.01, 20);
        hashes[k] = sn_world_hash(world);
        size_t size = sn_world_state_size(world);
        void *bytes = malloc(size);
        assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
        assert_int_equal(sn_world_copy(world, &copy, NULL), SN_OK);
        advance(world, 0.01, 20);
        ends[k] = sn_world_hash(world);
        assert_true(ends[k] != hashes[k]);
        step_badly(copy); // is undone
        assert_true(sn_world_hash(copy) == hashes[k]);
        advance(copy, 0.01, 20);
        assert_true(sn_world_hash(copy) == ends[k]);
        assert_int_equal(sn_world_load_state(world, bytes, size, NULL), SN_OK);
        assert_true(sn_world_hash(world) == hashes[k]);
        advance(world, 0.01, 20);
        assert_true(sn_world_hash(world) == ends[k]);
        free(bytes);
        sn_world_destroy(copy);
        sn_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    assert_true(ends[0] == ends[1] && ends[0] == ends[2]);
}

// Bodies before and behind a plastic one keep their numbers when it goes.
static void plastic_bodies_come_and_go(void **state)
{
    (void)state;
    sn_world *world = make_world(9.81, 1);
    sn_body a = add_bar(world, "a", clay(1e6, 0.0, 0.0), SN_INTEGRATOR_DEFAULT);
    sn_body b = add_bar(world, "b", clay(1e6, 2e4, 0.0), SN_INTEGRATOR_DEFAULT);
    sn_body c = add_bar(world, "c", clay(1e6, 1e4, 0.0), SN_INTEGRATOR_DEFAULT);
    advance(world, 0.01, 10);
    sn_elastic_report before = sn_body_elastic_report(world, c);
    sn_vec3 there = sn_body_centre(world, c);
    assert_true(before.plastic_heat > 0.0);
    assert_int_equal(sn_world_remove_body(world, b, NULL), SN_OK);
    sn_elastic_report after = sn_body_elastic_report(world, c);
    assert_true(after.plastic_heat == before.plastic_heat);
    assert_true(after.elastic_energy == before.elastic_energy);
    assert_true(sn_distance(sn_body_centre(world, c), there) == 0.0);
    assert_true(sn_body_elastic_report(world, a).plastic_heat == 0.0);
    advance(world, 0.01, 5);
    sn_world_destroy(world);
}

// ---- what is refused ----

static void wrong_numbers_and_memory_are_told(void **state)
{
    (void)state;
    sn_tetrahedra *mesh = box_mesh((sn_vec3){1.0, 1.0, 1.0}, 1, 1, 1, 4);
    for (int k = 0; k < 4; ++k) {
        sn_world *world = make_world(9.81, 1);
        sn_elastic_material material = clay(1e6, k == 0 ? -1.0 : 1e3, k == 3 ? 1.0 : 0.0);
        material.plastic.limit = k == 3 ? 0.1 : 0.0;
        material.elastic.fibre_stiffness = k == 1 ? 1e4 : 0.0;
        material.elastic.fibre = (sn_vec3){1.0, 0.0, 0.0};
        sn_elastic_def def = sn_default_elastic_def();
        def.name = "dough";
        def.mesh = mesh;
        def.materials = &material;
        def.material_count = 1;
        def.integrator = k >= 2 ? SN_INTEGRATOR_RK4 : SN_INTEGRATOR_DEFAULT;
        sn_error error = {0};
        sn_body body;
        assert_int_equal(sn_world_add_elastic(world, &def, &body, &error), SN_ERROR_ARGUMENT);
        assert_non_null(strstr(sn_error_message(&error), "dough"));
        assert_int_equal(sn_world_body_count(world), 0);
        sn_world_destroy(world);
    }
    sn_elastic_material material = clay(1e6, 10.0, 0.0);
    sn_elastic_def def = sn_default_elastic_def();
    def.mesh = mesh;
    def.materials = &material;
    def.material_count = 1;
    for (shortage s = {.most = 2000}; shortage_goes_on(&s);) {
        sn_world *world = make_world(9.81, 1);
        sn_body body;
        shortage_begin(&s);
        sn_status status = sn_world_add_elastic(world, &def, &body, NULL);
        status = status == SN_OK ? sn_world_step(world, 0.01, NULL) : status;
        shortage_end(&s, status);
        sn_world_destroy(world);
    }
    sn_tetrahedra_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_goes_alike_under_all_integrators),
        cmocka_unit_test(only_what_yielded_stays_bent),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(adaptive_steps_pass_where_flow_sets_in),
        cmocka_unit_test(flow_is_state),
        cmocka_unit_test(plastic_bodies_come_and_go),
        cmocka_unit_test(wrong_numbers_and_memory_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
