#include "collide/facet.h"

#include "base/hash.h"
#include "collide/mesh_tree.h"
#include "geometry/half_edge.h"
#include "geometry/height_field.h"
#include "math/elementary.h"

// Sines of angles: what counts as the face's normal, and as level with a neighbour. GJK's normals
// are good to 1e-7 where things touch.
static const double flat = 1e-4, level = 1e-5;

sn_collider sn_collider_height_field(const sn_height_field *field)
{
    sn_collider collider = {.type = SN_COLLIDER_HEIGHT_FIELD, .bounds = field->bounds};
    collider.field = field;
    collider.bounds.lower.z -= fmax(field->size_x, field->size_y);
    collider.size = fmin(field->size_x, field->size_y);
    return collider;
}

bool sn_ground_is_solid(const sn_collider *ground)
{
    return ground->type == SN_COLLIDER_HEIGHT_FIELD || ground->mesh->closed;
}

sn_facet sn_facet_get(const sn_collider *ground, int index)
{
    sn_facet facet;
    facet.index = index;
    if (ground->type == SN_COLLIDER_MESH) {
        const sn_mesh_tree *tree = ground->mesh;
        for (int k = 0; k < 3; ++k) {
            facet.corners[k] = tree->positions[tree->triangles[3 * (size_t)index + (size_t)k]];
        }
        facet.normal = tree->normals[index];
    } else {
        sn_height_field_triangle(ground->field, index, facet.corners);
        facet.normal = sn_triangle_normal(facet.corners);
    }
    return facet;
}

int sn_facet_patch(const sn_collider *ground, int index)
{
    if (ground->type == SN_COLLIDER_MESH) {
        return ground->mesh->patches[index];
    }
    // A height field keeps no names: its planes' own numbers, without their last digits, make one.
    sn_facet facet = sn_facet_get(ground, index);
    double size = fmax(ground->field->size_x, ground->field->size_y);
    double offset = sn_dot(facet.normal, facet.corners[0]) / size;
    // Above 1, so that the last digits of small numbers are as coarse.
    const float plane[4] = {(float)(facet.normal.x + 2.0), (float)(facet.normal.y + 2.0),
                            (float)(facet.normal.z + 2.0), (float)(offset + 2.0)};
    return (int)(sn_hash64(plane, sizeof plane, 0) & 0x7fffffff);
}

// ---- neighbours ----

// Cells share sides: the lower triangle's edges are bottom, right and diagonal, the upper one's
// diagonal, top and left.
static int field_twin(const sn_height_field *field, int edge)
{
    int columns = field->columns - 1, rows = field->rows - 1;
    int triangle = edge / 3, cell = triangle / 2, i = cell % columns, j = cell / columns;
    int side = 3 * (triangle % 2) + edge % 3;
    switch (side) {
    case 0:
        return j > 0 ? 6 * (cell - columns) + 4 : -1;
    case 1:
        return i + 1 < columns ? 6 * (cell + 1) + 5 : -1;
    case 2:
        return 6 * cell + 3;
    case 3:
        return 6 * cell + 2;
    case 4:
        return j + 1 < rows ? 6 * (cell + columns) : -1;
    default:
        return i > 0 ? 6 * (cell - 1) + 1 : -1;
    }
}

int sn_facet_twin(const sn_collider *ground, int edge)
{
    return ground->type == SN_COLLIDER_MESH ? ground->mesh->twins[edge]
                                            : field_twin(ground->field, edge);
}

// The four corners of two triangles at a common edge are a parallelogram from above: they lie in
// one plane if the edge's heights have the sum of the others'.
static int field_levels(const sn_height_field *field, int index)
{
    double fine = 1e-6 * fmin(field->size_x / field->columns, field->size_y / field->rows);
    int levels = 0;
    sn_vec3 own[3], other[3];
    sn_height_field_triangle(field, index, own);
    for (int k = 0; k < 3; ++k) {
        int twin = field_twin(field, 3 * index + k);
        if (twin >= 0) {
            sn_height_field_triangle(field, twin / 3, other);
            double edge = own[k].z + own[(k + 1) % 3].z;
            double across = own[(k + 2) % 3].z + other[(twin % 3 + 2) % 3].z;
            levels |= fabs(edge - across) <= fine ? 1 << k : 0;
        }
    }
    return levels;
}

int sn_facet_levels(const sn_collider *ground, int index)
{
    return ground->type == SN_COLLIDER_MESH ? ground->mesh->levels[index]
                                            : field_levels(ground->field, index);
}

// At a rim a mesh ends; a height field goes down.
static bool rim_admits(const sn_collider *ground, sn_vec3 n)
{
    return ground->type == SN_COLLIDER_MESH || n.z >= -level;
}

static sn_facet_feature admit_edge(const sn_collider *ground, const sn_facet *facet, int k,
                                   sn_vec3 n)
{
    int twin = sn_facet_twin(ground, 3 * facet->index + k);
    if (twin < 0) {
        return rim_admits(ground, n) ? SN_FACET_EDGE : SN_FACET_NONE;
    }
    sn_facet other = sn_facet_get(ground, twin / 3);
    sn_vec3 along = sn_vec3_sub(facet->corners[(k + 1) % 3], facet->corners[k]);
    sn_vec3 into = sn_vec3_sub(other.corners[(twin % 3 + 2) % 3], facet->corners[k]);
    double square = sn_dot(along, along);
    into = sn_vec3_add_scaled(into, -sn_dot(into, along) / square, along);
    if (sn_dot(n, into) > level * sn_length(into)) {
        return SN_FACET_NONE;
    }
    bool outward = sn_dot(n, sn_vec3_add(facet->normal, other.normal)) > 0.0;
    return outward || !sn_ground_is_solid(ground) ? SN_FACET_EDGE : SN_FACET_BACK;
}

// Does the facet of the half edge that starts at a corner reach no farther along n than the corner?
// Adds its normal to the sum of all.
static bool fan_admits(const sn_collider *ground, int edge, sn_vec3 n, sn_vec3 *sum)
{
    sn_facet facet = sn_facet_get(ground, edge / 3);
    int k = edge % 3;
    *sum = sn_vec3_add(*sum, facet.normal);
    for (int other = 1; other < 3; ++other) {
        sn_vec3 d = sn_vec3_sub(facet.corners[(k + other) % 3], facet.corners[k]);
        if (sn_dot(n, d) > level * sn_length(d)) {
            return false;
        }
    }
    return true;
}

static sn_facet_feature admit_corner(const sn_collider *ground, const sn_facet *facet, int k,
                                     sn_vec3 n)
{
    enum { MOST = 4096 }; // facets at one corner: more would be a loop that does not close
    int start = 3 * facet->index + k, edge = start;
    sn_vec3 sum = SN_VEC3_ZERO;
    bool rim = false;
    for (int i = 0; i < MOST; ++i) {
        if (!fan_admits(ground, edge, n, &sum)) {
            return SN_FACET_NONE;
        }
        edge = sn_facet_twin(ground, sn_half_edge_previous(edge));
        rim = edge < 0;
        if (edge == start || rim) {
            break;
        }
    }
    edge = start;
    for (int i = 0; rim && i < MOST; ++i) { // the other way round, from the start to the other rim
        int twin = sn_facet_twin(ground, edge);
        if (twin < 0) {
            break;
        }
        edge = sn_half_edge_next(twin);
        if (!fan_admits(ground, edge, n, &sum)) {
            return SN_FACET_NONE;
        }
    }
    if (rim && !rim_admits(ground, n)) {
        return SN_FACET_NONE;
    }
    bool outward = sn_dot(n, sum) > 0.0;
    return outward || !sn_ground_is_solid(ground) ? SN_FACET_CORNER : SN_FACET_BACK;
}

sn_facet_feature sn_facet_admits(const sn_collider *ground, const sn_facet *facet, sn_vec3 n)
{
    sn_vec3 off = sn_cross(n, facet->normal);
    if (sn_dot(off, off) < flat * flat) {
        return sn_dot(n, facet->normal) > 0.0 ? SN_FACET_FACE : SN_FACET_BACK;
    }
    double reach[3];
    int far = 0;
    for (int k = 0; k < 3; ++k) {
        reach[k] = sn_dot(n, sn_vec3_sub(facet->corners[k], facet->corners[0]));
        far = reach[k] > reach[far] ? k : far;
    }
    // Of both edges at the corner the one that n is nearer to standing upright on: the long one of
    // a narrow facet may seem upright, too, where n leans over the facet's short side.
    int edge = -1;
    double least = level;
    for (int side = 1; side < 3; ++side) {
        int other = (far + side) % 3;
        double length = sn_distance(facet->corners[far], facet->corners[other]);
        double lean = (reach[far] - reach[other]) / length;
        if (lean < least || (lean == least && edge < 0)) {
            least = lean;
            edge = side == 1 ? far : other;
        }
    }
    if (edge >= 0) {
        return admit_edge(ground, facet, edge, n);
    }
    return admit_corner(ground, facet, far, n);
}

double sn_facet_spread(const sn_collider *ground, int index)
{
    enum { MOST = 64 };
    sn_vec3 own = sn_facet_get(ground, index).normal;
    double least = 1.0;
    for (int k = 0; k < 3; ++k) {
        int start = 3 * index + k, edge = start;
        for (int i = 0; i < MOST; ++i) {
            edge = sn_facet_twin(ground, sn_half_edge_previous(edge));
            if (edge < 0 || i + 1 == MOST) {
                return SN_PI;
            }
            if (edge == start) {
                break;
            }
            least = fmin(least, sn_dot(own, sn_facet_get(ground, edge / 3).normal));
        }
    }
    return least > 0.2 ? sn_acos(least) : SN_PI;
}

// ---- inside ----

static int field_cell(double x, double size, int samples)
{
    int cell = (int)((x / size + 0.5) * (samples - 1));
    return cell < samples - 2 ? cell : samples - 2;
}

int sn_ground_exit(const sn_collider *ground, sn_vec3 point)
{
    if (ground->type == SN_COLLIDER_HEIGHT_FIELD) {
        const sn_height_field *field = ground->field;
        double height = 0.0;
        if (!sn_height_field_height(field, point.x, point.y, &height) || point.z >= height) {
            return -1;
        }
        int i = field_cell(point.x, field->size_x, field->columns);
        int j = field_cell(point.y, field->size_y, field->rows);
        double u = (point.x / field->size_x + 0.5) * (field->columns - 1) - i;
        double v = (point.y / field->size_y + 0.5) * (field->rows - 1) - j;
        return 2 * (j * (field->columns - 1) + i) + (u >= v ? 0 : 1);
    }
    const sn_mesh_tree *tree = ground->mesh;
    const sn_aabb *b = &tree->bounds;
    if (!tree->closed || point.x < b->lower.x || point.y < b->lower.y || point.z < b->lower.z ||
        point.x > b->upper.x || point.y > b->upper.y || point.z > b->upper.z) {
        return -1;
    }
    sn_vec3 nearest;
    double distance = 0.0;
    int triangle = sn_mesh_tree_nearest(tree, point, INFINITY, &nearest, &distance);
    return triangle >= 0 && distance < 0.0 ? triangle : -1;
}

// ---- visits ----

// The cells that x +- reach covers: 0 .. samples - 2, or an empty range.
static void cover(double lower, double upper, double size, int samples, int *first, int *last)
{
    double from = (lower / size + 0.5) * (samples - 1), to = (upper / size + 0.5) * (samples - 1);
    // A rounding more on both sides.
    from -= 1e-12 * samples;
    to += 1e-12 * samples;
    *first = from > 0.0 ? (from < samples ? (int)from : samples) : 0;
    *last = to < samples - 2 ? (to >= 0.0 ? (int)to : -1) : samples - 2;
}

void sn_facet_walk_start(sn_facet_walk *walk, const sn_collider *ground, sn_aabb box)
{
    walk->ground = ground;
    if (ground->type == SN_COLLIDER_MESH) {
        sn_float_box around = sn_float_box_around(box);
        sn_box_walk_start(&walk->tree, &ground->mesh->boxes, &around);
        return;
    }
    const sn_height_field *field = ground->field;
    walk->box = box;
    cover(box.lower.x, box.upper.x, field->size_x, field->columns, &walk->first_column,
          &walk->last_column);
    cover(box.lower.y, box.upper.y, field->size_y, field->rows, &walk->row, &walk->last_row);
    walk->column = walk->first_column;
    walk->half = 0;
    if (walk->first_column > walk->last_column) {
        walk->row = walk->last_row + 1;
    }
}

int sn_facet_walk_next(sn_facet_walk *walk)
{
    if (walk->ground->type == SN_COLLIDER_MESH) {
        return sn_box_walk_next(&walk->tree);
    }
    const sn_height_field *field = walk->ground->field;
    while (walk->row <= walk->last_row) {
        int cell = walk->row * (field->columns - 1) + walk->column;
        sn_height_range range = field->levels[0][cell];
        bool meets = range.lower <= walk->box.upper.z && walk->box.lower.z <= range.upper;
        int facet = 2 * cell + walk->half;
        if (meets && walk->half == 0) {
            walk->half = 1;
            return facet;
        }
        walk->half = 0;
        walk->column += 1;
        if (walk->column > walk->last_column) {
            walk->column = walk->first_column;
            walk->row += 1;
        }
        if (meets) {
            return facet;
        }
    }
    return -1;
}

// A block of a height field's pyramid on its way to be looked at.
typedef struct block {
    int level, column, row;
    double entry;
} block;

typedef struct field_descent {
    const sn_height_field *field;
    const sn_box_ray *ray; // or, without one,
    double lower[3], upper[3];
} field_descent;

static double reach_block(const field_descent *to, const block *at, double limit)
{
    const sn_height_field *field = to->field;
    int last_column = (at->column + 1) << at->level, last_row = (at->row + 1) << at->level;
    last_column = last_column < field->columns - 1 ? last_column : field->columns - 1;
    last_row = last_row < field->rows - 1 ? last_row : field->rows - 1;
    sn_height_range range =
        field->levels[at->level][(size_t)at->row * (size_t)field->level_columns[at->level] +
                                 (size_t)at->column];
    const double lower[3] = {sn_height_field_x(field, at->column << at->level),
                             sn_height_field_y(field, at->row << at->level), range.lower};
    const double upper[3] = {sn_height_field_x(field, last_column),
                             sn_height_field_y(field, last_row), range.upper};
    if (to->ray != NULL) {
        return sn_box_ray_enter(to->ray, lower, upper, limit);
    }
    double distance = sn_box_distance(to->lower, to->upper, lower, upper);
    return distance <= limit ? distance : -1.0;
}

// Puts the blocks below `at` on the stack, the nearest on top; returns the new height.
static int push_below(const field_descent *to, const block *at, double limit, block *stack, int top)
{
    int first = top, below = at->level - 1;
    for (int k = 0; k < 4; ++k) {
        block next = {below, 2 * at->column + k % 2, 2 * at->row + k / 2, 0.0};
        if (next.column >= to->field->level_columns[below] ||
            next.row >= to->field->level_rows[below]) {
            continue;
        }
        next.entry = reach_block(to, &next, limit);
        if (next.entry < 0.0) {
            continue;
        }
        int place = top++;
        for (; place > first && stack[place - 1].entry < next.entry; --place) {
            stack[place] = stack[place - 1];
        }
        stack[place] = next;
    }
    return top;
}

static double descend_field(const field_descent *to, double limit, sn_box_test *test, void *context)
{
    block stack[3 * SN_HEIGHT_LEVELS + 4];
    int top = 1, columns = to->field->columns - 1;
    stack[0] = (block){to->field->level_count - 1, 0, 0, 0.0};
    stack[0].entry = reach_block(to, &stack[0], limit);
    if (stack[0].entry < 0.0) {
        return limit;
    }
    while (top > 0 && limit >= 0.0) {
        block at = stack[--top];
        if (at.entry > limit) {
            continue;
        }
        if (at.level > 0) {
            top = push_below(to, &at, limit, stack, top);
            continue;
        }
        limit = test(context, 2 * (at.row * columns + at.column), limit);
        if (limit >= 0.0) {
            limit = test(context, 2 * (at.row * columns + at.column) + 1, limit);
        }
    }
    return limit;
}

double sn_facets_ray(const sn_collider *ground, sn_vec3 origin, sn_vec3 direction, sn_vec3 half,
                     double limit, sn_box_test *test, void *context)
{
    sn_box_ray ray = sn_box_ray_make(origin, direction, half);
    if (ground->type == SN_COLLIDER_MESH) {
        return sn_box_tree_ray(&ground->mesh->boxes, &ray, limit, test, context);
    }
    field_descent to = {.field = ground->field, .ray = &ray};
    return descend_field(&to, limit, test, context);
}

double sn_facets_near(const sn_collider *ground, sn_aabb box, double limit, sn_box_test *test,
                      void *context)
{
    if (ground->type == SN_COLLIDER_MESH) {
        return sn_box_tree_near(&ground->mesh->boxes, box, limit, test, context);
    }
    field_descent to = {.field = ground->field};
    sn_vec3_put(to.lower, box.lower);
    sn_vec3_put(to.upper, box.upper);
    return descend_field(&to, limit, test, context);
}
