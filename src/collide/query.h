// Questions about two colliders or one: distance, rays, and what meets what on its way.
//
//     sn_vec3 on_a, on_b;
//     double gap = sn_collide_distance(&a, &place_a, &b, &place_b, NULL, &on_a, &on_b);
//
// All take every kind of collider, in any order, unless said otherwise; lengths and directions are
// the world's. Colliders are solid: what starts inside is met at fraction 0.
#ifndef SN_COLLIDE_QUERY_H
#define SN_COLLIDE_QUERY_H

#include "collide/collide.h"

// Distance and the two nearest points; negative: the depth of overlap, and points that are as far
// apart as it is. `cache` may be NULL. Two planes, fields, or a field and a plane have none:
// INFINITY.
SN_API double sn_collide_distance(const sn_collider *a, const sn_transform *place_a,
                                  const sn_collider *b, const sn_transform *place_b,
                                  sn_collide_cache *cache, sn_vec3 *on_a, sn_vec3 *on_b);

// Where origin + fraction * direction first meets the collider, 0 <= fraction <= limit, and its
// outward normal there (that of a start inside is against the direction, zero if there is none).
SN_API bool sn_collide_ray(const sn_collider *collider, const sn_transform *place, sn_vec3 origin,
                           sn_vec3 direction, double limit, double *fraction, sn_vec3 *point,
                           sn_vec3 *normal);

// Where the convex collider a, moved by fraction * translation without turning, first meets b; the
// normal is b's outward one at the point.
SN_API bool sn_collide_cast(const sn_collider *a, const sn_transform *place_a, sn_vec3 translation,
                            const sn_collider *b, const sn_transform *place_b, double *fraction,
                            sn_vec3 *point, sn_vec3 *normal);

// A collider on its way: `centre` (in its own frame) travels in a straight line at constant speed
// from where `start` puts it to where `end` does, while the rotation turns at a constant rate the
// short way about.
typedef struct sn_sweep {
    sn_vec3 centre;
    sn_transform start, end;
} sn_sweep;

SN_API sn_transform sn_sweep_at(const sn_sweep *sweep, double fraction);
SN_API sn_vec3 sn_sweep_travel(const sn_sweep *sweep); // of its centre
SN_API sn_vec3 sn_sweep_turn(const sn_sweep *sweep);   // rad, as a vector along the axis

// The first fraction of their ways at which two colliders, one of them convex, come as near as
// `nearness` (a little before, never after: by conservative advancement, Mirtich 1996). True at 0
// when they start nearer than that.
SN_API bool sn_collide_impact(const sn_collider *a, const sn_sweep *sweep_a, const sn_collider *b,
                              const sn_sweep *sweep_b, double nearness, double *fraction);

#endif
