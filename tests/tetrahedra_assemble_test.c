// Tetrahedra glued together and taken apart again.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "sinew/tetrahedra.h"

static sn_tetrahedra *box_at(double x, double y, double z)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    sn_tetrahedra *mesh = NULL, *placed = NULL;
    box.cells[0] = box.cells[1] = box.cells[2] = 2;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    sn_transform place = {{x, y, z}, SN_QUAT_IDENTITY};
    assert_int_equal(sn_tetrahedra_transformed(mesh, (sn_vec3){1, 1, 1}, place, &placed, NULL),
                     SN_OK);
    sn_tetrahedra_release(mesh);
    return placed;
}

static sn_tetrahedra *join(sn_tetrahedra *a, sn_tetrahedra *b, double tolerance, int *glued)
{
    sn_tetrahedra *joined = NULL;
    sn_error error = {0};
    const sn_tetrahedra *meshes[2] = {a, b};
    if (sn_tetrahedra_joined(meshes, 2, tolerance, &joined, glued, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_tetrahedra_release(a);
    sn_tetrahedra_release(b);
    return joined;
}

static sn_tetrahedra_report check(const sn_tetrahedra *mesh)
{
    sn_tetrahedra_report report;
    sn_error error = {0};
    sn_tetrahedra_check(mesh, &report, &error);
    return report;
}

static int parts_of(const sn_tetrahedra *mesh)
{
    sn_tetrahedra_quality quality;
    assert_true(sn_tetrahedra_measure(mesh, &quality));
    return quality.part_count;
}

// Cubes of 27 vertices side by side: nine, three or one of them become one.
static void test_face_edge_vertex(void **unused)
{
    (void)unused;
    int glued = -1;
    sn_tetrahedra *mesh = join(box_at(0, 0, 0), box_at(1, 0, 0), 1e-6, &glued);
    assert_int_equal(glued, 9);
    assert_int_equal(sn_tetrahedra_vertex_count(mesh), 45);
    assert_int_equal(sn_tetrahedra_element_count(mesh), 96);
    assert_int_equal(parts_of(mesh), 1);
    sn_tetrahedra_report report = check(mesh);
    assert_int_equal(report.problem_count, 0);
    sn_tetrahedra_report_free(&report);
    sn_tetrahedra_release(mesh);

    mesh = join(box_at(0, 0, 0), box_at(1, 1, 0), 1e-6, &glued);
    assert_int_equal(glued, 3);
    report = check(mesh);
    assert_int_equal(report.counts[SN_TETRAHEDRA_HINGE], 2);
    sn_tetrahedra_report_free(&report);
    sn_tetrahedra_release(mesh);

    mesh = join(box_at(0, 0, 0), box_at(1, 1, 1), 1e-6, &glued);
    assert_int_equal(glued, 1);
    report = check(mesh);
    assert_int_equal(report.counts[SN_TETRAHEDRA_PINCHED_VERTEX], 1);
    sn_tetrahedra_report_free(&report);
    sn_tetrahedra_release(mesh);

    mesh = join(box_at(0, 0, 0), box_at(1, 0, 0), -1.0, &glued);
    assert_int_equal(glued, 0);
    assert_int_equal(parts_of(mesh), 2);
    sn_tetrahedra_release(mesh);
}

// Glued as long as the gap is within the tolerance, a share of the shortest edge, 0.5.
static void test_tolerance(void **unused)
{
    (void)unused;
    int glued = -1;
    for (int i = 0; i < 2; ++i) {
        double gap = i == 0 ? 0.049 : 0.051;
        sn_tetrahedra *mesh = join(box_at(0, 0, 0), box_at(1.0 + gap, 0, 0), 0.1, &glued);
        assert_int_equal(glued, i == 0 ? 9 : 0);
        // The earlier mesh's vertices are the ones that stay.
        assert_float_equal(sn_tetrahedra_positions(mesh)[26].x, 0.5, 0.0);
        sn_tetrahedra_release(mesh);
    }
    sn_tetrahedra *a = box_at(0, 0, 0), *joined = NULL;
    sn_error error = {0};
    const sn_tetrahedra *meshes[2] = {a, a};
    assert_int_equal(sn_tetrahedra_joined(meshes, 2, 0.5, &joined, NULL, &error),
                     SN_ERROR_ARGUMENT);
    assert_int_equal(sn_tetrahedra_joined(meshes, 0, 0.1, &joined, NULL, &error),
                     SN_ERROR_ARGUMENT);
    // On top of itself every element is there twice.
    assert_int_equal(sn_tetrahedra_joined(meshes, 2, 0.1, &joined, NULL, &error),
                     SN_ERROR_GEOMETRY);
    assert_null(joined);
    sn_tetrahedra_release(a);
}

// Vertices of one mesh are never glued to each other: a slit stays one.
static void test_slit(void **unused)
{
    (void)unused;
    sn_tetrahedra *slit = join(box_at(0, 0, 0), box_at(1, 0, 0), -1.0, NULL);
    int glued = -1;
    sn_tetrahedra *mesh = join(slit, box_at(0, 0, 1), 1e-6, &glued);
    assert_int_equal(glued, 9);
    assert_int_equal(sn_tetrahedra_vertex_count(mesh), 3 * 27 - 9);
    sn_tetrahedra_release(mesh);
}

// What is taken away in two ways leaves volumes that add up.
static void test_without(void **unused)
{
    (void)unused;
    sn_tetrahedra *ball = NULL;
    assert_int_equal(sn_tetrahedra_make_sphere(1.0, 3, &ball, NULL), SN_OK);
    bool removed[540], others[540];
    sn_random random = {.seed = 2};
    int count = 0;
    for (int e = 0; e < 540; ++e) {
        removed[e] = sn_random_unit(&random) < 0.3;
        others[e] = !removed[e];
        count += removed[e];
    }
    sn_tetrahedra *rest = NULL, *taken = NULL;
    int old[147];
    sn_error error = {0};
    assert_int_equal(sn_tetrahedra_without(ball, removed, &rest, old, &error), SN_OK);
    assert_int_equal(sn_tetrahedra_without(ball, others, &taken, NULL, &error), SN_OK);
    assert_int_equal(sn_tetrahedra_element_count(rest), 540 - count);
    assert_int_equal(sn_tetrahedra_element_count(taken), count);
    for (int i = 0; i < sn_tetrahedra_vertex_count(rest); ++i) {
        assert_memory_equal(&sn_tetrahedra_positions(rest)[i],
                            &sn_tetrahedra_positions(ball)[old[i]], sizeof(sn_vec3));
    }
    for (int e = 0, k = 0; e < 540; ++e) {
        for (int j = 0; !removed[e] && j < 4; ++j) {
            assert_int_equal(old[sn_tetrahedra_elements(rest)[4 * k + j]],
                             sn_tetrahedra_elements(ball)[4 * e + j]);
        }
        k += !removed[e];
    }
    sn_tetrahedra_quality all, some, others_quality;
    assert_true(sn_tetrahedra_measure(ball, &all));
    assert_true(sn_tetrahedra_measure(rest, &some));
    assert_true(sn_tetrahedra_measure(taken, &others_quality));
    assert_float_equal(some.volume + others_quality.volume, all.volume, 1e-12);
    memset(removed, 1, sizeof removed);
    sn_tetrahedra *none = NULL;
    assert_int_equal(sn_tetrahedra_without(ball, removed, &none, NULL, &error), SN_ERROR_GEOMETRY);
    assert_null(none);
    sn_tetrahedra_release(rest);
    sn_tetrahedra_release(taken);
    sn_tetrahedra_release(ball);
}

static void test_regions(void **unused)
{
    (void)unused;
    sn_tetrahedra *a = box_at(0, 0, 0), *b = NULL, *c = NULL;
    int numbers[48];
    for (int e = 0; e < 48; ++e) {
        numbers[e] = e % 5;
    }
    assert_int_equal(sn_tetrahedra_with_regions(a, 7, NULL, &b, NULL), SN_OK);
    assert_int_equal(sn_tetrahedra_with_regions(a, 7, numbers, &c, NULL), SN_OK);
    sn_tetrahedra *d = join(b, c, -1.0, NULL);
    for (int e = 0; e < 48; ++e) {
        assert_int_equal(sn_tetrahedra_regions(d)[e], 7);
        assert_int_equal(sn_tetrahedra_regions(d)[48 + e], e % 5);
    }
    sn_tetrahedra_release(a);
    sn_tetrahedra_release(d);
}

// v = u + w x (p - c), and what was there stays in the sum.
static void test_rigid_velocity(void **unused)
{
    (void)unused;
    const sn_vec3 points[2] = {{1, 2, 3}, {-1, 0, 4}};
    sn_vec3 velocities[2] = {{0, 0, 0}, {10, 10, 10}};
    sn_add_rigid_velocity(points, 2, (sn_vec3){1, 1, 1}, (sn_vec3){0, 0, 2}, (sn_vec3){1, 0, 0},
                          velocities);
    assert_float_equal(velocities[0].x, -3.0, 1e-15);
    assert_float_equal(velocities[0].y, 1.0, 1e-15);
    assert_float_equal(velocities[0].z, 1.0, 1e-15);
    assert_float_equal(velocities[1].x, 11.0, 1e-15);
    assert_float_equal(velocities[1].y, 7.0, 1e-15);
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    sn_tetrahedra *a = box_at(0, 0, 0), *b = box_at(1, 0, 0);
    const sn_tetrahedra *meshes[2] = {a, b};
    bool removed[48] = {true};
    for (int job = 0; job < 3; ++job) {
        sn_status status = SN_ERROR_MEMORY;
        int64_t after = 0;
        for (; status != SN_OK && after < 1000; ++after) {
            sn_tetrahedra *mesh = NULL;
            sn_error error = {0};
            sn_allocation_fail_after(after);
            status = job == 0   ? sn_tetrahedra_joined(meshes, 2, 0.1, &mesh, NULL, &error)
                     : job == 1 ? sn_tetrahedra_without(a, removed, &mesh, NULL, &error)
                                : sn_tetrahedra_with_regions(a, 3, NULL, &mesh, &error);
            sn_allocation_fail_after(-1);
            assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && mesh == NULL));
            sn_tetrahedra_release(mesh);
        }
        assert_int_equal(status, SN_OK);
        assert_true(after > 3);
    }
    sn_tetrahedra_release(a);
    sn_tetrahedra_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_face_edge_vertex),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_slit),
        cmocka_unit_test(test_without),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_rigid_velocity),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
