// The whole state as bytes, and its hash.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "world/world.h"

// What must agree between two worlds for a state of one to fit the other.
static uint64_t structure_of(const sn_world *world)
{
    uint64_t structure = 2;
    for (int s = 0; s < world->set_count; ++s) {
        if (sn_world_traits(world, s)->deformable && world->sets[s]->count == 0) {
            continue; // states of worlds without it are older than it is
        }
        structure = sn_mix64(structure ^ (uint64_t)world->sets[s]->count);
        structure = sn_mix64(structure ^ (uint64_t)world->sets[s]->q_count << 32);
    }
    return sn_world_behaviour_structure(world, structure);
}

typedef struct state_head {
    uint64_t structure, steps;
    double time, time_rest;
} state_head;

static size_t agents_size(const sn_world *world)
{
    size_t size = 0;
    for (int s = 0; s < world->set_count; ++s) {
        size += sn_agent_set_state_size(world->sets[s]);
    }
    return size;
}

// A joint that breaks changes how many agents and coordinates rigid bodies and mechanisms have;
// elastic bodies keep theirs. States of a world that has such joints have room for all it can come
// to, so that they are of one size: each rigid body on its own, and each joint with all it can
// have. Two clocks, a position and rotation of 7 numbers and a velocity of 6 are 15.
static size_t room_for_agents(const sn_world *world)
{
    size_t things = (size_t)world->body_order.count + (size_t)world->joint_order.count, kept = 0;
    if (world->breakable_joints == 0) {
        return agents_size(world);
    }
    for (int s = 0; s < world->set_count; ++s) {
        if (sn_world_traits(world, s)->deformable) {
            things -= (size_t)world->sets[s]->count;
            kept += sn_agent_set_state_size(world->sets[s]);
        }
    }
    return 15 * things * sizeof(double) + kept;
}

size_t sn_world_state_size(const sn_world *world)
{
    return sizeof(state_head) + sn_world_joint_state_size(world) + sn_world_behaviour_size(world) +
           sn_world_bond_state_size(world) + sn_world_spring_state_size(world) +
           room_for_agents(world);
}

sn_status sn_world_save_state(const sn_world *world, void *bytes, size_t size, sn_error *error)
{
    size_t needed = sn_world_state_size(world);
    if (size < needed) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "the state needs %zu bytes, %zu were given",
                       needed, size);
    }
    state_head head = {structure_of(world), world->steps, world->time, world->time_rest};
    unsigned char *at = bytes;
    memcpy(at, &head, sizeof head);
    at = sn_world_save_joints(world, at + sizeof head);
    for (int s = 0; s < world->set_count; ++s) {
        at = sn_agent_set_save(world->sets[s], at);
    }
    at = sn_world_save_bonds(world, sn_world_save_behaviours(world, at));
    at = sn_world_save_springs(world, at);
    memset(at, 0, needed - (size_t)(at - (unsigned char *)bytes));
    return SN_OK;
}

// The states of agents and behaviours are doubles throughout.
static bool is_finite(const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(double)) {
        double value;
        memcpy(&value, bytes + at, sizeof value);
        if (!isfinite(value)) {
            return false;
        }
    }
    return true;
}

// Drives and breaks of the joints, and with them the structure that the rest of the state is of.
// Where that does not come out, the world stays as it is.
static sn_status load_structure(sn_world *world, const unsigned char *joints, uint64_t structure,
                                sn_error *error)
{
    size_t size = sn_world_state_size(world);
    unsigned char *before = world->breakable_joints > 0 ? sn_allocate(size) : NULL;
    if (world->breakable_joints > 0 && before == NULL) {
        return sn_fail_memory(error, size);
    }
    if (world->breakable_joints == 0 && structure != structure_of(world)) {
        return sn_fail(error, SN_ERROR_FORMAT, NULL,
                       "the state is of a world with other bodies or behaviours");
    }
    sn_status status = before != NULL ? sn_world_save_state(world, before, size, error) : SN_OK;
    if (status == SN_OK) {
        status = sn_world_load_joints(world, joints, error);
    }
    if (status == SN_OK && structure != structure_of(world)) {
        status = sn_fail(error, SN_ERROR_FORMAT, NULL,
                         "the state is of a world with other bodies or behaviours");
        sn_error unused;
        if (sn_world_load_joints(world, before + sizeof(state_head), &unused) == SN_OK) {
            const unsigned char *at =
                before + sizeof(state_head) + sn_world_joint_state_size(world);
            for (int s = 0; s < world->set_count; ++s) {
                at = sn_agent_set_load(world->sets[s], at);
            }
        }
    }
    sn_free(before);
    return status;
}

sn_status sn_world_load_state(sn_world *world, const void *bytes, size_t size, sn_error *error)
{
    state_head head;
    if (sn_world_check_still(world, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    if (size != sn_world_state_size(world)) {
        return sn_fail(error, SN_ERROR_FORMAT, NULL,
                       "a state of %zu bytes does not fit a world whose state has %zu", size,
                       sn_world_state_size(world));
    }
    memcpy(&head, bytes, sizeof head);
    if (!is_finite((const unsigned char *)bytes + sizeof head, size - sizeof head) ||
        !isfinite(head.time) || !isfinite(head.time_rest)) {
        return sn_fail(error, SN_ERROR_FORMAT, NULL, "the state holds numbers that are not finite");
    }
    const unsigned char *at = (const unsigned char *)bytes + sizeof head;
    sn_status status = load_structure(world, at, head.structure, error);
    if (status != SN_OK) {
        return status;
    }
    at += sn_world_joint_state_size(world);
    for (int s = 0; s < world->set_count; ++s) {
        at = sn_agent_set_load(world->sets[s], at);
    }
    at = sn_world_load_bonds(world, sn_world_load_behaviours(world, at));
    status = sn_world_load_springs(world, at, error);
    world->time = head.time;
    world->time_rest = head.time_rest;
    world->steps = head.steps;
    world->stopped = false;
    // What the log tells of later times has not happened in the state loaded.
    while (world->event_log.count > 0 &&
           world->event_log.data[world->event_log.count - 1].time > world->time) {
        world->event_log.count -= 1;
    }
    sn_touch_forget(world);
    sn_world_touch(world);
    return status;
}

size_t sn_world_contact_memory_size(const sn_world *world)
{
    return sn_touch_memory_size(world);
}

sn_status sn_world_save_contact_memory(const sn_world *world, void *bytes, size_t size,
                                       sn_error *error)
{
    size_t needed = sn_touch_memory_size(world);
    if (size < needed) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "what contacts remember needs %zu bytes, %zu were given", needed, size);
    }
    sn_touch_save_memory(world, bytes);
    return SN_OK;
}

sn_status sn_world_load_contact_memory(sn_world *world, const void *bytes, size_t size,
                                       sn_error *error)
{
    sn_status status = sn_world_check_still(world, error);
    return status == SN_OK ? sn_touch_load_memory(world, bytes, size, error) : status;
}

// One chunk of agents: clocks, positions, velocities.
static uint64_t hash_chunk(const sn_agent_set *set, int first, int last)
{
    double clocks[2 * SN_AGENT_CHUNK];
    for (int i = first; i < last; ++i) {
        clocks[2 * (i - first)] = set->agents[i].time;
        clocks[2 * (i - first) + 1] = set->agents[i].next_step;
    }
    const sn_agent *from = &set->agents[first], *to = &set->agents[last - 1];
    size_t q_count = (size_t)(to->q_first + to->q_count - from->q_first);
    size_t v_count = (size_t)(to->v_first + to->v_count - from->v_first);
    uint64_t hash = sn_hash64(clocks, 2 * (size_t)(last - first) * sizeof(double), 0);
    hash = sn_hash64(sn_agent_q(set, first), q_count * sizeof(double), hash);
    return sn_hash64(sn_agent_v(set, first), v_count * sizeof(double), hash);
}

uint64_t sn_world_hash(const sn_world *world)
{
    state_head head = {structure_of(world), world->steps, world->time, world->time_rest};
    uint64_t hash = sn_world_hash_joints(world, sn_hash64(&head, sizeof head, 0));
    for (int s = 0; s < world->set_count; ++s) {
        const sn_agent_set *set = world->sets[s];
        for (int first = 0; first < set->count; first += SN_AGENT_CHUNK) {
            int last = set->count - first < SN_AGENT_CHUNK ? set->count : first + SN_AGENT_CHUNK;
            hash = sn_mix64(hash ^ hash_chunk(set, first, last)) + (uint64_t)last;
        }
    }
    hash = sn_world_hash_bonds(world, sn_world_hash_behaviours(world, hash));
    return sn_world_hash_springs(world, hash);
}
