// The part of the scene table about couplings: freedoms that move together.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_coupling_item, member)

static const sn_key term_keys[] = {
    {"joint", SN_KEY_REFERENCE, offsetof(sn_term_item, joint), "A joint; not a ball.",
     .required = true, .refers_to = "joint"},
    {"freedom", SN_KEY_INTEGER, offsetof(sn_term_item, freedom),
     "Which of its freedoms, counted from 1 in the type's order.", .range = SN_RANGE_BETWEEN,
     .minimum = 1, .maximum = 6, .standard_text = "1"},
    {"factor", SN_KEY_QUANTITY, offsetof(sn_term_item, factor),
     "What its position is multiplied by; not 0.", .required = true, .dimension = SN_ANY_DIMENSION},
};

static const sn_object term_table = {"term", .text = "One freedom of a coupling.",
                                     .size = sizeof(sn_term_item), ROWS(term_keys)};

static const sn_key gear_keys[] = {
    {"a", SN_KEY_REFERENCE, offsetof(sn_gear_item, a), "The joint that the ratio is of.",
     .required = true, .refers_to = "joint"},
    {"b", SN_KEY_REFERENCE, offsetof(sn_gear_item, b), "The other joint.", .required = true,
     .refers_to = "joint"},
    {"ratio", SN_KEY_QUANTITY, offsetof(sn_gear_item, ratio),
     "How far `a` goes for each that `b` goes: -2 where `a` has 20 teeth, `b` 40, and they turn "
     "against each other; m/rad from a rack to its pinion.",
     .required = true, .dimension = SN_ANY_DIMENSION},
};

static const sn_object gear_table = {"gear", .text = "The first freedoms of two joints, coupled.",
                                     .size = sizeof(sn_gear_item), ROWS(gear_keys)};

static const sn_key keys[] = {
    {"name", SN_KEY_NAME, AT(name), "How messages refer to it.",
     .standard_text = "its number, such as `coupling 1`"},
    {"terms", SN_KEY_OBJECTS, AT(terms),
     "The sum of factor times position over them stays what it is at the start.",
     .object = &term_table, .least = 1, .standard_text = "those of `gear`"},
    {"gear", SN_KEY_OBJECT, AT(gear), "Two joints and their ratio, in place of `terms`.",
     .object = &gear_table, .standard_text = "the `terms`"},
};

const sn_object sn_table_couplings = {
    "coupling", .text = "Ties freedoms of joints that hang together: gears, racks, differentials.",
    .size = sizeof(sn_coupling_item), ROWS(keys)};
