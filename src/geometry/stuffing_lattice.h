// A graded body-centred cubic lattice of tetrahedra around a surface, with its points inside or
// outside by the winding number. For the fillers of this folder.
//
// Between two cubes of the same size stand four tetrahedra around the line that joins their
// middles, one on each edge of their common face: those of the body-centred cubic lattice, with two
// long edges (of the cube, and between the middles; these are opposite) and four short ones. Where
// a larger cube meets smaller ones they are halved, quartered or become halves of pyramids (Labelle
// and Shewchuk, "Isosurface stuffing", 2007, section 3). The surface passes only through regular
// ones.
#ifndef SN_GEOMETRY_STUFFING_LATTICE_H
#define SN_GEOMETRY_STUFFING_LATTICE_H

#include "base/array.h"
#include "base/key_map.h"
#include "geometry/stuffing_grid.h"
#include "geometry/surface_tree.h"

typedef struct sn_stuffing_point {
    sn_vec3 x;
    int8_t sign;    // 1 inside, -1 outside, 0 on the surface
    uint8_t parity; // of the cubes' coordinates added up: ends of a long edge differ
    double winding;
} sn_stuffing_point;

typedef struct sn_stuffing_lattice {
    const sn_surface_tree *tree;
    double turn; // 1, or -1 for a surface that is inside out
    sn_stuffing_grid grid;
    sn_key_map numbers; // of points, by their coordinates
    SN_ARRAY(sn_stuffing_point) points;
    SN_ARRAY(int) whole; // 4 each: tetrahedra with all corners inside
    SN_ARRAY(int) cut;   // 4 each: some inside, some outside; long edges are 01 and 23
} sn_stuffing_lattice;

// `turn` as above. Frees what it has made when it fails.
sn_status sn_stuffing_lattice_make(sn_stuffing_lattice *lattice, const sn_mesh *surface,
                                   const sn_surface_tree *tree, double turn, double spacing,
                                   sn_error *error);
void sn_stuffing_lattice_free(sn_stuffing_lattice *lattice);

#endif
