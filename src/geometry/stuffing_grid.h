// The cubes of a graded lattice: an octree in dense levels, finest at a surface, coarser away from
// it, neighbours (also across edges and corners) of at most twice the size.
//
// Level 0 has cubes of the lattice's spacing, level k of 2^k times that. A cube is a leaf when it
// is there (its parent is split) and is not split itself. Points of the lattice, the corners and
// middles of leaves, are named by whole numbers of half spacings.
#ifndef SN_GEOMETRY_STUFFING_GRID_H
#define SN_GEOMETRY_STUFFING_GRID_H

#include "sinew/geometry.h"

enum { SN_STUFFING_LEVELS = 4 };

typedef struct sn_stuffing_grid {
    double spacing; // m: edges of the finest cubes
    sn_vec3 origin;
    int size[SN_STUFFING_LEVELS][3];    // cubes along each axis
    uint8_t *touched;                   // of level 0: the surface comes here
    uint8_t *split[SN_STUFFING_LEVELS]; // of level 0: wanted that fine
} sn_stuffing_grid;

// Which leaf is beyond a face of a leaf.
typedef enum sn_stuffing_neighbour {
    SN_STUFFING_NONE, // the lattice ends
    SN_STUFFING_EQUAL,
    SN_STUFFING_LARGER,
    SN_STUFFING_SMALLER
} sn_stuffing_neighbour;

// Cubes along all axes together that a surface of these bounds needs.
double sn_stuffing_grid_cubes(sn_aabb bounds, double spacing);

// The middle of the bounds is a corner of the lattice: surfaces that are symmetric or aligned with
// the axes are so in the lattice.
sn_status sn_stuffing_grid_make(sn_stuffing_grid *grid, sn_aabb bounds, double spacing,
                                sn_error *error);
void sn_stuffing_grid_free(sn_stuffing_grid *grid);

// Marks the finest cubes that a triangle meets, or those of which a leaf consists; the latter says
// whether any was not marked.
void sn_stuffing_grid_touch(sn_stuffing_grid *grid, const sn_vec3 corners[3]);
bool sn_stuffing_grid_touch_leaf(sn_stuffing_grid *grid, int level, const int cube[3]);

// Splits cubes so that those touched, and all around them, are of level 0, and sizes are graded.
void sn_stuffing_grid_grade(sn_stuffing_grid *grid);

bool sn_stuffing_grid_is_leaf(const sn_stuffing_grid *grid, int level, const int cube[3]);
sn_stuffing_neighbour sn_stuffing_grid_neighbour(const sn_stuffing_grid *grid, int level,
                                                 const int cube[3], int axis, int side);

static inline size_t sn_stuffing_grid_index(const sn_stuffing_grid *grid, int level,
                                            const int cube[3])
{
    const int *n = grid->size[level];
    return ((size_t)cube[2] * (size_t)n[1] + (size_t)cube[1]) * (size_t)n[0] + (size_t)cube[0];
}

static inline sn_vec3 sn_stuffing_grid_point(const sn_stuffing_grid *grid, const int point[3])
{
    double half = 0.5 * grid->spacing;
    return sn_vec3_make(grid->origin.x + half * point[0], grid->origin.y + half * point[1],
                        grid->origin.z + half * point[2]);
}

#endif
