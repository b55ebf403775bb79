// Polygons cut into triangles: exact predicate, areas, edges that match, and refusals by name.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geometry/half_edge.h"
#include "geometry/predicate.h"
#include "math/elementary.h"
#include "sinew/geometry.h"

// ---- the predicate ----

__extension__ typedef __int128 wide;

static int exact_orientation(const int64_t a[2], const int64_t b[2], const int64_t c[2])
{
    wide left = (wide)(a[0] - c[0]) * (b[1] - c[1]);
    wide right = (wide)(a[1] - c[1]) * (b[0] - c[0]);
    return (left > right) - (left < right);
}

static sn_vec2 scaled(const int64_t p[2], double unit)
{
    return (sn_vec2){(double)p[0] * unit, (double)p[1] * unit};
}

// Points on and next to a line, with coordinates up to 2^52: products need 106 bits.
static void test_orientation_is_exact(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    int in_line = 0;
    for (int i = 0; i < 200000; ++i) {
        int64_t a[2], d[2], b[2], c[2];
        int m = 1 + sn_random_below(&random, 1000), n = 1 + sn_random_below(&random, 1000);
        for (int k = 0; k < 2; ++k) {
            a[k] = (int64_t)(sn_random_bits(&random) >> 13) - ((int64_t)1 << 50);
            d[k] = (int64_t)(sn_random_bits(&random) >> 24) - ((int64_t)1 << 39);
            b[k] = a[k] + m * d[k];
            c[k] = a[k] - n * d[k] + sn_random_below(&random, 3) - 1;
        }
        int expected = exact_orientation(a, b, c);
        in_line += expected == 0;
        for (int scale = -300; scale <= 300; scale += 300) {
            double unit = ldexp(1.0, scale);
            sn_vec2 p = scaled(a, unit), q = scaled(b, unit), r = scaled(c, unit);
            assert_int_equal(sn_orient2d(p, q, r), expected);
            assert_int_equal(sn_orient2d(q, p, r), -expected);
            assert_int_equal(sn_orient2d(r, p, q), expected);
        }
    }
    assert_true(in_line > 10000 && in_line < 60000);
}

// ---- checking a triangulation ----

static double cross2(sn_vec2 a, sn_vec2 b, sn_vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double outline_area(const sn_outline *outline)
{
    double total = 0.0;
    int first = 0;
    for (int l = 0; l < outline->loop_count; ++l) {
        double area = 0.0;
        for (int i = 0; i < outline->loop_sizes[l]; ++i) {
            int j = (i + 1) % outline->loop_sizes[l];
            area += 0.5 * cross2(outline->points[first], outline->points[first + i],
                                 outline->points[first + j]);
        }
        total += l == 0 ? fabs(area) : -fabs(area);
        first += outline->loop_sizes[l];
    }
    return total;
}

static int point_count(const sn_outline *outline)
{
    int count = 0;
    for (int l = 0; l < outline->loop_count; ++l) {
        count += outline->loop_sizes[l];
    }
    return count;
}

// As many edges without a partner as the outline has: nothing overlaps, nothing is left out.
static void check_edges(const sn_outline *outline, const int *triangles, int count)
{
    int points = point_count(outline);
    sn_vec3 *positions = malloc(((size_t)points + 1) * sizeof *positions);
    for (int i = 0; i < points; ++i) {
        positions[i] = sn_vec3_make(outline->points[i].x, outline->points[i].y, 0.0);
    }
    sn_mesh *mesh = NULL;
    sn_half_edges edges;
    assert_int_equal(sn_mesh_create(positions, points, triangles, count, &mesh, NULL), SN_OK);
    assert_int_equal(sn_half_edges_build(mesh, &edges, NULL), SN_OK);
    int rim = 0;
    for (int e = 0; e < edges.count; ++e) {
        rim += edges.twin[e] < 0;
    }
    assert_int_equal(rim, points);
    sn_half_edges_free(&edges);
    sn_mesh_release(mesh);
    free(positions);
}

// Triangles all turn left, their areas add up to the outline's, and, if no points coincide, their
// edges match.
static void check_outline(const sn_outline *outline, int expected, bool distinct)
{
    int points = point_count(outline);
    int *triangles =
        malloc(3 * (size_t)SN_TRIANGULATION_CAPACITY(points, outline->loop_count) * sizeof(int));
    int count = 0;
    sn_error error = {0};
    if (sn_triangulate(outline, triangles, &count, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(count, expected);
    double area = 0.0;
    for (int t = 0; t < count; ++t) {
        sn_vec2 a = outline->points[triangles[3 * t]];
        sn_vec2 b = outline->points[triangles[3 * t + 1]];
        sn_vec2 c = outline->points[triangles[3 * t + 2]];
        assert_int_equal(sn_orient2d(a, b, c), 1);
        area += 0.5 * cross2(a, b, c);
    }
    double exact = outline_area(outline);
    assert_true(fabs(area - exact) <= 1e-12 * exact * (1.0 + 0.01 * points));
    if (distinct) {
        check_edges(outline, triangles, count);
    }
    free(triangles);
}

static void check_loop(const sn_vec2 *points, int count, int expected)
{
    sn_outline outline = {points, &count, 1};
    check_outline(&outline, expected, false);
}

// ---- good outlines ----

static void test_simple_outlines(void **state)
{
    (void)state;
    const sn_vec2 triangle[] = {{0, 0}, {1, 0}, {0, 1}};
    const sn_vec2 clockwise[] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    const sn_vec2 in_line[] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 3},
                               {2, 3}, {1, 3}, {0, 3}, {0, 1}};
    const sn_vec2 repeated[] = {{0, 0}, {0, 0}, {2, 0}, {2, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}};
    const sn_vec2 l[] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    check_loop(triangle, 3, 1);
    check_loop(clockwise, 4, 2);
    check_loop(in_line, 9, 7);
    check_loop(repeated, 8, 2);
    check_loop(l, 6, 4);
}

// A loop that touches itself in a point: two squares joined at a corner.
static void test_pinched_outline(void **state)
{
    (void)state;
    const sn_vec2 squares[] = {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}, {0, 1}};
    check_loop(squares, 8, 4);
}

static void test_holes(void **state)
{
    (void)state;
    const sn_vec2 frame[] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {1, 1}, {3, 1}, {3, 3}, {1, 3}};
    sn_outline square = {frame, (int[]){4, 4}, 2};
    check_outline(&square, 8, true);
    // A hole that touches the outer loop in a corner, and two that touch each other.
    const sn_vec2 touching[] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {2, 1}, {1, 2}};
    sn_outline corner = {touching, (int[]){4, 3}, 2};
    check_outline(&corner, 5, false);
    const sn_vec2 pair[] = {{0, 0}, {6, 0}, {6, 4}, {0, 4}, {1, 1},
                            {3, 2}, {1, 3}, {5, 1}, {5, 3}, {3, 2}};
    sn_outline pairs = {pair, (int[]){4, 3, 3}, 3};
    check_outline(&pairs, 10, false);
}

// Holes on a lattice: every bridge runs along or through other corners in line.
static void test_lattice_of_holes(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    sn_vec2 points[4 + 4 * SIDE * SIDE] = {
        {0, 0}, {3 * SIDE + 1, 0}, {3 * SIDE + 1, 3 * SIDE + 1}, {0, 3 * SIDE + 1}};
    int sizes[1 + SIDE * SIDE] = {4};
    for (int h = 0; h < SIDE * SIDE; ++h) {
        int column = h % SIDE, row = h / SIDE;
        double x = 3 * column + 1, y = 3 * row + 1;
        sn_vec2 *p = points + 4 + 4 * h;
        p[0] = (sn_vec2){x, y};
        p[1] = (sn_vec2){x + 2, y};
        p[2] = (sn_vec2){x + 2, y + 2};
        p[3] = (sn_vec2){x, y + 2};
        sizes[1 + h] = 4;
    }
    sn_outline outline = {points, sizes, 1 + SIDE * SIDE};
    check_outline(&outline, 4 + 6 * SIDE * SIDE - 2, true);
}

// Stars of random radii, with star-shaped holes in a ring of cells inside.
static void test_random_stars(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    static sn_vec2 points[4000];
    for (int i = 0; i < 300; ++i) {
        int sizes[8];
        int loops = 1 + sn_random_below(&random, 8), total = 0;
        for (int l = 0; l < loops; ++l) {
            sizes[l] = 3 + sn_random_below(&random, 60);
            double place = 2.0 * SN_PI * l / 7.0;
            double far = l == 0 ? 10.0 : 1.0, near = l == 0 ? 6.0 : 0.1;
            for (int k = 0; k < sizes[l]; ++k) {
                int around = l == 0 && sizes[0] < 24 ? sizes[0] = 24 : sizes[l];
                double angle = 2.0 * SN_PI * k / around;
                double r = sn_random_range(&random, near, far);
                points[total++] =
                    (sn_vec2){(l == 0 ? 0.0 : 4.0 * sn_cos(place)) + r * sn_cos(angle),
                              (l == 0 ? 0.0 : 4.0 * sn_sin(place)) + r * sn_sin(angle)};
            }
        }
        sn_outline outline = {points, sizes, loops};
        check_outline(&outline, total + 2 * (loops - 1) - 2, true);
    }
}

// ---- regions of lattice cells ----

// The hardest outlines there are: all edges in line with others, holes that touch each other, the
// outer loop and themselves in corners.
enum { CELLS = 12, NODES = CELLS + 1 };

static void keep_connected(bool cells[CELLS][CELLS])
{
    int stack[CELLS * CELLS], depth = 0;
    bool seen[CELLS][CELLS] = {{false}};
    cells[CELLS / 2][CELLS / 2] = true;
    seen[CELLS / 2][CELLS / 2] = true;
    stack[depth++] = CELLS / 2 * CELLS + CELLS / 2;
    while (depth > 0) {
        int cell = stack[--depth];
        for (int d = 0; d < 4; ++d) {
            int x = cell % CELLS + (d == 0) - (d == 1), y = cell / CELLS + (d == 2) - (d == 3);
            if (x >= 0 && y >= 0 && x < CELLS && y < CELLS && cells[y][x] && !seen[y][x]) {
                seen[y][x] = true;
                stack[depth++] = y * CELLS + x;
            }
        }
    }
    memcpy(cells, seen, sizeof seen);
}

static bool filled(bool cells[CELLS][CELLS], int x, int y)
{
    return x >= 0 && y >= 0 && x < CELLS && y < CELLS && cells[y][x];
}

// Is there a boundary edge from node (x, y) in direction d (0 +x, 1 +y, 2 -x, 3 -y), region on its
// left?
static bool has_edge(bool cells[CELLS][CELLS], int x, int y, int d)
{
    static const int left[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};
    static const int right[4][2] = {{0, -1}, {0, 0}, {-1, 0}, {-1, -1}};
    return filled(cells, x + left[d][0], y + left[d][1]) &&
           !filled(cells, x + right[d][0], y + right[d][1]);
}

// Follows one loop; where two meet in a node it turns by `turn`: 1 left, 3 right.
static int trace(bool cells[CELLS][CELLS], bool used[NODES][NODES][4], int x, int y, int d,
                 int turn, sn_vec2 *points)
{
    int count = 0;
    while (!used[y][x][d]) {
        used[y][x][d] = true;
        points[count++] = (sn_vec2){x, y};
        x += (d == 0) - (d == 2);
        y += (d == 1) - (d == 3);
        int next = (d + turn) % 4;
        if (!has_edge(cells, x, y, next)) {
            next = has_edge(cells, x, y, d) ? d : (d + 4 - turn) % 4;
        }
        d = next;
    }
    return count;
}

static double signed_area(const sn_vec2 *points, int count)
{
    double area = 0.0;
    for (int i = 0; i < count; ++i) {
        area += 0.5 * cross2(points[0], points[i], points[(i + 1) % count]);
    }
    return area;
}

static void check_region(const sn_outline *outline, double expected)
{
    static int triangles[3 * 4 * NODES * NODES];
    int count = 0;
    sn_error error = {0};
    if (sn_triangulate(outline, triangles, &count, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    double area = 0.0;
    for (int t = 0; t < count; ++t) {
        sn_vec2 a = outline->points[triangles[3 * t]];
        sn_vec2 b = outline->points[triangles[3 * t + 1]];
        sn_vec2 c = outline->points[triangles[3 * t + 2]];
        assert_true(cross2(a, b, c) > 0.0);
        area += 0.5 * cross2(a, b, c);
    }
    assert_true(area == expected); // halves of small integers: exact
}

static void test_lattice_regions(void **state)
{
    (void)state;
    sn_random random = {.seed = 12};
    int with_holes = 0;
    for (int round = 0; round < 2000; ++round) {
        bool cells[CELLS][CELLS], used[NODES][NODES][4] = {{{false}}};
        for (int i = 0; i < CELLS * CELLS; ++i) {
            cells[i / CELLS][i % CELLS] = sn_random_unit(&random) < 0.72;
        }
        keep_connected(cells);
        static sn_vec2 points[4 * NODES * NODES], loop[4 * NODES * NODES];
        int sizes[NODES * NODES] = {0}, loops = 1, total = 0, outer = 0;
        double area = 0.0;
        for (int i = 0; i < NODES * NODES * 4; ++i) {
            int x = i / 4 % NODES, y = i / 4 / NODES, d = i % 4;
            if (!has_edge(cells, x, y, d) || used[y][x][d]) {
                continue;
            }
            int count = trace(cells, used, x, y, d, round % 2 == 0 ? 1 : 3, loop);
            double a = signed_area(loop, count);
            area += a;
            bool is_outer = a > 0.0;
            outer += is_outer;
            int at = is_outer ? 0 : total; // the outer loop comes first
            memmove(points + at + count, points + at, (size_t)(total - at) * sizeof *points);
            memcpy(points + at, loop, (size_t)count * sizeof *points);
            sizes[is_outer ? 0 : loops++] = count;
            total += count;
        }
        if (outer != 1) {
            continue; // turning right took the region apart in a corner
        }
        with_holes += loops > 1;
        sn_outline outline = {points, sizes, loops};
        check_region(&outline, area);
    }
    assert_true(with_holes > 500);
}

static void test_ten_thousand_points(void **state)
{
    (void)state;
    enum { OUTER = 10000, HOLES = 100, EACH = 20 };
    static sn_vec2 points[OUTER + HOLES * EACH];
    static int sizes[1 + HOLES] = {OUTER};
    sn_random random = {.seed = 5};
    for (int i = 0; i < OUTER; ++i) {
        double angle = 2.0 * SN_PI * i / OUTER, r = sn_random_range(&random, 20.0, 30.0);
        points[i] = (sn_vec2){r * sn_cos(angle), r * sn_sin(angle)};
    }
    for (int i = 0; i < HOLES * EACH; ++i) {
        int hole = i / EACH, column = hole % 10, row = hole / 10;
        double angle = 2.0 * SN_PI * i / EACH;
        points[OUTER + i] = (sn_vec2){2.0 * column - 9.0 + 0.9 * sn_cos(angle),
                                      2.0 * row - 9.0 + 0.9 * sn_sin(angle)};
        sizes[1 + hole] = EACH;
    }
    sn_outline outline = {points, sizes, 1 + HOLES};
    check_outline(&outline, OUTER + HOLES * EACH + 2 * HOLES - 2, true);
}

// ---- refusals ----

static void check_refused(const sn_vec2 *points, const int *sizes, int loops, const char *a,
                          const char *b)
{
    sn_outline outline = {points, sizes, loops};
    int triangles[300], count = 0;
    sn_error error = {0};
    assert_int_equal(sn_triangulate(&outline, triangles, &count, &error), SN_ERROR_GEOMETRY);
    if (strstr(error.text, a) == NULL || strstr(error.text, b) == NULL) {
        fail_msg("'%s' and '%s' are not in: %s", a, b, sn_error_message(&error));
    }
    assert_int_equal(count, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    const sn_vec2 bow[] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    check_refused(bow, (int[]){4}, 1, "edge 0-1", "edge 2-3");
    check_refused(bow, (int[]){4}, 1, "cross", "(1, 0) to (0, 1)");
    const sn_vec2 back[] = {{0, 0}, {2, 0}, {2, 2}, {2, 0}, {1, 0}};
    check_refused(back, (int[]){5}, 1, "overlap", "edge 0-1");
    const sn_vec2 touch[] = {{0, 0}, {4, 0}, {4, 4}, {2, 0}, {0, 4}};
    check_refused(touch, (int[]){5}, 1, "touch", "edge 0-1");
    const sn_vec2 through[] = {{0, 0}, {1, 1}, {2, 2}, {2, 0}, {1, 1}, {0, 2}};
    check_refused(through, (int[]){6}, 1, "cross", "");
    const sn_vec2 outside[] = {{0, 0}, {1, 0}, {0, 1}, {5, 5}, {6, 5}, {5, 6}};
    check_refused(outside, (int[]){3, 3}, 2, "hole 1", "outside");
    const sn_vec2 nested[] = {{0, 0}, {9, 0},     {0, 9},   {1, 1},  {4, 1},
                              {1, 4}, {1.5, 1.5}, {2, 1.5}, {1.5, 2}};
    check_refused(nested, (int[]){3, 3, 3}, 3, "hole 2", "inside hole 1");
    const sn_vec2 line[] = {{0, 0}, {1, 1}, {3, 3}};
    check_refused(line, (int[]){3}, 1, "overlap", "");
    const sn_vec2 same[] = {{1, 1}, {1, 1}, {1, 1}, {2, 2}};
    check_refused(same, (int[]){4}, 1, "2 different points", "");
    const sn_vec2 bad[] = {{0, 0}, {1, NAN}, {0, 1}};
    check_refused(bad, (int[]){3}, 1, "point 1", "finite");
    check_refused(bad, (int[]){2}, 1, "at least 3", "");
    check_refused(bad, (int[]){2}, 0, "0 loops", "");
}

// ---- space ----

static void test_polygons_in_space(void **state)
{
    (void)state;
    const sn_vec2 l[] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    sn_random random = {.seed = 9};
    for (int i = 0; i < 500; ++i) {
        sn_quat q = sn_quat_normalize(
            (sn_quat){sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                      sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1)});
        sn_vec3 points[7], normal = sn_rotate(q, sn_vec3_make(0, 0, i % 2 == 0 ? 1 : -1));
        for (int k = 0; k < 7; ++k) {
            sn_vec2 p = l[i % 2 == 0 ? k : 6 - k];
            points[k] = sn_rotate(q, sn_vec3_make(p.x, p.y, 5.0));
        }
        int triangles[27], count = 0, size = 7;
        assert_int_equal(sn_triangulate_polygon(points, &size, 1, triangles, &count, NULL), SN_OK);
        assert_int_equal(count, 5);
        double area = 0.0;
        for (int t = 0; t < count; ++t) {
            sn_vec3 a = points[triangles[3 * t]];
            sn_vec3 ab = sn_vec3_sub(points[triangles[3 * t + 1]], a);
            sn_vec3 ac = sn_vec3_sub(points[triangles[3 * t + 2]], a);
            area += 0.5 * sn_dot(normal, sn_cross(ab, ac));
        }
        assert_true(fabs(area - 3.0) < 1e-13);
    }
}

static void test_face_that_is_not_flat(void **state)
{
    (void)state;
    const sn_vec3 saddle[] = {{0, 0, 0}, {1, 0, 0.2}, {1, 1, 0}, {0, 1, 0.2}};
    int triangles[18], count = 0, size = 4;
    assert_int_equal(sn_triangulate_polygon(saddle, &size, 1, triangles, &count, NULL), SN_OK);
    assert_int_equal(count, 2);
    const sn_vec3 line[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    sn_error error = {0};
    assert_int_equal(sn_triangulate_polygon(line, &size, 1, triangles, &count, &error),
                     SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "no area"));
}

static void test_out_of_memory(void **state)
{
    (void)state;
    const sn_vec2 frame[] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {1, 1}, {3, 1}, {3, 3}, {1, 3}};
    sn_outline outline = {frame, (int[]){4, 4}, 2};
    int triangles[36], count = 0, failures = 0;
    for (int after = 0;; ++after) {
        sn_allocation_fail_after(after);
        sn_status status = sn_triangulate(&outline, triangles, &count, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        ++failures;
    }
    assert_true(failures >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orientation_is_exact),
        cmocka_unit_test(test_simple_outlines),
        cmocka_unit_test(test_pinched_outline),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_lattice_of_holes),
        cmocka_unit_test(test_random_stars),
        cmocka_unit_test(test_lattice_regions),
        cmocka_unit_test(test_ten_thousand_points),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_polygons_in_space),
        cmocka_unit_test(test_face_that_is_not_flat),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
