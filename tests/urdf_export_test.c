// Scenes as URDF: read back they are the same mechanism and move in the same way; what URDF cannot
// say is told, and what would fall apart is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/text.h"
#include "shortage.h"
#include "sinew/geometry.h"
#include "sinew/scene.h"
#include "world_steps.h"

static const char *find(void *user, const char *path, size_t *length)
{
    (void)path;
    *length = user != NULL ? strlen(user) : 0;
    return user;
}

static sn_scene *load(const char *text, const char *urdf)
{
    sn_scene_options options = {.find = urdf != NULL ? find : NULL, .user = (void *)urdf};
    sn_scene *scene = NULL;
    sn_error_list errors = {0};
    sn_status status = sn_scene_load_text("t", text, strlen(text), &options, &scene, &errors);
    for (int i = 0; i < errors.count; ++i) {
        print_error("%s\n", sn_error_message(&errors.items[i]));
    }
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

static char *export_urdf(const sn_scene *scene, sn_error_list *left_out)
{
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    if (sn_scene_urdf_text(scene, NULL, &text, &length, left_out, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_int_equal(strlen(text), length);
    return text;
}

static bool tells(const sn_error_list *list, const char *words)
{
    for (int i = 0; i < list->count; ++i) {
        if (strstr(list->items[i].text, words) != NULL) {
            return true;
        }
    }
    return false;
}

// A scene that reads a URDF back, at the pose that its export told.
static sn_scene *read_back(const char *urdf, const sn_error_list *left_out)
{
    char text[1000], pose[420] = "";
    for (int i = 0; i < left_out->count; ++i) {
        const char *at = strstr(left_out->items[i].text, "\"pose\":");
        if (at != NULL) {
            snprintf(pose, sizeof pose, ", %s", at);
        }
    }
    snprintf(text, sizeof text,
             "{\"sinew\": 1, \"run\": {\"policy\": \"precise\", \"relative_tolerance\": 1e-12}, "
             "\"robots\": [{\"file\": \"r\"%s}]}",
             pose);
    return load(text, urdf);
}

// Centres of mass and their velocities.
static void assert_same_bodies(const sn_world *a, const sn_world *b, double tolerance)
{
    assert_int_equal(sn_world_body_count(a), sn_world_body_count(b));
    for (int i = 0; i < sn_world_body_count(a); ++i) {
        sn_body one = sn_world_body(a, i);
        const char *name = sn_body_name(a, one);
        sn_body two = sn_world_find_body(b, name);
        assert_true(sn_body_is_valid(b, two));
        assert_int_equal(sn_body_get_type(a, one), sn_body_get_type(b, two));
        if (sn_body_get_type(a, one) == SN_BODY_STATIC) {
            continue;
        }
        double place = sn_distance(sn_body_centre(a, one), sn_body_centre(b, two));
        double speed = sn_distance(sn_body_velocity(a, one), sn_body_velocity(b, two));
        double spin =
            sn_distance(sn_body_angular_velocity(a, one), sn_body_angular_velocity(b, two));
        if (!(place < tolerance && speed < 10 * tolerance && spin < 10 * tolerance)) {
            fail_msg("%s: %g m, %g m/s, %g rad/s apart", name, place, speed, spin);
        }
        assert_int_equal(sn_body_shape_count(a, one), sn_body_shape_count(b, two));
    }
}

// Bodies that hang beside their origins, on turned frames, on joints that run towards the world; a
// static body, a free one, one on a
// plane; limits, friction and a gear.
static const char mechanism[] =
    "{\"sinew\": 1, \"name\": \"A & <B>\", \"run\": {\"policy\": \"precise\", "
    "\"relative_tolerance\": 1e-12},"
    "\"bodies\": ["
    "{\"name\": \"floor\", \"type\": \"static\", \"shape\": {\"type\": \"box\", \"size\": [1, 2, "
    "0.1], \"position\": [0, 0, 0.3]}, \"position\": [0, 0, -1], \"rotation\": {\"euler\": [0, 0, "
    "0.4]}},"
    "{\"name\": \"post\", \"mass\": 3, \"inertia\": [0.25, 0.2, 0.15, 0.01, 0.02, -0.03], "
    "\"centre\": [0.1, 0.2, 0.3], \"position\": [0.5, 0, 0.2], \"rotation\": {\"euler\": [0.3, "
    "-0.2, 1]}},"
    "{\"name\": \"left\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.05, \"height\": 0.4, "
    "\"position\": [0, 0, 0.2], \"rotation\": {\"euler\": [1, 0, 0]}}, \"position\": [0.5, 0.6, "
    "0.4]},"
    "{\"name\": \"right\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"position\": "
    "[0.5, -0.6, 0.4], \"rotation\": {\"euler\": [0, 1, 0]}},"
    "{\"name\": \"glider\", \"shape\": {\"type\": \"box\", \"size\": [0.2, 0.1, 0.1], \"colour\": "
    "\"#123456\"}, \"position\": [0, 1, 0], \"rotation\": {\"euler\": [0.2, 0, 0]}},"
    "{\"name\": \"stone\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"position\": [3, "
    "0, 0], \"rotation\": {\"euler\": [0, 0, 1]}},"
    "{\"name\": \"chip\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.05}, \"position\": [3, "
    "0, 0.5]}],"
    "\"joints\": ["
    "{\"name\": \"foot\", \"type\": \"hinge\", \"parent\": \"post\", \"child\": \"left\", \"at\": "
    "[0.5, 0.3, 0.3], \"axis\": [1, 0, 1], \"limit\": {\"lower\": \"-1rad\", \"upper\": 2}, "
    "\"friction\": 0, \"damping\": 0.01},"
    "{\"name\": \"base\", \"type\": \"hinge\", \"parent\": \"floor\", \"child\": \"left\", "
    "\"parent_frame\": {\"position\": [0.5, 0.6, 1.2], \"rotation\": {\"euler\": [0.5, 0, 0]}}, "
    "\"child_frame\": {\"position\": [0, 0, 0.1], \"rotation\": {\"euler\": [0.5, 0, 0.1]}}},"
    "{\"name\": \"slide\", \"type\": \"slider\", \"parent\": \"right\", \"child\": \"post\", "
    "\"at\": [0.5, -0.5, 0.4], \"axis\": [0.3, 1, 0], \"damping\": 2},"
    "{\"name\": \"plane\", \"type\": \"planar\", \"child\": \"glider\", \"at\": [0, 1.1, 0], "
    "\"axis\": [0, 1, 1]},"
    "{\"name\": \"weld\", \"type\": \"fixed\", \"parent\": \"stone\", \"child\": \"chip\"}]}";

// What stands in "base" above does not meet: the left body is placed by its own frame.
static char *place_left(void)
{
    // The frame on the floor, then the turn of 0.3 rad about its z, then back from the left body's.
    sn_text text = {0};
    sn_transform floor = {sn_vec3_make(0, 0, -1), {cos(0.2), 0, 0, sin(0.2)}};
    sn_transform above = {sn_vec3_make(0.5, 0.6, 1.2), {cos(0.25), sin(0.25), 0, 0}};
    sn_transform turn = {SN_VEC3_ZERO, {cos(0.15), 0, 0, sin(0.15)}};
    sn_quat x = {cos(0.25), sin(0.25), 0, 0}, z = {cos(0.05), 0, 0, sin(0.05)};
    sn_transform below = {sn_vec3_make(0, 0, 0.1), sn_quat_multiply(x, z)};
    sn_transform left = sn_transform_multiply(floor, sn_transform_multiply(above, turn));
    left = sn_transform_multiply(left, sn_transform_inverse(below));
    const char *mark = "\"position\": [0.5, 0.6, 0.4]}";
    const char *at = strstr(mechanism, mark);
    assert_non_null(at);
    sn_text_add_bytes(&text, mechanism, (size_t)(at - mechanism));
    sn_text_format(&text, "\"position\": [%.17g, %.17g, %.17g], \"rotation\": [", left.position.x,
                   left.position.y, left.position.z);
    sn_text_format(&text, "%.17g, %.17g, %.17g, %.17g]}", left.rotation.w, left.rotation.x,
                   left.rotation.y, left.rotation.z);
    sn_text_add(&text, at + strlen(mark));
    assert_false(text.failed);
    return text.data;
}

static void mechanisms_come_back(void **state)
{
    (void)state;
    char *text = place_left();
    sn_scene *scene = load(text, NULL);
    sn_error_list left_out = {0};
    char *urdf = export_urdf(scene, &left_out);
    assert_true(tells(&left_out, "where the joints start, \"pose\": {\"base\": 0.3"));
    assert_int_equal(left_out.count, 1);
    sn_scene *again = read_back(urdf, &left_out);
    assert_string_equal(sn_scene_name(scene), "A & <B>");
    sn_world *a = build(scene), *b = build(again);
    assert_same_bodies(a, b, 1e-12);
    advance(a, 0.01, 40);
    advance(b, 0.01, 40);
    assert_same_bodies(a, b, 1e-8);
    // Positions are counted in the same way, also of joints that run towards the world.
    static const char *const names[] = {"foot", "base", "slide"};
    for (int i = 0; i < 3; ++i) {
        double one = sn_joint_position(a, sn_world_find_joint(a, names[i]), 0);
        double two = sn_joint_position(b, sn_world_find_joint(b, names[i]), 0);
        assert_true(fabs(one) > 1e-3);
        assert_true(fabs(one - two) < 1e-8);
    }
    sn_world_destroy(a);
    sn_world_destroy(b);
    sn_scene_destroy(scene);
    sn_scene_destroy(again);
    sn_scene_free_text(urdf);
    sn_error_list_free(&left_out);
    sn_free(text);
}

// A URDF read and written says the same again; without turned frames, whose angles are rounded, to
// the letter.
static void files_come_back(void **state)
{
    (void)state;
    static const char *const paths[] = {"scenes/robot-arm.urdf", "tests/data/urdf/tree.urdf"};
    for (int i = 0; i < 2; ++i) {
        sn_scene *scene = NULL;
        sn_error_list errors = {0}, left_out = {0};
        assert_int_equal(sn_scene_load_file(paths[i], NULL, &scene, &errors), SN_OK);
        char *first = export_urdf(scene, &left_out);
        assert_int_equal(left_out.count, 0);
        sn_scene *again = load(first, NULL);
        char *second = export_urdf(again, NULL);
        if (i == 0) {
            assert_string_equal(first, second);
        }
        // Limits, efforts and velocities are those of the file.
        assert_non_null(strstr(first, i == 0 ? "<limit lower=\"-1.6\" upper=\"2.3\" "
                                               "effort=\"400\" velocity=\"2.6\"/>"
                                             : "<limit lower=\"-0.5\" upper=\"0.9\" "
                                               "effort=\"100\" velocity=\"1\"/>"));
        sn_world *a = build(scene), *b = build(again);
        advance(a, 0.001, 200);
        advance(b, 0.001, 200);
        assert_same_bodies(a, b, 1e-9);
        sn_world_destroy(a);
        sn_world_destroy(b);
        sn_scene_destroy(scene);
        sn_scene_destroy(again);
        sn_scene_free_text(first);
        sn_scene_free_text(second);
        sn_error_list_free(&left_out);
    }
}

#define THREE                                                                                      \
    "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]}, "         \
    "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0]}, "            \
    "{\"name\": \"c\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [2, 0, 0]}], "
#define HINGE(name, parent, child)                                                                 \
    "{\"name\": \"" name "\", \"type\": \"hinge\", \"parent\": \"" parent                          \
    "\", \"child\": \"" child "\"}"

// Gears are joints that follow others, with the offset of their start.
static void gears_are_mimics(void **state)
{
    (void)state;
    sn_scene *scene = load(
        THREE "\"joints\": [" HINGE("i", "world", "a") ", " HINGE("j", "a", "b") ", " HINGE(
            "k", "b", "c") "], \"couplings\": [{\"gear\": {\"a\": \"j\", \"b\": \"i\", \"ratio\": "
                           "-2}}, {\"name\": \"x\", \"terms\": [{\"joint\": \"k\", \"factor\": 2}, "
                           "{\"joint\": \"j\", \"factor\": 3}]}, {\"name\": \"three\", \"terms\": "
                           "[{\"joint\": \"i\", \"factor\": 1}, {\"joint\": \"j\", \"factor\": 1}, "
                           "{\"joint\": \"k\", \"factor\": 1}]}, {\"name\": \"circle\", \"gear\": "
                           "{\"a\": \"i\", \"b\": \"k\", \"ratio\": 1}}]}",
        NULL);
    sn_error_list left_out = {0};
    char *urdf = export_urdf(scene, &left_out);
    assert_non_null(strstr(urdf, "<mimic joint=\"i\" multiplier=\"-2\" offset=\"0\"/>"));
    assert_non_null(strstr(urdf, "<mimic joint=\"j\" multiplier=\"-1.5\" offset=\"0\"/>"));
    assert_int_equal(left_out.count, 2);
    assert_true(tells(&left_out, "the coupling \"three\""));
    assert_true(tells(&left_out, "the coupling \"circle\""));
    assert_non_null(strstr(urdf, "<!-- left out: the coupling"));
    sn_error_list_free(&left_out);
    sn_scene_free_text(urdf);
    sn_scene_destroy(scene);
}

static void what_is_left_out_is_told(void **state)
{
    (void)state;
    sn_scene *scene = load(
        THREE "\"joints\": [" HINGE(
            "i", "world",
            "a") ", {\"name\": \"j\", \"type\": \"slider\", "
                 "\"parent\": \"a\", \"child\": \"b\", \"stiffness\": 3, \"limit\": {\"upper\": 1, "
                 "\"restitution\": 0.5}, \"drive\": {\"type\": \"force\", \"target\": 1}}, "
                 "{\"name\": \"k--l\", \"type\": \"planar\", \"parent\": \"b\", \"child\": \"c\", "
                 "\"damping\": [1, 1, 2], \"break_force\": 7}], \"fields\": [{\"type\": "
                 "\"drag\"}]}",
        NULL);
    sn_error_list left_out = {0};
    char *urdf = export_urdf(scene, &left_out);
    assert_int_equal(left_out.count, 3);
    assert_true(tells(&left_out, "of the joint \"j\": springs drives what its limits are made of"));
    assert_true(tells(&left_out, "of the joint \"k--l\": limits, dampers and friction of single "
                                 "freedoms when it breaks"));
    assert_true(tells(&left_out, "1 field"));
    assert_non_null(strstr(urdf, "<limit lower=\"-1e+30\" upper=\"1\" effort=\"1e+30\" "
                                 "velocity=\"1e+30\"/>"));
    assert_null(strstr(urdf, "k--l\": limits"));
    sn_scene *again = load(urdf, NULL); // the comments are sound
    sn_scene_destroy(again);
    sn_error_list_free(&left_out);
    sn_scene_free_text(urdf);
    sn_scene_destroy(scene);
}

static void what_falls_apart_is_refused(void **state)
{
    (void)state;
    sn_scene *scene =
        load(THREE "\"joints\": [" HINGE("i", "world",
                                         "a") ", {\"name\": \"j\", \"type\": "
                                              "\"ball\", \"parent\": \"a\", \"child\": \"b\"}]}",
             NULL);
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    assert_int_equal(sn_scene_urdf_text(scene, NULL, &text, &length, NULL, &error),
                     SN_ERROR_UNSUPPORTED);
    assert_non_null(
        strstr(error.text, "hangs on the joint \"j\", and URDF has no word for a ball"));
    assert_string_equal(error.place, "t:1:292");
    assert_null(text);
    sn_scene_destroy(scene);
}

static sn_status count_meshes(void *user, const char *body, int number, const sn_mesh *mesh,
                              const char **file_name, sn_error *error)
{
    (void)error;
    assert_int_equal(number, (*(int *)user)++);
    assert_string_equal(body, number < 2 ? "a" : "b");
    assert_true(sn_mesh_triangle_count(mesh) > 8);
    *file_name = number == 0 ? "ring.obj" : "other.obj";
    return SN_OK;
}

static void other_shapes_are_meshes(void **state)
{
    (void)state;
    sn_scene *scene = load(
        "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"type\": \"torus\", "
        "\"radius\": 2, \"tube_radius\": 0.5}, {\"type\": \"capsule\", \"radius\": 1, \"height\": "
        "1}, {\"type\": \"sphere\", \"radius\": 1}]}, {\"name\": \"b\", \"shape\": {\"type\": "
        "\"tube\", \"path\": [[0, 0, 0], [1, 0, 0]], \"radius\": 0.1}}]}",
        NULL);
    int count = 0;
    sn_urdf_options options = {count_meshes, &count};
    char *text = NULL;
    size_t length = 0;
    sn_error error = {0};
    sn_error_list left_out = {0};
    assert_int_equal(sn_scene_urdf_text(scene, &options, &text, &length, &left_out, &error), SN_OK);
    assert_int_equal(count, 3);
    assert_int_equal(left_out.count, 0);
    assert_non_null(strstr(text, "<mesh filename=\"ring.obj\"/>"));
    sn_scene_free_text(text);
    text = export_urdf(scene, &left_out);
    assert_int_equal(left_out.count, 3);
    assert_true(tells(&left_out, "the form of \"a\", its mass is there: URDF has no torus"));
    sn_scene_free_text(text);
    sn_error_list_free(&left_out);
    sn_scene_destroy(scene);
}

// A plane has no mesh to keep, a rounded box is no box of URDF.
static void grounds_and_roundings(void **state)
{
    (void)state;
    sn_scene *scene = load(
        "{\"sinew\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"static\", \"shapes\": "
        "[{\"type\": \"plane\"}, {\"type\": \"box\", \"size\": [1, 1, 1], \"rounding\": 0.1}]}]}",
        NULL);
    int count = 0;
    sn_urdf_options options = {count_meshes, &count};
    char *text = NULL;
    size_t length = 0;
    sn_error_list left_out = {0};
    assert_int_equal(sn_scene_urdf_text(scene, &options, &text, &length, &left_out, NULL), SN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(left_out.count, 1);
    assert_true(tells(&left_out, "the form of \"a\": URDF has no plane"));
    sn_scene_free_text(text);
    sn_error_list_free(&left_out);
    text = export_urdf(scene, &left_out);
    assert_true(tells(&left_out, "the form of \"a\": URDF has no rounded box"));
    sn_scene_free_text(text);
    sn_error_list_free(&left_out);
    sn_scene_destroy(scene);
}

static void memory_runs_out_anywhere(void **state)
{
    (void)state;
    char *text = place_left();
    sn_scene *scene = load(text, NULL);
    for (shortage s = {.most = 500}; shortage_goes_on(&s);) {
        char *urdf = NULL;
        size_t length = 0;
        sn_error error = {0};
        sn_error_list left_out = {0};
        shortage_begin(&s);
        sn_status status = sn_scene_urdf_text(scene, NULL, &urdf, &length, &left_out, &error);
        shortage_end(&s, status);
        assert_true(s.well || urdf == NULL);
        sn_scene_free_text(urdf);
        sn_error_list_free(&left_out);
    }
    sn_scene_destroy(scene);
    sn_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms_come_back),
        cmocka_unit_test(files_come_back),
        cmocka_unit_test(gears_are_mimics),
        cmocka_unit_test(what_is_left_out_is_told),
        cmocka_unit_test(what_falls_apart_is_refused),
        cmocka_unit_test(other_shapes_are_meshes),
        cmocka_unit_test(grounds_and_roundings),
        cmocka_unit_test(memory_runs_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
