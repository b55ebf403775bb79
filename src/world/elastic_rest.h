// Equilibrium and modes (sinew/mechanics.h) of worlds in which elastic bodies alone move.
#ifndef SN_WORLD_ELASTIC_REST_H
#define SN_WORLD_ELASTIC_REST_H

#include "sinew/mechanics.h"

// Brings a world up to date before its statics are asked for.
sn_status sn_world_prepare_statics(sn_world *world, sn_error *error);

sn_status sn_world_elastic_equilibrium(sn_world *world, const sn_equilibrium_def *def,
                                       sn_equilibrium *equilibrium, sn_error *error);
sn_status sn_world_elastic_modes(sn_world *world, sn_modes *modes, sn_error *error);
sn_status sn_world_elastic_swing(sn_world *world, const sn_modes *modes, int mode, double shift,
                                 double rate, sn_error *error);

#endif
