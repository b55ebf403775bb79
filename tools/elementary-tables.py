#!/usr/bin/env python3
"""Derives every constant of the elementary functions and writes src/math/elementary_tables.h.

    tools/elementary-tables.py > src/math/elementary_tables.h && clang-format -i src/math/elementary_tables.h

Polynomials are minimax (in 60 digits), fitted to the error that matters, then rounded one
coefficient after the other to double, lowest degree first, with the rest fitted again each time. The
bound printed beside each is that of the rounded polynomial. Needs python3-mpmath. With
--kernels it prints the two polynomials that stand in src/math/elementary.h itself, for inlining.
"""
import sys

from mpmath import mp, mpf, matrix, lu_solve, sin, cos, atan, exp, expm1, log, log1p, pi, sqrt, floor, nint

mp.dps = 60


def hexdouble(x):
    return float(x).hex()


def fit(f, weight, a, b, fixed, count):
    """The polynomial of `count` coefficients, the lowest of them fixed, with the least max |weight (f - p)| on [a, b]:
    Lawson's iteration, least squares whose weights grow where the error is large. Gives the free coefficients."""
    k, n = len(fixed), count - len(fixed)
    points = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * i + 1) / 200) for i in range(100)]
    values = [f(x) - sum(c * x ** j for j, c in enumerate(fixed)) for x in points]
    rows = [[weight(x) * x ** (k + j) for j in range(n)] for x in points]
    right = [weight(x) * v for x, v in zip(points, values)]
    masses = [mpf(1)] * len(points)
    best, least = None, None
    for _ in range(25):
        normal, moment = matrix(n, n), matrix(n, 1)
        for row, v, m in zip(rows, right, masses):
            for i in range(n):
                moment[i] += m * row[i] * v
                for j in range(i, n):
                    normal[i, j] += m * row[i] * row[j]
        for i in range(n):
            for j in range(i):
                normal[i, j] = normal[j, i]
        p = list(lu_solve(normal, moment))
        errors = [abs(v - sum(c * r for c, r in zip(p, row))) for row, v in zip(rows, right)]
        if least is None or max(errors) < least:
            best, least = p, max(errors)
        masses = [m * e for m, e in zip(masses, errors)]
        total = sum(masses)
        masses = [m / total for m in masses]
    return best


def rounded_polynomial(f, weight, a, b, count):
    """Minimax coefficients as doubles, and the max weighted error of what they became."""
    fixed = []
    for _ in range(count):
        fixed.append(mpf(float(fit(f, weight, a, b, fixed, count)[0])))
    grid = [a + (b - a) * (mpf(i) + mpf(1) / 3) / 2000 for i in range(2000)]
    error = max(abs(weight(x) * (f(x) - sum(c * x ** j for j, c in enumerate(fixed)))) for x in grid)
    return fixed, error


def polynomial(name, about, *arguments):
    coefficients, error = rounded_polynomial(*arguments)
    print(f"// {about}, error below 2^{float(log(error) / log(2)):.1f}.")
    print(f"static const double {name}[{len(coefficients)}] = {{")
    print("    " + ", ".join(hexdouble(c) for c in coefficients) + ",\n};\n")


def polynomial_macros(prefix, about, *arguments):
    """For the inline kernels, which are in a header: one macro for each coefficient."""
    coefficients, error = rounded_polynomial(*arguments)
    print(f"// {about}, error below 2^{float(log(error) / log(2)):.1f}.")
    for i, c in enumerate(coefficients):
        print(f"#define {prefix}_{i} ({hexdouble(c)})")
    print()


def split(x, bits):
    """x as the nearest multiple of 2^-bits, and the rest."""
    high = nint(x * mpf(2) ** bits) / mpf(2) ** bits
    return high, x - high


def significant(x, bits):
    """x cut to `bits` significant bits."""
    e = int(floor(log(abs(x)) / log(2))) + 1
    return floor(x * mpf(2) ** (bits - e)) / mpf(2) ** (bits - e)


quarter = pi / 4 * mpf("1.0000001")
SINE = ("sin(x) = x + x z P(z), z = x^2, |x| <= pi/4: relative",
        lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z / (sin(sqrt(z)) / sqrt(z)), mpf(0), quarter ** 2, 6)
COSINE = ("cos(x) = 1 - z/2 + z^2 P(z), z = x^2, |x| <= pi/4: absolute",
          lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, lambda z: z ** 2, mpf(0), quarter ** 2, 6)

if "--kernels" in sys.argv:
    polynomial_macros("SN_SIN", *SINE)
    polynomial_macros("SN_COS", *COSINE)
    sys.exit(0)
print("""// Constants of the elementary functions, written by tools/elementary-tables.py, which says how each is derived.
#ifndef SN_MATH_ELEMENTARY_TABLES_H
#define SN_MATH_ELEMENTARY_TABLES_H

#include <stdint.h>
""")
polynomial("SN_ATAN_POLYNOMIAL", "atan(x) = x + x z P(z), z = x^2, |x| <= 1/32: relative",
           lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf(0), (mpf("1.01") / 32) ** 2, 5)
polynomial("SN_ATAN_WIDE_POLYNOMIAL", "the same for |x| <= 3/16: relative",
           lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf(0), (mpf("3.01") / 16) ** 2, 9)
half = log(2) / 128 * mpf("1.001")
polynomial("SN_EXP_POLYNOMIAL", "exp(r) = 1 + r + r^2 P(r), |r| <= ln(2)/128: absolute",
           lambda r: (expm1(r) - r) / r ** 2, lambda r: r ** 2, -half, half, 5)
polynomial("SN_EXPM1_POLYNOMIAL", "expm1(x) = x + x^2/2 + x^3 P(x), |x| <= 1/4: relative",
           lambda r: (expm1(r) - r - r * r / 2) / r ** 3, lambda r: r ** 3 / expm1(r), mpf("-0.25"), mpf("0.25"), 9)
near = mpf(1) / 128
polynomial("SN_LOG_POLYNOMIAL", "log(1 + r) = r - r^2/2 + r^3 P(r), |r| <= 1/128: relative",
           lambda r: (log1p(r) - r + r * r / 2) / r ** 3, lambda r: r ** 3 / log1p(r), -near, near, 7)
polynomial("SN_CBRT_POLYNOMIAL", "cbrt(x) = P(x) on [1, 8]: relative",
           lambda x: x ** (mpf(1) / 3), lambda x: 1 / x ** (mpf(1) / 3), mpf(1), mpf(8), 5)

rest = pi / 2
print("// pi/2 in four parts; the first three have 33 bits, so that their products with |n| < 2^20 are exact.")
parts = []
for _ in range(3):
    parts.append(significant(rest, 33))
    rest -= parts[-1]
parts.append(rest)
print("static const double SN_HALF_PI_PARTS[4] = {" + ", ".join(hexdouble(p) for p in parts) + "};\n")
high = mpf(float(pi / 2))
print("// pi/2 as an unevaluated sum of two doubles.")
print(f"static const double SN_HALF_PI_HIGH = {hexdouble(high)};")
print(f"static const double SN_HALF_PI_LOW = {hexdouble(pi / 2 - high)};\n")

high, low = split(log(2), 42)
print("// ln 2: a multiple of 2^-42, so that k * high is exact for every exponent k, and the rest.")
print(f"static const double SN_LN2_HIGH = {hexdouble(high)};")
print(f"static const double SN_LN2_LOW = {hexdouble(low)};\n")
high = significant(log(2) / 64, 35)
print("// ln(2)/64: 35 bits, so that n * high is exact for |n| < 2^18, and the rest.")
print(f"static const double SN_LN2_64_HIGH = {hexdouble(high)};")
print(f"static const double SN_LN2_64_LOW = {hexdouble(log(2) / 64 - high)};")
print(f"static const double SN_64_LN2 = {hexdouble(64 / log(2))};\n")

mp.dps = 420
words = [int(floor(2 / pi * mpf(2) ** 1216)) >> (32 * (37 - i)) & 0xFFFFFFFF for i in range(38)]
mp.dps = 60
print("// 2/pi: two words of zeros, then its first 1216 bits, 32 in each word, most significant first.")
print("static const uint32_t SN_TWO_OVER_PI[40] = {0, 0, " + ", ".join(f"0x{w:08x}" for w in words) + "};\n")

print("// 2^(j/64) as an unevaluated sum of two doubles.")
print("static const double SN_EXP_TABLE[64][2] = {")
for j in range(64):
    value = mpf(2) ** (mpf(j) / 64)
    print(f"    {{{hexdouble(value)}, {hexdouble(value - mpf(float(value)))}}},")
print("};\n")

print("// atan(i/16) for i = 0 .. 16 as an unevaluated sum of two doubles.")
print("static const double SN_ATAN_TABLE[17][2] = {")
for i in range(17):
    value = atan(mpf(i) / 16)
    print(f"    {{{hexdouble(value)}, {hexdouble(value - mpf(float(value)))}}},")
print("};\n")

print("""// The interval of [0.6875, 1.375) that shares its first seven bits with entry i, counted from 0.6875: c near the
// reciprocal of its middle in 24 bits (exactly 1 on both sides of 1), -log(c) as a multiple of 2^-42, and the rest.""")
print("static const double SN_LOG_TABLE[128][3] = {")
for i in range(128):
    lower = mpf("0.6875") + mpf(i) / 256 if i < 80 else 1 + mpf(i - 80) / 128
    width = mpf(1) / 256 if i < 80 else mpf(1) / 128
    c = mpf(1) if i in (79, 80) else nint(1 / (lower + width / 2) * 2 ** 23) / mpf(2) ** 23
    high, low = split(-log(c), 42)
    print(f"    {{{hexdouble(c)}, {hexdouble(high)}, {hexdouble(low)}}},")
print("};\n\n#endif")
