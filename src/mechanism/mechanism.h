// A mechanism under construction: the tree of links that bodies and joints become, and its ties.
// The assembly (assemble.c) calls these in an order in which everything hangs on something that is
// there.
#ifndef SN_MECHANISM_MECHANISM_H
#define SN_MECHANISM_MECHANISM_H

#include "mechanism/joint_run.h"
#include "mechanism/span.h"

typedef struct sn_mechanism {
    sn_tree tree;
    int links; // filled so far
    SN_ARRAY(sn_articulation_part) parts;
    SN_ARRAY(uint32_t) bodies; // of each part, by index
    SN_ARRAY(double) q;
    SN_ARRAY(double) v;
    SN_ARRAY(sn_freedom_def) freedoms;
    SN_ARRAY(sn_tie) ties;
    SN_ARRAY(sn_tie_term) terms;
    SN_ARRAY(uint32_t) tied; // of each tie: the joint, or the coupling
    SN_ARRAY(bool) coupled;  // of each tie: it is a coupling
    int agent;               // -1: nothing of it moves
    bool closed;             // loops or ties decide where its bodies stand, not its joints alone
} sn_mechanism;

// Where bodies are on the tree being built: its link (-1: the ground) and its frame in link axes.
typedef struct sn_seat {
    int link;
    sn_transform frame;
} sn_seat;

typedef struct sn_assembly {
    sn_world *world;
    sn_span span;
    sn_seat *seats;           // by body index; entry 0: the world
    sn_mechanism *mechanisms; // span.components
    bool loose;               // bodies need not stand as their joints allow
} sn_assembly;

void sn_mechanism_free(sn_mechanism *m);

// Seats a body on a link (or on the ground) and, on a link, makes it a part. False when memory runs
// out.
bool sn_mechanism_seat(sn_assembly *a, sn_mechanism *m, uint32_t body, int link,
                       sn_transform frame);

// Hangs the links of a joint's run on what carries it, and says where its far body's frame is on
// the last of them. `strict`: the bodies must stand as the joint allows.
sn_status sn_mechanism_hang(sn_assembly *a, sn_mechanism *m, uint32_t index, bool strict,
                            sn_seat *far, sn_error *error);

// A body that hangs on no joint carries its mechanism through space: a shift and a ball. False when
// memory runs out.
bool sn_mechanism_add_root(sn_assembly *a, sn_mechanism *m, uint32_t body);

// A joint that closes a loop: its run, with a share of the body it comes back to, and the weld.
sn_status sn_mechanism_close(sn_assembly *a, sn_mechanism *m, uint32_t index, sn_error *error);

// A joint that is nothing but a tie.
sn_status sn_mechanism_tie(sn_assembly *a, sn_mechanism *m, uint32_t index, sn_error *error);

// A coupling over freedoms that all have links by now.
sn_status sn_mechanism_couple(sn_assembly *a, sn_mechanism *m, uint32_t index, sn_error *error);

#endif
