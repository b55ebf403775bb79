// The agent interface of rigid bodies: every function against a definition it was not written from.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "agent/rigid/rigid.h"
#include "base/memory.h"
#include "base/random.h"

static sn_vec3 random_vec3(sn_random *random, double size)
{
    return sn_vec3_make(sn_random_range(random, -size, size), sn_random_range(random, -size, size),
                        sn_random_range(random, -size, size));
}

static sn_quat random_quat(sn_random *random)
{
    sn_vec3 u = random_vec3(random, 1.0);
    return sn_quat_normalize((sn_quat){sn_random_range(random, -1.0, 1.0), u.x, u.y, u.z});
}

// A body of random mass, inertia with products, place and motion.
static sn_rigid_def random_def(sn_random *random)
{
    double a = sn_random_range(random, 0.5, 2.0), b = sn_random_range(random, 0.5, 2.0);
    double c = sn_random_range(random, fabs(a - b) + 0.01, a + b);
    sn_rigid_def def = {.integrator = SN_INTEGRATOR_LIE_MIDPOINT, .radius = 1.0};
    def.mass.mass = sn_random_range(random, 0.5, 5.0);
    def.mass.centre = random_vec3(random, 0.3);
    def.mass.inertia = sn_tensor_to_world(random_quat(random), sn_vec3_make(a, b, c));
    def.frame = (sn_transform){random_vec3(random, 2.0), random_quat(random)};
    def.velocity = random_vec3(random, 2.0);
    def.angular_velocity = random_vec3(random, 3.0);
    // Symmetric to the last bit.
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            def.mass.inertia.m[i][j] = def.mass.inertia.m[j][i];
        }
    }
    return def;
}

static void assert_near(sn_vec3 a, sn_vec3 b, double limit)
{
    if (!(sn_distance(a, b) <= limit)) {
        fail_msg("(%.17g, %.17g, %.17g) and (%.17g, %.17g, %.17g) are %.3g apart, limit %.3g", a.x,
                 a.y, a.z, b.x, b.y, b.z, sn_distance(a, b), limit);
    }
}

// What was put in comes out, though the agent keeps it in principal axes.
static void definition_survives_principal_axes(void **state)
{
    (void)state;
    sn_random random = {.seed = 11};
    for (int trial = 0; trial < 200; ++trial) {
        sn_rigid_set set;
        sn_rigid_set_init(&set);
        sn_rigid_def def = random_def(&random);
        assert_int_equal(sn_rigid_add(&set, &def), 0);
        sn_transform frame = sn_rigid_frame(&set, 0);
        assert_near(frame.position, def.frame.position, 1e-14);
        sn_vec3 probe = random_vec3(&random, 1.0);
        assert_near(sn_rotate(frame.rotation, probe), sn_rotate(def.frame.rotation, probe), 1e-14);
        assert_near(sn_rigid_velocity(&set, 0), def.velocity, 0.0);
        assert_near(sn_rigid_angular_velocity(&set, 0), def.angular_velocity, 1e-14);
        sn_vec3 moments = set.mass[0].inertia;
        assert_true(moments.x <= moments.y && moments.y <= moments.z);
        // Angular momentum from the tensor in the world, not from principal axes.
        sn_mat3 r = sn_quat_to_mat3(def.frame.rotation);
        sn_mat3 inertia =
            sn_mat3_multiply(sn_mat3_multiply(r, def.mass.inertia), sn_mat3_transpose(r));
        sn_vec3 centre = sn_transform_point(def.frame, def.mass.centre);
        sn_vec3 expected =
            sn_vec3_add(sn_mat3_apply(inertia, def.angular_velocity),
                        sn_vec3_scale(def.mass.mass, sn_cross(centre, def.velocity)));
        sn_measure measure;
        sn_rigid_type.measure(&set.agents, 0, sn_vec3_make(0, 0, -9.81), &measure);
        assert_near(measure.angular_momentum, expected, 1e-12);
        double kinetic =
            0.5 * def.mass.mass * sn_dot(def.velocity, def.velocity) +
            0.5 * sn_dot(def.angular_velocity, sn_mat3_apply(inertia, def.angular_velocity));
        assert_true(fabs(measure.kinetic - kinetic) < 1e-12 * kinetic);
        assert_true(fabs(measure.potential - def.mass.mass * 9.81 * centre.z) < 1e-12);
        sn_rigid_set_free(&set);
    }
}

// The velocity of a material point is the derivative of its position along the motion, and a force
// at it does the work that the same force on the whole body does.
static void points_and_forces_are_dual(void **state)
{
    (void)state;
    sn_random random = {.seed = 12};
    const sn_agent_type *type = &sn_rigid_type;
    for (int trial = 0; trial < 100; ++trial) {
        sn_rigid_set set;
        sn_rigid_set_init(&set);
        sn_rigid_def def = random_def(&random);
        sn_rigid_add(&set, &def);
        sn_vec3 local = random_vec3(&random, 1.0), position, velocity, ahead, behind, unused;
        sn_agent_point(&set.agents, 0, 0, local, &position, &velocity);
        double q[SN_RIGID_Q], rate[SN_RIGID_Q], v_rate[SN_RIGID_V];
        memcpy(q, sn_agent_q(&set.agents, 0), sizeof q);
        type->rate(&set.agents, 0, SN_VEC3_ZERO, rate, v_rate);
        const double eps = 1e-6;
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < SN_RIGID_Q; ++i) {
                sn_agent_q(&set.agents, 0)[i] = q[i] + (side == 0 ? eps : -eps) * rate[i];
            }
            type->restore(&set.agents, 0);
            sn_agent_point(&set.agents, 0, 0, local, side == 0 ? &ahead : &behind, &unused);
        }
        memcpy(sn_agent_q(&set.agents, 0), q, sizeof q);
        assert_near(velocity, sn_vec3_scale(0.5 / eps, sn_vec3_sub(ahead, behind)), 1e-8);
        // power: force . velocity of the centre + moment . angular velocity
        sn_vec3 force = random_vec3(&random, 5.0), torque = random_vec3(&random, 5.0);
        sn_spatial f = SN_SPATIAL_ZERO;
        sn_part now;
        type->part(&set.agents, 0, 0, &now);
        sn_spatial_push(&f, now.centre, force, position, torque);
        double power = sn_dot(f.linear, now.velocity) + sn_dot(f.angular, now.angular_velocity);
        double expected =
            sn_dot(force, velocity) + sn_dot(torque, sn_rigid_angular_velocity(&set, 0));
        assert_true(fabs(power - expected) < 1e-11 * (1.0 + fabs(expected)));
        sn_rigid_set_free(&set);
    }
}

// Newton and Euler: along `rate` the momentum grows by the force and the angular momentum by the
// torque.
static void rates_obey_newton_and_euler(void **state)
{
    (void)state;
    sn_random random = {.seed = 13};
    const sn_vec3 gravity = {0.3, -0.2, -9.81};
    for (int trial = 0; trial < 100; ++trial) {
        sn_rigid_set set;
        sn_rigid_set_init(&set);
        sn_rigid_def def = random_def(&random);
        sn_rigid_add(&set, &def);
        sn_agent_set *agents = &set.agents;
        sn_vec3 force = random_vec3(&random, 5.0), local = random_vec3(&random, 1.0), where, speed;
        sn_agent_point(agents, 0, 0, local, &where, &speed);
        sn_spatial_push(sn_agent_force(agents, 0), sn_rigid_pose(agents->q).position, force, where,
                        SN_VEC3_ZERO);
        double q[SN_RIGID_Q], v[SN_RIGID_V], q_rate[SN_RIGID_Q], v_rate[SN_RIGID_V];
        memcpy(q, sn_agent_q(agents, 0), sizeof q);
        memcpy(v, sn_agent_v(agents, 0), sizeof v);
        sn_rigid_type.rate(agents, 0, gravity, q_rate, v_rate);
        const double eps = 1e-6;
        sn_measure side[2];
        for (int s = 0; s < 2; ++s) {
            double e = s == 0 ? eps : -eps;
            for (int i = 0; i < SN_RIGID_Q; ++i) {
                sn_agent_q(agents, 0)[i] = q[i] + e * q_rate[i];
            }
            for (int i = 0; i < SN_RIGID_V; ++i) {
                sn_agent_v(agents, 0)[i] = v[i] + e * v_rate[i];
            }
            sn_rigid_type.restore(agents, 0);
            sn_rigid_type.measure(agents, 0, gravity, &side[s]);
        }
        double scale = 0.5 / eps;
        sn_vec3 weight = sn_vec3_scale(def.mass.mass, gravity),
                centre = sn_transform_point(def.frame, def.mass.centre);
        sn_vec3 momentum_rate =
            sn_vec3_scale(scale, sn_vec3_sub(side[0].momentum, side[1].momentum));
        sn_vec3 spin_rate =
            sn_vec3_scale(scale, sn_vec3_sub(side[0].angular_momentum, side[1].angular_momentum));
        assert_near(momentum_rate, sn_vec3_add(force, weight), 1e-6);
        assert_near(spin_rate, sn_vec3_add(sn_cross(where, force), sn_cross(centre, weight)), 2e-6);
        // and the energy grows by the power of the one force that has no potential
        double energy_rate =
            scale * ((side[0].kinetic + side[0].potential) - (side[1].kinetic + side[1].potential));
        assert_true(fabs(energy_rate - sn_dot(force, speed)) < 1e-6);
        sn_rigid_set_free(&set);
    }
}

// Lie midpoint against RK4 with tiny steps: second order, time-reversible, momentum to round-off.
static void drift(sn_rigid_set *set, double h)
{
    int index[1] = {0};
    sn_rigid_drift(set->mass, set->agents.q, set->agents.v, index, &h, 1);
}

static double distance_to(const sn_rigid_set *set, const double *q)
{
    double sum = 0.0, other = 0.0;
    for (int i = 0; i < SN_RIGID_Q; ++i) {
        double d = sn_agent_q(&set->agents, 0)[i] - q[i],
               s = sn_agent_q(&set->agents, 0)[i] + (i < 3 ? -q[i] : q[i]);
        sum += d * d;
        other += s * s;
    }
    return sqrt(sum < other ? sum : other); // a rotation and its negative are the same
}

static void exact_motion(const sn_rigid_def *def, double time, double *q)
{
    sn_rigid_set set;
    sn_rigid_set_init(&set);
    sn_rigid_add(&set, def);
    double *x = set.agents.q, *v = set.agents.v, h = time / 4000;
    for (int step = 0; step < 4000; ++step) {
        double y0[13], k[13], sum[13] = {0};
        memcpy(y0, x, 7 * sizeof *y0);
        memcpy(y0 + 7, v, 6 * sizeof *y0);
        const double share[4] = {1, 2, 2, 1}, ahead[4] = {0.5, 0.5, 1, 0};
        for (int s = 0; s < 4; ++s) {
            sn_rigid_type.rate(&set.agents, 0, SN_VEC3_ZERO, k, k + 7);
            for (int i = 0; i < 13; ++i) {
                sum[i] += share[s] * k[i];
                (i < 7 ? x : v - 7)[i] = y0[i] + ahead[s] * h * k[i];
            }
        }
        for (int i = 0; i < 13; ++i) {
            (i < 7 ? x : v - 7)[i] = y0[i] + h / 6 * sum[i];
        }
    }
    sn_rigid_type.restore(&set.agents, 0);
    memcpy(q, x, 7 * sizeof *q);
    sn_rigid_set_free(&set);
}

static void free_flight_is_second_order_and_reversible(void **state)
{
    (void)state;
    sn_random random = {.seed = 14};
    for (int trial = 0; trial < 20; ++trial) {
        sn_rigid_def def = random_def(&random);
        double exact[SN_RIGID_Q], error[3];
        exact_motion(&def, 1.0, exact);
        for (int level = 0; level < 3; ++level) {
            int steps = 100 << level;
            sn_rigid_set set;
            sn_rigid_set_init(&set);
            sn_rigid_add(&set, &def);
            double start[SN_RIGID_Q];
            memcpy(start, set.agents.q, sizeof start);
            sn_measure before, after;
            sn_rigid_type.measure(&set.agents, 0, SN_VEC3_ZERO, &before);
            for (int i = 0; i < steps; ++i) {
                drift(&set, 1.0 / steps);
            }
            error[level] = distance_to(&set, exact);
            sn_rigid_type.measure(&set.agents, 0, SN_VEC3_ZERO, &after);
            assert_near(after.angular_momentum, before.angular_momentum,
                        1e-13 * (1.0 + sn_length(before.angular_momentum)));
            for (int i = 0; i < steps; ++i) {
                drift(&set, -1.0 / steps);
            }
            assert_true(distance_to(&set, start) < 1e-12);
            sn_rigid_set_free(&set);
        }
        double order = log2(error[1] / error[2]);
        assert_true(error[2] < 1e-9 || fabs(order - 2.0) < 0.1);
    }
}

// Two equal moments: the splitting is the exact solution, for steps of any length, also those of
// several turns.
static void symmetric_bodies_turn_exactly(void **state)
{
    (void)state;
    const sn_vec3 shapes[3] = {{1.0, 1.0, 1.7}, {0.6, 1.5, 1.5}, {2.0, 2.0, 2.0}};
    for (int s = 0; s < 3; ++s) {
        sn_rigid_def def = {.integrator = SN_INTEGRATOR_LIE_MIDPOINT,
                            .frame = SN_TRANSFORM_IDENTITY};
        def.mass = (sn_mass_properties){.mass = 1.0, .inertia = sn_mat3_diagonal(shapes[s])};
        def.angular_velocity = sn_vec3_make(3.0, -2.0, 5.0);
        sn_rigid_set once, often;
        sn_rigid_set_init(&once);
        sn_rigid_set_init(&often);
        sn_rigid_add(&once, &def);
        sn_rigid_add(&often, &def);
        drift(&once, 2.0); // about two turns in one step
        for (int i = 0; i < 400; ++i) {
            drift(&often, 2.0 / 400);
        }
        assert_true(distance_to(&once, often.agents.q) < 1e-12);
        assert_near(sn_rigid_angular_velocity(&once, 0), sn_rigid_angular_velocity(&often, 0),
                    1e-11);
        sn_rigid_set_free(&once);
        sn_rigid_set_free(&often);
    }
}

// A body's bits must not depend on its neighbours in a block of four, nor on how many there are.
static void neighbours_do_not_change_the_bits(void **state)
{
    (void)state;
    sn_random random = {.seed = 15};
    sn_rigid_set many;
    sn_rigid_set_init(&many);
    for (int i = 0; i < 11; ++i) {
        sn_rigid_def def = random_def(&random);
        if (i == 5) {
            def.angular_velocity =
                sn_vec3_make(900.0, -700.0, 500.0); // turns too fast for the polynomials
        }
        assert_int_equal(sn_rigid_add(&many, &def), i);
    }
    sn_rigid_set copy;
    assert_true(sn_rigid_set_copy(&many, &copy));
    many.agents.type->begin(&many.agents, 0, 11, 0.01);
    for (int i = 0; i < 11; ++i) {
        copy.agents.type->begin(&copy.agents, i, i + 1, 0.01);
    }
    assert_memory_equal(many.agents.q, copy.agents.q, 11 * SN_RIGID_Q * sizeof(double));
    assert_memory_equal(many.agents.v, copy.agents.v, 11 * SN_RIGID_V * sizeof(double));
    sn_rigid_set_free(&many);
    sn_rigid_set_free(&copy);
}

// A^-1 really is the inverse of M + h/2 D, and the free step uses it.
static void damped_step_inverts_what_it_says(void **state)
{
    (void)state;
    sn_random random = {.seed = 16};
    const double h = 0.02;
    for (int trial = 0; trial < 50; ++trial) {
        sn_rigid_set set;
        sn_rigid_set_init(&set);
        sn_rigid_def def = random_def(&random);
        sn_rigid_add(&set, &def);
        assert_true(sn_agent_set_reserve_damping(&set.agents));
        double *damping = sn_agent_damping(&set.agents, 0, 0), root[36], a[36], v0[6], f[6];
        for (int i = 0; i < 36; ++i) {
            root[i] = sn_random_range(&random, -1.0, 1.0);
        }
        const sn_rigid_mass *mass = &set.mass[0];
        sn_quat rotation = sn_rigid_pose(set.agents.q).rotation;
        sn_mat3 inertia = sn_tensor_to_world(rotation, mass->inertia);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                double d = 0.0;
                for (int k = 0; k < 6; ++k) {
                    d += 100.0 * root[i * 6 + k] * root[j * 6 + k];
                }
                damping[i * 6 + j] = d;
                a[i * 6 + j] = 0.5 * h * d + (i == j && i < 3 ? mass->mass : 0.0) +
                               (i >= 3 && j >= 3 ? inertia.m[i - 3][j - 3] : 0.0);
            }
            f[i] = sn_random_range(&random, -5.0, 5.0);
        }
        memcpy(v0, set.agents.v, sizeof v0);
        sn_spatial wrench = {sn_vec3_make(f[3], f[4], f[5]), sn_vec3_make(f[0], f[1], f[2])};
        set.agents.force[0] = wrench;
        set.agents.type->free_step(&set.agents, 0, 1, SN_VEC3_ZERO, h);
        double dv[6];
        set.agents.type->contact->project(&set.agents, 0, 0, &wrench, dv);
        set.agents.type->contact->inverse(&set.agents, 0, dv);
        sn_vec3 turning = sn_rotate(rotation, sn_vec3_make(dv[3], dv[4], dv[5]));
        const double world_dv[6] = {dv[0], dv[1], dv[2], turning.x, turning.y, turning.z};
        for (int i = 0; i < 6; ++i) {
            double sum = 0.0;
            for (int j = 0; j < 6; ++j) {
                sum += a[i * 6 + j] * world_dv[j];
            }
            assert_true(fabs(sum - f[i]) < 1e-11);
            assert_true(fabs(set.agents.v[i] - v0[i] - h * dv[i]) < 1e-13);
        }
        sn_rigid_set_free(&set);
    }
}

static void removal_moves_the_last_agent(void **state)
{
    (void)state;
    sn_random random = {.seed = 17};
    sn_rigid_set set;
    sn_rigid_set_init(&set);
    for (int i = 0; i < 5; ++i) {
        sn_rigid_def def = random_def(&random);
        def.owner = (uint32_t)i;
        sn_rigid_add(&set, &def);
    }
    sn_transform last = sn_rigid_frame(&set, 4);
    sn_rigid_remove(&set, 1);
    assert_int_equal(set.agents.count, 4);
    assert_int_equal(set.agents.agents[1].owner, 4);
    assert_near(sn_rigid_frame(&set, 1).position, last.position, 0.0);
    sn_rigid_remove(&set, 3);
    assert_int_equal(set.agents.count, 3);
    sn_aabb box = sn_rigid_type.bounds(&set.agents, 1);
    sn_vec3 centre = sn_rigid_pose(sn_agent_q(&set.agents, 1)).position;
    assert_near(box.upper, sn_vec3_add(centre, sn_vec3_make(1, 1, 1)), 1e-15);
    sn_rigid_set_free(&set);
}

// A failed step gives back all that it may have changed.
static void kept_states_come_back(void **state)
{
    (void)state;
    sn_random random = {.seed = 19};
    for (int trial = 0; trial < 50; ++trial) {
        sn_rigid_set set;
        sn_rigid_set_init(&set);
        sn_rigid_def def = random_def(&random);
        sn_rigid_add(&set, &def);
        sn_agent_set *agents = &set.agents;
        agents->agents[0].next_step = 0.25;
        sn_agent_set_keep(agents, 0, 1);
        double q[SN_RIGID_Q], v[SN_RIGID_V];
        memcpy(q, agents->q, sizeof q);
        memcpy(v, agents->v, sizeof v);
        drift(&set, 0.7);
        agents->agents[0].next_step = 9.0;
        sn_agent_set_go_back(agents);
        assert_memory_equal(agents->q, q, sizeof q);
        assert_memory_equal(agents->v, v, sizeof v);
        assert_true(agents->agents[0].next_step == 0.25);
        sn_rigid_set_free(&set);
    }
}

// More agents than an int can number the coordinates of are refused before anything is asked of the
// allocator.
static void too_many_agents_are_refused(void **state)
{
    (void)state;
    sn_rigid_set set;
    sn_rigid_set_init(&set);
    uint64_t before = sn_allocation_count();
    set.agents.q_count = INT32_MAX - SN_RIGID_Q + 1;
    assert_false(sn_agent_set_reserve(&set.agents, 1, SN_RIGID_Q, SN_RIGID_V, 1));
    assert_int_equal(sn_allocation_count(), before);
    set.agents.q_count = 0;
    sn_rigid_set_free(&set);
}

static void lack_of_memory_leaves_the_set_whole(void **state)
{
    (void)state;
    sn_random random = {.seed = 18};
    for (int n = 0; n < 12; ++n) {
        sn_rigid_set set, copy;
        sn_rigid_set_init(&set);
        sn_rigid_def def = random_def(&random);
        sn_allocation_fail_after(n);
        int agent = sn_rigid_add(&set, &def);
        sn_allocation_fail_after(-1);
        assert_true(agent == (n < 10 ? -1 : 0));
        assert_int_equal(sn_rigid_add(&set, &def), agent + 1);
        sn_allocation_fail_after(n);
        bool copied = sn_rigid_set_copy(&set, &copy);
        sn_allocation_fail_after(-1);
        assert_int_equal(copied, n >= 10);
        sn_rigid_set_free(&copy);
        sn_rigid_set_free(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definition_survives_principal_axes),
        cmocka_unit_test(points_and_forces_are_dual),
        cmocka_unit_test(rates_obey_newton_and_euler),
        cmocka_unit_test(free_flight_is_second_order_and_reversible),
        cmocka_unit_test(symmetric_bodies_turn_exactly),
        cmocka_unit_test(neighbours_do_not_change_the_bits),
        cmocka_unit_test(damped_step_inverts_what_it_says),
        cmocka_unit_test(removal_moves_the_last_agent),
        cmocka_unit_test(kept_states_come_back),
        cmocka_unit_test(too_many_agents_are_refused),
        cmocka_unit_test(lack_of_memory_leaves_the_set_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
