// Elements and attributes of a URDF as texts, numbers and frames, with messages that name their
// place.
//
// Faults that have an obvious meaning are mended with a note (sn_urdf_mend); under `strict` they
// are errors, as are all others.
#ifndef SN_SCENE_URDF_ATTRIBUTE_H
#define SN_SCENE_URDF_ATTRIBUTE_H

#include "scene/urdf.h"
#include "scene/urdf_xml.h"

static inline sn_place sn_urdf_place(const sn_urdf_reader *reader, const sn_xml_element *element)
{
    return (sn_place){reader->source, element->line, element->column};
}

#define SN_URDF_FAIL(reader, element, ...)                                                         \
    sn_urdf_fail((reader), sn_urdf_place((reader), (element)), __VA_ARGS__)
#define SN_URDF_MEND(reader, element, ...)                                                         \
    sn_urdf_mend((reader), sn_urdf_place((reader), (element)), __VA_ARGS__)

// The child of that name, the first if there are more; NULL when there is none.
const sn_xml_element *sn_urdf_child(sn_urdf_reader *reader, const sn_xml_element *element,
                                    const char *name);

// NULL, with an error, when the attribute is missing or empty.
const char *sn_urdf_text(sn_urdf_reader *reader, const sn_xml_element *element,
                         const char *attribute);

// Exactly `count` (at most 4) numbers between spaces. Without the attribute the numbers stay as
// they are. False: an error was reported.
bool sn_urdf_numbers(sn_urdf_reader *reader, const sn_xml_element *element, const char *attribute,
                     double *numbers, int count);

// How many numbers the attribute has, at most `limit` + 1.
int sn_urdf_count_numbers(const sn_xml_element *element, const char *attribute, int limit);

// A number that must be given.
bool sn_urdf_number(sn_urdf_reader *reader, const sn_xml_element *element, const char *attribute,
                    double *number);

// A bound of a joint: also "inf", "-inf" and "nan", which is none and leaves the number.
bool sn_urdf_bound(sn_urdf_reader *reader, const sn_xml_element *element, const char *attribute,
                   double *number);

// A number that cannot be negative: `mended` is taken instead of one that is.
void sn_urdf_amount(sn_urdf_reader *reader, const sn_xml_element *element, const char *attribute,
                    double *number, double mended);

// <origin xyz rpy> of an element.
sn_transform sn_urdf_origin(sn_urdf_reader *reader, const sn_xml_element *element);

#endif
