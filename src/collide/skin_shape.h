// Skins and rigid shapes: where they touch or are near.
//
//     sn_skin_shape_contacts contacts = {0};
//     status = sn_skin_shape_find(&contacts, skin, &collider, &place, distance, error);
//     for (int i = 0; i < contacts.found.count; ++i) { ... }
//     sn_skin_shape_contacts_free(&contacts);
//
// Every vertex of the skin that is near has one contact: its signed distance to the shape. Where
// the shape touches edges or insides of faces (a corner of a box, a ball on a coarse skin), there
// are contacts besides, by the engine's own narrow phase for each face; those whose normal the skin
// does not admit there (facet.h says why) and those at vertices are left out. Through a closed skin
// a shape is pushed out, even when most of it is inside.
//
// A body of several shapes is asked one shape at a time. Everything is at the start of the skin's
// motion.
//
// What it does not do: a shape that is inside a closed skin by more than its own size is not seen.
#ifndef SN_COLLIDE_SKIN_SHAPE_H
#define SN_COLLIDE_SKIN_SHAPE_H

#include "base/array.h"
#include "collide/collide.h"
#include "collide/skin.h"

typedef struct sn_skin_shape_contact {
    int count;         // vertices that count: 1, at a vertex; 2, on an edge; 3, in a face
    int32_t feature;   // that vertex, edge or face of the skin
    int vertices[3];   // of the body
    double weights[3]; // above 0, they add up to 1
    sn_vec3 on_skin, on_shape;
    sn_vec3 normal; // unit, from the shape to the skin
    double gap;     // (on_skin - on_shape) . normal
} sn_skin_shape_contact;

typedef struct sn_skin_shape_contacts {
    bool apart; // set by who asks: the skin and the shape do not cross, so none is pushed through
    SN_ARRAY(sn_skin_shape_contact) found; // vertices, edges, faces, each by number
} sn_skin_shape_contacts;

// Gaps up to `distance`. The skin's boxes need not reach for it.
SN_API sn_status sn_skin_shape_find(sn_skin_shape_contacts *contacts, const sn_skin *skin,
                                    const sn_collider *shape, const sn_transform *place,
                                    double distance, sn_error *error);
SN_API void sn_skin_shape_contacts_free(sn_skin_shape_contacts *contacts);

#endif
