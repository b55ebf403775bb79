// Sinew thesis files: the text files of R. L. W. Liesenfeld's animation system for elastic bodies
// ("Animacao dinamica de corpos elasticos", UNICAMP 1997, section 8.5), and the jobs of the
// programs that read them.
//
//     sn_thesis_file topology = {0};
//     sn_thesis_states *states = NULL;
//     sn_thesis_state state = {0};
//     bool found = false;
//     sn_status status = sn_thesis_read(SN_THESIS_TOPOLOGY, "torus.tp", &topology, &error);
//     status = status == SN_OK ? sn_thesis_states_open("torus.st", &states, &error) : status;
//     while (status == SN_OK) {
//         status = sn_thesis_states_next(states, &state, &found, &error);
//         if (status != SN_OK || !found) { break; }
//         printf("%g s, %d vertices\n", state.time, state.vertex_count);
//     }
//     sn_thesis_state_free(&state);
//     sn_thesis_states_close(states);
//     sn_thesis_file_free(&topology);
//
// Seven types, named by two letters: .st states, .tp tetrahedra ("topology"), .tx textures, .su
// surface, .co fixed vertices ("constraints"), .li lights, .en energies; and one of our own, .dr,
// for vertices that are dragged along Hermite curves, which the thesis had in programs alone. All
// numbers that are written read back to the bit. Files begin with `begin TYPE (format of
// YY-MM-DD)`; the other spelling that the thesis has, `begin TYPE format of (YY-MM-DD)`, is read
// too, with any date. Mistakes are told as file:line:column. States are read one at a time, so that
// a film of any length fits.
//
// Files have no units: numbers are in whatever system the author kept to, CGS in the thesis.
// sn_thesis_model_rescale changes it, all else keeps to it.
//
// What it does not do: the files know no constraints but fixed and dragged vertices. A world that
// is made of them (sn_thesis_stage) has all others, through sinew/elastic.h.
#ifndef SINEW_THESIS_H
#define SINEW_THESIS_H

#include "sinew/elastic.h"
#include "sinew/tetrahedra.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sn_thesis_kind {
    SN_THESIS_STATE,
    SN_THESIS_TOPOLOGY,
    SN_THESIS_TEXTURES,
    SN_THESIS_SURFACE,
    SN_THESIS_CONSTRAINTS,
    SN_THESIS_LIGHTS,
    SN_THESIS_ENERGIES,
    SN_THESIS_DRAGS,
    SN_THESIS_KIND_COUNT
} sn_thesis_kind;

// "st", "tp", ... and which kind a path's ending names; false for others.
SN_API const char *sn_thesis_ending(sn_thesis_kind kind);
SN_API bool sn_thesis_kind_of(const char *path, sn_thesis_kind *kind);

typedef struct sn_thesis_element {
    sn_mat3 rest;    // A: edges from the first vertex to the others, as columns; det > 0
    int vertices[4]; // numbers of the state's, in positive order
    double density, bulk, shear;              // rho, alpha, beta
    double volume_viscosity, shape_viscosity; // eta1, eta2
} sn_thesis_element;

typedef struct sn_thesis_texture {
    double ambient[3], diffuse[3], specular[3], transmission[3]; // red, green, blue
    double refraction;                                           // index
    double exponent;                                             // Phong's
} sn_thesis_texture;

typedef struct sn_thesis_face {
    int vertices[3]; // counter-clockwise from outside
    int texture;
    double static_friction, friction, restitution; // mu1, mu2, e
} sn_thesis_face;

typedef struct sn_thesis_light {
    double position[4]; // homogeneous; the fourth is 0 for a light at infinity
    double colour[3];
} sn_thesis_light;

typedef struct sn_thesis_energy {
    double time;
    double kinetic, elastic, gravity; // K, P, G
    double power;                     // W, that internal viscosity takes
} sn_thesis_energy;

// A vertex that is led along a cubic (6.3.5 of the thesis) for a time, and is free again then.
typedef struct sn_thesis_drag {
    int vertex;
    double start, end; // s
    sn_vec3 from, from_velocity, to, to_velocity;
} sn_thesis_drag;

// All rows of a file of any kind but states.
typedef struct sn_thesis_file {
    sn_thesis_kind kind;
    int count;
    union {
        void *rows;
        sn_thesis_element *elements;
        sn_thesis_texture *textures;
        sn_thesis_face *faces;
        int *fixed; // vertices
        sn_thesis_light *lights;
        sn_thesis_energy *energies;
        sn_thesis_drag *drags;
    };
} sn_thesis_file;

// The file must be of that kind. What is read belongs to the caller.
SN_API sn_status sn_thesis_read(sn_thesis_kind kind, const char *path, sn_thesis_file *file,
                                sn_error *error);
SN_API sn_status sn_thesis_write(const sn_thesis_file *file, const char *path, sn_error *error);
SN_API void sn_thesis_file_free(sn_thesis_file *file);

// ---- states ----

typedef struct sn_thesis_state {
    double time;
    int vertex_count;
    sn_vec3 *positions, *velocities; // vertex_count
} sn_thesis_state;

SN_API void sn_thesis_state_free(sn_thesis_state *state);

typedef struct sn_thesis_states sn_thesis_states;

SN_API sn_status sn_thesis_states_open(const char *path, sn_thesis_states **states,
                                       sn_error *error);

// The next state, in place of the last one's numbers; `found` is false behind the last.
SN_API sn_status sn_thesis_states_next(sn_thesis_states *states, sn_thesis_state *state,
                                       bool *found, sn_error *error);
SN_API void sn_thesis_states_close(sn_thesis_states *states); // NULL is allowed

// The first state of a file.
SN_API sn_status sn_thesis_read_state(const char *path, sn_thesis_state *state, sn_error *error);

typedef struct sn_thesis_state_writer sn_thesis_state_writer;

// Creates or empties the file. A file that ends after a whole state is valid, so that a run may be
// stopped at any time.
SN_API sn_status sn_thesis_writer_open(const char *path, sn_thesis_state_writer **writer,
                                       sn_error *error);
SN_API sn_status sn_thesis_writer_put(sn_thesis_state_writer *writer, const sn_thesis_state *state,
                                      sn_error *error);
SN_API sn_status sn_thesis_writer_close(sn_thesis_state_writer *writer, sn_error *error);

// ---- jobs ----

// `surf`: the faces that only one element has, in the order of the elements, all with the texture
// and coefficients of `look`.
SN_API sn_status sn_thesis_surf(const sn_thesis_file *topology, const sn_thesis_face *look,
                                sn_thesis_file *surface, sn_error *error);

// `coloring`: gives every face one of three textures, `textures`, so that neighbours over an edge
// differ wherever that was found. `conflicts` gets the number of edges where it was not: 0 for
// nearly all bodies, 1 for a lone tetrahedron, which has four faces and six edges.
SN_API sn_status sn_thesis_color(sn_thesis_file *surface, const int textures[3], int *conflicts,
                                 sn_error *error);

// `energy`: energies of a state with the thesis' consistent mass, elastic law (4.13) and viscosity
// (4.14). G is measured from the origin. The power is per volume as it is now, (5.5), or with
// `rest_volume` per volume at rest, as chapter 4 has it.
SN_API sn_status sn_thesis_measure(const sn_thesis_file *topology, const sn_thesis_state *state,
                                   sn_vec3 gravity, bool rest_volume, sn_thesis_energy *energy,
                                   sn_error *error);

// The elements of some bodies alone, such as for their own energies: rows of those connected parts
// of a file of tetrahedra that are listed. Parts count from 0 in the order of their first vertices,
// as those of sn_thesis_stage do. What is chosen belongs to the caller.
SN_API sn_status sn_thesis_bodies(const sn_thesis_file *topology, int vertex_count,
                                  const int *bodies, int count, sn_thesis_file *chosen,
                                  sn_error *error);

// Elements that a state has flat or inverted, and the first of them (-1: none). The thesis' law
// does not tell an inverted element from a sound one, so energies alone do not show it.
SN_API int sn_thesis_count_inverted(const sn_thesis_file *topology, const sn_thesis_state *state,
                                    int *first);

// D of every state (`count` numbers): the integral of W over time by the trapezoidal rule.
SN_API void sn_thesis_dissipation(const sn_thesis_file *energies, double *dissipated);

// `showen`: K, P, G, D, U = K + P + G and T = U + D against time as SVG. The title may be NULL.
SN_API sn_status sn_thesis_plot(const sn_thesis_file *energies, const char *title,
                                const char *svg_path, sn_error *error);

typedef struct sn_thesis_view {
    sn_vec3 eye, target;
    double field_of_view; // rad, of the picture's height
    double aspect;        // width by height
    double background[3];
} sn_thesis_view;

// A view that holds a box, from the front, above and to the right: 40 degrees high, 4 by 3, light
// grey.
SN_API sn_thesis_view sn_thesis_view_of(sn_aabb box);

// Enlarges a box (empty at first: lower above upper) by a state's vertices that faces name.
SN_API void sn_thesis_grow_box(const sn_thesis_state *state, const sn_thesis_file *surface,
                               sn_aabb *box);

// `convert`: a scene of POV-Ray 2.2, which later ones read as well. Textures and lights may be
// NULL: three colours, and a lamp beside the eye.
SN_API sn_status sn_thesis_write_pov(const sn_thesis_state *state, const sn_thesis_file *surface,
                                     const sn_thesis_file *textures, const sn_thesis_file *lights,
                                     const sn_thesis_view *view, const char *path, sn_error *error);

// The three colours that `coloring` and pictures without textures have.
SN_API sn_status sn_thesis_default_textures(sn_thesis_file *textures, sn_error *error);

// ---- a model: what `sim` starts from ----

typedef struct sn_thesis_material {
    double density, bulk, shear;
    double volume_viscosity, shape_viscosity;
} sn_thesis_material;

typedef struct sn_thesis_model {
    sn_tetrahedra *mesh; // where the start has its vertices; regions name materials
    sn_mat3 *rest;       // element_count: edges 01, 02, 03 at rest as columns
    sn_thesis_material *materials;
    int material_count;
    double time;
    sn_vec3 *velocities; // vertex_count
    int *fixed;          // vertices, ascending
    int fixed_count;
    sn_thesis_face *faces;
    int face_count;
    sn_thesis_drag *drags;
    int drag_count;
} sn_thesis_model;

typedef struct sn_thesis_paths {
    const char *state, *topology;
    const char *surface;     // NULL: all exposed faces
    const char *constraints; // NULL: none
    const char *drags;       // NULL: none
} sn_thesis_paths;

// Puts the files together, and refuses what does not fit: vertices that are not there, elements
// that are inverted at the start.
SN_API sn_status sn_thesis_model_read(const sn_thesis_paths *paths, sn_thesis_model *model,
                                      sn_error *error);

// A body at rest where its mesh (of 4 nodes) has its vertices, materials by regions, or one for
// all; its exposed faces with texture 0. The mesh is retained.
SN_API sn_status sn_thesis_model_make(sn_tetrahedra *mesh, const sn_thesis_material *materials,
                                      int material_count, sn_thesis_model *model, sn_error *error);

// All of several models in one, nothing glued: vertices, elements and materials in their order.
SN_API sn_status sn_thesis_model_join(const sn_thesis_model *models, int count,
                                      sn_thesis_model *joined, sn_error *error);

// More vertices that are dragged.
SN_API sn_status sn_thesis_model_drag(sn_thesis_model *model, const sn_thesis_drag *drags,
                                      int count, sn_error *error);

// The model's elements as rows of a file of tetrahedra, for sn_thesis_measure; the caller's.
SN_API sn_status sn_thesis_model_topology(const sn_thesis_model *model, sn_thesis_file *topology,
                                          sn_error *error);

// Holds vertices. Those that are held already may be named again.
SN_API sn_status sn_thesis_model_fix(sn_thesis_model *model, const int *vertices, int count,
                                     sn_error *error);

// From the files' system of units to another: `length` and `mass` say how many of the new units the
// old ones are, so that 0.01 and 0.001 lead from CGS to SI. Seconds stay.
SN_API sn_status sn_thesis_model_rescale(sn_thesis_model *model, double length, double mass,
                                         sn_error *error);

// Writes all five files; a path that is NULL leaves that one out.
SN_API sn_status sn_thesis_model_write(const sn_thesis_model *model, const sn_thesis_paths *paths,
                                       sn_error *error);
SN_API void sn_thesis_model_free(sn_thesis_model *model);

// ---- `sim`: a model in a world ----

typedef struct sn_thesis_stage_def {
    sn_vec3 gravity;
    sn_policy policy;       // precise by default, as in the thesis
    sn_elastic_law law;     // the thesis' by default
    double tolerance;       // precise: of a step, relative, by bodies' sizes; 1e-6
    sn_contact_def contact; // default: the policy's own; the thesis' springs in the precise policy,
                            // where there is more than one body
    int threads;            // 1
} sn_thesis_stage_def;

SN_API sn_thesis_stage_def sn_default_thesis_stage_def(void);

// A world with one elastic body for each connected part of a model, in the model's units. Bodies
// have the mean friction of their faces and meet others if they have faces; restitution is left to
// the material. Dragged vertices are bonds. The world's time starts at 0, wherever the model's
// does.
typedef struct sn_thesis_stage sn_thesis_stage;

SN_API sn_status sn_thesis_stage_create(const sn_thesis_model *model,
                                        const sn_thesis_stage_def *def, sn_thesis_stage **stage,
                                        sn_error *error);
SN_API void sn_thesis_stage_destroy(sn_thesis_stage *stage); // NULL is allowed
SN_API sn_world *sn_thesis_stage_world(sn_thesis_stage *stage);

// The state as it is now, in the model's order of vertices; the stage's until it is asked again.
SN_API const sn_thesis_state *sn_thesis_stage_state(sn_thesis_stage *stage);

// ---- the four demonstrations of chapter 9 ----

typedef enum sn_thesis_demo {
    SN_THESIS_TORUS, // hung by a vertex
    SN_THESIS_ELAST, // cube and ball on a trampoline
    SN_THESIS_LOOP,  // a ring that is dragged about two posts
    SN_THESIS_GIZMO, // a doll that falls on a floor
    SN_THESIS_DEMO_COUNT
} sn_thesis_demo;

SN_API const char *sn_thesis_demo_name(sn_thesis_demo demo); // "torus", ...
SN_API bool sn_thesis_demo_find(const char *name, sn_thesis_demo *demo);
SN_API double sn_thesis_demo_gravity(sn_thesis_demo demo); // cm/s^2, downward: along -z
SN_API double sn_thesis_demo_time(sn_thesis_demo demo);    // s that the thesis simulated

// In CGS units, each body with a texture of its own, in the order in which they are named. Counts,
// materials and fixed vertices are those of the thesis (of the outer vertices that its table has
// for `loop` two are missing: no closed surface has that many); sizes and places are not given
// there and are ours.
SN_API sn_status sn_thesis_demo_make(sn_thesis_demo demo, sn_thesis_model *model, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
