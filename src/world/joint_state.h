// Drives and breaks of joints as part of the state.
#ifndef SN_WORLD_JOINT_STATE_H
#define SN_WORLD_JOINT_STATE_H

#include "model/world.h"

// ---- joint_state.c ----
// Breaks joints that carried too much in the step that is over.
void sn_world_break_joints(sn_world *world);
// Drives and breaks as part of the world's state. Where other joints are broken in what is loaded,
// the world is no longer assembled.
void sn_world_walk_joints(sn_world *world, sn_state_walk *walk);

#endif
