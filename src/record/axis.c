#include "record/axis.h"

#include <math.h>

#include "scene/xml.h"

// 10^n by division for negative n: 10^-3 is then the double nearest to 0.001.
static double power_of_ten(int n)
{
    double power = 1.0;
    for (int i = 0; i < (n < 0 ? -n : n); ++i) {
        power *= 10.0;
    }
    return n < 0 ? 1.0 / power : power;
}

static double times_power(double value, int n)
{
    return n < 0 ? value / power_of_ten(-n) : value * power_of_ten(n);
}

// The smallest of 1, 2, 5 times a power of ten that is not below `step`; the power in *exponent.
static double nice_step(double step, int *exponent)
{
    *exponent = (int)floor(log10(step));
    double mantissa = times_power(step, -*exponent);
    if (mantissa > 5.0 * (1.0 + 1e-9)) {
        *exponent += 1;
        return power_of_ten(*exponent);
    }
    double nice = mantissa > 2.0 * (1.0 + 1e-9) ? 5.0 : mantissa > 1.0 + 1e-9 ? 2.0 : 1.0;
    return times_power(nice, *exponent);
}

// Widens a range that has no extent, or only that of rounding errors.
static void open_range(double *low, double *high)
{
    double scale = fmax(fabs(*low), fabs(*high));
    if (*high - *low > 1e-14 * scale) {
        return;
    }
    double pad = scale > 0.0 ? 0.05 * scale : 1.0;
    *low -= pad;
    *high += pad;
}

static void set_ticks(sn_axis *axis, double step)
{
    double first = ceil(axis->low / step - 1e-9);
    for (axis->tick_count = 0; axis->tick_count < SN_AXIS_TICKS; ++axis->tick_count) {
        double tick = (first + axis->tick_count) * step;
        if (tick > axis->high + 1e-9 * step) {
            break;
        }
        axis->ticks[axis->tick_count] = tick;
    }
}

// Short labels: a common offset when only late digits differ, then a common power of a thousand.
static void choose_labels(sn_axis *axis, int step_exponent)
{
    double scale = fmax(fabs(axis->low), fabs(axis->high));
    double range = axis->high - axis->low;
    if (range < 1e-4 * scale) {
        int digit = step_exponent + 1;
        axis->offset = times_power(floor(times_power(axis->low, -digit) + 0.5), digit);
        scale = fmax(fabs(axis->low - axis->offset), fabs(axis->high - axis->offset));
    }
    int magnitude = (int)floor(log10(scale) + 1e-9);
    if (magnitude >= 5 || magnitude <= -4) {
        axis->exponent = 3 * (int)floor(magnitude / 3.0);
    }
    axis->decimals = axis->exponent - step_exponent;
    axis->decimals = axis->decimals < 0 ? 0 : axis->decimals > 15 ? 15 : axis->decimals;
}

static sn_axis make_log_axis(double low, double high, int wanted, bool margin)
{
    sn_axis axis = {.log_scale = true, .low = log10(low), .high = log10(high)};
    if (margin) {
        axis.low = floor(axis.low + 1e-9);
        axis.high = ceil(axis.high - 1e-9);
    }
    if (axis.high - axis.low < 1.0) {
        axis.high = axis.low + 1.0;
    }
    double step = ceil((axis.high - axis.low) / wanted);
    set_ticks(&axis, step);
    return axis;
}

sn_axis sn_axis_make(double low, double high, int wanted, bool log_scale, bool margin)
{
    // Beyond 1e300 the arithmetic of ranges overflows; such a plot shows what fits.
    bool usable =
        low <= high && fabs(low) < 1e300 && fabs(high) < 1e300 && (!log_scale || low > 0.0);
    if (!usable) {
        low = log_scale ? 1.0 : 0.0;
        high = log_scale ? 10.0 : 1.0;
    }
    if (log_scale) {
        return make_log_axis(low, high, wanted, margin);
    }
    open_range(&low, &high);
    if (fmax(fabs(low), fabs(high)) < 1e-290) {
        low = -1e-290;
        high = 1e-290;
    }
    double pad = margin ? 0.04 * (high - low) : 0.0;
    // Zero as the end of a range is a fact, not a coincidence: do not show what lies beyond.
    sn_axis axis = {.low = low == 0.0 ? 0.0 : low - pad, .high = high == 0.0 ? 0.0 : high + pad};
    int exponent;
    do { // a step just above half the range may miss it: at least two ticks make a scale
        set_ticks(&axis, nice_step((axis.high - axis.low) / wanted, &exponent));
        wanted += 1;
    } while (axis.tick_count < 2 && wanted < 40);
    choose_labels(&axis, exponent);
    return axis;
}

double sn_axis_place(const sn_axis *axis, double value)
{
    double x = axis->log_scale ? log10(value) : value;
    return (x - axis->low) / (axis->high - axis->low);
}

// 10 with a raised exponent.
static void add_power(sn_text *text, int exponent)
{
    static const char *const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    sn_text_add(text, exponent < 0 ? "10\u207b" : "10");
    int size = exponent < 0 ? -exponent : exponent;
    if (size >= 100) {
        sn_text_add(text, digits[size / 100 % 10]);
    }
    if (size >= 10) {
        sn_text_add(text, digits[size / 10 % 10]);
    }
    sn_text_add(text, digits[size % 10]);
}

void sn_axis_label(const sn_axis *axis, double tick, sn_text *text)
{
    if (axis->log_scale) {
        int exponent = (int)floor(tick + 0.5);
        if (exponent >= -2 && exponent <= 3) {
            sn_xml_fixed(text, power_of_ten(exponent), exponent < 0 ? -exponent : 0);
        } else {
            add_power(text, exponent);
        }
        return;
    }
    double value = times_power(tick - axis->offset, -axis->exponent);
    double least = 0.5 * power_of_ten(-axis->decimals);
    if (value <= -least) { // a true minus sign, as wide as the plus
        sn_text_add(text, "\u2212");
    }
    sn_xml_fixed(text, fabs(value), axis->decimals);
}

void sn_axis_note(const sn_axis *axis, sn_text *text)
{
    if (axis->exponent != 0) {
        sn_text_add(text, "\u00d7 ");
        add_power(text, axis->exponent);
    }
    if (axis->offset != 0.0) {
        sn_text_add(text, axis->exponent != 0 ? " " : "");
        sn_text_add(text, axis->offset < 0.0 ? "\u2212 " : "+ ");
        sn_text_number(text, fabs(axis->offset));
    }
}
