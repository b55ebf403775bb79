#include "math/rotation.h"

#define SERIES_LIMIT 0.6168 // (pi/4)^2: up to here the polynomials of sine and cosine hold

// Unit vector along a for any length, also where its square would overflow or vanish; zero stays
// zero.
static sn_vec3 direction_of(sn_vec3 a)
{
    double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!(largest > 0.0)) {
        return SN_VEC3_ZERO;
    }
    return sn_normalize(sn_vec3_make(a.x / largest, a.y / largest, a.z / largest));
}

// ---- exponential and logarithm ----

sn_quat sn_quat_exp_large(sn_vec3 v)
{
    double angle = sn_length(v), s, c;
    sn_sincos(0.5 * angle, &s, &c);
    s /= angle;
    sn_quat q = {c, s * v.x, s * v.y, s * v.z};
    return q;
}

// v = u 2 atan2(|u|, w) / |u|. Near zero the factor is 2 / w; the sign of q is chosen so that w >=
// 0.
sn_vec3 sn_quat_log(sn_quat q)
{
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    sn_vec3 u = sn_vec3_make(sign * q.x, sign * q.y, sign * q.z);
    double w = sign * q.w, length2 = sn_dot(u, u);
    if (length2 < 1e-18) {
        return sn_vec3_scale(2.0 / w, u);
    }
    double length = sqrt(length2);
    return sn_vec3_scale(2.0 * sn_atan2(length, w) / length, u);
}

sn_quat sn_quat_from_axis_angle(sn_vec3 axis, double angle)
{
    sn_vec3 u = direction_of(axis);
    if (u.x == 0.0 && u.y == 0.0 && u.z == 0.0) {
        return SN_QUAT_IDENTITY;
    }
    double s, c;
    sn_sincos(0.5 * angle, &s, &c);
    sn_quat q = {c, s * u.x, s * u.y, s * u.z};
    return q;
}

void sn_quat_to_axis_angle(sn_quat q, sn_vec3 *axis, double *angle)
{
    sn_vec3 v = sn_quat_log(q);
    sn_vec3 u = direction_of(v);
    *angle = sn_length(v);
    *axis = *angle > 0.0 ? u : sn_vec3_make(1.0, 0.0, 0.0);
}

// ---- other forms ----

// Shepperd (1978): of the four ways to divide, the one with the largest divisor.
sn_quat sn_quat_from_mat3(sn_mat3 r)
{
    double xx = r.m[0][0], yy = r.m[1][1], zz = r.m[2][2];
    sn_quat q;
    if (xx + yy + zz > 0.0) {
        q = (sn_quat){1.0 + xx + yy + zz, r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0],
                      r.m[1][0] - r.m[0][1]};
    } else if (xx >= yy && xx >= zz) {
        q = (sn_quat){r.m[2][1] - r.m[1][2], 1.0 + xx - yy - zz, r.m[1][0] + r.m[0][1],
                      r.m[0][2] + r.m[2][0]};
    } else if (yy >= zz) {
        q = (sn_quat){r.m[0][2] - r.m[2][0], r.m[1][0] + r.m[0][1], 1.0 - xx + yy - zz,
                      r.m[2][1] + r.m[1][2]};
    } else {
        q = (sn_quat){r.m[1][0] - r.m[0][1], r.m[0][2] + r.m[2][0], r.m[2][1] + r.m[1][2],
                      1.0 - xx - yy + zz};
    }
    if (q.w < 0.0) {
        q = (sn_quat){-q.w, -q.x, -q.y, -q.z};
    }
    return sn_quat_normalize(q);
}

// The three turns about the coordinate axes.
static void axis_turns(sn_vec3 angles, sn_quat *x, sn_quat *y, sn_quat *z)
{
    double s, c;
    sn_sincos(0.5 * angles.x, &s, &c);
    *x = (sn_quat){c, s, 0.0, 0.0};
    sn_sincos(0.5 * angles.y, &s, &c);
    *y = (sn_quat){c, 0.0, s, 0.0};
    sn_sincos(0.5 * angles.z, &s, &c);
    *z = (sn_quat){c, 0.0, 0.0, s};
}

sn_quat sn_quat_from_euler_xyz(sn_vec3 angles)
{
    sn_quat x, y, z;
    axis_turns(angles, &x, &y, &z);
    return sn_quat_multiply(sn_quat_multiply(x, y), z);
}

sn_quat sn_quat_from_euler_zyx(sn_vec3 angles)
{
    sn_quat x, y, z;
    axis_turns(angles, &x, &y, &z);
    return sn_quat_multiply(sn_quat_multiply(z, y), x);
}

// R = Rx Ry Rz. The last column gives x; the other two angles are read from Rx^T R, so that they
// make up for any error in x and the product is right even where x alone is not determined.
sn_vec3 sn_quat_to_euler_xyz(sn_quat q)
{
    sn_mat3 r = sn_quat_to_mat3(q);
    double s, c, x = 0.0;
    if (r.m[1][2] != 0.0 || r.m[2][2] != 0.0) {
        x = sn_atan2(-r.m[1][2], r.m[2][2]);
    }
    sn_sincos(x, &s, &c);
    double y = sn_atan2(r.m[0][2], c * r.m[2][2] - s * r.m[1][2]);
    double z = sn_atan2(c * r.m[1][0] + s * r.m[2][0], c * r.m[1][1] + s * r.m[2][1]);
    return sn_vec3_make(x, y, z);
}

// R = Rz Ry Rx, the same with the first column and Rz^T R.
sn_vec3 sn_quat_to_euler_zyx(sn_quat q)
{
    sn_mat3 r = sn_quat_to_mat3(q);
    double s, c, z = 0.0;
    if (r.m[1][0] != 0.0 || r.m[0][0] != 0.0) {
        z = sn_atan2(r.m[1][0], r.m[0][0]);
    }
    sn_sincos(z, &s, &c);
    double y = sn_atan2(-r.m[2][0], c * r.m[0][0] + s * r.m[1][0]);
    double x = sn_atan2(s * r.m[0][2] - c * r.m[1][2], c * r.m[1][1] - s * r.m[0][1]);
    return sn_vec3_make(x, y, z);
}

// ---- between rotations ----

sn_quat sn_quat_slerp(sn_quat a, sn_quat b, double t)
{
    sn_vec3 way = sn_quat_log(sn_quat_multiply(sn_quat_conjugate(a), b));
    return sn_quat_normalize(sn_quat_multiply(a, sn_quat_exp(sn_vec3_scale(t, way))));
}

// For an angle up to a right one: (1 + u.v, u x v), normalised.
static sn_quat between_near(sn_vec3 u, sn_vec3 v)
{
    sn_vec3 n = sn_cross(u, v);
    return sn_quat_normalize((sn_quat){1.0 + sn_dot(u, v), n.x, n.y, n.z});
}

// Beyond a right angle 1 + u.v cancels: a half turn about the common perpendicular first takes u to
// -u, which is near v.
sn_quat sn_quat_between(sn_vec3 from, sn_vec3 to)
{
    sn_vec3 u = direction_of(from), v = direction_of(to);
    if (sn_dot(u, v) >= 0.0) {
        return between_near(u, v);
    }
    sn_vec3 n = sn_cross(u, v);
    if (sn_length(n) < 1e-8) {
        n = sn_perpendicular(u);
    }
    n = sn_normalize(n);
    n = sn_normalize(sn_vec3_add_scaled(n, -sn_dot(n, u), u));
    sn_quat half_turn = {0.0, n.x, n.y, n.z};
    return sn_quat_multiply(between_near(sn_vec3_negate(u), v), half_turn);
}

// ---- derivatives ----

// 1 + b [v] + c [v]^2
static sn_mat3 cross_polynomial(sn_vec3 v, double b, double c)
{
    sn_mat3 x = sn_mat3_cross(v);
    sn_mat3 sum = sn_mat3_add(sn_mat3_scale(b, x), sn_mat3_scale(c, sn_mat3_multiply(x, x)));
    return sn_mat3_add(SN_MAT3_IDENTITY, sum);
}

// J = 1 + (1 - cos a) / a^2 [v] + (a - sin a) / a^3 [v]^2. For small angles the fractions are the
// polynomials of cosine and sine themselves: cos a = 1 - z/2 + z^2 C(z) and sin a = a + a z S(z), z
// = a^2.
sn_mat3 sn_rotation_jacobian(sn_vec3 v)
{
    double z = sn_dot(v, v);
    if (z <= SERIES_LIMIT) {
        return cross_polynomial(v, 0.5 - z * sn_cos_polynomial(z), -sn_sin_polynomial(z));
    }
    double a = sqrt(z), s, c;
    sn_sincos(a, &s, &c);
    return cross_polynomial(v, (1.0 - c) / z, (a - s) / (z * a));
}

// J^-1 = 1 - [v]/2 + (1 - h cot h) / a^2 [v]^2, h = a/2. For small h, with sin h / h = 1 + z S and
// z = h^2: (1 - h cot h) / a^2 = (1/2 + S - z C) / (4 (1 + z S)).
sn_mat3 sn_rotation_jacobian_inverse(sn_vec3 v)
{
    double a2 = sn_dot(v, v), z = 0.25 * a2, factor;
    if (z <= SERIES_LIMIT) {
        double sine = sn_sin_polynomial(z), cosine = sn_cos_polynomial(z);
        factor = (0.5 + sine - z * cosine) / (4.0 * (1.0 + z * sine));
    } else {
        double h = sqrt(z), s, c;
        sn_sincos(h, &s, &c);
        factor = (1.0 - h * c / s) / a2;
    }
    return cross_polynomial(v, -0.5, factor);
}
