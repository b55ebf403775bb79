// Contacts of elastic bodies: between their skins, within one, and with the shapes of other bodies.
// Every contact has one point, and holds on each elastic side a grip (agent/elastic.h).
//
// Skins keep a distance of SN_SOFT_THICKNESS of the body's size, so that what the solver leaves
// undone in its last digits does not let surfaces cross.
#ifndef SN_TOUCH_SOFT_TOUCH_H
#define SN_TOUCH_SOFT_TOUCH_H

#include "model/soft_touch_state.h"

void sn_soft_touch_free(sn_soft_touch *soft);

// Finds the contacts of all elastic bodies for a step of h.
sn_status sn_world_collide_soft(sn_world *world, double h, sn_error *error);

// Whose skins may not cross (a == b: itself); and which shapes one may not.
bool sn_soft_may_meet(const sn_world *world, int a, int b);
bool sn_soft_meets_shape(const sn_world *world, int agent, const sn_touch_shape *shape);

// The shapes whose boxes overlap that of a skin on its way from `from` to `to`, in their order,
// into `shapes`. False when memory runs out.
bool sn_soft_find_shapes(sn_world *world, const double *from, const double *to, int count,
                         double reach);

// Of these only the ones that an elastic agent may not cross.
sn_status sn_soft_find_met_shapes(sn_world *world, int agent, const double *from, const double *to,
                                  double reach, sn_error *error);

// Do they cross where the step under way has found them? b: an agent, or -1 and the shape.
bool sn_soft_crosses(const sn_soft_touch *soft, int a, int b, uint32_t shape);

// ---- soft_stop.c ----
// What is about to cross a skin in the step that ends is taken back along its way to before that,
// and islands with elastic bodies do not gain energy. What bonds hold goes back with it: before
// anything stops links and bodies alone, and tears it off.
sn_status sn_world_stop_bonded(sn_world *world, sn_error *error);
sn_status sn_world_stop_soft(sn_world *world, double h, sn_error *error);

// ---- soft_memory.c ----
// The state was written from outside.
void sn_soft_touch_forget(sn_soft_touch *soft);

// A body is about to go.
void sn_soft_touch_drop_body(sn_soft_touch *soft, uint32_t body);

// What contacts remember, as bytes: count times sizeof(sn_soft_memory); the end of those is given.
int sn_soft_memory_count(const sn_soft_touch *soft);
unsigned char *sn_soft_memory_save(const sn_soft_touch *soft, unsigned char *at);
bool sn_soft_memory_is(const sn_world *world, const unsigned char *bytes, int count);
bool sn_soft_memory_load(sn_soft_touch *soft, const unsigned char *bytes, int count);

// What the contacts of the last step leave behind, before new ones are found; and of one of them.
bool sn_soft_remember(sn_soft_touch *soft);
const sn_soft_memory *sn_soft_recall(const sn_soft_touch *soft, const sn_soft_key *key);

// ---- soft_sense.c ----
// Notes which elastic bodies and sensors overlap at the start of a step: contacts that nobody
// solves.
sn_status sn_world_sense_soft(sn_world *world, sn_error *error);

// ---- soft_note.c ----
// At the end of a step: what touched, began and ended, for those who ask (contact_read.c). False
// when memory ran out for some of it.
bool sn_world_note_soft(sn_world *world);
// The pairs of a body that is about to go have ended. And those that touched in the last two steps.
bool sn_world_part_soft(sn_world *world, uint32_t body);
bool sn_world_gather_soft_stays(sn_world *world);

#endif
