// Convex hulls: closed, convex, around all points, of the right volume; flat inputs refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "sinew/geometry.h"

// Closed, and no point beyond any of its faces. Returns the volume and frees the mesh.
static double check_hull(const sn_vec3 *points, int count, int *vertices)
{
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_convex_hull(points, count, &mesh, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_mesh_report report;
    if (sn_mesh_check(mesh, &report, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(report.shell_count, 1);
    sn_mesh_report_free(&report);
    sn_aabb bounds = sn_mesh_bounds(mesh);
    double size = sn_distance(bounds.lower, bounds.upper);
    for (int t = 0; t < sn_mesh_triangle_count(mesh); ++t) {
        const int *v = sn_mesh_triangles(mesh) + 3 * t;
        const sn_vec3 *p = sn_mesh_positions(mesh);
        // By area: the normal of a sliver between points in line says little.
        sn_vec3 area = sn_cross(sn_vec3_sub(p[v[1]], p[v[0]]), sn_vec3_sub(p[v[2]], p[v[0]]));
        for (int i = 0; i < count; ++i) {
            assert_true(sn_dot(area, sn_vec3_sub(points[i], p[v[0]])) < 1e-12 * size * size * size);
        }
    }
    // V - E + F = 2 with E = 3 F / 2.
    assert_int_equal(2 * sn_mesh_vertex_count(mesh) - sn_mesh_triangle_count(mesh), 4);
    if (vertices != NULL) {
        *vertices = sn_mesh_vertex_count(mesh);
    }
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(mesh, 1.0, &mass, NULL), SN_OK);
    sn_mesh_release(mesh);
    return mass.volume;
}

// A lattice in a cube: nearly all points are inside, in a face or in an edge.
static void test_lattice(void **state)
{
    (void)state;
    sn_vec3 points[343];
    for (int i = 0; i < 343; ++i) {
        int row = i / 7 % 7, layer = i / 49;
        points[i] = sn_vec3_make(i % 7, row, layer);
    }
    int vertices = 0;
    assert_true(fabs(check_hull(points, 343, &vertices) - 216.0) < 1e-11);
    assert_int_equal(vertices, 8);
}

static void test_turned_lattice_far_away(void **state)
{
    (void)state;
    sn_random random = {.seed = 4};
    for (int k = 0; k < 50; ++k) {
        sn_quat q = {sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                     sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1)};
        sn_transform place = {{1000.0, -2000.0, 500.0}, sn_quat_normalize(q)};
        sn_vec3 points[125];
        for (int i = 0; i < 125; ++i) {
            int row = i / 5 % 5, layer = i / 25;
            points[i] = sn_transform_point(place, sn_vec3_make(i % 5, row, layer));
        }
        int vertices = 0;
        assert_true(fabs(check_hull(points, 125, &vertices) - 64.0) < 1e-9);
        assert_int_equal(vertices, 8);
    }
}

// Points on a sphere are all corners; in a ball, most are not.
static void test_random_points(void **state)
{
    (void)state;
    sn_random random = {.seed = 8};
    for (int k = 0; k < 40; ++k) {
        sn_vec3 points[400];
        int count = 4 + sn_random_below(&random, 397);
        for (int i = 0; i < count; ++i) {
            sn_vec3 p;
            do {
                p = sn_vec3_make(sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                                 sn_random_range(&random, -1, 1));
            } while (sn_length(p) > 1.0 || sn_length(p) < 0.01);
            points[i] = k % 2 == 0 ? sn_normalize(p) : p;
        }
        int vertices = 0;
        double volume = check_hull(points, count, &vertices);
        assert_true(volume > 0.0 && volume < 4.0 / 3.0 * SN_PI);
        if (k % 2 == 0) {
            assert_int_equal(vertices, count);
        }
    }
}

// Many points on the rims of a cylinder: two faces of 100 corners each.
static void test_flat_faces_of_many_corners(void **state)
{
    (void)state;
    sn_mesh *cylinder = NULL;
    assert_int_equal(sn_mesh_cylinder(0.5, 2.0, 100, &cylinder, NULL), SN_OK);
    sn_mass_properties mass;
    assert_int_equal(sn_mesh_mass_properties(cylinder, 1.0, &mass, NULL), SN_OK);
    int vertices = 0;
    double volume =
        check_hull(sn_mesh_positions(cylinder), sn_mesh_vertex_count(cylinder), &vertices);
    assert_true(fabs(volume / mass.volume - 1.0) < 1e-12);
    assert_int_equal(vertices, 200);
    sn_mesh_release(cylinder);
}

static void check_refused(const sn_vec3 *points, int count, const char *word)
{
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    assert_int_equal(sn_mesh_convex_hull(points, count, &mesh, &error), SN_ERROR_GEOMETRY);
    assert_null(mesh);
    if (strstr(error.text, word) == NULL) {
        fail_msg("%s", sn_error_message(&error));
    }
}

static void test_refusals(void **state)
{
    (void)state;
    sn_vec3 points[60];
    for (int i = 0; i < 60; ++i) {
        int column = i % 8, row = i / 8;
        points[i] = sn_vec3_make(column, row, 2.0 * column - row);
    }
    check_refused(points, 60, "one plane");
    check_refused(points, 3, "3 points");
    for (int i = 0; i < 60; ++i) {
        points[i] = sn_vec3_make(i, i, i);
    }
    check_refused(points, 60, "one plane");
    for (int i = 0; i < 60; ++i) {
        points[i] = sn_vec3_make(1, 2, 3);
    }
    check_refused(points, 60, "one plane");
    points[7].y = NAN;
    check_refused(points, 60, "point 7");
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_vec3 points[8];
    for (int i = 0; i < 8; ++i) {
        points[i] = sn_vec3_make(i & 1, i >> 1 & 1, i >> 2 & 1);
    }
    int failures = 0;
    for (int after = 0;; ++after) {
        sn_mesh *mesh = NULL;
        sn_allocation_fail_after(after);
        sn_status status = sn_mesh_convex_hull(points, 8, &mesh, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            sn_mesh_release(mesh);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(mesh);
        ++failures;
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattice),       cmocka_unit_test(test_turned_lattice_far_away),
        cmocka_unit_test(test_random_points), cmocka_unit_test(test_flat_faces_of_many_corners),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
