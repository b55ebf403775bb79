#include "geometry/surface_tree.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/elementary.h"

enum { LEAF_SIZE = 8, STACK_SIZE = 64 };

// A group acts as a dipole from this many of its radii on.
static const double FAR = 2.5;

typedef struct tree_node {
    sn_aabb box;
    sn_vec3 centre;  // of the triangles, by area
    sn_vec3 dipole;  // sum of area times normal
    double far2;     // square of the distance from which on the dipole stands for them
    int first, last; // triangles
    int right;       // child; the left one comes next; 0: a leaf
} tree_node;

struct sn_surface_tree {
    int triangle_count;
    sn_vec3 *corners; // 3 * triangle_count, in the order of the leaves
    SN_ARRAY(tree_node) nodes;
};

// ---- building ----

// What is sorted: a triangle and the middle of its corners, times three.
typedef struct tree_item {
    sn_vec3 middle;
    int triangle;
} tree_item;

static double along(sn_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static bool comes_before(const tree_item *a, const tree_item *b, int axis)
{
    double x = along(a->middle, axis), y = along(b->middle, axis);
    return x != y ? x < y : a->triangle < b->triangle;
}

static void swap_items(tree_item *a, tree_item *b)
{
    tree_item kept = *a;
    *a = *b;
    *b = kept;
}

// Hoare's selection: the `nth` item of a total order comes to its place, smaller ones before it.
static void select_nth(tree_item *items, int first, int last, int nth, int axis)
{
    while (last - first > 1) {
        tree_item pivot = items[first + (last - first) / 2];
        int i = first, j = last - 1;
        while (i <= j) {
            while (comes_before(&items[i], &pivot, axis)) {
                ++i;
            }
            while (comes_before(&pivot, &items[j], axis)) {
                --j;
            }
            if (i <= j) {
                swap_items(&items[i++], &items[j--]);
            }
        }
        if (nth <= j) {
            last = j + 1;
        } else if (nth >= i) {
            first = i;
        } else {
            return;
        }
    }
}

static int longest_axis(const tree_item *items, int first, int last)
{
    sn_vec3 lower = items[first].middle, upper = lower;
    for (int i = first + 1; i < last; ++i) {
        lower = sn_vec3_min(lower, items[i].middle);
        upper = sn_vec3_max(upper, items[i].middle);
    }
    sn_vec3 size = sn_vec3_sub(upper, lower);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

// Median splits: the depth is that of a balanced tree. -1: memory ran out.
static int add_node(sn_surface_tree *tree, tree_item *items, int first, int last)
{
    int index = tree->nodes.count;
    if (!sn_array_push(&tree->nodes, (tree_node){.first = first, .last = last})) {
        return -1;
    }
    if (last - first > LEAF_SIZE) {
        int middle = first + (last - first) / 2;
        select_nth(items, first, last, middle, longest_axis(items, first, last));
        int left = add_node(tree, items, first, middle);
        int right = left < 0 ? -1 : add_node(tree, items, middle, last);
        if (right < 0) {
            return -1;
        }
        tree->nodes.data[index].right = right;
    }
    return index;
}

// Box, dipole and its reach; the centre is weighed by area, which keeps the next term small.
static void measure_node(const sn_surface_tree *tree, tree_node *node)
{
    const sn_vec3 *p = tree->corners + 3 * (size_t)node->first;
    sn_vec3 sum = SN_VEC3_ZERO;
    double weight = 0.0;
    node->box = (sn_aabb){p[0], p[0]};
    for (int t = node->first; t < node->last; ++t, p += 3) {
        sn_vec3 twice = sn_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[2], p[0]));
        double area = sn_length(twice);
        sn_vec3 corners = sn_vec3_add(sn_vec3_add(p[0], p[1]), p[2]);
        node->dipole = sn_vec3_add_scaled(node->dipole, 0.5, twice);
        sum = sn_vec3_add_scaled(sum, area / 3.0, corners);
        weight += area;
        for (int k = 0; k < 3; ++k) {
            node->box.lower = sn_vec3_min(node->box.lower, p[k]);
            node->box.upper = sn_vec3_max(node->box.upper, p[k]);
        }
    }
    sn_vec3 middle = sn_vec3_scale(0.5, sn_vec3_add(node->box.lower, node->box.upper));
    node->centre = weight > 0.0 ? sn_vec3_scale(1.0 / weight, sum) : middle;
    sn_vec3 a = sn_vec3_sub(node->centre, node->box.lower);
    sn_vec3 b = sn_vec3_sub(node->box.upper, node->centre);
    sn_vec3 reach = sn_vec3_max(a, b);
    node->far2 = FAR * FAR * sn_dot(reach, reach);
}

sn_status sn_surface_tree_create(const sn_mesh *mesh, sn_surface_tree **tree, sn_error *error)
{
    *tree = NULL;
    int count = sn_mesh_triangle_count(mesh);
    size_t bytes = 3 * (size_t)count * sizeof(sn_vec3);
    sn_surface_tree *made = sn_allocate_zero(sizeof *made);
    tree_item *items = sn_allocate((size_t)count * sizeof *items + 1);
    bool good = made != NULL && items != NULL;
    if (good) {
        made->corners = sn_allocate(bytes + 1);
        made->triangle_count = count;
        good = made->corners != NULL;
    }
    const sn_vec3 *x = sn_mesh_positions(mesh);
    const int *v = sn_mesh_triangles(mesh);
    for (int t = 0; good && t < count; ++t) {
        const int *c = v + 3 * (size_t)t;
        items[t] = (tree_item){sn_vec3_add(sn_vec3_add(x[c[0]], x[c[1]]), x[c[2]]), t};
    }
    good = good && (count == 0 || add_node(made, items, 0, count) >= 0);
    for (int t = 0; good && t < count; ++t) {
        for (int k = 0; k < 3; ++k) {
            made->corners[3 * (size_t)t + (size_t)k] =
                x[v[3 * (size_t)items[t].triangle + (size_t)k]];
        }
    }
    for (int i = 0; good && i < made->nodes.count; ++i) {
        measure_node(made, &made->nodes.data[i]);
    }
    sn_free(items);
    if (!good) {
        sn_surface_tree_destroy(made);
        return sn_fail_memory(error, bytes);
    }
    *tree = made;
    return SN_OK;
}

void sn_surface_tree_destroy(sn_surface_tree *tree)
{
    if (tree != NULL) {
        sn_free(tree->corners);
        sn_array_free(&tree->nodes);
        sn_free(tree);
    }
}

// ---- winding ----

// The tangent of half the solid angle as a fraction.
static void half_angle(const sn_vec3 corners[3], sn_vec3 point, double *over, double *under)
{
    sn_vec3 a = sn_vec3_sub(corners[0], point), b = sn_vec3_sub(corners[1], point);
    sn_vec3 c = sn_vec3_sub(corners[2], point);
    double la = sn_length(a), lb = sn_length(b), lc = sn_length(c);
    *over = sn_dot(a, sn_cross(b, c));
    *under = la * lb * lc + sn_dot(a, b) * lc + sn_dot(b, c) * la + sn_dot(c, a) * lb;
}

double sn_triangle_winding(const sn_vec3 corners[3], sn_vec3 point)
{
    double over, under;
    half_angle(corners, point, &over, &under);
    return sn_atan2(over, under) / (2.0 * SN_PI);
}

double sn_surface_tree_winding_exact(const sn_surface_tree *tree, sn_vec3 point)
{
    double sum = 0.0;
    for (int t = 0; t < tree->triangle_count; ++t) {
        sum += sn_triangle_winding(tree->corners + 3 * (size_t)t, point);
    }
    return sum;
}

// Angles add up where complex numbers multiply. Those of up to eight triangles that are below 22
// degrees stay below 180 together, so that one arc tangent does for all; larger ones have their
// own.
static double leaf_winding(const sn_surface_tree *tree, const tree_node *node, sn_vec3 point)
{
    double x = 1.0, y = 0.0, sum = 0.0;
    for (int t = node->first; t < node->last; ++t) {
        double over, under;
        half_angle(tree->corners + 3 * (size_t)t, point, &over, &under);
        if (fabs(over) < 0.4 * under) {
            double tangent = over / under, old = x;
            x -= tangent * y;
            y += tangent * old;
        } else {
            sum += sn_atan2(over, under);
        }
    }
    return (sum + sn_atan2(y, x)) / (2.0 * SN_PI);
}

double sn_surface_tree_winding(const sn_surface_tree *tree, sn_vec3 point)
{
    int stack[STACK_SIZE], depth = 0;
    double sum = 0.0;
    if (tree->nodes.count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        int index = stack[--depth];
        const tree_node *node = &tree->nodes.data[index];
        sn_vec3 d = sn_vec3_sub(node->centre, point);
        double d2 = sn_dot(d, d);
        if (d2 > node->far2) {
            sum += sn_dot(node->dipole, d) / (4.0 * SN_PI * d2 * sqrt(d2));
        } else if (node->right == 0) {
            sum += leaf_winding(tree, node, point);
        } else {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
        }
    }
    return sum;
}

// ---- crossings ----

// Does the segment come into the box? By slabs, in shares of its length.
static bool meets_box(const sn_aabb *box, sn_vec3 from, sn_vec3 way)
{
    double enter = 0.0, leave = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        double x = along(from, axis), d = along(way, axis);
        double lower = along(box->lower, axis) - x, upper = along(box->upper, axis) - x;
        if (d == 0.0) {
            if (lower > 0.0 || upper < 0.0) {
                return false;
            }
            continue;
        }
        double a = lower / d, b = upper / d;
        double near = a < b ? a : b, far = a < b ? b : a;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave + 1e-9;
}

// Barycentric coordinates by determinants (Moeller and Trumbore 1997). A little beyond the edges
// counts, so that a segment through a common edge crosses at least one of its triangles.
static bool meets_triangle(const sn_vec3 p[3], sn_vec3 from, sn_vec3 way, double *share)
{
    static const double slack = 1e-10;
    sn_vec3 u = sn_vec3_sub(p[1], p[0]), v = sn_vec3_sub(p[2], p[0]);
    sn_vec3 across = sn_cross(way, v);
    double determinant = sn_dot(u, across);
    if (determinant == 0.0) {
        return false;
    }
    sn_vec3 start = sn_vec3_sub(from, p[0]), other = sn_cross(start, u);
    double a = sn_dot(start, across) / determinant, b = sn_dot(way, other) / determinant;
    *share = sn_dot(v, other) / determinant;
    return a >= -slack && b >= -slack && a + b <= 1.0 + slack && *share >= 0.0 && *share <= 1.0;
}

static bool insert_crossing(sn_crossings *crossings, double share)
{
    if (!sn_array_push(crossings, share)) {
        return false;
    }
    int i = crossings->count - 1;
    for (; i > 0 && crossings->data[i - 1] > share; --i) {
        crossings->data[i] = crossings->data[i - 1];
    }
    crossings->data[i] = share;
    return true;
}

bool sn_surface_tree_crossings(const sn_surface_tree *tree, sn_vec3 from, sn_vec3 to,
                               sn_crossings *crossings)
{
    int stack[STACK_SIZE], depth = 0;
    sn_vec3 way = sn_vec3_sub(to, from);
    sn_array_clear(crossings);
    if (tree->nodes.count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        int index = stack[--depth];
        const tree_node *node = &tree->nodes.data[index];
        if (!meets_box(&node->box, from, way)) {
            continue;
        }
        if (node->right != 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
            continue;
        }
        for (int t = node->first; t < node->last; ++t) {
            double share;
            if (meets_triangle(tree->corners + 3 * (size_t)t, from, way, &share) &&
                !insert_crossing(crossings, share)) {
                return false;
            }
        }
    }
    return true;
}

bool sn_surface_tree_gap(const sn_surface_tree *tree, sn_vec3 point, sn_vec3 direction,
                         double reach, double turn, double *gap)
{
    int stack[STACK_SIZE], depth = 0;
    sn_vec3 from = sn_vec3_add_scaled(point, -reach, direction);
    sn_vec3 way = sn_vec3_scale(2.0 * reach, direction);
    bool found = false;
    *gap = 0.0;
    if (tree->nodes.count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        int index = stack[--depth];
        const tree_node *node = &tree->nodes.data[index];
        if (!meets_box(&node->box, from, way)) {
            continue;
        }
        if (node->right != 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
            continue;
        }
        for (int t = node->first; t < node->last; ++t) {
            const sn_vec3 *p = tree->corners + 3 * (size_t)t;
            sn_vec3 area = sn_cross(sn_vec3_sub(p[1], p[0]), sn_vec3_sub(p[2], p[0]));
            double share;
            if (turn * sn_dot(area, way) > 0.0 && meets_triangle(p, from, way, &share)) {
                double at = (2.0 * share - 1.0) * reach;
                *gap = !found || fabs(at) < fabs(*gap) ? at : *gap;
                found = true;
            }
        }
    }
    return found;
}
