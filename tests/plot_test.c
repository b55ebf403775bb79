// Plots: axes with sensible ticks, lines that show every extreme, gaps where there is no number,
// and a file that is valid XML whatever the names are.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "record/axis.h"
#include "record/output.h"
#include "scene/xml.h"
#include "sinew/record.h"

static char csv_path[64], svg_path[80];

static void check_label(const sn_axis *axis, int tick, const char *expected)
{
    sn_text text = {0};
    sn_axis_label(axis, axis->ticks[tick], &text);
    assert_string_equal(text.data, expected);
    sn_text_free(&text);
}

static void check_note(const sn_axis *axis, const char *expected)
{
    sn_text text = {0};
    sn_text_add(&text, "");
    sn_axis_note(axis, &text);
    assert_string_equal(text.data, expected);
    sn_text_free(&text);
}

static void test_axis_labels(void **unused)
{
    (void)unused;
    sn_axis axis = sn_axis_make(0.0, 10.0, 6, false, false);
    assert_int_equal(axis.tick_count, 6);
    check_label(&axis, 1, "2");
    check_label(&axis, 5, "10");
    check_note(&axis, "");

    axis = sn_axis_make(-0.3, 0.3, 6, false, false);
    check_label(&axis, 0, "\u22120.3");
    check_label(&axis, 3, "0.0");

    axis = sn_axis_make(0.0, 2.4e-7, 5, false, false);
    check_label(&axis, 1, "50");
    check_note(&axis, "\u00d7 10\u207b\u2079");

    axis = sn_axis_make(0.0, 3e6, 4, false, false);
    check_label(&axis, 1, "1");
    check_note(&axis, "\u00d7 10\u2076");

    // Only late digits differ: they are what the labels show.
    axis = sn_axis_make(123.456789 - 1e-9, 123.456789 + 1e-9, 4, false, false);
    check_note(&axis, "\u00d7 10\u207b\u2079 + 123.456789");

    axis = sn_axis_make(1e-6, 1e4, 5, true, true);
    check_label(&axis, 0, "10\u207b\u2076");
    check_label(&axis, 2, "0.01");
    assert_true(fabs(sn_axis_place(&axis, 1e-6)) < 1e-12);
    assert_true(fabs(sn_axis_place(&axis, 0.1) - 0.5) < 1e-12);
}

// Whatever the range: ticks inside it, rising, some but not too many, and the data inside the axis.
static void test_axis_properties(void **unused)
{
    (void)unused;
    uint64_t seed = 17;
    for (int i = 0; i < 20000; ++i) {
        double ends[2];
        for (int k = 0; k < 2; ++k) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            double mantissa = (double)(int64_t)seed * 0x1p-63;
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            ends[k] = mantissa * pow(10.0, (double)(seed >> 33) / 0x1p31 * 40.0 - 20.0);
        }
        double low = fmin(ends[0], ends[1]), high = fmax(ends[0], ends[1]);
        bool log_scale = i % 3 == 0 && low > 0.0;
        sn_axis axis = sn_axis_make(low, high, 2 + i % 9, log_scale, i % 2 == 0);
        double from = sn_axis_place(&axis, low), to = sn_axis_place(&axis, high);
        assert_true(from >= -1e-9 && to <= 1.0 + 1e-9 && from <= to);
        assert_true(axis.tick_count >= 1 && axis.tick_count < SN_AXIS_TICKS);
        double slack = 1e-8 * (axis.high - axis.low);
        sn_text last = {0};
        sn_text_add(&last, "");
        for (int k = 0; k < axis.tick_count; ++k) {
            assert_true(axis.ticks[k] >= axis.low - slack && axis.ticks[k] <= axis.high + slack);
            assert_true(k == 0 || axis.ticks[k] > axis.ticks[k - 1]);
            sn_text text = {0};
            sn_axis_label(&axis, axis.ticks[k], &text);
            assert_true(text.length > 0 && text.length < 24);
            assert_string_not_equal(text.data, last.data); // neighbours can be told apart
            sn_text_free(&last);
            last = text;
        }
        sn_text_free(&last);
    }
}

static void test_axis_odd_ranges(void **unused)
{
    (void)unused;
    const double odd[][2] = {
        {0, 0}, {5, 5},           {-3, -3},        {INFINITY, -INFINITY}, {NAN, NAN},
        {1, 0}, {5e-324, 5e-324}, {-1e308, 1e308}, {1e15, 1e15 + 0.125}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; ++i) {
        for (int log_scale = 0; log_scale < 2; ++log_scale) {
            sn_axis axis = sn_axis_make(odd[i][0], odd[i][1], 5, log_scale, true);
            assert_true(isfinite(axis.low) && isfinite(axis.high) && axis.low < axis.high);
            assert_true(axis.tick_count >= 1);
        }
    }
    // A constant is drawn in the middle, not on the frame.
    sn_axis axis = sn_axis_make(5.0, 5.0, 5, false, true);
    assert_true(fabs(sn_axis_place(&axis, 5.0) - 0.5) < 1e-9);
}

static void check_xml_text(const char *string, const char *expected)
{
    sn_text text = {0};
    sn_xml_text(&text, string);
    assert_string_equal(text.data, expected);
    sn_text_free(&text);
}

static void test_xml_text(void **unused)
{
    (void)unused;
    check_xml_text("a<b> & \"c\"", "a&lt;b&gt; &amp; &quot;c&quot;");
    check_xml_text("\u00e4\u2212\U0001F600", "\u00e4\u2212\U0001F600");
    check_xml_text("\x01x\x7f", "\uFFFDx\x7f");
    check_xml_text("\xC0\x80|\xED\xA0\x80|\xF5|\xE2\x82", // overlong, surrogate, too large, cut
                   "\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD|\uFFFD|\uFFFD\uFFFD");
    sn_text text = {0};
    sn_xml_fixed(&text, -0.004, 2);
    sn_text_add(&text, " ");
    sn_xml_fixed(&text, -1.005, 1);
    sn_text_add(&text, " ");
    sn_xml_fixed(&text, NAN, 1);
    assert_string_equal(text.data, "0.00 -1.0 0");
    sn_text_free(&text);
}

// ---- whole plots ----

static char *plot(const char *csv, sn_plot_def def)
{
    assert_int_equal(sn_output_file(csv_path, csv, strlen(csv), NULL), SN_OK);
    def.csv_path = csv_path;
    def.svg_path = svg_path;
    sn_error error = {0};
    sn_status status = sn_plot_csv(&def, &error);
    if (status != SN_OK) {
        print_error("%s\n", sn_error_message(&error));
    }
    assert_int_equal(status, SN_OK);
    sn_bytes bytes = {0};
    assert_int_equal(sn_input_file(svg_path, SIZE_MAX, &bytes, NULL), SN_OK);
    return (char *)bytes.data;
}

// Tags close in the order in which they open, attributes are quoted, no stray characters.
static void check_well_formed(const char *xml)
{
    char open[32][24];
    int depth = 0;
    for (const char *at = xml; *at != '\0';) {
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        if (*at == '&') {
            assert_true(strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&lt;", 4) == 0 ||
                        strncmp(at, "&gt;", 4) == 0 || strncmp(at, "&quot;", 6) == 0);
        }
        if (*at != '<') {
            assert_true(*at != '>');
            at += 1;
            continue;
        }
        const char *end = at;
        int quotes = 0;
        do {
            end += 1;
            quotes += *end == '"';
            assert_true(*end != '\0' && *end != '<');
        } while (*end != '>');
        assert_int_equal(quotes % 2, 0);
        char name[24] = "";
        assert_int_equal(sscanf(at[1] == '/' ? at + 2 : at + 1, "%23[a-zA-Z]", name), 1);
        if (at[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 32);
            memcpy(open[depth++], name, sizeof name);
        }
        at = end + 1;
    }
    assert_int_equal(depth, 0);
}

static int count_text(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
        count += 1;
    }
    return count;
}

// The d attribute of the line whose title is `name`.
static char *line_of(const char *svg, const char *name)
{
    char title[80];
    snprintf(title, sizeof title, "\"><title>%s</title>", name);
    const char *end = strstr(svg, title);
    assert_non_null(end);
    const char *start = end;
    while (strncmp(start, " d=\"", 4) != 0) {
        start -= 1;
    }
    start += 4;
    char *line = calloc(1, (size_t)(end - start) + 1);
    memcpy(line, start, (size_t)(end - start));
    return line;
}

// Reads "M1.5 2" or "L1.5 2"; what follows it.
static const char *next_point(const char *at, double *x, double *y)
{
    assert_true(*at == 'M' || *at == 'L');
    char *rest = NULL;
    *x = strtod(at + 1, &rest);
    assert_true(rest > at + 1 && *rest == ' ');
    const char *second = rest + 1;
    *y = strtod(second, &rest);
    assert_true(rest > second);
    return rest;
}

static void test_panels_and_legend(void **unused)
{
    (void)unused;
    sn_plot_def def = sn_default_plot_def();
    def.title = "Bob & \"co\" <1>";
    char *svg = plot(
        "time[s],x[m],z[m],speed[m/s],odd <&>[kg m^2/s]\n0,1,2,3,4\n1,2,3,4,5\n2,1,1,1,1\n", def);
    check_well_formed(svg);
    assert_non_null(strstr(svg, ">Bob &amp; &quot;co&quot; &lt;1&gt;</text>"));
    assert_int_equal(count_text(svg, "<clipPath"), 3); // m, m/s, kg m^2/s
    assert_non_null(strstr(svg, ">length (m)</text>"));
    assert_non_null(strstr(svg, ">speed (m/s)</text>"));
    assert_non_null(strstr(svg, ">odd &lt;&amp;&gt; (kg m\u00b2/s)</text>"));
    assert_non_null(strstr(svg, ">time (s)</text>"));
    assert_int_equal(count_text(svg, "class=\"legend\""), 2); // only where there are two lines
    assert_int_equal(count_text(svg, "<path class=\"series\" stroke=\"#0072b2\""), 4);
    sn_free(svg);

    // Chosen columns, one of them by its full name.
    const char *const columns[] = {"speed", "z[m]"};
    def.columns = columns;
    def.column_count = 2;
    def.width = 400;
    def.height = 300;
    svg = plot("time[s],x[m],z[m],speed[m/s]\n0,1,2,3\n1,2,3,4\n", def);
    check_well_formed(svg);
    assert_non_null(strstr(svg, "width=\"400\" height=\"300\" viewBox=\"0 0 400 300\""));
    assert_int_equal(count_text(svg, "<title>"), 3); // the plot's and two lines'
    sn_free(svg);
}

// Heights of the points of the line with that title, from the top of the picture.
static int line_heights(const char *svg, const char *title, double *y, int most)
{
    char head[80];
    snprintf(head, sizeof head, "<title>%s", title);
    const char *at = strstr(svg, head);
    assert_non_null(at);
    const char *path = NULL; // the title may stand in its path or beside it
    for (const char *d = strstr(svg, " d=\""); d != NULL && d < at; d = strstr(d + 1, " d=\"")) {
        path = d;
    }
    assert_non_null(path);
    int count = 0, taken = 0;
    double x, drop;
    for (const char *c = path + 4; *c != '"' && count < most; ++c) {
        if ((*c == 'M' || *c == 'L') && sscanf(c + 1, "%lf%*[ ,]%lf%n", &x, &drop, &taken) == 2) {
            y[count++] = drop;
        }
    }
    return count;
}

// A potential of 1000 J that falls by 1 J, a total that is kept but for its last bits: all three
// lines are to be told from each other, and the total is flat.
static void test_energy_from_start(void **unused)
{
    (void)unused;
    sn_plot_def def = sn_default_plot_def();
    char *svg = plot("time[s],kinetic[J],potential[J],total[J]\n"
                     "0,0,1000,1000\n1,0.5,999.5,1000.0000000000001\n2,1,999,999.9999999999999\n",
                     def);
    double kinetic[8], potential[8], total[8];
    assert_int_equal(line_heights(svg, "kinetic", kinetic, 8), 3);
    assert_int_equal(line_heights(svg, "potential", potential, 8), 3);
    assert_int_equal(line_heights(svg, "total", total, 8), 3);
    assert_true(kinetic[0] - kinetic[2] > 100.0 && potential[2] - potential[0] > 100.0);
    assert_true(kinetic[0] == total[0] && potential[0] == total[0]);
    assert_true(total[1] == total[0] && total[2] == total[0]);
    sn_free(svg);
    // The total alone is flat as well, not its noise over the whole height.
    const char *const columns[] = {"total"};
    def.columns = columns;
    def.column_count = 1;
    svg = plot("time[s],kinetic[J],potential[J],total[J]\n"
               "0,0,1000,1000\n1,0.5,999.5,1000.0000000000001\n2,1,999,999.9999999999999\n",
               def);
    assert_int_equal(line_heights(svg, "total", total, 8), 3);
    assert_true(total[1] == total[0] && total[2] == total[0]);
    sn_free(svg);
}

// Short series are drawn point by point, at the right pixels.
static void test_points(void **unused)
{
    (void)unused;
    char *svg = plot("t,y\n0,0\n1,1\n2,nan\n3,0\n4,1\n5,\n6,0.5\n", sn_default_plot_def());
    check_well_formed(svg);
    char *line = line_of(svg, "y");
    assert_int_equal(count_text(line, "M"), 3); // two gaps
    assert_int_equal(count_text(line, "L"), 2);
    assert_int_equal(count_text(line, "h0"), 1); // the lone point at the end is a dot
    double x[5], y[5];
    const char *at = line;
    for (int i = 0; i < 5; ++i) {
        at = next_point(at, &x[i], &y[i]);
    }
    assert_string_equal(at, "h0");
    double unit = x[1] - x[0];
    assert_true(fabs(x[2] - x[0] - 3.0 * unit) < 0.05 && fabs(x[4] - x[0] - 6.0 * unit) < 0.05);
    assert_true(y[1] < y[0] && fabs(y[0] - y[2]) < 0.01 && fabs(y[1] - y[3]) < 0.01);
    assert_true(fabs(y[4] - 0.5 * (y[0] + y[1])) < 0.02);
    free(line);
    sn_free(svg);
}

// A long series shrinks to a few points a pixel, and its one spike among 200,000 rows is still
// there.
static void test_long_series(void **unused)
{
    (void)unused;
    enum { ROWS = 200000, SPIKE = 123457 };
    sn_text csv = {0};
    sn_text_add(&csv, "t[s],wave,holes\n");
    for (int i = 0; i < ROWS; ++i) {
        double wave = i == SPIKE ? 10.0 : sin(i * 0.01);
        sn_text_format(&csv, "%d,%.6f,%s\n", i, wave, i % 2 ? "nan" : "1");
    }
    char *svg = plot(csv.data, sn_default_plot_def());
    check_well_formed(svg);
    assert_true(strlen(svg) < 150000);
    char *line = line_of(svg, "wave");
    double top = INFINITY, bottom = -INFINITY, spike_x = 0.0, first_x = 0.0, last_x = 0.0;
    int points = 0;
    for (const char *at = line; *at != '\0'; ++points) {
        double x, y;
        at = next_point(at, &x, &y);
        assert_true(points == 0 || x >= last_x - 1e-9);
        spike_x = y < top ? x : spike_x;
        first_x = points == 0 ? x : first_x;
        last_x = x;
        top = fmin(top, y);
        bottom = fmax(bottom, y);
    }
    assert_true(points > 1000 && points < 4 * 800);
    double expected = first_x + (last_x - first_x) * SPIKE / (ROWS - 1);
    assert_true(fabs(spike_x - expected) < 0.05);
    // From -1 to 10 of 11 units: nothing of the extremes is lost.
    assert_true(bottom - top > 200.0);
    assert_int_equal(count_text(line, "M"), 1);
    free(line);
    line = line_of(svg, "holes"); // gaps narrower than a pixel do not blow up the file
    assert_int_equal(count_text(line, "h0"), 0);
    assert_true(count_text(line, "L") + count_text(line, "M") < 4 * 800);
    free(line);
    sn_free(svg);
    sn_text_free(&csv);
}

static void test_log_scale_and_phase(void **unused)
{
    (void)unused;
    sn_plot_def def = sn_default_plot_def();
    def.log_scale = true;
    char *svg = plot("t,error\n0,1\n1,0.01\n2,0\n3,-1\n4,1e-8\n", def);
    check_well_formed(svg);
    char *line = line_of(svg, "error");
    assert_int_equal(count_text(line, "M"), 2);
    free(line);
    assert_non_null(strstr(svg, ">10\u207b\u2078</text>"));
    sn_free(svg);
    // An abscissa that goes back and forth is drawn as it is.
    def.log_scale = false;
    svg = plot("x,y\n0,0\n1,1\n0,2\n-1,1\n0,0\n", def);
    line = line_of(svg, "y");
    assert_int_equal(count_text(line, "L"), 4);
    free(line);
    sn_free(svg);
}

static void test_no_data(void **unused)
{
    (void)unused;
    char *svg = plot("t,y\n", sn_default_plot_def());
    check_well_formed(svg);
    sn_free(svg);
    svg = plot("t,y\nnan,inf\n-inf,nan\n", sn_default_plot_def());
    check_well_formed(svg);
    sn_free(svg);
    // More lines than the legend has room for: it says so.
    sn_text csv = {0};
    sn_text_add(&csv, "t");
    for (int i = 0; i < 60; ++i) {
        sn_text_format(&csv, ",\u00e4 column with quite a long name %d", i);
    }
    sn_text_add(&csv, "\n");
    svg = plot(csv.data, sn_default_plot_def());
    check_well_formed(svg);
    assert_non_null(strstr(svg, "\u2026</text>"));
    assert_non_null(strstr(svg, " more</text>"));
    assert_non_null(strstr(svg, "stroke-dasharray"));
    sn_text_free(&csv);
    sn_free(svg);
}

// An empty panel says that it is, and why; one with a single point does not.
static void test_empty_panels_tell(void **unused)
{
    (void)unused;
    static const struct {
        const char *csv;
        bool log_scale;
        const char *told; // NULL: nothing
    } cases[] = {{"t,y\n0,nan\n1,inf\n", false, ">no value to show<"},
                 {"t,y\n", false, ">no value to show<"},
                 {"t,y\n0,-5\n1,0\n", true, ">no value above 0 to show<"},
                 {"t,y\n0,1\n", false, NULL},
                 {"t,y\n0,-5\n1,2\n", true, NULL},
                 {"t,y\n0,0\n1,0\n", false, NULL},
                 {"t,y\n0,-1e-300\n1,1e300\n", false, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_plot_def def = sn_default_plot_def();
        def.log_scale = cases[i].log_scale;
        char *svg = plot(cases[i].csv, def);
        check_well_formed(svg);
        assert_int_equal(strstr(svg, "to show<") != NULL, cases[i].told != NULL);
        assert_true(cases[i].told == NULL || strstr(svg, cases[i].told) != NULL);
        sn_free(svg);
    }
}

static void test_failures(void **unused)
{
    (void)unused;
    sn_error error = {0};
    sn_plot_def def = sn_default_plot_def();
    assert_int_equal(sn_plot_csv(&def, &error), SN_ERROR_ARGUMENT);
    const char *text = "time[s],height[m]\n0,1\n";
    assert_int_equal(sn_output_file(csv_path, text, strlen(text), NULL), SN_OK);
    const char *const columns[] = {"heigth"};
    def.csv_path = csv_path;
    def.svg_path = svg_path;
    def.columns = columns;
    def.column_count = 1;
    assert_int_equal(sn_plot_csv(&def, &error), SN_ERROR_ARGUMENT);
    assert_string_equal(error.text, "has no column 'heigth', expected one such as 'height'");
    def.columns = NULL;
    def.svg_path = "/dev/full";
    assert_int_equal(sn_plot_csv(&def, &error), SN_ERROR_FILE);
    def.svg_path = svg_path;
    sn_status status = SN_ERROR_MEMORY;
    int tries = 0;
    for (; status != SN_OK; ++tries) {
        error = (sn_error){0};
        sn_allocation_fail_after(tries);
        status = sn_plot_csv(&def, &error);
        sn_allocation_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_ERROR_MEMORY && error.code == status));
    }
    assert_true(tries > 15);
    assert_int_equal(sn_output_file(csv_path, "t\n1\n", 4, NULL), SN_OK);
    assert_int_equal(sn_plot_csv(&def, &error), SN_ERROR_ARGUMENT); // one column only
}

int main(void)
{
    snprintf(csv_path, sizeof csv_path, "/tmp/sinew-plot-XXXXXX");
    int descriptor = mkstemp(csv_path);
    if (descriptor < 0) {
        return 1;
    }
    close(descriptor);
    snprintf(svg_path, sizeof svg_path, "%s.svg", csv_path);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axis_labels),       cmocka_unit_test(test_axis_properties),
        cmocka_unit_test(test_axis_odd_ranges),   cmocka_unit_test(test_xml_text),
        cmocka_unit_test(test_panels_and_legend), cmocka_unit_test(test_points),
        cmocka_unit_test(test_long_series),       cmocka_unit_test(test_log_scale_and_phase),
        cmocka_unit_test(test_no_data),           cmocka_unit_test(test_empty_panels_tell),
        cmocka_unit_test(test_failures),          cmocka_unit_test(test_energy_from_start),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(csv_path);
    unlink(svg_path);
    return failures;
}
