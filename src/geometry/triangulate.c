// Ear clipping with exact predicates. Where loops touch, their paths through the common point are
// paired anew, so that every path has a free corner on its left; what results are rings: outer
// ones, and holes. Holes are joined to the rings around them by bridges, each a pair of edges
// between two points that see each other; then corners whose triangle holds no other point are cut
// off one by one. A grid over the points keeps the search for points in a triangle local.
//
// Because every sign is exact and loops are proved free of crossings, a corner to cut always exists
// (the two ears theorem, G. H. Meisters 1975), and no triangle without area is ever made.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/outline.h"
#include "geometry/predicate.h"
#include "geometry/sum.h"

typedef struct node {
    sn_vec2 p;
    int point; // in the loops
    int previous, next;
    int ring;
    int next_in_cell; // -1 ends the cell's list
    bool removed;
} node;

typedef struct ring {
    int leftmost; // node
    bool apart;   // a hole without a bridge so far
    bool outer;
} ring;

typedef struct clipper {
    const sn_loops *loops;
    node *nodes; // capacity: points + 2 per loop
    int node_count;
    ring *rings; // capacity: points
    int ring_count;
    int *cells; // side * side heads
    int side;
    sn_vec2 lower, cell_size;
} clipper;

static void clipper_free(clipper *c)
{
    sn_free(c->nodes);
    sn_free(c->rings);
    sn_free(c->cells);
}

static bool is_left_of(sn_vec2 a, sn_vec2 b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// ---- rings ----

static void fill_nodes(clipper *c)
{
    const sn_loops *loops = c->loops;
    for (int l = 0; l < loops->loop_count; ++l) {
        for (int i = loops->starts[l]; i < loops->starts[l + 1]; ++i) {
            c->nodes[i] = (node){.p = loops->points[i],
                                 .point = i,
                                 .previous = sn_loops_previous(loops, l, i),
                                 .next = sn_loops_next(loops, l, i),
                                 .ring = -1,
                                 .next_in_cell = -1};
        }
    }
    c->node_count = loops->count;
}

typedef struct placed_node {
    sn_vec2 p;
    int index;
} placed_node;

static int compare_places(const void *left, const void *right)
{
    const placed_node *a = left, *b = right;
    if (sn_vec2_equal(a->p, b->p)) {
        return a->index - b->index;
    }
    return is_left_of(a->p, b->p) ? -1 : 1;
}

// If j leaves through the corner left of i, the two paths exchange what follows: the corner of i
// becomes smaller, and after all others have had their turn it is free.
static void free_corner(node *nodes, int i, int j)
{
    int after_i = nodes[i].next, after_j = nodes[j].next;
    if (sn_in_left_cone(nodes[nodes[i].previous].p, nodes[i].p, nodes[after_i].p,
                        nodes[after_j].p)) {
        nodes[i].next = after_j;
        nodes[after_j].previous = i;
        nodes[j].next = after_i;
        nodes[after_i].previous = j;
    }
}

static bool pair_touching_paths(clipper *c)
{
    if (c->loops->touching[0] < 0) {
        return true;
    }
    placed_node *placed = sn_allocate((size_t)c->node_count * sizeof *placed);
    if (placed == NULL) {
        return false;
    }
    for (int i = 0; i < c->node_count; ++i) {
        placed[i] = (placed_node){c->nodes[i].p, i};
    }
    qsort(placed, (size_t)c->node_count, sizeof *placed, compare_places);
    int end = 0;
    for (int first = 0; first < c->node_count; first = end) {
        for (end = first + 1; end < c->node_count; ++end) {
            if (!sn_vec2_equal(placed[first].p, placed[end].p)) {
                break;
            }
        }
        for (int i = first; i < end; ++i) {
            for (int j = first; j < end; ++j) {
                if (i != j) {
                    free_corner(c->nodes, placed[i].index, placed[j].index);
                }
            }
        }
    }
    sn_free(placed);
    return true;
}

static void list_rings(clipper *c)
{
    for (int start = 0; start < c->node_count; ++start) {
        if (c->nodes[start].ring >= 0) {
            continue;
        }
        int leftmost = start;
        sn_vec2 o = c->nodes[start].p;
        sn_sum area = {0.0, 0.0};
        int i = start;
        do {
            sn_vec2 a = c->nodes[i].p, b = c->nodes[c->nodes[i].next].p;
            sn_sum_add(&area, (a.x - o.x) * (b.y - o.y));
            sn_sum_add(&area, -(a.y - o.y) * (b.x - o.x));
            leftmost = is_left_of(a, c->nodes[leftmost].p) ? i : leftmost;
            c->nodes[i].ring = c->ring_count;
            i = c->nodes[i].next;
        } while (i != start);
        bool outer = sn_sum_value(&area) > 0.0;
        c->rings[c->ring_count++] = (ring){leftmost, !outer, outer};
    }
}

// ---- bridges ----

static bool blocks(sn_vec2 m, sn_vec2 p, sn_vec2 a, sn_vec2 b)
{
    int mpa = sn_orient2d(m, p, a), mpb = sn_orient2d(m, p, b);
    if (mpa == 0 && sn_strictly_between(m, p, a)) {
        return true;
    }
    return mpa * mpb < 0 && sn_orient2d(a, b, m) * sn_orient2d(a, b, p) < 0;
}

static bool in_corner(const clipper *c, int i, sn_vec2 x)
{
    const node *n = &c->nodes[i];
    return sn_in_left_cone(c->nodes[n->previous].p, n->p, c->nodes[n->next].p, x);
}

// Can a bridge go from node m of a hole to node p of a joined ring?
static bool sees(const clipper *c, int m, int p)
{
    const node *nodes = c->nodes;
    sn_vec2 from = nodes[m].p, to = nodes[p].p;
    if (!in_corner(c, p, from) || !in_corner(c, m, to)) {
        return false;
    }
    for (int i = 0; i < c->node_count; ++i) {
        if (blocks(from, to, nodes[i].p, nodes[nodes[i].next].p)) {
            return false;
        }
    }
    return true;
}

static double distance2(sn_vec2 a, sn_vec2 b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

// The joined node that follows `last`, at *distance from m, in order of distance; -1 at the end.
static int next_candidate(const clipper *c, int m, double *distance, int last)
{
    int best = -1;
    double best_distance = INFINITY;
    for (int i = 0; i < c->node_count; ++i) {
        if (c->rings[c->nodes[i].ring].apart) {
            continue;
        }
        double d = distance2(c->nodes[m].p, c->nodes[i].p);
        bool later = d > *distance || (d == *distance && i > last);
        if (later && d < best_distance) {
            best = i;
            best_distance = d;
        }
    }
    *distance = best_distance;
    return best;
}

static int find_bridge(const clipper *c, int m)
{
    double distance = -1.0;
    int p = -1;
    do {
        p = next_candidate(c, m, &distance, p);
    } while (p >= 0 && !sees(c, m, p));
    return p;
}

static void join(clipper *c, int m, int p)
{
    node *nodes = c->nodes;
    int m2 = c->node_count++, p2 = c->node_count++;
    int before_m = nodes[m].previous, after_p = nodes[p].next;
    nodes[m2] = nodes[m];
    nodes[p2] = nodes[p];
    nodes[p].next = m;
    nodes[m].previous = p;
    nodes[before_m].next = m2;
    nodes[m2].previous = before_m;
    nodes[m2].next = p2;
    nodes[p2].previous = m2;
    nodes[p2].next = after_p;
    nodes[after_p].previous = p2;
}

static int leftmost_hole(const clipper *c)
{
    int best = -1;
    for (int r = 0; r < c->ring_count; ++r) {
        if (c->rings[r].apart && (best < 0 || is_left_of(c->nodes[c->rings[r].leftmost].p,
                                                         c->nodes[c->rings[best].leftmost].p))) {
            best = r;
        }
    }
    return best;
}

// Holes from left to right: the leftmost point of each sees a point further left that is joined
// already. A ring may pass through that point several times; one of the passages looks left.
static sn_status join_holes(clipper *c, sn_error *error)
{
    int hole;
    while ((hole = leftmost_hole(c)) >= 0) {
        int leftmost = c->rings[hole].leftmost;
        int m = leftmost, p = -1;
        do {
            if (sn_vec2_equal(c->nodes[m].p, c->nodes[leftmost].p)) {
                p = find_bridge(c, m);
            }
            m = p < 0 ? c->nodes[m].next : m;
        } while (p < 0 && m != leftmost);
        if (p < 0) {
            sn_vec2 at = c->nodes[leftmost].p;
            return sn_fail(error, SN_ERROR_GEOMETRY, "outline",
                           "the hole at (%.6g, %.6g) cannot be reached from outside", at.x, at.y);
        }
        join(c, m, p);
        c->rings[hole].apart = false;
    }
    return SN_OK;
}

// ---- grid ----

static int cell_index(double x, double lower, double size, int side)
{
    double cell = floor((x - lower) / size);
    return cell < 0.0 ? 0 : cell >= side ? side - 1 : (int)cell;
}

static bool build_grid(clipper *c)
{
    sn_vec2 lower = c->nodes[0].p, upper = lower;
    for (int i = 1; i < c->node_count; ++i) {
        sn_vec2 p = c->nodes[i].p;
        lower = (sn_vec2){fmin(lower.x, p.x), fmin(lower.y, p.y)};
        upper = (sn_vec2){fmax(upper.x, p.x), fmax(upper.y, p.y)};
    }
    c->side = 1 + (int)sqrt(0.5 * c->node_count);
    c->lower = lower;
    c->cell_size = (sn_vec2){(upper.x - lower.x) / c->side, (upper.y - lower.y) / c->side};
    size_t count = (size_t)c->side * (size_t)c->side;
    c->cells = sn_allocate(count * sizeof *c->cells);
    if (c->cells == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        c->cells[i] = -1;
    }
    for (int i = 0; i < c->node_count; ++i) {
        int x = cell_index(c->nodes[i].p.x, lower.x, c->cell_size.x, c->side);
        int y = cell_index(c->nodes[i].p.y, lower.y, c->cell_size.y, c->side);
        int *head = &c->cells[(size_t)y * (size_t)c->side + (size_t)x];
        c->nodes[i].next_in_cell = *head;
        *head = i;
    }
    return true;
}

// Is a point of this cell in the closed triangle, other than its corners? Forgets removed nodes.
static bool cell_has_point(clipper *c, int *link, sn_vec2 a, sn_vec2 b, sn_vec2 d)
{
    while (*link >= 0) {
        node *n = &c->nodes[*link];
        if (n->removed) {
            *link = n->next_in_cell;
            continue;
        }
        if (sn_orient2d(a, b, n->p) >= 0 && sn_orient2d(b, d, n->p) >= 0 &&
            sn_orient2d(d, a, n->p) >= 0 && !sn_vec2_equal(n->p, a) && !sn_vec2_equal(n->p, b) &&
            !sn_vec2_equal(n->p, d)) {
            return true;
        }
        link = &n->next_in_cell;
    }
    return false;
}

static bool triangle_has_point(clipper *c, sn_vec2 a, sn_vec2 b, sn_vec2 d)
{
    double lower_x = fmin(a.x, fmin(b.x, d.x)), upper_x = fmax(a.x, fmax(b.x, d.x));
    double lower_y = fmin(a.y, fmin(b.y, d.y)), upper_y = fmax(a.y, fmax(b.y, d.y));
    int x0 = cell_index(lower_x, c->lower.x, c->cell_size.x, c->side);
    int x1 = cell_index(upper_x, c->lower.x, c->cell_size.x, c->side);
    int y0 = cell_index(lower_y, c->lower.y, c->cell_size.y, c->side);
    int y1 = cell_index(upper_y, c->lower.y, c->cell_size.y, c->side);
    for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) {
            if (cell_has_point(c, &c->cells[(size_t)y * (size_t)c->side + (size_t)x], a, b, d)) {
                return true;
            }
        }
    }
    return false;
}

// ---- ears ----

static bool is_ear(clipper *c, int i)
{
    const node *n = &c->nodes[i];
    sn_vec2 a = c->nodes[n->previous].p, d = c->nodes[n->next].p;
    return sn_orient2d(a, n->p, d) > 0 && !triangle_has_point(c, a, n->p, d);
}

// After a cut the search goes on beyond the next corner, which keeps triangles from fanning out
// thinly.
static sn_status clip_ring(clipper *c, int start, int *triangles, int *triangle_count,
                           sn_error *error)
{
    int left = 0;
    int i = start;
    do {
        ++left;
        i = c->nodes[i].next;
    } while (i != start);
    int without_ear = 0;
    while (left >= 3) {
        node *n = &c->nodes[i];
        if (!is_ear(c, i)) {
            i = n->next;
            if (++without_ear > left) {
                return sn_fail(error, SN_ERROR_GEOMETRY, "outline",
                               "cannot be cut into triangles near (%.6g, %.6g)", n->p.x, n->p.y);
            }
            continue;
        }
        int *corner = triangles + 3 * (size_t)(*triangle_count)++;
        corner[0] = c->loops->source[c->nodes[n->previous].point];
        corner[1] = c->loops->source[n->point];
        corner[2] = c->loops->source[c->nodes[n->next].point];
        n->removed = true;
        c->nodes[n->previous].next = n->next;
        c->nodes[n->next].previous = n->previous;
        i = c->nodes[n->next].next;
        left -= 1;
        without_ear = 0;
    }
    return SN_OK;
}

static sn_status clip(clipper *c, int *triangles, int *triangle_count, sn_error *error)
{
    fill_nodes(c);
    if (!pair_touching_paths(c)) {
        return sn_fail_memory(error, (size_t)c->node_count * sizeof(placed_node));
    }
    list_rings(c);
    int holes = 0;
    for (int r = 0; r < c->ring_count; ++r) {
        holes += c->rings[r].apart;
    }
    // Touching loops join into fewer rings around holes, never into more; the buffers rely on it.
    if (holes >= c->loops->loop_count) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "outline", "%d holes from %d loops", holes,
                       c->loops->loop_count);
    }
    sn_status status = join_holes(c, error);
    if (status == SN_OK && !build_grid(c)) {
        status = sn_fail_memory(error, (size_t)c->side * (size_t)c->side * sizeof *c->cells);
    }
    for (int r = 0; status == SN_OK && r < c->ring_count; ++r) {
        if (c->rings[r].outer) {
            status = clip_ring(c, c->rings[r].leftmost, triangles, triangle_count, error);
        }
    }
    return status;
}

sn_status sn_triangulate(const sn_outline *outline, int *triangles, int *triangle_count,
                         sn_error *error)
{
    *triangle_count = 0;
    sn_loops loops;
    sn_status status = sn_loops_create(outline, &loops, error);
    if (status != SN_OK) {
        return status;
    }
    clipper c = {.loops = &loops};
    size_t capacity = (size_t)loops.count + 2 * (size_t)loops.loop_count;
    c.nodes = sn_allocate(capacity * sizeof *c.nodes);
    c.rings = sn_allocate((size_t)loops.count * sizeof *c.rings);
    if (c.nodes == NULL || c.rings == NULL) {
        status = sn_fail_memory(error, capacity * sizeof *c.nodes);
    } else {
        status = clip(&c, triangles, triangle_count, error);
    }
    *triangle_count = status == SN_OK ? *triangle_count : 0;
    clipper_free(&c);
    sn_loops_free(&loops);
    return status;
}

// ---- polygons in space ----

// M. E. Newell's mean normal: the sum of p x q over the edges, of length twice the area.
static sn_vec3 newell_normal(const sn_vec3 *points, int count)
{
    sn_vec3 normal = SN_VEC3_ZERO;
    for (int i = 0; i < count; ++i) {
        sn_vec3 p = sn_vec3_sub(points[i], points[0]);
        sn_vec3 q = sn_vec3_sub(points[(i + 1) % count], points[0]);
        normal = sn_vec3_add(normal, sn_cross(p, q));
    }
    return normal;
}

static bool is_flat(const sn_vec3 *points, int count, sn_vec3 normal)
{
    double farthest = 0.0, size = 0.0;
    for (int i = 1; i < count; ++i) {
        sn_vec3 d = sn_vec3_sub(points[i], points[0]);
        farthest = fmax(farthest, fabs(sn_dot(normal, d)));
        size = fmax(size, sn_length(d));
    }
    return farthest <= 1e-9 * size;
}

// Leaving out the coordinate along which the normal is longest keeps the others to the last bit, so
// that points in line stay in line; the other two are ordered so that the normal points up.
static sn_vec2 without_axis(sn_vec3 p, sn_vec3 normal)
{
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    if (z >= x && z >= y) {
        return normal.z > 0.0 ? (sn_vec2){p.x, p.y} : (sn_vec2){p.y, p.x};
    }
    if (y >= x) {
        return normal.y > 0.0 ? (sn_vec2){p.z, p.x} : (sn_vec2){p.x, p.z};
    }
    return normal.x > 0.0 ? (sn_vec2){p.y, p.z} : (sn_vec2){p.z, p.y};
}

static void project(const sn_vec3 *points, int count, sn_vec3 normal, sn_vec2 *flat)
{
    bool planar = is_flat(points, count, normal);
    sn_vec3 u = sn_perpendicular(normal), v = sn_cross(normal, u);
    for (int i = 0; i < count; ++i) {
        sn_vec3 d = sn_vec3_sub(points[i], points[0]);
        flat[i] = planar ? without_axis(points[i], normal) : (sn_vec2){sn_dot(u, d), sn_dot(v, d)};
    }
}

sn_status sn_triangulate_polygon(const sn_vec3 *points, const int *loop_sizes, int loop_count,
                                 int *triangles, int *triangle_count, sn_error *error)
{
    *triangle_count = 0;
    int64_t count = 0;
    for (int l = 0; l < loop_count; ++l) {
        count += loop_sizes[l];
    }
    if (loop_count < 1 || loop_sizes[0] < 3) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "polygon", "at least 3 points were expected");
    }
    sn_vec3 normal = sn_normalize(newell_normal(points, loop_sizes[0]));
    if (!(sn_length(normal) > 0.5)) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "polygon",
                       "the polygon at (%.6g, %.6g, %.6g) has no area", points[0].x, points[0].y,
                       points[0].z);
    }
    sn_vec2 *flat = sn_allocate((size_t)count * sizeof *flat);
    if (flat == NULL) {
        return sn_fail_memory(error, (size_t)count * sizeof *flat);
    }
    project(points, (int)count, normal, flat);
    sn_outline outline = {flat, loop_sizes, loop_count};
    sn_status status = sn_triangulate(&outline, triangles, triangle_count, error);
    sn_free(flat);
    return status;
}
