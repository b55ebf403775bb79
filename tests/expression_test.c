// Expressions: values, precedence, and what is refused where.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "scene/expression.h"
#include "scene/text.h"
#include "sinew/math.h"

static const char *const names[] = {"draught", "angle", "n2"};
static const double values[] = {0.5, 0.25, 3.0};

static double evaluate(const char *text)
{
    sn_expression expression;
    sn_error error = {0};
    double value = NAN;
    sn_status status =
        sn_expression_compile(text, strlen(text), names, 3, &expression, NULL, &error);
    if (status == SN_OK) {
        status = sn_expression_evaluate(&expression, values, &value, NULL, &error);
        sn_expression_free(&expression);
    }
    if (status != SN_OK) {
        print_error("%s: %s\n", text, error.text);
    }
    assert_int_equal(status, SN_OK);
    return value;
}

static void near(const char *text, double expected)
{
    double value = evaluate(text);
    if (!(fabs(value - expected) <= 1e-15 * (1.0 + fabs(expected)))) {
        print_error("%s = %.17g, expected %.17g\n", text, value, expected);
    }
    assert_true(fabs(value - expected) <= 1e-15 * (1.0 + fabs(expected)));
}

static void computes(void **state)
{
    (void)state;
    near("1 + 2 * 3", 7);
    near("(1 + 2) * 3", 9);
    near("10 - 4 - 3", 3);
    near("24 / 4 / 3", 2);
    near("2 ^ 3 ^ 2", 512);
    near("-2 ^ 2", -4);
    near("2 ^ -1", 0.5);
    near("--3", 3);
    near("+ - 3", -3);
    near("2 * -3", -6);
    near("1e3 + 2.5E-1", 1000.25);
    near("draught*2 + sin(angle)", 1.0 + sin(0.25));
    near("n2^2", 9);
    near("sin(pi/6)", 0.5);
    near("cos(tau)", 1);
    near("tan(0.5)", tan(0.5));
    near("asin(1) - acos(0) + atan(1)*4", SN_PI);
    near("atan2(1, -1)", 0.75 * SN_PI);
    near("sqrt(2)^2", 2);
    near("abs(-3.5)", 3.5);
    near("min(3, 1, 2) + max(3, 1, 2, 7)", 8);
    near("exp(1) - pow(exp(0.5), 2)", 0);
    near("log(exp(2))", 2);
    near("floor(-1.5) + ceil(-1.5)", -3);
    near("clamp(5, 0, 2) + clamp(-5, 0, 2) + clamp(1, 0, 2)", 3);
    near("g0", 9.80665);
    near("30deg", SN_PI / 6);
    near("2 * 5 cm + 1mm", 0.101);
    near("45°", SN_PI / 4);
    near("2*3t", 6000);
}

static void refuse(const char *text, int place, const char *message)
{
    sn_expression expression;
    sn_error error = {0};
    int offset = -1;
    double value;
    sn_status status =
        sn_expression_compile(text, strlen(text), names, 3, &expression, &offset, &error);
    if (status == SN_OK) {
        status = sn_expression_evaluate(&expression, values, &value, &offset, &error);
        sn_expression_free(&expression);
    }
    if (status == SN_OK || strstr(error.text, message) == NULL || offset != place) {
        print_error("\"%s\" gave at %d: %s\n", text, offset, error.text);
    }
    assert_int_not_equal(status, SN_OK);
    assert_non_null(strstr(error.text, message));
    assert_int_equal(offset, place);
}

static void refuses(void **state)
{
    (void)state;
    refuse("", 0, "the expression ends, expected a value");
    refuse("1 +", 3, "the expression ends, expected a value");
    refuse("(1", 2, "expected ')' or an operator");
    refuse("1)", 1, "expected an operator or the end of the expression, found ')'");
    refuse("1 2", 2, "expected an operator");
    refuse("é", 0, "found 'é'");
    refuse("drauht*2", 0, "unknown name \"drauht\"; did you mean \"draught\"?");
    refuse("2*zebra", 2, "unknown name \"zebra\", expected a param");
    refuse("sim(1)", 0, "did you mean \"sin\"?");
    refuse("sin", 3, "expected '(' after the function's name");
    refuse("sin()", 4, "expected a number, a name or '('");
    refuse("sin(1, 2)", 0, "sin takes 1 argument, found 2");
    refuse("min(1)", 0, "min takes at least 2 arguments, found 1");
    refuse("atan2(1)", 0, "atan2 takes 2 arguments, found 1");
    refuse("2 foo", 2, "\"foo\" is not a unit");
    refuse("1/0", 1, "division by zero");
    refuse("1/(draught - 0.5)", 1, "division by zero");
    refuse("1 + sqrt(-1)", 4, "sqrt gives no number (NaN)");
    refuse("log(0)", 0, "log gives an infinite number");
    refuse("10^400", 2, "this operation gives an infinite number");
    refuse("1e999", 0, "out of range");
    refuse("1..2", 0, "expected a number");
}

static void limits_nesting(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        static const char *const pieces[] = {"(", "-", "1+(", "2^"};
        sn_text text = {0};
        for (int i = 0; i < 100000; ++i) {
            sn_text_add(&text, pieces[kind]);
        }
        sn_expression expression;
        sn_error error = {0};
        assert_int_equal(
            sn_expression_compile(text.data, text.length, NULL, 0, &expression, NULL, &error),
            SN_ERROR_SYNTAX);
        assert_non_null(strstr(error.text, "nested"));
        sn_text_free(&text);
    }
    // A long sum is no deep one.
    sn_text text = {0};
    sn_text_add(&text, "0");
    for (int i = 0; i < 20000; ++i) {
        sn_text_add(&text, "+1");
    }
    assert_true(evaluate(text.data) == 20000.0);
    sn_text_free(&text);
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    const char *text = "1+2+3+4+5+6+7+8+9+10+11+12+13+14+15";
    for (int n = 0;; ++n) {
        sn_expression expression;
        sn_allocation_fail_after(n);
        sn_status status =
            sn_expression_compile(text, strlen(text), NULL, 0, &expression, NULL, NULL);
        sn_allocation_fail_after(-1);
        if (status == SN_OK) {
            assert_true(n > 1);
            sn_expression_free(&expression);
            return;
        }
        assert_int_equal(status, SN_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(limits_nesting),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
