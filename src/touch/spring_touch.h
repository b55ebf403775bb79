// Contact by the thesis' springs (solve/contact_spring.h) for elastic bodies under integrators with
// stages: the one method that lets them touch, as forces between one meeting and the next parting.
//
//     sn_world_begin_springs      at the start of a step: which springs there are where everything
//                                 stands
//     sn_world_add_springs        at every evaluation of forces
//     sn_world_watch_springs      after each step of the integrator: does something meet or part
//                                 within it, and when first?
//     sn_world_take_springs       the integrator has stopped there
//
// Meetings are the thesis' own (collide/meeting.h): clearances as cubics over sorted lists of
// boxes; then their time is made exact on the integrator's dense output. A vertex that is in
// another body has a spring to the nearest point of that body's surface, two edges that have
// crossed one between them, and everything that rigid shapes touch one each, found where it is
// asked for.
//
// Positions alone do not tell from which side a vertex has come into a thin body, nor whether two
// edges have crossed or are on both sides of a wall: springs stay from step to step and are part of
// the state. A vertex knows the face whose side it has come from. Faces that look the other way do
// not count for it, so that it is pulled back to that side however deep it is; where the nearest
// face of all is one that counts, this becomes its side, so that it may slide around a body. What
// is through a body all the same, and was pushed farther than half its thickness, stops the world
// (spring_side.c). A vertex that is in another body without a spring, as at the start, gets one to
// the nearest side.
//
// Edges, and vertices in their own body, have springs by meetings only. These go when they part or
// are deeper than SN_SPRING_DEPTH of the mean edge outside. On one body only what was at rest
// farther apart than twice that has them, and of edges only ridges.
#ifndef SN_TOUCH_SPRING_TOUCH_H
#define SN_TOUCH_SPRING_TOUCH_H

#include "model/spring_touch_state.h"

void sn_spring_touch_free(sn_spring_touch *touch);

// Is everything that may touch under one integrator with stages, as springs need it?
sn_status sn_world_check_springs(const sn_world *world, sn_error *error);
SN_API sn_status sn_world_begin_springs(sn_world *world, sn_error *error);
void sn_world_add_springs(sn_world *world, int group);
SN_API double sn_world_spring_energy(const sn_world *world);
// How many there are, without those of rigid shapes; between steps.
SN_API int sn_world_spring_count(const sn_world *world);

// Puts the state at a time within the integrator's step into the agents.
typedef bool sn_spring_look(void *context, double t);
bool sn_world_watch_springs(sn_world *world, sn_spring_look *look, void *context, double t_a,
                            double t_b, double *t);
void sn_world_take_springs(sn_world *world);
// The step failed.

// As part of the state: finite doubles throughout.
void sn_world_walk_springs(sn_world *world, sn_state_walk *walk);
bool sn_world_reserve_springs(sn_world *world); // before one that loads
bool sn_spring_touch_copy(const sn_spring_touch *touch, sn_spring_touch *copy);

// ---- between the files of springs ----
enum { SN_SPRING_STRIDE = 3 }; // numbers a vertex, as the meetings' skin has them

// Positions and velocities of all vertices, as agents have them, to `row` and behind it.
void sn_spring_read(const sn_world *world, double *row);
size_t sn_spring_row(const sn_spring_touch *touch); // numbers of one
// Places the skin at a row of positions, which must last.
void sn_spring_place(sn_spring_touch *touch, const double *x);
// How deep what a spring holds is in, where the skin is placed; 0 or below: it is out.
SN_API double sn_spring_depth(const sn_world *world, const sn_touch_spring *spring);
// The nearest point of an agent's surface to a vertex of the skin, of the faces that count for one
// that came from `side` (-1: all).
typedef struct sn_spring_near {
    int face; // -1: none
    double weights[3];
    sn_vec3 apart; // from there to the vertex
    bool inside;
} sn_spring_near;
sn_spring_near sn_spring_find_near(const sn_world *world, int vertex, int agent, int side);
// Does a face look the other way than one that a vertex came through, at rest?
bool sn_spring_looks_away(const sn_spring_touch *touch, int side, int face);
// sign: of two edges, see contact_spring.h.
bool sn_spring_may_meet(const sn_world *world, sn_pair_kind kind, int a, int b, int sign);
// Is there room in the state for one more?
bool sn_spring_has_room(const sn_world *world, int count);
bool sn_spring_has(const sn_spring_touch *touch, const sn_touch_spring *spring);
// The spring that a meeting makes, at a row of positions and velocities.
sn_touch_spring sn_spring_of_meeting(const sn_spring_touch *touch, const sn_meeting *meeting,
                                     const double *row);
// A pair of elastic agents, or one and a rigid surface (b < 0): the law for a point that moves so
// much mass.
sn_spring_law sn_spring_law_of(const sn_world *world, int a, int b, const sn_surface *surface,
                               double mass);
// What dampers at a node of an agent are measured by: its share of the mass, or of ten nodes, where
// corners have none, its own inertia.
double sn_spring_mass(const sn_world *world, int agent, int node);
// Adds a force to a vertex of the row.
void sn_spring_push(sn_world *world, int vertex, sn_vec3 force);

// ---- spring_side.c ----
// At the end of a stretch without events, or at one, with the skin placed there: sides as they are
// from then on; false: a vertex is through a body.
bool sn_world_follow_sides(sn_world *world);
// Over a stretch with gaps and places at both ends: false: a vertex was pushed through a
// shape, or a shape into the skin by more than its middle.
bool sn_world_check_shapes(sn_world *world);
// Where a vertex that is outside a shape at both ends has come through it on the way: the share of
// the stretch, or 1.
double sn_spring_tunnel(const sn_world *world, const sn_spring_gap *gap);

// ---- spring_shape.c ----
// Forces of rigid shapes on the skin where it is placed, and back; or their energy alone.
double sn_world_press_shapes(sn_world *world, int group, bool push);
// Vertices that are nearer than `margin` to a shape, in order, and where the shapes are.
bool sn_world_find_gaps(sn_world *world, double margin, sn_spring_gap_list *gaps,
                        sn_spring_frame_list *places);
double sn_world_fastest_shape(const sn_world *world); // m/s, at most

#endif
