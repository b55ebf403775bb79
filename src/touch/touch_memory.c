// What contacts remember from step to step, as bytes: impulses, anchors and the caches of exact
// tests of all pairs that touch, and how long agents have been at rest; and what winds with
// occlusion last saw. A state with it goes on to the bit; without it, contacts start from nothing.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/shade_memory.h"
#include "model/world.h"
#include "touch/soft_touch.h"
#include "touch/touch.h"

// Contacts and caches name features of shapes and agents by number, so nothing is taken that was
// not written here: the checksum is over all that follows the head.
typedef struct memory_head {
    uint64_t structure, checksum;
    int32_t pairs, agents;
    int32_t soft; // contacts of elastic bodies (soft_memory.c), behind the pairs
    int32_t wake; // something was changed from outside since the last step, or there was none
} memory_head;

// Followed by its contacts. Bodies by index, which copies and worlds built alike share.
typedef struct memory_pair {
    uint32_t body_a, body_b;
    int32_t shape_a, shape_b;
    int32_t count, flags;
    sn_collide_cache cache;
} memory_pair;

static sn_agent *agent_at(const sn_world *world, int number)
{
    sn_agent_ref ref = sn_world_agent_at(world, number);
    return &world->sets[ref.set]->agents[ref.agent];
}

static uint64_t structure_of(const sn_world *world)
{
    return sn_mix64((uint64_t)world->bodies.count ^ (uint64_t)sn_world_agent_count(world) << 32);
}

// A pair may have touched in flight and have no contact any more: that it ends is still to be
// reported.
static bool is_remembered(const sn_pair *pair)
{
    return pair->count > 0 || (pair->flags & SN_PAIR_TOUCHING) != 0;
}

size_t sn_touch_memory_size(const sn_world *world)
{
    const sn_touch *touch = &world->touch;
    if (touch->pending.count > 0) {
        return (size_t)touch->pending.count;
    }
    size_t size = sizeof(memory_head) + (size_t)sn_world_agent_count(world) * sizeof(double);
    for (int i = 0; i < touch->pairs.count; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        size += is_remembered(pair) ? sizeof(memory_pair) + (size_t)pair->count * sizeof(sn_contact)
                                    : 0;
    }
    size += (size_t)sn_soft_memory_count(&touch->soft) * sizeof(sn_soft_memory);
    return size + sn_shade_memory_size(&world->air.shade);
}

// All but the checksum.
static void write_memory(const sn_world *world, unsigned char *at)
{
    const sn_touch *touch = &world->touch;
    if (touch->pending.count > 0) { // loaded, and no step since
        memory_head loaded;
        memcpy(at, touch->pending.data, (size_t)touch->pending.count);
        memcpy(&loaded, at, sizeof loaded);
        loaded.wake = touch->wake;
        memcpy(at, &loaded, sizeof loaded);
        return;
    }
    memory_head head = {.structure = structure_of(world),
                        .agents = sn_world_agent_count(world),
                        .soft = sn_soft_memory_count(&touch->soft),
                        .wake = touch->wake};
    unsigned char *start = at;
    at += sizeof head;
    for (int i = 0; i < head.agents; ++i, at += sizeof(double)) {
        double still = i < touch->still.count ? touch->still.data[i] : 0.0;
        still = agent_at(world, i)->held ? -still : still; // asleep: at rest for 1 and more
        memcpy(at, &still, sizeof still);
    }
    for (int i = 0; i < touch->pairs.count; ++i) {
        const sn_pair *pair = &touch->pairs.data[i];
        if (!is_remembered(pair)) {
            continue;
        }
        const sn_touch_shape *a = &touch->shapes.data[pair->a], *b = &touch->shapes.data[pair->b];
        memory_pair own;
        memset(&own, 0, sizeof own);
        own.body_a = a->body;
        own.body_b = b->body;
        own.shape_a = a->shape;
        own.shape_b = b->shape;
        own.count = pair->count;
        own.flags = pair->flags;
        own.cache = pair->cache;
        memcpy(at, &own, sizeof own);
        at += sizeof own;
        memcpy(at, &touch->pool.data[pair->contacts], pair->count * sizeof(sn_contact));
        at += pair->count * sizeof(sn_contact);
        head.pairs += 1;
    }
    at = sn_soft_memory_save(&touch->soft, at);
    sn_shade_save_memory(&world->air.shade, at);
    memcpy(start, &head, sizeof head);
}

static void seal(unsigned char *bytes, size_t size)
{
    memory_head head;
    memcpy(&head, bytes, sizeof head);
    head.checksum = sn_hash64(bytes + sizeof head, size - sizeof head, head.structure);
    memcpy(bytes, &head, sizeof head);
}

void sn_touch_save_memory(const sn_world *world, unsigned char *bytes)
{
    write_memory(world, bytes);
    seal(bytes, sn_touch_memory_size(world));
}

static bool is_side(const sn_world *world, uint32_t body, const sn_contact_side *side)
{
    if (body >= (uint32_t)world->bodies.count) {
        return false;
    }
    sn_agent_ref ref = world->bodies.data[body].agent;
    return ref.agent < 0
               ? side->set == -1 && side->agent < 0
               : side->set == ref.set && side->agent == ref.agent && side->part == ref.part;
}

// Contacts of what sleeps are taken as they are.
static bool is_contact(const sn_world *world, const memory_pair *own, const sn_contact *contact)
{
    bool sound = contact->count >= 0 && contact->count <= SN_MANIFOLD_POINTS &&
                 is_side(world, own->body_a, &contact->a) &&
                 is_side(world, own->body_b, &contact->b) && sn_vec3_is_finite(contact->normal) &&
                 sn_vec3_is_finite(contact->turning) &&
                 sn_vec3_is_finite(contact->surface_velocity) && isfinite(contact->friction) &&
                 isfinite(contact->restitution) && isfinite(contact->rolling_friction) &&
                 isfinite(contact->spinning_friction) && contact->size >= 0.0;
    for (int i = 0; sound && i < contact->count; ++i) {
        const sn_contact_point *point = &contact->points[i];
        sound = sn_vec3_is_finite(point->on_a) && sn_vec3_is_finite(point->on_b) &&
                sn_vec3_is_finite(point->impulse) && sn_vec3_is_finite(point->anchor) &&
                isfinite(point->gap) && point->touched <= 1;
    }
    return sound;
}

// Are these bytes what a world of this structure has saved? The part of the winds starts at
// `*shade`.
static bool is_memory(const sn_world *world, const unsigned char *bytes, size_t size, size_t *shade)
{
    memory_head head;
    if (size < sizeof head) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    size_t used = sizeof head + (size_t)sn_world_agent_count(world) * sizeof(double);
    if (head.structure != structure_of(world) || head.agents != sn_world_agent_count(world) ||
        head.pairs < 0 || used > size ||
        head.checksum != sn_hash64(bytes + sizeof head, size - sizeof head, head.structure)) {
        return false;
    }
    for (int i = 0; i < head.pairs; ++i) {
        memory_pair own;
        if (size - used < sizeof own) {
            return false;
        }
        memcpy(&own, bytes + used, sizeof own);
        used += sizeof own;
        if (own.count < 0 || own.count > SN_PATCHES ||
            size - used < (size_t)own.count * sizeof(sn_contact)) {
            return false;
        }
        for (int k = 0; k < own.count; ++k, used += sizeof(sn_contact)) {
            sn_contact contact;
            memcpy(&contact, bytes + used, sizeof contact);
            if (!is_contact(world, &own, &contact)) {
                return false;
            }
        }
    }
    if (head.soft < 0 || (size - used) / sizeof(sn_soft_memory) < (size_t)head.soft ||
        !sn_soft_memory_is(world, bytes + used, head.soft)) {
        return false;
    }
    used += (size_t)head.soft * sizeof(sn_soft_memory);
    *shade = used;
    return sn_shade_is_memory(bytes + used, size - used);
}

sn_status sn_touch_load_memory(sn_world *world, const unsigned char *bytes, size_t size,
                               sn_error *error)
{
    size_t shade = 0;
    if (!is_memory(world, bytes, size, &shade)) {
        return sn_fail(error, SN_ERROR_FORMAT, NULL,
                       "what contacts remember is of another world, or damaged");
    }
    if (!sn_array_resize(&world->touch.pending, (int)size) ||
        !sn_shade_keep_memory(&world->air.shade, bytes + shade, size - shade)) {
        sn_array_clear(&world->touch.pending);
        return sn_fail_memory(error, size);
    }
    sn_touch_forget(world);
    memcpy(world->touch.pending.data, bytes, size);
    memory_head head;
    memcpy(&head, bytes, sizeof head);
    world->touch.wake = head.wake != 0;
    for (int i = 0; i < sn_world_agent_count(world); ++i) {
        double still;
        memcpy(&still, bytes + sizeof(memory_head) + (size_t)i * sizeof still, sizeof still);
        agent_at(world, i)->held = still < 0.0;
    }
    return SN_OK;
}

// ---- undoing ----

sn_status sn_touch_keep(sn_world *world, sn_error *error)
{
    sn_touch *touch = &world->touch;
    size_t size = sn_touch_memory_size(world);
    if (size > INT32_MAX || !sn_array_resize(&touch->kept, (int)size)) {
        return sn_fail_memory(error, size);
    }
    write_memory(world, touch->kept.data);
    touch->kept_wake = touch->wake;
    return SN_OK;
}

void sn_touch_undo(sn_world *world)
{
    sn_touch *touch = &world->touch;
    seal(touch->kept.data, (size_t)touch->kept.count);
    // Where memory for it runs out, contacts start from nothing.
    (void)sn_touch_load_memory(world, touch->kept.data, (size_t)touch->kept.count, NULL);
    touch->wake = touch->kept_wake;
}

bool sn_touch_copy(const sn_world *world, sn_world *copy)
{
    size_t size = sn_touch_memory_size(world);
    const sn_drop *drops = world->touch.drops.data;
    int drop_count = world->touch.drops.count, parted = world->touch.parted.count;
    if (size > INT32_MAX || !sn_array_resize(&copy->touch.pending, (int)size) ||
        !sn_array_resize(&copy->touch.drops, drop_count) ||
        !sn_array_resize(&copy->touch.parted, parted)) {
        return false;
    }
    if (parted > 0) {
        memcpy(copy->touch.parted.data, world->touch.parted.data,
               (size_t)parted * sizeof *copy->touch.parted.data);
    }
    sn_touch_save_memory(world, copy->touch.pending.data);
    copy->touch.wake = world->touch.wake;
    size_t shade = sn_shade_memory_size(&world->air.shade);
    if (!sn_shade_keep_memory(&copy->air.shade, copy->touch.pending.data + size - shade, shade)) {
        return false;
    }
    if (drop_count > 0) {
        memcpy(copy->touch.drops.data, drops, (size_t)drop_count * sizeof *drops);
    }
    return true;
}

// Of the body's shape in world.touch, where only those that touch are.
static uint32_t touch_index(const sn_body_record *record, int shape)
{
    int index = record->touch;
    for (int i = 0; i < shape; ++i) {
        index += sn_shape_touches(&record->shapes[i]);
    }
    return (uint32_t)index;
}

static bool has_touching_shape(const sn_body_record *record, int shape)
{
    return record->touch >= 0 && shape >= 0 && shape < record->shape_count &&
           sn_shape_touches(&record->shapes[shape]);
}

bool sn_touch_remember(sn_world *world)
{
    sn_touch *touch = &world->touch;
    memory_head head;
    const unsigned char *at = touch->pending.data;
    if (touch->pending.count == 0) {
        return true;
    }
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    if (!sn_array_resize(&touch->still, head.agents)) {
        return false;
    }
    for (int i = 0; i < head.agents; ++i) {
        double still;
        memcpy(&still, at + (size_t)i * sizeof still, sizeof still);
        touch->still.data[i] = fabs(still);
    }
    at += (size_t)head.agents * sizeof(double);
    for (int i = 0; i < head.pairs; ++i) {
        memory_pair own;
        memcpy(&own, at, sizeof own);
        at += sizeof own;
        bool known = own.body_a < (uint32_t)world->bodies.count &&
                     own.body_b < (uint32_t)world->bodies.count;
        const sn_body_record *a = &world->bodies.data[known ? own.body_a : 0],
                             *b = &world->bodies.data[known ? own.body_b : 0];
        bool there =
            known && has_touching_shape(a, own.shape_a) && has_touching_shape(b, own.shape_b);
        sn_pair *pair = there ? sn_touch_find_pair(touch, touch_index(a, own.shape_a),
                                                   touch_index(b, own.shape_b))
                              : NULL;
        if (pair != NULL && own.count <= pair->capacity) {
            pair->count = (uint8_t)own.count;
            pair->flags |= own.flags & SN_PAIR_TOUCHING;
            pair->cache = own.cache;
            memcpy(&touch->pool.data[pair->contacts], at, (size_t)own.count * sizeof(sn_contact));
        }
        at += (size_t)own.count * sizeof(sn_contact);
    }
    if (!sn_soft_memory_load(&touch->soft, at, head.soft)) {
        return false;
    }
    sn_array_clear(&touch->pending);
    return true;
}
