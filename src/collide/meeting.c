#include "collide/meeting.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "collide/sweep_list.h"

enum { NODES = 10, EDGES = 24 }; // the most of an element; faces of six nodes are four triangles

struct sn_meetings {
    sn_skin *skin;
    int vertex_count; // of the bodies
    int *elements;    // NODES * element_count, of the bodies' vertices; -1 behind four
    int element_count;
    int *face_elements;  // face_count: the element whose face it is
    int *edge_starts;    // edge_count + 1: into edge_elements
    int *edge_elements;  // elements that have the edge, ascending
    int *edge_insides;   // 2 * edge_count: bodies' vertices, between which is the body
    sn_aabb *boxes;      // of the skin's vertices
    sn_sweep_list faces; // items: vertices, then faces
    sn_sweep_list edges;
    int *ignored_vertices; // of the skin's vertices: how often
    SN_ARRAY(sn_sweep_pair) ignored_edges;
};

// ---- making ----

// Faces of all meshes, and their elements, in one row.
typedef struct outside {
    SN_ARRAY(int) faces;
    SN_ARRAY(int) face_elements;
    SN_ARRAY(int) elements;
    SN_ARRAY(double) positions;
} outside;

static sn_status add_mesh(outside *all, const sn_tetrahedra *mesh, sn_error *error)
{
    int first_vertex = all->positions.count / 3, first_element = all->elements.count / NODES;
    sn_tetrahedra_surface surface = {0};
    sn_status status = sn_tetrahedra_find_surface(mesh, &surface, error);
    if (status != SN_OK) {
        return status;
    }
    bool good = true;
    int nodes = sn_tetrahedra_nodes(mesh);
    const int *elements = sn_tetrahedra_elements(mesh);
    for (int e = 0; e < sn_tetrahedra_element_count(mesh); ++e) {
        for (int k = 0; k < NODES; ++k) {
            int node = k < nodes ? first_vertex + elements[nodes * e + k] : -1;
            good = sn_array_push(&all->elements, node) && good;
        }
    }
    for (int v = 0; v < sn_tetrahedra_vertex_count(mesh); ++v) {
        sn_vec3 x = sn_tetrahedra_positions(mesh)[v];
        good = sn_array_push(&all->positions, x.x) && sn_array_push(&all->positions, x.y) &&
               sn_array_push(&all->positions, x.z) && good;
    }
    const int *triangles = sn_mesh_triangles(surface.mesh);
    for (int f = 0; f < sn_mesh_triangle_count(surface.mesh); ++f) {
        for (int k = 0; k < 3; ++k) {
            int vertex = surface.vertices[triangles[3 * f + k]];
            good = sn_array_push(&all->faces, first_vertex + vertex) && good;
        }
        good = sn_array_push(&all->face_elements, first_element + surface.elements[f]) && good;
    }
    sn_tetrahedra_surface_free(&surface);
    return good ? SN_OK : sn_fail_memory(error, (size_t)all->elements.count * 16);
}

static void free_outside(outside *all)
{
    sn_array_free(&all->faces);
    sn_array_free(&all->face_elements);
    sn_array_free(&all->elements);
    sn_array_free(&all->positions);
}

// The skin's edge between two of its vertices, or -1: edges are sorted.
static int find_edge(const sn_skin *skin, int a, int b)
{
    int low = 0, high = skin->edge_count, ends[2] = {a < b ? a : b, a < b ? b : a};
    while (low < high) {
        int middle = (low + high) / 2;
        const int *at = skin->edges + 2 * (size_t)middle;
        bool before = at[0] < ends[0] || (at[0] == ends[0] && at[1] < ends[1]);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < skin->edge_count && skin->edges[2 * low] == ends[0] &&
                   skin->edges[2 * low + 1] == ends[1]
               ? low
               : -1;
}

// Corners that a node is at, or between: bits.
static const int node_corners[NODES] = {1, 2, 4, 8, 1 + 2, 2 + 4, 1 + 4, 1 + 8, 2 + 8, 4 + 8};

// Those that triangles outside may have: whole ones, or halves and the lines between them.
static const int whole_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
static const int part_edges[EDGES][2] = {
    {0, 4}, {4, 1}, {1, 5}, {5, 2}, {0, 6}, {6, 2}, {0, 7}, {7, 3}, {1, 8}, {8, 3}, {2, 9}, {9, 3},
    {4, 5}, {5, 6}, {4, 6}, {4, 8}, {8, 7}, {4, 7}, {6, 9}, {9, 7}, {6, 7}, {5, 9}, {9, 8}, {5, 8}};

static const int *element_edge(const int *element, int k)
{
    return element[4] >= 0 ? part_edges[k] : k < 6 ? whole_edges[k] : NULL;
}

// The corners that an edge of an element does not lie between: two, or one twice.
static void find_inside(const int *element, const int *ends, int inside[2])
{
    int touched = node_corners[ends[0]] | node_corners[ends[1]], count = 0;
    for (int k = 0; k < 4; ++k) {
        if ((touched >> k & 1) == 0) {
            inside[1] = element[k];
            inside[0] = count++ == 0 ? element[k] : inside[0];
        }
    }
}

// Elements by the outer edges they have, counted first, then put. edges: EDGES * element_count;
// numbers: of the bodies' vertices in the skin.
static void put_edge_elements(sn_meetings *m, int *edges, const int *numbers)
{
    const sn_skin *skin = m->skin;
    size_t places = EDGES * (size_t)m->element_count;
    for (size_t i = 0; i < places; ++i) {
        const int *element = m->elements + NODES * (i / EDGES),
                  *ends = element_edge(element, (int)(i % EDGES));
        int a = ends != NULL ? numbers[element[ends[0]]] : -1,
            b = ends != NULL ? numbers[element[ends[1]]] : -1;
        edges[i] = a >= 0 && b >= 0 ? find_edge(skin, a, b) : -1;
        if (edges[i] >= 0) {
            m->edge_starts[edges[i] + 1] += 1;
        }
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        m->edge_starts[e + 1] += m->edge_starts[e];
    }
    for (size_t i = places; i-- > 0;) { // downward, so that the lowest element has the last word
        const int *element = m->elements + NODES * (i / EDGES);
        if (edges[i] >= 0) {
            find_inside(element, element_edge(element, (int)(i % EDGES)),
                        m->edge_insides + 2 * (size_t)edges[i]);
        }
    }
    for (size_t i = 0; i < places; ++i) {
        if (edges[i] >= 0) { // starts move up as places fill, and are set back below
            m->edge_elements[m->edge_starts[edges[i]]++] = (int)(i / EDGES);
        }
    }
    for (int e = skin->edge_count; e > 0; --e) {
        m->edge_starts[e] = m->edge_starts[e - 1];
    }
    m->edge_starts[0] = 0;
}

static bool find_edge_elements(sn_meetings *m)
{
    const sn_skin *skin = m->skin;
    size_t places = EDGES * (size_t)m->element_count, edge_count = (size_t)skin->edge_count;
    int *numbers = sn_allocate(((size_t)m->vertex_count + 1) * sizeof *numbers);
    int *edges = sn_allocate((places + 1) * sizeof *edges);
    m->edge_starts = sn_allocate_zero((edge_count + 1) * sizeof *m->edge_starts);
    m->edge_elements = sn_allocate((places + 1) * sizeof *m->edge_elements);
    m->edge_insides = sn_allocate_zero(2 * (edge_count + 1) * sizeof *m->edge_insides);
    bool good = numbers != NULL && edges != NULL && m->edge_starts != NULL &&
                m->edge_elements != NULL && m->edge_insides != NULL;
    if (good) {
        for (int v = 0; v < m->vertex_count; ++v) {
            numbers[v] = -1;
        }
        for (int v = 0; v < skin->vertex_count; ++v) {
            numbers[skin->vertices[v]] = v;
        }
        put_edge_elements(m, edges, numbers);
    }
    sn_free(numbers);
    sn_free(edges);
    return good;
}

static sn_status build(sn_meetings *m, outside *all, sn_error *error)
{
    sn_skin_def def = {.faces = all->faces.data,
                       .face_count = all->faces.count / 3,
                       .positions = all->positions.data,
                       .vertex_count = all->positions.count / 3,
                       .stride = 3};
    sn_status status = sn_skin_create(&def, &m->skin, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_skin *skin = m->skin;
    m->vertex_count = def.vertex_count;
    m->element_count = all->elements.count / NODES;
    m->elements = all->elements.data;
    m->face_elements = all->face_elements.data;
    all->elements.data = NULL;
    all->face_elements.data = NULL;
    size_t vertices = (size_t)skin->vertex_count;
    m->boxes = sn_allocate(vertices * sizeof *m->boxes);
    m->ignored_vertices = sn_allocate_zero(vertices * sizeof *m->ignored_vertices);
    if (m->boxes == NULL || m->ignored_vertices == NULL || !find_edge_elements(m) ||
        !sn_sweep_list_create(&m->faces, skin->vertex_count + skin->face_count,
                              skin->vertex_count) ||
        !sn_sweep_list_create(&m->edges, skin->edge_count, skin->edge_count)) {
        return sn_fail_memory(error, vertices * 400);
    }
    return SN_OK;
}

sn_status sn_meetings_create(const sn_tetrahedra *const *meshes, int count, sn_meetings **meetings,
                             sn_error *error)
{
    *meetings = NULL;
    outside all = {.faces = {0}};
    sn_status status = SN_OK;
    for (int i = 0; i < count && status == SN_OK; ++i) {
        status = add_mesh(&all, meshes[i], error);
    }
    sn_meetings *made = status == SN_OK ? sn_allocate_zero(sizeof *made) : NULL;
    if (made != NULL) {
        status = build(made, &all, error);
    } else if (status == SN_OK) {
        status = sn_fail_memory(error, sizeof *made);
    }
    free_outside(&all);
    if (status != SN_OK) {
        sn_meetings_destroy(made);
        return status;
    }
    *meetings = made;
    return SN_OK;
}

void sn_meetings_destroy(sn_meetings *meetings)
{
    if (meetings == NULL) {
        return;
    }
    sn_skin_destroy(meetings->skin);
    sn_free(meetings->elements);
    sn_free(meetings->face_elements);
    sn_free(meetings->edge_starts);
    sn_free(meetings->edge_elements);
    sn_free(meetings->edge_insides);
    sn_free(meetings->boxes);
    sn_free(meetings->ignored_vertices);
    sn_sweep_list_free(&meetings->faces);
    sn_sweep_list_free(&meetings->edges);
    sn_array_free(&meetings->ignored_edges);
    sn_free(meetings);
}

const sn_skin *sn_meetings_skin(const sn_meetings *meetings)
{
    return meetings->skin;
}

// ---- relevance ----

static bool has_vertex(const int *element, int vertex)
{
    for (int k = 0; k < NODES && element[k] >= 0; ++k) {
        if (element[k] == vertex) {
            return true;
        }
    }
    return false;
}

// A face outside has one element, or is part of one's face.
static bool vertex_face_is_relevant(const sn_meetings *m, int vertex, int face)
{
    return !has_vertex(m->elements + NODES * (size_t)m->face_elements[face],
                       m->skin->vertices[vertex]);
}

static bool edges_are_relevant(const sn_meetings *m, int a, int b)
{
    const int *of_a = m->skin->edges + 2 * (size_t)a, *of_b = m->skin->edges + 2 * (size_t)b;
    if (of_a[0] == of_b[0] || of_a[0] == of_b[1] || of_a[1] == of_b[0] || of_a[1] == of_b[1]) {
        return false;
    }
    for (int i = m->edge_starts[a]; i < m->edge_starts[a + 1]; ++i) {
        const int *element = m->elements + NODES * (size_t)m->edge_elements[i];
        if (has_vertex(element, m->skin->vertices[of_b[0]]) &&
            has_vertex(element, m->skin->vertices[of_b[1]])) {
            return false;
        }
    }
    return true;
}

static bool face_item_is_relevant(const void *context, int a, int b)
{
    const sn_meetings *m = context;
    return vertex_face_is_relevant(m, a, b - m->skin->vertex_count);
}

static bool edge_item_is_relevant(const void *context, int a, int b)
{
    return edges_are_relevant(context, a, b);
}

void sn_meetings_count_relevant(const sn_meetings *meetings, int64_t *vertex_faces,
                                int64_t *edge_edges)
{
    const sn_skin *skin = meetings->skin;
    *vertex_faces = *edge_edges = 0;
    for (int v = 0; v < skin->vertex_count; ++v) {
        for (int f = 0; f < skin->face_count; ++f) {
            *vertex_faces += vertex_face_is_relevant(meetings, v, f);
        }
    }
    for (int a = 0; a < skin->edge_count; ++a) {
        for (int b = a + 1; b < skin->edge_count; ++b) {
            *edge_edges += edges_are_relevant(meetings, a, b);
        }
    }
}

sn_status sn_meetings_ignore(sn_meetings *meetings, const sn_meeting *meeting, bool ignored,
                             sn_error *error)
{
    if (meeting->kind == SN_VERTEX_FACE) {
        meetings->ignored_vertices[meeting->a] += ignored ? 1 : -1;
        return SN_OK;
    }
    sn_sweep_pair pair = {meeting->a, meeting->b};
    if (ignored) {
        return sn_array_push(&meetings->ignored_edges, pair)
                   ? SN_OK
                   : sn_fail_memory(error,
                                    sizeof pair * ((size_t)meetings->ignored_edges.count + 1));
    }
    for (int i = 0; i < meetings->ignored_edges.count; ++i) {
        sn_sweep_pair *at = &meetings->ignored_edges.data[i];
        if (at->a == pair.a && at->b == pair.b) {
            *at = meetings->ignored_edges.data[--meetings->ignored_edges.count];
            break;
        }
    }
    return SN_OK;
}

static bool is_ignored(const sn_meetings *m, sn_pair_kind kind, int a, int b)
{
    if (kind == SN_VERTEX_FACE) {
        return m->ignored_vertices[a] > 0;
    }
    for (int i = 0; i < m->ignored_edges.count; ++i) {
        if (m->ignored_edges.data[i].a == a && m->ignored_edges.data[i].b == b) {
            return true;
        }
    }
    return false;
}

// ---- boxes ----

// Around the four Bezier points of a vertex' way.
static sn_aabb box_of_way(const sn_meeting_motion *motion, int vertex)
{
    size_t at = (size_t)vertex * (size_t)motion->stride;
    sn_vec3 a = sn_vec3_at(motion->x_a + at), b = sn_vec3_at(motion->x_b + at);
    sn_vec3 p = sn_vec3_add_scaled(a, motion->h / 3.0, sn_vec3_at(motion->v_a + at));
    sn_vec3 q = sn_vec3_add_scaled(b, -motion->h / 3.0, sn_vec3_at(motion->v_b + at));
    sn_aabb box = {sn_vec3_min(sn_vec3_min(a, p), sn_vec3_min(q, b)),
                   sn_vec3_max(sn_vec3_max(a, p), sn_vec3_max(q, b))};
    return box;
}

static sn_aabb box_union(sn_aabb a, sn_aabb b)
{
    return (sn_aabb){sn_vec3_min(a.lower, b.lower), sn_vec3_max(a.upper, b.upper)};
}

static void make_boxes(sn_meetings *m, const sn_meeting_motion *motion)
{
    const sn_skin *skin = m->skin;
    for (int v = 0; v < skin->vertex_count; ++v) {
        m->boxes[v] = m->faces.boxes[v] = box_of_way(motion, skin->vertices[v]);
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        const int *ends = skin->edges + 2 * (size_t)e;
        m->edges.boxes[e] = box_union(m->boxes[ends[0]], m->boxes[ends[1]]);
    }
    for (int f = 0; f < skin->face_count; ++f) {
        const int *v = skin->faces + 3 * (size_t)f;
        m->faces.boxes[skin->vertex_count + f] =
            box_union(m->boxes[v[0]], box_union(m->boxes[v[1]], m->boxes[v[2]]));
    }
}

// ---- one pair ----

// The mean of the corners that the lowest element with this edge has besides.
static void put_middle(const sn_meetings *m, int edge, const double *x, int stride, sn_vec3 *middle)
{
    const int *inside = m->edge_insides + 2 * (size_t)edge;
    sn_vec3 sum = sn_vec3_add(sn_vec3_at(x + (size_t)inside[0] * (size_t)stride),
                              sn_vec3_at(x + (size_t)inside[1] * (size_t)stride));
    *middle = sn_vec3_scale(0.5, sum);
}

static void pair_vertices(const sn_meetings *m, sn_pair_kind kind, int a, int b, int vertices[4])
{
    const sn_skin *skin = m->skin;
    if (kind == SN_VERTEX_FACE) {
        vertices[0] = a;
        memcpy(vertices + 1, skin->faces + 3 * (size_t)b, 3 * sizeof *vertices);
    } else {
        memcpy(vertices, skin->edges + 2 * (size_t)a, 2 * sizeof *vertices);
        memcpy(vertices + 2, skin->edges + 2 * (size_t)b, 2 * sizeof *vertices);
    }
    for (int k = 0; k < 4; ++k) {
        vertices[k] = skin->vertices[vertices[k]];
    }
}

static void put_state(const sn_meetings *m, sn_pair_kind kind, int a, int b, const int vertices[4],
                      const double *x, const double *v, int stride, sn_clearance_state *state)
{
    for (int k = 0; k < 4; ++k) {
        state->x[k] = sn_vec3_at(x + (size_t)vertices[k] * (size_t)stride);
        state->v[k] = sn_vec3_at(v + (size_t)vertices[k] * (size_t)stride);
    }
    if (kind == SN_EDGE_EDGE) {
        put_middle(m, a, x, stride, &state->x[4]);
        put_middle(m, b, x, stride, &state->x[5]);
        put_middle(m, a, v, stride, &state->v[4]);
        put_middle(m, b, v, stride, &state->v[5]);
    }
}

// The four points on their ways, at a share of the step.
static void points_on_way(const sn_clearance_state *a, const sn_clearance_state *b, double h,
                          double u, sn_vec3 x[4])
{
    for (int k = 0; k < 4; ++k) {
        double at[3];
        for (int i = 0; i < 3; ++i) {
            sn_cubic way = sn_cubic_hermite((&a->x[k].x)[i], (&a->v[k].x)[i], (&b->x[k].x)[i],
                                            (&b->v[k].x)[i], h);
            at[i] = sn_cubic_at(&way, u);
        }
        x[k] = sn_vec3_at(at);
    }
}

static bool is_before(const sn_meeting *meeting, double u, sn_pair_kind kind, int a, int b)
{
    if (!meeting->found || u != meeting->u) {
        return !meeting->found || u < meeting->u;
    }
    if (kind != meeting->kind) {
        return kind < meeting->kind;
    }
    return a != meeting->a ? a < meeting->a : b < meeting->b;
}

// The first meeting of a pair, if it has one.
static bool meet(const sn_meetings *m, const sn_meeting_motion *motion, sn_pair_kind kind, int a,
                 int b, sn_meeting *meeting)
{
    if (is_ignored(m, kind, a, b)) {
        return false;
    }
    int vertices[4];
    sn_clearance_state at_a, at_b;
    pair_vertices(m, kind, a, b, vertices);
    put_state(m, kind, a, b, vertices, motion->x_a, motion->v_a, motion->stride, &at_a);
    put_state(m, kind, a, b, vertices, motion->x_b, motion->v_b, motion->stride, &at_b);
    double u;
    if (!sn_clearance_event(kind, &at_a, &at_b, motion->h, &u)) {
        return false;
    }
    *meeting = (sn_meeting){.found = true, .kind = kind, .a = a, .b = b, .u = u};
    memcpy(meeting->vertices, vertices, sizeof vertices);
    sn_vec3 x[4];
    points_on_way(&at_a, &at_b, motion->h, u, x);
    sn_clearance_weights(kind, x, meeting->weights);
    return true;
}

static void try_pair(const sn_meetings *m, const sn_meeting_motion *motion, sn_pair_kind kind,
                     int a, int b, sn_meeting *first)
{
    sn_meeting meeting;
    if (meet(m, motion, kind, a, b, &meeting) && is_before(first, meeting.u, kind, a, b)) {
        *first = meeting;
    }
}

bool sn_meetings_is_relevant(const sn_meetings *meetings, sn_pair_kind kind, int a, int b)
{
    return kind == SN_VERTEX_FACE ? vertex_face_is_relevant(meetings, a, b)
                                  : edges_are_relevant(meetings, a, b);
}

void sn_meetings_read(const sn_meetings *meetings, sn_pair_kind kind, int a, int b, const double *x,
                      const double *v, int stride, sn_clearance_state *state)
{
    int vertices[4];
    pair_vertices(meetings, kind, a, b, vertices);
    put_state(meetings, kind, a, b, vertices, x, v, stride, state);
}

// ---- all pairs ----

// Boxes and candidates of a motion.
static sn_status update(sn_meetings *m, const sn_meeting_motion *motion, sn_error *error)
{
    make_boxes(m, motion);
    bool good = sn_sweep_list_update(&m->faces, face_item_is_relevant, m);
    good = sn_sweep_list_update(&m->edges, edge_item_is_relevant, m) && good;
    size_t pairs = (size_t)m->faces.pairs.count + (size_t)m->edges.pairs.count + 1;
    return good ? SN_OK : sn_fail_memory(error, pairs * sizeof(sn_sweep_pair));
}

sn_status sn_meetings_find(sn_meetings *meetings, const sn_meeting_motion *motion,
                           sn_meeting *meeting, sn_error *error)
{
    *meeting = (sn_meeting){.found = false};
    sn_status status = update(meetings, motion, error);
    int first_face = meetings->skin->vertex_count;
    for (int i = 0; i < meetings->faces.pairs.count && status == SN_OK; ++i) {
        sn_sweep_pair pair = meetings->faces.pairs.data[i];
        try_pair(meetings, motion, SN_VERTEX_FACE, pair.a, pair.b - first_face, meeting);
    }
    for (int i = 0; i < meetings->edges.pairs.count && status == SN_OK; ++i) {
        sn_sweep_pair pair = meetings->edges.pairs.data[i];
        try_pair(meetings, motion, SN_EDGE_EDGE, pair.a, pair.b, meeting);
    }
    return status;
}

static int compare_meetings(const void *first, const void *second)
{
    const sn_meeting *x = first, *y = second;
    const int keys[3][2] = {{(int)x->kind, (int)y->kind}, {x->a, y->a}, {x->b, y->b}};
    for (int k = 0; k < 3; ++k) {
        if (keys[k][0] != keys[k][1]) {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

sn_status sn_meetings_gather(sn_meetings *meetings, const sn_meeting_motion *motion,
                             sn_meeting_list *list, sn_error *error)
{
    sn_array_clear(list);
    sn_status status = update(meetings, motion, error);
    int first_face = meetings->skin->vertex_count, faces = meetings->faces.pairs.count;
    for (int i = 0; i < faces + meetings->edges.pairs.count && status == SN_OK; ++i) {
        bool of_face = i < faces;
        sn_sweep_pair pair =
            of_face ? meetings->faces.pairs.data[i] : meetings->edges.pairs.data[i - faces];
        sn_meeting meeting;
        if (meet(meetings, motion, of_face ? SN_VERTEX_FACE : SN_EDGE_EDGE, pair.a,
                 of_face ? pair.b - first_face : pair.b, &meeting) &&
            !sn_array_push(list, meeting)) {
            status = sn_fail_memory(error, sizeof meeting);
        }
    }
    if (list->count > 1) {
        qsort(list->data, (size_t)list->count, sizeof *list->data, compare_meetings);
    }
    return status;
}

void sn_meetings_find_by_force(sn_meetings *meetings, const sn_meeting_motion *motion,
                               sn_meeting *meeting)
{
    const sn_skin *skin = meetings->skin;
    *meeting = (sn_meeting){.found = false};
    make_boxes(meetings, motion);
    for (int v = 0; v < skin->vertex_count; ++v) {
        for (int f = 0; f < skin->face_count; ++f) {
            if (vertex_face_is_relevant(meetings, v, f) &&
                sn_boxes_meet(&meetings->faces.boxes[v],
                              &meetings->faces.boxes[skin->vertex_count + f])) {
                try_pair(meetings, motion, SN_VERTEX_FACE, v, f, meeting);
            }
        }
    }
    for (int a = 0; a < skin->edge_count; ++a) {
        for (int b = a + 1; b < skin->edge_count; ++b) {
            if (edges_are_relevant(meetings, a, b) &&
                sn_boxes_meet(&meetings->edges.boxes[a], &meetings->edges.boxes[b])) {
                try_pair(meetings, motion, SN_EDGE_EDGE, a, b, meeting);
            }
        }
    }
}

int sn_meetings_candidate_count(const sn_meetings *meetings)
{
    return meetings->faces.pairs.count + meetings->edges.pairs.count;
}
