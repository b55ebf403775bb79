// What events and scripts read of the last step, as part of the state.
#ifndef SN_PROBE_READING_H
#define SN_PROBE_READING_H

#include "model/world.h"

// ---- reading.c ----
// From now on the state has what this probe reads, if that is of the last step. False when memory
// runs out.
bool sn_world_add_reading(sn_world *world, const sn_probe *probe);
bool sn_world_copy_readings(const sn_world *world, sn_world *copy);
bool sn_world_same_readings(const sn_world *a, const sn_world *b);
// What a probe reads where the state was loaded since the last step. False: as it stands.
bool sn_world_find_reading(const sn_world *world, const sn_probe *probe, double *value);
void sn_world_walk_readings(sn_world *world, sn_state_walk *walk);

#endif
