#include "elastic/plastic.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "math/elementary.h"

sn_status sn_plastic_check(const sn_plastic *p, const sn_elastic *material, const char *place,
                           sn_error *error)
{
    const double numbers[4] = {p->yield_stress, p->creep_rate, p->hardening, p->limit};
    for (int i = 0; i < 4; ++i) {
        if (!(numbers[i] >= 0.0) || !isfinite(numbers[i])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, place,
                           "yield stress %g Pa, creep rate %g 1/s, hardening %g Pa, plastic limit "
                           "%g; finite numbers, 0 or more, were expected",
                           p->yield_stress, p->creep_rate, p->hardening, p->limit);
        }
    }
    if (sn_plastic_flows(p) && material->fibre_stiffness > 0.0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "plastic flow of a material with fibres; one of the two was expected");
    }
    return SN_OK;
}

// ---- state ----

void sn_plastic_start(double state[SN_PLASTIC_STATE])
{
    memset(state, 0, SN_PLASTIC_STATE * sizeof *state);
    state[0] = state[4] = state[8] = 1.0;
}

sn_mat3 sn_plastic_inverse(const double state[SN_PLASTIC_STATE])
{
    sn_mat3 p;
    for (int i = 0; i < 9; ++i) {
        p.m[i / 3][i % 3] = state[i];
    }
    return p;
}

static double total_of(const sn_mat3 *inverse)
{
    sn_mat3 u, v;
    sn_vec3 s;
    sn_mat3_svd(*inverse, &u, &s, &v);
    double a = sn_log(s.x), b = sn_log(s.y), c = sn_log(s.z);
    return sqrt((a * a + b * b + c * c) * (2.0 / 3.0));
}

double sn_plastic_total(const double state[SN_PLASTIC_STATE])
{
    sn_mat3 inverse = sn_plastic_inverse(state);
    return total_of(&inverse);
}

// ---- where a point stands ----

// Logarithms of stretches, the direction of flow and what is due of it.
typedef struct course {
    sn_mat3 v;
    double start[3], along[3]; // ln s, n
    double stress;             // sigma at the start
} course;

static sn_mat3 stretched(const course *c, double gamma)
{
    sn_vec3 s = {sn_exp(c->start[0] - gamma * c->along[0]),
                 sn_exp(c->start[1] - gamma * c->along[1]),
                 sn_exp(c->start[2] - gamma * c->along[2])};
    return sn_mat3_diagonal(s);
}

// The values of Kirchhoff's stress for a stretch along the axes.
static void principal_stress(const sn_elastic *material, const sn_mat3 *stretch, double t[3])
{
    sn_mat3 p;
    sn_elastic_stress(material, stretch, &p);
    for (int i = 0; i < 3; ++i) {
        t[i] = stretch->m[i][i] * p.m[i][i];
    }
}

// Stress along n after a flow of gamma.
static double stress_along(const sn_elastic *material, const course *c, double gamma)
{
    sn_mat3 stretch = stretched(c, gamma);
    double t[3];
    principal_stress(material, &stretch, t);
    return t[0] * c->along[0] + t[1] * c->along[1] + t[2] * c->along[2];
}

double sn_plastic_stress(const sn_elastic *material, const sn_mat3 *elastic)
{
    sn_mat3 p;
    sn_elastic_stress(material, elastic, &p);
    sn_mat3 t = sn_mat3_multiply(p, sn_mat3_transpose(*elastic));
    double third = (t.m[0][0] + t.m[1][1] + t.m[2][2]) / 3.0, sum = 0.0;
    for (int i = 0; i < 9; ++i) {
        double dev = t.m[i / 3][i % 3] - (i % 4 == 0 ? third : 0.0);
        sum += dev * dev;
    }
    return sqrt(1.5 * sum);
}

// False where nothing is to flow: below yield, inverted, or no numbers.
static bool find_course(const sn_elastic *material, const sn_plastic *plastic,
                        const sn_mat3 *elastic, double strain, course *c)
{
    sn_mat3 u;
    sn_vec3 s;
    if (!(sn_mat3_determinant(*elastic) > 0.0)) {
        return false;
    }
    sn_mat3_svd(*elastic, &u, &s, &c->v);
    const double values[3] = {s.x, s.y, s.z};
    double t[3];
    sn_mat3 stretch = sn_mat3_diagonal(s);
    principal_stress(material, &stretch, t);
    double third = (t[0] + t[1] + t[2]) / 3.0;
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        t[i] -= third;
        square += t[i] * t[i];
    }
    c->stress = sqrt(1.5 * square);
    if (!(c->stress > plastic->yield_stress + plastic->hardening * strain) ||
        !isfinite(c->stress)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        if (!(values[i] > 0.0)) {
            return false;
        }
        c->start[i] = sn_log(values[i]);
        c->along[i] = 1.5 * t[i] / c->stress;
    }
    return true;
}

// Gamma: where the stress along n comes down to yield, by secants that stay between a point above
// and one below. At the far end no strain is left along n.
static double find_due(const sn_elastic *material, const sn_plastic *plastic, double strain,
                       const course *c)
{
    enum { TURNS = 60 };
    double yield = plastic->yield_stress + plastic->hardening * strain;
    double low = 0.0, above = c->stress - yield;
    double high = (2.0 / 3.0) * (c->start[0] * c->along[0] + c->start[1] * c->along[1] +
                                 c->start[2] * c->along[2]);
    if (!(high > 0.0)) {
        return 0.0;
    }
    double below = stress_along(material, c, high) - yield - plastic->hardening * high;
    if (below >= 0.0) {
        return high;
    }
    double gamma = above / (3.0 * material->shear + plastic->hardening);
    for (int turn = 0; turn < TURNS; ++turn) {
        if (!(gamma > low && gamma < high)) {
            gamma = 0.5 * (low + high);
        }
        double excess = stress_along(material, c, gamma) - yield - plastic->hardening * gamma;
        if (fabs(excess) <= 1e-13 * c->stress || high - low <= 1e-15 * high) {
            break;
        }
        double kept = excess > 0.0 ? above : below, share = turn % 3 == 2 ? 0.5 : 1.0;
        double slope = (excess - kept) / (gamma - (excess > 0.0 ? low : high));
        if (excess > 0.0) {
            low = gamma;
            above = excess;
        } else {
            high = gamma;
            below = excess;
        }
        gamma = share < 1.0 ? 0.5 * (low + high) : gamma - excess / slope;
    }
    return gamma;
}

// Fp^-1 V diag(exp(-gamma n)) V^T, of determinant 1 again: rounding would walk away from it.
static sn_mat3 flowed(const course *c, double gamma, const sn_mat3 *inverse)
{
    sn_vec3 d = {sn_exp(-gamma * c->along[0]), sn_exp(-gamma * c->along[1]),
                 sn_exp(-gamma * c->along[2])};
    sn_mat3 turned = sn_mat3_multiply(c->v, sn_mat3_diagonal(d));
    sn_mat3 p = sn_mat3_multiply(*inverse, sn_mat3_multiply(turned, sn_mat3_transpose(c->v)));
    return sn_mat3_scale(1.0 - (sn_mat3_determinant(p) - 1.0) / 3.0, p);
}

// As much of gamma as leaves the total plastic strain below its limit.
static double within_limit(const sn_plastic *plastic, const course *c, const sn_mat3 *inverse,
                           double gamma)
{
    enum { HALVINGS = 50 };
    sn_mat3 end = flowed(c, gamma, inverse);
    if (plastic->limit == 0.0 || total_of(&end) <= plastic->limit) {
        return gamma;
    }
    double low = 0.0, high = gamma;
    for (int k = 0; k < HALVINGS; ++k) {
        double middle = 0.5 * (low + high);
        end = flowed(c, middle, inverse);
        if (total_of(&end) <= plastic->limit) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Laws that give way under compression (St. Venant's) may meet yield beyond a rise of the energy:
// then only so much flows as lets it fall.
static double downhill(const sn_elastic *material, const course *c, double gamma, double *loss)
{
    enum { HALVINGS = 30 };
    sn_mat3 start = stretched(c, 0.0);
    double before = sn_elastic_energy(material, &start);
    for (int k = 0; k < HALVINGS; ++k) {
        sn_mat3 end = stretched(c, gamma);
        *loss = before - sn_elastic_energy(material, &end);
        if (*loss >= -1e-14 * before) { // less is rounding
            *loss = fmax(*loss, 0.0);
            return gamma;
        }
        gamma *= 0.5;
    }
    *loss = 0.0;
    return 0.0;
}

// ---- flow ----

bool sn_plastic_flow(const sn_elastic *material, const sn_plastic *plastic, double h,
                     const sn_mat3 *elastic, double state[SN_PLASTIC_STATE])
{
    course c;
    double strain = state[SN_PLASTIC_STRAIN], loss;
    if (!find_course(material, plastic, elastic, strain, &c)) {
        return false;
    }
    sn_mat3 inverse = sn_plastic_inverse(state);
    double share = plastic->creep_rate > 0.0 ? -sn_expm1(-plastic->creep_rate * h) : 1.0;
    double gamma = share * find_due(material, plastic, strain, &c);
    gamma = downhill(material, &c, within_limit(plastic, &c, &inverse, gamma), &loss);
    if (!(gamma > 0.0)) {
        return false;
    }
    inverse = flowed(&c, gamma, &inverse);
    memcpy(state, inverse.m, 9 * sizeof *state);
    state[SN_PLASTIC_STRAIN] += gamma;
    state[SN_PLASTIC_HEAT] += loss / material->shear;
    return true;
}

// d/dt of Fp^-1 = -gamma' Fp^-1 V diag(n) V^T, with gamma' = creep_rate Gamma
void sn_plastic_rate(const sn_elastic *material, const sn_plastic *plastic, const sn_mat3 *elastic,
                     const double state[SN_PLASTIC_STATE], double rate[SN_PLASTIC_STATE])
{
    course c;
    double strain = state[SN_PLASTIC_STRAIN];
    memset(rate, 0, SN_PLASTIC_STATE * sizeof *rate);
    if (!find_course(material, plastic, elastic, strain, &c)) {
        return;
    }
    double speed = plastic->creep_rate * find_due(material, plastic, strain, &c);
    sn_vec3 n = {-speed * c.along[0], -speed * c.along[1], -speed * c.along[2]};
    sn_mat3 turned = sn_mat3_multiply(c.v, sn_mat3_diagonal(n));
    sn_mat3 change = sn_mat3_multiply(sn_plastic_inverse(state),
                                      sn_mat3_multiply(turned, sn_mat3_transpose(c.v)));
    memcpy(rate, change.m, 9 * sizeof *rate);
    rate[SN_PLASTIC_STRAIN] = speed;
    rate[SN_PLASTIC_HEAT] = speed * c.stress / material->shear;
}
