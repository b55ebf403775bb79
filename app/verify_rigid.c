// Free rigid bodies: tumbling against a published reference, a million steps of the default
// integrator, a projectile with quadratic drag, a located event.
#include <math.h>

#include "verify.h"

// ---- worlds with one body ----

typedef struct lone_body {
    sn_world *world;
    sn_body body;
} lone_body;

static sn_body_def body_of_moments(double mass, sn_vec3 moments)
{
    sn_body_def def = sn_default_body_def();
    def.name = "body";
    def.mass.mass = mass;
    def.mass.inertia = sn_mat3_diagonal(moments);
    return def;
}

static sn_status make_lone(const sn_world_def *world_def, const sn_body_def *body_def,
                           lone_body *lone, sn_error *error)
{
    sn_status status = sn_world_create(world_def, &lone->world, error);
    if (status == SN_OK) {
        status = sn_world_add_body(lone->world, body_def, &lone->body, error);
    }
    return status;
}

static sn_status advance(sn_world *world, double h, int steps, sn_error *error)
{
    sn_status status = SN_OK;
    for (int i = 0; i < steps && status == SN_OK; ++i) {
        status = sn_world_step(world, h, error);
    }
    return status;
}

// The body of reference/accuracy: I = (1, 2, 3), omega0 = (0.01, 1, 0) in its own axes, which are
// the world's at the start.
static sn_body_def asymmetric_body(void)
{
    sn_body_def def = body_of_moments(1.0, sn_vec3_make(1.0, 2.0, 3.0));
    def.angular_velocity = sn_vec3_make(0.01, 1.0, 0.0);
    return def;
}

static sn_vec3 spin_in_body(const lone_body *lone)
{
    return sn_rotate_inverse(sn_body_transform(lone->world, lone->body).rotation,
                             sn_body_angular_velocity(lone->world, lone->body));
}

// ---- the free asymmetric body, precise ----

static void compare_spin(sn_verify *verify, const char *time, sn_vec3 reference, sn_vec3 spin)
{
    static const char axes[3] = {'x', 'y', 'z'};
    const double expected[3] = {reference.x, reference.y, reference.z};
    const double ours[3] = {spin.x, spin.y, spin.z};
    for (int i = 0; i < 3; ++i) {
        char what[48];
        snprintf(what, sizeof what, "omega %c at %s", axes[i], time);
        sn_verify_near(verify, what, expected[i], ours[i], 1e-9);
    }
}

static void tumble(sn_verify *verify, sn_integrator integrator)
{
    sn_error error = {0};
    lone_body lone = {0};
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = SN_VEC3_ZERO;
    world_def.policy = SN_POLICY_PRECISE;
    world_def.integrator = integrator;
    world_def.relative_tolerance = 1e-12;
    world_def.absolute_tolerance = 1e-14;
    sn_body_def body_def = asymmetric_body();
    sn_status status = make_lone(&world_def, &body_def, &lone, &error);
    sn_vec3 spin[2] = {SN_VEC3_ZERO, SN_VEC3_ZERO};
    for (int i = 0; i < 2 && status == SN_OK; ++i) {
        status = advance(lone.world, 0.1, 100, &error);
        spin[i] = spin_in_body(&lone);
    }
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        compare_spin(verify, "10 s",
                     sn_vec3_make(0.9767826163387, 0.2144661288375, -0.5639161520361), spin[0]);
        compare_spin(verify, "20 s",
                     sn_vec3_make(0.0109641606054, -0.99998989354, -0.00259568987499), spin[1]);
        sn_vec3 momentum = sn_world_angular_momentum(lone.world);
        sn_verify_near(verify, "2E at 20 s", 2.0001, 2.0 * sn_world_energy(lone.world).kinetic,
                       1e-9);
        sn_verify_near(verify, "L^2 at 20 s", 4.0001, sn_dot(momentum, momentum), 1e-9);
    }
    sn_world_destroy(lone.world);
}

static void tumble_fehlberg(sn_verify *verify)
{
    tumble(verify, SN_INTEGRATOR_FEHLBERG45);
}

static void tumble_adams(sn_verify *verify)
{
    tumble(verify, SN_INTEGRATOR_ADAMS);
}

// ---- a million steps of the default integrator ----

enum { SAMPLES = 10000, STEPS_PER_SAMPLE = 100 };

typedef struct long_run {
    double momentum_error; // largest |L - L0| / |L0|
    double amplitude;      // largest |E - E0| / E0
    double trend; // rise of the least-squares line through the energy error over the whole run
} long_run;

static sn_status run_long(double h, long_run *result, sn_error *error)
{
    lone_body lone = {0};
    sn_world_def world_def = sn_default_world_def();
    world_def.gravity = SN_VEC3_ZERO;
    sn_body_def body_def = asymmetric_body();
    sn_status status = make_lone(&world_def, &body_def, &lone, error);
    sn_vec3 momentum = SN_VEC3_ZERO;
    double energy = 0.0, sum_xy = 0.0, sum_xx = 0.0;
    *result = (long_run){0};
    if (status == SN_OK) {
        momentum = sn_world_angular_momentum(lone.world);
        energy = sn_world_energy(lone.world).total;
    }
    for (int i = 0; i < SAMPLES && status == SN_OK; ++i) {
        status = advance(lone.world, h, STEPS_PER_SAMPLE, error);
        double y = (sn_world_energy(lone.world).total - energy) / energy;
        double x = (i + 0.5) / SAMPLES - 0.5; // its mean is zero, so the line's slope is Sxy / Sxx
        double change = sn_distance(sn_world_angular_momentum(lone.world), momentum);
        sum_xy += x * y;
        sum_xx += x * x;
        result->amplitude = fmax(result->amplitude, fabs(y));
        result->momentum_error = fmax(result->momentum_error, change / sn_length(momentum));
    }
    result->trend = fabs(sum_xy / sum_xx);
    sn_world_destroy(lone.world);
    return status;
}

// The energy error of a symplectic method swings with an amplitude of order h^2 and has no trend:
// the line through it rises by far less than it swings.
static void million_steps(sn_verify *verify, double h, double amplitude_limit)
{
    sn_error error = {0};
    long_run result;
    if (run_long(h, &result, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    sn_verify_row(verify, "angular momentum, relative", 0.0, result.momentum_error,
                  result.momentum_error, 1e-10);
    sn_verify_row(verify, "energy swing, relative", 0.0, result.amplitude, result.amplitude,
                  amplitude_limit);
    // Below the round-off of a million steps there is no swing left to compare with.
    double swing = fmax(result.amplitude, 1e-12);
    sn_verify_row(verify, "energy trend over swing", 0.0, result.trend / swing,
                  result.trend / swing, 0.01);
}

static void million_short_steps(sn_verify *verify)
{
    million_steps(verify, 1e-3, 1e-8);
}

static void million_long_steps(sn_verify *verify)
{
    million_steps(verify, 1e-2, 1e-6);
}

// ---- a projectile with quadratic drag ----

// m dv/dt = m g - c |v - u| (v - u), in long double by Gragg's modified midpoint rule extrapolated
// to order 16 (Hairer, Norsett, Wanner, Solving ODEs I, II.9): an independent reference far more
// exact than what it judges.
enum { UNKNOWNS = 6, COLUMNS = 8 };

static const double shot_mass = 0.145, shot_drag = 1.2e-3, shot_time = 3.0;
static const sn_vec3 shot_velocity = {30.0, 3.0, 20.0}, shot_wind = {-4.0, 2.0, 0.5};

static void shot_rate(const long double *y, long double *dy)
{
    const long double wind[3] = {shot_wind.x, shot_wind.y, shot_wind.z};
    long double relative[3], speed2 = 0.0L;
    for (int i = 0; i < 3; ++i) {
        relative[i] = y[3 + i] - wind[i];
        speed2 += relative[i] * relative[i];
    }
    long double factor = (long double)shot_drag / (long double)shot_mass * sqrtl(speed2);
    for (int i = 0; i < 3; ++i) {
        dy[i] = y[3 + i];
        dy[3 + i] = (i == 2 ? -(long double)9.81 : 0.0L) - factor * relative[i];
    }
}

static void modified_midpoint(const long double *start, long double span, int count,
                              long double *end)
{
    long double h = span / count, before[UNKNOWNS], now[UNKNOWNS], rate[UNKNOWNS];
    shot_rate(start, rate);
    for (int i = 0; i < UNKNOWNS; ++i) {
        before[i] = start[i];
        now[i] = start[i] + h * rate[i];
    }
    for (int k = 1; k < count; ++k) {
        shot_rate(now, rate);
        for (int i = 0; i < UNKNOWNS; ++i) {
            long double next = before[i] + 2.0L * h * rate[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    shot_rate(now, rate);
    for (int i = 0; i < UNKNOWNS; ++i) {
        end[i] = 0.5L * (now[i] + before[i] + h * rate[i]);
    }
}

// One step: n_j = 2 (j + 1) sub-steps, Aitken-Neville in h^2.
static void extrapolate(long double *y, long double span)
{
    long double table[COLUMNS][UNKNOWNS];
    for (int j = 0; j < COLUMNS; ++j) {
        modified_midpoint(y, span, 2 * (j + 1), table[j]);
    }
    for (int k = 1; k < COLUMNS; ++k) {
        for (int j = COLUMNS - 1; j >= k; --j) {
            long double ratio = (long double)(j + 1) / (long double)(j + 1 - k);
            for (int i = 0; i < UNKNOWNS; ++i) {
                table[j][i] += (table[j][i] - table[j - 1][i]) / (ratio * ratio - 1.0L);
            }
        }
    }
    for (int i = 0; i < UNKNOWNS; ++i) {
        y[i] = table[COLUMNS - 1][i];
    }
}

static void shot_reference(int steps, long double *y)
{
    const double start[UNKNOWNS] = {
        0.0, 0.0, 1.5, shot_velocity.x, shot_velocity.y, shot_velocity.z};
    for (int i = 0; i < UNKNOWNS; ++i) {
        y[i] = start[i];
    }
    for (int i = 0; i < steps; ++i) {
        extrapolate(y, (long double)shot_time / steps);
    }
}

static sn_status shoot(sn_policy policy, double h, int steps, sn_vec3 *end, sn_error *error)
{
    lone_body lone = {0};
    sn_world_def world_def = sn_default_world_def();
    world_def.policy = policy;
    world_def.relative_tolerance = 1e-12;
    sn_body_def body_def = body_of_moments(shot_mass, sn_vec3_make(8e-5, 8e-5, 8e-5));
    body_def.frame.position.z = 1.5;
    body_def.velocity = shot_velocity;
    sn_status status = make_lone(&world_def, &body_def, &lone, error);
    if (status == SN_OK) {
        sn_drag_def drag = sn_default_drag_def();
        sn_field field;
        drag.name = "air";
        drag.body = lone.body;
        drag.quadratic = shot_drag;
        drag.medium_velocity = shot_wind;
        status = sn_world_add_drag(lone.world, &drag, &field, error);
    }
    if (status == SN_OK) {
        status = advance(lone.world, h, steps, error);
    }
    *end = status == SN_OK ? sn_body_centre(lone.world, lone.body) : SN_VEC3_ZERO;
    sn_world_destroy(lone.world);
    return status;
}

static void projectile_precise(sn_verify *verify)
{
    sn_error error = {0};
    sn_vec3 end;
    long double coarse[UNKNOWNS], fine[UNKNOWNS];
    shot_reference(30, coarse);
    shot_reference(60, fine);
    sn_verify_near(verify, "reference with itself, z", (double)fine[2], (double)coarse[2], 1e-14);
    if (shoot(SN_POLICY_PRECISE, shot_time / 30, 30, &end, &error) != SN_OK) {
        sn_verify_broken(verify, &error);
        return;
    }
    sn_verify_near(verify, "x at 3 s", (double)fine[0], end.x, 1e-9);
    sn_verify_near(verify, "y at 3 s", (double)fine[1], end.y, 1e-9);
    sn_verify_near(verify, "z at 3 s", (double)fine[2], end.z, 1e-9);
}

static void projectile_lockstep(sn_verify *verify)
{
    sn_error error = {0};
    long double reference[UNKNOWNS];
    shot_reference(60, reference);
    sn_vec3 exact = {(double)reference[0], (double)reference[1], (double)reference[2]};
    double errors[3];
    for (int i = 0; i < 3; ++i) {
        sn_vec3 end;
        int steps = 300 << i;
        if (shoot(SN_POLICY_LOCKSTEP, shot_time / steps, steps, &end, &error) != SN_OK) {
            sn_verify_broken(verify, &error);
            return;
        }
        errors[i] = sn_distance(end, exact);
    }
    sn_verify_row(verify, "distance at 3 s, h = 10 ms", 0.0, errors[0], errors[0], 1e-3);
    sn_verify_near(verify, "order, 10 to 5 ms", 2.0, log2(errors[0] / errors[1]), 0.05);
    sn_verify_near(verify, "order, 5 to 2.5 ms", 2.0, log2(errors[1] / errors[2]), 0.05);
}

// ---- a located event ----

// Thrown up at 5 m/s from 2 m, it passes 0.5 m at t = (v + sqrt(v^2 + 2 g (z0 - z))) / g.
static void located_event(sn_verify *verify)
{
    sn_error error = {0};
    lone_body lone = {0};
    sn_world_def world_def = sn_default_world_def();
    world_def.policy = SN_POLICY_PRECISE;
    sn_body_def body_def = body_of_moments(1.0, sn_vec3_make(0.1, 0.1, 0.1));
    body_def.frame.position.z = 2.0;
    body_def.velocity.z = 5.0;
    sn_status status = make_lone(&world_def, &body_def, &lone, &error);
    if (status == SN_OK) {
        sn_event_def event_def = sn_default_event_def();
        sn_event event;
        event_def.name = "lands";
        event_def.probe = (sn_probe){.body = lone.body, .quantity = SN_QUANTITY_CENTRE_Z};
        event_def.threshold = 0.5;
        event_def.direction = SN_DIRECTION_FALLING;
        event_def.action = SN_EVENT_STOP;
        status = sn_world_add_event(lone.world, &event_def, &event, &error);
    }
    for (int i = 0; i < 20 && status == SN_OK && !sn_world_stopped(lone.world); ++i) {
        status = sn_world_step(lone.world, 0.1, &error);
    }
    double exact = (5.0 + sqrt(25.0 + 2.0 * 9.81 * 1.5)) / 9.81;
    if (status != SN_OK) {
        sn_verify_broken(verify, &error);
    } else {
        int count = sn_world_event_count(lone.world);
        double time = count > 0 ? sn_world_event_entry(lone.world, count - 1).time : NAN;
        sn_verify_near(verify, "time", exact, time, 1e-9);
        sn_verify_near(verify, "the world's clock", exact, sn_world_time(lone.world), 1e-9);
        sn_verify_near(verify, "height", 0.5, sn_body_centre(lone.world, lone.body).z, 1e-9);
    }
    sn_world_destroy(lone.world);
}

static const sn_verify_case cases[] = {
    {"free body, fehlberg45 at 1e-12", tumble_fehlberg},
    {"free body, adams at 1e-12", tumble_adams},
    {"1e6 steps of 1 ms", million_short_steps},
    {"1e6 steps of 10 ms", million_long_steps},
    {"projectile with drag, precise", projectile_precise},
    {"projectile with drag, lockstep", projectile_lockstep},
    {"event of a falling body", located_event},
};

const sn_verify_group sn_verify_rigid = {"rigid",
                                         "free rigid bodies: tumbling, long runs, drag, events",
                                         cases, sizeof cases / sizeof cases[0]};
