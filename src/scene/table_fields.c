// The part of the scene table about forces and measuring: fields, probes, events.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_field_item, member)

static const sn_key common_keys[] = {{"name", SN_KEY_NAME, AT(name), "How probes refer to it.",
                                      .standard_text = "its type and number, such as `spring 1`"}};
static const sn_object common_table = {"field_common", .size = sizeof(sn_field_item),
                                       ROWS(common_keys)};

static const sn_key spring_keys[] = {
    {"a", SN_KEY_REFERENCE, AT(a), "One end: a body, or `world`.", .required = true,
     .refers_to = "body"},
    {"b", SN_KEY_REFERENCE, AT(b), "The other end.", .refers_to = "body", .standard_text = "world"},
    {"point_a", SN_KEY_VECTOR, AT(point_a),
     "Where it is tied, in the frame of body `a`; world coordinates for the world.",
     .dimension = SN_LENGTH},
    {"point_b", SN_KEY_VECTOR, AT(point_b), "Where it is tied, in the frame of body `b`.",
     .dimension = SN_LENGTH},
    {"stiffness", SN_KEY_NUMBER, AT(stiffness), "Force per elongation.", .required = true,
     .dimension = SN_STIFFNESS, .range = SN_RANGE_NOT_NEGATIVE},
    {"damping", SN_KEY_NUMBER, AT(damping), "Force per rate of elongation.",
     .dimension = SN_DAMPING, .range = SN_RANGE_NOT_NEGATIVE},
    {"rest_length", SN_KEY_NUMBER, AT(rest_length), "Length without force.", .dimension = SN_LENGTH,
     .range = SN_RANGE_NOT_NEGATIVE, .standard = {-1}, .standard_text = "the length at the start"}};

static const sn_object spring_table = {
    .name = "spring",
    .word = "spring",
    .id = SN_SCENE_SPRING,
    .base = &common_table,
    .size = sizeof(sn_field_item),
    .text = "A spring with a damper between two points: f = stiffness (length - rest_length) + "
            "damping (rate of length).",
    ROWS(spring_keys)};

static const sn_key drag_keys[] = {
    {"of", SN_KEY_REFERENCE, AT(of), "A body, or `all`.", .refers_to = "body",
     .standard_text = "all"},
    {"linear", SN_KEY_NUMBER, AT(linear), "Force per speed.", .dimension = SN_DAMPING,
     .range = SN_RANGE_NOT_NEGATIVE},
    {"quadratic", SN_KEY_NUMBER, AT(quadratic),
     "Force per speed squared: half of density, drag coefficient and area.",
     .dimension = SN_QUADRATIC_DRAG, .range = SN_RANGE_NOT_NEGATIVE},
    {"angular_linear", SN_KEY_NUMBER, AT(angular_linear), "Torque per angular speed.",
     .dimension = SN_ANGULAR_DAMPING, .range = SN_RANGE_NOT_NEGATIVE},
    {"angular_quadratic", SN_KEY_NUMBER, AT(angular_quadratic), "Torque per angular speed squared.",
     .dimension = SN_ANGULAR_QUADRATIC_DRAG, .range = SN_RANGE_NOT_NEGATIVE},
    {"medium_velocity", SN_KEY_VECTOR, AT(medium_velocity), "Velocity u of the medium.",
     .dimension = SN_SPEED}};

static const sn_object drag_table = {
    .name = "drag",
    .word = "drag",
    .id = SN_SCENE_DRAG,
    .base = &common_table,
    .size = sizeof(sn_field_item),
    .text = "Drag of a medium at the centre of mass: f = -(linear + quadratic |v - u|) (v - u), "
            "and a torque in the same way.",
    ROWS(drag_keys)};

static const sn_object *const variants[] = {&spring_table, &drag_table};

const sn_object sn_table_fields = {"field", .text = "A force with a place.",
                                   .size = sizeof(sn_field_item), .variants = variants,
                                   .variant_count = (int)(sizeof variants / sizeof variants[0])};

#define X(name, word, unit, of) {word, "in " unit},
static const sn_word quantity_words[] = {SN_QUANTITY_LIST(X){NULL, NULL}};
#undef X

static const sn_key probe_keys[] = {
    {"name", SN_KEY_NAME, offsetof(sn_probe_item, name), "Names the column.", .required = true},
    {"of", SN_KEY_REFERENCE, offsetof(sn_probe_item, of), "A body, a joint, a spring, or `world`.",
     .refers_to = "body, joint or field", .standard_text = "world"},
    {"quantity", SN_KEY_ENUM, offsetof(sn_probe_item, quantity), "What to read.", .required = true,
     .words = quantity_words}};

const sn_object sn_table_probes = {"probe", .text = "A number to write down at every step.",
                                   .size = sizeof(sn_probe_item), ROWS(probe_keys)};

static const sn_word direction_words[] = {
    {"both", "either way"}, {"rising", "from below"}, {"falling", "from above"}, {NULL, NULL}};
static const sn_word action_words[] = {{"mark", "only the log remembers it"},
                                       {"stop", "the run ends there"},
                                       {"start", "behaviours that wait for it start there"},
                                       {NULL, NULL}};

static const sn_key event_keys[] = {
    {"name", SN_KEY_NAME, offsetof(sn_event_item, name), "Names it in the log.", .required = true},
    {"of", SN_KEY_REFERENCE, offsetof(sn_event_item, of), "A body, a joint, a spring, or `world`.",
     .refers_to = "body, joint or field", .standard_text = "world"},
    {"quantity", SN_KEY_ENUM, offsetof(sn_event_item, quantity), "What to watch.", .required = true,
     .words = quantity_words},
    {"threshold", SN_KEY_QUANTITY, offsetof(sn_event_item, threshold),
     "The value it passes, in the quantity's unit.", .dimension = SN_ANY_DIMENSION},
    {"direction", SN_KEY_ENUM, offsetof(sn_event_item, direction), "Which way it passes.",
     .words = direction_words},
    {"action", SN_KEY_ENUM, offsetof(sn_event_item, action), "What happens then.",
     .words = action_words, .standard_text = "`mark`; `start` when a behaviour waits for it"}};

const sn_object sn_table_events = {
    "event", .text = "Something that happens when a quantity passes a threshold.",
    .size = sizeof(sn_event_item), ROWS(event_keys)};
