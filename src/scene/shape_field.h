// Height fields of a scene: heights written out, or an expression of the place.
#ifndef SN_SCENE_SHAPE_FIELD_H
#define SN_SCENE_SHAPE_FIELD_H

#include "scene/model.h"

// Compiles the expression, if there is one, over the scene's params, x and y. A mistake has its
// place in *place.
sn_status sn_shape_item_compile_field(const sn_scene *scene, sn_shape_item *shape, sn_place *place,
                                      sn_error *error);

// Makes the field with the params as they are now.
sn_status sn_shape_item_field(const sn_scene *scene, const sn_shape_item *shape,
                              sn_height_field **field, sn_place *place, sn_error *error);

#endif
