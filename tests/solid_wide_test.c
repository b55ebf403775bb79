// Solids in places halfway between two others (solid_wide.c).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "solid_body.h"

static sn_mat3 turn_of(sn_vec3 axis, double angle)
{
    sn_vec3 n = sn_vec3_scale(sin(0.5 * angle) / sn_length(axis), axis);
    return sn_quat_to_mat3((sn_quat){.w = cos(0.5 * angle), .x = n.x, .y = n.y, .z = n.z});
}

// y = R x
static void turn(const body *b, sn_mat3 r, const double *x, double *y)
{
    for (int i = 0; i < b->vertices; ++i) {
        sn_vec3_put(y + STRIDE * i, sn_mat3_apply(r, sn_vec3_at(x + STRIDE * i)));
        y[STRIDE * i + 3] = 0.0;
    }
}

// Between x0 and x1, in a time of 1.
static void widen(body *b, const double *x0, const double *x1, double *middle)
{
    double *v = vector(b);
    for (int i = 0; i < b->size; ++i) {
        middle[i] = 0.5 * (x0[i] + x1[i]);
        v[i] = x1[i] - x0[i];
    }
    assert_int_equal(sn_solid_widen(b->solid, NULL, middle, v, 1.0, NULL), SN_OK);
    free(v);
}

static body make(int nodes, sn_random *random, double reach)
{
    sn_elastic materials[4];
    four_materials(materials);
    body b = make_body(shaken_box(3, 2, 2, nodes, random), materials, 4);
    for (int i = 0; i < b.size; ++i) {
        b.x[i] += i % STRIDE < 3 ? sn_random_range(random, -reach, reach) : 0.0;
    }
    return b;
}

static void fill_forces(const body *b, const double *x, double *f)
{
    memset(f, 0, (size_t)b->size * sizeof *f);
    sn_solid_add_forces(b->solid, NULL, x, f);
}

// What is strained and turns as a whole has the energy halfway that it has before and after; its
// forces are those, turned by half.
static void what_turns_is_as_wide_halfway(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    for (int k = 0; k < 2; ++k) {
        body b = make(node_counts[k], &random, 0.05);
        double *end = vector(&b), *middle = vector(&b), *f = vector(&b), *g = vector(&b);
        double *half = vector(&b);
        double energy = sn_solid_energy(b.solid, NULL, b.x);
        const double angles[] = {1e-3, 0.1, 0.5, 1.0};
        for (int i = 0; i < 4; ++i) {
            sn_vec3 axis = {0.3, -0.7, 0.6};
            turn(&b, turn_of(axis, angles[i]), b.x, end);
            widen(&b, b.x, end, middle);
            double there = sn_solid_energy(b.solid, NULL, middle);
            fill_forces(&b, middle, g);
            // The series of the root goes to the fourth power of tan^2(angle / 2).
            double off = pow(tan(0.5 * angles[i]), 8.0);
            assert_true(fabs(there / energy - 1.0) < 1e-12 + 20.0 * off);
            assert_true(sn_solid_use_wide(b.solid, false));
            assert_true(sn_solid_energy(b.solid, NULL, b.x) == energy);
            turn(&b, turn_of(axis, 0.5 * angles[i]), b.x, half);
            fill_forces(&b, half, f);
            for (int j = 0; j < b.size; ++j) {
                f[j] -= g[j];
            }
            assert_true(length_of(f, b.size) <
                        (angles[i] * angles[i] + 1e-12) * length_of(g, b.size));
        }
        free(end);
        free(middle);
        free(f);
        free(g);
        free(half);
        free_body(&b);
    }
}

// Any motion: no sum, no moment, and the forces and the stiffness are derivatives of the energy
// with the widening held.
static void forces_are_those_of_an_energy(void **state)
{
    (void)state;
    sn_random random = {.seed = 12};
    for (int k = 0; k < 2; ++k) {
        body b = make(node_counts[k], &random, 0.05);
        double *end = random_vector(&b, &random, 0.1), *middle = vector(&b), *f = vector(&b),
               *g = vector(&b), *way = random_vector(&b, &random, 1.0), *there = vector(&b);
        sn_mat3 r = turn_of((sn_vec3){1, 2, -1}, 0.6);
        turn(&b, r, b.x, there);
        for (int i = 0; i < b.size; ++i) {
            end[i] += there[i];
        }
        widen(&b, b.x, end, middle);
        fill_forces(&b, middle, f);
        sn_vec3 sum = SN_VEC3_ZERO, moment = SN_VEC3_ZERO;
        for (int i = 0; i < b.vertices; ++i) {
            sn_vec3 force = sn_vec3_at(f + STRIDE * i);
            sum = sn_vec3_add(sum, force);
            moment = sn_vec3_add(moment, sn_cross(sn_vec3_at(middle + STRIDE * i), force));
        }
        assert_true(sn_length(sum) < 1e-13 * length_of(f, b.size) * b.vertices);
        assert_true(sn_length(moment) < 1e-13 * length_of(f, b.size) * b.vertices);

        double eps = 1e-5, energies[2];
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < b.size; ++i) {
                there[i] = middle[i] + (side == 0 ? -eps : eps) * way[i];
            }
            energies[side] = sn_solid_energy(b.solid, NULL, there);
            fill_forces(&b, there, side == 0 ? end : g);
        }
        double slope = (energies[1] - energies[0]) / (2.0 * eps);
        assert_true(fabs(slope + product(f, way, b.size)) <
                    1e-7 * length_of(f, b.size) * length_of(way, b.size));
        for (int i = 0; i < b.size; ++i) {
            g[i] = (g[i] - end[i]) / (2.0 * eps);
        }
        double size = length_of(g, b.size);
        assert_int_equal(sn_solid_linearise(b.solid, NULL, middle, SN_STIFFNESS_EXACT, NULL),
                         SN_OK);
        sn_solid_add_product(b.solid, NULL, 1.0, way, g);
        assert_true(length_of(g, b.size) < 1e-7 * size);
        free(end);
        free(middle);
        free(f);
        free(g);
        free(way);
        free(there);
        free_body(&b);
    }
}

// St. Venant's energy is a square of the metric: what its forces of the mean of two metrics do on
// the way from one place to the other is the difference of energies but for what the widening
// itself changes, by the square of the turn; forces of the plain middle are off by far more.
static void work_is_the_difference_of_energies(void **state)
{
    (void)state;
    sn_random random = {.seed = 13};
    sn_elastic stiff = {.law = SN_ELASTIC_ST_VENANT, .bulk = 2.0, .shear = 1.0};
    for (int k = 0; k < 2; ++k) {
        body b = make_body(shaken_box(3, 2, 2, node_counts[k], &random), &stiff, 1);
        double *shake = random_vector(&b, &random, 1e-3), *start = vector(&b), *end = vector(&b),
               *middle = vector(&b), *f = vector(&b);
        for (int i = 0; i < b.size; ++i) { // from one strain to the opposite one, and turned
            start[i] = b.x[i] + 1.5 * shake[i];
            b.x[i] -= shake[i];
        }
        turn(&b, turn_of((sn_vec3){0, 1, 0}, 0.1), b.x, end);
        double work[2],
            gain = sn_solid_energy(b.solid, NULL, end) - sn_solid_energy(b.solid, NULL, start);
        for (int wide = 0; wide < 2; ++wide) {
            widen(&b, start, end, middle);
            sn_solid_use_wide(b.solid, wide);
            fill_forces(&b, middle, f);
            work[wide] = 0.0;
            for (int i = 0; i < b.size; ++i) {
                work[wide] -= f[i] * (end[i] - start[i]);
            }
            sn_solid_use_wide(b.solid, false);
        }
        assert_true(fabs(work[1] / gain - 1.0) < 0.01);
        assert_true(fabs(work[0] / gain - 1.0) > 0.05);
        free(shake);
        free(start);
        free(end);
        free(middle);
        free(f);
        free_body(&b);
    }
}

static void memory_runs_out(void **state)
{
    (void)state;
    sn_random random = {.seed = 14};
    body b = make(4, &random, 0.05);
    double *v = random_vector(&b, &random, 1.0), energy = sn_solid_energy(b.solid, NULL, b.x);
    sn_allocation_fail_after(0);
    sn_status status = sn_solid_widen(b.solid, NULL, b.x, v, 1.0, NULL);
    sn_allocation_fail_after(-1);
    assert_int_equal(status, SN_ERROR_MEMORY);
    assert_false(sn_solid_use_wide(b.solid, true));
    assert_true(sn_solid_energy(b.solid, NULL, b.x) == energy);
    free(v);
    free_body(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_turns_is_as_wide_halfway),
        cmocka_unit_test(forces_are_those_of_an_energy),
        cmocka_unit_test(work_is_the_difference_of_energies),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
