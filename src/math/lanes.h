// Arithmetic on four doubles at a time.
//
// Operations are element-wise, in the same order as on one alone, so with the same bits. Everything
// is inlined into callers that are compiled for the plain machine and once more for AVX2, never
// with fused multiply-add: same bits again.
//
//     static inline __attribute__((always_inline)) void work(...) { ... }
//     #ifdef SN_HAS_AVX2_TWIN
//     __attribute__((target("avx2"))) static void work_avx2(...) { work(...); }
//     #endif
//
// What it does not do: the functions here are good to a few units in the last place within the
// ranges they name, and say nothing of what is outside; math/elementary.h is exact.
#ifndef SN_MATH_LANES_H
#define SN_MATH_LANES_H

#include <math.h>
#include <stdint.h>

#include "math/elementary.h"

enum { SN_LANES = 4 };

typedef double sn_lanes __attribute__((vector_size(SN_LANES * sizeof(double))));
typedef int64_t sn_lane_mask __attribute__((vector_size(SN_LANES * sizeof(int64_t))));
typedef uint64_t sn_lane_bits __attribute__((vector_size(SN_LANES * sizeof(uint64_t))));

// Four doubles in memory, wherever they lie.
typedef double sn_lanes_row
    __attribute__((vector_size(SN_LANES * sizeof(double)), may_alias, aligned(8)));

typedef struct sn_wide3 {
    sn_lanes x, y, z;
} sn_wide3;

#define SN_WIDE static inline __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__AVX2__)
#define SN_HAS_AVX2_TWIN 1
#endif

// GCC unrolls such loops only when told; clang does so by itself.
#if defined(__GNUC__) && !defined(__clang__)
#define SN_UNROLLED _Pragma("GCC unroll 4")
#else
#define SN_UNROLLED
#endif

// Where the machine has no vectors so wide, gcc 12 puts them together piece by piece and then takes
// them for unset.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Lanes are handed over by address: by value they would be passed differently with and without
// AVX2.
SN_WIDE void wide_add(sn_wide3 *a, const sn_wide3 *b)
{
    a->x += b->x;
    a->y += b->y;
    a->z += b->z;
}

SN_WIDE void wide_add_scaled(sn_wide3 *a, const sn_lanes *s, const sn_wide3 *b)
{
    a->x += *s * b->x;
    a->y += *s * b->y;
    a->z += *s * b->z;
}

SN_WIDE void wide_sub_scaled(sn_wide3 *a, const sn_lanes *s, const sn_wide3 *b)
{
    a->x -= *s * b->x;
    a->y -= *s * b->y;
    a->z -= *s * b->z;
}

SN_WIDE void wide_scale(sn_wide3 *a, const sn_lanes *s)
{
    a->x *= *s;
    a->y *= *s;
    a->z *= *s;
}

SN_WIDE void wide_dot(sn_lanes *result, const sn_wide3 *a, const sn_wide3 *b)
{
    *result = a->x * b->x + a->y * b->y + a->z * b->z;
}

SN_WIDE void wide_cross(sn_wide3 *result, const sn_wide3 *a, const sn_wide3 *b)
{
    result->x = a->y * b->z - a->z * b->y;
    result->y = a->z * b->x - a->x * b->z;
    result->z = a->x * b->y - a->y * b->x;
}

// mask ? a : b
SN_WIDE void wide_select(sn_lanes *result, const sn_lane_mask *mask, const sn_lanes *a,
                         const sn_lanes *b)
{
    *result = (sn_lanes)((*mask & (sn_lane_mask)*a) | (~*mask & (sn_lane_mask)*b));
}

// mask ? a : 0
SN_WIDE void wide_mask(sn_lanes *a, const sn_lane_mask *mask)
{
    *a = (sn_lanes)(*mask & (sn_lane_mask)*a);
}

SN_WIDE void wide_max(sn_lanes *a, const sn_lanes *b)
{
    sn_lane_mask mask = *a > *b;
    wide_select(a, &mask, a, b);
}

SN_WIDE bool wide_any(const sn_lane_mask *mask)
{
    sn_lane_mask m = *mask;
    return ((m[0] | m[1]) | (m[2] | m[3])) != 0;
}

SN_WIDE void wide_abs(sn_lanes *a)
{
    const sn_lane_mask sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    *a = (sn_lanes)(~sign & (sn_lane_mask)*a);
}

SN_WIDE void wide_sqrt(sn_lanes *root, const sn_lanes *square)
{
    sn_lanes s = *square;
    *root = (sn_lanes){sqrt(s[0]), sqrt(s[1]), sqrt(s[2]), sqrt(s[3])};
}

// A vector whose lanes are all the same.
SN_WIDE void wide_spread(sn_wide3 *result, double x, double y, double z)
{
    result->x = (sn_lanes){x, x, x, x};
    result->y = (sn_lanes){y, y, y, y};
    result->z = (sn_lanes){z, z, z, z};
}

SN_WIDE double wide_sum(const sn_lanes *a)
{
    sn_lanes s = *a;
    return (s[0] + s[1]) + (s[2] + s[3]);
}

// ---- elementary functions ----

#define SN_WIDE_ROUND 0x1.8p52 // added and taken away, it rounds to whole numbers

#define SN_WIDE_ANGLE_LIMIT 0x1p20

// Up to SN_WIDE_ANGLE_LIMIT, by Cody's and Waite's reduction.
SN_WIDE void wide_sincos_within(const sn_lanes *angle, sn_lanes *sine, sn_lanes *cosine)
{
    sn_lanes x = *angle;
    sn_lanes shifted = x * 0x1.45f306dc9c883p-1 + SN_WIDE_ROUND, n = shifted - SN_WIDE_ROUND;
    sn_lane_bits quadrant = (sn_lane_bits)shifted & 3;
    // pi/2 in parts of 33 bits
    sn_lanes r =
        ((x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;
    sn_lanes z = r * r, z2 = z * z;
    sn_lanes p = (SN_SIN_0 + z * SN_SIN_1) +
                 z2 * ((SN_SIN_2 + z * SN_SIN_3) + z2 * (SN_SIN_4 + z * SN_SIN_5));
    sn_lanes q = (SN_COS_0 + z * SN_COS_1) +
                 z2 * ((SN_COS_2 + z * SN_COS_3) + z2 * (SN_COS_4 + z * SN_COS_5));
    sn_lanes s = r + (r * z) * p, c = 1.0 - (0.5 * z - z2 * q);
    sn_lane_mask odd = (quadrant & 1) != 0;
    wide_select(sine, &odd, &c, &s);
    wide_select(cosine, &odd, &s, &c);
    *sine = (sn_lanes)((sn_lane_bits)*sine ^ ((quadrant & 2) << 62));
    *cosine = (sn_lanes)((sn_lane_bits)*cosine ^ (((quadrant + 1) & 2) << 62));
}

// Any angle.
SN_WIDE void wide_sincos(const sn_lanes *angle, sn_lanes *sine, sn_lanes *cosine)
{
    sn_lanes x = *angle, size = x;
    wide_abs(&size);
    sn_lane_mask huge = size > SN_WIDE_ANGLE_LIMIT;
    if (!wide_any(&huge)) {
        wide_sincos_within(angle, sine, cosine);
        return;
    }
    for (int i = 0; i < SN_LANES; ++i) {
        double s, c;
        sn_sincos(x[i], &s, &c);
        (*sine)[i] = s;
        (*cosine)[i] = c;
    }
}

// -700 < x < 700; less gives 0.
SN_WIDE void wide_exp(const sn_lanes *exponent, sn_lanes *result)
{
    sn_lanes x = *exponent;
    sn_lane_mask live = x > -700.0;
    wide_mask(&x, &live);
    sn_lanes shifted = x * 0x1.71547652b82fep+0 + SN_WIDE_ROUND, k = shifted - SN_WIDE_ROUND;
    sn_lanes r = (x - k * 0x1.62e42fefa3800p-1) - k * 0x1.ef35793c76730p-45;
    // Taylor's series: |r| <= ln(2)/2, and what is left out is below 2^-57.
    sn_lanes r2 = r * r, r4 = r2 * r2;
    sn_lanes a = (1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0));
    sn_lanes b = (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0));
    sn_lanes c = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) +
                 r2 * (1.0 / 479001600.0 + r * 1.605904383682161e-10);
    sn_lanes value = 1.0 + (r + r2 * (a + r4 * (b + r4 * c)));
    sn_lanes scale = (sn_lanes)(((sn_lane_bits)shifted << 52) + 0x3ff0000000000000);
    *result = value * scale;
    wide_mask(result, &live);
}

// Positive normal numbers.
SN_WIDE void wide_log(const sn_lanes *number, sn_lanes *result)
{
    // x = 2^k m with m from sqrt(1/2) to sqrt(2); log(m) = 2 artanh((m - 1)/(m + 1)).
    sn_lane_bits bits = (sn_lane_bits)*number;
    sn_lane_bits whole = (bits + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd)) >> 52; // k + 1023
    sn_lanes m = (sn_lanes)(bits - ((whole - 1023) << 52));
    sn_lanes k = (sn_lanes)(whole + 0x4338000000000000) - (SN_WIDE_ROUND + 1023.0);
    sn_lanes s = (m - 1.0) / (m + 1.0), z = s * s, z2 = z * z, z4 = z2 * z2;
    sn_lanes a = (1.0 / 3.0 + z * (1.0 / 5.0)) + z2 * (1.0 / 7.0 + z * (1.0 / 9.0));
    sn_lanes b = (1.0 / 11.0 + z * (1.0 / 13.0)) + z2 * (1.0 / 15.0 + z * (1.0 / 17.0));
    sn_lanes tail = z * (a + z4 * (b + z4 * (1.0 / 19.0 + z * (1.0 / 21.0))));
    *result = k * 0x1.62e42fefa3800p-1 + (2.0 * (s + s * tail) + k * 0x1.ef35793c76730p-45);
}

#endif
