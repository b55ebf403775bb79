// Linear systems of elastic bodies: conjugate gradients against the factor, preconditioners,
// compliance, any number of threads, what is told when it fails.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "elastic/linear.h"
#include "elastic_system.h"

static sn_linear *make_linear(elastic_system *s, sn_linear_kind kind, double tolerance,
                              const int *pairs, int pair_count)
{
    sn_error error = {0};
    sn_linear *linear = NULL;
    sn_linear_def def = {.mesh = s->mesh,
                         .solid = s->solid,
                         .mass = &s->mass,
                         .pairs = pairs,
                         .pair_count = pair_count,
                         .kind = kind,
                         .tolerance = tolerance,
                         .place = "jelly"};
    if (sn_linear_create(&def, &linear, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return linear;
}

static double length_of(const double *v, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

static double distance(const double *a, const double *b, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static void finish(sn_linear *linear, sn_threads *threads, const elastic_system *s)
{
    sn_error error = {0};
    if (sn_linear_finish(linear, threads, s->fixed, s->x, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
}

// ---- the two agree ----

// A solution may end at what of another right side matters, but not before `loosest`.
static void check_enough(sn_linear *conjugate, const double *b, const double *x, double *y,
                         int size)
{
    sn_linear_statistics whole = sn_linear_statistics_of(conjugate);
    int last = 0;
    assert_true(whole.size > 0.0);
    sn_linear_set_tolerance(conjugate, 1e-9, 0);
    for (int k = 0; k < 4; ++k) { // enough: 1, 1e-2, 1e-4 and 1e-12 of b
        static const double shares[] = {1.0, 1e-2, 1e-4, 1e-12};
        sn_linear_set_enough(conjugate, shares[k] * whole.size, 0.1);
        memset(y, 0, (size_t)size * sizeof *y);
        assert_int_equal(sn_linear_solve(conjugate, NULL, b, y, NULL), SN_OK);
        sn_linear_statistics done = sn_linear_statistics_of(conjugate);
        double wanted = fmax(1e-9, fmin(0.1, shares[k]));
        assert_true(done.size == whole.size && done.iterations > last);
        assert_true(done.residual <= wanted && done.residual > 1e-3 * wanted);
        assert_true(distance(y, x, size) < 20.0 * wanted * length_of(x, size));
        last = done.iterations;
    }
    sn_linear_set_enough(conjugate, 0.0, 0.0);
}

static void test_conjugate_equals_direct(void **state)
{
    (void)state;
    for (int k = 0; k < 8; ++k) {
        elastic_system s =
            make_system(5, 4, 3, k % 4 == 3 ? 10 : 4, (uint64_t)k,
                        k % 2 == 0 ? SN_STIFFNESS_FROZEN : SN_STIFFNESS_PROJECTED, k / 4);
        sn_random random = {.seed = 3};
        sn_error error = {0};
        sn_linear *direct = make_linear(&s, SN_LINEAR_DIRECT, 0.0, NULL, 0);
        sn_linear *conjugate = make_linear(&s, SN_LINEAR_CONJUGATE, 1e-13, NULL, 0);
        double *b = system_vector(&s, &random), *guess = system_vector(&s, &random);
        double *x = calloc((size_t)s.size, sizeof *x), *y = calloc((size_t)s.size, sizeof *y);
        sn_linear_begin(direct, NULL, 1.0, 5.0);
        sn_linear_begin(conjugate, NULL, 1.0, 5.0);
        finish(direct, NULL, &s);
        finish(conjugate, NULL, &s);
        assert_int_equal(sn_linear_solve(direct, NULL, b, x, &error), SN_OK);
        sn_linear_product(direct, NULL, x, y);
        assert_true(distance(y, b, s.size) < 1e-12 * length_of(b, s.size));
        assert_int_equal(sn_linear_solve(conjugate, NULL, b, guess, &error), SN_OK);
        assert_true(distance(guess, x, s.size) < 1e-10 * length_of(x, s.size));
        sn_linear_product(conjugate, NULL, guess, y);
        assert_true(distance(y, b, s.size) < 1e-11 * length_of(b, s.size));
        // the solution as a guess needs next to nothing
        int cold = sn_linear_statistics_of(conjugate).iterations;
        sn_linear_set_tolerance(conjugate, 1e-9, 0);
        assert_int_equal(sn_linear_solve(conjugate, NULL, b, guess, &error), SN_OK);
        assert_true(cold > 5);
        assert_int_equal(sn_linear_statistics_of(conjugate).iterations, 0);
        check_enough(conjugate, b, x, y, s.size);
        for (int v = 0; v < s.vertices; ++v) {
            for (int i = 0; i < 3; ++i) {
                if (s.fixed[v] >> i & 1) {
                    assert_true(x[4 * v + i] == b[4 * v + i] && guess[4 * v + i] == b[4 * v + i]);
                }
            }
            assert_true(x[4 * v + 3] == 0.0 && guess[4 * v + 3] == 0.0);
        }
        free(b);
        free(guess);
        free(x);
        free(y);
        sn_linear_destroy(direct);
        sn_linear_destroy(conjugate);
        free_system(&s);
    }
}

static void test_added_terms_and_compliance(void **state)
{
    (void)state;
    elastic_system s = make_system(5, 4, 3, 4, 0, SN_STIFFNESS_FROZEN, 0);
    int pairs[2] = {1, s.vertices - 2};
    sn_error error = {0};
    enum { ROWS = 6 };
    int starts[ROWS + 1], nodes[2 * ROWS];
    double numbers[6 * ROWS], w[2][ROWS * ROWS], element[144];
    sn_random random = {.seed = 8};
    for (int r = 0; r < ROWS; ++r) {
        starts[r] = 2 * r;
        starts[r + 1] = 2 * r + 2;
        nodes[2 * r] = sn_random_below(&random, s.vertices);
        nodes[2 * r + 1] = sn_random_below(&random, s.vertices);
    }
    for (int k = 0; k < 6 * ROWS; ++k) {
        numbers[k] = sn_random_range(&random, -1.0, 1.0);
    }
    for (int i = 0; i < 3; ++i) { // a row that only fixed coordinates have
        s.fixed[nodes[0]] = s.fixed[nodes[1]] = 7;
    }
    sn_factor_rows rows = {ROWS, starts, nodes, numbers};
    for (int kind = 0; kind < 2; ++kind) {
        sn_linear *linear =
            make_linear(&s, kind == 0 ? SN_LINEAR_DIRECT : SN_LINEAR_CONJUGATE, 1e-12, pairs, 1);
        double tie[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3}, against[9] = {-3, 0, 0, 0, -3, 0, 0, 0, -3};
        sn_linear_begin(linear, NULL, 1.0, 0.7);
        assert_int_equal(sn_linear_add_block(linear, NULL, 1, 1, tie, &error), SN_OK);
        assert_int_equal(sn_linear_add_block(linear, NULL, pairs[1], pairs[1], tie, &error), SN_OK);
        assert_int_equal(sn_linear_add_block(linear, NULL, 1, pairs[1], against, &error), SN_OK);
        assert_int_equal(sn_linear_add_block(linear, NULL, 0, pairs[1], against, &error),
                         SN_ERROR_ARGUMENT);
        sn_solid_stiffness(s.solid, 7, element);
        assert_int_equal(sn_linear_add_element(linear, NULL, 7, 2.0, element, &error), SN_OK);
        finish(linear, NULL, &s);
        assert_int_equal(sn_linear_compliance(linear, NULL, &rows, w[kind], &error), SN_OK);
        uint64_t before = sn_allocation_count();
        assert_int_equal(sn_linear_compliance(linear, NULL, &rows, w[kind], &error), SN_OK);
        assert_int_equal(sn_allocation_count(), before);
        sn_linear_destroy(linear);
    }
    for (int k = 0; k < ROWS * ROWS; ++k) {
        assert_true(fabs(w[0][k] - w[1][k]) < 1e-10 * w[0][ROWS + 1]);
        assert_true(k >= ROWS || w[0][k] == 0.0);
    }
    free_system(&s);
}

// ---- rows by a factor ----

enum { FACE_ROWS = 120 };

typedef struct face_rows {
    int starts[FACE_ROWS + 1], nodes[FACE_ROWS];
    double numbers[3 * FACE_ROWS];
} face_rows;

// Three rows a vertex, as contact has them.
static sn_factor_rows first_rows(face_rows *face, int count)
{
    memset(face, 0, sizeof *face);
    for (int r = 0; r < count; ++r) {
        face->starts[r + 1] = r + 1;
        face->nodes[r] = r / 3;
        face->numbers[3 * r + r % 3] = 1.0;
    }
    return (sn_factor_rows){count, face->starts, face->nodes, face->numbers};
}

static double *solve_anew(sn_linear *linear, sn_threads *pool, elastic_system *s, const double *b)
{
    double *x = calloc((size_t)s->size, sizeof *x);
    sn_linear_begin(linear, pool, 1.0, 3.0);
    finish(linear, pool, s);
    assert_int_equal(sn_linear_solve(linear, pool, b, x, NULL), SN_OK);
    return x;
}

static void same_numbers(const double *a, const double *b, int count, double by)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(b[i]));
    }
    for (int i = 0; i < count; ++i) {
        assert_true(fabs(a[i] - b[i]) <= by * most);
    }
}

// Many rows are found with a factor, which then solves as well; few are not, and the next matrix is
// solved as if there had been none.
static void test_many_rows_take_a_factor(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        elastic_system s = make_system(nodes == 4 ? 8 : 4, 6, nodes == 4 ? 6 : 2, nodes, 0,
                                       SN_STIFFNESS_FROZEN, 0);
        assert_true(s.vertices > 300);
        sn_linear *linear = make_linear(&s, SN_LINEAR_AUTOMATIC, 1e-4, NULL, 0),
                  *direct = make_linear(&s, SN_LINEAR_DIRECT, 0.0, NULL, 0);
        double *b = system_vector(&s, &random), *exact = solve_anew(direct, NULL, &s, b),
               *x = calloc((size_t)s.size, sizeof *x);
        static double w[FACE_ROWS * FACE_ROWS], reference[FACE_ROWS * FACE_ROWS];
        face_rows face;
        sn_factor_rows many = first_rows(&face, FACE_ROWS);
        assert_int_equal(sn_linear_compliance(direct, NULL, &many, reference, NULL), SN_OK);

        double *before = solve_anew(linear, NULL, &s, b);
        assert_true(sn_linear_statistics_of(linear).iterations > 0);
        assert_int_equal(sn_linear_compliance(linear, NULL, &many, w, NULL), SN_OK);
        same_numbers(w, reference, FACE_ROWS * FACE_ROWS, 1e-11);
        assert_int_equal(sn_linear_solve(linear, NULL, b, x, NULL), SN_OK);
        same_numbers(x, exact, s.size, 1e-11);
        assert_int_equal(sn_linear_statistics_of(linear).iterations, 0);
        uint64_t allocations = sn_allocation_count();
        assert_int_equal(sn_linear_compliance(linear, NULL, &many, w, NULL), SN_OK);
        assert_int_equal(sn_allocation_count(), allocations);

        double *after = solve_anew(linear, NULL, &s, b);
        assert_memory_equal(after, before, (size_t)s.size * sizeof *after);
        sn_factor_rows few = first_rows(&face, 1);
        assert_int_equal(sn_linear_compliance(linear, NULL, &few, w, NULL), SN_OK);
        assert_true(sn_linear_statistics_of(linear).iterations > 0);
        assert_true(fabs(w[0] - reference[0]) < 1e-2 * reference[0]);
        free(before);
        free(after);
        free(exact);
        free(x);
        free(b);
        sn_linear_destroy(linear);
        sn_linear_destroy(direct);
        free_system(&s);
    }
}

// Where there is no memory for the factor it is told, and the next try may have it.
static void test_rows_without_memory(void **state)
{
    (void)state;
    elastic_system s = make_system(8, 6, 6, 4, 0, SN_STIFFNESS_FROZEN, 0);
    sn_linear *linear = make_linear(&s, SN_LINEAR_AUTOMATIC, 1e-4, NULL, 0);
    static double w[FACE_ROWS * FACE_ROWS];
    face_rows face;
    sn_factor_rows rows = first_rows(&face, FACE_ROWS);
    int failures = 0;
    sn_status status = SN_ERROR_MEMORY;
    for (int after = 0; status != SN_OK; ++after) {
        sn_linear_begin(linear, NULL, 1.0, 3.0);
        finish(linear, NULL, &s);
        sn_allocation_fail_after(after);
        status = sn_linear_compliance(linear, NULL, &rows, w, NULL);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        failures += status != SN_OK;
    }
    assert_true(failures > 10);
    sn_linear_destroy(linear);
    free_system(&s);
}

// ---- preconditioner ----

// Cells of a bar of 1 m that bends by a quarter: iterations must not grow with the mesh.
static int bar_iterations(int cells, bool coarse)
{
    sn_error error = {0};
    sn_tetrahedra *mesh = NULL;
    sn_tetrahedra_box box = {.size = {3.0, 1.0, 1.0}, .cells = {3 * cells, cells, cells}};
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, &error), SN_OK);
    sn_elastic material = {.bulk = 1e6, .shear = 4e5};
    double density = 1000.0, h = 1.0 / 60.0;
    sn_solid *solid = NULL;
    sn_mass mass;
    sn_solid_def def = {.mesh = mesh, .materials = &material, .material_count = 1};
    assert_int_equal(sn_solid_create(&def, &solid, &error), SN_OK);
    assert_int_equal(sn_mass_create(mesh, &density, 1, SN_MASS_LUMPED, NULL, &mass, &error), SN_OK);
    int count = sn_solid_vertex_count(solid);
    double *x = calloc(4 * (size_t)count, 8), *b = calloc(4 * (size_t)count, 8);
    double *dv = calloc(4 * (size_t)count, 8);
    uint8_t *fixed = calloc((size_t)count, 1);
    for (int v = 0; v < count; ++v) {
        sn_vec3 p = sn_tetrahedra_positions(mesh)[v];
        double angle = (p.x + 1.5) / 3.0 * SN_PI / 2.0, radius = 6.0 / SN_PI - p.z;
        x[4 * v] = radius * sin(angle);
        x[4 * v + 1] = p.y;
        x[4 * v + 2] = -radius * cos(angle);
        fixed[v] = p.x < -1.499 ? 7 : 0;
        b[4 * v + 2] = fixed[v] ? 0.0 : mass.diagonal[v] * -9.81 * h;
    }
    sn_coarse *made = NULL;
    sn_coarse_def groups = {.mesh = mesh, .solid = solid, .mass = &mass};
    assert_int_equal(sn_coarse_create(&groups, &made, &error), SN_OK);
    assert_int_equal(sn_coarse_set(made, NULL, 1.0, h * h, fixed, &error), SN_OK);
    sn_coarse_turn(made, x);
    assert_int_equal(sn_solid_linearise(solid, NULL, x, SN_STIFFNESS_FROZEN, &error), SN_OK);
    sn_conjugate *conjugate = NULL;
    assert_int_equal(sn_conjugate_create(count, &conjugate, &error), SN_OK);
    sn_conjugate_system system = {.solid = solid,
                                  .mass = &mass,
                                  .mass_scale = 1.0,
                                  .stiffness_scale = h * h,
                                  .fixed = fixed,
                                  .coarse = coarse ? made : NULL};
    assert_int_equal(sn_conjugate_prepare(conjugate, NULL, &system, NULL, &error), SN_OK);
    sn_conjugate_goal goal = {.tolerance = 1e-6, .most = 1000};
    sn_conjugate_result result = sn_conjugate_solve(conjugate, NULL, &goal, b, dv);
    assert_true(result.converged && result.definite && result.residual <= 1e-6);
    sn_conjugate_destroy(conjugate);
    sn_coarse_destroy(made);
    sn_mass_free(&mass);
    sn_solid_destroy(solid);
    sn_tetrahedra_release(mesh);
    free(x);
    free(b);
    free(dv);
    free(fixed);
    return result.iterations;
}

static void test_iterations_do_not_grow(void **state)
{
    (void)state;
    int plain[2] = {bar_iterations(4, false), bar_iterations(10, false)};
    int coarse[2] = {bar_iterations(4, true), bar_iterations(10, true)};
    assert_true(plain[1] > 1.8 * plain[0]);
    assert_true(coarse[1] <= 1.4 * coarse[0] + 2);
    assert_true(coarse[1] < 40);
    assert_true(coarse[1] < 0.5 * plain[1]);
}

// ---- threads, failures, memory ----

static void test_any_number_of_threads(void **state)
{
    (void)state;
    elastic_system s = make_system(9, 8, 7, 4, 1, SN_STIFFNESS_FROZEN, 0);
    sn_error error = {0};
    sn_random random = {.seed = 6};
    double *b = system_vector(&s, &random), *x = malloc((size_t)s.size * sizeof *x);
    double *first = malloc((size_t)s.size * sizeof *first);
    sn_linear *linear = make_linear(&s, SN_LINEAR_AUTOMATIC, 1e-9, NULL, 0);
    assert_int_equal(sn_linear_statistics_of(linear).kind, SN_LINEAR_CONJUGATE);
    for (int threads = 1; threads <= 4; threads *= 2) {
        sn_threads *pool = NULL;
        assert_int_equal(sn_threads_create(threads, &pool, &error), SN_OK);
        sn_linear_begin(linear, pool, 1.0, 3.0);
        finish(linear, pool, &s);
        memset(x, 0, (size_t)s.size * sizeof *x);
        assert_int_equal(sn_linear_solve(linear, pool, b, x, &error), SN_OK);
        if (threads == 1) {
            memcpy(first, x, (size_t)s.size * sizeof *x);
        }
        assert_memory_equal(first, x, (size_t)s.size * sizeof *x);
        // and nothing is allocated any more
        uint64_t before = sn_allocation_count();
        sn_linear_begin(linear, pool, 1.0, 3.0);
        finish(linear, pool, &s);
        assert_int_equal(sn_linear_solve(linear, pool, b, x, &error), SN_OK);
        assert_int_equal(sn_allocation_count(), before);
        sn_threads_destroy(pool);
    }
    free(b);
    free(x);
    free(first);
    sn_linear_destroy(linear);
    free_system(&s);
}

static void test_failures_are_told(void **state)
{
    (void)state;
    elastic_system s = make_system(5, 4, 3, 4, 0, SN_STIFFNESS_FROZEN, 0);
    sn_random random = {.seed = 6};
    double *b = system_vector(&s, &random), *x = calloc((size_t)s.size, sizeof *x);
    sn_linear *linear = make_linear(&s, SN_LINEAR_CONJUGATE, 1e-12, NULL, 0);
    sn_error error = {0};
    sn_linear_set_tolerance(linear, 1e-12, 3);
    sn_linear_begin(linear, NULL, 1.0, 3.0);
    finish(linear, NULL, &s);
    assert_int_equal(sn_linear_solve(linear, NULL, b, x, &error), SN_ERROR_INTEGRATOR);
    assert_non_null(strstr(sn_error_message(&error), "after 3 iterations"));
    assert_string_equal(error.place, "jelly");
    assert_true(length_of(x, s.size) > 0.0);
    assert_int_equal(sn_linear_statistics_of(linear).iterations, 3);
    // a vertex whose own block is bad, then a matrix that is bad elsewhere
    double push[9] = {-1e6, 0, 0, 0, -1e6, 0, 0, 0, -1e6};
    sn_linear_set_tolerance(linear, 1e-12, 0);
    sn_linear_begin(linear, NULL, 1.0, 3.0);
    assert_int_equal(sn_linear_add_block(linear, NULL, 9, 9, push, &error), SN_OK);
    s.fixed[9] = 0;
    assert_int_equal(sn_linear_finish(linear, NULL, s.fixed, s.x, &error), SN_ERROR_INTEGRATOR);
    assert_non_null(strstr(sn_error_message(&error), "vertex 9"));
    int v = sn_tetrahedra_elements(s.mesh)[0], w = sn_tetrahedra_elements(s.mesh)[1];
    s.fixed[v] = s.fixed[w] = 0;
    sn_linear_begin(linear, NULL, 1.0, 3.0);
    assert_int_equal(sn_linear_add_block(linear, NULL, v, w, push, &error), SN_OK);
    finish(linear, NULL, &s);
    assert_int_equal(sn_linear_solve(linear, NULL, b, x, &error), SN_ERROR_INTEGRATOR);
    assert_non_null(strstr(sn_error_message(&error), "not positive definite"));
    free(b);
    free(x);
    sn_linear_destroy(linear);
    free_system(&s);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    elastic_system s = make_system(3, 3, 2, 4, 0, SN_STIFFNESS_FROZEN, 1);
    double block[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, w[1];
    int starts[2] = {0, 1}, nodes[1] = {4}, pairs[2] = {0, 7};
    sn_factor_rows rows = {1, starts, nodes, block};
    for (int kind = 1; kind <= 2; ++kind) {
        for (int64_t after = 0;; ++after) {
            sn_error error = {0};
            sn_linear *linear = NULL;
            sn_linear_def def = {.mesh = s.mesh,
                                 .solid = s.solid,
                                 .mass = &s.mass,
                                 .pairs = pairs,
                                 .pair_count = 1,
                                 .kind = (sn_linear_kind)kind,
                                 .place = "jelly"};
            sn_allocation_fail_after(after);
            sn_status status = sn_linear_create(&def, &linear, &error);
            assert_true((status == SN_OK) == (linear != NULL));
            if (status == SN_OK) {
                sn_linear_begin(linear, NULL, 1.0, 1.0);
                status = sn_linear_add_block(linear, NULL, 0, 0, block, &error);
            }
            status =
                status == SN_OK ? sn_linear_finish(linear, NULL, s.fixed, s.x, &error) : status;
            status =
                status == SN_OK ? sn_linear_compliance(linear, NULL, &rows, w, &error) : status;
            sn_allocation_fail_after(-1);
            sn_linear_destroy(linear);
            if (status == SN_OK) {
                assert_true(after > 30);
                break;
            }
            assert_int_equal(status, SN_ERROR_MEMORY);
        }
    }
    free_system(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conjugate_equals_direct),
        cmocka_unit_test(test_added_terms_and_compliance),
        cmocka_unit_test(test_many_rows_take_a_factor),
        cmocka_unit_test(test_rows_without_memory),
        cmocka_unit_test(test_iterations_do_not_grow),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_failures_are_told),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
