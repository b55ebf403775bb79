// Symmetric 3 x 3 matrices in six numbers, and the products of 3 x 3 matrices that inner loops ask
// for, written out so that every compiler keeps them in registers.
//
//     sn_sym3 inertia = sn_sym3_turned(&rotation, &local); // R I R^T
//     sn_vec3 spin = sn_sym3_apply(&inertia, omega);
//     sn_sym3 inverse;
//     bool sound = sn_sym3_inverse(&inertia, &inverse);
//
// What this does not do: pivoting. The inverse is by cofactors, good when the matrix is positive
// definite with a condition number well below 1e16.
#ifndef SN_MATH_SYMMETRIC_H
#define SN_MATH_SYMMETRIC_H

#include "sinew/math.h"

typedef struct sn_sym3 {
    double xx, xy, xz, yy, yz, zz;
} sn_sym3;

#define SN_SYM3_ZERO ((sn_sym3){0.0, 0.0, 0.0, 0.0, 0.0, 0.0})

// From the upper triangle of a.
static inline sn_sym3 sn_sym3_from_mat3(const sn_mat3 *a)
{
    return (sn_sym3){a->m[0][0], a->m[0][1], a->m[0][2], a->m[1][1], a->m[1][2], a->m[2][2]};
}

static inline sn_vec3 sn_sym3_apply(const sn_sym3 *a, sn_vec3 b)
{
    return sn_vec3_make(a->xx * b.x + a->xy * b.y + a->xz * b.z,
                        a->xy * b.x + a->yy * b.y + a->yz * b.z,
                        a->xz * b.x + a->yz * b.y + a->zz * b.z);
}

// a + s u u^T
static inline sn_sym3 sn_sym3_add_outer(const sn_sym3 *a, double s, sn_vec3 u)
{
    sn_vec3 w = sn_vec3_scale(s, u);
    return (sn_sym3){a->xx + w.x * u.x, a->xy + w.x * u.y, a->xz + w.x * u.z,
                     a->yy + w.y * u.y, a->yz + w.y * u.z, a->zz + w.z * u.z};
}

static inline sn_sym3 sn_sym3_add(const sn_sym3 *a, const sn_sym3 *b)
{
    return (sn_sym3){a->xx + b->xx, a->xy + b->xy, a->xz + b->xz,
                     a->yy + b->yy, a->yz + b->yz, a->zz + b->zz};
}

// By cofactors; false when the determinant is not positive.
static inline bool sn_sym3_inverse(const sn_sym3 *a, sn_sym3 *inverse)
{
    double xx = a->yy * a->zz - a->yz * a->yz;
    double xy = a->xz * a->yz - a->xy * a->zz;
    double xz = a->xy * a->yz - a->xz * a->yy;
    double determinant = a->xx * xx + a->xy * xy + a->xz * xz;
    double s = 1.0 / determinant;
    *inverse = (sn_sym3){s * xx,
                         s * xy,
                         s * xz,
                         s * (a->xx * a->zz - a->xz * a->xz),
                         s * (a->xy * a->xz - a->xx * a->yz),
                         s * (a->xx * a->yy - a->xy * a->xy)};
    return determinant > 0.0;
}

// The symmetric product of a and b^T, of which the caller knows that it is symmetric.
static inline sn_sym3 sn_sym3_product_transpose(const sn_mat3 *a, const sn_mat3 *b)
{
    const double(*p)[3] = a->m, (*q)[3] = b->m;
    return (sn_sym3){p[0][0] * q[0][0] + p[0][1] * q[0][1] + p[0][2] * q[0][2],
                     p[0][0] * q[1][0] + p[0][1] * q[1][1] + p[0][2] * q[1][2],
                     p[0][0] * q[2][0] + p[0][1] * q[2][1] + p[0][2] * q[2][2],
                     p[1][0] * q[1][0] + p[1][1] * q[1][1] + p[1][2] * q[1][2],
                     p[1][0] * q[2][0] + p[1][1] * q[2][1] + p[1][2] * q[2][2],
                     p[2][0] * q[2][0] + p[2][1] * q[2][1] + p[2][2] * q[2][2]};
}

// The same for a^T b.
static inline sn_sym3 sn_sym3_transpose_product(const sn_mat3 *a, const sn_mat3 *b)
{
    const double(*p)[3] = a->m, (*q)[3] = b->m;
    return (sn_sym3){p[0][0] * q[0][0] + p[1][0] * q[1][0] + p[2][0] * q[2][0],
                     p[0][0] * q[0][1] + p[1][0] * q[1][1] + p[2][0] * q[2][1],
                     p[0][0] * q[0][2] + p[1][0] * q[1][2] + p[2][0] * q[2][2],
                     p[0][1] * q[0][1] + p[1][1] * q[1][1] + p[2][1] * q[2][1],
                     p[0][1] * q[0][2] + p[1][1] * q[1][2] + p[2][1] * q[2][2],
                     p[0][2] * q[0][2] + p[1][2] * q[1][2] + p[2][2] * q[2][2]};
}

// a b, both general.
static inline void sn_mat3_product(const sn_mat3 *a, const sn_mat3 *b, sn_mat3 *c)
{
    const double(*p)[3] = a->m, (*q)[3] = b->m;
    c->m[0][0] = p[0][0] * q[0][0] + p[0][1] * q[1][0] + p[0][2] * q[2][0];
    c->m[0][1] = p[0][0] * q[0][1] + p[0][1] * q[1][1] + p[0][2] * q[2][1];
    c->m[0][2] = p[0][0] * q[0][2] + p[0][1] * q[1][2] + p[0][2] * q[2][2];
    c->m[1][0] = p[1][0] * q[0][0] + p[1][1] * q[1][0] + p[1][2] * q[2][0];
    c->m[1][1] = p[1][0] * q[0][1] + p[1][1] * q[1][1] + p[1][2] * q[2][1];
    c->m[1][2] = p[1][0] * q[0][2] + p[1][1] * q[1][2] + p[1][2] * q[2][2];
    c->m[2][0] = p[2][0] * q[0][0] + p[2][1] * q[1][0] + p[2][2] * q[2][0];
    c->m[2][1] = p[2][0] * q[0][1] + p[2][1] * q[1][1] + p[2][2] * q[2][1];
    c->m[2][2] = p[2][0] * q[0][2] + p[2][1] * q[1][2] + p[2][2] * q[2][2];
}

// a b with a symmetric.
static inline void sn_sym3_product(const sn_sym3 *a, const sn_mat3 *b, sn_mat3 *c)
{
    const sn_mat3 full = {{{a->xx, a->xy, a->xz}, {a->xy, a->yy, a->yz}, {a->xz, a->yz, a->zz}}};
    sn_mat3_product(&full, b, c);
}

// [r]x a with a symmetric.
static inline void sn_sym3_lifted(sn_vec3 r, const sn_sym3 *a, sn_mat3 *c)
{
    c->m[0][0] = r.y * a->xz - r.z * a->xy;
    c->m[0][1] = r.y * a->yz - r.z * a->yy;
    c->m[0][2] = r.y * a->zz - r.z * a->yz;
    c->m[1][0] = r.z * a->xx - r.x * a->xz;
    c->m[1][1] = r.z * a->xy - r.x * a->yz;
    c->m[1][2] = r.z * a->xz - r.x * a->zz;
    c->m[2][0] = r.x * a->xy - r.y * a->xx;
    c->m[2][1] = r.x * a->yy - r.y * a->xy;
    c->m[2][2] = r.x * a->yz - r.y * a->xz;
}

// R a R^T: a tensor of link axes, seen from the world.
static inline sn_sym3 sn_sym3_turned(const sn_mat3 *rotation, const sn_sym3 *a)
{
    const sn_mat3 full = {{{a->xx, a->xy, a->xz}, {a->xy, a->yy, a->yz}, {a->xz, a->yz, a->zz}}};
    sn_mat3 half;
    sn_mat3_product(rotation, &full, &half);
    return sn_sym3_product_transpose(&half, rotation);
}

// The same for a diagonal tensor.
static inline sn_sym3 sn_sym3_turned_diagonal(const sn_mat3 *rotation, sn_vec3 d)
{
    const double(*r)[3] = rotation->m;
    const sn_mat3 half = {{{r[0][0] * d.x, r[0][1] * d.y, r[0][2] * d.z},
                           {r[1][0] * d.x, r[1][1] * d.y, r[1][2] * d.z},
                           {r[2][0] * d.x, r[2][1] * d.y, r[2][2] * d.z}}};
    return sn_sym3_product_transpose(&half, rotation);
}

#endif
