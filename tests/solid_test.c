// Linear tetrahedra: lanes against the materials one by one, forces and stiffness against
// differences, patch test, rigid motions, momentum, any number of threads, mass matrices.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "elastic/mass.h"
#include "elastic/polar.h"
#include "elastic/rayleigh.h"
#include "elastic/solid.h"

enum { STRIDE = SN_SOLID_STRIDE };

typedef struct body {
    sn_tetrahedra *mesh;
    sn_solid *solid;
    int vertices, elements, size; // numbers of a vector
    double *x;                    // deformed
} body;

static double *vector(const body *b)
{
    return calloc((size_t)b->size, sizeof(double));
}

static double *random_vector(const body *b, sn_random *random, double reach)
{
    double *v = vector(b);
    for (int i = 0; i < b->size; ++i) {
        v[i] = i % STRIDE < 3 ? sn_random_range(random, -reach, reach) : 0.0;
    }
    return v;
}

// A box with vertices inside shaken, in four regions, of 4 or 10 nodes.
static sn_tetrahedra *shaken_box(int x, int y, int z, int nodes, sn_random *random)
{
    sn_tetrahedra_box box = {.size = {x, y, z}, .cells = {x, y, z}, .cell = SN_CELL_SIX_MIRRORED};
    sn_tetrahedra *plain = NULL, *mesh = NULL;
    sn_error error = {0};
    assert_int_equal(sn_tetrahedra_make_box(&box, &plain, &error), SN_OK);
    int vertices = sn_tetrahedra_vertex_count(plain), elements = sn_tetrahedra_element_count(plain);
    sn_vec3 *p = malloc((size_t)vertices * sizeof *p);
    int *regions = malloc((size_t)elements * sizeof *regions);
    for (int i = 0; i < vertices; ++i) {
        p[i] = sn_tetrahedra_positions(plain)[i];
        if (fabs(p[i].x) < 0.49 * x && fabs(p[i].y) < 0.49 * y && fabs(p[i].z) < 0.49 * z) {
            p[i].x += sn_random_range(random, -0.15, 0.15);
            p[i].y += sn_random_range(random, -0.15, 0.15);
            p[i].z += sn_random_range(random, -0.15, 0.15);
        }
    }
    for (int e = 0; e < elements; ++e) {
        regions[e] = sn_random_below(random, 4);
    }
    sn_tetrahedra_def def = sn_default_tetrahedra_def();
    def.positions = p;
    def.vertex_count = vertices;
    def.elements = sn_tetrahedra_elements(plain);
    def.element_count = elements;
    def.regions = regions;
    assert_int_equal(sn_tetrahedra_create(&def, &mesh, &error), SN_OK);
    free(p);
    free(regions);
    sn_tetrahedra_release(plain);
    if (nodes == 10) {
        sn_tetrahedra *quadratic = NULL;
        assert_int_equal(sn_tetrahedra_quadratic(mesh, &quadratic, &error), SN_OK);
        sn_tetrahedra_release(mesh);
        mesh = quadratic;
    }
    return mesh;
}

static const int node_counts[2] = {4, 10};

static body make_body(sn_tetrahedra *mesh, const sn_elastic *materials, int count)
{
    sn_error error = {0};
    body b = {.mesh = mesh,
              .vertices = sn_tetrahedra_vertex_count(mesh),
              .elements = sn_tetrahedra_element_count(mesh)};
    b.size = STRIDE * b.vertices;
    sn_solid_def def = {.mesh = mesh, .materials = materials, .material_count = count};
    if (sn_solid_create(&def, &b.solid, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    b.x = vector(&b);
    sn_solid_pad(b.solid, &sn_tetrahedra_positions(mesh)->x, b.x);
    return b;
}

static void free_body(body *b)
{
    free(b->x);
    sn_solid_destroy(b->solid);
    sn_tetrahedra_release(b->mesh);
}

// One material of each law, the second with fibres.
static void four_materials(sn_elastic materials[4])
{
    for (int law = 0; law < 4; ++law) {
        materials[law] = (sn_elastic){
            .law = (sn_elastic_law)law, .bulk = 2.0 + 0.3 * law, .shear = 1.0 - 0.1 * law};
    }
    materials[1].fibre_stiffness = 3.0;
    materials[1].fibre = (sn_vec3){0.6, 0.0, 0.8};
}

static double length_of(const double *v, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += v[i] * v[i];
    }
    return sqrt(sum);
}

static double product(const double *a, const double *b, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

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

// ---- motions ----

static void deform(const body *b, const sn_mat3 *a, sn_vec3 shift, double *x)
{
    for (int i = 0; i < b->vertices; ++i) {
        sn_vec3 p = sn_mat3_apply(*a, sn_tetrahedra_positions(b->mesh)[i]);
        sn_vec3_put(x + STRIDE * i, sn_vec3_add(p, shift));
        x[STRIDE * i + 3] = 0.0;
    }
}

static void check_rigid_motions_give_no_force(int nodes)
{
    sn_random random = {.seed = 4};
    sn_elastic materials[4];
    four_materials(materials);
    body b = make_body(shaken_box(4, 3, 2, nodes, &random), materials, 4);
    double *f = vector(&b), *y = vector(&b), *v = vector(&b);
    for (int round = 0; round < 10; ++round) {
        sn_quat q = {sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1),
                     sn_random_range(&random, -1, 1), sn_random_range(&random, -1, 1)};
        sn_mat3 r = sn_quat_to_mat3(sn_quat_normalize(q));
        deform(&b, &r, (sn_vec3){3, -2, 5}, b.x);
        memset(f, 0, (size_t)b.size * sizeof *f);
        sn_solid_add_forces(b.solid, NULL, b.x, f);
        assert_true(length_of(f, b.size) < 1e-12);
        assert_true(sn_solid_energy(b.solid, NULL, b.x) < 1e-13 * b.elements);
        // Turning on costs nothing either, in the stiffness.
        sn_mat3 spin = sn_mat3_multiply(sn_mat3_cross((sn_vec3){0.3, 1.0, -0.4}), r);
        deform(&b, &spin, (sn_vec3){1, 2, 3}, v);
        memset(y, 0, (size_t)b.size * sizeof *y);
        assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, SN_STIFFNESS_FROZEN, NULL), SN_OK);
        sn_solid_add_product(b.solid, NULL, 1.0, v, y);
        assert_true(length_of(y, b.size) < 1e-12 * length_of(v, b.size));
    }
    free(f);
    free(y);
    free(v);
    free_body(&b);
}

static void test_rigid_motions_give_no_force(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        check_rigid_motions_give_no_force(node_counts[k]);
    }
}

static void check_momentum_is_kept(int nodes)
{
    sn_random random = {.seed = 5};
    sn_elastic materials[4];
    four_materials(materials);
    body b = make_body(shaken_box(4, 3, 2, nodes, &random), materials, 4);
    double *shift = random_vector(&b, &random, 0.3), *f = vector(&b);
    for (int i = 0; i < b.size; ++i) {
        b.x[i] += shift[i];
    }
    sn_solid_add_forces(b.solid, NULL, b.x, f);
    sn_vec3 force = SN_VEC3_ZERO, moment = SN_VEC3_ZERO;
    for (int i = 0; i < b.vertices; ++i) {
        sn_vec3 at = sn_vec3_at(b.x + STRIDE * i), push = sn_vec3_at(f + STRIDE * i);
        force = sn_vec3_add(force, push);
        moment = sn_vec3_add(moment, sn_cross(at, push));
    }
    double size = length_of(f, b.size);
    assert_true(sn_length(force) < 1e-13 * size && sn_length(moment) < 1e-12 * size);
    free(shift);
    free(f);
    free_body(&b);
}

static void test_momentum_is_kept(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        check_momentum_is_kept(node_counts[k]);
    }
}

// An affine deformation is an equilibrium inside, whatever the mesh (one material of each law).
static void test_patch(void **state)
{
    (void)state;
    sn_random random = {.seed = 6};
    const sn_mat3 affine = {{{1.2, 0.3, -0.1}, {0.05, 0.9, 0.2}, {-0.2, 0.1, 1.1}}};
    sn_elastic materials[4];
    four_materials(materials);
    for (int law = 0; law < 8; ++law) {
        body b =
            make_body(shaken_box(4, 4, 4, node_counts[law / 4], &random), &materials[law % 4], 1);
        double *f = vector(&b), inside = 0.0, outside = 0.0;
        deform(&b, &affine, (sn_vec3){0.5, 0.0, 0.0}, b.x);
        sn_solid_add_forces(b.solid, NULL, b.x, f);
        for (int i = 0; i < b.vertices; ++i) {
            sn_vec3 p = sn_tetrahedra_positions(b.mesh)[i];
            bool within = fabs(p.x) < 1.9 && fabs(p.y) < 1.9 && fabs(p.z) < 1.9;
            double size = sn_length(sn_vec3_at(f + STRIDE * i));
            inside = within ? fmax(inside, size) : inside;
            outside = within ? outside : fmax(outside, size);
        }
        assert_true(inside < 1e-12 * outside && outside > 0.01);
        free(f);
        free_body(&b);
    }
}

// Elements with a rest shape of their own: a bar bent into a ring at rest is under stress.
static void test_rest_shapes_of_elements(void **state)
{
    (void)state;
    sn_random random = {.seed = 7};
    sn_elastic material = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 1.0, 0.3);
    sn_tetrahedra *mesh = shaken_box(2, 2, 2, 4, &random);
    int elements = sn_tetrahedra_element_count(mesh);
    sn_mat3 *rest = malloc((size_t)elements * sizeof *rest);
    for (int e = 0; e < elements; ++e) {
        const int *v = sn_tetrahedra_elements(mesh) + 4 * e;
        const sn_vec3 *p = sn_tetrahedra_positions(mesh);
        for (int k = 0; k < 3; ++k) {
            sn_vec3 d = sn_vec3_scale(0.5, sn_vec3_sub(p[v[k + 1]], p[v[0]]));
            rest[e].m[0][k] = d.x;
            rest[e].m[1][k] = d.y;
            rest[e].m[2][k] = d.z;
        }
    }
    sn_solid *solid = NULL;
    sn_error error = {0};
    sn_solid_def def = {.mesh = mesh, .materials = &material, .material_count = 1, .rest = rest};
    assert_int_equal(sn_solid_create(&def, &solid, &error), SN_OK);
    double *x = calloc(STRIDE * (size_t)sn_tetrahedra_vertex_count(mesh), sizeof *x);
    sn_solid_pad(solid, &sn_tetrahedra_positions(mesh)->x, x);
    // F = 2: energy density G 3 + lambda/2 9 = 9/2 K, of an eighth of the volume.
    assert_true(fabs(sn_solid_energy(solid, NULL, x) - 4.5 * material.bulk) < 1e-12);
    sn_solid_destroy(solid);
    rest[3] = SN_MAT3_ZERO;
    assert_int_equal(sn_solid_create(&def, &solid, &error), SN_ERROR_GEOMETRY);
    assert_non_null(strstr(error.text, "element 3"));
    free(rest);
    free(x);
    sn_tetrahedra_release(mesh);
}

// ---- viscosity ----

static void test_viscous_forces(void **state)
{
    (void)state;
    sn_random random = {.seed = 8};
    sn_elastic material = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 1.0, 0.3);
    body b = make_body(shaken_box(3, 2, 2, 4, &random), &material, 1);
    const sn_viscosity laws[4] = {{1, 2}, {0.5, 0.1}, {0, 3}, {2, 0}};
    double *shift = random_vector(&b, &random, 0.1), *v = random_vector(&b, &random, 1.0);
    double *f = vector(&b), *none = vector(&b), *scratch = vector(&b);
    for (int i = 0; i < b.size; ++i) {
        b.x[i] += shift[i];
    }
    for (int current = 0; current < 2; ++current) {
        memset(f, 0, (size_t)b.size * sizeof *f);
        double power = sn_solid_add_viscous_forces(b.solid, laws, 4, current, b.x, v, f);
        assert_true(power > 0.0 && fabs(product(f, v, b.size) + power) < 1e-12 * power);
        for (int i = 0; i < b.size; i += 7) { // -1/2 dW/dv, exact for a quadratic
            double h = 0.1, kept = v[i], w[2];
            for (int s = 0; s < 2; ++s) {
                v[i] = kept + (s == 0 ? h : -h);
                w[s] = sn_solid_add_viscous_forces(b.solid, laws, 4, current, b.x, v, scratch);
            }
            v[i] = kept;
            if (i % STRIDE < 3) {
                assert_true(fabs(f[i] + (w[0] - w[1]) / (4.0 * h)) < 1e-10 * power);
            }
        }
    }
    sn_mat3 spin = sn_mat3_cross((sn_vec3){0.3, 1.0, -0.4});
    for (int i = 0; i < b.vertices; ++i) {
        sn_vec3_put(v + STRIDE * i, sn_mat3_apply(spin, sn_vec3_at(b.x + STRIDE * i)));
    }
    assert_true(sn_solid_add_viscous_forces(b.solid, laws, 4, true, b.x, v, none) < 1e-26);
    assert_true(length_of(none, b.size) < 1e-13);
    free(shift);
    free(v);
    free(f);
    free(none);
    free(scratch);
    free_body(&b);
}

// Forces oppose the velocity, a rigid rotation is damped by mass alone, and the two coefficients
// give modes the share of critical damping that was asked for.
static void test_rayleigh_damping(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    sn_elastic material = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 1.0, 0.3);
    body b = make_body(shaken_box(3, 2, 2, 4, &random), &material, 1);
    double density = 2.0, *v = random_vector(&b, &random, 1.0), *f = vector(&b), *y = vector(&b);
    sn_mass mass;
    assert_int_equal(sn_mass_create(b.mesh, &density, 1, SN_MASS_LUMPED, NULL, &mass, NULL), SN_OK);
    assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, SN_STIFFNESS_FROZEN, NULL), SN_OK);
    sn_rayleigh damping = sn_rayleigh_from_ratios(3.0, 0.02, 30.0, 0.05);
    const double w[2] = {2.0 * SN_PI * 3.0, 2.0 * SN_PI * 30.0}, z[2] = {0.02, 0.05};
    for (int k = 0; k < 2; ++k) {
        double ratio = damping.mass_rate / (2.0 * w[k]) + damping.stiffness_time * w[k] / 2.0;
        assert_true(fabs(ratio - z[k]) < 1e-15);
    }
    sn_rayleigh_add_forces(&damping, &mass, b.solid, NULL, v, f);
    sn_mass_add_product(&mass, STRIDE, damping.mass_rate, v, y);
    sn_solid_add_product(b.solid, NULL, damping.stiffness_time, v, y);
    assert_true(product(f, v, b.size) < 0.0);
    for (int i = 0; i < b.size; ++i) {
        assert_true(fabs(f[i] + y[i]) < 1e-14);
    }
    sn_mat3 spin = sn_mat3_cross((sn_vec3){0.3, 1.0, -0.4});
    deform(&b, &spin, (sn_vec3){1, 2, 3}, v);
    memset(f, 0, (size_t)b.size * sizeof *f);
    damping.mass_rate = 0.0;
    sn_rayleigh_add_forces(&damping, &mass, b.solid, NULL, v, f);
    assert_true(length_of(f, b.size) < 1e-13);
    free(v);
    free(f);
    free(y);
    sn_mass_free(&mass);
    free_body(&b);
}

// ---- bending ----

// Tip of a beam 4 x 1 x 1 m under its weight by Hooke's law, by conjugate gradients with the
// elements' own products, the end at x = -2 held.
static double beam_tip(int cells, int nodes, double poisson)
{
    sn_tetrahedra_box box = {
        .size = {4, 1, 1}, .cells = {4 * cells, cells, cells}, .cell = SN_CELL_SIX_MIRRORED};
    sn_tetrahedra *mesh = NULL, *quadratic = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    if (nodes == 10) {
        assert_int_equal(sn_tetrahedra_quadratic(mesh, &quadratic, NULL), SN_OK);
        sn_tetrahedra_release(mesh);
        mesh = quadratic;
    }
    sn_elastic material = sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 1e7, poisson);
    body b = make_body(mesh, &material, 1);
    double density = 1000.0, *u = vector(&b), *r = vector(&b), *p = vector(&b), *y = vector(&b);
    sn_mass mass;
    assert_int_equal(sn_mass_create(mesh, &density, 1, SN_MASS_CONSISTENT, NULL, &mass, NULL),
                     SN_OK);
    assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, SN_STIFFNESS_FROZEN, NULL), SN_OK);
    for (int i = 0; i < b.vertices; ++i) {
        y[STRIDE * i + 2] = -9.81;
    }
    sn_mass_add_product(&mass, STRIDE, 1.0, y, r); // weights
    double rr = 0.0, first = 0.0;
    for (int turn = 0; turn < 4000; ++turn) {
        for (int i = 0; i < b.size; ++i) {
            r[i] = b.x[i / STRIDE * STRIDE] < -1.999 ? 0.0 : r[i];
        }
        double next = product(r, r, b.size);
        first = turn == 0 ? next : first;
        if (next < 1e-20 * first) {
            break;
        }
        for (int i = 0; i < b.size; ++i) {
            p[i] = r[i] + (turn == 0 ? 0.0 : next / rr) * p[i];
        }
        rr = next;
        memset(y, 0, (size_t)b.size * sizeof *y);
        sn_solid_add_product(b.solid, NULL, 1.0, p, y);
        double step = rr / product(p, y, b.size);
        for (int i = 0; i < b.size; ++i) {
            u[i] += step * p[i];
            r[i] -= step * y[i];
        }
    }
    double tip = 0.0;
    for (int i = 0; i < b.vertices; ++i) { // the middle of the free end
        const double *x = b.x + STRIDE * i;
        tip = x[0] > 1.999 && fabs(x[1]) < 1e-9 && fabs(x[2]) < 1e-9 ? u[STRIDE * i + 2] : tip;
    }
    free(u);
    free(r);
    free(p);
    free(y);
    sn_mass_free(&mass);
    free_body(&b);
    return tip;
}

// Reference -0.3911001 m for E = 10 MPa, nu = 0.3 (GetFEM, FEniCSx and CalculiX agree).
static void test_ten_nodes_bend_without_locking(void **state)
{
    (void)state;
    double linear = beam_tip(2, 4, 0.3), quadratic = beam_tip(2, 10, 0.3);
    if (getenv("SINEW_PRINT") != NULL) {
        print_message("4 nodes %.7f, %.7f; 10 nodes %.7f, %.7f; nu 0.49: %.7f %.7f\n", linear,
                      beam_tip(4, 4, 0.3), quadratic, beam_tip(4, 10, 0.3), beam_tip(2, 10, 0.49),
                      beam_tip(4, 10, 0.49));
    }
    assert_true(fabs(quadratic / -0.3911001 - 1.0) < 0.01);
    assert_true(linear > -0.3);
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

// ---- mass ----

static sn_tetrahedra *box_of(int x, int y, int z)
{
    sn_tetrahedra_box box = {.size = {x, y, z}, .cells = {x, y, z}, .cell = SN_CELL_SIX};
    sn_tetrahedra *mesh = NULL;
    assert_int_equal(sn_tetrahedra_make_box(&box, &mesh, NULL), SN_OK);
    return mesh;
}

static double sum_of_entries(const sn_mass *mass)
{
    double sum = 0.0;
    for (int i = 0; i < mass->vertex_count; ++i) {
        sum += mass->diagonal[i];
    }
    for (int p = 0; p < mass->pair_count; ++p) {
        sum += 2.0 * mass->entries[p];
    }
    return sum;
}

// Digest 12.3: cube of six 138 non-zeros, torus 5460, bed, cube and ball 8901 together.
static void test_mass_matrices_of_the_thesis(void **state)
{
    (void)state;
    sn_tetrahedra *meshes[5] = {box_of(1, 1, 1), NULL, box_of(8, 8, 2), box_of(2, 2, 2), NULL};
    sn_tetrahedra_torus torus = sn_default_tetrahedra_torus();
    assert_int_equal(sn_tetrahedra_make_torus(&torus, &meshes[1], NULL), SN_OK);
    assert_int_equal(sn_tetrahedra_make_sphere(1.0, 1, &meshes[4], NULL), SN_OK);
    int64_t nonzeros[5];
    for (int m = 0; m < 5; ++m) {
        double density = 3.0;
        sn_mass mass;
        sn_error error = {0};
        assert_int_equal(
            sn_mass_create(meshes[m], &density, 1, SN_MASS_CONSISTENT, NULL, &mass, &error), SN_OK);
        nonzeros[m] = sn_mass_nonzeros(&mass);
        sn_tetrahedra_quality quality;
        assert_true(sn_tetrahedra_measure(meshes[m], &quality));
        assert_true(fabs(mass.total - 3.0 * quality.volume) < 1e-12 * mass.total);
        assert_true(fabs(sum_of_entries(&mass) - mass.total) < 1e-12 * mass.total);
        sn_mass_free(&mass);
        sn_tetrahedra_release(meshes[m]);
    }
    assert_int_equal(nonzeros[0], 138);
    assert_int_equal(nonzeros[1], 5460);
    assert_int_equal(nonzeros[2] + nonzeros[3] + nonzeros[4], 8901);
}

// Kinetic energy of linear velocities is that of the rigid body: v = A x + b, exactly, for
// consistent matrices of 4 and 10 nodes; lumped ones keep the mass and its centre.
static void test_mass_matrices_integrate(void **state)
{
    (void)state;
    sn_tetrahedra *mesh = box_of(2, 1, 3), *curved = NULL;
    assert_int_equal(sn_tetrahedra_quadratic(mesh, &curved, NULL), SN_OK);
    const sn_mat3 a = {{{0.3, 1.0, -0.5}, {0.2, -0.7, 0.1}, {0.9, 0.4, 0.6}}};
    const sn_vec3 shift = {1.0, 2.0, -1.0}, inertia = {4.0 / 12, 1.0 / 12, 9.0 / 12};
    double density = 2.0, exact = sn_dot(shift, shift); // mean of |A x + b|^2 over the box
    for (int i = 0; i < 3; ++i) {
        exact += a.m[i][0] * a.m[i][0] * inertia.x + a.m[i][1] * a.m[i][1] * inertia.y +
                 a.m[i][2] * a.m[i][2] * inertia.z;
    }
    for (int m = 0; m < 4; ++m) {
        const sn_tetrahedra *t = m < 2 ? mesh : curved;
        sn_mass mass;
        assert_int_equal(sn_mass_create(t, &density, 1,
                                        m % 2 == 0 ? SN_MASS_CONSISTENT : SN_MASS_LUMPED, NULL,
                                        &mass, NULL),
                         SN_OK);
        int count = sn_tetrahedra_vertex_count(t);
        double *v = calloc(3 * (size_t)count, sizeof *v), *y = calloc(3 * (size_t)count, sizeof *y);
        for (int i = 0; i < count; ++i) {
            sn_vec3 p = sn_mat3_apply(a, sn_tetrahedra_positions(t)[i]);
            sn_vec3_put(v + 3 * i, sn_vec3_add(p, shift));
            assert_true(mass.diagonal[i] > 0.0);
        }
        sn_mass_add_product(&mass, 3, 1.0, v, y);
        double energy = product(v, y, 3 * count);
        assert_true(fabs(sum_of_entries(&mass) - 12.0) < 1e-12);
        if (m % 2 == 0) {
            assert_true(fabs(energy - 12.0 * exact) < 1e-12 * energy);
        } else {
            assert_true(energy > 12.0 * exact); // masses at vertices stand farther out
        }
        free(v);
        free(y);
        sn_mass_free(&mass);
    }
    double wrong = -1.0;
    sn_mass mass;
    sn_error error = {0};
    assert_int_equal(sn_mass_create(mesh, &wrong, 1, SN_MASS_LUMPED, NULL, &mass, &error),
                     SN_ERROR_ARGUMENT);
    sn_tetrahedra_release(mesh);
    sn_tetrahedra_release(curved);
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
        cmocka_unit_test(test_rigid_motions_give_no_force),
        cmocka_unit_test(test_momentum_is_kept),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_rest_shapes_of_elements),
        cmocka_unit_test(test_viscous_forces),
        cmocka_unit_test(test_rayleigh_damping),
        cmocka_unit_test(test_ten_nodes_bend_without_locking),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_mass_matrices_of_the_thesis),
        cmocka_unit_test(test_mass_matrices_integrate),
        cmocka_unit_test(test_refusals_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
