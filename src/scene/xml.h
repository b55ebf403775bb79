// What XML texts (SVG, VTK, URDF) need from strings and numbers, whatever the string holds and the
// locale is.
#ifndef SN_SCENE_XML_H
#define SN_SCENE_XML_H

#include "scene/text.h"

// The string as character data or attribute value: escaped, and what XML 1.0 does not allow
// (control characters, broken UTF-8) replaced by U+FFFD.
SN_API void sn_xml_text(sn_text *text, const char *string);

// A number with `decimals` digits (0 to 15) after the point.
SN_API void sn_xml_fixed(sn_text *text, double value, int decimals);

// Bytes of the UTF-8 character at `string`, 0 when it is none that XML allows.
SN_API size_t sn_xml_character(const char *string);

#endif
