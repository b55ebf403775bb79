// Trees in maximal coordinates against the same trees in joint coordinates: states, accelerations,
// reactions, steps; projection; and what cannot be a tree. Loops: maximal_loop_test.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tree/tree_step.h"
#include "random_tree.h"
#include "reference/maximal.h"
#include "reference/maximal_step.h"

// ---- state ----

static void states_go_there_and_back(void **state)
{
    (void)state;
    sn_random random = {.seed = 31};
    double worst = 0.0;
    for (int trial = 0; trial < 200; ++trial) {
        sn_tree tree;
        sn_maximal m;
        double q[4 * MOST], v[3 * MOST], back_q[4 * MOST], back_v[3 * MOST];
        sn_spatial velocity[MOST];
        make_tree(&random, 1 + trial % 15, trial % 4, &tree);
        random_state(&random, &tree, q, v);
        make_maximal(&m, &tree, NULL, 0);
        sn_maximal_from_tree(&m, q, v);
        sn_tree_place(&tree, q);
        sn_tree_velocity(&tree, v, velocity);
        for (int b = 0; b < m.body_count; ++b) {
            const sn_tree_pose *pose = &tree.pose[m.bodies[b].link];
            assert_true(sn_distance(pose->centre, m.pose[b].frame.position) < 1e-14 * 20);
            sn_spatial wanted = velocity_at(&velocity[m.bodies[b].link], pose);
            assert_true(spatial_distance(wanted, m.velocity[b]) < 1e-12);
        }
        // From zero joints, which know nothing of q, the poses alone must give it back.
        sn_tree_zero(&tree, m.q);
        sn_maximal_gap gap = sn_maximal_place(&m);
        assert_true(gap.linear < 1e-13 && gap.angular < 1e-13);
        sn_maximal_to_tree(&m, back_q, back_v);
        sn_tree_pose again[3 * MOST];
        sn_tree_place_into(&tree, back_q, again);
        for (int i = 0; i < tree.count; ++i) {
            if (tree.links[i].mass > 0.0) {
                worst = fmax(worst, sn_distance(again[i].centre, tree.pose[i].centre));
            }
        }
        sn_maximal_from_tree(&m, q, v);
        sn_maximal_to_tree(&m, back_q, back_v);
        for (int j = 0; j < tree.v_count; ++j) {
            worst = fmax(worst, fabs(back_v[j] - v[j]));
        }
        sn_maximal_free(&m);
        sn_tree_free(&tree);
    }
    print_message("worst return %.2g\n", worst);
    assert_true(worst < 1e-11);
}

// ---- accelerations ----

// Solver (b).
static void reduced_accelerations(sn_tree *tree, const double *v, const sn_spatial *wrench,
                                  const double *force, double *a)
{
    double zero[3 * MOST] = {0}, bias[3 * MOST];
    sn_tree_inverse(tree, v, zero, gravity, wrench, bias);
    for (int j = 0; j < tree->v_count; ++j) {
        bias[j] = force[j] - bias[j];
    }
    assert_true(sn_tree_factorise(tree, NULL));
    sn_tree_solve(tree, bias, a);
}

// The measure: (a) and (b) agree to 1e-9.
static void accelerations_agree_with_joint_coordinates(void **state)
{
    (void)state;
    sn_random random = {.seed = 32};
    double worst = 0.0;
    int kept = 0, coupled = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        sn_tree tree;
        sn_maximal m;
        double q[4 * MOST], v[3 * MOST], force[3 * MOST], wanted[3 * MOST], found[3 * MOST];
        sn_spatial wrench[3 * MOST], a[MOST];
        make_tree(&random, 1 + trial % 20, trial % 7, &tree);
        if (trial % 4 == 3) { // masses up to 1e5 apart
            for (int i = 0; i < tree.count; ++i) {
                double scale = sn_exp(sn_random_range(&random, -5.75, 5.75));
                tree.links[i].mass *= scale;
                tree.links[i].inertia = sn_mat3_scale(scale, tree.links[i].inertia);
            }
            sn_tree_finish(&tree);
        }
        random_state(&random, &tree, q, v);
        random_loads(&random, &tree, wrench, force);
        sn_tree_place(&tree, q);
        reduced_accelerations(&tree, v, wrench, force, wanted);
        make_maximal(&m, &tree, NULL, 0);
        sn_maximal_from_tree(&m, q, v);
        assert_int_equal(sn_maximal_accelerate(&m, gravity, wrench, force, a, NULL), SN_OK);
        sn_maximal_joint_accelerations(&m, a, found);
        double size = 1.0;
        for (int j = 0; j < tree.v_count; ++j) {
            size = fmax(size, fabs(wanted[j]));
        }
        for (int j = 0; j < tree.v_count; ++j) {
            worst = fmax(worst, fabs(found[j] - wanted[j]) / size);
        }
        for (int b = 0; b < m.body_count; ++b) {
            kept += m.bodies[b].kept >= 0;
            coupled += m.bodies[b].child_count == 1;
        }
        sn_maximal_free(&m);
        sn_tree_free(&tree);
    }
    print_message("worst difference %.2g; %d bodies kept, %d with one child\n", worst, kept,
                  coupled);
    assert_true(worst < 1e-9);
    assert_true(kept > 100 && coupled > 100);
}

// Newton and Euler for each body by itself, from what the joints are said to do, and the drives'
// share of it.
static void reactions_balance(void **state)
{
    (void)state;
    sn_random random = {.seed = 33};
    double worst = 0.0, worst_drive = 0.0;
    for (int trial = 0; trial < 200; ++trial) {
        sn_tree tree;
        sn_maximal m;
        double q[4 * MOST], v[3 * MOST], force[3 * MOST];
        sn_spatial wrench[3 * MOST], a[MOST], reaction[MOST], sum[MOST], velocity[3 * MOST];
        make_tree(&random, 1 + trial % 15, trial % 7, &tree);
        random_state(&random, &tree, q, v);
        random_loads(&random, &tree, wrench, force);
        for (int i = 0; i < tree.count; ++i) { // what massless links pass on has its own test above
            if (tree.links[i].mass == 0.0) {
                wrench[i] = SN_SPATIAL_ZERO;
            }
        }
        make_maximal(&m, &tree, NULL, 0);
        sn_maximal_from_tree(&m, q, v);
        assert_int_equal(sn_maximal_accelerate(&m, gravity, wrench, force, a, NULL), SN_OK);
        sn_maximal_reactions(&m, reaction);
        sn_tree_place(&tree, q);
        sn_tree_velocity(&tree, v, velocity);
        double size = 1.0;
        for (int b = 0; b < m.body_count; ++b) { // moments about the world's origin
            const sn_tree_link *link = &tree.links[m.bodies[b].link];
            const sn_tree_pose *pose = &tree.pose[m.bodies[b].link];
            sn_spatial f = sn_spatial_add(wrench[m.bodies[b].link], reaction[b]);
            sn_vec3 weight = sn_vec3_scale(link->mass, gravity);
            sum[b].linear = sn_vec3_add(f.linear, weight);
            sum[b].angular = sn_vec3_add(f.angular, sn_vec3_add(sn_cross(pose->origin, f.linear),
                                                                sn_cross(pose->centre, weight)));
            size = fmax(size, sn_length(reaction[b].linear));
        }
        for (int b = m.body_count - 1; b >= 0; --b) {
            const sn_tree_pose *pose = &tree.pose[m.bodies[b].link];
            int p = m.joints[b].parent;
            if (p >= 0) {
                sum[p].linear = sn_vec3_sub(sum[p].linear, reaction[b].linear);
                sum[p].angular = sn_vec3_sub(
                    sum[p].angular,
                    sn_vec3_add(reaction[b].angular, sn_cross(pose->origin, reaction[b].linear)));
            }
        }
        for (int b = 0; b < m.body_count; ++b) {
            int i = m.bodies[b].link;
            const sn_tree_link *link = &tree.links[i];
            const sn_tree_pose *pose = &tree.pose[i];
            sn_vec3 w = sn_mat3_apply_transpose(pose->rotation, velocity[i].angular);
            sn_vec3 rate = sn_mat3_apply_transpose(pose->rotation, a[b].angular);
            sn_vec3 spin = sn_vec3_add(sn_mat3_apply(link->inertia, rate),
                                       sn_cross(w, sn_mat3_apply(link->inertia, w)));
            sn_vec3 push = sn_vec3_scale(link->mass, a[b].linear);
            sn_vec3 moment =
                sn_vec3_add(sn_mat3_apply(pose->rotation, spin), sn_cross(pose->centre, push));
            worst = fmax(worst, spatial_distance(sn_spatial_make(moment, push), sum[b]) / size);
            if (link->joint == SN_TREE_HINGE) {
                sn_vec3 z = sn_mat3_apply(pose->rotation, sn_vec3_make(0, 0, 1));
                double felt = sn_dot(z, reaction[b].angular);
                worst_drive = fmax(worst_drive, fabs(felt - force[link->v]) / size);
            }
        }
        sn_maximal_free(&m);
        sn_tree_free(&tree);
    }
    print_message("worst imbalance %.2g, of drives %.2g\n", worst, worst_drive);
    assert_true(worst < 1e-11 && worst_drive < 1e-11);
}

// ---- projection ----

static void perturb(sn_random *random, sn_maximal *m, double size)
{
    for (int b = 0; b < m->body_count; ++b) {
        sn_spatial by = random_spatial(random, size);
        sn_maximal_pose *pose = &m->pose[b];
        pose->turn = sn_quat_multiply(sn_quat_exp(by.angular), pose->turn);
        pose->frame.rotation = sn_quat_to_mat3(pose->turn);
        pose->frame.position = sn_vec3_add(pose->frame.position, by.linear);
        m->velocity[b] = sn_spatial_add(m->velocity[b], random_spatial(random, size));
    }
}

static void projection_removes_drift(void **state)
{
    (void)state;
    sn_random random = {.seed = 34};
    for (int level = 0; level < 3; ++level) {
        const double sizes[3] = {1e-6, 1e-3, 0.1};
        double gap = 0.0, drift = 0.0;
        int turns = 0;
        for (int trial = 0; trial < 60; ++trial) {
            sn_tree tree;
            sn_maximal m;
            double q[4 * MOST], v[3 * MOST];
            make_tree(&random, 1 + trial % 15, trial % 7, &tree);
            random_state(&random, &tree, q, v);
            make_maximal(&m, &tree, NULL, 0);
            sn_maximal_from_tree(&m, q, v);
            perturb(&random, &m, sizes[level]);
            sn_maximal_gap left;
            sn_error error = {0};
            if (sn_maximal_project(&m, &left, &error) != SN_OK) {
                fail_msg("%s", sn_error_message(&error));
            }
            double size = 1.0;
            for (int b = 0; b < m.body_count; ++b) {
                size = fmax(size, sn_length(m.pose[b].frame.position));
            }
            gap = fmax(gap, fmax(left.linear, left.angular) / size);
            turns = left.turns > turns ? left.turns : turns;
            drift = fmax(drift, velocity_drift(&m));
            sn_maximal_free(&m);
            sn_tree_free(&tree);
        }
        print_message("from %.0e: gaps %.2g, velocities %.2g, at most %d turns\n", sizes[level],
                      gap, drift, turns);
        assert_true(gap < 1e-14 && drift < 1e-13);
        assert_true(turns <= 4 + 4 * level);
    }
}

// ---- the step ----

typedef struct comparison {
    double place, rate, gap; // the farthest, over all trees
    int turns;
} comparison;

// Both steps from the same start to 0.1 s: how far apart they end.
static void compare_steps(comparison *far, sn_tree *tree, const double *start, const double *speed,
                          double h, const sn_spatial *wrench, const double *force)
{
    sn_tree_step step;
    sn_maximal m;
    sn_maximal_step maximal_step;
    double q[4 * MOST], v[3 * MOST], q2[4 * MOST], v2[3 * MOST];
    memcpy(q, start, (size_t)tree->q_count * sizeof *q);
    memcpy(v, speed, (size_t)tree->v_count * sizeof *v);
    make_maximal(&m, tree, NULL, 0);
    assert_true(sn_tree_step_allocate(&step, tree));
    step.tolerance = 1e-14; // its own is made for speed, and 100 steps would add it up
    assert_true(sn_maximal_step_allocate(&maximal_step, &m));
    assert_int_equal(sn_maximal_step_begin(&maximal_step, &m, q, v, h, NULL), SN_OK);
    for (int i = 0; i < (int)(0.1 / h + 0.5); ++i) {
        sn_error error = {0};
        sn_tree_step_begin(&step, tree, q, v, h);
        assert_true(sn_tree_step_push(&step, tree, gravity, wrench, force));
        assert_true(sn_tree_step_advance(&step, tree, q, v));
        assert_int_equal(sn_maximal_step_push(&maximal_step, &m, gravity, wrench, force, NULL),
                         SN_OK);
        if (sn_maximal_step_advance(&maximal_step, &m, &error) != SN_OK) {
            fail_msg("step %d: %s", i, sn_error_message(&error));
        }
        far->turns = maximal_step.turns > far->turns ? maximal_step.turns : far->turns;
    }
    sn_maximal_step_state(&maximal_step, &m, q2, v2);
    sn_tree_pose here[3 * MOST], there[3 * MOST];
    sn_tree_place_into(tree, q, here);
    sn_tree_place_into(tree, q2, there);
    for (int i = 0; i < tree->count; ++i) {
        far->place = fmax(far->place, sn_distance(here[i].centre, there[i].centre));
    }
    far->gap = fmax(far->gap, sn_maximal_place(&m).linear);
    double fastest = 1.0;
    for (int j = 0; j < tree->v_count; ++j) {
        fastest = fmax(fastest, fabs(v[j]));
    }
    for (int j = 0; j < tree->v_count; ++j) {
        far->rate = fmax(far->rate, fabs(v[j] - v2[j]) / fastest);
    }
    sn_maximal_step_free(&maximal_step);
    sn_tree_step_free(&step);
    sn_maximal_free(&m);
}

// The tree measures travel by arcs, bodies with multipliers by chords: two maps of second order,
// which differ by the square of the step.
static void steps_agree_with_joint_coordinates(void **state)
{
    (void)state;
    sn_random random = {.seed = 35};
    comparison far[3] = {{0}};
    for (int trial = 0; trial < 30; ++trial) {
        sn_tree tree;
        double q[4 * MOST], v[3 * MOST], force[3 * MOST];
        sn_spatial wrench[3 * MOST];
        bool loaded = trial % 2 == 1;
        make_tree(&random, 1 + trial % 10, trial % 7, &tree);
        random_state(&random, &tree, q, v);
        random_loads(&random, &tree, wrench, force);
        for (int level = 0; level < 3; ++level) {
            compare_steps(&far[level], &tree, q, v, 1e-3 / (1 << level), loaded ? wrench : NULL,
                          loaded ? force : NULL);
        }
        sn_tree_free(&tree);
    }
    for (int level = 0; level < 3; ++level) {
        print_message("%g ms: %.2g m and velocities %.2g apart, gaps %.2g m, at most %d turns\n",
                      1.0 / (1 << level), far[level].place, far[level].rate, far[level].gap,
                      far[level].turns);
        assert_true(far[level].gap < 1e-10);
    }
    assert_true(far[0].place < 1e-5 && far[0].rate < 1e-4);
    for (int level = 1; level < 3; ++level) {
        assert_true(far[level].place < 0.27 * far[level - 1].place);
        assert_true(far[level].rate < 0.27 * far[level - 1].rate);
    }
}

// A long chain that hangs at rest: movements are nothing but rounding, and stay so.
static void rest_stays_rest(void **state)
{
    (void)state;
    sn_tree tree;
    sn_maximal m;
    sn_maximal_step step;
    double q[4 * MOST], v[3 * MOST] = {0};
    assert_true(sn_tree_allocate(&tree, MOST));
    for (int i = 0; i < MOST; ++i) {
        sn_tree_link *link = &tree.links[i];
        *link = (sn_tree_link){.parent = i - 1, .joint = SN_TREE_BALL, .mass = 1.0};
        link->frame = (sn_frame){SN_MAT3_IDENTITY, {0, 0, i > 0 ? -0.3 : 0.0}};
        link->centre = sn_vec3_make(0, 0, -0.15);
        link->inertia = sn_mat3_diagonal(sn_vec3_make(0.01, 0.01, 0.001));
    }
    sn_tree_finish(&tree);
    sn_tree_zero(&tree, q);
    make_maximal(&m, &tree, NULL, 0);
    assert_true(sn_maximal_step_allocate(&step, &m));
    assert_int_equal(sn_maximal_step_begin(&step, &m, q, v, 1e-3, NULL), SN_OK);
    for (int i = 0; i < 200; ++i) {
        sn_vec3 down = {0, 0, -9.81};
        assert_int_equal(sn_maximal_step_push(&step, &m, down, NULL, NULL, NULL), SN_OK);
        assert_int_equal(sn_maximal_step_advance(&step, &m, NULL), SN_OK);
    }
    sn_spatial reaction[MOST];
    sn_maximal_reactions(&m, reaction);
    assert_true(fabs(reaction[0].linear.z - 9.81 * MOST) < 1e-6);
    assert_true(fabs(reaction[MOST - 1].linear.z - 9.81) < 1e-6);
    sn_maximal_step_state(&step, &m, q, v);
    for (int j = 0; j < tree.v_count; ++j) {
        assert_true(fabs(v[j]) < 1e-9);
    }
    sn_maximal_step_free(&step);
    sn_maximal_free(&m);
    sn_tree_free(&tree);
}

// ---- what goes wrong ----

static void impossible_trees_are_refused(void **state)
{
    (void)state;
    sn_random random = {.seed = 37};
    for (int c = 0; c < 8; ++c) {
        const char *const text[] = {"link 1 has no mass and carries 2 links",
                                    "link 3 has no mass and carries 0 links",
                                    "link 2 has principal moments of inertia 0",
                                    "give link 3 7 degrees of freedom",
                                    "closure 0 names link 4",
                                    "closure 0 is on link 0, which has no mass",
                                    "closure 0 joins link 3 to itself",
                                    "closure 0 names link -2"};
        sn_tree tree;
        sn_maximal m;
        sn_error error = {0};
        sn_maximal_closure closure = {.a = -1, .b = 3, .weld = true};
        assert_true(sn_tree_allocate(&tree, 4));
        for (int i = 0; i < 4; ++i) {
            tree.links[i] = (sn_tree_link){.parent = i - 1, .frame = SN_FRAME_IDENTITY};
            give_mass(&random, &tree.links[i]);
        }
        closure.on_a = closure.on_b = SN_FRAME_IDENTITY;
        if (c == 0) {
            tree.links[1].mass = 0.0;
            tree.links[3].parent = 1;
        } else if (c == 1) {
            tree.links[3].mass = 0.0;
        } else if (c == 2) {
            tree.links[2].inertia = sn_mat3_diagonal(sn_vec3_make(1, 1, 0));
        } else if (c == 3) {
            tree.links[1].mass = tree.links[2].mass = 0.0;
            tree.links[1].joint = tree.links[2].joint = SN_TREE_BALL;
        } else if (c == 4) {
            closure.b = 4;
        } else if (c == 5) {
            tree.links[0].mass = 0.0;
            closure.b = 0;
        } else if (c == 6) {
            closure.a = 3;
        } else {
            closure.a = -2;
        }
        sn_tree_finish(&tree);
        assert_int_not_equal(sn_maximal_make(&m, &tree, &closure, 1, &error), SN_OK);
        if (strstr(sn_error_message(&error), text[c]) == NULL) {
            fail_msg("case %d: \"%s\" does not say \"%s\"", c, sn_error_message(&error), text[c]);
        }
        sn_tree_free(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_go_there_and_back),
        cmocka_unit_test(accelerations_agree_with_joint_coordinates),
        cmocka_unit_test(reactions_balance),
        cmocka_unit_test(projection_removes_drift),
        cmocka_unit_test(steps_agree_with_joint_coordinates),
        cmocka_unit_test(rest_stays_rest),
        cmocka_unit_test(impossible_trees_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
