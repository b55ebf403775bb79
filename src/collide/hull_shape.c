// Hulls from convex meshes: coplanar triangles become one face.
#include "collide/hull_shape.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/half_edge.h"
#include "geometry/mesh.h"

// Corners nearer than this share of the size to a plane are in it,
static const double flat = 4e-7;
// but only if they are nearer than this share of the thickness, too: else opposite faces of thin
// bodies would be one.
static const double thin = 0.01;

enum { CLIMB = 128 }; // corners from which climbing is quicker than asking all

typedef struct builder {
    const sn_mesh *mesh;
    sn_half_edges edges;
    double size;
    double slack;   // how far from a plane a corner that is in it may be
    int *face_of;   // triangle_count: -1 not yet
    int *order;     // triangle_count: largest first
    double *area;   // triangle_count
    int *stack;     // triangle_count
    int *corner_of; // vertex_count: its number in the hull, -1 none
    int *edge_of;   // 3 triangle_count: half edge in the hull, -1 inside a face
    int face_count, edge_count;
} builder;

static void builder_free(builder *b)
{
    sn_half_edges_free(&b->edges);
    sn_free(b->face_of);
    sn_free(b->order);
    sn_free(b->area);
    sn_free(b->stack);
    sn_free(b->corner_of);
    sn_free(b->edge_of);
}

static sn_status builder_allocate(builder *b, sn_error *error)
{
    size_t triangles = (size_t)b->mesh->triangle_count, vertices = (size_t)b->mesh->vertex_count;
    b->face_of = sn_allocate(triangles * sizeof(int));
    b->order = sn_allocate(triangles * sizeof(int));
    b->area = sn_allocate(triangles * sizeof(double));
    b->stack = sn_allocate(triangles * sizeof(int));
    b->corner_of = sn_allocate(vertices * sizeof(int));
    b->edge_of = sn_allocate(3 * triangles * sizeof(int));
    if (b->face_of == NULL || b->order == NULL || b->area == NULL || b->stack == NULL ||
        b->corner_of == NULL || b->edge_of == NULL) {
        return sn_fail_memory(error, triangles * 44 + vertices * 4);
    }
    return SN_OK;
}

// Closed, one shell, and no edge bent inward: then it is convex.
static sn_status check_convex(const builder *b, sn_error *error)
{
    const sn_mesh *mesh = b->mesh;
    sn_mesh_report report = {0};
    sn_status status = sn_mesh_check(mesh, &report, error);
    int shells = report.shell_count;
    sn_mesh_report_free(&report);
    if (status != SN_OK) {
        return status;
    }
    if (shells != 1 || 2 * mesh->vertex_count - mesh->triangle_count != 4) {
        return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                       "the mesh has several shells or a handle; a convex one was expected");
    }
    for (int e = 0; e < b->edges.count; ++e) {
        sn_vec3 n = sn_normalize(sn_mesh_area_vector(mesh, e / 3));
        int tip = mesh->triangles[sn_half_edge_previous(b->edges.twin[e])];
        int on = mesh->triangles[e], to = mesh->triangles[sn_half_edge_next(e)];
        sn_vec3 d = sn_vec3_sub(mesh->positions[tip], mesh->positions[on]);
        if (sn_dot(n, d) > flat * b->size) {
            return sn_fail(error, SN_ERROR_GEOMETRY, NULL,
                           "the mesh is bent inward at the edge of vertices %d and %d; a convex "
                           "one was expected",
                           on, to);
        }
    }
    return SN_OK;
}

static void sift(const builder *b, int root, int count)
{
    int *order = b->order;
    for (int child; (child = 2 * root + 1) < count; root = child) {
        // The heap's top is the smallest area, and of equals the largest index.
        if (child + 1 < count && (b->area[order[child + 1]] < b->area[order[child]] ||
                                  (b->area[order[child + 1]] == b->area[order[child]] &&
                                   order[child + 1] > order[child]))) {
            ++child;
        }
        if (b->area[order[child]] > b->area[order[root]] ||
            (b->area[order[child]] == b->area[order[root]] && order[child] < order[root])) {
            return;
        }
        int other = order[root];
        order[root] = order[child];
        order[child] = other;
    }
}

static void sort_by_area(builder *b)
{
    int count = b->mesh->triangle_count;
    for (int t = 0; t < count; ++t) {
        b->area[t] = sn_length(sn_mesh_area_vector(b->mesh, t));
        b->order[t] = t;
        b->face_of[t] = -1;
    }
    for (int i = count / 2 - 1; i >= 0; --i) {
        sift(b, i, count);
    }
    for (int i = count - 1; i > 0; --i) {
        int other = b->order[0];
        b->order[0] = b->order[i];
        b->order[i] = other;
        sift(b, 0, i);
    }
}

static bool in_plane(const builder *b, int triangle, sn_vec3 normal, double offset)
{
    for (int k = 0; k < 3; ++k) {
        sn_vec3 x = b->mesh->positions[b->mesh->triangles[3 * triangle + k]];
        if (fabs(sn_dot(normal, x) - offset) > b->slack) {
            return false;
        }
    }
    return true;
}

// A lower bound of the width w of a convex body, within a constant of it: the volume is at most w
// times the body's shadow on a plane across it, which is at most half its surface. So w >= 2 V / S.
static double thickness_of(const sn_mesh *mesh)
{
    double volume = 0.0, area = 0.0;
    sn_vec3 from = mesh->positions[0];
    for (int t = 0; t < mesh->triangle_count; ++t) {
        sn_vec3 twice = sn_mesh_area_vector(mesh, t); // its length is twice the area
        sn_vec3 x = sn_vec3_sub(mesh->positions[mesh->triangles[3 * t]], from);
        volume += sn_dot(twice, x) / 6.0;
        area += 0.5 * sn_length(twice);
    }
    return area > 0.0 ? fmax(0.0, 2.0 * volume / area) : 0.0;
}

// From the largest triangle not yet in a face over all edges to those in its plane: the plane does
// not move meanwhile, so that round bodies are not rolled up into one face.
static void gather_faces(builder *b)
{
    b->slack = fmin(flat * b->size, thin * thickness_of(b->mesh));
    sort_by_area(b);
    for (int i = 0; i < b->mesh->triangle_count; ++i) {
        int seed = b->order[i];
        if (b->face_of[seed] >= 0) {
            continue;
        }
        int face = b->face_count++, depth = 0;
        sn_vec3 normal = sn_normalize(sn_mesh_area_vector(b->mesh, seed));
        double offset = sn_dot(normal, b->mesh->positions[b->mesh->triangles[3 * seed]]);
        b->face_of[seed] = face;
        b->stack[depth++] = seed;
        while (depth > 0) {
            int t = b->stack[--depth];
            for (int k = 0; k < 3; ++k) {
                int other = b->edges.twin[3 * t + k] / 3;
                if (b->face_of[other] < 0 && in_plane(b, other, normal, offset)) {
                    b->face_of[other] = face;
                    b->stack[depth++] = other;
                }
            }
        }
    }
}

// The next half edge around the face: turn over the edges inside it.
static int next_on_rim(const builder *b, int edge)
{
    int face = b->face_of[edge / 3], next = sn_half_edge_next(edge);
    while (b->face_of[b->edges.twin[next] / 3] == face) {
        next = sn_half_edge_next(b->edges.twin[next]);
    }
    return next;
}

// Numbers half edges face by face in the order around each.
static void number_edges(builder *b, sn_hull *hull)
{
    int triangles = b->mesh->triangle_count;
    for (int e = 0; e < 3 * triangles; ++e) {
        b->edge_of[e] = -1;
    }
    for (int f = 0; f < b->face_count; ++f) {
        hull->faces[f].count = 0;
    }
    int count = 0;
    for (int e = 0; e < 3 * triangles; ++e) {
        int face = b->face_of[e / 3];
        if (b->edge_of[e] >= 0 || b->face_of[b->edges.twin[e] / 3] == face ||
            hull->faces[face].count > 0) {
            continue;
        }
        hull->faces[face].first = count;
        for (int walk = e; b->edge_of[walk] < 0; walk = next_on_rim(b, walk)) {
            b->edge_of[walk] = count;
            hull->edges[count++] = (sn_hull_edge){.corner = b->mesh->triangles[walk],
                                                  .twin = b->edges.twin[walk], // still the mesh's
                                                  .face = face};
            hull->faces[face].count++;
        }
    }
    hull->edge_count = count;
    for (int e = 0; e < count; ++e) {
        hull->edges[e].twin = b->edge_of[hull->edges[e].twin];
    }
}

static void number_corners(builder *b, sn_hull *hull)
{
    for (int v = 0; v < b->mesh->vertex_count; ++v) {
        b->corner_of[v] = -1;
    }
    for (int e = 0; e < hull->edge_count; ++e) {
        int vertex = hull->edges[e].corner;
        if (b->corner_of[vertex] < 0) {
            hull->first_edge[hull->corner_count] = e;
            hull->corners[hull->corner_count] = b->mesh->positions[vertex];
            b->corner_of[vertex] = hull->corner_count++;
        }
        hull->edges[e].corner = b->corner_of[vertex];
    }
}

// Where the width is of the order of roundings, planes hold corners that are not in them, and what
// was gathered need not enclose anything.
static bool is_polyhedron(const sn_hull *hull)
{
    bool sound = hull->face_count >= 4 && hull->corner_count >= 4;
    for (int f = 0; f < hull->face_count; ++f) {
        sound = sound && hull->faces[f].count >= 3;
    }
    for (int e = 0; e < hull->edge_count; ++e) {
        sound = sound && hull->edges[e].twin >= 0;
    }
    return sound && hull->corner_count - hull->edge_count / 2 + hull->face_count == 2;
}

// Newell's normal, and the plane pushed out to the farthest corner.
static void measure_faces(sn_hull *hull)
{
    for (int f = 0; f < hull->face_count; ++f) {
        sn_hull_face *face = &hull->faces[f];
        sn_vec3 sum = SN_VEC3_ZERO, base = hull->corners[hull->edges[face->first].corner];
        for (int k = 1; k + 1 < face->count; ++k) {
            sn_vec3 p = hull->corners[hull->edges[face->first + k].corner];
            sn_vec3 q = hull->corners[hull->edges[face->first + k + 1].corner];
            sum = sn_vec3_add(sum, sn_cross(sn_vec3_sub(p, base), sn_vec3_sub(q, base)));
        }
        face->normal = sn_normalize(sum);
        face->offset = -INFINITY;
        for (int k = 0; k < face->count; ++k) {
            sn_vec3 p = hull->corners[hull->edges[face->first + k].corner];
            face->offset = fmax(face->offset, sn_dot(face->normal, p));
        }
    }
}

// The middle of the bounds of what lies aslant may well be outside of it: the centre of the volume
// is not. It is the mean of those of tetrahedra from one corner to all faces.
static void measure_inside(sn_hull *hull)
{
    sn_vec3 from = hull->corners[0], sum = SN_VEC3_ZERO;
    double volume = 0.0;
    for (int f = 0; f < hull->face_count; ++f) {
        const sn_hull_face *face = &hull->faces[f];
        sn_vec3 a = sn_vec3_sub(hull->corners[hull->edges[face->first].corner], from);
        for (int k = 1; k + 1 < face->count; ++k) {
            sn_vec3 b = sn_vec3_sub(hull->corners[hull->edges[face->first + k].corner], from);
            sn_vec3 c = sn_vec3_sub(hull->corners[hull->edges[face->first + k + 1].corner], from);
            double part = sn_dot(a, sn_cross(b, c));
            volume += part;
            sum = sn_vec3_add_scaled(sum, 0.25 * part, sn_vec3_add(a, sn_vec3_add(b, c)));
        }
    }
    hull->heart = volume > 0.0 ? sn_vec3_add_scaled(from, 1.0 / volume, sum) : from;
    hull->inner = INFINITY;
    for (int f = 0; f < hull->face_count; ++f) {
        const sn_hull_face *face = &hull->faces[f];
        hull->inner = fmin(hull->inner, face->offset - sn_dot(face->normal, hull->heart));
    }
}

static sn_hull *hull_allocate(int corners, int faces, int edges)
{
    sn_hull *hull = sn_allocate_zero(sizeof *hull);
    if (hull == NULL) {
        return NULL;
    }
    atomic_init(&hull->references, 1);
    hull->corners = sn_allocate((size_t)corners * sizeof *hull->corners);
    hull->faces = sn_allocate_zero((size_t)faces * sizeof *hull->faces);
    hull->edges = sn_allocate((size_t)edges * sizeof *hull->edges);
    hull->first_edge = sn_allocate((size_t)corners * sizeof(int));
    if (hull->corners == NULL || hull->faces == NULL || hull->edges == NULL ||
        hull->first_edge == NULL) {
        sn_hull_release(hull);
        return NULL;
    }
    return hull;
}

static sn_status build(builder *b, sn_hull **made, sn_error *error)
{
    const sn_mesh *mesh = b->mesh;
    sn_status status = sn_half_edges_build(mesh, &b->edges, error);
    if (status == SN_OK) {
        status = builder_allocate(b, error);
    }
    if (status == SN_OK) {
        status = check_convex(b, error);
    }
    if (status != SN_OK) {
        return status;
    }
    gather_faces(b);
    sn_hull *hull = hull_allocate(mesh->vertex_count, b->face_count, 3 * mesh->triangle_count);
    if (hull == NULL) {
        return sn_fail_memory(error, (size_t)mesh->triangle_count * sizeof(sn_hull_edge));
    }
    hull->face_count = b->face_count;
    hull->bounds = sn_mesh_bounds(mesh);
    number_edges(b, hull);
    number_corners(b, hull);
    bool solid = is_polyhedron(hull);
    if (solid) {
        measure_faces(hull);
        measure_inside(hull);
    }
    if (!solid || !(hull->inner > 0.0)) {
        sn_hull_release(hull);
        return sn_fail(error, SN_ERROR_GEOMETRY, "convex hull",
                       "the body is flat to rounding: it is %.3g m long and %.3g m thick", b->size,
                       thickness_of(mesh));
    }
    *made = hull;
    return SN_OK;
}

sn_status sn_hull_from_mesh(const sn_mesh *mesh, sn_hull **hull, sn_error *error)
{
    *hull = NULL;
    sn_aabb bounds = sn_mesh_bounds(mesh);
    builder b = {.mesh = mesh, .size = sn_distance(bounds.lower, bounds.upper)};
    sn_status status = build(&b, hull, error);
    builder_free(&b);
    return status;
}

sn_status sn_hull_from_points(const sn_vec3 *points, int count, sn_hull **hull, sn_error *error)
{
    *hull = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = sn_mesh_convex_hull(points, count, &mesh, error);
    if (status == SN_OK) {
        status = sn_hull_from_mesh(mesh, hull, error);
    }
    sn_mesh_release(mesh);
    return status;
}

const sn_hull *sn_hull_retain(const sn_hull *hull)
{
    if (hull != NULL) {
        atomic_fetch_add_explicit(&((sn_hull *)(uintptr_t)hull)->references, 1,
                                  memory_order_relaxed);
    }
    return hull;
}

void sn_hull_release(const sn_hull *shared)
{
    sn_hull *hull = (sn_hull *)(uintptr_t)shared; // the count changes, the polyhedron does not
    if (hull == NULL ||
        atomic_fetch_sub_explicit(&hull->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    sn_free(hull->corners);
    sn_free(hull->faces);
    sn_free(hull->edges);
    sn_free(hull->first_edge);
    sn_free(hull);
}

// ---- questions ----

static int previous_of(const sn_hull *hull, int edge)
{
    const sn_hull_face *face = &hull->faces[hull->edges[edge].face];
    return edge == face->first ? face->first + face->count - 1 : edge - 1;
}

// The next half edge that leaves the same corner.
static int around_corner(const sn_hull *hull, int edge)
{
    return hull->edges[previous_of(hull, edge)].twin;
}

// On a convex body every corner but the highest has a higher neighbour.
static int climb(const sn_hull *hull, sn_vec3 direction)
{
    int at = 0;
    double best = sn_dot(hull->corners[0], direction);
    for (bool higher = true; higher;) {
        higher = false;
        int first = hull->first_edge[at], edge = first, from = at;
        do {
            int other = hull->edges[hull->edges[edge].twin].corner;
            double height = sn_dot(hull->corners[other], direction);
            if (height > best) {
                best = height;
                at = other;
                higher = true;
            }
            edge = around_corner(hull, edge);
        } while (edge != first);
        higher = higher && at != from;
    }
    return at;
}

// Four searches side by side, so that the processor need not wait for one comparison after another.
static int ask_all(const sn_hull *hull, sn_vec3 direction)
{
    enum { LANES = 4 };
    const sn_vec3 *corners = hull->corners;
    int best[LANES] = {0, 1, 2, 3}; // every hull has four corners
    double height[LANES];
    for (int k = 0; k < LANES; ++k) {
        height[k] = sn_dot(corners[k], direction);
    }
    int i = LANES;
    for (; i + LANES <= hull->corner_count; i += LANES) {
        for (int k = 0; k < LANES; ++k) {
            double other = sn_dot(corners[i + k], direction);
            best[k] = other > height[k] ? i + k : best[k];
            height[k] = other > height[k] ? other : height[k];
        }
    }
    for (; i < hull->corner_count; ++i) {
        double other = sn_dot(corners[i], direction);
        best[0] = other > height[0] ? i : best[0];
        height[0] = other > height[0] ? other : height[0];
    }
    for (int k = 1; k < LANES; ++k) {
        bool first = height[k] > height[0] || (height[k] == height[0] && best[k] < best[0]);
        best[0] = first ? best[k] : best[0];
        height[0] = first ? height[k] : height[0];
    }
    return best[0];
}

int sn_hull_support(const sn_hull *hull, sn_vec3 direction)
{
    return hull->corner_count > CLIMB ? climb(hull, direction) : ask_all(hull, direction);
}

int sn_hull_face_at(const sn_hull *hull, int corner, sn_vec3 direction)
{
    int first = hull->first_edge[corner], edge = first, best = hull->edges[first].face;
    do {
        int face = hull->edges[edge].face;
        if (sn_dot(hull->faces[face].normal, direction) >
            sn_dot(hull->faces[best].normal, direction)) {
            best = face;
        }
        edge = around_corner(hull, edge);
    } while (edge != first);
    return best;
}
