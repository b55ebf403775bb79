#include "solve/soft_row.h"

#include <math.h>

#include "math/elementary.h"

// Of K, and of the damper that is added, by k h.
static const double RESOLVED = 5.0, RESOLVED_TURN = 1.0, ADDED = 1.5;

// 1 / (1 - exp(-z)) - 1 / z, from 1/2 at 0 to 1.
static double decay_share(double z)
{
    if (z < 1e-2) { // else it is lost in the difference
        return 0.5 + z / 12.0 - z * z * z / 720.0;
    }
    return -1.0 / sn_expm1(-z) - 1.0 / z;
}

sn_soft_law sn_soft_row_law(const sn_soft_row *row, double answer, double h, bool whole)
{
    double k = row->stiffness, c = row->damping;
    if (whole) {
        double end = k * h + c; // tension k (start + h u1) + c u1
        return (sn_soft_law){-h * (k * row->start + end * row->rate), h * end, 0.0};
    }
    double unresolved = k * h * h * answer;
    double share = 1.0 / (1.0 + (row->turns ? RESOLVED_TURN : RESOLVED) / unresolved); // 0 at 0
    share = share * share * share;
    double added = ADDED * share * k * h;
    double theta = 0.5 + (decay_share(c * h * answer) - 0.5) / (1.0 + unresolved);
    double tension = k * (row->stretch + share * row->curve) + (added + c) * row->rate;
    return (sn_soft_law){-h * tension, h * (0.25 * k * h + 0.5 * added + theta * c), share};
}

double sn_soft_row_work(const sn_soft_row *row, double impulse, double h)
{
    double change = (row->push - impulse) / row->resistance; // u1 - u0
    double stretch = row->stretch + row->share * row->curve + 0.25 * h * change;
    return -row->stiffness * stretch * h * (row->rate + 0.5 * change);
}

double sn_soft_row_end(const sn_soft_row *row, double answer)
{
    double square = row->end_rate * row->end_rate - 2.0 * row->excess * answer;
    double left = square > 0.0 ? sqrt(square) : 0.0;
    return row->end_rate < 0.0 ? -left : left;
}
