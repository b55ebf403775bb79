// Changes from outside: when they may be made, and who has to know.
#include <math.h>

#include "base/error.h"
#include "model/world.h"

// All winds look anew at who hides whom.
static void forget_shade(sn_shade *shade)
{
    for (int i = 0; i < shade->winds.count; ++i) {
        shade->winds.data[i].drawn = NAN;
    }
    sn_array_clear(&shade->pending);
}

void sn_world_touch(sn_world *world)
{
    world->touch.wake = true;
    world->touch.placed = false;
    forget_shade(&world->air.shade);
    world->field_springs.sweep.current = false;
    sn_world_jump(world);
}

void sn_world_jump(sn_world *world)
{
    for (int i = 0; i < world->groups.count; ++i) {
        world->groups.data[i].fresh = true;
    }
}

sn_status sn_world_check_steering(const sn_world *world, sn_error *error)
{
    return world->stepping
               ? sn_fail(error, SN_ERROR_UNSUPPORTED, "world",
                         "a step is under way: a callback may read the world and add forces; "
                         "everything else can be changed between steps only")
               : SN_OK;
}

sn_status sn_world_check_still(const sn_world *world, sn_error *error)
{
    return world->acting
               ? sn_fail(error, SN_ERROR_UNSUPPORTED, "world",
                         "a behaviour acts: it may read the world, add forces, set drives, break "
                         "joints and bonds, start and stop behaviours; everything else can be "
                         "changed between steps only")
               : sn_world_check_steering(world, error);
}

void sn_touch_rouse(sn_world *world, sn_agent_ref ref)
{
    sn_contact_side side = {ref.set, ref.agent, ref.part};
    int number = sn_touch_agent_number(world, side);
    if (number < world->touch.still.count) {
        world->touch.still.data[number] = 0.0;
    }
}

bool sn_world_is_stopping(const sn_world *world)
{
    return world->stop != NULL && world->stop(world->stop_context);
}
