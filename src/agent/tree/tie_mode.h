// What each freedom does while an integrator of its own follows it. Forces that jump are smooth
// between their jumps, and there a freedom keeps to its modes:
//
// | of         | modes                                                                          |
// |------------|--------------------------------------------------------------------------------|
// | hard limit | free; rests on the upper or the lower one, its position exactly that           |
// | soft limit | free; pressed by the upper or the lower; beyond it but not pressed              |
// | friction   | sticks, its velocity exactly zero; slips forward or back                       |
// | drive      | holds what it wants; gives the most its force limit allows, or the least        |
//
// Everything follows from positions, velocities and forces: a freedom on its limit without velocity
// may rest, one without velocity may stick, one at the target velocity of its drive may be held
// there, and which of them do is the answer of the boxed problem (tie_box.h) in accelerations. Each
// mode has a value that is above zero while it is right. Where one passes zero the integrator
// stops, impacts change velocities, and modes are found anew.
//
// Dry friction and drives with a force limit give no impulse: what they hold lets go in an impact,
// and is caught again after it.
#ifndef SN_AGENT_TREE_TIE_MODE_H
#define SN_AGENT_TREE_TIE_MODE_H

#include "agent/agent.h"
#include "agent/tree/tie_work.h"

enum {
    SN_MODE_FREE,
    SN_MODE_UPPER,
    SN_MODE_LOWER,
    SN_MODE_OFF_UPPER, // of soft limits: beyond, and not pressed
    SN_MODE_OFF_LOWER,
};
enum { SN_MODE_STICKS, SN_MODE_FORWARD, SN_MODE_BACK };
enum { SN_MODE_HOLDS, SN_MODE_MOST, SN_MODE_LEAST };

enum { SN_SWITCH_LOWER, SN_SWITCH_UPPER, SN_SWITCH_FRICTION, SN_SWITCH_DRIVE };

SN_API bool sn_tie_modes_allocate(sn_tie_modes *modes, const sn_tree *tree);
SN_API void sn_tie_modes_free(sn_tie_modes *modes);

// Lists what can change, for the freedoms as they are now.
SN_API void sn_tie_modes_arrange(sn_tie_work *work, const sn_tree *tree);

// A state; the context of what makes rows.
typedef struct sn_tie_state {
    double time;
    const double *q, *v;
} sn_tie_state;

// What holds a freedom while modes say so: how, and the forces it can give in all.
typedef struct sn_tie_hold {
    bool sticks, drives, rests; // of balls: the drive alone
    double lower, upper;
} sn_tie_hold;

SN_API sn_tie_hold sn_tie_mode_hold(const sn_tie_work *work, const sn_tree_link *link, int own);

// Rows that modes hold; and those of all that may be held at the state, with their bounds. Both are
// sn_tie_bounded, with a sn_tie_state.
SN_API void sn_tie_mode_rows(void *state, sn_tie_work *work, sn_tree *tree, int link);
SN_API void sn_tie_mode_candidates(void *state, sn_tie_work *work, sn_tree *tree, int link);

// Forces of what slips and of velocity drives at their force limit, added to drive and friction
// (v_count each; one array is allowed).
SN_API void sn_tie_mode_forces(const sn_tie_work *work, const sn_tree *tree,
                               const sn_tie_state *state, double *drive, double *friction);

// Puts what modes hold exactly where they hold it.
SN_API void sn_tie_mode_snap(const sn_tie_work *work, const sn_tree *tree, double time, double *q,
                             double *v);

// How far a row that modes hold is from where they hold it, and the velocity that they hold.
SN_API double sn_tie_mode_error(const sn_tie_work *work, const sn_tree *tree, int tag, int link,
                                int own, const double *q);
SN_API double sn_tie_mode_velocity(const sn_tie_work *work, const sn_tree *tree, int link, int own,
                                   double time);

// Do values ask for the forces of rows, so that sn_tie_rate must have been called?
SN_API bool sn_tie_mode_asks_forces(const sn_tie_work *work, const sn_tree *tree);

// The values of all switches (switch_count).
SN_API void sn_tie_mode_values(const sn_tie_work *work, const sn_tree *tree,
                               const sn_tie_state *state, double *values);

// The sides on which the values begin (switch_count), as sn_ode wants them.
SN_API void sn_tie_mode_sides(const sn_tie_work *work, const sn_tree *tree, const double *v,
                              int *sides);

// Modes, from the rows of all that may be held after sn_tie_rate with no modes held.
SN_API void sn_tie_mode_note(sn_tie_work *work, const sn_tree *tree, const sn_tie_state *state);

// ---- impacts ----

// The switches `found` (switch_count, or NULL) have happened: sets exact values, and lets what runs
// into its limit be thrown back, all at once and through all ties, so that each leaves at
// -restitution times its speed. `jump`: motions may have other velocities from now on. False when
// memory runs out.
SN_API bool sn_tie_strike(sn_tie_work *work, sn_tree *tree, double time, const int *found,
                          bool jump, double *q, double *v);

// Impulses of the rows at the present place, with their laws in velocities, that give v (v_count)
// what they want; what those of ties do to links is added to `wrench` (link count, about their
// origins; may be NULL).
SN_API void sn_tie_throw(sn_tie_work *work, sn_tree *tree, double time, sn_spatial *wrench,
                         double *v);

// With the accelerations after that (v_count): what is thrown back by next to nothing comes to
// rest instead. True when the impact was made anew.
SN_API bool sn_tie_calm(sn_tie_work *work, sn_tree *tree, double time, const double *a, double *q,
                        double *v);

#endif
