// Flat sections cut into triangles, and bodies swept from them.
//
// Every triangle lists its corners so that each edge runs the same way in both triangles it belongs
// to, from an earlier to a later corner: sweeping then cuts the walls between prisms alike.
#ifndef SN_GEOMETRY_TETRAHEDRA_SECTION_H
#define SN_GEOMETRY_TETRAHEDRA_SECTION_H

#include "base/array.h"
#include "sinew/tetrahedra.h"

typedef struct sn_section {
    SN_ARRAY(sn_vec2) points;
    SN_ARRAY(int) triangles; // 3 each
    bool failed;             // out of memory
} sn_section;

void sn_section_free(sn_section *section);

// A point in the middle and rings around it, the k-th of k * spokes points.
void sn_section_disc(sn_section *section, double radius, int rings, int spokes);

// Rings + 1 circles of `segments` points.
void sn_section_annulus(sn_section *section, double inner_radius, double radius, int rings,
                        int segments);

// An outline filled with triangles of about `edge`: boundaries are divided evenly, inside is a
// lattice of equal triangles, joined by Delaunay's rule and smoothed.
sn_status sn_section_fill(sn_section *section, const sn_outline *outline, double edge,
                          sn_error *error);

// Raised along z in layers, from `lower`; frees the section.
sn_status sn_section_raise(sn_section *section, double lower, double height, int layers,
                           sn_tetrahedra **tetrahedra, sn_error *error);

// Turned around the z axis: (x, y) of the section is (distance + x from the axis, z). Points at
// distance 0 are one vertex each. Frees the section.
sn_status sn_section_turn(sn_section *section, double distance, int segments,
                          sn_tetrahedra **tetrahedra, sn_error *error);

#endif
