// Cubic splines through points: piecewise cubic, with continuous second derivatives. They are kept
// as values and second derivatives ("curvatures") at the knots:
//
//     sn_spline_ends ends = {.start_rate = NAN, .end_rate = NAN};
//     sn_spline_solve(knots, values, count, &ends, curvatures, scratch);
//     sn_spline_value now = sn_spline_between(width, x, values[i], values[i + 1], curvatures[i],
//                                             curvatures[i + 1]);
//
// What this does not do: look at its input. Knots must ascend.
#ifndef SN_MATH_SPLINE_H
#define SN_MATH_SPLINE_H

#include "sinew/base.h"

typedef struct sn_spline_ends {
    bool periodic;               // the last value equals the first, and all goes on smoothly there
    double start_rate, end_rate; // of others; NaN: no curvature at that end
} sn_spline_ends;

// The second derivatives at `count` >= 2 knots; scratch holds 2 count numbers.
SN_API void sn_spline_solve(const double *knots, const double *values, int count,
                            const sn_spline_ends *ends, double *curvatures, double *scratch);

typedef struct sn_spline_value {
    double value, first, second;
} sn_spline_value;

// At x, 0 .. width, between a left and a right knot. With b = x / width and a = 1 - b,
//     y   = a y0 + b y1 + ((a^3 - a) m0 + (b^3 - b) m1) width^2 / 6,
// which gives values and second derivatives at both knots to the bit.
static inline sn_spline_value sn_spline_between(double width, double x, double y0, double y1,
                                                double m0, double m1)
{
    double a = (width - x) / width, b = x / width;
    double sixth = width / 6.0;
    return (sn_spline_value){
        a * y0 + b * y1 + (a * (a * a - 1.0) * m0 + b * (b * b - 1.0) * m1) * (sixth * width),
        (y1 - y0) / width + ((1.0 - 3.0 * a * a) * m0 + (3.0 * b * b - 1.0) * m1) * sixth,
        a * m0 + b * m1};
}

#endif
