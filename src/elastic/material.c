#include "elastic/material.h"

#include <float.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "math/elementary.h"

sn_elastic sn_elastic_from_young(sn_elastic_law law, double young, double poisson)
{
    return (sn_elastic){.law = law,
                        .bulk = young / (3.0 * (1.0 - 2.0 * poisson)),
                        .shear = young / (2.0 * (1.0 + poisson))};
}

sn_status sn_elastic_check(const sn_elastic *m, const char *place, sn_error *error)
{
    if ((int)m->law < 0 || m->law >= SN_ELASTIC_LAW_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place, "elastic law %d; 0 to %d were expected",
                       (int)m->law, SN_ELASTIC_LAW_COUNT - 1);
    }
    if (!(m->bulk > 0.0) || !(m->shear > 0.0) || !isfinite(m->bulk) || !isfinite(m->shear)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "bulk modulus %g Pa and shear modulus %g Pa; finite numbers above 0 were "
                       "expected",
                       m->bulk, m->shear);
    }
    if (!(m->fibre_stiffness >= 0.0) || !isfinite(m->fibre_stiffness)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "fibre stiffness %g Pa; a finite number, 0 or more, was expected",
                       m->fibre_stiffness);
    }
    if (m->fibre_stiffness > 0.0 && !(fabs(sn_length(m->fibre) - 1.0) < 1e-9)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, place,
                       "a fibre along (%g, %g, %g); a unit vector was expected", m->fibre.x,
                       m->fibre.y, m->fibre.z);
    }
    return SN_OK;
}

// ---- invariants ----

static double lambda_of(const sn_elastic *m)
{
    return m->bulk - m->shear * (2.0 / 3.0);
}

static double square_sum(const sn_mat3 *a)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += a->m[i][0] * a->m[i][0] + a->m[i][1] * a->m[i][1] + a->m[i][2] * a->m[i][2];
    }
    return sum;
}

// dJ/dF
static sn_mat3 cofactors(const sn_mat3 *f)
{
    sn_mat3 c;
    for (int i = 0; i < 3; ++i) {
        const double *a = f->m[(i + 1) % 3], *b = f->m[(i + 2) % 3];
        for (int j = 0; j < 3; ++j) {
            int k = (j + 1) % 3, l = (j + 2) % 3;
            c.m[i][j] = a[k] * b[l] - a[l] * b[k];
        }
    }
    return c;
}

static sn_mat3 combine(double s, const sn_mat3 *a, double t, const sn_mat3 *b)
{
    sn_mat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = s * a->m[i][j] + t * b->m[i][j];
        }
    }
    return c;
}

// C = F^T F
static sn_mat3 metric(const sn_mat3 *f)
{
    return sn_mat3_multiply(sn_mat3_transpose(*f), *f);
}

// The volume term K/32 (J^4 + J^-4 - 2) = K/32 (J^2 - J^-2)^2, and its derivatives by J.
static double barrier_value(double bulk, double j)
{
    double difference = j * j - 1.0 / (j * j);
    return bulk / 32.0 * (difference * difference);
}

static double barrier_first(double bulk, double j)
{
    double j2 = j * j, inverse = 1.0 / j2;
    return bulk / 8.0 * (j * j2 - inverse * inverse / j);
}

static double barrier_second(double bulk, double j)
{
    double j2 = j * j, inverse = 1.0 / j2;
    return bulk / 8.0 * (3.0 * j2 + 5.0 * (inverse * inverse * inverse));
}

typedef struct neo_hookean {
    double m, l, a;
} neo_hookean;

static neo_hookean neo_hookean_of(const sn_elastic *material)
{
    double m = material->shear * (4.0 / 3.0);
    double l = lambda_of(material) + material->shear * (5.0 / 6.0);
    return (neo_hookean){m, l, 1.0 + 0.75 * (m / l)};
}

// ---- energy ----

// With tr(C^2) = sum of lambda^2: Gamma^2 - 3 Sigma = 3/2 (tr(C^2) - Gamma^2 / 3), written as a sum
// of squares of the part of C without trace, so that it is never negative.
static double shape_of(const sn_mat3 *f)
{
    sn_mat3 c = metric(f);
    double third = (c.m[0][0] + c.m[1][1] + c.m[2][2]) / 3.0;
    c.m[0][0] -= third;
    c.m[1][1] -= third;
    c.m[2][2] -= third;
    return 1.5 * square_sum(&c);
}

// The energy less its value at rest. Both logarithm and square are taken of differences from rest:
// log((Gamma + 1) / 4), and (J - a)^2 - (1 - a)^2 = (J - 1) (J + 1 - 2 a).
static double neo_hookean_energy(const sn_elastic *material, const sn_mat3 *f)
{
    neo_hookean n = neo_hookean_of(material);
    double j = sn_mat3_determinant(*f), grown = square_sum(f) - 3.0;
    return 0.5 * n.m * (grown - sn_log1p(0.25 * grown)) +
           0.5 * n.l * ((j - 1.0) * (j + 1.0 - 2.0 * n.a));
}

static double st_venant_energy(const sn_elastic *material, const sn_mat3 *f)
{
    sn_mat3 c = metric(f), one = SN_MAT3_IDENTITY;
    sn_mat3 e = combine(0.5, &c, -0.5, &one);
    double trace = e.m[0][0] + e.m[1][1] + e.m[2][2];
    return material->shear * square_sum(&e) + 0.5 * lambda_of(material) * (trace * trace);
}

static double corotational_energy(const sn_elastic *material, const sn_mat3 *f)
{
    sn_mat3 u, v;
    sn_vec3 s;
    sn_mat3_svd(*f, &u, &s, &v);
    sn_vec3 d = {s.x - 1.0, s.y - 1.0, s.z - 1.0};
    double trace = d.x + d.y + d.z;
    return material->shear * sn_dot(d, d) + 0.5 * lambda_of(material) * (trace * trace);
}

static double fibre_energy(const sn_elastic *material, const sn_mat3 *f)
{
    double stretched = sn_length(sn_mat3_apply(*f, material->fibre)) - 1.0;
    return 0.5 * material->fibre_stiffness * (stretched * stretched);
}

double sn_elastic_energy(const sn_elastic *material, const sn_mat3 *f)
{
    double energy = material->fibre_stiffness > 0.0 ? fibre_energy(material, f) : 0.0;
    switch (material->law) {
    case SN_ELASTIC_LIESENFELD:
        return energy + barrier_value(material->bulk, sn_mat3_determinant(*f)) +
               material->shear / 6.0 * shape_of(f);
    case SN_ELASTIC_NEO_HOOKEAN:
        return energy + neo_hookean_energy(material, f);
    case SN_ELASTIC_ST_VENANT:
        return energy + st_venant_energy(material, f);
    default:
        return energy + corotational_energy(material, f);
    }
}

// ---- stress ----

// d/dF of G/6 (Gamma^2 - 3 Sigma) = G F (C - Gamma/3).
static sn_mat3 liesenfeld_stress(const sn_elastic *material, const sn_mat3 *f)
{
    sn_mat3 c = metric(f), cofactor = cofactors(f);
    double third = (c.m[0][0] + c.m[1][1] + c.m[2][2]) / 3.0;
    c.m[0][0] -= third;
    c.m[1][1] -= third;
    c.m[2][2] -= third;
    sn_mat3 shape = sn_mat3_multiply(*f, c);
    double pressure = barrier_first(material->bulk, sn_mat3_determinant(*f));
    return combine(material->shear, &shape, pressure, &cofactor);
}

static sn_mat3 neo_hookean_stress(const sn_elastic *material, const sn_mat3 *f)
{
    neo_hookean n = neo_hookean_of(material);
    double gamma = square_sum(f), j = sn_mat3_determinant(*f);
    sn_mat3 cofactor = cofactors(f);
    return combine(n.m * (gamma / (gamma + 1.0)), f, n.l * (j - n.a), &cofactor);
}

static sn_mat3 st_venant_stress(const sn_elastic *material, const sn_mat3 *f)
{
    sn_mat3 s = metric(f);
    for (int i = 0; i < 3; ++i) {
        s.m[i][i] -= 1.0;
    }
    double trace = s.m[0][0] + s.m[1][1] + s.m[2][2]; // of 2 E
    s = sn_mat3_scale(material->shear, s);
    for (int i = 0; i < 3; ++i) {
        s.m[i][i] += 0.5 * lambda_of(material) * trace;
    }
    return sn_mat3_multiply(*f, s);
}

static sn_mat3 corotational_stress(const sn_elastic *material, const sn_mat3 *f)
{
    sn_mat3 u, v;
    sn_vec3 s;
    sn_mat3_svd(*f, &u, &s, &v);
    double pull = lambda_of(material) * ((s.x - 1.0) + (s.y - 1.0) + (s.z - 1.0));
    double g = 2.0 * material->shear;
    sn_vec3 p = {g * (s.x - 1.0) + pull, g * (s.y - 1.0) + pull, g * (s.z - 1.0) + pull};
    sn_mat3 up = sn_mat3_multiply(u, sn_mat3_diagonal(p));
    return sn_mat3_multiply(up, sn_mat3_transpose(v));
}

// A fibre that has shrunk to a point has no direction: it pushes nowhere.
static void add_fibre_stress(const sn_elastic *material, const sn_mat3 *f, sn_mat3 *stress)
{
    sn_vec3 a = material->fibre, now = sn_mat3_apply(*f, a);
    double length = sn_length(now);
    double pull = length > DBL_MIN ? material->fibre_stiffness * (1.0 - 1.0 / length) : 0.0;
    const double n[3] = {now.x, now.y, now.z}, r[3] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            stress->m[i][j] += pull * n[i] * r[j];
        }
    }
}

void sn_elastic_stress(const sn_elastic *material, const sn_mat3 *f, sn_mat3 *stress)
{
    switch (material->law) {
    case SN_ELASTIC_LIESENFELD:
        *stress = liesenfeld_stress(material, f);
        break;
    case SN_ELASTIC_NEO_HOOKEAN:
        *stress = neo_hookean_stress(material, f);
        break;
    case SN_ELASTIC_ST_VENANT:
        *stress = st_venant_stress(material, f);
        break;
    default:
        *stress = corotational_stress(material, f);
        break;
    }
    if (material->fibre_stiffness > 0.0) {
        add_fibre_stress(material, f, stress);
    }
}

// ---- second derivatives ----

// In axes of the singular value decomposition: dp_i/ds_j, and the values of the twists and flips in
// the plane of axes k + 1 and k + 2.
typedef struct modes {
    sn_mat3 stretch;
    double twist[3], flip[3];
} modes;

// Adds `first` d^2 J and `second` dJ dJ^T, with first = d energy/dJ and so on.
static void add_volume_modes(const double s[3], double first, double second, modes *out)
{
    double c[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double mixed = i == j ? 0.0 : first * s[3 - i - j];
            out->stretch.m[i][j] += second * (c[i] * c[j]) + mixed;
        }
        out->twist[i] += first * s[i];
        out->flip[i] -= first * s[i];
    }
}

// Energies a/4 tr(C^2) + b/2 Gamma + c/4 Gamma^2 with p_i = a s_i^3 + (b + c Gamma) s_i.
static void add_metric_modes(const double s[3], double a, double b, double c, modes *out)
{
    double gamma = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], even = b + c * gamma;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double squares = s[j] * s[j] + s[k] * s[k], product = s[j] * s[k];
        out->stretch.m[i][i] += 3.0 * a * (s[i] * s[i]) + even;
        out->twist[i] += a * (squares - product) + even;
        out->flip[i] += a * (squares + product) + even;
        for (int l = 0; l < 3; ++l) {
            out->stretch.m[i][l] += 2.0 * c * (s[i] * s[l]);
        }
    }
}

static void add_neo_hookean_modes(const sn_elastic *material, const double s[3], modes *out)
{
    neo_hookean n = neo_hookean_of(material);
    double gamma = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], j = s[0] * s[1] * s[2];
    double even = n.m * (gamma / (gamma + 1.0)),
           mixed = 2.0 * n.m / ((gamma + 1.0) * (gamma + 1.0));
    for (int i = 0; i < 3; ++i) {
        out->stretch.m[i][i] += even;
        out->twist[i] += even;
        out->flip[i] += even;
        for (int l = 0; l < 3; ++l) {
            out->stretch.m[i][l] += mixed * (s[i] * s[l]);
        }
    }
    add_volume_modes(s, n.l * (j - n.a), n.l, out);
}

// Where two singular values cancel (inverted elements) the rotation is about to jump and a twist's
// value has a pole; a hair's breadth of the largest value keeps it finite.
static void add_corotational_modes(const sn_elastic *material, const double s[3], modes *out)
{
    double lambda = lambda_of(material), g = 2.0 * material->shear;
    double trace = (s[0] - 1.0) + (s[1] - 1.0) + (s[2] - 1.0);
    for (int i = 0; i < 3; ++i) {
        double sum = s[(i + 1) % 3] + s[(i + 2) % 3], least = DBL_EPSILON * (1.0 + s[0]);
        sum = fabs(sum) > least ? sum : least;
        out->twist[i] += g - 2.0 * (g - lambda * trace) / sum;
        out->flip[i] += g;
        out->stretch.m[i][i] += g;
        for (int j = 0; j < 3; ++j) {
            out->stretch.m[i][j] += lambda;
        }
    }
}

static void find_modes(const sn_elastic *material, const double s[3], modes *out)
{
    *out = (modes){0};
    double j = s[0] * s[1] * s[2], bulk = material->bulk, shear = material->shear;
    double lambda = lambda_of(material);
    switch (material->law) {
    case SN_ELASTIC_LIESENFELD:
        add_metric_modes(s, shear, 0.0, -shear / 3.0, out);
        add_volume_modes(s, barrier_first(bulk, j), barrier_second(bulk, j), out);
        break;
    case SN_ELASTIC_NEO_HOOKEAN:
        add_neo_hookean_modes(material, s, out);
        break;
    case SN_ELASTIC_ST_VENANT:
        add_metric_modes(s, shear, -shear - 1.5 * lambda, 0.5 * lambda, out);
        break;
    default:
        add_corotational_modes(material, s, out);
        break;
    }
}

// `pull` times the second derivative of the dilatation.
static void add_pull(sn_elastic_law law, const double s[3], double pull, modes *out)
{
    if (law == SN_ELASTIC_ST_VENANT) {
        add_metric_modes(s, 0.0, pull, 0.0, out);
    } else if (law == SN_ELASTIC_COROTATIONAL) {
        for (int i = 0; i < 3; ++i) {
            double sum = s[(i + 1) % 3] + s[(i + 2) % 3], least = DBL_EPSILON * (1.0 + s[0]);
            out->twist[i] += 2.0 * pull / (fabs(sum) > least ? sum : least);
        }
    } else {
        add_volume_modes(s, pull, 0.0, out);
    }
}

static void project(modes *m)
{
    sn_vec3 values;
    sn_mat3 vectors;
    sn_mat3_eigen_symmetric(m->stretch, &values, &vectors);
    sn_vec3 kept = sn_vec3_max(values, SN_VEC3_ZERO);
    if (values.x < 0.0) {
        sn_mat3 scaled = sn_mat3_multiply(vectors, sn_mat3_diagonal(kept));
        m->stretch = sn_mat3_multiply(scaled, sn_mat3_transpose(vectors));
    }
    for (int i = 0; i < 3; ++i) {
        m->twist[i] = m->twist[i] > 0.0 ? m->twist[i] : 0.0;
        m->flip[i] = m->flip[i] > 0.0 ? m->flip[i] : 0.0;
    }
}

// Entry (a, b) of U E_ij V^T.
static double mode_entry(const sn_mat3 *u, const sn_mat3 *v, int i, int j, int a, int b)
{
    return u->m[a][i] * v->m[b][j];
}

// h += value m m^T, on and above the diagonal.
static void add_outer(double h[81], double value, const double m[9])
{
    for (int a = 0; a < 9; ++a) {
        double scaled = value * m[a];
        for (int b = a; b < 9; ++b) {
            h[9 * a + b] += scaled * m[b];
        }
    }
}

static void add_modes(const modes *m, const sn_mat3 *u, const sn_mat3 *v, double h[81])
{
    double stretch[3][9];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double twist[9], flip[9];
        for (int e = 0; e < 9; ++e) {
            int a = e / 3, b = e % 3;
            double one = mode_entry(u, v, j, k, a, b), two = mode_entry(u, v, k, j, a, b);
            stretch[i][e] = mode_entry(u, v, i, i, a, b);
            twist[e] = one - two;
            flip[e] = one + two;
        }
        add_outer(h, 0.5 * m->twist[i], twist);
        add_outer(h, 0.5 * m->flip[i], flip);
    }
    for (int a = 0; a < 9; ++a) {
        double row[3];
        for (int j = 0; j < 3; ++j) {
            row[j] = stretch[0][a] * m->stretch.m[0][j] + stretch[1][a] * m->stretch.m[1][j] +
                     stretch[2][a] * m->stretch.m[2][j];
        }
        for (int b = a; b < 9; ++b) {
            h[9 * a + b] +=
                row[0] * stretch[0][b] + row[1] * stretch[1][b] + row[2] * stretch[2][b];
        }
    }
}

// d^2/d(F a)^2 = k ((1 - 1/l) + 1/l n n^T) with l = |F a| and n its direction.
static void add_fibre_hessian(const sn_elastic *material, const sn_mat3 *f, sn_hessian kind,
                              double h[81])
{
    sn_vec3 a = material->fibre, now = sn_mat3_apply(*f, a);
    double length = sn_length(now), k = material->fibre_stiffness;
    double across = length > DBL_MIN ? k * (1.0 - 1.0 / length) : 0.0;
    across = kind == SN_HESSIAN_PROJECTED && across < 0.0 ? 0.0 : across;
    double along = k - across;
    sn_vec3 n = sn_normalize(now);
    const double d[3] = {n.x, n.y, n.z}, r[3] = {a.x, a.y, a.z};
    for (int p = 0; p < 9; ++p) {
        for (int q = p; q < 9; ++q) {
            double block = along * d[p / 3] * d[q / 3] + (p / 3 == q / 3 ? across : 0.0);
            h[9 * p + q] += block * r[p % 3] * r[q % 3];
        }
    }
}

double sn_elastic_dilatation(sn_elastic_law law, const sn_mat3 *f)
{
    sn_mat3 u, v;
    sn_vec3 s;
    switch (law) {
    case SN_ELASTIC_ST_VENANT:
        return 0.5 * (square_sum(f) - 3.0);
    case SN_ELASTIC_COROTATIONAL:
        sn_mat3_svd(*f, &u, &s, &v);
        return (s.x - 1.0) + (s.y - 1.0) + (s.z - 1.0);
    default:
        return sn_mat3_determinant(*f) - 1.0;
    }
}

void sn_elastic_hessian(const sn_elastic *material, const sn_mat3 *f, sn_hessian kind,
                        double hessian[81])
{
    sn_elastic_hessian_pulled(material, f, 0.0, kind, hessian);
}

void sn_elastic_hessian_pulled(const sn_elastic *material, const sn_mat3 *f, double pull,
                               sn_hessian kind, double hessian[81])
{
    sn_mat3 u, v;
    sn_vec3 values;
    sn_mat3_svd(*f, &u, &values, &v);
    const double s[3] = {values.x, values.y, values.z};
    modes m;
    find_modes(material, s, &m);
    if (pull != 0.0) {
        add_pull(material->law, s, pull, &m);
    }
    if (kind == SN_HESSIAN_PROJECTED) {
        project(&m);
    }
    memset(hessian, 0, 81 * sizeof *hessian);
    add_modes(&m, &u, &v, hessian);
    if (material->fibre_stiffness > 0.0) {
        add_fibre_hessian(material, f, kind, hessian);
    }
    for (int a = 1; a < 9; ++a) {
        for (int b = 0; b < a; ++b) {
            hessian[9 * a + b] = hessian[9 * b + a];
        }
    }
}

// ---- viscosity ----

// T' = F'^T F + F^T F'
static sn_mat3 metric_rate(const sn_mat3 *f, const sn_mat3 *rate)
{
    sn_mat3 half = sn_mat3_multiply(sn_mat3_transpose(*f), *rate), t;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            t.m[i][j] = half.m[i][j] + half.m[j][i];
        }
    }
    return t;
}

// With Xi = (Pi^2 - |T'|^2) / 2 the power is eta1/2 Pi^2 + eta2 (|T'|^2 - Pi^2 / 3).
double sn_viscosity_power(const sn_viscosity *viscosity, const sn_mat3 *f, const sn_mat3 *rate)
{
    sn_mat3 t = metric_rate(f, rate);
    double trace = t.m[0][0] + t.m[1][1] + t.m[2][2];
    for (int i = 0; i < 3; ++i) {
        t.m[i][i] -= trace / 3.0;
    }
    return 0.5 * viscosity->volume * (trace * trace) + viscosity->shape * square_sum(&t);
}

// F Q with Q = eta1 Pi + 2 eta2 (T' - Pi/3)
void sn_viscosity_stress(const sn_viscosity *viscosity, const sn_mat3 *f, const sn_mat3 *rate,
                         sn_mat3 *stress)
{
    sn_mat3 t = metric_rate(f, rate);
    double trace = t.m[0][0] + t.m[1][1] + t.m[2][2];
    sn_mat3 q = sn_mat3_scale(2.0 * viscosity->shape, t);
    for (int i = 0; i < 3; ++i) {
        q.m[i][i] += (viscosity->volume - viscosity->shape * (2.0 / 3.0)) * trace;
    }
    *stress = sn_mat3_multiply(*f, q);
}

// S = F (2 eta2 T + c tr T), c = eta1 - 2/3 eta2, and T of the rate e_i e_j^T is f_i e_j^T + e_j
// f_i^T with f_i the i-th row of F.
void sn_viscosity_hessian(const sn_viscosity *viscosity, const sn_mat3 *f, double hessian[81])
{
    double shape = 2.0 * viscosity->shape,
           trace = 2.0 * (viscosity->volume - viscosity->shape * (2.0 / 3.0));
    sn_mat3 square = sn_mat3_multiply(*f, sn_mat3_transpose(*f));
    for (int row = 0; row < 9; ++row) {
        int a = row / 3, b = row % 3;
        for (int column = row; column < 9; ++column) {
            int i = column / 3, j = column % 3;
            double sum = f->m[a][j] * f->m[i][b] + (b == j ? square.m[a][i] : 0.0);
            hessian[9 * row + column] = hessian[9 * column + row] =
                shape * sum + trace * (f->m[i][j] * f->m[a][b]);
        }
    }
}
