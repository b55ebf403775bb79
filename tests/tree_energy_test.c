// Energy that steps keep where nothing but gravity acts: chains that crack like whips, steps in
// parts, and what must stay beside it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "mechanism.h"

// Rods of 0.1 m and 0.1 kg on ball joints, the first on a nail, level.
static void make_chain(mechanism *m, int count)
{
    const double across = 0.1 * 0.01 / 12.0;
    start_mechanism(m);
    for (int i = 0; i < count; ++i) {
        sn_frame frame = {SN_MAT3_IDENTITY, {i > 0 ? 0.1 : 0.0, 0.0, 0.0}};
        add_link(m, i - 1, SN_TREE_BALL, frame, 0.1, sn_vec3_make(0.05, 0, 0),
                 sn_vec3_make(0.1 * across, across, across));
    }
}

static void add_chain(sn_articulation_set *set, mechanism *m)
{
    sn_articulation_set_init(set);
    assert_int_equal(add_mechanism(set, m, SN_INTEGRATOR_DEFAULT), 0);
    assert_true(set->items[0]->step.keeps);
}

// The greatest change of energy at any step, in parts of what the weights have to play with.
static double drift_of(sn_articulation_set *set, double h, int steps, sn_vec3 pull, int *divided)
{
    double start = energy_of(set, pull), most = 0.0;
    for (int i = 0; i < steps; ++i) {
        set->items[0]->step.parts = 1;
        assert_true(step_set(set, h, pull));
        *divided += set->items[0]->step.parts > 1;
        most = fmax(most, fabs(energy_of(set, pull) - start));
    }
    return most / set->items[0]->step.weight;
}

// What a leapfrog alone makes of it is off by several percent wherever the end cracks.
static void whips_keep_their_energy(void **state)
{
    (void)state;
    double drift[2];
    for (int keeps = 0; keeps < 2; ++keeps) {
        static mechanism m;
        sn_articulation_set set;
        int divided = 0;
        make_chain(&m, 10);
        add_chain(&set, &m);
        set.items[0]->step.keeps = keeps != 0;
        drift[keeps] = drift_of(&set, 1e-3, 10000, down, &divided);
        assert_int_equal(divided, 0);
        sn_articulation_set_free(&set);
    }
    print_message("chain of 10 over 10 s: energy within %.2e, without keeping it %.2e\n", drift[1],
                  drift[0]);
    assert_true(drift[1] < 0.01 && drift[0] > 1.5 * drift[1]);
}

// Steps in parts change what a leapfrog keeps each time.
static void steps_in_parts_keep_it_too(void **state)
{
    (void)state;
    static mechanism m;
    sn_articulation_set set;
    int divided = 0;
    make_chain(&m, 40);
    add_chain(&set, &m);
    double drift = drift_of(&set, 2e-3, 1500, down, &divided);
    print_message("chain of 40 over 3 s: energy within %.2e, %d steps in parts\n", drift, divided);
    assert_true(divided > 20 && drift < 2e-3);
    sn_articulation_set_free(&set);
}

// Momentum that the links bring from the last step, about the nail at the origin.
static sn_vec3 spin_brought(const sn_articulation *item)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = 0; i < item->tree.count; ++i) {
        sn_spatial p = sn_spatial_scale(1.0 / item->step.h, item->step.arrived[i]);
        sum =
            sn_vec3_add(sum, sn_vec3_add(p.angular, sn_cross(item->tree.pose[i].origin, p.linear)));
    }
    return sum;
}

// About the vertical nothing turns a chain on a nail, and without gravity nothing does at all.
static void angular_momentum_stays(void **state)
{
    (void)state;
    for (int weightless = 0; weightless < 2; ++weightless) {
        static mechanism m;
        sn_articulation_set set;
        sn_random random = {.seed = 51};
        sn_vec3 pull = weightless ? SN_VEC3_ZERO : down;
        make_chain(&m, 6);
        add_chain(&set, &m);
        for (int j = 0; j < set.agents.v_count; ++j) {
            set.agents.v[j] = sn_random_range(&random, -10.0, 10.0);
        }
        sn_articulation *item = set.items[0];
        item->step.tolerance = 1e-12;
        sn_vec3 start = SN_VEC3_ZERO;
        double most = 0.0;
        int lively = 0;
        for (int i = 0; i < 2000; ++i) {
            assert_true(step_set(&set, 5e-3, pull));
            sn_vec3 spin = spin_brought(item);
            start = i == 0 ? spin : start;
            lively += item->step.jump > item->step.lively;
            most = fmax(most, weightless ? sn_distance(spin, start) : fabs(spin.z - start.z));
        }
        print_message("angular momentum within %.1e of %.1e, %d lively steps\n", most,
                      sn_length(start), lively);
        assert_true(lively > 500 && most < 3e-4 * sn_length(start));
        sn_articulation_set_free(&set);
    }
}

// T + 2 V(q) - (V(q - h/2 v) + V(q + h/2 v)) / 2, from what the set measures.
static double kept_energy_of(sn_articulation_set *set, double h)
{
    sn_agent_set *agents = &set->agents;
    double q[64];
    sn_measure measure;
    assert_true(agents->q_count <= 64);
    memcpy(q, agents->q, (size_t)agents->q_count * sizeof *q);
    agents->type->measure(agents, 0, down, &measure);
    double sum = measure.kinetic + 2.0 * measure.potential;
    for (int side = -1; side <= 1; side += 2) {
        sn_tree_move(&set->items[0]->tree, q, agents->v, 0.5 * side * h, agents->q);
        agents->type->touch(agents, 0);
        agents->type->measure(agents, 0, down, &measure);
        sum -= 0.5 * measure.potential;
    }
    memcpy(agents->q, q, (size_t)agents->q_count * sizeof *q);
    agents->type->touch(agents, 0);
    return sum;
}

// What the leapfrog keeps in small swings is not T + V, which goes up and down.
static void small_swings_need_no_keeping(void **state)
{
    (void)state;
    static mechanism m;
    sn_articulation_set set;
    sn_random random = {.seed = 53};
    make_chain(&m, 4);
    m.links[0].frame.rotation = sn_quat_to_mat3(sn_quat_exp(sn_vec3_make(0.0, 0.5 * SN_PI, 0.0)));
    add_chain(&set, &m); // hangs down
    set.items[0]->step.keeps = false;
    for (int j = 0; j < set.agents.v_count; ++j) { // not about themselves
        set.agents.v[j] = j % 3 == 0 ? 0.0 : sn_random_range(&random, -1e-3, 1e-3);
    }
    double start[2] = {energy_of(&set, down), kept_energy_of(&set, 0.015)}, most[2] = {0.0, 0.0};
    for (int i = 0; i < 300; ++i) {
        assert_true(step_set(&set, 0.015, down));
        most[0] = fmax(most[0], fabs(energy_of(&set, down) - start[0]));
        most[1] = fmax(most[1], fabs(kept_energy_of(&set, 0.015) - start[1]));
    }
    print_message("T + V within %.1e J, what is kept within %.1e J\n", most[0], most[1]);
    assert_true(most[0] > 1e-11 && most[1] < 1e-3 * most[0]);
    sn_articulation_set_free(&set);
}

// A state is given the energy it lacks, but for (h v)^2 of it, by its velocities alone.
static void states_are_given_what_they_lack(void **state)
{
    (void)state;
    sn_random random = {.seed = 52};
    double worst = 0.0;
    for (int trial = 0; trial < 20; ++trial) {
        static mechanism m;
        sn_articulation_set set;
        make_chain(&m, 1 + trial % 5);
        if (trial % 2 != 0) { // a hinge, upright or not
            m.links[0].joint = SN_TREE_HINGE;
            m.links[0].frame.rotation = trial % 4 == 1 ? SN_MAT3_IDENTITY : planar_axes();
        }
        add_chain(&set, &m);
        sn_agent_set *agents = &set.agents;
        sn_articulation *item = set.items[0];
        for (int j = 0; j < agents->v_count; ++j) {
            agents->v[j] = sn_random_range(&random, -5.0, 5.0);
        }
        assert_true(step_set(&set, 1e-3, down));
        sn_measure before, after;
        agents->type->measure(agents, 0, down, &before);
        double had = kept_energy_of(&set, 1e-3), energy = had + 0.002 * before.kinetic;
        double from = sn_tree_step_energy(&item->step, &item->tree, agents->q, agents->v);
        assert_true(fabs(from - had) < 1e-12 * before.kinetic);
        sn_tree_step_restore(&item->step, &item->tree, energy, agents->q, agents->v);
        agents->type->touch(agents, 0);
        agents->type->measure(agents, 0, down, &after);
        bool free = trial % 4 != 3;
        double turned = fabs(after.angular_momentum.z - before.angular_momentum.z);
        if (trial % 5 > 0 || !free ||
            trial % 2 == 0) { // a rod on an upright hinge has no other way
            double off = fabs(kept_energy_of(&set, 1e-3) - energy);
            worst = fmax(worst, off / (energy - had));
        }
        assert_true(!free || turned < 1e-12);
        sn_articulation_set_free(&set);
    }
    print_message("what lacked is off by %.1e of it\n", worst);
    assert_true(worst < 1e-3);
}

// Whoever pushes may change the energy.
static void work_is_not_undone(void **state)
{
    (void)state;
    static mechanism m;
    sn_articulation_set set;
    make_chain(&m, 3);
    m.freedoms[0].damping = 1e-3;
    add_chain(&set, &m);
    double start = energy_of(&set, down);
    for (int i = 0; i < 5000; ++i) {
        assert_true(step_set(&set, 1e-3, down));
        assert_false(set.items[0]->step.alone);
    }
    assert_true(energy_of(&set, down) < start - 0.05);
    sn_articulation_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whips_keep_their_energy),
        cmocka_unit_test(steps_in_parts_keep_it_too),
        cmocka_unit_test(angular_momentum_stays),
        cmocka_unit_test(small_swings_need_no_keeping),
        cmocka_unit_test(states_are_given_what_they_lack),
        cmocka_unit_test(work_is_not_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
