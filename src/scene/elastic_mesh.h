// Meshes of elastic bodies: generated, read or written out.
#ifndef SN_SCENE_ELASTIC_MESH_H
#define SN_SCENE_ELASTIC_MESH_H

#include "scene/model.h"

// The mesh of an elastic body; NULL: it names none.
sn_tetrahedra_item *sn_body_item_mesh(const sn_body_item *body);

// Elements that a generator would make, about; 0 where the file or the list decides.
double sn_tetrahedra_item_elements(const sn_tetrahedra_item *item);

// Makes it, with `nodes` nodes an element; 0: as many as it has. What `report` says is 0 unless a
// surface was filled.
sn_status sn_tetrahedra_item_make(const sn_scene *scene, const sn_tetrahedra_item *item, int nodes,
                                  sn_tetrahedra **made, sn_tetrahedra_fill_report *report,
                                  sn_error *error);

#endif
