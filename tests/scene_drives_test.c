// What acts in joints, in scenes: friction, limits, drives and the motions they follow, couplings,
// rods, curves and surfaces; what the numbers become, what is written back, and every mistake with
// its place.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>

#include "scene/joint_def.h"
#include "shortage.h"

#define SOLID "\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5]"
#define BODIES                                                                                     \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"arm\", " SOLID "}, {\"name\": \"hand\", " SOLID      \
    "}, {\"name\": \"wall\", \"type\": \"static\"}],\n"
#define JOINT(inside) BODIES "\"joints\": [{\"name\": \"j\", \"child\": \"arm\", " inside "}]}"
#define HINGE         "\"type\": \"hinge\", "
#define PLANAR        "\"type\": \"planar\", "
#define BALL          "\"type\": \"ball\", "

static sn_motion *const no_motions[1];

static sn_joint_def definition(const sn_scene *scene, int joint)
{
    return sn_joint_item_def(scene, SN_JOINT(scene, joint), no_motions);
}

// ---- what the numbers become ----

static void limits_have_units(void **state)
{
    (void)state;
    sn_scene *scene = load(JOINT(
        PLANAR "\"friction\": [\"2 N\", \"3 N\", \"4 N m\"], \"limit\": [{\"lower\": \"-20cm\", "
               "\"upper\": 0.5, \"restitution\": 0.25}, {}, {\"upper\": \"90deg\", "
               "\"stiffness\": \"2 kN m/rad\", \"damping\": 7}]"));
    sn_joint_def def = definition(scene, 0);
    for (int i = 0; i < 3; ++i) {
        assert_true(def.freedom[i].friction == 2.0 + i);
    }
    assert_true(def.freedom[0].limit.lower == -0.2 && def.freedom[0].limit.upper == 0.5);
    assert_true(def.freedom[0].limit.restitution == 0.25 && def.freedom[0].limit.stiffness == 0.0);
    assert_true(isinf(def.freedom[1].limit.lower) && isinf(def.freedom[1].limit.upper));
    assert_true(def.freedom[2].limit.lower == -INFINITY);
    assert_true(fabs(def.freedom[2].limit.upper - 0.5 * SN_PI) < 1e-15);
    assert_true(def.freedom[2].limit.stiffness == 2000.0 && def.freedom[2].limit.damping == 7.0);
    sn_scene_destroy(scene);
}

// One object counts for all freedoms, one with "freedom" for that alone.
static void freedoms_are_chosen(void **state)
{
    (void)state;
    sn_scene *scene =
        load(JOINT(PLANAR "\"limit\": {\"lower\": -1, \"upper\": 2}, \"drive\": [{\"freedom\": 3, "
                          "\"type\": \"velocity\", \"target\": \"60rpm\", \"force_limit\": 5}, "
                          "{\"freedom\": 1, \"type\": \"force\", \"target\": \"3N\"}]"));
    sn_joint_def def = definition(scene, 0);
    for (int i = 0; i < 3; ++i) {
        assert_true(def.freedom[i].limit.lower == -1.0 && def.freedom[i].limit.upper == 2.0);
    }
    assert_int_equal(def.freedom[0].drive.type, SN_DRIVE_FORCE);
    assert_true(def.freedom[0].drive.target == 3.0 && isinf(def.freedom[0].drive.force_limit));
    assert_int_equal(def.freedom[1].drive.type, SN_DRIVE_NONE);
    assert_int_equal(def.freedom[2].drive.type, SN_DRIVE_VELOCITY);
    assert_true(fabs(def.freedom[2].drive.target - 2.0 * SN_PI) < 1e-14);
    assert_true(def.freedom[2].drive.force_limit == 5.0);
    sn_scene_destroy(scene);
    scene = load(JOINT(PLANAR "\"limit\": {\"freedom\": 2, \"upper\": 2}"));
    def = definition(scene, 0);
    assert_true(isinf(def.freedom[0].limit.upper) && isinf(def.freedom[2].limit.upper));
    assert_true(def.freedom[1].limit.upper == 2.0);
    sn_scene_destroy(scene);
}

static void params_reach_everything(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\": 1, \"params\": {\"a\": {\"value\": 2}}, \"bodies\": [{\"name\": "
             "\"arm\", " SOLID
             "}], \"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"arm\", "
             "\"friction\": \"=a\", \"limit\": {\"upper\": \"=2*a\", \"stiffness\": \"=3*a\", "
             "\"damping\": \"=4*a\"}, \"drive\": {\"type\": \"position\", \"target\": \"=5*a\", "
             "\"stiffness\": \"=6*a\", \"damping\": \"=7*a\", \"force_limit\": \"=8*a\"}, "
             "\"break_force\": \"=9*a\", \"break_torque\": \"=10*a\"}]}");
    for (int i = 0; i < 2; ++i) {
        double a = i == 0 ? 2.0 : 3.0;
        assert_int_equal(sn_scene_set_param(scene, "a", a, NULL), SN_OK);
        sn_joint_def def = definition(scene, 0);
        const sn_freedom_def *freedom = &def.freedom[0];
        const double numbers[] = {freedom->friction,        freedom->limit.upper,
                                  freedom->limit.stiffness, freedom->limit.damping,
                                  freedom->drive.target,    freedom->drive.stiffness,
                                  freedom->drive.damping,   freedom->drive.force_limit,
                                  def.break_force,          def.break_torque};
        for (int k = 0; k < 10; ++k) {
            assert_true(numbers[k] == (k + 1) * a);
        }
    }
    sn_scene_destroy(scene);
}

// A param that would cross limits is refused, and leaves everything as it was.
static void params_cannot_cross_limits(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\": 1, \"params\": {\"a\": {\"value\": 2}}, \"bodies\": [{\"name\": "
             "\"arm\", " SOLID
             "}],\n\"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"arm\", "
             "\"limit\": {\"lower\": \"=-a\", \"upper\": 1}}]}");
    sn_error error = {0};
    assert_int_equal(sn_scene_set_param(scene, "a", -1.5, &error), SN_ERROR_SCENE);
    assert_string_equal(error.place, "t:2:78");
    assert_string_equal(error.text,
                        "the lower limit of \"j\", 1.5 rad, is above the upper one, 1 rad");
    assert_true(definition(scene, 0).freedom[0].limit.lower == -2.0);
    sn_scene_destroy(scene);
}

static void rods_curves_and_surfaces(void **state)
{
    (void)state;
    sn_scene *scene = load(
        BODIES "\"joints\": [{\"name\": \"rod\", \"type\": \"distance\", \"child\": \"arm\", "
               "\"at\": [0, 0, \"2m\"], \"length\": \"200cm\"}, {\"name\": \"wire\", \"type\": "
               "\"curve\", \"child\": \"hand\", \"curve\": {\"points\": [[0, 0, 0], [1, 0, 0], "
               "[1, \"1m\", 0]], \"closed\": true}, \"break_force\": \"3kN\"}]}");
    sn_joint_def rod = definition(scene, 0), wire = definition(scene, 1);
    assert_true(rod.length == 2.0 && isinf(rod.break_force) && isinf(rod.break_torque));
    assert_true(rod.parent_frame.position.z == 2.0 && rod.child_frame.position.z == 0.0);
    assert_true(wire.length < 0.0 && wire.break_force == 3000.0);
    assert_int_equal(wire.curve.count, 3);
    assert_true(wire.curve.closed && wire.curve.points[2].y == 1.0);
    sn_scene_destroy(scene);
    static const struct {
        const char *keys;
        sn_surface_def surface;
    } rows[] = {
        {"\"plane\"", {.type = SN_SURFACE_PLANE}},
        {"\"sphere\", \"radius\": 2", {.type = SN_SURFACE_SPHERE, .radius = 2}},
        {"\"cylinder\", \"radius\": 2", {.type = SN_SURFACE_CYLINDER, .radius = 2}},
        {"\"cone\", \"angle\": 0.5", {.type = SN_SURFACE_CONE, .angle = 0.5}},
        {"\"torus\", \"radius\": 2, \"tube_radius\": 1",
         {.type = SN_SURFACE_TORUS, .radius = 2, .tube_radius = 1}},
        {"\"ellipsoid\", \"size\": [1, 2, 3]", {.type = SN_SURFACE_ELLIPSOID, .size = {1, 2, 3}}},
    };
    // Where each of them has a point.
    static const double offset[][3] = {{0, 0, 0}, {0, 0, 2}, {2, 0, 0},
                                       {0, 0, 0}, {3, 0, 0}, {0, 0, 3}};
    assert_int_equal(sizeof rows / sizeof *rows, SN_SURFACE_TYPE_COUNT);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char text[600];
        double tip = rows[i].surface.type == SN_SURFACE_CONE ? 1.0 : 0.0;
        snprintf(
            text, sizeof text,
            "{\"sinew\": 1, \"bodies\": [{\"name\": \"arm\", \"position\": [%g, %g, %g], " SOLID
            "}], \"joints\": [{\"name\": \"j\", \"child\": \"arm\", \"type\": \"surface\", "
            "\"parent_frame\": {}, \"surface\": {\"type\": %s}}]}",
            offset[i][0] + tip * 0.5463024898437905, offset[i][1], offset[i][2] + tip,
            rows[i].keys);
        scene = load(text);
        sn_surface_def got = definition(scene, 0).surface, want = rows[i].surface;
        assert_int_equal(got.type, want.type);
        assert_true(got.radius == want.radius && got.tube_radius == want.tube_radius);
        assert_true(got.angle == want.angle && sn_distance(got.size, want.size) == 0.0);
        sn_scene_destroy(scene);
    }
}

// ---- motions ----

static sn_scene *load_here(const char *text, sn_status *status, sn_error_list *errors)
{
    sn_scene_options options = {.folder = "tests/data/motions"};
    sn_scene *scene = NULL;
    *status = sn_scene_load_text("t", text, strlen(text), &options, &scene, errors);
    return scene;
}

static void motions_come_from_scenes_and_files(void **state)
{
    (void)state;
    sn_status status;
    sn_error_list errors = {0};
    sn_scene *scene = load_here(
        BODIES "\"motions\": {\"swing\": {\"points\": [[0, 0], [\"500 ms\", \"90deg\"]], "
               "\"type\": \"smooth\", \"repeats\": true}, \"wave\": {\"file\": \"wave.csv\"}},"
               "\"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"arm\", \"drive\": "
               "{\"type\": \"motion\", \"motion\": \"swing\"}}, {\"name\": \"k\", \"parent\": "
               "\"arm\", \"type\": \"hinge\", \"child\": \"hand\", \"drive\": {\"type\": "
               "\"velocity\", \"motion\": {\"points\": [[1, \"2 rad/s\"]], \"type\": \"step\"}}}]}",
        &status, &errors);
    assert_int_equal(errors.count, 0);
    assert_int_equal(status, SN_OK);
    assert_int_equal(scene->motions.count, 3);
    const sn_motion_item *swing = scene->motions.data[0], *wave = scene->motions.data[1],
                         *inside = scene->motions.data[2];
    assert_true(swing->points.times[1] == 0.5 && swing->repeats);
    assert_true(fabs(swing->points.values[1].number - 0.5 * SN_PI) < 1e-15);
    static const double points[][2] = {{0, 0}, {0.5, 1.25}, {1, -2}, {2, 3}};
    assert_int_equal(wave->points.count, 4);
    for (int i = 0; i < 4; ++i) {
        assert_true(wave->points.times[i] == points[i][0]);
        assert_true(wave->points.values[i].number == points[i][1]);
    }
    assert_int_equal(inside->type, SN_MOTION_STEP);
    assert_true(inside->points.times[0] == 1.0 && inside->points.values[0].number == 2.0);
    const sn_drive_item *drive = (const sn_drive_item *)SN_JOINT(scene, 0)->drive.data[0];
    assert_ptr_equal(drive->motion_item, swing);
    sn_scene_destroy(scene);
}

static void files_of_motions_may_be_wrong(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"wav.csv", "t:2:27: cannot read \"tests/data/motions/wav.csv\": "},
        {"words.csv", "t:2:27: line 2 of \"words.csv\": expected two numbers, time and value, got "
                      "\"1,up\""},
        {"empty.csv", "t:2:27: \"empty.csv\" has no points in it"},
    };
    for (int i = 0; i < 3; ++i) {
        char text[400];
        snprintf(text, sizeof text, BODIES "\"motions\": {\"m\": {\"file\": \"%s\"}}}", rows[i][0]);
        sn_status status;
        sn_error_list errors = {0};
        assert_null(load_here(text, &status, &errors));
        assert_int_equal(status, SN_ERROR_FILE);
        assert_int_equal(errors.count, 1);
        const char *message = sn_error_message(&errors.items[0]);
        if (strncmp(message, rows[i][1], strlen(rows[i][1])) != 0 ||
            (i == 0 && strstr(message, "did you mean \"wave.csv\"?") == NULL)) {
            fail_msg("%s", message);
        }
        sn_error_list_free(&errors);
    }
}

// ---- the resolved text ----

#define ROUND                                                                                      \
    "{\"sinew\": 1, \"params\": {\"k\": {\"value\": 3}}, \"motions\": {\"turn\": {\"points\": "    \
    "[[0, 0], [1, \"=k\"], [\"2s\", 0]], \"start_rate\": 1, \"repeats\": true}, \"wave\": "        \
    "{\"file\": \"tests/data/motions/wave.csv\", \"type\": \"linear\"}}, \"bodies\": [{\"name\": " \
    "\"a\", \"position\": [0.3, 0, 0], " SOLID                                                     \
    "}, {\"name\": \"b\", \"position\": [1, 0, 0], " SOLID "}, {\"name\": \"c\", " SOLID           \
    "}], \"joints\": [{\"name\": \"j\", \"type\": "                                                \
    "\"cylindrical\", \"child\": \"a\", \"friction\": [\"=k\", 1], \"limit\": [{\"freedom\": 2, "  \
    "\"lower\": \"-90deg\", \"upper\": \"=k\", \"restitution\": 0.5}], \"drive\": [{\"type\": "    \
    "\"velocity\", \"target\": \"=k\", \"force_limit\": 3}, {\"type\": \"position\", "             \
    "\"motion\": \"turn\", \"stiffness\": \"20 N m/rad\", \"damping\": 1}]}, {\"name\": \"h\", "   \
    "\"type\": \"hinge\", \"parent\": \"a\", \"child\": \"b\", \"limit\": {\"upper\": 1, "         \
    "\"stiffness\": \"2 N m/rad\", \"damping\": 0.1}, \"drive\": {\"type\": \"position\", "        \
    "\"motion\": {\"type\": \"step\", \"points\": [[0, 1], [\"=k\", 2]]}, \"stiffness\": 4}, "     \
    "\"break_force\": \"1 MN\", \"break_torque\": \"1 MN m\"}, {\"name\": \"s\", \"type\": "       \
    "\"surface\", \"child\": \"c\", \"surface\": {\"type\": \"ellipsoid\", \"size\": [1, 2, "      \
    "\"3m\"]}, \"at\": [0, 0, -3]}], \"couplings\": [{\"gear\": {\"a\": \"j\", \"b\": \"h\", "     \
    "\"ratio\": \"2 mm/rev\"}}, {\"name\": \"both\", \"terms\": [{\"joint\": \"j\", \"freedom\": " \
    "2, \"factor\": \"=k\"}, {\"joint\": \"h\", \"factor\": -1}]}]}"

static void resolved_text_has_it_all(void **state)
{
    (void)state;
    sn_scene *scene = load(ROUND);
    char *text = NULL, *again = NULL;
    size_t length, again_length;
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
    sn_scene *second = load(text);
    assert_int_equal(sn_scene_resolved_text(second, &again, &again_length, NULL), SN_OK);
    assert_string_equal(text, again);
    assert_null(strstr(text, "wave.csv"));
    for (int i = 0; i < 3; ++i) {
        sn_motion *const empty[3] = {NULL};
        sn_joint_def one = sn_joint_item_def(scene, SN_JOINT(scene, i), empty);
        sn_joint_def two = sn_joint_item_def(second, SN_JOINT(second, i), empty);
        assert_memory_equal(one.freedom, two.freedom, sizeof one.freedom);
        assert_memory_equal(&one.surface, &two.surface, sizeof one.surface);
        assert_true(one.break_force == two.break_force && one.break_torque == two.break_torque);
    }
    assert_int_equal(second->motions.count, 3);
    for (int i = 0; i < 3; ++i) {
        const sn_motion_item *one = scene->motions.data[i], *two = second->motions.data[i];
        assert_int_equal(one->type, two->type);
        assert_int_equal(one->repeats, two->repeats);
        assert_int_equal(one->points.count, two->points.count);
        for (int k = 0; k < one->points.count; ++k) {
            assert_true(one->points.times[k] == two->points.times[k]);
            assert_true(one->points.values[k].number == two->points.values[k].number);
        }
    }
    assert_string_equal(SN_COUPLING(second, 0)->name, "coupling 1");
    assert_true(SN_COUPLING(second, 0)->gear.ratio.number ==
                SN_COUPLING(scene, 0)->gear.ratio.number);
    assert_true(((const sn_term_item *)SN_COUPLING(second, 1)->terms.data[0])->factor.number == 3);
    sn_scene_free_text(text);
    sn_scene_free_text(again);
    sn_scene_destroy(scene);
    sn_scene_destroy(second);
}

// ---- mistakes ----

#define TWO                                                                                        \
    BODIES "\"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"arm\"}, {\"name\": "  \
           "\"k\", \"type\": \"ball\", \"child\": \"hand\"}],\n"
#define TERMS(inside)  TWO "\"couplings\": [{\"terms\": [" inside "]}]}"
#define GEAR(inside)   TWO "\"couplings\": [{\"gear\": {" inside "}}]}"
#define MOTION(inside) BODIES "\"motions\": {\"m\": {" inside "}}}"
#define DRIVEN(drive, motion)                                                                      \
    BODIES "\"motions\": {\"m\": {" motion "}},\n\"joints\": [{\"name\": \"j\", \"type\": "        \
           "\"hinge\", \"child\": \"arm\", \"drive\": {" drive "}}]}"

static const mistake mistakes[] = {
    // friction
    {JOINT(HINGE "\"friction\": -1"), {"t:2:71: \"friction\" must not be negative, got -1"}},
    {JOINT(HINGE "\"friction\": \"3 N\""),
     {"t:2:71: \"friction\": expected an energy or a torque in N m for freedom 1 of a hinge, got a "
      "force"}},
    {JOINT(BALL "\"friction\": [1, 2, 1]"),
     {"t:2:74: \"friction\": the three turns of a ball have one"}},
    {JOINT("\"type\": \"fixed\", \"friction\": 1"),
     {"t:2:71: a fixed joint has no freedoms, expected no \"friction\""}},
    // limits
    {JOINT(HINGE "\"limit\": 3"), {"t:2:68: expected a limit, that is an object in { }, got 3"}},
    {JOINT(HINGE "\"limit\": []"),
     {"t:2:68: \"limit\": expected at least 1 and at most 6 limit objects, got 0"}},
    {JOINT(HINGE "\"limit\": {\"lower\": 2, \"upper\": 1}"),
     {"t:2:78: the lower limit of \"j\", 2 rad, is above the upper one, 1 rad"}},
    {JOINT(HINGE "\"limit\": {\"lower\": \"30deg\", \"upper\": \"90deg\"}"),
     {"t:2:78: the joint \"j\" starts at 0 rad in freedom 1, beyond its lower limit of 0.523599 "
      "rad; expected a start within its limits"}},
    {JOINT("\"type\": \"slider\", \"limit\": {\"upper\": \"-3mm\"}"),
     {"t:2:79: the joint \"j\" starts at 0 m in freedom 1, beyond its upper limit of -0.003 m"}},
    {JOINT(HINGE "\"limit\": {\"upper\": \"3m\"}"),
     {"t:2:78: \"upper\": expected an angle in rad for freedom 1 of a hinge, got a length"}},
    {JOINT(HINGE "\"limit\": {\"upper\": 1, \"stiffness\": \"3 N/m\"}"),
     {"t:2:94: \"stiffness\": expected an angular stiffness in N m/rad for freedom 1"}},
    {JOINT(HINGE "\"limit\": {\"uper\": 1}"),
     {"t:2:69: unknown key \"uper\" in a limit; did you mean \"upper\"?"}},
    {JOINT(HINGE "\"limit\": {\"restitution\": 0.5}"),
     {"t:2:68: a limit needs \"lower\" or \"upper\", or both"}},
    {JOINT(HINGE "\"limit\": {\"upper\": 1, \"restitution\": 1.5}"),
     {"t:2:96: \"restitution\" must lie between 0 and 1, got 1.5"}},
    {JOINT(HINGE "\"limit\": {\"upper\": 1, \"restitution\": 1, \"stiffness\": 3}"),
     {"t:2:96: a limit has both \"stiffness\" and \"restitution\""}},
    {JOINT(HINGE "\"limit\": {\"upper\": 1, \"damping\": 1}"),
     {"t:2:92: a hard limit has no \"damping\""}},
    {JOINT(HINGE "\"limit\": {\"freedom\": 2, \"upper\": 1}"),
     {"t:2:80: \"freedom\": a hinge has 1, got 2"}},
    {JOINT(HINGE "\"limit\": {\"freedom\": \"=1\", \"upper\": 1}"),
     {"t:2:80: \"freedom\": expected a plain whole number from 1 to 6, got \"=1\""}},
    {JOINT(HINGE "\"limit\": {\"freedom\": 0, \"upper\": 1}"),
     {"t:2:80: \"freedom\": expected a plain whole number from 1 to 6, got 0"}},
    {JOINT(PLANAR "\"limit\": [{\"upper\": 1}, {\"upper\": 1}]"),
     {"t:2:69: \"limit\": expected one object, or 3 for the freedoms of a planar, or each with its "
      "\"freedom\"; got 2, 0 of them with it"}},
    {JOINT(PLANAR "\"limit\": [{\"upper\": 1, \"freedom\": 1}, {\"upper\": 1}]"),
     {"t:2:69: \"limit\": expected one object, or 3"}},
    {JOINT(PLANAR "\"limit\": [{\"upper\": 1, \"freedom\": 2}, {\"upper\": 1, \"freedom\": 2}]"),
     {"t:2:122: freedom 2 of \"j\" has two limits, expected one"}},
    {JOINT(BALL "\"limit\": {\"lower\": -1, \"upper\": 1}"),
     {"t:2:77: \"lower\": the limit of a ball is the greatest angle of its turn"}},
    {JOINT(BALL "\"limit\": {\"freedom\": 2, \"upper\": 1}"),
     {"t:2:67: the three turns of a ball have one limit, expected it for freedom 1, got it for 2"}},
    {JOINT("\"type\": \"free\", \"limit\": {\"freedom\": 6, \"upper\": 1}"),
     {"t:2:67: the three turns of a ball have one limit, expected it for freedom 4, got it for 6"}},
    {JOINT("\"type\": \"fixed\", \"limit\": {\"upper\": 1}"),
     {"t:2:68: a fixed joint has no freedoms, expected no \"limit\""}},
    // drives
    {JOINT(HINGE "\"drive\": {\"target\": 1}"),
     {"t:2:68: a drive needs the key \"type\": force, velocity, position or motion"}},
    {JOINT(HINGE "\"drive\": {\"type\": \"speed\", \"target\": 1}"),
     {"t:2:77: \"type\": got \"speed\"; expected one of: none, force, velocity, position, motion"}},
    {JOINT(HINGE "\"drive\": {\"type\": \"force\"}"),
     {"t:2:68: a force drive needs \"target\" or \"motion\""}},
    {JOINT(HINGE "\"drive\": {\"type\": \"force\", \"target\": 1, \"motion\": {\"points\": [[0, "
                 "1]]}}"),
     {"t:2:109: a force drive has both \"target\" and \"motion\", expected one of them"}},
    {JOINT(HINGE "\"drive\": {\"type\": \"position\", \"target\": 1}"),
     {"t:2:68: a position drive needs \"stiffness\" or \"damping\""}},
    {JOINT(HINGE "\"drive\": {\"type\": \"velocity\", \"target\": 1, \"damping\": 1}"),
     {"t:2:113: a velocity drive has no \"damping\"; expected none, or the type \"position\""}},
    {JOINT(HINGE "\"drive\": {\"type\": \"motion\", \"target\": 1, \"force_limit\": 1}"),
     {"t:2:115: a motion drive has no \"force_limit\"; expected none, or the type \"velocity\" or "
      "\"position\""}},
    {JOINT(HINGE "\"drive\": {\"type\": \"velocity\", \"target\": \"1 m/s\"}"),
     {"t:2:99: \"target\": expected an angular speed in rad/s for freedom 1 of a hinge, got a "
      "speed"}},
    {JOINT(HINGE "\"drive\": {\"type\": \"force\", \"target\": \"1 N\"}"),
     {"t:2:96: \"target\": expected an energy or a torque in N m"}},
    {JOINT(HINGE "\"drive\": {\"type\": \"velocity\", \"target\": 1, \"force_limit\": -2}"),
     {"t:2:117: \"force_limit\" must be greater than 0, got -2"}},
    {JOINT(PLANAR "\"drive\": [{\"type\": \"motion\", \"target\": 1, \"freedom\": 3}, {\"type\": "
                  "\"motion\", \"target\": 2, \"freedom\": 3}]"),
     {"t:2:160: freedom 3 of \"j\" has two drives, expected one"}},
    {JOINT(HINGE "\"drive\": {\"type\": \"motion\", \"motion\": 3}"),
     {"t:2:97: \"motion\": expected a motion in { }, or the name of one, got 3"}},
    // motions
    {BODIES
     "\"motions\": {\"sway\": {\"points\": [[0, 1]]}},\n\"joints\": [{\"name\": \"j\", \"type\": "
     "\"hinge\", \"child\": \"arm\", \"drive\": {\"type\": \"motion\", \"motion\": "
     "\"swai\"}}]}",
     {"t:3:97: there is no motion \"swai\"; did you mean \"sway\"?"}},
    {DRIVEN("\"type\": \"motion\", \"motion\": \"n\"", "\"points\": [[0, 1]]"),
     {"t:3:97: there is no motion \"n\", expected one of: m"}},
    {DRIVEN("\"type\": \"motion\", \"motion\": \"some.csv\"", "\"points\": [[0, 1]]"),
     {"t:3:97: there is no motion \"some.csv\"; a file is given as {\"file\": \"some.csv\"}"}},
    {DRIVEN("\"type\": \"motion\", \"motion\": \"m\"", "\"points\": [[0, \"3 N\"]]"),
     {"t:2:30: \"motion\": expected an angle in rad for freedom 1 of a hinge, got a force"}},
    {DRIVEN("\"type\": \"motion\", \"motion\": \"m\"",
            "\"points\": [[0, 1], [1, 1]], \"end_rate\": \"3 rad\""),
     {"t:2:59: \"end_rate\": the drive of \"j\" follows values in rad, expected their rate, got an "
      "angle"}},
    {DRIVEN("\"type\": \"motion\", \"motion\": \"m\"",
            "\"points\": [[0, 1], [1, 1]], \"type\": \"step\""),
     {"t:3:97: a motion of type \"step\" jumps, and a motion drive follows exactly"}},
    {MOTION("\"points\": [[0, 1], [1, 2], [1, 3]]"),
     {"t:2:46: point 3 of the motion is at 1 s, expected a time after the 1 s of the point "
      "before"}},
    {MOTION("\"points\": [[0, 1], [\"1m\", 2]]"),
     {"t:2:39: \"time\": expected a time such as 0.005 or \"5ms\", got \"1m\", a length"}},
    {MOTION("\"points\": [[0, 1], [1]]"),
     {"t:2:38: \"points\": expected a point [time, value] such as [\"0.5s\", \"30deg\"], got a "
      "list"}},
    {MOTION("\"points\": []"),
     {"t:2:29: \"points\": expected at least 1 points [time, value], got 0"}},
    {MOTION("\"type\": \"linear\""), {"t:2:13: a motion needs \"points\", or a \"file\""}},
    {MOTION("\"points\": [[0, 1]], \"file\": \"a.csv\""),
     {"t:2:47: a motion has both \"points\" and \"file\""}},
    {MOTION("\"points\": [[0, 1]], \"repeats\": true"),
     {"t:2:50: a motion of one point has nothing to repeat"}},
    {MOTION("\"points\": [[0, 1], [1, 2]], \"type\": \"linear\", \"start_rate\": 1"),
     {"t:2:79: only a spline has a \"start_rate\""}},
    {BODIES "\"motions\": {\"\": {\"points\": [[0, 1]]}}}", {"t:2:13: a name is empty"}},
    // rods, curves, surfaces
    {JOINT("\"type\": \"distance\""), {"t:2:12: a distance joint needs \"at\", where its rod"}},
    {JOINT("\"type\": \"distance\", \"at\": [0, 0, 1], \"length\": 0"),
     {"t:2:89: \"length\" must be greater than 0, got 0"}},
    {JOINT("\"type\": \"distance\", \"at\": [0, 0, 1], \"damping\": 1"),
     {"t:2:90: a distance joint has no freedoms, expected no \"damping\""}},
    {JOINT(HINGE "\"length\": 2"),
     {"t:2:69: only a distance has a \"length\"; expected none, or the type \"distance\""}},
    {JOINT("\"type\": \"curve\""), {"t:2:12: a curve needs the key \"curve\", such as "}},
    {JOINT("\"type\": \"curve\", \"curve\": {\"points\": [[0, 0, 0]]}"),
     {"t:2:79: \"points\": expected at least 2 points [x, y, z], got 1"}},
    {JOINT("\"type\": \"curve\", \"curve\": {\"points\": [[0, 0, 0], [1, 0, 0]], \"closed\": "
           "true}"),
     {"t:2:79: \"points\": a closed curve needs at least 3, got 2"}},
    {JOINT("\"type\": \"curve\", \"curve\": {\"points\": [[0, 0, 0], [1, 0, 0], [1, 0, 0]]}"),
     {"t:2:79: \"points\": points 2 and 3 of the curve are the same"}},
    {JOINT("\"type\": \"surface\""), {"t:2:12: a surface needs the key \"surface\", such as "}},
    {JOINT("\"type\": \"surface\", \"surface\": {\"type\": \"sfere\"}"),
     {"t:2:81: no surface has the type \"sfere\"; did you mean \"sphere\"? Expected one of: "
      "plane, sphere, cylinder, cone, torus, ellipsoid"}},
    {JOINT("\"type\": \"surface\", \"surface\": {\"type\": \"plane\", \"radius\": 1}"),
     {"t:2:90: unknown key \"radius\" in a plane_surface, expected one of: type"}},
    {JOINT("\"type\": \"surface\", \"surface\": {\"type\": \"sphere\"}"),
     {"t:2:72: a sphere_surface needs the key \"radius\""}},
    {JOINT("\"type\": \"surface\", \"surface\": {\"type\": \"torus\", \"radius\": 1, "
           "\"tube_radius\": 2}"),
     {"t:2:118: \"tube_radius\" must be less than \"radius\""}},
    {JOINT(HINGE "\"break_force\": 0"), {"t:2:74: \"break_force\" must be greater than 0, got 0"}},
    {JOINT(HINGE "\"break_torque\": \"3 N\""), {"t:2:75: \"break_torque\": expected an energy or"}},
    // couplings
    {TWO "\"couplings\": [{}]}", {"t:3:15: a coupling needs \"terms\" or \"gear\""}},
    {BODIES "\"joints\": [{\"name\": \"elbow\", \"type\": \"hinge\", \"child\": \"arm\"}],\n"
            "\"couplings\": [{\"terms\": [{\"joint\": \"elbo\", \"factor\": 2}]}]}",
     {"t:3:36: there is no joint \"elbo\"; did you mean \"elbow\"?"}},
    {GEAR("\"a\": \"j\", \"b\": \"arm\", \"ratio\": 2"),
     {"t:3:40: there is no joint \"arm\", expected one of: j, k"}},
    {GEAR("\"a\": \"j\", \"b\": \"j\", \"ratio\": 2"),
     {"t:3:40: the gear joins \"j\" to itself, expected two different joints"}},
    {GEAR("\"a\": \"j\", \"b\": \"k\", \"ratio\": 2"),
     {"t:3:40: a coupling ties freedom 1 of \"k\", a turn of a ball"}},
    {GEAR("\"a\": \"j\", \"b\": \"k\""), {"t:3:24: a gear needs the key \"ratio\""}},
    {TERMS("{\"joint\": \"j\", \"factor\": 1}, {\"joint\": \"j\", \"freedom\": 2, \"factor\": 1}"),
     {"t:3:81: a coupling ties freedom 2 of \"j\", and a hinge has 1"}},
    {TERMS("{\"joint\": \"j\", \"factor\": 1}, {\"joint\": \"j\", \"factor\": 1}"),
     {"t:3:55: the coupling has freedom 1 of \"j\" twice, expected each freedom once"}},
    {TERMS("{\"joint\": \"j\", \"factor\": 0}"), {"t:3:51: \"factor\" is 0 and ties nothing"}},
    {TERMS("{\"joint\": \"j\"}"), {"t:3:26: a term needs the key \"factor\""}},
    {TERMS(""), {"t:3:25: \"terms\": expected at least 1 term objects, got 0"}},
    {BODIES "\"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"arm\"}, {\"name\": "
            "\"k\", \"type\": \"slider\", \"child\": \"hand\"}],\n\"couplings\": [{\"gear\": "
            "{\"a\": \"k\", \"b\": \"j\", \"ratio\": \"2 rad/m\"}}]}",
     {"t:3:54: \"ratio\": expected a pitch between these joints, got m^-1 rad"}},
};

static void refuses(void **state)
{
    (void)state;
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    shortage s = {.most = 20000};
    while (shortage_goes_on(&s)) {
        sn_scene *scene = NULL;
        char *text = NULL;
        size_t length;
        shortage_begin(&s);
        sn_status status = sn_scene_load_text("t", ROUND, strlen(ROUND), NULL, &scene, NULL);
        if (status == SN_OK) {
            status = sn_scene_resolved_text(scene, &text, &length, NULL);
        }
        shortage_end(&s, status);
        assert_true((status == SN_OK) == (text != NULL));
        sn_scene_free_text(text);
        sn_scene_destroy(scene);
    }
    assert_true(s.next > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_have_units),
        cmocka_unit_test(freedoms_are_chosen),
        cmocka_unit_test(params_reach_everything),
        cmocka_unit_test(params_cannot_cross_limits),
        cmocka_unit_test(rods_curves_and_surfaces),
        cmocka_unit_test(motions_come_from_scenes_and_files),
        cmocka_unit_test(files_of_motions_may_be_wrong),
        cmocka_unit_test(resolved_text_has_it_all),
        cmocka_unit_test(refuses),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
