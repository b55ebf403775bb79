// Flat outlines of a mobile's parts as polygons in millimetres, for cutters and for the build
// sheet.
#ifndef SN_RECORD_CUT_FILE_H
#define SN_RECORD_CUT_FILE_H

#include "mobile/mobile.h"
#include "scene/text.h"

typedef struct sn_cut {
    const sn_part *part;
    double low_x, low_y, high_x, high_y; // mm, of the edge, in the part's own axes
    double hole_x, hole_y;               // mm
    double hole_diameter;                // mm; 0: it is fixed there, not hung
} sn_cut;

// False: the part is no sheet or disc.
bool sn_cut_of(const sn_part *part, sn_cut *cut);

// The edge and its holes as the data of an SVG path, mm, y down; a disc as two arcs.
void sn_cut_path(const sn_cut *cut, sn_text *out);

#endif
