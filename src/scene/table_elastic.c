// What only elastic bodies have: meshes of tetrahedra, choices of vertices, damping, skin.
#include <stddef.h>

#include "scene/model.h"

#define ROWS(rows) .keys = (rows), .key_count = (int)(sizeof(rows) / sizeof *(rows))
#define AT(member) offsetof(sn_tetrahedra_item, member)

// ---- meshes ----

#define LENGTH_KEY(name_, member, text_)                                                           \
    {                                                                                              \
        name_, SN_KEY_NUMBER, AT(member), text_, .required = true, .dimension = SN_LENGTH,         \
                                                 .range = SN_RANGE_POSITIVE                        \
    }
#define COUNT_KEY(name_, member, least_, standard_, text_)                                         \
    {                                                                                              \
        name_, SN_KEY_WHOLE, AT(member), text_, .range = SN_RANGE_BETWEEN, .minimum = least_,      \
                                                .maximum = 10000, .standard = {                    \
                                                    standard_                                      \
                                                }                                                  \
    }
#define EDGE_KEY LENGTH_KEY("edge", edge, "Of its triangles, about.")
#define MESH(name_, word_, id_)                                                                    \
    .name = name_, .word = word_, .id = id_, .size = sizeof(sn_tetrahedra_item)

static const sn_word cell_words[] = {
    {"six_mirrored", "six elements, neighbours mirrored: symmetric for even numbers of cells"},
    {"six", "six elements, every cell cut alike"},
    {"five", "five elements, neighbours mirrored"},
    {NULL, NULL}};

static const sn_key box_keys[] = {
    {"size", SN_KEY_VECTOR, AT(size), "Full edge lengths along x, y and z.", .required = true,
     .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE},
    {"cells", SN_KEY_VECTOR, AT(cells), "Whole numbers of cells along x, y and z.",
     .range = SN_RANGE_BETWEEN, .minimum = 1, .maximum = 10000, .standard = {4, 4, 4}},
    {"cell", SN_KEY_ENUM, AT(cell), "How a cell is cut.", .words = cell_words}};

static const sn_key cylinder_keys[] = {
    LENGTH_KEY("radius", radius, "Around the z axis."),
    LENGTH_KEY("height", height, "Along the z axis."),
    COUNT_KEY("rings", rings, 1, 2, "Rings of elements about the axis."),
    COUNT_KEY("spokes", spokes, 3, 6, "Vertices of the innermost ring."),
    COUNT_KEY("layers", layers, 1, 4, "Along the axis.")};

static const sn_key sphere_keys[] = {LENGTH_KEY("radius", radius, "Half its width."),
                                     COUNT_KEY("rings", rings, 1, 3, "Shells about the middle.")};

static const sn_key torus_keys[] = {
    LENGTH_KEY("radius", radius, "Of the ring's centre line, around the z axis."),
    LENGTH_KEY("tube_radius", tube_radius, "Of the ring's round section; less than `radius`."),
    COUNT_KEY("rings", rings, 1, 1, "Rings of elements in a section."),
    COUNT_KEY("spokes", spokes, 3, 8, "Vertices of the innermost ring."),
    COUNT_KEY("segments", segments, 3, 20, "Sections around the z axis.")};

static const sn_key tube_keys[] = {
    LENGTH_KEY("inner_radius", inner_radius, "Of the hole; less than `radius`."),
    LENGTH_KEY("radius", radius, "Around the z axis."),
    LENGTH_KEY("height", height, "Along the z axis."),
    COUNT_KEY("rings", rings, 1, 2, "Layers of elements in the wall."),
    COUNT_KEY("segments", segments, 3, 24, "Around the axis."),
    COUNT_KEY("layers", layers, 1, 10, "Along the axis.")};

static const sn_key extrusion_keys[] = {
    {"outline", SN_KEY_POINTS2, AT(points),
     "Corners [x, y] of the outer edge; it closes by itself.", .required = true,
     .dimension = SN_LENGTH, .least = 3},
    {"holes", SN_KEY_LOOPS, AT(holes), "Outlines of holes.", .dimension = SN_LENGTH, .least = 3},
    LENGTH_KEY("height", height, "Raised from z = 0 to this."),
    COUNT_KEY("layers", layers, 1, 1, "Along z."),
    EDGE_KEY};

static const sn_key revolution_keys[] = {
    {"profile", SN_KEY_POINTS2, AT(points),
     "Points [distance from the z axis, z]; it closes by itself.", .required = true,
     .dimension = SN_LENGTH, .least = 3},
    COUNT_KEY("segments", segments, 3, 12,
              "Around the z axis; few keep those at the axis in shape."),
    EDGE_KEY};

static const sn_word up_words[] = {
    {"file", "what the format says: y in glTF, as declared in DAE, else z"},
    {"x", "the file's x axis points up"},
    {"y", "the file's y axis points up"},
    {"z", "the file's z axis points up"},
    {NULL, NULL}};

static const sn_word fill_words[] = {
    {"lattice",
     "a lattice cut at the surface, which may have holes and cross itself; angles from 10 "
     "degrees, scaled to the surface's volume"},
    {"gmsh", "the program Gmsh: keeps a closed surface exactly where no `edge` is given"},
    {NULL, NULL}};

#define FILL_KEYS                                                                                  \
    {"edge",                                                                                       \
     SN_KEY_NUMBER,                                                                                \
     AT(edge),                                                                                     \
     "Of the elements that fill a surface, about; those inside are longer.",                       \
     .dimension = SN_LENGTH,                                                                       \
     .range = SN_RANGE_NOT_NEGATIVE,                                                               \
     .standard_text = "a tenth of the surface's largest extent; of `gmsh`: its triangles stay as " \
                      "they are"},                                                                 \
        {"repair", SN_KEY_BOOLEAN, AT(repair),                                                     \
         "Repairs a surface before it is filled: closes holes, turns faces, splits parts that "    \
         "only "                                                                                   \
         "touch, cuts faces that cross themselves, drops faces without area. A note says what "    \
         "was "                                                                                    \
         "done."},                                                                                 \
    {                                                                                              \
        "fill", SN_KEY_ENUM, AT(fill), "What fills a surface.", .words = fill_words                \
    }

static const sn_key file_keys[] = {
    {"file", SN_KEY_STRING, AT(file),
     "Tetrahedra in a .msh (Gmsh) or .vtk file, text or binary, or .node and .ele (TetGen), "
     "relative "
     "to the scene's; or a surface (OBJ, STL, PLY, OFF, glTF, GLB, DAE, DXF), closed or nearly, "
     "which is filled.",
     .required = true},
    {"unit", SN_KEY_STRING, AT(unit), "The file's unit of length, such as `mm`.",
     .standard_text = "what the format says, else m"},
    {"scale", SN_KEY_VECTOR, AT(scale),
     "Factors along x, y and z; an odd number of negative ones mirrors it.", .standard = {1, 1, 1}},
    {"up", SN_KEY_ENUM, AT(up), "Of surfaces: the file's axis that points up.", .words = up_words},
    FILL_KEYS};

static const sn_key surface_keys[] = {
    {"vertices", SN_KEY_POINTS3, AT(vertices), "Corners of the triangles.", .required = true,
     .dimension = SN_LENGTH, .least = 3},
    {"triangles", SN_KEY_TRIANGLES, AT(triangles),
     "Three indices into `vertices` each, counted from 0, counter-clockwise seen from outside.",
     .required = true, .least = 1},
    {"scale", SN_KEY_VECTOR, AT(scale),
     "Factors along x, y and z; an odd number of negative ones mirrors it.", .standard = {1, 1, 1}},
    FILL_KEYS};

static const sn_key listed_keys[] = {
    {"vertices", SN_KEY_POINTS3, AT(vertices), "Nodes of the elements.", .required = true,
     .dimension = SN_LENGTH, .least = 4},
    {"elements", SN_KEY_ROWS, AT(elements),
     "4 or 10 indices into `vertices` each, counted from 0: the corners, then the nodes on the "
     "edges 01, 12, 02, 03, 13, 23.",
     .required = true, .range = SN_RANGE_NOT_NEGATIVE, .least = 1},
    {"regions", SN_KEY_NUMBERS, AT(regions), "A number for each element, counted from 0.",
     .range = SN_RANGE_NOT_NEGATIVE, .standard_text = "all 0"}};

static const sn_object box_table = {MESH("box_mesh", "box", SN_SCENE_CELLS_BOX),
                                    .text = "A box, centred.", ROWS(box_keys)};
static const sn_object cylinder_table = {MESH("cylinder_mesh", "cylinder", SN_SCENE_CELLS_CYLINDER),
                                         .text = "A cylinder along z, centred.",
                                         ROWS(cylinder_keys)};
static const sn_object sphere_table = {MESH("sphere_mesh", "sphere", SN_SCENE_CELLS_SPHERE),
                                       .text = "A ball.", ROWS(sphere_keys)};
static const sn_object torus_table = {MESH("torus_mesh", "torus", SN_SCENE_CELLS_TORUS),
                                      .text = "A ring around z.", ROWS(torus_keys)};
static const sn_object tube_table = {MESH("tube_mesh", "tube", SN_SCENE_CELLS_TUBE),
                                     .text = "A pipe along z, centred.", ROWS(tube_keys)};
static const sn_object extrusion_table = {
    MESH("extrusion_mesh", "extrusion", SN_SCENE_CELLS_EXTRUSION),
    .text = "A flat outline raised along z.", ROWS(extrusion_keys)};
static const sn_object revolution_table = {
    MESH("revolution_mesh", "revolution", SN_SCENE_CELLS_REVOLUTION),
    .text = "A profile turned around z.", ROWS(revolution_keys)};
static const sn_object file_table = {MESH("file_mesh", "file", SN_SCENE_CELLS_FILE),
                                     .text = "From a file.", ROWS(file_keys)};
static const sn_object surface_table = {MESH("surface_mesh", "surface", SN_SCENE_CELLS_SURFACE),
                                        .text = "A surface written out, which is filled.",
                                        ROWS(surface_keys)};
static const sn_object listed_table = {MESH("listed_mesh", "listed", SN_SCENE_CELLS_LISTED),
                                       .text = "Written out.", ROWS(listed_keys)};

static const sn_object *const meshes[] = {
    &box_table,       &cylinder_table,   &sphere_table, &torus_table,   &tube_table,
    &extrusion_table, &revolution_table, &file_table,   &surface_table, &listed_table};

const sn_object sn_table_tetrahedra = {
    "tetrahedra",
    .text = "A solid body cut into tetrahedra, in the frame of an elastic body at rest.",
    .size = sizeof(sn_tetrahedra_item), .variants = meshes,
    .variant_count = (int)(sizeof meshes / sizeof meshes[0])};

// ---- choices of vertices ----

#undef AT
#define AT(member) offsetof(sn_choice_item, member)
#define CHOICE(word, id_)                                                                          \
    .name = word "_choice", .lead = word, .id = id_, .size = sizeof(sn_choice_item)
#define POSITION_KEY(text_)                                                                        \
    {                                                                                              \
        "position", SN_KEY_VECTOR, AT(position), text_, .dimension = SN_LENGTH                     \
    }

static const sn_key vertices_keys[] = {{"vertices", SN_KEY_NUMBERS, AT(vertices),
                                        "Numbers of vertices, counted from 0.", .required = true,
                                        .range = SN_RANGE_NOT_NEGATIVE, .least = 1}};
static const sn_key box_choice_keys[] = {
    {"box", SN_KEY_VECTOR, AT(extent), "Full edge lengths along the body's axes.", .required = true,
     .dimension = SN_LENGTH, .range = SN_RANGE_POSITIVE},
    POSITION_KEY("Its middle.")};
static const sn_key sphere_choice_keys[] = {{"sphere", SN_KEY_NUMBER, AT(radius), "Its radius.",
                                             .required = true, .dimension = SN_LENGTH,
                                             .range = SN_RANGE_POSITIVE},
                                            POSITION_KEY("Its middle.")};
static const sn_key plane_choice_keys[] = {
    {"plane", SN_KEY_VECTOR, AT(extent),
     "Its normal: all vertices on the side that it points to, and on the plane itself.",
     .required = true},
    POSITION_KEY("A point of the plane.")};

static const sn_object vertices_table = {CHOICE("vertices", SN_SCENE_CHOICE_VERTICES),
                                         .text = "Vertices by their numbers.", ROWS(vertices_keys)};
static const sn_object box_choice_table = {CHOICE("box", SN_SCENE_CHOICE_BOX),
                                           .text = "What is in a box.", ROWS(box_choice_keys)};
static const sn_object sphere_choice_table = {CHOICE("sphere", SN_SCENE_CHOICE_SPHERE),
                                              .text = "What is in a ball.",
                                              ROWS(sphere_choice_keys)};
static const sn_object plane_choice_table = {CHOICE("plane", SN_SCENE_CHOICE_PLANE),
                                             .text = "What is on one side of a plane.",
                                             ROWS(plane_choice_keys)};

static const sn_object *const choices[] = {&vertices_table, &box_choice_table, &sphere_choice_table,
                                           &plane_choice_table};

const sn_object sn_table_choices = {
    "choice",
    .text = "Vertices of an elastic body, by number or by where they are in its frame at rest. "
            "Those within a millionth of its size of the border count.",
    .size = sizeof(sn_choice_item), .variants = choices,
    .variant_count = (int)(sizeof choices / sizeof choices[0])};

// ---- damping ----

#undef AT
#define AT(member) offsetof(sn_rayleigh_item, member)

static const sn_key rayleigh_keys[] = {
    {"mass", SN_KEY_NUMBER, AT(mass), "Share of the mass matrix: slows everything alike.",
     .dimension = SN_FREQUENCY, .range = SN_RANGE_NOT_NEGATIVE},
    {"stiffness", SN_KEY_NUMBER, AT(stiffness),
     "Share of the stiffness matrix: slows what is quick.", .dimension = SN_TIME,
     .range = SN_RANGE_NOT_NEGATIVE},
    {"frequencies", SN_KEY_NUMBERS, AT(frequencies),
     "Instead: two frequencies of which `ratios` tells the damping.", .dimension = SN_FREQUENCY,
     .range = SN_RANGE_POSITIVE, .least = 2, .most = 2},
    {"ratios", SN_KEY_NUMBERS, AT(ratios), "Shares of critical damping at these.",
     .range = SN_RANGE_NOT_NEGATIVE, .least = 2, .most = 2}};

const sn_object sn_table_rayleigh = {
    "damping",
    .text =
        "Rayleigh's damping of an elastic body: forces -(a M + b K) v. A mode of f Hz loses the "
        "share a/(4 pi f) + b pi f of critical damping.",
    .size = sizeof(sn_rayleigh_item), ROWS(rayleigh_keys)};

// ---- skin ----

#undef AT
#define AT(member) offsetof(sn_skin_item, member)

static const sn_key skin_keys[] = {
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
    {"group", SN_KEY_STRINGS, AT(group), "Groups that it belongs to, as of a shape.", .least = 1,
     .standard_text = "`default`", .change = SN_CHANGE_CARRIED},
    {"meets", SN_KEY_STRINGS, AT(meets), "Groups whose shapes it touches, as of a shape.",
     .standard_text = "all", .change = SN_CHANGE_CARRIED},
    {"self", SN_KEY_BOOLEAN, AT(self), "It touches itself, too."}};

const sn_object sn_table_skin = {"skin", .text = "How the skin of an elastic body touches.",
                                 .size = sizeof(sn_skin_item), ROWS(skin_keys)};
