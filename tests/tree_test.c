// Trees in joint coordinates: kinematics against finite differences, dynamics against energy and
// dense algebra, the step against what a symplectic integrator must keep.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tree/tree.h"
#include "agent/tree/tree_newton.h"
#include "agent/tree/tree_root.h"
#include "agent/tree/tree_step.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/dense.h"
#include "math/rotation.h"

enum { MOST = 64 };

static const sn_vec3 gravity = {0.4, -0.3, -9.81};

static sn_vec3 random_vec3(sn_random *random, double size)
{
    double x = sn_random_range(random, -size, size), y = sn_random_range(random, -size, size);
    return sn_vec3_make(x, y, sn_random_range(random, -size, size));
}

static sn_mat3 random_rotation(sn_random *random)
{
    return sn_quat_to_mat3(sn_quat_exp(random_vec3(random, 2.0)));
}

// A tree of all joints; now and then a massless link between two joints.
static void make_tree(sn_random *random, int count, sn_tree *tree)
{
    assert_true(sn_tree_allocate(tree, count));
    for (int i = 0; i < count; ++i) {
        sn_tree_link *link = &tree->links[i];
        bool bare = i > 0 && i < count - 1 && tree->links[i - 1].mass > 0.0 &&
                    sn_random_below(random, 5) == 0;
        bool above_bare = i > 0 && tree->links[i - 1].mass == 0.0;
        link->parent = above_bare ? i - 1 : sn_random_below(random, i + 1) - 1;
        if (link->parent >= 0 && tree->links[link->parent].mass == 0.0) {
            link->parent = i - 1;
        }
        link->joint = bare ? SN_TREE_HINGE : (sn_tree_joint)sn_random_below(random, 5);
        link->pitch = sn_random_range(random, -0.2, 0.2);
        link->frame = (sn_frame){random_rotation(random), random_vec3(random, 0.5)};
        if (!bare) {
            double a = sn_random_range(random, 0.1, 1.0), b = sn_random_range(random, 0.1, 1.0);
            double c = sn_random_range(random, fabs(a - b) + 0.01, a + b);
            sn_mat3 r = random_rotation(random), d = sn_mat3_diagonal(sn_vec3_make(a, b, c));
            link->mass = sn_random_range(random, 0.5, 3.0);
            link->centre = random_vec3(random, 0.3);
            link->inertia = sn_mat3_multiply(sn_mat3_multiply(r, d), sn_mat3_transpose(r));
        }
    }
    sn_tree_finish(tree);
}

static void random_state(sn_random *random, const sn_tree *tree, double *q, double *v)
{
    double d[3 * MOST];
    sn_tree_zero(tree, q);
    for (int j = 0; j < tree->v_count; ++j) {
        d[j] = sn_random_range(random, -1.5, 1.5);
        v[j] = sn_random_range(random, -2.0, 2.0);
    }
    sn_tree_move(tree, q, d, 1.0, q);
}

static double energy(sn_tree *tree, const double *q, const double *v, sn_vec3 g)
{
    sn_spatial velocity[MOST];
    double sum = 0.0;
    sn_tree_place(tree, q);
    sn_tree_velocity(tree, v, velocity);
    for (int i = 0; i < tree->count; ++i) {
        const sn_tree_pose *pose = &tree->pose[i];
        sn_vec3 arm = sn_vec3_sub(pose->centre, pose->origin);
        sn_vec3 at_centre = sn_vec3_add(velocity[i].linear, sn_cross(velocity[i].angular, arm));
        sn_vec3 w = sn_mat3_apply_transpose(pose->rotation, velocity[i].angular);
        sum += 0.5 * tree->links[i].mass * sn_dot(at_centre, at_centre);
        sum += 0.5 * sn_dot(w, sn_mat3_apply(tree->links[i].inertia, w));
        sum -= tree->links[i].mass * sn_dot(g, pose->centre);
    }
    return sum;
}

static void velocities_are_derivatives_of_places(void **state)
{
    (void)state;
    sn_random random = {.seed = 21};
    for (int trial = 0; trial < 50; ++trial) {
        sn_tree tree;
        double q[4 * MOST], v[3 * MOST], moved[4 * MOST];
        sn_spatial velocity[MOST];
        make_tree(&random, 1 + trial % 12, &tree);
        random_state(&random, &tree, q, v);
        sn_tree_place(&tree, q);
        sn_tree_velocity(&tree, v, velocity);
        sn_tree_pose ahead[MOST], behind[MOST];
        const double eps = 1e-6;
        sn_tree_move(&tree, q, v, eps, moved);
        sn_tree_place_into(&tree, moved, ahead);
        sn_tree_move(&tree, q, v, -eps, moved);
        sn_tree_place_into(&tree, moved, behind);
        for (int i = 0; i < tree.count; ++i) {
            sn_vec3 slope =
                sn_vec3_scale(0.5 / eps, sn_vec3_sub(ahead[i].origin, behind[i].origin));
            assert_true(sn_distance(slope, velocity[i].linear) < 1e-7);
            // dR = [w]x R dt
            sn_mat3 turning =
                sn_mat3_multiply(sn_mat3_cross(velocity[i].angular), tree.pose[i].rotation);
            for (int k = 0; k < 9; ++k) {
                double rate =
                    0.5 / eps *
                    (ahead[i].rotation.m[k / 3][k % 3] - behind[i].rotation.m[k / 3][k % 3]);
                assert_true(fabs(rate - turning.m[k / 3][k % 3]) < 1e-7);
            }
        }
        sn_tree_free(&tree);
    }
}

// The measure: forward(inverse(q, v, a)) gives a back.
static void forward_undoes_inverse(void **state)
{
    (void)state;
    sn_random random = {.seed = 22};
    double worst = 0.0;
    for (int trial = 0; trial < 1000; ++trial) {
        sn_tree tree;
        double q[4 * MOST], v[3 * MOST], a[3 * MOST] = {0}, force[3 * MOST], bias[3 * MOST],
                                               zero[3 * MOST] = {0}, back[3 * MOST];
        sn_spatial wrench[MOST];
        make_tree(&random, 1 + trial % 40, &tree);
        random_state(&random, &tree, q, v);
        double size = 1.0;
        for (int j = 0; j < tree.v_count; ++j) {
            a[j] = sn_random_range(&random, -5.0, 5.0);
            size = fmax(size, fabs(a[j]));
        }
        for (int i = 0; i < tree.count; ++i) {
            wrench[i] = sn_spatial_make(random_vec3(&random, 3.0), random_vec3(&random, 3.0));
        }
        sn_tree_place(&tree, q);
        sn_tree_inverse(&tree, v, a, gravity, wrench, force);
        sn_tree_inverse(&tree, v, zero, gravity, wrench, bias);
        for (int j = 0; j < tree.v_count; ++j) {
            force[j] -= bias[j];
        }
        assert_true(sn_tree_factorise(&tree, NULL));
        sn_tree_solve(&tree, force, back);
        for (int j = 0; j < tree.v_count; ++j) {
            worst = fmax(worst, fabs(back[j] - a[j]) / size);
        }
        sn_tree_free(&tree);
    }
    print_message("worst acceleration error %.2g\n", worst);
    assert_true(worst < 1e-10);
}

static void factor_agrees_with_the_dense_mass_matrix(void **state)
{
    (void)state;
    sn_random random = {.seed = 23};
    for (int trial = 0; trial < 100; ++trial) {
        sn_tree tree;
        double q[4 * MOST], v[3 * MOST], force[3 * MOST], a[3 * MOST], armature[3 * MOST];
        make_tree(&random, 1 + trial % 15, &tree);
        random_state(&random, &tree, q, v);
        sn_tree_place(&tree, q);
        int n = tree.v_count;
        double *m = malloc((size_t)(n * n) * sizeof *m);
        sn_tree_mass_matrix(&tree, m);
        for (int j = 0; j < n; ++j) {
            armature[j] = trial % 2 == 0 ? 0.0 : sn_random_range(&random, 0.0, 1.0);
            force[j] = sn_random_range(&random, -5.0, 5.0);
            for (int k = 0; k < n; ++k) {
                assert_true(fabs(m[j * n + k] - m[k * n + j]) < 1e-12);
            }
            m[j * n + j] += armature[j];
        }
        assert_true(sn_tree_factorise(&tree, trial % 2 == 0 ? NULL : armature));
        sn_tree_solve(&tree, force, a);
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += m[j * n + k] * a[k];
            }
            assert_true(fabs(sum - force[j]) < 1e-9);
        }
        free(m);
        sn_tree_free(&tree);
    }
}

// Power of the joint forces and of gravity is the rate of the energy: ties inverse dynamics to
// places and masses alone.
static void joint_forces_do_the_work(void **state)
{
    (void)state;
    sn_random random = {.seed = 24};
    for (int trial = 0; trial < 100; ++trial) {
        sn_tree tree;
        double q[4 * MOST], v[3 * MOST], a[3 * MOST] = {0}, force[3 * MOST], side_q[4 * MOST],
                                               side_v[3 * MOST], e[2];
        make_tree(&random, 1 + trial % 12, &tree);
        random_state(&random, &tree, q, v);
        for (int j = 0; j < tree.v_count; ++j) {
            a[j] = sn_random_range(&random, -3.0, 3.0);
        }
        sn_tree_place(&tree, q);
        sn_tree_inverse(&tree, v, a, gravity, NULL, force);
        const double eps = 1e-5;
        for (int s = 0; s < 2; ++s) {
            double dt = s == 0 ? eps : -eps;
            sn_tree_move(&tree, q, v, dt, side_q);
            for (int j = 0; j < tree.v_count; ++j) {
                side_v[j] = v[j] + dt * a[j];
            }
            e[s] = energy(&tree, side_q, side_v, gravity);
        }
        double power = 0.0, size = 1.0;
        for (int j = 0; j < tree.v_count; ++j) {
            power += force[j] * v[j];
            size += fabs(force[j] * v[j]);
        }
        assert_true(fabs((e[0] - e[1]) / (2 * eps) - power) < 1e-6 * size);
        sn_tree_free(&tree);
    }
}

// ---- the step ----

static void advance(sn_tree *tree, sn_tree_step *step, double *q, double *v, double h, int count,
                    sn_vec3 g)
{
    for (int i = 0; i < count; ++i) {
        sn_tree_step_begin(step, tree, q, v, h);
        assert_true(sn_tree_step_push(step, tree, g, NULL, NULL));
        assert_true(sn_tree_step_advance(step, tree, q, v));
    }
}

// L^-T L^-1 is the inverse, L^T and L^-T undo each other, z . z = v . M v, and L^-1 of a force on
// one joint is 0 beside its way to the root.
static void root_is_that_of_the_mass_matrix(void **state)
{
    (void)state;
    sn_random random = {.seed = 24};
    for (int trial = 0; trial < 300; ++trial) {
        sn_tree tree;
        double q[4 * MOST], v[3 * MOST], force[3 * MOST], a[3 * MOST], armature[3 * MOST];
        double z[3 * MOST], back[3 * MOST], x[3 * MOST], one = 0.0, other = 0.0, size = 1.0;
        make_tree(&random, 1 + trial % 15, &tree);
        random_state(&random, &tree, q, v);
        sn_tree_place(&tree, q);
        int n = tree.v_count;
        for (int j = 0; j < n; ++j) {
            armature[j] = sn_random_range(&random, 0.0, 1.0);
            force[j] = sn_random_range(&random, -5.0, 5.0);
        }
        assert_true(sn_tree_factorise(&tree, trial % 2 == 0 ? NULL : armature));
        sn_tree_root_begin(&tree);
        sn_tree_solve(&tree, force, a);
        sn_tree_half_solve(&tree, force, x);
        for (int j = 0; j < n; ++j) {
            one += force[j] * a[j];
            other += x[j] * x[j];
            size = fmax(size, fabs(a[j]));
        }
        assert_true(fabs(one - other) < 1e-10 * (one + 1.0));
        sn_tree_denormalise(&tree, x, x);
        sn_tree_normalise(&tree, v, z);
        sn_tree_denormalise(&tree, z, back);
        for (int j = 0; j < n; ++j) {
            assert_true(fabs(x[j] - a[j]) < 1e-9 * size);
            assert_true(fabs(back[j] - v[j]) < 1e-9 * size);
        }
        int link = trial % tree.count;
        memset(force, 0, sizeof force);
        force[tree.links[link].v] = 1.0;
        sn_tree_half_solve(&tree, force, x);
        for (int i = 0; i < tree.count; ++i) {
            bool above = false;
            for (int k = link; k >= 0; k = tree.links[k].parent) {
                above = above || k == i;
            }
            assert_true(above || x[tree.links[i].v] == 0.0);
        }
        sn_tree_free(&tree);
    }
}

// Rows of wrenches on one link in one walk: J^T f, and L^-1 of it.
static void rows_of_wrenches_are_halves(void **state)
{
    (void)state;
    sn_random random = {.seed = 25};
    for (int trial = 0; trial < 300; ++trial) {
        sn_tree tree;
        double q[4 * MOST], v[3 * MOST], armature[3 * MOST], force[3 * MOST], x[3 * MOST];
        double felt[SN_TREE_ROWS * 3 * MOST], half[SN_TREE_ROWS * 3 * MOST];
        sn_spatial wrench[SN_TREE_ROWS], on_links[MOST];
        make_tree(&random, 1 + trial % 15, &tree);
        random_state(&random, &tree, q, v);
        sn_tree_place(&tree, q);
        int n = tree.v_count, link = trial % tree.count, count = 1 + trial % SN_TREE_ROWS;
        for (int j = 0; j < n; ++j) {
            armature[j] = sn_random_range(&random, 0.0, 1.0);
        }
        for (int a = 0; a < count; ++a) {
            double f[6];
            for (int k = 0; k < 6; ++k) {
                f[k] = sn_random_range(&random, -1.0, 1.0);
            }
            wrench[a] = sn_spatial_make(sn_vec3_at(f), sn_vec3_at(f + 3));
        }
        assert_true(sn_tree_factorise(&tree, trial % 2 == 0 ? NULL : armature));
        sn_tree_root_begin(&tree);
        sn_tree_half_rows(&tree, link, wrench, count, felt, half);
        for (int a = 0; a < count; ++a) {
            memset(on_links, 0, sizeof on_links);
            on_links[link] = wrench[a];
            sn_tree_gather(&tree, on_links, force);
            sn_tree_half_solve(&tree, force, x);
            double size = 1.0;
            for (int j = 0; j < n; ++j) {
                size = fmax(size, fmax(fabs(x[j]), fabs(force[j])));
            }
            for (int j = 0; j < n; ++j) {
                assert_true(fabs(felt[a * n + j] - force[j]) < 1e-12 * size);
                assert_true(fabs(half[a * n + j] - x[j]) < 1e-9 * size);
            }
        }
        sn_tree_free(&tree);
    }
}

// The same motion by tiny Runge-Kutta steps on forward dynamics.
static void exact(sn_tree *tree, double *q, double *v, double time, int steps, sn_vec3 g)
{
    double h = time / steps;
    for (int i = 0; i < steps; ++i) {
        double kq[4][3 * MOST] = {{0}}, kv[4][3 * MOST] = {{0}}, sq[4 * MOST], sv[3 * MOST] = {0},
                         d[3 * MOST], bias[3 * MOST], zero[3 * MOST] = {0};
        const double ahead[4] = {0.0, 0.5, 0.5, 1.0};
        for (int s = 0; s < 4; ++s) {
            for (int j = 0; j < tree->v_count; ++j) {
                d[j] = s > 0 ? ahead[s] * kq[s - 1][j] : 0.0;
                sv[j] = v[j] + (s > 0 ? ahead[s] * h * kv[s - 1][j] : 0.0);
            }
            sn_tree_move(tree, q, d, h, sq);
            sn_tree_place(tree, sq);
            sn_tree_inverse(tree, sv, zero, g, NULL, bias);
            for (int j = 0; j < tree->v_count; ++j) {
                bias[j] = -bias[j];
                kq[s][j] = sv[j];
            }
            sn_tree_factorise(tree, NULL);
            sn_tree_solve(tree, bias, kv[s]);
        }
        for (int j = 0; j < tree->v_count; ++j) {
            d[j] = (kq[0][j] + 2 * kq[1][j] + 2 * kq[2][j] + kq[3][j]) / 6;
            v[j] += h / 6 * (kv[0][j] + 2 * kv[1][j] + 2 * kv[2][j] + kv[3][j]);
        }
        sn_tree_move(tree, q, d, h, q);
    }
}

static void steps_are_second_order(void **state)
{
    (void)state;
    sn_random random = {.seed = 25};
    for (int trial = 0; trial < 6; ++trial) {
        sn_tree tree;
        sn_tree_step step;
        double q0[4 * MOST], v0[3 * MOST], q[4 * MOST], v[3 * MOST], error[3];
        make_tree(&random, 3 + trial, &tree);
        assert_true(sn_tree_step_allocate(&step, &tree));
        random_state(&random, &tree, q0, v0);
        memcpy(q, q0, sizeof q);
        memcpy(v, v0, sizeof v);
        exact(&tree, q, v, 0.2, 4000, gravity);
        sn_tree_pose end[MOST], here[MOST];
        sn_tree_place_into(&tree, q, end);
        for (int level = 0; level < 3; ++level) {
            memcpy(q, q0, sizeof q);
            memcpy(v, v0, sizeof v);
            advance(&tree, &step, q, v, 0.2 / (100 << level), 100 << level, gravity);
            sn_tree_place_into(&tree, q, here);
            error[level] = 0.0;
            for (int i = 0; i < tree.count; ++i) {
                error[level] = fmax(error[level], sn_distance(here[i].centre, end[i].centre));
            }
        }
        // Runge-Kutta on quaternions moved along one mean rotation is itself only good to about the
        // third order.
        double order = log2((error[0] - error[1]) / (error[1] - error[2]));
        print_message("%d links: %.2g, %.2g, %.2g m, order %.2f\n", tree.count, error[0], error[1],
                      error[2], order);
        assert_true(fabs(order - 2.0) < 0.25);
        sn_tree_step_free(&step);
        sn_tree_free(&tree);
    }
}

// Double pendulum of 1 kg balls (radius 1 cm) on 1 m rods, from horizontal: the case, 100 s
// at 1 ms.
static void energy_has_no_trend(void **state)
{
    (void)state;
    sn_tree tree;
    sn_tree_step step;
    assert_true(sn_tree_allocate(&tree, 2));
    sn_mat3 y_to_z = sn_quat_to_mat3(sn_quat_between(sn_vec3_make(0, 0, 1), sn_vec3_make(0, 1, 0)));
    sn_vec3 along = sn_mat3_apply_transpose(y_to_z, sn_vec3_make(1, 0, 0));
    for (int i = 0; i < 2; ++i) {
        tree.links[i] =
            (sn_tree_link){.parent = i - 1, .joint = SN_TREE_HINGE, .mass = 1.0, .centre = along};
        tree.links[i].frame =
            (sn_frame){i == 0 ? y_to_z : SN_MAT3_IDENTITY, i == 0 ? SN_VEC3_ZERO : along};
        tree.links[i].inertia = sn_mat3_diagonal(sn_vec3_make(4e-5, 4e-5, 4e-5));
    }
    sn_tree_finish(&tree);
    assert_true(sn_tree_step_allocate(&step, &tree));
    double q[2] = {0, 0}, v[2] = {0, 0}, worst = 0.0, mean[2] = {0, 0};
    const sn_vec3 down = {0, 0, -9.81};
    double start = energy(&tree, q, v, down), scale = 3 * 9.81; // of hanging straight
    enum { SAMPLES = 10000 };
    for (int i = 0; i < SAMPLES; ++i) {
        advance(&tree, &step, q, v, 1e-3, 10, down);
        double error = (energy(&tree, q, v, down) - start) / scale;
        worst = fmax(worst, fabs(error));
        mean[i >= SAMPLES / 2] += 2.0 * error / SAMPLES;
    }
    print_message("largest energy error %.2g, means of the two halves %.2g and %.2g\n", worst,
                  mean[0], mean[1]);
    assert_true(worst < 1e-4);
    assert_true(fabs(mean[1] - mean[0]) < 0.1 * worst);
    sn_tree_step_free(&step);
    sn_tree_free(&tree);
}

// Without gravity a tree on a free root keeps momentum and angular momentum to round-off.
static void a_free_tree_keeps_its_momenta(void **state)
{
    (void)state;
    sn_random random = {.seed = 26};
    for (int trial = 0; trial < 5; ++trial) {
        sn_tree tree, free_tree;
        sn_tree_step step;
        make_tree(&random, 6, &tree);
        assert_true(sn_tree_allocate(&free_tree, 8));
        for (int i = 0; i < 6; ++i) {
            free_tree.links[i + 2] = tree.links[i];
            free_tree.links[i + 2].parent = tree.links[i].parent < 0 ? 1 : tree.links[i].parent + 2;
        }
        free_tree.links[0] =
            (sn_tree_link){.parent = -1, .joint = SN_TREE_TRANSLATION, .frame = SN_FRAME_IDENTITY};
        free_tree.links[1] = (sn_tree_link){
            .parent = 0, .joint = SN_TREE_BALL, .mass = 2.0, .frame = SN_FRAME_IDENTITY};
        free_tree.links[1].inertia = sn_mat3_diagonal(sn_vec3_make(0.5, 0.6, 0.7));
        sn_tree_finish(&free_tree);
        assert_true(sn_tree_step_allocate(&step, &free_tree));
        step.tolerance = 1e-12;
        double q[4 * MOST], v[3 * MOST];
        random_state(&random, &free_tree, q, v);
        sn_vec3 first_p = SN_VEC3_ZERO, first_l = SN_VEC3_ZERO;
        for (int i = 0; i < 500; ++i) {
            sn_tree_step_begin(&step, &free_tree, q, v, 2e-3);
            sn_tree_step_push(&step, &free_tree, SN_VEC3_ZERO, NULL, NULL);
            sn_vec3 p = SN_VEC3_ZERO, l = SN_VEC3_ZERO; // that arrive; l about the world's origin
            for (int k = 0; k < free_tree.count; ++k) {
                sn_spatial link = sn_spatial_scale(1 / step.h, step.arrived[k]);
                p = sn_vec3_add(p, link.linear);
                l = sn_vec3_add(
                    l, sn_vec3_add(link.angular, sn_cross(free_tree.pose[k].origin, link.linear)));
            }
            first_p = i == 0 ? p : first_p;
            first_l = i == 0 ? l : first_l;
            assert_true(sn_distance(p, first_p) < 1e-9 * (1 + sn_length(first_p)));
            assert_true(sn_distance(l, first_l) < 1e-8 * (1 + sn_length(first_l)));
            assert_true(sn_tree_step_advance(&step, &free_tree, q, v));
        }
        sn_tree_step_free(&step);
        sn_tree_free(&free_tree);
        sn_tree_free(&tree);
    }
}

// (q, -v) leads back to where (q, v) came from.
static void steps_run_backwards(void **state)
{
    (void)state;
    sn_random random = {.seed = 27};
    for (int trial = 0; trial < 5; ++trial) {
        sn_tree tree;
        sn_tree_step step;
        double q0[4 * MOST], v0[3 * MOST], q[4 * MOST], v[3 * MOST];
        make_tree(&random, 6, &tree);
        assert_true(sn_tree_step_allocate(&step, &tree));
        step.tolerance = 1e-13;
        random_state(&random, &tree, q0, v0);
        memcpy(q, q0, sizeof q);
        memcpy(v, v0, sizeof v);
        for (int way = 0; way < 2; ++way) {
            advance(&tree, &step, q, v, 2e-3, 100, gravity);
            for (int j = 0; j < tree.v_count; ++j) {
                v[j] = -v[j];
            }
        }
        sn_tree_pose here[MOST], start[MOST];
        sn_tree_place_into(&tree, q, here);
        sn_tree_place_into(&tree, q0, start);
        for (int i = 0; i < tree.count; ++i) {
            assert_true(sn_distance(here[i].centre, start[i].centre) < 1e-9);
        }
        for (int j = 0; j < tree.v_count; ++j) {
            assert_true(fabs(v[j] - v0[j]) < 1e-7);
        }
        sn_tree_step_free(&step);
        sn_tree_free(&tree);
    }
}

// A turn with the exact derivative squares the error, for every kind of joint.
static void newton_converges_quadratically(void **state)
{
    (void)state;
    sn_random random = {.seed = 28};
    int tried = 0;
    for (int trial = 0; trial < 40; ++trial) {
        sn_tree tree;
        sn_tree_step step;
        double q[4 * MOST], v[3 * MOST];
        make_tree(&random, 1 + trial % 10, &tree);
        assert_true(sn_tree_step_allocate(&step, &tree));
        random_state(&random, &tree, q, v);
        step.tolerance = 1.0; // a single turn, far from the end
        sn_tree_step_begin(&step, &tree, q, v, 0.05);
        assert_true(sn_tree_step_push(&step, &tree, gravity, NULL, NULL));
        assert_true(sn_tree_step_advance(&step, &tree, q, v));
        double size[3];
        for (int turn = 0; turn < 3; ++turn) {
            assert_true(sn_tree_newton_factorise(&step, &tree));
            size[turn] = sn_tree_newton_turn(&step, &tree);
        }
        tried += size[0] > 1e-7; // a lone slider has nothing to find
        assert_true(size[1] < 20.0 * size[0] * size[0] + 1e-14);
        assert_true(size[2] < 20.0 * size[1] * size[1] + 1e-13);
        sn_tree_step_free(&step);
        sn_tree_free(&tree);
    }
    assert_true(tried > 20);
}

// An impulse found by a solver shifts the free velocity by M^-1 impulse, and the step goes where
// the free velocity points.
static void impulses_change_the_free_velocity(void **state)
{
    (void)state;
    sn_random random = {.seed = 29};
    for (int trial = 0; trial < 20; ++trial) {
        sn_tree tree;
        sn_tree_step step;
        double q[4 * MOST], v[3 * MOST], impulse[3 * MOST], before[3 * MOST], after[3 * MOST],
            shift[3 * MOST];
        const double h = 1e-5;
        make_tree(&random, 5, &tree);
        assert_true(sn_tree_step_allocate(&step, &tree));
        random_state(&random, &tree, q, v);
        sn_tree_step_begin(&step, &tree, q, v, h);
        assert_true(sn_tree_step_push(&step, &tree, gravity, NULL, NULL));
        for (int j = 0; j < tree.v_count; ++j) {
            impulse[j] = sn_random_range(&random, -0.1, 0.1);
        }
        sn_tree_step_free_velocity(&step, &tree, before);
        sn_tree_step_add_impulse(&step, &tree, impulse);
        sn_tree_step_free_velocity(&step, &tree, after);
        sn_tree_solve(&tree, impulse, shift);
        assert_true(sn_tree_step_advance(&step, &tree, q, v));
        double fastest = 1.0;
        for (int j = 0; j < tree.v_count; ++j) {
            fastest = fmax(fastest, fabs(after[j]));
        }
        for (int j = 0; j < tree.v_count; ++j) {
            assert_true(fabs(after[j] - before[j] - shift[j]) < 1e-9 * (1 + fabs(shift[j])));
            assert_true(fabs(v[j] - after[j]) < 10.0 * h * fastest * fastest);
        }
        sn_tree_step_free(&step);
        sn_tree_free(&tree);
    }
}

// ---- hard cases ----

// A rod along x on a ball at `at` in its parent.
static void set_rod(sn_tree_link *link, int parent, double at, double length, double radius,
                    double mass)
{
    double along = 0.5 * mass * radius * radius;
    double across = mass * (3 * radius * radius + length * length) / 12;
    *link = (sn_tree_link){
        .parent = parent, .joint = SN_TREE_BALL, .frame = SN_FRAME_IDENTITY, .mass = mass};
    link->frame.position = sn_vec3_make(at, 0, 0);
    link->centre = sn_vec3_make(0.5 * length, 0, 0);
    link->inertia = sn_mat3_diagonal(sn_vec3_make(along, across, across));
}

// A spin of two radians a step is beyond what a step can hold: it is refused and changes nothing,
// and goes in parts.
static void a_step_too_long_leaves_the_state(void **state)
{
    (void)state;
    sn_tree tree;
    sn_tree_step step;
    assert_true(sn_tree_allocate(&tree, 1));
    set_rod(&tree.links[0], -1, 0.0, 0.1, 0.01, 0.1);
    sn_tree_finish(&tree);
    assert_true(sn_tree_step_allocate(&step, &tree));
    double q[4] = {1, 0, 0, 0}, v[3] = {2000, 0, 0}, energy_before = energy(&tree, q, v, gravity);
    sn_tree_step_begin(&step, &tree, q, v, 1e-3);
    assert_true(sn_tree_step_push(&step, &tree, gravity, NULL, NULL));
    assert_false(sn_tree_step_advance(&step, &tree, q, v));
    assert_true(q[0] == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0);
    assert_true(v[0] == 2000 && v[1] == 0 && v[2] == 0);
    for (int i = 0; i < 100; ++i) {
        assert_true(sn_tree_step_take(&step, &tree, 1e-3, gravity, NULL, NULL, q, v));
        assert_true(step.parts >= 2);
    }
    assert_true(fabs(energy(&tree, q, v, gravity) - energy_before) < 0.01 * energy_before);
    sn_tree_step_free(&step);
    sn_tree_free(&tree);
}

// Chains of ten rods, bent in a zigzag and let go, 5 s at 1/240 s: every step must be found, in
// parts if need be, and the energy stay near that of the start.
static void unequal_links_stay_stable(void **state)
{
    (void)state;
    static const char *const names[] = {"masses 1e5:1 in turn", "a root 1e5 times as heavy",
                                        "lengths 1e4:1 in turn", "rods as thin as 1e-4"};
    for (int kind = 0; kind < 4; ++kind) {
        sn_tree tree;
        sn_tree_step step;
        double q[40], v[30] = {0}, d[30] = {0}, at = 0.0, depth = 0.0, scale = 0.0, worst = 0.0;
        long parts = 0;
        assert_true(sn_tree_allocate(&tree, 10));
        for (int i = 0; i < 10; ++i) {
            double length = kind == 2 ? (i % 2 == 0 ? 1.0 : 1e-4) : 0.1, radius = 0.1 * length;
            double mass = kind == 0 ? (i % 2 == 0 ? 100.0 : 1e-3) : 0.01;
            mass = kind == 1 && i == 0 ? 1000.0 : mass;
            radius = kind == 3 ? 1e-5 : radius;
            set_rod(&tree.links[i], i - 1, at, length, radius, mass);
            scale += 9.81 * mass * (depth + 0.5 * length);
            depth += length;
            at = length;
            d[3 * i + 1] = i % 2 == 0 ? 1.2 : -1.2;
            d[3 * i + 2] = 0.1;
        }
        sn_tree_finish(&tree);
        assert_true(sn_tree_step_allocate(&step, &tree));
        sn_tree_zero(&tree, q);
        sn_tree_move(&tree, q, d, 1.0, q);
        const sn_vec3 down = {0, 0, -9.81};
        double start = energy(&tree, q, v, down);
        for (int i = 0; i < 1200; ++i) {
            assert_true(sn_tree_step_take(&step, &tree, 1.0 / 240, down, NULL, NULL, q, v));
            worst = fmax(worst, fabs(energy(&tree, q, v, down) - start) / scale);
            parts += step.parts;
        }
        print_message("%s: largest energy error %.2g, %.1f parts a step\n", names[kind], worst,
                      (double)parts / 1200);
        assert_true(worst < 0.25);
        sn_tree_step_free(&step);
        sn_tree_free(&tree);
    }
}

// Masses of 1e5:1 and lengths of 1e4:1 along chains, growing, shrinking, in turn and at an end, at
// 1/240 s, from horizontal or at random speeds: every step is found, and energy is not gained.
static void hard_ratios_gain_no_energy(void **state)
{
    (void)state;
    enum { KINDS = 8, COUNT = 10 };
    for (int kind = 0; kind < 2 * KINDS; ++kind) {
        sn_tree tree;
        sn_tree_step step;
        sn_random random = {.seed = 31};
        double q[40], v[30] = {0}, at = 0.0, depth = 0.0, scale = 0.0, most = 0.0;
        assert_true(sn_tree_allocate(&tree, COUNT));
        for (int i = 0; i < COUNT; ++i) {
            double part = (double)i / (COUNT - 1);
            const double mass[KINDS] = {1e-3 * pow(1e5, part),
                                        100 * pow(1e5, -part),
                                        i == COUNT - 1 ? 100.0 : 1e-3,
                                        i == 0 ? 100.0 : 1e-3,
                                        i % 2 == 0 ? 100.0 : 1e-3,
                                        0.1,
                                        0.1,
                                        0.1};
            const double length[KINDS] = {0.1,
                                          0.1,
                                          0.1,
                                          0.1,
                                          0.1,
                                          pow(1e4, -part),
                                          1e-4 * pow(1e4, part),
                                          i % 2 == 0 ? 1.0 : 1e-4};
            double m = mass[kind % KINDS], l = length[kind % KINDS];
            set_rod(&tree.links[i], i - 1, at, l, 0.1 * l, m);
            scale += 9.81 * m * (depth + 0.5 * l);
            depth += l;
            at = l;
            for (int k = 0; k < 3 && kind >= KINDS; ++k) {
                v[3 * i + k] = sn_random_range(&random, -5.0, 5.0);
            }
        }
        sn_tree_finish(&tree);
        assert_true(sn_tree_step_allocate(&step, &tree));
        sn_tree_zero(&tree, q);
        const sn_vec3 down = {0, 0, -9.81};
        double start = energy(&tree, q, v, down);
        scale += start;
        for (int i = 0; i < 60; ++i) {
            assert_true(sn_tree_step_take(&step, &tree, 1.0 / 240, down, NULL, NULL, q, v));
            double now = energy(&tree, q, v, down);
            assert_true(isfinite(now));
            most = fmax(most, (now - start) / scale);
        }
        assert_true(most < 0.03);
        sn_tree_step_free(&step);
        sn_tree_free(&tree);
    }
}

// A floating tree that whirls too fast for its step keeps its momentum from one step to the next
// when both have as many parts (the momentum that a state stands for goes with the length of the
// part), and the same parts give the same bits.
static void parts_keep_momentum_and_bits(void **state)
{
    (void)state;
    sn_tree tree;
    sn_tree_step step;
    assert_true(sn_tree_allocate(&tree, 4));
    tree.links[0] =
        (sn_tree_link){.parent = -1, .joint = SN_TREE_TRANSLATION, .frame = SN_FRAME_IDENTITY};
    for (int i = 1; i < 4; ++i) {
        set_rod(&tree.links[i], i - 1, i > 1 ? 0.1 : 0.0, 0.1, 0.02, 0.1 * i);
    }
    sn_tree_finish(&tree);
    assert_true(sn_tree_step_allocate(&step, &tree));
    double end[2][32] = {{0}};
    for (int run = 0; run < 2; ++run) {
        double *q = end[run], *v = q + tree.q_count;
        sn_tree_zero(&tree, q);
        const double rates[12] = {1, -2, 0.5, 40, 150, -90, 10, -260, 120, -30, 200, 240};
        memcpy(v, rates, sizeof rates);
        sn_vec3 before = SN_VEC3_ZERO;
        int parts = 0, last = 0, compared = 0;
        for (int i = 0; i < 50; ++i) {
            assert_true(sn_tree_step_take(&step, &tree, 0.01, SN_VEC3_ZERO, NULL, NULL, q, v));
            assert_int_equal(step.damped, 0);
            parts += step.parts;
            // h P(c-, c) of the last part: what the tree carries, whatever (q, v) reads as
            sn_vec3 sum = SN_VEC3_ZERO;
            for (int k = 0; k < tree.count; ++k) {
                sum = sn_vec3_add(sum, step.arrived[k].linear);
            }
            sum = sn_vec3_scale(step.parts / 0.01, sum);
            if (i > 0 && step.parts == last) {
                assert_true(sn_distance(sum, before) < 1e-6 * (1 + sn_length(before)));
                ++compared;
            }
            before = sum;
            last = step.parts;
        }
        print_message("%d parts, %d pairs of steps compared\n", parts, compared);
        assert_true(parts > 100 && compared > 5);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
    sn_tree_step_free(&step);
    sn_tree_free(&tree);
}

// A chain of 2,000 rods let go from horizontal: moments of 2 kN m on links of 0.3 g m^2.
static void long_chains_at_rest_converge(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    sn_tree tree;
    sn_tree_step step;
    assert_true(sn_tree_allocate(&tree, COUNT));
    for (int i = 0; i < COUNT; ++i) {
        set_rod(&tree.links[i], i - 1, i > 0 ? 0.1 : 0.0, 0.1, 0.01, 0.1);
    }
    sn_tree_finish(&tree);
    assert_true(sn_tree_step_allocate(&step, &tree));
    step.tolerance = 1e-12;
    double *q = calloc((size_t)tree.q_count + (size_t)tree.v_count, sizeof *q),
           *v = q + tree.q_count;
    sn_tree_zero(&tree, q);
    for (int i = 0; i < 20; ++i) {
        sn_tree_step_begin(&step, &tree, q, v, 1e-3);
        assert_true(sn_tree_step_push(&step, &tree, sn_vec3_make(0, 0, -9.81), NULL, NULL));
        assert_true(sn_tree_step_advance(&step, &tree, q, v));
        assert_true(step.turns < 10);
    }
    // Far from the root all fall freely: 19.5 steps of the leapfrog from the half step on.
    sn_tree_place(&tree, q);
    double fallen = 0.5 * 9.81 * 0.02 * 0.02;
    assert_true(fabs(tree.pose[COUNT - 1].centre.z + fallen) < 1e-9);
    free(q);
    sn_tree_step_free(&step);
    sn_tree_free(&tree);
}

static void lack_of_memory_is_seen(void **state)
{
    (void)state;
    for (int n = 0; n < 11; ++n) {
        sn_tree tree, copy;
        sn_tree_step step;
        sn_allocation_fail_after(n);
        bool made = sn_tree_allocate(&tree, 3);
        sn_allocation_fail_after(-1);
        assert_int_equal(made, n >= 9);
        sn_tree_free(&tree);
        assert_true(sn_tree_allocate(&tree, 3));
        sn_allocation_fail_after(n);
        assert_int_equal(sn_tree_copy(&tree, &copy), n >= 9);
        sn_allocation_fail_after(n);
        assert_int_equal(sn_tree_step_allocate(&step, &tree), n >= 6);
        sn_allocation_fail_after(-1);
        sn_tree_step_free(&step);
        sn_tree_free(&copy);
        sn_tree_free(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_derivatives_of_places),
        cmocka_unit_test(forward_undoes_inverse),
        cmocka_unit_test(factor_agrees_with_the_dense_mass_matrix),
        cmocka_unit_test(joint_forces_do_the_work),
        cmocka_unit_test(steps_are_second_order),
        cmocka_unit_test(energy_has_no_trend),
        cmocka_unit_test(a_free_tree_keeps_its_momenta),
        cmocka_unit_test(steps_run_backwards),
        cmocka_unit_test(newton_converges_quadratically),
        cmocka_unit_test(impulses_change_the_free_velocity),
        cmocka_unit_test(a_step_too_long_leaves_the_state),
        cmocka_unit_test(unequal_links_stay_stable),
        cmocka_unit_test(hard_ratios_gain_no_energy),
        cmocka_unit_test(parts_keep_momentum_and_bits),
        cmocka_unit_test(long_chains_at_rest_converge),
        cmocka_unit_test(root_is_that_of_the_mass_matrix),
        cmocka_unit_test(rows_of_wrenches_are_halves),
        cmocka_unit_test(lack_of_memory_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
