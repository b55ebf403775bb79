// Events: quantities that pass a threshold. Staged groups locate theirs by root finding; the others
// are watched from step to step.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "bond/bond.h"
#include "model/world.h"
#include "probe/event.h"
#include "probe/reading.h"

sn_event_def sn_default_event_def(void)
{
    return (sn_event_def){.probe = {.quantity = SN_QUANTITY_POSITION_Z}};
}

static sn_event_record *find(const sn_world *world, sn_event event)
{
    sn_id id = {event.index, event.generation};
    return sn_id_pool_has(&world->event_ids, id) ? &world->events.data[event.index] : NULL;
}

double sn_world_event_value(const sn_world *world, const sn_event_record *event)
{
    return sn_probe_read(world, &event->def.probe) - event->def.threshold;
}

// ---- adding and removing ----

static sn_status check_event(const sn_world *world, const sn_event_def *def, sn_error *error)
{
    const char *name = def->name != NULL ? def->name : "unnamed event";
    if (def->name != NULL && def->name[0] != '\0' &&
        sn_name_table_find(&world->event_names, def->name) != 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "there is an event of this name already; names must be unique");
    }
    sn_error inner = {0};
    if (sn_probe_check(world, &def->probe, &inner) != SN_OK) {
        return sn_fail(error, inner.code, name, "%s", inner.text);
    }
    if (!isfinite(def->threshold)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "the threshold is not finite");
    }
    if ((unsigned)def->direction > SN_DIRECTION_FALLING || (unsigned)def->action > SN_EVENT_START) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "direction %d or action %d is none of those there are", (int)def->direction,
                       (int)def->action);
    }
    return SN_OK;
}

sn_status sn_world_add_event(sn_world *world, const sn_event_def *def, sn_event *event,
                             sn_error *error)
{
    *event = (sn_event){0};
    sn_status status = sn_world_check_still(world, error);
    if (status == SN_OK) {
        status = check_event(world, def, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_event_record record = {.def = *def, .value = NAN, .group = -1};
    record.def.name = NULL;
    sn_id id = sn_id_pool_take(&world->event_ids);
    if (id.index == 0) {
        return sn_fail_memory(error, sizeof record);
    }
    int old = world->events.count;
    record.name = sn_world_make_name(world, &world->event_names, def->name, "event");
    bool made = record.name != NULL && sn_world_add_reading(world, &def->probe) &&
                ((int)id.index < old || sn_array_resize(&world->events, (int)id.index + 1));
    if (made && (int)id.index >= old) {
        memset(&world->events.data[old], 0, (size_t)((int)id.index + 1 - old) * sizeof record);
    }
    made = made && sn_array_reserve(&world->event_order, world->event_order.count + 1) &&
           sn_name_table_put(&world->event_names, record.name, id.index);
    if (!made) {
        sn_free(record.name);
        sn_id_pool_give(&world->event_ids, id);
        return sn_fail_memory(error, sizeof record);
    }
    world->events.data[id.index] = record;
    world->event_order.data[world->event_order.count++] = id.index;
    world->groups_current = false;
    *event = (sn_event){id.index, id.generation};
    return SN_OK;
}

// ---- watching ----

sn_status sn_world_log_event(sn_world *world, uint32_t event, double time, int direction,
                             sn_error *error)
{
    sn_event_entry entry = {{event, world->event_ids.generation.data[event]}, time, direction};
    if (!sn_array_push(&world->event_log, entry)) {
        return sn_fail_memory(error, sizeof entry);
    }
    // Events of one step are found group by group and told in order of time.
    sn_event_entry *log = world->event_log.data;
    int at = world->event_log.count - 1;
    for (; at > world->logged && log[at - 1].time > time; --at) {
        log[at] = log[at - 1];
    }
    log[at] = entry;
    world->stopped = world->stopped || world->events.data[event].def.action == SN_EVENT_STOP;
    return SN_OK;
}

static int side_of(const sn_event_record *event, double value)
{
    return (value > event->band) - (value < -event->band);
}

// Has a behaviour just broken the bond whose breaking this is?
static bool is_torn(const sn_world *world, const sn_event_record *event)
{
    const sn_bond_record *bond = sn_world_bond_record(world, event->def.probe.bond);
    return bond != NULL && event->def.probe.quantity == SN_QUANTITY_BOND_BROKEN &&
           bond->load.broken && !bond->was_broken;
}

void sn_world_start_events(sn_world *world)
{
    world->stopped = false;
    for (int i = 0; i < world->event_order.count; ++i) {
        sn_event_record *event = &world->events.data[world->event_order.data[i]];
        double value = sn_world_event_value(world, event);
        // Not what the last step left: changed from outside, which is no crossing.
        if (value != event->value && !is_torn(world, event)) {
            event->value = value;
            event->side = side_of(event, value);
        }
        event->step_side = event->side;
    }
}

static sn_status finish_watched(sn_world *world, uint32_t index, double start_time, sn_error *error)
{
    sn_event_record *event = &world->events.data[index];
    double before = event->value, after = sn_world_event_value(world, event);
    int side = side_of(event, after);
    bool crossed = event->side * side < 0;
    bool wanted = event->def.direction == SN_DIRECTION_BOTH ||
                  (event->def.direction == SN_DIRECTION_RISING) == (side > 0);
    event->step_side = side != 0 ? side : event->side;
    if (!crossed || !wanted) {
        return SN_OK;
    }
    // Where the straight line passes zero; a step that starts there or beyond passes it at once.
    double share = before * side < 0.0 ? before / (before - after) : 0.0;
    double time = start_time + share * (world->time - start_time);
    const sn_bond_record *bond = sn_world_bond_record(world, event->def.probe.bond);
    if (bond != NULL && event->def.probe.quantity == SN_QUANTITY_BOND_BROKEN) {
        time = fmin(fmax(bond->load.break_time, start_time), world->time);
    }
    return sn_world_log_event(world, index, time, side, error);
}

sn_status sn_world_finish_events(sn_world *world, double start_time, sn_error *error)
{
    for (int i = 0; i < world->event_order.count; ++i) {
        uint32_t index = world->event_order.data[i];
        bool watched = world->events.data[index].group < 0;
        sn_status status = watched ? finish_watched(world, index, start_time, error) : SN_OK;
        if (status != SN_OK) {
            return status;
        }
    }
    // Only now can the step no longer fail.
    for (int i = 0; i < world->event_order.count; ++i) {
        sn_event_record *event = &world->events.data[world->event_order.data[i]];
        event->value = sn_world_event_value(world, event);
        event->side = event->step_side;
    }
    return SN_OK;
}

// ---- state ----

// What the next step compares with. Not known is written as 0 and flagged: states are finite.
void sn_world_walk_events(sn_world *world, sn_state_walk *walk)
{
    for (int i = 0; i < world->event_order.count; ++i) {
        sn_event_record *event = &world->events.data[world->event_order.data[i]];
        bool known = isfinite(event->value);
        double value = known ? event->value : 0.0;
        sn_state_flag(walk, &known);
        sn_state_numbers(walk, &value, 1);
        sn_state_whole(walk, &event->side);
        if (walk->mode == SN_STATE_LOAD) {
            event->value = known ? value : NAN;
            event->side = (event->side > 0) - (event->side < 0);
        }
    }
}

// ---- reading ----

sn_event sn_world_find_event(const sn_world *world, const char *name)
{
    uint32_t index = sn_name_table_find(&world->event_names, name);
    return index != 0 ? (sn_event){index, world->event_ids.generation.data[index]} : (sn_event){0};
}

const char *sn_event_name(const sn_world *world, sn_event event)
{
    const sn_event_record *record = find(world, event);
    return record != NULL ? record->name : "";
}

int sn_world_event_count(const sn_world *world)
{
    return world->event_log.count;
}

sn_event_entry sn_world_event_entry(const sn_world *world, int index)
{
    bool there = index >= 0 && index < world->event_log.count;
    return there ? world->event_log.data[index] : (sn_event_entry){0};
}

bool sn_world_stopped(const sn_world *world)
{
    return world->stopped;
}
