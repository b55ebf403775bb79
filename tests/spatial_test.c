// Spatial algebra against dense 6 x 6 products, and the invariances it exists for: power, energy,
// momentum.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense.h"
#include "math/rotation.h"
#include "math/spatial.h"

#define ROUNDS 2000

static double next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1.0;
}

static sn_vec3 random_vector(uint64_t *seed)
{
    double x = next_random(seed), y = next_random(seed), z = next_random(seed);
    return sn_vec3_make(x, y, z);
}

static sn_spatial random_spatial(uint64_t *seed)
{
    sn_vec3 angular = random_vector(seed), linear = random_vector(seed);
    return sn_spatial_make(angular, linear);
}

static sn_frame random_frame(uint64_t *seed)
{
    sn_transform t = {random_vector(seed), sn_quat_exp(sn_vec3_scale(3.0, random_vector(seed)))};
    return sn_frame_from_transform(t);
}

// A body made of five point masses, so that its inertia is possible and not special.
typedef struct cloud {
    double mass[5];
    sn_vec3 at[5];
} cloud;

static cloud random_cloud(uint64_t *seed)
{
    cloud c;
    for (int i = 0; i < 5; ++i) {
        c.mass[i] = 1.5 + next_random(seed);
        c.at[i] = random_vector(seed);
    }
    return c;
}

static sn_spatial_inertia cloud_inertia(const cloud *c)
{
    double mass = 0.0;
    sn_vec3 centre = SN_VEC3_ZERO;
    for (int i = 0; i < 5; ++i) {
        mass += c->mass[i];
        centre = sn_vec3_add_scaled(centre, c->mass[i], c->at[i]);
    }
    centre = sn_vec3_scale(1.0 / mass, centre);
    sn_mat3 inertia = SN_MAT3_ZERO;
    for (int i = 0; i < 5; ++i) {
        sn_mat3 x = sn_mat3_cross(sn_vec3_sub(c->at[i], centre));
        inertia = sn_mat3_add(inertia, sn_mat3_scale(-c->mass[i], sn_mat3_multiply(x, x)));
    }
    return sn_spatial_inertia_make(mass, centre, inertia);
}

static void to_array(sn_spatial a, double x[6])
{
    double values[6] = {a.angular.x, a.angular.y, a.angular.z, a.linear.x, a.linear.y, a.linear.z};
    memcpy(x, values, sizeof values);
}

static double array_distance(int count, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < count; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

static double spatial_distance(sn_spatial a, sn_spatial b)
{
    return fmax(sn_distance(a.angular, b.angular), sn_distance(a.linear, b.linear));
}

static void assert_product(const double m[36], sn_spatial argument, sn_spatial result)
{
    double x[6], y[6], expected[6];
    to_array(argument, x);
    to_array(result, y);
    sn_dense_apply(6, 6, m, x, expected);
    assert_true(array_distance(6, y, expected) < 3e-14);
}

// x^T a x as dense products.
static void congruence(const double x[36], const double a[36], double result[36])
{
    double transpose[36], half[36];
    sn_dense_transpose(6, 6, x, transpose);
    sn_dense_multiply(6, 6, 6, transpose, a, half);
    sn_dense_multiply(6, 6, 6, half, x, result);
}

// ---- frames ----

// A body-fixed point moves the same, in whichever frame its velocity is computed.
static void motions_describe_the_same_points(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < ROUNDS; ++i) {
        sn_frame frame = random_frame(&seed);
        sn_spatial v = random_spatial(&seed), local = sn_motion_to_local(&frame, v);
        sn_vec3 point = random_vector(&seed);
        sn_vec3 in_parent = sn_vec3_add(frame.position, sn_mat3_apply(frame.rotation, point));
        sn_vec3 velocity = sn_vec3_add(v.linear, sn_cross(v.angular, in_parent));
        sn_vec3 local_velocity = sn_vec3_add(local.linear, sn_cross(local.angular, point));
        assert_true(sn_distance(sn_mat3_apply(frame.rotation, local_velocity), velocity) < 1e-14);

        // A force at a point has the moment of that point.
        sn_vec3 push = random_vector(&seed);
        sn_spatial f = sn_spatial_make(sn_cross(point, push), push);
        sn_spatial f_parent = sn_force_to_parent(&frame, f);
        sn_vec3 push_parent = sn_mat3_apply(frame.rotation, push);
        assert_true(sn_distance(f_parent.linear, push_parent) < 1e-14);
        assert_true(sn_distance(f_parent.angular, sn_cross(in_parent, push_parent)) < 1e-14);
    }
}

static void transforms_match_their_matrices(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < ROUNDS; ++i) {
        sn_frame frame = random_frame(&seed), back = sn_frame_inverse(&frame);
        double x[36], force[36], x_inverse[36], force_inverse[36], transpose[36], product[36];
        sn_frame_motion_matrix(&frame, x);
        sn_frame_force_matrix(&frame, force);
        sn_frame_motion_matrix(&back, x_inverse);
        sn_frame_force_matrix(&back, force_inverse);
        sn_spatial m = random_spatial(&seed), f = random_spatial(&seed);
        assert_product(x, m, sn_motion_to_local(&frame, m));
        assert_product(x_inverse, m, sn_motion_to_parent(&frame, m));
        assert_product(force, f, sn_force_to_local(&frame, f));
        assert_product(force_inverse, f, sn_force_to_parent(&frame, f));
        // Forces go with the transpose of the motions' inverse.
        sn_dense_transpose(6, 6, x_inverse, transpose);
        assert_true(array_distance(36, transpose, force) < 1e-14);
        sn_dense_multiply(6, 6, 6, x, x_inverse, product);
        for (int k = 0; k < 36; ++k) {
            assert_true(fabs(product[k] - (k % 7 == 0 ? 1.0 : 0.0)) < 1e-14);
        }
        // Two frames, one after the other.
        sn_frame second = random_frame(&seed), both = sn_frame_multiply(&frame, &second);
        sn_spatial there = sn_motion_to_local(&second, sn_motion_to_local(&frame, m));
        assert_true(spatial_distance(there, sn_motion_to_local(&both, m)) < 2e-14);
    }
}

static void power_is_the_same_in_every_frame(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < ROUNDS; ++i) {
        sn_frame frame = random_frame(&seed);
        sn_spatial m = random_spatial(&seed), f = random_spatial(&seed);
        double power = sn_spatial_dot(m, f);
        double local = sn_spatial_dot(sn_motion_to_local(&frame, m), sn_force_to_local(&frame, f));
        double parent =
            sn_spatial_dot(sn_motion_to_parent(&frame, m), sn_force_to_parent(&frame, f));
        assert_true(fabs(power - local) < 3e-14 && fabs(power - parent) < 3e-14);
    }
}

static void cross_products_match_their_matrices(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < ROUNDS; ++i) {
        sn_spatial v = random_spatial(&seed), m = random_spatial(&seed), f = random_spatial(&seed);
        double crm[36], crf[36], transpose[36];
        sn_cross_motion_matrix(v, crm);
        sn_cross_force_matrix(v, crf);
        assert_product(crm, m, sn_cross_motion(v, m));
        assert_product(crf, f, sn_cross_force(v, f));
        sn_dense_transpose(6, 6, crm, transpose);
        for (int k = 0; k < 36; ++k) {
            assert_true(crf[k] == -transpose[k]);
        }
        // v x v = 0, Jacobi's identity, and (v x m).f = -m.(v x* f).
        assert_true(spatial_distance(sn_cross_motion(v, v), SN_SPATIAL_ZERO) < 1e-15);
        sn_spatial w = random_spatial(&seed);
        sn_spatial sum = sn_spatial_add(sn_spatial_add(sn_cross_motion(v, sn_cross_motion(w, m)),
                                                       sn_cross_motion(w, sn_cross_motion(m, v))),
                                        sn_cross_motion(m, sn_cross_motion(v, w)));
        assert_true(spatial_distance(sum, SN_SPATIAL_ZERO) < 1e-14);
        assert_true(fabs(sn_spatial_dot(sn_cross_motion(v, m), f) +
                         sn_spatial_dot(m, sn_cross_force(v, f))) < 1e-14);
        // Changing the frame commutes with both products.
        sn_frame frame = random_frame(&seed);
        sn_spatial local_v = sn_motion_to_local(&frame, v);
        assert_true(spatial_distance(sn_motion_to_local(&frame, sn_cross_motion(v, m)),
                                     sn_cross_motion(local_v, sn_motion_to_local(&frame, m))) <
                    4e-14);
        assert_true(spatial_distance(sn_force_to_local(&frame, sn_cross_force(v, f)),
                                     sn_cross_force(local_v, sn_force_to_local(&frame, f))) <
                    4e-14);
    }
}

// crm is the derivative of the transform: a motion fixed in a frame that moves with v changes at
// the rate v x m.
static void cross_product_is_the_rate_of_a_moving_frame(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 500; ++i) {
        sn_spatial v = random_spatial(&seed), m = random_spatial(&seed), f = random_spatial(&seed);
        double h = 1e-4;
        sn_frame ahead = {sn_quat_to_mat3(sn_quat_exp(sn_vec3_scale(h, v.angular))),
                          sn_vec3_scale(h, v.linear)};
        sn_frame behind = {sn_quat_to_mat3(sn_quat_exp(sn_vec3_scale(-h, v.angular))),
                           sn_vec3_scale(-h, v.linear)};
        sn_spatial rate =
            sn_spatial_scale(0.5 / h, sn_spatial_sub(sn_motion_to_parent(&ahead, m),
                                                     sn_motion_to_parent(&behind, m)));
        assert_true(spatial_distance(rate, sn_cross_motion(v, m)) < 1e-7);
        sn_spatial force_rate = sn_spatial_scale(
            0.5 / h, sn_spatial_sub(sn_force_to_parent(&ahead, f), sn_force_to_parent(&behind, f)));
        assert_true(spatial_distance(force_rate, sn_cross_force(v, f)) < 1e-7);
    }
}

// ---- inertia ----

// Against the sum over particles: momentum, moment of momentum, energy.
static void inertia_is_that_of_its_particles(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < ROUNDS; ++i) {
        cloud c = random_cloud(&seed);
        sn_spatial_inertia body = cloud_inertia(&c);
        sn_spatial v = random_spatial(&seed), momentum = SN_SPATIAL_ZERO;
        double energy = 0.0, matrix[36];
        for (int k = 0; k < 5; ++k) {
            sn_vec3 u = sn_vec3_add(v.linear, sn_cross(v.angular, c.at[k]));
            sn_vec3 p = sn_vec3_scale(c.mass[k], u);
            momentum = sn_spatial_add(momentum, sn_spatial_make(sn_cross(c.at[k], p), p));
            energy += 0.5 * c.mass[k] * sn_dot(u, u);
        }
        assert_true(spatial_distance(sn_spatial_inertia_apply(&body, v), momentum) < 5e-14);
        assert_true(fabs(sn_spatial_inertia_energy(&body, v) - energy) < 5e-14 * (1.0 + energy));
        sn_spatial_inertia_matrix(&body, matrix);
        assert_product(matrix, v, sn_spatial_inertia_apply(&body, v));

        double mass;
        sn_vec3 centre;
        sn_mat3 inertia;
        sn_spatial_inertia_split(&body, &mass, &centre, &inertia);
        sn_spatial_inertia again = sn_spatial_inertia_make(mass, centre, inertia);
        assert_true(array_distance(9, &again.inertia.m[0][0], &body.inertia.m[0][0]) < 1e-13);
        assert_true(sn_distance(again.moment, body.moment) < 1e-14);
    }
    sn_spatial_inertia nothing = sn_spatial_inertia_make(0.0, SN_VEC3_ZERO, SN_MAT3_ZERO);
    double mass;
    sn_vec3 centre;
    sn_mat3 inertia;
    sn_spatial_inertia_split(&nothing, &mass, &centre, &inertia);
    assert_true(mass == 0.0 && centre.x == 0.0 && inertia.m[0][0] == 0.0);
}

// The same energy from the velocity of the centre of mass and the spin about it.
static void kinetic_energy_is_that_of_its_particles(void **state)
{
    (void)state;
    uint64_t seed = 41;
    for (int i = 0; i < ROUNDS; ++i) {
        cloud c = random_cloud(&seed);
        sn_spatial_inertia body = cloud_inertia(&c);
        sn_spatial v = random_spatial(&seed);
        double mass, energy = 0.0;
        sn_vec3 centre;
        sn_mat3 inertia;
        sn_spatial_inertia_split(&body, &mass, &centre, &inertia);
        sn_vec3 velocity = sn_velocity_at(v.linear, v.angular, centre);
        for (int k = 0; k < 5; ++k) {
            sn_vec3 u = sn_velocity_at(velocity, v.angular, sn_vec3_sub(c.at[k], centre));
            sn_vec3 from_origin = sn_vec3_add(v.linear, sn_cross(v.angular, c.at[k]));
            assert_true(sn_distance(u, from_origin) < 1e-14);
            energy += 0.5 * c.mass[k] * sn_dot(from_origin, from_origin);
        }
        double found = sn_kinetic_energy(velocity, sn_vec3_scale(mass, velocity), v.angular,
                                         sn_mat3_apply(inertia, v.angular));
        assert_true(fabs(found - energy) < 5e-14 * (1.0 + energy));
    }
}

// The particles moved to the parent frame have the transformed inertia; energy does not change; two
// clouds add up.
static void inertia_changes_frames(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < ROUNDS; ++i) {
        cloud c = random_cloud(&seed), other = random_cloud(&seed), moved = c;
        sn_frame frame = random_frame(&seed);
        for (int k = 0; k < 5; ++k) {
            moved.at[k] = sn_vec3_add(frame.position, sn_mat3_apply(frame.rotation, c.at[k]));
        }
        sn_spatial_inertia local = cloud_inertia(&c), expected = cloud_inertia(&moved);
        sn_spatial_inertia parent = sn_spatial_inertia_to_parent(&frame, &local);
        sn_spatial_inertia back = sn_spatial_inertia_to_local(&frame, &parent);
        assert_true(array_distance(9, &parent.inertia.m[0][0], &expected.inertia.m[0][0]) < 2e-13);
        assert_true(sn_distance(parent.moment, expected.moment) < 5e-14);
        assert_true(array_distance(9, &back.inertia.m[0][0], &local.inertia.m[0][0]) < 2e-13);
        assert_true(sn_distance(back.moment, local.moment) < 5e-14);

        double x[36], a[36], dense[36], ours[36];
        sn_frame_motion_matrix(&frame, x);
        sn_spatial_inertia_matrix(&local, a);
        congruence(x, a, dense);
        sn_spatial_inertia_matrix(&parent, ours);
        assert_true(array_distance(36, dense, ours) < 2e-13);

        sn_spatial v = random_spatial(&seed);
        double energy = sn_spatial_inertia_energy(&parent, v);
        double local_energy = sn_spatial_inertia_energy(&local, sn_motion_to_local(&frame, v));
        assert_true(fabs(energy - local_energy) < 1e-13 * (1.0 + energy));

        sn_spatial_inertia more = cloud_inertia(&other),
                           sum = sn_spatial_inertia_add(&parent, &more);
        sn_spatial both = sn_spatial_add(sn_spatial_inertia_apply(&parent, v),
                                         sn_spatial_inertia_apply(&more, v));
        assert_true(spatial_distance(sn_spatial_inertia_apply(&sum, v), both) < 1e-13);
    }
}

// A free body: dp/dt = v x* I v + I a = 0 gives Euler's equation for a body about its centre.
static void bias_force_is_that_of_euler(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int i = 0; i < ROUNDS; ++i) {
        sn_vec3 principal = sn_vec3_make(1.0, 2.0, 2.5), w = random_vector(&seed);
        sn_spatial_inertia body =
            sn_spatial_inertia_make(3.0, SN_VEC3_ZERO, sn_mat3_diagonal(principal));
        sn_spatial v = sn_spatial_make(w, SN_VEC3_ZERO);
        sn_spatial bias = sn_cross_force(v, sn_spatial_inertia_apply(&body, v));
        sn_mat6 matrix = sn_mat6_from_inertia(&body);
        sn_spatial a;
        assert_true(sn_mat6_solve(&matrix, sn_spatial_scale(-1.0, bias), &a));
        assert_true(fabs(a.angular.x - (2.0 - 2.5) / 1.0 * w.y * w.z) < 1e-15);
        assert_true(fabs(a.angular.y - (2.5 - 1.0) / 2.0 * w.z * w.x) < 1e-15);
        assert_true(fabs(a.angular.z - (1.0 - 2.0) / 2.5 * w.x * w.y) < 1e-15);
        assert_true(sn_length(a.linear) < 1e-15);
    }
}

// ---- 6 x 6 ----

static void mat6_matches_dense_products(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < ROUNDS; ++i) {
        double b[36], t[36], a[36], x[36], dense[36], ours[36];
        for (int k = 0; k < 36; ++k) {
            b[k] = next_random(&seed);
        }
        sn_dense_transpose(6, 6, b, t);
        sn_dense_multiply(6, 6, 6, b, t, a);
        for (int k = 0; k < 6; ++k) {
            a[7 * k] += 0.1;
        }
        sn_mat6 matrix = sn_mat6_from_array(a);
        sn_mat6_to_array(&matrix, ours);
        assert_true(array_distance(36, ours, a) < 1e-15); // b b^T is symmetric up to round-off
        sn_spatial m = random_spatial(&seed), u = random_spatial(&seed), solution;
        assert_product(a, m, sn_mat6_apply(&matrix, m));

        sn_frame frame = random_frame(&seed);
        sn_mat6 parent = sn_mat6_to_parent(&frame, &matrix),
                back = sn_mat6_to_local(&frame, &parent);
        sn_frame_motion_matrix(&frame, x);
        congruence(x, a, dense);
        sn_mat6_to_array(&parent, ours);
        assert_true(array_distance(36, ours, dense) < 2e-13);
        sn_mat6_to_array(&back, ours);
        assert_true(array_distance(36, ours, a) < 2e-13);

        double s = next_random(&seed), column[6];
        sn_mat6 outer = sn_mat6_add_outer(&matrix, s, u), sum = sn_mat6_add(&matrix, &outer);
        to_array(u, column);
        for (int k = 0; k < 36; ++k) {
            dense[k] = 2.0 * a[k] + s * column[k / 6] * column[k % 6];
        }
        sn_mat6_to_array(&sum, ours);
        assert_true(array_distance(36, ours, dense) < 1e-14);

        assert_true(sn_mat6_solve(&matrix, u, &solution));
        assert_true(spatial_distance(sn_mat6_apply(&matrix, solution), u) <
                    1e-13 * (1.0 + sn_length(solution.linear)));
    }
    sn_mat6 singular = SN_MAT6_ZERO;
    sn_spatial solution;
    assert_false(sn_mat6_solve(&singular, SN_SPATIAL_ZERO, &solution));
}

// What a joint about s leaves of a body's inertia, I - I s s^T I / (s^T I s), gives no force along
// s at all.
static void articulated_inertia_is_free_along_its_joint(void **state)
{
    (void)state;
    uint64_t seed = 10;
    for (int i = 0; i < ROUNDS; ++i) {
        cloud c = random_cloud(&seed);
        sn_spatial_inertia body = cloud_inertia(&c);
        sn_mat6 inertia = sn_mat6_from_inertia(&body);
        sn_spatial s = random_spatial(&seed), u = sn_mat6_apply(&inertia, s);
        sn_mat6 left = sn_mat6_add_outer(&inertia, -1.0 / sn_spatial_dot(s, u), u);
        assert_true(spatial_distance(sn_mat6_apply(&left, s), SN_SPATIAL_ZERO) < 5e-14);
        sn_spatial m = random_spatial(&seed);
        assert_true(sn_spatial_dot(m, sn_mat6_apply(&left, m)) > -1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_describe_the_same_points),
        cmocka_unit_test(transforms_match_their_matrices),
        cmocka_unit_test(power_is_the_same_in_every_frame),
        cmocka_unit_test(cross_products_match_their_matrices),
        cmocka_unit_test(cross_product_is_the_rate_of_a_moving_frame),
        cmocka_unit_test(inertia_is_that_of_its_particles),
        cmocka_unit_test(kinetic_energy_is_that_of_its_particles),
        cmocka_unit_test(inertia_changes_frames),
        cmocka_unit_test(bias_force_is_that_of_euler),
        cmocka_unit_test(mat6_matches_dense_products),
        cmocka_unit_test(articulated_inertia_is_free_along_its_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
