// Sums and products without loss: the error of + and * is itself a double, and these return both
// parts.
//
//     sn_double2 p = sn_two_product(a, b); // p.high + p.low = a b exactly
//
// After Dekker (1971) and Knuth; no fma, so that every machine gives the same bits. Splitting in
// sn_two_product overflows above 2^996 and loses bits when the product's low part falls below
// 2^-1074: callers scale first.
#ifndef SN_MATH_DOUBLE_DOUBLE_H
#define SN_MATH_DOUBLE_DOUBLE_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be evaluated as doubles");

// An unevaluated sum.
typedef struct sn_double2 {
    double high, low;
} sn_double2;

static inline uint64_t sn_double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double sn_double_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^k for -1022 <= k <= 1023.
static inline double sn_power_of_two(int k)
{
    return sn_double_from_bits((uint64_t)(k + 1023) << 52);
}

// The exponent e of a normal x = +-1.f 2^e; -1023 for zero and subnormals, 1024 for infinities and
// NaN.
static inline int sn_double_exponent(double x)
{
    return (int)(sn_double_bits(x) >> 52 & 0x7ff) - 1023;
}

// Nearest integer, ties to even, for |x| < 2^51.
static inline double sn_nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

// a + b for |a| >= |b|.
static inline sn_double2 sn_fast_two_sum(double a, double b)
{
    double high = a + b;
    sn_double2 sum = {high, (a - high) + b};
    return sum;
}

static inline sn_double2 sn_two_sum(double a, double b)
{
    double high = a + b;
    double part = high - a;
    sn_double2 sum = {high, (a - (high - part)) + (b - part)};
    return sum;
}

// a as a multiple of a 2^27-th of itself, and the rest: both have at most 26 bits.
static inline sn_double2 sn_split(double a)
{
    double scaled = 134217729.0 * a;
    double high = scaled - (scaled - a);
    sn_double2 parts = {high, a - high};
    return parts;
}

static inline sn_double2 sn_two_product(double a, double b)
{
    double high = a * b;
    sn_double2 s = sn_split(a), t = sn_split(b);
    sn_double2 product = {high, ((s.high * t.high - high) + s.high * t.low + s.low * t.high) +
                                    s.low * t.low};
    return product;
}

// a / b to about 100 bits.
static inline sn_double2 sn_double2_divide(sn_double2 a, sn_double2 b)
{
    double quotient = a.high / b.high;
    sn_double2 back = sn_two_product(quotient, b.high);
    double rest = ((a.high - back.high) - back.low) + (a.low - quotient * b.low);
    return sn_fast_two_sum(quotient, rest / b.high);
}

// The root of a.high + a.low > 0 to about 100 bits.
static inline sn_double2 sn_double2_sqrt(sn_double2 a)
{
    double root = sqrt(a.high);
    sn_double2 back = sn_two_product(root, root);
    double rest = ((a.high - back.high) - back.low) + a.low;
    return sn_fast_two_sum(root, rest / (2.0 * root));
}

#endif
