// The air of a world: its winds, and the patches of the bodies that feel them. Made with the
// groups, anew when the structure of the world changes.
#ifndef SN_FORCE_AIR_H
#define SN_FORCE_AIR_H

#include "model/air_state.h"

sn_status sn_world_make_air(sn_world *world, sn_error *error);
void sn_world_forget_air(sn_world *world); // what sn_world_make_air made but the patches
void sn_world_free_air(sn_world *world);

// Cuts patches finer for the step from `start` to `end`, where a wind that blows then varies across
// them. Found anew from where bodies are at the start, so that it needs no memory, and held for the
// step, so that integrators of several stages see no jumps.
void sn_world_cut_air(sn_world *world, double start, double end);

// ---- air_skin.c ----
// What elastic bodies need to feel winds; with the winds.
sn_status sn_world_make_air_skins(sn_world *world, sn_error *error);
void sn_world_add_air_to_skins(sn_world *world, double time, int group);

// ---- air.c ----
// Adds the forces of the air to the single-stage agents (group -1) or those of a staged group.
void sn_world_add_air(sn_world *world, double time, int group);

#endif
