// Behaviours: what acts on a world before a step.
#ifndef SN_WORLD_BEHAVIOUR_H
#define SN_WORLD_BEHAVIOUR_H

#include "model/world.h"

// ---- behaviour.c ----
void sn_world_free_behaviours(sn_world *world);
bool sn_world_copy_behaviours(const sn_world *world, sn_world *copy);
// All that are due act, before a step of h.
sn_status sn_world_act(sn_world *world, double h, sn_error *error);
// Starts what waits for the events of the step that ends.
void sn_world_wake_behaviours(sn_world *world);
// Their part of the state: finite doubles throughout.
uint64_t sn_world_behaviour_structure(const sn_world *world, uint64_t structure);
void sn_world_walk_behaviours(sn_world *world, sn_state_walk *walk);

#endif
