// The faces of tetrahedra, equal ones side by side: who is next to whom.
//
//     sn_tetrahedra_faces faces;
//     status = sn_tetrahedra_faces_find(mesh, &faces, error);
//     for (int first = 0, last; first < faces.count; first = last) {
//         last = sn_tetrahedra_faces_group(&faces, first);
//         // faces.order[first .. last - 1] have the same corners; 4 element + face each
//     }
#ifndef SN_GEOMETRY_TETRAHEDRA_FACES_H
#define SN_GEOMETRY_TETRAHEDRA_FACES_H

#include "geometry/tetrahedra.h"

typedef struct sn_tetrahedra_faces {
    int count;    // 4 * element_count
    int *order;   // count: 4 element + face, by corners, then by number
    int *corners; // 3 * count: ascending, of face 4 element + face
} sn_tetrahedra_faces;

sn_status sn_tetrahedra_faces_find(const sn_tetrahedra *tetrahedra, sn_tetrahedra_faces *faces,
                                   sn_error *error);
void sn_tetrahedra_faces_free(sn_tetrahedra_faces *faces);

// Where the group that starts at order[first] ends.
int sn_tetrahedra_faces_group(const sn_tetrahedra_faces *faces, int first);

// Corners of face 4 element + face, turned outward.
static inline void sn_tetrahedra_face(const sn_tetrahedra *t, int face, int corners[3])
{
    const int *v = t->elements + (size_t)(face / 4) * (size_t)t->nodes;
    for (int k = 0; k < 3; ++k) {
        corners[k] = v[sn_tetrahedron_faces[face % 4][k]];
    }
}

#endif
