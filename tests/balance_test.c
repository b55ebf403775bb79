// Balance of mobiles: closed forms, the rule of levers, least change against a search, modes of the
// built world, and what cannot be balanced.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "mobile/balance.h"
#include "mobile/least_change.h"
#include "mobile/outline_preset.h"
#include "sinew/mechanics.h"
#include "sinew/mobile.h"

#define PI 3.14159265358979323846

// ---- least change ----

// Two unknowns, one equation: the foot of the perpendicular, or the end that bounds leave.
static void test_least_change(void **state)
{
    (void)state;
    double a[] = {1.0, 2.0}, b[] = {10.0}, wanted[] = {1.0, 1.0}, x[2];
    double lower[] = {0.0, 0.0}, upper[] = {100.0, 100.0};
    bool solved;
    int worst;
    sn_error error = {0};
    assert_int_equal(sn_least_change(1, 2, a, b, wanted, lower, upper, x, &solved, &worst, &error),
                     SN_OK);
    assert_true(solved && fabs(x[0] - 2.4) < 1e-14 && fabs(x[1] - 3.8) < 1e-14);
    upper[1] = 3.0;
    assert_int_equal(sn_least_change(1, 2, a, b, wanted, lower, upper, x, &solved, &worst, &error),
                     SN_OK);
    assert_true(solved && fabs(x[0] - 4.0) < 1e-13 && x[1] == 3.0);
    upper[0] = 3.5;
    assert_int_equal(sn_least_change(1, 2, a, b, wanted, lower, upper, x, &solved, &worst, &error),
                     SN_OK);
    assert_false(solved);
    assert_int_equal(worst, 0);
}

// Random problems with bounds: the equations hold, and no small step along them comes nearer.
static void test_least_change_is_least(void **state)
{
    (void)state;
    enum { N = 9, ROWS = 4 };
    sn_random random = {.seed = 7};
    for (int trial = 0; trial < 300; ++trial) {
        double a[ROWS * N], b[ROWS], wanted[N], lower[N], upper[N], x[N], inside[N];
        for (int i = 0; i < N; ++i) {
            wanted[i] = 1.0;
            lower[i] = 0.6;
            upper[i] = 1.5;
            inside[i] = 0.65 + 0.8 * sn_random_unit(&random);
        }
        for (int i = 0; i < ROWS; ++i) {
            b[i] = 0.0;
            for (int j = 0; j < N; ++j) {
                a[i * N + j] = 2.0 * sn_random_unit(&random) - 1.0;
                b[i] += a[i * N + j] * inside[j];
            }
        }
        bool solved;
        int worst;
        sn_error error = {0};
        assert_int_equal(
            sn_least_change(ROWS, N, a, b, wanted, lower, upper, x, &solved, &worst, &error),
            SN_OK);
        assert_true(solved);
        double distance = 0.0, other = 0.0, slope = 0.0;
        for (int i = 0; i < ROWS; ++i) {
            double sum = -b[i];
            for (int j = 0; j < N; ++j) {
                sum += a[i * N + j] * x[j];
            }
            assert_true(fabs(sum) < 1e-12);
        }
        for (int j = 0; j < N; ++j) {
            assert_true(x[j] >= lower[j] && x[j] <= upper[j]);
            distance += (x[j] - 1.0) * (x[j] - 1.0);
            other += (inside[j] - 1.0) * (inside[j] - 1.0);
            slope += (x[j] - 1.0) * (inside[j] - x[j]);
        }
        // A convex problem: every other solution is uphill from the least.
        assert_true(distance <= other + 1e-12 && slope > -1e-11);
    }
}

// ---- one arm ----

#define LEVER                                                                                      \
    "{\"sinew\":1,\"mobiles\":[{\"name\":\"m\",%s\"hangs\":{\"arm\":0.4,\"mass\":0.012,"           \
    "\"height\":0.01,\"hook_thickness\":0,%s\"carries\":["                                         \
    "{\"sphere\":\"1mm\",\"mass\":0.03,\"fixed\":true,\"hole\":[0,0]},"                            \
    "{\"sphere\":\"1mm\",\"mass\":0.05,\"fixed\":true,\"hole\":[0,0]}]}}]}"

static sn_scene *load_format(const char *format, const char *mobile, const char *arm)
{
    char text[2000];
    snprintf(text, sizeof text, format, mobile, arm);
    return load(text);
}

// x = (m2 L + mr L/2)/(m1 + m2 + mr), and the tilt of one gram too much.
static void test_pivot_of_an_arm(void **state)
{
    (void)state;
    sn_scene *scene = load_format(LEVER, "\"balance\":\"pivots\",", "");
    assert_int_equal(sn_scene_mobile_count(scene), 1);
    assert_int_equal(sn_scene_mobile_part_count(scene, 0), 3);
    sn_mobile_part arm = sn_scene_mobile_part(scene, 0, 0);
    assert_string_equal(arm.name, "m/arm1");
    double x = (0.05 * 0.4 + 0.012 * 0.2) / 0.092;
    assert_true(fabs(arm.hook - x) < 1e-15);
    assert_true(fabs(arm.hanging.load - 0.092) < 1e-15);
    assert_true(arm.hanging.torque < 1e-15 && arm.hanging.stable);
    assert_true(fabs(arm.hanging.depth - 0.01) < 1e-14);
    double tilt = atan(0.001 * x / (0.092 * 0.01 + 0.001 * 0.01));
    assert_true(fabs(arm.hanging.tilt_per_gram - tilt) < 1e-12);
    assert_true(fabs(arm.hanging.tilt_per_gram * 180 / PI - 14.7) < 0.05);
    assert_true(fabs(arm.hanging.frequency - 0.267) < 0.001);
    // The same frequency from the built world, whose modes know nothing of levers.
    sn_world *world = build(scene);
    sn_modes modes = {0};
    sn_error error = {0};
    assert_int_equal(sn_world_modes(world, &modes, &error), SN_OK);
    double nearest = 1e9;
    for (int i = 0; i < modes.count; ++i) {
        nearest = fmin(nearest, fabs(modes.list[i].frequency - arm.hanging.frequency));
    }
    assert_true(nearest < 1e-6 * arm.hanging.frequency);
    sn_modes_free(&modes);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// The tilt per gram: the arm with one gram more at its far end settles there.
static void test_tilt_per_gram(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\":1,\"mobiles\":[{\"name\":\"m\",\"hangs\":{\"arm\":0.4,\"mass\":0.012,"
             "\"hook\":0.24347826086956523,\"height\":0.01,\"hook_thickness\":0,\"carries\":["
             "{\"sphere\":\"1mm\",\"mass\":0.031,\"fixed\":true,\"hole\":[0,0]},"
             "{\"sphere\":\"1mm\",\"mass\":0.05,\"fixed\":true,\"hole\":[0,0]}]}}]}");
    sn_world *world = build(scene);
    sn_equilibrium rest = {0};
    sn_error error = {0};
    assert_int_equal(sn_world_equilibrium(world, NULL, &rest, &error), SN_OK);
    sn_transform frame = sn_body_transform(world, sn_world_body(world, 0));
    sn_vec3 x = sn_rotate(frame.rotation, sn_vec3_make(1, 0, 0));
    double tilt = asin(x.z), lever = 0.24347826086956523;
    assert_true(fabs(tilt - atan(0.001 * lever / (0.093 * 0.01))) < 1e-6);
    sn_mobile_part arm = sn_scene_mobile_part(scene, 0, 0);
    assert_true(fabs(arm.hanging.tilt - tilt) < 1e-6);
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

// A hook below the weight topples; one at its height rests everywhere.
static void test_unstable(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\":1,\"mobiles\":[{\"balance\":\"pivots\",\"hangs\":{\"arm\":0.4,\"bow\":0.1,"
             "\"height\":0,\"carries\":[{\"sphere\":\"1cm\",\"fixed\":true,\"turn\":0},"
             "{\"sphere\":\"1cm\",\"fixed\":true}]}}]}");
    sn_mobile_part arm = sn_scene_mobile_part(scene, 0, 0);
    assert_true(arm.hanging.stable && arm.hanging.depth > 0.0);
    sn_scene_destroy(scene);
    scene = load("{\"sinew\":1,\"mobiles\":[{\"balance\":\"pivots\",\"hangs\":{\"arm\":0.4,"
                 "\"bow\":-0.1,\"height\":0,\"carries\":[{\"sphere\":\"1cm\",\"fixed\":true},"
                 "{\"sphere\":\"1cm\",\"fixed\":true}]}}]}");
    arm = sn_scene_mobile_part(scene, 0, 0);
    assert_false(arm.hanging.stable);
    assert_true(arm.hanging.depth < 0.0 && arm.hanging.period == 0.0);
    sn_scene_destroy(scene);
}

// ---- trees ----

static const char TREE[] =
    "{\"sinew\":1,\"materials\":{\"steel\":{\"density\":7850}},\"mobiles\":[{\"name\":\"m\","
    "\"material\":\"steel\",\"balance\":\"%s\",%s\"hangs\":"
    "{\"arm\":0.5,\"bow\":0.06,\"hook\":0.2,\"carries\":["
    "{\"leaf\":\"drop\",\"length\":0.16,\"fixed\":true,\"flat\":true,\"angle\":\"10deg\"},"
    "{\"arm\":0.4,\"tilt\":\"8deg\",\"drop\":0.02,\"turn\":\"70deg\",\"hook\":0.15,\"carries\":["
    "{\"leaf\":\"fin\",\"length\":0.15,\"string\":0.1},"
    "{\"wire\":[[0,0],[0.1,0.04],[0.25,0.05],[0.3,0]],\"smooth\":true,\"hook\":0.14,\"carries\":["
    "{\"disc\":0.03,\"fixed\":true},"
    "{\"sphere\":0.012,\"at\":0.25},"
    "{\"leaf\":\"leaf\",\"length\":0.12,\"bend\":\"40deg\",\"flat\":true,\"fixed\":true}"
    "]}]}]}}]}";

// Three levels, every kind of piece: the built world has nothing left to move it.
static void check_at_rest(const sn_scene *scene)
{
    sn_world *world = build(scene);
    sn_equilibrium rest = {0};
    sn_equilibrium_def def = sn_default_equilibrium_def();
    def.most_iterations = 20;
    sn_error error = {0};
    sn_vec3 before[32];
    int count = sn_world_body_count(world);
    for (int i = 0; i < count; ++i) {
        before[i] = sn_body_transform(world, sn_world_body(world, i)).position;
    }
    if (sn_world_equilibrium(world, &def, &rest, &error) != SN_OK) {
        fail_msg("%s", sn_error_message(&error));
    }
    assert_true(rest.stable && rest.torque < 1e-9 && rest.force < 1e-9);
    for (int i = 0; i < count; ++i) {
        sn_vec3 now = sn_body_transform(world, sn_world_body(world, i)).position;
        assert_true(sn_distance(before[i], now) < 1e-9);
    }
    sn_equilibrium_free(&rest);
    sn_world_destroy(world);
}

static void test_tree(void **state)
{
    (void)state;
    static const char *const ways[] = {"pivots", "masses", "sizes", "thickness", "pose"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        // The ball has no thickness, and the two leaves beside it cannot do all of its work.
        sn_scene *scene = load_format(TREE, ways[i], "\"least\":0.02,\"most\":50,");
        for (int k = 0; k < sn_scene_mobile_part_count(scene, 0); ++k) {
            sn_mobile_part part = sn_scene_mobile_part(scene, 0, k);
            if (!part.fixed) {
                assert_true(part.hanging.torque < 1e-12);
                assert_true(part.hanging.stable);
            }
        }
        check_at_rest(scene);
        sn_scene_destroy(scene);
    }
}

// Levers: at an arm that carries two things by hooks, weights are as the other's arm.
static void test_ratio_of_masses(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\":1,\"mobiles\":[{\"mass\":\"1kg\",\"balance\":\"masses\",\"most\":1e9,"
             "\"least\":1e-9,\"wire_thickness\":\"1um\",\"hangs\":{\"arm\":0.5,\"hook\":0.2,"
             "\"hook_thickness\":0,\"carries\":[{\"disc\":0.02},{\"arm\":0.3,\"hook\":0.1,"
             "\"hook_thickness\":0,\"carries\":[{\"disc\":0.02},{\"sphere\":0.01}]}]}}]}");
    double top = sn_scene_mobile_part(scene, 0, 1).mass;
    double left = sn_scene_mobile_part(scene, 0, 3).mass,
           right = sn_scene_mobile_part(scene, 0, 4).mass;
    assert_true(fabs(top / (left + right) - 0.3 / 0.2) < 1e-6);
    assert_true(fabs(left / right - 0.2 / 0.1) < 1e-6);
    assert_true(fabs(top + left + right - 1.0) < 1e-6);
    assert_true(fabs(sn_scene_mobile_part(scene, 0, 0).hanging.load - 1.0) < 1e-12);
    sn_scene_destroy(scene);
}

// Sizes are the least change of masses: moving along the one freedom that balance leaves makes it
// larger.
static void test_sizes_are_least(void **state)
{
    (void)state;
    sn_scene *scene =
        load("{\"sinew\":1,\"mobiles\":[{\"balance\":\"sizes\",\"hangs\":{\"arm\":0.5,\"hook\":0.2,"
             "\"carries\":[{\"disc\":0.03},{\"sphere\":0.01}]}}]}");
    double a = sn_scene_mobile_part(scene, 0, 1).size, b = sn_scene_mobile_part(scene, 0, 2).size;
    double disc = 2700 * PI * 0.03 * 0.03 * 0.001, ball = 2700 * 4.0 / 3.0 * PI * 1e-6;
    double wire = 2700 * PI * 1e-6 * 0.5; // its middle is 5 cm from the hook
    double found = pow(a * a - 1, 2) + pow(b * b * b - 1, 2);
    for (int i = -1; i <= 1; ++i) {
        double other = b + 1e-3 * i;
        double needed = (ball * other * other * other * 0.3 + wire * 0.05) / 0.2;
        double size = sqrt(needed / disc);
        double change = pow(size * size - 1, 2) + pow(other * other * other - 1, 2);
        assert_true(i == 0 ? fabs(size - a) < 1e-10 : change > found);
    }
    sn_scene_destroy(scene);
}

// The same mobile ten times as large has the same hooks, masses and angles in its own measure.
static void test_scale(void **state)
{
    (void)state;
    static const char text[] =
        "{\"sinew\":1,\"params\":{\"k\":{\"value\":1}},\"mobiles\":[{\"balance\":\"%s\","
        "\"wire_thickness\":\"=k*0.002\",\"sheet_thickness\":\"=k*0.001\",\"height\":\"=k*0.01\","
        "%s\"string_thickness\":\"=k*0.0005\",\"hangs\":{\"arm\":\"=k*0.4\",\"hook\":\"=k*0.15\","
        "\"carries\":[{\"leaf\":\"fish\",\"length\":\"=k*0.1\",\"string\":\"=k*0.05\"},"
        "{\"leaf\":\"star\",\"length\":\"=k*0.06\",\"fixed\":true}]}}]}";
    static const char *const ways[] = {"pivots", "masses", "sizes", "thickness"};
    sn_error error = {0};
    for (size_t i = 0; i < 4; ++i) {
        sn_scene *scene = load_format(text, ways[i], "");
        double small[3], sizes[3];
        for (int k = 0; k < 3; ++k) {
            small[k] = sn_scene_mobile_part(scene, 0, k).mass;
            sizes[k] = sn_scene_mobile_part(scene, 0, k).size;
        }
        double hook = sn_scene_mobile_part(scene, 0, 0).hook;
        for (int n = 0; n < 2; ++n) {
            double factor = n == 0 ? 100.0 : 0.01;
            assert_int_equal(sn_scene_set_param(scene, "k", factor, &error), SN_OK);
            assert_true(fabs(sn_scene_mobile_part(scene, 0, 0).hook / factor - hook) < 1e-9);
            for (int k = 0; k < 3; ++k) {
                sn_mobile_part part = sn_scene_mobile_part(scene, 0, k);
                assert_true(fabs(part.mass / (factor * factor * factor * small[k]) - 1) < 1e-9);
                assert_true(fabs(part.size - sizes[k]) < 1e-9);
            }
        }
        sn_scene_destroy(scene);
    }
}

// ---- other balances of a loaded scene, and its text ----

static void test_balance_again(void **state)
{
    (void)state;
    char text[3000];
    snprintf(text, sizeof text, TREE, "none", "\"least\":0.02,\"most\":50,/*here*/");
    char *comment = strstr(text, "/*here*/");
    memcpy(comment, "        ", 8);
    sn_scene *scene = load(text);
    sn_error error = {0};
    assert_true(sn_scene_mobile_part(scene, 0, 0).hanging.torque > 1e-6);
    for (int way = SN_BALANCE_PIVOTS; way <= SN_BALANCE_THICKNESS; ++way) {
        if (sn_scene_balance(scene, 0, (sn_balance_for)way, &error) != SN_OK) {
            fail_msg("%s", sn_error_message(&error));
        }
        check_at_rest(scene);
        char *balanced = NULL;
        size_t length = 0;
        assert_int_equal(
            sn_scene_balanced_text(scene, text, strlen(text), &balanced, &length, &error), SN_OK);
        assert_int_equal(length, strlen(balanced));
        sn_scene *again = load(balanced);
        for (int k = 0; k < sn_scene_mobile_part_count(scene, 0); ++k) {
            sn_mobile_part a = sn_scene_mobile_part(scene, 0, k);
            sn_mobile_part b = sn_scene_mobile_part(again, 0, k);
            assert_true(a.hook == b.hook && fabs(a.mass - b.mass) <= 1e-15 * a.mass);
            assert_true(a.size == b.size && a.thickness == b.thickness);
            assert_true(b.hanging.torque < 1e-12);
        }
        sn_scene_destroy(again);
        sn_scene_free_text(balanced);
    }
    assert_int_equal(sn_scene_balance(scene, 1, SN_BALANCE_PIVOTS, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_balance(scene, 0, (sn_balance_for)99, &error), SN_ERROR_ARGUMENT);
    sn_scene_destroy(scene);
}

// Numbers keep the author's units, and those that do not change keep their digits.
static void test_text_as_given(void **state)
{
    (void)state;
    static const char text[] =
        "{\"sinew\":1,\"mobiles\":[{\"sheet_thickness\":\"0.50mm\",\"hangs\":"
        "{\"arm\":\"26cm\",\"hook\":\"12.50 cm\",\"carries\":["
        "{\"disc\":\"30mm\",\"mass\":2.50e-2},"
        "{\"arm\":\"4\\\"\",\"carries\":[{\"leaf\":\"oval\",\"length\":\"2in\"},"
        "{\"arm\":0.10,\"hook\":0.050,\"carries\":[{\"disc\":0.010},{\"disc\":0.010}]}]}"
        "]}}]}";
    sn_scene *scene = load(text);
    sn_error error = {0};
    char *first = NULL, *second = NULL;
    size_t length = 0;
    assert_int_equal(sn_scene_balance(scene, 0, SN_BALANCE_PIVOTS, &error), SN_OK);
    assert_int_equal(sn_scene_balanced_text(scene, text, strlen(text), &first, &length, &error),
                     SN_OK);
    char expected[80];
    const char *given = strstr(first, "\"hook\":\"");
    assert_non_null(given);
    double hook = sn_scene_mobile_part(scene, 0, 0).hook;
    assert_true(fabs(strtod(given + 8, NULL) * 0.01 / hook - 1.0) < 1e-15);
    snprintf(expected, sizeof expected, " cm\",\"carries\":[{\"disc\":\"30mm\",\"mass\":2.50e-2}");
    assert_non_null(strstr(first, expected));
    // inserted like the arm, in inches
    given = strstr(first, "{\"hook\": \"");
    assert_non_null(given);
    hook = sn_scene_mobile_part(scene, 0, 2).hook;
    assert_true(fabs(strtod(given + 10, NULL) * 0.0254 / hook - 1.0) < 1e-15);
    assert_non_null(strstr(first, "\\\"\", \"arm\":\"4\\\"\""));
    // in the middle already
    assert_non_null(strstr(first, "{\"arm\":0.10,\"hook\":0.050,"));
    sn_scene *again = load(first);
    for (int k = 0; k < sn_scene_mobile_part_count(scene, 0); ++k) {
        double hooks[2] = {sn_scene_mobile_part(scene, 0, k).hook,
                           sn_scene_mobile_part(again, 0, k).hook};
        assert_true(fabs(hooks[0] - hooks[1]) <= 1e-12 * hooks[0]);
    }
    assert_int_equal(sn_scene_balance(again, 0, SN_BALANCE_PIVOTS, &error), SN_OK);
    assert_int_equal(sn_scene_balanced_text(again, first, strlen(first), &second, &length, &error),
                     SN_OK);
    assert_string_equal(first, second); // nothing changes a second time
    sn_scene_free_text(first);
    sn_scene_free_text(second);
    sn_scene_destroy(again);
    sn_scene_destroy(scene);
}

// Bare numbers that only another unit explains are noted with their place.
static void test_doubtful_lengths(void **state)
{
    (void)state;
    sn_scene *scene = load("{\"sinew\":1,\"mobiles\":[{\"hangs\":{\n"
                           "\"arm\":26,\"carries\":[\n"
                           "{\"leaf\":\"oval\",\"length\":120,\"thickness\":1},\n"
                           "{\"leaf\":\"oval\",\"length\":\"12m\",\"width\":0.05}]}}]}");
    const sn_error_list *notes = sn_scene_notes(scene);
    assert_int_equal(notes->count, 3);
    assert_string_equal(notes->items[0].text,
                        "\"arm\": 26 is 26 m, since numbers without a unit are in metres; did you "
                        "mean \"26cm\"?");
    assert_non_null(strstr(notes->items[0].place, ":2:7"));
    assert_non_null(strstr(notes->items[1].text, "did you mean \"120cm\"?"));
    assert_non_null(strstr(notes->items[2].text, "did you mean \"1mm\"?"));
    sn_scene_destroy(scene);
    scene = load("{\"sinew\":1,\"mobiles\":[{\"hangs\":{\"arm\":\"26m\",\"carries\":["
                 "{\"disc\":0.3},{\"disc\":0.3}]}}]}");
    assert_int_equal(sn_scene_notes(scene)->count, 0);
    sn_scene_destroy(scene);
}

// A refusal changes nothing.
static void test_refusal(void **state)
{
    (void)state;
    sn_scene *scene = load_format(LEVER, "", "\"hook\":0.1,\"between\":[0.05,0.2],");
    sn_error error = {0};
    assert_int_equal(sn_scene_balance(scene, 0, SN_BALANCE_PIVOTS, &error), SN_ERROR_SCENE);
    assert_non_null(strstr(error.text, "towards its second end"));
    assert_true(sn_scene_mobile_part(scene, 0, 0).hook == 0.1);
    assert_int_equal(sn_scene_balance(scene, 0, SN_BALANCE_THICKNESS, &error), SN_ERROR_SCENE);
    assert_non_null(strstr(error.text, "nothing whose thickness may change"));
    sn_scene_destroy(scene);
}

static void test_memory(void **state)
{
    (void)state;
    char text[3000];
    snprintf(text, sizeof text, TREE, "sizes", "\"least\":0.02,\"most\":50,");
    int good = 0;
    for (int i = 0; i < 100000 && good == 0; i += 1 + i / 12) {
        sn_scene *scene = NULL;
        sn_error_list errors = {0};
        sn_allocation_fail_after(i);
        sn_status status = sn_scene_load_text("t", text, strlen(text), NULL, &scene, &errors);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        good = status == SN_OK;
        sn_error_list_free(&errors);
        sn_scene_destroy(scene);
    }
    assert_int_equal(good, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_change),    cmocka_unit_test(test_least_change_is_least),
        cmocka_unit_test(test_pivot_of_an_arm), cmocka_unit_test(test_tilt_per_gram),
        cmocka_unit_test(test_unstable),        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_ratio_of_masses), cmocka_unit_test(test_sizes_are_least),
        cmocka_unit_test(test_scale),           cmocka_unit_test(test_balance_again),
        cmocka_unit_test(test_text_as_given),   cmocka_unit_test(test_doubtful_lengths),
        cmocka_unit_test(test_refusal),         cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
