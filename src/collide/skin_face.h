// A face of a skin as a collider.
#ifndef SN_COLLIDE_SKIN_FACE_H
#define SN_COLLIDE_SKIN_FACE_H

#include "collide/collider.h"
#include "collide/skin.h"

// It borrows its own corners: not to be copied.
typedef struct sn_skin_face_shape {
    sn_vec3 corners[3]; // about the first one, so that nothing is large
    sn_transform place;
    sn_collider collider;
} sn_skin_face_shape;

static inline void sn_skin_face_shape_make(const sn_skin *skin, int face, sn_skin_face_shape *shape)
{
    sn_vec3 p[3];
    sn_skin_face(skin, face, p);
    for (int k = 0; k < 3; ++k) {
        shape->corners[k] = sn_vec3_sub(p[k], p[0]);
    }
    shape->place = (sn_transform){p[0], SN_QUAT_IDENTITY};
    shape->collider = sn_collider_triangle(shape->corners, 0.0);
}

#endif
