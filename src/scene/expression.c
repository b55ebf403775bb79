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
    const sn_expression_scope *scope;
    sn_expression *program;
    int depth;      // of the recursion
    int stack;      // values on the machine's stack after the steps so far
    size_t mistake; // where
    sn_error *error;
} compiler;

#define DEPTH_LIMIT 200 // a pair of parentheses counts twice

static sn_status compile_choice(compiler *c);

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

// An operator of one or two characters; one that only begins a longer one is not taken.
static bool take_operator(compiler *c, const char *wanted)
{
    skip_space(c);
    size_t length = strlen(wanted);
    if (c->length - c->at < length || memcmp(c->text + c->at, wanted, length) != 0 ||
        (length == 1 && c->length - c->at > 1 && c->text[c->at + 1] == '=')) {
        return false;
    }
    c->at += length;
    return true;
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
        sn_status status = compile_choice(c);
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

// ---- names ----

static sn_status fail_name(compiler *c, const char *name)
{
    c->mistake = c->at;
    const sn_expression_scope *scope = c->scope;
    if (scope->find == NULL &&
        (strcmp(name, "time") == 0 || strcmp(name, "probe") == 0 || strcmp(name, "of") == 0)) {
        return sn_fail(c->error, SN_ERROR_SCENE, NULL,
                       "\"%s\" reads a running world, expected %s; only behaviours can use it",
                       name, scope->named);
    }
    const char *known[128 + COUNT(functions) + COUNT(constants)] = {0};
    int count = 0;
    for (int i = 0; i < COUNT(functions); ++i) {
        known[count++] = functions[i].name;
    }
    for (int i = 0; i < COUNT(constants); ++i) {
        known[count++] = constants[i].name;
    }
    for (int i = 0; i < scope->name_count && count < COUNT(known); ++i) {
        known[count++] = scope->names[i];
    }
    for (int i = 0; i < scope->probe_count && count < COUNT(known); ++i) {
        known[count++] = scope->probes[i];
    }
    const char *near = sn_suggest(name, known, count);
    if (near != NULL) {
        return sn_fail(c->error, SN_ERROR_SCENE, NULL, "unknown name \"%s\"; did you mean \"%s\"?",
                       name, near);
    }
    return sn_fail(c->error, SN_ERROR_SCENE, NULL,
                   "unknown name \"%s\", expected %s, pi, tau, g0, or a function such as sin(x)",
                   name, scope->named);
}

#define STRING_LIMIT 128 // bytes, with the final zero

// 'left foot' or "left foot".
static sn_status compile_string(compiler *c, char string[STRING_LIMIT])
{
    skip_space(c);
    char quote = c->at < c->length ? c->text[c->at] : '\0';
    if (quote != '\'' && quote != '"') {
        return fail_expected(c, "a name in quotes such as 'left foot'");
    }
    size_t start = c->at + 1, end = start;
    while (end < c->length && c->text[end] != quote) {
        end += 1;
    }
    c->mistake = c->at;
    if (end == c->length) {
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL,
                       "the quotes are never closed, expected another %c", quote);
    }
    if (end - start >= STRING_LIMIT) {
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL,
                       "a name in quotes of %zu bytes, expected less than %d", end - start,
                       STRING_LIMIT);
    }
    memcpy(string, c->text + start, end - start);
    string[end - start] = '\0';
    c->at = end + 1;
    return SN_OK;
}

static sn_status emit_reading(compiler *c, const char *thing, const char *quantity, size_t start)
{
    int number = 0;
    sn_status status = c->scope->find(c->scope->user, thing, quantity, &number, c->error);
    if (status != SN_OK) {
        c->mistake = start;
        return status;
    }
    return emit(c, (sn_expression_step){SN_CODE_READ, number, 0, (int)start}, 1);
}

// probe('name') and of('thing', 'quantity'), from after the word.
static sn_status compile_reading(compiler *c, bool quantity, size_t start)
{
    char thing[STRING_LIMIT], what[STRING_LIMIT];
    if (!take(c, '(')) {
        return fail_expected(c, "'(' after the function's name");
    }
    sn_status status = compile_string(c, thing);
    if (status == SN_OK && quantity) {
        status = take(c, ',') ? compile_string(c, what)
                              : fail_expected(c, "',' and a quantity such as 'speed'");
    }
    if (status == SN_OK && !take(c, ')')) {
        status = fail_expected(c, "')'");
    }
    return status == SN_OK ? emit_reading(c, thing, quantity ? what : NULL, start) : status;
}

static int find_word(const char *const *words, int count, const char *text, size_t length)
{
    for (int i = 0; i < count; ++i) {
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
            return i;
        }
    }
    return -1;
}

// Names of the scope; then what only a running world has.
static sn_status compile_scope_name(compiler *c, size_t start, size_t count, const char *name)
{
    const sn_expression_scope *scope = c->scope;
    int index = find_word(scope->names, scope->name_count, c->text + start, count);
    if (index >= 0) {
        c->at += count;
        return emit(c, (sn_expression_step){SN_CODE_PARAM, index, 0, (int)start}, 1);
    }
    bool of = strcmp(name, "of") == 0;
    if (scope->find != NULL && (of || strcmp(name, "probe") == 0)) {
        c->at += count;
        return compile_reading(c, of, start);
    }
    index = find_word(scope->probes, scope->probe_count, c->text + start, count);
    if (scope->find != NULL && index >= 0) {
        c->at += count;
        return emit_reading(c, scope->probes[index], NULL, start);
    }
    return fail_name(c, name);
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
    return compile_scope_name(c, start, count, name);
}

// ---- operators, the tightest first ----

static sn_status compile_atom(compiler *c)
{
    skip_space(c);
    if (c->at >= c->length) {
        return fail_expected(c, "a value");
    }
    char first = c->text[c->at];
    if (take(c, '(')) {
        sn_status status = compile_choice(c);
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

static sn_status go_deeper(compiler *c)
{
    c->depth += 1;
    if (c->depth > DEPTH_LIMIT) {
        c->mistake = c->at;
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL,
                       "the expression is nested more than %d deep, expected fewer levels",
                       DEPTH_LIMIT);
    }
    return SN_OK;
}

static sn_status compile_sign(compiler *c);

static sn_status compile_power(compiler *c)
{
    sn_status status = compile_atom(c);
    skip_space(c);
    int start = (int)c->at;
    if (status == SN_OK && take(c, '^')) {
        status = compile_sign(c);
        status = status == SN_OK ? emit(c, (sn_expression_step){SN_CODE_POWER, 0, 0, start}, -1)
                                 : status;
    }
    return status;
}

// sign: '-' sign | '+' sign | '!' sign | atom ['^' sign]
static sn_status compile_sign(compiler *c)
{
    sn_status status = go_deeper(c);
    if (status != SN_OK) {
        return status;
    }
    skip_space(c);
    int start = (int)c->at;
    bool minus = take(c, '-'), denial = !minus && take_operator(c, "!");
    if (minus || denial) {
        sn_expression_code code = minus ? SN_CODE_NEGATE : SN_CODE_NOT;
        status = compile_sign(c);
        status = status == SN_OK ? emit(c, (sn_expression_step){code, 0, 0, start}, 0) : status;
    } else {
        status = take(c, '+') ? compile_sign(c) : compile_power(c);
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

static bool take_comparison(compiler *c, sn_expression_code *code)
{
    static const struct {
        const char *text;
        sn_expression_code code;
    } comparisons[] = {
        {"<=", SN_CODE_LESS_OR_EQUAL}, {"<", SN_CODE_LESS},   {">=", SN_CODE_GREATER_OR_EQUAL},
        {">", SN_CODE_GREATER},        {"==", SN_CODE_EQUAL}, {"!=", SN_CODE_NOT_EQUAL},
    };
    for (int i = 0; i < COUNT(comparisons); ++i) {
        if (take_operator(c, comparisons[i].text)) {
            *code = comparisons[i].code;
            return true;
        }
    }
    return false;
}

static sn_status compile_comparison(compiler *c)
{
    sn_status status = compile_sum(c);
    skip_space(c);
    int start = (int)c->at;
    sn_expression_code code, second;
    if (status != SN_OK || !take_comparison(c, &code)) {
        return status;
    }
    status = compile_sum(c);
    status = status == SN_OK ? emit(c, (sn_expression_step){code, 0, 0, start}, -1) : status;
    skip_space(c);
    c->mistake = status == SN_OK ? c->at : c->mistake;
    if (status == SN_OK && take_comparison(c, &second)) {
        return sn_fail(c->error, SN_ERROR_SYNTAX, NULL,
                       "comparisons cannot be chained, expected two of them joined by &&");
    }
    return status;
}

// A jump whose target is not known yet, and its place.
static sn_status emit_jump(compiler *c, sn_expression_code code, int change, int *jump)
{
    *jump = c->program->count;
    return emit(c, (sn_expression_step){code, 0, 0, (int)c->at}, change);
}

static void land(compiler *c, int jump)
{
    c->program->data[jump].count = c->program->count;
}

// Several comparisons joined by &&, or several of those by ||.
static sn_status compile_joined(compiler *c, bool all)
{
    sn_status status = all ? compile_comparison(c) : compile_joined(c, true);
    while (status == SN_OK && take_operator(c, all ? "&&" : "||")) {
        int jump, start = (int)c->at - 2;
        status = emit_jump(c, all ? SN_CODE_AND : SN_CODE_OR, -1, &jump);
        if (status == SN_OK) {
            status = all ? compile_comparison(c) : compile_joined(c, true);
        }
        if (status == SN_OK) {
            status = emit(c, (sn_expression_step){SN_CODE_TRUTH, 0, 0, start}, 0);
            land(c, jump);
        }
    }
    return status;
}

// choice: joined ['?' choice ':' choice]
static sn_status compile_choice(compiler *c)
{
    int past_then, past_else;
    sn_status status = go_deeper(c);
    status = status == SN_OK ? compile_joined(c, false) : status;
    if (status == SN_OK && take(c, '?')) {
        status = emit_jump(c, SN_CODE_JUMP_UNLESS, -1, &past_then);
        status = status == SN_OK ? compile_choice(c) : status;
        if (status == SN_OK && !take(c, ':')) {
            status = fail_expected(c, "':' and what holds otherwise");
        }
        status = status == SN_OK ? emit_jump(c, SN_CODE_JUMP, -1, &past_else) : status;
        if (status == SN_OK) {
            land(c, past_then);
            status = compile_choice(c);
        }
        if (status == SN_OK) {
            land(c, past_else);
        }
    }
    c->depth -= 1;
    return status;
}

sn_status sn_expression_compile_in(const char *text, size_t length,
                                   const sn_expression_scope *scope, sn_expression *expression,
                                   int *offset, sn_error *error)
{
    *expression = (sn_expression){0};
    compiler c = {
        .text = text, .length = length, .scope = scope, .program = expression, .error = error};
    sn_status status = compile_choice(&c);
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

sn_status sn_expression_compile(const char *text, size_t length, const char *const *params,
                                int param_count, sn_expression *expression, int *offset,
                                sn_error *error)
{
    sn_expression_scope scope = {
        .names = params, .name_count = param_count, .named = "a param of the scene"};
    return sn_expression_compile_in(text, length, &scope, expression, offset, error);
}

void sn_expression_free(sn_expression *expression)
{
    sn_array_free(expression);
}

bool sn_expression_is_word(const char *name)
{
    for (const char *c = name; *c != '\0'; ++c) {
        if (!is_letter(*c) && (c == name || *c < '0' || *c > '9')) {
            return false;
        }
    }
    return name[0] != '\0';
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

// fmod is exact on every machine; the rest takes the divisor's sign.
static double modulo(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

static double smooth_step(double low, double high, double x)
{
    double t = (x - low) / (high - low);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return t * t * (3.0 - 2.0 * t);
}

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
    case SN_CODE_SIGN:
        return (x[0] > 0.0) - (x[0] < 0.0);
    case SN_CODE_MOD:
        return modulo(x[0], x[1]);
    case SN_CODE_STEP:
        return x[1] >= x[0];
    case SN_CODE_SMOOTHSTEP:
        return smooth_step(x[0], x[1], x[2]);
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
    case SN_CODE_LESS:
        return a < b;
    case SN_CODE_LESS_OR_EQUAL:
        return a <= b;
    case SN_CODE_GREATER:
        return a > b;
    case SN_CODE_GREATER_OR_EQUAL:
        return a >= b;
    case SN_CODE_EQUAL:
        return a == b;
    case SN_CODE_NOT_EQUAL:
        return a != b;
    default:
        return b == 2.0 ? a * a : sn_pow(a, b);
    }
}

// What a step that takes its values from the stack makes of them.
static double compute(const sn_expression_step *step, double *stack, int *top)
{
    if (step->code < SN_CODE_NUMBER) {
        *top -= step->count;
        return call(step->code, stack + *top, step->count);
    }
    if (step->code >= SN_CODE_ADD) {
        *top -= 2;
        return combine(step->code, stack[*top], stack[*top + 1]);
    }
    double last = stack[--*top];
    return step->code == SN_CODE_NEGATE ? -last
           : step->code == SN_CODE_NOT  ? last == 0.0
                                        : last != 0.0;
}

// Where a jump goes on to.
static int jump(const sn_expression_step *step, int next, double *stack, int *top)
{
    if (step->code == SN_CODE_JUMP) {
        return step->count;
    }
    bool truth = stack[*top - 1] != 0.0;
    bool jumps = truth == (step->code == SN_CODE_OR);
    if (step->code == SN_CODE_JUMP_UNLESS || !jumps) {
        *top -= 1;
    } else {
        stack[*top - 1] = truth;
    }
    return jumps ? step->count : next;
}

static sn_status fail_result(const sn_expression_step *step, double result, sn_error *error)
{
    const char *name = step->code < SN_CODE_NUMBER   ? functions[step->code].name
                       : step->code == SN_CODE_READ  ? "what is read"
                       : step->code == SN_CODE_PARAM ? "this value"
                                                     : "this operation";
    return sn_fail(error, SN_ERROR_SCENE, NULL, "%s gives %s here, expected a finite number", name,
                   isnan(result) ? "no number (NaN)" : "an infinite number");
}

// Who reads nothing has no readings: what is asked for all the same is no number, and told.
static double read_value(const sn_expression_source *source, int number)
{
    return source->read != NULL ? source->read(source->user, number) : NAN;
}

sn_status sn_expression_evaluate_from(const sn_expression *expression,
                                      const sn_expression_source *source, double *value,
                                      int *offset, sn_error *error)
{
    double stack[SN_EXPRESSION_STACK] = {0};
    int top = 0;
    for (int i = 0; i < expression->count;) {
        const sn_expression_step *step = &expression->data[i++];
        if (step->code >= SN_CODE_JUMP && step->code < SN_CODE_ADD) {
            i = jump(step, i, stack, &top);
            continue;
        }
        bool zero = step->code == SN_CODE_DIVIDE && stack[top - 1] == 0.0;
        double result = step->code == SN_CODE_NUMBER  ? step->value
                        : step->code == SN_CODE_PARAM ? source->values[step->count]
                        : step->code == SN_CODE_READ  ? read_value(source, step->count)
                                                      : compute(step, stack, &top);
        if (zero || !isfinite(result)) {
            if (offset != NULL) {
                *offset = step->offset;
            }
            return zero ? sn_fail(error, SN_ERROR_SCENE, NULL,
                                  "division by zero, expected another divisor")
                        : fail_result(step, result, error);
        }
        stack[top++] = result;
    }
    *value = stack[0];
    return SN_OK;
}

sn_status sn_expression_evaluate(const sn_expression *expression, const double *params,
                                 double *value, int *offset, sn_error *error)
{
    sn_expression_source source = {.values = params};
    return sn_expression_evaluate_from(expression, &source, value, offset, error);
}
