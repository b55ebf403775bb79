#include "stage/ode.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/error.h"
#include "base/memory.h"

// BDF: up to this size the Newton matrix is dense, beyond it a Krylov method needs none.
// A method whose step no longer moves the clock this many times in a row has got stuck.
// One that takes more than STEP_LIMIT steps between two calls of sn_ode_allow follows something
// that is too fast for the time asked for, and would keep whoever waits for seconds to years.
enum { DENSE_LIMIT = 400, STANDING_LIMIT = 20, SHORT_SPAN = 16, STEP_LIMIT = 1000000 };

struct sn_ode {
    sn_ode_def def;
    SUNContext context;
    N_Vector y;
    void *memory; // of ERKStep or CVODE
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    N_Vector between; // y inside the last step of the method
    double stands;    // the time the method itself has got to
    double *fixed;    // RK4: 6 size, of the last step: y and its rate at the start, scratch (3
                      // size), rate at the end
    double stood;     // RK4: the start of the last step
    long fixed_steps;
    long taken; // steps of the method since sn_ode_allow
    sn_ode_root *root;
    int *roots_found, *sides;
    double *low, *high, *middle; // root_count: values at both ends of a bracket and between
    bool begun;                  // the integrator holds a history that may be continued
    char complaint[300];         // the last message of SUNDIALS
};

static bool is_fixed(const sn_ode *ode)
{
    return ode->def.method == SN_INTEGRATOR_RK4;
}

static bool is_one_step(const sn_ode *ode)
{
    return ode->def.method == SN_INTEGRATOR_FEHLBERG45;
}

// SUNDIALS would print; its words are kept for the error instead.
static void keep_complaint(int code, const char *module, const char *function, char *message,
                           void *data)
{
    (void)code, (void)module, (void)function;
    sn_ode *ode = data;
    size_t length = strlen(message);
    length = length < sizeof ode->complaint - 1 ? length : sizeof ode->complaint - 1;
    memcpy(ode->complaint, message, length);
    ode->complaint[length] = '\0';
    for (char *c = ode->complaint; *c != '\0'; ++c) {
        *c = *c == '\n' ? ' ' : *c;
    }
}

static int call_rate(realtype t, N_Vector y, N_Vector y_rate, void *data)
{
    sn_ode *ode = data;
    double *rate = N_VGetArrayPointer(y_rate);
    ode->def.rate(ode->def.context, t, N_VGetArrayPointer(y), rate);
    for (int i = 0; i < ode->def.size; ++i) {
        if (!isfinite(rate[i])) {
            return 1; // try a smaller step
        }
    }
    return 0;
}

// ---- making ----

static bool make_fehlberg(sn_ode *ode)
{
    ode->memory = ERKStepCreate(call_rate, 0.0, ode->y, ode->context);
    // The plain controller looks only at the last error, so that a step depends on y and next_step
    // alone and a loaded state goes on as the saved one would have.
    const int integral_controller = 2, default_parameters = 1, embedding_order = 0;
    return ode->memory != NULL && ERKStepSetErrHandlerFn(ode->memory, keep_complaint, ode) == 0 &&
           ERKStepSetUserData(ode->memory, ode) == 0 &&
           ERKStepSetTableNum(ode->memory, ARKODE_FEHLBERG_6_4_5) == 0 &&
           ERKStepSStolerances(ode->memory, ode->def.relative_tolerance,
                               ode->def.absolute_tolerance) == 0 &&
           ERKStepSetAdaptivityMethod(ode->memory, integral_controller, default_parameters,
                                      embedding_order, NULL) == 0;
}

static bool make_newton(sn_ode *ode)
{
    if (ode->def.size <= DENSE_LIMIT) {
        ode->matrix = SUNDenseMatrix(ode->def.size, ode->def.size, ode->context);
        ode->linear =
            ode->matrix != NULL ? SUNLinSol_Dense(ode->y, ode->matrix, ode->context) : NULL;
    } else {
        ode->linear = SUNLinSol_SPGMR(ode->y, SUN_PREC_NONE, 30, ode->context);
    }
    return ode->linear != NULL && CVodeSetLinearSolver(ode->memory, ode->linear, ode->matrix) == 0;
}

static bool make_fixed_point(sn_ode *ode)
{
    ode->nonlinear = SUNNonlinSol_FixedPoint(ode->y, 0, ode->context);
    return ode->nonlinear != NULL && CVodeSetNonlinearSolver(ode->memory, ode->nonlinear) == 0;
}

static bool make_multistep(sn_ode *ode)
{
    bool stiff = ode->def.method == SN_INTEGRATOR_BDF;
    ode->memory = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, ode->context);
    return ode->memory != NULL && CVodeSetErrHandlerFn(ode->memory, keep_complaint, ode) == 0 &&
           CVodeInit(ode->memory, call_rate, 0.0, ode->y) == 0 &&
           CVodeSetUserData(ode->memory, ode) == 0 &&
           CVodeSStolerances(ode->memory, ode->def.relative_tolerance,
                             ode->def.absolute_tolerance) == 0 &&
           (stiff ? make_newton(ode) : make_fixed_point(ode));
}

sn_status sn_ode_create(const sn_ode_def *def, sn_ode **out, sn_error *error)
{
    *out = NULL;
    sn_ode *ode = sn_allocate_zero(sizeof *ode);
    if (ode == NULL) {
        return sn_fail_memory(error, sizeof *ode);
    }
    ode->def = *def;
    size_t roots = (size_t)def->root_count;
    ode->root = sn_allocate_zero(roots * sizeof *ode->root);
    ode->roots_found = sn_allocate_zero(roots * sizeof(int));
    ode->sides = sn_allocate_zero(roots * sizeof(int));
    ode->low = sn_allocate_zero(3 * roots * sizeof(double));
    if (ode->root == NULL || ode->roots_found == NULL || ode->sides == NULL || ode->low == NULL ||
        SUNContext_Create(NULL, &ode->context) != 0) {
        sn_ode_destroy(ode);
        return sn_fail_memory(error, sizeof *ode);
    }
    ode->high = ode->low + roots;
    ode->middle = ode->high + roots;
    if (roots > 0) {
        memcpy(ode->root, def->root, roots * sizeof *ode->root);
    }
    ode->def.root = ode->root;
    ode->y = N_VNew_Serial(def->size, ode->context);
    ode->between = ode->y != NULL ? N_VClone(ode->y) : NULL;
    if (ode->between == NULL) {
        sn_ode_destroy(ode);
        return sn_fail_memory(error, (size_t)def->size * sizeof(double));
    }
    N_VConst(0.0, ode->y);
    if (is_fixed(ode)) {
        ode->fixed = sn_allocate_zero(6 * (size_t)def->size * sizeof(double));
        if (ode->fixed == NULL) {
            sn_ode_destroy(ode);
            return sn_fail_memory(error, 6 * (size_t)def->size * sizeof(double));
        }
        *out = ode;
        return SN_OK;
    }
    if (!(is_one_step(ode) ? make_fehlberg(ode) : make_multistep(ode))) {
        sn_status status =
            sn_fail(error, SN_ERROR_INTEGRATOR, NULL, "integrator %s could not be set up: %s",
                    sn_integrator_word(def->method), ode->complaint);
        sn_ode_destroy(ode);
        return status;
    }
    *out = ode;
    return SN_OK;
}

void sn_ode_destroy(sn_ode *ode)
{
    if (ode == NULL) {
        return;
    }
    if (ode->memory != NULL && is_one_step(ode)) {
        ERKStepFree(&ode->memory);
    } else if (ode->memory != NULL) {
        CVodeFree(&ode->memory);
    }
    if (ode->linear != NULL) {
        SUNLinSolFree(ode->linear);
    }
    if (ode->nonlinear != NULL) {
        SUNNonlinSolFree(ode->nonlinear);
    }
    if (ode->matrix != NULL) {
        SUNMatDestroy(ode->matrix);
    }
    if (ode->between != NULL) {
        N_VDestroy(ode->between);
    }
    if (ode->y != NULL) {
        N_VDestroy(ode->y);
    }
    if (ode->context != NULL) {
        SUNContext_Free(&ode->context);
    }
    sn_free(ode->fixed);
    sn_free(ode->root);
    sn_free(ode->roots_found);
    sn_free(ode->sides);
    sn_free(ode->low);
    sn_free(ode);
}

void sn_ode_forget(sn_ode *ode)
{
    ode->begun = false;
}

void sn_ode_allow(sn_ode *ode)
{
    ode->taken = 0;
}

// ---- going ----

// Adams and BDF start at order one, with a first step of their own choice.
static bool start(sn_ode *ode, double t, double end, const double *y, double next_step)
{
    double first_step = is_one_step(ode) ? next_step : 0.0;
    if (end - t <= SHORT_SPAN * DBL_EPSILON * (fabs(t) + fabs(end))) {
        first_step =
            end - t; // SUNDIALS would refuse to choose one in so few roundings of the clock
    }
    memcpy(N_VGetArrayPointer(ode->y), y, (size_t)ode->def.size * sizeof(double));
    ode->begun = true;
    ode->stands = t;
    if (is_fixed(ode)) {
        return true;
    }
    if (is_one_step(ode)) {
        // Not ERKStepReset, which goes on counting steps: the first one may grow faster.
        return ERKStepReInit(ode->memory, call_rate, t, ode->y) == 0 &&
               ERKStepSetInitStep(ode->memory, first_step) == 0;
    }
    return CVodeReInit(ode->memory, t, ode->y) == 0 &&
           CVodeSetInitStep(ode->memory, first_step) == 0;
}

// Classical Runge-Kutta over the whole way.
static void fixed_step(sn_ode *ode, double end)
{
    size_t n = (size_t)ode->def.size;
    double *y = N_VGetArrayPointer(ode->y), *start = ode->fixed, *first = start + n,
           *trial = first + n, *rate = trial + n, *sum = rate + n, *last = sum + n;
    const double share[4] = {1.0, 2.0, 2.0, 1.0}, ahead[4] = {0.5, 0.5, 1.0, 0.0};
    double t = ode->stands, h = end - t;
    memcpy(start, y, n * sizeof *y);
    memcpy(trial, y, n * sizeof *y);
    memset(sum, 0, n * sizeof *sum);
    for (int stage = 0; stage < 4; ++stage) {
        double when = stage == 0 ? t : (stage == 3 ? t + h : t + 0.5 * h);
        ode->def.rate(ode->def.context, when, trial, rate);
        if (stage == 0) {
            memcpy(first, rate, n * sizeof *rate);
        }
        for (size_t i = 0; i < n; ++i) {
            sum[i] += share[stage] * rate[i];
            trial[i] = y[i] + ahead[stage] * h * rate[i];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        y[i] += h / 6.0 * sum[i];
    }
    if (ode->def.root_count > 0 || ode->def.watch != NULL) {
        ode->def.rate(ode->def.context, end, y, last);
    }
    ode->stood = t;
    ode->stands = end;
    ode->fixed_steps += 1;
}

// Between its ends, by Hermite's cubic.
static void fixed_between(const sn_ode *ode, double t, double *between)
{
    size_t n = (size_t)ode->def.size;
    const double *y = N_VGetArrayPointer(ode->y), *start = ode->fixed, *first = start + n,
                 *last = start + 5 * n;
    double h = ode->stands - ode->stood, s = (t - ode->stood) / h, way = s * s * (3.0 - 2.0 * s);
    for (size_t i = 0; i < n; ++i) {
        between[i] = start[i] + way * (y[i] - start[i]) +
                     h * s * (1.0 - s) * ((1.0 - s) * first[i] - s * last[i]);
    }
}

// One step of the method towards `end`; positive return: at a root or at the end, negative: failed.
static int one_step(sn_ode *ode, double end, double *t)
{
    if (is_fixed(ode)) {
        fixed_step(ode, end);
        return 0;
    }
    return is_one_step(ode) ? ERKStepEvolve(ode->memory, end, ode->y, t, ARK_ONE_STEP)
                            : CVode(ode->memory, end, ode->y, t, CV_ONE_STEP);
}

static double coming_step(const sn_ode *ode)
{
    double step = 0.0;
    if (is_fixed(ode)) {
        return step;
    }
    if (is_one_step(ode)) {
        ERKStepGetCurrentStep(ode->memory, &step);
    } else {
        CVodeGetCurrentStep(ode->memory, &step);
    }
    return step;
}

static void read_counters(const sn_ode *ode, long counters[2])
{
    if (is_fixed(ode)) {
        counters[0] = ode->fixed_steps;
        counters[1] = 0;
    } else if (is_one_step(ode)) {
        ERKStepGetNumSteps(ode->memory, &counters[0]);
        ERKStepGetNumErrTestFails(ode->memory, &counters[1]);
    } else {
        CVodeGetNumSteps(ode->memory, &counters[0]);
        CVodeGetNumErrTestFails(ode->memory, &counters[1]);
    }
}

// What to say of a step that failed, or of the last of many that did not move the clock.
static sn_status fail_step(const sn_ode *ode, int code, double time, sn_error *error)
{
    const char *method = sn_integrator_word(ode->def.method);
    if (code < 0) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, NULL, "integrator %s failed at t = %.9g s: %s",
                       method, time, ode->complaint);
    }
    return sn_fail(error, SN_ERROR_INTEGRATOR, NULL,
                   "integrator %s cannot get past t = %.9g s: its step has shrunk to nothing; a "
                   "force may jump or be infinite there, or the tolerance be out of reach",
                   method, time);
}

// What ends the way although the method could go on: too many steps, or a request.
static sn_status check_step(sn_ode *ode, double end, sn_error *error)
{
    const char *method = sn_integrator_word(ode->def.method);
    if (++ode->taken > STEP_LIMIT) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, NULL,
                       "integrator %s has taken %d steps in this one and has come to t = %.9g s of "
                       "%.9g s: something moves too fast for it; take shorter steps, or see what "
                       "turns or swings so fast",
                       method, STEP_LIMIT, ode->stands, end);
    }
    if (ode->def.stop != NULL && ode->def.stop(ode->def.context)) {
        return sn_fail(error, SN_ERROR_STOPPED, NULL,
                       "integrator %s was interrupted on request at t = %.9g s", method,
                       ode->stands);
    }
    return SN_OK;
}

// ---- roots ----
//
// SUNDIALS' own root finding gives up at values that stay exactly zero, and takes reaching zero and
// every rounding about it for roots. Here each value has a side, and is on the other one only when
// it is further beyond zero than its band, in which the integrator cannot tell the sides apart. The
// root itself is laid where the value passes zero.

static int sign_of(double value, double band)
{
    return (value > band) - (value < -band);
}

static bool crosses(const sn_ode *ode, int root, double value, double band)
{
    int sign = sign_of(value, band), wanted = ode->root[root].direction;
    return ode->sides[root] * sign < 0 && (wanted == 0 || wanted == sign);
}

// Is any root before the time of these values? Those that are known to be coming (roots_found) need
// only be beyond zero, others beyond their band.
static bool has_crossing(sn_ode *ode, const double *values)
{
    bool any = false;
    for (int i = 0; i < ode->def.root_count; ++i) {
        double band = ode->roots_found[i] != 0 ? 0.0 : ode->root[i].band;
        if (crosses(ode, i, values[i], band)) {
            ode->roots_found[i] = sign_of(values[i], 0.0);
            any = true;
        }
    }
    return any;
}

const double *sn_ode_look(sn_ode *ode, double t)
{
    int code = 0;
    if (t == ode->stands) {
        N_VScale(1.0, ode->y, ode->between);
    } else if (is_fixed(ode)) {
        fixed_between(ode, t, N_VGetArrayPointer(ode->between));
    } else {
        code = is_one_step(ode) ? ERKStepGetDky(ode->memory, t, 0, ode->between)
                                : CVodeGetDky(ode->memory, t, 0, ode->between);
    }
    return code == 0 ? N_VGetArrayPointer(ode->between) : NULL;
}

// The values at a time within the last step, y of that time in `between`. False: could not be had.
static bool look(sn_ode *ode, double t, double *values)
{
    const double *y = sn_ode_look(ode, t);
    if (y != NULL) {
        ode->def.roots(ode->def.context, t, y, values);
    }
    return y != NULL;
}

// Values that have got out of their bands show their sides; `all`: not only those without one.
static void keep_sides(sn_ode *ode, const double *values, bool all)
{
    for (int i = 0; i < ode->def.root_count; ++i) {
        int sign = sign_of(values[i], ode->root[i].band);
        if (sign != 0 && (all || ode->sides[i] == 0)) {
            ode->sides[i] = sign;
        }
    }
}

// A value that begins at zero is on the side to which it leaves, and the step may be long enough
// for it to come back: it is asked early in the step too.
static bool find_sides(sn_ode *ode, double from, double until)
{
    const double shares[] = {0.05, 0.3};
    for (int k = 0; k < 2; ++k) {
        bool known = true;
        for (int i = 0; i < ode->def.root_count; ++i) {
            known = known && ode->sides[i] != 0;
        }
        if (known) {
            return true;
        }
        if (!look(ode, from + shares[k] * (until - from), ode->middle)) {
            return false;
        }
        keep_sides(ode, ode->middle, false);
    }
    return true;
}

// Where the straight lines between `low` and `high` first pass zero, as a share of the way.
static double first_share(const sn_ode *ode)
{
    double first = 1.0;
    for (int i = 0; i < ode->def.root_count; ++i) {
        double low = ode->low[i] * ode->sides[i], high = ode->high[i] * ode->sides[i];
        if (ode->roots_found[i] != 0 && high < 0.0) {
            double share = low > 0.0 ? low / (low - high) : 0.0;
            first = share < first ? share : first;
        }
    }
    return first;
}

// Narrows the bracket [low, *high] of the first crossing to the roundings of the clock. The line
// through the ends converges fast on smooth values, halving every third time on any.
static bool narrow(sn_ode *ode, double low, double *high)
{
    double least = 100.0 * DBL_EPSILON * (fabs(*high) + (*high - low));
    for (int k = 1; *high - low > least; ++k) {
        double middle = low + (k % 3 == 0 ? 0.5 : first_share(ode)) * (*high - low);
        middle = middle > low + 0.5 * least ? middle : low + 0.5 * least;
        middle = middle < *high - 0.5 * least ? middle : *high - 0.5 * least;
        if (!look(ode, middle, ode->middle)) {
            return false;
        }
        bool beyond = has_crossing(ode, ode->middle);
        double *end = beyond ? ode->high : ode->low;
        memcpy(end, ode->middle, (size_t)ode->def.root_count * sizeof *end);
        *(beyond ? high : &low) = middle;
    }
    return look(ode, *high, ode->high);
}

// Looks for the first root between `from` and `until`. `*reached` is the one or the other; at a
// root, `between` is y there.
static bool find_root(sn_ode *ode, double from, double until, double *reached, bool *at_root)
{
    *reached = until;
    *at_root = false;
    if (ode->def.root_count == 0) {
        return true;
    }
    memset(ode->roots_found, 0, (size_t)ode->def.root_count * sizeof *ode->roots_found);
    if (ode->def.is_calm != NULL && ode->def.is_calm(ode->def.context)) {
        return true;
    }
    if (!find_sides(ode, from, until)) {
        return false;
    }
    // A value may have gone through zero and come back within the step.
    int looks = ode->def.inner_looks;
    double low = from, length = until - from;
    for (int k = 0; k <= looks && !*at_root; ++k) {
        *reached = k == looks ? until : from + (k + 1.0) / (looks + 1.0) * length;
        if (!look(ode, *reached, ode->high)) {
            return false;
        }
        *at_root = has_crossing(ode, ode->high);
        low = *at_root ? low : *reached;
    }
    if (*at_root && !(look(ode, low, ode->low) && narrow(ode, low, reached))) {
        return false;
    }
    keep_sides(ode, ode->high, true);
    for (int i = 0; *at_root && i < ode->def.root_count; ++i) {
        // what was found further on has its turn later
        bool here = ode->roots_found[i] != 0 && sign_of(ode->high[i], 0.0) == ode->roots_found[i];
        ode->roots_found[i] = here ? ode->roots_found[i] : 0;
        ode->sides[i] = here ? ode->roots_found[i] : ode->sides[i];
    }
    return true;
}

// ---- the way to the end ----

sn_status sn_ode_advance(sn_ode *ode, double t, double end, double next_step, double *y,
                         sn_ode_result *result, sn_error *error)
{
    *result = (sn_ode_result){.time = t, .next_step = next_step};
    if (!ode->begun && !start(ode, t, end, y, next_step)) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, NULL, "integrator could not start: %s",
                       ode->complaint);
    }
    int stop = is_one_step(ode) ? ERKStepSetStopTime(ode->memory, end)
               : is_fixed(ode)  ? 0
                                : CVodeSetStopTime(ode->memory, end);
    if (stop != 0) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, NULL, "integrator refused the end time: %s",
                       ode->complaint);
    }
    long before[2], after[2];
    read_counters(ode, before);
    int standing = 0; // steps in a row too small to move the clock
    while (result->time < end && !result->at_root && !result->watched) {
        if (ode->stands <= result->time) {
            double before_step = ode->stands;
            if (ode->def.begin != NULL) {
                ode->def.begin(ode->def.context);
            }
            int code = one_step(ode, end, &ode->stands);
            standing = ode->stands > before_step ? 0 : standing + 1;
            if (standing > STANDING_LIMIT || code < 0) {
                ode->begun = false;
                return fail_step(ode, code, ode->stands, error);
            }
            sn_status status = check_step(ode, end, error);
            if (status != SN_OK) {
                ode->begun = false;
                return status;
            }
            // A step cut short by `end` says nothing about the step the error would allow.
            double step = coming_step(ode);
            if (ode->stands + step < end || step > result->next_step) {
                result->next_step = step;
            }
        }
        double from = result->time, told = INFINITY;
        if (ode->def.watch != NULL && !ode->def.watch(ode->def.context, from, ode->stands, &told)) {
            ode->begun = false;
            return fail_step(ode, -1, from, error);
        }
        double until = told < ode->stands ? told : ode->stands;
        if (!find_root(ode, from, until, &result->time, &result->at_root)) {
            ode->begun = false;
            return fail_step(ode, -1, result->time, error);
        }
        result->watched = !result->at_root && told <= ode->stands;
    }
    if (result->watched && sn_ode_look(ode, result->time) == NULL) {
        ode->begun = false;
        return fail_step(ode, -1, result->time, error);
    }
    read_counters(ode, after);
    result->steps = (uint64_t)(after[0] - before[0]);
    result->failed_steps = (uint64_t)(after[1] - before[1]);
    N_Vector reached = result->at_root || result->watched ? ode->between : ode->y;
    memcpy(y, N_VGetArrayPointer(reached), (size_t)ode->def.size * sizeof(double));
    return SN_OK;
}

int *sn_ode_sides(sn_ode *ode)
{
    return ode->sides;
}

const int *sn_ode_roots_found(const sn_ode *ode)
{
    return ode->roots_found;
}
