// Turning faces to agree with their neighbours, and pairing half-edges to twins.
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/repair_part.h"
#include "geometry/weld.h"
#include "math/elementary.h"

// ---- turning ----

// The other half-edge of each edge that two triangles share, whichever way they run; else -1.
static int *find_partners(const sn_repair *r)
{
    int *sorted = sn_repair_sort_edges(r);
    int *partners = sn_allocate(((size_t)r->corners.count + 1) * sizeof *partners);
    sn_repair_edge edge;
    if (sorted == NULL || partners == NULL) {
        sn_free(sorted);
        sn_free(partners);
        return NULL;
    }
    for (int i = 0; i < r->corners.count; i = edge.end) {
        edge = sn_repair_next_edge(r, sorted, i);
        for (int k = edge.first; k < edge.end; ++k) {
            partners[sorted[k]] = -1;
        }
        if (edge.end - edge.first == 2) {
            partners[sorted[i]] = sorted[i + 1];
            partners[sorted[i + 1]] = sorted[i];
        }
    }
    sn_free(sorted);
    return partners;
}

typedef struct turning {
    const int *partners; // per half-edge
    int *list;           // triangles of the patch at hand
    int8_t *turned;      // per triangle: -1 not seen, 0 as it is, 1 over
    int count;
} turning;

// All triangles that can be reached over shared edges, each turned to agree with the one it was
// reached from. Twice the area of those that stay, and of those turned over.
static void turn_patch(const sn_repair *r, turning *s, int seed, double area[2])
{
    s->count = 0;
    s->list[s->count++] = seed;
    s->turned[seed] = 0;
    area[0] = area[1] = 0.0;
    for (int i = 0; i < s->count; ++i) {
        int t = s->list[i];
        area[s->turned[t]] += sn_length(sn_repair_area(r, t));
        for (int k = 0; k < 3; ++k) {
            int e = 3 * t + k, partner = s->partners[e];
            if (partner >= 0 && s->turned[partner / 3] < 0) {
                bool same = r->corners.data[e] == r->corners.data[partner];
                s->turned[partner / 3] = (int8_t)(s->turned[t] ^ (same ? 1 : 0));
                s->list[s->count++] = partner / 3;
            }
        }
    }
}

bool sn_repair_orient(sn_repair *r)
{
    int triangles = r->corners.count / 3;
    int *partners = find_partners(r);
    turning s = {.partners = partners};
    s.list = sn_allocate(((size_t)triangles + 1) * sizeof *s.list);
    s.turned = sn_allocate(((size_t)triangles + 1) * sizeof *s.turned);
    bool done = partners != NULL && s.list != NULL && s.turned != NULL;
    for (int t = 0; done && t < triangles; ++t) {
        s.turned[t] = -1;
    }
    for (int t = 0; done && t < triangles; ++t) {
        double area[2];
        if (s.turned[t] >= 0) {
            continue;
        }
        turn_patch(r, &s, t, area);
        int wrong = area[1] > area[0] ? 0 : 1; // the smaller part by area follows the larger
        for (int i = 0; i < s.count; ++i) {
            int *v = r->corners.data + 3 * (size_t)s.list[i];
            if (s.turned[s.list[i]] == wrong) {
                int swap = v[1];
                v[1] = v[2];
                v[2] = swap;
                r->counts->turned_faces += 1;
            }
        }
    }
    sn_free(partners);
    sn_free(s.list);
    sn_free(s.turned);
    return done;
}

// ---- pairing ----

typedef struct around {
    double angle;
    int half_edge;
    bool up; // runs from a to b
} around;

static int compare_angles(const void *first, const void *second)
{
    const around *a = first, *b = second;
    if (a->angle != b->angle) {
        return a->angle < b->angle ? -1 : 1;
    }
    return a->half_edge < b->half_edge ? -1 : a->half_edge > b->half_edge;
}

// The angle of each triangle's third corner around the edge from a to b.
static void find_angles(const sn_repair *r, const int *sorted, sn_repair_edge edge, around *list)
{
    sn_vec3 a = r->positions.data[edge.a];
    sn_vec3 axis = sn_normalize(sn_vec3_sub(r->positions.data[edge.b], a));
    double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    sn_vec3 least = x <= y && x <= z ? sn_vec3_make(1, 0, 0)
                    : y <= z         ? sn_vec3_make(0, 1, 0)
                                     : sn_vec3_make(0, 0, 1);
    sn_vec3 u = sn_normalize(sn_cross(axis, least)), v = sn_cross(axis, u);
    for (int i = edge.first; i < edge.end; ++i) {
        int e = sorted[i];
        sn_vec3 to = sn_vec3_sub(sn_repair_at(r, sn_half_edge_previous(e)), a);
        list[i - edge.first] = (around){.angle = sn_atan2(sn_dot(v, to), sn_dot(u, to)),
                                        .half_edge = e,
                                        .up = r->corners.data[e] == edge.a};
    }
}

// The normal of a triangle that runs up the edge, axis x w, points to growing angles: a body begins
// at a triangle that runs down and ends at the next one up. Like brackets, around the circle.
static void pair_around(sn_repair *r, around *list, int count, int *stack)
{
    qsort(list, (size_t)count, sizeof *list, compare_angles);
    int top = 0;
    for (int i = 0; i < 2 * count; ++i) {
        int k = i % count, e = list[k].half_edge;
        if (!list[k].up && i < count) {
            stack[top++] = e;
        } else if (list[k].up && r->twins.data[e] < 0 && top > 0) {
            int other = stack[--top];
            r->twins.data[e] = other;
            r->twins.data[other] = e;
        }
    }
}

bool sn_repair_pair(sn_repair *r)
{
    int *sorted = sn_repair_sort_edges(r);
    SN_ARRAY(around) list = {0};
    SN_ARRAY(int) stack = {0};
    bool done = sorted != NULL && sn_array_resize(&r->twins, r->corners.count);
    for (int e = 0; done && e < r->corners.count; ++e) {
        r->twins.data[e] = -1;
    }
    sn_repair_edge edge;
    for (int i = 0; done && i < r->corners.count; i = edge.end) {
        edge = sn_repair_next_edge(r, sorted, i);
        int count = edge.end - edge.first;
        if (count == 2 && r->corners.data[sorted[i]] != r->corners.data[sorted[i + 1]]) {
            r->twins.data[sorted[i]] = sorted[i + 1];
            r->twins.data[sorted[i + 1]] = sorted[i];
        } else if (count > 2) {
            done = sn_array_reserve(&list, count) && sn_array_reserve(&stack, count);
            if (done) {
                find_angles(r, sorted, edge, list.data);
                pair_around(r, list.data, count, stack.data);
            }
        }
    }
    sn_free(sorted);
    sn_array_free(&list);
    sn_array_free(&stack);
    return done;
}

// ---- seams ----

// Vertices at open edges, and how long the shortest open edge is at each.
typedef struct rim {
    int *vertex;        // per rim vertex: its position
    sn_vec3 *at;        // per rim vertex
    int *group;         // per rim vertex: 1, for sn_weld_groups
    int *map;           // per rim vertex: the kept one
    int *kept;          // per kept one: a position
    double *short_edge; // per position, INFINITY where no edge is open
    int count;
} rim;

static void rim_free(rim *s)
{
    sn_free(s->vertex);
    sn_free(s->at);
    sn_free(s->group);
    sn_free(s->map);
    sn_free(s->kept);
    sn_free(s->short_edge);
}

static bool rim_allocate(rim *s, size_t count)
{
    s->vertex = sn_allocate(count * sizeof *s->vertex);
    s->at = sn_allocate(count * sizeof *s->at);
    s->group = sn_allocate(count * sizeof *s->group);
    s->map = sn_allocate(count * sizeof *s->map);
    s->kept = sn_allocate(count * sizeof *s->kept);
    s->short_edge = sn_allocate(count * sizeof *s->short_edge);
    return s->vertex != NULL && s->at != NULL && s->group != NULL && s->map != NULL &&
           s->kept != NULL && s->short_edge != NULL;
}

static void find_rim(const sn_repair *r, rim *s)
{
    for (int i = 0; i < r->positions.count; ++i) {
        s->short_edge[i] = INFINITY;
    }
    for (int e = 0; e < r->corners.count; ++e) {
        if (r->twins.data[e] < 0) {
            int a = r->corners.data[e], b = r->corners.data[sn_half_edge_next(e)];
            double length = sn_distance(r->positions.data[a], r->positions.data[b]);
            s->short_edge[a] = fmin(s->short_edge[a], length);
            s->short_edge[b] = fmin(s->short_edge[b], length);
        }
    }
    for (int i = 0; i < r->positions.count; ++i) {
        if (s->short_edge[i] < INFINITY) {
            s->vertex[s->count] = i;
            s->at[s->count] = r->positions.data[i];
            s->group[s->count++] = 1;
        }
    }
}

// Which vertex each position becomes. Only those that are much nearer to each other than the next
// along their rims.
static int merge_rim(const sn_repair *r, rim *s, int *to)
{
    int merged = 0, kept = 0;
    for (int i = 0; i < r->positions.count; ++i) {
        to[i] = i;
    }
    for (int i = 0; i < s->count; ++i) {
        int k = s->map[i], v = s->vertex[i];
        if (k == kept) {
            s->kept[kept++] = v;
            continue;
        }
        int other = s->kept[k];
        double apart = sn_distance(r->positions.data[v], r->positions.data[other]);
        if (apart < 0.25 * fmin(s->short_edge[v], s->short_edge[other])) {
            to[v] = other;
            merged += 1;
        }
    }
    return merged;
}

static void rename_corners(sn_repair *r, const int *to)
{
    for (int i = 0; i < r->corners.count; i += 3) {
        int *v = r->corners.data + i;
        int a = to[v[0]], b = to[v[1]], c = to[v[2]];
        v[0] = a;
        v[1] = b;
        v[2] = c;
        if (a == b || b == c || c == a) {
            sn_repair_drop_triangle(r, i / 3);
            r->counts->flat_faces += 1;
        }
    }
    sn_repair_compact(r);
}

// Rims that lie within a ten-thousandth of the size of each other become one; then faces are turned
// and paired again.
bool sn_repair_stitch(sn_repair *r)
{
    size_t count = (size_t)r->positions.count + 1;
    rim s = {0};
    int *to = sn_allocate(count * sizeof *to);
    int kept = 0, merged = 0;
    bool done = to != NULL && rim_allocate(&s, count);
    if (done) {
        find_rim(r, &s);
        done = s.count == 0 || sn_weld_groups(s.at, s.group, s.count, 1e-4 * r->size, s.map, &kept);
    }
    if (done && s.count > 0) {
        merged = merge_rim(r, &s, to);
    }
    if (done && merged > 0) {
        rename_corners(r, to);
        r->counts->merged_vertices += merged;
        done = sn_repair_drop_duplicates(r) && sn_repair_drop_flaps(r) && sn_repair_orient(r) &&
               sn_repair_pair(r);
    }
    rim_free(&s);
    sn_free(to);
    return done;
}
