// What acts in joints, changed while a world runs: drives, forces, breaks; and their part of the
// world's state.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/rotation.h"
#include "mechanism/joint.h"
#include "mechanism/joint_read.h"
#include "mechanism/joint_run.h"
#include "model/world.h"

// ---- checking ----

static bool is_amount(double x)
{
    return x >= 0.0 && isfinite(x);
}

static sn_status check_drive(const sn_drive_def *drive, int index, const char *name,
                             sn_error *error)
{
    if ((unsigned)drive->type >= SN_DRIVE_TYPE_COUNT) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name, "drive type %d of freedom %d is none",
                       (int)drive->type, index + 1);
    }
    if (!isfinite(drive->target) || !is_amount(drive->stiffness) || !is_amount(drive->damping) ||
        !(drive->force_limit > 0.0)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the drive of freedom %d has target %g, stiffness %g, damping %g, force "
                       "limit %g; expected a finite target, gains of 0 or more, a limit above 0",
                       index + 1, drive->target, drive->stiffness, drive->damping,
                       drive->force_limit);
    }
    if (drive->type == SN_DRIVE_POSITION && drive->stiffness == 0.0 && drive->damping == 0.0) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the position drive of freedom %d has neither stiffness nor damping",
                       index + 1);
    }
    bool jumps = drive->motion != NULL && sn_motion_points(drive->motion).type == SN_MOTION_STEP;
    if (drive->type == SN_DRIVE_MOTION && jumps) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the motion of freedom %d jumps; a position can follow spline, smooth and "
                       "linear motions only",
                       index + 1);
    }
    return SN_OK;
}

sn_status sn_freedom_check(const sn_freedom_def *freedom, sn_joint_type type, int index,
                           const char *name, sn_error *error)
{
    const sn_limit_def *limit = &freedom->limit;
    if (!is_amount(freedom->stiffness) || !is_amount(freedom->damping) ||
        !isfinite(freedom->rest)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "freedom %d has stiffness %g, damping %g, rest %g; expected 0 or more, "
                       "and a finite rest",
                       index + 1, freedom->stiffness, freedom->damping, freedom->rest);
    }
    if (!is_amount(freedom->friction)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the friction of freedom %d is %g, expected 0 or more", index + 1,
                       freedom->friction);
    }
    bool ball = type == SN_JOINT_BALL || (type == SN_JOINT_FREE && index >= 3);
    if (!(limit->upper >= limit->lower) || (ball && !(limit->upper > 0.0))) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the limits of freedom %d are %g and %g, expected lower below upper%s",
                       index + 1, limit->lower, limit->upper,
                       ball ? ", and an upper above 0 for a ball" : "");
    }
    if (!(limit->restitution >= 0.0 && limit->restitution <= 1.0) || !is_amount(limit->stiffness) ||
        !is_amount(limit->damping)) {
        return sn_fail(error, SN_ERROR_ARGUMENT, name,
                       "the limit of freedom %d has restitution %g, stiffness %g, damping %g; "
                       "expected 0 .. 1, and 0 or more",
                       index + 1, limit->restitution, limit->stiffness, limit->damping);
    }
    return check_drive(&freedom->drive, index, name, error);
}

// ---- reading and writing freedoms ----

static sn_status find_freedom(const sn_world *world, sn_joint joint, int freedom,
                              sn_joint_record **record, sn_error *error)
{
    *record = sn_world_joint_record(world, joint);
    if (*record == NULL) {
        return sn_fail(error, SN_ERROR_HANDLE, "joint", "there is no such joint");
    }
    int count = sn_joint_type_freedoms((*record)->type);
    if (freedom < 0 || freedom >= count) {
        return sn_fail(error, SN_ERROR_ARGUMENT, (*record)->name,
                       "freedom %d was asked for, a %s has %d", freedom + 1,
                       sn_joint_type_word((*record)->type), count);
    }
    return SN_OK;
}

// Carries a freedom of the record over to the running mechanism; false when memory runs out.
bool sn_world_put_freedom(sn_world *world, const sn_joint_record *record, int freedom)
{
    int own = 0, link = sn_joint_find_link(record, freedom, &own);
    if (link < 0) {
        return true;
    }
    sn_agent_set *set = world->sets[sn_joint_agent(record).set];
    const sn_tree *tree = &sn_articulation_of(set, record->agent)->tree;
    sn_freedom_def def = sn_joint_run_freedom(
        &record->freedoms[freedom], record->reversed && tree->links[link].joint == SN_TREE_BALL);
    return sn_articulation_set_freedom((sn_articulation_set *)set, record->agent,
                                       tree->links[link].v + own, &def);
}

// ---- motions ----

// From 1; 0 where it is none or not known.
int sn_world_motion_number(const sn_world *world, const sn_motion *motion)
{
    int number = world->motions.count;
    while (number > 0 && (motion == NULL || world->motions.data[number - 1] != motion)) {
        number -= 1;
    }
    return number;
}

sn_status sn_world_add_motion(sn_world *world, sn_motion *motion, sn_error *error)
{
    if (motion == NULL) {
        return sn_fail(error, SN_ERROR_ARGUMENT, "world", "there is no motion to be known");
    }
    if (sn_world_motion_number(world, motion) == 0) {
        if (!sn_array_push(&world->motions, motion)) {
            return sn_fail_memory(error, sizeof(void *));
        }
        sn_motion_retain(motion);
    }
    return SN_OK;
}

void sn_world_free_motions(sn_world *world)
{
    for (int i = 0; i < world->motions.count; ++i) {
        sn_motion_release(world->motions.data[i]);
    }
    sn_array_free(&world->motions);
}

bool sn_world_copy_motions(const sn_world *world, sn_world *copy)
{
    for (int i = 0; i < world->motions.count; ++i) {
        if (sn_world_add_motion(copy, world->motions.data[i], NULL) != SN_OK) {
            return false;
        }
    }
    return true;
}

// ---- freedoms ----

sn_freedom_def sn_joint_freedom(const sn_world *world, sn_joint joint, int freedom)
{
    sn_joint_record *record;
    return find_freedom(world, joint, freedom, &record, NULL) == SN_OK ? record->freedoms[freedom]
                                                                       : sn_default_freedom_def();
}

// A motion that starts elsewhere than the freedom stands would move it there in no time.
static sn_status check_start(const sn_world *world, sn_joint joint, int freedom,
                             const sn_freedom_def *before, const sn_drive_def *drive,
                             sn_error *error)
{
    double position = sn_joint_position(world, joint, freedom);
    double start =
        drive->motion != NULL ? sn_motion_at(drive->motion, world->time).value : drive->target;
    bool taken = before->drive.type == SN_DRIVE_MOTION && drive->type == SN_DRIVE_MOTION;
    if (drive->type != SN_DRIVE_MOTION || isnan(position) || taken ||
        fabs(position - start) <= 1e-6 * (1.0 + fabs(position))) {
        return SN_OK;
    }
    return sn_fail(error, SN_ERROR_ARGUMENT, sn_joint_name(world, joint),
                   "freedom %d stands at %.9g, but the motion that is to take it over is at %.9g",
                   freedom + 1, position, start);
}

// A freedom that is taken over moves as its motion does from now on, and what it is tied to with
// it.
static sn_status follow_motion(sn_world *world, const sn_joint_record *record,
                               const sn_freedom_def *before, const sn_freedom_def *now,
                               sn_error *error)
{
    sn_articulation_gap gap;
    if (now->drive.type != SN_DRIVE_MOTION || before->drive.type == SN_DRIVE_MOTION ||
        record->agent < 0 || record->first_link < 0 ||
        sn_articulation_close(&world->articulations, record->agent, world->time, &gap)) {
        return SN_OK;
    }
    if (gap.tie < 0 && gap.freedom < 0) {
        return sn_fail_memory(error, sizeof(sn_tie));
    }
    return sn_fail(error, SN_ERROR_ARGUMENT, record->name,
                   "the motion contradicts what the joint is tied to: %.3g m and %.3g rad would be "
                   "left open",
                   gap.linear, gap.angular);
}

sn_status sn_joint_set_freedom(sn_world *world, sn_joint joint, int freedom,
                               const sn_freedom_def *def, sn_error *error)
{
    sn_joint_record *record;
    sn_status status = find_freedom(world, joint, freedom, &record, error);
    if (status == SN_OK) {
        status = sn_world_check_steering(world, error);
    }
    if (status == SN_OK) {
        status = sn_freedom_check(def, record->type, freedom, record->name, error);
    }
    if (status == SN_OK) {
        status = check_start(world, joint, freedom, &record->freedoms[freedom], &def->drive, error);
    }
    if (status == SN_OK && def->drive.motion != NULL) {
        status = sn_world_add_motion(world, def->drive.motion, error);
    }
    if (status != SN_OK) {
        return status;
    }
    sn_freedom_def before = record->freedoms[freedom];
    record->freedoms[freedom] = *def;
    if (!sn_world_put_freedom(world, record, freedom)) {
        record->freedoms[freedom] = before;
        return sn_fail_memory(error, sizeof *def);
    }
    status = follow_motion(world, record, &before, def, error);
    if (status != SN_OK) {
        record->freedoms[freedom] = before;
        sn_world_put_freedom(world, record, freedom);
        return status;
    }
    sn_motion_retain(def->drive.motion);
    sn_motion_release(before.drive.motion);
    sn_world_touch(world);
    return SN_OK;
}

sn_drive_def sn_joint_drive(const sn_world *world, sn_joint joint, int freedom)
{
    return sn_joint_freedom(world, joint, freedom).drive;
}

sn_status sn_joint_set_drive(sn_world *world, sn_joint joint, int freedom,
                             const sn_drive_def *drive, sn_error *error)
{
    sn_freedom_def def = sn_joint_freedom(world, joint, freedom);
    def.drive = *drive;
    return sn_joint_set_freedom(world, joint, freedom, &def, error);
}

sn_status sn_joint_set_target(sn_world *world, sn_joint joint, int freedom, double target,
                              sn_error *error)
{
    sn_drive_def drive = sn_joint_drive(world, joint, freedom);
    drive.target = target;
    drive.motion = NULL;
    return sn_joint_set_drive(world, joint, freedom, &drive, error);
}

// ---- forces ----

void sn_joint_add_force(sn_world *world, sn_joint joint, int freedom, double force)
{
    const sn_joint_record *record = sn_world_joint_record(world, joint);
    int own = 0, link = sn_joint_find_link(record, freedom, &own);
    bool evaluating = world->evaluating_group != -2;
    if (link < 0 ||
        (evaluating && world->group_of[sn_joint_agent(record).set].data[record->agent] !=
                           world->evaluating_group)) {
        return; // nothing there, or its own group asks again
    }
    sn_agent_set *set = world->sets[sn_joint_agent(record).set];
    const sn_tree_link *at = &sn_articulation_of(set, record->agent)->tree.links[link];
    int first = set->agents[record->agent].v_first + at->v;
    double *sum = (evaluating ? set->joint_force : set->joint_external) + first;
    if (at->joint == SN_TREE_BALL && record->reversed) {
        // On the parent, and in its axes: the opposite, turned back.
        const double *q = sn_agent_q(set, record->agent) + at->q;
        sn_vec3 torque = {own == 0 ? force : 0.0, own == 1 ? force : 0.0, own == 2 ? force : 0.0};
        sn_vec3 turned =
            sn_rotate_inverse(sn_quat_normalize((sn_quat){q[0], q[1], q[2], q[3]}), torque);
        sn_vec3_put(sum, sn_vec3_sub(sn_vec3_at(sum), turned));
    } else {
        sum[own] += force;
    }
    if (!evaluating) {
        set->has_external = true;
        sn_world_touch(world);
    }
}
