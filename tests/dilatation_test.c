// The incompressible limit: ten nodes whose excess of bulk modulus acts on the mean of an element.
// Dilatations and their second derivatives, energy against the laws, forces and stiffness against
// differences, one matrix in all its forms, and beams that do not lock.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "elastic/linear.h"
#include "elastic/solid.h"

enum { STRIDE = SN_SOLID_STRIDE };

typedef struct body {
    sn_tetrahedra *mesh;
    sn_solid *solid;
    int vertices, elements, size;
    double *x;
} body;

static body make_body(sn_tetrahedra_box box, int nodes, sn_elastic material)
{
    body b = {0};
    assert_int_equal(sn_tetrahedra_make_box(&box, &b.mesh, NULL), SN_OK);
    if (nodes == 10) {
        sn_tetrahedra *quadratic = NULL;
        assert_int_equal(sn_tetrahedra_quadratic(b.mesh, &quadratic, NULL), SN_OK);
        sn_tetrahedra_release(b.mesh);
        b.mesh = quadratic;
    }
    sn_solid_def def = {.mesh = b.mesh, .materials = &material, .material_count = 1};
    assert_int_equal(sn_solid_create(&def, &b.solid, NULL), SN_OK);
    b.vertices = sn_tetrahedra_vertex_count(b.mesh);
    b.elements = sn_tetrahedra_element_count(b.mesh);
    b.size = STRIDE * b.vertices;
    b.x = calloc((size_t)b.size, sizeof *b.x);
    sn_solid_pad(b.solid, &sn_tetrahedra_positions(b.mesh)->x, b.x);
    return b;
}

static void free_body(body *b)
{
    free(b->x);
    sn_solid_destroy(b->solid);
    sn_tetrahedra_release(b->mesh);
}

static const sn_tetrahedra_box SMALL = {
    .size = {3, 1, 1}, .cells = {3, 1, 1}, .cell = SN_CELL_SIX_MIRRORED};

static double *random_vector(const body *b, uint64_t seed, double reach)
{
    sn_random random = {.seed = seed};
    double *v = calloc((size_t)b->size, sizeof *v);
    for (int i = 0; i < b->size; ++i) {
        v[i] = i % STRIDE < 3 ? sn_random_range(&random, -reach, reach) : 0.0;
    }
    return v;
}

static sn_elastic nearly_incompressible(int law)
{
    return (sn_elastic){.law = (sn_elastic_law)law, .bulk = 500.0, .shear = 1.0};
}

// ---- points ----

// d(F + s D) along random lines: its second derivative is what `pull` adds to a Hessian.
static void test_pull_is_the_second_derivative(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    for (int k = 0; k < 40; ++k) {
        sn_elastic material = {
            .law = (sn_elastic_law)(k % SN_ELASTIC_LAW_COUNT), .bulk = 2.0, .shear = 1.0};
        sn_mat3 f = SN_MAT3_IDENTITY, d;
        for (int i = 0; i < 9; ++i) {
            f.m[i / 3][i % 3] += sn_random_range(&random, -0.3, 0.3);
            d.m[i / 3][i % 3] = sn_random_range(&random, -1.0, 1.0);
        }
        double with[81], without[81], wanted = 0.0, values[5], h = 1e-3;
        sn_elastic_hessian_pulled(&material, &f, 3.0, SN_HESSIAN_EXACT, with);
        sn_elastic_hessian(&material, &f, SN_HESSIAN_EXACT, without);
        for (int i = 0; i < 81; ++i) {
            wanted += (with[i] - without[i]) / 3.0 * d.m[i / 27][i / 9 % 3] * d.m[i % 9 / 3][i % 3];
        }
        for (int p = 0; p < 5; ++p) {
            sn_mat3 at = f;
            for (int i = 0; i < 9; ++i) {
                at.m[i / 3][i % 3] += (p - 2) * h * d.m[i / 3][i % 3];
            }
            values[p] = sn_elastic_dilatation(material.law, &at);
        }
        double slope =
            (16.0 * (values[1] + values[3]) - (values[0] + values[4]) - 30.0 * values[2]) /
            (12.0 * h * h);
        assert_true(fabs(slope - wanted) < 1e-7);
        sn_mat3 rest = SN_MAT3_IDENTITY;
        assert_true(sn_elastic_dilatation(material.law, &rest) == 0.0);
    }
}

// ---- solids ----

// Where the deformation is the same everywhere, so is the mean: the law's own energy.
static void test_affine_energy_is_the_law_s(void **state)
{
    (void)state;
    const sn_mat3 f = {{{1.1, 0.2, -0.1}, {0.05, 0.93, 0.1}, {-0.1, 0.1, 1.04}}};
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        sn_elastic material = nearly_incompressible(law);
        body b = make_body(SMALL, 10, material);
        for (int i = 0; i < b.vertices; ++i) {
            sn_vec3_put(b.x + STRIDE * i, sn_mat3_apply(f, sn_vec3_at(b.x + STRIDE * i)));
        }
        double wanted = 3.0 * sn_elastic_energy(&material, &f);
        assert_true(fabs(sn_solid_energy(b.solid, NULL, b.x) - wanted) < 1e-12 * wanted);
        double *force = calloc((size_t)b.size, sizeof *force), sum = 0.0;
        sn_solid_add_forces(b.solid, NULL, b.x, force);
        for (int i = 0; i < b.size; ++i) { // -f . x = V P : F
            sum -= force[i] * b.x[i];
        }
        sn_mat3 p;
        sn_elastic_stress(&material, &f, &p);
        double work = 0.0;
        for (int i = 0; i < 9; ++i) {
            work += 3.0 * p.m[i / 3][i % 3] * f.m[i / 3][i % 3];
        }
        assert_true(fabs(sum - work) < 1e-11 * fabs(work));
        free(force);
        free_body(&b);
    }
}

static void test_forces_and_stiffness_are_derivatives(void **state)
{
    (void)state;
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        body b = make_body(SMALL, 10, nearly_incompressible(law));
        double *shift = random_vector(&b, 2, 0.03), *d = random_vector(&b, 3, 1.0);
        double *f = calloc((size_t)b.size, 8), *kd = calloc((size_t)b.size, 8);
        double *at = calloc((size_t)b.size, 8), *forces[4], energies[4], size = 0.0, slope = 0.0;
        const double steps[4] = {-2, -1, 1, 2}, h = 2e-5;
        for (int i = 0; i < b.size; ++i) {
            b.x[i] += shift[i];
        }
        for (int k = 0; k < 4; ++k) {
            forces[k] = calloc((size_t)b.size, sizeof(double));
            for (int i = 0; i < b.size; ++i) {
                at[i] = b.x[i] + steps[k] * h * d[i];
            }
            energies[k] = sn_solid_energy(b.solid, NULL, at);
            sn_solid_add_forces(b.solid, NULL, at, forces[k]);
        }
        sn_solid_add_forces(b.solid, NULL, b.x, f);
        assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, SN_STIFFNESS_EXACT, NULL), SN_OK);
        sn_solid_add_product(b.solid, NULL, 1.0, d, kd);
        for (int i = 0; i < b.size; ++i) {
            size = fmax(size, fabs(kd[i]));
            slope -= f[i] * d[i];
        }
        double rate =
            (8.0 * (energies[2] - energies[1]) - (energies[3] - energies[0])) / (12.0 * h);
        assert_true(fabs(rate - slope) < 1e-8 * size);
        for (int i = 0; i < b.size; ++i) {
            rate =
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
}

// Products, elements' matrices, the diagonal and the assembled matrix are one matrix for any number
// of threads, and positive where that is promised.
static void check_matrix(const body *b, sn_stiffness kind)
{
    double *v = random_vector(b, 4, 1.0), *y = calloc((size_t)b->size, 8);
    double *z = calloc((size_t)b->size, 8), *a = calloc((size_t)b->size, 8);
    double *diagonal = calloc(SN_DIAGONAL_STRIDE * (size_t)b->vertices, 8), density = 1.0;
    sn_mass mass;
    sn_linear *linear = NULL;
    assert_int_equal(sn_mass_create(b->mesh, &density, 1, SN_MASS_LUMPED, NULL, &mass, NULL),
                     SN_OK);
    sn_linear_def def = {
        .mesh = b->mesh, .solid = b->solid, .mass = &mass, .kind = SN_LINEAR_DIRECT};
    assert_int_equal(sn_linear_create(&def, &linear, NULL), SN_OK);
    assert_int_equal(sn_solid_linearise(b->solid, NULL, b->x, kind, NULL), SN_OK);
    sn_solid_add_product(b->solid, NULL, 0.7, v, y);
    sn_solid_add_diagonal(b->solid, NULL, 0.7, diagonal);
    sn_linear_begin(linear, NULL, 0.0, 0.7);
    sn_linear_product(linear, NULL, v, a);
    double size = 0.0, power = 0.0, k[900];
    for (int e = 0; e < b->elements; ++e) {
        const int *n = sn_tetrahedra_elements(b->mesh) + 10 * e;
        sn_solid_stiffness(b->solid, e, k);
        for (int p = 0; p < 30; ++p) {
            diagonal[SN_DIAGONAL_STRIDE * n[p / 3] + p % 3] -= 0.7 * k[31 * p];
            for (int q = 0; q < 30; ++q) {
                z[STRIDE * n[p / 3] + p % 3] += 0.7 * k[30 * p + q] * v[STRIDE * n[q / 3] + q % 3];
            }
        }
    }
    for (int i = 0; i < b->size; ++i) {
        size = fmax(size, fabs(y[i]));
        power += v[i] * y[i];
    }
    for (int i = 0; i < b->size; ++i) {
        assert_true(fabs(y[i] - z[i]) < 1e-11 * size && fabs(y[i] - a[i]) < 1e-11 * size);
        assert_true(i % STRIDE == 3 ||
                    fabs(diagonal[SN_DIAGONAL_STRIDE * (i / STRIDE) + i % STRIDE]) < 1e-11 * size);
    }
    assert_true(kind == SN_STIFFNESS_EXACT || power > 0.0);
    for (int count = 2; count <= 4; count += 2) {
        sn_threads *threads = NULL;
        assert_int_equal(sn_threads_create(count, &threads, NULL), SN_OK);
        memset(a, 0, (size_t)b->size * sizeof *a);
        assert_int_equal(sn_solid_linearise(b->solid, threads, b->x, kind, NULL), SN_OK);
        sn_solid_add_product(b->solid, threads, 0.7, v, a);
        assert_memory_equal(a, y, (size_t)b->size * sizeof *a);
        sn_threads_destroy(threads);
    }
    sn_linear_destroy(linear);
    sn_mass_free(&mass);
    free(v);
    free(y);
    free(z);
    free(a);
    free(diagonal);
}

static void test_one_matrix(void **state)
{
    (void)state;
    for (int law = 0; law < SN_ELASTIC_LAW_COUNT; ++law) {
        body b = make_body(SMALL, 10, nearly_incompressible(law));
        double *shift = random_vector(&b, 5, 0.05);
        for (int i = 0; i < b.size; ++i) {
            b.x[i] += shift[i];
        }
        for (int kind = SN_STIFFNESS_FROZEN; kind <= SN_STIFFNESS_EXACT; ++kind) {
            check_matrix(&b, (sn_stiffness)kind);
        }
        free(shift);
        free_body(&b);
    }
}

// ---- beams ----

// Tip of a beam 4 x 1 x 1 m of 10 MPa under its weight by Hooke's law, the end at x = -2 held.
static double beam_tip(int cells, int nodes, double poisson)
{
    sn_tetrahedra_box box = {
        .size = {4, 1, 1}, .cells = {4 * cells, cells, cells}, .cell = SN_CELL_SIX_MIRRORED};
    body b = make_body(box, nodes, sn_elastic_from_young(SN_ELASTIC_COROTATIONAL, 1e7, poisson));
    double density = 1000.0, tip = 0.0, furthest = 0.0;
    double *r = calloc((size_t)b.size, 8), *u = calloc((size_t)b.size, 8);
    uint8_t *fixed = calloc((size_t)b.vertices, 1);
    sn_mass mass;
    sn_linear *linear = NULL;
    assert_int_equal(sn_mass_create(b.mesh, &density, 1, SN_MASS_CONSISTENT, NULL, &mass, NULL),
                     SN_OK);
    sn_linear_def def = {.mesh = b.mesh, .solid = b.solid, .mass = &mass, .kind = SN_LINEAR_DIRECT};
    assert_int_equal(sn_linear_create(&def, &linear, NULL), SN_OK);
    for (int i = 0; i < b.vertices; ++i) {
        u[STRIDE * i + 2] = -9.81;
        fixed[i] = b.x[STRIDE * i] < -1.999 ? 7 : 0;
    }
    sn_mass_add_product(&mass, STRIDE, 1.0, u, r);
    for (int i = 0; i < b.size; ++i) {
        r[i] = fixed[i / STRIDE] != 0 ? 0.0 : r[i];
    }
    assert_int_equal(sn_solid_linearise(b.solid, NULL, b.x, SN_STIFFNESS_FROZEN, NULL), SN_OK);
    sn_linear_begin(linear, NULL, 0.0, 1.0);
    assert_int_equal(sn_linear_finish(linear, NULL, fixed, b.x, NULL), SN_OK);
    assert_int_equal(sn_linear_solve(linear, NULL, r, u, NULL), SN_OK);
    for (int i = 0; i < b.vertices; ++i) { // the middle of the free end
        const double *x = b.x + STRIDE * i;
        double near = x[0] - fabs(x[1]) - fabs(x[2]);
        tip = i == 0 || near > furthest ? u[STRIDE * i + 2] : tip;
        furthest = i == 0 || near > furthest ? near : furthest;
    }
    sn_linear_destroy(linear);
    sn_mass_free(&mass);
    free(fixed);
    free(r);
    free(u);
    free_body(&b);
    return tip;
}

// Meshes of 24 x 6 x 6 cells, with the excess of bulk modulus spread differently, bound the tip of
// nu = 0.499 between -0.3796 and -0.3809 m; from -0.3838 m at nu = 0.45, shear and the clamp take
// it there. Two cells across are enough for 2 %, one for 5 %, as for nu = 0.3; ten nodes whose
// points keep their volumes lack 8 % and 27 %.
static void test_beams_do_not_lock(void **state)
{
    (void)state;
    if (getenv("SINEW_PRINT") != NULL) {
        const double ratios[] = {0.3, 0.4, 0.45, 0.49, 0.499, 0.4999, 0.499999};
        for (int k = 0; k < 7; ++k) {
            print_message("nu %g: 10 nodes", ratios[k]);
            for (int cells = 1; cells <= 4; ++cells) {
                print_message(" %.6f", beam_tip(cells, 10, ratios[k]));
            }
            print_message("; 4 nodes %.6f %.6f\n", beam_tip(2, 4, ratios[k]),
                          beam_tip(4, 4, ratios[k]));
        }
    }
    const double near[] = {0.499, 0.4999, 0.499999};
    for (int k = 0; k < 3; ++k) {
        assert_true(fabs(beam_tip(1, 10, near[k]) / -0.3802 - 1.0) < 0.05);
        assert_true(fabs(beam_tip(2, 10, near[k]) / -0.3802 - 1.0) < 0.02);
    }
    assert_true(beam_tip(2, 4, 0.4999) > -0.25); // four nodes lock, and are said to
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pull_is_the_second_derivative),
        cmocka_unit_test(test_affine_energy_is_the_law_s),
        cmocka_unit_test(test_forces_and_stiffness_are_derivatives),
        cmocka_unit_test(test_one_matrix),
        cmocka_unit_test(test_beams_do_not_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
