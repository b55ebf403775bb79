// SVG paths: every command against points that are known, areas of curves, mistakes with their
// places, and running out of memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "scene/svg_path.h"

static sn_svg_path read_path(const char *text, int steps)
{
    sn_svg_path path;
    sn_error error = {0};
    if (sn_svg_path_read(text, steps, &path, &error) != SN_OK) {
        fail_msg("%s: %s", text, sn_error_message(&error));
    }
    return path;
}

static double loop_area(const sn_svg_path *path, int loop)
{
    int from = 0;
    for (int l = 0; l < loop; ++l) {
        from += path->sizes.data[l];
    }
    double twice = 0.0;
    int n = path->sizes.data[loop];
    for (int i = 0; i < n; ++i) {
        sn_vec2 a = path->points.data[from + i], b = path->points.data[from + (i + 1) % n];
        twice += a.x * b.y - a.y * b.x;
    }
    return 0.5 * fabs(twice);
}

static void check_points(const char *text, const sn_vec2 *points, int count)
{
    sn_svg_path path = read_path(text, 4);
    assert_int_equal(path.sizes.count, 1);
    assert_int_equal(path.points.count, count);
    for (int i = 0; i < count; ++i) {
        assert_true(fabs(path.points.data[i].x - points[i].x) < 1e-12);
        assert_true(fabs(path.points.data[i].y + points[i].y) < 1e-12); // y is turned
    }
    sn_svg_path_free(&path);
}

static void test_lines(void **state)
{
    (void)state;
    const sn_vec2 box[] = {{1, 2}, {4, 2}, {4, 6}, {1, 6}};
    check_points("M1 2 L4 2 L4 6 L1 6 Z", box, 4);
    check_points("M 1,2 4,2 4,6 1,6", box, 4);
    check_points("m1 2 3 0 0 4-3 0z", box, 4);
    check_points("M1 2H4V6H1V2Z", box, 4);
    check_points("m1 2h3v4h-3z", box, 4);
    const sn_vec2 small[] = {{0.5, -0.25}, {1.5, -0.25}, {1.5, 100}};
    check_points("M.5-.25 1.5-.25 1.5 1e2", small, 3);
    check_points("M+.5-25e-2L1.5,-.25L15e-1 100.", small, 3);
}

// Areas of what curves enclose, from their integrals.
static void test_curves(void **state)
{
    (void)state;
    // A quadratic over the base 0..2 with its control at height 2: 2/3 of the triangle.
    sn_svg_path path = read_path("M0 0 Q1 2 2 0 Z", 400);
    assert_true(fabs(loop_area(&path, 0) - 4.0 / 3.0) < 1e-4);
    sn_svg_path_free(&path);
    // A cubic with controls at height h: 3/5 b h for controls above the ends.
    path = read_path("M0 0 C0 1 2 1 2 0 Z", 400);
    assert_true(fabs(loop_area(&path, 0) - 1.2) < 1e-4);
    sn_svg_path_free(&path);
    // Smooth ones continue with the mirrored control: two arches, one up, one down and back.
    sn_svg_path smooth = read_path("M0 0 c0 1 2 1 2 0 s2-1 2 0 L4 3 L0 3 Z", 400);
    sn_svg_path full = read_path("M0 0 C0 1 2 1 2 0 C2 -1 4 -1 4 0 L4 3 L0 3 Z", 400);
    assert_true(fabs(loop_area(&smooth, 0) - loop_area(&full, 0)) < 1e-12);
    sn_svg_path_free(&smooth);
    sn_svg_path_free(&full);
    smooth = read_path("M0 0 Q1 2 2 0 T4 0 L4 5 L0 5 Z", 400);
    full = read_path("M0 0 Q1 2 2 0 Q3 -2 4 0 L4 5 L0 5 Z", 400);
    assert_true(fabs(loop_area(&smooth, 0) - loop_area(&full, 0)) < 1e-12);
    sn_svg_path_free(&smooth);
    sn_svg_path_free(&full);
}

static void test_arcs(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    // Two halves of a circle; of an ellipse; flags without spaces; a turned ellipse.
    static const struct {
        const char *text;
        double area;
    } cases[] = {{"M-1 0 A1 1 0 0 1 1 0 A1 1 0 0 1 -1 0 Z", 1.0},
                 {"M-3 0 A3 2 0 1 0 3 0 A3 2 0 1 0-3 0Z", 6.0},
                 {"M-1 0A1 1 0 011 0A1 1 0 01-1 0", 1.0},
                 {"M0-3A3 2 90 0 1 0 3A3 2 90 0 1 0-3Z", 6.0},
                 {"M-1 0 A.1 .1 0 0 1 1 0 A.1 .1 0 0 1 -1 0 Z", 1.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_svg_path path = read_path(cases[i].text, 500);
        assert_int_equal(path.sizes.count, 1);
        assert_true(fabs(loop_area(&path, 0) - cases[i].area * pi) < 1e-4);
        sn_svg_path_free(&path);
    }
    // Of the four arcs between two points, the large ones enclose three quarters and a triangle.
    sn_svg_path large = read_path("M1 0 A1 1 0 1 1 0 -1 L0 0 Z", 500);
    sn_svg_path little = read_path("M1 0 A1 1 0 0 0 0 -1 L0 0 Z", 500);
    assert_true(fabs(loop_area(&large, 0) - 0.75 * pi) < 1e-4);
    assert_true(fabs(loop_area(&little, 0) - 0.25 * pi) < 1e-4);
    sn_svg_path_free(&large);
    sn_svg_path_free(&little);
}

static void test_loops(void **state)
{
    (void)state;
    sn_svg_path path = read_path("M0 0H10V10H0Z M2 2h2v2h-2z m6 0 l1 0 0 1z", 4);
    assert_int_equal(path.sizes.count, 3);
    assert_true(loop_area(&path, 0) == 100.0 && loop_area(&path, 1) == 4.0);
    assert_true(loop_area(&path, 2) == 0.5);
    sn_svg_path_free(&path);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "L1 1",
        "M0 0 L1",
        "M0 0 K1 1",
        "M0 0 L1 x 2 2",
        "10 10",
        "M0 0L1 1",
        "M0 0 A1 1 0 2 0 1 1",
        "M0 0 L1e 1",
        "M . .",
        "M0 0 L1 1 1 2 Z 5 5",
        "M0 0 C1 1",
        "M-",
        "Z",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        sn_svg_path path;
        sn_error error = {0};
        assert_int_equal(sn_svg_path_read(wrong[i], 4, &path, &error), SN_ERROR_SCENE);
        assert_null(path.points.data);
        assert_true(error.text[0] != '\0');
    }
    sn_svg_path path;
    sn_error error = {0};
    assert_int_equal(sn_svg_path_read("M0 0 K1 1", 4, &path, &error), SN_ERROR_SCENE);
    assert_non_null(strstr(error.text, "character 6, \"K1 1\""));
}

static void test_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 20; ++i) {
        sn_svg_path path;
        sn_error error = {0};
        sn_allocation_fail_after(i);
        sn_status status =
            sn_svg_path_read("M0 0H10V10H0Z M2 2 Q3 3 4 2 T 5 5 z", 16, &path, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        if (status == SN_OK) {
            sn_svg_path_free(&path);
            assert_true(i > 2);
            return;
        }
    }
    fail_msg("never succeeded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),    cmocka_unit_test(test_curves),
        cmocka_unit_test(test_arcs),     cmocka_unit_test(test_loops),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
