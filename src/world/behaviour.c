// Behaviours: users' functions that act at the start of a step.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/world.h"
#include "world/behaviour.h"

// A behaviour's numbers in the world's list of them, before its memory.
enum { ACTIVE, STARTED, TICKS, MEMORY };

sn_behaviour_def sn_default_behaviour_def(void)
{
    return (sn_behaviour_def){.active = true};
}

static sn_behaviour_record *find(const sn_world *world, sn_behaviour behaviour)
{
    bool there = behaviour.generation == 1 && behaviour.index > 0 &&
                 behaviour.index <= (uint32_t)world->behaviours.count;
    return there ? &world->behaviours.data[behaviour.index - 1] : NULL;
}

static sn_behaviour handle_of(int order)
{
    return (sn_behaviour){(uint32_t)order + 1, 1};
}

static double *numbers_of(const sn_world *world, const sn_behaviour_record *record)
{
    return world->behaviour_state.data + record->first;
}

static bool is_active(const sn_world *world, const sn_behaviour_record *record)
{
    return numbers_of(world, record)[ACTIVE] != 0.0;
}

// ---- adding ----

static sn_status check_def(const sn_world *world, const sn_behaviour_def *def, sn_error *error)
{
    const char *name = def->name != NULL && def->name[0] != '\0' ? def->name : "unnamed behaviour";
    if (sn_name_table_find(&world->behaviour_names, name) != 0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "there is a behaviour of this name already; names must be unique");
    }
    if (def->act == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "it has no function to act with");
    }
    if ((def->copy == NULL) != (def->destroy == NULL)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "it has one of `copy` and `destroy`, expected both or none");
    }
    if (!(def->period >= 0.0) || !isfinite(def->period)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "its period is %g s, expected 0 or more",
                       def->period);
    }
    if (def->on.index != 0 && sn_event_name(world, def->on)[0] == '\0') {
        return sn_fail(error, SN_ERROR_HANDLE, name, "the event it waits for does not exist");
    }
    if (def->parent.index != 0 && find(world, def->parent) == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, name,
                       "its parent does not exist; parents are added before their children");
    }
    if (def->memory_count < 0 || def->memory_count > SN_BEHAVIOUR_MEMORY_LIMIT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "it asks for %d numbers of memory, expected 0 to %d", def->memory_count,
                       SN_BEHAVIOUR_MEMORY_LIMIT);
    }
    for (int i = 0; def->memory != NULL && i < def->memory_count; ++i) {
        if (!isfinite(def->memory[i])) {
            return sn_fail(error, SN_ERROR_ARGUMENT, name,
                           "number %d of its memory is not finite at first", i);
        }
    }
    return SN_OK;
}

sn_status sn_world_add_behaviour(sn_world *world, const sn_behaviour_def *def,
                                 sn_behaviour *behaviour, sn_error *error)
{
    *behaviour = (sn_behaviour){0};
    sn_status status = sn_world_check_still(world, error);
    status = status == SN_OK ? check_def(world, def, error) : status;
    if (status != SN_OK) {
        return status;
    }
    int order = world->behaviours.count, first = world->behaviour_state.count;
    int size = MEMORY + def->memory_count;
    sn_behaviour_record record = {.def = *def, .first = first};
    record.def.name = NULL;
    record.def.memory = NULL;
    record.name = sn_world_make_name(world, &world->behaviour_names, def->name, "behaviour");
    bool made = record.name != NULL && sn_array_reserve(&world->behaviours, order + 1) &&
                sn_array_reserve(&world->behaviour_state, first + size) &&
                sn_name_table_put(&world->behaviour_names, record.name, (uint32_t)order + 1);
    if (!made) {
        sn_free(record.name);
        return sn_fail_memory(error, (size_t)size * sizeof(double));
    }
    world->behaviours.data[world->behaviours.count++] = record;
    world->behaviour_state.count += size;
    double *numbers = numbers_of(world, &record);
    memset(numbers, 0, (size_t)size * sizeof *numbers);
    if (def->memory != NULL && def->memory_count > 0) {
        memcpy(numbers + MEMORY, def->memory, (size_t)def->memory_count * sizeof *numbers);
    }
    const sn_behaviour_record *parent = find(world, def->parent);
    numbers[ACTIVE] = def->active && (parent == NULL || is_active(world, parent));
    numbers[STARTED] = world->time;
    *behaviour = handle_of(order);
    return SN_OK;
}

void sn_world_free_behaviours(sn_world *world)
{
    for (int i = 0; i < world->behaviours.count; ++i) {
        sn_behaviour_record *record = &world->behaviours.data[i];
        if (record->def.destroy != NULL) {
            record->def.destroy(record->def.user);
        }
        sn_free(record->name);
    }
    sn_array_free(&world->behaviours);
    sn_array_free(&world->behaviour_state);
    sn_name_table_free(&world->behaviour_names);
}

bool sn_world_copy_behaviours(const sn_world *world, sn_world *copy)
{
    int count = world->behaviours.count, size = world->behaviour_state.count;
    if (count == 0) {
        return true;
    }
    if (!sn_array_reserve(&copy->behaviours, count) ||
        !sn_array_resize(&copy->behaviour_state, size)) {
        return false;
    }
    memcpy(copy->behaviour_state.data, world->behaviour_state.data, (size_t)size * sizeof(double));
    for (int i = 0; i < count; ++i) {
        sn_behaviour_record record = world->behaviours.data[i];
        record.name = sn_copy_text(record.name);
        if (record.name == NULL ||
            !sn_name_table_put(&copy->behaviour_names, record.name, (uint32_t)i + 1)) {
            sn_free(record.name);
            return false;
        }
        bool owned = record.def.copy != NULL;
        record.def.user = owned ? record.def.copy(record.def.user) : record.def.user;
        bool made = !owned || record.def.user != NULL;
        record.def.destroy = made ? record.def.destroy : NULL;
        copy->behaviours.data[copy->behaviours.count++] = record;
        if (!made) {
            return false;
        }
    }
    return true;
}

// ---- starting and stopping ----

static void start(sn_world *world, int order)
{
    for (int i = order; i < world->behaviours.count; ++i) {
        const sn_behaviour_record *record = &world->behaviours.data[i];
        double *numbers = numbers_of(world, record);
        const sn_behaviour_record *parent = find(world, record->def.parent);
        // Children come after their parents, so that one pass brings back the whole tree.
        bool wakes = i == order || (parent != NULL && parent->woken && record->def.active);
        world->behaviours.data[i].woken = wakes && numbers[ACTIVE] == 0.0;
        if (world->behaviours.data[i].woken) {
            numbers[ACTIVE] = 1.0;
            numbers[STARTED] = world->time;
            numbers[TICKS] = 0.0;
        }
    }
    for (int i = order; i < world->behaviours.count; ++i) {
        world->behaviours.data[i].woken = false;
    }
}

static void stop(sn_world *world, int order)
{
    numbers_of(world, &world->behaviours.data[order])[ACTIVE] = 0.0;
    for (int i = order + 1; i < world->behaviours.count; ++i) {
        const sn_behaviour_record *record = &world->behaviours.data[i];
        const sn_behaviour_record *parent = find(world, record->def.parent);
        if (parent != NULL && !is_active(world, parent)) {
            numbers_of(world, record)[ACTIVE] = 0.0;
        }
    }
}

static sn_status check_steered(const sn_world *world, const sn_behaviour_record *record,
                               sn_error *error)
{
    return record != NULL ? sn_world_check_steering(world, error)
                          : sn_fail(error, SN_ERROR_HANDLE, NULL, "the behaviour does not exist");
}

sn_status sn_behaviour_start(sn_world *world, sn_behaviour behaviour, sn_error *error)
{
    const sn_behaviour_record *record = find(world, behaviour);
    sn_status status = check_steered(world, record, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_behaviour_record *parent = find(world, record->def.parent);
    if (parent != NULL && !is_active(world, parent)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, record->name,
                       "it cannot be started while its parent '%s' is stopped", parent->name);
    }
    start(world, (int)behaviour.index - 1);
    return SN_OK;
}

sn_status sn_behaviour_stop(sn_world *world, sn_behaviour behaviour, sn_error *error)
{
    sn_status status = check_steered(world, find(world, behaviour), error);
    if (status == SN_OK) {
        stop(world, (int)behaviour.index - 1);
    }
    return status;
}

void sn_world_wake_behaviours(sn_world *world)
{
    for (int k = world->logged; k < world->event_log.count; ++k) {
        sn_event happened = world->event_log.data[k].event;
        for (int i = 0; i < world->behaviours.count; ++i) {
            const sn_behaviour_record *record = &world->behaviours.data[i];
            const sn_behaviour_record *parent = find(world, record->def.parent);
            if (record->def.on.index == happened.index &&
                record->def.on.generation == happened.generation &&
                (parent == NULL || is_active(world, parent))) {
                start(world, i);
            }
        }
    }
}

// ---- acting ----

// A step start this small a share of the step before a multiple of the period is at it: clocks are
// rounded.
#define PUNCTUALITY 1e-6

static bool is_due(const sn_world *world, const sn_behaviour_record *record, double h)
{
    const double *numbers = numbers_of(world, record);
    double next = numbers[STARTED] + numbers[TICKS] * record->def.period;
    return numbers[ACTIVE] != 0.0 && world->time + PUNCTUALITY * h >= next;
}

// The next multiple after now; those that a long step has passed over are left out.
static void count_tick(const sn_world *world, const sn_behaviour_record *record, double h)
{
    double *numbers = numbers_of(world, record), period = record->def.period;
    if (period > 0.0) {
        double passed = world->time + PUNCTUALITY * h - numbers[STARTED];
        double ticks = floor(passed / period) + 1.0;
        numbers[TICKS] = ticks > numbers[TICKS] ? ticks : numbers[TICKS] + 1.0;
    }
}

// A place of its own (a script's line) stays; else the behaviour and the step are the place.
static sn_status fail_behaviour(const sn_world *world, const sn_behaviour_record *record,
                                sn_status status, const sn_error *inner, sn_error *error)
{
    const char *text = inner->text[0] != '\0' ? inner->text : sn_status_text(status);
    if (inner->place[0] != '\0') {
        return sn_fail(error, status, inner->place, "behaviour '%.100s' at t = %.9g s: %s",
                       record->name, world->time, text);
    }
    char place[200];
    snprintf(place, sizeof place, "behaviour '%.100s', step %llu", record->name,
             (unsigned long long)world->steps + 1);
    return sn_fail(error, status, place, "%s", text);
}

static sn_status check_memory(const sn_world *world, const sn_behaviour_record *record,
                              sn_error *error)
{
    const double *memory = numbers_of(world, record) + MEMORY;
    for (int i = 0; i < record->def.memory_count; ++i) {
        if (!isfinite(memory[i])) {
            sn_error inner = {0};
            sn_fail(&inner, SN_ERROR_DIVERGED, NULL, "number %d of its memory is %g", i, memory[i]);
            return fail_behaviour(world, record, SN_ERROR_DIVERGED, &inner, error);
        }
    }
    return SN_OK;
}

static sn_status act(sn_world *world, int order, double h, sn_error *error)
{
    const sn_behaviour_record *record = &world->behaviours.data[order];
    if (!is_due(world, record, h)) {
        return SN_OK;
    }
    count_tick(world, record, h);
    if (record->def.once) {
        // Before it acts, so that it may start itself again.
        stop(world, order);
    }
    sn_error inner = {0};
    sn_status status =
        record->def.act(record->def.user, world, handle_of(order), world->time, &inner);
    return status == SN_OK ? check_memory(world, record, error)
                           : fail_behaviour(world, record, status, &inner, error);
}

sn_status sn_world_act(sn_world *world, double h, sn_error *error)
{
    sn_status status = SN_OK;
    world->acting = true;
    for (int i = 0; i < world->behaviours.count && status == SN_OK; ++i) {
        status = act(world, i, h, error);
    }
    world->acting = false;
    return status;
}

// ---- state ----

uint64_t sn_world_behaviour_structure(const sn_world *world, uint64_t structure)
{
    for (int i = 0; i < world->behaviours.count; ++i) {
        structure =
            sn_mix64(structure ^ ((uint64_t)world->behaviours.data[i].def.memory_count + 1));
    }
    return structure;
}

void sn_world_walk_behaviours(sn_world *world, sn_state_walk *walk)
{
    sn_state_numbers(walk, world->behaviour_state.data, (size_t)world->behaviour_state.count);
}

// ---- reading ----

int sn_world_behaviour_count(const sn_world *world)
{
    return world->behaviours.count;
}

sn_behaviour sn_world_behaviour(const sn_world *world, int order)
{
    bool there = order >= 0 && order < world->behaviours.count;
    return there ? handle_of(order) : (sn_behaviour){0};
}

sn_behaviour sn_world_find_behaviour(const sn_world *world, const char *name)
{
    uint32_t number = sn_name_table_find(&world->behaviour_names, name);
    return number != 0 ? handle_of((int)number - 1) : (sn_behaviour){0};
}

const char *sn_behaviour_name(const sn_world *world, sn_behaviour behaviour)
{
    const sn_behaviour_record *record = find(world, behaviour);
    return record != NULL ? record->name : "";
}

bool sn_behaviour_is_active(const sn_world *world, sn_behaviour behaviour)
{
    const sn_behaviour_record *record = find(world, behaviour);
    return record != NULL && is_active(world, record);
}

void *sn_behaviour_user(const sn_world *world, sn_behaviour behaviour)
{
    const sn_behaviour_record *record = find(world, behaviour);
    return record != NULL ? record->def.user : NULL;
}

double *sn_behaviour_memory(sn_world *world, sn_behaviour behaviour)
{
    const sn_behaviour_record *record = find(world, behaviour);
    return record != NULL && record->def.memory_count > 0 ? numbers_of(world, record) + MEMORY
                                                          : NULL;
}

int sn_behaviour_memory_count(const sn_world *world, sn_behaviour behaviour)
{
    const sn_behaviour_record *record = find(world, behaviour);
    return record != NULL ? record->def.memory_count : 0;
}
