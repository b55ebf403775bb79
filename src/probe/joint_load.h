// What joints carry, between the files of this folder.
#ifndef SN_PROBE_JOINT_LOAD_H
#define SN_PROBE_JOINT_LOAD_H

#include "model/world.h"

// ---- weld_reaction.c ----
// What a fixed joint between bodies of one link did to its child.
sn_joint_load sn_world_weld_reaction(const sn_world *world, sn_joint joint);

#endif
