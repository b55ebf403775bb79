// Outlines filled with well-shaped triangles. The loops' edges are divided evenly and cut into
// triangles by sn_triangulate; points of a lattice of equal triangles are put in one by one, and
// edges are turned wherever that brings the triangulation nearer to Delaunay's (C. L. Lawson,
// 1977), which makes the least angle as large as can be. A few rounds of smoothing, after which
// edges are turned again, even out what is left between the lattice and the boundary.
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/generate.h"
#include "geometry/outline.h"
#include "geometry/predicate.h"
#include "geometry/tetrahedra_section.h"

enum { SMOOTHINGS = 8, MOST_POINTS = 2000000 };

typedef struct triangle {
    int corner[3];    // counter-clockwise
    int neighbour[3]; // across the edge opposite to corner k; -1: boundary
} triangle;

typedef struct filler {
    sn_section *section;
    SN_ARRAY(sn_vec2) points;
    SN_ARRAY(int) loop_sizes;
    SN_ARRAY(triangle) triangles;
    SN_ARRAY(int) stack; // edges to look at, 3 triangle + k
    int boundary;        // points on the loops
    double edge;
    int last; // where the search for the next point starts
    bool failed;
} filler;

static void filler_free(filler *f)
{
    sn_array_free(&f->points);
    sn_array_free(&f->loop_sizes);
    sn_array_free(&f->triangles);
    sn_array_free(&f->stack);
}

static sn_vec2 difference(sn_vec2 a, sn_vec2 b)
{
    return (sn_vec2){a.x - b.x, a.y - b.y};
}

static double cross2(sn_vec2 a, sn_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static double dot2(sn_vec2 a, sn_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

// ---- boundary ----

static sn_status divide_loops(filler *f, const sn_loops *loops, sn_error *error)
{
    for (int l = 0; l < loops->loop_count; ++l) {
        int before = f->points.count;
        for (int i = loops->starts[l]; i < loops->starts[l + 1]; ++i) {
            sn_vec2 a = loops->points[i], b = loops->points[sn_loops_next(loops, l, i)];
            sn_vec2 way = difference(b, a);
            double parts = ceil(sqrt(dot2(way, way)) / f->edge - 1e-6);
            if (f->points.count + parts > MOST_POINTS) {
                return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                               "edges of %g m divide the outline into more than %d points; longer "
                               "ones were expected",
                               f->edge, MOST_POINTS);
            }
            int count = parts < 1.0 ? 1 : (int)parts;
            for (int k = 0; k < count; ++k) {
                double t = (double)k / count;
                sn_vec2 p = {a.x + t * way.x, a.y + t * way.y};
                f->failed = f->failed || !sn_array_push(&f->points, p);
            }
        }
        f->failed = f->failed || !sn_array_push(&f->loop_sizes, f->points.count - before);
    }
    f->boundary = f->points.count;
    return SN_OK;
}

// Links triangles over common edges, by sorting half-edges into lists by their lower point.
static bool link_triangles(filler *f)
{
    int *first = sn_allocate((size_t)f->points.count * sizeof *first);
    int *next = sn_allocate(3 * (size_t)f->triangles.count * sizeof *next);
    bool enough = first != NULL && next != NULL;
    for (int i = 0; enough && i < f->points.count; ++i) {
        first[i] = -1;
    }
    for (int e = 0; enough && e < 3 * f->triangles.count; ++e) {
        triangle *t = &f->triangles.data[e / 3];
        int a = t->corner[(e + 1) % 3], b = t->corner[(e + 2) % 3];
        t->neighbour[e % 3] = -1;
        int low = a < b ? a : b, high = a < b ? b : a;
        int *link = &first[low];
        for (; *link >= 0; link = &next[*link]) {
            triangle *u = &f->triangles.data[*link / 3];
            int c = u->corner[(*link + 1) % 3], d = u->corner[(*link + 2) % 3];
            if ((c > d ? c : d) == high) {
                u->neighbour[*link % 3] = e / 3;
                t->neighbour[e % 3] = *link / 3;
                break;
            }
        }
        if (t->neighbour[e % 3] < 0) {
            next[e] = first[low];
            first[low] = e;
        }
    }
    sn_free(next);
    sn_free(first);
    return enough;
}

static sn_status triangulate_loops(filler *f, sn_error *error)
{
    size_t most = (size_t)SN_TRIANGULATION_CAPACITY(f->points.count, f->loop_sizes.count);
    int *corners = sn_allocate(3 * most * sizeof *corners), count = 0;
    if (corners == NULL) {
        return sn_fail_memory(error, 3 * most * sizeof *corners);
    }
    sn_outline outline = {f->points.data, f->loop_sizes.data, f->loop_sizes.count};
    sn_status status = sn_triangulate(&outline, corners, &count, error);
    for (int t = 0; status == SN_OK && t < count; ++t) {
        triangle made = {{corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]}, {-1, -1, -1}};
        f->failed = f->failed || !sn_array_push(&f->triangles, made);
    }
    sn_free(corners);
    if (status == SN_OK && (f->failed || !link_triangles(f))) {
        status = sn_fail_memory(error, 3 * most * sizeof(int));
    }
    return status;
}

// ---- turning edges ----

static int side_of(const triangle *t, int neighbour)
{
    return t->neighbour[0] == neighbour ? 0 : t->neighbour[1] == neighbour ? 1 : 2;
}

static void replace_neighbour(filler *f, int t, int old, int made)
{
    if (t >= 0) {
        f->triangles.data[t].neighbour[side_of(&f->triangles.data[t], old)] = made;
    }
}

// Delaunay's rule: the angles opposite to an edge add up to no more than pi, sin(alpha + beta) >=
// 0. A margin keeps edges of squares from turning for ever.
static bool should_turn(sn_vec2 p, sn_vec2 a, sn_vec2 q, sn_vec2 b)
{
    sn_vec2 pa = difference(a, p), pb = difference(b, p);
    sn_vec2 qa = difference(a, q), qb = difference(b, q);
    double sine_p = cross2(pa, pb), cosine_p = dot2(pa, pb);
    double sine_q = cross2(qb, qa), cosine_q = dot2(qa, qb);
    double scale = sqrt(dot2(pa, pa) * dot2(pb, pb)) * sqrt(dot2(qa, qa) * dot2(qb, qb));
    return sine_p * cosine_q + cosine_p * sine_q < -1e-10 * scale;
}

static void look_at(filler *f, int t, int k)
{
    f->failed = f->failed || !sn_array_push(&f->stack, 3 * t + k);
}

// Triangles t = (p, a, b) and u = (q, b, a) become (p, a, q) and (p, q, b).
static void turn_edge(filler *f, int t, int k)
{
    triangle *one = &f->triangles.data[t];
    int u = one->neighbour[k];
    triangle *two = &f->triangles.data[u];
    int m = side_of(two, t);
    int p = one->corner[k], a = one->corner[(k + 1) % 3], b = one->corner[(k + 2) % 3];
    int q = two->corner[m];
    int pa = one->neighbour[(k + 2) % 3], pb = one->neighbour[(k + 1) % 3];
    int qb = two->neighbour[(m + 2) % 3], qa = two->neighbour[(m + 1) % 3];
    *one = (triangle){{p, a, q}, {qa, u, pa}};
    *two = (triangle){{p, q, b}, {qb, pb, t}};
    replace_neighbour(f, qa, u, t);
    replace_neighbour(f, pb, t, u);
    for (int s = 0; s < 3; ++s) {
        look_at(f, t, s);
        look_at(f, u, s);
    }
}

static void turn_edges(filler *f)
{
    while (!f->failed && f->stack.count > 0) {
        int e = f->stack.data[--f->stack.count], t = e / 3, k = e % 3;
        const triangle *one = &f->triangles.data[t];
        int u = one->neighbour[k];
        if (u < 0) {
            continue;
        }
        const triangle *two = &f->triangles.data[u];
        const sn_vec2 *x = f->points.data;
        sn_vec2 p = x[one->corner[k]], a = x[one->corner[(k + 1) % 3]];
        sn_vec2 b = x[one->corner[(k + 2) % 3]], q = x[two->corner[side_of(two, t)]];
        if (sn_orient2d(p, a, q) > 0 && sn_orient2d(p, q, b) > 0 && should_turn(p, a, q, b)) {
            turn_edge(f, t, k);
        }
    }
}

static void turn_all(filler *f)
{
    for (int e = 0; e < 3 * f->triangles.count; ++e) {
        look_at(f, e / 3, e % 3);
    }
    turn_edges(f);
}

// ---- points inside ----

static bool holds(const filler *f, int t, sn_vec2 p, int *leave)
{
    const triangle *here = &f->triangles.data[t];
    for (int k = 0; k < 3; ++k) {
        sn_vec2 a = f->points.data[here->corner[(k + 1) % 3]];
        sn_vec2 b = f->points.data[here->corner[(k + 2) % 3]];
        if (sn_orient2d(a, b, p) < 0) {
            *leave = here->neighbour[k];
            return false;
        }
    }
    return true;
}

// Walks towards p; where a boundary is in the way, all triangles are asked.
static int find_triangle(const filler *f, sn_vec2 p)
{
    int t = f->last, next = -1;
    for (int steps = 0; steps < f->triangles.count && t >= 0; ++steps) {
        if (holds(f, t, p, &next)) {
            return t;
        }
        t = next;
    }
    for (t = 0; t < f->triangles.count; ++t) {
        if (holds(f, t, p, &next)) {
            return t;
        }
    }
    return -1;
}

static void insert(filler *f, sn_vec2 p)
{
    int t = find_triangle(f, p);
    if (t < 0) {
        return;
    }
    if (!sn_array_push(&f->points, p) || !sn_array_reserve(&f->triangles, f->triangles.count + 2)) {
        f->failed = true;
        return;
    }
    int i = f->points.count - 1, u = f->triangles.count, w = u + 1;
    f->triangles.count += 2;
    triangle old = f->triangles.data[t];
    const int *c = old.corner, *n = old.neighbour;
    f->triangles.data[t] = (triangle){{i, c[1], c[2]}, {n[0], u, w}};
    f->triangles.data[u] = (triangle){{i, c[2], c[0]}, {n[1], w, t}};
    f->triangles.data[w] = (triangle){{i, c[0], c[1]}, {n[2], t, u}};
    replace_neighbour(f, n[1], t, u);
    replace_neighbour(f, n[2], t, w);
    look_at(f, t, 0);
    look_at(f, u, 0);
    look_at(f, w, 0);
    turn_edges(f);
    f->last = t;
}

// Inside the loops (by crossings of a ray along +x), and not nearer to them than `least`.
static bool is_well_inside(const filler *f, sn_vec2 p, double least)
{
    bool inside = false;
    for (int l = 0, start = 0; l < f->loop_sizes.count; start += f->loop_sizes.data[l++]) {
        int size = f->loop_sizes.data[l];
        for (int i = 0; i < size; ++i) {
            sn_vec2 a = f->points.data[start + i], b = f->points.data[start + (i + 1) % size];
            if ((a.y > p.y) != (b.y > p.y) &&
                p.x < a.x + (p.y - a.y) * ((b.x - a.x) / (b.y - a.y))) {
                inside = !inside;
            }
            sn_vec2 way = difference(b, a), to = difference(p, a);
            double share = dot2(to, way) / dot2(way, way);
            share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
            sn_vec2 off = {to.x - share * way.x, to.y - share * way.y};
            if (dot2(off, off) < least * least) {
                return false;
            }
        }
    }
    return inside;
}

static sn_status put_lattice(filler *f, sn_error *error)
{
    sn_vec2 lower = {INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY};
    for (int i = 0; i < f->boundary; ++i) {
        sn_vec2 p = f->points.data[i];
        lower = (sn_vec2){fmin(lower.x, p.x), fmin(lower.y, p.y)};
        upper = (sn_vec2){fmax(upper.x, p.x), fmax(upper.y, p.y)};
    }
    double row = f->edge * (0.5 * sqrt(3.0)), rows = floor((upper.y - lower.y) / row);
    double columns = floor((upper.x - lower.x) / f->edge) + 1.0;
    if (rows * columns > MOST_POINTS) {
        return sn_fail(error, SN_ERROR_ARGUMENT, NULL,
                       "edges of %g m fill the outline with more than %d points; longer ones were "
                       "expected",
                       f->edge, MOST_POINTS);
    }
    // The lattice is centred, so that symmetric outlines are filled symmetrically.
    double y0 = 0.5 * (lower.y + upper.y - rows * row);
    double x0 = 0.5 * (lower.x + upper.x - columns * f->edge);
    for (int j = 0; j <= (int)rows; ++j) {
        for (int i = 0; i <= (int)columns; ++i) {
            sn_vec2 p = {x0 + f->edge * (i + 0.5 * (j & 1)), y0 + row * j};
            if (is_well_inside(f, p, 0.6 * f->edge)) {
                insert(f, p);
            }
        }
    }
    return SN_OK;
}

// ---- smoothing ----

// Every point inside goes to the middle of its neighbours, unless that would turn a triangle over.
static bool smooth(filler *f, sn_vec2 *wanted, int *weight)
{
    for (int i = 0; i < f->points.count; ++i) {
        wanted[i] = (sn_vec2){0.0, 0.0};
        weight[i] = 0;
    }
    for (int t = 0; t < f->triangles.count; ++t) {
        const int *c = f->triangles.data[t].corner;
        for (int k = 0; k < 3; ++k) {
            for (int j = 1; j < 3; ++j) {
                sn_vec2 p = f->points.data[c[(k + j) % 3]];
                wanted[c[k]] = (sn_vec2){wanted[c[k]].x + p.x, wanted[c[k]].y + p.y};
                weight[c[k]] += 1;
            }
        }
    }
    for (int i = 0; i < f->points.count; ++i) {
        wanted[i] = i < f->boundary ? f->points.data[i]
                                    : (sn_vec2){wanted[i].x / weight[i], wanted[i].y / weight[i]};
    }
    bool sound = false;
    for (int round = 0; round < 10 && !sound; ++round) {
        sound = true;
        for (int t = 0; t < f->triangles.count; ++t) {
            const int *c = f->triangles.data[t].corner;
            if (sn_orient2d(wanted[c[0]], wanted[c[1]], wanted[c[2]]) <= 0) {
                sound = false;
                for (int k = 0; k < 3; ++k) {
                    wanted[c[k]] = f->points.data[c[k]];
                }
            }
        }
    }
    for (int i = f->boundary; sound && i < f->points.count; ++i) {
        f->points.data[i] = wanted[i];
    }
    return sound;
}

static void smooth_all(filler *f)
{
    sn_vec2 *wanted = sn_allocate((size_t)f->points.count * sizeof *wanted);
    int *weight = sn_allocate((size_t)f->points.count * sizeof *weight);
    f->failed = f->failed || wanted == NULL || weight == NULL;
    for (int round = 0; !f->failed && round < SMOOTHINGS && smooth(f, wanted, weight); ++round) {
        turn_all(f);
    }
    sn_free(weight);
    sn_free(wanted);
}

// ---- the section ----

// Corners in the order of their numbers, so that edges run the same way in all triangles.
static void hand_over(filler *f)
{
    sn_section *section = f->section;
    for (int t = 0; t < f->triangles.count && !f->failed; ++t) {
        const int *c = f->triangles.data[t].corner;
        int low = c[0] < c[1] ? (c[0] < c[2] ? 0 : 2) : (c[1] < c[2] ? 1 : 2);
        int a = c[(low + 1) % 3], b = c[(low + 2) % 3];
        f->failed = !sn_array_push(&section->triangles, c[low]) ||
                    !sn_array_push(&section->triangles, a < b ? a : b) ||
                    !sn_array_push(&section->triangles, a < b ? b : a);
    }
    for (int i = 0; i < f->points.count && !f->failed; ++i) {
        f->failed = !sn_array_push(&section->points, f->points.data[i]);
    }
}

sn_status sn_section_fill(sn_section *section, const sn_outline *outline, double edge,
                          sn_error *error)
{
    sn_status status = sn_check_length("edge", edge, error);
    sn_loops loops;
    status = status == SN_OK ? sn_loops_create(outline, &loops, error) : status;
    if (status != SN_OK) {
        return status;
    }
    filler f = {.section = section, .edge = edge};
    status = sn_loops_check_apart(&loops, error);
    status = status == SN_OK ? divide_loops(&f, &loops, error) : status;
    if (status == SN_OK && !f.failed) {
        status = triangulate_loops(&f, error);
    }
    if (status == SN_OK && !f.failed) {
        turn_all(&f);
        status = put_lattice(&f, error);
    }
    if (status == SN_OK && !f.failed) {
        smooth_all(&f);
        hand_over(&f);
    }
    if (status == SN_OK && f.failed) {
        status = sn_fail_memory(error, (size_t)f.points.count * sizeof(triangle));
    }
    sn_loops_free(&loops);
    filler_free(&f);
    return status;
}

// ---- bodies ----

sn_status sn_tetrahedra_make_extrusion(const sn_outline *outline, double height, int layers,
                                       double edge, sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status = sn_check_length("height", height, error);
    if (status == SN_OK && (layers < 1 || layers > 100000)) {
        status =
            sn_fail(error, SN_ERROR_ARGUMENT, NULL, "%d layers; 1 to 100000 were expected", layers);
    }
    sn_section section = {0};
    status = status == SN_OK ? sn_section_fill(&section, outline, edge, error) : status;
    if (status != SN_OK) {
        sn_section_free(&section);
        return status;
    }
    return sn_section_raise(&section, 0.0, height, layers, tetrahedra, error);
}

sn_status sn_tetrahedra_make_revolution(const sn_vec2 *profile, int count, int segments,
                                        double edge, sn_tetrahedra **tetrahedra, sn_error *error)
{
    *tetrahedra = NULL;
    sn_status status = sn_check_segments(segments, error);
    for (int i = 0; status == SN_OK && i < count; ++i) {
        if (!(profile[i].x >= 0.0)) {
            status = sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                             "point %d of the profile is %g m from the axis; 0 or more were "
                             "expected",
                             i, profile[i].x);
        }
    }
    sn_section section = {0};
    sn_outline outline = {profile, &count, 1};
    status = status == SN_OK ? sn_section_fill(&section, &outline, edge, error) : status;
    if (status != SN_OK) {
        sn_section_free(&section);
        return status;
    }
    return sn_section_turn(&section, 0.0, segments, tetrahedra, error);
}
