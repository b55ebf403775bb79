// Ear clipping with exact predicates. Holes are first joined to the outer loop by bridges, each a
// pair of edges between two points that see each other; then corners whose triangle holds no other
// point are cut off one by one. A grid over the points keeps the search for points in a triangle
// local.
//
// Because every sign is exact and loops are proved free of crossings, a corner to cut always exists
// (the two ears theorem, G. H. Meisters 1975), and no triangle without area is ever made.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "geometry/outline.h"
#include "geometry/predicate.h"

typedef struct node {
    sn_vec2 p;
    int point; // in the loops
    int previous, next;
    int next_in_cell; // -1 ends the cell's list
    bool removed;
} node;

typedef struct clipper {
    const sn_loops *loops;
    node *nodes; // capacity: points + 2 per hole
    int node_count;
    int *loop_nodes; // per loop: its node for bridging, -1 once joined
    int *cells;      // side * side heads
    int side;
    sn_vec2 lower, cell_size;
} clipper;

static void clipper_free(clipper *c)
{
    sn_free(c->nodes);
    sn_free(c->loop_nodes);
    sn_free(c->cells);
}

// ---- bridges ----

static void fill_nodes(clipper *c)
{
    const sn_loops *loops = c->loops;
    for (int l = 0; l < loops->loop_count; ++l) {
        int leftmost = loops->starts[l];
        for (int i = loops->starts[l]; i < loops->starts[l + 1]; ++i) {
            c->nodes[i] = (node){loops->points[i],           i,  sn_loops_previous(loops, l, i),
                                 sn_loops_next(loops, l, i), -1, false};
            sn_vec2 p = loops->points[i], best = loops->points[leftmost];
            if (p.x < best.x || (p.x == best.x && p.y < best.y)) {
                leftmost = i;
            }
        }
        c->loop_nodes[l] = leftmost;
    }
    c->node_count = loops->count;
}

static bool blocks(sn_vec2 m, sn_vec2 p, sn_vec2 a, sn_vec2 b)
{
    int mpa = sn_orient2d(m, p, a), mpb = sn_orient2d(m, p, b);
    if (mpa == 0 && sn_strictly_between(m, p, a)) {
        return true;
    }
    return mpa * mpb < 0 && sn_orient2d(a, b, m) * sn_orient2d(a, b, p) < 0;
}

// Can a bridge go from node m of a loop still apart to node p of the joined loop?
static bool sees(const clipper *c, int m, int p)
{
    const node *nodes = c->nodes;
    sn_vec2 from = nodes[m].p, to = nodes[p].p;
    sn_vec2 before = nodes[nodes[p].previous].p, after = nodes[nodes[p].next].p;
    if (sn_vec2_equal(from, to)) { // the loops touch here
        return sn_in_left_cone(before, to, after, nodes[nodes[m].previous].p);
    }
    if (!sn_in_left_cone(before, to, after, from) ||
        !sn_in_left_cone(nodes[nodes[m].previous].p, from, nodes[nodes[m].next].p, to)) {
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

// The nearest node of the joined loop that comes after (distance, node) in that order; -1 at the
// end.
static int next_candidate(const clipper *c, int m, const bool *apart, double *distance, int last)
{
    int best = -1;
    double best_distance = INFINITY;
    for (int i = 0; i < c->node_count; ++i) {
        if (apart[c->nodes[i].point]) {
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

static void join(clipper *c, int m, int p)
{
    node *nodes = c->nodes;
    if (sn_vec2_equal(nodes[m].p, nodes[p].p)) { // one list through the common point, twice
        int after_m = nodes[m].next, after_p = nodes[p].next;
        nodes[p].next = after_m;
        nodes[after_m].previous = p;
        nodes[m].next = after_p;
        nodes[after_p].previous = m;
        return;
    }
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

static int leftmost_loop(const clipper *c)
{
    int best = -1;
    for (int l = 1; l < c->loops->loop_count; ++l) {
        if (c->loop_nodes[l] < 0) {
            continue;
        }
        sn_vec2 p = c->nodes[c->loop_nodes[l]].p;
        sn_vec2 q = best < 0 ? p : c->nodes[c->loop_nodes[best]].p;
        if (best < 0 || p.x < q.x || (p.x == q.x && p.y < q.y)) {
            best = l;
        }
    }
    return best;
}

// Holes from left to right: the leftmost point of each sees a point further left that is joined
// already.
static sn_status join_holes(clipper *c, sn_error *error)
{
    const sn_loops *loops = c->loops;
    bool *apart = sn_allocate_zero((size_t)loops->count * sizeof *apart);
    if (apart == NULL) {
        return sn_fail_memory(error, (size_t)loops->count * sizeof *apart);
    }
    for (int i = loops->starts[1]; i < loops->count; ++i) {
        apart[i] = true;
    }
    int loop = -1;
    bool joined = true;
    while (joined && (loop = leftmost_loop(c)) >= 0) {
        int m = c->loop_nodes[loop];
        double distance = -1.0;
        int p = -1;
        do {
            p = next_candidate(c, m, apart, &distance, p);
        } while (p >= 0 && !sees(c, m, p));
        joined = p >= 0;
        if (joined) {
            join(c, m, p);
            c->loop_nodes[loop] = -1;
            memset(apart + loops->starts[loop], 0,
                   (size_t)(loops->starts[loop + 1] - loops->starts[loop]) * sizeof *apart);
        }
    }
    sn_free(apart);
    if (!joined) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "outline",
                       "hole %d cannot be reached from outside", loop);
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

static void remove_node(clipper *c, int i, int *left)
{
    node *n = &c->nodes[i];
    n->removed = true;
    c->nodes[n->previous].next = n->next;
    c->nodes[n->next].previous = n->previous;
    *left -= 1;
}

// Where the region is pinched, cutting off a whole part leaves its last edge run to and fro, or the
// common point twice in a row. Takes such remains away; returns a node that is still there.
static int tidy(clipper *c, int i, int *left)
{
    while (*left >= 3) {
        int previous = c->nodes[i].previous, next = c->nodes[i].next;
        if (sn_vec2_equal(c->nodes[i].p, c->nodes[next].p)) {
            remove_node(c, next, left);
        } else if (sn_vec2_equal(c->nodes[previous].p, c->nodes[next].p)) {
            remove_node(c, i, left);
            remove_node(c, next, left);
            i = previous;
        } else {
            break;
        }
    }
    return i;
}

// After a cut the search goes on beyond the next corner, which keeps triangles from fanning out
// thinly.
static sn_status clip_ears(clipper *c, int *triangles, int *triangle_count, sn_error *error)
{
    int left = c->node_count;
    int i = 0;
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
        remove_node(c, i, &left);
        i = tidy(c, tidy(c, n->previous, &left), &left);
        i = c->nodes[tidy(c, c->nodes[i].next, &left)].next;
        without_ear = 0;
    }
    return SN_OK;
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
    c.loop_nodes = sn_allocate((size_t)loops.loop_count * sizeof *c.loop_nodes);
    if (c.nodes == NULL || c.loop_nodes == NULL) {
        status = sn_fail_memory(error, capacity * sizeof *c.nodes);
    } else {
        fill_nodes(&c);
        status = join_holes(&c, error);
        if (status == SN_OK && !build_grid(&c)) {
            status = sn_fail_memory(error, (size_t)c.side * (size_t)c.side * sizeof *c.cells);
        }
        if (status == SN_OK) {
            status = clip_ears(&c, triangles, triangle_count, error);
        }
    }
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
