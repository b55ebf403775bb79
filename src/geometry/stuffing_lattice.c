#include "geometry/stuffing_lattice.h"

#include "base/error.h"
#include "base/memory.h"

// ---- points ----

static uint64_t key_of(const int at[3])
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 20 | (uint64_t)at[2] << 40;
}

// The number of the point, which is made, inside or outside, when it is new; -1: memory ran out.
static int point_at(sn_stuffing_lattice *l, const int at[3])
{
    int *number = sn_key_map_put(&l->numbers, key_of(at), l->points.count);
    if (number == NULL) {
        return -1;
    }
    if (*number < l->points.count) {
        return *number;
    }
    sn_stuffing_point point = {.x = sn_stuffing_grid_point(&l->grid, at),
                               .parity =
                                   (uint8_t)(((at[0] >> 1) + (at[1] >> 1) + (at[2] >> 1)) & 1)};
    point.winding = l->turn * sn_surface_tree_winding(l->tree, point.x);
    point.sign = point.winding > 0.5 ? 1 : -1;
    return sn_array_push(&l->points, point) ? *number : -1;
}

static int known_point(const sn_stuffing_lattice *l, const int at[3])
{
    return sn_key_map_find(&l->numbers, key_of(at));
}

static void corner_of(int level, const int cube[3], int corner, int at[3])
{
    int side = 2 << level;
    at[0] = (cube[0] + (corner & 1)) * side;
    at[1] = (cube[1] + (corner >> 1 & 1)) * side;
    at[2] = (cube[2] + (corner >> 2)) * side;
}

static void middle_of(int level, const int cube[3], int at[3])
{
    int step = 1 << level;
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] = (2 * cube[axis] + 1) * step;
    }
}

// ---- leaves ----

typedef bool visit_leaf(sn_stuffing_lattice *l, int level, const int cube[3], bool *changed);

static bool for_leaves(sn_stuffing_lattice *l, visit_leaf *visit, bool *changed)
{
    for (int level = SN_STUFFING_LEVELS - 1; level >= 0; --level) {
        const int *n = l->grid.size[level];
        int cube[3];
        for (cube[2] = 0; cube[2] < n[2]; ++cube[2]) {
            for (cube[1] = 0; cube[1] < n[1]; ++cube[1]) {
                for (cube[0] = 0; cube[0] < n[0]; ++cube[0]) {
                    if (sn_stuffing_grid_is_leaf(&l->grid, level, cube) &&
                        !visit(l, level, cube, changed)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

// Makes the points of a leaf. Where they are on different sides, as at a hole, the surface that is
// meant comes here, and the leaf must be fine.
static bool make_points(sn_stuffing_lattice *l, int level, const int cube[3], bool *changed)
{
    int at[3];
    middle_of(level, cube, at);
    int number = point_at(l, at);
    if (number < 0) {
        return false;
    }
    bool inside = l->points.data[number].sign > 0, mixed = false;
    for (int k = 0; k < 8; ++k) {
        corner_of(level, cube, k, at);
        number = point_at(l, at);
        if (number < 0) {
            return false;
        }
        mixed = mixed || (l->points.data[number].sign > 0) != inside;
    }
    if (mixed && sn_stuffing_grid_touch_leaf(&l->grid, level, cube)) {
        *changed = true;
    }
    return true;
}

// ---- tetrahedra ----

static bool add(sn_stuffing_lattice *l, int a, int b, int c, int d)
{
    const int v[4] = {a, b, c, d};
    int inside = 0;
    for (int k = 0; k < 4; ++k) {
        inside += l->points.data[v[k]].sign > 0;
    }
    bool good = true;
    for (int k = 0; k < 4 && inside > 0 && good; ++k) {
        good = inside == 4 ? sn_array_push(&l->whole, v[k]) : sn_array_push(&l->cut, v[k]);
    }
    return good;
}

// Corners of the face of a cube, around it.
static void face_of(int level, const int cube[3], int axis, int side, int at[4][3])
{
    static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int u = (axis + 1) % 3, v = (axis + 2) % 3, length = 2 << level;
    for (int k = 0; k < 4; ++k) {
        at[k][axis] = (cube[axis] + (side > 0)) * length;
        at[k][u] = (cube[u] + around[k][0]) * length;
        at[k][v] = (cube[v] + around[k][1]) * length;
    }
}

static void between(const int a[3], const int b[3], int at[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] = (a[axis] + b[axis]) / 2;
    }
}

// Four around the line between the middles, in halves where an edge of the face is divided.
static bool add_equal(sn_stuffing_lattice *l, int level, const int cube[3], int axis)
{
    int at[4][3], own[3], other[3], half[3];
    face_of(level, cube, axis, 1, at);
    middle_of(level, cube, own);
    middle_of(level, cube, other);
    other[axis] += 2 << level;
    int c = known_point(l, own), d = known_point(l, other);
    for (int k = 0; k < 4; ++k) {
        int a = known_point(l, at[k]), b = known_point(l, at[(k + 1) % 4]);
        between(at[k], at[(k + 1) % 4], half);
        int middle = level > 0 ? known_point(l, half) : -1;
        bool good =
            middle < 0 ? add(l, c, d, a, b) : add(l, c, d, a, middle) && add(l, c, d, middle, b);
        if (!good) {
            return false;
        }
    }
    return true;
}

// Two halves of a pyramid, cut from the middle of the larger cube's face to its corner.
static bool add_half_pyramids(sn_stuffing_lattice *l, int level, const int cube[3], int axis,
                              int side)
{
    int at[4][3], own[3], u = (axis + 1) % 3, v = (axis + 2) % 3, length = 2 << level;
    face_of(level, cube, axis, side, at);
    middle_of(level, cube, own);
    int c = known_point(l, own), from = 0, p[4];
    for (int k = 0; k < 4; ++k) {
        p[k] = known_point(l, at[k]);
        if ((at[k][u] / length & 1) == 1 && (at[k][v] / length & 1) == 1) {
            from = k;
        }
    }
    return add(l, c, p[from], p[(from + 1) % 4], p[(from + 2) % 4]) &&
           add(l, c, p[from], p[(from + 2) % 4], p[(from + 3) % 4]);
}

// Eight quarters: between the middle, that of the face, a corner and the middle of an edge.
static bool add_quarters(sn_stuffing_lattice *l, int level, const int cube[3], int axis, int side)
{
    int at[4][3], own[3], centre[3], half[3];
    face_of(level, cube, axis, side, at);
    middle_of(level, cube, own);
    between(at[0], at[2], centre);
    int c = known_point(l, own), m = known_point(l, centre);
    for (int k = 0; k < 4; ++k) {
        between(at[k], at[(k + 1) % 4], half);
        int h = known_point(l, half);
        if (!add(l, c, m, known_point(l, at[k]), h) ||
            !add(l, c, m, h, known_point(l, at[(k + 1) % 4]))) {
            return false;
        }
    }
    return true;
}

static bool make_tetrahedra(sn_stuffing_lattice *l, int level, const int cube[3], bool *changed)
{
    (void)changed;
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2, side = face % 2 == 0 ? -1 : 1;
        bool good = true;
        switch (sn_stuffing_grid_neighbour(&l->grid, level, cube, axis, side)) {
        case SN_STUFFING_EQUAL:
            good = side < 0 || add_equal(l, level, cube, axis);
            break;
        case SN_STUFFING_LARGER:
            good = add_half_pyramids(l, level, cube, axis, side);
            break;
        case SN_STUFFING_SMALLER:
            good = add_quarters(l, level, cube, axis, side);
            break;
        case SN_STUFFING_NONE:
            break;
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

// ---- all ----

static bool make(sn_stuffing_lattice *l, const sn_mesh *surface)
{
    const sn_vec3 *x = sn_mesh_positions(surface);
    const int *v = sn_mesh_triangles(surface);
    for (int t = 0; t < sn_mesh_triangle_count(surface); ++t, v += 3) {
        const sn_vec3 corners[3] = {x[v[0]], x[v[1]], x[v[2]]};
        sn_stuffing_grid_touch(&l->grid, corners);
    }
    bool changed = true, good = true;
    while (changed && good) { // ends at the latest when all cubes are touched
        changed = false;
        sn_stuffing_grid_grade(&l->grid);
        good = for_leaves(l, make_points, &changed);
    }
    return good && for_leaves(l, make_tetrahedra, &changed);
}

sn_status sn_stuffing_lattice_make(sn_stuffing_lattice *lattice, const sn_mesh *surface,
                                   const sn_surface_tree *tree, double turn, double spacing,
                                   sn_error *error)
{
    *lattice = (sn_stuffing_lattice){.tree = tree, .turn = turn};
    sn_status status =
        sn_stuffing_grid_make(&lattice->grid, sn_mesh_bounds(surface), spacing, error);
    if (status == SN_OK && !make(lattice, surface)) {
        status =
            sn_fail_memory(error, (size_t)lattice->points.count * sizeof *lattice->points.data);
    }
    if (status != SN_OK) {
        sn_stuffing_lattice_free(lattice);
    }
    return status;
}

void sn_stuffing_lattice_free(sn_stuffing_lattice *lattice)
{
    sn_stuffing_grid_free(&lattice->grid);
    sn_key_map_free(&lattice->numbers);
    sn_array_free(&lattice->points);
    sn_array_free(&lattice->whole);
    sn_array_free(&lattice->cut);
}
