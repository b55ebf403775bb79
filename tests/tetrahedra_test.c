// Tetrahedral meshes: making, turning, every refusal with its numbers, quality in closed form,
// surfaces, nodes between, refinement, and the generators.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/tetrahedra_edges.h"
#include "sinew/tetrahedra.h"

#define DEGREES (180.0 / SN_PI)

static void must(sn_status status, sn_error *error)
{
    if (status != SN_OK) {
        fail_msg("%s", sn_error_message(error));
    }
}

static sn_tetrahedra_quality quality_of(const sn_tetrahedra *mesh)
{
    sn_tetrahedra_quality quality;
    assert_true(sn_tetrahedra_measure(mesh, &quality));
    return quality;
}

static sn_tetrahedra *box_of(int x, int y, int z, sn_tetrahedra_cell cell)
{
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_box box = {.size = {x, y, z}, .cells = {x, y, z}, .cell = cell};
    must(sn_tetrahedra_make_box(&box, &mesh, &error), &error);
    return mesh;
}

// ---- making ----

static const sn_vec3 regular[5] = {
    {1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}, {5.0 / 3, 5.0 / 3, -5.0 / 3}};

static void test_create_turns_and_refuses(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = regular;
    def.vertex_count = 4;
    def.element_count = 1;
    def.elements = (int[]){0, 1, 2, 3};
    must(sn_tetrahedra_create(&def, &mesh, &error), &error);
    int turned = sn_tetrahedra_turned_count(mesh);
    sn_tetrahedra_release(mesh);
    def.elements = (int[]){0, 2, 1, 3};
    must(sn_tetrahedra_create(&def, &mesh, &error), &error);
    assert_int_equal(turned + sn_tetrahedra_turned_count(mesh), 1);
    sn_tetrahedra *ten = NULL, *copy = NULL;
    must(sn_tetrahedra_quadratic(mesh, &ten, &error), &error);
    must(sn_tetrahedra_transformed(ten, sn_vec3_make(-1.0, 1.0, 1.0), SN_TRANSFORM_IDENTITY, &copy,
                                   &error),
         &error);
    assert_int_equal(sn_tetrahedra_turned_count(copy), sn_tetrahedra_turned_count(mesh));
    sn_tetrahedra_release(ten);
    sn_tetrahedra_release(copy);
    sn_tetrahedra_quality quality = quality_of(mesh);
    assert_true(fabs(quality.volume - 8.0 / 3.0) < 1e-14); // edge 2 sqrt 2: a^3 / (6 sqrt 2)
    assert_true(fabs(quality.least_ratio - 1.0) < 1e-14);
    assert_true(fabs(quality.least_angle - acos(1.0 / 3.0)) < 1e-14);
    assert_true(fabs(quality.greatest_angle - acos(1.0 / 3.0)) < 1e-14);
    assert_true(fabs(quality.longest_edge - sqrt(8.0)) < 1e-14);
    assert_int_equal(quality.edge_count, 6);
    assert_int_equal(quality.part_count, 1);
    assert_ptr_equal(sn_tetrahedra_retain(mesh), mesh);
    sn_tetrahedra_release(mesh);
    sn_tetrahedra_release(mesh);

    const struct {
        int elements[4];
        const char *says;
    } wrong[] = {{{0, 1, 2, 4}, "element 0 names vertex 4"},
                 {{0, 1, -1, 3}, "names vertex -1"},
                 {{0, 1, 1, 3}, "names vertex 1 twice"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        def.elements = wrong[i].elements;
        assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_GEOMETRY);
        assert_null(mesh);
        assert_non_null(strstr(error.text, wrong[i].says));
    }
    def.nodes = 5;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_ARGUMENT);
    def.nodes = 4;
    def.element_count = 0;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_GEOMETRY);
    def.element_count = 1;
    def.elements = (int[]){0, 1, 2, 3};
    def.positions = (sn_vec3[]){{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "vertex 2"));
}

static void test_slivers_and_inverted_elements_are_named(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    // Element 1 is flat; its four corners are nearly in a plane.
    const sn_vec3 flat[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1e-5}, {0, 0, -1}};
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = flat;
    def.vertex_count = 6;
    def.elements = (int[]){0, 1, 2, 3, 0, 1, 2, 4};
    def.element_count = 2;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "1 sliver (element 1)"));
    // Two elements on the same side of their common face: they overlap, neither is inverted.
    const sn_vec3 folded[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, 0.5}};
    def.positions = folded;
    def.vertex_count = 5;
    def.elements = (int[]){0, 1, 2, 3, 0, 1, 2, 4};
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "1 overlap of neighbours (element 0 and 1)"));
    // Three elements about one face.
    def.positions =
        (sn_vec3[]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, 0.3, -1}, {0.2, 0.3, 2}};
    def.vertex_count = 6;
    def.elements = (int[]){0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5};
    def.element_count = 3;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "1 face of more than two elements (element 0 and 1"));
    assert_null(mesh);
    sn_tetrahedra_report report;
    assert_int_equal(sn_tetrahedra_def_check(&def, &report, &error), SN_ERROR_GEOMETRY);
    assert_int_equal(report.counts[SN_TETRAHEDRA_CROWDED_FACE], 1);
    sn_tetrahedra_report_free(&report);
}

static void test_doubled_elements_are_told_once(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    const sn_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, 0.3, -1}};
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = points;
    def.vertex_count = 5;
    // The third is the first in another order, with a neighbour below; then a fourth like it.
    def.elements = (int[]){0, 1, 2, 3, 0, 1, 2, 4, 3, 2, 0, 1, 1, 0, 2, 3};
    def.element_count = 3;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_string_equal(error.text, "the tetrahedra have 1 element with the corners of another "
                                    "(element 0 and 2); none were expected");
    def.element_count = 4;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "2 elements with the corners of others "
                                       "(element 0 and 2, 0 and 3); none"));
    assert_null(mesh);
}

static void test_loose_vertices_hinges_and_pinches_are_told(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    // Elements 0 and 1 share an edge, element 2 shares a vertex with them, vertex 6 is unused.
    const sn_vec3 points[10] = {{0, 0, 0},  {0, 0, 1}, {1, 0, 0}, {0, 1, 0},   {-1, 0, 0},
                                {0, -1, 0}, {9, 9, 9}, {0, 0, 2}, {0.5, 0, 2}, {0, 0.5, 2}};
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = points;
    def.vertex_count = 10;
    def.elements = (int[]){0, 1, 2, 3, 0, 1, 4, 5, 3, 7, 8, 9};
    def.element_count = 3;
    must(sn_tetrahedra_create(&def, &mesh, &error), &error);
    sn_tetrahedra_report report;
    assert_int_equal(sn_tetrahedra_check(mesh, &report, &error), SN_ERROR_GEOMETRY);
    assert_int_equal(report.counts[SN_TETRAHEDRA_UNUSED_VERTEX], 1);
    assert_int_equal(report.counts[SN_TETRAHEDRA_HINGE], 1);
    assert_true(report.counts[SN_TETRAHEDRA_PINCHED_VERTEX] >= 1);
    assert_non_null(strstr(error.text, "1 unused vertex (vertex 6)"));
    for (int p = 0; p < report.problem_count; ++p) {
        if (report.problems[p].kind == SN_TETRAHEDRA_HINGE) {
            assert_int_equal(report.problems[p].vertices[0] + report.problems[p].vertices[1], 1);
        }
    }
    assert_int_equal(quality_of(mesh).part_count, 1);
    sn_tetrahedra_report_free(&report);
    sn_tetrahedra_release(mesh);
    mesh = box_of(2, 2, 2, SN_CELL_FIVE);
    assert_int_equal(sn_tetrahedra_check(mesh, NULL, &error), SN_OK);
    sn_tetrahedra_release(mesh);
}

// ---- other meshes ----

static void assert_closed(const sn_tetrahedra *mesh)
{
    sn_error error = {0};
    sn_tetrahedra_surface surface;
    assert_int_equal(sn_tetrahedra_find_surface(mesh, &surface, &error), SN_OK);
    if (sn_mesh_check(surface.mesh, NULL, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(surface.mesh, 1.0, &mass, &error), SN_OK);
    double volume = quality_of(mesh).volume;
    assert_true(fabs(mass.volume - volume) < 1e-12 * volume);
    for (int i = 0; i < sn_mesh_vertex_count(surface.mesh); ++i) {
        sn_vec3 p = sn_tetrahedra_positions(mesh)[surface.vertices[i]];
        assert_memory_equal(&sn_mesh_positions(surface.mesh)[i], &p, sizeof p);
    }
    int nodes = sn_tetrahedra_nodes(mesh);
    for (int t = 0; t < sn_mesh_triangle_count(surface.mesh); ++t) {
        const int *v = sn_tetrahedra_elements(mesh) + nodes * surface.elements[t];
        for (int k = 0; k < 3; ++k) {
            int corner = surface.vertices[sn_mesh_triangles(surface.mesh)[3 * t + k]], found = 0;
            for (int n = 0; n < nodes; ++n) {
                found += v[n] == corner;
            }
            assert_int_equal(found, 1);
        }
    }
    sn_tetrahedra_surface_free(&surface);
}

static void test_nodes_between_and_refinement(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *box = box_of(3, 2, 2, SN_CELL_SIX), *made = NULL;
    int edges = quality_of(box).edge_count, vertices = sn_tetrahedra_vertex_count(box);
    must(sn_tetrahedra_quadratic(box, &made, &error), &error);
    assert_int_equal(sn_tetrahedra_vertex_count(made), vertices + edges);
    assert_int_equal(sn_tetrahedra_nodes(made), 10);
    assert_closed(made);
    sn_tetrahedra *twice = NULL;
    assert_int_equal(sn_tetrahedra_quadratic(made, &twice, &error), SN_ERROR_ARGUMENT);
    // A node moved across its element folds it.
    const int *v = sn_tetrahedra_elements(made);
    sn_vec3 *moved = malloc((size_t)(vertices + edges) * sizeof *moved);
    memcpy(moved, sn_tetrahedra_positions(made), (size_t)(vertices + edges) * sizeof *moved);
    moved[v[4]] = sn_vec3_add_scaled(moved[v[4]], 0.9, sn_vec3_sub(moved[v[1]], moved[v[0]]));
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.nodes = 10;
    def.positions = moved;
    def.vertex_count = vertices + edges;
    def.elements = v;
    def.element_count = sn_tetrahedra_element_count(made);
    assert_int_equal(sn_tetrahedra_create(&def, &twice, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "curved over"));
    free(moved);
    // Turned over, an element of ten nodes is turned back with its nodes between.
    sn_tetrahedra *mirrored = NULL;
    must(sn_tetrahedra_transformed(made, (sn_vec3){-1, 1, 1}, SN_TRANSFORM_IDENTITY, &mirrored,
                                   &error),
         &error);
    assert_closed(mirrored);
    sn_tetrahedra_release(mirrored);
    sn_tetrahedra_release(made);

    for (int parts = 1; parts <= 4; ++parts) {
        must(sn_tetrahedra_refined(box, parts, &made, &error), &error);
        assert_int_equal(sn_tetrahedra_element_count(made),
                         sn_tetrahedra_element_count(box) * parts * parts * parts);
        assert_int_equal(sn_tetrahedra_vertex_count(made),
                         (3 * parts + 1) * (2 * parts + 1) * (2 * parts + 1));
        assert_memory_equal(sn_tetrahedra_positions(made), sn_tetrahedra_positions(box),
                            (size_t)vertices * sizeof(sn_vec3));
        assert_int_equal(sn_tetrahedra_check(made, NULL, &error), SN_OK);
        assert_closed(made);
        assert_true(fabs(quality_of(made).volume - 12.0) < 1e-13 * 12.0);
        assert_true(quality_of(made).least_angle > 44.999 / DEGREES);
        sn_tetrahedra_release(made);
    }
    assert_int_equal(sn_tetrahedra_refined(box, 0, &made, &error), SN_ERROR_ARGUMENT);
    sn_tetrahedra_release(box);
}

// ---- generators ----

typedef sn_status (*generator)(int fine, sn_tetrahedra **mesh, sn_error *error);

static sn_status box_six(int n, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_box box = {.size = {4, 1, 2}, .cells = {4 * n, n, 2 * n}, .cell = SN_CELL_SIX};
    return sn_tetrahedra_make_box(&box, mesh, error);
}

static sn_status box_mirrored(int n, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_box box = {
        .size = {4, 1, 2}, .cells = {4 * n, n, 2 * n}, .cell = SN_CELL_SIX_MIRRORED};
    return sn_tetrahedra_make_box(&box, mesh, error);
}

static sn_status box_five(int n, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_box box = {.size = {4, 1, 2}, .cells = {4 * n, n, 2 * n}, .cell = SN_CELL_FIVE};
    return sn_tetrahedra_make_box(&box, mesh, error);
}

static sn_status cylinder(int n, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_cylinder cylinder = {
        .radius = 0.5, .height = 1.0, .rings = 2 * n, .spokes = 6, .layers = 4 * n};
    return sn_tetrahedra_make_cylinder(&cylinder, mesh, error);
}

static sn_status sphere(int n, sn_tetrahedra **mesh, sn_error *error)
{
    return sn_tetrahedra_make_sphere(0.7, 2 * n, mesh, error);
}

static sn_status torus(int n, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_torus torus = {
        .radius = 1.0, .tube_radius = 0.4, .rings = n, .spokes = 6, .segments = 16 * n};
    return sn_tetrahedra_make_torus(&torus, mesh, error);
}

static sn_status tube(int n, sn_tetrahedra **mesh, sn_error *error)
{
    sn_tetrahedra_tube tube = {.inner_radius = 0.3,
                               .radius = 0.5,
                               .height = 1.0,
                               .rings = n,
                               .segments = 12 * n,
                               .layers = 5 * n};
    return sn_tetrahedra_make_tube(&tube, mesh, error);
}

// An L with a round hole, drawn with corners of a polygon, so that its area is exact.
static sn_status extrusion(int n, sn_tetrahedra **mesh, sn_error *error)
{
    const sn_vec2 points[] = {{0, 0}, {3, 0},     {3, 1},     {1, 1},     {1, 3},
                              {0, 3}, {0.3, 0.3}, {0.3, 0.7}, {0.7, 0.7}, {0.7, 0.3}};
    sn_outline outline = {points, (int[]){6, 4}, 2};
    return sn_tetrahedra_make_extrusion(&outline, 0.5, 2 * n, 0.25 / n, mesh, error);
}

static sn_status ring(int n, sn_tetrahedra **mesh, sn_error *error)
{
    const sn_vec2 profile[] = {{1, 0}, {1, 1}, {2, 1}, {2, 0}};
    return sn_tetrahedra_make_revolution(profile, 4, 24 * n, 0.4 / n, mesh, error);
}

static sn_status cup(int n, sn_tetrahedra **mesh, sn_error *error)
{
    const sn_vec2 profile[] = {{0, 0}, {1, 0}, {1, 1}, {0.7, 1}, {0.7, 0.3}, {0, 0.3}};
    return sn_tetrahedra_make_revolution(profile, 6, 12 * n, 0.3 / n, mesh, error);
}

static void test_generators(void **state)
{
    (void)state;
    const double pi = SN_PI;
    const struct {
        const char *name;
        generator make;
        double volume, least_angle; // for fine = 1, 2, 3
        bool exact;
    } cases[] = {
        {"box, six", box_six, 8.0, 44.999, true},
        {"box, six mirrored", box_mirrored, 8.0, 44.999, true},
        {"box, five", box_five, 8.0, 54.735, true},
        {"cylinder", cylinder, pi * 0.25, 35.0, false},
        {"sphere", sphere, 4.0 / 3.0 * pi * 0.343, 40.0, false},
        {"torus", torus, 2.0 * pi * pi * 0.16, 27.0, false},
        {"tube", tube, pi * (0.25 - 0.09), 31.0, false},
        {"extrusion", extrusion, (5.0 - 0.16) * 0.5, 27.0, true},
        {"ring", ring, pi * 3.0, 22.0, false},
        {"cup", cup, pi * (0.3 + 0.7 * (1.0 - 0.49)), 9.5, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double gap[3];
        for (int n = 1; n <= 3; ++n) {
            sn_error error = {0};
            sn_tetrahedra *mesh = NULL;
            must(cases[i].make(n, &mesh, &error), &error);
            if (sn_tetrahedra_check(mesh, NULL, &error) != SN_OK) {
                fail_msg("%s: %s", cases[i].name, sn_error_message(&error));
            }
            assert_closed(mesh);
            sn_tetrahedra_quality quality = quality_of(mesh);
            gap[n - 1] = fabs(quality.volume - cases[i].volume) / cases[i].volume;
            if (getenv("SINEW_PRINT") != NULL) {
                print_message("%s %d: %d tets, angles %.1f to %.1f, ratio %.3f mean %.3f gap %g\n",
                              cases[i].name, n, sn_tetrahedra_element_count(mesh),
                              quality.least_angle * DEGREES, quality.greatest_angle * DEGREES,
                              quality.least_ratio, quality.mean_ratio, gap[n - 1]);
            }
            if (quality.least_angle * DEGREES < cases[i].least_angle) {
                fail_msg("%s %d: least angle %g degrees in element %d", cases[i].name, n,
                         quality.least_angle * DEGREES, quality.least_angle_element);
            }
            assert_int_equal(sn_tetrahedra_turned_count(mesh), 0);
            assert_int_equal(quality.part_count, 1);
            sn_tetrahedra_release(mesh);
        }
        if (cases[i].exact) {
            assert_true(gap[0] < 1e-12 && gap[1] < 1e-12 && gap[2] < 1e-12);
        } else { // second order
            assert_true(gap[1] < 0.35 * gap[0] && gap[2] < 0.55 * gap[1]);
        }
    }
}

// Counts of the thesis' demonstrations (digest 7.1, 7.2) and of its cube (fig. 5.3).
static void test_counts_of_the_thesis(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
    must(sn_tetrahedra_make_torus(&torus, &mesh, &error), &error);
    assert_int_equal(sn_tetrahedra_element_count(mesh), 480);
    assert_int_equal(sn_tetrahedra_vertex_count(mesh), 180);
    assert_int_equal(quality_of(mesh).edge_count, 820);
    sn_tetrahedra_surface surface;
    assert_int_equal(sn_tetrahedra_find_surface(mesh, &surface, &error), SN_OK);
    assert_int_equal(sn_mesh_vertex_count(surface.mesh), 160);
    assert_int_equal(sn_mesh_triangle_count(surface.mesh), 320);
    int degree[160] = {0};
    for (int k = 0; k < 960; ++k) {
        degree[sn_mesh_triangles(surface.mesh)[k]] += 1;
    }
    for (int i = 0; i < 160; ++i) {
        assert_int_equal(degree[i], 6); // a uniform cut
    }
    sn_tetrahedra_surface_free(&surface);
    sn_tetrahedra_release(mesh);
    const int cells[3][3] = {{8, 8, 2}, {2, 2, 2}, {1, 1, 1}};
    int edges = 0, elements = 0, vertices = 0;
    for (int k = 0; k < 2; ++k) {
        mesh = box_of(cells[k][0], cells[k][1], cells[k][2], SN_CELL_SIX);
        edges += quality_of(mesh).edge_count;
        elements += sn_tetrahedra_element_count(mesh);
        vertices += sn_tetrahedra_vertex_count(mesh);
        sn_tetrahedra_release(mesh);
    }
    must(sn_tetrahedra_make_sphere(1.0, 1, &mesh, &error), &error);
    assert_int_equal(edges + quality_of(mesh).edge_count, 1342);
    assert_int_equal(elements + sn_tetrahedra_element_count(mesh), 836);
    assert_int_equal(vertices + sn_tetrahedra_vertex_count(mesh), 283);
    sn_tetrahedra_release(mesh);
    mesh = box_of(1, 1, 1, SN_CELL_SIX);
    assert_int_equal(quality_of(mesh).edge_count, 19);
    sn_tetrahedra_release(mesh);
}

static void test_mirrored_boxes_are_symmetric(void **state)
{
    (void)state;
    const sn_tetrahedra_cell cells[2] = {SN_CELL_SIX_MIRRORED, SN_CELL_FIVE};
    for (int c = 0; c < 2; ++c) {
        sn_tetrahedra *mesh = box_of(2, 4, 2, cells[c]);
        sn_tetrahedra_edges edges;
        assert_int_equal(sn_tetrahedra_edges_find(mesh, &edges, NULL), SN_OK);
        const int n[3] = {3, 5, 3};
        for (int axis = 0; axis < 3; ++axis) { // every edge has its mirror image
            for (int e = 0; e < edges.count; ++e) {
                int image[2];
                for (int s = 0; s < 2; ++s) {
                    int v = edges.corners[2 * e + s];
                    int at[3] = {v % 3, v / 3 % 5, v / 15};
                    at[axis] = n[axis] - 1 - at[axis];
                    image[s] = at[0] + 3 * (at[1] + 5 * at[2]);
                }
                int low = image[0] < image[1] ? image[0] : image[1], found = 0;
                for (int o = 0; o < edges.count; ++o) {
                    found += edges.corners[2 * o] == low &&
                             edges.corners[2 * o + 1] == image[0] + image[1] - low;
                }
                assert_int_equal(found, 1);
            }
        }
        sn_tetrahedra_edges_free(&edges);
        sn_tetrahedra_release(mesh);
    }
}

static void test_generators_refuse(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    box.cells[1] = 0;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, &error), SN_ERROR_ARGUMENT);
    box = sn_default_tetrahedra_box();
    box.size.z = -1.0;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "size.z"));
    box = sn_default_tetrahedra_box();
    box.cells[0] = box.cells[1] = box.cells[2] = 100000;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, &error), SN_ERROR_ARGUMENT);
    sn_tetrahedra_cylinder cylinder = sn_default_tetrahedra_cylinder();
    cylinder.spokes = 2;
    assert_int_equal(sn_tetrahedra_make_cylinder(&cylinder, &mesh, &error), SN_ERROR_ARGUMENT);
    sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
    torus.tube_radius = torus.radius;
    assert_int_equal(sn_tetrahedra_make_torus(&torus, &mesh, &error), SN_ERROR_ARGUMENT);
    sn_tetrahedra_tube tube = sn_default_tetrahedra_tube();
    tube.inner_radius = 0.6;
    assert_int_equal(sn_tetrahedra_make_tube(&tube, &mesh, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_tetrahedra_make_sphere(1.0, 0, &mesh, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_tetrahedra_make_sphere(1.0, 300, &mesh, &error), SN_ERROR_ARGUMENT);
    const sn_vec2 left[] = {{-1, 0}, {1, 0}, {1, 1}};
    assert_int_equal(sn_tetrahedra_make_revolution(left, 3, 12, 0.1, &mesh, &error),
                     SN_ERROR_GEOMETRY);
    const sn_vec2 bow[] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    sn_outline outline = {bow, (int[]){4}, 1};
    assert_int_equal(sn_tetrahedra_make_extrusion(&outline, 1.0, 1, 0.1, &mesh, &error),
                     SN_ERROR_GEOMETRY);
    const sn_vec2 square[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    outline.points = square;
    assert_int_equal(sn_tetrahedra_make_extrusion(&outline, 1.0, 1, 1e-9, &mesh, &error),
                     SN_ERROR_ARGUMENT);
    assert_null(mesh);
}

// Random star-shaped outlines with a hole: always filled, whole and sound.
static void test_random_outlines_are_filled(void **state)
{
    (void)state;
    sn_random random = {.seed = 71};
    for (int round = 0; round < 40; ++round) {
        sn_vec2 points[24];
        double area = 0.0;
        for (int i = 0; i < 20; ++i) {
            double r = sn_random_range(&random, 0.6, 1.2), a = 2.0 * SN_PI * i / 20;
            points[i] = (sn_vec2){r * cos(a), r * sin(a)};
        }
        for (int i = 0; i < 20; ++i) {
            sn_vec2 a = points[i], b = points[(i + 1) % 20];
            area += 0.5 * (a.x * b.y - a.y * b.x);
        }
        for (int i = 0; i < 4; ++i) {
            points[20 + i] = (sn_vec2){0.2 * cos(0.5 * SN_PI * i), 0.2 * sin(0.5 * SN_PI * i)};
        }
        sn_outline outline = {points, (int[]){20, 4}, 2};
        sn_error error = {0};
        sn_tetrahedra *mesh = NULL;
        double edge = sn_random_range(&random, 0.06, 0.5);
        must(sn_tetrahedra_make_extrusion(&outline, 0.1, 1, edge, &mesh, &error), &error);
        assert_int_equal(sn_tetrahedra_check(mesh, NULL, &error), SN_OK);
        assert_true(fabs(quality_of(mesh).volume - 0.1 * (area - 0.08)) < 1e-12);
        sn_tetrahedra_release(mesh);
    }
}

// ---- memory ----

static sn_status everything(int unused, sn_tetrahedra **mesh, sn_error *error)
{
    (void)unused;
    sn_tetrahedra *small = NULL, *fine = NULL, *curved = NULL;
    sn_tetrahedra_surface surface = {0};
    sn_tetrahedra_report report = {0};
    sn_tetrahedra_quality quality;
    sn_status status = sphere(1, &small, error);
    status = status == SN_OK ? sn_tetrahedra_refined(small, 2, &fine, error) : status;
    status = status == SN_OK ? sn_tetrahedra_quadratic(small, &curved, error) : status;
    status = status == SN_OK ? sn_tetrahedra_find_surface(curved, &surface, error) : status;
    status = status == SN_OK ? sn_tetrahedra_check(fine, &report, error) : status;
    if (status == SN_OK && !sn_tetrahedra_measure(fine, &quality)) {
        status = SN_ERROR_MEMORY;
    }
    status = status == SN_OK ? sn_tetrahedra_transformed(small, (sn_vec3){1, 2, 3},
                                                         SN_TRANSFORM_IDENTITY, mesh, error)
                             : status;
    sn_tetrahedra_surface_free(&surface);
    sn_tetrahedra_report_free(&report);
    sn_tetrahedra_release(small);
    sn_tetrahedra_release(fine);
    sn_tetrahedra_release(curved);
    return status;
}

static void test_running_out_of_memory(void **state)
{
    (void)state;
    const generator makers[] = {box_five, cylinder, torus, tube, extrusion, ring, everything};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; ++i) {
        int failures = 0;
        for (int after = 0;; ++after) {
            sn_tetrahedra *mesh = NULL;
            sn_error error = {0};
            sn_allocation_fail_after(after);
            sn_status status = makers[i](1, &mesh, &error);
            sn_allocation_fail_after(-1);
            if (status == SN_OK) {
                sn_tetrahedra_release(mesh);
                break;
            }
            assert_int_equal(status, SN_ERROR_MEMORY);
            assert_null(mesh);
            ++failures;
        }
        assert_true(failures > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_turns_and_refuses),
        cmocka_unit_test(test_slivers_and_inverted_elements_are_named),
        cmocka_unit_test(test_doubled_elements_are_told_once),
        cmocka_unit_test(test_loose_vertices_hinges_and_pinches_are_told),
        cmocka_unit_test(test_nodes_between_and_refinement),
        cmocka_unit_test(test_generators),
        cmocka_unit_test(test_counts_of_the_thesis),
        cmocka_unit_test(test_mirrored_boxes_are_symmetric),
        cmocka_unit_test(test_generators_refuse),
        cmocka_unit_test(test_random_outlines_are_filled),
        cmocka_unit_test(test_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
