// What the contacts of elastic bodies remember from step to step, by the names of their features:
// impulses and anchors, and which pairs kept skins from going on (soft_stop.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/world.h"
#include "touch/soft_touch.h"

void sn_soft_touch_forget(sn_soft_touch *soft)
{
    sn_array_clear(&soft->contacts);
    sn_array_clear(&soft->keys);
    sn_array_clear(&soft->stops);
    sn_array_clear(&soft->memory);
    soft->remembered = false;
    soft->sound = 0;
}

static bool is_of(const sn_soft_key *key, uint32_t body)
{
    return key->body_a == body || key->body_b == body;
}

void sn_soft_touch_drop_body(sn_soft_touch *soft, uint32_t body)
{
    int kept = 0;
    for (int i = 0; i < soft->contacts.count; ++i) {
        if (!is_of(&soft->keys.data[i], body)) {
            soft->contacts.data[kept] = soft->contacts.data[i];
            soft->keys.data[kept++] = soft->keys.data[i];
        }
    }
    soft->contacts.count = soft->keys.count = kept;
    kept = 0;
    for (int i = 0; i < soft->stops.count; ++i) {
        if (!is_of(&soft->stops.data[i], body)) {
            soft->stops.data[kept++] = soft->stops.data[i];
        }
    }
    soft->stops.count = kept;
    kept = 0;
    for (int i = 0; i < soft->memory.count; ++i) {
        if (!is_of(&soft->memory.data[i].key, body)) {
            soft->memory.data[kept++] = soft->memory.data[i];
        }
    }
    soft->memory.count = kept;
    kept = 0;
    for (int i = 0; i < soft->meets.count; ++i) {
        const sn_soft_pair *pair = &soft->meets.data[i];
        if (pair->body_a != body && pair->body_b != body) {
            soft->meets.data[kept++] = *pair;
        }
    }
    soft->meets.count = kept;
}

static int compare_keys(const sn_soft_key *a, const sn_soft_key *b)
{
    const int64_t x[] = {a->body_a, a->body_b, a->kind, a->feature_a, a->feature_b},
                  y[] = {b->body_a, b->body_b, b->kind, b->feature_a, b->feature_b};
    for (int i = 0; i < 5; ++i) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

// Several points on one edge have one name; they keep their order.
static int compare_memories(const void *a, const void *b)
{
    const sn_soft_memory *x = a, *y = b;
    int order = compare_keys(&x->key, &y->key);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

// ---- out ----

int sn_soft_memory_count(const sn_soft_touch *soft)
{
    return soft->remembered ? soft->memory.count : soft->contacts.count + soft->stops.count;
}

// Number i of what there is to remember, as it is at the end of a step.
static sn_soft_memory memory_at(const sn_soft_touch *soft, int i)
{
    sn_soft_memory memory;
    if (soft->remembered) {
        return soft->memory.data[i];
    }
    memset(&memory, 0, sizeof memory); // padding, too: these are bytes of files
    memory.order = i;
    if (i >= soft->contacts.count) {
        memory.key = soft->stops.data[i - soft->contacts.count];
        return memory;
    }
    const sn_contact_point *point = &soft->contacts.data[i].points[0];
    memory.key = soft->keys.data[i];
    // Beyond SN_SOFT_OLD nothing asks how old it is.
    memory.key.age = point->touched                  ? 0
                     : memory.key.age <= SN_SOFT_OLD ? memory.key.age + 1
                                                     : SN_SOFT_OLD + 1;
    memory.impulse = point->impulse;
    memory.anchor = point->anchor;
    memory.touched = point->touched;
    return memory;
}

unsigned char *sn_soft_memory_save(const sn_soft_touch *soft, unsigned char *at)
{
    for (int i = 0; i < sn_soft_memory_count(soft); ++i, at += sizeof(sn_soft_memory)) {
        sn_soft_memory memory = memory_at(soft, i);
        memcpy(at, &memory, sizeof memory);
    }
    return at;
}

// ---- in ----

bool sn_soft_memory_is(const sn_world *world, const unsigned char *bytes, int count)
{
    uint32_t bodies = (uint32_t)world->bodies.count;
    bool sound = true;
    for (int i = 0; i < count && sound; ++i) {
        sn_soft_memory memory;
        memcpy(&memory, bytes + (size_t)i * sizeof memory, sizeof memory);
        sound = memory.key.body_a < bodies && memory.key.body_b < bodies && memory.touched <= 1 &&
                memory.key.age >= 0 && memory.key.age <= SN_SOFT_OLD + 1 &&
                sn_vec3_is_finite(memory.impulse) && sn_vec3_is_finite(memory.anchor);
    }
    return sound;
}

static void sort(sn_soft_touch *soft)
{
    if (soft->memory.count > 1) {
        qsort(soft->memory.data, (size_t)soft->memory.count, sizeof *soft->memory.data,
              compare_memories);
    }
}

bool sn_soft_memory_load(sn_soft_touch *soft, const unsigned char *bytes, int count)
{
    if (!sn_array_resize(&soft->memory, count)) {
        return false;
    }
    if (count > 0) {
        memcpy(soft->memory.data, bytes, (size_t)count * sizeof *soft->memory.data);
    }
    sort(soft);
    soft->remembered = true;
    return true;
}

bool sn_soft_remember(sn_soft_touch *soft)
{
    if (!soft->remembered) {
        int count = sn_soft_memory_count(soft);
        sn_array_clear(&soft->memory);
        for (int i = 0; i < count; ++i) {
            sn_soft_memory memory = memory_at(soft, i);
            if (!sn_array_push(&soft->memory, memory)) {
                return false;
            }
        }
        sort(soft);
    }
    soft->remembered = false;
    sn_array_clear(&soft->contacts);
    sn_array_clear(&soft->keys);
    sn_array_clear(&soft->stops);
    return true;
}

const sn_soft_memory *sn_soft_recall(const sn_soft_touch *soft, const sn_soft_key *key)
{
    int low = 0, high = soft->memory.count;
    while (low < high) {
        int middle = (low + high) / 2, order = compare_keys(key, &soft->memory.data[middle].key);
        if (order == 0) {
            return &soft->memory.data[middle];
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
}
