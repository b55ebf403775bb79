#include "record/sheet_drawing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "math/elementary.h"

static const double MILLIMETRES = 1000.0;

// What a printed page has room for: below a heading, and for a turned drawing, which has a page of
// its own (A4 less its margins is 269 mm high) with three lines below it.
static const double PAGE_WIDTH = 180.0, PAGE_HEIGHT = 235.0, TURNED_HEIGHT = 250.0;

static const double NUMBER_SIZE = 4.2; // of the circle around a number, on paper

void sn_html_text(sn_text *out, const char *text)
{
    for (; *text != '\0'; ++text) {
        switch (*text) {
        case '&':
            sn_text_add(out, "&amp;");
            break;
        case '<':
            sn_text_add(out, "&lt;");
            break;
        case '>':
            sn_text_add(out, "&gt;");
            break;
        case '"':
            sn_text_add(out, "&quot;");
            break;
        default:
            sn_text_add_bytes(out, text, 1);
        }
    }
}

// ---- scales ----

// Paper millimetres per millimetre: 1, 1/2, 1/5, 1/10, ...
static double fitting_scale(double width, double height, double page_height, double *number)
{
    static const double steps[] = {1, 2, 5};
    for (int i = 0; i < 30; ++i) {
        int decade = i / 3;
        *number = steps[i % 3] * sn_pow(10.0, decade);
        if (width <= PAGE_WIDTH * *number && height <= page_height * *number) {
            break;
        }
    }
    return 1.0 / *number;
}

static void open_svg(sn_text *out, double x, double y, double width, double height, double scale)
{
    sn_text_format(out, "<svg width=\"%.2fmm\" height=\"%.2fmm\" viewBox=\"%.3f %.3f %.3f %.3f\">",
                   width * scale, height * scale, x, y, width, height);
}

// Text of a size on paper, at a place of the drawing.
static void put_text(sn_text *out, double x, double y, double scale, double size,
                     const char *anchor, const char *text)
{
    sn_text_format(out, "<text x=\"%.3f\" y=\"%.3f\" font-size=\"%.3f\" text-anchor=\"%s\">", x, y,
                   size / scale, anchor);
    sn_html_text(out, text);
    sn_text_add(out, "</text>");
}

static void put_line(sn_text *out, const char *kind, double x1, double y1, double x2, double y2)
{
    sn_text_format(out, "<path class=\"%s\" d=\"M%.3f %.3fL%.3f %.3f\"/>", kind, x1, y1, x2, y2);
}

// A number in a circle, as the tables have it.
static void put_number(sn_text *out, double x, double y, double scale, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    sn_text_format(out, "<circle class=\"n\" cx=\"%.3f\" cy=\"%.3f\" r=\"%.3f\"/>", x, y,
                   0.5 * NUMBER_SIZE / scale);
    put_text(out, x, y + 0.95 / scale, scale, 2.7, "middle", text);
}

// A measure between two places on a level line, with ticks and its length.
static void put_measure(sn_text *out, double x1, double x2, double y, double scale)
{
    char text[32];
    double tick = 1.2 / scale;
    put_line(out, "d", x1, y, x2, y);
    put_line(out, "d", x1, y - tick, x1, y + tick);
    put_line(out, "d", x2, y - tick, x2, y + tick);
    snprintf(text, sizeof text, "%.1f", fabs(x2 - x1));
    put_text(out, 0.5 * (x1 + x2), y - 0.8 / scale, scale, 2.8, "middle", text);
}

// ---- the whole ----

typedef struct plan {
    sn_text *out;
    const sn_mobile *mobile;
    sn_sheet_view view;
    double low_x, low_y, high_x, high_y; // drawing, y down
    bool measuring;                      // only looks how far everything reaches
    double scale;
} plan;

static sn_vec2 project(const plan *p, sn_vec3 place)
{
    return p->view == SN_VIEW_FRONT ? (sn_vec2){MILLIMETRES * place.x, -MILLIMETRES * place.z}
                                    : (sn_vec2){MILLIMETRES * place.x, -MILLIMETRES * place.y};
}

static void visit(plan *p, sn_vec3 place, bool first)
{
    sn_vec2 at = project(p, place);
    if (p->measuring) {
        p->low_x = fmin(p->low_x, at.x);
        p->low_y = fmin(p->low_y, at.y);
        p->high_x = fmax(p->high_x, at.x);
        p->high_y = fmax(p->high_y, at.y);
    } else {
        sn_text_format(p->out, "%s%.2f %.2f", first ? "M" : "L", at.x, at.y);
    }
}

static void begin_path(plan *p, const char *kind, const char *fill)
{
    if (!p->measuring) {
        sn_text_format(p->out, "<path class=\"%s\"%s%s%s d=\"", kind,
                       fill != NULL ? " style=\"fill:" : "", fill != NULL ? fill : "",
                       fill != NULL ? "\"" : "");
    }
}

static void end_path(plan *p, bool closed)
{
    if (!p->measuring) {
        sn_text_add(p->out, closed ? "Z\"/>" : "\"/>");
    }
}

static void visit_ring(plan *p, const sn_part *part, sn_vec3 x, sn_vec3 y, sn_vec3 centre)
{
    enum { EDGES = 32 };
    double r = part->size * part->radius;
    if (part->type == SN_PART_SOLID) {
        sn_aabb bounds = sn_mesh_bounds(part->mesh);
        r = 0.5 * part->size * sn_distance(bounds.lower, bounds.upper) / 1.7;
    }
    for (int i = 0; i < EDGES; ++i) {
        double s, c;
        sn_sincos(2.0 * SN_PI * i / EDGES, &s, &c);
        visit(p, sn_vec3_add_scaled(sn_vec3_add_scaled(centre, r * c, x), r * s, y), i == 0);
    }
}

static void visit_piece(plan *p, const sn_part *part, const char *fill)
{
    begin_path(p, "p", fill);
    sn_vec3 x = sn_vec3_make(1, 0, 0), y = sn_vec3_make(0, p->view == SN_VIEW_TOP, 0);
    y.z = p->view == SN_VIEW_FRONT ? 1.0 : 0.0;
    if (part->type == SN_PART_SHEET) {
        int at = 0;
        for (int l = 0; l < part->outline.loop_count; ++l) {
            for (int i = 0; i < part->outline.loop_sizes[l]; ++i, ++at) {
                sn_vec2 flat = {part->size * part->outline.points[at].x,
                                part->size * part->outline.points[at].y};
                visit(p, sn_transform_point(part->frame, sn_part_surface_point(part, flat)),
                      i == 0);
            }
        }
    } else if (part->type == SN_PART_DISC) {
        visit_ring(p, part, sn_rotate(part->frame.rotation, sn_vec3_make(1, 0, 0)),
                   sn_rotate(part->frame.rotation, sn_vec3_make(0, 1, 0)), part->frame.position);
    } else {
        visit_ring(p, part, x, y, sn_transform_point(part->frame, part->own.centre));
    }
    end_path(p, true);
}

static void visit_arm(plan *p, const sn_part *part)
{
    begin_path(p, "w", NULL);
    for (int i = 0; i < part->wire_count; ++i) {
        sn_vec3 at = sn_vec3_make(part->wire[i].x, 0.0, part->wire[i].y);
        visit(p, sn_transform_point(part->frame, at), i == 0);
    }
    visit(p, sn_transform_point(part->frame, sn_wire_point(part, part->hook)), true);
    visit(p, sn_transform_point(part->frame, part->pivot), false);
    end_path(p, false);
}

static void visit_part(plan *p, const sn_scene *scene, int mobile, int index)
{
    const sn_part *part = &p->mobile->parts[index];
    char fill[16];
    snprintf(fill, sizeof fill, "#%06x", (unsigned)sn_scene_mobile_colour(scene, mobile, index));
    if (part->type == SN_PART_ARM) {
        visit_arm(p, part);
    } else {
        visit_piece(p, part, fill);
    }
    if (!part->fixed && (part->string > 0.0 || part->drop > 0.0)) {
        begin_path(p, "s", NULL);
        if (part->drop > 0.0 && part->parent >= 0) {
            const sn_part *arm = &p->mobile->parts[part->parent];
            visit(p, sn_transform_point(arm->frame, sn_wire_point(arm, part->at)), true);
        }
        visit(p, part->hook_place, part->drop <= 0.0 || part->parent < 0);
        visit(p, sn_transform_point(part->frame, part->pivot), false);
        end_path(p, false);
    }
}

// Where numbers stand already.
typedef SN_ARRAY(sn_vec2) places;

// False where another number stands.
static bool take_place(places *taken, sn_vec2 at, double apart, bool *failed)
{
    for (int i = 0; i < taken->count; ++i) {
        double x = taken->data[i].x - at.x, y = taken->data[i].y - at.y;
        if (x * x + y * y < apart * apart) {
            return false;
        }
    }
    *failed = !sn_array_push(taken, at) || *failed;
    return true;
}

static bool number_part(plan *p, int index, places *taken)
{
    const sn_part *part = &p->mobile->parts[index];
    sn_vec3 place = sn_transform_point(part->frame, part->own.centre);
    if (part->type == SN_PART_ARM) {
        // Beside the hook, where nothing hangs.
        place = sn_transform_point(part->frame, sn_wire_point(part, part->hook));
    }
    sn_vec2 at = project(p, place);
    double aside = part->type == SN_PART_ARM ? 3.4 / p->scale : 0.0;
    at.x += aside;
    at.y += p->view == SN_VIEW_FRONT ? -aside : aside;
    if (!take_place(taken, at, NUMBER_SIZE / p->scale, &p->out->failed)) {
        return false;
    }
    put_number(p->out, at.x, at.y, p->scale, index + 1);
    return true;
}

int sn_draw_plan(sn_text *out, const sn_scene *scene, int mobile, sn_sheet_view view, double width,
                 double height)
{
    plan p = {.out = out, .mobile = sn_scene_mobile(scene, mobile), .view = view};
    p.low_x = p.low_y = INFINITY;
    p.high_x = p.high_y = -INFINITY;
    p.measuring = true;
    visit(&p, p.mobile->position, true);
    for (int i = 0; i < p.mobile->count; ++i) {
        visit_part(&p, scene, mobile, i);
    }
    double w = p.high_x - p.low_x, h = p.high_y - p.low_y;
    // From above, numbers of arms stand below them.
    double below = view == SN_VIEW_TOP ? 9.5 : 6.0;
    p.scale = fmin((width - 10.0) / w, (height - below - 8.0) / h);
    double margin = 5.0 / p.scale, foot = (below + 3.0) / p.scale;
    p.measuring = false;
    open_svg(out, p.low_x - margin, p.low_y - margin, w + 2.0 * margin, h + margin + foot, p.scale);
    sn_text_format(out, "<g style=\"stroke-width:%.3f\">", 0.25 / p.scale);
    for (int i = 0; i < p.mobile->count; ++i) {
        visit_part(&p, scene, mobile, i);
    }
    places taken = {0};
    int left_out = 0;
    for (int i = 0; i < p.mobile->count; ++i) {
        left_out += !number_part(&p, i, &taken);
    }
    sn_array_free(&taken);
    sn_vec2 nail = project(&p, p.mobile->position);
    double t = 1.6 / p.scale;
    sn_text_format(out, "<path class=\"k\" d=\"M%.2f %.2fl%.2f %.2fh%.2fZ\"/>", nail.x, nail.y, -t,
                   -t, 2.0 * t);
    put_measure(out, p.low_x, p.high_x, p.high_y + below / p.scale, p.scale);
    sn_text_add(out, "</g></svg>");
    return left_out;
}

// ---- leaves ----

static void put_caption(sn_text *out, const sn_part *part, int number, double scale_number)
{
    sn_text_format(out, "<figcaption><b>%d</b> ", number);
    sn_html_text(out, part->name);
    sn_text_format(out, " &middot; 1:%g", scale_number);
}

void sn_draw_cut(sn_text *out, const sn_cut *cut, int number, uint32_t colour)
{
    double w = cut->high_x - cut->low_x, h = cut->high_y - cut->low_y, of;
    double scale = fitting_scale(w + 16.0, h + 16.0, PAGE_HEIGHT, &of), turned_of;
    double turned_scale = fitting_scale(h + 16.0, w + 16.0, TURNED_HEIGHT, &turned_of);
    bool turned = turned_scale > scale;
    if (turned) {
        scale = turned_scale;
        of = turned_of;
    }
    double left = 12.0 / scale, top = 4.0 / scale, foot = 9.0 / scale;
    double y = -cut->hole_y, cross = 2.5 / scale;
    char text[64];
    sn_text_add(out, "<figure>");
    double x0 = cut->low_x - left, y0 = -cut->high_y - top;
    double width = w + left + 4.0 / scale, height = h + top + foot;
    if (turned) {
        open_svg(out, y0, -x0 - width, height, width, scale);
    } else {
        open_svg(out, x0, y0, width, height, scale);
    }
    sn_text_format(out, "<g %sstyle=\"stroke-width:%.3f\">",
                   turned ? "transform=\"rotate(-90)\" " : "", 0.2 / scale);
    sn_text_format(out, "<path class=\"p\" style=\"fill:#%06x;fill-opacity:.18\" d=\"",
                   (unsigned)colour);
    sn_cut_path(cut, out);
    sn_text_add(out, "\"/>");
    put_line(out, "c", cut->hole_x - cross, y, cut->hole_x + cross, y);
    put_line(out, "c", cut->hole_x, y - cross, cut->hole_x, y + cross);
    if (cut->hole_diameter > 0.0) {
        sn_text_format(out, "<circle class=\"c\" cx=\"%.3f\" cy=\"%.3f\" r=\"%.3f\"/>", cut->hole_x,
                       y, 0.5 * cut->hole_diameter);
    }
    put_measure(out, cut->low_x, cut->high_x, -cut->low_y + 6.0 / scale, scale);
    // The height stands at the side, turned.
    double x = cut->low_x - 4.0 / scale, middle = -0.5 * (cut->low_y + cut->high_y);
    put_line(out, "d", x, -cut->high_y, x, -cut->low_y);
    put_line(out, "d", x - 1.2 / scale, -cut->high_y, x + 1.2 / scale, -cut->high_y);
    put_line(out, "d", x - 1.2 / scale, -cut->low_y, x + 1.2 / scale, -cut->low_y);
    snprintf(text, sizeof text, "%.1f", h);
    sn_text_format(out, "<g transform=\"translate(%.3f %.3f) rotate(%d)\">",
                   x - (turned ? 3.2 : 0.8) / scale, middle, turned ? 90 : -90);
    put_text(out, 0.0, 0.0, scale, 2.8, "middle", text);
    sn_text_add(out, "</g></g></svg>");
    put_caption(out, cut->part, number, of);
    sn_text_add(out, turned ? ", turned to fit the page: its left is below" : "");
    sn_text_format(out, "<br>%s %.1f mm from the left, %.1f mm from below",
                   cut->hole_diameter > 0.0 ? "hole" : "fixed at", cut->hole_x - cut->low_x,
                   cut->hole_y - cut->low_y);
    if (cut->part->type == SN_PART_SHEET && cut->part->bend != 0.0) {
        sn_text_format(out, "<br>roll along its length to a radius of %.1f mm",
                       MILLIMETRES * fabs(sn_part_bend_radius(cut->part)));
    }
    sn_text_add(out, "</figcaption></figure>");
}

// ---- wires ----

static void put_place(sn_text *out, const sn_part *arm, double at, double scale, const char *text)
{
    sn_vec3 place = sn_wire_point(arm, at);
    double x = MILLIMETRES * place.x, y = -MILLIMETRES * place.z;
    put_line(out, "d", x, y, x, y + 5.0 / scale);
    put_text(out, x, y + 8.0 / scale, scale, 2.8, "middle", text);
}

void sn_draw_wire(sn_text *out, const sn_mobile *mobile, int index)
{
    const sn_part *arm = &mobile->parts[index];
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY, of;
    for (int i = 0; i < arm->wire_count; ++i) {
        low_x = fmin(low_x, MILLIMETRES * arm->wire[i].x);
        high_x = fmax(high_x, MILLIMETRES * arm->wire[i].x);
        low_y = fmin(low_y, -MILLIMETRES * arm->wire[i].y);
        high_y = fmax(high_y, -MILLIMETRES * arm->wire[i].y);
    }
    double scale = fitting_scale(high_x - low_x + 14.0, high_y - low_y + 20.0, PAGE_HEIGHT, &of);
    // Room for the hook above and for places below.
    double margin = 8.0 / scale, head = 6.0 / scale, foot = 10.0 / scale;
    sn_vec3 top = sn_wire_point(arm, arm->hook);
    low_y = fmin(low_y, -MILLIMETRES * (top.z + arm->height));
    char text[64];
    sn_text_add(out, "<figure class=\"wire\">");
    open_svg(out, low_x - margin, low_y - head, high_x - low_x + 2.0 * margin,
             high_y - low_y + head + foot, scale);
    sn_text_format(out, "<g style=\"stroke-width:%.3f\"><path class=\"w\" d=\"", 0.2 / scale);
    for (int i = 0; i < arm->wire_count; ++i) {
        sn_text_format(out, "%s%.3f %.3f", i > 0 ? "L" : "M", MILLIMETRES * arm->wire[i].x,
                       -MILLIMETRES * arm->wire[i].y);
    }
    sn_text_add(out, "\"/>");
    sn_vec3 hook = sn_wire_point(arm, arm->hook);
    double hook_x = MILLIMETRES * hook.x, hook_y = -MILLIMETRES * (hook.z + arm->height);
    put_line(out, "d", hook_x, -MILLIMETRES * hook.z, hook_x, hook_y);
    sn_text_format(out, "<circle class=\"c\" cx=\"%.3f\" cy=\"%.3f\" r=\"%.3f\"/>", hook_x, hook_y,
                   1.0 / scale);
    snprintf(text, sizeof text, "hook %.1f", MILLIMETRES * arm->hook);
    put_text(out, hook_x, hook_y - 2.2 / scale, scale, 2.8, "middle", text);
    for (int i = index + 1; i < mobile->count; ++i) {
        if (mobile->parts[i].parent == index) {
            snprintf(text, sizeof text, "%d: %.1f", i + 1, MILLIMETRES * mobile->parts[i].at);
            put_place(out, arm, mobile->parts[i].at, scale, text);
        }
    }
    sn_text_add(out, "</g></svg>");
    put_caption(out, arm, index + 1, of);
    sn_text_format(
        out,
        " &middot; wire &#8960; %.2f mm, %.1f mm long with its bends; hook %.1f mm above "
        "the wire</figcaption></figure>",
        2.0 * MILLIMETRES * arm->radius, MILLIMETRES * sn_wire_length(arm),
        MILLIMETRES * arm->height);
}
