// The part of the scene table about bonds: what holds vertices of elastic bodies.
#include <math.h>
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_bonding_item, member)
#define BOND(word_, id_)                                                                           \
    .name = word_ "_bond", .word = word_, .id = id_, .size = sizeof(sn_bonding_item),              \
    .base = &common_table

static const sn_key common_keys[] = {
    {"name", SN_KEY_NAME, AT(name), "How probes and messages refer to it.",
     .standard_text = "its number, such as `bond 1`"},
    {"body", SN_KEY_REFERENCE, AT(body), "The elastic body that is held.", .required = true,
     .refers_to = "body"},
    {"from", SN_KEY_NUMBER, AT(start),
     "When it begins to hold. What has moved away by then is pulled back, hard.",
     .dimension = SN_TIME, .standard_text = "the start", .change = SN_CHANGE_CARRIED},
    {"until", SN_KEY_NUMBER, AT(end), "When it lets go.", .dimension = SN_TIME,
     .standard_text = "never", .change = SN_CHANGE_CARRIED},
    {"breaks_at", SN_KEY_NUMBER, AT(break_force),
     "The force in any of its equations beyond which it breaks, for good.", .dimension = SN_FORCE,
     .range = SN_RANGE_POSITIVE, .standard_text = "never", .change = SN_CHANGE_CARRIED}};

static const sn_object common_table = {"bond_common", .size = sizeof(sn_bonding_item),
                                       ROWS(common_keys)};

#define VERTICES_KEY                                                                               \
    {                                                                                              \
        "vertices", SN_KEY_ONE_OR_MORE, AT(vertices), "Which of its vertices.",                    \
            .required = true, .object = &sn_table_choices                                          \
    }
#define TO_KEY(text_)                                                                              \
    {                                                                                              \
        "to", SN_KEY_REFERENCE, AT(to), text_, .refers_to = "body", .standard_text = "world"       \
    }
#define POSITION_KEY(text_)                                                                        \
    {                                                                                              \
        "position", SN_KEY_VECTOR, AT(position), text_, .dimension = SN_LENGTH,                    \
                                                        .change = SN_CHANGE_CARRIED                \
    }
#define RADIUS_KEY                                                                                 \
    {                                                                                              \
        "radius", SN_KEY_NUMBER, AT(radius), "Half its width.",                                    \
            .required = true, .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE,                  \
            .change = SN_CHANGE_CARRIED                                                            \
    }

static const sn_key coordinates_keys[] = {VERTICES_KEY,
                                          {"axes", SN_KEY_STRING, AT(axes),
                                           "Which of their coordinates, such as `z` or `xy`.",
                                           .standard_text = "xyz"}};

static const sn_key plane_keys[] = {VERTICES_KEY,
                                    {"normal", SN_KEY_VECTOR, AT(normal),
                                     "Of the plane, in the world.", .standard = {0, 0, 1},
                                     .change = SN_CHANGE_CARRIED},
                                    POSITION_KEY("A point of the plane, in the world.")};

static const sn_key sphere_keys[] = {VERTICES_KEY, RADIUS_KEY,
                                     POSITION_KEY("Its middle, in the world.")};

static const sn_key cylinder_keys[] = {VERTICES_KEY,
                                       RADIUS_KEY,
                                       {"axis", SN_KEY_VECTOR, AT(normal),
                                        "Its direction, in the world.", .standard = {0, 0, 1},
                                        .change = SN_CHANGE_CARRIED},
                                       POSITION_KEY("A point of its axis, in the world.")};

static const sn_key quadric_keys[] = {
    VERTICES_KEY,
    {"matrix", SN_KEY_ROWS, AT(matrix), "The matrix A: three rows of three numbers, symmetric.",
     .required = true, .least = 3, .most = 3, .change = SN_CHANGE_CARRIED},
    {"linear", SN_KEY_VECTOR, AT(linear), "The vector b.", .dimension = SN_LENGTH,
     .change = SN_CHANGE_CARRIED},
    {"constant", SN_KEY_NUMBER, AT(constant), "The number c.", .dimension = SN_AREA,
     .change = SN_CHANGE_CARRIED},
    POSITION_KEY("Where its own origin is in the world.")};

static const sn_word course_words[] = {
    {"spline", "a smooth curve: acceleration has no jumps"},
    {"smooth", "rests at every point, and goes between with least jerk"},
    {"linear", "straight from point to point: velocity jumps there"},
    {NULL, NULL}};

static const sn_key path_keys[] = {
    VERTICES_KEY,
    {"points", SN_KEY_POINTS3, AT(points),
     "How far they have gone, along the world's axes, counted from the first point.",
     .required = true, .dimension = SN_LENGTH, .least = 1, .change = SN_CHANGE_CARRIED},
    {"times", SN_KEY_NUMBERS, AT(times), "When they are at these points.", .dimension = SN_TIME,
     .standard_text = "the `marks`", .change = SN_CHANGE_CARRIED},
    {"marks", SN_KEY_NUMBERS, AT(marks),
     "In place of times: values of `along` at which they are at these points.",
     .standard_text = "the `times`", .change = SN_CHANGE_CARRIED},
    {"along", SN_KEY_NUMBER, AT(along),
     "With `marks`: where on the path they are to be, such as a param `\"=reach\"`. They start at "
     "the first mark, and go there.",
     .standard_text = "the first mark", .change = SN_CHANGE_CARRIED},
    {"along_rate", SN_KEY_NUMBER, AT(along_rate), "With `marks`: how fast `along` is followed.",
     .dimension = SN_FREQUENCY, .range = SN_RANGE_POSITIVE,
     .standard_text = "the whole path in a second", .change = SN_CHANGE_CARRIED},
    {"course", SN_KEY_ENUM, AT(course), "How it goes from point to point.", .words = course_words,
     .change = SN_CHANGE_CARRIED},
    {"repeats", SN_KEY_BOOLEAN, AT(repeats),
     "From its last point on it starts anew at the first one.", .change = SN_CHANGE_CARRIED},
    {"start_velocity", SN_KEY_VECTOR, AT(start_velocity),
     "Of a spline at its first point, m/s, or m for each of `along`.",
     .standard_text = "the one that makes it straight there", .change = SN_CHANGE_CARRIED},
    {"end_velocity", SN_KEY_VECTOR, AT(end_velocity), "Of a spline at its last point.",
     .standard_text = "in the same way", .change = SN_CHANGE_CARRIED}};

static const sn_key attached_keys[] = {
    VERTICES_KEY, TO_KEY("The body that they move with: a rigid one, a link of a mechanism, a "
                         "static or an elastic one, or `world`.")};

static const sn_key point_keys[] = {
    {"point", SN_KEY_VECTOR, AT(point), "Of the material, in the frame of `body` at rest.",
     .required = true, .dimension = SN_LENGTH},
    TO_KEY("The other body, or `world`."),
    {"to_point", SN_KEY_VECTOR, AT(to_point),
     "Where it is held, in the frame of `to` (of an elastic body at rest), or in the world.",
     .dimension = SN_LENGTH, .standard_text = "where it is at the start",
     .change = SN_CHANGE_CARRIED}};

#define PARTS_KEYS                                                                                 \
    {"vertices",                                                                                   \
     SN_KEY_ONE_OR_MORE,                                                                           \
     AT(vertices),                                                                                 \
     "All elements whose four corners are among these.",                                           \
     .object = &sn_table_choices,                                                                  \
     .standard_text = "the `elements`"},                                                           \
    {                                                                                              \
        "elements", SN_KEY_NUMBERS, AT(elements), "Numbers of elements, counted from 0.",          \
            .range = SN_RANGE_NOT_NEGATIVE, .least = 1, .standard_text = "those of `vertices`"     \
    }

static const sn_key parts_keys[] = {PARTS_KEYS};

static const sn_key junction_keys[] = {
    {"to", SN_KEY_REFERENCE, AT(to), "The other elastic body.", .required = true,
     .refers_to = "body"},
    {"vertices", SN_KEY_ONE_OR_MORE, AT(vertices),
     "Vertices of `body` that move with the nearest material of `to`.", .object = &sn_table_choices,
     .standard_text = "the `element`"},
    {"element", SN_KEY_WHOLE, AT(element), "Instead: an element of `body`, counted from 0.",
     .range = SN_RANGE_NOT_NEGATIVE, .standard_text = "the `vertices`"},
    {"to_element", SN_KEY_WHOLE, AT(to_element), "The element of `to` that it moves with.",
     .range = SN_RANGE_NOT_NEGATIVE, .standard_text = "the `vertices`"}};

static const sn_object tables[] = {
    {BOND("coordinates", SN_SCENE_BOND_COORDINATES),
     .text = "Vertices keep some of their coordinates.", ROWS(coordinates_keys)},
    {BOND("plane", SN_SCENE_BOND_PLANE), .text = "Vertices stay on a plane.", ROWS(plane_keys)},
    {BOND("sphere", SN_SCENE_BOND_SPHERE), .text = "Vertices stay on a sphere.", ROWS(sphere_keys)},
    {BOND("cylinder", SN_SCENE_BOND_CYLINDER), .text = "Vertices stay on a cylinder.",
     ROWS(cylinder_keys)},
    {BOND("quadric", SN_SCENE_BOND_QUADRIC),
     .text = "Vertices stay on the surface x . A x + b . x + c = 0: a cone, an ellipsoid, ...",
     ROWS(quadric_keys)},
    {BOND("path", SN_SCENE_BOND_PATH),
     .text = "Vertices go along a path, all alike, in time or as a param says.", ROWS(path_keys)},
    {BOND("attached", SN_SCENE_BOND_ATTACHED),
     .text = "Vertices move with another body, or stay where they are.", ROWS(attached_keys)},
    {BOND("point", SN_SCENE_BOND_POINT),
     .text = "A point of the material stays on a point of another body, which may turn about it.",
     ROWS(point_keys)},
    {BOND("rigid", SN_SCENE_BOND_RIGID),
     .text = "Elements keep their shape; those that share faces as one.", ROWS(parts_keys)},
    {BOND("volume", SN_SCENE_BOND_VOLUME), .text = "Elements keep their volumes, each its own.",
     ROWS(parts_keys)},
    {BOND("junction", SN_SCENE_BOND_JUNCTION), .text = "Two elastic bodies grow together.",
     ROWS(junction_keys)},
};

static const sn_object *const variants[] = {&tables[0], &tables[1], &tables[2], &tables[3],
                                            &tables[4], &tables[5], &tables[6], &tables[7],
                                            &tables[8], &tables[9], &tables[10]};

const sn_object sn_table_bonds = {
    "bond",
    .text = "Holds vertices of an elastic body beyond their material; see the page on elastic "
            "bodies. Bodies that a bond joins do not touch each other while it holds.",
    .size = sizeof(sn_bonding_item), .variants = variants,
    .variant_count = (int)(sizeof variants / sizeof variants[0])};
