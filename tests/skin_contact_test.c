// Contacts of skins: each place once, gaps and sides against the nearest of all faces, closed forms
// of boxes on boxes, thin walls, threads, memory that runs out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collide/skin_contact.h"
#include "skin_body.h"

static void find(sn_skin_contacts *contacts, sn_skin *const *skins, int count,
                 sn_skin_contact_options options)
{
    sn_skin_pairs pairs = {0};
    assert_int_equal(sn_skin_pairs_find(&pairs, skins, count, SN_SKIN_ALL, NULL, NULL), SN_OK);
    assert_int_equal(sn_skin_contacts_find(contacts, skins, &pairs, &options, NULL, NULL), SN_OK);
    sn_skin_pairs_free(&pairs);
}

static int count_kind(const sn_skin_contacts *contacts, sn_skin_contact_kind kind)
{
    int count = 0;
    for (int i = 0; i < contacts->found.count; ++i) {
        count += contacts->found.data[i].kind == kind;
    }
    return count;
}

// Weights, points, normal and gap agree with each other.
static void check_contact(const skin_body *bodies, const sn_skin_contact *c)
{
    sn_vec3 sums[2] = {SN_VEC3_ZERO, SN_VEC3_ZERO};
    double weights[2] = {0.0, 0.0};
    for (int k = 0; k < c->count_a + c->count_b; ++k) {
        int side = k >= c->count_a;
        const skin_body *body = &bodies[side == 0 ? c->skin_a : c->skin_b];
        sn_vec3 x = sn_vec3_at(body->x + SKIN_STRIDE * (size_t)c->vertices[k]);
        assert_true(c->weights[k] > 0.0);
        weights[side] += c->weights[k];
        sums[side] = sn_vec3_add_scaled(sums[side], c->weights[k], x);
    }
    assert_true(fabs(weights[0] - 1.0) < 1e-12 && fabs(weights[1] - 1.0) < 1e-12);
    assert_true(sn_distance(sums[0], c->on_a) < 1e-12 && sn_distance(sums[1], c->on_b) < 1e-12);
    assert_true(fabs(sn_length(c->normal) - 1.0) < 1e-12);
    sn_vec3 back = sn_vec3_add_scaled(c->on_b, c->gap, c->normal);
    assert_true(sn_distance(back, c->on_a) < 1e-10);
}

// ---- boxes on boxes ----

static void test_box_on_box(void **state)
{
    (void)state;
    const double scales[3] = {1.0, 0.01, 100.0};
    for (int s = 0; s < 3; ++s) {
        double scale = scales[s];
        skin_body bodies[2] = {skin_body_box(sn_vec3_make(scale, scale, scale), 2),
                               skin_body_box(sn_vec3_make(scale, scale, scale), 2)};
        sn_skin *skins[2] = {bodies[0].skin, bodies[1].skin};
        sn_skin_contacts contacts = {0};
        sn_skin_contact_options options = {.distance = 0.02 * scale};
        // Vertex over vertex: nine couples, each once.
        skin_body_move(&bodies[1], sn_vec3_make(0.0, 0.0, 1.01 * scale));
        sn_skin_place(skins[0], bodies[0].x, NULL, options.distance);
        sn_skin_place(skins[1], bodies[1].x, NULL, options.distance);
        find(&contacts, skins, 2, options);
        assert_int_equal(contacts.found.count, 9);
        assert_int_equal(count_kind(&contacts, SN_CONTACT_VERTEX_VERTEX), 9);
        // Moved aside: the vertices of each that are over the other, and where rims cross. The
        // upper box covers -0.4 .. 0.6 and -0.43 .. 0.57 of the lower: 4 of its 9 vertices and 4 of
        // the other's have something below or above.
        skin_body_move(&bodies[1], sn_vec3_make(0.1 * scale, 0.07 * scale, 0.0));
        sn_skin_place(skins[1], bodies[1].x, NULL, options.distance);
        find(&contacts, skins, 2, options);
        int over_faces = count_kind(&contacts, SN_CONTACT_VERTEX_FACE);
        assert_int_equal(over_faces + count_kind(&contacts, SN_CONTACT_VERTEX_EDGE), 8);
        assert_int_equal(count_kind(&contacts, SN_CONTACT_EDGE_EDGE), 2);
        assert_int_equal(count_kind(&contacts, SN_CONTACT_VERTEX_VERTEX), 0);
        for (int i = 0; i < contacts.found.count; ++i) {
            const sn_skin_contact *c = &contacts.found.data[i];
            assert_true(fabs(c->gap - 0.01 * scale) < 1e-12 * scale);
            assert_true(fabs(c->normal.z - (c->skin_a == 1 ? 1.0 : -1.0)) < 1e-9);
        }
        options.flat_edges = true;
        find(&contacts, skins, 2, options);
        assert_true(count_kind(&contacts, SN_CONTACT_EDGE_EDGE) > 10);
        options.flat_edges = false;
        // Sunk in by a hundredth: the same vertices and rims, negative; the sides' vertices are out
        // of reach.
        skin_body_move(&bodies[1], sn_vec3_make(0.0, 0.0, -0.02 * scale));
        sn_skin_place(skins[1], bodies[1].x, NULL, options.distance);
        find(&contacts, skins, 2, options);
        int inside = 0;
        for (int i = 0; i < contacts.found.count; ++i) {
            const sn_skin_contact *c = &contacts.found.data[i];
            if (c->kind == SN_CONTACT_EDGE_EDGE) {
                assert_true(c->gap < 0.0);
            } else if (c->gap < 0.0) {
                inside += 1;
                assert_true(fabs(c->gap + 0.01 * scale) < 1e-12 * scale);
                assert_true(fabs(c->normal.z - (c->skin_a == 1 ? 1.0 : -1.0)) < 1e-9);
            }
        }
        assert_int_equal(inside, 8);
        sn_skin_contacts_free(&contacts);
        skin_body_free(&bodies[0]);
        skin_body_free(&bodies[1]);
    }
}

// ---- anything ----

static double nearest_of_all(const sn_skin *skin, sn_vec3 x)
{
    double best = INFINITY;
    for (int f = 0; f < skin->face_count; ++f) {
        sn_vec3 p[4] = {x};
        sn_skin_face(skin, f, p + 1);
        best = fmin(best, sn_pair_find_nearest(SN_VERTEX_FACE, p).square);
    }
    return sqrt(best);
}

// The contact of vertex v of skin a with skin b that is nearest, and how many it has.
static const sn_skin_contact *nearest_contact(const sn_skin_contacts *contacts, int a, int v, int b,
                                              int *count)
{
    const sn_skin_contact *best = NULL;
    *count = 0;
    for (int i = 0; i < contacts->found.count; ++i) {
        const sn_skin_contact *c = &contacts->found.data[i];
        bool mirrored =
            c->kind == SN_CONTACT_VERTEX_VERTEX && c->skin_a == b && c->skin_b == a && c->b == v;
        if (mirrored ||
            (c->kind != SN_CONTACT_EDGE_EDGE && c->skin_a == a && c->skin_b == b && c->a == v)) {
            *count += 1;
            best = best == NULL || fabs(c->gap) < fabs(best->gap) ? c : best;
        }
    }
    return best;
}

// Two shaken balls, apart and one in the other a little: every vertex has its nearest point, with
// its side; every edge contact is a local least of two edges.
static void test_balls(void **state)
{
    (void)state;
    int inside = 0, outside = 0, edges = 0;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        sn_random random = {.seed = seed};
        skin_body bodies[2] = {skin_body_ball(0.5, 4), skin_body_ball(0.4, 3)};
        sn_skin *skins[2] = {bodies[0].skin, bodies[1].skin};
        double far = 0.9 + (seed % 2 == 0 ? 0.01 : -0.03);
        skin_body_move(&bodies[1], sn_vec3_make(far * 0.6, 0.0, far * 0.8));
        sn_skin_contact_options options = {.distance = 0.05};
        for (int i = 0; i < 2; ++i) {
            skin_body_shake(&bodies[i], &random, 0.01, SN_VEC3_ZERO);
            sn_skin_place(skins[i], bodies[i].x, NULL, 0.5 * options.distance);
        }
        sn_skin_contacts contacts = {0};
        find(&contacts, skins, 2, options);
        for (int i = 0; i < contacts.found.count; ++i) {
            check_contact(bodies, &contacts.found.data[i]);
            edges += contacts.found.data[i].kind == SN_CONTACT_EDGE_EDGE;
        }
        for (int i = 0; i < 2; ++i) {
            for (int v = 0; v < skins[i]->vertex_count; ++v) {
                sn_vec3 x = sn_skin_from(skins[i], v);
                double all = nearest_of_all(skins[1 - i], x), weights[3], signed_one;
                int count;
                const sn_skin_contact *c = nearest_contact(&contacts, i, v, 1 - i, &count);
                assert_true((c != NULL) == (all <= options.distance));
                if (c == NULL) {
                    continue;
                }
                assert_true(fabs(fabs(c->gap) - all) < 1e-12);
                sn_skin_nearest(skins[1 - i], x, 1.0, weights, &signed_one);
                assert_true(fabs(c->gap - signed_one) < 1e-12);
                assert_true(c->gap >= 0.0 || count == 1);
                *(c->gap < 0.0 ? &inside : &outside) += 1;
            }
        }
        sn_skin_contacts_free(&contacts);
        skin_body_free(&bodies[0]);
        skin_body_free(&bodies[1]);
    }
    assert_true(inside > 10 && outside > 50 && edges > 8);
}

// Over the inside of a flat surface a vertex has one contact wherever it is, seams included.
static void test_seams(void **state)
{
    (void)state;
    skin_body bodies[2] = {skin_body_box(sn_vec3_make(1.0, 1.0, 1.0), 4), skin_body_ball(0.2, 1)};
    sn_skin *skins[2] = {bodies[0].skin, bodies[1].skin};
    sn_skin_place(skins[0], bodies[0].x, NULL, 0.1);
    // A needle: its lowest vertex is what is near.
    int lowest = 0;
    for (int v = 1; v < bodies[1].count; ++v) {
        double *x = bodies[1].x + SKIN_STRIDE * (size_t)v;
        lowest = x[2] < bodies[1].x[SKIN_STRIDE * (size_t)lowest + 2] ? v : lowest;
        x[2] += 1.5;
    }
    sn_skin_contacts contacts = {0};
    for (int i = 0; i <= 16; ++i) {
        for (int k = 0; k <= 16; ++k) {
            double *x = bodies[1].x + SKIN_STRIDE * (size_t)lowest;
            sn_vec3_put(x, sn_vec3_make(-0.3 + 0.6 * i / 16, -0.3 + 0.6 * k / 16, 0.55));
            sn_skin_place(skins[1], bodies[1].x, NULL, 0.1);
            find(&contacts, skins, 2, (sn_skin_contact_options){.distance = 0.2});
            int count = 0;
            for (int c = 0; c < contacts.found.count; ++c) {
                const sn_skin_contact *at = &contacts.found.data[c];
                bool is_lowest =
                    at->kind != SN_CONTACT_EDGE_EDGE &&
                    (at->skin_a == 1 ? at->vertices[0] == lowest
                                     : at->vertices[at->count_a] == lowest && at->count_b == 1);
                if (is_lowest && at->skin_a == 1) {
                    count += 1;
                    assert_true(fabs(at->gap - 0.05) < 1e-12);
                } else if (is_lowest && fabs(at->on_a.x - x[0]) < 1e-9 &&
                           fabs(at->on_a.y - x[1]) < 1e-9) {
                    count += 1; // a vertex right below it, seen from there
                }
            }
            assert_int_equal(count, 1);
        }
    }
    sn_skin_contacts_free(&contacts);
    skin_body_free(&bodies[0]);
    skin_body_free(&bodies[1]);
}

// A plate thinner than the distance asked for touches neither itself nor what is behind it.
static void test_thin_wall(void **state)
{
    (void)state;
    skin_body bodies[2] = {skin_body_box(sn_vec3_make(1.0, 1.0, 0.02), 3),
                           skin_body_box(sn_vec3_make(0.5, 0.5, 0.02), 3)};
    sn_skin *skins[2] = {bodies[0].skin, bodies[1].skin};
    skin_body_move(&bodies[1], sn_vec3_make(0.03, 0.05, 0.03));
    sn_skin_contact_options options = {.distance = 0.08};
    for (int i = 0; i < 2; ++i) {
        sn_skin_place(skins[i], bodies[i].x, NULL, options.distance);
    }
    sn_skin_contacts contacts = {0};
    find(&contacts, skins, 2, options);
    int others = 0;
    for (int i = 0; i < contacts.found.count; ++i) {
        const sn_skin_contact *c = &contacts.found.data[i];
        assert_true(c->gap > 0.0);
        others += c->skin_a != c->skin_b;
    }
    assert_true(others > 16);
    sn_skin_contacts_free(&contacts);
    skin_body_free(&bodies[0]);
    skin_body_free(&bodies[1]);
}

// Two balls in one skin: as two skins do.
static void test_self(void **state)
{
    (void)state;
    skin_body bodies[2] = {skin_body_ball(0.5, 3), skin_body_ball(0.4, 3)};
    sn_skin *skins[2] = {bodies[0].skin, bodies[1].skin};
    for (int sunk = 0; sunk < 2; ++sunk) {
        skin_body_move(&bodies[1], sn_vec3_make(0.0, 0.0, sunk == 0 ? 0.91 : -0.03));
        sn_skin_contact_options options = {.distance = 0.04};
        int faces_a = skins[0]->face_count, faces_b = skins[1]->face_count;
        int *faces = sn_allocate(3 * (size_t)(faces_a + faces_b) * sizeof *faces);
        int count = bodies[0].count + bodies[1].count;
        double *rest = sn_allocate((size_t)count * SKIN_STRIDE * sizeof *rest);
        double *x = sn_allocate((size_t)count * SKIN_STRIDE * sizeof *x);
        for (int i = 0; i < 3 * (faces_a + faces_b); ++i) {
            const sn_skin *skin = i < 3 * faces_a ? skins[0] : skins[1];
            int own = skin->faces[i < 3 * faces_a ? i : i - 3 * faces_a];
            faces[i] = skin->vertices[own] + (i < 3 * faces_a ? 0 : bodies[0].count);
        }
        for (int i = 0; i < count * SKIN_STRIDE; ++i) {
            int first = bodies[0].count * SKIN_STRIDE;
            x[i] = i < first ? bodies[0].x[i] : bodies[1].x[i - first];
            rest[i] = x[i] + (i >= first && i % SKIN_STRIDE == 0 ? 5.0 : 0.0); // far apart
        }
        sn_skin_def def = {.faces = faces,
                           .face_count = faces_a + faces_b,
                           .positions = rest,
                           .vertex_count = count,
                           .stride = SKIN_STRIDE};
        sn_skin *both = NULL;
        assert_int_equal(sn_skin_create(&def, &both, NULL), SN_OK);
        sn_skin_place(both, x, NULL, options.distance);
        sn_skin_contacts one = {0}, two = {0};
        find(&one, &both, 1, options);
        for (int i = 0; i < 2; ++i) {
            sn_skin_place(skins[i], bodies[i].x, NULL, options.distance);
        }
        find(&two, skins, 2, options);
        assert_true(two.found.count > 3 && one.found.count == two.found.count);
        double gaps[2] = {0.0, 0.0}, least = INFINITY;
        for (int i = 0; i < one.found.count; ++i) {
            gaps[0] += one.found.data[i].gap;
            gaps[1] += two.found.data[i].gap;
            least = fmin(least, one.found.data[i].gap);
        }
        assert_true(fabs(gaps[0] - gaps[1]) < 1e-12 && (least < 0.0) == (sunk == 1));
        sn_skin_contacts_free(&one);
        sn_skin_contacts_free(&two);
        sn_skin_destroy(both);
        sn_free(faces);
        sn_free(rest);
        sn_free(x);
    }
    skin_body_free(&bodies[0]);
    skin_body_free(&bodies[1]);
}

// A sheet has no inside: a ball is pushed to the side on which it is, and by the rim away from it.
static void test_sheet(void **state)
{
    (void)state;
    const double x[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const int faces[6] = {0, 1, 2, 0, 2, 3};
    sn_skin_def def = {
        .faces = faces, .face_count = 2, .positions = x, .vertex_count = 4, .stride = 3};
    sn_skin *sheet = NULL;
    assert_int_equal(sn_skin_create(&def, &sheet, NULL), SN_OK);
    sn_skin_contact_options options = {.distance = 0.05};
    for (int side = -1; side <= 1; side += 2) {
        skin_body ball = skin_body_ball(0.5, 1);
        double reach = 0.0; // of the icosahedron along z
        for (int v = 0; v < ball.count; ++v) {
            reach = fmax(reach, ball.x[SKIN_STRIDE * (size_t)v + 2]);
        }
        skin_body_move(&ball, sn_vec3_make(0.3, 0.1, side * (reach + 0.01)));
        sn_skin *skins[2] = {sheet, ball.skin};
        sn_skin_place(sheet, x, NULL, options.distance);
        sn_skin_place(ball.skin, ball.x, NULL, options.distance);
        sn_skin_contacts contacts = {0};
        find(&contacts, skins, 2, options);
        assert_true(contacts.found.count >= 1);
        for (int i = 0; i < contacts.found.count; ++i) {
            const sn_skin_contact *c = &contacts.found.data[i];
            assert_true(fabs(c->gap - 0.01) < 1e-12);
            assert_true(fabs(c->normal.z - (c->skin_a == 1 ? side : -side)) < 1e-12);
        }
        // Beside the rim, at its height: along x.
        double most = -INFINITY;
        for (int v = 0; v < ball.count; ++v) {
            most = fmax(most, ball.x[SKIN_STRIDE * (size_t)v]);
        }
        skin_body_move(&ball, sn_vec3_make(-1.03 - most, 0.0, -side * (reach + 0.01)));
        sn_skin_place(ball.skin, ball.x, NULL, options.distance);
        find(&contacts, skins, 2, options);
        assert_true(contacts.found.count >= 1);
        for (int i = 0; i < contacts.found.count; ++i) {
            const sn_skin_contact *c = &contacts.found.data[i];
            assert_true(c->gap > 0.02999 && c->kind != SN_CONTACT_VERTEX_VERTEX);
            assert_true((c->skin_a == 1 ? -c->normal.x : c->normal.x) > 0.5);
        }
        sn_skin_contacts_free(&contacts);
        skin_body_free(&ball);
    }
    sn_skin_destroy(sheet);
}

static void test_threads_and_memory(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    skin_body bodies[2] = {skin_body_ball(0.5, 4), skin_body_ball(0.4, 3)};
    sn_skin *skins[2] = {bodies[0].skin, bodies[1].skin};
    skin_body_move(&bodies[1], sn_vec3_make(0.0, 0.5, 0.7));
    for (int i = 0; i < 2; ++i) {
        skin_body_shake(&bodies[i], &random, 0.01, SN_VEC3_ZERO);
        sn_skin_place(skins[i], bodies[i].x, NULL, 0.05);
    }
    sn_skin_contact_options options = {.distance = 0.1};
    sn_skin_pairs pairs = {0};
    sn_skin_contacts first = {0}, again = {0};
    assert_int_equal(sn_skin_pairs_find(&pairs, skins, 2, SN_SKIN_ALL, NULL, NULL), SN_OK);
    assert_int_equal(sn_skin_contacts_find(&first, skins, &pairs, &options, NULL, NULL), SN_OK);
    assert_true(first.found.count > 20);
    for (int n = 2; n <= 4; n += 2) {
        sn_threads *threads = NULL;
        assert_int_equal(sn_threads_create(n, &threads, NULL), SN_OK);
        assert_int_equal(sn_skin_contacts_find(&again, skins, &pairs, &options, threads, NULL),
                         SN_OK);
        assert_int_equal(first.found.count, again.found.count);
        for (int i = 0; i < first.found.count; ++i) {
            const sn_skin_contact *x = &first.found.data[i], *y = &again.found.data[i];
            assert_true(x->a == y->a && x->b == y->b && x->kind == y->kind && x->gap == y->gap &&
                        x->normal.x == y->normal.x && x->weights[1] == y->weights[1]);
        }
        sn_threads_destroy(threads);
    }
    sn_skin_contacts_free(&again);
    sn_status status = SN_ERROR_MEMORY;
    for (int after = 0; status != SN_OK; ++after) {
        assert_true(after < 300);
        sn_error error = {0};
        sn_allocation_fail_after(after);
        status = sn_skin_contacts_find(&again, skins, &pairs, &options, NULL, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (error.code == SN_ERROR_MEMORY && again.found.count == 0));
        if (status != SN_OK) {
            sn_skin_contacts_free(&again);
        }
    }
    assert_int_equal(again.found.count, first.found.count);
    sn_skin_contacts_free(&first);
    sn_skin_contacts_free(&again);
    sn_skin_pairs_free(&pairs);
    skin_body_free(&bodies[0]);
    skin_body_free(&bodies[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_on_box),
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_seams),
        cmocka_unit_test(test_thin_wall),
        cmocka_unit_test(test_self),
        cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_threads_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
