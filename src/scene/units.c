#include "scene/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/suggest.h"
#include "scene/text.h"
#include "sinew/math.h"

// ---- dimensions ----

typedef struct dimension_row {
    sn_dimension powers;
    const char *name, *unit, *example;
} dimension_row;

static const dimension_row dimensions[] = {
#define X(id, m, kg, s, rad, k, mol, a, name, unit, example)                                       \
    {{m, kg, s, rad, k, mol, a}, name, unit, example},
    SN_DIMENSION_LIST(X)
#undef X
};

sn_dimension sn_dimension_powers(sn_dimension_id id)
{
    return id < SN_DIMENSION_COUNT ? dimensions[id].powers : (sn_dimension){0};
}

const char *sn_dimension_unit(sn_dimension_id id)
{
    return id < SN_DIMENSION_COUNT ? dimensions[id].unit : "any";
}

const char *sn_dimension_name(sn_dimension_id id)
{
    return id < SN_DIMENSION_COUNT ? dimensions[id].name : "a number with any unit";
}

const char *sn_dimension_example(sn_dimension_id id)
{
    return id < SN_DIMENSION_COUNT ? dimensions[id].example : "0.3 or \"30cm\"";
}

static bool same_but_angle(sn_dimension a, sn_dimension b)
{
    return a.length == b.length && a.mass == b.mass && a.time == b.time &&
           a.temperature == b.temperature && a.amount == b.amount && a.current == b.current;
}

bool sn_dimension_accepts(sn_dimension expected, sn_dimension given)
{
    return same_but_angle(expected, given) && (given.angle == expected.angle || given.angle == 0);
}

const char *sn_dimension_describe(sn_dimension dimension, char buffer[96])
{
    for (int i = 0; i < SN_DIMENSION_COUNT; ++i) {
        if (memcmp(&dimensions[i].powers, &dimension, sizeof dimension) == 0) {
            return dimensions[i].name;
        }
    }
    static const char *const symbols[] = {"m", "kg", "s", "rad", "K", "mol", "A"};
    const int powers[] = {dimension.length, dimension.mass,        dimension.time,
                          dimension.angle,  dimension.temperature, dimension.amount,
                          dimension.current};
    int at = 0;
    for (int i = 0; i < 7; ++i) {
        if (powers[i] == 1) {
            at += snprintf(buffer + at, 96 - (size_t)at, "%s%s", at > 0 ? " " : "", symbols[i]);
        } else if (powers[i] != 0) {
            at += snprintf(buffer + at, 96 - (size_t)at, "%s%s^%d", at > 0 ? " " : "", symbols[i],
                           powers[i]);
        }
    }
    return buffer;
}

// ---- symbols ----

typedef struct symbol {
    const char *name;
    sn_dimension powers; // m kg s rad K mol A
    double multiply, divide;
    int decimal;
    bool prefixes; // may k, m, ... stand before it?
} symbol;

// Exact by definition: SI brochure (9th ed.), international yard and pound (1959), g_n = 9.80665
// m/s^2.
static const symbol symbols[] = {
    {"m", {1}, 1, 1, 0, true},
    {"g", {0, 1}, 1, 1, -3, true},
    {"s", {0, 0, 1}, 1, 1, 0, true},
    {"rad", {0, 0, 0, 1}, 1, 1, 0, true},
    {"K", {0, 0, 0, 0, 1}, 1, 1, 0, true},
    {"mol", {0, 0, 0, 0, 0, 1}, 1, 1, 0, true},
    {"A", {0, 0, 0, 0, 0, 0, 1}, 1, 1, 0, true},
    {"t", {0, 1}, 1, 1, 3, true},
    {"l", {3}, 1, 1, -3, true},
    {"L", {3}, 1, 1, -3, true},
    {"Hz", {0, 0, -1}, 1, 1, 0, true},
    {"N", {1, 1, -2}, 1, 1, 0, true},
    {"Pa", {-1, 1, -2}, 1, 1, 0, true},
    {"J", {2, 1, -2}, 1, 1, 0, true},
    {"W", {2, 1, -3}, 1, 1, 0, true},
    {"V", {2, 1, -3, 0, 0, 0, -1}, 1, 1, 0, true},
    {"C", {0, 0, 1, 0, 0, 0, 1}, 1, 1, 0, true},
    {"T", {0, 1, -2, 0, 0, 0, -1}, 1, 1, 0, true},
    {"bar", {-1, 1, -2}, 1, 1, 5, true},
    {"atm", {-1, 1, -2}, 101325, 1, 0, false},
    {"psi", {-1, 1, -2}, 6894.757293168361, 1, 0, false},
    {"min", {0, 0, 1}, 60, 1, 0, false},
    {"h", {0, 0, 1}, 3600, 1, 0, false},
    {"d", {0, 0, 1}, 86400, 1, 0, false},
    {"deg", {0, 0, 0, 1}, SN_PI, 180, 0, false},
    {"°", {0, 0, 0, 1}, SN_PI, 180, 0, false},
    {"rev", {0, 0, 0, 1}, 2 * SN_PI, 1, 0, false},
    {"turn", {0, 0, 0, 1}, 2 * SN_PI, 1, 0, false},
    {"rpm", {0, 0, -1, 1}, 2 * SN_PI, 60, 0, false},
    {"in", {1}, 254, 1e4, 0, false},
    {"inch", {1}, 254, 1e4, 0, false},
    {"inches", {1}, 254, 1e4, 0, false},
    {"\"", {1}, 254, 1e4, 0, false}, // written \" in a scene
    {"″", {1}, 254, 1e4, 0, false},
    {"ft", {1}, 3048, 1e4, 0, false},
    {"foot", {1}, 3048, 1e4, 0, false},
    {"feet", {1}, 3048, 1e4, 0, false},
    {"yd", {1}, 9144, 1e4, 0, false},
    {"mi", {1}, 1609344, 1e3, 0, false},
    {"lb", {0, 1}, 45359237, 1e8, 0, false},
    {"oz", {0, 1}, 28349523125, 1e12, 0, false},
    {"lbf", {1, 1, -2}, 4.4482216152605, 1, 0, false},
    {"kgf", {1, 1, -2}, 980665, 1e5, 0, false},
    {"gn", {1, 0, -2}, 980665, 1e5, 0, false},
    {"%", {0}, 1, 1, -2, false},
    {"1", {0}, 1, 1, 0, false},
};

static const struct prefix {
    const char *name;
    int decimal;
} prefixes[] = {{"da", 1}, {"h", 2},  {"k", 3},  {"M", 6},   {"G", 9},
                {"T", 12}, {"d", -1}, {"c", -2}, {"m", -3},  {"u", -6},
                {"µ", -6}, {"μ", -6}, {"n", -9}, {"p", -12}, {"f", -15}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const symbol *find_symbol(const char *text, size_t length)
{
    for (size_t i = 0; i < COUNT(symbols); ++i) {
        if (strlen(symbols[i].name) == length && memcmp(symbols[i].name, text, length) == 0) {
            return &symbols[i];
        }
    }
    return NULL;
}

bool sn_units_read_symbol(const char *text, size_t length, sn_unit *unit)
{
    // A symbol of its own wins over prefix and symbol: "min" is a minute, "ft" a foot.
    const symbol *found = find_symbol(text, length);
    int decimal = 0;
    for (size_t i = 0; i < COUNT(prefixes) && found == NULL; ++i) {
        size_t count = strlen(prefixes[i].name);
        if (count < length && memcmp(prefixes[i].name, text, count) == 0) {
            const symbol *rest = find_symbol(text + count, length - count);
            found = rest != NULL && rest->prefixes ? rest : NULL;
            decimal = prefixes[i].decimal;
        }
    }
    if (found == NULL) {
        return false;
    }
    *unit = (sn_unit){found->powers, found->multiply, found->divide, found->decimal + decimal};
    return true;
}

// ---- unit expressions ----

typedef struct reader {
    const char *text;
    size_t length, at;
    int depth;
    sn_error *error;
    bool after_number; // so that it may begin with a division
} reader;

#define POWER_LIMIT 9

static bool multiply_power(int8_t *to, int8_t powers, int power)
{
    int sum = *to + powers * power;
    *to = (int8_t)sum;
    return sum >= -99 && sum <= 99;
}

// unit *= factor^power; false when it leaves what a unit can be.
static bool multiply_unit(sn_unit *unit, const sn_unit *factor, int power)
{
    const sn_dimension *f = &factor->dimension;
    sn_dimension *d = &unit->dimension;
    bool fits =
        multiply_power(&d->length, f->length, power) && multiply_power(&d->mass, f->mass, power) &&
        multiply_power(&d->time, f->time, power) && multiply_power(&d->angle, f->angle, power) &&
        multiply_power(&d->temperature, f->temperature, power) &&
        multiply_power(&d->amount, f->amount, power) &&
        multiply_power(&d->current, f->current, power);
    for (int i = 0; i < (power < 0 ? -power : power); ++i) {
        unit->multiply *= power > 0 ? factor->multiply : factor->divide;
        unit->divide *= power > 0 ? factor->divide : factor->multiply;
    }
    unit->decimal += power * factor->decimal;
    return fits && isfinite(unit->multiply) && isfinite(unit->divide) && unit->multiply > 0.0 &&
           unit->divide > 0.0 && unit->decimal > -400 && unit->decimal < 400;
}

static bool take(reader *r, const char *piece)
{
    size_t count = strlen(piece);
    if (r->length - r->at >= count && memcmp(r->text + r->at, piece, count) == 0) {
        r->at += count;
        return true;
    }
    return false;
}

static void skip_space(reader *r)
{
    while (r->at < r->length && r->text[r->at] == ' ') {
        r->at += 1;
    }
}

static sn_status read_power(reader *r, int *power)
{
    *power = 1;
    if (take(r, "²") || take(r, "³")) {
        *power = r->text[r->at - 1] == '\xb2' ? 2 : 3;
        return SN_OK;
    }
    if (!take(r, "^")) {
        return SN_OK;
    }
    bool negative = take(r, "-");
    if (r->at >= r->length || r->text[r->at] < '1' || r->text[r->at] > '0' + POWER_LIMIT ||
        (r->at + 1 < r->length && r->text[r->at + 1] >= '0' && r->text[r->at + 1] <= '9')) {
        return sn_fail(r->error, SN_ERROR_SYNTAX, NULL,
                       "expected a whole power from -9 to 9 after '^' in the unit \"%.*s\"",
                       (int)r->length, r->text);
    }
    *power = (r->text[r->at] - '0') * (negative ? -1 : 1);
    r->at += 1;
    return SN_OK;
}

static size_t symbol_length(const reader *r)
{
    size_t count = 0;
    while (r->at + count < r->length && strchr(" */^()", r->text[r->at + count]) == NULL) {
        const char *rest = r->text + r->at + count;
        size_t left = r->length - r->at - count;
        if (left >= 2 &&
            (memcmp(rest, "²", 2) == 0 || memcmp(rest, "³", 2) == 0 || memcmp(rest, "·", 2) == 0)) {
            break;
        }
        count += 1;
    }
    return count;
}

static sn_status fail_unknown(const reader *r, size_t count)
{
    char wrong[32];
    snprintf(wrong, sizeof wrong, "%.*s", (int)(count < 24 ? count : 24), r->text + r->at);
    const char *known[COUNT(symbols) + 12] = {"mm", "cm", "km",  "kg",  "mg", "ms",
                                              "kN", "mN", "kPa", "MPa", "kJ", "kHz"};
    for (size_t i = 0; i < COUNT(symbols); ++i) {
        known[12 + i] = symbols[i].name;
    }
    const char *near = sn_suggest(wrong, known, (int)COUNT(known));
    if (near != NULL && strcmp(near, "1") != 0) {
        return sn_fail(r->error, SN_ERROR_SYNTAX, NULL, "unknown unit \"%s\"; did you mean \"%s\"?",
                       wrong, near);
    }
    return sn_fail(
        r->error, SN_ERROR_SYNTAX, NULL,
        "unknown unit \"%s\", expected one such as m, mm, in, kg, g, t, s, ms, deg, rad, N, "
        "kN, m/s, rpm, Pa, bar, J, W",
        wrong);
}

static sn_status read_product(reader *r, sn_unit *unit);

static sn_status read_factor(reader *r, int sign, sn_unit *unit)
{
    sn_unit factor;
    if (take(r, "(")) {
        r->depth += 1;
        if (r->depth > 8) {
            return sn_fail(r->error, SN_ERROR_SYNTAX, NULL,
                           "more than 8 levels of parentheses in a unit, expected fewer");
        }
        sn_status status = read_product(r, &factor);
        if (status != SN_OK) {
            return status;
        }
        r->depth -= 1;
        if (!take(r, ")")) {
            return sn_fail(r->error, SN_ERROR_SYNTAX, NULL, "expected ')' in the unit \"%.*s\"",
                           (int)r->length, r->text);
        }
    } else {
        size_t count = symbol_length(r);
        if (count == 0) {
            return sn_fail(r->error, SN_ERROR_SYNTAX, NULL,
                           "expected a unit such as \"s\" %s \"%.*s\"",
                           r->at >= r->length ? "at the end of" : "in",
                           (int)(r->length < 60 ? r->length : 60), r->text);
        }
        if (!sn_units_read_symbol(r->text + r->at, count, &factor)) {
            return fail_unknown(r, count);
        }
        r->at += count;
    }
    int power = 1;
    sn_status status = read_power(r, &power);
    if (status == SN_OK && !multiply_unit(unit, &factor, sign * power)) {
        return sn_fail(r->error, SN_ERROR_SYNTAX, NULL, "the unit \"%.*s\" is out of range",
                       (int)(r->length < 60 ? r->length : 60), r->text);
    }
    return status;
}

static sn_status read_product(reader *r, sn_unit *unit)
{
    *unit = (sn_unit){.multiply = 1, .divide = 1};
    int sign = r->after_number && r->depth == 0 && take(r, "/") ? -1 : 1; // "5/s" is "5 1/s"
    for (;;) {
        skip_space(r);
        sn_status status = read_factor(r, sign, unit);
        if (status != SN_OK) {
            return status;
        }
        skip_space(r);
        if (r->at >= r->length || r->text[r->at] == ')') {
            return SN_OK;
        }
        sign = take(r, "/") ? -1 : 1;
        if (sign > 0 && !take(r, "*")) {
            (void)take(r, "·");
        }
    }
}

static sn_status read_whole(reader *r, sn_unit *unit)
{
    sn_status status = read_product(r, unit);
    if (status == SN_OK && r->at != r->length) {
        return sn_fail(r->error, SN_ERROR_SYNTAX, NULL, "a ')' too many in the unit \"%.*s\"",
                       (int)(r->length < 60 ? r->length : 60), r->text);
    }
    return status;
}

sn_status sn_units_read_unit(const char *text, size_t length, sn_unit *unit, sn_error *error)
{
    reader r = {.text = text, .length = length, .error = error};
    return read_whole(&r, unit);
}

double sn_unit_factor(const sn_unit *unit)
{
    char power[16];
    snprintf(power, sizeof power, "1e%d", unit->decimal);
    double ten = 1.0;
    (void)sn_number_from_text(power, strlen(power), 0, &ten);
    return unit->multiply / unit->divide * ten;
}

sn_status sn_units_read(const char *text, size_t length, double *value, sn_unit *unit,
                        bool *has_unit, sn_error *error)
{
    reader r = {.text = text, .length = length, .error = error};
    skip_space(&r);
    (void)take(&r, "+");
    const char *number = text + r.at;
    size_t count = sn_number_length(number, length - r.at);
    if (count == 0) {
        return sn_fail(error, SN_ERROR_SYNTAX, NULL,
                       "\"%.*s\" does not start with a number, expected one with its unit such as "
                       "\"5 mm\", or an expression such as \"=2*width\"",
                       (int)(length < 60 ? length : 60), text);
    }
    r.at += count;
    skip_space(&r);
    *unit = (sn_unit){.multiply = 1, .divide = 1};
    *has_unit = r.at < length;
    if (*has_unit) {
        reader rest = {
            .text = text + r.at, .length = length - r.at, .error = error, .after_number = true};
        sn_status status = read_whole(&rest, unit);
        if (status != SN_OK) {
            return status;
        }
    }
    double plain;
    if (!sn_number_from_text(number, count, unit->decimal, &plain) ||
        !isfinite(*value = plain * unit->multiply / unit->divide)) {
        return sn_fail(error, SN_ERROR_SYNTAX, NULL,
                       "\"%.*s\" is out of range, expected at most 1.8e308",
                       (int)(length < 60 ? length : 60), text);
    }
    return SN_OK;
}
