// Decimal numbers against printf and strtod, which are correctly rounded in glibc.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/random.h"
#include "scene/text.h"

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double read(uint64_t digits, int exponent)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
    return strtod(text, NULL);
}

// `text` as printf's %.<count - 1>e writes the value, without point and exponent.
static uint64_t printed_digits(double value, int count)
{
    char text[64], digits[64];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    size_t n = 0;
    for (const char *c = text; *c != 'e'; ++c) {
        if (*c != '.') {
            digits[n++] = *c;
        }
    }
    digits[n] = '\0';
    return strtoull(digits, NULL, 10);
}

static void check_shortest(double value)
{
    sn_decimal decimal = sn_decimal_shortest(value);
    char text[64];
    int count = snprintf(text, sizeof text, "%" PRIu64, decimal.digits);
    if (read(decimal.digits, decimal.exponent) != value || decimal.digits % 10 == 0) {
        fail_msg("%.17g became %" PRIu64 "e%d", value, decimal.digits, decimal.exponent);
    }
    if (count > 1) {
        snprintf(text, sizeof text, "%.*e", count - 2, value);
        if (strtod(text, NULL) == value) {
            fail_msg("%.17g became %" PRIu64 "e%d, but %s is shorter", value, decimal.digits,
                     decimal.exponent, text);
        }
    }
    // Above a power of two the neighbours are not equally far: there the nearest decimal of that
    // length may be one that reads back as the lower neighbour.
    int exponent;
    if (frexp(value, &exponent) != 0.5 && decimal.digits != printed_digits(value, count)) {
        fail_msg("%.17g became %" PRIu64 "e%d, not the nearest", value, decimal.digits,
                 decimal.exponent);
    }
    double back;
    if (sn_decimal_value(decimal, &back) && back != value) {
        fail_msg("%" PRIu64 "e%d read back as %.17g", decimal.digits, decimal.exponent, back);
    }
}

static void the_shortest_decimal_reads_back(void **state)
{
    (void)state;
    sn_random random = {.seed = 17};
    for (int i = 0; i < 100000; ++i) {
        double value = double_of(sn_random_bits(&random) & INT64_MAX);
        if (isfinite(value) && value > 0.0) {
            check_shortest(value);
        }
        // What simulations write: round numbers with a little noise, and plain ones.
        check_shortest((double)(1 + sn_random_below(&random, 100000)) * 1e-3);
        check_shortest(0.1 + sn_random_unit(&random));
        check_shortest(double_of(1 + sn_random_bits(&random) % (UINT64_C(1) << 52))); // subnormal
    }
}

static void the_shortest_decimal_at_every_power(void **state)
{
    (void)state;
    for (int e = -1074; e <= 1023; ++e) {
        double power = ldexp(1.0, e);
        check_shortest(power);
        check_shortest(nextafter(power, INFINITY));
        if (e > -1074) {
            check_shortest(nextafter(power, 0.0));
        }
    }
    for (int e = -323; e <= 308; ++e) {
        double power = read(1, e);
        sn_decimal decimal = sn_decimal_shortest(power);
        assert_int_equal(decimal.digits, 1);
        assert_int_equal(decimal.exponent, e);
        check_shortest(nextafter(power, INFINITY));
        check_shortest(nextafter(power, 0.0) > 0.0 ? nextafter(power, 0.0) : power);
    }
    check_shortest(DBL_MAX);
    check_shortest(DBL_MIN);
    check_shortest(double_of(1));
    check_shortest(9007199254740993.0);
}

// Every decimal that is decided is decided as strtod does it; of usual ones almost all are.
static void reading_agrees_with_strtod(void **state)
{
    (void)state;
    sn_random random = {.seed = 18};
    int decided = 0, usual = 0;
    for (int i = 0; i < 300000; ++i) {
        sn_decimal decimal = {sn_random_bits(&random) >> sn_random_below(&random, 64),
                              sn_random_below(&random, 700) - 350};
        double value = 0.0;
        double expected = read(decimal.digits, decimal.exponent);
        if (sn_decimal_value(decimal, &value) && value != expected) {
            fail_msg("%" PRIu64 "e%d read as %.17g, not %.17g", decimal.digits, decimal.exponent,
                     value, expected);
        }
        if (abs(decimal.exponent) < 200) {
            usual += 1;
            decided += sn_decimal_value(decimal, &value);
        }
    }
    assert_true(usual > 100000);
    assert_true(usual - decided <= usual / 1000);
}

// The middle of two doubles, and what lies one below and one above in the last of 19 digits.
static void middles_of_doubles_are_not_guessed(void **state)
{
    (void)state;
    sn_random random = {.seed = 19};
    double value;
    int left = 0;
    for (int i = 0; i < 100000; ++i) {
        int up = 1 + sn_random_below(&random, 10);
        uint64_t middle = (((UINT64_C(1) << 52) + (sn_random_bits(&random) >> 12)) * 2 + 1)
                          << (up - 1); // 54 bits, the last of them set
        for (int d = -1; d <= 1; ++d) {
            sn_decimal decimal = {middle + (uint64_t)d, 0};
            if (sn_decimal_value(decimal, &value)) {
                assert_true(value == read(decimal.digits, 0));
            } else {
                left += 1;
            }
        }
    }
    // The exact middles are left to strtod: all of them, or the interval is not what it claims.
    assert_true(left >= 100000);
    assert_false(sn_decimal_value((sn_decimal){1, 291}, &value));
    assert_false(sn_decimal_value((sn_decimal){1, -291}, &value));
    assert_true(sn_decimal_value((sn_decimal){0, 5000}, &value));
    assert_true(value == 0.0);
}

static void text_is_laid_out_as_printf_does_it(void **state)
{
    (void)state;
    sn_random random = {.seed = 20};
    for (int i = 0; i < 100000; ++i) {
        double value = (sn_random_unit(&random) - 0.5) * read(1, sn_random_below(&random, 60) - 30);
        value = i % 3 == 0 ? (double)(float)value : i % 3 == 1 ? floor(value) : value;
        char text[32], expected[400];
        sn_number_to_text(value, text);
        int digits = 15;
        do {
            snprintf(expected, sizeof expected, "%.*g", digits++, value);
        } while (strtod(expected, NULL) != value);
        if (strcmp(text, expected) != 0) {
            // Next to a power of two both may be right.
            int exponent;
            assert_true(frexp(fabs(value), &exponent) == 0.5);
            assert_true(strtod(text, NULL) == value);
        }
    }
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1.0, "1"},
                 {-2.5, "-2.5"},
                 {1e-4, "0.0001"},
                 {1.5e-5, "1.5e-05"},
                 {1e14, "100000000000000"},
                 {1e15, "1e+15"},
                 {9007199254740991.0, "9007199254740991"},
                 {-DBL_MAX, "-1.7976931348623157e+308"},
                 {5e-324, "5e-324"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[32];
        sn_number_to_text(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

// Numbers of more digits than 64 bits hold, and those at the borders, go the long way.
static void long_numbers_are_read_right(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0.1000000000000000055511151231257827021181583404541015625",
        "9007199254740993",
        "9007199254740992.9999999999999999999999999999",
        "-18446744073709551616",
        "18446744073709551615",
        "0.000000000000000000000000000000000000000000000000000001",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "1.7976931348623157e308",
        "-0.0",
        "123456789012345678e-300",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        double value = 1.0, expected = strtod(texts[i], NULL);
        assert_true(sn_number_from_text(texts[i], strlen(texts[i]), 0, &value));
        assert_memory_equal(&value, &expected, sizeof value);
    }
    double value;
    assert_true(sn_number_from_text("15", 2, -2, &value));
    assert_true(value == 0.15);
    assert_false(sn_number_from_text("1.8e308", 7, 0, &value));
    assert_false(sn_number_from_text("1e999999999", 11, 0, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_decimal_reads_back),
        cmocka_unit_test(the_shortest_decimal_at_every_power),
        cmocka_unit_test(reading_agrees_with_strtod),
        cmocka_unit_test(middles_of_doubles_are_not_guessed),
        cmocka_unit_test(text_is_laid_out_as_printf_does_it),
        cmocka_unit_test(long_numbers_are_read_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
