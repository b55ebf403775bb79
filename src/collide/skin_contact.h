// Where skins are near each other: nearest points of features, each place once.
//
//     status = sn_skin_pairs_find(&pairs, skins, count, SN_SKIN_ALL, threads, error);
//     status = sn_skin_contacts_find(&contacts, skins, &pairs, &options, threads, error);
//     for (int i = 0; i < contacts.found.count; ++i) {
//         const sn_skin_contact *contact = &contacts.found.data[i];
//         ...
//     }
//
// A pair of a vertex and a face whose nearest point is on an edge or a corner of the face is a
// contact of the vertex with that edge or corner; and it is one only if no other face around is
// nearer, so over the inside of a surface a vertex has one contact, whatever the faces there. (The
// potentials of M. Li et al., "Incremental potential contact", ACM TOG 2020, take one for each
// pair; here a solver shall see each place once.) Of two edges only insides count, because ends are
// vertices; and only where each is the other's nearest within its own faces, too. So every contact
// is a local least distance to a surface, of a vertex or an edge.
//
// Of skins that are known not to cross (`apart`) every gap is positive, whichever way round their
// faces are. Else the gap is negative inside closed skins. Whether a vertex is inside is told by
// what is nearest of the other skin, and one that is inside has its nearest contact only. Within
// one skin two sides of a thin wall look just like two parts that went through each other: a
// negative gap there counts if at rest the two points were farther apart than twice the distance
// asked for.
//
// All numbers are at the start of the skins' motion (sn_skin_place).
//
// What it does not do: two open skins that went through each other have gaps all the same, to the
// wrong side; skin_step.h is there to let none do so.
#ifndef SN_COLLIDE_SKIN_CONTACT_H
#define SN_COLLIDE_SKIN_CONTACT_H

#include "collide/skin_pairs.h"

typedef enum sn_skin_contact_kind {
    SN_CONTACT_VERTEX_VERTEX,
    SN_CONTACT_VERTEX_EDGE,
    SN_CONTACT_VERTEX_FACE,
    SN_CONTACT_EDGE_EDGE
} sn_skin_contact_kind;

typedef struct sn_skin_contact {
    sn_skin_contact_kind kind;
    int32_t skin_a, skin_b; // a has the vertex, or the first edge
    int32_t a, b;           // vertex or edge of a; vertex, edge or face of b: names that last
    int count_a, count_b;   // vertices of each that count: together no more than four
    int vertices[4];        // of the bodies: a's, then b's
    double weights[4];      // above 0; on each side they add up to 1
    sn_vec3 on_a, on_b;
    sn_vec3 normal; // unit, from b to a: a is pushed along it
    double gap;     // (on_a - on_b) . normal
} sn_skin_contact;

typedef struct sn_skin_contact_options {
    double distance;     // gaps up to this; boxes must reach as far (sn_skin_place)
    bool flat_edges;     // also edges that cross in the middle of flat surfaces: what vertices and
                         // other edges tell anyway, unless the surface bends before the next look
    bool apart;          // nothing crosses anything
    sn_skin_among among; // 0: all
} sn_skin_contact_options;

typedef SN_ARRAY(sn_skin_contact) sn_skin_contact_list;

typedef struct sn_skin_contacts {
    sn_skin_contact_list found; // by skins, vertex contacts by vertex and gap, then edges
    struct {
        sn_skin_contact_list found;
        bool failed;
    } lanes[SN_SKIN_LANES];
} sn_skin_contacts;

SN_API sn_status sn_skin_contacts_find(sn_skin_contacts *contacts, sn_skin *const *skins,
                                       const sn_skin_pairs *pairs,
                                       const sn_skin_contact_options *options, sn_threads *threads,
                                       sn_error *error);
SN_API void sn_skin_contacts_free(sn_skin_contacts *contacts);

#endif
