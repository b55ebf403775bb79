// Surfaces of the thesis' bodies: found, coloured, and written for POV-Ray.
#include <math.h>

#include "thesis_samples.h"

// Every face of `surf` is one that sn_tetrahedra_find_surface has, and turned outward.
static void test_surf(void **unused)
{
    (void)unused;
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_model model = torus_model();
    p.paths.surface = p.paths.constraints = NULL;
    assert_int_equal(sn_thesis_model_write(&model, &p.paths, &error), SN_OK);
    sn_thesis_file topology, surface;
    assert_int_equal(sn_thesis_read(SN_THESIS_TOPOLOGY, p.tp, &topology, &error), SN_OK);
    sn_thesis_face look = {.texture = 2, .friction = 0.5};
    assert_int_equal(sn_thesis_surf(&topology, &look, &surface, &error), SN_OK);
    assert_int_equal(surface.count, 320);
    double volume = 0.0;
    const sn_vec3 *x = sn_tetrahedra_positions(model.mesh);
    for (int f = 0; f < surface.count; ++f) {
        const int *v = surface.faces[f].vertices;
        assert_memory_equal(v, model.faces[f].vertices, 3 * sizeof(int));
        assert_int_equal(surface.faces[f].texture, 2);
        assert_float_equal(surface.faces[f].friction, 0.5, 0.0);
        volume += sn_dot(x[v[0]], sn_cross(x[v[1]], x[v[2]])) / 6.0;
    }
    sn_tetrahedra_quality quality;
    assert_true(sn_tetrahedra_measure(model.mesh, &quality));
    assert_float_equal(volume, quality.volume, 1e-12 * quality.volume);
    sn_thesis_file_free(&topology);
    sn_thesis_file_free(&surface);
    sn_thesis_model_free(&model);
    remove_paths(&p);
}

static int color_mesh(sn_tetrahedra *mesh, int counts[3])
{
    sn_thesis_model model;
    sn_error error = {0};
    int conflicts = -1;
    assert_int_equal(sn_thesis_model_make(mesh, &rubber, 1, &model, &error), SN_OK);
    sn_thesis_file surface = {SN_THESIS_SURFACE, model.face_count, {model.faces}};
    assert_int_equal(sn_thesis_color(&surface, (int[]){4, 5, 6}, &conflicts, &error), SN_OK);
    memset(counts, 0, 3 * sizeof *counts);
    int found = 0;
    for (int f = 0; f < surface.count; ++f) {
        assert_in_range(surface.faces[f].texture, 4, 6);
        counts[surface.faces[f].texture - 4] += 1;
        for (int g = 0; g < f; ++g) {
            int shared = 0;
            for (int k = 0; k < 9; ++k) {
                shared += surface.faces[f].vertices[k / 3] == surface.faces[g].vertices[k % 3];
            }
            found += shared == 2 && surface.faces[f].texture == surface.faces[g].texture;
        }
    }
    assert_int_equal(found, conflicts);
    sn_thesis_model_free(&model);
    sn_tetrahedra_release(mesh);
    return conflicts;
}

static void test_coloring(void **unused)
{
    (void)unused;
    int counts[3];
    assert_int_equal(color_mesh(make_torus(), counts), 0);
    for (int c = 0; c < 3; ++c) {
        assert_true(counts[c] > 320 / 5); // in about equal numbers
    }
    sn_tetrahedra *mesh = NULL;
    for (int rings = 1; rings < 5; ++rings) {
        assert_int_equal(sn_tetrahedra_make_sphere(1.0, rings, &mesh, NULL), SN_OK);
        assert_int_equal(color_mesh(mesh, counts), 0);
    }
    for (int cells = 1; cells < 5; ++cells) {
        sn_tetrahedra_box box = sn_default_tetrahedra_box();
        box.cells[0] = cells;
        box.cells[1] = 5 - cells;
        box.cell = cells % 2 ? SN_CELL_FIVE : SN_CELL_SIX;
        assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
        assert_int_equal(color_mesh(mesh, counts), 0);
    }
    const sn_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = corners;
    def.vertex_count = 4;
    def.elements = (int[]){0, 1, 2, 3};
    def.element_count = 1;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, NULL), SN_OK);
    assert_int_equal(color_mesh(mesh, counts), 1);
}

static void test_pov(void **unused)
{
    (void)unused;
    four_paths p;
    make_paths(&p);
    sn_error error = {0};
    sn_thesis_file textures = parse(SN_THESIS_TEXTURES, textures_text);
    sn_thesis_file lights = parse(SN_THESIS_LIGHTS, lights_text);
    sn_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, v[4] = {{0, 0, 0}};
    sn_thesis_state state = {0.5, 4, x, v};
    sn_thesis_face faces[3] = {
        {{0, 2, 1}, 0, 0, 0, 0}, {{0, 1, 3}, 0, 0, 0, 0}, {{0, 0, 3}, 0, 0, 0, 0}};
    sn_thesis_file surface = {SN_THESIS_SURFACE, 3, {faces}};
    sn_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    sn_thesis_grow_box(&state, &surface, &box);
    assert_float_equal(box.upper.z, 1.0, 0.0);
    assert_float_equal(box.lower.x, 0.0, 0.0);
    sn_thesis_view view = sn_thesis_view_of(box);
    sn_status status =
        sn_thesis_write_pov(&state, &surface, &textures, &lights, &view, p.st, &error);
    assert_int_equal(status, SN_OK);
    const char *pov = read_text(p.st);
    assert_int_equal(count_words(pov, "triangle {"), 2); // the one without area is left out
    assert_int_equal(count_words(pov, "light_source {"), 1);
    assert_int_equal(count_words(pov, "#declare Texture"), 1);
    // diffuse (0.4, 0.5, 0.6): hue by its greatest, which `diffuse` has; half goes through
    assert_non_null(strstr(pov, "diffuse 0.6"));
    assert_non_null(strstr(pov, "phong 0.9 phong_size 40 refraction 1 ior 1.5"));
    assert_int_equal(count_words(pov, "{"), count_words(pov, "}"));
    assert_int_equal(count_words(pov, "<"), count_words(pov, ">"));
    assert_int_equal(sn_thesis_write_pov(&state, &surface, NULL, NULL, &view, p.st, &error), SN_OK);
    assert_int_equal(count_words(read_text(p.st), "#declare Texture"), 3);
    faces[1].texture = 1;
    assert_int_equal(sn_thesis_write_pov(&state, &surface, &textures, &lights, &view, p.st, &error),
                     SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "face 1 has texture 1"));
    faces[1].vertices[2] = 4;
    assert_int_equal(sn_thesis_write_pov(&state, &surface, NULL, NULL, &view, p.st, &error),
                     SN_ERROR_GEOMETRY);
    sn_thesis_file_free(&textures);
    sn_thesis_file_free(&lights);
    remove_paths(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surf),
        cmocka_unit_test(test_coloring),
        cmocka_unit_test(test_pov),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
