// What is wrong with a tetrahedral mesh. Two elements in positive order that share a face see its
// corners turn in opposite ways; if they see them turn alike, both are on one side of it, and
// overlap. Edges and vertices by which alone parts hang together are those where the
// surface is not a manifold.
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra_faces.h"
#include "geometry/tetrahedra_surface.h"

typedef struct examiner {
    const sn_tetrahedra *mesh;
    double least_quality;
    SN_ARRAY(sn_tetrahedra_problem) problems;
    int counts[SN_TETRAHEDRA_PROBLEM_KIND_COUNT];
    bool failed; // out of memory
} examiner;

static void note(examiner *x, sn_tetrahedra_problem problem)
{
    x->counts[problem.kind] += 1;
    if (!sn_array_push(&x->problems, problem)) {
        x->failed = true;
    }
}

// ---- elements ----

// Determinant of the map from the reference element at barycentric coordinates l: J has columns
// dx/dl_k - dx/dl_0, with dx/dl_i = (4 l_i - 1) x_i + 4 sum_j l_j x_ij.
static double curved_determinant(const sn_vec3 x[10], const double l[4])
{
    sn_vec3 d[4];
    for (int i = 0; i < 4; ++i) {
        d[i] = sn_vec3_scale(4.0 * l[i] - 1.0, x[i]);
    }
    for (int k = 0; k < 6; ++k) {
        int i = sn_tetrahedron_edges[k][0], j = sn_tetrahedron_edges[k][1];
        d[i] = sn_vec3_add_scaled(d[i], 4.0 * l[j], x[4 + k]);
        d[j] = sn_vec3_add_scaled(d[j], 4.0 * l[i], x[4 + k]);
    }
    return sn_tetrahedron_determinant(d[0], d[1], d[2], d[3]);
}

// At the nodes, the middles of the faces and the middle: a cubic that is positive there is hardly
// negative elsewhere, though it may.
static bool folds_over(const examiner *x, int element)
{
    const sn_tetrahedra *t = x->mesh;
    const int *v = t->elements + (size_t)element * 10;
    sn_vec3 p[10];
    for (int k = 0; k < 10; ++k) {
        p[k] = sn_vec3_sub(t->positions[v[k]], t->positions[v[0]]);
    }
    double least = x->least_quality * sn_tetrahedra_determinant(t, element);
    for (int mask = 1; mask < 16; ++mask) { // every set of corners has its middle
        int corners = (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1);
        double l[4];
        for (int i = 0; i < 4; ++i) {
            l[i] = mask >> i & 1 ? 1.0 / corners : 0.0;
        }
        if (!(curved_determinant(p, l) > least)) {
            return true;
        }
    }
    return false;
}

static void examine_elements(examiner *x)
{
    const sn_tetrahedra *t = x->mesh;
    for (int e = 0; e < t->element_count; ++e) {
        const int *v = t->elements + (size_t)e * (size_t)t->nodes;
        const sn_vec3 corners[4] = {t->positions[v[0]], t->positions[v[1]], t->positions[v[2]],
                                    t->positions[v[3]]};
        if (!(sn_tetrahedron_ratio(corners) > x->least_quality)) {
            note(x, (sn_tetrahedra_problem){SN_TETRAHEDRA_SLIVER, {e, -1}, {-1, -1, -1}});
        }
    }
    for (int e = 0; t->nodes == 10 && e < t->element_count; ++e) {
        if (folds_over(x, e)) {
            note(x, (sn_tetrahedra_problem){SN_TETRAHEDRA_INVERTED, {e, -1}, {-1, -1, -1}});
        }
    }
}

// ---- faces ----

// Do the corners run in the order of their numbers, but for where they start?
static bool runs_up(const sn_tetrahedra *t, int face)
{
    int c[3];
    sn_tetrahedra_face(t, face, c);
    return ((c[0] < c[1]) + (c[1] < c[2]) + (c[2] < c[0])) == 2;
}

// The faces that meet in one triangle, each seen from another fourth corner.
typedef struct meeting {
    int faces[3]; // the first ones
    int apexes[3];
    int count; // up to 3: more is crowded, too
} meeting;

static int apex_of(const sn_tetrahedra *t, int face, const int *corners)
{
    const int *v = t->elements + (size_t)(face / 4) * (size_t)t->nodes;
    return v[0] ^ v[1] ^ v[2] ^ v[3] ^ corners[0] ^ corners[1] ^ corners[2];
}

// An element with the corners of another is told at that of its faces which has the lowest corners,
// and is left out elsewhere: else all its faces would be told.
static meeting meet_faces(examiner *x, const sn_tetrahedra_faces *faces, int first, int last,
                          bool tells_doubled)
{
    meeting m = {.count = 0};
    const int *c = faces->corners + 3 * (size_t)faces->order[first];
    for (int i = first; i < last; ++i) {
        int face = faces->order[i], apex = apex_of(x->mesh, face, c), k = 0;
        while (k < m.count && m.apexes[k] != apex) {
            ++k;
        }
        if (k < m.count && tells_doubled && apex > c[2]) {
            note(x, (sn_tetrahedra_problem){
                        SN_TETRAHEDRA_DOUBLED, {m.faces[k] / 4, face / 4}, {c[0], c[1], c[2]}});
        } else if (k == m.count && k < 3) {
            m.faces[k] = face;
            m.apexes[k] = apex;
            m.count += 1;
        }
    }
    return m;
}

static void examine_faces(examiner *x, const sn_tetrahedra_faces *faces)
{
    static const sn_tetrahedra_problem_kind kinds[] = {
        SN_TETRAHEDRA_INVERTED, SN_TETRAHEDRA_DOUBLED, SN_TETRAHEDRA_CROWDED_FACE};
    for (int pass = 0; pass < 3; ++pass) { // so that problems are in the order of kinds
        for (int first = 0, last; first < faces->count; first = last) {
            last = sn_tetrahedra_faces_group(faces, first);
            if (last - first == 1) {
                continue;
            }
            meeting m = meet_faces(x, faces, first, last, kinds[pass] == SN_TETRAHEDRA_DOUBLED);
            const int *f = m.faces, *c = faces->corners + 3 * (size_t)f[0];
            bool found = kinds[pass] == SN_TETRAHEDRA_INVERTED
                             ? m.count == 2 && runs_up(x->mesh, f[0]) == runs_up(x->mesh, f[1])
                             : kinds[pass] == SN_TETRAHEDRA_CROWDED_FACE && m.count > 2;
            if (found) {
                note(x, (sn_tetrahedra_problem){
                            kinds[pass], {f[0] / 4, f[1] / 4}, {c[0], c[1], c[2]}});
            }
        }
    }
}

// ---- vertices and edges ----

static bool examine_vertices(examiner *x)
{
    const sn_tetrahedra *t = x->mesh;
    unsigned char *used = sn_allocate_zero((size_t)t->vertex_count);
    if (used == NULL) {
        return false;
    }
    for (size_t k = 0; k < (size_t)t->element_count * (size_t)t->nodes; ++k) {
        used[t->elements[k]] = 1;
    }
    for (int i = 0; i < t->vertex_count; ++i) {
        if (!used[i]) {
            note(x, (sn_tetrahedra_problem){SN_TETRAHEDRA_UNUSED_VERTEX, {-1, -1}, {i, -1, -1}});
        }
    }
    sn_free(used);
    return true;
}

static sn_status examine_surface(examiner *x, sn_error *error)
{
    sn_tetrahedra_surface surface;
    sn_status status = sn_tetrahedra_flat_surface(x->mesh, &surface, error);
    if (status != SN_OK) {
        return status;
    }
    sn_mesh_report report = {0};
    sn_error found = {0};
    status = sn_mesh_check(surface.mesh, &report, &found);
    for (int p = 0; p < report.problem_count; ++p) {
        const sn_mesh_problem *problem = &report.problems[p];
        const int *v = problem->vertices, *e = problem->triangles;
        if (problem->kind == SN_MESH_CROWDED_EDGE || problem->kind == SN_MESH_PINCHED_VERTEX) {
            bool edge = problem->kind == SN_MESH_CROWDED_EDGE;
            note(x, (sn_tetrahedra_problem){
                        edge ? SN_TETRAHEDRA_HINGE : SN_TETRAHEDRA_PINCHED_VERTEX,
                        {e[0] < 0 ? -1 : surface.elements[e[0]],
                         e[1] < 0 ? -1 : surface.elements[e[1]]},
                        {surface.vertices[v[0]], edge ? surface.vertices[v[1]] : -1, -1}});
        }
    }
    sn_mesh_report_free(&report);
    sn_tetrahedra_surface_free(&surface);
    return status == SN_ERROR_MEMORY ? sn_fail_memory(error, 0) : SN_OK;
}

// ---- telling ----

enum { NUMBERS_TOLD = 5 };

// What is called inverted is two elements on one side of a face, of which neither need be, or one
// that is curved: the former are told by the words behind those of the kinds.
enum { OVERLAP = SN_TETRAHEDRA_PROBLEM_KIND_COUNT, WORDS };

static const struct {
    const char *one, *many;
    bool elements; // named by elements, else by vertices
} words[WORDS] = {
    {"sliver", "slivers", true},
    {"element that is curved over itself", "elements that are curved over themselves", true},
    {"element with the corners of another", "elements with the corners of others", true},
    {"face of more than two elements", "faces of more than two elements", true},
    {"unused vertex", "unused vertices", false},
    {"edge by which alone parts hang together", "edges by which alone parts hang together", false},
    {"vertex by which alone parts hang together", "vertices by which alone parts hang together",
     false},
    {"overlap of neighbours", "overlaps of neighbours", true},
};

// Of `words`.
static int word_of(const sn_tetrahedra_problem *problem)
{
    bool pair = problem->kind == SN_TETRAHEDRA_INVERTED && problem->elements[1] >= 0;
    return pair ? OVERLAP : (int)problem->kind;
}

static int count_of(const examiner *x, int kind)
{
    int count = 0;
    for (int i = 0; i < x->problems.count; ++i) {
        count += word_of(&x->problems.data[i]) == kind;
    }
    return count;
}

// "2 slivers (elements 4, 9)"
static void tell_kind(const examiner *x, int kind, char *text, size_t size)
{
    size_t length = strlen(text);
    int told = 0, count = count_of(x, kind);
    length += (size_t)snprintf(text + length, size - length, "%s%d %s (%s", length > 0 ? ", " : "",
                               count, count == 1 ? words[kind].one : words[kind].many,
                               words[kind].elements ? "element" : "vertex");
    for (int i = 0; i < x->problems.count && told < NUMBERS_TOLD && length < size; ++i) {
        const sn_tetrahedra_problem *p = &x->problems.data[i];
        if (word_of(p) != kind) {
            continue;
        }
        const int *n = words[kind].elements ? p->elements : p->vertices;
        const char *between = told++ == 0 ? "" : ",";
        length += (size_t)snprintf(text + length, size - length,
                                   n[1] >= 0 ? "%s %d and %d" : "%s %d", between, n[0], n[1]);
    }
    if (length < size) {
        snprintf(text + length, size - length, "%s)", count > told ? ", ..." : "");
    }
}

static sn_status tell(const examiner *x, sn_error *error)
{
    char text[440] = "";
    for (int kind = 0; kind < WORDS; ++kind) {
        if (count_of(x, kind) > 0 && strlen(text) < sizeof text - 1) {
            tell_kind(x, kind, text, sizeof text);
        }
    }
    return text[0] == '\0' ? SN_OK
                           : sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                                     "the tetrahedra have %s; none were expected", text);
}

// ---- the checks ----

static sn_status examine(examiner *x, bool all, sn_error *error)
{
    sn_tetrahedra_faces faces;
    sn_status status = sn_tetrahedra_faces_find(x->mesh, &faces, error);
    if (status != SN_OK) {
        return status;
    }
    examine_elements(x);
    examine_faces(x, &faces);
    sn_tetrahedra_faces_free(&faces);
    if (all && !examine_vertices(x)) {
        x->failed = true;
    }
    if (all && !x->failed) {
        status = examine_surface(x, error);
    }
    if (status == SN_OK && x->failed) {
        status = sn_fail_memory(error, (size_t)x->problems.count * sizeof *x->problems.data);
    }
    return status == SN_OK ? tell(x, error) : status;
}

sn_status sn_tetrahedra_refuse(const sn_tetrahedra *tetrahedra, double least_quality,
                               sn_error *error)
{
    examiner x = {.mesh = tetrahedra, .least_quality = least_quality};
    sn_status status = examine(&x, false, error);
    sn_array_free(&x.problems);
    return status;
}

sn_status sn_tetrahedra_examine(const sn_tetrahedra *tetrahedra, double least_quality,
                                sn_tetrahedra_report *report, sn_error *error)
{
    examiner x = {.mesh = tetrahedra, .least_quality = least_quality};
    sn_status status = examine(&x, true, error);
    if (report != NULL) {
        *report = (sn_tetrahedra_report){0};
    }
    if (report != NULL && (status == SN_OK || status == SN_ERROR_GEOMETRY)) {
        memcpy(report->counts, x.counts, sizeof report->counts);
        report->problem_count = x.problems.count;
        report->problems = x.problems.data;
        return status;
    }
    sn_array_free(&x.problems);
    return status;
}

sn_status sn_tetrahedra_check(const sn_tetrahedra *tetrahedra, sn_tetrahedra_report *report,
                              sn_error *error)
{
    return sn_tetrahedra_examine(tetrahedra, 0.0, report, error);
}

void sn_tetrahedra_report_free(sn_tetrahedra_report *report)
{
    sn_free(report->problems);
    *report = (sn_tetrahedra_report){0};
}
