// The thesis' meetings: cubics and their roots, clearances and their derivatives, sorted lists
// against all pairs, the first event against all relevant pairs, counts of the digest, memory.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "collide/meeting.h"
#include "collide/sweep_list.h"
#include "random_vector.h"

// ---- cubics ----

static double product(const double r[3], double u)
{
    return (u - r[0]) * (u - r[1]) * (u - r[2]);
}

static double product_rate(const double r[3], double u)
{
    return (u - r[1]) * (u - r[2]) + (u - r[0]) * (u - r[2]) + (u - r[0]) * (u - r[1]);
}

static void test_cubic(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    for (int run = 0; run < 2000; ++run) {
        double r[3], h = sn_random_range(&random, 0.1, 3.0), found[3];
        int inside = 0;
        bool apart = true;
        for (int k = 0; k < 3; ++k) {
            r[k] = sn_random_range(&random, -0.5, 1.5);
            inside += r[k] > 0.0 && r[k] < 1.0;
            for (int i = 0; i < k; ++i) {
                apart = apart && fabs(r[i] - r[k]) > 1e-3;
            }
        }
        // The derivative by time, of a step h: by u, over h.
        sn_cubic c = sn_cubic_hermite(product(r, 0.0), product_rate(r, 0.0) / h, product(r, 1.0),
                                      product_rate(r, 1.0) / h, h);
        for (int i = 0; i <= 4; ++i) {
            assert_true(fabs(sn_cubic_at(&c, 0.25 * i) - product(r, 0.25 * i)) < 1e-13);
        }
        if (!apart) {
            continue;
        }
        assert_int_equal(sn_cubic_roots(&c, 1e-13, found), inside);
        for (int i = 0; i < inside; ++i) {
            assert_true(fabs(product(r, found[i])) < 1e-10);
            assert_true(i == 0 || found[i] > found[i - 1]);
        }
    }
    // A root where halves meet is found once; one sign has none.
    double found[3];
    sn_cubic line = {{-1.0, -1.0 / 3.0, 1.0 / 3.0, 1.0}}, none = {{1.0, 0.1, 0.1, 1.0}};
    assert_int_equal(sn_cubic_roots(&line, 1e-13, found), 1);
    assert_true(fabs(found[0] - 0.5) < 1e-12);
    assert_int_equal(sn_cubic_roots(&none, 1e-13, found), 0);
}

// ---- clearances ----

static sn_clearance_state random_state(sn_random *random)
{
    sn_clearance_state s;
    for (int k = 0; k < SN_CLEARANCE_POINTS; ++k) {
        s.x[k] = random_vector(random, 1.0);
        s.v[k] = random_vector(random, 1.0);
    }
    return s;
}

static void test_rates(void **state)
{
    (void)state;
    sn_random random = {.seed = 2};
    for (int run = 0; run < 200; ++run) {
        sn_clearance_state s = random_state(&random), ahead = s, behind = s;
        const double step = 1e-5;
        for (int k = 0; k < SN_CLEARANCE_POINTS; ++k) {
            ahead.x[k] = sn_vec3_add_scaled(s.x[k], step, s.v[k]);
            behind.x[k] = sn_vec3_add_scaled(s.x[k], -step, s.v[k]);
        }
        for (int kind = SN_VERTEX_FACE; kind <= SN_EDGE_EDGE; ++kind) {
            double g[5], d[5], g_ahead[5], g_behind[5], unused[5];
            int count = sn_clearances((sn_pair_kind)kind, &s, g, d);
            sn_clearances((sn_pair_kind)kind, &ahead, g_ahead, unused);
            sn_clearances((sn_pair_kind)kind, &behind, g_behind, unused);
            for (int i = 0; i < count; ++i) {
                assert_true(fabs((g_ahead[i] - g_behind[i]) / (2.0 * step) - d[i]) < 1e-7);
            }
        }
    }
}

// A vertex falls with unit speed from height z over a face in the plane z = 0, seen from above in
// outward order.
static bool fall_on_face(double x, double y, double z, double speed, double *u)
{
    sn_clearance_state a = {.x = {{x, y, z}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, b;
    a.v[0].z = -speed;
    b = a;
    b.x[0].z -= speed;
    return sn_clearance_event(SN_VERTEX_FACE, &a, &b, 1.0, u);
}

static void test_vertex_face(void **state)
{
    (void)state;
    double u, g[5], d[5];
    assert_true(fall_on_face(0.2, 0.3, 0.25, 1.0, &u) && fabs(u - 0.25) < 1e-12);
    assert_false(fall_on_face(0.7, 0.4, 0.25, 1.0, &u)); // beside it
    assert_false(fall_on_face(-0.01, 0.4, 0.25, 1.0, &u));
    assert_false(fall_on_face(0.2, 0.3, -0.25, -1.0, &u)); // comes from inside
    assert_false(fall_on_face(0.2, 0.3, 1.5, 1.0, &u));    // does not get there
    // Outside G1 > 0, within the prism the others < 0.
    sn_clearance_state s = {.x = {{0.2, 0.3, 0.5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    assert_int_equal(sn_clearances(SN_VERTEX_FACE, &s, g, d), 4);
    assert_true(g[0] == 0.5 && g[1] < 0.0 && g[2] < 0.0 && g[3] < 0.0);
    double weights[4];
    s.x[0].z = 0.0;
    sn_clearance_weights(SN_VERTEX_FACE, s.x, weights);
    assert_true(fabs(weights[1] - 0.5) < 1e-15 && fabs(weights[2] - 0.2) < 1e-15 &&
                fabs(weights[3] - 0.3) < 1e-15);
}

static void test_edge_edge(void **state)
{
    (void)state;
    // Section 4.3 of the digest: along x with its body below, along y at height h with its body
    // above: G1 = -4 h, and g2 < 0, g3 > 0, g4 < 0, g5 > 0.
    sn_clearance_state a = {
        .x = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0.5}, {0, 1, 0.5}, {0, 0, -1}, {0, 0, 1.5}}};
    double g[5], d[5], u, weights[4];
    assert_int_equal(sn_clearances(SN_EDGE_EDGE, &a, g, d), 5);
    assert_true(g[0] == -2.0 && g[1] < 0.0 && g[2] > 0.0 && g[3] < 0.0 && g[4] > 0.0);
    sn_clearance_state b = a;
    for (int k = 2; k < 6; k += k == 3 ? 2 : 1) { // the upper body falls by 2
        a.v[k].z = b.v[k].z = -2.0;
        b.x[k].z -= 2.0;
    }
    assert_true(sn_clearance_event(SN_EDGE_EDGE, &a, &b, 1.0, &u) && fabs(u - 0.25) < 1e-12);
    // Back again they part, which is no meeting.
    for (int k = 0; k < 6; ++k) {
        a.v[k].z = -a.v[k].z;
        b.v[k].z = -b.v[k].z;
    }
    assert_false(sn_clearance_event(SN_EDGE_EDGE, &b, &a, 1.0, &u));
    // With its body below, too, it is nested and no first contact; beside, they do not cross.
    for (int k = 0; k < 6; ++k) {
        a.v[k].z = -a.v[k].z;
        b.v[k].z = -b.v[k].z;
    }
    sn_clearance_state nested_a = a, nested_b = b;
    nested_a.x[5].z -= 2.0;
    nested_b.x[5].z -= 2.0;
    assert_false(sn_clearance_event(SN_EDGE_EDGE, &nested_a, &nested_b, 1.0, &u));
    for (int k = 2; k < 6; k += k == 3 ? 2 : 1) {
        a.x[k].x += 1.5;
        b.x[k].x += 1.5;
    }
    assert_false(sn_clearance_event(SN_EDGE_EDGE, &a, &b, 1.0, &u));
    sn_vec3 x[4] = {{0, 0, 0}, {4, 0, 0}, {1, -1, 0}, {1, 3, 0}};
    sn_clearance_weights(SN_EDGE_EDGE, x, weights);
    assert_true(weights[0] == 0.75 && weights[1] == 0.25 && weights[2] == 0.75);
}

// ---- lists ----

static int compare_pairs(const void *first, const void *second)
{
    const sn_sweep_pair *x = first, *y = second;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static bool not_multiples(const void *context, int a, int b)
{
    (void)context;
    return (a + b) % 7 != 0;
}

static void check_list(const sn_sweep_list *list, bool filtered)
{
    qsort(list->pairs.data, (size_t)list->pairs.count, sizeof *list->pairs.data, compare_pairs);
    int next = 0;
    for (int a = 0; a < list->count; ++a) {
        for (int b = a + 1; b < list->count; ++b) {
            bool paired = list->split == list->count || (a < list->split && b >= list->split);
            if (!paired || !sn_boxes_meet(&list->boxes[a], &list->boxes[b]) ||
                (filtered && !not_multiples(NULL, a, b))) {
                continue;
            }
            assert_true(next < list->pairs.count);
            assert_true(list->pairs.data[next].a == a && list->pairs.data[next].b == b);
            next += 1;
        }
    }
    assert_int_equal(next, list->pairs.count);
}

static void test_lists(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    sn_random random = {.seed = 3};
    for (int run = 0; run < 6; ++run) {
        sn_sweep_list list;
        assert_true(sn_sweep_list_create(&list, COUNT, run % 2 == 0 ? COUNT : 25));
        sn_vec3 x[COUNT], v[COUNT];
        for (int i = 0; i < COUNT; ++i) {
            x[i] = random_vector(&random, 1.0);
            v[i] = random_vector(&random, run < 4 ? 0.05 : 1.0);
        }
        int most = 0;
        for (int step = 0; step < 60; ++step) {
            for (int i = 0; i < COUNT; ++i) {
                x[i] = sn_vec3_add(x[i], v[i]);
                v[i] = sn_vec3_add_scaled(v[i], -0.1, x[i]);
                // Sizes of a grid's multiple: ends that are equal happen often.
                sn_vec3 at = {floor(8.0 * x[i].x) / 8.0, floor(8.0 * x[i].y) / 8.0, x[i].z};
                list.boxes[i].lower = at;
                list.boxes[i].upper = sn_vec3_add(at, sn_vec3_make(0.25, 0.5, 0.4));
            }
            assert_true(sn_sweep_list_update(&list, run < 2 ? not_multiples : NULL, NULL));
            check_list(&list, run < 2);
            most = list.pairs.count > most ? list.pairs.count : most;
        }
        assert_true(most > 10 && list.swaps > 0);
        sn_sweep_list_free(&list);
    }
}

// ---- bodies ----

static sn_tetrahedra *make_box(sn_vec3 size, int nx, int ny, int nz, sn_tetrahedra_cell cell)
{
    sn_tetrahedra_box box = sn_default_tetrahedra_box();
    sn_tetrahedra *mesh = NULL;
    box.size = size;
    box.cells[0] = nx;
    box.cells[1] = ny;
    box.cells[2] = nz;
    box.cell = cell;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    return mesh;
}

static int64_t count_relevant(const sn_tetrahedra *const *meshes, int count)
{
    sn_meetings *meetings = NULL;
    int64_t faces, edges;
    assert_int_equal(sn_meetings_create(meshes, count, &meetings, NULL), SN_OK);
    sn_meetings_count_relevant(meetings, &faces, &edges);
    sn_meetings_destroy(meetings);
    return faces + edges;
}

static void test_relevant_pairs(void **state)
{
    (void)state;
    sn_tetrahedra *cube = make_box(sn_vec3_make(1, 1, 1), 1, 1, 1, SN_CELL_SIX), *torus = NULL;
    const sn_tetrahedra *one[1] = {cube};
    assert_int_equal(count_relevant(one, 1), 123);
    sn_tetrahedra_release(cube);
    sn_tetrahedra_torus def = sn_default_tetrahedra_torus();
    assert_int_equal(sn_tetrahedra_make_torus(&def, &torus, NULL), SN_OK);
    one[0] = torus;
    assert_int_equal(count_relevant(one, 1), 162800);
    sn_tetrahedra_release(torus);
    for (int mirrored = 0; mirrored < 2; ++mirrored) { // the trampoline, its cube and its ball
        sn_tetrahedra_cell cell = mirrored ? SN_CELL_SIX_MIRRORED : SN_CELL_SIX;
        sn_tetrahedra *meshes[3] = {make_box(sn_vec3_make(8, 8, 2), 8, 8, 2, cell),
                                    make_box(sn_vec3_make(2, 2, 2), 2, 2, 2, cell), NULL};
        assert_int_equal(sn_tetrahedra_make_sphere(1.0, 1, &meshes[2], NULL), SN_OK);
        int64_t count = count_relevant((const sn_tetrahedra *const *)meshes, 3);
        assert_int_equal(count, mirrored ? 329315 : 329363);
        for (int i = 0; i < 3; ++i) {
            sn_tetrahedra_release(meshes[i]);
        }
    }
}

typedef struct scene {
    sn_tetrahedra *meshes[2];
    sn_meetings *meetings;
    int first, count; // vertices of the first body, of both
    double *x_a, *v_a, *x_b, *v_b;
    sn_meeting_motion motion;
} scene;

static sn_tetrahedra *with_ten_nodes(sn_tetrahedra *mesh)
{
    sn_tetrahedra *made = NULL;
    assert_int_equal(sn_tetrahedra_quadratic(mesh, &made, NULL), SN_OK);
    sn_tetrahedra_release(mesh);
    return made;
}

// Elements of ten nodes count with all of them: an element alone meets nothing, two meet in every
// vertex, triangle and edge between nodes that they have outside.
static void test_ten_nodes(void **state)
{
    (void)state;
    const sn_vec3 corners[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
    const int elements[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int count = 1; count < 3; ++count) {
        sn_tetrahedra_def def = sn_default_tetrahedra_def();
        def.positions = corners;
        def.vertex_count = 4 * count;
        def.elements = elements;
        def.element_count = count;
        sn_tetrahedra *mesh = NULL;
        assert_int_equal(sn_tetrahedra_create(&def, &mesh, NULL), SN_OK);
        mesh = with_ten_nodes(mesh);
        const sn_tetrahedra *one[1] = {mesh};
        assert_int_equal(count_relevant(one, 1), count == 1 ? 0 : 2 * 10 * 16 + 24 * 24);
        sn_tetrahedra_release(mesh);
    }
}

static scene make_scene(int stride, bool ten_nodes)
{
    scene s = {.meshes = {make_box(sn_vec3_make(1, 1, 0.3), 2, 2, 1, SN_CELL_SIX), NULL}};
    assert_int_equal(sn_tetrahedra_make_sphere(0.3, 1, &s.meshes[1], NULL), SN_OK);
    if (ten_nodes) {
        s.meshes[1] = with_ten_nodes(s.meshes[1]);
    }
    assert_int_equal(
        sn_meetings_create((const sn_tetrahedra *const *)s.meshes, 2, &s.meetings, NULL), SN_OK);
    s.first = sn_tetrahedra_vertex_count(s.meshes[0]);
    s.count = s.first + sn_tetrahedra_vertex_count(s.meshes[1]);
    size_t bytes = (size_t)s.count * (size_t)stride * sizeof(double);
    s.x_a = sn_allocate_zero(bytes);
    s.v_a = sn_allocate_zero(bytes);
    s.x_b = sn_allocate_zero(bytes);
    s.v_b = sn_allocate_zero(bytes);
    for (int v = 0; v < s.count; ++v) {
        bool second = v >= s.first;
        sn_vec3 x = sn_tetrahedra_positions(s.meshes[second])[second ? v - s.first : v];
        x.z += second ? 0.6 : 0.0;
        sn_vec3_put(s.x_a + (size_t)v * (size_t)stride, x);
    }
    s.motion = (sn_meeting_motion){s.x_a, s.v_a, s.x_b, s.v_b, stride, 0.1};
    return s;
}

static void free_scene(scene *s)
{
    sn_meetings_destroy(s->meetings);
    sn_tetrahedra_release(s->meshes[0]);
    sn_tetrahedra_release(s->meshes[1]);
    sn_free(s->x_a);
    sn_free(s->v_a);
    sn_free(s->x_b);
    sn_free(s->v_b);
}

static void check_same(const sn_meeting *a, const sn_meeting *b)
{
    assert_int_equal(a->found, b->found);
    if (a->found) {
        assert_true(a->kind == b->kind && a->a == b->a && a->b == b->b && a->u == b->u);
        assert_memory_equal(a->vertices, b->vertices, sizeof a->vertices);
        assert_memory_equal(a->weights, b->weights, sizeof a->weights);
    }
}

// The first event of sorted lists is that of all pairs, step by step as bodies move wildly, and
// pairs in contact are left alone in both.
static void test_first_event(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    int found[2] = {0, 0}, steps = 0;
    for (int run = 0; run < 10; ++run) {
        int stride = run % 2 == 0 ? 4 : 3;
        scene s = make_scene(stride, run > 7);
        size_t numbers = (size_t)s.count * (size_t)stride;
        for (int step = 0; step < 12; ++step, ++steps) {
            for (int v = 0; v < s.count; ++v) {
                size_t at = (size_t)v * (size_t)stride;
                sn_vec3 pull = {0.0, 0.0, v >= s.first ? -0.3 : 0.1};
                sn_vec3 x = sn_vec3_at(s.x_a + at);
                sn_vec3_put(s.x_b + at, sn_vec3_add(sn_vec3_add(x, random_vector(&random, 0.04)),
                                                    sn_vec3_scale(s.motion.h, pull)));
                sn_vec3_put(s.v_b + at, sn_vec3_add(pull, random_vector(&random, 0.5)));
            }
            sn_meeting meeting, by_force;
            assert_int_equal(sn_meetings_find(s.meetings, &s.motion, &meeting, NULL), SN_OK);
            sn_meetings_find_by_force(s.meetings, &s.motion, &by_force);
            check_same(&meeting, &by_force);
            if (meeting.found) {
                found[meeting.kind] += 1;
                assert_true(meeting.u >= 0.0 && meeting.u <= 1.0);
                assert_int_equal(sn_meetings_ignore(s.meetings, &meeting, true, NULL), SN_OK);
                sn_meeting next;
                assert_int_equal(sn_meetings_find(s.meetings, &s.motion, &next, NULL), SN_OK);
                assert_true(!next.found || next.u >= meeting.u);
                assert_true(!next.found || next.kind != meeting.kind || next.a != meeting.a ||
                            next.b != meeting.b);
                if (step % 2 == 0) { // and found again when it is taken back
                    assert_int_equal(sn_meetings_ignore(s.meetings, &meeting, false, NULL), SN_OK);
                    assert_int_equal(sn_meetings_find(s.meetings, &s.motion, &next, NULL), SN_OK);
                    check_same(&next, &by_force);
                }
            }
            memcpy(s.x_a, s.x_b, numbers * sizeof *s.x_a);
            memcpy(s.v_a, s.v_b, numbers * sizeof *s.v_a);
        }
        free_scene(&s);
    }
    assert_true(found[SN_VERTEX_FACE] > 5 && found[SN_EDGE_EDGE] > 5);
}

// A ball that falls freely on a plate: the time is that of the parabola, exactly, since its cubic
// is the parabola itself; the weights say where.
static void test_fall(void **state)
{
    (void)state;
    scene s = make_scene(3, false);
    double lowest = INFINITY;
    for (int v = s.first; v < s.count; ++v) {
        lowest = fmin(lowest, s.x_a[3 * v + 2]);
    }
    s.motion.h = 0.4;
    for (int v = 0; v < s.count; ++v) {
        double g = v >= s.first ? 9.81 : 0.0;
        memcpy(s.x_b + 3 * v, s.x_a + 3 * v, 3 * sizeof *s.x_b);
        if (v >= s.first) { // off the plate's seams
            s.x_a[3 * v] += 0.05;
            s.x_a[3 * v + 1] += 0.02;
            memcpy(s.x_b + 3 * v, s.x_a + 3 * v, 3 * sizeof *s.x_b);
        }
        s.x_b[3 * v + 2] -= 0.5 * g * s.motion.h * s.motion.h;
        s.v_b[3 * v + 2] = -g * s.motion.h;
    }
    sn_meeting meeting;
    assert_int_equal(sn_meetings_find(s.meetings, &s.motion, &meeting, NULL), SN_OK);
    assert_true(meeting.found && meeting.kind == SN_VERTEX_FACE);
    double time = sqrt(2.0 * (lowest - 0.15) / 9.81);
    assert_true(fabs(meeting.u * s.motion.h - time) < 1e-10);
    assert_true(meeting.vertices[0] >= s.first && meeting.vertices[1] < s.first);
    double x = 0.0, weight = 0.0;
    for (int k = 1; k < 4; ++k) {
        x += meeting.weights[k] * s.x_a[3 * meeting.vertices[k]];
        weight += meeting.weights[k];
    }
    assert_true(fabs(x - s.x_a[3 * meeting.vertices[0]]) < 1e-10 && fabs(weight - 1.0) < 1e-12);
    assert_true(sn_meetings_candidate_count(s.meetings) > 0);
    free_scene(&s);
}

static void test_memory(void **state)
{
    (void)state;
    scene s = make_scene(3, false);
    memcpy(s.x_b, s.x_a, 3 * (size_t)s.count * sizeof *s.x_b);
    sn_status status = SN_ERROR_MEMORY;
    for (int after = 0; status != SN_OK; ++after) {
        assert_true(after < 400);
        sn_meetings *meetings = NULL;
        sn_meeting meeting, again;
        sn_error error = {0};
        sn_allocation_fail_after(after);
        status = sn_meetings_create((const sn_tetrahedra *const *)s.meshes, 2, &meetings, &error);
        assert_true((status == SN_OK) == (meetings != NULL));
        if (status == SN_OK) {
            status = sn_meetings_find(meetings, &s.motion, &meeting, &error);
            sn_allocation_fail_after(-1);
            // What failed works the next time.
            assert_int_equal(sn_meetings_find(meetings, &s.motion, &again, NULL), SN_OK);
            uint64_t asked = sn_allocation_count();
            assert_int_equal(sn_meetings_find(meetings, &s.motion, &again, NULL), SN_OK);
            assert_true(sn_allocation_count() == asked);
        }
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
        sn_meetings_destroy(meetings);
    }
    sn_meetings_destroy(NULL);
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubic),       cmocka_unit_test(test_rates),
        cmocka_unit_test(test_vertex_face), cmocka_unit_test(test_edge_edge),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_relevant_pairs),
        cmocka_unit_test(test_ten_nodes),   cmocka_unit_test(test_first_event),
        cmocka_unit_test(test_fall),        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
