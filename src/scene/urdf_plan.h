// How a scene's mechanism is said as the tree of a URDF: its root is the world, every body is a
// link that hangs on one joint.
#ifndef SN_SCENE_URDF_PLAN_H
#define SN_SCENE_URDF_PLAN_H

#include "scene/model.h"

typedef enum sn_plan_hold {
    SN_HOLD_JOINT, // hangs on a joint of the scene
    SN_HOLD_FIXED, // a static body: fixed to the world
    SN_HOLD_FREE,  // hangs on nothing: floats in the world
} sn_plan_hold;

typedef struct sn_plan_body {
    sn_mass_properties mass; // of rigid bodies, in the body's frame
    sn_transform frame;      // of the body in the world
    sn_plan_hold hold;
    int parent;        // body, -1: the world
    int joint;         // of SN_HOLD_JOINT
    bool reversed;     // the body is that joint's parent
    sn_transform link; // the link's frame in the body's: where it hangs on its joint
    int tree;          // bodies with the same number hang together
    bool reached;
} sn_plan_body;

typedef struct sn_plan_joint {
    sn_joint_def def;   // without handles
    bool used;          // a body hangs on it
    double position[6]; // at the start, of joints in use
    int leader;         // it follows this joint, -1: none
    double multiplier, offset;
} sn_plan_joint;

typedef struct sn_plan {
    const sn_scene *scene;
    sn_plan_body *bodies;
    sn_plan_joint *joints;
    int *order; // bodies, parents first
    int count;
    sn_motion **motions; // none: their values do not matter here
    bool *coupled;       // of each coupling: some joint follows by it
} sn_plan;

// Refused when a body hangs only on joints that URDF has no word for.
sn_status sn_plan_make(const sn_scene *scene, sn_plan *plan, sn_error *error);
void sn_plan_free(sn_plan *plan);

// Does URDF have a word for it?
bool sn_plan_can_say(sn_joint_type type);

// The joint's frames on the link that a body hangs on, and on the body itself.
sn_transform sn_plan_frame_above(const sn_plan *plan, int body);
sn_transform sn_plan_frame_below(const sn_plan *plan, int body);

#endif
