// The bodies' part of the scene table.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_body_item, member)

static const sn_word type_words[] = {
    {"rigid", "moves, and keeps its form"},
    {"static", "never moves; takes no mass"},
    {"elastic", "moves and bends; has a `mesh` in place of shapes"},
    {NULL, NULL}};

#define X(name, word, text) {word, text},
static const sn_word integrator_words[] = {SN_INTEGRATOR_LIST(X){NULL, NULL}};
static const sn_word mass_words[] = {SN_ELASTIC_MASS_LIST(X){NULL, NULL}};
static const sn_word solver_words[] = {SN_ELASTIC_SOLVER_LIST(X){NULL, NULL}};
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
     .dimension = SN_LENGTH, .change = SN_CHANGE_START},
    {"rotation", SN_KEY_ROTATION, AT(rotation), "How the body's frame is turned in the world.",
     .change = SN_CHANGE_START},
    {"velocity", SN_KEY_VECTOR, AT(velocity), "Of the centre of mass, in world axes.",
     .dimension = SN_SPEED, .change = SN_CHANGE_START},
    {"angular_velocity", SN_KEY_VECTOR, AT(angular_velocity), "In world axes.",
     .dimension = SN_ANGULAR_SPEED, .change = SN_CHANGE_START},
    {"body_angular_velocity", SN_KEY_VECTOR, AT(body_angular_velocity),
     "In the body's own axes; instead of `angular_velocity`.", .dimension = SN_ANGULAR_SPEED,
     .change = SN_CHANGE_START},
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
    {"mesh", SN_KEY_ONE, AT(mesh), "Elastic: the tetrahedra it is made of.",
     .object = &sn_table_tetrahedra},
    {"nodes", SN_KEY_INTEGER, AT(nodes),
     "Elastic: of an element. 4: its corners; 10: its edges bend, too, and nothing locks.",
     .range = SN_RANGE_BETWEEN, .minimum = 4, .maximum = 10,
     .standard_text = "4, or what the file has"},
    {"materials", SN_KEY_STRING_MAP, AT(materials),
     "Elastic: names of materials by the mesh's regions, in place of `material`: a list, the first "
     "for region 0, or an object whose keys are names or numbers of regions.",
     .least = 1},
    {"fixed", SN_KEY_ONE_OR_MORE, AT(fixed), "Elastic: vertices that stay where they start.",
     .object = &sn_table_choices, .standard_text = "none"},
    {"damping", SN_KEY_ONE, AT(damping), "Elastic: Rayleigh's.", .object = &sn_table_rayleigh,
     .standard_text = "none"},
    {"mass_matrix", SN_KEY_ENUM, AT(mass_matrix), "Elastic: where its mass is.",
     .words = mass_words},
    {"solver", SN_KEY_ENUM, AT(solver), "Elastic: of implicit steps.", .words = solver_words},
    {"solver_tolerance", SN_KEY_NUMBER, AT(solver_tolerance),
     "Elastic: residual that conjugate gradients leave, relative.", .range = SN_RANGE_BETWEEN,
     .minimum = 1e-15, .maximum = 0.5, .standard = {1e-4}},
    {"newton", SN_KEY_WHOLE, AT(newton), "Elastic: linearisations in an implicit step at most.",
     .range = SN_RANGE_BETWEEN, .minimum = 1, .maximum = 100, .standard = {5}},
    {"surface", SN_KEY_ONE, AT(surface), "Elastic: how its skin touches.", .object = &sn_table_skin,
     .standard_text = "the material's"},
    {"display", SN_KEY_ONE, AT(display),
     "Elastic: a surface that is seen in place of its own faces, and moves with the material.",
     .object = &sn_table_shapes, .standard_text = "its faces"},
    {"positions", SN_KEY_POINTS3, AT(positions),
     "Elastic: of all vertices at the start, in the world, in place of `position` and `rotation`.",
     .dimension = SN_LENGTH, .least = 4, .change = SN_CHANGE_START},
    {"velocities", SN_KEY_POINTS3, AT(velocities),
     "Elastic: of all vertices at the start, in the world, in place of `velocity` and "
     "`angular_velocity`.",
     .dimension = SN_SPEED, .least = 4, .change = SN_CHANGE_START},
};

const sn_object sn_table_bodies = {
    "body",
    .text =
        "A thing that a person can name: it moves (rigid), moves and bends (elastic), or stands "
        "still (static).",
    .size = sizeof(sn_body_item), ROWS(keys)};
