// With n parts an element has the points (w0, w1, w2, w3) / n of whole weights that add up to n. It
// falls apart into n (n+1) (n+2) / 6 elements like itself, (n-1) n (n+1) / 6 octahedra, and (n-2)
// (n-1) n / 6 elements turned about. An octahedron is cut into four around its shortest diagonal;
// its faces are all shared with the others, so that any diagonal will do.
#include "geometry/tetrahedra_lattice.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

enum { MOST_PARTS = 256 };

typedef struct lattice {
    const sn_tetrahedra *mesh;
    int parts;
    sn_lattice_point *points; // capacity
    sn_vec3 *positions;       // capacity
    int count, capacity;
    int *table; // of vertices, -1: free; a power of two
    size_t table_size;
    int *elements, *regions;
    int element_count;
    sn_lattice_place *place;
    const void *context;
} lattice;

static void lattice_free(lattice *l)
{
    sn_free(l->points);
    sn_free(l->positions);
    sn_free(l->table);
    sn_free(l->elements);
    sn_free(l->regions);
}

static sn_lattice_point point_of(const int corners[4], const int weights[4])
{
    sn_lattice_point p = {{-1, -1, -1, -1}, {0, 0, 0, 0}};
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        if (weights[k] == 0) {
            continue;
        }
        int at = count++;
        for (; at > 0 && p.corners[at - 1] > corners[k]; --at) {
            p.corners[at] = p.corners[at - 1];
            p.weights[at] = p.weights[at - 1];
        }
        p.corners[at] = corners[k];
        p.weights[at] = weights[k];
    }
    return p;
}

static sn_vec3 position_of(const lattice *l, const sn_lattice_point *p)
{
    sn_vec3 mean = SN_VEC3_ZERO;
    if (p->weights[0] == l->parts) {
        mean = l->mesh->positions[p->corners[0]]; // a corner stays where it is
    } else {
        for (int k = 0; k < 4 && p->corners[k] >= 0; ++k) {
            double share = (double)p->weights[k] / l->parts;
            mean = sn_vec3_add_scaled(mean, share, l->mesh->positions[p->corners[k]]);
        }
    }
    return l->place != NULL ? l->place(l->context, p, mean) : mean;
}

// The vertex of a point, made when it is new.
static int vertex_of(lattice *l, const int corners[4], const int weights[4])
{
    sn_lattice_point p = point_of(corners, weights);
    size_t mask = l->table_size - 1, slot = (size_t)sn_hash64(&p, sizeof p, 0) & mask;
    while (l->table[slot] >= 0) {
        if (memcmp(&l->points[l->table[slot]], &p, sizeof p) == 0) {
            return l->table[slot];
        }
        slot = (slot + 1) & mask;
    }
    l->points[l->count] = p;
    l->positions[l->count] = position_of(l, &p);
    l->table[slot] = l->count;
    return l->count++;
}

static void put(lattice *l, int element, int a, int b, int c, int d)
{
    int *v = l->elements + 4 * (size_t)l->element_count;
    v[0] = a;
    v[1] = b;
    v[2] = c;
    v[3] = d;
    l->regions[l->element_count++] = l->mesh->regions[element];
}

// base + ones at i and j (twice when equal: once), or base + 1 everywhere but at i.
static int vertex_at(lattice *l, const int *corners, const int base[4], int i, int j)
{
    int w[4] = {base[0], base[1], base[2], base[3]};
    w[i] += 1;
    w[j] += i != j;
    return vertex_of(l, corners, w);
}

static void put_octahedron(lattice *l, int element, const int base[4])
{
    // Opposite corners, and around each pair the other four in turn.
    static const int rings[3][6][2] = {{{0, 1}, {2, 3}, {0, 2}, {1, 2}, {1, 3}, {0, 3}},
                                       {{0, 2}, {1, 3}, {0, 1}, {1, 2}, {2, 3}, {0, 3}},
                                       {{0, 3}, {1, 2}, {0, 1}, {1, 3}, {2, 3}, {0, 2}}};
    const int *corners = l->mesh->elements + 4 * (size_t)element;
    int best = 0, v[6];
    double shortest = 0.0;
    for (int r = 0; r < 3; ++r) {
        int a = vertex_at(l, corners, base, rings[r][0][0], rings[r][0][1]);
        int b = vertex_at(l, corners, base, rings[r][1][0], rings[r][1][1]);
        double length = sn_distance(l->positions[a], l->positions[b]);
        if (r == 0 || length < (1.0 - 1e-9) * shortest) { // equal ones are cut the same way
            shortest = length;
            best = r;
        }
    }
    for (int k = 0; k < 6; ++k) {
        v[k] = vertex_at(l, corners, base, rings[best][k][0], rings[best][k][1]);
    }
    for (int k = 0; k < 4; ++k) {
        put(l, element, v[0], v[1], v[2 + k], v[2 + (k + 1) % 4]);
    }
}

static void put_turned(lattice *l, int element, const int base[4])
{
    const int *corners = l->mesh->elements + 4 * (size_t)element;
    int v[4];
    for (int i = 0; i < 4; ++i) {
        int w[4] = {base[0] + 1, base[1] + 1, base[2] + 1, base[3] + 1};
        w[i] -= 1;
        v[i] = vertex_of(l, corners, w);
    }
    put(l, element, v[0], v[1], v[2], v[3]);
}

static void put_upright(lattice *l, int element, const int base[4])
{
    const int *corners = l->mesh->elements + 4 * (size_t)element;
    int v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = vertex_at(l, corners, base, i, i);
    }
    put(l, element, v[0], v[1], v[2], v[3]);
}

static void cut_element(lattice *l, int element)
{
    static void (*const pieces[3])(lattice *, int, const int *) = {put_upright, put_octahedron,
                                                                   put_turned};
    for (int piece = 0; piece < 3; ++piece) {
        int sum = l->parts - 1 - piece;
        for (int a = 0; a <= sum; ++a) {
            for (int b = 0; a + b <= sum; ++b) {
                for (int c = 0; a + b + c <= sum; ++c) {
                    pieces[piece](l, element, (int[4]){a, b, c, sum - a - b - c});
                }
            }
        }
    }
}

static bool reserve(lattice *l, int64_t elements)
{
    int64_t n = l->parts, points = l->mesh->element_count * ((n + 1) * (n + 2) * (n + 3) / 6);
    points += l->mesh->vertex_count;
    if (points > INT_MAX) {
        return false;
    }
    l->capacity = (int)points;
    l->table_size = 64;
    while (l->table_size < 2 * (size_t)points) {
        l->table_size *= 2;
    }
    l->points = sn_allocate((size_t)points * sizeof *l->points);
    l->positions = sn_allocate((size_t)points * sizeof *l->positions);
    l->table = sn_allocate(l->table_size * sizeof *l->table);
    l->elements = sn_allocate(4 * (size_t)elements * sizeof *l->elements);
    l->regions = sn_allocate((size_t)elements * sizeof *l->regions);
    if (l->points == NULL || l->positions == NULL || l->table == NULL || l->elements == NULL ||
        l->regions == NULL) {
        return false;
    }
    memset(l->table, -1, l->table_size * sizeof *l->table);
    return true;
}

sn_status sn_tetrahedra_lattice(const sn_tetrahedra *tetrahedra, int parts, sn_lattice_place *place,
                                const void *context, sn_tetrahedra **refined, sn_error *error)
{
    *refined = NULL;
    int64_t elements = (int64_t)tetrahedra->element_count * parts * parts * parts;
    if (tetrahedra->nodes != 4 || parts < 1 || parts > MOST_PARTS || elements > INT_MAX / 16) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "%d elements of %d nodes, each to be cut into %d parts an edge; 4 nodes, 1 "
                       "to %d parts and at most %d elements in all were expected",
                       tetrahedra->element_count, tetrahedra->nodes, parts, MOST_PARTS,
                       INT_MAX / 16);
    }
    lattice l = {.mesh = tetrahedra, .parts = parts, .place = place, .context = context};
    sn_status status;
    if (!reserve(&l, elements)) {
        status = sn_fail_memory(error, (size_t)elements * 80);
    } else {
        for (int i = 0; i < tetrahedra->vertex_count; ++i) { // old vertices keep their numbers
            vertex_of(&l, (int[4]){i, -1, -1, -1}, (int[4]){parts, 0, 0, 0});
        }
        for (int e = 0; e < tetrahedra->element_count; ++e) {
            cut_element(&l, e);
        }
        sn_tetrahedra_def def = sn_default_tetrahedra_def();
        def.least_quality = 0.0;
        def.positions = l.positions;
        def.vertex_count = l.count;
        def.elements = l.elements;
        def.element_count = l.element_count;
        def.regions = l.regions;
        def.region_names = tetrahedra->region_names;
        def.region_name_count = tetrahedra->region_name_count;
        status = sn_tetrahedra_create(&def, refined, error);
    }
    if (status == SN_OK) {
        (*refined)->turned_count = 0;
    }
    lattice_free(&l);
    return status;
}

sn_status sn_tetrahedra_refined(const sn_tetrahedra *tetrahedra, int parts, sn_tetrahedra **refined,
                                sn_error *error)
{
    return sn_tetrahedra_lattice(tetrahedra, parts, NULL, NULL, refined, error);
}
