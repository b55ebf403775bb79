// Sinew world: bodies, fields, clocks, and the step that moves them.
//
//     sn_world_def world_def = sn_default_world_def();
//     sn_world *world = NULL;
//     sn_world_create(&world_def, &world, &error);
//
//     sn_shape ball = sn_default_shape();
//     ball.radius = 0.05;
//     sn_body_def body_def = sn_default_body_def();
//     body_def.name = "ball";
//     body_def.shapes = &ball;
//     body_def.shape_count = 1;
//     body_def.frame.position.z = 2.0;
//     sn_body body;
//     sn_world_add_body(world, &body_def, &body, &error);
//
//     for (int i = 0; i < 1000; ++i) {
//         if (sn_world_step(world, 0.001, &error) != SN_OK) { break; }
//     }
//     sn_vec3 where = sn_body_transform(world, body).position;
//     sn_world_destroy(world);
//
// A body is what a user names. What moves is an agent: it owns generalised position and velocity,
// an integrator and a clock. A free rigid body is the smallest agent. The clock policy says how
// agents go forward together:
//
//   lockstep  one step for all, fixed step, real time: Lie midpoint (default), symplectic or
//             implicit Euler, RK4
//   precise   adaptive integration with error control and event location, through SUNDIALS:
//             Fehlberg 4(5) (default), Adams, BDF
//
// The policy chooses the default; a body may name any of them under either.
//
// What it does not do: a world is not locked; use one thread at a time per world (it uses its own
// worker threads inside). Handles are small values; zero is null; a stale handle is reported, never
// followed. Units: SI, radians, z up.
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include "sinew/counter.h"
#include "sinew/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_world sn_world;

typedef struct sn_body {
    uint32_t index, generation;
} sn_body;

typedef struct sn_field {
    uint32_t index, generation;
} sn_field;

typedef struct sn_event {
    uint32_t index, generation;
} sn_event;

typedef struct sn_joint {
    uint32_t index, generation;
} sn_joint;

typedef struct sn_bond { // of an elastic body
    uint32_t index, generation;
} sn_bond;

// The names are those of the scene format, so that parser, command and reference page read them
// from here.
#define SN_POLICY_LIST(X)                                                                          \
    X(SN_POLICY_LOCKSTEP, "lockstep", "one fixed step for all agents, real time")                  \
    X(SN_POLICY_PRECISE, "precise", "adaptive step with error control and located events")

#define SN_INTEGRATOR_LIST(X)                                                                      \
    X(SN_INTEGRATOR_DEFAULT, "default",                                                            \
      "the policy's own: lie_midpoint in lockstep, fehlberg45 in precise")                         \
    X(SN_INTEGRATOR_LIE_MIDPOINT, "lie_midpoint",                                                  \
      "second order, symplectic, keeps angular momentum to round-off and energy bounded")          \
    X(SN_INTEGRATOR_SYMPLECTIC_EULER, "symplectic_euler",                                          \
      "first order, one force evaluation, robust")                                                 \
    X(SN_INTEGRATOR_IMPLICIT_EULER, "implicit_euler",                                              \
      "first order, of elastic bodies: robust, damps what is quick; rigid ones take "              \
      "symplectic_euler")                                                                          \
    X(SN_INTEGRATOR_RK4, "rk4", "classical fourth-order Runge-Kutta, four force evaluations")      \
    X(SN_INTEGRATOR_FEHLBERG45, "fehlberg45", "adaptive Runge-Kutta-Fehlberg 4(5)")                \
    X(SN_INTEGRATOR_ADAMS, "adams",                                                                \
      "adaptive Adams multistep, orders 1-12, for smooth and long motions")                        \
    X(SN_INTEGRATOR_BDF, "bdf", "adaptive backward differences, orders 1-5, for stiff forces")

#define X(name, word, text) name,
typedef enum sn_policy { SN_POLICY_LIST(X) SN_POLICY_COUNT } sn_policy;
typedef enum sn_integrator { SN_INTEGRATOR_LIST(X) SN_INTEGRATOR_COUNT } sn_integrator;
#undef X

// "lockstep" -> SN_POLICY_LOCKSTEP, and back. A word that is none gives -1; a number that is none
// gives NULL.
SN_API int sn_policy_find(const char *word);
SN_API const char *sn_policy_word(sn_policy policy);
SN_API int sn_integrator_find(const char *word);
SN_API const char *sn_integrator_word(sn_integrator integrator);

// ---- worlds ----

// How shapes that meet are kept apart; see contact.h. The names are those of the scene format.
#define SN_CONTACT_METHOD_LIST(X)                                                                  \
    X(SN_CONTACT_DEFAULT, "default", "the policy's own: solver in lockstep, none in precise")      \
    X(SN_CONTACT_SOLVER, "solver",                                                                 \
      "impulses found together for all that touches, with joints, limits and loops")               \
    X(SN_CONTACT_IMPULSE, "impulse",                                                               \
      "one simultaneous impulse with sliding or sticking predicted beforehand, as in the virtual " \
      "mobile")                                                                                    \
    X(SN_CONTACT_PENALTY, "penalty", "springs and dampers where shapes overlap, for comparison")   \
    X(SN_CONTACT_NONE, "none", "shapes pass through each other")                                   \
    X(SN_CONTACT_SPRINGS, "springs",                                                               \
      "penalty, and a thesis' contact springs for elastic bodies; of integrators with stages")

#define X(name, word, text) name,
typedef enum sn_contact_method {
    SN_CONTACT_METHOD_LIST(X) SN_CONTACT_METHOD_COUNT
} sn_contact_method;
#undef X

SN_API int sn_contact_method_find(const char *word); // -1 when there is none
SN_API const char *sn_contact_method_word(sn_contact_method method);

// What shapes are wrapped in to find which are near each other; see contact.h.
#define SN_CONTACT_BOUNDS_LIST(X)                                                                  \
    X(SN_BOUNDS_BOX, "box", "boxes along the world's axes")                                        \
    X(SN_BOUNDS_KDOP, "kdop",                                                                      \
      "polytopes of 26 planes beside the boxes, for long or flat things that lie aslant")

#define X(name, word, text) name,
typedef enum sn_contact_bounds {
    SN_CONTACT_BOUNDS_LIST(X) SN_CONTACT_BOUNDS_COUNT
} sn_contact_bounds;
#undef X

typedef struct sn_contact_def {
    sn_contact_method method;
    int substeps;     // of large piles, default 4
    int exact_limit;  // islands of up to so many contacts are solved to convergence, 128
    int heap_limit;   // the same of heaps: compact bodies of like masses, > 1.5 contacts each; 24
    bool within;      // bodies of one mechanism meet each other (default); see contact.h
    bool sleep;       // what has come to rest is not moved until something wakes it
    double stiffness; // penalty, springs: N/m at each point; 0: penalty from masses and the step,
                      // shared by a body's points, springs from the bodies' moduli
    double damping;   // the same: share of critical damping, default 0.5
    sn_contact_bounds bounds; // which pairs are looked at; what comes out is the same to the bit
} sn_contact_def;

SN_API sn_contact_def sn_default_contact_def(void);

typedef struct sn_world_def {
    sn_vec3 gravity; // m/s^2, default (0, 0, -9.81)
    sn_policy policy;
    sn_integrator integrator;  // for agents that name none
    double relative_tolerance; // precise policy, default 1e-9
    double absolute_tolerance; // precise policy, default 1e-12, in each component's unit
    int threads;               // 1 (default) and up; the result does not depend on it
    uint64_t seed;             // for everything random
    sn_contact_def contact;
} sn_world_def;

SN_API sn_world_def sn_default_world_def(void);
SN_API sn_status sn_world_create(const sn_world_def *def, sn_world **world, sn_error *error);
SN_API void sn_world_destroy(sn_world *world);

// A second world in the same state, with nothing shared but immutable meshes and the user pointers
// of callbacks. Adams and BDF start anew in the copy; every other integrator goes on to the bit.
SN_API sn_status sn_world_copy(const sn_world *world, sn_world **copy, sn_error *error);

// Moves the whole world forward by h seconds under its policy. On failure the state and the event
// log are as before the call, and forces added for the step are gone. A located event that stops or
// starts something ends the step early: compare sn_world_time.
SN_API sn_status sn_world_step(sn_world *world, double h, sn_error *error);

// Lets a long step be interrupted. `asked` is called often while a step is under way, from the
// thread that called sn_world_step: between its stages, and between the steps that an adaptive
// integrator takes inside of it. When it answers true, the step fails with SN_ERROR_STOPPED and may
// be taken again. NULL: steps are not interrupted. A copy of the world does not take it over.
typedef bool sn_stop_function(void *context);
SN_API void sn_world_set_stop(sn_world *world, sn_stop_function *asked, void *context);

// Would a step be refused because integrators, bonds and the method of contact do not go together?
// Nothing moves.
SN_API sn_status sn_world_check_step(sn_world *world, sn_error *error);

SN_API double sn_world_time(const sn_world *world);
SN_API uint64_t sn_world_step_count(const sn_world *world);
SN_API double
sn_world_step_size(const sn_world *world); // the h given to the last good step, 0 before it
// How long that step was, over which impulses of contacts are spread: shorter where an event ended
// it.
SN_API double sn_world_step_length(const sn_world *world);
SN_API sn_vec3 sn_world_gravity(const sn_world *world);
SN_API void sn_world_set_gravity(sn_world *world, sn_vec3 gravity); // passed over if not finite
SN_API sn_policy sn_world_policy(const sn_world *world);
SN_API sn_contact_def sn_world_contact_def(const sn_world *world); // method resolved
SN_API sn_status sn_world_set_contact_def(sn_world *world, const sn_contact_def *def,
                                          sn_error *error);
SN_API sn_status sn_world_set_threads(sn_world *world, int threads, sn_error *error);

// Of one counter in one step: the body with most of what is measured, or the first where nothing
// is.
typedef struct sn_counter_worst {
    sn_body body;  // of a mechanism its first; of a spring or bond an end; index 0: not known
    sn_body other; // solver: the second body of the row that is off most; index 0: none
    double amount; // in the counter's unit, 0 where it has none
} sn_counter_worst;

// What the last step cost and did. counter.h has the list of counters and what each means.
typedef struct sn_step_report {
    double field_seconds, move_seconds, total_seconds; // wall time: forces, agents' motion, all
    double collide_seconds, solve_seconds;             // contacts found; piles and islands solved
    double broad_seconds, narrow_seconds; // of collide_seconds: what is near; exact tests of it
    int pairs, contacts, islands;         // near each other; with points; of those
    int sleeping;                         // agents that rest and are not moved
#define X(name, word, unit, text) int word;
    SN_COUNTER_LIST(X)
#undef X
    sn_counter_worst worst[SN_COUNTER_COUNT];
    sn_bond violated_bond;      // the first of them
    double worst_residual;      // of all islands that are solved to convergence, relative
    uint64_t force_evaluations; // since the world was made
    uint64_t
        internal_steps; // precise policy: steps taken by the integrators since the world was made
    uint64_t
        failed_steps; // precise policy: steps refused by the error control since the world was made
} sn_step_report;

SN_API int sn_step_report_count(const sn_step_report *report, sn_counter counter);

// Whether a counter of agents, those below SN_COUNTER_AGENTS, counted this body, or the mechanism
// it is part of, in the last step.
SN_API bool sn_body_is_counted(const sn_world *world, sn_body body, sn_counter counter);

SN_API sn_step_report sn_world_report(const sn_world *world);

// A mechanism whose fastest swing under gravity is too fast for a step. Its links get rotary
// inertia for such steps, and no weight, so that it swings more slowly: see docs/mobiles.md.
// Mechanisms with loops do not, and may shake.
typedef struct sn_fast_swing {
    sn_body body;     // that swings most
    double frequency; // Hz, as it would be
    double step;      // s: the longest that resolves it
    bool mass_scaled; // inertia is added; false: it has loops
} sn_fast_swing;

// Their number under steps of h s, in the order of mechanisms; the first `capacity` are written.
// Mechanisms under integrators with stages have none.
SN_API sn_status sn_world_find_fast_swings(sn_world *world, double h, sn_fast_swing *swings,
                                           int capacity, int *count, sn_error *error);

// ---- bodies ----

typedef enum sn_body_type {
    SN_BODY_RIGID,
    SN_BODY_STATIC,  // never moves; takes no mass
    SN_BODY_ELASTIC, // see elastic.h
} sn_body_type;

typedef struct sn_body_def {
    const char *name; // copied; NULL or "" gets a number; must be unique in its world
    sn_body_type type;
    sn_transform frame;       // where the body's own frame is in the world
    sn_vec3 velocity;         // of the centre of mass, in world axes
    sn_vec3 angular_velocity; // in world axes
    const sn_shape *shapes;   // copied; mesh references are shared
    int shape_count;
    sn_mass_properties
        mass; // in the body's frame; used when mass.mass > 0, else taken from the shapes
    sn_integrator integrator;
    double relative_tolerance; // 0: the world's
    double absolute_tolerance; // 0: the world's
} sn_body_def;

SN_API sn_body_def sn_default_body_def(void);
SN_API sn_status sn_world_add_body(sn_world *world, const sn_body_def *def, sn_body *body,
                                   sn_error *error);

// Fields and events that name the body go with it.
SN_API sn_status sn_world_remove_body(sn_world *world, sn_body body, sn_error *error);

SN_API int sn_world_body_count(const sn_world *world);
SN_API sn_body sn_world_body(const sn_world *world,
                             int order); // in order of adding, 0 .. count - 1
SN_API sn_body sn_world_find_body(const sn_world *world,
                                  const char *name); // null when there is none
SN_API bool sn_body_is_valid(const sn_world *world, sn_body body);

// Reading an invalid handle gives zeros, "", NULL and the identity, as of a static body.
SN_API const char *sn_body_name(const sn_world *world, sn_body body);
SN_API sn_body_type sn_body_get_type(const sn_world *world, sn_body body);
SN_API int sn_body_shape_count(const sn_world *world, sn_body body);
SN_API const sn_shape *sn_body_shape(const sn_world *world, sn_body body, int index);
SN_API sn_mass_properties sn_body_mass_properties(const sn_world *world,
                                                  sn_body body); // in the body's frame
SN_API sn_integrator sn_body_integrator(const sn_world *world,
                                        sn_body body); // resolved; DEFAULT: it does not move

SN_API sn_transform sn_body_transform(const sn_world *world, sn_body body); // of the body's frame
SN_API sn_vec3 sn_body_centre(const sn_world *world, sn_body body);         // of mass, in the world
SN_API sn_vec3 sn_body_velocity(const sn_world *world, sn_body body);       // of the centre of mass
SN_API sn_vec3 sn_body_angular_velocity(const sn_world *world, sn_body body); // in world axes
SN_API sn_vec3 sn_body_point_velocity(const sn_world *world, sn_body body, sn_vec3 world_point);

// How one of its shapes touches from now on.
SN_API sn_status sn_body_set_surface(sn_world *world, sn_body body, int shape,
                                     const sn_surface *surface, sn_error *error);

SN_API sn_status sn_body_set_transform(sn_world *world, sn_body body, sn_transform frame,
                                       sn_error *error);
SN_API sn_status sn_body_set_velocity(sn_world *world, sn_body body, sn_vec3 velocity,
                                      sn_vec3 angular_velocity, sn_error *error);

// Moves a body as a hand does while time stands still: a point of it (in the body's frame; of an
// elastic body as at rest) comes as near to a place in the world as it can, and what was moved is
// at rest. Free bodies, elastic ones too, are shifted without turning, with all that bonds hold to
// them; a link takes its mechanism along as joints, loops and hard limits allow; an elastic body
// that is fixed, or bonded to what is not free, bends. Nothing goes deeper into another body than
// it was. SN_ERROR_ARGUMENT for static bodies; SN_ERROR_UNSUPPORTED where bonds hold a rigid body
// or a mechanism to what is fixed or static, to a mechanism or link to link, and for elastic bodies
// that would have to bend under an explicit integrator.
SN_API sn_status sn_body_place_point(sn_world *world, sn_body body, sn_vec3 point, sn_vec3 target,
                                     sn_error *error);

// Adds to the forces of the coming step (inside a callback field: of the evaluation under way).
// World axes, kept while the body turns. Bodies that do not move or do not exist are passed over.
SN_API void sn_body_add_force(sn_world *world, sn_body body, sn_vec3 force, sn_vec3 world_point);
SN_API void sn_body_add_torque(sn_world *world, sn_body body, sn_vec3 torque);

// ---- fields ----

// A force between a point of one body and a point of another (or of the world, for a null body):
// f = stiffness (length - rest_length) + damping (rate of length).
typedef struct sn_spring_def {
    const char *name;
    sn_body body_a, body_b;
    sn_vec3 point_a, point_b; // in each body's frame; world coordinates for the world
    double stiffness;         // N/m
    double damping;           // N s/m
    double rest_length;       // m; negative: the length at the start
} sn_spring_def;

// Pulls a point of a body to a place in the world, as a hand does:
// f = stiffness (target - point) - damping (velocity of the point).
typedef struct sn_pull_def {
    const char *name;
    sn_body body;
    sn_vec3 point;    // in the body's frame
    sn_vec3 target;   // in the world
    double stiffness; // N/m
    double damping;   // N s/m
} sn_pull_def;

// Drag of a medium at rest or in uniform motion u, at the centre of mass:
// f = -(linear + quadratic |v - u|) (v - u), and in the same way a torque against the angular
// velocity.
typedef struct sn_drag_def {
    const char *name;
    sn_body body;             // null: every body
    double linear;            // N s/m
    double quadratic;         // N s^2/m^2
    double angular_linear;    // N m s
    double angular_quadratic; // N m s^2
    sn_vec3 medium_velocity;  // u, m/s
} sn_drag_def;

// A user's own force. `apply` reads the world and calls sn_body_add_force; it is asked again for
// every evaluation an integrator makes, so it must depend on time and state alone. Anything else
// that would change the world is refused there with SN_ERROR_UNSUPPORTED. It sees bodies of other
// integrators where they happen to stand, at the start or the end of the step. `potential` may be
// NULL (no part in the energy).
typedef struct sn_callback_def {
    const char *name;
    void (*apply)(void *user, sn_world *world, double time);
    double (*potential)(void *user, const sn_world *world);
    void *user;
} sn_callback_def;

SN_API sn_spring_def sn_default_spring_def(void);
SN_API sn_pull_def sn_default_pull_def(void); // 100 N/m, undamped
SN_API sn_drag_def sn_default_drag_def(void);
SN_API sn_callback_def sn_default_callback_def(void);
SN_API sn_status sn_world_add_spring(sn_world *world, const sn_spring_def *def, sn_field *field,
                                     sn_error *error);
SN_API sn_status sn_world_add_pull(sn_world *world, const sn_pull_def *def, sn_field *field,
                                   sn_error *error);
SN_API sn_status sn_world_add_drag(sn_world *world, const sn_drag_def *def, sn_field *field,
                                   sn_error *error);
SN_API sn_status sn_world_add_callback(sn_world *world, const sn_callback_def *def, sn_field *field,
                                       sn_error *error);
SN_API sn_status sn_world_remove_field(sn_world *world, sn_field field, sn_error *error);

// Changes the numbers of a field while the world runs; the bodies it joins stay the same.
SN_API sn_status sn_world_set_spring(sn_world *world, sn_field field, const sn_spring_def *def,
                                     sn_error *error);
SN_API sn_status sn_world_set_pull(sn_world *world, sn_field field, const sn_pull_def *def,
                                   sn_error *error);
SN_API sn_status sn_world_set_drag(sn_world *world, sn_field field, const sn_drag_def *def,
                                   sn_error *error);

SN_API int sn_world_field_count(const sn_world *world);
SN_API sn_field sn_world_find_field(const sn_world *world, const char *name);
SN_API const char *sn_field_name(const sn_world *world, sn_field field);

// ---- measuring ----

// The world's kinetic energy has that of the rotary inertia in it that steps add to links with
// swings too fast for them (mass_scaled, docs/mobiles.md), from the first such step on. That of a
// body has not.
typedef struct sn_energy {
    double kinetic, potential, total; // J
} sn_energy;

SN_API sn_energy sn_world_energy(const sn_world *world);
SN_API sn_vec3 sn_world_momentum(const sn_world *world); // kg m/s
SN_API sn_vec3
sn_world_angular_momentum(const sn_world *world); // about the world's origin, kg m^2/s

// The potential of a body is that of gravity, and what the material of an elastic one stores.
SN_API sn_energy sn_body_energy(const sn_world *world, sn_body body);

// What a probe or an event can look at: C name, scene word, unit, of what (b body, w world, f
// spring field, j joint). Those of joints are of one freedom, the first where no number says
// another, and their unit is the freedom's own; reactions are of the whole joint, their length
// where no axis of the world is named. Forces of joints are those of joint.h, of the last step.
#define SN_QUANTITY_LIST(X)                                                                        \
    X(SN_QUANTITY_POSITION_X, "position.x", "m", "b")                                              \
    X(SN_QUANTITY_POSITION_Y, "position.y", "m", "b")                                              \
    X(SN_QUANTITY_POSITION_Z, "position.z", "m", "b")                                              \
    X(SN_QUANTITY_CENTRE_X, "centre.x", "m", "b")                                                  \
    X(SN_QUANTITY_CENTRE_Y, "centre.y", "m", "b")                                                  \
    X(SN_QUANTITY_CENTRE_Z, "centre.z", "m", "b")                                                  \
    X(SN_QUANTITY_ROTATION_W, "rotation.w", "1", "b")                                              \
    X(SN_QUANTITY_ROTATION_X, "rotation.x", "1", "b")                                              \
    X(SN_QUANTITY_ROTATION_Y, "rotation.y", "1", "b")                                              \
    X(SN_QUANTITY_ROTATION_Z, "rotation.z", "1", "b")                                              \
    X(SN_QUANTITY_VELOCITY_X, "velocity.x", "m/s", "b")                                            \
    X(SN_QUANTITY_VELOCITY_Y, "velocity.y", "m/s", "b")                                            \
    X(SN_QUANTITY_VELOCITY_Z, "velocity.z", "m/s", "b")                                            \
    X(SN_QUANTITY_SPEED, "speed", "m/s", "b")                                                      \
    X(SN_QUANTITY_ANGULAR_VELOCITY_X, "angular_velocity.x", "rad/s", "b")                          \
    X(SN_QUANTITY_ANGULAR_VELOCITY_Y, "angular_velocity.y", "rad/s", "b")                          \
    X(SN_QUANTITY_ANGULAR_VELOCITY_Z, "angular_velocity.z", "rad/s", "b")                          \
    X(SN_QUANTITY_BODY_ANGULAR_VELOCITY_X, "body_angular_velocity.x", "rad/s", "b")                \
    X(SN_QUANTITY_BODY_ANGULAR_VELOCITY_Y, "body_angular_velocity.y", "rad/s", "b")                \
    X(SN_QUANTITY_BODY_ANGULAR_VELOCITY_Z, "body_angular_velocity.z", "rad/s", "b")                \
    X(SN_QUANTITY_KINETIC_ENERGY, "energy.kinetic", "J", "bw")                                     \
    X(SN_QUANTITY_POTENTIAL_ENERGY, "energy.potential", "J", "bw")                                 \
    X(SN_QUANTITY_TOTAL_ENERGY, "energy.total", "J", "bw")                                         \
    X(SN_QUANTITY_ELASTIC_ENERGY, "energy.elastic", "J", "b")                                      \
    X(SN_QUANTITY_LEAST_STRETCH, "stretch.least", "1", "b")                                        \
    X(SN_QUANTITY_MOMENTUM_X, "momentum.x", "kg m/s", "bw")                                        \
    X(SN_QUANTITY_MOMENTUM_Y, "momentum.y", "kg m/s", "bw")                                        \
    X(SN_QUANTITY_MOMENTUM_Z, "momentum.z", "kg m/s", "bw")                                        \
    X(SN_QUANTITY_ANGULAR_MOMENTUM_X, "angular_momentum.x", "kg m^2/s", "bw")                      \
    X(SN_QUANTITY_ANGULAR_MOMENTUM_Y, "angular_momentum.y", "kg m^2/s", "bw")                      \
    X(SN_QUANTITY_ANGULAR_MOMENTUM_Z, "angular_momentum.z", "kg m^2/s", "bw")                      \
    X(SN_QUANTITY_CONTACT_FORCE, "contact.force", "N", "b")                                        \
    X(SN_QUANTITY_CONTACT_FORCE_X, "contact.force.x", "N", "b")                                    \
    X(SN_QUANTITY_CONTACT_FORCE_Y, "contact.force.y", "N", "b")                                    \
    X(SN_QUANTITY_CONTACT_FORCE_Z, "contact.force.z", "N", "b")                                    \
    X(SN_QUANTITY_CONTACT_COUNT, "contact.count", "1", "bw")                                       \
    X(SN_QUANTITY_SENSOR_COUNT, "sensor.count", "1", "b")                                          \
    X(SN_QUANTITY_TIME, "time", "s", "w")                                                          \
    X(SN_QUANTITY_LENGTH, "length", "m", "f")                                                      \
    X(SN_QUANTITY_FORCE, "force", "N", "f")                                                        \
    X(SN_QUANTITY_BOND_FORCE, "bond.force", "N", "o")                                              \
    X(SN_QUANTITY_BOND_TOTAL, "bond.total", "N", "o")                                              \
    X(SN_QUANTITY_BOND_ERROR, "bond.error", "m", "o")                                              \
    X(SN_QUANTITY_BOND_BROKEN, "bond.broken", "1", "o")                                            \
    X(SN_QUANTITY_BOND_BREAK_TIME, "bond.break_time", "s", "o")                                    \
    X(SN_QUANTITY_BOND_BREAK_FORCE, "bond.break_force", "N", "o")                                  \
    X(SN_QUANTITY_JOINT_POSITION, "joint.position", "rad or m", "j")                               \
    X(SN_QUANTITY_JOINT_POSITION_2, "joint.position.2", "rad or m", "j")                           \
    X(SN_QUANTITY_JOINT_POSITION_3, "joint.position.3", "rad or m", "j")                           \
    X(SN_QUANTITY_JOINT_POSITION_4, "joint.position.4", "rad or m", "j")                           \
    X(SN_QUANTITY_JOINT_POSITION_5, "joint.position.5", "rad or m", "j")                           \
    X(SN_QUANTITY_JOINT_POSITION_6, "joint.position.6", "rad or m", "j")                           \
    X(SN_QUANTITY_JOINT_VELOCITY, "joint.velocity", "rad/s or m/s", "j")                           \
    X(SN_QUANTITY_JOINT_VELOCITY_2, "joint.velocity.2", "rad/s or m/s", "j")                       \
    X(SN_QUANTITY_JOINT_VELOCITY_3, "joint.velocity.3", "rad/s or m/s", "j")                       \
    X(SN_QUANTITY_JOINT_VELOCITY_4, "joint.velocity.4", "rad/s or m/s", "j")                       \
    X(SN_QUANTITY_JOINT_VELOCITY_5, "joint.velocity.5", "rad/s or m/s", "j")                       \
    X(SN_QUANTITY_JOINT_VELOCITY_6, "joint.velocity.6", "rad/s or m/s", "j")                       \
    X(SN_QUANTITY_JOINT_DRIVE_FORCE, "joint.drive_force", "N m or N", "j")                         \
    X(SN_QUANTITY_JOINT_DRIVE_FORCE_2, "joint.drive_force.2", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_DRIVE_FORCE_3, "joint.drive_force.3", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_DRIVE_FORCE_4, "joint.drive_force.4", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_DRIVE_FORCE_5, "joint.drive_force.5", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_DRIVE_FORCE_6, "joint.drive_force.6", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_LIMIT_FORCE, "joint.limit_force", "N m or N", "j")                         \
    X(SN_QUANTITY_JOINT_LIMIT_FORCE_2, "joint.limit_force.2", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_LIMIT_FORCE_3, "joint.limit_force.3", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_LIMIT_FORCE_4, "joint.limit_force.4", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_LIMIT_FORCE_5, "joint.limit_force.5", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_LIMIT_FORCE_6, "joint.limit_force.6", "N m or N", "j")                     \
    X(SN_QUANTITY_JOINT_FRICTION_FORCE, "joint.friction_force", "N m or N", "j")                   \
    X(SN_QUANTITY_JOINT_FRICTION_FORCE_2, "joint.friction_force.2", "N m or N", "j")               \
    X(SN_QUANTITY_JOINT_FRICTION_FORCE_3, "joint.friction_force.3", "N m or N", "j")               \
    X(SN_QUANTITY_JOINT_FRICTION_FORCE_4, "joint.friction_force.4", "N m or N", "j")               \
    X(SN_QUANTITY_JOINT_FRICTION_FORCE_5, "joint.friction_force.5", "N m or N", "j")               \
    X(SN_QUANTITY_JOINT_FRICTION_FORCE_6, "joint.friction_force.6", "N m or N", "j")               \
    X(SN_QUANTITY_JOINT_REACTION_FORCE, "joint.reaction_force", "N", "j")                          \
    X(SN_QUANTITY_JOINT_REACTION_FORCE_X, "joint.reaction_force.x", "N", "j")                      \
    X(SN_QUANTITY_JOINT_REACTION_FORCE_Y, "joint.reaction_force.y", "N", "j")                      \
    X(SN_QUANTITY_JOINT_REACTION_FORCE_Z, "joint.reaction_force.z", "N", "j")                      \
    X(SN_QUANTITY_JOINT_REACTION_TORQUE, "joint.reaction_torque", "N m", "j")                      \
    X(SN_QUANTITY_JOINT_REACTION_TORQUE_X, "joint.reaction_torque.x", "N m", "j")                  \
    X(SN_QUANTITY_JOINT_REACTION_TORQUE_Y, "joint.reaction_torque.y", "N m", "j")                  \
    X(SN_QUANTITY_JOINT_REACTION_TORQUE_Z, "joint.reaction_torque.z", "N m", "j")

#define X(name, word, unit, of) name,
typedef enum sn_quantity { SN_QUANTITY_LIST(X) SN_QUANTITY_COUNT } sn_quantity;
#undef X

SN_API int sn_quantity_find(const char *word); // -1 when there is none
SN_API const char *sn_quantity_word(sn_quantity quantity);
SN_API const char *sn_quantity_unit(sn_quantity quantity);
SN_API const char *sn_quantity_of(sn_quantity quantity); // letters: b, w, f, j, o (bonds)

// A probe: one number read from the world. Where body, field, joint and bond are null, it is the
// world's own. Of elastic bodies: energy.elastic is what the material stores, stretch.least the
// least volume of an element by its volume at rest. Of bonds: force, length of total and error as
// of sn_bond_state, bond.broken 1 once it is broken.
typedef struct sn_probe {
    sn_body body;
    sn_field field;
    sn_quantity quantity;
    sn_joint joint;
    sn_bond bond;
    bool at_point; // position, velocity and speed are those of the point of the body that is at
    sn_vec3 point; // this place of its frame, at rest
} sn_probe;

SN_API sn_status sn_probe_check(const sn_world *world, const sn_probe *probe, sn_error *error);
SN_API double sn_probe_read(const sn_world *world,
                            const sn_probe *probe); // NaN for a probe that does not check
SN_API const char *sn_probe_unit(const sn_world *world,
                                 const sn_probe *probe); // "" for one that does not check

// ---- events ----

typedef enum sn_event_action {
    SN_EVENT_MARK,  // only the log remembers it
    SN_EVENT_STOP,  // located: the step ends at the event; watched: at the end of the step it
                    // happened in
    SN_EVENT_START, // ends a step in the same way, but nothing stops: behaviours that wait for it
                    // start there (behaviour.h)
} sn_event_action;

typedef enum sn_direction {
    SN_DIRECTION_BOTH,
    SN_DIRECTION_RISING,
    SN_DIRECTION_FALLING,
} sn_direction;

// Something that happens when a quantity passes a threshold. It is located to the integrator's
// accuracy where that is adaptive, for all bodies that have the integrator of the first such event.
// Others are watched: compared at the start and the end of each step, the crossing laid on the
// straight line between.
//
// A crossing is told when the value has got strictly to the other side of the threshold from the
// side it was last on: further beyond it than the tolerances that rule it (absolute + relative
// |threshold|), since closer to the threshold no integrator knows the side. It is told for the time
// at which the value passed the threshold. To reach the threshold, stay there and go back is no
// crossing, nor is to start on it and leave, nor what a change from outside does to the value. To
// go beyond it and come back within a single step of the integrator may go unseen.
typedef struct sn_event_def {
    const char *name;
    sn_probe probe;
    double threshold;
    sn_direction direction;
    sn_event_action action;
} sn_event_def;

typedef struct sn_event_entry {
    sn_event event;
    double time;
    int direction; // +1 rising, -1 falling
} sn_event_entry;

SN_API sn_event_def sn_default_event_def(void);
SN_API sn_status sn_world_add_event(sn_world *world, const sn_event_def *def, sn_event *event,
                                    sn_error *error);
SN_API sn_event sn_world_find_event(const sn_world *world, const char *name);
SN_API const char *sn_event_name(const sn_world *world, sn_event event);
SN_API int sn_world_event_count(const sn_world *world);                       // entries in the log
SN_API sn_event_entry sn_world_event_entry(const sn_world *world, int index); // oldest first
SN_API bool
sn_world_stopped(const sn_world *world); // true when the last step ended at a stopping event

// ---- state ----

// The whole state as bytes: time, every agent's clock, positions, velocities and what it remembers
// beside them, drives and breaks of joints, behaviours, bonds, contact springs, and where events
// stand. A state of another version of the library's list is refused.
// Loading needs a world of the same structure, its bodies added and removed in the same order; it
// drops what the event log tells of later times. Adams and BDF forget their history on loading and
// start anew; every other integrator continues to the bit. Forces added for the coming step are no
// part of it.
SN_API size_t sn_world_state_size(const sn_world *world);
SN_API sn_status sn_world_save_state(const sn_world *world, void *bytes, size_t size,
                                     sn_error *error);
SN_API sn_status sn_world_load_state(sn_world *world, const void *bytes, size_t size,
                                     sn_error *error);

// What contacts remember of the last step beside the state: impulses, where they stick, how long
// bodies have been at rest. A state loaded without it goes on with contacts that start from
// nothing; with it, loaded after the state, to the bit. Its size changes from step to step.
SN_API size_t sn_world_contact_memory_size(const sn_world *world);
SN_API sn_status sn_world_save_contact_memory(const sn_world *world, void *bytes, size_t size,
                                              sn_error *error);
SN_API sn_status sn_world_load_contact_memory(sn_world *world, const void *bytes, size_t size,
                                              sn_error *error);

// 64 bits that depend on every bit of the state.
SN_API uint64_t sn_world_hash(const sn_world *world);

#ifdef __cplusplus
}
#endif

#endif
