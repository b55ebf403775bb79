// WAV files made here in every encoding, read back; and files that are cut, bent and random.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "record/bytes.h"
#include "sinew/breath.h"
#include "sinew/wave.h"

static void put_u16(sn_bytes *out, int value)
{
    sn_bytes_put_u8(out, (uint8_t)value);
    sn_bytes_put_u8(out, (uint8_t)(value >> 8));
}

static void put_sample(sn_bytes *out, double x, int bits, bool floating)
{
    if (floating && bits == 32) {
        sn_bytes_put_f32(out, (float)x);
    } else if (floating) {
        sn_bytes_put_f64(out, x);
    } else if (bits == 8) {
        sn_bytes_put_u8(out, (uint8_t)(int)floor(128.5 + 127.0 * x));
    } else {
        int64_t whole = (int64_t)floor(x * (ldexp(1.0, bits - 1) - 1.0) + 0.5);
        for (int i = 0; i < bits / 8; ++i) {
            sn_bytes_put_u8(out, (uint8_t)((uint64_t)whole >> (8 * i)));
        }
    }
}

// A slow sine of 0.8, the second channel with its sign turned and half of it, and a foreign chunk
// of odd length before the sound.
static sn_bytes make_file(int bits, bool floating, int channels, bool extensible, int count)
{
    sn_bytes out = {0};
    int frame = channels * bits / 8, format = extensible ? 40 : 16;
    sn_bytes_put(&out, "RIFF\0\0\0\0WAVELIST", 16);
    sn_bytes_put_u32(&out, 3);
    sn_bytes_put(&out, "abc\0fmt ", 8);
    sn_bytes_put_u32(&out, (uint32_t)format);
    put_u16(&out, extensible ? 0xFFFE : floating ? 3 : 1);
    put_u16(&out, channels);
    sn_bytes_put_u32(&out, 8000);
    sn_bytes_put_u32(&out, (uint32_t)(8000 * frame));
    put_u16(&out, frame);
    put_u16(&out, bits);
    if (extensible) {
        put_u16(&out, 22);
        put_u16(&out, bits);
        sn_bytes_put_u32(&out, 0);
        put_u16(&out, floating ? 3 : 1);
        sn_bytes_put(&out, "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
    }
    sn_bytes_put(&out, "data", 4);
    sn_bytes_put_u32(&out, (uint32_t)(count * frame));
    for (int i = 0; i < count; ++i) {
        double x = 0.8 * sin(0.01 * i);
        for (int k = 0; k < channels; ++k) {
            put_sample(&out, k == 0 ? x : -0.5 * x, bits, floating);
        }
    }
    assert_false(out.failed);
    return out;
}

static void test_encodings(void **state)
{
    (void)state;
    const int bits[] = {8, 16, 24, 32, 32, 64};
    for (int i = 0; i < 6; ++i) {
        for (int form = 0; form < 4; ++form) {
            int channels = 1 + form % 2;
            sn_bytes file = make_file(bits[i], i >= 4, channels, form >= 2, 1000);
            sn_wave wave;
            sn_error error = {0};
            if (sn_wave_read(file.data, file.count, &wave, &error) != SN_OK) {
                fail_msg("%s", sn_error_message(&error));
            }
            assert_true(wave.rate == 8000.0 && wave.count == 1000);
            double tolerance = i >= 2 ? 1e-6 : i == 1 ? 1e-4 : 0.02;
            for (int k = 0; k < 1000; ++k) {
                double wanted = 0.8 * sin(0.01 * k) * (channels == 1 ? 1.0 : 0.25);
                if (!(fabs((double)wave.samples[k] - wanted) <= tolerance)) {
                    fail_msg("sample %d is %g, not %g", k, (double)wave.samples[k], wanted);
                }
            }
            sn_wave_free(&wave);
            sn_bytes_free(&file);
        }
    }
}

static void expect_refused(const void *bytes, size_t count, const char *says)
{
    sn_wave wave;
    sn_error error = {0};
    assert_int_equal(sn_wave_read(bytes, count, &wave, &error), SN_ERROR_FORMAT);
    assert_null(wave.samples);
    if (strstr(error.text, says) == NULL) {
        fail_msg("'%s' does not say '%s'", error.text, says);
    }
}

static void test_bad_files(void **state)
{
    (void)state;
    sn_bytes file = make_file(16, false, 1, false, 100);
    enum { FORMAT = 32, SOUND = 48 }; // where their contents begin, the sound's with its head
    expect_refused(file.data, 0, "RIFF");
    expect_refused("RIFFxxxxAVI ....", 16, "RIFF");
    expect_refused(file.data, SOUND, "no sound");
    expect_refused(file.data, SOUND + 8, "no sound");
    // cut off: what is there
    sn_wave wave;
    assert_int_equal(sn_wave_read(file.data, SOUND + 8 + 21, &wave, NULL), SN_OK);
    assert_int_equal(wave.count, 10);
    sn_wave_free(&wave);
    file.data[FORMAT] = 2;
    expect_refused(file.data, file.count, "encoding 2");
    file.data[FORMAT] = 1;
    file.data[FORMAT + 14] = 12;
    expect_refused(file.data, file.count, "12 bits");
    file.data[FORMAT + 14] = 16;
    file.data[FORMAT + 2] = 0;
    expect_refused(file.data, file.count, "0 channels");
    file.data[FORMAT + 2] = 1;
    file.data[FORMAT - 8] = 'x';
    expect_refused(file.data, file.count, "before its format");
    sn_bytes_free(&file);
}

static void test_bent_files(void **state)
{
    (void)state;
    sn_random random = {.seed = 12};
    int good = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        sn_bytes file = make_file(trial % 2 == 0 ? 16 : 24, false, 1 + trial % 3, false, 5);
        for (int k = 0; k < 3; ++k) {
            file.data[sn_random_below(&random, (int)file.count)] =
                (uint8_t)sn_random_below(&random, 256);
        }
        // A block of just that size, so that the sanitizers see every step beyond it.
        size_t count = (size_t)sn_random_below(&random, (int)file.count + 1);
        uint8_t *exact = sn_allocate(count + 1);
        assert_non_null(exact);
        memcpy(exact + 1, file.data, count);
        sn_wave wave;
        sn_status status = sn_wave_read(exact + 1, count, &wave, NULL);
        assert_true(status == SN_OK || status == SN_ERROR_FORMAT);
        good += status == SN_OK;
        sn_wave_free(&wave);
        sn_free(exact);
        sn_bytes_free(&file);
    }
    assert_true(good > 500);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    sn_bytes file = make_file(16, false, 1, false, 100);
    sn_wave wave;
    sn_allocation_fail_after(0);
    assert_int_equal(sn_wave_read(file.data, file.count, &wave, NULL), SN_ERROR_MEMORY);
    sn_allocation_fail_after(-1);
    assert_null(wave.samples);
    sn_bytes_free(&file);
}

// A file as it goes to the breath: silence that is no number does no harm.
static void test_broken_sound(void **state)
{
    (void)state;
    sn_bytes file = make_file(32, true, 1, false, 8000);
    for (size_t i = file.count - 4000; i + 4 <= file.count; i += 4) {
        sn_store_u32(file.data + i, 0x7FC00000U);
    }
    sn_wave wave;
    assert_int_equal(sn_wave_read(file.data, file.count, &wave, NULL), SN_OK);
    sn_breath breath;
    assert_int_equal(sn_breath_start(&breath, sn_default_breath_def(), wave.rate, NULL), SN_OK);
    sn_breath_feed(&breath, wave.samples, wave.count);
    assert_int_equal(breath.broken, 1000);
    assert_true(isfinite(sn_breath_speed(&breath)));
    sn_wave_free(&wave);
    sn_bytes_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encodings),    cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_bent_files),   cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_broken_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
