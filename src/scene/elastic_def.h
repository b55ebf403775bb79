// An elastic body of the scene as the world's definition of it.
#ifndef SN_SCENE_ELASTIC_DEF_H
#define SN_SCENE_ELASTIC_DEF_H

#include "scene/model.h"

// What a def refers to; freed with sn_elastic_parts_free, also after a failure.
typedef struct sn_elastic_parts {
    sn_elastic_material *materials;
    int *fixed;
    sn_mesh *display;
    sn_look *looks;
} sn_elastic_parts;

// Once its mesh is made. Choices that hold no vertex and damping that would drive are refused, with
// the place.
sn_status sn_body_item_elastic(const sn_scene *scene, const sn_body_item *body,
                               sn_elastic_parts *parts, sn_elastic_def *def, sn_error *error);
void sn_elastic_parts_free(sn_elastic_parts *parts);

// Marks the vertices that choices hold; a choice that holds none is an error with its place, which
// names `who`.
sn_status sn_mark_choices(const sn_scene *scene, const char *who, const sn_item_list *choices,
                          const sn_tetrahedra *mesh, uint8_t *marks, sn_error *error);

// How its skin touches: the surface's own word, else the material's.
sn_surface sn_body_item_surface(const sn_body_item *body);

#endif
