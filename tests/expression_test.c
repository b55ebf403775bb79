// Expressions: values, precedence, and what is refused where.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
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

static void compares_and_chooses(void **state)
{
    (void)state;
    near("1 < 2", 1);
    near("2 <= 2", 1);
    near("1 > 2", 0);
    near("2 >= 3", 0);
    near("2 == 2.0", 1);
    near("2 != 2", 0);
    near("1 + 1 == 2", 1);
    near("-1 < -2", 0);
    near("!0 + !5", 1);
    near("!(1 < 2)", 0);
    near("!1 != 1", 1);
    near("3 && -2", 1);
    near("3 && 0", 0);
    near("0 || 7", 1);
    near("0 || 0", 0);
    near("1 || 0 && 0", 1); // && before ||
    near("1 < 2 && 3 < 4 && 5 < 4", 0);
    near("0 || 0 || 2", 1);
    near("1 ? 2 : 3", 2);
    near("0 ? 2 : 3", 3);
    near("0 ? 1 : 0 ? 2 : 3", 3);
    near("1 ? 0 ? 4 : 5 : 6", 5);
    near("10 * (draught > 0.4 ? 1 : 2) + 1", 11);
    near("draught > 0.4 ? n2 : angle", 3);
    near("max(1 > 2 ? 5 : 6, 1 < 2)", 6);
    near("sign(-3) + sign(0) + sign(2)", 0);
    near("sign(-3)", -1);
    near("mod(7, 3)", 1);
    near("mod(-7, 3)", 2);
    near("mod(7, -3)", -2);
    near("mod(-6, 3)", 0);
    near("mod(5.5, 1.25)", 0.5);
    near("step(2, 1.9) + 10*step(2, 2)", 10);
    near("smoothstep(1, 3, 0) + smoothstep(1, 3, 9)", 1);
    near("smoothstep(1, 3, 1.5)", 0.25 * 0.25 * 2.5);
    // what does not count is not computed
    near("draught == 0.5 ? 1 : 1/0", 1);
    near("draught != 0.5 && 1/0", 0);
    near("draught == 0.5 || sqrt(-1)", 1);
}

// The same operators, computed by C, in random trees of them.
static double random_logic(sn_random *random, int depth, char *full, size_t room)
{
    if (depth == 0) {
        int digit = sn_random_below(random, 4);
        snprintf(full, room, "%d", digit);
        return digit;
    }
    char a[2000], b[2000], c[2000];
    double x = random_logic(random, depth - 1, a, sizeof a);
    double y = random_logic(random, depth - 1, b, sizeof b);
    double z = random_logic(random, depth - 1, c, sizeof c);
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||", "+", "-"};
    int kind = sn_random_below(random, 12);
    if (kind == 10) {
        snprintf(full, room, "(%.600s ? %.600s : %.600s)", a, b, c);
        return x != 0.0 ? y : z;
    }
    if (kind == 11) {
        snprintf(full, room, "!%.600s", a);
        return x == 0.0;
    }
    snprintf(full, room, "(%.600s %s %.600s)", a, signs[kind], b);
    const double results[] = {
        x<y, x <= y, x> y, x >= y, x == y, x != y, x && y, x || y, x + y, x - y};
    return results[kind];
}

static void agrees_with_c(void **state)
{
    (void)state;
    sn_random random = {.seed = 5};
    for (int i = 0; i < 2000; ++i) {
        char text[2000];
        double expected = random_logic(&random, 1 + i % 4, text, sizeof text);
        near(text, expected);
    }
}

// ---- readings ----

static sn_status find_reading(void *user, const char *thing, const char *quantity, int *number,
                              sn_error *error)
{
    (void)user;
    *number = quantity != NULL && strcmp(quantity, "speed") == 0    ? 2
              : quantity == NULL && strcmp(thing, "load") == 0      ? 1
              : quantity == NULL && strcmp(thing, "left foot") == 0 ? 0
                                                                    : -1;
    return *number >= 0 ? SN_OK : sn_fail(error, SN_ERROR_SCENE, NULL, "there is no such thing");
}

static double read_number(void *user, int number)
{
    int *counts = user;
    counts[number] += 1;
    return number == 3 ? NAN : 10.0 * (number + 1);
}

static sn_status evaluate_live(const char *text, double *value, int *offset, int counts[4],
                               sn_error *error)
{
    static const char *const words[] = {"load"};
    sn_expression_scope scope = {.names = names,
                                 .name_count = 3,
                                 .named = "a variable",
                                 .find = find_reading,
                                 .probes = words,
                                 .probe_count = 1};
    sn_expression_source source = {.values = values, .read = read_number, .user = counts};
    sn_expression expression;
    sn_status status =
        sn_expression_compile_in(text, strlen(text), &scope, &expression, offset, error);
    if (status == SN_OK) {
        status = sn_expression_evaluate_from(&expression, &source, value, offset, error);
        sn_expression_free(&expression);
    }
    return status;
}

static void reads_a_running_world(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double expected;
        int reads;
    } good[] = {
        {"probe('left foot') + 1", 11, 1},
        {"probe(\"left foot\")", 10, 1},
        {"load * load", 400, 2},
        {"of('ball', 'speed')", 30, 1},
        {"of( 'ball' , \"speed\" ) ^ 2", 900, 1},
        {"of('ball\\'s', 'speed')", 0, -1},
        {"of(\"ball's\", 'speed')", 30, 1},
        {"n2 > 2 ? 1 : load", 1, 0},
        {"angle * probe('load')", 5, 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        int counts[4] = {0}, offset = -1;
        double value = NAN;
        sn_error error = {0};
        sn_status status = evaluate_live(good[i].text, &value, &offset, counts, &error);
        assert_int_equal(status == SN_OK, good[i].reads >= 0);
        assert_true(status != SN_OK || value == good[i].expected);
        assert_true(status != SN_OK || counts[0] + counts[1] + counts[2] == good[i].reads);
    }
    static const struct {
        const char *text, *message;
        int place;
    } bad[] = {
        {"probe(left)", "a name in quotes", 6},     {"probe('left", "never closed", 6},
        {"probe 'left'", "expected '('", 6},        {"probe('a', 'b')", "expected ')'", 9},
        {"of('a')", "a quantity such as", 6},       {"2 * of('a', 'b')", "no such thing", 4},
        {"1 + probe('rigth')", "no such thing", 4}, {"laod", "did you mean \"load\"", 0},
        {"zebra", "expected a variable, pi", 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        int counts[4] = {0}, offset = -1;
        double value = NAN;
        sn_error error = {0};
        assert_int_not_equal(evaluate_live(bad[i].text, &value, &offset, counts, &error), SN_OK);
        if (strstr(error.text, bad[i].message) == NULL || offset != bad[i].place) {
            print_error("\"%s\" gave at %d: %s\n", bad[i].text, offset, error.text);
        }
        assert_non_null(strstr(error.text, bad[i].message));
        assert_int_equal(offset, bad[i].place);
    }
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
    refuse("1 < 2 < 3", 6, "comparisons cannot be chained");
    refuse("1 = 2", 2, "expected an operator");
    refuse("1 & 2", 2, "expected an operator");
    refuse("1 ? 2", 5, "expected ':'");
    refuse("1 ? : 2", 4, "expected a number");
    refuse("&& 1", 0, "expected a number");
    refuse("1 == ", 5, "expected a value");
    refuse("0 ? 1 : 1/0", 9, "division by zero");
    refuse("mod(1, 0)", 0, "mod gives no number");
    refuse("probe('left foot')", 0, "only behaviours can use it");
    refuse("of('ball', 'speed')", 0, "only behaviours can use it");
    refuse("2 * time", 4, "\"time\" reads a running world, expected a param of the scene");
}

static void limits_nesting(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; ++kind) {
        static const char *const pieces[] = {"(", "-", "1+(", "2^", "1?2:", "1?", "!", "sin("};
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
        cmocka_unit_test(compares_and_chooses),
        cmocka_unit_test(agrees_with_c),
        cmocka_unit_test(reads_a_running_world),
        cmocka_unit_test(refuses),
        cmocka_unit_test(limits_nesting),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
