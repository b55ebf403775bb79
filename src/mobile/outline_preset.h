// Outlines that have a name, and smooth curves through points.
//
// A preset lies in the xy plane: its stem at the origin, its length along +x, half its width on
// either side of the x axis; a fin is all on one side.
#ifndef SN_MOBILE_OUTLINE_PRESET_H
#define SN_MOBILE_OUTLINE_PRESET_H

#include "sinew/geometry.h"

// name, word, width by length, direction of +x where it hangs freely (degrees), text
#define SN_OUTLINE_PRESET_LIST(X)                                                                  \
    X(SN_PRESET_LEAF, "leaf", 0.45, -90, "pointed at both ends, widest before its middle")         \
    X(SN_PRESET_DROP, "drop", 0.5, -90, "pointed at the stem, round at the other end")             \
    X(SN_PRESET_OVAL, "oval", 0.6, 0, "an ellipse")                                                \
    X(SN_PRESET_FIN, "fin", 0.35, 0, "curved like a sickle")                                       \
    X(SN_PRESET_TRIANGLE, "triangle", 0.9, -90, "with round corners, its point at the stem")       \
    X(SN_PRESET_STAR, "star", 1.0514622, -90, "with five points, one of them at the stem")         \
    X(SN_PRESET_FISH, "fish", 0.4, 0, "a body with a forked tail; the stem is the mouth")          \
    X(SN_PRESET_MOON, "moon", 0.75, 0, "a crescent, its back at the stem")                         \
    X(SN_PRESET_HEART, "heart", 1.0, -90, "its tip at the stem")

typedef enum sn_outline_preset {
#define X(name, word, width, direction, text) name,
    SN_OUTLINE_PRESET_LIST(X)
#undef X
        SN_PRESET_COUNT
} sn_outline_preset;

// Width of a preset by its length, where nobody says otherwise; where its +x points when it hangs.
double sn_preset_width(sn_outline_preset preset);
double sn_preset_direction(sn_outline_preset preset); // rad

SN_API int sn_preset_point_count(sn_outline_preset preset);
SN_API void sn_preset_points(sn_outline_preset preset, double length, double width,
                             sn_vec2 *points); // sn_preset_point_count, counter-clockwise

// A centripetal Catmull-Rom spline through points, `steps` straight pieces a span: fills
// sn_spline_point_count points. A closed one comes back to its first point, which is not repeated.
int sn_spline_point_count(int count, bool closed, int steps);
SN_API void sn_spline_points(const sn_vec2 *points, int count, bool closed, int steps,
                             sn_vec2 *curve);

#endif
