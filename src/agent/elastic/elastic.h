// Elastic bodies as agents: tetrahedra with a law, a mass matrix and a solver.
//
//     q, v    SN_SOLID_STRIDE numbers a vertex, of which the fourth is 0; behind those q has
//             SN_PLASTIC_STATE numbers a point of elements that flow (solid.h)
//
// Its one part is the body as a whole: the mean place, turn, velocity and spin of its material.
// A force on it spreads as if it moved all material rigidly; forces on single points are
// generalised forces, see sn_elastic_push.
//
// A step of h, with t = h/2 for the implicit midpoint rule and t = h for implicit Euler's:
//
//     begin       plastic flow of a time h at x0; x* = x0 + t v0
//     free_step   (M + t D + t^2 K) dv = h f(x*, v0), K and D at x*; v1 = v0 + dv
//     advance     x1 = x* + t v1 (midpoint), x0 + h v1 (Euler)
//
// The first is f of the midpoint (x0 + x1)/2 = x* + t/2 dv to second order, or by further
// linearisations to round-off; the second f of the end, x* + t dv. The sum and the moment of what
// the inner forces did are zero in truth but not after a linearisation or a few turns of conjugate
// gradients; a body that nothing holds therefore gets back, as a rigid motion, what its momentum
// and angular momentum lack, before contact looks at it.
//
// Both rules keep to energy where they resolve a motion or it is small, and else may gain: large
// vibrations under the midpoint rule (O. Gonzalez, J. Simo 1996, "On the stability of symplectic
// and energy-momentum algorithms for non-linear Hamiltonian systems with symmetry"), turns by half
// a radian a step under Euler's. A body that nothing touches then goes through the step in parts.
#ifndef SN_AGENT_ELASTIC_ELASTIC_H
#define SN_AGENT_ELASTIC_ELASTIC_H

#include "agent/agent.h"
#include "agent/elastic/elastic_bond.h"
#include "base/array.h"
#include "collide/skin.h"
#include "elastic/linear.h"
#include "elastic/mass.h"
#include "elastic/rayleigh.h"
#include "elastic/solid.h"

// A point of the material, by the vertices of the element that holds it.
typedef struct sn_elastic_point {
    int count; // of vertices
    int vertices[10];
    double weights[10];
} sn_elastic_point;

// A hand on a point: a spring and a damper.
typedef struct sn_elastic_hand {
    sn_elastic_point point;
    double stiffness, damping; // N/m, N s/m
} sn_elastic_hand;

// A point that somebody has asked for by its place at rest.
typedef struct sn_elastic_known_point {
    sn_vec3 local;
    sn_elastic_point point;
} sn_elastic_known_point;

typedef struct sn_elastic_item {
    sn_tetrahedra *mesh;            // retained
    sn_mat3 *rest;                  // element_count, or NULL
    sn_elastic_material *materials; // material_count
    int material_count;
    sn_viscosity *viscosities; // material_count; NULL: none is viscous
    bool viscosity_now;
    sn_rayleigh rayleigh;
    sn_elastic_mass mass_kind; // resolved
    sn_elastic_solver solver_kind;
    double tolerance;
    int newton;
    double newton_tolerance;
    sn_surface surface;
    bool meets_itself;

    sn_solid *solid;
    sn_mass mass;
    sn_linear *linear;  // NULL: explicit
    sn_linear *inertia; // of a consistent M alone; NULL: lumped, or not needed
    sn_stiffness stiffness;
    bool barrier;   // elements that must not be led through zero volume
    uint8_t *fixed; // vertex_count: bits 1, 2, 4 for x, y, z
    int fixed_count;
    double *row_mass;    // vertex_count: M 1, kg
    double *rest_moment; // stride: M X, with X from the centre of mass at rest
    sn_vec3 rest_centre;
    double radius;   // at rest, of a ball about the centre
    double shortest; // edge of an element at rest

    double *force;   // stride, like those that follow: from outside, in the step under way
    double *impulse; // what these do in it
    double *right, *change, *place, *turn; // scratch
    double *q_start, *v_start;             // of a step that goes in parts
    bool bound;                            // bonds hold it in the step under way
    bool leans;              // they or contacts lead it there: it is linearised where they do, at
    double *bend;            // this change of velocity,
    double *lean;            // where momentum lacks this without them: elastic_lean.c
    double first_lack, lack; // squares of what momentum lacks at first, and there
    int turns;
    double gain, stake_now;          // J, in the step under way: see sn_elastic_memory
    bool on_linkage;                 // a bond holds it to a mechanism of several freedoms
    SN_ARRAY(sn_elastic_hand) hands; // that hold it in the step under way
    bool held;                       // by any
    double *drag;  // 9 * vertex_count: -df/dv of the air on each, N s/m; NULL until a wind blows
    bool dragged;  // by it, in the step under way
    bool was_held; // or dragged, in the step that ends
    bool pushed;   // free_step has filled `impulse`
    double step;   // h of the step under way
    sn_skin *skin; // made when contact first asks
    SN_ARRAY(sn_elastic_known_point) known;
    SN_ARRAY(sn_elastic_point) grips; // points that are touched in the step under way: parts 1 on
    SN_ARRAY(double) compliance;      // G A^-1 G^T of them, three rows each
    SN_ARRAY(double) answer;          // a row of it, scratch
    SN_ARRAY(double) row_numbers;     // scratch, like those that follow: G
    SN_ARRAY(int) row_starts, row_nodes;
    bool answers;                         // `compliance` is of this step
    SN_ARRAY(const sn_bond_item *) bonds; // to the world, which `rate` holds; of staged agents
    SN_ARRAY(sn_bond_row) bond_rows;      // scratch, like those that follow
    SN_ARRAY(double) bond_numbers;
    SN_ARRAY(int) bond_order;
    int bond_rows_read; // while their loads are read
    int iterations, newtons;
    double residual;
    bool truncated; // the last step was cut short before an element would have inverted
    bool placed;    // free_step has moved it to the end of the step under way
    bool gained;    // energy, in that
} sn_elastic_item;

// An agent's memory: what it carries from step to step beside q and v. All doubles.
typedef struct sn_elastic_memory {
    double account;     // J: what the midpoint rule has given it,
    double stake;       // J: and the most that it has had
    double parted;      // 1: from what it overlapped, in the last step: this one is by Euler's rule
    double common_gain; // J: what all that bonds join it to has gained of late
} sn_elastic_memory;

typedef struct sn_elastic_set {
    sn_agent_set agents;
    sn_elastic_item **items; // capacity
    int capacity;
} sn_elastic_set;

SN_API extern const sn_agent_type sn_elastic_type;
extern const sn_agent_contact sn_elastic_contact; // elastic_contact.c

SN_API void sn_elastic_set_init(sn_elastic_set *set);
SN_API void sn_elastic_set_free(sn_elastic_set *set);
SN_API bool sn_elastic_set_copy(const sn_elastic_set *set, sn_elastic_set *copy);

// Makes an agent; `def` is checked here but for its name. `head` has owner, time, integrator
// (resolved) and tolerances. The index, or -1 and the status.
SN_API sn_status sn_elastic_add(sn_elastic_set *set, const sn_elastic_def *def,
                                const sn_agent *head, int *agent, sn_error *error);
// Removes an agent; those behind it move down by one.
SN_API void sn_elastic_remove(sn_elastic_set *set, int agent);

static inline sn_elastic_item *sn_elastic_item_of(const sn_agent_set *set, int agent)
{
    return ((const sn_elastic_set *)set)->items[agent]; // the agent set is its first member
}

static inline sn_elastic_memory *sn_elastic_memory_of(const sn_agent_set *set, int agent)
{
    return (sn_elastic_memory *)sn_agent_memory(set, agent);
}

// The solid's shapes at rest become those of the agent's state: before anything is asked of it.
SN_API void sn_elastic_follow_flow(const sn_agent_set *set, int agent);

// Energies and momenta at other positions and velocities, in the shapes at rest of now.
void sn_elastic_measure_at(const sn_agent_set *set, int agent, sn_vec3 gravity, const double *q,
                           const double *v, sn_measure *measure);

// The factor of M alone, where one is needed, after `fixed` has changed.
SN_API sn_status sn_elastic_factor_mass(sn_elastic_item *item, sn_error *error);

// ---- elastic_place.c ----

// Its material as a rigid body that has the same momentum and angular momentum.
typedef struct sn_elastic_mean {
    double mass;
    sn_vec3 centre, velocity, angular_velocity;
    sn_mat3 inertia; // about the centre, world axes
    sn_transform frame;
} sn_elastic_mean;

void sn_elastic_find_mean(const sn_agent_set *set, int agent, bool turned, sn_elastic_mean *mean);

// f += M (acceleration of a rigid motion that a force and a moment about the centre would give).
void sn_elastic_spread(const sn_agent_set *set, int agent, const sn_spatial *wrench, double *f);

// The point of the material that is at `local` of the body's frame at rest, and where it is now.
SN_API sn_status sn_elastic_find_point(sn_agent_set *set, int agent, sn_vec3 local,
                                       sn_elastic_point *point, sn_error *error);
// The one that is nearest to a place in the world now.
SN_API void sn_elastic_nearest_point(const sn_agent_set *set, int agent, sn_vec3 world_point,
                                     sn_elastic_point *point);
SN_API void sn_elastic_read_point(const sn_agent_set *set, int agent, const sn_elastic_point *point,
                                  sn_vec3 *position, sn_vec3 *velocity);
// The speed of its fastest vertex.
double sn_elastic_fastest(const sn_agent_set *set, int agent);
// Moves it as a whole: its frame, and the mean of its motion, become these.
SN_API void sn_elastic_set_frame(sn_agent_set *set, int agent, sn_transform frame);
SN_API void sn_elastic_set_velocity(sn_agent_set *set, int agent, sn_vec3 velocity,
                                    sn_vec3 angular_velocity);
// Adds a force on the point to generalised forces (of the agent's own numbers).
SN_API void sn_elastic_push(const sn_elastic_point *point, sn_vec3 force, double *forces);

// A hand holds the point with a spring and a damper, whose force is among the others: the coming
// step is to take both implicitly.
SN_API void sn_elastic_hold(sn_agent_set *set, int agent, sn_vec3 local, double stiffness,
                            double damping);

// ---- elastic_balance.c ----
double sn_elastic_mass_of(const sn_agent_set *set, int agent);
void sn_elastic_balance(const sn_agent_set *set, int agent, const sn_balance_def *def,
                        sn_energy_balance *sum);
double sn_elastic_pace(const sn_agent_set *set, int agent, double *size);
bool sn_elastic_can_rest(const sn_agent_set *set, int agent);

// ---- elastic_contact.c ----
// A point that is touched in the step to come: its part for contacts. They go with
// sn_elastic_release.
SN_API int sn_elastic_grip(sn_agent_set *set, int agent, const sn_elastic_point *point); // -1
SN_API void sn_elastic_release(sn_agent_set *set, int agent);

// ---- elastic_hold.c ----
// Takes from accelerations (of `rate`) what the body's bonds forbid. False when memory runs out.
bool sn_elastic_hold_rate(const sn_agent_set *set, int agent, double *v_rate);
// x = M^-1 right, of an agent under an integrator with stages; x is not `right`.
void sn_elastic_divide_by_mass(const sn_agent_set *set, int agent, const double *right, double *x);

// ---- elastic_step.c ----
void sn_elastic_begin(sn_agent_set *set, int first, int last, double h);
void sn_elastic_free_step(sn_agent_set *set, int first, int last, sn_vec3 gravity, double h);
void sn_elastic_advance(sn_agent_set *set, int first, int last, double h);
void sn_elastic_rate(const sn_agent_set *set, int agent, sn_vec3 gravity, double *q_rate,
                     double *v_rate);
// What acts from outside, gravity included, as forces on vertices.
void sn_elastic_find_outer(const sn_agent_set *set, int agent, sn_vec3 gravity, double *outer);

// How long velocities act on positions in a step: h/2, h, or 0 for explicit ones.
double sn_elastic_time(const sn_agent_set *set, int agent, double h);

// The velocity at the end of a step with nothing in the way, from q = x*; `force` has what acts
// from outside. An SN_FAILURE.
int sn_elastic_find_velocity(sn_agent_set *set, int agent, double h);
// Where that leads; and there, or to before an element loses its volume.
void sn_elastic_find_end(const sn_agent_set *set, int agent, double h, double *end);
void sn_elastic_move(sn_agent_set *set, int agent, double h);

// Newton's method, of elastic.c's vectors. g = h f - M dv at the change dv of velocity `change`,
// into `right`, with `place` where that leads; see there for `first` and `kept`.
bool sn_elastic_find_lack(const sn_agent_set *set, int agent, double h, bool first, bool *kept);
// Nothing but contact and forces that are told acts on it from outside.
bool sn_elastic_is_free(const sn_elastic_item *item);
double sn_elastic_square_sum(const sn_elastic_item *item, const double *x);
// A at x, for times t; A turn = right, to the body's tolerance if `first` is not 0; turn is added.
sn_status sn_elastic_linearise(const sn_agent_set *set, const sn_elastic_item *item,
                               const double *x, double t, bool kept);
void sn_elastic_solve(const sn_agent_set *set, sn_elastic_item *item, double *first);
void sn_elastic_take_turn(sn_agent_set *set, int agent, double t);
void sn_elastic_begin_safely(sn_agent_set *set, int agent);
// The share of the way from one change of velocity to another that keeps elements from zero volume.
double sn_elastic_safe_share(sn_agent_set *set, int agent, const double *from, const double *to);
int sn_elastic_failure(sn_status status);
bool sn_elastic_is_midpoint(const sn_agent *head);

// ---- elastic_pace.c ----
// The longest step that a body under an integrator of fixed explicit steps (symplectic Euler's,
// RK4) bears about its shape at rest; infinite under others. What it stores or is bent to,
// viscosity and contact may ask for shorter ones. Uses the scratch of a step: between two of them
// only.
SN_API double sn_elastic_longest_step(const sn_agent_set *set, int agent);

// ---- elastic_momentum.c ----
// What v lacks of the impulses from outside (`impulse`) and of their moments about x comes back.
void sn_elastic_restore_momentum(sn_agent_set *set, int agent, const double *x);

// ---- elastic_lean.c ----
// Bodies that lean on bonds or contacts: as sn_elastic_find_velocity, into `change`.
int sn_elastic_begin_leaning(sn_agent_set *set, int agent);
// After it, with `right` the impulses of a trial and `change` what A makes of them: linearises it
// where they lead.
sn_lean sn_elastic_lean(sn_agent_set *set, int agent);
// At the end of the step.
void sn_elastic_settle_gain(sn_agent_set *set, int agent);

// Marks a body whose Newton iteration ended above its tolerance.
void sn_elastic_count_unconverged(sn_agent_set *set, int agent, double residual);

// ---- elastic_calm.c ----
// After sn_elastic_find_velocity of a body that nothing touches: does it gain energy, it goes there
// in parts. An SN_FAILURE.
int sn_elastic_check_gain(sn_agent_set *set, int agent, double h);
// Kinetic energy of its motion as a rigid body; 0 where vertices are fixed.
double sn_elastic_rigid_energy(const sn_agent_set *set, int agent);
// Takes the rest of its motion down to a share: momentum and angular momentum stay.
void sn_elastic_calm(sn_agent_set *set, int agent, double share);

#endif
