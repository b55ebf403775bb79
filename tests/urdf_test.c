// URDF files: what they say becomes bodies and joints of a scene, compared with closed forms and
// with MuJoCo's reader; poses, bases, names, meshes, and every mistake with its place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "math/rotation.h"
#include "scene/path.h"
#include "scene/urdf_xml.h"
#include "sinew/geometry.h"
#include "sinew/scene.h"
#include "world_steps.h"

#define PI 3.14159265358979323846

// ---- helpers ----

static void print_errors(sn_error_list *errors)
{
    for (int i = 0; i < errors->count; ++i) {
        print_error("%s\n", sn_error_message(&errors->items[i]));
    }
}

// Every file that a scene names is this text.
static const char *find(void *user, const char *path, size_t *length)
{
    (void)path;
    *length = user != NULL ? strlen(user) : 0;
    return user;
}

static sn_scene *load(const char *text, const char *urdf)
{
    sn_scene_options options = {.find = find, .user = (void *)urdf};
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text("t", text, strlen(text), &options, &scene, &errors);
    print_errors(&errors);
    sn_error_list_free(&errors);
    assert_int_equal(status, SN_OK);
    return scene;
}

static sn_scene *load_file(const char *path)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_file(path, NULL, &scene, &errors);
    print_errors(&errors);
    sn_error_list_free(&errors);
    assert_int_equal(status, SN_OK);
    return scene;
}

static sn_world *build(const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_scene_build(scene, &world, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return world;
}

static sn_world *build_text(const char *text, const char *urdf)
{
    sn_scene *scene = load(text, urdf);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

static sn_transform frame_of(const sn_world *world, const char *name)
{
    sn_body body = sn_world_find_body(world, name);
    assert_true(sn_body_is_valid(world, body));
    return sn_body_transform(world, body);
}

static double read_probe(const sn_world *world, const char *joint, sn_quantity quantity)
{
    sn_probe probe = {.joint = sn_world_find_joint(world, joint), .quantity = quantity};
    return sn_probe_read(world, &probe);
}

static void assert_near(sn_vec3 a, double x, double y, double z)
{
    sn_vec3 b = sn_vec3_make(x, y, z);
    if (!(sn_distance(a, b) < 1e-12)) {
        fail_msg("(%.15g, %.15g, %.15g), expected (%.15g, %.15g, %.15g)", a.x, a.y, a.z, x, y, z);
    }
}

#define SOLID                                                                                      \
    "<inertial><mass value='2'/><inertia ixx='0.3' iyy='0.4' izz='0.5' ixy='0' ixz='0' "           \
    "iyz='0'/></inertial>"
#define LINK(name)               "<link name='" name "'>" SOLID "</link>"
#define ENDS(parent, child)      "<parent link='" parent "'/><child link='" child "'/>"
#define JOINT(name, type, inner) "<joint name='" name "' type='" type "'>" inner "</joint>"
#define ROBOT(inner)             "<robot name='r'>" inner "</robot>"
#define SCENE(inner)             "{\"sinew\": 1, \"robots\": [{\"file\": \"r.urdf\"" inner "}]}"

// ---- what the file says ----

// <inertial> is given in a frame of its own: here turned by 90 deg about z and shifted.
static void inertials_are_turned(void **state)
{
    (void)state;
    sn_world *world = build_text(
        ROBOT("<link name='base'/><link name='b'><inertial><origin xyz='0.1 +.2 3.' "
              "rpy='0 0 1.5707963267948966'/><mass value='2'/><inertia ixx='0.3' iyy='0.4' "
              "izz='0.5' ixy='0.01' ixz='0.02' iyz='0.03'/></inertial></link>" JOINT(
                  "j", "continuous", ENDS("base", "b") "<axis xyz='0 0 2'/>")),
        NULL);
    sn_body body = sn_world_find_body(world, "b");
    sn_mass_properties mass = sn_body_mass_properties(world, body);
    assert_true(fabs(mass.mass - 2.0) < 1e-15);
    assert_near(mass.centre, 0.1, 0.2, 3.0);
    // x' = -y, y' = x: ixx and iyy change places, ixy its sign, ixz' = -iyz, iyz' = ixz.
    const double expected[3][3] = {{0.4, -0.01, -0.03}, {-0.01, 0.3, 0.02}, {-0.03, 0.02, 0.5}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            assert_true(fabs(mass.inertia.m[i][k] - expected[i][k]) < 1e-14);
        }
    }
    assert_int_equal(sn_body_get_type(world, sn_world_find_body(world, "base")), SN_BODY_STATIC);
    sn_world_destroy(world);
}

// rpy turns about fixed axes: roll about x, then pitch about y, then yaw about z.
static void angles_are_about_fixed_axes(void **state)
{
    (void)state;
    const char *urdf = ROBOT(LINK("a") LINK("b") JOINT(
        "j", "continuous", ENDS("a", "b") "<origin xyz='1 2 3' rpy='0.3 -0.7 1.9'/>"));
    sn_world *world = build_text(urdf, NULL);
    sn_transform b = frame_of(world, "b");
    assert_near(b.position, 1, 2, 3);
    double cr = cos(0.3), sr = sin(0.3), cp = cos(-0.7), sp = sin(-0.7), cy = cos(1.9),
           sy = sin(1.9);
    assert_near(sn_rotate(b.rotation, sn_vec3_make(1, 0, 0)), cy * cp, sy * cp, -sp);
    assert_near(sn_rotate(b.rotation, sn_vec3_make(0, 0, 1)), cy * sp * cr + sy * sr,
                sy * sp * cr - cy * sr, cp * cr);
    sn_world_destroy(world);
}

// Every type of joint, at a pose: the child stands where its freedoms put it.
static void joints_of_every_type(void **state)
{
    (void)state;
    const char *urdf = ROBOT(
        LINK("base") LINK("fixed") LINK("turning") LINK("sliding") LINK("gliding") LINK("flying")
            JOINT("f", "fixed", ENDS("base", "fixed") "<origin xyz='0 0 1'/>") JOINT(
                "t", "revolute",
                ENDS("base", "turning") "<origin xyz='1 0 0'/><axis xyz='0 0 3'/>"
                                        "<limit lower='-2' upper='2' effort='1' velocity='1'/>")
                JOINT("s", "prismatic",
                      ENDS("base", "sliding") "<axis xyz='0 -1 0'/><limit lower='-1' upper='1' "
                                              "effort='1' velocity='1'/>")
                    JOINT("g", "planar", ENDS("base", "gliding") "<axis xyz='0 0 1'/>")
                        JOINT("y", "floating", ENDS("base", "flying")));
    sn_world *world = build_text(
        SCENE(", \"name\": \"m\", \"position\": [10, 0, 0], \"rotation\": {\"axis\": [0, 0, 1], "
              "\"angle\": \"90deg\"}, \"pose\": {\"t\": \"90deg\", \"s\": \"25cm\", "
              "\"g\": [0.1, \"20cm\", \"30deg\"], \"y\": [1, 2, 3, 0, 0, \"60deg\"]}"),
        urdf);
    assert_int_equal(sn_world_joint_count(world), 6); // and the mount
    assert_near(frame_of(world, "m/base").position, 10, 0, 0);
    assert_near(frame_of(world, "m/fixed").position, 10, 0, 1);
    assert_near(frame_of(world, "m/turning").position, 10, 1, 0);
    assert_near(sn_rotate(frame_of(world, "m/turning").rotation, sn_vec3_make(1, 0, 0)), -1, 0, 0);
    assert_near(frame_of(world, "m/sliding").position, 10.25, 0, 0);
    assert_near(frame_of(world, "m/gliding").position, 9.8, 0.1, 0);
    assert_near(frame_of(world, "m/flying").position, 8, 1, 3);
    static const char *const names[] = {"m/t", "m/s", "m/g", "m/y"};
    static const double expected[4][6] = {
        {PI / 2}, {0.25}, {0.1, 0.2, PI / 6}, {1, 2, 3, 0, 0, PI / 3}};
    for (int i = 0; i < 4; ++i) {
        sn_joint joint = sn_world_find_joint(world, names[i]);
        int freedoms = sn_joint_type_freedoms(sn_joint_get_type(world, joint));
        for (int k = 0; k < freedoms; ++k) {
            assert_true(fabs(sn_joint_position(world, joint, k) - expected[i][k]) < 1e-12);
        }
    }
    sn_world_destroy(world);
}

// What acts in the freedoms is as if written in the scene: one text says the same as the other.
static void freedoms_are_as_in_scenes(void **state)
{
    (void)state;
    sn_scene *scene = load(
        SCENE(", \"name\": \"h\", \"pose\": {\"lead\": 0.4}"),
        ROBOT(
            LINK("a") LINK("b") LINK("c") LINK("d") JOINT(
                "lead", "revolute",
                ENDS("a", "b") "<limit lower='-1' upper='1e30' effort='7' velocity='9'/>"
                               "<dynamics damping='0.5' friction='0.25'/>")
                JOINT(
                    "follow", "prismatic",
                    ENDS("a",
                         "c") "<axis xyz='0 0 1'/><limit lower='-3' upper='3'/><mimic joint='lead' "
                              "multiplier='-2' offset='0.1'/>")
                    JOINT("still", "continuous",
                          ENDS("a", "d") "<mimic joint='lead' multiplier='0' offset='1'/>")));
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, &error), SN_OK);
    static const char *const expected[] = {"\"damping\": 0.5,",
                                           "\"friction\": 0.25,",
                                           "\"lower\": -1\n",
                                           "\"lower\": -3,",
                                           "\"a\": \"h/follow\",",
                                           "\"b\": \"h/lead\",",
                                           "\"ratio\": -2",
                                           "\"name\": \"h/still_mimic\",\n      \"terms\": [",
                                           "\"joint\": \"h/still\",\n          \"factor\": 1"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        if (strstr(text, expected[i]) == NULL) {
            fail_msg("%s is not in\n%s", expected[i], text);
        }
    }
    assert_null(strstr(text, "1e30"));
    sn_world *world = build(scene);
    assert_true(fabs(read_probe(world, "h/follow", SN_QUANTITY_JOINT_POSITION) + 0.7) < 1e-12);
    assert_true(fabs(read_probe(world, "h/still", SN_QUANTITY_JOINT_POSITION) - 1.0) < 1e-12);
    // The follower falls and turns its leader.
    advance(world, 0.001, 200);
    double lead = read_probe(world, "h/lead", SN_QUANTITY_JOINT_POSITION);
    assert_true(lead > 0.41);
    double follow = read_probe(world, "h/follow", SN_QUANTITY_JOINT_POSITION);
    assert_true(fabs(follow + 2.0 * lead - 0.1) < 1e-9);
    sn_world_destroy(world);
    sn_scene_free_text(text);
    sn_scene_destroy(scene);
}

// ---- MuJoCo reads the same files ----

static void assert_same_bodies(const mjModel *model, const mjData *data, const sn_world *world)
{
    for (int i = 1; i < model->nbody; ++i) {
        const char *name = mj_id2name(model, mjOBJ_BODY, i);
        sn_body body = sn_world_find_body(world, name);
        assert_true(sn_body_is_valid(world, body));
        assert_true(fabs(sn_body_mass_properties(world, body).mass - model->body_mass[i]) < 1e-12);
        sn_vec3 centre = sn_body_centre(world, body), frame = frame_of(world, name).position;
        for (int k = 0; k < 3; ++k) {
            assert_true(fabs((&centre.x)[k] - data->xipos[3 * i + k]) < 1e-12);
            assert_true(fabs((&frame.x)[k] - data->xpos[3 * i + k]) < 1e-12);
        }
    }
}

// MuJoCo's dry friction is another one, so that both do without.
static char *read_without_friction(const char *path)
{
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    assert_int_equal(sn_path_read(path, 1 << 20, &text, &length, &error), SN_OK);
    for (char *at = strstr(text, "friction="); at != NULL; at = strstr(at, "friction=")) {
        memcpy(at, "fiction_=", 9);
    }
    return text;
}

// Same places at a pose, and the same motion from it under gravity: masses, inertias, axes and
// dampers all enter.
static void assert_same_motion(const char *path, const char *text, const double *pose,
                               double tolerance)
{
    char message[500] = "";
    mjModel *model = mj_loadXML(path, NULL, message, sizeof message);
    if (model == NULL) {
        fail_msg("%s", message);
        return;
    }
    model->opt.timestep = 1e-4;
    model->opt.integrator = mjINT_RK4;
    model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    mjData *data = mj_makeData(model);
    char *urdf = read_without_friction(path);
    sn_scene *scene = load(text, urdf);
    sn_world *world = build(scene);
    assert_int_equal(sn_world_freedom_count(world), model->nv);
    for (int i = 0; i < model->nq; ++i) {
        data->qpos[i] = pose[i];
    }
    mj_forward(model, data);
    assert_same_bodies(model, data, world);
    for (int i = 0; i < 3000; ++i) {
        mj_step(model, data);
    }
    advance(world, 0.01, 30);
    for (int i = 0; i < model->njnt; ++i) {
        const char *name = mj_id2name(model, mjOBJ_JOINT, i);
        double ours = read_probe(world, name, SN_QUANTITY_JOINT_POSITION);
        assert_true(fabs(ours - pose[i]) > 1e-4); // it moved
        if (!(fabs(ours - data->qpos[i]) < tolerance)) {
            fail_msg("%s: %.12g, MuJoCo has %.12g", name, ours, data->qpos[i]);
        }
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_free(urdf);
    mj_deleteData(data);
    mj_deleteModel(model);
}

#define PRECISE(pose)                                                                              \
    "{\"sinew\": 1, \"run\": {\"policy\": \"precise\", \"relative_tolerance\": 1e-13}, "           \
    "\"robots\": [{\"file\": \"r.urdf\", " pose "}]}"

static void mujoco_agrees(void **state)
{
    (void)state;
    // In the order of MuJoCo's joints: depth first. Its principal axes have an error of 1e-7.
    const double tree[] = {0.4, -0.8, 0.1, 0.7};
    assert_same_motion("tests/data/urdf/tree.urdf",
                       PRECISE("\"pose\": {\"turn\": 0.4, \"left_hinge\": -0.8, \"slide\": 0.1, "
                               "\"right_hinge\": 0.7}"),
                       tree, 1e-7);
    const double arm[] = {0.5, 0.4, -0.9, 1.1, 0.6, -2};
    assert_same_motion("scenes/robot-arm.urdf",
                       PRECISE("\"pose\": {\"turn\": 0.5, \"shoulder_pitch\": 0.4, \"elbow\": "
                               "-0.9, \"forearm_roll\": 1.1, \"wrist_bend\": 0.6, "
                               "\"flange_roll\": -2}"),
                       arm, 1e-10);
}

// ---- bases ----

static void roots_without_mass(void **state)
{
    (void)state;
    // The link "world" is the world itself.
    sn_world *world =
        build_text(SCENE(", \"position\": [0, 0, 5]"),
                   ROBOT("<link name='world'/>" LINK("a") JOINT(
                       "j", "revolute",
                       ENDS("world", "a") "<origin xyz='1 0 0'/><limit lower='-1' upper='1'/>")));
    assert_int_equal(sn_world_body_count(world), 1);
    assert_near(frame_of(world, "a").position, 1, 0, 5);
    assert_false(sn_body_is_valid(world, sn_joint_parent(world, sn_world_find_joint(world, "j"))));
    sn_world_destroy(world);
    // Of a free base without mass, the first body that is fixed to it carries the rest.
    const char *footprint = ROBOT(
        "<link name='footprint'><visual><origin xyz='0 0 1'/><geometry><sphere radius='0.1'/>"
        "</geometry></visual></link><link name='middle'/>" LINK("body") LINK("arm")
            JOINT("f", "fixed", ENDS("footprint", "middle") "<origin xyz='0 0 1'/>")
                JOINT("g", "fixed", ENDS("middle", "body") "<origin xyz='1 0 0'/>")
                    JOINT("h", "continuous", ENDS("footprint", "arm") "<origin xyz='0 2 0'/>"));
    world = build_text(SCENE(", \"base\": \"free\", \"position\": [0, 0, 1]"), footprint);
    assert_int_equal(sn_world_body_count(world), 2);
    assert_int_equal(sn_world_joint_count(world), 1);
    assert_near(frame_of(world, "body").position, 1, 0, 2);
    assert_near(frame_of(world, "arm").position, 0, 2, 1);
    sn_body body = sn_world_find_body(world, "body");
    assert_int_equal(sn_body_shape_count(world, body), 1);
    assert_near(sn_body_shape(world, body, 0)->frame.position, -1, 0, 0);
    advance(world, 0.01, 10);
    assert_true(frame_of(world, "body").position.z < 1.96); // falls
    sn_world_destroy(world);
    // Held by the world, the same links without mass stand still as bodies of their own.
    world = build_text(SCENE(""), footprint);
    assert_int_equal(sn_world_body_count(world), 4);
    assert_int_equal(sn_body_get_type(world, sn_world_find_body(world, "middle")), SN_BODY_STATIC);
    advance(world, 0.01, 10);
    assert_near(frame_of(world, "body").position, 1, 0, 1);
    sn_world_destroy(world);
}

// The mount of a root with mass carries the robot's weight.
static void mounts_hold(void **state)
{
    (void)state;
    sn_world *world = build_text(
        SCENE(", \"name\": \"r\", \"position\": [1, 2, 3]"),
        ROBOT(LINK("a") LINK("b") JOINT("j", "fixed", ENDS("a", "b") "<origin xyz='0 0 1'/>")));
    assert_near(frame_of(world, "r/b").position, 1, 2, 4);
    assert_int_equal(sn_joint_get_type(world, sn_world_find_joint(world, "r/mount")),
                     SN_JOINT_FIXED);
    advance(world, 0.01, 10);
    assert_near(frame_of(world, "r/b").position, 1, 2, 4);
    sn_world_destroy(world);
}

// ---- robots in scenes ----

static const char *const two_links =
    ROBOT(LINK("a") LINK("b") JOINT("swing", "revolute",
                                    ENDS("a", "b") "<origin xyz='0 0 1'/><axis xyz='0 1 0'/>"
                                                   "<limit lower='-1' upper='2'/>"));

// Params turn poses, and what does not fit leaves the pose before.
static void params_turn_poses(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\": 1, \"params\": {\"angle\": {\"value\": 30, \"unit\": \"deg\"}, "
             "\"up\": {\"value\": 2}}, \"robots\": [{\"file\": \"r\", \"position\": [0, 0, "
             "\"=up\"], \"pose\": {\"swing\": \"=angle\"}}]}",
             two_links);
    const double angles[] = {30, 90, 90};
    const double turns[] = {90, 150, -70}; // the last two are beyond the limits
    for (int i = 0; i < 3; ++i) {
        sn_world *world = build(scene);
        double position = read_probe(world, "swing", SN_QUANTITY_JOINT_POSITION);
        assert_true(fabs(position - angles[i] * PI / 180.0) < 1e-12);
        assert_near(frame_of(world, "b").position, 0, 0, 3);
        sn_world_destroy(world);
        sn_error error = {0};
        sn_status status = sn_scene_set_param(scene, "angle", turns[i], &error);
        assert_int_equal(status, i == 0 ? SN_OK : SN_ERROR_SCENE);
        assert_true(i == 0 || strstr(error.text, "beyond its limits") != NULL);
    }
    sn_scene_destroy(scene);
}

// Bodies, joints, springs, probes and events of the scene refer to the robot's parts.
static void scenes_refer_to_parts(void **state)
{
    (void)state;
    const char *text =
        "{\"sinew\": 1, \"robots\": [{\"name\": \"one\", \"file\": \"r\"}, {\"name\": \"two\", "
        "\"file\": \"r\", \"position\": [3, 0, 0]}],"
        "\"bodies\": [{\"name\": \"load\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
        "\"position\": [0, 0, 2]}],"
        "\"joints\": [{\"name\": \"hook\", \"type\": \"ball\", \"parent\": \"one/b\", \"child\": "
        "\"load\"}],"
        "\"fields\": [{\"type\": \"spring\", \"a\": \"one/b\", \"b\": \"two/b\", \"stiffness\": "
        "5, \"point_a\": [0, 0, 0.5], \"point_b\": [0, 0, 0.5], \"rest_length\": 1}],"
        "\"probes\": [{\"name\": \"p\", \"of\": \"two/swing\", \"quantity\": \"joint.position\"}],"
        "\"events\": [{\"name\": \"e\", \"of\": \"one/swing\", \"quantity\": \"joint.velocity\", "
        "\"threshold\": \"1 rad/s\"}]}";
    sn_scene *scene = load(text, two_links);
    sn_world *world = build(scene);
    assert_int_equal(sn_world_body_count(world), 5);
    assert_int_equal(sn_world_joint_count(world), 5);
    advance(world, 0.01, 20);
    sn_named_probe probe;
    sn_error error = {0};
    assert_int_equal(sn_scene_probe(scene, world, 0, &probe, &error), SN_OK);
    assert_true(sn_probe_read(world, &probe.probe) < -0.01); // pulled towards the other
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

#define BAR(name, x, z)                                                                            \
    "<link name='" name "'><inertial><origin xyz='" x " 0 " z "'/><mass value='2'/><inertia "      \
    "ixx='0.3' iyy='0.4' izz='0.5'/></inertial></link>"
#define ABOUT_Y "<axis xyz='0 1 0'/>"

// A parallelogram: the file has its tree, the scene the joint that closes it.
static void scenes_close_loops(void **state)
{
    (void)state;
    const char *urdf =
        ROBOT("<link name='base'/>" BAR("crank", "0", "0.5") BAR("coupler", "1", "0")
                  BAR("rocker", "0", "0.5")
                      JOINT("crank_joint", "continuous", ENDS("base", "crank") ABOUT_Y)
                          JOINT("coupler_joint", "continuous",
                                ENDS("crank", "coupler") ABOUT_Y "<origin xyz='0 0 1'/>")
                              JOINT("rocker_joint", "continuous",
                                    ENDS("base", "rocker") ABOUT_Y "<origin xyz='2 0 0'/>"));
    sn_scene *scene = load(
        "{\"sinew\": 1, \"robots\": [{\"name\": \"m\", \"file\": \"r\", \"pose\": "
        "{\"crank_joint\": 0.5, \"coupler_joint\": -0.5, \"rocker_joint\": 0.5}}], \"joints\": "
        "[{\"name\": \"close\", \"type\": \"hinge\", \"parent\": \"m/coupler\", \"child\": "
        "\"m/rocker\", \"axis\": [0, 1, 0], \"at\": [\"=2+sin(0.5)\", 0, \"=cos(0.5)\"]}]}",
        urdf);
    sn_world *world = build(scene);
    assert_int_equal(sn_world_freedom_count(world), 1);
    advance(world, 0.001, 400);
    double crank = read_probe(world, "m/crank_joint", SN_QUANTITY_JOINT_POSITION);
    assert_true(crank > 0.8);
    assert_true(fabs(read_probe(world, "m/coupler_joint", SN_QUANTITY_JOINT_POSITION) + crank) <
                1e-8);
    assert_true(fabs(read_probe(world, "m/rocker_joint", SN_QUANTITY_JOINT_POSITION) - crank) <
                1e-8);
    sn_world_destroy(world);
    // Written as URDF, the tree is there and the loop is told.
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    sn_error_list left_out = {0};
    assert_int_equal(sn_scene_urdf_text(scene, NULL, &text, &length, &left_out, &error), SN_OK);
    assert_non_null(strstr(left_out.items[0].text, "\"m/coupler\" and \"m/rocker\": it closes a "
                                                   "loop"));
    assert_int_equal(left_out.count, 2); // and the pose
    sn_error_list_free(&left_out);
    sn_scene_free_text(text);
    sn_scene_destroy(scene);
}

// The resolved text has no robots, only what they became, and moves in the same way to the bit.
static void resolved_scenes_are_the_same(void **state)
{
    (void)state;
    static const char *const paths[] = {"scenes/robot-arm.urdf", "tests/data/urdf/tree.urdf",
                                        "tests/data/urdf/robot_pack/urdf/meshes.urdf"};
    for (int i = 0; i < 3; ++i) {
        sn_scene *scene = load_file(paths[i]), *again = NULL;
        char *text = NULL;
        size_t length = 0;
        sn_error error = {0};
        assert_int_equal(sn_scene_resolved_text(scene, &text, &length, &error), SN_OK);
        assert_null(strstr(text, "robots"));
        sn_error_list errors = {0};
        sn_status status = sn_scene_load_text("again", text, length, NULL, &again, &errors);
        print_errors(&errors);
        assert_int_equal(status, SN_OK);
        assert_string_equal(sn_scene_name(scene), sn_scene_name(again));
        sn_world *first = build(scene), *second = build(again);
        advance(first, 0.001, 20);
        advance(second, 0.001, 20);
        assert_int_equal(sn_world_hash(first), sn_world_hash(second));
        sn_world_destroy(first);
        sn_world_destroy(second);
        sn_scene_free_text(text);
        sn_scene_destroy(scene);
        sn_scene_destroy(again);
    }
}

// ---- shapes ----

static void shapes_and_colours(void **state)
{
    (void)state;
    const char *urdf = ROBOT(
        "<material name='blue'><color rgba='0 0.2 1 0.5'/></material>"
        "<link name='a'>" SOLID
        "<visual><origin xyz='0 0 1'/><geometry><cylinder radius='0.1' length='0.4'/></geometry>"
        "<material name='blue'/></visual>"
        "<visual><geometry><box size='1 2 3'/></geometry></visual>"
        "<collision><geometry><sphere radius='0.7'/></geometry></collision></link>"
        "<link name='b'>" SOLID
        "<collision><geometry><sphere radius='0.3'/></geometry></collision></link>" JOINT(
            "j", "fixed", ENDS("a", "b")));
    sn_world *world = build_text(SCENE(""), urdf);
    sn_body a = sn_world_find_body(world, "a"), b = sn_world_find_body(world, "b");
    assert_int_equal(sn_body_shape_count(world, a), 3);
    const sn_shape *shape = sn_body_shape(world, a, 0);
    assert_int_equal(shape->type, SN_SHAPE_CYLINDER);
    assert_true(shape->radius == 0.1 && shape->height == 0.4);
    assert_int_equal(shape->colour, 0x0033ff);
    assert_near(shape->frame.position, 0, 0, 1);
    assert_int_equal(shape->role, SN_ROLE_VISUAL);
    assert_near(sn_body_shape(world, a, 1)->size, 1, 2, 3);
    assert_int_equal(sn_body_shape(world, a, 1)->role, SN_ROLE_VISUAL);
    assert_true(sn_body_shape(world, a, 2)->radius == 0.7);
    assert_int_equal(sn_body_shape(world, a, 2)->role, SN_ROLE_COLLISION);
    assert_int_equal(sn_body_shape(world, b, 0)->role, SN_ROLE_COLLISION);
    sn_world_destroy(world);
    world = build_text(SCENE(", \"geometry\": \"visual\""), urdf);
    a = sn_world_find_body(world, "a");
    b = sn_world_find_body(world, "b");
    assert_int_equal(sn_body_shape_count(world, a), 2);
    assert_int_equal(sn_body_shape(world, a, 0)->role, SN_ROLE_BOTH);
    assert_true(sn_body_shape(world, b, 0)->radius == 0.3); // it has no other
    assert_int_equal(sn_body_shape(world, b, 0)->role, SN_ROLE_BOTH);
    sn_world_destroy(world);
    world = build_text(SCENE(", \"geometry\": \"collision\""), urdf);
    a = sn_world_find_body(world, "a");
    assert_int_equal(sn_body_shape_count(world, a), 1);
    assert_true(sn_body_shape(world, a, 0)->radius == 0.7);
    assert_int_equal(sn_body_shape(world, a, 0)->role, SN_ROLE_BOTH);
    sn_world_destroy(world);
}

// Packages are found above the file; scales may mirror; a mesh that touches becomes its hull.
static void meshes_are_found(void **state)
{
    (void)state;
    sn_scene *scene = load_file("tests/data/urdf/robot_pack/urdf/meshes.urdf");
    sn_world *world = build(scene);
    sn_body base = sn_world_find_body(world, "base");
    sn_aabb box = sn_mesh_bounds(sn_body_shape(world, base, 0)->mesh);
    assert_near(box.lower, 0, 0, 0);
    assert_near(box.upper, 0.1, 0.1, 0.1);
    sn_body mirrored = sn_world_find_body(world, "mirrored");
    const sn_shape *shape = sn_body_shape(world, mirrored, 0);
    box = sn_mesh_bounds(shape->mesh);
    assert_near(box.lower, 0, -0.2, 0);
    assert_int_equal(shape->colour, 0xff0080);
    sn_mass_properties mass;
    sn_error error = {0};
    assert_int_equal(sn_mesh_mass_properties(shape->mesh, 1.0, &mass, &error), SN_OK);
    assert_true(fabs(mass.mass - 0.008 / 6.0) < 1e-15);
    sn_body open = sn_world_find_body(world, "open");
    assert_int_equal(sn_mesh_triangle_count(sn_body_shape(world, open, 0)->mesh), 4);
    assert_int_equal(sn_body_shape(world, open, 0)->type, SN_SHAPE_HULL);
    assert_int_equal(sn_scene_notes(scene)->count, 0);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- mistakes ----

typedef struct mistake {
    const char *urdf, *place, *text;
} mistake;

#define A_B         LINK("a") LINK("b")
#define ONE(joint)  ROBOT(A_B joint)
#define INERTIA(in) ROBOT("<link name='a'><inertial>" in "</inertial></link>")
#define MASS        "<mass value='1'/>"
#define SHAPE(in)                                                                                  \
    ROBOT("<link name='a'>" SOLID "<visual><geometry>" in "</geometry></visual></link>")

static const mistake mistakes[] = {
    {"<robot>", "r:1:8", "this is not XML: no element found inside <robot>"},
    {"<robot><link></robot>", "r:1:16", "mismatched tag inside <link>"},
    {"<!DOCTYPE robot [<!ENTITY a 'b'>]><robot/>", "r:1:17", "a document type"},
    {"\n <machine/>", "r:2:2", "the outermost element is <machine>, expected <robot>"},
    {"<robot><xacro:include/></robot>", "r:1:8", "this is a xacro file"},
    {"<robot/>", "r:1:1", "the robot has no links"},
    {ROBOT("<link/>"), "r:1:17", "a <link> needs the attribute \"name\""},
    {ROBOT("<link name='a'/><link name='a'/>"), "r:1:33",
     "the link \"a\" has the name of the one at r:1:17"},
    {ROBOT(A_B), NULL, "2 links have no parent (\"a\", \"b\"), expected one: the root"},
    {ONE(JOINT("j", "hinge", ENDS("a", "b"))), NULL,
     "no joint has the type \"hinge\"; expected fixed, revolute"},
    {ONE(JOINT("j", "revolut", ENDS("a", "b"))), NULL, "did you mean \"revolute\"?"},
    {ONE(JOINT("j", "fixed", "<parent link='a'/>")), NULL, "a <joint> needs <child link="},
    {ONE(JOINT("j", "fixed", ENDS("a", "c"))), NULL, "there is no link \"c\""},
    {ROBOT(LINK("arm") LINK("hand") JOINT("j", "fixed", ENDS("arm", "hnad"))), NULL,
     "there is no link \"hnad\"; did you mean \"hand\"?"},
    {ONE(JOINT("j", "fixed", ENDS("a", "a"))), NULL, "\"j\" joins \"a\" to itself"},
    {ONE(JOINT("j", "fixed", ENDS("a", "b")) JOINT("k", "fixed", ENDS("a", "b"))), NULL,
     "\"b\" has a parent already, by \"j\" at r:1:"},
    {ONE(JOINT("j", "fixed", ENDS("a", "b")) JOINT("k", "fixed", ENDS("b", "a"))), "r:1:1",
     "every link has a parent, expected one that has none: the root"},
    {ROBOT(LINK("r") A_B LINK("c") JOINT("i", "fixed", ENDS("a", "c"))
               JOINT("j", "fixed", ENDS("a", "b")) JOINT("k", "fixed", ENDS("b", "a"))),
     NULL, "links hang on each other in a circle: "},
    {ONE(JOINT("j", "continuous", ENDS("a", "b") "<axis xyz='0 0 0'/>")), NULL,
     "the axis of \"j\" has no direction"},
    {ONE(JOINT("j", "continuous", ENDS("a", "b") "<axis xyz='0 1'/>")), NULL,
     "\"xyz\" of <axis>: expected 3 finite numbers, got \"0 1\""},
    {ONE(JOINT("j", "continuous", ENDS("a", "b") "<origin xyz='0 nan 1'/>")), NULL,
     "expected 3 finite numbers, got \"0 nan 1\""},
    {ONE(JOINT("j", "continuous", ENDS("a", "b") "<origin xyz='0 . 1'/>")), NULL,
     "expected 3 finite numbers, got \"0 . 1\""},
    {ONE(JOINT("j", "continuous", ENDS("a", "b") "<origin/><origin/>")), NULL,
     "a second <origin> in a <joint>"},
    {ONE(JOINT("j", "revolute", ENDS("a", "b"))), NULL, "\"j\" needs <limit lower="},
    {ONE(JOINT("j", "revolute", ENDS("a", "b") "<limit lower='1' upper='-1'/>")), NULL,
     "the lower limit 1 of \"j\" is above the upper one, -1"},
    {ONE(JOINT("j", "continuous", ENDS("a", "b") "<dynamics damping='-1'/>")), NULL,
     "\"damping\" of <dynamics> must not be negative, got -1"},
    {ONE(JOINT("j", "continuous", ENDS("a", "b") "<mimic joint='k'/>")), NULL,
     "there is no joint \"k\""},
    {ONE(JOINT("j", "continuous", ENDS("a", "b") "<mimic joint='j'/>")), NULL,
     "joints follow each other in a circle"},
    {ONE(JOINT("j", "floating", ENDS("a", "b") "<mimic joint='j'/>")), NULL,
     "expected both to turn about an axis or slide along one"},
    {INERTIA(MASS), NULL, "the <inertial> of \"a\" needs <inertia>"},
    {INERTIA("<mass value='-2'/><inertia ixx='1' iyy='1' izz='1'/>"), NULL,
     "the mass of \"a\" must be greater than 0, got -2"},
    {INERTIA(MASS "<inertia ixx='1' iyy='-1' izz='1'/>"), NULL,
     "the moments of inertia of \"a\" must not be negative, nor all 0, got 1, -1, 1"},
    {INERTIA(MASS "<inertia ixx='0' iyy='0' izz='0'/>"), NULL, "nor all 0, got 0, 0, 0"},
    {INERTIA(MASS "<inertia ixx='1' iyy='1' izz='1' ixy='3'/>"), NULL, "link \"a\": principal"},
    {INERTIA(MASS "<inertia ixx='1' iyy='1' izz='5'/>"), NULL, "larger than the sum of"},
    {INERTIA(MASS "<inertia ixx='1' iyy='1'/>"), NULL, "a <inertia> needs the attribute \"izz\""},
    {ROBOT("<link name='a'/><link name='b'/>" JOINT("j", "continuous", ENDS("a", "b"))), NULL,
     "the link \"b\" moves on the joint \"j\" but has no mass"},
    {SHAPE("<box size='1 2'/>"), NULL, "\"size\" of <box>: expected 3 finite numbers"},
    {SHAPE("<box size='1 2 0'/>"), NULL, "\"size\" of <box> must be greater than 0, got 0"},
    {SHAPE("<sphere/>"), NULL, "a <sphere> needs the attribute \"radius\""},
    {SHAPE("<capsule/>"), NULL, "a <capsule> needs the attribute \"radius\""},
    {SHAPE("<cone/>"), NULL, "<cone> is no geometry, expected <box>"},
    {SHAPE(""), NULL, "a <visual> needs one <geometry> of"},
    {SHAPE("<mesh filename='nowhere.stl'/>"), NULL,
     "the mesh \"nowhere.stl\" is not found (no file \"nowhere.stl\" nor in any folder above)"},
    {SHAPE("<mesh filename='package://p/nowhere.stl'/>"), NULL,
     "is not found (no package \"p\" with it from \".\" upwards"},
    {SHAPE("<mesh filename='http://p/nowhere.stl'/>"), NULL,
     "it cannot be reached, expected package"},
    {SHAPE("<mesh filename='a.stl' scale='1 0 1'/>"), NULL, "\"scale\" of <mesh> flattens it"},
    {ROBOT(LINK("world")), "r:1:17", "\"world\" has a meaning of its own"},
};

static void every_mistake_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        const mistake *m = &mistakes[i];
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_scene_options strict = {.strict = true}; // others are in urdf_real_test.c
        sn_status status =
            sn_scene_load_text("r", m->urdf, strlen(m->urdf), &strict, &scene, &errors);
        assert_int_not_equal(status, SN_OK);
        assert_null(scene);
        bool found = false;
        for (int k = 0; k < errors.count; ++k) {
            found = found || (strstr(errors.items[k].text, m->text) != NULL &&
                              (m->place == NULL || strcmp(errors.items[k].place, m->place) == 0));
            assert_true(strncmp(errors.items[k].place, "r:1:", 4) == 0 ||
                        strncmp(errors.items[k].place, "r:2:", 4) == 0);
        }
        if (!found) {
            print_errors(&errors);
            fail_msg("expected %s: %s", m->place != NULL ? m->place : "", m->text);
        }
        sn_error_list_free(&errors);
    }
}

static const mistake scene_mistakes[] = {
    {", \"pose\": {\"swng\": 1}", "t:1:53",
     "has no joint \"swng\" that moves; did you mean \"swing\"?"},
    {", \"pose\": {\"swing\": [1, 2]}", "t:1:53", "\"swing\" has 1 freedom, got 2 numbers"},
    {", \"pose\": {\"swing\": \"1 m\"}", "t:1:62", "\"swing\": expected an angle"},
    {", \"pose\": {\"swing\": 3}", "t:1:62", "\"swing\" stands at 3, beyond its limits -1 and 2"},
    {", \"pose\": 3", NULL, "an object with a number for every name"},
    {", \"base\": \"loose\"", NULL, "\"base\": got \"loose\""},
};

static void scene_mistakes_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scene_mistakes / sizeof *scene_mistakes; ++i) {
        const mistake *m = &scene_mistakes[i];
        char text[300];
        snprintf(text, sizeof text, SCENE("%s"), m->urdf);
        sn_scene_options options = {.find = find, .user = (void *)two_links};
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_equal(sn_scene_load_text("t", text, strlen(text), &options, &scene, &errors),
                         SN_ERROR_SCENE);
        if (errors.count != 1 || strstr(errors.items[0].text, m->text) == NULL ||
            (m->place != NULL && strcmp(errors.items[0].place, m->place) != 0)) {
            print_errors(&errors);
            fail_msg("expected %s: %s", m->place != NULL ? m->place : "", m->text);
        }
        sn_error_list_free(&errors);
    }
    // A file that is not there, with the place of its name and a guess.
    const char *text = "{\"sinew\": 1, \"robots\": [{\"file\": \"scenes/robot-arn.urdf\"}]}";
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    assert_int_equal(sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors),
                     SN_ERROR_SCENE);
    assert_string_equal(errors.items[0].place, "t:1:34");
    assert_non_null(strstr(errors.items[0].text, "did you mean \"robot-arm.urdf\"?"));
    sn_error_list_free(&errors);
}

// What is skipped is told once for each kind, with a guess where a slip is likely.
static void skipped_elements_are_noted(void **state)
{
    (void)state;
    sn_scene *scene = load(
        "<robot version='2'>\n<link name='a'><inertail/></link>\n<gazebo/>\n<gazebo/>"
        "<link name='frame'/>" LINK("b") LINK("both") JOINT("f", "fixed", ENDS("b", "frame"))
            JOINT("both", "continuous", ENDS("b", "both"))
                JOINT("j", "revolute",
                      ENDS("a", "b") "<limit lower='1' upper='2'/><safety_controller/>") "</robot>",
        NULL);
    static const char *const expected[] = {
        "version \"2\"",
        "1 <inertail> in <link> skipped: not part of the mechanism; did you mean <inertial>?",
        "2 <gazebo> in <robot> skipped",
        "1 <safety_controller> in <joint> skipped",
        "the link \"frame\" has no mass: it is a part of \"b\"",
        "the joint becomes \"both_joint\"",
        "0 is beyond the limits of \"j\": it starts at 1.5",
    };
    const sn_error_list *notes = sn_scene_notes(scene);
    for (int i = 0; i < 7; ++i) {
        bool found = false;
        for (int k = 0; k < notes->count; ++k) {
            found = found || strstr(notes->items[k].text, expected[i]) != NULL;
        }
        if (!found) {
            fail_msg("no note says: %s", expected[i]);
        }
    }
    assert_int_equal(notes->count, 7);
    sn_world *world = build(scene);
    assert_true(fabs(read_probe(world, "j", SN_QUANTITY_JOINT_POSITION) - 1.5) < 1e-12);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- XML ----

static void xml_has_limits(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_error error = {0};
    sn_xml_element *root = NULL;
    char deep[1024] = "";
    for (int i = 0; i < 65; ++i) {
        memcpy(deep + 3 * i, "<a>", 4);
    }
    assert_int_equal(sn_xml_read("x", deep, strlen(deep), &arena, &root, &error), SN_ERROR_SYNTAX);
    assert_non_null(strstr(error.text, "nested too deep"));
    assert_string_equal(error.place, "x:1:193");
    // Columns count characters, attributes are unescaped, places are those of the tags.
    const char *text = "<r>\n <!-- two -->\n <\xc3\xa4/><b x='&lt;\xc3\xa4&#65;'/></r>";
    assert_int_equal(sn_xml_read("x", text, strlen(text), &arena, &root, &error), SN_OK);
    const sn_xml_element *b = sn_xml_child(root, "b");
    assert_non_null(b);
    assert_int_equal(b->line, 3);
    assert_int_equal(b->column, 6);
    assert_string_equal(sn_xml_attribute_value(b, "x"), "<\xc3\xa4"
                                                        "A");
    assert_null(sn_xml_attribute_value(b, "y"));
    assert_null(sn_xml_child(b, "c"));
    assert_int_equal(sn_xml_read("x", text, (size_t)SN_XML_SIZE_LIMIT + 1, &arena, &root, &error),
                     SN_ERROR_FILE);
    sn_arena_free(&arena);
}

// ---- memory ----

static void memory_runs_out_anywhere(void **state)
{
    (void)state;
    static const char *const text =
        "{\"sinew\": 1, \"params\": {\"a\": {\"value\": 0.2}}, \"robots\": [{\"name\": \"arm\", "
        "\"file\": \"scenes/robot-arm.urdf\", \"pose\": {\"elbow\": \"=a\"}}, {\"file\": "
        "\"tests/data/urdf/robot_pack/urdf/meshes.urdf\"}]}";
    bool done = false;
    for (int64_t n = 0; n < 4000 && !done; n += n < 200 ? 1 : 13) {
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_allocation_fail_after(n);
        sn_status status = sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors);
        sn_allocation_fail_after(-1);
        done = status == SN_OK;
        if (!done) {
            // Libraries that read meshes allocate for themselves and cannot always say why.
            assert_null(scene);
            assert_true(status == SN_ERROR_MEMORY || status == SN_ERROR_FILE);
        }
        sn_scene_destroy(scene);
        sn_error_list_free(&errors);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertials_are_turned),
        cmocka_unit_test(angles_are_about_fixed_axes),
        cmocka_unit_test(joints_of_every_type),
        cmocka_unit_test(freedoms_are_as_in_scenes),
        cmocka_unit_test(mujoco_agrees),
        cmocka_unit_test(roots_without_mass),
        cmocka_unit_test(mounts_hold),
        cmocka_unit_test(params_turn_poses),
        cmocka_unit_test(scenes_refer_to_parts),
        cmocka_unit_test(scenes_close_loops),
        cmocka_unit_test(resolved_scenes_are_the_same),
        cmocka_unit_test(shapes_and_colours),
        cmocka_unit_test(meshes_are_found),
        cmocka_unit_test(every_mistake_is_told),
        cmocka_unit_test(scene_mistakes_are_told),
        cmocka_unit_test(skipped_elements_are_noted),
        cmocka_unit_test(xml_has_limits),
        cmocka_unit_test(memory_runs_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
