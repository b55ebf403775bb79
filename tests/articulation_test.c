// Trees as agents: parts, forces and steps through the agent interface, against definitions they
// were not written from.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "agent/tree/articulation.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/rotation.h"

enum { LINKS = 7 };

static const sn_vec3 gravity = {0.2, -0.1, -9.81};

static sn_vec3 random_vec3(sn_random *random, double size)
{
    double x = sn_random_range(random, -size, size), y = sn_random_range(random, -size, size);
    return sn_vec3_make(x, y, sn_random_range(random, -size, size));
}

// A tree of every joint, each link a part, springs and dampers as asked; optionally on a free root.
static int add_tree(sn_articulation_set *set, sn_random *random, bool on_free_root,
                    double stiffness, double damping, sn_integrator integrator)
{
    const sn_tree_joint joints[LINKS] = {SN_TREE_BALL,  SN_TREE_HINGE, SN_TREE_SLIDER,
                                         SN_TREE_SCREW, SN_TREE_BALL,  SN_TREE_TRANSLATION,
                                         SN_TREE_HINGE};
    const int parents[LINKS] = {-1, 0, 1, 1, 2, 0, 5};
    sn_tree tree;
    int roots = on_free_root ? 1 : 0;
    assert_true(sn_tree_allocate(&tree, LINKS + roots));
    sn_articulation_part parts[LINKS];
    if (on_free_root) { // a massless shift below the first ball
        tree.links[0] =
            (sn_tree_link){.parent = -1, .joint = SN_TREE_TRANSLATION, .frame = SN_FRAME_IDENTITY};
    }
    for (int i = 0; i < LINKS; ++i) {
        sn_tree_link *link = &tree.links[i + roots];
        sn_mat3 r = sn_quat_to_mat3(sn_quat_exp(random_vec3(random, 2.0)));
        link->parent = parents[i] < 0 ? roots - 1 : parents[i] + roots;
        link->joint = joints[i];
        link->pitch = 0.1;
        link->frame = (sn_frame){sn_quat_to_mat3(sn_quat_exp(random_vec3(random, 2.0))),
                                 random_vec3(random, 0.5)};
        link->mass = sn_random_range(random, 0.5, 2.0);
        link->centre = random_vec3(random, 0.3);
        link->inertia =
            sn_mat3_multiply(sn_mat3_multiply(r, sn_mat3_diagonal(sn_vec3_make(0.2, 0.3, 0.4))),
                             sn_mat3_transpose(r));
        parts[i] = (sn_articulation_part){
            i + roots,
            {random_vec3(random, 0.2), sn_quat_exp(random_vec3(random, 1.0))},
            link->centre,
            0.5};
    }
    sn_tree_finish(&tree);
    double q[64], v[64], d[64];
    sn_freedom_def own[64];
    sn_tree_zero(&tree, q);
    for (int j = 0; j < tree.v_count; ++j) {
        d[j] = sn_random_range(random, -0.6, 0.6);
        v[j] = sn_random_range(random, -1.0, 1.0);
        bool rooted = on_free_root && j < 6; // a free root feels nothing but its links
        own[j] = sn_default_freedom_def();
        own[j].stiffness = rooted ? 0.0 : stiffness;
        own[j].damping = rooted ? 0.0 : damping;
        own[j].rest = 0.1;
    }
    sn_tree_move(&tree, q, d, 1.0, q);
    sn_articulation_def def = {.tree = &tree,
                               .parts = parts,
                               .part_count = LINKS,
                               .freedoms = own,
                               .q = q,
                               .v = v,
                               .integrator = integrator};
    int agent = sn_articulation_add(set, &def);
    sn_tree_free(&tree);
    return agent;
}

static void shift(sn_agent_set *set, const double *q, const double *v, const double *q_rate,
                  const double *v_rate, double e)
{
    for (int i = 0; i < set->q_count; ++i) {
        set->q[i] = q[i] + e * q_rate[i];
    }
    for (int i = 0; i < set->v_count; ++i) {
        set->v[i] = v[i] + e * v_rate[i];
    }
    set->type->restore(set, 0);
}

// Along `rate` places move with their velocities, the energy grows by the power of what is applied,
// and a free tree's momenta grow by the forces and moments on its parts.
static void rates_obey_newton_and_euler(void **state)
{
    (void)state;
    sn_random random = {.seed = 31};
    for (int trial = 0; trial < 40; ++trial) {
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        sn_agent_set *agents = &set.agents;
        assert_int_equal(add_tree(&set, &random, true, 3.0, 0.0, SN_INTEGRATOR_RK4), 0);
        double q[64], v[64], q_rate[64], v_rate[64], power = 0.0;
        sn_vec3 total = SN_VEC3_ZERO, moment = SN_VEC3_ZERO;
        memcpy(q, agents->q, (size_t)agents->q_count * sizeof *q);
        memcpy(v, agents->v, (size_t)agents->v_count * sizeof *v);
        sn_part now[LINKS];
        for (int i = 0; i < LINKS; ++i) {
            sn_vec3 force = random_vec3(&random, 5.0), torque = random_vec3(&random, 2.0), where,
                    speed;
            sn_agent_point(agents, 0, i, random_vec3(&random, 0.5), &where, &speed);
            agents->type->part(agents, 0, i, &now[i]);
            sn_spatial_push(&agents->force[i], now[i].centre, force, where, torque);
            power += sn_dot(force, speed) + sn_dot(torque, now[i].angular_velocity);
            total = sn_vec3_add(total, force);
            moment = sn_vec3_add(moment, sn_vec3_add(torque, sn_cross(where, force)));
            double mass = set.items[0]->tree.links[i + 1].mass;
            total = sn_vec3_add_scaled(total, mass, gravity);
            moment = sn_vec3_add(moment, sn_cross(now[i].centre, sn_vec3_scale(mass, gravity)));
        }
        agents->type->rate(agents, 0, gravity, q_rate, v_rate);
        const double eps = 1e-5;
        sn_measure side[2];
        sn_part there[2][LINKS];
        for (int s = 0; s < 2; ++s) {
            shift(agents, q, v, q_rate, v_rate, s == 0 ? eps : -eps);
            agents->type->measure(agents, 0, gravity, &side[s]);
            for (int i = 0; i < LINKS; ++i) {
                agents->type->part(agents, 0, i, &there[s][i]);
            }
        }
        double scale = 0.5 / eps;
        for (int i = 0; i < LINKS; ++i) {
            sn_vec3 rate =
                sn_vec3_scale(scale, sn_vec3_sub(there[0][i].centre, there[1][i].centre));
            assert_true(sn_distance(rate, now[i].velocity) < 1e-7);
        }
        double energy_rate =
            scale * (side[0].kinetic + side[0].potential - side[1].kinetic - side[1].potential);
        assert_true(fabs(energy_rate - power) < 1e-6 * (1 + fabs(power)));
        sn_vec3 momentum_rate =
            sn_vec3_scale(scale, sn_vec3_sub(side[0].momentum, side[1].momentum));
        sn_vec3 spin_rate =
            sn_vec3_scale(scale, sn_vec3_sub(side[0].angular_momentum, side[1].angular_momentum));
        assert_true(sn_distance(momentum_rate, total) < 1e-6 * (1 + sn_length(total)));
        assert_true(sn_distance(spin_rate, moment) < 1e-6 * (1 + sn_length(moment)));
        sn_articulation_set_free(&set);
    }
}

static void run(sn_agent_set *set, double h, int steps)
{
    for (int i = 0; i < steps; ++i) {
        set->type->begin(set, 0, set->count, h);
        set->type->free_step(set, 0, set->count, gravity, h);
        set->type->advance(set, 0, set->count, h);
        assert_false(set->agents[0].failed);
    }
}

// The step against tiny Runge-Kutta steps along `rate`, with springs in the joints: second order.
static void steps_follow_the_rates(void **state)
{
    (void)state;
    double error[3];
    sn_vec3 exact[LINKS];
    for (int level = -1; level < 3; ++level) {
        sn_random random = {.seed = 32};
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        add_tree(&set, &random, false, 5.0, 0.0, SN_INTEGRATOR_DEFAULT);
        sn_agent_set *agents = &set.agents;
        if (level >= 0) {
            run(agents, 0.3 / (100 << level), 100 << level);
        } else {
            for (int step = 0; step < 2000; ++step) {
                double y[64], w[64], kq[4][64], kv[4][64], h = 0.3 / 2000;
                const double ahead[3] = {0.5, 0.5, 1.0};
                memcpy(y, agents->q, (size_t)agents->q_count * sizeof *y);
                memcpy(w, agents->v, (size_t)agents->v_count * sizeof *w);
                for (int s = 0; s < 4; ++s) {
                    agents->type->rate(agents, 0, gravity, kq[s], kv[s]);
                    if (s < 3) {
                        shift(agents, y, w, kq[s], kv[s], ahead[s] * h);
                    }
                }
                for (int i = 0; i < agents->q_count; ++i) {
                    kq[0][i] = (kq[0][i] + 2 * kq[1][i] + 2 * kq[2][i] + kq[3][i]) / 6;
                }
                for (int i = 0; i < agents->v_count; ++i) {
                    kv[0][i] = (kv[0][i] + 2 * kv[1][i] + 2 * kv[2][i] + kv[3][i]) / 6;
                }
                shift(agents, y, w, kq[0], kv[0], h);
            }
        }
        for (int i = 0; i < LINKS; ++i) {
            sn_part now;
            agents->type->part(agents, 0, i, &now);
            if (level < 0) {
                exact[i] = now.centre;
            } else {
                error[level] = i == 0 ? 0.0 : error[level];
                error[level] = fmax(error[level], sn_distance(now.centre, exact[i]));
            }
        }
        sn_articulation_set_free(&set);
    }
    double order = log2(error[1] / error[2]);
    print_message("%.2g, %.2g, %.2g m, order %.2f\n", error[0], error[1], error[2], order);
    assert_true(fabs(order - 2.0) < 0.1);
}

// What an impulse does to the joints: symmetric (what i does to j, j does to i), and never against
// itself.
static void inverse_is_symmetric_and_positive(void **state)
{
    (void)state;
    sn_random random = {.seed = 33};
    sn_articulation_set set;
    sn_articulation_set_init(&set);
    add_tree(&set, &random, true, 0.0, 0.0, SN_INTEGRATOR_DEFAULT);
    sn_agent_set *agents = &set.agents;
    agents->type->begin(agents, 0, 1, 1e-3);
    agents->type->free_step(agents, 0, 1, gravity, 1e-3);
    double free_velocity[64];
    agents->type->contact->velocity(agents, 0, free_velocity);
    for (int trial = 0; trial < 20; ++trial) {
        sn_spatial impulse[2][LINKS] = {{SN_SPATIAL_ZERO}};
        double dv[2][64], saved[64], cross[2][2];
        memcpy(saved, agents->v, (size_t)agents->v_count * sizeof *saved);
        for (int k = 0; k < 2; ++k) {
            memset(impulse[k], 0, sizeof impulse[k]);
            int part = (trial + 3 * k) % LINKS;
            impulse[k][part] =
                sn_spatial_make(random_vec3(&random, 1.0), random_vec3(&random, 1.0));
            agents->type->contact->project(agents, 0, part, &impulse[k][part], dv[k]);
            agents->type->contact->inverse(agents, 0, dv[k]);
        }
        for (int k = 0; k < 2;
             ++k) { // velocities that dv[k] gives the parts, at the middle of the step
            memcpy(agents->v, dv[k], (size_t)agents->v_count * sizeof *saved);
            set.items[0]->moving = false;
            for (int l = 0; l < 2; ++l) {
                cross[k][l] = 0.0;
                for (int i = 0; i < LINKS; ++i) {
                    sn_part now;
                    agents->type->part(agents, 0, i, &now);
                    cross[k][l] += sn_dot(impulse[l][i].linear, now.velocity) +
                                   sn_dot(impulse[l][i].angular, now.angular_velocity);
                }
            }
        }
        memcpy(agents->v, saved, (size_t)agents->v_count * sizeof *saved);
        assert_true(cross[0][0] > 0.0 && cross[1][1] > 0.0);
        assert_true(fabs(cross[0][1] - cross[1][0]) < 1e-12 * (1 + fabs(cross[0][1])));
    }
    sn_articulation_set_free(&set);
}

static void springs_keep_and_dampers_lose_energy(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; ++damped) {
        sn_random random = {.seed = 34};
        sn_articulation_set set;
        sn_articulation_set_init(&set);
        add_tree(&set, &random, false, 40.0, damped ? 0.5 : 0.0, SN_INTEGRATOR_DEFAULT);
        sn_agent_set *agents = &set.agents;
        sn_measure before, after;
        agents->type->measure(agents, 0, gravity, &before);
        double start = before.kinetic + before.potential, worst = 0.0, last = start;
        for (int i = 0; i < 50; ++i) {
            run(agents, 1e-3, 100);
            agents->type->measure(agents, 0, gravity, &after);
            double now = after.kinetic + after.potential;
            worst = fmax(worst, fabs(now - start));
            assert_true(!damped || now < last + 1e-3);
            last = now;
        }
        assert_true(damped ? last < start - 1.0 : worst < 1e-3 * (1 + fabs(start)));
        sn_articulation_set_free(&set);
    }
}

static void a_saved_state_goes_on_to_the_bit(void **state)
{
    (void)state;
    sn_random random = {.seed = 35};
    sn_articulation_set set, copy;
    sn_articulation_set_init(&set);
    add_tree(&set, &random, true, 10.0, 0.1, SN_INTEGRATOR_DEFAULT);
    add_tree(&set, &random, false, 0.0, 0.0, SN_INTEGRATOR_DEFAULT);
    sn_agent_set *agents = &set.agents;
    run(agents, 1e-3, 50);
    unsigned char bytes[4096];
    sn_state_walk count = {.mode = SN_STATE_COUNT}, save = sn_state_saving(bytes, sizeof bytes),
                  load = sn_state_loading(bytes, sizeof bytes);
    sn_agent_set_walk(agents, &count);
    assert_true(count.size <= sizeof bytes);
    sn_agent_set_walk(agents, &save);
    assert_true(sn_articulation_set_copy(&set, &copy));
    run(agents, 1e-3, 50);
    run(&copy.agents, 1e-3, 50);
    assert_memory_equal(agents->q, copy.agents.q, (size_t)agents->q_count * sizeof(double));
    assert_memory_equal(agents->v, copy.agents.v, (size_t)agents->v_count * sizeof(double));
    sn_agent_set_walk(agents, &load);
    run(agents, 1e-3, 50);
    assert_memory_equal(agents->q, copy.agents.q, (size_t)agents->q_count * sizeof(double));
    sn_aabb box = agents->type->bounds(agents, 0);
    for (int i = 0; i < LINKS; ++i) {
        sn_part now;
        agents->type->part(agents, 0, i, &now);
        assert_true(now.centre.x - 0.5 >= box.lower.x && now.centre.z + 0.5 <= box.upper.z);
    }
    sn_articulation_set_free(&copy);
    sn_articulation_set_free(&set);
}

static void lack_of_memory_leaves_the_set_whole(void **state)
{
    (void)state;
    for (int n = 0; n < 60; ++n) {
        sn_random random = {.seed = 36};
        sn_articulation_set set, copy;
        sn_articulation_set_init(&set);
        sn_articulation_set_init(&copy);
        assert_int_equal(add_tree(&set, &random, true, 1.0, 0.0, SN_INTEGRATOR_DEFAULT), 0);
        sn_allocation_fail_after(n);
        bool copied = sn_articulation_set_copy(&set, &copy);
        sn_allocation_fail_after(-1);
        assert_true(copied || copy.agents.count == 0);
        assert_true(n < 59 || copied);
        run(&set.agents, 1e-3, 2);
        sn_articulation_set_free(&copy);
        sn_articulation_set_free(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_obey_newton_and_euler),
        cmocka_unit_test(steps_follow_the_rates),
        cmocka_unit_test(inverse_is_symmetric_and_positive),
        cmocka_unit_test(springs_keep_and_dampers_lose_energy),
        cmocka_unit_test(a_saved_state_goes_on_to_the_bit),
        cmocka_unit_test(lack_of_memory_leaves_the_set_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
