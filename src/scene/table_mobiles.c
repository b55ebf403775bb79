// The mobiles' part of the scene table.
#include <stddef.h>

#include "mobile/outline_preset.h"
#include "scene/mobile_item.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_part_item, member)

#define LENGTH          .dimension = SN_LENGTH
#define POSITIVE_LENGTH .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE
#define SOME_LENGTH     .dimension = SN_LENGTH, .range = SN_RANGE_NOT_NEGATIVE

// Bare numbers beyond these are noted: the largest mobiles have arms of some metres.
#define ARM_DOUBT   .doubtful = 5
#define PIECE_DOUBT .doubtful = 2
#define THIN_DOUBT  .doubtful = 0.05

// ---- what all parts have ----

#define HANGING                                                                                    \
    {"name", SN_KEY_NAME, AT(name),                                                                \
     "What it is called after the mobile's name: `fish/tail`. Without one it is `fish/arm2`, or "  \
     "`fish/arm2/leaf1` for the first leaf of that arm.",                                          \
     .standard_text = "by kind and number"},                                                       \
        {"at",                                                                                     \
         SN_KEY_NUMBER,                                                                            \
         AT(at),                                                                                   \
         "Where it is on the arm that carries it, along the wire from the first end.",             \
         SOME_LENGTH,                                                                              \
         ARM_DOUBT,                                                                                \
         .standard_text = "the first end for the first, the second for the last"},                 \
        {"string",                                                                                 \
         SN_KEY_NUMBER,                                                                            \
         AT(string),                                                                               \
         "Length of the string it hangs by.",                                                      \
         SOME_LENGTH,                                                                              \
         ARM_DOUBT,                                                                                \
         .standard_text = "0: hook in eye"},                                                       \
        {"drop", SN_KEY_NUMBER, AT(drop),                                                          \
         "How far below the wire its ring or hook is; that moves with the wire.", SOME_LENGTH},    \
        {"turn", SN_KEY_NUMBER, AT(turn),                                                          \
         "About the vertical, from the direction of the arm that carries it.",                     \
         .dimension = SN_ANGLE},                                                                   \
        {"material",                                                                               \
         SN_KEY_REFERENCE,                                                                         \
         AT(material),                                                                             \
         "What it is made of.",                                                                    \
         .refers_to = "material",                                                                  \
         .standard_text = "the mobile's"},                                                         \
        {"colour", SN_KEY_COLOUR, AT(colour), "For drawing.", .standard_text = "the material's"},  \
        {"mass",                                                                                   \
         SN_KEY_NUMBER,                                                                            \
         AT(mass),                                                                                 \
         "Instead of what form and density give.",                                                 \
         .dimension = SN_MASS,                                                                     \
         .range = SN_RANGE_POSITIVE,                                                               \
         .standard_text = "from the form"},                                                        \
    {                                                                                              \
        "keep", SN_KEY_BOOLEAN, AT(keep), "Balancing leaves it as it is."                          \
    }

static const sn_key arm_common[] = {
    HANGING,
    {"tilt", SN_KEY_NUMBER, AT(tilt), "The wanted pose: positive raises the second end.",
     .dimension = SN_ANGLE},
    {"thickness", SN_KEY_NUMBER, AT(thickness), "Diameter of the wire.", POSITIVE_LENGTH,
     THIN_DOUBT, .standard_text = "the mobile's `wire_thickness`"},
    {"hook", SN_KEY_NUMBER, AT(hook), "Where the arm hangs, along the wire from the first end.",
     SOME_LENGTH, ARM_DOUBT, .standard_text = "the middle"},
    {"height", SN_KEY_NUMBER, AT(height), "Of the hook or eye above the wire.", SOME_LENGTH,
     .standard_text = "the mobile's `height`"},
    {"hook_thickness", SN_KEY_NUMBER, AT(hook_thickness),
     "Diameter of the wire up to the hook, and down to rings; 0: it weighs nothing.", SOME_LENGTH,
     .standard_text = "the wire's"},
    {"between", SN_KEY_NUMBERS, AT(between), "Balancing keeps the hook between these two lengths.",
     LENGTH, .least = 2, .most = 2, .standard_text = "the wire's ends"},
    {"carries", SN_KEY_OBJECTS, AT(carries), "What hangs on it or is fixed to it.",
     .object = &sn_table_parts, .least = 1},
};
static const sn_object arm_base = {"arm_common", .size = sizeof(sn_part_item), ROWS(arm_common)};

static const sn_key piece_common[] = {
    HANGING,
    {"fixed", SN_KEY_BOOLEAN, AT(fixed),
     "It is one with its arm, instead of hanging; it points away from the arm's middle."},
    {"flat", SN_KEY_BOOLEAN, AT(flat), "It lies flat; else it stands upright."},
    {"angle", SN_KEY_NUMBER, AT(tilt), "Raises its own x axis, in its upright plane.",
     .dimension = SN_ANGLE, .standard_text = "0; -90deg for presets that hang by their stem"},
    {"roll", SN_KEY_NUMBER, AT(roll), "Turns it about its own x axis, from flat or upright.",
     .dimension = SN_ANGLE},
    {"height", SN_KEY_NUMBER, AT(height), "Of the eye it hangs by above its hole.", SOME_LENGTH},
    {"hole", SN_KEY_NUMBERS, AT(hole),
     "Where it hangs or is fixed: [x, y] in its own outline's axes. What hangs turns until its "
     "weight is below.",
     LENGTH, .least = 2, .most = 2,
     .standard_text = "fixed: the stem (the rim of discs and spheres); hanging: near the upper "
                      "edge, above its middle"},
    {"size", SN_KEY_NUMBER, AT(size),
     "Factor of its own lengths, hole included; its thickness stays.", .range = SN_RANGE_POSITIVE,
     .standard = {1}},
    {"least", SN_KEY_NUMBER, AT(least), "Balancing makes it at least so many times what it is.",
     .range = SN_RANGE_POSITIVE, .standard_text = "the mobile's"},
    {"most", SN_KEY_NUMBER, AT(most), "Balancing makes it at most so many times what it is.",
     .range = SN_RANGE_POSITIVE, .standard_text = "the mobile's"},
};
static const sn_object piece_base = {"piece_common", .size = sizeof(sn_part_item),
                                     ROWS(piece_common)};

// ---- variants ----

#define THICKNESS                                                                                  \
    {                                                                                              \
        "thickness", SN_KEY_NUMBER, AT(sheet_thickness), "Of the sheet.", POSITIVE_LENGTH,         \
            THIN_DOUBT, .standard_text = "the mobile's `sheet_thickness`"                          \
    }
#define BEND                                                                                       \
    {                                                                                              \
        "bend", SN_KEY_NUMBER, AT(bend),                                                           \
            "Rolls the sheet along its length by this angle in all; 0 leaves it flat.",            \
            .dimension = SN_ANGLE, .range = SN_RANGE_BETWEEN, .minimum = -6.2, .maximum = 6.2      \
    }

static const sn_key arm_keys[] = {
    {"arm", SN_KEY_NUMBER, AT(arm), "Length from end to end.", .required = true, POSITIVE_LENGTH,
     ARM_DOUBT},
    {"bow", SN_KEY_NUMBER, AT(bow), "Rise of the arm's middle over the line between its ends.",
     LENGTH},
};
static const sn_key wire_keys[] = {
    {"wire", SN_KEY_POINTS2, AT(wire),
     "Points [x, z] of the wire, from its first end to its second.", .required = true, LENGTH,
     .least = 2},
    {"smooth", SN_KEY_BOOLEAN, AT(smooth), "A curve through the points instead of straight bends."},
};
#define X(name, word, width, direction, text) {word, text},
static const sn_word preset_words[] = {SN_OUTLINE_PRESET_LIST(X){NULL, NULL}};
#undef X
static const sn_key leaf_keys[] = {
    {"leaf", SN_KEY_ENUM, AT(leaf), "The form.", .required = true, .words = preset_words},
    {"length", SN_KEY_NUMBER, AT(length), "Along its x axis, from the stem.", .required = true,
     POSITIVE_LENGTH, PIECE_DOUBT},
    {"width", SN_KEY_NUMBER, AT(width), "Across.", POSITIVE_LENGTH, PIECE_DOUBT,
     .standard_text = "as the form has it"},
    THICKNESS,
    BEND};
static const sn_key outline_keys[] = {
    {"outline", SN_KEY_POINTS2, AT(outline),
     "Corners [x, y] of its edge; it closes by itself. y points up where it stands.",
     .required = true, LENGTH, .least = 3},
    {"smooth", SN_KEY_BOOLEAN, AT(smooth), "A curve through the points instead of corners."},
    {"holes", SN_KEY_LOOPS, AT(holes), "Outlines of holes.", LENGTH, .least = 3},
    THICKNESS,
    BEND};
static const sn_key path_keys[] = {
    {"path", SN_KEY_STRING, AT(path),
     "The `d` of an SVG path; further loops in it are holes. SVG's y points down and is turned.",
     .required = true},
    {"scale", SN_KEY_NUMBER, AT(scale), "Length of one unit of the path.", POSITIVE_LENGTH,
     .standard = {0.001}, .standard_text = "1mm"},
    THICKNESS,
    BEND};
static const sn_key disc_keys[] = {
    {"disc", SN_KEY_NUMBER, AT(radius), "Radius.", .required = true, POSITIVE_LENGTH, PIECE_DOUBT},
    THICKNESS};
static const sn_key ball_keys[] = {{"sphere", SN_KEY_NUMBER, AT(radius), "Radius.",
                                    .required = true, POSITIVE_LENGTH, PIECE_DOUBT}};
static const sn_key solid_keys[] = {
    {"mesh", SN_KEY_STRING, AT(file),
     "A file with a closed mesh, as shapes have it; fixed at its origin, or hanging by its top.",
     .required = true},
    {"unit", SN_KEY_STRING, AT(unit), "The file's unit of length, such as `mm`.",
     .standard_text = "what the format says, else m"},
    {"scale", SN_KEY_NUMBER, AT(scale), "Factor of what the file holds.",
     .range = SN_RANGE_POSITIVE, .standard = {1}}};

#define PART(id_, lead_, number, base_, rows, text_)                                               \
    static const sn_object id_ = {.name = #id_,                                                    \
                                  .lead = lead_,                                                   \
                                  .id = number,                                                    \
                                  .text = text_,                                                   \
                                  .base = &(base_),                                                \
                                  .size = sizeof(sn_part_item),                                    \
                                  ROWS(rows)}

PART(mobile_arm, "arm", SN_SCENE_ARM, arm_base, arm_keys, "A straight or evenly bowed wire.");
PART(mobile_wire, "wire", SN_SCENE_WIRE, arm_base, wire_keys, "A wire with bends or curves.");
PART(mobile_leaf, "leaf", SN_SCENE_LEAF, piece_base, leaf_keys,
     "A sheet of a form that has a name.");
PART(mobile_outline, "outline", SN_SCENE_OUTLINE, piece_base, outline_keys,
     "A sheet with an outline of its own.");
PART(mobile_path, "path", SN_SCENE_PATH, piece_base, path_keys,
     "A sheet with an outline from a drawing program.");
PART(mobile_disc, "disc", SN_SCENE_DISC, piece_base, disc_keys, "A round sheet.");
PART(mobile_sphere, "sphere", SN_SCENE_BALL, piece_base, ball_keys, "A ball.");
PART(mobile_mesh, "mesh", SN_SCENE_SOLID, piece_base, solid_keys, "A solid from a file.");

static const sn_object *const variants[] = {&mobile_arm,     &mobile_wire, &mobile_leaf,
                                            &mobile_outline, &mobile_path, &mobile_disc,
                                            &mobile_sphere,  &mobile_mesh};

const sn_object sn_table_parts = {
    "part", .text = "A part of a mobile; its first key says what it is. Arms carry other parts.",
    .size = sizeof(sn_part_item), .variants = variants,
    .variant_count = (int)(sizeof variants / sizeof variants[0])};

// ---- the whole ----

#define FOOT(member) offsetof(sn_foot_item, member)
static const sn_key foot_keys[] = {
    {"ground", SN_KEY_NUMBER, FOOT(ground), "Height of the ground.", LENGTH},
    {"reach", SN_KEY_NUMBER, FOOT(reach),
     "How far the pole stands beside the nail; 0: the mobile stands on the pole's tip.", LENGTH},
    {"base", SN_KEY_NUMBER, FOOT(base), "Radius of the plate it stands on.", POSITIVE_LENGTH,
     .standard = {0.1}},
    {"thickness", SN_KEY_NUMBER, FOOT(thickness), "Diameter of the pole.", POSITIVE_LENGTH,
     .standard = {0.01}},
    {"material", SN_KEY_REFERENCE, FOOT(material), "What it is made of.", .refers_to = "material",
     .standard_text = "the mobile's"},
    {"colour", SN_KEY_COLOUR, FOOT(colour), "For drawing.", .standard_text = "the material's"},
};
static const sn_object foot_table = {"foot", .text = "A pole on a plate that holds the mobile.",
                                     .size = sizeof(sn_foot_item), ROWS(foot_keys)};

#define X(name, word, text) {word, text},
static const sn_word balance_words[] = {SN_BALANCE_LIST(X){NULL, NULL}};
#undef X

#define WHOLE(member) offsetof(sn_mobile_item, member)
static const sn_key mobile_keys[] = {
    {"name", SN_KEY_NAME, WHOLE(name), "Comes before the names of its parts: `fish/arm1`.",
     .standard_text = "mobile, or mobile2, ..."},
    {"position", SN_KEY_VECTOR, WHOLE(position), "Where the topmost part hangs: the nail.", LENGTH,
     .standard = {0, 0, 1}},
    {"turn", SN_KEY_NUMBER, WHOLE(turn), "Of the whole about the vertical.", .dimension = SN_ANGLE},
    {"balance", SN_KEY_ENUM, WHOLE(balance),
     "What is changed, as little as may be, until every arm rests in its wanted pose.",
     .words = balance_words},
    {"mass", SN_KEY_NUMBER, WHOLE(mass), "Of the whole: wanted by a balance of masses.",
     .dimension = SN_MASS, .range = SN_RANGE_POSITIVE, .standard_text = "any"},
    {"material", SN_KEY_REFERENCE, WHOLE(material), "Of all parts that name none.",
     .refers_to = "material", .standard_text = "aluminium's density, 2700"},
    {"wire_thickness", SN_KEY_NUMBER, WHOLE(wire_thickness), "Diameter of the arms' wire.",
     POSITIVE_LENGTH, THIN_DOUBT, .standard = {0.002}},
    {"sheet_thickness", SN_KEY_NUMBER, WHOLE(sheet_thickness), "Of leaves and discs.",
     POSITIVE_LENGTH, THIN_DOUBT, .standard = {0.001}},
    {"height", SN_KEY_NUMBER, WHOLE(height), "Of the arms' hooks above their wires.", SOME_LENGTH,
     .standard = {0.01}},
    {"string_thickness", SN_KEY_NUMBER, WHOLE(string_thickness), "Diameter of strings.",
     POSITIVE_LENGTH, .standard = {0.0005}},
    {"string_density", SN_KEY_NUMBER, WHOLE(string_density), "Of strings.", .dimension = SN_DENSITY,
     .range = SN_RANGE_POSITIVE, .standard = {1140}, .standard_text = "nylon's, 1140"},
    {"damping", SN_KEY_NUMBER, WHOLE(damping), "Of every hook, against turning.",
     .dimension = SN_ANGULAR_DAMPING, .range = SN_RANGE_NOT_NEGATIVE},
    {"least", SN_KEY_NUMBER, WHOLE(least),
     "Balancing makes a piece at least so many times what it is.", .range = SN_RANGE_POSITIVE,
     .standard = {0.2}},
    {"most", SN_KEY_NUMBER, WHOLE(most),
     "Balancing makes a piece at most so many times what it is.", .range = SN_RANGE_POSITIVE,
     .standard = {5}},
    {"foot", SN_KEY_OBJECT, WHOLE(foot), "A stand on the ground that holds the nail.",
     .object = &foot_table},
    {"ceiling", SN_KEY_NUMBER, WHOLE(ceiling), "Radius of a plate above the nail.", POSITIVE_LENGTH,
     .standard_text = "none"},
    {"hangs", SN_KEY_ONE, WHOLE(hangs), "The topmost part, which carries all others.",
     .required = true, .object = &sn_table_parts},
};

const sn_object sn_table_mobiles = {
    "mobile",
    .text = "A kinetic sculpture: arms of wire with leaves, discs and spheres, hung on ball joints "
            "and described in the pose it shall rest in. Its parts become bodies and joints that "
            "everything else here can refer to.",
    .size = sizeof(sn_mobile_item), ROWS(mobile_keys)};
