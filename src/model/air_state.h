// What a world keeps of winds on bodies; what is done with it: force/air.h.
#ifndef SN_MODEL_AIR_STATE_H
#define SN_MODEL_AIR_STATE_H

#include "agent/agent.h"
#include "base/array.h"
#include "field/wind_block.h"
#include "field/wind_cut.h"
#include "model/form.h"
#include "model/shade_state.h"

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

#endif
