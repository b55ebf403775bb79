// Joints, couplings and the mechanisms that they make of bodies, between the files of this folder
// and those that use it.
#ifndef SN_MECHANISM_JOINT_H
#define SN_MECHANISM_JOINT_H

#include "model/world.h"
#include "sinew/mechanics.h"

// ---- joint.c ----
sn_joint_record *sn_world_joint_record(const sn_world *world, sn_joint joint);
void sn_world_free_joints(sn_world *world);
bool sn_world_copy_joints(const sn_world *world, sn_world *copy);
void sn_world_remove_joints_of(sn_world *world, sn_body body);

// ---- coupling.c ----
void sn_world_free_couplings(sn_world *world);
bool sn_world_copy_couplings(const sn_world *world, sn_world *copy);
void sn_world_remove_couplings_of(sn_world *world, sn_joint joint);
// A coupling ends with the first of its joints that breaks.
bool sn_coupling_is_whole(const sn_world *world, const sn_coupling_record *coupling);

// ---- load_keep.c ----
// Forces added for the coming step, by the order of bodies and joints. Zero: none.
typedef struct sn_load_keep {
    sn_spatial *bodies;
    double (*joints)[6];
} sn_load_keep;
sn_status sn_world_keep_loads(const sn_world *world, sn_load_keep *keep, sn_error *error);
void sn_world_put_loads(sn_world *world, const sn_load_keep *keep);
void sn_load_keep_free(sn_load_keep *keep);

// ---- assemble.c ----
// Gives every body of a mechanism an agent of its own again, as it moves now.
sn_status sn_world_take_apart(sn_world *world, sn_error *error);
// Puts mechanisms together without asking where bodies stand: a state is about to be loaded.
sn_status sn_world_assemble_loosely(sn_world *world, sn_error *error);

// ---- joint_steer.c ----
sn_status sn_freedom_check(const sn_freedom_def *freedom, sn_joint_type type, int index,
                           const char *name, sn_error *error);
// A freedom of the record, put into its mechanism where it is assembled.
bool sn_world_put_freedom(sn_world *world, const sn_joint_record *record, int freedom);
// The motions that the world knows; the number of one, -1: not known.
int sn_world_motion_number(const sn_world *world, const sn_motion *motion);
void sn_world_free_motions(sn_world *world);
bool sn_world_copy_motions(const sn_world *world, sn_world *copy);

// ---- pair_drop.c ----
// Which pairs of the bodies of its mechanisms are left out, after they have been put together.
sn_status sn_world_drop_pairs(sn_world *world, sn_error *error);
bool sn_world_is_dropped(const sn_world *world, uint32_t a, uint32_t b);

// ---- freedom.c ----
// "joint 'elbow', freedom 1", "body 'bob', shift along z".
void sn_world_freedom_name(const sn_world *world, int index, char *name, size_t size);

#endif
