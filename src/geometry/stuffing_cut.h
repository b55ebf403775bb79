// A lattice of tetrahedra cut at the surface: lattice points near it are moved onto it, and what is
// left of the tetrahedra is made of fixed patterns whose angles are bounded (Labelle and Shewchuk,
// "Isosurface stuffing", 2007).
#ifndef SN_GEOMETRY_STUFFING_CUT_H
#define SN_GEOMETRY_STUFFING_CUT_H

#include "geometry/stuffing_lattice.h"

typedef struct sn_stuffing_mesh {
    SN_ARRAY(sn_vec3) positions;
    SN_ARRAY(uint8_t) on_surface; // of positions
    SN_ARRAY(int) elements;       // 4 each, in either order
} sn_stuffing_mesh;

// Moves points of the lattice. False when memory runs out.
bool sn_stuffing_cut(sn_stuffing_lattice *lattice, sn_stuffing_mesh *mesh);
void sn_stuffing_mesh_free(sn_stuffing_mesh *mesh);

#endif
