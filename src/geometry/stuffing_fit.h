// The surface of a stuffed body fitted to the one it fills. Its vertices lie on that, so its flat
// faces cut off what is convex: a tube three elements thick would lose 4 % of its volume.
#ifndef SN_GEOMETRY_STUFFING_FIT_H
#define SN_GEOMETRY_STUFFING_FIT_H

#include "geometry/stuffing_cut.h"
#include "geometry/tetrahedra_surface.h"

// Moves vertices of the surface of `body` so that it keeps sharp edges of `surface` and encloses
// the same volume between them. `turn` as in the lattice. No dihedral angle falls below LEAST_ANGLE
// of stuffing_fit.c, or below what it was.
sn_status sn_stuffing_fit(sn_tetrahedra *body, const sn_mesh *surface, const sn_surface_tree *tree,
                          double turn, double spacing, sn_error *error);

#endif
