#include "scene/xml.h"

#include <math.h>
#include <string.h>

// Shortest form, no surrogates, at most U+10FFFF (RFC 3629); XML 1.0 wants no control characters
// but tab and line ends, and no U+FFFE or U+FFFF.
size_t sn_xml_character(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    if (s[0] < 0x80) {
        return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' || s[0] == '\r' ? 1 : 0;
    }
    size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4) {
        return 0;
    }
    uint32_t code = s[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
        code = code << 6 | (s[i] & 0x3F);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool allowed = code >= least[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) &&
                   code != 0xFFFE && code != 0xFFFF;
    return allowed ? length : 0;
}

void sn_xml_text(sn_text *text, const char *string)
{
    while (*string != '\0') {
        size_t length = sn_xml_character(string);
        switch (length == 0 ? 1 : *string) {
        case 1:
            sn_text_add(text, "\xEF\xBF\xBD");
            length = 1;
            break;
        case '&':
            sn_text_add(text, "&amp;");
            break;
        case '<':
            sn_text_add(text, "&lt;");
            break;
        case '>':
            sn_text_add(text, "&gt;");
            break;
        case '"':
            sn_text_add(text, "&quot;");
            break;
        default:
            sn_text_add_bytes(text, string, length);
        }
        string += length;
    }
}

void sn_xml_fixed(sn_text *text, double value, int decimals)
{
    double unit = 1.0;
    for (int i = 0; i < decimals; ++i) {
        unit *= 10.0;
    }
    double scaled = fabs(value) * unit;
    if (!(scaled < 9e18)) { // NaN, infinite, or beyond what an integer holds
        sn_text_add(text, "0");
        return;
    }
    long long digits = llround(scaled);
    long long whole = digits / (long long)unit, fraction = digits % (long long)unit;
    sn_text_format(text, "%s%lld", value < 0.0 && digits > 0 ? "-" : "", whole);
    if (decimals > 0) {
        sn_text_format(text, ".%0*lld", decimals, fraction);
    }
}
