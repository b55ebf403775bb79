// What contact asks of free rigid bodies: rows against virtual work, the inverse against
// M^-1 and against what a push does (with and without damping), impulses against momentum,
// displacement against the motion of points.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "agent/rigid/rigid.h"
#include "base/random.h"
#include "contact_problem.h"
#include "math/rotation.h"

static const sn_agent_contact *table;

static int random_body(sn_rigid_set *set, sn_random *random)
{
    sn_vec3 moments = {1.0 + sn_random_unit(random), 2.0 + 0.5 * sn_random_unit(random), 2.7};
    sn_rigid_def def = {
        .mass = {.mass = 0.5 + 3.0 * sn_random_unit(random),
                 .centre = random_vec3(random, 0.3),
                 .inertia = sn_tensor_to_world(sn_quat_exp(random_vec3(random, 2.0)), moments)},
        .frame = {random_vec3(random, 2.0), sn_quat_exp(random_vec3(random, 2.0))},
        .velocity = random_vec3(random, 1.0),
        .angular_velocity = random_vec3(random, 1.0),
        .integrator = SN_INTEGRATOR_LIE_MIDPOINT,
    };
    return sn_rigid_add(set, &def);
}

static double row_dot(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < SN_RIGID_V; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// row . v is the power of a unit force at its point.
static void test_rows(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    sn_rigid_set set;
    sn_rigid_set_init(&set);
    for (int i = 0; i < 20; ++i) {
        int body = random_body(&set, &random);
        sn_part part;
        set.agents.type->part(&set.agents, body, 0, &part);
        sn_vec3 arm = random_vec3(&random, 1.0), axis = random_vec3(&random, 1.0);
        sn_spatial f = sn_spatial_make(sn_cross(arm, axis), axis);
        double row[SN_RIGID_V], v[SN_RIGID_V];
        table->project(&set.agents, body, 0, &f, row);
        table->velocity(&set.agents, body, v);
        sn_vec3 u = sn_vec3_add(part.velocity, sn_cross(part.angular_velocity, arm));
        assert_true(fabs(row_dot(row, v) - sn_dot(u, axis)) < 1e-13);
    }
    sn_rigid_set_free(&set);
}

static void test_inverse(void **state)
{
    (void)state;
    sn_random random = {.seed = 2};
    sn_rigid_set set;
    sn_rigid_set_init(&set);
    for (int i = 0; i < 10; ++i) {
        random_body(&set, &random);
    }
    sn_agent_set *agents = &set.agents;
    assert_true(sn_agent_set_reserve_damping(agents));
    for (int i = 0; i < 10; i += 2) { // every other one is damped
        double *d = sn_agent_damping(agents, i, 0);
        for (int k = 0; k < SN_RIGID_V; ++k) {
            d[k * SN_RIGID_V + k] = 1.0 + k;
        }
        d[1] = d[SN_RIGID_V] = 0.4;
    }
    agents->type->free_step(agents, 0, 10, sn_vec3_make(0, 0, -9.81), 0.05);
    for (int i = 0; i < 10; ++i) {
        sn_spatial f = sn_spatial_make(random_vec3(&random, 1.0), random_vec3(&random, 1.0));
        double x[SN_RIGID_V], before[SN_RIGID_V], after[SN_RIGID_V];
        table->project(agents, i, 0, &f, x);
        memcpy(before, sn_agent_v(agents, i), sizeof before);
        table->push(agents, i, x);
        memcpy(after, sn_agent_v(agents, i), sizeof after);
        table->inverse(agents, i, x);
        for (int k = 0; k < SN_RIGID_V; ++k) {
            assert_true(fabs(after[k] - before[k] - x[k]) < 1e-13);
        }
        // At the end of the step damping is over: M alone answers, as it does in the step of every
        // other body. agent_test.c has M + h/2 D.
        double mass = set.mass[i].mass;
        sn_vec3 inertia = set.mass[i].inertia,
                moment =
                    sn_rotate_inverse(sn_rigid_pose(sn_agent_q(agents, i)).rotation, f.angular);
        double expected[SN_RIGID_V] = {f.linear.x / mass,    f.linear.y / mass,
                                       f.linear.z / mass,    moment.x / inertia.x,
                                       moment.y / inertia.y, moment.z / inertia.z};
        for (int k = 0; k < SN_RIGID_V && i % 2 != 0; ++k) {
            assert_true(fabs(x[k] - expected[k]) < 1e-13);
        }
        table->strike(agents, i);
        table->project(agents, i, 0, &f, x);
        table->inverse(agents, i, x);
        for (int k = 0; k < SN_RIGID_V; ++k) {
            assert_true(fabs(x[k] - expected[k]) < 1e-13);
        }
    }
    sn_rigid_set_free(&set);
}

// A short displacement along v moves points as v says, to second order.
static void test_displace(void **state)
{
    (void)state;
    sn_random random = {.seed = 3};
    sn_rigid_set set;
    sn_rigid_set_init(&set);
    int body = random_body(&set, &random);
    double v[SN_RIGID_V], error[2];
    table->velocity(&set.agents, body, v);
    sn_transform start = sn_rigid_frame(&set, body);
    sn_vec3 local = {0.3, -0.7, 0.5};
    sn_part part;
    set.agents.type->part(&set.agents, body, 0, &part);
    sn_vec3 point = sn_transform_point(start, local);
    sn_vec3 u = sn_vec3_add(part.velocity,
                            sn_cross(part.angular_velocity, sn_vec3_sub(point, part.centre)));
    for (int k = 0; k < 2; ++k) {
        double h = k == 0 ? 1e-3 : 1e-4;
        sn_rigid_set_frame(&set, body, start);
        table->displace(&set.agents, body, v, h);
        sn_vec3 moved = sn_transform_point(sn_rigid_frame(&set, body), local);
        error[k] = sn_distance(moved, sn_vec3_add_scaled(point, h, u));
    }
    assert_true(error[0] < 3e-6);
    assert_true(error[1] < 0.02 * error[0]);
    double now[SN_RIGID_V];
    table->velocity(&set.agents, body, now);
    assert_memory_equal(now, v, sizeof now);
    sn_rigid_set_free(&set);
}

int main(void)
{
    table = sn_rigid_type.contact;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_displace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
