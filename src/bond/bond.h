// Bonds of a world, and the rows they give to the solver.
#ifndef SN_BOND_BOND_H
#define SN_BOND_BOND_H

#include "model/bond_state.h"

sn_bond_record *sn_world_bond_record(const sn_world *world, sn_bond bond); // NULL: none
void sn_bond_set_free(sn_bond_set *set);
bool sn_world_copy_bonds(const sn_world *world, sn_world *copy);
void sn_world_remove_bonds_of(sn_world *world, sn_body body);

// The rows of a step of h, for islands and solver: after contacts have been found.
sn_status sn_world_find_bonds(sn_world *world, double h, sn_error *error);
// The same where no contact takes impulses: these rows are all that islands are made of.
sn_status sn_world_find_bonds_alone(sn_world *world, double h, sn_error *error);
// What a row is about, now.
sn_bond_view sn_world_bond_view(const sn_world *world, const sn_bond_record *record, int row,
                                double time);
// Before a step: what staged agents hold by themselves.
sn_status sn_world_give_bonds(sn_world *world, sn_error *error);
// The same rows where agents are now: in the middle of the step, before velocities have changed,
// and at its end.
void sn_world_renew_bonds(sn_world *world, double h, bool at_end);
// Marks vertices that a bond of the step under way leads, wherever the rest of their body stays: by
// their numbers in the elastic set.
void sn_world_mark_led(const sn_world *world, uint8_t *led);
// Those that are curved, where agents lean: of a sn_exact_problem, with the world as its context.
void sn_world_bend_bonds(void *context, sn_exact_bond *const *bonds, int count);
// At the end of the step: forces, and what breaks.
void sn_world_finish_bonds(sn_world *world, double h);

// What they carry, what is broken and how far along their paths they are.
void sn_world_walk_bonds(sn_world *world, sn_state_walk *walk);
// Before a step: those that are broken already.
void sn_world_mark_broken_bonds(sn_world *world);

// ---- bond_hold.c ----
struct sn_group;
// Are bodies that move tied to each other under integrators with stages?
bool sn_world_ties_groups(const sn_world *world);
// May they be?
sn_status sn_world_check_tied(const sn_world *world, sn_body a, sn_body b, const char *name,
                              sn_error *error);
// The first time after t at which a bond begins or ends.
double sn_world_next_bond_time(const sn_world *world, double t);
// Takes from the accelerations of a group what bonds forbid. False when memory runs out.
bool sn_world_hold_bonds(sn_world *world, const struct sn_group *group, double time,
                         double *y_rate);

// ---- bond_load.c ----
// It breaks, under the load it has.
void sn_bond_let_go(sn_bond_record *record, double time);
// What bonds of a group carry, as the last evaluation of its rate has found, which was at `time`.
void sn_world_weigh_bonds(sn_world *world, const struct sn_group *group, double time);

#endif
