// The build sheet of a mobile: how it hangs, what to cut, bend and weigh, with drawings to scale.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mobile/balance.h"
#include "record/sheet_drawing.h"
#include "sinew/mobile.h"

static const double MILLIMETRES = 1000.0, GRAMS = 1000.0;

// Everything stands in the page itself, so that it prints the same anywhere.
static const char STYLE[] =
    "@page{size:A4;margin:14mm 12mm}"
    "*{box-sizing:border-box}"
    "body{font:10.5px/1.45 'Helvetica Neue',Helvetica,Arial,sans-serif;color:#1c1e21;"
    "max-width:186mm;margin:8mm auto;background:#fff}"
    "h1{font-size:22px;font-weight:600;margin:0 0 1mm;letter-spacing:-.2px}"
    "h2{font-size:13px;font-weight:600;margin:7mm 0 2mm;padding-bottom:1mm;"
    "border-bottom:.3mm solid #1c1e21;break-after:avoid}"
    "p{margin:0 0 2mm}"
    ".sub{color:#5b6066}"
    ".facts{display:flex;flex-wrap:wrap;gap:2mm 8mm;margin:3mm 0 4mm}"
    ".facts div{min-width:24mm}.facts b{display:block;font-size:15px;font-weight:600}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:right;padding:.8mm 1.6mm;border-bottom:.15mm solid #d4d7da;"
    "white-space:nowrap;font-variant-numeric:tabular-nums}"
    "th{color:#5b6066;font-weight:500;vertical-align:bottom;white-space:normal}"
    "th.l,td.l{text-align:left}tr{break-inside:avoid}thead{display:table-header-group}"
    "i.chip{display:inline-block;width:3mm;height:3mm;border-radius:.6mm;margin-right:1.5mm;"
    "vertical-align:-.4mm;border:.15mm solid #0003}"
    ".bad{color:#b3261e;font-weight:600}"
    ".plans{display:flex;flex-wrap:wrap;gap:4mm;justify-content:center}"
    "figure{display:inline-block;margin:2mm 3mm 3mm 0;vertical-align:top;break-inside:avoid}"
    "figcaption{color:#3c4045;max-width:180mm}"
    "svg{display:block;overflow:visible}"
    "svg text{font-family:inherit;fill:#1c1e21;stroke:none}"
    ".p{fill:#999;stroke:#1c1e21;fill-rule:evenodd;stroke-linejoin:round}"
    ".w{fill:none;stroke:#1c1e21;stroke-width:.6mm;vector-effect:non-scaling-stroke;"
    "stroke-linecap:round;stroke-linejoin:round}"
    ".s{fill:none;stroke:#5b6066}.d{fill:none;stroke:#5b6066}.c{fill:none;stroke:#b3261e}"
    ".n{fill:#fff;stroke:#1c1e21}.k{fill:#1c1e21}"
    "@media print{body{margin:0}h2.page{break-before:page}}";

static void write_head(sn_text *out, const sn_scene *scene, const sn_mobile *mobile)
{
    sn_text_add(out, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    sn_html_text(out, sn_scene_name(scene));
    sn_text_format(out, " - build sheet</title><style>%s</style></head><body><h1>", STYLE);
    sn_html_text(out, sn_scene_name(scene));
    sn_text_add(out, "</h1><p class=\"sub\">Build sheet of the mobile &ldquo;");
    sn_html_text(out, mobile->name);
    sn_text_add(out,
                "&rdquo;. All lengths in millimetres. Print at 100&#8239;%, without fitting to "
                "the page: drawings marked 1:1 can be used as templates.</p>");
}

static void write_fact(sn_text *out, double value, const char *unit, const char *what)
{
    sn_text_format(out, "<div><b>%.4g%s%s</b>%s</div>", value, unit[0] != '\0' ? "&#8239;" : "",
                   unit, what);
}

static void write_facts(sn_text *out, const sn_scene *scene, int number)
{
    const sn_mobile *mobile = sn_scene_mobile(scene, number);
    int arms = 0, leaves = 0, unstable = 0;
    double wire = 0.0, worst = 0.0, longest = 0.0;
    for (int i = 0; i < mobile->count; ++i) {
        const sn_part *part = &mobile->parts[i];
        sn_hanging hanging = sn_part_hanging(mobile, i);
        bool arm = part->type == SN_PART_ARM;
        arms += arm;
        leaves += !arm;
        wire += arm ? sn_wire_length(part) : 0.0;
        unstable += !part->fixed && !hanging.stable;
        worst = fmax(worst, hanging.torque);
        longest = fmax(longest, hanging.period);
    }
    sn_text_add(out, "<div class=\"facts\">");
    write_fact(out, GRAMS * (mobile->parts[0].load + mobile->parts[0].string_mass), "g",
               "hangs on the nail");
    write_fact(out, arms, "", arms == 1 ? "arm" : "arms");
    write_fact(out, leaves, "", leaves == 1 ? "piece" : "pieces");
    write_fact(out, wire, "m", "of wire");
    write_fact(out, longest, "s", "slowest swing");
    sn_text_format(out, "<div><b>%.0e&#8239;N&#8239;m</b>left unbalanced</div>", worst);
    sn_text_add(out, "</div>");
    if (unstable > 0) {
        sn_text_format(out, "<p class=\"bad\">%d part%s topple%s: see the balance table.</p>",
                       unstable, unstable == 1 ? "" : "s", unstable == 1 ? "s" : "");
    }
}

// ---- tables ----

static void write_name(sn_text *out, const sn_scene *scene, int number, int index)
{
    sn_text_format(
        out, "<tr><td>%d</td><td class=\"l\"><i class=\"chip\" style=\"background:#%06x\"></i>",
        index + 1, (unsigned)sn_scene_mobile_colour(scene, number, index));
    sn_html_text(out, sn_scene_mobile(scene, number)->parts[index].name);
    sn_text_add(out, "</td>");
}

static void write_material(sn_text *out, const sn_scene *scene, int number, int index)
{
    const sn_material_item *material = sn_scene_mobile_material(scene, number, index);
    sn_text_add(out, "<td class=\"l\">");
    sn_html_text(out, material != NULL ? material->name : "aluminium");
    sn_text_add(out, "</td>");
}

static void write_balance(sn_text *out, const sn_scene *scene, int number)
{
    const sn_mobile *mobile = sn_scene_mobile(scene, number);
    sn_text_add(out, "<h2>Balance</h2><table><thead><tr><th>no.</th><th class=\"l\">arm</th>"
                     "<th>hook from first end</th><th>carries, g</th><th>weight below hook</th>"
                     "<th>tilt per gram</th><th>period, s</th><th>left, N m</th>"
                     "<th class=\"l\">hangs</th></tr></thead><tbody>");
    for (int i = 0; i < mobile->count; ++i) {
        const sn_part *part = &mobile->parts[i];
        if (part->type != SN_PART_ARM) {
            continue;
        }
        sn_hanging h = sn_part_hanging(mobile, i);
        write_name(out, scene, number, i);
        sn_text_format(out,
                       "<td>%.1f</td><td>%.2f</td><td>%.2f</td><td>%.2f&deg;</td><td>%.2f</td>"
                       "<td>%.1g</td><td class=\"l%s\">%s</td></tr>",
                       MILLIMETRES * part->hook, GRAMS * h.load, MILLIMETRES * h.depth,
                       h.tilt_per_gram * 180.0 / SN_PI, h.period, h.torque, h.stable ? "" : " bad",
                       h.stable ? "stable" : "topples");
    }
    sn_text_add(out, "</tbody></table>");
}

static void write_extent(sn_text *out, const sn_part *part)
{
    sn_cut cut;
    if (sn_cut_of(part, &cut)) {
        sn_text_format(out, "<td>%.1f &times; %.1f</td><td>%.2f</td><td>%.1f, %.1f</td>",
                       cut.high_x - cut.low_x, cut.high_y - cut.low_y,
                       MILLIMETRES * part->thickness, cut.hole_x - cut.low_x,
                       cut.hole_y - cut.low_y);
    } else if (part->type == SN_PART_BALL) {
        sn_text_format(out, "<td>&#8960; %.1f</td><td></td><td></td>",
                       2.0 * MILLIMETRES * part->size * part->radius);
    } else {
        sn_vec3 size =
            sn_vec3_sub(sn_mesh_bounds(part->mesh).upper, sn_mesh_bounds(part->mesh).lower);
        double scale = MILLIMETRES * part->size;
        sn_text_format(out, "<td>%.1f &times; %.1f &times; %.1f</td><td></td><td></td>",
                       scale * size.x, scale * size.y, scale * size.z);
    }
}

static void write_cut_list(sn_text *out, const sn_scene *scene, int number)
{
    const sn_mobile *mobile = sn_scene_mobile(scene, number);
    sn_text_add(out, "<h2>Cut list</h2><table><thead><tr><th>no.</th><th class=\"l\">piece</th>"
                     "<th class=\"l\">material</th><th>size</th><th>thick</th>"
                     "<th>hole, from left and below</th><th>string</th><th>mass, g</th>"
                     "</tr></thead><tbody>");
    double sum = 0.0;
    for (int i = 0; i < mobile->count; ++i) {
        const sn_part *part = &mobile->parts[i];
        if (part->type == SN_PART_ARM) {
            continue;
        }
        write_name(out, scene, number, i);
        write_material(out, scene, number, i);
        write_extent(out, part);
        if (part->fixed) {
            sn_text_add(out, "<td>fixed</td>");
        } else if (part->string > 0.0) {
            sn_text_format(out, "<td>%.1f</td>", MILLIMETRES * part->string);
        } else {
            sn_text_add(out, "<td></td>");
        }
        sn_text_format(out, "<td>%.3f</td></tr>", GRAMS * part->own.mass);
        sum += part->own.mass;
    }
    sn_text_format(
        out,
        "<tr><td></td><td class=\"l\">all pieces</td><td></td><td></td><td></td><td></td>"
        "<td></td><td><b>%.3f</b></td></tr></tbody></table>",
        GRAMS * sum);
}

static void write_wire_list(sn_text *out, const sn_scene *scene, int number)
{
    const sn_mobile *mobile = sn_scene_mobile(scene, number);
    sn_text_add(out,
                "<h2>Wires</h2><table><thead><tr><th>no.</th><th class=\"l\">arm</th>"
                "<th class=\"l\">material</th><th>diameter</th><th>length</th>"
                "<th>hook height</th><th>string</th><th>mass, g</th><th class=\"l\">hangs on</th>"
                "</tr></thead><tbody>");
    for (int i = 0; i < mobile->count; ++i) {
        const sn_part *part = &mobile->parts[i];
        if (part->type != SN_PART_ARM) {
            continue;
        }
        write_name(out, scene, number, i);
        write_material(out, scene, number, i);
        sn_text_format(out, "<td>%.2f</td><td>%.1f</td><td>%.1f</td>",
                       2.0 * MILLIMETRES * part->radius, MILLIMETRES * sn_wire_length(part),
                       MILLIMETRES * part->height);
        if (part->string > 0.0) {
            sn_text_format(out, "<td>%.1f</td>", MILLIMETRES * part->string);
        } else {
            sn_text_add(out, "<td></td>");
        }
        sn_text_format(out, "<td>%.3f</td><td class=\"l\">", GRAMS * part->own.mass);
        if (part->parent >= 0) {
            sn_text_format(out, "%d at %.1f", part->parent + 1, MILLIMETRES * part->at);
        } else {
            sn_text_add(out, "the nail");
        }
        sn_text_add(out, "</td></tr>");
    }
    sn_text_add(out, "</tbody></table>");
}

// ---- drawings ----

static bool is_straight(const sn_part *arm)
{
    for (int i = 0; i < arm->wire_count; ++i) {
        if (arm->wire[i].y != 0.0) {
            return false;
        }
    }
    return true;
}

static void write_drawings(sn_text *out, const sn_scene *scene, int number)
{
    const sn_mobile *mobile = sn_scene_mobile(scene, number);
    sn_text_add(out, "<h2 class=\"page\">Arms</h2><p class=\"sub\">Places are measured along the "
                     "wire from its first end; below the wire: what hangs there, and where.</p>");
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < mobile->count; ++i) {
            const sn_part *part = &mobile->parts[i];
            if (part->type == SN_PART_ARM && is_straight(part) == (pass == 1)) {
                sn_draw_wire(out, mobile, i);
            }
        }
    }
    sn_text_add(out, "<h2 class=\"page\">Templates</h2>");
    for (int i = 0; i < mobile->count; ++i) {
        sn_cut cut;
        if (sn_cut_of(&mobile->parts[i], &cut)) {
            sn_draw_cut(out, &cut, i + 1, sn_scene_mobile_colour(scene, number, i));
        }
    }
}

// Parts beyond which a plan from above gets as much room as the one from the front.
enum { CROWD = 40 };

static void write_plan(sn_text *out, const sn_scene *scene, int mobile, sn_sheet_view view,
                       double height)
{
    int left_out = sn_draw_plan(out, scene, mobile, view, 180.0, height);
    sn_text_format(out, "<figcaption>from %s", view == SN_VIEW_FRONT ? "the front" : "above");
    if (left_out > 0) {
        sn_text_format(out, "; %d number%s no room here, the tables tell where all parts hang",
                       left_out, left_out == 1 ? " has" : "s have");
    }
    sn_text_add(out, "</figcaption></figure>");
}

sn_status sn_scene_build_sheet(const sn_scene *scene, int mobile, char **text, size_t *length,
                               sn_error *error)
{
    *text = NULL;
    *length = 0;
    const sn_mobile *made = sn_scene_mobile(scene, mobile);
    if (made == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "the scene has no mobile %d", mobile);
    }
    sn_text out = {0};
    write_head(&out, scene, made);
    write_facts(&out, scene, mobile);
    sn_text_add(&out, "<h2>Hanging plan</h2><div class=\"plans\"><figure>");
    write_plan(&out, scene, mobile, SN_VIEW_FRONT, 120.0);
    sn_text_add(&out, "<figure>");
    write_plan(&out, scene, mobile, SN_VIEW_TOP, made->count > CROWD ? 120.0 : 80.0);
    sn_text_add(&out, "</div>");
    write_balance(&out, scene, mobile);
    write_wire_list(&out, scene, mobile);
    write_cut_list(&out, scene, mobile);
    write_drawings(&out, scene, mobile);
    sn_text_add(&out, "</body></html>\n");
    if (out.failed) {
        sn_text_free(&out);
        return sn_fail_memory(error, 0);
    }
    *text = out.data;
    *length = out.length;
    return SN_OK;
}
