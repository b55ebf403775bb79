// Bonds of the scene in its world.
#ifndef SN_SCENE_BOND_DEF_H
#define SN_SCENE_BOND_DEF_H

#include "scene/model.h"

// Adds all bonds to a world that has the scene's bodies, where they start. Choices that hold
// nothing are refused, with the place.
sn_status sn_bonds_build(const sn_scene *scene, sn_world *world, sn_error *error);

// The numbers of the bonds, as params have changed them.
sn_status sn_bonds_update(const sn_scene *scene, sn_world *world, sn_error *error);

#endif
