// The state of a world: kept for steps that fail, carried to another world.
#ifndef SN_WORLD_STATE_H
#define SN_WORLD_STATE_H

#include "model/world.h"

// ---- state.c ----
// Keeps what a step may change beside its agents, which keep their own; and goes back to it where
// the step fails. `moved`: behaviours have broken joints since, and the world was put together
// anew.
sn_status sn_world_keep_state(sn_world *world, sn_error *error);
void sn_world_undo_state(sn_world *world, bool moved);
// The state of one world goes on in another of like bodies and joints, of which nothing else is
// asked: events that both have not in common begin anew. False: they differ, or memory ran out, and
// nothing has changed.
SN_API bool sn_world_carry_state(const sn_world *from, sn_world *to);

#endif
