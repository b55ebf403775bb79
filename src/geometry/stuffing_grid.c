#include "geometry/stuffing_grid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { TOP = SN_STUFFING_LEVELS - 1, MARGIN = 2 };

// ---- making ----

// Whole coarsest cubes on both sides of the middle.
static double cubes_along(double extent, double spacing)
{
    double half = ceil(0.5 * extent / spacing) + MARGIN, coarse = 1 << TOP;
    return 2.0 * ceil(half / coarse) * coarse;
}

double sn_stuffing_grid_cubes(sn_aabb bounds, double spacing)
{
    sn_vec3 size = sn_vec3_sub(bounds.upper, bounds.lower);
    return cubes_along(size.x, spacing) * cubes_along(size.y, spacing) *
           cubes_along(size.z, spacing);
}

static size_t cube_count(const sn_stuffing_grid *grid, int level)
{
    const int *n = grid->size[level];
    return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

sn_status sn_stuffing_grid_make(sn_stuffing_grid *grid, sn_aabb bounds, double spacing,
                                sn_error *error)
{
    *grid = (sn_stuffing_grid){.spacing = spacing};
    sn_vec3 size = sn_vec3_sub(bounds.upper, bounds.lower);
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(bounds.upper, bounds.lower));
    const double count[3] = {cubes_along(size.x, spacing), cubes_along(size.y, spacing),
                             cubes_along(size.z, spacing)};
    for (int axis = 0; axis < 3; ++axis) {
        for (int level = 0; level <= TOP; ++level) {
            grid->size[level][axis] = (int)count[axis] >> level;
        }
    }
    sn_vec3 half = sn_vec3_make(count[0], count[1], count[2]);
    grid->origin = sn_vec3_add_scaled(middle, -0.5 * spacing, half);
    bool good = (grid->touched = sn_allocate_zero(cube_count(grid, 0))) != NULL;
    for (int level = 0; level <= TOP && good; ++level) {
        good = (grid->split[level] = sn_allocate_zero(cube_count(grid, level))) != NULL;
    }
    return good ? SN_OK : sn_fail_memory(error, cube_count(grid, 0));
}

void sn_stuffing_grid_free(sn_stuffing_grid *grid)
{
    sn_free(grid->touched);
    for (int level = 0; level <= TOP; ++level) {
        sn_free(grid->split[level]);
    }
    *grid = (sn_stuffing_grid){0};
}

// ---- where the surface is ----

// Do the projections of a triangle, given from the middle of a box, and of the box overlap?
static bool overlaps_along(const sn_vec3 p[3], sn_vec3 axis, double half)
{
    double a = sn_dot(p[0], axis), b = sn_dot(p[1], axis), c = sn_dot(p[2], axis);
    double least = fmin(a, fmin(b, c)), most = fmax(a, fmax(b, c));
    double reach = half * (fabs(axis.x) + fabs(axis.y) + fabs(axis.z));
    return least <= reach && most >= -reach;
}

// Separating axes: of the cube, of the triangle, and crosswise (Akenine-Moeller 2001).
static bool meets_cube(const sn_vec3 corners[3], sn_vec3 middle, double half)
{
    static const sn_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_vec3 p[3], edges[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = sn_vec3_sub(corners[k], middle);
    }
    for (int k = 0; k < 3; ++k) {
        edges[k] = sn_vec3_sub(p[(k + 1) % 3], p[k]);
    }
    for (int k = 0; k < 3; ++k) {
        if (!overlaps_along(p, axes[k], half)) {
            return false;
        }
    }
    if (!overlaps_along(p, sn_cross(edges[0], edges[1]), half)) {
        return false;
    }
    for (int k = 0; k < 9; ++k) {
        if (!overlaps_along(p, sn_cross(axes[k / 3], edges[k % 3]), half)) {
            return false;
        }
    }
    return true;
}

// From coarse to fine, so that large triangles cost what they touch.
static void touch_cube(sn_stuffing_grid *grid, const sn_vec3 corners[3], int level,
                       const int cube[3])
{
    int step = 1 << level;
    const int middle[3] = {(2 * cube[0] + 1) * step, (2 * cube[1] + 1) * step,
                           (2 * cube[2] + 1) * step};
    // Rounding must not part a triangle from the cubes that it lies between.
    double half = 0.5001 * step * grid->spacing;
    if (!meets_cube(corners, sn_stuffing_grid_point(grid, middle), half)) {
        return;
    }
    if (level == 0) {
        grid->touched[sn_stuffing_grid_index(grid, 0, cube)] = 1;
        return;
    }
    for (int k = 0; k < 8; ++k) {
        const int child[3] = {2 * cube[0] + (k & 1), 2 * cube[1] + (k >> 1 & 1),
                              2 * cube[2] + (k >> 2)};
        touch_cube(grid, corners, level - 1, child);
    }
}

// The range of coarsest cubes that the triangle's box lies in.
static void range_of(const sn_stuffing_grid *grid, double least, double most, double origin,
                     int axis, int range[2])
{
    double size = grid->spacing * (1 << TOP);
    int last = grid->size[TOP][axis] - 1;
    range[0] = (int)fmax(0.0, floor((least - origin) / size - 0.001));
    range[1] = (int)fmin(last, floor((most - origin) / size + 0.001));
}

void sn_stuffing_grid_touch(sn_stuffing_grid *grid, const sn_vec3 corners[3])
{
    sn_vec3 lower = sn_vec3_min(sn_vec3_min(corners[0], corners[1]), corners[2]);
    sn_vec3 upper = sn_vec3_max(sn_vec3_max(corners[0], corners[1]), corners[2]);
    int x[2], y[2], z[2];
    range_of(grid, lower.x, upper.x, grid->origin.x, 0, x);
    range_of(grid, lower.y, upper.y, grid->origin.y, 1, y);
    range_of(grid, lower.z, upper.z, grid->origin.z, 2, z);
    for (int k = z[0]; k <= z[1]; ++k) {
        for (int j = y[0]; j <= y[1]; ++j) {
            for (int i = x[0]; i <= x[1]; ++i) {
                touch_cube(grid, corners, TOP, (int[]){i, j, k});
            }
        }
    }
}

bool sn_stuffing_grid_touch_leaf(sn_stuffing_grid *grid, int level, const int cube[3])
{
    bool changed = false;
    int side = 1 << level;
    for (int k = 0; k < side * side * side; ++k) {
        const int finest[3] = {cube[0] * side + k % side, cube[1] * side + k / side % side,
                               cube[2] * side + k / side / side};
        uint8_t *touched = &grid->touched[sn_stuffing_grid_index(grid, 0, finest)];
        changed = changed || !*touched;
        *touched = 1;
    }
    return changed;
}

// ---- grading ----

// Marks the parents of a cube and of all around it. A cube whose neighbour is split is there, so
// that leaves that meet differ by one level at most.
static void split_parents(sn_stuffing_grid *grid, int level, const int cube[3])
{
    for (int k = 0; k < 27; ++k) {
        int at[3] = {cube[0] + k % 3 - 1, cube[1] + k / 3 % 3 - 1, cube[2] + k / 9 - 1};
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            inside = inside && at[axis] >= 0 && at[axis] < grid->size[level][axis];
            at[axis] >>= 1;
        }
        if (inside) {
            grid->split[level + 1][sn_stuffing_grid_index(grid, level + 1, at)] = 1;
        }
    }
}

void sn_stuffing_grid_grade(sn_stuffing_grid *grid)
{
    memcpy(grid->split[0], grid->touched, cube_count(grid, 0));
    for (int level = 0; level < TOP; ++level) {
        const int *n = grid->size[level];
        const uint8_t *split = grid->split[level];
        memset(grid->split[level + 1], 0, cube_count(grid, level + 1));
        for (int k = 0; k < n[2]; ++k) {
            for (int j = 0; j < n[1]; ++j) {
                for (int i = 0; i < n[0]; ++i) {
                    if (*split++) {
                        split_parents(grid, level, (int[]){i, j, k});
                    }
                }
            }
        }
    }
    memset(grid->split[0], 0, cube_count(grid, 0));
}

// ---- leaves ----

static bool is_there(const sn_stuffing_grid *grid, int level, const int cube[3])
{
    const int parent[3] = {cube[0] >> 1, cube[1] >> 1, cube[2] >> 1};
    return level == TOP || grid->split[level + 1][sn_stuffing_grid_index(grid, level + 1, parent)];
}

bool sn_stuffing_grid_is_leaf(const sn_stuffing_grid *grid, int level, const int cube[3])
{
    return !grid->split[level][sn_stuffing_grid_index(grid, level, cube)] &&
           is_there(grid, level, cube);
}

sn_stuffing_neighbour sn_stuffing_grid_neighbour(const sn_stuffing_grid *grid, int level,
                                                 const int cube[3], int axis, int side)
{
    int at[3] = {cube[0], cube[1], cube[2]};
    at[axis] += side;
    if (at[axis] < 0 || at[axis] >= grid->size[level][axis]) {
        return SN_STUFFING_NONE;
    }
    return !is_there(grid, level, at)                                    ? SN_STUFFING_LARGER
           : grid->split[level][sn_stuffing_grid_index(grid, level, at)] ? SN_STUFFING_SMALLER
                                                                         : SN_STUFFING_EQUAL;
}
