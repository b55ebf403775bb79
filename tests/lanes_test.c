// Four doubles at a time: the functions of math/lanes.h against those of math/elementary.h.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/lanes.h"

static void assert_close(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", value, wanted, tolerance);
    }
}

static void test_sincos(void **state)
{
    (void)state;
    sn_random random = {.seed = 1};
    for (int i = 0; i < 20000; ++i) {
        double reach = i % 4 == 0 ? 1.0 : (i % 4 == 1 ? 100.0 : (i % 4 == 2 ? 1e6 : 1e9));
        sn_lanes x, s, c;
        for (int k = 0; k < SN_LANES; ++k) {
            x[k] = sn_random_range(&random, -reach, reach);
        }
        wide_sincos(&x, &s, &c);
        for (int k = 0; k < SN_LANES; ++k) {
            assert_close(s[k], sn_sin(x[k]), 3e-16);
            assert_close(c[k], sn_cos(x[k]), 3e-16);
        }
    }
    sn_lanes x = {0.0, NAN, 0x1p20, -0x1p20}, s, c;
    wide_sincos(&x, &s, &c);
    assert_true(s[0] == 0.0 && c[0] == 1.0 && isnan(s[1]) && isnan(c[1]));
    assert_close(s[2], sn_sin(0x1p20), 3e-16);
    assert_close(c[3], sn_cos(0x1p20), 3e-16);
}

static void test_exp_and_log(void **state)
{
    (void)state;
    sn_random random = {.seed = 2};
    for (int i = 0; i < 20000; ++i) {
        double reach = i % 2 == 0 ? 1.0 : 690.0;
        sn_lanes x, e, l;
        for (int k = 0; k < SN_LANES; ++k) {
            x[k] = sn_random_range(&random, -reach, reach);
        }
        wide_exp(&x, &e);
        wide_log(&e, &l);
        for (int k = 0; k < SN_LANES; ++k) {
            double wanted = sn_exp(x[k]);
            assert_close(e[k], wanted, 4e-16 * wanted);
            assert_close(l[k], sn_log(e[k]), 4e-16 * fmax(fabs(x[k]), fabs(e[k] - 1.0)));
        }
    }
    sn_lanes x = {0.0, -701.0, -1e300, -INFINITY}, e;
    wide_exp(&x, &e);
    assert_true(e[0] == 1.0 && e[1] == 0.0 && e[2] == 0.0 && e[3] == 0.0);
    sn_lanes one = {1.0, 2.0, 0.5, 4.0}, l;
    wide_log(&one, &l);
    assert_true(l[0] == 0.0);
    assert_close(l[3], 2.0 * l[1], 2e-16);
}

static void test_parts(void **state)
{
    (void)state;
    sn_lanes a = {1.0, -2.0, 3.0, -4.0}, b = {4.0, 3.0, 2.0, 1.0}, c;
    sn_lane_mask more = a > b;
    wide_select(&c, &more, &a, &b);
    assert_true(c[0] == 4.0 && c[1] == 3.0 && c[2] == 3.0 && c[3] == 1.0);
    wide_mask(&c, &more);
    assert_true(c[0] == 0.0 && c[1] == 0.0 && c[2] == 3.0 && c[3] == 0.0);
    assert_true(wide_any(&more));
    wide_abs(&a);
    assert_true(a[1] == 2.0 && a[3] == 4.0 && wide_sum(&a) == 10.0);
    wide_sqrt(&c, &b);
    assert_true(c[0] == 2.0 && c[1] == sqrt(3.0) && c[3] == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sincos),
        cmocka_unit_test(test_exp_and_log),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
