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
// from SN_SOFT_SHAPE.
enum { SN_SOFT_SHAPE = 8, SN_SOFT_SENSOR = 16 };

// What a contact is known by from step to step.
typedef struct sn_soft_key {
    uint32_t body_a, body_b;      // indices
    int32_t feature_a, feature_b; // of skins or shapes
    int32_t kind;
} sn_soft_key;

typedef struct sn_soft_memory {
    sn_soft_key key;
    sn_vec3 impulse, anchor;
    uint8_t touched;
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

typedef struct sn_soft_touch {
    SN_ARRAY(sn_skin *) skins; // of all elastic agents
    sn_skin_pairs pairs;
    sn_skin_contacts near;
    SN_ARRAY(uint32_t) shapes; // touch shapes near one of them
    sn_skin_shape_contacts near_shape;
    SN_ARRAY(sn_contact) contacts;     // of the step under way
    SN_ARRAY(sn_soft_key) keys;        // of those; one more where memory ran out between both
    SN_ARRAY(sn_soft_memory) memory;   // of the step before, sorted
    SN_ARRAY(sn_soft_pair) met, meets; // who touched in that step, and who in the last
} sn_soft_touch;

void sn_soft_touch_free(sn_soft_touch *soft);

// What contacts remember, for a world that has the same bodies.
bool sn_soft_touch_copy(const sn_soft_touch *soft, sn_soft_touch *copy);

// Finds the contacts of all elastic bodies for a step of h.
sn_status sn_world_collide_soft(sn_world *world, double h, sn_error *error);

// The shapes whose boxes overlap that of a skin on its way from `from` to `to`, `count` numbers
// each, in their order: soft->shapes. False when memory runs out.
bool sn_soft_find_shapes(sn_world *world, const double *from, const double *to, int count,
                         double reach);

// What is about to cross a skin in the step that ends is taken back along its way to before that.
sn_status sn_world_stop_soft(sn_world *world, sn_error *error);

// The state was written from outside.
void sn_soft_touch_forget(sn_soft_touch *soft);

// A body is about to go.
void sn_soft_touch_drop_body(sn_soft_touch *soft, uint32_t body);

// ---- soft_sense.c ----
// Notes which elastic bodies and sensors overlap at the start of a step: contacts that nobody
// solves.
sn_status sn_world_sense_soft(sn_world *world, sn_error *error);

// ---- soft_note.c ----
// At the end of a step: what touched, began and ended, for those who ask (contact_read.c). False
// when memory ran out for some of it.
bool sn_world_note_soft(sn_world *world);

#endif
