// What a world keeps of contact: shapes, where they are, pairs, contacts, islands; what is done
// with it: touch/touch.h.
#ifndef SN_MODEL_TOUCH_STATE_H
#define SN_MODEL_TOUCH_STATE_H

#include "base/array.h"
#include "collide/broad.h"
#include "collide/collide.h"
#include "collide/mesh_apart.h"
#include "collide/query.h"
#include "model/soft_touch_state.h"
#include "model/spring_touch_state.h"
#include "sinew/contact.h"
#include "solve/contact.h"
#include "solve/exact.h"
#include "solve/island.h"
#include "solve/pile.h"

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

#endif
