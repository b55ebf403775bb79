#include "geometry/outline.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/predicate.h"
#include "geometry/sum.h"

void sn_loops_free(sn_loops *loops)
{
    sn_free(loops->points);
    sn_free(loops->source);
    sn_free(loops->starts);
    memset(loops, 0, sizeof *loops);
}

int sn_loops_previous(const sn_loops *loops, int loop, int i)
{
    return i == loops->starts[loop] ? loops->starts[loop + 1] - 1 : i - 1;
}

int sn_loops_next(const sn_loops *loops, int loop, int i)
{
    return i + 1 == loops->starts[loop + 1] ? loops->starts[loop] : i + 1;
}

bool sn_in_left_cone(sn_vec2 previous, sn_vec2 corner, sn_vec2 next, sn_vec2 x)
{
    bool left_of_first = sn_orient2d(previous, corner, x) > 0;
    bool left_of_second = sn_orient2d(corner, next, x) > 0;
    int turn = sn_orient2d(previous, corner, next);
    if (turn > 0) {
        return left_of_first && left_of_second;
    }
    return turn < 0 ? left_of_first || left_of_second : left_of_first;
}

// ---- reading ----

static sn_status count_points(const sn_outline *outline, int *count, sn_error *error)
{
    if (outline->loop_count < 1) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "outline", "%d loops; at least one was expected",
                       outline->loop_count);
    }
    int64_t total = 0;
    for (int l = 0; l < outline->loop_count; ++l) {
        if (outline->loop_sizes[l] < 3) {
            return sn_fail(error, SN_ERROR_GEOMETRY, "outline",
                           "loop %d has %d points; at least 3 were expected", l,
                           outline->loop_sizes[l]);
        }
        total += outline->loop_sizes[l];
    }
    if (total > INT_MAX / 16) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "outline", "%lld points; at most %d were expected",
                       (long long)total, INT_MAX / 16);
    }
    *count = (int)total;
    return SN_OK;
}

// Copies a loop without points that repeat their neighbour.
static sn_status read_loop(const sn_outline *outline, sn_loops *loops, int loop, int first,
                           sn_error *error)
{
    int start = loops->count;
    loops->starts[loop] = start;
    for (int i = first; i < first + outline->loop_sizes[loop]; ++i) {
        sn_vec2 p = outline->points[i];
        if (!isfinite(p.x) || !isfinite(p.y)) {
            return sn_fail(error, SN_ERROR_GEOMETRY, "outline",
                           "point %d is at (%g, %g); finite numbers were expected", i, p.x, p.y);
        }
        if (loops->count == start || !sn_vec2_equal(p, loops->points[loops->count - 1])) {
            loops->points[loops->count] = p;
            loops->source[loops->count++] = i;
        }
    }
    while (loops->count > start + 1 &&
           sn_vec2_equal(loops->points[loops->count - 1], loops->points[start])) {
        loops->count -= 1;
    }
    if (loops->count - start < 3) {
        return sn_fail(error, SN_ERROR_GEOMETRY, "outline",
                       "loop %d has %d different points; at least 3 were expected", loop,
                       loops->count - start);
    }
    return SN_OK;
}

// ---- crossings ----

// Edge i runs from point `from[i]` to point i. Edges sorted by their lower x are swept: only those
// that share a range of x are compared.
typedef struct swept_edge {
    double lower, upper; // in x
    int loop;
    int from, to;
} swept_edge;

static int compare_edges(const void *left, const void *right)
{
    const swept_edge *a = left, *b = right;
    if (a->lower != b->lower) {
        return a->lower < b->lower ? -1 : 1;
    }
    return a->to - b->to;
}

static sn_status fail_edges(const sn_loops *loops, const swept_edge *e, const swept_edge *f,
                            const char *what, sn_error *error)
{
    sn_vec2 a = loops->points[e->from], b = loops->points[e->to];
    sn_vec2 c = loops->points[f->from], d = loops->points[f->to];
    return sn_fail(
        error, SN_ERROR_GEOMETRY, "outline",
        "edge %d-%d from (%.6g, %.6g) to (%.6g, %.6g) and edge %d-%d from (%.6g, %.6g) to "
        "(%.6g, %.6g) %s; edges may meet only in common points",
        loops->source[e->from], loops->source[e->to], a.x, a.y, b.x, b.y, loops->source[f->from],
        loops->source[f->to], c.x, c.y, d.x, d.y, what);
}

// Both edges end in the same place: do their loops pass through each other there?
static bool loops_cross_in_point(const sn_loops *loops, const swept_edge *e, const swept_edge *f)
{
    sn_vec2 v = loops->points[e->to];
    sn_vec2 before = loops->points[e->from];
    sn_vec2 after = loops->points[sn_loops_next(loops, e->loop, e->to)];
    sn_vec2 other_before = loops->points[f->from];
    sn_vec2 other_after = loops->points[sn_loops_next(loops, f->loop, f->to)];
    return sn_in_left_cone(before, v, after, other_before) !=
           sn_in_left_cone(before, v, after, other_after);
}

static bool overlap_in_line(sn_vec2 a, sn_vec2 b, sn_vec2 c, sn_vec2 d)
{
    bool same = (sn_vec2_equal(a, c) && sn_vec2_equal(b, d)) ||
                (sn_vec2_equal(a, d) && sn_vec2_equal(b, c));
    return same || sn_strictly_between(a, b, c) || sn_strictly_between(a, b, d) ||
           sn_strictly_between(c, d, a) || sn_strictly_between(c, d, b);
}

static sn_status compare_pair(sn_loops *loops, const swept_edge *e, const swept_edge *f,
                              sn_error *error)
{
    sn_vec2 a = loops->points[e->from], b = loops->points[e->to];
    sn_vec2 c = loops->points[f->from], d = loops->points[f->to];
    if (fmin(a.y, b.y) > fmax(c.y, d.y) || fmax(a.y, b.y) < fmin(c.y, d.y)) {
        return SN_OK;
    }
    int abc = sn_orient2d(a, b, c), abd = sn_orient2d(a, b, d);
    int cda = sn_orient2d(c, d, a), cdb = sn_orient2d(c, d, b);
    if (abc * abd > 0 || cda * cdb > 0) {
        return SN_OK;
    }
    if (abc == 0 && abd == 0) {
        if (overlap_in_line(a, b, c, d)) {
            return fail_edges(loops, e, f, "overlap", error);
        }
    } else if (abc * abd < 0 && cda * cdb < 0) {
        return fail_edges(loops, e, f, "cross", error);
    } else if ((abc == 0 && sn_strictly_between(a, b, c)) ||
               (abd == 0 && sn_strictly_between(a, b, d)) ||
               (cda == 0 && sn_strictly_between(c, d, a)) ||
               (cdb == 0 && sn_strictly_between(c, d, b))) {
        return fail_edges(loops, e, f, "touch", error);
    }
    if (sn_vec2_equal(b, d)) {
        loops->touching[0] = loops->source[e->to];
        loops->touching[1] = loops->source[f->to];
        if (loops_cross_in_point(loops, e, f)) {
            return fail_edges(loops, e, f, "end where their loops cross", error);
        }
    }
    return SN_OK;
}

static sn_status find_crossings(sn_loops *loops, sn_error *error)
{
    swept_edge *edges = sn_allocate((size_t)loops->count * sizeof *edges);
    if (edges == NULL) {
        return sn_fail_memory(error, (size_t)loops->count * sizeof *edges);
    }
    for (int l = 0; l < loops->loop_count; ++l) {
        for (int i = loops->starts[l]; i < loops->starts[l + 1]; ++i) {
            int from = sn_loops_previous(loops, l, i);
            double x = loops->points[i].x, y = loops->points[from].x;
            edges[i] = (swept_edge){fmin(x, y), fmax(x, y), l, from, i};
        }
    }
    qsort(edges, (size_t)loops->count, sizeof *edges, compare_edges);
    sn_status status = SN_OK;
    for (int i = 0; status == SN_OK && i < loops->count; ++i) {
        for (int j = i + 1; j < loops->count && edges[j].lower <= edges[i].upper; ++j) {
            status = compare_pair(loops, &edges[i], &edges[j], error);
            if (status != SN_OK) {
                break;
            }
        }
    }
    sn_free(edges);
    return status;
}

// ---- direction and nesting ----

static double loop_area(const sn_loops *loops, int loop)
{
    sn_sum twice = {0};
    sn_vec2 o = loops->points[loops->starts[loop]];
    for (int i = loops->starts[loop]; i < loops->starts[loop + 1]; ++i) {
        sn_vec2 a = loops->points[i], b = loops->points[sn_loops_next(loops, loop, i)];
        sn_sum_add(&twice, (a.x - o.x) * (b.y - o.y));
        sn_sum_add(&twice, -(a.y - o.y) * (b.x - o.x));
    }
    return 0.5 * sn_sum_value(&twice);
}

static void reverse_loop(sn_loops *loops, int loop)
{
    int i = loops->starts[loop], j = loops->starts[loop + 1] - 1;
    for (; i < j; ++i, --j) {
        sn_vec2 point = loops->points[i];
        loops->points[i] = loops->points[j];
        loops->points[j] = point;
        int source = loops->source[i];
        loops->source[i] = loops->source[j];
        loops->source[j] = source;
    }
}

// 1 inside, 0 outside, -1 on the loop. Counts the edges that cross the ray to the right.
static int point_in_loop(const sn_loops *loops, int loop, sn_vec2 p)
{
    bool inside = false;
    for (int i = loops->starts[loop]; i < loops->starts[loop + 1]; ++i) {
        sn_vec2 a = loops->points[i], b = loops->points[sn_loops_next(loops, loop, i)];
        if (sn_vec2_equal(p, a)) {
            return -1;
        }
        if ((a.y > p.y) == (b.y > p.y)) {
            continue;
        }
        int side = sn_orient2d(a, b, p);
        if (side == 0) {
            return -1;
        }
        inside ^= (side > 0) == (b.y > a.y);
    }
    return inside;
}

// Whether `loop` is inside `other`: decided by a corner, or the middle of an edge, that is not on
// it.
static bool loop_in_loop(const sn_loops *loops, int loop, int other)
{
    for (int middle = 0; middle < 2; ++middle) {
        for (int i = loops->starts[loop]; i < loops->starts[loop + 1]; ++i) {
            sn_vec2 p = loops->points[i];
            if (middle == 1) {
                sn_vec2 q = loops->points[sn_loops_next(loops, loop, i)];
                p = (sn_vec2){0.5 * (p.x + q.x), 0.5 * (p.y + q.y)};
            }
            int place = point_in_loop(loops, other, p);
            if (place >= 0) {
                return place == 1;
            }
        }
    }
    return false;
}

static sn_status check_nesting(const sn_loops *loops, sn_error *error)
{
    for (int l = 1; l < loops->loop_count; ++l) {
        sn_vec2 p = loops->points[loops->starts[l]];
        if (!loop_in_loop(loops, l, 0)) {
            return sn_fail(error, SN_ERROR_GEOMETRY, "outline",
                           "hole %d, with a point at (%.6g, %.6g), is outside the outer loop", l,
                           p.x, p.y);
        }
        for (int other = 1; other < loops->loop_count; ++other) {
            if (other != l && loop_in_loop(loops, l, other)) {
                return sn_fail(error, SN_ERROR_GEOMETRY, "outline",
                               "hole %d, with a point at (%.6g, %.6g), is inside hole %d", l, p.x,
                               p.y, other);
            }
        }
    }
    return SN_OK;
}

static sn_status direct_loops(sn_loops *loops, sn_error *error)
{
    for (int l = 0; l < loops->loop_count; ++l) {
        double area = loop_area(loops, l);
        if (area == 0.0) {
            return sn_fail(error, SN_ERROR_GEOMETRY, "outline", "loop %d encloses no area", l);
        }
        if ((area > 0.0) != (l == 0)) {
            reverse_loop(loops, l);
        }
    }
    return check_nesting(loops, error);
}

sn_status sn_loops_create(const sn_outline *outline, sn_loops *loops, sn_error *error)
{
    memset(loops, 0, sizeof *loops);
    int total = 0;
    sn_status status = count_points(outline, &total, error);
    if (status != SN_OK) {
        return status;
    }
    loops->loop_count = outline->loop_count;
    loops->touching[0] = loops->touching[1] = -1;
    loops->points = sn_allocate((size_t)total * sizeof *loops->points);
    loops->source = sn_allocate((size_t)total * sizeof *loops->source);
    loops->starts = sn_allocate(((size_t)outline->loop_count + 1) * sizeof *loops->starts);
    if (loops->points == NULL || loops->source == NULL || loops->starts == NULL) {
        sn_loops_free(loops);
        return sn_fail_memory(error, (size_t)total * (sizeof(sn_vec2) + 2 * sizeof(int)));
    }
    int first = 0;
    for (int l = 0; status == SN_OK && l < outline->loop_count; ++l) {
        status = read_loop(outline, loops, l, first, error);
        first += outline->loop_sizes[l];
    }
    loops->starts[outline->loop_count] = loops->count;
    status = status == SN_OK ? find_crossings(loops, error) : status;
    status = status == SN_OK ? direct_loops(loops, error) : status;
    if (status != SN_OK) {
        sn_loops_free(loops);
    }
    return status;
}

sn_status sn_loops_check_apart(const sn_loops *loops, sn_error *error)
{
    if (loops->touching[0] >= 0) {
        return sn_fail(
            error, SN_ERROR_GEOMETRY, "outline",
            "points %d and %d are in the same place; a body swept from the outline would "
            "touch itself there",
            loops->touching[0], loops->touching[1]);
    }
    return SN_OK;
}
