// From a motion of the scene to the engine's motion: its points, from the scene or from a file.
#ifndef SN_SCENE_MOTION_DEF_H
#define SN_SCENE_MOTION_DEF_H

#include "scene/model.h"

// Reads the points of a motion that has a file. The error carries no place in the scene.
sn_status sn_motion_item_read(sn_scene *scene, sn_motion_item *motion, sn_error *error);

// The motion has passed the checks.
sn_status sn_motion_item_create(const sn_scene *scene, const sn_motion_item *motion,
                                sn_motion **result, sn_error *error);

// Do two motions, or none, have the same points, kinds and ends?
bool sn_motion_same(const sn_motion *a, const sn_motion *b);

#endif
