// Exponentials, logarithms, powers and roots; the trigonometric functions are in
// math/trigonometry.c.
//
// Each function first makes its value as a sum of two doubles, good to about 2^-65, and rounds once
// at the end.
#include "math/elementary.h"
#include "math/double_double.h"
#include "math/elementary_tables.h"

// ---- exponentials ----

// 2^exponent times the returned sum is exp(x + tail), |x| < 800, tail small:
// x = n ln(2)/64 + r, n = 64 exponent + j, exp(x) = 2^exponent 2^(j/64) (1 + r + r^2 P(r)).
static sn_double2 exp_parts(double x, double tail, int *exponent)
{
    double n = sn_nearest(x * SN_64_LN2);
    double r = (x - n * SN_LN2_64_HIGH) - (n * SN_LN2_64_LOW - tail);
    const double *p = SN_EXP_POLYNOMIAL;
    double r2 = r * r;
    double growth = r + r2 * ((p[0] + r * p[1]) + r2 * ((p[2] + r * p[3]) + r2 * p[4]));
    int j = (int)n & 63;
    *exponent = ((int)n - j) / 64;
    const double *power = SN_EXP_TABLE[j];
    return sn_fast_two_sum(power[0], power[1] + power[0] * growth);
}

// 2^k (a.high + a.low) for a.high in (1/2, 2), rounded once even where the result is subnormal.
static double scale_and_round(sn_double2 a, int k)
{
    if (k > 1023) {
        return k > 1025 ? HUGE_VAL : (a.high * 0x1p1023) * sn_power_of_two(k - 1023);
    }
    if (k >= -1021 || (k == -1022 && a.high >= 1.0)) {
        return a.high * sn_power_of_two(k);
    }
    if (k < -1080) {
        return 0.0;
    }
    // Added to a number whose last bit is the smallest subnormal's, seen before scaling, the sum is
    // rounded there.
    double bar = sn_power_of_two(-1074 - k + 52);
    sn_double2 sum = sn_fast_two_sum(bar, a.high);
    double rounded = (sum.high + (sum.low + a.low)) - bar;
    return rounded * 0x1p-1000 * sn_power_of_two(k + 1000);
}

double sn_exp(double x)
{
    if (!(fabs(x) < 746.0)) {
        return isnan(x) ? x : (x > 0.0 ? HUGE_VAL : 0.0);
    }
    int k;
    sn_double2 value = exp_parts(x, 0.0, &k);
    return scale_and_round(value, k);
}

// exp(x) - 1 for 2^-54 <= |x| < 40.
static sn_double2 expm1_parts(double x)
{
    if (fabs(x) <= 0.25) {
        const double *p = SN_EXPM1_POLYNOMIAL;
        double x2 = x * x, x4 = x2 * x2;
        double value = ((p[0] + x * p[1]) + x2 * (p[2] + x * p[3])) +
                       x4 * ((p[4] + x * p[5]) + x2 * (p[6] + x * p[7]) + x4 * p[8]);
        return sn_fast_two_sum(x, 0.5 * x2 + (x2 * x) * value);
    }
    int k;
    sn_double2 e = exp_parts(x, 0.0, &k);
    double scale = sn_power_of_two(k);
    sn_double2 sum = sn_two_sum(e.high * scale, -1.0);
    return sn_fast_two_sum(sum.high, sum.low + e.low * scale);
}

double sn_expm1(double x)
{
    if (!(fabs(x) >= 0x1p-54)) {
        return x; // also NaN
    }
    if (fabs(x) < 40.0) {
        return expm1_parts(x).high;
    }
    return x < 0.0 ? -1.0 : sn_exp(x);
}

// tanh(x) = E / (E + 2), E = exp(2 x) - 1.
double sn_tanh(double x)
{
    double ax = fabs(x);
    if (!(ax >= 0x1p-28)) {
        return x; // also NaN
    }
    if (ax > 19.5) {
        return copysign(1.0, x);
    }
    sn_double2 e = expm1_parts(2.0 * ax);
    sn_double2 sum = sn_two_sum(2.0, e.high);
    sn_double2 below = sn_fast_two_sum(sum.high, sum.low + e.low);
    return copysign(sn_double2_divide(e, below).high, x);
}

// ---- logarithms ----

// log(x + tail) for x > 0 finite, |tail| <= ulp(x): x = 2^k m, m c = 1 + r with c from the table,
// log(x) = (k ln 2 - log(c)) + r - r^2/2 + r^3 P(r). On both sides of 1, k = 0 and c = 1, so that
// nothing cancels.
static sn_double2 log_parts(double x, double tail)
{
    int k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    uint64_t bits = sn_double_bits(x), above = bits - 0x3fe6000000000000; // counted from 0.6875
    int i = (int)(above >> 45 & 127);
    int shift = (int)(above >> 52);
    shift = shift > 2047 ? shift - 4096 : shift;
    k += shift;
    double m = sn_double_from_bits(bits - ((uint64_t)above & 0xfff0000000000000));
    const double *entry = SN_LOG_TABLE[i];

    // r exactly: halves of m times the 24 bits of c are exact.
    sn_double2 halves = sn_split(m);
    sn_double2 r = sn_two_sum(halves.high * entry[0] - 1.0, halves.low * entry[0]);
    if (tail != 0.0) {
        double unit =
            shift > 1000 ? 0x1p-1000 * sn_power_of_two(1000 - shift) : sn_power_of_two(-shift);
        sn_double2 sum = sn_two_sum(r.high, tail * unit * entry[0]);
        r = sn_fast_two_sum(sum.high, sum.low + r.low);
    }
    const double *p = SN_LOG_POLYNOMIAL;
    double s = r.high, s2 = s * s;
    double cubic = (s2 * s) * ((p[0] + s * p[1]) +
                               s2 * ((p[2] + s * p[3]) + s2 * ((p[4] + s * p[5]) + s2 * p[6])));
    sn_double2 square = sn_two_product(s, s);

    sn_double2 sum = sn_two_sum(k * SN_LN2_HIGH + entry[1], r.high);
    sn_double2 value = sn_two_sum(sum.high, -0.5 * square.high);
    double rest = (r.low - s * r.low) - 0.5 * square.low + (k * SN_LN2_LOW + entry[2]);
    return sn_fast_two_sum(value.high, value.low + (sum.low + (rest + cubic)));
}

double sn_log(double x)
{
    if (!(x > 0.0 && x < HUGE_VAL)) {
        return x == 0.0 ? -HUGE_VAL : (x < 0.0 ? (x - x) / 0.0 : x);
    }
    return log_parts(x, 0.0).high;
}

double sn_log1p(double x)
{
    if (fabs(x) < 0x1p-54) {
        return x;
    }
    if (!(x > -1.0 && x < HUGE_VAL)) {
        return x == -1.0 ? -HUGE_VAL : (x < -1.0 ? (x - x) / (x - x) : x);
    }
    sn_double2 sum = sn_two_sum(1.0, x);
    return log_parts(sum.high, sum.low).high;
}

// ---- powers and roots ----

// 0 when y is no integer, 1 when it is odd, 2 when it is even.
static int integer_kind(double y)
{
    double ay = fabs(y);
    if (ay >= 0x1p53) {
        return 2;
    }
    double whole = floor(ay);
    if (whole != ay) {
        return 0;
    }
    return floor(0.5 * whole) * 2.0 == whole ? 2 : 1;
}

// x^y where x or y is zero, infinite or NaN (C Annex F.10.4.4); x = 1 and y = 0 are not among them.
static double power_of_extremes(double x, double y)
{
    double ax = fabs(x);
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    if (isinf(y)) {
        if (ax == 1.0) {
            return 1.0;
        }
        return (ax > 1.0) == (y > 0.0) ? HUGE_VAL : 0.0;
    }
    double size = (ax == 0.0) == (y < 0.0) ? HUGE_VAL : 0.0;
    return integer_kind(y) == 1 ? copysign(size, x) : size;
}

// x^y = exp(y log x), the logarithm to about 2^-67 of itself: y log x < 746 then has an error below
// 2^-57.
double sn_pow(double x, double y)
{
    if (x == 1.0 || y == 0.0) {
        return 1.0;
    }
    if (x == 0.0 || !isfinite(x) || !isfinite(y)) {
        return power_of_extremes(x, y);
    }
    double sign = 1.0;
    if (x < 0.0) {
        int kind = integer_kind(y);
        if (kind == 0) {
            return (x - x) / (x - x);
        }
        sign = kind == 1 ? -1.0 : 1.0;
        if (x == -1.0) {
            return sign;
        }
    }
    sn_double2 logarithm = log_parts(fabs(x), 0.0);
    double size = y * logarithm.high;
    if (fabs(size) > 746.0) {
        return size > 0.0 ? sign * HUGE_VAL : sign * 0.0;
    }
    if (fabs(size) < 0x1p-60) {
        return sign;
    }
    sn_double2 product = sn_two_product(y, logarithm.high);
    int k;
    sn_double2 value = exp_parts(product.high, product.low + y * logarithm.low, &k);
    return sign * scale_and_round(value, k);
}

// A polynomial gives 9 bits, Halley's step 27; cut to the 24 bits of a float, t^3 is exact enough
// that the second-order Newton step t + d - d^2/t, d = (m - t^3) / (3 t^2), leaves only the final
// rounding.
double sn_cbrt(double x)
{
    if (x == 0.0 || !isfinite(x)) {
        return x;
    }
    double ax = fabs(x);
    int back = 0;
    if (ax < 0x1p-1022) {
        ax *= 0x1p54;
        back = -18;
    }
    int exponent = sn_double_exponent(ax);
    int third = (exponent + 1200) / 3 - 400;
    double m = sn_double_from_bits((sn_double_bits(ax) & 0xfffffffffffff) |
                                   (uint64_t)(1023 + exponent - 3 * third) << 52);
    const double *p = SN_CBRT_POLYNOMIAL;
    double t = p[0] + m * (p[1] + m * (p[2] + m * (p[3] + m * p[4])));
    double t3 = t * t * t;
    t = (double)(float)(t * (t3 + 2.0 * m) / (2.0 * t3 + m));
    sn_double2 cube = sn_two_product(t * t, t);
    double d = ((m - cube.high) - cube.low) / (3.0 * (t * t));
    return copysign((t + (d - d * d / t)) * sn_power_of_two(third + back), x);
}

double sn_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (isinf(x) || isinf(y)) {
        return HUGE_VAL;
    }
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    if (a < b) {
        double swap = a;
        a = b;
        b = swap;
    }
    if (b == 0.0 || a * 0x1p-60 > b) {
        return a + b;
    }
    double scale = 1.0;
    if (a > 0x1p480) {
        scale = 0x1p-600;
    } else if (b < 0x1p-400) {
        scale = 0x1p600;
    }
    a *= scale;
    b *= scale;
    sn_double2 a2 = sn_two_product(a, a), b2 = sn_two_product(b, b);
    sn_double2 sum = sn_two_sum(a2.high, b2.high);
    sum = sn_fast_two_sum(sum.high, sum.low + (a2.low + b2.low));
    return sn_double2_sqrt(sum).high / scale;
}
