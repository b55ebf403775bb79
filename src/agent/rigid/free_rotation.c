#include "agent/rigid/free_rotation.h"

#include <math.h>

#include "math/elementary.h"
#include "math/rotation.h"

enum { LANES = 4, BLOCKS = 2, Q = 7, V = 6 };

// Of one body that turns fast: angles of a part, and what is taken back to its energy.
enum { MOST_PARTS = 32, CORRECTIONS = 40 };
static const double PART_ANGLE = 0.2, ENERGY_ROUNDING = 1e-14;

// Four doubles worked on together: element-wise, in the same order as one alone, so with the same
// bits.
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

// Sources of this file are compiled for the plain machine and once more for AVX2, never with fused
// multiply-add: same bits.
#if defined(__x86_64__) && !defined(__AVX2__)
#define SN_HAS_AVX2_TWIN 1
#endif
#define ALWAYS_INLINE static inline __attribute__((always_inline))

sn_rigid_mass sn_rigid_mass_make(double mass, sn_vec3 inertia)
{
    sn_rigid_mass made = {.mass = mass, .inertia = inertia, .half_middle = 0.5 / inertia.y};
    made.b = inertia.x < inertia.y ? 0.25 * (1.0 / inertia.x - 1.0 / inertia.y) : 0.0;
    made.a = inertia.y < inertia.z ? 0.5 * (1.0 / inertia.z - 1.0 / inertia.y) : 0.0;
    return made;
}

// ---- any angle, one body ----

// Turns by twice the half angle whose sine and cosine are s and c, about body axis 1: R <- R exp(2
// half e1), L <- exp(-2 half e1) L. With cos = 1 - 2 s^2 an error of s^2 + c^2 enters |L| only as 4
// s^2 times itself.
static void turn_axis_1(double s, double c, sn_quat *q, sn_vec3 *l)
{
    double cosine_less_1 = -2.0 * (s * s), sine = 2.0 * (s * c);
    *l = sn_vec3_make(l->x, l->y + (cosine_less_1 * l->y + sine * l->z),
                      l->z + (cosine_less_1 * l->z - sine * l->y));
    *q = (sn_quat){q->w * c - q->x * s, q->x * c + q->w * s, q->y * c + q->z * s,
                   q->z * c - q->y * s};
}

static void turn_axis_3(double s, double c, sn_quat *q, sn_vec3 *l)
{
    double cosine_less_1 = -2.0 * (s * s), sine = 2.0 * (s * c);
    *l = sn_vec3_make(l->x + (cosine_less_1 * l->x + sine * l->y),
                      l->y + (cosine_less_1 * l->y - sine * l->x), l->z);
    *q = (sn_quat){q->w * c - q->z * s, q->x * c + q->y * s, q->y * c - q->x * s,
                   q->z * c + q->w * s};
}

static void turn_part(const sn_rigid_mass *mass, double h, sn_quat *rotation, sn_vec3 *momentum)
{
    sn_quat q = *rotation;
    sn_vec3 l = *momentum;
    double s, c;
    sn_sincos(mass->b * h * l.x, &s, &c);
    turn_axis_1(s, c, &q, &l);
    double length = sn_length(l), scale = 0.0;
    sn_sincos(mass->a * h * l.z, &s, &c);
    turn_axis_3(s, c, &q, &l);
    sn_sincos(length * h * mass->half_middle, &s, &c);
    scale = length > 0.0 ? s / length : 0.0;
    q = sn_quat_multiply(q, (sn_quat){c, scale * l.x, scale * l.y, scale * l.z});
    sn_sincos(mass->b * h * l.x, &s, &c);
    turn_axis_1(s, c, &q, &l);
    *rotation = sn_quat_normalize(q);
    *momentum = l;
}

// The error of the splitting is the commutator of the turns about axes 1 and 3: parts are as long
// as the geometric mean of both angles allows, which is none for two equal moments.
static int part_count(const sn_rigid_mass *mass, double h, sn_vec3 l)
{
    double parts = fabs(h) * sn_length(l) * sqrt(-mass->a * mass->b) / PART_ANGLE;
    return parts < MOST_PARTS - 1 ? 1 + (int)parts : MOST_PARTS;
}

static double twice_energy(const sn_rigid_mass *mass, sn_vec3 l)
{
    return l.x * l.x / mass->inertia.x + l.y * l.y / mass->inertia.y + l.z * l.z / mass->inertia.z;
}

static double grown(double l, double square_by)
{
    return l * sqrt(1.0 + square_by);
}

// Takes the momentum in body axes back to the energy it had, on the sphere |L|: squares change by
//
//     d(L_i^2) = k L_i^2 (1/I_i - m),   m the mean of 1/I with weights L_i^2
//
// which is along the energy's gradient, and 0 in sum. None shrinks to less than a quarter at once,
// so that no L_i changes its sign: the body stays on its polhode's side. The body turns along, and
// L in the world stays as it is.
static void keep_energy(const sn_rigid_mass *mass, double wanted, sn_quat *rotation,
                        sn_vec3 *momentum)
{
    sn_vec3 l = *momentum, inertia = mass->inertia;
    double energy = twice_energy(mass, l);
    if (!(fabs(wanted - energy) > ENERGY_ROUNDING * wanted)) {
        return;
    }
    for (int i = 0; i < CORRECTIONS; ++i) {
        double missing = wanted - energy, mean = energy / sn_dot(l, l);
        sn_vec3 apart = {1.0 / inertia.x - mean, 1.0 / inertia.y - mean, 1.0 / inertia.z - mean};
        double spread = l.x * l.x * apart.x * apart.x + l.y * l.y * apart.y * apart.y +
                        l.z * l.z * apart.z * apart.z;
        if (!(fabs(missing) > ENERGY_ROUNDING * wanted) || !(spread > 0.0)) {
            break;
        }
        // apart.x is the largest, apart.z the least
        double k = missing / spread, shrinking = k > 0.0 ? -apart.z : apart.x;
        double bound = shrinking > 0.0 ? 0.75 / shrinking : INFINITY;
        k = k > bound ? bound : k < -bound ? -bound : k;
        l = sn_vec3_make(grown(l.x, k * apart.x), grown(l.y, k * apart.y), grown(l.z, k * apart.z));
        energy = twice_energy(mass, l);
    }
    *rotation = sn_quat_normalize(sn_quat_multiply(*rotation, sn_quat_between(l, *momentum)));
    *momentum = sn_vec3_scale(sn_length(*momentum) / sn_length(l), l);
}

void sn_free_rotation(const sn_rigid_mass *mass, double h, sn_quat *rotation, sn_vec3 *w)
{
    sn_vec3 l = sn_vec3_multiply(mass->inertia, *w);
    int parts = part_count(mass, h, l);
    double wanted = sn_dot(l, *w);
    for (int i = 0; i < parts; ++i) {
        turn_part(mass, h / parts, rotation, &l);
        keep_energy(mass, wanted, rotation, &l);
    }
    *w = sn_vec3_make(l.x / mass->inertia.x, l.y / mass->inertia.y, l.z / mass->inertia.z);
}

// ---- small angles, two blocks of four bodies ----

// sin(x)/x and cos(x) as functions of z = x^2 <= (pi/4)^2, with the polynomials of elementary.h: no
// square root, no branch.
ALWAYS_INLINE void sine_over_angle(const lanes *square, lanes *result)
{
    lanes z = *square, z2 = z * z;
    lanes p = (SN_SIN_0 + z * SN_SIN_1) +
              z2 * ((SN_SIN_2 + z * SN_SIN_3) + z2 * (SN_SIN_4 + z * SN_SIN_5));
    *result = 1.0 + z * p;
}

ALWAYS_INLINE void cosine(const lanes *square, lanes *result)
{
    lanes z = *square, z2 = z * z;
    lanes p = (SN_COS_0 + z * SN_COS_1) +
              z2 * ((SN_COS_2 + z * SN_COS_3) + z2 * (SN_COS_4 + z * SN_COS_5));
    *result = 1.0 - (0.5 * z - z2 * p);
}

typedef struct block {
    lanes x[3], q[4], v[3], w[3];
    lanes inertia[3], a, b, half_middle, h;
    lanes squares; // of all half angles, summed: a bound for the largest
} block;

// Turns about body axis 1 (e = 0) or 3 (e = 2); i and j are the two other axes in cyclic order, k
// the quaternion's part of this one.
ALWAYS_INLINE void turn_block(block *p, lanes l[3], const lanes *angle, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    lanes z = *angle * *angle, s, c;
    sine_over_angle(&z, &s);
    cosine(&z, &c);
    s *= *angle;
    lanes cosine_less_1 = -2.0 * (s * s), sine = 2.0 * (s * c);
    lanes li = l[i], lj = l[j];
    l[i] = li + (cosine_less_1 * li + sine * lj);
    l[j] = lj + (cosine_less_1 * lj - sine * li);
    lanes w = p->q[0], k = p->q[1 + axis], qi = p->q[1 + i], qj = p->q[1 + j];
    p->q[0] = w * c - k * s;
    p->q[1 + axis] = k * c + w * s;
    p->q[1 + i] = qi * c + qj * s;
    p->q[1 + j] = qj * c - qi * s;
    p->squares += z;
}

// Turns about L itself.
ALWAYS_INLINE void turn_momentum_block(block *p, const lanes l[3])
{
    lanes k = p->h * p->half_middle;
    lanes z = (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) * (k * k);
    lanes scale, c;
    sine_over_angle(&z, &scale);
    cosine(&z, &c);
    scale *= k;
    lanes x = scale * l[0], y = scale * l[1], u = scale * l[2];
    lanes *q = p->q, old[4] = {q[0], q[1], q[2], q[3]};
    q[0] = old[0] * c - old[1] * x - old[2] * y - old[3] * u;
    q[1] = old[0] * x + old[1] * c + old[2] * u - old[3] * y;
    q[2] = old[0] * y - old[1] * u + old[2] * c + old[3] * x;
    q[3] = old[0] * u + old[1] * y - old[2] * x + old[3] * c;
    p->squares += z;
}

// Independent blocks take each turn one after the other: the operations of one block are a long
// chain, and the processor works on the other's while it waits.
ALWAYS_INLINE void drift_blocks(block *p, int blocks)
{
    lanes l[BLOCKS][3], angle;
    for (int k = 0; k < blocks; ++k) {
        for (int i = 0; i < 3; ++i) {
            p[k].x[i] += p[k].h * p[k].v[i];
            l[k][i] = p[k].inertia[i] * p[k].w[i];
        }
        p[k].squares = (lanes){0};
        angle = p[k].b * p[k].h * l[k][0];
        turn_block(&p[k], l[k], &angle, 0);
    }
    for (int k = 0; k < blocks; ++k) {
        angle = p[k].a * p[k].h * l[k][2];
        turn_block(&p[k], l[k], &angle, 2);
    }
    for (int k = 0; k < blocks; ++k) {
        turn_momentum_block(&p[k], l[k]);
    }
    for (int k = 0; k < blocks; ++k) {
        angle = p[k].b * p[k].h * l[k][0];
        turn_block(&p[k], l[k], &angle, 0);
        // One Newton step towards unit length: q is there to 1e-15 already.
        lanes *q = p[k].q;
        lanes scale = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int i = 0; i < 4; ++i) {
            q[i] *= scale;
        }
        // Divided, not multiplied by a stored inverse: I (1/I) is not quite 1, and a million steps
        // would add that up.
        for (int i = 0; i < 3; ++i) {
            p[k].w[i] = l[k][i] / p[k].inertia[i];
        }
    }
}

// ---- blocks from and to the bodies ----

// Vectors are put together from loads, never written lane by lane: a wide load after narrow stores
// waits for all of them.
ALWAYS_INLINE void gather(const sn_rigid_mass *mass, const double *q, const double *v,
                          const int *body, block *p)
{
    const double *q0 = q + (size_t)body[0] * Q, *q1 = q + (size_t)body[1] * Q;
    const double *q2 = q + (size_t)body[2] * Q, *q3 = q + (size_t)body[3] * Q;
    const double *v0 = v + (size_t)body[0] * V, *v1 = v + (size_t)body[1] * V;
    const double *v2 = v + (size_t)body[2] * V, *v3 = v + (size_t)body[3] * V;
    const sn_rigid_mass *m0 = &mass[body[0]], *m1 = &mass[body[1]];
    const sn_rigid_mass *m2 = &mass[body[2]], *m3 = &mass[body[3]];
    for (int i = 0; i < 3; ++i) {
        p->x[i] = (lanes){q0[i], q1[i], q2[i], q3[i]};
        p->v[i] = (lanes){v0[i], v1[i], v2[i], v3[i]};
        p->w[i] = (lanes){v0[3 + i], v1[3 + i], v2[3 + i], v3[3 + i]};
    }
    for (int i = 0; i < 4; ++i) {
        p->q[i] = (lanes){q0[3 + i], q1[3 + i], q2[3 + i], q3[3 + i]};
    }
    p->inertia[0] = (lanes){m0->inertia.x, m1->inertia.x, m2->inertia.x, m3->inertia.x};
    p->inertia[1] = (lanes){m0->inertia.y, m1->inertia.y, m2->inertia.y, m3->inertia.y};
    p->inertia[2] = (lanes){m0->inertia.z, m1->inertia.z, m2->inertia.z, m3->inertia.z};
    p->a = (lanes){m0->a, m1->a, m2->a, m3->a};
    p->b = (lanes){m0->b, m1->b, m2->b, m3->b};
    p->half_middle = (lanes){m0->half_middle, m1->half_middle, m2->half_middle, m3->half_middle};
}

// One lane back to its body; a turn too large for the polynomials is done again, exactly.
ALWAYS_INLINE void scatter(const sn_rigid_mass *mass, double *q, double *v, int body, double h,
                           const block *p, int lane)
{
    double *bq = q + (size_t)body * Q, *bv = v + (size_t)body * V;
    for (int i = 0; i < 3; ++i) {
        bq[i] = p->x[i][lane];
    }
    if (!(p->squares[lane] <= 0.0625 * (SN_PI * SN_PI))) {
        sn_quat rotation = {bq[3], bq[4], bq[5], bq[6]};
        sn_vec3 w = {bv[3], bv[4], bv[5]};
        sn_free_rotation(&mass[body], h, &rotation, &w);
        const double done[7] = {rotation.w, rotation.x, rotation.y, rotation.z, w.x, w.y, w.z};
        for (int i = 0; i < 4; ++i) {
            bq[3 + i] = done[i];
        }
        for (int i = 0; i < 3; ++i) {
            bv[3 + i] = done[4 + i];
        }
        return;
    }
    for (int i = 0; i < 4; ++i) {
        bq[3 + i] = p->q[i][lane];
    }
    for (int i = 0; i < 3; ++i) {
        bv[3 + i] = p->w[i][lane];
    }
}

ALWAYS_INLINE void drift_all(const sn_rigid_mass *mass, double *q, double *v, const int *index,
                             const double *h, int count)
{
    enum { WIDTH = LANES * BLOCKS };
    for (int first = 0; first < count; first += WIDTH) {
        block p[BLOCKS];
        int body[WIDTH], live = count - first < WIDTH ? count - first : WIDTH;
        double step[WIDTH];
        for (int i = 0; i < WIDTH; ++i) { // a short run repeats its first body
            body[i] = index[first + (i < live ? i : 0)];
            step[i] = h[first + (i < live ? i : 0)];
        }
        for (int k = 0; k < BLOCKS; ++k) {
            gather(mass, q, v, body + k * LANES, &p[k]);
            const double *t = step + k * LANES;
            p[k].h = (lanes){t[0], t[1], t[2], t[3]};
        }
        if (live > LANES) {
            drift_blocks(p, BLOCKS);
        } else {
            drift_blocks(p, 1);
        }
        for (int i = 0; i < live; ++i) {
            scatter(mass, q, v, body[i], step[i], &p[i / LANES], i % LANES);
        }
    }
}

#ifdef SN_HAS_AVX2_TWIN
__attribute__((target("avx2"))) static void drift_avx2(const sn_rigid_mass *mass, double *q,
                                                       double *v, const int *index, const double *h,
                                                       int count)
{
    drift_all(mass, q, v, index, h, count);
}
#endif

void sn_rigid_drift(const sn_rigid_mass *mass, double *q, double *v, const int *index,
                    const double *h, int count)
{
#ifdef SN_HAS_AVX2_TWIN
    if (__builtin_cpu_supports("avx2")) {
        drift_avx2(mass, q, v, index, h, count);
        return;
    }
#endif
    drift_all(mass, q, v, index, h, count);
}
