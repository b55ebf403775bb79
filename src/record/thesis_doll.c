// The doll of the thesis' `gizmo`: a ball with four legs. Its mesh is lost; this one has the counts
// of the tables (658 elements, 245 vertices, of them 200 outside): a ball of 160 elements, legs of
// six wedges, two of 6 and two of 7 layers, the longer-cut ones with pointed feet, two eyes and two
// ears, and a vertex inside of two elements near the middle.
#include "record/thesis_doll.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tetrahedra.h"
#include "geometry/tetrahedra_builder.h"
#include "geometry/tetrahedra_faces.h"

enum { SPOKES = 6 };

typedef struct doll {
    sn_tetrahedra *ball;
    sn_tetrahedra_builder builder;
    int *faces; // 3 * face_count: outside of the ball, outward
    int face_count;
    double radius;
} doll;

static sn_vec3 ball_position(const doll *d, int vertex)
{
    return d->ball->positions[vertex];
}

static sn_status find_faces(doll *d, sn_error *error)
{
    sn_tetrahedra_surface surface;
    sn_status status = sn_tetrahedra_find_surface(d->ball, &surface, error);
    if (status != SN_OK) {
        return status;
    }
    d->face_count = sn_mesh_triangle_count(surface.mesh);
    size_t count = 3 * (size_t)d->face_count;
    d->faces = sn_allocate(count * sizeof *d->faces);
    for (size_t k = 0; d->faces != NULL && k < count; ++k) {
        d->faces[k] = surface.vertices[sn_mesh_triangles(surface.mesh)[k]];
    }
    sn_tetrahedra_surface_free(&surface);
    return d->faces != NULL ? SN_OK : sn_fail_memory(error, count * sizeof *d->faces);
}

// The vertex of the surface that is farthest in a direction, and the face whose middle is.
static int vertex_towards(const doll *d, sn_vec3 direction)
{
    int best = d->faces[0];
    for (int k = 0; k < 3 * d->face_count; ++k) {
        if (sn_dot(direction, ball_position(d, d->faces[k])) >
            sn_dot(direction, ball_position(d, best))) {
            best = d->faces[k];
        }
    }
    return best;
}

static sn_vec3 face_middle(const doll *d, int face)
{
    const int *v = d->faces + 3 * (size_t)face;
    sn_vec3 sum = sn_vec3_add(ball_position(d, v[0]), ball_position(d, v[1]));
    return sn_vec3_scale(1.0 / 3.0, sn_vec3_add(sum, ball_position(d, v[2])));
}

static int face_towards(const doll *d, sn_vec3 direction)
{
    int best = 0;
    for (int f = 1; f < d->face_count; ++f) {
        if (sn_dot(direction, face_middle(d, f)) > sn_dot(direction, face_middle(d, best))) {
            best = f;
        }
    }
    return best;
}

// The vertex behind `from` around `centre`, counter-clockwise from outside; -1 when there is none.
static int next_around(const doll *d, int centre, int from)
{
    for (int k = 0; k < 3 * d->face_count; ++k) {
        const int *v = d->faces + 3 * (size_t)(k / 3);
        if (v[k % 3] == centre && v[(k + 1) % 3] == from) {
            return v[(k + 2) % 3];
        }
    }
    return -1;
}

static int first_around(const doll *d, int centre)
{
    for (int k = 0; k < 3 * d->face_count; ++k) {
        if (d->faces[k] == centre) {
            return d->faces[k - k % 3 + (k + 1) % 3];
        }
    }
    return -1;
}

// ---- parts ----

// A bump over the faces around a vertex.
static void add_eye(doll *d, sn_vec3 direction, double height)
{
    int centre = vertex_towards(d, direction), first = first_around(d, centre), at = first;
    sn_vec3 p = ball_position(d, centre);
    int apex =
        sn_tetrahedra_builder_vertex(&d->builder, sn_vec3_add_scaled(p, height, sn_normalize(p)));
    do {
        int next = next_around(d, centre, at);
        sn_tetrahedra_builder_element(&d->builder, centre, at, next, apex);
        at = next;
    } while (at != first && at >= 0);
}

// A pyramid on one face.
static void add_ear(doll *d, sn_vec3 direction, double height)
{
    int face = face_towards(d, direction);
    const int *v = d->faces + 3 * (size_t)face;
    sn_vec3 p = face_middle(d, face);
    int apex =
        sn_tetrahedra_builder_vertex(&d->builder, sn_vec3_add_scaled(p, height, sn_normalize(p)));
    sn_tetrahedra_builder_element(&d->builder, v[0], v[1], v[2], apex);
}

// Six wedges on the faces around a vertex, drawn out layer by layer and narrowed to 0.6.
static void add_leg(doll *d, sn_vec3 direction, sn_vec3 way, int layers, double foot)
{
    int centre = vertex_towards(d, direction), ring[SPOKES + 1];
    ring[0] = first_around(d, centre);
    for (int j = 0; j < SPOKES; ++j) {
        ring[j + 1] = next_around(d, centre, ring[j]);
    }
    sn_vec3 root = ball_position(d, centre), offsets[SPOKES];
    for (int j = 0; j < SPOKES; ++j) {
        sn_vec3 from = sn_vec3_sub(ball_position(d, ring[j]), root);
        offsets[j] = from;
    }
    for (int k = 1; k <= layers; ++k) {
        double share = (double)k / layers, width = 1.0 - 0.4 * share;
        sn_vec3 middle = sn_vec3_add_scaled(root, share, way);
        // Sections start as the ball's own, hollow side inward, and end flat.
        int next_centre = sn_tetrahedra_builder_vertex(&d->builder, middle), next[SPOKES + 1];
        sn_vec3 outward = sn_normalize(root);
        for (int j = 0; j < SPOKES; ++j) {
            double sunk = share * sn_dot(offsets[j], outward);
            sn_vec3 flat = sn_vec3_add_scaled(offsets[j], -sunk, outward);
            next[j] =
                sn_tetrahedra_builder_vertex(&d->builder, sn_vec3_add_scaled(middle, width, flat));
        }
        next[SPOKES] = next[0];
        for (int j = 0; j < SPOKES; ++j) {
            sn_tetrahedra_builder_prism(&d->builder, (int[]){centre, ring[j], ring[j + 1]},
                                        (int[]){next_centre, next[j], next[j + 1]});
        }
        centre = next_centre;
        for (int j = 0; j <= SPOKES; ++j) {
            ring[j] = next[j];
        }
    }
    if (foot > 0.0) {
        sn_vec3 end = sn_vec3_add_scaled(sn_vec3_add(root, way), foot, sn_normalize(way));
        int apex = sn_tetrahedra_builder_vertex(&d->builder, end);
        for (int j = 0; j < SPOKES; ++j) {
            sn_tetrahedra_builder_element(&d->builder, centre, ring[j], ring[j + 1], apex);
        }
    }
}

// Cuts the element whose middle is nearest to a point into four.
static void split_element(doll *d, sn_vec3 point)
{
    sn_tetrahedra_builder *b = &d->builder;
    int best = 0;
    double nearest = INFINITY;
    sn_vec3 place = point;
    for (int e = 0; e < d->ball->element_count; ++e) {
        const int *v = b->elements.data + 4 * (size_t)e;
        sn_vec3 middle = {0.0, 0.0, 0.0};
        for (int k = 0; k < 4; ++k) {
            middle = sn_vec3_add_scaled(middle, 0.25, b->positions.data[v[k]]);
        }
        if (sn_distance(middle, point) < nearest) {
            nearest = sn_distance(middle, point);
            best = e;
            place = middle;
        }
    }
    int inside = sn_tetrahedra_builder_vertex(b, place);
    int v[4] = {0, 0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        v[k] = b->elements.data[4 * (size_t)best + (size_t)k];
    }
    for (int k = 1; k < 4; ++k) {
        int w[4] = {v[0], v[1], v[2], v[3]};
        w[k] = inside;
        sn_tetrahedra_builder_element(b, w[0], w[1], w[2], w[3]);
    }
    b->elements.data[4 * (size_t)best] = inside;
}

static void copy_ball(doll *d)
{
    for (int i = 0; i < d->ball->vertex_count; ++i) {
        sn_tetrahedra_builder_vertex(&d->builder, ball_position(d, i));
    }
    for (int e = 0; e < d->ball->element_count; ++e) {
        const int *v = d->ball->elements + 4 * (size_t)e;
        sn_tetrahedra_builder_element(&d->builder, v[0], v[1], v[2], v[3]);
    }
}

sn_status sn_thesis_doll(double radius, sn_tetrahedra **mesh, sn_error *error)
{
    *mesh = NULL;
    doll d = {.radius = radius};
    sn_status status = sn_tetrahedra_make_sphere(radius, 2, &d.ball, error);
    if (status == SN_OK) {
        status = find_faces(&d, error);
    }
    if (status == SN_OK) {
        copy_ball(&d);
        double out = 1.1 * radius, down = -1.5 * radius;
        for (int side = -1; side <= 1; side += 2) {
            // All four legs end at one height; the edges along x and y of the icosahedron carry
            // them.
            add_leg(&d, sn_vec3_make(side, 0.0, 0.0), sn_vec3_make(side * out, 0.0, down), 7,
                    0.3 * radius);
            add_leg(&d, sn_vec3_make(0.0, side, 0.0), sn_vec3_make(0.0, side * out, down), 6, 0.0);
            add_eye(&d, sn_vec3_make(0.0, 0.5257 * side, 0.8507), 0.25 * radius);
            add_ear(&d, sn_vec3_make(side, side, 1.0), 0.35 * radius);
        }
        for (int side = -1; !d.builder.failed && side <= 1; side += 2) {
            split_element(&d, sn_vec3_make(0.2 * side * radius, 0.2 * side * radius, 0.2 * radius));
        }
        status = sn_tetrahedra_builder_finish(&d.builder, mesh, error);
    }
    sn_tetrahedra_builder_free(&d.builder);
    sn_tetrahedra_release(d.ball);
    sn_free(d.faces);
    return status;
}
