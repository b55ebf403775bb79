// Sinew contact: what touches what, with what force, and questions about space.
//
//     sn_shape ground = sn_default_shape();
//     ground.type = SN_SHAPE_BOX;
//     ground.size = (sn_vec3){4.0, 4.0, 0.1};
//     ground.surface.friction = 0.6;
//     sn_body_def floor = sn_default_body_def();
//     floor.type = SN_BODY_STATIC;
//     floor.shapes = &ground;
//     floor.shape_count = 1;
//     sn_body body;
//     sn_world_add_body(world, &floor, &body, &error);
//     sn_world_step(world, 1.0 / 240.0, &error);
//     for (int i = 0; i < sn_world_contact_count(world); ++i) {
//         sn_contact_info touch = sn_world_contact(world, i);
//         double newtons = sn_length(touch.force);
//         (void)newtons;
//     }
//
// In lockstep, shapes that meet push each other: no overlap, Coulomb friction, restitution, rolling
// and spinning friction, moving surfaces; how is in sn_surface (shape.h), by what method in
// sn_contact_def. Bodies that a joint connects do not meet unless the joint says so; nor do pairs
// of one mechanism whose joints keep them apart for ever, or that overlap where they are put
// together: see sn_world_dropped_pair_count.
//
// What it does not do: bodies whose integrator asks for forces several times a step (precise
// policy, rk4) meet others by methods that are forces alone: penalty, or springs, with which
// elastic bodies meet, too.
//
// Elastic bodies have one shape, number 0: their skin. Each of its points that touches is a
// contact, and a skin that touches itself is one of a body with itself. What is done to one that is
// stopped before surfaces cross (sn_step_report.restored) is in no force.
//
// Forces are means over the last step, in N; impulses in N s; world axes; on b (a gets the
// opposite).
#ifndef SINEW_CONTACT_H
#define SINEW_CONTACT_H

#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- what touches ----

typedef struct sn_contact_spot {
    sn_vec3 position; // between both surfaces
    double gap;       // m, negative: overlap, at the start of the last step
    sn_vec3 impulse;  // N s, of the last step
} sn_contact_spot;

typedef struct sn_contact_info {
    sn_body body_a, body_b;
    int shape_a, shape_b;
    sn_vec3 normal; // from a to b
    sn_vec3 force;  // N, mean of the last step
    double friction;
    int count;
    sn_contact_spot spots[4];
} sn_contact_info;

// Contacts that carried an impulse in the last step, in the order of bodies; then those of elastic
// bodies.
SN_API int sn_world_contact_count(const sn_world *world);
SN_API sn_contact_info sn_world_contact(const sn_world *world, int index);

// The sum of all contacts on a body in the last step, N, and how many there are (may be NULL).
SN_API sn_vec3 sn_body_contact_force(const sn_world *world, sn_body body, int *count);

// How many shapes of others were in the body's sensors at the start of the last step.
SN_API int sn_body_sensor_count(const sn_world *world, sn_body body);

typedef enum sn_contact_change {
    SN_CONTACT_BEGIN,
    SN_CONTACT_END,
    SN_CONTACT_STAY
} sn_contact_change;

// A pair of shapes that came to touch, or parted, in the last step, or touched in it and in the one
// before. Sensors too: they begin where shapes overlap, and carry no force. Where one of both was
// removed, the next step tells the end; its handle is then that of a body that is no more.
typedef struct sn_contact_event {
    sn_contact_change change;
    sn_body body_a, body_b;
    int shape_a, shape_b;
    bool sensor;
    double time; // of the step's end; of a sensor, its start, where overlap is looked for; of a
                 // body that was removed, when it was
    sn_vec3 position; // the mean of all points by their impulses; at the end, where they last were
    sn_vec3 normal;   // likewise, from a to b
    double impulse;   // N s of the last step along the normals; 0 at the end
} sn_contact_event;

// What began and ended. And what stays, in the order of bodies, then that of elastic bodies: asked
// for, it is gathered once a step; what nobody asks for costs nothing. -1: memory ran out.
SN_API int sn_world_contact_event_count(const sn_world *world);
SN_API sn_contact_event sn_world_contact_event(const sn_world *world, int index);
SN_API int sn_world_contact_stay_count(const sn_world *world);
SN_API sn_contact_event sn_world_contact_stay(const sn_world *world, int index);

// Pairs of a mechanism's bodies that were left out, and why.
typedef enum sn_pair_drop {
    SN_PAIR_JOINED,   // a joint connects them
    SN_PAIR_APART,    // joints keep them apart for ever
    SN_PAIR_OVERLAPS, // they overlap where they were put together
} sn_pair_drop;

typedef struct sn_dropped_pair {
    sn_body body_a, body_b;
    sn_pair_drop why;
} sn_dropped_pair;

SN_API int sn_world_dropped_pair_count(const sn_world *world);
SN_API sn_dropped_pair sn_world_dropped_pair(const sn_world *world, int index);

// ---- questions about space ----

// What a question is about; zeroes ask about everything but sensors.
typedef struct sn_query_filter {
    uint32_t meets;  // bits: shapes of these groups; 0: all
    sn_body without; // not this body
    bool sensors;    // sensors too
} sn_query_filter;

typedef struct sn_hit {
    sn_body body; // null: nothing was hit
    int shape;
    double fraction;          // of the way, 0 .. 1
    sn_vec3 position, normal; // where, and the surface's normal there, against the way
} sn_hit;

// The first thing on the way from `from` to `to`, for a point or for a shape that is moved without
// turning. False: nothing. A convex shape only; what overlaps something at the start hits it at
// fraction 0, with the normal against the way, zero if that has no length. Of elastic bodies rays
// hit the faces.
SN_API bool sn_world_cast_ray(const sn_world *world, sn_vec3 from, sn_vec3 to,
                              const sn_query_filter *filter, sn_hit *hit);
SN_API sn_status sn_world_cast_shape(const sn_world *world, const sn_shape *shape,
                                     sn_transform from, sn_vec3 travel,
                                     const sn_query_filter *filter, sn_hit *hit, sn_error *error);

// All bodies' shapes that overlap a shape: their number; the first `capacity` are written.
SN_API sn_status sn_world_overlap(const sn_world *world, const sn_shape *shape, sn_transform place,
                                  const sn_query_filter *filter, sn_hit *hits, int capacity,
                                  int *count, sn_error *error);

// The nearest points of two bodies, and the distance between them; negative: they overlap by this,
// elastic bodies as deep as the deepest face of their skin, or the deepest vertex of one skin in
// another. NaN for bodies that are not there or have no shapes, and for one and itself.
SN_API double sn_world_closest(const sn_world *world, sn_body a, sn_body b, sn_vec3 *on_a,
                               sn_vec3 *on_b);

// Two bodies that are in each other where they stand, and that contact would push apart in a step:
// not those that joints, bonds, groups, sensors or the method of contact keep from touching, and
// not what merely touches or is less deep than a hundredth of the thinner one.
typedef struct sn_body_overlap {
    sn_body body_a, body_b; // in the order of bodies
    double depth;           // m, of the deepest point
    sn_vec3 position;       // there
} sn_body_overlap;

// Their number, each pair once, in the order of bodies; the first `capacity` are written.
SN_API sn_status sn_world_find_overlaps(sn_world *world, sn_body_overlap *overlaps, int capacity,
                                        int *count, sn_error *error);

// Two bodies of one mechanism that were in each other when it was put together, and are therefore
// left out of contact, wherever they go.
typedef struct sn_left_out_pair {
    sn_body body_a, body_b;
} sn_left_out_pair;

// Their number, in order; the first `capacity` are written.
SN_API sn_status sn_world_find_left_out(sn_world *world, sn_left_out_pair *pairs, int capacity,
                                        int *count, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
