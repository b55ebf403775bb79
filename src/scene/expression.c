#include "scene/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/suggest.h"
#include "math/elementary.h"
#include "scene/text.h"
#include "scene/units.h"
#include "sinew/math.h"

typedef struct function_row {
    const char *name;
    int least, most;
} function_row;

static const function_row functions[] = {
#define X(id, name, least, most, text) {name, least, most},
    SN_FUNCTION_LIST(X)
#undef X
};

static const struct constant {
    const char *name;
    double value;
} constants[] = {{"pi", SN_PI}, {"tau", 2.0 * SN_PI}, {"g0", 9.80665}};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// ---- compiling: recursive descent straight to steps ----

typedef struct compiler {
    const char *text;
    size_t length, at;
    const char *const *params;
    int param_count;
    sn_expression *program;
    int depth;      // of the recursion
    int stack;      // values on the machine's stack after the steps so far
    size_t mistake; // where
    sn_error *error;
} compiler;

#define DEPTH_LIMIT 100

static sn_status compile_sum(compiler *c);

static void skip_space(compiler *c)
{
    while (c->at < c->length && strchr(" \t\r\n", c->text[c->at]) != NULL) {
        c->at += 1;
    }
}

static bool take(compiler *c, char wanted)
{
    skip_space(c);
    if (c->at < c->length && c->text[c->at] == wanted) {
        c->at += 1;
        return true;
    }
    return false;
}

static sn_status emit(compiler *c, sn_expression_step step, int change)
{
    if (!sn_array_push(c->program, step)) {
        return sn_fail_memory(c->error, sizeof step);
    }
    c->stack += change;
    if (c->stack > SN_EXPRESSION_STACK) {
        c->mistake = (size_t)step.offset;
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL,
                       "the expression is too deeply nested, expected at most %d pending values",
                       SN_EXPRESSION_STACK);
    }
    return SN_OK;
}

static sn_status fail_expected(compiler *c, const char *expected)
{
    skip_space(c);
    c->mistake = c->at;
    if (c->at >= c->length) {
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL, "the expression ends, expected %s",
                       expected);
    }
    // One whole character, so that the message stays valid UTF-8.
    int count = 1;
    while (c->at + (size_t)count < c->length && (c->text[c->at + (size_t)count] & 0xc0) == 0x80) {
        count += 1;
    }
    return sn_fail(c->error, SN_ERROR_SYNTAX, NULL, "expected %s, found '%.*s'", expected, count,
                   c->text + c->at);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t name_length(const compiler *c)
{
    size_t count = 0;
    while (c->at + count < c->length &&
           (is_letter(c->text[c->at + count]) ||
            (count > 0 && c->text[c->at + count] >= '0' && c->text[c->at + count] <= '9'))) {
        count += 1;
    }
    return count;
}

// A number, and the unit symbol that may follow it.
static sn_status compile_number(compiler *c)
{
    size_t start = c->at;
    size_t count = sn_number_length(c->text + c->at, c->length - c->at);
    if (count == 0) {
        return fail_expected(c, "a number such as 1.5");
    }
    c->at += count;
    sn_unit unit = {.multiply = 1, .divide = 1};
    size_t after = c->at;
    skip_space(c);
    size_t symbol = name_length(c);
    if (symbol == 0 && c->length - c->at >= 2 && memcmp(c->text + c->at, "°", 2) == 0) {
        symbol = 2;
    }
    if (symbol > 0) {
        if (!sn_units_read_symbol(c->text + c->at, symbol, &unit)) {
            c->mistake = c->at;
            return sn_fail(c->error, SN_ERROR_SYNTAX, NULL,
                           "\"%.*s\" is not a unit, expected one such as mm or deg, or an operator "
                           "before it",
                           (int)(symbol < 40 ? symbol : 40), c->text + c->at);
        }
        c->at += symbol;
    } else {
        c->at = after;
    }
    double value;
    if (!sn_number_from_text(c->text + start, count, unit.decimal, &value)) {
        c->mistake = start;
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL, "the number is out of range");
    }
    value = value * unit.multiply / unit.divide;
    return emit(c, (sn_expression_step){SN_CODE_NUMBER, 0, value, (int)start}, 1);
}

static sn_status compile_call(compiler *c, int function, size_t start)
{
    const function_row *row = &functions[function];
    int count = 0;
    do {
        sn_status status = compile_sum(c);
        if (status != SN_OK) {
            return status;
        }
        count += 1;
    } while (take(c, ','));
    if (!take(c, ')')) {
        return fail_expected(c, "')' or an operator");
    }
    if (count < row->least || count > row->most) {
        c->mistake = start;
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL, "%s takes %s%d argument%s, found %d",
                       row->name,
                       row->most > row->least && count < row->least ? "at least "
                       : row->most > row->least                     ? "at most "
                                                                    : "",
                       count < row->least ? row->least : row->most,
                       (count < row->least ? row->least : row->most) == 1 ? "" : "s", count);
    }
    return emit(c, (sn_expression_step){(sn_expression_code)function, count, 0, (int)start},
                1 - count);
}

static sn_status fail_name(compiler *c, const char *name)
{
    c->mistake = c->at;
    const char *known[64 + COUNT(functions) + COUNT(constants)] = {0};
    int count = 0;
    for (int i = 0; i < COUNT(functions); ++i) {
        known[count++] = functions[i].name;
    }
    for (int i = 0; i < COUNT(constants); ++i) {
        known[count++] = constants[i].name;
    }
    for (int i = 0; i < c->param_count && count < COUNT(known); ++i) {
        known[count++] = c->params[i];
    }
    const char *near = sn_suggest(name, known, count);
    if (near != NULL) {
        return sn_fail(c->error, SN_ERROR_SCENE, NULL, "unknown name \"%s\"; did you mean \"%s\"?",
                       name, near);
    }
    return sn_fail(c->error, SN_ERROR_SCENE, NULL,
                   "unknown name \"%s\", expected a param of the scene, pi, tau, g0, or a function "
                   "such as sin(x)",
                   name);
}

static sn_status compile_name(compiler *c)
{
    size_t start = c->at, count = name_length(c);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)count, c->text + c->at);
    for (int i = 0; i < COUNT(functions); ++i) {
        if (strcmp(name, functions[i].name) == 0) {
            c->at += count;
            return take(c, '(') ? compile_call(c, i, start)
                                : fail_expected(c, "'(' after the function's name");
        }
    }
    for (int i = 0; i < COUNT(constants); ++i) {
        if (strcmp(name, constants[i].name) == 0) {
            c->at += count;
            return emit(c, (sn_expression_step){SN_CODE_NUMBER, 0, constants[i].value, (int)start},
                        1);
        }
    }
    for (int i = 0; i < c->param_count; ++i) {
        if (strlen(c->params[i]) == count && memcmp(c->params[i], c->text + start, count) == 0) {
            c->at += count;
            return emit(c, (sn_expression_step){SN_CODE_PARAM, i, 0, (int)start}, 1);
        }
    }
    return fail_name(c, name);
}

static sn_status compile_atom(compiler *c)
{
    skip_space(c);
    if (c->at >= c->length) {
        return fail_expected(c, "a value");
    }
    char first = c->text[c->at];
    if (take(c, '(')) {
        sn_status status = compile_sum(c);
        if (status == SN_OK && !take(c, ')')) {
            return fail_expected(c, "')' or an operator");
        }
        return status;
    }
    if ((first >= '0' && first <= '9') || first == '.') {
        return compile_number(c);
    }
    return is_letter(first) ? compile_name(c) : fail_expected(c, "a number, a name or '('");
}

// sign: '-' sign | '+' sign | atom ['^' sign]
static sn_status compile_sign(compiler *c)
{
    c->depth += 1;
    if (c->depth > DEPTH_LIMIT) {
        c->mistake = c->at;
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL,
                       "the expression is nested more than %d deep, expected fewer levels",
                       DEPTH_LIMIT);
    }
    sn_status status;
    skip_space(c);
    int start = (int)c->at;
    if (take(c, '-')) {
        status = compile_sign(c);
        status = status == SN_OK ? emit(c, (sn_expression_step){SN_CODE_NEGATE, 0, 0, start}, 0)
                                 : status;
    } else if (take(c, '+')) {
        status = compile_sign(c);
    } else {
        status = compile_atom(c);
        skip_space(c);
        int operator=(int) c->at;
        if (status == SN_OK && take(c, '^')) {
            status = compile_sign(c);
            status = status == SN_OK
                         ? emit(c, (sn_expression_step){SN_CODE_POWER, 0, 0, operator}, -1)
                         : status;
        }
    }
    c->depth -= 1;
    return status;
}

static sn_status compile_product(compiler *c)
{
    sn_status status = compile_sign(c);
    while (status == SN_OK) {
        skip_space(c);
        int start = (int)c->at;
        sn_expression_code code = take(c, '*') ? SN_CODE_MULTIPLY : SN_CODE_DIVIDE;
        if (code == SN_CODE_DIVIDE && !take(c, '/')) {
            return SN_OK;
        }
        status = compile_sign(c);
        status = status == SN_OK ? emit(c, (sn_expression_step){code, 0, 0, start}, -1) : status;
    }
    return status;
}

static sn_status compile_sum(compiler *c)
{
    sn_status status = compile_product(c);
    while (status == SN_OK) {
        skip_space(c);
        int start = (int)c->at;
        sn_expression_code code = take(c, '+') ? SN_CODE_ADD : SN_CODE_SUBTRACT;
        if (code == SN_CODE_SUBTRACT && !take(c, '-')) {
            return SN_OK;
        }
        status = compile_product(c);
        status = status == SN_OK ? emit(c, (sn_expression_step){code, 0, 0, start}, -1) : status;
    }
    return status;
}

sn_status sn_expression_compile(const char *text, size_t length, const char *const *params,
                                int param_count, sn_expression *expression, int *offset,
                                sn_error *error)
{
    *expression = (sn_expression){0};
    compiler c = {.text = text,
                  .length = length,
                  .params = params,
                  .param_count = param_count,
                  .program = expression,
                  .error = error};
    sn_status status = compile_sum(&c);
    skip_space(&c);
    if (status == SN_OK && c.at < length) {
        status = fail_expected(&c, "an operator or the end of the expression");
    }
    if (status != SN_OK) {
        sn_expression_free(expression);
        if (offset != NULL) {
            *offset = (int)c.mistake;
        }
    }
    return status;
}

void sn_expression_free(sn_expression *expression)
{
    sn_array_free(expression);
}

bool sn_expression_reserves(const char *name)
{
    for (int i = 0; i < COUNT(functions); ++i) {
        if (strcmp(name, functions[i].name) == 0) {
            return true;
        }
    }
    for (int i = 0; i < COUNT(constants); ++i) {
        if (strcmp(name, constants[i].name) == 0) {
            return true;
        }
    }
    return false;
}

// ---- evaluating ----

static double call(sn_expression_code code, const double *x, int count)
{
    double least = x[0], most = x[0];
    for (int i = 1; i < count; ++i) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    switch (code) {
    case SN_CODE_SIN:
        return sn_sin(x[0]);
    case SN_CODE_COS:
        return sn_cos(x[0]);
    case SN_CODE_TAN:
        return sn_tan(x[0]);
    case SN_CODE_ASIN:
        return sn_asin(x[0]);
    case SN_CODE_ACOS:
        return sn_acos(x[0]);
    case SN_CODE_ATAN:
        return sn_atan(x[0]);
    case SN_CODE_ATAN2:
        return sn_atan2(x[0], x[1]);
    case SN_CODE_SQRT:
        return sqrt(x[0]);
    case SN_CODE_ABS:
        return fabs(x[0]);
    case SN_CODE_MIN:
        return least;
    case SN_CODE_MAX:
        return most;
    case SN_CODE_EXP:
        return sn_exp(x[0]);
    case SN_CODE_LOG:
        return sn_log(x[0]);
    case SN_CODE_POW:
        return sn_pow(x[0], x[1]);
    case SN_CODE_FLOOR:
        return floor(x[0]);
    case SN_CODE_CEIL:
        return ceil(x[0]);
    case SN_CODE_CLAMP:
        return x[0] < x[1] ? x[1] : x[0] > x[2] ? x[2] : x[0];
    default:
        return NAN;
    }
}

static double combine(sn_expression_code code, double a, double b)
{
    switch (code) {
    case SN_CODE_ADD:
        return a + b;
    case SN_CODE_SUBTRACT:
        return a - b;
    case SN_CODE_MULTIPLY:
        return a * b;
    case SN_CODE_DIVIDE:
        return a / b;
    default:
        return b == 2.0 ? a * a : sn_pow(a, b);
    }
}

sn_status sn_expression_evaluate(const sn_expression *expression, const double *params,
                                 double *value, int *offset, sn_error *error)
{
    double stack[SN_EXPRESSION_STACK] = {0};
    int top = 0;
    for (int i = 0; i < expression->count; ++i) {
        const sn_expression_step *step = &expression->data[i];
        double result;
        if (step->code == SN_CODE_NUMBER) {
            result = step->value;
        } else if (step->code == SN_CODE_PARAM) {
            result = params[step->count];
        } else if (step->code == SN_CODE_NEGATE) {
            result = -stack[--top];
        } else if (step->code < SN_CODE_NUMBER) {
            top -= step->count;
            result = call(step->code, stack + top, step->count);
        } else {
            top -= 2;
            if (offset != NULL) {
                *offset = step->offset;
            }
            if (step->code == SN_CODE_DIVIDE && stack[top + 1] == 0.0) {
                return sn_fail(error, SN_ERROR_SCENE, NULL,
                               "division by zero, expected another divisor");
            }
            result = combine(step->code, stack[top], stack[top + 1]);
        }
        if (!isfinite(result)) {
            if (offset != NULL) {
                *offset = step->offset;
            }
            const char *name =
                step->code < SN_CODE_NUMBER ? functions[step->code].name : "this operation";
            return sn_fail(error, SN_ERROR_SCENE, NULL,
                           "%s gives %s here, expected a finite number", name,
                           isnan(result) ? "no number (NaN)" : "an infinite number");
        }
        stack[top++] = result;
    }
    *value = stack[0];
    return SN_OK;
}
