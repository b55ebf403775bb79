// Every element of a mesh cut along planes parallel to its faces.
#ifndef SN_GEOMETRY_TETRAHEDRA_LATTICE_H
#define SN_GEOMETRY_TETRAHEDRA_LATTICE_H

#include "geometry/tetrahedra.h"

// A point between corners of an element: their weights add up to the number of parts. Corners that
// do not count are -1 and stand last, the others ascend: so a point has one name, whichever element
// it is seen from.
typedef struct sn_lattice_point {
    int corners[4];
    int weights[4];
} sn_lattice_point;

// Where a point shall be, instead of at the corners' mean.
typedef sn_vec3 sn_lattice_place(const void *context, const sn_lattice_point *point, sn_vec3 mean);

// `place` may be NULL.
sn_status sn_tetrahedra_lattice(const sn_tetrahedra *tetrahedra, int parts, sn_lattice_place *place,
                                const void *context, sn_tetrahedra **refined, sn_error *error);

#endif
