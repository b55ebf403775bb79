// What a picture shows of a world: the surfaces of its bodies and the coils of its springs, as one
// list of triangles that is placed anew for every pose.
//
//     sn_model model = {0};
//     sn_model_make(&model, world, error);
//     sn_model_place(&model, frames, points, error);
//                           // one frame a body, in the world's order, and the points of what bends
//     ... model.positions, model.normals, model.triangles, model.owners ...
//     sn_model_free(&model);
//
// What it does not do: an endless plane whose upper side is level is no part of it; it is the
// stage's floor. Sensors are not seen.
#ifndef SN_DRAW_MODEL_H
#define SN_DRAW_MODEL_H

#include "base/array.h"
#include "geometry/raster.h"
#include "record/shading.h"
#include "sinew/draw.h"
#include "sinew/world.h"

// One distinct surface, in its own frame.
typedef struct sn_model_mesh {
    sn_shape shape; // the first of its kind, for comparison
    sn_shading shading;
    sn_vec3 *outward; // vertex_count: mean of the normals where the mesh has one vertex
    double thickness; // radius of a wire, half the thickness of a sheet of that volume and area
} sn_model_mesh;

typedef struct sn_model_material {
    uint32_t colour; // 0xRRGGBB
    float roughness, metallic;
} sn_model_material;

// A surface on a body.
typedef struct sn_model_part {
    int mesh;
    int body; // in the world's order
    sn_transform frame;
    int material;
    int first_vertex, first_triangle;
} sn_model_part;

// A spring, drawn as a coil, or a rod, drawn as a wire.
typedef struct sn_model_link {
    int body_a, body_b; // -1: the world
    sn_vec3 point_a, point_b;
    double radius, wire; // of the coil (0: straight) and of its wire
    double turns;
    int first_vertex, first_triangle, material;
} sn_model_link;

// Triangles of a surface that bends, counted from its first.
typedef struct sn_model_bend_part {
    int first, count, material;
} sn_model_bend_part;

// A surface that bends: where its vertices are comes with every pose.
typedef struct sn_model_bend {
    int body;
    sn_shading shading; // at rest; creases are where they are then
    double thickness;
    int first_point, point_count; // vertices of its mesh, among all points of a pose
    int first_part, part_count;   // of bend_parts, at least one
    int first_vertex, first_triangle;
} sn_model_bend;

typedef struct sn_model_floor {
    bool given; // the world has one of its own
    double height;
    uint32_t colour;
    float roughness;
} sn_model_floor;

typedef struct sn_model {
    SN_ARRAY(sn_model_mesh) meshes;
    SN_ARRAY(sn_model_material) materials;
    SN_ARRAY(sn_model_part) parts;
    SN_ARRAY(sn_model_link) links;
    SN_ARRAY(sn_model_bend) bends;
    SN_ARRAY(sn_model_bend_part) bend_parts;
    int point_count;      // of a pose
    SN_ARRAY(bool) moves; // by body: not static
    bool falls;           // some body that moves is held by no joint, spring or fixed vertex
    sn_model_floor floor;
    // As placed:
    SN_ARRAY(sn_vec3) positions;
    SN_ARRAY(sn_vec3) outward; // where a vertex goes when a surface is made thicker
    SN_ARRAY(float) thickness; // by vertex
    SN_ARRAY(float) normals;   // 3 by vertex
    SN_ARRAY(int) triangles;   // 3 * triangle count
    SN_ARRAY(int) owners;      // material by triangle
    SN_ARRAY(int) bodies;      // by triangle; -1: of a spring or rod
    SN_ARRAY(int) points;      // of faces that bend: 3 * triangle count, which point a corner is
    SN_ARRAY(bool) still;      // of these, too: does the face never move?
    double fineness;           // of round things, by their radius
    double extent;             // m, of what moves, as it was made
} sn_model;

SN_API sn_status sn_model_make(sn_model *model, const sn_world *world, sn_error *error);
SN_API void sn_model_free(sn_model *model);

// Puts everything where its body is. `points` may be NULL where nothing bends.
SN_API sn_status sn_model_place(sn_model *model, const sn_transform *frames, const sn_vec3 *points,
                                sn_error *error);

// The boxes of what moves and of what does not in a pose, each empty (lower > upper) if there is
// none; enlarged, not set.
typedef struct sn_model_bounds {
    sn_aabb moving, still;
} sn_model_bounds;

SN_API sn_model_bounds sn_model_no_bounds(void);
SN_API void sn_model_measure(const sn_model *model, const sn_transform *frames,
                             const sn_vec3 *points, sn_model_bounds *bounds);
// Radius of a wire, half the thickness of a sheet of the mesh's volume and area.
double sn_model_thickness(const sn_mesh *mesh);

// ---- bend.c ----
SN_API sn_status sn_model_find_bends(sn_model *model, const sn_world *world, sn_error *error);
SN_API void sn_model_place_bend(sn_model *model, const sn_model_bend *bend, const sn_vec3 *points);

// ---- faces.c ----
// Faces of their own between points, instead of a world's bodies.
SN_API sn_status sn_model_make_faces(sn_model *model, const int *triangles,
                                     const sn_face_look *looks, const bool *still, int count,
                                     sn_error *error);
SN_API sn_status sn_model_place_points(sn_model *model, const sn_vec3 *points, sn_error *error);
SN_API void sn_model_measure_points(const sn_model *model, const sn_vec3 *points,
                                    sn_model_bounds *bounds);

// ---- link.c ----
SN_API sn_status sn_model_find_links(sn_model *model, const sn_world *world, sn_error *error);
SN_API int sn_model_link_rings(const sn_model_link *link);
SN_API void sn_model_place_link(sn_model *model, const sn_model_link *link,
                                const sn_transform *frames);
SN_API void sn_model_link_ends(const sn_model_link *link, const sn_transform *frames, sn_vec3 *a,
                               sn_vec3 *b);
// The material's place in the list, which it joins if it is new; -1 when memory runs out.
SN_API int sn_model_material_index(sn_model *model, sn_model_material material);

enum { SN_LINK_SIDES = 8 };

#endif
