// Height fields: samples where they belong, heights between them on the triangles, a pyramid of
// ranges that holds what it stands for, and refusals.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/height_field.h"

static sn_height_field *random_field(int columns, int rows, uint64_t seed)
{
    double heights[40 * 40];
    sn_random random = {.seed = seed};
    for (int k = 0; k < columns * rows; ++k) {
        heights[k] = sn_random_range(&random, -1.0, 2.0);
    }
    sn_height_field *field = NULL;
    assert_int_equal(sn_height_field_create(heights, columns, rows, 3.0, 5.0, &field, NULL), SN_OK);
    return field;
}

// A plane is met exactly everywhere, and samples are what was given.
static void test_plane(void **state)
{
    (void)state;
    double heights[7 * 5];
    for (int k = 0; k < 35; ++k) {
        double x = 3.0 * ((k % 7) / 6.0 - 0.5), y = 2.0 * ((k / 7) / 4.0 - 0.5);
        heights[k] = 0.25 + 0.5 * x - 1.5 * y;
    }
    sn_height_field *field = NULL;
    assert_int_equal(sn_height_field_create(heights, 7, 5, 3.0, 2.0, &field, NULL), SN_OK);
    sn_random random = {.seed = 3};
    for (int k = 0; k < 1000; ++k) {
        double x = sn_random_range(&random, -1.5, 1.5), y = sn_random_range(&random, -1.0, 1.0);
        double height = 0.0;
        assert_true(sn_height_field_height(field, x, y, &height));
        assert_true(fabs(height - (0.25 + 0.5 * x - 1.5 * y)) < 1e-14);
    }
    double height = 0.0;
    assert_false(sn_height_field_height(field, 1.6, 0.0, &height));
    assert_false(sn_height_field_height(field, 0.0, -1.1, &height));
    assert_false(sn_height_field_height(field, NAN, 0.0, &height));
    assert_int_equal(sn_height_field_columns(field), 7);
    assert_int_equal(sn_height_field_rows(field), 5);
    assert_memory_equal(sn_height_field_heights(field), heights, sizeof heights);
    assert_true(sn_height_field_size(field).x == 3.0 && sn_height_field_size(field).y == 2.0);
    sn_height_field_release(field);
}

// The mesh has the field's triangles in its order, faces up, and the field's height is the mesh's.
static void test_mesh(void **state)
{
    (void)state;
    sn_height_field *field = random_field(13, 9, 5);
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_height_field_mesh(field, &mesh, NULL), SN_OK);
    assert_int_equal(sn_mesh_triangle_count(mesh), 2 * 12 * 8);
    sn_random random = {.seed = 6};
    for (int t = 0; t < sn_mesh_triangle_count(mesh); ++t) {
        sn_vec3 corners[3];
        sn_height_field_triangle(field, t, corners);
        for (int k = 0; k < 3; ++k) {
            sn_vec3 same = sn_mesh_positions(mesh)[sn_mesh_triangles(mesh)[3 * t + k]];
            assert_memory_equal(&corners[k], &same, sizeof same);
        }
        assert_true(sn_mesh_triangle_normal(mesh, t).z > 0.0);
        double a = sn_random_unit(&random), b = (1.0 - a) * sn_random_unit(&random);
        sn_vec3 point = sn_vec3_scale(1.0 - a - b, corners[0]);
        point = sn_vec3_add_scaled(point, a, corners[1]);
        point = sn_vec3_add_scaled(point, b, corners[2]);
        double height = 0.0;
        assert_true(sn_height_field_height(field, point.x, point.y, &height));
        assert_true(fabs(height - point.z) < 1e-12);
    }
    sn_aabb bounds = sn_height_field_bounds(field), same = sn_mesh_bounds(mesh);
    assert_memory_equal(&bounds, &same, sizeof same);
    sn_mesh_release(mesh);
    sn_height_field_release(field);
}

static void test_pyramid(void **state)
{
    (void)state;
    const int sizes[5][2] = {{2, 2}, {3, 2}, {9, 17}, {40, 11}, {6, 40}};
    for (int s = 0; s < 5; ++s) {
        sn_height_field *field = random_field(sizes[s][0], sizes[s][1], 7 + (uint64_t)s);
        for (int level = 0; level < field->level_count; ++level) {
            for (int j = 0; j + 1 < field->rows; ++j) {
                for (int i = 0; i + 1 < field->columns; ++i) {
                    int block = (j >> level) * field->level_columns[level] + (i >> level);
                    sn_height_range range = field->levels[level][block];
                    for (int k = 0; k < 4; ++k) {
                        double h = sn_height_field_sample(field, i + k % 2, j + k / 2).z;
                        assert_true(range.lower <= h && h <= range.upper);
                    }
                }
            }
        }
        // No wider than needed: both ends of the top are heights.
        int met = 0;
        for (int k = 0; k < field->columns * field->rows; ++k) {
            met |= field->heights[k] == field->bounds.lower.z ? 1 : 0;
            met |= field->heights[k] == field->bounds.upper.z ? 2 : 0;
        }
        assert_int_equal(met, 3);
        sn_height_field_release(field);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    double heights[4] = {0.0, 1.0, 2.0, NAN};
    sn_height_field *field = NULL;
    sn_error error = {0};
    assert_int_equal(sn_height_field_create(heights, 2, 2, 1.0, 1.0, &field, &error),
                     SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "column 1 of row 1"));
    assert_null(field);
    heights[3] = 3.0;
    assert_int_equal(sn_height_field_create(heights, 1, 4, 1.0, 1.0, &field, &error),
                     SN_ERROR_GEOMETRY);
    assert_int_equal(sn_height_field_create(heights, 2, 2, 0.0, 1.0, &field, &error),
                     SN_ERROR_GEOMETRY);
    assert_int_equal(sn_height_field_create(heights, 2, 2, 1.0, INFINITY, &field, &error),
                     SN_ERROR_GEOMETRY);
    for (int after = 0; after < 3; ++after) {
        sn_allocation_fail_after(after);
        assert_int_equal(sn_height_field_create(heights, 2, 2, 1.0, 1.0, &field, &error),
                         SN_ERROR_MEMORY);
        sn_allocation_fail_after(-1);
        assert_null(field);
    }
    assert_int_equal(sn_height_field_create(heights, 2, 2, 1.0, 1.0, &field, &error), SN_OK);
    assert_ptr_equal(sn_height_field_retain(field), field);
    sn_height_field_release(field);
    sn_height_field_release(field);
    sn_height_field_release(NULL);
    assert_null(sn_height_field_retain(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_pyramid),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
