// Shortest decimals after R. Giulietti, "The Schubfach way to render doubles" (2020). Reading is
// the same multiplication the other way around, after D. Lemire, "Number parsing at a gigabyte per
// second" (Software: Practice and Experience 51, 2021), with the error of the table kept as an
// interval instead of proved away.
#include "base/decimal.h"

#include <string.h>

#include "base/decimal_table.h"

typedef struct wide {
    uint64_t high, low;
} wide;

// The full product, from four products of halves.
static wide multiply(uint64_t a, uint64_t b)
{
    uint64_t a1 = a >> 32, a0 = a & 0xffffffff, b1 = b >> 32, b0 = b & 0xffffffff;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32);
    uint64_t other = a0 * b1 + (middle & 0xffffffff);
    return (wide){a1 * b1 + (middle >> 32) + (other >> 32), (other << 32) | (low & 0xffffffff)};
}

// floor(x / 2^shift) for |x| < 2^42, with no shift of a negative number.
static int floor_shift(int64_t x, int shift)
{
    const int64_t bias = INT64_C(1) << 42;
    return (int)(((x + bias) >> shift) - (bias >> shift));
}

// floor(log2 10^k); tools/decimal-table.py checks it for the whole table.
static int log2_of_power(int k)
{
    return floor_shift((int64_t)k * 1741647, 19);
}

// floor(c g / 2^128) with its lowest bit set when something was cut off that is more than the
// table's own error: Schubfach's rounding to odd.
static uint64_t scale(const uint64_t power[2], uint64_t c)
{
    wide upper = multiply(power[0], c);
    uint64_t carried = upper.low + multiply(power[1], c).high;
    return (upper.high + (carried < upper.low)) | (carried > 1);
}

sn_decimal sn_decimal_shortest(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t c = biased > 0 ? fraction | UINT64_C(1) << 52 : fraction;
    int q = (biased > 0 ? biased : 1) - 1075; // value = c 2^q

    // All decimals between the middles to the two neighbours read back as the value, the middles
    // themselves when c is even. Below a power of two the neighbour is half as far away.
    bool near = fraction == 0 && biased > 1;
    uint64_t odd = c & 1;
    // 10^k is at most the width of that interval and 10^(k+1) is more:
    // k = floor(log10 2^q), or floor(log10(3/4 2^q)) with the near neighbour.
    int k = floor_shift((int64_t)q * 1262611 - (near ? 524031 : 0), 22);
    int h = q + log2_of_power(-k) + 1;
    const uint64_t *power = SN_POWERS[-k - SN_POWER_LOWEST];
    uint64_t middle = scale(power, 4 * c << h); // 4 value / 10^k
    uint64_t lower = scale(power, (4 * c - 2 + near) << h) + odd;
    uint64_t upper = scale(power, (4 * c + 2) << h) - odd;

    // At most one multiple of 10^(k+1) lies inside; it has fewer digits than any multiple of 10^k.
    uint64_t s = middle / 4, tens = s / 10;
    bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
    sn_decimal decimal = {.exponent = k};
    if (s >= 10 && below != above) {
        decimal.digits = 10 * (tens + above);
    } else {
        below = lower <= 4 * s;
        above = 4 * s + 4 <= upper;
        // Both inside, or none (which does not happen): the nearer one, even at the middle.
        bool nearer = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1));
        decimal.digits = s + (below != above ? above : nearer);
    }
    while (decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent += 1;
    }
    return decimal;
}

static int leading_zeros(uint64_t x)
{
    int count = 0;
    for (int shift = 32; shift > 0; shift /= 2) {
        if (x >> (64 - shift) == 0) {
            x <<= shift;
            count += shift;
        }
    }
    return count;
}

bool sn_decimal_value(sn_decimal decimal, double *value)
{
    if (decimal.digits == 0) {
        *value = 0.0;
        return true;
    }
    if (decimal.exponent < -290 || decimal.exponent > 290) {
        return false;
    }
    // The upper 128 of 192 bits of digits * g. What is cut off and what g is too large by change
    // them by less than one unit up or down.
    const uint64_t *power = SN_POWERS[decimal.exponent - SN_POWER_LOWEST];
    int zeros = leading_zeros(decimal.digits);
    uint64_t digits = decimal.digits << zeros;
    wide product = multiply(digits, power[0]);
    uint64_t carry = multiply(digits, power[1]).high;
    product.low += carry;
    product.high += product.low < carry;
    int exponent = log2_of_power(decimal.exponent) - 127 - zeros + 139;
    // The shift that brings the leading bit to the top doubles the unit to 2.
    if (product.high >> 63 == 0) {
        product.high = product.high << 1 | product.low >> 63;
        product.low <<= 1;
        exponent -= 1;
    }
    uint64_t mantissa = product.high >> 11, rest = product.high & 0x7ff;
    const uint64_t half = 0x400;
    if ((rest == half && product.low < 2) || (rest == half - 1 && product.low > UINT64_MAX - 2)) {
        return false;
    }
    // The hidden bit of the mantissa adds the 1 that is missing in the exponent; a carry out of
    // the mantissa goes on into it, as it should.
    int biased = exponent + 1075;
    if (biased < 1 || biased > 2045) {
        return false;
    }
    uint64_t bits = ((uint64_t)(biased - 1) << 52) + mantissa + (rest >= half);
    memcpy(value, &bits, sizeof bits);
    return true;
}
