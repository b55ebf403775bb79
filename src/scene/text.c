#include "scene/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"

static bool text_reserve(sn_text *text, size_t extra)
{
    if (text->failed) {
        return false;
    }
    size_t wanted = text->length + extra + 1;
    if (wanted <= text->capacity) {
        return true;
    }
    size_t room = text->capacity + text->capacity / 2;
    room = room < wanted ? wanted : room;
    room = room < 256 ? 256 : room;
    char *grown = sn_reallocate(text->data, room);
    if (grown == NULL) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = room;
    return true;
}

void sn_text_add_bytes(sn_text *text, const char *bytes, size_t length)
{
    if (!text_reserve(text, length)) {
        return;
    }
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void sn_text_add(sn_text *text, const char *piece)
{
    sn_text_add_bytes(text, piece, strlen(piece));
}

void sn_text_format(sn_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int wanted = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (wanted >= 0 && text_reserve(text, (size_t)wanted)) {
        vsnprintf(text->data + text->length, (size_t)wanted + 1, format, again);
        text->length += (size_t)wanted;
    }
    va_end(again);
}

void sn_text_json_string(sn_text *text, const char *string)
{
    sn_text_add(text, "\"");
    for (const char *c = string; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\') {
            char escaped[2] = {'\\', *c};
            sn_text_add_bytes(text, escaped, 2);
        } else if (*c == '\n') {
            sn_text_add(text, "\\n");
        } else if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            sn_text_format(text, "\\u%04x", (unsigned)(unsigned char)*c);
        } else {
            sn_text_add_bytes(text, c, 1);
        }
    }
    sn_text_add(text, "\"");
}

void sn_text_number(sn_text *text, double value)
{
    char number[32];
    sn_number_to_text(value, number);
    sn_text_add(text, number);
}

void sn_text_free(sn_text *text)
{
    sn_free(text->data);
    *text = (sn_text){0};
}

// Digits of a whole number, most significant first, zero-terminated; gives how many.
static int whole_to_text(uint64_t whole, char *text)
{
    char reversed[20];
    int count = 0;
    do {
        reversed[count++] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole > 0);
    for (int i = 0; i < count; ++i) {
        text[i] = reversed[count - 1 - i];
    }
    text[count] = '\0';
    return count;
}

// Laid out as printf's %g does it: with an exponent below 1e-4, and from 1e15 on (1e16 or 1e17
// when there are so many digits).
void sn_number_to_text(double value, char text[32])
{
    if (signbit(value)) {
        *text++ = '-';
        value = -value;
    }
    sn_decimal decimal = value > 0.0 ? sn_decimal_shortest(value) : (sn_decimal){0};
    char digits[24];
    int count = whole_to_text(decimal.digits, digits);
    int exponent = decimal.exponent + count - 1; // of the first digit
    if (exponent < -4 || exponent >= (count > 15 ? count : 15)) {
        *text++ = digits[0];
        if (count > 1) {
            *text++ = '.';
            memcpy(text, digits + 1, (size_t)count - 1);
            text += count - 1;
        }
        *text++ = 'e';
        *text++ = exponent < 0 ? '-' : '+';
        exponent = exponent < 0 ? -exponent : exponent;
        if (exponent < 10) {
            *text++ = '0';
        }
        whole_to_text((uint64_t)exponent, text);
        return;
    }
    int point = exponent + 1; // digits before the point; below 1 the number begins "0.0..."
    int length = count > point ? count : point;
    for (int i = point < 1 ? point - 1 : 0; i < length; ++i) {
        if (i == point) {
            *text++ = '.';
        }
        *text++ = i >= 0 && i < count ? digits[i] : '0';
    }
    *text = '\0';
}

static size_t digits_length(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && text[n] >= '0' && text[n] <= '9') {
        n += 1;
    }
    return n;
}

size_t sn_number_length(const char *text, size_t length)
{
    size_t at = length > 0 && text[0] == '-' ? 1 : 0;
    size_t whole = digits_length(text + at, length - at);
    if (whole == 0 || (whole > 1 && text[at] == '0')) {
        return 0;
    }
    at += whole;
    if (at < length && text[at] == '.') {
        size_t fraction = digits_length(text + at + 1, length - at - 1);
        if (fraction == 0) {
            return 0;
        }
        at += 1 + fraction;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        size_t sign = at + 1 < length && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
        size_t exponent = digits_length(text + at + 1 + sign, length - at - 1 - sign);
        // "2e" followed by no digits is a number and a unit that begins with e.
        if (exponent > 0) {
            at += 1 + sign + exponent;
        }
    }
    return at;
}

// strtod is correctly rounded in glibc, musl and wasi-libc, but expects the locale's point.
static double locale_strtod(const char *digits, size_t length, long exponent)
{
    char point[16];
    snprintf(point, sizeof point, "%.1f", 1.5);
    char copy[SN_NUMBER_LENGTH_LIMIT + 64];
    size_t at = 0;
    for (size_t i = 0; i < length; ++i) {
        if (digits[i] == '.') {
            for (const char *p = point + 1; *p != '\0' && *p != '5'; ++p) {
                copy[at++] = *p;
            }
        } else {
            copy[at++] = digits[i];
        }
    }
    snprintf(copy + at, sizeof copy - at, "e%ld", exponent);
    return strtod(copy, NULL);
}

// The digits before the exponent as a whole number, the places after the point counted off the
// exponent. False when there are more than fit.
static bool plain_decimal(const char *text, size_t length, long exponent, sn_decimal *decimal)
{
    *decimal = (sn_decimal){0};
    bool fraction = false;
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        if (decimal->digits > (UINT64_MAX - 9) / 10) {
            return false;
        }
        decimal->digits = 10 * decimal->digits + (uint64_t)(text[i] - '0');
        exponent -= fraction;
    }
    decimal->exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : (int)exponent;
    return true;
}

bool sn_number_from_text(const char *text, size_t length, int decimal_shift, double *value)
{
    if (length == 0 || length > SN_NUMBER_LENGTH_LIMIT ||
        sn_number_length(text, length) != length) {
        return false;
    }
    size_t mantissa = 0;
    while (mantissa < length && text[mantissa] != 'e' && text[mantissa] != 'E') {
        mantissa += 1;
    }
    long exponent = 0;
    if (mantissa < length) {
        bool negative = text[mantissa + 1] == '-';
        for (size_t i = mantissa + 1; i < length; ++i) {
            if (text[i] >= '0' && text[i] <= '9' && exponent < 1000000) {
                exponent = 10 * exponent + (text[i] - '0');
            }
        }
        exponent = negative ? -exponent : exponent;
    }
    exponent += decimal_shift;
    bool minus = text[0] == '-';
    sn_decimal decimal;
    if (plain_decimal(text + minus, mantissa - minus, exponent, &decimal) &&
        sn_decimal_value(decimal, value)) {
        *value = minus ? -*value : *value;
        return true;
    }
    *value = locale_strtod(text, mantissa, exponent);
    return isfinite(*value);
}
