// The part of the scene table about motions: numbers as functions of time.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_motion_item, member)

#define X(name, word, text) {word, text},
static const sn_word type_words[] = {SN_MOTION_TYPE_LIST(X){NULL, NULL}};
#undef X

static const sn_key keys[] = {
    {"type", SN_KEY_ENUM, AT(type), "How it goes from point to point.", .words = type_words},
    {"points", SN_KEY_COURSE, AT(points),
     "[time, value] after [time, value], later and later. Values are in whatever unit the drive "
     "wants that follows it. Outside the points it holds the first and the last value.",
     .dimension = SN_ANY_DIMENSION, .least = 1, .standard_text = "those of `file`"},
    {"file", SN_KEY_STRING, AT(file),
     "A CSV file with the points instead, relative to the scene's own: two columns, time in s and "
     "value in SI units; a first line of names may stand above them.",
     .standard_text = "the `points`"},
    {"repeats", SN_KEY_BOOLEAN, AT(repeats),
     "From its last point on it starts anew at the first one."},
    {"start_rate", SN_KEY_QUANTITY, AT(start_rate),
     "Rate of a spline at its first point, in the values' unit per second.",
     .dimension = SN_ANY_DIMENSION,
     .standard_text = "the one that makes it straight there, or smooth where it repeats"},
    {"end_rate", SN_KEY_QUANTITY, AT(end_rate), "Rate of a spline at its last point.",
     .dimension = SN_ANY_DIMENSION, .standard_text = "in the same way"},
};

const sn_object sn_table_motions = {"motion", .text = "A number as a function of time.",
                                    .size = sizeof(sn_motion_item), ROWS(keys)};
