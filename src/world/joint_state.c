// Drives and breaks of joints as part of the state: breaking, saving, loading, undoing.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/rotation.h"
#include "mechanism/joint.h"
#include "mechanism/joint_run.h"
#include "model/world.h"
#include "world/joint_state.h"

// ---- breaking ----

sn_status sn_joint_break(sn_world *world, sn_joint joint, sn_error *error)
{
    sn_joint_record *record = sn_world_joint_record(world, joint);
    if (record == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, "joint", "there is no such joint");
    }
    if (!record->breakable) {
        return sn_fail(error, SN_ERROR_ARGUMENT, record->name,
                       "the joint is not breakable; it must be made so when it is added");
    }
    sn_status status = sn_world_check_steering(world, error);
    if (status != SN_OK || record->broken) {
        return status;
    }
    record->broken = true;
    bool apart = !world->assembled;
    world->assembled = false;
    // Once it runs, it is put together anew without the joint: now, or when all behaviours have
    // acted.
    return apart || world->acting ? SN_OK : sn_world_assemble(world, error);
}

void sn_world_break_joints(sn_world *world)
{
    if (!world->any_break_limit || !world->assembled) {
        return;
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        sn_joint_record *record = &world->joints.data[world->joint_order.data[i]];
        bool limited = isfinite(record->break_force) || isfinite(record->break_torque);
        if (record->broken || !limited) {
            continue;
        }
        sn_joint_load load = sn_joint_reaction(world, sn_world_joint(world, i));
        if (sn_length(load.force) > record->break_force ||
            sn_length(load.torque) > record->break_torque) {
            record->broken = true;
        }
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        const sn_joint_record *record = &world->joints.data[world->joint_order.data[i]];
        world->assembled = world->assembled && !(record->broken && record->agent >= 0);
    }
}

// ---- state ----

// A joint's numbers: is it broken, and of each freedom what behaviours can change of its drive.
enum { TYPE, TARGET, STIFFNESS, DAMPING, FORCE_LIMIT, MOTION, DRIVE_NUMBERS };

// All finite: no limit is written as -1, a motion as its number.
static void drive_numbers(const sn_world *world, const sn_drive_def *drive,
                          double numbers[DRIVE_NUMBERS])
{
    numbers[TYPE] = (double)drive->type;
    numbers[TARGET] = drive->target;
    numbers[STIFFNESS] = drive->stiffness;
    numbers[DAMPING] = drive->damping;
    numbers[FORCE_LIMIT] = isfinite(drive->force_limit) ? drive->force_limit : -1.0;
    numbers[MOTION] = sn_world_motion_number(world, drive->motion);
}

static sn_status load_drive(sn_world *world, sn_joint_record *record, int freedom,
                            const double numbers[DRIVE_NUMBERS], sn_error *error)
{
    sn_drive_def *drive = &record->freedoms[freedom].drive;
    double now[DRIVE_NUMBERS], known = world->motions.count;
    drive_numbers(world, drive, now);
    if (memcmp(now, numbers, sizeof now) == 0) {
        return SN_OK;
    }
    if (!(numbers[TYPE] >= 0.0 && numbers[TYPE] < SN_DRIVE_TYPE_COUNT) ||
        !(numbers[MOTION] >= 0.0 && numbers[MOTION] <= known)) {
        return sn_fail(error, SN_ERROR_FORMAT, record->name,
                       "in the state freedom %d has drive %g and motion %g; the world knows %d and "
                       "%g",
                       freedom + 1, numbers[TYPE], numbers[MOTION], (int)SN_DRIVE_TYPE_COUNT,
                       known);
    }
    sn_motion *before = drive->motion;
    int motion = (int)numbers[MOTION];
    *drive = (sn_drive_def){
        .type = (sn_drive_type)numbers[TYPE],
        .target = numbers[TARGET],
        .stiffness = numbers[STIFFNESS],
        .damping = numbers[DAMPING],
        .force_limit = numbers[FORCE_LIMIT] >= 0.0 ? numbers[FORCE_LIMIT] : INFINITY,
        .motion = motion > 0 ? sn_motion_retain(world->motions.data[motion - 1]) : NULL,
    };
    sn_motion_release(before);
    return sn_world_put_freedom(world, record, freedom) ? SN_OK
                                                        : sn_fail_memory(error, sizeof *drive);
}

static void walk_drive(sn_world *world, sn_joint_record *record, int freedom, sn_state_walk *walk)
{
    const sn_drive_def *drive = &record->freedoms[freedom].drive;
    double numbers[DRIVE_NUMBERS];
    // To a hash a drive that does nothing is its type alone.
    bool idle = walk->mode == SN_STATE_HASH && drive->type == SN_DRIVE_NONE;
    drive_numbers(world, drive, numbers);
    sn_state_numbers(walk, numbers, idle ? 1 : DRIVE_NUMBERS);
    if (walk->mode == SN_STATE_LOAD && walk->status == SN_OK) {
        walk->status = load_drive(world, record, freedom, numbers, walk->error);
    }
}

void sn_world_walk_joints(sn_world *world, sn_state_walk *walk)
{
    for (int i = 0; i < world->joint_order.count; ++i) {
        sn_joint_record *record = &world->joints.data[world->joint_order.data[i]];
        bool broken = record->broken;
        sn_state_flag(walk, &broken);
        broken = broken && record->breakable;
        if (walk->mode == SN_STATE_LOAD && broken != record->broken) {
            record->broken = broken;
            world->assembled = false;
        }
        for (int k = 0; k < sn_joint_type_freedoms(record->type); ++k) {
            walk_drive(world, record, k, walk);
        }
    }
}
