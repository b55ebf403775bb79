// Meshes: making, sharing, adjacency, and every problem that sn_mesh_check looks for.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/half_edge.h"
#include "geometry/mesh_builder.h"
#include "geometry/mesh_check.h"
#include "geometry/weld.h"
#include "sinew/geometry.h"

// ---- making ----

static const sn_vec3 corners[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
static const int faces[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};

static sn_mesh *tetrahedron(void)
{
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, faces, 4, &mesh, NULL), SN_OK);
    return mesh;
}

static void test_create_refuses_bad_arrays(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    const int range[3] = {0, 1, 4}, negative[3] = {0, -1, 2}, twice[3] = {0, 1, 0};
    const sn_vec3 infinite[3] = {{0, 0, 0}, {1, INFINITY, 0}, {0, 1, 0}};
    assert_int_equal(sn_mesh_create(corners, 4, range, 1, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "triangle 0 names vertex 4"));
    assert_int_equal(sn_mesh_create(corners, 4, negative, 1, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_int_equal(sn_mesh_create(corners, 4, twice, 1, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "0, 1, 0"));
    assert_int_equal(sn_mesh_create(infinite, 3, faces, 1, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "vertex 1"));
    assert_int_equal(sn_mesh_create(corners, 4, faces, 0, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_null(mesh);
    for (int after = 0; after < 3; ++after) {
        sn_allocation_fail_after(after);
        sn_status status = sn_mesh_create(corners, 4, faces, 4, &mesh, &error);
        sn_allocation_fail_after(-1);
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(mesh);
    }
}

static void test_measures(void **state)
{
    (void)state;
    sn_mesh *mesh = tetrahedron();
    assert_true(fabs(sn_mesh_area(mesh) - 8.0 * sqrt(3.0)) < 1e-14);
    sn_aabb bounds = sn_mesh_bounds(mesh);
    assert_true(bounds.lower.x == -1 && bounds.lower.y == -1 && bounds.lower.z == -1);
    assert_true(bounds.upper.x == 1 && bounds.upper.y == 1 && bounds.upper.z == 1);
    sn_vec3 n = sn_mesh_triangle_normal(mesh, 0); // away from corner 3
    assert_true(sn_distance(n, sn_normalize(sn_vec3_negate(corners[3]))) < 1e-15);
    sn_vec3 normals[4];
    sn_mesh_vertex_normals(mesh, normals);
    for (int i = 0; i < 4; ++i) {
        assert_true(sn_distance(normals[i], sn_normalize(corners[i])) < 1e-15);
    }
    sn_mesh_release(mesh);
}

static void test_mirrored_copy_faces_outward(void **state)
{
    (void)state;
    sn_mesh *mesh = tetrahedron(), *copy = NULL;
    sn_transform place = {{5, 6, 7}, {0.6, 0.0, 0.8, 0.0}};
    for (int bits = 0; bits < 8; ++bits) {
        sn_vec3 scale = {bits & 1 ? -2 : 2, bits & 2 ? -3 : 3, bits & 4 ? -1 : 1};
        assert_int_equal(sn_mesh_transformed(mesh, scale, place, &copy, NULL), SN_OK);
        sn_mass_properties mass;
        assert_int_equal(sn_mesh_mass_properties(copy, 1.0, &mass, NULL), SN_OK);
        assert_true(fabs(mass.volume - 16.0) < 1e-13);
        assert_true(sn_distance(mass.centre, place.position) < 1e-13);
        sn_mesh_release(copy);
    }
    assert_int_equal(sn_mesh_transformed(mesh, sn_vec3_make(1, 0, 1), place, &copy, NULL),
                     SN_ERROR_ARGUMENT);
    assert_int_equal(sn_mesh_transformed(mesh, sn_vec3_make(1e300, 1, 1),
                                         (sn_transform){{1e308, 1e308, 1.7e308}, {0.6, 0, 0.8, 0}},
                                         &copy, NULL),
                     SN_OK);
    sn_mesh_release(copy);
    sn_mesh_release(mesh);
}

// ---- sharing ----

static void *share(void *mesh)
{
    for (int i = 0; i < 20000; ++i) {
        sn_mesh_retain(mesh);
        sn_mesh_release(mesh);
    }
    sn_mesh_release(mesh);
    return NULL;
}

// ASan and LeakSanitizer see a count that is lost or one too many.
static void test_references_from_threads(void **state)
{
    (void)state;
    sn_mesh *mesh = tetrahedron();
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, share, sn_mesh_retain(mesh)), 0);
    }
    for (int i = 0; i < 4; ++i) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(sn_mesh_vertex_count(mesh), 4);
    sn_mesh_release(mesh);
    sn_mesh_release(NULL);
    assert_null(sn_mesh_retain(NULL));
}

// ---- adjacency ----

static void test_twins(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_torus(1.0, 0.3, 17, &mesh, NULL), SN_OK);
    sn_half_edges edges;
    assert_int_equal(sn_half_edges_build(mesh, &edges, NULL), SN_OK);
    const int *v = sn_mesh_triangles(mesh);
    for (int e = 0; e < edges.count; ++e) {
        int twin = edges.twin[e];
        assert_true(twin >= 0 && twin != e && edges.twin[twin] == e);
        assert_int_equal(v[e], v[sn_half_edge_next(twin)]);
        assert_int_equal(v[sn_half_edge_next(e)], v[twin]);
        assert_int_equal(sn_half_edge_previous(sn_half_edge_next(e)), e);
    }
    // Euler's formula on a torus: V - E + F = 0.
    assert_int_equal(sn_mesh_vertex_count(mesh) - edges.count / 2 + sn_mesh_triangle_count(mesh),
                     0);
    sn_half_edges_free(&edges);
    sn_mesh_release(mesh);
}

// ---- problems ----

// Checks the mesh, which must have exactly `count` problems of one kind; frees it.
static sn_error check_one_kind(sn_mesh *mesh, sn_mesh_problem_kind kind, int count,
                               sn_mesh_problem *first)
{
    sn_mesh_report report;
    sn_error error = {0};
    assert_int_equal(sn_mesh_check(mesh, &report, &error), SN_ERROR_GEOMETRY);
    if (report.problem_count != count || report.counts[kind] != count) {
        fail_msg("%d problems, %d of the kind: %s", report.problem_count, report.counts[kind],
                 sn_error_message(&error));
    }
    if (first != NULL) {
        *first = report.problems[0];
    }
    sn_mesh_report_free(&report);
    sn_mesh_release(mesh);
    return error;
}

static void test_open_edges(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, faces, 3, &mesh, NULL), SN_OK); // without 1 3 2
    sn_mesh_problem first;
    sn_error error = check_one_kind(mesh, SN_MESH_OPEN_EDGE, 3, &first);
    assert_int_equal(first.vertices[0], 1);
    assert_int_equal(first.vertices[1], 2);
    assert_string_equal(error.place, "mesh edge 1-2");
    assert_non_null(strstr(error.text, "vertex 1 at (1, -1, -1)"));
    assert_non_null(strstr(error.text, "triangle 0 alone"));
    assert_non_null(strstr(error.text, "2 more"));
}

// A surface to stand on may have rims, but nothing else that is wrong.
static void test_surfaces_with_rims(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, faces, 3, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_check(mesh, NULL, NULL), SN_ERROR_GEOMETRY);
    assert_int_equal(sn_mesh_check_surface(mesh, &error), SN_OK);
    for (int n = 0;; ++n) {
        sn_allocation_fail_after(n);
        sn_status status = sn_mesh_check_surface(mesh, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            assert_true(n > 2);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    sn_mesh_release(mesh);

    mesh = tetrahedron();
    assert_int_equal(sn_mesh_check_surface(mesh, &error), SN_OK);
    sn_mesh_release(mesh);

    const int turned[6] = {0, 1, 2, 0, 1, 3};
    assert_int_equal(sn_mesh_create(corners, 4, turned, 2, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_check_surface(mesh, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "a face is turned over"));
    sn_mesh_release(mesh);

    const sn_vec3 line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    assert_int_equal(sn_mesh_create(line, 3, turned, 1, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_check_surface(mesh, &error), SN_ERROR_GEOMETRY);
    sn_mesh_release(mesh);

    // A closed one still has to face outward.
    const int inward[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    assert_int_equal(sn_mesh_create(corners, 4, inward, 4, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_check_surface(mesh, &error), SN_ERROR_GEOMETRY);
    sn_mesh_release(mesh);
}

static void test_flipped_face(void **state)
{
    (void)state;
    int flipped[12];
    memcpy(flipped, faces, sizeof flipped);
    flipped[10] = 2;
    flipped[11] = 3;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, flipped, 4, &mesh, NULL), SN_OK);
    sn_error error = check_one_kind(mesh, SN_MESH_FLIPPED_EDGE, 3, NULL);
    assert_non_null(strstr(error.text, "triangles 0 and 3"));
}

// Two tetrahedra on opposite sides of a common edge, or joined in a common corner.
static sn_mesh *two_tetrahedra(bool share_edge)
{
    sn_vec3 positions[8];
    int triangles[24];
    for (int i = 0; i < 4; ++i) {
        positions[i] = corners[i];
        // The half turn about the line through corners 0 and 1, x = 1, y = z.
        positions[4 + i] = sn_vec3_make(2.0 - corners[i].x, corners[i].z, corners[i].y);
    }
    for (int k = 0; k < 12; ++k) {
        triangles[k] = faces[k];
        int v = faces[k];
        triangles[12 + k] = v == 0 || (v == 1 && share_edge) ? v : 4 + v;
    }
    if (!share_edge) {
        positions[5].z -= 0.5;
    }
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(positions, 8, triangles, 8, &mesh, NULL), SN_OK);
    return mesh;
}

static void test_touching_bodies(void **state)
{
    (void)state;
    sn_mesh *mesh = two_tetrahedra(true);
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, NULL), SN_OK);
    assert_true(fabs(mass.volume - 16.0 / 3.0) < 1e-14);
    sn_error error = check_one_kind(mesh, SN_MESH_CROWDED_EDGE, 1, NULL);
    assert_string_equal(error.place, "mesh edge 0-1");
    sn_mesh_problem first;
    error = check_one_kind(two_tetrahedra(false), SN_MESH_PINCHED_VERTEX, 1, &first);
    assert_string_equal(error.place, "mesh vertex 0");
    assert_int_equal(first.triangles[0], 0);
    assert_int_equal(first.triangles[1], 4);
}

static void test_duplicate_triangle(void **state)
{
    (void)state;
    int doubled[18];
    memcpy(doubled, faces, sizeof faces);
    memcpy(doubled + 12, (int[]){1, 2, 0, 2, 1, 0}, 6 * sizeof(int));
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(corners, 4, doubled, 6, &mesh, NULL), SN_OK);
    sn_mesh_report report;
    assert_int_equal(sn_mesh_check(mesh, &report, NULL), SN_ERROR_GEOMETRY);
    assert_int_equal(report.counts[SN_MESH_DUPLICATE_TRIANGLE], 2);
    assert_int_equal(report.counts[SN_MESH_CROWDED_EDGE], 3);
    sn_mesh_report_free(&report);
    sn_mesh_release(mesh);
}

// A corner pushed into the middle of an edge: closed and consistent, but a triangle has no area.
static void test_degenerate_triangle(void **state)
{
    (void)state;
    const sn_vec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}};
    const int triangles[18] = {0, 2, 1, 0, 1, 4, 0, 4, 3, 4, 1, 3, 0, 3, 2, 1, 2, 3};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(positions, 5, triangles, 6, &mesh, NULL), SN_OK);
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, NULL), SN_OK);
    assert_true(fabs(mass.volume - 1.0 / 6.0) < 1e-15);
    sn_error error = check_one_kind(mesh, SN_MESH_DEGENERATE_TRIANGLE, 1, NULL);
    assert_string_equal(error.place, "mesh triangle 1");
}

// ---- shells ----

static sn_mesh *nested_balls(const double *radii, const bool *inward, int count)
{
    sn_mesh *shells[8] = {NULL}, *joined = NULL;
    for (int i = 0; i < count; ++i) {
        sn_mesh *ball = NULL;
        assert_int_equal(sn_mesh_sphere(radii[i], 8, &ball, NULL), SN_OK);
        int n = sn_mesh_triangle_count(ball);
        int turned[3 * 64];
        assert_true(n <= 64);
        for (int k = 0; k < 3 * n; ++k) {
            turned[k] = sn_mesh_triangles(ball)[inward[i] ? k / 3 * 3 + 2 - k % 3 : k];
        }
        assert_int_equal(sn_mesh_create(sn_mesh_positions(ball), sn_mesh_vertex_count(ball), turned,
                                        n, &shells[i], NULL),
                         SN_OK);
        sn_mesh_release(ball);
    }
    assert_int_equal(sn_mesh_join((const sn_mesh *const *)shells, count, &joined, NULL), SN_OK);
    for (int i = 0; i < count; ++i) {
        sn_mesh_release(shells[i]);
    }
    return joined;
}

static void test_nested_shells(void **state)
{
    (void)state;
    const double radii[4] = {1.0, 4.0, 2.0, 3.0}; // in any order
    const bool right[4] = {true, false, false, true};
    sn_mesh *mesh = nested_balls(radii, right, 4);
    sn_mesh_report report;
    sn_error error = {0};
    if (sn_mesh_check(mesh, &report, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(report.shell_count, 4);
    const int depths[4] = {3, 0, 2, 1};
    int triangles = 0;
    for (int s = 0; s < 4; ++s) {
        assert_int_equal(report.shells[s].depth, depths[s]);
        assert_int_equal(report.shells[s].first_triangle, triangles);
        assert_int_equal(report.shell_of_triangle[triangles], s);
        assert_true((report.shells[s].volume > 0.0) == !right[s]);
        triangles += report.shells[s].triangle_count;
    }
    assert_int_equal(triangles, sn_mesh_triangle_count(mesh));
    sn_mesh_report_free(&report);
    sn_mesh_release(mesh);

    const bool wrong[4] = {true, false, true, true}; // the solid of radius 2 is turned inward
    error = check_one_kind(nested_balls(radii, wrong, 4), SN_MESH_INWARD_SHELL, 1, NULL);
    assert_non_null(strstr(error.text, "inside 2 others"));
    // All of it inside out: the solid is, and then its hollow is, too.
    const bool inside_out[2] = {false, true};
    error = check_one_kind(nested_balls(radii, inside_out, 2), SN_MESH_INWARD_SHELL, 2, NULL);
    assert_non_null(strstr(error.text, "a solid must be turned outward"));
    // A part inside a part is no problem.
    const bool parts[2] = {false, false};
    mesh = nested_balls(radii, parts, 2);
    assert_int_equal(sn_mesh_check(mesh, NULL, NULL), SN_OK);
    sn_mesh_release(mesh);
}

// ---- size ----

// A million triangles: the check is linear, so this ends at once or not at all.
static void test_large_mesh(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_torus(2.0, 1.0, 708, &mesh, NULL), SN_OK);
    assert_true(sn_mesh_triangle_count(mesh) > 1000000);
    assert_int_equal(sn_mesh_check(mesh, NULL, NULL), SN_OK);
    sn_mesh_release(mesh);
}

// ---- welding ----

static void test_weld(void **state)
{
    (void)state;
    sn_random random = {.seed = 2};
    sn_mesh *ball = NULL, *mesh = NULL;
    assert_int_equal(sn_mesh_sphere(1.0, 40, &ball, NULL), SN_OK);
    sn_mesh_builder builder = {0};
    for (int k = 0; k < 3 * sn_mesh_triangle_count(ball); ++k) {
        sn_vec3 p = sn_mesh_positions(ball)[sn_mesh_triangles(ball)[k]];
        p.x += sn_random_range(&random, -1e-7, 1e-7);
        p.y += sn_random_range(&random, -1e-7, 1e-7);
        sn_mesh_builder_vertex(&builder, p);
        if (k % 3 == 2) {
            sn_mesh_builder_triangle(&builder, k - 2, k - 1, k);
        }
    }
    assert_true(sn_weld(&builder, 1e-6));
    assert_int_equal(builder.positions.count, sn_mesh_vertex_count(ball));
    assert_int_equal(sn_mesh_builder_finish(&builder, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_check(mesh, NULL, NULL), SN_OK);
    sn_mesh_release(mesh);
    sn_mesh_release(ball);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_mesh *mesh = two_tetrahedra(false);
    int failures = 0;
    for (int after = 0;; ++after) {
        sn_mesh_report report;
        sn_allocation_fail_after(after);
        sn_status status = sn_mesh_check(mesh, &report, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_ERROR_GEOMETRY) {
            assert_int_equal(report.problem_count, 1);
            sn_mesh_report_free(&report);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(report.problems);
        ++failures;
    }
    assert_true(failures > 10);
    sn_mesh_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_refuses_bad_arrays),
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_mirrored_copy_faces_outward),
        cmocka_unit_test(test_references_from_threads),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_open_edges),
        cmocka_unit_test(test_surfaces_with_rims),
        cmocka_unit_test(test_flipped_face),
        cmocka_unit_test(test_touching_bodies),
        cmocka_unit_test(test_duplicate_triangle),
        cmocka_unit_test(test_degenerate_triangle),
        cmocka_unit_test(test_nested_shells),
        cmocka_unit_test(test_large_mesh),
        cmocka_unit_test(test_weld),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
