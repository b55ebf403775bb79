// The list of events: what goes with a body, field, joint or bond, freeing and copying.
#include "base/memory.h"
#include "model/world.h"

void sn_world_drop_event(sn_world *world, uint32_t index)
{
    sn_event_record *record = &world->events.data[index];
    sn_name_table_remove(&world->event_names, record->name);
    sn_free(record->name);
    *record = (sn_event_record){0};
    sn_world_drop_index(world->event_order.data, &world->event_order.count, index);
    sn_id_pool_give(&world->event_ids, (sn_id){index, world->event_ids.generation.data[index]});
    world->groups_current = false;
}

void sn_world_remove_events_of(sn_world *world, sn_body body, sn_field field)
{
    for (int i = world->event_order.count - 1; i >= 0; --i) {
        uint32_t index = world->event_order.data[i];
        const sn_event_record *record = &world->events.data[index];
        bool names = (body.index != 0 && record->def.probe.body.index == body.index) ||
                     (field.index != 0 && record->def.probe.field.index == field.index);
        if (names) {
            sn_world_drop_event(world, index);
        }
    }
}

void sn_world_remove_events_of_joint(sn_world *world, sn_joint joint)
{
    for (int i = world->event_order.count - 1; i >= 0; --i) {
        uint32_t index = world->event_order.data[i];
        if (world->events.data[index].def.probe.joint.index == joint.index) {
            sn_world_drop_event(world, index);
        }
    }
}

void sn_world_remove_events_of_bond(sn_world *world, uint32_t bond)
{
    for (int i = world->event_order.count - 1; i >= 0; --i) {
        uint32_t index = world->event_order.data[i];
        if (world->events.data[index].def.probe.bond.index == bond) {
            sn_world_drop_event(world, index);
        }
    }
}

void sn_world_free_events(sn_world *world)
{
    for (int i = 0; i < world->events.count; ++i) {
        sn_free(world->events.data[i].name);
    }
    sn_array_free(&world->events);
    sn_array_free(&world->event_order);
    sn_array_free(&world->event_log);
    sn_array_free(&world->readings);
    sn_name_table_free(&world->event_names);
    sn_id_pool_free(&world->event_ids);
}

bool sn_world_copy_events(const sn_world *world, sn_world *copy)
{
    int count = world->events.count, logged = world->event_log.count;
    if (count == 0) {
        return true;
    }
    if (!sn_id_pool_copy(&world->event_ids, &copy->event_ids) ||
        !sn_array_resize(&copy->events, count) ||
        !sn_array_resize(&copy->event_order, world->event_order.count) ||
        !sn_array_resize(&copy->event_log, logged)) {
        copy->events.count = 0;
        return false;
    }
    memset(copy->events.data, 0, (size_t)count * sizeof *copy->events.data);
    if (logged > 0) {
        memcpy(copy->event_log.data, world->event_log.data,
               (size_t)logged * sizeof *world->event_log.data);
    }
    for (int i = 0; i < world->event_order.count; ++i) {
        uint32_t index = world->event_order.data[i];
        sn_event_record *record = &copy->events.data[index];
        *record = world->events.data[index];
        record->name = sn_copy_text(world->events.data[index].name);
        copy->event_order.data[i] = index;
        if (record->name == NULL || !sn_name_table_put(&copy->event_names, record->name, index)) {
            return false;
        }
    }
    return true;
}
