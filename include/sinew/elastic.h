// Sinew elastic bodies: tetrahedra that stretch, bend and swing, and stand in a world beside rigid
// bodies.
//
//     sn_tetrahedra *beam = NULL;
//     sn_tetrahedra_box box = sn_default_tetrahedra_box();
//     sn_tetrahedra_make_box(&box, &beam, &error);
//     sn_elastic_material rubber = sn_default_elastic_material();
//     rubber.elastic = sn_elastic_from_young(SN_ELASTIC_NEO_HOOKEAN, 2e6, 0.45);
//     rubber.density = 1100.0;
//     sn_elastic_def def = sn_default_elastic_def();
//     def.name = "beam";
//     def.mesh = beam;
//     def.materials = &rubber;
//     def.material_count = 1;
//     const int wall[] = {0, 1, 2, 3}; // vertices that stay where they are
//     def.fixed = wall;
//     def.fixed_count = 4;
//     sn_body body;
//     sn_world_add_elastic(world, &def, &body, &error);
//     sn_world_step(world, 1.0 / 240.0, &error);
//     sn_vec3 positions[1000];
//     if (sn_body_vertex_count(world, body) <= 1000) {
//         sn_body_read_vertices(world, body, positions, NULL);
//     }
//
// An elastic body is a body like others: it has a name, a mass, a frame (its mean place and turn),
// momenta and energies; forces, springs and hands act on the point of its material that was at the
// given place of the body at rest. Its agent has three positions and velocities a vertex.
//
// In lockstep it moves by the implicit midpoint rule (second order, no damping of its own) or by
// implicit Euler's (first order, robust, damps what is quick), each linearised twice a step, or
// more often where the material bends too far for that; or explicitly, by symplectic Euler.
// RK4, Fehlberg, Adams and BDF take it as an ordinary differential equation. Steps of implicit
// rules solve A dv = h f with A = M + t D + t^2 K, t = h/2 or h, by a factorisation or by conjugate
// gradients.
//
// Materials may flow: what is loaded beyond its yield stress keeps some of its new shape. In
// lockstep that happens at the start of each step.
//
// Four nodes lock near the incompressible limit (Poisson's ratio above 0.45 or so), ten do not.
//
// Units: SI, radians. What it does not do: heat, fracture.
#ifndef SINEW_ELASTIC_H
#define SINEW_ELASTIC_H

#include "sinew/motion.h"
#include "sinew/tetrahedra.h"
#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- materials ----

// The names are those of the scene format. All laws have the same two moduli, and agree with
// Hooke's law for small strains.
#define SN_ELASTIC_LAW_LIST(X)                                                                     \
    X(SN_ELASTIC_LIESENFELD, "liesenfeld",                                                         \
      "infinite at zero volume, from a thesis on animated elastic bodies")                         \
    X(SN_ELASTIC_COROTATIONAL, "corotational", "Hooke's law in axes that turn with the element")   \
    X(SN_ELASTIC_NEO_HOOKEAN, "neo_hookean", "stable Neo-Hookean: rubber and flesh")               \
    X(SN_ELASTIC_ST_VENANT, "st_venant", "Hooke's law of Green's strain; gives way when squeezed")

#define X(name, word, text) name,
typedef enum sn_elastic_law { SN_ELASTIC_LAW_LIST(X) SN_ELASTIC_LAW_COUNT } sn_elastic_law;
#undef X

SN_API int sn_elastic_law_find(const char *word); // -1 when there is none
SN_API const char *sn_elastic_law_word(sn_elastic_law law);

typedef struct sn_elastic {
    sn_elastic_law law;
    double bulk, shear;     // Pa
    double fibre_stiffness; // Pa; 0: none
    sn_vec3 fibre;          // unit vector in the body at rest
} sn_elastic;

// From Young's modulus (Pa) and Poisson's ratio (-1 to 1/2, both excluded); without fibre.
SN_API sn_elastic sn_elastic_from_young(sn_elastic_law law, double young, double poisson);

// The thesis' viscosity (4.14): for small strains a fluid of bulk viscosity 2 volume and shear
// viscosity 2 shape, Pa s.
typedef struct sn_viscosity {
    double volume, shape; // eta1, eta2
} sn_viscosity;

// Plastic flow: what is under more than the yield stress (von Mises') takes on another shape at
// rest, of the same volume. Clay, lead, mild steel; with a creep rate alone pitch and dough.
typedef struct sn_plastic {
    double yield_stress; // Pa; 0 and no creep rate: nothing flows
    double creep_rate;   // 1/s, at which stress above yield goes; 0: at once
    double hardening;    // Pa that yield grows by for a plastic strain of 1
    double limit;        // of the total plastic strain, above which nothing flows; 0: none
} sn_plastic;

typedef struct sn_elastic_material {
    sn_elastic elastic;
    double density; // kg/m^3
    sn_viscosity viscosity;
    sn_plastic
        plastic; // integrators with stages take it with a creep rate and without a limit only
} sn_elastic_material;

// Corotational, 1 MPa, Poisson's ratio 0.3, 1000 kg/m^3, no viscosity, no plastic flow.
SN_API sn_elastic_material sn_default_elastic_material(void);

// ---- bodies ----

#define SN_ELASTIC_SOLVER_LIST(X)                                                                  \
    X(SN_ELASTIC_SOLVER_DEFAULT, "default", "direct for small bodies, conjugate for large ones")   \
    X(SN_ELASTIC_SOLVER_DIRECT, "direct", "sparse factorisation in every step")                    \
    X(SN_ELASTIC_SOLVER_CONJUGATE, "conjugate", "conjugate gradients, without a matrix")

#define SN_ELASTIC_MASS_LIST(X)                                                                    \
    X(SN_ELASTIC_MASS_DEFAULT, "default", "lumped for explicit steps, else consistent")            \
    X(SN_ELASTIC_MASS_LUMPED, "lumped", "all mass in the vertices")                                \
    X(SN_ELASTIC_MASS_CONSISTENT, "consistent", "spread over the elements")

#define X(name, word, text) name,
typedef enum sn_elastic_solver {
    SN_ELASTIC_SOLVER_LIST(X) SN_ELASTIC_SOLVER_COUNT
} sn_elastic_solver;
typedef enum sn_elastic_mass { SN_ELASTIC_MASS_LIST(X) SN_ELASTIC_MASS_COUNT } sn_elastic_mass;
#undef X

SN_API int sn_elastic_solver_find(const char *word); // -1 when there is none
SN_API const char *sn_elastic_solver_word(sn_elastic_solver solver);
SN_API int sn_elastic_mass_find(const char *word);
SN_API const char *sn_elastic_mass_word(sn_elastic_mass mass);

typedef struct sn_look {
    uint32_t colour;            // 0xRRGGBB
    double roughness, metallic; // as of sn_shape
} sn_look;

typedef struct sn_elastic_def {
    const char *name;    // as of sn_body_def
    sn_tetrahedra *mesh; // at rest, in the body's frame; shared
    const sn_mat3 *rest; // element_count: edges 01, 02, 03 of each element at rest as columns, if
                         // not the mesh's; 4 nodes only; NULL: none. Copied
    const sn_elastic_material *materials; // by the elements' regions. Copied
    int material_count;                   // 1: the first for all regions
    sn_transform frame;
    sn_vec3 velocity, angular_velocity;    // world axes
    const sn_vec3 *positions, *velocities; // of vertices at the start, in the world, in place
                                           // of frame and velocity; NULL: none. Copied
    double mass_damping;                   // Rayleigh: 1/s
    double stiffness_damping;              // Rayleigh: s
    bool viscosity_at_rest;                // viscous power per volume at rest, not as it is now
    const int *fixed;                      // vertices held where they start. Copied
    int fixed_count;
    sn_elastic_mass mass;
    sn_elastic_solver solver;
    double solver_tolerance;  // of conjugate gradients, relative; 1e-4
    int newton;               // linearisations a step at most, 1 and up; 5
    double newton_tolerance;  // more than two follow where this of h f is left; 0.01
    sn_integrator integrator; // as of sn_body_def
    double relative_tolerance, absolute_tolerance;
    sn_surface surface; // how its skin touches
    bool meets_itself;  // its skin touches itself
    sn_mesh *display; // what is seen of it: a surface in the body's frame at rest, which moves with
                      // the material; NULL: its own faces. Shared
    sn_look look;     // of what is seen
    const sn_look *region_looks; // material_count: of what is seen of each region; NULL: `look`
} sn_elastic_def;

SN_API sn_elastic_def sn_default_elastic_def(void);
SN_API sn_status sn_world_add_elastic(sn_world *world, const sn_elastic_def *def, sn_body *body,
                                      sn_error *error);

// Reading any other body gives NULL, 0 and false.
SN_API const sn_tetrahedra *sn_body_tetrahedra(const sn_world *world, sn_body body);
SN_API int sn_body_vertex_count(const sn_world *world, sn_body body);
// Positions and velocities of all vertices, in the world; either may be NULL.
SN_API bool sn_body_read_vertices(const sn_world *world, sn_body body, sn_vec3 *positions,
                                  sn_vec3 *velocities);
// Writes them; either may be NULL. Fixed vertices move, too.
SN_API sn_status sn_body_write_vertices(sn_world *world, sn_body body, const sn_vec3 *positions,
                                        const sn_vec3 *velocities, sn_error *error);
SN_API bool sn_body_vertex_is_fixed(const sn_world *world, sn_body body, int vertex);
SN_API sn_status sn_body_fix_vertex(sn_world *world, sn_body body, int vertex, bool fixed,
                                    sn_error *error);

// Where a point of any body is that is at `local` of its frame at rest; and the place at rest of
// the material that is nearest to a point of the world now (of bodies that do not bend: in their
// frame).
SN_API sn_vec3 sn_body_point(const sn_world *world, sn_body body, sn_vec3 local);
SN_API sn_vec3 sn_body_local_point(const sn_world *world, sn_body body, sn_vec3 world_point);

// What is seen of it: a surface as it is at rest, in the body's frame, and where its vertices are
// now, in the world (either may be NULL).
SN_API const sn_mesh *sn_body_display(const sn_world *world, sn_body body);
SN_API bool sn_body_read_display(const sn_world *world, sn_body body, sn_vec3 *positions,
                                 sn_vec3 *velocities);
SN_API sn_look sn_body_look(const sn_world *world, sn_body body); // of its first faces

// Faces of the surface that look alike, one after the other; all faces are in one of these.
typedef struct sn_display_part {
    sn_look look;
    int first, count; // triangles
} sn_display_part;

SN_API int sn_body_display_part_count(const sn_world *world, sn_body body);
SN_API sn_display_part sn_body_display_part(const sn_world *world, sn_body body, int index);

// Its materials, by region; count may be NULL.
SN_API const sn_elastic_material *sn_body_materials(const sn_world *world, sn_body body,
                                                    int *count);

// How its skin touches; may be changed between steps.
SN_API sn_surface sn_body_skin(const sn_world *world, sn_body body);
SN_API sn_status sn_body_set_skin(sn_world *world, sn_body body, const sn_surface *surface,
                                  sn_error *error);

// A force on one vertex for the coming step, as of sn_body_add_force.
SN_API void sn_body_add_vertex_force(sn_world *world, sn_body body, int vertex, sn_vec3 force);

// A force and a moment on a part of the surface, until the field is removed
// (sn_world_remove_field): the force as an even traction over the faces all of whose vertices are
// chosen, the moment as one that grows with the distance from their middle, as stress does in
// bending and twisting. Where the choice has no whole face its vertices count alike. In no energy.
typedef struct sn_load_def {
    const char *name;
    sn_body body;        // elastic
    const int *vertices; // Copied
    int vertex_count;
    sn_vec3 force;  // N, world axes
    sn_vec3 moment; // N m, about the middle of the loaded part
    bool follows;   // both turn with the loaded part; else they keep their directions
} sn_load_def;

SN_API sn_load_def sn_default_load_def(void);
SN_API sn_status sn_world_add_load(sn_world *world, const sn_load_def *def, sn_field *field,
                                   sn_error *error);
SN_API sn_status sn_world_set_load(sn_world *world, sn_field field, sn_vec3 force, sn_vec3 moment,
                                   sn_error *error);

// ---- bonds ----

// What holds vertices beyond their material; each from `start` to `end` only, and as long as it
// does not break. The names are those of the scene format.
#define SN_BOND_TYPE_LIST(X)                                                                       \
    X(SN_BOND_COORDINATES, "coordinates", "vertices keep some of their coordinates")               \
    X(SN_BOND_PLANE, "plane", "vertices stay on a plane")                                          \
    X(SN_BOND_QUADRIC, "quadric", "vertices stay on a sphere, a cylinder, a cone, ...")            \
    X(SN_BOND_PATH, "path", "vertices follow a path in time")                                      \
    X(SN_BOND_ATTACHED, "attached", "vertices move with another body, or stay in the world")       \
    X(SN_BOND_POINT, "point", "a point of the material stays on a point of another body")          \
    X(SN_BOND_RIGID, "rigid", "elements keep their shape, as one where they share faces")          \
    X(SN_BOND_VOLUME, "volume", "elements keep their volumes")                                     \
    X(SN_BOND_JUNCTION, "junction", "an element moves with an element of another body")

#define X(name, word, text) name,
typedef enum sn_bond_type { SN_BOND_TYPE_LIST(X) SN_BOND_TYPE_COUNT } sn_bond_type;
#undef X

SN_API int sn_bond_type_find(const char *word); // -1 when there is none
SN_API const char *sn_bond_type_word(sn_bond_type type);

typedef struct sn_bond_def {
    const char *name;
    sn_bond_type type;
    sn_body body;        // elastic
    const int *vertices; // of coordinates, planes, quadrics, paths, and of what is attached. Copied
    int vertex_count;
    uint8_t coordinates; // 1 x, 2 y, 4 z; 7
    sn_vec3 normal;      // plane: normal . x = offset
    double offset;
    sn_mat3 quadric; // x . quadric x + linear . x + constant = 0, quadric symmetric
    sn_vec3 linear;
    double constant;
    sn_motion *path[3]; // of the first vertex, x, y and z over time; the others keep their distance
    double along_rate;  // 1/s: the path is a function of a number in place of time, which goes to
    double along;       // the value here with this rate; 0 (default): of time
    sn_vec3 point;      // of the material, in the body's frame at rest
    sn_body other;      // of what is attached, points and junctions; null: the world
    sn_vec3 other_point; // in the other body's frame (at rest, if it is elastic); NaN: where the
                         // point is now
    int element, other_element;
    const int *elements; // of what is rigid or keeps its volume: several in place of `element`.
    int element_count;   // Copied
    double start, end;   // s; from the beginning for ever
    double break_force;  // N: any row that pulls harder breaks it; infinite. At the end of the
                         // step; under integrators with stages, at the moment when it does
} sn_bond_def;

SN_API sn_bond_def sn_default_bond_def(void);
SN_API sn_status sn_world_add_bond(sn_world *world, const sn_bond_def *def, sn_bond *bond,
                                   sn_error *error);
SN_API sn_status sn_world_remove_bond(sn_world *world, sn_bond bond, sn_error *error);
// New numbers for a bond that stays what it is: its times and strength, planes, quadrics, a path
// and how far along it is, and a point of the other body that is given. Type, bodies, vertices and
// elements of the def do not count.
SN_API sn_status sn_world_set_bond(sn_world *world, sn_bond bond, const sn_bond_def *def,
                                   sn_error *error);
SN_API sn_bond sn_world_find_bond(const sn_world *world, const char *name); // null: none
SN_API int sn_world_bond_count(const sn_world *world);
SN_API sn_bond sn_world_bond(const sn_world *world, int order);
SN_API bool sn_bond_is_valid(const sn_world *world, sn_bond bond);
SN_API const char *sn_bond_name(const sn_world *world, sn_bond bond);

typedef struct sn_bond_state {
    bool active, broken;
    double error; // m: how far the worst of its equations is from holding, active or not
    // The mean over the last step; under integrators with stages, as it is at the end of it.
    double force;       // N: the greatest of its rows: what breaks it
    sn_vec3 total;      // N: all that it does to the body, summed up
    double break_time;  // s: when it broke; 0 before
    double break_force; // N: `force` then
} sn_bond_state;

SN_API sn_bond_state sn_bond_read(const sn_world *world, sn_bond bond);
// Lets it go for good, at once; behaviours may. Nothing happens to one that is broken.
SN_API sn_status sn_bond_break(sn_world *world, sn_bond bond, sn_error *error);

typedef struct sn_elastic_report {
    double elastic_energy; // J, stored in the material
    double viscous_power;  // W, lost to viscosity
    double plastic_heat;   // J, of all plastic flow since the start
    double plastic_strain; // the greatest of all points, summed up over time
    double least_stretch;  // least det F of all elements; below 0: one is turned inside out
    int least_element;     // which
    int iterations;        // of conjugate gradients in the last step
    int newton;            // linearisations in the last step
    double residual;       // that they left, relative
} sn_elastic_report;

SN_API sn_elastic_report sn_body_elastic_report(const sn_world *world, sn_body body);

// Elements that are inside out where the body is now, det F not above 0 at some point: how many,
// and the first `capacity` of them in `elements` (NULL with 0). 0 for other bodies.
SN_API int sn_body_inverted_elements(const sn_world *world, sn_body body, int *elements,
                                     int capacity);

// The longest step that symplectic Euler and RK4 bear for the body about its shape at rest, by its
// quickest mode: steps that are longer make energy grow without bound. Never below the true bound,
// and a few percent above it at most; viscosity, contact and large strains ask for less. Infinite
// under other integrators, and for other bodies.
SN_API double sn_body_longest_step(const sn_world *world, sn_body body);

#ifdef __cplusplus
}
#endif

#endif
