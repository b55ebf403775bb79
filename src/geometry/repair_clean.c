// Duplicate faces and flaps.
#include <string.h>

#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/repair_part.h"

// ---- edges ----

static void edge_of(const sn_repair *r, int half_edge, int *a, int *b)
{
    int from = r->corners.data[half_edge], to = r->corners.data[sn_half_edge_next(half_edge)];
    *a = from < to ? from : to;
    *b = from < to ? to : from;
}

int *sn_repair_sort_edges(const sn_repair *r)
{
    size_t count = (size_t)r->corners.count;
    int *keys = sn_allocate((2 * count + 1) * sizeof *keys);
    int *order = sn_allocate((count + 1) * sizeof *order);
    int *sorted = sn_allocate((count + 1) * sizeof *sorted);
    int *starts = sn_allocate(((size_t)r->positions.count + 1) * sizeof *starts);
    bool done = keys != NULL && order != NULL && sorted != NULL && starts != NULL;
    if (done) {
        for (int e = 0; e < r->corners.count; ++e) {
            order[e] = e;
            edge_of(r, e, &keys[2 * (size_t)e], &keys[2 * (size_t)e + 1]);
        }
        sn_counting_sort(keys + 1, 2, order, r->corners.count, r->positions.count, starts, sorted);
        sn_counting_sort(keys, 2, sorted, r->corners.count, r->positions.count, starts, order);
        memcpy(sorted, order, count * sizeof *sorted);
    }
    sn_free(keys);
    sn_free(order);
    sn_free(starts);
    if (!done) {
        sn_free(sorted);
        return NULL;
    }
    return sorted;
}

sn_repair_edge sn_repair_next_edge(const sn_repair *r, const int *sorted, int first)
{
    sn_repair_edge edge = {.first = first, .end = first + 1};
    edge_of(r, sorted[first], &edge.a, &edge.b);
    for (int a, b; edge.end < r->corners.count; ++edge.end) {
        edge_of(r, sorted[edge.end], &a, &b);
        if (a != edge.a || b != edge.b) {
            break;
        }
    }
    return edge;
}

static int find_root(int *parent, int t)
{
    while (parent[t] != t) {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

static void join(int *parent, int a, int b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

// ---- duplicates ----

// The corners in ascending order; 1 if that reverses the triangle, else 0.
static int sorted_corners(const int *v, int sorted[3])
{
    int first = v[0] < v[1] ? (v[0] < v[2] ? 0 : 2) : (v[1] < v[2] ? 1 : 2);
    int second = v[(first + 1) % 3], third = v[(first + 2) % 3];
    sorted[0] = v[first];
    sorted[1] = second < third ? second : third;
    sorted[2] = second < third ? third : second;
    return second > third;
}

// Triangles in groups of equal corners.
typedef struct twofold {
    int *first;  // per triangle: the first of its group
    int *size;   // per first triangle: members
    int *turns;  // per first triangle: members turned as the first, less those turned over
    int *parent; // per first triangle: sets of groups connected over edges
    int *odd;    // per set: edges at which the rest of the mesh has an odd number of triangles
    int *even;   // and a positive even number
} twofold;

static void twofold_free(twofold *d)
{
    sn_free(d->first);
    sn_free(d->size);
    sn_free(d->turns);
    sn_free(d->parent);
    sn_free(d->odd);
    sn_free(d->even);
}

static bool twofold_allocate(twofold *d, size_t count)
{
    d->first = sn_allocate(count * sizeof(int));
    d->size = sn_allocate_zero(count * sizeof(int));
    d->turns = sn_allocate_zero(count * sizeof(int));
    d->parent = sn_allocate(count * sizeof(int));
    d->odd = sn_allocate_zero(count * sizeof(int));
    d->even = sn_allocate_zero(count * sizeof(int));
    return d->first != NULL && d->size != NULL && d->turns != NULL && d->parent != NULL &&
           d->odd != NULL && d->even != NULL;
}

static bool find_groups(const sn_repair *r, twofold *d)
{
    int count = r->corners.count / 3;
    int *keys = sn_allocate(4 * (size_t)count * sizeof *keys); // sorted corners, and the turn
    int *order = sn_allocate(2 * (size_t)count * sizeof *order);
    int *starts = sn_allocate(((size_t)r->positions.count + 1) * sizeof *starts);
    bool done = keys != NULL && order != NULL && starts != NULL;
    if (done) {
        for (int t = 0; t < count; ++t) {
            int *key = keys + 4 * (size_t)t;
            key[3] = sorted_corners(r->corners.data + 3 * (size_t)t, key);
            order[t] = t;
            d->parent[t] = t;
        }
        int *from = order, *to = order + count;
        for (int k = 2; k >= 0; --k) {
            sn_counting_sort(keys + k, 4, from, count, r->positions.count, starts, to);
            int *swap = from;
            from = to;
            to = swap;
        }
        for (int i = 0, first = 0; i < count; ++i) {
            int t = from[i];
            bool same = i > 0 && memcmp(keys + 4 * (size_t)from[i - 1], keys + 4 * (size_t)t,
                                        3 * sizeof *keys) == 0;
            first = same ? first : t;
            d->first[t] = first;
            d->size[first] += 1;
            d->turns[first] += keys[4 * (size_t)t + 3] == keys[4 * (size_t)first + 3] ? 1 : -1;
        }
    }
    sn_free(keys);
    sn_free(order);
    sn_free(starts);
    return done;
}

// How often is the rest of the mesh at this edge, and which groups are?
static void note_edge(const sn_repair *r, twofold *d, const int *sorted, sn_repair_edge edge,
                      bool count_rest)
{
    int rest = 0, group = -1;
    for (int i = edge.first; i < edge.end; ++i) {
        int first = d->first[sorted[i] / 3];
        if (d->size[first] == 1) {
            rest += 1;
        } else if (group < 0) {
            group = first;
        } else if (!count_rest) {
            join(d->parent, group, first);
        }
    }
    if (count_rest && group >= 0 && rest > 0) {
        int set = find_root(d->parent, group);
        d->odd[set] += rest % 2;
        d->even[set] += rest % 2 == 0;
    }
    (void)r;
}

// A face that exists once each way is a wall within a body, or a fin, where the rest is closed
// without it; else it is a surface with two sides, of which one is kept.
bool sn_repair_drop_duplicates(sn_repair *r)
{
    int count = r->corners.count / 3;
    if (count == 0) {
        return true;
    }
    twofold d = {0};
    int *sorted = sn_repair_sort_edges(r);
    bool done = sorted != NULL && twofold_allocate(&d, (size_t)count) && find_groups(r, &d);
    sn_repair_edge edge;
    for (int pass = 0; done && pass < 2; ++pass) {
        for (int i = 0; i < r->corners.count; i = edge.end) {
            edge = sn_repair_next_edge(r, sorted, i);
            note_edge(r, &d, sorted, edge, pass == 1);
        }
    }
    for (int t = 0; done && t < count; ++t) {
        int first = d.first[t];
        if (d.size[first] == 1) {
            continue;
        }
        int set = find_root(d.parent, first);
        bool wall = d.turns[first] == 0 && d.even[set] > d.odd[set];
        if (wall || t != first) {
            sn_repair_drop_triangle(r, t);
            r->counts->duplicate_faces += 1;
        }
    }
    sn_free(sorted);
    twofold_free(&d);
    sn_repair_compact(r);
    return done;
}

// ---- flaps ----

typedef struct patches {
    int *parent;  // per triangle; the roots name the patches
    double *area; // per root, twice
    int *open;    // per root: edges of one triangle
    int *shared;  // per root: edges of an odd number of triangles, more than one
    bool *drop;   // per root
} patches;

static void patches_free(patches *p)
{
    sn_free(p->parent);
    sn_free(p->area);
    sn_free(p->open);
    sn_free(p->shared);
    sn_free(p->drop);
}

static bool patches_allocate(patches *p, size_t count)
{
    p->parent = sn_allocate(count * sizeof *p->parent);
    p->area = sn_allocate_zero(count * sizeof *p->area);
    p->open = sn_allocate_zero(count * sizeof *p->open);
    p->shared = sn_allocate_zero(count * sizeof *p->shared);
    p->drop = sn_allocate_zero(count * sizeof *p->drop);
    return p->parent != NULL && p->area != NULL && p->open != NULL && p->shared != NULL &&
           p->drop != NULL;
}

// Triangles connected over edges that two of them share.
static void find_patches(const sn_repair *r, const int *sorted, patches *p)
{
    sn_repair_edge edge;
    for (int t = 0; t < r->corners.count / 3; ++t) {
        p->parent[t] = t;
    }
    for (int i = 0; i < r->corners.count; i = edge.end) {
        edge = sn_repair_next_edge(r, sorted, i);
        if (edge.end - edge.first == 2) {
            join(p->parent, sorted[i] / 3, sorted[i + 1] / 3);
        }
    }
    for (int t = 0; t < r->corners.count / 3; ++t) {
        p->area[find_root(p->parent, t)] += sn_length(sn_repair_area(r, t));
    }
    for (int i = 0; i < r->corners.count; i = edge.end) {
        edge = sn_repair_next_edge(r, sorted, i);
        int count = edge.end - edge.first;
        for (int k = edge.first; k < edge.end && count % 2 == 1; ++k) {
            int root = find_root(p->parent, sorted[k] / 3);
            p->open[root] += count == 1;
            p->shared[root] += count > 1;
        }
    }
}

// At an edge of an odd number of triangles: the smallest patch that ends in the open elsewhere is a
// flap, unless it is the largest there.
static bool mark_flap(patches *p, const int *sorted, sn_repair_edge edge)
{
    int flap = -1;
    double largest = 0.0;
    for (int i = edge.first; i < edge.end; ++i) {
        int root = find_root(p->parent, sorted[i] / 3);
        largest = fmax(largest, p->area[root]);
        if (p->open[root] > 0 && p->shared[root] > 0 &&
            (flap < 0 || p->area[root] < p->area[flap])) {
            flap = root;
        }
    }
    if (flap < 0 || !(p->area[flap] < largest) || p->drop[flap]) {
        return false;
    }
    p->drop[flap] = true;
    return true;
}

static bool drop_flaps_once(sn_repair *r, bool *found)
{
    patches p = {0};
    int *sorted = sn_repair_sort_edges(r);
    bool done = sorted != NULL && patches_allocate(&p, (size_t)r->corners.count / 3 + 1);
    sn_repair_edge edge;
    *found = false;
    if (done) {
        find_patches(r, sorted, &p);
        for (int i = 0; i < r->corners.count; i = edge.end) {
            edge = sn_repair_next_edge(r, sorted, i);
            int count = edge.end - edge.first;
            *found = (count > 1 && count % 2 == 1 && mark_flap(&p, sorted, edge)) || *found;
        }
        for (int t = 0; t < r->corners.count / 3; ++t) {
            if (p.drop[find_root(p.parent, t)]) {
                sn_repair_drop_triangle(r, t);
                r->counts->flap_faces += 1;
            }
        }
    }
    sn_free(sorted);
    patches_free(&p);
    sn_repair_compact(r);
    return done;
}

bool sn_repair_drop_flaps(sn_repair *r)
{
    bool found = true, done = true;
    while (done && found) {
        done = drop_flaps_once(r, &found);
    }
    return done;
}
