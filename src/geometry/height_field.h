// The inside of a height field, for hot loops.
//
// Sample (i, j), column i of `columns` and row j of `rows`, is at x = (i / (columns - 1) - 1/2)
// size_x, y likewise, z = heights[j * columns + i]. Cell (i, j) lies between samples (i, j) and (i
// + 1, j + 1), cut along the diagonal between these two: triangle 0 is (i, j), (i + 1, j), (i + 1,
// j + 1), triangle 1 is (i, j), (i + 1, j + 1), (i, j + 1). Triangles are numbered 2 (j (columns -
// 1) + i) + 0 or 1.
//
// The pyramid has the lowest and highest height of blocks of cells: level 0 of each cell, each
// further level of 2 x 2 blocks of the one before, up to one block.
#ifndef SN_GEOMETRY_HEIGHT_FIELD_H
#define SN_GEOMETRY_HEIGHT_FIELD_H

#include <stdatomic.h>

#include "sinew/geometry.h"

enum { SN_HEIGHT_LEVELS = 32 };

typedef struct sn_height_range {
    double lower, upper;
} sn_height_range;

struct sn_height_field {
    atomic_int references;
    int columns, rows; // of samples
    double size_x, size_y;
    double *heights; // columns * rows
    int level_count;
    int level_columns[SN_HEIGHT_LEVELS], level_rows[SN_HEIGHT_LEVELS]; // in blocks
    sn_height_range *levels[SN_HEIGHT_LEVELS]; // level_columns * level_rows each
    sn_height_range *ranges;                   // all levels, one after the other
    sn_aabb bounds;
};

static inline double sn_height_field_x(const sn_height_field *field, int column)
{
    return field->size_x * ((double)column / (field->columns - 1) - 0.5);
}

static inline double sn_height_field_y(const sn_height_field *field, int row)
{
    return field->size_y * ((double)row / (field->rows - 1) - 0.5);
}

static inline sn_vec3 sn_height_field_sample(const sn_height_field *field, int column, int row)
{
    return sn_vec3_make(sn_height_field_x(field, column), sn_height_field_y(field, row),
                        field->heights[(size_t)row * (size_t)field->columns + (size_t)column]);
}

// The three corners of a triangle, counter-clockwise from above.
SN_API void sn_height_field_triangle(const sn_height_field *field, int triangle,
                                     sn_vec3 corners[3]);

#endif
