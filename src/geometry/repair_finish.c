// Triangles without area, vertices of fans, and shells without volume. Every half-edge has a twin
// here.
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/repair_part.h"
#include "geometry/sum.h"

static void set_twins(sn_repair *r, int a, int b)
{
    r->twins.data[a] = b;
    r->twins.data[b] = a;
}

static void count_flat(sn_repair *r, int triangle)
{
    r->counts->flat_faces += triangle < r->own_triangles;
}

// ---- folds ----

// Two triangles that lie on each other and share two edges: they go, and the triangles behind their
// third edges become neighbours. `e` is one of the two edges, the other one follows it.
static bool remove_fold(sn_repair *r, int e)
{
    int g = r->twins.data[e], t = e / 3, u = g / 3;
    if (t == u || r->twins.data[sn_half_edge_next(e)] != sn_half_edge_previous(g)) {
        return false;
    }
    int behind_t = r->twins.data[sn_half_edge_previous(e)];
    int behind_u = r->twins.data[sn_half_edge_next(g)];
    if (behind_t / 3 != u) { // else all three edges are shared: a shell of its own
        set_twins(r, behind_t, behind_u);
    }
    sn_repair_drop_triangle(r, t);
    sn_repair_drop_triangle(r, u);
    count_flat(r, t);
    count_flat(r, u);
    return true;
}

static bool remove_folds(sn_repair *r)
{
    bool changed = false;
    for (int e = 0; e < r->corners.count; ++e) {
        if (sn_repair_has(r, e / 3)) {
            changed = remove_fold(r, e) || changed;
        }
    }
    return changed;
}

// ---- flips ----

static bool three_have_area(sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    double ab = sn_distance(a, b), bc = sn_distance(b, c), ca = sn_distance(c, a);
    double longest = fmax(ab, fmax(bc, ca));
    sn_vec3 area = sn_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
    return sn_length(area) > 1e-14 * longest * longest;
}

static int longest_edge(const sn_repair *r, int t)
{
    int best = 3 * t;
    double most = -1.0;
    for (int e = 3 * t; e < 3 * t + 3; ++e) {
        double length = sn_distance(sn_repair_at(r, e), sn_repair_at(r, sn_half_edge_next(e)));
        if (length > most) {
            most = length;
            best = e;
        }
    }
    return best;
}

// Triangle a c b without area, b between a and c, and its neighbour c a d become a d b and d c b.
static bool flip(sn_repair *r, int t)
{
    int e = longest_edge(r, t), g = r->twins.data[e], u = g / 3;
    int before[4] = {sn_half_edge_next(e), sn_half_edge_previous(e), sn_half_edge_next(g),
                     sn_half_edge_previous(g)}; // c b, b a, a d, d c
    int a = r->corners.data[e], c = r->corners.data[before[0]], b = r->corners.data[before[1]];
    int d = r->corners.data[before[3]];
    const sn_vec3 *p = r->positions.data;
    if (t == u || b == d || sn_repair_is_flat(r, u) || !three_have_area(p[a], p[d], p[b]) ||
        !three_have_area(p[d], p[c], p[b])) {
        return false;
    }
    int after[4] = {3 * u + 1, 3 * t + 2, 3 * t, 3 * u}, outer[4];
    for (int k = 0; k < 4; ++k) {
        outer[k] = r->twins.data[before[k]];
        for (int m = 0; m < 4; ++m) {
            if (r->twins.data[before[k]] == before[m]) {
                outer[k] = after[m];
            }
        }
    }
    int *v = r->corners.data + 3 * (size_t)t, *w = r->corners.data + 3 * (size_t)u;
    v[0] = a;
    v[1] = d;
    v[2] = b;
    w[0] = d;
    w[1] = c;
    w[2] = b;
    for (int k = 0; k < 4; ++k) {
        set_twins(r, after[k], outer[k]);
    }
    set_twins(r, 3 * t + 1, 3 * u + 2);
    return true;
}

// ---- collapses ----

static int shortest_edge(const sn_repair *r, int t)
{
    int best = 3 * t;
    double least = INFINITY;
    for (int e = 3 * t; e < 3 * t + 3; ++e) {
        double length = sn_distance(sn_repair_at(r, e), sn_repair_at(r, sn_half_edge_next(e)));
        if (length < least) {
            least = length;
            best = e;
        }
    }
    return best;
}

// The shortest edge of a triangle without area shrinks to its start; the triangles on both sides of
// it go.
static bool collapse(sn_repair *r, int t)
{
    int e = shortest_edge(r, t), g = r->twins.data[e], u = g / 3;
    int sides[4] = {r->twins.data[sn_half_edge_next(e)], r->twins.data[sn_half_edge_previous(e)],
                    r->twins.data[sn_half_edge_next(g)], r->twins.data[sn_half_edge_previous(g)]};
    for (int k = 0; k < 4; ++k) {
        if (t == u || sides[k] / 3 == t || sides[k] / 3 == u) {
            return false;
        }
    }
    int start = r->corners.data[e], first = sn_half_edge_next(e), at = first;
    do { // a triangle beside t and u that has both ends would name one vertex twice
        int end = r->corners.data[sn_half_edge_next(at)];
        int third = r->corners.data[sn_half_edge_previous(at)];
        if (at / 3 != t && at / 3 != u && (end == start || third == start)) {
            return false;
        }
        at = sn_half_edge_next(r->twins.data[at]);
    } while (at != first);
    do { // all corners of the fan around the edge's end
        r->corners.data[at] = start;
        at = sn_half_edge_next(r->twins.data[at]);
    } while (at != first);
    set_twins(r, sides[0], sides[1]);
    set_twins(r, sides[2], sides[3]);
    sn_repair_drop_triangle(r, t);
    sn_repair_drop_triangle(r, u);
    return true;
}

// Flips come first: they keep every vertex. A collapse is for what no flip mends. Each flip makes
// one triangle without area fewer, each fold and collapse two triangles: it ends.
bool sn_repair_flatten(sn_repair *r)
{
    for (bool changed = true; changed;) {
        changed = remove_folds(r);
        for (int t = 0; t < r->corners.count / 3; ++t) {
            if (sn_repair_has(r, t) && sn_repair_is_flat(r, t) && flip(r, t)) {
                count_flat(r, t);
                changed = true;
            }
        }
        for (int t = 0; t < r->corners.count / 3 && !changed; ++t) {
            if (sn_repair_has(r, t) && sn_repair_is_flat(r, t) && collapse(r, t)) {
                count_flat(r, t);
                changed = true;
            }
        }
    }
    return true;
}

// ---- fans ----

// Vertices by fans instead of places.
static bool name_fans(sn_repair *r)
{
    SN_ARRAY(sn_vec3) positions = {0};
    int *names = sn_allocate(((size_t)r->corners.count + 1) * sizeof *names);
    bool *used = sn_allocate_zero((size_t)r->positions.count + 1);
    bool done = names != NULL && used != NULL;
    int places = 0;
    for (int e = 0; done && e < r->corners.count; ++e) {
        names[e] = -1;
    }
    for (int e = 0; done && e < r->corners.count; ++e) {
        if (!sn_repair_has(r, e / 3) || names[e] >= 0) {
            continue;
        }
        places += !used[r->corners.data[e]];
        used[r->corners.data[e]] = true;
        int at = e;
        do {
            names[at] = positions.count;
            at = r->twins.data[sn_half_edge_previous(at)];
        } while (at != e);
        done = sn_array_push(&positions, sn_repair_at(r, e));
    }
    for (int e = 0; done && e < r->corners.count; ++e) {
        if (sn_repair_has(r, e / 3)) {
            r->corners.data[e] = names[e];
        }
    }
    sn_free(names);
    sn_free(used);
    if (!done) {
        sn_array_free(&positions);
        return false;
    }
    r->counts->split_vertices += positions.count - places;
    sn_array_free(&r->positions);
    r->positions.data = positions.data;
    r->positions.count = positions.count;
    r->positions.capacity = positions.capacity;
    return true;
}

// ---- edges that two pairs share ----

// Half-edge e of triangle a b c: a m c stays, m b c is new. The half-edge from m to b.
static int divide_triangle(sn_repair *r, int e, int middle)
{
    int next = sn_half_edge_next(e), previous = sn_half_edge_previous(e), made = r->corners.count;
    int b = r->corners.data[next], c = r->corners.data[previous], outer = r->twins.data[next];
    const int corners[3] = {middle, b, c};
    for (int k = 0; k < 3; ++k) {
        r->corners.data[made + k] = corners[k];
    }
    r->corners.count = r->twins.count = made + 3;
    r->corners.data[next] = middle;
    set_twins(r, made + 1, outer);
    set_twins(r, made + 2, next);
    return made;
}

// A vertex in the middle of the edge of e and its twin.
static bool divide_edge(sn_repair *r, int e)
{
    int g = r->twins.data[e], middle = r->positions.count;
    sn_vec3 a = sn_repair_at(r, e), b = sn_repair_at(r, g);
    if (!sn_array_push(&r->positions, sn_vec3_scale(0.5, sn_vec3_add(a, b))) ||
        !sn_array_reserve(&r->corners, r->corners.count + 6) ||
        !sn_array_reserve(&r->twins, r->corners.count + 6)) {
        return false;
    }
    int of_e = divide_triangle(r, e, middle), of_g = divide_triangle(r, g, middle);
    set_twins(r, e, of_g);
    set_twins(r, g, of_e);
    return true;
}

// All pairs but the first of one edge; those whose triangles were just divided have to wait.
static bool divide_pairs(sn_repair *r, const int *sorted, sn_repair_edge edge, int count,
                         bool *divided, bool *found)
{
    int keep = sorted[edge.first];
    for (int i = edge.first + 1; i < edge.end; ++i) {
        int e = sorted[i], g = r->twins.data[e];
        *found = true;
        if (e == r->twins.data[keep] || e > g || g >= count || divided[e / 3] || divided[g / 3]) {
            continue;
        }
        divided[e / 3] = divided[g / 3] = true;
        if (!divide_edge(r, e)) {
            return false;
        }
    }
    return true;
}

// Edges of more than two triangles, by fans.
static bool divide_once(sn_repair *r, bool *found)
{
    sn_repair_edge edge;
    int *sorted = sn_repair_sort_edges(r);
    int count = r->corners.count, end = 0;
    bool *divided = sn_allocate_zero((size_t)count / 3 + 1);
    int *starts = sn_allocate(((size_t)count + 1) * sizeof *starts);
    bool done = sorted != NULL && divided != NULL && starts != NULL;
    *found = false;
    for (int i = 0; done && i < count; i = edge.end) { // before anything changes
        edge = sn_repair_next_edge(r, sorted, i);
        if (edge.end - edge.first > 2) {
            starts[end++] = edge.first;
            starts[end++] = edge.end;
        }
    }
    for (int i = 0; done && i < end; i += 2) {
        edge.first = starts[i];
        edge.end = starts[i + 1];
        done = divide_pairs(r, sorted, edge, count, divided, found);
    }
    sn_free(sorted);
    sn_free(divided);
    sn_free(starts);
    return done;
}

// Takes dropped triangles out, twins renumbered.
static bool close_ranks(sn_repair *r)
{
    int *to = sn_allocate(((size_t)r->corners.count / 3 + 1) * sizeof *to);
    int kept = 0;
    if (to == NULL) {
        return false;
    }
    for (int t = 0; t < r->corners.count / 3; ++t) {
        to[t] = sn_repair_has(r, t) ? kept++ : -1;
    }
    for (int t = 0; t < r->corners.count / 3; ++t) {
        for (int k = 0; k < 3 && to[t] >= 0; ++k) {
            int twin = r->twins.data[3 * t + k];
            r->corners.data[3 * to[t] + k] = r->corners.data[3 * t + k];
            r->twins.data[3 * to[t] + k] = 3 * to[twin / 3] + twin % 3;
        }
    }
    r->corners.count = r->twins.count = 3 * kept;
    sn_free(to);
    return true;
}

bool sn_repair_split(sn_repair *r)
{
    bool found = true, done = close_ranks(r) && name_fans(r);
    while (done && found) {
        done = divide_once(r, &found);
    }
    return done;
}

// ---- shells ----

static int find_root(int *parent, int t)
{
    while (parent[t] != t) {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

// A ball has a volume of 0.09 times its area to the power of 3/2, a foil of a thousandth of its
// width 0.0004 times.
static const double LEAST_VOLUME = 1e-9;

static void measure_shells(const sn_repair *r, int *parent, sn_sum *volume, sn_sum *area)
{
    for (int t = 0; t < r->corners.count / 3; ++t) {
        int root = find_root(parent, t);
        sn_vec3 origin = sn_repair_at(r, 3 * root), p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = sn_vec3_sub(sn_repair_at(r, 3 * t + k), origin);
        }
        sn_sum_add(&volume[root], sn_dot(p[0], sn_cross(p[1], p[2])) / 6.0);
        sn_sum_add(&area[root], 0.5 * sn_length(sn_repair_area(r, t)));
    }
}

bool sn_repair_drop_shells(sn_repair *r)
{
    int count = r->corners.count / 3;
    int *parent = sn_allocate(((size_t)count + 1) * sizeof *parent);
    sn_sum *volume = sn_allocate_zero(((size_t)count + 1) * sizeof *volume);
    sn_sum *area = sn_allocate_zero(((size_t)count + 1) * sizeof *area);
    bool done = parent != NULL && volume != NULL && area != NULL;
    if (done) {
        for (int t = 0; t < count; ++t) {
            parent[t] = t;
        }
        for (int e = 0; e < r->corners.count; ++e) {
            int a = find_root(parent, e / 3), b = find_root(parent, r->twins.data[e] / 3);
            parent[a > b ? a : b] = a > b ? b : a;
        }
        measure_shells(r, parent, volume, area);
        for (int t = 0; t < count; ++t) {
            int root = find_root(parent, t);
            double a = sn_sum_value(&area[root]), v = fabs(sn_sum_value(&volume[root]));
            if (!(v > LEAST_VOLUME * a * sqrt(a))) {
                r->counts->dropped_shells += root == t;
                sn_repair_drop_triangle(r, t);
            }
        }
    }
    sn_free(parent);
    sn_free(volume);
    sn_free(area);
    return done;
}
