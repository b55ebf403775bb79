// Winds and air of a scene as the world wants them.
#ifndef SN_SCENE_WIND_DEF_H
#define SN_SCENE_WIND_DEF_H

#include "scene/model.h"

// Motions in the order of scene->motions; the def borrows one.
sn_wind_def sn_wind_item_def(const sn_field_item *field, sn_motion *const *motions);
sn_air_def sn_air_item_def(const sn_air_item *air);

#endif
