#include "world/ode.h"

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
enum { DENSE_LIMIT = 400, STANDING_LIMIT = 20, SHORT_SPAN = 16 };

struct sn_ode {
    sn_ode_def def;
    SUNContext context;
    N_Vector y;
    void *memory; // of ERKStep or CVODE
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    int *root_direction, *roots_found;
    bool begun;          // the integrator holds a history that may be continued
    char complaint[300]; // the last message of SUNDIALS
};

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

static int call_roots(realtype t, N_Vector y, realtype *values, void *data)
{
    sn_ode *ode = data;
    ode->def.roots(ode->def.context, t, N_VGetArrayPointer(y), values);
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
                                      embedding_order, NULL) == 0 &&
           (ode->def.root_count == 0 ||
            (ERKStepRootInit(ode->memory, ode->def.root_count, call_roots) == 0 &&
             ERKStepSetRootDirection(ode->memory, ode->root_direction) == 0 &&
             ERKStepSetNoInactiveRootWarn(ode->memory) == 0));
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
           (stiff ? make_newton(ode) : make_fixed_point(ode)) &&
           (ode->def.root_count == 0 ||
            (CVodeRootInit(ode->memory, ode->def.root_count, call_roots) == 0 &&
             CVodeSetRootDirection(ode->memory, ode->root_direction) == 0 &&
             CVodeSetNoInactiveRootWarn(ode->memory) == 0));
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
    ode->root_direction = sn_allocate_zero(roots * sizeof(int));
    ode->roots_found = sn_allocate_zero(roots * sizeof(int));
    if (ode->root_direction == NULL || ode->roots_found == NULL ||
        SUNContext_Create(NULL, &ode->context) != 0) {
        sn_ode_destroy(ode);
        return sn_fail_memory(error, sizeof *ode);
    }
    if (roots > 0) {
        memcpy(ode->root_direction, def->root_direction, roots * sizeof(int));
    }
    ode->def.root_direction = ode->root_direction;
    ode->y = N_VNew_Serial(def->size, ode->context);
    if (ode->y == NULL) {
        sn_ode_destroy(ode);
        return sn_fail_memory(error, (size_t)def->size * sizeof(double));
    }
    N_VConst(0.0, ode->y);
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
    if (ode->y != NULL) {
        N_VDestroy(ode->y);
    }
    if (ode->context != NULL) {
        SUNContext_Free(&ode->context);
    }
    sn_free(ode->root_direction);
    sn_free(ode->roots_found);
    sn_free(ode);
}

void sn_ode_forget(sn_ode *ode)
{
    ode->begun = false;
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
    if (is_one_step(ode)) {
        // Not ERKStepReset, which goes on counting steps: the first one may grow faster.
        return ERKStepReInit(ode->memory, call_rate, t, ode->y) == 0 &&
               ERKStepSetInitStep(ode->memory, first_step) == 0;
    }
    return CVodeReInit(ode->memory, t, ode->y) == 0 &&
           CVodeSetInitStep(ode->memory, first_step) == 0;
}

// One step of the method towards `end`; positive return: at a root or at the end, negative: failed.
static int one_step(sn_ode *ode, double end, double *t)
{
    return is_one_step(ode) ? ERKStepEvolve(ode->memory, end, ode->y, t, ARK_ONE_STEP)
                            : CVode(ode->memory, end, ode->y, t, CV_ONE_STEP);
}

static double coming_step(const sn_ode *ode)
{
    double step = 0.0;
    if (is_one_step(ode)) {
        ERKStepGetCurrentStep(ode->memory, &step);
    } else {
        CVodeGetCurrentStep(ode->memory, &step);
    }
    return step;
}

// Where the method itself stands: at a root that is beyond the time it returned.
static double current_time(const sn_ode *ode)
{
    double time = 0.0;
    if (is_one_step(ode)) {
        ERKStepGetCurrentTime(ode->memory, &time);
    } else {
        CVodeGetCurrentTime(ode->memory, &time);
    }
    return time;
}

static void read_counters(const sn_ode *ode, long counters[2])
{
    if (is_one_step(ode)) {
        ERKStepGetNumSteps(ode->memory, &counters[0]);
        ERKStepGetNumErrTestFails(ode->memory, &counters[1]);
    } else {
        CVodeGetNumSteps(ode->memory, &counters[0]);
        CVodeGetNumErrTestFails(ode->memory, &counters[1]);
    }
}

static void read_roots(sn_ode *ode)
{
    if (is_one_step(ode)) {
        ERKStepGetRootInfo(ode->memory, ode->roots_found);
    } else {
        CVodeGetRootInfo(ode->memory, ode->roots_found);
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

sn_status sn_ode_advance(sn_ode *ode, double t, double end, double next_step, double *y,
                         sn_ode_result *result, sn_error *error)
{
    *result = (sn_ode_result){.time = t, .next_step = next_step};
    if (!ode->begun && !start(ode, t, end, y, next_step)) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, NULL, "integrator could not start: %s",
                       ode->complaint);
    }
    int stop = is_one_step(ode) ? ERKStepSetStopTime(ode->memory, end)
                                : CVodeSetStopTime(ode->memory, end);
    if (stop != 0) {
        return sn_fail(error, SN_ERROR_INTEGRATOR, NULL, "integrator refused the end time: %s",
                       ode->complaint);
    }
    long before[2], after[2];
    read_counters(ode, before);
    const int root_return[2] = {CV_ROOT_RETURN, ARK_ROOT_RETURN};
    int standing = 0; // steps in a row too small to move the clock
    while (result->time < end) {
        double before_step = result->time;
        int code = one_step(ode, end, &result->time);
        standing = result->time > before_step ? 0 : standing + 1;
        if (standing > STANDING_LIMIT || code < 0) {
            ode->begun = false;
            return fail_step(ode, code, result->time, error);
        }
        // A step cut short by `end` says nothing about the step the error would allow.
        double step = coming_step(ode);
        if (current_time(ode) + step < end || step > result->next_step) {
            result->next_step = step;
        }
        if (code == root_return[is_one_step(ode)]) {
            result->at_root = true;
            read_roots(ode);
            break;
        }
    }
    read_counters(ode, after);
    result->steps = (uint64_t)(after[0] - before[0]);
    result->failed_steps = (uint64_t)(after[1] - before[1]);
    memcpy(y, N_VGetArrayPointer(ode->y), (size_t)ode->def.size * sizeof(double));
    return SN_OK;
}

const int *sn_ode_roots_found(const sn_ode *ode)
{
    return ode->roots_found;
}
