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

#define LIMIT(member) offsetof(sn_limit_item, member)

#define FREEDOM_TEXT                                                                               \
    "The freedom it is of, counted from 1 in the type's order. In a list, either every object "    \
    "has "                                                                                         \
    "it, or there is one object for each freedom (`{}`: nothing there)."
#define FREEDOM_KEY(place)                                                                         \
    {                                                                                              \
        "freedom", SN_KEY_INTEGER, place, FREEDOM_TEXT,                                            \
            .range = SN_RANGE_BETWEEN, .minimum = 1, .maximum = 6,                                 \
            .standard_text = "all, or its place in the list"                                       \
    }

static const sn_key limit_keys[] = {
    FREEDOM_KEY(LIMIT(freedom)),
    {"lower", SN_KEY_QUANTITY, LIMIT(lower), "The least position, in rad or m; not of a ball.",
     .dimension = SN_ANY_DIMENSION, .standard_text = "none"},
    {"upper", SN_KEY_QUANTITY, LIMIT(upper),
     "The greatest position, in rad or m; of a ball the greatest angle of its turn.",
     .dimension = SN_ANY_DIMENSION, .standard_text = "none"},
    {"restitution", SN_KEY_NUMBER, LIMIT(restitution),
     "Share of its speed that a hard limit throws back.", .range = SN_RANGE_BETWEEN, .maximum = 1},
    {"stiffness", SN_KEY_QUANTITY, LIMIT(stiffness),
     "Makes the limit soft, a spring beyond it: N m/rad or N/m.", .dimension = SN_ANY_DIMENSION,
     .range = SN_RANGE_NOT_NEGATIVE, .standard_text = "0: a hard limit"},
    {"damping", SN_KEY_QUANTITY, LIMIT(damping),
     "Damper beyond a soft limit: N m s/rad or N s/m. Spring and damper never pull.",
     .dimension = SN_ANY_DIMENSION, .range = SN_RANGE_NOT_NEGATIVE},
};

static const sn_object limit_table = {"limit", .text = "How far a freedom of a joint may go.",
                                      .size = sizeof(sn_limit_item), ROWS(limit_keys)};

#define DRIVE(member) offsetof(sn_drive_item, member)

#define X(name, word, text) {word, text},
static const sn_word drive_words[] = {SN_DRIVE_TYPE_LIST(X){NULL, NULL}};
#undef X

static const sn_key drive_keys[] = {
    FREEDOM_KEY(DRIVE(freedom)),
    {"type", SN_KEY_ENUM, DRIVE(type), "What the drive does.", .words = drive_words},
    {"target", SN_KEY_QUANTITY, DRIVE(target),
     "What it aims at: N m or N, rad/s or m/s, rad or m, as its type says.",
     .dimension = SN_ANY_DIMENSION, .standard_text = "the `motion`"},
    {"motion", SN_KEY_ONE_OR_NAME, DRIVE(motion),
     "The target as a function of time, in place of `target`.", .object = &sn_table_motions,
     .refers_to = "motion", .standard_text = "the `target`"},
    {"stiffness", SN_KEY_QUANTITY, DRIVE(stiffness),
     "Gain of a position drive: force per distance from the target, N m/rad or N/m.",
     .dimension = SN_ANY_DIMENSION, .range = SN_RANGE_NOT_NEGATIVE},
    {"damping", SN_KEY_QUANTITY, DRIVE(damping),
     "Gain of a position drive: force per velocity against the target's, N m s/rad or N s/m.",
     .dimension = SN_ANY_DIMENSION, .range = SN_RANGE_NOT_NEGATIVE},
    {"force_limit", SN_KEY_QUANTITY, DRIVE(force_limit),
     "The most that a velocity or position drive can do, N m or N.", .dimension = SN_ANY_DIMENSION,
     .range = SN_RANGE_POSITIVE, .standard_text = "none"},
};

static const sn_object drive_table = {"drive", .text = "A motor in a freedom of a joint.",
                                      .size = sizeof(sn_drive_item), ROWS(drive_keys)};

static const sn_key curve_keys[] = {
    {"points", SN_KEY_POINTS3, offsetof(sn_curve_item, points), "Points that the curve visits.",
     .required = true, .dimension = SN_LENGTH, .least = 2},
    {"closed", SN_KEY_BOOLEAN, offsetof(sn_curve_item, closed),
     "The last point is followed by the first. An open curve goes on straight beyond its ends."},
};

static const sn_object curve_table = {
    "curve", .text = "A smooth curve through points, in the joint's frame on the parent.",
    .size = sizeof(sn_curve_item), ROWS(curve_keys)};

#define SURFACE(member) offsetof(sn_surface_item, member)
#define SURFACE_LENGTH  .required = true, .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE

static const sn_key round_keys[] = {
    {"radius", SN_KEY_NUMBER, SURFACE(radius), "From the middle to the surface.", SURFACE_LENGTH}};
static const sn_key cone_keys[] = {
    {"angle", SN_KEY_NUMBER, SURFACE(angle), "Between the axis and the surface.", .required = true,
     .dimension = SN_ANGLE, .range = SN_RANGE_BETWEEN, .minimum = 0.001, .maximum = 1.57}};
static const sn_key torus_keys[] = {{"radius", SN_KEY_NUMBER, SURFACE(radius),
                                     "Of the circle along which the tube runs.", SURFACE_LENGTH},
                                    {"tube_radius", SN_KEY_NUMBER, SURFACE(tube_radius),
                                     "Of the tube; less than `radius`.", SURFACE_LENGTH}};
static const sn_key ellipsoid_keys[] = {
    {"size", SN_KEY_VECTOR, SURFACE(size), "Its half axes along x, y and z.", SURFACE_LENGTH}};

static const sn_object plane_surface = {"plane_surface", .word = "plane", .id = SN_SURFACE_PLANE,
                                        .text = "The plane z = 0.",
                                        .size = sizeof(sn_surface_item)};
static const sn_object sphere_surface = {"sphere_surface",
                                         .word = "sphere",
                                         .id = SN_SURFACE_SPHERE,
                                         .text = "About the frame's origin.",
                                         .size = sizeof(sn_surface_item),
                                         ROWS(round_keys)};
static const sn_object cylinder_surface = {"cylinder_surface",
                                           .word = "cylinder",
                                           .id = SN_SURFACE_CYLINDER,
                                           .text = "About z, without end.",
                                           .size = sizeof(sn_surface_item),
                                           ROWS(round_keys)};
static const sn_object cone_surface = {"cone_surface",
                                       .word = "cone",
                                       .id = SN_SURFACE_CONE,
                                       .text = "With its tip at the origin, opening along z.",
                                       .size = sizeof(sn_surface_item),
                                       ROWS(cone_keys)};
static const sn_object torus_surface = {"torus_surface",
                                        .word = "torus",
                                        .id = SN_SURFACE_TORUS,
                                        .text = "A tube along a circle about z.",
                                        .size = sizeof(sn_surface_item),
                                        ROWS(torus_keys)};
static const sn_object ellipsoid_surface = {"ellipsoid_surface",
                                            .word = "ellipsoid",
                                            .id = SN_SURFACE_ELLIPSOID,
                                            .text = "About the frame's origin.",
                                            .size = sizeof(sn_surface_item),
                                            ROWS(ellipsoid_keys)};

static const sn_object *const surfaces[] = {&plane_surface, &sphere_surface, &cylinder_surface,
                                            &cone_surface,  &torus_surface,  &ellipsoid_surface};
static const sn_object surface_table = {
    "surface",
    .text = "A surface in the joint's frame on the parent, with z as its axis.",
    .size = sizeof(sn_surface_item),
    .variants = surfaces,
    .variant_count = SN_SURFACE_TYPE_COUNT,
};

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
     "there. Distance, curve and surface joints have only their parent's side there, and hold the "
     "child's own origin.",
     .dimension = SN_LENGTH, .standard_text = "the child's position", .change = SN_CHANGE_START},
    {"axis", SN_KEY_VECTOR, AT(axis),
     "The joint's z in the world, as the bodies stand at the start; of any length.",
     .standard = {0, 0, 1}, .change = SN_CHANGE_START},
    {"second_axis", SN_KEY_VECTOR, AT(second_axis),
     "The joint's x in the world, perpendicular to `axis`: a universal joint's second axis, the "
     "first direction of a planar one.",
     .standard_text = "x, turned as the shortest turn takes z to `axis`",
     .change = SN_CHANGE_START},
    {"parent_frame", SN_KEY_OBJECT, AT(parent_frame),
     "The joint on the parent, in the parent's frame (the world's for the world); instead of `at` "
     "and the axes.",
     .object = &frame_table},
    {"child_frame", SN_KEY_OBJECT, AT(child_frame),
     "The joint on the child, in the child's frame. The bodies must stand as the joint allows.",
     .object = &frame_table},
    {"start", SN_KEY_QUANTITIES, AT(start),
     "The angle at the start, as far as whole turns go, which bodies do not show: one number for "
     "all freedoms, or a list in the type's order. Only of joints that turn about given axes.",
     .dimension = SN_ANY_DIMENSION, .least = 1, .most = 6,
     .standard_text = "within the limits, nearest to 0", .change = SN_CHANGE_START},
    {"pitch", SN_KEY_NUMBER, AT(pitch), "Shift of a screw per angle.", .dimension = SN_PITCH},
    {"length", SN_KEY_NUMBER, AT(length), "Of the rod of a distance joint.", .dimension = SN_LENGTH,
     .range = SN_RANGE_POSITIVE, .standard = {-1}, .standard_text = "the distance at the start"},
    {"curve", SN_KEY_OBJECT, AT(curve), "What a curve joint keeps its child on.",
     .object = &curve_table},
    {"surface", SN_KEY_ONE, AT(surface), "What a surface joint keeps its child on.",
     .object = &surface_table},
    {"stiffness", SN_KEY_QUANTITIES, AT(stiffness),
     "Springs in the freedoms: one number for all, or a list in the type's order; N m/rad where it "
     "turns, N/m where it slides. The three turns of a ball have the same.",
     .dimension = SN_ANY_DIMENSION, .range = SN_RANGE_NOT_NEGATIVE, .least = 1, .most = 6,
     .change = SN_CHANGE_CARRIED},
    {"damping", SN_KEY_QUANTITIES, AT(damping),
     "Dampers in the freedoms, in the same way: N m s/rad or N s/m.", .dimension = SN_ANY_DIMENSION,
     .range = SN_RANGE_NOT_NEGATIVE, .least = 1, .most = 6, .change = SN_CHANGE_CARRIED},
    {"rest", SN_KEY_QUANTITIES, AT(rest),
     "Where the springs are without force, in the same way: rad or m. A ball's is always 0.",
     .dimension = SN_ANY_DIMENSION, .least = 1, .most = 6, .change = SN_CHANGE_CARRIED},
    {"friction", SN_KEY_QUANTITIES, AT(friction),
     "Dry friction: the most that it does against a motion, in the same way: N m or N.",
     .dimension = SN_ANY_DIMENSION, .range = SN_RANGE_NOT_NEGATIVE, .least = 1, .most = 6,
     .change = SN_CHANGE_CARRIED},
    {"limit", SN_KEY_ONE_OR_MORE, AT(limit),
     "How far the freedoms may go: one object for all, or a list.", .object = &limit_table,
     .least = 1, .most = 6, .change = SN_CHANGE_CARRIED},
    {"drive", SN_KEY_ONE_OR_MORE, AT(drive),
     "Motors in the freedoms: one object for all, or a list.", .object = &drive_table, .least = 1,
     .most = 6, .change = SN_CHANGE_CARRIED},
    {"break_force", SN_KEY_NUMBER, AT(break_force),
     "The joint lets go for ever when it passes on more.", .dimension = SN_FORCE,
     .range = SN_RANGE_POSITIVE, .standard_text = "never"},
    {"break_torque", SN_KEY_NUMBER, AT(break_torque),
     "The joint lets go for ever when it passes on more, about its own place.",
     .dimension = SN_TORQUE, .range = SN_RANGE_POSITIVE, .standard_text = "never"},
    {"breakable", SN_KEY_BOOLEAN, AT(breakable),
     "Something else may break it; one with a break force or torque is breakable anyway."},
    {"contact", SN_KEY_BOOLEAN, AT(contact),
     "Shapes of its two bodies meet; else they pass through each other."},
};

const sn_object sn_table_joints = {
    "joint",
    .text = "What joins a body to another or to the world. It stands either once in the world "
            "(`at`, `axis`), or on each side (`parent_frame`, `child_frame`).",
    .size = sizeof(sn_joint_item), ROWS(keys)};
