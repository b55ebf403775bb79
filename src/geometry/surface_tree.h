// A tree over the triangles of any surface, closed or not, that answers two questions: how often
// the surface winds around a point, and where a segment crosses it.
//
//     sn_surface_tree *tree = NULL;
//     if (sn_surface_tree_create(mesh, &tree, &error) == SN_OK) {
//         bool inside = sn_surface_tree_winding(tree, point) > 0.5;
//         sn_surface_tree_destroy(tree);
//     }
//
// The generalised winding number is the sum of the signed solid angles of all triangles by 4 pi: 1
// inside and 0 outside of a closed surface, in between near holes, 2 where two shells overlap
// (Jacobson, Kavan, Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding
// numbers", 2013).
#ifndef SN_GEOMETRY_SURFACE_TREE_H
#define SN_GEOMETRY_SURFACE_TREE_H

#include "base/array.h"
#include "sinew/geometry.h"

typedef struct sn_surface_tree sn_surface_tree;

typedef SN_ARRAY(double) sn_crossings;

SN_API sn_status sn_surface_tree_create(const sn_mesh *mesh, sn_surface_tree **tree,
                                        sn_error *error);
SN_API void sn_surface_tree_destroy(sn_surface_tree *tree); // NULL is allowed

// By 4 pi: the signed solid angle of one triangle, positive seen from behind (Van Oosterom and
// Strackee, "The solid angle of a plane triangle", 1983).
SN_API double sn_triangle_winding(const sn_vec3 corners[3], sn_vec3 point);

// The sum over all triangles, one by one.
SN_API double sn_surface_tree_winding_exact(const sn_surface_tree *tree, sn_vec3 point);

// The same within some hundredths, in logarithmic time: triangles that are far away, seen as a
// group, act as one dipole (Barill, Dickson, Schmidt, Levin, Jacobson, "Fast winding numbers for
// soups and clouds", 2018).
SN_API double sn_surface_tree_winding(const sn_surface_tree *tree, sn_vec3 point);

// Where the segment from `from` to `to` crosses triangles, as shares of its length in rising order,
// in place of what `crossings` held. False when memory runs out.
SN_API bool sn_surface_tree_crossings(const sn_surface_tree *tree, sn_vec3 from, sn_vec3 to,
                                      sn_crossings *crossings);

// How far from `point` along a unit `direction` (negative: against it) the nearest triangle is that
// faces along it, or against it where `turn` is -1, within `reach`. False: none is.
SN_API bool sn_surface_tree_gap(const sn_surface_tree *tree, sn_vec3 point, sn_vec3 direction,
                                double reach, double turn, double *gap);

#endif
