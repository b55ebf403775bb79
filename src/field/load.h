// A force and a moment on a part of the surface of tetrahedra, as vertices feel them.
//
//     status = sn_load_create(mesh, vertices, count, place, &load, error);
//     sn_load_push(load, force, moment, false, x, f); // f += nodal forces at positions x
//     sn_load_destroy(load);
//
// The force is spread evenly over the faces all of whose nodes are chosen, the moment as a traction
// t = a x r that grows with the distance from their middle, as bending and twisting have it.
// Vertices get what the shape functions give them, f_i = sum_j M_ij (c + a x r_j), with M the mass
// matrix of the faces at rest (areas as weights) and r_j from their mean: so force and moment come
// out to round-off wherever the vertices are. Where the choice has no whole face, its vertices
// count alike.
//
// Vectors have SN_SOLID_STRIDE numbers a vertex.
#ifndef SN_FIELD_LOAD_H
#define SN_FIELD_LOAD_H

#include "sinew/tetrahedra.h"

typedef struct sn_load sn_load;

// SN_ERROR_ARGUMENT for vertices that there are not, or none.
SN_API sn_status sn_load_create(const sn_tetrahedra *mesh, const int *vertices, int count,
                                const char *place, sn_load **load, sn_error *error);
SN_API sn_load *sn_load_copy(const sn_load *load); // NULL when memory runs out
SN_API void sn_load_destroy(sn_load *load);        // NULL is allowed

// Can it turn? Not if it acts on a point or a line.
SN_API bool sn_load_has_moment(const sn_load *load);

// `follows`: force and moment turn as the loaded part has since it was at rest.
SN_API void sn_load_push(const sn_load *load, sn_vec3 force, sn_vec3 moment, bool follows,
                         const double *x, double *f);

#endif
