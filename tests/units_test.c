// Unit strings against their definitions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene/units.h"
#include "sinew/math.h"

static double read(const char *text, sn_dimension_id expected)
{
    double value = NAN;
    sn_unit unit;
    bool has_unit;
    sn_error error = {0};
    sn_status status = sn_units_read(text, strlen(text), &value, &unit, &has_unit, &error);
    if (status != SN_OK || !sn_dimension_accepts(sn_dimension_powers(expected), unit.dimension)) {
        char buffer[96];
        print_error("%s: %s (%s)\n", text, error.text,
                    sn_dimension_describe(unit.dimension, buffer));
    }
    assert_int_equal(status, SN_OK);
    assert_true(sn_dimension_accepts(sn_dimension_powers(expected), unit.dimension));
    return value;
}

static void near(double value, double expected)
{
    if (fabs(value - expected) > 4e-16 * fabs(expected)) {
        print_error("%.17g, expected %.17g\n", value, expected);
    }
    assert_true(fabs(value - expected) <= 4e-16 * fabs(expected));
}

static void reads_decimal_units_exactly(void **state)
{
    (void)state;
    assert_true(read("5 mm", SN_LENGTH) == 0.005);
    assert_true(read("5.1mm", SN_LENGTH) == 0.0051);
    assert_true(read("30cm", SN_LENGTH) == 0.3);
    assert_true(read("-2.5e3 µm", SN_LENGTH) == -2.5e-3);
    assert_true(read("7um", SN_LENGTH) == 7e-6);
    assert_true(read("2t", SN_MASS) == 2000.0);
    assert_true(read("250 g", SN_MASS) == 0.25);
    assert_true(read("1.1kg", SN_MASS) == 1.1);
    assert_true(read("3 kN", SN_FORCE) == 3000.0);
    assert_true(read("9.81 m/s^2", SN_ACCELERATION) == 9.81);
    assert_true(read("9.81 m s^-2", SN_ACCELERATION) == 9.81);
    assert_true(read("2.7 g/cm^3", SN_DENSITY) == 2700.0);
    assert_true(read("2.7 g/cm³", SN_DENSITY) == 2700.0);
    assert_true(read("0.3 N/mm", SN_STIFFNESS) == 300.0);
    assert_true(read("20 N m/rad", SN_ANGULAR_STIFFNESS) == 20.0);
    assert_true(read("20 N*m/rad", SN_ANGULAR_STIFFNESS) == 20.0);
    assert_true(read("20 N·m", SN_ANGULAR_STIFFNESS) == 20.0); // radians may be left out
    assert_true(read("1.01325bar", SN_PRESSURE) == 101325.0);
    assert_true(read("200 kg cm^2", SN_MOMENT_OF_INERTIA) == 0.02);
    assert_true(read("2 l", SN_VOLUME) == 0.002);
    assert_true(read("50%", SN_NUMBER) == 0.5);
    assert_true(read("+4", SN_NUMBER) == 4.0);
    assert_true(read("2 1/s", SN_ANGULAR_SPEED) == 2.0);
    assert_true(read("1in", SN_LENGTH) == 0.0254);
    assert_true(read("1 ft", SN_LENGTH) == 0.3048);
    static const char *const inches[] = {"10in", "10 in", "10 inch", "10 inches", "10\"", "10″"};
    for (int i = 0; i < 6; ++i) {
        assert_true(read(inches[i], SN_LENGTH) == 0.254);
    }
    assert_true(read("2 foot", SN_LENGTH) == 0.6096);
    assert_true(read("2 feet", SN_LENGTH) == 0.6096);
    assert_true(read("100 inch^2", SN_AREA) == 0.064516);
    assert_true(read("1 lb", SN_MASS) == 0.45359237);
    assert_true(read("16 oz", SN_MASS) == 0.45359237);
}

static void reads_other_units(void **state)
{
    (void)state;
    near(read("30deg", SN_ANGLE), SN_PI / 6.0);
    near(read("180°", SN_ANGLE), SN_PI);
    near(read("1200 rpm", SN_ANGULAR_SPEED), 40.0 * SN_PI);
    near(read("2 rev/s", SN_ANGULAR_SPEED), 4.0 * SN_PI);
    near(read("90 deg/s", SN_ANGULAR_SPEED), SN_PI / 2.0);
    near(read("72 km/h", SN_SPEED), 20.0);
    near(read("1.5 min", SN_TIME), 90.0);
    near(read("1 psi", SN_PRESSURE), 0.45359237 * 9.80665 / (0.0254 * 0.0254));
    near(read("1 lbf", SN_FORCE), 0.45359237 * 9.80665);
    near(read("1 kW h", SN_TORQUE), 3.6e6);
    near(read("5 J/(m^2)", SN_STIFFNESS), 5.0);
    near(read("1/s", SN_FREQUENCY), 1.0);
    near(read("0.5 / min", SN_FREQUENCY), 0.5 / 60.0);
}

static void refuse(const char *text, const char *message)
{
    double value;
    sn_unit unit;
    bool has_unit;
    sn_error error = {0};
    sn_status status = sn_units_read(text, strlen(text), &value, &unit, &has_unit, &error);
    if (status == SN_OK || strstr(error.text, message) == NULL) {
        print_error("\"%s\" gave: %s\n", text, error.text);
    }
    assert_int_equal(status, SN_ERROR_SYNTAX);
    assert_non_null(strstr(error.text, message));
}

static void refuses(void **state)
{
    (void)state;
    refuse("five mm", "does not start with a number");
    refuse("", "does not start with a number");
    refuse("5 metres", "unknown unit \"metres\"");
    refuse("5 kgg", "did you mean \"kg\"?");
    refuse("5 degg", "did you mean \"deg\"?");
    refuse("5 m/", "expected a unit such as \"s\" at the end of \"m/\"");
    refuse("5/", "expected a unit such as \"s\" at the end of \"/\"");
    refuse("5 //s", "expected a unit such as \"s\" in \"//s\"");
    refuse("5 (/s)", "expected a unit such as \"s\" in \"(/s)\"");
    refuse("5 m^", "whole power");
    refuse("5 m^0.5", "whole power");
    refuse("5 m^12", "whole power");
    refuse("5 (m", "expected ')'");
    refuse("5 m)", "a ')' too many");
    refuse("5 ((((((((((m", "parentheses");
    refuse("5 kmin", "unknown unit");
    refuse("1e308 km", "out of range");
    refuse("1e999 m", "out of range");
    refuse("5 Gm^9 Gm^9 Gm^9 Gm^9 Gm^9 Gm^9", "out of range");
    refuse("5 mm mm^9 mm^9 mm^9 mm^9 mm^9 mm^9 mm^9 mm^9 mm^9 mm^9 mm^9 mm^9", "out of range");
}

static void knows_dimensions(void **state)
{
    (void)state;
    sn_dimension length = sn_dimension_powers(SN_LENGTH), mass = sn_dimension_powers(SN_MASS);
    assert_false(sn_dimension_accepts(length, mass));
    assert_false(
        sn_dimension_accepts(sn_dimension_powers(SN_NUMBER), sn_dimension_powers(SN_ANGLE)));
    assert_true(
        sn_dimension_accepts(sn_dimension_powers(SN_ANGLE), sn_dimension_powers(SN_NUMBER)));
    assert_false(sn_dimension_accepts(sn_dimension_powers(SN_FREQUENCY),
                                      sn_dimension_powers(SN_ANGULAR_SPEED)));
    char buffer[96];
    assert_string_equal(sn_dimension_describe(mass, buffer), "a mass");
    sn_dimension odd = {.length = 2, .mass = 1, .current = -1};
    assert_string_equal(sn_dimension_describe(odd, buffer), "m^2 kg A^-1");
    // Each dimension's own SI unit reads back as that dimension, and as 1.
    for (int i = 0; i < SN_DIMENSION_COUNT; ++i) {
        sn_unit unit;
        const char *text = sn_dimension_unit((sn_dimension_id)i);
        assert_int_equal(sn_units_read_unit(text, strlen(text), &unit, NULL), SN_OK);
        assert_true(sn_unit_factor(&unit) == 1.0);
        sn_dimension powers = sn_dimension_powers((sn_dimension_id)i);
        assert_memory_equal(&unit.dimension, &powers, sizeof powers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_decimal_units_exactly),
        cmocka_unit_test(reads_other_units),
        cmocka_unit_test(refuses),
        cmocka_unit_test(knows_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
