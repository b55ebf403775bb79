// Synthetic breaths, voices and rooms: what the filters let through, how the speed follows, and
// what calibration makes of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "sinew/breath.h"
#include "sinew/math.h"

enum { RATE = 16000, LONGEST = 4 * RATE };
static float sound[LONGEST];

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
    }
}

static sn_breath start(void)
{
    sn_breath breath;
    assert_int_equal(sn_breath_start(&breath, sn_default_breath_def(), RATE, NULL), SN_OK);
    return breath;
}

static void make_tone(double frequency, double level, int count)
{
    for (int i = 0; i < count; ++i) {
        sound[i] = (float)(sqrt(2.0) * level * sin(2.0 * SN_PI * frequency * i / RATE));
    }
}

// Noise that falls off above 80 Hz, as wind at a microphone does, with a level of about 1.
static void make_wind(double level, uint64_t seed, int count)
{
    sn_random random = {.seed = seed};
    double one = 0.0, two = 0.0, share = 1.0 - exp(-2.0 * SN_PI * 80.0 / RATE);
    for (int i = 0; i < count; ++i) {
        one += share * (sn_random_range(&random, -1.0, 1.0) - one);
        two += share * (one - two);
        sound[i] = (float)(level * 20.0 * two);
    }
}

// A pulse train through two formants: the sound of a vowel of 120 Hz.
static void make_voice(double level, int count)
{
    memset(sound, 0, sizeof(float) * (size_t)count);
    double state[2][2] = {{0}};
    const double formants[2] = {700.0, 1200.0};
    for (int i = 0; i < count; ++i) {
        double pulse = i % (RATE / 120) == 0 ? 1.0 : 0.0, sum = 0.0;
        for (int k = 0; k < 2; ++k) {
            double radius = 1.0 - SN_PI * 90.0 / RATE;
            double y = pulse + 2.0 * radius * cos(2.0 * SN_PI * formants[k] / RATE) * state[k][0] -
                       radius * radius * state[k][1];
            state[k][1] = state[k][0];
            state[k][0] = y;
            sum += y;
        }
        sound[i] = (float)(level * sum);
    }
}

// ---- the law ----

// A tone in the band: speed = full_speed sqrt((level - floor) / (full_level - floor)).
static void test_speed_of_a_tone(void **state)
{
    (void)state;
    const double levels[] = {0.001, 0.002, 0.02, 0.05, 0.2, 0.4};
    for (int i = 0; i < 6; ++i) {
        sn_breath breath = start();
        make_tone(70.0, levels[i], 3 * RATE);
        sn_breath_feed(&breath, sound, 3 * RATE);
        double above = fmax(levels[i] - 0.002, 0.0);
        assert_near(sn_breath_level(&breath), levels[i], 0.06 * levels[i]);
        assert_near(sn_breath_speed(&breath), sqrt(above / 0.198), 0.03);
    }
}

static void test_band(void **state)
{
    (void)state;
    // Effective value that passes, as a share: Butterworth of second order at 20 Hz, and twice at
    // 200 Hz.
    const double tones[] = {5.0, 20.0, 70.0, 200.0, 500.0, 2000.0};
    for (int i = 0; i < 6; ++i) {
        sn_breath breath = start();
        make_tone(tones[i], 0.1, 3 * RATE);
        double sum = 0.0;
        sn_breath_feed(&breath, sound, 2 * RATE);
        for (int k = 0; k < RATE; ++k) { // whole periods
            sn_breath_feed(&breath, sound + 2 * RATE + k, 1);
            sum += breath.low_mean;
        }
        double warp = tan(SN_PI * tones[i] / RATE);
        double low = pow(tan(SN_PI * 20.0 / RATE) / warp, 4.0);
        double high = pow(warp / tan(SN_PI * 200.0 / RATE), 4.0);
        double wanted = 0.1 / (sqrt(1.0 + low) * (1.0 + high));
        assert_near(sqrt(sum / RATE), wanted, 2e-3 * wanted + 1e-9);
    }
}

static void test_attack_and_release(void **state)
{
    (void)state;
    sn_breath breath = start();
    make_tone(70.0, 0.2, 3 * RATE);
    sn_breath_feed(&breath, sound, RATE / 5);
    assert_true(sn_breath_speed(&breath) > 0.85); // four attacks
    sn_breath_feed(&breath, sound + RATE / 5, 2 * RATE);
    double full = sn_breath_speed(&breath);
    memset(sound, 0, sizeof sound);
    // After the level has gone, the speed falls by e in 0.3 s.
    sn_breath_feed(&breath, sound, RATE / 2);
    double then = sn_breath_speed(&breath);
    assert_true(then < full);
    sn_breath_feed(&breath, sound, (size_t)(0.3 * RATE));
    assert_near(sn_breath_speed(&breath) / then, exp(-1.0), 0.01);
    sn_breath_feed(&breath, sound, LONGEST);
    assert_true(sn_breath_speed(&breath) < 1e-4);
}

static void test_wind_and_voice(void **state)
{
    (void)state;
    sn_breath breath = start();
    make_wind(0.2, 1, 2 * RATE);
    sn_breath_feed(&breath, sound, 2 * RATE);
    double blow = sn_breath_speed(&breath), level = sn_breath_level(&breath);
    assert_true(blow > 0.3);
    breath = start();
    make_voice(0.05, 2 * RATE);
    double loudest = 0.0, most = 0.0;
    for (int i = 0; i < 2 * RATE; i += 100) {
        sn_breath_feed(&breath, sound + i, 100);
        loudest = fmax(loudest, sn_breath_speed(&breath));
        most = fmax(most, sn_breath_level(&breath));
    }
    assert_true(most > 3.0 * breath.def.floor); // it is heard, and not taken for wind
    assert_true(loudest < 0.1 * blow);
    assert_true(level > 0.0);
}

// The same bits however the samples are divided; anything else is counted.
static void test_division(void **state)
{
    (void)state;
    make_wind(0.3, 2, RATE);
    sound[100] = NAN;
    sound[101] = INFINITY;
    sound[102] = 7.0F;
    sn_breath whole = start(), parts = start();
    sn_breath_feed(&whole, sound, RATE);
    for (int i = 0; i < RATE; i += 128) {
        sn_breath_feed(&parts, sound + i, (size_t)(RATE - i < 128 ? RATE - i : 128));
    }
    assert_memory_equal(&whole.speed, &parts.speed, sizeof whole.speed);
    assert_true(isfinite(whole.speed));
    assert_int_equal(whole.broken, 2);
    assert_int_equal(whole.clipped >= 1, 1);
    assert_int_equal(whole.heard, RATE);
}

// Notes of the speed: the same from blocks of any size as from the whole recording.
static void test_course(void **state)
{
    (void)state;
    const int rates[] = {8000, 44100, 48000};
    for (int r = 0; r < 3; ++r) {
        make_wind(0.3, 3, RATE);
        int count = rates[r] < RATE ? rates[r] : RATE;
        sn_motion *course = NULL;
        sn_breath live, heard;
        sn_breath_def def = sn_default_breath_def();
        assert_int_equal(
            sn_breath_course(def, rates[r], sound, (size_t)count, &course, &heard, NULL), SN_OK);
        assert_int_equal(sn_breath_start(&live, def, rates[r], NULL), SN_OK);
        for (int i = 0; i < count; i += 441) {
            sn_breath_feed(&live, sound + i, (size_t)(count - i < 441 ? count - i : 441));
            for (uint64_t k = 0; k < live.ticks; ++k) {
                double t = (double)k / SN_BREATH_TICKS;
                if (live.ticks - k <= SN_BREATH_NOTED) {
                    assert_true(sn_breath_speed_at(&live, t) == sn_motion_at(course, t).value);
                }
            }
        }
        assert_memory_equal(&live, &heard, sizeof live);
        double last = (double)(live.ticks - 1) / SN_BREATH_TICKS;
        assert_near(sn_breath_speed_at(&live, last - 0.0025),
                    0.5 *
                        (sn_breath_speed_at(&live, last) + sn_breath_speed_at(&live, last - 0.005)),
                    1e-12);
        assert_true(sn_breath_speed_at(&live, 1e9) == sn_breath_speed_at(&live, last));
        assert_true(sn_breath_speed_at(&live, -1.0) == sn_breath_speed_at(&live, 0.0));
        assert_true(sn_motion_at(course, 1e9).value == 0.0);
        sn_motion_release(course);
    }
    sn_motion *course = NULL;
    assert_int_equal(sn_breath_course(sn_default_breath_def(), RATE, sound, 0, &course, NULL, NULL),
                     SN_ERROR_ARGUMENT);
    assert_null(course);
}

// ---- calibration ----

static void test_calibration(void **state)
{
    (void)state;
    sn_breath breath = start();
    make_wind(0.01, 3, 2 * RATE);
    assert_int_equal(sn_breath_hear_silence(&breath, sound, 2 * RATE, NULL), SN_OK);
    sn_breath_feed(&breath, sound, 2 * RATE);
    assert_near(sn_breath_speed(&breath), 0.0, 0.0); // this room moves nothing
    make_wind(0.15, 4, 2 * RATE);
    assert_int_equal(sn_breath_hear_blow(&breath, sound, 2 * RATE, NULL), SN_OK);
    // The same blow again is a full one, on the average.
    double sum = 0.0;
    sn_breath_feed(&breath, sound, RATE / 2);
    for (int i = RATE / 2; i < 2 * RATE; ++i) {
        sn_breath_feed(&breath, sound + i, 1);
        sum += sn_breath_speed(&breath);
    }
    assert_near(sum / (1.5 * RATE), 1.0, 0.15);
}

static void expect_refused(sn_status status, const sn_error *error, const char *says)
{
    assert_int_equal(status, SN_ERROR_ARGUMENT);
    if (strstr(error->text, says) == NULL) {
        fail_msg("'%s' does not say '%s'", error->text, says);
    }
}

static void test_bad_recordings(void **state)
{
    (void)state;
    sn_breath breath = start(), before = breath;
    sn_error error = {0};
    memset(sound, 0, sizeof sound);
    expect_refused(sn_breath_hear_silence(&breath, sound, 100, &error), &error, "0.5 s or more");
    expect_refused(sn_breath_hear_blow(&breath, sound, RATE, &error), &error, "twice");
    sound[9] = NAN;
    expect_refused(sn_breath_hear_silence(&breath, sound, RATE, &error), &error, "no numbers");
    for (int i = 0; i < RATE; ++i) {
        sound[i] = i % 200 < 100 ? 1.0F : -1.0F;
    }
    expect_refused(sn_breath_hear_blow(&breath, sound, RATE, &error), &error, "clipped");
    assert_true(breath.def.floor == before.def.floor &&
                breath.def.full_level == before.def.full_level);
    // Digital silence is a good silence.
    memset(sound, 0, sizeof sound);
    assert_int_equal(sn_breath_hear_silence(&breath, sound, RATE, &error), SN_OK);
    sn_breath_feed(&breath, sound, RATE);
    assert_near(sn_breath_speed(&breath), 0.0, 0.0);
}

static void test_bad_definitions(void **state)
{
    (void)state;
    sn_breath breath;
    sn_error error = {0};
    sn_breath_def def = sn_default_breath_def();
    expect_refused(sn_breath_start(&breath, def, 100.0, &error), &error, "rate");
    expect_refused(sn_breath_start(&breath, def, NAN, &error), &error, "rate");
    def.attack = 0.0;
    expect_refused(sn_breath_start(&breath, def, RATE, &error), &error, "attack");
    def = sn_default_breath_def();
    def.floor = 0.3;
    expect_refused(sn_breath_start(&breath, def, RATE, &error), &error, "full blow");
    def = sn_default_breath_def();
    def.wind_ratio = 0.5;
    expect_refused(sn_breath_start(&breath, def, RATE, &error), &error, "ratios");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speed_of_a_tone),    cmocka_unit_test(test_band),
        cmocka_unit_test(test_attack_and_release), cmocka_unit_test(test_wind_and_voice),
        cmocka_unit_test(test_division),           cmocka_unit_test(test_course),
        cmocka_unit_test(test_calibration),        cmocka_unit_test(test_bad_recordings),
        cmocka_unit_test(test_bad_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
