// Mass matrices of tetrahedra: counts of the thesis, integrals of polynomials.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elastic/mass.h"
#include "solid_body.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_matrices_of_the_thesis),
        cmocka_unit_test(test_mass_matrices_integrate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
