// Swings of mechanisms that steps are too long for, by name: see agent/tree_swing.h.
#include <math.h>

#include "model/world.h"

// The body on a link; of a link without one, on the next that has.
static sn_body body_on(const sn_world *world, int agent, int link)
{
    const sn_articulation *item = world->articulations.items[agent];
    sn_body found = {0};
    int nearest = item->tree.count;
    for (int i = 0; i < sn_world_body_count(world); ++i) {
        sn_body body = sn_world_body(world, i);
        const sn_agent_ref *ref = &world->bodies.data[body.index].agent;
        if (!sn_world_traits(world, ref->set)->jointed || ref->agent != agent) {
            continue;
        }
        int own = item->parts[ref->part].link;
        if (own >= link && own < nearest) {
            nearest = own;
            found = body;
        }
    }
    return found;
}

sn_status sn_world_find_fast_swings(sn_world *world, double h, sn_fast_swing *swings, int capacity,
                                    int *count, sn_error *error)
{
    *count = 0;
    sn_status status = sn_world_assemble(world, error);
    sn_articulation_set *set = &world->articulations;
    for (int i = 0; i < set->agents.count && status == SN_OK; ++i) {
        int link = -1;
        double step = sn_articulation_longest_step(set, i, world->gravity, h, &link);
        if (link < 0) {
            continue;
        }
        if (*count < capacity) {
            swings[*count] = (sn_fast_swing){
                .body = body_on(world, i, link),
                .frequency = SN_SWING_LIMIT / (2.0 * SN_PI * step),
                .step = step,
                .mass_scaled = sn_articulation_can_slow(set, i),
            };
        }
        *count += 1;
    }
    return status;
}
