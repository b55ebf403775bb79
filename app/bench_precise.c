// Work and precision: what one asymmetric body costs until its angular velocity at t = 20 s is
// right to 1e-9.
//
// The body is that of `sinew verify`: I = (1, 2, 3) kg m^2, omega(0) = (0.01, 1, 0) rad/s in its
// own axes, no force. It starts close to the unstable axis and turns over several times, which
// makes early errors grow. Tolerances (for rk4, steps) are tightened until two settings in a row
// reach 1e-9, so that no lucky crossing of zero counts; the first of the two is timed.
#include <math.h>

#include "bench.h"
#include "bench_world.h"
#include "progress.h"

static const double span = 20.0, wanted = 1e-9;
static const sn_vec3 exact = {0.0109641606054, -0.99998989354, -0.00259568987499};

// One setting of an integrator: a tolerance, or for rk4 a step.
typedef struct attempt {
    double setting, error, evaluations, seconds;
} attempt;

static sn_status run_attempt(sn_integrator integrator, attempt *result, sn_error *error)
{
    bool fixed = integrator == SN_INTEGRATOR_RK4;
    sn_world *world = NULL;
    sn_body body;
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = SN_VEC3_ZERO;
    world_def.policy = fixed ? SN_POLICY_LOCKSTEP : SN_POLICY_PRECISE;
    world_def.integrator = integrator;
    if (!fixed) {
        world_def.relative_tolerance = result->setting;
        world_def.absolute_tolerance = result->setting;
    }
    sn_body_def body_def = sn_default_body_def();
    body_def.mass.mass = 1.0;
    body_def.mass.inertia = sn_mat3_diagonal(sn_vec3_make(1.0, 2.0, 3.0));
    body_def.angular_velocity = sn_vec3_make(0.01, 1.0, 0.0);
    sn_status status = sn_world_create(&world_def, &world, error);
    if (status == SN_OK) {
        status = sn_world_add_body(world, &body_def, &body, error);
    }
    if (status == SN_OK) {
        double h = fixed ? result->setting : 1.0;
        status = sn_bench_time_processor(world, h, (int)lround(span / h), &result->seconds, error);
    }
    if (status == SN_OK) {
        sn_vec3 spin = sn_rotate_inverse(sn_body_transform(world, body).rotation,
                                         sn_body_angular_velocity(world, body));
        result->error =
            fmax(fmax(fabs(spin.x - exact.x), fabs(spin.y - exact.y)), fabs(spin.z - exact.z));
        result->evaluations = (double)sn_world_report(world).force_evaluations;
    }
    sn_world_destroy(world);
    return status;
}

// Settings go down by 2^(1/4) a time; rk4's are 20 s over a whole number of steps.
static double setting_at(sn_integrator integrator, int k)
{
    return integrator == SN_INTEGRATOR_RK4 ? span / round(100.0 * pow(2.0, 0.25 * k))
                                           : 1e-6 * pow(2.0, -0.25 * k);
}

static sn_status work_precision(const sn_bench_case *bench, sn_bench_result *result,
                                sn_error *error)
{
    enum { SETTINGS = 100, STREAK = 8 };
    sn_integrator integrator = (sn_integrator)bench->parameter;
    attempt found = {.error = HUGE_VAL};
    int streak = 0;
    for (int k = 0; k < SETTINGS && streak < STREAK; ++k) {
        attempt next = {.setting = setting_at(integrator, k)};
        sn_status status = run_attempt(integrator, &next, error);
        if (status != SN_OK) {
            return status;
        }
        found = streak > 0 && next.error <= wanted ? found : next;
        streak = next.error <= wanted ? streak + 1 : 0;
    }
    // One run takes about a millisecond: repeated until the clock's grain does not matter.
    double total = 0.0, runs = 0.0;
    while (streak == STREAK && total < 0.02) {
        sn_status status = run_attempt(integrator, &found, error);
        if (status != SN_OK) {
            return status;
        }
        total += found.seconds;
        runs += 1.0;
    }
    result->value = streak == STREAK ? 1e3 * total / runs : NAN;
    result->quality[0] = found.error;
    result->quality[1] = found.setting;
    result->quality[2] = found.evaluations;
    return SN_OK;
}

#define WORK_PRECISION(word, which, setting)                                                       \
    {                                                                                              \
        .name = "work-precision", .title = "asymmetric body, 1e-9 at 20 s: " word, .unit = "ms",   \
        .size = 1, .steps = 1, .step = 1.0, .parameter = (which),                                  \
        .quality = {"error", setting, "force_evaluations"}, .run = work_precision                  \
    }

static const sn_bench_case cases[] = {
    WORK_PRECISION("fehlberg45", SN_INTEGRATOR_FEHLBERG45, "tolerance"),
    WORK_PRECISION("adams", SN_INTEGRATOR_ADAMS, "tolerance"),
    WORK_PRECISION("bdf", SN_INTEGRATOR_BDF, "tolerance"),
    WORK_PRECISION("rk4", SN_INTEGRATOR_RK4, "step"),
};

const sn_bench_group sn_bench_precise = {"precise", "work and precision of the integrators", cases,
                                         sizeof cases / sizeof cases[0]};
