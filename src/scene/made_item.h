// Items that no parser read: what robots and mobiles add to a scene, as if it were written there.
#ifndef SN_SCENE_MADE_ITEM_H
#define SN_SCENE_MADE_ITEM_H

#include "scene/model.h"

// From now on the key counts as given, at this place.
void sn_made_give(sn_item *item, const char *key, sn_place place);

// An item as the parser would make it, at the end of a list of the scene; NULL: no memory.
sn_item *sn_made_item(sn_scene *scene, const sn_object *table, sn_item_list *list, sn_place place);

// A list of the scene that something is added to is as good as given.
void sn_made_give_list(sn_scene *scene, const char *key, sn_place place);

// The table of shapes of a type (sn_shape_type, sn_scene_shape).
const sn_object *sn_made_shape_table(int type);

// One number for all freedoms of a joint; false: no memory.
bool sn_made_quantity(sn_scene *scene, sn_joint_item *joint, const char *key,
                      sn_quantity_list *list, double number, sn_place place);

#endif
