// Equilibrium and modes (sinew/mechanics.h) of worlds with elastic bodies.
#ifndef SN_STATICS_ELASTIC_REST_H
#define SN_STATICS_ELASTIC_REST_H

#include "elastic/spectrum.h"
#include "sinew/mechanics.h"

struct sn_rest;

// Brings a world up to date before its statics are asked for.
sn_status sn_world_prepare_statics(sn_world *world, sn_error *error);

sn_status sn_world_elastic_equilibrium(sn_world *world, const sn_equilibrium_def *def,
                                       sn_equilibrium *equilibrium, sn_error *error);

// ---- rest_modes.c ----
sn_status sn_world_elastic_modes(sn_world *world, sn_modes *modes, sn_error *error);
sn_status sn_world_elastic_swing(sn_world *world, const sn_modes *modes, int mode, double shift,
                                 double rate, sn_error *error);

// The slowest vibrations where the system was linearised last, by differences of order 4. Values
// are those of K itself; types (count) tell which of them are zero but for rounding.
sn_status sn_rest_vibrations(struct sn_rest *rest, int count, sn_spectrum *spectrum,
                             sn_mode_type *types, sn_error *error);

#endif
