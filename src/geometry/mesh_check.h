// The weaker check that integrals over a mesh's inside need.
#ifndef SN_GEOMETRY_MESH_CHECK_H
#define SN_GEOMETRY_MESH_CHECK_H

#include "sinew/geometry.h"

// Like sn_mesh_check, but allows what does not change the integrals: vertices and edges where the
// body touches itself, triangles without area, and pairs of triangles that cancel.
sn_status sn_mesh_check_closed(const sn_mesh *mesh, sn_error *error);

#endif
