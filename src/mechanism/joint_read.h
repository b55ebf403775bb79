// What joints of mechanisms are asked for.
#ifndef SN_MECHANISM_JOINT_READ_H
#define SN_MECHANISM_JOINT_READ_H

#include "model/world.h"

// ---- joint_read.c ----
// The tree's link that holds a freedom of an assembled joint, and which of the link's own freedoms
// it is; -1: not there.
int sn_joint_find_link(const sn_joint_record *joint, int freedom, int *own);
// The joint of a mechanism that moved too fast for its last step; NULL: not known.
const char *sn_mechanism_fastest_joint(const sn_world *world, sn_agent_ref ref);

#endif
