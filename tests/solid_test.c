// Tetrahedra of four and ten nodes: lanes against the materials one by one, forces and stiffness
// against differences, any number of threads, refusals.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "elastic/mass.h"
#include "elastic/polar.h"
#include "solid_body.h"

// ---- lanes against one by one ----

static void test_lanes_agree_with_materials(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    sn_elastic materials[4];
    four_materials(materials);
    const double reaches[] = {1e-3, 0.1, 0.9}; // the last turns elements inside out
    body b = make_body(shaken_box(4, 3, 3, 4, &random), materials, 4);
    double *rest = vector(&b);
    memcpy(rest, b.x, (size_t)b.size * sizeof *rest);
    for (int r = 0; r < 3; ++r) {
        double *shift = random_vector(&b, &random, reaches[r]), *f = vector(&b), *g = vector(&b);
        double energy = 0.0;
        int inverted = 0;
        for (int i = 0; i < b.size; ++i) {
            b.x[i] = rest[i] + shift[i];
        }
        for (int e = 0; e < b.elements; ++e) {
            const int *v = sn_tetrahedra_elements(b.mesh) + 4 * e;
            sn_mat3 edges, deformed = sn_solid_gradient(b.solid, e, 0, b.x), stress;
            for (int k = 0; k < 3; ++k) {
                for (int i = 0; i < 3; ++i) {
                    edges.m[i][k] = rest[STRIDE * v[k + 1] + i] - rest[STRIDE * v[0] + i];
                }
            }
            const sn_elastic *m = &materials[sn_tetrahedra_regions(b.mesh)[e]];
            sn_mat3 inverse = sn_mat3_inverse(edges);
            double volume = sn_mat3_determinant(edges) / 6.0;
            assert_true(fabs(volume - sn_solid_rest_volume(b.solid, e)) < 1e-15);
            inverted += sn_mat3_determinant(deformed) < 0.0;
            energy += volume * sn_elastic_energy(m, &deformed);
            sn_elastic_stress(m, &deformed, &stress);
            for (int k = 0; k < 3; ++k) {
                for (int i = 0; i < 3; ++i) {
                    double force = -volume * (stress.m[i][0] * inverse.m[k][0] +
                                              stress.m[i][1] * inverse.m[k][1] +
                                              stress.m[i][2] * inverse.m[k][2]);
                    g[STRIDE * v[k + 1] + i] += force;
                    g[STRIDE * v[0] + i] -= force;
                }
            }
        }
        assert_true((inverted > 20) == (r == 2));
        assert_true(fabs(sn_solid_energy(b.solid, NULL, b.x) - energy) < 1e-12 * energy);
        sn_solid_add_forces(b.solid, NULL, b.x, f);
        for (int i = 0; i < b.size; ++i) {
            g[i] -= f[i];
            assert_true(i % STRIDE < 3 || f[i] == 0.0);
        }
        assert_true(length_of(g, b.size) < 1e-11 * length_of(f, b.size));
        int element = -1;
        double least = sn_solid_least_stretch(b.solid, b.x, &element);
        sn_mat3 worst = sn_solid_gradient(b.solid, element, 0, b.x);
        assert_true(least == sn_mat3_determinant(worst) && (least < 0.0) == (r == 2));
        free(shift);
        free(f);
        free(g);
    }
    free(rest);
    free_body(&b);
}

// ---- derivatives ----

static void check_derivatives(int nodes)
{
    sn_random random = {.seed = 2};
    sn_elastic materials[4];
    four_materials(materials);
    body b = make_body(shaken_box(3, 2, 2, nodes, &random), materials, 4);
    double *shift = random_vector(&b, &random, nodes == 4 ? 0.12 : 0.05);
    double *d = random_vector(&b, &random, 1.0);
    for (int i = 0; i < b.size; ++i) {
        b.x[i] += shift[i];
    }
    double *f = vector(&b), *kd = vector(&b), *at = vector(&b), *forces[4];
    const double steps[4] = {-2, -1, 1, 2}, h = 2e-4;
    double energies[4];
    for (int k = 0; k < 4; ++k) {
        forces[k] = vector(&b);
        for (int i = 0; i < b.size; ++i) {
            at[i] = b.x[i] + steps[k] * h * d[i];
        }
        energies[k] = sn_solid_energy(b.solid, NULL, at);
        sn_solid_add_forces(b.solid, NULL, at, forces[k]);
    }
    sn_solid_add_forces(b.solid, NULL, b.x, f);
    double slope = (8.0 * (energies[2] - energies[1]) - (energies[3] - energies[0])) / (12.0 * h);
    assert_true(fabs(slope + product(f, d, b.size)) < 1e-8 * length_of(f, b.size));
    assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, SN_STIFFNESS_EXACT, NULL), SN_OK);
    sn_solid_add_product(b.solid, NULL, 1.0, d, kd);
    double size = length_of(kd, b.size);
    for (int i = 0; i < b.size; ++i) {
        double rate =
            (8.0 * (forces[2][i] - forces[1][i]) - (forces[3][i] - forces[0][i])) / (12.0 * h);
        assert_true(fabs(rate + kd[i]) < 1e-7 * size);
    }
    for (int k = 0; k < 4; ++k) {
        free(forces[k]);
    }
    free(shift);
    free(d);
    free(f);
    free(kd);
    free(at);
    free_body(&b);
}

static void test_forces_and_stiffness_are_derivatives(void **state)
{
    (void)state;
    check_derivatives(4);
    check_derivatives(10);
}

// Products, elements' own matrices and the diagonal are the same matrix, symmetric, and positive
// where it is promised.
static void check_products(int nodes)
{
    sn_random random = {.seed = 3};
    sn_elastic materials[4];
    four_materials(materials);
    body b = make_body(shaken_box(3, 3, 2, nodes, &random), materials, 4);
    int size_of = 3 * nodes;
    double *shift = random_vector(&b, &random, 0.6);
    for (int i = 0; i < b.size; ++i) {
        b.x[i] += shift[i];
    }
    for (int kind = SN_STIFFNESS_FROZEN; kind <= SN_STIFFNESS_EXACT; ++kind) {
        assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, (sn_stiffness)kind, NULL), SN_OK);
        double *v = random_vector(&b, &random, 1.0), *y = vector(&b), *z = vector(&b);
        double *diagonal = calloc(SN_DIAGONAL_STRIDE * (size_t)b.vertices, sizeof *diagonal);
        double *blocks = calloc(9 * (size_t)b.vertices, sizeof *blocks);
        sn_solid_add_product(b.solid, NULL, 0.7, v, y);
        sn_solid_add_diagonal(b.solid, NULL, 0.7, diagonal);
        for (int e = 0; e < b.elements; ++e) {
            const int *n = sn_tetrahedra_elements(b.mesh) + nodes * e;
            double k[900];
            sn_solid_stiffness(b.solid, e, k);
            for (int p = 0; p < size_of; ++p) {
                for (int q = 0; q < size_of; ++q) {
                    z[STRIDE * n[p / 3] + p % 3] +=
                        0.7 * k[size_of * p + q] * v[STRIDE * n[q / 3] + q % 3];
                    assert_true(fabs(k[size_of * p + q] - k[size_of * q + p]) <
                                1e-10 * fabs(k[size_of * p + p]) + 1e-8);
                    if (p / 3 == q / 3) {
                        blocks[9 * n[p / 3] + 3 * (p % 3) + q % 3] += 0.7 * k[size_of * p + q];
                    }
                }
            }
        }
        double size = length_of(z, b.size), large = length_of(blocks, 9 * b.vertices);
        for (int i = 0; i < b.size; ++i) {
            assert_true(fabs(y[i] - z[i]) < 1e-12 * size);
        }
        static const int place[9] = {0, 6, 5, 6, 1, 4, 5, 4, 2}; // of a block's numbers
        for (int i = 0; i < 9 * b.vertices; ++i) {
            double own = diagonal[SN_DIAGONAL_STRIDE * (i / 9) + place[i % 9]];
            assert_true(fabs(own - blocks[i]) < 1e-12 * large);
        }
        if (kind != SN_STIFFNESS_EXACT) {
            assert_true(product(v, y, b.size) > 0.0);
        }
        free(v);
        free(y);
        free(z);
        free(diagonal);
        free(blocks);
    }
    free(shift);
    free_body(&b);
}

static void test_products_agree_with_matrices(void **state)
{
    (void)state;
    check_products(4);
    check_products(10);
}

// ---- rotations, and forces and stiffness at once ----

static sn_mat3 random_rotation(sn_random *random)
{
    sn_quat q = {sn_random_range(random, -1, 1), sn_random_range(random, -1, 1),
                 sn_random_range(random, -1, 1), sn_random_range(random, -1, 1)};
    return sn_quat_to_mat3(sn_quat_normalize(q));
}

// F = U diag(stretches) V^T is nearest to U V^T. Lanes of one block are near rest, strained, far
// stretched and squeezed together, in turns, so that each way through the search is met.
static void test_rotations_of_lanes(void **state)
{
    (void)state;
    sn_random random = {.seed = 21};
    static const double reaches[6] = {1e-9, 1e-4, 0.02, 0.3, 2.0, 5.0}; // of stretches' logarithms
    for (int round = 0; round < 600; ++round) {
        sn_lanes3 f, r;
        sn_mat3 expected[SN_LANES];
        for (int l = 0; l < SN_LANES; ++l) {
            double reach = reaches[(round / 6 % 2 ? round + l : round) % 6];
            double even = reach * sn_random_range(&random, -1, 1);
            sn_vec3 stretch = {exp(even + sn_random_range(&random, -0.5, 0.5) * reach),
                               exp(even + sn_random_range(&random, -0.5, 0.5) * reach),
                               exp(even + sn_random_range(&random, -0.5, 0.5) * reach)};
            sn_mat3 u = random_rotation(&random), v = random_rotation(&random);
            sn_mat3 part = sn_mat3_multiply(u, sn_mat3_diagonal(stretch));
            sn_mat3 whole = sn_mat3_multiply(part, sn_mat3_transpose(v));
            expected[l] = sn_mat3_multiply(u, sn_mat3_transpose(v));
            sn_lanes3_set_lane(&f, l, &whole);
        }
        sn_lanes_polar(&f, &r);
        for (int l = 0; l < SN_LANES; ++l) {
            sn_mat3 got = sn_lanes3_lane(&r, l);
            for (int k = 0; k < 9; ++k) {
                assert_true(fabs(got.m[k / 3][k % 3] - expected[l].m[k / 3][k % 3]) < 1e-12);
            }
        }
    }
}

static void check_forces_and_frozen_axes_at_once(int nodes, const sn_elastic *materials,
                                                 double reach)
{
    sn_random random = {.seed = 5};
    body b = make_body(shaken_box(4, 3, 3, nodes, &random), materials, 4);
    double *shift = random_vector(&b, &random, reach), *v = random_vector(&b, &random, 1.0);
    double *f = vector(&b), *g = vector(&b), *y = vector(&b), *z = vector(&b);
    for (int i = 0; i < b.size; ++i) {
        b.x[i] += shift[i];
    }
    sn_solid_add_forces(b.solid, NULL, b.x, f);
    assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, SN_STIFFNESS_FROZEN, NULL), SN_OK);
    sn_solid_add_product(b.solid, NULL, 0.7, v, y);
    assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, SN_STIFFNESS_EXACT, NULL), SN_OK);
    sn_solid_add_forces_frozen(b.solid, NULL, b.x, g);
    sn_solid_add_product(b.solid, NULL, 0.7, v, z);
    assert_true(length_of(f, b.size) > 0.0 && length_of(y, b.size) > 0.0);
    assert_memory_equal(f, g, (size_t)b.size * sizeof *f);
    assert_memory_equal(y, z, (size_t)b.size * sizeof *y);
    free(shift);
    free(v);
    free(f);
    free(g);
    free(y);
    free(z);
    free_body(&b);
}

static void test_forces_and_frozen_axes_at_once(void **state)
{
    (void)state;
    sn_elastic laws[4], turned[4], full[4];
    four_materials(laws);
    for (int k = 0; k < 4; ++k) {
        turned[k] = full[k] = laws[k];
        turned[k].law = full[k].law = SN_ELASTIC_COROTATIONAL;
        full[k].bulk = 50.0; // some of it acts on means
    }
    const sn_elastic *all[3] = {laws, turned, full};
    for (int k = 0; k < 18; ++k) {
        static const double reaches[3] = {1e-3, 0.1, 0.6};
        check_forces_and_frozen_axes_at_once(node_counts[k % 2], all[k / 6], reaches[k / 2 % 3]);
    }
}

// ---- threads ----

static void check_any_number_of_threads_gives_the_same_bits(int nodes)
{
    sn_random random = {.seed = 9};
    sn_elastic materials[4];
    four_materials(materials);
    body b = make_body(shaken_box(7, 5, 5, nodes, &random), materials, 4);
    double *shift = random_vector(&b, &random, 0.1), *v = random_vector(&b, &random, 1.0);
    for (int i = 0; i < b.size; ++i) {
        b.x[i] += shift[i];
    }
    double *first = NULL, energy = 0.0;
    for (int threads = 1; threads <= 4; threads *= 2) {
        sn_threads *pool = NULL;
        assert_int_equal(sn_threads_create(threads, &pool, NULL), SN_OK);
        double *y = vector(&b), e = sn_solid_energy(b.solid, pool, b.x);
        sn_solid_add_forces(b.solid, pool, b.x, y);
        for (int kind = SN_STIFFNESS_FROZEN; kind <= SN_STIFFNESS_PROJECTED; ++kind) {
            sn_solid_linearise(b.solid, pool, b.x, (sn_stiffness)kind, NULL);
            sn_solid_add_product(b.solid, pool, 1.0, v, y);
        }
        sn_threads_destroy(pool);
        if (first == NULL) {
            first = y;
            energy = e;
        } else {
            assert_memory_equal(first, y, (size_t)b.size * sizeof *y);
            assert_memory_equal(&energy, &e, sizeof e);
            free(y);
        }
    }
    free(first);
    free(shift);
    free(v);
    free_body(&b);
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        check_any_number_of_threads_gives_the_same_bits(node_counts[k]);
    }
}

// ---- refusals and memory ----

static void test_refusals_and_memory(void **state)
{
    (void)state;
    sn_random random = {.seed = 10};
    sn_tetrahedra *mesh = shaken_box(3, 3, 3, 4, &random), *curved = NULL;
    sn_elastic materials[4];
    four_materials(materials);
    sn_error error = {0};
    sn_solid *solid = NULL;
    sn_solid_def def = {
        .mesh = mesh, .materials = materials, .material_count = 3, .place = "body 'jelly'"};
    assert_int_equal(sn_solid_create(&def, &solid, &error), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "region 3"));
    assert_string_equal(error.place, "body 'jelly'");
    def.material_count = 4;
    materials[2].shear = -1.0;
    assert_int_equal(sn_solid_create(&def, &solid, &error), SN_ERROR_ARGUMENT);
    materials[2].shear = 1.0;
    assert_int_equal(sn_tetrahedra_quadratic(mesh, &curved, NULL), SN_OK);
    def.mesh = curved;
    def.rest = &(sn_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    assert_int_equal(sn_solid_create(&def, &solid, &error), SN_ERROR_ARGUMENT);
    def.rest = NULL;
    def.mesh = mesh;
    double density = 1.0;
    int failures = 0;
    for (int after = 0;; ++after) {
        double *x = calloc(STRIDE * (size_t)sn_tetrahedra_vertex_count(mesh), sizeof *x);
        sn_mass mass = {0};
        sn_allocation_fail_after(after);
        sn_status status = sn_solid_create(&def, &solid, &error);
        if (status == SN_OK) {
            status = sn_solid_linearise(solid, NULL, x, SN_STIFFNESS_PROJECTED, &error);
        }
        if (status == SN_OK) {
            status = sn_mass_create(mesh, &density, 1, SN_MASS_CONSISTENT, NULL, &mass, &error);
        }
        sn_allocation_fail_after(-1);
        sn_mass_free(&mass);
        sn_solid_destroy(solid);
        solid = NULL;
        free(x);
        if (status == SN_OK) {
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        ++failures;
    }
    assert_true(failures > 15);
    sn_tetrahedra_release(mesh);
    sn_tetrahedra_release(curved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_agree_with_materials),
        cmocka_unit_test(test_forces_and_stiffness_are_derivatives),
        cmocka_unit_test(test_products_agree_with_matrices),
        cmocka_unit_test(test_rotations_of_lanes),
        cmocka_unit_test(test_forces_and_frozen_axes_at_once),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_refusals_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
