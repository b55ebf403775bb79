// Sparse matrices of solids and their factors: against dense Cholesky, CHOLMOD's orders, each other
// for any number of threads, and what happens without memory or definiteness.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <suitesparse/cholmod.h>

#include "base/memory.h"
#include "base/random.h"
#include "elastic/factor.h"
#include "elastic/sparse.h"
#include "elastic_system.h"
#include "math/dense.h"

// ---- oracles ----

// All of A as m M + k K from the elements one by one, 3 vertices squared, then fixed.
static double *dense_matrix(const elastic_system *s, double m, double k)
{
    int n = 3 * s->vertices, nodes = sn_tetrahedra_nodes(s->mesh), size = 3 * nodes;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a);
    double *local = malloc((size_t)(size * size) * sizeof *local);
    for (int e = 0; e < s->elements; ++e) {
        const int *v = sn_tetrahedra_elements(s->mesh) + (size_t)e * (size_t)nodes;
        sn_solid_stiffness(s->solid, e, local);
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                a[(3 * v[i / 3] + i % 3) * n + 3 * v[j / 3] + j % 3] += k * local[size * i + j];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        a[i * n + i] += m * s->mass.diagonal[i / 3];
    }
    for (int p = 0; p < s->mass.pair_count; ++p) {
        int i = 3 * s->mass.pairs[2 * p], j = 3 * s->mass.pairs[2 * p + 1];
        for (int c = 0; c < 3; ++c) {
            a[(i + c) * n + j + c] += m * s->mass.entries[p];
            a[(j + c) * n + i + c] += m * s->mass.entries[p];
        }
    }
    free(local);
    return a;
}

static void fix_dense(const elastic_system *s, double *a)
{
    int n = 3 * s->vertices;
    for (int i = 0; i < n; ++i) {
        if ((s->fixed[i / 3] >> (i % 3) & 1) == 0) {
            continue;
        }
        for (int j = 0; j < n; ++j) {
            a[i * n + j] = a[j * n + i] = i == j ? 1.0 : 0.0;
        }
    }
}

static sn_sparse *make_sparse(const elastic_system *s, const int *pairs, int count)
{
    sn_error error = {0};
    sn_sparse *sparse = NULL;
    sn_sparse_def def = {.solid = s->solid, .mass = &s->mass, .pairs = pairs, .pair_count = count};
    if (sn_sparse_create(&def, &sparse, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return sparse;
}

static sn_factor *make_factor(const elastic_system *s, const sn_sparse *sparse)
{
    sn_error error = {0};
    sn_factor *factor = NULL;
    sn_factor_def def = {.count = s->vertices,
                         .block = 3,
                         .starts = sparse->starts,
                         .columns = sparse->columns,
                         .positions = sn_tetrahedra_positions(s->mesh),
                         .place = "jelly"};
    if (sn_factor_create(&def, &factor, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return factor;
}

static double entry_of(const sn_sparse *sparse, int i, int j)
{
    int row = i > j ? i : j, column = i > j ? j : i;
    int at = sn_sparse_find(sparse, row / 3, column / 3);
    return at < 0 ? 0.0 : sparse->values[9 * at + 3 * (row % 3) + column % 3];
}

// ---- assembly ----

static void test_assembly_is_sum_of_elements(void **state)
{
    (void)state;
    for (int k = 0; k < 12; ++k) {
        elastic_system s = make_system(2 + k % 2, 2, 2, k % 2 == 0 ? 4 : 10, (uint64_t)k,
                                       (sn_stiffness)(k % 3), k / 6);
        sn_sparse *sparse = make_sparse(&s, NULL, 0);
        sn_sparse_assemble(sparse, NULL, 1.5, 0.25);
        double *a = dense_matrix(&s, 1.5, 0.25);
        int n = 3 * s.vertices;
        double largest = 0.0, error = 0.0;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                largest = fmax(largest, fabs(a[i * n + j]));
                error = fmax(error, fabs(a[i * n + j] - entry_of(sparse, i, j)));
            }
        }
        assert_true(error < 1e-14 * largest);
        // fixed coordinates, and the product
        sn_sparse_fix(sparse, s.fixed);
        fix_dense(&s, a);
        sn_random random = {.seed = 5};
        double *v = system_vector(&s, &random), *y = calloc((size_t)s.size, sizeof *y);
        sn_sparse_product(sparse, v, y);
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) {
                sum += a[i * n + j] * v[4 * (j / 3) + j % 3];
            }
            assert_true(fabs(sum - y[4 * (i / 3) + i % 3]) < 1e-13 * largest * n);
        }
        free(v);
        free(y);
        free(a);
        sn_sparse_destroy(sparse);
        free_system(&s);
    }
}

static void test_more_terms(void **state)
{
    (void)state;
    elastic_system s = make_system(2, 2, 2, 4, 3, SN_STIFFNESS_FROZEN, 0);
    int pairs[4] = {0, s.vertices - 1, s.vertices - 2, 1};
    sn_sparse *sparse = make_sparse(&s, pairs, 2);
    sn_sparse_assemble(sparse, NULL, 1.0, 1.0);
    double block[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    double before = entry_of(sparse, 3 * (s.vertices - 1) + 2, 0);
    assert_true(sn_sparse_add_block(sparse, 0, s.vertices - 1, block));
    assert_true(before == 0.0);
    assert_true(entry_of(sparse, 3 * (s.vertices - 1) + 2, 0) == 3.0); // row 0, column 2
    assert_true(entry_of(sparse, 3 * (s.vertices - 1), 2) == 7.0);
    assert_true(sn_sparse_add_block(sparse, s.vertices - 2, 1, block));
    assert_true(entry_of(sparse, 3 * (s.vertices - 2) + 2, 3) == 7.0);
    assert_false(sn_sparse_add_block(sparse, 2, s.vertices - 1, block));
    // elements one by one give the same as all together
    sn_sparse_assemble(sparse, NULL, 0.0, 2.0);
    double *all = malloc(9 * (size_t)sparse->block_count * sizeof *all), local[144];
    memcpy(all, sparse->values, 9 * (size_t)sparse->block_count * sizeof *all);
    sn_sparse_assemble(sparse, NULL, 0.0, 0.0);
    for (int e = 0; e < s.elements; ++e) {
        sn_solid_stiffness(s.solid, e, local);
        sn_sparse_add_element(sparse, e, 2.0, local);
    }
    for (int k = 0; k < 9 * sparse->block_count; ++k) {
        assert_true(fabs(all[k] - sparse->values[k]) < 1e-13 * fabs(all[0]) * 100.0);
    }
    free(all);
    sn_sparse_destroy(sparse);
    pairs[1] = s.vertices;
    sn_error error = {0};
    sn_sparse_def def = {.solid = s.solid, .pairs = pairs, .pair_count = 2};
    assert_int_equal(sn_sparse_create(&def, &sparse, &error), SN_ERROR_ARGUMENT);
    assert_null(sparse);
    free_system(&s);
}

// ---- solutions ----

static void test_solves_like_dense(void **state)
{
    (void)state;
    for (int k = 0; k < 10; ++k) {
        elastic_system s = make_system(2 + k % 4, 2 + k % 3, 2, k % 5 == 4 ? 10 : 4, (uint64_t)k,
                                       SN_STIFFNESS_PROJECTED, k % 2);
        int n = 3 * s.vertices;
        int pairs[2] = {0, s.vertices - 1};
        sn_sparse *sparse = make_sparse(&s, pairs, 1);
        sn_factor *factor = make_factor(&s, sparse);
        double tie[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, against[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
        double *a = dense_matrix(&s, 1.0, 0.5);
        sn_sparse_assemble(sparse, NULL, 1.0, 0.5);
        sn_sparse_add_block(sparse, 0, 0, tie);
        sn_sparse_add_block(sparse, s.vertices - 1, s.vertices - 1, tie);
        sn_sparse_add_block(sparse, s.vertices - 1, 0, against);
        for (int c = 0; c < 3; ++c) {
            int i = c, j = n - 3 + c;
            a[i * n + i] += 1.0;
            a[j * n + j] += 1.0;
            a[i * n + j] -= 1.0;
            a[j * n + i] -= 1.0;
        }
        sn_sparse_fix(sparse, s.fixed);
        fix_dense(&s, a);
        sn_error error = {0};
        assert_int_equal(sn_factor_update(factor, NULL, sparse->values, &error), SN_OK);
        sn_random random = {.seed = 9};
        double *b = system_vector(&s, &random), *x = malloc((size_t)s.size * sizeof *x);
        double *packed = malloc((size_t)n * sizeof *packed), *y = malloc((size_t)n * sizeof *y);
        memcpy(x, b, (size_t)s.size * sizeof *x);
        for (int i = 0; i < n; ++i) {
            packed[i] = b[4 * (i / 3) + i % 3];
        }
        assert_true(sn_cholesky_factor(n, a, NULL));
        sn_cholesky_solve(n, a, packed);
        sn_factor_solve(factor, 4, x);
        double largest = 0.0, off = 0.0;
        for (int i = 0; i < n; ++i) {
            largest = fmax(largest, fabs(packed[i]));
            off = fmax(off, fabs(packed[i] - x[4 * (i / 3) + i % 3]));
        }
        assert_true(off < 1e-12 * largest);
        // halves: y . y = b . x, and the way back
        sn_factor_half_solve(factor, 4, b, y);
        double yy = 0.0, bx = 0.0;
        for (int i = 0; i < n; ++i) {
            yy += y[i] * y[i];
            bx += b[4 * (i / 3) + i % 3] * x[4 * (i / 3) + i % 3];
        }
        assert_true(fabs(yy - bx) < 1e-12 * fabs(bx));
        double *back = calloc((size_t)s.size, sizeof *back);
        sn_factor_half_solve_back(factor, 4, y, back);
        assert_memory_equal(back, x, (size_t)s.size * sizeof *x);
        // residual
        sn_sparse_product(sparse, x, back);
        for (int i = 0; i < s.size; ++i) {
            assert_true(fabs(back[i] - b[i]) < 1e-12 * 50.0);
        }
        free(back);
        free(b);
        free(x);
        free(y);
        free(packed);
        free(a);
        sn_factor_destroy(factor);
        sn_sparse_destroy(sparse);
        free_system(&s);
    }
}

static void test_compliance_is_that_of_full_solves(void **state)
{
    (void)state;
    sn_random random = {.seed = 77};
    elastic_system s = make_system(7, 6, 5, 4, 1, SN_STIFFNESS_FROZEN, 0);
    sn_sparse *sparse = make_sparse(&s, NULL, 0);
    sn_factor *factor = make_factor(&s, sparse);
    sn_error error = {0};
    sn_sparse_assemble(sparse, NULL, 1.0, 0.3);
    sn_sparse_fix(sparse, s.fixed);
    assert_int_equal(sn_factor_update(factor, NULL, sparse->values, &error), SN_OK);
    enum { ROWS = 23 };
    int starts[ROWS + 1] = {0}, nodes[5 * ROWS];
    double numbers[15 * ROWS], *w = malloc(ROWS * ROWS * sizeof *w);
    for (int round = 0; round < 2; ++round) {
        for (int r = 0; r < ROWS; ++r) {
            int entries = r == 4 ? 0 : 1 + sn_random_below(&random, 4);
            starts[r + 1] = starts[r] + entries;
            for (int e = starts[r]; e < starts[r + 1]; ++e) {
                nodes[e] = sn_random_below(&random, s.vertices);
                nodes[e] = r % 5 == 0 ? nodes[starts[r]] : nodes[e]; // named more than once
                for (int i = 0; i < 3; ++i) {
                    numbers[3 * e + i] = sn_random_range(&random, -1.0, 1.0);
                }
            }
        }
        sn_factor_rows rows = {ROWS, starts, nodes, numbers};
        uint64_t before = sn_allocation_count();
        assert_int_equal(sn_factor_compliance(factor, &rows, w, &error), SN_OK);
        (void)before;
        double *x = malloc((size_t)s.size * sizeof *x);
        for (int r = 0; r < ROWS; ++r) {
            memset(x, 0, (size_t)s.size * sizeof *x);
            for (int e = 3 * starts[r]; e < 3 * starts[r + 1]; ++e) {
                x[4 * nodes[e / 3] + e % 3] += numbers[e];
            }
            sn_factor_solve(factor, 4, x);
            for (int q = 0; q < ROWS; ++q) {
                double sum = 0.0;
                for (int e = 3 * starts[q]; e < 3 * starts[q + 1]; ++e) {
                    sum += numbers[e] * x[4 * nodes[e / 3] + e % 3];
                }
                assert_true(fabs(sum - w[ROWS * q + r]) < 1e-12 * (fabs(w[0]) + fabs(w[1])));
            }
        }
        // the same rows again: the same bits, and no memory
        double *again = malloc(ROWS * ROWS * sizeof *again);
        before = sn_allocation_count();
        assert_int_equal(sn_factor_compliance(factor, &rows, again, &error), SN_OK);
        assert_int_equal(sn_allocation_count(), before);
        assert_memory_equal(again, w, ROWS * ROWS * sizeof *w);
        free(again);
        free(x);
    }
    free(w);
    sn_factor_destroy(factor);
    sn_sparse_destroy(sparse);
    free_system(&s);
}

static void test_any_number_of_threads(void **state)
{
    (void)state;
    elastic_system s = make_system(9, 7, 6, 4, 1, SN_STIFFNESS_FROZEN, 1);
    sn_sparse *sparse = make_sparse(&s, NULL, 0);
    sn_factor *factor = make_factor(&s, sparse);
    sn_error error = {0};
    sn_random random = {.seed = 4};
    double *b = system_vector(&s, &random), *x = malloc((size_t)s.size * sizeof *x);
    double *first = malloc((size_t)s.size * sizeof *first);
    for (int threads = 1; threads <= 4; threads *= 2) {
        sn_threads *pool = NULL;
        assert_int_equal(sn_threads_create(threads, &pool, &error), SN_OK);
        sn_sparse_assemble(sparse, pool, 1.0, 0.3);
        sn_sparse_fix(sparse, s.fixed);
        uint64_t before = sn_allocation_count();
        assert_int_equal(sn_factor_update(factor, pool, sparse->values, &error), SN_OK);
        memcpy(x, b, (size_t)s.size * sizeof *x);
        sn_factor_solve(factor, 4, x);
        assert_int_equal(sn_allocation_count(), before);
        if (threads == 1) {
            memcpy(first, x, (size_t)s.size * sizeof *x);
        }
        assert_memory_equal(first, x, (size_t)s.size * sizeof *x);
        sn_threads_destroy(pool);
    }
    free(b);
    free(x);
    free(first);
    sn_factor_destroy(factor);
    sn_sparse_destroy(sparse);
    free_system(&s);
}

static void test_not_positive_definite_is_told(void **state)
{
    (void)state;
    elastic_system s = make_system(5, 4, 3, 4, 1, SN_STIFFNESS_FROZEN, 0);
    sn_sparse *sparse = make_sparse(&s, NULL, 0);
    sn_factor *factor = make_factor(&s, sparse);
    double push[9] = {0, 0, 0, 0, -1e6, 0, 0, 0, 0}, bad[9] = {NAN};
    for (int k = 0; k < 3; ++k) {
        int vertex = s.vertices / (k + 2);
        sn_error error = {0};
        char expected[64];
        sn_sparse_assemble(sparse, NULL, 1.0, 0.3);
        sn_sparse_add_block(sparse, vertex, vertex, k < 2 ? push : bad);
        sn_sparse_fix(sparse, NULL);
        assert_int_equal(sn_factor_update(factor, NULL, sparse->values, &error),
                         SN_ERROR_INTEGRATOR);
        snprintf(expected, sizeof expected, "vertex %d, row %d", vertex, k < 2 ? 1 : 0);
        assert_non_null(strstr(sn_error_message(&error), expected));
        assert_string_equal(error.place, "jelly");
    }
    // stiffness alone leaves rigid motions: singular to round-off
    sn_error error = {0};
    sn_sparse_assemble(sparse, NULL, 0.0, 1.0);
    assert_int_equal(sn_factor_update(factor, NULL, sparse->values, &error), SN_ERROR_INTEGRATOR);
    sn_sparse_assemble(sparse, NULL, 1.0, 1.0);
    assert_int_equal(sn_factor_update(factor, NULL, sparse->values, &error), SN_OK);
    sn_factor_destroy(factor);
    sn_sparse_destroy(sparse);
    free_system(&s);
}

// ---- order ----

// Entries of L that CHOLMOD finds for the pattern of vertices, by its own choice of orders.
static double cholmod_entries(const sn_sparse *sparse, int vertices)
{
    cholmod_common common;
    cholmod_start(&common);
    cholmod_triplet *t = cholmod_allocate_triplet(
        (size_t)vertices, (size_t)vertices, (size_t)sparse->block_count, -1, CHOLMOD_REAL, &common);
    for (int i = 0, k = 0; i < vertices; ++i) {
        for (; k < sparse->starts[i + 1]; ++k) {
            ((int *)t->i)[k] = i;
            ((int *)t->j)[k] = sparse->columns[k];
            ((double *)t->x)[k] = 1.0;
        }
    }
    t->nnz = (size_t)sparse->block_count;
    cholmod_sparse *a = cholmod_triplet_to_sparse(t, 0, &common);
    common.nmethods = 0; // AMD, then METIS where it may be better
    cholmod_factor *l = cholmod_analyze(a, &common);
    double entries = common.lnz;
    cholmod_free_factor(&l, &common);
    cholmod_free_sparse(&a, &common);
    cholmod_free_triplet(&t, &common);
    cholmod_finish(&common);
    return entries;
}

static void test_order_keeps_factor_sparse(void **state)
{
    (void)state;
    const double most[3] = {1.1, 1.7, 1.35};
    for (int k = 0; k < 3; ++k) {
        elastic_system s = k == 0   ? make_system(12, 12, 12, 4, 1, SN_STIFFNESS_FROZEN, 0)
                           : k == 1 ? make_system(40, 5, 5, 4, 1, SN_STIFFNESS_FROZEN, 0)
                                    : make_system(5, 5, 5, 10, 1, SN_STIFFNESS_FROZEN, 0);
        sn_sparse *sparse = make_sparse(&s, NULL, 0);
        sn_factor *factor = make_factor(&s, sparse);
        double ours = sn_factor_statistics_of(factor).entries / 9.0;
        double theirs = cholmod_entries(sparse, s.vertices);
        // least degree alone is better for thin bars and small parts, where cuts gain nothing
        assert_true(ours < most[k] * theirs);
        sn_factor_destroy(factor);
        sn_sparse_destroy(sparse);
        free_system(&s);
    }
}

// Patterns without geometry, of several parts, and full ones.
static void test_any_pattern(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    for (int round = 0; round < 40; ++round) {
        int n = 1 + sn_random_below(&random, 200), block = 1 + round % 6;
        double density = round % 4 == 0 ? 0.0 : round % 4 == 1 ? 1.0 : 3.0 / n;
        int *starts = calloc((size_t)n + 1, sizeof *starts);
        int *columns = malloc((size_t)n * (size_t)(n + 1) / 2 * sizeof *columns);
        for (int i = 0; i < n; ++i) {
            starts[i + 1] = starts[i];
            for (int j = 0; j <= i; ++j) {
                if (j == i || sn_random_unit(&random) < density) {
                    columns[starts[i + 1]++] = j;
                }
            }
        }
        size_t bb = (size_t)block * (size_t)block;
        double *values = calloc((size_t)starts[n] * bb, sizeof *values);
        for (size_t k = 0; k < (size_t)starts[n] * bb; ++k) {
            values[k] = sn_random_range(&random, -1.0, 1.0);
        }
        for (int i = 0; i < n; ++i) { // symmetric and dominant
            double *d = values + ((size_t)starts[i + 1] - 1) * bb;
            for (int r = 0; r < block; ++r) {
                for (int c = 0; c < r; ++c) {
                    d[r * block + c] = d[c * block + r];
                }
                d[r * block + r] = 2.0 * n * block;
            }
        }
        sn_error error = {0};
        sn_factor *factor = NULL;
        sn_factor_def def = {.count = n, .block = block, .starts = starts, .columns = columns};
        assert_int_equal(sn_factor_create(&def, &factor, &error), SN_OK);
        assert_int_equal(sn_factor_update(factor, NULL, values, &error), SN_OK);
        size_t size = (size_t)n * (size_t)block;
        double *x = malloc(size * sizeof *x), *y = calloc(size, sizeof *y);
        double *b = malloc(size * sizeof *b);
        for (int i = 0; i < n * block; ++i) {
            b[i] = x[i] = sn_random_range(&random, -1.0, 1.0);
        }
        sn_factor_solve(factor, block, x);
        for (int i = 0; i < n; ++i) {
            for (int k = starts[i]; k < starts[i + 1]; ++k) {
                int j = columns[k];
                for (int r = 0; r < block; ++r) {
                    for (int c = 0; c < block; ++c) {
                        double v = values[(size_t)k * bb + (size_t)(r * block + c)];
                        y[i * block + r] += v * x[j * block + c];
                        y[j * block + c] += i == j ? 0.0 : v * x[i * block + r];
                    }
                }
            }
        }
        for (int i = 0; i < n * block; ++i) {
            assert_true(fabs(y[i] - b[i]) < 1e-12);
        }
        sn_factor_destroy(factor);
        free(values);
        free(starts);
        free(columns);
        free(x);
        free(y);
        free(b);
    }
}

// ---- memory ----

static void test_out_of_memory(void **state)
{
    (void)state;
    elastic_system s = make_system(4, 3, 3, 4, 1, SN_STIFFNESS_FROZEN, 1);
    int pairs[2] = {0, 5};
    for (int64_t after = 0;; ++after) {
        sn_error error = {0};
        sn_sparse *sparse = NULL;
        sn_sparse_def def = {.solid = s.solid, .mass = &s.mass, .pairs = pairs, .pair_count = 1};
        sn_allocation_fail_after(after);
        sn_status status = sn_sparse_create(&def, &sparse, &error);
        sn_allocation_fail_after(-1);
        assert_true((status == SN_OK) == (sparse != NULL));
        sn_sparse_destroy(sparse);
        if (status == SN_OK) {
            assert_true(after > 5);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    sn_sparse *sparse = make_sparse(&s, pairs, 1);
    sn_sparse_assemble(sparse, NULL, 1.0, 1.0);
    int starts[3] = {0, 1, 2}, nodes[2] = {3, 30};
    double numbers[6] = {1, 0, 0, 0, 1, 0}, w[4];
    sn_factor_rows rows = {2, starts, nodes, numbers};
    for (int64_t after = 0;; ++after) {
        sn_error error = {0};
        sn_factor *factor = NULL;
        sn_factor_def def = {.count = s.vertices,
                             .block = 3,
                             .starts = sparse->starts,
                             .columns = sparse->columns,
                             .positions = sn_tetrahedra_positions(s.mesh),
                             .place = "jelly"};
        sn_allocation_fail_after(after);
        sn_status status = sn_factor_create(&def, &factor, &error);
        assert_true((status == SN_OK) == (factor != NULL));
        if (status == SN_OK) {
            assert_int_equal(sn_factor_update(factor, NULL, sparse->values, &error), SN_OK);
            status = sn_factor_compliance(factor, &rows, w, &error);
        }
        sn_allocation_fail_after(-1);
        sn_factor_destroy(factor);
        if (status == SN_OK) {
            assert_true(after > 20);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    sn_sparse_destroy(sparse);
    free_system(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assembly_is_sum_of_elements),
        cmocka_unit_test(test_more_terms),
        cmocka_unit_test(test_solves_like_dense),
        cmocka_unit_test(test_compliance_is_that_of_full_solves),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_not_positive_definite_is_told),
        cmocka_unit_test(test_order_keeps_factor_sparse),
        cmocka_unit_test(test_any_pattern),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
