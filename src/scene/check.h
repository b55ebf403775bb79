// What the table cannot say: references, unique names, and numbers that must fit together.
#ifndef SN_SCENE_CHECK_H
#define SN_SCENE_CHECK_H

#include "scene/model.h"

// Names and references, which no param can change; fills in what they refer to.
sn_status sn_check_structure(sn_scene *scene, sn_error_list *errors);

// Numbers that must fit together; asked again whenever a param has changed.
sn_status sn_check_values(const sn_scene *scene, sn_error_list *errors);

// Makes the meshes into next_mesh: all, or (`again`) those that depend on expressions.
sn_status sn_check_meshes(sn_scene *scene, bool again, sn_error_list *errors);

// Exchanges mesh and next_mesh where there is one; frees every next_mesh.
void sn_swap_meshes(sn_scene *scene);
void sn_drop_meshes(sn_scene *scene);

// Every body's mass, once its meshes are there.
sn_status sn_check_masses(const sn_scene *scene, sn_error_list *errors);

// Whether joints and bonds can be put together where the bodies stand, once their masses are sound.
sn_status sn_check_assembly(const sn_scene *scene, sn_error_list *errors);

#endif
