// Impacts that rebound, in the order in which they happen within a step.
//
// Until something touches, gaps go as g + u t + a t^2 / 2. At the first root a contact strikes: its
// impulse is found from the velocities of that moment, with Coulomb friction and
//
//     0 <= p_n,  u_n after + e u_n before >= 0,  one of them 0             (Moreau 1988)
//
// at all points at which the same two bodies touch then, together: a box that falls flat rebounds
// flat. With one e and no friction energy changes by -(1 - e)/(1 + e) p W p / 2, so it never grows;
// where friction would add some, or points differ in e, all rebound less.
//
// What a strike sets moving may strike others that touch, pair after pair, the strongest first,
// until none approaches: so a row of balls that touch passes an impulse on and throws out the last
// one (sequential impacts: Smith, Kaufman, Vouga, Tamstorf, Grinspun 2012). Then time goes on to
// the next root.
//
// An impulse p at the time t shifts its bodies by (h - t) A^-1 J^T p at the end of the step. A step
// takes impulses in its middle, with `after` of its time to come, and at its end. Both are right,
// velocity and place, when
//
//     (h - t) / after  of it acts in the middle,   the rest at the end
//
// and as both parts are impulses of a pair at one point, momentum and angular momentum are kept.
//
// Bounces that would come back within the step are not made here: such a contact comes to rest.
#ifndef SN_SOLVE_IMPACT_H
#define SN_SOLVE_IMPACT_H

#include "solve/contact.h"
#include "solve/exact_system.h"

typedef struct sn_impact_spot {
    int block;                 // of the system, a point
    const sn_contact *contact; // whose point: says between which bodies; NULL: strikes by itself
    double gap;                // at the start of the step, m
    double touching;           // gaps up to this count as none, m
    sn_vec3 start;             // u at the start of the step: normal, tangential
    sn_vec3 rate;              // du/dt with nothing in the way but what rests
    double restitution;
    double after;   // how long impulses in the middle of the step act, s
    sn_vec3 strike; // out: the impulse
    sn_vec3 later;  // out: the part of it that acts at the end of the step
    double gap_now; // scratch, all that follow
    sn_vec3 u_now, u_before_events;
    bool strikes;             // with those that are struck at once
    double bounce;            // e of this strike
    sn_vec3 u_struck, struck; // velocity before it, and its impulse
} sn_impact_spot;

// Would it strike and rebound within the step, by what is in the spot?
SN_API bool sn_impact_is_due(const sn_impact_spot *spot, double h);

// Makes the impacts of a system in order, with spots that ascend by blocks. change: as long as the
// system's v, scratch. Gives the number of strikes.
SN_API int sn_impact_run(const sn_exact_system *system, sn_impact_spot *spots, int count, double h,
                         double *change);

// The strikes of one moment, now, of spots that all touch: block, contact, start and restitution
// count, and `strike` is the answer.
SN_API int sn_impact_now(const sn_exact_system *system, sn_impact_spot *spots, int count,
                         double *change);

#endif
