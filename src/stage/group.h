// Groups of agents under integrators with stages.
#ifndef SN_STAGE_GROUP_H
#define SN_STAGE_GROUP_H

#include "model/world.h"

// ---- group.c ----
sn_status sn_world_make_groups(sn_world *world, sn_error *error);
void sn_world_free_groups(sn_world *world);
int sn_group_count_switches(const sn_group *group);

// ---- group_move.c ----
// A step of the method begins: the greatest share of its strength that a bond carries in it has yet
// to be found.
void sn_group_begin(void *group);
bool sn_group_is_calm(void *group); // nothing but bonds is looked at, and they carry little
// What happens in a step beside roots, for sn_ode.
bool sn_group_watch(void *group, double t_a, double t_b, double *t);
bool sn_group_is_stopping(void *group);
// The rate of a group's state, and the values of its events and then of its switches, for sn_ode.
void sn_group_rate(void *group, double t, const double *y, double *y_rate);
void sn_group_roots(void *group, double t, const double *y, double *values);

// Moves one group from the world's time to `end`. An event that ends the step makes `*reached`
// come out earlier.
sn_status sn_world_step_group(sn_world *world, int group, double end, double *reached,
                              sn_error *error);

#endif
