// Impulses of contact on articulations at the end of a step and in steps of parts, the loads they
// leave in joints, and displacements.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "contact_hit.h"
#include "math/dense.h"

// ---- at the end of the step ----

static void strikes_are_those_of_dense_algebra(void **state)
{
    (void)state;
    sn_random random = {.seed = 46};
    for (int trial = 0; trial < 40; ++trial) {
        sn_tree tree;
        sn_articulation_set set;
        add_random(&set, &random, 1 + trial % 9, NULL, &tree);
        sn_agent_set *agents = &set.agents;
        if (trial % 2 != 0) { // as integrators of their own have it: no step to be in
            agents->agents[0].integrator = SN_INTEGRATOR_RK4;
        } else {
            start_step(&set, 1e-3, gravity);
            end_step(&set, 1e-3);
            contact_of(&set)->strike(agents, 0);
        }
        int n = agents->v_count;
        static double mass[FREEDOMS * FREEDOMS];
        double row[FREEDOMS], before[FREEDOMS], dv[FREEDOMS], back[FREEDOMS];
        contact_of(&set)->velocity(agents, 0, before);
        assert_memory_equal(before, agents->v, (size_t)n * sizeof *before);
        hit one = random_hit(&random, &set, 1.0);
        contact_of(&set)->project(agents, 0, one.part, &one.f, row);
        give(&set, &one, 1, true);
        sn_tree_place(&set.items[0]->tree, agents->q);
        sn_tree_mass_matrix(&set.items[0]->tree, mass);
        for (int j = 0; j < n; ++j) {
            dv[j] = agents->v[j] - before[j];
        }
        sn_dense_apply(n, n, mass, dv, back);
        assert_true(largest(n, back, row) < 1e-10 * (1.0 + largest(n, row, NULL)));
        sn_tree_free(&tree);
        sn_articulation_set_free(&set);
    }
}

// ---- loads ----

// A rod hit at its centre of percussion, two thirds from the nail, does not pull at the nail.
// Elsewhere, at a share s of its length, the nail gives (3/2 s - 1) p: in the step and at its end.
static void nails_bear_what_they_should(void **state)
{
    (void)state;
    const double h = 1e-5, p = 1.0;
    for (int trial = 0; trial < 6; ++trial) {
        double share = trial / 2 == 0 ? 2.0 / 3.0 : (trial / 2 == 1 ? 1.0 : 0.25);
        static mechanism m;
        start_mechanism(&m);
        add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
        sn_vec3 push = {0.0, 0.0, p};
        hit one = {0, {sn_cross(sn_vec3_make(share - 0.5, 0, 0), push), push}};
        start_step(&set, h, SN_VEC3_ZERO);
        if (trial % 2 == 0) {
            give(&set, &one, 1, true);
            end_step(&set, h);
        } else {
            end_step(&set, h);
            contact_of(&set)->strike(&set.agents, 0);
            give(&set, &one, 1, true);
        }
        assert_true(fabs(set.agents.v[0] - 3.0 * share * p) < 1e-4);
        sn_spatial load = sn_articulation_load(&set, 0, 0);
        assert_true(fabs(load.linear.z * h - (1.5 * share - 1.0) * p) < 1e-4 * p);
        assert_true(fabs(load.linear.x * h) < 1e-4 * p && sn_length(load.angular) * h < 1e-4);
        sn_articulation_set_free(&set);
    }
}

// The parallelogram hit along its cranks: the two nails bear all of it, as joints do in between.
static void loops_bear_impacts(void **state)
{
    (void)state;
    const double h = 1e-3, p = 0.7, angle = 0.5 * SN_PI;
    static mechanism m;
    make_four_bars(&m, 1, angle, 0.0);
    sn_articulation_set set;
    sn_articulation_set_init(&set);
    assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
    assert_true(sn_articulation_close(&set, 0, 0.0, NULL));
    start_step(&set, h, SN_VEC3_ZERO);
    end_step(&set, h);
    contact_of(&set)->strike(&set.agents, 0);
    hit one = {1, {SN_VEC3_ZERO, {0.0, 0.0, -p}}};
    give(&set, &one, 1, true);
    assert_true(largest(set.agents.v_count, set.agents.v, NULL) < 1e-12);
    double sum = 0.0;
    for (int i = 0; i < m.link_count; ++i) {
        if (m.links[i].parent < 0) {
            sum += sn_articulation_load(&set, 0, i).linear.z;
        }
    }
    assert_true(fabs(sum * h - p) < 1e-9);
    sn_articulation_set_free(&set);
}

// ---- steps in parts ----

// A light whirling tip makes the step go in parts: impulses act as the same forces over it would.
static void impulses_act_once_in_steps_of_parts(void **state)
{
    (void)state;
    const double h = 0.02;
    for (int trial = 0; trial < 4; ++trial) {
        static mechanism m;
        bool tied = trial % 2 != 0, tell = trial / 2 != 0;
        if (tied) {
            make_four_bars(&m, 1, 0.3, 90.0);
        } else {
            start_mechanism(&m);
            int arm = add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
            add_rod(&m, arm, sn_vec3_make(1, 0, 0), 0.3, 0.2);
            m.v[0] = 20.0;
            m.v[1] = 120.0;
        }
        sn_articulation_set set, other;
        sn_articulation_set_init(&set);
        assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
        assert_true(sn_articulation_close(&set, 0, 0.0, NULL));
        assert_true(sn_articulation_set_copy(&set, &other));
        sn_agent_set *agents = &set.agents;
        int n = agents->v_count;
        hit one = {1, {{0.0, 0.1, 0.0}, {0.3, 0.0, -0.2}}};
        start_step(&set, h, down);
        double row[FREEDOMS], v[FREEDOMS];
        contact_of(&set)->velocity(agents, 0, v);
        contact_of(&set)->project(agents, 0, one.part, &one.f, row);
        give(&set, &one, 1, tell);
        end_step(&set, h);
        assert_true(tied || set.items[0]->step.parts > 1);
        assert_true(!tied || set.items[0]->step.h < h);

        sn_agent_set *others = &other.agents;
        sn_agent_set_keep(others, 0, 1);
        others->type->begin(others, 0, 1, h);
        if (tell) {
            others->force[one.part] = sn_spatial_scale(1.0 / h, one.f);
        }
        for (int j = 0; j < n && !tell; ++j) {
            others->joint_force[j] = row[j] / h;
        }
        others->type->free_step(others, 0, 1, down, h);
        end_step(&other, h);
        // A wrench keeps its arm from the middle of the step here, and follows the part there.
        double close = tell && tied ? 0.05 : 1e-9;
        assert_true(largest(n, agents->v, others->v) < close * (1.0 + largest(n, others->v, NULL)));
        sn_articulation_set_free(&set);
        sn_articulation_set_free(&other);
    }
}

// ---- places ----

static void displacements_move_parts_along(void **state)
{
    (void)state;
    sn_random random = {.seed = 47};
    for (int trial = 0; trial < 20; ++trial) {
        sn_tree tree;
        sn_articulation_set set;
        add_random(&set, &random, 1 + trial % 9, NULL, &tree);
        sn_agent_set *agents = &set.agents;
        double v[FREEDOMS], kept[FREEDOMS], q[4 * MOST];
        const double e = 1e-6;
        sn_part now, there[2];
        int n = agents->v_count, part = sn_random_below(&random, agents->part_count);
        memcpy(v, agents->v, (size_t)n * sizeof *v);
        memcpy(kept, agents->v, (size_t)n * sizeof *v);
        memcpy(q, agents->q, (size_t)agents->q_count * sizeof *q);
        agents->type->part(agents, 0, part, &now);
        for (int s = 0; s < 2; ++s) {
            memcpy(agents->q, q, (size_t)agents->q_count * sizeof *q);
            memcpy(agents->v, kept, (size_t)n * sizeof *v);
            agents->type->touch(agents, 0);
            contact_of(&set)->displace(agents, 0, v, s == 0 ? e : -e);
            agents->type->part(agents, 0, part, &there[s]);
            assert_true(largest(n, kept, agents->v) < 1e-4 * largest(n, kept, NULL));
        }
        sn_vec3 rate = sn_vec3_scale(0.5 / e, sn_vec3_sub(there[0].centre, there[1].centre));
        assert_true(sn_distance(rate, now.velocity) < 1e-7 * (1.0 + sn_length(rate)));
        sn_tree_free(&tree);
        sn_articulation_set_free(&set);
    }
}

// However fast it is told to go: links turn by no more than they should, and what its velocities
// mean at the new place is no more energy than before.
static void displacements_are_bounded(void **state)
{
    (void)state;
    sn_random random = {.seed = 48};
    int slowed = 0;
    for (int trial = 0; trial < 40; ++trial) {
        sn_tree tree;
        sn_articulation_set set;
        add_random(&set, &random, 1 + trial % 9, NULL, &tree);
        sn_agent_set *agents = &set.agents;
        double v[FREEDOMS];
        int n = agents->v_count;
        sn_part before[MOST], after;
        sn_measure was, now;
        for (int i = 0; i < agents->part_count; ++i) {
            agents->type->part(agents, 0, i, &before[i]);
        }
        memcpy(v, agents->v, (size_t)n * sizeof *v);
        agents->type->measure(agents, 0, SN_VEC3_ZERO, &was);
        contact_of(&set)->displace(agents, 0, v, 1e3);
        agents->type->measure(agents, 0, SN_VEC3_ZERO, &now);
        assert_true(now.kinetic <= (1.0 + 1e-12) * was.kinetic);
        slowed += largest(n, v, agents->v) > 0.0;
        for (int i = 0; i < agents->part_count; ++i) {
            agents->type->part(agents, 0, i, &after);
            sn_quat turn =
                sn_quat_multiply(after.frame.rotation, sn_quat_conjugate(before[i].frame.rotation));
            // Turns of links in a row do not quite add up.
            assert_true(sn_length(sn_quat_log(turn)) < 1.5 * SN_DISPLACE_TURN);
        }
        sn_tree_free(&tree);
        sn_articulation_set_free(&set);
    }
    assert_in_range(slowed, 1, 39);
}

static void displacements_keep_loops_and_limits(void **state)
{
    (void)state;
    static mechanism m;
    make_four_bars(&m, 2, 1.0, 0.3);
    m.freedoms[0].limit.upper = 1.05;
    sn_articulation_set set;
    sn_articulation_set_init(&set);
    assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
    assert_true(sn_articulation_close(&set, 0, 0.0, NULL));
    start_step(&set, 1e-3, down);
    end_step(&set, 1e-3);
    double v[FREEDOMS], before = set.agents.q[0];
    memcpy(v, set.agents.v, (size_t)set.agents.v_count * sizeof *v);
    contact_of(&set)->displace(&set.agents, 0, v, 0.02);
    assert_true(fabs(set.agents.q[0] - before - 0.02 * v[0]) < 1e-4);
    assert_true(gap_of(&set, 0) < 1e-11);
    sn_articulation_set_free(&set);

    start_mechanism(&m);
    add_rod(&m, -1, SN_VEC3_ZERO, 1.0, 1.0);
    m.freedoms[0].limit.upper = 0.1;
    sn_articulation_set_init(&set);
    assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
    v[0] = 1.0;
    contact_of(&set)->displace(&set.agents, 0, v, 0.5);
    assert_true(set.agents.q[0] == 0.1 && set.agents.v[0] == 0.0);
    sn_articulation_set_free(&set);
}

static void contact_asks_for_no_memory(void **state)
{
    (void)state;
    static mechanism m;
    make_four_bars(&m, 2, 1.0, 0.3);
    m.freedoms[0].limit.upper = 1.05;
    m.freedoms[1].friction = 1.0;
    sn_articulation_set set;
    sn_articulation_set_init(&set);
    assert_int_equal(add_mechanism(&set, &m, SN_INTEGRATOR_DEFAULT), 0);
    assert_true(sn_articulation_close(&set, 0, 0.0, NULL));
    hit one = {1, {{0.0, 0.1, 0.0}, {0.3, 0.0, -0.2}}};
    uint64_t count = 0;
    for (int i = 0; i < 5; ++i) {
        double v[FREEDOMS];
        sn_agent_row rows[ROWS];
        count = i == 1 ? sn_allocation_count() : count;
        start_step(&set, 1e-3, down);
        for (int end = 0; end < 2; ++end) {
            contact_of(&set)->velocity(&set.agents, 0, v);
            assert_true(contact_of(&set)->rows(&set.agents, 0, rows, ROWS) > 0);
            contact_of(&set)->project(&set.agents, 0, 1, &one.f, v);
            contact_of(&set)->inverse(&set.agents, 0, v);
            give(&set, &one, 1, true);
            if (end == 0) {
                end_step(&set, 1e-3);
                contact_of(&set)->strike(&set.agents, 0);
            }
        }
    }
    assert_int_equal(sn_allocation_count(), count);
    sn_articulation_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strikes_are_those_of_dense_algebra),
        cmocka_unit_test(nails_bear_what_they_should),
        cmocka_unit_test(loops_bear_impacts),
        cmocka_unit_test(impulses_act_once_in_steps_of_parts),
        cmocka_unit_test(displacements_move_parts_along),
        cmocka_unit_test(displacements_are_bounded),
        cmocka_unit_test(displacements_keep_loops_and_limits),
        cmocka_unit_test(contact_asks_for_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
