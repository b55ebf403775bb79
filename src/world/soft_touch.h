// Contacts of elastic bodies: between their skins, within one, and with the shapes of other bodies.
// Every contact has one point, and holds on each elastic side a grip (agent/elastic.h).
//
// Skins keep a distance of SN_SOFT_THICKNESS of the body's size, so that what the solver leaves
// undone in its last digits does not let surfaces cross.
#ifndef SN_WORLD_SOFT_TOUCH_H
#define SN_WORLD_SOFT_TOUCH_H

#include "base/array.h"
#include "collide/skin_contact.h"
#include "collide/skin_shape.h"
#include "solve/contact.h"

#define SN_SOFT_THICKNESS 1e-3

// Kinds of contacts: those of skins with skins are sn_skin_contact_kind, those with shapes count
// from SN_SOFT_SHAPE by the number of vertices, and pairs that are watched (soft_stop.c) from
// SN_SOFT_WATCHED by sn_pair_kind. One that carried nothing for SN_SOFT_OLD steps no longer is.
enum { SN_SOFT_SHAPE = 8, SN_SOFT_SENSOR = 16, SN_SOFT_WATCHED = 32, SN_SOFT_OLD = 30 };

// What a contact is known by from step to step.
typedef struct sn_soft_key {
    uint32_t body_a, body_b;      // indices
    int32_t feature_a, feature_b; // of skins or shapes
    int32_t kind;
    int32_t age; // steps since it carried something; no part of the name
} sn_soft_key;

typedef struct sn_soft_memory {
    sn_soft_key key;
    int32_t order;
    uint8_t touched;
    sn_vec3 impulse, anchor;
} sn_soft_memory;

// Two that touch, whatever the number of their contacts: an elastic body and a shape of another,
// two elastic bodies, or one and itself.
typedef struct sn_soft_pair {
    uint32_t body_a, body_b; // indices
    int32_t shape_a;         // of a; of elastic bodies 0
    bool sensor;
    double impulse;           // N s, the sum along the normals of contacts
    sn_vec3 position, normal; // sums of those by impulses
} sn_soft_pair;
typedef struct sn_touch_shape sn_touch_shape;

// Two that cross where a step finds them: an elastic agent, and another or itself, or a shape.
typedef struct sn_soft_crossing {
    int32_t agent, other; // the higher agent; -1: a shape
    uint32_t shape;       // of the touch shapes
} sn_soft_crossing;

typedef struct sn_soft_touch {
    SN_ARRAY(sn_skin *) skins; // of all elastic agents
    sn_skin_pairs pairs;
    sn_skin_contacts near;
    SN_ARRAY(uint32_t) shapes; // touch shapes near one of them
    sn_skin_shape_contacts near_shape;
    SN_ARRAY(sn_contact) contacts;     // of the step under way
    SN_ARRAY(sn_soft_key) keys;        // of those; one more where memory ran out between both
    SN_ARRAY(sn_soft_key) stops;       // pairs that kept skins from going on in it
    SN_ARRAY(sn_soft_memory) memory;   // of the step before, sorted
    bool remembered;                   // `memory` has been filled for the step to come
    SN_ARRAY(sn_soft_pair) met, meets; // who touched in that step, and who in the last
    int sound; // so many elastic bodies do not cross anything, as was looked at or proved: all, or
               // it must be looked at
    SN_ARRAY(sn_soft_crossing) crossings; // what does, of the step under way
    SN_ARRAY(double) island_shares;
    SN_ARRAY(double) shares;    // of the elastic agents' ways, in soft_stop.c
    SN_ARRAY(uint8_t) restored; // of the same: set back in this step
    SN_ARRAY(uint8_t) led;      // of all vertices: see sn_world_mark_led
} sn_soft_touch;

void sn_soft_touch_free(sn_soft_touch *soft);

// Finds the contacts of all elastic bodies for a step of h.
sn_status sn_world_collide_soft(sn_world *world, double h, sn_error *error);

// Whose skins may not cross (a == b: itself); and which shapes one may not.
bool sn_soft_may_meet(const sn_world *world, int a, int b);
bool sn_soft_meets_shape(const sn_world *world, int agent, const sn_touch_shape *shape);

// The shapes whose boxes overlap that of a skin on its way from `from` to `to`, in their order,
// into `shapes`. False when memory runs out.
bool sn_soft_find_shapes(sn_world *world, const double *from, const double *to, int count,
                         double reach);

// Of these only the ones that an elastic agent may not cross.
sn_status sn_soft_find_met_shapes(sn_world *world, int agent, const double *from, const double *to,
                                  double reach, sn_error *error);

// Do they cross where the step under way has found them? b: an agent, or -1 and the shape.
bool sn_soft_crosses(const sn_soft_touch *soft, int a, int b, uint32_t shape);

// ---- soft_stop.c ----
// What is about to cross a skin in the step that ends is taken back along its way to before that,
// and islands with elastic bodies do not gain energy. What bonds hold goes back with it: before
// anything stops links and bodies alone, and tears it off.
sn_status sn_world_stop_bonded(sn_world *world, sn_error *error);
sn_status sn_world_stop_soft(sn_world *world, double h, sn_error *error);

// ---- soft_memory.c ----
// The state was written from outside.
void sn_soft_touch_forget(sn_soft_touch *soft);

// A body is about to go.
void sn_soft_touch_drop_body(sn_soft_touch *soft, uint32_t body);

// What contacts remember, as bytes: count times sizeof(sn_soft_memory); the end of those is given.
int sn_soft_memory_count(const sn_soft_touch *soft);
unsigned char *sn_soft_memory_save(const sn_soft_touch *soft, unsigned char *at);
bool sn_soft_memory_is(const sn_world *world, const unsigned char *bytes, int count);
bool sn_soft_memory_load(sn_soft_touch *soft, const unsigned char *bytes, int count);

// What the contacts of the last step leave behind, before new ones are found; and of one of them.
bool sn_soft_remember(sn_soft_touch *soft);
const sn_soft_memory *sn_soft_recall(const sn_soft_touch *soft, const sn_soft_key *key);

// ---- soft_sense.c ----
// Notes which elastic bodies and sensors overlap at the start of a step: contacts that nobody
// solves.
sn_status sn_world_sense_soft(sn_world *world, sn_error *error);

// ---- soft_note.c ----
// At the end of a step: what touched, began and ended, for those who ask (contact_read.c). False
// when memory ran out for some of it.
bool sn_world_note_soft(sn_world *world);
// The pairs of a body that is about to go have ended. And those that touched in the last two steps.
bool sn_world_part_soft(sn_world *world, uint32_t body);
bool sn_world_gather_soft_stays(sn_world *world);

#endif
