// Contact springs as part of a world's state: what meetings have made is not known from positions.
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "world/spring_touch.h"
#include "world/world.h"

// ---- as part of the state ----

// Room for one spring a vertex, as kind, a, b and side; no more are made.
static int room_of(const sn_world *world)
{
    int room = 0;
    for (int i = 0; i < sn_soft_agents(world)->count; ++i) {
        room += sn_soft_item(world, i)->mass.vertex_count;
    }
    return sn_world_contact_traits(world)->springs ? room : 0;
}

bool sn_spring_has_room(const sn_world *world, int count)
{
    return count < room_of(world);
}

size_t sn_world_spring_state_size(const sn_world *world)
{
    return 4 * (size_t)room_of(world) * sizeof(double);
}

unsigned char *sn_world_save_springs(const sn_world *world, unsigned char *at)
{
    const sn_spring_touch *touch = &world->touch.springs;
    for (int i = 0; i < room_of(world); ++i) {
        double numbers[4] = {-1.0, 0.0, 0.0, 0.0};
        if (i < touch->springs.count) {
            const sn_touch_spring *spring = &touch->springs.data[i];
            memcpy(numbers, (double[4]){(double)spring->kind, spring->a, spring->b, spring->side},
                   sizeof numbers);
        }
        memcpy(at, numbers, sizeof numbers);
        at += sizeof numbers;
    }
    return at;
}

static int whole(double number)
{
    return number >= 0.0 && number < 2e9 ? (int)number : -1;
}

sn_status sn_world_load_springs(sn_world *world, const unsigned char *at, sn_error *error)
{
    sn_spring_touch *touch = &world->touch.springs;
    int room = room_of(world);
    if (!sn_array_reserve(&touch->springs, room)) {
        return sn_fail_memory(error, (size_t)room * sizeof *touch->springs.data);
    }
    touch->springs.count = 0;
    for (int i = 0; i < room; ++i) {
        double numbers[4];
        memcpy(numbers, at + (size_t)i * sizeof numbers, sizeof numbers);
        bool edges = numbers[0] == 1.0;
        int side = edges ? (numbers[3] > 0.0) - (numbers[3] < 0.0) : whole(numbers[3]);
        sn_touch_spring spring = {edges ? SN_EDGE_EDGE : SN_VERTEX_FACE, whole(numbers[1]),
                                  whole(numbers[2]), side};
        if (numbers[0] >= 0.0) {
            touch->springs.data[touch->springs.count++] = spring;
        }
    }
    return SN_OK;
}

uint64_t sn_world_hash_springs(const sn_world *world, uint64_t hash)
{
    const sn_spring_touch *touch = &world->touch.springs;
    for (int i = 0; i < touch->springs.count && room_of(world) > 0; ++i) {
        const sn_touch_spring *spring = &touch->springs.data[i];
        hash = sn_mix64(hash ^ (uint64_t)spring->kind << 62 ^ (uint64_t)spring->a << 30 ^
                        (uint64_t)spring->b);
        hash = sn_mix64(hash ^ (uint64_t)(spring->side + 1));
    }
    return hash;
}

bool sn_spring_touch_copy(const sn_spring_touch *touch, sn_spring_touch *copy)
{
    if (!sn_array_resize(&copy->springs, touch->springs.count)) {
        return false;
    }
    if (touch->springs.count > 0) {
        memcpy(copy->springs.data, touch->springs.data,
               (size_t)touch->springs.count * sizeof *touch->springs.data);
    }
    return true;
}
