// The work of the benchmark cases about free bodies, and how the outcome is judged: one definition
// for Sinew and for every peer, so that nobody measures itself. Plain C that is C++ as well.
//
// Body i is a box of 0.2 x 0.3 x 0.5 m and 1 kg under gravity (0, 0, -9.81), no contact. It starts
// at (3 (i mod 100), 3 (i / 100 mod 100), 3 (i / 10000)) m with its axes along the world's, rises
// with up to 10 m/s and turns with 10 to 30 rad/s about an axis of its own. The numbers come from
// the additive sequence of the plastic number, which fills a cube evenly (Roberts 2018).
//
// After SN_FREE_WARM_UP steps unmeasured, S steps are timed: ns of processor time per body and
// step. Quality is judged over all steps, from what an engine tells of poses and velocities:
//
//   energy_drift            sum |E_end - E_start| / sum K_start, E kinetic and potential energy of
//                           one body, K kinetic
//   spin_energy_drift       the same for the energy of rotation alone
//   angular_momentum_drift  sum |L_end - L_start| / sum |L_start|, L of one body about its centre
//   attitude_error          rad: the angle between a body's attitude at the end and the exact one,
//                           root mean square over up to 64 bodies
#ifndef SN_BENCH_FREE_BODIES_H
#define SN_BENCH_FREE_BODIES_H

#include <math.h>
#include <string.h>

enum { SN_FREE_WARM_UP = 10, SN_FREE_QUALITIES = 4, SN_FREE_JUDGED = 64 };

#define SN_FREE_GRAVITY 9.81
#define SN_FREE_MASS    1.0

static const char *const sn_free_quality_names[SN_FREE_QUALITIES] = {
    "energy_drift", "spin_energy_drift", "angular_momentum_drift", "attitude_error"};
static const double sn_free_size[3] = {0.2, 0.3, 0.5};
static const double sn_free_inertia[3] = {(0.09 + 0.25) / 12.0, (0.04 + 0.25) / 12.0,
                                          (0.04 + 0.09) / 12.0};

typedef struct sn_free_body {
    double position[3], velocity[3]; // of the centre
    double rotation[9];              // body axes to world axes, row by row
    double spin[3];                  // angular velocity, world axes
} sn_free_body;

static inline double sn_free_fraction(double step, int i)
{
    double x = step * (i + 1);
    return x - floor(x);
}

static inline sn_free_body sn_free_body_start(int i)
{
    sn_free_body body;
    memset(&body, 0, sizeof body);
    int column = i % 100, row = i / 100 % 100, layer = i / 10000;
    body.position[0] = 3.0 * column;
    body.position[1] = 3.0 * row;
    body.position[2] = 3.0 * layer;
    body.velocity[2] = 10.0 * sn_free_fraction(0.6180339887498949, i);
    body.rotation[0] = body.rotation[4] = body.rotation[8] = 1.0;
    double axis[3] = {sn_free_fraction(0.8191725133961645, i) - 0.5,
                      sn_free_fraction(0.6710436067037893, i) - 0.5,
                      sn_free_fraction(0.5497004779019703, i) - 0.5};
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double rate = 10.0 + 20.0 * sn_free_fraction(0.7548776662466927, i);
    for (int k = 0; k < 3; ++k) {
        body.spin[k] = length > 0.0 ? rate * axis[k] / length : rate;
    }
    return body;
}

static inline void sn_free_spin_in_body(const sn_free_body *body, double w[3])
{
    for (int k = 0; k < 3; ++k) {
        w[k] = body->rotation[k] * body->spin[0] + body->rotation[3 + k] * body->spin[1] +
               body->rotation[6 + k] * body->spin[2];
    }
}

// The angular momentum about the centre, in world axes; returns the energy of rotation.
static inline double sn_free_momentum(const sn_free_body *body, double momentum[3])
{
    double w[3], l[3], energy = 0.0;
    sn_free_spin_in_body(body, w);
    for (int k = 0; k < 3; ++k) {
        l[k] = sn_free_inertia[k] * w[k];
        energy += 0.5 * l[k] * w[k];
    }
    for (int k = 0; k < 3; ++k) {
        const double *row = body->rotation + 3 * k;
        momentum[k] = row[0] * l[0] + row[1] * l[1] + row[2] * l[2];
    }
    return energy;
}

static inline double sn_free_travel_energy(const sn_free_body *body)
{
    const double *v = body->velocity;
    return 0.5 * SN_FREE_MASS * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// ---- the exact attitude ----

// d/dt of (quaternion w x y z, body angular velocity): q' = q (0, w) / 2, I w' = I w x w.
static inline void sn_free_rate(const double y[7], double rate[7])
{
    const double *w = y + 4, *m = sn_free_inertia;
    rate[0] = 0.5 * (-y[1] * w[0] - y[2] * w[1] - y[3] * w[2]);
    rate[1] = 0.5 * (y[0] * w[0] + y[2] * w[2] - y[3] * w[1]);
    rate[2] = 0.5 * (y[0] * w[1] + y[3] * w[0] - y[1] * w[2]);
    rate[3] = 0.5 * (y[0] * w[2] + y[1] * w[1] - y[2] * w[0]);
    rate[4] = (m[1] - m[2]) * w[1] * w[2] / m[0];
    rate[5] = (m[2] - m[0]) * w[2] * w[0] / m[1];
    rate[6] = (m[0] - m[1]) * w[0] * w[1] / m[2];
}

// Classical Runge-Kutta with steps of 1/4 ms: at 30 rad/s exact to about 1e-9 rad after seconds.
static inline void sn_free_exact(const sn_free_body *start, double time, double y[7])
{
    int steps = (int)ceil(time / 0.25e-3);
    double h = time / steps, k[4][7], at[7];
    const double share[3] = {0.5, 0.5, 1.0};
    y[0] = 1.0; // the start's axes are the world's
    y[1] = y[2] = y[3] = 0.0;
    sn_free_spin_in_body(start, y + 4);
    for (int n = 0; n < steps; ++n) {
        sn_free_rate(y, k[0]);
        for (int stage = 0; stage < 3; ++stage) {
            for (int j = 0; j < 7; ++j) {
                at[j] = y[j] + share[stage] * h * k[stage][j];
            }
            sn_free_rate(at, k[stage + 1]);
        }
        for (int j = 0; j < 7; ++j) {
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
        }
    }
}

// With R the body's matrix and Q the exact one, |R - Q| = 2 sqrt(2) sin(angle / 2), Frobenius.
static inline double sn_free_attitude_error(const sn_free_body *end, const double y[7])
{
    double w = y[0], x = y[1], u = y[2], z = y[3], sum = 0.0;
    const double exact[9] = {
        1.0 - 2.0 * (u * u + z * z), 2.0 * (x * u - w * z),       2.0 * (x * z + w * u),
        2.0 * (x * u + w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (u * z - w * x),
        2.0 * (x * z - w * u),       2.0 * (u * z + w * x),       1.0 - 2.0 * (x * x + u * u)};
    for (int k = 0; k < 9; ++k) {
        sum += (end->rotation[k] - exact[k]) * (end->rotation[k] - exact[k]);
    }
    return 2.0 * asin(fmin(1.0, sqrt(sum / 8.0)));
}

// ---- the judgement ----

// quality[SN_FREE_QUALITIES] of `count` bodies that started as sn_free_body_start says and are
// `end` after `time` seconds.
static inline void sn_free_judge(const sn_free_body *end, int count, double time, double *quality)
{
    double drift = 0.0, kinetic = 0.0, spin_drift = 0.0, spin = 0.0, change = 0.0, momentum = 0.0;
    for (int i = 0; i < count; ++i) {
        sn_free_body start = sn_free_body_start(i);
        double l0[3], l1[3], moved = 0.0, whole = 0.0;
        double turn0 = sn_free_momentum(&start, l0), turn1 = sn_free_momentum(&end[i], l1);
        double travel0 = sn_free_travel_energy(&start), travel1 = sn_free_travel_energy(&end[i]);
        double fall = SN_FREE_MASS * SN_FREE_GRAVITY * (end[i].position[2] - start.position[2]);
        for (int k = 0; k < 3; ++k) {
            moved += (l1[k] - l0[k]) * (l1[k] - l0[k]);
            whole += l0[k] * l0[k];
        }
        drift += fabs((turn1 - turn0) + (travel1 - travel0 + fall));
        kinetic += turn0 + travel0;
        spin_drift += fabs(turn1 - turn0);
        spin += turn0;
        change += sqrt(moved);
        momentum += sqrt(whole);
    }
    int judged = count < SN_FREE_JUDGED ? count : SN_FREE_JUDGED;
    double squares = 0.0;
    for (int j = 0; j < judged; ++j) {
        int i = (int)((long)j * count / judged);
        double y[7];
        sn_free_body start = sn_free_body_start(i);
        sn_free_exact(&start, time, y);
        double angle = sn_free_attitude_error(&end[i], y);
        squares += angle * angle;
    }
    quality[0] = drift / kinetic;
    quality[1] = spin_drift / spin;
    quality[2] = change / momentum;
    quality[3] = sqrt(squares / judged);
}

#endif
