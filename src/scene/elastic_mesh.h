// Meshes of elastic bodies: generated, read or written out.
#ifndef SN_SCENE_ELASTIC_MESH_H
#define SN_SCENE_ELASTIC_MESH_H

#include "scene/model.h"

// The mesh of an elastic body; NULL: it names none.
sn_tetrahedra_item *sn_body_item_mesh(const sn_body_item *body);

// Elements that a generator would make, about; 0 where the file or the list decides.
double sn_tetrahedra_item_elements(const sn_tetrahedra_item *item);

// More vertices than these are not drawn in place of the body's own.
enum { SN_SEEN_VERTICES = 20000 };

// What is left of a surface that was filled.
typedef struct sn_filled_surface {
    sn_tetrahedra_fill_report report; // 0: none was
    sn_mesh *surface;                 // to be seen in place of the body's own; NULL: none
} sn_filled_surface;

// Makes it, with `nodes` nodes an element; 0: as many as it has.
sn_status sn_tetrahedra_item_make(const sn_scene *scene, const sn_tetrahedra_item *item, int nodes,
                                  sn_tetrahedra **made, sn_filled_surface *filled, sn_error *error);

#endif
