// Elastic bodies whose numbers have lost their meaning.
#ifndef SN_WORLD_EXPLOSION_H
#define SN_WORLD_EXPLOSION_H

#include "model/world.h"

// ---- explosion.c ----

// Whether what elastic bodies came to in a step of h can be: SN_ERROR_DIVERGED, or told in the
// report, whose `inverted` is known.
sn_status sn_world_check_explosions(sn_world *world, double h, sn_error *error);

#endif
