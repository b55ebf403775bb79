#include "geometry/stuffing_cut.h"

#include "base/memory.h"
#include "geometry/tetrahedra.h"

// A point of the lattice moves onto the surface when an edge is cut nearer to it than this share of
// the edge. With these two all dihedral angles are between 10.78 and 164.74 degrees (Labelle and
// Shewchuk 2007, table 1).
static const double NEAR_LONG = 0.24999, NEAR_SHORT = 0.41189;

enum { HALVINGS = 30 };

// An edge from a point inside to one outside.
typedef struct cut_edge {
    int inside, outside;
    bool is_long;
    double share; // of the way from inside to outside
    int vertex;   // of the mesh, once it is used; -1
} cut_edge;

typedef struct cutter {
    sn_stuffing_lattice *lattice;
    sn_stuffing_mesh *mesh;
    sn_key_map numbers; // of edges, by their points
    SN_ARRAY(cut_edge) edges;
    sn_crossings crossings;
    int *first, *around; // of every point: its edges are around[first[p]] to around[first[p + 1]]
    int *vertices;       // of points: their vertices in the mesh, -1: none
    bool failed;
} cutter;

static uint64_t edge_key(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// ---- where edges are cut ----

static sn_vec3 point_on(const cutter *c, const cut_edge *e, double share)
{
    const sn_stuffing_point *p = c->lattice->points.data;
    sn_vec3 way = sn_vec3_sub(p[e->outside].x, p[e->inside].x);
    return sn_vec3_add_scaled(p[e->inside].x, share, way);
}

static bool is_inside(const cutter *c, const cut_edge *e, double share)
{
    const sn_stuffing_lattice *l = c->lattice;
    return l->turn * sn_surface_tree_winding(l->tree, point_on(c, e, share)) > 0.5;
}

// Where no triangle is, as in a hole, the winding number goes through 1/2 smoothly.
static double bisect(const cutter *c, const cut_edge *e, double inside, double outside)
{
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (inside + outside);
        if (is_inside(c, e, middle)) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return 0.5 * (inside + outside);
}

// The first triangle, seen from inside, beyond which is outside. Others are within the body, such
// as those of a shell in another one.
static double find_cut(cutter *c, const cut_edge *e)
{
    const sn_stuffing_point *p = c->lattice->points.data;
    sn_crossings *found = &c->crossings;
    if (!sn_surface_tree_crossings(c->lattice->tree, p[e->inside].x, p[e->outside].x, found)) {
        c->failed = true;
        return 0.5;
    }
    if (found->count == 1) {
        return found->data[0];
    }
    double last_inside = 0.0;
    for (int i = 0; i <= found->count; ++i) {
        double from = i > 0 ? found->data[i - 1] : 0.0;
        double to = i < found->count ? found->data[i] : 1.0;
        if (to - from < 1e-9) {
            continue; // twice the same, at a common edge
        }
        double middle = 0.5 * (from + to);
        if (!is_inside(c, e, middle)) {
            // Between the last point inside and this one: at the triangle, if there is one.
            return from > last_inside ? from : bisect(c, e, last_inside, middle);
        }
        last_inside = middle;
    }
    return bisect(c, e, last_inside, 1.0);
}

static void add_edge(cutter *c, int a, int b, bool is_long)
{
    const sn_stuffing_point *p = c->lattice->points.data;
    if (p[a].sign == p[b].sign) {
        return;
    }
    int *number = sn_key_map_put(&c->numbers, edge_key(a, b), c->edges.count);
    if (number == NULL) {
        c->failed = true;
    } else if (*number == c->edges.count) {
        bool forward = p[a].sign > 0;
        cut_edge edge = {forward ? a : b, forward ? b : a, is_long, 0.5, -1};
        edge.share = find_cut(c, &edge);
        c->failed = !sn_array_push(&c->edges, edge) || c->failed;
    }
}

static void find_cuts(cutter *c)
{
    const int *v = c->lattice->cut.data;
    for (int i = 0; i < c->lattice->cut.count && !c->failed; i += 4, v += 4) {
        for (int k = 0; k < 6; ++k) {
            const int *ends = sn_tetrahedron_edges[k];
            add_edge(c, v[ends[0]], v[ends[1]], k == 0 || k == 5);
        }
    }
}

// ---- moving points onto the surface ----

static bool list_edges(cutter *c)
{
    size_t points = (size_t)c->lattice->points.count;
    c->first = sn_allocate_zero((points + 2) * sizeof *c->first);
    c->around = sn_allocate((2 * (size_t)c->edges.count + 1) * sizeof *c->around);
    c->vertices = sn_allocate((points + 1) * sizeof *c->vertices);
    if (c->first == NULL || c->around == NULL || c->vertices == NULL) {
        return false;
    }
    for (int e = 0; e < c->edges.count; ++e) {
        c->first[c->edges.data[e].inside + 2] += 1;
        c->first[c->edges.data[e].outside + 2] += 1;
    }
    for (size_t i = 2; i < points + 2; ++i) {
        c->first[i] += c->first[i - 1];
    }
    for (int e = 0; e < c->edges.count; ++e) {
        c->around[c->first[c->edges.data[e].inside + 1]++] = e;
        c->around[c->first[c->edges.data[e].outside + 1]++] = e;
    }
    for (size_t i = 0; i < points; ++i) {
        c->vertices[i] = -1;
    }
    return true;
}

// To the nearest of the cuts that are too near. Edges to points that have moved are cut no more.
static void warp_points(cutter *c)
{
    sn_stuffing_point *points = c->lattice->points.data;
    for (int p = 0; p < c->lattice->points.count; ++p) {
        double nearest = INFINITY;
        sn_vec3 target = points[p].x;
        for (int i = c->first[p]; i < c->first[p + 1]; ++i) {
            const cut_edge *e = &c->edges.data[c->around[i]];
            if (points[e->inside].sign == 0 || points[e->outside].sign == 0) {
                continue;
            }
            double share = e->inside == p ? e->share : 1.0 - e->share;
            double distance = share * sn_distance(points[e->inside].x, points[e->outside].x);
            if (share < (e->is_long ? NEAR_LONG : NEAR_SHORT) && distance < nearest) {
                nearest = distance;
                target = point_on(c, e, e->share);
            }
        }
        if (nearest < INFINITY) {
            points[p].x = target;
            points[p].sign = 0;
        }
    }
}

// ---- patterns ----

static int add_vertex(cutter *c, sn_vec3 x, bool on_surface)
{
    c->failed = !sn_array_push(&c->mesh->positions, x) || c->failed;
    c->failed = !sn_array_push(&c->mesh->on_surface, on_surface) || c->failed;
    return c->mesh->positions.count - 1;
}

static int point_vertex(cutter *c, int point)
{
    if (c->vertices[point] < 0) {
        const sn_stuffing_point *p = &c->lattice->points.data[point];
        c->vertices[point] = add_vertex(c, p->x, p->sign == 0);
    }
    return c->vertices[point];
}

// What stands for the outer end of an edge from `inside`: its cut, or a point on the surface.
static int end_vertex(cutter *c, int inside, int other)
{
    if (c->lattice->points.data[other].sign >= 0) {
        return point_vertex(c, other);
    }
    int number = sn_key_map_find(&c->numbers, edge_key(inside, other));
    cut_edge *e = &c->edges.data[number];
    if (e->vertex < 0) {
        e->vertex = add_vertex(c, point_on(c, e, e->share), true);
    }
    return e->vertex;
}

static void add_element(cutter *c, int a, int b, int d, int e)
{
    const int v[4] = {a, b, d, e};
    for (int k = 0; k < 4; ++k) {
        c->failed = !sn_array_push(&c->mesh->elements, v[k]) || c->failed;
    }
}

// A prism with bottom a and top b, where diagonals[i] says whether the side over a[i] a[i + 1] is
// cut from a[i] to b[i + 1], else from a[i + 1] to b[i]. Not all three may be alike: then some
// corner has two diagonals, and the rest of the prism is a pyramid on it.
static void add_prism(cutter *c, const int a[3], const int b[3], const bool diagonals[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        if (!diagonals[i] || diagonals[k]) {
            continue; // not both from a[i]
        }
        add_element(c, a[i], b[0], b[1], b[2]);
        if (diagonals[j]) {
            add_element(c, a[i], a[j], a[k], b[k]);
            add_element(c, a[i], a[j], b[k], b[j]);
        } else {
            add_element(c, a[i], a[j], a[k], b[j]);
            add_element(c, a[i], a[k], b[k], b[j]);
        }
        return;
    }
}

// Which diagonal cuts the quadrilateral that is left of face p q r, with p and q inside and r
// outside: from p (to the cut of q r), or from q? Both tetrahedra of the face must agree.
static bool cut_from_first(const cutter *c, const int v[4], int p, int q, int r)
{
    bool p_long = (p ^ r) == 1, q_long = (q ^ r) == 1; // long edges are 01 and 23
    if (p_long != q_long) {
        return p_long;
    }
    const sn_stuffing_point *points = c->lattice->points.data;
    int parity = points[v[p]].parity ^ points[v[r]].parity;
    return parity == 0;
}

static bool better_wedge(cutter *c, const int a[3], const int b[3], bool diagonals[3]);

static void add_cut(cutter *c, const int v[4])
{
    const sn_stuffing_point *points = c->lattice->points.data;
    int plus[4], minus[4], zero[4], pluses = 0, minuses = 0, zeros = 0;
    for (int k = 0; k < 4; ++k) {
        int sign = points[v[k]].sign;
        if (sign > 0) {
            plus[pluses++] = k;
        } else if (sign < 0) {
            minus[minuses++] = k;
        } else {
            zero[zeros++] = k;
        }
    }
    if (pluses == 0) {
        return;
    }
    if (minuses == 0 || pluses == 1) {
        int e[4];
        for (int k = 0; k < 4; ++k) {
            e[k] = k == plus[0] ? point_vertex(c, v[k]) : end_vertex(c, v[plus[0]], v[k]);
        }
        add_element(c, e[0], e[1], e[2], e[3]);
        return;
    }
    int p = plus[0], q = plus[1], r = minus[0];
    if (pluses == 2 && minuses == 1) { // a pyramid on the point on the surface
        int z = point_vertex(c, v[zero[0]]), a = point_vertex(c, v[p]), b = point_vertex(c, v[q]);
        int ar = end_vertex(c, v[p], v[r]), br = end_vertex(c, v[q], v[r]);
        if (cut_from_first(c, v, p, q, r)) {
            add_element(c, a, b, br, z);
            add_element(c, a, br, ar, z);
        } else {
            add_element(c, a, b, ar, z);
            add_element(c, b, br, ar, z);
        }
    } else if (pluses == 2) { // a wedge between the edges p q and its cuts
        int s = minus[1];
        const int a[3] = {point_vertex(c, v[p]), end_vertex(c, v[p], v[r]),
                          end_vertex(c, v[p], v[s])};
        const int b[3] = {point_vertex(c, v[q]), end_vertex(c, v[q], v[r]),
                          end_vertex(c, v[q], v[s])};
        bool diagonals[3] = {cut_from_first(c, v, p, q, r), false, !cut_from_first(c, v, p, q, s)};
        diagonals[1] = better_wedge(c, a, b, diagonals);
        add_prism(c, a, b, diagonals);
    } else { // what a corner is cut from
        int a[3], b[3];
        bool diagonals[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = point_vertex(c, v[plus[k]]);
            b[k] = end_vertex(c, v[plus[k]], v[r]);
            diagonals[k] = cut_from_first(c, v, plus[k], plus[(k + 1) % 3], r);
        }
        add_prism(c, a, b, diagonals);
    }
}

// The surface side of a wedge belongs to no other tetrahedron: its diagonal is the shorter one, of
// those that the others allow.
static bool better_wedge(cutter *c, const int a[3], const int b[3], bool diagonals[3])
{
    if (diagonals[0] == diagonals[2]) {
        return !diagonals[0];
    }
    const sn_vec3 *x = c->mesh->positions.data;
    return !c->failed && sn_distance(x[a[1]], x[b[2]]) <= sn_distance(x[a[2]], x[b[1]]);
}

static void add_whole(cutter *c)
{
    const sn_stuffing_lattice *l = c->lattice;
    for (int i = 0; i < l->whole.count && !c->failed; i += 4) {
        const int *v = l->whole.data + i;
        bool inside = false;
        for (int k = 0; k < 4; ++k) {
            inside = inside || l->points.data[v[k]].sign > 0;
        }
        if (inside) {
            int a = point_vertex(c, v[0]), b = point_vertex(c, v[1]), d = point_vertex(c, v[2]);
            add_element(c, a, b, d, point_vertex(c, v[3]));
        }
    }
}

bool sn_stuffing_cut(sn_stuffing_lattice *lattice, sn_stuffing_mesh *mesh)
{
    *mesh = (sn_stuffing_mesh){0};
    cutter c = {.lattice = lattice, .mesh = mesh};
    find_cuts(&c);
    c.failed = c.failed || !list_edges(&c);
    if (!c.failed) {
        warp_points(&c);
        add_whole(&c);
    }
    for (int i = 0; i < lattice->cut.count && !c.failed; i += 4) {
        add_cut(&c, lattice->cut.data + i);
    }
    sn_key_map_free(&c.numbers);
    sn_array_free(&c.edges);
    sn_array_free(&c.crossings);
    sn_free(c.first);
    sn_free(c.around);
    sn_free(c.vertices);
    return !c.failed;
}

void sn_stuffing_mesh_free(sn_stuffing_mesh *mesh)
{
    sn_array_free(&mesh->positions);
    sn_array_free(&mesh->on_surface);
    sn_array_free(&mesh->elements);
}
