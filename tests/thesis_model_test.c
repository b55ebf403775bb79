// Models of the thesis: as files and back, what does not fit together, several as one, other units,
// and memory that runs out in the jobs on them.
#include "base/memory.h"
#include "thesis_samples.h"

static void test_model_round_trip(void **unused)
{
    (void)unused;
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_model model = torus_model(), back;
    model.time = 0.75;
    for (int i = 0; i < 180; ++i) {
        model.velocities[i] = sn_vec3_make(i, -0.1 * i, 1.0 / (i + 1));
    }
    assert_int_equal(sn_thesis_model_fix(&model, (int[]){17, 3, 17}, 3, &error), SN_OK);
    assert_int_equal(sn_thesis_model_write(&model, &p.paths, &error), SN_OK);
    if (sn_thesis_model_read(&p.paths, &back, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(sn_tetrahedra_element_count(back.mesh), 480);
    assert_memory_equal(sn_tetrahedra_positions(back.mesh), sn_tetrahedra_positions(model.mesh),
                        180 * sizeof(sn_vec3));
    assert_memory_equal(sn_tetrahedra_elements(back.mesh), sn_tetrahedra_elements(model.mesh),
                        4 * 480 * sizeof(int));
    assert_memory_equal(back.velocities, model.velocities, 180 * sizeof(sn_vec3));
    assert_memory_equal(back.rest, model.rest, 480 * sizeof(sn_mat3));
    assert_int_equal(back.material_count, 1);
    assert_memory_equal(back.materials, &rubber, sizeof rubber);
    assert_int_equal(back.fixed_count, 2);
    assert_int_equal(back.fixed[0], 3);
    assert_int_equal(back.fixed[1], 17);
    assert_int_equal(back.face_count, 320);
    assert_float_equal(back.time, 0.75, 0.0);
    sn_thesis_model_free(&back);
    sn_thesis_paths few = {.state = p.st, .topology = p.tp};
    assert_int_equal(sn_thesis_model_read(&few, &back, &error), SN_OK);
    assert_int_equal(back.face_count, 320);
    assert_int_equal(back.fixed_count, 0);
    assert_memory_equal(back.faces, model.faces, 320 * sizeof(sn_thesis_face));
    sn_thesis_model_free(&back);
    sn_thesis_model_free(&model);
    remove_paths(&p);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_unfit(const char *state, const char *topology, const char *what)
{
    four_paths p;
    make_paths(&p);
    write_text(p.st, state);
    write_text(p.tp, topology);
    p.paths.surface = p.paths.constraints = NULL;
    sn_error error = {0};
    sn_thesis_model model;
    assert_int_not_equal(sn_thesis_model_read(&p.paths, &model, &error), SN_OK);
    if (strstr(error.text, what) == NULL) {
        fail_msg("%s, and not %s", sn_error_message(&error), what);
    }
    assert_null(model.mesh);
    remove_paths(&p);
}

static void test_models_that_do_not_fit(void **unused)
{
    (void)unused;
#define ONE                                                                                        \
    "begin topology (format of 97-01-01)\ntetrahedrons = 1\n0 : 1 0 0 0 1 0 0 0 1\n0 1 2 3\n"      \
    "1 1 1 0 0\nend topology\n"
#define STATE(n, rows)                                                                             \
    "begin state (format of 97-01-01)\nvertices = " n "\nt = 0\n" rows "end state\n"
#define CORNERS "0: 0 0 0 0 0 0\n1: 1 0 0 0 0 0\n2: 0 1 0 0 0 0\n"
    assert_unfit(STATE("3", CORNERS), ONE, "element 0 names vertex 3; 0 to 2");
    assert_unfit(STATE("4", CORNERS "3: 0 0 -1 0 0 0\n"), ONE, "element 0 is flat or inverted");
    assert_unfit(STATE("5", CORNERS "3: 0 0 1 0 0 0\n4: 0 0 2 0 0 0\n"), ONE, "vertex 4 belongs");
    assert_unfit("\n\n", ONE, "there is no state");
}

static void test_join_and_units(void **unused)
{
    (void)unused;
    sn_error error = {0};
    sn_thesis_model two[2] = {torus_model(), torus_model()}, joined;
    two[1].materials[0].density = 3.0;
    assert_int_equal(sn_thesis_model_fix(&two[1], (int[]){5}, 1, &error), SN_OK);
    assert_int_equal(sn_thesis_model_join(two, 2, &joined, &error), SN_OK);
    assert_int_equal(sn_tetrahedra_vertex_count(joined.mesh), 360);
    assert_int_equal(joined.material_count, 2);
    assert_int_equal(sn_tetrahedra_regions(joined.mesh)[480], 1);
    assert_int_equal(joined.fixed[0], 185);
    assert_int_equal(joined.face_count, 640);
    assert_int_equal(joined.faces[320].vertices[0], joined.faces[0].vertices[0] + 180);
    // 1.5 g/cm^3 is 1500 kg/m^3, 1 dyn/cm^2 is 0.1 Pa, 1 poise 0.1 Pa s.
    assert_int_equal(sn_thesis_model_rescale(&joined, 0.01, 0.001, &error), SN_OK);
    assert_float_equal(joined.materials[0].density, 1500.0, 1e-9);
    assert_float_equal(joined.materials[0].bulk, 2000.0, 1e-9);
    assert_float_equal(joined.materials[0].shear, 1500.0, 1e-9);
    assert_float_equal(joined.materials[0].volume_viscosity, 1.2, 1e-12);
    assert_float_equal(sn_tetrahedra_positions(joined.mesh)[7].x,
                       0.01 * sn_tetrahedra_positions(two[0].mesh)[7].x, 1e-15);
    assert_int_equal(sn_thesis_model_rescale(&joined, 0.0, 1.0, &error), SN_ERROR_ARGUMENT);
    for (int i = 0; i < 2; ++i) {
        sn_thesis_model_free(&two[i]);
    }
    sn_thesis_model_free(&joined);
}

// ---- memory ----

static sn_status everything(const four_paths *p, sn_error *error)
{
    sn_thesis_model model = {0}, joined = {0};
    sn_status status = sn_thesis_model_read(&p->paths, &model, error);
    if (status == SN_OK) {
        status = sn_thesis_model_join(&model, 1, &joined, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_model_rescale(&joined, 2.0, 2.0, error);
    }
    if (status == SN_OK) {
        status = sn_thesis_model_write(&joined, &p->paths, error);
    }
    int conflicts = 0;
    sn_thesis_file surface = {SN_THESIS_SURFACE, model.face_count, {model.faces}};
    if (status == SN_OK) {
        status = sn_thesis_color(&surface, (int[]){0, 1, 2}, &conflicts, error);
    }
    sn_thesis_state state = {0};
    if (status == SN_OK) {
        status = sn_thesis_read_state(p->st, &state, error);
    }
    sn_thesis_view view = sn_thesis_view_of((sn_aabb){{-1, -1, -1}, {1, 1, 1}});
    if (status == SN_OK) {
        status = sn_thesis_write_pov(&state, &surface, NULL, NULL, &view, p->co, error);
    }
    sn_thesis_energy rows[2] = {{0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}};
    sn_thesis_file energies = {SN_THESIS_ENERGIES, 2, {rows}};
    if (status == SN_OK) {
        status = sn_thesis_plot(&energies, "energies", p->su, error);
    }
    sn_thesis_state_free(&state);
    sn_thesis_model_free(&model);
    sn_thesis_model_free(&joined);
    return status;
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    sn_error error = {0};
    four_paths p;
    make_paths(&p);
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    sn_tetrahedra *mesh = NULL;
    sn_thesis_model model;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, &error), SN_OK);
    assert_int_equal(sn_thesis_model_make(mesh, &rubber, 1, &model, &error), SN_OK);
    sn_status status = SN_ERROR_MEMORY;
    int64_t after = 0;
    for (; status != SN_OK && after < 2000; ++after) {
        sn_allocation_fail_after(-1);
        assert_int_equal(sn_thesis_model_write(&model, &p.paths, &error), SN_OK);
        error = (sn_error){0};
        sn_allocation_fail_after(after);
        status = everything(&p, &error);
        sn_allocation_fail_after(-1);
        if (status != SN_OK && status != SN_ERROR_MEMORY && status != SN_ERROR_FILE) {
            fail_msg("%s", sn_error_message(&error));
        }
        assert_true(status == SN_OK || error.text[0] != '\0');
    }
    assert_int_equal(status, SN_OK);
    assert_true(after > 40);
    sn_thesis_model_free(&model);
    sn_tetrahedra_release(mesh);
    remove_paths(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_round_trip),
        cmocka_unit_test(test_models_that_do_not_fit),
        cmocka_unit_test(test_join_and_units),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
