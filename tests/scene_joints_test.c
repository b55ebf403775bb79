// Joints in scenes: every type and way to place one, springs with units, probes and events, what
// is written back, and every mistake with its place.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>

#include "shortage.h"

#define POINT "\"mass\": 1, \"inertia\": [1e-12, 1e-12, 1e-12]"
#define SOLID "\"mass\": 2, \"inertia\": [0.3, 0.4, 0.5]"

// ---- types and places ----

static void builds_every_type(void **state)
{
    (void)state;
    for (int i = 0; i < SN_JOINT_DISTANCE; ++i) {
        sn_joint_type type = (sn_joint_type)i;
        char text[600];
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"position\": [1, 2, 3], "
                 "\"rotation\": {\"euler\": [0.4, 0.5, 0.6]}, " SOLID "}], \"joints\": [{\"name\": "
                 "\"j\", \"type\": \"%s\", \"child\": \"a\", \"axis\": [1, 1, 2], "
                 "\"second_axis\": [1, 1, -1]%s}]}",
                 sn_joint_type_word(type),
                 type == SN_JOINT_SCREW ? ", \"pitch\": \"2 mm/rev\"" : "");
        sn_world *world = build_text(text);
        sn_joint joint = sn_world_find_joint(world, "j");
        assert_int_equal(sn_joint_get_type(world, joint), type);
        assert_int_equal(sn_world_freedom_count(world), sn_joint_type_freedoms(type));
        assert_int_equal(sn_joint_parent(world, joint).index, 0);
        assert_string_equal(sn_body_name(world, sn_joint_child(world, joint)), "a");
        for (int k = 0; k < sn_joint_type_freedoms(type); ++k) { // zero where it is placed
            assert_true(fabs(sn_joint_position(world, joint, k)) < 1e-15);
        }
        advance(world, 0.001, 10);
        sn_world_destroy(world);
    }
}

// Under gravity along one axis, only the freedom along it moves: axes are where they are said to
// be.
static void axes_point_where_they_are_said_to(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"gravity\": [0, 3, 4], \"bodies\": [{\"name\": \"a\", " SOLID "}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"planar\", \"child\": \"a\", \"axis\": [1, 0, "
        "0], \"second_axis\": [0, 0.6, 0.8]}]}");
    advance(world, 0.01, 100);
    sn_joint joint = sn_world_find_joint(world, "j");
    assert_true(fabs(sn_joint_position(world, joint, 0) - 2.5) < 1e-9); // g t^2 / 2, g = 5
    assert_true(fabs(sn_joint_position(world, joint, 1)) < 1e-12);
    assert_true(fabs(sn_joint_position(world, joint, 2)) < 1e-12);
    sn_world_destroy(world);
}

#define TWO_BODIES                                                                                 \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"position\": [1, 0, 0], " SOLID "}, "          \
    "{\"name\": \"b\", \"position\": [2, 0, 0], \"rotation\": {\"axis\": [0, 0, 1], \"angle\": "   \
    "\"90deg\"}, " SOLID "}],"

// Hinges at the origin and at a's centre, about -y; once in the world, once on each side.
static void frames_mean_the_same_as_a_place_in_the_world(void **state)
{
    (void)state;
    sn_world *first = build_text(
        TWO_BODIES
        "\"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"a\", \"at\": "
        "[0, 0, 0], \"axis\": [0, -1, 0]}, {\"name\": \"k\", \"type\": \"hinge\", "
        "\"parent\": \"a\", \"child\": \"b\", \"at\": [1, 0, 0], \"axis\": [0, -2, 0]}]}");
    sn_world *second = build_text(
        TWO_BODIES
        "\"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"a\", \"parent_frame\": "
        "{\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"90deg\"}}, \"child_frame\": "
        "{\"position\": [-1, 0, 0], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"90deg\"}}}, "
        "{\"name\": \"k\", \"type\": \"hinge\", \"parent\": \"a\", \"child\": \"b\", "
        // b is turned by 90deg about z: in its frame, the hinge is at y = 1 and about -x.
        "\"parent_frame\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"90deg\"}}, "
        "\"child_frame\": {\"position\": [0, 1, 0], \"rotation\": {\"axis\": [0, 1, 0], "
        "\"angle\": \"-90deg\"}}}]}");
    // The second frame of k differs by a turn about the axis, which its position starts with.
    double offset = sn_joint_position(second, sn_world_find_joint(second, "k"), 0);
    advance(first, 0.001, 500);
    advance(second, 0.001, 500);
    const char *names[] = {"j", "k"};
    for (int i = 0; i < 2; ++i) {
        double one = sn_joint_position(first, sn_world_find_joint(first, names[i]), 0);
        double two = sn_joint_position(second, sn_world_find_joint(second, names[i]), 0);
        assert_true(fabs(one) > 0.01);
        assert_true(fabs(one - (two - (i == 1 ? offset : 0.0))) < 1e-10);
    }
    sn_body b = sn_world_find_body(first, "b");
    assert_true(sn_distance(sn_body_centre(first, b), sn_body_centre(second, b)) < 1e-10);
    sn_world_destroy(first);
    sn_world_destroy(second);
}

// ---- springs ----

// k = 200 N/m on 2 kg: x = r (1 - cos 10 t); k = 20 N m/rad on 0.2 kg m^2: the same, in angles.
static void springs_have_units(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"run\": {\"policy\": \"precise\"},"
        "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.2]}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"cylindrical\", \"child\": \"a\", "
        "\"stiffness\": [\"2 N/cm\", \"20 N m/rad\"], \"rest\": [\"10cm\", \"30deg\"]}]}");
    advance(world, 0.1, 5);
    sn_joint joint = sn_world_find_joint(world, "j");
    double rest[2] = {0.1, 0.52359877559829887};
    for (int i = 0; i < 2; ++i) {
        double angle = 10.0 * 0.5;
        assert_true(fabs(sn_joint_position(world, joint, i) - rest[i] * (1.0 - cos(angle))) < 1e-8);
        assert_true(fabs(sn_joint_velocity(world, joint, i) - 10.0 * rest[i] * sin(angle)) < 1e-7);
    }
    sn_world_destroy(world);
}

// One number counts for every freedom; a damper alone takes e^(-c t / m) of the speed away.
static void one_number_counts_for_all_freedoms(void **state)
{
    (void)state;
    sn_world *world = build_text(
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"run\": {\"policy\": \"precise\"},"
        "\"params\": {\"c\": {\"value\": 3}}, \"bodies\": [{\"name\": \"a\", \"mass\": 2, "
        "\"inertia\": [2, 2, 2], \"velocity\": [1, 2, 0], \"angular_velocity\": [0, 0, 3]}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"planar\", \"child\": \"a\", \"damping\": "
        "\"=c\"}]}");
    advance(world, 0.1, 10);
    for (int i = 0; i < 3; ++i) {
        double v = sn_joint_velocity(world, sn_world_find_joint(world, "j"), i);
        assert_true(fabs(v - (i + 1) * exp(-1.5)) < 1e-8);
    }
    sn_world_destroy(world);
}

// ---- probes and events ----

#define SWING                                                                                      \
    "{\"sinew\": 1, \"run\": {\"policy\": \"precise\", \"relative_tolerance\": 1e-12}, "           \
    "\"bodies\": [{\"name\": \"bob\", \"position\": [-1, 0, 0], " POINT                            \
    "}, {\"name\": \"cart\", " SOLID                                                               \
    "}], \"joints\": [{\"name\": \"pivot\", \"type\": \"hinge\", \"child\": \"bob\", "             \
    "\"at\": [0, 0, 0], \"axis\": [0, -1, 0]}, {\"name\": \"rail\", \"type\": \"cylindrical\", "   \
    "\"child\": \"cart\"}],"

static void probes_read_joints(void **state)
{
    (void)state;
    sn_scene *scene =
        load(SWING "\"probes\": [{\"name\": \"angle\", \"of\": \"pivot\", \"quantity\": "
                   "\"joint.position\"}, {\"name\": \"rate\", \"of\": \"pivot\", \"quantity\": "
                   "\"joint.velocity\"}, {\"name\": \"shift\", \"of\": \"rail\", \"quantity\": "
                   "\"joint.position\"}, {\"name\": \"turn\", \"of\": \"rail\", \"quantity\": "
                   "\"joint.velocity.2\"}]}");
    sn_world *world = build(scene);
    advance(world, 0.1, 3);
    static const char *const units[] = {"rad", "rad/s", "m", "rad/s"};
    double values[4];
    for (int i = 0; i < 4; ++i) {
        sn_named_probe named;
        assert_int_equal(sn_scene_probe(scene, world, i, &named, NULL), SN_OK);
        assert_string_equal(sn_probe_unit(world, &named.probe), units[i]);
        values[i] = sn_probe_read(world, &named.probe);
    }
    sn_vec3 bob = sn_body_centre(world, sn_world_find_body(world, "bob"));
    assert_true(fabs(values[0] - atan2(-bob.z, -bob.x)) < 1e-12);
    assert_true(fabs(0.5 * values[1] * values[1] + 9.81 * bob.z) < 1e-9); // from rest at z = 0
    assert_true(fabs(values[2] + 0.5 * 9.81 * 0.09) < 1e-12);
    assert_true(values[3] == 0.0);
    sn_probe wrong = {.joint = sn_world_find_joint(world, "pivot"),
                      .quantity = SN_QUANTITY_JOINT_POSITION_2};
    assert_int_equal(sn_probe_check(world, &wrong, NULL), SN_ERROR_ARGUMENT);
    wrong.quantity = SN_QUANTITY_SPEED;
    assert_int_equal(sn_probe_check(world, &wrong, NULL), SN_ERROR_ARGUMENT);
    wrong.quantity = SN_QUANTITY_JOINT_POSITION;
    wrong.body = sn_world_find_body(world, "bob");
    assert_int_equal(sn_probe_check(world, &wrong, NULL), SN_ERROR_ARGUMENT);
    wrong = (sn_probe){.quantity = SN_QUANTITY_JOINT_POSITION};
    assert_int_equal(sn_probe_check(world, &wrong, NULL), SN_ERROR_ARGUMENT);
    wrong = (sn_probe){.joint = {77, 1}, .quantity = SN_QUANTITY_JOINT_POSITION};
    assert_int_equal(sn_probe_check(world, &wrong, NULL), SN_ERROR_HANDLE);
    assert_true(isnan(sn_probe_read(world, &wrong)));
    assert_string_equal(sn_probe_unit(world, &wrong), "");
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// From the horizontal to the bottom takes a quarter of the published period.
static void events_of_joints_are_located(void **state)
{
    (void)state;
    sn_world *world =
        build_text(SWING "\"events\": [{\"name\": \"bottom\", \"of\": \"pivot\", \"quantity\": "
                         "\"joint.position\", \"threshold\": \"90deg\", \"action\": \"stop\"}]}");
    while (!sn_world_stopped(world) && sn_world_time(world) < 2.0) {
        advance(world, 0.1, 1);
    }
    assert_int_equal(sn_world_event_count(world), 1);
    assert_true(fabs(sn_world_event_entry(world, 0).time - 2.367841947576237 / 4.0) < 1e-9);
    // The event goes with the joint, and the joint with its body.
    assert_int_equal(sn_world_remove_body(world, sn_world_find_body(world, "bob"), NULL), SN_OK);
    assert_int_equal(sn_world_joint_count(world), 1);
    advance(world, 0.1, 10);
    assert_int_equal(sn_world_event_count(world), 1);
    sn_world_destroy(world);
}

// ---- the resolved text ----

#define ROUND                                                                                      \
    "{\"sinew\": 1, \"params\": {\"k\": {\"value\": 30, \"unit\": \"N m/rad\"}}, \"bodies\": "     \
    "[{\"name\": \"a\", \"position\": [0.3, 0, 0], " SOLID "}, {\"name\": \"b\", \"position\": "   \
    "[1, 0, 0], " SOLID "}], \"joints\": [{\"name\": \"u\", \"type\": \"universal\", \"child\": "  \
    "\"a\", \"at\": [0, 0, 0], \"axis\": [0, 1, 0], \"second_axis\": [0, 0, 1], \"stiffness\": "   \
    "[\"=k\", \"1 N m/rad\"], \"damping\": \"0.1 N m s/rad\"}, {\"name\": \"s\", \"type\": "       \
    "\"screw\", \"parent\": \"a\", \"child\": \"b\", \"pitch\": \"2 mm/rev\", \"parent_frame\": "  \
    "{\"position\": [0.7, 0, 0], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": \"90deg\"}}, "     \
    "\"child_frame\": {\"rotation\": {\"axis\": [0, 1, 0], \"angle\": \"90deg\"}}, \"rest\": "     \
    "[1], \"stiffness\": 2}], \"probes\": [{\"name\": \"p\", \"of\": \"u\", \"quantity\": "        \
    "\"joint.position.2\"}]}"

static void resolved_text_has_the_joints(void **state)
{
    (void)state;
    sn_scene *scene = load(ROUND);
    char *text = NULL, *again = NULL;
    size_t length, again_length;
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
    sn_scene *second = load(text);
    assert_int_equal(sn_scene_resolved_text(second, &again, &again_length, NULL), SN_OK);
    assert_string_equal(text, again);
    sn_world *one = build(scene), *two = build(second);
    assert_int_equal(sn_world_freedom_count(one), 3);
    advance(one, 0.001, 200);
    advance(two, 0.001, 200);
    assert_true(sn_world_hash(one) == sn_world_hash(two));
    // A screw's shift is the pitch for each radian, and the springs are at work.
    double turn = sn_joint_position(one, sn_world_find_joint(one, "s"), 0);
    assert_true(turn > 0.01);
    sn_scene_free_text(text);
    sn_scene_free_text(again);
    sn_world_destroy(one);
    sn_world_destroy(two);
    sn_scene_destroy(scene);
    sn_scene_destroy(second);
}

// A param that would pull a joint apart is refused and leaves everything as it was.
static void params_cannot_pull_joints_apart(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\": 1, \"params\": {\"x\": {\"value\": 1}}, \"bodies\": [{\"name\": \"a\", "
             "\"position\": [\"=x\", 0, 0], " SOLID "}],\n\"joints\": [{\"name\": \"j\", \"type\": "
             "\"hinge\", \"child\": \"a\", \"parent_frame\": {\"position\": [1, 0, 0]}}]}");
    sn_error error = {0};
    assert_int_equal(sn_scene_set_param(scene, "x", 1.5, &error), SN_ERROR_SCENE);
    assert_string_equal(error.place, "t:2:12");
    assert_non_null(strstr(error.text, "0.5 m"));
    assert_true(sn_scene_param(scene, 0).value == 1.0);
    sn_world *world = build(scene);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// ---- mistakes ----

#define BODIES                                                                                     \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"arm\", " SOLID "}, {\"name\": \"hand\", " SOLID      \
    "}, "                                                                                          \
    "{\"name\": \"wall\", \"type\": \"static\"}],\n"
#define JOINT(inside) BODIES "\"joints\": [{\"name\": \"j\", " inside "}]}"
#define HINGE         "\"type\": \"hinge\", "

static const mistake mistakes[] = {
    {JOINT("\"type\": \"hinge\""), {"t:2:12: a joint needs the key \"child\": What hangs on it"}},
    {JOINT("\"child\": \"arm\""), {"t:2:12: a joint needs the key \"type\""}},
    {BODIES "\"joints\": [{\"type\": \"ball\", \"child\": \"arm\"}]}",
     {"t:2:12: a joint needs the key \"name\""}},
    {JOINT("\"type\": \"hing\", \"child\": \"arm\""),
     {"t:2:34: \"type\": got \"hing\"; did you mean \"hinge\"? Expected one of: fixed, hinge,"}},
    {JOINT(HINGE "\"child\": \"arn\""),
     {"t:2:52: there is no body \"arn\"; did you mean \"arm\"?"}},
    {JOINT(HINGE "\"child\": \"hand\", \"parent\": \"armm\""),
     {"t:2:70: there is no body \"armm\"; did you mean \"arm\"?"}},
    {JOINT(HINGE "\"child\": \"world\""),
     {"t:2:52: there is no body \"world\", expected one of: arm, hand, wall"}},
    {JOINT(HINGE "\"child\": \"wall\""),
     {"t:2:52: the child \"wall\" is static and cannot hang on anything"}},
    {JOINT(HINGE "\"child\": \"arm\", \"parent\": \"arm\""),
     {"t:2:52: the joint joins \"arm\" to itself"}},
    {JOINT(HINGE "\"child\": \"arm\", \"axis\": [0, 0, 0]"), {"t:2:67: \"axis\" has no direction"}},
    {JOINT("\"type\": \"universal\", \"child\": \"arm\", \"second_axis\": [0, 0, 0]"),
     {"t:2:78: \"second_axis\" has no direction"}},
    {JOINT("\"type\": \"universal\", \"child\": \"arm\", \"second_axis\": [1, 0, 1]"),
     {"t:2:78: \"second_axis\" must be perpendicular to \"axis\"; the cosine between them is "
      "0.707"}},
    {JOINT(HINGE "\"child\": \"arm\", \"at\": [0, 0, 0], \"child_frame\": {}"),
     {"t:2:65: a joint has both \"at\" and \"parent_frame\" or \"child_frame\""}},
    {JOINT(HINGE "\"child\": \"arm\", \"child_frame\": {\"rotation\": [0, 0, 0, 0]}"),
     {"t:2:87: \"rotation\": the quaternion has no direction"}},
    {JOINT(HINGE "\"child\": \"arm\", \"child_frame\": {\"turn\": 1}"),
     {"t:2:75: unknown key \"turn\" in a frame, expected one of: position, rotation"}},
    {JOINT("\"type\": \"screw\", \"child\": \"arm\""), {"t:2:12: a screw needs the key \"pitch\""}},
    {JOINT(HINGE "\"child\": \"arm\", \"pitch\": 1"), {"t:2:68: only a screw has a \"pitch\""}},
    {JOINT("\"type\": \"screw\", \"child\": \"arm\", \"pitch\": \"2 kg\""),
     {"t:2:68: \"pitch\": expected a pitch such as 0.0003 or \"2 mm/rev\", got \"2 kg\", a mass"}},
    {JOINT(HINGE "\"child\": \"arm\", \"stiffness\": \"3 N/m\""),
     {"t:2:72: \"stiffness\": expected an angular stiffness in N m/rad for freedom 1 of a hinge, "
      "got a stiffness"}},
    {JOINT(HINGE "\"child\": \"arm\", \"stiffness\": -3"),
     {"t:2:72: \"stiffness\" must not be negative, got -3"}},
    {JOINT(HINGE "\"child\": \"arm\", \"damping\": [1, 2]"),
     {"t:2:70: \"damping\": expected one number, or 1 for the freedoms of a hinge, got 2"}},
    {JOINT("\"type\": \"planar\", \"child\": \"arm\", \"rest\": [1, \"20deg\", 0]"),
     {"t:2:72: \"rest\": expected a length in m for freedom 2 of a planar, got an angle"}},
    {JOINT("\"type\": \"fixed\", \"child\": \"arm\", \"damping\": 1"),
     {"t:2:70: a fixed joint has no freedoms, expected no \"damping\""}},
    {JOINT("\"type\": \"ball\", \"child\": \"arm\", \"stiffness\": [1, 1, 2]"),
     {"t:2:78: \"stiffness\": the three turns of a ball have one, expected"}},
    {JOINT("\"type\": \"ball\", \"child\": \"arm\", \"rest\": 1"),
     {"t:2:66: \"rest\": the turns of a ball rest at 0, got 1"}},
    {JOINT(HINGE "\"child\": \"arm\", \"stiffness\": true"), {"t:2:72: \"stiffness\": expected"}},
    {JOINT(HINGE "\"child\": \"arm\", \"stiffness\": []"),
     {"t:2:72: \"stiffness\": expected at least 1 and at most 6 numbers, got 0"}},
    // names
    {BODIES "\"joints\": [{\"name\": \"arm\", \"type\": \"hinge\", \"child\": \"arm\"}]}",
     {"t:2:21: the joint \"arm\" has the name of the one at t:1:34, expected another"}},
    {BODIES "\"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"child\": \"arm\"},\n{\"name\": "
            "\"j\", \"type\": \"hinge\", \"child\": \"hand\"}]}",
     {"t:3:10: the joint \"j\" has the name of the one at t:2:21, expected another"}},
    // putting together
    {JOINT(HINGE "\"child\": \"arm\", \"child_frame\": {\"position\": [0, \"2m\", 0]}"),
     {"t:2:12: j: bodies 'world' and 'arm' do not stand as this hinge allows: 2 m and 0 rad"}},
    {"{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", " SOLID "},\n{\"name\": \"b\", \"integrator\": "
     "\"rk4\", " SOLID "}], \"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"parent\": \"a\", "
     "\"child\": \"b\"}]}",
     {"t:2:1: b: is in one mechanism with 'a' but names integrator rk4"}},
    // probes and events
    {JOINT(HINGE "\"child\": \"arm\"}],\n\"probes\": [{\"name\": \"p\", \"of\": \"j\", "
                 "\"quantity\": \"joint.position.2\""),
     {"t:3:49: \"joint.position.2\" is of freedom 2, and the hinge \"j\" has 1"}},
    {JOINT(HINGE "\"child\": \"arm\"}],\n\"probes\": [{\"name\": \"p\", \"of\": \"j\", "
                 "\"quantity\": \"speed\""),
     {"t:3:49: a joint has no \"speed\", expected it of a body"}},
    {JOINT(HINGE "\"child\": \"arm\"}],\n\"probes\": [{\"name\": \"p\", \"quantity\": "
                 "\"joint.velocity\""),
     {"t:3:38: the world has no \"joint.velocity\", expected it of a joint (name it in \"of\")"}},
    {JOINT(HINGE "\"child\": \"arm\"}],\n\"events\": [{\"name\": \"p\", \"of\": \"j\", "
                 "\"quantity\": \"joint.position\", \"threshold\": \"3m\""),
     {"t:3:80: \"threshold\": expected a number in rad for \"joint.position\", got a length"}},
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
        sn_world *world = NULL;
        shortage_begin(&s);
        sn_status status = sn_scene_load_text("t", ROUND, strlen(ROUND), NULL, &scene, NULL);
        if (status == SN_OK) {
            status = sn_scene_build(scene, &world, NULL);
        }
        shortage_end(&s, status);
        assert_true((status == SN_OK) == (world != NULL));
        sn_world_destroy(world);
        sn_scene_destroy(scene);
    }
    assert_true(s.next > 50);
}

// ---- the scenes that come with the project ----

static sn_world *build_file(const char *path)
{
    sn_scene *scene = NULL;
    assert_int_equal(sn_scene_load_file(path, NULL, &scene, NULL), SN_OK);
    sn_world *world = build(scene);
    sn_scene_destroy(scene);
    return world;
}

static void scenes_are_what_they_say(void **state)
{
    (void)state;
    sn_world *world = build_file("scenes/pendulum.json");
    advance(world, 0.1, 10);
    sn_vec3 bob = sn_body_centre(world, sn_world_find_body(world, "bob"));
    assert_true(fabs(bob.x - 0.9862917511318753) < 1e-9);
    assert_true(fabs(bob.z + 0.1650108531255412) < 1e-9);
    assert_int_equal(sn_world_event_count(world), 1);
    sn_world_destroy(world);
    world = build_file("scenes/double-pendulum.json");
    assert_int_equal(sn_world_freedom_count(world), 2);
    advance(world, 0.001, 500);
    sn_vec3 tip = sn_body_centre(world, sn_world_find_body(world, "lower"));
    assert_true(fabs(tip.x - 1.473465670052) < 1e-4); // the step's error, 1e-6 or so
    assert_true(fabs(tip.z + 1.200389435184) < 1e-4);
    sn_world_destroy(world);
    world = build_file("scenes/hanging-chain.json");
    assert_int_equal(sn_world_freedom_count(world), 39);
    sn_vec3 push = sn_body_velocity(world, sn_world_find_body(world, "weight"));
    assert_true(sn_distance(push, sn_vec3_make(0.0, 1.2, 0.0)) < 1e-9);
    double energy = sn_world_energy(world).total;
    advance(world, 0.001, 1000);
    double lost = energy - sn_world_energy(world).total;
    assert_true(lost > 0.0 && lost < 0.1);
    sn_world_destroy(world);
    world = build_file("scenes/wind-up-toy.json");
    assert_int_equal(sn_world_freedom_count(world), 4);
    advance(world, 0.001, 1000);
    double right = sn_joint_position(world, sn_world_find_joint(world, "right hinge"), 0);
    double left = sn_joint_position(world, sn_world_find_joint(world, "left hinge"), 0);
    assert_true(right > 0.1 && fabs(right - left) < 1e-9); // they fly out, both alike
    sn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_every_type),
        cmocka_unit_test(axes_point_where_they_are_said_to),
        cmocka_unit_test(frames_mean_the_same_as_a_place_in_the_world),
        cmocka_unit_test(springs_have_units),
        cmocka_unit_test(one_number_counts_for_all_freedoms),
        cmocka_unit_test(probes_read_joints),
        cmocka_unit_test(events_of_joints_are_located),
        cmocka_unit_test(resolved_text_has_the_joints),
        cmocka_unit_test(params_cannot_pull_joints_apart),
        cmocka_unit_test(refuses),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(scenes_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
