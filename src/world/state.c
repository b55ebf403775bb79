// The state of a world: all that it goes on from, in one list. Saving, loading, copying, hashing
// and undoing a step that failed are walks over it, so that what one of them knows all of them
// know.
//
// What contacts remember is apart (touch_memory.c): its size changes from step to step, and a state
// without it is sound, only not to the bit.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "bond/bond.h"
#include "mechanism/joint.h"
#include "model/world.h"
#include "probe/event.h"
#include "probe/reading.h"
#include "touch/spring_touch.h"
#include "touch/touch.h"
#include "world/behaviour.h"
#include "world/joint_state.h"
#include "world/state.h"

// ---- the list ----

static void walk_agents(sn_world *world, sn_state_walk *walk)
{
    for (int s = 0; s < world->set_count; ++s) {
        sn_agent_set_walk(world->sets[s], walk);
    }
}

// When it is, and of which length the last step was.
static void walk_clock(sn_world *world, sn_state_walk *walk)
{
    sn_state_count(walk, &world->steps);
    sn_state_numbers(walk, &world->time, 1);
    sn_state_numbers(walk, &world->time_rest, 1);
    sn_state_numbers(walk, &world->step_given, 1);
    sn_state_numbers(walk, &world->last_step, 1);
    sn_state_numbers(walk, &world->pace, 1);
    sn_state_numbers(walk, &world->pace_left, 1);
}

// Joints come first: which of them are broken says what agents there are.
enum { JOINTS, AGENTS, BEHAVIOURS, BONDS, SPRINGS, EVENTS, READINGS, CLOCK, PARTS };

typedef void state_walk(sn_world *world, sn_state_walk *walk);

static state_walk *const parts[PARTS] = {
    [JOINTS] = sn_world_walk_joints,         [AGENTS] = walk_agents,
    [BEHAVIOURS] = sn_world_walk_behaviours, [BONDS] = sn_world_walk_bonds,
    [SPRINGS] = sn_world_walk_springs,       [EVENTS] = sn_world_walk_events,
    [READINGS] = sn_world_walk_readings,     [CLOCK] = walk_clock,
};

// Does a step keep this part for the case that it fails? Agents keep their own; joints change in a
// step only where behaviours act.
static bool is_kept(const sn_world *world, int part)
{
    return part != AGENTS && (part != JOINTS || world->behaviours.count > 0);
}

// Walks that do not load change nothing.
static sn_world *unchanged(const sn_world *world)
{
    return (sn_world *)world;
}

static size_t size_of(const sn_world *world, int part)
{
    sn_state_walk walk = {.mode = SN_STATE_COUNT};
    parts[part](unchanged(world), &walk);
    return walk.size;
}

// ---- as bytes ----

// The first word of a state: a name, and the version of the list above in its last byte. Versions 1
// and 2 began with their structure.
static const uint64_t STATE_NAME = UINT64_C(0x534e535441544503); // "SNSTATE", 3

typedef struct state_head {
    uint64_t name, structure;
} state_head;

// What must agree between two worlds for a state of one to fit the other.
static uint64_t structure_of(const sn_world *world)
{
    uint64_t structure = STATE_NAME;
    for (int s = 0; s < world->set_count; ++s) {
        structure = sn_mix64(structure ^ (uint64_t)world->sets[s]->count);
        structure = sn_mix64(structure ^ (uint64_t)world->sets[s]->q_count << 32);
    }
    return sn_world_behaviour_structure(world, structure);
}

// A joint that breaks changes how many agents and coordinates rigid bodies and mechanisms have;
// elastic bodies keep theirs. States of a world that has such joints have room for all it can come
// to, so that they are of one size: each rigid body on its own, and each joint with all it can
// have. Two clocks, a position and rotation of 7 numbers and a velocity of 6 are 15.
static size_t room_for_agents(const sn_world *world)
{
    size_t things = (size_t)world->body_order.count + (size_t)world->joint_order.count, memory = 0;
    sn_state_walk walk = {.mode = SN_STATE_COUNT};
    for (int s = 0; s < world->set_count; ++s) {
        if (sn_world_traits(world, s)->deformable) {
            things -= (size_t)world->sets[s]->count;
            sn_agent_set_walk(unchanged(world)->sets[s], &walk);
        } else {
            memory += (size_t)world->sets[s]->type->memory_count;
        }
    }
    return (15 + memory) * things * sizeof(double) + walk.size;
}

size_t sn_world_state_size(const sn_world *world)
{
    size_t size = sizeof(state_head);
    for (int i = 0; i < PARTS; ++i) {
        bool roomy = i == AGENTS && world->breakable_joints > 0;
        size += roomy ? room_for_agents(world) : size_of(world, i);
    }
    return size;
}

sn_status sn_world_save_state(const sn_world *world, void *bytes, size_t size, sn_error *error)
{
    size_t needed = sn_world_state_size(world);
    if (size < needed) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL, "the state needs %zu bytes, %zu were given",
                       needed, size);
    }
    state_head head = {STATE_NAME, structure_of(world)};
    memcpy(bytes, &head, sizeof head);
    sn_state_walk walk = sn_state_saving((unsigned char *)bytes + sizeof head, size - sizeof head);
    for (int i = 0; i < PARTS; ++i) {
        parts[i](unchanged(world), &walk);
    }
    memset(walk.bytes + walk.size, 0, needed - sizeof head - walk.size);
    return SN_OK;
}

// A state is doubles throughout.
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

static sn_status fail_structure(sn_error *error)
{
    return sn_fail(error, SN_ERROR_FORMAT, NULL,
                   "the state is of a world with other bodies or behaviours");
}

// The joints of a state, and the mechanisms that they make: none yet, if the state is of a world
// that was not put together either.
static sn_status load_joints(sn_world *world, sn_state_walk *walk, uint64_t structure,
                             sn_error *error)
{
    bool assembled = world->assembled;
    walk->error = error;
    sn_world_walk_joints(world, walk);
    bool assembles = !world->assembled && (assembled || structure != structure_of(world));
    return walk->status == SN_OK && assembles ? sn_world_assemble_loosely(world, error)
                                              : walk->status;
}

// Drives and breaks of the joints, and with them the structure that the rest of the state is of.
// Where that does not come out, the world stays as it is.
static sn_status load_structure(sn_world *world, sn_state_walk *walk, uint64_t structure,
                                sn_error *error)
{
    uint64_t now = structure_of(world);
    if (world->breakable_joints == 0) {
        return structure == now ? load_joints(world, walk, structure, error)
                                : fail_structure(error);
    }
    size_t size = sn_world_state_size(world);
    unsigned char *before = sn_allocate(size);
    if (before == NULL) {
        return sn_fail_memory(error, size);
    }
    sn_status status = sn_world_save_state(world, before, size, error);
    status = status == SN_OK ? load_joints(world, walk, structure, error) : status;
    if (status == SN_OK && structure != structure_of(world)) {
        status = fail_structure(error);
        sn_state_walk back =
            sn_state_loading(before + sizeof(state_head), size - sizeof(state_head));
        if (load_joints(world, &back, now, NULL) == SN_OK) {
            walk_agents(world, &back);
        }
    }
    sn_free(before);
    return status;
}

static sn_status check_head(const sn_world *world, const void *bytes, size_t size, state_head *head,
                            sn_error *error)
{
    *head = (state_head){0};
    memcpy(head, bytes, size < sizeof *head ? size : sizeof *head);
    int version = (int)(head->name & 0xff), expected = (int)(STATE_NAME & 0xff);
    if (head->name >> 8 != STATE_NAME >> 8) {
        return sn_fail(error, SN_ERROR_FORMAT, NULL,
                       "this is no state, or one of a version before 3; version %d was expected",
                       expected);
    }
    if (version != expected) {
        return sn_fail(error, SN_ERROR_FORMAT, NULL, "the state is of version %d, expected %d",
                       version, expected);
    }
    if (size != sn_world_state_size(world)) {
        return sn_fail(error, SN_ERROR_FORMAT, NULL,
                       "a state of %zu bytes does not fit a world whose state has %zu", size,
                       sn_world_state_size(world));
    }
    return is_finite((const unsigned char *)bytes + sizeof *head, size - sizeof *head)
               ? SN_OK
               : sn_fail(error, SN_ERROR_FORMAT, NULL,
                         "the state holds numbers that are not finite");
}

sn_status sn_world_load_state(sn_world *world, const void *bytes, size_t size, sn_error *error)
{
    state_head head;
    if (sn_world_check_still(world, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    sn_status status = check_head(world, bytes, size, &head, error);
    if (status == SN_OK && !sn_world_reserve_springs(world)) {
        status = sn_fail_memory(error, size);
    }
    sn_state_walk walk = {0};
    if (status == SN_OK) {
        walk = sn_state_loading((const unsigned char *)bytes + sizeof head, size - sizeof head);
    }
    status = status == SN_OK ? load_structure(world, &walk, head.structure, error) : status;
    if (status != SN_OK) {
        return status;
    }
    for (int i = JOINTS + 1; i < PARTS; ++i) {
        parts[i](world, &walk);
    }
    world->stopped = false;
    // What the log tells of later times has not happened in the state loaded.
    while (world->event_log.count > 0 &&
           world->event_log.data[world->event_log.count - 1].time > world->time) {
        world->event_log.count -= 1;
    }
    sn_touch_forget(world);
    sn_world_touch(world);
    return SN_OK;
}

// ---- from one world to another ----

// Do all parts have the same size in both, but for those that joints and events decide on?
static bool is_alike(const sn_world *a, const sn_world *b)
{
    bool alike = true;
    for (int i = 0; i < PARTS && alike; ++i) {
        alike = i == AGENTS || i == EVENTS || i == READINGS || size_of(a, i) == size_of(b, i);
    }
    return alike;
}

bool sn_world_carry_state(const sn_world *from, sn_world *to)
{
    size_t size = sn_world_state_size(from);
    unsigned char *bytes =
        is_alike(from, to) && sn_world_reserve_springs(to) ? sn_allocate(size) : NULL;
    if (bytes == NULL || sn_world_save_state(from, bytes, size, NULL) != SN_OK) {
        sn_free(bytes);
        return false;
    }
    sn_state_walk walk = sn_state_loading(bytes + sizeof(state_head), size - sizeof(state_head));
    bool carried = load_structure(to, &walk, structure_of(from), NULL) == SN_OK;
    for (int i = JOINTS + 1; i < PARTS && carried; ++i) {
        bool same =
            i == READINGS ? sn_world_same_readings(from, to) : size_of(from, i) == size_of(to, i);
        if (same) {
            parts[i](to, &walk);
        } else {
            walk.size += size_of(from, i);
        }
    }
    sn_free(bytes);
    return carried;
}

// ---- undoing a step ----

// Walks over all that a step keeps.
static void walk_kept(sn_world *world, sn_state_walk *walk)
{
    for (int i = 0; i < PARTS; ++i) {
        if (is_kept(world, i)) {
            parts[i](world, walk);
        }
    }
}

// Where behaviours can break joints, and with them the structure, the whole state is kept too.
sn_status sn_world_keep_state(sn_world *world, sn_error *error)
{
    sn_state_walk walk = sn_state_saving(world->kept.data, (size_t)world->kept.count);
    walk_kept(world, &walk);
    if (walk.size != walk.room) { // the list has changed since the last step
        if (walk.size > INT32_MAX || !sn_array_resize(&world->kept, (int)walk.size)) {
            return sn_fail_memory(error, walk.size);
        }
        walk = sn_state_saving(world->kept.data, walk.size);
        walk_kept(world, &walk);
    }
    bool breaks = world->behaviours.count > 0 && world->breakable_joints > 0;
    size_t whole = breaks ? sn_world_state_size(world) : 0;
    if (whole > INT32_MAX || !sn_array_resize(&world->kept_whole, (int)whole)) {
        return sn_fail_memory(error, whole);
    }
    return breaks ? sn_world_save_state(world, world->kept_whole.data, whole, error) : SN_OK;
}

void sn_world_undo_state(sn_world *world, bool moved)
{
    if (moved && world->kept_whole.count > 0) {
        (void)sn_world_load_state(world, world->kept_whole.data, (size_t)world->kept_whole.count,
                                  NULL);
        return;
    }
    sn_state_walk walk = sn_state_loading(world->kept.data, (size_t)world->kept.count);
    walk_kept(world, &walk);
    world->assembled = true; // as it was; what is broken no more was not taken apart
}

// ---- hash ----

uint64_t sn_world_hash(const sn_world *world)
{
    sn_state_walk walk = {.mode = SN_STATE_HASH, .hash = structure_of(world)};
    for (int i = 0; i < PARTS; ++i) {
        parts[i](unchanged(world), &walk);
    }
    return walk.hash;
}

// ---- what contacts remember ----

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
