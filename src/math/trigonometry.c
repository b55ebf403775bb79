// Sine, cosine, tangent and their inverses; declared in math/elementary.h.
//
// Forward: x is reduced to y + n pi/2 with y as a sum of two doubles, then one polynomial for each
// of sine and cosine. Inverse: everything is the angle of a point (x, y) whose coordinates are sums
// of two doubles.
#include "math/double_double.h"
#include "math/elementary.h"
#include "math/elementary_tables.h"

#define QUARTER_PI   0x1.921fb54442d18p-1
#define TWO_OVER_PI  0x1.45f306dc9c883p-1
#define MEDIUM_LIMIT 0x1p20 // up to here, n < 2^20 and n times each part of pi/2 is exact

// ---- argument reduction ----

typedef struct reduced_angle {
    double high, low; // |high + low| <= pi/4, up to rounding
    int quadrant;     // multiples of pi/2 taken away, modulo 4
} reduced_angle;

// Cody and Waite: x - n pi/2 with pi/2 in four parts. The first two differences leave no error, the
// last leaves one of about 2^-150 n, far below the 2^-60 to which such an x can come near a
// multiple of pi/2.
static reduced_angle reduce_medium(double x)
{
    double n = sn_nearest(x * TWO_OVER_PI);
    sn_double2 a = sn_two_sum(x - n * SN_HALF_PI_PARTS[0], -(n * SN_HALF_PI_PARTS[1]));
    sn_double2 b = sn_two_sum(a.high, -(n * SN_HALF_PI_PARTS[2]));
    sn_double2 y = sn_fast_two_sum(b.high, (a.low + b.low) - n * SN_HALF_PI_PARTS[3]);
    reduced_angle reduced = {y.high, y.low, (int)n & 3};
    return reduced;
}

// The fraction 0.f of six words as a sum of two doubles with 106 leading bits.
static sn_double2 fraction_to_double2(const uint32_t f[6])
{
    uint64_t a = (uint64_t)f[0] << 32 | f[1];
    uint64_t b = (uint64_t)f[2] << 32 | f[3];
    uint64_t c = (uint64_t)f[4] << 32 | f[5];
    int shift = 0;
    if (a == 0) {
        a = b;
        b = c;
        shift = 64;
    }
    while (a != 0 && a >> 63 == 0) {
        a = a << 1 | b >> 63;
        b <<= 1;
        shift += 1;
    }
    double scale = sn_power_of_two(-shift);
    sn_double2 value = {(double)(a >> 11) * 0x1p-53 * scale,
                        (double)((a & 0x7ff) << 42 | b >> 22) * 0x1p-106 * scale};
    return value;
}

// Payne and Hanek: for x = m 2^e only those bits of 2/pi matter whose product with m is neither a
// multiple of 4 nor below what the result needs. 192 bits leave an error below 2^-137, and no
// double is nearer than 2^-62 to a multiple of pi/2.
static reduced_angle reduce_huge(double x)
{
    uint64_t bits = sn_double_bits(x);
    int e = (int)(bits >> 52 & 0x7ff) - 1075;
    uint64_t m = (bits & 0xfffffffffffff) | 0x10000000000000;

    // The window starts at the bit of weight 2^(1 - e); the table opens with 64 zero bits.
    int start = e - 2 + 64;
    uint32_t window[6];
    for (int i = 0; i < 6; ++i) {
        int word = start / 32 + i;
        uint64_t pair = (uint64_t)SN_TWO_OVER_PI[word] << 32 | SN_TWO_OVER_PI[word + 1];
        window[i] = (uint32_t)(pair >> (32 - start % 32));
    }

    // product = m * window modulo 2^192, most significant word first; its top two bits are the
    // quadrant.
    uint32_t product[6] = {0};
    uint64_t factor[2] = {m & 0xffffffff, m >> 32};
    for (int j = 0; j < 2; ++j) {
        uint64_t carry = 0;
        for (int i = 5; i - j >= 0; --i) {
            uint64_t sum = product[i - j] + factor[j] * window[i] + carry;
            product[i - j] = (uint32_t)sum;
            carry = sum >> 32;
        }
    }
    int quadrant = (int)(product[0] >> 30);
    for (int i = 0; i < 6; ++i) {
        product[i] = product[i] << 2 | (i < 5 ? product[i + 1] >> 30 : 0);
    }

    // Fractions from one half on count down from the next quadrant.
    double sign = 1.0;
    if (product[0] >> 31) {
        quadrant += 1;
        sign = -1.0;
        uint64_t carry = 1;
        for (int i = 5; i >= 0; --i) {
            carry += (uint32_t)~product[i];
            product[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    sn_double2 f = fraction_to_double2(product);
    sn_double2 y = sn_two_product(f.high, SN_HALF_PI_HIGH);
    y = sn_fast_two_sum(y.high, y.low + (f.high * SN_HALF_PI_LOW + f.low * SN_HALF_PI_HIGH));
    if (x < 0.0) {
        sign = -sign;
        quadrant = -quadrant;
    }
    reduced_angle reduced = {sign * y.high, sign * y.low, quadrant & 3};
    return reduced;
}

static reduced_angle reduce(double x)
{
    if (fabs(x) <= QUARTER_PI) {
        reduced_angle same = {x, 0.0, 0};
        return same;
    }
    return fabs(x) < MEDIUM_LIMIT ? reduce_medium(x) : reduce_huge(x);
}

// ---- sine, cosine, tangent ----

// What rounding took from z = x * x. The 24 bits of a float square exactly.
static double square_rest(double x, double z)
{
    double top = (double)(float)x;
    return (top * top - z) + (x - top) * (x + top);
}

// sin(x + t) = x + x z (S0 + z Q(z)) + t cos x. The large product, 24 bits of S0 times 24 bits of
// z, is exact, so that only its product with x is rounded before the end; all else is small.
static sn_double2 sin_of(reduced_angle y)
{
    const double first = (double)(float)SN_SIN_0;
    double x = y.high, z = x * x, z2 = z * z;
    double top = (double)(float)z;
    double others = (SN_SIN_1 + z * SN_SIN_2) + z2 * ((SN_SIN_3 + z * SN_SIN_4) + z2 * SN_SIN_5);
    double small =
        ((z - top) + square_rest(x, z)) * SN_SIN_0 + top * (SN_SIN_0 - first) + z2 * others;
    sn_double2 sum = sn_fast_two_sum(x, x * (top * first));
    return sn_fast_two_sum(sum.high, sum.low + (x * small + y.low * (1.0 - 0.5 * z)));
}

// cos(x + t) = 1 - z/2 + z^2 P(z) - t sin x
static sn_double2 cos_of(reduced_angle y)
{
    double x = y.high, z = x * x;
    double small = z * (z * sn_cos_polynomial(z)) - 0.5 * square_rest(x, z);
    sn_double2 sum = sn_fast_two_sum(1.0, -0.5 * z);
    return sn_fast_two_sum(sum.high, sum.low + (small - x * y.low));
}

double sn_sin(double x)
{
    if (fabs(x) < 0x1p-27 || !isfinite(x)) {
        return isfinite(x) ? x : x - x;
    }
    reduced_angle y = reduce(x);
    double value = (y.quadrant & 1 ? cos_of(y) : sin_of(y)).high;
    return y.quadrant & 2 ? -value : value;
}

double sn_cos(double x)
{
    if (!isfinite(x)) {
        return x - x;
    }
    reduced_angle y = reduce(x);
    double value = (y.quadrant & 1 ? sin_of(y) : cos_of(y)).high;
    return y.quadrant == 1 || y.quadrant == 2 ? -value : value;
}

void sn_sincos(double x, double *sine, double *cosine)
{
    if (fabs(x) <= QUARTER_PI) {
        sn_sincos_small(x, sine, cosine);
        return;
    }
    if (!isfinite(x)) {
        *sine = *cosine = x - x;
        return;
    }
    reduced_angle y = reduce(x);
    double s = sin_of(y).high, c = cos_of(y).high;
    *sine = y.quadrant & 1 ? c : s;
    *cosine = y.quadrant & 1 ? s : c;
    if (y.quadrant & 2) {
        *sine = -*sine;
    }
    if (y.quadrant == 1 || y.quadrant == 2) {
        *cosine = -*cosine;
    }
}

double sn_tan(double x)
{
    if (fabs(x) < 0x1p-27 || !isfinite(x)) {
        return isfinite(x) ? x : x - x;
    }
    reduced_angle y = reduce(x);
    sn_double2 s = sin_of(y), c = cos_of(y);
    return y.quadrant & 1 ? -sn_double2_divide(c, s).high : sn_double2_divide(s, c).high;
}

// ---- inverse functions ----

// atan(y / x) for 0 <= y <= x, neither near the ends of the range of doubles. From 3/16 on
// atan(q) = atan(c) + atan((q - c) / (1 + q c)) with c = i/16 the nearest.
static sn_double2 angle_below_eighth(sn_double2 y, sn_double2 x)
{
    sn_double2 q = sn_double2_divide(y, x);
    if (q.high < 0.1875) {
        const double *p = SN_ATAN_WIDE_POLYNOMIAL;
        double z = q.high * q.high, z2 = z * z, z4 = z2 * z2;
        double value = ((p[0] + z * p[1]) + z2 * (p[2] + z * p[3])) +
                       z4 * ((p[4] + z * p[5]) + z2 * (p[6] + z * p[7]) + z4 * p[8]);
        return sn_fast_two_sum(q.high, q.high * (z * value) + q.low * (1.0 - z));
    }
    int i = (int)(q.high * 16.0 + 0.5);
    double c = i * 0.0625;
    double t = ((q.high - c) + q.low) / (1.0 + q.high * c);
    const double *p = SN_ATAN_POLYNOMIAL;
    double z = t * t;
    double value = p[0] + z * (p[1] + z * (p[2] + z * (p[3] + z * p[4])));
    sn_double2 sum = sn_fast_two_sum(SN_ATAN_TABLE[i][0], t);
    return sn_fast_two_sum(sum.high, sum.low + (SN_ATAN_TABLE[i][1] + t * (z * value)));
}

// n pi/2 - a
static sn_double2 turns_minus(double n, sn_double2 a)
{
    sn_double2 sum = sn_fast_two_sum(n * SN_HALF_PI_HIGH, -a.high);
    return sn_fast_two_sum(sum.high, sum.low + (n * SN_HALF_PI_LOW - a.low));
}

// The angle in [0, pi] of the point (x, y), y >= 0, not both zero.
static double angle_of(sn_double2 x, sn_double2 y)
{
    sn_double2 ax = x.high < 0.0 ? (sn_double2){-x.high, -x.low} : x;
    sn_double2 a =
        y.high <= ax.high ? angle_below_eighth(y, ax) : turns_minus(1.0, angle_below_eighth(ax, y));
    return x.high < 0.0 ? turns_minus(2.0, a).high : a.high;
}

double sn_atan(double x)
{
    double ax = fabs(x);
    if (!(ax >= 0x1p-27)) {
        return x; // also NaN
    }
    if (ax > 0x1p60) {
        return copysign(SN_HALF_PI_HIGH, x);
    }
    sn_double2 run = {1.0, 0.0}, rise = {ax, 0.0};
    return copysign(angle_of(run, rise), x);
}

// The angle when one coordinate is zero or infinite, or more than 2^60 times the other.
static double angle_of_extremes(double y, double x)
{
    double ax = fabs(x), ay = fabs(y);
    if (isinf(x) && isinf(y)) {
        return x > 0.0 ? 0.5 * SN_HALF_PI_HIGH
                       : turns_minus(2.0, (sn_double2){0.5 * SN_HALF_PI_HIGH, 0.5 * SN_HALF_PI_LOW})
                             .high;
    }
    if (ay > ax) {
        return SN_HALF_PI_HIGH;
    }
    return signbit(x) ? 2.0 * SN_HALF_PI_HIGH : (ax == 0.0 ? 0.0 : ay / ax);
}

double sn_atan2(double y, double x)
{
    double ax = fabs(x), ay = fabs(y);
    if (isnan(x) || isnan(y)) {
        return x + y;
    }
    if (ax == 0.0 || ay == 0.0 || isinf(x) || isinf(y)) {
        return copysign(angle_of_extremes(y, x), y);
    }
    // Subnormals are made normal, then the larger coordinate is brought to [1, 2).
    if (ax < 0x1p-960 && ay < 0x1p-960) {
        x *= 0x1p60;
        y *= 0x1p60;
        ay *= 0x1p60;
    }
    int ex = sn_double_exponent(x), ey = sn_double_exponent(y);
    if (ex - ey > 60 || ey - ex > 60) {
        return copysign(angle_of_extremes(y, x), y);
    }
    int e = ex > ey ? ex : ey;
    double scale = e > 0 ? sn_power_of_two(-e + 2) * 0.25 : sn_power_of_two(-e);
    sn_double2 run = {x * scale, 0.0}, rise = {ay * scale, 0.0};
    return copysign(angle_of(run, rise), y);
}

// sqrt(1 - x^2) for |x| < 1.
static sn_double2 other_leg(double x)
{
    sn_double2 square = sn_two_product(x, x);
    sn_double2 rest = sn_two_sum(1.0, -square.high);
    return sn_double2_sqrt(sn_fast_two_sum(rest.high, rest.low - square.low));
}

double sn_asin(double x)
{
    double ax = fabs(x);
    if (!(ax < 1.0)) {
        return ax == 1.0 ? copysign(SN_HALF_PI_HIGH, x) : (x - x) / (x - x);
    }
    if (ax < 0x1p-27) {
        return x;
    }
    sn_double2 rise = {ax, 0.0};
    return copysign(angle_of(other_leg(x), rise), x);
}

double sn_acos(double x)
{
    double ax = fabs(x);
    if (!(ax < 1.0)) {
        return ax == 1.0 ? (x > 0.0 ? 0.0 : 2.0 * SN_HALF_PI_HIGH) : (x - x) / (x - x);
    }
    if (ax < 0x1p-60) {
        return SN_HALF_PI_HIGH;
    }
    sn_double2 run = {x, 0.0};
    return angle_of(run, other_leg(x));
}
