// Drawings of a build sheet, as SVG inside HTML. A drawing to scale is as wide on paper as it says,
// in millimetres.
#ifndef SN_RECORD_SHEET_DRAWING_H
#define SN_RECORD_SHEET_DRAWING_H

#include "record/cut_file.h"
#include "scene/mobile_item.h"

// Characters that mean something in HTML are written out.
void sn_html_text(sn_text *out, const char *text);

typedef enum sn_sheet_view {
    SN_VIEW_FRONT, // along y: x to the right, z up
    SN_VIEW_TOP,   // from above: x to the right, y up
} sn_sheet_view;

// The whole mobile as it hangs, fitted into so many millimetres, its parts numbered.
int sn_draw_plan(sn_text *out, const sn_scene *scene, int mobile, sn_sheet_view view, double width,
                 double height); // numbers that were left out for want of room

// A sheet or disc, flat, with its hole and measures; an arm's wire with hook and places. Largest
// scale of 1:1, 1:2, 1:5, ... that fits.
void sn_draw_cut(sn_text *out, const sn_cut *cut, int number, uint32_t colour);
void sn_draw_wire(sn_text *out, const sn_mobile *mobile, int part);

#endif
