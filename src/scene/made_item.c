#include "scene/made_item.h"

#include "base/memory.h"
#include "scene/parse.h"

void sn_made_give(sn_item *item, const char *key, sn_place place)
{
    item->places[sn_object_find_key(item->table, key)] = place;
}

sn_item *sn_made_item(sn_scene *scene, const sn_object *table, sn_item_list *list, sn_place place)
{
    sn_item *item = sn_arena_allocate(&scene->arena, table->size);
    if (item == NULL ||
        !sn_array_grow((void **)&list->data, &list->capacity, sizeof(void *), list->count + 1)) {
        return NULL;
    }
    list->data[list->count++] = item;
    item->place = place;
    return sn_item_prepare(scene, table, item) ? item : NULL;
}

void sn_made_give_list(sn_scene *scene, const char *key, sn_place place)
{
    if (!sn_item_gives(&scene->root.item, key)) {
        sn_made_give(&scene->root.item, key, place);
    }
}

const sn_object *sn_made_shape_table(int type)
{
    int i = 0;
    while (sn_table_shapes.variants[i]->id != type) {
        i += 1;
    }
    return sn_table_shapes.variants[i];
}

bool sn_made_quantity(sn_scene *scene, sn_joint_item *joint, const char *key,
                      sn_quantity_list *list, double number, sn_place place)
{
    sn_quantity_value *data = sn_arena_allocate(&scene->arena, sizeof *data);
    sn_place *places = sn_arena_allocate(&scene->arena, sizeof *places);
    if (data == NULL || places == NULL) {
        return false;
    }
    data->number = number;
    *places = place;
    *list = (sn_quantity_list){data, places, 1, true};
    sn_made_give(&joint->item, key, place);
    return true;
}
