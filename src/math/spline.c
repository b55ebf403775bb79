// The equations of a spline: equal slopes from both sides of every inner knot,
//     h[i-1] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i] m[i+1] = 6 (d[i] - d[i-1]),
// with widths h and slopes d of the chords. They are diagonally dominant, so that elimination needs
// no pivots (de Boor, A Practical Guide to Splines, IV).
#include "math/spline.h"

#include <math.h>

typedef struct points {
    const double *knots, *values;
} points;

static double width_of(points p, int i)
{
    return p.knots[i + 1] - p.knots[i];
}

static double slope_of(points p, int i)
{
    return (p.values[i + 1] - p.values[i]) / width_of(p, i);
}

// Puts (right - lower m[i-1]) / pivot into m[i], and keeps in ratio[i] what m[i+1] takes from it.
static void eliminate(int i, double lower, double diagonal, double upper, double right, double *m,
                      double *ratio)
{
    double pivot = i > 0 ? diagonal - lower * ratio[i - 1] : diagonal;
    m[i] = (i > 0 ? right - lower * m[i - 1] : right) / pivot;
    ratio[i] = upper / pivot;
}

static void solve_open(points p, int count, const sn_spline_ends *ends, double *m, double *ratio)
{
    int last = count - 1;
    if (isnan(ends->start_rate)) {
        eliminate(0, 0.0, 1.0, 0.0, 0.0, m, ratio);
    } else {
        double h = width_of(p, 0);
        eliminate(0, 0.0, 2.0 * h, h, 6.0 * (slope_of(p, 0) - ends->start_rate), m, ratio);
    }
    for (int i = 1; i < last; ++i) {
        double h0 = width_of(p, i - 1), h1 = width_of(p, i);
        eliminate(i, h0, 2.0 * (h0 + h1), h1, 6.0 * (slope_of(p, i) - slope_of(p, i - 1)), m,
                  ratio);
    }
    if (isnan(ends->end_rate)) {
        eliminate(last, 0.0, 1.0, 0.0, 0.0, m, ratio);
    } else {
        double h = width_of(p, last - 1);
        eliminate(last, h, 2.0 * h, 0.0, 6.0 * (ends->end_rate - slope_of(p, last - 1)), m, ratio);
    }
    for (int i = last - 1; i >= 0; --i) {
        m[i] -= ratio[i] * m[i + 1];
    }
}

// All but m[0] are found as m + m[0] by_first, from two right-hand sides; the equation of the first
// knot, whose left neighbour is the last span, then gives m[0].
static void solve_periodic(points p, int count, double *m, double *ratio, double *by_first)
{
    int last = count - 1;
    m[0] = m[last] = 0.0;
    if (last < 2) {
        return;
    }
    ratio[0] = by_first[0] = 0.0;
    for (int i = 1; i < last; ++i) {
        double h0 = width_of(p, i - 1), h1 = width_of(p, i);
        double from_first = (i == 1 ? h0 : 0.0) + (i == last - 1 ? h1 : 0.0);
        double lower = i == 1 ? 0.0 : h0, upper = i == last - 1 ? 0.0 : h1;
        eliminate(i, lower, 2.0 * (h0 + h1), upper, -from_first, by_first, ratio);
        eliminate(i, lower, 2.0 * (h0 + h1), upper, 6.0 * (slope_of(p, i) - slope_of(p, i - 1)), m,
                  ratio);
    }
    for (int i = last - 2; i > 0; --i) {
        m[i] -= ratio[i] * m[i + 1];
        by_first[i] -= ratio[i] * by_first[i + 1];
    }
    double h0 = width_of(p, last - 1), h1 = width_of(p, 0);
    double right = 6.0 * (slope_of(p, 0) - slope_of(p, last - 1));
    double first = (right - h0 * m[last - 1] - h1 * m[1]) /
                   (2.0 * (h0 + h1) + h0 * by_first[last - 1] + h1 * by_first[1]);
    m[0] = m[last] = first;
    for (int i = 1; i < last; ++i) {
        m[i] += first * by_first[i];
    }
}

void sn_spline_solve(const double *knots, const double *values, int count,
                     const sn_spline_ends *ends, double *curvatures, double *scratch)
{
    points p = {knots, values};
    if (ends->periodic) {
        solve_periodic(p, count, curvatures, scratch, scratch + count);
    } else {
        solve_open(p, count, ends, curvatures, scratch);
    }
}
