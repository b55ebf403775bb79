// Mobiles in scenes: names, bodies and joints they become, forms and masses, poses, params,
// resolved texts, and every mistake with its place.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "mobile/outline_preset.h"
#include "scene/mobile_item.h"
#include "scene/text.h"
#include "sinew/geometry.h"
#include "sinew/mobile.h"

#define PI 3.14159265358979323846

// ---- forms ----

static double polygon_area(const sn_vec2 *p, int n)
{
    double twice = 0.0;
    for (int i = 0; i < n; ++i) {
        twice += p[i].x * p[(i + 1) % n].y - p[i].y * p[(i + 1) % n].x;
    }
    return 0.5 * twice;
}

// Every preset is one loop without crossings, counter-clockwise, within its length and width.
static void test_presets(void **state)
{
    (void)state;
    for (int i = 0; i < SN_PRESET_COUNT; ++i) {
        sn_vec2 points[256];
        int count = sn_preset_point_count((sn_outline_preset)i), triangles[3 * 600], found;
        assert_true(count <= 256);
        sn_preset_points((sn_outline_preset)i, 0.3, 0.2, points);
        sn_outline outline = {points, &count, 1};
        sn_error error = {0};
        if (sn_triangulate(&outline, triangles, &found, &error) != SN_OK) {
            fail_msg("preset %d: %s", i, sn_error_message(&error));
        }
        double area = polygon_area(points, count), high = 0.0, low = 0.0;
        assert_true(area > 0.15 * 0.3 * 0.2 && area < 0.3 * 0.2);
        for (int k = 0; k < count; ++k) {
            assert_true(points[k].x > -0.01 && points[k].x < 0.31);
            low = fmin(low, points[k].y);
            high = fmax(high, points[k].y);
        }
        double side = i == SN_PRESET_FIN ? 0.21 : 0.11;
        assert_true(high < side && low > -side && high - low > 0.17 && high - low < 0.21);
        assert_true(fabs(points[0].x) < 1e-12 || i == SN_PRESET_MOON);
    }
}

// A closed spline through a circle's points stays near the circle and meets its points.
static void test_spline(void **state)
{
    (void)state;
    sn_vec2 circle[12], curve[12 * 6];
    for (int i = 0; i < 12; ++i) {
        circle[i] = (sn_vec2){cos(i * PI / 6), sin(i * PI / 6)};
    }
    sn_spline_points(circle, 12, true, 6, curve);
    for (int i = 0; i < 12 * 6; ++i) {
        assert_true(fabs(hypot(curve[i].x, curve[i].y) - 1.0) < 2e-3);
        if (i % 6 == 0) {
            assert_true(curve[i].x == circle[i / 6].x && curve[i].y == circle[i / 6].y);
        }
    }
    // Open: straight where the points are.
    sn_vec2 line[] = {{0, 0}, {1, 2}, {3, 6}}, along[2 * 5 + 1];
    sn_spline_points(line, 3, false, 5, along);
    for (int i = 0; i <= 10; ++i) {
        assert_true(fabs(along[i].y - 2.0 * along[i].x) < 1e-12);
    }
    assert_true(along[10].x == 3.0);
}

// ---- bodies and joints ----

static const char SMALL[] =
    "{\"sinew\":1,\"materials\":{\"steel\":{\"density\":7850},\"paper\":{\"density\":800}},"
    "\"mobiles\":[{\"name\":\"m\",\"material\":\"steel\",\"position\":[1,2,3],\"turn\":\"90deg\","
    "\"balance\":\"pivots\",\"ceiling\":0.1,\"damping\":1e-5,\"hangs\":"
    "{\"arm\":0.4,\"string\":0.25,\"carries\":["
    "{\"leaf\":\"leaf\",\"length\":0.1,\"fixed\":true,\"material\":\"paper\"},"
    "{\"arm\":0.2,\"name\":\"low\",\"carries\":[{\"disc\":0.03},{\"disc\":0.02},"
    "{\"sphere\":0.01,\"at\":0.1}]}]}}]}";

static sn_body find_body(const sn_world *world, const char *name)
{
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        if (strcmp(sn_body_name(world, sn_world_body(world, i)), name) == 0) {
            return sn_world_body(world, i);
        }
    }
    fail_msg("no body %s", name);
    return (sn_body){0};
}

static void test_bodies(void **state)
{
    (void)state;
    char text[1200];
    // The middle one needs its place; the order of the others is that of the file.
    snprintf(text, sizeof text, "%s", SMALL);
    char *second = strstr(text, "{\"disc\":0.02}");
    memcpy(second, "{\"disc\":0.02,", 13);
    memmove(second + 13 + 10, second + 13, strlen(second + 13) + 1);
    memcpy(second + 13, "\"at\":0.05}", 10);
    sn_scene *scene = load(text);
    sn_world *world = build(scene);
    assert_int_equal(sn_world_body_count(world), 7);
    static const char *const names[] = {"m/ceiling",   "m/arm1/string", "m/arm1",       "m/low",
                                        "m/low/disc1", "m/low/disc2",   "m/low/sphere1"};
    for (int i = 0; i < 7; ++i) {
        (void)find_body(world, names[i]);
    }
    // The string hangs from the nail, the arm from the string.
    sn_vec3 at = sn_body_transform(world, find_body(world, "m/arm1")).position;
    assert_true(sn_distance(at, sn_vec3_make(1, 2, 2.75)) < 1e-12);
    // Turned by a quarter: the second end points along y.
    sn_vec3 x = sn_rotate(sn_body_transform(world, find_body(world, "m/arm1")).rotation,
                          sn_vec3_make(1, 0, 0));
    assert_true(fabs(x.y - 1.0) < 1e-12);
    // A wire weighs what a cylinder of its length does; its stem too.
    sn_mobile_part arm = sn_scene_mobile_part(scene, 0, 0);
    assert_true(fabs(arm.mass / (7850 * PI * 1e-6 * (0.4 + 0.01)) - 1.0) < 1e-12);
    sn_mobile_part disc = sn_scene_mobile_part(scene, 0, 3);
    assert_string_equal(disc.name, "m/low/disc1");
    assert_string_equal(disc.parent, "m/low");
    assert_true(fabs(disc.mass / (7850 * PI * 0.0009 * 0.001) - 1.0) < 1e-12);
    // What is fixed belongs to its arm's body.
    sn_mobile_part leaf = sn_scene_mobile_part(scene, 0, 1);
    assert_true(leaf.fixed && leaf.mass > 0.0);
    double mass = sn_body_mass_properties(world, find_body(world, "m/arm1")).mass;
    assert_true(fabs(mass - arm.mass - leaf.mass) < 1e-15);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// It hangs as it was wanted: nothing has moved after a long time.
static void test_rests(void **state)
{
    (void)state;
    sn_scene *scene = load(
        "{\"sinew\":1,\"mobiles\":[{\"balance\":\"pivots\",\"position\":[0,0,2],\"hangs\":"
        "{\"arm\":0.5,\"bow\":0.05,\"carries\":[{\"leaf\":\"fish\",\"length\":0.2,\"string\":0.1},"
        "{\"arm\":0.3,\"tilt\":\"5deg\",\"turn\":\"60deg\",\"carries\":["
        "{\"leaf\":\"drop\",\"length\":0.1,\"fixed\":true},{\"leaf\":\"moon\",\"length\":0.08}"
        "]}]}}]}");
    sn_world *world = build(scene);
    sn_transform before[16];
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        before[i] = sn_body_transform(world, sn_world_body(world, i));
    }
    advance(world, 1.0 / 240, 2400);
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_transform now = sn_body_transform(world, sn_world_body(world, i));
        sn_quat turn = sn_quat_multiply(sn_quat_conjugate(before[i].rotation), now.rotation);
        double angle = 2.0 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
        assert_true(angle < 0.1 * PI / 180);
        assert_true(sn_distance(now.position, before[i].position) < 1e-4);
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// A resolved text has bodies and joints instead, and the same world.
static void test_resolved(void **state)
{
    (void)state;
    sn_scene *scene = load(
        "{\"sinew\":1,\"mobiles\":[{\"balance\":\"pivots\",\"foot\":{\"reach\":0.3},\"hangs\":"
        "{\"arm\":0.5,\"carries\":[{\"leaf\":\"fish\",\"length\":0.2,\"string\":0.1},"
        "{\"path\":\"M0 0H60V40H0Z M20 20h5v5h-5z\",\"drop\":0.02}]}}],"
        "\"probes\":[{\"name\":\"swing\",\"of\":\"mobile/arm1\",\"quantity\":\"position.z\"}]}");
    char *text = NULL;
    size_t length;
    sn_error error = {0};
    assert_int_equal(sn_scene_resolved_text(scene, &text, &length, &error), SN_OK);
    assert_null(strstr(text, "mobiles"));
    sn_scene *again = load(text);
    sn_world *a = build(scene), *b = build(again);
    advance(a, 0.005, 100);
    advance(b, 0.005, 100);
    assert_int_equal(sn_world_body_count(a), sn_world_body_count(b));
    for (int i = 0; i < sn_world_body_count(a); ++i) {
        sn_body x = sn_world_body(a, i), y = sn_world_body(b, i);
        assert_true(
            sn_distance(sn_body_transform(a, x).position, sn_body_transform(b, y).position) < 1e-9);
        assert_true(fabs(sn_body_mass_properties(a, x).mass - sn_body_mass_properties(b, y).mass) <
                    1e-12);
    }
    sn_world_destroy(a);
    sn_world_destroy(b);
    sn_scene_destroy(again);
    sn_scene_destroy(scene);
    sn_scene_free_text(text);
}

// Solids from files: a box of 20 x 30 x 40 mm, hung by its top and fixed at its corner.
static void test_solids(void **state)
{
    (void)state;
    static const char path[] = "mobile_test_box.obj";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 8; ++i) {
        fprintf(file, "v %d %d %d\n", 20 * (i & 1), 30 * (i >> 1 & 1) - 15, 40 * (i >> 2 & 1));
    }
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
    fclose(file);
    sn_scene *scene = load(
        "{\"sinew\":1,\"mobiles\":[{\"balance\":\"sizes\",\"hangs\":{\"arm\":0.4,\"hook\":0.15,"
        "\"carries\":[{\"mesh\":\"mobile_test_box.obj\",\"unit\":\"mm\",\"name\":\"a\"},"
        "{\"mesh\":\"mobile_test_box.obj\",\"unit\":\"mm\",\"scale\":0.8,\"fixed\":true,"
        "\"name\":\"b\",\"keep\":true}]}}]}");
    remove(path);
    double volume = 0.02 * 0.03 * 0.04;
    sn_mobile_part a = sn_scene_mobile_part(scene, 0, 1), b = sn_scene_mobile_part(scene, 0, 2);
    assert_true(fabs(a.mass / (2700 * volume * pow(a.size, 3)) - 1) < 1e-6);
    assert_true(fabs(b.mass / (2700 * volume * pow(0.8, 3)) - 1) < 1e-6 && b.size == 1.0);
    sn_mobile_part arm = sn_scene_mobile_part(scene, 0, 0);
    assert_true(arm.hanging.torque < 1e-12);
    // The world's body is the solid that was weighed, its top on the hook.
    sn_world *world = build(scene);
    sn_body body = find_body(world, "mobile/a");
    assert_true(fabs(sn_body_mass_properties(world, body).mass / a.mass - 1) < 1e-9);
    sn_vec3 centre = sn_body_mass_properties(world, body).centre;
    assert_true(fabs(centre.z + 0.02 * a.size) < 1e-6);
    assert_true(sn_length(sn_vec3_make(centre.x, centre.y, 0)) < 1e-9);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// Params move everything again, or nothing at all.
static void test_params(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\":1,\"params\":{\"length\":{\"value\":0.4},\"rho\":{\"value\":2700}},"
             "\"materials\":{\"m\":{\"density\":\"=rho\"}},\"mobiles\":[{\"balance\":\"pivots\","
             "\"material\":\"m\",\"hangs\":{\"arm\":\"=length\",\"carries\":["
             "{\"leaf\":\"leaf\",\"length\":\"=length/4\",\"fixed\":true,\"at\":0},"
             "{\"disc\":0.03,\"at\":0.3,\"mass\":0.01}]}}]}");
    sn_error error = {0};
    sn_mobile_part before = sn_scene_mobile_part(scene, 0, 0);
    assert_int_equal(sn_scene_set_param(scene, "length", 0.5, &error), SN_OK);
    sn_mobile_part after = sn_scene_mobile_part(scene, 0, 0);
    assert_true(after.length == 0.5 && after.hook != before.hook);
    assert_true(after.hanging.torque < 1e-14);
    // Too short for what hangs at 0.3 m: refused, and as it was.
    assert_int_equal(sn_scene_set_param(scene, "length", 0.2, &error), SN_ERROR_SCENE);
    assert_non_null(strstr(error.text, "of a wire that is 0.2 m long"));
    sn_mobile_part still = sn_scene_mobile_part(scene, 0, 0);
    assert_true(still.hook == after.hook && still.length == after.length);
    assert_int_equal(sn_scene_set_param(scene, "rho", 5400, &error), SN_OK);
    assert_true(fabs(sn_scene_mobile_part(scene, 0, 1).mass /
                         (2.0 * sn_scene_mobile_part(scene, 0, 1).mass) -
                     0.5) < 1e-12);
    assert_true(sn_scene_mobile_part(scene, 0, 0).hook != still.hook);
    sn_scene_destroy(scene);
}

// A cascade: every arm hangs on the one above. A thousand of them are read, and far more are
// refused with their place, not by running out of stack.
static void test_cascade(void **state)
{
    (void)state;
    const int counts[] = {1000, 1100};
    for (int i = 0; i < 2; ++i) {
        sn_text text = {0};
        sn_text_add(&text, "{\"sinew\": 1, \"materials\": {\"brass\": {\"density\": 8500}},"
                           "\"mobiles\": [{\"name\": \"m\", \"material\": \"brass\","
                           "\"balance\": \"pivots\", \"height\": \"1cm\", \"hangs\": ");
        for (int k = 0; k < counts[i]; ++k) {
            sn_text_add(&text, "{\"arm\": \"3m\", \"carries\": [{\"disc\": \"2cm\"}, ");
        }
        sn_text_add(&text, "{\"disc\": \"2cm\"}");
        for (int k = 0; k < counts[i]; ++k) {
            sn_text_add(&text, "]}");
        }
        sn_text_add(&text, "}]}");
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_status status = sn_scene_load_text("t", text.data, text.length, NULL, &scene, &errors);
        assert_int_equal(status, i == 0 ? SN_OK : SN_ERROR_SYNTAX);
        if (i == 0) {
            sn_world *world = build(scene);
            assert_int_equal(sn_world_body_count(world), 2 * counts[i] + 1);
            sn_world_destroy(world);
        } else {
            assert_non_null(strstr(sn_error_message(&errors.items[0]), "nested more than 2100"));
        }
        sn_error_list_free(&errors);
        sn_scene_destroy(scene);
        sn_text_free(&text);
    }
}

// ---- mistakes ----

#define M(text) "{\"sinew\":1,\"mobiles\":[{\"balance\":\"pivots\",\"hangs\":" text "}]}"

static void test_mistakes(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {M("{\"arm\":0.4,\"carries\":[{\"sphere\":1e-2,\"fixed\":true},{\"sphere\":0.01,\"at\":0.5}"
           "]}"),
         {"t:1:122: it is at 0.5 m of a wire that is 0.4 m long"}},
        {M("{\"arm\":0.4,\"hook\":0.5,\"carries\":[{\"sphere\":0.01}]}"),
         {"t:1:69: the hook is at 0.5 m of a wire that is 0.4 m long"}},
        {M("{\"arm\":0.4,\"between\":[0.3,0.1],\"carries\":[{\"sphere\":0.01}]}"),
         {"t:1:72: between 0.3 and 0.1 m there is no place"}},
        {M("{\"arm\":0.4,\"between\":[0.3,0.35],\"carries\":[{\"sphere\":0.01},{\"sphere\":0.01}]"
           "}"),
         {"t:1:51: \"mobile/arm1\" cannot be balanced by pivots: the weight of what it carries "
          "is"}},
        {M("{\"sphere\":0.01,\"fixed\":true}"),
         {"t:1:51: the topmost part of a mobile hangs on its nail"}},
        {M("{\"arm\":0.4,\"carries\":[{\"disc\":0.1},{\"disc\":0.1},{\"disc\":0.1}]}"),
         {"t:1:86: the first of the parts on an arm is at its first end"}},
        {M("{\"arm\":0.4,\"thickness\":0}"),
         {"t:1:74: \"thickness\" must be greater than 0, got 0"}},
        {M("{\"arm\":0.4,\"thickness\":0.5}"), {"t:1:74: a wire 0.5 m thick is 0.4 m long"}},
        {M("{\"leaf\":\"leaf\",\"length\":0.1,\"thickness\":0}"),
         {"t:1:91: \"thickness\" must be greater than 0, got 0"}},
        {M("{\"leaf\":\"leef\",\"length\":0.1}"),
         {"t:1:59: \"leaf\": got \"leef\"; did you mean \"leaf\"?"}},
        {M("{\"outline\":[[0,0],[1,1],[1,0],[0,1]]}"), {"t:1:51: \"mobile/leaf1\": "}},
        {M("{\"path\":\"M0 0 K1\"}"),
         {"t:1:59: the path cannot be read at its character 6, \"K1\""}},
        {M("{\"arm\":0.4,\"material\":\"stel\"}"), {"t:1:73: there is no material \"stel\""}},
        {M("{\"wire\":[[0,0],[0,0],[1,0]]}"),
         {"t:1:59: two neighbouring points of the wire are the same"}},
        {M("{\"arm\":0.4,\"carries\":[{\"disc\":0.1,\"fixed\":true,\"string\":1},{\"disc\":0.1}]}"),
         {"t:1:73: what is fixed on its arm has neither a string nor a drop"}},
        {M("{\"arm\":0.4,\"carries\":[{\"disc\":0.1,\"least\":3,\"most\":2},{\"disc\":0.1}]}"),
         {"t:1:93: balancing may make it 3 times at least and 2 times at most"}},
        {M("{\"ram\":0.4}"), {"t:1:52: a part starts with one of the keys arm, wire, leaf"}},
        {"{\"sinew\":1,\"gravity\":[0,0,0],\"mobiles\":[{\"balance\":\"pivots\",\"hangs\":"
         "{\"arm\":0.4}}]}",
         {"t:1:52: mobile 'mobile': a mobile is balanced under gravity along -z"}},
        {"{\"sinew\":1,\"mobiles\":[{\"foot\":{},\"ceiling\":0.1,\"hangs\":{\"arm\":0.4}}]}",
         {"t:1:31: a mobile stands on a foot or hangs from a ceiling"}},
        {"{\"sinew\":1,\"mobiles\":[{\"foot\":{\"ground\":2},\"hangs\":{\"arm\":0.4}}]}",
         {"t:1:31: the nail is -1 m above the ground"}},
        {"{\"sinew\":1,\"mobiles\":[{\"balance\":\"masses\",\"most\":1.1,\"least\":0.9,\"hangs\":{"
         "\"arm\":0.4,\"hook\":0.05,\"carries\":[{\"disc\":0.03},{\"disc\":0.03}]}}]}",
         {"t:1:74: \"mobile/arm1\" cannot be balanced by masses within their bounds: its second "
          "end stays too heavy by"}},
        {"{\"sinew\":1,\"mobiles\":[{\"balance\":\"masses\",\"hangs\":{\"arm\":0.4,\"hook\":0.05,"
         "\"carries\":[{\"disc\":0.03,\"keep\":true},{\"arm\":0.1,\"carries\":[{\"disc\":0.01,"
         "\"at\":0}]}]}}]}",
         {"t:1:111: \"mobile/arm2\" cannot be balanced by masses"}},
        {"{\"sinew\":1,\"mobiles\":[{\"balance\":\"masses\",\"mass\":9,\"hangs\":{\"arm\":0.4,"
         "\"hook\":0.2,\"carries\":[{\"disc\":0.03},{\"disc\":0.03}]}}]}",
         {"t:1:50: mobile 'mobile': a total of 9 kg cannot be reached by masses"}},
        {M("{\"arm\":0.4,\"carries\":[{\"disc\":0.03,\"fixed\":true,\"turn\":\"90deg\"},"
           "{\"disc\":0.03}]}"),
         {"t:1:51: \"mobile/arm1\" leans sideways by"}},
        {"{\"sinew\":1,\"mobiles\":[{\"hangs\":{\"arm\":1}},{\"name\":\"mobile\",\"hangs\":{"
         "\"arm\":1}}]}",
         {"t:1:51: the mobile \"mobile\" has the name of the one at t:1:23",
          "t:1:68: the body \"mobile/arm1\" has the name of the one at",
          "t:1:68: the joint \"mobile/arm1/hook\" has the name of the one at"}},
    };
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),  cmocka_unit_test(test_spline),
        cmocka_unit_test(test_bodies),   cmocka_unit_test(test_rests),
        cmocka_unit_test(test_resolved), cmocka_unit_test(test_params),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_solids),
        cmocka_unit_test(test_cascade),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
