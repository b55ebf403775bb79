// A body of the scene as the world's definition of it.
#ifndef SN_SCENE_BODY_DEF_H
#define SN_SCENE_BODY_DEF_H

#include "scene/model.h"

// Fills `shapes` (the array is the caller's, freed with sn_array_free) and `def`, which refers to
// it. Masses that no real body can have are refused, with the place.
typedef SN_ARRAY(sn_shape) sn_shape_array;
sn_status sn_body_item_def(const sn_scene *scene, const sn_body_item *body, sn_shape_array *shapes,
                           sn_body_def *def, sn_error *error);

#endif
