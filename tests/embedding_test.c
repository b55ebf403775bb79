// Points bound to tetrahedra: found by a grid as by asking all, moved exactly by affine maps,
// forces as the transpose, normals.
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

enum { POINTS = 600 };

static sn_tetrahedra *make_mesh(int nodes)
{
    sn_tetrahedra *mesh = NULL, *curved = NULL;
    sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
    assert_int_equal(sn_tetrahedra_make_torus(&torus, &mesh, NULL), SN_OK);
    if (nodes == 4) {
        return mesh;
    }
    assert_int_equal(sn_tetrahedra_quadratic(mesh, &curved, NULL), SN_OK);
    sn_tetrahedra_release(mesh);
    return curved;
}

static void random_points(sn_random *random, sn_vec3 *points)
{
    for (int i = 0; i < POINTS; ++i) {
        double far = i % 10 == 0 ? 5.0 : 1.0;
        points[i] = (sn_vec3){far * sn_random_range(random, -1.4, 1.4),
                              far * sn_random_range(random, -1.4, 1.4),
                              far * sn_random_range(random, -0.5, 0.5)};
    }
}

static void test_affine_maps_carry_points(void **state)
{
    (void)state;
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        sn_random random = {.seed = 1};
        sn_tetrahedra *mesh = make_mesh(nodes);
        sn_vec3 points[POINTS], moved[POINTS];
        random_points(&random, points);
        sn_embedding embedding;
        sn_error error = {0};
        assert_int_equal(sn_embedding_create(mesh, points, POINTS, &embedding, &error), SN_OK);
        assert_true(embedding.outside_count > 200 && embedding.outside_count < 590);
        const sn_mat3 a = {{{1.2, 0.3, -0.1}, {0.05, 0.9, 0.2}, {-0.2, 0.1, 1.1}}};
        int vertices = sn_tetrahedra_vertex_count(mesh);
        double *x = calloc(4 * (size_t)vertices, sizeof *x), *f = calloc(4 * (size_t)vertices, 8);
        for (int i = 0; i < vertices; ++i) {
            sn_vec3_put(x + 4 * i, sn_mat3_apply(a, sn_tetrahedra_positions(mesh)[i]));
        }
        sn_embedding_apply(&embedding, x, 4, moved);
        for (int i = 0; i < POINTS; ++i) {
            assert_true(sn_distance(moved[i], sn_mat3_apply(a, points[i])) < 1e-12 * 10.0);
        }
        // Power of forces on points is that of the forces on vertices.
        double power = 0.0, other = 0.0;
        sn_embedding_add_forces(&embedding, points, 4, f);
        for (int i = 0; i < POINTS; ++i) {
            power += sn_dot(points[i], moved[i]);
        }
        for (int i = 0; i < 4 * vertices; ++i) {
            other += f[i] * x[i];
        }
        assert_true(fabs(power - other) < 1e-12 * fabs(power));
        free(x);
        free(f);
        sn_embedding_free(&embedding);
        sn_tetrahedra_release(mesh);
    }
}

// Squared distance of a point to an element, by brute force over a lattice of its points.
static double rough_distance(const sn_tetrahedra *mesh, int element, sn_vec3 p)
{
    const int *v = sn_tetrahedra_elements(mesh) + 4 * element;
    const sn_vec3 *x = sn_tetrahedra_positions(mesh);
    double least = INFINITY;
    enum { N = 12 };
    for (int a = 0; a <= N; ++a) {
        for (int b = 0; a + b <= N; ++b) {
            for (int c = 0; a + b + c <= N; ++c) {
                sn_vec3 q = sn_vec3_scale((double)(N - a - b - c) / N, x[v[0]]);
                q = sn_vec3_add_scaled(q, (double)a / N, x[v[1]]);
                q = sn_vec3_add_scaled(q, (double)b / N, x[v[2]]);
                q = sn_vec3_add_scaled(q, (double)c / N, x[v[3]]);
                least = fmin(least, sn_distance(p, q));
            }
        }
    }
    return least;
}

static void test_the_nearest_element_is_found(void **state)
{
    (void)state;
    sn_random random = {.seed = 2};
    sn_tetrahedra *mesh = make_mesh(4);
    sn_vec3 points[POINTS];
    random_points(&random, points);
    sn_embedding embedding;
    assert_int_equal(sn_embedding_create(mesh, points, POINTS, &embedding, NULL), SN_OK);
    int inside = 0;
    for (int i = 0; i < POINTS; i += 19) {
        double best = INFINITY, least = INFINITY;
        for (int e = 0; e < sn_tetrahedra_element_count(mesh); ++e) {
            best = fmin(best, rough_distance(mesh, e, points[i]));
        }
        double mine = rough_distance(mesh, embedding.elements[i], points[i]);
        for (int k = 0; k < 4; ++k) {
            least = fmin(least, embedding.weights[4 * i + k]);
        }
        inside += least >= 0.0;
        assert_true(mine <= best + 0.04); // of the lattice's points
        assert_true(best - 0.04 <= embedding.farthest);
    }
    assert_true(inside > 3);
    sn_embedding_free(&embedding);
    sn_tetrahedra_release(mesh);
}

// The mesh's own vertices are inside, and curved elements carry points that they bend.
static void test_vertices_and_curved_elements(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    sn_tetrahedra *mesh = make_mesh(10), *bent = NULL;
    int vertices = sn_tetrahedra_vertex_count(mesh);
    sn_vec3 *p = malloc((size_t)vertices * sizeof *p);
    for (int i = 0; i < vertices; ++i) {
        p[i] = sn_tetrahedra_positions(mesh)[i];
        for (double *c = &p[i].x; c <= &p[i].z; ++c) {
            *c += sn_random_range(&random, -0.005, 0.005);
        }
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = p;
    def.vertex_count = vertices;
    def.elements = sn_tetrahedra_elements(mesh);
    def.element_count = sn_tetrahedra_element_count(mesh);
    def.nodes = 10;
    sn_error error = {0};
    if (sn_tetrahedra_create(&def, &bent, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_embedding embedding;
    assert_int_equal(sn_embedding_create(bent, p, vertices, &embedding, &error), SN_OK);
    sn_vec3 *back = malloc((size_t)vertices * sizeof *back);
    sn_embedding_apply(&embedding, &p->x, 3, back);
    for (int i = 0; i < vertices; ++i) {
        assert_true(sn_distance(back[i], p[i]) < 1e-12);
    }
    assert_true(embedding.farthest < 0.02);
    free(back);
    free(p);
    sn_embedding_free(&embedding);
    sn_tetrahedra_release(mesh);
    sn_tetrahedra_release(bent);
}

static void test_normals_and_refusals(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_sphere(1.0, 16, &mesh, NULL), SN_OK);
    int count = sn_mesh_vertex_count(mesh);
    sn_vec3 *a = malloc((size_t)count * sizeof *a), *b = malloc((size_t)count * sizeof *b);
    sn_mesh_vertex_normals(mesh, a);
    sn_mesh_normals_at(mesh, sn_mesh_positions(mesh), b);
    assert_memory_equal(a, b, (size_t)count * sizeof *a);
    free(a);
    free(b);
    sn_mesh_release(mesh);
    sn_tetrahedra *solid = make_mesh(4);
    sn_embedding embedding;
    sn_error error = {0};
    const sn_vec3 wrong[2] = {{0, 0, 0}, {NAN, 0, 0}};
    assert_int_equal(sn_embedding_create(solid, wrong, 2, &embedding, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "point 1"));
    for (int after = 0; after < 5; ++after) {
        sn_allocation_fail_after(after);
        sn_status status = sn_embedding_create(solid, wrong, 1, &embedding, &error);
        sn_allocation_fail_after(-1);
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    sn_tetrahedra_release(solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_affine_maps_carry_points),
        cmocka_unit_test(test_the_nearest_element_is_found),
        cmocka_unit_test(test_vertices_and_curved_elements),
        cmocka_unit_test(test_normals_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
