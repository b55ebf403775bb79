// What a world keeps of contacts of elastic bodies; what is done with it: touch/soft_touch.h.
#ifndef SN_MODEL_SOFT_TOUCH_STATE_H
#define SN_MODEL_SOFT_TOUCH_STATE_H

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

#endif
