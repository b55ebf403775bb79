// Surfaces filled by the program Gmsh.
#ifndef SN_GEOMETRY_TETRAHEDRA_MESHER_H
#define SN_GEOMETRY_TETRAHEDRA_MESHER_H

#include "sinew/tetrahedra.h"

// As SN_FILL_GMSH of sn_tetrahedra_fill, with options that have been checked.
sn_status sn_gmsh_fill(const sn_mesh *surface, const sn_tetrahedra_fill_options *options,
                       sn_tetrahedra **tetrahedra, sn_tetrahedra_fill_report *report,
                       sn_error *error);

#endif
