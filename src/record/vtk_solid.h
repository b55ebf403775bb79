// Elastic bodies of a recording as unstructured grids (.vtu): their tetrahedra where they are, how
// far they have come since the first frame, and how fast.
#ifndef SN_RECORD_VTK_SOLID_H
#define SN_RECORD_VTK_SOLID_H

#include "base/array.h"
#include "record/vtk_array.h"

typedef struct sn_vtk_solids {
    int points, elements, corners;
    SN_ARRAY(sn_vec3) start; // points, in the first frame
    SN_ARRAY(sn_vec3) now;   // scratch: positions, then velocities
} sn_vtk_solids;

// From a world in its first frame. Without elastic bodies there are no points.
sn_status sn_vtk_solids_make(sn_vtk_solids *solids, const sn_world *world, sn_error *error);
void sn_vtk_solids_free(sn_vtk_solids *solids);

// Fills the file's text with the world as it stands.
void sn_vtk_solids_fill(sn_vtk_solids *solids, const sn_world *world, sn_vtk_file *file);

#endif
