// Shapes of a scene as the shapes and meshes of the engine.
#ifndef SN_SCENE_SHAPE_MESH_H
#define SN_SCENE_SHAPE_MESH_H

#include "scene/surface_note.h"

// Does this variant end up as a mesh?
bool sn_shape_item_is_mesh(const sn_shape_item *shape);

// Makes the mesh of a mesh variant: imports, generates or takes what is written out. Closed, or
// repaired to be so, unless it `may_end` or is only drawn; `notes` has what was done and what is
// worth a note.
sn_status sn_shape_item_mesh(const sn_scene *scene, const sn_shape_item *shape, bool may_end,
                             sn_mesh **mesh, sn_surface_notes *notes, sn_error *error);

// The mesh's vertices in a fixed order (by x, y, z), for the caller to free; NULL when memory runs
// out. The hull of a file is that of its own corners in this order, so that a text which lists them
// gives the same.
sn_vec3 *sn_sorted_corners(const sn_mesh *mesh);

// An outline and its holes one after the other, as geometry.h wants them. False: no memory; freed
// in both cases.
typedef struct sn_flat_outline {
    sn_vec2 *points;
    int *sizes;
    sn_outline outline;
} sn_flat_outline;

bool sn_flat_outline_make(const sn_vector_list *edge, const sn_loop_list *holes,
                          sn_flat_outline *flat);
void sn_flat_outline_free(sn_flat_outline *flat);

// How it touches others: the shape's own word, else its material's, else the body's material's.
sn_surface sn_shape_item_surface(const sn_body_item *body, const sn_shape_item *shape);

// The engine's shape; its mesh or height field is borrowed from the item.
sn_shape sn_shape_item_shape(const sn_body_item *body, const sn_shape_item *shape);

#endif
