// A spring and damper between two points, or one of its directions, as a row of the step's linear
// problem: the impulse that it gives depends on the velocity u1 at the end of the step,
//
//     p = push - resistance (u1 - u0),
//
// with u the rate of the row, u0 its value at the start. In the solver this is u1 + p / resistance
// = u0 + push / resistance: a row of compliance 1 / resistance.
//
// Agents ask for forces in the middle, x0 + h/2 v0, and end at x0 + h/2 (v0 + v1). With s the
// stretch in the middle, implicit midpoint's rule has the tension k (s + h/4 (u1 - u0)) there: the
// stretch at (x0 + x1) / 2. This keeps the energy of a straight spring exactly, whatever k. A
// damper has c (u0 + theta (u1 - u0)) with
//
//     theta = 1 / (1 - exp(-z)) - 1 / z,     z = c h W,     W = what answers a unit impulse,
//
// the share with which a single damper decays as exp(-z): 1/2 where it is resolved (the
// trapezoidal rule), 1 where it is not, so that velocities do not change their sign at every step.
// Where the spring is stiff this share goes back to 1/2, because the way h/2 u0 on which a
// velocity dies within a step would be stretch.
//
// Springs turn on the way. In the middle the distance of the ends has grown by `curve` less than
// its rate says, and stiff springs take this for stretch: a mass on a spring of k h^2 / m = 1e6
// that goes round at 0.01 rad a step gains all its kinetic energy by it. And what an unresolved
// spring stores comes back as velocities that no step can follow (a tenth of the length at k h^2 /
// m = 1e4 is ten lengths a step). So with
//
//     K = k h^2 W,     share = (K / (K + 5))^3
//
// the curve is taken out, and a damper of 3/2 k h is added: both by the share, which is 1e-5 at K
// = 0.1, 5e-3 at 1 and 0.3 at 10, and vanishes as h^6. The damper acts on (u0 + u1) / 2 and can
// only take energy.
//
// What the ends got, and what the spring has lost at the end of the step, then differ by as much as
// the spring has turned otherwise than a straight way in the middle tells. By the same share, what
// nobody gave is taken out of the motion along the spring at the end, as far as there is any: an
// impulse along the line between the ends, which keeps momenta.
#ifndef SN_SOLVE_SOFT_ROW_H
#define SN_SOLVE_SOFT_ROW_H

#include <stdbool.h>

#include "sinew/base.h"

typedef struct sn_soft_row {
    double stiffness, damping; // N/m, N s/m
    double stretch;            // m: where forces are asked for
    double curve;              // m: stretch at the start + h/2 rate - stretch
    double start;              // m: stretch at the start of the step
    double rate;               // m/s: u0
    bool turns;                // of a turn: rad in place of m; K / (K + 1) in place of K / (K + 5)
    // Of the step under way, for whoever settles its energy.
    double push, resistance, share; // of the law that was solved
    double excess;                  // J, to be taken out at the end of the step
    double end_rate;                // m/s: there, before that
} sn_soft_row;

typedef struct sn_soft_law {
    double push;       // N s
    double resistance; // N s / (m/s); 0: the row does nothing
    double share;      // not resolved
} sn_soft_law;

// answer: W. whole: the step goes x0 + h v1, and the tension is that of its end.
SN_API sn_soft_law sn_soft_row_law(const sn_soft_row *row, double answer, double h, bool whole);

// What the spring did to its ends in the step, J, by the impulse that was found; without dampers.
SN_API double sn_soft_row_work(const sn_soft_row *row, double impulse, double h);
// The rate with which `excess` is gone from the motion along the row, as far as there is any.
SN_API double sn_soft_row_end(const sn_soft_row *row, double answer);

#endif
