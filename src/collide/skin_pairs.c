#include "collide/skin_pairs.h"

#include <string.h>

#include "base/error.h"
#include "geometry/predicate.h"

// ---- boxes ----

// Do two boxes have a point in common? The fourth floats do not count.
static bool boxes_meet(sn_float4 lower_a, sn_float4 upper_a, sn_float4 lower_b, sn_float4 upper_b)
{
    sn_int4 meets = (lower_a <= upper_b) & (lower_b <= upper_a);
#ifdef __SSE__
    return (__builtin_ia32_movmskps((sn_float4)meets) & 7) == 7;
#else
    return (meets[0] & meets[1] & meets[2]) != 0;
#endif
}

static sn_float4 load(const float *corner)
{
    sn_float4 four;
    memcpy(&four, corner, sizeof four);
    return four;
}

static bool nodes_meet(const sn_box_node *a, const sn_box_node *b)
{
    return boxes_meet(load(a->lower), load(a->upper), load(b->lower), load(b->upper));
}

static sn_skin_box edge_box(const sn_skin *skin, int edge)
{
    const sn_skin_box *a = &skin->boxes[skin->edges[2 * edge]];
    const sn_skin_box *b = &skin->boxes[skin->edges[2 * edge + 1]];
    sn_int4 below = a->lower<b->lower, above = a->upper> b->upper;
    return (sn_skin_box){(sn_float4)((below & (sn_int4)a->lower) | (~below & (sn_int4)b->lower)),
                         (sn_float4)((above & (sn_int4)a->upper) | (~above & (sn_int4)b->upper))};
}

// ---- two faces ----

typedef struct search {
    sn_skin *const *skins;
    sn_skin_pair_list *vertex_faces, *edge_edges;
    int32_t skin_a, skin_b;
    bool failed;
} search;

static void add(search *to, sn_skin_pair_list *list, int32_t skin_a, int32_t skin_b, int a, int b)
{
    sn_skin_pair pair = {skin_a, skin_b, a, b};
    to->failed = !sn_array_push(list, pair) || to->failed;
}

// The vertices that face_a owns, against face_b, whose box is the node's.
static void add_vertices(search *to, int32_t skin_a, int face_a, int32_t skin_b,
                         const sn_box_node *node_b)
{
    const sn_skin *a = to->skins[skin_a], *b = to->skins[skin_b];
    sn_float4 lower = load(node_b->lower), upper = load(node_b->upper);
    const int *corners = b->faces + 3 * (size_t)node_b->left;
    for (int k = 0; k < 3; ++k) {
        int v = a->faces[3 * (size_t)face_a + (size_t)k];
        if ((a->owns[face_a] >> k & 1) == 0 ||
            !boxes_meet(a->boxes[v].lower, a->boxes[v].upper, lower, upper) ||
            (a == b && (v == corners[0] || v == corners[1] || v == corners[2]))) {
            continue;
        }
        add(to, to->vertex_faces, skin_a, skin_b, v, node_b->left);
    }
}

static bool edges_share_vertex(const int *a, const int *b)
{
    return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

static void add_edges(search *to, int face_a, int face_b)
{
    const sn_skin *a = to->skins[to->skin_a], *b = to->skins[to->skin_b];
    int of_b[3], count = 0;
    sn_skin_box boxes[3];
    for (int k = 0; k < 3; ++k) {
        if (b->owns[face_b] >> (3 + k) & 1) {
            of_b[count] = b->face_edges[3 * (size_t)face_b + (size_t)k];
            boxes[count] = edge_box(b, of_b[count]);
            count += 1;
        }
    }
    for (int k = 0; k < 3 && count > 0; ++k) {
        if ((a->owns[face_a] >> (3 + k) & 1) == 0) {
            continue;
        }
        int e = a->face_edges[3 * (size_t)face_a + (size_t)k];
        sn_skin_box box = edge_box(a, e);
        for (int i = 0; i < count; ++i) {
            if (!boxes_meet(box.lower, box.upper, boxes[i].lower, boxes[i].upper) ||
                (a == b && edges_share_vertex(a->edges + 2 * e, a->edges + 2 * of_b[i]))) {
                continue;
            }
            bool swap = a == b && e > of_b[i];
            add(to, to->edge_edges, to->skin_a, to->skin_b, swap ? of_b[i] : e, swap ? e : of_b[i]);
        }
    }
}

// ---- two trees ----

// A block of a against all of b; within one skin against what comes after it in the tree, so that
// every two faces come up once.
static void search_block(search *to, int node)
{
    const sn_skin *a = to->skins[to->skin_a], *b = to->skins[to->skin_b];
    const sn_box_node *nodes_a = a->tree.nodes, *nodes_b = b->tree.nodes;
    int32_t stack[2 * SN_BOX_TREE_HEIGHT + 2][2];
    int top = 0;
    stack[top][0] = node;
    stack[top++][1] = b->tree.root;
    while (top > 0) {
        top -= 1;
        int32_t i = stack[top][0], k = stack[top][1];
        const sn_box_node *at_a = &nodes_a[i], *at_b = &nodes_b[k];
        if (!nodes_meet(at_a, at_b) || (a == b && b->tree_ends[k] <= i + 1)) {
            continue;
        }
        if (at_a->right < 0 && at_b->right < 0) {
            add_vertices(to, to->skin_a, at_a->left, to->skin_b, at_b);
            add_vertices(to, to->skin_b, at_b->left, to->skin_a, at_a);
            add_edges(to, at_a->left, at_b->left);
            continue;
        }
        bool split_a =
            at_b->right < 0 || (at_a->right >= 0 && a->tree.heights[i] > b->tree.heights[k]);
        stack[top][0] = split_a ? at_a->right : i;
        stack[top++][1] = split_a ? k : at_b->right;
        stack[top][0] = split_a ? at_a->left : i;
        stack[top++][1] = split_a ? k : at_b->left;
    }
}

// ---- many skins ----

static bool make_tasks(sn_skin_pairs *pairs, sn_skin *const *skins, int count, sn_skin_among among)
{
    sn_array_clear(&pairs->tasks);
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t k = i; k < count; ++k) {
            const sn_box_node *root = &skins[k]->tree.nodes[skins[k]->tree.root];
            if ((i == k ? SN_SKIN_SELF : SN_SKIN_OTHERS) & ~among ||
                !nodes_meet(&skins[i]->tree.nodes[skins[i]->tree.root], root)) {
                continue;
            }
            for (int b = 0; b < skins[i]->block_count; ++b) {
                sn_skin_task task = {i, k, skins[i]->blocks[b]};
                if (nodes_meet(&skins[i]->tree.nodes[task.node], root) &&
                    !sn_array_push(&pairs->tasks, task)) {
                    return false;
                }
            }
        }
    }
    return true;
}

typedef struct find_context {
    sn_skin_pairs *pairs;
    sn_skin *const *skins;
} find_context;

static void run_tasks(void *context, int first, int last, int chunk)
{
    find_context *in = context;
    sn_skin_pairs *pairs = in->pairs;
    search to = {.skins = in->skins,
                 .vertex_faces = &pairs->lanes[chunk].vertex_faces,
                 .edge_edges = &pairs->lanes[chunk].edge_edges};
    sn_array_clear(to.vertex_faces);
    sn_array_clear(to.edge_edges);
    for (int i = first; i < last; ++i) {
        const sn_skin_task *task = &pairs->tasks.data[i];
        to.skin_a = task->skin_a;
        to.skin_b = task->skin_b;
        search_block(&to, task->node);
    }
    pairs->lanes[chunk].failed = to.failed;
}

static bool append(sn_skin_pair_list *list, const sn_skin_pair_list *more)
{
    int count = list->count;
    if (more->count == 0) {
        return true;
    }
    if (!sn_array_resize(list, count + more->count)) {
        return false;
    }
    memcpy(list->data + count, more->data, (size_t)more->count * sizeof *more->data);
    return true;
}

sn_status sn_skin_pairs_find(sn_skin_pairs *pairs, sn_skin *const *skins, int count,
                             sn_skin_among among, sn_threads *threads, sn_error *error)
{
    sn_array_clear(&pairs->vertex_faces);
    sn_array_clear(&pairs->edge_edges);
    if (!make_tasks(pairs, skins, count, among)) {
        return sn_fail_memory(error, ((size_t)pairs->tasks.count + 1) * sizeof(sn_skin_task));
    }
    int size = sn_chunk_count(pairs->tasks.count, SN_SKIN_LANES);
    find_context context = {pairs, skins};
    if (size > 0) {
        sn_threads_run(threads, pairs->tasks.count, size, run_tasks, &context);
    }
    int lanes = size > 0 ? sn_chunk_count(pairs->tasks.count, size) : 0;
    for (int i = 0; i < lanes; ++i) {
        if (pairs->lanes[i].failed ||
            !append(&pairs->vertex_faces, &pairs->lanes[i].vertex_faces) ||
            !append(&pairs->edge_edges, &pairs->lanes[i].edge_edges)) {
            sn_array_clear(&pairs->vertex_faces);
            sn_array_clear(&pairs->edge_edges);
            return sn_fail_memory(error, ((size_t)pairs->lanes[i].edge_edges.count + 1) *
                                             sizeof(sn_skin_pair));
        }
    }
    return SN_OK;
}

void sn_skin_pairs_free(sn_skin_pairs *pairs)
{
    sn_array_free(&pairs->vertex_faces);
    sn_array_free(&pairs->edge_edges);
    sn_array_free(&pairs->tasks);
    for (int i = 0; i < SN_SKIN_LANES; ++i) {
        sn_array_free(&pairs->lanes[i].vertex_faces);
        sn_array_free(&pairs->lanes[i].edge_edges);
    }
}

void sn_skin_pair_points(sn_skin *const *skins, sn_pair_kind kind, const sn_skin_pair *pair,
                         sn_vec3 start[4], sn_vec3 *end)
{
    const sn_skin *a = skins[pair->skin_a], *b = skins[pair->skin_b];
    int vertices[4], count_a = kind == SN_VERTEX_FACE ? 1 : 2;
    if (kind == SN_VERTEX_FACE) {
        vertices[0] = pair->a;
        memcpy(vertices + 1, b->faces + 3 * (size_t)pair->b, 3 * sizeof *vertices);
    } else {
        memcpy(vertices, a->edges + 2 * (size_t)pair->a, 2 * sizeof *vertices);
        memcpy(vertices + 2, b->edges + 2 * (size_t)pair->b, 2 * sizeof *vertices);
    }
    for (int k = 0; k < 4; ++k) {
        const sn_skin *skin = k < count_a ? a : b;
        start[k] = sn_skin_from(skin, vertices[k]);
        if (end != NULL) {
            end[k] = sn_skin_to(skin, vertices[k]);
        }
    }
}

// ---- crossings ----

typedef struct crossing_search {
    sn_skin *const *skins;
    int32_t skin_a, skin_b;
    int count;
    sn_skin_crossing *first;
} crossing_search;

static bool is_before(const sn_skin_crossing *a, const sn_skin_crossing *b)
{
    const int32_t x[4] = {a->skin_a, a->skin_b, a->edge, a->face};
    const int32_t y[4] = {b->skin_a, b->skin_b, b->edge, b->face};
    for (int k = 0; k < 4; ++k) {
        if (x[k] != y[k]) {
            return x[k] < y[k];
        }
    }
    return false;
}

static void test_crossing(crossing_search *to, int edge, int face)
{
    const sn_skin *a = to->skins[to->skin_a], *b = to->skins[to->skin_b];
    const int *ends = a->edges + 2 * (size_t)edge, *corners = b->faces + 3 * (size_t)face;
    for (int k = 0; a == b && k < 3; ++k) {
        if (corners[k] == ends[0] || corners[k] == ends[1]) {
            return;
        }
    }
    sn_vec3 p[3];
    sn_skin_face(b, face, p);
    if (sn_segment_meets_triangle(sn_skin_from(a, ends[0]), sn_skin_from(a, ends[1]), p[0], p[1],
                                  p[2])) {
        sn_skin_crossing crossing = {to->skin_a, to->skin_b, edge, face};
        if (to->count == 0 || is_before(&crossing, to->first)) {
            *to->first = crossing;
        }
        to->count += 1;
    }
}

static void cross_by_tree(crossing_search *to)
{
    const sn_skin *a = to->skins[to->skin_a], *b = to->skins[to->skin_b];
    for (int e = 0; e < a->edge_count; ++e) {
        sn_skin_box box = edge_box(a, e);
        sn_float_box around;
        memcpy(around.lower, &box.lower, sizeof around.lower);
        memcpy(around.upper, &box.upper, sizeof around.upper);
        sn_box_walk walk;
        sn_box_walk_start(&walk, &b->tree, &around);
        for (int f = sn_box_walk_next(&walk); f >= 0; f = sn_box_walk_next(&walk)) {
            test_crossing(to, e, f);
        }
    }
}

static void cross_by_force(crossing_search *to)
{
    for (int e = 0; e < to->skins[to->skin_a]->edge_count; ++e) {
        for (int f = 0; f < to->skins[to->skin_b]->face_count; ++f) {
            test_crossing(to, e, f);
        }
    }
}

static int count_crossings(sn_skin *const *skins, int count, sn_skin_among among,
                           sn_skin_crossing *first, void (*cross)(crossing_search *to))
{
    sn_skin_crossing lowest = {-1, -1, -1, -1};
    crossing_search to = {.skins = skins, .first = &lowest};
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t k = 0; k < count; ++k) {
            if (((i == k ? SN_SKIN_SELF : SN_SKIN_OTHERS) & among) != 0) {
                to.skin_a = i;
                to.skin_b = k;
                cross(&to);
            }
        }
    }
    if (first != NULL && to.count > 0) {
        *first = lowest;
    }
    return to.count;
}

int sn_skin_crossings(sn_skin *const *skins, int count, sn_skin_among among,
                      sn_skin_crossing *first)
{
    return count_crossings(skins, count, among, first, cross_by_tree);
}

int sn_skin_crossings_by_force(sn_skin *const *skins, int count, sn_skin_among among,
                               sn_skin_crossing *first)
{
    return count_crossings(skins, count, among, first, cross_by_force);
}
