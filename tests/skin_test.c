// Skins: who is next to whom, boxes that follow, candidates against all pairs, nearest points,
// crossings, threads, memory that runs out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/skin_pairs.h"
#include "skin_body.h"

static void test_topology(void **state)
{
    (void)state;
    skin_body cube = skin_body_box(sn_vec3_make(1.0, 1.0, 1.0), 1);
    sn_skin *skin = cube.skin;
    assert_int_equal(skin->vertex_count, 8);
    assert_int_equal(skin->edge_count, 18);
    assert_int_equal(skin->face_count, 12);
    assert_true(skin->closed);
    int vertices[8] = {0}, edges[18] = {0};
    for (int f = 0; f < 12; ++f) {
        for (int k = 0; k < 3; ++k) {
            int v = skin->faces[3 * f + k], w = skin->faces[3 * f + (k + 1) % 3];
            int e = skin->face_edges[3 * f + k];
            vertices[v] += skin->owns[f] >> k & 1;
            edges[e] += skin->owns[f] >> (3 + k) & 1;
            assert_true(skin->edges[2 * e] == (v < w ? v : w));
            assert_true(skin->edges[2 * e + 1] == (v < w ? w : v));
        }
    }
    for (int v = 0; v < 8; ++v) {
        assert_int_equal(vertices[v], 1);
    }
    for (int e = 0; e < 18; ++e) {
        assert_int_equal(edges[e], 1);
        assert_int_equal(skin->edge_starts[e + 1] - skin->edge_starts[e], 2);
    }
    sn_skin_place(skin, cube.x, NULL, 0.0);
    // Weighed by angles the normal of a cube's corner points along its diagonal, however it is cut.
    for (int v = 0; v < 8; ++v) {
        sn_vec3 n = sn_normalize(sn_skin_vertex_normal(skin, v));
        assert_true(fabs(sn_dot(n, sn_normalize(sn_skin_from(skin, v))) - 1.0) < 1e-12);
    }
    skin_body_free(&cube);
}

static void test_open_and_refused(void **state)
{
    (void)state;
    // Two triangles, the body's vertex 1 unused.
    const double x[15] = {0, 0, 0, 9, 9, 9, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const int faces[6] = {0, 2, 3, 0, 3, 4};
    sn_skin_def def = {
        .faces = faces, .face_count = 2, .positions = x, .vertex_count = 5, .stride = 3};
    sn_skin *skin = NULL;
    sn_error error = {0};
    assert_int_equal(sn_skin_create(&def, &skin, &error), SN_OK);
    assert_int_equal(skin->vertex_count, 4);
    assert_int_equal(skin->edge_count, 5);
    assert_false(skin->closed);
    sn_skin_place(skin, x, NULL, 0.0);
    double weights[3], distance;
    assert_int_equal(sn_skin_nearest(skin, sn_vec3_make(0.9, 0.2, -2.0), 3.0, weights, &distance),
                     0);
    assert_true(distance == 2.0); // no inside
    assert_int_equal(sn_skin_nearest(skin, sn_vec3_make(0.9, 0.2, -2.0), 1.0, weights, &distance),
                     -1);
    sn_skin_destroy(skin);
    sn_skin_destroy(NULL);
    const int bad[3][3] = {{0, 1, 5}, {0, 1, -1}, {2, 1, 2}};
    for (int i = 0; i < 3; ++i) {
        def.faces = bad[i];
        def.face_count = 1;
        def.place = "body 'sheet'";
        assert_int_equal(sn_skin_create(&def, &skin, &error), SN_ERROR_GEOMETRY);
        assert_null(skin);
        assert_non_null(strstr(sn_error_message(&error), "sheet"));
    }
    def.face_count = 0;
    assert_int_equal(sn_skin_create(&def, &skin, &error), SN_ERROR_GEOMETRY);
    def.stride = 2;
    assert_int_equal(sn_skin_create(&def, &skin, &error), SN_ERROR_ARGUMENT);
}

// ---- candidates ----

static int compare_pairs(const void *first, const void *second)
{
    const int32_t *x = first, *y = second;
    for (int k = 0; k < 4; ++k) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

typedef struct bounds {
    double lower[3], upper[3];
} bounds;

// The swept box of some of a skin's vertices, in doubles.
static bounds bounds_of(const sn_skin *skin, const int *vertices, int count)
{
    bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; ++i) {
        sn_vec3 ends[2] = {sn_skin_from(skin, vertices[i]), sn_skin_to(skin, vertices[i])};
        for (int k = 0; k < 6; ++k) {
            double x = (&ends[k / 3].x)[k % 3];
            b.lower[k % 3] = fmin(b.lower[k % 3], x - skin->reach);
            b.upper[k % 3] = fmax(b.upper[k % 3], x + skin->reach);
        }
    }
    return b;
}

// How far two boxes are apart: negative if they overlap.
static double apart(bounds a, bounds b)
{
    double gap = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        gap = fmax(gap, fmax(a.lower[k] - b.upper[k], b.lower[k] - a.upper[k]));
    }
    return gap;
}

static bool share(const int *a, int count_a, const int *b, int count_b)
{
    for (int i = 0; i < count_a * count_b; ++i) {
        if (a[i / count_b] == b[i % count_b]) {
            return true;
        }
    }
    return false;
}

typedef struct pair_check {
    sn_skin_pair_list sorted;
    int needed, sloppy;
} pair_check;

// Floats are coarser than doubles: boxes that just do not meet may be candidates, too.
static void check_pair(pair_check *check, sn_skin *const *skins, sn_skin_pair pair, const int *of_a,
                       int count_a, const int *of_b, int count_b)
{
    const sn_skin *a = skins[pair.skin_a], *b = skins[pair.skin_b];
    double gap = apart(bounds_of(a, of_a, count_a), bounds_of(b, of_b, count_b));
    bool neighbours = a == b && share(of_a, count_a, of_b, count_b);
    bool found =
        check->sorted.count > 0 && bsearch(&pair, check->sorted.data, (size_t)check->sorted.count,
                                           sizeof pair, compare_pairs) != NULL;
    if (gap <= 0.0 && !neighbours) {
        assert_true(found);
        check->needed += 1;
    } else if (found) {
        assert_true(!neighbours && gap < 1e-6);
        check->sloppy += 1;
    }
}

static pair_check check_start(const sn_skin_pair_list *list)
{
    pair_check check = {.sorted = {0}};
    assert_true(sn_array_resize(&check.sorted, list->count));
    for (int i = 0; i < list->count; ++i) {
        check.sorted.data[i] = list->data[i];
    }
    if (list->count > 0) {
        qsort(check.sorted.data, (size_t)list->count, sizeof *list->data, compare_pairs);
    }
    for (int i = 1; i < list->count; ++i) { // each once
        assert_true(compare_pairs(&check.sorted.data[i - 1], &check.sorted.data[i]) < 0);
    }
    return check;
}

static void check_end(pair_check *check)
{
    assert_int_equal(check->needed + check->sloppy, check->sorted.count);
    assert_true(check->needed > 0);
    sn_array_free(&check->sorted);
}

static void check_pairs(sn_skin *const *skins, int count, const sn_skin_pairs *pairs)
{
    pair_check faces = check_start(&pairs->vertex_faces), edges = check_start(&pairs->edge_edges);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k) {
            const sn_skin *a = skins[i], *b = skins[k];
            for (int v = 0; v < a->vertex_count; ++v) {
                for (int f = 0; f < b->face_count; ++f) {
                    check_pair(&faces, skins, (sn_skin_pair){i, k, v, f}, &v, 1, b->faces + 3 * f,
                               3);
                }
            }
            for (int e = 0; i <= k && e < a->edge_count; ++e) {
                for (int f = i == k ? e + 1 : 0; f < b->edge_count; ++f) {
                    check_pair(&edges, skins, (sn_skin_pair){i, k, e, f}, a->edges + 2 * e, 2,
                               b->edges + 2 * f, 2);
                }
            }
        }
    }
    check_end(&faces);
    check_end(&edges);
}

static void make_bodies(skin_body bodies[3], sn_skin *skins[3], uint64_t seed)
{
    sn_random random = {.seed = seed};
    bodies[0] = skin_body_ball(0.5, 3);
    bodies[1] = skin_body_box(sn_vec3_make(0.8, 0.6, 0.4), 3);
    bodies[2] = skin_body_ball(0.3, 2);
    skin_body_move(&bodies[1], sn_vec3_make(0.6, 0.2, 0.3));
    skin_body_move(&bodies[2], sn_vec3_make(-0.1, 0.6, 0.2));
    for (int i = 0; i < 3; ++i) {
        sn_vec3 travel = {sn_random_range(&random, -0.1, 0.1), sn_random_range(&random, -0.1, 0.1),
                          0.05};
        skin_body_shake(&bodies[i], &random, 0.03, travel);
        skins[i] = bodies[i].skin;
        sn_skin_place(skins[i], bodies[i].x, bodies[i].y, 0.01 * i);
    }
}

static void free_bodies(skin_body bodies[3])
{
    for (int i = 0; i < 3; ++i) {
        skin_body_free(&bodies[i]);
    }
}

static void test_candidates(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        skin_body bodies[3];
        sn_skin *skins[3];
        make_bodies(bodies, skins, seed);
        sn_skin_pairs pairs = {0}, others = {0};
        assert_int_equal(sn_skin_pairs_find(&pairs, skins, 3, SN_SKIN_ALL, NULL, NULL), SN_OK);
        check_pairs(skins, 3, &pairs);
        // The parts make the whole.
        int count = pairs.vertex_faces.count + pairs.edge_edges.count;
        assert_int_equal(sn_skin_pairs_find(&others, skins, 3, SN_SKIN_OTHERS, NULL, NULL), SN_OK);
        count -= others.vertex_faces.count + others.edge_edges.count;
        assert_int_equal(sn_skin_pairs_find(&others, skins, 3, SN_SKIN_SELF, NULL, NULL), SN_OK);
        count -= others.vertex_faces.count + others.edge_edges.count;
        assert_int_equal(count, 0);
        sn_skin_pairs_free(&pairs);
        sn_skin_pairs_free(&others);
        free_bodies(bodies);
    }
}

static void test_threads(void **state)
{
    (void)state;
    skin_body bodies[3];
    sn_skin *skins[3];
    make_bodies(bodies, skins, 7);
    sn_skin_pairs first = {0}, again = {0};
    assert_int_equal(sn_skin_pairs_find(&first, skins, 3, SN_SKIN_ALL, NULL, NULL), SN_OK);
    for (int n = 2; n <= 4; n += 2) {
        sn_threads *threads = NULL;
        assert_int_equal(sn_threads_create(n, &threads, NULL), SN_OK);
        assert_int_equal(sn_skin_pairs_find(&again, skins, 3, SN_SKIN_ALL, threads, NULL), SN_OK);
        assert_int_equal(first.vertex_faces.count, again.vertex_faces.count);
        assert_int_equal(first.edge_edges.count, again.edge_edges.count);
        assert_memory_equal(first.vertex_faces.data, again.vertex_faces.data,
                            (size_t)first.vertex_faces.count * sizeof *first.vertex_faces.data);
        assert_memory_equal(first.edge_edges.data, again.edge_edges.data,
                            (size_t)first.edge_edges.count * sizeof *first.edge_edges.data);
        // Warm: nothing more is asked for.
        uint64_t asked = sn_allocation_count();
        assert_int_equal(sn_skin_pairs_find(&again, skins, 3, SN_SKIN_ALL, NULL, NULL), SN_OK);
        assert_true(sn_allocation_count() == asked);
        sn_threads_destroy(threads);
    }
    sn_skin_pairs_free(&first);
    sn_skin_pairs_free(&again);
    free_bodies(bodies);
}

// ---- nearest points and crossings ----

static void test_nearest(void **state)
{
    (void)state;
    skin_body box = skin_body_box(sn_vec3_make(2.0, 2.0, 2.0), 3);
    sn_skin_place(box.skin, box.x, NULL, 0.1);
    sn_random random = {.seed = 3};
    for (int run = 0; run < 500; ++run) {
        double x[3], out = 0.0, in = INFINITY;
        for (int k = 0; k < 3; ++k) {
            x[k] = sn_random_range(&random, -2.0, 2.0);
            out += x[k] * x[k] > 1.0 ? (fabs(x[k]) - 1.0) * (fabs(x[k]) - 1.0) : 0.0;
            in = fmin(in, 1.0 - fabs(x[k]));
        }
        double weights[3], distance, sum = 0.0;
        int face = sn_skin_nearest(box.skin, sn_vec3_at(x), INFINITY, weights, &distance);
        assert_true(face >= 0);
        assert_true(fabs(distance - (in > 0.0 ? -in : sqrt(out))) < 1e-12);
        sn_vec3 p[3], on = SN_VEC3_ZERO;
        sn_skin_face(box.skin, face, p);
        for (int k = 0; k < 3; ++k) {
            on = sn_vec3_add_scaled(on, weights[k], p[k]);
            sum += weights[k];
        }
        assert_true(fabs(sum - 1.0) < 1e-12);
        assert_true(fabs(sn_distance(on, sn_vec3_at(x)) - fabs(distance)) < 1e-12);
    }
    skin_body_free(&box);
}

static void test_crossings(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        skin_body bodies[3];
        sn_skin *skins[3];
        make_bodies(bodies, skins, seed);
        sn_skin_crossing first = {0}, by_force = {0};
        int count = sn_skin_crossings(skins, 3, SN_SKIN_ALL, &first);
        assert_true(count > 0);
        assert_int_equal(count, sn_skin_crossings_by_force(skins, 3, SN_SKIN_ALL, &by_force));
        assert_int_equal(compare_pairs(&first, &by_force), 0);
        assert_int_equal(sn_skin_crossings(skins, 3, SN_SKIN_SELF, NULL), 0);
        free_bodies(bodies);
    }
    // A body that is turned inside out at one corner crosses itself.
    skin_body cube = skin_body_box(sn_vec3_make(1.0, 1.0, 1.0), 2);
    sn_skin_place(cube.skin, cube.x, NULL, 0.0);
    assert_int_equal(sn_skin_crossings(&cube.skin, 1, SN_SKIN_ALL, NULL), 0);
    sn_vec3_put(cube.x + SKIN_STRIDE * (size_t)cube.skin->vertices[0],
                sn_vec3_make(0.61, 0.63, 0.65));
    sn_skin_place(cube.skin, cube.x, NULL, 0.0);
    assert_true(sn_skin_crossings(&cube.skin, 1, SN_SKIN_ALL, NULL) > 0);
    skin_body_free(&cube);
}

static void test_memory(void **state)
{
    (void)state;
    skin_body bodies[3];
    sn_skin *skins[3];
    make_bodies(bodies, skins, 2);
    sn_status status = SN_ERROR_MEMORY;
    for (int after = 0; status != SN_OK; ++after) {
        assert_true(after < 100);
        sn_skin *skin = NULL;
        sn_error error = {0};
        sn_allocation_fail_after(after);
        status = sn_skin_of_tetrahedra(bodies[0].mesh, 4, NULL, &skin, &error);
        sn_allocation_fail_after(-1);
        assert_true((status == SN_OK) == (skin != NULL) && error.code == status);
        sn_skin_destroy(skin);
    }
    status = SN_ERROR_MEMORY;
    for (int after = 0; status != SN_OK; ++after) {
        assert_true(after < 1000);
        sn_skin_pairs pairs = {0};
        sn_error error = {0};
        sn_allocation_fail_after(after);
        status = sn_skin_pairs_find(&pairs, skins, 3, SN_SKIN_ALL, NULL, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status &&
                                        pairs.vertex_faces.count == 0));
        sn_skin_pairs_free(&pairs);
    }
    free_bodies(bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topology),   cmocka_unit_test(test_open_and_refused),
        cmocka_unit_test(test_candidates), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_nearest),    cmocka_unit_test(test_crossings),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
