#include "collide/skin.h"

#include <float.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/mesh_tree.h"
#include "collide/simplex_pair.h"
#include "geometry/half_edge.h"
#include "math/elementary.h"

// ---- topology ----

static sn_status check_def(const sn_skin_def *def, sn_error *error)
{
    if (def->stride < 3) {
        return sn_fail(error, SN_ERROR_ARGUMENT, def->place,
                       "a stride of %d numbers a vertex, expected 3 or more", def->stride);
    }
    if (def->face_count < 1) {
        return sn_fail(error, SN_ERROR_GEOMETRY, def->place, "a skin without faces");
    }
    for (int f = 0; f < def->face_count; ++f) {
        const int *v = def->faces + 3 * (size_t)f;
        for (int k = 0; k < 3; ++k) {
            if (v[k] < 0 || v[k] >= def->vertex_count) {
                return sn_fail(error, SN_ERROR_GEOMETRY, def->place,
                               "face %d has vertex %d, expected 0 to %d", f, v[k],
                               def->vertex_count - 1);
            }
        }
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            return sn_fail(error, SN_ERROR_GEOMETRY, def->place,
                           "face %d has vertex %d twice, expected three", f,
                           v[0] == v[1] ? v[0] : v[2]);
        }
    }
    return SN_OK;
}

static bool allocate_faces(sn_skin *skin, int face_count)
{
    size_t n = (size_t)face_count;
    skin->face_count = face_count;
    skin->faces = sn_allocate(3 * n * sizeof *skin->faces);
    skin->face_edges = sn_allocate(3 * n * sizeof *skin->face_edges);
    skin->edges = sn_allocate(6 * n * sizeof *skin->edges);
    skin->edge_starts = sn_allocate((3 * n + 1) * sizeof *skin->edge_starts);
    skin->edge_faces = sn_allocate(3 * n * sizeof *skin->edge_faces);
    skin->vertex_faces = sn_allocate(3 * n * sizeof *skin->vertex_faces);
    skin->owns = sn_allocate_zero(n * sizeof *skin->owns);
    return skin->faces != NULL && skin->face_edges != NULL && skin->edges != NULL &&
           skin->edge_starts != NULL && skin->edge_faces != NULL && skin->vertex_faces != NULL &&
           skin->owns != NULL;
}

// Numbers the vertices that faces have. `numbers` has one place for each of the body's.
static bool number_vertices(sn_skin *skin, const sn_skin_def *def, int *numbers)
{
    memset(numbers, 0, (size_t)def->vertex_count * sizeof *numbers);
    for (int i = 0; i < 3 * def->face_count; ++i) {
        numbers[def->faces[i]] = 1;
    }
    int count = 0;
    for (int v = 0; v < def->vertex_count; ++v) {
        numbers[v] = numbers[v] ? count++ : -1;
    }
    skin->vertex_count = count;
    size_t n = (size_t)count;
    skin->vertices = sn_allocate(n * sizeof *skin->vertices);
    skin->vertex_starts = sn_allocate((n + 1) * sizeof *skin->vertex_starts);
    skin->rest = sn_allocate(n * sizeof *skin->rest);
    skin->boxes = sn_allocate(n * sizeof *skin->boxes);
    if (skin->vertices == NULL || skin->vertex_starts == NULL || skin->rest == NULL ||
        skin->boxes == NULL) {
        return false;
    }
    for (int v = 0; v < def->vertex_count; ++v) {
        if (numbers[v] >= 0) {
            skin->vertices[numbers[v]] = v;
            skin->rest[numbers[v]] = sn_vec3_at(def->positions + (size_t)v * (size_t)def->stride);
        }
    }
    for (int i = 0; i < 3 * def->face_count; ++i) {
        skin->faces[i] = numbers[def->faces[i]];
    }
    return true;
}

// Scratch of building: 3 * face_count numbers each, and one more for a vertex than there are.
typedef struct scratch {
    int *low, *high, *order, *sorted, *starts;
} scratch;

static bool allocate_scratch(scratch *s, size_t half_edges, size_t vertices)
{
    s->low = sn_allocate(half_edges * sizeof *s->low);
    s->high = sn_allocate(half_edges * sizeof *s->high);
    s->order = sn_allocate(half_edges * sizeof *s->order);
    s->sorted = sn_allocate(half_edges * sizeof *s->sorted);
    s->starts = sn_allocate((vertices + 1) * sizeof *s->starts);
    return s->low != NULL && s->high != NULL && s->order != NULL && s->sorted != NULL &&
           s->starts != NULL;
}

static void free_scratch(scratch *s)
{
    sn_free(s->low);
    sn_free(s->high);
    sn_free(s->order);
    sn_free(s->sorted);
    sn_free(s->starts);
}

// Half edges sorted by their two ends: those of one edge follow each other, by face.
static void find_edges(sn_skin *skin, scratch *s)
{
    int count = 3 * skin->face_count;
    for (int h = 0; h < count; ++h) {
        int a = skin->faces[h], b = skin->faces[sn_half_edge_next(h)];
        s->low[h] = a < b ? a : b;
        s->high[h] = a < b ? b : a;
        s->order[h] = h;
    }
    sn_counting_sort(s->high, 1, s->order, count, skin->vertex_count, s->starts, s->sorted);
    sn_counting_sort(s->low, 1, s->sorted, count, skin->vertex_count, s->starts, s->order);
    skin->edge_count = 0;
    skin->closed = true;
    int turns = 0;
    for (int i = 0; i < count; ++i) {
        int h = s->order[i], before = i > 0 ? s->order[i - 1] : -1;
        if (before < 0 || s->low[h] != s->low[before] || s->high[h] != s->high[before]) {
            skin->closed = skin->closed && turns == 0;
            turns = 0;
            int e = skin->edge_count++;
            skin->edges[2 * e] = s->low[h];
            skin->edges[2 * e + 1] = s->high[h];
            skin->edge_starts[e] = i;
            skin->owns[h / 3] |= (uint8_t)(8 << h % 3);
        }
        turns += skin->faces[h] == s->low[h] ? 1 : -1;
        skin->face_edges[h] = skin->edge_count - 1;
        skin->edge_faces[i] = h / 3;
    }
    skin->closed = skin->closed && turns == 0;
    skin->edge_starts[skin->edge_count] = count;
}

static void find_faces_of_vertices(sn_skin *skin, scratch *s)
{
    int count = 3 * skin->face_count;
    for (int h = 0; h < count; ++h) {
        s->order[h] = h;
    }
    sn_counting_sort(skin->faces, 1, s->order, count, skin->vertex_count, s->starts, s->sorted);
    int v = -1;
    for (int i = 0; i < count; ++i) {
        int h = s->sorted[i];
        if (skin->faces[h] != v) {
            v = skin->faces[h];
            skin->vertex_starts[v] = i;
            skin->owns[h / 3] |= (uint8_t)(1 << h % 3);
        }
        skin->vertex_faces[i] = h / 3;
    }
    skin->vertex_starts[skin->vertex_count] = count;
}

static bool build_topology(sn_skin *skin, const sn_skin_def *def)
{
    int *numbers = sn_allocate((size_t)def->vertex_count * sizeof *numbers);
    scratch s = {0};
    bool good = numbers != NULL && allocate_faces(skin, def->face_count) &&
                number_vertices(skin, def, numbers) &&
                allocate_scratch(&s, 3 * (size_t)def->face_count, (size_t)skin->vertex_count);
    if (good) {
        find_edges(skin, &s);
        find_faces_of_vertices(skin, &s);
    }
    free_scratch(&s);
    sn_free(numbers);
    return good;
}

// ---- the tree ----

// A subtree of n faces has 2 n - 1 nodes, in one stretch: notes where it ends, and cuts the tree
// into subtrees of few faces.
static void find_blocks(sn_skin *skin, int node, int end, bool whole)
{
    const sn_box_node *at = &skin->tree.nodes[node];
    skin->tree_ends[node] = end;
    if (whole && end - node <= 2 * SN_SKIN_BLOCK - 1) {
        skin->blocks[skin->block_count++] = node;
        whole = false;
    }
    if (at->right >= 0) {
        find_blocks(skin, at->left, at->right, whole);
        find_blocks(skin, at->right, end, whole);
    }
}

static bool build_tree(sn_skin *skin)
{
    sn_box_tree *tree = &skin->tree;
    size_t n = (size_t)skin->face_count;
    skin->blocks = sn_allocate(n * sizeof *skin->blocks);
    skin->tree_ends = sn_allocate(2 * n * sizeof *skin->tree_ends);
    if (skin->blocks == NULL || skin->tree_ends == NULL ||
        !sn_box_tree_reserve(tree, skin->face_count, skin->face_count)) {
        return false;
    }
    for (int f = 0; f < skin->face_count; ++f) {
        const int *v = skin->faces + 3 * (size_t)f;
        sn_vec3 a = skin->rest[v[0]], b = skin->rest[v[1]], c = skin->rest[v[2]];
        sn_aabb box = {sn_vec3_min(a, sn_vec3_min(b, c)), sn_vec3_max(a, sn_vec3_max(b, c))};
        tree->leaves[f].box = sn_float_box_around(box);
        tree->leaves[f].item = f;
    }
    sn_box_tree_build(tree, skin->face_count);
    sn_box_tree_keep_boxes(tree);
    find_blocks(skin, tree->root, tree->node_count, true);
    return true;
}

// ---- life ----

sn_status sn_skin_create(const sn_skin_def *def, sn_skin **skin, sn_error *error)
{
    *skin = NULL;
    sn_status status = check_def(def, error);
    if (status != SN_OK) {
        return status;
    }
    sn_skin *made = sn_allocate_zero(sizeof *made);
    if (made == NULL) {
        return sn_fail_memory(error, sizeof *made);
    }
    sn_box_tree_init(&made->tree);
    made->stride = def->stride;
    if (!build_topology(made, def) || !build_tree(made)) {
        sn_skin_destroy(made);
        return sn_fail_memory(error, (size_t)def->face_count * 200);
    }
    *skin = made;
    return SN_OK;
}

void sn_skin_destroy(sn_skin *skin)
{
    if (skin == NULL) {
        return;
    }
    sn_free(skin->faces);
    sn_free(skin->face_edges);
    sn_free(skin->edges);
    sn_free(skin->vertices);
    sn_free(skin->edge_starts);
    sn_free(skin->edge_faces);
    sn_free(skin->vertex_starts);
    sn_free(skin->vertex_faces);
    sn_free(skin->owns);
    sn_free(skin->rest);
    sn_free(skin->blocks);
    sn_free(skin->tree_ends);
    sn_free(skin->boxes);
    sn_box_tree_free(&skin->tree);
    sn_free(skin);
}

sn_status sn_skin_of_tetrahedra(const sn_tetrahedra *tetrahedra, int stride, const char *place,
                                sn_skin **skin, sn_error *error)
{
    *skin = NULL;
    sn_tetrahedra_surface surface = {0};
    sn_status status = sn_tetrahedra_find_surface(tetrahedra, &surface, error);
    if (status != SN_OK) {
        return status;
    }
    int vertex_count = sn_tetrahedra_vertex_count(tetrahedra);
    int corner_count = 3 * sn_mesh_triangle_count(surface.mesh);
    const int *triangles = sn_mesh_triangles(surface.mesh);
    int *faces = sn_allocate((size_t)corner_count * sizeof *faces);
    if (faces == NULL) {
        sn_tetrahedra_surface_free(&surface);
        return sn_fail_memory(error, (size_t)corner_count * sizeof *faces);
    }
    for (int i = 0; i < corner_count; ++i) {
        faces[i] = surface.vertices[triangles[i]];
    }
    sn_skin_def def = {.faces = faces,
                       .face_count = corner_count / 3,
                       .positions = &sn_tetrahedra_positions(tetrahedra)->x,
                       .vertex_count = vertex_count,
                       .stride = 3,
                       .place = place};
    status = stride < 3 ? sn_fail(error, SN_ERROR_ARGUMENT, place,
                                  "a stride of %d numbers a vertex, expected 3 or more", stride)
                        : sn_skin_create(&def, skin, error);
    if (status == SN_OK) {
        (*skin)->stride = stride;
    }
    sn_free(faces);
    sn_tetrahedra_surface_free(&surface);
    return status;
}

// ---- places ----

static sn_float4 choose(sn_int4 mask, sn_float4 a, sn_float4 b)
{
    return (sn_float4)((mask & (sn_int4)a) | (~mask & (sn_int4)b));
}

static sn_float4 smaller(sn_float4 a, sn_float4 b)
{
    return choose(a < b, a, b);
}

static sn_float4 greater(sn_float4 a, sn_float4 b)
{
    return choose(a > b, a, b);
}

// As sn_float_below does it, for three at once: how much more than rounding can have taken.
static sn_float4 rounding_of(sn_float4 a)
{
    sn_float4 size = greater(a, -a);
    return size * FLT_EPSILON + FLT_MIN;
}

static sn_skin_box vertex_box(sn_vec3 from, sn_vec3 to, double reach)
{
    sn_vec3 low = sn_vec3_min(from, to), high = sn_vec3_max(from, to);
    sn_float4 lower = {(float)(low.x - reach), (float)(low.y - reach), (float)(low.z - reach)};
    sn_float4 upper = {(float)(high.x + reach), (float)(high.y + reach), (float)(high.z + reach)};
    return (sn_skin_box){lower - rounding_of(lower), upper + rounding_of(upper)};
}

static sn_float4 load(const float *corner)
{
    sn_float4 four;
    memcpy(&four, corner, sizeof four);
    return four;
}

static void store(sn_box_node *node, sn_float4 lower, sn_float4 upper)
{
    memcpy(node->lower, &lower, sizeof node->lower);
    memcpy(node->upper, &upper, sizeof node->upper);
}

void sn_skin_place(sn_skin *skin, const double *from, const double *to, double reach)
{
    skin->from = from;
    skin->to = to != NULL ? to : from;
    skin->reach = reach;
    for (int v = 0; v < skin->vertex_count; ++v) {
        skin->boxes[v] = vertex_box(sn_skin_from(skin, v), sn_skin_to(skin, v), reach);
    }
    sn_box_node *nodes = skin->tree.nodes;
    for (int i = skin->tree.node_count - 1; i >= 0; --i) {
        sn_box_node *node = &nodes[i];
        if (node->right >= 0) {
            const sn_box_node *a = &nodes[node->left], *b = &nodes[node->right];
            store(node, smaller(load(a->lower), load(b->lower)),
                  greater(load(a->upper), load(b->upper)));
            continue;
        }
        const int *v = skin->faces + 3 * (size_t)node->left;
        const sn_skin_box *a = &skin->boxes[v[0]], *b = &skin->boxes[v[1]], *c = &skin->boxes[v[2]];
        store(node, smaller(a->lower, smaller(b->lower, c->lower)),
              greater(a->upper, greater(b->upper, c->upper)));
    }
}

// ---- normals ----

sn_vec3 sn_skin_face_normal(const sn_skin *skin, int face)
{
    sn_vec3 p[3];
    sn_skin_face(skin, face, p);
    return sn_triangle_normal(p);
}

sn_vec3 sn_skin_edge_normal(const sn_skin *skin, int edge)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = skin->edge_starts[edge]; i < skin->edge_starts[edge + 1]; ++i) {
        sum = sn_vec3_add(sum, sn_skin_face_normal(skin, skin->edge_faces[i]));
    }
    return sum;
}

sn_vec3 sn_skin_vertex_normal(const sn_skin *skin, int vertex)
{
    sn_vec3 sum = SN_VEC3_ZERO;
    for (int i = skin->vertex_starts[vertex]; i < skin->vertex_starts[vertex + 1]; ++i) {
        sn_vec3 p[3];
        int face = skin->vertex_faces[i], k = 0;
        sn_skin_face(skin, face, p);
        while (skin->faces[3 * (size_t)face + (size_t)k] != vertex) {
            k += 1;
        }
        sn_vec3 a = sn_vec3_sub(p[(k + 1) % 3], p[k]), b = sn_vec3_sub(p[(k + 2) % 3], p[k]);
        double angle = sn_atan2(sn_length(sn_cross(a, b)), sn_dot(a, b));
        sum = sn_vec3_add_scaled(sum, angle, sn_triangle_normal(p));
    }
    return sum;
}

sn_ridge sn_skin_ridge_under(const sn_skin *skin, int edge, sn_vec3 u, double flat)
{
    const int *ends = skin->edges + 2 * (size_t)edge;
    sn_vec3 p = sn_skin_from(skin, ends[0]), along = sn_vec3_sub(sn_skin_from(skin, ends[1]), p);
    int count = skin->edge_starts[edge + 1] - skin->edge_starts[edge];
    double least = INFINITY, most = -INFINITY, square = sn_dot(along, along);
    for (int i = 0; i < count; ++i) {
        const int *v = skin->faces + 3 * (size_t)skin->edge_faces[skin->edge_starts[edge] + i];
        int other = v[0] + v[1] + v[2] - ends[0] - ends[1];
        sn_vec3 r = sn_vec3_sub(sn_skin_from(skin, other), p);
        // Into the face, at right angles to the edge.
        double share = square > 0.0 ? sn_dot(r, along) / square : 0.0;
        double rise = sn_dot(sn_normalize(sn_vec3_add_scaled(r, -share, along)), u);
        least = fmin(least, rise);
        most = fmax(most, rise);
    }
    if (most <= flat) {
        return least < -flat || count < 2 ? SN_RIDGE_OVER : SN_RIDGE_FLAT;
    }
    return least >= -flat ? SN_RIDGE_INSIDE : SN_RIDGE_BESIDE;
}

// ---- nearest point ----

bool sn_skin_is_outside(const sn_skin *skin, int face, const double weights[3], sn_vec3 apart)
{
    int zeros = 0, zero = -1, last = -1;
    for (int k = 0; k < 3; ++k) {
        if (weights[k] == 0.0) {
            zeros += 1;
            zero = k;
        } else {
            last = k;
        }
    }
    sn_vec3 normal;
    if (zeros == 0) {
        normal = sn_skin_face_normal(skin, face);
    } else if (zeros == 1) { // the edge across from the corner that does not count
        normal = sn_skin_edge_normal(skin, skin->face_edges[3 * face + (zero + 1) % 3]);
    } else {
        normal = sn_skin_vertex_normal(skin, skin->faces[3 * face + last]);
    }
    return sn_dot(normal, apart) >= 0.0;
}

int sn_skin_nearest(const sn_skin *skin, sn_vec3 point, double limit, double weights[3],
                    double *distance)
{
    double best = limit * limit;
    int found = -1;
    sn_vec3 apart = SN_VEC3_ZERO;
    sn_box_search search;
    sn_box_search_start(&search, &skin->tree, point);
    for (int face; (face = sn_box_search_next(&search, best)) >= 0;) {
        sn_vec3 p[4] = {point};
        sn_skin_face(skin, face, p + 1);
        sn_pair_nearest nearest = sn_pair_find_nearest(SN_VERTEX_FACE, p);
        // The lowest of equals, whatever the tree's order.
        if (nearest.square < best || (nearest.square == best && (found < 0 || face < found))) {
            best = nearest.square;
            found = face;
            apart = nearest.apart;
            memcpy(weights, nearest.weights + 1, 3 * sizeof *weights);
        }
    }
    if (found >= 0) {
        bool outside = !skin->closed || sn_skin_is_outside(skin, found, weights, apart);
        *distance = outside ? sqrt(best) : -sqrt(best);
    }
    return found;
}
