// Questions about meshes and height fields ("grounds"): query.h's, through their trees.
//
// In all of them `ground` is a mesh or a height field and `other` is convex, a plane or another
// ground, as query.h allows. Grounds that are solid are met at once by what starts with its middle
// inside.
#ifndef SN_COLLIDE_MESH_QUERY_H
#define SN_COLLIDE_MESH_QUERY_H

#include "collide/query.h"

// Distance from the ground to the other; negative: depth. INFINITY for what cannot move at all.
SN_API double sn_ground_distance(const sn_collider *ground, const sn_transform *place_ground,
                                 const sn_collider *other, const sn_transform *place_other,
                                 sn_vec3 *on_ground, sn_vec3 *on_other);

// Where origin + fraction * direction (world) first meets it. A sheet's normal is against the
// direction.
SN_API bool sn_ground_ray(const sn_collider *ground, const sn_transform *place, sn_vec3 origin,
                          sn_vec3 direction, double limit, double *fraction, sn_vec3 *point,
                          sn_vec3 *normal);

// Where a convex collider, moved by fraction * translation, first meets the ground.
SN_API bool sn_ground_cast(const sn_collider *convex, const sn_transform *place_convex,
                           sn_vec3 translation, const sn_collider *ground,
                           const sn_transform *place_ground, double *fraction, sn_vec3 *point,
                           sn_vec3 *normal);

// The first fraction of their ways at which they come as near as `nearness`. A mesh may also sweep
// against a plane or another ground, facet by facet.
SN_API bool sn_ground_impact(const sn_collider *ground, const sn_sweep *sweep_ground,
                             const sn_collider *other, const sn_sweep *sweep_other, double nearness,
                             double *fraction);

#endif
