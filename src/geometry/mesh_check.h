// Weaker checks: what integrals over a mesh's inside need, and what a surface to stand on needs.
#ifndef SN_GEOMETRY_MESH_CHECK_H
#define SN_GEOMETRY_MESH_CHECK_H

#include "sinew/geometry.h"

// Like sn_mesh_check, but allows what does not change the integrals: vertices and edges where the
// body touches itself, triangles without area, and pairs of triangles that cancel.
sn_status sn_mesh_check_closed(const sn_mesh *mesh, sn_error *error);

// Like sn_mesh_check, but the surface may have rims: edges that belong to one triangle.
SN_API sn_status sn_mesh_check_surface(const sn_mesh *mesh, sn_error *error);

#endif
