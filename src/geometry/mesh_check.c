// What can be wrong with a mesh, found in this order: edges (open, flipped, crowded), pinched
// vertices, duplicate and degenerate triangles, then shells turned the wrong way. All passes are
// linear except the last, which compares each shell with those whose bounds contain it.
#include "geometry/mesh_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/mesh.h"
#include "geometry/sum.h"
#include "math/elementary.h"

typedef struct checker {
    const sn_mesh *mesh;
    bool strict;  // all that sn_mesh_check looks for, or only what integrals need
    bool may_end; // open edges are no problem
    int rims;     // of them that were passed over
    sn_half_edges edges;
    int counts[SN_MESH_PROBLEM_KIND_COUNT];
    SN_ARRAY(sn_mesh_problem) problems;
    bool *bad_vertex; // vertex_count: on an edge that is wrong
    int shell_count;
    sn_mesh_shell *shells;   // shell_count
    sn_aabb *bounds;         // shell_count
    int *shell_of_triangle;  // triangle_count
    int *triangles_by_shell; // triangle_count, each shell's together
    int *shell_starts;       // shell_count + 1
} checker;

static void checker_free(checker *c)
{
    sn_half_edges_free(&c->edges);
    sn_array_free(&c->problems);
    sn_free(c->bad_vertex);
    sn_free(c->shells);
    sn_free(c->bounds);
    sn_free(c->shell_of_triangle);
    sn_free(c->triangles_by_shell);
    sn_free(c->shell_starts);
}

static bool add_problem(checker *c, sn_mesh_problem_kind kind, int a, int b, int triangle,
                        int other)
{
    c->counts[kind] += 1;
    sn_mesh_problem problem = {kind, {a, b}, {triangle, other}};
    return sn_array_push(&c->problems, problem);
}

// ---- edges ----

typedef struct edge_group {
    int a, b;       // a < b
    int first, end; // in by_edge
    int up, down;   // half-edges from a to b, and from b to a
} edge_group;

static edge_group next_group(const checker *c, int first)
{
    const int *triangles = c->mesh->triangles;
    edge_group group = {.first = first, .end = first};
    for (; group.end < c->edges.count; ++group.end) {
        int e = c->edges.by_edge[group.end];
        int from = triangles[e], to = triangles[sn_half_edge_next(e)];
        int a = from < to ? from : to, b = from < to ? to : from;
        if (group.end == first) {
            group.a = a;
            group.b = b;
        } else if (group.a != a || group.b != b) {
            break;
        }
        group.up += from == a;
        group.down += from != a;
    }
    return group;
}

static bool group_has(const edge_group *group, sn_mesh_problem_kind kind, bool strict)
{
    int count = group->end - group->first;
    switch (kind) {
    case SN_MESH_OPEN_EDGE:
        return count == 1;
    case SN_MESH_FLIPPED_EDGE:
        return count == 2 && group->up != group->down;
    default:
        return count > 2 && (strict || group->up != group->down);
    }
}

static bool find_edges(checker *c, sn_mesh_problem_kind kind)
{
    edge_group group;
    for (int first = 0; first < c->edges.count; first = group.end) {
        group = next_group(c, first);
        if (!group_has(&group, kind, c->strict)) {
            continue;
        }
        c->bad_vertex[group.a] = true;
        c->bad_vertex[group.b] = true;
        if (kind == SN_MESH_OPEN_EDGE && c->may_end) {
            c->rims += 1;
            continue;
        }
        int triangle = c->edges.by_edge[first] / 3;
        int other = group.end - first > 1 ? c->edges.by_edge[first + 1] / 3 : -1;
        if (!add_problem(c, kind, group.a, group.b, triangle, other)) {
            return false;
        }
    }
    return true;
}

// ---- vertices ----

// Marks the corners that can be reached from half-edge `start` by turning around its origin.
static void mark_fan(const checker *c, int start, bool *seen)
{
    int e = start;
    do {
        seen[e] = true;
        int twin = c->edges.twin[sn_half_edge_previous(e)];
        e = twin;
    } while (e >= 0 && !seen[e]);
    e = c->edges.twin[start];
    while (e >= 0 && !seen[sn_half_edge_next(e)]) {
        seen[sn_half_edge_next(e)] = true;
        e = c->edges.twin[sn_half_edge_next(e)];
    }
}

// Around a vertex of a surface all triangles form one fan. Vertices on wrong edges are left out:
// their fans are torn for that reason already.
static bool find_pinched_vertices(checker *c)
{
    const sn_mesh *mesh = c->mesh;
    bool *seen = sn_allocate_zero((size_t)c->edges.count * sizeof *seen);
    int *first_fan = sn_allocate((size_t)mesh->vertex_count * sizeof *first_fan);
    bool done = seen != NULL && first_fan != NULL;
    for (int v = 0; done && v < mesh->vertex_count; ++v) {
        first_fan[v] = -1;
    }
    for (int e = 0; done && e < c->edges.count; ++e) {
        int v = mesh->triangles[e];
        if (seen[e] || c->bad_vertex[v]) {
            continue;
        }
        mark_fan(c, e, seen);
        if (first_fan[v] < 0) {
            first_fan[v] = e / 3;
        } else {
            c->bad_vertex[v] = true; // reported once
            done = add_problem(c, SN_MESH_PINCHED_VERTEX, v, v, first_fan[v], e / 3);
        }
    }
    sn_free(seen);
    sn_free(first_fan);
    return done;
}

// ---- triangles ----

// The corners in ascending order, and whether that took an odd number of swaps.
static bool sorted_corners(const int *triangle, int sorted[3])
{
    memcpy(sorted, triangle, 3 * sizeof *sorted);
    bool odd = false;
    for (int pass = 0; pass < 3; ++pass) {
        int k = pass % 2;
        if (sorted[k] > sorted[k + 1]) {
            int swap = sorted[k];
            sorted[k] = sorted[k + 1];
            sorted[k + 1] = swap;
            odd = !odd;
        }
    }
    return odd;
}

static bool report_equal_triangles(checker *c, const int *keys, const int *order)
{
    for (int i = 1; i < c->mesh->triangle_count; ++i) {
        const int *a = keys + 4 * (size_t)order[i - 1];
        const int *b = keys + 4 * (size_t)order[i];
        bool equal = memcmp(a, b, 3 * sizeof *a) == 0;
        if (equal && (c->strict || a[3] == b[3]) &&
            !add_problem(c, SN_MESH_DUPLICATE_TRIANGLE, -1, -1, order[i - 1], order[i])) {
            return false;
        }
    }
    return true;
}

static bool find_duplicates(checker *c)
{
    const sn_mesh *mesh = c->mesh;
    size_t count = (size_t)mesh->triangle_count;
    int *keys = sn_allocate(4 * count * sizeof *keys); // sorted corners, and their parity
    int *order = sn_allocate(2 * count * sizeof *order);
    int *starts = sn_allocate(((size_t)mesh->vertex_count + 1) * sizeof *starts);
    bool done = keys != NULL && order != NULL && starts != NULL;
    if (done) {
        for (int t = 0; t < mesh->triangle_count; ++t) {
            int *key = keys + 4 * (size_t)t;
            key[3] = sorted_corners(mesh->triangles + 3 * (size_t)t, key);
            order[t] = t;
        }
        int *from = order, *to = order + count;
        for (int k = 2; k >= 0; --k) {
            sn_counting_sort(keys + k, 4, from, mesh->triangle_count, mesh->vertex_count, starts,
                             to);
            int *swap = from;
            from = to;
            to = swap;
        }
        done = report_equal_triangles(c, keys, from);
    }
    sn_free(keys);
    sn_free(order);
    sn_free(starts);
    return done;
}

// No area: the height over the longest edge is within a few roundings of nothing.
static bool find_degenerate(checker *c)
{
    const sn_mesh *mesh = c->mesh;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *v = mesh->triangles + 3 * (size_t)t;
        double longest = 0.0;
        for (int k = 0; k < 3; ++k) {
            sn_vec3 edge = sn_vec3_sub(mesh->positions[v[(k + 1) % 3]], mesh->positions[v[k]]);
            double square = sn_dot(edge, edge);
            longest = square > longest ? square : longest;
        }
        if (sn_length(sn_mesh_area_vector(mesh, t)) <= 4e-15 * longest &&
            !add_problem(c, SN_MESH_DEGENERATE_TRIANGLE, -1, -1, t, -1)) {
            return false;
        }
    }
    return true;
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

// Joins the triangles of each edge; the smallest index is the root.
static void join_over_edges(const checker *c, int *parent)
{
    for (int t = 0; t < c->mesh->triangle_count; ++t) {
        parent[t] = t;
    }
    edge_group group;
    for (int first = 0; first < c->edges.count; first = group.end) {
        group = next_group(c, first);
        for (int i = first + 1; i < group.end; ++i) {
            int a = find_root(parent, c->edges.by_edge[first] / 3);
            int b = find_root(parent, c->edges.by_edge[i] / 3);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static bool allocate_shells(checker *c)
{
    size_t triangles = (size_t)c->mesh->triangle_count;
    c->shells = sn_allocate_zero((size_t)c->shell_count * sizeof *c->shells);
    c->bounds = sn_allocate_zero((size_t)c->shell_count * sizeof *c->bounds);
    c->shell_starts = sn_allocate(((size_t)c->shell_count + 1) * sizeof *c->shell_starts);
    c->triangles_by_shell = sn_allocate(2 * triangles * sizeof *c->triangles_by_shell);
    return c->shells != NULL && c->bounds != NULL && c->shell_starts != NULL &&
           c->triangles_by_shell != NULL;
}

static bool list_shells(checker *c)
{
    int count = c->mesh->triangle_count;
    int *parent = sn_allocate((size_t)count * sizeof *parent);
    c->shell_of_triangle = sn_allocate((size_t)count * sizeof *c->shell_of_triangle);
    if (parent == NULL || c->shell_of_triangle == NULL) {
        sn_free(parent);
        return false;
    }
    join_over_edges(c, parent);
    for (int t = 0; t < count; ++t) { // a root comes before the other triangles of its shell
        int root = find_root(parent, t);
        c->shell_of_triangle[t] = root == t ? c->shell_count++ : c->shell_of_triangle[root];
    }
    sn_free(parent);
    if (!allocate_shells(c)) {
        return false;
    }
    int *order = c->triangles_by_shell + count;
    for (int t = 0; t < count; ++t) {
        order[t] = t;
    }
    sn_counting_sort(c->shell_of_triangle, 1, order, count, c->shell_count, c->shell_starts,
                     c->triangles_by_shell);
    // The sort leaves each start at the end of its shell, which is the next one's start.
    memmove(c->shell_starts + 1, c->shell_starts, (size_t)c->shell_count * sizeof *order);
    c->shell_starts[0] = 0;
    for (int s = 0; s < c->shell_count; ++s) {
        c->shells[s].first_triangle = c->triangles_by_shell[c->shell_starts[s]];
        c->shells[s].triangle_count = c->shell_starts[s + 1] - c->shell_starts[s];
    }
    return true;
}

static void measure_shell(checker *c, int s)
{
    const sn_mesh *mesh = c->mesh;
    sn_vec3 origin = mesh->positions[mesh->triangles[3 * (size_t)c->shells[s].first_triangle]];
    sn_aabb bounds = {origin, origin};
    sn_sum volume = {0};
    for (int i = c->shell_starts[s]; i < c->shell_starts[s + 1]; ++i) {
        const int *v = mesh->triangles + 3 * (size_t)c->triangles_by_shell[i];
        sn_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            bounds.lower = sn_vec3_min(bounds.lower, mesh->positions[v[k]]);
            bounds.upper = sn_vec3_max(bounds.upper, mesh->positions[v[k]]);
            p[k] = sn_vec3_sub(mesh->positions[v[k]], origin);
        }
        sn_sum_add(&volume, sn_dot(p[0], sn_cross(p[1], p[2])) / 6.0);
    }
    c->shells[s].volume = sn_sum_value(&volume);
    c->bounds[s] = bounds;
}

// How often shell s goes around the point: the sum of the solid angles of its triangles over 4 pi.
// NAN for a point on the shell.
// Van Oosterom and Strackee, "The solid angle of a plane triangle", IEEE Trans. Biomed. Eng. 30
// (1983).
static double winding_number(const checker *c, int s, sn_vec3 point)
{
    sn_sum angle = {0};
    for (int i = c->shell_starts[s]; i < c->shell_starts[s + 1]; ++i) {
        const int *v = c->mesh->triangles + 3 * (size_t)c->triangles_by_shell[i];
        sn_vec3 p[3];
        double length[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = sn_vec3_sub(c->mesh->positions[v[k]], point);
            length[k] = sn_length(p[k]);
        }
        double numerator = sn_dot(p[0], sn_cross(p[1], p[2]));
        double denominator = length[0] * length[1] * length[2] + sn_dot(p[0], p[1]) * length[2] +
                             sn_dot(p[1], p[2]) * length[0] + sn_dot(p[2], p[0]) * length[1];
        double product = length[0] * length[1] * length[2];
        if (fabs(numerator) <= 1e-10 * product && denominator <= 1e-10 * product) {
            return NAN;
        }
        sn_sum_add(&angle, 2.0 * sn_atan2(numerator, denominator));
    }
    return sn_sum_value(&angle) / (4.0 * SN_PI);
}

static bool bounds_contain(sn_aabb outer, sn_aabb inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y &&
           outer.lower.z <= inner.lower.z && outer.upper.x >= inner.upper.x &&
           outer.upper.y >= inner.upper.y && outer.upper.z >= inner.upper.z;
}

// Tries the middles of up to 16 triangles: one that lies on the other shell says nothing.
static bool shell_inside(const checker *c, int inner, int outer)
{
    int count = c->shells[inner].triangle_count;
    int tries = count < 16 ? count : 16;
    for (int k = 0; k < tries; ++k) {
        int i = c->shell_starts[inner] + (int)((int64_t)k * count / tries);
        const int *v = c->mesh->triangles + 3 * (size_t)c->triangles_by_shell[i];
        const sn_vec3 *p = c->mesh->positions;
        sn_vec3 middle =
            sn_vec3_scale(1.0 / 3.0, sn_vec3_add(sn_vec3_add(p[v[0]], p[v[1]]), p[v[2]]));
        double turns = fabs(winding_number(c, outer, middle));
        double whole = floor(turns + 0.5);
        if (fabs(turns - whole) < 0.1) {
            return (int64_t)whole % 2 == 1;
        }
    }
    return false;
}

// Which way a shell is turned once it is put right: 1 outward, -1 inward, 0 without volume.
static int sign_of(double volume)
{
    return volume > 0.0 ? 1 : volume < 0.0 ? -1 : 0;
}

// A shell surrounds only smaller ones, also where rounding or crossing surfaces say otherwise.
static bool is_larger(const checker *c, int a, int b)
{
    double of_a = fabs(c->shells[a].volume), of_b = fabs(c->shells[b].volume);
    return of_a > of_b || (of_a == of_b && a < b);
}

typedef struct sized_shell {
    double size;
    int shell;
} sized_shell;

static int compare_sizes(const void *first, const void *second)
{
    const sized_shell *a = first, *b = second;
    if (a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    return a->shell < b->shell ? -1 : a->shell > b->shell;
}

typedef struct enclosure {
    int inner, outer;
} enclosure;

// A shell must not take away what is not there: an inward one needs a winding number of at least 1
// of the shells around it, which are put right first. So an inward shell within
// one solid is a hollow, and an outward one is a part inside a part. Within a shell that had to be
// turned an outward shell was a hollow, as all of the file is inside out.
static bool judge_shells(checker *c, const enclosure *pairs, const int *starts, sized_shell *order,
                         int *signs)
{
    for (int s = 0; s < c->shell_count; ++s) {
        order[s] = (sized_shell){fabs(c->shells[s].volume), s};
    }
    qsort(order, (size_t)c->shell_count, sizeof *order, compare_sizes);
    for (int i = 0; i < c->shell_count; ++i) {
        int s = order[i].shell, around = 0, sign = sign_of(c->shells[s].volume);
        bool turned = false;
        for (int k = starts[s]; k < starts[s] + c->shells[s].depth; ++k) {
            int outer = pairs[k].outer, had = sign_of(c->shells[outer].volume);
            around += signs[outer];
            turned = turned || signs[outer] != had;
        }
        bool wrong = sign == 0 || (sign < 0 && around < 1) || (turned && sign > 0 && around > 0);
        signs[s] = wrong ? -sign : sign;
        if (wrong &&
            !add_problem(c, SN_MESH_INWARD_SHELL, -1, -1, c->shells[s].first_triangle, -1)) {
            return false;
        }
    }
    return true;
}

static bool find_inward_shells(checker *c)
{
    SN_ARRAY(enclosure) pairs = {0};
    size_t count = (size_t)c->shell_count;
    int *starts = sn_allocate(2 * count * sizeof *starts);
    sized_shell *order = sn_allocate(count * sizeof *order);
    bool done = starts != NULL && order != NULL;
    for (int s = 0; s < c->shell_count; ++s) {
        measure_shell(c, s);
    }
    for (int s = 0; done && s < c->shell_count; ++s) {
        starts[s] = pairs.count;
        for (int other = 0; other < c->shell_count && done; ++other) {
            if (is_larger(c, other, s) && bounds_contain(c->bounds[other], c->bounds[s]) &&
                shell_inside(c, s, other)) {
                c->shells[s].depth += 1;
                done = sn_array_push(&pairs, (enclosure){s, other});
            }
        }
    }
    done = done && judge_shells(c, pairs.data, starts, order, starts + count);
    sn_free(starts);
    sn_free(order);
    sn_array_free(&pairs);
    return done;
}

// ---- the report ----

static bool run_checks(checker *c)
{
    c->bad_vertex = sn_allocate_zero((size_t)c->mesh->vertex_count * sizeof *c->bad_vertex);
    if (c->bad_vertex == NULL || !find_edges(c, SN_MESH_OPEN_EDGE) ||
        !find_edges(c, SN_MESH_FLIPPED_EDGE) || !find_edges(c, SN_MESH_CROWDED_EDGE)) {
        return false;
    }
    int wrong_edges = c->problems.count + c->rims;
    if (c->strict && !find_pinched_vertices(c)) {
        return false;
    }
    if (!find_duplicates(c) || (c->strict && !find_degenerate(c)) || !list_shells(c)) {
        return false;
    }
    // Edges that are only crowded still bound a volume, but no shell of its own.
    return wrong_edges > 0 || find_inward_shells(c);
}

static void describe_vertex(const sn_mesh *mesh, int v, char *text, size_t size)
{
    sn_vec3 p = mesh->positions[v];
    snprintf(text, size, "vertex %d at (%.6g, %.6g, %.6g)", v, p.x, p.y, p.z);
}

static sn_status fail_edge(const checker *c, const sn_mesh_problem *problem, const char *more,
                           sn_error *error)
{
    char place[64], a[120], b[120];
    snprintf(place, sizeof place, "mesh edge %d-%d", problem->vertices[0], problem->vertices[1]);
    describe_vertex(c->mesh, problem->vertices[0], a, sizeof a);
    describe_vertex(c->mesh, problem->vertices[1], b, sizeof b);
    if (problem->kind == SN_MESH_OPEN_EDGE) {
        return sn_fail(
            error, SN_ERROR_GEOMETRY, place,
            "the mesh has a hole: the edge from %s to %s belongs to triangle %d alone, two "
            "triangles were expected%s",
            a, b, problem->triangles[0], more);
    }
    if (problem->kind == SN_MESH_FLIPPED_EDGE) {
        return sn_fail(
            error, SN_ERROR_GEOMETRY, place,
            "a face is turned over: triangles %d and %d run through the edge from %s to %s "
            "in the same direction, opposite ones were expected%s",
            problem->triangles[0], problem->triangles[1], a, b, more);
    }
    return sn_fail(
        error, SN_ERROR_GEOMETRY, place,
        "the edge from %s to %s belongs to more than two triangles, among them %d and %d%s", a, b,
        problem->triangles[0], problem->triangles[1], more);
}

static sn_status fail_triangle(const checker *c, const sn_mesh_problem *problem, const char *more,
                               sn_error *error)
{
    int t = problem->triangles[0];
    const int *v = c->mesh->triangles + 3 * (size_t)t;
    char place[64], corners[400];
    snprintf(place, sizeof place, "mesh triangle %d", t);
    char a[120], b[120], d[120];
    describe_vertex(c->mesh, v[0], a, sizeof a);
    describe_vertex(c->mesh, v[1], b, sizeof b);
    describe_vertex(c->mesh, v[2], d, sizeof d);
    snprintf(corners, sizeof corners, "%s, %s, %s", a, b, d);
    if (problem->kind == SN_MESH_DUPLICATE_TRIANGLE) {
        return sn_fail(error, SN_ERROR_GEOMETRY, place,
                       "triangles %d and %d have the same corners: %s%s", t, problem->triangles[1],
                       corners, more);
    }
    return sn_fail(error, SN_ERROR_GEOMETRY, place,
                   "the triangle has no area; its corners are %s%s", corners, more);
}

static sn_status fail_shell(const checker *c, const sn_mesh_problem *problem, const char *more,
                            sn_error *error)
{
    const sn_mesh_shell *shell = &c->shells[c->shell_of_triangle[problem->triangles[0]]];
    char place[64], a[120];
    snprintf(place, sizeof place, "mesh shell of triangle %d", shell->first_triangle);
    describe_vertex(c->mesh, c->mesh->triangles[3 * (size_t)shell->first_triangle], a, sizeof a);
    const char *what = shell->volume > 0.0   ? "a hollow must be turned inward (volume below 0)"
                       : shell->volume < 0.0 ? "a solid must be turned outward (volume above 0)"
                                             : "it encloses nothing";
    return sn_fail(
        error, SN_ERROR_GEOMETRY, place,
        "the shell of %d triangles that has %s is inside %d others and has a signed volume "
        "of %.6g m^3; %s%s",
        shell->triangle_count, a, shell->depth, shell->volume, what, more);
}

static sn_status fail_first_problem(const checker *c, sn_error *error)
{
    const sn_mesh_problem *problem = &c->problems.data[0];
    char more[64] = "";
    if (c->problems.count > 1) {
        snprintf(more, sizeof more, "; %d more of this kind, %d problems in all",
                 c->counts[problem->kind] - 1, c->problems.count);
    }
    switch (problem->kind) {
    case SN_MESH_OPEN_EDGE:
    case SN_MESH_FLIPPED_EDGE:
    case SN_MESH_CROWDED_EDGE:
        return fail_edge(c, problem, more, error);
    case SN_MESH_PINCHED_VERTEX: {
        char place[64], a[120];
        snprintf(place, sizeof place, "mesh vertex %d", problem->vertices[0]);
        describe_vertex(c->mesh, problem->vertices[0], a, sizeof a);
        return sn_fail(error, SN_ERROR_GEOMETRY, place,
                       "the fans of triangles %d and %d meet only in %s%s", problem->triangles[0],
                       problem->triangles[1], a, more);
    }
    case SN_MESH_INWARD_SHELL:
        return fail_shell(c, problem, more, error);
    default:
        return fail_triangle(c, problem, more, error);
    }
}

// What the report keeps no longer belongs to the checker.
static void move_to_report(checker *c, sn_mesh_report *report)
{
    memcpy(report->counts, c->counts, sizeof report->counts);
    report->problem_count = c->problems.count;
    report->problems = c->problems.data;
    report->shell_count = c->shell_count;
    report->shells = c->shells;
    report->shell_of_triangle = c->shell_of_triangle;
    c->problems.data = NULL;
    c->shells = NULL;
    c->shell_of_triangle = NULL;
}

static sn_status check(const sn_mesh *mesh, bool strict, bool may_end, sn_mesh_report *report,
                       sn_error *error)
{
    checker c = {.mesh = mesh, .strict = strict, .may_end = may_end};
    sn_status status = sn_half_edges_build(mesh, &c.edges, error);
    if (status == SN_OK && !run_checks(&c)) {
        status = sn_fail_memory(error, 64 * (size_t)mesh->triangle_count);
    } else if (status == SN_OK) {
        if (c.problems.count > 0) {
            status = fail_first_problem(&c, error);
        }
        if (report != NULL) {
            move_to_report(&c, report);
        }
    }
    checker_free(&c);
    return status;
}

sn_status sn_mesh_check(const sn_mesh *mesh, sn_mesh_report *report, sn_error *error)
{
    if (report != NULL) {
        memset(report, 0, sizeof *report);
    }
    return check(mesh, true, false, report, error);
}

sn_status sn_mesh_check_closed(const sn_mesh *mesh, sn_error *error)
{
    return check(mesh, false, false, NULL, error);
}

sn_status sn_mesh_check_surface(const sn_mesh *mesh, sn_error *error)
{
    return check(mesh, true, true, NULL, error);
}

void sn_mesh_report_free(sn_mesh_report *report)
{
    sn_free(report->problems);
    sn_free(report->shells);
    sn_free(report->shell_of_triangle);
    memset(report, 0, sizeof *report);
}
