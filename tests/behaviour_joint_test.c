// Behaviours that steer joints: forces, set-points, freedoms taken over and let go, joints broken;
// and what of it is state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sinew/behaviour.h"
#include "small_world.h"

typedef sn_status act_function(void *user, sn_world *world, sn_behaviour self, double time,
                               sn_error *error);

static sn_behaviour add_behaviour(sn_world *world, const char *name, act_function *act, void *user)
{
    sn_behaviour_def def = sn_default_behaviour_def();
    def.name = name;
    def.act = act;
    def.user = user;
    def.memory_count = 2;
    sn_behaviour behaviour;
    sn_error error = {0};
    if (sn_world_add_behaviour(world, &def, &behaviour, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return behaviour;
}

// Two rods of a metre and a kilogram hang from the ceiling on hinges about y, and a ball on the
// lower one.
typedef struct rig {
    sn_world *world;
    sn_body bodies[3];
    sn_joint joints[3]; // shoulder, elbow, hook
    sn_motion *motion;
} rig;

static const char *const joint_names[] = {"shoulder", "elbow", "hook"};

static void add_rod(rig *r, int index)
{
    sn_body_def def = sn_default_body_def();
    def.frame.position.z = index < 2 ? -0.5 - index : -2.1;
    def.mass.mass = 1.0;
    def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(0.1, 0.1, 0.01));
    assert_int_equal(sn_world_add_body(r->world, &def, &r->bodies[index], NULL), SN_OK);
    sn_joint_def joint = sn_default_joint_def();
    joint.name = joint_names[index];
    joint.type = index < 2 ? SN_JOINT_HINGE : SN_JOINT_FIXED;
    joint.parent = index > 0 ? r->bodies[index - 1] : (sn_body){0};
    joint.child = r->bodies[index];
    joint.parent_frame.rotation = (sn_quat){sqrt(0.5), -sqrt(0.5), 0.0, 0.0};
    joint.child_frame.rotation = joint.parent_frame.rotation;
    joint.parent_frame.position.z = index > 0 ? -0.5 : 0.0;
    joint.child_frame.position.z = index < 2 ? 0.5 : 0.1;
    joint.breakable = index == 2;
    sn_error error = {0};
    if (sn_world_add_joint(r->world, &joint, &r->joints[index], &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
}

static rig make_rig(sn_policy policy, sn_motion *motion)
{
    rig r = {.world = make_world(policy, sn_vec3_make(0, 0, -9.81)), .motion = motion};
    for (int i = 0; i < 3; ++i) {
        add_rod(&r, i);
    }
    if (motion != NULL) {
        assert_int_equal(sn_world_add_motion(r.world, motion, NULL), SN_OK);
    }
    assert_int_equal(sn_world_assemble(r.world, NULL), SN_OK);
    return r;
}

static double angle(const rig *r, int joint)
{
    return sn_joint_position(r->world, r->joints[joint], 0);
}

static sn_joint find(const sn_world *world, int joint)
{
    return sn_world_find_joint(world, joint_names[joint]);
}

// ---- control ----

#define STIFFNESS 60.0
#define DAMPING   9.0
#define TARGET    0.7

static double servo(const sn_world *world)
{
    sn_joint elbow = find(world, 1);
    return STIFFNESS * (TARGET - sn_joint_position(world, elbow, 0)) -
           DAMPING * sn_joint_velocity(world, elbow, 0);
}

static sn_status push_elbow(void *user, sn_world *world, sn_behaviour self, double time,
                            sn_error *error)
{
    (void)user, (void)self, (void)time, (void)error;
    sn_joint_add_force(world, find(world, 1), 0, servo(world));
    return SN_OK;
}

static sn_status set_elbow(void *user, sn_world *world, sn_behaviour self, double time,
                           sn_error *error)
{
    (void)user, (void)self, (void)time;
    return sn_joint_set_target(world, find(world, 1), 0, servo(world), error);
}

// A force that a behaviour adds, and the same one as the set-point of a force drive.
static void a_force_is_a_force(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        rig a = make_rig((sn_policy)policy, NULL), b = make_rig((sn_policy)policy, NULL);
        add_behaviour(a.world, "push", push_elbow, NULL);
        add_behaviour(b.world, "set", set_elbow, NULL);
        sn_drive_def drive = {.type = SN_DRIVE_FORCE, .force_limit = INFINITY};
        assert_int_equal(sn_joint_set_drive(b.world, b.joints[1], 0, &drive, NULL), SN_OK);
        for (int i = 0; i < 300; ++i) {
            advance(a.world, 0.005, 1);
            advance(b.world, 0.005, 1);
            assert_true(fabs(angle(&a, 0) - angle(&b, 0)) < 1e-9);
            assert_true(fabs(angle(&a, 1) - angle(&b, 1)) < 1e-9);
        }
        assert_true(angle(&a, 1) > 0.3); // it has lifted the lower rod
        sn_world_destroy(a.world);
        sn_world_destroy(b.world);
    }
}

// Sampled at the start of steps, a servo is a built-in one whose forces are late by half a step:
// they agree to first order.
static void a_sampled_servo_tends_to_the_built_in_one(void **state)
{
    (void)state;
    double gaps[3];
    for (int k = 0; k < 3; ++k) {
        rig a = make_rig(SN_POLICY_PRECISE, NULL), b = make_rig(SN_POLICY_PRECISE, NULL);
        sn_drive_def drive = {.type = SN_DRIVE_POSITION,
                              .target = TARGET,
                              .stiffness = STIFFNESS,
                              .damping = DAMPING,
                              .force_limit = INFINITY};
        assert_int_equal(sn_joint_set_drive(b.world, b.joints[1], 0, &drive, NULL), SN_OK);
        add_behaviour(a.world, "push", push_elbow, NULL);
        double h = 0.008 / (1 << k);
        advance(a.world, h, 100 << k);
        advance(b.world, h, 100 << k);
        gaps[k] = fabs(angle(&a, 1) - angle(&b, 1)) + fabs(angle(&a, 0) - angle(&b, 0));
        sn_world_destroy(a.world);
        sn_world_destroy(b.world);
    }
    assert_true(gaps[0] < 0.02 && gaps[0] > 1e-5);
    assert_true(fabs(gaps[0] / gaps[1] - 2.0) < 0.2);
    assert_true(fabs(gaps[1] / gaps[2] - 2.0) < 0.1);
}

// ---- taking over and letting go ----

static sn_motion *make_push(void)
{
    static const double times[] = {0.0, 0.5, 1.0, 1.5}, values[] = {0.0, -0.4, 0.5, 1.0};
    sn_motion_def def = sn_default_motion_def();
    def.times = times;
    def.values = values;
    def.count = 4;
    def.start_rate = 0.0;
    sn_motion *motion = NULL;
    assert_int_equal(sn_motion_create(&def, &motion, NULL), SN_OK);
    return motion;
}

// The shoulder is moved by hand for a second, then it swings freely.
static sn_status move_by_hand(void *user, sn_world *world, sn_behaviour self, double time,
                              sn_error *error)
{
    sn_drive_def drive = {.force_limit = INFINITY};
    if (time == 0.0) {
        drive.type = SN_DRIVE_MOTION;
        drive.motion = user;
    } else if (time < 1.0 - 1e-9) {
        return SN_OK;
    }
    sn_status status = sn_joint_set_drive(world, find(world, 0), 0, &drive, error);
    return status == SN_OK && time > 0.0 ? sn_behaviour_stop(world, self, error) : status;
}

static void a_freedom_is_taken_over_and_let_go(void **state)
{
    (void)state;
    sn_motion *motion = make_push();
    double ends[2][2];
    for (int policy = 0; policy < 2; ++policy) {
        rig r = make_rig((sn_policy)policy, motion);
        add_behaviour(r.world, "hand", move_by_hand, motion);
        double h = 0.0025, widest = 0.0;
        for (int i = 0; i < 400; ++i) {
            advance(r.world, h, 1);
            sn_motion_state now = sn_motion_at(motion, sn_world_time(r.world));
            assert_true(fabs(angle(&r, 0) - now.value) < 1e-9);
            widest = fmax(widest, fabs(angle(&r, 1)));
        }
        assert_true(widest > 0.2); // the rest stays dynamic
        double rate = sn_motion_at(motion, 1.0).rate;
        assert_true(fabs(sn_joint_velocity(r.world, r.joints[0], 0) - rate) < 1e-2);
        double energy = sn_world_energy(r.world).total;
        double drift = 0.0;
        for (int i = 0; i < 400; ++i) {
            advance(r.world, h, 1);
            drift = fmax(drift, fabs(sn_world_energy(r.world).total - energy));
        }
        assert_true(drift < (policy == 0 ? 2e-2 : 1e-5));
        assert_true(fabs(angle(&r, 0) - 0.5) > 0.01); // no longer where the motion ends
        ends[policy][0] = angle(&r, 0);
        ends[policy][1] = angle(&r, 1);
        sn_world_destroy(r.world);
    }
    assert_true(fabs(ends[0][0] - ends[1][0]) < 1e-2 && fabs(ends[0][1] - ends[1][1]) < 1e-2);
    sn_motion_release(motion);
}

// ---- breaking ----

static sn_status cut_hook(void *user, sn_world *world, sn_behaviour self, double time,
                          sn_error *error)
{
    (void)user;
    if (time < 0.4 - 1e-9) {
        return SN_OK;
    }
    sn_status status = sn_joint_break(world, find(world, 2), error);
    return status == SN_OK ? sn_behaviour_stop(world, self, error) : status;
}

static void what_is_cut_falls_freely(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; ++policy) {
        rig r = make_rig((sn_policy)policy, NULL);
        add_behaviour(r.world, "push", push_elbow, NULL);
        add_behaviour(r.world, "cut", cut_hook, NULL);
        advance(r.world, 0.01, 40);
        assert_false(sn_joint_is_broken(r.world, r.joints[2]));
        sn_vec3 x = sn_body_centre(r.world, r.bodies[2]),
                v = sn_body_velocity(r.world, r.bodies[2]);
        advance(r.world, 0.01, 60);
        assert_true(sn_joint_is_broken(r.world, r.joints[2]));
        double t = 0.6;
        sn_vec3 fallen = sn_vec3_add(x, sn_vec3_scale(t, v));
        fallen.z -= 0.5 * 9.81 * t * t;
        assert_true(sn_distance(sn_body_centre(r.world, r.bodies[2]), fallen) < 1e-9);
        sn_world_destroy(r.world);
    }
}

static sn_status push_everything(void *user, sn_world *world, sn_behaviour self, double time,
                                 sn_error *error)
{
    (void)user, (void)self, (void)time, (void)error;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        sn_body_add_force(world, body, sn_vec3_make(0, 0, 9.81), sn_body_centre(world, body));
    }
    sn_joint_add_force(world, find(world, 1), 0, 0.5);
    return SN_OK;
}

// What was added for a step counts although a joint breaks at its start: without weight the cut
// ball goes straight on, and the rods feel no jolt.
static void forces_outlive_a_break(void **state)
{
    (void)state;
    rig r = make_rig(SN_POLICY_LOCKSTEP, NULL);
    add_behaviour(r.world, "push", push_everything, NULL);
    add_behaviour(r.world, "cut", cut_hook, NULL);
    advance(r.world, 0.01, 40);
    sn_vec3 v = sn_body_velocity(r.world, r.bodies[2]);
    double rate = sn_joint_velocity(r.world, r.joints[1], 0);
    advance(r.world, 0.01, 1);
    assert_true(sn_joint_is_broken(r.world, r.joints[2]));
    assert_true(sn_distance(v, sn_body_velocity(r.world, r.bodies[2])) < 1e-9);
    // 0.5 N m still turns the lower rod, which is lighter now
    assert_true(sn_joint_velocity(r.world, r.joints[1], 0) > rate + 0.005);
    sn_world_destroy(r.world);
}

// Nor are they lost when joints are put together after they were added.
static void forces_outlive_the_first_assembly(void **state)
{
    (void)state;
    double speeds[2];
    for (int k = 0; k < 2; ++k) {
        rig r = {.world = make_world(SN_POLICY_LOCKSTEP, SN_VEC3_ZERO)};
        add_rod(&r, 0);
        if (k == 1) {
            assert_int_equal(sn_world_assemble(r.world, NULL), SN_OK);
        }
        sn_body_add_force(r.world, r.bodies[0], sn_vec3_make(1, 0, 0), SN_VEC3_ZERO);
        sn_body_add_torque(r.world, r.bodies[0], sn_vec3_make(0, 2, 0));
        advance(r.world, 0.01, 1);
        speeds[k] = sn_joint_velocity(r.world, r.joints[0], 0);
        sn_world_destroy(r.world);
    }
    assert_true(fabs(speeds[1]) > 1e-3);
    assert_true(fabs(speeds[0] - speeds[1]) < 1e-15);
}

// ---- state ----

// Everything at once: by its memory it goes from one thing to the next.
static sn_status do_it_all(void *user, sn_world *world, sn_behaviour self, double time,
                           sn_error *error)
{
    (void)time;
    double *count = sn_behaviour_memory(world, self);
    *count += 1.0;
    sn_drive_def drive = {.force_limit = INFINITY};
    if (*count == 1.0) {
        drive.type = SN_DRIVE_MOTION;
        drive.motion = user;
        return sn_joint_set_drive(world, find(world, 0), 0, &drive, error);
    }
    if (*count == 20.0) {
        drive = (sn_drive_def){SN_DRIVE_POSITION, 0.4, NULL, 25.0, 3.0, 11.0};
        return sn_joint_set_drive(world, find(world, 1), 0, &drive, error);
    }
    if (*count == 40.0) {
        return sn_joint_break(world, find(world, 2), error);
    }
    if (*count == 60.0) {
        return sn_joint_set_drive(world, find(world, 0), 0, &drive, error);
    }
    return *count > 60.0 ? sn_joint_set_target(world, find(world, 1), 0, 0.01 * *count, error)
                         : SN_OK;
}

static void states_hold_what_was_steered(void **state)
{
    (void)state;
    static const int moments[] = {10, 30, 50, 70};
    sn_motion *motion = make_push();
    for (int policy = 0; policy < 2; ++policy) {
        for (int k = 0; k < 4; ++k) {
            rig a = make_rig((sn_policy)policy, motion), b = make_rig((sn_policy)policy, motion);
            add_behaviour(a.world, "all", do_it_all, motion);
            add_behaviour(b.world, "all", do_it_all, motion);
            advance(a.world, 0.01, moments[k]);
            size_t size = sn_world_state_size(a.world);
            void *bytes = malloc(size);
            assert_int_equal(sn_world_save_state(a.world, bytes, size, NULL), SN_OK);
            sn_world *copy = NULL;
            sn_error error = {0};
            assert_int_equal(sn_world_copy(a.world, &copy, NULL), SN_OK);
            if (sn_world_load_state(b.world, bytes, size, &error) != SN_OK) {
                fail_msg("%s", sn_error_message(&error));
            }
            assert_true(sn_world_hash(a.world) == sn_world_hash(b.world));
            for (int i = 0; i < 60; ++i) {
                advance(a.world, 0.01, 1);
                advance(b.world, 0.01, 1);
                advance(copy, 0.01, 1);
                assert_true(sn_world_hash(a.world) == sn_world_hash(copy));
                assert_true(sn_world_hash(a.world) == sn_world_hash(b.world));
            }
            free(bytes);
            sn_world_destroy(copy);
            sn_world_destroy(a.world);
            sn_world_destroy(b.world);
        }
    }
    sn_motion_release(motion);
}

// A state whose drive follows a motion that the world does not know is refused.
static void unknown_motions_are_refused(void **state)
{
    (void)state;
    sn_motion *motion = make_push();
    rig a = make_rig(SN_POLICY_LOCKSTEP, motion), b = make_rig(SN_POLICY_LOCKSTEP, NULL);
    add_behaviour(a.world, "all", do_it_all, motion);
    add_behaviour(b.world, "all", do_it_all, motion);
    advance(a.world, 0.01, 5);
    size_t size = sn_world_state_size(a.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(a.world, bytes, size, NULL), SN_OK);
    sn_error error = {0};
    assert_int_equal(sn_world_load_state(b.world, bytes, size, &error), SN_ERROR_FORMAT);
    assert_string_equal(error.place, "shoulder");
    assert_int_equal(sn_world_add_motion(b.world, motion, NULL), SN_OK);
    assert_int_equal(sn_world_add_motion(b.world, motion, NULL), SN_OK); // once is enough
    assert_int_equal(sn_world_load_state(b.world, bytes, size, &error), SN_OK);
    assert_true(sn_world_hash(a.world) == sn_world_hash(b.world));
    assert_int_equal(sn_world_add_motion(b.world, NULL, NULL), SN_ERROR_ARGUMENT);
    free(bytes);
    sn_world_destroy(a.world);
    sn_world_destroy(b.world);
    sn_motion_release(motion);
}

// It does harm in steps 1 to 3, and fails in the end.
static sn_status do_harm(void *user, sn_world *world, sn_behaviour self, double time,
                         sn_error *error)
{
    (void)time;
    if (*(int *)user == 0) {
        return SN_OK;
    }
    sn_behaviour_memory(world, self)[0] = 1.0;
    sn_drive_def drive = {SN_DRIVE_POSITION, 2.0, NULL, 50.0, 5.0, INFINITY};
    sn_status status = sn_joint_set_drive(world, find(world, 1), 0, &drive, error);
    status = status == SN_OK ? sn_joint_break(world, find(world, 2), error) : status;
    sn_joint_add_force(world, find(world, 0), 0, 100.0);
    return status == SN_OK ? sn_fail(error, SN_ERROR_ARGUMENT, NULL, "that was all") : status;
}

static void a_failure_takes_drives_and_breaks_back(void **state)
{
    (void)state;
    int harm = 0;
    rig r = make_rig(SN_POLICY_LOCKSTEP, NULL);
    add_behaviour(r.world, "push", push_elbow, NULL);
    add_behaviour(r.world, "harm", do_harm, &harm);
    advance(r.world, 0.01, 20);
    sn_world *copy = NULL;
    assert_int_equal(sn_world_copy(r.world, &copy, NULL), SN_OK);
    uint64_t hash = sn_world_hash(r.world);
    harm = 1;
    sn_error error = {0};
    assert_int_equal(sn_world_step(r.world, 0.01, &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.place, "behaviour 'harm', step 21");
    assert_true(sn_world_hash(r.world) == hash);
    assert_int_equal(sn_joint_drive(r.world, r.joints[1], 0).type, SN_DRIVE_NONE);
    assert_false(sn_joint_is_broken(r.world, r.joints[2]));
    harm = 0;
    advance(r.world, 0.01, 20);
    advance(copy, 0.01, 20);
    assert_true(sn_world_hash(r.world) == sn_world_hash(copy));
    sn_world_destroy(copy);
    sn_world_destroy(r.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_is_a_force),
        cmocka_unit_test(a_sampled_servo_tends_to_the_built_in_one),
        cmocka_unit_test(a_freedom_is_taken_over_and_let_go),
        cmocka_unit_test(what_is_cut_falls_freely),
        cmocka_unit_test(forces_outlive_a_break),
        cmocka_unit_test(forces_outlive_the_first_assembly),
        cmocka_unit_test(states_hold_what_was_steered),
        cmocka_unit_test(unknown_motions_are_refused),
        cmocka_unit_test(a_failure_takes_drives_and_breaks_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
