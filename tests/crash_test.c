// Inputs that once crashed or never ended, in tests/faults: each runs now, or is refused with a
// reason.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sanitized.h"
#include "sinew/geometry.h"
#include "sinew/joint.h"

static sn_scene *load_fault(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/faults/%s", name);
    return load_good(path);
}

static void take_steps(const sn_scene *scene, sn_world *world, int count)
{
    sn_error error = {0};
    for (int i = 0; i < count; ++i) {
        if (sn_world_step(world, sn_scene_run(scene).step, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
    }
}

// Saves the state with bytes behind it that nobody may touch, and loads it.
static void check_state(sn_world *world)
{
    enum { GUARD = 4096 };
    size_t size = sn_world_state_size(world);
    unsigned char *bytes = malloc(size + GUARD);
    assert_non_null(bytes);
    memset(bytes, 0xa5, size + GUARD);
    uint64_t hash = sn_world_hash(world);
    assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
    for (int i = 0; i < GUARD; ++i) {
        assert_int_equal(bytes[size + (size_t)i], 0xa5);
    }
    assert_int_equal(sn_world_load_state(world, bytes, size, NULL), SN_OK);
    assert_true(sn_world_hash(world) == hash);
    free(bytes);
}

// A state has room for elastic bodies beside joints that may break.
static void an_elastic_body_beside_a_breakable_joint(void **state)
{
    (void)state;
    sn_scene *scene = load_fault("brk_elastic.json");
    sn_world *world = build(scene);
    size_t size = sn_world_state_size(world);
    check_state(world);
    take_steps(scene, world, 10);
    check_state(world);
    assert_int_equal(sn_joint_break(world, sn_world_find_joint(world, "j"), NULL), SN_OK);
    take_steps(scene, world, 10);
    check_state(world);
    assert_int_equal(sn_world_state_size(world), size); // one size, broken or not
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// Two wheels that a gear couples: when the axle of one breaks, both turn on as they were.
static void a_gear_whose_joint_breaks(void **state)
{
    (void)state;
    sn_scene *scene = load_fault("brk_gear.json");
    sn_world *world = build(scene);
    sn_joint j = sn_world_find_joint(world, "j"), k = sn_world_find_joint(world, "k");
    sn_coupling gear = sn_world_find_coupling(world, "c");
    assert_string_equal(sn_coupling_name(world, sn_world_coupling(world, 0)), "c");
    take_steps(scene, world, 40);
    assert_false(sn_coupling_is_released(world, gear));
    double turning = sn_joint_velocity(world, k, 0);
    assert_true(fabs(turning) > 0.1);
    take_steps(scene, world, 40); // the scene breaks it at 50 ms
    assert_true(sn_joint_is_broken(world, j));
    assert_true(sn_coupling_is_released(world, gear));
    assert_true(isnan(sn_coupling_force(world, gear)));
    assert_true(fabs(sn_joint_velocity(world, k, 0) - turning) < 1e-12);
    sn_vec3 spin = sn_body_angular_velocity(world, sn_world_find_body(world, "a"));
    assert_true(fabs(spin.z - 2.0 * turning) < 1e-12);
    check_state(world);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// Hulls that are 1e-7 and 1e-10 of their size thick are bodies that fall.
static void thin_hulls(void **state)
{
    (void)state;
    const char *const names[] = {"hull_thin.json", "hull_nearly_flat.json"};
    for (int i = 0; i < 2; ++i) {
        sn_scene *scene = load_fault(names[i]);
        sn_world *world = build(scene);
        take_steps(scene, world, 10);
        double t = sn_world_time(world);
        sn_vec3 v = sn_body_velocity(world, sn_world_body(world, 0));
        assert_true(fabs(v.z + 9.81 * t) < 1e-9 * t);
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
}

static bool is_up(void *context)
{
    int *left = context;
    return (*left)-- == 0;
}

// A body that turns 1e7 rad in a step: the step can be interrupted, ends by itself, and leaves the
// world as it was.
static void a_precise_step_that_would_take_minutes(void **state)
{
    (void)state;
    sn_scene *scene = load_fault("precise_hang.json");
    sn_world *world = build(scene);
    sn_error error = {0};
    uint64_t hash = sn_world_hash(world);
    int left = 100;
    sn_world_set_stop(world, is_up, &left);
    assert_int_equal(sn_world_step(world, sn_scene_run(scene).step, &error), SN_ERROR_STOPPED);
    assert_true(sn_world_hash(world) == hash);
    sn_world_set_stop(world, NULL, NULL);
    if (!is_sanitized()) { // a million steps of the integrator
        assert_int_equal(sn_world_step(world, sn_scene_run(scene).step, &error),
                         SN_ERROR_INTEGRATOR);
        assert_non_null(strstr(sn_error_message(&error), "body 'b', step 1"));
        assert_non_null(strstr(sn_error_message(&error), "has taken 1000000 steps"));
        assert_true(sn_world_hash(world) == hash);
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// Skins of which only edges come near each other.
static void skins_that_meet_at_edges(void **state)
{
    (void)state;
    sn_scene *scene = load_fault("ub_soft_stop.json");
    sn_world *world = build(scene);
    take_steps(scene, world, rounds_of(600, 400));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// A COLLADA file whose indices are words, on which assimp never ends.
static void a_mesh_file_of_words(void **state)
{
    (void)state;
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    sn_status status = sn_mesh_import("tests/faults/hang.dae", NULL, &mesh, &error);
    assert_true(status == SN_ERROR_FILE || status == SN_ERROR_FORMAT ||
                status == SN_ERROR_GEOMETRY || status == SN_ERROR_SYNTAX ||
                status == SN_ERROR_UNSUPPORTED);
    assert_null(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_elastic_body_beside_a_breakable_joint),
        cmocka_unit_test(a_gear_whose_joint_breaks),
        cmocka_unit_test(thin_hulls),
        cmocka_unit_test(a_precise_step_that_would_take_minutes),
        cmocka_unit_test(skins_that_meet_at_edges),
        cmocka_unit_test(a_mesh_file_of_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
