// Bodies that a hand moves while time stands still; the function itself is sn_body_place_point of
// sinew/world.h.
#ifndef SN_STATICS_PLACE_H
#define SN_STATICS_PLACE_H

#include "model/world.h"

// Moves a mechanism from where it stands so that a point of one of its parts comes as near to
// `target` as joints, ties and hard limits allow; it is at rest then. `local`: in the part's frame.
// SN_ERROR_MEMORY, or SN_ERROR_ARGUMENT for a freedom that has nothing to move.
sn_status sn_world_place_mechanism(sn_world *world, sn_agent_ref part, sn_vec3 local,
                                   sn_vec3 target, sn_error *error);

// Bends an elastic body from where it stands so that a point of it (as at rest) comes to `target`:
// fixed vertices and those of bonds stay, and so does whatever it is bonded to; it is at rest then.
// The body must have a linear system (of an implicit integrator).
sn_status sn_world_bend_elastic(sn_world *world, int agent, sn_vec3 local, sn_vec3 target,
                                sn_error *error);

#endif
