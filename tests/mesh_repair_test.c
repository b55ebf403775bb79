// Repair of meshes: each fault by a mesh made for it, closed meshes damaged at random, soups of
// triangles, overlapping shells, and the text that says what was done.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/loop_fill.h"
#include "geometry/mesh_builder.h"
#include "sanitized.h"
#include "shortage.h"
#include "sinew/geometry.h"

// ---- helpers ----

static sn_mesh *make(const sn_vec3 *positions, int vertices, const int *triangles, int count)
{
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(positions, vertices, triangles, count, &mesh, NULL), SN_OK);
    return mesh;
}

static sn_mesh *box(double x, double y, double z)
{
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_box(sn_vec3_make(x, y, z), &mesh, NULL), SN_OK);
    return mesh;
}

static double volume_of(const sn_mesh *mesh)
{
    sn_mass_properties mass;
    sn_error error = {0};
    if (sn_mesh_mass_properties(mesh, 1.0, &mass, &error) != SN_OK) {
        fail_msg("%s", error.text);
    }
    return mass.volume;
}

// The repaired mesh, which passes the check; the other one is released.
static sn_mesh *repair(sn_mesh *mesh, sn_mesh_repair *counts)
{
    sn_mesh *repaired = NULL;
    sn_error error = {0};
    *counts = (sn_mesh_repair){0};
    if (sn_mesh_repaired(mesh, true, &repaired, counts, &error) != SN_OK) {
        fail_msg("%s (%s)", error.text, error.place);
    }
    assert_int_equal(sn_mesh_check(repaired, NULL, NULL), SN_OK);
    sn_mesh_release(mesh);
    return repaired;
}

static void repair_to(sn_mesh *mesh, double volume, const char *expected)
{
    sn_mesh_repair counts;
    char text[SN_MESH_REPAIR_TEXT];
    sn_mesh *repaired = repair(mesh, &counts);
    sn_mesh_repair_text(&counts, text);
    assert_string_equal(text, expected);
    if (!(fabs(volume_of(repaired) - volume) < 1e-12 * fabs(volume))) {
        fail_msg("volume %.17g, expected %.17g", volume_of(repaired), volume);
    }
    sn_mesh_release(repaired);
}

// Faults are easier to make on lists.
typedef struct list {
    sn_vec3 positions[4096];
    int triangles[3 * 4096];
    int vertices, count;
} list;

static void list_take(list *l, sn_mesh *mesh)
{
    l->vertices = sn_mesh_vertex_count(mesh);
    l->count = sn_mesh_triangle_count(mesh);
    assert_true(l->vertices <= 2048 && l->count <= 2048);
    memcpy(l->positions, sn_mesh_positions(mesh), (size_t)l->vertices * sizeof *l->positions);
    memcpy(l->triangles, sn_mesh_triangles(mesh), 3 * (size_t)l->count * sizeof *l->triangles);
    sn_mesh_release(mesh);
}

static void list_add(list *l, int a, int b, int c)
{
    int *v = l->triangles + 3 * l->count++;
    v[0] = a;
    v[1] = b;
    v[2] = c;
}

static void list_remove(list *l, int t)
{
    l->count -= 1;
    memmove(l->triangles + 3 * t, l->triangles + 3 * (t + 1),
            3 * (size_t)(l->count - t) * sizeof *l->triangles);
}

static void list_turn(list *l, int t)
{
    int *v = l->triangles + 3 * t, swap = v[1];
    v[1] = v[2];
    v[2] = swap;
}

static sn_mesh *list_mesh(const list *l)
{
    return make(l->positions, l->vertices, l->triangles, l->count);
}

// ---- one fault each ----

static void test_whole_mesh_stays(void **state)
{
    (void)state;
    sn_mesh *mesh = box(1, 2, 3), *repaired = NULL;
    sn_mesh_repair counts = {0};
    char text[SN_MESH_REPAIR_TEXT] = "x";
    assert_int_equal(sn_mesh_repaired(mesh, true, &repaired, &counts, NULL), SN_OK);
    assert_ptr_equal(mesh, repaired);
    assert_false(sn_mesh_repair_text(&counts, text));
    assert_string_equal(text, "");
    sn_mesh_release(mesh);
    sn_mesh_release(repaired);
}

static void test_holes(void **state)
{
    (void)state;
    list l;
    list_take(&l, box(1, 2, 3));
    list_remove(&l, 0);
    repair_to(list_mesh(&l), 6.0, "closed 1 hole (3 edges)");
    // A whole side: two triangles that share an edge.
    list_take(&l, box(1, 2, 3));
    list_remove(&l, 1);
    list_remove(&l, 0);
    repair_to(list_mesh(&l), 6.0, "closed 1 hole (4 edges)");
}

// A cylinder without lids: two loops of 500 points, flat.
static void test_large_flat_holes(void **state)
{
    (void)state;
    list l = {0};
    int n = 500;
    for (int i = 0; i < 2 * n; ++i) {
        double angle = 2.0 * SN_PI * (i / 2) / n;
        l.positions[l.vertices++] = sn_vec3_make(cos(angle), sin(angle), i % 2);
    }
    for (int i = 0; i < n; ++i) {
        int a = 2 * i, b = 2 * ((i + 1) % n);
        list_add(&l, a, b, b + 1);
        list_add(&l, a, b + 1, a + 1);
    }
    repair_to(list_mesh(&l), 0.5 * n * sin(2.0 * SN_PI / n), "closed 2 holes (1000 edges)");
}

// A bag whose rim goes up and down: no plane fits its 600 points.
static void test_large_curved_hole(void **state)
{
    (void)state;
    list l = {0};
    int n = 600;
    for (int i = 0; i < n; ++i) {
        double angle = 2.0 * SN_PI * i / n;
        l.positions[l.vertices++] = sn_vec3_make(cos(angle), sin(angle), 0.4 * cos(2.0 * angle));
    }
    l.positions[l.vertices++] = sn_vec3_make(0, 0, -2);
    for (int i = 0; i < n; ++i) {
        list_add(&l, n, (i + 1) % n, i);
    }
    sn_mesh_repair counts;
    sn_mesh *mesh = repair(list_mesh(&l), &counts);
    assert_int_equal(counts.holes, 1);
    assert_int_equal(counts.hole_edges, n);
    // A cone of height 2, with a lid that goes up or down: straight lines between points of equal
    // height along x or y make one whose mean height is +-0.2, and all others are between.
    assert_true(fabs(volume_of(mesh) - 2.0 * SN_PI / 3.0) < 0.2 * SN_PI + 0.05);
    sn_mesh_release(mesh);
}

static void test_turned_faces_and_shells(void **state)
{
    (void)state;
    list l;
    list_take(&l, box(1, 2, 3));
    list_turn(&l, 3);
    list_turn(&l, 8);
    repair_to(list_mesh(&l), 6.0, "turned 2 faces");
    for (int t = 0; t < l.count; ++t) {
        l.triangles[3 * t] = l.triangles[3 * t];
        list_turn(&l, t);
    }
    repair_to(list_mesh(&l), 6.0, "turned 2 faces, turned 1 shell that was inside out");
}

// Without `all` a shell is turned, and nothing else.
static void test_turn_only(void **state)
{
    (void)state;
    list l;
    list_take(&l, box(1, 2, 3));
    for (int t = 0; t < l.count; ++t) {
        list_turn(&l, t);
    }
    sn_mesh *mesh = list_mesh(&l), *turned = NULL;
    sn_mesh_repair counts = {0};
    assert_int_equal(sn_mesh_repaired(mesh, false, &turned, &counts, NULL), SN_OK);
    assert_int_equal(counts.turned_shells, 1);
    assert_true(fabs(volume_of(turned) - 6.0) < 1e-14);
    sn_mesh_release(turned);
    sn_mesh_release(mesh);
    list_remove(&l, 0);
    mesh = list_mesh(&l);
    sn_error error = {0};
    assert_int_equal(sn_mesh_repaired(mesh, false, &turned, &counts, &error), SN_ERROR_GEOMETRY);
    assert_null(turned);
    assert_non_null(strstr(error.text, "the mesh has a hole"));
    sn_mesh_release(mesh);
}

static void test_duplicates_and_flat_faces(void **state)
{
    (void)state;
    list l;
    list_take(&l, box(1, 2, 3));
    int *v = l.triangles;
    list_add(&l, v[0], v[1], v[2]);
    list_add(&l, v[1], v[2], v[0]);
    repair_to(list_mesh(&l), 6.0, "dropped 2 duplicate faces");
    // Both sides of every face.
    list_take(&l, box(1, 2, 3));
    for (int t = 0, n = l.count; t < n; ++t) {
        list_add(&l, v[3 * t], v[3 * t + 2], v[3 * t + 1]);
    }
    repair_to(list_mesh(&l), 6.0, "dropped 12 duplicate faces");
}

// Two cubes that share a wall, which both have: one body without it.
static void test_inner_wall(void **state)
{
    (void)state;
    list l, other;
    list_take(&l, box(1, 1, 1));
    list_take(&other, box(1, 1, 1));
    int shift = l.vertices;
    for (int i = 0; i < other.vertices; ++i) {
        l.positions[l.vertices++] = sn_vec3_add(other.positions[i], sn_vec3_make(1, 0, 0));
    }
    for (int t = 0; t < other.count; ++t) {
        const int *v = other.triangles + 3 * t;
        list_add(&l, shift + v[0], shift + v[1], shift + v[2]);
    }
    // Apart by indices this is two shells that touch, and sound. Welded it is one surface with a
    // wall in it.
    sn_mesh *mesh = list_mesh(&l);
    assert_int_equal(sn_mesh_check(mesh, NULL, NULL), SN_OK);
    sn_mesh_release(mesh);
    int to[64];
    for (int i = 0; i < l.vertices; ++i) {
        to[i] = i;
        for (int k = 0; k < i; ++k) {
            to[i] = sn_distance(l.positions[i], l.positions[k]) == 0.0 && to[i] == i ? k : to[i];
        }
    }
    for (int i = 0; i < 3 * l.count; ++i) {
        l.triangles[i] = to[l.triangles[i]];
    }
    mesh = list_mesh(&l);
    assert_int_equal(sn_mesh_check(mesh, NULL, NULL), SN_ERROR_GEOMETRY);
    sn_mesh_repair counts;
    mesh = repair(mesh, &counts);
    assert_true(fabs(volume_of(mesh) - 2.0) < 1e-12);
    sn_mesh_release(mesh);
}

// A vertex in the middle of a box's edge that only one of its two sides knows, so that between
// them is a triangle without area; and the same as a crack, without that triangle.
static void test_corner_on_an_edge(void **state)
{
    (void)state;
    for (int crack = 0; crack < 2; ++crack) {
        list l;
        list_take(&l, box(1, 2, 3));
        int *v = l.triangles, a = v[0], b = v[1], c = v[2], middle = l.vertices++;
        l.positions[middle] = sn_vec3_scale(0.5, sn_vec3_add(l.positions[a], l.positions[b]));
        v[1] = middle;
        list_add(&l, middle, b, c);
        if (crack == 0) {
            list_add(&l, a, b, middle);
        }
        repair_to(list_mesh(&l), 6.0,
                  crack == 0 ? "dropped 1 face without area" : "closed 1 hole (3 edges)");
    }
}

// Cubes that have one vertex, or one edge, in common.
static void test_touching(void **state)
{
    (void)state;
    for (int edge = 0; edge < 2; ++edge) {
        list l, other;
        list_take(&l, box(1, 1, 1));
        list_take(&other, box(1, 1, 1));
        int shift = l.vertices, joined = 0;
        for (int i = 0; i < other.vertices; ++i) {
            sn_vec3 p = sn_vec3_add(other.positions[i], sn_vec3_make(1, 1, edge == 1 ? 0 : 1));
            l.positions[l.vertices++] = p;
        }
        for (int t = 0; t < other.count; ++t) {
            int v[3];
            for (int k = 0; k < 3; ++k) {
                v[k] = shift + other.triangles[3 * t + k];
                for (int i = 0; i < shift; ++i) {
                    if (sn_distance(l.positions[i], l.positions[v[k]]) == 0.0) {
                        v[k] = i;
                        joined += 1;
                    }
                }
            }
            list_add(&l, v[0], v[1], v[2]);
        }
        assert_true(joined > 0);
        sn_mesh *mesh = list_mesh(&l);
        assert_int_equal(sn_mesh_check(mesh, NULL, NULL), SN_ERROR_GEOMETRY);
        sn_mesh_release(mesh);
        repair_to(list_mesh(&l), 2.0,
                  edge == 1 ? "split 2 vertices that only touched"
                            : "split 1 vertex that only touched");
    }
}

// A fin on the edge of a box, of one face and of two sides.
static void test_flap(void **state)
{
    (void)state;
    list l;
    list_take(&l, box(1, 2, 3));
    int a = l.triangles[0], b = l.triangles[1], tip = l.vertices++;
    l.positions[tip] = sn_vec3_make(5, 5, 5);
    list_add(&l, a, b, tip);
    repair_to(list_mesh(&l), 6.0, "dropped 1 face of a flap");
    list_add(&l, b, a, tip);
    repair_to(list_mesh(&l), 6.0, "dropped 2 duplicate faces");
}

// Faces of their own, as in STL files, with vertices off by a millionth.
static void test_seams(void **state)
{
    (void)state;
    sn_mesh *ball = NULL;
    assert_int_equal(sn_mesh_sphere(1.0, 16, &ball, NULL), SN_OK);
    double volume = volume_of(ball);
    list l = {0}, whole;
    list_take(&whole, ball);
    sn_random random = {.seed = 12};
    for (int i = 0; i < 3 * whole.count; ++i) {
        sn_vec3 off = {sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                       sn_random_range(&random, -1, 1)};
        l.positions[l.vertices] =
            sn_vec3_add_scaled(whole.positions[whole.triangles[i]], 1e-6, off);
        l.triangles[i] = l.vertices++;
    }
    l.count = whole.count;
    sn_mesh_repair counts;
    sn_mesh *mesh = repair(list_mesh(&l), &counts);
    assert_int_equal(counts.merged_vertices, l.vertices - whole.vertices);
    assert_int_equal(counts.holes, 0);
    assert_true(fabs(volume_of(mesh) - volume) < 1e-5);
    sn_mesh_release(mesh);
}

// A sheet has no volume, however it is closed; neither has a Moebius strip's flat relative, one
// triangle.
static void test_no_volume(void **state)
{
    (void)state;
    const sn_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const int faces[6] = {0, 1, 2, 0, 2, 3};
    for (int count = 1; count < 3; ++count) {
        sn_mesh *mesh = make(corners, 4, faces, count), *repaired = NULL;
        sn_mesh_repair counts = {0};
        sn_error error = {0};
        assert_int_equal(sn_mesh_repaired(mesh, true, &repaired, &counts, &error),
                         SN_ERROR_GEOMETRY);
        assert_null(repaired);
        assert_non_null(strstr(error.text, "encloses no volume"));
        sn_mesh_release(mesh);
    }
}

// ---- loops ----

// Every edge of the loop once, in its direction; every chord twice, once each way.
static void check_filling(const int *triangles, int count)
{
    static int seen[200][200];
    memset(seen, 0, sizeof seen);
    for (int t = 0; t < count - 2; ++t) {
        for (int k = 0; k < 3; ++k) {
            seen[triangles[3 * t + k]][triangles[3 * t + (k + 1) % 3]] += 1;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            bool rim = j == (i + 1) % count;
            assert_int_equal(seen[i][j], rim ? 1 : seen[j][i] == 1 && (j + 1) % count != i);
        }
    }
}

static void test_loops(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    for (int run = 0; run < 200; ++run) {
        int count = 3 + sn_random_below(&random, 197), triangles[3 * 200];
        sn_vec3 points[200];
        bool flat = run % 2 == 0;
        for (int i = 0; i < count; ++i) {
            points[i] = sn_vec3_make(sn_random_unit(&random), sn_random_unit(&random),
                                     flat ? 0.0 : sn_random_unit(&random));
        }
        assert_true(sn_loop_fill(points, count, NULL, NULL, triangles));
        check_filling(triangles, count);
    }
}

// ---- random damage ----

static sn_mesh *random_body(sn_random *random)
{
    sn_mesh *mesh = NULL;
    switch (sn_random_below(random, 4)) {
    case 0:
        assert_int_equal(sn_mesh_sphere(1.0, 24, &mesh, NULL), SN_OK);
        break;
    case 1:
        assert_int_equal(sn_mesh_torus(1.0, 0.3, 24, &mesh, NULL), SN_OK);
        break;
    case 2:
        assert_int_equal(sn_mesh_rounded_box(sn_vec3_make(1, 2, 1), 0.2, 16, &mesh, NULL), SN_OK);
        break;
    default:
        assert_int_equal(sn_mesh_cylinder(0.5, 2.0, 24, &mesh, NULL), SN_OK);
    }
    return mesh;
}

// Some faces removed, some turned, some doubled, some vertices moved by a thousandth, faces taken
// apart. Up to one face in fifty is removed: those are small, and holes are filled flat. The lids
// of the cylinder are its largest faces. Turned ones are put right again, as long as they are
// fewer. So the volume is within 5 % of what it was.
static void damage(list *l, sn_random *random)
{
    for (int i = 0, n = 1 + l->count / 50; i < n; ++i) {
        list_remove(l, sn_random_below(random, l->count));
    }
    for (int i = 0, n = sn_random_below(random, 1 + l->count / 20); i < n; ++i) {
        list_turn(l, sn_random_below(random, l->count));
    }
    for (int i = 0, n = sn_random_below(random, 1 + l->count / 20); i < n; ++i) {
        const int *v = l->triangles + 3 * sn_random_below(random, l->count);
        bool turn = sn_random_below(random, 2) == 0;
        list_add(l, v[0], v[turn ? 2 : 1], v[turn ? 1 : 2]);
    }
    for (int i = 0; i < l->vertices; ++i) {
        sn_vec3 off = {sn_random_range(random, -1, 1), sn_random_range(random, -1, 1),
                       sn_random_range(random, -1, 1)};
        l->positions[i] = sn_vec3_add_scaled(l->positions[i], 1e-3, off);
    }
    for (int i = 0, n = sn_random_below(random, 20); i < n; ++i) { // corners of their own
        int e = sn_random_below(random, 3 * l->count);
        l->positions[l->vertices] = l->positions[l->triangles[e]];
        l->triangles[e] = l->vertices++;
    }
}

static void test_random_damage(void **state)
{
    (void)state;
    sn_random random = {.seed = 2};
    for (int run = 0; run < rounds_of(600, 60); ++run) {
        list l;
        sn_mesh *mesh = random_body(&random);
        double volume = volume_of(mesh);
        list_take(&l, mesh);
        damage(&l, &random);
        sn_mesh_repair counts;
        sn_mesh *first = repair(list_mesh(&l), &counts), *again = NULL;
        double left = volume_of(first);
        if (!(fabs(left - volume) < 0.05 * volume)) {
            char text[SN_MESH_REPAIR_TEXT];
            sn_mesh_repair_text(&counts, text);
            fail_msg("run %d: volume %g of %g: %s", run, left, volume, text);
        }
        // The same again to the bit.
        again = repair(list_mesh(&l), &counts);
        int vertices = sn_mesh_vertex_count(first), count = sn_mesh_triangle_count(first);
        assert_int_equal(vertices, sn_mesh_vertex_count(again));
        assert_int_equal(count, sn_mesh_triangle_count(again));
        assert_memory_equal(sn_mesh_positions(first), sn_mesh_positions(again),
                            (size_t)vertices * sizeof(sn_vec3));
        assert_memory_equal(sn_mesh_triangles(first), sn_mesh_triangles(again),
                            3 * (size_t)count * sizeof(int));
        sn_mesh_release(first);
        sn_mesh_release(again);
    }
}

// Triangles between any of some points of a grid: repaired to something that passes the check, or
// refused with a reason.
static void test_soups(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    int passed = 0, runs = rounds_of(3000, 300);
    for (int run = 0; run < runs; ++run) {
        list l = {.vertices = 4 + sn_random_below(&random, 12)};
        int grid = 2 + sn_random_below(&random, 4), count = 1 + sn_random_below(&random, 40);
        for (int i = 0; i < l.vertices; ++i) {
            l.positions[i] =
                sn_vec3_make(sn_random_below(&random, grid), sn_random_below(&random, grid),
                             sn_random_below(&random, grid));
        }
        for (int t = 0; t < count; ++t) {
            int a = sn_random_below(&random, l.vertices), b = sn_random_below(&random, l.vertices),
                c = sn_random_below(&random, l.vertices);
            if (a != b && b != c && c != a) {
                list_add(&l, a, b, c);
            }
        }
        if (l.count == 0) {
            continue;
        }
        sn_mesh *mesh = list_mesh(&l), *repaired = NULL;
        sn_mesh_repair counts = {0};
        sn_error error = {0};
        sn_status status = sn_mesh_repaired(mesh, true, &repaired, &counts, &error);
        if (status == SN_OK && sn_mesh_check(repaired, NULL, &error) != SN_OK) {
            fail_msg("run %d: %s (%s)", run, error.text, error.place);
        } else if (status == SN_OK) {
            passed += 1;
        } else {
            assert_int_equal(status, SN_ERROR_GEOMETRY);
            if (strstr(error.text, "encloses no volume") == NULL) {
                fail_msg("run %d: %s (%s)", run, error.text, error.place);
            }
        }
        sn_mesh_release(mesh);
        sn_mesh_release(repaired);
    }
    assert_true(passed > runs / 2);
}

// ---- overlaps ----

static double overlap_of(sn_mesh *a, sn_mesh *b, sn_vec3 shift)
{
    sn_mesh *moved = NULL, *joined = NULL;
    double volume = NAN;
    sn_transform place = {.position = shift, .rotation = SN_QUAT_IDENTITY};
    assert_int_equal(sn_mesh_transformed(b, sn_vec3_make(1, 1, 1), place, &moved, NULL), SN_OK);
    const sn_mesh *both[2] = {a, moved};
    assert_int_equal(sn_mesh_join(both, 2, &joined, NULL), SN_OK);
    assert_int_equal(sn_mesh_overlap(joined, &volume, NULL), SN_OK);
    sn_mesh_release(a);
    sn_mesh_release(b);
    sn_mesh_release(moved);
    sn_mesh_release(joined);
    return volume;
}

static void test_overlaps(void **state)
{
    (void)state;
    // Boxes: the common one is 0.5 x 0.75 x 0.9.
    double found = overlap_of(box(1, 1, 1), box(1, 1, 1), sn_vec3_make(0.5, 0.25, 0.1));
    assert_true(fabs(found - 0.5 * 0.75 * 0.9) < 1e-12);
    assert_true(overlap_of(box(1, 1, 1), box(1, 1, 1), sn_vec3_make(1, 0, 0)) == 0.0);
    assert_true(overlap_of(box(1, 1, 1), box(1, 1, 1), sn_vec3_make(0, 0, 1.1)) == 0.0);
    // One inside the other.
    found = overlap_of(box(1, 1, 1), box(0.2, 0.3, 0.4), sn_vec3_make(0.1, 0, 0));
    assert_true(fabs(found - 0.2 * 0.3 * 0.4) < 1e-12);
    // Balls of radius 1 at distance d: a lens of pi (4 + d) (2 - d)^2 / 12.
    sn_mesh *a = NULL, *b = NULL;
    assert_int_equal(sn_mesh_sphere(1.0, 96, &a, NULL), SN_OK);
    assert_int_equal(sn_mesh_sphere(1.0, 96, &b, NULL), SN_OK);
    found = overlap_of(a, b, sn_vec3_make(0.6, 0.8, 0.0));
    double lens = SN_PI * 5.0 / 12.0;
    assert_true(fabs(found - lens) < 0.02 * lens);
    // A hollow is no overlap.
    list l, inner;
    list_take(&l, box(1, 1, 1));
    list_take(&inner, box(0.5, 0.5, 0.5));
    for (int i = 0; i < inner.vertices; ++i) {
        l.positions[l.vertices + i] = inner.positions[i];
    }
    for (int t = 0; t < inner.count; ++t) {
        const int *v = inner.triangles + 3 * t;
        list_add(&l, l.vertices + v[0], l.vertices + v[2], l.vertices + v[1]);
    }
    l.vertices += inner.vertices;
    sn_mesh *hollow = list_mesh(&l);
    assert_int_equal(sn_mesh_overlap(hollow, &found, NULL), SN_OK);
    assert_true(found == 0.0);
    sn_mesh_release(hollow);
}

// ---- shortage ----

static void test_shortage(void **state)
{
    (void)state;
    list l;
    sn_random random = {.seed = 9};
    sn_mesh *ball = NULL;
    assert_int_equal(sn_mesh_sphere(1.0, 12, &ball, NULL), SN_OK);
    list_take(&l, ball);
    damage(&l, &random);
    sn_mesh *mesh = list_mesh(&l);
    for (shortage s = {.most = 2000}; shortage_goes_on(&s);) {
        sn_mesh *repaired = NULL;
        sn_mesh_repair counts = {0};
        shortage_begin(&s);
        sn_status status = sn_mesh_repaired(mesh, true, &repaired, &counts, NULL);
        shortage_end(&s, status);
        sn_mesh_release(repaired);
    }
    sn_mesh_release(mesh);
    const sn_mesh *two[2] = {box(1, 1, 1), box(0.5, 0.5, 0.5)};
    assert_int_equal(sn_mesh_join(two, 2, &mesh, NULL), SN_OK);
    for (shortage s = {.most = 100}; shortage_goes_on(&s);) {
        double volume;
        shortage_begin(&s);
        sn_status status = sn_mesh_overlap(mesh, &volume, NULL);
        shortage_end(&s, status);
    }
    sn_mesh_release(mesh);
    sn_mesh_release((sn_mesh *)two[0]);
    sn_mesh_release((sn_mesh *)two[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_mesh_stays),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_large_flat_holes),
        cmocka_unit_test(test_large_curved_hole),
        cmocka_unit_test(test_turned_faces_and_shells),
        cmocka_unit_test(test_turn_only),
        cmocka_unit_test(test_duplicates_and_flat_faces),
        cmocka_unit_test(test_inner_wall),
        cmocka_unit_test(test_corner_on_an_edge),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_flap),
        cmocka_unit_test(test_seams),
        cmocka_unit_test(test_no_volume),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_soups),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_shortage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
