// The air of a world: its winds, and the patches of the bodies that feel them. Made with the
// groups, anew when the structure of the world changes.
#ifndef SN_WORLD_AIR_H
#define SN_WORLD_AIR_H

#include "agent/agent.h"
#include "base/array.h"
#include "field/wind_block.h"
#include "field/wind_cut.h"
#include "world/form.h"
#include "world/shade.h"

// The patches of a form; held.
typedef struct sn_air_form {
    sn_form *form;
    int first, count; // in patches
    int block_first;
    sn_vec3 middle; // of the ball around the patches' centres, in the body's frame
    double radius;
    double size; // the longest that a patch is
} sn_air_form;

typedef struct sn_air_body {
    sn_agent_ref agent;
    int group;        // -1: single-stage
    uint32_t number;  // of the body, for random numbers
    int first, count; // in patches
    int form;
    int first_cut; // of its patches
    bool is_cut;   // some of them, in this step
} sn_air_body;

typedef struct sn_air {
    sn_air_def def;
    SN_ARRAY(const sn_wind *) winds; // of world.fields
    SN_ARRAY(double) strengths;      // winds.count: of the evaluation under way
    bool any_air_law;                // of the winds
    sn_patches patches;
    sn_air_blocks blocks;
    SN_ARRAY(sn_air_form) forms;
    SN_ARRAY(sn_air_body) bodies;
    SN_ARRAY(sn_patch_cut) cuts; // of all patches of all bodies
    sn_shade shade;
} sn_air;

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
