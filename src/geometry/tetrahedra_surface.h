// The surface of tetrahedra by corners alone, whatever nodes they have.
#ifndef SN_GEOMETRY_TETRAHEDRA_SURFACE_H
#define SN_GEOMETRY_TETRAHEDRA_SURFACE_H

#include "geometry/tetrahedra.h"

sn_status sn_tetrahedra_flat_surface(const sn_tetrahedra *tetrahedra,
                                     sn_tetrahedra_surface *surface, sn_error *error);

#endif
