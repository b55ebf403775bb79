// Any surface, closed or nearly so, filled with tetrahedra of good shape: the filler behind
// sn_tetrahedra_fill.
#ifndef SN_GEOMETRY_STUFFING_H
#define SN_GEOMETRY_STUFFING_H

#include "sinew/tetrahedra.h"

// `edge`: of the lattice at the surface; 0: a tenth of the surface's largest extent.
sn_status sn_stuffing_fill(const sn_mesh *surface, double edge, sn_tetrahedra **tetrahedra,
                           sn_tetrahedra_fill_report *report, sn_error *error);

#endif
