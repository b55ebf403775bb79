// The exact contact solver: one island of contacts between agents of any kind, with the agents' own
// limits, friction and drives, solved until the laws of contact.h hold.
//
//     sn_exact exact = {0};
//     sn_exact_problem problem = sn_exact_default();
//     problem.sets = sets;
//     problem.contacts = island; // pointers, contact_count of them
//     problem.courses = courses; // beside the contacts: sn_contact_begin has been there
//     problem.contact_count = count;
//     problem.h = h;
//     // the agents begin and take their free step
//     sn_exact_solve(&exact, &problem, &report, &error);
//     // the agents advance
//     if (report.struck) { sn_exact_relax(&exact, &problem, &report, &error); }
//
// With the bodies' positions at the end of the step x1 = x0 + before v0 + after v1 (both h / 2 for
// the midpoint rule) a contact of gap g0 and velocity u0 must have
//
//     u1 >= -(g0 + before u0) / after
//
// to end at no overlap: so things land at gap 0, in the step in which they meet, with some velocity
// left. Where the two sides differ in `after` (a midpoint body on one of implicit Euler's), what
// both do alike moves them apart or together, too: with m the mean of their velocities
//
//     gap = g0 + before u0 + after u1 + (after_b - after_a) (m1 - m0)
//
// with the means of `after`; m1 is taken from the last solution, and the system solved again.
// sn_exact_relax then makes velocities right where bodies are at the end: u_n >= 0, the impulses of
// both passes together in the cone. Contacts at rest need only the first. Impacts that rebound are
// timed within the step: see impact.h.
//
// Sticking contacts return to their anchor, so that what rests does not creep.
//
// What is small: gaps below 1e-7 of the contact's size are none; overlap up to 1e-4 of it is left
// alone; deeper overlap is pushed out, by up to 1/64 of the size in a step (exact_push.c), with no
// velocity left behind.
#ifndef SN_SOLVE_EXACT_H
#define SN_SOLVE_EXACT_H

#include "solve/contact.h"
#include "solve/exact_system.h"
#include "solve/impact.h"
#include "solve/soft_row.h"

#define SN_EXACT_SMALL   1e-7
#define SN_EXACT_OVERLAP 1e-4
#define SN_EXACT_PLAY    1e-11 // of distances from anchors, by the contact's size: exact_anchor.c
#define SN_EXACT_PUSH    (1.0 / 64.0)

// An equation between velocities of parts, of at most two agents: the sum of forces . motion (the
// force on the part's centre for a unit of the row's impulse, and the moment about it) is the
// target.
enum { SN_EXACT_BOND_TERMS = 20 };

typedef struct sn_exact_bond {
    int count;
    sn_contact_side sides[SN_EXACT_BOND_TERMS];
    sn_spatial forces[SN_EXACT_BOND_TERMS];
    double target;       // at the end of the step
    double whole_target; // the same where the step of a side is whole: x1 = x0 + h v1; others go
                         // h (v0 + v1) / 2, by the lag
    double lag;          // (u1 - u0) / 2 of such others
    double size;         // m, by which that is measured
    double end_target;   // the same in the second pass
    double impulse;      // of the step before, and the answer
    double start_rate;   // what is left of the row by the velocities of the start: there, if that
                         // is not to stay,
    double middle_rate;  // in the middle of the step as these have it,
    double bent_rate;    // and more, where that is in truth: for whoever makes the target
    sn_vec3 turn;        // rad: how much further than with the velocities of the start alone its
                         // rigid side has turned by the middle of the step
    double way;          // by which it is off or led in the step: more than it does work along
    sn_soft_row *soft;   // it is a spring's, which gives way: of the above only sides, forces
                         // and impulse count; NULL: it holds
} sn_exact_bond;

typedef struct sn_exact_problem {
    sn_agent_set *const *sets;
    sn_contact *const *contacts;
    sn_contact_course *courses; // contact_count: of this step
    int contact_count;
    sn_exact_bond *const *bonds;
    int bond_count;
    double h;
    int leans; // how often agents may be asked to lean on what has been found,
    void (*bend)(void *context, sn_exact_bond *const *bonds, int count); // and bonds to follow;
    void *context;                                                       // NULL: they need not
    bool predict;           // the simultaneous impulse of seed_impulse.h in place of the solver
    sn_exact_limits limits; // see sn_exact_default
} sn_exact_problem;

typedef struct sn_exact_report {
    sn_exact_effort effort;
    int strikes;              // rebounds within the step
    bool struck;              // sn_exact_relax is needed
    bool unfinished;          // agents were to linearise more often than they may
    bool unconverged;         // the residual is above what is enough, or they were
    sn_contact_side worst[2]; // then: of the row that is off most; set -1: none, or the world
} sn_exact_report;

// One point of a contact in the system.
typedef struct sn_exact_spot {
    int contact, point, block;
    int striking;    // block as bodies are when it strikes, for impact.h alone; or `block`
    sn_vec3 axes[3]; // normal, two tangential
    sn_vec3 pressed; // at the end: the normal of the first pass, where it was another; else 0
    sn_vec3 place;
    double gap;           // what counts of it
    double before, after; // shares of the step, s: means of both sides
    double unlike;        // s, by which b's `after` is longer than a's
    double lag;           // m, what that adds to the gap: see above
    sn_vec3 start;        // u at the start of the step, along the axes
    sn_vec3 first;        // impulse at the start of this pass
    sn_vec3 anchor;       // of its point, as far as it agrees with those beside it,
    bool returning;       // and whether it is undone
} sn_exact_spot;

// A limit of an agent that its velocities are far from: it gets no row unless it is gone beyond.
typedef struct sn_exact_far {
    int agent, freedom; // of the system; of the agent
    double target;
    double side; // 1: velocities may not be above the target, -1: below
} sn_exact_far;

// Zero is an empty solver. It keeps its memory from call to call, and nothing else.
typedef struct sn_exact {
    sn_exact_system system;
    SN_ARRAY(sn_exact_spot) spots;
    SN_ARRAY(sn_impact_spot) impacts; // beside the spots
    SN_ARRAY(sn_agent_row) rows;
    SN_ARRAY(sn_exact_far) far;
    bool all_rows;            // none is far
    SN_ARRAY(int) places;     // hash of agents
    SN_ARRAY(double) total;   // as v: generalised impulses, and scratch
    SN_ARRAY(double) start_v; // as v: at the start of the step
    SN_ARRAY(double) free_v;  // as v: free velocities of agents with rows of their own
    SN_ARRAY(double) felt;    // by sides of blocks on normalised agents: J^T
    SN_ARRAY(double) wishes;  // by blocks: how much faster contacts ought to part
    bool at_end;              // of the step: the second pass
    int contact_blocks;       // blocks of contacts come first, then bonds, then agents' own
} sn_exact;

SN_API sn_exact_problem sn_exact_default(void);
SN_API void sn_exact_free(sn_exact *exact);

// After free_step: finds the impulses of the step and pushes the agents. Fails only for lack of
// memory; a residual above the tolerance is in the report.
SN_API sn_status sn_exact_solve(sn_exact *exact, const sn_exact_problem *problem,
                                sn_exact_report *report, sn_error *error);

// After advance, when the first pass said so.
SN_API sn_status sn_exact_relax(sn_exact *exact, const sn_exact_problem *problem,
                                sn_exact_report *report, sn_error *error);

// Between two steps: contacts strike where bodies are, with friction and restitution, and nothing
// else is solved (impact.h). Impulses are those of the strikes. No courses are needed.
SN_API sn_status sn_exact_strike(sn_exact *exact, const sn_exact_problem *problem, sn_error *error);

// ---- exact_far.c ----
// With the free velocities of an agent that has rows of its own: whether one of these is far, which
// is noted in `far`. memory: false when it runs out.
bool sn_exact_is_far(sn_exact *exact, int agent, const double *v, double fastest,
                     const sn_agent_row *row, bool *memory);
// The fastest of an agent's velocities.
double sn_exact_fastest(const sn_exact_agent *agent, const double *v);
// After a solve: do velocities go beyond what was left out?
bool sn_exact_goes_beyond(sn_exact *exact, const sn_exact_problem *problem);

// ---- exact_anchor.c ----
// After gathering for the first pass: anchors of spots.
void sn_exact_fit_anchors(sn_exact *exact, const sn_exact_problem *problem);

// ---- exact_count.c ----
// Whether a solve ended above what is enough. Simultaneous impulses are not iterated to the laws;
// only their equations may fail.
bool sn_exact_is_off(const sn_exact_problem *problem, const sn_exact_effort *effort);
// After a pass: marks all agents of an island that was not solved, and finds its worst row.
void sn_exact_count_effort(const sn_exact *exact, const sn_exact_problem *problem,
                           sn_exact_report *report);

// ---- exact_bond.c ----
// Before each turn: rigid sides take the rule of what bonds join them to.
void sn_exact_share_rules(const sn_exact_problem *problem);
// What sides of two rules do to bonds, into their targets; the most by which that has changed, by
// their sizes.
double sn_exact_bond_lags(sn_exact *exact, const sn_exact_problem *problem);
// Whether such sides have ended at two velocities that are to be made one.
bool sn_exact_bonds_differ(const sn_exact_problem *problem);
// After a turn: bonds follow what agents lean on, and what has been found for rigid sides.
void sn_exact_bend_bonds(sn_exact *exact, const sn_exact_problem *problem);

// Whether its step goes x0 + h v1 rather than x0 + h (v0 + v1) / 2.
bool sn_exact_is_whole(const sn_exact_problem *problem, const sn_exact_agent *agent);

// What both are made of; exact_gather.c.
SN_API bool sn_exact_gather(sn_exact *exact, const sn_exact_problem *problem, bool at_end);

#endif
