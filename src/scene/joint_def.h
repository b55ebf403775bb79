// From a joint of the scene to the world's joint: its frames, and what acts in its freedoms.
#ifndef SN_SCENE_JOINT_DEF_H
#define SN_SCENE_JOINT_DEF_H

#include "scene/model.h"

// All but the handles of its bodies. The joint has passed the checks; points and motions (in the
// order of scene->motions) are borrowed.
SN_API sn_joint_def sn_joint_item_def(const sn_scene *scene, const sn_joint_item *joint,
                                      sn_motion *const *motions);

// Its frames on both bodies, as the bodies stand at the start.
void sn_joint_item_frames(const sn_scene *scene, const sn_joint_item *joint,
                          sn_transform *parent_frame, sn_transform *child_side);

#endif
