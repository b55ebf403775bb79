// Energies of the thesis' states, measured and drawn.
#include <math.h>

#include "base/random.h"
#include "elastic/mass.h"
#include "elastic/solid.h"
#include "thesis_samples.h"

// Against src/elastic: the consistent mass matrix, the solid's energy, its viscous power.
static void test_energy(void **unused)
{
    (void)unused;
    enum { N = 180 };
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_model model = torus_model();
    p.paths.surface = p.paths.constraints = NULL;
    assert_int_equal(sn_thesis_model_write(&model, &p.paths, &error), SN_OK);
    sn_thesis_file topology;
    assert_int_equal(sn_thesis_read(SN_THESIS_TOPOLOGY, p.tp, &topology, &error), SN_OK);

    sn_vec3 x[N], v[N], gravity = {1.0, 2.0, -400.0};
    double x4[4 * N] = {0}, v4[4 * N] = {0}, f4[4 * N] = {0}, mv[4 * N] = {0};
    sn_random random = (sn_random){.seed = 5};
    for (int i = 0; i < N; ++i) {
        sn_vec3 q = sn_tetrahedra_positions(model.mesh)[i];
        x[i] = sn_vec3_make(1.1 * q.x + 0.02 * sn_random_unit(&random), q.y + 0.2 * q.z,
                            q.z + 0.02 * sn_random_unit(&random));
        v[i] =
            sn_vec3_make(sn_random_unit(&random), sn_random_unit(&random), sn_random_unit(&random));
        memcpy(x4 + 4 * i, &x[i], sizeof x[i]);
        memcpy(v4 + 4 * i, &v[i], sizeof v[i]);
    }
    sn_thesis_state state = {2.0, N, x, v};
    sn_thesis_energy energy;
    assert_int_equal(sn_thesis_measure(&topology, &state, gravity, false, &energy, &error), SN_OK);

    sn_mass mass;
    assert_int_equal(
        sn_mass_create(model.mesh, &rubber.density, 1, SN_MASS_CONSISTENT, NULL, &mass, &error),
        SN_OK);
    sn_mass_add_product(&mass, 4, 1.0, v4, mv);
    double kinetic = 0.0, height = 0.0;
    double ones[4 * N], m1[4 * N] = {0};
    for (int i = 0; i < 4 * N; ++i) {
        kinetic += 0.5 * mv[i] * v4[i];
        ones[i] = 1.0;
    }
    sn_mass_add_product(&mass, 4, 1.0, ones, m1);
    for (int i = 0; i < N; ++i) {
        height -= m1[4 * i] * sn_dot(gravity, x[i]);
    }
    sn_elastic material = {SN_ELASTIC_LIESENFELD, rubber.bulk, rubber.shear, 0.0, {0, 0, 0}};
    sn_viscosity viscosity = {rubber.volume_viscosity, rubber.shape_viscosity};
    sn_solid_def def = {
        .mesh = model.mesh, .materials = &material, .material_count = 1, .rest = model.rest};
    sn_solid *solid = NULL;
    assert_int_equal(sn_solid_create(&def, &solid, &error), SN_OK);
    double elastic = sn_solid_energy(solid, NULL, x4);
    double power = sn_solid_add_viscous_forces(solid, &viscosity, 1, true, x4, v4, f4);
    double at_rest = sn_solid_add_viscous_forces(solid, &viscosity, 1, false, x4, v4, f4);
    assert_float_equal(energy.time, 2.0, 0.0);
    assert_float_equal(energy.kinetic, kinetic, 1e-11 * kinetic);
    assert_float_equal(energy.gravity, height, 1e-11 * fabs(height));
    assert_float_equal(energy.elastic, elastic, 1e-11 * elastic);
    assert_float_equal(energy.power, power, 1e-11 * power);
    assert_int_equal(sn_thesis_measure(&topology, &state, gravity, true, &energy, &error), SN_OK);
    assert_float_equal(energy.power, at_rest, 1e-11 * at_rest);
    assert_true(fabs(power - at_rest) > 1e-3 * power);
    state.vertex_count = 179;
    assert_int_equal(sn_thesis_measure(&topology, &state, gravity, true, &energy, &error),
                     SN_ERROR_GEOMETRY);
    sn_solid_destroy(solid);
    sn_mass_free(&mass);
    sn_thesis_file_free(&topology);
    sn_thesis_model_free(&model);
    remove_paths(&p);
}

// An element turned inside out has the energy of a sound one, and is counted.
static void test_inverted(void **unused)
{
    (void)unused;
    sn_thesis_file topology = parse(SN_THESIS_TOPOLOGY, topology_text);
    sn_vec3 x[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, v[5] = {{0, 0, 0}};
    sn_thesis_state state = {0.0, 5, x, v};
    int first = 0;
    assert_int_equal(sn_thesis_count_inverted(&topology, &state, &first), 0);
    assert_int_equal(first, -1);
    x[4] = sn_vec3_make(-1.0, -1.0, -1.0);
    assert_int_equal(sn_thesis_count_inverted(&topology, &state, &first), 1);
    assert_int_equal(first, 1);
    sn_thesis_file_free(&topology);
}

// Four elements of two bodies whose vertices are mixed: the one with vertex 0 comes first, although
// the file names the other before.
static void test_bodies(void **unused)
{
    (void)unused;
    const int vertices[4][4] = {{1, 3, 5, 7}, {0, 2, 4, 6}, {3, 5, 7, 9}, {2, 4, 6, 8}};
    sn_thesis_element elements[4] = {0};
    for (int i = 0; i < 4; ++i) {
        memcpy(elements[i].vertices, vertices[i], sizeof vertices[i]);
        elements[i].density = (double)i;
    }
    sn_thesis_file topology = {SN_THESIS_TOPOLOGY, 4, {elements}}, chosen;
    sn_error error = {0};
    const int both[2] = {1, 0}, missing = 2;
    for (int body = 0; body < 2; ++body) {
        assert_int_equal(sn_thesis_bodies(&topology, 10, &body, 1, &chosen, &error), SN_OK);
        assert_int_equal(chosen.count, 2);
        assert_true(chosen.elements[0].density == (body == 0 ? 1.0 : 0.0));
        assert_true(chosen.elements[1].density == (body == 0 ? 3.0 : 2.0));
        sn_thesis_file_free(&chosen);
    }
    assert_int_equal(sn_thesis_bodies(&topology, 10, both, 2, &chosen, &error), SN_OK);
    assert_int_equal(chosen.count, 4);
    sn_thesis_file_free(&chosen);
    assert_int_equal(sn_thesis_bodies(&topology, 10, &missing, 1, &chosen, &error),
                     SN_ERROR_ARGUMENT);
    assert_non_null(strstr(sn_error_message(&error), "no body 2; 0 to 1"));
    assert_int_not_equal(sn_thesis_bodies(&topology, 9, both, 2, &chosen, &error), SN_OK);
}

static void test_plot(void **unused)
{
    (void)unused;
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_energy rows[3] = {{0, 1, 2, 3, 0}, {1, 2, 1, 2, 1}, {2, 1, 1, 1, 1}};
    sn_thesis_file energies = {SN_THESIS_ENERGIES, 3, {rows}};
    double dissipated[3];
    sn_thesis_dissipation(&energies, dissipated);
    assert_float_equal(dissipated[0], 0.0, 0.0);
    assert_float_equal(dissipated[1], 0.5, 0.0);
    assert_float_equal(dissipated[2], 1.5, 0.0);
    assert_int_equal(sn_thesis_plot(&energies, "a title", p.st, &error), SN_OK);
    const char *svg = read_text(p.st);
    assert_int_equal(count_words(svg, "</title></path>"), 6);
    assert_non_null(strstr(svg, "a title"));
    assert_non_null(strstr(svg, "T = U + D"));
    assert_int_equal(sn_thesis_plot(&energies, NULL, "/no/such/folder.svg", &error), SN_ERROR_FILE);
    remove_paths(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_inverted),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_plot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
