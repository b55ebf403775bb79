// The shapes' part of the scene table.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_shape_item, member)
#define SHAPE(id_, word_, rows, text_)                                                             \
    static const sn_object id_##_table = {.name = #id_,                                            \
                                          .word = word_,                                           \
                                          .text = text_,                                           \
                                          .base = &common_table,                                   \
                                          .size = sizeof(sn_shape_item),                           \
                                          ROWS(rows)

static const sn_word role_words[] = {
    {"both", "it is drawn and touches"},
    {"visual",
     "it is drawn; it touches nothing, weighs nothing, feels no air and may be an open mesh"},
    {"collision", "it touches and weighs, and is not drawn"},
    {NULL, NULL},
};

static const sn_key common_keys[] = {
    {"position", SN_KEY_VECTOR, AT(position),
     "Where the shape's own origin is in the body's frame.", .dimension = SN_LENGTH},
    {"rotation", SN_KEY_ROTATION, AT(rotation), "How the shape is turned in the body's frame."},
    {"material", SN_KEY_REFERENCE, AT(material), "What it is made of.", .refers_to = "material",
     .standard_text = "the body's"},
    {"density", SN_KEY_NUMBER, AT(density), "Instead of the material's.", .dimension = SN_DENSITY,
     .range = SN_RANGE_POSITIVE, .standard_text = "the material's, or 1000"},
    {"colour", SN_KEY_COLOUR, AT(colour), "For drawing.",
     .standard_text = "the body's or the material's"},
    {"friction", SN_KEY_NUMBER, AT(friction), "Instead of the material's.",
     .range = SN_RANGE_NOT_NEGATIVE, .standard_text = "the material's, or 0.5",
     .change = SN_CHANGE_CARRIED},
    {"restitution", SN_KEY_NUMBER, AT(restitution), "Instead of the material's.",
     .range = SN_RANGE_BETWEEN, .maximum = 1, .standard_text = "the material's, or 0",
     .change = SN_CHANGE_CARRIED},
    {"rolling_friction", SN_KEY_NUMBER, AT(rolling_friction), "Instead of the material's.",
     .dimension = SN_LENGTH, .range = SN_RANGE_NOT_NEGATIVE,
     .standard_text = "the material's, or 0", .change = SN_CHANGE_CARRIED},
    {"spinning_friction", SN_KEY_NUMBER, AT(spinning_friction), "Instead of the material's.",
     .dimension = SN_LENGTH, .range = SN_RANGE_NOT_NEGATIVE,
     .standard_text = "the material's, or 0", .change = SN_CHANGE_CARRIED},
    {"surface_velocity", SN_KEY_VECTOR, AT(surface_velocity),
     "Of the surface itself, in the shape's axes, as of a conveyor belt.", .dimension = SN_SPEED,
     .change = SN_CHANGE_CARRIED},
    {"group", SN_KEY_STRINGS, AT(group),
     "Groups that it belongs to: any names, up to 32 in a scene.", .least = 1,
     .standard_text = "`default`", .change = SN_CHANGE_CARRIED},
    {"meets", SN_KEY_STRINGS, AT(meets),
     "Groups whose shapes it touches, if they touch those of its own, too; an empty list: none.",
     .standard_text = "all", .change = SN_CHANGE_CARRIED},
    {"sensor", SN_KEY_BOOLEAN, AT(sensor),
     "It notices what is in it, touches nothing, and weighs nothing unless it has a `density` of "
     "its own.",
     .change = SN_CHANGE_CARRIED},
    {"role", SN_KEY_ENUM, AT(role), "What it is there for.", .words = role_words},
};

static const sn_object common_table = {"shape_common", .size = sizeof(sn_shape_item),
                                       ROWS(common_keys)};

#define RADIUS(text_)                                                                              \
    {                                                                                              \
        "radius", SN_KEY_NUMBER, AT(radius), text_, .required = true, .dimension = SN_LENGTH,      \
                                                    .range = SN_RANGE_POSITIVE                     \
    }
#define HEIGHT(text_)                                                                              \
    {                                                                                              \
        "height", SN_KEY_NUMBER, AT(height), text_, .required = true, .dimension = SN_LENGTH,      \
                                                    .range = SN_RANGE_POSITIVE                     \
    }
#define SEGMENTS(standard_)                                                                        \
    {                                                                                              \
        "segments", SN_KEY_WHOLE, AT(segments), "Edges around a full circle.",                     \
            .range = SN_RANGE_BETWEEN, .minimum = 3, .maximum = 4096, .standard = {                \
                standard_                                                                          \
            }                                                                                      \
    }

static const sn_key sphere_keys[] = {RADIUS("Half its width.")};
static const sn_key box_keys[] = {
    {"size", SN_KEY_VECTOR, AT(size), "Full edge lengths along x, y and z.", .required = true,
     .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE},
    {"rounding", SN_KEY_NUMBER, AT(rounding),
     "Radius of edges and corners; the outer size stays. At most half of the smallest edge.",
     .dimension = SN_LENGTH, .range = SN_RANGE_NOT_NEGATIVE}};
static const sn_key cylinder_keys[] = {RADIUS("Around the z axis."), HEIGHT("Along the z axis.")};
static const sn_key cone_keys[] = {RADIUS("Of the base, at -height/2."),
                                   HEIGHT("From the base up to the tip.")};
static const sn_key capsule_keys[] = {RADIUS("Of the cylinder and of both caps."),
                                      HEIGHT("Of the cylindrical part, without the caps.")};
static const sn_key torus_keys[] = {RADIUS("Of the ring's centre line, around the z axis."),
                                    {"tube_radius", SN_KEY_NUMBER, AT(tube_radius),
                                     "Of the ring's round section; less than `radius`.",
                                     .required = true, .dimension = SN_LENGTH,
                                     .range = SN_RANGE_POSITIVE}};

static const sn_word up_words[] = {
    {"file", "what the format says: y in glTF, as declared in DAE, else z"},
    {"x", "the file's x axis points up"},
    {"y", "the file's y axis points up"},
    {"z", "the file's z axis points up"},
    {NULL, NULL}};

#define MESH_FILE(or_)                                                                             \
    {"file", SN_KEY_STRING, AT(file),                                                              \
     "An OBJ, STL, PLY, OFF, glTF, GLB, DAE or DXF file, relative to the scene's; or give " or_    \
     "."},                                                                                         \
        {"unit", SN_KEY_STRING, AT(unit), "The file's unit of length, such as `mm`.",              \
         .standard_text = "what the format says, else m"},                                         \
        {"scale", SN_KEY_VECTOR, AT(scale),                                                        \
         "Factors along x, y and z of what the file holds; an odd number of negative ones "        \
         "mirrors it.",                                                                            \
         .standard = {1, 1, 1}},                                                                   \
        {"up", SN_KEY_ENUM, AT(up), "The file's axis that points up.", .words = up_words},         \
    {                                                                                              \
        "merge_distance", SN_KEY_NUMBER, AT(merge_distance),                                       \
            "Vertices of the file this close become one.", .dimension = SN_LENGTH,                 \
                                                           .range = SN_RANGE_NOT_NEGATIVE,         \
                                                           .standard_text = "0: only equal ones"   \
    }

static const sn_key mesh_keys[] = {
    MESH_FILE("`vertices` and `triangles`"),
    {"repair", SN_KEY_BOOLEAN, AT(repair),
     "Repairs a surface that is not closed: closes holes, turns faces, splits parts that only "
     "touch, cuts faces that cross themselves, drops faces without area. A note says what was "
     "done."},
    {"vertices", SN_KEY_POINTS3, AT(vertices), "Corners.", .dimension = SN_LENGTH, .least = 3},
    {"triangles", SN_KEY_TRIANGLES, AT(triangles),
     "Three indices into `vertices` each, counted from 0, counter-clockwise seen from outside.",
     .least = 1}};

#define OUTLINE                                                                                    \
    {"outline",        SN_KEY_POINTS2,                                                             \
     AT(points),       "Corners [x, y] of the outer edge; it closes by itself.",                   \
     .required = true, .dimension = SN_LENGTH,                                                     \
     .least = 3},                                                                                  \
    {                                                                                              \
        "holes", SN_KEY_LOOPS, AT(holes), "Outlines of holes.", .dimension = SN_LENGTH, .least = 3 \
    }

static const sn_key extrusion_keys[] = {OUTLINE, HEIGHT("Raised from z = 0 to this.")};
static const sn_key revolution_keys[] = {
    {"profile", SN_KEY_POINTS2, AT(points),
     "Points [distance from the z axis, z]; it closes by itself. From axis to axis it gives a "
     "solid, away from it a ring.",
     .required = true, .dimension = SN_LENGTH, .least = 3},
    SEGMENTS(48)};
static const sn_key sheet_keys[] = {
    OUTLINE,
    {"thickness", SN_KEY_NUMBER, AT(thickness), "Half of it on each side of the outline's plane.",
     .required = true, .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE},
    {"bend_radius", SN_KEY_NUMBER, AT(bend_radius),
     "Rolls the sheet about an axis parallel to y, towards +z when positive; 0 leaves it flat.",
     .dimension = SN_LENGTH},
    SEGMENTS(96)};
static const sn_key tube_keys[] = {
    {"path", SN_KEY_POINTS3, AT(points), "Points of the centre line.", .required = true,
     .dimension = SN_LENGTH, .least = 2},
    RADIUS("Of the round section."),
    {"closed", SN_KEY_BOOLEAN, AT(closed), "Joins the last point to the first."},
    {"smooth", SN_KEY_BOOLEAN, AT(smooth),
     "A spline through the points instead of straight pieces."},
    {"steps", SN_KEY_WHOLE, AT(steps), "Straight pieces per span of the spline.",
     .range = SN_RANGE_BETWEEN, .minimum = 1, .maximum = 1000, .standard = {8}},
    SEGMENTS(12)};
static const sn_key hull_keys[] = {
    {"points", SN_KEY_POINTS3, AT(points), "The body is the smallest convex one around them.",
     .dimension = SN_LENGTH, .least = 4},
    MESH_FILE("`points`"),
    {"rounding", SN_KEY_NUMBER, AT(rounding),
     "Radius of edges and corners: it grows by this on all sides, and weighs as if it had not.",
     .dimension = SN_LENGTH, .range = SN_RANGE_NOT_NEGATIVE}};

static const sn_key height_field_keys[] = {
    {"size", SN_KEY_NUMBERS, AT(extent),
     "Edge lengths [x, y]; the shape's origin is in the middle.", .required = true,
     .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE, .least = 2, .most = 2},
    {"heights", SN_KEY_ROWS, AT(heights),
     "Rows of heights, each along x, the first at the least y; or give `height`.",
     .dimension = SN_LENGTH, .least = 2},
    {"height", SN_KEY_FORMULA, AT(ground),
     "An expression of the place, `x` and `y` in m from the middle, and of params.",
     .dimension = SN_LENGTH},
    {"columns", SN_KEY_WHOLE, AT(columns), "Points along x at which `height` is taken.",
     .range = SN_RANGE_BETWEEN, .minimum = 2, .maximum = 4096, .standard = {65}},
    {"rows", SN_KEY_WHOLE, AT(rows), "Points along y at which `height` is taken.",
     .range = SN_RANGE_BETWEEN, .minimum = 2, .maximum = 4096, .standard = {65}}};

SHAPE(sphere, "sphere", sphere_keys, "A ball."), .id = SN_SHAPE_SPHERE
}
;
SHAPE(box, "box", box_keys, "A box, centred."), .id = SN_SHAPE_BOX
}
;
SHAPE(cylinder, "cylinder", cylinder_keys, "A cylinder along z, centred."), .id = SN_SHAPE_CYLINDER
}
;
SHAPE(cone, "cone", cone_keys, "A cone along z, its height centred."), .id = SN_SHAPE_CONE
}
;
SHAPE(capsule, "capsule", capsule_keys, "A cylinder along z with round ends, centred."),
    .id = SN_SHAPE_CAPSULE
}
;
SHAPE(torus, "torus", torus_keys, "A ring around z."), .id = SN_SHAPE_TORUS
}
;
SHAPE(mesh, "mesh", mesh_keys,
      "A closed triangle mesh, from a file or written out. On a static body it may be open."),
    .id = SN_SHAPE_MESH
}
;
SHAPE(extrusion, "extrusion", extrusion_keys, "A flat outline raised along z."),
    .id = SN_SCENE_EXTRUSION
}
;
SHAPE(revolution, "revolution", revolution_keys, "A profile turned around z."),
    .id = SN_SCENE_REVOLUTION
}
;
SHAPE(sheet, "sheet", sheet_keys, "A plate of some thickness, flat or rolled."),
    .id = SN_SCENE_SHEET
}
;
SHAPE(tube, "tube", tube_keys, "A round rod along a path."), .id = SN_SCENE_TUBE
}
;
SHAPE(hull, "hull", hull_keys, "The convex hull of points or of a file's vertices."),
    .id = SN_SHAPE_HULL
}
;
static const sn_object plane_table = {
    .name = "plane",
    .word = "plane",
    .text = "Everything below the plane z = 0 of its frame, without end; static bodies only. It is "
            "drawn as a square.",
    .base = &common_table,
    .size = sizeof(sn_shape_item),
    .id = SN_SHAPE_PLANE};
SHAPE(height_field, "height_field", height_field_keys,
      "A ground given by its heights over a rectangle, solid below; static bodies only. Between "
      "neighbouring points it is flat triangles."),
    .id = SN_SHAPE_HEIGHT_FIELD
}
;

static const sn_object *const variants[] = {
    &sphere_table, &box_table,  &cylinder_table,  &cone_table,        &capsule_table,
    &torus_table,  &mesh_table, &extrusion_table, &revolution_table,  &sheet_table,
    &tube_table,   &hull_table, &plane_table,     &height_field_table};

const sn_object sn_table_shapes = {"shape",
                                   .text = "What a body is made of, placed in the body's frame.",
                                   .size = sizeof(sn_shape_item), .variants = variants,
                                   .variant_count = (int)(sizeof variants / sizeof variants[0])};
