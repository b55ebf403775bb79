#include "scene/urdf_attribute.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/rotation.h"
#include "scene/text.h"

// ---- elements and texts ----

const sn_xml_element *sn_urdf_child(sn_urdf_reader *reader, const sn_xml_element *element,
                                    const char *name)
{
    const sn_xml_element *child = sn_xml_child(element, name);
    for (const sn_xml_element *e = child != NULL ? child->next : NULL; e != NULL; e = e->next) {
        if (strcmp(e->name, name) == 0) {
            SN_URDF_MEND(reader, e, "the first one counts", "a second <%s> in a <%s>, expected one",
                         name, element->name);
            break;
        }
    }
    return child;
}

const char *sn_urdf_text(sn_urdf_reader *reader, const sn_xml_element *element,
                         const char *attribute)
{
    const char *value = sn_xml_attribute_value(element, attribute);
    if (value == NULL || value[0] == '\0') {
        SN_URDF_FAIL(reader, element, "a <%s> needs the attribute \"%s\"", element->name,
                     attribute);
        return NULL;
    }
    return value;
}

// ---- numbers ----

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// URDF's numbers are C's: "+1", ".5" and "2." are allowed, which JSON's grammar does not know.
static bool read_number(const char *text, size_t length, double *value)
{
    char plain[SN_NUMBER_LENGTH_LIMIT + 8];
    size_t from = 0, to = 0;
    if (length == 0 || length > SN_NUMBER_LENGTH_LIMIT) {
        return false;
    }
    if (text[from] == '+' || text[from] == '-') {
        to += text[from] == '-';
        plain[0] = text[from++];
    }
    size_t digits = from;
    while (from + 1 < length && text[from] == '0' && text[from + 1] >= '0' &&
           text[from + 1] <= '9') {
        from += 1;
    }
    if (from < length && text[from] == '.') {
        plain[to++] = '0';
    }
    for (; from < length; ++from) {
        bool bare_point = text[from] == '.' &&
                          (from + 1 == length || text[from + 1] < '0' || text[from + 1] > '9');
        if (bare_point && from == digits) {
            return false; // a point without any digit
        }
        if (!bare_point) {
            plain[to++] = text[from];
        }
    }
    return sn_number_from_text(plain, to, 0, value);
}

// Numbers between spaces, or between commas as well; -1 when there are more than `room` or
// something is no number.
static int split_numbers(const char *text, bool commas, double *numbers, int room)
{
    int n = 0;
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        while (at[length] != '\0' && !is_space(at[length]) && !(commas && at[length] == ',')) {
            length += 1;
        }
        if (length == 0) {
            at += 1;
            continue;
        }
        if (n >= room || !read_number(at, length, &numbers[n])) {
            return -1;
        }
        n += 1;
        at += length;
    }
    return n;
}

int sn_urdf_count_numbers(const sn_xml_element *element, const char *attribute, int limit)
{
    const char *text = sn_xml_attribute_value(element, attribute);
    int n = 0;
    for (const char *at = text != NULL ? text : ""; *at != '\0' && n <= limit;) {
        bool space = is_space(*at) || *at == ',';
        n += !space && (at == text || is_space(at[-1]) || at[-1] == ',');
        at += 1;
    }
    return n;
}

// What may be the matter with a text that is no number.
static const char *number_hint(const char *text, int count)
{
    if (strstr(text, "${") != NULL || strstr(text, "$(") != NULL) {
        return "; xacro has not been run on this file";
    }
    return count == 1 && strchr(text, ',') != NULL ? "; fractions need a point, not a comma" : "";
}

static void fail_numbers(sn_urdf_reader *reader, const sn_xml_element *element,
                         const char *attribute, int count, const char *text)
{
    char expected[32] = "a finite number";
    if (count > 1) {
        snprintf(expected, sizeof expected, "%d finite numbers", count);
    }
    SN_URDF_FAIL(reader, element, "\"%s\" of <%s>: expected %s, got \"%.60s\"%s", attribute,
                 element->name, expected, text, number_hint(text, count));
}

bool sn_urdf_numbers(sn_urdf_reader *reader, const sn_xml_element *element, const char *attribute,
                     double *numbers, int count)
{
    const char *text = sn_xml_attribute_value(element, attribute);
    double found[4] = {0};
    if (text == NULL) {
        return true;
    }
    int n = split_numbers(text, false, found, count);
    if (n == 0) {
        SN_URDF_MEND(reader, element, "read as if it were not there",
                     "\"%s\" of <%s> is empty, expected %d number%s", attribute, element->name,
                     count, count == 1 ? "" : "s");
        return !reader->strict;
    }
    if (n != count && count > 1 && split_numbers(text, true, found, count) == count) {
        SN_URDF_MEND(reader, element, "commas are read as spaces",
                     "\"%s\" of <%s>: expected spaces between numbers, got \"%.60s\"", attribute,
                     element->name, text);
        n = count;
    }
    if (n != count) {
        fail_numbers(reader, element, attribute, count, text);
        return false;
    }
    memcpy(numbers, found, (size_t)count * sizeof *numbers);
    return true;
}

bool sn_urdf_number(sn_urdf_reader *reader, const sn_xml_element *element, const char *attribute,
                    double *number)
{
    return sn_urdf_text(reader, element, attribute) != NULL &&
           sn_urdf_numbers(reader, element, attribute, number, 1);
}

// A word as strtod knows it, without regard to case: "inf", "infinity", "nan".
static bool is_word(const char *text, const char *word)
{
    for (; *word != '\0'; ++word, ++text) {
        if ((*text | 0x20) != *word) {
            return false;
        }
    }
    while (is_space(*text)) {
        text += 1;
    }
    return *text == '\0';
}

bool sn_urdf_bound(sn_urdf_reader *reader, const sn_xml_element *element, const char *attribute,
                   double *number)
{
    const char *text = sn_xml_attribute_value(element, attribute);
    const char *at = text != NULL ? text : "";
    while (is_space(*at)) {
        at += 1;
    }
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (is_word(at, "inf") || is_word(at, "infinity")) {
        *number = negative ? -INFINITY : INFINITY;
        return true;
    }
    if (is_word(at, "nan")) {
        SN_URDF_MEND(reader, element, "read as no bound", "\"%s\" of <%s> is not a number",
                     attribute, element->name);
        return !reader->strict;
    }
    return sn_urdf_numbers(reader, element, attribute, number, 1);
}

void sn_urdf_amount(sn_urdf_reader *reader, const sn_xml_element *element, const char *attribute,
                    double *number, double mended)
{
    double value = *number;
    if (!sn_urdf_bound(reader, element, attribute, &value)) {
        return;
    }
    if (value < 0.0) {
        char remedy[48];
        snprintf(remedy, sizeof remedy, isfinite(mended) ? "read as %g" : "left out", mended);
        SN_URDF_MEND(reader, element, remedy, "\"%s\" of <%s> must not be negative, got %g",
                     attribute, element->name, value);
        value = mended;
    }
    *number = value;
}

// ---- frames ----

// rpy turns about the fixed axes x, y, z in this order, R = Rz Ry Rx.
sn_transform sn_urdf_origin(sn_urdf_reader *reader, const sn_xml_element *element)
{
    sn_transform origin = SN_TRANSFORM_IDENTITY;
    const sn_xml_element *e = sn_urdf_child(reader, element, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    if (e != NULL && sn_urdf_numbers(reader, e, "xyz", xyz, 3) &&
        sn_urdf_numbers(reader, e, "rpy", rpy, 3)) {
        origin.position = sn_vec3_make(xyz[0], xyz[1], xyz[2]);
        origin.rotation =
            sn_quat_normalize(sn_quat_from_euler_zyx(sn_vec3_make(rpy[0], rpy[1], rpy[2])));
    }
    return origin;
}
