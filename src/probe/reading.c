// Readings: what events and scripts read of the last step itself, such as the force of a contact or
// the reaction of a joint. These follow from the step, not from the state it ends in. So that a
// world that is copied, loaded or taken back reads the same, the state has their values.
#include <math.h>
#include <string.h>

#include "mechanism/joint.h"
#include "model/world.h"
#include "probe/reading.h"

static bool is_of_step(sn_quantity quantity)
{
    return (quantity >= SN_QUANTITY_CONTACT_FORCE && quantity <= SN_QUANTITY_CONTACT_COUNT) ||
           (quantity >= SN_QUANTITY_JOINT_DRIVE_FORCE &&
            quantity <= SN_QUANTITY_JOINT_REACTION_TORQUE_Z);
}

static bool is_same(const sn_probe *a, const sn_probe *b)
{
    return a->quantity == b->quantity && a->body.index == b->body.index &&
           a->body.generation == b->body.generation && a->joint.index == b->joint.index &&
           a->joint.generation == b->joint.generation;
}

static sn_reading_record *find(const sn_world *world, const sn_probe *probe)
{
    for (int i = 0; i < world->readings.count; ++i) {
        if (is_same(&world->readings.data[i].probe, probe)) {
            return &world->readings.data[i];
        }
    }
    return NULL;
}

bool sn_world_add_reading(sn_world *world, const sn_probe *probe)
{
    sn_reading_record record = {*probe, NAN};
    return !is_of_step(probe->quantity) || find(world, probe) != NULL ||
           sn_array_push(&world->readings, record);
}

bool sn_world_copy_readings(const sn_world *world, sn_world *copy)
{
    int count = world->readings.count;
    if (!sn_array_resize(&copy->readings, count)) {
        return false;
    }
    if (count > 0) {
        memcpy(copy->readings.data, world->readings.data,
               (size_t)count * sizeof *copy->readings.data);
    }
    return true;
}

bool sn_world_same_readings(const sn_world *a, const sn_world *b)
{
    bool same = a->readings.count == b->readings.count;
    for (int i = 0; same && i < a->readings.count; ++i) {
        same = is_same(&a->readings.data[i].probe, &b->readings.data[i].probe);
    }
    return same;
}

// Somebody has written to the mechanism since: what its joints carried is gone, as it is in a world
// that made the step itself.
static bool is_forgotten(const sn_world *world, sn_joint joint)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    return record != NULL && record->agent >= 0 &&
           !world->articulations.items[record->agent]->reported;
}

bool sn_world_find_reading(const sn_world *world, const sn_probe *probe, double *value)
{
    const sn_reading_record *record =
        world->readings_kept && is_of_step(probe->quantity) ? find(world, probe) : NULL;
    if (record == NULL) {
        return false;
    }
    *value = is_forgotten(world, probe->joint) ? NAN : record->value;
    return true;
}

// Not known is written as 0 and flagged: states are finite.
void sn_world_walk_readings(sn_world *world, sn_state_walk *walk)
{
    bool loads = walk->mode == SN_STATE_LOAD, counts = walk->mode == SN_STATE_COUNT;
    for (int i = 0; i < world->readings.count; ++i) {
        sn_reading_record *record = &world->readings.data[i];
        double value = loads || counts ? 0.0 : sn_probe_read(world, &record->probe);
        bool known = isfinite(value);
        value = known ? value : 0.0;
        sn_state_flag(walk, &known);
        sn_state_numbers(walk, &value, 1);
        record->value = loads ? (known ? value : NAN) : record->value;
    }
    for (int i = 0; loads && i < world->articulations.agents.count; ++i) {
        world->articulations.items[i]->reported = true;
    }
    world->readings_kept = world->readings_kept || loads;
}
