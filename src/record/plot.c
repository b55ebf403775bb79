#include "record/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "record/axis.h"
#include "record/output.h"
#include "scene/xml.h"

#define CHARACTER   6.9 // mean width of a character of 12 pixels, for layout
#define LEGEND_ROW  19.0
#define PANEL_GAP   34.0
#define LABEL_LIMIT 30 // characters of a name in the legend

// Colours that stay apart in the common forms of colour blindness (Okabe and Ito 2008, without the
// yellow that white paper swallows; the last from Tol's muted set).
static const char *const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#4d4d4d", "#882255"};
static const char *const dashes[] = {"", "7 3", "2 3", "8 3 2 3"};
#define COLOURS (int)(sizeof palette / sizeof palette[0])
#define DASHES  (int)(sizeof dashes / sizeof dashes[0])

// Columns of one unit.
typedef struct plot_panel {
    const char *unit;
    int first, count; // in plot.series
    double left, top, width, height;
    sn_axis y;
} plot_panel;

typedef struct sn_plot {
    const sn_plot_def *def;
    sn_table table;
    SN_ARRAY(int) series; // columns, panel after panel
    SN_ARRAY(plot_panel) panels;
    double width, height, left, right, top, bottom; // margins
    sn_axis x;
    sn_text svg;
} sn_plot;

sn_plot_def sn_default_plot_def(void)
{
    return (sn_plot_def){.width = 800};
}

// ---- what to draw ----

static sn_status find_column(const sn_plot *plot, const char *name, int *column, sn_error *error)
{
    *column = sn_table_find(&plot->table, name);
    if (*column >= 0) {
        return SN_OK;
    }
    size_t size = sizeof(char *) * (size_t)plot->table.count;
    const char **labels = sn_allocate(size);
    if (labels == NULL) {
        return sn_fail_memory(error, size);
    }
    for (int i = 0; i < plot->table.count; ++i) {
        labels[i] = plot->table.columns[i].label;
    }
    const char *near = sn_suggest(name, labels, plot->table.count);
    sn_status status = sn_fail(error, SN_ERROR_ARGUMENT, plot->def->csv_path,
                               "has no column '%.80s', expected one such as '%.80s'", name,
                               near ? near : labels[plot->table.count - 1]);
    sn_free(labels);
    return status;
}

// One panel for every unit, in the order in which units appear.
static sn_status group_columns(sn_plot *plot, const int *columns, int count, sn_error *error)
{
    for (int i = 0; i < count; ++i) {
        const char *unit = plot->table.columns[columns[i]].unit;
        bool known = false;
        for (int k = 0; k < plot->panels.count; ++k) {
            known = known || strcmp(plot->panels.data[k].unit, unit) == 0;
        }
        if (known) {
            continue;
        }
        plot_panel panel = {.unit = unit, .first = plot->series.count};
        for (int k = i; k < count; ++k) {
            if (strcmp(plot->table.columns[columns[k]].unit, unit) == 0) {
                if (!sn_array_push(&plot->series, columns[k])) {
                    return sn_fail_memory(error, sizeof(int));
                }
                panel.count += 1;
            }
        }
        if (!sn_array_push(&plot->panels, panel)) {
            return sn_fail_memory(error, sizeof panel);
        }
    }
    return SN_OK;
}

static sn_status choose_columns(sn_plot *plot, sn_error *error)
{
    const sn_plot_def *def = plot->def;
    int count = def->columns ? def->column_count : plot->table.count - 1;
    if (count < 1) {
        return sn_fail(error, SN_ERROR_ARGUMENT, def->csv_path,
                       "there is nothing to plot, expected a column beside the first");
    }
    int *columns = sn_allocate(sizeof(int) * (size_t)count);
    if (columns == NULL) {
        return sn_fail_memory(error, sizeof(int) * (size_t)count);
    }
    sn_status status = SN_OK;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        columns[i] = i + 1;
        if (def->columns != NULL) {
            status = find_column(plot, def->columns[i], &columns[i], error);
        }
    }
    if (status == SN_OK) {
        status = group_columns(plot, columns, count, error);
    }
    sn_free(columns);
    return status;
}

static void widen(double value, bool log_scale, double *low, double *high)
{
    if (isfinite(value) && (!log_scale || value > 0.0)) {
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

static sn_axis axis_of(const sn_plot *plot, const int *columns, int count, double length,
                       double space, bool log_scale, bool margin)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; ++i) {
        for (int row = 0; row < plot->table.rows; ++row) {
            widen(plot->table.columns[columns[i]].values[row], log_scale, &low, &high);
        }
    }
    int wanted = (int)(length / space);
    return sn_axis_make(low, high, wanted < 2 ? 2 : wanted > 12 ? 12 : wanted, log_scale, margin);
}

// ---- layout ----

static double text_width(const char *text)
{
    size_t characters = 0;
    for (; *text != '\0'; ++text) {
        characters += (*text & 0xC0) != 0x80;
    }
    return CHARACTER * (double)characters;
}

static double legend_width(const sn_plot *plot)
{
    double width = 0.0;
    for (int i = 0; i < plot->panels.count; ++i) {
        const plot_panel *panel = &plot->panels.data[i];
        for (int k = 0; panel->count > 1 && k < panel->count; ++k) {
            const char *label = plot->table.columns[plot->series.data[panel->first + k]].label;
            width = fmax(width, text_width(label));
        }
    }
    return width > 0.0 ? fmin(width, CHARACTER * LABEL_LIMIT) + 44.0 : 0.0;
}

// Room for the widest label of the ordinates.
static double label_width(const sn_plot *plot)
{
    double width = 0.0;
    for (int i = 0; i < plot->panels.count; ++i) {
        const sn_axis *axis = &plot->panels.data[i].y;
        for (int k = 0; k < axis->tick_count; ++k) {
            sn_text text = {0};
            sn_axis_label(axis, axis->ticks[k], &text);
            width = fmax(width, text.data ? text_width(text.data) : 0.0);
            sn_text_free(&text);
        }
    }
    return width;
}

static void lay_out(sn_plot *plot)
{
    int panels = plot->panels.count;
    bool titled = plot->def->title != NULL && plot->def->title[0] != '\0';
    plot->width = plot->def->width > 0 ? plot->def->width : 800.0;
    double automatic = panels == 1 ? 450.0 : 110.0 + 230.0 * panels;
    plot->height = plot->def->height > 0 ? plot->def->height : automatic;
    plot->top = titled ? 58.0 : 30.0;
    plot->bottom = 54.0;
    double room = plot->height - plot->top - plot->bottom - PANEL_GAP * (panels - 1);
    double height = fmax(room / panels, 20.0);
    for (int i = 0; i < panels; ++i) {
        plot_panel *panel = &plot->panels.data[i];
        panel->top = plot->top + i * (height + PANEL_GAP);
        panel->height = height;
        panel->y = axis_of(plot, &plot->series.data[panel->first], panel->count, height, 42.0,
                           plot->def->log_scale, true);
    }
    plot->left = 44.0 + label_width(plot);
    plot->right = fmax(legend_width(plot), 24.0);
    double width = fmax(plot->width - plot->left - plot->right, 20.0);
    int abscissa = 0;
    plot->x = axis_of(plot, &abscissa, 1, width, 75.0, false, false);
    for (int i = 0; i < panels; ++i) {
        plot->panels.data[i].left = plot->left;
        plot->panels.data[i].width = width;
    }
}

// ---- drawing ----

static double x_pixel(const sn_plot *plot, const plot_panel *panel, double value)
{
    return panel->left + panel->width * sn_axis_place(&plot->x, value);
}

static double y_pixel(const plot_panel *panel, double value)
{
    return panel->top + panel->height * (1.0 - sn_axis_place(&panel->y, value));
}

static void add_line(sn_text *svg, const char *class, double x1, double y1, double x2, double y2)
{
    sn_text_format(svg, "<path class=\"%s\" d=\"M", class);
    sn_xml_fixed(svg, x1, 1);
    sn_text_add(svg, " ");
    sn_xml_fixed(svg, y1, 1);
    sn_text_add(svg, "L");
    sn_xml_fixed(svg, x2, 1);
    sn_text_add(svg, " ");
    sn_xml_fixed(svg, y2, 1);
    sn_text_add(svg, "\"/>\n");
}

// Opens a text element; the caller adds the text and closes it.
static void begin_text(sn_text *svg, const char *class, double x, double y, const char *more)
{
    sn_text_format(svg, "<text class=\"%s\" x=\"", class);
    sn_xml_fixed(svg, x, 1);
    sn_text_add(svg, "\" y=\"");
    sn_xml_fixed(svg, y, 1);
    sn_text_format(svg, "\"%s>", more);
}

static void end_text(sn_text *svg)
{
    sn_text_add(svg, "</text>\n");
}

// "kg m^2/s" with raised digits.
static void add_unit(sn_text *svg, const char *unit)
{
    sn_text pretty = {0};
    for (const char *c = unit; *c != '\0'; ++c) {
        if (c[0] == '^' && (c[1] == '2' || c[1] == '3')) {
            sn_text_add(&pretty, c[1] == '2' ? "\u00b2" : "\u00b3");
            c += 1;
        } else {
            sn_text_add_bytes(&pretty, c, 1);
        }
    }
    svg->failed = svg->failed || pretty.failed;
    if (pretty.data != NULL && !pretty.failed) {
        sn_xml_text(svg, pretty.data);
    }
    sn_text_free(&pretty);
}

// What several columns of a unit have in common, as far as the unit tells.
static const char *quantity_of_unit(const char *unit)
{
    static const char *const pairs[][2] = {{"J", "energy"},
                                           {"m", "length"},
                                           {"m/s", "velocity"},
                                           {"N", "force"},
                                           {"rad", "angle"},
                                           {"rad/s", "angular velocity"},
                                           {"s", "time"},
                                           {"Pa", "pressure"},
                                           {"kg m/s", "momentum"},
                                           {"kg", "mass"},
                                           {"W", "power"},
                                           {"kg m^2/s", "angular momentum"},
                                           {"m/s^2", "acceleration"},
                                           {"N m", "torque"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        if (strcmp(unit, pairs[i][0]) == 0) {
            return pairs[i][1];
        }
    }
    return "";
}

// "energy (J)"; the unit 1 goes without saying.
static void add_quantity(sn_text *svg, const char *label, const char *unit)
{
    bool dimensionless = unit[0] == '\0' || strcmp(unit, "1") == 0;
    sn_xml_text(svg, label);
    if (!dimensionless) {
        sn_text_add(svg, label[0] ? " (" : "");
        add_unit(svg, unit);
        sn_text_add(svg, label[0] ? ")" : "");
    }
}

static void draw_grid(sn_plot *plot, const plot_panel *panel, bool last)
{
    sn_text *svg = &plot->svg;
    double right = panel->left + panel->width, bottom = panel->top + panel->height;
    for (int i = 0; i < plot->x.tick_count; ++i) {
        double x = x_pixel(plot, panel, plot->x.ticks[i]);
        add_line(svg, "grid", x, panel->top, x, bottom);
        if (last) {
            begin_text(svg, "tick", x, bottom + 18.0, " text-anchor=\"middle\"");
            sn_axis_label(&plot->x, plot->x.ticks[i], svg);
            end_text(svg);
        }
    }
    for (int i = 0; i < panel->y.tick_count; ++i) {
        double tick = panel->y.ticks[i];
        double share = (tick - panel->y.low) / (panel->y.high - panel->y.low);
        double y = bottom - panel->height * share;
        bool zero = !panel->y.log_scale && tick == 0.0;
        add_line(svg, zero ? "zero" : "grid", panel->left, y, right, y);
        begin_text(svg, "tick", panel->left - 8.0, y + 4.0, " text-anchor=\"end\"");
        sn_axis_label(&panel->y, tick, svg);
        end_text(svg);
    }
    add_line(svg, "axis", panel->left, bottom, right, bottom);
}

static void draw_labels(sn_plot *plot, const plot_panel *panel, bool last)
{
    sn_text *svg = &plot->svg;
    double bottom = panel->top + panel->height;
    begin_text(svg, "note", panel->left, panel->top - 8.0, "");
    sn_axis_note(&panel->y, svg);
    end_text(svg);

    double middle = panel->top + 0.5 * panel->height;
    sn_text_add(svg, "<text class=\"label\" text-anchor=\"middle\" transform=\"translate(18 ");
    sn_xml_fixed(svg, middle, 1);
    sn_text_add(svg, ") rotate(-90)\">");
    const sn_table_column *only = &plot->table.columns[plot->series.data[panel->first]];
    add_quantity(svg, panel->count == 1 ? only->label : quantity_of_unit(panel->unit), panel->unit);
    end_text(svg);

    if (last) {
        begin_text(svg, "label", panel->left + 0.5 * panel->width, bottom + 42.0,
                   " text-anchor=\"middle\"");
        add_quantity(svg, plot->table.columns[0].label, plot->table.columns[0].unit);
        end_text(svg);
        begin_text(svg, "note", panel->left + panel->width, bottom + 42.0, " text-anchor=\"end\"");
        sn_axis_note(&plot->x, svg);
        end_text(svg);
    }
}

static void add_stroke(sn_text *svg, int style)
{
    const char *dash = dashes[style / COLOURS % DASHES];
    sn_text_format(svg, " stroke=\"%s\"", palette[style % COLOURS]);
    if (dash[0] != '\0') {
        sn_text_format(svg, " stroke-dasharray=\"%s\"", dash);
    }
}

// A name cut to what the legend has room for, never inside a character.
static void add_short_name(sn_text *svg, const char *name)
{
    if (text_width(name) <= CHARACTER * LABEL_LIMIT) {
        sn_xml_text(svg, name);
        return;
    }
    char cut[4 * LABEL_LIMIT + 1];
    size_t length = 0;
    for (int i = 0; i < LABEL_LIMIT - 1 && name[length] != '\0'; ++i) {
        size_t size = sn_xml_character(name + length);
        length += size ? size : 1;
    }
    memcpy(cut, name, length);
    cut[length] = '\0';
    sn_xml_text(svg, cut);
    sn_text_add(svg, "\u2026");
}

static void draw_legend(sn_plot *plot, const plot_panel *panel)
{
    if (panel->count < 2) {
        return;
    }
    sn_text *svg = &plot->svg;
    int rows = (int)(panel->height / LEGEND_ROW);
    int shown = panel->count <= rows ? panel->count : rows > 1 ? rows - 1 : 0;
    double x = panel->left + panel->width + 14.0;
    for (int i = 0; i < shown; ++i) {
        double y = panel->top + 8.0 + LEGEND_ROW * i;
        sn_text_add(svg, "<path class=\"series\"");
        add_stroke(svg, i);
        sn_text_add(svg, " d=\"M");
        sn_xml_fixed(svg, x, 1);
        sn_text_add(svg, " ");
        sn_xml_fixed(svg, y, 1);
        sn_text_add(svg, "h18\"/>\n");
        begin_text(svg, "legend", x + 24.0, y + 4.0, "");
        add_short_name(svg, plot->table.columns[plot->series.data[panel->first + i]].label);
        end_text(svg);
    }
    if (shown < panel->count) {
        begin_text(svg, "note", x, panel->top + 12.0 + LEGEND_ROW * shown, "");
        sn_text_format(svg, "and %d more", panel->count - shown);
        end_text(svg);
    }
}

// ---- lines ----

// The points of a series that fall into one column of pixels. First, lowest, highest and last of
// them draw the same picture as all of them do.
typedef struct pixel_column {
    bool open;
    int column;
    double x[4], y[4]; // first, lowest, highest, last
    int row[4];
} pixel_column;

typedef struct line_pen {
    sn_text *svg;
    bool down;      // a point has been drawn since the last gap
    int since_move; // points since then
    double x, y;    // the last point drawn
} line_pen;

static void pen_point(line_pen *pen, double x, double y)
{
    sn_text_add(pen->svg, pen->down ? "L" : "M");
    sn_xml_fixed(pen->svg, x, 2);
    sn_text_add(pen->svg, " ");
    sn_xml_fixed(pen->svg, y, 2);
    pen->down = true;
    pen->since_move += 1;
}

// A point between two gaps is a line without length, which round ends make a dot.
static void pen_lift(line_pen *pen)
{
    if (pen->since_move == 1) {
        sn_text_add(pen->svg, "h0");
    }
    pen->down = false;
    pen->since_move = 0;
}

static void flush_column(pixel_column *pixels, line_pen *pen)
{
    if (!pixels->open) {
        return;
    }
    int order[4] = {0, 1, 2, 3};
    if (pixels->row[1] > pixels->row[2]) {
        order[1] = 2;
        order[2] = 1;
    }
    int drawn = -1;
    for (int i = 0; i < 4; ++i) {
        int k = order[i];
        if (pixels->row[k] > drawn) {
            pen_point(pen, pixels->x[k], pixels->y[k]);
            drawn = pixels->row[k];
        }
    }
    pixels->open = false;
}

static void set_point(pixel_column *pixels, int k, int row, double x, double y)
{
    pixels->row[k] = row;
    pixels->x[k] = x;
    pixels->y[k] = y;
}

static void add_to_column(pixel_column *pixels, int column, int row, double x, double y)
{
    if (!pixels->open) {
        pixels->open = true;
        pixels->column = column;
        for (int k = 0; k < 4; ++k) {
            set_point(pixels, k, row, x, y);
        }
        return;
    }
    set_point(pixels, 3, row, x, y);
    if (y < pixels->y[1]) {
        set_point(pixels, 1, row, x, y);
    }
    if (y > pixels->y[2]) {
        set_point(pixels, 2, row, x, y);
    }
}

static bool abscissa_rises(const sn_table *table)
{
    double last = -INFINITY;
    for (int row = 0; row < table->rows; ++row) {
        double x = table->columns[0].values[row];
        if (x < last) {
            return false;
        }
        last = isfinite(x) ? x : last;
    }
    return true;
}

// False when there is no point inside the panel.
static bool draw_line(sn_plot *plot, const plot_panel *panel, const double *values, bool reduce)
{
    bool visible = false;
    line_pen pen = {.svg = &plot->svg};
    pixel_column pixels = {0};
    bool gap = false;
    for (int row = 0; row < plot->table.rows; ++row) {
        double abscissa = plot->table.columns[0].values[row];
        if (!isfinite(abscissa) || !isfinite(values[row]) ||
            (panel->y.log_scale && values[row] <= 0.0)) {
            gap = true;
            continue;
        }
        double x = x_pixel(plot, panel, abscissa), y = y_pixel(panel, values[row]);
        visible = visible || (y > panel->top - 1.0 && y < panel->top + panel->height + 1.0);
        int column = (int)floor(x);
        // A gap inside one column of pixels cannot be seen, and would only make the file long.
        if (pixels.open && (!reduce || column != pixels.column)) {
            flush_column(&pixels, &pen);
        }
        if (gap && !pixels.open) {
            pen_lift(&pen);
        }
        gap = false;
        add_to_column(&pixels, column, row, x, y);
    }
    flush_column(&pixels, &pen);
    pen_lift(&pen);
    return visible;
}

static void draw_series(sn_plot *plot, const plot_panel *panel, int number)
{
    sn_text *svg = &plot->svg;
    int chosen = panel->first;
    sn_text_format(svg, "<g clip-path=\"url(#panel%d)\">\n", number);
    bool rises = abscissa_rises(&plot->table), visible = false;
    for (int i = 0; i < panel->count; ++i) {
        const sn_table_column *column = &plot->table.columns[plot->series.data[chosen + i]];
        sn_text_add(svg, "<path class=\"series\"");
        add_stroke(svg, i);
        sn_text_add(svg, " d=\"");
        visible |=
            draw_line(plot, panel, column->values, rises && plot->table.rows > 4 * panel->width);
        sn_text_add(svg, "\"><title>");
        add_quantity(svg, column->label, column->unit);
        sn_text_add(svg, "</title></path>\n");
    }
    sn_text_add(svg, "</g>\n");
    if (!visible) {
        begin_text(svg, "note", panel->left + 0.5 * panel->width, panel->top + 0.5 * panel->height,
                   " text-anchor=\"middle\"");
        sn_text_add(svg, panel->y.log_scale ? "no value above 0 to show" : "no value to show");
        end_text(svg);
    }
}

static void draw_head(sn_plot *plot)
{
    sn_text *svg = &plot->svg;
    int width = (int)plot->width, height = (int)plot->height;
    sn_text_format(svg,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "viewBox=\"0 0 %d %d\" role=\"img\">\n",
                   width, height, width, height);
    sn_text_add(svg, "<style>text{font-family:Inter,'Segoe UI','Helvetica Neue',Arial,sans-serif;"
                     "fill:#444}.title{font-size:17px;font-weight:600;fill:#1b1b1b}"
                     ".label,.legend{font-size:12px}.tick{font-size:11px;fill:#666}"
                     ".note{font-size:11px;fill:#666}.grid{stroke:#e9e9e9}.zero{stroke:#c4c4c4}"
                     ".axis{stroke:#8c8c8c}.series{fill:none;stroke-width:1.8;"
                     "stroke-linejoin:round;stroke-linecap:round}</style>\n");
    bool titled = plot->def->title != NULL && plot->def->title[0] != '\0';
    if (titled) {
        sn_text_add(svg, "<title>");
        sn_xml_text(svg, plot->def->title);
        sn_text_add(svg, "</title>\n");
    }
    sn_text_format(svg, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<defs>\n", width,
                   height);
    for (int i = 0; i < plot->panels.count; ++i) {
        const plot_panel *panel = &plot->panels.data[i];
        sn_text_format(
            svg,
            "<clipPath id=\"panel%d\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
            "</clipPath>\n",
            i, (int)panel->left - 2, (int)panel->top - 2, (int)panel->width + 5,
            (int)panel->height + 5);
    }
    sn_text_add(svg, "</defs>\n");
    if (titled) {
        begin_text(svg, "title", plot->left, 30.0, "");
        sn_xml_text(svg, plot->def->title);
        end_text(svg);
    }
}

static void draw(sn_plot *plot)
{
    draw_head(plot);
    for (int i = 0; i < plot->panels.count; ++i) {
        const plot_panel *panel = &plot->panels.data[i];
        bool last = i + 1 == plot->panels.count;
        draw_grid(plot, panel, last);
        draw_series(plot, panel, i);
        draw_labels(plot, panel, last);
        draw_legend(plot, panel);
    }
    sn_text_add(&plot->svg, "</svg>\n");
}

// Where a potential is zero is a matter of taste, and a large offset flattens everything else: the
// potential energy of a run counts from its start, and the total with it. What is left of either
// by rounding alone is zero.
void sn_plot_settle_energy(sn_table *table)
{
    static const double ROUND_OFF = 1e-12; // of the largest energy
    int kinetic = sn_table_find(table, "kinetic[J]"), total = sn_table_find(table, "total[J]");
    int potential = sn_table_find(table, "potential[J]");
    if (kinetic < 0 || total < 0 || table->rows == 0) {
        return;
    }
    double start = potential >= 0 ? table->columns[potential].values[0] : 0.0, largest = 0.0;
    for (int i = 0; i < table->count; ++i) {
        for (int row = 0; row < table->rows && strcmp(table->columns[i].unit, "J") == 0; ++row) {
            double size = fabs(table->columns[i].values[row]);
            largest = isfinite(size) ? fmax(largest, size) : largest;
        }
    }
    for (int i = 0; i < table->count; ++i) {
        double offset = i == potential || (i == total && potential >= 0) ? start : 0.0;
        for (int row = 0; row < table->rows && strcmp(table->columns[i].unit, "J") == 0; ++row) {
            double *value = &table->columns[i].values[row];
            *value -= offset;
            *value = fabs(*value) < ROUND_OFF * largest ? 0.0 : *value;
        }
    }
}

sn_status sn_plot_csv(const sn_plot_def *def, sn_error *error)
{
    if (def->csv_path == NULL || def->svg_path == NULL || def->width < 0 || def->height < 0 ||
        def->width > 20000 || def->height > 20000) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "a plot needs a CSV path, an SVG path and a size of 0 to 20000 pixels");
    }
    sn_table table = {0};
    sn_status status = sn_table_read(def->csv_path, &table, error);
    if (status == SN_OK) {
        if (!def->log_scale) {
            sn_plot_settle_energy(&table);
        }
        status = sn_plot_table(def, &table, error);
    }
    sn_table_free(&table);
    return status;
}

sn_status sn_plot_table(const sn_plot_def *def, const sn_table *table, sn_error *error)
{
    sn_plot plot = {.def = def, .table = *table};
    sn_status status = choose_columns(&plot, error);
    if (status == SN_OK) {
        lay_out(&plot);
        draw(&plot);
        status = plot.svg.failed
                     ? sn_fail_memory(error, plot.svg.length)
                     : sn_output_file(def->svg_path, plot.svg.data, plot.svg.length, error);
    }
    sn_text_free(&plot.svg);
    sn_array_free(&plot.series);
    sn_array_free(&plot.panels);
    return status;
}
