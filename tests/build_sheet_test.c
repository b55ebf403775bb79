// What a mobile is built from: outlines for cutters, read back and measured, and the build sheet.
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sinew/mobile.h"

#define PI 3.14159265358979323846

static const char TEXT[] =
    "{\"sinew\":1,\"name\":\"A <b> & c\",\"materials\":{\"red\":{\"density\":2700,\"colour\":"
    "\"#c02010\"}},\"mobiles\":[{\"name\":\"m\",\"balance\":\"sizes\",\"hangs\":{\"arm\":0.5,"
    "\"hook\":0.2,\"bow\":0.05,\"carries\":[{\"disc\":0.03,\"name\":\"coin\"},"
    "{\"outline\":[[0,0],[0.1,0],[0.1,0.05],[0,0.05]],\"holes\":[[[0.02,0.02],[0.03,0.02],"
    "[0.03,0.03]]],\"material\":\"red\",\"at\":0.3,\"string\":0.1,\"name\":\"card\"},"
    "{\"leaf\":\"leaf\",\"length\":0.12,\"fixed\":true,\"bend\":\"60deg\",\"flat\":true,"
    "\"name\":\"wing\"}]}}]}";

static int count_of(const char *text, const char *piece)
{
    int count = 0;
    for (const char *at = strstr(text, piece); at != NULL; at = strstr(at + 1, piece)) {
        count += 1;
    }
    return count;
}

// The polygons of a DXF file, by its own grammar: pairs of a code and a value.
typedef struct drawing {
    double area, drill_x, drill_y;
    int loops, vertices, circles, points;
    double radius;
    bool ends;
} drawing;

static drawing read_dxf(const char *text)
{
    drawing d = {0};
    char entity[128] = "", layer[128] = "";
    double x = 0, y = 0, first_x = 0, first_y = 0, last_x = 0, last_y = 0, twice = 0;
    int in_loop = 0;
    while (*text != '\0') {
        int code = (int)strtol(text, NULL, 10);
        text = strchr(text, '\n') + 1;
        char value[128];
        size_t n = strcspn(text, "\n");
        snprintf(value, sizeof value, "%.*s", (int)n, text);
        text += n + 1;
        if (code == 0) {
            snprintf(entity, sizeof entity, "%s", value);
            d.loops += strcmp(entity, "POLYLINE") == 0;
            d.circles += strcmp(entity, "CIRCLE") == 0;
            d.points += strcmp(entity, "POINT") == 0;
            d.ends = strcmp(entity, "EOF") == 0;
            if (strcmp(entity, "SEQEND") == 0) {
                twice += last_x * first_y - last_y * first_x;
                d.area += d.loops == 1 ? fabs(0.5 * twice) : -fabs(0.5 * twice);
                in_loop = 0;
                twice = 0.0;
            }
        } else if (code == 8) {
            snprintf(layer, sizeof layer, "%s", value);
        } else if (code == 10) {
            x = strtod(value, NULL);
        } else if (code == 20) {
            y = strtod(value, NULL);
            if (strcmp(entity, "VERTEX") == 0) {
                d.vertices += 1;
                twice += in_loop > 0 ? last_x * y - last_y * x : 0.0;
                first_x = in_loop > 0 ? first_x : x;
                first_y = in_loop > 0 ? first_y : y;
                last_x = x;
                last_y = y;
                in_loop += 1;
            } else if (strcmp(layer, "DRILL") == 0 || strcmp(layer, "MARK") == 0) {
                d.drill_x = x;
                d.drill_y = y;
            }
        } else if (code == 40 && strcmp(layer, "CUT") == 0) {
            d.radius = strtod(value, NULL);
        }
    }
    return d;
}

static void test_dxf(void **state)
{
    (void)state;
    sn_scene *scene = load(TEXT);
    sn_error error = {0};
    for (int i = 0; i < 4; ++i) {
        char *text = NULL;
        size_t length = 0;
        assert_int_equal(sn_scene_cut_dxf(scene, 0, i, &text, &length, &error), SN_OK);
        sn_mobile_part part = sn_scene_mobile_part(scene, 0, i);
        if (i == 0) {
            assert_null(text); // an arm
            continue;
        }
        assert_int_equal(length, strlen(text));
        assert_non_null(strstr(text, "AC1009"));
        drawing d = read_dxf(text);
        assert_true(d.ends);
        if (i == 1) {
            assert_true(d.circles == 2 && d.loops == 0);
            assert_true(fabs(d.radius - 500.0 * part.length) < 1e-5);
        } else {
            // Area times thickness times density is what it weighs; rolling changes nothing.
            double mass = d.area * 1e-6 * part.thickness * 2700.0;
            assert_true(fabs(mass / part.mass - 1.0) < 1e-6);
            assert_int_equal(d.loops, i == 2 ? 2 : 1);
            assert_int_equal(d.circles, i == 2);
            assert_int_equal(d.points, i == 3);
        }
        if (i == 2) {
            double k = 1000.0 * part.size;
            assert_int_equal(d.vertices, 7);
            assert_true(d.drill_y > 0.025 * k && d.drill_y < 0.05 * k);
            assert_true(fabs(d.drill_x - 0.05 * k) < 0.002 * k); // above the middle of its weight
        }
        sn_scene_free_text(text);
    }
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(sn_scene_cut_dxf(scene, 0, 4, &text, &length, &error), SN_ERROR_ARGUMENT);
    assert_int_equal(sn_scene_cut_svg(scene, 1, 0, &text, &length, &error), SN_ERROR_ARGUMENT);
    sn_scene_destroy(scene);
}

static void test_svg(void **state)
{
    (void)state;
    sn_scene *scene = load(TEXT);
    sn_error error = {0};
    char *text = NULL, width[64];
    size_t length = 0;
    assert_int_equal(sn_scene_cut_svg(scene, 0, 2, &text, &length, &error), SN_OK);
    sn_mobile_part part = sn_scene_mobile_part(scene, 0, 2);
    // Two millimetres of margin on each side.
    snprintf(width, sizeof width, "width=\"%.3fmm\"", 1000.0 * part.length + 4.0);
    assert_non_null(strstr(text, width));
    assert_int_equal(count_of(text, "Z"), 2);
    assert_int_equal(count_of(text, "id=\"drill\""), 1);
    sn_scene_free_text(text);
    sn_scene_destroy(scene);
}

static void test_sheet(void **state)
{
    (void)state;
    sn_scene *scene = load(TEXT);
    sn_error error = {0};
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(sn_scene_build_sheet(scene, 0, &text, &length, &error), SN_OK);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "A &lt;b&gt; &amp; c"));
    assert_null(strstr(text, "A <b>"));
    // Nothing from elsewhere; every part in the tables; two plans, an arm, three templates.
    assert_null(strstr(text, "http"));
    assert_null(strstr(text, "src="));
    static const char *const names[] = {"m/arm1", "m/coin", "m/card", "m/wing"};
    for (int i = 0; i < 4; ++i) {
        assert_true(count_of(text, names[i]) >= 2);
    }
    assert_int_equal(count_of(text, "<svg "), 6);
    assert_int_equal(count_of(text, "<figure"), count_of(text, "</figure>"));
    assert_int_equal(count_of(text, "<tr>"), count_of(text, "</tr>"));
    assert_non_null(strstr(text, "roll along its length"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "topples"));
    sn_scene_free_text(text);
    assert_int_equal(sn_scene_build_sheet(scene, 3, &text, &length, &error), SN_ERROR_ARGUMENT);
    sn_scene_destroy(scene);
}

static void test_memory(void **state)
{
    (void)state;
    sn_scene *scene = load(TEXT);
    bool good = false;
    for (int i = 0; i < 200 && !good; ++i) {
        char *text = NULL;
        size_t length = 0;
        sn_error error = {0};
        sn_allocation_fail_after(i);
        sn_status status = sn_scene_build_sheet(scene, 0, &text, &length, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        good = status == SN_OK;
        sn_scene_free_text(text);
    }
    assert_true(good);
    for (int i = 0; i < 200; i += 1 + i / 3) {
        sn_error error = {0};
        sn_allocation_fail_after(i);
        sn_status status = sn_scene_balance(scene, 0, SN_BALANCE_MASSES, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || status == SN_ERROR_MEMORY);
        assert_int_equal(sn_scene_balance(scene, 0, SN_BALANCE_SIZES, &error), SN_OK);
    }
    sn_scene_destroy(scene);
}

// A leaf that is too wide for the page is turned where it then fits at full size: 221 mm and the
// room for its measures are 237 mm of paper, upright.
static void test_turned_leaf(void **state)
{
    (void)state;
    static const struct {
        const char *length, *caption, *drawing;
    } cases[] = {
        {"160mm", "&middot; 1:1<br>", "<svg width=\"176.00mm\""},
        {"221mm", "&middot; 1:1, turned to fit the page: its left is below<br>",
         "height=\"237.00mm\""},
        {"234mm", "&middot; 1:1, turned to fit the page: its left is below<br>",
         "height=\"250.00mm\""},
        {"235mm", "&middot; 1:2<br>", "<svg width=\"133.50mm\""},
    };
    for (int i = 0; i < 4; ++i) {
        char text[200];
        snprintf(text, sizeof text,
                 "{\"sinew\":1,\"mobiles\":[{\"hangs\":{\"leaf\":\"oval\",\"length\":\"%s\","
                 "\"width\":\"60mm\"}}]}",
                 cases[i].length);
        sn_scene *scene = load(text);
        char *sheet = NULL;
        size_t length = 0;
        sn_error error = {0};
        assert_int_equal(sn_scene_build_sheet(scene, 0, &sheet, &length, &error), SN_OK);
        const char *templates = strstr(sheet, "Templates");
        assert_non_null(templates);
        assert_non_null(strstr(templates, cases[i].caption));
        assert_non_null(strstr(templates, cases[i].drawing));
        sn_scene_free_text(sheet);
        sn_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dxf), cmocka_unit_test(test_svg), cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_turned_leaf), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
