// Contact springs as part of a world's state: what meetings have made is not known from positions.
#include <string.h>

#include "model/world.h"
#include "touch/spring_touch.h"

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

static int whole(double number)
{
    return number >= 0.0 && number < 2e9 ? (int)number : -1;
}

static void put_spring(sn_spring_touch *touch, const double numbers[4])
{
    bool edges = numbers[0] == 1.0;
    int side = edges ? (numbers[3] > 0.0) - (numbers[3] < 0.0) : whole(numbers[3]);
    if (numbers[0] >= 0.0) { // there is room
        touch->springs.data[touch->springs.count++] = (sn_touch_spring){
            edges ? SN_EDGE_EDGE : SN_VERTEX_FACE, whole(numbers[1]), whole(numbers[2]), side};
    }
}

bool sn_world_reserve_springs(sn_world *world)
{
    return sn_array_reserve(&world->touch.springs.springs, room_of(world));
}

void sn_world_walk_springs(sn_world *world, sn_state_walk *walk)
{
    sn_spring_touch *touch = &world->touch.springs;
    int room = room_of(world), count = touch->springs.count;
    bool loads = walk->mode == SN_STATE_LOAD;
    touch->springs.count = loads ? 0 : count;
    // A hash is of those that there are.
    for (int i = 0; i < (walk->mode == SN_STATE_HASH && count < room ? count : room); ++i) {
        double numbers[4] = {-1.0, 0.0, 0.0, 0.0};
        if (!loads && i < count) {
            const sn_touch_spring *spring = &touch->springs.data[i];
            memcpy(numbers, (double[4]){(double)spring->kind, spring->a, spring->b, spring->side},
                   sizeof numbers);
        }
        sn_state_numbers(walk, numbers, 4);
        if (loads) {
            put_spring(touch, numbers);
        }
    }
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
