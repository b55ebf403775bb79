#include "record/cut_file.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "scene/mobile_item.h"
#include "sinew/mobile.h"

static const double MILLIMETRES = 1000.0;

static sn_vec2 corner(const sn_part *part, int i)
{
    double scale = MILLIMETRES * part->size;
    return (sn_vec2){scale * part->outline.points[i].x, scale * part->outline.points[i].y};
}

bool sn_cut_of(const sn_part *part, sn_cut *cut)
{
    *cut = (sn_cut){.part = part};
    if (part->type == SN_PART_DISC) {
        double r = MILLIMETRES * part->size * part->radius;
        cut->low_x = cut->low_y = -r;
        cut->high_x = cut->high_y = r;
    } else if (part->type == SN_PART_SHEET) {
        for (int i = 0; i < part->outline.loop_sizes[0]; ++i) {
            sn_vec2 p = corner(part, i);
            cut->low_x = i > 0 ? fmin(cut->low_x, p.x) : p.x;
            cut->low_y = i > 0 ? fmin(cut->low_y, p.y) : p.y;
            cut->high_x = i > 0 ? fmax(cut->high_x, p.x) : p.x;
            cut->high_y = i > 0 ? fmax(cut->high_y, p.y) : p.y;
        }
    } else {
        return false;
    }
    cut->hole_x = MILLIMETRES * part->size * part->hole.x;
    cut->hole_y = MILLIMETRES * part->size * part->hole.y;
    // Two millimetres, or less in what is small.
    double least = fmin(cut->high_x - cut->low_x, cut->high_y - cut->low_y);
    cut->hole_diameter = part->fixed ? 0.0 : fmin(2.0, 0.05 * least);
    return true;
}

void sn_cut_path(const sn_cut *cut, sn_text *out)
{
    const sn_part *part = cut->part;
    if (part->type == SN_PART_DISC) {
        double r = cut->high_x;
        sn_text_format(out, "M%.3f 0A%.3f %.3f 0 0 1 %.3f 0A%.3f %.3f 0 0 1 %.3f 0Z", -r, r, r, r,
                       r, r, -r);
        return;
    }
    int at = 0;
    for (int l = 0; l < part->outline.loop_count; ++l) {
        for (int i = 0; i < part->outline.loop_sizes[l]; ++i, ++at) {
            sn_vec2 p = corner(part, at);
            sn_text_format(out, "%s%.3f %.3f", i > 0 ? "L" : "M", p.x, -p.y);
        }
        sn_text_add(out, "Z");
    }
}

// ---- DXF ----

// R12: groups of a code and a value, a line each.
static void dxf_text(sn_text *out, int code, const char *value)
{
    sn_text_format(out, "%d\n%s\n", code, value);
}

static void dxf_number(sn_text *out, int code, double value)
{
    sn_text_format(out, "%d\n%.6f\n", code, value);
}

static void dxf_entity(sn_text *out, const char *type, const char *layer, double x, double y)
{
    dxf_text(out, 0, type);
    dxf_text(out, 8, layer);
    dxf_number(out, 10, x);
    dxf_number(out, 20, y);
    dxf_number(out, 30, 0.0);
}

static void dxf_circle(sn_text *out, const char *layer, double x, double y, double radius)
{
    dxf_entity(out, "CIRCLE", layer, x, y);
    dxf_number(out, 40, radius);
}

static void dxf_layers(sn_text *out)
{
    static const char *const layers[] = {"CUT", "DRILL", "MARK"};
    sn_text_add(out, "0\nSECTION\n2\nTABLES\n0\nTABLE\n2\nLAYER\n70\n3\n");
    for (int i = 0; i < 3; ++i) {
        sn_text_format(out, "0\nLAYER\n2\n%s\n70\n0\n62\n%d\n6\nCONTINUOUS\n", layers[i],
                       7 - 2 * i);
    }
    sn_text_add(out, "0\nENDTAB\n0\nENDSEC\n");
}

static void dxf_outline(sn_text *out, const sn_part *part)
{
    int at = 0;
    for (int l = 0; l < part->outline.loop_count; ++l) {
        dxf_entity(out, "POLYLINE", "CUT", 0.0, 0.0);
        sn_text_add(out, "66\n1\n70\n1\n");
        for (int i = 0; i < part->outline.loop_sizes[l]; ++i, ++at) {
            sn_vec2 p = corner(part, at);
            dxf_entity(out, "VERTEX", "CUT", p.x, p.y);
        }
        sn_text_add(out, "0\nSEQEND\n8\nCUT\n");
    }
}

static void write_dxf(sn_text *out, const sn_cut *cut)
{
    sn_text_format(out, "999\n%s, millimetres\n", cut->part->name);
    sn_text_add(out, "0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\nAC1009\n9\n$EXTMIN\n");
    dxf_number(out, 10, cut->low_x);
    dxf_number(out, 20, cut->low_y);
    sn_text_add(out, "9\n$EXTMAX\n");
    dxf_number(out, 10, cut->high_x);
    dxf_number(out, 20, cut->high_y);
    sn_text_add(out, "0\nENDSEC\n");
    dxf_layers(out);
    sn_text_add(out, "0\nSECTION\n2\nENTITIES\n");
    if (cut->part->type == SN_PART_DISC) {
        dxf_circle(out, "CUT", 0.0, 0.0, cut->high_x);
    } else {
        dxf_outline(out, cut->part);
    }
    if (cut->hole_diameter > 0.0) {
        dxf_circle(out, "DRILL", cut->hole_x, cut->hole_y, 0.5 * cut->hole_diameter);
    } else {
        dxf_entity(out, "POINT", "MARK", cut->hole_x, cut->hole_y);
    }
    sn_text_add(out, "0\nENDSEC\n0\nEOF\n");
}

// ---- SVG ----

static void write_svg(sn_text *out, const sn_cut *cut)
{
    double margin = 2.0, width = cut->high_x - cut->low_x + 2.0 * margin;
    double height = cut->high_y - cut->low_y + 2.0 * margin;
    sn_text_format(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.3fmm\" height=\"%.3fmm\" "
                   "viewBox=\"%.3f %.3f %.3f %.3f\" fill=\"none\" stroke-width=\"0.1\">\n",
                   width, height, cut->low_x - margin, -cut->high_y - margin, width, height);
    sn_text_add(out, "<path id=\"cut\" stroke=\"#f00\" d=\"");
    sn_cut_path(cut, out);
    sn_text_add(out, "\"/>\n");
    if (cut->hole_diameter > 0.0) {
        sn_text_format(
            out, "<circle id=\"drill\" stroke=\"#00f\" cx=\"%.3f\" cy=\"%.3f\" r=\"%.3f\"/>\n",
            cut->hole_x, -cut->hole_y, 0.5 * cut->hole_diameter);
    } else {
        sn_text_format(out, "<path id=\"mark\" stroke=\"#0a0\" d=\"M%.3f %.3fh2M%.3f %.3fv2\"/>\n",
                       cut->hole_x - 1.0, -cut->hole_y, cut->hole_x, -cut->hole_y - 1.0);
    }
    sn_text_add(out, "</svg>\n");
}

// ---- asked for by number ----

static sn_status write_cut(const sn_scene *scene, int mobile, int part,
                           void (*write)(sn_text *, const sn_cut *), char **text, size_t *length,
                           sn_error *error)
{
    const sn_mobile *made = sn_scene_mobile(scene, mobile);
    *text = NULL;
    *length = 0;
    if (made == NULL || part < 0 || part >= made->count) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "mobile %d has no part %d", mobile, part);
    }
    sn_cut cut;
    if (!sn_cut_of(&made->parts[part], &cut)) {
        return SN_OK;
    }
    sn_text out = {0};
    write(&out, &cut);
    if (out.failed) {
        sn_text_free(&out);
        return sn_fail_memory(error, 0);
    }
    *text = out.data;
    *length = out.length;
    return SN_OK;
}

sn_status sn_scene_cut_dxf(const sn_scene *scene, int mobile, int part, char **text, size_t *length,
                           sn_error *error)
{
    return write_cut(scene, mobile, part, write_dxf, text, length, error);
}

sn_status sn_scene_cut_svg(const sn_scene *scene, int mobile, int part, char **text, size_t *length,
                           sn_error *error)
{
    return write_cut(scene, mobile, part, write_svg, text, length, error);
}
