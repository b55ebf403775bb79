// From a joint of the scene to the world's joint: its frames and its springs.
#ifndef SN_SCENE_JOINT_DEF_H
#define SN_SCENE_JOINT_DEF_H

#include "scene/model.h"

// All but the handles of its bodies. The joint has passed the checks.
sn_joint_def sn_joint_item_def(const sn_scene *scene, const sn_joint_item *joint);

#endif
