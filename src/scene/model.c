#include "scene/model.h"

#include <stdio.h>

#include "base/error.h"
#include "math/rotation.h"

const sn_item_list *sn_body_item_shapes(const sn_body_item *body)
{
    return body->display.count > 0 ? &body->display
           : body->shape.count > 0 ? &body->shape
                                   : &body->shapes;
}

bool sn_item_gives(const sn_item *item, const char *key)
{
    int index = sn_object_find_key(item->table, key);
    return index >= 0 && item->places != NULL && item->places[index].line > 0;
}

void sn_item_mark_given(sn_item *item, int key)
{
    if (item->places[key].line == 0) {
        item->places[key] = (sn_place){.source = item->place.source, .line = 1, .column = 1};
    }
}

const sn_item *sn_item_of_freedom(const sn_item_list *list, int freedom)
{
    const sn_freedom_item *first = list->count > 0 ? (const sn_freedom_item *)list->data[0] : NULL;
    if (first != NULL && first->freedom == 0) {
        int index = list->single ? 0 : freedom;
        return index < list->count ? list->data[index] : NULL;
    }
    for (int i = 0; i < list->count && first != NULL; ++i) {
        if (((const sn_freedom_item *)list->data[i])->freedom == freedom + 1) {
            return list->data[i];
        }
    }
    return NULL;
}

sn_place sn_item_place(const sn_item *item, const char *key)
{
    int index = sn_object_find_key(item->table, key);
    return sn_item_gives(item, key) ? item->places[index] : item->place;
}

const char *sn_place_text(const sn_scene *scene, sn_place place, char text[SN_PLACE_SIZE])
{
    const char *name =
        place.source < scene->sources.count ? scene->sources.data[place.source].name : "";
    if (place.line > 0) {
        snprintf(text, SN_PLACE_SIZE, "%.250s:%d:%d", name, place.line, place.column);
    } else {
        snprintf(text, SN_PLACE_SIZE, "%.250s", name);
    }
    return text;
}

sn_status sn_place_error(const sn_scene *scene, sn_place place, sn_status status, sn_error *error)
{
    if (status != SN_OK && status != SN_ERROR_MEMORY && error != NULL) {
        sn_error inner = *error;
        char text[SN_PLACE_SIZE];
        sn_fail(error, inner.code, sn_place_text(scene, place, text), "%s%s%s", inner.place,
                inner.place[0] != '\0' ? ": " : "", inner.text);
    }
    return status;
}

sn_place sn_expression_place(sn_place place, const char *text, bool exact_columns, int offset)
{
    if (exact_columns) {
        place.column += 2;
        for (int i = 0; i < offset && text[i] != '\0'; ++i) {
            place.column += (text[i] & 0xc0) != 0x80;
        }
    }
    return place;
}

int sn_statement_item_freedom(const sn_statement_item *statement)
{
    return statement->freedom > 0 ? statement->freedom - 1 : 0;
}

bool sn_behaviour_item_is_active(const sn_behaviour_item *behaviour)
{
    return sn_item_gives(&behaviour->item, "active") ? behaviour->active : behaviour->on == NULL;
}

bool sn_body_item_may_be(const sn_body_item *body, int type)
{
    return body->type == type || body->item.faulty;
}

bool sn_item_is_shape(const sn_item *item)
{
    for (int i = 0; i < sn_table_shapes.variant_count; ++i) {
        if (item->table == sn_table_shapes.variants[i]) {
            return true;
        }
    }
    return false;
}

sn_quat sn_rotation_value_quat(const sn_rotation_value *rotation)
{
    const double *n = rotation->numbers;
    sn_quat q = SN_QUAT_IDENTITY;
    switch (rotation->kind) {
    case SN_ROTATION_NONE:
        return q;
    case SN_ROTATION_QUATERNION:
        q = (sn_quat){n[0], n[1], n[2], n[3]};
        break;
    case SN_ROTATION_AXIS:
        q = sn_quat_from_axis_angle(sn_normalize(sn_vec3_make(n[0], n[1], n[2])), n[3]);
        break;
    case SN_ROTATION_EULER:
        q = sn_quat_from_euler_xyz(sn_vec3_make(n[0], n[1], n[2]));
        break;
    }
    return sn_quat_normalize(q);
}

sn_rotation_value sn_rotation_value_from(sn_quat q)
{
    return (sn_rotation_value){SN_ROTATION_QUATERNION, {q.w, q.x, q.y, q.z}};
}
