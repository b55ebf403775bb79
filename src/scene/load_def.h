// A load of the scene as the world's definition of it.
#ifndef SN_SCENE_LOAD_DEF_H
#define SN_SCENE_LOAD_DEF_H

#include "scene/model.h"

// Adds it to a world that has its body. A choice that holds no vertex is refused, with the place.
sn_status sn_load_item_add(const sn_scene *scene, const sn_field_item *item, sn_body body,
                           sn_world *world, sn_field *field, sn_error *error);

#endif
