// Integration of y' = f(t, y), and roots located on its dense output: adaptive through SUNDIALS,
// with Fehlberg's 4(5) table in ERKStep and CVODE's Adams and BDF, or classical Runge-Kutta, which
// goes to the end in one step with a cubic between both ends. The only file pair that knows
// SUNDIALS.
//
// Each root value has a side, -1 or +1: where it last was, further from zero than its band. A root
// is where it passes zero on its way to the other side; what happens inside the band is none.
#ifndef SN_STAGE_ODE_H
#define SN_STAGE_ODE_H

#include "sinew/world.h"

typedef struct sn_ode sn_ode;

typedef struct sn_ode_root {
    int direction; // -1 falling, 0 both, 1 rising
    double band;   // within this of zero the value is on neither side
} sn_ode_root;

typedef struct sn_ode_def {
    sn_integrator method; // RK4, FEHLBERG45, ADAMS or BDF
    int size;             // of y
    double relative_tolerance, absolute_tolerance;
    int root_count;
    const sn_ode_root *root; // root_count; copied
    int inner_looks;         // at how many places within a step roots are looked for too
    void (*rate)(void *context, double t, const double *y, double *y_rate);
    void (*roots)(void *context, double t, const double *y,
                  double *values); // may be NULL without roots
    // Before each step of the method, and after it: can no root be in it? Both may be NULL.
    void (*begin)(void *context);
    bool (*is_calm)(void *context);
    // After each step of the method, over what is left of it: the first time, above t_a, at which
    // something happens that no root tells, or infinity. False: it could not be found out. May be
    // NULL; sn_ode_look shows y between.
    bool (*watch)(void *context, double t_a, double t_b, double *t);
    bool (*stop)(void *context); // asked after each step of the method: end with SN_ERROR_STOPPED?
                                 // May be NULL.
    void *context;
} sn_ode_def;

SN_API sn_status sn_ode_create(const sn_ode_def *def, sn_ode **ode, sn_error *error);
SN_API void sn_ode_destroy(sn_ode *ode);

// Forgets the past: the next call starts from its y at its t.
SN_API void sn_ode_forget(sn_ode *ode);

typedef struct sn_ode_result {
    double time;                  // reached: `end`, or the root
    bool at_root;                 // roots_found tells which
    bool watched;                 // stopped where `watch` said
    double next_step;             // what it would try next
    uint64_t steps, failed_steps; // in this call
} sn_ode_result;

// A new allowance of a million steps of the method for the calls of sn_ode_advance that follow.
SN_API void sn_ode_allow(sn_ode *ode);

// Goes from (t, y) towards `end`, stopping at the first root. y is advanced in place. `next_step`
// 0: chosen by the method. The first call, and the first after sn_ode_forget, starts from y (and
// Fehlberg from next_step); the others go on from where the method itself stands, which after a
// root is further on than y. SN_ERROR_INTEGRATOR when the method fails or the allowance is used up.
SN_API sn_status sn_ode_advance(sn_ode *ode, double t, double end, double next_step, double *y,
                                sn_ode_result *result, sn_error *error);

// y at a time within the last step of the method, until the next call of anything; NULL: it could
// not be had.
SN_API const double *sn_ode_look(sn_ode *ode, double t);

// root_count: the sides, kept up by sn_ode_advance. The caller sets them where y is not what the
// last call left; 0 stands for a value that starts in its band and is on no side before it leaves.
SN_API int *sn_ode_sides(sn_ode *ode);

// After at_root: for each root -1, 0 or +1.
SN_API const int *sn_ode_roots_found(const sn_ode *ode);

#endif
