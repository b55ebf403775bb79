// Numbers as bytes: two's complement and IEEE 754 in both orders.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/raw.h"

static void test_bytes_are_numbers(void **state)
{
    (void)state;
    static const struct {
        sn_raw_kind kind;
        const char *bytes; // the highest first
        bool whole;
        double value;
    } samples[] = {
        {SN_RAW_INT8, "\xfe", true, -2},
        {SN_RAW_UINT8, "\xfe", true, 254},
        {SN_RAW_INT16, "\x80\x00", true, -32768},
        {SN_RAW_UINT16, "\x80\x01", true, 32769},
        {SN_RAW_INT32, "\xff\xff\xff\xff", true, -1},
        {SN_RAW_UINT32, "\xff\xff\xff\xff", true, 4294967295.0},
        {SN_RAW_INT64, "\x80\x00\x00\x00\x00\x00\x00\x00", true, -9223372036854775808.0},
        {SN_RAW_INT64, "\x00\x00\x00\x01\x00\x00\x00\x02", true, 4294967298.0},
        {SN_RAW_UINT64, "\x80\x00\x00\x00\x00\x00\x00\x00", false, 9223372036854775808.0},
        {SN_RAW_FLOAT32, "\xc0\x20\x00\x00", false, -2.5},
        {SN_RAW_FLOAT64, "\x3f\xb9\x99\x99\x99\x99\x99\x9a", false, 0.1},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        size_t size = sn_raw_size(samples[i].kind);
        char turned[8];
        for (size_t k = 0; k < size; ++k) {
            turned[k] = samples[i].bytes[size - 1 - k];
        }
        for (int big = 0; big < 2; ++big) {
            const char *bytes = big ? samples[i].bytes : turned;
            int64_t whole;
            assert_true(sn_raw_number(bytes, samples[i].kind, big) == samples[i].value);
            assert_int_equal(sn_raw_integer(bytes, samples[i].kind, big, &whole), samples[i].whole);
            assert_true(!samples[i].whole || (double)whole == samples[i].value);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes_are_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
