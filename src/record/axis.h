// An axis of a plot: its range, where its ticks are and how they are written.
//
//     sn_axis axis = sn_axis_make(0.0, 9.7, 6, false, true); // 0, 2, 4 ... 10
//     sn_axis_label(&axis, axis.ticks[1], &text);            // "2"
//
// Ticks are 1, 2 or 5 times a power of ten apart. Labels stay short: very large or small numbers
// share a power of ten, and numbers that differ only in late digits share an offset; sn_axis_note
// writes both.
#ifndef SN_RECORD_AXIS_H
#define SN_RECORD_AXIS_H

#include "scene/text.h"

#define SN_AXIS_TICKS 24

typedef struct sn_axis {
    double low, high; // the range shown; log10 of it on a logarithmic axis
    bool log_scale;
    double ticks[SN_AXIS_TICKS]; // in the same numbers as low and high
    int tick_count;
    int decimals; // of a label
    int exponent; // labels are (tick - offset) / 10^exponent
    double offset;
} sn_axis;

// `wanted` ticks, more or less. With `margin` the range grows to a little beyond the values. A
// range that is empty or not finite is replaced by one that can be drawn.
SN_API sn_axis sn_axis_make(double low, double high, int wanted, bool log_scale, bool margin);

// Where a value lies: 0 at the low end, 1 at the high end.
SN_API double sn_axis_place(const sn_axis *axis, double value);

SN_API void sn_axis_label(const sn_axis *axis, double tick, sn_text *text);

// "x 10^-3 + 1.25" in typographic form; nothing when the labels say it all.
SN_API void sn_axis_note(const sn_axis *axis, sn_text *text);

#endif
