// Agents counted over all sets.
#include "model/world.h"

int sn_world_agent_count(const sn_world *world)
{
    int count = 0;
    for (int s = 0; s < world->set_count; ++s) {
        count += world->sets[s]->count;
    }
    return count;
}

sn_agent_ref sn_world_agent_at(const sn_world *world, int number)
{
    int set = 0;
    while (number >= world->sets[set]->count) {
        number -= world->sets[set++]->count;
    }
    return (sn_agent_ref){set, number, 0};
}

int sn_touch_agent_number(const sn_world *world, sn_contact_side side)
{
    int number = side.agent;
    for (int s = 0; s < side.set; ++s) {
        number += world->sets[s]->count;
    }
    return number;
}

sn_body sn_touch_body(const sn_world *world, uint32_t index)
{
    return (sn_body){index, world->body_ids.generation.data[index]};
}
