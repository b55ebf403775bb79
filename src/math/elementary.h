// Elementary functions with the same bits on every machine.
//
//     double s, c;
//     sn_sincos(0.5 * angle, &s, &c);
//     sn_quat turn = {c, s * axis.x, s * axis.y, s * axis.z};
//     double factor = sn_exp(-rate * h);
//
// The C library's sines and exponentials differ between systems in the last bit, and a simulation
// amplifies that bit until two runs part. These use only + - * / sqrt and integer operations in a
// fixed order, so that gcc, clang, -O0, -O2, native code and WebAssembly agree. Errors against MPFR
// (tests/elementary_test.c) over the full range of doubles: below 0.6 ulp for sin, cos, exp, log,
// log1p, pow and cbrt, below 0.8 ulp for the others. sn_sincos is made for speed: up to pi/4 it is
// one pair of polynomials, below 0.8 ulp, and its last bit may differ from that of sn_sin and
// sn_cos. Zeros, infinities and NaN follow C Annex F.
//
// What this does not do: set errno or floating-point flags reliably, keep NaN payloads, honour
// rounding modes other than to nearest. Angles are radians.
#ifndef SN_MATH_ELEMENTARY_H
#define SN_MATH_ELEMENTARY_H

#include <math.h>

#include "sinew/base.h"

SN_API double sn_sin(double x);
SN_API double sn_cos(double x);
SN_API void sn_sincos(double x, double *sine, double *cosine);
SN_API double sn_tan(double x);
SN_API double sn_asin(double x);
SN_API double sn_acos(double x);
SN_API double sn_atan(double x);
SN_API double sn_atan2(double y, double x);

SN_API double sn_exp(double x);
SN_API double sn_expm1(double x);
SN_API double sn_log(double x);
SN_API double sn_log1p(double x);
SN_API double sn_pow(double x, double y);
SN_API double sn_tanh(double x);
SN_API double sn_cbrt(double x);
SN_API double sn_hypot(double x, double y);

// Minimax polynomials from `tools/elementary-tables.py --kernels`.
// sin(x) = x + x z P(z), z = x^2, |x| <= pi/4: relative, error below 2^-57.9.
#define SN_SIN_0 (-0x1.5555555555548p-3)
#define SN_SIN_1 (0x1.111111110f756p-7)
#define SN_SIN_2 (-0x1.a01a019bf110ep-13)
#define SN_SIN_3 (0x1.71de355e1a5d9p-19)
#define SN_SIN_4 (-0x1.ae5e53c86ebe0p-26)
#define SN_SIN_5 (0x1.5d8e09526227fp-33)

// cos(x) = 1 - z/2 + z^2 P(z), z = x^2, |x| <= pi/4: absolute, error below 2^-64.2.
#define SN_COS_0 (0x1.555555555554cp-5)
#define SN_COS_1 (-0x1.6c16c16c15220p-10)
#define SN_COS_2 (0x1.a01a019cbf87dp-16)
#define SN_COS_3 (-0x1.27e4f812d5da4p-22)
#define SN_COS_4 (0x1.1ee9f1697cc4dp-29)
#define SN_COS_5 (-0x1.8fb13d3afe9a5p-37)

// Both polynomials by Estrin's scheme: short chains for the processor, one fixed order for
// everybody.
static inline double sn_sin_polynomial(double z)
{
    double z2 = z * z;
    return (SN_SIN_0 + z * SN_SIN_1) +
           z2 * ((SN_SIN_2 + z * SN_SIN_3) + z2 * (SN_SIN_4 + z * SN_SIN_5));
}

static inline double sn_cos_polynomial(double z)
{
    double z2 = z * z;
    return (SN_COS_0 + z * SN_COS_1) +
           z2 * ((SN_COS_2 + z * SN_COS_3) + z2 * (SN_COS_4 + z * SN_COS_5));
}

// Sine and cosine for |x| <= pi/4, without branches; outside, the results have no meaning.
// sn_sincos gives the same bits.
static inline void sn_sincos_small(double x, double *sine, double *cosine)
{
    double z = x * x;
    double half = 0.5 * z;
    double near_one = 1.0 - half;
    double sum = x + x * (z * sn_sin_polynomial(z));
    *sine = copysign(sum, x); // keeps the sign of -0
    *cosine = near_one + (((1.0 - near_one) - half) + z * (z * sn_cos_polynomial(z)));
}

#endif
