// Generators: every mesh is closed, manifold and turned outward, and volumes approach the closed
// forms with the square of the edge length.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "math/elementary.h"
#include "sinew/geometry.h"

static double volume_of(sn_mesh *mesh)
{
    sn_error error = {0};
    if (sn_mesh_check(mesh, NULL, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_mass_properties mass;
    if (sn_mesh_mass_properties(mesh, 1.0, &mass, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_mesh_release(mesh);
    return mass.volume;
}

// ---- convergence ----

typedef sn_status (*generator)(int segments, sn_mesh **mesh, sn_error *error);

static sn_status sphere(int n, sn_mesh **mesh, sn_error *error)
{
    return sn_mesh_sphere(0.7, n, mesh, error);
}

static sn_status cylinder(int n, sn_mesh **mesh, sn_error *error)
{
    return sn_mesh_cylinder(0.7, 2.0, n, mesh, error);
}

static sn_status cone(int n, sn_mesh **mesh, sn_error *error)
{
    return sn_mesh_cone(0.7, 2.0, n, mesh, error);
}

static sn_status capsule(int n, sn_mesh **mesh, sn_error *error)
{
    return sn_mesh_capsule(0.7, 2.0, n, mesh, error);
}

static sn_status torus(int n, sn_mesh **mesh, sn_error *error)
{
    return sn_mesh_torus(1.5, 0.5, n, mesh, error);
}

static sn_status horn_torus(int n, sn_mesh **mesh, sn_error *error)
{
    return sn_mesh_torus(0.5, 0.5, n, mesh, error);
}

// A ring of triangular section, and a goblet-like profile that starts and ends on the axis.
static sn_status ring(int n, sn_mesh **mesh, sn_error *error)
{
    const sn_vec2 profile[] = {{1, 0}, {1, 1}, {2, 0}}; // clockwise on purpose
    return sn_mesh_revolution(profile, 3, n, mesh, error);
}

static sn_status spool(int n, sn_mesh **mesh, sn_error *error)
{
    const sn_vec2 profile[] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    return sn_mesh_revolution(profile, 6, n, mesh, error);
}

// An outline with a hole, of area 4 x 2 - 1 = 7, rolled up.
static sn_status rolled_sheet(int n, sn_mesh **mesh, sn_error *error)
{
    const sn_vec2 points[] = {{-2, 0},  {2, 0},   {2, 2},   {-2, 2},
                              {0, 0.5}, {1, 0.5}, {1, 1.5}, {0, 1.5}};
    sn_outline outline = {points, (int[]){4, 4}, 2};
    return sn_mesh_sheet(&outline, 0.1, 0.8, n, mesh, error);
}

static sn_status rolled_back(int n, sn_mesh **mesh, sn_error *error)
{
    const sn_vec2 points[] = {{-2, 0},  {2, 0},   {2, 2},   {-2, 2},
                              {0, 0.5}, {1, 0.5}, {1, 1.5}, {0, 1.5}};
    sn_outline outline = {points, (int[]){4, 4}, 2};
    return sn_mesh_sheet(&outline, 0.1, -3.0, n, mesh, error);
}

// Points of a circle, as a closed path: a torus again.
static sn_status circular_tube(int n, sn_mesh **mesh, sn_error *error)
{
    sn_vec3 *points = malloc((size_t)n * sizeof *points);
    for (int i = 0; i < n; ++i) {
        points[i] =
            sn_vec3_make(1.5 * sn_cos(2.0 * SN_PI * i / n), 1.5 * sn_sin(2.0 * SN_PI * i / n), 0);
    }
    sn_tube tube = sn_default_tube();
    tube.points = points;
    tube.point_count = n;
    tube.closed = true;
    tube.radius = 0.5;
    tube.segments = n;
    sn_status status = sn_mesh_tube(&tube, mesh, error);
    free(points);
    return status;
}

static void test_volumes_converge_at_second_order(void **state)
{
    (void)state;
    const double pi = SN_PI;
    const struct {
        const char *name;
        generator make;
        double volume;
    } cases[] = {
        {"sphere", sphere, 4.0 / 3.0 * pi * 0.343},
        {"cylinder", cylinder, pi * 0.49 * 2.0},
        {"cone", cone, pi * 0.49 * 2.0 / 3.0},
        {"capsule", capsule, pi * 0.49 * 2.0 + 4.0 / 3.0 * pi * 0.343},
        {"torus", torus, 2.0 * pi * pi * 1.5 * 0.25},
        {"horn torus", horn_torus, 2.0 * pi * pi * 0.5 * 0.25},
        {"ring", ring, 2.0 * pi * (4.0 / 3.0) * 0.5}, // Pappus
        {"spool", spool, pi * (4.0 + 2.0)},
        {"rolled sheet", rolled_sheet, 0.7},
        {"sheet rolled back", rolled_back, 0.7},
        {"circular tube", circular_tube, 2.0 * pi * pi * 1.5 * 0.25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double error[3];
        for (int k = 0; k < 3; ++k) {
            sn_mesh *mesh = NULL;
            sn_error failure = {0};
            if (cases[i].make(32 << k, &mesh, &failure) != SN_OK) {
                fail_msg("%s: %s", cases[i].name, sn_error_message(&failure));
            }
            error[k] = fabs(volume_of(mesh) / cases[i].volume - 1.0);
        }
        double order = 0.5 * log2(error[0] / error[2]);
        print_message("%-18s relative error %.1e at 128 segments, order %.3f\n", cases[i].name,
                      error[2], order);
        assert_true(error[2] < 3e-3);
        assert_true(order > 1.8 && order < 2.3);
    }
}

// Meshes of few segments are closed as well.
static void test_coarsest_meshes(void **state)
{
    (void)state;
    const generator makers[] = {sphere, cylinder, cone, capsule, torus, ring, spool, rolled_sheet};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; ++i) {
        for (int n = 3; n < 12; ++n) {
            sn_mesh *mesh = NULL;
            assert_int_equal(makers[i](n, &mesh, NULL), SN_OK);
            assert_true(volume_of(mesh) > 0.0);
        }
    }
}

static void test_segments_keep_the_tolerance(void **state)
{
    (void)state;
    for (int i = 0; i < 13; ++i) {
        double tolerance = ldexp(1e-5, i);
        int n = sn_segments_for_tolerance(1.0, tolerance);
        assert_true(1.0 - cos(SN_PI / n) <= tolerance * (1 + 1e-9));
        assert_true(n == 8 || 1.0 - cos(SN_PI / (n - 1)) > tolerance);
    }
    assert_int_equal(sn_segments_for_tolerance(1.0, 5.0), 8);
    assert_int_equal(sn_segments_for_tolerance(1.0, 1e-12), 4096);
}

// ---- exact bodies ----

static void test_box(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(1, 2, 3), &mesh, NULL), SN_OK);
    sn_aabb bounds = sn_mesh_bounds(mesh);
    assert_true(bounds.lower.x == -0.5 && bounds.lower.y == -1.0 && bounds.lower.z == -1.5);
    assert_true(bounds.upper.x == 0.5 && bounds.upper.y == 1.0 && bounds.upper.z == 1.5);
    assert_true(fabs(sn_mesh_area(mesh) - 22.0) < 1e-12);
    assert_true(fabs(volume_of(mesh) - 6.0) < 1e-14);
}

static void test_extrusion(void **state)
{
    (void)state;
    // A clockwise L with a repeated point and points in line, and a square hole.
    const sn_vec2 points[] = {{0, 0}, {0, 1}, {0, 2},     {1, 2},     {1, 1},     {1, 1},    {2, 1},
                              {2, 0}, {1, 0}, {0.2, 0.2}, {0.8, 0.2}, {0.8, 0.8}, {0.2, 0.8}};
    sn_outline outline = {points, (int[]){9, 4}, 2};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_extrusion(&outline, 0.5, &mesh, NULL), SN_OK);
    sn_aabb bounds = sn_mesh_bounds(mesh);
    assert_true(bounds.lower.z == 0.0 && bounds.upper.z == 0.5);
    assert_true(fabs(volume_of(mesh) - 0.5 * (3.0 - 0.36)) < 1e-14);
    assert_int_equal(sn_mesh_sheet(&outline, 0.5, 0.0, 0, &mesh, NULL), SN_OK);
    bounds = sn_mesh_bounds(mesh);
    assert_true(bounds.lower.z == -0.25 && bounds.upper.z == 0.25);
    assert_true(fabs(volume_of(mesh) - 0.5 * (3.0 - 0.36)) < 1e-14);
}

// Rolling keeps the middle surface: a strip of length pi r / 2 ends a quarter turn further, and in
// all the points are within the thickness of the cylinder.
static void test_rolled_sheet_is_where_it_should_be(void **state)
{
    (void)state;
    double r = 2.0;
    const sn_vec2 strip[] = {{0, 0}, {SN_PI * 1.0, 0}, {SN_PI * 1.0, 1}, {0, 1}};
    sn_outline outline = {strip, (int[]){4}, 1};
    for (int sign = -1; sign <= 1; sign += 2) {
        sn_mesh *mesh = NULL;
        assert_int_equal(sn_mesh_sheet(&outline, 0.2, sign * r, 64, &mesh, NULL), SN_OK);
        sn_aabb bounds = sn_mesh_bounds(mesh);
        assert_true(fabs(bounds.upper.x - (r + 0.1)) < 1e-12);
        assert_true(fabs((sign > 0 ? bounds.upper.z : bounds.lower.z) - sign * r) < 1e-12);
        for (int i = 0; i < sn_mesh_vertex_count(mesh); ++i) {
            sn_vec3 p = sn_mesh_positions(mesh)[i];
            double distance = sqrt(p.x * p.x + (p.z - sign * r) * (p.z - sign * r));
            assert_true(fabs(distance - r) < 0.1 + 1e-12);
        }
        assert_true(volume_of(mesh) > 0.6);
    }
}

// A mitred tube of straight pieces has exactly the volume of section times length.
static void test_tube_of_straight_pieces(void **state)
{
    (void)state;
    const sn_vec3 path[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 2, 2}};
    double length = 3.0 + sqrt(3.0);
    sn_tube tube = sn_default_tube();
    tube.points = path;
    tube.point_count = 6;
    for (int n = 3; n <= 24; ++n) {
        sn_mesh *mesh = NULL;
        sn_error error = {0};
        tube.radius = 0.1;
        tube.segments = n;
        if (sn_mesh_tube(&tube, &mesh, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        double section = 0.5 * n * 0.01 * sn_sin(2.0 * SN_PI / n);
        assert_true(fabs(volume_of(mesh) / (section * length) - 1.0) < 1e-13);
    }
}

// A helix through a spline: pi r^2 times its length, the surface within rounding of the radius.
static void test_tube_along_a_spline(void **state)
{
    (void)state;
    double errors[2];
    for (int fine = 0; fine < 2; ++fine) {
        enum { MOST = 129 };
        sn_vec3 points[MOST];
        int count = fine ? 129 : 65;
        for (int i = 0; i < count; ++i) {
            double angle = 4.0 * SN_PI * i / (count - 1);
            points[i] = sn_vec3_make(sn_cos(angle), sn_sin(angle), 0.2 * angle);
        }
        sn_tube tube = sn_default_tube();
        tube.points = points;
        tube.point_count = count;
        tube.smooth = true;
        tube.steps = 4;
        tube.radius = 0.1;
        tube.segments = fine ? 96 : 48;
        sn_mesh *mesh = NULL;
        assert_int_equal(sn_mesh_tube(&tube, &mesh, NULL), SN_OK);
        double exact = SN_PI * 0.01 * 4.0 * SN_PI * sqrt(1.04);
        errors[fine] = fabs(volume_of(mesh) / exact - 1.0);
    }
    print_message("helix: relative errors %.2e and %.2e\n", errors[0], errors[1]);
    assert_true(errors[1] < 2e-3 && errors[0] / errors[1] > 3.0);
}

// A closed knot-like path in space: the frame comes back to where it began, whatever its twist.
static void test_closed_tube_in_space(void **state)
{
    (void)state;
    sn_vec3 points[24];
    for (int i = 0; i < 24; ++i) { // trefoil
        double t = 2.0 * SN_PI * i / 24;
        points[i] = sn_vec3_make(sn_sin(t) + 2.0 * sn_sin(2.0 * t),
                                 sn_cos(t) - 2.0 * sn_cos(2.0 * t), -sn_sin(3.0 * t));
    }
    sn_tube tube = sn_default_tube();
    tube.points = points;
    tube.point_count = 24;
    tube.smooth = true;
    tube.closed = true;
    tube.radius = 0.2;
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_tube(&tube, &mesh, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(sn_mesh_vertex_count(mesh), 24 * 8 * 12);
    // No side of the tube is twisted over: every edge along it is about as long as its piece.
    for (int i = 0; i < 24 * 8; ++i) {
        int next = (i + 1) % (24 * 8);
        double step =
            sn_distance(sn_mesh_positions(mesh)[12 * i], sn_mesh_positions(mesh)[12 * next]);
        assert_true(step < 0.35);
    }
    // V = pi r^2 L for the length L of the curve, here by a fine polygon.
    double length = 0.0;
    sn_vec3 last = {0, -1, 0};
    for (int i = 1; i <= 20000; ++i) {
        double t = 2.0 * SN_PI * i / 20000;
        sn_vec3 p = sn_vec3_make(sn_sin(t) + 2.0 * sn_sin(2.0 * t),
                                 sn_cos(t) - 2.0 * sn_cos(2.0 * t), -sn_sin(3.0 * t));
        length += sn_distance(p, last);
        last = p;
    }
    double section = 0.5 * 12 * 0.04 * sn_sin(2.0 * SN_PI / 12);
    assert_true(fabs(volume_of(mesh) / (section * length) - 1.0) < 0.02);
}

// ---- refusals ----

#define REFUSED(call, word)                                                                        \
    do {                                                                                           \
        sn_mesh *refused_mesh = NULL;                                                              \
        sn_mesh **mesh = &refused_mesh;                                                            \
        sn_error failure = {0};                                                                    \
        sn_error *error = &failure;                                                                \
        assert_int_not_equal(call, SN_OK);                                                         \
        assert_null(refused_mesh);                                                                 \
        if (strstr(sn_error_message(error), word) == NULL) {                                       \
            fail_msg("no '%s' in: %s", word, sn_error_message(error));                             \
        }                                                                                          \
    } while (0)

static void test_refusals(void **state)
{
    (void)state;
    const sn_vec2 bow[] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    const sn_vec2 pinched[] = {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}, {0, 1}};
    const sn_vec2 square[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const sn_vec2 behind[] = {{-1, 0}, {1, 0}, {1, 1}};
    const sn_vec3 hairpin[] = {{0, 0, 0}, {1, 0, 0}, {0, 1e-9, 0}};
    const sn_vec3 corner[] = {{0, 0, 0}, {1, 0, 0}, {1, 0.05, 0}, {2, 0.05, 0}, {1, 0.05, 0.0001}};
    sn_outline crossed = {bow, (int[]){4}, 1}, touching = {pinched, (int[]){8}, 1};
    sn_outline good = {square, (int[]){4}, 1};
    REFUSED(sn_mesh_box(sn_vec3_make(1, 0, 1), mesh, error), "edge of the box 0 m");
    REFUSED(sn_mesh_sphere(-1.0, 8, mesh, error), "-1 m");
    REFUSED(sn_mesh_sphere(1.0, 2, mesh, error), "2 segments");
    REFUSED(sn_mesh_cylinder(1.0, NAN, 8, mesh, error), "height of the cylinder nan");
    REFUSED(sn_mesh_torus(1.0, 1.5, 8, mesh, error), "tube radius 1.5");
    REFUSED(sn_mesh_extrusion(&crossed, 1.0, mesh, error), "cross");
    REFUSED(sn_mesh_extrusion(&touching, 1.0, mesh, error), "points 2 and 6");
    REFUSED(sn_mesh_extrusion(&good, -1.0, mesh, error), "height");
    REFUSED(sn_mesh_sheet(&good, 0.1, 0.05, 32, mesh, error), "half the thickness");
    REFUSED(sn_mesh_sheet(&good, 0.1, 0.15, 32, mesh, error), "full turn");
    REFUSED(sn_mesh_revolution(behind, 3, 8, mesh, error), "point 0");
    REFUSED(sn_mesh_revolution(bow, 4, 8, mesh, error), "cross");
    sn_tube tube = sn_default_tube();
    tube.radius = 0.1;
    tube.points = hairpin;
    tube.point_count = 1;
    REFUSED(sn_mesh_tube(&tube, mesh, error), "1 different points");
    tube.point_count = 3;
    REFUSED(sn_mesh_tube(&tube, mesh, error), "corner 1");
    tube.points = corner;
    tube.point_count = 4; // an S bend: its mitres are parallel, so it fits
    sn_mesh *bend = NULL;
    assert_int_equal(sn_mesh_tube(&tube, &bend, NULL), SN_OK);
    assert_true(volume_of(bend) > 0.0);
    tube.point_count = 5;
    REFUSED(sn_mesh_tube(&tube, mesh, error), "corner 3");
}

static void test_out_of_memory(void **state)
{
    (void)state;
    const generator makers[] = {sphere, capsule, torus, ring, rolled_sheet, NULL};
    for (int i = 0; makers[i] != NULL; ++i) {
        int failures = 0;
        for (int after = 0;; ++after) {
            sn_mesh *mesh = NULL;
            sn_allocation_fail_after(after);
            sn_status status = makers[i](8, &mesh, NULL);
            sn_allocation_fail_after(-1);
            if (status == SN_OK) {
                sn_mesh_release(mesh);
                break;
            }
            assert_int_equal(status, SN_ERROR_MEMORY);
            assert_null(mesh);
            ++failures;
        }
        assert_true(failures > 5);
    }
    const sn_vec3 path[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    sn_tube tube = sn_default_tube();
    tube.points = path;
    tube.point_count = 3;
    tube.smooth = true;
    for (int after = 0;; ++after) {
        sn_mesh *mesh = NULL;
        sn_allocation_fail_after(after);
        sn_status status = sn_mesh_tube(&tube, &mesh, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            sn_mesh_release(mesh);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes_converge_at_second_order),
        cmocka_unit_test(test_coarsest_meshes),
        cmocka_unit_test(test_segments_keep_the_tolerance),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_extrusion),
        cmocka_unit_test(test_rolled_sheet_is_where_it_should_be),
        cmocka_unit_test(test_tube_of_straight_pieces),
        cmocka_unit_test(test_tube_along_a_spline),
        cmocka_unit_test(test_closed_tube_in_space),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
