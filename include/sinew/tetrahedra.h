// Sinew tetrahedra: solid bodies cut into tetrahedra, the meshes that elastic bodies are made of.
//
//     sn_tetrahedra *beam = NULL;
//     sn_tetrahedra_box box = sn_default_tetrahedra_box();
//     box.size = (sn_vec3){4.0, 1.0, 1.0};
//     box.cells[0] = 16;
//     if (sn_tetrahedra_make_box(&box, &beam, &error) == SN_OK) {
//         sn_tetrahedra_quality quality;
//         sn_tetrahedra_measure(beam, &quality);
//         printf("%g degrees\n", quality.least_angle * 180.0 / SN_PI);
//         sn_tetrahedra_release(beam);
//     }
//
// A mesh has vertices and elements of 4 nodes (the corners) or of 10 (then a node in the middle of
// every edge). Corners are in positive order: seen from the fourth the first three turn counter-
// clockwise, so that (b - a) . ((c - a) x (d - a)) > 0. Nodes 4 to 9 lie on the edges 01, 12, 02,
// 03, 13, 23. Every element has a region, a number that materials can be
// given by; regions may have names, as the physical groups of a Gmsh file do. A mesh is made once,
// never changes afterwards, and is shared by counting references, from any thread.
//
// Elements of negative order are turned when a mesh is made, and counted. Slivers, elements that
// lie on top of their neighbours, faces of more than two elements and curved elements that fold
// over themselves are refused with their numbers. Elements may hang together by an edge or a vertex
// alone, which the check tells.
//
// Lengths are metres, angles radians.
//
// What it does not do: it does not look for elements that overlap without sharing a face, and does
// not improve or adapt meshes.
#ifndef SINEW_TETRAHEDRA_H
#define SINEW_TETRAHEDRA_H

#include "sinew/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_tetrahedra sn_tetrahedra;

typedef struct sn_region_name {
    int region;
    const char *name;
} sn_region_name;

typedef struct sn_tetrahedra_def {
    const sn_vec3 *positions; // vertex_count
    int vertex_count;
    const int *elements; // nodes * element_count
    int element_count;
    int nodes;            // per element: 4 or 10
    const int *regions;   // element_count; NULL: all 0
    double least_quality; // flatter elements are refused, see sn_tetrahedra_quality.least_ratio
    const sn_region_name *region_names; // several regions may have one name, and one several
    int region_name_count;
} sn_tetrahedra_def;

// Four nodes; elements of a radius ratio below 1e-3 are refused.
SN_API sn_tetrahedra_def sn_default_tetrahedra_def(void);

// Copies the arrays.
SN_API sn_status sn_tetrahedra_create(const sn_tetrahedra_def *def, sn_tetrahedra **tetrahedra,
                                      sn_error *error);

// One more reference (returns the same mesh), one less. NULL is allowed.
SN_API sn_tetrahedra *sn_tetrahedra_retain(sn_tetrahedra *tetrahedra);
SN_API void sn_tetrahedra_release(sn_tetrahedra *tetrahedra);

SN_API int sn_tetrahedra_vertex_count(const sn_tetrahedra *tetrahedra);
SN_API int sn_tetrahedra_element_count(const sn_tetrahedra *tetrahedra);
SN_API int sn_tetrahedra_nodes(const sn_tetrahedra *tetrahedra); // per element: 4 or 10
SN_API const sn_vec3 *sn_tetrahedra_positions(const sn_tetrahedra *tetrahedra); // vertex_count
SN_API const int *sn_tetrahedra_elements(const sn_tetrahedra *tetrahedra); // nodes * element_count
SN_API const int *sn_tetrahedra_regions(const sn_tetrahedra *tetrahedra);  // element_count

// What regions are called, those without elements included. What is made from a mesh keeps them
// where it keeps its regions, except several meshes in one.
SN_API int sn_tetrahedra_region_name_count(const sn_tetrahedra *tetrahedra);
SN_API const sn_region_name *sn_tetrahedra_region_names(const sn_tetrahedra *tetrahedra);

// Elements that were turned into positive order when the mesh was made, or the one that it is a
// copy of (transformed, with ten nodes, or with other regions).
SN_API int sn_tetrahedra_turned_count(const sn_tetrahedra *tetrahedra);

// ---- quality ----

typedef struct sn_tetrahedra_quality {
    double least_angle, greatest_angle; // between two faces of an element; 1.231 if regular
    double least_ratio;                 // 3 inscribed / circumscribed radius: 1 if regular, 0 flat
    double mean_ratio;
    double shortest_edge, longest_edge;
    double least_volume, greatest_volume, volume; // of one element, of all
    int least_angle_element, greatest_angle_element, least_ratio_element;
    int edge_count; // between corners
    int part_count; // sets of elements that hang together, if only by a vertex
} sn_tetrahedra_quality;

// Of the flat elements between the corners; false when memory runs out.
SN_API bool sn_tetrahedra_measure(const sn_tetrahedra *tetrahedra, sn_tetrahedra_quality *quality);

// ---- checks ----

typedef enum sn_tetrahedra_problem_kind {
    SN_TETRAHEDRA_SLIVER,         // has (nearly) no volume
    SN_TETRAHEDRA_INVERTED,       // lies on top of a neighbour, or is curved over itself
    SN_TETRAHEDRA_DOUBLED,        // has the corners of another
    SN_TETRAHEDRA_CROWDED_FACE,   // belongs to more than two elements
    SN_TETRAHEDRA_UNUSED_VERTEX,  // belongs to no element
    SN_TETRAHEDRA_HINGE,          // an edge by which alone parts hang together
    SN_TETRAHEDRA_PINCHED_VERTEX, // a vertex by which alone parts hang together
    SN_TETRAHEDRA_PROBLEM_KIND_COUNT
} sn_tetrahedra_problem_kind;

typedef struct sn_tetrahedra_problem {
    sn_tetrahedra_problem_kind kind;
    int elements[2]; // those concerned, or -1
    int vertices[3]; // of the face, the edge, or the vertex; then -1
} sn_tetrahedra_problem;

typedef struct sn_tetrahedra_report {
    int counts[SN_TETRAHEDRA_PROBLEM_KIND_COUNT];
    int problem_count;
    sn_tetrahedra_problem *problems; // by kind
} sn_tetrahedra_report;

// Looks for every problem of the list. SN_ERROR_GEOMETRY when there is one: the error counts them
// and gives numbers. The report (may be NULL) is filled in both cases and then belongs to the
// caller. A mesh that exists has none of the first four.
SN_API sn_status sn_tetrahedra_check(const sn_tetrahedra *tetrahedra, sn_tetrahedra_report *report,
                                     sn_error *error);

// The same before a mesh is made, with the elements' order as it is given.
SN_API sn_status sn_tetrahedra_def_check(const sn_tetrahedra_def *def, sn_tetrahedra_report *report,
                                         sn_error *error);
SN_API void sn_tetrahedra_report_free(sn_tetrahedra_report *report);

// ---- surface ----

typedef struct sn_tetrahedra_surface {
    sn_mesh *mesh; // faces of one element, outward; four triangles each if elements have 10 nodes
    int *vertices; // of the mesh: vertex of the tetrahedra
    int *elements; // of the mesh's triangles: element
} sn_tetrahedra_surface;

SN_API sn_status sn_tetrahedra_find_surface(const sn_tetrahedra *tetrahedra,
                                            sn_tetrahedra_surface *surface, sn_error *error);
SN_API void sn_tetrahedra_surface_free(sn_tetrahedra_surface *surface);

// ---- other meshes from a mesh ----

// Every element cut into parts^3, in the same region; of elements with 4 nodes.
SN_API sn_status sn_tetrahedra_refined(const sn_tetrahedra *tetrahedra, int parts,
                                       sn_tetrahedra **refined, sn_error *error);

// Ten nodes in place of four: straight edges get a node in their middle, which is shared.
SN_API sn_status sn_tetrahedra_quadratic(const sn_tetrahedra *tetrahedra, sn_tetrahedra **quadratic,
                                         sn_error *error);

// A copy, first scaled (all factors not zero; a mirrored copy's elements are in positive order
// again), then placed.
SN_API sn_status sn_tetrahedra_transformed(const sn_tetrahedra *tetrahedra, sn_vec3 scale,
                                           sn_transform place, sn_tetrahedra **copy,
                                           sn_error *error);

// ---- modelling ----

// Several meshes in one, their vertices and elements in order. Vertices of different meshes that
// are no farther apart than `tolerance`, a share of the shortest edge of all (0 to 0.4; negative:
// none), become one, the earlier one: the meshes hang together there, by faces, edges or vertices.
// `glued` (may be NULL) gets how many did. Elements of 4 nodes; regions stay.
SN_API sn_status sn_tetrahedra_joined(const sn_tetrahedra *const *meshes, int count,
                                      double tolerance, sn_tetrahedra **joined, int *glued,
                                      sn_error *error);

// What is left when elements are taken away, and with them vertices that no other element has.
// `removed` has element_count values; `vertices` (may be NULL, vertex_count of room) gets the old
// numbers of those that stay.
SN_API sn_status sn_tetrahedra_without(const sn_tetrahedra *tetrahedra, const bool *removed,
                                       sn_tetrahedra **rest, int *vertices, sn_error *error);

// A copy with all elements in one region, or in those given (element_count of them; NULL:
// `region`).
SN_API sn_status sn_tetrahedra_with_regions(const sn_tetrahedra *tetrahedra, int region,
                                            const int *regions, sn_tetrahedra **copy,
                                            sn_error *error);

// Velocities of points that move as a rigid body: linear + angular x (point - about), added.
SN_API void sn_add_rigid_velocity(const sn_vec3 *points, int count, sn_vec3 linear, sn_vec3 angular,
                                  sn_vec3 about, sn_vec3 *velocities);

// ---- generators ----
// All are centred on the origin with the axis along z, except where they say otherwise, and all
// elements have 4 nodes. Angles are those between faces, for cells as long as they are wide.

typedef enum sn_tetrahedra_cell {
    SN_CELL_SIX,          // six per cell, every cell cut alike; angles from 45 to 90 degrees
    SN_CELL_SIX_MIRRORED, // neighbours mirrored: symmetric bodies for even numbers of cells
    SN_CELL_FIVE          // five per cell, neighbours mirrored; angles from 54.7 to 90 degrees
} sn_tetrahedra_cell;

typedef struct sn_tetrahedra_box {
    sn_vec3 size;
    int cells[3];
    sn_tetrahedra_cell cell;
} sn_tetrahedra_box;

// A cube of 1 m, four by four by four cells of SN_CELL_SIX_MIRRORED.
SN_API sn_tetrahedra_box sn_default_tetrahedra_box(void);
SN_API sn_status sn_tetrahedra_make_box(const sn_tetrahedra_box *box, sn_tetrahedra **tetrahedra,
                                        sn_error *error);

// A round section is a vertex in its middle and `rings` rings around it, the first of `spokes`
// vertices, the second of twice as many, and so on: six spokes give nearly regular triangles. It is
// raised in `layers` layers.
typedef struct sn_tetrahedra_cylinder {
    double radius, height;
    int rings, spokes, layers;
} sn_tetrahedra_cylinder;

// 0.5 m by 1 m, two rings, six spokes, four layers; angles from 34 degrees for any number of rings.
SN_API sn_tetrahedra_cylinder sn_default_tetrahedra_cylinder(void);
SN_API sn_status sn_tetrahedra_make_cylinder(const sn_tetrahedra_cylinder *cylinder,
                                             sn_tetrahedra **tetrahedra, sn_error *error);

// An icosahedron's twenty tetrahedra about the middle, each cut into rings^3, with every layer
// moved out onto its sphere: angles from 36 degrees for any number of rings.
SN_API sn_status sn_tetrahedra_make_sphere(double radius, int rings, sn_tetrahedra **tetrahedra,
                                           sn_error *error);

// The cylinder's section swept around the z axis at distance `radius`, `segments` of them.
typedef struct sn_tetrahedra_torus {
    double radius, tube_radius;
    int rings, spokes, segments;
} sn_tetrahedra_torus;

// 1 m and 0.3 m, one ring of eight spokes, twenty segments.
SN_API sn_tetrahedra_torus sn_default_tetrahedra_torus(void);
SN_API sn_status sn_tetrahedra_make_torus(const sn_tetrahedra_torus *torus,
                                          sn_tetrahedra **tetrahedra, sn_error *error);

// A pipe: `rings` layers between the inner and the outer radius, `segments` around.
typedef struct sn_tetrahedra_tube {
    double inner_radius, radius, height;
    int rings, segments, layers;
} sn_tetrahedra_tube;

// 0.3 m and 0.5 m by 1 m; two rings, 24 segments, ten layers.
SN_API sn_tetrahedra_tube sn_default_tetrahedra_tube(void);
SN_API sn_status sn_tetrahedra_make_tube(const sn_tetrahedra_tube *tube, sn_tetrahedra **tetrahedra,
                                         sn_error *error);

// An outline of the xy plane, filled with triangles of about `edge` and raised from z = 0 to
// height. Angles depend on the outline's own; around right angles they stay above 19 degrees.
SN_API sn_status sn_tetrahedra_make_extrusion(const sn_outline *outline, double height, int layers,
                                              double edge, sn_tetrahedra **tetrahedra,
                                              sn_error *error);

// A profile of points (distance from the z axis, z), which closes by itself, filled with triangles
// of about `edge` and turned around the z axis. On the axis elements are wedges of a full turn by
// `segments`: few segments (six to twelve) keep them in shape.
SN_API sn_status sn_tetrahedra_make_revolution(const sn_vec2 *profile, int count, int segments,
                                               double edge, sn_tetrahedra **tetrahedra,
                                               sn_error *error);

// ---- points bound to elements ----

// Points that move with a mesh: a fine surface on a coarse body. Points outside belong to the
// nearest element, as if it went on.
typedef struct sn_embedding {
    int point_count;
    int nodes;         // of an element: 4 or 10
    int *elements;     // point_count
    int *vertices;     // nodes * point_count: of the tetrahedra
    double *weights;   // nodes * point_count: they add up to 1
    int outside_count; // points that no element holds
    double farthest;   // m: how far the farthest of them is off
} sn_embedding;

SN_API sn_status sn_embedding_create(const sn_tetrahedra *tetrahedra, const sn_vec3 *points,
                                     int count, sn_embedding *embedding, sn_error *error);
SN_API void sn_embedding_free(sn_embedding *embedding);

// Where the points are when the vertices are at x, `stride` numbers (3 or more) a vertex; and
// forces on the points as forces on the vertices, which are added to f.
SN_API void sn_embedding_apply(const sn_embedding *embedding, const double *x, int stride,
                               sn_vec3 *points);
SN_API void sn_embedding_add_forces(const sn_embedding *embedding, const sn_vec3 *forces,
                                    int stride, double *f);

// Normals of a mesh whose vertices have moved: as sn_mesh_vertex_normals gives them.
SN_API void sn_mesh_normals_at(const sn_mesh *mesh, const sn_vec3 *positions, sn_vec3 *normals);

// ---- files ----

// By the ending: .msh (Gmsh's 2.2 and 4.1) and .vtk (legacy unstructured grids), both as text and
// binary, .node or .ele (TetGen's pair, counted from 0 or 1). Regions are physical groups, the
// cells' array of the name `region`, or the first attribute. Elements of other kinds and unused
// nodes are left out. Errors read file:line:column, and of binary files: file, byte from 0.
SN_API sn_status sn_tetrahedra_read(const char *path, sn_tetrahedra **tetrahedra, sn_error *error);

// By the ending, too: MSH 2.2, VTK 3.0, TetGen from 0. What is written reads back to the bit.
SN_API sn_status sn_tetrahedra_write(const sn_tetrahedra *tetrahedra, const char *path,
                                     sn_error *error);

// ---- filling surfaces ----

typedef enum sn_fill_method {
    SN_FILL_LATTICE, // a lattice cut at the surface, in this library
    SN_FILL_GMSH // the program Gmsh, which keeps the surface's own triangles or meshes them anew
} sn_fill_method;

typedef struct sn_tetrahedra_fill_options {
    sn_fill_method method;
    double edge;         // m, of elements at the surface; 0: a tenth of its largest extent, and of
                         // Gmsh: the surface's triangles stay as they are
    const char *program; // Gmsh: a name that is looked for as the shell does, or a path
    double seconds;      // after which that program is ended
    // May be NULL. While that program works: called after every whole second of it, and then once
    // more at its end.
    void (*progress)(void *user, double seconds, bool ended);
    void *user;
} sn_tetrahedra_fill_options;

typedef struct sn_tetrahedra_fill_report {
    double surface_volume; // m^3 that the surface encloses
    double filled_volume;  // of the elements, before they were scaled
    double scale;          // factor on all lengths that made both equal
    double edge;           // m: what it was filled with, see sn_tetrahedra_fill
    int dropped_parts;     // crumbs of less than a cube of the lattice, left out
    int pinches; // edges and vertices by which alone parts hang together, as at thin walls
    bool open, overlapping, inside_out; // what is wrong with the surface, and did not matter
} sn_tetrahedra_fill_report;

// The lattice, its own edge; "gmsh" and two minutes where that is asked for.
SN_API sn_tetrahedra_fill_options sn_default_tetrahedra_fill_options(void);

// Fills a surface with elements of four nodes. Options and report may be NULL.
//
// SN_FILL_LATTICE takes any surface that is closed or nearly so: with holes, with shells that
// cross, with triangles that share no vertices. Inside is where it winds around by more than a half
// (generalised winding number). All dihedral angles are above 10 degrees; elements get coarser
// inward; sharp edges may be cut off by a part of `edge`. If the volume is off by more than 1 %,
// shorter edges are tried, down to a quarter; then the body is scaled to the volume that the
// surface encloses. SN_ERROR_GEOMETRY: nothing is enclosed, or walls are too thin for the edge. The
// same bits everywhere.
//
// SN_FILL_GMSH needs a closed surface and runs Gmsh (4.0 or later) as a program of its own, in a
// temporary folder that is removed afterwards; both also where this process is ended meanwhile. The
// body is not scaled. SN_ERROR_UNSUPPORTED when the program is not there; what it complains of is
// part of other errors.
//
// SN_ERROR_ARGUMENT when the edge would give more than two million elements.
SN_API sn_status sn_tetrahedra_fill(const sn_mesh *surface,
                                    const sn_tetrahedra_fill_options *options,
                                    sn_tetrahedra **tetrahedra, sn_tetrahedra_fill_report *report,
                                    sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
