// Sinew geometry: triangle meshes, where they come from and what can be said about them.
//
//     sn_vec2 square[] = {{0, 0}, {0.1, 0}, {0.1, 0.1}, {0, 0.1}};
//     sn_outline outline = {.points = square, .loop_sizes = (int[]){4}, .loop_count = 1};
//     sn_mesh *mesh = NULL;
//     if (sn_mesh_extrusion(&outline, 0.02, &mesh, &error) == SN_OK) {
//         sn_mass_properties mass;
//         sn_mesh_mass_properties(mesh, 2700.0, &mass, &error);
//         sn_mesh_release(mesh);
//     }
//
// A mesh is a list of positions and of triangles that index them, counter-clockwise seen from
// outside. It is made once, never changes afterwards, and is shared by counting references, from
// any thread. A mesh that bounds a body must be closed; `sn_mesh_check` says whether it is, and
// names what is wrong. A body may have several shells, and hollows: shells inside a shell, turned
// inward.
//
// Lengths are metres. Curved surfaces become flat triangles whose corners lie on the surface;
// volumes approach the true ones with the square of the edge length.
//
// A mesh that is not closed can be repaired (`sn_mesh_repaired`): holes are closed, shells turned.
//
// What it does not do: it does not look for shells that cut through themselves, and does not keep
// colours, textures or names of imported files.
#ifndef SINEW_GEOMETRY_H
#define SINEW_GEOMETRY_H

#include "sinew/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_vec2 {
    double x, y;
} sn_vec2;

// ---- meshes ----

// Copies the arrays. Refuses indices out of range, triangles that name a vertex twice, and
// positions that are not finite. The new mesh has one reference, the caller's.
SN_API sn_status sn_mesh_create(const sn_vec3 *positions, int vertex_count,
                                const int *triangles, // 3 * triangle_count
                                int triangle_count, sn_mesh **mesh, sn_error *error);

// One more reference; returns the same mesh. NULL is allowed.
SN_API sn_mesh *sn_mesh_retain(sn_mesh *mesh);

// One reference less; the last one frees the mesh. NULL is allowed.
SN_API void sn_mesh_release(sn_mesh *mesh);

SN_API int sn_mesh_vertex_count(const sn_mesh *mesh);
SN_API int sn_mesh_triangle_count(const sn_mesh *mesh);
SN_API const sn_vec3 *sn_mesh_positions(const sn_mesh *mesh); // vertex_count
SN_API const int *sn_mesh_triangles(const sn_mesh *mesh);     // 3 * triangle_count

SN_API sn_aabb sn_mesh_bounds(const sn_mesh *mesh);
SN_API double sn_mesh_area(const sn_mesh *mesh);

// Unit normal of one triangle, and of every vertex (mean of its triangles, weighed by area).
SN_API sn_vec3 sn_mesh_triangle_normal(const sn_mesh *mesh, int triangle);
SN_API void sn_mesh_vertex_normals(const sn_mesh *mesh, sn_vec3 *normals); // vertex_count

// A copy, first scaled (all factors not zero; a mirrored copy has its triangles turned over, so
// that it still faces outward), then placed.
SN_API sn_status sn_mesh_transformed(const sn_mesh *mesh, sn_vec3 scale, sn_transform place,
                                     sn_mesh **copy, sn_error *error);

// All triangles of several meshes in one, none of their vertices merged.
SN_API sn_status sn_mesh_join(const sn_mesh *const *meshes, int count, sn_mesh **joined,
                              sn_error *error);

// ---- checks ----

typedef enum sn_mesh_problem_kind {
    SN_MESH_OPEN_EDGE,           // belongs to one triangle: the rim of a hole
    SN_MESH_FLIPPED_EDGE,        // its two triangles face opposite sides
    SN_MESH_CROWDED_EDGE,        // belongs to more than two triangles
    SN_MESH_PINCHED_VERTEX,      // several fans of triangles meet only in this vertex
    SN_MESH_DUPLICATE_TRIANGLE,  // has the same three vertices as another
    SN_MESH_DEGENERATE_TRIANGLE, // has no area
    SN_MESH_INWARD_SHELL,        // encloses less than nothing: a solid turned inside out
    SN_MESH_PROBLEM_KIND_COUNT
} sn_mesh_problem_kind;

typedef struct sn_mesh_problem {
    sn_mesh_problem_kind kind;
    int vertices[2];  // of the edge, or the vertex twice, or -1
    int triangles[2]; // those concerned, or -1
} sn_mesh_problem;

// Triangles connected over edges.
typedef struct sn_mesh_shell {
    int first_triangle; // the smallest index
    int triangle_count;
    double volume; // signed; 0 when the mesh is not closed
    int depth;     // how many other shells surround it: odd for hollows
} sn_mesh_shell;

typedef struct sn_mesh_report {
    int counts[SN_MESH_PROBLEM_KIND_COUNT];
    int problem_count;
    sn_mesh_problem *problems; // by kind, then by index
    int shell_count;
    sn_mesh_shell *shells;  // by first triangle
    int *shell_of_triangle; // triangle_count
} sn_mesh_report;

// Looks for every problem of the list above. SN_ERROR_GEOMETRY when there is one: the error names
// the first, with indices and coordinates, and counts the others. The report (may be NULL) is
// filled in both cases and then belongs to the caller. A shell inside another is a hollow if it is
// turned inward. If it is turned outward, it is a part inside a part: no problem, but its volume
// counts twice (sn_mesh_overlap).
SN_API sn_status sn_mesh_check(const sn_mesh *mesh, sn_mesh_report *report, sn_error *error);
SN_API void sn_mesh_report_free(sn_mesh_report *report);

// The volume that shells of a mesh which passes sn_mesh_check have in common, so that it is counted
// more than once: the integral of max(0, winding number - 1). Measured along some ten thousand
// lines, within about a hundredth of the common volume; 0 for shells that are apart or only touch.
SN_API sn_status sn_mesh_overlap(const sn_mesh *mesh, double *volume, sn_error *error);

// ---- repair ----

// What was changed.
typedef struct sn_mesh_repair {
    int cut_faces;         // faces that crossed themselves, cut into triangles (sn_mesh_import)
    int lost_faces;        // dropped, because a vertex was not finite (sn_mesh_import)
    int merged_vertices;   // as near to each other as rounding
    int duplicate_faces;   // dropped
    int flat_faces;        // without area, dropped or joined with a neighbour
    int flap_faces;        // hanging on the body by an edge, dropped
    int turned_faces;      // single ones, to agree with their neighbours
    int turned_shells;     // inside out
    int split_vertices;    // where the surface only touched itself, in vertices or along edges
    int holes, hole_edges; // closed
    int dropped_shells;    // without volume
} sn_mesh_repair;

// A mesh that passes sn_mesh_check, made from one that does not. `all` false: only shells that are
// inside out are turned. `all` true: everything that sn_mesh_repair counts, see mesh_repair.c. A
// mesh that passes is given back as it is, retained. `repair` (not NULL) is added to.
// SN_ERROR_GEOMETRY when the surface encloses no volume, or with the problem that is left.
SN_API sn_status sn_mesh_repaired(sn_mesh *mesh, bool all, sn_mesh **repaired,
                                  sn_mesh_repair *repair, sn_error *error);

// Room for the longest text of sn_mesh_repair_text.
#define SN_MESH_REPAIR_TEXT 400

// One line, such as "closed 2 holes (14 edges), turned 1 shell". False, and an empty text, when
// nothing was changed.
SN_API bool sn_mesh_repair_text(const sn_mesh_repair *repair, char text[SN_MESH_REPAIR_TEXT]);

// ---- mass properties ----

// Of the body that a closed mesh bounds. Refuses open and inconsistently turned meshes with the
// place; edges and vertices where a body touches itself are allowed.
SN_API sn_status sn_mesh_mass_properties(const sn_mesh *mesh, double density,
                                         sn_mass_properties *mass, sn_error *error);

// The same body seen from another frame, and several bodies as one (parallel axes).
SN_API sn_mass_properties sn_mass_properties_move(const sn_mass_properties *mass,
                                                  sn_transform place);
SN_API sn_mass_properties sn_mass_properties_sum(const sn_mass_properties *masses, int count);

// Can a real body have these? Finite; mass positive; inertia symmetric; principal moments not
// negative, and none larger than the sum of the other two (1e-9 relative allowed for rounding).
SN_API sn_status sn_mass_properties_check(const sn_mass_properties *mass, sn_error *error);

// ---- outlines ----

// A flat region: one outer loop, then its holes. Loops close by themselves and may run either way.
typedef struct sn_outline {
    const sn_vec2 *points; // all loops, one after the other
    const int *loop_sizes; // loop_count
    int loop_count;
} sn_outline;

// Triangles needed at most for an outline of so many points and loops.
#define SN_TRIANGULATION_CAPACITY(points, loops) ((points) + 2 * (loops))

// Cuts an outline into counter-clockwise triangles between its own points. Repeated points are
// skipped; points on a straight edge are kept and used. Loops may touch in common points; crossing,
// overlapping or wrongly nested loops are refused, and the two edges are named.
SN_API sn_status sn_triangulate(const sn_outline *outline,
                                int *triangles, // 3 * SN_TRIANGULATION_CAPACITY
                                int *triangle_count, sn_error *error);

// The same for a polygon in space, which keeps its sense of rotation; the holes follow the outer
// loop in `points`. A polygon that is not flat is projected along its mean normal (Newell's), so a
// face that folds over itself seen from there is refused.
SN_API sn_status sn_triangulate_polygon(const sn_vec3 *points, const int *loop_sizes,
                                        int loop_count,
                                        int *triangles, // 3 * SN_TRIANGULATION_CAPACITY
                                        int *triangle_count, sn_error *error);

// ---- generators ----
// `segments` is the number of edges around a full circle, at least 3. Every mesh passes
// sn_mesh_check.

// Segments that keep a circle's chords within `tolerance` of the circle (from 8 to 4096).
SN_API int sn_segments_for_tolerance(double radius, double tolerance);

// Primitives, centred, axis z: the same bodies as the shapes of shape.h.
SN_API sn_status sn_mesh_box(sn_vec3 size, sn_mesh **mesh, sn_error *error);
// Edges and corners of `size`, which is the outer one, rounded: pieces of cylinders and spheres.
// At most half of the smallest edge; `segments` go around the roundings.
SN_API sn_status sn_mesh_rounded_box(sn_vec3 size, double rounding, int segments, sn_mesh **mesh,
                                     sn_error *error);
SN_API sn_status sn_mesh_sphere(double radius, int segments, sn_mesh **mesh, sn_error *error);
SN_API sn_status sn_mesh_cylinder(double radius, double height, int segments, sn_mesh **mesh,
                                  sn_error *error);
SN_API sn_status sn_mesh_cone(double radius, double height, int segments, sn_mesh **mesh,
                              sn_error *error);
SN_API sn_status sn_mesh_capsule(double radius, double height, int segments, sn_mesh **mesh,
                                 sn_error *error);
SN_API sn_status sn_mesh_torus(double radius, double tube_radius, int segments, sn_mesh **mesh,
                               sn_error *error);

// The outline in the xy plane, raised from z = 0 to z = height.
SN_API sn_status sn_mesh_extrusion(const sn_outline *outline, double height, sn_mesh **mesh,
                                   sn_error *error);

// A profile of points (distance from the z axis, z), turned around the z axis. The profile closes
// by itself: one that starts and ends on the axis gives a body without a bore, one that stays away
// from the axis gives a ring.
SN_API sn_status sn_mesh_revolution(const sn_vec2 *profile, int count, int segments, sn_mesh **mesh,
                                    sn_error *error);

// A sheet with its middle surface on the outline in the xy plane. With `bend_radius` not 0 it is
// rolled about an axis parallel to y, towards +z (radius > 0) or -z (radius < 0), without
// stretching the middle surface: x becomes arc length. `segments` edges then make a full turn. More
// than a full turn would cut through itself and is refused.
SN_API sn_status sn_mesh_sheet(const sn_outline *outline, double thickness, double bend_radius,
                               int segments, sn_mesh **mesh, sn_error *error);

typedef struct sn_tube {
    const sn_vec3 *points;
    int point_count;
    bool closed;   // the last point joins the first
    bool smooth;   // a centripetal Catmull-Rom spline through the points, else straight pieces
    int steps;     // straight pieces per span of the spline
    double radius; // of the round cross-section
    int segments;  // around it
} sn_tube;

// Twelve segments, eight steps per span, 5 mm radius, straight, open; no points.
SN_API sn_tube sn_default_tube(void);

// A round rod along a path, mitred at the corners, capped at open ends, with the least twist. A
// corner too sharp for the radius is refused.
SN_API sn_status sn_mesh_tube(const sn_tube *tube, sn_mesh **mesh, sn_error *error);

// The smallest convex body around the points (qhull). SN_ERROR_UNSUPPORTED in builds without it.
SN_API sn_status sn_mesh_convex_hull(const sn_vec3 *points, int count, sn_mesh **mesh,
                                     sn_error *error);

// The surface of a shape in its own frame (its `frame` is not applied), within `tolerance` metres
// of the true one; 0 gives 32 segments around a circle. A mesh shape gives its own mesh, retained;
// a hull is drawn without its rounding. Of a plane this is a rectangle of size.x by size.y, of a
// height field its upper side: both are open.
SN_API sn_status sn_shape_mesh(const sn_shape *shape, double tolerance, sn_mesh **mesh,
                               sn_error *error);

// ---- height fields ----

// A ground: heights at columns x rows points of a rectangle in the xy plane that is centred on the
// origin, solid below. Row by row: heights[row * columns + column] is at x = (column / (columns -
// 1) - 1/2) size_x and y likewise. Between four neighbours the surface is two triangles, cut along
// the diagonal from the corner of least x and y to that of greatest. It is made once, never changes
// and is shared by counting references. At least 2 x 2 finite heights; they are copied.
SN_API sn_status sn_height_field_create(const double *heights, int columns, int rows, double size_x,
                                        double size_y, sn_height_field **field, sn_error *error);

// One more reference (returns the same field), one less. NULL is allowed.
SN_API sn_height_field *sn_height_field_retain(sn_height_field *field);
SN_API void sn_height_field_release(sn_height_field *field);

SN_API int sn_height_field_columns(const sn_height_field *field);
SN_API int sn_height_field_rows(const sn_height_field *field);
SN_API const double *sn_height_field_heights(const sn_height_field *field); // columns * rows
SN_API sn_vec2 sn_height_field_size(const sn_height_field *field);
SN_API sn_aabb sn_height_field_bounds(const sn_height_field *field); // of the surface alone

// The surface's height above (x, y); false outside the rectangle.
SN_API bool sn_height_field_height(const sn_height_field *field, double x, double y,
                                   double *height);

// The surface as an open mesh that faces up.
SN_API sn_status sn_height_field_mesh(const sn_height_field *field, sn_mesh **mesh,
                                      sn_error *error);

// ---- files ----

typedef enum sn_up_axis {
    SN_UP_FILE, // what the format says: y in glTF, as declared in DAE, else z
    SN_UP_X,
    SN_UP_Y,
    SN_UP_Z
} sn_up_axis;

typedef struct sn_import_options {
    double unit;            // metres per unit of the file; 0: what the format says, else metres
    sn_up_axis up;          // the file's axis that shall point to +z
    double merge_distance;  // vertices this close become one; 0: only equal ones, negative: none
    sn_mesh_repair *repair; // NULL: faces that cross themselves and vertices that are not finite
                            // are refused; else they are cut or dropped, and counted there
} sn_import_options;

SN_API sn_import_options sn_default_import_options(void);

// Metres per "m", "cm", "mm", "in" or "ft"; false for other names.
SN_API bool sn_unit_from_name(const char *name, double *metres);

// All meshes of an OBJ, STL, PLY, OFF, glTF, GLB, DAE or DXF file as one, in its nodes' placements,
// polygons cut into triangles, vertices merged. Coordinates of glTF, DAE and DXF have float
// precision (assimp). SN_ERROR_UNSUPPORTED for other formats and in builds without assimp.
SN_API sn_status sn_mesh_import(const char *path, const sn_import_options *options, sn_mesh **mesh,
                                sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
