// Contact springs: forces against differences of their energy, momenta, and where they begin and
// end.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "collide/simplex_pair.h"
#include "solve/contact_spring.h"

static sn_vec3 any(sn_random *random, double size)
{
    return (sn_vec3){sn_random_range(random, -size, size), sn_random_range(random, -size, size),
                     sn_random_range(random, -size, size)};
}

// The energy of two edges, and of a vertex with the nearest point of a face.
static double energy_of(const sn_spring_law *law, bool edges, const sn_vec3 x[4],
                        sn_spring_forces *out)
{
    const sn_vec3 v[4] = {{0.0, 0.0, 0.0}};
    if (edges) {
        sn_contact_spring_edges(law, x, v, 1, out);
    } else {
        sn_pair_nearest nearest = sn_pair_find_nearest(SN_VERTEX_FACE, x);
        sn_contact_spring_vertex(law, x, v, nearest.weights + 1, true, out);
    }
    return out->energy;
}

static void forces_are_derivatives(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    const sn_spring_law law = {.stiffness = 3.0};
    int acting = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        bool edges = trial % 2 == 0;
        sn_vec3 x[4];
        for (int i = 0; i < 4; ++i) {
            x[i] = any(&random, 1.0);
        }
        sn_spring_forces at, near;
        if (!(energy_of(&law, edges, x, &at) > 0.0)) {
            continue;
        }
        acting += edges;
        const double h = 1e-5;
        double most = 1.0;
        for (int i = 0; i < 4; ++i) {
            most = fmax(most, sn_length(at.force[i]));
        }
        for (int i = 0; i < 4; ++i) {
            const double force[3] = {at.force[i].x, at.force[i].y, at.force[i].z};
            for (int k = 0; k < 3; ++k) {
                sn_vec3 moved[4];
                double u[2];
                for (int side = 0; side < 2; ++side) {
                    memcpy(moved, x, sizeof moved);
                    (&moved[i].x)[k] += side == 0 ? -h : h;
                    u[side] = energy_of(&law, edges, moved, &near);
                }
                double expected = (u[0] - u[1]) / (2.0 * h);
                assert_true(fabs(force[k] - expected) < 1e-5 * most);
            }
        }
        sn_vec3 sum = SN_VEC3_ZERO, moment = SN_VEC3_ZERO;
        for (int i = 0; i < 4; ++i) {
            sum = sn_vec3_add(sum, at.force[i]);
            moment = sn_vec3_add(moment, sn_cross(x[i], at.force[i]));
        }
        assert_true(sn_length(sum) < 1e-13 * most && sn_length(moment) < 1e-13 * most);
    }
    assert_true(acting > 100);
}

// An edge over another is not pulled, one that has come through it is pushed back, with the window
// at 1 in the middle and 0 at its ends.
static void edges_push_apart(void **state)
{
    (void)state;
    const sn_spring_law law = {.stiffness = 10.0};
    const sn_vec3 v[4] = {{0.0, 0.0, 0.0}};
    for (int turn = 0; turn < 2; ++turn) {
        sn_spring_forces out;
        double side = turn == 0 ? 1.0 : -1.0;
        sn_vec3 x[4] = {{-side, 0.0, 0.1}, {side, 0.0, 0.1}, {0.0, -1.0, 0.0}, {0.0, 1.0, 0.0}};
        sn_vec3 e = sn_vec3_sub(x[1], x[0]);
        double volume = sn_dot(e, sn_cross(sn_vec3_sub(x[2], x[0]), sn_vec3_sub(x[3], x[0])));
        int sign = volume > 0.0 ? 1 : -1;
        sn_contact_spring_edges(&law, x, v, sign, &out);
        assert_true(out.energy == 0.0 && out.depth < 0.0);
        x[0].z = x[1].z = -0.1;
        sn_contact_spring_edges(&law, x, v, sign, &out);
        assert_true(fabs(out.depth - 0.1) < 1e-15 && fabs(out.energy - 0.05) < 1e-15);
        assert_true(fabs(out.force[0].z + out.force[1].z - 1.0) < 1e-14);
        x[2].y += 0.999;
        x[3].y += 0.999; // the other's first end is just beyond
        sn_contact_spring_edges(&law, x, v, sign, &out);
        assert_true(out.energy > 0.0 && out.energy < 1e-4);
        x[2].y += 0.002;
        sn_contact_spring_edges(&law, x, v, sign, &out);
        assert_true(out.energy == 0.0);
    }
}

// Nothing pulls, and friction is against the slip, as strong as the law says.
static void losses_lose(void **state)
{
    (void)state;
    const sn_spring_law law = {
        .stiffness = 100.0, .damping = 5.0, .ramp = 0.01, .friction = 0.4, .creep = 1e-3};
    const sn_vec3 up = {0.0, 0.0, 1.0};
    sn_vec3 f = sn_contact_spring_force(&law, 0.1, 1.0, up, (sn_vec3){3.0, 4.0, 0.0});
    assert_true(fabs(f.z - 10.0) < 1e-12);
    assert_true(fabs(f.x + 0.4 * 10.0 * 0.6) < 1e-5 && fabs(f.y + 0.4 * 10.0 * 0.8) < 1e-5);
    f = sn_contact_spring_force(&law, 0.1, 1.0, up, (sn_vec3){0.0, 0.0, -1.0});
    assert_true(fabs(f.z - (10.0 + 5.0 * 0.1 / 0.11)) < 1e-12);
    f = sn_contact_spring_force(&law, 0.1, 1.0, up, (sn_vec3){1.0, 0.0, 50.0});
    assert_true(f.x == 0.0 && f.z == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_derivatives),
        cmocka_unit_test(edges_push_apart),
        cmocka_unit_test(losses_lose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
