// Scenes that are right: what they become, how params move them, and that their resolved text is
// the same scene.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sanitized.h"
#include "scene/path.h"
#include "scene/text.h"
#include "sinew/geometry.h"
#include "sinew/scene.h"

static void print_errors(sn_error_list *errors)
{
    for (int i = 0; i < errors->count; ++i) {
        print_error("%s\n", sn_error_message(&errors->items[i]));
    }
    sn_error_list_free(errors);
}

static sn_scene *load(const char *text)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status =
        sn_scene_load_text("folder/test.json", text, strlen(text), NULL, &scene, &errors);
    print_errors(&errors);
    assert_int_equal(status, SN_OK);
    return scene;
}

static sn_scene *load_file(const char *path)
{
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_file(path, NULL, &scene, &errors);
    print_errors(&errors);
    assert_int_equal(status, SN_OK);
    return scene;
}

static sn_world *build(const sn_scene *scene)
{
    sn_world *world = NULL;
    sn_error error = {0};
    sn_status status = sn_scene_build(scene, &world, &error);
    if (status != SN_OK) {
        print_error("%s\n", sn_error_message(&error));
    }
    assert_int_equal(status, SN_OK);
    return world;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * (1.0 + fabs(expected)))) {
        print_error("%.17g, expected %.17g\n", value, expected);
    }
    assert_true(fabs(value - expected) <= 1e-12 * (1.0 + fabs(expected)));
}

static void near_vec(sn_vec3 value, double x, double y, double z)
{
    near(value.x, x);
    near(value.y, y);
    near(value.z, z);
}

static void empty_scene_has_defaults(void **state)
{
    (void)state;
    sn_scene *scene = load("{\"sinew\": 1}");
    assert_string_equal(sn_scene_name(scene), "test");
    assert_string_equal(sn_scene_description(scene), "");
    sn_run run = sn_scene_run(scene);
    assert_true(run.time == 10.0 && run.step == 0.001 && run.record_step == 1.0 / 60.0 &&
                run.threads == 1);
    assert_true(run.relative_tolerance == 1e-9 && run.absolute_tolerance == 1e-12 && run.seed == 0);
    assert_int_equal(run.policy, SN_POLICY_LOCKSTEP);
    assert_int_equal(run.integrator, SN_INTEGRATOR_DEFAULT);
    assert_false(sn_scene_camera(scene).given);
    assert_int_equal(sn_scene_param_count(scene), 0);
    assert_int_equal(sn_scene_probe_count(scene), 0);
    sn_world *world = build(scene);
    near_vec(sn_world_gravity(world), 0, 0, -9.81);
    assert_int_equal(sn_world_body_count(world), 0);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static const char workshop[] =
    "{\"sinew\": 1, \"name\": \"Workshop\", \"description\": \"All kinds of values.\",\n"
    "\"gravity\": [0, 0, \"-981 cm/s^2\"],\n"
    "\"materials\": {\"brass\": {\"density\": \"8.5 g/cm^3\", \"colour\": \"#c9a227\"}, \"red\": "
    "{\"colour\": \"#f00\"}},\n"
    "\"bodies\": [\n"
    " {\"name\": \"bob\", \"material\": \"brass\", \"shape\": {\"type\": \"sphere\", \"radius\": "
    "\"3cm\"}, \"position\": [1, \"2m\", \"300cm\"],\n"
    "  \"rotation\": {\"axis\": [0, 0, 2], \"angle\": \"90deg\"}, \"velocity\": [\"36 km/h\", 0, "
    "0], \"body_angular_velocity\": [\"60rpm\", 0, 0]},\n"
    " {\"name\": \"bar\", \"shapes\": [{\"type\": \"box\", \"size\": [1, 2, 3], \"density\": 10, "
    "\"colour\": \"#123456\"},\n"
    "   {\"type\": \"box\", \"size\": [1, 2, 3], \"density\": 30, \"position\": [4, 0, 0], "
    "\"material\": \"red\"}], \"integrator\": \"rk4\"},\n"
    " {\"name\": \"given\", \"mass\": 2, \"inertia\": [2, 3, 4, 0.1, 0.2, 0.3], \"centre\": [0, 0, "
    "1], \"rotation\": {\"euler\": [\"90deg\", 0, 0]},\n"
    "  \"angular_velocity\": [0, 0, 1]},\n"
    " {\"name\": \"scaled\", \"mass\": 5, \"shape\": {\"type\": \"box\", \"size\": [1, 1, 1]}, "
    "\"rotation\": [0, 0, 0, 2]},\n"
    " {\"name\": \"floor\", \"type\": \"static\", \"shape\": {\"type\": \"box\", \"size\": [9, 9, "
    "1]}},\n"
    "],\n"
    "\"fields\": [{\"type\": \"spring\", \"a\": \"bob\", \"point_a\": [0, 0, \"3cm\"], "
    "\"point_b\": [1, 2, 4], \"stiffness\": \"2 N/mm\", \"damping\": 3},\n"
    " {\"name\": \"pull\", \"type\": \"spring\", \"a\": \"bob\", \"b\": \"scaled\", \"stiffness\": "
    "7, "
    "\"rest_length\": 0.5}, {\"type\": \"drag\", \"linear\": 0.1}],\n"
    "\"probes\": [{\"name\": \"x\", \"of\": \"bob\", \"quantity\": \"position.x\"}, {\"name\": "
    "\"l\", \"of\": \"spring 1\", \"quantity\": \"length\"},\n"
    " {\"name\": \"t\", \"quantity\": \"time\"}, {\"name\": \"f\", \"of\": \"pull\", \"quantity\": "
    "\"force\"}],\n"
    "\"events\": [{\"name\": \"late\", \"quantity\": \"time\", \"threshold\": \"15ms\", "
    "\"action\": \"stop\", \"direction\": \"rising\"}],\n"
    "\"camera\": {\"position\": [1, 2, 3], \"field_of_view\": \"60deg\"},\n"
    "\"run\": {\"time\": 1, \"step\": \"10ms\", \"record_step\": \"1ms\", \"seed\": "
    "9007199254740992, \"threads\": 2}}";

static void values_reach_the_world(void **state)
{
    (void)state;
    sn_scene *scene = load(workshop);
    sn_world *world = build(scene);
    near_vec(sn_world_gravity(world), 0, 0, -9.81);
    sn_body bob = sn_world_find_body(world, "bob"), bar = sn_world_find_body(world, "bar");
    sn_body given = sn_world_find_body(world, "given"),
            scaled = sn_world_find_body(world, "scaled");
    near(sn_body_mass_properties(world, bob).mass, 8500 * 4.0 / 3.0 * SN_PI * 0.03 * 0.03 * 0.03);
    near_vec(sn_body_transform(world, bob).position, 1, 2, 3);
    near_vec(sn_rotate(sn_body_transform(world, bob).rotation, sn_vec3_make(1, 0, 0)), 0, 1, 0);
    near_vec(sn_body_velocity(world, bob), 10, 0, 0);
    near_vec(sn_body_angular_velocity(world, bob), 0, 2 * SN_PI,
             0); // the body's x axis is the world's y
    assert_int_equal(sn_body_shape(world, bob, 0)->colour, 0xc9a227);
    near(sn_body_mass_properties(world, bar).mass, 240);
    near_vec(sn_body_mass_properties(world, bar).centre, 3, 0, 0);
    assert_int_equal(sn_body_integrator(world, bar), SN_INTEGRATOR_RK4);
    assert_int_equal(sn_body_shape(world, bar, 0)->colour, 0x123456);
    assert_int_equal(sn_body_shape(world, bar, 1)->colour, 0xff0000);
    sn_mass_properties mass = sn_body_mass_properties(world, given);
    near(mass.mass, 2);
    near_vec(mass.centre, 0, 0, 1);
    near(mass.inertia.m[0][0], 2);
    near(mass.inertia.m[1][0], 0.1);
    near(mass.inertia.m[0][2], 0.2);
    near(mass.inertia.m[2][1], 0.3);
    near_vec(sn_rotate(sn_body_transform(world, given).rotation, sn_vec3_make(0, 1, 0)), 0, 0, 1);
    near_vec(sn_body_angular_velocity(world, given), 0, 0, 1);
    near(sn_body_mass_properties(world, scaled).mass, 5);
    near(sn_body_mass_properties(world, scaled).inertia.m[0][0], 5.0 / 6.0);
    near_vec(sn_rotate(sn_body_transform(world, scaled).rotation, sn_vec3_make(1, 0, 0)), -1, 0, 0);
    assert_int_equal(sn_body_get_type(world, sn_world_find_body(world, "floor")), SN_BODY_STATIC);

    assert_int_equal(sn_world_field_count(world), 3);
    const double expected[] = {1.0, sn_distance(sn_vec3_make(1, 2, 3.03), sn_vec3_make(1, 2, 4)),
                               0.0, 7.0 * (sqrt(14.0) - 0.5)};
    for (int i = 0; i < 4; ++i) {
        sn_named_probe probe;
        sn_error error = {0};
        assert_int_equal(sn_scene_probe(scene, world, i, &probe, &error), SN_OK);
        near(fabs(sn_probe_read(world, &probe.probe)), expected[i]);
    }
    sn_named_probe none;
    assert_int_equal(sn_scene_probe(scene, world, 4, &none, NULL), SN_ERROR_ARGUMENT);

    sn_camera camera = sn_scene_camera(scene);
    assert_true(camera.given);
    near(camera.field_of_view, SN_PI / 3);
    sn_run run = sn_scene_run(scene);
    assert_true(run.seed == UINT64_C(9007199254740992) && run.threads == 2 &&
                run.record_step == 0.01);
    sn_error error = {0};
    sn_status status = sn_world_step(world, run.step, &error);
    if (status != SN_OK) {
        print_error("%s\n", sn_error_message(&error));
    }
    assert_int_equal(status, SN_OK);
    assert_false(sn_world_stopped(world));
    assert_int_equal(sn_world_step(world, run.step, NULL), SN_OK);
    assert_true(sn_world_stopped(world));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static const char tunable[] =
    "{\"sinew\": 1, \"params\": {\n"
    " \"lean\": {\"value\": 30, \"min\": -90, \"max\": \"1.5708rad\", \"unit\": \"deg\", "
    "\"label\": \"Lean\"},\n"
    " \"width\": {\"value\": \"20cm\", \"unit\": \"cm\", \"min\": 0},\n"
    " \"double\": {\"value\": \"=2*width\", \"unit\": \"m\"}, \"plain\": {\"value\": 3}},\n"
    "\"gravity\": [\"=9.81*sin(lean)\", 0, \"=-9.81*cos(lean)\"],\n"
    "\"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"extrusion\", \"height\": \"=double\", "
    "\"outline\": [[0, 0], [\"=width\", 0], [0, 1]]}},\n"
    " {\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, \"=plain - 2\"], \"position\": [1, 0, "
    "0]}],\n"
    "\"fields\": [{\"type\": \"spring\", \"a\": \"a\", \"b\": \"b\", \"stiffness\": \"=plain\"}, "
    "{\"type\": \"drag\", \"of\": \"b\", \"medium_velocity\": [\"=width\", 0, 0], \"linear\": 1}]}";

static void params_move_the_scene(void **state)
{
    (void)state;
    sn_scene *scene = load(tunable);
    assert_int_equal(sn_scene_param_count(scene), 4);
    sn_param lean = sn_scene_param(scene, 0), width = sn_scene_param(scene, 1),
             twice = sn_scene_param(scene, 2);
    assert_string_equal(lean.label, "Lean");
    assert_string_equal(lean.unit, "deg");
    assert_true(lean.value == 30 && lean.minimum == -90);
    near(lean.maximum, 1.5708 * 180 / SN_PI);
    assert_string_equal(width.label, "width");
    near(width.value, 20);
    assert_true(isinf(width.maximum) && width.maximum > 0);
    near(twice.value, 0.4);

    sn_world *world = build(scene);
    near_vec(sn_world_gravity(world), 9.81 * 0.5, 0, -9.81 * sqrt(0.75));
    near(sn_body_mass_properties(world, sn_world_find_body(world, "a")).volume, 0.4 * 0.1);
    sn_error error = {0};
    assert_int_equal(sn_scene_set_param(scene, "width", 50, &error), SN_OK);
    assert_int_equal(sn_scene_set_param(scene, "lean", 0, &error), SN_OK);
    near(sn_scene_param(scene, 2).value, 1.0);
    // Into the running world: gravity and fields, not the bodies.
    assert_int_equal(sn_scene_update(scene, world, &error), SN_OK);
    near_vec(sn_world_gravity(world), 0, 0, -9.81);
    near(sn_body_mass_properties(world, sn_world_find_body(world, "a")).volume, 0.4 * 0.1);
    sn_world_destroy(world);
    world = build(scene);
    near(sn_body_mass_properties(world, sn_world_find_body(world, "a")).volume, 1.0 * 0.25);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// A param takes the unit that its value is written with, or else a limit; bare numbers beside it
// are in that unit too.
static void params_take_the_unit_of_their_value(void **state)
{
    (void)state;
    const char *source = "{\"sinew\": 1, \"params\": {\n"
                         "\"twist\": {\"value\": \"90deg\", \"max\": 180},\n"
                         "\"width\": {\"value\": \"=2*25mm\", \"min\": \"+1 cm\"},\n"
                         "\"speed\": {\"value\": \"7.2 km/h\", \"unit\": \"m/s\"}},\n"
                         "\"gravity\": [\"=twist\", \"=width\", \"=speed\"]}";
    char *text = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        sn_scene *scene = load(pass == 0 ? source : text);
        const char *const units[] = {"deg", "cm", "m/s"};
        const double values[] = {90.0, 5.0, 2.0};
        for (int i = 0; i < 3; ++i) {
            assert_string_equal(sn_scene_param(scene, i).unit, units[i]);
            near(sn_scene_param(scene, i).value, values[i]);
        }
        near(sn_scene_param(scene, 0).maximum, 180.0);
        near(sn_scene_param(scene, 1).minimum, 1.0);
        sn_world *world = build(scene);
        near_vec(sn_world_gravity(world), 0.5 * SN_PI, 0.05, 2.0);
        sn_world_destroy(world);
        if (pass == 0) {
            size_t length;
            assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
        }
        sn_scene_destroy(scene);
    }
    sn_scene_free_text(text);
}

static void refuse_param(sn_scene *scene, const char *name, double value, sn_status expected,
                         const char *message)
{
    char *before, *after;
    size_t before_length, after_length;
    assert_int_equal(sn_scene_resolved_text(scene, &before, &before_length, NULL), SN_OK);
    sn_error error = {0};
    sn_status status = sn_scene_set_param(scene, name, value, &error);
    if (status != expected || strstr(sn_error_message(&error), message) == NULL) {
        print_error("%s = %g: %s\n", name, value, sn_error_message(&error));
    }
    assert_int_equal(status, expected);
    assert_non_null(strstr(sn_error_message(&error), message));
    // Nothing has changed.
    assert_int_equal(sn_scene_resolved_text(scene, &after, &after_length, NULL), SN_OK);
    assert_string_equal(before, after);
    sn_scene_free_text(before);
    sn_scene_free_text(after);
}

static void bad_params_change_nothing(void **state)
{
    (void)state;
    sn_scene *scene = load(tunable);
    refuse_param(scene, "wdth", 1, SN_ERROR_ARGUMENT, "no param \"wdth\"");
    refuse_param(scene, "double", 1, SN_ERROR_ARGUMENT, "is computed as \"=2*width\"");
    refuse_param(scene, "width", NAN, SN_ERROR_ARGUMENT, "finite");
    refuse_param(scene, "width", -1, SN_ERROR_SCENE, "expected at least 0");
    refuse_param(scene, "lean", 91, SN_ERROR_SCENE,
                 "the param \"lean\" is 91 deg, expected at most");
    refuse_param(scene, "width", 0, SN_ERROR_SCENE,
                 "test.json:6:67: \"height\" must be greater than 0, got 0 from \"=double\"");
    refuse_param(scene, "plain", 7, SN_ERROR_SCENE,
                 "test.json:7:38: body 'b': "); // inertia 1, 1, 5
    refuse_param(scene, "plain", -1, SN_ERROR_SCENE, "\"stiffness\" must not be negative");
    // And the scene goes on working.
    assert_int_equal(sn_scene_set_param(scene, "width", 10, NULL), SN_OK);
    sn_world *world = build(scene);
    near(sn_body_mass_properties(world, sn_world_find_body(world, "a")).volume, 0.2 * 0.05);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void includes_are_merged(void **state)
{
    (void)state;
    sn_scene *scene = load_file("tests/data/scenes/assembly.json");
    assert_string_equal(sn_scene_name(scene), "assembly");
    sn_run run = sn_scene_run(scene);
    assert_true(run.time == 3.0 && run.step == 0.002); // one from the included file, one overridden
    sn_world *world = build(scene);
    near_vec(sn_world_gravity(world), 0, 0, -1.62);
    assert_int_equal(sn_world_body_count(world), 2);
    assert_string_equal(sn_body_name(world, sn_world_body(world, 0)),
                        "ball"); // included ones come first
    near(sn_body_mass_properties(world, sn_world_find_body(world, "ball")).mass,
         8500 * 4.0 / 3.0 * SN_PI * 27e-6);
    assert_true(fabs(sn_body_mass_properties(world, sn_world_find_body(world, "block")).mass -
                     720 * 8e-6) < 1e-9);
    // The overridden step is no longer computed from the param.
    assert_int_equal(sn_scene_set_param(scene, "width", 6, NULL), SN_OK);
    assert_true(sn_scene_run(scene).step == 0.002);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static const char *find_text(void *user, const char *path, size_t *length)
{
    *(int *)user += 1;
    const char *text =
        strcmp(path, "inside/b.json") == 0 ? "{\"sinew\": 1, \"gravity\": [0, 0, 5]}" : NULL;
    *length = text != NULL ? strlen(text) : 0;
    return text;
}

static void includes_can_come_from_a_program(void **state)
{
    (void)state;
    int asked = 0;
    sn_scene_options options = {.folder = "inside", .find = find_text, .user = &asked};
    const char *text = "{\"sinew\": 1, \"include\": \"b.json\"}";
    sn_scene *scene = NULL;
    assert_int_equal(sn_scene_load_text("a", text, strlen(text), &options, &scene, NULL), SN_OK);
    assert_int_equal(asked, 1);
    sn_world *world = build(scene);
    near_vec(sn_world_gravity(world), 0, 0, 5);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// The same world from the resolved text: every bit of the state, at the start and after some steps.
static void check_round_trip(const sn_scene *scene)
{
    char *text;
    size_t length;
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, NULL), SN_OK);
    sn_scene *again = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text("resolved", text, length, NULL, &again, &errors);
    print_errors(&errors);
    assert_int_equal(status, SN_OK);
    char *twice;
    size_t twice_length;
    assert_int_equal(sn_scene_resolved_text(again, &twice, &twice_length, NULL), SN_OK);
    assert_string_equal(text, twice);
    sn_world *a = build(scene), *b = build(again);
    assert_int_equal(sn_world_body_count(a), sn_world_body_count(b));
    assert_true(sn_world_hash(a) == sn_world_hash(b));
    for (int i = 0; i < sn_world_body_count(a); ++i) {
        sn_mass_properties ma = sn_body_mass_properties(a, sn_world_body(a, i));
        sn_mass_properties mb = sn_body_mass_properties(b, sn_world_body(b, i));
        assert_memory_equal(&ma, &mb, sizeof ma);
    }
    double step = sn_scene_run(scene).step;
    assert_true(step == sn_scene_run(again).step);
    for (int i = 0; i < rounds_of(20, 2); ++i) {
        assert_int_equal(sn_world_step(a, step, NULL), SN_OK);
        assert_int_equal(sn_world_step(b, step, NULL), SN_OK);
        assert_true(sn_world_hash(a) == sn_world_hash(b));
    }
    sn_world_destroy(a);
    sn_world_destroy(b);
    sn_scene_destroy(again);
    sn_scene_free_text(text);
    sn_scene_free_text(twice);
}

static void resolved_text_is_the_same_scene(void **state)
{
    (void)state;
    sn_scene *scene = load(workshop);
    check_round_trip(scene);
    sn_scene_destroy(scene);
    scene = load(tunable);
    check_round_trip(scene);
    assert_int_equal(sn_scene_set_param(scene, "width", 33.3, NULL), SN_OK);
    assert_int_equal(sn_scene_set_param(scene, "lean", -12.3, NULL), SN_OK);
    check_round_trip(scene);
    sn_scene_destroy(scene);
    scene = load_file("tests/data/scenes/assembly.json");
    check_round_trip(scene);
    sn_scene_destroy(scene);
}

static void shipped_scenes_are_good(void **state)
{
    (void)state;
    DIR *folder = opendir("scenes");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0) {
            continue;
        }
        char path[512];
        snprintf(path, sizeof path, "scenes/%s", entry->d_name);
        sn_scene *scene = load_file(path);
        assert_true(strlen(sn_scene_description(scene)) > 20);
        assert_true(sn_scene_camera(scene).given);
        assert_true(sn_scene_probe_count(scene) > 0);
        assert_true(sn_scene_param_count(scene) > 0);
        for (int i = 0; i < sn_scene_param_count(scene); ++i) {
            sn_param param = sn_scene_param(scene, i);
            assert_string_not_equal(param.label, param.name);
        }
        check_round_trip(scene);
        sn_scene_destroy(scene);
        count += 1;
    }
    closedir(folder);
    assert_in_range(count, 6, 100);
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    const char *texts[] = {workshop, tunable,
                           "{\"sinew\": 1, \"bdies\": 5, \"name\": 7, \"bodies\": [{\"name\": "
                           "\"a\", \"mass\": -1, \"material\": \"x\"}]}"};
    for (int t = 0; t < 3; ++t) {
        for (int n = 0;; ++n) {
            sn_scene *scene = NULL;
            sn_error_list errors = {0};
            sn_allocation_fail_after(n);
            sn_status status =
                sn_scene_load_text("t", texts[t], strlen(texts[t]), NULL, &scene, &errors);
            sn_allocation_fail_after(-1);
            sn_error_list_free(&errors);
            if (status != SN_ERROR_MEMORY) {
                assert_int_equal(status, t == 2 ? SN_ERROR_SCENE : SN_OK);
                assert_true(n > 10);
                sn_scene_destroy(scene);
                break;
            }
            assert_null(scene);
        }
    }
}

static void work_survives_lack_of_memory(void **state)
{
    (void)state;
    sn_scene *scene = load(tunable);
    for (int n = 0;; ++n) {
        sn_allocation_fail_after(n);
        double width = 10 + n;
        sn_status status = sn_scene_set_param(scene, "width", width, NULL);
        char *text = NULL;
        size_t length;
        sn_world *world = NULL;
        status = status == SN_OK ? sn_scene_build(scene, &world, NULL) : status;
        status = status == SN_OK ? sn_scene_resolved_text(scene, &text, &length, NULL) : status;
        sn_allocation_fail_after(-1);
        sn_world_destroy(world);
        sn_scene_free_text(text);
        if (status == SN_OK) {
            assert_true(n > 5);
            break;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
    check_round_trip(scene);
    sn_scene_destroy(scene);

    // A file with includes and an imported mesh; the importer allocates on its own, so that only
    // ours can fail.
    for (int n = 0; n < 400; ++n) {
        sn_error_list errors = {0};
        sn_allocation_fail_after(n);
        sn_status status =
            sn_scene_load_file("tests/data/scenes/assembly.json", NULL, &scene, &errors);
        sn_allocation_fail_after(-1);
        sn_error_list_free(&errors);
        if (status == SN_OK) {
            sn_scene_destroy(scene);
            assert_true(n > 20);
            return;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
        assert_null(scene);
    }
    fail_msg("never enough memory");
}

static void paths_are_simplified(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"", "a.json", "a.json"}, {"x", "../a.json", "a.json"}, {"x/y", "./../a/b", "x/a/b"},
        {"", "../a", "../a"},     {"..", "../a", "../../a"},    {"x", "/abs/./a", "/abs/a"},
        {"/", "../a", "/a"},      {"x//y", "a", "x/y/a"},       {"x", "..", "."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *path = sn_path_join(cases[i][0], cases[i][1]);
        assert_string_equal(path, cases[i][2]);
        sn_free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_scene_has_defaults),
        cmocka_unit_test(values_reach_the_world),
        cmocka_unit_test(params_move_the_scene),
        cmocka_unit_test(params_take_the_unit_of_their_value),
        cmocka_unit_test(bad_params_change_nothing),
        cmocka_unit_test(includes_are_merged),
        cmocka_unit_test(includes_can_come_from_a_program),
        cmocka_unit_test(resolved_text_is_the_same_scene),
        cmocka_unit_test(shipped_scenes_are_good),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(work_survives_lack_of_memory),
        cmocka_unit_test(paths_are_simplified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
