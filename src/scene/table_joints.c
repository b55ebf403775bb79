// The joints' part of the scene table.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_joint_item, member)

#define X(name, word, freedoms, text) {word, text},
static const sn_word type_words[] = {SN_JOINT_TYPE_LIST(X){NULL, NULL}};
#undef X

static const sn_key frame_keys[] = {
    {"position", SN_KEY_VECTOR, offsetof(sn_frame_item, position), "Where the joint is.",
     .dimension = SN_LENGTH},
    {"rotation", SN_KEY_ROTATION, offsetof(sn_frame_item, rotation),
     "How the joint's frame is turned; its z is the joint's axis."},
};

static const sn_object frame_table = {
    "frame", .text = "A joint's frame on one of its sides, in that body's own frame.",
    .size = sizeof(sn_frame_item), ROWS(frame_keys)};

static const sn_key keys[] = {
    {"name", SN_KEY_NAME, AT(name), "How probes and messages refer to it.", .required = true},
    {"type", SN_KEY_ENUM, AT(type), "What it lets the child do; z is the joint's axis.",
     .required = true, .words = type_words},
    {"parent", SN_KEY_REFERENCE, AT(parent), "What it hangs on: a body, or `world`.",
     .refers_to = "body", .standard_text = "world"},
    {"child", SN_KEY_REFERENCE, AT(child), "What hangs on it: a rigid body.", .required = true,
     .refers_to = "body"},
    {"at", SN_KEY_VECTOR, AT(at),
     "Where the joint is in the world, as the bodies stand at the start; its freedoms are zero "
     "there.",
     .dimension = SN_LENGTH, .standard_text = "the child's position"},
    {"axis", SN_KEY_VECTOR, AT(axis),
     "The joint's z in the world, as the bodies stand at the start; of any length.",
     .standard = {0, 0, 1}},
    {"second_axis", SN_KEY_VECTOR, AT(second_axis),
     "The joint's x in the world, perpendicular to `axis`: a universal joint's second axis, the "
     "first direction of a planar one.",
     .standard_text = "x, turned as the shortest turn takes z to `axis`"},
    {"parent_frame", SN_KEY_OBJECT, AT(parent_frame),
     "The joint on the parent, in the parent's frame (the world's for the world); instead of `at` "
     "and the axes.",
     .object = &frame_table},
    {"child_frame", SN_KEY_OBJECT, AT(child_frame),
     "The joint on the child, in the child's frame. The bodies must stand as the joint allows.",
     .object = &frame_table},
    {"pitch", SN_KEY_NUMBER, AT(pitch), "Shift of a screw per angle.", .dimension = SN_PITCH},
    {"stiffness", SN_KEY_QUANTITIES, AT(stiffness),
     "Springs in the freedoms: one number for all, or a list in the type's order; N m/rad where it "
     "turns, N/m where it slides. The three turns of a ball have the same.",
     .dimension = SN_ANY_DIMENSION, .range = SN_RANGE_NOT_NEGATIVE, .least = 1, .most = 6},
    {"damping", SN_KEY_QUANTITIES, AT(damping),
     "Dampers in the freedoms, in the same way: N m s/rad or N s/m.", .dimension = SN_ANY_DIMENSION,
     .range = SN_RANGE_NOT_NEGATIVE, .least = 1, .most = 6},
    {"rest", SN_KEY_QUANTITIES, AT(rest),
     "Where the springs are without force, in the same way: rad or m. A ball's is always 0.",
     .dimension = SN_ANY_DIMENSION, .least = 1, .most = 6},
};

const sn_object sn_table_joints = {
    "joint",
    .text = "What joins a body to another or to the world. It stands either once in the world "
            "(`at`, `axis`), or on each side (`parent_frame`, `child_frame`).",
    .size = sizeof(sn_joint_item), ROWS(keys)};
