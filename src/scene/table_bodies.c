// The bodies' part of the scene table.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_body_item, member)

static const sn_word type_words[] = {
    {"rigid", "moves, and keeps its form"}, {"static", "never moves; takes no mass"}, {NULL, NULL}};

#define X(name, word, text) {word, text},
static const sn_word integrator_words[] = {SN_INTEGRATOR_LIST(X){NULL, NULL}};
#undef X

static const sn_key keys[] = {
    {"name", SN_KEY_NAME, AT(name), "How other parts of the scene refer to it.", .required = true},
    {"type", SN_KEY_ENUM, AT(type), "What kind of body it is.", .words = type_words},
    {"shape", SN_KEY_ONE, AT(shape), "What it is made of: one shape.", .object = &sn_table_shapes},
    {"shapes", SN_KEY_OBJECTS, AT(shapes), "What it is made of: several shapes.",
     .object = &sn_table_shapes, .least = 1},
    {"material", SN_KEY_REFERENCE, AT(material), "Of all shapes that name none.",
     .refers_to = "material", .standard_text = "water's density, 1000"},
    {"position", SN_KEY_VECTOR, AT(position), "Where the body's frame is in the world.",
     .dimension = SN_LENGTH},
    {"rotation", SN_KEY_ROTATION, AT(rotation), "How the body's frame is turned in the world."},
    {"velocity", SN_KEY_VECTOR, AT(velocity), "Of the centre of mass, in world axes.",
     .dimension = SN_SPEED},
    {"angular_velocity", SN_KEY_VECTOR, AT(angular_velocity), "In world axes.",
     .dimension = SN_ANGULAR_SPEED},
    {"body_angular_velocity", SN_KEY_VECTOR, AT(body_angular_velocity),
     "In the body's own axes; instead of `angular_velocity`.", .dimension = SN_ANGULAR_SPEED},
    {"mass", SN_KEY_NUMBER, AT(mass),
     "Instead of what shapes and densities give; the inertia is scaled with it.",
     .dimension = SN_MASS, .range = SN_RANGE_POSITIVE, .standard_text = "from the shapes"},
    {"inertia", SN_KEY_NUMBERS, AT(inertia),
     "About the centre of mass in the body's axes: [ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, "
     "iyz] with "
     "ixy = -sum m x y.",
     .dimension = SN_MOMENT_OF_INERTIA, .least = 3, .most = 6, .standard_text = "from the shapes"},
    {"centre", SN_KEY_VECTOR, AT(centre), "Centre of mass in the body's frame.",
     .dimension = SN_LENGTH, .standard_text = "from the shapes"},
    {"integrator", SN_KEY_ENUM, AT(integrator), "The body's own integrator.",
     .words = integrator_words},
    {"relative_tolerance", SN_KEY_NUMBER, AT(relative_tolerance),
     "The body's own error control (precise policy).", .range = SN_RANGE_BETWEEN, .minimum = 1e-14,
     .maximum = 1, .standard_text = "the run's"},
    {"absolute_tolerance", SN_KEY_NUMBER, AT(absolute_tolerance),
     "The body's own error control (precise policy).", .range = SN_RANGE_POSITIVE,
     .standard_text = "the run's"},
    {"colour", SN_KEY_COLOUR, AT(colour), "For drawing.", .standard_text = "the material's"},
};

const sn_object sn_table_bodies = {
    "body", .text = "A thing that a person can name: it moves (rigid) or stands still (static).",
    .size = sizeof(sn_body_item), ROWS(keys)};
