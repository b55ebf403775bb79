#include "collide/mesh_tree.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/mesh.h"
#include "geometry/mesh_check.h"
#include "math/elementary.h"

// ---- making ----

static sn_aabb triangle_box(const sn_mesh_tree *tree, int triangle)
{
    const int *v = tree->triangles + 3 * (size_t)triangle;
    sn_vec3 a = tree->positions[v[0]], b = tree->positions[v[1]], c = tree->positions[v[2]];
    sn_aabb box = {sn_vec3_min(a, sn_vec3_min(b, c)), sn_vec3_max(a, sn_vec3_max(b, c))};
    return box;
}

static bool build_boxes(sn_mesh_tree *tree)
{
    sn_box_tree_init(&tree->boxes);
    if (!sn_box_tree_reserve(&tree->boxes, tree->triangle_count, tree->triangle_count)) {
        return false;
    }
    for (int t = 0; t < tree->triangle_count; ++t) {
        tree->boxes.leaves[t].box = sn_float_box_around(triangle_box(tree, t));
        tree->boxes.leaves[t].item = t;
    }
    sn_box_tree_build(&tree->boxes, tree->triangle_count);
    sn_box_tree_keep_boxes(&tree->boxes);
    return true;
}

static int find_root(int *parents, int t)
{
    while (parents[t] != t) {
        parents[t] = parents[parents[t]];
        t = parents[t];
    }
    return t;
}

// Neighbours whose normals differ by less than 1e-6 are of one patch; its lowest triangle names it.
static void find_patches(sn_mesh_tree *tree)
{
    int *parents = tree->patches;
    for (int t = 0; t < tree->triangle_count; ++t) {
        parents[t] = t;
    }
    for (int e = 0; e < 3 * tree->triangle_count; ++e) {
        int twin = tree->twins[e];
        if (twin < e) {
            continue;
        }
        sn_vec3 apart = sn_vec3_sub(tree->normals[e / 3], tree->normals[twin / 3]);
        if (sn_dot(apart, apart) < 1e-12) {
            int a = find_root(parents, e / 3), b = find_root(parents, twin / 3);
            parents[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int t = 0; t < tree->triangle_count; ++t) {
        parents[t] = find_root(parents, t);
        // One normal for all, but for patches that bend too slowly for their edges to tell.
        sn_vec3 first = tree->normals[parents[t]], apart = sn_vec3_sub(tree->normals[t], first);
        tree->normals[t] = sn_dot(apart, apart) < 1e-18 ? first : tree->normals[t];
    }
}

// Parts connected over edges: `parents` as scratch, triangle_count.
static bool find_shells(sn_mesh_tree *tree, int *parents)
{
    for (int t = 0; t < tree->triangle_count; ++t) {
        parents[t] = t;
    }
    for (int e = 0; e < 3 * tree->triangle_count; ++e) {
        if (tree->twins[e] > e) {
            int a = find_root(parents, e / 3), b = find_root(parents, tree->twins[e] / 3);
            parents[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int t = 0; t < tree->triangle_count; ++t) {
        tree->shell_count += parents[t] == t;
    }
    tree->shells = sn_allocate((size_t)tree->shell_count * sizeof *tree->shells);
    for (int t = 0, at = 0; tree->shells != NULL && t < tree->triangle_count; ++t) {
        if (parents[t] == t) {
            tree->shells[at++] = t;
        }
    }
    return tree->shells != NULL;
}

static void find_levels(sn_mesh_tree *tree)
{
    for (int t = 0; t < tree->triangle_count; ++t) {
        tree->levels[t] = 0;
        for (int k = 0; k < 3; ++k) {
            int twin = tree->twins[3 * (size_t)t + (size_t)k];
            if (twin >= 0 && tree->patches[twin / 3] == tree->patches[t]) {
                tree->levels[t] |= (uint8_t)(1 << k);
            }
        }
    }
}

static void find_normals(sn_mesh_tree *tree)
{
    for (int t = 0; t < tree->triangle_count; ++t) {
        const int *v = tree->triangles + 3 * (size_t)t;
        const sn_vec3 p[3] = {tree->positions[v[0]], tree->positions[v[1]], tree->positions[v[2]]};
        tree->normals[t] = sn_triangle_normal(p);
    }
    if (!tree->closed) {
        return;
    }
    memset(tree->corner_normals, 0,
           (size_t)tree->mesh->vertex_count * sizeof *tree->corner_normals);
    for (int t = 0; t < tree->triangle_count; ++t) {
        const int *v = tree->triangles + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            sn_vec3 at = tree->positions[v[k]];
            sn_vec3 a = sn_vec3_sub(tree->positions[v[(k + 1) % 3]], at);
            sn_vec3 b = sn_vec3_sub(tree->positions[v[(k + 2) % 3]], at);
            double angle = sn_atan2(sn_length(sn_cross(a, b)), sn_dot(a, b));
            sn_vec3 *sum = &tree->corner_normals[v[k]];
            *sum = sn_vec3_add_scaled(*sum, angle, tree->normals[t]);
        }
    }
}

static bool allocate_parts(sn_mesh_tree *tree)
{
    size_t count = (size_t)tree->triangle_count;
    tree->normals = sn_allocate(count * sizeof *tree->normals);
    tree->patches = sn_allocate(count * sizeof *tree->patches);
    tree->levels = sn_allocate(count * sizeof *tree->levels);
    if (tree->closed) {
        tree->corner_normals =
            sn_allocate((size_t)tree->mesh->vertex_count * sizeof *tree->corner_normals);
    }
    return tree->normals != NULL && tree->patches != NULL && tree->levels != NULL &&
           (!tree->closed || tree->corner_normals != NULL);
}

sn_status sn_mesh_tree_create(sn_mesh *mesh, sn_mesh_tree **tree, sn_error *error)
{
    *tree = NULL;
    sn_mesh_tree *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    atomic_init(&made->references, 1);
    sn_box_tree_init(&made->boxes);
    made->mesh = sn_mesh_retain(mesh);
    made->triangle_count = mesh->triangle_count;
    made->positions = mesh->positions;
    made->triangles = mesh->triangles;
    made->bounds = sn_mesh_bounds(mesh);
    sn_status status = sn_mesh_check_closed(mesh, NULL);
    made->closed = status == SN_OK;
    sn_half_edges edges = {0};
    if (status == SN_ERROR_MEMORY || sn_half_edges_build(mesh, &edges, NULL) != SN_OK ||
        !allocate_parts(made) || !build_boxes(made)) {
        sn_half_edges_free(&edges);
        sn_mesh_tree_release(made);
        return sn_fail_memory(error, (size_t)mesh->triangle_count * 160);
    }
    made->twins = edges.twin;
    bool known = find_shells(made, edges.by_edge); // which has room for more
    sn_free(edges.by_edge);
    if (!known) {
        sn_mesh_tree_release(made);
        return sn_fail_memory(error, (size_t)mesh->triangle_count * sizeof(int));
    }
    find_normals(made);
    find_patches(made);
    find_levels(made);
    *tree = made;
    return SN_OK;
}

// References are counted through const: what is shared is otherwise immutable.
const sn_mesh_tree *sn_mesh_tree_retain(const sn_mesh_tree *tree)
{
    if (tree != NULL) {
        atomic_fetch_add_explicit((atomic_int *)&tree->references, 1, memory_order_relaxed);
    }
    return tree;
}

void sn_mesh_tree_release(const sn_mesh_tree *tree)
{
    if (tree == NULL ||
        atomic_fetch_sub_explicit((atomic_int *)&tree->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    sn_mesh_tree *last = (sn_mesh_tree *)tree;
    sn_mesh_release(last->mesh);
    sn_box_tree_free(&last->boxes);
    sn_free(last->twins);
    sn_free(last->normals);
    sn_free(last->patches);
    sn_free(last->levels);
    sn_free(last->shells);
    sn_free(last->corner_normals);
    sn_free(last);
}

sn_collider sn_mesh_tree_collider(const sn_mesh_tree *tree)
{
    sn_vec3 extent = sn_vec3_sub(tree->bounds.upper, tree->bounds.lower);
    sn_collider collider = {.type = SN_COLLIDER_MESH, .bounds = tree->bounds};
    collider.mesh = tree;
    double least = extent.x < extent.y ? extent.x : extent.y;
    collider.size = extent.z < least ? extent.z : least;
    return collider;
}

// ---- one triangle ----

// By Voronoi regions (Ericson, "Real-time collision detection", 5.1.5).
sn_vec3 sn_triangle_nearest(const sn_vec3 p[3], sn_vec3 x, int *feature)
{
    sn_vec3 ab = sn_vec3_sub(p[1], p[0]), ac = sn_vec3_sub(p[2], p[0]), ax = sn_vec3_sub(x, p[0]);
    double d1 = sn_dot(ab, ax), d2 = sn_dot(ac, ax);
    if (d1 <= 0.0 && d2 <= 0.0) {
        *feature = 0;
        return p[0];
    }
    sn_vec3 bx = sn_vec3_sub(x, p[1]);
    double d3 = sn_dot(ab, bx), d4 = sn_dot(ac, bx);
    if (d3 >= 0.0 && d4 <= d3) {
        *feature = 1;
        return p[1];
    }
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        *feature = 3;
        return sn_vec3_add_scaled(p[0], d1 / (d1 - d3), ab);
    }
    sn_vec3 cx = sn_vec3_sub(x, p[2]);
    double d5 = sn_dot(ab, cx), d6 = sn_dot(ac, cx);
    if (d6 >= 0.0 && d5 <= d6) {
        *feature = 2;
        return p[2];
    }
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        *feature = 5;
        return sn_vec3_add_scaled(p[0], d2 / (d2 - d6), ac);
    }
    double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        *feature = 4;
        double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return sn_vec3_add_scaled(p[1], t, sn_vec3_sub(p[2], p[1]));
    }
    *feature = 6;
    double scale = 1.0 / (va + vb + vc);
    return sn_vec3_add_scaled(sn_vec3_add_scaled(p[0], vb * scale, ab), vc * scale, ac);
}

double sn_triangle_ray(const sn_vec3 p[3], sn_vec3 origin, sn_vec3 direction)
{
    // Sheared so that the ray runs along the axis of its largest part: each edge's test is then a
    // function of that edge alone, and equal for both triangles that share it.
    double d[3];
    sn_vec3_put(d, direction);
    int z = fabs(d[0]) > fabs(d[1]) ? 0 : 1;
    z = fabs(d[2]) > fabs(d[z]) ? 2 : z;
    int x = (z + 1) % 3, y = (z + 2) % 3;
    if (d[z] == 0.0) {
        return -1.0;
    }
    double sx = d[x] / d[z], sy = d[y] / d[z], sz = 1.0 / d[z];
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        double q[3];
        sn_vec3_put(q, sn_vec3_sub(p[k], origin));
        u[k] = q[x] - sx * q[z];
        v[k] = q[y] - sy * q[z];
        w[k] = sz * q[z];
    }
    double a = u[2] * v[1] - v[2] * u[1], b = u[0] * v[2] - v[0] * u[2];
    double c = u[1] * v[0] - v[1] * u[0];
    if ((a < 0.0 || b < 0.0 || c < 0.0) && (a > 0.0 || b > 0.0 || c > 0.0)) {
        return -1.0;
    }
    double sum = a + b + c;
    return sum != 0.0 ? (a * w[0] + b * w[1] + c * w[2]) / sum : -1.0;
}

// ---- nearest point ----

// Is the point outside, judged by the pseudonormal at its nearest feature?
static bool is_outside(const sn_mesh_tree *tree, int triangle, int feature, sn_vec3 away)
{
    const int *v = tree->triangles + 3 * (size_t)triangle;
    sn_vec3 normal = tree->normals[triangle];
    if (feature < 3) {
        normal = tree->corner_normals[v[feature]];
    } else if (feature < 6) {
        int twin = tree->twins[3 * (size_t)triangle + (size_t)(feature - 3)];
        normal = twin >= 0 ? sn_vec3_add(normal, tree->normals[twin / 3]) : normal;
    }
    return sn_dot(normal, away) >= 0.0;
}

int sn_mesh_tree_nearest(const sn_mesh_tree *tree, sn_vec3 point, double limit, sn_vec3 *nearest,
                         double *distance)
{
    double best = limit * limit;
    int found = -1, found_feature = 6;
    sn_box_search search;
    sn_box_search_start(&search, &tree->boxes, point);
    for (int item; (item = sn_box_search_next(&search, best)) >= 0;) {
        const int *v = tree->triangles + 3 * (size_t)item;
        const sn_vec3 p[3] = {tree->positions[v[0]], tree->positions[v[1]], tree->positions[v[2]]};
        int feature = 6;
        sn_vec3 on = sn_triangle_nearest(p, point, &feature);
        sn_vec3 away = sn_vec3_sub(point, on);
        double square = sn_dot(away, away);
        // The lowest of equals, whatever the tree's order.
        if (square < best || (square == best && (found < 0 || item < found))) {
            best = square;
            found = item;
            found_feature = feature;
            *nearest = on;
        }
    }
    if (found >= 0) {
        sn_vec3 away = sn_vec3_sub(point, *nearest);
        bool outside = !tree->closed || is_outside(tree, found, found_feature, away);
        *distance = outside ? sqrt(best) : -sqrt(best);
    }
    return found;
}

// ---- support ----

// How far a box reaches along d.
static double box_reach(const sn_box_node *node, sn_vec3 d)
{
    double x = (double)(d.x > 0.0 ? node->upper[0] : node->lower[0]);
    double y = (double)(d.y > 0.0 ? node->upper[1] : node->lower[1]);
    double z = (double)(d.z > 0.0 ? node->upper[2] : node->lower[2]);
    return d.x * x + d.y * y + d.z * z;
}

int sn_mesh_tree_support(const sn_mesh_tree *tree, sn_vec3 direction)
{
    const sn_box_node *nodes = tree->boxes.nodes;
    int32_t stack[SN_BOX_TREE_HEIGHT + 2];
    double reach[SN_BOX_TREE_HEIGHT + 2], best = -INFINITY;
    int top = 0, found = tree->triangles[0];
    stack[0] = tree->boxes.root;
    reach[top++] = INFINITY;
    while (top > 0) {
        top -= 1;
        if (reach[top] <= best) {
            continue;
        }
        const sn_box_node *node = &nodes[stack[top]];
        if (node->right < 0) {
            for (int k = 0; k < 3; ++k) {
                int vertex = tree->triangles[3 * (size_t)node->left + (size_t)k];
                double along = sn_dot(direction, tree->positions[vertex]);
                if (along > best) {
                    best = along;
                    found = vertex;
                }
            }
            continue;
        }
        double left = box_reach(&nodes[node->left], direction);
        double right = box_reach(&nodes[node->right], direction);
        for (int k = 0; k < 2; ++k) {
            bool is_left = (k == 0) == (left < right); // the farther on top
            stack[top] = is_left ? node->left : node->right;
            reach[top++] = is_left ? left : right;
        }
    }
    return found;
}
