// Scenes whose joints do something: drives, limits, friction, gears and loops run as closed forms
// say, probes read their forces, params reach a running world, and what cannot be put together is
// told with its place. Texts have ' in place of ".
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/path.h"

typedef struct rig {
    sn_scene *scene;
    sn_world *world;
} rig;

static const char *quoted(const char *text, char *buffer, size_t size)
{
    assert_true(strlen(text) < size);
    size_t i = 0;
    for (; text[i] != '\0'; ++i) {
        buffer[i] = text[i];
        if (text[i] == '\'') {
            buffer[i] = '"';
        }
    }
    buffer[i] = '\0';
    return buffer;
}

static rig make(const char *text)
{
    char buffer[4000];
    rig r = {.scene = load(quoted(text, buffer, sizeof buffer))};
    r.world = build(r.scene);
    return r;
}

static void unmake(rig r)
{
    sn_world_destroy(r.world);
    sn_scene_destroy(r.scene);
}

static double probe(rig r, int index)
{
    sn_named_probe named;
    sn_error error = {0};
    if (sn_scene_probe(r.scene, r.world, index, &named, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    return sn_probe_read(r.world, &named.probe);
}

static void near(double value, double wanted, double slack)
{
    if (!(fabs(value - wanted) <= slack)) {
        fail_msg("%.12g, expected %.12g within %g", value, wanted, slack);
    }
}

#define START       "{'sinew': 1, "
#define STILL       START "'gravity': [0, 0, 0], "
#define SOLID       "'mass': 2, 'inertia': [0.3, 0.4, 0.5]"
#define ONE_BODY    "'bodies': [{'name': 'a', " SOLID "}], "
#define P(of, what) "{'name': '" of " " what "', 'of': '" of "', 'quantity': 'joint." what "'}"

// ---- drives ----

// 6 N on 2 kg: x = 1.5 t^2.
static void force_drives_push(void **state)
{
    (void)state;
    rig r = make(STILL ONE_BODY
                 "'joints': [{'name': 'j', 'type': 'slider', 'child': 'a', 'drive': {'type': "
                 "'force', 'target': '6N'}}], 'probes': [" P("j", "position") ", " P(
                     "j", "drive_force") ", " P("j", "reaction_force.z") "]}");
    advance(r.world, 0.01, 100);
    near(probe(r, 0), 1.5, 1e-9);
    near(probe(r, 1), 6.0, 1e-9);
    near(probe(r, 2), 6.0, 1e-9); // what acts in the freedom is passed on to the child
    unmake(r);
}

// At the target's speed a damper of 0.1 N m s/rad takes 0.4 N m; 4 N bring 2 kg to 1 m/s in half a
// second.
static void velocity_drives_hold_their_speed(void **state)
{
    (void)state;
    rig r =
        make(STILL "'bodies': [{'name': 'a', " SOLID "}, {'name': 'b', " SOLID
                   "}], 'joints': [{'name': 'j', 'type': 'hinge', 'child': 'a', 'damping': "
                   "0.1, 'drive': {'type': 'velocity', 'target': '4 rad/s'}}, {'name': 'w', "
                   "'type': 'slider', 'child': 'b', 'drive': {'type': 'velocity', 'target': "
                   "3, 'force_limit': '4N'}}], 'probes': [" P("j", "velocity") ", " P(
                       "j", "drive_force") ", " P("w", "velocity") ", " P("w", "drive_force") "]"
                                                                                              "}");
    advance(r.world, 0.001, 500);
    near(probe(r, 0), 4.0, 1e-9);
    near(probe(r, 1), 0.4, 1e-6);
    near(probe(r, 2), 1.0, 1e-6);
    near(probe(r, 3), 4.0, 1e-6);
    advance(r.world, 0.001, 1500); // there after 1.5 s
    near(probe(r, 2), 3.0, 1e-9);
    near(probe(r, 3), 0.0, 1e-6);
    unmake(r);
}

// Gains of 200 N/m and 40 N s/m on 2 kg are critical damping: x = 1 - (1 + 10 t) e^(-10 t).
static void position_drives_come_to_rest(void **state)
{
    (void)state;
    rig r = make(STILL ONE_BODY
                 "'run': {'policy': 'precise'}, 'joints': [{'name': 'j', 'type': 'slider', "
                 "'child': 'a', 'drive': {'type': 'position', 'target': '100cm', 'stiffness': "
                 "200, 'damping': 40}}], 'probes': [" P("j", "position") "]}");
    advance(r.world, 0.1, 3);
    near(probe(r, 0), 1.0 - 4.0 * exp(-3.0), 1e-7);
    advance(r.world, 0.1, 30);
    near(probe(r, 0), 1.0, 1e-7);
    unmake(r);
}

// A prescribed motion is followed exactly, and takes m (a + g) of force.
static void motions_are_followed(void **state)
{
    (void)state;
    rig r = make(
        START "'motions': {'lift': {'type': 'smooth', 'points': [[0, 0], [1, '50cm']]}}, " ONE_BODY
              "'joints': [{'name': 'j', 'type': 'slider', 'child': 'a', 'drive': "
              "{'type': 'motion', 'motion': 'lift'}}], 'probes': [" P("j", "position") ", " P(
                  "j", "drive_force") ", " P("j", "velocity") "]}");
    advance(r.world, 0.001, 300);
    // Least jerk: 10 s^3 - 15 s^4 + 6 s^5.
    double s = 0.3, size = 0.5;
    near(probe(r, 0), size * (10 * s * s * s - 15 * s * s * s * s + 6 * s * s * s * s * s), 1e-9);
    near(probe(r, 2), size * (30 * s * s - 60 * s * s * s + 30 * s * s * s * s), 1e-5);
    s -= 0.0005; // of the step's middle
    near(probe(r, 1), 2.0 * (size * (60 * s - 180 * s * s + 120 * s * s * s) + 9.81), 2e-2);
    unmake(r);
}

// ---- limits and friction ----

// It falls by 10 cm, rests on its limit, and the limit bears its weight.
static void limits_bear_weights(void **state)
{
    (void)state;
    rig r = make(START ONE_BODY
                 "'joints': [{'name': 'j', 'type': 'slider', 'child': 'a', 'limit': {'lower': "
                 "'-10cm'}}], 'probes': [" P("j", "position") ", " P("j", "limit_force") ", " P(
                     "j", "velocity") "]}");
    advance(r.world, 0.001, 1000);
    near(probe(r, 0), -0.1, 1e-6);
    near(probe(r, 1), 2.0 * 9.81, 1e-6);
    near(probe(r, 2), 0.0, 1e-9);
    unmake(r);
}

// Thrown at 2 m/s against a limit that gives half of it back.
static void limits_throw_back(void **state)
{
    (void)state;
    rig r = make(STILL "'bodies': [{'name': 'a', 'velocity': [0, 0, 2], " SOLID "}], "
                       "'joints': [{'name': 'j', 'type': 'slider', 'child': 'a', 'limit': "
                       "{'upper': '50cm', 'restitution': 0.5}}], 'probes': [" P(
                           "j", "velocity") ", " P("j", "position") "]}");
    advance(r.world, 0.001, 200);
    near(probe(r, 0), 2.0, 1e-9);
    advance(r.world, 0.001, 200);
    near(probe(r, 0), -1.0, 1e-9);
    near(probe(r, 1), 0.35, 3e-3); // the step in which it meets the limit is not cut
    unmake(r);
}

// A push of 4 N does not move what 5 N of friction hold; 9 N move 2 kg at 2 m/s^2.
static void friction_holds(void **state)
{
    (void)state;
    rig r = make("{'sinew': 1, 'gravity': [0, 0, 0], 'params': {'push': {'value': 4}}, " ONE_BODY
                 "'joints': [{'name': 'j', 'type': 'slider', 'child': 'a', 'friction': '5N', "
                 "'drive': {'type': 'force', 'target': '=push'}}], 'probes': [" P(
                     "j", "position") ", " P("j", "friction_force") "]}");
    advance(r.world, 0.001, 500);
    near(probe(r, 0), 0.0, 1e-9);
    near(probe(r, 1), -4.0, 1e-6);
    assert_int_equal(sn_scene_set_param(r.scene, "push", 9.0, NULL), SN_OK);
    assert_int_equal(sn_scene_update(r.scene, r.world, NULL), SN_OK);
    advance(r.world, 0.001, 1000);
    near(probe(r, 0), 1.0, 2e-3);
    near(probe(r, 1), -5.0, 1e-6);
    unmake(r);
}

// ---- params while it runs ----

// Everything that acts in a freedom reaches the running world: the same as if it had been built so.
static void params_reach_a_running_world(void **state)
{
    (void)state;
    rig r = make("{'sinew': 1, 'params': {'k': {'value': 1}}, " ONE_BODY
                 "'joints': [{'name': 'j', 'type': 'hinge', 'child': 'a', 'stiffness': '=k', "
                 "'damping': '=2*k', 'rest': '=3*k', 'friction': '=4*k', 'limit': {'lower': "
                 "'=-5*k', 'upper': '=6*k', 'stiffness': '=7*k', 'damping': '=8*k'}, 'drive': "
                 "{'type': 'position', 'motion': {'points': [[0, '=9*k']]}, 'stiffness': '=10*k', "
                 "'damping': '=11*k', 'force_limit': '=12*k'}}]}");
    advance(r.world, 0.001, 5);
    for (int i = 1; i <= 3; ++i) {
        assert_int_equal(sn_scene_set_param(r.scene, "k", i, NULL), SN_OK);
        sn_error error = {0};
        if (sn_scene_update(r.scene, r.world, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        sn_freedom_def def = sn_joint_freedom(r.world, sn_world_find_joint(r.world, "j"), 0);
        const double numbers[] = {
            def.stiffness,       def.damping,       def.rest,
            def.friction,        -def.limit.lower,  def.limit.upper,
            def.limit.stiffness, def.limit.damping, sn_motion_at(def.drive.motion, 0.0).value,
            def.drive.stiffness, def.drive.damping, def.drive.force_limit};
        for (int k = 0; k < 12; ++k) {
            near(numbers[k], (k + 1) * i, 0.0);
        }
        advance(r.world, 0.001, 5);
    }
    unmake(r);
}

// ---- gears and loops ----

// A torque T on wheel a, inertia I, with a wheel b that turns 1/ratio as fast: T = (I + I_b /
// ratio^2) times a's acceleration.
static void gears_turn_together(void **state)
{
    (void)state;
    rig r = make(
        STILL "'bodies': [{'name': 'a', " SOLID "}, {'name': 'b', 'position': [1, 0, 0], 'mass': "
              "3, 'inertia': [2, 2, 2]}], 'joints': [{'name': 'j', 'type': 'hinge', 'child': "
              "'a', 'drive': {'type': 'force', 'target': 3}}, {'name': 'k', 'type': 'hinge', "
              "'child': 'b'}], 'couplings': [{'gear': {'a': 'j', 'b': 'k', 'ratio': -2}}], "
              "'probes': [" P("j", "position") ", " P("k", "position") "]}");
    assert_int_equal(sn_world_freedom_count(r.world), 1);
    advance(r.world, 0.001, 1000);
    near(probe(r, 0), 0.5 * 3.0 / (0.5 + 2.0 / 4.0), 1e-6);
    near(probe(r, 0), -2.0 * probe(r, 1), 1e-9);
    assert_int_equal(sn_world_coupling_count(r.world), 1);
    unmake(r);
}

// The turn and the shift of one joint, tied to a screw of 1 cm for each radian.
static void terms_may_be_of_one_joint(void **state)
{
    (void)state;
    rig r = make(STILL ONE_BODY
                 "'joints': [{'name': 'j', 'type': 'cylindrical', 'child': 'a', 'drive': "
                 "{'freedom': 2, 'type': 'force', 'target': 1}}], 'couplings': [{'name': 'c', "
                 "'terms': [{'joint': 'j', 'freedom': 1, 'factor': 1}, {'joint': 'j', 'freedom': "
                 "2, 'factor': '-1 cm/rad'}]}], 'probes': [" P("j", "position") ", " P(
                     "j", "position.2") "]}");
    advance(r.world, 0.001, 1000);
    near(probe(r, 1), 0.5 / (0.5 + 2.0 * 1e-4), 1e-6);
    near(probe(r, 0), 0.01 * probe(r, 1), 1e-9);
    unmake(r);
}

// A body hangs on a hinge: what holds it is its weight, whatever is asked for.
static void reactions_are_read(void **state)
{
    (void)state;
    rig r = make(
        START
        "'bodies': [{'name': 'a', 'position': [0, 0, -1], " SOLID "}], "
        "'joints': [{'name': 'j', 'type': 'hinge', 'child': 'a', 'at': [0, 0, 0], "
        "'axis': [0, 1, 0]}], 'probes': [" P("j", "reaction_force") ", " P(
            "j",
            "reaction_"
            "force.x") ", " P("j",
                              "reaction_force.z") ", " P("j",
                                                         "reaction_torque") ", " P("j",
                                                                                   "drive_"
                                                                                   "force") "]"
                                                                                            "}");
    static const char *const units[] = {"N", "N", "N", "N m", "N m"};
    for (int i = 0; i < 5; ++i) {
        sn_named_probe named;
        assert_int_equal(sn_scene_probe(r.scene, r.world, i, &named, NULL), SN_OK);
        assert_string_equal(sn_probe_unit(r.world, &named.probe), units[i]);
    }
    advance(r.world, 0.001, 10);
    near(probe(r, 0), 19.62, 1e-9);
    near(probe(r, 1), 0.0, 1e-9);
    near(probe(r, 2), 19.62, 1e-9);
    near(probe(r, 3), 0.0, 1e-9);
    unmake(r);
}

// A rod, a wire and a ball: what they hold stays on them.
static void points_stay_on_rods_curves_and_surfaces(void **state)
{
    (void)state;
    rig r = make(
        START "'bodies': [{'name': 'a', 'position': [1, 0, 0], " SOLID "}, {'name': 'b', "
              "'position': [0, 5, 1], " SOLID "}, {'name': 'c', 'position': [0, -5, 0], " SOLID
              "}], 'joints': [{'name': 'rod', 'type': 'distance', 'child': 'a', 'at': [0, 0, 0]}, "
              "{'name': 'ball', 'type': 'surface', 'child': 'b', 'at': [0, 5, 0], 'surface': "
              "{'type': 'sphere', 'radius': 1}}, {'name': 'wire', 'type': 'curve', 'child': 'c', "
              "'curve': {'points': [[0, 0, 0], [1, 0, -1]]}}], 'run': {'step': '1ms'}}");
    assert_int_equal(sn_world_freedom_count(r.world), 5 + 5 + 4);
    advance(r.world, 0.001, 400);
    sn_vec3 a = sn_body_transform(r.world, sn_world_find_body(r.world, "a")).position;
    sn_vec3 b = sn_body_transform(r.world, sn_world_find_body(r.world, "b")).position;
    sn_vec3 c = sn_body_transform(r.world, sn_world_find_body(r.world, "c")).position;
    near(sn_length(a), 1.0, 1e-9);
    assert_true(a.z < -0.5);
    near(sn_distance(b, sn_vec3_make(0, 5, 0)), 1.0, 1e-9);
    near(c.x + c.z, 0.0, 1e-9);
    near(c.z, -0.5 * 0.5 * 9.81 * 0.16, 1e-6); // down a slope of 45 degrees
    unmake(r);
}

// What is written back is the same mechanism to the bit.
static void resolved_scenes_run_the_same(void **state)
{
    (void)state;
    rig one = make(
        START "'motions': {'m': {'points': [[0, 0], [1, 1], [2, 0]], 'repeats': true}}, 'bodies': "
              "[{'name': 'a', " SOLID "}, {'name': 'b', 'position': [1, 0, 0], " SOLID
              "}, {'name': 'c', 'position': [3, 0, 0], " SOLID "}], 'joints': [{'name': 'j', "
              "'type': 'hinge', 'child': 'a', 'axis': [0, 1, 0], 'friction': '50 mN m', 'drive': "
              "{'type': 'position', 'motion': 'm', 'stiffness': 50, 'damping': 5}}, {'name': 'k', "
              "'type': 'hinge', 'parent': 'a', 'child': 'b', 'axis': [0, 1, 0], 'limit': "
              "{'upper': '30deg', 'lower': -0.1, 'restitution': 0.5}}, {'name': 's', 'type': "
              "'slider', 'child': 'c'}], 'couplings': [{'gear': {'a': 's', 'b': 'k', 'ratio': "
              "0.1}}]}");
    char *text = NULL;
    size_t length;
    assert_int_equal(sn_scene_resolved_text(one.scene, &text, &length, NULL), SN_OK);
    rig two = {.scene = load(text)};
    two.world = build(two.scene);
    sn_scene_free_text(text);
    advance(one.world, 0.001, 300);
    advance(two.world, 0.001, 300);
    assert_true(sn_world_hash(one.world) == sn_world_hash(two.world));
    unmake(one);
    unmake(two);
}

// The scene in the guide.
static void guide_has_a_scene_that_runs(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length;
    assert_int_equal(sn_path_read("docs/mechanisms.md", 1 << 20, &text, &length, NULL), SN_OK);
    char *start = strstr(text, "## In scenes\n");
    assert_non_null(start);
    start = strstr(start, "```json\n");
    assert_non_null(start);
    start += strlen("```json\n");
    char *end = strstr(start, "```");
    assert_non_null(end);
    *end = '\0';
    rig r = {.scene = load(start)};
    r.world = build(r.scene);
    sn_free(text);
    advance(r.world, 0.001, 500);
    // The cart has gone, the wheel turned with it.
    double gone = sn_joint_position(r.world, sn_world_find_joint(r.world, "rail"), 0);
    double turned = sn_joint_position(r.world, sn_world_find_joint(r.world, "axle"), 0);
    assert_true(gone > 0.01);
    near(gone, 0.1 * turned, 1e-9);
    near(sn_joint_position(r.world, sn_world_find_joint(r.world, "neck"), 0), SN_PI / 12.0, 1e-9);
    unmake(r);
}

// ---- the scenes that come with the project ----

static rig make_file(const char *path)
{
    rig r = {0};
    assert_int_equal(sn_scene_load_file(path, NULL, &r.scene, NULL), SN_OK);
    r.world = build(r.scene);
    return r;
}

static double position(rig r, const char *joint)
{
    return sn_joint_position(r.world, sn_world_find_joint(r.world, joint), 0);
}

// Published angles at 0.03 s, within what steps of 0.1 ms leave; `sinew verify` has all digits.
static void andrews_squeezer_ends_where_it_should(void **state)
{
    (void)state;
    rig r = make_file("scenes/andrews.json");
    sn_run run = sn_scene_run(r.scene);
    run.policy = SN_POLICY_LOCKSTEP;
    assert_int_equal(sn_scene_set_run(r.scene, &run, NULL), SN_OK);
    sn_world_destroy(r.world);
    r.world = build(r.scene);
    assert_int_equal(sn_world_freedom_count(r.world), 1);
    assert_int_equal(sn_world_mechanism_info(r.world).loops, 3);
    advance(r.world, 0.0001, 300);
    static const struct {
        const char *joint;
        double angle;
    } rows[] = {{"beta", 15.81077119629904},    {"theta", -15.75637105984298},
                {"gamma", 0.04082224013073101}, {"phi", -0.5347301163226948},
                {"delta", 0.5244099658805304},  {"epsilon", 1.048080741042263}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        near(position(r, rows[i].joint), rows[i].angle, i < 2 ? 2e-2 : 5e-4);
    }
    unmake(r);
}

// Through the flat position, at a quarter turn: all cranks stay parallel, energy is kept.
static void four_bars_come_through_flat(void **state)
{
    (void)state;
    rig r = make_file("scenes/four-bar.json");
    assert_int_equal(sn_scene_set_param(r.scene, "speed", 4.0, NULL), SN_OK);
    sn_world_destroy(r.world);
    r.world = build(r.scene);
    assert_int_equal(sn_world_freedom_count(r.world), 1);
    sn_mechanism_info info = sn_world_mechanism_info(r.world);
    assert_int_equal(info.loops, 5);
    assert_int_equal(info.coordinates - (info.rows - info.redundant), 1);
    double energy = sn_world_energy(r.world).total;
    advance(r.world, 0.001, 400);
    double turned = position(r, "A0");
    assert_true(turned > 0.6 * SN_PI);
    for (int i = 1; i <= 5; ++i) {
        char name[8];
        snprintf(name, sizeof name, "A%d", i);
        near(position(r, name), turned, 1e-8);
    }
    near(sn_world_energy(r.world).total, energy, 1e-3 * energy);
    unmake(r);
}

// The piston is where crank and rod put it: r cos a + sqrt(l^2 - r^2 sin^2 a).
static void slider_crank_is_geometry(void **state)
{
    (void)state;
    rig r = make_file("scenes/slider-crank.json");
    assert_int_equal(sn_world_freedom_count(r.world), 0);
    for (int i = 0; i < 10; ++i) {
        advance(r.world, 0.001, 80);
        double angle = position(r, "shaft"), side = 0.15 * sin(angle);
        near(position(r, "guide"), 0.15 * cos(angle) + sqrt(0.45 * 0.45 - side * side) - 0.6, 1e-9);
        assert_true(isfinite(probe(r, 1)) && isfinite(probe(r, 4)) && isfinite(probe(r, 6)));
    }
    unmake(r);
}

// Lifted to the stop; the motor does what it can, and the stop what is too much.
static void gear_train_lifts_and_stalls(void **state)
{
    (void)state;
    rig r = make_file("scenes/gear-train.json");
    assert_int_equal(sn_world_freedom_count(r.world), 1);
    advance(r.world, 0.001, 300);
    double height = position(r, "rail");
    assert_true(height > 0.01 && height < 0.1);
    near(position(r, "motor"), height / 0.03 * 9.0, 1e-8);
    near(position(r, "middle bearing"), -height / 0.03 * 3.0, 1e-8);
    advance(r.world, 0.001, 850);
    near(position(r, "rail"), 0.1, 1e-6);
    near(probe(r, 1), 0.12, 1e-9);
    near(probe(r, 5), 2.0 * 9.81, 1e-6);
    assert_true(probe(r, 4) < -10.0);
    unmake(r);
}

// ---- what cannot be put together ----

#define THREE START "'bodies': [{'name': 'a', " SOLID "}, {'name': 'b', " SOLID "}],\n'joints': [\n"

static const char *const refused[][2] = {
    // a loop that cannot close: the second hinge wants b a metre off
    {THREE "{'name': 'j', 'type': 'hinge', 'child': 'a'},\n{'name': 'k', 'type': 'hinge', "
           "'parent': 'a', 'child': 'b'},\n{'name': 'l', 'type': 'fixed', 'child': 'b', "
           "'parent_frame': {'position': [0, 0, '1m']}}]}",
     " 1 m"},
    // motions that fight: the same turn, prescribed twice
    {THREE "{'name': 'j', 'type': 'hinge', 'child': 'a', 'drive': {'type': 'motion', 'target': "
           "0}},\n{'name': 'k', 'type': 'hinge', 'child': 'a', 'drive': {'type': 'motion', "
           "'target': '20deg'}}]}",
     "contradicts the others of its mechanism: 0 m and 0.1"},
    // a start beyond a limit that only the frames tell
    {THREE "{'name': 'j', 'type': 'slider', 'child': 'a', 'child_frame': {'position': [0, 0, "
           "2]}, 'limit': {'upper': 1}}]}",
     "stands at 2 m, outside its limits"},
};

static void tells_where_it_does_not_fit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        char buffer[2000];
        const char *text = quoted(refused[i][0], buffer, sizeof buffer);
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        assert_int_equal(sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors),
                         SN_ERROR_SCENE);
        assert_int_equal(errors.count, 1);
        const char *message = sn_error_message(&errors.items[0]);
        // The place is that of a joint, by its line.
        char *end = NULL;
        long line = strncmp(message, "t:", 2) == 0 ? strtol(message + 2, &end, 10) : 0;
        bool placed = line >= 3 && strncmp(end, ":1:", 3) == 0;
        if (!placed || strstr(message, refused[i][1]) == NULL) {
            fail_msg("%zu: %s", i, message);
        }
        sn_error_list_free(&errors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_drives_push),
        cmocka_unit_test(velocity_drives_hold_their_speed),
        cmocka_unit_test(position_drives_come_to_rest),
        cmocka_unit_test(motions_are_followed),
        cmocka_unit_test(limits_bear_weights),
        cmocka_unit_test(limits_throw_back),
        cmocka_unit_test(friction_holds),
        cmocka_unit_test(params_reach_a_running_world),
        cmocka_unit_test(gears_turn_together),
        cmocka_unit_test(terms_may_be_of_one_joint),
        cmocka_unit_test(reactions_are_read),
        cmocka_unit_test(points_stay_on_rods_curves_and_surfaces),
        cmocka_unit_test(resolved_scenes_run_the_same),
        cmocka_unit_test(guide_has_a_scene_that_runs),
        cmocka_unit_test(andrews_squeezer_ends_where_it_should),
        cmocka_unit_test(four_bars_come_through_flat),
        cmocka_unit_test(slider_crank_is_geometry),
        cmocka_unit_test(gear_train_lifts_and_stalls),
        cmocka_unit_test(tells_where_it_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
