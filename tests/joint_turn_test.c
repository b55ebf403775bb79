// Joints that count whole turns: where hinges start when their limits reach beyond half a turn, in
// robots and in scenes; and hinges whose limits are equal, which are locked.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "sinew/joint.h"
#include "sinew/mechanics.h"
#include "sinew/scene.h"
#include "world_steps.h"

#define PI 3.14159265358979323846

// ---- helpers ----

static const char *find(void *user, const char *path, size_t *length)
{
    (void)path;
    *length = strlen(user);
    return user;
}

static sn_status try_load(const char *text, const char *urdf, sn_scene **scene, char *message)
{
    sn_scene_options options = {.find = urdf != NULL ? find : NULL, .user = (void *)urdf};
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text("t", text, strlen(text), &options, scene, &errors);
    message[0] = '\0';
    if (errors.count > 0) {
        strcpy(message, sn_error_message(&errors.items[0]));
    }
    sn_error_list_free(&errors);
    return status;
}

static sn_world *build(const char *text, const char *urdf)
{
    char message[2000];
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_error error = {0};
    if (try_load(text, urdf, &scene, message) != SN_OK) {
        fail_msg("%s", message);
    }
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    sn_scene_destroy(scene);
    return world;
}

static double position_of(const sn_world *world, const char *joint)
{
    return sn_joint_position(world, sn_world_find_joint(world, joint), 0);
}

static void assert_angle(const sn_world *world, double expected)
{
    double angle = position_of(world, "j");
    if (!(fabs(angle - expected) < 1e-12 * (1.0 + fabs(expected)))) {
        fail_msg("%.17g rad, expected %.17g", angle, expected);
    }
}

// ---- robots ----

#define SOLID                                                                                      \
    "<inertial><origin xyz='0.5 0 0'/><mass value='2'/><inertia ixx='0.3' iyy='0.4' izz='0.5' "    \
    "ixy='0' ixz='0' iyz='0'/></inertial>"
#define ARM(type, limit)                                                                           \
    "<robot name='r'><link name='base'/><link name='a'>" SOLID                                     \
    "</link><joint name='j' type='" type "'><parent link='base'/><child link='a'/>"                \
    "<axis xyz='0 0.6 0.8'/>" limit "</joint></robot>"
#define LIMIT(lower, upper)                                                                        \
    "<limit lower='" #lower "' upper='" #upper "' effort='1e9' velocity='1e9'/>"

static sn_world *build_arm(const char *urdf, const char *pose)
{
    char text[300];
    snprintf(text, sizeof text,
             "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"robots\": [{\"file\": \"r\"%s}]}", pose);
    return build(text, urdf);
}

typedef struct arm_case {
    const char *urdf, *pose;
    double angle;
} arm_case;

static const arm_case arms[] = {
    {ARM("revolute", LIMIT(-6, 6)), ", \"pose\": {\"j\": 4}", 4.0},
    {ARM("revolute", LIMIT(-6, 6)), ", \"pose\": {\"j\": -2.2831853071795862}",
     -2.2831853071795862},
    {ARM("revolute", LIMIT(3.5, 6)), "", 4.75},
    {ARM("revolute", LIMIT(3.5, 6)), ", \"pose\": {\"j\": 3.5}", 3.5},
    {ARM("revolute", LIMIT(3.5, 6)), ", \"pose\": {\"j\": 6}", 6.0},
    {ARM("revolute", LIMIT(-20, 20)), ", \"pose\": {\"j\": \"3turn\"}", 6.0 * PI},
    {ARM("revolute", LIMIT(-20, 20)), ", \"pose\": {\"j\": -20}", -20.0},
    {ARM("continuous", ""), ", \"pose\": {\"j\": 31}", 31.0},
    {ARM("revolute", LIMIT(-6, 6)), ", \"pose\": {\"j\": \"180deg\"}", PI},
    {ARM("revolute", LIMIT(-6, 6)), ", \"pose\": {\"j\": \"-180deg\"}", -PI},
};

static void robots_start_in_the_turn_of_their_pose(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof arms / sizeof *arms; ++i) {
        sn_world *world = build_arm(arms[i].urdf, arms[i].pose);
        assert_angle(world, arms[i].angle);
        advance(world, 0.01, 10);
        assert_angle(world, arms[i].angle); // nothing moves it
        sn_world_destroy(world);
    }
}

// A planar joint turns, too; one that follows another is where that puts it.
static void planar_joints_and_followers_count_turns(void **state)
{
    (void)state;
    sn_world *world = build_arm(ARM("planar", ""), ", \"pose\": {\"j\": [0.1, 0.2, 5]}");
    sn_joint joint = sn_world_find_joint(world, "j");
    assert_true(fabs(sn_joint_position(world, joint, 2) - 5.0) < 1e-12);
    sn_world_destroy(world);
    world = build_arm("<robot name='r'><link name='base'/><link name='a'>" SOLID
                      "</link><link name='b'>" SOLID "</link>"
                      "<joint name='j' type='continuous'><parent link='base'/><child link='a'/>"
                      "</joint><joint name='k' type='continuous'><parent link='base'/><child "
                      "link='b'/><mimic joint='j' multiplier='-3' offset='1'/></joint></robot>",
                      ", \"pose\": {\"j\": 2}");
    assert_true(fabs(position_of(world, "k") + 5.0) < 1e-12);
    advance(world, 0.01, 10);
    assert_true(fabs(position_of(world, "k") + 5.0) < 1e-9);
    sn_world_destroy(world);
}

static void poses_come_back_from_export(void **state)
{
    (void)state;
    char message[2000], *text = NULL;
    size_t length = 0;
    sn_scene *scene = NULL;
    sn_error error = {0};
    sn_error_list left_out = {0};
    assert_int_equal(try_load("{\"sinew\": 1, \"robots\": [{\"file\": \"r\", \"pose\": {\"j\": "
                              "4}}]}",
                              ARM("revolute", LIMIT(-6, 6)), &scene, message),
                     SN_OK);
    assert_int_equal(sn_scene_urdf_text(scene, NULL, &text, &length, &left_out, &error), SN_OK);
    bool told = false;
    for (int i = 0; i < left_out.count; ++i) {
        told = told || strstr(left_out.items[i].text, "\"j\": 4") != NULL ||
               strstr(left_out.items[i].text, "\"j\": 3.9999999") != NULL;
    }
    assert_true(told);
    sn_scene_free_text(text);
    sn_error_list_free(&left_out);
    sn_scene_destroy(scene);
}

// ---- scenes ----

#define HINGE(turn, keys)                                                                          \
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"a\", \"mass\": 1, "          \
    "\"inertia\": [1, 1, 1], \"rotation\": {\"axis\": [0, 0, 1], \"angle\": " turn                 \
    "}}], \"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"a\", "                  \
    "\"parent_frame\": {}, \"child_frame\": {}" keys "}]}"

static void hinges_start_within_their_limits(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double angle;
    } cases[] = {
        {HINGE("4", ""), 4.0 - 2.0 * PI}, // as ever
        {HINGE("4", ", \"limit\": {\"lower\": -6, \"upper\": 6}"), 4.0 - 2.0 * PI},
        {HINGE("4", ", \"limit\": {\"lower\": 3.5, \"upper\": 6}"), 4.0},
        {HINGE("4", ", \"limit\": {\"lower\": 4, \"upper\": 6}"), 4.0},
        {HINGE("4", ", \"limit\": {\"lower\": 3, \"upper\": 4}"), 4.0},
        {HINGE("1", ", \"limit\": {\"lower\": -12, \"upper\": -8}"), 1.0 - 4.0 * PI},
        {HINGE("1", ", \"limit\": {\"lower\": 20}"), 1.0 + 8.0 * PI},
        {HINGE("4", ", \"start\": 4, \"limit\": {\"lower\": -6, \"upper\": 6}"), 4.0},
        {HINGE("4", ", \"start\": \"229.1831180523293deg\""), 4.0},
        {HINGE("1", ", \"start\": 57.548667764616276"), 1.0 + 18.0 * PI},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_world *world = build(cases[i].text, NULL);
        assert_angle(world, cases[i].angle);
        sn_world_destroy(world);
    }
}

static void expect_refusal(const char *text, const char *words)
{
    char message[2000];
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_error error = {0};
    sn_status status = try_load(text, NULL, &scene, message);
    if (status == SN_OK) {
        status = sn_scene_build(scene, &world, &error);
        strcpy(message, sn_error_message(&error));
    }
    assert_int_not_equal(status, SN_OK);
    if (strstr(message, words) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", words, message);
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void impossible_starts_are_refused(void **state)
{
    (void)state;
    expect_refusal(HINGE("1", ", \"start\": 4"), "is to start at 4 rad");
    expect_refusal(HINGE("1", ", \"limit\": {\"lower\": 2, \"upper\": 3}"),
                   "stands at 1 rad, outside its limits 2 .. 3");
    expect_refusal(HINGE("1", ", \"start\": \"4m\""), "expected an angle");
    expect_refusal("{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": "
                   "\"sphere\", \"radius\": 1}}], \"joints\": [{\"name\": \"j\", \"type\": "
                   "\"slider\", \"child\": \"a\", \"start\": 1}]}",
                   "counts no turns");
    sn_world_def def = sn_default_world_def();
    sn_world *world = NULL;
    sn_error error = {0};
    assert_int_equal(sn_world_create(&def, &world, &error), SN_OK);
    sn_joint_def joint_def = sn_default_joint_def();
    sn_body_def body_def = sn_default_body_def();
    sn_shape shape = sn_default_shape();
    sn_joint joint;
    body_def.shapes = &shape;
    body_def.shape_count = 1;
    assert_int_equal(sn_world_add_body(world, &body_def, &joint_def.child, &error), SN_OK);
    joint_def.start[0] = INFINITY;
    assert_int_equal(sn_world_add_joint(world, &joint_def, &joint, &error), SN_ERROR_ARGUMENT);
    sn_world_destroy(world);
}

// The limit stops it where it is, a drive holds it where it wants to, beyond half a turn.
static void limits_and_drives_act_beyond_half_a_turn(void **state)
{
    (void)state;
    sn_world *world = build(HINGE("4", ", \"start\": 4, \"limit\": {\"lower\": -6, \"upper\": 6}, "
                                       "\"drive\": {\"type\": \"force\", \"target\": 1}"),
                            NULL);
    double most = 0.0;
    for (int i = 0; i < 1000; ++i) {
        advance(world, 0.01, 1);
        most = fmax(most, position_of(world, "j"));
    }
    assert_true(most < 6.0 + 1e-6 && fabs(position_of(world, "j") - 6.0) < 1e-3);
    sn_world_destroy(world);
    world = build(HINGE("1", ", \"start\": 1, \"drive\": {\"type\": \"position\", \"target\": 13, "
                             "\"stiffness\": 100, \"damping\": 20}"),
                  NULL);
    advance(world, 0.01, 1000);
    assert_true(fabs(position_of(world, "j") - 13.0) < 1e-6);
    sn_world_destroy(world);
}

// ---- equal limits ----

#define TWO_RODS(joint)                                                                            \
    "{\"sinew\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"a\", \"shape\": "        \
    "{\"type\": \"box\", \"size\": [1, 0.1, 0.1], \"position\": [0.5, 0, 0]}}, {\"name\": "        \
    "\"b\", \"position\": [1, 0, 0], \"shape\": {\"type\": \"box\", \"size\": [1, 0.1, 0.1], "     \
    "\"position\": [0.5, 0, 0]}}], \"joints\": [{\"name\": \"h\", \"type\": \"hinge\", "           \
    "\"child\": \"a\", \"at\": [0, 0, 0], \"axis\": [0, 1, 0]}, {\"name\": \"j\", \"parent\": "    \
    "\"a\", \"child\": \"b\", \"at\": [1, 0, 0], " joint "}]}"
#define LOCKED                                                                                     \
    TWO_RODS("\"type\": \"hinge\", \"axis\": [0, 1, 0], \"limit\": {\"lower\": 0, "                \
             "\"upper\": 0}")
#define WELDED TWO_RODS("\"type\": \"fixed\"")

static void equal_limits_lock(void **state)
{
    (void)state;
    sn_world *locked = build(LOCKED, NULL), *welded = build(WELDED, NULL);
    for (int i = 0; i < 500; ++i) {
        advance(locked, 0.005, 1);
        advance(welded, 0.005, 1);
        assert_true(fabs(position_of(locked, "j")) < 1e-9);
    }
    sn_vec3 p = sn_body_centre(locked, sn_world_find_body(locked, "b"));
    sn_vec3 q = sn_body_centre(welded, sn_world_find_body(welded, "b"));
    assert_true(sn_distance(p, q) < 1e-6);
    sn_error error = {0};
    sn_equilibrium rest = {0}, other = {0};
    assert_int_equal(sn_world_equilibrium(locked, NULL, &rest, &error), SN_OK);
    assert_int_equal(sn_world_equilibrium(welded, NULL, &other, &error), SN_OK);
    assert_int_equal(rest.freedoms, 1);
    assert_int_equal(rest.resting_count, 0); // it is locked, and does not rest on a limit
    assert_true(rest.stable && fabs(position_of(locked, "j")) < 1e-9);
    sn_modes modes = {0}, fewer = {0};
    assert_int_equal(sn_world_modes(locked, &modes, &error), SN_OK);
    assert_int_equal(sn_world_modes(welded, &fewer, &error), SN_OK);
    assert_int_equal(modes.count, 1);
    assert_int_equal(fewer.count, 1);
    assert_true(fabs(modes.list[0].frequency - fewer.list[0].frequency) < 1e-6);
    sn_equilibrium_free(&rest);
    sn_equilibrium_free(&other);
    sn_modes_free(&modes);
    sn_modes_free(&fewer);
    sn_world_destroy(locked);
    sn_world_destroy(welded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_start_in_the_turn_of_their_pose),
        cmocka_unit_test(planar_joints_and_followers_count_turns),
        cmocka_unit_test(poses_come_back_from_export),
        cmocka_unit_test(hinges_start_within_their_limits),
        cmocka_unit_test(impossible_starts_are_refused),
        cmocka_unit_test(limits_and_drives_act_beyond_half_a_turn),
        cmocka_unit_test(equal_limits_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
