// Pulls: a spring and damper from a point of a body to a place in the world, as a hand's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "sinew/joint.h"
#include "sinew/world.h"
#include "small_world.h"

static sn_field pull(sn_world *world, sn_body body, sn_vec3 point, sn_vec3 target, double stiffness,
                     double damping)
{
    sn_pull_def def = sn_default_pull_def();
    sn_field field;
    sn_error error = {0};
    def.body = body;
    def.point = point;
    def.target = target;
    def.stiffness = stiffness;
    def.damping = damping;
    if (sn_world_add_pull(world, &def, &field, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return field;
}

// At the centre of mass the body is a point: x'' = -k x - c x', closed form, second order.
static void a_point_on_a_pull_swings_and_rests(void **state)
{
    (void)state;
    double k = 40.0, c = 3.0, w = sqrt(k - 0.25 * c * c), errors[2];
    for (int fine = 0; fine < 2; ++fine) {
        int steps = fine ? 400 : 200;
        double h = 1.0 / steps, worst = 0.0;
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
        sn_body body = add_body(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
        sn_vec3 centre = sn_vec3_make(0.1, 0.05, 0.02);
        pull(world, body, centre, sn_vec3_add(centre, sn_vec3_make(1.0, 0.0, 0.0)), k, c);
        for (int i = 1; i <= steps; ++i) {
            advance(world, h, 1);
            double t = i * h, decay = exp(-0.5 * c * t);
            double x = 1.0 - decay * (cos(w * t) + 0.5 * c / w * sin(w * t));
            worst = fmax(worst, fabs(sn_body_centre(world, body).x - centre.x - x));
        }
        errors[fine] = worst;
        sn_world_destroy(world);
    }
    assert_true(errors[1] < 2e-4);
    assert_true(errors[0] / errors[1] > 3.5 && errors[0] / errors[1] < 4.5);
}

// Off the centre the damping has blocks that turn the body as well. The staged integrators take the
// force alone, at many places: both must come to the same motion.
static void damping_turns_bodies_as_it_must(void **state)
{
    (void)state;
    sn_vec3 ends[2];
    sn_quat turns[2];
    for (int k = 0; k < 2; ++k) {
        sn_world *world = make_world(SN_POLICY_LOCKSTEP, sn_vec3_make(0.0, 0.0, -9.81));
        sn_body body =
            add_body(world, "a", sn_vec3_make(0.3, 0.1, 0.0), sn_vec3_make(1.0, 2.0, -1.0),
                     k == 0 ? SN_INTEGRATOR_RK4 : SN_INTEGRATOR_LIE_MIDPOINT);
        pull(world, body, sn_vec3_make(0.3, -0.2, 0.25), sn_vec3_make(0.5, 0.5, 0.5), 30.0, 8.0);
        advance(world, 2e-4, 5000);
        ends[k] = sn_body_centre(world, body);
        turns[k] = sn_body_transform(world, body).rotation;
        sn_world_destroy(world);
    }
    assert_true(sn_distance(ends[0], ends[1]) < 1e-6);
    double same = turns[0].w * turns[1].w + turns[0].x * turns[1].x + turns[0].y * turns[1].y +
                  turns[0].z * turns[1].z;
    assert_true(fabs(fabs(same) - 1.0) < 1e-10);
}

// Damping far beyond what an explicit step could bear only brings the body to rest.
static void heavy_damping_is_stable(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_body body = add_body(world, "a", sn_vec3_make(1.0, 0.0, 0.0), sn_vec3_make(0.0, 0.0, 5.0),
                            SN_INTEGRATOR_DEFAULT);
    pull(world, body, sn_vec3_make(0.3, 0.1, 0.0), sn_vec3_make(0.3, 0.1, 0.0), 1.0, 1e5);
    double before = sn_world_energy(world).total;
    for (int i = 0; i < 200; ++i) {
        advance(world, 0.02, 1);
        double energy = sn_world_energy(world).total;
        assert_true(energy <= before * (1.0 + 1e-9));
        before = energy;
    }
    sn_world_destroy(world);
}

// What the pull stores is part of the energy: undamped, the sum stays.
static void its_energy_is_counted(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, sn_vec3_make(0.0, 0.0, -9.81));
    sn_body body = add_body(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    pull(world, body, sn_vec3_make(0.2, 0.0, 0.0), sn_vec3_make(0.0, 0.0, 1.0), 50.0, 0.0);
    double start = sn_world_energy(world).total, worst = 0.0;
    for (int i = 0; i < 2000; ++i) {
        advance(world, 1e-3, 1);
        worst = fmax(worst, fabs(sn_world_energy(world).total - start));
    }
    assert_true(worst < 1e-3 * 25.0);
    assert_true(sn_world_energy(world).kinetic > 0.0);
    sn_world_destroy(world);
}

static void pulls_are_checked_and_changed(void **state)
{
    (void)state;
    sn_world *world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO);
    sn_body body = add_body(world, "a", SN_VEC3_ZERO, SN_VEC3_ZERO, SN_INTEGRATOR_DEFAULT);
    sn_pull_def def = sn_default_pull_def();
    sn_field field;
    sn_error error = {0};
    assert_int_equal(sn_world_add_pull(world, &def, &field, &error), SN_ERROR_HANDLE);
    def.body = body;
    def.damping = -1.0;
    assert_int_equal(sn_world_add_pull(world, &def, &field, &error), SN_ERROR_ARGUMENT);
    def.damping = 0.0;
    def.target.x = NAN;
    assert_int_equal(sn_world_add_pull(world, &def, &field, &error), SN_ERROR_ARGUMENT);
    def.target.x = 1.0;
    assert_int_equal(sn_world_add_pull(world, &def, &field, &error), SN_OK);
    advance(world, 0.01, 1);
    assert_true(sn_body_velocity(world, body).x > 0.0);
    def.target.x = -1e3;
    assert_int_equal(sn_world_set_pull(world, field, &def, &error), SN_OK);
    advance(world, 0.01, 1);
    assert_true(sn_body_velocity(world, body).x < 0.0);
    assert_int_equal(sn_world_set_spring(world, field, &(sn_spring_def){0}, &error),
                     SN_ERROR_HANDLE);
    assert_int_equal(sn_world_remove_body(world, body, &error), SN_OK);
    assert_int_equal(sn_world_field_count(world), 0); // goes with its body
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_on_a_pull_swings_and_rests),
        cmocka_unit_test(damping_turns_bodies_as_it_must),
        cmocka_unit_test(heavy_damping_is_stable),
        cmocka_unit_test(its_energy_is_counted),
        cmocka_unit_test(pulls_are_checked_and_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
