#include "scene/load_def.h"

#include "base/error.h"
#include "base/memory.h"
#include "scene/elastic_def.h"

static sn_status add(const sn_scene *scene, const sn_field_item *item, sn_load_def *def,
                     uint8_t *marks, int *vertices, sn_world *world, sn_field *field,
                     sn_error *error)
{
    const sn_tetrahedra *mesh = sn_body_tetrahedra(world, def->body);
    sn_status status = sn_mark_choices(scene, item->name, &item->load.vertices, mesh, marks, error);
    for (int i = 0; i < sn_tetrahedra_vertex_count(mesh) && status == SN_OK; ++i) {
        if (marks[i]) {
            vertices[def->vertex_count++] = i;
        }
    }
    def->vertices = vertices;
    return status == SN_OK ? sn_place_error(scene, item->item.place,
                                            sn_world_add_load(world, def, field, error), error)
                           : status;
}

sn_status sn_load_item_add(const sn_scene *scene, const sn_field_item *item, sn_body body,
                           sn_world *world, sn_field *field, sn_error *error)
{
    sn_load_def def = sn_default_load_def();
    def.name = item->name;
    def.body = body;
    def.force = item->load.force;
    def.moment = item->load.moment;
    def.follows = item->load.follows;
    size_t count = (size_t)sn_body_vertex_count(world, body);
    uint8_t *marks = sn_allocate_zero(count + 1);
    int *vertices = sn_allocate((count + 1) * sizeof *vertices);
    sn_status status = marks != NULL && vertices != NULL
                           ? add(scene, item, &def, marks, vertices, world, field, error)
                           : sn_fail_memory(error, count * sizeof *vertices);
    sn_free(marks);
    sn_free(vertices);
    return status;
}
