// Plastic flow: yield, hardening and relaxation against closed forms, volume, energy, limits, rates
// against differences; and of solids: shapes at rest, derivatives, threads, memory.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "elastic/plastic.h"
#include "elastic/solid.h"

enum { STRIDE = SN_SOLID_STRIDE, STATE = SN_PLASTIC_STATE };

static sn_mat3 random_matrix(sn_random *random, double reach)
{
    sn_mat3 f = SN_MAT3_IDENTITY;
    for (int i = 0; i < 9; ++i) {
        f.m[i / 3][i % 3] += sn_random_range(random, -reach, reach);
    }
    return f;
}

static sn_mat3 random_turn(sn_random *random)
{
    sn_quat q = {sn_random_range(random, -1, 1), sn_random_range(random, -1, 1),
                 sn_random_range(random, -1, 1), sn_random_range(random, -1, 1)};
    return sn_quat_to_mat3(sn_quat_normalize(q));
}

static sn_mat3 elastic_part(const sn_mat3 *f, const double *state)
{
    return sn_mat3_multiply(*f, sn_plastic_inverse(state));
}

// ---- points ----

// Simple shear g of Hooke's law at small strains: t = G g up to yield at Y / sqrt 3, from there on
// with the modulus G H / (3 G + H).
static void test_shear_yields_and_hardens(void **state)
{
    (void)state;
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        sn_elastic material = {.law = (sn_elastic_law)law, .bulk = 3.0, .shear = 2.0};
        sn_plastic plastic = {.yield_stress = 1e-6, .hardening = 1.5};
        double s[STATE], first = 1e-6 / sqrt(3.0) / 2.0; // strain at yield
        sn_plastic_start(s);
        for (int k = 1; k <= 40; ++k) {
            double shear = 0.1 * k * first;
            sn_mat3 f = SN_MAT3_IDENTITY, fe, p;
            f.m[0][1] = shear;
            fe = elastic_part(&f, s);
            bool flows = sn_plastic_flow(&material, &plastic, 0.01, &fe, s);
            assert_int_equal(flows, k > 10);
            fe = elastic_part(&f, s);
            sn_elastic_stress(&material, &fe, &p);
            double modulus = 2.0 * 1.5 / (3.0 * 2.0 + 1.5);
            double wanted = k <= 10 ? 2.0 * shear : 2.0 * first + modulus * (shear - first);
            assert_true(fabs(p.m[0][1] - wanted) < 1e-5 * wanted);
        }
        // Back from there it is elastic, until the shear is as strong the other way.
        sn_mat3 f = SN_MAT3_IDENTITY, fe;
        f.m[0][1] = 3.0 * first;
        fe = elastic_part(&f, s);
        assert_false(sn_plastic_flow(&material, &plastic, 0.01, &fe, s));
    }
}

// Flow under any load keeps the volume and loses the energy that it tells.
static void test_flow_loses_energy_and_no_volume(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    for (int k = 0; k < 400; ++k) {
        sn_elastic material = {.law = (sn_elastic_law)(k % SN_ELASTIC_LAW_COUNT),
                               .bulk = sn_random_range(&random, 1.0, 20.0),
                               .shear = 1.0};
        sn_plastic plastic = {.yield_stress = sn_random_range(&random, 0.05, 0.5),
                              .hardening = k % 3 == 0 ? 0.0 : 0.4};
        double s[STATE];
        sn_plastic_start(s);
        for (int turn = 0; turn < 5; ++turn) {
            sn_mat3 f = random_matrix(&random, 0.3), fe = elastic_part(&f, s);
            double before = sn_elastic_energy(&material, &fe), heat = s[SN_PLASTIC_HEAT];
            double strain = s[SN_PLASTIC_STRAIN];
            if (sn_mat3_determinant(f) < 0.2) {
                continue;
            }
            double stress = sn_plastic_stress(&material, &fe);
            bool flows = sn_plastic_flow(&material, &plastic, 1.0, &fe, s);
            fe = elastic_part(&f, s);
            double after = sn_elastic_energy(&material, &fe);
            assert_true(fabs(sn_mat3_determinant(sn_plastic_inverse(s)) - 1.0) < 1e-14);
            assert_true(fabs(before - after - (s[SN_PLASTIC_HEAT] - heat)) < 1e-12 * before);
            double yield = plastic.yield_stress + plastic.hardening * strain;
            if (material.law == SN_ELASTIC_LIESENFELD || material.law == SN_ELASTIC_NEO_HOOKEAN) {
                assert_int_equal(flows, stress > yield); // others may not, where squeezed
            }
            assert_true(flows ? s[SN_PLASTIC_STRAIN] > strain && after < before : after == before);
        }
    }
}

// Uniaxial stretches keep their direction: the stress comes down to yield itself. St. Venant's law
// is left out where it softens.
static void test_uniaxial_yield(void **state)
{
    (void)state;
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        sn_elastic material = {.law = (sn_elastic_law)law, .bulk = 3.0, .shear = 1.0};
        sn_plastic plastic = {.yield_stress = 0.2, .hardening = 0.7};
        double s[STATE];
        sn_plastic_start(s);
        sn_mat3 f = sn_mat3_diagonal((sn_vec3){1.3, 0.95, 0.95}), fe = f;
        assert_true(sn_plastic_flow(&material, &plastic, 1.0, &fe, s));
        fe = elastic_part(&f, s);
        double yield = 0.2 + 0.7 * s[SN_PLASTIC_STRAIN];
        assert_true(fabs(sn_plastic_stress(&material, &fe) - yield) < 1e-12);
        // Fp = diag(e^a, e^-a/2, e^-a/2) with a the strain
        sn_mat3 p = sn_plastic_inverse(s);
        double a = s[SN_PLASTIC_STRAIN];
        assert_true(fabs(p.m[0][0] - exp(-a)) < 1e-14 && fabs(p.m[1][1] - exp(0.5 * a)) < 1e-14);
        assert_true(fabs(sn_plastic_total(s) - a) < 1e-14);
        assert_false(sn_plastic_flow(&material, &(sn_plastic){.yield_stress = 0.9}, 1.0, &fe, s));
    }
}

// Held, stress above yield goes as exp(-rate t), in whatever steps; without yield it is Maxwell's
// fluid.
static void test_relaxation(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * SN_ELASTIC_LAW_COUNT; ++k) {
        sn_elastic material = {
            .law = (sn_elastic_law)(k % SN_ELASTIC_LAW_COUNT), .bulk = 3.0, .shear = 1.0};
        sn_plastic plastic = {.yield_stress = k < SN_ELASTIC_LAW_COUNT ? 1e-5 : 0.0,
                              .creep_rate = 2.5};
        sn_mat3 f = sn_mat3_diagonal((sn_vec3){1.0 + 4e-5, 1.0, 1.0}), fe = f;
        double one[STATE], many[STATE], first = sn_plastic_stress(&material, &f);
        sn_plastic_start(one);
        sn_plastic_start(many);
        sn_plastic_flow(&material, &plastic, 0.6, &fe, one);
        for (int step = 0; step < 60; ++step) {
            fe = elastic_part(&f, many);
            sn_plastic_flow(&material, &plastic, 0.01, &fe, many);
        }
        for (int i = 0; i < 10; ++i) {
            assert_true(fabs(one[i] - many[i]) < 1e-14);
        }
        fe = elastic_part(&f, many);
        double wanted = plastic.yield_stress + (first - plastic.yield_stress) * exp(-2.5 * 0.6);
        assert_true(fabs(sn_plastic_stress(&material, &fe) - wanted) < 1e-4 * first);
    }
}

// Turning the body changes nothing, turning it at rest turns Fp.
static void test_flow_turns_with_the_body(void **state)
{
    (void)state;
    sn_random random = {.seed = 12};
    for (int k = 0; k < 40; ++k) {
        sn_elastic material = {
            .law = (sn_elastic_law)(k % SN_ELASTIC_LAW_COUNT), .bulk = 3.0, .shear = 1.0};
        sn_plastic plastic = {.yield_stress = 0.1, .creep_rate = 3.0, .hardening = 0.2};
        sn_mat3 f = random_matrix(&random, 0.2), a = random_turn(&random), b = random_turn(&random);
        sn_mat3 turned = sn_mat3_multiply(sn_mat3_multiply(a, f), sn_mat3_transpose(b));
        double s[STATE], t[STATE];
        sn_plastic_start(s);
        sn_plastic_start(t);
        sn_plastic_flow(&material, &plastic, 0.3, &f, s);
        sn_plastic_flow(&material, &plastic, 0.3, &turned, t);
        sn_mat3 back =
            sn_mat3_multiply(sn_mat3_multiply(sn_mat3_transpose(b), sn_plastic_inverse(t)), b);
        for (int i = 0; i < 9; ++i) {
            assert_true(fabs(back.m[i / 3][i % 3] - s[i]) < 1e-12);
        }
    }
}

static void test_limit_bounds_the_total_strain(void **state)
{
    (void)state;
    sn_random random = {.seed = 13};
    int reached = 0;
    for (int k = 0; k < 40; ++k) {
        sn_elastic material = {
            .law = (sn_elastic_law)(k % SN_ELASTIC_LAW_COUNT), .bulk = 3.0, .shear = 1.0};
        sn_plastic plastic = {.yield_stress = 0.02, .limit = 0.15};
        double s[STATE];
        sn_plastic_start(s);
        for (int turn = 0; turn < 10; ++turn) {
            sn_mat3 f = random_matrix(&random, 0.25), fe = elastic_part(&f, s);
            sn_plastic_flow(&material, &plastic, 1.0, &fe, s);
            assert_true(sn_plastic_total(s) <= 0.15 * (1.0 + 1e-12));
            reached += sn_plastic_total(s) > 0.15 * (1.0 - 1e-9);
        }
    }
    assert_true(reached > 40);
}

static void test_rates_are_derivatives(void **state)
{
    (void)state;
    sn_random random = {.seed = 14};
    for (int k = 0; k < 40; ++k) {
        sn_elastic material = {
            .law = (sn_elastic_law)(k % SN_ELASTIC_LAW_COUNT), .bulk = 3.0, .shear = 1.0};
        sn_plastic plastic = {.yield_stress = 0.05, .creep_rate = 4.0, .hardening = 0.3};
        double start[STATE], rate[STATE], one[STATE], two[STATE], h = 1e-5;
        sn_plastic_start(start);
        sn_mat3 f = random_matrix(&random, 0.2), fe = f;
        sn_plastic_flow(&material, &plastic, 0.1, &fe, start);
        fe = elastic_part(&f, start);
        sn_plastic_rate(&material, &plastic, &fe, start, rate);
        memcpy(one, start, sizeof one);
        memcpy(two, start, sizeof two);
        sn_plastic_flow(&material, &plastic, h, &fe, one);
        sn_plastic_flow(&material, &plastic, 2.0 * h, &fe, two);
        for (int i = 0; i < STATE; ++i) {
            double slope = (4.0 * one[i] - 3.0 * start[i] - two[i]) / (2.0 * h);
            assert_true(fabs(slope - rate[i]) < 1e-7);
        }
    }
}

static void test_inverted_points_wait(void **state)
{
    (void)state;
    sn_elastic material = {.law = SN_ELASTIC_NEO_HOOKEAN, .bulk = 3.0, .shear = 1.0};
    sn_plastic plastic = {.yield_stress = 0.01};
    double s[STATE], start[STATE];
    sn_plastic_start(start);
    const double odd[3] = {-0.5, 0.0, NAN};
    for (int k = 0; k < 3; ++k) {
        sn_mat3 f = sn_mat3_diagonal((sn_vec3){1.0, 1.2, odd[k]});
        sn_plastic_start(s);
        assert_false(sn_plastic_flow(&material, &plastic, 1.0, &f, s));
        assert_memory_equal(s, start, sizeof s);
    }
}

// ---- solids ----

typedef struct body {
    sn_tetrahedra *mesh;
    sn_solid *solid;
    int vertices, elements, size, states;
    double *x, *state;
} body;

static body make_body(int nodes, sn_elastic_law law, double bulk, const sn_plastic *plastic)
{
    sn_tetrahedra_box box = {.size = {3, 2, 2}, .cells = {3, 2, 2}, .cell = SN_CELL_SIX_MIRRORED};
    body b = {0};
    assert_int_equal(sn_tetrahedra_make_box(&box, &b.mesh, NULL), SN_OK);
    if (nodes == 10) {
        sn_tetrahedra *quadratic = NULL;
        assert_int_equal(sn_tetrahedra_quadratic(b.mesh, &quadratic, NULL), SN_OK);
        sn_tetrahedra_release(b.mesh);
        b.mesh = quadratic;
    }
    sn_elastic material = {.law = law, .bulk = bulk, .shear = 1.0};
    sn_solid_def def = {.mesh = b.mesh, .materials = &material, .material_count = 1};
    assert_int_equal(sn_solid_create(&def, &b.solid, NULL), SN_OK);
    assert_int_equal(sn_solid_make_plastic(b.solid, plastic, 1, NULL, NULL), SN_OK);
    b.vertices = sn_tetrahedra_vertex_count(b.mesh);
    b.elements = sn_tetrahedra_element_count(b.mesh);
    b.size = STRIDE * b.vertices;
    b.states = sn_solid_plastic_size(b.solid);
    b.x = calloc((size_t)b.size, sizeof *b.x);
    b.state = calloc((size_t)b.states, sizeof *b.state);
    sn_solid_pad(b.solid, &sn_tetrahedra_positions(b.mesh)->x, b.x);
    sn_solid_plastic_start(b.solid, b.state);
    return b;
}

static void free_body(body *b)
{
    free(b->x);
    free(b->state);
    sn_solid_destroy(b->solid);
    sn_tetrahedra_release(b->mesh);
}

static void shake(const body *b, uint64_t seed, double reach, double *x)
{
    sn_random random = {.seed = seed};
    for (int i = 0; i < b->size; ++i) {
        x[i] = b->x[i] + (i % STRIDE < 3 ? sn_random_range(&random, -reach, reach) : 0.0);
    }
}

// Every element flows like its point, energy falls by the heat, forces are those of a body whose
// elements were made with the shapes Fp A, and the derivatives of its energy.
static void test_solids_flow_like_points(void **state)
{
    (void)state;
    sn_plastic plastic = {.yield_stress = 0.05, .creep_rate = 30.0, .hardening = 0.2};
    for (int k = 0; k < 2 * SN_ELASTIC_LAW_COUNT; ++k) {
        int nodes = k % 2 == 0 ? 4 : 10, points = nodes == 4 ? 1 : 4;
        sn_elastic material = {.law = (sn_elastic_law)(k / 2), .bulk = 2.0, .shear = 1.0};
        body b = make_body(nodes, material.law, 2.0, &plastic);
        double *x = calloc((size_t)b.size, sizeof *x), *single = malloc((size_t)b.states * 8);
        shake(&b, 20 + (uint64_t)k, nodes == 4 ? 0.12 : 0.05, x);
        memcpy(single, b.state, (size_t)b.states * sizeof *single);
        int flowing = 0;
        for (int i = 0; i < b.elements * points; ++i) {
            sn_mat3 f = sn_solid_gradient(b.solid, i / points, i % points, x);
            flowing += sn_plastic_flow(&material, &plastic, 0.02, &f, single + STATE * i);
        }
        assert_true(flowing > b.elements * points / 4);
        double before = sn_solid_energy(b.solid, NULL, x);
        sn_solid_plastic_flow(b.solid, NULL, 0.02, x, b.state);
        double after = sn_solid_energy(b.solid, NULL, x);
        assert_memory_equal(b.state, single, (size_t)b.states * sizeof *single);
        double heat = sn_solid_plastic_heat(b.solid, b.state);
        assert_true(after < before && fabs(before - after - heat) < 1e-12 * before);
        assert_true(sn_solid_plastic_strain(b.solid, b.state) > 0.0);

        // forces
        double *f = calloc((size_t)b.size, sizeof *f), *d = calloc((size_t)b.size, sizeof *d);
        double *kd = calloc((size_t)b.size, sizeof *kd),
               *g[2] = {calloc((size_t)b.size, 8), calloc((size_t)b.size, 8)};
        shake(&b, 99, 1.0, d);
        double energies[2], h = 1e-5, slope = 0.0, size = 0.0, rate = 0.0;
        for (int i = 0; i < b.size; ++i) {
            d[i] -= b.x[i];
        }
        sn_solid_add_forces(b.solid, NULL, x, f);
        assert_int_equal(sn_solid_linearise(b.solid, NULL, x, SN_STIFFNESS_EXACT, NULL), SN_OK);
        sn_solid_add_product(b.solid, NULL, 1.0, d, kd);
        for (int side = 0; side < 2; ++side) {
            double *at = calloc((size_t)b.size, sizeof *at);
            for (int i = 0; i < b.size; ++i) {
                at[i] = x[i] + (side == 0 ? -h : h) * d[i];
            }
            energies[side] = sn_solid_energy(b.solid, NULL, at);
            sn_solid_add_forces(b.solid, NULL, at, g[side]);
            free(at);
        }
        for (int i = 0; i < b.size; ++i) {
            slope -= f[i] * d[i];
            size = fmax(size, fabs(kd[i]));
            rate = fmax(rate, fabs((g[1][i] - g[0][i]) / (2.0 * h) + kd[i]));
        }
        assert_true(fabs((energies[1] - energies[0]) / (2.0 * h) - slope) < 1e-6);
        assert_true(rate < 1e-7 * size);

        if (nodes == 4) {
            sn_mat3 *rest = malloc((size_t)b.elements * sizeof *rest);
            for (int e = 0; e < b.elements; ++e) {
                const int *v = sn_tetrahedra_elements(b.mesh) + 4 * e;
                const sn_vec3 *p = sn_tetrahedra_positions(b.mesh);
                sn_mat3 edges;
                for (int n = 0; n < 3; ++n) {
                    sn_vec3 edge = sn_vec3_sub(p[v[n + 1]], p[v[0]]);
                    edges.m[0][n] = edge.x;
                    edges.m[1][n] = edge.y;
                    edges.m[2][n] = edge.z;
                }
                rest[e] = sn_mat3_multiply(sn_mat3_inverse(sn_plastic_inverse(b.state + STATE * e)),
                                           edges);
            }
            sn_solid_def def = {
                .mesh = b.mesh, .materials = &material, .material_count = 1, .rest = rest};
            sn_solid *other = NULL;
            assert_int_equal(sn_solid_create(&def, &other, NULL), SN_OK);
            memset(kd, 0, (size_t)b.size * sizeof *kd);
            sn_solid_add_forces(other, NULL, x, kd);
            for (int i = 0; i < b.size; ++i) {
                assert_true(fabs(kd[i] - f[i]) < 1e-12 * size);
            }
            sn_solid_destroy(other);
            free(rest);
        }
        free(f);
        free(d);
        free(kd);
        free(g[0]);
        free(g[1]);
        free(x);
        free(single);
        free_body(&b);
    }
}

// Near the incompressible limit the excess of bulk modulus knows nothing of flow that keeps J; that
// of the laws with other measures of volume loses energy that is not told as heat.
static void test_nearly_incompressible_bodies_flow(void **state)
{
    (void)state;
    sn_plastic plastic = {.yield_stress = 0.05, .creep_rate = 30.0};
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        body b = make_body(10, (sn_elastic_law)law, 100.0, &plastic);
        double *x = calloc((size_t)b.size, sizeof *x);
        shake(&b, 50, 0.02, x);
        double before = sn_solid_energy(b.solid, NULL, x);
        sn_solid_plastic_flow(b.solid, NULL, 0.02, x, b.state);
        double lost = before - sn_solid_energy(b.solid, NULL, x);
        double heat = sn_solid_plastic_heat(b.solid, b.state);
        bool exact = law == SN_ELASTIC_LIESENFELD || law == SN_ELASTIC_NEO_HOOKEAN;
        assert_true(heat > 0.0);
        assert_true(exact ? fabs(lost - heat) < 1e-12 * before : lost > 0.5 * heat);
        free(x);
        free_body(&b);
    }
}

// Another solid that is given the state has the same forces to the bit; going back to the first
// state is going back.
static void test_state_is_all_there_is(void **state)
{
    (void)state;
    sn_plastic plastic = {.yield_stress = 0.05};
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        body a = make_body(nodes, SN_ELASTIC_NEO_HOOKEAN, 3.0, &plastic),
             b = make_body(nodes, SN_ELASTIC_NEO_HOOKEAN, 3.0, &plastic);
        double *x = calloc((size_t)a.size, sizeof *x), *f[3];
        for (int k = 0; k < 3; ++k) {
            f[k] = calloc((size_t)a.size, sizeof **f);
        }
        shake(&a, 31, 0.06, x);
        sn_solid_add_forces(b.solid, NULL, x, f[2]);
        for (int k = 0; k < 3; ++k) {
            sn_solid_plastic_flow(a.solid, NULL, 0.1, x, a.state);
        }
        sn_solid_add_forces(a.solid, NULL, x, f[0]);
        sn_solid_plastic_set(b.solid, a.state);
        sn_solid_add_forces(b.solid, NULL, x, f[1]);
        assert_memory_equal(f[0], f[1], (size_t)a.size * sizeof **f);
        assert_memory_not_equal(f[0], f[2], (size_t)a.size * sizeof **f);
        sn_solid_plastic_set(b.solid, b.state);
        memset(f[1], 0, (size_t)a.size * sizeof **f);
        sn_solid_add_forces(b.solid, NULL, x, f[1]);
        assert_memory_equal(f[1], f[2], (size_t)a.size * sizeof **f);
        for (int k = 0; k < 3; ++k) {
            free(f[k]);
        }
        free(x);
        free_body(&a);
        free_body(&b);
    }
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    sn_plastic plastic = {.yield_stress = 0.05, .creep_rate = 5.0};
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        body first = make_body(nodes, SN_ELASTIC_COROTATIONAL, 3.0, &plastic);
        double *x = calloc((size_t)first.size, sizeof *x);
        double *rates = calloc((size_t)first.states, sizeof *rates);
        shake(&first, 41, 0.06, x);
        sn_solid_plastic_rate(first.solid, NULL, x, first.state, rates);
        sn_solid_plastic_flow(first.solid, NULL, 0.1, x, first.state);
        for (int count = 2; count <= 4; count += 2) {
            sn_threads *threads = NULL;
            assert_int_equal(sn_threads_create(count, &threads, NULL), SN_OK);
            body b = make_body(nodes, SN_ELASTIC_COROTATIONAL, 3.0, &plastic);
            double *other = calloc((size_t)b.states, sizeof *other);
            sn_solid_plastic_rate(b.solid, threads, x, b.state, other);
            sn_solid_plastic_flow(b.solid, threads, 0.1, x, b.state);
            assert_memory_equal(other, rates, (size_t)b.states * sizeof *other);
            assert_memory_equal(b.state, first.state, (size_t)b.states * sizeof *other);
            free(other);
            free_body(&b);
            sn_threads_destroy(threads);
        }
        free(x);
        free(rates);
        free_body(&first);
    }
}

static void test_refusals_and_memory(void **state)
{
    (void)state;
    sn_error error = {0};
    sn_elastic fibres = {
        .bulk = 3.0, .shear = 1.0, .fibre_stiffness = 1.0, .fibre = {1.0, 0.0, 0.0}};
    sn_plastic good = {.yield_stress = 1.0};
    assert_int_equal(sn_plastic_check(&good, &fibres, "clay", &error), SN_ERROR_ARGUMENT);
    fibres.fibre_stiffness = 0.0;
    assert_int_equal(sn_plastic_check(&good, &fibres, "clay", &error), SN_OK);
    const double bad[3] = {-1.0, NAN, INFINITY};
    for (int k = 0; k < 12; ++k) {
        sn_plastic one = good;
        *(double *[]){&one.yield_stress, &one.creep_rate, &one.hardening, &one.limit}[k % 4] =
            bad[k / 4];
        assert_int_equal(sn_plastic_check(&one, &fibres, "clay", &error), SN_ERROR_ARGUMENT);
    }
    sn_plastic none = {0}, creeping = {.creep_rate = 1.0}, limited = {1.0, 1.0, 0.0, 0.1};
    body b = make_body(4, SN_ELASTIC_NEO_HOOKEAN, 3.0, &none);
    assert_int_equal(b.states, 0);
    sn_solid_plastic_set(b.solid, NULL);
    sn_solid_plastic_flow(b.solid, NULL, 1.0, b.x, NULL);
    assert_true(sn_solid_plastic_has_rate(b.solid));
    for (int after = 0;; ++after) {
        sn_allocation_fail_after(after);
        sn_status status = sn_solid_make_plastic(b.solid, &good, 1, "clay", &error);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            assert_true(after >= 5);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    assert_int_equal(sn_solid_plastic_size(b.solid), STATE * b.elements);
    assert_false(sn_solid_plastic_has_rate(b.solid));
    assert_int_equal(sn_solid_make_plastic(b.solid, &creeping, 1, NULL, NULL), SN_OK);
    assert_true(sn_solid_plastic_has_rate(b.solid));
    assert_int_equal(sn_solid_make_plastic(b.solid, &limited, 1, NULL, NULL), SN_OK);
    assert_false(sn_solid_plastic_has_rate(b.solid));
    free_body(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shear_yields_and_hardens),
        cmocka_unit_test(test_flow_loses_energy_and_no_volume),
        cmocka_unit_test(test_uniaxial_yield),
        cmocka_unit_test(test_relaxation),
        cmocka_unit_test(test_flow_turns_with_the_body),
        cmocka_unit_test(test_limit_bounds_the_total_strain),
        cmocka_unit_test(test_rates_are_derivatives),
        cmocka_unit_test(test_inverted_points_wait),
        cmocka_unit_test(test_solids_flow_like_points),
        cmocka_unit_test(test_nearly_incompressible_bodies_flow),
        cmocka_unit_test(test_state_is_all_there_is),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_refusals_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
