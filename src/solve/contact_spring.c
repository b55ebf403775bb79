#include "solve/contact_spring.h"

#include <math.h>

// The share of an edge over which w falls, and sin^2 of the angles between which e does: about 6
// and 14 degrees.
static const double END = 0.25, NEARLY_PARALLEL = 0.01, CLEARLY_CROSSED = 0.06;

// Friction by f_n, for a unit of slip: 1 / |u|, and below u0 what leads smoothly to 0.
static double friction_share(double slip, double creep)
{
    if (slip < creep) {
        double x = slip / creep;
        return 0.5 * (3.0 - x * x) / creep;
    }
    return slip > 0.0 ? 1.0 / slip : 0.0;
}

sn_vec3 sn_contact_spring_force(const sn_spring_law *law, double depth, double share,
                                sn_vec3 normal, sn_vec3 u)
{
    double along = sn_dot(u, normal), f_n = law->stiffness * depth;
    if (law->damping > 0.0) {
        f_n -= law->damping * depth / (depth + law->ramp) * along;
    }
    f_n = f_n > 0.0 ? share * f_n : 0.0;
    sn_vec3 force = sn_vec3_scale(f_n, normal);
    if (law->friction > 0.0) {
        sn_vec3 slip = sn_vec3_add_scaled(u, -along, normal);
        double by_slip = friction_share(sn_length(slip), law->creep);
        force = sn_vec3_add_scaled(force, -law->friction * f_n * by_slip, slip);
    }
    return force;
}

static bool is_lossless(const sn_spring_law *law)
{
    return !(law->damping > 0.0) && !(law->friction > 0.0);
}

void sn_contact_spring_vertex(const sn_spring_law *law, const sn_vec3 x[4], const sn_vec3 v[4],
                              const double weights[3], bool inside, sn_spring_forces *out)
{
    *out = (sn_spring_forces){.energy = 0.0};
    sn_vec3 apart = x[0], u = v[0];
    for (int k = 0; k < 3; ++k) {
        apart = sn_vec3_add_scaled(apart, -weights[k], x[k + 1]);
        u = sn_vec3_add_scaled(u, -weights[k], v[k + 1]);
    }
    double square = sn_dot(apart, apart), depth = sqrt(square);
    out->depth = inside ? depth : -depth;
    if (!inside || depth == 0.0) {
        return;
    }
    out->energy = 0.5 * law->stiffness * square;
    out->force[0] =
        is_lossless(law)
            ? sn_vec3_scale(-law->stiffness, apart)
            : sn_contact_spring_force(law, depth, 1.0, sn_vec3_scale(-1.0 / depth, apart), u);
    for (int k = 0; k < 3; ++k) {
        out->force[k + 1] = sn_vec3_scale(-weights[k], out->force[0]);
    }
}

// ---- two edges ----

// From 0 at 0 to 1 at 1, level at both ends; `slope`: its derivative.
static double smooth_step(double x, double *slope)
{
    *slope = x > 0.0 && x < 1.0 ? 6.0 * x * (1.0 - x) : 0.0;
    return x <= 0.0 ? 0.0 : x >= 1.0 ? 1.0 : x * x * (3.0 - 2.0 * x);
}

// w over 0 .. 1.
static double end_window(double s, double *slope)
{
    bool second = s > 0.5;
    double value = smooth_step((second ? 1.0 - s : s) / END, slope);
    *slope *= (second ? -1.0 : 1.0) / END;
    return value;
}

// Where the line at right angles to both is: r = p0 + s e - p2 - t f with r.e = r.f = 0.
typedef struct crossing {
    sn_vec3 e, f, r;
    double ee, ff, ef, determinant; // ee ff - ef^2
    double s, t;
} crossing;

static bool cross_edges(const sn_vec3 x[4], crossing *c)
{
    c->e = sn_vec3_sub(x[1], x[0]);
    c->f = sn_vec3_sub(x[3], x[2]);
    sn_vec3 between = sn_vec3_sub(x[0], x[2]);
    c->ee = sn_dot(c->e, c->e);
    c->ff = sn_dot(c->f, c->f);
    c->ef = sn_dot(c->e, c->f);
    c->determinant = c->ee * c->ff - c->ef * c->ef;
    if (!(c->determinant > NEARLY_PARALLEL * c->ee * c->ff)) {
        return false;
    }
    double be = sn_dot(between, c->e), bf = sn_dot(between, c->f);
    c->s = (c->ef * bf - c->ff * be) / c->determinant;
    c->t = (c->ee * bf - c->ef * be) / c->determinant;
    c->r = sn_vec3_add_scaled(sn_vec3_add_scaled(between, c->s, c->e), -c->t, c->f);
    return c->s > 0.0 && c->s < 1.0 && c->t > 0.0 && c->t < 1.0;
}

// ds and dt by point i: from the derivatives of r.e and r.f, which stay 0.
//
//     [ ee  -ef ] [ds]     [d(r.e)]
//     [ ef  -ff ] [dt] = - [d(r.f)]
static void place_rates(const crossing *c, int i, double weight, sn_vec3 *ds, sn_vec3 *dt)
{
    sn_vec3 re = sn_vec3_scale(weight, c->e), rf = sn_vec3_scale(weight, c->f);
    double turn = i % 2 == 0 ? -1.0 : 1.0;
    re = i < 2 ? sn_vec3_add_scaled(re, turn, c->r) : re;
    rf = i < 2 ? rf : sn_vec3_add_scaled(rf, turn, c->r);
    sn_vec3 zero = SN_VEC3_ZERO;
    *ds = sn_vec3_add_scaled(sn_vec3_add_scaled(zero, -c->ff / c->determinant, re),
                             c->ef / c->determinant, rf);
    *dt = sn_vec3_add_scaled(sn_vec3_add_scaled(zero, -c->ef / c->determinant, re),
                             c->ee / c->determinant, rf);
}

// d(sin^2) by e (by f with both exchanged): sin^2 = 1 - ef^2 / (ee ff).
static sn_vec3 sine_rate(sn_vec3 e, sn_vec3 f, double ee, double ff, double ef)
{
    double scale = 2.0 * ef / (ee * ff);
    return sn_vec3_add_scaled(sn_vec3_scale(-scale, f), scale * ef / ee, e);
}

void sn_contact_spring_edges(const sn_spring_law *law, const sn_vec3 x[4], const sn_vec3 v[4],
                             int sign, sn_spring_forces *out)
{
    *out = (sn_spring_forces){.energy = 0.0};
    crossing c;
    if (!cross_edges(x, &c)) {
        return;
    }
    sn_vec3 normal = sn_cross(c.e, c.f);
    double volume = sign * sn_dot(sn_vec3_sub(x[0], x[2]), normal);
    double square = sn_dot(c.r, c.r), distance = sqrt(square);
    out->depth = volume < 0.0 ? distance : -distance;
    if (!(volume < 0.0) || distance == 0.0) {
        return;
    }
    double slope_s, slope_t, slope_e;
    double of_s = end_window(c.s, &slope_s), of_t = end_window(c.t, &slope_t);
    double width = CLEARLY_CROSSED - NEARLY_PARALLEL;
    double of_e = smooth_step((c.determinant / (c.ee * c.ff) - NEARLY_PARALLEL) / width, &slope_e);
    double share = of_s * of_t * of_e, half = 0.5 * law->stiffness * square;
    const double weights[4] = {1.0 - c.s, c.s, -(1.0 - c.t), -c.t};
    out->energy = half * share;

    sn_vec3 u = SN_VEC3_ZERO;
    for (int i = 0; i < 4; ++i) {
        u = sn_vec3_add_scaled(u, weights[i], v[i]);
    }
    sn_vec3 push =
        sn_contact_spring_force(law, distance, share, sn_vec3_scale(-1.0 / distance, c.r), u);
    sn_vec3 by_e = sine_rate(c.e, c.f, c.ee, c.ff, c.ef);
    sn_vec3 by_f = sine_rate(c.f, c.e, c.ff, c.ee, c.ef);
    for (int i = 0; i < 4; ++i) {
        sn_vec3 ds, dt;
        place_rates(&c, i, weights[i], &ds, &dt);
        sn_vec3 force = sn_vec3_scale(weights[i], push);
        force = sn_vec3_add_scaled(force, -half * slope_s * of_t * of_e, ds);
        force = sn_vec3_add_scaled(force, -half * of_s * slope_t * of_e, dt);
        out->force[i] = sn_vec3_add_scaled(
            force, (i % 2 == 0 ? 1.0 : -1.0) * half * of_s * of_t * slope_e / width,
            i < 2 ? by_e : by_f);
    }
}
