// What may touch in a world: every shape of every body in the broad phase, the pairs of them that
// are near each other, and their contacts, which are kept from step to step.
//
// Everything here can be found again from where the bodies are, but for what contacts remember: the
// impulses and anchors of the last step (warm start), and the caches of the exact tests. Pairs are
// kept sorted by their shapes, so that results do not depend on the way by which they were found.
#ifndef SN_WORLD_TOUCH_H
#define SN_WORLD_TOUCH_H

#include "base/array.h"
#include "collide/broad.h"
#include "collide/collide.h"
#include "collide/mesh_apart.h"
#include "collide/query.h"
#include "sinew/contact.h"
#include "solve/contact.h"
#include "solve/exact.h"
#include "solve/island.h"
#include "solve/pile.h"
#include "world/soft_touch.h"
#include "world/spring_touch.h"

// A shape of a body, as the broad phase knows it.
typedef struct sn_touch_shape {
    uint32_t body; // index; 0: free
    int shape;
    int proxy;     // -1: none
    bool moves;    // the proxy is of those that move
    double near;   // m: contacts are looked for so far from it, beyond how far it moves
    double corner; // m: how far it reaches from its frame
} sn_touch_shape;

// Where a shape is now, and how far it can come in the step under way.
typedef struct sn_touch_place {
    sn_transform frame;          // of the collider
    sn_aabb bounds;              // tight
    sn_vec3 drift;               // m, of the body's centre
    double travel;               // m, of its fastest point
    sn_contact_side side;        // who carries it
    const sn_collider *collider; // what it is: the body's, for the step under way
} sn_touch_place;

enum {
    SN_PAIR_SENSOR = 1,
    SN_PAIR_DROPPED = 2,  // they may not meet
    SN_PAIR_TOUCHING = 4, // in the last step
    SN_PAIR_DRIVEN = 8,   // a surface moves by itself
    SN_PAIR_STRUCK = 16,  // in flight, in the step that ends: see sn_touch_strike
    SN_PAIR_CARRIES = 32, // some contact touched in the step that ends
    SN_PAIR_BEGAN = 64,   // it touches since that step
    SN_PAIR_UNSEEN = 128, // no contact, but they may meet in the step: beyond what was looked at
    SN_PAIR_OF_LAST_STEP =
        SN_PAIR_TOUCHING | SN_PAIR_STRUCK | SN_PAIR_CARRIES | SN_PAIR_BEGAN | SN_PAIR_UNSEEN,
};

// Contacts are looked for up to this share of the smaller shape's size, beyond how far they move.
#define SN_NEAR_SHARE 0.01

enum { SN_PATCHES = 16 }; // manifolds that a pair with a mesh or a field can have

typedef struct sn_pair {
    uint32_t a, b;    // touch shapes, a < b
    int contacts;     // first of its contacts in the pool
    int apart;        // of two meshes: 1 + its place in the list of gaps; 0: none
    uint8_t capacity; // 1, or SN_PATCHES
    uint8_t count;    // with points, in the step under way
    uint8_t flags;
    double size; // what "small" is measured by
    double friction, restitution, rolling_friction, spinning_friction;
    sn_collide_cache cache;
} sn_pair;

// Two bodies of one mechanism that are left out.
typedef struct sn_drop {
    uint32_t a, b; // a < b
    sn_pair_drop why;
} sn_drop;

// Two shapes that struck each other where a fast one was stopped. Only to be told of: what it
// leaves behind is velocity, and the next step finds its contacts anew.
typedef struct sn_touch_strike {
    uint32_t a, b; // touch shapes, a < b
    sn_contact contact;
} sn_touch_strike;

// A shape that is followed along its way, and the mechanism that it is of (-1: a free body).
typedef struct sn_touch_fast {
    int mechanism;
    uint32_t shape;
} sn_touch_fast;

// A ball, or a thinner ring, inside a shape, in its place.
typedef struct sn_strike_core {
    uint32_t shape;
    sn_collider collider;
    sn_vec3 middle; // in the shape's axes
} sn_strike_core;

// A contact that carried an impulse in the last step.
typedef struct sn_touch_noted {
    uint32_t body_a, body_b; // indices
    int shape_a, shape_b;    // of elastic bodies 0
    enum { SN_NOTED_PAIR, SN_NOTED_STRIKE, SN_NOTED_SOFT } list;
    int contact; // of the pool, the strikes or the contacts of elastic bodies
} sn_touch_noted;

// An island whose solver did not converge: the two sides of the row that is off most.
typedef struct sn_touch_unsolved {
    double residual; // 0: it did
    sn_contact_side sides[2];
} sn_touch_unsolved;

// Who has an island in a step.
enum { SN_ISLAND_EXACT, SN_ISLAND_PILE, SN_ISLAND_ASLEEP };

// Piles that are solved together.
typedef struct sn_touch_piles {
    SN_ARRAY(int) contacts, agents;
    double height, thickness; // m: see sn_pile_step_def
    sn_pile pile;
} sn_touch_piles;

typedef struct sn_touch {
    sn_broad *broad; // NULL before the first step
    SN_ARRAY(sn_touch_shape) shapes;
    SN_ARRAY(sn_touch_place) places; // shapes.count
    SN_ARRAY(sn_kdop) kdops;         // shapes.count, if the world uses them
    int dead;                        // of the shapes
    SN_ARRAY(sn_pair) pairs;         // sorted
    SN_ARRAY(sn_pair) merged;        // scratch: the next pairs
    SN_ARRAY(sn_contact) pool;
    SN_ARRAY(int) free_single, free_patches; // first contacts of runs that nobody has
    SN_ARRAY(sn_mesh_apart) gaps;            // of pairs of meshes that have no contact
    SN_ARRAY(int) free_gaps;                 // of them that nobody has
    SN_ARRAY(int) active;                    // contacts with points: see sn_touch_contact
    SN_ARRAY(sn_island_pair) links;          // of the active ones; agents counted over all sets
    sn_islands islands;
    SN_ARRAY(uint8_t) kinds;              // of the islands
    SN_ARRAY(uint8_t) struck;             // of the islands: something there is solved again
    SN_ARRAY(double) residual;            // of the islands: how far each is from its laws
    SN_ARRAY(sn_touch_unsolved) unsolved; // of the islands: the worst row of those not converged
    SN_ARRAY(sn_agent_start) started;     // of all agents; known of mechanisms that are watched
    SN_ARRAY(double) thickness;     // m, of all agents: the largest that they touch; 0: nothing
    SN_ARRAY(sn_contact *) pressed; // contacts by islands
    SN_ARRAY(sn_contact_course) courses; // beside them; left alone where piles are
    SN_ARRAY(sn_exact_bond *) bound;     // rows of bonds by islands
    sn_touch_piles piles, careful_piles;
    SN_ARRAY(sn_touch_fast) fast;      // shapes that moved far in the step, sorted
    SN_ARRAY(sn_touch_strike) strikes; // of the step
    sn_exact exact;
    sn_soft_touch soft;
    sn_spring_touch springs;
    SN_ARRAY(sn_exact) helpers;        // the same for each thread beyond the first
    SN_ARRAY(sn_drop) drops;           // sorted
    SN_ARRAY(sn_contact_event) events; // of the last step
    SN_ARRAY(sn_contact_event) parted; // of bodies removed since, for the next to tell
    SN_ARRAY(sn_contact_event) stays;  // of the last step, if somebody asked
    bool stays_current;
    double found_at;                 // the time at which shapes were looked at for it
    SN_ARRAY(sn_touch_noted) noted;  // likewise
    SN_ARRAY(double) still;          // s, of each agent over all sets: how long it has been at rest
    SN_ARRAY(unsigned char) pending; // what contacts remember, to be given to the pairs found next
    SN_ARRAY(unsigned char) kept; // the same at the start of the step under way, without checksum
    bool kept_wake;               // and whether something had been changed from outside
    double penalty_start, penalty_step; // s: of the step under way, for the penalty method
    SN_ARRAY(int) penalty_points;       // of bodies: the points near them at its start, likewise
    bool statics_current;               // the broad phase knows where static bodies stand
    bool surfaces_current;              // pairs have the surfaces of their shapes
    bool wake;                          // something was changed from outside
    bool placed;                        // shapes are where bodies stand, since a query asked
    int unseen;                         // pairs that are, in the step under way
    int left_out;                       // manifolds beyond what a pair can have, in the last step
} sn_touch;

// Numbers from here on are rows of bonds, and of springs.
enum { SN_TOUCH_BONDS = 1 << 30, SN_TOUCH_SPRINGS = SN_TOUCH_BONDS + (1 << 29) };

// A contact by its number: of the pool, or below 0 of elastic bodies.
static inline sn_contact *sn_touch_contact(const sn_touch *touch, int number)
{
    return number >= 0 ? &touch->pool.data[number] : &touch->soft.contacts.data[-1 - number];
}

// ---- touch.c ----
void sn_touch_remove_body(sn_world *world, uint32_t body); // that is about to go
void sn_touch_free(sn_touch *touch);

// Its bounds are of another kind now: the broad phase is made anew, pairs stay.
void sn_touch_renew_broad(sn_touch *touch);

// Forgets what contacts remember: the state was written from outside.
void sn_touch_forget(sn_world *world);

// Finds all contacts for a step of h from the state as it stands.
SN_API sn_status sn_world_collide(sn_world *world, double h, sn_error *error);

// Brings the broad phase up to where bodies stand now, for questions between steps.
sn_status sn_world_place_shapes(sn_world *world, double h, sn_error *error);

// The pair of two shapes, a < b; NULL: they are not near.
sn_pair *sn_touch_find_pair(const sn_touch *touch, uint32_t a, uint32_t b);

// A force acts on an agent: it does not rest.
void sn_touch_rouse(sn_world *world, sn_agent_ref ref);

// The drops and what contacts remember, for a world that has the same bodies.
bool sn_touch_copy(const sn_world *world, sn_world *copy);

// Which agent and part carry a shape, as a side of a contact.
sn_contact_side sn_touch_side(const sn_world *world, const sn_touch_shape *shape);

int sn_touch_agent_number(const sn_world *world, sn_contact_side side); // over all sets
bool sn_touch_has_elastic(const sn_world *world, const sn_island *island);
const sn_collider *sn_touch_collider(const sn_world *world, const sn_touch_shape *shape);
const sn_surface *sn_touch_surface(const sn_world *world, const sn_touch_shape *shape);
bool sn_touch_may_meet(const sn_world *world, const sn_touch_shape *a, const sn_touch_shape *b);
// What "small" is measured by for two of them.
double sn_touch_pair_size(const sn_collider *a, const sn_collider *b);
sn_body sn_touch_body(const sn_world *world, uint32_t index);

// ---- pair_contact.c ----
// Bodies under integrators with stages know nothing of impulses, only of forces.
bool sn_touch_takes_part(const sn_world *world, sn_contact_side side);
// Finds the contacts of a pair for a step of h; how many manifolds were left out.
int sn_world_collide_pair(sn_world *world, sn_pair *pair, double h);
void sn_touch_clear_pair(sn_touch *touch, sn_pair *pair);
// The radius of a shape's surface at a point of it where its normal is this: see contact.h. Tori
// are round to planes, to what is convex and to each other.
double sn_touch_roundness(const sn_collider *collider, const sn_transform *place,
                          const sn_collider *other, sn_vec3 normal, sn_vec3 point);

// ---- foresee.c ----
// Leads the contacts of a pair on to planes of ground that it comes to in a step of h, or adds
// those, SN_PATCHES in all at most; how many there are then. ahead: sn_contact.ahead of each.
int sn_touch_foresee(const sn_world *world, const sn_pair *pair, double h, sn_manifold *manifolds,
                     int count, sn_vec3 *ahead, int *left_out);
// The motion of the frame of a side in a time h, as velocities have it: x -> motion x. *turn: the
// angle it turns by.
sn_transform sn_touch_motion(const sn_world *world, sn_contact_side side, double h, double *turn);

// ---- pass_by.c ----
// Do two convex shapes pass each other in a step of h, at what looks like a contact about to be?
bool sn_touch_passes_by(const sn_world *world, const sn_pair *pair, double h,
                        const sn_manifold *manifold);

// ---- touch_memory.c ----
// What contacts remember, as bytes, for states and copies.
size_t sn_touch_memory_size(const sn_world *world);
void sn_touch_save_memory(const sn_world *world, unsigned char *bytes);
sn_status sn_touch_load_memory(sn_world *world, const unsigned char *bytes, size_t size,
                               sn_error *error);
// Gives it to the pairs there are now. False when memory runs out.
bool sn_touch_remember(sn_world *world);
// The same at the start of a step, and back to it where the step fails.
sn_status sn_touch_keep(sn_world *world, sn_error *error);
void sn_touch_undo(sn_world *world);

// ---- pair_drop.c ----
// Which pairs of the bodies of its mechanisms are left out, after they have been put together.
sn_status sn_world_drop_pairs(sn_world *world, sn_error *error);
bool sn_world_is_dropped(const sn_world *world, uint32_t a, uint32_t b);

// ---- contact_step.c ----
// The parts of a step in which contacts act, in the order of the calls.
sn_status sn_world_begin_contacts(sn_world *world, double h, sn_error *error);
sn_status sn_world_choose_solvers(sn_world *world, sn_error *error);
sn_status sn_world_press_contacts(sn_world *world, double h, sn_error *error);
sn_status sn_world_relax_contacts(sn_world *world, double h, sn_error *error);
void sn_world_rest_contacts(sn_world *world, double h);
// No agent is held, be it at rest or in a pile.
void sn_world_let_go(sn_world *world);

// ---- island_energy.c ----
// At the start of a step, once islands are known; false when memory runs out. At its end, islands
// that have more energy than they can have got are slowed down.
SN_API bool sn_world_note_energies(sn_world *world);
SN_API void sn_world_check_energies(sn_world *world, double h);
// The same of islands with springs that steps do not resolve, whatever contact is.
void sn_world_check_sprung(sn_world *world, double h);
// The same of islands with elastic bodies, once their skins have been stopped; whether some were
// moved, and must be looked at again.
bool sn_world_check_soft_energies(sn_world *world, double h);
// A mechanism that may stands still for the step, at half its velocity.
void sn_world_stand(sn_world *world, sn_agent_ref ref);
// After advance: islands in which something is no longer a number stand still.
SN_API void sn_world_stand_lost(sn_world *world);

// ---- penalty_step.c ----
// Once contacts are known: how many points each body has. False when memory runs out.
bool sn_world_count_penalties(sn_world *world);
// Adds the forces of contact by springs to agents of a group (-1: of none), and, at the end of a
// step, keeps what points that stick hold.
void sn_world_add_penalties(sn_world *world, double time, int group);
void sn_world_keep_penalties(sn_world *world, double time);

// ---- contact_read.c ----
// At the end of a step: what touched, began and ended. False when memory ran out for some of it.
bool sn_world_note_contacts(sn_world *world);
bool sn_touch_note_change(sn_world *world, const sn_pair *pair, sn_contact_change change);
// Of all that touches a body that is about to go. False when memory runs out, with nothing done.
bool sn_touch_part_body(sn_world *world, uint32_t body);

// ---- query.c ----
// The skin of an elastic body where it is now; NULL when memory runs out.
const sn_skin *sn_world_skin(const sn_world *world, sn_agent_ref ref, sn_error *error);

// ---- sweep.c ----
// Fast bodies that would have passed through something in the step are taken back to where they
// met it.
sn_status sn_world_stop_tunnelling(sn_world *world, double h, sn_error *error);
// The way of a shape through the step that ends; and back along it, for free bodies. A mechanism
// that has it stands still for the step, unless it follows a prescribed motion.
sn_sweep sn_touch_sweep(const sn_world *world, uint32_t shape);
void sn_touch_take_back(sn_world *world, uint32_t shape, double share);

// ---- strike.c ----
// Two shapes strike each other where they are now, at the end of a step, if they are nearer than
// `margin` and approach; or the core of one (NULL: none) and the other, without rebound or
// friction.
sn_status sn_world_strike(sn_world *world, uint32_t shape_a, uint32_t shape_b, double margin,
                          const sn_strike_core *core, sn_error *error);

// The same at the start of a step, for a contact of the pool that comes to touch within it and
// whose bodies turn by radians, or will once they have struck.
sn_status sn_world_strike_whirling(sn_world *world, const sn_pair *pair, int number, double h,
                                   bool *struck, sn_error *error);

#endif
