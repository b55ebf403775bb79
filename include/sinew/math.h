// Sinew math: small vectors, rotations and rigid placements as plain values.
//
//     sn_vec3 arm = sn_vec3_sub(tip, centre);
//     sn_vec3 torque = sn_cross(arm, force);
//     sn_vec3 world_arm = sn_rotate(body.rotation, arm);
//
// Everything here is inline, total (no failure) and bit-for-bit reproducible: only + - * / and
// sqrt, in a fixed order. Functions that need sines or exponentials are in the engine's own math
// sources, for the same reason. Matrices are stored by rows: m.m[row][column].
#ifndef SINEW_MATH_H
#define SINEW_MATH_H

#include <math.h>

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_PI 3.14159265358979323846

typedef struct sn_vec3 {
    double x, y, z;
} sn_vec3;

// A rotation when of unit length: w + x i + y j + z k.
typedef struct sn_quat {
    double w, x, y, z;
} sn_quat;

typedef struct sn_mat3 {
    double m[3][3]; // rows
} sn_mat3;

// Where a frame is: x_world = position + rotation * x_local.
typedef struct sn_transform {
    sn_vec3 position;
    sn_quat rotation;
} sn_transform;

typedef struct sn_aabb {
    sn_vec3 lower, upper;
} sn_aabb;

// A value of a struct type in an expression; C and C++ spell it differently.
#ifdef __cplusplus
#define SN_LITERAL(type) type
#else
#define SN_LITERAL(type) (type)
#endif

#define SN_VEC3_ZERO          (SN_LITERAL(sn_vec3){0.0, 0.0, 0.0})
#define SN_QUAT_IDENTITY      (SN_LITERAL(sn_quat){1.0, 0.0, 0.0, 0.0})
#define SN_MAT3_ZERO          (SN_LITERAL(sn_mat3){{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}})
#define SN_MAT3_IDENTITY      (SN_LITERAL(sn_mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}})
#define SN_TRANSFORM_IDENTITY (SN_LITERAL(sn_transform){SN_VEC3_ZERO, SN_QUAT_IDENTITY})

// ---- vectors ----

static inline sn_vec3 sn_vec3_make(double x, double y, double z)
{
    sn_vec3 v = {x, y, z};
    return v;
}

// 0: x, 1: y, 2: z.
static inline double sn_vec3_component(sn_vec3 v, int index)
{
    return index == 0 ? v.x : (index == 1 ? v.y : v.z);
}

// From and to three numbers of an array.
static inline sn_vec3 sn_vec3_at(const double *numbers)
{
    return sn_vec3_make(numbers[0], numbers[1], numbers[2]);
}

static inline void sn_vec3_put(double *numbers, sn_vec3 a)
{
    numbers[0] = a.x;
    numbers[1] = a.y;
    numbers[2] = a.z;
}

static inline sn_vec3 sn_vec3_add(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline sn_vec3 sn_vec3_sub(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline sn_vec3 sn_vec3_scale(double s, sn_vec3 a)
{
    return sn_vec3_make(s * a.x, s * a.y, s * a.z);
}

// a + s b
static inline sn_vec3 sn_vec3_add_scaled(sn_vec3 a, double s, sn_vec3 b)
{
    return sn_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline sn_vec3 sn_vec3_negate(sn_vec3 a)
{
    return sn_vec3_make(-a.x, -a.y, -a.z);
}

// Component by component.
static inline sn_vec3 sn_vec3_multiply(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline sn_vec3 sn_vec3_min(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline sn_vec3 sn_vec3_max(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static inline double sn_dot(sn_vec3 a, sn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sn_vec3 sn_cross(sn_vec3 a, sn_vec3 b)
{
    return sn_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double sn_length(sn_vec3 a)
{
    return sqrt(sn_dot(a, a));
}

static inline double sn_distance(sn_vec3 a, sn_vec3 b)
{
    return sn_length(sn_vec3_sub(a, b));
}

// Unit vector along a; zero stays zero.
static inline sn_vec3 sn_normalize(sn_vec3 a)
{
    double length = sn_length(a);
    return length > 0.0 ? sn_vec3_scale(1.0 / length, a) : SN_VEC3_ZERO;
}

// Some unit vector at right angles to the unit vector a.
static inline sn_vec3 sn_perpendicular(sn_vec3 a)
{
    sn_vec3 other = fabs(a.x) < 0.5 ? sn_vec3_make(1.0, 0.0, 0.0) : sn_vec3_make(0.0, 1.0, 0.0);
    return sn_normalize(sn_cross(a, other));
}

static inline bool sn_vec3_is_finite(sn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// ---- matrices ----

static inline sn_vec3 sn_mat3_apply(sn_mat3 a, sn_vec3 b)
{
    return sn_vec3_make(a.m[0][0] * b.x + a.m[0][1] * b.y + a.m[0][2] * b.z,
                        a.m[1][0] * b.x + a.m[1][1] * b.y + a.m[1][2] * b.z,
                        a.m[2][0] * b.x + a.m[2][1] * b.y + a.m[2][2] * b.z);
}

// Transpose of a, applied to b.
static inline sn_vec3 sn_mat3_apply_transpose(sn_mat3 a, sn_vec3 b)
{
    return sn_vec3_make(a.m[0][0] * b.x + a.m[1][0] * b.y + a.m[2][0] * b.z,
                        a.m[0][1] * b.x + a.m[1][1] * b.y + a.m[2][1] * b.z,
                        a.m[0][2] * b.x + a.m[1][2] * b.y + a.m[2][2] * b.z);
}

static inline sn_mat3 sn_mat3_multiply(sn_mat3 a, sn_mat3 b)
{
    sn_mat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return c;
}

static inline sn_mat3 sn_mat3_transpose(sn_mat3 a)
{
    sn_mat3 t;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            t.m[i][j] = a.m[j][i];
        }
    }
    return t;
}

static inline sn_mat3 sn_mat3_add(sn_mat3 a, sn_mat3 b)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a.m[i][j] += b.m[i][j];
        }
    }
    return a;
}

static inline sn_mat3 sn_mat3_scale(double s, sn_mat3 a)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a.m[i][j] *= s;
        }
    }
    return a;
}

static inline sn_mat3 sn_mat3_diagonal(sn_vec3 d)
{
    sn_mat3 m = SN_MAT3_ZERO;
    m.m[0][0] = d.x;
    m.m[1][1] = d.y;
    m.m[2][2] = d.z;
    return m;
}

// The matrix [a]x with [a]x b = a x b.
static inline sn_mat3 sn_mat3_cross(sn_vec3 a)
{
    sn_mat3 m = {{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
    return m;
}

static inline double sn_mat3_determinant(sn_mat3 a)
{
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

// By cofactors; the caller knows that a is not singular.
static inline sn_mat3 sn_mat3_inverse(sn_mat3 a)
{
    double d = 1.0 / sn_mat3_determinant(a);
    sn_mat3 b;
    b.m[0][0] = d * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]);
    b.m[0][1] = d * (a.m[0][2] * a.m[2][1] - a.m[0][1] * a.m[2][2]);
    b.m[0][2] = d * (a.m[0][1] * a.m[1][2] - a.m[0][2] * a.m[1][1]);
    b.m[1][0] = d * (a.m[1][2] * a.m[2][0] - a.m[1][0] * a.m[2][2]);
    b.m[1][1] = d * (a.m[0][0] * a.m[2][2] - a.m[0][2] * a.m[2][0]);
    b.m[1][2] = d * (a.m[0][2] * a.m[1][0] - a.m[0][0] * a.m[1][2]);
    b.m[2][0] = d * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
    b.m[2][1] = d * (a.m[0][1] * a.m[2][0] - a.m[0][0] * a.m[2][1]);
    b.m[2][2] = d * (a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[1][0]);
    return b;
}

// ---- rotations ----

// First b, then a.
static inline sn_quat sn_quat_multiply(sn_quat a, sn_quat b)
{
    sn_quat c = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                 a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                 a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                 a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return c;
}

static inline sn_quat sn_quat_conjugate(sn_quat a)
{
    sn_quat c = {a.w, -a.x, -a.y, -a.z};
    return c;
}

// Unit length; zero becomes the identity.
static inline sn_quat sn_quat_normalize(sn_quat a)
{
    double n2 = a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
    if (!(n2 > 0.0)) {
        return SN_QUAT_IDENTITY;
    }
    double s = 1.0 / sqrt(n2);
    sn_quat c = {s * a.w, s * a.x, s * a.y, s * a.z};
    return c;
}

// v turned by the unit quaternion q.
static inline sn_vec3 sn_rotate(sn_quat q, sn_vec3 v)
{
    sn_vec3 u = {q.x, q.y, q.z};
    sn_vec3 t = sn_vec3_scale(2.0, sn_cross(u, v));
    return sn_vec3_add(sn_vec3_add_scaled(v, q.w, t), sn_cross(u, t));
}

// v turned back by the unit quaternion q.
static inline sn_vec3 sn_rotate_inverse(sn_quat q, sn_vec3 v)
{
    return sn_rotate(sn_quat_conjugate(q), v);
}

static inline sn_mat3 sn_quat_to_mat3(sn_quat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    sn_mat3 r = {{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                  {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                  {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
    return r;
}

// R diag(d) R^T: a diagonal tensor of the body frame, seen from the world.
static inline sn_mat3 sn_tensor_to_world(sn_quat q, sn_vec3 d)
{
    sn_mat3 r = sn_quat_to_mat3(q);
    sn_mat3 rd = {{{r.m[0][0] * d.x, r.m[0][1] * d.y, r.m[0][2] * d.z},
                   {r.m[1][0] * d.x, r.m[1][1] * d.y, r.m[1][2] * d.z},
                   {r.m[2][0] * d.x, r.m[2][1] * d.y, r.m[2][2] * d.z}}};
    return sn_mat3_multiply(rd, sn_mat3_transpose(r));
}

// ---- placements ----

static inline sn_vec3 sn_transform_point(sn_transform t, sn_vec3 p)
{
    return sn_vec3_add(t.position, sn_rotate(t.rotation, p));
}

static inline sn_vec3 sn_transform_point_inverse(sn_transform t, sn_vec3 p)
{
    return sn_rotate_inverse(t.rotation, sn_vec3_sub(p, t.position));
}

// First b, then a.
static inline sn_transform sn_transform_multiply(sn_transform a, sn_transform b)
{
    sn_transform c = {sn_transform_point(a, b.position), sn_quat_multiply(a.rotation, b.rotation)};
    return c;
}

static inline sn_transform sn_transform_inverse(sn_transform a)
{
    sn_quat back = sn_quat_conjugate(a.rotation);
    sn_transform c = {sn_vec3_negate(sn_rotate(back, a.position)), back};
    return c;
}

#ifdef __cplusplus
}
#endif

#endif
