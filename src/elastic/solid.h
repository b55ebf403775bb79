// The elastic forces of tetrahedra with 4 or 10 nodes: energy, forces, stiffness times a vector
// without a matrix, and the stiffness of one element. Ten nodes bend without locking; F is then
// looked at in four points of an element. Near the incompressible limit ten nodes do not lock
// either (lanes_mean.h), four do.
//
//     sn_solid_def def = {.mesh = mesh, .materials = &rubber, .material_count = 1};
//     status = sn_solid_create(&def, &solid, error);
//     sn_solid_pad(solid, positions, x);
//     double energy = sn_solid_energy(solid, threads, x);
//     sn_solid_add_forces(solid, threads, x, f);               // f -= d energy / dx
//     sn_solid_linearise(solid, threads, x, SN_STIFFNESS_FROZEN, NULL);
//     sn_solid_add_product(solid, threads, 1.0, v, y);         // y += K v
//
// Vectors have SN_SOLID_STRIDE numbers a vertex: x, y, z, and one that must be 0 and stays 0, so
// that a vertex is one load. Elements go through in blocks of four of one law. Blocks make chunks,
// and chunks have colours: those of one colour share no vertex and may run at once, the colours
// follow each other, so sums are the same to the bit for any number of threads.
//
// What it does not do: masses (mass.h), contact, constraints.
#ifndef SN_ELASTIC_SOLID_H
#define SN_ELASTIC_SOLID_H

#include "base/threads.h"
#include "elastic/plastic.h"
#include "sinew/tetrahedra.h"

enum { SN_SOLID_STRIDE = 4 };

typedef struct sn_solid sn_solid;

typedef struct sn_solid_def {
    const sn_tetrahedra *mesh;
    const sn_elastic *materials; // material_count: by the elements' regions
    int material_count;          // 1: the first for all regions
    const sn_mat3 *rest;         // element_count: edges 01, 02, 03 at rest as columns, of 4 nodes
                                 // only; NULL: the mesh's
    const char *place;           // the body's name for errors; may be NULL
} sn_solid_def;

SN_API sn_status sn_solid_create(const sn_solid_def *def, sn_solid **solid, sn_error *error);
SN_API void sn_solid_destroy(sn_solid *solid); // NULL is allowed

SN_API int sn_solid_vertex_count(const sn_solid *solid);
SN_API int sn_solid_element_count(const sn_solid *solid);
SN_API double sn_solid_rest_volume(const sn_solid *solid, int element);

// Between three numbers a vertex and SN_SOLID_STRIDE of them.
SN_API void sn_solid_pad(const sn_solid *solid, const double *from, double *to);
SN_API void sn_solid_unpad(const sn_solid *solid, const double *from, double *to);

SN_API double sn_solid_energy(sn_solid *solid, sn_threads *threads, const double *x);
SN_API void sn_solid_add_forces(const sn_solid *solid, sn_threads *threads, const double *x,
                                double *f);

// The least det F of all elements and points, and whose it is: below 0 the element is inverted.
SN_API double sn_solid_least_stretch(const sn_solid *solid, const double *x, int *element);

// Elements with det F not above 0 at some point.
SN_API int sn_solid_count_inverted(sn_solid *solid, sn_threads *threads, const double *x);

// The same with their numbers, the first `capacity` of them in `elements`, ascending.
SN_API int sn_solid_list_inverted(const sn_solid *solid, const double *x, int *elements,
                                  int capacity);

// Some elements have a law that is infinite at zero volume and does not tell an element from its
// mirror image, so that nothing but the way there keeps them from turning inside out.
SN_API bool sn_solid_has_barrier(const sn_solid *solid);

// How much of the straight way from x to y leaves each of those this share of det F at least: 1,
// 1/2, 1/4, ... Those that are inverted at x are let go.
SN_API double sn_solid_safe_share(sn_solid *solid, sn_threads *threads, const double *x,
                                  const double *y, double kept);

// Deformation gradient of one element, at point 0, or 0 to 3 of ten nodes.
SN_API sn_mat3 sn_solid_gradient(const sn_solid *solid, int element, int point, const double *x);

// ---- places halfway ----

// From now on x is understood as halfway between x - time/2 v and x + time/2 v: elements have the
// mean of both metrics (solid_wide.c), in forces, stiffness and all else, until they are used
// narrow again. That returns whether they were wide, and the other way round.
SN_API sn_status sn_solid_widen(sn_solid *solid, sn_threads *threads, const double *x,
                                const double *v, double time, sn_error *error);
SN_API bool sn_solid_use_wide(sn_solid *solid, bool wide);

// ---- viscosity ----

// Forces of the thesis' viscosity at positions x and velocities v, by regions like materials. With
// `current` the power is per volume as it is now, (5.5) of the thesis, else per volume at rest.
// Returns the power that is dissipated; f gets the forces, v . f = -power.
SN_API double sn_solid_add_viscous_forces(const sn_solid *solid, const sn_viscosity *viscosities,
                                          int count, bool current, const double *x, const double *v,
                                          double *f);

// ---- plastic flow ----

// Elements of some regions flow from now on: plastic.h; `laws` by regions like materials. Each of
// their points has SN_PLASTIC_STATE numbers, elements in the mesh's order, which the caller keeps
// beside positions: they are state like those.
SN_API sn_status sn_solid_make_plastic(sn_solid *solid, const sn_plastic *laws, int count,
                                       const char *place, sn_error *error);
SN_API int sn_solid_plastic_size(const sn_solid *solid); // of the state; 0: nothing flows
SN_API void sn_solid_plastic_start(const sn_solid *solid, double *state);

// Shapes at rest follow `state`. All else here goes by the last one that was set; costs next to
// nothing where it has not changed.
SN_API void sn_solid_plastic_set(sn_solid *solid, const double *state);

// What flows in a time h at positions x; the shapes at rest follow.
SN_API void sn_solid_plastic_flow(sn_solid *solid, sn_threads *threads, double h, const double *x,
                                  double *state);

// The state's time derivative: for materials with a creep rate and without a limit.
SN_API bool sn_solid_plastic_has_rate(const sn_solid *solid);
SN_API void sn_solid_plastic_rate(sn_solid *solid, sn_threads *threads, const double *x,
                                  const double *state, double *rate);

// The energy that has become heat, and the greatest plastic strain of all points.
SN_API double sn_solid_plastic_heat(const sn_solid *solid, const double *state);
SN_API double sn_solid_plastic_strain(const sn_solid *solid, const double *state);

// ---- stiffness ----

typedef enum sn_stiffness {
    SN_STIFFNESS_FROZEN,    // Hooke's law in axes that turn with the element, their turning held:
                            // positive semi-definite, and exact at rest. The quick one
    SN_STIFFNESS_PROJECTED, // the law's own, made positive semi-definite
    SN_STIFFNESS_EXACT      // the law's own
} sn_stiffness;

// What the next linearise is to keep: share K + rate D in place of K, with D = -df/dv of the
// thesis' viscosity (for frozen axes that of small strains), by regions like materials. A step of
// h solves with K + D/t, t = h or h/2. Share 1 and no viscosity at first.
SN_API void sn_solid_set_damping(sn_solid *solid, double share, double rate,
                                 const sn_viscosity *viscosities, int count, bool current);

// Keeps what products need. Fibres count in the law's own ones only; the first of those allocates.
SN_API sn_status sn_solid_linearise(sn_solid *solid, sn_threads *threads, const double *x,
                                    sn_stiffness kind, sn_error *error);

// f += forces at x, with frozen axes kept as by sn_solid_linearise, which allocates nothing then:
// where all elements are corotational, one search for rotations serves both.
SN_API void sn_solid_add_forces_frozen(sn_solid *solid, sn_threads *threads, const double *x,
                                       double *f);

// y += scale K v
SN_API void sn_solid_add_product(const sn_solid *solid, sn_threads *threads, double scale,
                                 const double *v, double *y);

// K of one element, 12 x 12 or 30 x 30 by rows: nodes in the element's order, x, y, z each.
SN_API void sn_solid_stiffness(const sn_solid *solid, int element, double *stiffness);

// The 3 x 3 blocks of scale K that tie vertices to themselves are added: xx, yy, zz, 0, yz, zx, xy,
// 0 for each vertex.
enum { SN_DIAGONAL_STRIDE = 8 };
SN_API void sn_solid_add_diagonal(const sn_solid *solid, sn_threads *threads, double scale,
                                  double *diagonal);

#endif
