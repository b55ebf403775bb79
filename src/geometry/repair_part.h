// The surface that a mesh is while it is repaired, and the steps of the repair. See mesh_repair.c.
#ifndef SN_GEOMETRY_REPAIR_PART_H
#define SN_GEOMETRY_REPAIR_PART_H

#include "base/array.h"
#include "sinew/geometry.h"

// Triangles whose neighbours are what `twins` says, whatever vertices they name: where more than
// two triangles share an edge they are already apart here. Half-edges as in half_edge.h.
typedef struct sn_repair {
    SN_ARRAY(sn_vec3) positions;
    SN_ARRAY(int) corners; // 3 a triangle; the first is -1 for triangles that were dropped
    SN_ARRAY(int) twins;   // as many
    int own_triangles;     // those before this are the mesh's own, not of fillings
    double size;           // m: the diagonal of the box
    sn_mesh_repair *counts;
} sn_repair;

typedef struct sn_repair_edge {
    int a, b;       // positions, a < b
    int first, end; // in the sorted list
} sn_repair_edge;

static inline bool sn_repair_has(const sn_repair *r, int triangle)
{
    return r->corners.data[3 * (size_t)triangle] >= 0;
}

static inline sn_vec3 sn_repair_at(const sn_repair *r, int half_edge)
{
    return r->positions.data[r->corners.data[half_edge]];
}

sn_vec3 sn_repair_area(const sn_repair *r, int triangle); // twice the area, along the normal
bool sn_repair_is_flat(const sn_repair *r, int triangle); // no area, as sn_mesh_check has it
void sn_repair_drop_triangle(sn_repair *r, int triangle);
void sn_repair_compact(sn_repair *r); // takes dropped triangles out; twins are lost

// All half-edges sorted by the two vertices they join, for the caller to free; NULL: no memory.
int *sn_repair_sort_edges(const sn_repair *r);
sn_repair_edge sn_repair_next_edge(const sn_repair *r, const int *sorted, int first);

// Each step: false when memory runs out.
bool sn_repair_drop_duplicates(sn_repair *r); // repair_clean.c
bool sn_repair_drop_flaps(sn_repair *r);
bool sn_repair_orient(sn_repair *r); // repair_sew.c
bool sn_repair_pair(sn_repair *r);
bool sn_repair_stitch(sn_repair *r);
bool sn_repair_close_holes(sn_repair *r); // repair_holes.c
bool sn_repair_flatten(sn_repair *r);     // repair_finish.c
bool sn_repair_split(sn_repair *r);
bool sn_repair_drop_shells(sn_repair *r);

#endif
