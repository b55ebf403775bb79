// What may touch in a world: every shape of every body in the broad phase, the pairs of them that
// are near each other, and their contacts, which are kept from step to step.
//
// Everything here can be found again from where the bodies are, but for what contacts remember: the
// impulses and anchors of the last step (warm start), and the caches of the exact tests. Pairs are
// kept sorted by their shapes, so that results do not depend on the way by which they were found.
#ifndef SN_TOUCH_TOUCH_H
#define SN_TOUCH_TOUCH_H

#include "model/touch_state.h"

// ---- touch.c ----
void sn_touch_remove_body(sn_world *world, uint32_t body); // that is about to go
void sn_touch_free(sn_touch *touch);

// Its bounds are of another kind now: the broad phase is made anew, pairs stay.
void sn_touch_renew_broad(sn_touch *touch);

// Forgets what contacts remember: the state was written from outside.
void sn_touch_forget(sn_world *world);

// Finds all contacts for a step of h from the state as it stands.
SN_API sn_status sn_world_collide(sn_world *world, double h, sn_error *error);

// Brings the broad phase up to where bodies stand now, for questions between steps.
sn_status sn_world_place_shapes(sn_world *world, double h, sn_error *error);

// The pair of two shapes, a < b; NULL: they are not near.
sn_pair *sn_touch_find_pair(const sn_touch *touch, uint32_t a, uint32_t b);

// The drops and what contacts remember, for a world that has the same bodies.
bool sn_touch_copy(const sn_world *world, sn_world *copy);

// Which agent and part carry a shape, as a side of a contact.
sn_contact_side sn_touch_side(const sn_world *world, const sn_touch_shape *shape);

bool sn_touch_has_elastic(const sn_world *world, const sn_island *island);
const sn_collider *sn_touch_collider(const sn_world *world, const sn_touch_shape *shape);
const sn_surface *sn_touch_surface(const sn_world *world, const sn_touch_shape *shape);
bool sn_touch_may_meet(const sn_world *world, const sn_touch_shape *a, const sn_touch_shape *b);
// What "small" is measured by for two of them.
double sn_touch_pair_size(const sn_collider *a, const sn_collider *b);

// ---- pair_contact.c ----
// Bodies under integrators with stages know nothing of impulses, only of forces.
bool sn_touch_takes_part(const sn_world *world, sn_contact_side side);
// Finds the contacts of a pair for a step of h; how many manifolds were left out.
int sn_world_collide_pair(sn_world *world, sn_pair *pair, double h);
void sn_touch_clear_pair(sn_touch *touch, sn_pair *pair);
// The radius of a shape's surface at a point of it where its normal is this: see contact.h. Tori
// are round to planes, to what is convex and to each other.
double sn_touch_roundness(const sn_collider *collider, const sn_transform *place,
                          const sn_collider *other, sn_vec3 normal, sn_vec3 point);

// ---- foresee.c ----
// Leads the contacts of a pair on to planes of ground that it comes to in a step of h, or adds
// those, SN_PATCHES in all at most; how many there are then. ahead: sn_contact.ahead of each.
int sn_touch_foresee(const sn_world *world, const sn_pair *pair, double h, sn_manifold *manifolds,
                     int count, sn_vec3 *ahead, int *left_out);
// The motion of the frame of a side in a time h, as velocities have it: x -> motion x. *turn: the
// angle it turns by.
sn_transform sn_touch_motion(const sn_world *world, sn_contact_side side, double h, double *turn);

// ---- pass_by.c ----
// Do two convex shapes pass each other in a step of h, at what looks like a contact about to be?
bool sn_touch_passes_by(const sn_world *world, const sn_pair *pair, double h,
                        const sn_manifold *manifold);

// ---- touch_memory.c ----
// What contacts remember, as bytes, for states and copies.
size_t sn_touch_memory_size(const sn_world *world);
void sn_touch_save_memory(const sn_world *world, unsigned char *bytes);
sn_status sn_touch_load_memory(sn_world *world, const unsigned char *bytes, size_t size,
                               sn_error *error);
// Gives it to the pairs there are now. False when memory runs out.
bool sn_touch_remember(sn_world *world);
// The same at the start of a step, and back to it where the step fails.
sn_status sn_touch_keep(sn_world *world, sn_error *error);
void sn_touch_undo(sn_world *world);

// ---- contact_step.c ----
// The parts of a step in which contacts act, in the order of the calls.
sn_status sn_world_begin_contacts(sn_world *world, double h, sn_error *error);
sn_status sn_world_choose_solvers(sn_world *world, sn_error *error);
sn_status sn_world_press_contacts(sn_world *world, double h, sn_error *error);
sn_status sn_world_relax_contacts(sn_world *world, double h, sn_error *error);
void sn_world_rest_contacts(sn_world *world, double h);
// No agent is held, be it at rest or in a pile.
void sn_world_let_go(sn_world *world);

// ---- island_energy.c ----
// At the start of a step, once islands are known; false when memory runs out. At its end, islands
// that have more energy than they can have got are slowed down.
SN_API bool sn_world_note_energies(sn_world *world);
SN_API void sn_world_check_energies(sn_world *world, double h);
// The same of islands with springs that steps do not resolve, whatever contact is.
void sn_world_check_sprung(sn_world *world, double h);
// The same of islands with elastic bodies, once their skins have been stopped; whether some were
// moved, and must be looked at again.
bool sn_world_check_soft_energies(sn_world *world, double h);
// A mechanism that may stands still for the step, at half its velocity.
void sn_world_stand(sn_world *world, sn_agent_ref ref);
// After advance: islands in which something is no longer a number stand still.
SN_API void sn_world_stand_lost(sn_world *world);

// ---- penalty_step.c ----
// Once contacts are known: how many points each body has. False when memory runs out.
bool sn_world_count_penalties(sn_world *world);
// Adds the forces of contact by springs to agents of a group (-1: of none), and, at the end of a
// step, keeps what points that stick hold.
void sn_world_add_penalties(sn_world *world, double time, int group);
void sn_world_keep_penalties(sn_world *world, double time);

// ---- contact_read.c ----
// At the end of a step: what touched, began and ended. False when memory ran out for some of it.
bool sn_world_note_contacts(sn_world *world);
bool sn_touch_note_change(sn_world *world, const sn_pair *pair, sn_contact_change change);
// Of all that touches a body that is about to go. False when memory runs out, with nothing done.
bool sn_touch_part_body(sn_world *world, uint32_t body);

// ---- query.c ----
// The skin of an elastic body where it is now; NULL when memory runs out.
const sn_skin *sn_world_skin(const sn_world *world, sn_agent_ref ref, sn_error *error);

// ---- sweep.c ----
// Fast bodies that would have passed through something in the step are taken back to where they
// met it.
sn_status sn_world_stop_tunnelling(sn_world *world, double h, sn_error *error);
// The way of a shape through the step that ends; and back along it, for free bodies. A mechanism
// that has it stands still for the step, unless it follows a prescribed motion.
sn_sweep sn_touch_sweep(const sn_world *world, uint32_t shape);
void sn_touch_take_back(sn_world *world, uint32_t shape, double share);

// ---- strike.c ----
// Two shapes strike each other where they are now, at the end of a step, if they are nearer than
// `margin` and approach; or the core of one (NULL: none) and the other, without rebound or
// friction.
sn_status sn_world_strike(sn_world *world, uint32_t shape_a, uint32_t shape_b, double margin,
                          const sn_strike_core *core, sn_error *error);

// The same at the start of a step, for a contact of the pool that comes to touch within it and
// whose bodies turn by radians, or will once they have struck.
sn_status sn_world_strike_whirling(sn_world *world, const sn_pair *pair, int number, double h,
                                   bool *struck, sn_error *error);

#endif
