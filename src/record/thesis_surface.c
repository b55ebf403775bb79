// The exposed faces of tetrahedra, and three colours for them.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra_faces.h"
#include "record/thesis.h"

// ---- surf ----

static sn_status collect(const sn_tetrahedra *mesh, const sn_tetrahedra_faces *faces,
                         const sn_thesis_face *look, sn_thesis_file *surface, sn_error *error)
{
    bool *open = sn_allocate_zero((size_t)faces->count + 1);
    if (open == NULL) {
        return sn_fail_memory(error, (size_t)faces->count + 1);
    }
    int count = 0;
    sn_status status = SN_OK;
    for (int first = 0, last; first < faces->count && status == SN_OK; first = last) {
        last = sn_tetrahedra_faces_group(faces, first);
        if (last - first > 2) {
            status = sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                             "elements %d, %d and %d share a face; at most two were expected",
                             faces->order[first] / 4, faces->order[first + 1] / 4,
                             faces->order[first + 2] / 4);
        }
        open[faces->order[first]] = last - first == 1;
        count += last - first == 1;
    }
    size_t bytes = (size_t)(count > 0 ? count : 1) * sizeof *surface->faces;
    if (status == SN_OK && (surface->faces = sn_allocate_zero(bytes)) == NULL) {
        status = sn_fail_memory(error, bytes);
    }
    for (int f = 0; status == SN_OK && f < faces->count; ++f) {
        if (open[f]) {
            sn_thesis_face *face = &surface->faces[surface->count++];
            *face = *look;
            sn_tetrahedra_face(mesh, f, face->vertices);
        }
    }
    sn_free(open);
    return status;
}

sn_status sn_thesis_surf(const sn_thesis_file *topology, const sn_thesis_face *look,
                         sn_thesis_file *surface, sn_error *error)
{
    *surface = (sn_thesis_file){.kind = SN_THESIS_SURFACE};
    size_t count = (size_t)topology->count;
    int *elements = sn_allocate((4 * count + 1) * sizeof *elements);
    if (elements == NULL) {
        return sn_fail_memory(error, (4 * count + 1) * sizeof *elements);
    }
    int most = 0;
    for (size_t i = 0; i < 4 * count; ++i) {
        elements[i] = topology->elements[i / 4].vertices[i % 4];
        most = elements[i] > most ? elements[i] : most;
    }
    sn_tetrahedra mesh = {.vertex_count = most + 1,
                          .element_count = topology->count,
                          .nodes = 4,
                          .elements = elements};
    sn_tetrahedra_faces faces;
    sn_status status = sn_tetrahedra_faces_find(&mesh, &faces, error);
    if (status == SN_OK) {
        status = collect(&mesh, &faces, look, surface, error);
        sn_tetrahedra_faces_free(&faces);
    }
    sn_free(elements);
    return status;
}

// ---- coloring ----

typedef struct face_edge {
    int a, b, face;
} face_edge;

// Faces as a graph: who is next to whom over an edge.
typedef struct face_graph {
    int count;
    int *starts;     // count + 1
    int *neighbours; // both ways
    int *colours;    // 0 to 2; -1: none
    int *queue;      // count
    int *mark;       // count
    int stamp;
    int used[3]; // how often each colour was given
} face_graph;

static int compare_edges(const void *left, const void *right)
{
    const face_edge *x = left, *y = right;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    if (x->b != y->b) {
        return x->b < y->b ? -1 : 1;
    }
    return x->face < y->face ? -1 : x->face > y->face;
}

static void graph_free(face_graph *g)
{
    sn_free(g->starts);
    sn_free(g->neighbours);
    sn_free(g->colours);
    sn_free(g->queue);
    sn_free(g->mark);
}

static bool same_edge(const face_edge *x, const face_edge *y)
{
    return x->a == y->a && x->b == y->b;
}

// Neighbours follow each other in the sorted list of edges: of an edge with more than two faces, a
// hinge, each is joined with the one before it.
static void join_faces(face_graph *g, const face_edge *edges, int count, bool fill)
{
    for (int i = 1; i < count; ++i) {
        if (!same_edge(&edges[i - 1], &edges[i])) {
            continue;
        }
        int x = edges[i - 1].face, y = edges[i].face;
        if (fill) {
            g->neighbours[g->mark[x]++] = y;
            g->neighbours[g->mark[y]++] = x;
        } else {
            g->starts[x + 1] += 1;
            g->starts[y + 1] += 1;
        }
    }
}

static bool graph_allocate(face_graph *g)
{
    size_t count = (size_t)g->count + 1;
    g->starts = sn_allocate_zero((count + 1) * sizeof(int));
    g->neighbours = sn_allocate_zero(6 * count * sizeof(int)); // three edges of a face, two ways
    g->colours = sn_allocate_zero(count * sizeof(int));
    g->queue = sn_allocate_zero(count * sizeof(int));
    g->mark = sn_allocate_zero(count * sizeof(int));
    return g->starts != NULL && g->neighbours != NULL && g->colours != NULL && g->queue != NULL &&
           g->mark != NULL;
}

static sn_status graph_make(face_graph *g, const sn_thesis_file *surface, sn_error *error)
{
    *g = (face_graph){.count = surface->count};
    size_t bytes = (3 * (size_t)surface->count + 1) * sizeof(face_edge);
    face_edge *edges = sn_allocate(bytes);
    if (edges == NULL || !graph_allocate(g)) {
        sn_free(edges);
        graph_free(g);
        return sn_fail_memory(error, bytes);
    }
    int count = 0;
    for (int f = 0; f < surface->count; ++f) {
        const int *v = surface->faces[f].vertices;
        for (int k = 0; k < 3; ++k) {
            int a = v[k], b = v[(k + 1) % 3];
            edges[count++] = (face_edge){a < b ? a : b, a < b ? b : a, f};
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    join_faces(g, edges, count, false);
    for (int f = 0; f < g->count; ++f) {
        g->starts[f + 1] += g->starts[f];
        g->mark[f] = g->starts[f];
        g->colours[f] = -1;
    }
    join_faces(g, edges, count, true);
    memset(g->mark, 0, (size_t)g->count * sizeof(int));
    sn_free(edges);
    return SN_OK;
}

// How many neighbours of a face have each colour.
static void count_colours(const face_graph *g, int face, int counts[3])
{
    counts[0] = counts[1] = counts[2] = 0;
    for (int k = g->starts[face]; k < g->starts[face + 1]; ++k) {
        int colour = g->colours[g->neighbours[k]];
        if (colour >= 0) {
            counts[colour] += 1;
        }
    }
}

// The colour that fewest neighbours have, of those the rarest.
static int best_colour(const face_graph *g, int face, int *conflicts)
{
    int counts[3], best = 0;
    count_colours(g, face, counts);
    for (int c = 1; c < 3; ++c) {
        bool rarer = counts[c] == counts[best] && g->used[c] < g->used[best];
        best = counts[c] < counts[best] || rarer ? c : best;
    }
    *conflicts = counts[best];
    return best;
}

// Faces that hang together, nearest to the root first.
static int find_part(face_graph *g, int root)
{
    int count = 0;
    g->queue[count++] = root;
    g->mark[root] = g->stamp;
    for (int i = 0; i < count; ++i) {
        int f = g->queue[i];
        for (int k = g->starts[f]; k < g->starts[f + 1]; ++k) {
            int n = g->neighbours[k];
            if (g->mark[n] != g->stamp) {
                g->mark[n] = g->stamp;
                g->queue[count++] = n;
            }
        }
    }
    return count;
}

// Exchanges two colours in all faces of these that hang together with `start` (A. Kempe 1879).
static void swap_chain(face_graph *g, int start, int one, int two)
{
    int count = 0;
    g->stamp += 1;
    g->queue[count++] = start;
    g->mark[start] = g->stamp;
    for (int i = 0; i < count; ++i) {
        int f = g->queue[i];
        g->colours[f] = g->colours[f] == one ? two : one;
        for (int k = g->starts[f]; k < g->starts[f + 1]; ++k) {
            int n = g->neighbours[k];
            if (g->mark[n] != g->stamp && (g->colours[n] == one || g->colours[n] == two)) {
                g->mark[n] = g->stamp;
                g->queue[count++] = n;
            }
        }
    }
}

// Tries to free a colour for a face that has none; true when it now has one without conflict.
static bool settle(face_graph *g, int face)
{
    int conflicts = 0, colour = best_colour(g, face, &conflicts);
    for (int k = g->starts[face]; conflicts > 0 && k < g->starts[face + 1]; ++k) {
        int neighbour = g->neighbours[k], one = g->colours[neighbour];
        for (int two = 0; one >= 0 && conflicts > 0 && two < 3; ++two) {
            if (two == one) {
                continue;
            }
            swap_chain(g, neighbour, one, two);
            colour = best_colour(g, face, &conflicts);
            if (conflicts > 0) {
                swap_chain(g, neighbour, one, two);
            }
        }
    }
    g->colours[face] = conflicts == 0 ? colour : -1;
    return conflicts == 0;
}

// From the farthest faces to the root every face but the root still has a neighbour without colour,
// so that of three neighbours two at most have one, and a colour is left for it. Only at the root
// it may not be: then chains of two colours are exchanged, and the gap moves on to a neighbour.
// (That three colours suffice for all but a lone tetrahedron is R. L. Brooks' theorem, 1941.)
static void color_part(face_graph *g, int root)
{
    enum { MOVES = 64 };
    g->stamp += 1;
    int count = find_part(g, root), conflicts = 0;
    for (int i = count - 1; i > 0; --i) {
        int colour = best_colour(g, g->queue[i], &conflicts);
        g->colours[g->queue[i]] = colour;
        g->used[colour] += 1;
    }
    int gap = root;
    for (int move = 0; !settle(g, gap); ++move) {
        int colour = best_colour(g, gap, &conflicts), next = -1;
        for (int k = g->starts[gap]; k < g->starts[gap + 1]; ++k) {
            int n = g->neighbours[k];
            next = g->colours[n] == colour ? n : next;
        }
        g->colours[gap] = colour;
        if (move == MOVES || conflicts != 1) {
            return;
        }
        g->colours[next] = -1;
        gap = next;
    }
}

sn_status sn_thesis_color(sn_thesis_file *surface, const int textures[3], int *conflicts,
                          sn_error *error)
{
    *conflicts = 0;
    face_graph graph;
    sn_status status = graph_make(&graph, surface, error);
    if (status != SN_OK) {
        return status;
    }
    for (int f = 0; f < graph.count; ++f) {
        if (graph.colours[f] < 0) {
            color_part(&graph, f);
        }
    }
    for (int f = 0; f < graph.count; ++f) {
        surface->faces[f].texture = textures[graph.colours[f]];
        for (int k = graph.starts[f]; k < graph.starts[f + 1]; ++k) {
            int n = graph.neighbours[k];
            *conflicts += n > f && graph.colours[n] == graph.colours[f];
        }
    }
    graph_free(&graph);
    return SN_OK;
}
