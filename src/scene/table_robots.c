// The robots' part of the scene table.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_robot_item, member)

static const sn_word base_words[] = {
    {"fixed", "the root link is held by the world"},
    {"free", "the root link moves freely"},
    {NULL, NULL},
};

static const sn_word geometry_words[] = {
    {"file", "`<visual>` is drawn, `<collision>` touches"},
    {"visual", "`<visual>` is drawn and touches; of links that have none, `<collision>` does"},
    {"collision", "`<collision>` is drawn and touches; of links that have none, `<visual>` does"},
    {NULL, NULL},
};

static const sn_key keys[] = {
    {"name", SN_KEY_NAME, AT(name),
     "Comes before the names of its parts: the link `hand` of the robot `arm` is the body "
     "`arm/hand`.",
     .standard_text = "none: the parts' names alone"},
    {"file", SN_KEY_STRING, AT(file), "A URDF file, relative to the scene's.", .required = true},
    {"position", SN_KEY_VECTOR, AT(position), "Where the root link's frame is in the world.",
     .dimension = SN_LENGTH},
    {"rotation", SN_KEY_ROTATION, AT(rotation), "How the root link's frame is turned."},
    {"base", SN_KEY_ENUM, AT(base), "What holds the root link.", .words = base_words},
    {"geometry", SN_KEY_ENUM, AT(geometry), "Which of a link's shapes are drawn, and which touch.",
     .words = geometry_words},
    {"concave", SN_KEY_BOOLEAN, AT(concave),
     "Meshes touch as they are, at the cost of each triangle; else each by its convex hull."},
    {"pose", SN_KEY_NAMED, AT(pose),
     "Where joints stand at the start, by the names of the file: rad or m; three numbers for a "
     "planar joint, six for a floating one.",
     .dimension = SN_ANY_DIMENSION, .least = 1, .most = 6,
     .standard_text = "0, or the middle of a joint's limits where 0 is beyond them"},
    {"packages", SN_KEY_STRING_MAP, AT(packages),
     "Where `package://name/...` is: folders by the names of packages, relative to this file; or "
     "folders in which to look for packages.",
     .standard_text = "the folders above the file, those in them, and `ROS_PACKAGE_PATH`"},
};

const sn_object sn_table_robots = {
    "robot",
    .text =
        "A mechanism from a URDF file. Joints with limits, damping and friction, and joints that "
        "follow others, are as if written in the scene. A link without mass is part of what it is "
        "fixed to, or of a mechanism that carries mass. Faults that have an obvious meaning are "
        "mended, with a note each (`sinew check` lists them; `--strict` refuses them). URDF knows "
        "only trees: joints of the scene may close loops between its links.",
    .size = sizeof(sn_robot_item), ROWS(keys)};
