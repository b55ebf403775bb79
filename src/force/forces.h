// Fields, and the forces of all of them.
#ifndef SN_FORCE_FORCES_H
#define SN_FORCE_FORCES_H

#include "model/world.h"

// ---- field.c ----
// Adds a field that is checked but for its name; owns what it holds only if that succeeds.
sn_status sn_world_add_field(sn_world *world, sn_field_record record, const char *name,
                             sn_field *field, sn_error *error);
sn_field_record *sn_world_field_record(const sn_world *world, sn_field field);
void sn_world_free_fields(sn_world *world);
bool sn_world_copy_fields(const sn_world *world, sn_world *copy);
void sn_world_remove_fields_of(sn_world *world, sn_body body);

// Both ends of a spring as they are now.
typedef struct sn_spring_ends {
    sn_vec3 a, a_velocity, b, b_velocity;
} sn_spring_ends;
sn_spring_ends sn_world_spring_ends(const sn_world *world, const sn_spring_def *spring);
sn_spring_state sn_spring_state_of(const sn_spring_def *spring, const sn_spring_ends *ends);
sn_spring_state sn_world_spring_state(const sn_world *world, const sn_spring_def *spring);
// A field of a kind that is about to be changed.
sn_status sn_world_find_to_change(const sn_world *world, sn_field field, sn_field_type type,
                                  sn_field_record **record, sn_error *error);

// ---- forces.c ----
// Forces of fields on the agents of a group, -1 for single-stage ones.
void sn_world_apply_spring(sn_world *world, const sn_field_record *record, int group);
void sn_world_apply_pull(sn_world *world, const sn_field_record *record, int group);
void sn_world_apply_drag(sn_world *world, const sn_field_record *record, int group);
void sn_world_apply_load(sn_world *world, const sn_field_record *record, int group);

// Fills f of every single-stage agent (group -1), or of every agent of one staged group, for the
// state as it stands.

void sn_world_evaluate_forces(sn_world *world, double time, int group);

#endif
