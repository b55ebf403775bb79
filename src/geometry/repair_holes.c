// Loops of half-edges without a twin, and the triangles that fill them.
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/loop_fill.h"
#include "geometry/repair_part.h"

typedef struct hole {
    const sn_repair *r;
    SN_ARRAY(int) all; // half-edges of a rim, against their own direction
    SN_ARRAY(int) rim; // of the loop of it that is filled, which goes through no place twice
    int *at;           // per position: its place in `all`, or -1
    SN_ARRAY(sn_vec3) points;
    SN_ARRAY(int) triangles;
    uint64_t *edges; // pairs of positions of the whole mesh before anything was filled, sorted
    size_t edge_count;
} hole;

static uint64_t edge_key(int a, int b)
{
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    return low << 32 | high;
}

static int compare_keys(const void *first, const void *second)
{
    uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
    return a < b ? -1 : a > b;
}

static bool list_edges(const sn_repair *r, hole *h)
{
    h->edge_count = (size_t)r->corners.count;
    h->edges = sn_allocate((h->edge_count + 1) * sizeof *h->edges);
    if (h->edges == NULL) {
        return false;
    }
    for (int e = 0; e < r->corners.count; ++e) {
        h->edges[e] = edge_key(r->corners.data[e], r->corners.data[sn_half_edge_next(e)]);
    }
    qsort(h->edges, h->edge_count, sizeof *h->edges, compare_keys);
    return true;
}

static int rim_vertex(const hole *h, int i)
{
    return h->r->corners.data[sn_half_edge_next(h->rim.data[i])];
}

static bool is_taken(const void *context, int i, int j)
{
    const hole *h = context;
    uint64_t key = edge_key(rim_vertex(h, i), rim_vertex(h, j));
    return bsearch(&key, h->edges, h->edge_count, sizeof key, compare_keys) != NULL;
}

// The open half-edge that follows e along its rim: around the end of e, through all twins.
static int next_open(const sn_repair *r, int e)
{
    int next = sn_half_edge_next(e);
    while (r->twins.data[next] >= 0) {
        next = sn_half_edge_next(r->twins.data[next]);
    }
    return next;
}

static void set_twins(sn_repair *r, int a, int b)
{
    r->twins.data[a] = b;
    r->twins.data[b] = a;
}

// Point i is the end of half-edge i of the rim, which runs there from point i + 1: the filling's
// edge from i to i + 1 is its twin. The twins within the filling are found through a list of its
// edges.
typedef struct inner_edge {
    uint64_t key;
    int half_edge;
} inner_edge;

static int compare_inner(const void *first, const void *second)
{
    const inner_edge *a = first, *b = second;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->half_edge < b->half_edge ? -1 : a->half_edge > b->half_edge;
}

static bool add_filling(sn_repair *r, const hole *h)
{
    int count = h->rim.count, first = r->corners.count, made = 3 * (count - 2), inner = 0;
    inner_edge *list = sn_allocate((size_t)made * sizeof *list);
    if (list == NULL || !sn_array_reserve(&r->corners, first + made) ||
        !sn_array_reserve(&r->twins, first + made)) {
        sn_free(list);
        return false;
    }
    for (int i = 0; i < made; ++i) {
        r->corners.data[first + i] = rim_vertex(h, h->triangles.data[i]);
        r->twins.data[first + i] = -1;
    }
    r->corners.count = r->twins.count = first + made;
    for (int i = 0; i < made; ++i) {
        int a = h->triangles.data[i], b = h->triangles.data[sn_half_edge_next(i)];
        if (b == (a + 1) % count) {
            set_twins(r, first + i, h->rim.data[a]);
        } else {
            list[inner++] = (inner_edge){edge_key(a, b), first + i};
        }
    }
    qsort(list, (size_t)inner, sizeof *list, compare_inner);
    for (int i = 0; i + 1 < inner; i += 2) {
        set_twins(r, list[i].half_edge, list[i + 1].half_edge);
    }
    sn_free(list);
    return true;
}

static bool fill(sn_repair *r, hole *h)
{
    int count = h->rim.count;
    r->counts->hole_edges += count;
    r->counts->holes += 1;
    if (count == 2) { // out along an edge and back
        set_twins(r, h->rim.data[0], h->rim.data[1]);
        return true;
    }
    sn_array_clear(&h->points);
    for (int i = 0; i < count; ++i) {
        if (!sn_array_push(&h->points, r->positions.data[rim_vertex(h, i)])) {
            return false;
        }
    }
    return sn_array_resize(&h->triangles, 3 * (count - 2)) &&
           sn_loop_fill(h->points.data, count, is_taken, h, h->triangles.data) && add_filling(r, h);
}

// Fills the loop of all half-edges from `first` of the rim on.
static bool fill_from(sn_repair *r, hole *h, int first)
{
    sn_array_clear(&h->rim);
    for (int i = first; i < h->all.count; ++i) {
        h->at[r->corners.data[sn_half_edge_next(h->all.data[i])]] = -1;
        if (!sn_array_push(&h->rim, h->all.data[i])) {
            return false;
        }
    }
    h->all.count = first;
    return h->rim.count == 0 || fill(r, h);
}

// The rim that has half-edge e on it. Where it comes to a place for the second time, what is
// between is a loop of its own.
static bool close_rim(sn_repair *r, hole *h, int e)
{
    sn_array_clear(&h->all);
    sn_array_clear(&h->rim);
    for (int at = e; h->rim.count == 0 || at != e; at = next_open(r, at)) {
        if (!sn_array_push(&h->rim, at)) {
            return false;
        }
    }
    int count = h->rim.count;
    int *rim = h->rim.data; // taken over below: fill_from uses the array again
    h->rim.data = NULL;
    h->rim.count = h->rim.capacity = 0;
    bool done = true;
    for (int i = count - 1; done && i >= 0; --i) { // the filling runs against the rim
        int end = r->corners.data[sn_half_edge_next(rim[i])];
        done = (h->at[end] < 0 || fill_from(r, h, h->at[end])) && sn_array_push(&h->all, rim[i]);
        h->at[end] = h->all.count - 1;
    }
    sn_array_release((void **)&rim);
    return done && fill_from(r, h, 0);
}

bool sn_repair_close_holes(sn_repair *r)
{
    hole h = {.r = r};
    r->own_triangles = r->corners.count / 3;
    h.at = sn_allocate(((size_t)r->positions.count + 1) * sizeof *h.at);
    bool done = h.at != NULL && list_edges(r, &h);
    for (int i = 0; done && i < r->positions.count; ++i) {
        h.at[i] = -1;
    }
    for (int e = 0; done && e < r->corners.count; ++e) {
        if (r->twins.data[e] < 0) {
            done = close_rim(r, &h, e);
        }
    }
    sn_free(h.edges);
    sn_free(h.at);
    sn_array_free(&h.all);
    sn_array_free(&h.rim);
    sn_array_free(&h.points);
    sn_array_free(&h.triangles);
    return done;
}
