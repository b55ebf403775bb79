// Removing a body, with all that hangs on it.
#include "base/error.h"
#include "base/memory.h"
#include "bond/bond.h"
#include "force/forces.h"
#include "mechanism/joint.h"
#include "model/world.h"
#include "touch/touch.h"

sn_status sn_world_remove_body(sn_world *world, sn_body body, sn_error *error)
{
    sn_body_record *record = sn_world_body_record(world, body);
    if (record == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, NULL, "the body to remove does not exist");
    }
    if (sn_world_check_still(world, error) != SN_OK) {
        return SN_ERROR_UNSUPPORTED;
    }
    if (sn_body_is_jointed(record)) { // its mechanism goes on without it
        sn_status status = sn_world_take_apart(world, error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (!sn_touch_part_body(world, body.index)) {
        return sn_fail_memory(error, sizeof(sn_contact_event));
    }
    sn_world_remove_joints_of(world, body);
    sn_world_remove_bonds_of(world, body);
    sn_world_remove_events_of(world, body, (sn_field){0});
    sn_world_remove_fields_of(world, body);
    if (record->type == SN_BODY_ELASTIC) {
        sn_world_drop_elastic(world, record);
    } else if (record->agent.agent >= 0) {
        sn_world_drop_rigid(world, record);
    }
    sn_touch_remove_body(world, body.index);
    sn_world_drop_body(world, body);
    return SN_OK;
}
